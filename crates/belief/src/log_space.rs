//! Probabilities as natural logarithms: products become sums, and nothing underflows.

/// ln Σ exp(xᵢ), without overflow or underflow; −∞ for no terms or only impossible ones.
///
/// ```
/// use tunbridge_belief::log_sum_exp;
/// assert!((log_sum_exp(&[-1000.0, -1000.0]) - (-1000.0 + 2f64.ln())).abs() < 1e-12);
/// assert_eq!(log_sum_exp(&[]), f64::NEG_INFINITY);
/// ```
pub fn log_sum_exp(terms: &[f64]) -> f64 {
    greatest_and_ln_rest(terms).map_or(f64::NEG_INFINITY, |(greatest, ln_rest)| greatest + ln_rest)
}

/// Turns unnormalised log weights into log probabilities in place and returns ln of their sum.
///
/// −∞ is returned, and the terms are left as they are, when every term is impossible: contradictory evidence is an answer for
/// the caller to give, not a NaN. A probability near one keeps its digits: of ln p = −10⁻¹⁴ it does not make certainty.
///
/// ```
/// use tunbridge_belief::normalise_ln;
/// let mut ln_p = [1000.0, 1000.0 - 40.0];
/// normalise_ln(&mut ln_p);
/// assert!((ln_p[0] / -(-40.0_f64).exp() - 1.0).abs() < 1e-12);
/// ```
pub fn normalise_ln(terms: &mut [f64]) -> f64 {
    let Some((greatest, ln_rest)) = greatest_and_ln_rest(terms) else { return f64::NEG_INFINITY };
    for term in terms {
        *term = (*term - greatest) - ln_rest;
    }
    greatest + ln_rest
}

/// The greatest term x, and ln Σ exp(xᵢ − x); `None` if no term is possible. The greatest is left out of the sum and taken back by
/// `ln_1p`, so that a sum of others far below the rounding of one is not lost.
fn greatest_and_ln_rest(terms: &[f64]) -> Option<(f64, f64)> {
    let (mut greatest, mut at) = (f64::NEG_INFINITY, None);
    for (place, &x) in terms.iter().enumerate() {
        if x > greatest {
            (greatest, at) = (x, Some(place));
        }
    }
    let at = at?;
    let others = terms[..at].iter().chain(&terms[at + 1..]);
    Some((greatest, others.map(|x| (x - greatest).exp()).sum::<f64>().ln_1p()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn impossible_everywhere_stays_impossible() {
        let mut terms = [f64::NEG_INFINITY; 3];
        assert_eq!(normalise_ln(&mut terms), f64::NEG_INFINITY);
        assert!(terms.iter().all(|t| *t == f64::NEG_INFINITY));
    }
}
