//! Concept learning: from examples of yes and no to the conjunctions that tell them apart.
//!
//! Mitchell 1997, *Machine Learning*, chapter 2. The learners here need rows again and again: they take encoded columns in memory, as
//! an [`ExampleTable`], and are no statistics that could be merged or taken back.
//!
//! | file | what it holds |
//! |---|---|
//! | `span`, `value_tree`, `value_range`, `attribute` | constraints on one attribute: states, hierarchies, intervals |
//! | `hypothesis`, `hypothesis_space` | conjunctions, their order from general to specific, and how many there are |
//! | `examples` | [`ExampleTable`], rows in memory, and [`Examples`], instances with their labels |
//! | `find_s`, `list_then_eliminate`, `candidate_elimination` | the learners of the book |
//! | `version_space`, `counting`, `best_question` | what lies between S and G: how much, what it says, what to ask next |
//! | `big_number` | numbers of hypotheses: their products, and what a person reads of them |
//! | `rote_learner`, `unbiased_learner` | learners that do not generalise, and why |
//! | `bayesian_version_space` | every hypothesis with its probability, where labels may be wrong |
//! | `inductive_bias` | what each learner assumes, in words |

mod attribute;
mod bayesian_version_space;
mod best_question;
mod big_number;
mod candidate_elimination;
mod counting;
mod error;
mod examples;
mod find_s;
mod hypothesis;
mod hypothesis_space;
mod inductive_bias;
mod list_then_eliminate;
mod rote_learner;
mod span;
#[cfg(test)]
mod tests;
mod unbiased_learner;
mod value_range;
mod value_tree;
mod version_space;

pub use attribute::{Attribute, Values};
pub use bayesian_version_space::{BayesianVersionSpace, HypothesisPrior, MOST_HYPOTHESES};
pub use best_question::Question;
pub use candidate_elimination::{CandidateElimination, boundaries};
pub use counting::{Estimate, MOST_WORK, Size, count_between, estimate};
pub use error::ConceptError;
pub use examples::{Example, ExampleColumn, ExampleTable, Examples, LeftOutRows};
pub use find_s::{find_s, find_s_steps};
pub use hypothesis::Hypothesis;
pub use hypothesis_space::{HypothesisSpace, MissingValue};
pub use inductive_bias::ConceptLearner;
pub use list_then_eliminate::{Listed, list_then_eliminate};
pub use rote_learner::RoteLearner;
pub use span::Span;
pub use unbiased_learner::{UnbiasedLearner, UnbiasedVerdict};
pub use value_range::ValueRange;
pub use value_tree::{Branch, ValueTree};
pub use version_space::{DRAWS, Verdict, VersionSpace, Vote, Voters};

/// The most members G may have, unless the caller says another number.
pub const MAX_BOUNDARY: usize = 4096;

fn list(names: &[String]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}
