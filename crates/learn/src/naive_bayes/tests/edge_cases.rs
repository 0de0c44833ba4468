//! What goes wrong, and what is said of it.

use std::collections::BTreeMap;

use belief::{Chunk, Codes, Column, Kind, Role, Schema, ShapeMismatch, States, SufficientStatistic, Variable};

use super::table::{Table, TestColumn};
use crate::{
    ClassPrior, Estimate, EventModel, LearnError, LeftOut, MEstimateP, NaiveBayes, NaiveBayesPrior, NaiveBayesStatistic, NumericModel,
    Remark, StatisticFault, Treatment,
};

/// One numeric column: 0 and 2 in the first class, 10 and 12 in the second.
pub fn two_bells() -> Table {
    Table {
        columns: vec![TestColumn::Numbers { values: vec![0.0, 2.0, 10.0, 12.0], cuts: None }],
        classes: vec![0, 0, 1, 1],
        n_classes: 2,
        n_declared_classes: 0,
        weights: None,
    }
}

fn with_numbers(values: [f64; 4]) -> Table {
    Table { columns: vec![TestColumn::Numbers { values: values.to_vec(), cuts: None }], ..two_bells() }
}

fn with_states(codes: [u8; 4], n_states: usize, n_declared: usize) -> Table {
    Table { columns: vec![TestColumn::States { codes: codes.to_vec(), n_states, n_declared }], ..two_bells() }
}

fn model(table: &Table, prior: &NaiveBayesPrior) -> Result<NaiveBayes, LearnError> {
    NaiveBayes::new(&table.schema(), &table.statistic(), prior)
}

fn scores(model: &NaiveBayes, table: &Table) -> Vec<f64> {
    let mut scores = Vec::new();
    table.with_rows(0..table.n_rows(), None, |chunk| model.ln_joint(chunk, &mut scores)).unwrap();
    scores
}

fn gaussian(variance_smoothing: f64) -> NaiveBayesPrior {
    NaiveBayesPrior { numeric: NumericModel::Gaussian { variance_smoothing }, ..NaiveBayesPrior::default() }
}

#[test]
fn two_classes_are_needed() {
    let table = Table { classes: vec![1, 1, 1, u8::MAX], ..two_bells() };
    let error = model(&table, &NaiveBayesPrior::default()).unwrap_err();
    assert_eq!(error.to_string(), "at least two classes of `y` must have rows, but only `s1` has");
    let table = Table { classes: vec![u8::MAX; 4], ..two_bells() };
    assert_eq!(table.statistic().n_rows_without_target(), 4.0);
    let error = model(&table, &NaiveBayesPrior::default()).unwrap_err();
    assert_eq!(error.to_string(), "at least two classes of `y` must have rows, but none has");
}

#[test]
fn a_target_of_states_is_needed() {
    let statistic = NaiveBayesStatistic::empty(&[Treatment::Absent], 0, &[0]);
    let schema = |role, kind| Schema::new(vec![Variable { name: "y".into(), kind, role }]).unwrap();
    let prior = NaiveBayesPrior::default();
    assert_eq!(NaiveBayes::new(&schema(Role::Input, Kind::Numeric), &statistic, &prior), Err(LearnError::NoTarget));
    let error = NaiveBayes::new(&schema(Role::Target, Kind::Numeric), &statistic, &prior).unwrap_err();
    assert!(error.to_string().starts_with("the target `y` is numeric, but naive Bayes predicts categories"));
}

#[test]
fn a_given_class_prior_names_every_class_and_no_other() {
    let with = |class: &str| model(&two_bells(), &NaiveBayesPrior { class: class.parse().unwrap(), ..Default::default() });
    let ln_prior = with("s1=0.25,s0=0.75").unwrap().ln_class_prior().to_vec();
    assert_eq!(ln_prior, [0.75_f64.ln(), 0.25_f64.ln()]);
    assert_eq!(with("s0=0.5,s2=0.5").unwrap_err().to_string(), "the class prior names `s2`, which is no class of `y` (known: `s0`, `s1`)");
    assert_eq!(with("s0=1").unwrap_err().to_string(), "the class prior says nothing of `s1`: every class of `y` needs a probability");
    let unchecked = NaiveBayesPrior { class: ClassPrior::Given([("s0".into(), 0.5), ("s1".into(), 0.6)].into()), ..Default::default() };
    assert!(matches!(model(&two_bells(), &unchecked), Err(LearnError::NotADistribution { .. })));
}

