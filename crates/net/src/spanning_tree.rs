//! The maximum spanning tree of a complete graph, or the best forest of it.
//!
//! Prim 1957. Of edges that weigh the same the one between earlier variables is the heavier, so that there is one best tree and no
//! algorithm's order shows in it.

use crate::mutual_information::PairMatrix;

/// The edges of the heaviest spanning tree, or, where `least` is given, of the heaviest forest of edges above it; the earlier variable of
/// an edge first, in order.
///
/// **Complexity**: n² for n variables.
pub(crate) fn maximum_spanning_forest(weights: &PairMatrix, least: Option<f64>) -> Vec<(usize, usize)> {
    let n = weights.n_variables();
    let mut edges = Vec::with_capacity(n.saturating_sub(1));
    let mut outside = vec![true; n];
    // The heaviest edge from each variable outside to one inside.
    let mut ties: Vec<Option<Edge>> = vec![None; n];
    let mut newest = 0;
    for _ in 1..n {
        outside[newest] = false;
        let mut best: Option<(usize, Edge)> = None;
        for variable in (0..n).filter(|variable| outside[*variable]) {
            let edge = Edge { weight: weights.get(newest, variable), ends: (newest.min(variable), newest.max(variable)) };
            let tie = ties[variable].filter(|tie| tie.is_heavier(&edge)).unwrap_or(edge);
            ties[variable] = Some(tie);
            if best.is_none_or(|(_, best)| tie.is_heavier(&best)) {
                best = Some((variable, tie));
            }
        }
        let Some((next, edge)) = best else { break };
        // A tree of all edges holds the best forest of those above any weight.
        if least.is_none_or(|least| edge.weight > least) {
            edges.push(edge.ends);
        }
        newest = next;
    }
    edges.sort_unstable();
    edges
}

#[derive(Clone, Copy)]
struct Edge {
    weight: f64,
    ends: (usize, usize),
}

impl Edge {
    fn is_heavier(&self, other: &Self) -> bool {
        self.weight > other.weight || (self.weight == other.weight && self.ends < other.ends)
    }
}

/// The parent of every variable when edges are directed away from `root`, and in every other tree of the forest from its first variable.
pub(crate) fn directed(n_variables: usize, edges: &[(usize, usize)], root: usize) -> Vec<Option<usize>> {
    let mut neighbours = vec![Vec::new(); n_variables];
    for (a, b) in edges {
        neighbours[*a].push(*b);
        neighbours[*b].push(*a);
    }
    let mut parents = vec![None; n_variables];
    let mut reached = vec![false; n_variables];
    for start in [root].into_iter().chain(0..n_variables).filter(|start| *start < n_variables) {
        if std::mem::replace(&mut reached[start], true) {
            continue;
        }
        let mut waiting = vec![start];
        while let Some(parent) = waiting.pop() {
            for child in &neighbours[parent] {
                if !std::mem::replace(&mut reached[*child], true) {
                    parents[*child] = Some(parent);
                    waiting.push(*child);
                }
            }
        }
    }
    parents
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The edges of every tree over n variables, by its Prüfer sequence.
    pub(crate) fn all_trees(n: usize) -> Vec<Vec<(usize, usize)>> {
        if n < 2 {
            return vec![Vec::new()];
        }
        let n_trees = n.pow(n as u32 - 2);
        (0..n_trees)
            .map(|code| {
                let sequence: Vec<usize> = (0..n as u32 - 2).map(|digit| code / n.pow(digit) % n).collect();
                let mut degree: Vec<usize> = (0..n).map(|v| 1 + sequence.iter().filter(|s| **s == v).count()).collect();
                let mut edges = Vec::new();
                for v in sequence {
                    let leaf = (0..n).find(|leaf| degree[*leaf] == 1).expect("a tree has a leaf");
                    edges.push((leaf.min(v), leaf.max(v)));
                    degree[leaf] -= 1;
                    degree[v] -= 1;
                }
                let rest: Vec<usize> = (0..n).filter(|v| degree[*v] == 1).collect();
                edges.push((rest[0], rest[1]));
                edges.sort_unstable();
                edges
            })
            .collect()
    }

    proptest! {
        #[test]
        fn no_tree_is_heavier(weights in proptest::collection::vec(0..9_u8, 15), n in 2..=6_usize) {
            let mut drawn = weights.iter();
            let weights = PairMatrix::from_fn(n, |_, _| f64::from(*drawn.next().unwrap()));
            // Heaviest edges first, and those of earlier variables among equals: the list of a tree says how it compares.
            let rank = |edges: &[(usize, usize)]| {
                let mut ranked: Vec<_> = edges.iter().map(|(a, b)| (-weights.get(*a, *b) as i64, *a, *b)).collect();
                ranked.sort_unstable();
                ranked
            };
            let sum = |edges: &[(usize, usize)]| edges.iter().map(|(a, b)| weights.get(*a, *b)).sum::<f64>();
            let (found, trees) = (maximum_spanning_forest(&weights, None), all_trees(n));
            let best = trees.iter().map(|tree| sum(tree)).fold(0.0, f64::max);
            prop_assert_eq!(sum(&found), best);
            prop_assert_eq!(Some(&found), trees.iter().filter(|tree| sum(tree) == best).min_by_key(|tree| rank(tree)));
            // The best forest of edges above 4 is what is best in the sum of what they have beyond 4.
            let beyond = |edges: &[(usize, usize)]| edges.iter().map(|(a, b)| (weights.get(*a, *b) - 4.0).max(0.0)).sum::<f64>();
            let forest = maximum_spanning_forest(&weights, Some(4.0));
            prop_assert!(forest.iter().all(|(a, b)| weights.get(*a, *b) > 4.0));
            prop_assert_eq!(beyond(&forest), trees.iter().map(|tree| beyond(tree)).fold(0.0, f64::max));
        }
    }

    #[test]
    fn edges_lead_away_from_the_root() {
        let edges = [(0, 1), (1, 2), (3, 4)];
        assert_eq!(directed(5, &edges, 2), [Some(1), Some(2), None, None, Some(3)]);
        assert_eq!(directed(5, &edges, 4), [None, Some(0), Some(1), Some(4), None]);
        assert_eq!(maximum_spanning_forest(&PairMatrix::from_fn(4, |_, _| 0.0), None), [(0, 1), (0, 2), (0, 3)]);
        assert_eq!(maximum_spanning_forest(&PairMatrix::from_fn(1, |_, _| 0.0), None), []);
        assert_eq!(directed(0, &[], 0), []);
    }
}
