//! What can be wrong with hypotheses, their probabilities and a joint table.

/// Why something cannot be believed so.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum HypothesisError {
    /// There is nothing to choose from.
    #[error("there are no {what}")]
    Nothing {
        /// What there is none of.
        what: &'static str,
    },
    /// A name stands for two things.
    #[error("`{name}` is there twice")]
    Twice {
        /// The name.
        name: String,
    },
    /// A number that is no probability.
    #[error("{what} is {found}, which is no probability: it must be from 0 to 1")]
    NotAProbability {
        /// Whose it is.
        what: String,
        /// The number.
        found: f64,
    },
    /// Probabilities that are not those of one thing.
    #[error("{what} sum to {sum}, not to 1")]
    SumNotOne {
        /// Whose they are.
        what: String,
        /// Their sum.
        sum: f64,
    },
    /// Only one can have what is left.
    #[error("{} have no {what}: only one can be given what the others leave", names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(" and "))]
    SeveralWithout {
        /// What they lack.
        what: &'static str,
        /// Who.
        names: Vec<String>,
    },
    /// What the others leave is less than nothing.
    #[error("the others sum to {sum}, which leaves nothing for `{name}`")]
    NothingLeft {
        /// Who has none.
        name: String,
        /// The sum of the others.
        sum: f64,
    },
    /// A name that stands for nothing.
    #[error("`{name}` is no {what}; known: {}", if known.is_empty() { "none".into() } else { known.join(", ") })]
    Unknown {
        /// What was asked for.
        what: &'static str,
        /// The name.
        name: String,
        /// What there is.
        known: Vec<String>,
    },
    /// A likelihood that was never said and does not follow.
    #[error("P({outcome} | {hypothesis}) is not known")]
    NoLikelihood {
        /// What was observed.
        outcome: String,
        /// Under which hypothesis.
        hypothesis: String,
    },
    /// P(outcome) does not agree with what is known of its parts.
    #[error("P({outcome}) = {total} cannot be: P({outcome} | {hypothesis}) would have to be {needed}")]
    TotalCannotBe {
        /// What was observed.
        outcome: String,
        /// Its probability, as it was given.
        total: f64,
        /// The hypothesis that is left.
        hypothesis: String,
        /// What its likelihood would have to be.
        needed: f64,
    },
    /// P(outcome) was given, and follows too, and the two differ.
    #[error("P({outcome}) is {given} as it was given, but {found} by what it is under each hypothesis")]
    TotalsDiffer {
        /// What was observed.
        outcome: String,
        /// As it was given.
        given: f64,
        /// As it follows.
        found: f64,
    },
    /// Evidence of probability zero, after which nothing can be believed.
    #[error("{what} has probability zero under every hypothesis: no belief is left")]
    Impossible {
        /// What was observed.
        what: String,
    },
    /// An event that cannot be given.
    #[error("{what} has probability zero in the table: nothing can be asked given it")]
    ImpossibleEvent {
        /// The event.
        what: String,
    },
    /// A loss that is no number.
    #[error("the loss of `{action}` where `{state}` is true is {found}, which is no finite number")]
    NotALoss {
        /// What is done.
        action: String,
        /// What is true.
        state: String,
        /// The number.
        found: f64,
    },
    /// Lists that should be as long as each other are not.
    #[error("{what}: expected {expected}, found {found}")]
    Length {
        /// What was counted.
        what: &'static str,
        /// How many there should be.
        expected: usize,
        /// How many there are.
        found: usize,
    },
    /// More than can be listed.
    #[error("{what}: {found} are more than {most}, which is as many as are looked at")]
    TooMany {
        /// What was counted.
        what: &'static str,
        /// How many there may be.
        most: usize,
        /// How many there are, at least.
        found: usize,
    },
}

/// A number from 0 to 1, or why it is none.
pub(super) fn probability(what: impl FnOnce() -> String, p: f64) -> Result<f64, HypothesisError> {
    if (0.0..=1.0).contains(&p) { Ok(p) } else { Err(HypothesisError::NotAProbability { what: what(), found: p }) }
}

/// That probabilities sum to one, but for the rounding of what people write: 1/3 as 0.3333333.
pub(super) fn sums_to_one(what: impl FnOnce() -> String, p: &[f64]) -> Result<f64, HypothesisError> {
    let sum: f64 = p.iter().sum();
    if (sum - 1.0).abs() <= TOLERANCE { Ok(sum) } else { Err(HypothesisError::SumNotOne { what: what(), sum: rounded(sum) }) }
}

/// How far a sum may be from one.
pub(super) const TOLERANCE: f64 = 1e-6;

/// A sum as a person would have it: 0.1 + 0.2 is 0.3.
pub(super) fn rounded(sum: f64) -> f64 {
    let digits = format!("{sum:.12e}");
    digits.parse().unwrap_or(sum)
}
