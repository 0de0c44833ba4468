//! Logistic regression: a class by numbers, by Laplace's approximation.

use belief::distribution::{Distribution, credible_interval};
use belief::{LogisticPrior, LogisticRows, random, random_stream};

use super::answer::{Context, Estimate, Parameter, Predictive};
use super::curves::{Frame, curves, frame_curve, frame_rows};
use super::sample::Opened;
use super::{inputs_at, pair};
use crate::Error;

/// Draws that the predictive is the mean of.
const DRAWS_FOR_PREDICTIVE: usize = 4000;

pub(super) fn logistic(opened: &Opened, prior: &LogisticPrior, context: Context) -> Result<Estimate, Error> {
    let options = &context.options;
    let (states, inputs) = (&opened.states, opened.names[1..].to_vec());
    if states.len() < 2 {
        let what = format!("`{}` has {}", opened.names[0], crate::remarks::counted(states.len() as u64, "class", "classes"));
        return Err(Error::unfit(what, "logistic regression tells two classes or more apart"));
    }
    let held = opened.hold()?;
    let n_missing = opened.count_rows()? - held.rows.len() as u64;
    let rows = LogisticRows {
        inputs: held.rows.iter().map(|row| row[1..].to_vec()).collect(),
        classes: held.rows.iter().map(|row| row[0] as usize).collect(),
        weights: held.weights.clone(),
    };
    let too_large = || {
        let what = "no step could be taken towards the most probable coefficients: the inputs are too large, or sums of each other";
        Error::unfit(what, "give the inputs in another unit, or leave some out of --given")
    };
    let fit = |rows: &LogisticRows| prior.posterior(rows, states.len(), inputs.len());
    let posterior = fit(&rows).ok_or_else(too_large)?;
    let names: Vec<String> = states[1..]
        .iter()
        .flat_map(|state| std::iter::once(format!("intercept[{state}]")).chain(inputs.iter().map(move |input| format!("{input}[{state}]"))))
        .collect();
    let place = context.parameter(&names)?;
    let ml = rows.maximum_likelihood(states.len(), inputs.len());
    let mut remarks = context.remarks.clone();
    if ml.is_none() {
        remarks
            .push("the likelihood has no greatest value: the classes can be told apart without error, or inputs are sums of others".into());
    }
    let mut parameters = Vec::with_capacity(names.len());
    for (i, name) in names.iter().enumerate() {
        let after = posterior.marginal(i).ok_or_else(too_large)?;
        parameters.push(Parameter {
            name: name.clone(),
            prior: prior.marginal().map(|prior| Box::new(prior) as Box<dyn Distribution>),
            ml: ml.as_ref().map(|ml| ml.coefficients[i]),
            map: Some(posterior.mode[i]),
            mean: after.mean(),
            sd: after.sd(),
            interval: credible_interval(&after, options.interval, options.interval_kind),
            interval_is_of_draws: false,
            posterior: Some(Box::new(after)),
        });
    }
    let n: f64 = held.weights.iter().sum();
    let mean = |input: usize| rows.inputs.iter().zip(&held.weights).map(|(row, w)| row[input] * w).sum::<f64>() / n.max(f64::MIN_POSITIVE);
    let at = inputs_at(&inputs, &options.at, &(0..inputs.len()).map(mean).collect::<Vec<_>>())?;
    let values: Vec<f64> = at.iter().map(|(_, x)| *x).collect();
    // A stream of its own, so that the number of draws that are printed does not change it.
    let p = posterior.predictive(&values, DRAWS_FOR_PREDICTIVE, &mut random_stream(options.seed, 1));
    // The likelihood of one coefficient with the others at their best, as nearly as the posterior: by its curvature at the maximum.
    let curves = curves(&parameters[place], |value| {
        let z = ml.as_ref().map(|ml| (value - ml.coefficients[place]) / ml.standard_errors[place])?;
        Some(-0.5 * z * z)
    });
    let mut frames = Vec::new();
    if options.frames {
        for n in frame_rows(rows.classes.len()) {
            let first = LogisticRows {
                inputs: rows.inputs[..n].to_vec(),
                classes: rows.classes[..n].to_vec(),
                weights: rows.weights[..n].to_vec(),
            };
            let marginal = fit(&first).and_then(|posterior| posterior.marginal(place));
            frames.push(Frame { n, curve: marginal.map(|marginal| frame_curve(&marginal, &curves)).unwrap_or_default() });
        }
    }
    let mut rng = random(options.seed);
    Estimate {
        kind: options.kind,
        family: "logistic",
        n,
        n_missing,
        prior_text: options.prior_text().to_string(),
        prior_improper: None,
        parameters,
        predictive: Predictive::ClassesAt { inputs: at, classes: pair(states, p) },
        log_marginal_likelihood: Some(posterior.log_marginal_likelihood()),
        log_marginal_likelihood_error: None,
        log_marginal_likelihood_method: "Laplace's approximation",
        sampling: None,
        method: "Laplace's approximation",
        draws: (0..options.draws).map(|_| posterior.draw(&mut rng)).collect(),
        curves,
        frames,
        remarks,
        columns: context.columns,
    }
    .checked()
}
