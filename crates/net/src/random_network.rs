//! Random networks: the same seed, the same network.
//!
//! For tests, benchmarks and teaching. Arcs go from earlier to later places of a random order, so that no place is special.

use crate::conditional::{
    Conditional, ConditionalFault, ConditionalTable, ConditionalTree, DeterministicTable, NoisyCause, NoisyMax, TreeNode,
};
use crate::domain::Domain;
use crate::error::NetError;
use crate::network::Network;
use belief::{Rng, VarId, random, uniform};

/// What random networks look like.
///
/// | field | default | meaning |
/// |---|---|---|
/// | `n_variables` | 8 | variables |
/// | `max_parents` | 3 | most parents of a variable |
/// | `states` | 2..=4 | fewest and most states of a variable |
/// | `p_arc` | 0.4 | probability of each arc, while a variable has fewer than `max_parents` |
/// | `p_deterministic` | 0.1 | probability that a row of a table is all zeros but a one |
/// | `p_zero` | 0.1 | probability of each other entry to be zero |
/// | `p_deterministic_kind` | 0 | probability that a variable's distribution is of the deterministic kind |
/// | `p_noisy_max` | 0 | probability that it is a noisy-MAX |
/// | `p_tree` | 0 | probability that it is a tree; what is left of one is for tables |
#[derive(Clone, Debug, PartialEq)]
pub struct RandomShape {
    /// Variables.
    pub n_variables: usize,
    /// Most parents of a variable.
    pub max_parents: usize,
    /// Fewest and most states of a variable.
    pub states: std::ops::RangeInclusive<usize>,
    /// Probability of each arc.
    pub p_arc: f64,
    /// Probability that a row is certain.
    pub p_deterministic: f64,
    /// Probability that an entry is zero.
    pub p_zero: f64,
    /// Probability of the deterministic kind.
    pub p_deterministic_kind: f64,
    /// Probability of noisy-MAX.
    pub p_noisy_max: f64,
    /// Probability of trees.
    pub p_tree: f64,
}

impl Default for RandomShape {
    fn default() -> Self {
        Self {
            n_variables: 8,
            max_parents: 3,
            states: 2..=4,
            p_arc: 0.4,
            p_deterministic: 0.1,
            p_zero: 0.1,
            p_deterministic_kind: 0.0,
            p_noisy_max: 0.0,
            p_tree: 0.0,
        }
    }
}

/// A random network of this shape.
///
/// # Errors
/// When variables are to have no states, or fewer at most than at least.
///
/// ```
/// use tunbridge_net::{RandomShape, random_network};
/// let shape = RandomShape { n_variables: 5, ..RandomShape::default() };
/// assert_eq!(random_network(7, &shape)?, random_network(7, &shape)?);
/// # Ok::<(), tunbridge_net::NetError>(())
/// ```
pub fn random_network(seed: u64, shape: &RandomShape) -> Result<Network, NetError> {
    let (fewest, most) = (*shape.states.start(), *shape.states.end());
    if fewest == 0 || most < fewest {
        return Err(NetError::NotAShape);
    }
    let mut draws = random(seed);
    let order = shuffled(&mut draws, shape.n_variables);
    let n_states: Vec<usize> = order.iter().map(|_| fewest + below(&mut draws, most - fewest + 1)).collect();
    let mut parents: Vec<Vec<VarId>> = vec![Vec::new(); shape.n_variables];
    let mut conditionals: Vec<Option<Conditional>> = vec![None; shape.n_variables];
    for (rank, &place) in order.iter().enumerate() {
        let family = &mut parents[place];
        for &earlier in &order[..rank] {
            if family.len() < shape.max_parents && uniform(&mut draws) < shape.p_arc {
                family.push(VarId::new(earlier));
            }
        }
        let parent_states: Vec<usize> = family.iter().map(|parent| n_states[parent.index()]).collect();
        let drawn = random_conditional(&mut draws, n_states[place], &parent_states, shape);
        let told = |fault| NetError::Distribution { variable: format!("V{place}"), fault };
        conditionals[place] = Some(drawn.map_err(told)?);
    }
    let states_of = |place: usize| (0..n_states[place]).map(|state| format!("s{state}"));
    let domain = Domain::new((0..shape.n_variables).map(|place| (format!("V{place}"), states_of(place))))?;
    Network::from_conditionals(domain, parents, conditionals.into_iter().flatten().collect())
}

