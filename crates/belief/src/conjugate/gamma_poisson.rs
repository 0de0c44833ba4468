//! Poisson likelihood, Gamma prior; the predictive is negative binomial.

use libm::lgamma;

use super::family::{Family, OutsideSupport, is_count, n_ln};
use crate::distribution::{Distribution, Gamma, ImpossibleParameter, NegativeBinomial, ln_rising};
use crate::{ConjugatePrior, Rng, Sums};

/// rate ~ Gamma(shape, rate): `shape` events seen in `rate` rows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GammaPoisson {
    shape: f64,
    rate: f64,
}

/// Gamma's parameters, either of which may be zero: improper until data mend it.
pub(super) fn gamma_parameters(shape: f64, rate: f64) -> Result<(f64, f64), ImpossibleParameter> {
    for (name, value) in [("shape", shape), ("rate", rate)] {
        ImpossibleParameter::check("Gamma", name, value, "zero or more, and finite", value >= 0.0 && value.is_finite())?;
    }
    Ok((shape, rate))
}

pub(super) fn gamma_improper(shape: f64, rate: f64) -> Option<&'static str> {
    (shape <= 0.0 || rate <= 0.0).then_some("a Gamma with a parameter of zero is no distribution: it needs data that are not all zero")
}

impl GammaPoisson {
    /// By shape and rate; either may be zero, and is then improper until data mend it.
    ///
    /// # Errors
    /// When a parameter is negative or not finite.
    pub fn new(shape: f64, rate: f64) -> Result<Self, ImpossibleParameter> {
        let (shape, rate) = gamma_parameters(shape, rate)?;
        Ok(Self { shape, rate })
    }
}

impl ConjugatePrior<Sums> for GammaPoisson {
    type Posterior = Self;

    fn posterior(&self, seen: &Sums) -> Self {
        Self { shape: self.shape + seen.sum(), rate: self.rate + seen.weight }
    }

    fn log_marginal_likelihood(&self, seen: &Sums) -> f64 {
        let after = self.posterior(seen);
        ln_rising(self.shape, seen.sum()) - self.shape * (seen.weight / self.rate).ln_1p() - n_ln(seen.sum(), after.rate) + seen.ln_base()
    }
}

impl Family for GammaPoisson {
    type Statistic = Sums;
    type Datum = f64;

    fn name(&self) -> &'static str {
        "poisson"
    }

    fn empty(&self) -> Sums {
        Sums::default()
    }

    fn observe(&self, statistic: &mut Sums, datum: &f64, weight: f64) -> Result<(), OutsideSupport> {
        OutsideSupport::check(*datum, "a whole number from 0 on", is_count(*datum))?;
        statistic.add(*datum, -lgamma(datum + 1.0), weight, 1.0);
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

    fn maximum_likelihood(&self, seen: &Sums) -> Option<Vec<f64>> {
        (seen.weight > 0.0).then(|| vec![seen.sum() / seen.weight])
    }

    fn ln_profile_likelihood(&self, seen: &Sums, _: usize, rate: f64) -> Option<f64> {
        (rate >= 0.0).then(|| n_ln(seen.sum(), rate) - seen.weight * rate)
    }

    fn predictive(&self) -> Option<Box<dyn Distribution>> {
        Some(Box::new(NegativeBinomial::new(self.shape, self.rate).ok()?))
    }

    fn ln_predictive(&self, datum: &f64) -> f64 {
        NegativeBinomial::new(self.shape, self.rate).map_or(f64::NEG_INFINITY, |predictive| predictive.ln_pdf(*datum))
    }

    fn draw(&self, rng: &mut dyn Rng) -> Vec<f64> {
        Gamma::new(self.shape, self.rate).map_or_else(|_| vec![0.0], |gamma| vec![gamma.draw(rng)])
    }

    fn simulate(&self, parameters: &[f64], rng: &mut dyn Rng) -> f64 {
        crate::distribution::poisson(parameters[0], rng)
    }
}
