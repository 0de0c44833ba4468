//! Conditional distributions: what the parents' states say of a variable.
//!
//! One file for each kind. A table says all and grows with the product of the parents' states; a deterministic one, a noisy-MAX and
//! a tree say less and stay small. Inference takes noisy-MAX and trees apart into a chain of small factors with hidden variables
//! between them ([`crate::FactorGraph`]); they are never blown up to a table unless the table is the smaller of the two.

mod change;
mod deterministic;
mod noisy_max;
mod table;
mod tree;

pub use deterministic::DeterministicTable;
pub use noisy_max::{NoisyCause, NoisyMax};
pub use table::{ConditionalTable, ROW_SUM_TOLERANCE, TableFault};
pub use tree::{ConditionalTree, TreeNode};

use crate::factor::Factor;
use belief::VarId;
use std::borrow::Cow;

/// The most entries that [`Conditional::to_values`] spells out: 2²⁴, which are 128 MiB.
pub const MAX_EXPANSION: usize = 1 << 24;

/// P(variable | parents).
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Conditional {
    /// A probability for every state in every configuration of the parents.
    Table(ConditionalTable),
    /// One state, for certain, in every configuration of the parents.
    Deterministic(DeterministicTable),
    /// Causes that act independently; the strongest effect wins. Noisy-OR is the case of two states.
    NoisyMax(NoisyMax),
    /// Tests of parents, one after another, as far as they matter.
    Tree(ConditionalTree),
}

/// Why a distribution that is no table was refused.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ConditionalFault {
    /// A state that the variable does not have.
    #[error("state {} is asked for, but the variable has {n_states}", state + 1)]
    NoSuchState {
        /// The state, from 0.
        state: usize,
        /// How many there are.
        n_states: usize,
    },
    /// There is no state for any configuration.
    #[error("there must be one state for every configuration of the parents, and there are none")]
    NoRows,
    /// States that are no order.
    #[error("the order from the lowest state to the highest must name each of the {n_states} states once")]
    NotAnOrder {
        /// How many there are.
        n_states: usize,
    },
    /// What a cause does is no table.
    #[error("cause {}, {fault}", cause + 1)]
    Cause {
        /// The cause, from 0.
        cause: usize,
        /// What is wrong.
        fault: TableFault,
    },
    /// A cause's effects are over another number of states.
    #[error("cause {}: its effects are over {found} states, but the variable has {n_states}", cause + 1)]
    EffectStates {
        /// The cause, from 0.
        cause: usize,
        /// States of its effects.
        found: usize,
        /// States of the variable.
        n_states: usize,
    },
    /// An absent cause that does something.
    #[error("cause {}: when it is absent (state {}) the variable's lowest state must be certain; what comes without a cause is the leak", cause + 1, absent + 1)]
    AbsentActs {
        /// The cause, from 0.
        cause: usize,
        /// Its absent state, from 0.
        absent: usize,
    },
    /// The leak is no distribution.
    #[error("the leak: {0}")]
    Leak(TableFault),
    /// A leaf is no distribution.
    #[error("node {} of the tree, {fault}", node + 1)]
    Leaf {
        /// The node, from 0.
        node: usize,
        /// What is wrong.
        fault: TableFault,
    },
    /// A test that is none.
    #[error("node {} of the tree must test one of the {n_parents} parents and have a branch for each of its states", node + 1)]
    NotATest {
        /// The node, from 0.
        node: usize,
        /// How many parents there are.
        n_parents: usize,
    },
    /// Nodes that make no tree.
    #[error("the nodes make no tree: node {} must be the branch of one earlier node, unless it is the first", node + 1)]
    NotATree {
        /// The node, from 0.
        node: usize,
    },
    /// A table that would be too large.
    #[error("spelled out it would have {entries} entries, more than the {limit} allowed")]
    TooLarge {
        /// How many, as far as a double tells.
        entries: f64,
        /// How many are allowed.
        limit: usize,
    },
}

