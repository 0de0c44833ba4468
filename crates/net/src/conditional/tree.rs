//! Tree-structured distributions: parents are tested one after another, as far as they matter.
//!
//! Context-specific independence (Boutilier, Friedman, Goldszmidt & Koller 1996): an inner node tests a parent and has a branch for
//! each of its states, of which several may be the same; a leaf has a distribution. What a branch does not test does not matter
//! there.
//!
//! In inference a hidden variable goes along the inner nodes, each after the node that leads to it. It says where one stands: at a
//! node that is still to be tested, or at a state of the variable that was drawn at a leaf. A step looks at one parent and moves on
//! if it is this node's turn. Each step is a factor P(where one stands after | where before, the parent), never negative and with
//! sum one over its head; the last head is the variable itself. Entries are linear in the number of tests and quadratic in the
//! variable's states and the nodes that wait, which in depth-first order are no more than the branches beside one path.

use super::table::ConditionalTable;
use super::{ConditionalFault, Family, MAX_EXPANSION, Piece, n_rows_of, states_of_row};
use belief::VarId;

/// A tree of tests. Invariant: the nodes make a tree from the first, every test has a branch for each state of a parent, and every
/// leaf is a distribution over the variable's states.
#[derive(Clone, Debug, PartialEq)]
pub struct ConditionalTree {
    n_states: usize,
    parent_states: Vec<usize>,
    nodes: Vec<TreeNode>,
}

/// A node of a tree.
#[derive(Clone, Debug, PartialEq)]
pub enum TreeNode {
    /// Where one goes on depends on a parent.
    Test {
        /// The place of the parent among the parents.
        parent: usize,
        /// For each state of the parent the place of the node to go to. States that go to one node are a set.
        branches: Vec<usize>,
    },
    /// The distribution of the variable.
    Leaf(Vec<f64>),
}

impl ConditionalTree {
    /// A tree of these nodes, the first of which is the root and every other the branch of one node before it.
    ///
    /// # Errors
    /// When the nodes make no tree, a test is none, a leaf is no distribution, or its factors would have more than
    /// [`MAX_EXPANSION`] entries together. A leaf whose sum is off one by no more than [`super::ROW_SUM_TOLERANCE`] is divided by
    /// its sum.
    ///
    /// ```
    /// use tunbridge_net::{Conditional, ConditionalTree, TreeNode};
    /// // If it does not rain (parent 0, state 1), the umbrella (parent 1) does not matter.
    /// let wet = ConditionalTree::new(2, vec![2, 2], vec![
    ///     TreeNode::Test { parent: 0, branches: vec![1, 2] },
    ///     TreeNode::Test { parent: 1, branches: vec![3, 4] },
    ///     TreeNode::Leaf(vec![0.0, 1.0]),
    ///     TreeNode::Leaf(vec![0.2, 0.8]),
    ///     TreeNode::Leaf(vec![0.9, 0.1]),
    /// ])?;
    /// let wet = Conditional::Tree(wet);
    /// assert_eq!(*wet.to_values()?, [0.2, 0.8,  0.9, 0.1,  0.0, 1.0,  0.0, 1.0]);
    /// assert_eq!(wet.n_free_parameters(), 3);
    /// # Ok::<(), tunbridge_net::ConditionalFault>(())
    /// ```
    pub fn new(n_states: usize, parent_states: Vec<usize>, mut nodes: Vec<TreeNode>) -> Result<Self, ConditionalFault> {
        let n_parents = parent_states.len();
        let mut led_to = vec![false; nodes.len()];
        *led_to.first_mut().ok_or(ConditionalFault::NotATree { node: 0 })? = true;
        for (place, node) in nodes.iter_mut().enumerate() {
            match node {
                TreeNode::Leaf(values) => {
                    let n_values = values.len();
                    let leaf = ConditionalTable::new(n_states, std::mem::take(values))
                        .map_err(|fault| ConditionalFault::Leaf { node: place, fault })?;
                    if leaf.n_rows() != 1 {
                        let fault = super::TableFault::Ragged { n_values, n_states };
                        return Err(ConditionalFault::Leaf { node: place, fault });
                    }
                    *values = leaf.values().to_vec();
                }
                TreeNode::Test { parent, branches } => {
                    if parent_states.get(*parent) != Some(&branches.len()) || branches.is_empty() {
                        return Err(ConditionalFault::NotATest { node: place, n_parents });
                    }
                    let mut different = branches.clone();
                    different.sort_unstable();
                    different.dedup();
                    for branch in different {
                        let earlier = branch <= place || branch >= led_to.len();
                        if earlier || std::mem::replace(&mut led_to[branch], true) {
                            return Err(ConditionalFault::NotATree { node: branch });
                        }
                    }
                }
            }
        }
        match led_to.iter().position(|led_to| !led_to) {
            Some(node) => Err(ConditionalFault::NotATree { node }),
            None => Self { n_states, parent_states, nodes }.within_bounds(),
        }
    }

