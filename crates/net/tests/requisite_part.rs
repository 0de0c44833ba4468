//! Posteriors of rows by their requisite parts: against enumeration of the joint, and the same bits whatever was asked before.

mod common;

use belief::{Rng, random_stream};
use common::{random_evidence, small_network};
use tunbridge_net::enumeration::enumerate;
use tunbridge_net::requisite_part::{Memo, RequisiteParts, RowPosterior, UNSEEN};
use tunbridge_net::variable_elimination::eliminate;
use tunbridge_net::{Answer, Domain, Evidence, Factor, FactorGraph, Network, RandomShape, VarId, random_network};

/// A row with each variable seen or not, as a coin falls.
fn random_row(draws: &mut impl Rng, network: &Network) -> Vec<u32> {
    let mut state = |variable: VarId| {
        let n_states = network.n_states(variable) as u64;
        if draws.next_u64().is_multiple_of(2) { UNSEEN } else { (draws.next_u64() % n_states) as u32 }
    };
    network.dag().variables().map(&mut state).collect()
}

/// What a row without the asked variables says, beside what is always known.
fn evidence_of(network: &Network, known: &Evidence, row: &[u32], targets: &[VarId]) -> Evidence {
    let mut evidence = known.clone();
    for variable in network.dag().variables().filter(|variable| !targets.contains(variable)) {
        if row[variable.index()] != UNSEEN {
            evidence.observe(network, variable, row[variable.index()] as usize).unwrap();
        }
    }
    evidence
}

fn close(left: &[f64], right: &[f64]) -> bool {
    left.len() == right.len() && left.iter().zip(right).all(|(left, right)| (left - right).abs() < 1e-12)
}

/// Every row by enumeration, by a memo that met the rows before it and by one that met none.
fn rows_are_right(network: &Network, seed: u64, n_rows: usize) -> (usize, usize) {
    let graph = FactorGraph::from(network);
    let mut draws = random_stream(seed, 7);
    let targets: Vec<VarId> = {
        let some = (0..seed % 4).map(|_| VarId::new((draws.next_u64() % network.n_variables() as u64) as usize));
        let mut some: Vec<VarId> = some.collect();
        some.sort_unstable();
        some.dedup();
        some.reverse();
        some
    };
    let known = if seed.is_multiple_of(3) { random_evidence(seed, network) } else { Evidence::none() };
    let parts = RequisiteParts::new(&graph, &known, &targets);
    let (mut memo, mut brief) = (Memo::default(), Memo::default());
    let (mut n_possible, mut n_impossible) = (0, 0);
    for _ in 0..n_rows {
        let row = random_row(&mut draws, network);
        let expected = enumerate(network, &targets, &evidence_of(network, &known, &row, &targets)).unwrap();
        let found = parts.posterior(&row, true, &mut memo);
        let mut fresh = Memo::default();
        assert_eq!(found, parts.posterior(&row, true, &mut fresh), "the same bits whatever was asked before");
        let alone = parts.posterior(&row, false, &mut brief);
        match (found, expected) {
            (RowPosterior::Possible { joint, ln_p_evidence: Some(ln_p) }, Answer::Possible { answer, ln_p_evidence }) => {
                n_possible += 1;
                assert!(close(joint, &answer.probabilities), "seed {seed}, {targets:?}, {row:?}: {joint:?} {answer:?}");
                assert!((ln_p - ln_p_evidence).abs() < 1e-12, "seed {seed}, {row:?}: {ln_p} {ln_p_evidence}");
                assert_eq!(alone, RowPosterior::Possible { joint, ln_p_evidence: None });
            }
            (RowPosterior::Impossible, Answer::Impossible) => {
                n_impossible += 1;
                assert_eq!(alone, RowPosterior::Impossible);
            }
            (found, expected) => panic!("seed {seed}, {targets:?}, {row:?}: {found:?}, but {expected:?}"),
        }
    }
    (n_possible, n_impossible)
}

#[test]
fn rows_say_what_enumeration_says() {
    let (mut n_possible, mut n_impossible) = (0, 0);
    for seed in 0..300 {
        let (possible, impossible) = rows_are_right(&small_network(seed), seed, 12);
        (n_possible, n_impossible) = (n_possible + possible, n_impossible + impossible);
    }
    assert!(n_possible > 2000 && n_impossible > 200, "{n_possible} possible, {n_impossible} impossible");
}

/// Noisy-MAX, trees and deterministic kinds are taken apart with hidden variables, which no row sees.
#[test]
fn rows_of_networks_of_all_kinds() {
    for seed in 0..100 {
        let shape = RandomShape {
            n_variables: 7,
            p_deterministic_kind: 0.2,
            p_noisy_max: 0.3,
            p_tree: 0.3,
            states: 2..=3,
            ..RandomShape::default()
        };
        rows_are_right(&random_network(seed, &shape).unwrap(), seed, 8);
    }
}

