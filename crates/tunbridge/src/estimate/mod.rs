//! Estimation of parameters: a prior, data, a posterior, and what comes next.
//!
//! ```
//! use tunbridge::estimate::{EstimateOptions, Sample, estimate};
//! let heights = Sample::Values(["172", "185", "168", "181", "190", "175", "175"].map(String::from).to_vec());
//! let options = EstimateOptions { prior: Some("mean ~ N(170, 10²)".into()), known_sd: Some(7.0), ..EstimateOptions::of("normal")? };
//! let found = estimate(&heights, &options)?;
//! let mean = &found.parameters[0];
//! assert_eq!((found.family, mean.name.as_str()), ("normal-known-sd", "mean"));
//! assert!((mean.mean.unwrap() - 177.48).abs() < 0.01 && (mean.sd.unwrap() - 2.56).abs() < 0.01);
//! # Ok::<(), tunbridge::Error>(())
//! ```

mod answer;
mod curves;
mod density;
mod kind;
mod logistic;
mod prior_text;
mod priors;
mod sample;
mod work;

use belief::conjugate::{BetaBinomialRows, Family, LinearRegression, NormalInverseWishart, StateCounts};
use belief::distribution::{Distribution, IntervalKind};

pub use answer::{BayesFactor, Estimate, Parameter, Predictive, Sampling};
pub use curves::{Curve, Curves, Frame};
pub use density::DensityText;
pub use kind::FamilyKind;
pub use sample::Sample;
pub use work::{Plan, Tidings, Work, duration};

use answer::Context;
use priors::{PriorText, UniformPrior};
use sample::{Gathered, Opened};

use crate::Error;

/// How many trials rows of a binomial have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trials {
    /// Each row has as many.
    Each(u32),
    /// A column says how many.
    Column(String),
}

/// What is to be estimated, and what was believed before.
///
/// | field | default | meaning |
/// |---|---|---|
/// | `kind` | | the likelihood's family |
/// | `density` | none | where the family is a density that the user writes |
/// | `prior` | [`FamilyKind::default_prior`] | what was believed, as text |
/// | `known_sd` | none | the standard deviation of a Normal, where it is known |
/// | `trials` | none | how many trials a row of a binomial has, or the column that says so |
/// | `success` | none | the state that is a success, where a Bernoulli column has words |
/// | `interval` | 0.95 | the probability that credible intervals hold |
/// | `interval_kind` | equal-tailed | or of highest density |
/// | `at` | the inputs' means | inputs at which a regression predicts |
/// | `draws`, `seed` | 0, 1 | draws from the posterior |
/// | `parameter` | the first | the parameter whose curves are made |
/// | `frames` | false | whether the posterior after each row is kept, for [`Estimate::frames`] |
/// | `work` | [`Work::default`] | threads, the longest it may take, and who is told how far it is |
#[derive(Clone, Debug, PartialEq)]
pub struct EstimateOptions {
    /// The likelihood's family.
    pub kind: FamilyKind,
    /// The density that the user writes.
    pub density: Option<DensityText>,
    /// What was believed before.
    pub prior: Option<String>,
    /// The standard deviation, where it is known.
    pub known_sd: Option<f64>,
    /// Trials of each row of a binomial.
    pub trials: Option<Trials>,
    /// The state that is a success.
    pub success: Option<String>,
    /// The probability that intervals hold.
    pub interval: f64,
    /// Which intervals.
    pub interval_kind: IntervalKind,
    /// Inputs at which a regression predicts, by column.
    pub at: Vec<(String, f64)>,
    /// How many draws.
    pub draws: usize,
    /// The seed of everything random.
    pub seed: u64,
    /// The parameter whose curves are made.
    pub parameter: Option<String>,
    /// Whether the posterior after each row is kept.
    pub frames: bool,
    /// How it works and whom it tells.
    pub work: Work,
}

impl EstimateOptions {
    /// The defaults for a family.
    ///
    /// # Errors
    /// When there is no such family.
    pub fn of(family: &str) -> Result<Self, Error> {
        Ok(Self {
            kind: family.parse()?,
            density: None,
            prior: None,
            known_sd: None,
            trials: None,
            success: None,
            interval: 0.95,
            interval_kind: IntervalKind::default(),
            at: Vec::new(),
            draws: 0,
            seed: 1,
            parameter: None,
            frames: false,
            work: Work::default(),
        })
    }

