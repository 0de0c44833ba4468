//! The order of hidden variables' states.

use std::sync::Arc;

use belief::{Rng, VarId, random_stream};
use proptest::prelude::*;
use tunbridge_net::parameters::em::{Fitted, start};
use tunbridge_net::parameters::hidden_states::{alignment, canonical_order, may_be_relabelled};
use tunbridge_net::parameters::{Families, IncompleteRows, ParameterPrior, Parameters, Pseudocounts};
use tunbridge_net::{Network, RandomShape, random_network};

use crate::climbs::{close, em, families, incomplete, to_the_top};
use crate::rows::{completions, drawn, place, uniform};

/// Variables of two to four states, so that orders are more than a swap.
fn network(seed: u64) -> Network {
    let shape = RandomShape {
        n_variables: 6,
        max_parents: 2,
        states: 2..=4,
        p_arc: 0.5,
        p_deterministic: 0.0,
        p_zero: 0.0,
        p_deterministic_kind: 0.0,
        p_noisy_max: 0.0,
        p_tree: 0.0,
    };
    random_network(seed, &shape).unwrap()
}

fn random_order(n: usize, rng: &mut impl Rng) -> Vec<usize> {
    let mut left: Vec<usize> = (0..n).collect();
    (0..n).map(|_| left.remove((uniform(rng) * left.len() as f64) as usize)).collect()
}

/// The obvious way: every cell of every family goes where its configuration goes. The new state s of a variable is the old one `orders[v][s]`.
fn relabelled(families: &Families, cells: &[f64], orders: &[Vec<usize>]) -> Vec<f64> {
    let mut moved = vec![0.0; cells.len()];
    for new in completions(families, &vec![None; families.len()]) {
        let old: Vec<usize> = new.iter().enumerate().map(|(v, state)| orders[v][*state]).collect();
        (0..families.len()).for_each(|of| moved[place(families, of, &new)] = cells[place(families, of, &old)]);
    }
    moved
}

/// Orders by lot for the hidden variables, and the others' own.
fn orders(families: &Families, hidden: &[usize], rng: &mut impl Rng) -> Vec<Vec<usize>> {
    let own = |(v, n): (usize, &usize)| if hidden.contains(&v) { random_order(*n, rng) } else { (0..*n).collect() };
    families.n_states().iter().enumerate().map(own).collect()
}

fn ids(hidden: &[usize]) -> Vec<VarId> {
    hidden.iter().copied().map(VarId::new).collect()
}

/// How far tables are apart: Σ ½ |p − q| over their rows, each with its share of the two counts.
fn apart(families: &Families, a: (&[f64], &[f64]), b: (&[f64], &[f64])) -> f64 {
    let mut sum = 0.0;
    for of in 0..families.len() {
        let total = |counts: &[f64]| counts[families.cells(of)].iter().sum::<f64>();
        let (of_a, of_b) = (total(a.1), total(b.1));
        for row in families.cells(of).step_by(families.n_states()[of]) {
            let cells = row..row + families.n_states()[of];
            let share = 0.5 * (a.1[cells.clone()].iter().sum::<f64>() / of_a + b.1[cells.clone()].iter().sum::<f64>() / of_b);
            sum += share * cells.map(|cell| 0.5 * (a.0[cell] - b.0[cell]).abs()).sum::<f64>();
        }
    }
    sum
}

