//! Densities of Gamma, Beta, Poisson and binomial as differences that do not cancel.
//!
//! Loader 2000, *Fast and accurate computation of binomial probabilities*: a ln λ − λ − ln Γ(a) is the difference of numbers as large
//! as a ln a, of which nothing is left where a is 10¹⁵. By Stirling it is ½ ln(a/2π) − δ(a) − D(a, λ), where δ is the error of
//! Stirling's formula and D(a, λ) = λ − a − a ln(λ/a) the deviance, which is small near the mean and found without cancelling.

use libm::lgamma;

use super::special::bend;

/// ln √(2π).
const LN_ROOT_TWO_PI: f64 = 0.918_938_533_204_672_7;
/// ln 2π.
const LN_TWO_PI: f64 = 2.0 * LN_ROOT_TWO_PI;
/// From here on eight terms of Stirling's series are exact to the last bit.
const STIRLING: f64 = 10.0;

/// δ(z) = ln Γ(z) − ((z − ½) ln z − z + ½ ln 2π): what Stirling's formula leaves out, for z > 0.
pub(crate) fn stirling_error(z: f64) -> f64 {
    if z < STIRLING {
        return lgamma(z) - ((z - 0.5) * z.ln() - z + LN_ROOT_TWO_PI);
    }
    const TERMS: [f64; 8] =
        [1.0 / 12.0, -1.0 / 360.0, 1.0 / 1260.0, -1.0 / 1680.0, 1.0 / 1188.0, -691.0 / 360_360.0, 1.0 / 156.0, -3617.0 / 122_400.0];
    let w = 1.0 / (z * z);
    TERMS.iter().rev().fold(0.0, |sum, term| sum * w + term) / z
}

/// D(a, m) = a·h(u), u = m/a − 1, h(u) = u − ln(1 + u): never negative. `apart` is m − a, as exactly as it is known.
fn deviance(a: f64, m: f64, apart: f64) -> f64 {
    let u = apart / a;
    if u.abs() <= 0.1 {
        apart * u * bend(u, 1.0 + u)
    } else if u < -0.5 {
        a * (u - (m / a).ln())
    } else {
        a * (u - u.ln_1p())
    }
}

/// The part of a Gamma's log density that its shape alone decides.
pub(crate) fn gamma_part(shape: f64) -> f64 {
    0.5 * (shape.ln() - LN_TWO_PI) - stirling_error(shape)
}

/// shape·ln λ − λ − ln Γ(shape), where λ = rate·x and neither is negative: the log density of ln x. `part` is [`gamma_part`].
pub(crate) fn ln_gamma_kernel(x: f64, shape: f64, rate: f64, part: f64) -> f64 {
    let apart = difference(rate, x, shape);
    if rate * x == 0.0 || apart == f64::INFINITY {
        // Too small or too large for a double: the shape is nothing beside it.
        let ln = rate.ln() + x.ln();
        return if ln > 0.0 { f64::NEG_INFINITY } else { shape * ln - lgamma(shape) };
    }
    part - deviance(shape, rate * x, apart)
}

/// ln of Gamma(shape, rate)'s density at x ≥ 0.
pub(crate) fn ln_gamma_pdf(x: f64, shape: f64, rate: f64, part: f64) -> f64 {
    if shape == 1.0 {
        return rate.ln() - rate * x;
    }
    if x == 0.0 {
        return if shape > 1.0 { f64::NEG_INFINITY } else { f64::INFINITY };
    }
    if x == f64::INFINITY {
        return f64::NEG_INFINITY;
    }
    ln_gamma_kernel(x, shape, rate, part) - x.ln()
}

/// ln of InverseGamma(shape, scale)'s density at y > 0.
pub(crate) fn ln_inverse_gamma_pdf(y: f64, shape: f64, scale: f64, part: f64) -> f64 {
    if y == f64::INFINITY {
        return f64::NEG_INFINITY;
    }
    // 1/y is rounded, and its rounding would be multiplied by the shape.
    let apart = -difference(shape, y, scale) / y;
    if !(scale / y > 0.0 && apart < f64::INFINITY) {
        return ln_gamma_kernel(1.0 / y, shape, scale, part) - y.ln();
    }
    part - deviance(shape, scale / y, apart) - y.ln()
}

/// The part of a Beta's log density that its parameters alone decide.
pub(crate) fn beta_part(a: f64, b: f64) -> f64 {
    let (less, more) = (a.min(b), a.max(b));
    // δ(a) − δ(a + b) of a large a is a difference of equals.
    0.5 * (less.ln() - (less / more).ln_1p() - LN_TWO_PI) - stirling_error(less) - (stirling_error(more) - stirling_error(a + b))
}

