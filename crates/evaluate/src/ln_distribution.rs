//! A checked distribution over the classes, held as logarithms: its mode, and the log-odds of each class.
//!
//! Log-odds are ln p − ln(1 − p), where 1 − p is summed from the *other* classes and never formed by subtraction from
//! one: naive Bayes is often so sure that p rounds to 1 while the others are still 10⁻⁴⁰, and the difference between
//! 10⁻⁴⁰ and 10⁻²⁰ is what a calibrator wants to see.

use crate::error::{EvaluateError, check_length};

/// How far from one the probabilities of a prediction may sum.
pub(crate) const NORMALISATION_TOLERANCE: f64 = 1e-6;

/// What is needed of normalised log-probabilities to give the log-odds of every class in one pass.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LnDistribution {
    /// The most probable class; ties go to the lowest.
    pub(crate) mode: usize,
    ln_p_mode: f64,
    /// Σ over the other classes of p / p_mode.
    rest: f64,
    /// The logarithm of `rest`, right also where `rest` underflows.
    ln_rest: f64,
}

impl LnDistribution {
    /// Reads normalised log-probabilities; −∞ is a probability of zero.
    ///
    /// # Errors
    ///
    /// The wrong number of them, an entry that is NaN or above zero, or a sum of the probabilities that is not one.
    pub(crate) fn new(ln_p: &[f64], n_classes: usize) -> Result<Self, EvaluateError> {
        check_length(ln_p.len(), n_classes)?;
        let mut mode = 0;
        let (mut largest, mut second) = (f64::NEG_INFINITY, f64::NEG_INFINITY);
        for (class, &ln) in ln_p.iter().enumerate() {
            if ln.is_nan() || ln > NORMALISATION_TOLERANCE {
                return Err(EvaluateError::NotAProbability { class, found: ln });
            }
            if ln > largest {
                (second, largest, mode) = (largest, ln, class);
            } else if ln > second {
                second = ln;
            }
        }
        let (rest, ln_rest) = if second == f64::NEG_INFINITY {
            (0.0, f64::NEG_INFINITY)
        } else {
            // Relative to the second largest, so that nothing that matters underflows.
            let others = ln_p.iter().enumerate().filter(|&(class, _)| class != mode);
            let scaled: f64 = others.map(|(_, &ln)| (ln - second).exp()).sum();
            let gap = second - largest;
            (gap.exp() * scaled, gap + scaled.ln())
        };
        let sum = largest.exp() * (1.0 + rest);
        if (sum - 1.0).abs() > NORMALISATION_TOLERANCE {
            return Err(EvaluateError::NotNormalised { sum });
        }
        Ok(Self { mode, ln_p_mode: largest, rest, ln_rest })
    }

    /// ln p − ln(1 − p) of a class whose log-probability is `ln_p`; ±∞ where p is 1 or 0.
    pub(crate) fn log_odds(&self, class: usize, ln_p: f64) -> f64 {
        if class == self.mode {
            return -self.ln_rest;
        }
        // The others contain the mode, so their sum relative to it is at least one and the subtraction is harmless.
        let ln_relative = ln_p - self.ln_p_mode;
        ln_relative - (self.rest - ln_relative.exp()).max(0.0).ln_1p()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn log_odds_of(ln_p: &[f64]) -> Vec<f64> {
        let distribution = LnDistribution::new(ln_p, ln_p.len()).unwrap();
        let with_class = ln_p.iter().enumerate();
        with_class.map(|(class, &ln)| distribution.log_odds(class, ln)).collect()
    }

    #[test]
    fn log_odds_of_three_classes() {
        let ln_p = [0.2_f64.ln(), 0.5_f64.ln(), 0.3_f64.ln()];
        for (found, p) in log_odds_of(&ln_p).into_iter().zip([0.2_f64, 0.5, 0.3]) {
            assert!((found - (p / (1.0 - p)).ln()).abs() < 1e-14);
        }
    }

    #[test]
    fn two_classes_have_opposite_log_odds_to_the_last_bit() {
        assert_eq!(log_odds_of(&[0.0, -2000.5]), [2000.5, -2000.5]);
        let ln_p = [0.3_f64.ln(), 0.7_f64.ln()];
        let odds = log_odds_of(&ln_p);
        assert_eq!(odds[0], -odds[1]);
    }

    #[test]
    fn others_far_below_the_smallest_number_are_not_lost() {
        let odds = log_odds_of(&[-900.0, 0.0, -800.0]);
        assert!((odds[1] - 800.0).abs() < 1e-9);
        assert!((odds[2] + 800.0).abs() < 1e-9);
        assert_eq!(odds[0], -900.0);
    }

    #[test]
    fn certainty_has_infinite_log_odds() {
        let odds = log_odds_of(&[f64::NEG_INFINITY, 0.0, f64::NEG_INFINITY]);
        assert_eq!(odds, [f64::NEG_INFINITY, f64::INFINITY, f64::NEG_INFINITY]);
        assert_eq!(log_odds_of(&[0.0]), [f64::INFINITY]);
    }

    #[test]
    fn ties_go_to_the_lowest_class() {
        let half = 0.5_f64.ln();
        let tied = LnDistribution::new(&[f64::NEG_INFINITY, half, half], 3).unwrap();
        assert_eq!(tied.mode, 1);
        assert_eq!(tied.log_odds(1, half), 0.0);
        assert_eq!(tied.log_odds(2, half), 0.0);
    }

    #[test]
    fn what_is_no_distribution_is_refused() {
        let impossible = [f64::NEG_INFINITY; 2];
        assert_eq!(LnDistribution::new(&impossible, 2).unwrap_err(), EvaluateError::NotNormalised { sum: 0.0 });
        assert!(LnDistribution::new(&[], 0).is_err());
        assert!(LnDistribution::new(&[f64::NAN, 0.0], 2).is_err());
        assert!(LnDistribution::new(&[0.5, -1.0], 2).is_err());
        assert!(LnDistribution::new(&[-1.0, -1.0], 2).is_err());
        assert!(LnDistribution::new(&[0.0], 2).is_err());
    }

    proptest! {
        #[test]
        fn log_odds_agree_with_the_plain_formula(
            masses in prop::collection::vec(0.01..1.0_f64, 2..6),
        ) {
            let total: f64 = masses.iter().sum();
            let p: Vec<f64> = masses.iter().map(|mass| mass / total).collect();
            let ln_p: Vec<f64> = p.iter().map(|p| p.ln()).collect();
            for (found, p) in log_odds_of(&ln_p).into_iter().zip(p) {
                // 1 − p loses at most a few units in the last place where p ≤ 0.99.
                prop_assert!((found - (p / (1.0 - p)).ln()).abs() < 1e-12);
            }
        }
    }
}
