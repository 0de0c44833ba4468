//! Climbs by gradients against EM.

use std::convert::Infallible;
use std::sync::Arc;

use belief::Climb;
use proptest::prelude::*;
use tunbridge_net::Network;
use tunbridge_net::parameters::em::{EmError, EmFault, start};
use tunbridge_net::parameters::gradient_ascent::{GradientAscent, StepLength};
use tunbridge_net::parameters::softmax_lbfgs::SoftmaxLbfgs;
use tunbridge_net::parameters::{Estimate, Expected, ParameterPrior, Parameters, Pseudocounts};

use crate::climbs::{close, em, families, gradient, incomplete, lbfgs, to_the_top};
use crate::rows::{drawn, some_network};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// With gaps by lot and a prior there is one top near what is true, and all three climb to it.
    #[test]
    fn all_climbs_end_at_the_same_top(seed in any::<u64>(), is_map in any::<bool>()) {
        let network = some_network(seed, 5);
        let families = families(&network);
        let found = incomplete(&families, &drawn(&network, 200, seed, 0.15, &[]));
        let mut prior = ParameterPrior::new(Pseudocounts::PerCell(2.0));
        prior.estimate = if is_map { Estimate::Map } else { Estimate::PosteriorMean };
        let begin = start(found.observed(), &prior, seed, 0).unwrap();
        let by_em = em(&found, &prior, to_the_top(), &begin);
        let by_gradient = gradient(&found, &prior, to_the_top(), StepLength::Halved, &begin);
        let by_lbfgs = lbfgs(&found, &prior, to_the_top(), &begin);
        for (name, fitted) in [("gradient ascent", &by_gradient), ("L-BFGS", &by_lbfgs)] {
            prop_assert!(fitted.converged, "{name}");
            let distance = fitted.parameters.theta().iter().zip(by_em.parameters.theta()).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            // What climbs has rounding in its last digits, so that its top is known to half as many.
            prop_assert!(distance < 1e-5, "{name}: {distance}");
            prop_assert!(close(&fitted.expected, &by_em.expected, 1e-3), "{name}");
            for pair in fitted.objectives.windows(2) {
                prop_assert!(pair[1] >= pair[0] - 1e-12 * pair[0].abs(), "{name}: {} after {}", pair[1], pair[0]);
            }
        }
    }

    /// The slopes that both climbs take are those of what climbs, by differences.
    #[test]
    fn a_short_step_rises_as_the_slope_says(seed in any::<u64>()) {
        let network = some_network(seed, 5);
        let families = families(&network);
        let found = incomplete(&families, &drawn(&network, 40, seed, 0.4, &[seed as usize % 5]));
        let theta = Parameters::of_network(&network, Arc::clone(&families)).unwrap();
        let value = |parameters: &Parameters| {
            parameters.ln_likelihood(found.observed().cells()) + found.expected_here(parameters).ln_parts()
        };
        let expected = found.expected_here(&theta);
        let weights: Vec<f64> = found.observed().cells().iter().zip(&expected.cells).map(|(a, b)| a + b).collect();
        for of in 0..families.len() {
            let (row, n_states) = (families.cells(of).start, families.n_states()[of]);
            let sum: f64 = weights[row..row + n_states].iter().sum();
            for cell in row..row + n_states {
                let moved = |by: f64| {
                    let mut moved = theta.theta().to_vec();
                    moved[cell] *= by.exp();
                    Parameters::new(Arc::clone(&families), moved).unwrap()
                };
                let by_difference = (value(&moved(1e-5)) - value(&moved(-1e-5))) / 2e-5;
                let by_slope = weights[cell] - sum * theta.theta()[cell];
                prop_assert!((by_difference - by_slope).abs() < 1e-4, "{by_difference} for {by_slope}");
            }
        }
    }
}

/// At the start nothing is known of the curvature; behind it L-BFGS needs far fewer looks at the rows where much is missing.
#[test]
fn lbfgs_needs_fewer_steps_than_em_where_much_is_missing() {
    let network = some_network(11, 6);
    let families = families(&network);
    let found = incomplete(&families, &drawn(&network, 400, 11, 0.5, &[]));
    let prior = ParameterPrior::new(Pseudocounts::PerCell(2.0));
    let begin = start(found.observed(), &prior, 3, 0).unwrap();
    let by_em = em(&found, &prior, to_the_top(), &begin);
    let mut n_looks = 0;
    let options = SoftmaxLbfgs { observed: found.observed(), prior: &prior, climb: to_the_top() };
    let fitted = options
        .run(begin, |p| {
            n_looks += 1;
            Ok::<_, Infallible>(found.expected_here(p))
        })
        .unwrap();
    assert!(close(fitted.parameters.theta(), by_em.parameters.theta(), 1e-5));
    assert!(2 * n_looks < by_em.objectives.len(), "{n_looks} looks, {} of EM", by_em.objectives.len());
}

