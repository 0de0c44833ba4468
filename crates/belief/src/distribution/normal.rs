//! The Normal distribution.

use std::f64::consts::PI;

use rand_distr::StandardNormal;

use super::special::{normal_cdf, quantile_of};
use super::{Distribution, ImpossibleParameter};
use crate::Rng;

/// N(mean, sd²).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Normal {
    mean: f64,
    sd: f64,
}

impl Normal {
    /// By mean and standard deviation.
    ///
    /// # Errors
    /// When the standard deviation is not positive, or either is not finite.
    pub fn new(mean: f64, sd: f64) -> Result<Self, ImpossibleParameter> {
        ImpossibleParameter::finite("Normal", "mean", mean)?;
        ImpossibleParameter::positive("Normal", "standard deviation", sd)?;
        Ok(Self { mean, sd })
    }
}

impl Distribution for Normal {
    fn describe(&self) -> (&'static str, Vec<(&'static str, f64)>) {
        ("normal", vec![("mean", self.mean), ("sd", self.sd)])
    }

    fn ln_pdf(&self, x: f64) -> f64 {
        let z = (x - self.mean) / self.sd;
        -0.5 * z * z - self.sd.ln() - 0.5 * (2.0 * PI).ln()
    }

    fn cdf(&self, x: f64) -> f64 {
        normal_cdf((x - self.mean) / self.sd)
    }

    fn quantile(&self, p: f64) -> f64 {
        // Of the lower half, where the distribution function has all its digits.
        let z = quantile_of(normal_cdf, [-40.0, 0.0], p.min(1.0 - p));
        self.mean + self.sd * if p > 0.5 { -z } else { z }
    }

    fn support(&self) -> [f64; 2] {
        [f64::NEG_INFINITY, f64::INFINITY]
    }

    fn mean(&self) -> Option<f64> {
        Some(self.mean)
    }

    fn sd(&self) -> Option<f64> {
        Some(self.sd)
    }

    fn mode(&self) -> Option<f64> {
        Some(self.mean)
    }

    fn draw(&self, mut rng: &mut dyn Rng) -> f64 {
        self.mean + self.sd * standard_normal(&mut rng)
    }
}

/// A draw from N(0, 1).
pub(crate) fn standard_normal(rng: &mut dyn Rng) -> f64 {
    rand_distr::Distribution::<f64>::sample(&StandardNormal, rng)
}
