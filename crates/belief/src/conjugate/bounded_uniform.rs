//! U[0, θ] likelihood, and a prior of θ that is uniform on [a, b]: after n numbers c/θⁿ from the greatest of them on.
//!
//! The example of the lecture is U[0, 10]. Below the greatest number the predictive is the constant α, above it c/(n xⁿ) − c/(n bⁿ); without
//! data it is ln(b/x)/b, and after one number c is 1/ln(b/x).

use super::family::{Family, OutsideSupport};
use super::pareto_uniform::{ln_uniform_likelihood, observe_uniform};
use crate::distribution::{BoundedUniformPredictive, Distribution, ImpossibleParameter, InversePower, open_unit};
use crate::{ConjugatePrior, Greatest, Rng};

/// θ ~ c/θⁿ on [low, high], and a number is U[0, θ].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BoundedUniform {
    power: f64,
    low: f64,
    high: f64,
}

impl BoundedUniform {
    /// The uniform prior on [low, high].
    ///
    /// # Errors
    /// When the ends are not finite and in their order from zero on.
    pub fn new(low: f64, high: f64) -> Result<Self, ImpossibleParameter> {
        InversePower::new(0.0, low, high)?;
        Ok(Self { power: 0.0, low, high })
    }

    /// What is believed of θ, where that is a distribution.
    pub fn of_theta(&self) -> Option<InversePower> {
        InversePower::new(self.power, self.low, self.high).ok()
    }

    /// The distribution of the next number.
    pub fn next(&self) -> Option<BoundedUniformPredictive> {
        self.of_theta().map(BoundedUniformPredictive::new)
    }
}

impl ConjugatePrior<Greatest> for BoundedUniform {
    type Posterior = Self;

    fn posterior(&self, seen: &Greatest) -> Self {
        Self { power: self.power + seen.weight, low: self.low.max(seen.greatest), high: self.high }
    }

    /// The constant of the prior by that of the posterior: both are normalised over the same θ⁻ⁿ.
    fn log_marginal_likelihood(&self, seen: &Greatest) -> f64 {
        match (self.of_theta(), self.posterior(seen).of_theta()) {
            (Some(before), Some(after)) => before.ln_constant() - after.ln_constant(),
            // The greatest number is the upper end itself: one θ is left, and its density integrates to nothing.
            _ => f64::NEG_INFINITY,
        }
    }
}

impl Family for BoundedUniform {
    type Statistic = Greatest;
    type Datum = f64;

    fn name(&self) -> &'static str {
        "uniform-bounded"
    }

    fn empty(&self) -> Greatest {
        Greatest::default()
    }

    fn observe(&self, statistic: &mut Greatest, datum: &f64, weight: f64) -> Result<(), OutsideSupport> {
        let must = "from 0 up to the upper end of the prior, beyond which it holds every theta for impossible";
        observe_uniform(statistic, *datum, weight, self.high, must)
    }

    fn parameters(&self) -> Vec<String> {
        vec!["theta".into()]
    }

    fn improper(&self) -> Option<&'static str> {
        if self.of_theta().is_some() {
            None
        } else if self.low >= self.high {
            Some("the greatest number is the upper end of the prior, so that no interval is left for theta")
        } else {
            Some("c/θⁿ from zero on is no distribution: it needs a number above zero, or a prior that begins above it")
        }
    }

    fn marginal(&self, _: usize) -> Option<Box<dyn Distribution>> {
        Some(Box::new(self.of_theta()?))
    }

    fn mode(&self) -> Option<Vec<f64>> {
        Some(vec![self.of_theta()?.mode()?])
    }

    fn maximum_likelihood(&self, seen: &Greatest) -> Option<Vec<f64>> {
        (seen.weight > 0.0 && seen.greatest > 0.0).then(|| vec![seen.greatest])
    }

    fn ln_profile_likelihood(&self, seen: &Greatest, _: usize, theta: f64) -> Option<f64> {
        ln_uniform_likelihood(seen, theta)
    }

    fn predictive(&self) -> Option<Box<dyn Distribution>> {
        Some(Box::new(self.next()?))
    }

    fn ln_predictive(&self, datum: &f64) -> f64 {
        self.next().map_or(f64::NEG_INFINITY, |predictive| predictive.ln_pdf(*datum))
    }

    fn draw(&self, rng: &mut dyn Rng) -> Vec<f64> {
        vec![self.of_theta().map_or(self.high, |theta| theta.draw(rng))]
    }

    fn simulate(&self, parameters: &[f64], rng: &mut dyn Rng) -> f64 {
        parameters[0] * open_unit(rng)
    }
}
