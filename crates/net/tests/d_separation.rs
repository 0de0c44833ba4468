//! d-separation against its definition and against the joint distribution, on random small networks.

use tunbridge_net::d_separation::{Separation, d_separation, reachable};
use tunbridge_net::{Dag, Network, RandomShape, VarId, random_network};

/// Random connected-looking graphs; probabilities without zeros or certain rows, so that dependence of the graph shows in the numbers.
fn generic(seed: u64) -> Network {
    let n_variables = 3 + (seed % 4) as usize;
    let shape = RandomShape {
        n_variables,
        max_parents: 3,
        states: 2..=2,
        p_arc: 0.45,
        p_deterministic: 0.0,
        p_zero: 0.0,
        ..RandomShape::default()
    };
    random_network(seed, &shape).unwrap()
}

/// The definition (Pearl 1988, section 3.3.1): every inner variable of an active trail is a collider with itself or a descendant given, or
/// no collider and not given.
fn is_active(dag: &Dag, trail: &[VarId], given: &[VarId]) -> bool {
    let steps_are_arcs = trail.windows(2).all(|step| dag.has_arc(step[0], step[1]) || dag.has_arc(step[1], step[0]));
    let ends_are_open = !given.contains(&trail[0]) && !given.contains(&trail[trail.len() - 1]);
    let inner_are_open = trail.windows(3).all(|place| {
        let collider = dag.has_arc(place[0], place[1]) && dag.has_arc(place[2], place[1]);
        let informed = given.iter().any(|&seen| seen == place[1] || dag.ancestors(seen).contains(&place[1]));
        if collider { informed } else { !given.contains(&place[1]) }
    });
    steps_are_arcs && ends_are_open && inner_are_open
}

/// The length of a shortest active trail, among all trails that visit no variable twice.
fn shortest_active_trail(dag: &Dag, from: VarId, to: VarId, given: &[VarId]) -> Option<usize> {
    let mut shortest: Option<usize> = None;
    let mut waiting = vec![vec![from]];
    while let Some(trail) = waiting.pop() {
        let here = trail[trail.len() - 1];
        if here == to {
            if is_active(dag, &trail, given) {
                shortest = Some(shortest.map_or(trail.len(), |length| length.min(trail.len())));
            }
            continue;
        }
        for next in dag.parents(here).iter().chain(dag.children(here)) {
            if !trail.contains(next) {
                waiting.push([trail.as_slice(), &[*next]].concat());
            }
        }
    }
    shortest
}

/// The variables whose bits are set.
fn subset(dag: &Dag, bits: usize) -> Vec<VarId> {
    dag.variables().filter(|variable| bits >> variable.index() & 1 == 1).collect()
}

/// The largest |P(a, b, g)·P(g) − P(a, g)·P(b, g)| over all states, from the joint of binary variables.
fn dependence(network: &Network, first: VarId, second: VarId, given: &[VarId]) -> f64 {
    let n_variables = network.n_variables();
    let bit = |world: usize, variable: VarId| world >> variable.index() & 1;
    let worlds: Vec<f64> = (0..1 << n_variables)
        .map(|world| network.joint_probability(&(0..n_variables).map(|v| world >> v & 1).collect::<Vec<_>>()))
        .collect();
    let p = |holds: &dyn Fn(usize) -> bool| -> f64 { (0..worlds.len()).filter(|&world| holds(world)).map(|world| worlds[world]).sum() };
    let mut worst = 0.0_f64;
    for reference in 0..worlds.len() {
        let same = |world: usize, variables: &[VarId]| variables.iter().all(|&v| bit(world, v) == bit(reference, v));
        let all = p(&|world| same(world, given) && same(world, &[first, second]));
        let left = p(&|world| same(world, given) && same(world, &[first]));
        let right = p(&|world| same(world, given) && same(world, &[second]));
        worst = worst.max((all * p(&|world| same(world, given)) - left * right).abs());
    }
    worst
}

#[test]
fn the_ball_agrees_with_the_definition_and_tells_a_shortest_active_trail() {
    let mut n_dependent = 0;
    let mut n_asked = 0;
    for seed in 0..150 {
        let network = generic(seed);
        let dag = network.dag();
        for bits in 0..1 << dag.n_variables() {
            let given = subset(dag, bits);
            for first in dag.variables() {
                let reached = reachable(dag, &[first], &given);
                for second in dag.variables().filter(|&second| second != first) {
                    n_asked += 1;
                    let expected = shortest_active_trail(dag, first, second, &given);
                    assert_eq!(reached.contains(&second), expected.is_some());
                    match d_separation(dag, &[first], &[second], &given) {
                        Separation::Independent => assert_eq!(expected, None, "seed {seed}: {first:?} {second:?} | {given:?}"),
                        Separation::Dependent { trail } => {
                            n_dependent += 1;
                            assert_eq!(expected, Some(trail.len()), "seed {seed}: {first:?} {second:?} | {given:?}: {trail:?}");
                            assert!(is_active(dag, &trail, &given), "seed {seed}: {trail:?} given {given:?} is not active");
                        }
                    }
                }
            }
        }
    }
    assert!(n_dependent * 10 > n_asked, "only {n_dependent} of {n_asked} were dependent");
}

#[test]
fn the_ball_agrees_with_the_joint_distribution() {
    for seed in 0..40 {
        let network = generic(seed);
        let dag = network.dag();
        for bits in 0..1 << dag.n_variables().min(5) {
            let given = subset(dag, bits);
            let [first, second] = [VarId::new(0), VarId::new(1)];
            if given.contains(&first) || given.contains(&second) {
                continue;
            }
            let separated = d_separation(dag, &[first], &[second], &given) == Separation::Independent;
            let dependence = dependence(&network, first, second, &given);
            if separated {
                assert!(dependence < 1e-15, "seed {seed}: {dependence} given {given:?}");
            } else {
                assert!(dependence > 1e-12, "seed {seed}: {dependence} given {given:?}");
            }
        }
    }
}

#[test]
fn sets_overlap_and_given_variables_are_defined() {
    let dag = Dag::from_parents(vec![vec![], vec![VarId::new(0)], vec![VarId::new(1)]]).unwrap();
    let [a, b, c] = [0, 1, 2].map(VarId::new);
    assert_eq!(d_separation(&dag, &[a], &[a], &[]), Separation::Dependent { trail: vec![a] });
    assert_eq!(d_separation(&dag, &[a], &[a], &[a]), Separation::Independent);
    assert_eq!(d_separation(&dag, &[a, c], &[b], &[a]), Separation::Dependent { trail: vec![c, b] });
    assert_eq!(d_separation(&dag, &[], &[b], &[]), Separation::Independent);
}
