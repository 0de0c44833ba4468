//! A density, its priors and the data, compiled: ln prior and ln likelihood at any value of the parameters.

use std::sync::Arc;

use super::{Data, DensityError, DensityModel};
use crate::Support;
use crate::expression::{Bound, Expression, Program, Registers};

/// What all evaluations share.
struct Programs {
    likelihood: Program,
    /// The likelihood with its rows.
    rows: Bound,
    priors: Vec<Program>,
    /// ln of the factors that normalise priors cut to a range.
    ln_cut: f64,
}

/// The unnormalised posterior of a model and data. Evaluating uses memory of its own, hence `&mut`; a clone shares the data and the
/// programs, and counts its own evaluations from there.
#[derive(Clone)]
pub(crate) struct Target<'a> {
    pub model: &'a DensityModel,
    pub data: &'a Data,
    programs: Arc<Programs>,
    registers: Registers,
    /// The parameters behind room for the data's names.
    values: Vec<f64>,
    /// How often the likelihood was asked for.
    pub evaluations: u64,
}

impl<'a> Target<'a> {
    pub(crate) fn new(model: &'a DensityModel, data: &'a Data) -> Result<Self, DensityError> {
        let n_data = 1 + model.covariates.len();
        let names = model.names();
        let varying: Vec<bool> = (0..names.len()).map(|at| at < n_data).collect();
        let ranges = model.ranges();
        let likelihood = model.density.ln_program(&names, &varying, &ranges).map_err(DensityError::Density)?;
        let still = vec![false; names.len()];
        let priors = model.priors.iter().map(|prior| prior.density().ln_program(&names, &still, &ranges).map_err(DensityError::Prior));
        let priors = priors.collect::<Result<_, _>>()?;
        let values = vec![0.0; names.len()];
        let rows = Bound::new(&likelihood, &data.columns());
        let programs = Arc::new(Programs { likelihood, rows, priors, ln_cut: model.ln_cut.iter().sum() });
        Ok(Self { model, data, programs, registers: Registers::default(), values, evaluations: 0 })
    }

    /// Rows that differ from one another.
    pub(crate) fn n_rows(&self) -> usize {
        self.programs.rows.n_rows()
    }

    /// ln prior density; −∞ outside a support.
    pub(crate) fn ln_prior(&mut self, parameters: &[f64]) -> f64 {
        if !self.model.priors.iter().zip(parameters).all(|(prior, value)| prior.support().contains(*value)) {
            return f64::NEG_INFINITY;
        }
        self.set(parameters);
        let mut total = -self.programs.ln_cut;
        for program in &self.programs.priors {
            let mut ln_p = [0.0];
            program.run(&self.values, &[], &mut self.registers, &mut ln_p);
            if ln_p[0] == f64::NEG_INFINITY {
                return f64::NEG_INFINITY;
            }
            total += ln_p[0];
        }
        total
    }

    /// ln likelihood of all rows; −∞ if one is impossible, whatever the others are; NaN if one is infinite or no number.
    pub(crate) fn ln_likelihood(&mut self, parameters: &[f64]) -> f64 {
        self.set(parameters);
        self.evaluations += 1;
        self.programs.rows.sum(&self.values, &mut self.registers)
    }

    /// ln prior plus ln likelihood.
    pub(crate) fn ln_posterior(&mut self, parameters: &[f64]) -> f64 {
        let ln_prior = self.ln_prior(parameters);
        if ln_prior == f64::NEG_INFINITY { ln_prior } else { ln_prior + self.ln_likelihood(parameters) }
    }

    /// The parameters at a place of the lines, and what a density gains there.
    pub(crate) fn unpack(&self, place: &[f64], parameters: &mut Vec<f64>) -> f64 {
        parameters.clear();
        parameters.extend(self.supports().zip(place).map(|(support, z)| support.value(*z)));
        self.supports().zip(place).map(|(support, z)| support.ln_jacobian(*z)).sum()
    }

