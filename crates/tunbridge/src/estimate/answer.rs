//! What is told of an estimate, whatever the family.

use belief::conjugate::Family;
use belief::distribution::{Distribution, credible_interval, interval_of_draws};
use belief::mcmc::Diagnosis;
use belief::random;

use super::curves::{Curves, Frame, curves, frame_curve, frame_rows};
use super::sample::{Gathered, Held};
use super::{EstimateOptions, FamilyKind};
use crate::Error;

/// An estimate of the parameters of a family.
#[derive(Debug)]
pub struct Estimate {
    /// Which family was asked for.
    pub kind: FamilyKind,
    /// Its name, with what is known: `normal-known-sd` where `normal` was asked for with a standard deviation.
    pub family: &'static str,
    /// The columns, those of a regression's inputs last.
    pub columns: Vec<String>,
    /// Rows, each as often as its weight says.
    pub n: f64,
    /// Rows that were left out since a value is missing.
    pub n_missing: u64,
    /// What was believed, as text.
    pub prior_text: String,
    /// Why the prior is no distribution, if it is none.
    pub prior_improper: Option<&'static str>,
    /// What is believed of each parameter.
    pub parameters: Vec<Parameter>,
    /// The next observation.
    pub predictive: Predictive,
    /// ln P(data); `None` under an improper prior.
    pub log_marginal_likelihood: Option<f64>,
    /// A bound on the error of ln P(data) by quadrature, and its standard error by bridge sampling.
    pub log_marginal_likelihood_error: Option<f64>,
    /// How ln P(data) was found.
    pub log_marginal_likelihood_method: &'static str,
    /// How the posterior was found: exactly, or how nearly.
    pub method: &'static str,
    /// How Markov chains went, where they were run.
    pub sampling: Option<Sampling>,
    /// Draws of all parameters from the posterior.
    pub draws: Vec<Vec<f64>>,
    /// Prior, likelihood and posterior of one parameter.
    pub curves: Curves,
    /// The posterior of that parameter after some numbers of rows, if it was asked for.
    pub frames: Vec<Frame>,
    /// What the user should know.
    pub remarks: Vec<String>,
}

/// How Markov chains went.
#[derive(Clone, Debug, PartialEq)]
pub struct Sampling {
    /// Of what the random numbers are.
    pub seed: u64,
    /// How many chains.
    pub chains: usize,
    /// Draws of each chain that were kept.
    pub draws: usize,
    /// How each parameter mixed.
    pub of_parameters: Vec<Diagnosis>,
}

/// What is believed of one parameter.
#[derive(Debug)]
pub struct Parameter {
    /// Its name.
    pub name: String,
    /// Before the data; `None` where that is improper or has no closed form.
    pub prior: Option<Box<dyn Distribution>>,
    /// After them; `None` where it has no closed form.
    pub posterior: Option<Box<dyn Distribution>>,
    /// The maximum-likelihood estimate, where there is one.
    pub ml: Option<f64>,
    /// The most probable value together with those of the other parameters.
    pub map: Option<f64>,
    /// The posterior mean, where it is finite.
    pub mean: Option<f64>,
    /// The posterior standard deviation, where it is finite.
    pub sd: Option<f64>,
    /// The credible interval.
    pub interval: [f64; 2],
    /// Whether the interval is one of draws, since the parameter's posterior has no closed form.
    pub interval_is_of_draws: bool,
}

/// The next observation.
#[derive(Debug)]
pub enum Predictive {
    /// A number.
    Number(Box<dyn Distribution>),
    /// One of some states.
    States(Vec<(String, f64)>),
    /// Several numbers, each by itself.
    Columns(Vec<(String, Box<dyn Distribution>)>),
    /// A number at these inputs.
    At {
        /// The inputs.
        inputs: Vec<(String, f64)>,
        /// The number.
        next: Box<dyn Distribution>,
    },
    /// One of some classes at these inputs.
    ClassesAt {
        /// The inputs.
        inputs: Vec<(String, f64)>,
        /// The classes.
        classes: Vec<(String, f64)>,
    },
}