/// A class that was declared and has no rows: impossible by frequency, possible by Laplace; one not declared is impossible by both.
#[test]
fn classes_without_rows_count_if_they_were_declared() {
    let three = |n_declared| Table { n_classes: 3, n_declared_classes: n_declared, ..two_bells() };
    let p = |n_declared, class: &str| {
        let prior = NaiveBayesPrior { class: class.parse().unwrap(), ..Default::default() };
        let ln = model(&three(n_declared), &prior).unwrap().ln_class_prior().to_vec();
        ln.into_iter().map(f64::exp).collect::<Vec<_>>()
    };
    assert_eq!(p(3, "empirical"), [0.5, 0.5, 0.0]);
    assert_eq!(p(0, "laplace"), [0.5, 0.5, 0.0]);
    assert_eq!(p(0, "uniform"), [0.5, 0.5, 0.0]);
    let close = |a: Vec<f64>, b: [f64; 3]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-15);
    assert!(close(p(3, "laplace"), [3.0 / 7.0, 3.0 / 7.0, 1.0 / 7.0]));
    assert!(close(p(3, "uniform"), [1.0 / 3.0; 3]));
    // Every score of the class without rows is −∞ or a number, never NaN.
    for n_declared in [0, 3] {
        for numeric in ["gaussian", "student"] {
            let prior = NaiveBayesPrior { numeric: numeric.parse().unwrap(), class: ClassPrior::Uniform, ..Default::default() };
            let table = three(n_declared);
            assert!(scores(&model(&table, &prior).unwrap(), &table).iter().all(|s| !s.is_nan()));
        }
    }
}

/// J counts declared states and those seen: an undeclared state that was not seen is unknown, a declared one has its pseudo-count.
#[test]
fn an_unknown_state_is_left_out_and_a_declared_one_is_not() {
    let said = |n_declared: usize| {
        let learned = with_states([0, 1, 1, 1], 3, n_declared);
        let model = model(&learned, &NaiveBayesPrior::default()).unwrap();
        let met = with_states([2, 1, 1, 1], 3, n_declared);
        met.with_rows(0..4, None, |chunk| model.evidence(chunk, 0)).unwrap().remove(0)
    };
    assert_eq!(said(0), Err(LeftOut::UnknownState));
    assert_eq!(said(3), Ok(vec![(1.0_f64 / 5.0).ln(), (1.0_f64 / 5.0).ln()]));
    // A code beyond the states the model knows of, as from a longer dictionary, is unknown too.
    let learned = with_states([0, 1, 1, 1], 2, 2);
    let model = model(&learned, &NaiveBayesPrior::default()).unwrap();
    let longer = with_states([9, 1, 1, 1], 10, 0);
    assert_eq!(longer.with_rows(0..4, None, |c| model.evidence(c, 0)).unwrap()[0], Err(LeftOut::UnknownState));
    assert_eq!(scores(&model, &longer)[..2], *model.ln_class_prior());
}

#[test]
fn a_constant_column_is_left_out_and_said_so() {
    // Ten times 0.1 is not 1, and still the column is constant.
    for x in [0.1, 1e9 + 0.1, 0.0, -1e-300] {
        let table = with_numbers([x; 4]);
        for prior in [gaussian(1e-9), gaussian(0.0), NaiveBayesPrior { numeric: NumericModel::Student, ..Default::default() }] {
            let model = model(&table, &prior).unwrap();
            assert_eq!(model.remarks(), [Remark::ColumnLeftOut { variable: "x0".into(), why: LeftOut::Constant }]);
            assert_eq!(scores(&model, &table)[..2], *model.ln_class_prior());
        }
    }
    assert_eq!(model(&with_numbers([1.0; 4]), &gaussian(0.0)).unwrap().remarks()[0].to_string(), "`x0` is left out: constant");
    let never = model(&with_numbers([f64::NAN; 4]), &gaussian(0.0)).unwrap();
    assert_eq!(never.remarks(), [Remark::ColumnLeftOut { variable: "x0".into(), why: LeftOut::NeverObserved }]);
}

