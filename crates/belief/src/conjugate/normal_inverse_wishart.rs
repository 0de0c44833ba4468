//! Multivariate Normal likelihood with unknown mean and covariance, Normal–inverse-Wishart prior; the predictive is a multivariate t.
//!
//! Gelman et al., *Bayesian Data Analysis* (3rd edition, 2013), section 3.6; Murphy 2007, section 9.

use std::f64::consts::PI;

use super::family::{Family, OutsideSupport};
use crate::distribution::{Distribution, ImpossibleParameter, InverseGamma, StudentT, ln_rising, standard_gamma, standard_normal};
use crate::{Cholesky, ConjugatePrior, Matrix, Rng, Scatter};

/// Σ ~ inverse-Wishart(scale, degrees), mean | Σ ~ N(centre, Σ/kappa).
#[derive(Clone, Debug, PartialEq)]
pub struct NormalInverseWishart {
    centre: Vec<f64>,
    kappa: f64,
    scale: Matrix,
    degrees: f64,
    names: Vec<String>,
}

impl NormalInverseWishart {
    /// By its centre, how many rows the belief about it is worth, the scale matrix, and its degrees of freedom. The columns' names are
    /// those that the parameters are called by. κ = 0, a scale of zeros and −1 degrees of freedom are the prior of Jeffreys, which is
    /// improper until there are more rows than columns.
    ///
    /// # Errors
    /// When κ is negative, the scale is neither zero nor positive definite, or of another size, or the degrees are below −1.
    pub fn new(centre: Vec<f64>, kappa: f64, scale: Matrix, degrees: f64, names: Vec<String>) -> Result<Self, ImpossibleParameter> {
        const NAME: &str = "Normal–inverse-Wishart";
        for x in &centre {
            ImpossibleParameter::finite(NAME, "centre", *x)?;
        }
        ImpossibleParameter::check(NAME, "kappa", kappa, "zero or more, and finite", kappa >= 0.0 && kappa.is_finite())?;
        let enough = degrees >= -1.0 && degrees.is_finite();
        ImpossibleParameter::check(NAME, "number of degrees of freedom", degrees, "-1 or more, and finite", enough)?;
        let same = scale.n() == centre.len() && names.len() == centre.len() && !names.is_empty();
        ImpossibleParameter::check(NAME, "number of rows of the scale", scale.n() as f64, "that of the columns", same)?;
        let sound = scale == Matrix::zero(names.len()) || Cholesky::of(&scale).is_some();
        ImpossibleParameter::check(NAME, "scale's first cell", scale.get(0, 0), "of a matrix that is positive definite", sound)?;
        Ok(Self { centre, kappa, scale, degrees, names })
    }

    fn d(&self) -> f64 {
        self.centre.len() as f64
    }

    /// What data add to the scale.
    fn added(&self, seen: &Scatter) -> Matrix {
        let apart: Vec<f64> = seen.mean.iter().zip(&self.centre).map(|(a, b)| a - b).collect();
        let share = self.kappa * (seen.weight / (self.kappa + seen.weight));
        Matrix::from_fn(apart.len(), |i, j| seen.scatter.get(i, j) + share * apart[i] * apart[j])
    }

    /// Degrees of freedom of the predictive and of the marginals of the mean.
    fn tail(&self) -> f64 {
        self.degrees - self.d() + 1.0
    }

    /// The predictive of one column, whatever the others.
    pub fn column_predictive(&self, column: usize) -> Option<StudentT> {
        let scale = self.scale.get(column, column) * (self.kappa + 1.0) / (self.kappa * self.tail());
        StudentT::new(self.tail(), self.centre[column], scale.sqrt()).ok()
    }

    /// The pairs of columns that have a covariance, each once, and each column with itself.
    fn pairs(&self) -> impl Iterator<Item = (usize, usize)> + use<> {
        let d = self.centre.len();
        (0..d).flat_map(move |i| (i..d).map(move |j| (i, j)))
    }

    fn pair(&self, parameter: usize) -> Option<(usize, usize)> {
        self.pairs().nth(parameter.checked_sub(self.centre.len())?)
    }
}

/// ln Γ_d(a + n) − ln Γ_d(a); the powers of π cancel.
fn ln_multigamma_rising(a: f64, n: f64, d: f64) -> f64 {
    (0..d as u32).map(|i| ln_rising(a - f64::from(i) / 2.0, n)).sum()
}

impl ConjugatePrior<Scatter> for NormalInverseWishart {
    type Posterior = Self;

    fn posterior(&self, seen: &Scatter) -> Self {
        let n = seen.weight;
        if n == 0.0 {
            return self.clone();
        }
        let kappa = self.kappa + n;
        let apart: Vec<f64> = seen.mean.iter().zip(&self.centre).map(|(a, b)| a - b).collect();
        let added = self.added(seen);
        Self {
            centre: self.centre.iter().zip(&apart).map(|(m, d)| m + d * (n / kappa)).collect(),
            kappa,
            scale: self.scale.plus(&added),
            degrees: self.degrees + n,
            names: self.names.clone(),
        }
    }

