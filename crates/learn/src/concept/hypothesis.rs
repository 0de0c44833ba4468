//! Hypotheses, and the order from general to specific.
//!
//! Mitchell 1997, *Machine Learning*, sections 2.2 and 2.3. A hypothesis is a conjunction of constraints, one an attribute: ⟨Sunny,
//! Warm, ?, Strong, ?, ?⟩. It is more general than another or equal to it, h ≥ h', if every instance that satisfies h' satisfies h.
//! The order is partial: of two hypotheses neither need be more general.
//!
//! A hypothesis in which one constraint or more is ∅ covers nothing, whatever the others say: all of them are one, [`Nothing`].
//!
//! [`Nothing`]: Hypothesis::Nothing

use super::span::Span;

/// A conjunction of constraints on the attributes of a [`HypothesisSpace`](super::HypothesisSpace), in their order.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Hypothesis {
    /// ⟨∅, …, ∅⟩: no instance satisfies it.
    Nothing,
    /// A constraint for each attribute.
    Conjunction(Box<[Span]>),
}

impl Hypothesis {
    /// The constraints, if it covers anything.
    pub fn spans(&self) -> Option<&[Span]> {
        match self {
            Hypothesis::Nothing => None,
            Hypothesis::Conjunction(spans) => Some(spans),
        }
    }

    /// Whether the instance at these places satisfies it: h(x) = 1.
    pub fn covers(&self, instance: &[u32]) -> bool {
        self.spans().is_some_and(|spans| spans.iter().zip(instance).all(|(span, place)| span.covers(*place)))
    }

    /// Whether it is more general than the other, or the same: h ≥ h'.
    ///
    /// ```
    /// use tunbridge_learn::concept::{Hypothesis, Span};
    /// let narrow = Hypothesis::Conjunction([Span::of(0), Span::of(1)].into());
    /// let wide = Hypothesis::Conjunction([Span { first: 0, last: 2 }, Span::of(1)].into());
    /// assert!(wide.is_at_least_as_general_as(&narrow) && !narrow.is_at_least_as_general_as(&wide));
    /// assert!(narrow.is_at_least_as_general_as(&Hypothesis::Nothing));
    /// ```
    pub fn is_at_least_as_general_as(&self, other: &Self) -> bool {
        match (self, other) {
            (_, Hypothesis::Nothing) => true,
            (Hypothesis::Nothing, _) => false,
            (Hypothesis::Conjunction(mine), Hypothesis::Conjunction(theirs)) => {
                mine.iter().zip(theirs).all(|(mine, theirs)| mine.includes(*theirs))
            }
        }
    }

    /// A number that rises with generality: how many steps of single places it is wider than the narrowest conjunction; for
    /// [`Nothing`](Hypothesis::Nothing) one below.
    pub fn level(&self) -> i64 {
        self.spans().map_or(-1, |spans| spans.iter().map(|span| i64::from(span.last - span.first)).sum())
    }
}
