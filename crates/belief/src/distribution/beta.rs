//! The Beta distribution.

use super::gamma::standard_gamma_ln;
use super::saddle_point::{beta_part, ln_beta_pdf};
use super::special::beta_regularised;
use super::{Distribution, ImpossibleParameter};
use crate::Rng;

/// Density ∝ x^(alpha−1) (1−x)^(beta−1).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Beta {
    alpha: f64,
    beta: f64,
}

impl Beta {
    /// By its two parameters.
    ///
    /// # Errors
    /// When either is not positive and finite.
    pub fn new(alpha: f64, beta: f64) -> Result<Self, ImpossibleParameter> {
        ImpossibleParameter::positive("Beta", "alpha", alpha)?;
        ImpossibleParameter::positive("Beta", "beta", beta)?;
        Ok(Self { alpha, beta })
    }
}

impl Distribution for Beta {
    fn describe(&self) -> (&'static str, Vec<(&'static str, f64)>) {
        ("beta", vec![("alpha", self.alpha), ("beta", self.beta)])
    }

    fn ln_pdf(&self, x: f64) -> f64 {
        if !(0.0..=1.0).contains(&x) {
            return f64::NEG_INFINITY;
        }
        ln_beta_pdf(x, self.alpha, self.beta, beta_part(self.alpha, self.beta))
    }

    fn cdf(&self, x: f64) -> f64 {
        beta_regularised(self.alpha, self.beta, x)
    }

    fn support(&self) -> [f64; 2] {
        [0.0, 1.0]
    }

    fn mean(&self) -> Option<f64> {
        Some(self.alpha / (self.alpha + self.beta))
    }

    fn sd(&self) -> Option<f64> {
        let total = self.alpha + self.beta;
        Some((self.alpha / total * (self.beta / total) / (total + 1.0)).sqrt())
    }

    fn mode(&self) -> Option<f64> {
        let (a, b) = (self.alpha, self.beta);
        // Of Beta(1, 1) every place is as good as any other, and below one the density is infinite at an end.
        (a >= 1.0 && b >= 1.0 && a + b > 2.0).then(|| (a - 1.0) / (a + b - 2.0))
    }

    fn draw(&self, rng: &mut dyn Rng) -> f64 {
        let (a, b) = (standard_gamma_ln(self.alpha, rng), standard_gamma_ln(self.beta, rng));
        1.0 / (1.0 + (b - a).exp())
    }
}
