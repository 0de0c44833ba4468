//! Formats of networks: read from bytes, written to text.
//!
//! Each file is one format, and each reads into a [`Document`] and is written from one. [`FormatKind`] tells formats apart; [`read`] and [`write`] take
//! whichever it is. Structures alone are a [`Sketch`]: [`dot`], bnlearn's [`model_string`] and pyAgrum's [`arrow_string`]. [`FormatError`] says
//! where a text is broken and what to do. Names, states, parents in order and tables go round bit for bit in every format but UAI, whose
//! names are in a second file ([`names`]), and dot, which has structures only.

pub(crate) mod draft;
pub(crate) mod lexical;
pub(crate) mod rows;

mod document;
mod identifier;
mod kind;
mod sketch;
mod xml;

pub mod arrow_string;
pub mod bif;
pub mod dot;
pub mod dsc;
pub mod hugin;
pub mod model_string;
pub mod names;
pub mod tbn;
pub mod uai;
pub mod xdsl;
pub mod xmlbif;

pub use document::{Document, Notes, Remark};
pub use kind::{Contents, FormatKind, MAX_UNPACKED, Sidecar, Written, read, read_any, unpacked, write};
pub use lexical::FormatError;
pub use sketch::Sketch;

use crate::domain::Domain;
use crate::error::NetError;
use crate::network::Network;

/// A network with other names, all else as it is.
pub(crate) fn rename(network: &Network, names: Vec<String>, states: Vec<Vec<String>>) -> Result<Network, NetError> {
    let domain = Domain::new(names.into_iter().zip(states))?;
    let variables = || network.dag().variables();
    let parents = variables().map(|variable| network.dag().parents(variable).to_vec()).collect();
    Network::from_conditionals(domain, parents, variables().map(|variable| network.conditional(variable).clone()).collect())
}

/// What is lost by a format that can say nothing of tables.
pub(crate) fn lost_table_properties(document: &Document) -> Option<String> {
    let n_properties: usize = document.noted().map(|(_, notes)| notes.table_properties.len()).sum();
    (n_properties > 0).then(|| format!("what is said of tables beside their numbers ({n_properties})"))
}

/// What is lost by a format that spells distributions out as tables, but for those at these places.
pub(crate) fn spelled_out(document: &Document, kept: &[belief::VarId]) -> Vec<String> {
    let network = document.network();
    let is_lost =
        |variable: &belief::VarId| !matches!(network.conditional(*variable), crate::Conditional::Table(_)) && !kept.contains(variable);
    let told =
        |variable| format!("that `{}` is {}: it is spelled out as a table", network.name(variable), network.conditional(variable).kind());
    network.dag().variables().filter(is_lost).map(told).collect()
}
