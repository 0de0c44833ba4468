//! What is expected of gaps, against the list of all rows that a row with gaps may be; and EM.

use std::convert::Infallible;
use std::sync::Arc;

use belief::{Climb, SufficientStatistic};
use proptest::prelude::*;
use tunbridge_net::Network;
use tunbridge_net::parameters::em::{Em, EmOptions, start};
use tunbridge_net::parameters::{Expected, ExpectedRows, Families, IncompleteRows, ParameterPrior, Parameters, Pseudocounts, Wiring};

use crate::rows::{Rows, completions, drawn, place, some_network, with_chunk};

fn families(network: &Network) -> Arc<Families> {
    Arc::new(Families::of(network.structure(), network.domain()).unwrap())
}

/// The rows in two chunks, so that sums go over more than one.
fn incomplete(families: &Arc<Families>, rows: &Rows, max_bytes: usize) -> IncompleteRows {
    let wiring = Arc::new(Wiring::new(Arc::clone(families), 1 << 20));
    let (left, right) = rows.split_at(rows.len() / 3);
    let part = |rows: &[Vec<Option<usize>>], first: u64| {
        let mut part = IncompleteRows::empty(Arc::clone(&wiring), max_bytes);
        with_chunk(families, rows, first, None, |chunk| part.observe(chunk)).unwrap();
        part
    };
    let mut all = part(left, 0);
    all.merge(&part(right, left.len() as u64)).unwrap();
    all
}

/// Expected counts of all families, and Σ ln P(row), by listing everything.
fn by_listing(network: &Network, families: &Families, rows: &Rows) -> (Vec<f64>, f64) {
    let (mut cells, mut ln) = (vec![0.0; families.n_cells()], 0.0);
    for row in rows {
        let all = completions(families, row);
        let p: Vec<f64> = all.iter().map(|row| network.joint_probability(row)).collect();
        let sum: f64 = p.iter().sum();
        ln += sum.ln();
        for (row, p) in all.iter().zip(p) {
            (0..families.len()).for_each(|of| cells[place(families, of, row)] += p / sum);
        }
    }
    (cells, ln)
}

fn close(a: &[f64], b: &[f64], tolerance: f64) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| (a - b).abs() <= tolerance * b.abs().max(1.0))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn expectations_are_those_of_the_list(seed in any::<u64>(), p_missing in 0.0..0.9_f64, hide in any::<bool>()) {
        let network = some_network(seed, 7);
        let families = families(&network);
        let hidden = if hide { vec![seed as usize % 7] } else { Vec::new() };
        let rows = drawn(&network, 30, seed, p_missing, &hidden);
        let found = incomplete(&families, &rows, usize::MAX);
        let parameters = Parameters::of_network(&network, Arc::clone(&families)).unwrap();
        let expected = found.expected_here(&parameters);
        let sum: Vec<f64> = found.observed().cells().iter().zip(&expected.cells).map(|(a, b)| a + b).collect();
        let (cells, ln) = by_listing(&network, &families, &rows);
        prop_assert!(close(&sum, &cells, 1e-12));
        let found_ln = parameters.ln_likelihood(found.observed().cells()) + expected.ln_parts();
        prop_assert!((found_ln - ln).abs() < 1e-11 * ln.abs().max(1.0), "{found_ln} for {ln}");
        let n_gappy = rows.iter().filter(|row| row.contains(&None)).count();
        prop_assert_eq!(found.n_incomplete(), n_gappy as f64);
    }

    #[test]
    fn rows_that_are_read_again_give_the_same_bits(seed in any::<u64>(), p_missing in 0.1..0.6_f64) {
        let network = some_network(seed, 9);
        let families = families(&network);
        let rows = drawn(&network, 200, seed, p_missing, &[]);
        let parameters = Parameters::of_network(&network, Arc::clone(&families)).unwrap();
        let held = incomplete(&families, &rows, usize::MAX);
        let backwards = held.expected(&parameters, |pieces, make| {
            let mut made: Vec<Expected> = pieces.iter().rev().map(make).collect();
            made.reverse();
            made
        });
        prop_assert_eq!(&held.expected_here(&parameters), &backwards);
        let wiring = Wiring::new(Arc::clone(&families), 1 << 20);
        let (left, right) = rows.split_at(rows.len() / 3);
        let read = |rows: &[Vec<Option<usize>>], first: u64| {
            let mut read = ExpectedRows::empty(&wiring, &parameters);
            with_chunk(&families, rows, first, None, |chunk| read.observe(chunk)).unwrap();
            read
        };
        let mut again = read(left, 0);
        again.merge(&read(right, left.len() as u64)).unwrap();
        prop_assert_eq!(again.into_expected(), backwards);
        let given_up = incomplete(&families, &rows, 100);
        prop_assert!(!given_up.is_held() && given_up.n_parts() == 0);
        prop_assert_eq!(given_up.observed(), held.observed());
    }

    #[test]
    fn what_climbs_never_falls(seed in any::<u64>(), accelerate in any::<bool>(), ess in prop_oneof![Just(0.0), 0.1..20.0_f64]) {
        let network = some_network(seed, 6);
        let families = families(&network);
        let rows = drawn(&network, 60, seed, 0.3, &[seed as usize % 6]);
        let found = incomplete(&families, &rows, usize::MAX);
        let prior = ParameterPrior::new(Pseudocounts::EquivalentSampleSize(ess));
        let options = EmOptions { climb: Climb { most_steps: 60, least_rise: 0.0, least_change: 0.0 }, accelerate };
        let em = Em { observed: found.observed(), prior: &prior, options };
        let fitted = em.run(start(found.observed(), &prior, seed, 0).unwrap(), |p| Ok::<_, Infallible>(found.expected_here(p))).unwrap();
        for pair in fitted.objectives.windows(2) {
            prop_assert!(pair[1] >= pair[0] - 1e-9 * pair[0].abs(), "{} after {}", pair[1], pair[0]);
        }
    }
}

