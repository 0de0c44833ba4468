//! The inverse-Gamma distribution: 1/X is Gamma.

use super::gamma::standard_gamma;
use super::saddle_point::{gamma_part, ln_inverse_gamma_pdf};
use super::special::gamma_upper;
use super::{Distribution, ImpossibleParameter};
use crate::Rng;

/// Density ∝ x^(−shape−1) exp(−scale/x).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct InverseGamma {
    shape: f64,
    scale: f64,
}

impl InverseGamma {
    /// By shape and scale.
    ///
    /// # Errors
    /// When either is not positive and finite.
    pub fn new(shape: f64, scale: f64) -> Result<Self, ImpossibleParameter> {
        ImpossibleParameter::positive("inverse-Gamma", "shape", shape)?;
        ImpossibleParameter::positive("inverse-Gamma", "scale", scale)?;
        Ok(Self { shape, scale })
    }
}

impl Distribution for InverseGamma {
    fn describe(&self) -> (&'static str, Vec<(&'static str, f64)>) {
        ("inverse-gamma", vec![("shape", self.shape), ("scale", self.scale)])
    }

    fn ln_pdf(&self, x: f64) -> f64 {
        if x <= 0.0 {
            return f64::NEG_INFINITY;
        }
        ln_inverse_gamma_pdf(x, self.shape, self.scale, gamma_part(self.shape))
    }

    fn cdf(&self, x: f64) -> f64 {
        if x <= 0.0 { 0.0 } else { gamma_upper(self.shape, self.scale / x) }
    }

    fn support(&self) -> [f64; 2] {
        [0.0, f64::INFINITY]
    }

    fn mean(&self) -> Option<f64> {
        (self.shape > 1.0).then(|| self.scale / (self.shape - 1.0))
    }

    fn sd(&self) -> Option<f64> {
        (self.shape > 2.0).then(|| self.scale / (self.shape - 1.0) / (self.shape - 2.0).sqrt())
    }

    fn mode(&self) -> Option<f64> {
        Some(self.scale / (self.shape + 1.0))
    }

    fn draw(&self, rng: &mut dyn Rng) -> f64 {
        self.scale / standard_gamma(self.shape, rng)
    }
}
