//! Crossing reduction: the order of nodes within layers that lets few arcs cross.
//!
//! Sweeps down and up put each node at the barycentre (Sugiyama, Tagawa & Toda 1981) or the weighted median of its neighbours in the layer
//! before, neighbours are exchanged where that saves crossings (Gansner, Koutsofios, North & Vo 1993, section 3), and in small graphs each node
//! is tried in all places of its layer (sifting: Matuszewski, Schönfeld & Molitor 1999). The best order met is kept; nothing is drawn by lot.

use super::layered_graph::LayeredGraph;

/// How often all layers are gone through without a gain before a start is given up.
const PATIENCE: usize = 6;
const MAX_SWEEPS: usize = 40;

/// Very large graphs get fewer sweeps: no more than look at so many nodes.
const MAX_LOOKS: usize = 400_000;

/// How many starts are tried with up to so many nodes, dummies too. With more, one is.
const TRIES: [(usize, usize); 2] = [(SMALL, 20), (1000, 4)];

/// With up to so many nodes they are sifted in every sweep, with more at the end, and with many more not at all.
const SMALL: usize = 250;
const LARGE: usize = 4000;
const MAX_SIFTS: usize = 6;

/// Orders the nodes of every layer; gives how many crossings are left. Of orders that leave as many, the one with the least `length` is taken.
pub(super) fn reduce_crossings(graph: &mut LayeredGraph, length: impl Fn(&LayeredGraph) -> i64) -> usize {
    let n_tries = TRIES.iter().find(|(n_nodes, _)| graph.n_nodes() <= *n_nodes).map_or(1, |(_, n_tries)| *n_tries);
    let middles = [Middle::Median, Middle::Barycentre];
    let starts = [false, true].into_iter().flat_map(|mirrored| Start::ALL.map(|start| (start, mirrored)));
    let all = starts.flat_map(|(start, mirrored)| middles.map(|middle| (start, mirrored, middle)));
    let (mut least, mut best) = (None, Vec::new());
    for (start, mirrored, middle) in all.take(n_tries) {
        graph.order = start.order(graph, mirrored);
        let found = (sweep(graph, middle), length(graph));
        if least.is_none_or(|least| found < least) {
            least = Some(found);
            best.clone_from(&graph.order);
        }
    }
    graph.order = best;
    least.map_or(0, |(n_left, _)| n_left)
}

/// How many pairs of arcs cross.
pub(super) fn n_crossings(graph: &LayeredGraph) -> usize {
    let positions = graph.positions();
    (1..graph.order.len()).map(|layer| crossings_above(graph, &positions, layer)).sum()
}

/// Where the neighbours of a node draw it.
#[derive(Clone, Copy)]
enum Middle {
    Median,
    Barycentre,
}

/// The order that is made better.
#[derive(Clone, Copy)]
enum Start {
    BreadthFromAbove,
    BreadthFromBelow,
    Depth,
    DepthFromBelow,
    Given,
}

impl Start {
    const ALL: [Self; 5] = [Self::BreadthFromAbove, Self::BreadthFromBelow, Self::Depth, Self::DepthFromBelow, Self::Given];

    fn order(self, graph: &LayeredGraph, mirrored: bool) -> Vec<Vec<usize>> {
        let mut order = vec![Vec::new(); graph.order.len()];
        let mut met = vec![false; graph.n_nodes()];
        let mut waiting = std::collections::VecDeque::new();
        let mut roots: Vec<usize> = match self {
            Self::BreadthFromAbove | Self::Depth => (0..graph.n_nodes()).filter(|&node| graph.above[node].is_empty()).collect(),
            Self::BreadthFromBelow | Self::DepthFromBelow => (0..graph.n_nodes()).filter(|&node| graph.below[node].is_empty()).collect(),
            Self::Given => Vec::new(),
        };
        roots.extend(0..graph.n_nodes());
        if mirrored {
            roots.reverse();
        }
        for root in roots {
            waiting.push_back(root);
            loop {
                let next = if matches!(self, Self::Depth | Self::DepthFromBelow) { waiting.pop_back() } else { waiting.pop_front() };
                let Some(node) = next else { break };
                if std::mem::replace(&mut met[node], true) {
                    continue;
                }
                order[graph.layer[node]].push(node);
                match self {
                    Self::BreadthFromAbove => waiting.extend(&graph.below[node]),
                    Self::BreadthFromBelow => waiting.extend(&graph.above[node]),
                    // The first of them is looked at first.
                    Self::Depth | Self::DepthFromBelow => {
                        waiting.extend(graph.above[node].iter().rev().chain(graph.below[node].iter().rev()))
                    }
                    Self::Given => {}
                }
            }
        }
        order
    }
}

