//! Why a question that reads well cannot be answered.

use super::plan::TOO_LARGE;
use crate::error::NetError;

/// Why a question cannot be answered. That the evidence is impossible is no fault: it is an answer.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum AskError {
    /// A name that no variable has.
    #[error("no variable is named `{name}`{}", hint(closest))]
    UnknownVariable {
        /// The name.
        name: String,
        /// The one that is spelled most alike.
        closest: Option<String>,
    },
    /// A state that the variable does not have.
    #[error("variable `{variable}` has no state `{state}`{}\n  known: {}", hint(closest), shortened(known))]
    UnknownState {
        /// The variable.
        variable: String,
        /// What was asked for.
        state: String,
        /// The states that it has.
        known: Vec<String>,
        /// The one that is spelled most alike.
        closest: Option<String>,
    },
    /// A state that could be several, but for case or as a number.
    #[error("`{state}` could be several states of `{variable}`: {}: write one of them exactly", fits.join(", "))]
    AmbiguousState {
        /// The variable.
        variable: String,
        /// What was asked for.
        state: String,
        /// The states it could be.
        fits: Vec<String>,
    },
    /// A variable twice where once is meant.
    #[error("variable `{variable}` is named twice: name it once")]
    NamedTwice {
        /// The variable.
        variable: String,
    },
    /// Weights that are not one for each state.
    #[error("`{variable}` has {n_states} states, but {found} {} given: give one for each of {}, or name them: {{{}: …}}",
        if *found == 1 { "number is" } else { "numbers are" }, shortened(known), known.first().map_or("", String::as_str))]
    NumberOfWeights {
        /// The variable.
        variable: String,
        /// Numbers that are given.
        found: usize,
        /// States that it has.
        n_states: usize,
        /// The states.
        known: Vec<String>,
    },
    /// States without a weight.
    #[error("no number is given for {} of `{variable}`: name every state, 0 for those that are ruled out", shortened(missing))]
    StatesWithoutWeight {
        /// The variable.
        variable: String,
        /// The states.
        missing: Vec<String>,
    },
    /// A posterior that does not sum to one.
    #[error(
        "the posterior of `{variable}` sums to {sum}, not to 1: `:~` gives probabilities; likelihoods on any scale are written with `~`"
    )]
    PosteriorSum {
        /// The variable.
        variable: String,
        /// What it sums to.
        sum: f64,
    },
    /// A state with two weights.
    #[error("the state `{state}` of `{variable}` is given two numbers: give it one")]
    StateTwice {
        /// The variable.
        variable: String,
        /// The state.
        state: String,
    },
    /// A weight below zero.
    #[error("the number {weight} for `{variable}` is below zero: likelihoods and probabilities are not")]
    NegativeWeight {
        /// The variable.
        variable: String,
        /// The number.
        weight: f64,
    },
    /// All weights zero.
    #[error("all numbers for `{variable}` are zero: at least one must be above")]
    NoWeight {
        /// The variable.
        variable: String,
    },
    /// Two posteriors for one variable.
    #[error("`{variable}` is given two posteriors with `:~`: it can have one; a likelihood is written with `~`")]
    PosteriorTwice {
        /// The variable.
        variable: String,
    },
    /// A posterior that no likelihood leads to.
    #[error(
        "`{variable} :~ …` asks for probability {wanted} of `{variable}={state}`, which the model and the other findings make impossible: \
        give it 0, or leave a finding out"
    )]
    PosteriorOfTheImpossible {
        /// The variable.
        variable: String,
        /// The state.
        state: String,
        /// The probability it was to have.
        wanted: f64,
    },
    /// Posteriors that no distribution of this model has together.
    #[error("no distribution of this model has these posteriors together: {} (fitting leaves a difference of {difference:.3e} after {}); \
        leave one of them out", findings.join(", "), counted(*rounds, "round"))]
    PosteriorsDisagree {
        /// What was asked for.
        findings: Vec<String>,
        /// How many rounds were tried.
        rounds: usize,
        /// The largest difference left.
        difference: f64,
    },
    /// `do(…)`.
    #[error("do({what}) is an intervention, and those are not answered yet: {what} without do(…) asks for what was only seen")]
    Intervention {
        /// What was to be done.
        what: String,
    },
    /// An expectation of a variable whose states are no numbers.
    #[error("E[{variable}] needs states that are numbers, and `{state}` is none: ask P({variable}) for the whole distribution")]
    NotNumeric {
        /// The variable.
        variable: String,
        /// The first state that is no number.
        state: String,
    },
    /// An answer that has no explanation.
    #[error("there is nothing to explain: {why}")]
    NothingToExplain {
        /// Why.
        why: String,
    },
    /// Tables that do not fit.
    #[error(
        "this needs tables of {entries:.3e} entries ({bytes}) over {}, and the memory allowed has room for {limit}: {advice}",
        shortened(variables)
    )]
    TooLarge {
        /// The tables' variables.
        variables: Vec<String>,
        /// Their entries.
        entries: f64,
        /// How much memory these take, in words.
        bytes: String,
        /// The entries that there is room for, beside what is made on the way.
        limit: usize,
        /// What to do.
        advice: String,
    },
    /// More answers than can be looked for.
    #[error("{wanted} most probable assignments are more than the {most} that there is room for: ask for fewer, or allow more memory")]
    TooManyBest {
        /// How many were asked for.
        wanted: usize,
        /// How many there may be.
        most: usize,
    },
    /// What the engines say.
    #[error(transparent)]
    Net(NetError),
}

impl From<NetError> for AskError {
    fn from(error: NetError) -> Self {
        match error {
            NetError::TooLarge { variables, entries, limit } => {
                Self::TooLarge { variables, entries, bytes: bytes_in_words(entries * 8.0), limit, advice: TOO_LARGE.to_string() }
            }
            other => Self::Net(other),
        }
    }
}

/// A number of bytes as a person says it.
pub(super) fn bytes_in_words(bytes: f64) -> String {
    let units = ["bytes", "kB", "MB", "GB", "TB", "PB"];
    let mut unit = 0;
    let mut left = bytes;
    while left >= 1000.0 && unit + 1 < units.len() {
        left /= 1000.0;
        unit += 1;
    }
    match unit {
        0 => format!("{left} bytes"),
        _ if left < 10.0 => format!("{left:.1} {}", units[unit]),
        _ if left < 1e6 => format!("{left:.0} {}", units[unit]),
        _ => format!("{left:.1e} {}", units[unit]),
    }
}

/// A number of things, of which the word is for one.
fn counted(n: usize, one: &str) -> String {
    if n == 1 { format!("one {one}") } else { format!("{n} {one}s") }
}

fn hint(closest: &Option<String>) -> String {
    closest.as_ref().map_or(String::new(), |name| format!(": did you mean `{name}`?"))
}

/// Names in a row; of many the first.
fn shortened(names: &[String]) -> String {
    const SHOWN: usize = 12;
    let shown = names.iter().take(SHOWN).cloned().collect::<Vec<_>>().join(", ");
    if names.len() > SHOWN { format!("{shown} … ({} in all)", names.len()) } else { shown }
}
