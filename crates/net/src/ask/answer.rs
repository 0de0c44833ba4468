//! Answering: from a question in ids to a reply.

use super::conflict;
use super::finding::{FindingKind, likelihoods};
use super::information;
use super::jeffrey;
use super::most_probable;
use super::oracle::{Engine, Method, Oracle};
use super::reply::{BestAssignment, Independence, Outcome, Reply, StateRow, Table, Value, states_at};
use super::resolve::{Asks, Question};
use super::{AskError, Finding};
use crate::d_separation::{Separation, d_separation};
use crate::dag::Dag;
use crate::enumeration::enumerate;
use crate::evidence::{Answer, Evidence, JointDistribution};
use crate::query::Query;
use belief::{CompensatedSum, VarId};
use std::cmp::Reverse;
use std::collections::VecDeque;

/// Joints of no more entries than this are made even where only a part of them is asked for.
pub(super) const SMALL_JOINT: f64 = 65_536.0;

/// Evidence ready for the engines.
pub(super) struct Known {
    pub evidence: Evidence,
    /// With Jeffrey's rule: ln P of the other evidence, and the rounds of fitting.
    pub fitted: Option<(f64, usize)>,
}

impl Oracle {
    /// Answers a question.
    ///
    /// # Errors
    /// When names are unknown, numbers are no likelihood, interventions are asked for, or a table would not fit; see [`AskError`].
    pub fn answer(&self, query: &Query) -> Result<Reply, AskError> {
        self.reply(&self.question(query)?)
    }

    /// Answers a question in ids, as one to which the findings of a case were added.
    ///
    /// # Errors
    /// When a table would not fit, posteriors cannot be, or probabilities are too small for doubles.
    pub fn reply(&self, question: &Question) -> Result<Reply, AskError> {
        if let Asks::Independence { first, second, given } = &question.asks {
            let (independence, method) = self.independence(first, second, given);
            return Ok(Reply { outcome: Outcome::Independence(independence), method });
        }
        let Some(known) = self.known(&question.findings)? else {
            let conflict = conflict::find(self, &question.findings)?;
            return Ok(Reply { outcome: Outcome::Impossible { conflict }, method: Method::Elimination.words() });
        };
        let (outcome, method) = self.outcome(question, &known.evidence)?;
        let mut method = method.words();
        let Some(mut outcome) = outcome else {
            return Ok(Reply { outcome: Outcome::Impossible { conflict: conflict::find(self, &question.findings)? }, method });
        };
        if let Some((ln_p, rounds)) = known.fitted {
            let rounds = if rounds == 1 { "one round".to_string() } else { format!("{rounds} rounds") };
            method = format!("{method}; Jeffrey's rule by proportional fitting ({rounds})");
            with_ln_p(&mut outcome, ln_p);
        }
        Ok(Reply { outcome, method })
    }

    /// Evidence for the engines; `None` when the findings are impossible already.
    pub(super) fn known(&self, findings: &[Finding]) -> Result<Option<Known>, AskError> {
        let Some(evidence) = likelihoods(self.domain(), findings)? else { return Ok(None) };
        let posteriors: Vec<&Finding> = findings.iter().filter(|finding| finding.kind() == FindingKind::Posterior).collect();
        if posteriors.is_empty() {
            return Ok(Some(Known { evidence, fitted: None }));
        }
        jeffrey::fit(self, evidence, &posteriors)
    }

    /// What was found, and how; `None` when the evidence is impossible.
    fn outcome(&self, question: &Question, evidence: &Evidence) -> Result<(Option<Outcome>, Method), AskError> {
        let each = &question.each;
        match &question.asks {
            Asks::Marginals => self.each_state(each, evidence, |known| {
                let (answer, method) = self.marginals(known)?;
                Ok((valued(answer, Value::Marginals), method))
            }),
            Asks::Best { n_best, variables } => {
                most_probable::check_number(*n_best, variables.len())?;
                self.each_state(each, evidence, |known| self.best(variables, *n_best, known))
            }
            Asks::Probability { variables, events } if self.needed(question).1 => {
                self.probability_of_many(variables, events, each, evidence)
            }
            Asks::Probability { .. } | Asks::Expectation { .. } | Asks::Entropy { .. } | Asks::MutualInformation { .. } => {
                let (answer, method) = self.joint(&self.needed(question).0, evidence)?;
                let Answer::Possible { answer, ln_p_evidence } = answer else { return Ok((None, method)) };
                Ok((Some(self.outcome_of_joint(question, &answer, ln_p_evidence)), method))
            }
            Asks::Independence { .. } => unreachable!("answered without evidence"),
        }
    }

