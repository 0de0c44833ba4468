//! Laws that hold whatever the family.

use tunbridge_belief::conjugate::{BetaBernoulli, Dirichlet, Family, GammaExponential, NormalGamma, NormalInverseWishart};
use tunbridge_belief::{Forget, Matrix, Rng, SufficientStatistic, random};

use super::{ToEach, each_family};

fn data<F: Family>(prior: &F, n: usize, rng: &mut dyn Rng) -> Vec<F::Datum> {
    let truth = prior.draw(rng);
    (0..n).map(|_| prior.simulate(&truth, rng)).collect()
}

fn statistic<F: Family>(prior: &F, data: &[F::Datum]) -> F::Statistic {
    let mut statistic = prior.empty();
    data.iter().for_each(|datum| prior.observe(&mut statistic, datum, 1.0).unwrap());
    statistic
}

fn close(a: f64, b: f64, tolerance: f64) -> bool {
    a == b || (a - b).abs() <= tolerance * (1.0 + a.abs().max(b.abs()))
}

/// Every number that tells the belief apart from others.
fn numbers<F: Family>(belief: &F) -> Vec<f64> {
    let n = belief.parameters().len();
    let marginals = (0..n).filter_map(|parameter| belief.marginal(parameter)).flat_map(|m| m.describe().1).map(|(_, value)| value);
    marginals.chain(belief.mode().into_iter().flatten()).chain(belief.mean().into_iter().flatten()).collect()
}

fn same<F: Family>(a: &F, b: &F) -> bool {
    let (a, b) = (numbers(a), numbers(b));
    a.len() == b.len() && a.iter().zip(&b).all(|(a, b)| close(*a, *b, 1e-10))
}

struct OrderAndCuts;
impl ToEach for OrderAndCuts {
    fn to<F: Family>(&mut self, prior: F) {
        let mut rng = random(3);
        for n in [0, 1, 2, 9] {
            let data = data(&prior, n, &mut rng);
            let whole = prior.posterior(&statistic(&prior, &data));
            let backwards: Vec<F::Datum> = data.iter().rev().cloned().collect();
            assert!(same(&whole, &prior.posterior(&statistic(&prior, &backwards))), "{}: the order of data matters", prior.name());
            let one_by_one =
                data.iter().fold(prior.clone(), |belief, datum| belief.posterior(&statistic(&prior, std::slice::from_ref(datum))));
            assert!(same(&whole, &one_by_one), "{}: one by one is not at once:\n{whole:?}\n{one_by_one:?}", prior.name());
            for cut in 0..=n {
                let mut merged = statistic(&prior, &data[..cut]);
                merged.merge(&statistic(&prior, &data[cut..])).unwrap();
                assert!(same(&whole, &prior.posterior(&merged)), "{}: merging is not counting", prior.name());
            }
            let twice = [data.clone(), data.clone()].concat();
            let mut weighted = prior.empty();
            data.iter().for_each(|datum| prior.observe(&mut weighted, datum, 2.0).unwrap());
            assert!(same(&prior.posterior(&weighted), &prior.posterior(&statistic(&prior, &twice))), "{}: weights", prior.name());
        }
    }
}

#[test]
fn incremental_is_batch_in_any_order_and_merging_is_the_whole() {
    each_family(&mut OrderAndCuts);
}

struct ChainRule;
impl ToEach for ChainRule {
    fn to<F: Family>(&mut self, prior: F) {
        let mut rng = random(4);
        for _ in 0..20 {
            let data = data(&prior, 7, &mut rng);
            let (mut belief, mut chain) = (prior.clone(), 0.0);
            for datum in &data {
                chain += belief.ln_predictive(datum);
                belief = belief.posterior(&statistic(&prior, std::slice::from_ref(datum)));
            }
            let whole = prior.log_marginal_likelihood(&statistic(&prior, &data));
            assert!(close(chain, whole, 1e-10), "{}: {chain} and {whole}", prior.name());
        }
    }
}

#[test]
fn the_marginal_likelihood_is_the_product_of_predictives() {
    each_family(&mut ChainRule);
}

struct BayesTheorem;
impl ToEach for BayesTheorem {
    /// Of one parameter: posterior density / (prior density · likelihood) is the same everywhere.
    fn to<F: Family>(&mut self, prior: F) {
        if prior.parameters().len() > 1 {
            return;
        }
        let mut rng = random(5);
        let data = data(&prior, 6, &mut rng);
        let seen = statistic(&prior, &data);
        let posterior = prior.posterior(&seen);
        let (before, after) = (prior.marginal(0).unwrap(), posterior.marginal(0).unwrap());
        let constants: Vec<f64> = (1..20)
            .map(|i| after.quantile(f64::from(i) / 20.0))
            .map(|theta| after.ln_pdf(theta) - before.ln_pdf(theta) - prior.ln_profile_likelihood(&seen, 0, theta).unwrap())
            .collect();
        assert!(constants.iter().all(|c| close(*c, constants[0], 1e-10)), "{}: {constants:?}", prior.name());
    }
}

