//! Draws of tables from rows with gaps, against the list of all rows without gaps that they may be.

use std::sync::Arc;

use belief::{SufficientStatistic, random_stream};
use tunbridge_net::Network;
use tunbridge_net::parameters::data_augmentation::DataAugmentation;
use tunbridge_net::parameters::{
    Families, FamilyCounts, IncompleteRows, ParameterPosterior, ParameterPrior, Parameters, Pseudocounts, Wiring, ln_marginal_likelihood,
};

use crate::rows::{Rows, completions, drawn, place, some_network, with_chunk};

fn read(families: &Arc<Families>, rows: &Rows, weights: Option<&[f64]>) -> IncompleteRows {
    let wiring = Arc::new(Wiring::new(Arc::clone(families), 1 << 20));
    let mut read = IncompleteRows::empty(wiring, usize::MAX);
    with_chunk(families, rows, 0, weights, |chunk| read.observe(chunk)).unwrap();
    read
}

/// Mean and variance of every probability given what was seen: a mixture over all completions, each by its marginal likelihood.
fn by_listing(families: &Arc<Families>, prior: &ParameterPrior, rows: &Rows) -> (Vec<f64>, Vec<f64>) {
    let mut all = vec![vec![0.0; families.n_cells()]];
    for row in rows {
        let completed = completions(families, row);
        let with = |counts: &Vec<f64>, row: &Vec<usize>| {
            let mut counts = counts.clone();
            (0..families.len()).for_each(|of| counts[place(families, of, row)] += 1.0);
            counts
        };
        all = all.iter().flat_map(|counts| completed.iter().map(|row| with(counts, row)).collect::<Vec<_>>()).collect();
    }
    let ln: Vec<f64> = all.iter().map(|counts| ln_marginal_likelihood(families, prior, counts).unwrap()).collect();
    let most = ln.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let sum: f64 = ln.iter().map(|ln| (ln - most).exp()).sum();
    let (mut mean, mut square) = (vec![0.0; families.n_cells()], vec![0.0; families.n_cells()]);
    for (counts, ln) in all.iter().zip(&ln) {
        let weight = (ln - most).exp() / sum;
        let posterior = ParameterPosterior::new(Arc::clone(families), prior, counts).unwrap();
        for of in 0..families.len() {
            let n_states = families.n_states()[of];
            for row in families.cells(of).step_by(n_states) {
                let total: f64 = posterior.alpha()[row..row + n_states].iter().sum();
                for cell in row..row + n_states {
                    let alpha = posterior.alpha()[cell];
                    mean[cell] += weight * alpha / total;
                    square[cell] += weight * alpha * (alpha + 1.0) / (total * (total + 1.0));
                }
            }
        }
    }
    let variance = mean.iter().zip(&square).map(|(mean, square)| square - mean * mean).collect();
    (mean, variance)
}

/// The same from a chain.
fn by_drawing(rows: &IncompleteRows, prior: &ParameterPrior, seed: u64, n: usize) -> (Vec<f64>, Vec<f64>) {
    let chain = DataAugmentation { observed: rows.observed(), rows, prior };
    let families = Arc::clone(rows.observed().families());
    let mut rng = random_stream(seed, 5);
    let mut at = ParameterPosterior::new(Arc::clone(&families), prior, rows.observed().cells()).unwrap().draw(&mut rng);
    let (mut sum, mut square) = (vec![0.0; families.n_cells()], vec![0.0; families.n_cells()]);
    for step in 0..n + 200 {
        at = chain.step(&at, &mut rng).unwrap().parameters;
        if step >= 200 {
            sum.iter_mut().zip(at.theta()).for_each(|(sum, p)| *sum += p / n as f64);
            square.iter_mut().zip(at.theta()).for_each(|(sum, p)| *sum += p * p / n as f64);
        }
    }
    let variance = sum.iter().zip(&square).map(|(mean, square)| square - mean * mean).collect();
    (sum, variance)
}

#[test]
fn tables_are_drawn_from_the_mixture_over_all_completions() {
    for seed in [1, 2, 3] {
        let network = some_network(seed, 3);
        let families = Arc::new(Families::of(network.structure(), network.domain()).unwrap());
        let mut rows = drawn(&network, 8, seed, 0.0, &[]);
        // The first variable is missing in four rows, and the last in one of these and another.
        (0..4).for_each(|row| rows[row][0] = None);
        rows[3][2] = None;
        rows[6][2] = None;
        let prior = ParameterPrior::new(Pseudocounts::PerCell(1.0));
        let (mean, variance) = by_listing(&families, &prior, &rows);
        let (found_mean, found_variance) = by_drawing(&read(&families, &rows, None), &prior, seed, 40_000);
        // Some 10,000 draws are worth as independent ones, whose means have an error of 0.003 at most.
        for cell in 0..families.n_cells() {
            assert!((mean[cell] - found_mean[cell]).abs() < 0.012, "seed {seed}, cell {cell}: {} for {}", found_mean[cell], mean[cell]);
            let apart = (variance[cell] - found_variance[cell]).abs();
            assert!(apart < 0.1 * variance[cell] + 1e-4, "seed {seed}, cell {cell}: {} for {}", found_variance[cell], variance[cell]);
        }
    }
}

