//! The minimum description length of a network: the bits that describe its graph and its distributions, and those of rows given it.
//!
//! Friedman & Goldszmidt 1996, *Learning Bayesian networks with local structure*, sections 2.2 and 3.2 (after Lam & Bacchus 1994, Rissanen, and for trees
//! Quinlan & Rivest 1989). Of each variable how many parents it has, log₂ n, and which, log₂ C(n − 1, k). ½ log₂ N for each free parameter: as many digits as N
//! rows can tell. Of a tree, at each node whether it is a leaf, one bit; at a test which of the parents that still have several states on this path, and
//! which of these states go the same way. Of a deterministic table, the state in each configuration. The names, the states, and which kind of distribution a
//! variable has are known before.

use std::f64::consts::LOG2_E;

use belief::hypotheses::TwoPartCode;
use belief::log_sum_exp;

use crate::conditional::{Conditional, ConditionalTree, TreeNode};
use crate::dag::Dag;
use crate::network::Network;

/// The length of a network, whatever its distributions are, and of rows given it: so many, whose log-likelihood under the network is this.
///
/// ```
/// use belief::hypotheses::DescriptionLength;
/// use tunbridge_net::{Network, description_length};
/// let coin = |heads| Network::builder().variable("Coin", ["heads", "tails"]).probabilities([heads, 1.0 - heads]).build();
/// // Sixteen throws of a fair coin are sixteen bits; its one parameter has the two bits that sixteen throws can tell.
/// let fair = description_length(&coin(0.5)?, 16.0 * 0.5_f64.ln(), 16.0);
/// assert!((fair.hypothesis - 2.0).abs() < 1e-12 && (fair.data - 16.0).abs() < 1e-12);
/// # Ok::<(), tunbridge_net::NetError>(())
/// ```
pub fn description_length(network: &Network, ln_likelihood: f64, n_rows: f64) -> TwoPartCode {
    let digits = digits(n_rows);
    let of_distributions = network.dag().variables().map(|of| distribution_bits(network.conditional(of), digits)).sum::<f64>();
    TwoPartCode { hypothesis: graph_bits(network.dag()) + of_distributions, data: (-ln_likelihood * LOG2_E).max(0.0) }
}

/// The bits of a parameter that so many rows can tell.
pub(crate) fn digits(n_rows: f64) -> f64 {
    0.5 * n_rows.max(1.0).log2()
}

/// The bits of the arcs.
pub(crate) fn graph_bits(dag: &Dag) -> f64 {
    let n = dag.n_variables();
    dag.variables().map(|of| parents_bits(n, dag.parents(of).len())).sum()
}

/// How many parents a variable has, and which of n − 1 others they are.
pub(crate) fn parents_bits(n: usize, n_parents: usize) -> f64 {
    (n.max(1) as f64).log2() + log2_choose(n.saturating_sub(1), n_parents)
}

/// The bits of a distribution whose parameters have so many each.
fn distribution_bits(of: &Conditional, digits: f64) -> f64 {
    let parameters = digits * of.n_free_parameters() as f64;
    match of {
        Conditional::Table(_) | Conditional::NoisyMax(_) => parameters,
        Conditional::Deterministic(table) => (table.states().len() as f64) * (table.n_states() as f64).log2(),
        Conditional::Tree(tree) => parameters + shape_bits(tree),
    }
}

/// The bits of the tests of a tree.
fn shape_bits(tree: &ConditionalTree) -> f64 {
    let n_open = |states: &[bool]| states.iter().filter(|open| **open).count();
    let mut bits = 0.0;
    // Nodes to be told of, each with the states of every parent that can still be met there.
    let mut waiting = vec![(0, tree.parent_states().iter().map(|n| vec![true; *n]).collect::<Vec<_>>())];
    while let Some((node, open)) = waiting.pop() {
        bits += 1.0;
        let TreeNode::Test { parent, branches } = &tree.nodes()[node] else { continue };
        let to_choose_from = open.iter().filter(|states| n_open(states) > 1).count();
        bits += (to_choose_from.max(1) as f64).log2() + log2_ways(n_open(&open[*parent]));
        let mut led_to = branches.clone();
        led_to.sort_unstable();
        led_to.dedup();
        for branch in led_to {
            let mut there = open.clone();
            there[*parent].iter_mut().zip(branches).for_each(|(open, leads_to)| *open &= *leads_to == branch);
            waiting.push((branch, there));
        }
    }
    bits
}

