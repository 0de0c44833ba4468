//! Layered layout: where the nodes of an acyclic graph stand, and where its arcs pass between them.
//!
//! Sugiyama, Tagawa & Toda 1981: [`super::layering`], then dummies for long arcs ([`super::layered_graph`]), then
//! [`super::crossing_reduction`], then [`super::coordinates`]. Parts that do not hang together are laid out each by itself and stand side by
//! side. Here layers run from top to bottom; who wants them from left to right exchanges the axes before and after.

use super::coordinates::{Gaps, aside, coordinates};
use super::crossing_reduction::reduce_crossings;
use super::gates::Rows;
use super::layered_graph::LayeredGraph;
use super::layering::layers;
use super::taut_string::Gate;

/// Where things stand. The first corner is at the origin.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Layout {
    /// Width and height of it all.
    pub size: [f64; 2],
    /// The centre of each node.
    pub centres: Vec<[f64; 2]>,
    /// For each arc the gates that it passes from top to bottom, between the boxes beside it and within its own ends' layers.
    pub gates: Vec<Vec<Gate>>,
}

const GAPS: Gaps = Gaps { boxes: 24.0, arc: 16.0, arcs: 12.0 };

/// The distance of two layers: enough for the arcs between them not to be too flat, within these.
const LAYERS_APART: [f64; 2] = [42.0, 96.0];
const STEEPNESS: f64 = 0.22;

/// How much wider than the side of a square that has room for all nodes a layer may be.
const STRETCH: f64 = 2.3;

/// Between parts that do not hang together.
const PARTS_APART: f64 = 36.0;

/// Lays out nodes of these sizes. The arcs must make no cycle.
pub(super) fn layered_layout(sizes: &[[f64; 2]], arcs: &[(usize, usize)]) -> Layout {
    let mut whole = Layout { size: [0.0; 2], centres: vec![[0.0; 2]; sizes.len()], gates: vec![Vec::new(); arcs.len()] };
    let parts: Vec<(Part, Layout)> = parts(sizes.len(), arcs)
        .into_iter()
        .map(|part| {
            let sizes: Vec<[f64; 2]> = part.nodes.iter().map(|&node| sizes[node]).collect();
            let layout = connected_layout(&sizes, &part.arcs);
            (part, layout)
        })
        .collect();
    // Parts in rows, as text runs; a row is as wide as the widest, or as makes it all about half as high as wide.
    let area: f64 = parts.iter().map(|(_, layout)| (layout.size[0] + PARTS_APART) * (layout.size[1] + PARTS_APART)).sum();
    let widest = parts.iter().map(|(_, layout)| layout.size[0]).fold((2.0 * area).sqrt(), f64::max);
    let (mut corner, mut row_height) = ([0.0, 0.0], 0.0_f64);
    for (part, layout) in parts {
        if corner[0] > 0.0 && corner[0] + layout.size[0] > widest {
            corner = [0.0, corner[1] + row_height + PARTS_APART];
            row_height = 0.0;
        }
        let moved = |[x, y]: [f64; 2]| [x + corner[0], y + corner[1]];
        for (&node, centre) in part.nodes.iter().zip(layout.centres) {
            whole.centres[node] = moved(centre);
        }
        for (&number, gates) in part.arc_numbers.iter().zip(layout.gates) {
            whole.gates[number] = gates.into_iter().map(|gate| gate.moved(corner)).collect();
        }
        whole.size = [whole.size[0].max(corner[0] + layout.size[0]), whole.size[1].max(corner[1] + layout.size[1])];
        corner[0] += layout.size[0] + PARTS_APART;
        row_height = row_height.max(layout.size[1]);
    }
    whole
}

/// Nodes that hang together, and their arcs by places among them.
struct Part {
    nodes: Vec<usize>,
    arcs: Vec<(usize, usize)>,
    arc_numbers: Vec<usize>,
}

