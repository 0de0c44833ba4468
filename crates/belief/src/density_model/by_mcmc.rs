//! The posterior of any number of parameters by Markov chains.

use super::by_quadrature::find_tops;
use super::maxima::greatest;
use super::peaks::Top;
use super::target::Target;
use super::{Data, DensityCheck, DensityError, DensityModel, Predictive};
use crate::cholesky::cholesky;
use crate::distribution::{IntervalKind, interval_of_draws, quantile_of_draws};
use crate::mcmc::factor_slice::Stream;
use crate::mcmc::{BridgeEstimate, Diagnosis, McmcOptions, Walk, bridge_sampling, diagnose, sample};
use crate::split_mix;

/// What is believed after the data, as draws.
#[derive(Clone, Debug)]
pub struct SampledPosterior {
    /// Of each parameter, in the model's order.
    pub parameters: Vec<SampledParameter>,
    /// ln P(data) by bridge sampling, with its standard error; `None` with priors up to a constant, or if the draws do not allow it.
    pub log_marginal_likelihood: Option<BridgeEstimate>,
    /// The most probable parameters; `None` if the posterior density grows without bound.
    pub map: Option<Vec<f64>>,
    /// The parameters of greatest likelihood within the priors' supports; `None` if there are none.
    pub maximum_likelihood: Option<Vec<f64>>,
    /// ln P(data | the parameters of greatest likelihood).
    pub ln_likelihood_at_maximum: Option<f64>,
    /// How it was drawn.
    pub options: McmcOptions,
    /// How often the likelihood was evaluated.
    pub evaluations: u64,
    /// What the density integrates to at some parameters, if that was checked.
    pub checks: Vec<DensityCheck>,
    model: DensityModel,
    data: Data,
}

/// Draws of one parameter, and how far they can be trusted.
#[derive(Clone, Debug)]
pub struct SampledParameter {
    /// Its name.
    pub name: String,
    /// Its draws, chain by chain. The i-th draws of all parameters belong together.
    pub chains: Vec<Vec<f64>>,
    /// Mean, spread, their Monte Carlo errors, R̂ and effective sizes.
    pub diagnosis: Diagnosis,
    sorted: Vec<f64>,
}

impl SampledParameter {
    fn new(name: &str, chains: Vec<Vec<f64>>) -> Option<Self> {
        let mut sorted: Vec<f64> = chains.iter().flatten().copied().collect();
        sorted.sort_by(f64::total_cmp);
        Some(Self { name: name.to_owned(), diagnosis: diagnose(&chains)?, chains, sorted })
    }

    /// The value with this share of the draws below it, between draws by a straight line (Hyndman & Fan 1996, definition 7).
    pub fn quantile(&self, p: f64) -> f64 {
        quantile_of_draws(&self.sorted, p)
    }

    /// The interval with as many draws on either side of it.
    pub fn equal_tailed(&self, level: f64) -> [f64; 2] {
        interval_of_draws(&self.sorted, level, IntervalKind::EqualTailed)
    }

    /// The highest-density interval: the shortest that holds this share of the draws (Chen & Shao 1999).
    pub fn highest_density(&self, level: f64) -> [f64; 2] {
        interval_of_draws(&self.sorted, level, IntervalKind::HighestDensity)
    }
}

impl SampledPosterior {
    /// Why the draws should not be trusted, for each parameter of which they should not.
    pub fn warnings(&self) -> Vec<String> {
        self.parameters.iter().filter_map(|parameter| Some(format!("{}: {}", parameter.name, parameter.diagnosis.warning()?))).collect()
    }

    /// The posterior predictive, for these values of the covariates, from at most 4,000 of the draws.
    ///
    /// # Errors
    /// If there are more or fewer covariates than the model has.
    pub fn predictive(&self, covariates: &[f64]) -> Result<Predictive, DensityError> {
        const MOST: usize = 4000;
        let all: Vec<Vec<f64>> = self.parameters.iter().map(|parameter| parameter.chains.concat()).collect();
        let step = all[0].len().div_ceil(MOST).max(1);
        let columns = all.iter().map(|column| column.iter().step_by(step).copied().collect()).collect();
        Predictive::from_draws(&self.model, covariates, columns, &self.data.response)
    }
}

