//! exp, ln and ln(1 + x) over blocks of rows, in code that becomes vector instructions, and is the same on every machine.
//!
//! The library's functions are called row by row, and a likelihood is made of little else. These have no branches: what lies outside of
//! the range that they are made for is done once more by the library's. Both are right to about one unit in the last place. The
//! logarithm is that of fdlibm (Sun Microsystems 1993, `e_log.c`), the exponential a Taylor polynomial on |r| ≤ ½ ln 2.

/// The upper bits of ln 2, exact when multiplied by an exponent.
const LN_2_HIGH: f64 = 6.931_471_803_691_238e-1;
/// What they leave out.
const LN_2_LOW: f64 = 1.908_214_929_270_587_7e-10;
/// 1.5·2⁵²: a number added to it is rounded to a whole one.
const ROUNDER: f64 = 6_755_399_441_055_744.0;
/// The bits of √½.
const ROOT_HALF: u64 = 0x3fe6_a09e_667f_3bcd;
/// The bits of one.
const ONE: u64 = 0x3ff0_0000_0000_0000;

/// Where [`exp`] is right.
#[inline(always)]
pub(super) fn exp_is_plain(x: f64) -> bool {
    x.abs() <= 700.0
}

/// eˣ, for |x| ≤ 700.
#[inline(always)]
pub(super) fn exp(x: f64) -> f64 {
    const INVERSE_FACTORIALS: [f64; 12] = [
        1.0 / 6_227_020_800.0,
        1.0 / 479_001_600.0,
        1.0 / 39_916_800.0,
        1.0 / 3_628_800.0,
        1.0 / 362_880.0,
        1.0 / 40_320.0,
        1.0 / 5_040.0,
        1.0 / 720.0,
        1.0 / 120.0,
        1.0 / 24.0,
        1.0 / 6.0,
        0.5,
    ];
    let rounded = x * std::f64::consts::LOG2_E + ROUNDER;
    let k = rounded - ROUNDER;
    let r = (x - k * LN_2_HIGH) - k * LN_2_LOW;
    let mut sum = INVERSE_FACTORIALS[0];
    for term in &INVERSE_FACTORIALS[1..] {
        sum = sum * r + term;
    }
    let power = f64::from_bits(rounded.to_bits().wrapping_sub(ROUNDER.to_bits()).wrapping_add(1023) << 52);
    power + power * (r + r * r * sum)
}

/// Where [`ln`] is right.
#[inline(always)]
pub(super) fn ln_is_plain(x: f64) -> bool {
    (f64::MIN_POSITIVE..f64::INFINITY).contains(&x)
}

/// ln x, for normal x above zero.
#[inline(always)]
pub(super) fn ln(x: f64) -> f64 {
    // x = 2ᵏ(1 + f), √½ ≤ 1 + f < √2.
    let bits = x.to_bits().wrapping_add(ONE - ROOT_HALF);
    let k = f64::from_bits(bits >> 52 | 0x4330_0000_0000_0000) - (4_503_599_627_370_496.0 + 1023.0);
    let f = f64::from_bits((bits & 0x000f_ffff_ffff_ffff) + ROOT_HALF) - 1.0;
    let s = f / (2.0 + f);
    let z = s * s;
    let w = z * z;
    let even = w * (3.999_999_999_940_942e-1 + w * (2.222_219_843_214_978_4e-1 + w * 1.531_383_769_920_937_3e-1));
    let odd =
        z * (6.666_666_666_666_735e-1 + w * (2.857_142_874_366_239e-1 + w * (1.818_357_216_161_805e-1 + w * 1.479_819_860_511_658_6e-1)));
    let half_square = 0.5 * f * f;
    k * LN_2_HIGH - ((half_square - (s * (half_square + even + odd) + k * LN_2_LOW)) - f)
}

/// Where [`ln_1p`] is right.
#[inline(always)]
pub(super) fn ln_1p_is_plain(x: f64) -> bool {
    (-0.5..1e300).contains(&x)
}

/// ln(1 + x), for −½ ≤ x < 10³⁰⁰.
#[inline(always)]
pub(super) fn ln_1p(x: f64) -> f64 {
    let u = 1.0 + x;
    // What the sum lost.
    let lost = if x >= 1.0 { 1.0 - (u - x) } else { x - (u - 1.0) };
    ln(u) + lost / u
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn close(what: &str, found: f64, expected: f64) -> Result<(), TestCaseError> {
        let apart = (found - expected).abs() / (expected.abs() * f64::EPSILON).max(f64::MIN_POSITIVE);
        prop_assert!(apart <= 2.0, "{what}: {found:e} for {expected:e}, {apart} units apart");
        Ok(())
    }

    proptest! {
        #[test]
        fn they_are_the_library_s_to_two_units_in_the_last_place(
            x in -700.0..700.0_f64,
            near in -1.0..1.0_f64,
            size in -290.0..290.0_f64,
            small in -18.0..-0.31_f64,
        ) {
            close("exp", exp(x), x.exp())?;
            close("exp near 0", exp(near), near.exp())?;
            let large = 10_f64.powf(size);
            close("ln", ln(large), large.ln())?;
            close("ln near 1", ln(1.0 + 0.3 * near), (1.0 + 0.3 * near).ln())?;
            for x in [large, 10_f64.powf(small), -10_f64.powf(small)] {
                close("ln_1p", ln_1p(x), x.ln_1p())?;
            }
        }
    }

    #[test]
    fn at_the_ends() {
        assert_eq!((exp(0.0), ln(1.0), ln_1p(0.0)), (1.0, 0.0, 0.0));
        for x in [-700.0, 700.0, 1e-300] {
            assert!((exp(x) / x.exp() - 1.0).abs() < 1e-15);
        }
        for x in [f64::MIN_POSITIVE, f64::MAX] {
            assert!((ln(x) / x.ln() - 1.0).abs() < 1e-15);
        }
    }
}
