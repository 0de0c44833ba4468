//! The posterior predictive: how the next response is distributed, the parameters integrated out.

use super::by_quadrature::Nodes;
use super::normalised::{for_each_whole, integrate_ln, likely, run_one};
use super::peaks::{Effort, hints, likely_places, scan, tops};
use super::{DensityError, DensityModel, IntegratedPosterior};
use crate::expression::{Program, Registers};
use crate::quadrature::{Sample, Tolerance, integrate};
use crate::{Bounded, PiecewiseDensity};

/// How the next response is distributed.
#[derive(Clone, Debug)]
pub struct Predictive {
    model: DensityModel,
    /// The data's values and then the parameters; the response stands first.
    values: Vec<f64>,
    belief: Belief,
    hints: Vec<f64>,
    /// A whole number around which responses lie.
    likely: f64,
}

/// What is believed of the parameters.
#[derive(Clone, Debug)]
enum Belief {
    /// One parameter by its density, which can be integrated anew for each response.
    Density { density: Box<PiecewiseDensity>, program: Program },
    /// Points with weights; the errors are those of the rule or of the sampling.
    Points { nodes: Nodes, program: Program, sampled: bool },
}

/// The predictive in numbers.
#[derive(Clone, Debug)]
pub struct PredictiveSummary {
    /// The mean; `None` if it does not exist.
    pub mean: Option<f64>,
    /// The standard deviation; `None` if it does not exist.
    pub sd: Option<f64>,
    /// The density of a real response: quantiles, intervals, the curve.
    pub density: Option<PiecewiseDensity>,
    /// The probabilities of a whole-numbered response, from low to high, those that matter.
    pub masses: Vec<MassAt>,
}

/// The probability of one whole number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MassAt {
    /// The number.
    pub value: f64,
    /// Its probability.
    pub probability: f64,
}

impl IntegratedPosterior {
    /// The posterior predictive, for these values of the covariates.
    ///
    /// # Errors
    /// If there are more or fewer covariates than the model has.
    pub fn predictive(&self, covariates: &[f64]) -> Result<Predictive, DensityError> {
        let values = values(&self.model, covariates)?;
        let one = self.model.priors.len() == 1;
        let program = program(&self.model, !one)?;
        let belief = match one {
            true => Belief::Density { density: Box::new(self.parameters[0].density.clone()), program },
            false => Belief::Points { nodes: self.nodes.clone(), program, sampled: false },
        };
        Ok(Predictive { model: self.model.clone(), values, belief, hints: hints(&self.data.response), likely: likely(&self.data.response) })
    }
}

/// Room for the response, then the covariates, then room for the parameters.
fn values(model: &DensityModel, covariates: &[f64]) -> Result<Vec<f64>, DensityError> {
    if covariates.len() != model.covariates.len() {
        return Err(DensityError::Shape { what: "covariates", found: covariates.len(), expected: model.covariates.len() });
    }
    if let Some(at) = covariates.iter().position(|value| !value.is_finite()) {
        return Err(DensityError::NotFinite { row: 1, name: model.covariates[at].clone() });
    }
    let mut values = vec![0.0];
    values.extend(covariates);
    values.resize(model.names().len(), 0.0);
    Ok(values)
}

/// The density's logarithm over one response and, if they vary, many parameters.
fn program(model: &DensityModel, parameters_vary: bool) -> Result<Program, DensityError> {
    let names = model.names();
    let n_data = 1 + model.covariates.len();
    let varying: Vec<bool> = (0..names.len()).map(|at| at >= n_data && parameters_vary).collect();
    model.density.ln_program(&names, &varying, &model.ranges()).map_err(DensityError::Density)
}

impl Predictive {
    /// From draws of the parameters, each as likely as the others.
    pub(super) fn from_draws(
        model: &DensityModel,
        covariates: &[f64],
        columns: Vec<Vec<f64>>,
        response: &[f64],
    ) -> Result<Self, DensityError> {
        let n = columns.first().map_or(0, Vec::len);
        let nodes = Nodes { weights: vec![1.0 / n as f64; n], differences: Vec::new(), columns };
        let belief = Belief::Points { nodes, program: program(model, true)?, sampled: true };
        Ok(Self { model: model.clone(), values: values(model, covariates)?, belief, hints: hints(response), likely: likely(response) })
    }

