//! Linear regression, Normal–inverse-Gamma prior; the predictive is Student's t. Least squares is the maximum-likelihood case.
//!
//! Gelman et al. 2013, section 14.2; Bishop 2006, exercise 3.12. The statistic is the scatter of inputs and output together: about their
//! means, so that a column such as the year, whose mean dwarfs its spread, loses no digits.

use std::f64::consts::PI;

use libm::lgamma;

use super::family::{Family, OutsideSupport};
use crate::distribution::{Distribution, ImpossibleParameter, InverseGamma, StudentT, standard_gamma, standard_normal};
use crate::{Cholesky, ConjugatePrior, Matrix, Rng, Scatter};

/// y = (1, x)·coefficients + noise, coefficients | σ² ~ N(centre, σ² precision⁻¹), σ² ~ inverse-Gamma(shape, scale).
#[derive(Clone, Debug, PartialEq)]
pub struct LinearRegression {
    centre: Vec<f64>,
    precision: Matrix,
    shape: f64,
    scale: f64,
    names: Vec<String>,
}

impl LinearRegression {
    /// By the centre of the coefficients (the intercept first), their precision in units of the noise, and shape and scale of the
    /// noise's variance; `names` are those of the inputs. A precision and a scale of zero with the shape −p/2 of p coefficients are the
    /// reference prior, whose posterior has the intervals of least squares; it is improper until there are more rows than coefficients.
    ///
    /// # Errors
    /// When sizes do not agree, a number is not finite, a precision or the scale is negative, or the shape is below −p/2.
    pub fn new(centre: Vec<f64>, precision: Matrix, shape: f64, scale: f64, names: Vec<String>) -> Result<Self, ImpossibleParameter> {
        const NAME: &str = "Normal–inverse-Gamma";
        for x in &centre {
            ImpossibleParameter::finite(NAME, "coefficient", *x)?;
        }
        let p = centre.len();
        let same = precision.n() == p && names.len() + 1 == p;
        ImpossibleParameter::check(NAME, "number of coefficients", p as f64, "one more than there are inputs", same)?;
        for i in 0..p {
            let cell = precision.get(i, i);
            ImpossibleParameter::check(NAME, "precision", cell, "zero or more, and finite", cell >= 0.0 && precision.is_finite())?;
        }
        let enough = shape >= -0.5 * p as f64 && shape.is_finite();
        ImpossibleParameter::check(NAME, "shape", shape, "finite, and minus half of the number of coefficients at least", enough)?;
        ImpossibleParameter::check(NAME, "scale", scale, "zero or more, and finite", scale >= 0.0 && scale.is_finite())?;
        Ok(Self { centre, precision, shape, scale, names })
    }

    /// The distribution of the output at these inputs.
    pub fn predictive_at(&self, inputs: &[f64]) -> Option<StudentT> {
        let row: Vec<f64> = std::iter::once(1.0).chain(inputs.iter().copied()).collect();
        let place = row.iter().zip(&self.centre).map(|(x, b)| x * b).sum();
        let spread = Cholesky::of(&self.precision)?.inverse_quadratic(&row);
        StudentT::new(2.0 * self.shape, place, (self.scale / self.shape * (1.0 + spread)).sqrt()).ok()
    }

    /// XᵀX with a first column of ones.
    fn gram(seen: &Scatter) -> Matrix {
        let (n, p) = (seen.weight, seen.mean.len());
        let mean = |i: usize| if i == 0 { 1.0 } else { seen.mean[i - 1] };
        Matrix::from_fn(p, |i, j| n * mean(i) * mean(j) + if i > 0 && j > 0 { seen.scatter.get(i - 1, j - 1) } else { 0.0 })
    }

    /// Σ (y − a − xb)², from the scatter about the means.
    fn residual(seen: &Scatter, coefficients: &[f64]) -> f64 {
        let y = seen.mean.len() - 1;
        // (b, −1) in the scatter of (x, y).
        let slopes: Vec<f64> = coefficients[1..].iter().copied().chain([-1.0]).collect();
        let at_means = seen.mean[y] - coefficients[0] - coefficients[1..].iter().zip(&seen.mean).map(|(b, x)| b * x).sum::<f64>();
        seen.scatter.quadratic(&slopes).max(0.0) + seen.weight * at_means * at_means
    }

    /// Least squares: slopes by the scatter of the inputs, and the intercept so that the means lie on the line. `None` where an input
    /// is constant or a sum of others.
    fn least_squares(seen: &Scatter) -> Option<Vec<f64>> {
        let y = seen.mean.len() - 1;
        let inputs = Matrix::from_fn(y, |i, j| seen.scatter.get(i, j));
        let slopes = Cholesky::of(&inputs)?.solve(&(0..y).map(|i| seen.scatter.get(i, y)).collect::<Vec<_>>());
        let intercept = seen.mean[y] - slopes.iter().zip(&seen.mean).map(|(b, x)| b * x).sum::<f64>();
        (seen.weight > 0.0).then(|| std::iter::once(intercept).chain(slopes).collect())
    }
}

impl ConjugatePrior<Scatter> for LinearRegression {
    type Posterior = Self;