    /// How many states the variable has.
    pub fn n_states(&self) -> usize {
        self.n_states
    }

    /// How many states each parent has.
    pub fn parent_states(&self) -> &[usize] {
        &self.parent_states
    }

    /// The nodes, the root first and each before its branches.
    pub fn nodes(&self) -> &[TreeNode] {
        &self.nodes
    }

    pub(super) fn n_free_parameters(&self) -> usize {
        self.nodes.iter().filter(|node| matches!(node, TreeNode::Leaf(_))).count() * (self.n_states - 1)
    }

    /// The probability of a state when each parent is in a state.
    pub(super) fn probability(&self, parent: impl Fn(usize) -> usize, state: usize) -> f64 {
        let mut place = 0;
        loop {
            match &self.nodes[place] {
                TreeNode::Leaf(values) => return values[state],
                TreeNode::Test { parent: tested, branches } => place = branches[parent(*tested)],
            }
        }
    }

    /// A chain along the tests, or the table over the parents that are tested when that has no more entries.
    pub(super) fn pieces(&self, family: &Family<'_>, fresh: &mut dyn FnMut(usize) -> VarId) -> Vec<Piece> {
        let tested = self.tested();
        if self.n_table_entries(&tested) <= self.n_chain_entries() {
            return vec![self.table(family, &tested)];
        }
        let mut pieces: Vec<Piece> = Vec::new();
        self.walk(|step| {
            let n_after = self.n_states + step.after.len();
            let head = if step.after.is_empty() { family.child } else { fresh(n_after) };
            let (values, parent) = (self.moves(step), family.parent(step.parent));
            pieces.push(match pieces.last() {
                None => Piece::new(&[parent, (head, n_after)], values),
                Some(before) => Piece::new(&[parent, (before.head, self.n_states + step.before.len()), (head, n_after)], values),
            });
            true
        });
        pieces
    }

    /// Whether the factors of it may be made.
    fn within_bounds(self) -> Result<Self, ConditionalFault> {
        let entries = self.n_chain_entries().min(self.n_table_entries(&self.tested()));
        if entries <= MAX_EXPANSION as f64 { Ok(self) } else { Err(ConditionalFault::TooLarge { entries, limit: MAX_EXPANSION }) }
    }

    /// The parents that are tested anywhere, in order.
    fn tested(&self) -> Vec<usize> {
        let tests = self.nodes.iter().filter_map(|node| if let TreeNode::Test { parent, .. } = node { Some(*parent) } else { None });
        let mut tested: Vec<usize> = tests.collect();
        tested.sort_unstable();
        tested.dedup();
        tested
    }

    /// The table over the parents that are tested.
    fn table(&self, family: &Family<'_>, tested: &[usize]) -> Piece {
        let shape: Vec<usize> = tested.iter().map(|&parent| self.parent_states[parent]).collect();
        let mut scope: Vec<(VarId, usize)> = tested.iter().map(|&parent| family.parent(parent)).collect();
        scope.push((family.child, self.n_states));
        let row = |row: usize| {
            let states = states_of_row(row, shape.iter().copied().rev());
            let state_of = |parent: usize| states[tested.binary_search(&parent).expect("a parent that is tested")];
            (0..self.n_states).map(|state| self.probability(state_of, state)).collect::<Vec<f64>>()
        };
        Piece::new(&scope, (0..n_rows_of(shape.iter().copied())).flat_map(row).collect())
    }

    fn n_table_entries(&self, tested: &[usize]) -> f64 {
        tested.iter().map(|&parent| self.parent_states[parent] as f64).product::<f64>() * self.n_states as f64
    }

    /// The entries of the chain; when they are far too many, a part of them.
    fn n_chain_entries(&self) -> f64 {
        let mut n_entries = 0.0;
        self.walk(|step| {
            n_entries += self.n_entries(step);
            n_entries <= MAX_EXPANSION as f64
        });
        if n_entries == 0.0 { f64::INFINITY } else { n_entries }
    }

