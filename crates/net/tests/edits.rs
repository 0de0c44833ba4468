//! Edits of networks, divergences and likelihoods, against sums over all configurations.

#[path = "common/worlds.rs"]
mod worlds;

use tunbridge_net::variable_elimination::eliminate;
use tunbridge_net::{
    Answer, Conditional, Divergence, Evidence, FactorGraph, NetError, Network, RandomShape, VarId, kl_divergence, log_likelihood,
    random_network,
};
use worlds::worlds;

const ROOM: usize = 1 << 24;

fn mixed_network(seed: u64) -> Network {
    let shape = RandomShape {
        n_variables: 3 + (seed % 4) as usize,
        states: 2..=3,
        p_arc: 0.6,
        p_deterministic_kind: 0.15,
        p_noisy_max: 0.25,
        p_tree: 0.25,
        ..RandomShape::default()
    };
    random_network(seed, &shape).unwrap()
}

fn same_distribution(one: &Network, other: &Network) -> bool {
    worlds(one).iter().all(|world| (one.joint_probability(world) - other.joint_probability(world)).abs() < 1e-14)
}

fn without(world: &[usize], variable: VarId) -> Vec<usize> {
    let mut left = world.to_vec();
    left.remove(variable.index());
    left
}

#[test]
fn an_arc_that_is_added_changes_nothing() {
    let mut n_added = 0;
    for seed in 0..60 {
        let network = mixed_network(seed);
        for parent in network.dag().variables() {
            for child in network.dag().variables() {
                match network.with_arc(network.name(parent), network.name(child)) {
                    Ok(joined) => {
                        n_added += 1;
                        assert!(joined.dag().has_arc(parent, child) && same_distribution(&network, &joined), "seed {seed}");
                        assert_eq!(joined.conditional(child).kind(), network.conditional(child).kind());
                        // It does not matter, so that taking it away again changes nothing either.
                        let parted = joined.without_arc(network.name(parent), network.name(child)).unwrap();
                        assert!(same_distribution(&network, &parted), "seed {seed}");
                    }
                    Err(NetError::Cycle { .. } | NetError::RepeatedArc { .. }) => {}
                    Err(refused) => panic!("{refused}"),
                }
            }
        }
    }
    assert!(n_added > 100, "{n_added}");
}

#[test]
fn a_reversed_arc_keeps_the_distribution() {
    let (mut n_reversed, mut n_refused) = (0, 0);
    for seed in 0..80 {
        let network = mixed_network(seed);
        for (parent, child) in network.dag().arcs() {
            match network.with_arc_reversed(network.name(parent), network.name(child)) {
                Ok(reversed) => {
                    n_reversed += 1;
                    assert!(reversed.dag().has_arc(child, parent) && same_distribution(&network, &reversed), "seed {seed}");
                }
                Err(NetError::Cycle { path }) => {
                    n_refused += 1;
                    assert!(path.len() > 3, "another way: {path:?}");
                }
                Err(refused) => panic!("{refused}"),
            }
        }
    }
    assert!(n_reversed > 150 && n_refused > 50, "{n_reversed} {n_refused}");
    let network = mixed_network(3);
    assert_eq!(network.with_arc_reversed("V0", "V0").unwrap_err().to_string(), "there is no arc V0 → V0");
}

#[test]
fn a_variable_that_is_marginalised_out_leaves_the_others_as_they_were() {
    for seed in 0..60 {
        let network = mixed_network(seed);
        for variable in network.dag().variables() {
            let left = network.without_variable(network.name(variable)).unwrap();
            assert_eq!(left.n_variables() + 1, network.n_variables());
            for world in worlds(&network).iter().filter(|world| world[variable.index()] == 0) {
                let mut whole = world.clone();
                let expected: f64 = (0..network.n_states(variable))
                    .map(|state| {
                        whole[variable.index()] = state;
                        network.joint_probability(&whole)
                    })
                    .sum();
                assert!((left.joint_probability(&without(world, variable)) - expected).abs() < 1e-14, "seed {seed}");
            }
        }
    }
}

