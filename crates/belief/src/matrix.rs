//! Small dense symmetric matrices: Cholesky's factor and what is solved with it.
//!
//! The matrices of this room have a row for each coefficient or column a person names, a few dozen at most. faer would do this too, and
//! takes 57 crates and 53 seconds to build where all of this room takes ten; these hundred lines are what is needed of it.

/// A square matrix, row by row.
#[derive(Clone, Debug, PartialEq)]
pub struct Matrix {
    n: usize,
    cells: Vec<f64>,
}

impl Matrix {
    /// All zero.
    pub fn zero(n: usize) -> Self {
        Self { n, cells: vec![0.0; n * n] }
    }

    /// These numbers on the diagonal, and zero elsewhere.
    pub fn diagonal(of: &[f64]) -> Self {
        Self::from_fn(of.len(), |i, j| if i == j { of[i] } else { 0.0 })
    }

    /// By its cells.
    pub fn from_fn(n: usize, mut cell: impl FnMut(usize, usize) -> f64) -> Self {
        let mut made = Self::zero(n);
        for i in 0..n {
            for j in 0..n {
                made.cells[i * n + j] = cell(i, j);
            }
        }
        made
    }

    /// How many rows.
    pub fn n(&self) -> usize {
        self.n
    }

    /// A cell.
    pub fn get(&self, i: usize, j: usize) -> f64 {
        self.cells[i * self.n + j]
    }

    /// Adds to a cell.
    pub fn add(&mut self, i: usize, j: usize, x: f64) {
        self.cells[i * self.n + j] += x;
    }

    /// The sum, cell by cell.
    #[must_use]
    pub fn plus(&self, other: &Self) -> Self {
        Self::from_fn(self.n, |i, j| self.get(i, j) + other.get(i, j))
    }

    /// Every cell so many times as large.
    #[must_use]
    pub fn times(&self, by: f64) -> Self {
        Self::from_fn(self.n, |i, j| by * self.get(i, j))
    }

    /// The product with a column.
    pub fn apply(&self, x: &[f64]) -> Vec<f64> {
        (0..self.n).map(|i| (0..self.n).map(|j| self.get(i, j) * x[j]).sum()).collect()
    }

    /// xᵀ M x.
    pub fn quadratic(&self, x: &[f64]) -> f64 {
        self.apply(x).iter().zip(x).map(|(a, b)| a * b).sum()
    }

    /// Whether every cell is finite.
    pub fn is_finite(&self) -> bool {
        self.cells.iter().all(|x| x.is_finite())
    }
}

/// L with L Lᵀ = M (Golub & Van Loan, algorithm 4.2.1).
#[derive(Clone, Debug, PartialEq)]
pub struct Cholesky {
    lower: Matrix,
}

impl Cholesky {
    /// The factor of a symmetric matrix; `None` if it is not positive definite, be it by rounding.
    pub fn of(matrix: &Matrix) -> Option<Self> {
        let n = matrix.n;
        let mut lower = Matrix::zero(n);
        for j in 0..n {
            let before: f64 = (0..j).map(|k| lower.get(j, k).powi(2)).sum();
            let pivot = matrix.get(j, j) - before;
            // What is left of a diagonal that is a sum of others is rounding, and no pivot.
            if !(pivot.is_finite() && pivot > n as f64 * f64::EPSILON * matrix.get(j, j)) {
                return None;
            }
            let pivot = pivot.sqrt();
            lower.cells[j * n + j] = pivot;
            for i in j + 1..n {
                let before: f64 = (0..j).map(|k| lower.get(i, k) * lower.get(j, k)).sum();
                lower.cells[i * n + j] = (matrix.get(i, j) - before) / pivot;
            }
        }
        Some(Self { lower })
    }

    /// L.
    pub fn lower(&self) -> &Matrix {
        &self.lower
    }

    /// ln of the determinant of M.
    pub fn ln_determinant(&self) -> f64 {
        (0..self.lower.n).map(|i| 2.0 * self.lower.get(i, i).ln()).sum()
    }

