//! The tally and its metrics: worked examples by hand, and the laws of a statistic.

use proptest::prelude::*;

use super::*;
use crate::metrics::CostMetrics;

/// Sums of a few dozen terms of size one: a few units in the last place each.
const TOLERANCE: f64 = 1e-12;

#[track_caller]
fn assert_close(found: f64, expected: f64) {
    assert!((found - expected).abs() <= TOLERANCE, "{found} is not {expected}");
}

fn tally_of(n_classes: usize, rows: &[(usize, Vec<f64>, f64)]) -> Tally {
    let mut tally = Tally::new(n_classes);
    for (truth, p, weight) in rows {
        tally.observe(*truth, p, *weight).unwrap();
    }
    tally
}

fn three_classes() -> Vec<(usize, Vec<f64>, f64)> {
    vec![
        (0, vec![0.7, 0.2, 0.1], 1.0),
        (0, vec![0.5, 0.3, 0.2], 1.0),
        (0, vec![0.2, 0.6, 0.2], 1.0),
        (1, vec![0.1, 0.8, 0.1], 1.0),
        (1, vec![0.4, 0.35, 0.25], 1.0),
        (2, vec![0.25, 0.25, 0.5], 1.0),
    ]
}

/// By hand: predictions 0 0 1 1 0 2 for truths 0 0 0 1 1 2.
#[test]
fn three_classes_by_hand() {
    let metrics = tally_of(3, &three_classes()).metrics().unwrap();
    assert_eq!(metrics.rows, 6.0);
    assert_eq!(metrics.confusion.rows(), [[2.0, 1.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, 1.0]]);
    assert_close(metrics.accuracy, 4.0 / 6.0);
    // Recalls 2/3, 1/2, 1.
    assert_close(metrics.balanced_accuracy, (2.0 / 3.0 + 0.5 + 1.0) / 3.0);
    // F1 of class 0: P = R = 2/3; of class 1: P = R = 1/2; of class 2: 1.
    assert_close(metrics.macro_f1, (2.0 / 3.0 + 0.5 + 1.0) / 3.0);
    assert_close(metrics.per_class[0].precision.unwrap(), 2.0 / 3.0);
    assert_close(metrics.per_class[1].recall.unwrap(), 0.5);
    assert_eq!(metrics.per_class[2].f1, Some(1.0));
    let supports = metrics.per_class.iter().map(|class| class.support);
    assert!(supports.eq([3.0, 2.0, 1.0]));
    // The product of p(truth) is 0.7 · 0.5 · 0.2 · 0.8 · 0.35 · 0.5 = 0.0098.
    assert_close(metrics.log_loss.unwrap(), -0.0098_f64.ln() / 6.0);
    assert_eq!(metrics.log_loss, metrics.log_loss_of_possible);
    // 0.14 + 0.38 + 1.04 + 0.06 + 0.645 + 0.375 = 2.64
    assert_close(metrics.brier, 2.64 / 6.0);
    // (0.3, 0.4]: 0.4 wrong. (0.4, 0.5]: 0.5 and 0.5 right. (0.5, 0.6]: 0.6 wrong. 0.7 right; 0.8 right.
    assert_close(metrics.calibration_error.unwrap(), (0.4 + 1.0 + 0.6 + 0.3 + 0.2) / 6.0);
    assert_eq!(metrics.reliability.len(), 10);
    let bin = metrics.reliability[4];
    assert_eq!((bin.lower, bin.upper, bin.weight), (0.4, 0.5, 2.0));
    assert_eq!((bin.mean_confidence, bin.accuracy), (Some(0.5), Some(1.0)));
    assert_eq!(metrics.reliability[0].mean_confidence, None);
    assert_close(metrics.baseline_accuracy, 0.5);
    // The entropy of (1/2, 1/3, 1/6).
    let entropy = 0.5 * 2.0_f64.ln() + 3.0_f64.ln() / 3.0 + 6.0_f64.ln() / 6.0;
    assert_close(metrics.baseline_log_loss, entropy);
}

