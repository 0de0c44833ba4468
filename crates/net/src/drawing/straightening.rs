//! Straightening: arcs that are nearly upright are made so.
//!
//! What is least by [`super::coordinates`] may lean by a few points where another arc gains as much, and a reader takes that for a slip. Nodes that
//! stand exactly one under the other are a block (as in Brandes & Köpf 2002), and blocks move as a whole, so that nothing straight is lost.

use super::layered_graph::LayeredGraph;

/// Arcs that lean by no more than this are straightened.
const REACH: i64 = 16;
const N_ROUNDS: usize = 3;

/// Moves blocks a little where neighbours leave them room: `apart` is the least distance of the centres of neighbours in a layer.
pub(super) fn straighten(graph: &LayeredGraph, places: &mut [i64], apart: &impl Fn(usize, usize) -> i64) {
    let positions = graph.positions();
    let arcs = || graph.below.iter().enumerate().flat_map(|(tail, below)| below.iter().map(move |&head| (tail, head)));
    let mut blocks = Blocks::single(graph.n_nodes());
    arcs().filter(|&(tail, head)| places[tail] == places[head]).for_each(|(tail, head)| blocks.join(tail, head));
    let fits = |places: &[i64], nodes: &[usize], by: i64| {
        nodes.iter().all(|&node| {
            let layer = &graph.order[graph.layer[node]];
            let place = positions[node];
            let left = place == 0 || places[node] + by - places[layer[place - 1]] >= apart(layer[place - 1], node);
            let right = place + 1 == layer.len() || places[layer[place + 1]] - places[node] - by >= apart(node, layer[place + 1]);
            left && right
        })
    };
    for _ in 0..N_ROUNDS {
        let lean = |places: &[i64], (tail, head): (usize, usize)| places[head] - places[tail];
        let mut leaning: Vec<(usize, usize)> = arcs().filter(|&arc| (1..=REACH).contains(&lean(places, arc).abs())).collect();
        leaning.sort_by_key(|&arc| lean(places, arc).abs());
        for (tail, head) in leaning {
            let by = lean(places, (tail, head));
            if by == 0 || by.abs() > REACH {
                continue;
            }
            let mut ends = [(tail, by), (head, -by)];
            ends.sort_by_key(|&(end, _)| blocks.of(end).len());
            if let Some((end, by)) = ends.into_iter().find(|&(end, by)| fits(places, blocks.of(end), by)) {
                blocks.of(end).iter().for_each(|&node| places[node] += by);
                blocks.join(tail, head);
            }
        }
    }
}

/// Nodes that move together.
struct Blocks {
    of: Vec<usize>,
    members: Vec<Vec<usize>>,
}

impl Blocks {
    fn single(n_nodes: usize) -> Self {
        Self { of: (0..n_nodes).collect(), members: (0..n_nodes).map(|node| vec![node]).collect() }
    }

    fn of(&self, node: usize) -> &[usize] {
        &self.members[self.of[node]]
    }

    fn join(&mut self, first: usize, second: usize) {
        let (mut kept, mut left) = (self.of[first], self.of[second]);
        if kept == left {
            return;
        }
        if self.members[kept].len() < self.members[left].len() {
            std::mem::swap(&mut kept, &mut left);
        }
        for node in std::mem::take(&mut self.members[left]) {
            self.of[node] = kept;
            self.members[kept].push(node);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_leaning_chain_is_set_upright_and_keeps_its_distance() {
        // 0 → 1 → 2, with 3 right of 1.
        let graph = LayeredGraph::new(vec![0, 1, 2, 1], &[(0, 1), (1, 2)]);
        let mut places = vec![8, 0, 0, 30];
        straighten(&graph, &mut places, &|_, _| 30);
        // There is no room on the right, so that the top comes over the others.
        assert_eq!(places, [0, 0, 0, 30]);
    }
}