/// Counts of 3 and 1: at 3/4, 1/4 both slopes are 4, and nothing is to be gained.
#[test]
fn a_row_is_brought_back_to_the_nearest_and_not_divided() {
    let coin = Network::builder().variable("Coin", ["heads", "tails"]).probabilities([0.75, 0.25]).build().unwrap();
    let families = families(&coin);
    let found = incomplete(&families, &[vec![Some(0)], vec![Some(0)], vec![Some(0)], vec![Some(1)]]);
    let best = Parameters::of_network(&coin, Arc::clone(&families)).unwrap();
    let prior = ParameterPrior::maximum_likelihood();
    let one = |eta: f64| gradient(&found, &prior, Climb { most_steps: 2, ..to_the_top() }, StepLength::Given(eta), &best);
    assert!(close(one(0.01).parameters.theta(), &[0.75, 0.25], 1e-15));
    // From 1/2, 1/2 the slopes are 6 and 2: by η = 1/40 one rises by 1/20.
    let even = Parameters::new(Arc::clone(&families), vec![0.5, 0.5]).unwrap();
    let climb = Climb { most_steps: 2, ..to_the_top() };
    let fitted = gradient(&found, &prior, climb, StepLength::Given(0.025), &even);
    assert!(close(fitted.parameters.theta(), &[0.55, 0.45], 1e-15));
    assert!(!fitted.converged && fitted.objectives.len() == 2);
    let fitted = gradient(&found, &prior, to_the_top(), StepLength::Given(0.025), &even);
    assert!(fitted.converged && close(fitted.parameters.theta(), &[0.75, 0.25], 1e-7));
}

/// A given length that is far too long falls and rises; the highest tables are kept, and none is zero.
#[test]
fn steps_that_are_too_long_keep_the_highest() {
    let network = some_network(4, 5);
    let families = families(&network);
    let found = incomplete(&families, &drawn(&network, 100, 4, 0.3, &[]));
    let prior = ParameterPrior::new(Pseudocounts::PerCell(1.0));
    let begin = start(found.observed(), &prior, 3, 0).unwrap();
    let climb = Climb { most_steps: 50, ..to_the_top() };
    let fitted = gradient(&found, &prior, climb, StepLength::Given(1.0), &begin);
    assert!(!fitted.converged);
    assert!(fitted.objectives.windows(2).any(|pair| pair[1] < pair[0]), "{:?}", fitted.objectives);
    let highest = fitted.objectives.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let prior_part: f64 = fitted.parameters.theta().iter().map(|theta| theta.ln()).sum();
    assert!((fitted.ln_likelihood + prior_part - highest).abs() < 1e-9 * highest.abs());
    assert!(fitted.parameters.theta().iter().all(|theta| *theta > 0.0));
}

#[test]
fn fixed_tables_and_zeros_stay() {
    let network = some_network(8, 5);
    let families = families(&network);
    let found = incomplete(&families, &drawn(&network, 150, 8, 0.3, &[2]));
    let mut prior = ParameterPrior::new(Pseudocounts::PerCell(1.0));
    prior.fixed.insert(2, network.table(tunbridge_net::VarId::new(2)).unwrap().to_vec());
    // Whatever the start says of them.
    let even = families.n_states().iter().enumerate().flat_map(|(of, n)| vec![1.0 / *n as f64; families.cells(of).len()]).collect();
    let begin = Parameters::new(families, even).unwrap();
    for fitted in [gradient(&found, &prior, to_the_top(), StepLength::Halved, &begin), lbfgs(&found, &prior, to_the_top(), &begin)] {
        assert!(close(fitted.parameters.of(2), &prior.fixed[&2], 1e-15));
        assert!(fitted.converged && fitted.parameters.theta() != begin.theta());
    }
    // A zero of the start, where nothing was counted and no prior speaks.
    let coin = Network::builder().variable("Coin", ["a", "b", "edge"]).probabilities([0.5, 0.5, 0.0]).build().unwrap();
    let families = crate::climbs::families(&coin);
    let found = incomplete(&families, &[vec![Some(0)], vec![Some(1)], vec![Some(1)], vec![None]]);
    let begin = Parameters::of_network(&coin, Arc::clone(&families)).unwrap();
    let prior = ParameterPrior::maximum_likelihood();
    for fitted in [gradient(&found, &prior, to_the_top(), StepLength::Halved, &begin), lbfgs(&found, &prior, to_the_top(), &begin)] {
        assert!(close(fitted.parameters.theta(), &[1.0 / 3.0, 2.0 / 3.0, 0.0], 1e-7), "{:?}", fitted.parameters.theta());
        assert_eq!(fitted.parameters.theta()[2], 0.0);
    }
}

