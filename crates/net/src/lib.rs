//! Bayesian networks: structure, probabilities, formats and exact inference.
//!
//! A [`Structure`] is a graph over named variables ([`Dag`]); what is independent of what is a matter of structure alone
//! ([`d_separation`]). A [`Network`] is a structure with states and a [`Conditional`] distribution for each variable.
//! Questions are answered by [`variable_elimination`], all marginals at once by a [`JunctionTree`], and for tiny networks by [`enumeration`].
//! The language of questions is [`query`]. Nothing here opens files, prints, starts threads or looks at a clock: formats are read from bytes
//! and written to text.

mod chow_liu;
mod conditional;
mod dag;
mod description_length;
mod domain;
mod edit;
mod equivalence_class;
mod error;
mod evidence;
mod factor;
mod factor_graph;
mod junction_tree;
mod k_dependence;
mod kl_divergence;
mod log_likelihood;
mod mutual_information;
mod network;
mod network_builder;
mod pair_counts;
mod random_network;
mod spanning_tree;
mod structure;
mod tree_augmented;

pub mod ask;
pub mod bucket_tree;
pub mod d_separation;
pub mod drawing;
pub mod elimination_order;
pub mod enumeration;
pub mod format;
pub mod independences;
pub mod parameters;
pub mod query;
pub mod requisite_part;
pub mod variable_elimination;

pub use belief::VarId;
pub use chow_liu::{ArcPenalty, LearnedTree, TreeArc, chow_liu};
pub use conditional::{
    Conditional, ConditionalFault, ConditionalTable, ConditionalTree, DeterministicTable, MAX_EXPANSION, NoisyCause, NoisyMax,
    ROW_SUM_TOLERANCE, TableFault, TreeNode,
};
pub use dag::{ArcRefused, Dag};
pub use description_length::description_length;
pub use domain::Domain;
pub use edit::{Edit, EditError, Effect, Kept};
pub use equivalence_class::{EquivalenceClass, v_structures};
pub use error::NetError;
pub use evidence::{Answer, Evidence, JointDistribution};
pub use factor::Factor;
pub use factor_graph::FactorGraph;
pub use junction_tree::{Calibrated, JunctionTree, Workspace};
pub use k_dependence::k_dependence;
pub use kl_divergence::{Divergence, kl_divergence};
pub use log_likelihood::{LogLikelihood, log_likelihood};
pub use mutual_information::{PairMatrix, conditional_mutual_information, entropies, mutual_information, mutual_information_with_class};
pub use network::{Network, Variable};
pub use network_builder::{NetworkBuilder, Tree};
pub use pair_counts::{MAX_PAIR_CELLS, PairCounts};
pub use random_network::{RandomShape, random_network};
pub use structure::Structure;
pub use tree_augmented::tree_augmented;
