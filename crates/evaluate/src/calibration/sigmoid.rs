//! Sigmoid calibration: a straight line in log-odds, two numbers per class.
//!
//! Platt 1999, "Probabilistic Outputs for Support Vector Machines", fitted by Newton's method with backtracking as in
//! Lin, Lin & Weng 2007, "A note on Platt's probabilistic outputs for support vector machines" (Machine Learning 68),
//! Algorithm 1. It assumes that the model's log-odds are wrong by a factor and a shift only, as those of naive Bayes
//! roughly are, and is content with few rows; with many, [`super::isotonic`] assumes less. One class only.

use serde::{Deserialize, Serialize};

use super::score_grid::LOG_ODDS_LIMIT;
use crate::error::EvaluateError;

/// Iterations of Newton's method; the objective is convex and a dozen are usual.
const MAX_ITERATIONS: usize = 100;

/// The smallest step of the backtracking line search.
const MIN_STEP: f64 = 1e-10;

/// Sufficient decrease of the line search (Armijo's condition).
const SUFFICIENT_DECREASE: f64 = 1e-4;

/// Per unit of weight: a decrease that is expected to be smaller than this is lost in the rounding of the objective.
/// From there on the line search would stop at half of the digits; Newton's full step finds the others.
const INVISIBLE_DECREASE: f64 = 1e-13;

/// Per unit of weight: what is added to the Hessian's diagonal, so that it can be inverted where all scores are equal.
/// The paper adds 10⁻¹² for some hundred rows; a share of the weight does the same for any number.
const RIDGE: f64 = 1e-12;

/// Per unit of weight: the gradient at which the search ends.
const GRADIENT_TOLERANCE: f64 = 1e-12;

/// Where doubt is placed: a row's small chance of being of the other kind counts at its log-odds, but no farther out.
const DOUBT_LIMIT: f64 = 8.0;

/// The map from log-odds x to the probability 1 / (1 + exp(−(slope · x + intercept))), kept within ±32 in log-odds.
///
/// In Platt's letters, slope is −A and intercept is −B. Slope 1 and intercept 0 change nothing; a slope below 1 says
/// that the model was too sure. Invariant: both are finite, and the slope is not negative.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "UncheckedSigmoid")]
pub struct SigmoidMap {
    slope: f64,
    intercept: f64,
}

impl SigmoidMap {
    /// Fits the map to cells of (log-odds, [weight where false, weight where true]).
    ///
    /// The targets are not 0 and 1 but Platt's 1/(N₋ + 2) and (N₊ + 1)/(N₊ + 2), without which separable scores would
    /// call for an infinite slope. A row is therefore two terms: nearly all of its weight with its own kind, and the
    /// small rest, the doubt, with the other kind. Platt's scores were those of support vector machines, a few units
    /// at most; the log-odds of naive Bayes go into the hundreds, and doubt that far out would pull the slope down
    /// with a force in proportion to them, although the row is right. So doubt counts at ±8 at most; within ±8 this is
    /// Platt's objective. The slope stays finite on separable scores: the doubt of a row on either side sees to it.
    ///
    /// Should the best slope be negative, then the best that does not turn the ranking round is 0, since the objective
    /// is convex, and that one is taken. It is taken too where all rows are of one kind, and no slope can be learned.
    ///
    /// **Complexity**: linear in the number of cells, per iteration.
    pub(super) fn fit(cells: &[(f64, [f64; 2])]) -> Self {
        let objective = Objective::new(cells);
        let is_never = |kind: usize| cells.iter().all(|(_, weights)| weights[kind] == 0.0);
        let level = Self { slope: 0.0, intercept: objective.best_level() };
        if is_never(0) || is_never(1) {
            return level;
        }
        let best = objective.minimise();
        if best.slope >= 0.0 { best } else { level }
    }

    /// The factor on the model's log-odds.
    pub fn slope(&self) -> f64 {
        self.slope
    }

    /// The shift of the log-odds.
    pub fn intercept(&self) -> f64 {
        self.intercept
    }