    fn log_marginal_likelihood(&self, seen: &Scatter) -> f64 {
        let (n, d) = (seen.weight, self.d());
        let Some(before) = Cholesky::of(&self.scale) else { return f64::NEG_INFINITY };
        if n == 0.0 {
            return 0.0;
        }
        // ν ln|S₀| − (ν + n) ln|Sₙ| of a large ν would be the difference of large numbers.
        let gain = before.ln_determinant_gain(&self.added(seen));
        ln_multigamma_rising(self.degrees / 2.0, n / 2.0, d)
            - 0.5 * n * (d * PI.ln() + before.ln_determinant())
            - 0.5 * (self.degrees + n) * gain
            - 0.5 * d * (n / self.kappa).ln_1p()
    }
}

impl Family for NormalInverseWishart {
    type Statistic = Scatter;
    type Datum = Vec<f64>;

    fn name(&self) -> &'static str {
        "multivariate-normal"
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
        let means = self.names.iter().map(|name| format!("mean[{name}]"));
        let covariances = self.pairs().map(|(i, j)| match i == j {
            true => format!("variance[{}]", self.names[i]),
            false => format!("covariance[{},{}]", self.names[i], self.names[j]),
        });
        means.chain(covariances).collect()
    }

    fn improper(&self) -> Option<&'static str> {
        if self.kappa <= 0.0 || self.tail() <= 0.0 {
            Some("there are no more rows than columns, and the prior does not make up for it")
        } else {
            Cholesky::of(&self.scale)
                .is_none()
                .then_some("a column is constant or a sum of others, up to rounding, and the prior is silent on it")
        }
    }

    fn marginal(&self, parameter: usize) -> Option<Box<dyn Distribution>> {
        if parameter < self.centre.len() {
            let scale = (self.scale.get(parameter, parameter) / (self.kappa * self.tail())).sqrt();
            return Some(Box::new(StudentT::new(self.tail(), self.centre[parameter], scale).ok()?));
        }
        let (i, j) = self.pair(parameter)?;
        if i != j {
            return None;
        }
        Some(Box::new(InverseGamma::new(self.tail() / 2.0, self.scale.get(i, i) / 2.0).ok()?))
    }

    fn mean(&self) -> Vec<Option<f64>> {
        let (nu, d) = (self.degrees, self.d());
        let means = self.centre.iter().map(|m| (self.tail() > 1.0).then_some(*m));
        means.chain(self.pairs().map(|(i, j)| (nu > d + 1.0).then(|| self.scale.get(i, j) / (nu - d - 1.0)))).collect()
    }

    /// The variance of a cell of Σ: Press 1982, *Applied Multivariate Analysis*, section 5.2.
    fn sd(&self) -> Vec<Option<f64>> {
        let (nu, d) = (self.degrees, self.d());
        let of_mean = |i: usize| self.marginal(i).and_then(|t| t.sd());
        let of_cell = |(i, j): (usize, usize)| {
            let (ij, ii, jj) = (self.scale.get(i, j), self.scale.get(i, i), self.scale.get(j, j));
            let above = (nu - d + 1.0) * ij * ij + (nu - d - 1.0) * ii * jj;
            (nu > d + 3.0).then(|| (above / ((nu - d) * (nu - d - 1.0).powi(2) * (nu - d - 3.0))).sqrt())
        };
        (0..self.centre.len()).map(of_mean).chain(self.pairs().map(of_cell)).collect()
    }

    fn mode(&self) -> Option<Vec<f64>> {
        let by = self.degrees + self.d() + 2.0;
        Some(self.centre.iter().copied().chain(self.pairs().map(|(i, j)| self.scale.get(i, j) / by)).collect())
    }

    fn maximum_likelihood(&self, seen: &Scatter) -> Option<Vec<f64>> {
        Cholesky::of(&seen.scatter)?;
        Some(seen.mean.iter().copied().chain(self.pairs().map(|(i, j)| seen.scatter.get(i, j) / seen.weight)).collect())
    }

    fn ln_profile_likelihood(&self, seen: &Scatter, parameter: usize, value: f64) -> Option<f64> {
        let n = seen.weight;
        if parameter < self.centre.len() {
            return Some(-0.5 * n * (seen.scatter.get(parameter, parameter) + n * (value - seen.mean[parameter]).powi(2)).ln());
        }
        let (i, j) = self.pair(parameter)?;
        (i == j && value > 0.0).then(|| -0.5 * (n * value.ln() + seen.scatter.get(i, i) / value))
    }

    fn predictive(&self) -> Option<Box<dyn Distribution>> {
        None
    }

    fn ln_predictive(&self, datum: &Vec<f64>) -> f64 {
        let (nu, d) = (self.tail(), self.d());
        let Some(factor) = Cholesky::of(&self.scale.times((self.kappa + 1.0) / (self.kappa * nu))) else { return f64::NEG_INFINITY };
        let apart: Vec<f64> = datum.iter().zip(&self.centre).map(|(x, m)| x - m).collect();
        ln_rising(nu / 2.0, d / 2.0)
            - 0.5 * (d * (nu * PI).ln() + factor.ln_determinant())
            - 0.5 * (nu + d) * (factor.inverse_quadratic(&apart) / nu).ln_1p()
    }

    /// Σ by Bartlett's decomposition of a Wishart, turned over: of scale L Lᵀ and a triangle A of χ and Normals, Σ = (A⁻¹Lᵀ)ᵀ(A⁻¹Lᵀ).
    fn draw(&self, rng: &mut dyn Rng) -> Vec<f64> {
        let n = self.centre.len();
        let Some(scale) = Cholesky::of(&self.scale) else { return vec![0.0; self.parameters().len()] };
        let mut triangle = vec![vec![0.0; n]; n];
        for (i, row) in triangle.iter_mut().enumerate() {
            row[..i].iter_mut().for_each(|cell| *cell = standard_normal(rng));
            row[i] = (2.0 * standard_gamma((self.degrees - i as f64) / 2.0, rng)).sqrt();
        }
        let basis: Vec<Vec<f64>> = (0..n).map(|i| (0..n).map(|j| f64::from(u8::from(i == j))).collect()).collect();
        let lower: Vec<Vec<f64>> = basis.iter().map(|e| scale.lower_times(e)).collect();
        // The columns of Lᵀ are the rows of L: cell i of the j-th is L's (j, i).
        let solved: Vec<Vec<f64>> = (0..n)
            .map(|j| {
                let mut y: Vec<f64> = (0..n).map(|i| lower[i][j]).collect();
                for i in 0..n {
                    let before: f64 = (0..i).map(|k| triangle[i][k] * y[k]).sum();
                    y[i] = (y[i] - before) / triangle[i][i];
                }
                y
            })
            .collect();
        let sigma = Matrix::from_fn(n, |i, j| solved[i].iter().zip(&solved[j]).map(|(a, b)| a * b).sum());
        let Some(factor) = Cholesky::of(&sigma) else { return vec![0.0; self.parameters().len()] };
        let z: Vec<f64> = (0..n).map(|_| standard_normal(rng) / self.kappa.sqrt()).collect();
        let off = factor.lower_times(&z);
        self.centre.iter().zip(off).map(|(m, off)| m + off).chain(self.pairs().map(|(i, j)| sigma.get(i, j))).collect()
    }

    fn simulate(&self, parameters: &[f64], rng: &mut dyn Rng) -> Vec<f64> {
        let n = self.centre.len();
        let mut sigma = Matrix::zero(n);
        for ((i, j), cell) in self.pairs().zip(&parameters[n..]) {
            sigma.add(i, j, *cell);
            if i != j {
                sigma.add(j, i, *cell);
            }
        }
        let z: Vec<f64> = (0..n).map(|_| standard_normal(rng)).collect();
        let off = Cholesky::of(&sigma).map_or_else(|| vec![0.0; n], |factor| factor.lower_times(&z));
        parameters[..n].iter().zip(off).map(|(m, off)| m + off).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// mpmath 1.3 with 60 digits, by the formula with logarithms of Γ and determinants.
    #[test]
    fn a_marginal_likelihood_keeps_its_digits_under_strong_priors() {
        for (degrees, kappa, expected) in [
            (6.0, 2.0, -12.954981722692478),
            (6.0, 1000000000000.0, -12.663090775406108),
            (1000000.0, 2.0, -12.579039685722291),
            (1000000.0, 1000000000000.0, -12.269566953149056),
            (10000000000.0, 2.0, -12.57903756778429),
            (10000000000.0, 1000000000000.0, -12.26956501771003),
            (1000000000000000.0, 2.0, -12.579037567572477),
            (1000000000000000.0, 1000000000000.0, -12.269565017516468),
        ] {
            let scale = Matrix::from_fn(2, |i, j| degrees * [[4.0, 1.0], [1.0, 3.0]][i][j]);
            let prior = NormalInverseWishart::new(vec![1.0, -1.0], kappa, scale, degrees, vec!["a".into(), "b".into()]).unwrap();
            let mut seen = prior.empty();
            for row in [[1.5, 0.25], [-0.5, 2.0], [3.0, -1.0]] {
                prior.observe(&mut seen, &row.to_vec(), 1.0).unwrap();
            }
            let found = prior.log_marginal_likelihood(&seen);
            assert!((found / expected - 1.0).abs() < 1e-12, "{degrees}, {kappa}: {found}, and should be {expected}");
        }
    }
}
