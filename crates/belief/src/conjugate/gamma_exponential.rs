//! Exponential likelihood, Gamma prior; the predictive is Lomax.

use super::family::{Family, OutsideSupport, n_ln};
use super::gamma_poisson::{gamma_improper, gamma_parameters};
use crate::distribution::{Distribution, Gamma, ImpossibleParameter, Lomax, ln_rising};
use crate::{ConjugatePrior, Rng, Sums};

/// rate ~ Gamma(shape, rate): `shape` waiting times that took `rate` together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GammaExponential {
    shape: f64,
    rate: f64,
}

impl GammaExponential {
    /// By shape and rate; either may be zero, and is then improper until data mend it.
    ///
    /// # Errors
    /// When a parameter is negative or not finite.
    pub fn new(shape: f64, rate: f64) -> Result<Self, ImpossibleParameter> {
        let (shape, rate) = gamma_parameters(shape, rate)?;
        Ok(Self { shape, rate })
    }
}

impl ConjugatePrior<Sums> for GammaExponential {
    type Posterior = Self;

    fn posterior(&self, seen: &Sums) -> Self {
        Self { shape: self.shape + seen.weight, rate: self.rate + seen.sum() }
    }

    fn log_marginal_likelihood(&self, seen: &Sums) -> f64 {
        let after = self.posterior(seen);
        ln_rising(self.shape, seen.weight) - self.shape * (seen.sum() / self.rate).ln_1p() - n_ln(seen.weight, after.rate)
    }
}

impl Family for GammaExponential {
    type Statistic = Sums;
    type Datum = f64;

    fn name(&self) -> &'static str {
        "exponential"
    }

    fn empty(&self) -> Sums {
        Sums::default()
    }

    fn observe(&self, statistic: &mut Sums, datum: &f64, weight: f64) -> Result<(), OutsideSupport> {
        OutsideSupport::check(*datum, "a number from 0 on", *datum >= 0.0 && datum.is_finite())?;
        statistic.add(*datum, 0.0, weight, 1.0);
        Ok(())
    }

    fn parameters(&self) -> Vec<String> {
        vec!["rate".into()]
    }

    fn improper(&self) -> Option<&'static str> {
        gamma_improper(self.shape, self.rate)
    }

    fn marginal(&self, _: usize) -> Option<Box<dyn Distribution>> {
        Some(Box::new(Gamma::new(self.shape, self.rate).ok()?))
    }

    fn mode(&self) -> Option<Vec<f64>> {
        Some(vec![Gamma::new(self.shape, self.rate).ok()?.mode()?])
    }

    /// n/Σx; where all waiting times are zero no rate is the best.
    fn maximum_likelihood(&self, seen: &Sums) -> Option<Vec<f64>> {
        (seen.weight > 0.0 && seen.sum() > 0.0).then(|| vec![seen.weight / seen.sum()])
    }

    fn ln_profile_likelihood(&self, seen: &Sums, _: usize, rate: f64) -> Option<f64> {
        (rate >= 0.0).then(|| n_ln(seen.weight, rate) - seen.sum() * rate)
    }

    fn predictive(&self) -> Option<Box<dyn Distribution>> {
        Some(Box::new(Lomax::new(self.rate, self.shape).ok()?))
    }

    fn ln_predictive(&self, datum: &f64) -> f64 {
        Lomax::new(self.rate, self.shape).map_or(f64::NEG_INFINITY, |predictive| predictive.ln_pdf(*datum))
    }

    fn draw(&self, rng: &mut dyn Rng) -> Vec<f64> {
        Gamma::new(self.shape, self.rate).map_or_else(|_| vec![0.0], |gamma| vec![gamma.draw(rng)])
    }

    fn simulate(&self, parameters: &[f64], rng: &mut dyn Rng) -> f64 {
        -crate::distribution::open_unit(rng).ln() / parameters[0]
    }
}
