//! The posterior of any number of parameters by Markov chains.

use super::by_quadrature::find_tops;
use super::maxima::greatest;
use super::peaks::Top;
use super::target::Target;
use super::{Data, DensityCheck, DensityError, DensityModel, Predictive, Prior};
use crate::cholesky::cholesky;
use crate::mcmc::factor_slice::Stream;
use crate::mcmc::{Diagnosis, McmcOptions, diagnose, sample};

/// What is believed after the data, as draws.
#[derive(Clone, Debug)]
pub struct SampledPosterior {
    /// Of each parameter, in the model's order.
    pub parameters: Vec<SampledParameter>,
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
        let at = p.clamp(0.0, 1.0) * (self.sorted.len() - 1) as f64;
        let (low, share) = (at.floor() as usize, at.fract());
        let high = (low + 1).min(self.sorted.len() - 1);
        self.sorted[low] + share * (self.sorted[high] - self.sorted[low])
    }

    /// The interval with as many draws on either side of it.
    pub fn equal_tailed(&self, level: f64) -> [f64; 2] {
        [self.quantile(0.5 - 0.5 * level), self.quantile(0.5 + 0.5 * level)]
    }

    /// The highest-density interval: the shortest that holds this share of the draws (Chen & Shao 1999).
    pub fn highest_density(&self, level: f64) -> [f64; 2] {
        let n = self.sorted.len();
        let held = ((level.clamp(0.0, 1.0) * n as f64).ceil() as usize).clamp(1, n);
        let intervals = (0..=n - held).map(|low| [self.sorted[low], self.sorted[low + held - 1]]);
        intervals.min_by(|a, b| (a[1] - a[0]).total_cmp(&(b[1] - b[0]))).unwrap_or([self.sorted[0], self.sorted[n - 1]])
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

impl DensityModel {
    /// The posterior by Markov chains, for any number of parameters.
    ///
    /// Chains start two standard deviations, as a normal around the highest top has them, from that top or from another that
    /// holds as much. `check` asks that the density integrate to one over the response.
    ///
    /// **Complexity**: some six evaluations of the likelihood of all rows for each parameter, chain and sweep.
    ///
    /// # Errors
    /// Those of [`DensityModel::posterior`], but for improper posteriors: chains that wander off show as R̂ above one.
    pub fn sample(&self, data: &Data, options: &McmcOptions, check: bool) -> Result<SampledPosterior, DensityError> {
        if let Some(fault) = options.fault() {
            return Err(DensityError::Option(fault));
        }
        data.check(self)?;
        let mut target = Target::new(self, data)?;
        let tops = find_tops(&mut target)?;
        let checks = if check { self.check_around(&target, &tops[0], data)? } else { Vec::new() };
        let mut chains: Vec<Vec<Vec<f64>>> = vec![Vec::new(); self.priors.len()];
        for chain in 0..options.chains {
            // Tops that hold little do not get a chain of their own.
            let worthy: Vec<&Top> = tops.iter().filter(|top| top.ln_height > tops[0].ln_height - 5.0).collect();
            let top = worthy[chain % worthy.len()];
            let start = start(&mut target, top, options.seed, chain as u64);
            let draws = sample(&mut |place| target.ln_on_lines(place), &start, &top.covariance, options, chain as u64);
            let draws = draws.map_err(|fault| {
                let mut parameters = Vec::new();
                target.unpack(&fault.place, &mut parameters);
                target.fault(&parameters)
            })?;
            for (axis, prior) in self.priors.iter().enumerate() {
                chains[axis].push(draws.iter().map(|draw| prior.support().value(draw[axis])).collect());
            }
        }
        let parameters = self.priors.iter().map(Prior::name).zip(chains).map(|(name, chains)| SampledParameter::new(name, chains));
        let parameters = parameters.collect::<Option<Vec<_>>>().ok_or(DensityError::Impossible)?;
        let (map, maximum_likelihood) = greatest(&mut target, &tops[0].place);
        Ok(SampledPosterior {
            parameters,
            map,
            ln_likelihood_at_maximum: maximum_likelihood.as_ref().map(|best| target.ln_likelihood(best)),
            maximum_likelihood,
            options: *options,
            evaluations: target.evaluations,
            checks,
            model: self.clone(),
            data: data.clone(),
        })
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