fn climbed(found: &IncompleteRows, prior: &ParameterPrior, accelerate: bool) -> (Vec<f64>, usize) {
    let options = EmOptions { climb: Climb { most_steps: 20_000, least_rise: 1e-14, least_change: 1e-10 }, accelerate };
    let em = Em { observed: found.observed(), prior, options };
    let begin = start(found.observed(), prior, 3, 0).unwrap();
    let fitted = em.run(begin, |p| Ok::<_, Infallible>(found.expected_here(p))).unwrap();
    assert!(fitted.converged);
    (fitted.parameters.theta().to_vec(), fitted.objectives.len())
}

#[test]
fn longer_steps_end_where_plain_ones_do_and_sooner() {
    let network = some_network(5, 6);
    let families = families(&network);
    let rows = drawn(&network, 400, 5, 0.3, &[]);
    let found = incomplete(&families, &rows, usize::MAX);
    let prior = ParameterPrior::new(Pseudocounts::PerCell(1.0));
    let ((plain, n_plain), (fast, n_fast)) = (climbed(&found, &prior, false), climbed(&found, &prior, true));
    assert!(close(&plain, &fast, 1e-6), "{plain:?} {fast:?}");
    assert!(n_fast < n_plain, "{n_fast} steps, {n_plain} plain ones");
}

#[test]
fn many_children_of_a_hidden_variable_do_not_underflow() {
    let names: Vec<String> = (0..400).map(|place| format!("X{place}")).collect();
    let mut builder = Network::builder().variable("H", ["a", "b"]).probabilities([0.5, 0.5]);
    for name in &names {
        builder = builder.variable(name, ["yes", "no"]).given(["H"]).probabilities([1e-3, 0.999, 2e-3, 0.998]);
    }
    let network = builder.build().unwrap();
    let families = families(&network);
    let row: Vec<Option<usize>> = std::iter::once(None).chain((0..400).map(|_| Some(0))).collect();
    let found = incomplete(&families, &vec![row; 3], usize::MAX);
    let parameters = Parameters::of_network(&network, Arc::clone(&families)).unwrap();
    let expected = found.expected_here(&parameters);
    let ln_b = 0.5_f64.ln() + 400.0 * 2e-3_f64.ln();
    assert!((expected.ln_parts() - 3.0 * ln_b).abs() < 1e-9);
    assert!((expected.cells[1] - 3.0).abs() < 1e-12);
}

#[test]
fn an_impossible_row_is_named() {
    let network = Network::builder()
        .variable("A", ["0", "1"])
        .probabilities([0.5, 0.5])
        .variable("B", ["0", "1"])
        .given(["A"])
        .probabilities([1.0, 0.0, 1.0, 0.0])
        .build()
        .unwrap();
    let families = families(&network);
    let rows = vec![vec![None, Some(0)], vec![Some(0), Some(0)], vec![None, Some(0)], vec![None, Some(1)]];
    let found = incomplete(&families, &rows, usize::MAX);
    let parameters = Parameters::of_network(&network, Arc::clone(&families)).unwrap();
    let expected = found.expected_here(&parameters);
    assert_eq!(expected.first_impossible(), Some(3));
    assert_eq!(expected.ln_parts(), f64::NEG_INFINITY);
}
