//! Multinomial logistic regression with a Gaussian prior, by Laplace's approximation.
//!
//! No prior is conjugate here: the posterior is approximated by the Normal that has its mode and its curvature there (Bishop 2006, sections
//! 4.3.4 and 4.4; MacKay 1992). The mode is found by Newton's method, which the prior keeps from running away where the classes can be
//! told apart without error. Rows are held in memory, since each step goes over them again: this learner has no additive statistic.

use std::f64::consts::PI;

use crate::distribution::{Distribution, ImpossibleParameter, Normal, standard_normal};
use crate::{Cholesky, Matrix, Rng, log_sum_exp};

/// Coefficients of every class but the first, which stands at zero: independent N(mean, variance), the intercept among them.
#[derive(Clone, Debug, PartialEq)]
pub struct LogisticPrior {
    mean: f64,
    variance: f64,
}

/// Rows with their classes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LogisticRows {
    /// Inputs, row by row.
    pub inputs: Vec<Vec<f64>>,
    /// The class of each row, below the number of classes.
    pub classes: Vec<usize>,
    /// How often each row counts.
    pub weights: Vec<f64>,
}

/// The Normal that stands for the posterior.
#[derive(Clone, Debug, PartialEq)]
pub struct LogisticPosterior {
    /// The most probable coefficients: class by class from the second on, in each the intercept and then the inputs.
    pub mode: Vec<f64>,
    /// Newton's steps until it was found.
    pub iterations: usize,
    covariance: Matrix,
    /// The factor of the precision.
    factor: Cholesky,
    log_marginal_likelihood: f64,
    n_classes: usize,
}

/// Steps of Newton's method that are taken; it needs some ten.
const MOST_STEPS: usize = 200;

impl LogisticPrior {
    /// By mean and variance of every coefficient.
    ///
    /// # Errors
    /// When the mean is not finite or the variance is not positive and finite.
    pub fn new(mean: f64, variance: f64) -> Result<Self, ImpossibleParameter> {
        ImpossibleParameter::finite("Normal", "mean", mean)?;
        ImpossibleParameter::positive("Normal", "variance", variance)?;
        Ok(Self { mean, variance })
    }

    /// What is believed of each coefficient before.
    pub fn marginal(&self) -> Option<Normal> {
        Normal::new(self.mean, self.variance.sqrt()).ok()
    }

    /// The posterior after these rows; `None` where numbers are so large that no step could be taken.
    pub fn posterior(&self, rows: &LogisticRows, n_classes: usize, n_inputs: usize) -> Option<LogisticPosterior> {
        let n = (n_classes - 1) * (n_inputs + 1);
        let problem = Problem { rows, n_classes, prior: Some(self) };
        let (mode, iterations) = problem.climb(vec![self.mean; n])?;
        let factor = Cholesky::of(&problem.curvature(&mode))?;
        let log_marginal_likelihood = problem.ln_joint(&mode) + 0.5 * (n as f64 * (2.0 * PI).ln() - factor.ln_determinant());
        let covariance = factor.inverse();
        Some(LogisticPosterior { mode, iterations, covariance, factor, log_marginal_likelihood, n_classes })
    }
}

/// The coefficients under which the classes are most probable.
#[derive(Clone, Debug, PartialEq)]
pub struct LogisticMaximum {
    /// The coefficients.
    pub coefficients: Vec<f64>,
    /// Their standard errors, by the curvature of the likelihood there.
    pub standard_errors: Vec<f64>,
}

impl LogisticRows {
    /// The coefficients under which the classes are most probable; `None` where there are none, for the classes can be told apart
    /// without error or inputs are sums of others.
    pub fn maximum_likelihood(&self, n_classes: usize, n_inputs: usize) -> Option<LogisticMaximum> {
        let problem = Problem { rows: self, n_classes, prior: None };
        let (coefficients, _) = problem.climb(vec![0.0; (n_classes - 1) * (n_inputs + 1)])?;
        // Where the likelihood rises for ever it is flat by then: its curvature has no digits left.
        let certain = (0..self.classes.len()).all(|row| problem.probabilities(&coefficients, row)[self.classes[row]] > 1.0 - 1e-6);
        let spread = Cholesky::of(&problem.curvature(&coefficients)).filter(|_| !certain)?.inverse();
        let standard_errors = (0..coefficients.len()).map(|i| spread.get(i, i).sqrt()).collect();
        Some(LogisticMaximum { coefficients, standard_errors })
    }
}

