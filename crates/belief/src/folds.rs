//! Which row belongs to which fold of a cross-validation: balanced, seeded, and known from the row's number alone.

use crate::{Chunk, Recode, Recoding, ShapeMismatch, SufficientStatistic};

/// A division of rows into folds.
///
/// Every run of `n_folds` consecutive rows is dealt out in a seeded random order, one to each fold. Folds therefore differ by at
/// most one row, and in a table sorted by class each fold gets its share of every class.
///
/// ```
/// use tunbridge_belief::FoldPlan;
/// let plan = FoldPlan::new(10, 7).unwrap();
/// let mut dealt: Vec<usize> = (0..10).map(|row| plan.fold_of(row)).collect();
/// dealt.sort();
/// assert_eq!(dealt, (0..10).collect::<Vec<_>>());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FoldPlan {
    n_folds: usize,
    seed: u64,
}

impl FoldPlan {
    /// The most folds a plan may have.
    pub const MOST: usize = 1000;

    /// A plan of 2 to 1,000 folds, else `None`.
    pub fn new(n_folds: usize, seed: u64) -> Option<Self> {
        (2..=Self::MOST).contains(&n_folds).then_some(Self { n_folds, seed })
    }

    /// How many folds.
    pub fn n_folds(&self) -> usize {
        self.n_folds
    }

    /// The fold of a row, by its number from 0. For many rows, [`Self::folds`] deals each block once.
    pub fn fold_of(&self, row: u64) -> usize {
        usize::from(self.folds(row, 1)[0])
    }

    /// The folds of a run of `n_rows` rows from `first_row` on.
    pub fn folds(&self, first_row: u64, n_rows: usize) -> Vec<u16> {
        let n = self.n_folds as u64;
        let mut deal: Vec<u16> = vec![0; self.n_folds];
        let mut dealt = None;
        let mut fold = |row: u64| {
            if dealt != Some(row / n) {
                dealt = Some(row / n);
                self.deal(row / n, &mut deal);
            }
            deal[(row % n) as usize]
        };
        (0..n_rows as u64).map(|place| fold(first_row + place)).collect()
    }

    /// The places, in a run of `n_rows` rows from `first_row` on, that belong to each fold.
    pub fn places(&self, first_row: u64, n_rows: usize) -> Vec<Vec<u32>> {
        let mut places = vec![Vec::with_capacity(n_rows / self.n_folds + 1); self.n_folds];
        for (place, fold) in (0_u32..).zip(self.folds(first_row, n_rows)) {
            places[usize::from(fold)].push(place);
        }
        places
    }

    /// Deals the folds out to the rows of a block by Fisher–Yates (Knuth, TAOCP 2, Algorithm 3.4.2P), from a counter-based stream.
    fn deal(&self, block: u64, deal: &mut [u16]) {
        for (place, fold) in deal.iter_mut().enumerate() {
            *fold = place as u16;
        }
        for place in (1..self.n_folds).rev() {
            let counter = block.wrapping_mul(self.n_folds as u64).wrapping_add(place as u64);
            let draw = split_mix(self.seed ^ split_mix(counter));
            // Multiply-shift instead of a remainder; the bias is below 2⁻⁵⁴ for so few folds.
            let other = ((u128::from(draw) * (place as u128 + 1)) >> 64) as usize;
            deal.swap(place, other);
        }
    }
}

/// One statistic per fold, all from a single pass: what the others say is the sum of theirs.
#[derive(Clone, Debug)]
pub struct ByFold<S> {
    plan: FoldPlan,
    folds: Vec<S>,
}

impl<S: Clone> ByFold<S> {
    /// Nothing seen in any fold.
    pub fn empty(plan: FoldPlan, blank: &S) -> Self {
        Self { plan, folds: vec![blank.clone(); plan.n_folds] }
    }
}