impl Conditional {
    /// What kind it is, in a word: `table`, `deterministic`, `noisy-MAX` or `tree`.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Table(_) => "table",
            Self::Deterministic(_) => "deterministic",
            Self::NoisyMax(_) => "noisy-MAX",
            Self::Tree(_) => "tree",
        }
    }

    /// How many states the variable has.
    pub fn n_states(&self) -> usize {
        match self {
            Self::Table(table) => table.n_states(),
            Self::Deterministic(table) => table.n_states(),
            Self::NoisyMax(noisy) => noisy.n_states(),
            Self::Tree(tree) => tree.n_states(),
        }
    }

    /// How many configurations the parents have; [`usize::MAX`] when there are more than can be counted.
    pub fn n_rows(&self) -> usize {
        match self {
            Self::Table(table) => table.n_rows(),
            Self::Deterministic(table) => table.states().len(),
            Self::NoisyMax(noisy) => n_rows_of(noisy.parent_states()),
            Self::Tree(tree) => n_rows_of(tree.parent_states().iter().copied()),
        }
    }

    /// The probability of a state when the parents are in a configuration, counted with the last parent fastest.
    /// [`crate::Network::local_probability`] does not count configurations, and so has no limit to the number of parents.
    ///
    /// # Panics
    /// When there is no such state or row.
    pub fn probability(&self, row: usize, state: usize) -> f64 {
        match self {
            Self::Table(table) => table.row(row)[state],
            Self::Deterministic(table) => table.probability(row, state),
            Self::NoisyMax(noisy) => {
                let states = states_of_row(row, noisy.parent_states().rev());
                noisy.probability(|parent| states[parent], state)
            }
            Self::Tree(tree) => {
                let states = states_of_row(row, tree.parent_states().iter().copied().rev());
                tree.probability(|parent| states[parent], state)
            }
        }
    }

    /// The probability of a state when each parent is in a state, with how many states it has.
    pub(crate) fn probability_where(&self, n_parents: usize, parent: impl Fn(usize) -> (usize, usize), state: usize) -> f64 {
        let row = || {
            (0..n_parents).map(&parent).fold(0, |row, (at, n_states)| {
                assert!(at < n_states, "a state of the parent");
                row * n_states + at
            })
        };
        match self {
            Self::Table(table) => table.row(row())[state],
            Self::Deterministic(table) => table.probability(row(), state),
            Self::NoisyMax(noisy) => noisy.probability(|cause| parent(cause).0, state),
            Self::Tree(tree) => tree.probability(|tested| parent(tested).0, state),
        }
    }

    /// How many numbers one is free to choose. The states that a deterministic table is made of are no numbers.
    pub fn n_free_parameters(&self) -> usize {
        match self {
            Self::Table(table) => table.n_rows() * (table.n_states() - 1),
            Self::Deterministic(_) => 0,
            Self::NoisyMax(noisy) => noisy.n_free_parameters(),
            Self::Tree(tree) => tree.n_free_parameters(),
        }
    }

    /// The table, spelled out: rows by the parents' configurations with the last parent fastest, states within a row. For formats that know
    /// nothing but tables.
    ///
    /// # Errors
    /// When what is no table would have more than [`MAX_EXPANSION`] entries as one.
    ///
    /// ```
    /// use tunbridge_net::{Conditional, DeterministicTable};
    /// let same = Conditional::Deterministic(DeterministicTable::new(2, vec![0, 1])?);
    /// assert_eq!(*same.to_values()?, [1.0, 0.0, 0.0, 1.0]);
    /// # Ok::<(), tunbridge_net::ConditionalFault>(())
    /// ```
    pub fn to_values(&self) -> Result<Cow<'_, [f64]>, ConditionalFault> {
        if let Self::Table(table) = self {
            return Ok(Cow::Borrowed(table.values()));
        }
        let (n_rows, n_states) = (self.n_rows(), self.n_states());
        within_expansion(n_rows, n_states)?;
        let row_of = |row: usize| (0..n_states).map(move |state| self.probability(row, state));
        Ok(Cow::Owned((0..n_rows).flat_map(row_of).collect()))
    }

    /// Whether the parents have these numbers of states.
    pub(crate) fn fits(&self, parents: &[usize]) -> bool {
        match self {
            Self::Table(_) | Self::Deterministic(_) => {
                parents.iter().try_fold(1_usize, |n_rows, &n_states| n_rows.checked_mul(n_states)) == Some(self.n_rows())
            }
            Self::NoisyMax(noisy) => noisy.parent_states().eq(parents.iter().copied()),
            Self::Tree(tree) => tree.parent_states() == parents,
        }
    }

    /// The distribution as factors whose product, hidden variables summed out, is P(child | parents). `fresh` makes a hidden variable of so
    /// many states.
    pub(crate) fn pieces(&self, family: &Family<'_>, fresh: &mut dyn FnMut(usize) -> VarId) -> Vec<Piece> {
        match self {
            Self::Table(table) => vec![family.table(table.values().to_vec())],
            Self::Deterministic(table) => vec![family.table(table.to_values())],
            Self::NoisyMax(noisy) => noisy.pieces(family, fresh),
            Self::Tree(tree) => tree.pieces(family, fresh),
        }
    }
}

