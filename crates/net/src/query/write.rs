//! From a question to its text, which reads back to the same question.

use super::parse::{is_of_name, is_of_state};
use super::{Assignment, Given, Query, Target, Targets, Weights};
use std::fmt::{Display, Formatter, Result};

impl Display for Query {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Self::Probability { targets, given } => {
                let targets = match targets {
                    Targets::All => "*".to_string(),
                    Targets::These(targets) => joined(targets),
                };
                write!(f, "P({targets}{})", bar(given))
            }
            Self::Expectation { variable, given } => write!(f, "E[{}{}]", name(variable), bar(given)),
            Self::Argmax { n_best, variables, given } => write!(f, "argmax{} {}{}", best(*n_best), names(variables), bar(given)),
            Self::MostProbableExplanation { n_best, given } => write!(f, "mpe{}{}", best(*n_best), bar(given)),
            Self::Independence { first, second, given } => {
                write!(f, "{} ⟂ {}", names(first), names(second))?;
                if given.is_empty() { Ok(()) } else { write!(f, " | {}", names(given)) }
            }
            Self::Entropy { variables, given } => write!(f, "H({}{})", names(variables), bar(given)),
            Self::MutualInformation { first, second, given } => write!(f, "I({}; {}{})", names(first), names(second), bar(given)),
        }
    }
}

impl Display for Target {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Self::Variable(variable) => f.write_str(&name(variable)),
            Self::Is(assignment) => write!(f, "{assignment}"),
            Self::IsNot(Assignment { variable, state: not }) => write!(f, "{}!={}", name(variable), state(not)),
        }
    }
}

impl Display for Assignment {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        write!(f, "{}={}", name(&self.variable), state(&self.state))
    }
}

impl Display for Given {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Self::Each(variable) => f.write_str(&name(variable)),
            Self::Is(assignment) => write!(f, "{assignment}"),
            Self::IsNot(Assignment { variable, state: not }) => write!(f, "{}!={}", name(variable), state(not)),
            Self::OneOf { variable, states } => {
                write!(f, "{} in {{{}}}", name(variable), states.iter().map(|one| state(one)).collect::<Vec<_>>().join(", "))
            }
            Self::Likelihood { variable, weights } => write!(f, "{} ~ {weights}", name(variable)),
            Self::Jeffrey { variable, weights } => write!(f, "{} :~ {weights}", name(variable)),
            Self::Do(assignments) => write!(f, "do({})", joined(assignments)),
        }
    }
}

impl Display for Weights {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Self::InOrder(numbers) => write!(f, "[{}]", joined(&numbers.iter().map(|number| format!("{number:?}")).collect::<Vec<_>>())),
            // States with colons are quoted here, for a colon follows.
            Self::Named(named) => {
                let colon = |text: &str| if text.contains(':') { in_quotes(text) } else { state(text) };
                write!(f, "{{{}}}", joined(&named.iter().map(|(text, number)| format!("{}: {number:?}", colon(text))).collect::<Vec<_>>()))
            }
        }
    }
}

fn joined<T: Display>(all: &[T]) -> String {
    all.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

fn bar(given: &[Given]) -> String {
    if given.is_empty() { String::new() } else { format!(" | {}", joined(given)) }
}

fn best(n_best: usize) -> String {
    if n_best == 1 { String::new() } else { format!(":{n_best}") }
}

fn names(all: &[String]) -> String {
    all.iter().map(|one| name(one)).collect::<Vec<_>>().join(", ")
}

/// A name, quoted where it would be taken for something else.
pub(crate) fn name(text: &str) -> String {
    let bare = !text.is_empty() && text.chars().all(is_of_name) && !matches!(text, "argmax" | "mpe") && !text.starts_with('*');
    if bare { text.to_string() } else { in_quotes(text) }
}

pub(crate) fn state(text: &str) -> String {
    if !text.is_empty() && text.chars().all(is_of_state) { text.to_string() } else { in_quotes(text) }
}

pub(crate) fn in_quotes(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}
