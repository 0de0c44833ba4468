//! The precision/recall break-even point: how good a ranking is where precision and recall are the same.
//!
//! Rows are ranked by a score and the first so many are taken. Precision is the share of these that are right, recall the share of
//! the right ones that are among these. The two are the same where as many are taken as are right (Joachims 1998; McCallum & Nigam
//! 1998), so that the point is read off without a search. Rows of equal score are taken in proportion: the point is then what a
//! random order of them would give in the mean.
//!
//! Scores are kept on a grid of 2,048 steps between a number and its double, and no row is: that bounds the space, and makes merging
//! exact for whole weights.

use std::collections::BTreeMap;

use crate::error::{EvaluateError, check_weight};

/// The weight of the right and the wrong rows at each score.
///
/// Laws: `merge` is associative and commutative, exactly for whole weights; [`Ranking::default`] is its identity.
///
/// # Example
/// Three of five rows are right; two of them are among the first three.
/// ```
/// use tunbridge_evaluate::Ranking;
///
/// let mut ranking = Ranking::default();
/// for (score, is_right) in [(9.0, true), (7.0, false), (4.0, true), (-1.0, false), (-3.0, true)] {
///     ranking.observe(is_right, score, 1.0)?;
/// }
/// assert_eq!(ranking.break_even(), Some(2.0 / 3.0));
/// # Ok::<(), tunbridge_evaluate::EvaluateError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ranking {
    /// By the place on the grid: wrong and right.
    cells: BTreeMap<i32, [f64; 2]>,
}

/// Bits of a single-precision fraction that are not kept.
const DROPPED: u32 = 12;

impl Ranking {
    /// Adds a row. A score may be infinite.
    ///
    /// # Errors
    /// When the weight is none, or the score is not a number.
    pub fn observe(&mut self, is_right: bool, score: f64, weight: f64) -> Result<(), EvaluateError> {
        check_weight(weight)?;
        if score.is_nan() {
            return Err(EvaluateError::NotAScore);
        }
        if weight > 0.0 {
            self.cells.entry(place(score)).or_default()[usize::from(is_right)] += weight;
        }
        Ok(())
    }

    /// Adds other rows.
    pub fn merge(&mut self, other: &Self) {
        for (place, weights) in &other.cells {
            let mine = self.cells.entry(*place).or_default();
            mine[0] += weights[0];
            mine[1] += weights[1];
        }
    }

    /// The weight of the right rows.
    pub fn n_right(&self) -> f64 {
        self.cells.values().map(|weights| weights[1]).sum()
    }

    /// The weight of the right rows among the first, as many as are right.
    pub fn hits_at_break_even(&self) -> f64 {
        let mut left = self.n_right();
        let mut hits = 0.0;
        for [wrong, right] in self.cells.values().rev() {
            let weight = wrong + right;
            if weight >= left {
                return hits + right * (left / weight);
            }
            hits += right;
            left -= weight;
        }
        hits
    }

    /// Precision and recall where they are the same; `None` without right rows.
    pub fn break_even(&self) -> Option<f64> {
        let n_right = self.n_right();
        (n_right > 0.0).then(|| self.hits_at_break_even() / n_right)
    }
}

/// The score's place on the grid: the bits of a float order as the numbers do, those of negative ones the other way round.
fn place(score: f64) -> i32 {
    // The two zeros are one.
    let bits = (score as f32 + 0.0).to_bits() as i32;
    let ordered = if bits < 0 { bits ^ i32::MAX } else { bits };
    ordered >> DROPPED
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// By every order of the rows of equal score, in the mean: each threshold in turn, and between two in proportion.
    fn by_hand(rows: &[(bool, i8, u8)]) -> Option<f64> {
        let weight = |keep: &dyn Fn(&(bool, i8, u8)) -> bool| rows.iter().filter(|row| keep(row)).map(|row| f64::from(row.2)).sum::<f64>();
        let n_right = weight(&|row| row.0);
        if n_right == 0.0 {
            return None;
        }
        let mut scores: Vec<i8> = rows.iter().map(|row| row.1).collect();
        scores.sort_unstable_by(|a, b| b.cmp(a));
        scores.dedup();
        for score in scores {
            let (before, taken) = (weight(&|row| row.1 > score), weight(&|row| row.1 >= score));
            if taken >= n_right {
                let (hits, of_score) = (weight(&|row| row.0 && row.1 > score), weight(&|row| row.0 && row.1 == score));
                let hits = hits + of_score * (n_right - before) / (taken - before);
                // Precision and recall.
                assert!((hits / n_right - hits / (before + (n_right - before))).abs() < 1e-12);
                return Some(hits / n_right);
            }
        }
        unreachable!("all rows are more than the right ones");
    }

    fn rows() -> impl Strategy<Value = Vec<(bool, i8, u8)>> {
        proptest::collection::vec((any::<bool>(), -6..6_i8, 0..4_u8), 0..30)
    }

    fn ranking(rows: &[(bool, i8, u8)]) -> Ranking {
        let mut ranking = Ranking::default();
        rows.iter().for_each(|(right, score, weight)| ranking.observe(*right, f64::from(*score) * 3.7, f64::from(*weight)).unwrap());
        ranking
    }

    proptest! {
        #[test]
        fn as_by_hand(rows in rows()) {
            match (ranking(&rows).break_even(), by_hand(&rows)) {
                (Some(found), Some(expected)) => prop_assert!((found - expected).abs() < 1e-12, "{found} for {expected}"),
                (found, expected) => prop_assert_eq!(found, expected),
            }
        }

        #[test]
        fn cutting_the_rows_anywhere_changes_nothing(rows in rows(), cut in 0..30_usize) {
            let (left, right) = rows.split_at(cut.min(rows.len()));
            let mut merged = ranking(left);
            merged.merge(&ranking(right));
            prop_assert_eq!(merged, ranking(&rows));
        }

        #[test]
        fn places_are_in_the_order_of_scores(a in -1e4..1e4_f64, b in -1e4..1e4_f64) {
            prop_assert!(place(a.min(b)) <= place(a.max(b)));
            // A step of the grid is less than a thousandth of the score.
            prop_assert!((a - b).abs() <= 1e-3 * a.abs() || place(a) != place(b));
        }
    }

    #[test]
    fn infinities_are_first_and_last() {
        assert!(place(f64::NEG_INFINITY) < place(-1e30) && place(-1e-30) < place(1e-30) && place(1e30) < place(f64::INFINITY));
        assert_eq!(place(0.0), place(-0.0));
        assert_eq!(Ranking::default().observe(true, f64::NAN, 1.0), Err(EvaluateError::NotAScore));
        assert!(Ranking::default().observe(true, 0.0, -1.0).is_err());
        assert_eq!(Ranking::default().break_even(), None);
    }
}
