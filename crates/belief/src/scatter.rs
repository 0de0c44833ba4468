//! Weight, means and scatter of several numeric columns together: merged as moments are.

use crate::{Forget, Matrix, NeverObserved, ShapeMismatch, SufficientStatistic, count_without};

/// Σ w, the mean of each column, and Σ w (x − mean)(x − mean)ᵀ.
#[derive(Clone, Debug, PartialEq)]
pub struct Scatter {
    /// Σ w.
    pub weight: f64,
    /// The means; zero when the weight is.
    pub mean: Vec<f64>,
    /// The scatter about them.
    pub scatter: Matrix,
}

/// Rows of so many numbers each, one after another.
#[derive(Clone, Copy, Debug)]
pub struct ScatterRows<'a> {
    /// The cells, row by row.
    pub cells: &'a [f64],
    /// How often each row counts; `None` is once each.
    pub weights: Option<&'a [f64]>,
}

impl Scatter {
    /// Nothing seen of so many columns.
    pub fn empty(n_columns: usize) -> Self {
        Self { weight: 0.0, mean: vec![0.0; n_columns], scatter: Matrix::zero(n_columns) }
    }

    /// Adds one row.
    ///
    /// # Errors
    /// When it has another number of columns.
    pub fn add(&mut self, row: &[f64], weight: f64) -> Result<(), ShapeMismatch> {
        ShapeMismatch::check("columns of a row", self.mean.len(), row.len())?;
        if weight > 0.0 {
            self.join(weight, row, None);
        }
        Ok(())
    }

    /// Chan, Golub & LeVeque 1979, for every pair of columns.
    fn join(&mut self, weight: f64, mean: &[f64], scatter: Option<&Matrix>) {
        let total = self.weight + weight;
        let delta: Vec<f64> = mean.iter().zip(&self.mean).map(|(a, b)| a - b).collect();
        let share = self.weight * (weight / total);
        for i in 0..delta.len() {
            for j in 0..delta.len() {
                self.scatter.add(i, j, scatter.map_or(0.0, |s| s.get(i, j)) + delta[i] * delta[j] * share);
            }
        }
        self.mean.iter_mut().zip(&delta).for_each(|(mean, delta)| *mean += delta * (weight / total));
        self.weight = total;
    }
}

impl SufficientStatistic for Scatter {
    type Columns<'a> = ScatterRows<'a>;

    fn observe(&mut self, rows: ScatterRows<'_>) -> Result<(), ShapeMismatch> {
        let n = self.mean.len().max(1);
        for (place, row) in rows.cells.chunks(n).enumerate() {
            self.add(row, rows.weights.map_or(1.0, |w| w.get(place).copied().unwrap_or(0.0)))?;
        }
        Ok(())
    }

    fn merge(&mut self, other: &Self) -> Result<(), ShapeMismatch> {
        ShapeMismatch::check("columns", self.mean.len(), other.mean.len())?;
        if other.weight > 0.0 {
            self.join(other.weight, &other.mean, Some(&other.scatter));
        }
        Ok(())
    }
}

impl Forget for Scatter {
    fn forget(&mut self, other: &Self) -> Result<(), NeverObserved> {
        ShapeMismatch::check("columns", self.mean.len(), other.mean.len())?;
        let left = count_without(self.weight, other.weight)?;
        if left == 0.0 {
            *self = Self::empty(self.mean.len());
            return Ok(());
        }
        let mean: Vec<f64> = self.mean.iter().zip(&other.mean).map(|(all, part)| all + (all - part) * (other.weight / left)).collect();
        let delta: Vec<f64> = other.mean.iter().zip(&mean).map(|(a, b)| a - b).collect();
        let share = left * (other.weight / self.weight);
        let scatter = Matrix::from_fn(mean.len(), |i, j| self.scatter.get(i, j) - other.scatter.get(i, j) - delta[i] * delta[j] * share);
        let rounding = |i: usize| 1e-9 * (self.scatter.get(i, i) + other.scatter.get(i, i));
        if (0..mean.len()).any(|i| scatter.get(i, i) < -rounding(i)) {
            return Err(NeverObserved::Spread);
        }
        *self = Self { weight: left, mean, scatter };
        Ok(())
    }
}
