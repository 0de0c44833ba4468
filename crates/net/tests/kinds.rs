//! Distributions of every kind: what they say, how they are taken apart, and that engines answer as enumeration does.

#[allow(dead_code, reason = "the networks of tables alone are other tests'")]
mod common;

use common::random_evidence;
use tunbridge_net::elimination_order::Heuristic;
use tunbridge_net::enumeration::enumerate;
use tunbridge_net::variable_elimination::eliminate;
use tunbridge_net::{
    Answer, Conditional, ConditionalTable, Domain, Evidence, Factor, FactorGraph, JunctionTree, NetError, Network, NoisyCause, NoisyMax,
    RandomShape, Tree, VarId, random_network,
};

const ROOM: usize = 1 << 24;

/// A network of all kinds, some with as many parents as there are.
fn mixed_network(seed: u64) -> Network {
    let n_variables = 3 + (seed % 9) as usize;
    let shape = RandomShape {
        n_variables,
        max_parents: 3 + (seed % 7) as usize,
        states: 1 + (seed % 2) as usize..=if n_variables > 7 { 2 } else { 3 },
        p_arc: 0.75,
        p_deterministic_kind: 0.2,
        p_noisy_max: 0.35,
        p_tree: 0.35,
        ..RandomShape::default()
    };
    random_network(seed, &shape).unwrap()
}

#[test]
fn engines_answer_as_enumeration_does() {
    let (mut n_possible, mut n_impossible, mut n_taken_apart) = (0, 0, 0);
    for seed in 0..300 {
        let network = mixed_network(seed);
        let graph = FactorGraph::from(&network);
        n_taken_apart += usize::from(graph.n_with_hidden() > network.n_variables());
        let evidence = random_evidence(seed, &network);
        let query = [VarId::new((seed / 3) as usize % network.n_variables())];
        let expected = enumerate(&network, &query, &evidence).unwrap();
        // The search for the cheapest order is tested elsewhere and takes most of the time.
        let tree = JunctionTree::compile_by(&graph, Heuristic::MinFill, ROOM).unwrap().calibrate(&evidence).unwrap();
        match (expected, eliminate(&graph, &query, &evidence, ROOM).unwrap(), tree) {
            (Answer::Impossible, Answer::Impossible, Answer::Impossible) => n_impossible += 1,
            (
                Answer::Possible { answer: expected, ln_p_evidence },
                Answer::Possible { answer: found, ln_p_evidence: found_ln },
                Answer::Possible { answer: tree, ln_p_evidence: tree_ln },
            ) => {
                n_possible += 1;
                let tree = tree.marginal(query[0]);
                for ((expected, found), tree) in expected.probabilities.iter().zip(&found.probabilities).zip(tree.iter()) {
                    assert!((expected - found).abs() < 1e-12 && (expected - tree).abs() < 1e-12, "seed {seed}: {expected} {found} {tree}");
                }
                assert!((ln_p_evidence - found_ln).abs() < 1e-12 && (ln_p_evidence - tree_ln).abs() < 1e-12, "seed {seed}");
            }
            answers => panic!("seed {seed}: {answers:?}"),
        }
    }
    assert!(n_possible > 180 && n_impossible > 20 && n_taken_apart > 80, "{n_possible} {n_impossible} {n_taken_apart}");
}

