//! Plans, limits, cutsets and checks.

use super::{answer, ask, assert_close, flu, value};
use tunbridge_net::ask::{AskError, Engine, Oracle, Outcome, Plan, Reply, Value};
use tunbridge_net::{Network, RandomShape, VarId, random_network};

fn plan(oracle: &Oracle, question: &str) -> Plan {
    oracle.plan(&question.parse().unwrap()).unwrap()
}

/// A grid of switches, each with the one above and the one to the left as parents: no narrow elimination.
fn grid(side: usize) -> Network {
    let mut builder = Network::builder();
    let name = |row: usize, column: usize| format!("X{row}_{column}");
    for row in 0..side {
        for column in 0..side {
            let parents: Vec<String> =
                [(row > 0).then(|| name(row - 1, column)), (column > 0).then(|| name(row, column - 1))].into_iter().flatten().collect();
            let n_rows = 1 << parents.len();
            let p = |place: usize| 0.1 + 0.8 * ((row * 7 + column * 3 + place * 5) % 11) as f64 / 10.0;
            builder = builder.variable(name(row, column), ["on", "off"]);
            builder = if parents.is_empty() { builder } else { builder.given(parents) };
            builder = builder.probabilities((0..n_rows).flat_map(|place| [p(place), 1.0 - p(place)]));
        }
    }
    builder.build().unwrap()
}

#[test]
fn plans_tell_sizes() {
    let oracle = Oracle::of_network(flu());
    let found = plan(&oracle, "P(Flu | Headache=yes)");
    // Flu, Allergy and Sinus stand together; Nose is barren.
    assert_eq!((found.width, found.largest_table, found.fits, found.runs), (2, 8.0, true, 1.0));
    assert!(found.bytes > 0.0 && found.seconds > 0.0 && found.advice.is_empty() && found.cutset.is_empty());
    assert_eq!(found.method, ask(&oracle, "P(Flu | Headache=yes)").method);
    assert_eq!(plan(&oracle, "P(* | Headache=yes)").method, "exact, junction tree");
    assert_eq!(plan(&oracle, "mpe | Sinus").runs, 2.0);
    assert_eq!(plan(&oracle, "Flu ⟂ Nose").largest_table, 0.0);
    assert!(plan(&oracle, "P(Flu | Nose :~ [0.5, 0.5])").fits);
}

#[test]
fn what_does_not_fit_is_not_started_and_says_its_size() {
    let oracle = Oracle::of_network(grid(8)).with_max_entries(8);
    let found = plan(&oracle, "P(X7_7)");
    assert!(!found.fits && found.largest_table > 100.0, "{found:?}");
    assert!(found.advice.contains("allow more memory"));
    let error = answer(&oracle, "P(X7_7)").unwrap_err();
    assert!(matches!(error, AskError::TooLarge { limit: 2, .. }));
    let words = error.to_string();
    assert!(
        words.starts_with("this needs tables of ") && words.contains("the memory allowed has room for 2: allow more memory"),
        "{words}"
    );
    assert!(matches!(answer(&oracle, "P(*)"), Err(AskError::TooLarge { .. })));
}

#[test]
fn cutsets_make_it_fit() {
    let whole = Oracle::of_network(grid(6));
    let largest = plan(&whole, "P(X5_5 | X3_2=on)").largest_table as usize;
    let small = whole.clone().with_max_entries(largest / 4);
    let found = plan(&small, "P(X5_5 | X3_2=on)");
    assert!(found.fits && !found.cutset.is_empty() && found.runs > 1.0, "{found:?}");
    let reply = ask(&small, "P(X5_5 | X3_2=on)");
    assert_eq!(reply.method, found.method);
    assert!(reply.method.contains("(cutset)"));
    for question in
        ["P(X5_5 | X3_2=on)", "P(X0_0=on, X5_5=off | X4_4 ~ [1, 3])", "H(X5_5, X0_0)", "P(X5_5 | X5_4 :~ [0.25, 0.75])", "P(X5_5 | X2_2)"]
    {
        let query = question.parse().unwrap();
        let (small_reply, whole_reply) = (small.answer(&query).unwrap(), whole.answer(&query).unwrap());
        // The second engine of the larger oracle is the judge.
        assert!(whole.check(&query, &small_reply).unwrap().largest_difference < 1e-12, "{question}");
        assert!(whole.check(&query, &whole_reply).unwrap().agrees, "{question}");
    }
    // All marginals, each by itself, where the tree does not fit.
    let (Value::Marginals(some), Value::Marginals(all)) = (value(&small, "P(* | X3_2=on)"), value(&whole, "P(* | X3_2=on)")) else {
        panic!("marginals")
    };
    some.iter().flatten().zip(all.iter().flatten()).for_each(|(some, all)| assert_close(*some, *all, 1e-12));
}

