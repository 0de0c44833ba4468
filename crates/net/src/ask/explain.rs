//! Explaining an answer: which findings speak for it and against it, which add nothing, and whether they fit together.
//!
//! The weight of a finding is how much it moves the log-odds of the target (Good 1950), in nats: when it is the only finding, and when it is the last one.
//! In a network the two differ, and neither adds up over findings: a finding may tell what another has told already. The conflict
//! measure ln (Π P(finding) / P(all findings)) is that of Jensen, Chamberlain, Nordahl & Jensen 1991: above zero where findings are less probable together
//! than if they had nothing to do with each other.

use super::finding::FindingKind;
use super::oracle::Oracle;
use super::resolve::{Asks, Question};
use super::{AskError, Finding, Outcome, Value};
use crate::d_separation::{Separation, d_separation};
use crate::dag::Dag;
use crate::error::NetError;
use crate::evidence::Answer;
use crate::query::Query;
use belief::VarId;
use serde::Serialize;
use std::fmt;

/// A conflict, in nats, that is worth more than a bare mention: ln √10, half a ban (Jeffreys 1961, appendix B).
const WORTH_MENTIONING: f64 = std::f64::consts::LN_10 / 2.0;

/// Differences of probabilities below this are rounding.
const NOTHING: f64 = 1e-12;

/// Why the probability of something is what it is. Facts for programs; [`fmt::Display`] gives them in words.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Explanation {
    /// What is explained, as in `Flu=yes`: what was asked for, or the most probable of it.
    pub target: String,
    /// Its probability before anything was found.
    pub prior: f64,
    /// Its probability given all findings.
    pub posterior: f64,
    /// What each finding says, those that move the target most, as the last finding, first; of equals in the order they were given.
    pub findings: Vec<Weighed>,
    /// Whether the findings fit together; `None` for one finding, and where posteriors are given by Jeffrey's rule.
    pub conflict: Option<Mutual>,
    /// How the probabilities were got.
    pub method: String,
}

/// What one finding says of the target.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Weighed {
    /// The finding, as in `Nose=runny`.
    pub finding: String,
    /// The target's probability with this finding alone.
    pub p_alone: f64,
    /// How much the finding, alone, moves the log-odds of the target, in nats; `None` where it makes the target certain or impossible.
    pub weight_alone: Option<f64>,
    /// The target's probability with all findings but this one.
    pub p_without: f64,
    /// How much the finding, as the last one, moves the log-odds of the target, in nats; `None` where it makes the target certain or
    /// impossible, or where the others have done so already.
    pub weight_last: Option<f64>,
    /// Whether the finding, as the last one, speaks for the target, against it, or says nothing.
    pub says: Says,
}

/// What a finding says of the target when all others are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Says {
    /// It makes the target more probable.
    For,
    /// It makes the target less probable.
    Against,
    /// It adds nothing once the others are known: the graph separates it from the target.
    NothingByTheGraph,
    /// It adds nothing once the others are known, as it happens: by the numbers, not by the graph.
    NothingByTheNumbers,
}

/// Whether findings fit together.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Mutual {
    /// ln (Π P(finding) / P(all findings)): above zero they are in conflict, below they support each other. In words, conflicts below a factor of
    /// √10 = 3.16 are none to speak of: half a ban, the least that is worth more than a bare mention on the scale of Jeffreys 1961, appendix B.
    pub conflict: f64,
    /// ln P(all findings).
    pub log_p_evidence: f64,
}

