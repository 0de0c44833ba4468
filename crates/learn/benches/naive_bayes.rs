//! Learning and scoring of naive Bayes, in class-cells (rows × attributes × classes) and cells (rows × attributes) per second.
//!
//! `cargo bench -p tunbridge-learn`. One core, data in memory, fixed seed.

use belief::{Chunk, Codes, Column, Kind, Role, Schema, States, SufficientStatistic, Variable};
use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use tunbridge_learn::discretise::fayyad_irani;
use tunbridge_learn::{LeaveOneOut, NaiveBayes, NaiveBayesPrior, NaiveBayesStatistic, NumericModel, SampledValue, Treatment, ValueSample};

fn main() {
    divan::main();
}

const ROWS: usize = 65_536;

struct Data {
    schema: Schema,
    treatments: Vec<Treatment>,
    codes: Vec<Vec<u8>>,
    values: Vec<Vec<f64>>,
    classes: Vec<u8>,
    n_states: usize,
    n_classes: usize,
}

impl Data {
    fn new(n_categorical: usize, n_states: usize, n_numeric: usize, treatment: Treatment, n_classes: usize) -> Self {
        let mut seed = 7_u64;
        let mut next = move || {
            // Knuth's MMIX generator; the high bits are good enough for a table.
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            seed >> 33
        };
        let states = |n: usize| Kind::Categorical(States::declared((0..n).map(|s| format!("s{s}")).collect(), false).unwrap());
        let mut variables = Vec::new();
        for place in 0..n_categorical {
            variables.push(Variable { name: format!("c{place}"), kind: states(n_states), role: Role::Input });
        }
        for place in 0..n_numeric {
            variables.push(Variable { name: format!("n{place}"), kind: Kind::Numeric, role: Role::Input });
        }
        variables.push(Variable { name: "y".into(), kind: states(n_classes), role: Role::Target });
        let mut treatments = vec![Treatment::Categorical; n_categorical];
        treatments.extend(vec![treatment; n_numeric]);
        treatments.push(Treatment::Absent);
        Self {
            schema: Schema::new(variables).unwrap(),
            treatments,
            codes: (0..n_categorical).map(|_| (0..ROWS).map(|_| (next() % n_states as u64) as u8).collect()).collect(),
            values: (0..n_numeric).map(|_| (0..ROWS).map(|_| (next() % 10_000) as f64 / 100.0).collect()).collect(),
            classes: (0..ROWS).map(|_| (next() % n_classes as u64) as u8).collect(),
            n_states,
            n_classes,
        }
    }

    fn columns(&self) -> Vec<Column<'_>> {
        let states = self.codes.iter().map(|codes| Column::Categorical { codes: Codes::U8(codes), n_states: self.n_states });
        let target = Column::Categorical { codes: Codes::U8(&self.classes), n_states: self.n_classes };
        states.chain(self.values.iter().map(|values| Column::Numeric(values))).chain([target]).collect()
    }

    fn n_attributes(&self) -> usize {
        self.codes.len() + self.values.len()
    }

    fn blank(&self) -> NaiveBayesStatistic {
        NaiveBayesStatistic::empty(&self.treatments, self.n_attributes(), &self.schema.cardinalities())
    }

    fn statistic(&self) -> NaiveBayesStatistic {
        let mut statistic = self.blank();
        statistic.observe(chunk(&self.columns())).unwrap();
        statistic
    }

    fn bench_ln_joint(&self, bencher: Bencher<'_, '_>, prior: &NaiveBayesPrior) {
        let (columns, model) = (self.columns(), NaiveBayes::new(&self.schema, &self.statistic(), prior).unwrap());
        let mut out = Vec::new();
        bencher.counter(ItemsCount::new(ROWS * self.n_attributes() * self.n_classes)).bench_local(|| {
            model.ln_joint(&chunk(&columns), &mut out).unwrap();
            black_box(out.last().copied())
        });
    }

    fn bench_leave_one_out(&self, bencher: Bencher<'_, '_>) {
        let (columns, statistic) = (self.columns(), self.statistic());
        let model = NaiveBayes::new(&self.schema, &statistic, &NaiveBayesPrior::default()).unwrap();
        let leave_one_out = LeaveOneOut::new(&self.schema, &statistic, &model).unwrap();
        let mut out = Vec::new();
        bencher.counter(ItemsCount::new(ROWS * self.n_attributes() * self.n_classes)).bench_local(|| {
            leave_one_out.ln_joint(&chunk(&columns), &mut out).unwrap();
            black_box(out.last().copied())
        });
    }

    fn bench_observe(&self, bencher: Bencher<'_, '_>) {
        let columns = self.columns();
        bencher.counter(ItemsCount::new(ROWS * self.n_attributes())).bench_local(|| {
            let mut statistic = self.blank();
            statistic.observe(chunk(&columns)).unwrap();
            statistic
        });
    }
}

