//! Small random tables with every kind of column, and the priors to learn them with.

use belief::{Chunk, Codes, Column, Kind, Role, Schema, States, SufficientStatistic, Variable};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use crate::{ClassPrior, Estimate, EventModel, MEstimateP, NaiveBayesPrior, NaiveBayesStatistic, NumericModel, Treatment};

/// A table in memory; its last variable is the target.
#[derive(Clone, Debug)]
pub struct Table {
    pub columns: Vec<TestColumn>,
    pub classes: Vec<u8>,
    pub n_classes: usize,
    pub n_declared_classes: usize,
    pub weights: Option<Vec<f64>>,
}

#[derive(Clone, Debug)]
pub enum TestColumn {
    States { codes: Vec<u8>, n_states: usize, n_declared: usize },
    Numbers { values: Vec<f64>, cuts: Option<Vec<f64>> },
}

impl Table {
    pub fn n_rows(&self) -> usize {
        self.classes.len()
    }

    pub fn weight(&self, row: usize) -> f64 {
        self.weights.as_ref().map_or(1.0, |w| w[row])
    }

    pub fn class(&self, row: usize) -> Option<usize> {
        (self.classes[row] != u8::MAX).then(|| self.classes[row] as usize)
    }

    pub fn n_classes_with_rows(&self) -> usize {
        let has_rows = |class: &usize| (0..self.n_rows()).any(|row| self.class(row) == Some(*class) && self.weight(row) > 0.0);
        (0..self.n_classes).filter(has_rows).count()
    }

    pub fn schema(&self) -> Schema {
        let states = |n_declared: usize, n_states: usize| {
            let names = |from: usize, to: usize| (from..to).map(|s| format!("s{s}")).collect::<Vec<_>>();
            Kind::Categorical(States::declared(names(0, n_declared), false).unwrap().with_seen(names(n_declared, n_states)).unwrap())
        };
        let variable = |(place, column): (usize, &TestColumn)| Variable {
            name: format!("x{place}"),
            kind: match column {
                TestColumn::States { n_states, n_declared, .. } => states(*n_declared, *n_states),
                TestColumn::Numbers { .. } => Kind::Numeric,
            },
            role: Role::Input,
        };
        let mut variables: Vec<Variable> = self.columns.iter().enumerate().map(variable).collect();
        variables.push(Variable { name: "y".into(), kind: states(self.n_declared_classes, self.n_classes), role: Role::Target });
        Schema::new(variables).unwrap()
    }

    pub fn treatments(&self) -> Vec<Treatment> {
        let of_column = |column: &TestColumn| match column {
            TestColumn::States { .. } => Treatment::Categorical,
            TestColumn::Numbers { cuts: None, .. } => Treatment::Moments,
            TestColumn::Numbers { cuts: Some(cuts), .. } => Treatment::Binned(cuts.clone()),
        };
        self.columns.iter().map(of_column).chain([Treatment::Absent]).collect()
    }

    /// Runs `f` with some of the rows, weighted by `weights` if they are given and as the table is if not.
    pub fn with_rows<R>(&self, rows: std::ops::Range<usize>, weights: Option<&[f64]>, f: impl FnOnce(&Chunk<'_>) -> R) -> R {
        fn of_column(column: &TestColumn, rows: std::ops::Range<usize>) -> Column<'_> {
            match column {
                TestColumn::States { codes, n_states, .. } => Column::Categorical { codes: Codes::U8(&codes[rows]), n_states: *n_states },
                TestColumn::Numbers { values, .. } => Column::Numeric(&values[rows]),
            }
        }
        let mut columns: Vec<Column<'_>> = self.columns.iter().map(|column| of_column(column, rows.clone())).collect();
        columns.push(Column::Categorical { codes: Codes::U8(&self.classes[rows.clone()]), n_states: self.n_classes });
        let weights = weights.or(self.weights.as_deref()).map(|w| &w[rows.clone()]);
        f(&Chunk { first_row: rows.start as u64, n_rows: rows.len(), columns: &columns, weights })
    }

    pub fn blank(&self) -> NaiveBayesStatistic {
        NaiveBayesStatistic::empty(&self.treatments(), self.columns.len(), &self.schema().cardinalities())
    }

    /// The statistic of some rows.
    pub fn statistic_of(&self, rows: std::ops::Range<usize>) -> NaiveBayesStatistic {
        let mut statistic = self.blank();
        self.with_rows(rows, None, |chunk| statistic.observe(*chunk)).unwrap();
        statistic
    }

    pub fn statistic(&self) -> NaiveBayesStatistic {
        self.statistic_of(0..self.n_rows())
    }

    /// The statistic of all rows but one.
    pub fn statistic_without(&self, row: usize) -> NaiveBayesStatistic {
        let mut weights: Vec<f64> = (0..self.n_rows()).map(|row| self.weight(row)).collect();
        weights[row] = 0.0;
        let mut statistic = self.blank();
        self.with_rows(0..self.n_rows(), Some(&weights), |chunk| statistic.observe(*chunk)).unwrap();
        statistic
    }
}