impl Oracle {
    /// Explains the answer to `P(A | …)`, `P(A=a | …)` or `argmax A | …`.
    ///
    /// # Errors
    /// When the question is of another kind, nothing was found, the findings are impossible, or it cannot be answered.
    ///
    /// ```
    /// use tunbridge_net::{Network, ask::{Oracle, Says}};
    /// let network = Network::builder()
    ///     .variable("Cancer", ["yes", "no"]).probabilities([0.008, 0.992])
    ///     .variable("Test", ["+", "-"]).given(["Cancer"]).probabilities([0.98, 0.02,  0.03, 0.97])
    ///     .build()?;
    /// let why = Oracle::of_network(network).explain(&"P(Cancer=yes | Test=+)".parse()?)?;
    /// assert_eq!(why.findings[0].says, Says::For);
    /// assert!((why.findings[0].weight_alone.unwrap() - (0.98_f64 / 0.03).ln()).abs() < 1e-12);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn explain(&self, query: &Query) -> Result<Explanation, AskError> {
        self.explain_question(&self.question(query)?)
    }

    /// Explains the answer to a question in ids.
    ///
    /// # Errors
    /// As [`Self::explain`].
    pub fn explain_question(&self, question: &Question) -> Result<Explanation, AskError> {
        let nothing = |why: &str| Err(AskError::NothingToExplain { why: why.to_string() });
        if question.findings.is_empty() {
            return nothing("no findings are given; write them behind the bar, as in P(A | B=b)");
        }
        if !question.each.is_empty() {
            return nothing("there is an answer for each state of what stands bare behind the bar; give it a state");
        }
        let reply = self.reply(question)?;
        let value = match &reply.outcome {
            Outcome::Found { value, .. } => value,
            Outcome::Impossible { conflict } => return nothing(&format!("the findings are impossible: {conflict}")),
            _ => return nothing("the graph alone was asked"),
        };
        let Some(events) = target(question, value, self) else {
            return nothing("only P(A | …), P(A=a | …) and argmax A | … are explained, of a few variables");
        };
        let probability = |findings: &[Finding]| self.probability_of(&events, findings);
        let all = &question.findings;
        let (prior, posterior) = (probability(&[])?, probability(all)?);
        let separate = Separations::of(self, &events, all);
        let mut findings = Vec::with_capacity(all.len());
        for (place, finding) in all.iter().enumerate() {
            let others: Vec<Finding> =
                all.iter().enumerate().filter(|(other, _)| *other != place).map(|(_, finding)| finding.clone()).collect();
            let (p_alone, p_without) = (probability(std::slice::from_ref(finding))?, probability(&others)?);
            let says = if separate.as_ref().is_some_and(|graph| graph.says_nothing(place)) {
                Says::NothingByTheGraph
            } else if (posterior - p_without).abs() <= NOTHING {
                Says::NothingByTheNumbers
            } else if posterior > p_without {
                Says::For
            } else {
                Says::Against
            };
            let weight_last = if matches!(says, Says::For | Says::Against) { weight(p_without, posterior) } else { Some(0.0) };
            findings.push(Weighed {
                finding: finding.text().to_string(),
                p_alone,
                weight_alone: if (p_alone - prior).abs() <= NOTHING { Some(0.0) } else { weight(prior, p_alone) },
                p_without,
                weight_last,
                says,
            });
        }
        // Decisive findings first, then by how much they move the target.
        let moved = |one: &Weighed| one.weight_last.map_or(f64::INFINITY, f64::abs);
        findings.sort_by(|a, b| moved(b).total_cmp(&moved(a)));
        let target = events.iter().map(|(variable, counts)| self.event_text(*variable, counts)).collect::<Vec<_>>().join(", ");
        Ok(Explanation { target, prior, posterior, findings, conflict: self.mutual(all)?, method: reply.method })
    }

    fn probability_of(&self, events: &[(VarId, Vec<bool>)], findings: &[Finding]) -> Result<f64, AskError> {
        let asks = Asks::Probability { variables: Vec::new(), events: events.to_vec() };
        match self.reply(&Question { asks, findings: findings.to_vec(), each: Vec::new() })?.outcome {
            Outcome::Found { value: Value::Probability(p), .. } => Ok(p),
            // All findings together are possible, so that some of them are, but for rounding.
            _ => Err(AskError::Net(NetError::Underflow)),
        }
    }

    /// Whether findings fit together.
    fn mutual(&self, findings: &[Finding]) -> Result<Option<Mutual>, AskError> {
        if findings.len() < 2 || findings.iter().any(|finding| finding.kind() == FindingKind::Posterior) {
            return Ok(None);
        }
        let ln_p = |findings: &[Finding]| -> Result<f64, AskError> {
            match self.known(findings)? {
                Some(known) => Ok(match self.joint_by_elimination(&[], &known.evidence)?.0 {
                    Answer::Possible { ln_p_evidence, .. } => ln_p_evidence,
                    Answer::Impossible => f64::NEG_INFINITY,
                }),
                None => Ok(f64::NEG_INFINITY),
            }
        };
        let log_p_evidence = ln_p(findings)?;
        let mut apart = 0.0;
        for finding in findings {
            apart += ln_p(std::slice::from_ref(finding))?;
        }
        Ok(Some(Mutual { conflict: apart - log_p_evidence, log_p_evidence }))
    }

    fn event_text(&self, variable: VarId, counts: &[bool]) -> String {
        let states: Vec<usize> = (0..counts.len()).filter(|&state| counts[state]).collect();
        match states[..] {
            [state] => Finding::state(self.domain(), variable, state).text().to_string(),
            _ => match (0..counts.len()).filter(|&state| !counts[state]).collect::<Vec<_>>()[..] {
                [state] => Finding::not_state(self.domain(), variable, state).text().to_string(),
                _ => Finding::one_of(self.domain(), variable, &states).text().to_string(),
            },
        }
    }
}