    /// The calibrated log-odds, between −32 and 32.
    pub fn log_odds(&self, log_odds: f64) -> f64 {
        self.line(log_odds).clamp(-LOG_ODDS_LIMIT, LOG_ODDS_LIMIT)
    }

    /// Whether the invariant holds.
    ///
    /// # Errors
    ///
    /// It does not, and says in what.
    pub(super) fn validate(&self) -> Result<(), EvaluateError> {
        if self.slope.is_finite() && self.intercept.is_finite() && self.slope >= 0.0 {
            Ok(())
        } else {
            Err(EvaluateError::Invalid { type_name: "sigmoid map", fault: "its slope is negative, or a number in it is not finite" })
        }
    }

    fn line(&self, log_odds: f64) -> f64 {
        self.slope * log_odds + self.intercept
    }
}

/// A map as read from a file, before it is believed.
#[derive(Deserialize)]
struct UncheckedSigmoid {
    slope: f64,
    intercept: f64,
}

impl TryFrom<UncheckedSigmoid> for SigmoidMap {
    type Error = EvaluateError;

    fn try_from(read: UncheckedSigmoid) -> Result<Self, EvaluateError> {
        let map = Self { slope: read.slope, intercept: read.intercept };
        map.validate()?;
        Ok(map)
    }
}

/// The cross-entropy of the cells' targets under a map, to be minimised.
struct Objective {
    /// Log-odds, weight, and how much of the weight is of the true kind: for each cell its rows, and then their doubt.
    terms: Vec<(f64, f64, f64)>,
    weight: f64,
    start: SigmoidMap,
}

/// The first two derivatives, by (slope, intercept).
struct Derivatives {
    gradient: [f64; 2],
    /// By slope twice, by slope and intercept, by intercept twice.
    hessian: [f64; 3],
}

impl Objective {
    fn new(cells: &[(f64, [f64; 2])]) -> Self {
        let negative: f64 = cells.iter().map(|(_, weights)| weights[0]).sum();
        let positive: f64 = cells.iter().map(|(_, weights)| weights[1]).sum();
        let (doubt_of_no, doubt_of_yes) = (1.0 / (negative + 2.0), 1.0 / (positive + 2.0));
        let terms = cells.iter().flat_map(|&(x, [no, yes])| {
            let (other_than_no, other_than_yes) = (no * doubt_of_no, yes * doubt_of_yes);
            let sure = (x, (no - other_than_no) + (yes - other_than_yes), yes - other_than_yes);
            [sure, (x.clamp(-DOUBT_LIMIT, DOUBT_LIMIT), other_than_no + other_than_yes, other_than_no)]
        });
        Self {
            terms: terms.collect(),
            weight: negative + positive,
            start: SigmoidMap { slope: 0.0, intercept: ((positive + 1.0) / (negative + 1.0)).ln() },
        }
    }

    /// Σ over rows of −t ln p − (1 − t) ln(1 − p) = ln(1 + eᶻ) − t z, where z are the calibrated log-odds.
    fn value(&self, map: &SigmoidMap) -> f64 {
        let terms = self.terms.iter();
        terms
            .map(|&(x, weight, target)| {
                let z = map.line(x);
                // ln(1 + eᶻ), written so that the exponential cannot overflow.
                weight * (z.max(0.0) + (-z.abs()).exp().ln_1p()) - target * z
            })
            .sum()
    }

    fn derivatives(&self, map: &SigmoidMap) -> Derivatives {
        let mut gradient = [0.0; 2];
        let mut hessian = [0.0; 3];
        for &(x, weight, target) in &self.terms {
            let z = map.line(x);
            // The smaller of p and 1 − p; the larger is its complement, without cancellation that would matter.
            let small = (-z.abs()).exp() / (1.0 + (-z.abs()).exp());
            let p = if z < 0.0 { small } else { 1.0 - small };
            let slack = weight * p - target;
            gradient[0] += x * slack;
            gradient[1] += slack;
            let curvature = weight * small * (1.0 - small);
            hessian[0] += x * x * curvature;
            hessian[1] += x * curvature;
            hessian[2] += curvature;
        }
        Derivatives { gradient, hessian }
    }