/// As scikit-learn's: a class that occurs only as a prediction counts for macro F1 but not for balanced accuracy, and
/// one that occurs in neither counts for nothing.
#[test]
fn classes_that_occur_on_one_side_only() {
    let certain = |class: usize| {
        let mut p = vec![0.0; 4];
        p[class] = 1.0;
        p
    };
    let mut tally = Tally::new(4);
    tally.observe(0, &certain(0), 1.0).unwrap();
    tally.observe(0, &[0.4, 0.6, 0.0, 0.0], 1.0).unwrap();
    tally.observe(2, &[0.6, 0.0, 0.4, 0.0], 2.0).unwrap();
    let metrics = tally.metrics().unwrap();
    // Class 0: P = 1/3, R = 1/2. Class 1: predicted only. Class 2: true only. Class 3: neither.
    assert_close(metrics.balanced_accuracy, (0.5 + 0.0) / 2.0);
    assert_close(metrics.macro_f1, (0.4 + 0.0 + 0.0) / 3.0);
    assert_eq!(metrics.per_class[1].recall, None);
    assert_eq!(metrics.per_class[1].precision, Some(0.0));
    assert_eq!(metrics.per_class[2].precision, None);
    assert_eq!(metrics.per_class[3].f1, None);
    assert_eq!(metrics.baseline_accuracy, 0.5);
}

#[test]
fn probability_zero_makes_the_log_loss_infinite_and_is_counted() {
    let mut tally = Tally::new(2);
    tally.observe(0, &[0.0, 1.0], 2.0).unwrap();
    tally.observe(1, &[0.5, 0.5], 1.0).unwrap();
    let metrics = tally.metrics().unwrap();
    assert_eq!(metrics.log_loss, None);
    assert_eq!(metrics.n_probability_zero, 2.0);
    assert_close(metrics.log_loss_of_possible.unwrap(), 2.0_f64.ln());
    assert_close(metrics.brier, (2.0 * 2.0 + 0.5) / 3.0);
}

#[test]
fn an_impossible_row_takes_the_worst_of_every_score() {
    let mut tally = Tally::new(2);
    tally.observe_impossible(1, 1.0).unwrap();
    let metrics = tally.metrics().unwrap();
    assert_eq!((metrics.accuracy, metrics.brier), (0.0, 2.0));
    assert_eq!((metrics.log_loss, metrics.log_loss_of_possible), (None, None));
    assert_eq!(metrics.calibration_error, None);
    assert_eq!((metrics.n_impossible, metrics.n_probability_zero), (1.0, 0.0));

    tally.observe(1, &[0.0, 1.0], 3.0).unwrap();
    let metrics = tally.metrics().unwrap();
    assert_eq!(metrics.accuracy, 0.75);
    assert_eq!(metrics.per_class[1].recall, Some(0.75));
    assert_eq!(metrics.per_class[1].precision, Some(1.0));
    assert_eq!(metrics.calibration_error, Some(0.0));
    assert_eq!(metrics.log_loss, None);
    assert_eq!(metrics.log_loss_of_possible, Some(0.0));
    assert_eq!(metrics.baseline_log_loss, 0.0);
}

#[test]
fn log_probabilities_that_underflow_keep_the_loss_finite() {
    let mut tally = Tally::new(2);
    tally.observe_ln(0, &[-2000.0, 0.0], 1.0).unwrap();
    let metrics = tally.metrics().unwrap();
    assert_eq!(metrics.log_loss, Some(2000.0));
    assert_eq!(metrics.brier, 2.0);
    tally.observe_ln(0, &[f64::NEG_INFINITY, 0.0], 1.0).unwrap();
    tally.observe_ln(0, &[-1e300, 0.0], 1.0).unwrap();
    assert_eq!(tally.metrics().unwrap().n_probability_zero, 2.0);
}

#[test]
fn ties_go_to_the_lowest_class() {
    let mut tally = Tally::new(3);
    tally.observe(2, &[0.2, 0.4, 0.4], 1.0).unwrap();
    assert_eq!(tally.metrics().unwrap().confusion.rows()[2], [0.0, 1.0, 0.0]);
}

