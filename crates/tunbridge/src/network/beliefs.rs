//! A network as a picture, with what is believed of every variable.

use net::VarId;
use net::drawing::{Direction, DrawingOptions, Observed, junction_tree_svg, network_svg};

use super::{NetworkFile, TreePlan};
use crate::Error;

/// What is believed of every variable, given findings.
#[derive(Clone, Debug, PartialEq)]
pub struct Beliefs {
    /// The distribution of every variable.
    pub marginals: Vec<Vec<f64>>,
    /// The findings, as they were written.
    pub findings: Vec<String>,
    /// The variables of which something was seen, each with its state if that is certain.
    pub observed: Vec<(VarId, Option<usize>)>,
    /// ln P(findings).
    pub ln_p_evidence: f64,
}

/// The network as a picture: variables as ellipses, or with beliefs as boxes that have a bar for each state. Where the file says where
/// all variables stand, they stand there.
///
/// # Errors
/// When the file has factors without directions.
pub fn svg(file: &NetworkFile, beliefs: Option<&Beliefs>) -> Result<String, Error> {
    let Some(network) = file.network() else { return Err(no_arcs(file)) };
    let place = |variable: VarId| file.document()?.notes(variable).position.map(|(x, y)| [x, y]);
    let observed = beliefs.map(|beliefs| beliefs.observed.iter().map(|&(variable, state)| Observed { variable, state }).collect());
    let options = DrawingOptions {
        title: if file.name().is_empty() { "Bayesian network".into() } else { file.name().to_string() },
        observed: observed.unwrap_or_default(),
        positions: network.dag().variables().map(place).collect(),
        ..DrawingOptions::default()
    };
    network_svg(network, beliefs.map(|beliefs| &beliefs.marginals[..]), &options).map_err(|e| Error::Internal(e.to_string()))
}

/// The junction tree as a picture.
///
/// # Errors
/// Never for a tree of this file.
pub fn junction_tree_picture(file: &NetworkFile, tree: &TreePlan) -> Result<String, Error> {
    let domain = file.domain();
    let n_variables = file.graph().n_with_hidden();
    let name = |place: usize| if place < domain.n_variables() { domain.names()[place].clone() } else { format!("#{place}") };
    let names: Vec<String> = (0..n_variables).map(name).collect();
    let cliques: Vec<&[VarId]> = tree.cliques.iter().map(|clique| &clique.variables[..]).collect();
    let lines = tree.cliques.iter().enumerate().filter_map(|(place, clique)| Some((place, clique.parent?, &clique.separator[..])));
    let lines: Vec<(usize, usize, &[VarId])> = lines.collect();
    junction_tree_svg(&names, &cliques, &lines, Direction::Down).map_err(|e| Error::Internal(e.to_string()))
}

fn no_arcs(file: &NetworkFile) -> Error {
    Error::unfit(
        format!("{}: has factors without directions, and no arcs to draw", file.path.display()),
        "`tunbridge show --junction-tree` has something to show",
    )
}
