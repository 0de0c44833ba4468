//! Tables drawn where values are missing: chains of data augmentation over the parts that a model keeps.
//!
//! A chain begins with tables drawn as if what is expected were rows, and goes on for a while before any of its tables count. States of variables
//! that were never seen are put in the model's order in every draw, for the chain may give them any (Stephens 2000).

use std::fmt;
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

/// Why what is missing was not drawn.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum NotDrawn {
    /// Rows with gaps count only in the tables of which they have all values: it was learned without EM.
    CountedWhole,
    /// The model does not keep the parts of its rows with gaps.
    PartsNotKept,
    /// A cell of this variable's table is learned without a pseudo-count, so that there is no posterior to draw from.
    NoPseudocount {
        /// The variable.
        variable: String,
    },
    /// It would take too long.
    TooMuchWork {
        /// How many times as much as is done it would be.
        times: f64,
        /// The most draws that would not be too much; `None` where even the steps before them are.
        most_draws: Option<usize>,
    },
}

impl fmt::Display for NotDrawn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::CountedWhole => {
                f.write_str("rows with gaps count only in tables of which they have all values: learn with --gaps em to have them drawn")
            }
            Self::PartsNotKept => f.write_str(
                "the model does not keep the parts of its rows with gaps: learn it anew, and without --drop-parts, to have them drawn",
            ),
            Self::NoPseudocount { variable } => {
                write!(
                    f,
                    "`{variable}` is learned without pseudo-counts, and there is no posterior to draw from: learn with some, as in --estimate bdeu:1"
                )
            }
            Self::TooMuchWork { times, most_draws } => {
                let times = if *times < 10.0 { format!("{times:.1}") } else { format!("{times:.0}") };
                write!(f, "drawing them would be {times} times the work that is done for an answer")?;
                match most_draws {
                    Some(most) => write!(f, "; --draws {most} would not be too many"),
                    None => Ok(()),
                }
            }
        }
    }
}

const PLAN: Augmentation = Augmentation { n_chains: 4, n_burn_in: 200, thinning: 5, r_hat: None };

/// Numbers that all steps may multiply, count and draw. Measured on one core of an EPYC over networks of 2 to 30 variables with gaps of all kinds, one takes
/// 0.7 to 1.5 ns, so that this is half a minute to a minute. Beyond that what is missing is left to its expectation, which is said.
const MOST_WORK: f64 = 4e10;

/// Chains of a model.
pub(super) struct Chains<'m> {
    model: &'m NetworkModel,
    rows: IncompleteRows,
    hidden: Vec<VarId>,
    n_draws: usize,
    pub plan: Augmentation,
}

impl NetworkModel {
    /// The chains for so many draws, or why what is missing cannot be drawn. Something is missing.
    pub(super) fn chains(&self, n_draws: usize, max_entries: usize) -> Result<Result<Chains<'_>, NotDrawn>, Error> {
        self.chains_within(n_draws, max_entries, MOST_WORK)
    }

    fn chains_within(&self, n_draws: usize, max_entries: usize, most_work: f64) -> Result<Result<Chains<'_>, NotDrawn>, Error> {
        let Some(parts) = self.kept_parts() else {
            return Ok(Err(if self.expected().is_none() { NotDrawn::CountedWhole } else { NotDrawn::PartsNotKept }));
        };
        let families = self.posterior().families();
        let alpha = self.prior().alpha(families).map_err(|e| Error::unfit(e.to_string(), "learn the model again"))?;
        let is_proper =
            |of: &usize| self.prior().fixed.contains_key(of) || alpha[families.cells(*of)].iter().all(|pseudocount| *pseudocount > 0.0);
        if let Some(of) = (0..families.len()).find(|of| !is_proper(of)) {
            return Ok(Err(NotDrawn::NoPseudocount { variable: self.network().name(VarId::new(of)).into() }));
        }
        let n_gappy = self.n_rows() - self.observed().gaps.n_complete();
        let wiring = Arc::new(Wiring::new(Arc::clone(families), max_entries));
        let rows = IncompleteRows::of_parts(wiring, self.observed().counts.clone(), n_gappy, parts)?;
        let chains =
            Chains { model: self, rows, hidden: never_seen(self.observed(), self.prior(), self.network().domain())?, n_draws, plan: PLAN };
        let step = DataAugmentation { observed: &self.observed().counts, rows: &chains.rows, prior: self.prior() }.work();
        let times = step * chains.n_steps() as f64 / most_work;
        if times > 1.0 {
            let most_draws = (most_work / step - (PLAN.n_chains * PLAN.n_burn_in) as f64) / PLAN.thinning as f64;
            return Ok(Err(NotDrawn::TooMuchWork { times, most_draws: (most_draws >= 1.0).then_some(most_draws as usize) }));
        }
        Ok(Ok(chains))
    }
}

impl Chains<'_> {
    /// Steps of all chains.
    pub fn n_steps(&self) -> usize {
        self.plan.thinning.saturating_mul(self.n_draws).saturating_add(self.plan.n_chains * self.plan.n_burn_in)
    }

    /// Makes something of every draw that counts, chain by chain; each chain has a stream of random numbers of its own. After each step it is told
    /// that one was made.
    pub fn run<R: Send>(
        &self,
        seed: u64,
        n_threads: usize,
        on_step: &(dyn Fn() + Sync),
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
                on_step();
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

#[cfg(test)]
mod tests {
    use super::super::{NetworkFile, NetworkOptions, learn};
    use super::*;

    #[test]
    fn what_would_take_too_long_is_not_begun() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rows.csv");
        std::fs::write(&path, "A,B\ny,n\n,y\nn,\ny,y\n").unwrap();
        let graph = NetworkFile::open("A->B".as_ref()).unwrap();
        let model = learn(&[&path], &graph, &NetworkOptions::default()).unwrap().model;
        assert_eq!(model.chains_within(1000, 1 << 20, f64::INFINITY).unwrap().map(|chains| chains.n_steps()), Ok(4 * 200 + 5 * 1000));
        let Err(NotDrawn::TooMuchWork { times, most_draws: None }) = model.chains_within(1000, 1 << 20, 1000.0).unwrap().map(|_| ()) else {
            panic!("even the steps before the draws are too many")
        };
        // With twice the work of the burn-in there is room for as many steps again.
        let burn_in = times * 1000.0 / 5800.0 * 800.0;
        let Err(NotDrawn::TooMuchWork { times, most_draws: Some(most) }) =
            model.chains_within(1000, 1 << 20, 2.0 * burn_in).unwrap().map(|_| ())
        else {
            panic!("fewer draws would do")
        };
        assert!((times - 5800.0 / 1600.0).abs() < 1e-9 && most.abs_diff(160) <= 1, "{times} {most}");
        assert!(model.chains_within(most, 1 << 20, 2.0 * burn_in).unwrap().is_ok());
        assert!(NotDrawn::TooMuchWork { times, most_draws: Some(most) }.to_string().contains("3.6 times"));
    }
}
