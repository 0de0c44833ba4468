//! Fayyad & Irani: cut where the classes change, as long as a cut pays for its own description.
//!
//! *Multi-interval discretization of continuous-valued attributes for classification learning*, IJCAI 1993. The best cut of a set
//! is the one whose two sides have the least class entropy; it lies at a boundary point (their Theorem 1), between two values that
//! are not both of one and the same class. It is kept if the information gained exceeds what it costs to say where it is, and both
//! sides are then cut again.

use std::ops::Range;

use belief::CompensatedSum;
use belief::hypotheses::{TwoPartCode, shortest};

use super::{SampledValue, between};

/// The cut points of values sorted upwards; none if no cut says enough about the classes.
///
/// Of equally good cuts the lowest is taken.
///
/// **Complexity**: one pass over a set for each of its cuts, linear if they halve it.
///
/// ```
/// use tunbridge_learn::discretise::{SampledValue, fayyad_irani};
/// let values: Vec<_> = (0..20).map(|x| SampledValue { value: f64::from(x), class: u32::from(x >= 12), weight: 1.0 }).collect();
/// assert_eq!(fayyad_irani(&values, 2), [11.5]);
/// ```
pub fn fayyad_irani(sorted: &[SampledValue], n_classes: usize) -> Vec<f64> {
    let groups = groups(sorted);
    let n_log_n = NLogN::up_to(sorted.iter().map(|point| point.weight).sum());
    let mut cuts = Vec::new();
    let mut left_to_cut: Vec<Range<usize>> = std::iter::once(0..groups.len()).collect();
    while let Some(set) = left_to_cut.pop() {
        if let Some(place) = best_cut(sorted, &groups, set.clone(), n_classes, &n_log_n) {
            cuts.push(between(groups[place - 1].value, groups[place].value));
            left_to_cut.push(set.start..place);
            left_to_cut.push(place..set.end);
        }
    }
    cuts.sort_by(f64::total_cmp);
    cuts
}

/// Rows of one value.
struct Group {
    value: f64,
    rows: Range<usize>,
    /// Their class, if they have only one.
    pure: Option<u32>,
}

fn groups(sorted: &[SampledValue]) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for (row, point) in sorted.iter().enumerate() {
        match groups.last_mut() {
            Some(group) if group.value == point.value => {
                group.rows.end = row + 1;
                group.pure = group.pure.filter(|&class| class == point.class);
            }
            _ => groups.push(Group { value: point.value, rows: row..row + 1, pure: Some(point.class) }),
        }
    }
    groups
}

/// The group before which to cut a set of groups, if a cut is worth its price.
fn best_cut(sorted: &[SampledValue], groups: &[Group], set: Range<usize>, n_classes: usize, n_log_n: &NLogN) -> Option<usize> {
    if set.len() < 2 {
        return None;
    }
    let rows = |set: &Range<usize>| &sorted[groups[set.start].rows.start..groups[set.end - 1].rows.end];
    let whole = ClassWeights::of(rows(&set), n_classes);
    if whole.n_present() < 2 {
        return None;
    }
    // n·Ent of either side, kept up to date row by row: n log n of the side less Σ n log n of its classes.
    let (mut left, mut right) = (ClassWeights::of(&[], n_classes), ClassWeights::of(rows(&set), n_classes));
    let (mut left_sum, mut right_sum) = (CompensatedSum::default(), CompensatedSum::default());
    right.of_class.iter().for_each(|&n| right_sum.add(n_log_n.of(n)));
    let mut best: Option<(usize, f64)> = None;
    for place in set.start..set.end - 1 {
        for point in &sorted[groups[place].rows.clone()] {
            let class = point.class as usize;
            left_sum.add(-n_log_n.of(left.of_class[class]));
            right_sum.add(-n_log_n.of(right.of_class[class]));
            left.add(class, point.weight);
            right.add(class, -point.weight);
            left_sum.add(n_log_n.of(left.of_class[class]));
            right_sum.add(n_log_n.of(right.of_class[class]));
        }
        let boundary = groups[place].pure.is_none() || groups[place].pure != groups[place + 1].pure;
        let entropy = n_log_n.of(left.total) - left_sum.value() + n_log_n.of(right.total) - right_sum.value();
        if boundary && best.is_none_or(|(_, least)| entropy < least - TIE * whole.total) {
            best = Some((place + 1, entropy));
        }
    }
    let (place, _) = best?;
    let (left, right) = (ClassWeights::of(rows(&(set.start..place)), n_classes), ClassWeights::of(rows(&(place..set.end)), n_classes));
    pays(&whole, &left, &right).then_some(place)
}