fn sweep(graph: &mut LayeredGraph, middle: Middle) -> usize {
    let mut positions = graph.positions();
    let mut least = n_crossings(graph);
    let mut best = graph.order.clone();
    let mut n_vain = 0;
    for turn in 0..(MAX_LOOKS / graph.n_nodes().max(1)).clamp(2, MAX_SWEEPS) {
        if least == 0 || n_vain == PATIENCE {
            break;
        }
        let n_layers = graph.order.len();
        if turn % 2 == 0 {
            (1..n_layers).for_each(|layer| arrange(graph, &mut positions, layer, middle, true));
        } else {
            (0..n_layers - 1).rev().for_each(|layer| arrange(graph, &mut positions, layer, middle, false));
        }
        transpose(graph, &mut positions, turn % 4 < 2);
        if graph.n_nodes() <= SMALL {
            sift(graph, &mut positions);
        }
        let now = n_crossings(graph);
        if now < least {
            (least, n_vain) = (now, 0);
            best.clone_from(&graph.order);
        } else {
            n_vain += 1;
        }
    }
    graph.order = best;
    if (SMALL..LARGE).contains(&graph.n_nodes()) {
        least = sifted(graph, least);
    }
    least
}

/// Sifts as long as it helps; gives how many crossings are left.
fn sifted(graph: &mut LayeredGraph, mut least: usize) -> usize {
    let mut positions = graph.positions();
    for _ in 0..MAX_SIFTS {
        sift(graph, &mut positions);
        transpose(graph, &mut positions, false);
        let now = n_crossings(graph);
        if now >= least {
            break;
        }
        least = now;
    }
    least
}

/// Sorts a layer by the middle of each node's neighbours; who has none stays where it is.
fn arrange(graph: &mut LayeredGraph, positions: &mut [usize], layer: usize, middle: Middle, by_above: bool) {
    let nodes = std::mem::take(&mut graph.order[layer]);
    let mut places = Vec::with_capacity(8);
    let wanted: Vec<Option<f64>> = nodes
        .iter()
        .map(|&node| {
            places.clear();
            places.extend(if by_above { &graph.above } else { &graph.below }[node].iter().map(|&other| positions[other]));
            places.sort_unstable();
            match middle {
                Middle::Median => weighted_median(&places),
                Middle::Barycentre => (!places.is_empty()).then(|| places.iter().sum::<usize>() as f64 / places.len() as f64),
            }
        })
        .collect();
    let mut movable: Vec<(f64, usize)> = nodes.iter().zip(&wanted).filter_map(|(&node, wanted)| wanted.map(|at| (at, node))).collect();
    movable.sort_by(|(left, _), (right, _)| left.total_cmp(right));
    let mut next = movable.into_iter().map(|(_, node)| node);
    let sorted: Vec<usize> = nodes.iter().zip(&wanted).map(|(&node, wanted)| wanted.and_then(|_| next.next()).unwrap_or(node)).collect();
    for (place, &node) in sorted.iter().enumerate() {
        positions[node] = place;
    }
    graph.order[layer] = sorted;
}

/// Gansner et al. 1993, figure 3-2: between the two middle ones, nearer the side where neighbours lie closer together.
fn weighted_median(places: &[usize]) -> Option<f64> {
    let half = places.len() / 2;
    Some(match *places {
        [] => return None,
        _ if places.len() % 2 == 1 => places[half] as f64,
        [first, second] => (first + second) as f64 / 2.0,
        [first, .., last] => {
            let (left, right) = ((places[half - 1] - first) as f64, (last - places[half]) as f64);
            let total = left + right;
            if total == 0.0 {
                (places[half - 1] + places[half]) as f64 / 2.0
            } else {
                (places[half - 1] as f64 * right + places[half] as f64 * left) / total
            }
        }
        [_] => return None,
    })
}

/// Exchanges neighbours as long as that saves crossings; with `ties` also where it changes nothing, to get away from where one is stuck.
fn transpose(graph: &mut LayeredGraph, positions: &mut [usize], ties: bool) {
    for round in 0..12 {
        let mut saved = false;
        for layer in 0..graph.order.len() {
            for place in 1..graph.order[layer].len() {
                let (left, right) = (graph.order[layer][place - 1], graph.order[layer][place]);
                let (now, then) = crossings_of_pair(graph, positions, left, right);
                if then < now || (ties && round == 0 && then == now) {
                    graph.order[layer].swap(place - 1, place);
                    positions.swap(left, right);
                    saved |= then < now;
                }
            }
        }
        if !saved {
            break;
        }
    }
}