/// The parts of the graph, the largest first, then by their first node.
fn parts(n_nodes: usize, arcs: &[(usize, usize)]) -> Vec<Part> {
    let mut neighbours = vec![Vec::new(); n_nodes];
    for &(tail, head) in arcs {
        neighbours[tail].push(head);
        neighbours[head].push(tail);
    }
    let mut part_of = vec![usize::MAX; n_nodes];
    let mut n_parts = 0;
    for root in 0..n_nodes {
        if part_of[root] != usize::MAX {
            continue;
        }
        let mut waiting = vec![root];
        while let Some(node) = waiting.pop() {
            if part_of[node] == usize::MAX {
                part_of[node] = n_parts;
                waiting.extend(&neighbours[node]);
            }
        }
        n_parts += 1;
    }
    let mut parts: Vec<Part> = (0..n_parts).map(|_| Part { nodes: Vec::new(), arcs: Vec::new(), arc_numbers: Vec::new() }).collect();
    let mut place = vec![0; n_nodes];
    for node in 0..n_nodes {
        let part = &mut parts[part_of[node]];
        place[node] = part.nodes.len();
        part.nodes.push(node);
    }
    for (number, &(tail, head)) in arcs.iter().enumerate() {
        let part = &mut parts[part_of[tail]];
        part.arcs.push((place[tail], place[head]));
        part.arc_numbers.push(number);
    }
    parts.sort_by_key(|part| std::cmp::Reverse(part.nodes.len()));
    parts
}

fn connected_layout(sizes: &[[f64; 2]], arcs: &[(usize, usize)]) -> Layout {
    let widths: Vec<f64> = sizes.iter().map(|size| size[0]).collect();
    let roomy: Vec<[f64; 2]> = sizes.iter().map(|[width, height]| [width + GAPS.boxes, height + LAYERS_APART[0]]).collect();
    let widest = STRETCH * roomy.iter().map(|[width, height]| width * height).sum::<f64>().sqrt();
    let widths_with_room: Vec<f64> = roomy.iter().map(|size| size[0]).collect();
    let mut graph = LayeredGraph::new(layers(&widths_with_room, arcs, widest), arcs);
    reduce_crossings(&mut graph, |graph| aside(graph, &widths, &GAPS));
    let mut x = coordinates(&graph, &widths, &GAPS);
    let width_of = |node: usize| widths.get(node).copied().unwrap_or(0.0);
    let left = (0..graph.n_nodes()).map(|node| x[node] - width_of(node) / 2.0).fold(f64::INFINITY, f64::min);
    x.iter_mut().for_each(|x| *x -= left);
    let right = (0..graph.n_nodes()).map(|node| x[node] + width_of(node) / 2.0).fold(f64::NEG_INFINITY, f64::max);

    let mut tops = Vec::with_capacity(graph.order.len());
    let mut bottoms = Vec::with_capacity(graph.order.len());
    let mut y: f64 = 0.0;
    for nodes in &graph.order {
        let height = nodes.iter().filter(|&&node| !graph.is_dummy(node)).map(|&node| sizes[node][1]).fold(0.0, f64::max);
        tops.push(y);
        bottoms.push(y + height);
        let aside = nodes.iter().flat_map(|&node| graph.below[node].iter().map(move |&other| (node, other)));
        let farthest = aside.map(|(node, other)| (x[node] - x[other]).abs()).fold(0.0, f64::max);
        y += height + (STEEPNESS * farthest).clamp(LAYERS_APART[0], LAYERS_APART[1]);
    }
    let centres: Vec<[f64; 2]> =
        (0..sizes.len()).map(|node| [x[node], (tops[graph.layer[node]] + bottoms[graph.layer[node]]) / 2.0]).collect();
    let positions = graph.positions();
    let rows = Rows { graph: &graph, sizes, x: &x, positions: &positions, tops: &tops, bottoms: &bottoms };
    let gates = graph.chains.iter().map(|chain| rows.gates(chain)).collect();
    Layout { size: [right, bottoms.last().copied().unwrap_or(0.0)], centres, gates }
}
