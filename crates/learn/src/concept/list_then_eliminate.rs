//! LIST-THEN-ELIMINATE: all hypotheses, less those that an example contradicts.
//!
//! Mitchell 1997, table 2.4. It needs nothing of the order of hypotheses, and finds the version space of any space that can be
//! listed; that is also its limit. Here it is the obvious way that the clever one is tested against.

use super::{ConceptError, Examples, Hypothesis, HypothesisSpace};

/// The version space as a list, the least general hypotheses first, and how many were left after each example; the first number is
/// before any example.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// The hypotheses that agree with every example.
    pub hypotheses: Vec<Hypothesis>,
    /// How many were left, before the first example and after each.
    pub n_left: Vec<usize>,
}

impl Listed {
    /// The members that no other is less general than: the boundary S.
    pub fn specific(&self) -> Vec<&Hypothesis> {
        let is_least = |h: &&Hypothesis| !self.hypotheses.iter().any(|other| other != *h && h.is_at_least_as_general_as(other));
        self.hypotheses.iter().filter(is_least).collect()
    }

    /// The members that no other is more general than: the boundary G.
    pub fn general(&self) -> Vec<&Hypothesis> {
        let is_most = |h: &&Hypothesis| !self.hypotheses.iter().any(|other| other != *h && other.is_at_least_as_general_as(h));
        let mut found: Vec<&Hypothesis> = self.hypotheses.iter().filter(is_most).collect();
        found.sort();
        found
    }
}

/// Lists all hypotheses and strikes out those that an example contradicts.
///
/// **Complexity**: hypotheses × rows × attributes in time, hypotheses × attributes in space.
///
/// # Errors
/// When there are more than `most` hypotheses.
pub fn list_then_eliminate(space: &HypothesisSpace, examples: &Examples, most: usize) -> Result<Listed, ConceptError> {
    let mut hypotheses = space.enumerate(most)?;
    let mut n_left = vec![hypotheses.len()];
    for example in examples.iter() {
        hypotheses.retain(|h| h.covers(example.instance) == example.positive);
        n_left.push(hypotheses.len());
    }
    in_order(&mut hypotheses);
    Ok(Listed { hypotheses, n_left })
}

/// The least general hypotheses first; of equals, by their constraints.
pub(crate) fn in_order(hypotheses: &mut [Hypothesis]) {
    hypotheses.sort_by(|a, b| a.level().cmp(&b.level()).then_with(|| a.cmp(b)));
}
