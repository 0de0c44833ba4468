//! Geometric likelihood, Beta prior: failures before the first success, 0, 1, 2, …

use super::family::{Family, OutsideSupport, is_count, n_ln};
use crate::distribution::{Beta, Distribution, ImpossibleParameter};
use crate::{ConjugatePrior, Rng, Sums};

/// p ~ Beta(alpha, beta), and a row is the number of failures before the first success of probability p.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BetaGeometric {
    alpha: f64,
    beta: f64,
}

impl BetaGeometric {
    /// By the two parameters; either may be zero, and is then improper until data mend it.
    ///
    /// # Errors
    /// When a parameter is negative or not finite.
    pub fn new(alpha: f64, beta: f64) -> Result<Self, ImpossibleParameter> {
        for (name, value) in [("alpha", alpha), ("beta", beta)] {
            ImpossibleParameter::check("Beta", name, value, "zero or more, and finite", value >= 0.0 && value.is_finite())?;
        }
        Ok(Self { alpha, beta })
    }
}

impl ConjugatePrior<Sums> for BetaGeometric {
    type Posterior = Self;

    fn posterior(&self, seen: &Sums) -> Self {
        Self { alpha: self.alpha + seen.weight, beta: self.beta + seen.sum() }
    }

    fn log_marginal_likelihood(&self, seen: &Sums) -> f64 {
        use crate::distribution::ln_rising;
        ln_rising(self.alpha, seen.weight) + ln_rising(self.beta, seen.sum()) - ln_rising(self.alpha + self.beta, seen.weight + seen.sum())
    }
}

impl Family for BetaGeometric {
    type Statistic = Sums;
    type Datum = f64;

    fn name(&self) -> &'static str {
        "geometric"
    }

    fn empty(&self) -> Sums {
        Sums::default()
    }

    fn observe(&self, statistic: &mut Sums, datum: &f64, weight: f64) -> Result<(), OutsideSupport> {
        OutsideSupport::check(*datum, "a whole number from 0 on: the failures before a success", is_count(*datum))?;
        statistic.add(*datum, 0.0, weight, 1.0);
        Ok(())
    }

    fn parameters(&self) -> Vec<String> {
        vec!["p".into()]
    }

    fn improper(&self) -> Option<&'static str> {
        (self.alpha <= 0.0 || self.beta <= 0.0)
            .then_some("a Beta with a parameter of zero is no distribution: it needs a success and a failure")
    }

    fn marginal(&self, _: usize) -> Option<Box<dyn Distribution>> {
        Some(Box::new(Beta::new(self.alpha, self.beta).ok()?))
    }

    fn mode(&self) -> Option<Vec<f64>> {
        Some(vec![Beta::new(self.alpha, self.beta).ok()?.mode()?])
    }

    fn maximum_likelihood(&self, seen: &Sums) -> Option<Vec<f64>> {
        (seen.weight > 0.0).then(|| vec![seen.weight / (seen.weight + seen.sum())])
    }

    fn ln_profile_likelihood(&self, seen: &Sums, _: usize, p: f64) -> Option<f64> {
        (0.0..=1.0).contains(&p).then(|| n_ln(seen.weight, p) + n_ln(seen.sum(), 1.0 - p))
    }

    fn predictive(&self) -> Option<Box<dyn Distribution>> {
        Some(Box::new(crate::distribution::BetaGeometric::new(self.alpha, self.beta).ok()?))
    }

    fn ln_predictive(&self, datum: &f64) -> f64 {
        crate::distribution::BetaGeometric::new(self.alpha, self.beta).map_or(f64::NEG_INFINITY, |predictive| predictive.ln_pdf(*datum))
    }

    fn draw(&self, rng: &mut dyn Rng) -> Vec<f64> {
        Beta::new(self.alpha, self.beta).map_or_else(|_| vec![0.5], |beta| vec![beta.draw(rng)])
    }

    fn simulate(&self, parameters: &[f64], rng: &mut dyn Rng) -> f64 {
        crate::distribution::geometric(parameters[0], rng)
    }
}
