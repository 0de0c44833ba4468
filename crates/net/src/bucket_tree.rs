//! Bucket-tree elimination: the marginals of all variables by one elimination there and back.
//!
//! Kask, Dechter, Larrosa & Dechter 2005, "Unifying tree decompositions for reasoning in graphical models", section 5. An elimination puts every
//! factor into the bucket of the first of its variables to go; what a bucket leaves goes into the bucket of the next. On the way back each bucket is told what
//! all others say of what it shares with the next one: that, divided by what it sent itself. The arithmetic is that of [`crate::Factor`], and no table
//! is compiled or kept: an engine of its own beside the junction tree, to check it by.

use crate::elimination_order::{InteractionGraph, Search, cheapest_elimination};
use crate::error::NetError;
use crate::evidence::{Answer, Evidence};
use crate::factor::Factor;
use crate::factor_graph::FactorGraph;
use crate::variable_elimination::product_of;
use belief::VarId;

/// What comes into a bucket, and what it leaves.
struct Bucket {
    variable: VarId,
    /// The model's factors.
    factors: Vec<Factor>,
    /// The buckets that send to this one.
    children: Vec<usize>,
    /// What is left without the variable; a number where nothing is left.
    sent: Factor,
}

/// The distributions of all named variables given evidence, and the probability of the evidence.
///
/// `max_entries` bounds the entries of all tables together, which are kept.
///
/// # Complexity
/// Some three times that of one elimination of all variables.
///
/// # Errors
/// When tables would be larger than allowed, before they are made; when possible evidence is too improbable for doubles.
///
/// ```
/// use tunbridge_net::{Evidence, FactorGraph, Network, bucket_tree::all_marginals};
/// let network = Network::builder()
///     .variable("Cancer", ["yes", "no"]).probabilities([0.008, 0.992])
///     .variable("Test", ["+", "-"]).given(["Cancer"]).probabilities([0.98, 0.02,  0.03, 0.97])
///     .build()?;
/// let seen = Evidence::of_states(&network, &[("Test", "+")])?;
/// let marginals = all_marginals(&FactorGraph::from(&network), &seen, 1 << 20)?.possible().unwrap();
/// assert!((marginals[0][0] - 0.00784 / 0.0376).abs() < 1e-15);
/// assert_eq!(marginals[1], [1.0, 0.0]);
/// # Ok::<(), tunbridge_net::NetError>(())
/// ```
pub fn all_marginals(graph: &FactorGraph, evidence: &Evidence, max_entries: usize) -> Result<Answer<Vec<Vec<f64>>>, NetError> {
    evidence.check(graph.domain())?;
    if evidence.contradicts_itself() {
        return Ok(Answer::Impossible);
    }
    let factors = cut(graph, evidence);
    let mut beside = InteractionGraph::new(graph.n_states().to_vec());
    factors.iter().for_each(|factor| beside.connect(factor.scope()));
    let open: Vec<VarId> = graph.variables().into_iter().filter(|&variable| evidence.state(variable).is_none()).collect();
    let plan = cheapest_elimination(&beside, &open, Search::Brief);
    plan.cliques.iter().try_for_each(|clique| graph.within_bounds(clique, max_entries))?;
    if plan.total_entries > max_entries as f64 {
        return Err(NetError::TooLarge { variables: graph.names_of(&plan.order), entries: plan.total_entries, limit: max_entries });
    }
    let (buckets, constant) = there(&plan.order, factors, graph.n_with_hidden(), Factor::sum_out);
    if constant.is_zero() {
        // Whether that is so or only too small for doubles, a pass of what is possible at all tells.
        let supports = cut(graph, evidence).iter().map(Factor::support).collect();
        let (_, possible) = there(&plan.order, supports, graph.n_with_hidden(), Factor::max_out);
        return if possible.is_zero() { Ok(Answer::Impossible) } else { Err(NetError::Underflow) };
    }
    let ln_p_evidence = constant.ln_total() + evidence.ln_scale();
    let mut marginals = vec![Vec::new(); graph.domain().n_variables()];
    for variable in graph.domain().variables() {
        if let Some(state) = evidence.state(variable) {
            marginals[variable.index()] = vec![0.0; graph.n_states()[variable.index()]];
            marginals[variable.index()][state] = 1.0;
        }
    }
    back(&buckets, &mut marginals)?;
    Ok(Answer::Possible { answer: marginals, ln_p_evidence })
}

/// Factors without the variables whose state is known, with likelihoods of the others beside them.
fn cut(graph: &FactorGraph, evidence: &Evidence) -> Vec<Factor> {
    let restricted = graph.factors().iter().map(|factor| {
        let known = factor.scope().iter().filter_map(|&member| Some((member, evidence.state(member)?)));
        known.fold(Factor::clone(factor), |factor, (member, state)| factor.restrict(member, state))
    });
    let soft = evidence.variables().filter(|&variable| evidence.state(variable).is_none());
    let likelihoods = soft.filter_map(|variable| Some(Factor::over_one(variable, evidence.likelihood(variable)?)));
    restricted.chain(likelihoods).collect()
}

/// The way there: every bucket with what it leaves, and the product of what is left in the end.
fn there(order: &[VarId], factors: Vec<Factor>, n_variables: usize, take_out: impl Fn(&Factor, VarId) -> Factor) -> (Vec<Bucket>, Factor) {
    let mut rank = vec![usize::MAX; n_variables];
    order.iter().enumerate().for_each(|(step, variable)| rank[variable.index()] = step);
    let first_to_go = |factor: &Factor| factor.scope().iter().map(|variable| rank[variable.index()]).min();
    let mut constant = Factor::constant(1.0);
    let bucket = |&variable: &VarId| Bucket { variable, factors: Vec::new(), children: Vec::new(), sent: Factor::constant(1.0) };
    let mut buckets: Vec<Bucket> = order.iter().map(bucket).collect();
    for factor in factors {
        match first_to_go(&factor) {
            Some(step) => buckets[step].factors.push(factor),
            None => constant = constant.product(&factor),
        }
    }
    for step in 0..buckets.len() {
        let sent = take_out(&product_of(arriving(&buckets, step)), order[step]);
        match first_to_go(&sent) {
            Some(parent) => buckets[parent].children.push(step),
            None => constant = constant.product(&sent),
        }
        buckets[step].sent = sent;
    }
    (buckets, constant)
}

/// All that is in a bucket on the way there. A bucket without factors has one of ones.
fn arriving(buckets: &[Bucket], step: usize) -> Vec<Factor> {
    let bucket = &buckets[step];
    bucket.factors.iter().chain(bucket.children.iter().map(|&child| &buckets[child].sent)).cloned().collect()
}

/// The way back: what each variable's bucket believes, from the last to go to the first.
fn back(buckets: &[Bucket], marginals: &mut [Vec<f64>]) -> Result<(), NetError> {
    let mut told: Vec<Option<Factor>> = vec![None; buckets.len()];
    for (step, bucket) in buckets.iter().enumerate().rev() {
        let mut all = arriving(buckets, step);
        all.extend(told[step].take());
        let belief = product_of(all);
        if let Some(marginal) = marginals.get_mut(bucket.variable.index()) {
            *marginal = belief.marginal(&[bucket.variable]).normalised_in(&[bucket.variable]).ok_or(NetError::Underflow)?;
        }
        for &child in &bucket.children {
            let sent = &buckets[child].sent;
            told[child] = Some(belief.marginal(sent.scope()).divide(sent));
        }
    }
    Ok(())
}