/// ln of Beta(a, b)'s density at 0 ≤ x ≤ 1.
pub(crate) fn ln_beta_pdf(x: f64, a: f64, b: f64, part: f64) -> f64 {
    if x == 0.0 || x == 1.0 {
        let (here, there) = if x == 0.0 { (a, b) } else { (b, a) };
        return match here {
            h if h > 1.0 => f64::NEG_INFINITY,
            h if h < 1.0 => f64::INFINITY,
            _ => there.ln(),
        };
    }
    if a == 1.0 || b == 1.0 {
        // (x)^(a−1)·a, and its mirror.
        let power = |parameter: f64, ln: f64| if parameter == 1.0 { 0.0 } else { (parameter - 1.0) * ln };
        return power(a, x.ln()) + power(b, (-x).ln_1p()) + if a == 1.0 { b.ln() } else { a.ln() };
    }
    // (a + b)x − a, with what the sum lost.
    let n = a + b;
    let (more, less) = (a.max(b), a.min(b));
    let lost = less - (n - more);
    let apart = difference(n, x, a) + lost * x;
    part - deviance(a, n * x, apart) - deviance(b, n * (1.0 - x), -apart) - x.ln() - (-x).ln_1p()
}

/// The part of a Poisson's log probability that the number alone decides.
pub(crate) fn poisson_part(k: f64) -> f64 {
    if k == 0.0 { 0.0 } else { -0.5 * (LN_TWO_PI + k.ln()) - stirling_error(k) }
}

/// ln of the probability of k under a Poisson.
pub(crate) fn ln_poisson(k: f64, mean: f64, part: f64) -> f64 {
    if k == 0.0 {
        return -mean;
    }
    if mean == 0.0 {
        return f64::NEG_INFINITY;
    }
    part - deviance(k, mean, mean - k)
}

/// The part of a binomial's log probability that the numbers alone decide.
pub(crate) fn binomial_part(n: f64, k: f64) -> f64 {
    if k == 0.0 || k == n {
        return 0.0;
    }
    let (few, many) = (k.min(n - k), k.max(n - k));
    -0.5 * (LN_TWO_PI + few.ln() - (few / many).ln_1p()) - stirling_error(few) - (stirling_error(many) - stirling_error(n))
}

/// ln of the probability of k successes of n under a binomial.
pub(crate) fn ln_binomial(k: f64, n: f64, p: f64, part: f64) -> f64 {
    let times = |a: f64, ln: f64| if a == 0.0 { 0.0 } else { a * ln };
    if k == 0.0 || k == n || p == 0.0 || p == 1.0 {
        return times(k, p.ln()) + times(n - k, (-p).ln_1p()) + part;
    }
    let apart = difference(n, p, k);
    part - deviance(k, n * p, apart) - deviance(n - k, n * (1.0 - p), -apart)
}

/// a·b − c, rounded once where that matters.
fn difference(a: f64, b: f64, c: f64) -> f64 {
    if c > 1e6 { a.mul_add(b, -c) } else { a * b - c }
}

#[cfg(test)]
mod tests {
    use super::super::{Beta, Distribution, Gamma, InverseGamma, StudentT};
    use crate::expression::Density;

    fn close(what: &str, found: f64, expected: f64) {
        assert!((found - expected).abs() <= 1e-13 * expected.abs().max(1.0), "{what}: {found:e}, and should be {expected:e}");
    }

