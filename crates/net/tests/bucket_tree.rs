//! Bucket-tree elimination: against enumeration of the joint, and against the junction tree.

mod common;

use common::{random_evidence, small_network};
use tunbridge_net::bucket_tree::all_marginals;
use tunbridge_net::enumeration::enumerate;
use tunbridge_net::{Answer, Evidence, FactorGraph, JunctionTree, NetError, Network, RandomShape, VarId, random_network};

const ROOM: usize = 1 << 24;

fn close(left: &[f64], right: &[f64]) -> bool {
    left.len() == right.len() && left.iter().zip(right).all(|(left, right)| (left - right).abs() < 1e-12)
}

#[test]
fn all_marginals_are_those_of_enumeration() {
    let (mut n_possible, mut n_impossible) = (0, 0);
    for seed in 0..200 {
        let network = small_network(seed);
        let evidence = random_evidence(seed, &network);
        let expected_ln = enumerate(&network, &[], &evidence).unwrap().ln_p_evidence();
        let Answer::Possible { answer, ln_p_evidence } = all_marginals(&FactorGraph::from(&network), &evidence, ROOM).unwrap() else {
            assert_eq!(expected_ln, f64::NEG_INFINITY, "seed {seed}");
            n_impossible += 1;
            continue;
        };
        n_possible += 1;
        assert!((ln_p_evidence - expected_ln).abs() < 1e-12, "seed {seed}: {ln_p_evidence} {expected_ln}");
        for variable in network.dag().variables() {
            let expected = enumerate(&network, &[variable], &evidence).unwrap().possible().unwrap();
            assert!(close(&answer[variable.index()], &expected.probabilities), "seed {seed}, {variable:?}");
        }
    }
    assert!(n_possible > 120 && n_impossible > 10, "{n_possible} possible, {n_impossible} impossible");
}

#[test]
fn networks_of_all_kinds_agree_with_the_junction_tree() {
    for seed in 0..20 {
        let shape = RandomShape {
            n_variables: 20,
            p_arc: 0.12,
            p_deterministic: 0.0,
            p_zero: 0.0,
            p_noisy_max: 0.3,
            p_tree: 0.3,
            ..RandomShape::default()
        };
        let network = random_network(seed, &shape).unwrap();
        let (graph, evidence) = (FactorGraph::from(&network), random_evidence(seed, &network));
        let tree = JunctionTree::compile(&graph, ROOM).unwrap().calibrate(&evidence).unwrap();
        let buckets = all_marginals(&graph, &evidence, ROOM).unwrap();
        assert!((tree.ln_p_evidence() - buckets.ln_p_evidence()).abs() < 1e-11 || tree == Answer::Impossible, "seed {seed}");
        let (Some(tree), Some(buckets)) = (tree.possible(), buckets.possible()) else { continue };
        assert!(tree.marginals().iter().zip(&buckets).all(|(tree, buckets)| close(tree, buckets)), "seed {seed}");
    }
}

#[test]
fn what_does_not_fit_is_refused_before_it_is_made() {
    let mut builder = Network::builder();
    let causes: Vec<String> = (0..8).map(|place| format!("C{place}")).collect();
    for cause in &causes {
        builder = builder.variable(cause, ["0", "1"]).probabilities([0.5, 0.5]);
    }
    let network = builder.variable("E", ["0", "1"]).given(causes.iter().map(String::as_str)).probabilities(vec![0.5; 512]).build().unwrap();
    let refused = all_marginals(&FactorGraph::from(&network), &Evidence::none(), 256).unwrap_err();
    assert!(matches!(refused, NetError::TooLarge { entries, .. } if entries == 512.0), "{refused:?}");
    let stranger = {
        let mut evidence = Evidence::none();
        evidence.observe(&network, VarId::new(8), 0).unwrap();
        evidence
    };
    assert!(all_marginals(&FactorGraph::from(&small_network(0)), &stranger, ROOM).is_err());
}
