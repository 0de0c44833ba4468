//! What tests of inference share: random networks with random evidence.

use belief::{Rng, random_stream};
use tunbridge_net::{Evidence, Network, RandomShape, VarId, random_network};

/// A random network of at most ten variables, of mixed sizes, with certain rows and zeros.
pub fn small_network(seed: u64) -> Network {
    let n_variables = 1 + (seed % 10) as usize;
    let most = if n_variables > 8 { 3 } else { 4 };
    let shape = RandomShape { n_variables, max_parents: 3, states: 1 + (seed % 2) as usize..=most, p_arc: 0.35, ..RandomShape::default() };
    random_network(seed, &shape).unwrap()
}

/// Random evidence on up to four variables: states, sets of states, and likelihoods with zeros.
pub fn random_evidence(seed: u64, network: &Network) -> Evidence {
    let mut draws = random_stream(seed, 1);
    let mut below = |bound: usize| (draws.next_u64() % bound as u64) as usize;
    let mut evidence = Evidence::none();
    for _ in 0..below(5) {
        let variable = VarId::new(below(network.n_variables()));
        let n_states = network.n_states(variable);
        match below(4) {
            0 | 1 => evidence.observe(network, variable, below(n_states)).unwrap(),
            2 => evidence.observe_one_of(network, variable, &[below(n_states), below(n_states)]).unwrap(),
            _ => {
                let mut likelihood: Vec<f64> = (0..n_states).map(|_| below(5) as f64 * 0.37).collect();
                likelihood[below(n_states)] = 0.8;
                evidence.observe_likelihood(network, variable, &likelihood).unwrap();
            }
        }
    }
    evidence
}
