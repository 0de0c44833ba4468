//! Leave-one-out in one pass, against relearning without each row.
//!
//! Where leave-one-out is exact "given" something made of all rows, the twin here is given the same: the cut points, or the scale of
//! the columns.

use std::path::Path;

use tunbridge::belief::conjugate::StudentT;
use tunbridge::data::{ColumnType, Table};
use tunbridge::evaluate::Metrics;
use tunbridge::learners::{AttributeStatistic, Discretisation, LeaveOneOut, NumericModel};
use tunbridge::{EvaluationPlan, LearnOptions, NaiveBayesModel};

use crate::support::{Folder, Rows, assert_close, gathered, learn, ln_joint, options, repository, tallied, with_types};

/// States and numbers, gaps in both, and a shade that a single row has.
const MIXED: &str = "\
colour,size,height,shade,y
blue,1.2,134,light,a
?,6.6,153,light,b
red,8.7,170,dark,c
red,2.2,145,light,a
?,7.1,159,light,b
green,8.8,183,light,c
blue,3.2,148,?,a
blue,3.9,172,striped,b
green,,161,light,c
blue,2.8,149,dark,a
blue,7.8,150,dark,b
?,8.6,172,dark,c
red,1.8,150,dark,a
blue,6.3,164,dark,b
green,7.9,165,dark,c
red,1.5,149,light,a
?,4.0,149,dark,b
green,7.7,163,light,c
red,2.2,160,light,a
green,,169,light,b
?,9.7,182,light,c
red,1.6,143,dark,a
blue,,163,dark,b
red,,156,dark,c
red,,152,light,a
green,3.9,150,dark,b
green,6.0,165,dark,c
";

const ESTIMATES: [&str; 6] = ["laplace", "laplace:0.1", "ml", "m:2", "m:3:empirical", "dirichlet:2"];

fn mixed_options() -> LearnOptions {
    with_types(options("y"), &[("size", ColumnType::Numeric), ("height", ColumnType::Numeric)])
}

/// ln P(class, row) of every row, each held out, in one pass.
fn held_out(model: &NaiveBayesModel, path: &Path, options: &LearnOptions) -> Vec<Vec<f64>> {
    let table = Table::open(&[path], options.read.clone()).unwrap().with_schema(model.schema().clone());
    let without = LeaveOneOut::new(model.schema(), model.statistic(), model.posterior()).unwrap();
    gathered(&table, model.classes().len(), |chunk, out| without.ln_joint(chunk, out).unwrap())
}

/// Row by row the scores of a model that is learned anew from all other rows.
fn relearned(rows: &Rows, options: &LearnOptions, classes: &[String]) -> Vec<Vec<f64>> {
    let folder = Folder::new();
    (0..rows.rows.len())
        .map(|row| {
            let others = folder.file("others.csv", rows.only(|r| r != row).csv());
            let own = folder.file("own.csv", rows.only(|r| r == row).csv());
            let model = learn(&[others], options).model;
            assert_eq!(model.classes(), classes);
            ln_joint(&model, &own).remove(0)
        })
        .collect()
}

/// One pass, row by row and in all figures, against what was found in another way.
fn assert_leave_one_out(rows: &Rows, options: &LearnOptions, weights: Option<&str>, twin: impl Fn(&NaiveBayesModel) -> Vec<Vec<f64>>) {
    let folder = Folder::new();
    let path = folder.file("all.csv", rows.csv());
    let options = LearnOptions { evaluation: EvaluationPlan::LeaveOneOut, ..options.clone() };
    let what = format!("{:?} {:?}", options.prior, options.bins);
    let learned = learn(&[&path], &options);
    let model = &learned.model;
    let (found, expected) = (held_out(model, &path, &options), twin(model));
    assert_eq!(found.len(), rows.rows.len());
    for (row, (found, expected)) in found.iter().zip(&expected).enumerate() {
        for (found, expected) in found.iter().zip(expected) {
            let same = found == expected || (found - expected).abs() <= 1e-9 * (1.0 + expected.abs());
            assert!(same, "{what}: row {row}: {found} for {expected}");
        }
    }
    let column = |name: &str| rows.columns().iter().position(|c| *c == name).unwrap();
    let target = column(options.read.target.as_deref().unwrap());
    let class_of = |row: usize| model.classes().iter().position(|c| c == rows.cells(row)[target]).unwrap();
    let truth: Vec<usize> = (0..rows.rows.len()).map(class_of).collect();
    let weights: Vec<f64> =
        (0..rows.rows.len()).map(|row| weights.map_or(1.0, |name| rows.cells(row)[column(name)].parse().unwrap())).collect();
    let (evaluation, expected) = (learned.evaluation.unwrap().metrics, tallied(&expected, &truth, &weights).metrics().unwrap());
    assert_eq!(evaluation.confusion, expected.confusion, "{what}");
    assert_eq!((evaluation.accuracy, evaluation.n_impossible), (expected.accuracy, expected.n_impossible), "{what}");
    assert_eq!(evaluation.n_probability_zero, expected.n_probability_zero, "{what}");
    assert_eq!(evaluation.log_loss.is_some(), expected.log_loss.is_some(), "{what}");
    let possible = |m: &Metrics| m.log_loss_of_possible.unwrap();
    assert_close(possible(&evaluation), possible(&expected), 1e-9);
    assert_close(evaluation.brier, expected.brier, 1e-9);
    assert_close(evaluation.calibration_error.unwrap(), expected.calibration_error.unwrap(), 1e-9);
}

