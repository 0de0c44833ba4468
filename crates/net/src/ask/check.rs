//! Checking: the same question by a second engine, and how far the two are apart.
//!
//! Enumeration of all configurations where there are few; else elimination against the junction tree: of all marginals by a bucket tree
//! ([`crate::bucket_tree`]), whose order and arithmetic are its own. Most probable assignments are checked
//! by the probability of each; on few configurations also that none is more probable. Independence is checked by separation in the moral graph of the ancestors
//! (Lauritzen et al. 1990).

use super::oracle::{Engine, FEW_CONFIGURATIONS, Oracle};
use super::reply::{BestAssignment, Independence, Outcome, Reply, Value};
use super::resolve::{Asks, Question};
use super::{AskError, Finding};
use crate::query::Query;
use belief::VarId;
use serde::Serialize;

/// Answers that are no further apart agree.
const AGREES: f64 = 1e-9;

/// How a second answer compares with the first.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Checked {
    /// How the second answer was got.
    pub method: String,
    /// The largest difference: of probabilities absolute, of logarithms of probabilities too, which is relative for the probabilities
    /// themselves; of assignments relative. Infinite where the two say different things.
    pub largest_difference: f64,
    /// Whether they agree, to 1e-9.
    pub agrees: bool,
}

impl Oracle {
    /// Answers a question by a second engine and compares with a reply to it.
    ///
    /// # Errors
    /// When the second engine cannot answer, as when its tables do not fit.
    ///
    /// ```
    /// use tunbridge_net::{Network, ask::Oracle};
    /// let network = Network::builder()
    ///     .variable("Cancer", ["yes", "no"]).probabilities([0.008, 0.992])
    ///     .variable("Test", ["+", "-"]).given(["Cancer"]).probabilities([0.98, 0.02,  0.03, 0.97])
    ///     .build()?;
    /// let oracle = Oracle::of_network(network);
    /// let query = "P(Cancer | Test=+)".parse()?;
    /// let checked = oracle.check(&query, &oracle.answer(&query)?)?;
    /// assert_eq!(checked.method, "exact, enumeration of all configurations");
    /// assert!(checked.agrees && checked.largest_difference < 1e-15);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn check(&self, query: &Query, reply: &Reply) -> Result<Checked, AskError> {
        self.check_question(&self.question(query)?, reply)
    }

    /// As [`Self::check`], for a question in ids.
    ///
    /// # Errors
    /// When the second engine cannot answer.
    pub fn check_question(&self, question: &Question, reply: &Reply) -> Result<Checked, AskError> {
        if let (Asks::Independence { first, second, given }, Outcome::Independence(found)) = (&question.asks, &reply.outcome) {
            let independent = !self.moral_path(first, second, given);
            let same = independent == (*found == Independence::Independent);
            let method = "separation in the moral graph of the ancestors".to_string();
            return Ok(checked(method, if same { 0.0 } else { f64::INFINITY }));
        }
        let enumerable = self.network().is_some() && self.n_configurations() <= FEW_CONFIGURATIONS && self.engine() != Engine::Enumeration;
        if !enumerable && let Asks::Best { .. } = question.asks {
            return self.check_values(question, reply);
        }
        let second = match (enumerable, self.engine(), &question.asks) {
            (true, ..) => Engine::Enumeration,
            (false, Engine::Auto | Engine::LazyPropagation, Asks::Marginals) | (false, Engine::JunctionTree | Engine::Enumeration, _) => {
                Engine::Elimination
            }
            (false, Engine::Auto | Engine::LazyPropagation | Engine::Elimination, _) => Engine::JunctionTree,
        };
        let again = self.clone().with_engine(second).reply(question)?;
        Ok(checked(again.method.clone(), difference(&reply.outcome, &again.outcome)))
    }

    /// The probability of each assignment by elimination.
    fn check_values(&self, question: &Question, reply: &Reply) -> Result<Checked, AskError> {
        let found: Vec<(Vec<(VarId, usize)>, &BestAssignment)> = match &reply.outcome {
            Outcome::Found { value: Value::Best(best), .. } => best.iter().map(|one| (Vec::new(), one)).collect(),
            Outcome::EachState { given, rows, .. } => rows
                .iter()
                .flat_map(|row| {
                    let known: Vec<(VarId, usize)> = given.iter().copied().zip(row.states.iter().copied()).collect();
                    let best: &[BestAssignment] = if let Some(Value::Best(best)) = &row.value { best } else { &[] };
                    best.iter().map(move |one| (known.clone(), one))
                })
                .collect(),
            _ => Vec::new(),
        };
        let mut largest: f64 = 0.0;
        for (known, one) in &found {
            let mut findings = question.findings.clone();
            findings.extend(known.iter().map(|&(variable, state)| Finding::state(self.domain(), variable, state)));
            let events = one.states.iter().map(|&(variable, state)| {
                let counts = (0..self.domain().n_states(variable)).map(|other| other == state).collect();
                (variable, counts)
            });
            let asks = Asks::Probability { variables: Vec::new(), events: events.collect() };
            let again = self.reply(&Question { asks, findings, each: Vec::new() })?;
            let p = if let Outcome::Found { value: Value::Probability(p), .. } = again.outcome { p } else { 0.0 };
            // Of very many variables even the best is improbable: the difference is relative.
            largest = largest.max(if p == one.p { 0.0 } else { (p - one.p).abs() / p.max(one.p) });
        }
        Ok(checked("exact, variable elimination of each assignment; that none is more probable was not checked".to_string(), largest))
    }

    /// Whether a way leads from some variables to others, past the given ones, in the moral graph of all that are named and what is above them;
    /// for factors in their graph.
    fn moral_path(&self, first: &[VarId], second: &[VarId], given: &[VarId]) -> bool {
        let n_variables = self.graph().n_with_hidden();
        let families: Vec<Vec<VarId>> = match self.network() {
            Some(network) => {
                let dag = network.dag();
                let above = dag.ancestral_set(&[first, second, given].concat());
                let family = |variable: VarId| dag.parents(variable).iter().copied().chain([variable]).collect();
                dag.variables().filter(|variable| above[variable.index()]).map(family).collect()
            }
            None => self.graph().factors().iter().map(|factor| factor.scope().to_vec()).collect(),
        };
        let mut is_given = vec![false; n_variables];
        given.iter().for_each(|variable| is_given[variable.index()] = true);
        let mut reached = vec![false; n_variables];
        first.iter().filter(|variable| !is_given[variable.index()]).for_each(|variable| reached[variable.index()] = true);
        loop {
            let mut grown = false;
            for family in &families {
                if family.iter().any(|member| reached[member.index()]) {
                    for member in family.iter().filter(|member| !is_given[member.index()]) {
                        grown |= !std::mem::replace(&mut reached[member.index()], true);
                    }
                }
            }
            if !grown {
                return second.iter().any(|variable| reached[variable.index()]);
            }
        }
    }
}

