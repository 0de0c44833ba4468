//! What every climb over tables climbs: the log likelihood of rows with gaps plus what the prior says of the tables.
//!
//! With α pseudo-counts a cell, tables that are posterior means climb Σ α ln θ beside the likelihood, and those of largest density
//! Σ (α − 1) ln θ. By θ the slope of a cell is W/θ, where W is how often it was counted, how often it is expected in the gaps, and what
//! the prior adds: expectations are all that a gradient needs (Russell, Binder, Koller & Kanazawa 1995).

use super::em::{EmError, EmFault, Fitted};
use super::expected::Expected;
use super::families::Families;
use super::family_counts::FamilyCounts;
use super::posterior::{Parameters, weighed_ln};
use super::prior::{Estimate, ParameterPrior};
use belief::Climb;
use std::sync::Arc;

/// What climbs, for some rows and a prior.
pub(super) struct Objective<'a> {
    observed: &'a FamilyCounts,
    prior: &'a ParameterPrior,
    /// What the prior says of the tables: a weight for the logarithm of each cell.
    prior_cells: Vec<f64>,
}

/// Tables, and how high they are.
#[derive(Clone, Debug)]
pub(super) struct Valued {
    pub parameters: Parameters,
    /// What climbs.
    pub objective: f64,
    pub ln_likelihood: f64,
    /// What gaps are expected to be under the tables.
    pub expected: Vec<f64>,
}

impl<'a> Objective<'a> {
    pub fn new(observed: &'a FamilyCounts, prior: &'a ParameterPrior) -> Result<Self, EmFault> {
        let prior_cells = prior_cells(observed.families(), prior)?;
        Ok(Self { observed, prior, prior_cells })
    }

    pub fn families(&self) -> &Arc<Families> {
        self.observed.families()
    }

    pub fn n_rows(&self) -> f64 {
        self.observed.n_rows()
    }

    /// The places of tables that are learned.
    pub fn learned(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.families().len()).filter(|of| !self.prior.fixed.contains_key(of))
    }

    /// How high tables are, given what is expected under them. An impossible row is an error.
    pub fn value(&self, parameters: Parameters, expected: Expected) -> Result<Valued, EmFault> {
        if expected.is_impossible() {
            return Err(expected.first_impossible().map_or(EmFault::ImpossiblePart, |row| EmFault::Impossible { row }));
        }
        let ln_likelihood = parameters.ln_likelihood(self.observed.cells()) + expected.ln_parts();
        let objective = ln_likelihood + weighed_ln(&self.prior_cells, parameters.theta());
        Ok(Valued { parameters, objective, ln_likelihood, expected: expected.cells })
    }

    /// The same for the start of a climb, with the tables that are fixed. A start that gives what was counted probability zero is an error.
    pub fn begin<E>(&self, start: &Parameters, expect: &mut impl FnMut(&Parameters) -> Result<Expected, E>) -> Result<Valued, EmError<E>> {
        let mut theta = start.theta().to_vec();
        self.prior.fixed.iter().for_each(|(of, table)| theta[self.families().cells(*of)].copy_from_slice(table));
        let start = self.parameters(theta)?;
        let expected = expect(&start).map_err(|error| EmError::Expectation(error, None))?;
        let valued = self.value(start, expected).map_err(EmError::Fault)?;
        if valued.objective == f64::NEG_INFINITY {
            return Err(EmError::Fault(EmFault::ImpossibleStart));
        }
        Ok(valued)
    }

    /// Tables of these probabilities.
    pub fn parameters<E>(&self, theta: Vec<f64>) -> Result<Parameters, EmError<E>> {
        Parameters::new(Arc::clone(self.families()), theta).map_err(|fault| EmError::Fault(EmFault::Prior(fault.into())))
    }

    /// W of every cell: counted, expected, and what the prior adds.
    pub fn weights(&self, at: &Valued) -> Vec<f64> {
        let counted = self.observed.cells().iter().zip(&at.expected);
        counted.zip(&self.prior_cells).map(|((seen, expected), prior)| seen + expected + prior).collect()
    }
}

fn prior_cells(families: &Families, prior: &ParameterPrior) -> Result<Vec<f64>, EmFault> {
    let mut alpha = prior.alpha(families)?;
    let is_map = prior.estimate == Estimate::Map && alpha.iter().any(|a| *a > 0.0);
    for of in 0..families.len() {
        let cells = &mut alpha[families.cells(of)];
        if prior.fixed.contains_key(&of) {
            cells.fill(0.0);
        } else if is_map {
            if cells.iter().any(|a| *a < 1.0) {
                return Err(EmFault::NoMode);
            }
            cells.iter_mut().for_each(|a| *a -= 1.0);
        }
    }
    Ok(alpha)
}

/// How much the probability that changed most did.
pub(super) fn largest_change(before: &Parameters, after: &Parameters) -> f64 {
    before.theta().iter().zip(after.theta()).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

/// The way of a climb whose steps have a length that is looked for: one short step is no end of it, [`STILL`] of them are.
pub(super) struct Way {
    climb: Climb,
    n_rows: f64,
    /// What climbs, at the start and after every step.
    pub objectives: Vec<f64>,
    /// How often the rows were gone over.
    pub n_looks: usize,
    n_still: usize,
}

/// So many steps one after another that neither rise nor change are the end.
const STILL: usize = 3;

impl Way {
    /// Where a climb begins: the rows were gone over once.
    pub fn new(climb: Climb, n_rows: f64, start: &Valued) -> Self {
        Self { climb, n_rows, objectives: vec![start.objective], n_looks: 1, n_still: 0 }
    }

    /// Whether the rows may be gone over once more.
    pub fn may_look(&self) -> bool {
        self.n_looks < self.climb.most_steps
    }

    pub fn converged(&self) -> bool {
        self.n_still >= STILL
    }

    /// Notes a step.
    pub fn step(&mut self, before: &Valued, after: &Valued) {
        let rise = (after.objective - before.objective).abs();
        let change = largest_change(&before.parameters, &after.parameters);
        let is_still = rise <= self.climb.least_rise * self.n_rows && change <= self.climb.least_change;
        self.n_still = if is_still { self.n_still + 1 } else { 0 };
        self.objectives.push(after.objective);
    }

    /// Notes that no step leads any higher.
    pub fn at_top(&mut self) {
        self.n_still = STILL;
    }

    /// The E-step failed or was broken off; what was reached by then is not lost.
    pub fn broken_off<E>(self, error: E, at: Valued) -> EmError<E> {
        EmError::Expectation(error, Some(Box::new(self.ended(at))))
    }

    pub fn ended(self, at: Valued) -> Fitted {
        let converged = self.converged();
        let Valued { parameters, expected, ln_likelihood, .. } = at;
        Fitted { parameters, expected, objectives: self.objectives, ln_likelihood, converged }
    }
}