    /// mpmath 1.3 with 80 digits, of the arguments as the doubles they are. The parameters go to 10²⁰.
    #[test]
    fn no_digit_is_lost_by_great_parameters() {
        for (x, shape, rate, expected) in [
            (0.3, 0.5, 2.0, -0.22380495048175938),
            (2.0, 3.0, 0.5, -2.386294361119891),
            (1e-300, 0.5, 1.0, 344.81539900618213),
            (9.9, 10.0, 1.0, -2.0690146658165713),
            (40.0, 31.0, 1.0, -3.9918527254120755),
            (1020.0, 1000.0, 1.0, -4.5900748371427635),
            (1.00001, 10000000000.0, 10000000000.0, 10.093980265109005),
            (0.99999, 1000000000000.0, 1000000000000.0, -37.103751310568725),
            (1000000030000000.0, 1000000000000000.0, 1.0, -18.638326751660014),
            (2.0, 1000000000000000.0, 1000000000000000.0, -306852819440039.06),
            (1.0000000001, 1e+20, 1e+20, 21.606912313928742),
            (0.5, 1e+20, 1e+20, -1.931471805599453e+19),
            (1e-05, 1e-10, 3.0, -11.512955465953938),
        ] {
            close(&format!("Gamma({shape}, {rate}) at {x}"), Gamma::new(shape, rate).unwrap().ln_pdf(x), expected);
            close(&format!("gamma({x}, {shape}, {rate})"), Density::Gamma.ln_pdf(x, &[shape, rate]), expected);
        }
        for (x, shape, scale, expected) in [
            (0.5, 3.0, 0.5, -1.0),
            (1.00001, 10000000000.0, 10000000000.0, 10.093983598392338),
            (0.99999, 1000000000000.0, 1000000000000.0, -37.104084648902116),
            (1.0000000001, 1e+20, 1e+20, 21.606912313962077),
        ] {
            close(&format!("InverseGamma({shape}, {scale}) at {x}"), InverseGamma::new(shape, scale).unwrap().ln_pdf(x), expected);
            close(&format!("inverse_gamma({x}, {shape}, {scale})"), Density::InverseGamma.ln_pdf(x, &[shape, scale]), expected);
        }
        for (x, a, b, expected) in [
            (0.25, 2.0, 3.0, 0.5232481437645479),
            (0.1, 0.5, 0.5, 0.059242918476535796),
            (0.5, 10000000000.0, 10000000000.0, 11.633707702592973),
            (0.500001, 1000000000000.0, 1000000000000.0, 9.936292795365349),
            (0.3333, 10000000000.0, 20000000000.0, -63.107118500607186),
            (1e-12, 2.0, 1000000000000.0, 26.631021115930047),
            (3e-11, 40.0, 1000000000000.0, 23.645958740469148),
            (0.9999, 1000000000000000.0, 100000000000.0, -479.06099820761045),
            (0.5, 1000000000000000.0, 1000000000000000.0, 17.39017043509059),
            (0.4, 1000000000000000.0, 1000000000000000.0, -40821994520237.68),
            (0.9, 1e-08, 3.0, -22.920490400336238),
        ] {
            close(&format!("Beta({a}, {b}) at {x}"), Beta::new(a, b).unwrap().ln_pdf(x), expected);
            close(&format!("beta({x}, {a}, {b})"), Density::Beta.ln_pdf(x, &[a, b]), expected);
        }
        for (k, mean, expected) in [
            (2.0, 3.0, -1.4959226032237258),
            (100.0, 90.0, -3.7584085225369837),
            (10000000000.0, 10000100000.0, -12.9318606648749),
            (1000000000000000.0, 1000000000000000.0, -18.188326730660016),
            (1000000000000000.0, 2000000000000000.0, -306852819440072.9),
            (5.0, 0.001, -39.327268137692734),
        ] {
            close(&format!("poisson({k}, {mean})"), Density::Poisson.ln_pdf(k, &[mean]), expected);
        }
        for (k, n, p, expected) in [
            (2.0, 3.0, 0.5, -0.9808292530117262),
            (30.0, 100.0, 0.25, -3.08448026426501),
            (5000000000.0, 10000000000.0, 0.5, -11.738716817639956),
            (300000000000000.0, 1000000000000000.0, 0.3, -17.40800285652768),
            (7.0, 1000000000000.0, 1e-11, -2.4070657101080943),
            (9999999999.0, 10000000000.0, 0.999, -10004987.216739193),
        ] {
            close(&format!("binomial({k}, {n}, {p})"), Density::Binomial.ln_pdf(k, &[n, p]), expected);
        }
        for (x, degrees, expected) in [
            (1.0, 1.0, -1.8378770664093456),
            (2.5, 10000000000.0, -4.04393853256561),
            (0.001, 1000000000000000.0, -0.918939033204673),
            (30.0, 1000000000000.0, -450.91893833115495),
            (3.0, 4.5, -3.9952444831275984),
        ] {
            close(&format!("t({degrees}) at {x}"), StudentT::new(degrees, 0.0, 1.0).unwrap().ln_pdf(x), expected);
            close(&format!("student_t({x}, {degrees})"), Density::StudentT.ln_pdf(x, &[degrees, 0.0, 1.0]), expected);
        }
    }

    /// At the ends, and where a product is beyond the doubles.
    #[test]
    fn ends_are_what_the_formula_says() {
        let (inf, ln) = (f64::INFINITY, f64::ln);
        for (density, x, parameters, expected) in [
            (Density::Gamma, 0.0, [2.0, 3.0], -inf),
            (Density::Gamma, 0.0, [1.0, 3.0], ln(3.0)),
            (Density::Gamma, 0.0, [0.5, 3.0], inf),
            (Density::Gamma, inf, [2.0, 3.0], -inf),
            (Density::Gamma, 1e200, [2.0, 1e200], -inf),
            (Density::Gamma, 1e-200, [2.0, 1e-200], 2.0 * ln(1e-200) + ln(1e-200)),
            (Density::InverseGamma, inf, [2.0, 3.0], -inf),
            (Density::InverseGamma, 1e-200, [2.0, 1e200], -inf),
            (Density::Beta, 0.0, [1.0, 3.0], ln(3.0)),
            (Density::Beta, 1.0, [3.0, 1.0], ln(3.0)),
            (Density::Beta, 0.0, [2.0, 3.0], -inf),
            (Density::Beta, 1.0, [2.0, 0.5], inf),
            (Density::Binomial, 0.0, [5.0, 0.0], 0.0),
            (Density::Binomial, 1.0, [5.0, 0.0], -inf),
            (Density::Binomial, 5.0, [5.0, 1.0], 0.0),
        ] {
            let found = density.ln_pdf(x, &parameters);
            assert!(found == expected || (found - expected).abs() < 1e-10, "{density:?} at {x}: {found}, and should be {expected}");
        }
    }
}
