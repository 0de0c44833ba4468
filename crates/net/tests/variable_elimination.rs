//! Variable elimination against enumeration of the joint, and worked examples.

mod common;

use common::{random_evidence, small_network};
use tunbridge_net::enumeration::enumerate;
use tunbridge_net::variable_elimination::eliminate;
use tunbridge_net::{Answer, Evidence, FactorGraph, NetError, Network, VarId};

const ROOM: usize = 1 << 24;

#[test]
fn answers_are_those_of_enumeration() {
    let (mut n_possible, mut n_impossible) = (0, 0);
    for seed in 0..400 {
        let network = small_network(seed);
        let evidence = random_evidence(seed, &network);
        let n_asked = 1 + (seed / 10 % 3) as usize;
        // Downwards, so that the order of the answer is not that of the ids.
        let query: Vec<VarId> = (0..network.n_variables()).rev().step_by(2).take(n_asked).map(VarId::new).collect();
        let expected = enumerate(&network, &query, &evidence).unwrap();
        let found = eliminate(&FactorGraph::from(&network), &query, &evidence, ROOM).unwrap();
        match (expected, found) {
            (Answer::Impossible, Answer::Impossible) => n_impossible += 1,
            (Answer::Possible { answer: e, ln_p_evidence: e_ln }, Answer::Possible { answer: f, ln_p_evidence: f_ln }) => {
                n_possible += 1;
                assert_eq!(e.variables, f.variables);
                assert_eq!(e.probabilities.len(), f.probabilities.len());
                assert!(e.probabilities.iter().zip(&f.probabilities).all(|(e, f)| (e - f).abs() < 1e-12), "seed {seed}: {e:?} {f:?}");
                assert!((e_ln - f_ln).abs() < 1e-12, "seed {seed}: {e_ln} {f_ln}");
            }
            (expected, found) => panic!("seed {seed}: {expected:?} by enumeration, {found:?} by elimination"),
        }
    }
    assert!(n_possible > 250 && n_impossible > 20, "{n_possible} possible, {n_impossible} impossible");
}

/// The burglary network of Russell & Norvig; the value comes from enumerating its 32 worlds.
fn burglary() -> Network {
    Network::builder()
        .variable("Burglary", ["yes", "no"])
        .probabilities([0.001, 0.999])
        .variable("Earthquake", ["yes", "no"])
        .probabilities([0.002, 0.998])
        .variable("Alarm", ["yes", "no"])
        .given(["Burglary", "Earthquake"])
        .probabilities([0.95, 0.05, 0.94, 0.06, 0.29, 0.71, 0.001, 0.999])
        .variable("John", ["calls", "not"])
        .given(["Alarm"])
        .probabilities([0.9, 0.1, 0.05, 0.95])
        .variable("Mary", ["calls", "not"])
        .given(["Alarm"])
        .probabilities([0.7, 0.3, 0.01, 0.99])
        .build()
        .unwrap()
}

#[test]
fn both_neighbours_call() {
    let network = burglary();
    let seen = Evidence::of_states(&network, &[("John", "calls"), ("Mary", "calls")]).unwrap();
    let posterior = eliminate(&FactorGraph::from(&network), &[network.find("Burglary").unwrap()], &seen, ROOM).unwrap().possible().unwrap();
    assert!((posterior.probabilities[0] - 0.284_171_835_364_392_9).abs() < 1e-15);
}

#[test]
fn a_query_that_was_observed_is_a_certainty() {
    let network = burglary();
    let alarm = network.find("Alarm").unwrap();
    let seen = Evidence::of_states(&network, &[("Alarm", "no")]).unwrap();
    let answer = eliminate(&FactorGraph::from(&network), &[alarm], &seen, ROOM).unwrap();
    assert!((answer.ln_p_evidence() - (1.0_f64 - 0.002_516_442).ln()).abs() < 1e-9);
    assert_eq!(answer.possible().unwrap().probabilities, [0.0, 1.0]);
}

#[test]
fn no_query_asks_for_the_probability_of_the_evidence() {
    let network = burglary();
    let seen = Evidence::of_states(&network, &[("Alarm", "yes")]).unwrap();
    let answer = eliminate(&FactorGraph::from(&network), &[], &seen, ROOM).unwrap();
    assert!((answer.ln_p_evidence() - 0.002_516_442_f64.ln()).abs() < 1e-12);
    assert_eq!(eliminate(&FactorGraph::from(&network), &[], &Evidence::none(), ROOM).unwrap().ln_p_evidence(), 0.0);
}

#[test]
fn impossible_evidence_is_an_answer_even_when_the_query_is_far_from_it() {
    let network = Network::builder()
        .variable("A", ["y", "n"])
        .probabilities([1.0, 0.0])
        .variable("B", ["y", "n"])
        .probabilities([0.5, 0.5])
        .build()
        .unwrap();
    let impossible = Evidence::of_states(&network, &[("A", "n")]).unwrap();
    assert_eq!(eliminate(&FactorGraph::from(&network), &[VarId::new(1)], &impossible, ROOM).unwrap(), Answer::Impossible);
    let contradiction = Evidence::of_states(&network, &[("B", "n"), ("B", "y")]).unwrap();
    assert_eq!(eliminate(&FactorGraph::from(&network), &[VarId::new(0)], &contradiction, ROOM).unwrap(), Answer::Impossible);
}

#[test]
fn what_cannot_be_asked_is_refused() {
    let network = burglary();
    let alarm = network.find("Alarm").unwrap();
    let ask = |query: &[VarId], room| eliminate(&FactorGraph::from(&network), query, &Evidence::none(), room).unwrap_err();
    assert_eq!(ask(&[alarm, alarm], ROOM), NetError::NamedTwice { variable: "Alarm".into() });
    assert_eq!(ask(&[VarId::new(5)], ROOM), NetError::NoSuchVariable { place: 5, n_variables: 5 });
    assert!(ask(&[alarm], 7).to_string().contains("would have 8 entries, more than the 7 allowed"));
}
