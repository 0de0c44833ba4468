//! Bayesian networks: structure, probabilities, formats and exact inference.
//!
//! A [`Structure`] is a graph over named variables ([`Dag`]); what is independent of what is a matter of structure alone
//! ([`d_separation`]). A [`Network`] is a structure with states and a [`Conditional`] distribution for each variable.
//! Nothing here opens files, prints, starts threads or looks at a clock: formats are read from bytes and written to text.

mod conditional;
mod dag;
mod error;
mod network;
mod random_network;
mod structure;

pub mod d_separation;
pub mod format;

pub use belief::VarId;
pub use conditional::{Conditional, ConditionalTable, ROW_SUM_TOLERANCE, TableFault};
pub use dag::{ArcRefused, Dag};
pub use error::NetError;
pub use network::{Network, NetworkBuilder, Variable};
pub use random_network::{RandomShape, random_network};
pub use structure::Structure;
