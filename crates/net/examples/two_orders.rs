//! Holds a network's answers against themselves: `two_orders NETWORK.bif [SETS] [FINDINGS]`.
//!
//! All marginals under seeded sets of findings (of forward samples, so that they are possible), by two junction trees of different orders, and those
//! of a few variables by elimination. Prints the largest differences.

use belief::{Rng, random_stream};
use tunbridge_net::elimination_order::Heuristic;
use tunbridge_net::variable_elimination::eliminate;
use tunbridge_net::{Evidence, FactorGraph, JunctionTree, NetError, Network, VarId, format::bif};

/// Entries that a tree may store.
const ROOM: usize = 1 << 28;
/// Variables of each set that are also asked of elimination, and the entries its tables may have.
const N_ELIMINATED: usize = 6;
const ROOM_OF_A_TABLE: usize = 1 << 26;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let network = bif::read(&std::fs::read(arguments.next().ok_or("name a network")?)?)?.network;
    let n_sets: u64 = arguments.next().map_or(Ok(5), |n| n.parse())?;
    let n_findings: usize = arguments.next().map_or(Ok(5), |n| n.parse())?;
    let graph = FactorGraph::from(&network);
    let tree = JunctionTree::compile(&graph, ROOM)?;
    let other = JunctionTree::compile_by(&graph, Heuristic::WeightedMinFill, ROOM)?;
    println!("{} and {} clique entries", tree.n_entries(), other.n_entries());
    for seed in 0..n_sets {
        let world = sample(&network, seed);
        let mut draws = random_stream(seed, 1);
        let mut any = || VarId::new((draws.next_u64() % network.n_variables() as u64) as usize);
        let mut evidence = Evidence::none();
        for _ in 0..n_findings {
            let variable = any();
            evidence.observe(&network, variable, world[variable.index()])?;
        }
        let (first, second) = (tree.calibrate(&evidence)?, other.calibrate(&evidence)?);
        let (ln_p, ln_difference) = (first.ln_p_evidence(), (first.ln_p_evidence() - second.ln_p_evidence()).abs());
        let (first, second) = (first.possible().ok_or("impossible")?, second.possible().ok_or("impossible")?);
        let largest =
            network.dag().variables().map(|variable| difference(first.marginal(variable), second.marginal(variable))).fold(0.0, f64::max);
        let (mut by_elimination, mut n_too_large) = (0.0_f64, 0);
        for _ in 0..N_ELIMINATED {
            let variable = any();
            match eliminate(&graph, &[variable], &evidence, ROOM_OF_A_TABLE) {
                Ok(answer) => {
                    let answer = answer.possible().ok_or("impossible by elimination")?;
                    by_elimination = by_elimination.max(difference(&answer.probabilities, first.marginal(variable)));
                }
                Err(NetError::TooLarge { .. }) => n_too_large += 1,
                Err(other) => return Err(other.into()),
            }
        }
        println!(
            "set {seed}, ln P {ln_p:.6}: orders differ by {largest:.1e} (ln P by {ln_difference:.1e}), elimination by {by_elimination:.1e}, {n_too_large} too large for it"
        );
    }
    Ok(())
}

fn difference(left: &[f64], right: &[f64]) -> f64 {
    left.iter().zip(right).map(|(left, right)| (left - right).abs()).fold(0.0, f64::max)
}

/// A state for every variable, drawn from the network.
fn sample(network: &Network, seed: u64) -> Vec<usize> {
    let mut draws = random_stream(seed, 0);
    let mut world = vec![0; network.n_variables()];
    for variable in network.dag().topological_order() {
        let mut left = draws.next_u64() as f64 / 2.0_f64.powi(64);
        let p = |world: &mut Vec<usize>, state: usize| {
            world[variable.index()] = state;
            network.local_probability(variable, world)
        };
        let (mut state, mut possible) = (0, 0);
        while state < network.n_states(variable) && left >= 0.0 {
            let probability = p(&mut world, state);
            left -= probability;
            if probability > 0.0 {
                possible = state;
            }
            state += 1;
        }
        world[variable.index()] = possible;
    }
    world
}