    fn posterior(&self, seen: &Scatter) -> Self {
        if seen.weight == 0.0 {
            return self.clone();
        }
        let p = self.centre.len();
        let precision = self.precision.plus(&Self::gram(seen));
        // What the prior's line leaves of the data moves it: Λₙ(βₙ − β₀) = Xᵀ(y − Xβ₀).
        let at_means = seen.mean[p - 1] - self.centre[0] - self.centre[1..].iter().zip(&seen.mean).map(|(b, x)| b * x).sum::<f64>();
        let slopes: Vec<f64> = self.centre[1..].iter().map(|b| -b).chain([1.0]).collect();
        let left = seen.scatter.apply(&slopes);
        let pull: Vec<f64> = (0..p)
            .map(|i| seen.weight * at_means * if i == 0 { 1.0 } else { seen.mean[i - 1] } + if i == 0 { 0.0 } else { left[i - 1] })
            .collect();
        let Some(factor) = Cholesky::of(&precision) else { return Self { scale: f64::NAN, ..self.clone() } };
        let step = factor.solve(&pull);
        let centre: Vec<f64> = self.centre.iter().zip(&step).map(|(b, step)| b + step).collect();
        let scale = self.scale + 0.5 * (Self::residual(seen, &centre) + self.precision.quadratic(&step));
        Self { centre, precision, shape: self.shape + seen.weight / 2.0, scale, names: self.names.clone() }
    }

    fn log_marginal_likelihood(&self, seen: &Scatter) -> f64 {
        let after = self.posterior(seen);
        let (Some(before), Some(behind)) = (Cholesky::of(&self.precision), Cholesky::of(&after.precision)) else {
            return f64::NEG_INFINITY;
        };
        -0.5 * seen.weight * (2.0 * PI).ln() + 0.5 * (before.ln_determinant() - behind.ln_determinant()) + self.shape * self.scale.ln()
            - after.shape * after.scale.ln()
            + lgamma(after.shape)
            - lgamma(self.shape)
    }
}

impl Family for LinearRegression {
    /// Of the inputs and then the output.
    type Statistic = Scatter;
    /// The inputs and then the output.
    type Datum = Vec<f64>;

    fn name(&self) -> &'static str {
        "linear-regression"
    }

    fn empty(&self) -> Scatter {
        Scatter::empty(self.centre.len())
    }

    fn observe(&self, statistic: &mut Scatter, datum: &Vec<f64>, weight: f64) -> Result<(), OutsideSupport> {
        if let Some(wrong) = datum.iter().find(|x| !x.is_finite()) {
            return Err(OutsideSupport { value: *wrong, must: "a finite number" });
        }
        statistic.add(datum, weight).map_err(|e| OutsideSupport { value: e.found as f64, must: "a number for each column" })
    }

    fn parameters(&self) -> Vec<String> {
        let mut names = vec!["intercept".to_string()];
        names.extend(self.names.iter().map(|name| format!("slope[{name}]")));
        names.push("variance".into());
        names
    }

    fn improper(&self) -> Option<&'static str> {
        if !self.scale.is_finite() || Cholesky::of(&self.precision).is_none() {
            Some("an input is constant or a sum of others, up to rounding, and the prior does not tell them apart")
        } else {
            (self.shape <= 0.0 || self.scale <= 0.0)
                .then_some("there are no more rows than coefficients, or the line fits without an error")
        }
    }

    fn marginal(&self, parameter: usize) -> Option<Box<dyn Distribution>> {
        if parameter == self.centre.len() {
            return Some(Box::new(InverseGamma::new(self.shape, self.scale).ok()?));
        }
        let variance = Cholesky::of(&self.precision)?.inverse().get(parameter, parameter);
        Some(Box::new(StudentT::new(2.0 * self.shape, self.centre[parameter], (self.scale / self.shape * variance).sqrt()).ok()?))
    }

    fn mode(&self) -> Option<Vec<f64>> {
        let variance = self.scale / (self.shape + 1.0 + self.centre.len() as f64 / 2.0);
        Some(self.centre.iter().copied().chain([variance]).collect())
    }

    fn maximum_likelihood(&self, seen: &Scatter) -> Option<Vec<f64>> {
        let coefficients = Self::least_squares(seen)?;
        let variance = Self::residual(seen, &coefficients) / seen.weight;
        Some(coefficients.into_iter().chain([variance]).collect())
    }

    fn ln_profile_likelihood(&self, seen: &Scatter, parameter: usize, value: f64) -> Option<f64> {
        let best = Self::least_squares(seen)?;
        let (n, residual) = (seen.weight, Self::residual(seen, &best));
        if parameter == best.len() {
            return (value > 0.0).then(|| -0.5 * (n * value.ln() + residual / value));
        }
        let spread = Cholesky::of(&Self::gram(seen))?.inverse().get(parameter, parameter);
        Some(-0.5 * n * (residual + (value - best[parameter]).powi(2) / spread).ln())
    }

    fn predictive(&self) -> Option<Box<dyn Distribution>> {
        None
    }

    fn ln_predictive(&self, datum: &Vec<f64>) -> f64 {
        let inputs = datum.len() - 1;
        self.predictive_at(&datum[..inputs]).map_or(f64::NEG_INFINITY, |t| t.ln_pdf(datum[inputs]))
    }

    fn draw(&self, rng: &mut dyn Rng) -> Vec<f64> {
        let variance = self.scale / standard_gamma(self.shape, rng);
        let z: Vec<f64> = self.centre.iter().map(|_| variance.sqrt() * standard_normal(rng)).collect();
        // L⁻ᵀz has the covariance (L Lᵀ)⁻¹.
        let off = Cholesky::of(&self.precision).map_or_else(|| z.clone(), |factor| factor.solve_upper(&z));
        self.centre.iter().zip(off).map(|(b, off)| b + off).chain([variance]).collect()
    }

    /// At inputs that are standard Normal.
    fn simulate(&self, parameters: &[f64], rng: &mut dyn Rng) -> Vec<f64> {
        let p = self.centre.len();
        let mut datum: Vec<f64> = (1..p).map(|_| standard_normal(rng)).collect();
        let line = parameters[0] + datum.iter().zip(&parameters[1..p]).map(|(x, b)| x * b).sum::<f64>();
        datum.push(line + parameters[p].sqrt() * standard_normal(rng));
        datum
    }
}
