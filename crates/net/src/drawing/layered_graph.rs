//! A graph in layers whose arcs run from a layer to the next: long arcs go through dummy nodes, one in each layer they pass.
//!
//! Sugiyama, Tagawa & Toda 1981. The order of nodes within their layers is what [`super::crossing_reduction`] changes.

/// Nodes in layers. The first nodes are those of the drawing, dummies follow.
pub(super) struct LayeredGraph {
    /// How many nodes are no dummies.
    pub n_real: usize,
    /// The layer of each node.
    pub layer: Vec<usize>,
    /// Neighbours in the layer above.
    pub above: Vec<Vec<usize>>,
    /// Neighbours in the layer below.
    pub below: Vec<Vec<usize>>,
    /// The nodes of each layer, from left to right.
    pub order: Vec<Vec<usize>>,
    /// The nodes that each arc goes through, from its tail to its head.
    pub chains: Vec<Vec<usize>>,
}

impl LayeredGraph {
    /// Cuts long arcs.
    pub fn new(layer: Vec<usize>, arcs: &[(usize, usize)]) -> Self {
        let n_real = layer.len();
        let n_layers = layer.iter().max().map_or(0, |last| last + 1);
        let mut graph = Self { n_real, layer, above: Vec::new(), below: Vec::new(), order: vec![Vec::new(); n_layers], chains: Vec::new() };
        for &(tail, head) in arcs {
            let mut chain = vec![tail];
            for between in graph.layer[tail] + 1..graph.layer[head] {
                chain.push(graph.layer.len());
                graph.layer.push(between);
            }
            chain.push(head);
            graph.chains.push(chain);
        }
        graph.above = vec![Vec::new(); graph.layer.len()];
        graph.below = vec![Vec::new(); graph.layer.len()];
        for chain in &graph.chains {
            for pair in chain.windows(2) {
                graph.below[pair[0]].push(pair[1]);
                graph.above[pair[1]].push(pair[0]);
            }
        }
        for (node, &layer) in graph.layer.iter().enumerate() {
            graph.order[layer].push(node);
        }
        graph
    }

    /// How many nodes there are, dummies too.
    pub fn n_nodes(&self) -> usize {
        self.layer.len()
    }

    /// Whether a node only holds a long arc's place.
    pub fn is_dummy(&self, node: usize) -> bool {
        node >= self.n_real
    }

    /// The place of each node in its layer.
    pub fn positions(&self) -> Vec<usize> {
        let mut positions = vec![0; self.n_nodes()];
        for layer in &self.order {
            for (place, &node) in layer.iter().enumerate() {
                positions[node] = place;
            }
        }
        positions
    }
}