/// Trees of more than one clique: what is drawn of a large part is on average what is expected of it.
#[test]
fn gaps_are_drawn_as_they_are_expected() {
    let mut network = Network::builder().variable("V0", ["0", "1", "2"]).probabilities([0.5, 0.3, 0.2]);
    for place in 1..7 {
        let (name, parent) = (format!("V{place}"), format!("V{}", place - 1));
        network = network.variable(&name, ["0", "1", "2"]).given([&*parent]).probabilities([0.7, 0.2, 0.1, 0.1, 0.6, 0.3, 0.3, 0.3, 0.4]);
    }
    let network = network.build().unwrap();
    let families = Arc::new(Families::of(network.structure(), network.domain()).unwrap());
    // All but the ends are missing, which is beyond one clique; a weight that is not whole has a rest.
    let rows: Rows =
        vec![vec![Some(0), None, None, None, None, None, Some(2)], vec![None; 7], vec![Some(1), Some(0), None, Some(1), None, None, None]];
    let tables = Parameters::of_network(&network, Arc::clone(&families)).unwrap();
    let prior = ParameterPrior::new(Pseudocounts::PerCell(1.0));
    let nothing = FamilyCounts::empty(Arc::clone(&families));
    // Few are drawn one by one, many together.
    for weights in [[3.0, 2.0, 0.5], [400.0, 100.0, 33.5]] {
        let read = read(&families, &rows, Some(&weights));
        let expected = read.expected_here(&tables);
        let chain = DataAugmentation { observed: &nothing, rows: &read, prior: &prior };
        let mut rng = random_stream(4, 0);
        let n = 20_000;
        let (mut mean, mut square) = (vec![0.0; families.n_cells()], vec![0.0; families.n_cells()]);
        for _ in 0..n {
            let counts = chain.step(&tables, &mut rng).unwrap().counts;
            assert!((counts[..3].iter().sum::<f64>() - expected.cells[..3].iter().sum::<f64>()).abs() < 1e-9);
            for (cell, count) in counts.iter().enumerate() {
                mean[cell] += count / n as f64;
                square[cell] += count * count / n as f64;
            }
        }
        let total: f64 = weights.iter().sum();
        for (cell, (mean, expected)) in mean.iter().zip(&expected.cells).enumerate() {
            // A standard deviation of at most half the root of the rows, of 20,000 draws: of five rows and a half 0.008.
            assert!((mean - expected).abs() < 4.8 * 0.5 * (total / n as f64).sqrt(), "cell {cell}: {mean} for {expected}");
        }
        // The first variable is missing in the second row alone, so that counts of its states are binomial.
        let cell = families.cells(0).start;
        let p = expected.cells[cell] / weights[1];
        let variance = square[cell] - mean[cell] * mean[cell];
        assert!((variance - weights[1] * p * (1.0 - p)).abs() < 0.06 * weights[1] * p * (1.0 - p), "{variance} for {p} of {}", weights[1]);
    }
}

#[test]
fn an_impossible_row_ends_the_chain() {
    let network = Network::builder()
        .variable("A", ["0", "1"])
        .probabilities([0.5, 0.5])
        .variable("B", ["0", "1"])
        .given(["A"])
        .probabilities([0.0, 1.0, 0.0, 1.0])
        .build()
        .unwrap();
    let families = Arc::new(Families::of(network.structure(), network.domain()).unwrap());
    let tables = Parameters::of_network(&network, Arc::clone(&families)).unwrap();
    let prior = ParameterPrior::new(Pseudocounts::PerCell(1.0));
    let ends = |rows: Rows| {
        let read = read(&families, &rows, None);
        let chain = DataAugmentation { observed: read.observed(), rows: &read, prior: &prior };
        chain.step(&tables, &mut random_stream(1, 1)).is_err()
    };
    assert!(!ends(vec![vec![None, Some(1)], vec![None, None]]));
    assert!(ends(vec![vec![None, Some(1)], vec![None, Some(0)]]));
}
