//! The Gamma distribution, by shape and rate.

use super::saddle_point::{gamma_part, ln_gamma_pdf};
use super::special::gamma_lower;
use super::{Distribution, ImpossibleParameter, open_unit};
use crate::Rng;

/// Density ∝ x^(shape−1) exp(−rate·x).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gamma {
    shape: f64,
    rate: f64,
}

impl Gamma {
    /// By shape and rate.
    ///
    /// # Errors
    /// When either is not positive and finite.
    pub fn new(shape: f64, rate: f64) -> Result<Self, ImpossibleParameter> {
        ImpossibleParameter::positive("Gamma", "shape", shape)?;
        ImpossibleParameter::positive("Gamma", "rate", rate)?;
        Ok(Self { shape, rate })
    }
}

impl Distribution for Gamma {
    fn describe(&self) -> (&'static str, Vec<(&'static str, f64)>) {
        ("gamma", vec![("shape", self.shape), ("rate", self.rate)])
    }

    fn ln_pdf(&self, x: f64) -> f64 {
        if x < 0.0 {
            return f64::NEG_INFINITY;
        }
        ln_gamma_pdf(x, self.shape, self.rate, gamma_part(self.shape))
    }

    fn cdf(&self, x: f64) -> f64 {
        gamma_lower(self.shape, self.rate * x)
    }

    fn support(&self) -> [f64; 2] {
        [0.0, f64::INFINITY]
    }

    fn mean(&self) -> Option<f64> {
        Some(self.shape / self.rate)
    }

    fn sd(&self) -> Option<f64> {
        Some(self.shape.sqrt() / self.rate)
    }

    fn mode(&self) -> Option<f64> {
        (self.shape >= 1.0).then(|| (self.shape - 1.0) / self.rate)
    }

    fn draw(&self, rng: &mut dyn Rng) -> f64 {
        standard_gamma(self.shape, rng) / self.rate
    }
}

/// A draw from Gamma(shape, 1), never exactly zero.
pub(crate) fn standard_gamma(shape: f64, rng: &mut dyn Rng) -> f64 {
    standard_gamma_ln(shape, rng).exp().max(f64::MIN_POSITIVE)
}

/// The logarithm of a draw from Gamma(shape, 1): a small shape draws numbers that doubles do not hold.
pub(crate) fn standard_gamma_ln(shape: f64, rng: &mut dyn Rng) -> f64 {
    // Marsaglia & Tsang 2000, section 6: Gamma(a) is Gamma(a + 1) · U^(1/a).
    let (more, boost) = if shape < 1.0 { (shape + 1.0, open_unit(rng).ln() / shape) } else { (shape, 0.0) };
    match rand_distr::Gamma::new(more, 1.0) {
        Ok(gamma) => rand_distr::Distribution::<f64>::sample(&gamma, rng).ln() + boost,
        Err(_) => f64::NEG_INFINITY,
    }
}