    /// Lin, Lin & Weng 2007, Algorithm 1.
    fn minimise(&self) -> SigmoidMap {
        let mut best = self.start;
        let mut value = self.value(&best);
        for _ in 0..MAX_ITERATIONS {
            let Derivatives { gradient, hessian } = self.derivatives(&best);
            if gradient.iter().all(|g| g.abs() <= GRADIENT_TOLERANCE * self.weight) {
                break;
            }
            let ridge = RIDGE * self.weight;
            let [h_ss, h_si, h_ii] = [hessian[0] + ridge, hessian[1], hessian[2] + ridge];
            let determinant = h_ss * h_ii - h_si * h_si;
            let d_slope = -(h_ii * gradient[0] - h_si * gradient[1]) / determinant;
            let d_intercept = -(h_ss * gradient[1] - h_si * gradient[0]) / determinant;
            let descent = gradient[0] * d_slope + gradient[1] * d_intercept;

            let mut step = 1.0;
            let improved = loop {
                let candidate = SigmoidMap { slope: best.slope + step * d_slope, intercept: best.intercept + step * d_intercept };
                let candidate_value = self.value(&candidate);
                if -descent <= INVISIBLE_DECREASE * self.weight || candidate_value < value + SUFFICIENT_DECREASE * step * descent {
                    break Some((candidate, candidate_value));
                }
                step *= 0.5;
                if step < MIN_STEP {
                    break None;
                }
            };
            // No step improves on what rounding can tell apart.
            let Some(next) = improved else { break };
            (best, value) = next;
        }
        best
    }