/// Entropies per row that differ by less are the same: they come from long sums.
const TIE: f64 = 1e-10;

/// Whether the set and its classes are described in fewer bits with the cut than without it (their section 3.2). The classes of a side are
/// sent in a code of their own, whose entropies have to be sent too; and with the cut, where it is and which classes are on which side.
/// It is the same as their criterion, gain > (log₂(N − 1) + Δ)/N with Δ = log₂(3ᵏ − 2) − (k·Ent(S) − k₁·Ent(S₁) − k₂·Ent(S₂)).
fn pays(whole: &ClassWeights, left: &ClassWeights, right: &ClassWeights) -> bool {
    if whole.total <= 1.0 {
        return false;
    }
    let codes = |set: &ClassWeights| set.n_present() as f64 * set.entropy();
    let classes = |set: &ClassWeights| set.total * set.entropy();
    let k = whole.n_present() as i32;
    // 3ᵏ leaves the doubles for large k, where the 2 no longer matters.
    let choices = if k <= 30 { (3_f64.powi(k) - 2.0).log2() } else { f64::from(k) * 3_f64.log2() };
    let uncut = TwoPartCode { hypothesis: codes(whole), data: classes(whole) };
    let cut =
        TwoPartCode { hypothesis: (whole.total - 1.0).log2() + choices + codes(left) + codes(right), data: classes(left) + classes(right) };
    shortest(&[uncut, cut]) == Some(1)
}

struct ClassWeights {
    of_class: Vec<f64>,
    total: f64,
}

impl ClassWeights {
    fn of(points: &[SampledValue], n_classes: usize) -> Self {
        let mut weights = Self { of_class: vec![0.0; n_classes], total: 0.0 };
        points.iter().for_each(|point| weights.add(point.class as usize, point.weight));
        weights
    }

    fn add(&mut self, class: usize, weight: f64) {
        self.of_class[class] += weight;
        self.total += weight;
    }

    /// k.
    fn n_present(&self) -> usize {
        self.of_class.iter().filter(|&&n| n > 0.0).count()
    }

    /// In bits.
    fn entropy(&self) -> f64 {
        let of_class = |&n: &f64| if n > 0.0 { -(n / self.total) * (n / self.total).log2() } else { 0.0 };
        self.of_class.iter().map(of_class).sum()
    }
}

/// n log₂ n, looked up for whole numbers: weights nearly always are, and logarithms would take most of the time.
struct NLogN(Vec<f64>);

impl NLogN {
    /// Beyond this the table would no longer stay in cache.
    const MOST: f64 = 262_144.0;

    fn up_to(total: f64) -> Self {
        Self((0..=total.clamp(0.0, Self::MOST) as usize).map(|n| Self::computed(n as f64)).collect())
    }

    fn of(&self, n: f64) -> f64 {
        let whole = n as usize;
        match self.0.get(whole) {
            Some(looked_up) if whole as f64 == n => *looked_up,
            _ => Self::computed(n),
        }
    }

