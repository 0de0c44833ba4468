//! Random networks: the same seed, the same network.
//!
//! For tests, benchmarks and teaching. Arcs go from earlier to later places of a random order, so that no place is special.

use crate::error::NetError;
use crate::network::{Network, Variable};
use belief::{Rng, random};

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
}

impl Default for RandomShape {
    fn default() -> Self {
        Self { n_variables: 8, max_parents: 3, states: 2..=4, p_arc: 0.4, p_deterministic: 0.1, p_zero: 0.1 }
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
    let mut order: Vec<usize> = (0..shape.n_variables).collect();
    for place in (1..order.len()).rev() {
        order.swap(place, below(&mut draws, place + 1));
    }
    let n_states: Vec<usize> = order.iter().map(|_| fewest + below(&mut draws, most - fewest + 1)).collect();
    let mut variables: Vec<Option<Variable>> = vec![None; shape.n_variables];
    for (rank, &place) in order.iter().enumerate() {
        let mut parents: Vec<usize> = Vec::new();
        for &earlier in &order[..rank] {
            if parents.len() < shape.max_parents && uniform(&mut draws) < shape.p_arc {
                parents.push(earlier);
            }
        }
        let n_rows: usize = parents.iter().map(|&parent| n_states[parent]).product();
        variables[place] = Some(Variable {
            name: format!("V{place}"),
            states: (0..n_states[place]).map(|state| format!("s{state}")).collect(),
            parents: parents.iter().map(|parent| format!("V{parent}")).collect(),
            probabilities: (0..n_rows).flat_map(|_| random_row(&mut draws, n_states[place], shape)).collect(),
        });
    }
    Network::new(variables.into_iter().flatten().collect())
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

fn uniform(draws: &mut impl Rng) -> f64 {
    (draws.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
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
