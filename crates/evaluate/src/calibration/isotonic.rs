//! Isotonic calibration: the best map from log-odds to probability that never falls.
//!
//! Zadrozny & Elkan 2002, "Transforming Classifier Scores into Accurate Multiclass Probability Estimates" (KDD), by the
//! pool-adjacent-violators algorithm (Ayer et al. 1955; Barlow et al. 1972, section 1.2). It assumes nothing but that a
//! higher score means a higher probability, and wants some thousand rows for it; with fewer, see
//! [`super::sigmoid`]. One class only: the bringing together of classes is in [`super`].

use serde::{Deserialize, Serialize};

use super::MIN_PROBABILITY;
use super::score_grid::SCORE_LIMIT;
use crate::error::EvaluateError;

/// A point of the map: at this log-odds, this probability.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Knot {
    /// The log-odds that the model gave.
    pub log_odds: f64,
    /// The probability that it deserved.
    pub probability: f64,
}

/// A map from log-odds to probability that never falls: straight between its knots, level beyond the outermost.
///
/// Invariant: at least one knot, log-odds rising, probabilities not falling and strictly between 0 and 1.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Vec<Knot>", into = "Vec<Knot>")]
pub struct IsotonicMap {
    knots: Vec<Knot>,
}

impl IsotonicMap {
    /// Fits the map to cells of (log-odds, [weight where false, weight where true]), by rising log-odds.
    ///
    /// A block of pooled cells gets the share of its weight that was true, and a knot at either end. A share of 0 or 1
    /// would be a claim of certainty that n rows cannot carry, so shares are clipped to [1/(n + 2), (n + 1)/(n + 2)],
    /// n being the weight of all cells: what Laplace's rule says after n rows of one kind. Clipping keeps the order,
    /// where a correction of each block by its own weight would not.
    ///
    /// **Complexity**: linear in the number of cells.
    ///
    /// `None` where there are no cells.
    pub(super) fn fit(cells: impl Iterator<Item = (f64, [f64; 2])>) -> Option<Self> {
        let blocks = pool_adjacent_violators(cells);
        let n: f64 = blocks.iter().map(Block::weight).sum();
        let floor = (1.0 / (n + 2.0)).max(MIN_PROBABILITY);
        let mut knots = Vec::new();
        for block in &blocks {
            let probability = (block.positive / block.weight()).clamp(floor, 1.0 - floor);
            for log_odds in [block.first, block.last] {
                knots.push(Knot { log_odds, probability });
            }
        }
        // A block of one cell begins where it ends.
        knots.dedup_by_key(|knot| knot.log_odds);
        (!knots.is_empty()).then_some(Self { knots })
    }

    /// The points between which the map is straight, by rising log-odds.
    pub fn knots(&self) -> &[Knot] {
        &self.knots
    }

    /// The calibrated probability at these log-odds.
    pub fn probability(&self, log_odds: f64) -> f64 {
        let right_idx = self.knots.partition_point(|knot| knot.log_odds <= log_odds);
        let (first, last) = (self.knots[0], self.knots[self.knots.len() - 1]);
        if right_idx == 0 {
            return first.probability;
        }
        let left = self.knots[right_idx - 1];
        let right = self.knots.get(right_idx).copied().unwrap_or(last);
        let rise = right.probability - left.probability;
        if rise <= 0.0 {
            return left.probability;
        }
        let share = (log_odds - left.log_odds) / (right.log_odds - left.log_odds);
        (left.probability + rise * share).min(right.probability)
    }

    /// Whether the invariant holds.
    ///
    /// # Errors
    ///
    /// It does not, and says in what.
    pub(super) fn validate(&self) -> Result<(), EvaluateError> {
        let invalid = |fault| EvaluateError::Invalid { type_name: "isotonic map", fault };
        if self.knots.is_empty() {
            return Err(invalid("it has no knots"));
        }
        // Half of the least probability that is ever fitted, in case a text format lost a last digit.
        let least = 0.5 * MIN_PROBABILITY;
        let is_inside =
            |knot: &Knot| (-SCORE_LIMIT..=SCORE_LIMIT).contains(&knot.log_odds) && (least..=1.0 - least).contains(&knot.probability);
        if !self.knots.iter().all(is_inside) {
            return Err(invalid("a knot lies outside the range of the map"));
        }
        let is_rising = |pair: &[Knot]| pair[0].log_odds < pair[1].log_odds && pair[0].probability <= pair[1].probability;
        if !self.knots.windows(2).all(is_rising) {
            return Err(invalid("it falls, or its knots are out of order"));
        }
        Ok(())
    }
}

impl TryFrom<Vec<Knot>> for IsotonicMap {
    type Error = EvaluateError;

    fn try_from(knots: Vec<Knot>) -> Result<Self, EvaluateError> {
        let map = Self { knots };
        map.validate()?;
        Ok(map)
    }
}

impl From<IsotonicMap> for Vec<Knot> {
    fn from(map: IsotonicMap) -> Self {
        map.knots
    }
}

/// Neighbouring cells that share one probability.
#[derive(Clone, Copy, Debug)]
struct Block {
    first: f64,
    last: f64,
    negative: f64,
    positive: f64,
}

impl Block {
    fn weight(&self) -> f64 {
        self.negative + self.positive
    }

    /// Whether the share of positives in this block is not below that of the next one. Odds are compared by their cross
    /// products, so that no share is rounded and whole weights compare exactly.
    fn violates(&self, next: &Self) -> bool {
        self.positive * next.negative >= next.positive * self.negative
    }
}

