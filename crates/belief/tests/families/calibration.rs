//! Simulation-based calibration (Talts, Betancourt, Simpson, Vehtari & Gelman 2018): where the truth is drawn from the prior and data from
//! the truth, the rank of the truth among draws from the posterior is uniform.

use tunbridge_belief::conjugate::{Family, GammaPoisson, NormalKnownVariance};
use tunbridge_belief::distribution::Distribution;
use tunbridge_belief::{ConjugatePrior, LogisticPrior, LogisticRows, Moments, Sums, random};

use super::{ToEach, each_family};

const SIMULATIONS: usize = 600;
const ROWS: usize = 6;
const DRAWS: usize = 99;
const BINS: usize = 20;

/// χ² of 19 degrees of freedom: passed by chance once in 100,000 times. Some thirty parameters are tested, at a fixed seed.
const THRESHOLD: f64 = 57.0;

/// The χ² statistic of each parameter's ranks, with a posterior made by `posterior`.
fn rank_statistics<F: Family>(prior: &F, seed: u64, posterior: impl Fn(&F, &F::Statistic) -> F) -> Vec<f64> {
    let mut rng = random(seed);
    let mut bins = vec![[0_u32; BINS]; prior.parameters().len()];
    for _ in 0..SIMULATIONS {
        let truth = prior.draw(&mut rng);
        let mut seen = prior.empty();
        for _ in 0..ROWS {
            let datum = prior.simulate(&truth, &mut rng);
            prior.observe(&mut seen, &datum, 1.0).unwrap();
        }
        let belief = posterior(prior, &seen);
        let mut ranks = vec![0; truth.len()];
        for _ in 0..DRAWS {
            let draw = belief.draw(&mut rng);
            ranks.iter_mut().zip(draw.iter().zip(&truth)).for_each(|(rank, (draw, truth))| *rank += usize::from(draw < truth));
        }
        bins.iter_mut().zip(ranks).for_each(|(bins, rank)| bins[rank * BINS / (DRAWS + 1)] += 1);
    }
    let expected = SIMULATIONS as f64 / BINS as f64;
    bins.iter().map(|bins| bins.iter().map(|n| (f64::from(*n) - expected).powi(2) / expected).sum()).collect()
}

struct Calibrated;
impl ToEach for Calibrated {
    fn to<F: Family>(&mut self, prior: F) {
        let statistics = rank_statistics(&prior, 11, |prior, seen| prior.posterior(seen));
        assert!(statistics.iter().all(|x| *x < THRESHOLD), "{}: {statistics:?}", prior.name());
    }
}

#[test]
fn ranks_of_the_truth_are_uniform_in_every_family() {
    each_family(&mut Calibrated);
}

/// The test has teeth: posteriors that are wrong by a little fail by much.
#[test]
fn wrong_posteriors_are_found_out() {
    let prior = NormalKnownVariance::new(1.0, 4.0, 2.25).unwrap();
    // Half as many rows as there were: too wide by a third.
    let timid = |prior: &NormalKnownVariance, seen: &Moments| prior.posterior(&Moments { weight: seen.weight / 2.0, ..*seen });
    assert!(rank_statistics(&prior, 11, timid)[0] > THRESHOLD);
    // Data counted twice: too narrow.
    let bold = |prior: &NormalKnownVariance, seen: &Moments| prior.posterior(&Moments { weight: 2.0 * seen.weight, ..*seen });
    assert!(rank_statistics(&prior, 11, bold)[0] > THRESHOLD);
    // One more event than was seen: biased by half a posterior sd or less.
    let prior = GammaPoisson::new(2.5, 0.5).unwrap();
    let biased = |prior: &GammaPoisson, seen: &Sums| {
        let mut more = *seen;
        more.add(3.0, 0.0, 1.0, 0.0);
        prior.posterior(&more)
    };
    assert!(rank_statistics(&prior, 11, biased)[0] > THRESHOLD);
}

/// Laplace's approximation is no exact posterior: with forty rows for two coefficients it is near enough that ranks are uniform.
#[test]
fn ranks_of_logistic_coefficients_are_uniform() {
    let prior = LogisticPrior::new(0.0, 0.5).unwrap();
    let (before, mut rng) = (prior.marginal().unwrap(), random(11));
    let mut bins = [[0_u32; BINS]; 2];
    for _ in 0..SIMULATIONS {
        let truth = [before.draw(&mut rng), before.draw(&mut rng)];
        let inputs: Vec<Vec<f64>> = (0..40).map(|i| vec![f64::from(i) / 20.0 - 1.0]).collect();
        let p = |x: f64| 1.0 / (1.0 + (-truth[0] - truth[1] * x).exp());
        let unit = tunbridge_belief::distribution::Uniform::new(0.0, 1.0).unwrap();
        let classes = inputs.iter().map(|x| usize::from(unit.draw(&mut rng) < p(x[0]))).collect();
        let posterior = prior.posterior(&LogisticRows { inputs, classes, weights: vec![1.0; 40] }, 2, 1).unwrap();
        let mut ranks = [0; 2];
        for _ in 0..DRAWS {
            let draw = posterior.draw(&mut rng);
            (0..2).for_each(|i| ranks[i] += usize::from(draw[i] < truth[i]));
        }
        (0..2).for_each(|i| bins[i][ranks[i] * BINS / (DRAWS + 1)] += 1);
    }
    let expected = SIMULATIONS as f64 / BINS as f64;
    for bins in bins {
        let statistic: f64 = bins.iter().map(|n| (f64::from(*n) - expected).powi(2) / expected).sum();
        assert!(statistic < THRESHOLD, "{statistic}");
    }
}
