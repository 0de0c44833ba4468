//! Incomplete beta and gamma functions, and quantiles of anything that has a distribution function.
//!
//! statrs has the functions and loses digits where parameters are large, for its factors are differences of large logarithms: at
//! 10⁶ nine digits are left, at 10¹⁵ none. There the limits take over, whose own error is smaller by then.

use libm::erfc;
use statrs::function::{beta::checked_beta_reg, gamma::checked_gamma_lr, gamma::checked_gamma_ur};

/// Parameters beyond this are left to the limits.
const LARGE: f64 = 1e6;

/// Φ(z): the distribution function of the standard Normal.
pub fn normal_cdf(z: f64) -> f64 {
    0.5 * erfc(-z * std::f64::consts::FRAC_1_SQRT_2)
}

/// P(a, x) = γ(a, x)/Γ(a): the distribution function of Gamma(a, 1).
pub fn gamma_lower(a: f64, x: f64) -> f64 {
    if x <= 0.0 {
        0.0
    } else if x == f64::INFINITY {
        1.0
    } else if a > LARGE {
        normal_cdf(wilson_hilferty(a, x))
    } else {
        checked_gamma_lr(a, x).unwrap_or(0.0).clamp(0.0, 1.0)
    }
}

/// Q(a, x) = 1 − P(a, x), without losing its digits where it is small.
pub fn gamma_upper(a: f64, x: f64) -> f64 {
    if x <= 0.0 {
        1.0
    } else if x == f64::INFINITY {
        0.0
    } else if a > LARGE {
        normal_cdf(-wilson_hilferty(a, x))
    } else {
        checked_gamma_ur(a, x).unwrap_or(0.0).clamp(0.0, 1.0)
    }
}

/// Wilson & Hilferty 1931: the cube root of a Gamma variable is nearly Normal. The error is below 10⁻⁷ for a > 10⁶.
fn wilson_hilferty(a: f64, x: f64) -> f64 {
    3.0 * a.sqrt() * ((x / a).cbrt() - 1.0 + 1.0 / (9.0 * a))
}

/// I_x(a, b), the regularised incomplete beta function: the distribution function of Beta(a, b).
pub fn beta_regularised(a: f64, b: f64, x: f64) -> f64 {
    if x <= 0.0 {
        return 0.0;
    }
    if x >= 1.0 {
        return 1.0;
    }
    let (less, more) = (a.min(b), a.max(b));
    if more <= LARGE {
        checked_beta_reg(a, b, x).unwrap_or(0.0).clamp(0.0, 1.0)
    } else if less > 1e3 {
        normal_cdf(-peizer_pratt(a, b, x))
    } else if a < b {
        // Abramowitz & Stegun 26.5.20: as b grows, Beta(a, b) becomes Gamma(a).
        gamma_lower(a, -(b + (a - 1.0) / 2.0) * (-x).ln_1p())
    } else {
        gamma_upper(b, -(a + (b - 1.0) / 2.0) * x.ln())
    }
}

/// Peizer & Pratt 1968: P(Bin(n, p) ≤ k) is nearly Φ(z); I_x(a, b) is 1 − P(Bin(a + b − 1, x) ≤ a − 1).
///
/// z is d/|np − S| times the root of twice the deviance S ln(S/np) + T ln(T/nq), S = k + ½ and T = n − S. The deviance is the sum of
/// two numbers above zero, S·h(np/S − 1) + T·h(nq/T − 1) with h(u) = u − ln(1 + u), so that nothing cancels far from the mean.
fn peizer_pratt(a: f64, b: f64, p: f64) -> f64 {
    let (n, q) = (a + b - 1.0, 1.0 - p);
    let (s, t) = (a - 0.5, b - 0.5);
    // From the nearer end, for the sake of the digits.
    let (d, apart) = match p < 0.5 {
        true => (a - 1.0 / 3.0 - (n + 1.0 / 3.0) * p, n * p - s),
        false => ((n + 1.0 / 3.0) * q - b + 1.0 / 3.0, t - n * q),
    };
    let d = d + 0.02 * (q / a - p / b + (q - 0.5) / (n + 1.0));
    let deviance = bend(apart / s, n * p / s) / s + bend(-apart / t, n * q / t) / t;
    d * (2.0 * deviance / (1.0 + 1.0 / (6.0 * n))).sqrt()
}

