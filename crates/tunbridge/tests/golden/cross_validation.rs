//! Folds, against relearning from a file of the other folds' rows.

use tunbridge::belief::FoldPlan;
use tunbridge::data::ColumnType;
use tunbridge::evaluate::{Metrics, Tally};
use tunbridge::learners::{Discretisation, EventModel, NumericModel};
use tunbridge::{EvaluationPlan, LearnOptions};

use crate::support::{Folder, Rows, assert_close, learn, ln_joint, options, repository, tallied, testdata, with_types};

/// Each fold judged by a model that never had its rows in a file; the target is the last column.
fn relearned(rows: &Rows, options: &LearnOptions, n_folds: usize, classes: &[String]) -> Metrics {
    let plan = FoldPlan::new(n_folds, options.seed).unwrap();
    let folder = Folder::new();
    let mut tally = Tally::new(classes.len());
    for fold in 0..n_folds {
        let own = rows.only(|row| plan.fold_of(row as u64) == fold);
        let others = folder.file("others.csv", rows.only(|row| plan.fold_of(row as u64) != fold).csv());
        let model = learn(&[others], options).model;
        let scores = ln_joint(&model, &folder.file("own.csv", own.csv()));
        // A class that only this fold has is impossible to the others.
        let place_of = |class: &String| model.classes().iter().position(|c| c == class);
        let scores: Vec<Vec<f64>> = scores
            .iter()
            .map(|ln| classes.iter().map(|class| place_of(class).map_or(f64::NEG_INFINITY, |place| ln[place])).collect())
            .collect();
        let class_of = |row: usize| classes.iter().position(|c| Some(&c.as_str()) == own.cells(row).last()).unwrap();
        let truth: Vec<usize> = (0..own.rows.len()).map(class_of).collect();
        tally.merge(&tallied(&scores, &truth, &vec![1.0; truth.len()])).unwrap();
    }
    tally.metrics().unwrap()
}

#[track_caller]
fn assert_folds(rows: &Rows, options: &LearnOptions, n_folds: usize) {
    let folder = Folder::new();
    let options = LearnOptions { evaluation: EvaluationPlan::Folds(n_folds), ..options.clone() };
    let learned = learn(&[folder.file("all.csv", rows.csv())], &options);
    let found = learned.evaluation.unwrap().metrics;
    let none = LearnOptions { evaluation: EvaluationPlan::None, ..options.clone() };
    let expected = relearned(rows, &none, n_folds, learned.model.classes());
    assert_eq!(found.confusion, expected.confusion);
    assert_eq!((found.rows, found.n_impossible), (expected.rows, expected.n_impossible));
    assert_eq!(found.n_probability_zero, expected.n_probability_zero);
    let possible = |m: &Metrics| m.log_loss_of_possible.unwrap();
    assert_close(possible(&found), possible(&expected), 1e-9 * possible(&expected));
    assert_close(found.brier, expected.brier, 1e-9);
    assert_close(found.calibration_error.unwrap(), expected.calibration_error.unwrap(), 1e-9);
}

#[test]
fn states_in_folds() {
    let rows = Rows::read(&repository("examples/play_tennis.csv"));
    for estimate in ["laplace", "ml", "m:2:empirical"] {
        for (n_folds, seed) in [(2, 1), (7, 1), (7, 2), (14, 1)] {
            let mut options = LearnOptions { seed, ..options("PlayTennis") };
            options.prior.estimate = estimate.parse().unwrap();
            assert_folds(&rows, &options, n_folds);
        }
    }
    let mushrooms = Rows::read(&testdata("mushroom/mushroom.csv.gz")).only(|row| row % 5 == 0);
    assert_folds(&mushrooms, &options("class"), 5);
}

#[test]
fn numbers_in_folds() {
    let rows = Rows::read(&testdata("iris/iris_train.csv"));
    for numeric in [NumericModel::default(), NumericModel::Gaussian { variance_smoothing: 0.0 }, NumericModel::Student] {
        let mut options = options("species");
        options.prior.numeric = numeric;
        assert_folds(&rows, &options, 10);
    }
    let mut options = options("species");
    options.prior.event = EventModel::NearestCentroid;
    assert_folds(&rows, &options, 10);
}

/// Cut points are made anew without the fold: nothing of its labels leaks.
#[test]
fn bins_in_folds() {
    let rows = Rows::read(&testdata("iris/iris_train.csv"));
    for bins in [Discretisation::EqualWidth { bins: 4 }, Discretisation::EqualFrequency { bins: 5 }, Discretisation::FayyadIrani] {
        assert_folds(&rows, &LearnOptions { bins: Some(bins), ..options("species") }, 5);
    }
}

/// Moments of the other folds are not the total's less the fold's: of a class whose spread is all in one row, nothing would be left
/// but rounding, and a years' column would lose half its digits.
#[test]
fn a_fold_that_has_all_the_spread_leaves_none_behind() {
    let numbers = [("huge", ColumnType::Numeric), ("year", ColumnType::Numeric), ("plain", ColumnType::Numeric)];
    // Smoothed variances are so small here that of the farther row the last digit of one decides by how much its squares differ from class to class.
    let (far, near) = ("98765432.1", "98765.4321");
    let models = [
        (NumericModel::Gaussian { variance_smoothing: 0.0 }, far),
        (NumericModel::Student, far),
        (NumericModel::Gaussian { variance_smoothing: 0.0 }, near),
        (NumericModel::default(), near),
        (NumericModel::Student, near),
    ];
    for (numeric, away) in models {
        let mut rows = Rows { header: "huge,year,plain,y".into(), rows: Vec::new() };
        for row in 0..60 {
            let class = ["a", "b", "c"][row % 3];
            let huge = match row {
                30 => away,
                _ => ["0.1", "0.2", "0.3"][row % 3],
            };
            let year = 2000.0 + (row * row % 7) as f64 / 10.0 + (row % 3) as f64 / 20.0;
            rows.rows.push(format!("{huge},{year},{},{class}", (row * 37 % 11) as f64 / 10.0));
        }
        let mut options = with_types(options("y"), &numbers);
        options.prior.numeric = numeric;
        assert_folds(&rows, &options, 10);
    }
}

/// Four days, one of which is of its class alone: judged by the others, which know of one class only, it is a mistake.
#[test]
fn a_fold_without_which_one_class_is_left_is_judged() {
    let text = "sky,water,sport\nsunny,warm,yes\nsunny,warm,yes\nrainy,warm,no\nsunny,cool,yes\n";
    let folder = Folder::new();
    let path = folder.file("days.csv", text);
    for (plan, n) in [(EvaluationPlan::Folds(4), 4.0), (EvaluationPlan::Folds(2), 4.0), (EvaluationPlan::LeaveOneOut, 4.0)] {
        let found = learn(&[&path], &LearnOptions { evaluation: plan, ..options("sport") }).evaluation.unwrap();
        assert_eq!((found.metrics.rows, found.metrics.accuracy), (n, 0.75), "{plan:?}: {}", found.how);
        assert_eq!(found.metrics.log_loss, None, "{plan:?}");
        assert_eq!(found.metrics.n_probability_zero, 1.0, "{plan:?}");
    }
}
