//! Densities and mass functions that an expression may call: `normal(x, mean, variance)`, and `ln_normal` for its logarithm.
//!
//! The second parameter of a normal is its **variance**, here as everywhere in Tunbridge. A parameter outside its range makes the
//! value NaN, which becomes an error before a user sees it; a width of zero is the limit, all mass in one place.

use std::f64::consts::{LN_2, PI};

use crate::distribution::{
    beta_part, binomial_part, gamma_part, ln_beta_pdf, ln_binomial, ln_gamma_pdf, ln_inverse_gamma_pdf, ln_multichoose, ln_poisson,
    ln_rising, poisson_part,
};

/// Plus infinity, for short.
const INF: f64 = f64::INFINITY;

/// A named density of one number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Density {
    /// N(mean, variance).
    Normal,
    /// Uniform between two ends.
    Uniform,
    /// Shape and rate.
    Gamma,
    /// Shape and scale; 1/y of a gamma.
    InverseGamma,
    /// On [0, 1].
    Beta,
    /// By its rate.
    Exponential,
    /// Two exponentials back to back.
    Laplace,
    /// Degrees of freedom, location, scale.
    StudentT,
    /// Location and scale.
    Cauchy,
    /// Location and scale.
    Logistic,
    /// Mean and variance of the logarithm.
    LogNormal,
    /// Shape and scale.
    Weibull,
    /// Minimum and shape.
    Pareto,
    /// The absolute value of N(0, variance).
    HalfNormal,
    /// The absolute value of a Cauchy at 0.
    HalfCauchy,
    /// Degrees of freedom.
    ChiSquared,
    /// Whole numbers from 0, by their mean.
    Poisson,
    /// Successes of n trials.
    Binomial,
    /// 0 or 1.
    Bernoulli,
    /// Failures before the first success, from 0.
    Geometric,
    /// Failures before the r-th success.
    NegativeBinomial,
}

/// What is known of a density: its names, its parameters, what they must be.
#[derive(Debug)]
pub struct DensityFacts {
    /// Which it is.
    pub density: Density,
    /// Its names, the first one printed. Case does not matter.
    pub names: &'static [&'static str],
    /// Its parameters' names.
    pub parameters: &'static [&'static str],
    /// What its parameters must be, in words.
    pub demands: &'static str,
    /// Whether it lives on whole numbers.
    pub discrete: bool,
}

const fn facts(
    density: Density,
    names: &'static [&'static str],
    parameters: &'static [&'static str],
    demands: &'static str,
    discrete: bool,
) -> DensityFacts {
    DensityFacts { density, names, parameters, demands, discrete }
}