    /// The defaults for a density that the user writes.
    pub fn of_density(density: DensityText) -> Result<Self, Error> {
        let prior = Some(density.priors.join(", "));
        Ok(Self { kind: FamilyKind::Density, prior, density: Some(density), ..Self::of("normal")? })
    }

    fn trials_of_each(&self) -> u32 {
        match self.trials {
            Some(Trials::Each(trials)) => trials,
            Some(Trials::Column(_)) | None => 1,
        }
    }

    fn prior_text(&self) -> &str {
        self.prior.as_deref().unwrap_or_else(|| self.kind.default_prior())
    }

    /// That what is said goes together, and the prior is one of the family: all that is known before the data are read.
    ///
    /// # Errors
    /// Says what does not go together, or what is wrong with the prior.
    pub fn check(&self, sample: &Sample) -> Result<(), Error> {
        self.check_flags(sample)?;
        let (columns, inputs) = match sample {
            Sample::Values(_) => (&[][..], &[][..]),
            Sample::Files { columns, given, .. } => (&columns[..], &given[..]),
        };
        if let Some(density) = &self.density {
            return density.model(columns, inputs).map(drop);
        }
        let prior = PriorText { kind: self.kind, known_sd: self.known_sd, text: self.prior_text() };
        prior.check(self.trials_of_each(), columns, inputs)
    }

    fn check_flags(&self, sample: &Sample) -> Result<(), Error> {
        if !(self.interval > 0.0 && self.interval < 1.0) {
            let what = format!("an interval cannot hold the probability {}", self.interval);
            return Err(Error::unfit(what, "give a number between 0 and 1, as in --interval 0.95"));
        }
        if let Some(sd) = self.known_sd {
            if self.kind != FamilyKind::Normal {
                let what = format!("a known standard deviation means nothing to the family {}", self.kind.word());
                return Err(Error::unfit(what, "leave --known-sd out, or say --family normal"));
            }
            // Its square must be a number as well.
            if !(sd > 0.0 && (sd * sd).is_finite() && sd * sd > 0.0) {
                if sd > 0.0 && sd.is_finite() {
                    let what = format!("the square of a standard deviation of {sd:e} is beyond what a double holds");
                    return Err(Error::unfit(what, "give the data in another unit"));
                }
                return Err(Error::unfit(format!("a standard deviation of {sd} is impossible"), "give a positive number with --known-sd"));
            }
        }
        match (self.kind, &self.trials) {
            (FamilyKind::Binomial, None) => {
                return Err(Error::unfit("a binomial needs the number of trials of each row", "give it with --trials, as in --trials 10"));
            }
            (FamilyKind::Binomial, Some(Trials::Column(name))) if matches!(sample, Sample::Values(_)) => {
                let what = format!("--values have no column `{name}` of trials");
                return Err(Error::unfit(what, "give a number, as in --trials 10, or a table with that column"));
            }
            (FamilyKind::Binomial, Some(_)) | (_, None) => {}
            (kind, Some(_)) => {
                let what = format!("a number of trials means nothing to the family {}", kind.word());
                return Err(Error::unfit(what, "leave --trials out, or say --family binomial"));
            }
        }
        if self.success.is_some() && self.kind != FamilyKind::Bernoulli {
            let what = format!("a success means nothing to the family {}", self.kind.word());
            return Err(Error::unfit(what, "leave --success out, or say --family bernoulli"));
        }
        let (n_columns, n_given) = match sample {
            Sample::Values(_) => (1, 0),
            Sample::Files { columns, given, .. } => (columns.len(), given.len()),
        };
        let several = matches!(self.kind, FamilyKind::Multinomial | FamilyKind::MultivariateNormal);
        let may_have_inputs = self.kind == FamilyKind::Density && n_given > 0;
        let regression = matches!(self.kind, FamilyKind::LinearRegression | FamilyKind::Logistic) || may_have_inputs;
        let word = self.kind.word();
        if several && n_columns < 2 {
            return Err(Error::unfit(format!("the family {word} is of several columns"), "name them with commas between: --column a,b"));
        }
        if !several && n_columns != 1 {
            return Err(Error::unfit(format!("the family {word} is of one column"), "name one with --column"));
        }
        if regression && n_given == 0 {
            return Err(Error::unfit(format!("the family {word} needs inputs"), "name them with --given, as in --column y --given x1,x2"));
        }
        if !regression && n_given > 0 {
            let what = format!("the family {word} has no inputs");
            return Err(Error::unfit(what, "leave --given out, or say --family linear-regression or logistic"));
        }
        if !regression && !self.at.is_empty() {
            return Err(Error::unfit(format!("the family {word} predicts without inputs"), "leave --at out"));
        }
        Ok(())
    }
}