#[test]
fn a_state_that_is_given_leaves_the_conditional_distribution() {
    let (mut n_possible, mut n_impossible) = (0, 0);
    for seed in 0..60 {
        let network = mixed_network(seed);
        for variable in network.dag().variables() {
            for state in 0..network.n_states(variable) {
                let worlds: Vec<Vec<usize>> = worlds(&network).into_iter().filter(|world| world[variable.index()] == state).collect();
                let p: f64 = worlds.iter().map(|world| network.joint_probability(world)).sum();
                match network.given_state(network.name(variable), &network.states(variable)[state]).unwrap() {
                    Answer::Possible { answer, ln_p_evidence } => {
                        n_possible += 1;
                        assert!((ln_p_evidence - p.ln()).abs() < 1e-12, "seed {seed}");
                        for world in &worlds {
                            let expected = network.joint_probability(world) / p;
                            assert!((answer.joint_probability(&without(world, variable)) - expected).abs() < 1e-12, "seed {seed}");
                        }
                    }
                    Answer::Impossible => {
                        n_impossible += 1;
                        assert_eq!(p, 0.0);
                    }
                }
            }
        }
    }
    assert!(n_possible > 400 && n_impossible > 5, "{n_possible} {n_impossible}");
}

/// Σ P ln P/Q over all configurations.
fn divergence_by_definition(p: &Network, q: &Network) -> f64 {
    let term = |world: &Vec<usize>| {
        let (by_p, by_q) = (p.joint_probability(world), q.joint_probability(world));
        if by_p == 0.0 { 0.0 } else { by_p * (by_p / by_q).ln() }
    };
    worlds(p).iter().map(term).sum()
}

/// The network without an arc has the child's distribution averaged, and no other of its graph is nearer.
#[test]
fn without_an_arc_the_nearest_distribution_is_left() {
    let mut n_nearest = 0;
    for seed in 0..40 {
        // No zeros, so that divergences are finite.
        let shape = RandomShape {
            n_variables: 4,
            states: 2..=3,
            p_arc: 0.8,
            p_deterministic: 0.0,
            p_zero: 0.0,
            p_tree: 0.3,
            p_noisy_max: 0.3,
            ..RandomShape::default()
        };
        let network = random_network(seed, &shape).unwrap();
        for (parent, child) in network.dag().arcs() {
            let parted = network.without_arc(network.name(parent), network.name(child)).unwrap();
            let nearest = divergence_by_definition(&network, &parted);
            if !nearest.is_finite() {
                continue;
            }
            // Weigh the first row's first state a little more or less: that is further away.
            for factor in [0.9, 1.1] {
                let mut values = parted.table(child).unwrap().into_owned();
                values[0] = (values[0] * factor).min(0.999);
                let rest: f64 = values[1..parted.n_states(child)].iter().sum();
                let scale = (1.0 - values[0]) / rest;
                if !scale.is_finite() {
                    continue;
                }
                values[1..parted.n_states(child)].iter_mut().for_each(|value| *value *= scale);
                let conditionals = network.dag().variables().map(|other| {
                    if other == child {
                        Conditional::Table(tunbridge_net::ConditionalTable::new(parted.n_states(child), values.clone()).unwrap())
                    } else {
                        parted.conditional(other).clone()
                    }
                });
                let parents = parted.dag().variables().map(|other| parted.dag().parents(other).to_vec()).collect();
                let other = Network::from_conditionals(parted.domain().clone(), parents, conditionals.collect()).unwrap();
                assert!(divergence_by_definition(&network, &other) >= nearest - 1e-14, "seed {seed}");
                n_nearest += 1;
            }
        }
    }
    assert!(n_nearest > 100, "{n_nearest}");
}

#[test]
fn a_noisy_or_stays_one_without_an_independent_cause() {
    let causes = [("A", "y", 0.5), ("B", "y", 0.25)];
    let network = ["A", "B"]
        .into_iter()
        .fold(Network::builder(), |builder, cause| builder.variable(cause, ["y", "n"]).probabilities([0.5, 0.5]))
        .variable("C", ["y", "n"])
        .noisy_or("y", causes, 0.0)
        .build()
        .unwrap();
    for left in [network.without_arc("A", "C").unwrap().without_variable("A").unwrap(), network.without_variable("A").unwrap()] {
        let Conditional::NoisyMax(noisy) = left.conditional(left.find("C").unwrap()) else { panic!("a noisy-OR") };
        assert_eq!((noisy.causes().len(), noisy.leak()), (1, &[0.25, 0.75][..]));
    }
}

