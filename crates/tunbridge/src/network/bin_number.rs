//! A number for a bin: what stands in a table where a network says which bin, and no more.
//!
//! A bin is all numbers above a cut up to the next, which is in it. Inside it every number is as good as another, so the middle stands for
//! it, or any place in it that is drawn. The outermost bins have one end only: that stands for them, or the next number that is in the bin.

/// The number of a bin at a share of its width from its upper end: 0.5 is the middle. `None` where the only bin is all numbers.
pub(super) fn number_of(cuts: &[f64], bin: usize, share: f64) -> Option<f64> {
    let (above, up_to) = (bin.checked_sub(1).and_then(|below| cuts.get(below)), cuts.get(bin));
    match (above, up_to) {
        (Some(above), Some(up_to)) => {
            let number = above * share + up_to * (1.0 - share);
            // Rounding must not bring it into the bin below, nor above its own.
            Some(if number > *above && number <= *up_to { number } else { *up_to })
        }
        (None, Some(up_to)) => Some(*up_to),
        (Some(above), None) => Some(above.next_up().min(f64::MAX)),
        (None, None) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_in_their_bins() {
        let cuts = [-1.0, 0.1, 0.1_f64.next_up(), 7.0, f64::MAX];
        let bin_of = |x: f64| cuts.partition_point(|cut| *cut < x);
        for bin in 0..cuts.len() {
            for share in [0.0, 0.25, 0.5, 1.0 - f64::EPSILON / 2.0, 1.0] {
                assert_eq!(bin_of(number_of(&cuts, bin, share).unwrap()), bin, "bin {bin}, share {share}");
            }
        }
        assert_eq!(number_of(&[-1.0, 2.0], 1, 0.5), Some(0.5));
        assert_eq!(number_of(&[-1.0, 2.0], 0, 0.5), Some(-1.0));
        assert_eq!(number_of(&[-1.0, 2.0], 2, 0.5), Some(2.0_f64.next_up()));
        assert_eq!(number_of(&[], 0, 0.5), None);
    }
}
