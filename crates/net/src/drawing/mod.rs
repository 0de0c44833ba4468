//! Drawings: a network, or its junction tree, as a picture that a person would put in a paper.
//!
//! [`network_svg`] draws variables as ellipses, or with beliefs as boxes that have a bar for each state; [`junction_tree_svg`] draws cliques and
//! separators. What is drawn is text (SVG), the same bytes for the same input on every machine: nothing is drawn by lot, and nothing of the
//! reader's fonts is known but about how wide letters are. Where things stand is a layered layout (Sugiyama, Tagawa & Toda 1981), one step a
//! file, or what the caller says ([`DrawingOptions::positions`]).

mod arc_route;
mod bezier;
mod coordinates;
mod crossing_reduction;
mod gates;
mod given_positions;
mod isotonic;
mod junction_tree;
mod layered_graph;
mod layered_layout;
mod layering;
mod network_simplex;
mod node;
mod straightening;
mod svg;
mod taut_string;
mod text;

use belief::VarId;

pub use junction_tree::junction_tree_svg;
pub use svg::{network_svg, structure_svg};

/// How a network is drawn.
///
/// | field | default | meaning |
/// |---|---|---|
/// | `title` | `Bayesian network` | what a screen reader calls the picture |
/// | `direction` | down | where arcs lead |
/// | `max_states` | 8 | most lines of a box; of more states the most probable are shown |
/// | `observed` | none | variables that were observed, drawn in another colour |
/// | `positions` | none | where variables stand, if that is known already |
#[derive(Clone, Debug, PartialEq)]
pub struct DrawingOptions {
    /// What a screen reader calls the picture.
    pub title: String,
    /// Where arcs lead.
    pub direction: Direction,
    /// Most lines of a box, at least two.
    pub max_states: usize,
    /// What was observed.
    pub observed: Vec<Observed>,
    /// The centre of each variable, y growing downward, as files of other programs have it. If boxes would lie on each other all is
    /// stretched until they do not; if two variables share a place, all are laid out anew.
    pub positions: Option<Vec<[f64; 2]>>,
}

impl Default for DrawingOptions {
    fn default() -> Self {
        Self { title: "Bayesian network".into(), direction: Direction::Down, max_states: 8, observed: Vec::new(), positions: None }
    }
}

/// Where arcs lead.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Direction {
    /// Parents above their children.
    #[default]
    Down,
    /// Parents left of their children.
    Right,
}

/// A variable that something was observed of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Observed {
    /// The variable.
    pub variable: VarId,
    /// The state it was seen in, if it is certain.
    pub state: Option<usize>,
}

/// Why nothing can be drawn.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum DrawingError {
    /// Beliefs or positions that are not one for each variable.
    #[error("there are {found} {what} for {n_variables} variables: give one for each")]
    NotOneEach {
        /// What was given.
        what: &'static str,
        /// How many variables there are.
        n_variables: usize,
        /// How many were given.
        found: usize,
    },
    /// Beliefs that are none of the variable's states.
    #[error("the beliefs of `{variable}` must be a number from 0 to 1 for each of its {n_states} states")]
    NotBeliefs {
        /// The variable.
        variable: String,
        /// States of the variable.
        n_states: usize,
    },
    /// An observed variable or state that is not there.
    #[error("what was observed is not in the network: variable {variable}, state {state:?}, counted from 0")]
    NoSuchState {
        /// The variable's place.
        variable: usize,
        /// The state's place.
        state: Option<usize>,
    },
    /// A position that is no place.
    #[error("the position of `{variable}` is not a pair of finite numbers")]
    NotAPosition {
        /// The variable.
        variable: String,
    },
    /// A clique, a separator or an arc of the tree that leads nowhere.
    #[error("the junction tree speaks of {what} {place}, which is not there")]
    NoSuchPlace {
        /// What it speaks of.
        what: &'static str,
        /// Its place.
        place: usize,
    },
    /// Arcs between cliques that make no tree.
    #[error("the separators make a cycle of cliques, and no tree")]
    NotATree,
}
