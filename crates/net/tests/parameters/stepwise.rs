//! Stepwise EM beside EM, and what both recover of the truth.

use std::convert::Infallible;
use std::sync::Arc;

use belief::Climb;
use tunbridge_net::Network;
use tunbridge_net::parameters::em::{EmError, EmFault, Fitted, start};
use tunbridge_net::parameters::stepwise_em::StepwiseEm;
use tunbridge_net::parameters::{Expected, Families, IncompleteRows, ParameterPrior, Parameters, Pseudocounts};

use crate::climbs::{close, em, families, in_chunks, incomplete, to_the_top};
use crate::rows::{drawn, some_network};

fn passes(most_steps: usize) -> Climb {
    Climb { most_steps, least_rise: 0.0, least_change: 0.0 }
}

fn stepwise(found: &IncompleteRows, prior: &ParameterPrior, climb: Climb, start: &Parameters) -> Fitted {
    let climber = StepwiseEm { observed: found.observed(), prior, climb, kappa: 0.7 };
    let here = |batch: usize, p: &Parameters| {
        Ok::<_, Infallible>(found.expected_of_batch(batch, p, |pieces, make| pieces.iter().map(make).collect()))
    };
    climber.run(start.clone(), &found.batches(), here).unwrap()
}

fn hidden_class() -> (Arc<Families>, IncompleteRows) {
    let mut builder = Network::builder().variable("Class", ["1", "2"]).probabilities([0.6, 0.4]);
    for name in ["A", "B", "C", "D"] {
        builder = builder.variable(name, ["x", "y", "z"]).given(["Class"]).probabilities([0.6, 0.2, 0.2, 0.2, 0.2, 0.6]);
    }
    let network = builder.build().unwrap();
    let families = families(&network);
    let found = in_chunks(&families, &drawn(&network, 3000, 4, 0.1, &[0]), 100);
    (families, found)
}

#[test]
fn after_few_passes_stepwise_em_is_higher_than_em() {
    let (_, found) = hidden_class();
    assert_eq!((found.batches().len(), found.batches().iter().sum::<f64>()), (30, 3000.0));
    let prior = ParameterPrior::new(Pseudocounts::PerCell(1.0));
    let begin = start(found.observed(), &prior, 1, 0).unwrap();
    let n_rows = found.observed().n_rows();
    let by_steps = stepwise(&found, &prior, passes(4), &begin);
    let by_em = em(&found, &prior, passes(4), &begin);
    let top = em(&found, &prior, to_the_top(), &begin);
    let below = |fitted: &Fitted| (top.ln_likelihood - fitted.ln_likelihood) / n_rows;
    assert_eq!((by_steps.objectives.len(), by_em.objectives.len()), (4, 4));
    assert_eq!(by_steps.objectives[0], by_em.objectives[0]);
    assert!(below(&by_steps) < 0.2 * below(&by_em), "{} and {}", below(&by_steps), below(&by_em));
    // It ends near the same top.
    let longer = stepwise(&found, &prior, passes(40), &begin);
    assert!(below(&longer).abs() < 1e-4, "{}", below(&longer));
    // What is given is what the tables say, and the same bits come again.
    assert_eq!(found.expected_here(&longer.parameters).cells.len(), longer.expected.len());
    assert!(close(&found.expected_here(&longer.parameters).cells, &longer.expected, 1e-8));
    assert_eq!(stepwise(&found, &prior, passes(40), &begin).parameters, longer.parameters);
}

#[test]
fn stepwise_em_stops_and_tells_what_it_cannot_do() {
    let (families, found) = hidden_class();
    let prior = ParameterPrior::new(Pseudocounts::PerCell(1.0));
    let begin = start(found.observed(), &prior, 1, 0).unwrap();
    let fitted = stepwise(&found, &prior, Climb { most_steps: 200, least_rise: 1e-4, least_change: f64::INFINITY }, &begin);
    assert!(fitted.converged && fitted.objectives.len() < 50, "{}", fitted.objectives.len());
    for kappa in [0.5, 1.1, f64::NAN] {
        let climber = StepwiseEm { observed: found.observed(), prior: &prior, climb: passes(3), kappa };
        let fault = climber.run(begin.clone(), &[], |_, _| Ok::<_, Infallible>(Expected::none(&families)));
        assert!(matches!(fault, Err(EmError::Fault(EmFault::NotADecay(_)))));
    }
    // What breaks it off does not lose what was reached.
    let climber = StepwiseEm { observed: found.observed(), prior: &prior, climb: passes(9), kappa: 0.7 };
    let mut n_looks = 0;
    let ended = climber.run(begin.clone(), &found.batches(), |batch, p| {
        n_looks += 1;
        let here = found.expected_of_batch(batch, p, |pieces, make| pieces.iter().map(make).collect());
        if n_looks > 75 { Err("stop") } else { Ok(here) }
    });
    let Err(EmError::Expectation("stop", Some(kept))) = ended else { panic!("{ended:?}") };
    assert!(!kept.converged && kept.objectives.len() == 2 && kept.objectives[1] > kept.objectives[0]);
    // Without gaps there is nothing to expect: the tables are those of the counts.
    let rows = [vec![Some(0), Some(0), Some(0), Some(0), Some(0)], vec![Some(1), Some(2), Some(2), Some(1), Some(2)]];
    let whole = incomplete(&families, &rows);
    assert!(whole.batches().is_empty());
    let fitted = stepwise(&whole, &prior, passes(5), &begin);
    assert!(close(fitted.parameters.of(0), &[0.5, 0.5], 1e-15));
    assert_eq!(found.expected_of_batch(99, &begin, |pieces, make| pieces.iter().map(make).collect()).cells, vec![0.0; families.n_cells()]);
}

/// With a fifth of all values lost by lot, sixteen times as many rows bring the tables four times as near to the truth.
#[test]
fn em_recovers_the_truth_as_rows_grow() {
    let prior = ParameterPrior::new(Pseudocounts::PerCell(1.0));
    let climb = Climb { most_steps: 300, least_rise: 1e-9, least_change: f64::INFINITY };
    let mean_square = |n_rows: usize| -> f64 {
        let of_one = |seed: u64| {
            let network = some_network(seed, 5);
            let families = families(&network);
            let found = incomplete(&families, &drawn(&network, n_rows, seed, 0.2, &[]));
            let truth = Parameters::of_network(&network, Arc::clone(&families)).unwrap();
            let fitted = em(&found, &prior, climb, &start(found.observed(), &prior, seed, 0).unwrap());
            // Each row of a table as often as its parents are so.
            let (mut sum, mut weight) = (0.0, 0.0);
            for of in 0..families.len() {
                let n_states = families.n_states()[of];
                for row in families.cells(of).step_by(n_states) {
                    let cells = row..row + n_states;
                    let n =
                        found.observed().cells()[cells.clone()].iter().sum::<f64>() + fitted.expected[cells.clone()].iter().sum::<f64>();
                    let error: f64 = cells.map(|cell| (fitted.parameters.theta()[cell] - truth.theta()[cell]).powi(2)).sum();
                    (sum, weight) = (sum + n * error, weight + n);
                }
            }
            sum / weight
        };
        (0..8).map(of_one).sum::<f64>() / 8.0
    };
    let [few, more, many] = [250, 1000, 4000].map(|n| mean_square(n).sqrt());
    assert!(few < 0.15 && many < 0.04, "{few} {more} {many}");
    for ratio in [few / more, more / many] {
        assert!((1.5..2.7).contains(&ratio), "{few} {more} {many}");
    }
}