/// What families are expected to be in so many rows of a network.
fn expected_of(parameters: &Parameters, families: &Families, n_rows: f64) -> Vec<f64> {
    let mut cells = vec![0.0; families.n_cells()];
    for row in completions(families, &vec![None; families.len()]) {
        let p: f64 = (0..families.len()).map(|of| parameters.theta()[place(families, of, &row)]).product();
        (0..families.len()).for_each(|of| cells[place(families, of, &row)] += n_rows * p);
    }
    cells
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    /// However the states stood before, they stand the same afterwards; tables, and numbers that go along.
    #[test]
    fn the_canonical_order_does_not_depend_on_the_order_before(seed in any::<u64>(), hidden in prop::sample::subsequence(vec![0_usize, 1, 2, 3, 4, 5], 1..=3)) {
        let network = network(seed);
        let families = families(&network);
        let theta = Parameters::of_network(&network, Arc::clone(&families)).unwrap();
        let counts = expected_of(&theta, &families, 1000.0);
        let orders = orders(&families, &hidden, &mut random_stream(seed, 1));
        let other = Parameters::new(Arc::clone(&families), relabelled(&families, theta.theta(), &orders)).unwrap();
        let other_counts = relabelled(&families, &counts, &orders);
        let (a, b) = (canonical_order(&families, &counts, &ids(&hidden)).unwrap(), canonical_order(&families, &other_counts, &ids(&hidden)).unwrap());
        prop_assert!(close(a.parameters(&theta).unwrap().theta(), b.parameters(&other).unwrap().theta(), 1e-12));
        let (mut mine, mut others) = (counts.clone(), other_counts);
        a.apply(&families, &mut mine).unwrap();
        b.apply(&families, &mut others).unwrap();
        prop_assert!(close(&mine, &others, 1e-9));
        // What a relabelling does is what the obvious way does, and a second time there is nothing to do.
        let done: Vec<Vec<usize>> = (0..families.len())
            .map(|v| a.order(VarId::new(v)).map_or_else(|| (0..families.n_states()[v]).collect(), <[usize]>::to_vec))
            .collect();
        let by_cells = relabelled(&families, &counts, &done);
        prop_assert_eq!(&by_cells, &mine);
        prop_assert!(canonical_order(&families, &mine, &ids(&hidden)).unwrap().is_identity());
    }

    /// A model whose states were put in another order, and whose tables were changed a little, is put back: it is as near as it was, or nearer
    /// where two states are nearly the same.
    #[test]
    fn a_model_is_aligned_with_another(seed in any::<u64>(), hidden in prop::sample::subsequence(vec![0_usize, 1, 2, 3, 4, 5], 1..=2)) {
        let network = network(seed);
        let families = families(&network);
        let theta = Parameters::of_network(&network, Arc::clone(&families)).unwrap();
        let counts = expected_of(&theta, &families, 1000.0);
        let mut rng = random_stream(seed, 2);
        let nearby = theta.theta().iter().map(|p| p * (1.0 + 1e-4 * uniform(&mut rng))).collect();
        let nearby = Parameters::new(Arc::clone(&families), nearby).unwrap();
        let orders = orders(&families, &hidden, &mut rng);
        let moved = Parameters::new(Arc::clone(&families), relabelled(&families, nearby.theta(), &orders)).unwrap();
        let moved_counts = relabelled(&families, &counts, &orders);
        let found = alignment((&moved, &moved_counts), (&theta, &counts), &ids(&hidden)).unwrap();
        let mut aligned_counts = moved_counts;
        found.apply(&families, &mut aligned_counts).unwrap();
        let truth = (theta.theta(), &counts[..]);
        let aligned = apart(&families, truth, (found.parameters(&moved).unwrap().theta(), &aligned_counts));
        let before = apart(&families, truth, (nearby.theta(), &counts));
        prop_assert!(before < 1e-3 && aligned <= before + 1e-12, "{aligned}, and {before} before");
    }
}

fn hidden_class() -> (Arc<Families>, IncompleteRows, Network) {
    let network = Network::builder()
        .variable("Class", ["1", "2", "3"])
        .probabilities([0.5, 0.3, 0.2])
        .variable("X", ["a", "b", "c"])
        .given(["Class"])
        .probabilities([0.8, 0.1, 0.1, 0.1, 0.8, 0.1, 0.1, 0.1, 0.8])
        .variable("Y", ["a", "b", "c"])
        .given(["Class"])
        .probabilities([0.7, 0.2, 0.1, 0.1, 0.7, 0.2, 0.2, 0.1, 0.7])
        .variable("Z", ["a", "b", "c"])
        .given(["Class"])
        .probabilities([0.8, 0.1, 0.1, 0.2, 0.6, 0.2, 0.1, 0.2, 0.7])
        .build()
        .unwrap();
    let families = families(&network);
    let found = incomplete(&families, &drawn(&network, 600, 1, 0.0, &[0]));
    (families, found, network)
}

fn all_counts(found: &IncompleteRows, fitted: &Fitted) -> Vec<f64> {
    found.observed().cells().iter().zip(&fitted.expected).map(|(a, b)| a + b).collect()
}