    /// The variables whose joint, of no more than so many entries, is all that a question needs; `None` where it needs more, or something else.
    pub fn joint_needed(&self, question: &Question, max_entries: usize) -> Option<Vec<VarId>> {
        let (variables, events_are_evidence) = self.needed(question);
        let is_of_joint = !matches!(question.asks, Asks::Marginals | Asks::Best { .. } | Asks::Independence { .. });
        let entries: f64 = self.shape_of(&variables).iter().map(|&n_states| n_states as f64).product();
        (is_of_joint && !events_are_evidence && entries <= max_entries as f64).then_some(variables)
    }

    /// What the joint of the variables that a question needs ([`Self::joint_needed`]) says to it.
    ///
    /// # Panics
    /// When the question is of another kind, or the joint of other variables.
    pub fn outcome_of_joint(&self, question: &Question, joint: &JointDistribution, ln_p_evidence: f64) -> Outcome {
        let (each, shape) = (&question.each, || self.shape_of(&joint.variables));
        match &question.asks {
            Asks::Probability { variables, events } => {
                self.by_state(joint, each, variables, events, ln_p_evidence, |table| as_asked(variables, table))
            }
            Asks::Expectation { variable, numbers } => self.by_state(joint, each, &[*variable], &[], ln_p_evidence, |table| {
                let (mean, sd) = mean_and_sd(numbers, &table);
                Value::Expectation { variable: *variable, mean, sd }
            }),
            Asks::Entropy { variables } => {
                Outcome::Found { value: Value::Entropy { nats: information::entropy(joint, &shape(), variables, each) }, ln_p_evidence }
            }
            Asks::MutualInformation { first, second } => {
                let nats = information::mutual_information(joint, &shape(), first, second, each);
                Outcome::Found { value: Value::MutualInformation { nats }, ln_p_evidence }
            }
            Asks::Marginals | Asks::Best { .. } | Asks::Independence { .. } => panic!("a question that a joint answers"),
        }
    }

    /// `P(A, B=b | C)` where the joint of all that is named would be large: from the probability of the events with the evidence.
    fn probability_of_many(
        &self,
        variables: &[VarId],
        events: &[(VarId, Vec<bool>)],
        each: &[VarId],
        evidence: &Evidence,
    ) -> Result<(Option<Outcome>, Method), AskError> {
        let as_asked = |table: Vec<f64>| as_asked(variables, table);
        let (given, method) = self.joint(each, evidence)?;
        let Answer::Possible { answer: given, ln_p_evidence } = given else { return Ok((None, method)) };
        let mut with_events = evidence.clone();
        for (variable, counts) in events {
            let states: Vec<usize> = (0..counts.len()).filter(|&state| counts[state]).collect();
            if states.is_empty() {
                // A state that is not the only one there is: nothing is left.
                return Ok((Some(nothing(self, &given, each, variables, ln_p_evidence, as_asked)), method));
            }
            with_events.observe_one_of(self.domain(), *variable, &states)?;
        }
        let (answer, method) = self.joint(&union(&[each, variables]), &with_events)?;
        let Answer::Possible { mut answer, ln_p_evidence: ln_p_all } = answer else {
            return Ok((Some(nothing(self, &given, each, variables, ln_p_evidence, as_asked)), method));
        };
        let ratio = (ln_p_all - ln_p_evidence).exp();
        answer.probabilities.iter_mut().for_each(|p| *p *= ratio);
        let rows = self.blocks(&answer, each, variables, &[]);
        let shape = self.shape_of(each);
        let rows = rows.into_iter().enumerate().map(|(place, (_, table))| (states_at(&shape, place), given.probabilities[place], table));
        Ok((Some(assembled(rows, each, ln_p_evidence, as_asked)), method))
    }

