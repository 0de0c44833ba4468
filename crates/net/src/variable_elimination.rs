//! Variable elimination: the joint of a few query variables, given evidence.
//!
//! Koller & Friedman 2009, Algorithm 9.1. Variables that are no ancestors of the query or the evidence are barren and never looked at. Tables are
//! cut by hard evidence; what then hangs together with no query variable is d-separated from the query and gives only its share of the probability
//! of the evidence. Time and space are exponential in the width of the order, see [`crate::elimination_order`]; arithmetic is in [`crate::Factor`].

use crate::elimination_order::{InteractionGraph, cheapest_elimination};
use crate::error::NetError;
use crate::evidence::{Answer, Evidence, JointDistribution, check_query};
use crate::factor::Factor;
use crate::network::Network;
use belief::VarId;

/// P(query | evidence), and the probability of the evidence.
///
/// `max_entries` bounds every table that is made; a double has eight bytes.
///
/// # Errors
/// When the question names a variable twice or one that is not there, or a table would be larger than allowed, before it is made; when
/// possible evidence is too improbable for doubles.
///
/// ```
/// use tunbridge_net::{Evidence, Network, variable_elimination::eliminate};
/// let network = Network::builder()
///     .variable("Cancer", ["yes", "no"]).probabilities([0.008, 0.992])
///     .variable("Test", ["+", "-"]).given(["Cancer"]).probabilities([0.98, 0.02,  0.03, 0.97])
///     .build()?;
/// let seen = Evidence::of_states(&network, &[("Test", "+")])?;
/// let answer = eliminate(&network, &[network.find("Cancer")?], &seen, 1 << 20)?;
/// assert!((answer.ln_p_evidence() - 0.0376_f64.ln()).abs() < 1e-14);
/// assert!((answer.possible().unwrap().probabilities[0] - 0.00784 / 0.0376).abs() < 1e-15);
/// # Ok::<(), tunbridge_net::NetError>(())
/// ```
pub fn eliminate(
    network: &Network,
    query: &[VarId],
    evidence: &Evidence,
    max_entries: usize,
) -> Result<Answer<JointDistribution>, NetError> {
    check_query(network, query)?;
    evidence.check(network)?;
    if evidence.contradicts_itself() {
        return Ok(Answer::Impossible);
    }
    let factors = relevant_factors(network, query, evidence);
    let mut graph = InteractionGraph::new(network.dag().variables().map(|variable| network.n_states(variable)).collect());
    factors.iter().for_each(|factor| graph.connect(factor.scope()));
    let mut in_scope = vec![false; network.n_variables()];
    factors.iter().flat_map(Factor::scope).for_each(|variable| in_scope[variable.index()] = true);
    let hidden: Vec<VarId> = network.dag().variables().filter(|variable| in_scope[variable.index()] && !query.contains(variable)).collect();
    // Parts that do not hang together are never multiplied: an elimination order treats each by itself.
    let plan = cheapest_elimination(&graph, &hidden);
    plan.cliques.iter().try_for_each(|clique| within_bounds(network, clique, max_entries))?;
    within_bounds(network, query, max_entries)?;
    let joint = without(&plan.order, factors, Factor::sum_out);
    if let Some(probabilities) = joint.normalised_in(query) {
        let answer = JointDistribution { variables: query.to_vec(), probabilities };
        return Ok(Answer::Possible { answer, ln_p_evidence: joint.ln_total() + evidence.ln_scale() });
    }
    // All is zero: whether that is so or only too small for doubles, a pass of what is possible at all tells.
    let supports = relevant_factors(network, query, evidence).iter().map(Factor::support).collect();
    if without(&plan.order, supports, Factor::max_out).is_zero() { Ok(Answer::Impossible) } else { Err(NetError::Underflow) }
}

/// The product of factors with variables taken out one after another.
fn without(order: &[VarId], mut factors: Vec<Factor>, take_out: impl Fn(&Factor, VarId) -> Factor) -> Factor {
    for &variable in order {
        let (with, others): (Vec<Factor>, Vec<Factor>) = factors.into_iter().partition(|factor| factor.scope().contains(&variable));
        factors = others;
        factors.push(take_out(&product_of(with), variable));
    }
    product_of(factors)
}

/// The tables of all variables that are not barren, cut by hard evidence, with likelihoods beside them. Query variables are never cut:
/// P(A | A = a) is a table over A.
fn relevant_factors(network: &Network, query: &[VarId], evidence: &Evidence) -> Vec<Factor> {
    let named: Vec<VarId> = query.iter().copied().chain(evidence.variables()).collect();
    let relevant = network.dag().ancestral_set(&named);
    let cut = |variable: VarId| if query.contains(&variable) { None } else { evidence.state(variable) };
    let families = network.dag().variables().filter(|variable| relevant[variable.index()]).map(|variable| {
        let family = Factor::of_family(network, variable);
        let observed: Vec<(VarId, usize)> = family.scope().iter().filter_map(|&member| Some((member, cut(member)?))).collect();
        observed.into_iter().fold(family, |factor, (member, state)| factor.restrict(member, state))
    });
    let soft = evidence.variables().filter(|&variable| cut(variable).is_none());
    let likelihoods = soft.filter_map(|variable| Some(Factor::over_one(variable, evidence.likelihood(variable)?)));
    families.chain(likelihoods).collect()
}

/// The product, small factors first so that intermediate tables stay small.
fn product_of(mut factors: Vec<Factor>) -> Factor {
    factors.sort_by_key(|factor| factor.values().len());
    factors.iter().fold(Factor::constant(1.0), |product, factor| product.product(factor))
}

pub(crate) fn within_bounds(network: &Network, variables: &[VarId], limit: usize) -> Result<(), NetError> {
    let entries: f64 = variables.iter().map(|&variable| network.n_states(variable) as f64).product();
    if entries <= limit as f64 {
        return Ok(());
    }
    let variables = variables.iter().map(|&variable| network.name(variable).to_string()).collect();
    Err(NetError::TooLarge { variables, entries, limit })
}
