//! Propagation against elimination, and what it leaves out.

use super::*;
use crate::factor_graph::FactorGraph;
use crate::random_network::{RandomShape, random_network};
use crate::variable_elimination::eliminate;

/// Few states, which are gone through entry by entry, or many in some variables, which make runs.
fn shape(seed: u64, n_variables: usize) -> RandomShape {
    let states = if seed.is_multiple_of(2) { 2..=4 } else { 2..=11 };
    RandomShape { n_variables, states, max_parents: 2, ..RandomShape::default() }
}

/// States, sets of states and likelihoods, on the variables of most states too.
fn evidence(seed: u64, network: &crate::network::Network) -> Evidence {
    let mut evidence = Evidence::none();
    for variable in network.dag().variables().filter(|variable| (variable.index() as u64 + seed).is_multiple_of(3)) {
        let n_states = network.n_states(variable);
        match (seed as usize + variable.index()) % 4 {
            0 => evidence.observe(network, variable, (seed as usize / 3) % n_states).unwrap(),
            1 => {
                let likelihood: Vec<f64> = (0..n_states).map(|state| if state == 1 { 0.0 } else { 0.5 + state as f64 }).collect();
                evidence.observe_likelihood(network, variable, &likelihood).unwrap();
            }
            2 => {
                let middle: Vec<f64> = (0..n_states).map(|state| f64::from(u8::from(state > 0 && state < 5))).collect();
                evidence.observe_likelihood(network, variable, &middle).unwrap();
            }
            _ => {}
        }
    }
    evidence
}

#[test]
fn messages_that_step_along_runs_are_those_of_elimination() {
    let (mut n_stepping, mut n_grouped, mut n_possible, mut n_impossible) = (0, 0, 0, 0);
    for seed in 0..240 {
        let network = random_network(seed, &shape(1 + 2 * seed, 9)).unwrap();
        let graph = FactorGraph::from(&network);
        let tree = JunctionTree::compile(&graph, 1 << 20).unwrap();
        n_stepping += tree.cliques.iter().filter(|clique| clique.steps_to_parent()).count();
        n_grouped += tree.cliques.iter().filter(|clique| clique.parent.is_some() && !clique.steps_to_parent()).count();
        let evidence = evidence(seed, &network);
        let all: Vec<VarId> = network.dag().variables().collect();
        let expected = eliminate(&graph, &[], &evidence, 1 << 20).unwrap().ln_p_evidence();
        let in_doubles = tree.calibrate(&evidence).unwrap();
        let in_wide = tree.propagate(&mut Messages::<Wide>::default(), None, &evidence, &all, false).unwrap_or(Answer::Impossible);
        for found in [in_doubles, in_wide] {
            let Answer::Possible { answer, ln_p_evidence } = found else {
                assert_eq!(expected, f64::NEG_INFINITY, "seed {seed}");
                n_impossible += 1;
                continue;
            };
            n_possible += 1;
            assert!((ln_p_evidence - expected).abs() < 1e-12, "seed {seed}: {ln_p_evidence} {expected}");
            for &variable in &all {
                let expected = eliminate(&graph, &[variable], &evidence, 1 << 20).unwrap().possible().unwrap().probabilities;
                let is_near = |(found, expected): (&f64, &f64)| (found - expected).abs() < 1e-12;
                assert!(answer.marginal(variable).iter().zip(&expected).all(is_near), "seed {seed}, {variable:?}");
            }
        }
    }
    assert!(n_stepping > 200 && n_grouped > 200, "{n_stepping} step, {n_grouped} do not");
    assert!(n_possible > 200 && n_impossible > 20, "{n_possible} possible, {n_impossible} impossible");
}