/// (u − ln r)/u², where r = 1 + u, by its series where the terms cancel.
pub(super) fn bend(u: f64, r: f64) -> f64 {
    if u.abs() > 0.1 {
        return (u - r.ln()) / (u * u);
    }
    let (mut sum, mut power) = (0.0, 1.0);
    for k in 2..20 {
        sum += power / f64::from(k);
        power *= -u;
    }
    sum
}

/// The least x of a support at which a distribution function reaches p.
///
/// Bisection over the doubles themselves rather than over their values: 64 steps decide every bit of the answer, be it 10⁻³⁰⁰ or
/// 10³⁰⁰, and no step can leave the support.
pub fn quantile_of(cdf: impl Fn(f64) -> f64, [low, high]: [f64; 2], p: f64) -> f64 {
    let (mut below, mut above) = (ordered(low.max(f64::MIN)), ordered(high.min(f64::MAX)));
    if p <= 0.0 || cdf(from_ordered(below)) >= p {
        return from_ordered(below);
    }
    while above - below > 1 {
        let middle = below + (above - below) / 2;
        if cdf(from_ordered(middle)) >= p { above = middle } else { below = middle }
    }
    from_ordered(above)
}

/// The same over whole numbers from zero on, up to 2⁵³.
pub fn whole_quantile_of(cdf: impl Fn(f64) -> f64, most: f64, p: f64) -> f64 {
    if cdf(0.0) >= p {
        return 0.0;
    }
    let (mut below, mut above) = (0_u64, most.min(9_007_199_254_740_992.0) as u64);
    // Doubling first: most quantiles are small, and a sum up to a great number is long.
    let mut step = 1;
    while below + step < above && cdf((below + step) as f64) < p {
        below += step;
        step *= 2;
    }
    above = above.min(below + step);
    while above - below > 1 {
        let middle = below + (above - below) / 2;
        if cdf(middle as f64) >= p { above = middle } else { below = middle }
    }
    above as f64
}

/// Doubles as whole numbers in the same order.
fn ordered(x: f64) -> i128 {
    let bits = x.to_bits() as i64;
    i128::from(if bits < 0 { i64::MIN.wrapping_sub(bits) } else { bits })
}