/// Every density.
///
/// | name | parameters | they must be |
/// |---|---|---|
/// | `normal`, `N` | mean, variance | variance ≥ 0 |
/// | `uniform`, `U` | low, high | low < high |
/// | `gamma` | shape, rate | both > 0 |
/// | `inverse_gamma` | shape, scale | both > 0 |
/// | `beta` | a, b | both > 0 |
/// | `exponential`, `Exp` | rate | > 0 |
/// | `laplace`, `cauchy`, `logistic` | location, scale | scale ≥ 0 |
/// | `student_t` | degrees, location, scale | degrees > 0, scale ≥ 0 |
/// | `log_normal` | mean, variance (of the logarithm) | variance ≥ 0 |
/// | `weibull` | shape, scale | both > 0 |
/// | `pareto` | minimum, shape | both > 0 |
/// | `half_normal` | variance | ≥ 0 |
/// | `half_cauchy` | scale | ≥ 0 |
/// | `chi_squared` | degrees | > 0 |
/// | `poisson` | mean | ≥ 0 |
/// | `binomial` | n, p | n whole, p in [0, 1] |
/// | `bernoulli`, `geometric` | p | in [0, 1], geometric > 0 |
/// | `negative_binomial` | r, p | r > 0, p in (0, 1] |
pub const DENSITIES: [DensityFacts; 21] = [
    facts(Density::Normal, &["normal", "n", "gaussian"], &["mean", "variance"], "the variance must be at least 0", false),
    facts(Density::Uniform, &["uniform", "u"], &["low", "high"], "low must be below high", false),
    facts(Density::Gamma, &["gamma"], &["shape", "rate"], "shape and rate must be above 0", false),
    facts(
        Density::InverseGamma,
        &["inverse_gamma", "inversegamma", "invgamma"],
        &["shape", "scale"],
        "shape and scale must be above 0",
        false,
    ),
    facts(Density::Beta, &["beta"], &["a", "b"], "a and b must be above 0", false),
    facts(Density::Exponential, &["exponential"], &["rate"], "the rate must be above 0", false),
    facts(Density::Laplace, &["laplace"], &["location", "scale"], "the scale must be at least 0", false),
    facts(
        Density::StudentT,
        &["student_t", "student", "studentt", "t"],
        &["degrees", "location", "scale"],
        "degrees must be above 0, the scale at least 0",
        false,
    ),
    facts(Density::Cauchy, &["cauchy"], &["location", "scale"], "the scale must be at least 0", false),
    facts(Density::Logistic, &["logistic"], &["location", "scale"], "the scale must be at least 0", false),
    facts(Density::LogNormal, &["log_normal", "lognormal"], &["mean", "variance"], "the variance must be at least 0", false),
    facts(Density::Weibull, &["weibull"], &["shape", "scale"], "shape and scale must be above 0", false),
    facts(Density::Pareto, &["pareto"], &["minimum", "shape"], "minimum and shape must be above 0", false),
    facts(Density::HalfNormal, &["half_normal", "halfnormal"], &["variance"], "the variance must be at least 0", false),
    facts(Density::HalfCauchy, &["half_cauchy", "halfcauchy"], &["scale"], "the scale must be at least 0", false),
    facts(Density::ChiSquared, &["chi_squared", "chisquared"], &["degrees"], "degrees must be above 0", false),
    facts(Density::Poisson, &["poisson"], &["mean"], "the mean must be at least 0", true),
    facts(Density::Binomial, &["binomial"], &["n", "p"], "n must be a whole number and p between 0 and 1", true),
    facts(Density::Bernoulli, &["bernoulli"], &["p"], "p must be between 0 and 1", true),
    facts(Density::Geometric, &["geometric"], &["p"], "p must be above 0 and at most 1", true),
    facts(
        Density::NegativeBinomial,
        &["negative_binomial", "negativebinomial"],
        &["r", "p"],
        "r must be above 0, p above 0 and at most 1",
        true,
    ),
];

