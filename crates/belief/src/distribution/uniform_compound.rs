//! The next number of U[0, θ] where θ is not known: its density is constant up to the greatest number seen, and falls beyond it.

use super::inverse_power::InversePower;
use super::{Distribution, ImpossibleParameter, Pareto, Uniform, open_unit};
use crate::Rng;

/// U[0, θ] with θ ~ Pareto(scale, shape).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ParetoUniformPredictive {
    scale: f64,
    shape: f64,
    of_theta: Pareto,
}

impl ParetoUniformPredictive {
    /// By scale and shape of the Pareto.
    ///
    /// # Errors
    /// When either is not positive and finite.
    pub fn new(scale: f64, shape: f64) -> Result<Self, ImpossibleParameter> {
        Ok(Self { scale, shape, of_theta: Pareto::new(scale, shape)? })
    }
}

impl Distribution for ParetoUniformPredictive {
    fn describe(&self) -> (&'static str, Vec<(&'static str, f64)>) {
        ("pareto-uniform", vec![("scale", self.scale), ("shape", self.shape)])
    }

    fn ln_pdf(&self, x: f64) -> f64 {
        if x < 0.0 {
            return f64::NEG_INFINITY;
        }
        let beyond = (x.max(self.scale) / self.scale).ln();
        (self.shape / (self.shape + 1.0)).ln() - self.scale.ln() - (self.shape + 1.0) * beyond
    }

    fn cdf(&self, x: f64) -> f64 {
        if x <= 0.0 {
            0.0
        } else if x <= self.scale {
            self.shape / (self.shape + 1.0) * (x / self.scale)
        } else {
            1.0 - (-self.shape * (x / self.scale).ln()).exp() / (self.shape + 1.0)
        }
    }

    fn support(&self) -> [f64; 2] {
        [0.0, f64::INFINITY]
    }

    fn mean(&self) -> Option<f64> {
        Some(self.of_theta.mean()? / 2.0)
    }

    /// E x² = E θ²/3, and E θ² = shape·scale²/(shape − 2).
    fn sd(&self) -> Option<f64> {
        let mean = self.mean()?;
        (self.shape > 2.0).then(|| (self.shape * self.scale * self.scale / (3.0 * (self.shape - 2.0)) - mean * mean).sqrt())
    }

    fn mode(&self) -> Option<f64> {
        None
    }

    fn draw(&self, rng: &mut dyn Rng) -> f64 {
        self.of_theta.draw(rng) * open_unit(rng)
    }
}

/// U[0, θ] with θ ~ c/θⁿ on [low, high]: the constant α below the lower end, and c/(n xⁿ) − c/(n highⁿ) above it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BoundedUniformPredictive {
    of_theta: InversePower,
}

impl BoundedUniformPredictive {
    /// By what is believed of θ.
    pub fn new(of_theta: InversePower) -> Self {
        Self { of_theta }
    }

    /// α, the density below the greatest number seen; `None` where none was.
    pub fn alpha(&self) -> Option<f64> {
        let [low, _] = self.of_theta.ends();
        (low > 0.0).then(|| self.of_theta.ln_tail_of_next_power(low).exp())
    }
}

impl Distribution for BoundedUniformPredictive {
    fn describe(&self) -> (&'static str, Vec<(&'static str, f64)>) {
        let [low, high] = self.of_theta.ends();
        let mut parameters = vec![("power", self.of_theta.power()), ("low", low), ("high", high)];
        parameters.extend(self.alpha().map(|alpha| ("alpha", alpha)));
        ("bounded-uniform", parameters)
    }

    fn ln_pdf(&self, x: f64) -> f64 {
        let [low, high] = self.of_theta.ends();
        if !(0.0..high).contains(&x) {
            return f64::NEG_INFINITY;
        }
        let x = x.max(low);
        // Without data the density is ln(high/x)/high, which grows beyond every bound at zero.
        if x == 0.0 { f64::INFINITY } else { self.of_theta.ln_tail_of_next_power(x) }
    }

    /// P(X ≤ x) = P(θ ≤ x) + x ∫ p(θ)/θ dθ from x on.
    fn cdf(&self, x: f64) -> f64 {
        let [_, high] = self.of_theta.ends();
        if x <= 0.0 {
            0.0
        } else if x >= high {
            1.0
        } else {
            (self.of_theta.cdf(x) + x * self.ln_pdf(x).exp()).min(1.0)
        }
    }

    fn support(&self) -> [f64; 2] {
        [0.0, self.of_theta.ends()[1]]
    }

    fn mean(&self) -> Option<f64> {
        Some(self.of_theta.mean()? / 2.0)
    }

    fn sd(&self) -> Option<f64> {
        let (mean, sd) = (self.of_theta.mean()?, self.of_theta.sd()?);
        // E x² = E θ²/3.
        Some(((mean * mean + sd * sd) / 3.0 - mean * mean / 4.0).sqrt())
    }

    fn mode(&self) -> Option<f64> {
        None
    }

    fn draw(&self, rng: &mut dyn Rng) -> f64 {
        let theta = self.of_theta.draw(rng);
        Uniform::new(0.0, theta).map_or(0.0, |uniform| uniform.draw(rng))
    }
}
