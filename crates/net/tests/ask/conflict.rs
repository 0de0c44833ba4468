//! Impossible evidence is an answer, with findings that cannot be together.

use super::{answer, ask, flu};
use tunbridge_net::ask::{Conflict, Oracle, Outcome};
use tunbridge_net::{Domain, Factor, FactorGraph, Network, VarId};

fn conflict(oracle: &Oracle, question: &str) -> Conflict {
    match ask(oracle, question).outcome {
        Outcome::Impossible { conflict } => conflict,
        other => panic!("{question}: {other:?}"),
    }
}

/// Sum is the parity of four coins, so that all five together may contradict each other and no four do. Rich is impossible.
fn coins() -> Oracle {
    let mut builder = Network::builder();
    for coin in ["A", "B", "C", "D"] {
        builder = builder.variable(coin, ["0", "1"]).probabilities([0.5, 0.5]);
    }
    let parity = |n_coins: u32| {
        (0..1_u32 << n_coins).flat_map(|coins: u32| if coins.count_ones().is_multiple_of(2) { [1.0, 0.0] } else { [0.0, 1.0] })
    };
    let network = builder
        .variable("Sum", ["even", "odd"])
        .given(["A", "B", "C", "D"])
        .probabilities(parity(4))
        .variable("Pair", ["even", "odd"])
        .given(["A", "B"])
        .probabilities(parity(2))
        .variable("Copy", ["0", "1"])
        .given(["A"])
        .probabilities([1.0, 0.0, 0.0, 1.0])
        .variable("Rich", ["yes", "no"])
        .probabilities([0.0, 1.0])
        .build()
        .unwrap();
    Oracle::of_network(network)
}

#[test]
fn the_smallest_conflict_is_told_in_words() {
    let oracle = coins();
    let told = |question: &str| {
        let conflict = conflict(&oracle, question);
        assert!(conflict.is_smallest, "{question}: {conflict:?}");
        conflict.to_string()
    };
    assert_eq!(told("P(A | B=1, Rich=yes, C=0)"), "Rich=yes has probability zero by itself");
    assert_eq!(told("P(A | B=1, B=0)"), "B=1 and B=0 contradict each other");
    assert_eq!(told("P(B | A=1, C=0, D=1, Copy=0)"), "A=1 and Copy=0 cannot be together: each is possible without the other");
    assert_eq!(
        told("P(C | D=0, A=1, B=0, Pair=even)"),
        "A=1, B=0 and Pair=even cannot be together: without any one of them the others can"
    );
    assert_eq!(told("P(C | Copy ~ [0, 1], A != 1)"), "Copy ~ [0.0, 1.0] and A!=1 cannot be together: each is possible without the other");
    // The smallest, though deletion would find the larger one first.
    assert_eq!(told("P(Rich | Copy=0, A=1, B=0, Pair=even)"), "Copy=0 and A=1 cannot be together: each is possible without the other");
    assert_eq!(
        told("P(Rich | A=1, B=0, Pair=even, C=0, D=0, Sum=even)"),
        "A=1, B=0 and Pair=even cannot be together: without any one of them the others can"
    );
    // Also with every other kind of question.
    for question in
        ["mpe | B=1, B=0", "P(* | B=1, B=0)", "P(A=1 | B=1, B=0)", "H(A | C, B=1, B=0)", "I(A; C | B=1, B=0)", "P(A | C, B=1, B=0)"]
    {
        assert_eq!(told(question), "B=1 and B=0 contradict each other", "{question}");
    }
}

#[test]
fn larger_conflicts_are_minimal() {
    let oracle = coins();
    let found = conflict(&oracle, "P(Rich | A=1, B=0, Copy=1, C=0, D=0, Sum=even)");
    let texts: Vec<&str> = found.findings.iter().map(|finding| finding.text()).collect();
    assert_eq!(texts, ["A=1", "B=0", "C=0", "D=0", "Sum=even"]);
    // There is none of three or less; that there is none of four was not looked for.
    assert!(!found.is_smallest);
    for left_out in 0..5 {
        let others: Vec<&str> = texts.iter().enumerate().filter(|(place, _)| *place != left_out).map(|(_, text)| *text).collect();
        let outcome = ask(&oracle, &format!("P(Rich | {})", others.join(", "))).outcome;
        assert!(matches!(outcome, Outcome::Found { .. }), "{others:?}");
    }
}

#[test]
fn a_state_that_is_the_only_one_cannot_be_left() {
    let oracle = Oracle::of_network(Network::builder().variable("A", ["only"]).probabilities([1.0]).build().unwrap());
    assert_eq!(conflict(&oracle, "P(A | A!=only)").to_string(), "A!=only has probability zero by itself");
}

#[test]
fn a_model_of_nothing() {
    let domain = Domain::new([("A", ["0", "1"])]).unwrap();
    let nothing = Factor::new(&[VarId::new(0)], &[2], vec![0.0, 0.0]).unwrap();
    let oracle = Oracle::of_factors(FactorGraph::new(domain, vec![nothing]).unwrap());
    assert_eq!(conflict(&oracle, "P(A)").to_string(), "the model gives everything probability zero, whatever is found");
}

/// Very improbable is not impossible.
#[test]
fn faint_evidence_is_possible() {
    let mut builder = Network::builder().variable("Cause", ["yes", "no"]).probabilities([0.5, 0.5]);
    for place in 0..400 {
        builder = builder.variable(format!("X{place}"), ["a", "b"]).given(["Cause"]).probabilities([1e-3, 0.999, 2e-3, 0.998]);
    }
    let oracle = Oracle::of_network(builder.build().unwrap());
    let seen = (0..400).map(|place| format!("X{place}=a")).collect::<Vec<_>>().join(", ");
    let Outcome::Found { ln_p_evidence, .. } = ask(&oracle, &format!("P(Cause | {seen})")).outcome else { panic!("possible") };
    assert!((ln_p_evidence - (400.0 * 2e-3_f64.ln() + 0.5_f64.ln())).abs() < 1e-9);
    assert!(answer(&Oracle::of_network(flu()), "P(Flu | Nose=runny)").is_ok());
}
