//! The score grid: how often each class was true at each log-odds the model gave it.
//!
//! It is all that the calibrators of this module want to know of the rows. Why a grid and not the list of scores that
//! scikit-learn keeps: a grid needs no more memory for a thousand million rows than for a million, and since every row
//! adds a weight to a cell, the order of rows and of merges cannot matter: with whole weights the grid of a cluster
//! equals the grid of one thread, bit for bit. Why log-odds and not probabilities: a model that multiplies many pieces
//! of evidence crowds its probabilities against 0 and 1, where an even grid of probabilities would see one cell.
//!
//! The price is a rounding of each score by at most 1/128 in log-odds, which is less than 0.002 in probability; beyond
//! ±8, where probabilities hardly change, by one part in a thousand.

use std::collections::BTreeMap;

use crate::error::{EvaluateError, check_class, check_same_classes, check_weight};
use crate::ln_distribution::LnDistribution;

/// Calibrated log-odds beyond this are taken as this: a probability is never exactly zero or one.
pub(crate) const LOG_ODDS_LIMIT: f64 = 32.0;

/// Scores beyond this are taken as this. Naive Bayes on many columns gives log-odds in the hundreds, and their order is what a
/// calibration lives on.
pub(crate) const SCORE_LIMIT: f64 = 32768.0;

/// Up to here the cells are equally wide; beyond, they widen in proportion to the score.
const LINEAR: f64 = 8.0;

/// The number of cells per unit of log-odds where they are equally wide; a power of two, so that those cells are exact numbers.
const CELLS_PER_UNIT: f64 = 64.0;

/// For every class and every cell of log-odds, the weight of the rows where the class was false and where it was true.
///
/// Laws: `merge` is associative and commutative, exactly for whole weights and to rounding for others;
/// [`ScoreGrid::new`] is its identity. An error leaves the grid as it was.
///
/// **Complexity**: O(n) cell updates per row for n classes; at most 9543 cells per class, whatever the number of rows.
///
/// # Example
///
/// ```
/// use tunbridge_evaluate::ScoreGrid;
///
/// let mut grid = ScoreGrid::new(2);
/// grid.observe(1, &[0.25_f64.ln(), 0.75_f64.ln()], 2.0)?;
/// // ln(0.75 / 0.25) = 1.0986 falls into the cell of 70/64.
/// assert!(grid.cells(1).eq([(70.0 / 64.0, [0.0, 2.0])]));
/// assert!(grid.cells(0).eq([(-70.0 / 64.0, [2.0, 0.0])]));
///
/// let day = grid.clone();
/// grid.merge(&day)?;
/// assert_eq!(grid.weight(), 4.0);
/// # Ok::<(), tunbridge_evaluate::EvaluateError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct ScoreGrid {
    /// By class, the occupied cells: weight of the rows where it was false, and where it was true.
    classes: Vec<BTreeMap<i32, [f64; 2]>>,
}

impl ScoreGrid {
    /// The grid of no rows, for this many classes.
    pub fn new(n_classes: usize) -> Self {
        Self { classes: vec![BTreeMap::new(); n_classes] }
    }

    /// The number of classes.
    pub fn n_classes(&self) -> usize {
        self.classes.len()
    }

    /// The weight of the rows seen so far.
    pub fn weight(&self) -> f64 {
        // Every row is in the cells of every class once.
        let cells = self.classes.first().into_iter().flat_map(|c| c.values());
        cells.map(|[negative, positive]| negative + positive).sum()
    }

    /// The occupied cells of a class, by rising log-odds: the weights where it was false and where it was true.
    ///
    /// # Panics
    ///
    /// The class does not exist.
    pub fn cells(&self, class: usize) -> impl Iterator<Item = (f64, [f64; 2])> + '_ {
        let cells = self.classes[class].iter();
        cells.map(|(&cell, &weights)| (log_odds_of_cell(cell), weights))
    }

    /// Counts a row of class `truth` for which the classes were given the normalised log-probabilities `ln_p`.
    ///
    /// −∞ is a probability of zero. A row that is impossible under every class has no normalised probabilities and
    /// teaches a calibrator nothing: leave it out.
    ///
    /// # Errors
    ///
    /// The truth is no class, `ln_p` has the wrong length, an entry above 0 or NaN, or does not sum to one within
    /// 10⁻⁶, or the weight is negative, NaN or above 2⁵³.
    pub fn observe(&mut self, truth: usize, ln_p: &[f64], weight: f64) -> Result<(), EvaluateError> {
        check_class(truth, self.n_classes())?;
        check_weight(weight)?;
        let distribution = LnDistribution::new(ln_p, self.n_classes())?;
        if weight == 0.0 {
            return Ok(()); // An empty cell would tell this grid from an equal one.
        }
        for (class, (cells, &ln)) in self.classes.iter_mut().zip(ln_p).enumerate() {
            let cell = cell_of_log_odds(distribution.log_odds(class, ln));
            cells.entry(cell).or_default()[usize::from(class == truth)] += weight;
        }
        Ok(())
    }

    /// Adds what another grid has seen.
    ///
    /// # Errors
    ///
    /// The other one is of a different number of classes.
    pub fn merge(&mut self, other: &Self) -> Result<(), EvaluateError> {
        check_same_classes(self.n_classes(), other.n_classes())?;
        for (mine, theirs) in self.classes.iter_mut().zip(&other.classes) {
            for (&cell, weights) in theirs {
                let held = mine.entry(cell).or_default();
                held[0] += weights[0];
                held[1] += weights[1];
            }
        }
        Ok(())
    }
}