/// One workspace for a series of questions that differ in a finding or two, and one for another tree in between: as if each had been asked alone.
#[test]
fn what_has_not_changed_is_not_sent_again() {
    let (mut n_sent, mut n_fresh) = (0, 0);
    for seed in 0..60 {
        let network = random_network(seed, &shape(seed, 16)).unwrap();
        let Ok(tree) = JunctionTree::compile(&FactorGraph::from(&network), 1 << 20) else { continue };
        let other = JunctionTree::compile(&FactorGraph::from(&network), 1 << 20).unwrap();
        let mut room = Workspace::default();
        let mut states: Vec<Option<usize>> = vec![None; 16];
        for step in 0..24_usize {
            let place = (7 * step + seed as usize) % 16;
            let state = step % network.n_states(VarId::new(place));
            states[place] = if states[place] == Some(state) || step % 5 == 4 { None } else { Some(state) };
            let mut evidence = Evidence::none();
            for (place, state) in states.iter().enumerate() {
                if let Some(state) = state {
                    evidence.observe(&network, VarId::new(place), *state).unwrap();
                }
            }
            if step == 15 {
                let _ = other.calibrate_in(&mut room, &evidence).unwrap();
            }
            let (again, alone) = (tree.calibrate_in(&mut room, &evidence).unwrap(), tree.calibrate(&evidence).unwrap());
            assert_eq!(again.ln_p_evidence().to_bits(), alone.ln_p_evidence().to_bits(), "seed {seed}, step {step}");
            match (again, alone) {
                (Answer::Possible { answer: again, .. }, Answer::Possible { answer: alone, .. }) => {
                    assert!(
                        again.marginals.iter().zip(&alone.marginals).all(|(a, b)| a.to_bits() == b.to_bits()),
                        "seed {seed}, step {step}"
                    );
                }
                (Answer::Impossible, Answer::Impossible) => {}
                _ => panic!("seed {seed}, step {step}: possible once, and once not"),
            }
            let messages = &room.messages;
            n_fresh += (0..tree.cliques.len()).filter(|&place| messages.is_fresh[place]).count();
            n_sent += (0..tree.cliques.len()).filter(|&place| messages.is_fresh[place] && messages.is_changed[place]).count();
        }
    }
    assert!(4 * n_sent < 3 * n_fresh, "{n_sent} of {n_fresh} sent");
}

/// What is observed above a clique is known to it before it is told: groups that are impossible by it are not gone through.
#[test]
fn what_evidence_elsewhere_makes_impossible_is_not_sent() {
    let (mut n_shut, mut n_open) = ([0, 0], [0, 0]);
    for seed in 0..60 {
        let network = random_network(seed, &shape(seed, 16)).unwrap();
        let Ok(tree) = JunctionTree::compile(&FactorGraph::from(&network), 1 << 20) else { continue };
        let mut evidence = Evidence::none();
        for place in (0..16).step_by(3) {
            evidence.observe(&network, VarId::new(place), 0).unwrap();
        }
        let mut room = Workspace::default();
        let _ = tree.calibrate_in(&mut room, &evidence).unwrap();
        let is_fresh = &room.messages.is_fresh;
        let mut look_at = |is_observed_state: bool, sent: f64, steps: bool| {
            n_shut[usize::from(steps)] += usize::from(!is_observed_state);
            n_open[usize::from(steps)] += usize::from(is_observed_state && sent > 0.0);
            assert!(is_observed_state || sent == 0.0, "seed {seed}");
        };
        for (place, clique) in tree.cliques.iter().enumerate().filter(|(place, _)| is_fresh[*place]) {
            let sent = &room.messages.up[tree.message_of(place)];
            let guards = clique.guards.iter().filter(|guard| is_fresh[guard.to]).map(|guard| guard.places.to_long());
            match clique.runs() {
                Some(Runs { variable, starts, first_states, to_parent: Some(to_parent), .. }) => {
                    let guards: Vec<Vec<u32>> = guards.collect();
                    let is_observed = is_fresh[tree.cliques.len() + variable.index()];
                    for (run, ends) in starts.windows(2).enumerate() {
                        for step in 0..ends[1] - ends[0] {
                            let by_run = !is_observed || first_states[run] + step == 0;
                            let is_observed_state = by_run && guards.iter().all(|states| states[run] == 0);
                            look_at(is_observed_state, sent[(to_parent[run] + step) as usize], true);
                        }
                    }
                }
                _ => guards.for_each(|states| states.iter().zip(sent).for_each(|(&state, &sent)| look_at(state == 0, sent, false))),
            }
        }
    }
    let many = |n: [usize; 2]| n[0] > 100 && n[1] > 100;
    assert!(many(n_shut) && many(n_open), "{n_shut:?} shut out, {n_open:?} left: in groups, along runs");
}
