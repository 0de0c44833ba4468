//! Which row belongs to which fold of a cross-validation: balanced, seeded, and known from the row's number alone.

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

    /// The fold of a row, by its number from 0.
    pub fn fold_of(&self, row: u64) -> usize {
        let n = self.n_folds as u64;
        let (block, within) = (row / n, (row % n) as usize);
        // Fisher–Yates (Knuth, TAOCP 2, Algorithm 3.4.2P), run afresh for the block from a counter-based stream.
        let mut deal: [u16; Self::MOST] = [0; Self::MOST];
        for (place, fold) in deal[..self.n_folds].iter_mut().enumerate() {
            *fold = place as u16;
        }
        for place in (1..self.n_folds).rev() {
            let draw = split_mix(self.seed ^ split_mix(block.wrapping_mul(n).wrapping_add(place as u64)));
            // Multiply-shift instead of a remainder; the bias is below 2⁻⁵⁴ for so few folds.
            let other = ((u128::from(draw) * (place as u128 + 1)) >> 64) as usize;
            deal.swap(place, other);
        }
        deal[within] as usize
    }
}

/// SplitMix64's finaliser (Steele, Lea & Flood 2014): a counter in, 64 well-mixed bits out.
fn split_mix(counter: u64) -> u64 {
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
    fn one_fold_or_too_many_are_no_plan() {
        assert!(FoldPlan::new(1, 0).is_none());
        assert!(FoldPlan::new(1001, 0).is_none());
    }
}
