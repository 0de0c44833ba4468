//! Gates: the boxes on both sides of an arc, where it passes a layer.

use super::layered_graph::LayeredGraph;
use super::taut_string::Gate;

/// How far arcs keep from boxes, and from arcs that keep so far from the same box.
const MARGIN: f64 = 14.0;
const ARCS_APART: f64 = 9.0;

/// How many neighbours are looked at on each side; what is beyond them is not passed.
const N_LOOKED_AT: usize = 24;

/// Layers with their coordinates.
pub(super) struct Rows<'a> {
    pub graph: &'a LayeredGraph,
    /// The sizes of real nodes.
    pub sizes: &'a [[f64; 2]],
    /// The centre of each node, and its place in its layer.
    pub x: &'a [f64],
    pub positions: &'a [usize],
    /// Where each layer begins and ends.
    pub tops: &'a [f64],
    pub bottoms: &'a [f64],
}

impl Rows<'_> {
    /// The gates of an arc, from its tail's layer to its head's.
    pub fn gates(&self, chain: &[usize]) -> Vec<Gate> {
        let mut gates = Vec::new();
        for &node in chain {
            let from = gates.len();
            let layer = &self.graph.order[self.graph.layer[node]];
            let place = self.positions[node];
            self.add_gates(&mut gates, node, -1.0, layer[..place].iter().rev());
            self.add_gates(&mut gates, node, 1.0, layer[place + 1..].iter());
            gates[from..].sort_by(|left, right| left.y.total_cmp(&right.y));
        }
        gates
    }

    /// Gates by the neighbours on one side, the nearest first. A box counts if it is higher than those before it.
    fn add_gates<'b>(&self, gates: &mut Vec<Gate>, node: usize, side: f64, beside: impl Iterator<Item = &'b usize>) {
        let layer = self.graph.layer[node];
        let (top, bottom) = (self.tops[layer], self.bottoms[layer]);
        let mut add = |post: f64, height: f64| {
            let middle = (top + bottom) / 2.0;
            let [low, high] =
                if side < 0.0 { [post.min(self.x[node]), f64::INFINITY] } else { [f64::NEG_INFINITY, post.max(self.x[node])] };
            gates.extend([-1.0, 1.0].map(|end| Gate { y: middle + end * (height / 2.0 + MARGIN / 3.0), low, high }));
        };
        let (mut room, mut highest) = (MARGIN, 0.0);
        for (n_before, &other) in beside.enumerate() {
            let [width, height] = self.sizes.get(other).copied().unwrap_or_default();
            let border = self.x[other] - side * width / 2.0;
            if n_before == N_LOOKED_AT {
                add(border, bottom - top);
                return;
            }
            if self.graph.is_dummy(other) {
                // Arcs that pass between here and the box want to pass there too.
                room += ARCS_APART;
            } else if height > highest {
                highest = height;
                add(border - side * room, height);
                if highest >= bottom - top {
                    return;
                }
            }
        }
    }
}
