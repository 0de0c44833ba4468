//! The exponential function of many numbers at once.
//!
//! The steps are those of `e_exp.c` of fdlibm (Sun Microsystems 1993): x = k ln 2 + r with |r| ≤ ln 2 / 2, then a rational function of
//! r. It is less than one unit in the last place off. The machine's own `exp` takes one number at a time; this one takes as many as the
//! vectors hold, and gives the same bits on every machine.

/// Puts eˣ in the place of every x. Not a number stays what it is.
pub fn exp_all(numbers: &mut [f64]) {
    pulp::Arch::new().dispatch(ExpAll(numbers));
}

struct ExpAll<'a>(&'a mut [f64]);

impl pulp::WithSimd for ExpAll<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<V: pulp::Simd>(self, _: V) {
        self.0.iter_mut().for_each(|x| *x = exp(*x));
    }
}

/// Below it the answer is zero.
const LEAST: f64 = -746.0;
/// Above it the answer is infinite.
const GREATEST: f64 = 710.0;

/// ln 2 in two parts: a product of the first with a small whole number is exact.
const LN_2_HIGH: f64 = 0.693_147_180_369_123_8;
const LN_2_LOW: f64 = 1.908_214_929_270_587_7e-10;

/// Of 2 − r (eʳ + 1) / (eʳ − 1), in powers of r².
const P: [f64; 5] = [
    0.166_666_666_666_666_02,
    -0.002_777_777_777_701_559_3,
    6.613_756_321_437_934e-5,
    -1.653_390_220_546_525_2e-6,
    4.138_136_797_057_238_5e-8,
];

#[inline(always)]
fn exp(x: f64) -> f64 {
    // Adding this rounds to a whole number, which then stands in the low bits.
    const ROUND: f64 = 6_755_399_441_055_744.0;
    let x = if x < LEAST { LEAST } else { x };
    let x = if x > GREATEST { GREATEST } else { x };
    let rounded = x * std::f64::consts::LOG2_E + ROUND;
    let k = rounded - ROUND;
    let (high, low) = (x - k * LN_2_HIGH, k * LN_2_LOW);
    let r = high - low;
    let t = r * r;
    let c = r - t * (P[0] + t * (P[1] + t * (P[2] + t * (P[3] + t * P[4]))));
    let of_r = 1.0 - ((low - (r * c) / (2.0 - c)) - high);
    // 2ᵏ in two factors, for one number alone cannot be as small as the smallest answers: the last product rounds.
    let k = rounded.to_bits() as i32;
    let half = k >> 1;
    of_r * power_of_two(half) * power_of_two(k - half)
}

#[inline(always)]
fn power_of_two(k: i32) -> f64 {
    f64::from_bits(((i64::from(k) + 1023) as u64) << 52)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn exp_of(x: f64) -> f64 {
        let mut numbers = [x];
        exp_all(&mut numbers);
        numbers[0]
    }

    #[test]
    fn what_is_known_exactly() {
        for (x, expected) in [
            (0.0, 1.0),
            (-0.0, 1.0),
            (f64::NEG_INFINITY, 0.0),
            (f64::INFINITY, f64::INFINITY),
            (-746.0, 0.0),
            (-1e300, 0.0),
            (709.9, f64::INFINITY),
            // The smallest number there is.
            (-744.440_071_921_381_2, f64::from_bits(1)),
        ] {
            assert_eq!(exp_of(x), expected, "{x}");
        }
        assert!(exp_of(f64::NAN).is_nan());
    }

    proptest! {
        #[test]
        fn it_is_the_machines_own_but_for_the_last_digit(x in prop_oneof![-746.0..710.0_f64, -1.0..1.0_f64, -1e-12..1e-12_f64]) {
            let (ours, theirs) = (exp_of(x), x.exp());
            let off = ours.to_bits().abs_diff(theirs.to_bits());
            prop_assert!(off <= 1, "{x}: {ours:e} and {theirs:e}");
        }

        #[test]
        fn it_does_not_depend_on_the_neighbours(numbers in prop::collection::vec(-800.0..800.0_f64, 0..40)) {
            let mut all = numbers.clone();
            exp_all(&mut all);
            for (x, y) in numbers.iter().zip(all) {
                prop_assert_eq!(exp_of(*x).to_bits(), y.to_bits());
            }
        }
    }
}