#[test]
fn play_tennis_with_every_estimate() {
    let rows = Rows::read(&repository("examples/play_tennis.csv"));
    for estimate in ESTIMATES {
        for class_prior in ["empirical", "laplace", "uniform"] {
            let mut options = options("PlayTennis");
            options.prior.estimate = estimate.parse().unwrap();
            options.prior.class = class_prior.parse().unwrap();
            assert_leave_one_out(&rows, &options, None, |model| relearned(&rows, &options, model.classes()));
        }
    }
}

/// No smoothing of variances, so that nothing is made of the whole columns.
#[test]
fn states_numbers_and_gaps_with_every_estimate() {
    let rows = Rows::parse(MIXED);
    for estimate in ESTIMATES {
        let mut options = mixed_options();
        options.prior.estimate = estimate.parse().unwrap();
        options.prior.numeric = NumericModel::Gaussian { variance_smoothing: 0.0 };
        assert_leave_one_out(&rows, &options, None, |model| relearned(&rows, &options, model.classes()));
    }
}

#[test]
fn rows_that_count_more_or_less_than_once() {
    let mut rows = Rows::parse(MIXED);
    rows.header.push_str(",often");
    for (row, weight) in rows.rows.iter_mut().zip(["1", "2", "0.5", "3.25"].iter().cycle()) {
        row.push_str(&format!(",{weight}"));
    }
    for estimate in ESTIMATES {
        let mut options = mixed_options();
        options.read.weight = Some("often".into());
        options.prior.estimate = estimate.parse().unwrap();
        options.prior.numeric = NumericModel::Gaussian { variance_smoothing: 0.0 };
        assert_leave_one_out(&rows, &options, Some("often"), |model| relearned(&rows, &options, model.classes()));
    }
}

/// Cut points stay as all rows made them, so the twin learns from a table of bins.
#[test]
fn bins_given_their_cut_points() {
    let rows = Rows::parse(MIXED);
    let ways = [Discretisation::EqualWidth { bins: 3 }, Discretisation::EqualFrequency { bins: 4 }, Discretisation::FayyadIrani];
    for (bins, estimate) in ways.into_iter().flat_map(|bins| ESTIMATES.map(|estimate| (bins, estimate))) {
        let mut options = mixed_options();
        options.bins = Some(bins);
        options.prior.estimate = estimate.parse().unwrap();
        assert_leave_one_out(&rows, &options, None, |model| {
            let folder = Folder::new();
            let (binned, sidecar) = as_bins(&rows, model);
            let mut options = crate::support::options("y");
            options.prior.estimate = estimate.parse().unwrap();
            options.read.schema = Some(folder.file("bins.schema.toml", sidecar));
            relearned(&binned, &options, model.classes())
        });
    }
}

/// The table with the number of the bin in place of every number, and a schema file that declares the bins.
fn as_bins(rows: &Rows, model: &NaiveBayesModel) -> (Rows, String) {
    let mut binned = rows.clone();
    let mut sidecar = String::new();
    for (place, attribute) in model.statistic().attributes().iter().enumerate() {
        let AttributeStatistic::Binned { cuts, .. } = attribute else { continue };
        let states: Vec<String> = (0..=cuts.len()).map(|bin| bin.to_string()).collect();
        sidecar += &format!("[columns.{}]\nstates = {states:?}\n", rows.columns()[place]);
        for row in &mut binned.rows {
            let mut cells: Vec<String> = row.split(',').map(str::to_string).collect();
            if let Ok(x) = cells[place].parse::<f64>() {
                cells[place] = cuts.iter().filter(|cut| **cut < x).count().to_string();
            }
            *row = cells.join(",");
        }
    }
    (binned, sidecar)
}