/// A distribution of a kind that is drawn only if there is more than one to choose from, so that networks of tables are what they
/// were before there were others.
fn random_conditional(
    draws: &mut impl Rng,
    n_states: usize,
    parent_states: &[usize],
    shape: &RandomShape,
) -> Result<Conditional, ConditionalFault> {
    let kinds = [shape.p_deterministic_kind, shape.p_noisy_max, shape.p_tree];
    let mut kind = if kinds.iter().any(|&p| p > 0.0) { uniform(draws) } else { 1.0 };
    let mut is_kind = |p: f64| {
        let chosen = kind < p;
        kind -= p;
        chosen
    };
    let n_rows: usize = parent_states.iter().product();
    if is_kind(kinds[0]) {
        let states = (0..n_rows).map(|_| below(draws, n_states) as u32).collect();
        return DeterministicTable::new(n_states, states).map(Conditional::Deterministic);
    }
    if is_kind(kinds[1]) {
        return random_noisy_max(draws, n_states, parent_states, shape).map(Conditional::NoisyMax);
    }
    if is_kind(kinds[2]) {
        let mut nodes = Vec::new();
        let mut untested: Vec<usize> = (0..parent_states.len()).collect();
        random_tree(draws, n_states, (parent_states, &mut untested), shape, &mut nodes);
        return ConditionalTree::new(n_states, parent_states.to_vec(), nodes).map(Conditional::Tree);
    }
    let values = (0..n_rows).flat_map(|_| random_row(draws, n_states, shape)).collect();
    Ok(Conditional::Table(ConditionalTable::new(n_states, values).expect("rows that sum to one")))
}

fn random_noisy_max(
    draws: &mut impl Rng,
    n_states: usize,
    parent_states: &[usize],
    shape: &RandomShape,
) -> Result<NoisyMax, ConditionalFault> {
    let order = shuffled(draws, n_states);
    let mut causes = Vec::with_capacity(parent_states.len());
    for (cause, &n_rows) in parent_states.iter().enumerate() {
        let absent = below(draws, n_rows);
        let mut effects = Vec::with_capacity(n_rows * n_states);
        for row in 0..n_rows {
            let effect = random_row(draws, n_states, shape);
            effects.extend(effect.iter().enumerate().map(|(state, &p)| match row == absent {
                true if state == order[0] => 1.0,
                true => 0.0,
                false => p,
            }));
        }
        causes.push(NoisyCause::new(absent, n_states, effects).map_err(|fault| ConditionalFault::Cause { cause, fault })?);
    }
    let leak = random_row(draws, n_states, shape);
    NoisyMax::new(order, causes, leak)
}

/// A tree that tests every parent at most once on each path. Branches end at once half of the time, and some states share one.
fn random_tree(
    draws: &mut impl Rng,
    n_states: usize,
    (parent_states, untested): (&[usize], &mut Vec<usize>),
    shape: &RandomShape,
    nodes: &mut Vec<TreeNode>,
) {
    if untested.is_empty() || (!nodes.is_empty() && uniform(draws) < 0.5) {
        nodes.push(TreeNode::Leaf(random_row(draws, n_states, shape)));
        return;
    }
    let parent = untested.remove(below(draws, untested.len()));
    let here = nodes.len();
    nodes.push(TreeNode::Test { parent, branches: Vec::new() });
    let mut branches: Vec<usize> = Vec::with_capacity(parent_states[parent]);
    for _ in 0..parent_states[parent] {
        if !branches.is_empty() && uniform(draws) < 0.3 {
            branches.push(branches[below(draws, branches.len())]);
            continue;
        }
        branches.push(nodes.len());
        random_tree(draws, n_states, (parent_states, untested), shape, nodes);
    }
    untested.push(parent);
    nodes[here] = TreeNode::Test { parent, branches };
}

fn shuffled(draws: &mut impl Rng, n: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..n).collect();
    for place in (1..order.len()).rev() {
        order.swap(place, below(draws, place + 1));
    }
    order
}

/// A distribution: weights −ln u are exponential, so that normalised they are uniform over the simplex.
fn random_row(draws: &mut impl Rng, n_states: usize, shape: &RandomShape) -> Vec<f64> {
    let sure = below(draws, n_states);
    let deterministic = uniform(draws) < shape.p_deterministic;
    let mut row: Vec<f64> = (0..n_states)
        .map(|state| {
            let weight = -(1.0 - uniform(draws)).ln() + 1e-3;
            let zero = uniform(draws) < shape.p_zero || deterministic;
            if state != sure && zero { 0.0 } else { weight }
        })
        .collect();
    let sum: f64 = row.iter().sum();
    row.iter_mut().for_each(|weight| *weight /= sum);
    row
}

fn below(draws: &mut impl Rng, bound: usize) -> usize {
    ((uniform(draws) * bound as f64) as usize).min(bound - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_are_kept() {
        let shape = RandomShape { n_variables: 12, max_parents: 2, states: 2..=3, p_arc: 1.0, ..RandomShape::default() };
        let network = random_network(3, &shape).unwrap();
        let dag = network.dag();
        assert_eq!(network.n_variables(), 12);
        assert_eq!(dag.n_arcs(), 1 + 10 * 2);
        assert!(dag.variables().all(|v| dag.parents(v).len() <= 2 && (2..=3).contains(&network.n_states(v))));
        assert_ne!(network, random_network(4, &shape).unwrap());
    }

    #[test]
    fn impossible_shapes_are_refused() {
        let none = RandomShape { states: 0..=2, ..RandomShape::default() };
        assert_eq!(random_network(1, &none), Err(NetError::NotAShape));
        let empty = RandomShape { n_variables: 0, ..RandomShape::default() };
        assert_eq!(random_network(1, &empty).unwrap().n_variables(), 0);
    }
}