/// Estimates the parameters of a family from a sample.
///
/// # Errors
/// When the data cannot be read, a row is outside of what the likelihood can give, the prior is none of the family, or the posterior is
/// improper.
pub fn estimate(sample: &Sample, options: &EstimateOptions) -> Result<Estimate, Error> {
    options.check(sample)?;
    let opened = match (&options.trials, sample) {
        (Some(Trials::Column(name)), Sample::Files { paths, read, columns, .. }) => {
            let with_trials = [columns.clone(), vec![name.clone()]].concat();
            let sample = Sample::Files { paths: paths.clone(), read: read.clone(), columns: with_trials, given: Vec::new() };
            sample.open(false)?
        }
        _ => sample.open(options.kind.of_states())?,
    };
    let prior = PriorText { kind: options.kind, known_sd: options.known_sd, text: options.prior_text() };
    let context = |opened: &Opened| Context { options: options.clone(), remarks: opened.remarks.clone(), columns: opened.names.clone() };
    let of_number = |row: &[f64]| row[0];
    let of_row = |row: &[f64]| row.to_vec();
    match options.kind {
        FamilyKind::Bernoulli => bernoulli(&opened, &prior, context(&opened)),
        FamilyKind::Categorical => categorical(&opened, &prior, context(&opened)),
        FamilyKind::Logistic => logistic::logistic(&opened, &prior.logistic()?, context(&opened)),
        FamilyKind::Density => match &options.density {
            Some(density) => density::estimate(&opened, density, context(&opened)),
            None => Err(Error::unfit("there is no density", "write one, as in --density 'theta*exp(-theta*x)'")),
        },
        FamilyKind::Binomial if matches!(options.trials, Some(Trials::Column(_))) => {
            let prior = BetaBinomialRows::new(prior.bernoulli(1)?);
            let successes = |row: &[f64]| [row[0], row[1]];
            let seen = opened.gather(&prior, successes)?;
            let frames = frames_of(&opened, options)?;
            let mut context = context(&opened);
            context.remarks.push("trials differ from row to row, so that the predictive is of one trial".into());
            answer::answer(prior, seen, None, frames.map(|held| (held, successes)), next_number, context)
        }
        FamilyKind::Binomial => plain(&opened, prior.bernoulli(options.trials_of_each())?, of_number, context(&opened)),
        FamilyKind::Poisson => plain(&opened, prior.poisson()?, of_number, context(&opened)),
        FamilyKind::Exponential => plain(&opened, prior.exponential()?, of_number, context(&opened)),
        FamilyKind::Geometric => plain(&opened, prior.geometric()?, of_number, context(&opened)),
        FamilyKind::LogNormal => plain(&opened, prior.log_normal()?, of_number, context(&opened)),
        FamilyKind::Normal => match options.known_sd {
            Some(sd) => plain(&opened, prior.known_variance(sd)?, of_number, context(&opened)),
            None => plain(&opened, prior.normal()?, of_number, context(&opened)),
        },
        FamilyKind::Uniform => match prior.uniform()? {
            UniformPrior::Bounded(prior) => plain(&opened, prior, of_number, context(&opened)),
            UniformPrior::Pareto(prior) => plain(&opened, prior, of_number, context(&opened)),
        },
        FamilyKind::Multinomial => {
            let names = opened.names.iter().map(|name| format!("p[{name}]")).collect();
            let prior = prior.dirichlet(opened.names.len())?;
            let seen = opened.gather(&prior, of_row)?;
            let states = opened.names.clone();
            let predictive = |after: &belief::conjugate::Dirichlet, _: &StateCounts| Ok(Predictive::States(pair(&states, after.mean())));
            let frames = frames_of(&opened, options)?;
            answer::answer(prior, seen, Some(names), frames.map(|held| (held, of_row)), predictive, context(&opened))
        }
        FamilyKind::MultivariateNormal => {
            let prior = prior.multivariate(&opened.names)?;
            let seen = opened.gather(&prior, of_row)?;
            let names = opened.names.clone();
            let predictive = |after: &NormalInverseWishart, _: &belief::Scatter| {
                let of_column = |(place, name): (usize, &String)| {
                    let t: Box<dyn Distribution> = Box::new(after.column_predictive(place)?);
                    Some((name.clone(), t))
                };
                Ok(Predictive::Columns(names.iter().enumerate().filter_map(of_column).collect()))
            };
            let frames = frames_of(&opened, options)?;
            answer::answer(prior, seen, None, frames.map(|held| (held, of_row)), predictive, context(&opened))
        }
        FamilyKind::LinearRegression => {
            let inputs = opened.names[1..].to_vec();
            let prior = prior.regression(&inputs)?;
            // The statistic has the inputs first and the output last.
            let turned = |row: &[f64]| row[1..].iter().chain(&row[..1]).copied().collect::<Vec<f64>>();
            let seen = opened.gather(&prior, turned)?;
            let predictive = |after: &LinearRegression, seen: &belief::Scatter| {
                let at = inputs_at(&inputs, &options.at, &seen.mean)?;
                let values: Vec<f64> = at.iter().map(|(_, x)| *x).collect();
                match after.predictive_at(&values) {
                    Some(t) => Ok(Predictive::At { inputs: at, next: Box::new(t) }),
                    None => Err(answer::beyond_doubles()),
                }
            };
            let frames = frames_of(&opened, options)?;
            answer::answer(prior, seen, None, frames.map(|held| (held, turned)), predictive, context(&opened))
        }
    }
}