/// log₂ of how many ways there are for n states to go two ways or more: the nth Bell number, without the one where all go the same way.
///
/// Bell numbers by Dobiński's formula, B(n) = e⁻¹ Σ kⁿ / k!, whose terms beyond 2n are nothing.
fn log2_ways(n: usize) -> f64 {
    if n < 3 {
        return 0.0;
    }
    let mut ln_factorial = 0.0;
    let term = |k: usize| {
        ln_factorial += (k as f64).ln();
        n as f64 * (k as f64).ln() - ln_factorial
    };
    let ln_bell = log_sum_exp(&(1..2 * n + 20).map(term).collect::<Vec<_>>()) - 1.0;
    (ln_bell + (-(-ln_bell).exp()).ln_1p()) * LOG2_E
}

/// log₂ of how many ways there are to choose k of n.
fn log2_choose(n: usize, k: usize) -> f64 {
    (0..k.min(n)).map(|i| ((n - i) as f64 / (i + 1) as f64).log2()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ways_to_choose() {
        assert_eq!(log2_choose(4, 0), 0.0);
        assert!((log2_choose(5, 2) - 10_f64.log2()).abs() < 1e-12);
        assert!((log2_choose(60, 30) - 118_264_581_564_861_424_f64.log2()).abs() < 1e-9);
    }

    /// The Bell numbers of sequence A000110, less one.
    #[test]
    fn ways_to_go() {
        for (n, bell) in [(1, 2.0), (2, 2.0), (3, 5.0), (4, 15.0), (5, 52.0), (10, 115_975.0), (20, 51_724_158_235_372.0)] {
            assert!((log2_ways(n) - (bell - 1.0_f64).log2()).abs() < 1e-9, "{n}");
        }
        assert!(log2_ways(100_000).is_finite());
    }

    fn tree(parent_states: Vec<usize>, nodes: Vec<TreeNode>) -> ConditionalTree {
        ConditionalTree::new(2, parent_states, nodes).unwrap()
    }

    fn bits(tree: &ConditionalTree) -> f64 {
        distribution_bits(&Conditional::Tree(tree.clone()), 4.0)
    }

    /// Two tests and three leaves are five bits; the first test chooses one of three parents, the second one of the two that are left.
    #[test]
    fn a_tree_of_tests_of_two_states() {
        let leaf = || TreeNode::Leaf(vec![0.5, 0.5]);
        let test = |parent, a, b| TreeNode::Test { parent, branches: vec![a, b] };
        let wet = tree(vec![2, 2, 2], vec![test(0, 1, 2), test(1, 3, 4), leaf(), leaf(), leaf()]);
        assert!((bits(&wet) - (5.0 + 3_f64.log2() + 1.0 + 3.0 * 4.0)).abs() < 1e-12);
        // A leaf alone has but its own bit and parameter.
        assert_eq!(bits(&tree(vec![2, 2, 2], vec![leaf()])), 1.0 + 4.0);
    }

    /// Of three states there are four ways to go two ways or more; the two that go on together can be told apart later, and then no choice is left.
    #[test]
    fn states_that_go_the_same_way() {
        let leaf = || TreeNode::Leaf(vec![0.5, 0.5]);
        let nodes = vec![
            TreeNode::Test { parent: 0, branches: vec![1, 1, 2] },
            TreeNode::Test { parent: 0, branches: vec![3, 4, 4] },
            leaf(),
            leaf(),
            leaf(),
        ];
        assert!((bits(&tree(vec![3], nodes)) - (1.0 + 2.0 + 1.0 + 3.0 + 3.0 * 4.0)).abs() < 1e-12);
    }
}