/// The blocks of the isotonic regression of the shares of positives, which rise strictly from block to block.
fn pool_adjacent_violators(cells: impl Iterator<Item = (f64, [f64; 2])>) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    for (log_odds, [negative, positive]) in cells {
        let mut block = Block { first: log_odds, last: log_odds, negative, positive };
        while let Some(previous) = blocks.pop_if(|previous| previous.violates(&block)) {
            block.first = previous.first;
            block.negative += previous.negative;
            block.positive += previous.positive;
        }
        blocks.push(block);
    }
    blocks
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn fit(cells: &[(f64, [f64; 2])]) -> IsotonicMap {
        let map = IsotonicMap::fit(cells.iter().copied()).unwrap();
        map.validate().unwrap();
        map
    }

    /// Shares 1/4, 3/4, 1/4, 1: the middle two are pooled to 1/2, and 1 is clipped at n = 16.
    #[test]
    fn violators_are_pooled() {
        let map = fit(&[(-2.0, [3.0, 1.0]), (-1.0, [1.0, 3.0]), (1.0, [3.0, 1.0]), (2.0, [0.0, 4.0])]);
        let knot = |log_odds, probability| Knot { log_odds, probability };
        let clipped = 1.0 - 1.0 / 18.0;
        assert_eq!(map.knots(), [knot(-2.0, 0.25), knot(-1.0, 0.5), knot(1.0, 0.5), knot(2.0, clipped)]);
        assert_eq!(map.probability(-32.0), 0.25);
        assert_eq!(map.probability(-1.5), 0.375);
        assert_eq!(map.probability(0.0), 0.5);
        assert_eq!(map.probability(1.5), 0.5 + 0.5 * (clipped - 0.5));
        assert_eq!(map.probability(2.0), clipped);
        assert_eq!(map.probability(32.0), clipped);
    }

    #[test]
    fn perfect_separation_stays_inside() {
        let map = fit(&[(-5.0, [10.0, 0.0]), (5.0, [0.0, 10.0])]);
        assert_eq!(map.probability(-5.0), 1.0 / 22.0);
        assert_eq!(map.probability(5.0), 1.0 - 1.0 / 22.0);
        let huge = fit(&[(-5.0, [1e50, 0.0]), (5.0, [0.0, 1e50])]);
        assert_eq!(huge.probability(-5.0), MIN_PROBABILITY);
        assert!(huge.probability(5.0) < 1.0);
    }

    #[test]
    fn without_cells_there_is_no_map() {
        assert_eq!(IsotonicMap::fit(std::iter::empty()), None);
    }

    #[test]
    fn a_damaged_map_is_refused() {
        let map = |knots: &[(f64, f64)]| {
            let knots = knots.iter().map(|&(log_odds, probability)| Knot { log_odds, probability });
            IsotonicMap::try_from(knots.collect::<Vec<_>>())
        };
        assert!(map(&[(0.0, 0.2), (1.0, 0.2)]).is_ok());
        assert!(map(&[]).is_err());
        assert!(map(&[(0.0, 0.2), (1.0, 0.1)]).is_err());
        assert!(map(&[(0.0, 0.2), (0.0, 0.3)]).is_err());
        assert!(map(&[(f64::NAN, 0.2)]).is_err());
        assert!(map(&[(33_000.0, 0.2)]).is_err());
        for outside in [0.0, 1.0, f64::NAN, -0.1, 1e-300] {
            assert!(map(&[(0.0, outside)]).is_err(), "{outside}");
        }
    }

    fn cells() -> impl Strategy<Value = Vec<(f64, [f64; 2])>> {
        let weights = prop::array::uniform2(0..6_u32);
        let weights = weights.prop_filter("a cell holds something", |w| w[0] + w[1] > 0);
        prop::collection::vec(weights, 1..12).prop_map(|cells| {
            let cells = cells.into_iter().enumerate();
            cells.map(|(idx, weights)| (idx as f64 - 6.0, weights.map(f64::from))).collect()
        })
    }

    /// Barlow et al. 1972, the min-max formulas: at cell i, the largest over a ≤ i of the smallest over b ≥ i of the
    /// share of positives in cells a to b.
    fn min_max(cells: &[(f64, [f64; 2])], i: usize) -> f64 {
        let share = |a: usize, b: usize| {
            let positive: f64 = cells[a..=b].iter().map(|cell| cell.1[1]).sum();
            let weight: f64 = cells[a..=b].iter().map(|cell| cell.1[0] + cell.1[1]).sum();
            positive / weight
        };
        let smallest = |a| (i..cells.len()).map(|b| share(a, b)).fold(1.0, f64::min);
        (0..=i).map(smallest).fold(0.0, f64::max)
    }

    proptest! {
        #[test]
        fn pooling_gives_the_isotonic_regression(cells in cells()) {
            let map = fit(&cells);
            let n: f64 = cells.iter().map(|(_, [no, yes])| no + yes).sum();
            let floor = 1.0 / (n + 2.0);
            for (i, &(log_odds, _)) in cells.iter().enumerate() {
                let expected = min_max(&cells, i).clamp(floor, 1.0 - floor);
                prop_assert!((map.probability(log_odds) - expected).abs() < 1e-12);
            }
        }

        #[test]
        fn the_map_never_falls(cells in cells(), a in -33.0..33.0_f64, b in -33.0..33.0_f64) {
            let map = fit(&cells);
            prop_assert!(map.probability(a.min(b)) <= map.probability(a.max(b)));
        }
    }
}
