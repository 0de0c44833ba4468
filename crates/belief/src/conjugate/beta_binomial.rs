//! Binomial likelihood where every row has trials of its own, Beta prior.

use super::beta_bernoulli::BetaBernoulli;
use super::family::{Family, OutsideSupport, is_count};
use crate::distribution::{Distribution, binomial, ln_choose, ln_rising};
use crate::{ConjugatePrior, Rng, Sums};

/// p ~ Beta(alpha, beta), and a row has so many successes in so many trials of probability p. The predictive is of one trial.
///
/// ```
/// use tunbridge_belief::conjugate::{BetaBernoulli, BetaBinomialRows, Family};
/// use tunbridge_belief::ConjugatePrior;
/// let prior = BetaBinomialRows::new(BetaBernoulli::new(1.0, 1.0)?);
/// let mut seen = prior.empty();
/// for row in [[3.0, 10.0], [1.0, 2.0]] {
///     prior.observe(&mut seen, &row, 1.0)?;
/// }
/// assert_eq!(prior.posterior(&seen).mean(), [Some(5.0 / 14.0)]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BetaBinomialRows(BetaBernoulli);

impl BetaBinomialRows {
    /// By what is believed of one trial.
    pub fn new(of_one: BetaBernoulli) -> Self {
        Self(of_one)
    }
}

impl ConjugatePrior<Sums> for BetaBinomialRows {
    type Posterior = Self;

    fn posterior(&self, seen: &Sums) -> Self {
        Self(self.0.posterior(seen))
    }

    fn log_marginal_likelihood(&self, seen: &Sums) -> f64 {
        self.0.log_marginal_likelihood(seen)
    }
}

impl Family for BetaBinomialRows {
    type Statistic = Sums;
    /// Successes and trials.
    type Datum = [f64; 2];

    fn name(&self) -> &'static str {
        "binomial"
    }

    fn empty(&self) -> Sums {
        self.0.empty()
    }

    fn observe(&self, statistic: &mut Sums, [successes, trials]: &[f64; 2], weight: f64) -> Result<(), OutsideSupport> {
        OutsideSupport::check(*trials, "a whole number of trials", is_count(*trials))?;
        OutsideSupport::check(*successes, "a whole number from 0 to the number of trials", is_count(*successes) && successes <= trials)?;
        statistic.add(*successes, ln_choose(*trials, *successes), weight, *trials);
        Ok(())
    }

    fn parameters(&self) -> Vec<String> {
        self.0.parameters()
    }

    fn improper(&self) -> Option<&'static str> {
        self.0.improper()
    }

    fn marginal(&self, parameter: usize) -> Option<Box<dyn Distribution>> {
        self.0.marginal(parameter)
    }

    fn mode(&self) -> Option<Vec<f64>> {
        self.0.mode()
    }

    fn maximum_likelihood(&self, seen: &Sums) -> Option<Vec<f64>> {
        self.0.maximum_likelihood(seen)
    }

    fn ln_profile_likelihood(&self, seen: &Sums, parameter: usize, p: f64) -> Option<f64> {
        self.0.ln_profile_likelihood(seen, parameter, p)
    }

    fn predictive(&self) -> Option<Box<dyn Distribution>> {
        self.0.predictive()
    }

    fn ln_predictive(&self, [successes, trials]: &[f64; 2]) -> f64 {
        let (alpha, beta, failures) = (self.0.alpha, self.0.beta, trials - successes);
        ln_choose(*trials, *successes) + ln_rising(alpha, *successes) + ln_rising(beta, failures) - ln_rising(alpha + beta, *trials)
    }

    fn draw(&self, rng: &mut dyn Rng) -> Vec<f64> {
        self.0.draw(rng)
    }

    /// Of five trials.
    fn simulate(&self, parameters: &[f64], rng: &mut dyn Rng) -> [f64; 2] {
        [binomial(5, parameters[0], rng), 5.0]
    }
}
