//! EM for the tables of a network (Lauritzen 1995): what gaps are expected to be is added to what was counted, and tables are made of both.
//!
//! What climbs is the log likelihood plus what the prior says of the tables. With α pseudo-counts a cell, tables that are posterior means climb
//! Σ α ln θ beside the likelihood, and those of largest density Σ (α − 1) ln θ: each is the top of what it climbs. The E-step comes from
//! whoever has the rows; when to stop is [`belief::Climb`]'s.

use super::expected::Expected;
use super::families::Families;
use super::family_counts::FamilyCounts;
use super::objective::{Objective, largest_change};
use super::posterior::{ParameterPosterior, Parameters};
use super::prior::{ParameterPrior, PriorFault};
use belief::conjugate::{Dirichlet, Family as _};
use belief::{Climb, Rng, Step, random_stream};
use std::sync::Arc;

/// How a climb is to be made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EmOptions {
    /// When to stop.
    pub climb: Climb,
    /// Whether steps are extrapolated (SQUAREM).
    pub accelerate: bool,
}

/// Why EM could not go on.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum EmFault {
    /// The prior does not fit.
    #[error(transparent)]
    Prior(#[from] PriorFault),
    /// A density that has no top.
    #[error(
        "with fewer than one pseudo-count a cell the largest density lies where probabilities are zero: take posterior means, or more pseudo-counts"
    )]
    NoMode,
    /// A row that cannot be.
    #[error("row {} is impossible: a table that is fixed or began with zeros gives what it says probability zero", row + 1)]
    Impossible {
        /// The row, from 0.
        row: u64,
    },
    /// A part of a row that cannot be; nobody knows the row any more.
    #[error("a row with gaps is impossible: a table that is fixed or began with zeros gives what it says probability zero")]
    ImpossiblePart,
    /// A start that cannot be.
    #[error("the tables to start from give something that was seen probability zero: start from tables without zeros")]
    ImpossibleStart,
    /// A length of steps that is none.
    #[error("{0} is no length of a step: give a number above zero")]
    NotALength(f64),
    /// An exponent that does not let old batches go at the right speed.
    #[error("{0} is no exponent of stepwise EM: give a number above 0.5, up to 1")]
    NotADecay(f64),
}

/// What ended a climb before its time.
#[derive(Clone, Debug)]
pub enum EmError<E> {
    /// Something is wrong with the prior or a row.
    Fault(EmFault),
    /// The E-step failed or was broken off; what was reached by then is not lost.
    Expectation(E, Option<Box<Fitted>>),
}

/// Where a climb ended.
#[derive(Clone, Debug)]
pub struct Fitted {
    /// The tables.
    pub parameters: Parameters,
    /// What gaps are expected to be. After EM under the tables before the last step: with what was counted they make the tables. After a
    /// climb by gradients under the tables themselves.
    pub expected: Vec<f64>,
    /// What climbs, at the start and after every step; of EM but the last, whose objective nobody has asked for.
    pub objectives: Vec<f64>,
    /// The log likelihood of the rows under the tables that `expected` is of.
    pub ln_likelihood: f64,
    /// Whether it had stopped rising.
    pub converged: bool,
}

/// EM over rows of which the whole families are counted already.
pub struct Em<'a> {
    /// The counts of whole families.
    pub observed: &'a FamilyCounts,
    /// What was believed before.
    pub prior: &'a ParameterPrior,
    /// How to climb.
    pub options: EmOptions,
}

/// Tables, and how they came to be.
#[derive(Clone)]
struct Climbing {
    parameters: Parameters,
    /// The expectation that made them and the likelihood of the rows before; `None` for the start.
    made_by: Option<Arc<(Vec<f64>, f64)>>,
}