/// The event that is explained: what was asked for; of variables the most probable of their states together.
fn target(question: &Question, value: &Value, oracle: &Oracle) -> Option<Vec<(VarId, Vec<bool>)>> {
    let is = |variable: VarId, state: usize| (variable, (0..oracle.domain().n_states(variable)).map(|other| other == state).collect());
    match (&question.asks, value) {
        (Asks::Probability { events, .. }, Value::Probability(_)) => Some(events.clone()),
        (Asks::Probability { events, .. }, Value::Table(table)) => {
            // Of equals the earlier.
            let first = |a: (Vec<usize>, f64), b: (Vec<usize>, f64)| if b.1 > a.1 { b } else { a };
            let (states, _) = table.rows(oracle.domain()).reduce(first)?;
            let free = table.variables.iter().zip(states).map(|(&variable, state)| is(variable, state));
            Some(free.chain(events.iter().cloned()).collect())
        }
        (Asks::Best { variables, .. }, Value::Best(best)) if variables.len() < oracle.domain().n_variables() || variables.len() == 1 => {
            Some(best.first()?.states.iter().map(|&(variable, state)| is(variable, state)).collect())
        }
        _ => None,
    }
}

/// The change of log-odds from one probability to another, in nats; `None` where it is infinite or there was nothing to change.
fn weight(before: f64, after: f64) -> Option<f64> {
    let log_odds = |p: f64| p.ln() - (-p).ln_1p();
    let moved = log_odds(after) - log_odds(before);
    moved.is_finite().then_some(moved)
}

/// The graph with a child for each finding that leaves its variable more than one state, so that such findings are seen variables too.
struct Separations {
    dag: Dag,
    target: Vec<VarId>,
    seen: Vec<VarId>,
}

impl Separations {
    /// `None` without a graph. With Jeffrey's rule findings change each other's likelihoods, and the graph tells nothing.
    fn of(oracle: &Oracle, events: &[(VarId, Vec<bool>)], findings: &[Finding]) -> Option<Self> {
        let dag = oracle.network()?.dag();
        if findings.iter().any(|finding| finding.kind() == FindingKind::Posterior) {
            return None;
        }
        let mut parents: Vec<Vec<VarId>> = dag.variables().map(|variable| dag.parents(variable).to_vec()).collect();
        let mut seen = Vec::with_capacity(findings.len());
        for finding in findings {
            if finding.is_hard() {
                seen.push(finding.variable());
            } else {
                seen.push(VarId::new(parents.len()));
                parents.push(vec![finding.variable()]);
            }
        }
        let target = events.iter().map(|(variable, _)| *variable).collect();
        Some(Self { dag: Dag::from_parents(parents).ok()?, target, seen })
    }