fn from_ordered(n: i128) -> f64 {
    let n = n as i64;
    f64::from_bits(if n < 0 { i64::MIN.wrapping_sub(n) } else { n } as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// scipy 1.17.1: `special.gammainc(a, x)`, `special.betainc(a, b, x)`; the tolerance grows with the parameters.
    #[test]
    fn incomplete_functions_are_those_of_scipy() {
        for (a, x, expected, tolerance) in [
            (0.5, 0.1, 0.345_279_153_981_423_17, 1e-14),
            (3.5, 20.0, 0.999_998_741_209_612_6, 1e-14),
            (50.0, 60.0, 0.915_593_318_906_308_2, 1e-12),
            (1000.0, 1050.0, 0.941_328_888_622_681_9, 1e-11),
            (1e5, 1.001e5, 0.624_445_130_704_405_5, 1e-9),
            (1e7, 1.0002e7, 0.736_476_029_848_705_2, 1e-7),
            (1e12, 1e12 + 1e6, 0.841_344_746_068_583_3, 1e-7),
        ] {
            let found = gamma_lower(a, x);
            assert!((found - expected).abs() < tolerance, "P({a}, {x}) = {found}, and should be {expected}");
            assert!((1.0 - gamma_upper(a, x) - expected).abs() < tolerance);
        }
        for (a, b, x, expected, tolerance) in [
            (0.5, 0.5, 0.1, 0.204_832_764_699_133_45, 1e-14),
            (2.0, 3.0, 0.4, 0.5248, 1e-14),
            (1000.0, 2000.0, 0.34, 0.781_215_091_160_644_1, 1e-11),
            (1e5, 1e5, 0.501, 0.814_453_255_442_442_3, 1e-8),
            (1e7, 1e7, 0.5001, 0.814_453_314_640_652_2, 1e-7),
            (1e12, 1e12, 0.500_000_25, 0.760_249_938_979_339_1, 1e-7),
            (1.0, 1e10, 1e-10, 0.632_120_558_846_951_6, 1e-7),
            (1e8, 0.5, 1e8 / (1e8 + 1.0), 0.157_299_207_792_802_65, 1e-7),
            (0.01, 5.0, 1e-6, 0.889_236_008_317_522_4, 1e-14),
        ] {
            let found = beta_regularised(a, b, x);
            assert!((found - expected).abs() < tolerance, "I({a}, {b}, {x}) = {found}, and should be {expected}");
        }
    }

    /// scipy 1.17.1: `stats.beta.ppf(p, a, b)` for p = 0.025, 0.5, 0.975.
    #[test]
    fn quantiles_of_a_large_and_lopsided_beta_are_those_of_scipy() {
        for (a, b, expected) in [
            (1100.0, 1.1e6, [0.000_940_857_536_307_515_2, 0.000_998_698_892_398_723, 0.001_058_861_288_426_125_1]),
            (2001.0, 2_000_001.0, [0.000_956_202_216_054_141_7, 0.000_999_333_338_706_628_5, 0.001_043_741_066_461_218_2]),
            (20_001.0, 3_000_001.0, [0.006_531_673_678_575_746, 0.006_622_734_383_224_643, 0.006_714_631_856_304_189]),
        ] {
            for (p, x) in [0.025, 0.5, 0.975].into_iter().zip(expected) {
                let found = quantile_of(|x| beta_regularised(a, b, x), [0.0, 1.0], p);
                assert!((found / x - 1.0).abs() < 1e-7, "Beta({a}, {b}) at {p}: {found}, and should be {x}");
                let mirrored = quantile_of(|x| beta_regularised(b, a, x), [0.0, 1.0], 1.0 - p);
                assert!(((1.0 - mirrored) / x - 1.0).abs() < 1e-7, "Beta({b}, {a}) at {}: {mirrored}, and should be {}", 1.0 - p, 1.0 - x);
            }
        }
    }

    #[test]
    fn the_incomplete_beta_of_large_parameters_never_falls() {
        for (a, b) in [(1100.0, 1.1e6), (2001.0, 2_000_001.0), (20_001.0, 3_000_001.0), (1e7, 1e7), (1e4, 1e14), (2e3, 1e200)] {
            // Logarithms from ln 1e-300 to 0.
            let grid = (0..=20_000).map(|step| (-690.775 * (1.0 - f64::from(step) / 20_000.0)).exp());
            let (mut below, mut mirrored_below) = (0.0, 1.0);
            for x in grid {
                let (found, mirrored) = (beta_regularised(a, b, x), beta_regularised(b, a, 1.0 - x));
                assert!(found >= below && found <= 1.0, "I({a}, {b}, {x}) = {found} after {below}");
                assert!(mirrored <= mirrored_below && mirrored >= 0.0, "I({b}, {a}, 1 - {x}) = {mirrored} after {mirrored_below}");
                (below, mirrored_below) = (found, mirrored);
            }
            assert_eq!((below, mirrored_below), (1.0, 0.0));
            assert_eq!(beta_regularised(a, b, 1e-250), 0.0);
        }
    }

    #[test]
    fn doubles_keep_their_order_as_whole_numbers() {
        let numbers = [f64::MIN, -1.0, -1e-300, 0.0, 5e-324, 1e-3, 1.0, f64::MAX];
        assert!(numbers.windows(2).all(|pair| ordered(pair[0]) < ordered(pair[1])));
        assert!(numbers.iter().all(|x| from_ordered(ordered(*x)) == *x));
    }
}