/// The product of what a distribution was taken apart into, hidden variables summed out, is the distribution, and every piece sums to one.
#[test]
fn pieces_make_the_whole() {
    let mut n_chains = [0; 2];
    for seed in 0..60 {
        let (p_noisy_max, p_tree) = if seed % 2 == 0 { (1.0, 0.0) } else { (0.0, 1.0) };
        let shape =
            RandomShape { n_variables: 7, max_parents: 6, states: 2..=3, p_arc: 1.0, p_noisy_max, p_tree, ..RandomShape::default() };
        let network = random_network(seed, &shape).unwrap();
        let child = network.dag().topological_order()[6];
        let graph = FactorGraph::from(&network);
        n_chains[seed as usize % 2] += usize::from(graph.n_with_hidden() > 7);
        let family: Vec<VarId> = network.dag().parents(child).iter().copied().chain([child]).collect();
        // All but the child's pieces are divided out by conditioning: P(child, parents) / P(parents).
        for (row, distribution) in network.table(child).unwrap().chunks(network.n_states(child)).enumerate() {
            let mut left = row;
            let mut evidence = Evidence::none();
            for &parent in family[..6].iter().rev() {
                evidence.observe(&network, parent, left % network.n_states(parent)).unwrap();
                left /= network.n_states(parent);
            }
            if row % 7 != 0 {
                continue;
            }
            if let Answer::Possible { answer, .. } = eliminate(&graph, &[child], &evidence, ROOM).unwrap() {
                assert!(
                    answer.probabilities.iter().zip(distribution).all(|(found, expected)| (found - expected).abs() < 1e-14),
                    "seed {seed}"
                );
            }
        }
        assert!((eliminate(&graph, &[], &Evidence::none(), ROOM).unwrap().ln_p_evidence()).abs() < 1e-13);
    }
    assert!(n_chains[0] > 25 && n_chains[1] > 10, "{n_chains:?}");
}

/// Fever of cold, flu and malaria: Russell & Norvig, Artificial Intelligence, the section on noisy-OR.
fn fever() -> Network {
    ["Cold", "Flu", "Malaria"]
        .into_iter()
        .fold(Network::builder(), |builder, cause| builder.variable(cause, ["yes", "no"]).probabilities([0.5, 0.5]))
        .variable("Fever", ["yes", "no"])
        .noisy_or("yes", [("Cold", "yes", 0.4), ("Flu", "yes", 0.8), ("Malaria", "yes", 0.9)], 0.0)
        .build()
        .unwrap()
}

#[test]
fn fever_of_russell_and_norvig() {
    let fever = fever();
    let no_fever: Vec<f64> = fever.table(VarId::new(3)).unwrap().chunks(2).map(|row| row[1]).collect();
    let book = [0.012, 0.12, 0.06, 0.6, 0.02, 0.2, 0.1, 1.0];
    assert!(no_fever.iter().zip(book).all(|(found, book)| (found - book).abs() < 1e-15), "{no_fever:?}");
    assert_eq!(fever.n_free_parameters(), 3 + 4);
    assert_eq!(fever.conditional(VarId::new(3)).kind(), "noisy-MAX");
}

/// The distribution function of a maximum is the product of those of its effects.
#[test]
fn a_noisy_max_is_the_product_of_distribution_functions() {
    for seed in 0..40 {
        let shape = RandomShape { n_variables: 5, max_parents: 4, states: 2..=4, p_arc: 1.0, p_noisy_max: 1.0, ..RandomShape::default() };
        let network = random_network(seed, &shape).unwrap();
        for variable in network.dag().variables() {
            let Conditional::NoisyMax(noisy) = network.conditional(variable) else { panic!("a noisy-MAX") };
            let n_rows = network.conditional(variable).n_rows();
            for row in 0..n_rows {
                let mut left = row;
                let mut states: Vec<usize> = noisy
                    .causes()
                    .iter()
                    .rev()
                    .map(|cause| {
                        let state = left % cause.effects.n_rows();
                        left /= cause.effects.n_rows();
                        state
                    })
                    .collect();
                states.reverse();
                let up_to = |rank: usize| -> f64 {
                    let cumulative = |row: &[f64]| noisy.order()[..rank].iter().map(|&state| row[state]).sum::<f64>();
                    noisy.causes().iter().zip(&states).map(|(cause, &state)| cumulative(cause.effects.row(state))).product::<f64>()
                        * cumulative(noisy.leak())
                };
                for (rank, &state) in noisy.order().iter().enumerate() {
                    let found = network.conditional(variable).probability(row, state);
                    assert!((found - (up_to(rank + 1) - up_to(rank))).abs() < 1e-14);
                }
            }
        }
    }
}

