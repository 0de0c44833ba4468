//! Calibrators as a whole: what they promise for any grid, and what they do for models of known faults.

use proptest::prelude::*;

use super::score_grid::LOG_ODDS_LIMIT;
use super::*;

const METHODS: [Method; 2] = [Method::Isotonic, Method::Sigmoid];

fn logistic(z: f64) -> f64 {
    1.0 / (1.0 + (-z).exp())
}

fn two_classes(log_odds: f64) -> [f64; 2] {
    let (ln_first, ln_second) = ln_logistic(log_odds);
    [ln_first, ln_second]
}

/// A thousand rows at each of 161 scores, of which the second class is true in the share that `truth` says.
fn grid_where(truth: impl Fn(f64) -> f64) -> ScoreGrid {
    let mut grid = ScoreGrid::new(2);
    for idx in -80..=80 {
        let score = f64::from(idx) / 16.0;
        let share = truth(score);
        grid.observe(1, &two_classes(score), 1000.0 * share).unwrap();
        grid.observe(0, &two_classes(score), 1000.0 * (1.0 - share)).unwrap();
    }
    grid
}

#[test]
fn the_least_probability_is_that_of_the_limit() {
    assert!((logistic(-LOG_ODDS_LIMIT) / MIN_PROBABILITY - 1.0).abs() < 1e-14);
}

#[test]
fn what_is_calibrated_already_changes_little() {
    let grid = grid_where(logistic);
    for (method, tolerance) in [(Method::Isotonic, 1e-4), (Method::Sigmoid, 1e-4)] {
        let calibrator = Calibrator::fit(method, &grid).unwrap();
        for idx in -100..=100 {
            let score = f64::from(idx) / 20.0;
            let mut ln_p = two_classes(score);
            calibrator.calibrate(&mut ln_p).unwrap();
            let found = ln_p[1].exp();
            assert!((found - logistic(score)).abs() < tolerance, "{method:?} makes {found} of {}", logistic(score));
        }
    }
}

/// Log-odds three times too large, as of a model that counted every piece of evidence three times, and shifted.
#[test]
fn overconfidence_is_undone() {
    let grid = grid_where(|score| logistic(score / 3.0 + 0.5));
    for method in METHODS {
        let calibrator = Calibrator::fit(method, &grid).unwrap();
        let mut ln_p = two_classes(3.0);
        calibrator.calibrate(&mut ln_p).unwrap();
        assert!((ln_p[1].exp() - logistic(1.5)).abs() < 1e-3, "{method:?}");
    }
    let calibrator = Calibrator::fit(Method::Sigmoid, &grid).unwrap();
    let [ClassMap::Sigmoid(map)] = calibrator.maps() else { panic!("two classes have one map") };
    assert!((map.slope() - 1.0 / 3.0).abs() < 1e-3);
    assert!((map.intercept() - 0.5).abs() < 1e-3);
}

#[test]
fn perfect_separation_stays_finite() {
    let mut grid = ScoreGrid::new(3);
    for truth in 0..3 {
        let mut ln_p = [f64::NEG_INFINITY; 3];
        ln_p[truth] = 0.0;
        grid.observe(truth, &ln_p, 1e9).unwrap();
    }
    for method in METHODS {
        let calibrator = Calibrator::fit(method, &grid).unwrap();
        calibrator.validate().unwrap();
        let mut ln_p = [f64::NEG_INFINITY, 0.0, f64::NEG_INFINITY];
        calibrator.calibrate(&mut ln_p).unwrap();
        assert!(ln_p.iter().all(|ln| ln.is_finite() && *ln < 0.0));
        assert!(ln_p[1].exp() < 1.0 && ln_p[1].exp() > 1.0 - 1e-8);
        assert!(ln_p[0].exp() > 0.0 && ln_p[0] == ln_p[2]);
    }
}

/// The third class was never true in a hundred rows, and has 1/102 before the renormalisation: to leave it the 0.1 that the model
/// gave it would be to believe the model where the rows contradict it.
#[test]
fn a_class_that_was_never_true_is_improbable() {
    let mut grid = ScoreGrid::new(3);
    let ln_p = [0.6_f64.ln(), 0.3_f64.ln(), 0.1_f64.ln()];
    grid.observe(0, &ln_p, 50.0).unwrap();
    grid.observe(1, &ln_p, 50.0).unwrap();
    for (method, tolerance) in [(Method::Isotonic, 1e-12), (Method::Sigmoid, 1e-9)] {
        let calibrator = Calibrator::fit(method, &grid).unwrap();
        let mut calibrated = ln_p;
        calibrator.calibrate(&mut calibrated).unwrap();
        let never = 1.0 / 102.0;
        for (ln, expected) in calibrated.iter().zip([0.5, 0.5, never]) {
            assert!((ln.exp() - expected / (1.0 + never)).abs() < tolerance, "{method:?}: {}", ln.exp());
        }
    }
}

#[test]
fn what_was_always_true_is_not_certain() {
    let mut grid = ScoreGrid::new(2);
    grid.observe(1, &two_classes(0.0), 1.0).unwrap();
    for method in METHODS {
        let calibrator = Calibrator::fit(method, &grid).unwrap();
        let mut ln_p = [f64::NEG_INFINITY, 0.0];
        calibrator.calibrate(&mut ln_p).unwrap();
        assert!((ln_p[1].exp() - 2.0 / 3.0).abs() < 1e-12, "{method:?}");
    }
}