/// A variable and its parents, with how many states the parents have.
pub(crate) struct Family<'a> {
    /// The variable.
    pub child: VarId,
    /// Its parents, in order.
    pub parents: &'a [VarId],
    /// How many states each of them has.
    pub parent_states: &'a [usize],
}

/// A factor of a distribution that was taken apart, and the variable that it sums to one over.
pub(crate) struct Piece {
    /// The factor.
    pub factor: Factor,
    /// The variable.
    pub head: VarId,
}

impl Piece {
    /// A factor over these variables with these numbers of states, the last fastest and the one it sums to one over.
    fn new(scope: &[(VarId, usize)], values: Vec<f64>) -> Self {
        let (variables, shape): (Vec<VarId>, Vec<usize>) = scope.iter().copied().unzip();
        let head = variables[variables.len() - 1];
        Self { factor: Factor::new(&variables, &shape, values).expect("different variables, probabilities"), head }
    }
}

impl Family<'_> {
    /// The whole table as one factor.
    fn table(&self, values: Vec<f64>) -> Piece {
        let n_rows: usize = self.parent_states.iter().product();
        let mut scope: Vec<(VarId, usize)> = (0..self.parents.len()).map(|place| self.parent(place)).collect();
        scope.push((self.child, values.len() / n_rows));
        Piece::new(&scope, values)
    }

    fn parent(&self, place: usize) -> (VarId, usize) {
        (self.parents[place], self.parent_states[place])
    }
}

/// Whether a table of so many rows may be spelled out.
fn within_expansion(n_rows: usize, n_states: usize) -> Result<(), ConditionalFault> {
    match n_rows.checked_mul(n_states) {
        Some(entries) if entries <= MAX_EXPANSION => Ok(()),
        _ => Err(ConditionalFault::TooLarge { entries: n_rows as f64 * n_states as f64, limit: MAX_EXPANSION }),
    }
}

fn n_rows_of(parent_states: impl Iterator<Item = usize>) -> usize {
    parent_states.fold(1, usize::saturating_mul)
}

/// The parents' states in a configuration; the numbers of states come last parent first.
fn states_of_row(row: usize, last_first: impl Iterator<Item = usize>) -> Vec<usize> {
    let mut left = row;
    let mut states: Vec<usize> = last_first
        .map(|n_states| {
            let state = left % n_states;
            left /= n_states;
            state
        })
        .collect();
    assert!(left == 0, "a row of the table");
    states.reverse();
    states
}
