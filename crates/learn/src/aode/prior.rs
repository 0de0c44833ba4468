//! What was believed before: how probabilities are estimated, and which values may be parents.

use serde::{Deserialize, Serialize};

use crate::LearnError;
use crate::naive_bayes::{Estimate, MEstimateP};

/// What was believed before.
///
/// | part | default | meaning |
/// |---|---|---|
/// | `estimate` | `laplace:1` | P(y, xᵢ) and P(xⱼ \| y, xᵢ) from counts: maximum likelihood, Laplace, Dirichlet, or the m-estimate with even shares |
/// | `least_rows` | 1 | a value is a parent only if so many rows have it |
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AodePrior {
    /// How probabilities are estimated from counts.
    pub estimate: Estimate,
    /// A value that fewer rows have is no parent. Webb, Boughton & Wang 2005 took 30, later work of theirs 1.
    pub least_rows: f64,
}

impl Default for AodePrior {
    fn default() -> Self {
        Self { estimate: Estimate::default(), least_rows: 1.0 }
    }
}

impl AodePrior {
    /// Whether every number is in its range, and the estimate one that this model knows.
    ///
    /// # Errors
    /// Names the number that is not.
    pub fn validate(&self) -> Result<(), LearnError> {
        let check = |what: &'static str, found: f64| match found >= 0.0 && found.is_finite() {
            true => Ok(()),
            false => Err(LearnError::NotAPriorNumber { what, found }),
        };
        check("the number of rows that make a value a parent", self.least_rows)?;
        match &self.estimate {
            Estimate::MaximumLikelihood => Ok(()),
            Estimate::Laplace { l } => check("the l of the Laplace estimate", *l),
            Estimate::Dirichlet { alpha } => check("the alpha of the Dirichlet estimate", *alpha),
            Estimate::MEstimate { m, p: MEstimateP::Uniform } => check("the m of the m-estimate", *m),
            Estimate::MEstimate { .. } => Err(LearnError::EstimateOfPairs),
        }
    }

    /// The pseudo-count of each of so many cells.
    pub(super) fn pseudo_count(&self, n_cells: f64) -> f64 {
        match &self.estimate {
            Estimate::MaximumLikelihood => 0.0,
            Estimate::Laplace { l } => *l,
            Estimate::Dirichlet { alpha: all } | Estimate::MEstimate { m: all, .. } => all / n_cells.max(1.0),
        }
    }

    /// ln (n + a)/(N + a · cells); even shares where nothing is known of the whole.
    pub(super) fn ln_p(&self, n: f64, total: f64, n_cells: f64) -> f64 {
        let a = self.pseudo_count(n_cells);
        let total = total + a * n_cells;
        if total > 0.0 { ((n + a) / total).ln() } else { -n_cells.max(1.0).ln() }
    }
}