#[test]
fn without_rows_there_are_no_metrics() {
    assert_eq!(Tally::new(3).metrics(), None);
    assert_eq!(Tally::new(0).metrics(), None);
    let mut weightless = Tally::new(2);
    weightless.observe(0, &[1.0, 0.0], 0.0).unwrap();
    assert_eq!(weightless.metrics(), None);
}

#[test]
fn a_mistake_leaves_the_tally_as_it_was() {
    let mut tally = Tally::new(2);
    assert!(tally.observe(2, &[0.5, 0.5], 1.0).is_err());
    assert!(tally.observe(0, &[1.0], 1.0).is_err());
    assert!(tally.observe(0, &[0.5, 0.6], 1.0).is_err());
    assert!(tally.observe(0, &[-0.5, 1.5], 1.0).is_err());
    assert!(tally.observe(0, &[f64::NAN, 1.0], 1.0).is_err());
    assert!(tally.observe(0, &[f64::INFINITY, 0.0], 1.0).is_err());
    assert!(tally.observe(0, &[0.5, 0.5], -1.0).is_err());
    assert!(tally.observe_ln(0, &[0.0, 0.0], 1.0).is_err());
    assert!(tally.observe_impossible(0, f64::NAN).is_err());
    assert!(tally.merge(&Tally::new(3)).is_err());
    assert_eq!(tally, Tally::new(2));
}

/// Rows of three classes with whole weights, some of them with a probability of zero.
fn rows() -> impl Strategy<Value = Vec<(usize, Vec<f64>, f64)>> {
    let row = (0..3_usize, prop::array::uniform3(0..5_u32), 0..4_u32);
    let row = row.prop_map(|(truth, masses, weight)| {
        let total: u32 = masses.iter().sum::<u32>().max(1);
        let mut p: Vec<f64> = masses.iter().map(|&mass| f64::from(mass) / f64::from(total)).collect();
        if masses == [0; 3] {
            p[0] = 1.0;
        }
        (truth, p, f64::from(weight))
    });
    prop::collection::vec(row, 0..40)
}

/// What every field of the metrics says, as one list of numbers.
fn numbers(tally: &Tally) -> Option<Vec<f64>> {
    let metrics = tally.metrics()?;
    let absent = -1.0;
    let mut all = vec![
        metrics.rows,
        metrics.accuracy,
        metrics.balanced_accuracy,
        metrics.macro_f1,
        metrics.log_loss.unwrap_or(absent),
        metrics.log_loss_of_possible.unwrap_or(absent),
        metrics.n_probability_zero,
        metrics.brier,
        metrics.calibration_error.unwrap_or(absent),
        metrics.baseline_accuracy,
        metrics.baseline_log_loss,
    ];
    all.extend(metrics.confusion.rows().concat());
    for bin in metrics.reliability {
        all.push(bin.weight);
        all.push(bin.mean_confidence.unwrap_or(absent));
        all.push(bin.accuracy.unwrap_or(absent));
    }
    Some(all)
}

fn merged(left: &Tally, right: &Tally) -> Tally {
    let mut merged = left.clone();
    merged.merge(right).unwrap();
    merged
}

fn agree(left: &Tally, right: &Tally) -> bool {
    match (numbers(left), numbers(right)) {
        (Some(left), Some(right)) => left.iter().zip(&right).all(|(left, right)| (left - right).abs() <= TOLERANCE),
        (left, right) => left.is_none() && right.is_none(),
    }
}

