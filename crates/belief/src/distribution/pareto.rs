//! The Pareto distribution.

use super::{Distribution, ImpossibleParameter, open_unit};
use crate::Rng;

/// Density ∝ x^(−shape−1) from `scale` on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pareto {
    scale: f64,
    shape: f64,
}

impl Pareto {
    /// By its least value and its shape.
    ///
    /// # Errors
    /// When either is not positive and finite.
    pub fn new(scale: f64, shape: f64) -> Result<Self, ImpossibleParameter> {
        ImpossibleParameter::positive("Pareto", "scale", scale)?;
        ImpossibleParameter::positive("Pareto", "shape", shape)?;
        Ok(Self { scale, shape })
    }
}

impl Distribution for Pareto {
    fn describe(&self) -> (&'static str, Vec<(&'static str, f64)>) {
        ("pareto", vec![("scale", self.scale), ("shape", self.shape)])
    }

    fn ln_pdf(&self, x: f64) -> f64 {
        if x < self.scale {
            return f64::NEG_INFINITY;
        }
        self.shape.ln() - x.ln() - self.shape * (x / self.scale).ln()
    }

    fn cdf(&self, x: f64) -> f64 {
        if x <= self.scale { 0.0 } else { -(-self.shape * (x / self.scale).ln()).exp_m1() }
    }

    fn quantile(&self, p: f64) -> f64 {
        self.scale * (-(-p).ln_1p() / self.shape).exp()
    }

    fn support(&self) -> [f64; 2] {
        [self.scale, f64::INFINITY]
    }

    fn mean(&self) -> Option<f64> {
        (self.shape > 1.0).then(|| self.scale * self.shape / (self.shape - 1.0))
    }

    fn sd(&self) -> Option<f64> {
        (self.shape > 2.0).then(|| self.scale / (self.shape - 1.0) * (self.shape / (self.shape - 2.0)).sqrt())
    }

    fn mode(&self) -> Option<f64> {
        Some(self.scale)
    }

    fn draw(&self, rng: &mut dyn Rng) -> f64 {
        self.scale * (-open_unit(rng).ln() / self.shape).exp()
    }
}
