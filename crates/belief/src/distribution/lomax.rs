//! The Lomax distribution, a Pareto from zero on: an exponential whose rate is Gamma.

use super::{Distribution, ImpossibleParameter, open_unit};
use crate::Rng;

/// P(X > x) = (1 + x/scale)^(−shape).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lomax {
    scale: f64,
    shape: f64,
}

impl Lomax {
    /// By scale and shape.
    ///
    /// # Errors
    /// When either is not positive and finite.
    pub fn new(scale: f64, shape: f64) -> Result<Self, ImpossibleParameter> {
        ImpossibleParameter::positive("Lomax", "scale", scale)?;
        ImpossibleParameter::positive("Lomax", "shape", shape)?;
        Ok(Self { scale, shape })
    }
}

impl Distribution for Lomax {
    fn describe(&self) -> (&'static str, Vec<(&'static str, f64)>) {
        ("lomax", vec![("scale", self.scale), ("shape", self.shape)])
    }

    fn ln_pdf(&self, x: f64) -> f64 {
        if x < 0.0 {
            return f64::NEG_INFINITY;
        }
        self.shape.ln() - self.scale.ln() - (self.shape + 1.0) * (x / self.scale).ln_1p()
    }

    fn cdf(&self, x: f64) -> f64 {
        if x <= 0.0 { 0.0 } else { -(-self.shape * (x / self.scale).ln_1p()).exp_m1() }
    }

    fn quantile(&self, p: f64) -> f64 {
        self.scale * (-(-p).ln_1p() / self.shape).exp_m1()
    }

    fn support(&self) -> [f64; 2] {
        [0.0, f64::INFINITY]
    }

    fn mean(&self) -> Option<f64> {
        (self.shape > 1.0).then(|| self.scale / (self.shape - 1.0))
    }

    fn sd(&self) -> Option<f64> {
        (self.shape > 2.0).then(|| self.scale / (self.shape - 1.0) * (self.shape / (self.shape - 2.0)).sqrt())
    }

    fn mode(&self) -> Option<f64> {
        Some(0.0)
    }

    fn draw(&self, rng: &mut dyn Rng) -> f64 {
        self.scale * (-open_unit(rng).ln() / self.shape).exp_m1()
    }
}