    /// ln det(M + A) − ln det M, also where A is so small beside M that the two are the same to rounding. A is positive
    /// semidefinite.
    pub fn ln_determinant_gain(&self, added: &Matrix) -> f64 {
        let n = self.lower.n;
        // W = L⁻¹ A L⁻ᵀ: the gain is ln det(I + W).
        let half: Vec<Vec<f64>> = (0..n).map(|j| self.solve_lower(&(0..n).map(|i| added.get(i, j)).collect::<Vec<_>>())).collect();
        let mut w: Vec<Vec<f64>> = (0..n).map(|i| self.solve_lower(&half.iter().map(|column| column[i]).collect::<Vec<_>>())).collect();
        if (0..n).map(|i| w[i][i]).sum::<f64>() > 0.5
            && let Some(whole) = Self::of(&Matrix::from_fn(n, |i, j| added.get(i, j) + self.times_itself(i, j)))
        {
            return whole.ln_determinant() - self.ln_determinant();
        }
        // Elimination that keeps what the pivots of I + W are above one.
        let mut gain = 0.0;
        for k in 0..n {
            let row = w[k].clone();
            gain += row[k].ln_1p();
            for below in &mut w[k + 1..] {
                let share = below[k] / (1.0 + row[k]);
                below[k + 1..].iter_mut().zip(&row[k + 1..]).for_each(|(cell, above)| *cell -= share * above);
            }
        }
        gain
    }

    /// A cell of M.
    fn times_itself(&self, i: usize, j: usize) -> f64 {
        (0..=i.min(j)).map(|k| self.lower.get(i, k) * self.lower.get(j, k)).sum()
    }

    /// L x.
    pub fn lower_times(&self, x: &[f64]) -> Vec<f64> {
        self.lower.apply(x)
    }

    /// The solution of L y = b.
    pub fn solve_lower(&self, b: &[f64]) -> Vec<f64> {
        let mut y = b.to_vec();
        for i in 0..self.lower.n {
            let before: f64 = (0..i).map(|k| self.lower.get(i, k) * y[k]).sum();
            y[i] = (y[i] - before) / self.lower.get(i, i);
        }
        y
    }

    /// The solution of Lᵀ x = y.
    pub fn solve_upper(&self, y: &[f64]) -> Vec<f64> {
        let mut x = y.to_vec();
        for i in (0..self.lower.n).rev() {
            let behind: f64 = (i + 1..self.lower.n).map(|k| self.lower.get(k, i) * x[k]).sum();
            x[i] = (x[i] - behind) / self.lower.get(i, i);
        }
        x
    }

    /// The solution of M x = b.
    pub fn solve(&self, b: &[f64]) -> Vec<f64> {
        self.solve_upper(&self.solve_lower(b))
    }

    /// xᵀ M⁻¹ x.
    pub fn inverse_quadratic(&self, x: &[f64]) -> f64 {
        self.solve_lower(x).iter().map(|y| y * y).sum()
    }

    /// M⁻¹.
    pub fn inverse(&self) -> Matrix {
        let n = self.lower.n;
        let columns: Vec<Vec<f64>> = (0..n).map(|j| self.solve(&(0..n).map(|i| f64::from(u8::from(i == j))).collect::<Vec<_>>())).collect();
        // The two halves differ by rounding.
        Matrix::from_fn(n, |i, j| 0.5 * (columns[j][i] + columns[i][j]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_factor_solves_what_it_was_made_of() {
        let m = Matrix::from_fn(3, |i, j| [[4.0, 2.0, 0.6], [2.0, 5.0, 1.0], [0.6, 1.0, 3.0]][i][j]);
        let factor = Cholesky::of(&m).unwrap();
        let x = factor.solve(&[1.0, -2.0, 3.0]);
        let back = m.apply(&x);
        assert!(back.iter().zip([1.0, -2.0, 3.0]).all(|(a, b)| (a - b).abs() < 1e-14));
        // By Sarrus: 4·5·3 + 2·1·0.6·2 − 0.6²·5 − 1·4 − 2²·3.
        assert!((factor.ln_determinant() - (60.0 + 2.4 - 1.8 - 4.0 - 12.0_f64).ln()).abs() < 1e-14);
        assert!((factor.inverse().quadratic(&[1.0, 2.0, 3.0]) - factor.inverse_quadratic(&[1.0, 2.0, 3.0])).abs() < 1e-14);
    }

    #[test]
    fn a_matrix_that_is_not_positive_definite_has_no_factor() {
        assert_eq!(Cholesky::of(&Matrix::from_fn(2, |_, _| 1.0)), None);
        assert_eq!(Cholesky::of(&Matrix::diagonal(&[1.0, -1.0])), None);
        assert_eq!(Cholesky::of(&Matrix::diagonal(&[1.0, f64::NAN])), None);
    }
}
