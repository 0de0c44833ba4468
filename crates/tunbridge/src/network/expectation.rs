//! Gaps filled by expectation: EM over the rows of a table, held in memory as the parts that are missing or read again for every step.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use belief::{Chunk, Climb, FoldPlan, MaskedRows, Observations, ReadReport, Recode, Recoding, ShapeMismatch, SufficientStatistic};
use data::Table;
use net::parameters::em::{Em, EmError, EmFault, EmOptions, Fitted, start};
use net::parameters::gradient_ascent::{GradientAscent, StepLength};
use net::parameters::hidden_states::{canonical_order, may_be_relabelled};
use net::parameters::incomplete_score::{bic, cheeseman_stutz};
use net::parameters::softmax_lbfgs::SoftmaxLbfgs;
use net::parameters::stepwise_em::StepwiseEm;
use net::parameters::{
    Expected, ExpectedRows, Families, FamilyCounts, Gaps, IncompleteParts, IncompleteRows, ParameterPrior, Parameters, Wiring,
};
use net::{Domain, VarId};

use super::columns;
use super::model::{ExpectedPart, FamilyStatistic};
use super::rows::in_parallel;
use crate::Error;

/// How gaps are filled; the default is right for most.
///
/// | field | default | meaning |
/// |---|---|---|
/// | `climb` | 500 steps, 1e-6 a row, 1e-3 a probability | when to stop |
/// | `method` | EM | how the top is looked for |
/// | `n_starts` | 1, with hidden variables 10 | climbs, of which the highest counts |
/// | `seed` | 1 | of the starts |
/// | `held_bytes` | 1 GB | what the missing parts may take in memory; beyond that rows are read again for every step |
/// | `kept_bytes` | 64 MiB | what the missing parts may take in the model, for EM to go on; beyond that it keeps none |
/// | `on_step` | none | is told the start, the step and what climbs, a row |
/// | `stop` | none | set, the climb ends with the best tables so far |
#[derive(Clone)]
pub struct EmPlan {
    /// When to stop.
    pub climb: Climb,
    /// How the top is looked for.
    pub method: Method,
    /// How many climbs are begun; `None` is one, or ten where a variable has no column.
    pub n_starts: Option<usize>,
    /// The seed of the starts.
    pub seed: u64,
    /// What the missing parts may take in memory.
    pub held_bytes: usize,
    /// What the missing parts may take in the model, four bytes a state and eight a weight; nothing keeps none.
    pub kept_bytes: usize,
    /// Is told the start and the step, both from 0, and what climbs, a row.
    pub on_step: Option<OnStep>,
    /// Set from elsewhere, it ends the climb.
    pub stop: Option<Arc<AtomicBool>>,
}

/// How the tables of largest likelihood, or posterior, are looked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Method {
    /// Expectation–maximisation.
    Em {
        /// Whether steps are extrapolated (SQUAREM).
        accelerate: bool,
    },
    /// Gradient ascent on the probabilities, as in the book.
    GradientAscent(StepLength),
    /// L-BFGS on their logits.
    Lbfgs,
    /// EM in batches of rows: chunks where what is missing is held in memory, else eight parts of the rows, for each of which they are read again.
    Stepwise {
        /// How soon old batches are forgotten: above ½ and up to 1.
        kappa: f64,
    },
}

impl Default for Method {
    fn default() -> Self {
        Self::Em { accelerate: false }
    }
}

/// Is told the start and the step, both from 0, and what climbs, a row.
pub type OnStep = Arc<dyn Fn(usize, usize, f64) + Send + Sync>;

/// Climbs that are begun where a variable was never seen.
const STARTS_WITH_HIDDEN: usize = 10;

impl Default for EmPlan {
    fn default() -> Self {
        Self {
            climb: Climb { most_steps: 500, least_rise: 1e-6, least_change: 1e-3 },
            method: Method::default(),
            n_starts: None,
            seed: 1,
            held_bytes: 1 << 30,
            kept_bytes: 64 << 20,
            on_step: None,
            stop: None,
        }
    }
}

/// Rows with gaps, counted and cut into parts.
#[derive(Clone)]
struct GappyStatistic {
    rows: IncompleteRows,
    gaps: Gaps,
}

impl SufficientStatistic for GappyStatistic {
    type Columns<'a> = Chunk<'a>;