/// Sixty causes: never a table, and answers to the last digit. P(no effect) = (1 − leak) ∏ (1 − P(cause) p).
#[test]
fn sixty_causes() {
    let mut builder = Network::builder();
    for cause in 0..60 {
        builder = builder.variable(format!("C{cause}"), ["on", "off"]).probabilities([0.25, 0.75]);
    }
    let causes = (0..60).map(|cause| (format!("C{cause}"), "on", 0.01 * cause as f64));
    let network = builder.variable("Effect", ["present", "absent"]).noisy_or("present", causes, 0.125).build().unwrap();
    let effect = network.find("Effect").unwrap();
    let refused = network.table(effect).unwrap_err().to_string();
    assert!(refused.starts_with("the distribution of `Effect`: spelled out it would have 23058430092136940"), "{refused}");
    assert_eq!(network.conditional(effect).n_rows(), 1 << 60);
    let graph = FactorGraph::from(&network);
    assert!(graph.factors().iter().all(|factor| factor.values().len() <= 8));
    let absent: f64 = 0.875 * (0..60).map(|cause| 1.0 - 0.25 * 0.01 * cause as f64).product::<f64>();
    let answer = eliminate(&graph, &[effect], &Evidence::none(), 64).unwrap().possible().unwrap();
    assert!((answer.probabilities[1] / absent - 1.0).abs() < 1e-13);
    // Absence speaks against each cause by itself.
    let seen = Evidence::of_states(&network, &[("Effect", "absent")]).unwrap();
    let calibrated = JunctionTree::compile(&graph, 1 << 12).unwrap().calibrate(&seen).unwrap().possible().unwrap();
    let expected = 0.25 * 0.5 / (0.25 * 0.5 + 0.75);
    assert!((calibrated.marginal(network.find("C50").unwrap())[0] - expected).abs() < 1e-14);
    let off = vec![1; 61];
    assert!((network.local_probability(effect, &off) - 0.875).abs() < 1e-15);
}

/// Twelve diseases and thirty findings, each of eight diseases by noisy-OR, as in medicine (QMR-DT: Shwe et al. 1991). Given the
/// diseases findings are independent, so that the sum over the 2¹² sets of diseases is the answer.
#[test]
fn diseases_and_findings() {
    const N_DISEASES: usize = 12;
    let prior = |disease: usize| 0.01 + 0.02 * disease as f64;
    let strength = |finding: usize, nth: usize| 0.05 + ((finding * 7 + nth * 5) % 18) as f64 * 0.05;
    let causes = |finding: usize| (0..8).map(move |nth| ((finding * 5 + nth * (1 + finding % 2 * 4)) % N_DISEASES, strength(finding, nth)));
    let mut builder = Network::builder();
    for disease in 0..N_DISEASES {
        builder = builder.variable(format!("D{disease}"), ["present", "absent"]).probabilities([prior(disease), 1.0 - prior(disease)]);
    }
    for finding in 0..30 {
        let named = causes(finding).map(|(disease, p)| (format!("D{disease}"), "present", p));
        builder = builder.variable(format!("F{finding}"), ["yes", "no"]).noisy_or("yes", named, 0.01);
    }
    let network = builder.build().unwrap();
    let seen: Vec<(String, &str)> =
        (0..30).filter(|finding| finding % 3 > 0).map(|finding| (format!("F{finding}"), ["yes", "no"][finding % 2])).collect();
    let named: Vec<(&str, &str)> = seen.iter().map(|(name, state)| (name.as_str(), *state)).collect();
    let evidence = Evidence::of_states(&network, &named).unwrap();
    let (mut with, mut all) = ([0.0; N_DISEASES], 0.0);
    for set in 0..1_usize << N_DISEASES {
        let has = |disease: usize| set >> disease & 1 == 1;
        let mut p: f64 = (0..N_DISEASES).map(|disease| if has(disease) { prior(disease) } else { 1.0 - prior(disease) }).product();
        for finding in (0..30).filter(|finding| finding % 3 > 0) {
            let no: f64 =
                0.99 * causes(finding).map(|(disease, strength)| if has(disease) { 1.0 - strength } else { 1.0 }).product::<f64>();
            p *= if finding % 2 == 0 { 1.0 - no } else { no };
        }
        all += p;
        (0..N_DISEASES).filter(|&disease| has(disease)).for_each(|disease| with[disease] += p);
    }
    let graph = FactorGraph::from(&network);
    assert!(graph.factors().iter().all(|factor| factor.values().len() <= 8));
    let tree = JunctionTree::compile(&graph, ROOM).unwrap();
    let Answer::Possible { answer, ln_p_evidence } = tree.calibrate(&evidence).unwrap() else { panic!("possible") };
    assert!((ln_p_evidence - all.ln()).abs() < 1e-12);
    for (disease, with) in with.iter().enumerate() {
        assert!((answer.marginal(VarId::new(disease))[0] - with / all).abs() < 1e-12);
    }
    let eliminated = eliminate(&graph, &[VarId::new(3)], &evidence, ROOM).unwrap().possible().unwrap();
    assert!((eliminated.probabilities[0] - with[3] / all).abs() < 1e-12);
}