proptest! {
    #[test]
    fn merge_is_commutative_and_associative_with_the_empty_tally_as_identity(
        a in rows(), b in rows(), c in rows(),
    ) {
        let [a, b, c] = [a, b, c].map(|rows| tally_of(3, &rows));
        prop_assert_eq!(merged(&a, &b), merged(&b, &a));
        prop_assert!(agree(&merged(&merged(&a, &b), &c), &merged(&a, &merged(&b, &c))));
        prop_assert_eq!(&merged(&a, &Tally::new(3)), &a);
        prop_assert_eq!(&merged(&Tally::new(3), &a), &a);
    }

    #[test]
    fn cutting_the_rows_anywhere_changes_nothing(rows in rows(), cut in 0..40_usize) {
        let (left, right) = rows.split_at(cut.min(rows.len()));
        let halves = merged(&tally_of(3, left), &tally_of(3, right));
        prop_assert!(agree(&halves, &tally_of(3, &rows)));
    }

    #[test]
    fn a_weight_is_as_many_rows(rows in rows()) {
        let mut repeated = Tally::new(3);
        for (truth, p, weight) in &rows {
            for _ in 0..*weight as usize {
                repeated.observe(*truth, p, 1.0).unwrap();
            }
        }
        prop_assert!(agree(&repeated, &tally_of(3, &rows)));
    }

    #[test]
    fn logarithms_tell_the_same(rows in rows()) {
        let mut from_logarithms = Tally::new(3);
        for (truth, p, weight) in &rows {
            let ln_p: Vec<f64> = p.iter().map(|p| p.ln()).collect();
            from_logarithms.observe_ln(*truth, &ln_p, *weight).unwrap();
        }
        // exp(ln p) may cross the bound of a bin, so the bins are left out of the comparison.
        match (from_logarithms.metrics(), tally_of(3, &rows).metrics()) {
            (Some(left), Some(right)) => {
                prop_assert_eq!(left.confusion, right.confusion);
                prop_assert_eq!(left.n_probability_zero, right.n_probability_zero);
                prop_assert!((left.brier - right.brier).abs() < TOLERANCE);
                prop_assert_eq!(left.log_loss.is_some(), right.log_loss.is_some());
            }
            (left, right) => prop_assert_eq!(left, right),
        }
    }
}

/// Two hams and two spams, of which one ham is taken for spam unless that is made dear.
#[test]
fn decisions_by_cost_are_counted_and_paid_for() {
    let rows = [(0, [0.9, 0.1]), (0, [0.2, 0.8]), (1, [0.01, 0.99]), (1, [0.3, 0.7])];
    let tallied = |costs: Costs| {
        let mut tally = Tally::with_costs(costs);
        rows.iter().for_each(|(truth, p)| tally.observe(*truth, p, 1.0).unwrap());
        tally
    };
    let plain = tallied(Costs::equal(2)).metrics().unwrap();
    assert_eq!(plain.confusion.rows(), [[1.0, 1.0], [0.0, 2.0]]);
    assert_eq!(plain.cost, Some(CostMetrics { mean: 0.25, baseline: 0.5, baseline_class: 0, ratio: Some(2.0) }));
    let dear = Costs::equal(2).with(1, 0, 9.0).unwrap();
    let metrics = tallied(dear.clone()).metrics().unwrap();
    assert_eq!(metrics.confusion.rows(), [[2.0, 0.0], [1.0, 1.0]]);
    assert_eq!(metrics.cost, Some(CostMetrics { mean: 0.25, baseline: 0.5, baseline_class: 0, ratio: Some(2.0) }));
    // The probabilities are judged as they are.
    assert_eq!((metrics.log_loss, metrics.brier), (plain.log_loss, plain.brier));
    let mut halves = Tally::with_costs(dear.clone());
    let mut other = Tally::with_costs(dear.clone());
    rows.iter().zip([true, false, true, false]).for_each(|((truth, p), first)| {
        let ln_p = p.map(f64::ln);
        if first { &mut halves } else { &mut other }.observe_ln(*truth, &ln_p, 1.0).unwrap();
    });
    halves.merge(&other).unwrap();
    assert_eq!(halves.metrics().unwrap().cost, metrics.cost);
    assert_eq!(halves.merge(&Tally::new(2)), Err(EvaluateError::CostsDiffer));
    // Without an answer a row costs the most, and a perfect model has no ratio.
    let mut silent = Tally::with_costs(dear.clone());
    silent.observe_impossible(0, 1.0).unwrap();
    assert_eq!(silent.metrics().unwrap().cost.unwrap().mean, 9.0);
    let mut perfect = Tally::with_costs(dear);
    perfect.observe(0, &[1.0, 0.0], 1.0).unwrap();
    assert_eq!(perfect.metrics().unwrap().cost.unwrap().ratio, None);
    assert_eq!(Tally::new(2).metrics(), None);
}
