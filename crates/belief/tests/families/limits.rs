//! The limits that the lecture names: a prior that is certain, one that knows nothing, and data without end.

use proptest::prelude::*;
use tunbridge_belief::conjugate::{
    BetaBernoulli, BetaGeometric, Dirichlet, Family, GammaExponential, GammaPoisson, NormalGamma, NormalKnownVariance, ParetoUniform,
};
use tunbridge_belief::conjugate::{LinearRegression, NormalInverseWishart};
use tunbridge_belief::{ConjugatePrior, Matrix, Moments, random};

use super::{ToEach, each_family};

fn moments(data: &[f64]) -> Moments {
    let mut all = Moments::default();
    data.iter().for_each(|x| all.merge(&Moments::of_one(*x, 1.0)));
    all
}

proptest! {
    #[test]
    fn no_data_move_a_certain_prior(data in prop::collection::vec(-1e3..1e3_f64, 0..40), mean in -100.0..100.0_f64, sd in 0.01..50.0_f64) {
        let prior = NormalKnownVariance::new(mean, 0.0, sd * sd).unwrap();
        let posterior = prior.posterior(&moments(&data));
        prop_assert_eq!((posterior.centre(), posterior.variance()), (mean, 0.0));
        prop_assert_eq!(posterior.draw(&mut random(1)), vec![mean]);
        prop_assert!(prior.log_marginal_likelihood(&moments(&data)).is_finite());
    }

    #[test]
    fn a_prior_that_knows_nothing_gives_the_sample_mean(data in prop::collection::vec(-1e3..1e3_f64, 1..40), mean in -100.0..100.0_f64, sd in 0.01..50.0_f64) {
        let seen = moments(&data);
        let flat = NormalKnownVariance::new(mean, f64::INFINITY, sd * sd).unwrap();
        prop_assert!(flat.improper().is_some());
        let posterior = flat.posterior(&seen);
        prop_assert_eq!(posterior.improper(), None);
        prop_assert_eq!(posterior.centre(), seen.mean);
        prop_assert_eq!(Some(vec![posterior.centre()]), flat.maximum_likelihood(&seen));
        let wide = NormalKnownVariance::new(mean, 1e30, sd * sd).unwrap().posterior(&seen);
        prop_assert!((wide.centre() - seen.mean).abs() < 1e-9 && (wide.variance() / posterior.variance() - 1.0).abs() < 1e-9);
    }

    /// The lecture's formula as it stands, and what it says of it: μₙ lies between μ₀ and the sample mean, and σₙ² falls with n.
    #[test]
    fn the_mean_lies_between_prior_and_sample(data in prop::collection::vec(-1e3..1e3_f64, 1..40), mean in -100.0..100.0_f64, sd0 in 0.01..50.0_f64, sd in 0.01..50.0_f64) {
        let (seen, n) = (moments(&data), data.len() as f64);
        let posterior = NormalKnownVariance::new(mean, sd0 * sd0, sd * sd).unwrap().posterior(&seen);
        let whole = n * sd0 * sd0 + sd * sd;
        let expected = n * sd0 * sd0 / whole * seen.mean + sd * sd / whole * mean;
        prop_assert!((posterior.centre() - expected).abs() < 1e-9);
        prop_assert!((posterior.variance() / (sd0 * sd0 * sd * sd / whole) - 1.0).abs() < 1e-12);
        let [low, high] = [mean.min(seen.mean), mean.max(seen.mean)];
        prop_assert!((low - 1e-9..=high + 1e-9).contains(&posterior.centre()));
        let more = posterior.posterior(&Moments::of_one(0.0, 1.0));
        prop_assert!(more.variance() < posterior.variance());
    }
}

/// ln P(data) of a family.
fn ln_marginal<F: Family<Datum = f64>>(prior: &F, data: &[f64]) -> f64 {
    let mut seen = prior.empty();
    data.iter().for_each(|x| prior.observe(&mut seen, x, 1.0).unwrap());
    prior.log_marginal_likelihood(&seen)
}