impl Density {
    /// Its names and demands.
    pub fn facts(self) -> &'static DensityFacts {
        &DENSITIES[self as usize]
    }

    /// The density of this name, whatever its case.
    pub fn by_name(name: &str) -> Option<Self> {
        // In small letters it is the function.
        if name == "Exp" {
            return Some(Self::Exponential);
        }
        let lowered = name.to_lowercase();
        DENSITIES.iter().find(|facts| facts.names.contains(&lowered.as_str())).map(|facts| facts.density)
    }

    /// Where it can be above zero, for these parameters.
    pub fn support(self, parameters: &[f64]) -> (f64, f64) {
        match self {
            Self::Normal | Self::Laplace | Self::StudentT | Self::Cauchy | Self::Logistic => (-INF, INF),
            Self::Uniform => (parameters[0], parameters[1]),
            Self::Beta | Self::Bernoulli => (0.0, 1.0),
            Self::Pareto => (parameters[0], INF),
            Self::Binomial => (0.0, parameters[0]),
            _ => (0.0, INF),
        }
    }

    /// The logarithm of the density at x; −∞ outside the support, NaN for parameters that it cannot have.
    pub fn ln_pdf(self, x: f64, parameters: &[f64]) -> f64 {
        let mut arguments = [0.0; 3];
        let needed = self.dear_arguments();
        for (argument, place) in arguments.iter_mut().zip(needed) {
            *argument = if *place == 0 { x } else { parameters.get(place - 1).copied().unwrap_or(f64::NAN) };
        }
        self.ln_pdf_with(x, parameters, self.dear_part(&arguments[..needed.len()]))
    }

    /// What the dear part of the logarithm depends on, by the places of a call's arguments: 0 is x. Where that does not change, the
    /// part need not be found anew.
    pub(crate) fn dear_arguments(self) -> &'static [usize] {
        match self {
            Self::Gamma | Self::InverseGamma | Self::ChiSquared | Self::StudentT => &[1],
            Self::Beta => &[1, 2],
            Self::Poisson => &[0],
            Self::Binomial => &[0, 1],
            _ => &[],
        }
    }

    /// The dear part of the logarithm, of those arguments.
    pub(crate) fn dear_part(self, a: &[f64]) -> f64 {
        match self {
            Self::Gamma | Self::InverseGamma => gamma_part(a[0]),
            Self::ChiSquared => gamma_part(0.5 * a[0]),
            Self::StudentT => ln_rising(0.5 * a[0], 0.5) - 0.5 * (a[0] * PI).ln(),
            Self::Beta => beta_part(a[0], a[1]),
            Self::Poisson => poisson_part(a[0]),
            Self::Binomial => binomial_part(a[1], a[0]),
            _ => 0.0,
        }
    }

    /// [`Self::ln_pdf`], the dear part of which is known.
    #[inline]
    pub(crate) fn ln_pdf_with(self, x: f64, parameters: &[f64], part: f64) -> f64 {
        let p = |i: usize| parameters.get(i).copied().unwrap_or(f64::NAN);
        match self {
            Self::Normal => ln_normal(x, p(0), p(1)),
            Self::Uniform => within(p(0) < p(1), x >= p(0) && x <= p(1), || -(p(1) - p(0)).ln()),
            Self::Gamma => within(p(0) > 0.0 && p(1) > 0.0, x >= 0.0, || ln_gamma_pdf(x, p(0), p(1), part)),
            Self::InverseGamma => within(p(0) > 0.0 && p(1) > 0.0, x > 0.0, || ln_inverse_gamma_pdf(x, p(0), p(1), part)),
            Self::Beta => within(p(0) > 0.0 && p(1) > 0.0, (0.0..=1.0).contains(&x), || ln_beta_pdf(x, p(0), p(1), part)),
            Self::Exponential => within(p(0) > 0.0, x >= 0.0, || p(0).ln() - p(0) * x),
            Self::Laplace => scaled(x, p(0), p(1), |z| -z.abs() - LN_2),
            Self::StudentT if p(0) > 0.0 => scaled(x, p(1), p(2), |z| part - (p(0) + 1.0) / 2.0 * (z * z / p(0)).ln_1p()),
            Self::StudentT => f64::NAN,
            Self::Cauchy => scaled(x, p(0), p(1), |z| -PI.ln() - ln_one_plus_square(z)),
            Self::Logistic => scaled(x, p(0), p(1), |z| -z.abs() - 2.0 * (-z.abs()).exp().ln_1p()),
            Self::LogNormal => within(p(1) >= 0.0, x > 0.0, || ln_normal(x.ln(), p(0), p(1)) - x.ln()),
            Self::Weibull => within(p(0) > 0.0 && p(1) > 0.0, x >= 0.0, || {
                let (shape, ratio) = (p(0), x / p(1));
                shape.ln() - p(1).ln() + times_ln(shape - 1.0, ratio) - ratio.powf(shape)
            }),
            Self::Pareto => within(p(0) > 0.0 && p(1) > 0.0, x >= p(0), || p(1).ln() + p(1) * p(0).ln() - (p(1) + 1.0) * x.ln()),
            Self::HalfNormal => within(p(0) >= 0.0, x >= 0.0, || LN_2 + ln_normal(x, 0.0, p(0))),
            Self::HalfCauchy => within(p(0) >= 0.0, x >= 0.0, || LN_2 + Self::Cauchy.ln_pdf(x, &[0.0, p(0)])),
            Self::ChiSquared => within(p(0) > 0.0, x >= 0.0, || ln_gamma_pdf(x, 0.5 * p(0), 0.5, part)),
            Self::Poisson => within(p(0) >= 0.0, count(x), || ln_poisson(x, p(0), part)),
            Self::Binomial => {
                within(count(p(0)) && (0.0..=1.0).contains(&p(1)), count(x) && x <= p(0), || ln_binomial(x, p(0), p(1), part))
            }
            Self::Bernoulli => {
                within((0.0..=1.0).contains(&p(0)), x == 0.0 || x == 1.0, || if x == 1.0 { p(0).ln() } else { (-p(0)).ln_1p() })
            }
            Self::Geometric => within(p(0) > 0.0 && p(0) <= 1.0, count(x), || p(0).ln() + times_log1p(x, -p(0))),
            Self::NegativeBinomial => within(p(0) > 0.0 && p(1) > 0.0 && p(1) <= 1.0, count(x), || {
                ln_multichoose(p(0), x) + times_ln(p(0), p(1)) + times_log1p(x, -p(1))
            }),
        }
    }
}