#[test]
fn checks_agree_and_would_tell_if_not() {
    let shape = RandomShape { n_variables: 25, max_parents: 3, states: 2..=3, p_arc: 0.2, ..RandomShape::default() };
    for (network, by) in [(flu(), "enumeration"), (random_network(5, &shape).unwrap(), "")] {
        let [first, second] = [0, network.n_variables() - 1].map(|place| network.name(tunbridge_net::VarId::new(place)).to_string());
        let oracle = Oracle::of_network(network);
        for question in [
            format!("P({first})"),
            format!("P({first}, {second})"),
            format!("P({first} | {second})"),
            format!("P(* | {second})"),
            "P(*)".to_string(),
            "mpe:3".to_string(),
            format!("argmax {first}, {second}"),
            format!("H({first} | {second})"),
            format!("I({first}; {second})"),
            format!("{first} ⟂ {second}"),
        ] {
            let query = question.parse().unwrap();
            let reply = oracle.answer(&query).unwrap();
            let checked = oracle.check(&query, &reply).unwrap();
            assert!(checked.agrees && checked.largest_difference < 1e-12, "{question}: {checked:?}");
            assert!(checked.method != reply.method && (question.contains('⟂') || checked.method.contains(by)), "{question}: {checked:?}");
        }
        let query = format!("P({first})").parse().unwrap();
        let other = oracle.answer(&format!("P({second})").parse().unwrap()).unwrap();
        assert!(!oracle.check(&query, &other).unwrap().agrees);
        let none = oracle.answer(&"P(*)".parse().unwrap()).unwrap();
        assert_eq!(oracle.check(&query, &none).unwrap().largest_difference, f64::INFINITY);
    }
}

/// An answer never depends, to the bit, on what was asked before or on what else was compiled.
#[test]
fn answers_do_not_depend_on_what_was_asked_before() {
    let questions = ["P(Flu | Nose=runny)", "P(* | Headache=yes)", "mpe:3 | Nose=dry", "H(Flu | Sinus)"];
    let fresh: Vec<_> = questions.iter().map(|question| ask(&Oracle::of_network(flu()), question)).collect();
    let used = Oracle::of_network(flu());
    for order in [[0, 1, 2, 3], [3, 2, 1, 0], [1, 3, 0, 2]] {
        order.iter().for_each(|&place| assert_eq!(ask(&used, questions[place]), fresh[place]));
    }
    let tree = Oracle::of_network(flu()).with_engine(Engine::JunctionTree);
    assert_eq!(ask(&tree, questions[0]), ask(&tree, questions[0]));
}

/// One question of a large network compiles nothing, and many do: the answers are the same, and have the same bits on any threads.
#[test]
fn one_question_needs_no_compiled_tree() {
    let shape = RandomShape { n_variables: 40, max_parents: 4, states: 2..=5, p_arc: 0.3, ..RandomShape::default() };
    let network = random_network(11, &shape).unwrap();
    let seen = |variable: usize| format!("{}={}", network.name(VarId::new(variable)), network.states(VarId::new(variable))[0]);
    let (hard, soft) = (seen(39), seen(20));
    for question in ["P(*)".to_string(), format!("P(* | {hard})"), format!("P(* | {hard}, !{soft}, {} ~ [0.3, 1])", two_states(&network))] {
        let once = Oracle::of_network(network.clone()).for_one_question();
        let many = Oracle::of_network(network.clone());
        let question = question.parse().unwrap();
        assert_eq!(once.plan(&question).unwrap().method, "exact, lazy propagation");
        let (lazy, compiled) = (once.answer(&question).unwrap(), many.answer(&question).unwrap());
        assert_eq!((lazy.method.as_str(), compiled.method.as_str()), ("exact, lazy propagation", "exact, junction tree"));
        let values = |reply: &Reply| match &reply.outcome {
            Outcome::Found { value: Value::Marginals(marginals), ln_p_evidence } => (marginals.concat(), *ln_p_evidence),
            other => panic!("{other:?}"),
        };
        let ((found, ln_p), (expected, expected_ln_p)) = (values(&lazy), values(&compiled));
        assert!((ln_p - expected_ln_p).abs() < 1e-12);
        assert!(found.iter().zip(&expected).all(|(found, expected)| (found - expected).abs() < 1e-12));
        for threads in [1, 2, 7] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let again = pool.install(|| once.answer(&question).unwrap());
            assert_eq!(again.outcome, lazy.outcome, "{threads} threads");
        }
    }
    // What is small is compiled at once, and a table that is larger than allowed is not made this way either.
    assert_eq!(ask(&Oracle::of_network(flu()).for_one_question(), "P(*)").method, "exact, junction tree");
    let bounded = Oracle::of_network(network.clone()).for_one_question().with_max_entries(512);
    assert_eq!(ask(&bounded, "P(*)").method, "exact, variable elimination for each variable, with cutsets");
}

