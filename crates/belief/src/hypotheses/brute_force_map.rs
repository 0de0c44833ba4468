//! The brute-force MAP learner: look at every hypothesis.
//!
//! Mitchell 1997, section 6.3.1. With a uniform prior and data that are noise-free, P(D | h) is one for hypotheses that agree with all of
//! it and zero for others, and every hypothesis of the version space has probability 1/|VS| (section 6.3.2).

use super::error::HypothesisError;
use super::space::first_greatest;
use crate::normalise_ln;

/// A space that was looked through.
#[derive(Clone, Debug, PartialEq)]
pub struct BruteForce<H> {
    /// Every hypothesis, in the order of the space.
    pub hypotheses: Vec<H>,
    /// P(h | D) of each.
    pub posterior: Vec<f64>,
    /// ln P(h | D) of each.
    pub ln_posterior: Vec<f64>,
    /// The place of the maximum a posteriori hypothesis; of equals the first.
    pub map: usize,
    /// ln P(D).
    pub ln_p_data: f64,
}

/// Looks at every hypothesis of a space: `ln_prior` is ln P(h) but for a constant, and `ln_likelihood` ln P(D | h).
///
/// **Complexity**: time and space go with the number of hypotheses.
///
/// # Errors
/// When there are none, more than `most`, or the data are impossible under each of them.
///
/// ```
/// use tunbridge_belief::hypotheses::{Consistent, brute_force_map};
/// // Thresholds 0 to 9: x is positive from the threshold on. Seen: 3 is not, 6 is.
/// let found = brute_force_map(0..10, 1000, |_| 0.0, |h| Consistent::of([(3, false), (6, true)], |x| x >= *h)).unwrap();
/// // 4, 5 and 6 are left, each a third.
/// assert_eq!(found.posterior.iter().filter(|p| (**p - 1.0 / 3.0).abs() < 1e-15).count(), 3);
/// assert_eq!(found.hypotheses[found.map], 4);
/// ```
pub fn brute_force_map<H>(
    space: impl IntoIterator<Item = H>,
    most: usize,
    ln_prior: impl Fn(&H) -> f64,
    ln_likelihood: impl Fn(&H) -> f64,
) -> Result<BruteForce<H>, HypothesisError> {
    let mut hypotheses = Vec::new();
    for hypothesis in space {
        if hypotheses.len() == most {
            return Err(HypothesisError::TooMany { what: "hypotheses", most, found: most + 1 });
        }
        hypotheses.push(hypothesis);
    }
    if hypotheses.is_empty() {
        return Err(HypothesisError::Nothing { what: "hypotheses" });
    }
    let mut ln_priors: Vec<f64> = hypotheses.iter().map(&ln_prior).collect();
    normalise_ln(&mut ln_priors);
    let mut ln: Vec<f64> = hypotheses.iter().zip(&ln_priors).map(|(h, prior)| prior + ln_likelihood(h)).collect();
    let ln_p_data = normalise_ln(&mut ln);
    if !ln_p_data.is_finite() {
        return Err(HypothesisError::Impossible { what: "what was observed".into() });
    }
    let posterior = ln.iter().map(|ln| ln.exp()).collect();
    Ok(BruteForce { map: first_greatest(&ln), posterior, ln_posterior: ln, hypotheses, ln_p_data })
}

/// The likelihood of data without noise.
pub struct Consistent;

impl Consistent {
    /// ln P(D | h): zero if the hypothesis says of every instance what was seen of it, −∞ if not.
    pub fn of<X, V: PartialEq>(examples: impl IntoIterator<Item = (X, V)>, says: impl Fn(X) -> V) -> f64 {
        if examples.into_iter().all(|(x, value)| says(x) == value) { 0.0 } else { f64::NEG_INFINITY }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All 2⁴ boolean functions of two bits; each example that is seen halves those that are left.
    #[test]
    fn every_consistent_hypothesis_has_one_over_the_version_space() {
        let says = |h: u32, x: u32| h >> x & 1 == 1;
        for n_seen in 0..=4 {
            let seen = || (0..n_seen).map(|x| (x, x % 2 == 0));
            let found = brute_force_map(0..16_u32, 16, |_| 0.0, |h| Consistent::of(seen(), |x| says(*h, x))).unwrap();
            let version_space = 16 >> n_seen;
            for (h, p) in found.hypotheses.iter().zip(&found.posterior) {
                let expected = if seen().all(|(x, value)| says(*h, x) == value) { 1.0 / f64::from(version_space) } else { 0.0 };
                assert!((p - expected).abs() < 1e-15);
            }
            assert!((found.ln_p_data - (f64::from(version_space) / 16.0).ln()).abs() < 1e-12);
        }
    }

    #[test]
    fn what_cannot_be_looked_through_is_told() {
        assert!(brute_force_map(0..100, 10, |_| 0.0, |_| 0.0).unwrap_err().to_string().contains("more than 10"));
        assert!(brute_force_map(0..0, 10, |_| 0.0, |_| 0.0).is_err());
        assert!(brute_force_map(0..5, 10, |_| 0.0, |_| f64::NEG_INFINITY).is_err());
    }
}
