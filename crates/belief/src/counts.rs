//! Counts of (class × state): the statistic of a categorical variable, seen class by class.

use serde::{Deserialize, Serialize};

use crate::{Code, Codes, NeverObserved, ShapeMismatch, StateMap, for_codes};

/// How often each state was seen with each class, as weights.
///
/// With whole weights every count is exact up to 2⁵³, whatever the order of rows, chunks and merges.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "RawCounts", into = "RawCounts")]
pub struct JointCounts {
    n_classes: usize,
    n_states: usize,
    /// State by state, the classes within: a new state is appended, and a row's state gives all classes side by side.
    cells: Vec<f64>,
}

#[derive(Serialize, Deserialize)]
struct RawCounts {
    n_classes: usize,
    n_states: usize,
    cells: Vec<f64>,
}

/// Below this many cells a chunk is counted in small integers that stay in the first-level cache.
const SMALL: usize = 2048;

impl JointCounts {
    /// Nothing counted.
    pub fn empty(n_classes: usize, n_states: usize) -> Self {
        Self { n_classes, n_states, cells: vec![0.0; n_classes * n_states] }
    }

    /// How many classes.
    pub fn n_classes(&self) -> usize {
        self.n_classes
    }

    /// How many states.
    pub fn n_states(&self) -> usize {
        self.n_states
    }

    /// How often `state` was seen with `class`.
    pub fn get(&self, state: usize, class: usize) -> f64 {
        self.cells[state * self.n_classes + class]
    }

    /// How often `state` was seen with each class.
    pub fn of_state(&self, state: usize) -> &[f64] {
        &self.cells[state * self.n_classes..][..self.n_classes]
    }

    /// How often `state` was seen at all.
    pub fn state_total(&self, state: usize) -> f64 {
        self.of_state(state).iter().sum()
    }

    /// How often any state was seen with each class: rows in which the value was not missing.
    pub fn class_totals(&self) -> Vec<f64> {
        let mut totals = vec![0.0; self.n_classes];
        for state in 0..self.n_states {
            totals.iter_mut().zip(self.of_state(state)).for_each(|(t, n)| *t += n);
        }
        totals
    }

    /// Adds `weight` to one cell.
    pub fn add(&mut self, state: usize, class: usize, weight: f64) {
        self.cells[state * self.n_classes + class] += weight;
    }

    /// Every count so many times as large.
    pub fn scale(&mut self, by: f64) {
        self.cells.iter_mut().for_each(|n| *n *= by);
    }

    /// Counts rows. A row whose class or state is missing, or outside the shape, is left out.
    ///
    /// # Errors
    /// When the columns differ in length.
    pub fn observe(&mut self, classes: Codes<'_>, states: Codes<'_>, weights: Option<&[f64]>) -> Result<(), ShapeMismatch> {
        ShapeMismatch::check("rows of a column", classes.len(), states.len())?;
        if let Some(weights) = weights {
            ShapeMismatch::check("weights", classes.len(), weights.len())?;
        }
        for_codes!(classes, classes => for_codes!(states, states => match weights {
            None => self.count(classes, states),
            Some(weights) => self.count_weighted(classes, states, weights),
        }));
        Ok(())
    }

    fn count<K: Code, S: Code>(&mut self, classes: &[K], states: &[S]) {
        let (n_classes, n_states) = (self.n_classes, self.n_states);
        // One more class and one more state take what is missing, so that the loop has no branch.
        let stride = n_classes + 1;
        let n_slots = stride * (n_states + 1);
        if n_slots > SMALL {
            for (class, state) in classes.iter().zip(states) {
                let (class, state) = (class.place(n_classes), state.place(n_states));
                if class < n_classes && state < n_states {
                    self.cells[state * n_classes + class] += 1.0;
                }
            }
            return;
        }
        // Two tables in turn: equal neighbours would wait for each other's store. A u32 cannot overflow below 2³² rows.
        debug_assert!(classes.len() < u32::MAX as usize);
        let (mut even, mut odd) = ([0_u32; SMALL], [0_u32; SMALL]);
        let slot = |class: K, state: S| (state.place(n_states) * stride + class.place(n_classes)) & (SMALL - 1);
        let (class_pairs, state_pairs) = (classes.chunks_exact(2), states.chunks_exact(2));
        if let ([class], [state]) = (class_pairs.remainder(), state_pairs.remainder()) {
            even[slot(*class, *state)] += 1;
        }
        for (class, state) in class_pairs.zip(state_pairs) {
            even[slot(class[0], state[0])] += 1;
            odd[slot(class[1], state[1])] += 1;
        }
        for state in 0..n_states {
            for class in 0..n_classes {
                let at = state * stride + class;
                self.cells[state * n_classes + class] += f64::from(even[at]) + f64::from(odd[at]);
            }
        }
    }

