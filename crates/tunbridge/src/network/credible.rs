//! How sure an answer of a learned network is: intervals from tables that are drawn from what is believed of them.
//!
//! An answer is a function of the tables, and the posterior of the tables makes one of the answer. It has no closed form in general: tables
//! are drawn, each set of them is asked, and the interval has equal tails of the answers. The limits are the order statistics at (n + 1)·p
//! (Weibull 1939), so that intervals have their coverage exactly where (n + 1)·(1 − level)/2 is whole, and nearly else, however few the draws.
//! Where values are missing and the model keeps the parts of its rows, what is missing is drawn too (see [`super::augmented_draws`]).

use std::sync::atomic::{AtomicU64, Ordering};

use belief::mcmc::diagnose;
use belief::random_stream;
use net::ask::{AskError, Asks, BestAssignment, Oracle, Outcome, Question, Value};
use net::parameters::Parameters;

use super::NetworkModel;
use super::augmented_draws::{Augmentation, NotDrawn};
use super::rows::in_parallel;
use crate::Error;

/// How intervals are found.
///
/// | field | default | meaning |
/// |---|---|---|
/// | `level` | 0.95 | the probability that an interval has |
/// | `n_draws` | 1,000 | sets of tables that are drawn |
/// | `seed` | 1 | of the draws |
/// | `memory` | 2 GB | what tables of inference may take |
/// | `n_threads` | 1 | threads; the answer does not depend on it |
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CredibleOptions {
    /// The probability that an interval has.
    pub level: f64,
    /// Sets of tables that are drawn.
    pub n_draws: usize,
    /// The seed of the draws.
    pub seed: u64,
    /// The most bytes that tables of inference may take.
    pub memory: u64,
    /// Threads; the answer does not depend on it.
    pub n_threads: usize,
}

impl Default for CredibleOptions {
    fn default() -> Self {
        Self { level: 0.95, n_draws: 1000, seed: 1, memory: 2_000_000_000, n_threads: 1 }
    }
}

/// Intervals of an answer's numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct Credible {
    /// How they were found.
    pub options: CredibleOptions,
    /// An interval for every number of the answer, in its order: the entries of tables, the marginals of variables, the probabilities of
    /// assignments, mean and standard deviation; of answers for each state, state by state, those that are impossible left out.
    pub intervals: Vec<[f64; 2]>,
    /// The interval of ln P(findings), where there are any.
    pub ln_p_evidence: Option<[f64; 2]>,
    /// Draws in which the findings were impossible.
    pub n_impossible: usize,
    /// Why values that were missing in the data were not drawn; the intervals then know nothing of what they leave open.
    pub not_drawn: Option<NotDrawn>,
    /// How what is missing was drawn, where it was.
    pub augmentation: Option<Augmentation>,
}

/// Numbers of all draws that are held at once.
const MOST_NUMBERS: usize = 1 << 26;

