//! Heavy estimates: how long they will take, on how many threads, and who is told.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Instant;

use belief::density_model::{Chain, Chains, Data, DensityError, DensityModel, SampledPosterior, Sampler};
use belief::mcmc::McmcOptions;

use crate::Error;

/// How an estimate works and whom it tells.
///
/// | field | default | meaning |
/// |---|---|---|
/// | `threads` | 0: all cores | how many threads run Markov chains; the result does not depend on it |
/// | `most_seconds` | 600 | an estimate that would take longer is refused with its size |
/// | `tell` | no one | who is told the plan and how far it is |
#[derive(Clone)]
pub struct Work {
    /// How many threads, 0 for all cores.
    pub threads: usize,
    /// The longest an estimate may take by its plan.
    pub most_seconds: f64,
    /// Who is told.
    pub tell: Option<Arc<dyn Fn(Tidings) + Send + Sync>>,
}

/// What is told of heavy work.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Tidings {
    /// Before it begins.
    Plan(Plan),
    /// The share that is done.
    Done(f64),
}

/// How heavy an estimate is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plan {
    /// About how often the likelihood of all rows is evaluated.
    pub evaluations: u64,
    /// Rows that differ from one another.
    pub rows: usize,
    /// Threads that work.
    pub threads: usize,
    /// Seconds of one evaluation, measured.
    pub seconds_each: f64,
    /// About how many seconds it takes.
    pub seconds: f64,
}

impl Default for Work {
    fn default() -> Self {
        Self { threads: 0, most_seconds: 600.0, tell: None }
    }
}

impl fmt::Debug for Work {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Work").field("threads", &self.threads).field("most_seconds", &self.most_seconds).finish_non_exhaustive()
    }
}

/// Who is told changes no result.
impl PartialEq for Work {
    fn eq(&self, other: &Self) -> bool {
        (self.threads, self.most_seconds) == (other.threads, other.most_seconds)
    }
}

/// Evaluations that are timed, and the seconds after which that is enough.
const TRIES: u64 = 20;
const ENOUGH_SECONDS: f64 = 0.2;

impl Work {
    fn n_threads(&self) -> usize {
        if self.threads > 0 { self.threads } else { std::thread::available_parallelism().map_or(1, usize::from) }
    }

    fn tell(&self, tidings: Tidings) {
        if let Some(tell) = &self.tell {
            tell(tidings);
        }
    }

    /// Times some evaluations, tells the plan, and refuses what would take too long. `lone` evaluations are made one after the other,
    /// the others on `pieces` threads at the most.
    pub(super) fn plan(&self, sampler: &Sampler<'_>, lone: u64, shared: u64, pieces: usize, way_out: &str) -> Result<(), Error> {
        let begun = Instant::now();
        let mut each: Vec<f64> = Vec::new();
        for nth in 0..TRIES {
            let start = Instant::now();
            std::hint::black_box(sampler.try_out(nth));
            each.push(start.elapsed().as_secs_f64());
            if begun.elapsed().as_secs_f64() > ENOUGH_SECONDS {
                break;
            }
        }
        // One of the longer ones, for where a row is impossible an evaluation ends early; not the longest, in which the machine did other
        // things.
        each.sort_by(f64::total_cmp);
        let seconds_each = each[each.len() * 4 / 5];
        let threads = self.n_threads().min(pieces).max(1);
        let rounds = pieces.max(1).div_ceil(threads) as f64 / pieces.max(1) as f64;
        let seconds = seconds_each * (lone as f64 + shared as f64 * rounds);
        let plan = Plan { evaluations: lone + shared, rows: sampler.n_rows(), threads, seconds_each, seconds };
        if seconds > self.most_seconds {
            let what = format!(
                "that would take about {}: {} evaluations of {} different rows, {:.2} ms each, on {}; the bound is {}",
                duration(seconds),
                plan.evaluations,
                plan.rows,
                1e3 * seconds_each,
                crate::remarks::counted(threads as u64, "thread", "threads"),
                duration(self.most_seconds),
            );
            return Err(Error::unfit(what, format!("{way_out}, give fewer rows, or allow it with --most-minutes")));
        }
        self.tell(Tidings::Plan(plan));
        Ok(())
    }

    /// The posterior by chains, each on a thread as long as there are some. The draws do not depend on how many.
    pub(super) fn sample(&self, model: &DensityModel, data: &Data, options: &McmcOptions, check: bool) -> Result<SampledPosterior, Error> {
        let sampler = model.sampler(data, options)?;
        let (_, all) = sampler.evaluations();
        let chains = sampler.climb(check)?;
        let done = AtomicU64::new(0);
        let step = (all / 200).max(1);
        let evaluated = || {
            let n = done.fetch_add(1, Ordering::Relaxed) + 1;
            if n.is_multiple_of(step) {
                self.tell(Tidings::Done((n as f64 / all as f64).min(1.0)));
            }
        };
        let run = self.run(&chains, options.chains, &evaluated)?;
        Ok(chains.posterior(run)?)
    }

    fn run(&self, chains: &Chains<'_>, n: usize, evaluated: &(dyn Fn() + Sync)) -> Result<Vec<Chain>, DensityError> {
        let next = AtomicUsize::new(0);
        let worker = || {
            let mut run: Vec<(usize, Result<Chain, DensityError>)> = Vec::new();
            loop {
                let chain = next.fetch_add(1, Ordering::Relaxed);
                if chain >= n {
                    return run;
                }
                run.push((chain, chains.run(chain, &|| evaluated())));
            }
        };
        let mut run: Vec<(usize, Result<Chain, DensityError>)> = std::thread::scope(|scope| {
            let others: Vec<_> = (1..self.n_threads().min(n)).map(|_| scope.spawn(worker)).collect();
            let mut run = worker();
            for other in others {
                // A panic of ours is passed on.
                run.extend(other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
            }
            run
        });
        run.sort_by_key(|(chain, _)| *chain);
        run.into_iter().map(|(_, chain)| chain).collect()
    }
}

/// Seconds, minutes or hours, for people.
pub fn duration(seconds: f64) -> String {
    match seconds {
        s if s < 90.0 => format!("{s:.0} s"),
        s if s < 5400.0 => format!("{:.0} min", s / 60.0),
        s if s < 1e9 => format!("{:.1} h", s / 3600.0),
        _ => "years".into(),
    }
}