    /// ln posterior density on the lines.
    pub(crate) fn ln_on_lines(&mut self, place: &[f64]) -> f64 {
        let outside = self.supports().zip(place).any(|(support, z)| *z < support.line().0 || *z > support.line().1);
        if outside {
            return f64::NEG_INFINITY;
        }
        let mut parameters = Vec::with_capacity(place.len());
        let ln_jacobian = self.unpack(place, &mut parameters);
        self.ln_posterior(&parameters) + ln_jacobian
    }

    pub(crate) fn supports(&self) -> impl Iterator<Item = Support> + use<'a> {
        let model = self.model;
        model.priors.iter().map(|prior| prior.support())
    }

    /// Which row is impossible at these parameters, if one is.
    pub(crate) fn impossible_rows(&mut self, parameters: &[f64]) -> Vec<usize> {
        self.set(parameters);
        let mut ln_p = vec![0.0; self.data.n_rows()];
        self.programs.likelihood.run(&self.values, &self.data.columns(), &mut self.registers, &mut ln_p);
        (0..ln_p.len()).filter(|row| ln_p[*row] == f64::NEG_INFINITY).collect()
    }

    /// What is wrong at these parameters, where the posterior is NaN or infinite.
    pub(crate) fn fault(&mut self, parameters: &[f64]) -> DensityError {
        let own: Vec<(&str, f64)> = self.model.priors.iter().map(|prior| prior.name()).zip(parameters.iter().copied()).collect();
        for prior in &self.model.priors {
            let what = format!("the prior of `{}`", prior.name());
            if let Some(fault) = fault(&what, prior.density(), &own) {
                return fault;
            }
        }
        let names = self.model.names();
        for row in 0..self.data.n_rows() {
            let mut all: Vec<(&str, f64)> = names.iter().copied().zip(self.data.columns().iter().map(|column| column[row])).collect();
            all.extend(&own);
            if let Some(fault) = fault("the density", &self.model.density, &all) {
                return fault;
            }
        }
        DensityError::NotANumber { what: "the posterior".into(), at: at(&own), why: "the sum of its logarithms overflows".into() }
    }

    fn set(&mut self, parameters: &[f64]) {
        let n = self.values.len();
        self.values[n - parameters.len()..].copy_from_slice(parameters);
    }
}

/// The fault of an expression at these values: NaN or infinite. An infinite value below zero is NaN's brother here.
fn fault(what: &str, expression: &Expression, values: &[(&str, f64)]) -> Option<DensityError> {
    let named: Vec<(&str, f64)> = values.iter().filter(|(name, _)| expression.mentions(name) || values.len() == 1).copied().collect();
    let (what, at) = (what.to_owned(), at(&named));
    match expression.value(values) {
        Some(value) if value < 0.0 => Some(DensityError::NotANumber {
            what: format!("the logarithm of {what}"),
            at,
            why: format!("`{expression}` is {value}, and a density is never negative"),
        }),
        Some(value) if value.is_finite() => None,
        value => {
            let why = expression.why_not_finite(values)?;
            Some(if value.is_none() { DensityError::NotANumber { what, at, why } } else { DensityError::Infinite { what, at, why } })
        }
    }
}

/// Names and values, as in `x = 1, θ = 2`.
pub(crate) fn at(values: &[(&str, f64)]) -> String {
    values.iter().map(|(name, value)| format!("{name} = {}", short(*value))).collect::<Vec<_>>().join(", ")
}

/// A number to nine digits, with an exponent where it is very large or very small.
pub(crate) fn short(value: f64) -> String {
    let rounded: f64 = format!("{value:.8e}").parse().unwrap_or(value);
    let plain = rounded == 0.0 || !rounded.is_finite() || (1e-4..1e9).contains(&rounded.abs());
    if plain { format!("{rounded}") } else { format!("{rounded:e}") }
}