impl LogisticPosterior {
    /// ln P(classes | inputs), by Laplace's approximation.
    pub fn log_marginal_likelihood(&self) -> f64 {
        self.log_marginal_likelihood
    }

    /// What is believed of one coefficient.
    pub fn marginal(&self, coefficient: usize) -> Option<Normal> {
        Normal::new(self.mode[coefficient], self.covariance.get(coefficient, coefficient).sqrt()).ok()
    }

    /// A draw of all coefficients.
    pub fn draw(&self, rng: &mut dyn Rng) -> Vec<f64> {
        let z: Vec<f64> = self.mode.iter().map(|_| standard_normal(rng)).collect();
        self.mode.iter().zip(self.factor.solve_upper(&z)).map(|(m, off)| m + off).collect()
    }

    /// The probability of each class at these inputs: the mean over `n_draws` draws of the coefficients.
    pub fn predictive(&self, inputs: &[f64], n_draws: usize, rng: &mut dyn Rng) -> Vec<f64> {
        let mut sum = vec![0.0; self.n_classes];
        for _ in 0..n_draws.max(1) {
            let p = softmax(&self.draw(rng), inputs, self.n_classes);
            sum.iter_mut().zip(p).for_each(|(sum, p)| *sum += p);
        }
        sum.iter().map(|p| p / n_draws.max(1) as f64).collect()
    }
}

/// Probabilities of the classes at these inputs.
fn softmax(coefficients: &[f64], inputs: &[f64], n_classes: usize) -> Vec<f64> {
    let width = inputs.len() + 1;
    let mut ln = vec![0.0; n_classes];
    for (class, ln) in ln.iter_mut().enumerate().skip(1) {
        let of_class = &coefficients[(class - 1) * width..class * width];
        *ln = of_class[0] + of_class[1..].iter().zip(inputs).map(|(b, x)| b * x).sum::<f64>();
    }
    let whole = log_sum_exp(&ln);
    ln.into_iter().map(|x| (x - whole).exp()).collect()
}

struct Problem<'a> {
    rows: &'a LogisticRows,
    n_classes: usize,
    prior: Option<&'a LogisticPrior>,
}