/// A posterior that is about to be sampled: compiled with its rows, nothing evaluated yet.
pub struct Sampler<'a> {
    target: Target<'a>,
    options: McmcOptions,
}

/// Evaluations of the likelihood for one update along one axis, as measured over densities of one to six parameters.
const EVALUATIONS_AN_UPDATE: f64 = 5.4;
/// Evaluations that it takes to find the tops of one parameter and, in the end, the greatest likelihood.
const EVALUATIONS_A_CLIMB: f64 = 2000.0;

impl<'a> Sampler<'a> {
    /// About how often the likelihood will be evaluated, by one chain and in all.
    pub fn evaluations(&self) -> (u64, u64) {
        let n = self.target.model.priors.len() as f64;
        let chain = EVALUATIONS_AN_UPDATE * n * (self.options.warm_up + self.options.draws) as f64;
        let bridge = 0.5 * (self.options.chains * self.options.draws) as f64;
        (chain as u64, (chain * self.options.chains as f64 + bridge + EVALUATIONS_A_CLIMB * n) as u64)
    }

    /// Rows that differ from one another: an evaluation takes time by them.
    pub fn n_rows(&self) -> usize {
        self.target.n_rows()
    }

    /// Evaluates the likelihood once, at some likely parameters, so that someone with a clock can tell how long that takes.
    pub fn try_out(&self, nth: u64) -> f64 {
        let mut target = self.target.clone();
        let place: Vec<f64> = (0..target.model.priors.len() as u64).map(|axis| (split_mix(nth * 64 + axis) % 5) as f64 - 2.0).collect();
        target.ln_on_lines(&place)
    }

    /// Finds where chains start. `check` asks that the density integrate to one over the response.
    ///
    /// # Errors
    /// Those of [`DensityModel::posterior`], but for improper posteriors: chains that wander off show as R̂ above one.
    pub fn climb(mut self, check: bool) -> Result<Chains<'a>, DensityError> {
        let tops = find_tops(&mut self.target)?;
        let checks = if check { self.target.model.check_around(&self.target, &tops[0], self.target.data)? } else { Vec::new() };
        Ok(Chains { target: self.target, options: self.options, tops, checks })
    }
}

/// Chains that are ready to run, each by itself and in any order: on threads, for those who have some.
pub struct Chains<'a> {
    target: Target<'a>,
    options: McmcOptions,
    tops: Vec<Top>,
    checks: Vec<DensityCheck>,
}

/// One chain that was run.
#[derive(Clone, Debug)]
pub struct Chain {
    walk: Walk,
    evaluations: u64,
}