/// Tables of two categorical columns, one numeric one by its moments and one binned; in a Bernoulli table both are cut in two.
pub fn tables(event: EventModel) -> impl Strategy<Value = Table> {
    (2..24_usize, 2..4_usize, any::<bool>()).prop_flat_map(move |(n_rows, n_classes, declared)| {
        let classes = vec(prop_oneof![12 => 0..n_classes as u8, 1 => Just(u8::MAX)], n_rows);
        // Not any reals: of two that are a hair apart, a downdate cannot know the distance to nine digits, nor need it.
        let sixty_fourths = (-192..192_i32).prop_map(|x| f64::from(x) / 64.0);
        let number = prop_oneof![8 => (-3..4_i32).prop_map(f64::from), 2 => sixty_fourths, 1 => Just(f64::NAN)];
        let cuts = |cuts: &[f64]| Some(if event == EventModel::Bernoulli { std::vec![0.5] } else { cuts.to_vec() });
        let of_moments = if event == EventModel::Bernoulli { cuts(&[]) } else { None };
        let of_bins = cuts(&[-1.0, 0.0, 1.5]);
        let weights = proptest::option::of(vec(select(&[1.0, 1.0, 1.0, 0.0, 0.5, 2.0, 0.3][..]), n_rows));
        let numbers = (vec(number.clone(), n_rows), vec(number, n_rows));
        (states(n_rows, 2), states(n_rows, 4), numbers, classes, weights).prop_map(move |(a, b, (c, d), classes, weights)| Table {
            columns: std::vec![
                a,
                TestColumn::Numbers { values: c, cuts: of_moments.clone() },
                b,
                TestColumn::Numbers { values: d, cuts: of_bins.clone() },
            ],
            classes,
            n_classes,
            n_declared_classes: if declared { n_classes } else { 0 },
            weights,
        })
    })
}

fn states(n_rows: usize, n_states: usize) -> impl Strategy<Value = TestColumn> {
    let code = prop_oneof![8 => 0..n_states as u8, 1 => Just(u8::MAX)];
    (vec(code, n_rows), 0..=n_states).prop_map(move |(codes, n_declared)| TestColumn::States { codes, n_states, n_declared })
}

/// Every kind of prior, with tables it can be used on.
pub fn tables_and_priors() -> impl Strategy<Value = (Table, NaiveBayesPrior)> {
    let event = prop_oneof![3 => Just(EventModel::Categorical), 1 => Just(EventModel::Bernoulli), 1 => Just(EventModel::NearestCentroid)];
    let given = |p: &[f64]| p.iter().enumerate().map(|(s, p)| (format!("s{s}"), *p)).collect();
    let given = MEstimateP::Given([("x2".to_string(), given(&[0.1, 0.2, 0.3, 0.4]))].into());
    let estimate = select(std::vec![
        Estimate::MaximumLikelihood,
        Estimate::Laplace { l: 1.0 },
        Estimate::Laplace { l: 0.25 },
        Estimate::Dirichlet { alpha: 1.0 },
        Estimate::MEstimate { m: 2.0, p: MEstimateP::Uniform },
        Estimate::MEstimate { m: 2.0, p: MEstimateP::Empirical },
        Estimate::MEstimate { m: 3.0, p: given },
    ]);
    let class = select(std::vec![
        ClassPrior::Empirical,
        ClassPrior::Laplace { l: 1.0 },
        ClassPrior::Dirichlet { alpha: 0.5 },
        ClassPrior::Uniform,
        ClassPrior::Given(std::collections::BTreeMap::new()),
    ]);
    let numeric = select(std::vec![
        NumericModel::default(),
        NumericModel::Gaussian { variance_smoothing: 0.0 },
        NumericModel::Gaussian { variance_smoothing: 0.1 },
        NumericModel::Student,
    ]);
    (event, estimate, class, numeric).prop_flat_map(|(event, estimate, class, numeric)| {
        tables(event).prop_map(move |table| {
            let p = |class: usize| (format!("s{class}"), (class + 1) as f64 / (table.n_classes * (table.n_classes + 1) / 2) as f64);
            let class = match &class {
                ClassPrior::Given(_) => ClassPrior::Given((0..table.n_classes).map(p).collect()),
                other => other.clone(),
            };
            (table, NaiveBayesPrior { class, estimate: estimate.clone(), numeric: numeric.clone(), event, ..NaiveBayesPrior::default() })
        })
    })
}

/// Equal to 1e-9 of their size: the two are got by different roads.
pub fn close(a: f64, b: f64) -> bool {
    a == b || (a - b).abs() <= 1e-9 * (1.0 + b.abs())
}
