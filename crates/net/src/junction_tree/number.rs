//! Numbers that messages are made of: doubles, and doubles with an exponent of their own that neither under- nor overflow.

/// What propagation needs of a number that is not negative.
pub(super) trait Number: Copy + Send + Sync {
    const ZERO: Self;
    const ONE: Self;
    fn from_f64(value: f64) -> Self;
    fn times(self, other: Self) -> Self;
    fn plus(self, other: Self) -> Self;
    /// The quotient; 0/0 is 0.
    fn over(self, other: Self) -> Self;
    fn is_zero(self) -> bool;
    /// The natural logarithm; −∞ of zero.
    fn ln(self) -> f64;
    /// As a double: 0 or ∞ where it has none.
    fn to_f64(self) -> f64;
    /// Divides numbers by the power of two that brings the largest between one and two, and gives its exponent; `None` when all are zero, or
    /// the largest is so faint that smaller ones may have been lost.
    fn scale(values: &mut [Self]) -> Option<i64>;
    /// Whether a sum is above zero, and not so faint that what it was summed from may have been lost.
    fn is_sound(sum: Self) -> bool;
}

/// Below this a double has lost company that may matter: what a message's largest entry must not be below before it is scaled.
const FAINT: f64 = 1e-100;

impl Number for f64 {
    const ZERO: Self = 0.0;
    const ONE: Self = 1.0;

    fn from_f64(value: f64) -> Self {
        value
    }

    #[inline(always)]
    fn times(self, other: Self) -> Self {
        self * other
    }

    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        self + other
    }

    #[inline(always)]
    fn over(self, other: Self) -> Self {
        if other == 0.0 { 0.0 } else { self / other }
    }

    #[inline(always)]
    fn is_zero(self) -> bool {
        self == 0.0
    }

    fn ln(self) -> f64 {
        f64::ln(self)
    }

    fn to_f64(self) -> f64 {
        self
    }

    fn scale(values: &mut [Self]) -> Option<i64> {
        let largest = values.iter().copied().fold(0.0, f64::max);
        if !Self::is_sound(largest) {
            return None;
        }
        let exponent = exponent_of(largest);
        if exponent != 0 {
            let factor = power_of_two(-exponent);
            values.iter_mut().for_each(|value| *value *= factor);
        }
        Some(i64::from(exponent))
    }

    fn is_sound(sum: Self) -> bool {
        (FAINT..=1.0 / FAINT).contains(&sum)
    }
}

/// A double between one and two, or zero, times a power of two.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wide {
    fraction: f64,
    exponent: i64,
}

impl Wide {
    fn new(fraction: f64, exponent: i64) -> Self {
        if fraction == 0.0 {
            return Self::ZERO;
        }
        // The smallest doubles have no exponent of the usual form: they are first made larger.
        let (fraction, exponent) =
            if fraction < f64::MIN_POSITIVE { (fraction * power_of_two(64), exponent - 64) } else { (fraction, exponent) };
        let shift = exponent_of(fraction);
        // In two steps: 2¹⁰²³ is the largest power of two there is.
        let halfway = shift / 2;
        Self { fraction: fraction * power_of_two(-halfway) * power_of_two(halfway - shift), exponent: exponent + i64::from(shift) }
    }
}

impl Number for Wide {
    const ZERO: Self = Self { fraction: 0.0, exponent: 0 };
    const ONE: Self = Self { fraction: 1.0, exponent: 0 };

    fn from_f64(value: f64) -> Self {
        Self::new(value, 0)
    }

    fn times(self, other: Self) -> Self {
        Self::new(self.fraction * other.fraction, self.exponent + other.exponent)
    }

    fn plus(self, other: Self) -> Self {
        let (large, small) =
            if self.is_zero() || (!other.is_zero() && other.exponent > self.exponent) { (other, self) } else { (self, other) };
        if small.is_zero() || large.exponent - small.exponent > 60 {
            return large;
        }
        Self::new(large.fraction + small.fraction * power_of_two((small.exponent - large.exponent) as i32), large.exponent)
    }

    fn over(self, other: Self) -> Self {
        if other.is_zero() { Self::ZERO } else { Self::new(self.fraction / other.fraction, self.exponent - other.exponent) }
    }

    fn is_zero(self) -> bool {
        self.fraction == 0.0
    }

    fn ln(self) -> f64 {
        self.fraction.ln() + self.exponent as f64 * std::f64::consts::LN_2
    }

    fn to_f64(self) -> f64 {
        let exponent = self.exponent.clamp(-2200, 2200) as i32;
        // In three steps: a power of two beyond the doubles is none.
        let third = exponent / 3;
        self.fraction * power_of_two(third) * power_of_two(third) * power_of_two(exponent - 2 * third)
    }

    fn scale(values: &mut [Self]) -> Option<i64> {
        if values.iter().all(|value| value.is_zero()) { None } else { Some(0) }
    }

    fn is_sound(sum: Self) -> bool {
        !sum.is_zero()
    }
}

/// The exponent of a normal double.
#[inline(always)]
fn exponent_of(value: f64) -> i32 {
    ((value.to_bits() >> 52) & 0x7ff) as i32 - 1023
}

/// 2 to a power between −1022 and 1023.
#[inline(always)]
fn power_of_two(exponent: i32) -> f64 {
    f64::from_bits(((exponent + 1023) as u64) << 52)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn wide_numbers_are_doubles_where_those_reach(a in 0.0..1e9_f64, b in 1e-9..1e9_f64) {
            let (wide_a, wide_b) = (Wide::from_f64(a), Wide::from_f64(b));
            prop_assert_eq!(wide_a.to_f64(), a);
            prop_assert_eq!(wide_a.times(wide_b).to_f64(), a * b);
            prop_assert_eq!(wide_a.over(wide_b).to_f64(), a / b);
            prop_assert!((wide_a.plus(wide_b).to_f64() - (a + b)).abs() <= (a + b) * f64::EPSILON);
        }
    }

    #[test]
    fn wide_numbers_go_where_doubles_do_not() {
        let faint = Wide::from_f64(5e-324);
        assert_eq!(faint.to_f64(), 5e-324);
        let mut power = Wide::ONE;
        (0..1000).for_each(|_| power = power.times(faint));
        assert!((power.ln() - 1000.0 * 5e-324_f64.ln()).abs() < 1e-6);
        assert_eq!((power.to_f64(), Wide::ONE.over(power).to_f64()), (0.0, f64::INFINITY));
        (0..1000).for_each(|_| power = power.over(faint));
        assert_eq!(power.to_f64(), 1.0);
        assert_eq!(Wide::from_f64(f64::MAX).to_f64(), f64::MAX);
        assert!(Wide::ONE.over(Wide::ZERO).is_zero());
    }

    #[test]
    fn scaling_rounds_nothing() {
        let mut values = [0.3, 5.7, 0.0];
        assert_eq!(f64::scale(&mut values), Some(2));
        assert_eq!(values, [0.3 / 4.0, 5.7 / 4.0, 0.0]);
        assert_eq!(f64::scale(&mut [0.0]), None);
        assert_eq!(f64::scale(&mut [1e-200]), None);
    }
}
