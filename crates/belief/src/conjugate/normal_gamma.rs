//! Normal likelihood with unknown mean and precision, Normal–Gamma prior; the predictive is Student's t.
//!
//! Of the variance 1/λ the same belief is Normal–inverse-Gamma, with the same four numbers: that is how it is told to people.
//! Murphy, *Conjugate Bayesian analysis of the Gaussian distribution* (2007), section 3.

use std::f64::consts::PI;

use super::family::{Family, OutsideSupport};
use crate::distribution::{Distribution, ImpossibleParameter, InverseGamma, StudentT, ln_rising, standard_gamma, standard_normal};
use crate::{ConjugatePrior, Moments, Rng};

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
    /// By its four numbers. Zero for κ₀, α₀ or β₀ is improper until data mend it; so is an α₀ of −½, which with the others zero is the
    /// prior 1/σ that Jeffreys took.
    ///
    /// # Errors
    /// When one is not finite, κ₀ or β₀ is negative, or α₀ is below −½.
    pub fn new(mean: f64, kappa: f64, shape: f64, rate: f64) -> Result<Self, ImpossibleParameter> {
        const NAME: &str = "Normal–inverse-Gamma";
        ImpossibleParameter::finite(NAME, "mean", mean)?;
        ImpossibleParameter::check(NAME, "kappa", kappa, "zero or more, and finite", kappa >= 0.0 && kappa.is_finite())?;
        ImpossibleParameter::check(NAME, "shape", shape, "-0.5 or more, and finite", shape >= -0.5 && shape.is_finite())?;
        ImpossibleParameter::check(NAME, "scale", rate, "zero or more, and finite", rate >= 0.0 && rate.is_finite())?;
        Ok(Self { mean, kappa, shape, rate })
    }

    /// By how much data raise the rate.
    fn more_rate(&self, seen: &Moments) -> f64 {
        let apart = seen.mean - self.mean;
        0.5 * (seen.sum_sq + seen.weight * (self.kappa / (self.kappa + seen.weight)) * apart * apart)
    }

    /// The distribution of the next number.
    pub fn predictive(&self) -> StudentT {
        StudentT {
            degrees: 2.0 * self.shape,
            location: self.mean,
            scale: (self.rate / self.shape * ((self.kappa + 1.0) / self.kappa)).sqrt(),
        }
    }
}

impl ConjugatePrior<Moments> for NormalGamma {
    type Posterior = NormalGamma;

    fn posterior(&self, seen: &Moments) -> NormalGamma {
        if seen.weight == 0.0 {
            return *self;
        }
        let kappa = self.kappa + seen.weight;
        let apart = seen.mean - self.mean;
        NormalGamma {
            mean: self.mean + apart * (seen.weight / kappa),
            kappa,
            shape: self.shape + seen.weight / 2.0,
            rate: self.rate + self.more_rate(seen),
        }
    }

    fn log_marginal_likelihood(&self, seen: &Moments) -> f64 {
        if seen.weight == 0.0 {
            return 0.0;
        }
        let after = self.posterior(seen);
        ln_rising(self.shape, seen.weight / 2.0)
            - self.shape * (self.more_rate(seen) / self.rate).ln_1p()
            - seen.weight / 2.0 * after.rate.ln()
            - 0.5 * (seen.weight / self.kappa).ln_1p()
            - seen.weight / 2.0 * (2.0 * PI).ln()
    }
}

impl Family for NormalGamma {
    type Statistic = Moments;
    type Datum = f64;

    fn name(&self) -> &'static str {
        "normal"
    }

    fn empty(&self) -> Moments {
        Moments::default()
    }

    fn observe(&self, statistic: &mut Moments, datum: &f64, weight: f64) -> Result<(), OutsideSupport> {
        OutsideSupport::check(*datum, "a finite number", datum.is_finite())?;
        statistic.merge(&Moments::of_one(*datum, weight));
        Ok(())
    }

    fn parameters(&self) -> Vec<String> {
        vec!["mean".into(), "variance".into()]
    }

    fn improper(&self) -> Option<&'static str> {
        (self.kappa <= 0.0 || self.shape <= 0.0 || self.rate <= 0.0)
            .then_some("nothing bounds the variance: it needs two numbers that differ at least, or a prior that does")
    }

    fn marginal(&self, parameter: usize) -> Option<Box<dyn Distribution>> {
        if parameter == 1 {
            return Some(Box::new(InverseGamma::new(self.shape, self.rate).ok()?));
        }
        Some(Box::new(StudentT::new(2.0 * self.shape, self.mean, (self.rate / (self.shape * self.kappa)).sqrt()).ok()?))
    }

    fn mode(&self) -> Option<Vec<f64>> {
        // The density has σ^−1 of the Normal and σ²^(−α−1) of the inverse Gamma.
        Some(vec![self.mean, self.rate / (self.shape + 1.5)])
    }

    fn maximum_likelihood(&self, seen: &Moments) -> Option<Vec<f64>> {
        (seen.sum_sq > 0.0).then(|| vec![seen.mean, seen.sum_sq / seen.weight])
    }

    fn ln_profile_likelihood(&self, seen: &Moments, parameter: usize, value: f64) -> Option<f64> {
        let n = seen.weight;
        match parameter {
            0 => Some(-0.5 * n * (seen.sum_sq + n * (value - seen.mean).powi(2)).ln()),
            _ => (value > 0.0).then(|| -0.5 * (n * value.ln() + seen.sum_sq / value)),
        }
    }

    fn predictive(&self) -> Option<Box<dyn Distribution>> {
        Some(Box::new(NormalGamma::predictive(self)))
    }

    fn ln_predictive(&self, datum: &f64) -> f64 {
        NormalGamma::predictive(self).ln_pdf(*datum)
    }

    fn draw(&self, rng: &mut dyn Rng) -> Vec<f64> {
        let variance = self.rate / standard_gamma(self.shape, rng);
        vec![self.mean + (variance / self.kappa).sqrt() * standard_normal(rng), variance]
    }

    fn simulate(&self, parameters: &[f64], rng: &mut dyn Rng) -> f64 {
        parameters[0] + parameters[1].sqrt() * standard_normal(rng)
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
