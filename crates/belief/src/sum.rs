//! Compensated summation: long sums of reals without losing the small terms.

use serde::{Deserialize, Serialize};

/// A running sum with Neumaier's correction (Zeitschrift für Angewandte Mathematik und Mechanik 54, 1974).
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
        let total = self.sum + x;
        self.lost += if self.sum.abs() >= x.abs() { (self.sum - total) + x } else { (x - total) + self.sum };
        self.sum = total;
    }

    /// Adds another sum's terms.
    pub fn merge(&mut self, other: &Self) {
        self.add(other.sum);
        self.lost += other.lost;
    }

    /// The sum.
    pub fn value(&self) -> f64 {
        self.sum + self.lost
    }
}