    /// Whether a finding is separated from the target by the others.
    fn says_nothing(&self, place: usize) -> bool {
        let others: Vec<VarId> = self.seen.iter().enumerate().filter(|(other, _)| *other != place).map(|(_, &variable)| variable).collect();
        d_separation(&self.dag, &self.target, &[self.seen[place]], &others) == Separation::Independent
    }
}

impl fmt::Display for Explanation {
    /// In words, a line for each finding.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { target, prior, posterior, .. } = self;
        let direction = if (posterior - prior).abs() <= NOTHING {
            "is the same now"
        } else if posterior > prior {
            "is higher now"
        } else {
            "is lower now"
        };
        writeln!(f, "P({target}) was {} before anything was found and {direction}: {}.", short(*prior), short(*posterior))?;
        for one in &self.findings {
            writeln!(f, "{one}")?;
        }
        match &self.conflict {
            Some(mutual) => writeln!(f, "{mutual}"),
            None => Ok(()),
        }
    }
}

impl fmt::Display for Weighed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (finding, without) = (&self.finding, short(self.p_without));
        let by = |weight: Option<f64>| weight.map_or("decisively".to_string(), |nats| format!("by {:.2} nats", nats.abs()));
        match self.says {
            Says::For => write!(f, "{finding} speaks for it {}: without this finding it would be {without}.", by(self.weight_last)),
            Says::Against => write!(f, "{finding} speaks against it {}: without this finding it would be {without}.", by(self.weight_last)),
            Says::NothingByTheGraph => {
                write!(f, "{finding} adds nothing once the other findings are known: the graph separates it from the target.")
            }
            Says::NothingByTheNumbers => write!(f, "{finding} adds nothing once the other findings are known, as the numbers are."),
        }?;
        match self.weight_alone {
            Some(0.0) => write!(f, " Alone it would change nothing."),
            weight => write!(
                f,
                " Alone it would make it {}{}.",
                short(self.p_alone),
                weight.map_or(String::new(), |nats| format!(" ({nats:+.2} nats)"))
            ),
        }
    }
}

impl fmt::Display for Mutual {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let conflict = self.conflict;
        let times = short(conflict.abs().exp());
        if conflict.abs() < 1e-9 {
            write!(f, "The findings have nothing to do with each other: they are as probable together as apart (conflict 0).")
        } else if conflict > 0.0 && conflict < WORTH_MENTIONING {
            write!(
                f,
                "There is no conflict to speak of: the findings are {times} times less probable together than if they had nothing to do with \
                 each other (conflict {conflict:+.2})."
            )
        } else if conflict > 0.0 {
            write!(
                f,
                "The findings are in conflict: {times} times less probable together than if they had nothing to do with each other \
                 (conflict {conflict:+.2}). This may be a rare case, or a finding may be wrong."
            )
        } else {
            write!(
                f,
                "The findings support each other: {times} times more probable together than if they had nothing to do with each other (conflict {conflict:+.2})."
            )
        }
    }
}

/// A number with four digits that count.
fn short(number: f64) -> String {
    if number == 0.0 || number == 1.0 {
        return format!("{number}");
    }
    if (1e-4..1e6).contains(&number.abs()) {
        let digits = (3 - number.abs().log10().floor() as i32).max(0) as usize;
        let text = format!("{number:.digits$}");
        // Not to be taken for a certainty.
        if number < 1.0 && text.starts_with('1') { format!("1 − {:.1e}", 1.0 - number) } else { text }
    } else {
        format!("{number:.3e}")
    }
}