/// How many times as probable the data are under one model as under another.
///
/// # Errors
/// As [`estimate`], or when a prior is improper: then there is no marginal likelihood to compare.
pub fn bayes_factor(sample: &Sample, first: &Estimate, against: &EstimateOptions) -> Result<BayesFactor, Error> {
    let second = estimate(sample, &EstimateOptions { frames: false, draws: 0, parameter: None, ..against.clone() })?;
    let improper = |of: &Estimate, flag: &str| {
        if of.prior_improper.is_none() {
            let what = format!("the marginal likelihood of {}, {}, could not be found", of.family, of.prior_text);
            return Error::unfit(what, "draw from more chains, or with another --seed");
        }
        let what = format!("the prior `{}` of {} is improper, and a Bayes factor needs proper ones", of.prior_text, of.family);
        Error::unfit(what, format!("give one as in {flag} '{}'", of.kind.example(of.family == "normal-known-sd")))
    };
    let ln_first = first.log_marginal_likelihood.ok_or_else(|| improper(first, "--prior"))?;
    let ln_second = second.log_marginal_likelihood.ok_or_else(|| improper(&second, "--against"))?;
    if first.n != second.n {
        let what = format!("the two models are of different rows: {} and {}", first.n, second.n);
        return Err(Error::unfit(what, "compare models of the same column"));
    }
    let errors = [first.log_marginal_likelihood_error, second.log_marginal_likelihood_error];
    let error = errors.iter().flatten().map(|error| error * error).reduce(|a, b| a + b).map(f64::sqrt);
    let ln = ln_first - ln_second;
    let density = against.density.as_ref().map(|density| density.text.clone());
    Ok(BayesFactor { family: second.family, density, prior_text: second.prior_text, log_marginal_likelihood: ln_second, ln, error })
}

/// A family of one number a row.
fn plain<F: Family<Datum = f64>>(
    opened: &Opened,
    prior: F,
    datum: impl Fn(&[f64]) -> f64 + Sync + Copy,
    context: Context,
) -> Result<Estimate, Error> {
    let seen = opened.gather(&prior, datum)?;
    let frames = frames_of(opened, &context.options)?;
    answer::answer(prior, seen, None, frames.map(|held| (held, datum)), next_number, context)
}