/// Parts whose tables are large have an order of their own, and the same messages.
#[test]
fn rows_of_networks_with_large_parts() {
    let shape = RandomShape { n_variables: 24, max_parents: 4, p_arc: 0.5, p_zero: 0.2, states: 3..=4, ..RandomShape::default() };
    let (mut n_answered, mut n_beyond) = (0, 0);
    for seed in 0..6 {
        let network = random_network(seed, &shape).unwrap();
        let graph = FactorGraph::from(&network);
        let mut draws = random_stream(seed, 8);
        let targets = [VarId::new(20), VarId::new(3)];
        let parts = RequisiteParts::new(&graph, &Evidence::none(), &targets);
        let mut memo = Memo::default();
        for _ in 0..25 {
            let row = random_row(&mut draws, &network);
            let found = parts.posterior(&row, true, &mut memo);
            assert_eq!(found, parts.posterior(&row, true, &mut Memo::default()), "the same bits whatever was asked before");
            let evidence = evidence_of(&network, &Evidence::none(), &row, &targets);
            match (found, eliminate(&graph, &targets, &evidence, 1 << 24).unwrap()) {
                (RowPosterior::Possible { joint, ln_p_evidence: Some(ln_p) }, Answer::Possible { answer, ln_p_evidence }) => {
                    n_answered += 1;
                    assert!(close(joint, &answer.probabilities) && (ln_p - ln_p_evidence).abs() < 1e-10, "seed {seed}, {row:?}");
                }
                (RowPosterior::Impossible, Answer::Impossible) => n_answered += 1,
                (RowPosterior::Beyond, _) => n_beyond += 1,
                (found, expected) => panic!("seed {seed}, {row:?}: {found:?}, but {expected:?}"),
            }
        }
    }
    assert!(n_answered > 10 * n_beyond, "{n_answered} answered, {n_beyond} not");
}

/// Factors that sum to nothing in particular, as of a Markov network, all matter.
#[test]
fn rows_of_a_markov_network() {
    let domain = Domain::new([("A", ["0", "1"]), ("B", ["0", "1"]), ("C", ["0", "1"]), ("D", ["0", "1"])]).unwrap();
    let [a, b, c, d] = [0, 1, 2, 3].map(VarId::new);
    let pair = |left, right, values: [f64; 4]| Factor::new(&[left, right], &[2, 2], values.to_vec()).unwrap();
    let factors = vec![
        pair(a, b, [30.0, 5.0, 1.0, 10.0]),
        pair(b, c, [100.0, 1.0, 1.0, 100.0]),
        pair(c, d, [1.0, 100.0, 100.0, 1.0]),
        pair(d, a, [100.0, 1.0, 1.0, 100.0]),
    ];
    let graph = FactorGraph::new(domain, factors).unwrap();
    let parts = RequisiteParts::new(&graph, &Evidence::none(), &[b, d]);
    let mut memo = Memo::default();
    for row in [[UNSEEN; 4], [1, UNSEEN, UNSEEN, UNSEEN], [0, UNSEEN, 1, UNSEEN]] {
        let mut evidence = Evidence::none();
        for (place, state) in row.iter().enumerate().filter(|(_, state)| **state != UNSEEN) {
            evidence.observe(&graph, VarId::new(place), *state as usize).unwrap();
        }
        let Answer::Possible { answer, ln_p_evidence } = eliminate(&graph, &[b, d], &evidence, 1 << 10).unwrap() else { panic!() };
        let RowPosterior::Possible { joint, ln_p_evidence: Some(ln_p) } = parts.posterior(&row, true, &mut memo) else { panic!() };
        assert!(close(joint, &answer.probabilities) && (ln_p - ln_p_evidence).abs() < 1e-12, "{row:?}");
    }
}

/// What doubles cannot hold is left to another engine rather than called impossible.
#[test]
fn what_is_too_faint_is_left_to_others() {
    let mut builder = Network::builder().variable("H", ["0", "1"]).probabilities([0.5, 0.5]);
    for place in 0..3 {
        let name = format!("E{place}");
        builder = builder.variable(&name, ["0", "1"]).given(["H"]).probabilities([1e-140, 1.0, 2e-140, 1.0]);
    }
    let network = builder.build().unwrap();
    let parts = RequisiteParts::new(&FactorGraph::from(&network), &Evidence::none(), &[VarId::new(0)]);
    assert_eq!(parts.posterior(&[UNSEEN, 0, 0, 0], true, &mut Memo::default()), RowPosterior::Beyond);
    assert!(matches!(parts.posterior(&[UNSEEN, UNSEEN, UNSEEN, 0], true, &mut Memo::default()), RowPosterior::Possible { .. }));
}
