//! Questions and their answers, against brute force, books and recorded answers.

mod best;
mod books;
mod brute;
mod conflict;
mod explain;
mod information;
mod jeffrey;
mod names;
mod plan;
mod truth;

use tunbridge_net::Network;
use tunbridge_net::ask::{AskError, Oracle, Outcome, Reply, Value};

/// The answer to a question that can be asked.
fn ask(oracle: &Oracle, question: &str) -> Reply {
    answer(oracle, question).unwrap_or_else(|error| panic!("{question}: {error}"))
}

fn answer(oracle: &Oracle, question: &str) -> Result<Reply, AskError> {
    oracle.answer(&question.parse().unwrap_or_else(|error| panic!("{error}")))
}

/// What is wrong with a question, in words.
fn refused(oracle: &Oracle, question: &str) -> String {
    answer(oracle, question).unwrap_err().to_string()
}

/// The one value of a question.
fn value(oracle: &Oracle, question: &str) -> Value {
    match ask(oracle, question).outcome {
        Outcome::Found { value, .. } => value,
        other => panic!("{question}: {other:?}"),
    }
}

/// The one number of a question.
fn number(oracle: &Oracle, question: &str) -> f64 {
    match value(oracle, question) {
        Value::Probability(p) => p,
        Value::Entropy { nats } | Value::MutualInformation { nats } => nats,
        Value::Expectation { mean, .. } => mean,
        other => panic!("{question}: {other:?}"),
    }
}

/// The probabilities of the one table of a question.
fn table(oracle: &Oracle, question: &str) -> Vec<f64> {
    match value(oracle, question) {
        Value::Table(table) => table.probabilities,
        other => panic!("{question}: {other:?}"),
    }
}

#[track_caller]
fn assert_close(found: f64, expected: f64, tolerance: f64) {
    assert!((found - expected).abs() <= tolerance, "{found}, expected {expected}");
}

#[track_caller]
fn assert_all_close(found: &[f64], expected: &[f64], tolerance: f64) {
    assert_eq!(found.len(), expected.len(), "{found:?}, expected {expected:?}");
    assert!(found.iter().zip(expected).all(|(f, e)| (f - e).abs() <= tolerance), "{found:?}, expected {expected:?}");
}

/// Flu and allergy make the sinus swell, which gives headaches and a runny nose: the network of the lectures, with numbers of ours.
fn flu() -> Network {
    Network::builder()
        .variable("Flu", ["yes", "no"])
        .probabilities([0.1, 0.9])
        .variable("Allergy", ["yes", "no"])
        .probabilities([0.2, 0.8])
        .variable("Sinus", ["yes", "no"])
        .given(["Flu", "Allergy"])
        .probabilities([0.9, 0.1, 0.8, 0.2, 0.7, 0.3, 0.05, 0.95])
        .variable("Headache", ["yes", "no"])
        .given(["Sinus"])
        .probabilities([0.75, 0.25, 0.1, 0.9])
        .variable("Nose", ["runny", "dry"])
        .given(["Sinus"])
        .probabilities([0.8, 0.2, 0.3, 0.7])
        .build()
        .unwrap()
}
