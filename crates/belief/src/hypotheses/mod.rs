//! Hypotheses: what is believed of each, what data make of it, and what follows.
//!
//! Mitchell, *Machine Learning* (1997), chapter 6.
//!
//! | file | what it holds |
//! |---|---|
//! | `space` | a finite space, Bayes' theorem, and observations one after another |
//! | `likelihoods` | how probable each outcome is under each hypothesis, where some of it follows from the rest |
//! | `brute_force_map` | the maximum a posteriori hypothesis of any space that can be listed |
//! | `bayes_optimal`, `gibbs` | classification by all hypotheses, or by one that is drawn |
//! | `description_length` | the same in bits: the shortest description of hypothesis and data |
//! | `joint_table` | a full joint distribution: marginals, conditionals, independence |

mod bayes_optimal;
mod brute_force_map;
mod description_length;
mod error;
mod gibbs;
mod joint_table;
mod likelihoods;
mod space;

pub use bayes_optimal::Predictions;
pub use brute_force_map::{BruteForce, Consistent, brute_force_map};
pub use description_length::{DescriptionLength, TwoPartCode, shortest};
pub use error::HypothesisError;
pub use gibbs::{SimulatedErrors, gibbs_draw};
pub use joint_table::{Event, JointTable, JointVariable};
pub use likelihoods::Likelihoods;
pub use space::{Hypotheses, Weighing};