impl Chains<'_> {
    /// Runs one of the chains, numbered from 0. `evaluated` is called after each evaluation of the likelihood.
    ///
    /// Chains start two standard deviations, as a normal around the highest top has them, from that top or from another that
    /// holds as much.
    ///
    /// # Errors
    /// If the density is not a number somewhere.
    pub fn run(&self, chain: usize, evaluated: &dyn Fn()) -> Result<Chain, DensityError> {
        let mut target = self.target.clone();
        target.evaluations = 0;
        // Tops that hold little do not get a chain of their own.
        let worthy: Vec<&Top> = self.tops.iter().filter(|top| top.ln_height > self.tops[0].ln_height - 5.0).collect();
        let top = worthy[chain % worthy.len()];
        let start = start(&mut target, top, self.options.seed, chain as u64);
        let mut ln_density = |place: &[f64]| {
            evaluated();
            target.ln_on_lines(place)
        };
        let walk = sample(&mut ln_density, &start, &top.covariance, &self.options, chain as u64);
        let walk = walk.map_err(|fault| fault_at(&mut target, &fault.place))?;
        Ok(Chain { walk, evaluations: target.evaluations })
    }

    /// What all the chains say, given in their order.
    ///
    /// # Errors
    /// If there are too few of them, or the density is not a number somewhere.
    pub fn posterior(mut self, chains: Vec<Chain>) -> Result<SampledPosterior, DensityError> {
        let target = &mut self.target;
        target.evaluations += chains.iter().map(|chain| chain.evaluations).sum::<u64>();
        let walks: Vec<Walk> = chains.into_iter().map(|chain| chain.walk).collect();
        let model = target.model;
        let parameters = model.priors.iter().enumerate().map(|(axis, prior)| {
            let draws = |walk: &Walk| walk.places.iter().map(|place| prior.support().value(place[axis])).collect();
            SampledParameter::new(prior.name(), walks.iter().map(draws).collect())
        });
        let parameters = parameters.collect::<Option<Vec<_>>>().ok_or(DensityError::Impossible)?;
        let log_marginal_likelihood = match model.has_proper_priors() {
            true => bridge_sampling(&mut |place| target.ln_on_lines(place), &walks, &self.options),
            false => Ok(None),
        };
        let log_marginal_likelihood = log_marginal_likelihood.map_err(|fault| fault_at(target, &fault.place))?;
        let (map, maximum_likelihood) = greatest(target, &self.tops[0].place);
        Ok(SampledPosterior {
            parameters,
            log_marginal_likelihood,
            map,
            ln_likelihood_at_maximum: maximum_likelihood.as_ref().map(|best| target.ln_likelihood(best)),
            maximum_likelihood,
            options: self.options,
            evaluations: target.evaluations,
            checks: self.checks,
            model: model.clone(),
            data: target.data.clone(),
        })
    }
}

fn fault_at(target: &mut Target<'_>, place: &[f64]) -> DensityError {
    let mut parameters = Vec::new();
    target.unpack(place, &mut parameters);
    target.fault(&parameters)
}

impl DensityModel {
    /// The posterior by Markov chains, for any number of parameters: one chain after the other. Those who have threads ask for a
    /// [`Self::sampler`] and run its chains on them; the draws are the same.
    ///
    /// **Complexity**: some six evaluations of the likelihood of all rows for each parameter, chain and sweep.
    ///
    /// # Errors
    /// Those of [`Self::sampler`], [`Sampler::climb`] and [`Chains::run`].
    pub fn sample(&self, data: &Data, options: &McmcOptions, check: bool) -> Result<SampledPosterior, DensityError> {
        let chains = self.sampler(data, options)?.climb(check)?;
        let run = (0..options.chains).map(|chain| chains.run(chain, &|| ())).collect::<Result<Vec<Chain>, DensityError>>()?;
        chains.posterior(run)
    }

    /// The posterior by Markov chains, step by step: how much work it is, where chains start, each chain, what they say.
    ///
    /// # Errors
    /// Options or data that do not fit.
    pub fn sampler<'a>(&'a self, data: &'a Data, options: &McmcOptions) -> Result<Sampler<'a>, DensityError> {
        if let Some(fault) = options.fault() {
            return Err(DensityError::Option(fault));
        }
        data.check(self)?;
        Ok(Sampler { target: Target::new(self, data)?, options: *options })
    }
}

/// A place around a top with a density above zero, nearer and nearer until there is one.
fn start(target: &mut Target<'_>, top: &Top, seed: u64, chain: u64) -> Vec<f64> {
    // A stream of its own, far from those of the chains.
    let mut random = Stream::new(seed, chain + (1 << 32));
    let n = top.place.len();
    let lower = cholesky(&top.covariance);
    for attempt in 0..50 {
        let standard: Vec<f64> = (0..n).map(|_| 2.0 * 0.8_f64.powi(attempt) * random.normal()).collect();
        let step = |i: usize| match &lower {
            Some(lower) => (0..=i).map(|j| lower[i][j] * standard[j]).sum(),
            None => top.covariance[i][i].sqrt() * standard[i],
        };
        let place: Vec<f64> = (0..n).map(|i| top.place[i] + step(i)).collect();
        if target.ln_on_lines(&place).is_finite() {
            return place;
        }
    }
    top.place.clone()
}