/// A tree that asks one parent after another, forty of them: each step is small.
#[test]
fn forty_tests_in_a_row() {
    let mut builder = Network::builder();
    for parent in 0..40 {
        builder = builder.variable(format!("X{parent}"), ["a", "b"]).probabilities([0.25, 0.75]);
    }
    let leaf = |place: usize| [0.02 * place as f64, 1.0 - 0.02 * place as f64];
    let tree =
        (0..40).rev().fold(Tree::from(leaf(40)), |below, place| Tree::test(format!("X{place}")).when("a", leaf(place)).otherwise(below));
    let network = builder.variable("Y", ["0", "1"]).given((0..40).map(|parent| format!("X{parent}"))).tree(tree).build().unwrap();
    let y = network.find("Y").unwrap();
    assert_eq!(network.conditional(y).n_free_parameters(), 41);
    assert!(matches!(network.table(y), Err(NetError::Distribution { .. })));
    let graph = FactorGraph::from(&network);
    assert!(graph.factors().iter().all(|factor| factor.values().len() <= 18));
    let expected: f64 =
        (0..40).map(|place| 0.25 * 0.75_f64.powi(place as i32) * leaf(place)[0]).sum::<f64>() + 0.75_f64.powi(40) * leaf(40)[0];
    let answer = eliminate(&graph, &[y], &Evidence::none(), 256).unwrap().possible().unwrap();
    assert!((answer.probabilities[0] - expected).abs() < 1e-15);
}

/// Barren variables of a chain go with their child.
#[test]
fn a_child_that_nobody_asks_for_takes_its_chain_along() {
    let mut builder = Network::builder();
    for cause in 0..6 {
        builder = builder.variable(format!("C{cause}"), ["on", "off"]).probabilities([0.25, 0.75]);
    }
    let causes = (0..6).map(|cause| (format!("C{cause}"), "on", 0.5));
    let network = builder.variable("Effect", ["present", "absent"]).noisy_or("present", causes, 0.125).build().unwrap();
    let graph = FactorGraph::from(&network);
    assert_eq!(graph.n_with_hidden(), 7 + 5);
    assert_eq!(graph.relevant(&[VarId::new(2)]).iter().filter(|relevant| **relevant).count(), 1);
    let heads_sum_to_one = graph.factors().iter().skip(6).map(AsRef::as_ref).all(|factor: &Factor| {
        let head =
            *factor.scope().iter().max_by_key(|variable| if **variable == VarId::new(6) { usize::MAX } else { variable.index() }).unwrap();
        factor.sum_out(head).values().iter().all(|sum| (sum - 1.0).abs() < 1e-15)
    });
    assert!(heads_sum_to_one);
}