    fn count_weighted<K: Code, S: Code>(&mut self, classes: &[K], states: &[S], weights: &[f64]) {
        for ((class, state), weight) in classes.iter().zip(states).zip(weights) {
            let (class, state) = (class.place(self.n_classes), state.place(self.n_states));
            if class < self.n_classes && state < self.n_states {
                self.cells[state * self.n_classes + class] += weight;
            }
        }
    }

    /// Adds another table's counts.
    ///
    /// # Errors
    /// When the shapes differ.
    pub fn merge(&mut self, other: &Self) -> Result<(), ShapeMismatch> {
        self.check_shape(other)?;
        self.cells.iter_mut().zip(&other.cells).for_each(|(a, b)| *a += b);
        Ok(())
    }

    /// Takes another table's counts back.
    ///
    /// # Errors
    /// When a count would fall below zero or the shapes differ; then nothing is changed.
    pub fn forget(&mut self, other: &Self) -> Result<(), NeverObserved> {
        self.check_shape(other)?;
        self.cells = self.cells.iter().zip(&other.cells).map(|(a, b)| count_without(*a, *b)).collect::<Result<_, _>>()?;
        Ok(())
    }

    /// Renames classes and states.
    ///
    /// # Errors
    /// When a map is not of this table's shape, or drops a class or a state that was counted.
    pub fn recode(&mut self, classes: Option<&StateMap>, states: Option<&StateMap>) -> Result<(), ShapeMismatch> {
        let class_map = check_map(classes, self.n_classes)?;
        let state_map = check_map(states, self.n_states)?;
        let n_classes = class_map.map_or(self.n_classes, |m| m.n_states);
        let n_states = state_map.map_or(self.n_states, |m| m.n_states);
        if class_map.is_none_or(|m| m.n_states == self.n_classes && m.is_identity()) && state_map.is_none_or(StateMap::is_identity) {
            self.cells.resize(n_classes * n_states, 0.0);
            self.n_states = n_states;
            return Ok(());
        }
        let mut recoded = Self::empty(n_classes, n_states);
        for state in 0..self.n_states {
            let new_state = state_map.map_or(state, |m| m.to[state] as usize);
            if new_state >= n_states && self.of_state(state).iter().any(|n| *n != 0.0) {
                return Err(ShapeMismatch { what: "a state that is dropped though it was counted", expected: n_states, found: state });
            }
            for (class, &n) in self.of_state(state).iter().enumerate().filter(|(_, n)| **n != 0.0) {
                let new_class = class_map.map_or(class, |m| m.to[class] as usize);
                if new_class >= n_classes {
                    return Err(ShapeMismatch { what: "a class that is dropped though it was counted", expected: n_classes, found: class });
                }
                recoded.add(new_state, new_class, n);
            }
        }
        *self = recoded;
        Ok(())
    }

    /// Two classes made of one: the rows that are not in it, and those that are. `all` is the class in which every row was counted.
    ///
    /// # Errors
    /// When the class has rows that `all` does not have.
    ///
    /// # Panics
    /// When there is no such class.
    pub fn against_rest(&self, class: usize, all: usize) -> Result<Self, NeverObserved> {
        let mut two = Self::empty(2, self.n_states);
        for state in 0..self.n_states {
            let yes = self.get(state, class);
            two.add(state, 0, count_without(self.get(state, all), yes)?);
            two.add(state, 1, yes);
        }
        Ok(two)
    }

