//! Student's t with a place and a scale.

use std::f64::consts::PI;

use super::normal::standard_normal;
use super::rising::ln_rising;
use super::special::{beta_regularised, quantile_of};
use super::{Distribution, ImpossibleParameter};
use crate::Rng;

/// Student's t with a place and a scale.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StudentT {
    /// Degrees of freedom ν.
    pub degrees: f64,
    /// The centre.
    pub location: f64,
    /// σ, not σ².
    pub scale: f64,
}

impl StudentT {
    /// By degrees of freedom, centre and scale.
    ///
    /// # Errors
    /// When degrees or scale are not positive, or any is not finite.
    pub fn new(degrees: f64, location: f64, scale: f64) -> Result<Self, ImpossibleParameter> {
        ImpossibleParameter::positive("Student's t", "degrees of freedom", degrees)?;
        ImpossibleParameter::finite("Student's t", "location", location)?;
        ImpossibleParameter::positive("Student's t", "scale", scale)?;
        Ok(Self { degrees, location, scale })
    }

    /// The part of [`Distribution::ln_pdf`] that does not depend on x.
    pub fn ln_normaliser(&self) -> f64 {
        ln_rising(self.degrees / 2.0, 0.5) - 0.5 * (self.degrees * PI).ln() - self.scale.ln()
    }

    /// The log density at x.
    pub fn ln_pdf(&self, x: f64) -> f64 {
        let z = (x - self.location) / self.scale;
        self.ln_normaliser() - (self.degrees + 1.0) / 2.0 * (z * z / self.degrees).ln_1p()
    }
}

impl Distribution for StudentT {
    fn describe(&self) -> (&'static str, Vec<(&'static str, f64)>) {
        ("student-t", vec![("degrees", self.degrees), ("location", self.location), ("scale", self.scale)])
    }

    fn ln_pdf(&self, x: f64) -> f64 {
        StudentT::ln_pdf(self, x)
    }

    fn cdf(&self, x: f64) -> f64 {
        let z = (x - self.location) / self.scale;
        let tail = lower_tail(self.degrees, -z.abs());
        if z > 0.0 { 1.0 - tail } else { tail }
    }

    fn quantile(&self, p: f64) -> f64 {
        let z = quantile_of(|z| lower_tail(self.degrees, z), [f64::NEG_INFINITY, 0.0], p.min(1.0 - p));
        self.location + self.scale * if p > 0.5 { -z } else { z }
    }

    fn support(&self) -> [f64; 2] {
        [f64::NEG_INFINITY, f64::INFINITY]
    }

    fn mean(&self) -> Option<f64> {
        (self.degrees > 1.0).then_some(self.location)
    }

    fn sd(&self) -> Option<f64> {
        (self.degrees > 2.0).then(|| self.scale * (self.degrees / (self.degrees - 2.0)).sqrt())
    }

    fn mode(&self) -> Option<f64> {
        Some(self.location)
    }

    fn draw(&self, rng: &mut dyn Rng) -> f64 {
        let chi_squared = 2.0 * super::gamma::standard_gamma(self.degrees / 2.0, rng);
        self.location + self.scale * standard_normal(rng) * (self.degrees / chi_squared).sqrt()
    }
}

/// P(T ≤ z) of z ≤ 0.
fn lower_tail(degrees: f64, z: f64) -> f64 {
    // z² may be beyond the doubles where 1/z² is not.
    let x = 1.0 / (1.0 + z * z / degrees);
    if x > 0.5 && degrees < 1e6 {
        // ν/(ν + z²) is near one, and one minus it has the digits.
        let y = z * z / (degrees + z * z);
        0.5 - 0.5 * beta_regularised(0.5, degrees / 2.0, y)
    } else {
        0.5 * beta_regularised(degrees / 2.0, 0.5, x)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Student's t with one degree of freedom is Cauchy: density 1/π at its centre.
    #[test]
    fn one_degree_of_freedom_is_cauchy() {
        let t = StudentT { degrees: 1.0, location: 0.0, scale: 1.0 };
        assert!((t.ln_pdf(0.0) + PI.ln()).abs() < 1e-14);
    }

    #[test]
    fn many_degrees_of_freedom_are_normal_and_lose_no_digits() {
        let t = StudentT { degrees: 1e13, location: 0.0, scale: 1.0 };
        assert!((t.ln_pdf(0.5) + 0.125 + 0.5 * (2.0 * PI).ln()).abs() < 1e-12);
        let join = ln_rising(99_999.999, 0.5) - ln_rising(100_000.001, 0.5);
        assert!((join + 0.5 * (0.002 / 1e5)).abs() < 1e-9);
    }
}
