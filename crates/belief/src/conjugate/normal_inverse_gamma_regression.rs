//! Linear regression, Normal–inverse-Gamma prior; the predictive is Student's t. Least squares is the maximum-likelihood case.
//!
//! Gelman et al. 2013, section 14.2; Bishop 2006, exercise 3.12. The statistic is the scatter of inputs and output together, and
//! the line is solved for about the inputs' means, so that a column such as the year, whose mean dwarfs its spread, loses no more
//! digits than its mean does.

use std::f64::consts::PI;

use super::family::{Family, OutsideSupport};
use crate::distribution::{Distribution, ImpossibleParameter, InverseGamma, StudentT, ln_rising, standard_gamma, standard_normal};
use crate::{Cholesky, ConjugatePrior, Matrix, Rng, Scatter, SufficientStatistic};

/// y = (1, x)·coefficients + noise, coefficients | σ² ~ N(centre, σ² precision⁻¹), σ² ~ inverse-Gamma(shape, scale).
///
/// A posterior keeps the prior and all that was seen: a line through too few rows is no distribution yet, and more rows mend it.
#[derive(Clone, Debug, PartialEq)]
pub struct LinearRegression {
    centre: Vec<f64>,
    precision: Matrix,
    shape: f64,
    scale: f64,
    names: Vec<String>,
    seen: Scatter,
    solved: Option<Solved>,
}

/// The line with its height at the inputs' means in the place of the intercept.
#[derive(Clone, Debug, PartialEq)]
struct Solved {
    /// The inputs' means.
    origin: Vec<f64>,
    /// The height there, and the slopes.
    centre: Vec<f64>,
    /// The factor of their precision.
    factor: Cholesky,
    shape: f64,
    scale: f64,
    /// By how much the data raised the scale.
    raised: f64,
}

impl Solved {
    fn is_proper(&self) -> bool {
        self.shape > 0.0 && self.scale > 0.0 && self.scale.is_finite()
    }

    /// A row about the origin.
    fn about(&self, inputs: &[f64]) -> Vec<f64> {
        std::iter::once(1.0).chain(inputs.iter().zip(&self.origin).map(|(x, o)| x - o)).collect()
    }

