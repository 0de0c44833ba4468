//! Coordinates within layers: arcs as straight as the order of nodes and their widths allow.
//!
//! Gansner, Koutsofios, North & Vo 1993, section 4.2: the least weighted sum of how far arcs go aside is a network simplex on a graph with one
//! more node for each arc. Arcs between dummies weigh most, so that long arcs are straight. It begins with sweeps that put each layer where
//! its neighbours want it, in order and without overlap, by least squares (pool adjacent violators: Ayer et al. 1955); in large graphs that
//! is most of the work.

use super::isotonic::isotonic;
use super::layered_graph::LayeredGraph;
use super::network_simplex::{Link, network_simplex};
use super::straightening::straighten;

/// How far apart things stand, beside their own width.
#[derive(Clone, Copy, Debug)]
pub(super) struct Gaps {
    /// Between two boxes.
    pub boxes: f64,
    /// Between a box and an arc that passes.
    pub arc: f64,
    /// Between two arcs that pass.
    pub arcs: f64,
}

/// What is given up of a gap for an arc to be upright.
const GIVEN_UP: i64 = 8;

/// A bound on the time of large drawings: some tenths of a second.
const MAX_STEPS: usize = 6_000_000;

const N_SWEEPS: usize = 12;

/// How far aside the arcs of an order of nodes go in sum, nearly: what makes one of two orders better that have as many crossings.
pub(super) fn aside(graph: &LayeredGraph, widths: &[f64], gaps: &Gaps) -> i64 {
    let places = swept(graph, &distances(graph, widths, gaps));
    let arcs = graph.below.iter().enumerate().flat_map(|(tail, below)| below.iter().map(move |&head| (tail, head)));
    arcs.map(|(tail, head)| (places[tail] - places[head]).abs()).sum()
}

/// The centre of each node, dummies too. Widths are those of the real nodes.
pub(super) fn coordinates(graph: &LayeredGraph, widths: &[f64], gaps: &Gaps) -> Vec<f64> {
    let apart = distances(graph, widths, gaps);
    let start = swept(graph, &apart);
    let mut links = Vec::new();
    for layer in &graph.order {
        for pair in layer.windows(2) {
            links.push(Link { tail: pair[0], head: pair[1], shortest: apart(pair[0], pair[1]), weight: 0 });
        }
    }
    let mut places = start;
    for (tail, below) in graph.below.iter().enumerate() {
        for &head in below {
            let weight = weight(graph, tail, head);
            // The least of both ends, so that the distance to each of them is their distance.
            let between = places.len();
            places.push(places[tail].min(places[head]));
            links.push(Link { tail: between, head: tail, shortest: 0, weight });
            links.push(Link { tail: between, head, shortest: 0, weight });
        }
    }
    let mut placed = network_simplex(places, &links, MAX_STEPS);
    placed.truncate(graph.n_nodes());
    straighten(graph, &mut placed, &|left, right| apart(left, right) - GIVEN_UP);
    placed.into_iter().map(|place| place as f64).collect()
}

/// The least distance of the centres of neighbours, whole so that sums are exact.
fn distances<'a>(graph: &LayeredGraph, widths: &'a [f64], gaps: &'a Gaps) -> impl Fn(usize, usize) -> i64 + use<'a> {
    let n_real = graph.n_real;
    move |left, right| {
        let half = |node: usize| widths.get(node).map_or(0.0, |width| width / 2.0);
        let gap = match (left >= n_real, right >= n_real) {
            (false, false) => gaps.boxes,
            (true, true) => gaps.arcs,
            _ => gaps.arc,
        };
        (half(left) + half(right) + gap).ceil() as i64
    }
}

/// Ω of the paper: 1 between nodes, 2 between a node and a dummy, 8 between dummies; four times as much, and a little more for the only arc of
/// a node, so that of places that cost the same the one right above or below it is taken.
fn weight(graph: &LayeredGraph, tail: usize, head: usize) -> i64 {
    let omega = match (graph.is_dummy(tail), graph.is_dummy(head)) {
        (false, false) => 1,
        (true, true) => 8,
        _ => 2,
    };
    4 * omega + i64::from(graph.below[tail].len() == 1) + i64::from(graph.above[head].len() == 1)
}

fn swept(graph: &LayeredGraph, apart: &impl Fn(usize, usize) -> i64) -> Vec<i64> {
    // How far a node stands from the first of its layer when nothing is left free.
    let mut packed = vec![0; graph.n_nodes()];
    for layer in &graph.order {
        for pair in layer.windows(2) {
            packed[pair[1]] = packed[pair[0]] + apart(pair[0], pair[1]);
        }
    }
    let mut places: Vec<f64> = packed.iter().map(|&place| place as f64).collect();
    for turn in 0..N_SWEEPS {
        let down = turn % 2 == 0;
        for step in 0..graph.order.len() {
            let layer = if down { step } else { graph.order.len() - 1 - step };
            let nodes = &graph.order[layer];
            // The last two sweeps look both ways.
            let both = turn + 2 >= N_SWEEPS;
            let wanted: Vec<(f64, f64)> = nodes
                .iter()
                .map(|&node| {
                    let above = graph.above[node].iter().filter(|_| down || both).map(|&other| (other, weight(graph, other, node)));
                    let below = graph.below[node].iter().filter(|_| !down || both).map(|&other| (other, weight(graph, node, other)));
                    let (sum, total) = above
                        .chain(below)
                        .fold((0.0, 0.0), |(sum, total), (other, weight)| (sum + weight as f64 * places[other], total + weight as f64));
                    // Who has no neighbours there stays, but gives way.
                    if total > 0.0 { (sum / total - packed[node] as f64, total) } else { (places[node] - packed[node] as f64, 0.01) }
                })
                .collect();
            for (&node, free) in nodes.iter().zip(isotonic(&wanted)) {
                places[node] = packed[node] as f64 + free;
            }
        }
    }
    // What grows from left to right still does when rounded down.
    graph.order.iter().flatten().for_each(|&node| places[node] = packed[node] as f64 + (places[node] - packed[node] as f64).floor());
    places.into_iter().map(|place| place as i64).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const GAPS: Gaps = Gaps { boxes: 10.0, arc: 6.0, arcs: 4.0 };

    #[test]
    fn a_parent_stands_over_the_middle_of_its_children() {
        let graph = LayeredGraph::new(vec![0, 1, 1, 1, 1], &[(0, 1), (0, 2), (0, 3), (0, 4)]);
        let x = coordinates(&graph, &[40.0; 5], &GAPS);
        assert_eq!(x[1..].iter().map(|x_child| x_child - x[0]).collect::<Vec<_>>(), [-75.0, -25.0, 25.0, 75.0]);
    }

    #[test]
    fn a_long_arc_is_straight() {
        // 0 → 1 → 2 → 3 and 0 → 3 beside.
        let graph = LayeredGraph::new(vec![0, 1, 2, 3], &[(0, 1), (1, 2), (2, 3), (0, 3)]);
        let x = coordinates(&graph, &[40.0; 4], &GAPS);
        assert_eq!(x[4], x[5]);
        assert!((x[4] - x[1]).abs() >= 26.0);
    }
}
