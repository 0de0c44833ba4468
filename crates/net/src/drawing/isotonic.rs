//! Isotonic regression: pool adjacent violators (Ayer, Brunk, Ewing, Reid & Silverman 1955).

/// The values that never fall and are nearest to these, by least squares with weights.
pub(super) fn isotonic(wanted: &[(f64, f64)]) -> Vec<f64> {
    let mut blocks: Vec<(f64, f64, usize)> = Vec::with_capacity(wanted.len());
    for &(value, weight) in wanted {
        let mut block = (value, weight, 1);
        while let Some(&(before, weight_before, n_before)) = blocks.last() {
            if before < block.0 {
                break;
            }
            let total = weight_before + block.1;
            block = ((before * weight_before + block.0 * block.1) / total, total, n_before + block.2);
            blocks.pop();
        }
        blocks.push(block);
    }
    blocks.into_iter().flat_map(|(value, _, n)| std::iter::repeat_n(value, n)).collect()
}

/// Places in this order, each at least so far from the next, that are nearest to the wanted ones.
pub(super) fn spread(wanted: &[f64], apart: f64) -> Vec<f64> {
    let packed: Vec<(f64, f64)> = wanted.iter().enumerate().map(|(place, &at)| (at - place as f64 * apart, 1.0)).collect();
    isotonic(&packed).into_iter().enumerate().map(|(place, at)| at + place as f64 * apart).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn isotonic_by_hand() {
        assert_eq!(isotonic(&[(1.0, 1.0), (4.0, 1.0), (2.0, 1.0), (9.0, 1.0)]), [1.0, 3.0, 3.0, 9.0]);
        assert_eq!(isotonic(&[(4.0, 1.0), (1.0, 2.0)]), [2.0, 2.0]);
    }

    #[test]
    fn what_stands_too_near_is_spread_around_its_middle() {
        assert_eq!(spread(&[0.0, 0.0, 50.0], 8.0), [-4.0, 4.0, 50.0]);
    }
}
