//! Learners that are not networks: naive Bayes, several labels by binary relevance, and how numbers become bins.
//!
//! A learner here is three values. What the data say is a [`NaiveBayesStatistic`], which rows are added to, merged and taken
//! back; what we believed is a [`NaiveBayesPrior`]; what the two say together is a [`NaiveBayes`], made afresh in microseconds
//! whenever either changes. Selection and smoothing never touch the statistic.
//!
//! What is deliberately absent: files, printing, threads, clocks. Statistics are folded by whoever holds the rows.

pub mod aode;
pub mod binary_relevance;
pub mod concept;
pub mod discretise;
mod error;
pub mod ledger;
pub mod naive_bayes;

pub use aode::{Aode, AodePrior, AodeStatistic};
pub use binary_relevance::{BinaryRelevance, HeldOutLabels, LabelStatistic};
pub use discretise::{Discretisation, NotADiscretisation, SampledValue, ValueSample};
pub use error::{LearnError, StatisticFault};
pub use ledger::{Contest, Ledger, LedgerEntry, LedgerLeftOut, MixtureParts, Piece, Unit, Weighed};
pub use naive_bayes::{
    AttributeStatistic, BLURRED, ClassEvidence, ClassPrior, Components, EmStep, Estimate, EventModel, EvidenceValue, Expected, LeaveOneOut,
    LeftOut, MEstimateP, Mixture, NaiveBayes, NaiveBayesPrior, NaiveBayesStatistic, NetworkAsData, NotAPrior, NumericModel, Remark,
    SemiSupervised, TellingEvidence, TellingWord, TellingWords, TextEvent, Treatment, WordChoice, WordWeighing, WordsOfClass, completed,
    telling_evidence, telling_words,
};
