//! The unbiased learner: any set of instances may be the concept, and so nothing can be said of instances that were not met.
//!
//! Mitchell 1997, section 2.7.2. H is the power set of the instances X, of 2^|X| hypotheses. S is the disjunction of the positive
//! examples, x₁ ∨ x₂ ∨ …, and G the negation of that of the negative ones, ¬(x₄ ∨ x₅ ∨ …). Between them lies one hypothesis for
//! each subset of the instances that were not met, and of these subsets exactly half hold any one of them: for each member that says
//! yes there is one that says no and agrees with it everywhere else.

use num_bigint::BigUint;

use super::{ConceptError, Examples, HypothesisSpace, RoteLearner};

/// The version space of all subsets of the instances.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnbiasedLearner {
    met: RoteLearner,
    n_instances: BigUint,
}

/// What the members of the power set's version space say of an instance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnbiasedVerdict {
    /// It was an example of this label: all members say so.
    Met(bool),
    /// It was not met: exactly half of the members say yes.
    Half,
}

impl UnbiasedLearner {
    /// The version space of the examples.
    ///
    /// # Errors
    /// When two examples say opposite things of one instance: even the power set has no hypothesis for that.
    pub fn of(space: &HypothesisSpace, examples: &Examples) -> Result<Self, ConceptError> {
        Ok(Self { met: RoteLearner::of(examples)?, n_instances: space.n_instances() })
    }

    /// |X|: how many instances there are of known values.
    pub fn n_instances(&self) -> &BigUint {
        &self.n_instances
    }

    /// How many members S has in its disjunction, and how many G negates.
    pub fn n_met(&self) -> (usize, usize) {
        let positive = self.met.n_positive();
        (positive, self.met.n_known() - positive)
    }

    /// How many instances were not met; the version space has 2 to the power of that many members.
    pub fn n_not_met(&self) -> BigUint {
        let met = BigUint::from(self.met.n_known());
        // Numbers of examples are places of the grid, and states of examples are known ones.
        if self.n_instances > met { &self.n_instances - met } else { BigUint::ZERO }
    }

    /// What the members say of an instance.
    pub fn classify(&self, instance: &[u32]) -> UnbiasedVerdict {
        self.met.classify(instance).map_or(UnbiasedVerdict::Half, UnbiasedVerdict::Met)
    }
}