/// Moves each node to the best place of its layer.
fn sift(graph: &mut LayeredGraph, positions: &mut [usize]) {
    for node in 0..graph.n_nodes() {
        let layer = graph.layer[node];
        let from = positions[node];
        let n_in_layer = graph.order[layer].len();
        // What moving it past its neighbours one after another would gain, to the left and to the right.
        let (mut best, mut best_gain) = (from, 0_i64);
        let mut gain = 0;
        for place in (0..from).rev() {
            let (now, then) = crossings_of_pair(graph, positions, graph.order[layer][place], node);
            gain += now as i64 - then as i64;
            if gain > best_gain {
                (best, best_gain) = (place, gain);
            }
        }
        gain = 0;
        for place in from + 1..n_in_layer {
            let (now, then) = crossings_of_pair(graph, positions, node, graph.order[layer][place]);
            gain += now as i64 - then as i64;
            if gain > best_gain {
                (best, best_gain) = (place, gain);
            }
        }
        if best != from {
            graph.order[layer].remove(from);
            graph.order[layer].insert(best, node);
            for (place, &node) in graph.order[layer].iter().enumerate() {
                positions[node] = place;
            }
        }
    }
}

/// How many arcs of two nodes of a layer cross with the first on the left, and with it on the right.
fn crossings_of_pair(graph: &LayeredGraph, positions: &[usize], left: usize, right: usize) -> (usize, usize) {
    let (mut now, mut then) = (0, 0);
    for neighbours in [&graph.above, &graph.below] {
        for &of_left in &neighbours[left] {
            for &of_right in &neighbours[right] {
                now += usize::from(positions[of_left] > positions[of_right]);
                then += usize::from(positions[of_left] < positions[of_right]);
            }
        }
    }
    (now, then)
}

/// Crossings between a layer and the one above: inversions, counted in a tree of sums (Barth, Jünger & Mutzel 2002).
fn crossings_above(graph: &LayeredGraph, positions: &[usize], layer: usize) -> usize {
    let n_above = graph.order[layer - 1].len();
    let mut sums = vec![0_usize; n_above + 1];
    let (mut n_crossings, mut n_before) = (0, 0);
    let mut ends = Vec::new();
    for &node in &graph.order[layer] {
        ends.clear();
        ends.extend(graph.above[node].iter().map(|&other| positions[other]));
        // Arcs into one node do not cross each other.
        for &end in &ends {
            let mut place = end + 1;
            let mut n_up_to = 0;
            while place > 0 {
                n_up_to += sums[place];
                place &= place - 1;
            }
            n_crossings += n_before - n_up_to;
        }
        for &end in &ends {
            let mut place = end + 1;
            while place <= n_above {
                sums[place] += 1;
                place += place & place.wrapping_neg();
            }
            n_before += 1;
        }
    }
    n_crossings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn crossings_are_those_counted_pair_by_pair() {
        // Every arc of a complete bipartite graph of three and four.
        let arcs: Vec<(usize, usize)> = (0..3).flat_map(|above| (3..7).map(move |below| (above, below))).collect();
        let mut graph = LayeredGraph::new(vec![0, 0, 0, 1, 1, 1, 1], &arcs);
        assert_eq!(n_crossings(&graph), 3 * 6);
        assert_eq!(reduce_crossings(&mut graph, |_| 0), 18);
    }

    #[test]
    fn a_ladder_that_is_twisted_is_untwisted() {
        let arcs = [(0, 5), (1, 4), (2, 3), (3, 8), (4, 7), (5, 6), (0, 6)];
        let mut graph = LayeredGraph::new(vec![0, 0, 0, 1, 1, 1, 2, 2, 2], &arcs);
        assert!(n_crossings(&graph) > 0);
        assert_eq!(reduce_crossings(&mut graph, |_| 0), 0);
        assert_eq!(n_crossings(&graph), 0);
    }

    #[test]
    fn a_tree_has_no_crossings() {
        let arcs: Vec<(usize, usize)> = (1..40).map(|node| ((node * 7919) % node, node)).collect();
        let layers = super::super::layering::layers(&[1.0; 40], &arcs, 99.0);
        assert_eq!(reduce_crossings(&mut LayeredGraph::new(layers, &arcs), |_| 0), 0);
    }
}
