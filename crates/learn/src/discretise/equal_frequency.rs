//! Equal frequency: cut points at the quantiles, so that the bins hold equally many rows.

use super::{SampledValue, between};

/// Cut points that come nearest to the `bins` − 1 inner quantiles of values sorted upwards; equal values stay together, so that
/// there may be fewer bins. Of two equally near cuts the lower one is taken.
///
/// ```
/// use tunbridge_learn::discretise::{SampledValue, equal_frequency};
/// let values: Vec<_> = (1..=6).map(|x| SampledValue { value: f64::from(x), class: 0, weight: 1.0 }).collect();
/// assert_eq!(equal_frequency(&values, 3), [2.5, 4.5]);
/// ```
pub fn equal_frequency(sorted: &[SampledValue], bins: usize) -> Vec<f64> {
    let total: f64 = sorted.iter().map(|v| v.weight).sum();
    let mut cuts: Vec<f64> = Vec::new();
    // Every place where the value changes, with the weight below it.
    let mut below = 0.0;
    let changes: Vec<(f64, f64)> = sorted
        .windows(2)
        .filter_map(|pair| {
            below += pair[0].weight;
            (pair[0].value < pair[1].value).then(|| (below, between(pair[0].value, pair[1].value)))
        })
        .collect();
    for nth in 1..bins {
        let wanted = total * (nth as f64 / bins as f64);
        let above = changes.partition_point(|(below, _)| *below < wanted);
        let nearest = [above.checked_sub(1), Some(above)].into_iter().flatten().filter_map(|place| changes.get(place));
        let nearest = nearest.reduce(|lower, upper| if upper.0 - wanted < wanted - lower.0 { upper } else { lower });
        if let Some(&(_, cut)) = nearest
            && cuts.last().is_none_or(|&last| last < cut)
        {
            cuts.push(cut);
        }
    }
    cuts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(of: &[(f64, f64)]) -> Vec<SampledValue> {
        of.iter().map(|&(value, weight)| SampledValue { value, class: 0, weight }).collect()
    }

    #[test]
    fn equal_values_stay_together() {
        assert_eq!(equal_frequency(&values(&[(1.0, 1.0), (1.0, 1.0), (1.0, 1.0), (2.0, 1.0)]), 4), [1.5]);
        assert!(equal_frequency(&values(&[(1.0, 5.0)]), 4).is_empty());
        assert!(equal_frequency(&[], 4).is_empty());
    }

    #[test]
    fn weights_count_like_repeated_rows() {
        let weighted = values(&[(1.0, 3.0), (2.0, 1.0), (3.0, 2.0), (4.0, 2.0)]);
        let repeated: Vec<_> =
            weighted.iter().flat_map(|v| std::iter::repeat_n(SampledValue { weight: 1.0, ..*v }, v.weight as usize)).collect();
        for bins in 2..6 {
            assert_eq!(equal_frequency(&weighted, bins), equal_frequency(&repeated, bins));
        }
    }
}
