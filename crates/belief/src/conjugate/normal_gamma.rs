//! Normal likelihood with unknown mean and precision, Normal–Gamma prior; the predictive is Student's t.
//!
//! Murphy, *Conjugate Bayesian analysis of the Gaussian distribution* (2007), section 3.

use std::f64::consts::PI;

use libm::lgamma;

use crate::distribution::StudentT;
use crate::{ConjugatePrior, Moments};

/// μ | λ ~ N(mean, 1/(kappa·λ)), λ ~ Gamma(shape, rate).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NormalGamma {
    /// μ₀.
    pub mean: f64,
    /// κ₀ > 0: how many rows the belief about the mean is worth.
    pub kappa: f64,
    /// α₀ > 0: half as many rows as the belief about the variance is worth.
    pub shape: f64,
    /// β₀ > 0.
    pub rate: f64,
}

impl NormalGamma {
    /// The distribution of the next number.
    pub fn predictive(&self) -> StudentT {
        StudentT {
            degrees: 2.0 * self.shape,
            location: self.mean,
            scale: (self.rate * (self.kappa + 1.0) / (self.shape * self.kappa)).sqrt(),
        }
    }
}

impl ConjugatePrior<Moments> for NormalGamma {
    type Posterior = NormalGamma;

    fn posterior(&self, seen: &Moments) -> NormalGamma {
        let kappa = self.kappa + seen.weight;
        let apart = seen.mean - self.mean;
        NormalGamma {
            mean: self.mean + apart * (seen.weight / kappa),
            kappa,
            shape: self.shape + seen.weight / 2.0,
            rate: self.rate + seen.sum_sq / 2.0 + self.kappa * seen.weight * apart * apart / (2.0 * kappa),
        }
    }

    fn log_marginal_likelihood(&self, seen: &Moments) -> f64 {
        let after = self.posterior(seen);
        lgamma(after.shape) - lgamma(self.shape) + self.shape * self.rate.ln() - after.shape * after.rate.ln()
            + 0.5 * (self.kappa / after.kappa).ln()
            - seen.weight / 2.0 * (2.0 * PI).ln()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PRIOR: NormalGamma = NormalGamma { mean: 1.0, kappa: 2.0, shape: 1.5, rate: 0.7 };

    /// ln P(x₁, x₂, x₃) by the chain rule of predictives equals the closed form.
    #[test]
    fn the_marginal_likelihood_is_the_product_of_predictives() {
        let (mut belief, mut chain, mut all) = (PRIOR, 0.0, Moments::default());
        for x in [0.3, -1.2, 4.0] {
            chain += belief.predictive().ln_pdf(x);
            belief = belief.posterior(&Moments::of_one(x, 1.0));
            all.merge(&Moments::of_one(x, 1.0));
        }
        assert!((chain - PRIOR.log_marginal_likelihood(&all)).abs() < 1e-12);
        let batch = PRIOR.posterior(&all);
        assert!((batch.rate - belief.rate).abs() < 1e-12 && (batch.mean - belief.mean).abs() < 1e-12);
    }
}