/// The name of a variable of two states.
fn two_states(network: &Network) -> &str {
    network.name(network.dag().variables().find(|&variable| network.n_states(variable) == 2).unwrap())
}

/// The memory that is allowed is for all that is held at once, and the plan says what the run does.
#[test]
fn what_the_plan_says_fits_is_within_the_memory_and_runs_and_nothing_else_does() {
    let shape = RandomShape { n_variables: 15, max_parents: 3, states: 2..=3, p_arc: 0.3, ..RandomShape::default() };
    for network in [flu(), grid(4), random_network(3, &shape).unwrap()] {
        let [first, last] = [0, network.n_variables() - 1].map(|place| network.name(VarId::new(place)).to_string());
        let questions = [
            format!("P({first})"),
            format!("P({first}, {last})"),
            "P(*)".into(),
            "mpe".into(),
            "mpe:20".into(),
            "mpe:500".into(),
            format!("H({last})"),
        ];
        for once in [false, true] {
            for limit in (2..16).step_by(2).map(|power| 1_usize << power) {
                let oracle = Oracle::of_network(network.clone()).with_max_entries(limit);
                let oracle = if once { oracle.for_one_question() } else { oracle };
                for question in &questions {
                    let found = plan(&oracle, question);
                    assert!(!found.fits || found.bytes <= 8.0 * limit as f64, "{question} within {limit}: {found:?}");
                    let answered = answer(&oracle, question);
                    if found.may_shrink {
                        continue;
                    }
                    assert_eq!(answered.is_ok(), found.fits, "{question} within {limit}: {found:?}, {answered:?}");
                }
            }
        }
    }
}

/// A plan compiles nothing large; where zeros may make a tree small enough, it says that only asking tells.
#[test]
fn plans_of_trees_with_zeros_say_that_they_may_shrink() {
    let chain = |n_states: usize| {
        let states: Vec<String> = (0..n_states).map(|state| format!("s{state}")).collect();
        let copies =
            |place: usize| (0..n_states).flat_map(move |of| (0..n_states).map(move |state| f64::from(state == (of + place) % n_states)));
        let mut builder = Network::builder().variable("X0", states.clone()).probabilities(vec![1.0 / n_states as f64; n_states]);
        for place in 1..6 {
            builder = builder.variable(format!("X{place}"), states.clone()).given([format!("X{}", place - 1)]).probabilities(copies(place));
        }
        Oracle::of_network(builder.build().unwrap()).with_engine(Engine::JunctionTree)
    };
    // A small one is tried at once.
    let small = plan(&chain(8).with_max_entries(130), "P(X0)");
    assert_eq!((small.method.as_str(), small.fits, small.total_entries), ("exact, junction tree", true, 48.0));
    let small = plan(&chain(8).with_max_entries(60), "P(X0)");
    assert!(!small.fits && !small.may_shrink, "{small:?}");
    let large = chain(800).with_max_entries(1_200_000);
    let found = plan(&large, "P(X0)");
    assert!(!found.fits && found.may_shrink && found.advice.contains("only asking tells"), "{found:?}");
    assert!(plan(&large, "P(*)").may_shrink);
    assert_eq!(ask(&large, "P(*)").method, "exact, junction tree");
    // What has been compiled is known.
    assert!(plan(&large, "P(X0)").fits);
}

/// The time of a joint is at least that of writing it.
#[test]
fn huge_joints_take_long() {
    let names: Vec<String> = (0..25).map(|place| format!("X{}_{}", place / 5, place % 5)).collect();
    let found = plan(&Oracle::of_network(grid(5)), &format!("P({})", names.join(", ")));
    assert!(found.seconds > 0.5 && found.largest_table == 2.0_f64.powi(25), "{found:?}");
}

/// An order of one's own is what the plan tells of.
#[test]
fn plans_go_by_the_order_that_was_given() {
    let oracle = Oracle::of_network(grid(3));
    let order: Vec<VarId> = [4, 0, 1, 2, 3, 5, 6, 7, 8].map(VarId::new).to_vec();
    let given = tunbridge_net::elimination_order::given_order(&oracle.graph().interaction_graph(), &order).unwrap();
    let found = plan(&oracle.clone().with_order(given.clone()), "P(X0_0)");
    assert_eq!((found.method.as_str(), found.largest_table), ("exact, junction tree", given.largest_table));
    assert!(found.largest_table > plan(&oracle, "P(*)").largest_table);
    assert_eq!(ask(&oracle.with_order(given), "P(X0_0)").method, "exact, junction tree");
}