impl NetworkModel {
    /// Intervals for every number of an answer that this model's network gave to a question.
    ///
    /// # Errors
    /// When the answer has no numbers, the options are none, or a table would be too large.
    ///
    /// ```
    /// use tunbridge::network::{CredibleOptions, NetworkFile, NetworkOptions, learn};
    /// use tunbridge::net::ask::{Oracle, Question};
    /// # let folder = tempfile::tempdir()?;
    /// # let path = folder.path().join("coins.csv");
    /// # std::fs::write(&path, format!("Side\n{}{}", "heads\n".repeat(30), "tails\n".repeat(10)))?;
    /// let model = learn(&[&path], &NetworkFile::open("[Side]".as_ref())?, &NetworkOptions::default())?.model;
    /// let oracle = Oracle::of_network(model.network().clone());
    /// let question = Question::resolve(oracle.domain(), &"P(Side=heads)".parse()?)?;
    /// let reply = oracle.reply(&question)?;
    /// let found = model.credible(&question, &reply.outcome, &CredibleOptions::default())?;
    /// let [low, high] = found.intervals[0];
    /// assert!(0.58 < low && low < 0.75 && 0.75 < high && high < 0.89);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn credible(&self, question: &Question, outcome: &Outcome, options: &CredibleOptions) -> Result<Credible, Error> {
        self.credible_telling(question, outcome, options, &|_, _| ())
    }

    /// The same, which tells how far it has come: so many steps of so many.
    ///
    /// # Errors
    /// As [`Self::credible`].
    pub fn credible_telling(
        &self,
        question: &Question,
        outcome: &Outcome,
        options: &CredibleOptions,
        on_step: &(dyn Fn(u64, u64) + Sync),
    ) -> Result<Credible, Error> {
        let CredibleOptions { level, n_draws, seed, memory, n_threads } = *options;
        if !(level > 0.0 && level < 1.0) {
            return Err(Error::unfit(
                format!("an interval of {} % is none", level * 100.0),
                "give a number between 0 and 100, as in --credible 95",
            ));
        }
        let least = (2.0 / (1.0 - level) - 1.0 - 1e-9).ceil();
        if (n_draws as f64) < least {
            let what = format!("{n_draws} draws are too few for an interval of {} %", level * 100.0);
            return Err(Error::unfit(what, format!("give --draws {least} or more")));
        }
        let n_numbers = n_numbers(outcome)?;
        if n_numbers.checked_mul(n_draws).is_none_or(|all| all > MOST_NUMBERS) {
            let what = format!("the answer has {n_numbers} numbers, and {n_draws} draws of them are too many to hold");
            return Err(Error::unfit(what, "ask for fewer variables at a time, or give fewer --draws"));
        }
        let questions = questions(question, outcome, self.network().domain());
        let draws: Vec<u64> = (0..n_draws as u64).collect();
        let max_entries = usize::try_from(memory / 8).unwrap_or(usize::MAX).max(1);
        let domain = self.network().domain();
        let ask = |tables: Parameters| -> Result<Option<Drawn>, Error> {
            let network = tables.to_network(domain.clone()).map_err(|e| Error::from(AskError::from(e)))?;
            let oracle = Oracle::of_network(network).with_max_entries(max_entries);
            drawn(&oracle, &questions, outcome)
        };
        let is_missing = self.expected().is_some() || !self.observed().gaps.are_none();
        let chains = if is_missing { Some(self.chains(n_draws, max_entries)?) } else { None };
        let n_done = AtomicU64::new(0);
        let (mut not_drawn, mut augmentation) = (None, None);
        let answers: Vec<Option<Drawn>> = match chains {
            Some(Ok(chains)) => {
                let step = || on_step(n_done.fetch_add(1, Ordering::Relaxed) + 1, chains.n_steps() as u64);
                let by_chain = chains.run(seed, n_threads, &step, ask)?;
                augmentation = Some(Augmentation { r_hat: r_hat(&by_chain, n_numbers), ..chains.plan });
                by_chain.into_iter().flatten().collect()
            }
            other => {
                not_drawn = other.and_then(Result::err);
                let draw = |draw: &u64| {
                    let answer = ask(self.posterior().draw(&mut random_stream(seed, *draw)));
                    on_step(n_done.fetch_add(1, Ordering::Relaxed) + 1, n_draws as u64);
                    answer
                };
                in_parallel(n_threads, &draws, draw).into_iter().collect::<Result<_, _>>()?
            }
        };
        let mut numbers: Vec<Vec<f64>> = vec![Vec::with_capacity(n_draws); n_numbers];
        let (mut evidence, mut n_impossible) = (Vec::with_capacity(n_draws), 0);
        for answer in answers {
            match answer {
                None => n_impossible += 1,
                Some(Drawn { values, ln_p_evidence }) => {
                    numbers.iter_mut().zip(values).for_each(|(of, value)| of.extend(value));
                    evidence.push(ln_p_evidence);
                }
            }
        }
        let intervals = numbers.into_iter().map(|of| interval(of, level));
        let Some(intervals) = intervals.collect::<Option<Vec<_>>>() else {
            return Err(Error::unfit(
                format!("the findings are impossible in {n_impossible} of {n_draws} draws, which leaves no interval"),
                "what is nearly impossible under the model has no interval: give other findings",
            ));
        };
        let ln_p_evidence = if question.findings.is_empty() { None } else { interval(evidence, level) };
        Ok(Credible { options: *options, intervals, ln_p_evidence, n_impossible, not_drawn, augmentation })
    }
}

/// What the tables of one draw answer; a number is not there where the states it is for are impossible.
struct Drawn {
    values: Vec<Option<f64>>,
    ln_p_evidence: f64,
}

/// The largest R-hat of an answer's numbers; `None` of too few draws.
fn r_hat(chains: &[Vec<Option<Drawn>>], n_numbers: usize) -> Option<f64> {
    let n = chains.iter().map(Vec::len).min()?;
    let number = |of: usize| -> Option<f64> {
        let values =
            |chain: &Vec<Option<Drawn>>| chain[..n].iter().map(|drawn| drawn.as_ref().and_then(|drawn| drawn.values[of])).collect();
        let chains: Option<Vec<Vec<f64>>> = chains.iter().map(values).collect();
        diagnose(&chains?).map(|found| found.r_hat).filter(|r_hat| r_hat.is_finite())
    };
    (0..n_numbers).filter_map(number).reduce(f64::max)
}

