//! The beta-geometric distribution: failures before the first success, whose probability is Beta.

use super::beta::Beta;
use super::rising::ln_beta_more;
use super::special::whole_quantile_of;
use super::{Distribution, ImpossibleParameter, open_unit};
use crate::Rng;

/// P(k) = B(alpha + 1, beta + k)/B(alpha, beta), k = 0, 1, 2, …
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BetaGeometric {
    alpha: f64,
    beta: f64,
}

impl BetaGeometric {
    /// By the parameters of the Beta.
    ///
    /// # Errors
    /// When either is not positive and finite.
    pub fn new(alpha: f64, beta: f64) -> Result<Self, ImpossibleParameter> {
        ImpossibleParameter::positive("beta-geometric", "alpha", alpha)?;
        ImpossibleParameter::positive("beta-geometric", "beta", beta)?;
        Ok(Self { alpha, beta })
    }
}

/// A draw of the failures before a success of probability p.
pub(crate) fn geometric(p: f64, rng: &mut dyn Rng) -> f64 {
    if p >= 1.0 { 0.0 } else { (open_unit(rng).ln() / (-p).ln_1p()).floor().min(9e15) }
}

impl Distribution for BetaGeometric {
    fn describe(&self) -> (&'static str, Vec<(&'static str, f64)>) {
        ("beta-geometric", vec![("alpha", self.alpha), ("beta", self.beta)])
    }

    fn ln_pdf(&self, k: f64) -> f64 {
        if k < 0.0 || k.fract() != 0.0 {
            return f64::NEG_INFINITY;
        }
        // k failures, and then a success.
        ln_beta_more(self.alpha, self.beta, k) - ((self.beta + k) / self.alpha).ln_1p()
    }

    /// All of the first k + 1 trials fail with probability E[(1−p)^(k+1)].
    fn cdf(&self, k: f64) -> f64 {
        if k < 0.0 { 0.0 } else { -ln_beta_more(self.alpha, self.beta, k.floor() + 1.0).exp_m1() }
    }

    fn quantile(&self, p: f64) -> f64 {
        whole_quantile_of(|k| self.cdf(k), f64::INFINITY, p)
    }

    fn support(&self) -> [f64; 2] {
        [0.0, f64::INFINITY]
    }

    fn is_discrete(&self) -> bool {
        true
    }

    fn mean(&self) -> Option<f64> {
        (self.alpha > 1.0).then(|| self.beta / (self.alpha - 1.0))
    }

    fn sd(&self) -> Option<f64> {
        let (a, b) = (self.alpha, self.beta);
        (a > 2.0).then(|| (a * b * (a + b - 1.0) / (a - 2.0)).sqrt() / (a - 1.0))
    }

    fn mode(&self) -> Option<f64> {
        Some(0.0)
    }

    fn draw(&self, rng: &mut dyn Rng) -> f64 {
        Beta::new(self.alpha, self.beta).map_or(0.0, |beta| geometric(beta.draw(rng), rng))
    }
}