    /// Goes along the tests, depth first, as long as it is told to.
    fn walk(&self, mut go_on: impl FnMut(&Step<'_>) -> bool) {
        let (mut before, mut after) = (Vec::new(), vec![0]);
        while let Some(&node) = after.last() {
            let TreeNode::Test { parent, branches } = &self.nodes[node] else { return };
            before.clone_from(&after);
            after.pop();
            let from = after.len();
            after.extend(branches.iter().copied().filter(|&branch| matches!(self.nodes[branch], TreeNode::Test { .. })));
            after[from..].sort_unstable_by(|a, b| b.cmp(a));
            // A node is the branch of one test only, so that what comes twice stands together.
            after.dedup();
            if !go_on(&Step { node, parent: *parent, branches, before: &before, after: &after }) {
                return;
            }
        }
    }

    fn n_entries(&self, step: &Step<'_>) -> f64 {
        let n_before = if step.node == 0 { 1 } else { self.n_states + step.before.len() };
        (step.branches.len() * n_before) as f64 * (self.n_states + step.after.len()) as f64
    }

    /// P(after | parent, before), the states of the variable first and then the nodes that wait. Before the first test one stands
    /// at the root.
    fn moves(&self, step: &Step<'_>) -> Vec<f64> {
        let (n_states, n_after) = (self.n_states, self.n_states + step.after.len());
        let place_after = |node: usize| n_states + step.after.iter().position(|&other| other == node).expect("it waits");
        let mut values = Vec::with_capacity(self.n_entries(step) as usize);
        let stay = |place: usize, values: &mut Vec<f64>| values.extend((0..n_after).map(|other| if other == place { 1.0 } else { 0.0 }));
        for &branch in step.branches {
            if step.node != 0 {
                (0..n_states).for_each(|state| stay(state, &mut values));
            }
            for &waiting in step.before {
                match &self.nodes[branch] {
                    _ if waiting != step.node => stay(place_after(waiting), &mut values),
                    TreeNode::Leaf(leaf) => {
                        values.extend_from_slice(leaf);
                        values.extend(std::iter::repeat_n(0.0, n_after - n_states));
                    }
                    TreeNode::Test { .. } => stay(place_after(branch), &mut values),
                }
            }
        }
        values
    }
}

/// A test and the nodes that wait before and after it.
struct Step<'a> {
    node: usize,
    parent: usize,
    branches: &'a [usize],
    before: &'a [usize],
    after: &'a [usize],
}

#[cfg(test)]
mod tests {
    use super::*;

    fn test(parent: usize, branches: [usize; 2]) -> TreeNode {
        TreeNode::Test { parent, branches: branches.to_vec() }
    }

    fn leaf(p: f64) -> TreeNode {
        TreeNode::Leaf(vec![p, 1.0 - p])
    }

    #[test]
    fn faults_are_told() {
        let told = |nodes: Vec<TreeNode>| ConditionalTree::new(2, vec![2, 3], nodes).unwrap_err().to_string();
        let no_tree =
            |node: usize| format!("the nodes make no tree: node {node} must be the branch of one earlier node, unless it is the first");
        assert_eq!(told(vec![]), no_tree(1));
        assert_eq!(told(vec![leaf(0.5), leaf(0.5)]), no_tree(2));
        assert_eq!(told(vec![test(0, [1, 0]), leaf(0.5)]), no_tree(1));
        assert_eq!(told(vec![test(0, [1, 2]), leaf(0.5)]), no_tree(3));
        let shared = vec![test(0, [1, 2]), test(0, [2, 3]), leaf(0.5), leaf(0.5)];
        assert_eq!(told(shared), no_tree(3));
        let no_test = "node 1 of the tree must test one of the 2 parents and have a branch for each of its states";
        assert_eq!(told(vec![test(1, [1, 2]), leaf(0.5), leaf(0.5)]), no_test);
        assert_eq!(told(vec![test(2, [1, 2]), leaf(0.5), leaf(0.5)]), no_test);
        assert_eq!(told(vec![TreeNode::Leaf(vec![0.5])]), "node 1 of the tree, 1 probabilities do not make rows of 2");
        assert_eq!(told(vec![TreeNode::Leaf(vec![0.5; 4])]), "node 1 of the tree, 4 probabilities do not make rows of 2");
    }

    #[test]
    fn states_that_share_a_branch_and_parents_that_do_not_matter() {
        let nodes = vec![TreeNode::Test { parent: 1, branches: vec![1, 2, 1] }, leaf(0.25), leaf(0.5)];
        let tree = ConditionalTree::new(2, vec![2, 3], nodes).unwrap();
        let rows: Vec<f64> = (0..3).map(|state| tree.probability(|parent| if parent == 1 { state } else { 9 }, 0)).collect();
        assert_eq!(rows, [0.25, 0.5, 0.25]);
        let parents = [VarId::new(0), VarId::new(1)];
        let family = Family { child: VarId::new(2), parents: &parents, parent_states: &[2, 3] };
        let pieces = tree.pieces(&family, &mut |_| panic!("no hidden variable"));
        assert_eq!(pieces[0].factor.scope(), [VarId::new(1), VarId::new(2)]);
    }

    /// Too many nodes that wait, and too many parents for a table.
    #[test]
    fn trees_that_blow_up_either_way_are_refused() {
        let n_wide = 5_000;
        let mut nodes = vec![TreeNode::Test { parent: 0, branches: (1..=n_wide).collect() }];
        nodes.extend((0..n_wide).map(|place| test(1 + place % 30, [1 + n_wide + 2 * place, 2 + n_wide + 2 * place])));
        nodes.extend((0..2 * n_wide).map(|_| leaf(0.5)));
        let parent_states = std::iter::once(n_wide).chain([2; 30]).collect();
        assert!(matches!(ConditionalTree::new(2, parent_states, nodes), Err(ConditionalFault::TooLarge { .. })));
    }
}
