//! Categorical likelihood, Dirichlet prior: pseudo-counts α added to counts n.
//!
//! Every way of smoothing a frequency is a Dirichlet: maximum likelihood is α = 0, Laplace α = 1, the m-estimate α = m·p.

use libm::lgamma;

use crate::ConjugatePrior;

/// A Dirichlet distribution by its parameters, each at least zero (all zero is the improper prior of maximum likelihood).
#[derive(Clone, Debug, PartialEq)]
pub struct Dirichlet {
    /// One pseudo-count per state.
    pub alpha: Vec<f64>,
}

impl Dirichlet {
    /// The same pseudo-count for every state.
    pub fn symmetric(alpha: f64, n_states: usize) -> Self {
        Self { alpha: vec![alpha; n_states] }
    }

    /// α₀ = Σ α.
    pub fn total(&self) -> f64 {
        self.alpha.iter().sum()
    }

    /// The mean, which is also the predictive probability of each state; uniform when every α is zero.
    ///
    /// ```
    /// use tunbridge_belief::conjugate::Dirichlet;
    /// assert_eq!(Dirichlet { alpha: vec![3.0, 1.0] }.mean(), [0.75, 0.25]);
    /// ```
    pub fn mean(&self) -> Vec<f64> {
        let total = self.total();
        let uniform = 1.0 / self.alpha.len() as f64;
        self.alpha.iter().map(|a| if total > 0.0 { a / total } else { uniform }).collect()
    }

    /// The standard deviation of each state's probability.
    pub fn sd(&self) -> Vec<f64> {
        let total = self.total();
        self.mean().into_iter().map(|p| (p * (1.0 - p) / (total + 1.0)).sqrt()).collect()
    }
}

impl ConjugatePrior<[f64]> for Dirichlet {
    type Posterior = Dirichlet;

    fn posterior(&self, counts: &[f64]) -> Dirichlet {
        Dirichlet { alpha: self.alpha.iter().zip(counts).map(|(a, n)| a + n).collect() }
    }

    fn log_marginal_likelihood(&self, counts: &[f64]) -> f64 {
        dirichlet_ln_marginal(&self.alpha, counts)
    }
}

/// ln P(rows in their order) = ln Γ(α₀) − ln Γ(α₀+n) + Σ ln Γ(αₖ+nₖ) − ln Γ(αₖ) (Heckerman, Geiger & Chickering 1995, eq. 13).
pub fn dirichlet_ln_marginal(alpha: &[f64], counts: &[f64]) -> f64 {
    let (a, n): (f64, f64) = (alpha.iter().sum(), counts.iter().sum());
    let cells: f64 = alpha.iter().zip(counts).filter(|(_, n)| **n > 0.0).map(|(a, n)| lgamma(a + n) - lgamma(*a)).sum();
    if n > 0.0 { lgamma(a) - lgamma(a + n) + cells } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Chain rule by hand for states a, b, a under α = (1, 1): 1/2 · 1/3 · 2/4.
    #[test]
    fn the_marginal_likelihood_is_the_product_of_predictives() {
        let prior = Dirichlet::symmetric(1.0, 2);
        assert!((prior.log_marginal_likelihood(&[2.0, 1.0]) - (1.0_f64 / 12.0).ln()).abs() < 1e-14);
    }

    #[test]
    fn maximum_likelihood_without_counts_is_uniform_and_not_nan() {
        assert_eq!(Dirichlet::symmetric(0.0, 4).posterior(&[0.0; 4]).mean(), [0.25; 4]);
    }
}