    /// The density (or probability) of a response, with a bound on its error; of draws, the bound is two standard errors.
    ///
    /// # Errors
    /// If the density is not a number or infinite there.
    pub fn density(&self, x: f64) -> Result<Bounded, DensityError> {
        let fault = |parameters: &[f64]| {
            let mut values = self.values.clone();
            values[0] = x;
            let n = values.len();
            values[n - parameters.len()..].copy_from_slice(parameters);
            let named: Vec<(&str, f64)> = self.model.names().into_iter().zip(values).collect();
            let why = self.model.density.why_not_finite(&named).unwrap_or_else(|| "it overflows".into());
            DensityError::NotANumber { what: "the density".into(), at: super::target::at(&named), why }
        };
        if !self.model.support.contains(x) || (self.model.discrete && x.fract() != 0.0) {
            return Ok(Bounded { value: 0.0, error: 0.0 });
        }
        let mut values = self.values.clone();
        values[0] = x;
        let mut registers = Registers::default();
        match &self.belief {
            Belief::Density { density, program } => {
                let support = density.support();
                let last = values.len() - 1;
                let at = |z: f64| {
                    let parameter = support.value(z);
                    values[last] = parameter;
                    let value = run_one(program, &values, &mut registers).exp() * density.pdf_on_line(z);
                    if value.is_finite() { Ok(Sample { value, error: 0.0, kept: () }) } else { Err(parameter) }
                };
                let tolerance = Tolerance { relative: 1e-9, ..Tolerance::default() };
                let found = integrate(at, density.extent(), &density.peaks(), tolerance);
                let found = found.map_err(|parameter| fault(&[parameter]))?;
                Ok(Bounded { value: found.value, error: found.error })
            }
            Belief::Points { nodes, program, sampled } => {
                let columns: Vec<&[f64]> = nodes.columns.iter().map(Vec::as_slice).collect();
                let mut p = vec![0.0; nodes.weights.len()];
                program.run(&values, &columns, &mut registers, &mut p);
                p.iter_mut().for_each(|ln_p| *ln_p = ln_p.exp());
                if let Some(bad) = p.iter().position(|p| !p.is_finite()) {
                    return Err(fault(&columns.iter().map(|column| column[bad]).collect::<Vec<_>>()));
                }
                let sum = |weights: &[f64]| weights.iter().zip(&p).map(|(w, p)| w * p).sum::<f64>();
                let value = sum(&nodes.weights);
                let error = if *sampled {
                    let variance = p.iter().map(|p| (p - value) * (p - value)).sum::<f64>() / p.len() as f64;
                    2.0 * (variance / p.len() as f64).sqrt()
                } else {
                    nodes.differences.iter().map(|weights| sum(weights).abs()).sum()
                };
                Ok(Bounded { value, error })
            }
        }
    }

    /// Mean, standard deviation and the whole distribution of the next response.
    ///
    /// **Complexity**: some hundred densities; each integrates over the parameters.
    ///
    /// # Errors
    /// If the density is not a number somewhere, or nothing is to be expected anywhere.
    pub fn summary(&self) -> Result<PredictiveSummary, DensityError> {
        if self.model.discrete {
            return self.discrete_summary();
        }
        let mut fault = None;
        let mut ln_p = |x: f64| match self.density(x) {
            Ok(density) => density.value.ln(),
            Err(error) => {
                fault = Some(error);
                f64::NAN
            }
        };
        let tolerance = Tolerance { relative: 1e-6, most_pieces: 100, patience: 2 };
        let hints = [self.hints.clone(), self.likely_responses()].concat();
        let found = integrate_ln(&mut ln_p, self.model.support, &hints, tolerance);
        if let Some(fault) = fault {
            return Err(fault);
        }
        let density = match found {
            Ok(Some((integral, _))) => PiecewiseDensity::new(self.model.support, &integral),
            _ => None,
        };
        let density = density.ok_or(DensityError::Impossible)?;
        let of = |moment: Option<Bounded>| moment.map(|moment| moment.value);
        Ok(PredictiveSummary { mean: of(density.mean()), sd: of(density.sd()), density: Some(density), masses: Vec::new() })
    }

