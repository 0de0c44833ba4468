//! What becomes of a distribution when a parent comes, goes or is seen.

use super::{
    Conditional, ConditionalFault, ConditionalTable, ConditionalTree, DeterministicTable, NoisyCause, NoisyMax, TreeNode, within_expansion,
};

impl Conditional {
    /// The same distribution with one more parent, the last and fastest, that does not matter.
    pub(crate) fn with_idle_parent(&self, n_states: usize) -> Result<Self, ConditionalFault> {
        match self {
            Self::Table(table) => {
                within_expansion(table.n_rows().saturating_mul(n_states), table.n_states())?;
                let rows = (0..table.n_rows()).flat_map(|row| std::iter::repeat_n(table.row(row), n_states));
                Ok(Self::Table(table_of(table.n_states(), rows.flatten().copied().collect())))
            }
            Self::Deterministic(table) => {
                within_expansion(table.states().len().saturating_mul(n_states), table.n_states())?;
                let states = table.states().iter().flat_map(|&state| std::iter::repeat_n(state, n_states)).collect();
                DeterministicTable::new(table.n_states(), states).map(Self::Deterministic)
            }
            Self::NoisyMax(noisy) => {
                let nothing = (0..noisy.n_states()).map(|state| if state == noisy.order()[0] { 1.0 } else { 0.0 });
                let effects = std::iter::repeat_n(nothing, n_states).flatten().collect();
                let idle = NoisyCause { absent: 0, effects: table_of(noisy.n_states(), effects) };
                let causes = noisy.causes().iter().cloned().chain([idle]).collect();
                NoisyMax::new(noisy.order().to_vec(), causes, noisy.leak().to_vec()).map(Self::NoisyMax)
            }
            Self::Tree(tree) => {
                let parent_states = tree.parent_states().iter().copied().chain([n_states]).collect();
                ConditionalTree::new(tree.n_states(), parent_states, tree.nodes().to_vec()).map(Self::Tree)
            }
        }
    }

    /// The distribution where a parent is in a state: it is no parent any more. Of the parents' numbers of states, `place` is this one's.
    pub(crate) fn where_parent_is(&self, parent_states: &[usize], place: usize, state: usize) -> Result<Self, ConditionalFault> {
        let kept = |row: usize| {
            let inner: usize = parent_states[place + 1..].iter().product();
            row / inner % parent_states[place] == state
        };
        match self {
            Self::Table(table) => {
                let rows = (0..table.n_rows()).filter(|&row| kept(row)).flat_map(|row| table.row(row));
                Ok(Self::Table(table_of(table.n_states(), rows.copied().collect())))
            }
            Self::Deterministic(table) => {
                let states = table.states().iter().enumerate().filter(|(row, _)| kept(*row)).map(|(_, &state)| state).collect();
                DeterministicTable::new(table.n_states(), states).map(Self::Deterministic)
            }
            Self::NoisyMax(noisy) => {
                let effect = noisy.causes()[place].effects.row(state).to_vec();
                noisy.with_cause_in_leak(place, &effect).map(Self::NoisyMax)
            }
            Self::Tree(tree) => tree.where_parent_is(place, state).map(Self::Tree),
        }
    }
}

impl NoisyMax {
    /// A cause whose effect has this distribution whatever the other causes do is no cause any more but a part of the leak.
    pub(crate) fn with_cause_in_leak(&self, place: usize, effect: &[f64]) -> Result<Self, ConditionalFault> {
        let leak = (0..self.n_states()).map(|state| self.higher_than_leak(effect, state)).collect();
        let mut causes = self.causes().to_vec();
        causes.remove(place);
        Self::new(self.order().to_vec(), causes, leak)
    }
}

impl ConditionalTree {
    /// The tree without the tests of a parent that is in a state; later parents move up by one.
    fn where_parent_is(&self, place: usize, state: usize) -> Result<Self, ConditionalFault> {
        let skip = |mut node: usize| {
            while let TreeNode::Test { parent, branches } = &self.nodes()[node]
                && *parent == place
            {
                node = branches[state];
            }
            node
        };
        // Nodes that are left, the root first and each before its branches.
        let mut left = vec![skip(0)];
        let mut nodes = Vec::new();
        let mut seen = 0;
        while seen < left.len() {
            nodes.push(match &self.nodes()[left[seen]] {
                TreeNode::Leaf(values) => TreeNode::Leaf(values.clone()),
                TreeNode::Test { parent, branches } => {
                    let mut new_place = std::collections::BTreeMap::new();
                    let branches = branches
                        .iter()
                        .map(|&branch| {
                            *new_place.entry(skip(branch)).or_insert_with_key(|&branch| {
                                left.push(branch);
                                left.len() - 1
                            })
                        })
                        .collect();
                    TreeNode::Test { parent: parent - usize::from(*parent > place), branches }
                }
            });
            seen += 1;
        }
        let mut parent_states = self.parent_states().to_vec();
        parent_states.remove(place);
        Self::new(self.n_states(), parent_states, nodes)
    }
}

fn table_of(n_states: usize, values: Vec<f64>) -> ConditionalTable {
    ConditionalTable::new(n_states, values).expect("rows of distributions")
}