/// Without smoothing, a class in which nothing varies borrows the variance within the classes: (0 + 0 + 1 + 1)/4.
#[test]
fn a_class_that_does_not_vary_borrows_its_variance() {
    let table = with_numbers([3.0, 3.0, 5.0, 7.0]);
    let model_of = |prior| model(&table, &prior).unwrap();
    let borrowed = model_of(gaussian(0.0));
    assert_eq!(borrowed.remarks(), [Remark::BorrowedVariance { variable: "x0".into(), class: "s0".into() }]);
    let ln_peak = -0.5 * (std::f64::consts::TAU * 0.5).ln();
    assert!((scores(&borrowed, &table)[0] - (0.5_f64.ln() + ln_peak)).abs() < 1e-15);
    assert!(model_of(gaussian(1e-9)).remarks().is_empty());
    let separated = model(&with_numbers([3.0, 3.0, 5.0, 5.0]), &gaussian(0.0)).unwrap();
    assert_eq!(separated.remarks(), [Remark::ColumnLeftOut { variable: "x0".into(), why: LeftOut::NoSpread }]);
}

/// A column of large numbers makes what is added to the variance of all, whatever their unit.
#[test]
fn a_column_that_smoothing_blurs_is_remarked_on() {
    let remarks = |smoothing| model(&with_numbers([1.0, 2.0, 7.0, 8.0]), &gaussian(smoothing)).unwrap().remarks().to_vec();
    assert_eq!(remarks(1.0), [Remark::Blurred { variable: "x0".into() }]);
    assert_eq!(remarks(1e-3), []);
}

/// GaussianNB's rule, by hand: the whole column's variance is 26, so variances of 1 + 1e-9 · 26 around means 1 and 11.
#[test]
fn variances_are_smoothed_as_scikit_learn_smooths_them() {
    let table = two_bells();
    let found = scores(&model(&table, &gaussian(1e-9)).unwrap(), &table);
    let variance: f64 = 1.0 + 26e-9;
    let ln = |x: f64, mean: f64| 0.5_f64.ln() - 0.5 * (std::f64::consts::TAU * variance).ln() - (x - mean).powi(2) / (2.0 * variance);
    for (row, x) in [0.0, 2.0, 10.0, 12.0].into_iter().enumerate() {
        assert!((found[2 * row] - ln(x, 1.0)).abs() < 1e-12);
        assert!((found[2 * row + 1] - ln(x, 11.0)).abs() < 1e-12);
    }
}

#[test]
fn classes_of_one_row_or_of_missing_values_are_remarked_on() {
    let table = Table { classes: vec![0, 0, 0, 1], ..with_numbers([1.0, 2.0, 3.0, f64::NAN]) };
    let model = model(&table, &gaussian(1e-9)).unwrap();
    let words: Vec<String> = model.remarks().iter().map(Remark::to_string).collect();
    assert_eq!(words[0], "class `s1` weighs no more than one row");
    assert!(words[1].starts_with("`x0` is missing in every row of class `s1`"));
    assert!(scores(&model, &table).iter().all(|s| s.is_finite()));
}

#[test]
fn numbers_too_large_for_their_spread_are_refused_and_not_nan() {
    let error = model(&with_numbers([-1e300, 1e300, 0.0, 1e300]), &gaussian(1e-9)).unwrap_err();
    assert!(error.to_string().contains("`x0`") && error.to_string().contains("rescale"), "{error}");
    // Finite within the classes, not between them.
    assert!(model(&with_numbers([-1e200, -1e200, 1e200, 1e200]), &gaussian(1e-9)).is_err());
}

#[test]
fn a_bernoulli_model_wants_numbers_cut_in_two() {
    let prior = NaiveBayesPrior { event: EventModel::Bernoulli, ..Default::default() };
    let error = model(&two_bells(), &prior).unwrap_err();
    assert_eq!(
        error.to_string(),
        "a Bernoulli model needs attributes with states, or numbers cut in two at one point; `x0` is neither: bin it or leave it out"
    );
    let cut = |cuts: &[f64]| {
        let columns = vec![TestColumn::Numbers { values: vec![0.0, 2.0, 10.0, 12.0], cuts: Some(cuts.to_vec()) }];
        model(&Table { columns, ..two_bells() }, &prior)
    };
    assert!(cut(&[5.0]).is_ok());
    assert!(matches!(cut(&[5.0, 6.0]), Err(LearnError::NumberInBernoulli { .. })));
}