/// NaN without sense, −∞ outside the support, else the value.
fn within(sensible: bool, inside: bool, value: impl FnOnce() -> f64) -> f64 {
    match (sensible, inside) {
        (false, _) => f64::NAN,
        (true, false) => -INF,
        (true, true) => value(),
    }
}

/// The density of a standard shape moved and stretched; with scale 0 all mass is at its location.
fn scaled(x: f64, location: f64, scale: f64, standard: impl FnOnce(f64) -> f64) -> f64 {
    if !(scale >= 0.0 && x.is_finite() && location.is_finite()) {
        return if scale >= 0.0 && !x.is_nan() && !location.is_nan() { -INF } else { f64::NAN };
    }
    if scale == 0.0 {
        return if x == location { INF } else { -INF };
    }
    standard((x - location) / scale) - scale.ln()
}

fn ln_normal(x: f64, mean: f64, variance: f64) -> f64 {
    if !(variance >= 0.0 && x.is_finite() && mean.is_finite()) {
        return if variance >= 0.0 && !x.is_nan() && !mean.is_nan() { -INF } else { f64::NAN };
    }
    if variance == 0.0 {
        return if x == mean { INF } else { -INF };
    }
    let apart = x - mean;
    -0.5 * ((2.0 * PI).ln() + variance.ln() + apart * apart / variance)
}

/// ln(1 + z²), also where z² is too large for a double.
fn ln_one_plus_square(z: f64) -> f64 {
    if z.abs() > 1e100 { 2.0 * z.abs().ln() } else { (z * z).ln_1p() }
}

/// a·ln b, and 0 where a is 0, whatever b is.
fn times_ln(a: f64, b: f64) -> f64 {
    if a == 0.0 { 0.0 } else { a * b.ln() }
}

/// a·ln(1 + b), and 0 where a is 0.
fn times_log1p(a: f64, b: f64) -> f64 {
    if a == 0.0 { 0.0 } else { a * b.ln_1p() }
}

/// Whether x is a whole number from 0 on.
fn count(x: f64) -> bool {
    x >= 0.0 && x.is_finite() && x.fract() == 0.0
}