    fn check_shape(&self, other: &Self) -> Result<(), ShapeMismatch> {
        ShapeMismatch::check("classes", self.n_classes, other.n_classes)?;
        ShapeMismatch::check("states", self.n_states, other.n_states)
    }
}

/// What is left of a count when a part of it is taken back. Exact where both are whole; else a rest as small as the rounding of
/// fractional weights, on either side of zero, is nothing.
///
/// # Errors
/// When more is taken back than there is.
pub fn count_without(observed: f64, forgotten: f64) -> Result<f64, NeverObserved> {
    if forgotten - observed > rounding(observed, forgotten) {
        return Err(NeverObserved::Count { observed, forgotten });
    }
    Ok(count_less(observed, forgotten))
}

/// The same where the part is known to be in the count: never below zero.
pub fn count_less(observed: f64, part: f64) -> f64 {
    let left = observed - part;
    if left <= rounding(observed, part) { 0.0 } else { left }
}

fn rounding(a: f64, b: f64) -> f64 {
    // That one of them is whole says nothing: 0.1 + 0.3 + 0.6 is 1.
    if a.fract() == 0.0 && b.fract() == 0.0 { 0.0 } else { 1e-12 * a.max(b) }
}

/// A map that fits `n` old states and stays inside its own bounds.
fn check_map(map: Option<&StateMap>, n: usize) -> Result<Option<&StateMap>, ShapeMismatch> {
    if let Some(map) = map {
        ShapeMismatch::check("states to rename", n, map.to.len())?;
        if let Some(&far) = map.to.iter().find(|&&to| to as usize >= map.n_states && to != StateMap::DROPPED) {
            return Err(ShapeMismatch { what: "a renamed state", expected: map.n_states, found: far as usize });
        }
    }
    Ok(map)
}

impl TryFrom<RawCounts> for JointCounts {
    type Error = String;
    fn try_from(raw: RawCounts) -> Result<Self, String> {
        if raw.n_classes.checked_mul(raw.n_states) != Some(raw.cells.len()) {
            return Err(format!("{} counts for {} classes and {} states", raw.cells.len(), raw.n_classes, raw.n_states));
        }
        if raw.cells.iter().any(|n| !n.is_finite() || *n < 0.0) {
            return Err("a count is negative or not finite".into());
        }
        Ok(Self { n_classes: raw.n_classes, n_states: raw.n_states, cells: raw.cells })
    }
}

