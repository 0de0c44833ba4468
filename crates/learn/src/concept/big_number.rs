//! Whole numbers of hypotheses: as long as there are attributes, and longer than anybody reads.

use num_bigint::BigUint;
use num_traits::ToPrimitive;

/// The most digits that are written out.
const MOST_DIGITS: i64 = 20;

/// The product of whole numbers. Small ones are multiplied as words first, since each step on a long number costs its length.
pub(crate) fn product(factors: impl IntoIterator<Item = u64>) -> BigUint {
    let (mut long, mut word) = (BigUint::from(1_u32), 1_u64);
    for factor in factors {
        word = word.checked_mul(factor).unwrap_or_else(|| {
            long *= word;
            factor
        });
    }
    long * word
}

/// What a person reads of a number in an error: all its digits, or about 1.2e345 if these are too many.
pub(crate) fn about(n: &BigUint) -> String {
    // The leading bits as a double, and how many bits are behind them.
    let behind = n.bits().saturating_sub(64);
    let log10 = (n >> behind).to_f64().unwrap_or(0.0).max(1.0).log10() + behind as f64 * std::f64::consts::LOG10_2;
    if (log10.floor() as i64) < MOST_DIGITS {
        return n.to_string();
    }
    let tenths = (10.0_f64.powf(log10.fract()) * 10.0).round() as u64;
    let (tenths, exponent) = if tenths >= 100 { (10, log10.floor() + 1.0) } else { (tenths, log10.floor()) };
    format!("about {}.{}e{exponent}", tenths / 10, tenths % 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_numbers_are_read_by_their_size() {
        assert_eq!(about(&BigUint::ZERO), "0");
        assert_eq!(about(&BigUint::from(972_u32)), "972");
        assert_eq!(about(&BigUint::from(u64::MAX)), u64::MAX.to_string());
        assert_eq!(about(&BigUint::from(10_u32).pow(19)), "1".to_owned() + &"0".repeat(19));
        assert_eq!(about(&(BigUint::from(12_u32) * BigUint::from(10_u32).pow(344))), "about 1.2e345");
        assert_eq!(about(&(BigUint::from(9_999_u32) * BigUint::from(10_u32).pow(97))), "about 1.0e101");
        assert_eq!(about(&(BigUint::from(1_u32) << 200_000_u32)), "about 1.0e60206");
    }

    #[test]
    fn products_are_those_of_long_numbers() {
        let factors = (0..300_u64).map(|at| at * at * at * 1_000_003 + 1);
        assert_eq!(product(factors.clone()), factors.map(BigUint::from).product::<BigUint>());
        assert_eq!(product([]), BigUint::from(1_u32));
        assert_eq!(product([7, 0, u64::MAX]), BigUint::ZERO);
    }
}
