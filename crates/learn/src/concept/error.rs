//! What can be wrong with examples and hypotheses.

use num_bigint::BigUint;

use super::big_number::about;

/// Why no concept could be learned.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ConceptError {
    /// There is nothing to describe instances by.
    #[error("no column describes the examples: a concept is a constraint on one attribute at least")]
    NoAttributes,
    /// There is nothing to learn from.
    #[error("there is no example: no row has a label and a value of every attribute")]
    NoExamples,
    /// Something is wrong with one column.
    #[error("column `{column}`: {fault}")]
    InColumn {
        /// The column.
        column: String,
        /// What is wrong.
        fault: Box<ConceptError>,
    },
    /// A column is of a kind that hypotheses have no constraints for.
    #[error("is {kind}, but a hypothesis constrains categories and numbers only")]
    NotAnAttribute {
        /// The word for its kind.
        kind: &'static str,
    },
    /// A hierarchy is no tree over the states.
    #[error("its tree of values cannot be used: {what}")]
    NotATree {
        /// What is wrong.
        what: String,
    },
    /// Two examples say opposite things of one instance.
    #[error(
        "row {row} is {} and row {earlier} is {}, but they are the same instance: no hypothesis agrees with both",
        label(*.positive),
        label(!*.positive)
    )]
    Contradiction {
        /// The later row.
        row: u64,
        /// The earlier row.
        earlier: u64,
        /// Whether the later one is positive.
        positive: bool,
    },
    /// An example emptied the version space.
    #[error("row {row} leaves no hypothesis: it is {}, {}", label(*.positive), why(*.positive, *.earlier, .specific))]
    Collapsed {
        /// The row.
        row: u64,
        /// Whether it is positive.
        positive: bool,
        /// An earlier negative row that cannot be excluded any more.
        earlier: Option<u64>,
        /// The least general hypothesis that covers the positive examples.
        specific: String,
    },
    /// The general boundary has more members than it may have.
    #[error("the general boundary G grew beyond {most} hypotheses at row {row}; it can double with each negative example (Haussler 1988)")]
    BoundaryTooLarge {
        /// The most it may have.
        most: usize,
        /// The row at which it grew too large.
        row: u64,
    },
    /// There are too many hypotheses to go through one by one.
    #[error("there are {} hypotheses, and one by one only {most} are looked at", about(.n))]
    TooManyHypotheses {
        /// How many there are.
        n: BigUint,
        /// The most that are looked at.
        most: usize,
    },
    /// There are too many hypotheses for so many examples.
    #[error("{n_hypotheses} hypotheses are too many to weigh by {n_examples} examples")]
    TooMuchToWeigh {
        /// How many hypotheses there are.
        n_hypotheses: usize,
        /// How many examples there are.
        n_examples: usize,
    },
    /// A noise rate that is none.
    #[error("the noise rate {rate} is none: it is the chance that a label is wrong, from 0 to below 0.5")]
    NotANoiseRate {
        /// The rate.
        rate: f64,
    },
    /// Without noise no hypothesis has any probability.
    #[error("with noise rate 0 the examples have probability zero: no hypothesis agrees with all of them")]
    ZeroEvidence,
}

fn label(positive: bool) -> &'static str {
    if positive { "positive" } else { "negative" }
}

fn why(positive: bool, earlier: Option<u64>, specific: &str) -> String {
    match (positive, earlier) {
        (true, Some(earlier)) => {
            format!(
                "and whatever covers it and the positive examples before it, {specific} at the least, covers row {earlier}, which is negative"
            )
        }
        (true, None) => {
            format!("and whatever covers it and the positive examples before it covers a negative one: {specific} at the least")
        }
        (false, _) => format!("and whatever covers the positive examples before it, {specific} at the least, covers it too"),
    }
}