fn checked(method: String, largest_difference: f64) -> Checked {
    Checked { method, largest_difference, agrees: largest_difference <= AGREES }
}

/// The largest difference between two outcomes; infinite when they are of different kinds.
pub(super) fn difference(left: &Outcome, right: &Outcome) -> f64 {
    match (left, right) {
        (Outcome::Found { value: a, ln_p_evidence: p }, Outcome::Found { value: b, ln_p_evidence: q }) => {
            (p - q).abs().max(of_values(a, b))
        }
        (Outcome::EachState { rows: a, ln_p_evidence: p, .. }, Outcome::EachState { rows: b, ln_p_evidence: q, .. })
            if a.len() == b.len() =>
        {
            a.iter().zip(b).fold((p - q).abs(), |largest, (a, b)| {
                let values = match (&a.value, &b.value) {
                    (Some(a), Some(b)) => of_values(a, b),
                    (None, None) => 0.0,
                    _ => f64::INFINITY,
                };
                largest.max((a.p - b.p).abs()).max(values)
            })
        }
        (Outcome::Independence(a), Outcome::Independence(b)) if std::mem::discriminant(a) == std::mem::discriminant(b) => 0.0,
        (Outcome::Impossible { .. }, Outcome::Impossible { .. }) => 0.0,
        _ => f64::INFINITY,
    }
}

fn of_values(left: &Value, right: &Value) -> f64 {
    match (left, right) {
        (Value::Table(a), Value::Table(b)) => of_lists(&a.probabilities, &b.probabilities),
        (Value::Probability(a), Value::Probability(b)) => (a - b).abs(),
        (Value::Marginals(a), Value::Marginals(b)) if a.len() == b.len() => {
            a.iter().zip(b).map(|(a, b)| of_lists(a, b)).fold(0.0, f64::max)
        }
        (Value::Best(a), Value::Best(b)) => of_best(a, b),
        (Value::Expectation { mean: a, sd: c, .. }, Value::Expectation { mean: b, sd: d, .. }) => {
            // Of numbers of any size: relative to them.
            let scale = a.abs().max(*c).max(1.0);
            // A spread is the root of a variance, and so is what rounding leaves of it.
            ((a - b).abs() / scale).max((c * c - d * d).abs() / (scale * scale))
        }
        (Value::Entropy { nats: a }, Value::Entropy { nats: b }) => (a - b).abs(),
        (Value::MutualInformation { nats: a }, Value::MutualInformation { nats: b }) => (a - b).abs(),
        _ => f64::INFINITY,
    }
}

/// Probabilities are compared place by place; assignments may change places where they are equally probable.
fn of_best(left: &[BestAssignment], right: &[BestAssignment]) -> f64 {
    if left.len() != right.len() {
        return f64::INFINITY;
    }
    left.iter().zip(right).map(|(a, b)| (a.p - b.p).abs().max((a.log_p_joint - b.log_p_joint).abs())).fold(0.0, f64::max)
}

fn of_lists(left: &[f64], right: &[f64]) -> f64 {
    if left.len() != right.len() {
        return f64::INFINITY;
    }
    left.iter().zip(right).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}