    fn observe(&mut self, chunk: Chunk<'_>) -> Result<(), ShapeMismatch> {
        self.rows.observe(chunk)?;
        self.gaps.observe(chunk)
    }

    fn merge(&mut self, other: &Self) -> Result<(), ShapeMismatch> {
        self.rows.merge(&other.rows)?;
        self.gaps.merge(&other.gaps)
    }
}

impl Recode for GappyStatistic {
    fn recode(&mut self, recoding: &Recoding) -> Result<(), ShapeMismatch> {
        self.rows.recode(recoding)
    }
}

/// Rows for EM: those of a table, or the parts that a model keeps of them.
pub(super) struct GappyRows<'t> {
    /// `None` where all there is are parts.
    table: Option<&'t Table>,
    wiring: Arc<Wiring>,
    rows: IncompleteRows,
    /// What was counted.
    pub observed: FamilyStatistic,
    /// What was met while reading.
    pub report: ReadReport,
    n_threads: usize,
}

/// Where EM ended, with what is told of it.
pub(super) struct Climbed {
    pub fitted: Fitted,
    /// ln P(all rows) under the tables at the end.
    pub ln_likelihood: f64,
    /// The Bayesian information criterion of the tables at the end.
    pub bic: f64,
    /// Cheeseman and Stutz's ln P(all rows | the graph); `None` without pseudo-counts.
    pub cheeseman_stutz: Option<f64>,
    /// What climbed, at the end of each start.
    pub ends: Vec<f64>,
    /// Whether it was broken off.
    pub was_stopped: bool,
}

enum Halt {
    Asked,
    Failed(Error),
}

/// Batches of stepwise EM over rows that are read again. Each reads the whole table and infers its own rows: with more of them reading would soon be most
/// of the work.
const BATCHES_READ: usize = 8;

/// The rows of one batch, dealt by lot, so that each is like all of them.
fn of_batch(table: &Table, batch: usize) -> Result<MaskedRows<'_, Table, impl Fn(usize) -> bool + Sync>, Error> {
    let plan = FoldPlan::new(BATCHES_READ, 0).ok_or_else(|| Error::Internal("so many batches are a plan".into()))?;
    Ok(MaskedRows { rows: table, plan, keep: move |fold| fold == batch })
}

impl<'t> GappyRows<'t> {
    /// Counts the rows of a table whose states are settled; `max_entries` bounds the tables of inference.
    pub fn read(table: &'t Table, families: Arc<Families>, max_entries: usize, held_bytes: usize, n_threads: usize) -> Result<Self, Error> {
        let wiring = Arc::new(Wiring::new(Arc::clone(&families), max_entries));
        let blank = |_: &[usize]| GappyStatistic {
            rows: IncompleteRows::empty(Arc::clone(&wiring), held_bytes),
            gaps: Gaps::empty(families.len()),
        };
        let fold = table.fold(blank).map_err(|e| columns::with_ways_out(e, table))?;
        let GappyStatistic { rows, gaps } = fold.statistic;
        let observed = FamilyStatistic { counts: rows.observed().clone(), gaps };
        Ok(Self { table: Some(table), wiring, rows, observed, report: fold.report, n_threads })
    }

    /// What was counted of rows, and the parts of those with gaps.
    pub fn of_parts(observed: FamilyStatistic, parts: &IncompleteParts, max_entries: usize, n_threads: usize) -> Result<Self, Error> {
        let wiring = Arc::new(Wiring::new(Arc::clone(observed.counts.families()), max_entries));
        let n_incomplete = observed.counts.n_rows() - observed.gaps.n_complete();
        let rows = IncompleteRows::of_parts(Arc::clone(&wiring), observed.counts.clone(), n_incomplete, parts)?;
        Ok(Self { table: None, wiring, rows, observed, report: ReadReport::default(), n_threads })
    }

    /// The parts of the rows with gaps, each once; `None` where they are not in memory, or take more.
    pub fn parts(&self, max_bytes: usize) -> Option<IncompleteParts> {
        IncompleteParts::of(&self.rows, max_bytes)
    }

    /// Whether the missing parts are in memory.
    pub fn is_held(&self) -> bool {
        self.rows.is_held()
    }

