//! Renaming states: one mechanism for new states in a file, for sorting them, and for lining up two models.

use crate::ShapeMismatch;

/// For each variable of a schema, where its states went; `None` where nothing changed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recoding {
    /// One entry per variable.
    pub columns: Vec<Option<StateMap>>,
}

/// Where the states of one variable went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StateMap {
    /// New place of each old place, or [`StateMap::DROPPED`].
    pub to: Vec<u32>,
    /// How many states there are now; at least one more than the largest new place.
    pub n_states: usize,
}

impl StateMap {
    /// The place of a word that is counted no more, with all that was counted of it, or of another state that has no count.
    pub const DROPPED: u32 = u32::MAX;

    /// Whether nothing moves: `n_states` is then the only change, if any.
    pub fn is_identity(&self) -> bool {
        self.to.iter().enumerate().all(|(old, &new)| old == new as usize)
    }
}

impl Recoding {
    /// Whether nothing changes at all.
    pub fn is_identity(&self) -> bool {
        self.columns.iter().flatten().all(|map| map.is_identity() && map.n_states == map.to.len())
    }

    /// The map of one variable.
    pub fn of(&self, place: usize) -> Option<&StateMap> {
        self.columns.get(place).and_then(Option::as_ref)
    }
}

/// A statistic whose states can be renamed.
pub trait Recode {
    /// Renames.
    ///
    /// # Errors
    /// When the maps are not of the statistic's shape.
    fn recode(&mut self, recoding: &Recoding) -> Result<(), ShapeMismatch>;

    /// How often each word of a variable was met, in texts of any class; `None` from a statistic that does not count its words.
    fn times_met(&self, _variable: usize) -> Option<Vec<f64>> {
        None
    }
}