impl Problem<'_> {
    fn probabilities(&self, at: &[f64], row: usize) -> Vec<f64> {
        softmax(at, &self.rows.inputs[row], self.n_classes)
    }

    /// ln P(classes, coefficients).
    fn ln_joint(&self, at: &[f64]) -> f64 {
        let of_row = |row: usize| {
            let p = self.probabilities(at, row)[self.rows.classes[row]];
            self.rows.weights[row] * p.ln()
        };
        let likelihood: f64 = (0..self.rows.classes.len()).map(of_row).sum();
        let prior = self.prior.and_then(LogisticPrior::marginal).map_or(0.0, |normal| at.iter().map(|b| normal.ln_pdf(*b)).sum());
        likelihood + prior
    }

    fn gradient(&self, at: &[f64]) -> Vec<f64> {
        let mut gradient: Vec<f64> = match self.prior {
            Some(prior) => at.iter().map(|b| (prior.mean - b) / prior.variance).collect(),
            None => vec![0.0; at.len()],
        };
        for row in 0..self.rows.classes.len() {
            let (p, inputs) = (self.probabilities(at, row), &self.rows.inputs[row]);
            for class in 1..self.n_classes {
                let off = self.rows.weights[row] * (f64::from(u8::from(self.rows.classes[row] == class)) - p[class]);
                let of_class = &mut gradient[(class - 1) * (inputs.len() + 1)..];
                of_class[0] += off;
                of_class[1..].iter_mut().zip(inputs).for_each(|(g, x)| *g += off * x);
            }
        }
        gradient
    }

    /// The negative Hessian of ln P.
    fn curvature(&self, at: &[f64]) -> Matrix {
        let mut curvature = match self.prior {
            Some(prior) => Matrix::diagonal(&vec![1.0 / prior.variance; at.len()]),
            None => Matrix::zero(at.len()),
        };
        for row in 0..self.rows.classes.len() {
            let (p, inputs) = (self.probabilities(at, row), &self.rows.inputs[row]);
            let width = inputs.len() + 1;
            let x = |i: usize| if i == 0 { 1.0 } else { inputs[i - 1] };
            for a in 1..self.n_classes {
                for b in 1..self.n_classes {
                    let cross = self.rows.weights[row] * p[a] * (f64::from(u8::from(a == b)) - p[b]);
                    for i in 0..width {
                        for j in 0..width {
                            curvature.add((a - 1) * width + i, (b - 1) * width + j, cross * x(i) * x(j));
                        }
                    }
                }
            }
        }
        curvature
    }

    /// Newton's method, each step halved until it climbs.
    fn climb(&self, mut at: Vec<f64>) -> Option<(Vec<f64>, usize)> {
        let mut height = self.ln_joint(&at);
        for step in 0..MOST_STEPS {
            let gradient = self.gradient(&at);
            let direction = Cholesky::of(&self.curvature(&at))?.solve(&gradient);
            // Half of what the step promises, in nats.
            let promised: f64 = gradient.iter().zip(&direction).map(|(g, d)| g * d).sum();
            if !promised.is_finite() {
                return None;
            }
            if promised < 1e-18 * height.abs().max(1.0) {
                return Some((at, step));
            }
            let mut share = 1.0;
            loop {
                let there: Vec<f64> = at.iter().zip(&direction).map(|(x, d)| x + share * d).collect();
                let reached = self.ln_joint(&there);
                if reached > height {
                    (at, height) = (there, reached);
                    break;
                }
                share *= 0.5;
                if share < 1e-10 {
                    // No step climbs any more: this is the top, to rounding.
                    return Some((at, step));
                }
            }
        }
        self.prior.map(|_| (at, MOST_STEPS))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random;

    fn rows(inputs: &[f64], classes: &[usize]) -> LogisticRows {
        LogisticRows { inputs: inputs.iter().map(|x| vec![*x]).collect(), classes: classes.to_vec(), weights: vec![1.0; classes.len()] }
    }

    /// One coefficient, the intercept: the evidence by Laplace against Simpson's rule over the posterior.
    #[test]
    fn laplace_is_near_the_integral() {
        let prior = LogisticPrior::new(0.0, 4.0).unwrap();
        let classes: Vec<usize> = (0..40).map(|i| usize::from(i % 3 == 0)).collect();
        let rows = LogisticRows { inputs: vec![vec![]; 40], classes, weights: vec![1.0; 40] };
        let posterior = prior.posterior(&rows, 2, 0).unwrap();
        let problem = Problem { rows: &rows, n_classes: 2, prior: Some(&prior) };
        let n = 2000;
        let (low, step) = (-6.0, 12.0 / f64::from(n));
        let sum: f64 = (0..=n)
            .map(|i| {
                let weight = if i == 0 || i == n { 1.0 } else { f64::from(2 + 2 * (i % 2)) };
                weight * problem.ln_joint(&[low + f64::from(i) * step]).exp()
            })
            .sum();
        let exact = (sum * step / 3.0).ln();
        assert!((posterior.log_marginal_likelihood() - exact).abs() < 0.01, "{} {exact}", posterior.log_marginal_likelihood());
    }

    /// At the maximum the gradient is zero, so that fitted and observed sums agree.
    #[test]
    fn the_maximum_of_the_likelihood_has_no_slope_and_separation_has_no_maximum() {
        let overlapping = rows(&[0.0, 1.0, 2.0, 3.0, 4.0, 5.0], &[0, 0, 1, 0, 1, 1]);
        let best = overlapping.maximum_likelihood(2, 1).unwrap().coefficients;
        let problem = Problem { rows: &overlapping, n_classes: 2, prior: None };
        assert!(problem.gradient(&best).iter().all(|g| g.abs() < 1e-8), "{best:?}");
        let separated = rows(&[0.0, 1.0, 2.0, 3.0], &[0, 0, 1, 1]);
        assert_eq!(separated.maximum_likelihood(2, 1), None);
        let posterior = LogisticPrior::new(0.0, 100.0).unwrap().posterior(&separated, 2, 1).unwrap();
        assert!(posterior.mode[1] > 0.0 && posterior.log_marginal_likelihood().is_finite());
    }

    #[test]
    fn three_classes_are_told_apart() {
        let inputs: Vec<f64> = (0..60).map(|i| f64::from(i) / 10.0).collect();
        let classes: Vec<usize> = (0..60).map(|i| if i % 7 == 0 { 1 } else { i / 20 }).collect();
        let posterior = LogisticPrior::new(0.0, 25.0).unwrap().posterior(&rows(&inputs, &classes), 3, 1).unwrap();
        let mut rng = random(1);
        let places = [0.5, 3.0, 5.5].map(|x| posterior.predictive(&[x], 2000, &mut rng));
        for (class, p) in places.iter().enumerate() {
            assert!((p.iter().sum::<f64>() - 1.0).abs() < 1e-12);
            assert!(p.iter().all(|other| *other <= p[class]), "{places:?}");
        }
    }
}
