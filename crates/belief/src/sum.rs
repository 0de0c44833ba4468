//! Compensated summation: long sums of reals without losing the small terms.

use serde::{Deserialize, Serialize};

/// A running sum with the rounding errors it has made so far.
///
/// Neumaier 1974, "Rundungsfehleranalyse einiger Verfahren zur Summation endlicher Summen" (ZAMM 54), the improved Kahan summation:
/// the rounding error of every addition is kept beside the sum. Merging is commutative to the last bit.
///
/// ```
/// use tunbridge_belief::CompensatedSum;
/// let mut sum = CompensatedSum::default();
/// for x in [1e100, 1.0, -1e100] { sum.add(x); }
/// assert_eq!(sum.value(), 1.0);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CompensatedSum {
    sum: f64,
    lost: f64,
}

impl CompensatedSum {
    /// Adds one term.
    pub fn add(&mut self, x: f64) {
        let (sum, lost) = two_sum(self.sum, x);
        self.sum = sum;
        self.lost += lost;
    }

    /// Adds another sum's terms.
    pub fn merge(&mut self, other: &Self) {
        let (sum, lost) = two_sum(self.sum, other.sum);
        self.sum = sum;
        self.lost = (self.lost + other.lost) + lost;
    }

    /// The sum.
    pub fn value(&self) -> f64 {
        self.sum + self.lost
    }
}

/// a + b rounded, and exactly what the rounding left out. Neumaier branches on the larger term to find it; Knuth's six operations
/// (The Art of Computer Programming 2, 4.2.2, Theorem B) need no branch and do not care for the order.
fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let b_as_added = sum - a;
    let a_as_added = sum - b_as_added;
    (sum, (a - a_as_added) + (b - b_as_added))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn sum_of(terms: &[f64]) -> CompensatedSum {
        let mut sum = CompensatedSum::default();
        for &term in terms {
            sum.add(term);
        }
        sum
    }

    /// Neumaier's own example, where plain and Kahan's summation both give 0.
    #[test]
    fn small_terms_survive_a_large_one() {
        assert_eq!(sum_of(&[1.0, 1e100, 1.0, -1e100]).value(), 2.0);
    }

    #[test]
    fn ten_million_tenths_are_a_million() {
        let mut sum = CompensatedSum::default();
        for _ in 0..10_000_000 {
            sum.add(0.1);
        }
        assert_eq!(sum.value(), 1e6);
    }

    proptest! {
        #[test]
        fn merging_is_commutative_and_the_empty_sum_is_its_identity(
            left in prop::collection::vec(-1e6..1e6_f64, 0..20),
            right in prop::collection::vec(-1e6..1e6_f64, 0..20),
        ) {
            let (left, right) = (sum_of(&left), sum_of(&right));
            let (mut left_first, mut right_first) = (left, right);
            left_first.merge(&right);
            right_first.merge(&left);
            prop_assert_eq!(left_first, right_first);

            let mut from_empty = CompensatedSum::default();
            from_empty.merge(&left);
            prop_assert_eq!(from_empty, left);
        }
    }
}