/// ln of the number of ways to choose k of n.
pub(crate) fn ln_choose(n: f64, k: f64) -> f64 {
    if k < 0.0 || k > n {
        return if n.is_nan() || k.is_nan() { f64::NAN } else { -INF };
    }
    if k == 0.0 || k == n { 0.0 } else { crate::distribution::ln_choose(n, k) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_in_the_order_of_the_kinds() {
        for facts in &DENSITIES {
            assert_eq!(facts.density.facts().names, facts.names);
            assert_eq!(Density::by_name(&facts.names[0].to_uppercase()), Some(facts.density));
        }
    }

    /// Values by hand: φ(0) = 1/√(2π), Poisson 2 of mean 3 = 4.5 e⁻³, binomial 2 of 3 at ½ = 3/8, and so on.
    #[test]
    fn densities_by_hand() {
        let close = |ln_p: f64, p: f64| assert!((ln_p.exp() / p - 1.0).abs() < 1e-13, "{} is not {p}", ln_p.exp());
        close(Density::Normal.ln_pdf(3.0, &[3.0, 4.0]), 1.0 / (8.0 * PI).sqrt());
        close(Density::Uniform.ln_pdf(3.0, &[0.0, 10.0]), 0.1);
        close(Density::Gamma.ln_pdf(2.0, &[3.0, 0.5]), 0.125 / 2.0 * 4.0 * (-1.0_f64).exp());
        close(Density::InverseGamma.ln_pdf(0.5, &[3.0, 0.5]), 0.125 / 2.0 * 16.0 * (-1.0_f64).exp());
        close(Density::Beta.ln_pdf(0.25, &[2.0, 3.0]), 12.0 * 0.25 * 0.5625);
        close(Density::Poisson.ln_pdf(2.0, &[3.0]), 4.5 * (-3.0_f64).exp());
        close(Density::Binomial.ln_pdf(2.0, &[3.0, 0.5]), 0.375);
        close(Density::Bernoulli.ln_pdf(0.0, &[0.25]), 0.75);
        close(Density::Geometric.ln_pdf(2.0, &[0.25]), 0.140625);
        close(Density::NegativeBinomial.ln_pdf(2.0, &[2.0, 0.25]), 3.0 * 0.0625 * 0.5625);
        close(Density::Cauchy.ln_pdf(1.0, &[0.0, 1.0]), 0.5 / PI);
        close(Density::StudentT.ln_pdf(1.0, &[1.0, 0.0, 1.0]), 0.5 / PI);
        close(Density::Laplace.ln_pdf(2.0, &[0.0, 2.0]), 0.25 * (-1.0_f64).exp());
        close(Density::Logistic.ln_pdf(0.0, &[0.0, 1.0]), 0.25);
        close(Density::Weibull.ln_pdf(2.0, &[1.0, 2.0]), 0.5 * (-1.0_f64).exp());
        close(Density::Pareto.ln_pdf(2.0, &[1.0, 3.0]), 3.0 / 16.0);
        close(Density::HalfNormal.ln_pdf(0.0, &[1.0]), 2.0 / (2.0 * PI).sqrt());
        close(Density::HalfCauchy.ln_pdf(1.0, &[1.0]), 1.0 / PI);
        close(Density::ChiSquared.ln_pdf(2.0, &[2.0]), 0.5 * (-1.0_f64).exp());
        close(Density::LogNormal.ln_pdf(1.0, &[0.0, 1.0]), 1.0 / (2.0 * PI).sqrt());
        close(Density::Exponential.ln_pdf(1.0, &[2.0]), 2.0 * (-2.0_f64).exp());
    }

    #[test]
    fn outside_the_support_is_impossible_and_senseless_parameters_are_no_number() {
        assert_eq!(Density::Uniform.ln_pdf(11.0, &[0.0, 10.0]), -INF);
        assert_eq!(Density::Poisson.ln_pdf(1.5, &[3.0]), -INF);
        assert_eq!(Density::Poisson.ln_pdf(0.0, &[0.0]), 0.0);
        assert_eq!(Density::Beta.ln_pdf(0.0, &[1.0, 1.0]), 0.0);
        assert!(Density::Normal.ln_pdf(0.0, &[0.0, -1.0]).is_nan());
        assert!(Density::Gamma.ln_pdf(1.0, &[0.0, 1.0]).is_nan());
        assert_eq!(Density::Normal.ln_pdf(1.0, &[0.0, 0.0]), -INF);
    }
}
