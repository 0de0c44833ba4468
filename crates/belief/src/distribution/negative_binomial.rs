//! The negative binomial distribution: a Poisson whose rate is Gamma.

use rand_distr::Poisson;

use super::gamma::standard_gamma;
use super::rising::ln_multichoose;
use super::special::{beta_regularised, whole_quantile_of};
use super::{Distribution, ImpossibleParameter};
use crate::Rng;

/// P(k) = Γ(k + shape)/(k! Γ(shape)) · p^shape (1−p)^k, with p = rate/(rate + 1).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NegativeBinomial {
    shape: f64,
    rate: f64,
}

impl NegativeBinomial {
    /// By shape and rate of the Gamma.
    ///
    /// # Errors
    /// When either is not positive and finite.
    pub fn new(shape: f64, rate: f64) -> Result<Self, ImpossibleParameter> {
        ImpossibleParameter::positive("negative binomial", "shape", shape)?;
        ImpossibleParameter::positive("negative binomial", "rate", rate)?;
        Ok(Self { shape, rate })
    }
}

/// A draw from Poisson(rate).
pub(crate) fn poisson(rate: f64, rng: &mut dyn Rng) -> f64 {
    match Poisson::new(rate) {
        Ok(poisson) => rand_distr::Distribution::<f64>::sample(&poisson, rng),
        // Beyond what the sampler takes a Poisson is Normal to all digits, and below it zero.
        Err(_) if rate > 1.0 => (rate + rate.sqrt() * super::normal::standard_normal(rng)).round().max(0.0),
        Err(_) => 0.0,
    }
}

impl Distribution for NegativeBinomial {
    fn describe(&self) -> (&'static str, Vec<(&'static str, f64)>) {
        ("negative-binomial", vec![("shape", self.shape), ("rate", self.rate)])
    }

    fn ln_pdf(&self, k: f64) -> f64 {
        if k < 0.0 || k.fract() != 0.0 {
            return f64::NEG_INFINITY;
        }
        let ln_p = -(1.0 / self.rate).ln_1p();
        let ln_q = -self.rate.ln_1p();
        ln_multichoose(self.shape, k) + self.shape * ln_p + k * ln_q
    }

    fn cdf(&self, k: f64) -> f64 {
        if k < 0.0 { 0.0 } else { beta_regularised(self.shape, k.floor() + 1.0, self.rate / (self.rate + 1.0)) }
    }

    fn quantile(&self, p: f64) -> f64 {
        whole_quantile_of(|k| self.cdf(k), f64::INFINITY, p)
    }

    fn support(&self) -> [f64; 2] {
        [0.0, f64::INFINITY]
    }

    fn is_discrete(&self) -> bool {
        true
    }

    fn mean(&self) -> Option<f64> {
        Some(self.shape / self.rate)
    }

    fn sd(&self) -> Option<f64> {
        Some((self.shape * (self.rate + 1.0)).sqrt() / self.rate)
    }

    fn mode(&self) -> Option<f64> {
        Some(((self.shape - 1.0) / self.rate).floor().max(0.0))
    }

    fn draw(&self, rng: &mut dyn Rng) -> f64 {
        poisson(standard_gamma(self.shape, rng) / self.rate, rng)
    }
}