    /// An answer for each state of bare variables, from a joint that has them.
    fn by_state(
        &self,
        joint: &JointDistribution,
        each: &[VarId],
        variables: &[VarId],
        events: &[(VarId, Vec<bool>)],
        ln_p_evidence: f64,
        value: impl Fn(Vec<f64>) -> Value,
    ) -> Outcome {
        let shape = self.shape_of(each);
        let rows = self.blocks(joint, each, variables, events).into_iter().enumerate();
        assembled(rows.map(|(place, (p, table))| (states_at(&shape, place), p, table)), each, ln_p_evidence, value)
    }

    /// For each configuration of bare variables, which come first in the joint, its probability and the table over others in it, where the
    /// events hold.
    fn blocks(
        &self,
        joint: &JointDistribution,
        each: &[VarId],
        variables: &[VarId],
        events: &[(VarId, Vec<bool>)],
    ) -> Vec<(f64, Vec<f64>)> {
        let place_of = |variable: &VarId| joint.variables.iter().position(|other| other == variable).expect("a variable of the joint");
        let shape = self.shape_of(&joint.variables);
        let targets: Vec<(usize, usize)> = variables.iter().map(|v| (place_of(v), self.domain().n_states(*v))).collect();
        let holds: Vec<(usize, &[bool])> = events.iter().map(|(variable, counts)| (place_of(variable), &counts[..])).collect();
        let n_blocks: usize = self.shape_of(each).iter().product();
        let n_cells: usize = targets.iter().map(|(_, n_states)| n_states).product();
        joint
            .probabilities
            .chunks(joint.probabilities.len() / n_blocks)
            .enumerate()
            .map(|(block, entries)| {
                let (mut all, mut cells) = (CompensatedSum::default(), vec![CompensatedSum::default(); n_cells]);
                for (place, &p) in entries.iter().enumerate() {
                    let states = states_at(&shape, block * entries.len() + place);
                    all.add(p);
                    if holds.iter().all(|(axis, counts)| counts[states[*axis]]) {
                        cells[targets.iter().fold(0, |cell, (axis, n_states)| cell * n_states + states[*axis])].add(p);
                    }
                }
                (all.value(), cells.iter().map(|cell| cell.value().min(1.0)).collect())
            })
            .collect()
    }

    /// An answer for each state of bare variables, each asked by itself.
    fn each_state(
        &self,
        each: &[VarId],
        evidence: &Evidence,
        mut ask: impl FnMut(&Evidence) -> Result<(Option<(Value, f64)>, Method), AskError>,
    ) -> Result<(Option<Outcome>, Method), AskError> {
        if each.is_empty() {
            let (found, method) = ask(evidence)?;
            return Ok((found.map(|(value, ln_p_evidence)| Outcome::Found { value, ln_p_evidence }), method));
        }
        let (given, mut method) = self.joint(each, evidence)?;
        let Answer::Possible { answer: given, ln_p_evidence } = given else { return Ok((None, method)) };
        let shape = self.shape_of(each);
        let mut rows = Vec::with_capacity(given.probabilities.len());
        for (place, &p) in given.probabilities.iter().enumerate() {
            let states = states_at(&shape, place);
            let mut value = None;
            if p > 0.0 {
                let mut known = evidence.clone();
                each.iter().zip(&states).try_for_each(|(&variable, &state)| known.observe(self.domain(), variable, state))?;
                let (found, how) = ask(&known)?;
                (value, method) = (found.map(|(value, _)| value), how);
            }
            rows.push(StateRow { states, p, value });
        }
        Ok((Some(Outcome::EachState { given: each.to_vec(), rows, ln_p_evidence }), method))
    }

