//! The uniform distribution.

use super::{Distribution, ImpossibleParameter, open_unit};
use crate::Rng;

/// U[low, high].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Uniform {
    low: f64,
    high: f64,
}

impl Uniform {
    /// By its ends.
    ///
    /// # Errors
    /// When an end is not finite, or the upper is not above the lower.
    pub fn new(low: f64, high: f64) -> Result<Self, ImpossibleParameter> {
        ImpossibleParameter::finite("Uniform", "lower end", low)?;
        ImpossibleParameter::check("Uniform", "upper end", high, "finite and above the lower end", high.is_finite() && high > low)?;
        Ok(Self { low, high })
    }
}

impl Distribution for Uniform {
    fn describe(&self) -> (&'static str, Vec<(&'static str, f64)>) {
        ("uniform", vec![("low", self.low), ("high", self.high)])
    }

    fn ln_pdf(&self, x: f64) -> f64 {
        if (self.low..=self.high).contains(&x) { -(self.high - self.low).ln() } else { f64::NEG_INFINITY }
    }

    fn cdf(&self, x: f64) -> f64 {
        ((x - self.low) / (self.high - self.low)).clamp(0.0, 1.0)
    }

    fn quantile(&self, p: f64) -> f64 {
        self.low + (self.high - self.low) * p
    }

    fn support(&self) -> [f64; 2] {
        [self.low, self.high]
    }

    fn mean(&self) -> Option<f64> {
        Some(self.low + (self.high - self.low) / 2.0)
    }

    fn sd(&self) -> Option<f64> {
        Some((self.high - self.low) / 12f64.sqrt())
    }

    fn mode(&self) -> Option<f64> {
        None
    }

    fn draw(&self, rng: &mut dyn Rng) -> f64 {
        self.quantile(open_unit(rng))
    }
}