#[test]
fn divergences_are_those_of_the_definition() {
    let (mut n_finite, mut n_infinite) = (0, 0);
    for seed in 0..150 {
        let p = mixed_network(seed);
        let q = match seed % 3 {
            0 => p.clone(),
            // Another graph and other numbers over the same variables.
            _ => {
                let shape = RandomShape {
                    n_variables: p.n_variables(),
                    states: 2..=2,
                    p_arc: 0.5,
                    p_deterministic: 0.0,
                    p_zero: if seed % 3 == 1 { 0.0 } else { 0.1 },
                    ..RandomShape::default()
                };
                random_network(1000 + seed, &shape).unwrap()
            }
        };
        let p = if seed % 3 == 0 {
            p
        } else {
            let shape = RandomShape {
                n_variables: p.n_variables(),
                states: 2..=2,
                p_arc: 0.5,
                p_tree: 0.3,
                p_noisy_max: 0.3,
                ..RandomShape::default()
            };
            random_network(seed, &shape).unwrap()
        };
        let expected = divergence_by_definition(&p, &q);
        match kl_divergence(&p, &q, ROOM).unwrap() {
            Divergence::Finite { nats } => {
                n_finite += 1;
                assert!((nats - expected).abs() < 1e-12, "seed {seed}: {nats} {expected}");
                assert!(seed % 3 != 0 || nats == 0.0);
            }
            Divergence::Infinite { configuration } => {
                n_infinite += 1;
                assert_eq!(expected, f64::INFINITY);
                let (child, _) = configuration[configuration.len() - 1];
                let mut world = vec![0; q.n_variables()];
                configuration.iter().for_each(|(variable, state)| world[variable.index()] = *state);
                assert_eq!(q.local_probability(child, &world), 0.0);
            }
        }
    }
    assert!(n_finite > 90 && n_infinite > 10, "{n_finite} {n_infinite}");
}

/// What the second network says of configurations that the first makes impossible does not count, whatever it is.
#[test]
fn rows_that_never_come_about_do_not_count() {
    let network = |wet_if_never: [f64; 2], dry: f64| {
        Network::builder()
            .variable("Rain", ["yes", "no", "never"])
            .probabilities([0.25, 0.75, 0.0])
            .variable("Wet", ["yes", "no"])
            .given(["Rain"])
            .probabilities([0.5, 0.5, 1.0 - dry, dry, wet_if_never[0], wet_if_never[1]])
            .build()
            .unwrap()
    };
    let expected = 0.75 * (0.5 * (0.5_f64 / 0.25).ln() + 0.5 * (0.5_f64 / 0.75).ln());
    for row in [[0.5, 0.5], [1.0, 0.0]] {
        let Divergence::Finite { nats } = kl_divergence(&network([0.5, 0.5], 0.5), &network(row, 0.75), ROOM).unwrap() else {
            panic!("finite")
        };
        assert!((nats - expected).abs() < 1e-15, "{nats} {expected}");
    }
}

/// Names count, places do not.
#[test]
fn divergences_match_variables_and_states_by_name() {
    let p = Network::builder()
        .variable("A", ["x", "y"])
        .probabilities([0.25, 0.75])
        .variable("B", ["u", "v", "w"])
        .given(["A"])
        .probabilities([0.5, 0.25, 0.25, 0.125, 0.125, 0.75])
        .build()
        .unwrap();
    let q = Network::builder()
        .variable("B", ["w", "v", "u"])
        .given(["A"])
        .probabilities([0.75, 0.125, 0.125, 0.25, 0.25, 0.5])
        .variable("A", ["y", "x"])
        .probabilities([0.75, 0.25])
        .build()
        .unwrap();
    assert_eq!(kl_divergence(&p, &q, ROOM).unwrap(), Divergence::Finite { nats: 0.0 });
    let other = q.with_state_renamed("B", "u", "z").unwrap();
    let refused = kl_divergence(&p, &other, ROOM).unwrap_err().to_string();
    assert_eq!(refused, "the networks are not over the same variables and states: look at `B`");
    assert!(kl_divergence(&p, &q.without_variable("B").unwrap(), ROOM).is_err());
    assert!(p.with_variable_renamed("A", "B").is_err() && p.with_state_renamed("A", "x", "y").is_err());
}