#[test]
fn what_cannot_be_climbed_is_told() {
    let coin = Network::builder().variable("Coin", ["heads", "tails"]).probabilities([1.0, 0.0]).build().unwrap();
    let families = families(&coin);
    let found = incomplete(&families, &[vec![Some(0)], vec![Some(1)], vec![None]]);
    let prior = ParameterPrior::maximum_likelihood();
    let expect = |p: &Parameters| Ok::<Expected, Infallible>(found.expected_here(p));
    let ascent = |step, prior| GradientAscent { observed: found.observed(), prior, climb: Climb::default(), step };
    let certain = Parameters::of_network(&coin, Arc::clone(&families)).unwrap();
    let even = Parameters::new(families, vec![0.5, 0.5]).unwrap();
    let fault = |result: Result<_, EmError<Infallible>>| match result {
        Err(EmError::Fault(fault)) => fault,
        other => panic!("{other:?}"),
    };
    assert_eq!(fault(ascent(StepLength::Halved, &prior).run(certain.clone(), expect).map(drop)), EmFault::ImpossibleStart);
    for eta in [0.0, -1.0, f64::INFINITY] {
        assert_eq!(fault(ascent(StepLength::Given(eta), &prior).run(even.clone(), expect).map(drop)), EmFault::NotALength(eta));
    }
    let lbfgs = SoftmaxLbfgs { observed: found.observed(), prior: &prior, climb: Climb::default() };
    assert_eq!(fault(lbfgs.run(certain, expect).map(drop)), EmFault::ImpossibleStart);
    let mut no_mode = ParameterPrior::new(Pseudocounts::PerCell(0.5));
    no_mode.estimate = Estimate::Map;
    assert_eq!(fault(ascent(StepLength::Halved, &no_mode).run(even, expect).map(drop)), EmFault::NoMode);
}

/// What breaks a climb off does not lose what was reached.
#[test]
fn a_climb_that_is_broken_off_keeps_its_tables() {
    let network = some_network(6, 5);
    let families = families(&network);
    let found = incomplete(&families, &drawn(&network, 100, 6, 0.3, &[]));
    let prior = ParameterPrior::new(Pseudocounts::PerCell(1.0));
    let begin = start(found.observed(), &prior, 3, 0).unwrap();
    let broken = |most: usize| {
        let mut n_looks = 0;
        move |p: &Parameters, found: &tunbridge_net::parameters::IncompleteRows| {
            n_looks += 1;
            if n_looks > most { Err("stop") } else { Ok(found.expected_here(p)) }
        }
    };
    for nth in 0..3 {
        let mut expect = broken(6);
        let climb = to_the_top();
        let observed = found.observed();
        let ended = match nth {
            0 => GradientAscent { observed, prior: &prior, climb, step: StepLength::Halved }.run(begin.clone(), |p| expect(p, &found)),
            1 => GradientAscent { observed, prior: &prior, climb, step: StepLength::Given(1e-4) }.run(begin.clone(), |p| expect(p, &found)),
            _ => SoftmaxLbfgs { observed, prior: &prior, climb }.run(begin.clone(), |p| expect(p, &found)),
        };
        let Err(EmError::Expectation("stop", Some(kept))) = ended else { panic!("{ended:?}") };
        assert!(!kept.converged && kept.objectives.len() > 1);
        assert!(kept.objectives[kept.objectives.len() - 1] > kept.objectives[0]);
        let ln_likelihood = kept.parameters.ln_likelihood(observed.cells()) + found.expected_here(&kept.parameters).ln_parts();
        assert!((ln_likelihood - kept.ln_likelihood).abs() < 1e-9);
        let mut expect = broken(0);
        let nothing = SoftmaxLbfgs { observed, prior: &prior, climb }.run(begin.clone(), |p| expect(p, &found));
        assert!(matches!(nothing, Err(EmError::Expectation("stop", None))));
    }
}
