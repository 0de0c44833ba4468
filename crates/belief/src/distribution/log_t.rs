//! The log-t distribution: its logarithm is Student's t. The predictive of log-normal data whose mean and variance are not known.

use super::{Distribution, StudentT};
use crate::Rng;

/// exp of a Student's t. Its mean is infinite, whatever the degrees of freedom, and its density has no greatest value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LogT {
    /// The distribution of the logarithm.
    pub of_ln: StudentT,
}

impl Distribution for LogT {
    fn describe(&self) -> (&'static str, Vec<(&'static str, f64)>) {
        ("log-t", vec![("degrees", self.of_ln.degrees), ("location_ln", self.of_ln.location), ("scale_ln", self.of_ln.scale)])
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
        None
    }

    fn sd(&self) -> Option<f64> {
        None
    }

    fn mode(&self) -> Option<f64> {
        None
    }

    fn draw(&self, rng: &mut dyn Rng) -> f64 {
        self.of_ln.draw(rng).exp()
    }
}