#[test]
fn rows_are_judged_by_the_joint() {
    let network = mixed_network(5);
    let rows = worlds(&network);
    let found = log_likelihood(&network, rows.iter().map(Vec::as_slice)).unwrap();
    for (row, ln) in rows.iter().zip(&found.rows) {
        assert!((ln.exp() - network.joint_probability(row)).abs() < 1e-15);
    }
    let impossible = rows.iter().position(|row| network.joint_probability(row) == 0.0);
    assert_eq!(found.first_impossible, impossible);
    assert_eq!(found.total, f64::NEG_INFINITY);
    assert!(matches!(log_likelihood(&network, [&[0][..]]), Err(NetError::NoAssignment { .. })));
}

fn repository(name: &str) -> Network {
    let path = format!("{}/../../testdata/networks/{name}.bif", env!("CARGO_MANIFEST_DIR"));
    tunbridge_net::format::bif::read(&std::fs::read(path).unwrap()).unwrap().network
}

fn marginal(network: &Network, of: &[&str]) -> Vec<f64> {
    let query: Vec<VarId> = of.iter().map(|name| network.find(name).unwrap()).collect();
    eliminate(&FactorGraph::from(network), &query, &Evidence::none(), ROOM).unwrap().possible().unwrap().probabilities
}

/// Of the arcs of real networks: what removing one costs is the mutual information of its ends given the child's other parents.
#[test]
fn removing_an_arc_costs_the_mutual_information_it_carries() {
    for name in ["asia", "alarm"] {
        let network = repository(name);
        for (parent, child) in network.dag().arcs().step_by(3) {
            let others = network.dag().parents(child).iter().copied().filter(|&other| other != parent);
            let family: Vec<&str> = others.chain([parent, child]).map(|member| network.name(member)).collect();
            let joint = marginal(&network, &family);
            let (n_parent, n_child) = (network.n_states(parent), network.n_states(child));
            let mut information = 0.0;
            for block in joint.chunks(n_parent * n_child) {
                let total: f64 = block.iter().sum();
                for (place, &p) in block.iter().enumerate().filter(|(_, p)| **p > 0.0) {
                    let of_parent: f64 = block.chunks(n_child).nth(place / n_child).unwrap().iter().sum();
                    let of_child: f64 = block.iter().skip(place % n_child).step_by(n_child).sum();
                    information += p * (p * total / (of_parent * of_child)).ln();
                }
            }
            let parted = network.without_arc(network.name(parent), network.name(child)).unwrap();
            let Divergence::Finite { nats } = kl_divergence(&network, &parted, ROOM).unwrap() else { panic!("finite") };
            assert!((nats - information).abs() < 1e-12, "{name}: {family:?} {nats} {information}");
        }
    }
}

/// Marginalising alarm's variables out one by one, in whatever order, leaves the others' joint; and so does reversing its arcs.
#[test]
fn edits_of_alarm_leave_marginals_as_they_were() {
    let alarm = repository("alarm");
    let asked = ["CATECHOL", "BP", "INTUBATION"];
    let before = marginal(&alarm, &asked);
    let close = |network: &Network| marginal(network, &asked).iter().zip(&before).all(|(after, before)| (after - before).abs() < 1e-12);
    let mut left = alarm.clone();
    for variable in alarm.domain().names().iter().filter(|name| !asked.contains(&name.as_str())).step_by(2) {
        match left.without_variable(variable) {
            Ok(fewer) => left = fewer,
            Err(refused) => assert!(matches!(refused, NetError::TooLarge { .. }), "{refused}"),
        }
    }
    assert!(left.n_variables() < 25 && close(&left), "{}", left.n_variables());
    let mut turned = alarm.clone();
    for (parent, child) in alarm.dag().arcs().step_by(5) {
        if let Ok(reversed) = turned.with_arc_reversed(alarm.name(parent), alarm.name(child)) {
            turned = reversed;
        }
    }
    assert_ne!(turned.dag(), alarm.dag());
    assert!(close(&turned));
}
