//! The confusion matrix: how often each class was taken for which.
//!
//! Only cells that hold something are kept. A model of fifty thousand classes would have a table of twenty thousand million
//! bytes, and its rows fill a few cells of each line.

use std::collections::BTreeMap;

/// Weights by truth and predicted class.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Confusion {
    n_classes: usize,
    /// By (truth, predicted); no cell is zero.
    cells: BTreeMap<(u32, u32), f64>,
}

impl Confusion {
    /// Nothing counted.
    pub(crate) fn new(n_classes: usize) -> Self {
        Self { n_classes, cells: BTreeMap::new() }
    }

    /// The number of classes.
    pub fn n_classes(&self) -> usize {
        self.n_classes
    }

    /// The weight of the rows of class `truth` that were predicted as `predicted`.
    pub fn get(&self, truth: usize, predicted: usize) -> f64 {
        self.cells.get(&(truth as u32, predicted as u32)).copied().unwrap_or(0.0)
    }

    /// The cells that are not zero, as (truth, predicted, weight), line by line.
    pub fn cells(&self) -> impl Iterator<Item = (usize, usize, f64)> + '_ {
        self.cells.iter().map(|(&(truth, predicted), &weight)| (truth as usize, predicted as usize, weight))
    }

    /// The whole table, a line for each true class. **Complexity**: the square of the number of classes, in time and space.
    pub fn rows(&self) -> Vec<Vec<f64>> {
        let mut rows = vec![vec![0.0; self.n_classes]; self.n_classes];
        self.cells().for_each(|(truth, predicted, weight)| rows[truth][predicted] = weight);
        rows
    }

    pub(crate) fn add(&mut self, truth: usize, predicted: usize, weight: f64) {
        // A cell of zero would tell this table from an equal one.
        if weight > 0.0 {
            *self.cells.entry((truth as u32, predicted as u32)).or_default() += weight;
        }
    }

    pub(crate) fn merge(&mut self, other: &Self) {
        other.cells().for_each(|(truth, predicted, weight)| self.add(truth, predicted, weight));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_classes_take_no_more_room_than_their_rows() {
        let mut table = Confusion::new(4_000_000);
        table.add(3_999_999, 7, 2.0);
        table.add(3_999_999, 7, 1.0);
        table.add(5, 5, 0.0);
        assert!(table.cells().eq([(3_999_999, 7, 3.0)]));
        assert_eq!((table.get(3_999_999, 7), table.get(7, 7)), (3.0, 0.0));
    }
}
