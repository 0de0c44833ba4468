//! Probabilities as natural logarithms: products become sums, and nothing underflows.

use serde::{Deserialize, Serialize};

/// The probability of an event, held as its natural logarithm.
///
/// Invariant: never NaN, never above zero; −∞ means impossible. Densities may exceed one and are plain `f64` named `ln_…`.
///
/// ```
/// use tunbridge_belief::LogProb;
/// let half = LogProb::from_p(0.5)?;
/// assert_eq!(half.and(half).p(), 0.25);
/// assert!(LogProb::from_ln(0.1).is_err());
/// # Ok::<(), tunbridge_belief::NotALogProb>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(try_from = "f64", into = "f64")]
pub struct LogProb(f64);

/// The number given is not the logarithm of a probability.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error("{ln} is not the logarithm of a probability: it must be at most zero")]
pub struct NotALogProb {
    /// The number that was refused.
    pub ln: f64,
}

impl LogProb {
    /// A certain event.
    pub const CERTAIN: Self = Self(0.0);
    /// An impossible event.
    pub const IMPOSSIBLE: Self = Self(f64::NEG_INFINITY);

    /// From a natural logarithm.
    ///
    /// # Errors
    /// When it is above zero or not a number.
    pub fn from_ln(ln: f64) -> Result<Self, NotALogProb> {
        // NaN fails every comparison, so this one test refuses both faults.
        if ln <= 0.0 { Ok(Self(ln)) } else { Err(NotALogProb { ln }) }
    }

    /// From a probability.
    ///
    /// # Errors
    /// When it is outside [0, 1] or not a number.
    pub fn from_p(p: f64) -> Result<Self, NotALogProb> {
        Self::from_ln(p.ln())
    }

    /// The natural logarithm.
    pub fn ln(self) -> f64 {
        self.0
    }

    /// The probability.
    pub fn p(self) -> f64 {
        self.0.exp()
    }

    /// The product rule: P(A, B) = P(A) · P(B | A).
    #[must_use]
    pub fn and(self, conditional: Self) -> Self {
        Self(self.0 + conditional.0)
    }
}

impl TryFrom<f64> for LogProb {
    type Error = NotALogProb;
    fn try_from(ln: f64) -> Result<Self, NotALogProb> {
        Self::from_ln(ln)
    }
}

impl From<LogProb> for f64 {
    fn from(p: LogProb) -> f64 {
        p.0
    }
}

/// ln Σ exp(xᵢ), without overflow or underflow; −∞ for no terms or only impossible ones.
///
/// ```
/// use tunbridge_belief::log_sum_exp;
/// assert!((log_sum_exp(&[-1000.0, -1000.0]) - (-1000.0 + 2f64.ln())).abs() < 1e-12);
/// assert_eq!(log_sum_exp(&[]), f64::NEG_INFINITY);
/// ```
pub fn log_sum_exp(terms: &[f64]) -> f64 {
    let greatest = terms.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if greatest == f64::NEG_INFINITY {
        return greatest;
    }
    let sum: f64 = terms.iter().map(|&x| (x - greatest).exp()).sum();
    greatest + sum.ln()
}

/// Turns unnormalised log weights into log probabilities in place and returns ln of their sum.
///
/// −∞ is returned, and the terms are left as they are, when every term is impossible: contradictory evidence is an answer for
/// the caller to give, not a NaN.
pub fn normalise_ln(terms: &mut [f64]) -> f64 {
    let total = log_sum_exp(terms);
    if total > f64::NEG_INFINITY {
        for term in terms.iter_mut() {
            // Rounding may leave a lone term a hair above certainty.
            *term = (*term - total).min(0.0);
        }
    }
    total
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nan_and_positive_logarithms_are_refused() {
        assert!(LogProb::from_ln(f64::NAN).is_err());
        assert!(LogProb::from_ln(1e-300).is_err());
        assert!(LogProb::from_p(-0.1).is_err());
        assert_eq!(LogProb::from_p(0.0).unwrap(), LogProb::IMPOSSIBLE);
    }

    #[test]
    fn impossible_everywhere_stays_impossible() {
        let mut terms = [f64::NEG_INFINITY; 3];
        assert_eq!(normalise_ln(&mut terms), f64::NEG_INFINITY);
        assert!(terms.iter().all(|t| *t == f64::NEG_INFINITY));
    }
}