/// What is asked of the tables that are drawn: the question, or of the most probable assignments how probable these are.
fn questions(question: &Question, outcome: &Outcome, domain: &net::Domain) -> Vec<Question> {
    let Outcome::Found { value: Value::Best(best), .. } = outcome else { return vec![question.clone()] };
    let of = |one: &BestAssignment| {
        let event = |(variable, state): &(net::VarId, usize)| (*variable, (0..domain.n_states(*variable)).map(|at| at == *state).collect());
        let asks = Asks::Probability { variables: Vec::new(), events: one.states.iter().map(event).collect() };
        Question { asks, findings: question.findings.clone(), each: Vec::new() }
    };
    best.iter().map(of).collect()
}

fn drawn(oracle: &Oracle, questions: &[Question], like: &Outcome) -> Result<Option<Drawn>, Error> {
    let (mut values, mut ln_p) = (Vec::new(), 0.0);
    for question in questions {
        let reply = oracle.reply(question).map_err(Error::from)?;
        match (like, reply.outcome) {
            (_, Outcome::Impossible { .. }) => return Ok(None),
            (Outcome::Found { .. }, Outcome::Found { value, ln_p_evidence }) => {
                values.extend(numbers(&value).into_iter().map(Some));
                ln_p = ln_p_evidence;
            }
            (Outcome::EachState { rows, .. }, Outcome::EachState { rows: drawn, ln_p_evidence, .. }) => {
                for (row, drawn) in rows.iter().zip(drawn) {
                    let Some(expected) = &row.value else { continue };
                    match drawn.value {
                        Some(value) => values.extend(numbers(&value).into_iter().map(Some)),
                        None => values.extend(numbers(expected).iter().map(|_| None)),
                    }
                }
                ln_p = ln_p_evidence;
            }
            _ => return Err(Error::Internal("a drawn network answers otherwise than its model".into())),
        }
    }
    Ok(Some(Drawn { values, ln_p_evidence: ln_p }))
}

fn n_numbers(outcome: &Outcome) -> Result<usize, Error> {
    let none = |what: &str| Err(Error::unfit(what.to_string(), "leave --credible out"));
    match outcome {
        Outcome::Found { value, .. } => Ok(numbers(value).len()),
        Outcome::EachState { rows, .. } if rows.iter().any(|row| matches!(row.value, Some(Value::Best(_)))) => Err(Error::unfit(
            "which assignment is the most probable differs from state to state, and from draw to draw",
            "give the state that stands bare behind the bar, as in argmax A | B=b",
        )),
        Outcome::EachState { rows, .. } => Ok(rows.iter().filter_map(|row| row.value.as_ref()).map(|value| numbers(value).len()).sum()),
        Outcome::Independence(_) => none("the graph alone says what is independent, and that is not uncertain"),
        _ => none("the findings are impossible, and the answer has no number"),
    }
}

/// The numbers of an answer, in its order.
fn numbers(value: &Value) -> Vec<f64> {
    match value {
        Value::Table(table) => table.probabilities.clone(),
        Value::Probability(p) => vec![*p],
        Value::Marginals(all) => all.concat(),
        Value::Best(best) => best.iter().map(|one| one.p).collect(),
        Value::Expectation { mean, sd, .. } => vec![*mean, *sd],
        Value::Entropy { nats } | Value::MutualInformation { nats } => vec![*nats],
        _ => Vec::new(),
    }
}

/// The limits between which lie so many of the numbers, with equal tails; `None` of too few.
fn interval(mut numbers: Vec<f64>, level: f64) -> Option<[f64; 2]> {
    numbers.sort_unstable_by(f64::total_cmp);
    let n = numbers.len();
    let tail = (1.0 - level) / 2.0;
    let at = |p: f64| {
        // From 1; rounding of p must not move a whole place.
        let place = (p * (n + 1) as f64 * (1.0 + 1e-12)).clamp(1.0, n as f64);
        let (below, share) = (place.floor() as usize, place.fract());
        let next = numbers[below.min(n - 1)];
        if share < 1e-9 { numbers[below - 1] } else { numbers[below - 1] + share * (next - numbers[below - 1]) }
    };
    (n > 0 && tail * (n + 1) as f64 >= 1.0 - 1e-9).then(|| [at(tail), at(1.0 - tail)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_order_statistics() {
        let numbers: Vec<f64> = (1..=39).rev().map(f64::from).collect();
        assert_eq!(interval(numbers.clone(), 0.95), Some([1.0, 39.0]));
        let [low, high] = interval(numbers, 0.5).unwrap();
        assert_eq!((low, high), (10.0, 30.0));
        // (n + 1)·p = 2.525 and 98.475.
        let [low, high] = interval((1..=100).map(f64::from).collect(), 0.95).unwrap();
        assert!((low - 2.525).abs() < 1e-9 && (high - 98.475).abs() < 1e-9);
        assert_eq!(interval(vec![1.0; 30], 0.95), None);
        assert_eq!(interval(Vec::new(), 0.5), None);
    }
}