    /// What is expected of the gaps under these tables: the same bits, held or read again.
    pub fn expected(&self, parameters: &Parameters, domain: &Domain) -> Result<Expected, Error> {
        let expected = match self.read_again() {
            Some(table) => table.fold(|_: &[usize]| ExpectedRows::empty(&self.wiring, parameters))?.statistic.into_expected(),
            None => self.rows.expected(parameters, |pieces, make| in_parallel(self.n_threads, pieces, make)),
        };
        self.checked(expected, domain)
    }

    /// The table, where its rows are read anew for whatever is expected of them.
    fn read_again(&self) -> Option<&'t Table> {
        self.table.filter(|_| !self.is_held())
    }

    fn checked(&self, expected: Expected, domain: &Domain) -> Result<Expected, Error> {
        expected.check(domain, self.wiring.max_entries()).map_err(|e| Error::from(net::ask::AskError::from(e)))?;
        Ok(expected)
    }

    /// The weight of the rows with gaps of each batch: chunks of what is in memory, or so many parts of the rows that are read again.
    fn batches(&self) -> Result<Vec<f64>, Error> {
        let Some(table) = self.read_again() else { return Ok(self.rows.batches()) };
        let weight = |batch: usize| {
            let fold = of_batch(table, batch)?.fold(|_: &[usize]| IncompleteRows::empty(Arc::clone(&self.wiring), 0))?;
            Ok(fold.statistic.n_incomplete())
        };
        (0..BATCHES_READ).map(weight).collect()
    }

    /// What is expected of the gaps of one batch under these tables.
    fn expected_of_batch(&self, batch: usize, parameters: &Parameters, domain: &Domain) -> Result<Expected, Error> {
        let expected = match self.read_again() {
            Some(table) => {
                let blank = |_: &[usize]| ExpectedRows::empty(&self.wiring, parameters);
                of_batch(table, batch)?.fold(blank)?.statistic.into_expected()
            }
            None => self.rows.expected_of_batch(batch, parameters, |pieces, make| in_parallel(self.n_threads, pieces, make)),
        };
        self.checked(expected, domain)
    }

    /// The variables that were never seen and whose states could change places.
    fn hidden(&self, prior: &ParameterPrior, domain: &Domain) -> Result<Vec<VarId>, Error> {
        never_seen(&self.observed, prior, domain)
    }

    /// Climbs from every start and keeps the highest end. `base` are counts that stay beside those of the rows: those of rows learned before.
    pub fn climb(
        &self,
        base: &FamilyCounts,
        prior: &ParameterPrior,
        domain: &Domain,
        begin: Option<Parameters>,
        plan: &EmPlan,
    ) -> Result<Climbed, Error> {
        let mut observed = base.clone();
        observed.merge(&self.observed.counts)?;
        let has_hidden = !self.hidden(prior, domain)?.is_empty();
        let n_starts = match begin {
            Some(_) => 1,
            None => plan.n_starts.unwrap_or(if has_hidden { STARTS_WITH_HIDDEN } else { 1 }).max(1),
        };
        let n_rows = observed.n_rows().max(f64::MIN_POSITIVE);
        let is_asked = || plan.stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed));
        let mut best: Option<Fitted> = None;
        let (mut ends, mut was_stopped) = (Vec::new(), false);
        for nth in 0..n_starts {
            let from = match &begin {
                Some(begin) => begin.clone(),
                None => start(&observed, prior, plan.seed, nth as u64).map_err(|e| Error::unfit(e.to_string(), "check the prior"))?,
            };
            let mut n_steps = 0;
            let expect = |parameters: &Parameters| {
                // One step is made whatever is asked, so that there are tables.
                if is_asked() && (n_steps > 0 || best.is_some()) {
                    return Err(Halt::Asked);
                }
                let expected = self.expected(parameters, domain).map_err(Halt::Failed)?;
                if let Some(on_step) = &plan.on_step {
                    let ln = parameters.ln_likelihood(observed.cells()) + expected.ln_parts();
                    on_step(nth, n_steps, ln / n_rows);
                }
                n_steps += 1;
                Ok(expected)
            };
            let (observed, climb) = (&observed, plan.climb);
            let ended = match plan.method {
                Method::Em { accelerate } => Em { observed, prior, options: EmOptions { climb, accelerate } }.run(from, expect),
                Method::GradientAscent(step) => GradientAscent { observed, prior, climb, step }.run(from, expect),
                Method::Lbfgs => SoftmaxLbfgs { observed, prior, climb }.run(from, expect),
                Method::Stepwise { kappa } => {
                    let batches = self.batches()?;
                    let last = batches.iter().rposition(|weight| *weight > 0.0);
                    let (mut n_inferred, mut n_passes, mut ln_parts) = (0, 0, 0.0);
                    let batch = |of: usize, parameters: &Parameters| {
                        // The first pass is made whatever is asked, so that there are tables.
                        if is_asked() && (n_inferred >= batches.len() || best.is_some()) {
                            return Err(Halt::Asked);
                        }
                        n_inferred += 1;
                        let expected = self.expected_of_batch(of, parameters, domain).map_err(Halt::Failed)?;
                        ln_parts = if of == 0 { 0.0 } else { ln_parts } + expected.ln_parts();
                        // A pass is told at its end: each batch under the tables that it was inferred with.
                        if let Some(on_step) = plan.on_step.as_ref().filter(|_| Some(of) == last) {
                            on_step(nth, n_passes, (parameters.ln_likelihood(observed.cells()) + ln_parts) / n_rows);
                            n_passes += 1;
                        }
                        Ok(expected)
                    };
                    StepwiseEm { observed, prior, climb, kappa }.run(from, &batches, batch)
                }
            };
            let fitted = match ended {
                Ok(fitted) => Some(fitted),
                Err(EmError::Expectation(Halt::Asked, so_far)) => {
                    was_stopped = true;
                    so_far.map(|fitted| *fitted)
                }
                Err(EmError::Expectation(Halt::Failed(error), _)) => return Err(error),
                Err(EmError::Fault(fault)) => return Err(told(&fault)),
            };
            if let Some(fitted) = fitted {
                let end = fitted.objectives.last().copied().unwrap_or(f64::NEG_INFINITY);
                ends.push(end);
                let so_far = best.as_ref().and_then(|best| best.objectives.last().copied()).unwrap_or(f64::NEG_INFINITY);
                if best.is_none() || end > so_far {
                    best = Some(fitted);
                }
            }
            if was_stopped {
                break;
            }
        }
        let mut fitted = best.ok_or_else(|| Error::Internal("EM made no step".into()))?;
        if begin.is_none() {
            // The states of what was never seen have no names but those that EM gave them by lot.
            let hidden = self.hidden(prior, domain)?;
            let counts: Vec<f64> = observed.cells().iter().zip(&fitted.expected).map(|(seen, more)| seen + more).collect();
            let order = canonical_order(observed.families(), &counts, &hidden)?;
            order.apply(observed.families(), &mut fitted.expected)?;
            fitted.parameters = order.parameters(&fitted.parameters)?;
        }
        let last = self.expected(&fitted.parameters, domain)?;
        let ln_likelihood = fitted.parameters.ln_likelihood(observed.cells()) + last.ln_parts();
        let bic = bic(&observed, prior, &fitted.parameters, &last);
        let cheeseman_stutz = cheeseman_stutz(&observed, prior, &fitted.parameters, &last).ok().filter(|ln| ln.is_finite());
        Ok(Climbed { fitted, ln_likelihood, bic, cheeseman_stutz, ends, was_stopped })
    }
}