    fn computed(n: f64) -> f64 {
        // Fractional weights taken away again may leave a hair below zero.
        if n > 0.0 { n * n.log2() } else { 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Every cut between two values, every entropy from its definition, recursion as in the paper.
    fn by_definition(sorted: &[SampledValue], n_classes: usize, cuts: &mut Vec<f64>) {
        let whole = ClassWeights::of(sorted, n_classes);
        let mut best: Option<(usize, f64)> = None;
        for place in 1..sorted.len() {
            if sorted[place - 1].value < sorted[place].value {
                let (left, right) = (ClassWeights::of(&sorted[..place], n_classes), ClassWeights::of(&sorted[place..], n_classes));
                let entropy = (left.total * left.entropy() + right.total * right.entropy()) / whole.total;
                if best.is_none_or(|(_, least)| entropy < least - TIE) {
                    best = Some((place, entropy));
                }
            }
        }
        let Some((place, entropy)) = best else { return };
        let (left, right) = (ClassWeights::of(&sorted[..place], n_classes), ClassWeights::of(&sorted[place..], n_classes));
        let (k, k1, k2) = (whole.n_present(), left.n_present(), right.n_present());
        let delta =
            (3_f64.powi(k as i32) - 2.0).log2() - (k as f64 * whole.entropy() - k1 as f64 * left.entropy() - k2 as f64 * right.entropy());
        if whole.entropy() - entropy > (whole.total - 1.0).log2() / whole.total + delta / whole.total {
            cuts.push((sorted[place - 1].value + sorted[place].value) / 2.0);
            by_definition(&sorted[..place], n_classes, cuts);
            by_definition(&sorted[place..], n_classes, cuts);
        }
    }

    fn points(mut of: Vec<(i32, u32)>) -> Vec<SampledValue> {
        of.sort();
        of.into_iter().map(|(value, class)| SampledValue { value: f64::from(value), class, weight: 1.0 }).collect()
    }

    proptest! {
        /// Classes that mostly follow the value, so that there is something to find.
        #[test]
        fn the_cuts_are_those_of_the_definition(
            rows in proptest::collection::vec((0..40_i32, 0..10_u32), 0..120),
            n_classes in 1..4_u32,
        ) {
            let of = rows.into_iter().map(|(x, noise)| {
                let class = if noise == 0 { (x as u32 * 7) % n_classes } else { (x as u32 / 8) % n_classes };
                (x, class)
            });
            let sorted = points(of.collect());
            let mut expected = Vec::new();
            by_definition(&sorted, n_classes as usize, &mut expected);
            expected.sort_by(f64::total_cmp);
            prop_assert_eq!(fayyad_irani(&sorted, n_classes as usize), expected);
        }

        #[test]
        fn whole_weights_count_like_repeated_rows(rows in proptest::collection::vec((0..12_i32, 0..2_u32, 1..9_u32), 0..30)) {
            let weight_of = |rows: &[(i32, u32, u32)]| {
                let mut sorted: Vec<_> = rows
                    .iter()
                    .map(|&(x, class, weight)| SampledValue { value: f64::from(x), class, weight: f64::from(weight) })
                    .collect();
                sorted.sort_by(|a, b| a.value.total_cmp(&b.value).then(a.class.cmp(&b.class)));
                sorted
            };
            let repeated = points(rows.iter().flat_map(|&(x, class, weight)| vec![(x, class); weight as usize]).collect());
            prop_assert_eq!(fayyad_irani(&weight_of(&rows), 2), fayyad_irani(&repeated, 2));
        }
    }

    #[test]
    fn a_column_that_says_nothing_is_not_cut() {
        assert!(fayyad_irani(&points((0..100).map(|x| (x, (x % 2) as u32)).collect()), 2).is_empty());
        assert!(fayyad_irani(&points((0..100).map(|x| (x, 0)).collect()), 1).is_empty());
        assert!(fayyad_irani(&points((0..100).map(|x| (7, (x % 2) as u32)).collect()), 2).is_empty());
        assert!(fayyad_irani(&[], 2).is_empty());
    }

    #[test]
    fn three_bands_of_two_classes_take_two_cuts() {
        let rows = (0..60).map(|x| (x, u32::from((20..40).contains(&x)))).collect();
        assert_eq!(fayyad_irani(&points(rows), 2), [19.5, 39.5]);
    }
}
