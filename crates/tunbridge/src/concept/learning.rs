//! From examples to a concept.

use learn::concept::{
    BayesianVersionSpace, ConceptLearner, Hypothesis, Listed, RoteLearner, Size, UnbiasedLearner, VersionSpace, Voters, boundaries, find_s,
    list_then_eliminate,
};

use super::reading::{ConceptData, ConceptOptions};
use crate::Error;

/// What was learned.
#[derive(Clone, Debug)]
pub enum Concept {
    /// The least general hypothesis, and the first row that it gets wrong, if there is one.
    FindS(Hypothesis, Option<u64>),
    /// The version space by its boundaries.
    VersionSpace(VersionSpace),
    /// The version space as a list.
    Listed(Listed),
    /// Every example by heart.
    Rote(RoteLearner),
    /// All sets of instances.
    Unbiased(UnbiasedLearner),
    /// Every hypothesis with its probability.
    Bayesian(BayesianVersionSpace),
}

/// A concept with what it was learned with.
#[derive(Clone, Debug)]
pub struct Learned {
    /// What was learned.
    pub concept: Concept,
    /// Which learner it was.
    pub learner: ConceptLearner,
    /// The members of a version space as voters, counted once.
    pub(super) voters: Option<Voters>,
}

impl ConceptData {
    /// Learns from the examples.
    ///
    /// # Errors
    /// When no hypothesis agrees with the examples, naming the row that left none, and when a bound is passed.
    pub fn learn(&self, options: &ConceptOptions) -> Result<Learned, Error> {
        let (space, examples) = (&self.space, &self.examples);
        let concept = match (options.noise, options.learner) {
            (Some(noise), _) => Concept::Bayesian(BayesianVersionSpace::of(space, examples, noise, options.prior, options.max_hypotheses)?),
            (None, ConceptLearner::FindS) => {
                let least = find_s(space, examples);
                let wrong = examples.iter().find(|e| least.covers(e.instance) != e.positive).map(|e| e.row);
                Concept::FindS(least, wrong)
            }
            (None, ConceptLearner::CandidateElimination) => {
                Concept::VersionSpace(VersionSpace::of(space.clone(), examples, options.max_boundary)?)
            }
            (None, ConceptLearner::ListThenEliminate) => {
                let listed = list_then_eliminate(space, examples, options.max_hypotheses)?;
                if listed.hypotheses.is_empty() {
                    // The list is empty; S knows which example emptied it.
                    boundaries(space, examples, usize::MAX)?;
                    return Err(Error::Internal("a list is empty where S and G are not".into()));
                }
                Concept::Listed(listed)
            }
            (None, ConceptLearner::Rote) => Concept::Rote(RoteLearner::of(examples)?),
            (None, ConceptLearner::Unbiased) => Concept::Unbiased(UnbiasedLearner::of(space, examples)?),
        };
        let voters = match &concept {
            Concept::VersionSpace(found) => Some(found.voters(options.seed)),
            _ => None,
        };
        Ok(Learned { concept, learner: options.learner, voters })
    }
}

impl Learned {
    /// The version space, if it is held by its boundaries.
    pub fn version_space(&self) -> Option<&VersionSpace> {
        match &self.concept {
            Concept::VersionSpace(found) => Some(found),
            _ => None,
        }
    }

    /// How many hypotheses agree with the examples: those between the boundaries, or in the list.
    pub fn size(&self) -> Option<Size> {
        match (&self.concept, &self.voters) {
            (Concept::Listed(listed), _) => Some(Size::Exact(listed.hypotheses.len().into())),
            (_, voters) => voters.as_ref().map(|voters| voters.size().clone()),
        }
    }
}