impl Em<'_> {
    /// Climbs from `start`. `expect` gives what is expected of the gaps under tables.
    ///
    /// # Errors
    /// When the prior does not fit or has no top, a row is impossible, or `expect` fails.
    pub fn run<E>(&self, start: Parameters, mut expect: impl FnMut(&Parameters) -> Result<Expected, E>) -> Result<Fitted, EmError<E>> {
        let families = Arc::clone(self.observed.families());
        let objective = Objective::new(self.observed, self.prior).map_err(EmError::Fault)?;
        let learned = |cells: &[f64]| -> Result<Parameters, EmError<E>> {
            let counts: Vec<f64> = self.observed.cells().iter().zip(cells).map(|(seen, expected)| seen + expected).collect();
            let posterior = ParameterPosterior::new(Arc::clone(&families), self.prior, &counts);
            Ok(posterior.map_err(|fault| EmError::Fault(fault.into()))?.parameters())
        };
        let (mut objectives, mut last): (Vec<f64>, Option<Climbing>) = (Vec::new(), None);
        let step = |_: usize, at: &Climbing| -> Result<Step<Climbing>, EmError<E>> {
            let expected = expect(&at.parameters).map_err(|error| EmError::Expectation(error, None))?;
            let at = objective.value(at.parameters.clone(), expected).map_err(EmError::Fault)?;
            let parameters = learned(&at.expected)?;
            let change = largest_change(&at.parameters, &parameters);
            let next = Climbing { parameters, made_by: Some(Arc::new((at.expected, at.ln_likelihood))) };
            // A longer step may have led down: only the highest is remembered.
            if objectives.iter().all(|before| at.objective >= *before) {
                objectives.push(at.objective);
                last = Some(next.clone());
            }
            Ok(Step { objective: at.objective, change, next })
        };
        let start = Climbing { parameters: start, made_by: None };
        let n_rows = self.observed.n_rows();
        let climbed = match self.options.accelerate {
            false => self.options.climb.run(start, n_rows, step),
            true => self.options.climb.run_accelerated(start, n_rows, step, |a, b, c| self.extrapolated([a, b, c])),
        };
        match climbed {
            Ok(climbed) => Ok(fitted(climbed.model, climbed.objectives, climbed.converged)),
            Err(EmError::Expectation(error, _)) => {
                Err(EmError::Expectation(error, last.map(|last| Box::new(fitted(last, objectives, false)))))
            }
            Err(fault) => Err(fault),
        }
    }

    /// Three tables on the way, and where they point to: ln θ − 2 a r + a² v by Varadhan & Roland 2008, scheme S3, rows divided by their sums.
    /// Zeros stay zeros, and tables that are fixed stay as they are.
    fn extrapolated(&self, way: [&Climbing; 3]) -> Option<Climbing> {
        let [zeroth, first, second] = way.map(|at| at.parameters.theta());
        let difference = |at: usize| {
            let [a, b, c] = [zeroth[at], first[at], second[at]];
            (a > 0.0 && b > 0.0 && c > 0.0).then(|| (b.ln() - a.ln(), c.ln() - 2.0 * b.ln() + a.ln()))
        };
        let (mut r_squared, mut v_squared) = (0.0, 0.0);
        for (r, v) in (0..zeroth.len()).filter_map(difference) {
            r_squared += r * r;
            v_squared += v * v;
        }
        // A step that is no longer than a plain one is none.
        let length = (r_squared / v_squared).sqrt();
        if !(length.is_finite() && length > 1.0) {
            return None;
        }
        let at = |cell: usize| match difference(cell) {
            Some((r, v)) => (zeroth[cell].ln() + 2.0 * length * r + length * length * v).exp(),
            None => second[cell],
        };
        let mut theta: Vec<f64> = (0..zeroth.len()).map(at).collect();
        let families = second_families(way[2]);
        for of in self.prior.fixed.keys().filter(|of| **of < families.len()) {
            let range = families.cells(*of);
            theta[range.clone()].copy_from_slice(&second[range]);
        }
        let parameters = Parameters::new(Arc::clone(families), theta).ok()?;
        Some(Climbing { parameters, made_by: None })
    }
}

fn fitted(at: Climbing, objectives: Vec<f64>, converged: bool) -> Fitted {
    let n_cells = at.parameters.families().n_cells();
    let (expected, ln_likelihood) = at.made_by.map_or_else(|| (vec![0.0; n_cells], f64::NAN), |made_by| (*made_by).clone());
    Fitted { parameters: at.parameters, expected, objectives, ln_likelihood, converged }
}

fn second_families(at: &Climbing) -> &Arc<Families> {
    at.parameters.families()
}

/// Where a climb begins: strictly inside, so that nothing is impossible that the data do not make so. Tables of which something was counted
/// begin with that and one pseudo-count a row; of the others nothing is known, and equal rows would stay equal for ever, so they are drawn by
/// lot. The first start draws no more than that; others draw all tables anew from what was counted.
pub fn start(observed: &FamilyCounts, prior: &ParameterPrior, seed: u64, nth: u64) -> Result<Parameters, PriorFault> {
    let families = Arc::clone(observed.families());
    let alpha = prior.alpha(&families)?;
    let mut rng = random_stream(seed, nth);
    let mut theta = Vec::with_capacity(families.n_cells());
    for of in 0..families.len() {
        if let Some(table) = prior.fixed.get(&of) {
            theta.extend_from_slice(table);
            continue;
        }
        let range = families.cells(of);
        let n_states = families.n_states()[of];
        let is_hidden = observed.of(of).iter().all(|n| *n == 0.0);
        for (counts, alpha) in observed.of(of).chunks_exact(n_states).zip(alpha[range].chunks_exact(n_states)) {
            let sum: f64 = alpha.iter().sum();
            // One pseudo-count a row, shared as the prior has it where it says something.
            let share = |at: usize| 0.5 / n_states as f64 + if sum > 0.0 { 0.5 * alpha[at] / sum } else { 0.5 / n_states as f64 };
            let believed: Vec<f64> = (0..n_states).map(|at| counts[at] + share(at)).collect();
            match (is_hidden, nth) {
                (true, _) => theta.extend(drawn(&vec![1.0; n_states], &mut rng)),
                (false, 0) => {
                    let sum: f64 = believed.iter().sum();
                    theta.extend(believed.iter().map(|n| n / sum));
                }
                (false, _) => theta.extend(drawn(&believed, &mut rng)),
            }
        }
    }
    Parameters::new(families, theta).map_err(PriorFault::Net)
}

/// A distribution drawn by lot, mixed with a little of the even one, so that no state begins as good as impossible.
fn drawn(alpha: &[f64], rng: &mut impl Rng) -> Vec<f64> {
    const EVEN: f64 = 0.05;
    let n_states = alpha.len() as f64;
    let drawn = Dirichlet { alpha: alpha.to_vec() }.draw(rng);
    drawn.into_iter().map(|p| (1.0 - EVEN) * p + EVEN / n_states).collect()
}
