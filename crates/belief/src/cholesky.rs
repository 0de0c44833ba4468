//! Cholesky's factor of a small symmetric matrix, by rows.

/// The lower triangle L with L·Lᵀ the matrix; `None` if it is not positive definite.
pub(crate) fn cholesky(matrix: &[Vec<f64>]) -> Option<Vec<Vec<f64>>> {
    let n = matrix.len();
    let mut lower = vec![vec![0.0; n]; n];
    for i in 0..n {
        for j in 0..=i {
            let sum: f64 = (0..j).map(|k| lower[i][k] * lower[j][k]).sum();
            let rest = matrix[i][j] - sum;
            if i == j {
                if !(rest > 1e-12 * matrix[i][i] && rest.is_finite()) {
                    return None;
                }
                lower[i][i] = rest.sqrt();
            } else {
                lower[i][j] = rest / lower[j][j];
            }
        }
    }
    Some(lower)
}

/// The inverse of L·Lᵀ.
pub(crate) fn invert(lower: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let n = lower.len();
    let mut inverse = vec![vec![0.0; n]; n];
    for (column, row) in inverse.iter_mut().enumerate() {
        let mut solved = vec![0.0; n];
        for i in 0..n {
            let sum: f64 = (0..i).map(|k| lower[i][k] * solved[k]).sum();
            solved[i] = (f64::from(u8::from(i == column)) - sum) / lower[i][i];
        }
        for i in (0..n).rev() {
            let sum: f64 = (i + 1..n).map(|k| lower[k][i] * solved[k]).sum();
            solved[i] = (solved[i] - sum) / lower[i][i];
        }
        // The inverse is symmetric: its columns are its rows.
        *row = solved;
    }
    inverse
}