/// The variables that no row has and whose states could change places: nothing says which is which.
pub(super) fn never_seen(observed: &FamilyStatistic, prior: &ParameterPrior, domain: &Domain) -> Result<Vec<VarId>, Error> {
    let families = observed.counts.families();
    let mut hidden = Vec::new();
    for of in domain.variables().filter(|of| observed.gaps.missing()[of.index()] >= observed.counts.n_rows()) {
        if may_be_relabelled(families, prior, of).map_err(|e| told(&e.into()))? {
            hidden.push(of);
        }
    }
    Ok(hidden)
}

impl Climbed {
    /// What a model keeps of it.
    pub fn part(&self) -> ExpectedPart {
        ExpectedPart {
            cells: self.fitted.expected.clone(),
            ln_likelihood: Some(self.ln_likelihood),
            iterations: self.fitted.objectives.len() as u64,
            converged: self.fitted.converged,
        }
    }
}

pub(super) fn told(fault: &EmFault) -> Error {
    let hint = match fault {
        EmFault::Impossible { .. } | EmFault::ImpossiblePart => "correct the row, or let the table be learned, without --fix",
        EmFault::NoMode => "as in --estimate laplace:2, or --point mean",
        _ => "check the prior",
    };
    Error::unfit(fault.to_string(), hint)
}
