//! The full table: a row of probabilities for every configuration of the parents.

use belief::CompensatedSum;

/// How far from one a row's sum may be and is still taken for rounding: rows are then divided by their sum.
pub const ROW_SUM_TOLERANCE: f64 = 1e-4;

/// A row whose sum is this near to one is left as it is. Dividing by the sum leaves errors of at most half a unit in the last place in
/// every entry and in the sum itself, so that a row that was divided once is never divided again: renormalising is idempotent.
const AS_GOOD_AS_ONE: f64 = 4.0 * f64::EPSILON;

/// A row of probabilities for every configuration of the parents.
///
/// Invariant: every entry is finite and not negative, and every row sums to one, to rounding.
#[derive(Clone, Debug, PartialEq)]
pub struct ConditionalTable {
    n_states: usize,
    values: Vec<f64>,
}

/// Why a table was refused.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum TableFault {
    /// The entries do not make whole rows, or there are none.
    #[error("{n_values} probabilities do not make rows of {n_states}")]
    Ragged {
        /// Entries.
        n_values: usize,
        /// Entries of a row.
        n_states: usize,
    },
    /// An entry is negative or not finite.
    #[error("row {}: {value} is not a probability", row + 1)]
    NotAProbability {
        /// The row, from 0.
        row: usize,
        /// The entry.
        value: f64,
    },
    /// A row's sum is further from one than [`ROW_SUM_TOLERANCE`].
    #[error("row {}: the probabilities sum to {sum}, not to 1", row + 1)]
    RowSum {
        /// The row, from 0.
        row: usize,
        /// Its sum.
        sum: f64,
    },
}

impl ConditionalTable {
    /// A table of rows laid one behind the other. A row whose sum is off one by no more than [`ROW_SUM_TOLERANCE`] is divided by its sum;
    /// a row that sums to one as nearly as doubles can is left bit for bit.
    ///
    /// # Errors
    /// When the entries make no whole rows, are no probabilities, or a row does not sum to one.
    ///
    /// ```
    /// use tunbridge_net::ConditionalTable;
    /// let table = ConditionalTable::new(2, vec![0.25, 0.75, 0.3, 0.7])?;
    /// assert_eq!(table.row(1), [0.3, 0.7]);
    /// assert!(ConditionalTable::new(2, vec![0.25, 0.25]).is_err());
    /// # Ok::<(), tunbridge_net::TableFault>(())
    /// ```
    pub fn new(n_states: usize, values: Vec<f64>) -> Result<Self, TableFault> {
        Self::with_sums(n_states, values, |_| ())
    }

    /// The same, with what each row summed to.
    pub(crate) fn with_sums(n_states: usize, mut values: Vec<f64>, mut summed: impl FnMut(f64)) -> Result<Self, TableFault> {
        if n_states == 0 || values.is_empty() || !values.len().is_multiple_of(n_states) {
            return Err(TableFault::Ragged { n_values: values.len(), n_states });
        }
        for (row_idx, row) in values.chunks_exact_mut(n_states).enumerate() {
            if let Some(&value) = row.iter().find(|value| !(value.is_finite() && **value >= 0.0)) {
                return Err(TableFault::NotAProbability { row: row_idx, value });
            }
            let sum = sum_of(row);
            // The compensation of an infinite sum is not a number.
            if !sum.is_finite() || (sum - 1.0).abs() > ROW_SUM_TOLERANCE {
                return Err(TableFault::RowSum { row: row_idx, sum: if sum.is_nan() { f64::INFINITY } else { sum } });
            }
            summed(sum);
            if (sum - 1.0).abs() > AS_GOOD_AS_ONE {
                row.iter_mut().for_each(|value| *value /= sum);
            }
        }
        Ok(Self { n_states, values })
    }

    /// How many states the variable has.
    pub fn n_states(&self) -> usize {
        self.n_states
    }

    /// How many configurations the parents have.
    pub fn n_rows(&self) -> usize {
        self.values.len() / self.n_states
    }

    /// The distribution in one configuration of the parents.
    ///
    /// # Panics
    /// When there is no such row.
    pub fn row(&self, row: usize) -> &[f64] {
        &self.values[row * self.n_states..][..self.n_states]
    }

    /// All rows, one behind the other.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// How far the sum of the worst of these rows is from one: what a reader of files says was renormalised.
    pub fn worst_deviation(n_states: usize, values: &[f64]) -> f64 {
        values.chunks(n_states.max(1)).map(|row| (sum_of(row) - 1.0).abs()).fold(0.0, f64::max)
    }
}

fn sum_of(row: &[f64]) -> f64 {
    let mut sum = CompensatedSum::default();
    row.iter().for_each(|&value| sum.add(value));
    sum.value()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn faults_are_told() {
        assert_eq!(ConditionalTable::new(2, vec![1.0]), Err(TableFault::Ragged { n_values: 1, n_states: 2 }));
        assert_eq!(ConditionalTable::new(0, vec![]), Err(TableFault::Ragged { n_values: 0, n_states: 0 }));
        assert_eq!(ConditionalTable::new(2, vec![1.0, 0.0, -0.5, 1.5]), Err(TableFault::NotAProbability { row: 1, value: -0.5 }));
        assert!(matches!(ConditionalTable::new(1, vec![f64::NAN]), Err(TableFault::NotAProbability { row: 0, .. })));
        assert_eq!(ConditionalTable::new(2, vec![0.0, 0.0]), Err(TableFault::RowSum { row: 0, sum: 0.0 }));
        let overflowing = vec![f64::MAX, f64::MAX];
        assert!(ConditionalTable::new(2, overflowing).is_err());
    }

    #[test]
    fn rows_off_by_rounding_are_renormalised() {
        let third = [0.333_333_3; 3].to_vec();
        assert!((ConditionalTable::worst_deviation(3, &third) - 1e-7).abs() < 1e-12);
        let table = ConditionalTable::new(3, third).unwrap();
        assert!(table.values().iter().all(|value| (value - 1.0 / 3.0).abs() < 1e-16));
    }

    #[test]
    fn exact_rows_keep_their_bits() {
        let tenths = vec![0.1, 0.2, 0.7];
        assert_eq!(ConditionalTable::new(3, tenths.clone()).unwrap().values(), tenths);
    }

    proptest! {
        #[test]
        fn renormalising_twice_changes_nothing(weights in prop::collection::vec(0.0..1.0_f64, 1..40), off in -9e-5..9e-5_f64) {
            let sum: f64 = weights.iter().sum();
            prop_assume!(sum > 1e-3);
            let values: Vec<f64> = weights.iter().map(|weight| weight / sum * (1.0 + off)).collect();
            let once = ConditionalTable::new(values.len(), values).unwrap();
            let twice = ConditionalTable::new(once.n_states(), once.values().to_vec()).unwrap();
            prop_assert_eq!(once, twice);
        }
    }
}