fn next_number<F: Family>(after: &F, _: &F::Statistic) -> Result<Predictive, Error> {
    after.predictive().map(Predictive::Number).ok_or_else(answer::beyond_doubles)
}

/// Zeros and ones, or states of which one is a success.
fn bernoulli(opened: &Opened, prior: &PriorText<'_>, context: Context) -> Result<Estimate, Error> {
    let prior = prior.bernoulli(1)?;
    let column = &opened.names[0];
    let values: Vec<f64> = match &context.options.success {
        Some(success) => {
            if !opened.states.contains(success) {
                let known = opened.states.iter().take(20).cloned().collect::<Vec<_>>().join(", ");
                return Err(Error::unfit(format!("`{success}` is no state of `{column}`"), format!("its states are: {known}")));
            }
            opened.states.iter().map(|state| f64::from(u8::from(state == success))).collect()
        }
        None => {
            let number = |state: &String| {
                state.parse::<f64>().ok().filter(|x| *x == 0.0 || *x == 1.0).ok_or_else(|| {
                    let what = format!("`{column}` holds `{state}`, and a Bernoulli is 0 or 1");
                    Error::unfit(what, format!("say which state is a success, as in --success {state}"))
                })
            };
            opened.states.iter().map(number).collect::<Result<_, _>>()?
        }
    };
    let (counts, n_missing) = opened.count_states()?;
    let mut statistic = prior.empty();
    for (x, count) in values.iter().zip(&counts) {
        prior.observe(&mut statistic, x, *count).map_err(|e| Error::Internal(e.to_string()))?;
    }
    let seen = Gathered { statistic, n: counts.iter().sum(), n_missing };
    let frames = frames_of(opened, &context.options)?.map(|held| (held, |row: &[f64]| values[row[0] as usize]));
    answer::answer(prior, seen, None, frames, next_number, context)
}

fn categorical(opened: &Opened, prior: &PriorText<'_>, context: Context) -> Result<Estimate, Error> {
    let states = opened.states.clone();
    if states.is_empty() {
        return Err(Error::unfit(format!("`{}` has no states", opened.names[0]), "give a column with values"));
    }
    let prior = prior.dirichlet(states.len())?;
    let (counts, n_missing) = opened.count_states()?;
    let seen = Gathered { n: counts.iter().sum(), statistic: StateCounts::of(counts), n_missing };
    let names = states.iter().map(|state| format!("p[{state}]")).collect();
    let predictive = |after: &belief::conjugate::Dirichlet, _: &StateCounts| Ok(Predictive::States(pair(&states, after.mean())));
    let one_hot = |row: &[f64]| (0..states.len()).map(|state| f64::from(u8::from(state == row[0] as usize))).collect::<Vec<f64>>();
    let frames = frames_of(opened, &context.options)?;
    let mut found = answer::answer(prior, seen, Some(names), frames.map(|held| (held, one_hot)), predictive, context)?;
    if states.len() == 1 {
        // What is sure has no curve.
        found.curves = Curves { parameter: found.curves.parameter, ..Curves::default() };
    }
    Ok(found)
}

fn pair(names: &[String], values: Vec<f64>) -> Vec<(String, f64)> {
    names.iter().cloned().zip(values).collect()
}

/// The rows, if the posterior after each of them is wanted.
fn frames_of(opened: &Opened, options: &EstimateOptions) -> Result<Option<sample::Held>, Error> {
    if options.frames { opened.hold().map(Some) } else { Ok(None) }
}

/// The inputs to predict at: as given, and the means of the others.
fn inputs_at(names: &[String], at: &[(String, f64)], means: &[f64]) -> Result<Vec<(String, f64)>, Error> {
    if let Some((wrong, _)) = at.iter().find(|(name, _)| !names.contains(name)) {
        return Err(Error::unfit(format!("`{wrong}` is no input"), format!("the inputs are: {}", names.join(", "))));
    }
    let value = |(name, mean): (&String, &f64)| (name.clone(), at.iter().rfind(|(given, _)| given == name).map_or(*mean, |(_, x)| *x));
    Ok(names.iter().zip(means).map(value).collect())
}

#[cfg(test)]
mod tests;
