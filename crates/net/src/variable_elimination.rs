//! Variable elimination: the joint of a few query variables, given evidence.
//!
//! Koller & Friedman 2009, Algorithm 9.1. Variables that are no ancestors of the query or the evidence are barren and never looked at. Tables are
//! cut by hard evidence; what then hangs together with no query variable is d-separated from the query and gives only its share of the probability
//! of the evidence. Time and space are exponential in the width of the order, see [`crate::elimination_order`]; arithmetic is in [`crate::Factor`].

use crate::elimination_order::{InteractionGraph, Search, cheapest_elimination};
use crate::error::NetError;
use crate::evidence::{Answer, Evidence, JointDistribution};
use crate::factor::Factor;
use crate::factor_graph::FactorGraph;

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
/// use tunbridge_net::{Evidence, FactorGraph, Network, variable_elimination::eliminate};
/// let network = Network::builder()
///     .variable("Cancer", ["yes", "no"]).probabilities([0.008, 0.992])
///     .variable("Test", ["+", "-"]).given(["Cancer"]).probabilities([0.98, 0.02,  0.03, 0.97])
///     .build()?;
/// let seen = Evidence::of_states(&network, &[("Test", "+")])?;
/// let answer = eliminate(&FactorGraph::from(&network), &[network.find("Cancer")?], &seen, 1 << 20)?;
/// assert!((answer.ln_p_evidence() - 0.0376_f64.ln()).abs() < 1e-14);
/// assert!((answer.possible().unwrap().probabilities[0] - 0.00784 / 0.0376).abs() < 1e-15);
/// # Ok::<(), tunbridge_net::NetError>(())
/// ```
pub fn eliminate(
    graph: &FactorGraph,
    query: &[VarId],
    evidence: &Evidence,
    max_entries: usize,
) -> Result<Answer<JointDistribution>, NetError> {
    graph.domain().check_different(query)?;
    evidence.check(graph.domain())?;
    if evidence.contradicts_itself() {
        return Ok(Answer::Impossible);
    }
    let factors = relevant_factors(graph, query, evidence);
    let mut beside = InteractionGraph::new(graph.n_states().to_vec());
    factors.iter().for_each(|factor| beside.connect(factor.scope()));
    let mut in_scope = vec![false; graph.n_with_hidden()];
    factors.iter().flat_map(Factor::scope).for_each(|variable| in_scope[variable.index()] = true);
    query.iter().for_each(|variable| in_scope[variable.index()] = false);
    let hidden: Vec<VarId> = (0..in_scope.len()).filter(|&place| in_scope[place]).map(VarId::new).collect();
    // Parts that do not hang together are never multiplied: an elimination order treats each by itself.
    let plan = cheapest_elimination(&beside, &hidden, Search::Brief);
    plan.cliques.iter().try_for_each(|clique| graph.within_bounds(clique, max_entries))?;
    graph.within_bounds(query, max_entries)?;
    run(graph, query, evidence, factors, &plan.order)
}

/// As [`eliminate`], in a given order, whose sizes the caller has looked at. The order must have every variable that matters and is neither asked for
/// nor known.
pub(crate) fn eliminate_in_order(
    graph: &FactorGraph,
    query: &[VarId],
    evidence: &Evidence,
    order: &[VarId],
) -> Result<Answer<JointDistribution>, NetError> {
    if evidence.contradicts_itself() {
        return Ok(Answer::Impossible);
    }
    run(graph, query, evidence, relevant_factors(graph, query, evidence), order)
}

fn run(
    graph: &FactorGraph,
    query: &[VarId],
    evidence: &Evidence,
    factors: Vec<Factor>,
    order: &[VarId],
) -> Result<Answer<JointDistribution>, NetError> {
    let joint = without(order, factors, Factor::sum_out);
    if let Some(probabilities) = joint.normalised_in(query) {
        let answer = JointDistribution { variables: query.to_vec(), probabilities };
        return Ok(Answer::Possible { answer, ln_p_evidence: joint.ln_total() + evidence.ln_scale() });
    }
    // All is zero: whether that is so or only too small for doubles, a pass of what is possible at all tells.
    let supports = relevant_factors(graph, query, evidence).iter().map(Factor::support).collect();
    if without(order, supports, Factor::max_out).is_zero() { Ok(Answer::Impossible) } else { Err(NetError::Underflow) }
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

/// All factors but those of barren variables, cut by hard evidence, with likelihoods beside them. Query variables are never cut:
/// P(A | A = a) is a table over A.
fn relevant_factors(graph: &FactorGraph, query: &[VarId], evidence: &Evidence) -> Vec<Factor> {
    let named: Vec<VarId> = query.iter().copied().chain(evidence.variables()).collect();
    let relevant = graph.relevant(&named);
    let cut = |variable: VarId| if query.contains(&variable) { None } else { evidence.state(variable) };
    let factors = graph.factors().iter().zip(relevant).filter(|(_, relevant)| *relevant).map(|(factor, _)| {
        let observed: Vec<(VarId, usize)> = factor.scope().iter().filter_map(|&member| Some((member, cut(member)?))).collect();
        observed.into_iter().fold(Factor::clone(factor), |factor, (member, state)| factor.restrict(member, state))
    });
    // A variable that no factor has is still asked for or seen: every state of it is as good as another.
    let asked = query.iter().map(|&variable| Factor::over_one(variable, &vec![1.0; graph.n_states()[variable.index()]]));
    let soft = evidence.variables().filter(|&variable| cut(variable).is_none());
    let likelihoods = soft.filter_map(|variable| Some(Factor::over_one(variable, evidence.likelihood(variable)?)));
    factors.chain(asked).chain(likelihoods).collect()
}

/// The product, small factors first so that intermediate tables stay small.
pub(crate) fn product_of(mut factors: Vec<Factor>) -> Factor {
    factors.sort_by_key(|factor| factor.values().len());
    factors.iter().fold(Factor::constant(1.0), |product, factor| product.product(factor))
}
