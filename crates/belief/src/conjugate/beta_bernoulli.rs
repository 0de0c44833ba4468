//! Bernoulli and binomial likelihood, Beta prior: imaginary successes and failures added to those that were seen.

use super::family::{Family, OutsideSupport, is_count, n_ln};
use crate::distribution::{Beta, BetaBinomial, Distribution, ImpossibleParameter, ln_rising};
use crate::{ConjugatePrior, Rng, Sums};

/// p ~ Beta(alpha, beta), and a row has so many successes in `trials` of probability p.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BetaBernoulli {
    pub(super) alpha: f64,
    pub(super) beta: f64,
    trials: u32,
}

impl BetaBernoulli {
    /// Of one trial a row. Beta(0, 0) is allowed: it is improper until a success and a failure were seen.
    ///
    /// # Errors
    /// When a parameter is negative or not finite.
    pub fn new(alpha: f64, beta: f64) -> Result<Self, ImpossibleParameter> {
        for (name, value) in [("alpha", alpha), ("beta", beta)] {
            ImpossibleParameter::check("Beta", name, value, "zero or more, and finite", value >= 0.0 && value.is_finite())?;
        }
        Ok(Self { alpha, beta, trials: 1 })
    }

    /// Of so many trials a row.
    ///
    /// # Errors
    /// When there is none, or more than a million.
    pub fn with_trials(self, trials: u32) -> Result<Self, ImpossibleParameter> {
        let few = (1..=BetaBinomial::MOST_TRIALS).contains(&trials);
        ImpossibleParameter::check("binomial", "number of trials", f64::from(trials), "from 1 to 1000000", few)?;
        Ok(Self { trials, ..self })
    }
}

impl ConjugatePrior<Sums> for BetaBernoulli {
    type Posterior = Self;

    fn posterior(&self, seen: &Sums) -> Self {
        Self { alpha: self.alpha + seen.sum(), beta: self.beta + (seen.weight - seen.sum()), trials: self.trials }
    }

    fn log_marginal_likelihood(&self, seen: &Sums) -> f64 {
        let failures = seen.weight - seen.sum();
        ln_rising(self.alpha, seen.sum()) + ln_rising(self.beta, failures) - ln_rising(self.alpha + self.beta, seen.weight) + seen.ln_base()
    }
}

impl Family for BetaBernoulli {
    type Statistic = Sums;
    type Datum = f64;

    fn name(&self) -> &'static str {
        if self.trials == 1 { "bernoulli" } else { "binomial" }
    }

    fn empty(&self) -> Sums {
        Sums::default()
    }

    fn observe(&self, statistic: &mut Sums, datum: &f64, weight: f64) -> Result<(), OutsideSupport> {
        let trials = f64::from(self.trials);
        let must = if self.trials == 1 { "0 or 1" } else { "a whole number from 0 to the number of trials" };
        OutsideSupport::check(*datum, must, is_count(*datum) && *datum <= trials)?;
        statistic.add(*datum, crate::distribution::ln_choose(trials, *datum), weight, trials);
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
        (seen.weight > 0.0).then(|| vec![seen.sum() / seen.weight])
    }

    fn ln_profile_likelihood(&self, seen: &Sums, _: usize, p: f64) -> Option<f64> {
        (0.0..=1.0).contains(&p).then(|| n_ln(seen.sum(), p) + n_ln(seen.weight - seen.sum(), 1.0 - p))
    }

    fn predictive(&self) -> Option<Box<dyn Distribution>> {
        Some(Box::new(BetaBinomial::new(self.trials, self.alpha, self.beta).ok()?))
    }

    fn ln_predictive(&self, datum: &f64) -> f64 {
        BetaBinomial::new(self.trials, self.alpha, self.beta).map_or(f64::NEG_INFINITY, |predictive| predictive.ln_pdf(*datum))
    }

    fn draw(&self, rng: &mut dyn Rng) -> Vec<f64> {
        Beta::new(self.alpha, self.beta).map_or_else(|_| vec![0.5], |beta| vec![beta.draw(rng)])
    }

    fn simulate(&self, parameters: &[f64], rng: &mut dyn Rng) -> f64 {
        crate::distribution::binomial(self.trials, parameters[0], rng)
    }
}
