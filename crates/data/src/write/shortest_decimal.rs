//! Probabilities as text: as few digits as bring the same double back.
//!
//! zmij does that for every double. Millions of answers are almost all from 10⁻⁵ up to one, and are written `0.0ddd`. For them the steps of
//! Schubfach (Giulietti 2020, section 9) need no table of rounded powers: x = m · 2ᵉ is, in units of 10⁻ᵏ, the whole number m · 5ᵏ divided by a power of two, and
//! m · 5ᵏ is below 2¹⁰⁰. That takes the same steps for every number, none of which looks anything up: the compiler takes several numbers side by
//! side, as many as the machine's vectors hold. Only putting the digits where they belong goes number by number.

/// Bytes that a text is put into; the longest has 24.
pub(super) const ROOM: usize = 32;

/// Numbers whose digits are found together.
const BLOCK: usize = 64;

/// Numbers that are written one after another.
pub(super) struct Decimals<'n> {
    numbers: &'n [f64],
    /// The place of the first number of the block, whose digits are known.
    first: usize,
    block: Block,
}

/// What is known of each number.
struct Block {
    /// Sixteen digits, a byte each, the first in the lowest.
    high: [u64; BLOCK],
    low: [u64; BLOCK],
    /// From the lowest: three bits for the zeros before the digits, a byte for one more digit from bit 8 on, and whether it is left out ([`ENOUGH`]) or
    /// all of that does not hold ([`ANOTHER`]).
    rest: [u64; BLOCK],
}

const ENOUGH: u64 = 1 << 16;
const ANOTHER: u64 = 1 << 17;

impl<'n> Decimals<'n> {
    pub fn new(numbers: &'n [f64]) -> Self {
        // Every place is before that: no number is of the block.
        Self { numbers, first: numbers.len(), block: Block { high: [0; BLOCK], low: [0; BLOCK], rest: [0; BLOCK] } }
    }

    /// Puts the text of the number at a place, which is finite, and tells how long it is. What is behind it is written over.
    #[inline]
    pub fn put(&mut self, place: usize, to: &mut [u8; ROOM]) -> usize {
        let within = place.wrapping_sub(self.first);
        if within < BLOCK { self.block.put(within, self.numbers[place], to) } else { self.put_first(place, to) }
    }

    /// The same for a number that is not of the block: it becomes the first of another.
    #[cold]
    fn put_first(&mut self, place: usize, to: &mut [u8; ROOM]) -> usize {
        let mut few = [0.0; BLOCK];
        let rest = &self.numbers[place..];
        let numbers = rest.first_chunk().unwrap_or_else(|| {
            few[..rest.len()].copy_from_slice(rest);
            &few
        });
        pulp::Arch::new().dispatch(Fill { block: &mut self.block, numbers });
        self.first = place;
        self.block.put(0, rest[0], to)
    }
}

/// In the widest vectors the machine has.
struct Fill<'a> {
    block: &'a mut Block,
    numbers: &'a [f64; BLOCK],
}

impl pulp::WithSimd for Fill<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<V: pulp::Simd>(self, _: V) {
        let Block { high, low, rest } = self.block;
        for place in 0..BLOCK {
            (high[place], low[place], rest[place]) = digits_of(self.numbers[place]);
        }
    }
}

impl Block {
    #[inline]
    fn put(&self, within: usize, number: f64, to: &mut [u8; ROOM]) -> usize {
        let (high, low, rest) = (self.high[within], self.low[within], self.rest[within]);
        if rest >= ANOTHER {
            return put_any(to, number);
        }
        let n_zeros = (rest & 7) as usize;
        let zeros = u64::from_le_bytes([b'0'; 8]);
        to[..8].copy_from_slice(&zeros.to_le_bytes());
        // Without zeros before the digits the first of them is a zero itself, and is where the point is put at last.
        to[n_zeros + 1..][..8].copy_from_slice(&(high | zeros).to_le_bytes());
        to[n_zeros + 9..][..8].copy_from_slice(&(low | zeros).to_le_bytes());
        to[n_zeros + 17] = b'0' + (rest >> 8) as u8;
        to[1] = b'.';
        let zeros_behind = if low != 0 { low.leading_zeros() } else { 64 + high.leading_zeros() } as usize / 8;
        n_zeros + if rest >= ENOUGH { 17 - zeros_behind } else { 18 }
    }
}

#[cold]
fn put_any(to: &mut [u8; ROOM], number: f64) -> usize {
    let mut buffer = zmij::Buffer::new();
    let text = buffer.format_finite(number).as_bytes();
    to[..text.len()].copy_from_slice(text);
    text.len()
}

/// The lower half of a number. The product of two such is one instruction for every lane, and of two whole numbers of 64 bits it is many.
const HALF: u64 = 0xFFFF_FFFF;

/// 5¹⁵, of which the powers that are needed are multiples.
const FIVES: u64 = 30_517_578_125;