impl From<JointCounts> for RawCounts {
    fn from(counts: JointCounts) -> Self {
        Self { n_classes: counts.n_classes, n_states: counts.n_states, cells: counts.cells }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn counted(rows: &[(u8, u8)], n_classes: usize, n_states: usize) -> JointCounts {
        let (classes, states): (Vec<u8>, Vec<u8>) = rows.iter().copied().unzip();
        let mut counts = JointCounts::empty(n_classes, n_states);
        counts.observe(Codes::U8(&classes), Codes::U8(&states), None).unwrap();
        counts
    }

    fn by_hand(rows: &[(u8, u8)], n_classes: usize, n_states: usize) -> JointCounts {
        let mut counts = JointCounts::empty(n_classes, n_states);
        for &(class, state) in rows {
            if class != u8::MAX && state != u8::MAX {
                counts.add(state as usize, class as usize, 1.0);
            }
        }
        counts
    }

    fn rows() -> impl Strategy<Value = Vec<(u8, u8)>> {
        let code = |n: u8| prop_oneof![9 => 0..n, 1 => Just(u8::MAX)];
        proptest::collection::vec((code(3), code(4)), 0..200)
    }

    proptest! {
        #[test]
        fn the_fast_count_is_the_plain_count(rows in rows(), wide in any::<bool>()) {
            // The wider shape takes the path for large tables.
            let n_states = if wide { 1000 } else { 4 };
            prop_assert!(counted(&rows, 3, n_states) == by_hand(&rows, 3, n_states));
        }

        #[test]
        fn cutting_the_rows_anywhere_changes_nothing(rows in rows(), cut in 0..200_usize) {
            let (left, right) = rows.split_at(cut.min(rows.len()));
            let mut merged = counted(left, 3, 4);
            merged.merge(&counted(right, 3, 4)).unwrap();
            prop_assert_eq!(&merged, &counted(&rows, 3, 4));
            merged.forget(&counted(right, 3, 4)).unwrap();
            prop_assert_eq!(merged, counted(left, 3, 4));
        }

        #[test]
        fn the_laws_of_the_algebra_hold_exactly(a in rows(), b in rows(), c in rows()) {
            let [a, b, c] = [a, b, c].map(|rows| counted(&rows, 3, 4));
            let merged = |x: &JointCounts, y: &JointCounts| { let mut sum = x.clone(); sum.merge(y).unwrap(); sum };
            let without = |x: &JointCounts, y: &JointCounts| { let mut rest = x.clone(); rest.forget(y).ok().map(|()| rest) };
            prop_assert_eq!(testkit::merging_is_a_commutative_monoid(&JointCounts::empty(3, 4), [&a, &b, &c], merged, JointCounts::eq), Ok(()));
            prop_assert_eq!(testkit::forgetting_undoes_merging([&a, &b], merged, without, JointCounts::eq), Ok(()));
        }

        #[test]
        fn whole_weights_count_like_repeated_rows(rows in rows(), weights in proptest::collection::vec(0..4_u8, 200)) {
            let repeated: Vec<_> = rows.iter().zip(&weights).flat_map(|(r, &w)| std::iter::repeat_n(*r, w as usize)).collect();
            let (classes, states): (Vec<u8>, Vec<u8>) = rows.iter().copied().unzip();
            let weights: Vec<f64> = weights[..rows.len()].iter().map(|&w| f64::from(w)).collect();
            let mut weighted = JointCounts::empty(3, 4);
            weighted.observe(Codes::U8(&classes), Codes::U8(&states), Some(&weights)).unwrap();
            prop_assert_eq!(weighted, counted(&repeated, 3, 4));
        }
    }

    #[test]
    fn what_was_never_counted_cannot_be_forgotten() {
        let mut counts = counted(&[(0, 0)], 3, 4);
        let before = counts.clone();
        assert!(matches!(counts.forget(&counted(&[(1, 1)], 3, 4)), Err(NeverObserved::Count { .. })));
        assert_eq!(counts, before);
    }

    #[test]
    fn fractional_weights_leave_nothing_behind_in_any_order() {
        let of = |weight: f64| {
            let mut counts = JointCounts::empty(1, 1);
            counts.add(0, 0, weight);
            counts
        };
        for [a, b, c] in [[0.1, 0.3, 0.6], [0.6, 1.1, 1.3], [0.7, 0.2, 0.1]] {
            for order in [[a, b, c], [a, c, b], [b, a, c], [b, c, a], [c, a, b], [c, b, a]] {
                let mut counts = JointCounts::empty(1, 1);
                [a, b, c].iter().for_each(|weight| counts.merge(&of(*weight)).unwrap());
                order.iter().for_each(|weight| counts.forget(&of(*weight)).unwrap());
                assert_eq!(counts, JointCounts::empty(1, 1), "{order:?}");
            }
        }
    }

    #[test]
    fn one_row_of_many_thousand_million_is_not_taken_for_rounding() {
        assert_eq!(count_without(4e15, 4e15 - 1.0), Ok(1.0));
        assert_eq!(count_without(0.1 + 0.2, 0.3), Ok(0.0));
        assert!(count_without(1.0, 1.5).is_err());
        assert!(count_without(4e15, 4e15 + 1.0).is_err());
        assert_eq!(count_less(1.0, 1.5), 0.0);
    }

    #[test]
    fn renaming_moves_counts_and_makes_room() {
        let mut counts = counted(&[(0, 0), (1, 1), (1, 1)], 2, 2);
        let map = StateMap { to: vec![2, 0], n_states: 3 };
        counts.recode(None, Some(&map)).unwrap();
        assert_eq!(counts.get(2, 0), 1.0);
        assert_eq!(counts.get(0, 1), 2.0);
        let wild = StateMap { to: vec![9, 0, 1], n_states: 3 };
        assert!(counts.recode(None, Some(&wild)).is_err());
    }
}
