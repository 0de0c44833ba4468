//! An attribute: its values in a line, and the constraints that a hypothesis may put on it.

use super::span::Span;
use super::value_range::{ValueRange, shown};
use super::value_tree::ValueTree;

/// One column that instances are described by.
#[derive(Clone, Debug, PartialEq)]
pub struct Attribute {
    /// The column's name.
    pub name: String,
    /// Its values.
    pub values: Values,
}

/// What the values of an attribute are.
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    /// States, plain or in a hierarchy.
    Tree(ValueTree),
    /// Numbers.
    Range(ValueRange),
}

impl Attribute {
    /// The most general constraint, `?`.
    pub fn anything(&self) -> Span {
        Span { first: 0, last: self.n_places() - 1 }
    }

    /// How many places its line of values has.
    pub fn n_places(&self) -> u32 {
        match &self.values {
            Values::Tree(tree) => tree.n_places(),
            Values::Range(range) => range.n_places(),
        }
    }

    /// How many constraints there are besides ∅.
    pub fn n_spans(&self) -> u64 {
        match &self.values {
            Values::Tree(tree) => tree.n_spans(),
            Values::Range(range) => range.n_spans(),
        }
    }

    /// How many values an instance can have: the known states, or the places of numbers.
    pub fn n_values(&self) -> u64 {
        match &self.values {
            Values::Tree(tree) => tree.state_places().len() as u64,
            Values::Range(range) => u64::from(range.n_places()),
        }
    }

    /// The places that values of an instance can have, in the order of the states or numbers.
    pub fn value_places(&self) -> Vec<u32> {
        match &self.values {
            Values::Tree(tree) => tree.state_places().to_vec(),
            Values::Range(range) => (0..range.n_places()).collect(),
        }
    }

    /// Every constraint besides ∅, as long as they are no more than `most`.
    pub fn spans(&self, most: usize) -> Option<Vec<Span>> {
        if self.n_spans() > most as u64 {
            return None;
        }
        Some(match &self.values {
            Values::Tree(tree) => tree.spans().collect(),
            Values::Range(range) => {
                let n = range.n_places();
                (0..n).flat_map(|first| (first..n).map(move |last| Span { first, last })).collect()
            }
        })
    }

    /// The least general constraint that covers a place besides what it covered.
    pub fn join(&self, span: Span, place: u32) -> Span {
        match &self.values {
            _ if span.covers(place) => span,
            Values::Tree(tree) => tree.join(span, place),
            Values::Range(_) => Span { first: span.first.min(place), last: span.last.max(place) },
        }
    }

    /// The least general constraint that covers one place: the value itself.
    pub fn only(&self, place: u32) -> Span {
        match &self.values {
            // A value that is not known stands where only wider nodes cover it.
            Values::Tree(tree) => tree.ancestors(Span::of(place)).next().unwrap_or(self.anything()),
            Values::Range(_) => Span::of(place),
        }
    }

    /// The most general constraints below `span` that do not cover the place and, if `lower` is given, still cover that: then there
    /// is at most one.
    pub fn specialisations(&self, span: Span, place: u32, lower: Option<Span>) -> Vec<Span> {
        let mut found = match &self.values {
            Values::Tree(tree) => match lower {
                // From the least general node upwards, as far as the place is not covered.
                Some(lower) => tree.ancestors(lower).take_while(|s| !s.covers(place) && span.includes(*s)).last().into_iter().collect(),
                None => tree.specialisations(span, place),
            },
            Values::Range(_) => {
                let below = place.checked_sub(1).filter(|last| *last >= span.first).map(|last| Span { first: span.first, last });
                let above = (place < span.last).then(|| Span { first: place + 1, last: span.last });
                below.into_iter().chain(above).collect()
            }
        };
        if let Some(lower) = lower {
            found.retain(|span| span.includes(lower));
        }
        found
    }

    /// How many constraints lie between two; with no lower one, how many lie below the upper, ∅ not counted.
    pub fn n_between(&self, lower: Option<Span>, upper: Span) -> u64 {
        match (&self.values, lower) {
            (_, Some(lower)) if !upper.includes(lower) => 0,
            (Values::Tree(tree), Some(lower)) => tree.ancestors(lower).take_while(|span| upper.includes(*span)).count() as u64,
            (Values::Tree(tree), None) => tree.spans().filter(|span| upper.includes(*span)).count() as u64,
            (Values::Range(_), Some(lower)) => u64::from(lower.first - upper.first + 1) * u64::from(upper.last - lower.last + 1),
            (Values::Range(_), None) => {
                let n = u64::from(upper.last - upper.first) + 1;
                n * (n + 1) / 2
            }
        }
    }

    /// The constraints between two; with no lower one, all below the upper besides ∅.
    pub fn between(&self, lower: Option<Span>, upper: Span) -> Vec<Span> {
        match (&self.values, lower) {
            (Values::Tree(tree), Some(lower)) => tree.ancestors(lower).take_while(|span| upper.includes(*span)).collect(),
            (Values::Tree(tree), None) => tree.spans().filter(|span| upper.includes(*span)).collect(),
            (Values::Range(_), _) => {
                let (to, from) = lower.map_or((upper.last, upper.first), |lower| (lower.first, lower.last));
                let lasts = |first: u32| (first.max(from)..=upper.last).map(move |last| Span { first, last });
                (upper.first..=to).flat_map(lasts).collect()
            }
        }
    }

    /// What a person reads of a constraint.
    pub fn constraint(&self, span: Span) -> String {
        match &self.values {
            Values::Tree(tree) => tree.name(span).into(),
            Values::Range(range) => range.name(span),
        }
    }

    /// What a person reads of a value.
    pub fn value(&self, place: u32) -> String {
        match &self.values {
            // Only a state's own node is as narrow as its place.
            Values::Tree(tree) if tree.state_places().contains(&place) => tree.name(Span::of(place)).into(),
            Values::Tree(_) => "another".into(),
            Values::Range(range) => shown(range.number(place)),
        }
    }
}
