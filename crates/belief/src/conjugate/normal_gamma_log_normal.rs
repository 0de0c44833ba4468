//! Log-normal likelihood with unknown mean and variance of the logarithm, Normal–Gamma prior; the predictive is log-t.

use super::family::{Family, OutsideSupport};
use super::normal_gamma::NormalGamma;
use crate::distribution::{Distribution, LogT};
use crate::{ConjugatePrior, Moments, Rng};

/// ln x is Normal, and this is believed of its mean and variance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LogNormalGamma {
    /// The belief about the logarithm.
    pub of_ln: NormalGamma,
}

impl ConjugatePrior<Moments> for LogNormalGamma {
    type Posterior = Self;

    fn posterior(&self, seen: &Moments) -> Self {
        Self { of_ln: self.of_ln.posterior(seen) }
    }

    /// The density of x is that of ln x divided by x.
    fn log_marginal_likelihood(&self, seen: &Moments) -> f64 {
        self.of_ln.log_marginal_likelihood(seen) - seen.weight * seen.mean
    }
}

impl Family for LogNormalGamma {
    /// The moments of the logarithms.
    type Statistic = Moments;
    type Datum = f64;

    fn name(&self) -> &'static str {
        "log-normal"
    }

    fn empty(&self) -> Moments {
        Moments::default()
    }

    fn observe(&self, statistic: &mut Moments, datum: &f64, weight: f64) -> Result<(), OutsideSupport> {
        OutsideSupport::check(*datum, "a positive number", *datum > 0.0 && datum.is_finite())?;
        statistic.merge(&Moments::of_one(datum.ln(), weight));
        Ok(())
    }

    fn parameters(&self) -> Vec<String> {
        vec!["mean_ln".into(), "variance_ln".into()]
    }

    fn improper(&self) -> Option<&'static str> {
        self.of_ln.improper()
    }

    fn marginal(&self, parameter: usize) -> Option<Box<dyn Distribution>> {
        self.of_ln.marginal(parameter)
    }

    fn mode(&self) -> Option<Vec<f64>> {
        self.of_ln.mode()
    }

    fn maximum_likelihood(&self, seen: &Moments) -> Option<Vec<f64>> {
        self.of_ln.maximum_likelihood(seen)
    }

    fn ln_profile_likelihood(&self, seen: &Moments, parameter: usize, value: f64) -> Option<f64> {
        self.of_ln.ln_profile_likelihood(seen, parameter, value)
    }

    fn predictive(&self) -> Option<Box<dyn Distribution>> {
        Some(Box::new(LogT { of_ln: NormalGamma::predictive(&self.of_ln) }))
    }

    fn ln_predictive(&self, datum: &f64) -> f64 {
        LogT { of_ln: NormalGamma::predictive(&self.of_ln) }.ln_pdf(*datum)
    }

    fn draw(&self, rng: &mut dyn Rng) -> Vec<f64> {
        self.of_ln.draw(rng)
    }

    fn simulate(&self, parameters: &[f64], rng: &mut dyn Rng) -> f64 {
        self.of_ln.simulate(parameters, rng).exp()
    }
}
