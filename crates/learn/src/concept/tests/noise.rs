//! The Bayesian version space.

use proptest::prelude::*;

use super::enjoy_sport::{examples, space};
use crate::concept::*;

#[test]
fn without_noise_each_member_of_the_version_space_is_as_probable() {
    let posterior = BayesianVersionSpace::of(&space(), &examples(), 0.0, HypothesisPrior::Uniform, 1000).unwrap();
    let members = VersionSpace::of(space(), &examples(), MAX_BOUNDARY).unwrap().members(6).unwrap();
    let found = posterior.most_probable(100);
    assert_eq!(found.iter().map(|(h, _)| h.clone()).collect::<Vec<_>>(), members);
    assert!(found.iter().all(|(_, p)| (p - 1.0 / 6.0).abs() < 1e-12));
    assert_eq!((posterior.n_map(), posterior.n_hypotheses()), (6, 973));
    // P(D) = |VS|/|H|.
    assert!((posterior.log_marginal_likelihood() - (6.0_f64 / 973.0).ln()).abs() < 1e-12);
    for (instance, p) in [([0, 0, 0, 0, 1, 1], 1.0), ([2, 1, 0, 1, 0, 0], 0.0), ([0, 0, 0, 1, 0, 0], 0.5), ([0, 1, 0, 0, 0, 0], 1.0 / 3.0)]
    {
        assert!((posterior.p_positive(&instance) - p).abs() < 1e-12);
    }
}

#[test]
fn a_wrong_label_no_longer_empties_the_space() {
    let mut examples = examples();
    examples.push(&[0, 0, 0, 0, 0, 0], false, 5);
    assert!(VersionSpace::of(space(), &examples, MAX_BOUNDARY).is_err());
    let zero = BayesianVersionSpace::of(&space(), &examples, 0.0, HypothesisPrior::Uniform, 1000).unwrap_err();
    assert_eq!(zero, ConceptError::ZeroEvidence);
    let posterior = BayesianVersionSpace::of(&space(), &examples, 0.1, HypothesisPrior::Uniform, 1000).unwrap();
    assert!(posterior.p_positive(&[0, 0, 1, 0, 1, 1]) > 0.5);
    assert!(posterior.p_positive(&[2, 1, 1, 0, 0, 1]) < 0.5);
}

#[test]
fn what_is_no_noise_rate_is_refused() {
    for rate in [-0.1, 0.5, 1.0, f64::NAN, f64::INFINITY] {
        let fault = BayesianVersionSpace::of(&space(), &examples(), rate, HypothesisPrior::Uniform, 1000).unwrap_err();
        assert!(matches!(fault, ConceptError::NotANoiseRate { .. }), "{fault}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(30) })]

    /// Bayes' theorem written out over the list of all hypotheses.
    #[test]
    fn the_posterior_is_bayes_theorem_written_out(
        rows in prop::collection::vec((0..96_u32, any::<bool>()), 0..70),
        noise in 0.01..0.49_f64,
        favours_specific in any::<bool>(),
        asked in 0..96_u32,
    ) {
        let space = space();
        let instance = |x: u32| vec![x / 32, x / 16 % 2, x / 8 % 2, x / 4 % 2, x / 2 % 2, x % 2];
        let mut examples = Examples::new(6);
        rows.iter().zip(1..).for_each(|((x, positive), row)| examples.push(&instance(*x), *positive, row));
        let prior = if favours_specific { HypothesisPrior::Specific } else { HypothesisPrior::Uniform };
        let posterior = BayesianVersionSpace::of(&space, &examples, noise, prior, 1000).unwrap();
        let all = space.enumerate(1000).unwrap();
        let joint = |h: &Hypothesis| {
            let prior = if favours_specific { 0.5_f64.powi(h.level() as i32) } else { 1.0 };
            examples.iter().map(|e| if h.covers(e.instance) == e.positive { 1.0 - noise } else { noise }).product::<f64>() * prior
        };
        let total: f64 = all.iter().map(joint).sum();
        for (at, h) in all.iter().enumerate() {
            prop_assert_eq!(&posterior.hypothesis(at), h);
            prop_assert!((posterior.p_of(at) - joint(h) / total).abs() < 1e-9);
        }
        let asked = instance(asked);
        let p: f64 = all.iter().filter(|h| h.covers(&asked)).map(joint).sum::<f64>() / total;
        prop_assert!((posterior.p_positive(&asked) - p).abs() < 1e-9);
    }
}