fn chunk<'a>(columns: &'a [Column<'a>]) -> Chunk<'a> {
    Chunk { first_row: 0, n_rows: ROWS, columns, weights: None }
}

fn categorical() -> Data {
    Data::new(20, 40, 0, Treatment::Moments, 5)
}

fn numeric() -> Data {
    Data::new(0, 0, 100, Treatment::Moments, 10)
}

fn binned() -> Data {
    Data::new(0, 0, 100, Treatment::Binned((1..10).map(|cut| f64::from(cut) * 10.0).collect()), 10)
}

#[divan::bench(name = "ln_joint/20cat-40states-5classes/64k-rows")]
fn ln_joint_categorical(bencher: Bencher) {
    categorical().bench_ln_joint(bencher, &NaiveBayesPrior::default());
}

#[divan::bench(name = "ln_joint/20cat-40states-2classes/64k-rows")]
fn ln_joint_two_classes(bencher: Bencher) {
    Data::new(20, 40, 0, Treatment::Moments, 2).bench_ln_joint(bencher, &NaiveBayesPrior::default());
}

#[divan::bench(name = "ln_joint/100num-10classes/64k-rows")]
fn ln_joint_numeric(bencher: Bencher) {
    numeric().bench_ln_joint(bencher, &NaiveBayesPrior::default());
}

#[divan::bench(name = "ln_joint/100num-2classes/64k-rows")]
fn ln_joint_numeric_two_classes(bencher: Bencher) {
    Data::new(0, 0, 100, Treatment::Moments, 2).bench_ln_joint(bencher, &NaiveBayesPrior::default());
}

#[divan::bench(name = "ln_joint/100num-10classes-student/64k-rows", sample_count = 10)]
fn ln_joint_student(bencher: Bencher) {
    let prior = NaiveBayesPrior { numeric: NumericModel::Student, ..NaiveBayesPrior::default() };
    numeric().bench_ln_joint(bencher, &prior);
}

#[divan::bench(name = "ln_joint/100num-10bins-10classes/64k-rows")]
fn ln_joint_binned(bencher: Bencher) {
    binned().bench_ln_joint(bencher, &NaiveBayesPrior::default());
}

#[divan::bench(name = "leave_one_out/20cat-40states-5classes/64k-rows")]
fn leave_one_out_categorical(bencher: Bencher) {
    categorical().bench_leave_one_out(bencher);
}

#[divan::bench(name = "leave_one_out/100num-10classes/64k-rows")]
fn leave_one_out_numeric(bencher: Bencher) {
    numeric().bench_leave_one_out(bencher);
}

#[divan::bench(name = "observe/20cat-40states-5classes/64k-rows")]
fn observe_categorical(bencher: Bencher) {
    categorical().bench_observe(bencher);
}

#[divan::bench(name = "observe/100num-10classes/64k-rows")]
fn observe_numeric(bencher: Bencher) {
    numeric().bench_observe(bencher);
}

#[divan::bench(name = "observe/100num-10bins-10classes/64k-rows")]
fn observe_binned(bencher: Bencher) {
    binned().bench_observe(bencher);
}

#[divan::bench(name = "cuts/mdl-5classes/200k-values")]
fn cuts_mdl(bencher: Bencher) {
    // Five bands of classes with one row in seven out of place.
    let class = |row: u32| if row.is_multiple_of(7) { row * 31 % 5 } else { row / 40_000 };
    let value = |row: u32| SampledValue { value: f64::from(row) / 3.0, class: class(row), weight: 1.0 };
    let values: Vec<SampledValue> = (0..200_000).map(value).collect();
    bencher.counter(ItemsCount::new(values.len())).bench_local(|| fayyad_irani(black_box(&values), 5));
}

#[divan::bench(name = "sample/100num-10classes/64k-rows")]
fn sample(bencher: Bencher) {
    let data = numeric();
    let (columns, places) = (data.columns(), (0..100).collect::<Vec<_>>());
    bencher.counter(ItemsCount::new(ROWS * 100)).bench_local(|| {
        let mut sample = ValueSample::empty(&places, 100, 10);
        sample.observe(chunk(&columns)).unwrap();
        sample
    });
}
