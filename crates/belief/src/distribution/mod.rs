//! The distributions that priors, posteriors and predictives are made of: one file each.
//!
//! A constructor refuses parameters that make no distribution ([`ImpossibleParameter`]); what it accepts has a density that
//! integrates to one. Where a mean or a standard deviation is infinite, or there is no mode, the answer is `None` and never NaN.

mod beta;
mod beta_binomial;
mod beta_geometric;
mod gamma;
mod interval;
mod inverse_gamma;
mod inverse_power;
mod log_normal;
mod log_t;
mod lomax;
mod negative_binomial;
mod normal;
mod pareto;
mod point_mass;
mod rising;
mod saddle_point;
mod special;
mod student_t;
mod uniform;
mod uniform_compound;

use std::fmt::Debug;

use crate::Rng;

pub use beta::Beta;
pub use beta_binomial::BetaBinomial;
pub(crate) use beta_binomial::binomial;
pub use beta_geometric::BetaGeometric;
pub(crate) use beta_geometric::geometric;
pub use gamma::Gamma;
pub(crate) use gamma::{standard_gamma, standard_gamma_ln};
pub use interval::{IntervalKind, credible_interval, interval_of_draws, quantile_of_draws};
pub use inverse_gamma::InverseGamma;
pub use inverse_power::InversePower;
pub use log_normal::LogNormal;
pub use log_t::LogT;
pub use lomax::Lomax;
pub use negative_binomial::NegativeBinomial;
pub(crate) use negative_binomial::poisson;
pub use normal::Normal;
pub(crate) use normal::standard_normal;
pub use pareto::Pareto;
pub use point_mass::PointMass;
pub(crate) use rising::{ln_beta, ln_choose, ln_multichoose, ln_rising};
pub(crate) use saddle_point::{
    beta_part, binomial_part, gamma_part, ln_beta_pdf, ln_binomial, ln_gamma_pdf, ln_inverse_gamma_pdf, ln_poisson, poisson_part,
};
pub use student_t::StudentT;
pub use uniform::Uniform;
pub use uniform_compound::{BoundedUniformPredictive, ParetoUniformPredictive};

/// A distribution of one number.
pub trait Distribution: Debug + Send + Sync {
    /// Its name in small letters, and its parameters by their names.
    fn describe(&self) -> (&'static str, Vec<(&'static str, f64)>);

    /// The log density at x, of a discrete distribution the log probability; −∞ where x is impossible.
    fn ln_pdf(&self, x: f64) -> f64;

    /// P(X ≤ x).
    fn cdf(&self, x: f64) -> f64;

    /// The least x with P(X ≤ x) ≥ p.
    fn quantile(&self, p: f64) -> f64 {
        special::quantile_of(|x| self.cdf(x), self.support(), p)
    }

    /// The least and the greatest number that is possible; infinite where there is none.
    fn support(&self) -> [f64; 2];

    /// Whether only whole numbers are possible.
    fn is_discrete(&self) -> bool {
        false
    }

    /// The mean, where it is finite.
    fn mean(&self) -> Option<f64>;

    /// The standard deviation, where it is finite.
    fn sd(&self) -> Option<f64>;

    /// Where the density is greatest, if that is one place and it is finite there.
    fn mode(&self) -> Option<f64>;

    /// A random draw.
    fn draw(&self, rng: &mut dyn Rng) -> f64;
}

/// A distribution cannot have this parameter.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{distribution}: its {parameter} is {}, and must be {must}", shown(*value))]
pub struct ImpossibleParameter {
    /// Which distribution.
    pub distribution: &'static str,
    /// Which parameter.
    pub parameter: &'static str,
    /// What was given.
    pub value: f64,
    /// What it must be.
    pub must: &'static str,
}

impl ImpossibleParameter {
    /// The value, if it holds what it must.
    pub(crate) fn check(
        distribution: &'static str,
        parameter: &'static str,
        value: f64,
        must: &'static str,
        holds: bool,
    ) -> Result<f64, Self> {
        if holds { Ok(value) } else { Err(Self { distribution, parameter, value, must }) }
    }

    /// A positive and finite value.
    pub(crate) fn positive(distribution: &'static str, parameter: &'static str, value: f64) -> Result<f64, Self> {
        Self::check(distribution, parameter, value, "positive and finite", value > 0.0 && value.is_finite())
    }

    /// A finite value.
    pub(crate) fn finite(distribution: &'static str, parameter: &'static str, value: f64) -> Result<f64, Self> {
        Self::check(distribution, parameter, value, "finite", value.is_finite())
    }
}

/// A number in a message: one with hundreds of digits by its power of ten.
pub(crate) fn shown(x: f64) -> String {
    if x == 0.0 || (1e-6..1e15).contains(&x.abs()) { format!("{x}") } else { format!("{x:e}") }
}

/// A uniform draw from the open interval (0, 1).
pub(crate) fn open_unit(rng: &mut dyn Rng) -> f64 {
    // The 53 high bits, and half a step above the lower end.
    ((rng.next_u64() >> 11) as f64 + 0.5) / 9_007_199_254_740_992.0
}

#[cfg(test)]
mod tests;
