//! Parameters of a network whose graph is known: counts of its families, what was believed before, and what is believed after.
//!
//! [`FamilyCounts`] is what the data say, [`ParameterPrior`] what we believed, [`ParameterPosterior`] what the two say together: a Dirichlet
//! distribution for every row of every table (Spiegelhalter & Lauritzen 1990). Numbers of all families lie in one list, laid out by
//! [`Families`].
//!
//! What rows with gaps leave open ([`IncompleteRows`], and [`IncompleteParts`] in a form that lasts) is expected under tables, and tables are made of it: by [`em`], by [`gradient_ascent`], by
//! [`softmax_lbfgs`] or by [`stepwise_em`], which all climb the same hill. Where it is drawn instead of expected, that is [`data_augmentation`].
//! States of hidden variables are put in order by [`hidden_states`], and how
//! many they have is judged by [`incomplete_score`].

pub mod data_augmentation;
mod description_length;
pub mod em;
mod expected;
mod families;
mod family_counts;
mod gaps;
pub mod gradient_ascent;
pub mod hidden_states;
mod incomplete_parts;
mod incomplete_rows;
pub mod incomplete_score;
mod objective;
mod part_plan;
mod parts;
mod posterior;
mod prior;
pub mod softmax_lbfgs;
pub mod stepwise_em;
mod wiring;

pub use description_length::description_length;
pub use expected::Expected;
pub use families::{Families, MAX_CELLS};
pub use family_counts::FamilyCounts;
pub use gaps::Gaps;
pub use incomplete_parts::IncompleteParts;
pub use incomplete_rows::{ExpectedRows, IncompleteRows};
pub use parts::Piece;
pub use posterior::{ParameterPosterior, Parameters, ln_marginal_likelihood};
pub use prior::{Estimate, ParameterPrior, PriorFault, Pseudocounts};
pub use wiring::Wiring;
