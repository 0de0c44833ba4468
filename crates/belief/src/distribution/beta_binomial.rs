//! The beta-binomial distribution: successes in so many trials whose probability is Beta.

use super::beta::Beta;
use super::rising::{ln_choose, ln_rising};
use super::special::whole_quantile_of;
use super::{Distribution, ImpossibleParameter, open_unit};
use crate::Rng;

/// P(k) = C(trials, k) B(k + alpha, trials − k + beta)/B(alpha, beta).
#[derive(Clone, Debug, PartialEq)]
pub struct BetaBinomial {
    trials: u32,
    alpha: f64,
    beta: f64,
    /// P(X ≤ k), summed once.
    cumulative: Vec<f64>,
}

impl BetaBinomial {
    /// The most trials: every number of successes has its place in memory.
    pub const MOST_TRIALS: u32 = 1_000_000;

    /// By the number of trials and the parameters of the Beta.
    ///
    /// # Errors
    /// When there is no trial or more than a million, or a parameter is not positive and finite.
    pub fn new(trials: u32, alpha: f64, beta: f64) -> Result<Self, ImpossibleParameter> {
        let few = (1..=Self::MOST_TRIALS).contains(&trials);
        ImpossibleParameter::check("beta-binomial", "number of trials", f64::from(trials), "from 1 to 1000000", few)?;
        ImpossibleParameter::positive("beta-binomial", "alpha", alpha)?;
        ImpossibleParameter::positive("beta-binomial", "beta", beta)?;
        let mut made = Self { trials, alpha, beta, cumulative: Vec::new() };
        let mut sum = 0.0;
        made.cumulative = (0..=trials)
            .map(|k| {
                sum += made.ln_pdf(f64::from(k)).exp();
                sum.min(1.0)
            })
            .collect();
        Ok(made)
    }
}

/// A draw from Bin(trials, p): each trial by itself, for there are few.
pub(crate) fn binomial(trials: u32, p: f64, rng: &mut dyn Rng) -> f64 {
    f64::from((0..trials).map(|_| u32::from(open_unit(rng) < p)).sum::<u32>())
}

impl Distribution for BetaBinomial {
    fn describe(&self) -> (&'static str, Vec<(&'static str, f64)>) {
        ("beta-binomial", vec![("trials", f64::from(self.trials)), ("alpha", self.alpha), ("beta", self.beta)])
    }

    fn ln_pdf(&self, k: f64) -> f64 {
        let n = f64::from(self.trials);
        if !(0.0..=n).contains(&k) || k.fract() != 0.0 {
            return f64::NEG_INFINITY;
        }
        if self.trials == 1 {
            // Without the rounding of five logarithms of Γ.
            return if k == 1.0 { -(self.beta / self.alpha).ln_1p() } else { -(self.alpha / self.beta).ln_1p() };
        }
        ln_choose(n, k) + ln_rising(self.alpha, k) + ln_rising(self.beta, n - k) - ln_rising(self.alpha + self.beta, n)
    }

    fn cdf(&self, k: f64) -> f64 {
        if k < 0.0 {
            0.0
        } else if k >= f64::from(self.trials) {
            1.0
        } else {
            self.cumulative[k as usize]
        }
    }

    fn quantile(&self, p: f64) -> f64 {
        whole_quantile_of(|k| self.cdf(k), f64::from(self.trials), p)
    }

    fn support(&self) -> [f64; 2] {
        [0.0, f64::from(self.trials)]
    }

    fn is_discrete(&self) -> bool {
        true
    }

    fn mean(&self) -> Option<f64> {
        Some(f64::from(self.trials) * (self.alpha / (self.alpha + self.beta)))
    }

    fn sd(&self) -> Option<f64> {
        let (n, total) = (f64::from(self.trials), self.alpha + self.beta);
        let p = self.alpha / total;
        Some((n * p * (self.beta / total) * ((total + n) / (total + 1.0))).sqrt())
    }

    fn mode(&self) -> Option<f64> {
        let all = (0..=self.trials).map(f64::from);
        let best = all.max_by(|a, b| self.ln_pdf(*a).total_cmp(&self.ln_pdf(*b)))?;
        // A tie has no mode.
        let ties = [best - 1.0, 0.0, f64::from(self.trials)];
        ties.iter().all(|k| *k == best || self.ln_pdf(*k) < self.ln_pdf(best)).then_some(best)
    }

    fn draw(&self, rng: &mut dyn Rng) -> f64 {
        let p = Beta::new(self.alpha, self.beta).map_or(0.5, |beta| beta.draw(rng));
        binomial(self.trials, p, rng)
    }
}
