//! Cholesky's factor of a small symmetric matrix that is held by rows.

use crate::{Cholesky, Matrix};

/// The lower triangle L with L·Lᵀ the matrix; `None` if it is not positive definite.
pub(crate) fn cholesky(matrix: &[Vec<f64>]) -> Option<Vec<Vec<f64>>> {
    let factor = Cholesky::of(&Matrix::from_fn(matrix.len(), |i, j| matrix[i][j]))?;
    Some(rows(factor.lower()))
}

/// The inverse of the matrix; `None` if it is not positive definite.
pub(crate) fn invert(matrix: &[Vec<f64>]) -> Option<Vec<Vec<f64>>> {
    Some(rows(&Cholesky::of(&Matrix::from_fn(matrix.len(), |i, j| matrix[i][j]))?.inverse()))
}

fn rows(matrix: &Matrix) -> Vec<Vec<f64>> {
    (0..matrix.n()).map(|i| (0..matrix.n()).map(|j| matrix.get(i, j)).collect()).collect()
}
