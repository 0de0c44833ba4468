//! U[0, θ] likelihood, Pareto prior: the greatest number seen becomes the scale.

use super::family::{Family, OutsideSupport};
use crate::distribution::{Distribution, ImpossibleParameter, Pareto, ParetoUniformPredictive, open_unit};
use crate::{ConjugatePrior, Greatest, Rng};

/// θ ~ Pareto(scale, shape), and a number is U[0, θ].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ParetoUniform {
    scale: f64,
    shape: f64,
}

impl ParetoUniform {
    /// By scale and shape; either may be zero, and is then improper until data mend it.
    ///
    /// # Errors
    /// When a parameter is negative or not finite.
    pub fn new(scale: f64, shape: f64) -> Result<Self, ImpossibleParameter> {
        for (name, value) in [("scale", scale), ("shape", shape)] {
            ImpossibleParameter::check("Pareto", name, value, "zero or more, and finite", value >= 0.0 && value.is_finite())?;
        }
        Ok(Self { scale, shape })
    }
}

/// Adds a number of U[0, θ].
pub(super) fn observe_uniform(statistic: &mut Greatest, x: f64, weight: f64, most: f64, must: &'static str) -> Result<(), OutsideSupport> {
    OutsideSupport::check(x, must, (0.0..=most).contains(&x) && x.is_finite())?;
    if weight > 0.0 {
        statistic.weight += weight;
        statistic.greatest = statistic.greatest.max(x);
    }
    Ok(())
}

/// −n ln θ from the greatest number on.
pub(super) fn ln_uniform_likelihood(seen: &Greatest, theta: f64) -> Option<f64> {
    (theta > 0.0 && theta >= seen.greatest).then(|| -seen.weight * theta.ln())
}

impl ConjugatePrior<Greatest> for ParetoUniform {
    type Posterior = Self;

    fn posterior(&self, seen: &Greatest) -> Self {
        Self { scale: self.scale.max(seen.greatest), shape: self.shape + seen.weight }
    }

    /// k/(k + n) · b^k/max(b, x)^(k + n).
    fn log_marginal_likelihood(&self, seen: &Greatest) -> f64 {
        let after = self.posterior(seen);
        (self.shape / after.shape).ln() - self.shape * (after.scale / self.scale).ln() - super::family::n_ln(seen.weight, after.scale)
    }
}

impl Family for ParetoUniform {
    type Statistic = Greatest;
    type Datum = f64;

    fn name(&self) -> &'static str {
        "uniform"
    }

    fn empty(&self) -> Greatest {
        Greatest::default()
    }

    fn observe(&self, statistic: &mut Greatest, datum: &f64, weight: f64) -> Result<(), OutsideSupport> {
        observe_uniform(statistic, *datum, weight, f64::MAX, "a number from 0 on")
    }

    fn parameters(&self) -> Vec<String> {
        vec!["theta".into()]
    }

    fn improper(&self) -> Option<&'static str> {
        (self.scale <= 0.0 || self.shape <= 0.0)
            .then_some("a Pareto with a parameter of zero is no distribution: it needs a number above zero")
    }

    fn marginal(&self, _: usize) -> Option<Box<dyn Distribution>> {
        Some(Box::new(Pareto::new(self.scale, self.shape).ok()?))
    }

    fn mode(&self) -> Option<Vec<f64>> {
        Some(vec![self.scale])
    }

    fn maximum_likelihood(&self, seen: &Greatest) -> Option<Vec<f64>> {
        (seen.weight > 0.0 && seen.greatest > 0.0).then(|| vec![seen.greatest])
    }

    fn ln_profile_likelihood(&self, seen: &Greatest, _: usize, theta: f64) -> Option<f64> {
        ln_uniform_likelihood(seen, theta)
    }

    fn predictive(&self) -> Option<Box<dyn Distribution>> {
        Some(Box::new(ParetoUniformPredictive::new(self.scale, self.shape).ok()?))
    }

    fn ln_predictive(&self, datum: &f64) -> f64 {
        ParetoUniformPredictive::new(self.scale, self.shape).map_or(f64::NEG_INFINITY, |predictive| predictive.ln_pdf(*datum))
    }

    fn draw(&self, rng: &mut dyn Rng) -> Vec<f64> {
        Pareto::new(self.scale, self.shape).map_or_else(|_| vec![0.0], |pareto| vec![pareto.draw(rng)])
    }

    fn simulate(&self, parameters: &[f64], rng: &mut dyn Rng) -> f64 {
        parameters[0] * open_unit(rng)
    }
}