#[test]
fn the_posterior_is_proportional_to_prior_times_likelihood() {
    each_family(&mut BayesTheorem);
}

struct BestIsBest;
impl ToEach for BestIsBest {
    fn to<F: Family>(&mut self, prior: F) {
        let mut rng = random(6);
        let seen = statistic(&prior, &data(&prior, 12, &mut rng));
        let best = prior.maximum_likelihood(&seen).unwrap_or_else(|| panic!("{}: twelve rows have a best parameter", prior.name()));
        assert_eq!(best.len(), prior.parameters().len());
        for (parameter, value) in best.iter().enumerate() {
            let Some(height) = prior.ln_profile_likelihood(&seen, parameter, *value) else { continue };
            for step in [-0.5, -0.01, 0.01, 0.5] {
                let there = prior.ln_profile_likelihood(&seen, parameter, value + step * value.abs().max(0.1));
                assert!(there.is_none_or(|there| there <= height), "{}: parameter {parameter}", prior.name());
            }
        }
    }
}

#[test]
fn maximum_likelihood_is_the_greatest_likelihood() {
    each_family(&mut BestIsBest);
}

struct DrawsAndMoments;
impl ToEach for DrawsAndMoments {
    /// Means of 20,000 draws are within five of their standard errors of the exact means, and marginals' quartiles hold a quarter.
    fn to<F: Family>(&mut self, prior: F) {
        const N: usize = 20_000;
        let mut rng = random(7);
        let posterior = prior.posterior(&statistic(&prior, &data(&prior, 5, &mut rng)));
        let draws: Vec<Vec<f64>> = (0..N).map(|_| posterior.draw(&mut rng)).collect();
        for (parameter, (mean, sd)) in posterior.mean().into_iter().zip(posterior.sd()).enumerate() {
            if let (Some(mean), Some(sd)) = (mean, sd) {
                let found = draws.iter().map(|draw| draw[parameter]).sum::<f64>() / N as f64;
                let spread = (draws.iter().map(|draw| (draw[parameter] - mean).powi(2)).sum::<f64>() / N as f64).sqrt();
                assert!((found - mean).abs() < 5.0 * sd / (N as f64).sqrt(), "{}: mean of {parameter}: {found}, {mean}", prior.name());
                assert!((spread / sd - 1.0).abs() < 0.1, "{}: sd of {parameter}: {spread}, {sd}", prior.name());
            }
            if let Some(marginal) = posterior.marginal(parameter) {
                let quartile = marginal.quantile(0.25);
                let below = draws.iter().filter(|draw| draw[parameter] <= quartile).count() as f64 / N as f64;
                assert!((below - 0.25).abs() < 0.016, "{}: a quarter of {parameter}: {below}", prior.name());
            }
        }
    }
}

#[test]
fn draws_have_the_moments_and_marginals_of_the_posterior() {
    each_family(&mut DrawsAndMoments);
}

struct NamedAlike;
impl ToEach for NamedAlike {
    fn to<F: Family>(&mut self, prior: F) {
        let n = prior.parameters().len();
        assert_eq!((prior.mean().len(), prior.sd().len(), prior.draw(&mut random(1)).len()), (n, n, n));
        assert!(prior.mode().is_none_or(|mode| mode.len() == n));
        assert_eq!(prior.improper(), None);
        assert_eq!(prior.log_marginal_likelihood(&prior.empty()), 0.0, "{}: no data have probability one", prior.name());
    }
}

#[test]
fn every_answer_has_a_number_for_each_parameter() {
    each_family(&mut NamedAlike);
}

fn forgets<F: Family<Statistic: Forget>>(prior: &F) {
    let mut rng = random(8);
    let (kept, gone) = (data(prior, 6, &mut rng), data(prior, 4, &mut rng));
    let mut seen = statistic(prior, &[kept.clone(), gone.clone()].concat());
    seen.forget(&statistic(prior, &gone)).unwrap();
    assert!(same(&prior.posterior(&seen), &prior.posterior(&statistic(prior, &kept))), "{}", prior.name());
    let before = seen.clone();
    let more = statistic(prior, &[kept.clone(), kept.clone(), kept].concat());
    assert!(seen.forget(&more).is_err() && seen == before, "{}: what was never seen is not forgotten", prior.name());
}

#[test]
fn what_was_seen_can_be_forgotten() {
    forgets(&BetaBernoulli::new(1.5, 2.5).unwrap());
    forgets(&GammaExponential::new(3.5, 2.0).unwrap());
    forgets(&Dirichlet { alpha: vec![1.0, 2.5, 0.8] });
    forgets(&NormalGamma::new(1.0, 2.0, 3.5, 4.0).unwrap());
    let names = vec!["a".into(), "b".into()];
    forgets(&NormalInverseWishart::new(vec![1.0, -1.0], 2.0, Matrix::diagonal(&[4.0, 3.0]), 6.0, names).unwrap());
}
