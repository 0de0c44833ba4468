//! Equal width: the range is cut into equal parts.

/// The inner ends of `bins` equal parts of the range from `low` to `high`; none when the range is a point.
///
/// ```
/// assert_eq!(tunbridge_learn::discretise::equal_width(0.0, 10.0, 4), [2.5, 5.0, 7.5]);
/// ```
pub fn equal_width(low: f64, high: f64, bins: usize) -> Vec<f64> {
    let mut cuts: Vec<f64> = Vec::with_capacity(bins.saturating_sub(1));
    for nth in 1..bins {
        let part = nth as f64 / bins as f64;
        // Not low + part · (high − low), whose difference may overflow.
        let cut = low * (1.0 - part) + high * part;
        // Rounding may put neighbours of a tiny range on one number, or on an end: those would be empty bins.
        if cut >= low && cut < high && cuts.last().is_none_or(|&last| last < cut) {
            cuts.push(cut);
        }
    }
    cuts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_point_has_no_parts_and_a_huge_range_does_not_overflow() {
        assert!(equal_width(3.0, 3.0, 10).is_empty());
        let cuts = equal_width(-f64::MAX, f64::MAX, 4);
        assert_eq!(cuts.len(), 3);
        assert!(cuts.iter().all(|c| c.is_finite()) && cuts[1].abs() < 1e300);
        let tiny = equal_width(1.0, 1.0 + 2.0 * f64::EPSILON, 10);
        assert!(tiny.is_sorted_by(|a, b| a < b) && tiny.len() <= 2);
    }
}
