//! The range of a parameter, stretched to the whole line: identity, logarithm or logit, with the Jacobian.
//!
//! Quadrature and Markov chains work on the line, where no step leads out of the range and tails fall off evenly.

/// An interval, open or not, whose ends may be infinite.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Support {
    low: f64,
    high: f64,
}

/// Numbers are looked for between 1e−100 and 1e100 of an end of their range, so that their squares and cubes are numbers too.
const FARTHEST_LN: f64 = 230.0;

impl Support {
    /// The whole line.
    pub const REAL: Self = Self { low: f64::NEG_INFINITY, high: f64::INFINITY };

    /// From low to high; `None` unless low is below high.
    pub fn new(low: f64, high: f64) -> Option<Self> {
        (low < high && low < f64::INFINITY && high > f64::NEG_INFINITY).then_some(Self { low, high })
    }

    /// The lower end.
    pub fn low(&self) -> f64 {
        self.low
    }

    /// The upper end.
    pub fn high(&self) -> f64 {
        self.high
    }

    /// Whether the value lies in it; ends that are numbers do.
    pub fn contains(&self, value: f64) -> bool {
        value.is_finite() && value >= self.low && value <= self.high
    }

    /// What both have in common.
    pub fn and(&self, other: &Self) -> Option<Self> {
        Self::new(self.low.max(other.low), self.high.min(other.high))
    }

    /// The value at a place of the line.
    pub fn value(&self, z: f64) -> f64 {
        let (first, last) = self.line();
        let z = z.clamp(first, last);
        match (self.low.is_finite(), self.high.is_finite()) {
            (false, false) => z,
            (true, false) => (self.low + z.exp()).max(self.low.next_up()),
            (false, true) => (self.high - z.exp()).min(self.high.next_down()),
            (true, true) => {
                let width = self.high - self.low;
                let value = if z < 0.0 { self.low + width * share(z) } else { self.high - width * share(-z) };
                value.clamp(self.low.next_up(), self.high.next_down())
            }
        }
    }

    /// The place of a value on the line; values at the ends and beyond have the outermost place.
    pub fn place(&self, value: f64) -> f64 {
        let (first, last) = self.line();
        let z = match (self.low.is_finite(), self.high.is_finite()) {
            (false, false) => value,
            (true, false) => (value - self.low).max(0.0).ln(),
            (false, true) => (self.high - value).max(0.0).ln(),
            (true, true) => (value - self.low).max(0.0).ln() - (self.high - value).max(0.0).ln(),
        };
        z.clamp(first, last)
    }

    /// ln |d value / d z|: what a density gains on the line.
    pub fn ln_jacobian(&self, z: f64) -> f64 {
        match (self.low.is_finite(), self.high.is_finite()) {
            (false, false) => 0.0,
            (true, true) => (self.high - self.low).ln() - z.abs() - 2.0 * (-z.abs()).exp().ln_1p(),
            _ => z,
        }
    }

    /// Whether greater places have greater values.
    pub fn rises(&self) -> bool {
        self.low.is_finite() || !self.high.is_finite()
    }

    /// The part of the line whose places have values of their own: beyond it, a double cannot be told from the end of the range.
    pub fn line(&self) -> (f64, f64) {
        let nearest = |end: f64| if end == 0.0 { -FARTHEST_LN } else { (end.abs() * f64::EPSILON).ln() };
        match (self.low.is_finite(), self.high.is_finite()) {
            (false, false) => (-1e100, 1e100),
            (true, false) => (nearest(self.low), FARTHEST_LN),
            (false, true) => (nearest(self.high), FARTHEST_LN),
            (true, true) => {
                let width = (self.high - self.low).ln();
                ((nearest(self.low) - width).clamp(-FARTHEST_LN, -1.0), (width - nearest(self.high)).clamp(1.0, FARTHEST_LN))
            }
        }
    }
}

/// 1/(1 + e⁻ᶻ) for z below 0, with all digits.
fn share(z: f64) -> f64 {
    let odds = z.exp();
    odds / (1.0 + odds)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// The place of the value of a place is the place, and the Jacobian is the slope.
        #[test]
        fn places_and_values_are_inverse(
            z in -8.0..8.0_f64,
            kind in prop::sample::select(vec![(f64::NEG_INFINITY, f64::INFINITY), (2.0, f64::INFINITY), (f64::NEG_INFINITY, 5.0), (0.0, 1.0), (-3.0, 10.0)]),
        ) {
            let support = Support::new(kind.0, kind.1).unwrap();
            prop_assert!((support.place(support.value(z)) - z).abs() < 1e-10);
            let slope = (support.value(z + 1e-5) - support.value(z - 1e-5)) / 2e-5;
            prop_assert!((support.ln_jacobian(z) - slope.abs().ln()).abs() < 1e-5);
            prop_assert_eq!(slope > 0.0, support.rises());
            prop_assert!(support.contains(support.value(z)));
        }
    }

    #[test]
    fn the_ends_of_the_line_are_inside_the_range() {
        for (low, high) in [(0.0, f64::INFINITY), (0.0, 10.0), (-1.0, 1.0), (5.0, 5.000001), (f64::NEG_INFINITY, -2.0), (-1e-9, 0.0)] {
            let support = Support::new(low, high).unwrap();
            let (first, last) = support.line();
            assert!(first < last);
            for z in [first, last, -1e6, 1e6] {
                let value = support.value(z);
                assert!(value > low && value < high, "{low}..{high} at {z}: {value}");
            }
        }
        assert!(Support::new(1.0, 1.0).is_none());
        assert!(Support::new(f64::NAN, 1.0).is_none());
    }
}
