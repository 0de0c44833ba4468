//! The junction tree: its laws, enumeration of the joint, variable elimination, and the recorded answers of another program.

mod common;

use common::{random_evidence, small_network};
use serde_json::Value;
use tunbridge_net::ask::{self, Oracle, Outcome};
use tunbridge_net::elimination_order::Heuristic;
use tunbridge_net::enumeration::enumerate;
use tunbridge_net::format::bif;
use tunbridge_net::variable_elimination::eliminate;
use tunbridge_net::{Answer, Evidence, FactorGraph, JunctionTree, NetError, Network, RandomShape, VarId, random_network};

const ROOM: usize = 1 << 24;
const RECORDED: [&str; 8] = ["asia", "cancer", "earthquake", "survey", "sachs", "child", "alarm", "insurance"];

fn testdata(name: &str) -> Vec<u8> {
    std::fs::read(format!("{}/../../testdata/networks/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

fn of_repository(name: &str) -> Network {
    bif::read(&testdata(&format!("{name}.bif"))).unwrap().network
}

/// Every family in a clique, no clique within another, a forest, and for each variable the cliques that have it hang together.
fn laws_hold(network: &Network, tree: &JunctionTree) {
    let cliques: Vec<&[VarId]> = tree.cliques().collect();
    let dag = network.dag();
    for variable in dag.variables() {
        let mut family = dag.parents(variable).iter().chain([&variable]);
        assert!(cliques.iter().any(|clique| family.clone().all(|member| clique.contains(member))), "{:?}", family.next());
        let n_with = cliques.iter().filter(|clique| clique.contains(&variable)).count();
        let n_joined = tree.separators().filter(|(_, _, separator)| separator.contains(&variable)).count();
        assert_eq!(n_joined + 1, n_with, "the cliques with {variable:?} hang together");
    }
    for (place, clique) in cliques.iter().enumerate() {
        let within = |other: &&[VarId]| clique.iter().all(|variable| other.contains(variable));
        assert!(!cliques.iter().enumerate().any(|(other, scope)| other != place && within(scope)), "clique {place} is maximal");
    }
    for (child, parent, separator) in tree.separators() {
        let shared: Vec<VarId> = cliques[child].iter().copied().filter(|variable| cliques[parent].contains(variable)).collect();
        assert_eq!(shared, separator);
    }
}

fn close(left: &[f64], right: &[f64], tolerance: f64) -> bool {
    left.len() == right.len() && left.iter().zip(right).all(|(left, right)| (left - right).abs() <= tolerance)
}

#[test]
fn all_marginals_are_those_of_enumeration() {
    let (mut n_possible, mut n_impossible) = (0, 0);
    for seed in 0..250 {
        let network = small_network(seed);
        let evidence = random_evidence(seed, &network);
        let tree = JunctionTree::compile(&FactorGraph::from(&network), ROOM).unwrap();
        laws_hold(&network, &tree);
        let found = tree.calibrate(&evidence).unwrap();
        let expected_ln = enumerate(&network, &[], &evidence).unwrap().ln_p_evidence();
        let Answer::Possible { answer, ln_p_evidence } = found else {
            assert_eq!(expected_ln, f64::NEG_INFINITY, "seed {seed}");
            n_impossible += 1;
            continue;
        };
        n_possible += 1;
        assert!((ln_p_evidence - expected_ln).abs() < 1e-12, "seed {seed}: {ln_p_evidence} {expected_ln}");
        let marginals = answer.marginals();
        let stride = 1 + network.n_variables() / 4;
        for variable in network.dag().variables().step_by(stride) {
            let expected = enumerate(&network, &[variable], &evidence).unwrap().possible().unwrap();
            assert!(close(&marginals[variable.index()], &expected.probabilities, 1e-12), "seed {seed}, {variable:?}");
        }
    }
    assert!(n_possible > 150 && n_impossible > 10, "{n_possible} possible, {n_impossible} impossible");
}

#[test]
fn larger_networks_agree_with_variable_elimination() {
    let shape = RandomShape { n_variables: 30, max_parents: 3, p_arc: 0.08, p_deterministic: 0.0, ..RandomShape::default() };
    for seed in 0..10 {
        let network = random_network(seed, &shape).unwrap();
        let evidence = random_evidence(seed, &network);
        let [fill, weight] =
            [Heuristic::MinFill, Heuristic::MinWeight].map(|by| JunctionTree::compile_by(&FactorGraph::from(&network), by, ROOM).unwrap());
        laws_hold(&network, &fill);
        laws_hold(&network, &weight);
        let (Answer::Possible { answer: fill, .. }, Answer::Possible { answer: weight, .. }) =
            (fill.calibrate(&evidence).unwrap(), weight.calibrate(&evidence).unwrap())
        else {
            assert_eq!(eliminate(&FactorGraph::from(&network), &[], &evidence, ROOM).unwrap(), Answer::Impossible);
            continue;
        };
        for variable in network.dag().variables().step_by(5) {
            let expected = eliminate(&FactorGraph::from(&network), &[variable], &evidence, ROOM).unwrap().possible().unwrap();
            assert!(close(fill.marginal(variable), &expected.probabilities, 1e-12), "seed {seed}, {variable:?}");
            assert!(close(weight.marginal(variable), &expected.probabilities, 1e-12), "seed {seed}, {variable:?}");
        }
    }
}

/// pyAgrum's answers, recorded in testdata: see the README there.
#[test]
fn recorded_answers() {
    for name in RECORDED {
        let network = of_repository(name);
        let tree = JunctionTree::compile(&FactorGraph::from(&network), ROOM).unwrap();
        laws_hold(&network, &tree);
        let recorded: Value = serde_json::from_slice(&testdata(&format!("{name}.json"))).unwrap();
        for query in recorded["queries"].as_array().unwrap() {
            let seen: Vec<(&str, &str)> =
                query["evidence"].as_object().unwrap().iter().map(|(name, state)| (name.as_str(), state.as_str().unwrap())).collect();
            let evidence = Evidence::of_states(&network, &seen).unwrap();
            let answer = tree.calibrate(&evidence).unwrap();
            let p_evidence = query["probability_of_evidence"].as_f64().unwrap();
            assert!((answer.ln_p_evidence().exp() - p_evidence).abs() <= 1e-9 * p_evidence, "{name}");
            let calibrated = answer.possible().unwrap();
            for (place, (variable, marginal)) in query["marginals"].as_object().unwrap().iter().enumerate() {
                let expected: Vec<f64> = marginal.as_array().unwrap().iter().map(|p| p.as_f64().unwrap()).collect();
                let id = network.find(variable).unwrap();
                let states: Vec<&str> =
                    recorded["states"][variable].as_array().unwrap().iter().map(|state| state.as_str().unwrap()).collect();
                assert_eq!(network.states(id), states);
                assert!(close(calibrated.marginal(id), &expected, 1e-9), "{name}: {variable}");
                if place % 6 == 0 {
                    let by_elimination = eliminate(&FactorGraph::from(&network), &[id], &evidence, ROOM).unwrap().possible().unwrap();
                    assert!(close(&by_elimination.probabilities, &expected, 1e-9), "{name}: {variable} by elimination");
                }
            }
        }
    }
}

#[test]
fn triangulations_are_small() {
    // Plain heuristics reach 1,020 on alarm and 23.9 k on insurance.
    assert_eq!(JunctionTree::compile(&FactorGraph::from(&of_repository("alarm")), ROOM).unwrap().n_entries(), 996);
    let child = of_repository("child");
    let [fill, weighted] = [Heuristic::MinFill, Heuristic::WeightedMinFill]
        .map(|by| JunctionTree::compile_by(&FactorGraph::from(&child), by, ROOM).unwrap().n_entries());
    assert_eq!((fill, weighted), (678, 642));
    assert_eq!(JunctionTree::compile(&FactorGraph::from(&child), ROOM).unwrap().n_entries(), 642);
}

#[test]
fn an_answer_does_not_depend_on_what_was_asked_before() {
    let network = of_repository("alarm");
    let tree = JunctionTree::compile(&FactorGraph::from(&network), ROOM).unwrap();
    let seen = Evidence::of_states(&network, &[("HRBP", "HIGH"), ("CO", "LOW")]).unwrap();
    let first = tree.calibrate(&seen).unwrap().possible().unwrap().marginals();
    let _ = tree.calibrate(&Evidence::of_states(&network, &[("CVP", "LOW")]).unwrap()).unwrap();
    let again =
        JunctionTree::compile(&FactorGraph::from(&network), ROOM).unwrap().calibrate(&seen).unwrap().possible().unwrap().marginals();
    assert_eq!(tree.calibrate(&seen).unwrap().possible().unwrap().marginals(), first);
    assert_eq!(again, first);
}

/// What is seen of B and C leaves A = a a probability of 1e-400 beside 1, and D rules out all else: possible, but whether doubles hold it
/// depends on what is multiplied first. The tree answers in wider numbers; elimination answers rightly or says so, and the oracle then asks the
/// tree. None says that the evidence is impossible.
#[test]
fn underflow_is_not_taken_for_impossible() {
    let mut n_refused = 0;
    for names in [["D", "B", "C"], ["B", "D", "C"], ["B", "C", "D"]] {
        let mut builder = Network::builder().variable("A", ["a", "b"]).probabilities([0.5, 0.5]);
        for name in names {
            let table = if name == "D" { [1.0, 0.0, 0.0, 1.0] } else { [1e-200, 1.0, 1.0, 0.0] };
            builder = builder.variable(name, ["y", "n"]).given(["A"]).probabilities(table);
        }
        let network = builder.build().unwrap();
        let tree = JunctionTree::compile(&FactorGraph::from(&network), ROOM).unwrap();
        let a = network.find("A").unwrap();
        let improbable = Evidence::of_states(&network, &[("B", "y"), ("C", "y"), ("D", "y")]).unwrap();
        let is_right = |ln_p_evidence: f64| (ln_p_evidence - (0.5_f64.ln() + 2.0 * 1e-200_f64.ln())).abs() < 1e-9;
        let by_tree = tree.calibrate(&improbable).unwrap();
        assert!(is_right(by_tree.ln_p_evidence()));
        assert_eq!(by_tree.possible().unwrap().marginal(a), [1.0, 0.0]);
        match eliminate(&FactorGraph::from(&network), &[a], &improbable, ROOM) {
            Ok(answer) => assert!(is_right(answer.ln_p_evidence())),
            Err(error) => {
                assert_eq!(error, NetError::Underflow);
                n_refused += 1;
            }
        }
        let reply = Oracle::of_network(network.clone()).answer(&"P(A=a | B=y, C=y, D=y)".parse().unwrap()).unwrap();
        let Outcome::Found { value: ask::Value::Probability(p), ln_p_evidence } = reply.outcome else { panic!("a probability") };
        assert!(p == 1.0 && is_right(ln_p_evidence));
        let impossible = Evidence::of_states(&network, &[("A", "b"), ("D", "y")]).unwrap();
        assert!(matches!(tree.calibrate(&impossible).unwrap(), Answer::Impossible));
        assert_eq!(eliminate(&FactorGraph::from(&network), &[a], &impossible, ROOM).unwrap(), Answer::Impossible);
    }
    assert!(n_refused > 0, "no order made it underflow");
}

/// Five hundred findings, each of probability about 1e-3: together far below the least double.
#[test]
fn many_findings_do_not_underflow() {
    let mut builder = Network::builder().variable("A", ["a", "b"]).probabilities([0.5, 0.5]);
    for place in 0..500 {
        builder = builder.variable(format!("B{place}"), ["y", "n"]).given(["A"]).probabilities([0.001, 0.999, 0.001_01, 0.998_99]);
    }
    let network = builder.build().unwrap();
    let mut evidence = Evidence::none();
    (1..=500).for_each(|place| evidence.observe(&network, VarId::new(place), 0).unwrap());
    let [left, right] = [0.001_f64, 0.001_01].map(|p| 500.0 * p.ln() + 0.5_f64.ln());
    let expected_ln = right + (left - right).exp().ln_1p();
    let by_tree = JunctionTree::compile(&FactorGraph::from(&network), ROOM).unwrap().calibrate(&evidence).unwrap();
    let by_elimination = eliminate(&FactorGraph::from(&network), &[VarId::new(0)], &evidence, ROOM).unwrap();
    assert!((by_tree.ln_p_evidence() - expected_ln).abs() < 1e-9);
    assert!((by_elimination.ln_p_evidence() - expected_ln).abs() < 1e-9);
    let expected = [(left - expected_ln).exp(), (right - expected_ln).exp()];
    assert!(close(by_tree.possible().unwrap().marginal(VarId::new(0)), &expected, 1e-12));
    assert!(close(&by_elimination.possible().unwrap().probabilities, &expected, 1e-12));
}

#[test]
fn what_does_not_fit_is_not_begun() {
    let network = of_repository("alarm");
    let told = JunctionTree::compile(&FactorGraph::from(&network), 10).unwrap_err().to_string();
    assert!(told.contains("more than the 10 allowed"), "{told}");
    let tree = JunctionTree::compile(&FactorGraph::from(&of_repository("asia")), ROOM).unwrap();
    let mut of_another = Evidence::none();
    of_another.observe(&network, VarId::new(20), 0).unwrap();
    assert!(tree.calibrate(&of_another).is_err());
}

#[test]
fn a_network_without_variables_has_an_answer() {
    let empty = Network::builder().build().unwrap();
    let answer = JunctionTree::compile(&FactorGraph::from(&empty), ROOM).unwrap().calibrate(&Evidence::none()).unwrap();
    assert_eq!(answer.ln_p_evidence(), 0.0);
    assert!(answer.possible().unwrap().marginals().is_empty());
}