/// A comparison of two models of the same data.
#[derive(Clone, Debug, PartialEq)]
pub struct BayesFactor {
    /// The second model's family.
    pub family: &'static str,
    /// Its density, where the user wrote one.
    pub density: Option<String>,
    /// The second model's prior.
    pub prior_text: String,
    /// ln P(data) under it.
    pub log_marginal_likelihood: f64,
    /// ln of how many times as probable the data are under the first.
    pub ln: f64,
    /// The error of that: of bridge sampling its standard error, of quadrature a bound; `None` where both are exact.
    pub error: Option<f64>,
}

/// What the answer is made with, beside prior and data.
pub(super) struct Context {
    pub options: EstimateOptions,
    pub remarks: Vec<String>,
    pub columns: Vec<String>,
}

impl Context {
    /// The place of the parameter whose curves are wanted.
    pub fn parameter(&self, names: &[String]) -> Result<usize, Error> {
        let Some(wanted) = &self.options.parameter else { return Ok(0) };
        names.iter().position(|name| name == wanted).ok_or_else(|| {
            let hint = format!("the parameters are: {}", names.iter().take(20).cloned().collect::<Vec<_>>().join(", "));
            Error::unfit(format!("there is no parameter `{wanted}`"), hint)
        })
    }
}

/// Draws that an interval is made of where a posterior has no closed form.
const DRAWS_FOR_INTERVALS: usize = 10_000;

/// The answer of a family. `frames` are the rows and how they become observations.
pub(super) fn answer<F: Family>(
    prior: F,
    seen: Gathered<F::Statistic>,
    names: Option<Vec<String>>,
    frames: Option<(Held, impl Fn(&[f64]) -> F::Datum)>,
    predictive: impl FnOnce(&F, &F::Statistic) -> Result<Predictive, Error>,
    context: Context,
) -> Result<Estimate, Error> {
    let options = &context.options;
    let posterior = prior.posterior(&seen.statistic);
    if let Some(why) = posterior.improper() {
        let data = match seen.n {
            0.0 => "no data".to_string(),
            n => crate::remarks::counted(n as u64, "row", "rows"),
        };
        let what = format!("the posterior is improper: the prior `{}` with {data} is no distribution; {why}", options.prior_text());
        let known = options.known_sd.is_some();
        return Err(Error::unfit(what, format!("give a proper prior, as in --prior '{}', or more data", options.kind.example(known))));
    }
    let names = names.unwrap_or_else(|| prior.parameters());
    let place = context.parameter(&names)?;
    let prior_improper = prior.improper();
    let (ml, map) = (prior.maximum_likelihood(&seen.statistic), posterior.mode());
    let (means, sds) = (posterior.mean(), posterior.sd());
    let mut remarks = context.remarks.clone();
    let mut by_draws: Option<Vec<Vec<f64>>> = None;
    let mut parameters = Vec::with_capacity(names.len());
    for (i, name) in names.iter().enumerate() {
        let after = posterior.marginal(i);
        let interval = match &after {
            Some(after) => credible_interval(&**after, options.interval, options.interval_kind),
            None => {
                let draws = by_draws.get_or_insert_with(|| {
                    let mut rng = random(options.seed);
                    (0..DRAWS_FOR_INTERVALS).map(|_| posterior.draw(&mut rng)).collect()
                });
                {
                    let mut of_this: Vec<f64> = draws.iter().map(|draw| draw[i]).collect();
                    of_this.sort_by(f64::total_cmp);
                    interval_of_draws(&of_this, options.interval, options.interval_kind)
                }
            }
        };
        parameters.push(Parameter {
            name: name.clone(),
            prior: if prior_improper.is_none() { prior.marginal(i) } else { None },
            ml: ml.as_ref().map(|ml| ml[i]),
            map: map.as_ref().map(|map| map[i]),
            mean: means[i],
            sd: sds[i],
            interval,
            interval_is_of_draws: after.is_none(),
            posterior: after,
        });
    }
    if by_draws.is_some() {
        remarks.push(format!("intervals of covariances are those of {DRAWS_FOR_INTERVALS} draws, seed {}", options.seed));
    }
    let log_marginal_likelihood = match prior_improper {
        None => Some(prior.log_marginal_likelihood(&seen.statistic)),
        Some(_) => None,
    };
    let curves = curves(&parameters[place], |value| prior.ln_profile_likelihood(&seen.statistic, place, value));
    let frames = match frames {
        Some((held, datum)) => frames_of(&prior, place, &held, datum, &curves)?,
        None => Vec::new(),
    };
    let mut rng = random(options.seed);
    let draws = (0..options.draws).map(|_| posterior.draw(&mut rng)).collect();
    let found = Estimate {
        kind: options.kind,
        family: prior.name(),
        predictive: predictive(&posterior, &seen.statistic)?,
        columns: context.columns,
        n: seen.n,
        n_missing: seen.n_missing,
        prior_text: options.prior_text().to_string(),
        prior_improper,
        parameters,
        log_marginal_likelihood,
        log_marginal_likelihood_error: None,
        log_marginal_likelihood_method: "exact",
        method: "exact",
        sampling: None,
        draws,
        curves,
        frames,
        remarks,
    };
    found.checked()
}

