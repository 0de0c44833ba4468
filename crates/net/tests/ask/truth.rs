//! Every engine against enumeration of all worlds, on random networks with random findings of every kind.

use super::brute::Worlds;
use belief::{Rng, random_stream};
use tunbridge_net::ask::{AskError, Asks, Engine, Oracle, Outcome, Question, Value};
use tunbridge_net::{Network, RandomShape, VarId, random_network};

/// A random network of at most twelve variables, of mixed sizes, with certain rows and zeros.
fn network(seed: u64) -> Network {
    let n_variables = 1 + (seed % 12) as usize;
    let most = [4, 3, 2][usize::from(n_variables > 7) + usize::from(n_variables > 9)];
    let fewest = (1 + (seed % 2) as usize).min(most);
    let p_zero = [0.0, 0.1, 0.3][(seed / 12 % 3) as usize];
    // Half of them of tables alone, half of every kind.
    let [p_deterministic_kind, p_noisy_max, p_tree] = if (seed / 36).is_multiple_of(2) { [0.0; 3] } else { [0.1, 0.4, 0.2] };
    let shape = RandomShape {
        n_variables,
        max_parents: 3,
        states: fewest..=most,
        p_arc: 0.35,
        p_zero,
        p_deterministic_kind,
        p_noisy_max,
        p_tree,
        ..RandomShape::default()
    };
    random_network(seed, &shape).unwrap()
}

/// Random findings in the language of questions: hard, negative, set, likelihood and Jeffrey.
fn findings(seed: u64, network: &Network) -> String {
    let mut draws = random_stream(seed, 7);
    let mut below = |bound: usize| (draws.next_u64() % bound as u64) as usize;
    let (mut items, mut fitted) = (Vec::new(), Vec::new());
    for _ in 0..below(6) {
        let variable = VarId::new(below(network.n_variables()));
        let (name, n_states) = (network.name(variable), network.n_states(variable));
        let state = |place: usize| &network.states(variable)[place];
        let mut weights: Vec<f64> = (0..n_states).map(|_| below(5) as f64 * 0.37).collect();
        weights[below(n_states)] = 0.8;
        let sum: f64 = weights.iter().sum();
        let listed = |weights: &[f64]| weights.iter().map(|weight| format!("{weight:?}")).collect::<Vec<_>>().join(", ");
        items.push(match below(7) {
            0 | 1 => format!("{name}={}", state(below(n_states))),
            2 => format!("{name}!={}", state(below(n_states))),
            3 => format!("{name} in {{{}, {}}}", state(below(n_states)), state(below(n_states))),
            4 | 5 => format!("{name} ~ [{}]", listed(&weights)),
            _ if fitted.contains(&variable) => continue,
            _ => {
                fitted.push(variable);
                format!("{name} :~ [{}]", listed(&weights.iter().map(|weight| weight / sum).collect::<Vec<_>>()))
            }
        });
    }
    if items.is_empty() { String::new() } else { format!(" | {}", items.join(", ")) }
}

#[derive(Default, Debug)]
struct Met {
    possible: usize,
    impossible: usize,
    fitted: usize,
    refused: usize,
    largest: f64,
}

impl Met {
    #[track_caller]
    fn compare(&mut self, found: f64, expected: f64, seed: u64, what: &str) {
        let difference = (found - expected).abs();
        assert!(difference <= 1e-12, "seed {seed}, {what}: {found}, expected {expected}, apart by {difference:e}");
        self.largest = self.largest.max(difference);
    }
}

fn run(seed: u64, met: &mut Met) {
    let network = network(seed);
    let given = findings(seed, &network);
    let resolved = |text: &str| Question::resolve(network.domain(), &text.parse().unwrap()).unwrap();
    let all = resolved(&format!("P(*{given})"));
    let mut worlds = Worlds::of(&network);
    let p_evidence = worlds.observe(&all.findings);
    let engines = [Engine::Auto, Engine::Elimination, Engine::JunctionTree, Engine::LazyPropagation];
    let oracle = Oracle::of_network(network.clone());
    let asked: Vec<VarId> = (0..network.n_variables()).rev().step_by(2).take(1 + (seed / 10 % 3) as usize).map(VarId::new).collect();
    for engine in engines {
        let oracle = oracle.clone().with_engine(engine);
        let told = format!("{engine:?}{given}");
        let reply = match (oracle.reply(&all), p_evidence) {
            (Ok(reply), _) => reply,
            (Err(AskError::PosteriorOfTheImpossible { .. } | AskError::PosteriorsDisagree { .. }), None) => {
                met.refused += 1;
                continue;
            }
            (Err(error), _) => panic!("seed {seed}, {told}: {error}"),
        };
        let Some(p_evidence) = p_evidence else { panic!("seed {seed}, {told}: refused by brute force, {reply:?}") };
        if p_evidence == 0.0 {
            let Outcome::Impossible { conflict } = reply.outcome else { panic!("seed {seed}, {told}: {reply:?}") };
            assert!(!conflict.findings.is_empty());
            met.impossible += 1;
            continue;
        }
        met.possible += 1;
        met.fitted += usize::from(given.contains(":~"));
        let Outcome::Found { value: Value::Marginals(marginals), ln_p_evidence } = reply.outcome else {
            panic!("seed {seed}, {told}: {reply:?}, P(evidence) {p_evidence}")
        };
        met.compare(ln_p_evidence, p_evidence.ln(), seed, &told);
        for (variable, marginal) in network.dag().variables().zip(&marginals) {
            for (found, expected) in marginal.iter().zip(worlds.marginal(variable)) {
                met.compare(*found, expected, seed, &told);
            }
        }
        let joint = Question { asks: Asks::Probability { variables: asked.clone(), events: Vec::new() }, ..all.clone() };
        let Outcome::Found { value: Value::Table(joint), .. } = oracle.reply(&joint).unwrap().outcome else { panic!("a table") };
        for (found, expected) in joint.probabilities.iter().zip(worlds.joint(&asked)) {
            met.compare(*found, expected, seed, &told);
        }
    }
    if p_evidence.is_none_or(|p| p == 0.0) {
        return;
    }
    // Of all variables the best four, and of a few.
    for (variables, n_best) in [(network.dag().variables().collect::<Vec<_>>(), 4), (asked.clone(), 3)] {
        let best = Question { asks: Asks::Best { n_best, variables: variables.clone() }, ..all.clone() };
        let Outcome::Found { value: Value::Best(found), .. } = oracle.reply(&best).unwrap().outcome else { panic!("assignments") };
        let expected = worlds.best(&variables, n_best);
        assert_eq!(found.len(), expected.len(), "seed {seed}, best of {variables:?}{given}");
        for (found, (states, p)) in found.iter().zip(expected) {
            met.compare(found.p, p, seed, "best");
            let found: Vec<usize> = found.states.iter().map(|(_, state)| *state).collect();
            assert_eq!(found, states, "seed {seed}, best of {variables:?}{given}, p {p}");
        }
    }
    let entropy = Question { asks: Asks::Entropy { variables: asked.clone() }, ..all.clone() };
    let Outcome::Found { value: Value::Entropy { nats }, .. } = oracle.reply(&entropy).unwrap().outcome else { panic!("an entropy") };
    met.compare(nats, worlds.entropy(&asked), seed, "entropy");
}

#[test]
fn engines_agree_with_enumeration_on_ten_thousand_networks() {
    let mut met = Met::default();
    (0..10_000).for_each(|seed| run(seed, &mut met));
    println!("{met:?}");
    assert!(met.possible > 20_000 && met.impossible > 5_000 && met.fitted > 3_000 && met.refused > 1_000, "{met:?}");
}
