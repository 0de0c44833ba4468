//! Normal likelihood with unknown mean and known variance, Normal prior.
//!
//! Duda, Hart & Stork 2001, section 3.4.1, equations 31 and 32: with the prior N(μ₀, σ₀²) and n numbers of mean μ̂ₙ,
//! μₙ = nσ₀²/(nσ₀² + σ²) μ̂ₙ + σ²/(nσ₀² + σ²) μ₀ and σₙ² = σ₀²σ²/(nσ₀² + σ²).

use std::f64::consts::PI;

use super::family::{Family, OutsideSupport};
use crate::distribution::{Distribution, ImpossibleParameter, Normal, PointMass};
use crate::{ConjugatePrior, Moments, Rng};

/// mean ~ N(μ₀, σ₀²), and a number is N(mean, σ²) with σ² known.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NormalKnownVariance {
    mean: f64,
    variance: f64,
    known: f64,
}

impl NormalKnownVariance {
    /// By μ₀, σ₀² and σ². A σ₀² of zero is certainty, and an infinite one is the flat prior, improper until a number was seen.
    ///
    /// # Errors
    /// When μ₀ is not finite, σ₀² is negative, or σ² is not positive and finite.
    pub fn new(mean: f64, variance: f64, known: f64) -> Result<Self, ImpossibleParameter> {
        ImpossibleParameter::finite("Normal", "mean", mean)?;
        ImpossibleParameter::check("Normal", "variance", variance, "zero or more", variance >= 0.0)?;
        ImpossibleParameter::positive("Normal likelihood", "known variance", known)?;
        Ok(Self { mean, variance, known })
    }

    /// μ₀ or μₙ.
    pub fn centre(&self) -> f64 {
        self.mean
    }

    /// σ₀² or σₙ².
    pub fn variance(&self) -> f64 {
        self.variance
    }
}

impl ConjugatePrior<Moments> for NormalKnownVariance {
    type Posterior = Self;

    fn posterior(&self, seen: &Moments) -> Self {
        let n = seen.weight;
        if n == 0.0 || self.variance == 0.0 {
            return *self;
        }
        if self.variance == f64::INFINITY {
            return Self { mean: seen.mean, variance: self.known / n, known: self.known };
        }
        // Divided by σ₀², so that nothing overflows: the weight of the data is n/(n + σ²/σ₀²).
        let imaginary = self.known / self.variance;
        let share = n / (n + imaginary);
        Self { mean: self.mean + share * (seen.mean - self.mean), variance: self.known / (n + imaginary), known: self.known }
    }

    /// The numbers are N(μ₀, σ² I + σ₀² 11ᵀ): their scatter about their mean, and their mean about μ₀ with variance σ²/n + σ₀².
    fn log_marginal_likelihood(&self, seen: &Moments) -> f64 {
        let n = seen.weight;
        if n == 0.0 {
            return 0.0;
        }
        let of_mean = self.known / n + self.variance;
        let apart = seen.mean - self.mean;
        -0.5 * (n * (2.0 * PI * self.known).ln()
            + (n * self.variance / self.known).ln_1p()
            + seen.sum_sq / self.known
            + apart * apart / of_mean)
    }
}

impl Family for NormalKnownVariance {
    type Statistic = Moments;
    type Datum = f64;

    fn name(&self) -> &'static str {
        "normal-known-sd"
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
        vec!["mean".into()]
    }

    fn improper(&self) -> Option<&'static str> {
        (self.variance == f64::INFINITY).then_some("the flat prior is no distribution: it needs a number at least")
    }

    fn marginal(&self, _: usize) -> Option<Box<dyn Distribution>> {
        if self.variance == 0.0 {
            return Some(Box::new(PointMass { at: self.mean }));
        }
        Some(Box::new(Normal::new(self.mean, self.variance.sqrt()).ok()?))
    }

    fn mode(&self) -> Option<Vec<f64>> {
        Some(vec![self.mean])
    }

    fn maximum_likelihood(&self, seen: &Moments) -> Option<Vec<f64>> {
        (seen.weight > 0.0).then(|| vec![seen.mean])
    }

    fn ln_profile_likelihood(&self, seen: &Moments, _: usize, mean: f64) -> Option<f64> {
        Some(-0.5 * seen.weight * (mean - seen.mean).powi(2) / self.known)
    }

    fn predictive(&self) -> Option<Box<dyn Distribution>> {
        Some(Box::new(Normal::new(self.mean, (self.variance + self.known).sqrt()).ok()?))
    }

    fn ln_predictive(&self, datum: &f64) -> f64 {
        Normal::new(self.mean, (self.variance + self.known).sqrt()).map_or(f64::NEG_INFINITY, |predictive| predictive.ln_pdf(*datum))
    }

    fn draw(&self, rng: &mut dyn Rng) -> Vec<f64> {
        vec![self.mean + self.variance.sqrt() * crate::distribution::standard_normal(rng)]
    }

    fn simulate(&self, parameters: &[f64], rng: &mut dyn Rng) -> f64 {
        parameters[0] + self.known.sqrt() * crate::distribution::standard_normal(rng)
    }
}
