//! Stepwise EM (Cappé & Moulines 2009; Liang & Klein 2009): tables are made anew after every batch of rows, not after all of them.
//!
//! What gaps are expected to be is kept as a running mean over batches, s ← (1 − γ) s + γ ŝ with γ = (t + 2)^−κ, and every batch is inferred under
//! the tables of the one before. Families that were seen whole are counted once and for all: only what is expected runs. With many rows the
//! first passes over them climb much higher than EM's; near the top EM is as good. What climbs need not rise from pass to pass.
//!
//! The first pass is EM's own, so that every cell that any row speaks of is above zero before batches speak alone. Batches come in their order,
//! so that rows sorted by what is to be learned are better shuffled first; the same rows, batches and start give the same bits.

use super::em::{EmError, EmFault, Fitted};
use super::expected::Expected;
use super::family_counts::FamilyCounts;
use super::objective::{Objective, largest_change};
use super::posterior::{ParameterPosterior, Parameters};
use super::prior::ParameterPrior;
use belief::Climb;
use std::sync::Arc;

/// Stepwise EM over rows of which the whole families are counted already.
pub struct StepwiseEm<'a> {
    /// The counts of whole families.
    pub observed: &'a FamilyCounts,
    /// What was believed before.
    pub prior: &'a ParameterPrior,
    /// When to stop; a step is one pass over all batches.
    pub climb: Climb,
    /// κ, above ½ and up to 1: the smaller, the sooner old batches are forgotten. Liang & Klein advise 0.7.
    pub kappa: f64,
}

impl StepwiseEm<'_> {
    /// Climbs from `start`. `batches` has the weight of the rows with gaps of each batch, and `expect` gives what is expected of the gaps of
    /// one under tables.
    ///
    /// [`Fitted::objectives`] has one for every pass, each batch under the tables it was inferred under: exact for the first and for the last,
    /// which makes no more steps.
    ///
    /// # Errors
    /// When the prior does not fit or has no top, κ is out of range, a row or the start is impossible, or `expect` fails.
    pub fn run<E>(
        &self,
        start: Parameters,
        batches: &[f64],
        mut expect: impl FnMut(usize, &Parameters) -> Result<Expected, E>,
    ) -> Result<Fitted, EmError<E>> {
        if !(self.kappa > 0.5 && self.kappa <= 1.0) {
            return Err(EmError::Fault(EmFault::NotADecay(self.kappa)));
        }
        let objective = Objective::new(self.observed, self.prior).map_err(EmError::Fault)?;
        let n_gappy: f64 = batches.iter().sum();
        let first = everything(&objective, batches.len(), &start, &mut expect).map_err(|error| EmError::Expectation(error, None))?;
        let first = objective.value(start, first).map_err(EmError::Fault)?;
        let parameters = self.learned(&first.expected)?;
        let (expected, ln_likelihood, objectives) = (first.expected, first.ln_likelihood, vec![first.objective]);
        // What is there when something goes wrong: the tables, the running mean that made them, and what is known of the likelihood.
        let mut at = Fitted { parameters, expected, objectives, ln_likelihood, converged: false };
        let mut t = 0.0_f64;
        while !at.converged && at.objectives.len() + 1 < self.climb.most_steps {
            let before = at.parameters.clone();
            let mut pass = Expected::none(objective.families());
            for (batch, weight) in batches.iter().enumerate().filter(|(_, weight)| **weight > 0.0) {
                let expected = match expect(batch, &at.parameters) {
                    Ok(expected) => expected,
                    Err(error) => return Err(EmError::Expectation(error, Some(Box::new(at)))),
                };
                pass.add(&expected);
                let (gamma, by) = ((t + 2.0).powf(-self.kappa), n_gappy / weight);
                at.expected.iter_mut().zip(&expected.cells).for_each(|(s, batch)| *s += gamma * (by * batch - *s));
                at.parameters = self.learned(&at.expected)?;
                t += 1.0;
            }
            let pass = objective.value(at.parameters.clone(), pass).map_err(EmError::Fault)?;
            let rise = at.objectives.last().map_or(f64::INFINITY, |last| pass.objective - last);
            at.objectives.push(pass.objective);
            at.ln_likelihood = pass.ln_likelihood;
            let is_still = rise.abs() <= self.climb.least_rise * self.observed.n_rows();
            at.converged = is_still && largest_change(&before, &at.parameters) <= self.climb.least_change;
        }
        let last = match everything(&objective, batches.len(), &at.parameters, &mut expect) {
            Ok(last) => objective.value(at.parameters.clone(), last).map_err(EmError::Fault)?,
            Err(error) => return Err(EmError::Expectation(error, Some(Box::new(at)))),
        };
        at.objectives.push(last.objective);
        Ok(Fitted { expected: last.expected, ln_likelihood: last.ln_likelihood, ..at })
    }

    /// The tables of what was counted and what is expected.
    fn learned<E>(&self, expected: &[f64]) -> Result<Parameters, EmError<E>> {
        let counts: Vec<f64> = self.observed.cells().iter().zip(expected).map(|(seen, expected)| seen + expected).collect();
        let posterior = ParameterPosterior::new(Arc::clone(self.observed.families()), self.prior, &counts);
        Ok(posterior.map_err(|fault| EmError::Fault(fault.into()))?.parameters())
    }
}

/// What is expected of all batches under the same tables.
fn everything<E>(
    objective: &Objective<'_>,
    n_batches: usize,
    parameters: &Parameters,
    expect: &mut impl FnMut(usize, &Parameters) -> Result<Expected, E>,
) -> Result<Expected, E> {
    let mut all = Expected::none(objective.families());
    for batch in 0..n_batches {
        all.add(&expect(batch, parameters)?);
    }
    Ok(all)
}
