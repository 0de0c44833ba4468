//! All probability in one place: a belief so strong that no data move it.

use super::Distribution;
use crate::Rng;

/// Certainty. It has no density: the log density is zero at its place, where its probability is one, and −∞ elsewhere.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PointMass {
    /// Where.
    pub at: f64,
}

impl Distribution for PointMass {
    fn describe(&self) -> (&'static str, Vec<(&'static str, f64)>) {
        ("point-mass", vec![("at", self.at)])
    }

    fn ln_pdf(&self, x: f64) -> f64 {
        if x == self.at { 0.0 } else { f64::NEG_INFINITY }
    }

    fn cdf(&self, x: f64) -> f64 {
        if x >= self.at { 1.0 } else { 0.0 }
    }

    fn quantile(&self, _: f64) -> f64 {
        self.at
    }

    fn support(&self) -> [f64; 2] {
        [self.at, self.at]
    }

    fn mean(&self) -> Option<f64> {
        Some(self.at)
    }

    fn sd(&self) -> Option<f64> {
        Some(0.0)
    }

    fn mode(&self) -> Option<f64> {
        Some(self.at)
    }

    fn draw(&self, _: &mut dyn Rng) -> f64 {
        self.at
    }
}
