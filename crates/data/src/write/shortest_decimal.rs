//! Probabilities as text: as few digits as bring the same double back.
//!
//! zmij does that for every double; of those from 10⁻⁵ up to one, which are written `0.0ddd`, it then moves the digits to make room for the
//! zeros before them, which takes as long as finding them. Millions of answers are almost all of that kind. For them the steps of
//! Schubfach (Giulietti 2020, section 9) need no table of rounded powers: x = m · 2ᵉ is, in units of 10⁻ᵏ, the whole number m · 5ᵏ divided by a power of two, and
//! m · 5ᵏ is below 2¹⁰⁰. The digits go where they belong, with the same instructions for every number.

/// Bytes of the longest text.
pub(super) const LONGEST: usize = 24;

/// The powers of five that are needed, and some more, so that any five bits are a place.
const FIVES: [u64; 32] = {
    let mut powers = [1_u64; 32];
    let mut k = 1;
    while k < 28 {
        powers[k] = powers[k - 1] * 5;
        k += 1;
    }
    powers
};

/// Puts the text of a finite number, and tells how long it is. What is behind it, up to [`LONGEST`] bytes, is written over.
#[inline]
pub(super) fn put(to: &mut [u8; LONGEST], number: f64) -> usize {
    let bits = number.to_bits();
    let fraction = bits & ((1 << 52) - 1);
    // The doubles next to a power of two are not equally far away on both sides.
    if !(1e-5..1.0).contains(&number) || fraction == 0 {
        return put_any(to, number);
    }
    let (m, minus_e) = (fraction | 1 << 52, 1075 - (bits >> 52) as u32);
    // ⌊log₁₀ 2ᵉ⌋ = −k − 1: the next double is less than a unit away, so that at most one number of k places is nearer to x than to others.
    let k = (minus_e * 315_653 - 1) >> 20;
    let (five, shift) = (FIVES[k as usize & 31], minus_e - k);
    let units = u128::from(m) * u128::from(five);
    let one = 1_u64 << shift;
    // From 38 to 49 bits are behind the point.
    let (whole, part) = (((units >> 64) as u64) << (64 - shift) | units as u64 >> shift, units as u64 & (one - 1));
    // Whatever is less than half of the way to the next double off; five is odd, so nothing lies just there.
    let (down, up) = (2 * part < five, 2 * (one - part) < five);
    // Else there is one place more, with the nearest digit, of two the even one: that is two of 2.5, and eight of 7.5.
    let digit = ((10 * part + one / 2) >> shift) as u8 - u8::from(part == one / 4);
    let whole = whole + u64::from(up);
    let (high, low) = (eight_digits(whole / 10_u64.pow(8)), eight_digits(whole % 10_u64.pow(8)));

    // Sixteen digits end at place k, which is 15 at least: the first of them is then a zero, and goes where the point is put at last.
    let k = k as usize & 31;
    let zeros = u64::from_le_bytes([b'0'; 8]);
    to[..8].copy_from_slice(&zeros.to_le_bytes());
    to[k - 14..][..8].copy_from_slice(&(high | zeros).to_le_bytes());
    to[k - 6..][..8].copy_from_slice(&(low | zeros).to_le_bytes());
    to[k + 2] = b'0' + digit;
    to[1] = b'.';
    let zeros_behind = if low != 0 { low.leading_zeros() } else { 64 + high.leading_zeros() } as usize / 8;
    if down | up { k + 2 - zeros_behind } else { k + 3 }
}

#[cold]
fn put_any(to: &mut [u8; LONGEST], number: f64) -> usize {
    let mut buffer = zmij::Buffer::new();
    let text = buffer.format_finite(number).as_bytes();
    to[..text.len()].copy_from_slice(text);
    text.len()
}

/// The digits of a number below 10⁸, a byte each, the first in the lowest.
#[inline]
fn eight_digits(number: u64) -> u64 {
    let fours = (number / 10_000) | (number % 10_000) << 32;
    // ⌊x / 100⌋ of numbers below 10⁴, and ⌊x / 10⌋ of those below 100.
    let hundreds = ((fours * 10_486) >> 20) & 0x0000_007F_0000_007F;
    let twos = hundreds | (fours - 100 * hundreds) << 16;
    let tens = ((twos * 103) >> 10) & 0x000F_000F_000F_000F;
    tens | (twos - 10 * tens) << 8
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn text(number: f64) -> String {
        let mut room = [b'?'; LONGEST];
        let length = put(&mut room, number);
        String::from_utf8(room[..length].to_vec()).unwrap()
    }

    #[test]
    fn what_is_known() {
        for (number, expected) in [
            (0.1, "0.1"),
            (0.3, "0.3"),
            (0.1 + 0.2, "0.30000000000000004"),
            (1.0 / 3.0, "0.3333333333333333"),
            (0.00001, "0.00001"),
            (0.000012345678901234568, "0.000012345678901234568"),
            (1.0 - f64::EPSILON / 2.0, "0.9999999999999999"),
            (0.5, "0.5"),
            (0.0, "0.0"),
            (1.0, "1.0"),
            (9.999999999999999e-6, "9.999999999999999e-6"),
            (-2.2250738585072014e-308, "-2.2250738585072014e-308"),
        ] {
            assert_eq!(text(number), expected);
        }
    }

    /// Of every double between 2⁻¹⁸ and two there is one as near to each power of two, and as short, as there is.
    fn numbers() -> impl Strategy<Value = f64> {
        let exponent = 1005..=1023_u64;
        prop_oneof![
            (exponent.clone(), any::<u64>()).prop_map(|(e, m)| f64::from_bits(e << 52 | m >> 12)),
            (exponent.clone(), any::<u64>(), 0..52_u32).prop_map(|(e, m, zeros)| f64::from_bits(e << 52 | m >> 12 & u64::MAX << zeros)),
            (exponent, -200..200_i64).prop_map(|(e, near)| f64::from_bits((e << 52).wrapping_add_signed(near))),
            (any::<u64>(), 0..19_u32).prop_map(|(n, places)| (n % 10_u64.pow(places)) as f64 / 10_f64.powi(places as i32)),
            0.0..1.0_f64,
            any::<f64>().prop_filter("finite", |x| x.is_finite()),
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]
        #[test]
        fn it_is_what_zmij_writes(number in numbers()) {
            let mut buffer = zmij::Buffer::new();
            let expected = buffer.format_finite(number);
            prop_assert_eq!(text(number), expected);
        }
    }
}