    /// The best intercept where the slope is zero: the log-odds of the mean target.
    fn best_level(&self) -> f64 {
        let target: f64 = self.terms.iter().map(|&(_, _, target)| target).sum();
        (target / (self.weight - target)).ln()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn gradient_at(map: &SigmoidMap, cells: &[(f64, [f64; 2])]) -> [f64; 2] {
        let objective = Objective::new(cells);
        let gradient = objective.derivatives(map).gradient;
        gradient.map(|g| g / objective.weight)
    }

    /// Two cells fix the two numbers: the fitted probability of each cell is the mean of its targets. There are 4
    /// positives and 4 negatives, so the targets are 5/6 and 1/6, and the means 1/6 + 2/3 · 1/4 = 1/3 and 2/3.
    #[test]
    fn two_cells_by_hand() {
        let map = SigmoidMap::fit(&[(-1.0, [3.0, 1.0]), (1.0, [1.0, 3.0])]);
        assert!((map.slope() - 2.0_f64.ln()).abs() < 1e-9);
        assert!(map.intercept().abs() < 1e-9);
    }

    #[test]
    fn perfect_separation_stays_finite() {
        let map = SigmoidMap::fit(&[(-32.0, [1e6, 0.0]), (32.0, [0.0, 1e6])]);
        map.validate().unwrap();
        // By symmetry the intercept is 0. The rows pull the slope up by 32 (1 − f)/(1 + e³²ˢ) each, and their doubt,
        // which is at 8, pulls it down by 8 f/(1 + e⁻⁸ˢ), where f = 1/(10⁶ + 2).
        let (f, s) = (1.0 / (1e6 + 2.0), map.slope());
        let up = 32.0 * (1.0 - f) / (1.0 + (32.0 * s).exp());
        let down = 8.0 * f / (1.0 + (-8.0 * s).exp());
        assert!((up / down - 1.0).abs() < 1e-5, "{up} up, {down} down at a slope of {s}");
        assert!(map.intercept().abs() < 1e-9);
        assert_eq!(map.log_odds(1e300), 32.0);
    }

    /// Scores that are right and far out say that the model may be sure, however far: the same as at ±100, not less.
    #[test]
    fn far_rows_that_are_right_do_not_flatten_the_slope() {
        let near = [(-4.0, [40.0, 1.0]), (0.0, [10.0, 10.0]), (4.0, [1.0, 40.0])];
        let with_far = |x: f64| {
            let far = [(-x, [50.0, 0.0]), (x, [0.0, 50.0])];
            SigmoidMap::fit(&[&near[..], &far].concat()).slope()
        };
        let slope = SigmoidMap::fit(&near).slope();
        assert!(with_far(100.0) > 0.8 * slope, "{} for {slope}", with_far(100.0));
        assert!((with_far(30_000.0) / with_far(100.0) - 1.0).abs() < 1e-6);
    }

    #[test]
    fn rows_of_one_kind_give_a_level() {
        for x in [3.0, 300.0] {
            let map = SigmoidMap::fit(&[(-x, [10.0, 0.0]), (-x - 1.0, [20.0, 0.0])]);
            assert_eq!(map.slope(), 0.0);
            // The odds of 1/32, the target of 30 rows.
            assert!((map.intercept() - (1.0_f64 / 31.0).ln()).abs() < 1e-12);
        }
    }

    #[test]
    fn a_ranking_is_levelled_rather_than_turned_round() {
        let map = SigmoidMap::fit(&[(-1.0, [0.0, 4.0]), (1.0, [4.0, 0.0])]);
        assert_eq!(map.slope(), 0.0);
        assert!(map.intercept().abs() < 1e-12);
    }

    #[test]
    fn equal_scores_give_the_mean_target() {
        let map = SigmoidMap::fit(&[(3.0, [10.0, 30.0])]);
        let target: f64 = (10.0 / 12.0 + 30.0 * 31.0 / 32.0) / 40.0;
        let expected = (target / (1.0 - target)).ln();
        assert!((map.log_odds(3.0) - expected).abs() < 1e-6);
    }

    #[test]
    fn a_damaged_map_is_refused() {
        let map = |slope, intercept| SigmoidMap::try_from(UncheckedSigmoid { slope, intercept });
        assert!(map(0.0, -3.0).is_ok());
        assert!(map(-0.1, 0.0).is_err());
        assert!(map(f64::NAN, 0.0).is_err());
        assert!(map(1.0, f64::INFINITY).is_err());
        // The largest numbers of all are still clamped, not added to NaN.
        assert_eq!(map(f64::MAX, f64::MIN).unwrap().log_odds(32.0), 32.0);
    }

    proptest! {
        #[test]
        fn the_gradient_vanishes_at_the_minimum(
            cells in prop::collection::vec((-32.0..32.0_f64, prop::array::uniform2(0.0..1e4_f64)), 2..30),
        ) {
            let map = SigmoidMap::fit(&cells);
            map.validate().unwrap();
            let [by_slope, by_intercept] = gradient_at(&map, &cells);
            // Per unit of weight; the slope's is in units of log-odds, of which there are up to 32.
            prop_assert!(by_intercept.abs() < 1e-10, "{by_intercept}");
            if map.slope() > 0.0 {
                prop_assert!(by_slope.abs() < 1e-9, "{by_slope}");
            } else {
                // At the boundary the objective rises inwards.
                prop_assert!(by_slope >= -1e-9, "{by_slope}");
            }
        }

        #[test]
        fn twice_the_scores_are_half_the_slope(
            positive in prop::collection::vec(0.0..100.0_f64, 8),
        ) {
            let cells: Vec<_> = (0..8)
                .map(|idx| (f64::from(idx) - 4.0, [50.0, positive[idx as usize]]))
                .collect();
            let doubled: Vec<_> = cells.iter().map(|&(x, weights)| (2.0 * x, weights)).collect();
            let (map, of_doubled) = (SigmoidMap::fit(&cells), SigmoidMap::fit(&doubled));
            prop_assert!((map.slope() - 2.0 * of_doubled.slope()).abs() < 1e-6);
            prop_assert!((map.intercept() - of_doubled.intercept()).abs() < 1e-6);
        }
    }
}