impl<S: SufficientStatistic> ByFold<S> {
    /// For each fold the statistic of all other folds.
    ///
    /// They are merged from the folds before and the folds behind, not made of the total less the fold: of moments whose spread is
    /// mostly in the fold, nothing but rounding would be left.
    ///
    /// **Complexity**: three merges a fold.
    ///
    /// # Errors
    /// When the folds' shapes differ, which they never do after one pass.
    pub fn others(&self) -> Result<Vec<S>, ShapeMismatch> {
        let add = |sum: &mut Option<S>, more: &S| match sum {
            Some(sum) => sum.merge(more),
            None => {
                *sum = Some(more.clone());
                Ok(())
            }
        };
        let mut others: Vec<Option<S>> = Vec::with_capacity(self.folds.len());
        let mut before = None;
        for fold in &self.folds {
            others.push(before.clone());
            add(&mut before, fold)?;
        }
        let mut behind: Option<S> = None;
        for (fold, others) in self.folds.iter().zip(&mut others).rev() {
            if let Some(behind) = &behind {
                add(others, behind)?;
            }
            add(&mut behind, fold)?;
        }
        // A plan has two folds at least, so each has others.
        Ok(others.into_iter().flatten().collect())
    }
}

impl<S> SufficientStatistic for ByFold<S>
where
    S: for<'a> SufficientStatistic<Columns<'a> = Chunk<'a>>,
{
    type Columns<'a> = Chunk<'a>;

    fn observe(&mut self, chunk: Chunk<'_>) -> Result<(), ShapeMismatch> {
        for (fold, places) in self.folds.iter_mut().zip(self.plan.places(chunk.first_row, chunk.n_rows)) {
            chunk.select(&places).lend(chunk.first_row, |rows| fold.observe(rows))?;
        }
        Ok(())
    }

    fn merge(&mut self, other: &Self) -> Result<(), ShapeMismatch> {
        ShapeMismatch::check("folds", self.folds.len(), other.folds.len())?;
        self.folds.iter_mut().zip(&other.folds).try_for_each(|(a, b)| a.merge(b))
    }
}

impl<S: Recode> Recode for ByFold<S> {
    fn recode(&mut self, recoding: &Recoding) -> Result<(), ShapeMismatch> {
        self.folds.iter_mut().try_for_each(|fold| fold.recode(recoding))
    }

    fn times_met(&self, variable: usize) -> Option<Vec<f64>> {
        let mut sum = self.folds.first()?.times_met(variable)?;
        for fold in &self.folds[1..] {
            sum.iter_mut().zip(fold.times_met(variable)?).for_each(|(sum, times)| *sum += times);
        }
        Some(sum)
    }
}

/// SplitMix64's finaliser (Steele, Lea & Flood 2014): a counter in, 64 well-mixed bits out. The same counter gives the same bits,
/// whatever thread asks.
pub fn split_mix(counter: u64) -> u64 {
    let mut z = counter.wrapping_add(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folds_are_balanced_and_depend_on_the_seed() {
        let sizes = |seed| {
            let plan = FoldPlan::new(7, seed).unwrap();
            let mut sizes = [0; 7];
            (0..1000).for_each(|row| sizes[plan.fold_of(row)] += 1);
            sizes
        };
        assert!(sizes(1).iter().all(|&n| n == 142 || n == 143));
        let of = |seed| (0..100).map(|row| FoldPlan::new(7, seed).unwrap().fold_of(row)).collect::<Vec<_>>();
        assert_ne!(of(1), of(2));
        assert_eq!(of(3), of(3));
    }

    #[test]
    fn the_places_of_a_run_are_the_folds_of_its_rows() {
        let plan = FoldPlan::new(7, 3).unwrap();
        let places = plan.places(12, 100);
        for (fold, places) in places.iter().enumerate() {
            assert!(places.iter().all(|place| plan.fold_of(12 + u64::from(*place)) == fold));
        }
        assert_eq!(places.iter().map(Vec::len).sum::<usize>(), 100);
    }

    #[test]
    fn one_fold_or_too_many_are_no_plan() {
        assert!(FoldPlan::new(1, 0).is_none());
        assert!(FoldPlan::new(1001, 0).is_none());
    }
}