#[test]
fn a_prior_from_a_file_is_checked() {
    let with = |estimate| model(&two_bells(), &NaiveBayesPrior { estimate, ..Default::default() });
    for bad in [-1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(with(Estimate::Laplace { l: bad }), Err(LearnError::NotAPriorNumber { .. })));
        assert!(matches!(with(Estimate::MEstimate { m: bad, p: MEstimateP::Empirical }), Err(LearnError::NotAPriorNumber { .. })));
        assert!(model(&two_bells(), &gaussian(bad)).is_err());
    }
    let given = |variable: &str, states: &[(&str, f64)]| {
        let p: BTreeMap<String, f64> = states.iter().map(|(s, p)| (s.to_string(), *p)).collect();
        let estimate = Estimate::MEstimate { m: 1.0, p: MEstimateP::Given([(variable.to_string(), p)].into()) };
        model(&with_states([0, 1, 0, 1], 2, 2), &NaiveBayesPrior { estimate, ..Default::default() })
    };
    assert!(given("x0", &[("s0", 0.5), ("s1", 0.5)]).is_ok());
    assert!(matches!(given("x0", &[("s0", 0.5), ("s1", 0.6)]), Err(LearnError::NotADistribution { .. })));
    assert!(matches!(given("x0", &[("s0", 1.0)]), Err(LearnError::StatesOfP { .. })));
    assert!(matches!(given("x0", &[("s0", 0.5), ("s7", 0.5)]), Err(LearnError::StatesOfP { .. })));
    assert!(matches!(given("y", &[("s0", 0.5), ("s1", 0.5)]), Err(LearnError::UnknownVariable { .. })));
}

#[test]
fn a_statistic_of_another_schema_is_refused() {
    let fault = |schema: &Schema, statistic: &NaiveBayesStatistic| match statistic.validate(schema) {
        Err(LearnError::Unfit { fault, .. }) => fault,
        other => panic!("{other:?}"),
    };
    let states = with_states([0, 1, 0, 1], 2, 2);
    assert!(matches!(fault(&two_bells().schema(), &states.statistic()), StatisticFault::Kind { .. }));
    assert!(matches!(fault(&states.schema(), &two_bells().statistic()), StatisticFault::Kind { .. }));
    assert!(matches!(fault(&with_states([0; 4], 3, 3).schema(), &states.statistic()), StatisticFault::Shape(_)));
    assert!(matches!(fault(&Table { n_classes: 3, ..states.clone() }.schema(), &states.statistic()), StatisticFault::Shape(_)));
    for cuts in [vec![2.0, 1.0], vec![1.0, 1.0], vec![f64::NAN], vec![f64::INFINITY]] {
        let statistic = NaiveBayesStatistic::empty(&[Treatment::Binned(cuts), Treatment::Absent], 1, &[0, 2]);
        assert_eq!(fault(&two_bells().schema(), &statistic), StatisticFault::CutPoints);
    }
    let another = NaiveBayesStatistic::empty(&[Treatment::Absent, Treatment::Categorical], 0, &[2, 2]);
    assert_eq!(fault(&states.schema(), &another), StatisticFault::AnotherTarget);
    let wider = NaiveBayesStatistic::empty(&vec![Treatment::Absent; 3], 1, &[0, 2, 0]);
    assert!(matches!(wider.validate(&states.schema()), Err(LearnError::Shape(_))));
}