    /// The coefficients with the intercept at zero.
    fn with_intercept(&self, about: &[f64]) -> Vec<f64> {
        let intercept = about[0] - about[1..].iter().zip(&self.origin).map(|(b, o)| b * o).sum::<f64>();
        std::iter::once(intercept).chain(about[1..].iter().copied()).collect()
    }
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
        let seen = Scatter::empty(p);
        let mut made = Self { centre, precision, shape, scale, names, seen, solved: None };
        made.solved = made.solve();
        Ok(made)
    }

    /// The distribution of the output at these inputs, where the belief is proper.
    pub fn predictive_at(&self, inputs: &[f64]) -> Option<StudentT> {
        let solved = self.solved.as_ref()?;
        let row = solved.about(inputs);
        let place = row.iter().zip(&solved.centre).map(|(x, b)| x * b).sum();
        let spread = solved.factor.inverse_quadratic(&row);
        StudentT::new(2.0 * solved.shape, place, (solved.scale / solved.shape * (1.0 + spread)).sqrt()).ok()
    }

    /// Prior and data together; `None` where they do not tell the coefficients apart.
    fn solve(&self) -> Option<Solved> {
        let (seen, p) = (&self.seen, self.centre.len());
        let (n, y) = (seen.weight, p - 1);
        let origin = seen.mean[..y].to_vec();
        // The prior about the origin: its precision is TᵀΛT, where T takes a height there to the intercept.
        let turn = |i: usize, j: usize| {
            if i == j {
                1.0
            } else if i == 0 {
                -origin[j - 1]
            } else {
                0.0
            }
        };
        let half = Matrix::from_fn(p, |i, j| (0..p).map(|k| self.precision.get(i, k) * turn(k, j)).sum());
        let before = Matrix::from_fn(p, |i, j| (0..p).map(|k| turn(k, i) * half.get(k, j)).sum());
        let mut centre = self.centre.clone();
        centre[0] += origin.iter().zip(&self.centre[1..]).map(|(o, b)| o * b).sum::<f64>();
        let precision = Matrix::from_fn(p, |i, j| {
            before.get(i, j)
                + if i > 0 && j > 0 {
                    seen.scatter.get(i - 1, j - 1)
                } else if i == j {
                    n
                } else {
                    0.0
                }
        });
        // What the prior's line leaves of the data moves it: Λₙ(βₙ − β₀) = Xᵀ(y − Xβ₀).
        let slopes: Vec<f64> = centre[1..].iter().map(|b| -b).chain([1.0]).collect();
        let left = seen.scatter.apply(&slopes);
        let pull: Vec<f64> = std::iter::once(n * (seen.mean[y] - centre[0])).chain(left[..y].iter().copied()).collect();
        let factor = Cholesky::of(&precision)?;
        let step = factor.solve(&pull);
        centre.iter_mut().zip(&step).for_each(|(b, step)| *b += step);
        let slopes: Vec<f64> = centre[1..].iter().copied().chain([-1.0]).collect();
        let residual = seen.scatter.quadratic(&slopes).max(0.0) + n * (seen.mean[y] - centre[0]).powi(2);
        let raised = 0.5 * (residual + before.quadratic(&step));
        Some(Solved { origin, centre, factor, shape: self.shape + n / 2.0, scale: self.scale + raised, raised })
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
        let mut after = self.clone();
        // A statistic of another number of columns says nothing of this line.
        if after.seen.merge(seen).is_ok() {
            after.solved = after.solve();
        }
        after
    }

    /// The precisions' determinants do not depend on where the origin is.
    fn log_marginal_likelihood(&self, seen: &Scatter) -> f64 {
        let after = self.posterior(seen);
        let (Some(before), Some(after)) = (&self.solved, &after.solved) else { return f64::NEG_INFINITY };
        -0.5 * seen.weight * (2.0 * PI).ln() + 0.5 * (before.factor.ln_determinant() - after.factor.ln_determinant())
            - before.shape * ((after.raised - before.raised) / before.scale).ln_1p()
            - 0.5 * seen.weight * after.scale.ln()
            + ln_rising(before.shape, seen.weight / 2.0)
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
        match &self.solved {
            None => Some("an input is constant or a sum of others, up to rounding, and the prior does not tell them apart"),
            Some(solved) if !solved.is_proper() => Some("there are no more rows than coefficients, or the line fits without an error"),
            Some(_) => None,
        }
    }

    fn marginal(&self, parameter: usize) -> Option<Box<dyn Distribution>> {
        let solved = self.solved.as_ref()?;
        if parameter == self.centre.len() {
            return Some(Box::new(InverseGamma::new(solved.shape, solved.scale).ok()?));
        }
        // The intercept is the height at inputs of zero.
        let row = match parameter {
            0 => solved.about(&vec![0.0; self.names.len()]),
            _ => (0..self.centre.len()).map(|i| f64::from(u8::from(i == parameter))).collect(),
        };
        let place = row.iter().zip(&solved.centre).map(|(x, b)| x * b).sum();
        let spread = solved.scale / solved.shape * solved.factor.inverse_quadratic(&row);
        Some(Box::new(StudentT::new(2.0 * solved.shape, place, spread.sqrt()).ok()?))
    }

    fn mode(&self) -> Option<Vec<f64>> {
        let solved = self.solved.as_ref()?;
        let variance = solved.scale / (solved.shape + 1.0 + self.centre.len() as f64 / 2.0);
        Some(solved.with_intercept(&solved.centre).into_iter().chain([variance]).collect())
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
        let inputs = best.len() - 1;
        let factor = Cholesky::of(&Matrix::from_fn(inputs, |i, j| seen.scatter.get(i, j)))?;
        let spread = match parameter {
            0 => 1.0 / n + factor.inverse_quadratic(&seen.mean[..inputs]),
            _ => factor.inverse().get(parameter - 1, parameter - 1),
        };
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
        let Some(solved) = &self.solved else { return vec![0.0; self.centre.len() + 1] };
        let variance = solved.scale / standard_gamma(solved.shape, rng);
        let z: Vec<f64> = self.centre.iter().map(|_| variance.sqrt() * standard_normal(rng)).collect();
        // L⁻ᵀz has the covariance (L Lᵀ)⁻¹.
        let drawn: Vec<f64> = solved.centre.iter().zip(solved.factor.solve_upper(&z)).map(|(b, off)| b + off).collect();
        solved.with_intercept(&drawn).into_iter().chain([variance]).collect()
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
