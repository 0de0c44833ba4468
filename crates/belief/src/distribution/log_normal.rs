//! The log-normal distribution: its logarithm is Normal.

use super::{Distribution, ImpossibleParameter, Normal};
use crate::Rng;

/// exp of N(mean, sd²).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LogNormal {
    mean: f64,
    sd: f64,
    of_ln: Normal,
}

impl LogNormal {
    /// By mean and standard deviation of the logarithm.
    ///
    /// # Errors
    /// When the standard deviation is not positive, or either is not finite.
    pub fn new(mean: f64, sd: f64) -> Result<Self, ImpossibleParameter> {
        ImpossibleParameter::finite("log-normal", "mean of the logarithm", mean)?;
        ImpossibleParameter::positive("log-normal", "standard deviation of the logarithm", sd)?;
        Ok(Self { mean, sd, of_ln: Normal::new(mean, sd)? })
    }
}

impl Distribution for LogNormal {
    fn describe(&self) -> (&'static str, Vec<(&'static str, f64)>) {
        ("log-normal", vec![("mean_ln", self.mean), ("sd_ln", self.sd)])
    }

    fn ln_pdf(&self, x: f64) -> f64 {
        if x > 0.0 { self.of_ln.ln_pdf(x.ln()) - x.ln() } else { f64::NEG_INFINITY }
    }

    fn cdf(&self, x: f64) -> f64 {
        if x > 0.0 { self.of_ln.cdf(x.ln()) } else { 0.0 }
    }

    fn quantile(&self, p: f64) -> f64 {
        self.of_ln.quantile(p).exp()
    }

    fn support(&self) -> [f64; 2] {
        [0.0, f64::INFINITY]
    }

    fn mean(&self) -> Option<f64> {
        Some((self.mean + self.sd * self.sd / 2.0).exp()).filter(|x| x.is_finite())
    }

    fn sd(&self) -> Option<f64> {
        let variance = self.sd * self.sd;
        Some((self.mean + variance / 2.0).exp() * variance.exp_m1().sqrt()).filter(|x| x.is_finite())
    }

    fn mode(&self) -> Option<f64> {
        Some((self.mean - self.sd * self.sd).exp())
    }

    fn draw(&self, rng: &mut dyn Rng) -> f64 {
        self.of_ln.draw(rng).exp()
    }
}