/// Climbs from different starts end with the states in different orders, and mean the same.
#[test]
fn runs_whose_tops_differ_by_the_order_of_states_give_the_same_tables() {
    let (families, found, network) = hidden_class();
    let prior = ParameterPrior::new(Pseudocounts::PerCell(1.0));
    assert!(may_be_relabelled(&families, &prior, VarId::new(0)).unwrap());
    let hidden = ids(&[0]);
    let runs: Vec<Fitted> = (0..6).map(|nth| em(&found, &prior, to_the_top(), &start(found.observed(), &prior, 7, nth).unwrap())).collect();
    let top = runs.iter().map(|run| run.objectives[run.objectives.len() - 1]).fold(f64::NEG_INFINITY, f64::max);
    let at_top: Vec<&Fitted> = runs.iter().filter(|run| run.objectives[run.objectives.len() - 1] > top - 1e-6).collect();
    let canonical = |run: &Fitted| {
        let order = canonical_order(&families, &all_counts(&found, run), &hidden).unwrap();
        (order.is_identity(), order.parameters(&run.parameters).unwrap())
    };
    let first = canonical(at_top[0]).1;
    // What a climb gives goes along whole.
    let order = canonical_order(&families, &all_counts(&found, at_top[0]), &hidden).unwrap();
    let whole = order.fitted(at_top[0].clone()).unwrap();
    assert_eq!(whole.parameters, first);
    assert!(close(&found.expected_here(&whole.parameters).cells, &whole.expected, 1e-5));
    assert!(at_top.len() > 2 && at_top.iter().any(|run| !canonical(run).0));
    for run in &at_top {
        assert!(close(canonical(run).1.theta(), first.theta(), 1e-6));
        let counts = all_counts(&found, run);
        let aligned = alignment((&run.parameters, &counts), (&at_top[0].parameters, &all_counts(&found, at_top[0])), &hidden).unwrap();
        assert!(close(aligned.parameters(&run.parameters).unwrap().theta(), at_top[0].parameters.theta(), 1e-6));
    }
    // The true classes are listed the most frequent first as well.
    assert!(
        first
            .theta()
            .iter()
            .zip(network.domain().variables().flat_map(|v| network.table(v).unwrap().to_vec()))
            .all(|(a, b)| (a - b).abs() < 0.15)
    );
}

/// Where all states are expected equally often, what they say of the first child decides.
#[test]
fn states_equally_often_are_ordered_by_their_children() {
    let (families, ..) = hidden_class();
    let theta = [
        [1.0 / 3.0; 3].to_vec(),
        vec![0.1, 0.8, 0.1, 0.7, 0.2, 0.1, 0.1, 0.1, 0.8],
        vec![1.0 / 3.0; 9],
        vec![0.2, 0.2, 0.6, 0.4, 0.3, 0.3, 0.2, 0.3, 0.5],
    ];
    let theta = Parameters::new(Arc::clone(&families), theta.concat()).unwrap();
    let counts = expected_of(&theta, &families, 300.0);
    let order = canonical_order(&families, &counts, &ids(&[0])).unwrap();
    // P(X=a | state) is .1, .7, .1; of the two that are alike the first has the larger P(X=b | state).
    assert_eq!(order.order(VarId::new(0)), Some(&[1_usize, 0, 2][..]));
}

#[test]
fn states_that_the_prior_tells_apart_stay() {
    let (families, _, network) = hidden_class();
    let mut prior = ParameterPrior::new(Pseudocounts::EquivalentSampleSize(3.0));
    assert!(may_be_relabelled(&families, &prior, VarId::new(0)).unwrap());
    prior.fixed.insert(2, network.table(VarId::new(2)).unwrap().to_vec());
    assert!(!may_be_relabelled(&families, &prior, VarId::new(0)).unwrap());
    let domain = (network.structure(), network.domain());
    let expert = ParameterPrior::of_network(&network, domain, &families, 10.0, 1 << 20).unwrap();
    assert!(!may_be_relabelled(&families, &expert, VarId::new(0)).unwrap());
    assert!(canonical_order(&families, &[1.0], &ids(&[0])).is_err());
    assert!(canonical_order(&families, &vec![1.0; families.n_cells()], &ids(&[4])).is_err());
}
