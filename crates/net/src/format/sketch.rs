//! A structure that a text tells of: names and arcs, and states where they are given.

use super::lexical::{Fault, Word};
use crate::error::NetError;
use crate::structure::Structure;
use belief::VarId;
use std::collections::{HashMap, HashSet};

/// More arcs than this no text may tell of: `{a b …} -> {c d …}` is short for very many.
const MAX_ARCS: usize = 1 << 20;

/// A structure, and the states of its variables where the text says them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sketch {
    /// The graph's name; may be empty.
    pub name: String,
    /// Variables and arcs. Parents stand in the order in which their arcs do.
    pub structure: Structure,
    /// The states of each variable; none where they are not said.
    pub states: Vec<Option<Vec<String>>>,
}

/// A structure in the making.
#[derive(Default)]
pub(crate) struct Draft {
    pub name: String,
    names: Vec<String>,
    offsets: Vec<usize>,
    places: HashMap<String, usize>,
    parents: Vec<Vec<VarId>>,
    arcs: HashSet<(usize, usize)>,
    pub states: Vec<Option<Vec<String>>>,
}

impl Draft {
    /// The place of a variable, which is new if its name is.
    pub fn place(&mut self, word: &Word<'_>) -> usize {
        if let Some(&place) = self.places.get(&*word.text) {
            return place;
        }
        let place = self.names.len();
        self.names.push(word.text.to_string());
        self.offsets.push(word.offset);
        self.places.insert(word.text.to_string(), place);
        self.parents.push(Vec::new());
        self.states.push(None);
        place
    }

    /// Whether a variable is known.
    pub fn knows(&self, name: &str) -> bool {
        self.places.contains_key(name)
    }

    /// Adds an arc that may be there already.
    pub fn arc(&mut self, parent: usize, child: usize, offset: usize) -> Result<(), Fault> {
        if self.arcs.insert((parent, child)) {
            self.parents[child].push(VarId::new(parent));
        }
        if self.arcs.len() > MAX_ARCS {
            return Err(Fault::new(offset, format!("more than {MAX_ARCS} arcs"), ""));
        }
        Ok(())
    }

    pub fn finish(self) -> Result<Sketch, Fault> {
        let Self { name, names, offsets, parents, states, .. } = self;
        let places = self.places;
        let structure = Structure::from_parents(names, parents).map_err(|error| {
            let at = match &error {
                NetError::Cycle { path } => path.first().and_then(|name| places.get(name)).map(|&place| offsets[place]),
                _ => None,
            };
            Fault::new(at.unwrap_or(0), error.to_string(), super::draft::way_out(&error))
        })?;
        Ok(Sketch { name, structure, states })
    }
}