#[test]
fn columns_of_the_wrong_kind_or_length_are_refused_and_nothing_is_counted() {
    let table = with_states([0, 1, 0, 1], 2, 2);
    let model = model(&table, &NaiveBayesPrior::default()).unwrap();
    let target = Column::Categorical { codes: Codes::U8(&[0, 1]), n_states: 2 };
    let states = |codes, n_states| Column::Categorical { codes: Codes::U8(codes), n_states };
    let bad = [
        vec![target],
        vec![Column::Numeric(&[1.0, 2.0]), target],
        vec![states(&[0, 1, 1], 2), target],
        vec![target, Column::Numeric(&[1.0, 2.0])],
    ];
    for columns in bad {
        let chunk = Chunk { first_row: 0, n_rows: 2, columns: &columns, weights: None };
        let mut statistic = table.blank();
        assert!(matches!(statistic.observe(chunk), Err(ShapeMismatch { .. })));
        assert_eq!(statistic, table.blank());
    }
    let columns = [states(&[0, 1, 1], 2), target];
    assert!(model.ln_joint(&Chunk { first_row: 0, n_rows: 2, columns: &columns, weights: None }, &mut Vec::new()).is_err());
    let columns = [Column::Numeric(&[1.0, 2.0]), target];
    assert!(model.ln_joint(&Chunk { first_row: 0, n_rows: 2, columns: &columns, weights: None }, &mut Vec::new()).is_err());
    // More states than there are counts for would be lost in silence.
    let columns = [states(&[0, 2], 3), target];
    assert!(table.blank().observe(Chunk { first_row: 0, n_rows: 2, columns: &columns, weights: None }).is_err());
    let columns = [states(&[0, 1], 2), target];
    let no_rows = [states(&[], 2), states(&[], 2)];
    assert!(table.blank().observe(Chunk { first_row: 0, n_rows: 2, columns: &columns, weights: Some(&[1.0]) }).is_err());
    let mut out = vec![7.0];
    model.ln_joint(&Chunk { first_row: 0, n_rows: 0, columns: &no_rows, weights: None }, &mut out).unwrap();
    assert!(out.is_empty());
}

#[test]
fn statistics_of_different_recipes_do_not_merge() {
    let binned = |cuts: &[f64]| NaiveBayesStatistic::empty(&[Treatment::Binned(cuts.to_vec()), Treatment::Absent], 1, &[0, 2]);
    assert!(binned(&[1.0]).merge(&binned(&[1.0])).is_ok());
    assert!(binned(&[1.0]).merge(&binned(&[2.0])).unwrap_err().to_string().contains("cut points that agree"));
    assert!(binned(&[1.0]).merge(&binned(&[1.0, 2.0])).is_err());
    assert!(binned(&[1.0]).merge(&two_bells().blank()).is_err());
    assert_eq!(binned(&[1.0]).treatments(), [Treatment::Binned(vec![1.0]), Treatment::Absent]);
}

/// A hundred classes take the loop for many classes; a block boundary falls within the rows.
#[test]
fn many_classes_and_many_rows_are_scored_like_few() {
    let n_classes = 100;
    let n_rows = 5000;
    let names = |n: usize| States::default().with_seen((0..n).map(|i| i.to_string())).unwrap();
    let variable = |name: &str, kind, role| Variable { name: name.into(), kind, role };
    let schema = Schema::new(vec![
        variable("a", Kind::Categorical(names(7)), Role::Input),
        variable("b", Kind::Numeric, Role::Input),
        variable("y", Kind::Categorical(names(n_classes)), Role::Target),
    ])
    .unwrap();
    let a: Vec<u16> = (0..n_rows).map(|row| if row % 11 == 0 { u16::MAX } else { (row % 7) as u16 }).collect();
    let b: Vec<f64> = (0..n_rows).map(|row| if row % 13 == 0 { f64::NAN } else { (row % 97) as f64 }).collect();
    let y: Vec<u32> = (0..n_rows).map(|row| (row * 31 % n_classes) as u32).collect();
    let columns = [
        Column::Categorical { codes: Codes::U16(&a), n_states: 7 },
        Column::Numeric(&b),
        Column::Categorical { codes: Codes::U32(&y), n_states: n_classes },
    ];
    let chunk = Chunk { first_row: 0, n_rows, columns: &columns, weights: None };
    let treatments = [Treatment::Categorical, Treatment::Moments, Treatment::Absent];
    let mut statistic = NaiveBayesStatistic::empty(&treatments, 2, &schema.cardinalities());
    statistic.observe(chunk).unwrap();
    let model = NaiveBayes::new(&schema, &statistic, &NaiveBayesPrior::default()).unwrap();
    let mut scores = Vec::new();
    model.ln_joint(&chunk, &mut scores).unwrap();
    for row in (0..n_rows).step_by(17) {
        let said = model.contributions(&chunk, row).unwrap();
        for class in 0..n_classes {
            let expected = model.ln_class_prior()[class] + said.iter().flatten().map(|ln| ln[class]).sum::<f64>();
            assert!((scores[row * n_classes + class] - expected).abs() < 1e-12 * expected.abs());
        }
    }
}
