//! The most probable assignments: ties, zeros, subsets, many of them, and bounds.

use super::brute::Worlds;
use super::{answer, ask, assert_close, flu};
use tunbridge_net::ask::{AskError, BestAssignment, Oracle, Outcome, Question, Value};
use tunbridge_net::{Domain, Factor, FactorGraph, Network, RandomShape, VarId, random_network};

fn best(oracle: &Oracle, question: &str) -> Vec<BestAssignment> {
    match ask(oracle, question).outcome {
        Outcome::Found { value: Value::Best(best), .. } => best,
        other => panic!("{question}: {other:?}"),
    }
}

fn states(best: &[BestAssignment]) -> Vec<Vec<usize>> {
    best.iter().map(|one| one.states.iter().map(|(_, state)| *state).collect()).collect()
}

#[test]
fn by_hand() {
    let oracle = Oracle::of_network(flu());
    let found = best(&oracle, "mpe | Headache=yes");
    // Allergy without flu: 0.9 · 0.2 · 0.7 · 0.75 · 0.8 = 0.0756 is more than 0.9 · 0.8 · 0.05 · 0.75 · 0.8 and 0.9 · 0.8 · 0.95 · 0.1 · 0.7 = 0.04788.
    assert_eq!(states(&found), [[1, 0, 0, 0, 0]]);
    assert_close(found[0].log_p_joint, 0.0756_f64.ln(), 1e-14);
    let Outcome::Found { ln_p_evidence, .. } = ask(&oracle, "P(Flu | Headache=yes)").outcome else { panic!("a table") };
    assert_close(found[0].p, 0.0756 / ln_p_evidence.exp(), 1e-14);
    // The best of a subset is not a part of the best of all.
    assert_eq!(states(&best(&oracle, "argmax Nose, Flu")), [[1, 1]]);
}

#[test]
fn the_best_of_a_subset_is_not_a_part_of_the_best_of_all() {
    // A=a is most probable; but b's one successor is more probable than any of a's.
    let network = Network::builder()
        .variable("A", ["a", "b"])
        .probabilities([0.6, 0.4])
        .variable("B", ["x", "y", "z"])
        .given(["A"])
        .probabilities([0.4, 0.3, 0.3, 0.0, 1.0, 0.0])
        .build()
        .unwrap();
    let oracle = Oracle::of_network(network);
    assert_eq!(states(&best(&oracle, "argmax A")), [[0]]);
    assert_eq!(states(&best(&oracle, "mpe")), [[1, 1]]);
    // All that are possible, and no more.
    let all = best(&oracle, "mpe:100");
    assert_eq!(states(&all), [[1, 1], [0, 0], [0, 1], [0, 2]]);
    assert_close(all.iter().map(|one| one.p).sum(), 1.0, 1e-15);
}

/// Of equals the earlier states come first, in the order that was asked for, whatever the order of elimination.
#[test]
fn ties_go_to_the_earlier_state() {
    let network = Network::builder()
        .variable("A", ["0", "1"])
        .probabilities([0.5, 0.5])
        .variable("B", ["0", "1"])
        .given(["A"])
        .probabilities([0.0, 1.0, 1.0, 0.0])
        .variable("C", ["0", "1", "2"])
        .given(["B"])
        .probabilities([0.25, 0.25, 0.5, 0.5, 0.25, 0.25])
        .build()
        .unwrap();
    let oracle = Oracle::of_network(network);
    assert_eq!(states(&best(&oracle, "mpe:6")), [[0, 1, 0], [1, 0, 2], [0, 1, 1], [0, 1, 2], [1, 0, 0], [1, 0, 1]]);
    assert_eq!(states(&best(&oracle, "argmax:2 B, A")), [[0, 1], [1, 0]]);
    assert_eq!(states(&best(&oracle, "argmax:2 A, B")), [[0, 1], [1, 0]]);
    assert_eq!(states(&best(&oracle, "argmax:4 C, A")), [[0, 0], [2, 1], [0, 1], [1, 0]]);
}

/// Tables of powers of two: products are exact, so that ties are ties, and there are very many of them.
#[test]
fn ties_in_random_networks() {
    for seed in 0..60 {
        let shape = RandomShape { n_variables: 7, states: 2..=2, p_arc: 0.4, p_zero: 0.0, p_deterministic: 0.0, ..RandomShape::default() };
        let like = random_network(seed, &shape).unwrap();
        let halves = [[0.5, 0.5], [0.25, 0.75], [1.0, 0.0], [0.5, 0.5]];
        let variables = like.dag().variables().map(|variable| tunbridge_net::Variable {
            name: like.name(variable).to_string(),
            states: like.states(variable).to_vec(),
            parents: like.dag().parents(variable).iter().map(|&parent| like.name(parent).to_string()).collect(),
            probabilities: (0..like.conditional(variable).n_rows())
                .flat_map(|row| halves[(row + variable.index() + seed as usize) % 4])
                .collect(),
        });
        let network = Network::new(variables.collect()).unwrap();
        let worlds = Worlds::of(&network);
        let oracle = Oracle::of_network(network.clone());
        let all: Vec<VarId> = network.dag().variables().collect();
        let expected = worlds.best(&all, 20);
        let found = best(&oracle, "mpe:20");
        assert_eq!(states(&found), expected.iter().map(|(states, _)| states.clone()).collect::<Vec<_>>(), "seed {seed}");
        found.iter().zip(&expected).for_each(|(found, (_, p))| assert_close(found.p, *p, 1e-14));
        let some = [VarId::new(5), VarId::new(0), VarId::new(3)];
        let expected: Vec<Vec<usize>> = worlds.best(&some, 8).into_iter().map(|(states, _)| states).collect();
        assert_eq!(states(&best(&oracle, "argmax:8 V5, V0, V3")), expected, "seed {seed}");
    }
}

