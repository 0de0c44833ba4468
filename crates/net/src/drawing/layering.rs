//! Layering: every variable below its parents, arcs as short as they may be.
//!
//! Longest paths from the roots give layers that meet the demand; [`super::network_simplex`] makes the sum of the arcs' lengths least
//! (Gansner, Koutsofios, North & Vo 1993, section 2). What could stand in several layers at the same price goes to the emptiest.

use super::network_simplex::{Link, network_simplex};

const MAX_STEPS: usize = 5_000_000;

/// The layer of each node, from nought, none wider than `widest` where that is easily avoided. The nodes must hang together and the arcs make
/// no cycle. Widths are with the room that is left free beside a node.
pub(super) fn layers(widths: &[f64], arcs: &[(usize, usize)], widest: f64) -> Vec<usize> {
    let links: Vec<Link> = arcs.iter().map(|&(tail, head)| Link { tail, head, shortest: 1, weight: 1 }).collect();
    let mut places = network_simplex(longest_paths(widths.len(), arcs), &links, MAX_STEPS);
    let top = places.iter().copied().min().unwrap_or(0);
    places.iter_mut().for_each(|place| *place -= top);
    let mut layers: Vec<usize> = places.into_iter().map(|place| place as usize).collect();
    let neighbours = Neighbours::of(widths.len(), arcs);
    even_out(&mut layers, widths, &neighbours);
    narrow(&mut layers, widths, &neighbours, widest);
    layers
}

struct Neighbours {
    above: Vec<Vec<usize>>,
    below: Vec<Vec<usize>>,
}

impl Neighbours {
    fn of(n_nodes: usize, arcs: &[(usize, usize)]) -> Self {
        let (mut above, mut below) = (vec![Vec::new(); n_nodes], vec![Vec::new(); n_nodes]);
        for &(tail, head) in arcs {
            below[tail].push(head);
            above[head].push(tail);
        }
        Self { above, below }
    }
}

/// How many arcs the longest path from a root to each node has.
fn longest_paths(n_nodes: usize, arcs: &[(usize, usize)]) -> Vec<i64> {
    let mut below = vec![Vec::new(); n_nodes];
    let mut n_missing = vec![0; n_nodes];
    for &(tail, head) in arcs {
        below[tail].push(head);
        n_missing[head] += 1;
    }
    let mut longest = vec![0; n_nodes];
    let mut ready: Vec<usize> = (0..n_nodes).filter(|&node| n_missing[node] == 0).collect();
    while let Some(node) = ready.pop() {
        for &head in &below[node] {
            longest[head] = longest[head].max(longest[node] + 1);
            n_missing[head] -= 1;
            if n_missing[head] == 0 {
                ready.push(head);
            }
        }
    }
    longest
}

/// A node with as many parents as children makes arcs as long in any layer between them.
fn even_out(layers: &mut [usize], widths: &[f64], Neighbours { above, below }: &Neighbours) {
    let n_layers = layers.iter().max().map_or(0, |last| last + 1);
    let mut filled = vec![0.0; n_layers];
    for (layer, width) in layers.iter().zip(widths) {
        filled[*layer] += width;
    }
    for node in 0..layers.len() {
        if above[node].len() != below[node].len() {
            continue;
        }
        let (Some(first), Some(end)) = (above[node].iter().map(|&n| layers[n] + 1).max(), below[node].iter().map(|&n| layers[n]).min())
        else {
            continue;
        };
        filled[layers[node]] -= widths[node];
        // Where it is, unless another is emptier.
        let mut best = layers[node];
        for layer in first..end {
            if filled[layer] + 1e-9 < filled[best] {
                best = layer;
            }
        }
        layers[node] = best;
        filled[best] += widths[node];
    }
}

/// Takes nodes out of layers that are too wide: those without children go down, every other one of a family first, and then those without
/// parents up. Arcs get longer by it, and the picture narrower.
fn narrow(layers: &mut [usize], widths: &[f64], neighbours: &Neighbours, widest: f64) {
    let mut layer = 0;
    while layer <= layers.iter().copied().max().unwrap_or(0) {
        thin(layers, widths, [&neighbours.above, &neighbours.below], layer, widest, |layer| layer + 1);
        layer += 1;
    }
    // Room for as many layers above as there are nodes.
    let shift = layers.len();
    layers.iter_mut().for_each(|layer| *layer += shift);
    let mut layer = layers.iter().copied().max().unwrap_or(0);
    while layer > 0 && layer >= layers.iter().copied().min().unwrap_or(0) {
        thin(layers, widths, [&neighbours.below, &neighbours.above], layer, widest, |layer| layer - 1);
        layer -= 1;
    }
    let top = layers.iter().copied().min().unwrap_or(0);
    layers.iter_mut().for_each(|layer| *layer -= top);
}

/// Moves nodes that have nobody before them to the next layer, until this one is narrow enough. `[behind, before]` are the neighbours on
/// either side.
fn thin(
    layers: &mut [usize],
    widths: &[f64],
    [behind, before]: [&[Vec<usize>]; 2],
    layer: usize,
    widest: f64,
    next: impl Fn(usize) -> usize,
) {
    let mut filled: f64 = (0..layers.len()).filter(|&node| layers[node] == layer).map(|node| widths[node]).sum();
    if filled <= widest {
        return;
    }
    let mut movable: Vec<usize> = (0..layers.len()).filter(|&node| layers[node] == layer && before[node].is_empty()).collect();
    movable.sort_by_key(|&node| (behind[node].len(), &behind[node], node));
    let in_turn: Vec<usize> = movable.iter().skip(1).step_by(2).chain(movable.iter().step_by(2)).copied().collect();
    for node in in_turn {
        if filled <= widest {
            break;
        }
        filled -= widths[node];
        layers[node] = next(layer);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_root_stands_right_above_its_only_child() {
        // 0 → 1 → 2 → 3 and 4 → 3.
        assert_eq!(layers(&[1.0; 5], &[(0, 1), (1, 2), (2, 3), (4, 3)], 99.0), [0, 1, 2, 3, 2]);
    }

    #[test]
    fn what_may_stand_anywhere_goes_where_there_is_room() {
        // 0 → 1 → 2 → 3, 0 → 4 → 3, and 5 beside 1.
        let arcs = [(0, 1), (1, 2), (2, 3), (0, 4), (4, 3), (0, 5)];
        assert_eq!(layers(&[1.0; 6], &arcs, 99.0), [0, 1, 2, 3, 2, 1]);
    }

    #[test]
    fn a_large_family_stands_in_several_rows() {
        let arcs: Vec<(usize, usize)> = (1..10).map(|child| (0, child)).collect();
        let layers = layers(&[10.0; 10], &arcs, 40.0);
        assert_eq!((1..4).map(|layer| layers.iter().filter(|&&at| at == layer).count()).collect::<Vec<_>>(), [4, 4, 1]);
    }
}
