//! The inductive bias of each learner, in words.
//!
//! Mitchell 1997, section 2.7.3: the least set of assertions B such that what the learner says of any instance follows from B, the
//! examples and the instance by deduction alone. The stronger the bias, the more instances are classified.

/// A concept learner.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ConceptLearner {
    /// Remembers.
    Rote,
    /// All subsets of the instances.
    Unbiased,
    /// The version space by its boundaries.
    #[default]
    CandidateElimination,
    /// The version space as a list.
    ListThenEliminate,
    /// The least general hypothesis.
    FindS,
}

impl ConceptLearner {
    /// What it assumes.
    pub fn inductive_bias(self) -> &'static str {
        match self {
            ConceptLearner::Rote => "none: it says nothing of an instance that it has not met",
            ConceptLearner::Unbiased => {
                "none: any set of instances may be the concept, so exactly half of what is left says yes to each instance that was not met"
            }
            ConceptLearner::CandidateElimination | ConceptLearner::ListThenEliminate => {
                "the concept is one of the hypotheses, a conjunction of constraints, and no label is wrong"
            }
            ConceptLearner::FindS => {
                "the concept is one of the hypotheses, and every instance is negative unless the positive examples force the opposite"
            }
        }
    }

    /// What is a most probable hypothesis, a MAP hypothesis, and under which prior, given that no label is wrong: P(D | h) is 1 if h
    /// agrees with the examples, else 0 (Mitchell 1997, section 6.3).
    pub fn as_map(self) -> Option<&'static str> {
        match self {
            ConceptLearner::Rote => None,
            ConceptLearner::Unbiased => Some("if all sets of instances are equally probable, each that agrees with the examples is"),
            ConceptLearner::CandidateElimination | ConceptLearner::ListThenEliminate => {
                Some("if all hypotheses are equally probable, each member of the version space is, with probability 1/|VS|")
            }
            ConceptLearner::FindS => {
                Some("the hypothesis is, under any prior by which no hypothesis is more probable than a less general one")
            }
        }
    }
}
