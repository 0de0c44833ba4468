//! Naive Bayes: the class, and attributes that are independent given the class.
//!
//! P(class | x) ∝ P(class) · Π P(xᵢ | class). Mitchell, *Machine Learning* (1997), section 6.9; Duda & Hart 1973.
//!
//! | file | what it holds |
//! |---|---|
//! | `statistic` | what the data say: class weights, counts and moments |
//! | `prior`, `prior_text` | what we believed: estimates, class prior, models of numbers and of events, and how they are written |
//! | `posterior` | [`NaiveBayes`], what the two say together, and its scores for rows |
//! | `class_prior`, `categorical`, `bernoulli`, `gaussian`, `nearest_centroid` | one factor of the product each, also with a row held out |
//! | `weighing` | how much each word of a text counts |
//! | `words`, `word_table`, `held_out_words` | texts as bags of words: multinomial, Bernoulli, complement; what each word says; a text held out |
//! | `dirichlet_compound` | words that come in bursts |
//! | `scale` | what is made of the columns without looking at one row's class: smoothing, pooled means |
//! | `scoring` | the inner loops: blocks of rows, column by column |
//! | `leave_one_out` | every row's scores as if it had not been learned from |
//! | `semi_supervised`, `expectation` | rows without a class, by EM |
//! | `mixture` | classes of several components |
//! | `prior_density` | ln P(parameters), the prior's part of what EM climbs |
//! | `marginal_likelihood` | ln P(data) where it has a closed form |
//! | `network` | as a Bayesian network, and back |
//! | `explain`, `telling_evidence`, `telling_words` | why a row was classified so, and what tells the classes apart |

mod attribute;
mod bernoulli;
mod categorical;
mod class_prior;
mod dirichlet_compound;
mod expectation;
mod explain;
mod gaussian;
mod held_out_words;
mod leave_one_out;
mod marginal_likelihood;
mod mixture;
mod near_rows;
mod nearest_centroid;
mod network;
mod posterior;
mod prior;
mod prior_density;
mod prior_text;
mod remark;
mod scale;
mod scoring;
mod semi_supervised;
mod statistic;
mod telling_evidence;
mod telling_words;
mod weighing;
mod word_table;
mod words;

#[cfg(test)]
mod tests;

pub use leave_one_out::LeaveOneOut;
pub use mixture::{Components, Mixture};
pub use network::NetworkAsData;
pub use posterior::NaiveBayes;
pub use prior::{ClassPrior, Estimate, EventModel, MEstimateP, NaiveBayesPrior, NumericModel, TextEvent, WordChoice};
pub use prior_text::NotAPrior;
pub(crate) use prior_text::Number;
pub use remark::{BLURRED, LeftOut, Remark};
pub(crate) use scale::Scale;
pub use semi_supervised::{EmStep, Expected, SemiSupervised, completed};
pub use statistic::{AttributeStatistic, NaiveBayesStatistic, Treatment};
pub use telling_evidence::{ClassEvidence, EvidenceValue, TellingEvidence, telling_evidence};
pub use telling_words::{TellingWord, TellingWords, WordsOfClass, telling_words};
pub use weighing::WordWeighing;