/// Under a prior that is all but certain of a parameter the data have the probability that this parameter gives them.
#[test]
fn a_strong_prior_loses_no_digits_of_the_marginal_likelihood() {
    let close = |found: f64, expected: f64| assert!((found - expected).abs() < 1e-10, "{found}, and should be {expected}");
    let ln_2 = 2_f64.ln();
    for strength in [1e12, 1e15, 1e18, 1e100, 1e300] {
        let coin = BetaBernoulli::new(strength, strength).unwrap();
        close(ln_marginal(&coin, &[1.0, 1.0, 1.0, 0.0]), -4.0 * ln_2);
        let coins = coin.with_trials(4).unwrap();
        // C(4, 3)/2⁴, twice.
        close(ln_marginal(&coins, &[3.0, 3.0]), -4.0 * ln_2);
        close(coins.ln_predictive(&3.0), -2.0 * ln_2);
        // Failures before the first success: (½)² (½)³.
        let first = BetaGeometric::new(strength, strength).unwrap();
        close(ln_marginal(&first, &[1.0, 2.0]), -5.0 * ln_2);
        close(first.ln_predictive(&2.0), -3.0 * ln_2);
        let die = Dirichlet::symmetric(strength, 4);
        close(die.log_marginal_likelihood([3.0, 1.0, 0.0, 2.0].as_slice()), -12.0 * ln_2);
        // e⁻²/2.
        let events = GammaPoisson::new(strength, strength).unwrap();
        close(ln_marginal(&events, &[1.0, 2.0]), -2.0 - ln_2);
        close(events.ln_predictive(&2.0), -1.0 - ln_2);
        let waits = GammaExponential::new(strength, strength).unwrap();
        close(ln_marginal(&waits, &[1.0, 2.0]), -3.0);
        close(waits.ln_predictive(&2.0), -2.0);
        // The standard Normal at 1 and −2.
        let bell = NormalGamma::new(0.0, strength, strength, strength).unwrap();
        close(ln_marginal(&bell, &[1.0, -2.0]), -(2.0 * std::f64::consts::PI).ln() - 2.5);
        close(bell.ln_predictive(&1.0), -0.5 * (2.0 * std::f64::consts::PI).ln() - 0.5);
    }
    // The line y = x with noise of variance 1.
    let precision = Matrix::from_fn(2, |i, j| if i == j { 1e12 } else { 0.0 });
    let line = LinearRegression::new(vec![0.0, 1.0], precision, 1e12, 1e12, vec!["x".into()]).unwrap();
    let mut seen = line.empty();
    [[1.0, 2.0], [3.0, 1.0]].into_iter().for_each(|row| line.observe(&mut seen, &row.to_vec(), 1.0).unwrap());
    close(line.log_marginal_likelihood(&seen), -(2.0 * std::f64::consts::PI).ln() - 2.5);
}

struct WithoutEnd;
impl ToEach for WithoutEnd {
    /// As n grows the posterior narrows to the maximum-likelihood estimate: at 20,000 rows it is within a tenth of the prior's spread
    /// of it, and closer than at 20.
    fn to<F: Family>(&mut self, prior: F) {
        let mut rng = random(23);
        let truth = prior.draw(&mut rng);
        let mut seen = prior.empty();
        let mut apart = Vec::new();
        for n in 1..=20_000 {
            let datum = prior.simulate(&truth, &mut rng);
            prior.observe(&mut seen, &datum, 1.0).unwrap();
            if n == 20 || n == 20_000 {
                let (posterior, best) = (prior.posterior(&seen), prior.maximum_likelihood(&seen).unwrap());
                let of_mean = posterior.mean().into_iter().zip(&best).map(|(mean, best)| (mean.unwrap() - best).abs() / (1.0 + best.abs()));
                apart.push(of_mean.fold(0.0, f64::max));
            }
        }
        assert!(apart[1] < 2e-3 && apart[1] < apart[0], "{}: {apart:?}", prior.name());
    }
}

#[test]
fn data_without_end_approach_maximum_likelihood() {
    each_family(&mut WithoutEnd);
}

#[test]
fn improper_beliefs_say_so_until_data_mend_them() {
    let haldane = BetaBernoulli::new(0.0, 0.0).unwrap();
    let mut seen = haldane.empty();
    haldane.observe(&mut seen, &1.0, 1.0).unwrap();
    assert!(haldane.improper().is_some() && haldane.posterior(&seen).improper().is_some());
    haldane.observe(&mut seen, &0.0, 1.0).unwrap();
    assert_eq!(haldane.posterior(&seen).improper(), None);

    let jeffreys = NormalGamma::new(0.0, 0.0, -0.5, 0.0).unwrap();
    let posterior = jeffreys.posterior(&moments(&[1.0, 2.0, 4.0]));
    assert_eq!(posterior.improper(), None);
    // The t interval of every textbook: n − 1 degrees of freedom, s/√n.
    let mean = posterior.marginal(0).unwrap();
    let parameters = mean.describe().1;
    assert!(parameters[0].1 == 2.0 && (parameters[1].1 - 7.0 / 3.0).abs() < 1e-14);
    assert!((parameters[2].1 - (14.0 / 3.0 / 2.0_f64 / 3.0).sqrt()).abs() < 1e-14);
    assert!(jeffreys.posterior(&moments(&[1.0])).improper().is_some());

    assert!(GammaPoisson::new(0.0, 0.0).unwrap().improper().is_some() && GammaExponential::new(0.0, 0.0).unwrap().improper().is_some());
    assert!(ParetoUniform::new(0.0, 0.0).unwrap().improper().is_some());
}