#[test]
fn factors_without_a_network() {
    let domain = Domain::new([("A", ["0", "1"]), ("B", ["0", "1"]), ("Alone", ["x", "y"])]).unwrap();
    let [a, b] = [VarId::new(0), VarId::new(1)];
    let unlike = Factor::new(&[a, b], &[2, 2], vec![1.0, 4.0, 3.0, 2.0]).unwrap();
    let oracle = Oracle::of_factors(FactorGraph::new(domain, vec![unlike]).unwrap());
    let found = best(&oracle, "mpe:3");
    assert_eq!(states(&found), [[0, 1, 0], [0, 1, 1], [1, 0, 0]]);
    assert_close(found[0].p, 0.2, 1e-15);
    assert_close(found[0].log_p_joint, 4.0_f64.ln(), 1e-15);
}

/// Hundreds of variables: no table of all of them, and no underflow.
#[test]
fn a_long_chain() {
    let mut builder = Network::builder();
    for place in 0..600 {
        builder = builder.variable(format!("X{place}"), ["a", "b", "c"]);
        builder = match place {
            0 => builder.probabilities([0.2, 0.5, 0.3]),
            _ => builder.given([format!("X{}", place - 1)]).probabilities([0.1, 0.6, 0.3, 0.2, 0.5, 0.3, 0.3, 0.2, 0.5]),
        };
    }
    let oracle = Oracle::of_network(builder.build().unwrap());
    let found = best(&oracle, "mpe:5 | X599=a");
    // Staying in b is best, 598 times, with one step to a at the end.
    assert_close(found[0].log_p_joint, 0.5_f64.ln() * 599.0 + 0.2_f64.ln(), 1e-9);
    assert!(found.windows(2).all(|pair| pair[0].log_p_joint >= pair[1].log_p_joint));
    let mut different = states(&found);
    different.dedup();
    assert_eq!(different.len(), 5);
}

#[test]
fn bounds_are_checked_before_work_starts() {
    let network =
        random_network(3, &RandomShape { n_variables: 30, max_parents: 4, states: 4..=4, p_arc: 0.9, ..RandomShape::default() }).unwrap();
    let oracle = Oracle::of_network(network).with_max_entries(20);
    let error = answer(&oracle, "mpe").unwrap_err();
    assert!(matches!(error, AskError::TooLarge { limit: 20, .. }), "{error}");
    let oracle = Oracle::of_network(flu());
    assert_eq!(
        answer(&oracle, "mpe:1000000000").unwrap_err().to_string(),
        "1000000000 most probable assignments are more than the 20000000 that there is room for: ask for fewer, or allow more memory"
    );
    assert_eq!(best(&oracle, "mpe:1000").len(), 32);
}

/// What does not fit at once is maximised for each state of a cutset, with the same answers.
#[test]
fn cutsets_of_what_is_maximised() {
    let network =
        random_network(11, &RandomShape { n_variables: 9, max_parents: 3, states: 2..=3, p_arc: 0.7, ..RandomShape::default() }).unwrap();
    let whole = Oracle::of_network(network.clone());
    let small = whole.clone().with_max_entries(60);
    let found = ask(
        &small,
        "mpe:7 | V2 ~ [1, 3]".replace("[1, 3]", if network.n_states(VarId::new(2)) == 2 { "[1, 3]" } else { "[1, 3, 2]" }).as_str(),
    );
    assert!(found.method.contains("(cutset)"), "{}", found.method);
    let question = Question::resolve(network.domain(), &"mpe:7".parse().unwrap()).unwrap();
    let (small, whole) = (small.reply(&question).unwrap(), whole.reply(&question).unwrap());
    let (Outcome::Found { value: Value::Best(small), .. }, Outcome::Found { value: Value::Best(whole), .. }) =
        (small.outcome, whole.outcome)
    else {
        panic!("assignments")
    };
    assert_eq!(states(&small), states(&whole));
    small.iter().zip(&whole).for_each(|(a, b)| assert_close(a.p, b.p, 1e-14));
}