    /// What typical parameters make most likely. It is looked for by logarithms: far from the data the density itself is nothing.
    fn likely_responses(&self) -> Vec<f64> {
        let support = self.model.support;
        let (first, last) = support.line();
        let places = likely_places(support, &self.hints);
        let mut registers = Registers::default();
        let mut found = Vec::new();
        for parameters in self.typical_parameters() {
            let mut values = self.values.clone();
            let n_data = values.len() - parameters.len();
            values[n_data..].copy_from_slice(&parameters);
            let columns: Vec<&[f64]> = parameters.iter().map(std::slice::from_ref).collect();
            let mut ln_p = |place: &[f64]| {
                if place[0] < first || place[0] > last {
                    return f64::NEG_INFINITY;
                }
                values[0] = support.value(place[0]);
                let mut out = [0.0];
                match &self.belief {
                    Belief::Density { program, .. } => program.run(&values, &[], &mut registers, &mut out),
                    Belief::Points { program, .. } => program.run(&values, &columns, &mut registers, &mut out),
                }
                let ln_p = out[0] + support.ln_jacobian(place[0]);
                if ln_p < f64::INFINITY { ln_p } else { f64::NEG_INFINITY }
            };
            let scanned = scan(&mut ln_p, std::slice::from_ref(&places), 1);
            let top = tops(&mut ln_p, &scanned, &[support.line()], Effort::THOROUGH).into_iter().next();
            found.extend(top.map(|top| support.value(top.place[0])).filter(|x| x.is_finite()));
        }
        found
    }

    /// Parameters in the middle of what is believed and towards its ends.
    fn typical_parameters(&self) -> Vec<Vec<f64>> {
        const LEVELS: [f64; 3] = [0.5, 0.1, 0.9];
        match &self.belief {
            Belief::Density { density, .. } => LEVELS.iter().map(|level| vec![density.quantile(*level)]).collect(),
            Belief::Points { nodes, .. } => {
                let total: f64 = nodes.weights.iter().map(|weight| weight.abs()).sum();
                let at = |level: &f64| {
                    let mut below = 0.0;
                    let place = nodes.weights.iter().position(|weight| {
                        below += weight.abs();
                        below >= level * total
                    })?;
                    Some(nodes.columns.iter().map(|column| column[place]).collect())
                };
                LEVELS.iter().filter_map(at).collect()
            }
        }
    }

    fn discrete_summary(&self) -> Result<PredictiveSummary, DensityError> {
        let mut masses = Vec::new();
        for_each_whole(self.model.support, self.likely, &mut |value| {
            let probability = self.density(value)?.value;
            masses.push(MassAt { value, probability });
            Ok::<_, DensityError>(probability)
        })?;
        masses.sort_by(|a, b| a.value.total_cmp(&b.value));
        let total: f64 = masses.iter().map(|mass| mass.probability).sum();
        if !(total > 0.0 && total.is_finite()) {
            return Err(DensityError::Impossible);
        }
        masses.retain(|mass| mass.probability > 1e-12 * total);
        let mean = masses.iter().map(|mass| mass.value * mass.probability).sum::<f64>() / total;
        let variance = masses.iter().map(|mass| (mass.value - mean).powi(2) * mass.probability).sum::<f64>() / total;
        Ok(PredictiveSummary { mean: Some(mean), sd: Some(variance.sqrt()), density: None, masses })
    }
}

impl PredictiveSummary {
    /// The interval with the same mass on either side of it; of whole numbers, it holds at least the level.
    pub fn equal_tailed(&self, level: f64) -> [f64; 2] {
        if let Some(density) = &self.density {
            return density.equal_tailed(level);
        }
        let total: f64 = self.masses.iter().map(|mass| mass.probability).sum();
        let quantile = |p: f64| {
            let mut below = 0.0;
            let found = self.masses.iter().find(|mass| {
                below += mass.probability;
                below >= p * total
            });
            found.or(self.masses.last()).map_or(0.0, |mass| mass.value)
        };
        [quantile(0.5 - 0.5 * level), quantile(0.5 + 0.5 * level)]
    }
}