/// What a [`Block`] holds of a number. Of one that is not between 10⁻⁵ and one, or is a power of two, only that it is another: the doubles next to
/// a power of two are not equally far away on both sides.
#[inline(always)]
fn digits_of(number: f64) -> (u64, u64, u64) {
    let bits = number.to_bits();
    let fraction = bits & ((1 << 52) - 1);
    let is_usual = (1e-5..1.0).contains(&number) & (fraction != 0);
    // Of another number anything will do that makes no sum too large.
    let (m, minus_e) = (fraction | 1 << 52, if is_usual { 1075_u64.wrapping_sub(bits >> 52) } else { 60 });
    // ⌊log₁₀ 2ᵉ⌋ = −k − 1: the next double is less than a unit away, so that at most one number of k places is nearer to x than to others.
    let k = (minus_e * 315_653 - 1) >> 20;
    // k is from 15 to 20.
    let n_zeros = k.wrapping_sub(15) & 7;
    let power = |bit: u64, power: u64| if n_zeros & bit != 0 { power } else { 1 };
    let five = times_fives(power(1, 5) * power(2, 25) * power(4, 625));
    let shift = (minus_e - k) & 63;

    let ((m_high, m_low), (five_high, five_low)) = ((m >> 32, m & HALF), (five >> 32, five & HALF));
    let lowest = m_low * five_low;
    let middle = (lowest >> 32) + m_low * five_high + m_high * five_low;
    let (units, beyond) = (middle << 32 | lowest & HALF, m_high * five_high + (middle >> 32));

    let one = 1_u64 << shift;
    // From 38 to 49 bits are behind the point.
    let (whole, part) = (beyond << (64 - shift) | units >> shift, units & (one - 1));
    // Whatever is less than half of the way to the next double off; five is odd, so nothing lies just there.
    let (down, up) = (2 * part < five, 2 * (one - part) < five);
    // Else there is one place more, with the nearest digit, of two the even one: that is two of 2.5, and eight of 7.5.
    let digit = (((part << 3) + (part << 1) + one / 2) >> shift) - u64::from(part == one / 4);
    let whole = whole + u64::from(up);

    // ⌊whole / 10⁸⌋ is ⌊(whole / 2⁸) / 5⁸⌋. The quotient of doubles is nearer to the true one than the half of 5⁻⁸ that keeps it away from whole numbers.
    const TWO_52: f64 = (1_u64 << 52) as f64;
    let dividend = f64::from_bits(TWO_52.to_bits() | whole >> 8) - TWO_52;
    let rounded = (dividend + 0.5) * (1.0 / 390_625.0) - 0.5 + TWO_52;
    let high = rounded.to_bits() & HALF;
    let low = whole - high * 100_000_000;
    let told = n_zeros | digit << 8 | if down | up { ENOUGH } else { 0 } | if is_usual { 0 } else { ANOTHER };
    (eight_digits(high), eight_digits(low), told)
}

/// So many times 5¹⁵, by halves.
#[inline(always)]
fn times_fives(n: u64) -> u64 {
    n * (FIVES & HALF) + ((n * (FIVES >> 32)) << 32)
}

/// The digits of a number below 10⁸, a byte each, the first in the lowest.
#[inline(always)]
fn eight_digits(number: u64) -> u64 {
    let ten_thousands = ((number & HALF) * 109_951_163) >> 40;
    let fours = ten_thousands | (number - ten_thousands * 10_000) << 32;
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
        let mut room = [b'?'; ROOM];
        let length = Decimals::new(&[number]).put(0, &mut room);
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

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(500))]
        /// Over the ends of blocks, and with some passed over.
        #[test]
        fn many_numbers_are_as_each_alone(numbers in proptest::collection::vec(numbers(), 0..300), step in 1..100_usize) {
            let mut decimals = Decimals::new(&numbers);
            for place in (0..numbers.len()).step_by(step) {
                let mut room = [b'?'; ROOM];
                let length = decimals.put(place, &mut room);
                let found = String::from_utf8(room[..length].to_vec()).unwrap();
                prop_assert_eq!(found, text(numbers[place]));
            }
        }
    }

    /// Quotients that are whole numbers, or nearly, are where a quotient of doubles might be one off.
    #[test]
    fn eight_and_eight_digits() {
        let parts = [0_u64, 1, 2, 9_999, 10_000, 12_345_678, 49_999_999, 50_000_000, 99_999_998, 99_999_999];
        for high in parts.into_iter().chain((0..100_000_000).step_by(99_991)) {
            for low in parts {
                let (units, mut room) = ((high * 100_000_000 + low) as f64 / 1e16, [0; ROOM]);
                if (1e-5..1.0).contains(&units) {
                    let length = Decimals::new(&[units]).put(0, &mut room);
                    let mut buffer = zmij::Buffer::new();
                    assert_eq!(std::str::from_utf8(&room[..length]), Ok(buffer.format_finite(units)));
                }
            }
        }
    }
}