#[test]
fn students_t_and_smoothed_gaussians_given_the_scale() {
    let rows = Rows::parse(MIXED);
    for numeric in [NumericModel::Student, NumericModel::Gaussian { variance_smoothing: 1e-3 }, NumericModel::default()] {
        let mut options = mixed_options();
        options.prior.numeric = numeric.clone();
        assert_leave_one_out(&rows, &options, None, |model| {
            (0..rows.rows.len()).map(|row| by_definition(&rows, row, &numeric, model.classes())).collect()
        });
    }
}

/// Laplace 1 and the numeric model, in plain loops over the other rows; the scale is that of all rows.
fn by_definition(rows: &Rows, row: usize, numeric: &NumericModel, classes: &[String]) -> Vec<f64> {
    let table: Vec<Vec<&str>> = (0..rows.rows.len()).map(|r| rows.cells(r)).collect();
    let others = || table.iter().enumerate().filter(|(r, _)| *r != row).map(|(_, cells)| cells);
    let is_missing = |cell: &str| cell.is_empty() || cell == "?";
    let numbers = |column: usize, class: Option<&str>, of: &[&Vec<&str>]| -> Vec<f64> {
        let wanted = of.iter().filter(|cells| class.is_none_or(|class| cells[4] == class) && !is_missing(cells[column]));
        wanted.map(|cells| cells[column].parse().unwrap()).collect()
    };
    let (all, others): (Vec<&Vec<&str>>, Vec<&Vec<&str>>) = (table.iter().collect(), others().collect());
    let largest_variance = [1, 2].map(|column| mean_and_variance(&numbers(column, None, &all)).1).into_iter().fold(0.0, f64::max);
    let of_class = |class: &str| {
        let n_class = others.iter().filter(|cells| cells[4] == class).count() as f64;
        let mut ln = (n_class / others.len() as f64).ln();
        for (column, cell) in table[row][..4].iter().enumerate().filter(|(_, cell)| !is_missing(cell)) {
            if column == 1 || column == 2 {
                let x: f64 = cell.parse().unwrap();
                let seen = numbers(column, Some(class), &others);
                ln += match numeric {
                    NumericModel::Gaussian { variance_smoothing } => {
                        let (mean, variance) = mean_and_variance(&seen);
                        let variance = variance + variance_smoothing * largest_variance;
                        -0.5 * (std::f64::consts::TAU * variance).ln() - (x - mean).powi(2) / (2.0 * variance)
                    }
                    // Murphy 2007, section 3, with κ₀ = α₀ = 1 and the whole column's mean and variance for μ₀ and β₀.
                    NumericModel::Student => {
                        let (mean_0, rate_0) = mean_and_variance(&numbers(column, None, &all));
                        let (mean, variance) = mean_and_variance(&seen);
                        let n = seen.len() as f64;
                        let (kappa, shape) = (1.0 + n, 1.0 + n / 2.0);
                        let rate = rate_0 + n * variance / 2.0 + n * (mean - mean_0).powi(2) / (2.0 * kappa);
                        let location = (mean_0 + n * mean) / kappa;
                        StudentT { degrees: 2.0 * shape, location, scale: (rate * (kappa + 1.0) / (shape * kappa)).sqrt() }.ln_pdf(x)
                    }
                };
                continue;
            }
            let mut states: Vec<&str> = others.iter().map(|cells| cells[column]).filter(|cell| !is_missing(cell)).collect();
            states.sort_unstable();
            states.dedup();
            if states.contains(cell) {
                let with = |wanted: &dyn Fn(&str) -> bool| others.iter().filter(|c| c[4] == class && wanted(c[column])).count() as f64;
                ln += ((with(&|c| c == *cell) + 1.0) / (with(&|c| !is_missing(c)) + states.len() as f64)).ln();
            }
        }
        ln
    };
    classes.iter().map(|class| of_class(class)).collect()
}

fn mean_and_variance(numbers: &[f64]) -> (f64, f64) {
    let n = numbers.len() as f64;
    let mean = numbers.iter().sum::<f64>() / n;
    (mean, numbers.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / n)
}