#[test]
fn infinite_log_odds_meet_a_level_map() {
    let mut grid = ScoreGrid::new(2);
    grid.observe(0, &[f64::NEG_INFINITY, 0.0], 3.0).unwrap();
    grid.observe(1, &[0.0, f64::NEG_INFINITY], 1.0).unwrap();
    for method in METHODS {
        let calibrator = Calibrator::fit(method, &grid).unwrap();
        let mut ln_p = [0.0, f64::NEG_INFINITY];
        calibrator.calibrate(&mut ln_p).unwrap();
        assert!((0.2..0.4).contains(&ln_p[1].exp()), "{method:?}");
    }
}

#[test]
fn a_single_class_stays_certain() {
    let mut grid = ScoreGrid::new(1);
    grid.observe(0, &[0.0], 3.0).unwrap();
    let calibrator = Calibrator::fit(Method::Isotonic, &grid).unwrap();
    calibrator.validate().unwrap();
    let mut ln_p = [0.0];
    calibrator.calibrate(&mut ln_p).unwrap();
    assert_eq!(ln_p, [0.0]);
}

#[test]
fn mistakes_are_told() {
    let nothing = Calibrator::fit(Method::Sigmoid, &ScoreGrid::new(2));
    assert_eq!(nothing.unwrap_err(), EvaluateError::NothingObserved);
    let nothing = Calibrator::fit(Method::Sigmoid, &ScoreGrid::new(0));
    assert_eq!(nothing.unwrap_err(), EvaluateError::NothingObserved);

    let calibrator = Calibrator::fit(Method::Sigmoid, &grid_where(logistic)).unwrap();
    let mut impossible = [f64::NEG_INFINITY; 2];
    assert!(calibrator.calibrate(&mut impossible).is_err());
    assert_eq!(impossible, [f64::NEG_INFINITY; 2]);
    assert!(calibrator.calibrate(&mut [0.0]).is_err());
    assert!(calibrator.calibrate(&mut [0.0, f64::NAN]).is_err());
}

#[test]
fn a_damaged_calibrator_is_refused() {
    let read = |n_classes, maps| Calibrator::try_from(UncheckedCalibrator { method: Method::Isotonic, n_classes, maps });
    let level = ClassMap::Isotonic(IsotonicMap::fit([(0.0, [1.0, 1.0])].into_iter()).unwrap());
    assert!(read(2, vec![level.clone()]).is_ok());
    assert!(read(2, vec![level.clone(); 2]).is_err());
    assert!(read(3, vec![level; 2]).is_err());
    assert!(read(0, vec![]).is_err());
    assert!(read(usize::MAX, vec![]).is_err());
    let sigmoid = SigmoidMap::fit(&[(0.0, [1.0, 1.0])]);
    assert!(read(2, vec![ClassMap::Sigmoid(sigmoid)]).is_err());
}

/// Rows of (truth, log-probabilities before normalisation, weight).
fn rows(n_classes: usize) -> impl Strategy<Value = Vec<(usize, Vec<f64>, f64)>> {
    let scores = prop::collection::vec(-60.0..60.0_f64, n_classes);
    prop::collection::vec((0..n_classes, scores, 0.1..100.0_f64), 1..30)
}

proptest! {
    #[test]
    fn calibrated_probabilities_are_a_distribution_without_certainty(
        rows in (1..5_usize).prop_flat_map(|n| rows(n + 1)),
        use_isotonic: bool,
    ) {
        let n_classes = rows[0].1.len();
        let mut grid = ScoreGrid::new(n_classes);
        let normalised: Vec<Vec<f64>> = rows
            .iter()
            .map(|(_, scores, _)| {
                let mut ln_p = scores.clone();
                normalise_ln(&mut ln_p);
                ln_p
            })
            .collect();
        for ((truth, _, weight), ln_p) in rows.iter().zip(&normalised) {
            grid.observe(*truth, ln_p, *weight).unwrap();
        }
        let method = METHODS[usize::from(use_isotonic)];
        let calibrator = Calibrator::fit(method, &grid).unwrap();
        prop_assert_eq!(calibrator.validate(), Ok(()));
        for mut ln_p in normalised {
            calibrator.calibrate(&mut ln_p).unwrap();
            let p: Vec<f64> = ln_p.iter().map(|ln| ln.exp()).collect();
            prop_assert!(p.iter().all(|&p| 0.0 < p && p < 1.0), "{p:?}");
            prop_assert!((p.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        }
    }

    #[test]
    fn of_two_classes_a_higher_score_is_never_less_probable(
        rows in rows(2), a in -40.0..40.0_f64, b in -40.0..40.0_f64, use_isotonic: bool,
    ) {
        let mut grid = ScoreGrid::new(2);
        for (truth, mut ln_p, weight) in rows {
            normalise_ln(&mut ln_p);
            grid.observe(truth, &ln_p, weight).unwrap();
        }
        let calibrator = Calibrator::fit(METHODS[usize::from(use_isotonic)], &grid).unwrap();
        let [low, high] = [a.min(b), a.max(b)].map(|score| {
            let mut ln_p = two_classes(score);
            calibrator.calibrate(&mut ln_p).unwrap();
            ln_p[1]
        });
        prop_assert!(low <= high);
    }
}
