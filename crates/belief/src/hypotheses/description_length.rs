//! Minimum description length: the hypothesis whose description and the data's, given it, are shortest together.
//!
//! −log₂ P(h) − log₂ P(D | h): with a code that is best for the prior, the shortest description is that of the maximum a posteriori
//! hypothesis (Mitchell 1997, section 6.6; Rissanen 1978). Every room that trades size against fit speaks of it by this interface.

use std::f64::consts::LOG2_E;

/// Something whose length can be told in bits: a hypothesis, and the data given it.
pub trait DescriptionLength {
    /// −log₂ P(h).
    fn hypothesis_bits(&self) -> f64;
    /// −log₂ P(D | h).
    fn data_bits(&self) -> f64;
    /// Both.
    fn bits(&self) -> f64 {
        self.hypothesis_bits() + self.data_bits()
    }
}

/// A length by its two parts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TwoPartCode {
    /// Of the hypothesis.
    pub hypothesis: f64,
    /// Of the data, given it.
    pub data: f64,
}

impl TwoPartCode {
    /// From natural logarithms of probabilities.
    ///
    /// ```
    /// use tunbridge_belief::hypotheses::{DescriptionLength, TwoPartCode};
    /// assert!((TwoPartCode::from_ln(0.25_f64.ln(), 0.5_f64.ln()).bits() - 3.0).abs() < 1e-12);
    /// ```
    pub fn from_ln(ln_prior: f64, ln_likelihood: f64) -> Self {
        Self { hypothesis: -ln_prior * LOG2_E, data: -ln_likelihood * LOG2_E }
    }
}

impl DescriptionLength for TwoPartCode {
    fn hypothesis_bits(&self) -> f64 {
        self.hypothesis
    }

    fn data_bits(&self) -> f64 {
        self.data
    }
}

/// The place of the shortest description; of equals the first, and none of nothing.
pub fn shortest<D: DescriptionLength>(candidates: &[D]) -> Option<usize> {
    (0..candidates.len()).reduce(|best, other| if candidates[other].bits() < candidates[best].bits() { other } else { best })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hypotheses::Hypotheses;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_shortest_is_the_most_probable(
            weights in prop::collection::vec(0.01..1.0_f64, 1..8), likelihoods in prop::collection::vec(0.001..1.0_f64, 8),
        ) {
            let sum: f64 = weights.iter().sum();
            let given = weights.iter().enumerate().map(|(h, w)| (h.to_string(), Some(w / sum))).collect();
            let prior = Hypotheses::new(given).unwrap();
            let likelihoods = &likelihoods[..weights.len()];
            let after = prior.weigh("D", likelihoods).unwrap();
            let codes: Vec<TwoPartCode> = prior.p().iter().zip(likelihoods).map(|(p, l)| TwoPartCode::from_ln(p.ln(), l.ln())).collect();
            let (map, best) = (after.map(), shortest(&codes).unwrap());
            prop_assert!((after.posterior().p()[map] - after.posterior().p()[best]).abs() < 1e-12);
            // And the length is that of the posterior and of the data together.
            let bits = -(after.posterior().p()[best].ln() + after.ln_p_observed()) * LOG2_E;
            prop_assert!((codes[best].bits() - bits).abs() < 1e-9);
        }
    }
}