    /// The most probable assignments of variables given evidence.
    fn best(&self, variables: &[VarId], n_best: usize, evidence: &Evidence) -> Result<(Option<(Value, f64)>, Method), AskError> {
        let (answer, how) = self.joint_by_elimination(&[], evidence)?;
        let Answer::Possible { ln_p_evidence, .. } = answer else { return Ok((None, how)) };
        let (found, method) = match (self.engine(), self.network()) {
            (Engine::Enumeration, Some(network)) => match enumerate(network, variables, evidence)? {
                Answer::Possible { answer, .. } => (sorted(&answer, &self.shape_of(variables), n_best, ln_p_evidence), Method::Enumeration),
                Answer::Impossible => return Ok((None, Method::Enumeration)),
            },
            _ => most_probable::most_probable(self, variables, n_best, evidence)?,
        };
        let best = found.into_iter().map(|(states, ln_joint)| BestAssignment {
            states: variables.iter().copied().zip(states).collect(),
            p: (ln_joint - ln_p_evidence).exp().min(1.0),
            log_p_joint: ln_joint,
        });
        Ok((Some((Value::Best(best.collect()), ln_p_evidence)), method))
    }

    /// What the graph says: by d-separation of a network, by separation of a factor graph.
    fn independence(&self, first: &[VarId], second: &[VarId], given: &[VarId]) -> (Independence, String) {
        if let Some(network) = self.network() {
            let found = match d_separation(network.dag(), first, second, given) {
                Separation::Independent => Independence::Independent,
                Separation::Dependent { trail } => {
                    let opened = opened_colliders(network.dag(), &trail, given);
                    Independence::Dependent { trail, opened }
                }
            };
            return (found, "d-separation in the graph (Bayes ball)".to_string());
        }
        let found = match self.path(first, second, given) {
            None => Independence::Independent,
            Some(trail) => Independence::Dependent { trail, opened: Vec::new() },
        };
        (found, "separation in the graph of factors".to_string())
    }

    /// A shortest way from some variables to others that avoids the given ones, between variables of common factors.
    fn path(&self, first: &[VarId], second: &[VarId], given: &[VarId]) -> Option<Vec<VarId>> {
        let n_variables = self.graph().n_with_hidden();
        let mut factors_of: Vec<Vec<usize>> = vec![Vec::new(); n_variables];
        for (place, factor) in self.graph().factors().iter().enumerate() {
            factor.scope().iter().for_each(|variable| factors_of[variable.index()].push(place));
        }
        let mut before: Vec<Option<VarId>> = vec![None; n_variables];
        let mut seen = vec![false; n_variables];
        given.iter().for_each(|variable| seen[variable.index()] = true);
        let mut waiting: VecDeque<VarId> = VecDeque::new();
        for &start in first {
            if !std::mem::replace(&mut seen[start.index()], true) {
                waiting.push_back(start);
            }
        }
        while let Some(at) = waiting.pop_front() {
            if second.contains(&at) {
                let mut trail: Vec<VarId> = std::iter::successors(Some(at), |here| before[here.index()]).collect();
                trail.reverse();
                trail.retain(|variable| variable.index() < self.domain().n_variables());
                return Some(trail);
            }
            for &place in &factors_of[at.index()] {
                for &next in self.graph().factors()[place].scope() {
                    if !std::mem::replace(&mut seen[next.index()], true) {
                        before[next.index()] = Some(at);
                        waiting.push_back(next);
                    }
                }
            }
        }
        None
    }

    pub(super) fn shape_of(&self, variables: &[VarId]) -> Vec<usize> {
        variables.iter().map(|&variable| self.domain().n_states(variable)).collect()
    }
}

/// A table over what is asked for, or one number.
fn as_asked(variables: &[VarId], table: Vec<f64>) -> Value {
    match variables {
        [] => Value::Probability(table[0]),
        _ => Value::Table(Table { variables: variables.to_vec(), probabilities: table }),
    }
}

/// An answer for each configuration, or one where there are no bare variables.
fn assembled(
    rows: impl Iterator<Item = (Vec<usize>, f64, Vec<f64>)>,
    each: &[VarId],
    ln_p_evidence: f64,
    value: impl Fn(Vec<f64>) -> Value,
) -> Outcome {
    let mut rows = rows;
    if each.is_empty() {
        let (_, _, table) = rows.next().expect("one configuration of no variables");
        return Outcome::Found { value: value(table), ln_p_evidence };
    }
    let rows = rows.map(|(states, p, mut table)| {
        if p == 0.0 {
            return StateRow { states, p, value: None };
        }
        table.iter_mut().for_each(|cell| *cell = (*cell / p).min(1.0));
        StateRow { states, p: p.min(1.0), value: Some(value(table)) }
    });
    Outcome::EachState { given: each.to_vec(), rows: rows.collect(), ln_p_evidence }
}

