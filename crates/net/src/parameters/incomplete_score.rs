//! How good a network with hidden variables is, for choosing how many states they have.
//!
//! Rows with gaps have no closed form of P(rows | network); two approximations are here. Both are natural logarithms, larger is better, and need
//! tables at a top ([`super::em`]). BIC (Schwarz 1978) takes ½ ln N off for every free parameter. Cheeseman & Stutz (1996) take the closed form
//! of the rows completed as expected, and set right how much more probable completed rows are than those seen: it is nearer to the truth in
//! most comparisons of Chickering & Heckerman (1997), and no more work. What k! equal tops add is left out of both.

use super::expected::Expected;
use super::families::Families;
use super::family_counts::FamilyCounts;
use super::posterior::{Parameters, ln_marginal_likelihood};
use super::prior::{ParameterPrior, PriorFault};

/// How many probabilities are free: one less than the states in every row of the tables that are learned.
///
/// With hidden variables fewer may count (Geiger, Heckerman & Meek 1996); the plain number is what BIC usually takes.
pub fn free_parameters(families: &Families, prior: &ParameterPrior) -> usize {
    let of_table = |of: usize| families.n_rows(of) * families.n_states()[of].saturating_sub(1);
    (0..families.len()).filter(|of| !prior.fixed.contains_key(of)).map(of_table).sum()
}

/// The Bayesian information criterion, as a logarithm: ln P(rows | θ̂) − ½ d ln N.
pub fn bic(observed: &FamilyCounts, prior: &ParameterPrior, parameters: &Parameters, expected: &Expected) -> f64 {
    let n_free = free_parameters(observed.families(), prior) as f64;
    ln_likelihood(observed, parameters, expected) - 0.5 * n_free * observed.n_rows().max(1.0).ln()
}

/// Cheeseman and Stutz's ln P(rows | network) ≈ ln P(D′) − ln P(D′ | θ̂) + ln P(D | θ̂), where D are the rows and D′ the same with gaps filled as
/// `expected` under the tables θ̂. Without gaps it is ln P(rows | network) itself.
///
/// # Errors
/// When the prior does not fit, or has a cell without pseudo-counts: P(rows) is then not defined.
///
/// ```
/// use std::sync::Arc;
/// use tunbridge_net::{Domain, Structure};
/// use tunbridge_net::parameters::{Expected, Families, FamilyCounts, ParameterPosterior, ParameterPrior, Pseudocounts};
/// use tunbridge_net::parameters::incomplete_score::cheeseman_stutz;
///
/// // A coin that fell on heads, heads, tails, and a uniform prior: P = 2! 1! / 4! = 1/12.
/// let domain = Domain::new([("Coin", vec!["heads", "tails"])])?;
/// let families = Arc::new(Families::of(&Structure::new(["Coin"])?, &domain)?);
/// let mut observed = FamilyCounts::empty(Arc::clone(&families));
/// observed.add(&[2.0, 1.0])?;
/// let prior = ParameterPrior::new(Pseudocounts::PerCell(1.0));
/// let parameters = ParameterPosterior::new(Arc::clone(&families), &prior, observed.cells())?.parameters();
/// let ln = cheeseman_stutz(&observed, &prior, &parameters, &Expected::none(&families))?;
/// assert!((ln - (1.0_f64 / 12.0).ln()).abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn cheeseman_stutz(
    observed: &FamilyCounts,
    prior: &ParameterPrior,
    parameters: &Parameters,
    expected: &Expected,
) -> Result<f64, PriorFault> {
    let families = observed.families();
    let alpha = prior.alpha(families)?;
    for of in (0..families.len()).filter(|of| !prior.fixed.contains_key(of)) {
        if alpha[families.cells(of)].contains(&0.0) {
            return Err(PriorFault::NoPseudocounts);
        }
    }
    let seen = ln_likelihood(observed, parameters, expected);
    if seen == f64::NEG_INFINITY {
        return Ok(seen);
    }
    let completed: Vec<f64> = observed.cells().iter().zip(&expected.cells).map(|(seen, expected)| seen + expected).collect();
    Ok(ln_marginal_likelihood(families, prior, &completed)? - parameters.ln_likelihood(&completed) + seen)
}

fn ln_likelihood(observed: &FamilyCounts, parameters: &Parameters, expected: &Expected) -> f64 {
    parameters.ln_likelihood(observed.cells()) + expected.ln_parts()
}
