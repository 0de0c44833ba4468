//! Binary relevance: several labels a row, by a yes/no naive Bayes model of each.
//!
//! Tsoumakas & Katakis 2007, *Multi-label classification: an overview*. The labels are taken to be independent given the row: each
//! is a question of its own, to which a row that lacks the label answers no. All models are read off one statistic, which counts a
//! row once for each of its labels and once more for itself: those without a label are all rows less those with it.
//!
//! | file | what it holds |
//! |---|---|
//! | `statistic` | [`LabelStatistic`], what the data say of every label |
//! | `posterior` | [`BinaryRelevance`], what is believed of every label |
//! | `held_out` | [`HeldOutLabels`], every row's odds as if it had not been learned from |

mod held_out;
mod posterior;
mod statistic;
#[cfg(test)]
mod tests;

pub use held_out::HeldOutLabels;
pub use posterior::BinaryRelevance;
pub use statistic::LabelStatistic;