/// The answer when the events cannot be: zeros.
fn nothing(
    oracle: &Oracle,
    given: &JointDistribution,
    each: &[VarId],
    variables: &[VarId],
    ln_p_evidence: f64,
    value: impl Fn(Vec<f64>) -> Value,
) -> Outcome {
    let (shape, n_cells) = (oracle.shape_of(each), oracle.shape_of(variables).iter().product());
    let rows = given.probabilities.iter().enumerate().map(|(place, &p)| (states_at(&shape, place), p, vec![0.0; n_cells]));
    assembled(rows, each, ln_p_evidence, value)
}

fn valued<T>(answer: Answer<T>, value: impl FnOnce(T) -> Value) -> Option<(Value, f64)> {
    match answer {
        Answer::Impossible => None,
        Answer::Possible { answer, ln_p_evidence } => Some((value(answer), ln_p_evidence)),
    }
}

/// With the probability of the evidence that is no posterior. Joint probabilities follow it.
fn with_ln_p(outcome: &mut Outcome, ln_p: f64) {
    match outcome {
        Outcome::Found { value, ln_p_evidence } => {
            if let Value::Best(best) = value {
                best.iter_mut().for_each(|one| one.log_p_joint += ln_p - *ln_p_evidence);
            }
            *ln_p_evidence = ln_p;
        }
        Outcome::EachState { rows, ln_p_evidence, .. } => {
            for row in rows {
                if let Some(Value::Best(best)) = &mut row.value {
                    best.iter_mut().for_each(|one| one.log_p_joint += ln_p - *ln_p_evidence);
                }
            }
            *ln_p_evidence = ln_p;
        }
        Outcome::Independence(_) | Outcome::Impossible { .. } => {}
    }
}

/// The most probable configurations of a joint, best first; of equals, up to rounding, the earlier.
fn sorted(joint: &JointDistribution, shape: &[usize], n_best: usize, ln_p_evidence: f64) -> Vec<(Vec<usize>, f64)> {
    let ln_p = |place: usize| joint.probabilities[place].ln() + ln_p_evidence;
    let mut places: Vec<usize> = (0..joint.probabilities.len()).filter(|&place| joint.probabilities[place] > 0.0).collect();
    places.sort_by_key(|&place| (Reverse(most_probable::rounded(ln_p(place))), place));
    places.into_iter().take(n_best).map(|place| (states_at(shape, place), ln_p(place))).collect()
}

fn mean_and_sd(numbers: &[f64], p: &[f64]) -> (f64, f64) {
    let mut mean = CompensatedSum::default();
    numbers.iter().zip(p).filter(|(_, p)| **p > 0.0).for_each(|(number, p)| mean.add(number * p));
    let mean = mean.value();
    let mut variance = CompensatedSum::default();
    numbers.iter().zip(p).filter(|(_, p)| **p > 0.0).for_each(|(number, p)| variance.add((number - mean) * (number - mean) * p));
    (mean, variance.value().max(0.0).sqrt())
}

/// Variables of several lists, each once, in order.
pub(super) fn union(lists: &[&[VarId]]) -> Vec<VarId> {
    let mut all = Vec::new();
    for &variable in lists.iter().copied().flatten() {
        if !all.contains(&variable) {
            all.push(variable);
        }
    }
    all
}

/// The common effects on an active trail, each with what is given of it: itself or a variable below it.
fn opened_colliders(dag: &Dag, trail: &[VarId], given: &[VarId]) -> Vec<(VarId, VarId)> {
    let colliders = trail.windows(3).filter(|window| [window[0], window[2]].iter().all(|cause| dag.parents(window[1]).contains(cause)));
    let opened = |effect: VarId| {
        let by = given.iter().copied().find(|&by| by == effect);
        by.or_else(|| given.iter().copied().find(|&by| dag.ancestral_set(&[by])[effect.index()])).map(|by| (effect, by))
    };
    colliders.filter_map(|window| opened(window[1])).collect()
}