fn frames_of<F: Family>(
    prior: &F,
    place: usize,
    held: &Held,
    datum: impl Fn(&[f64]) -> F::Datum,
    curves: &Curves,
) -> Result<Vec<Frame>, Error> {
    let wanted = frame_rows(held.rows.len());
    let mut seen = prior.empty();
    let mut frames = Vec::with_capacity(wanted.len());
    for n in 0..=held.rows.len() {
        if wanted.contains(&n) {
            let belief = prior.posterior(&seen);
            let marginal = if belief.improper().is_none() { belief.marginal(place) } else { None };
            frames.push(Frame { n, curve: marginal.map(|marginal| frame_curve(&*marginal, curves)).unwrap_or_default() });
        }
        if let (Some(row), Some(weight)) = (held.rows.get(n), held.weights.get(n)) {
            prior.observe(&mut seen, &datum(row), *weight).map_err(|e| Error::Internal(e.to_string()))?;
        }
    }
    Ok(frames)
}

/// That there is no answer in doubles.
pub(super) fn beyond_doubles() -> Error {
    let what = "the numbers are too large or too small for an answer: it is beyond what a double holds";
    Error::unfit(what, "give the data in another unit, or a prior that is not so far from them")
}

impl Estimate {
    /// What was estimated from: the columns, those of a regression given its inputs.
    pub fn subject(&self) -> String {
        match self.kind {
            FamilyKind::LinearRegression | FamilyKind::Logistic => format!("{} given {}", self.columns[0], self.columns[1..].join(", ")),
            FamilyKind::Binomial if self.columns.len() == 2 => format!("{} of {} trials", self.columns[0], self.columns[1]),
            FamilyKind::Density if self.columns.len() > 1 => format!("{} given {}", self.columns[0], self.columns[1..].join(", ")),
            _ => self.columns.join(", "),
        }
    }

    /// The estimate, if every number of it is one.
    pub(super) fn checked(self) -> Result<Self, Error> {
        let of_parameter = |p: &Parameter| {
            let maybe = [p.ml, p.map, p.mean, p.sd].into_iter().flatten().all(f64::is_finite);
            // An end of an interval is infinite only where its quantile is beyond the doubles.
            maybe && p.interval.iter().all(|x| x.is_finite() && x.abs() < f64::MAX)
        };
        let sound = self.parameters.iter().all(of_parameter) && self.log_marginal_likelihood.is_none_or(f64::is_finite);
        if !sound {
            return Err(beyond_doubles());
        }
        Ok(self)
    }
}
