//! Tables drawn where values are missing: chains of data augmentation over the parts that a model keeps.
//!
//! A chain begins with tables drawn as if what is expected were rows, and goes on for a while before any of its tables count. States of variables
//! that were never seen are put in the model's order in every draw, for the chain may give them any (Stephens 2000).

use std::sync::Arc;

use belief::random_stream;
use net::VarId;
use net::parameters::data_augmentation::{Augmented, DataAugmentation};
use net::parameters::hidden_states::alignment;
use net::parameters::{IncompleteRows, Parameters, Wiring};

use super::NetworkModel;
use super::expectation::{never_seen, told};
use super::rows::in_parallel;
use crate::Error;

/// How what is missing was drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Augmentation {
    /// Chains.
    pub n_chains: usize,
    /// Steps of each that do not count.
    pub n_burn_in: usize,
    /// Steps from one draw that counts to the next.
    pub thinning: usize,
    /// The largest R-hat of the answer's numbers (Vehtari et al. 2021): 1 where chains agree. `None` of too few draws.
    pub r_hat: Option<f64>,
}

const PLAN: Augmentation = Augmentation { n_chains: 4, n_burn_in: 200, thinning: 5, r_hat: None };

/// Numbers that all steps may multiply, count and draw: half a minute or so of two processors. Beyond that what is missing is left to its expectation, which is said.
const MOST_WORK: f64 = 5e10;

/// Chains of a model.
pub(super) struct Chains<'m> {
    model: &'m NetworkModel,
    rows: IncompleteRows,
    hidden: Vec<VarId>,
    n_draws: usize,
    pub plan: Augmentation,
}

impl NetworkModel {
    /// The chains for so many draws; `None` where nothing is missing, or what is missing cannot be drawn: its parts are not kept, a cell that is
    /// learned has no pseudo-count, so that there is no posterior to draw from, or it would take too long.
    pub(super) fn chains(&self, n_draws: usize, max_entries: usize) -> Result<Option<Chains<'_>>, Error> {
        let Some(parts) = self.kept_parts() else { return Ok(None) };
        let families = self.posterior().families();
        let alpha = self.prior().alpha(families).map_err(|e| Error::unfit(e.to_string(), "learn the model again"))?;
        let is_proper =
            |of: usize| self.prior().fixed.contains_key(&of) || alpha[families.cells(of)].iter().all(|pseudocount| *pseudocount > 0.0);
        if !(0..families.len()).all(is_proper) {
            return Ok(None);
        }
        let n_gappy = self.n_rows() - self.observed().gaps.n_complete();
        let wiring = Arc::new(Wiring::new(Arc::clone(families), max_entries));
        let rows = IncompleteRows::of_parts(wiring, self.observed().counts.clone(), n_gappy, parts)?;
        let n_steps = PLAN.n_chains * PLAN.n_burn_in + PLAN.thinning.saturating_mul(n_draws);
        let step = DataAugmentation { observed: &self.observed().counts, rows: &rows, prior: self.prior() };
        if step.work() * n_steps as f64 > MOST_WORK {
            return Ok(None);
        }
        let hidden = never_seen(self.observed(), self.prior(), self.network().domain())?;
        Ok(Some(Chains { model: self, rows, hidden, n_draws, plan: PLAN }))
    }
}

impl Chains<'_> {
    /// Makes something of every draw that counts, chain by chain; each chain has a stream of random numbers of its own.
    pub fn run<R: Send>(
        &self,
        seed: u64,
        n_threads: usize,
        make: impl Fn(Parameters) -> Result<R, Error> + Sync,
    ) -> Result<Vec<Vec<R>>, Error> {
        let n_chains = self.plan.n_chains;
        let chains: Vec<usize> = (0..n_chains).collect();
        let run = |chain: &usize| -> Result<Vec<R>, Error> {
            let augmentation = DataAugmentation { observed: &self.model.observed().counts, rows: &self.rows, prior: self.model.prior() };
            let mut rng = random_stream(seed, *chain as u64);
            let mut tables = self.model.posterior().draw(&mut rng);
            let n_draws = self.n_draws / n_chains + usize::from(*chain < self.n_draws % n_chains);
            let mut made = Vec::with_capacity(n_draws);
            for step in 1..=self.plan.n_burn_in + n_draws * self.plan.thinning {
                let at = augmentation.step(&tables, &mut rng).map_err(|fault| told(&fault))?;
                if step > self.plan.n_burn_in && (step - self.plan.n_burn_in).is_multiple_of(self.plan.thinning) {
                    made.push(make(self.in_order(&at)?)?);
                }
                tables = at.parameters;
            }
            Ok(made)
        };
        in_parallel(n_threads, &chains, run).into_iter().collect()
    }

    /// Tables with the states of what was never seen in the order of the model's.
    fn in_order(&self, at: &Augmented) -> Result<Parameters, Error> {
        if self.hidden.is_empty() {
            return Ok(at.parameters.clone());
        }
        let model = self.model.posterior().parameters();
        let order = alignment((&at.parameters, &at.counts), (&model, &self.model.completed()), &self.hidden)?;
        Ok(order.parameters(&at.parameters)?)
    }
}
