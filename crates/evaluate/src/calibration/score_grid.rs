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

use serde::{Deserialize, Serialize};

use crate::error::{EvaluateError, check_class, check_same_classes, check_weight, is_stored_total};
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

/// The cell of the greatest score: 64 · 8 · (1 + ln(32768/8)), rounded.
const MAX_CELL: i32 = 4771;

/// A subtraction of fractional weights that leaves less than this share is taken to leave nothing.
const FORGET_TOLERANCE: f64 = 1e-12;

/// For every class and every cell of log-odds, the weight of the rows where the class was false and where it was true.
///
/// Laws: `merge` is associative and commutative, exactly for whole weights and to rounding for others;
/// [`ScoreGrid::new`] is its identity, and `forget` undoes `merge`. An error leaves the grid as it was.
///
/// **Complexity**: O(n) cell updates per row for n classes; at most 4097 cells per class, whatever the number of rows.
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
/// grid.forget(&day)?;
/// assert_eq!(grid, day);
/// # Ok::<(), tunbridge_evaluate::EvaluateError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "UncheckedGrid")]
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

    /// Takes back what another grid has seen, and this one as well.
    ///
    /// Exact for whole weights. With others, a rest of less than 10⁻¹² of what a cell held is taken for the rounding
    /// error that it is.
    ///
    /// # Errors
    ///
    /// The other one is of a different number of classes, or holds rows that this one never saw.
    pub fn forget(&mut self, other: &Self) -> Result<(), EvaluateError> {
        check_same_classes(self.n_classes(), other.n_classes())?;
        // Everything is checked before anything is changed.
        let mut remaining = self.classes.clone();
        for (class, (mine, theirs)) in remaining.iter_mut().zip(&other.classes).enumerate() {
            for (&cell, &forgotten) in theirs {
                let mut rest = mine.get(&cell).copied().unwrap_or_default();
                for (held, forgotten) in rest.iter_mut().zip(forgotten) {
                    *held = subtract(*held, forgotten).ok_or(EvaluateError::NotContained {
                        class,
                        log_odds: log_odds_of_cell(cell),
                        held: *held,
                        forgotten,
                    })?;
                }
                if rest == [0.0; 2] {
                    mine.remove(&cell);
                } else {
                    mine.insert(cell, rest);
                }
            }
        }
        self.classes = remaining;
        Ok(())
    }
}

/// What is left of a weight, or `None` where more was to be taken than was there.
fn subtract(held: f64, forgotten: f64) -> Option<f64> {
    let rest = held - forgotten;
    let is_exact = held.fract() == 0.0 && forgotten.fract() == 0.0;
    if !is_exact && rest.abs() <= FORGET_TOLERANCE * held {
        return Some(0.0);
    }
    (rest >= 0.0).then_some(rest)
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

/// A grid as read from a file, before it is believed.
#[derive(Deserialize)]
struct UncheckedGrid {
    classes: Vec<BTreeMap<i32, [f64; 2]>>,
}

impl TryFrom<UncheckedGrid> for ScoreGrid {
    type Error = EvaluateError;

    fn try_from(read: UncheckedGrid) -> Result<Self, EvaluateError> {
        let invalid = |fault| EvaluateError::Invalid { type_name: "score grid", fault };
        let cells = || read.classes.iter().flatten();
        if !cells().all(|(cell, _)| (-MAX_CELL..=MAX_CELL).contains(cell)) {
            return Err(invalid("a cell lies outside the grid"));
        }
        if !cells().all(|(_, weights)| weights.iter().all(|&weight| is_stored_total(weight))) {
            return Err(invalid("a weight is negative, or not a finite number"));
        }
        if cells().any(|(_, weights)| *weights == [0.0; 2]) {
            return Err(invalid("a cell is listed that holds nothing"));
        }
        Ok(Self { classes: read.classes })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

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
    fn what_was_never_seen_cannot_be_forgotten() {
        let half = [0.5_f64.ln(); 2];
        let (mut grid, mut other) = (ScoreGrid::new(2), ScoreGrid::new(2));
        grid.observe(0, &half, 1.0).unwrap();
        other.observe(0, &half, 1.0).unwrap();
        other.observe(1, &half, 1.0).unwrap();
        let before = grid.clone();
        assert!(matches!(
            grid.forget(&other),
            Err(EvaluateError::NotContained { forgotten, .. }) if forgotten == 1.0
        ));
        assert_eq!(grid, before);
        assert!(grid.forget(&ScoreGrid::new(3)).is_err());
    }

    #[test]
    fn one_row_of_many_thousand_million_is_not_taken_for_rounding() {
        assert_eq!(subtract(4e15, 4e15 - 1.0), Some(1.0));
        assert_eq!(subtract(0.1 + 0.2, 0.3), Some(0.0));
        assert_eq!(subtract(1.0, 1.5), None);
    }

    #[test]
    fn a_weight_of_zero_leaves_no_trace() {
        let mut grid = ScoreGrid::new(2);
        grid.observe(0, &[0.5_f64.ln(); 2], 0.0).unwrap();
        assert_eq!(grid, ScoreGrid::new(2));
    }

    #[test]
    fn a_damaged_grid_is_refused() {
        let grid = |cell, weights| ScoreGrid::try_from(UncheckedGrid { classes: vec![BTreeMap::from([(cell, weights)])] });
        assert!(grid(2048, [0.0, 1.0]).is_ok());
        assert!(grid(MAX_CELL + 1, [0.0, 1.0]).is_err());
        assert!(grid(i32::MIN, [0.0, 1.0]).is_err());
        assert!(grid(0, [0.0, 0.0]).is_err());
        assert!(grid(0, [-1.0, 2.0]).is_err());
        assert!(grid(0, [f64::NAN, 2.0]).is_err());
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
        fn merge_is_an_exact_commutative_group(a in rows(), b in rows(), c in rows()) {
            let whole = grid_of(&[&a[..], &b, &c].concat());
            let [a, b, c] = [a, b, c].map(|rows| grid_of(&rows));
            prop_assert_eq!(merged(&a, &b), merged(&b, &a));
            prop_assert_eq!(&merged(&merged(&a, &b), &c), &whole);
            prop_assert_eq!(&merged(&a, &merged(&b, &c)), &whole);
            prop_assert_eq!(&merged(&a, &ScoreGrid::new(2)), &a);

            let mut rest = whole;
            rest.forget(&c).unwrap();
            prop_assert_eq!(rest, merged(&a, &b));
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
