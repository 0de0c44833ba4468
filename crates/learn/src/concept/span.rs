//! What a hypothesis demands of one attribute: a run of places in the attribute's own order.
//!
//! The values of an attribute stand in a line: the leaves of a tree from left to right, numbers by size. Every constraint of the
//! hypothesis language is then a run of neighbours: a single value, a branch of the tree, an interval, or all of them, which is `?`.
//! More general is longer: the general-to-specific order of one attribute is inclusion of runs.

/// A run of places, both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// The first place.
    pub first: u32,
    /// The last place; never before the first.
    pub last: u32,
}

impl Span {
    /// The run of one place.
    pub fn of(place: u32) -> Self {
        Self { first: place, last: place }
    }

    /// Whether a value at this place satisfies the constraint.
    pub fn covers(self, place: u32) -> bool {
        self.first <= place && place <= self.last
    }

    /// Whether it is more general than the other, or the same.
    pub fn includes(self, other: Self) -> bool {
        self.first <= other.first && other.last <= self.last
    }
}
