//! The rote learner: it remembers every example, and says nothing of anything else.
//!
//! Mitchell 1997, section 2.7.3. Its inductive bias is empty, and so is what it says of instances that it has not met.

use std::collections::HashMap;

use super::{ConceptError, Examples};

/// Every instance that was met, with its label.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RoteLearner {
    known: HashMap<Vec<u32>, bool>,
}

impl RoteLearner {
    /// Remembers the examples.
    ///
    /// # Errors
    /// When two examples say opposite things of one instance.
    pub fn of(examples: &Examples) -> Result<Self, ConceptError> {
        match examples.contradiction() {
            Some(contradiction) => Err(contradiction),
            None => Ok(Self { known: examples.iter().map(|example| (example.instance.to_vec(), example.positive)).collect() }),
        }
    }

    /// How many different instances it has met.
    pub fn n_known(&self) -> usize {
        self.known.len()
    }

    /// How many of them are positive.
    pub fn n_positive(&self) -> usize {
        self.known.values().filter(|positive| **positive).count()
    }

    /// What it has met of an instance.
    pub fn classify(&self, instance: &[u32]) -> Option<bool> {
        self.known.get(instance).copied()
    }
}