#[test]
fn faults_are_told() {
    let told = |builder: tunbridge_net::NetworkBuilder| builder.build().unwrap_err().to_string();
    let start = || Network::builder().variable("A", ["y", "n"]).probabilities([0.5, 0.5]).variable("B", ["y", "n"]);
    assert_eq!(told(start().noisy_or("y", [("A", "y", 1.5)], 0.0)), "the distribution of `B`: cause 1, row 1: -0.5 is not a probability");
    assert_eq!(told(start().noisy_or("y", [("A", "y", 0.5)], 1.5)), "the distribution of `B`: the leak: row 1: -0.5 is not a probability");
    assert_eq!(
        told(start().noisy_or("y", [("A", "y", 0.5), ("A", "n", 0.5)], 0.0)),
        "`A` acts on `B` in all of its states: leave out the one in which it is absent"
    );
    assert_eq!(told(start().noisy_or("y", [("A", "y", 0.5), ("A", "y", 0.5)], 0.0)), "variable `A=y` is named twice: name it once");
    assert!(told(start().noisy_or("x", [("A", "y", 0.5)], 0.0)).starts_with("variable `B` has no state `x`"));
    assert!(told(start().given(["A"]).noisy_or("y", [("B", "y", 0.5)], 0.0)).starts_with("the parents of `B` are not its causes"));
    assert!(
        told(start().given(["A"]).noisy_or("y", Vec::<(String, String, f64)>::new(), 0.0))
            .starts_with("the parents of `B` are not its causes")
    );
    assert_eq!(
        told(start().noisy_max(["n"], [("A", "y", [0.5, 0.5])], [0.0, 1.0])),
        "the distribution of `B`: the order from the lowest state to the highest must name each of the 2 states once"
    );
    assert_eq!(
        told(start().given(["A"]).tree(Tree::test("A").when("y", [0.5, 0.5]))),
        "the tree of `B` must test its parents only and lead each state of a tested parent to one branch; look at `A`"
    );
    assert!(told(start().tree(Tree::test("A").when("y", [0.5, 0.5]).otherwise([0.0, 1.0]))).contains("look at `A`"));
    assert_eq!(
        told(start().given(["A"]).tree(Tree::test("A").when("y", [0.5, 0.6]).otherwise([0.0, 1.0]))),
        "the distribution of `B`: node 2 of the tree, row 1: the probabilities sum to 1.1, not to 1"
    );
    assert_eq!(
        told(start().given(["A"]).deterministic_states(["y"])),
        "the distribution of `B` (deterministic) does not fit: the variable has 2 states, and its parents have 2"
    );
    assert!(told(start().given(["A"]).deterministic(|_| "maybe")).starts_with("variable `B` has no state `maybe`"));
    let three = Network::builder().variable("A", ["1", "2", "3"]).noisy_or("1", Vec::<(String, String, f64)>::new(), 0.5);
    assert_eq!(told(three), "noisy-OR is for two states, and `A` has 3: use noisy-MAX");
}

#[test]
fn what_does_not_fit_its_family_is_refused() {
    let domain = || Domain::new([("A", vec!["0", "1", "2"]), ("B", vec!["0", "1"])]).unwrap();
    let a = Conditional::Table(ConditionalTable::new(3, vec![0.5, 0.25, 0.25]).unwrap());
    let cause = NoisyCause::new(0, 2, vec![1.0, 0.0, 0.5, 0.5]).unwrap();
    let b = Conditional::NoisyMax(NoisyMax::new(vec![0, 1], vec![cause], vec![1.0, 0.0]).unwrap());
    let parents = || vec![vec![], vec![VarId::new(0)]];
    let refused = Network::from_conditionals(domain(), parents(), vec![a.clone(), b.clone()]).unwrap_err();
    assert_eq!(refused.to_string(), "the distribution of `B` (noisy-MAX) does not fit: the variable has 2 states, and its parents have 3");
    assert!(matches!(Network::from_conditionals(domain(), parents(), vec![a.clone()]), Err(NetError::NoDistribution { .. })));
    assert!(Network::from_conditionals(domain(), parents(), vec![a, b.clone(), b]).is_err());
}