fn cell_of_log_odds(log_odds: f64) -> i32 {
    let size = log_odds.abs().min(SCORE_LIMIT);
    let place = if size <= LINEAR { size } else { LINEAR * (1.0 + (size / LINEAR).ln()) };
    // Halves are rounded away from zero, so that the two classes of a pair stay mirror images.
    let cell = (place * CELLS_PER_UNIT).round() as i32;
    if log_odds < 0.0 { -cell } else { cell }
}

fn log_odds_of_cell(cell: i32) -> f64 {
    let place = f64::from(cell.abs()) / CELLS_PER_UNIT;
    let size = if place <= LINEAR { place } else { (LINEAR * (place / LINEAR - 1.0).exp()).min(SCORE_LIMIT) };
    if cell < 0 { -size } else { size }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The cell of the greatest score: 64 · 8 · (1 + ln(32768/8)), rounded. There are as many below zero, and zero's.
    const MAX_CELL: i32 = 4771;

    #[test]
    fn scores_are_clamped_and_rounded() {
        assert_eq!(cell_of_log_odds(f64::INFINITY), MAX_CELL);
        assert_eq!(cell_of_log_odds(-1e9), -MAX_CELL);
        assert_eq!(cell_of_log_odds(0.5 / 64.0), 1);
        assert_eq!(cell_of_log_odds(-0.5 / 64.0), -1);
        assert_eq!(log_odds_of_cell(MAX_CELL), SCORE_LIMIT);
        assert!((-MAX_CELL..=MAX_CELL).all(|cell| cell_of_log_odds(log_odds_of_cell(cell)) == cell));
    }

    #[test]
    fn every_class_sees_every_row() {
        let mut grid = ScoreGrid::new(3);
        let ln_p = [f64::NEG_INFINITY, 0.5_f64.ln(), 0.5_f64.ln()];
        grid.observe(2, &ln_p, 1.5).unwrap();
        assert!(grid.cells(0).eq([(-SCORE_LIMIT, [1.5, 0.0])]));
        assert!(grid.cells(1).eq([(0.0, [1.5, 0.0])]));
        assert!(grid.cells(2).eq([(0.0, [0.0, 1.5])]));
        assert_eq!(grid.weight(), 1.5);
    }

    #[test]
    fn a_weight_of_zero_leaves_no_trace() {
        let mut grid = ScoreGrid::new(2);
        grid.observe(0, &[0.5_f64.ln(); 2], 0.0).unwrap();
        assert_eq!(grid, ScoreGrid::new(2));
    }

    fn grid_of(rows: &[(usize, f64, u32)]) -> ScoreGrid {
        let mut grid = ScoreGrid::new(2);
        for &(truth, p, weight) in rows {
            let ln_p = [(-p).ln_1p(), p.ln()];
            grid.observe(truth, &ln_p, f64::from(weight)).unwrap();
        }
        grid
    }

    fn rows() -> impl Strategy<Value = Vec<(usize, f64, u32)>> {
        prop::collection::vec((0..2_usize, 0.0..1.0_f64, 0..4_u32), 0..30)
    }

    fn merged(left: &ScoreGrid, right: &ScoreGrid) -> ScoreGrid {
        let mut merged = left.clone();
        merged.merge(right).unwrap();
        merged
    }

    proptest! {
        #[test]
        fn merge_is_an_exact_commutative_monoid(a in rows(), b in rows(), c in rows()) {
            let whole = grid_of(&[&a[..], &b, &c].concat());
            let [a, b, c] = [a, b, c].map(|rows| grid_of(&rows));
            prop_assert_eq!(merged(&a, &b), merged(&b, &a));
            prop_assert_eq!(&merged(&merged(&a, &b), &c), &whole);
            prop_assert_eq!(&merged(&a, &merged(&b, &c)), &whole);
            prop_assert_eq!(&merged(&a, &ScoreGrid::new(2)), &a);
        }

        #[test]
        fn the_classes_of_a_pair_are_mirror_images(rows in rows()) {
            let grid = grid_of(&rows);
            let mut mirrored: Vec<_> = grid.cells(0).map(|(x, [no, yes])| (-x, [yes, no])).collect();
            mirrored.reverse();
            prop_assert!(grid.cells(1).eq(mirrored));
        }
    }
}