#[test]
fn impossible_data_are_refused() {
    let bernoulli = BetaBernoulli::new(1.0, 1.0).unwrap();
    for wrong in [0.5, -1.0, 2.0, f64::NAN] {
        assert!(bernoulli.observe(&mut bernoulli.empty(), &wrong, 1.0).is_err(), "{wrong}");
    }
    let poisson = GammaPoisson::new(1.0, 1.0).unwrap();
    let error = poisson.observe(&mut poisson.empty(), &-1.0, 1.0).unwrap_err();
    assert_eq!(error.to_string(), "-1 is outside of what the likelihood can give: a whole number from 0 on");
    let uniform = tunbridge_belief::conjugate::BoundedUniform::new(0.0, 10.0).unwrap();
    assert!(uniform.observe(&mut uniform.empty(), &10.5, 1.0).is_err() && uniform.observe(&mut uniform.empty(), &-0.1, 1.0).is_err());
    let normal = NormalKnownVariance::new(0.0, 1.0, 1.0).unwrap();
    assert!(normal.observe(&mut normal.empty(), &f64::INFINITY, 1.0).is_err());
}

/// From a flat prior, row by row: improper at first, and then what all rows at once say. Moments in time have a mean that dwarfs their
/// spread; its last digit is 2·10⁻⁷ of that, and no more is lost. XᵀX itself would have no digit left.
#[test]
fn flat_lines_are_mended_row_by_row_and_far_origins_do_not_spoil_them() {
    let far = 1.7e9;
    let flat = LinearRegression::new(vec![0.0; 2], Matrix::zero(2), -1.0, 0.0, vec!["time".into()]).unwrap();
    let rows: Vec<Vec<f64>> = [1.0_f64, 2.0, 4.0, 7.0, 11.0].iter().map(|t| vec![far + t, 3.0 + 0.5 * t + (t * 1.7).sin()]).collect();
    let (mut belief, mut seen, mut near) = (flat.clone(), flat.empty(), flat.empty());
    for (n, row) in rows.iter().enumerate() {
        let mut one = flat.empty();
        flat.observe(&mut one, row, 1.0).unwrap();
        flat.observe(&mut seen, row, 1.0).unwrap();
        flat.observe(&mut near, &vec![row[0] - far, row[1]], 1.0).unwrap();
        belief = belief.posterior(&one);
        assert_eq!(belief.improper().is_some(), n < 2, "{n}");
    }
    let (all, at_zero) = (flat.posterior(&seen), flat.posterior(&near));
    let slope = |belief: &LinearRegression| belief.marginal(1).unwrap().describe().1;
    for (((_, a), (_, b)), (_, c)) in slope(&belief).into_iter().zip(slope(&all)).zip(slope(&at_zero)) {
        assert!((a - b).abs() < 1e-12 * b.abs() && (b - c).abs() < 1e-7 * c.abs(), "{a} {b} {c}");
    }
    let best = flat.maximum_likelihood(&seen).unwrap();
    assert!((all.mean()[1].unwrap() - best[1]).abs() < 1e-12);

    let several = NormalInverseWishart::new(vec![0.0; 2], 0.0, Matrix::zero(2), -1.0, vec!["a".into(), "b".into()]).unwrap();
    let mut seen = several.empty();
    for (n, row) in [[1.0, 2.0], [2.0, 1.0], [4.0, 4.0], [0.0, 3.0]].iter().enumerate() {
        assert!(several.posterior(&seen).improper().is_some() == (n < 3), "{n}");
        several.observe(&mut seen, &row.to_vec(), 1.0).unwrap();
    }
    assert!((several.posterior(&seen).mean()[0].unwrap() - 1.75).abs() < 1e-14);
}
