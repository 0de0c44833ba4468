//! Conflicts: which findings cannot be together, when evidence has probability zero.
//!
//! The smallest set is looked for up to three findings; else findings are left out while the rest stay impossible, by halves (QuickXplain, Junker
//! 2004), which gives a set of which none can be left out.

use super::finding::likelihoods;
use super::oracle::Oracle;
use super::{AskError, Finding, FindingKind};
use crate::evidence::Answer;
use std::fmt;

/// Findings that cannot be together, while without any one of them the others can.
#[derive(Clone, Debug, PartialEq)]
pub struct Conflict {
    /// The findings, in the order they were given. Empty when the model gives everything probability zero.
    pub findings: Vec<Finding>,
    /// Whether no fewer findings are in conflict. Of more than three this is not known.
    pub is_smallest: bool,
}

impl fmt::Display for Conflict {
    /// In words.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let texts: Vec<&str> = self.findings.iter().map(Finding::text).collect();
        match &texts[..] {
            [] => write!(f, "the model gives everything probability zero, whatever is found"),
            [one] => write!(f, "{one} has probability zero by itself"),
            [first, second] if self.findings[0].variable() == self.findings[1].variable() => {
                write!(f, "{first} and {second} contradict each other")
            }
            [first, second] => write!(f, "{first} and {second} cannot be together: each is possible without the other"),
            [others @ .., last] => write!(f, "{} and {last} cannot be together: without any one of them the others can", others.join(", ")),
        }
    }
}

/// Tables to be gone through in the search for the smallest conflict, in entries; beyond, deletion alone must do.
const MAX_WORK: f64 = 2e8;

/// Findings that cannot be together, of findings that cannot.
pub(super) fn find(oracle: &Oracle, findings: &[Finding]) -> Result<Conflict, AskError> {
    let all: Vec<&Finding> = findings.iter().filter(|finding| finding.kind() != FindingKind::Posterior).collect();
    if !possible(oracle, &[])? {
        return Ok(Conflict { findings: Vec::new(), is_smallest: true });
    }
    for &finding in &all {
        if !possible(oracle, &[finding])? {
            return Ok(Conflict { findings: vec![finding.clone()], is_smallest: true });
        }
    }
    let minimal = by_deletion(oracle, &[], &all)?;
    if minimal.len() <= 2 {
        return Ok(told(&minimal, true));
    }
    // A tree's calibration under one or two findings tells of all others at once.
    let n_entries = oracle.junction_tree().map_or(f64::INFINITY, |tree| tree.n_entries() as f64);
    let n_findings = all.len() as f64;
    if n_findings * n_entries > MAX_WORK {
        return Ok(told(&minimal, false));
    }
    for place in 0..all.len() {
        if let Some(pair) = conflicting(oracle, &[all[place]], &all[place + 1..])? {
            return Ok(told(&pair, true));
        }
    }
    if minimal.len() == 3 {
        return Ok(told(&minimal, true));
    }
    if n_findings * n_findings / 2.0 * n_entries > MAX_WORK {
        return Ok(told(&minimal, false));
    }
    for place in 0..all.len() {
        for other in place + 1..all.len() {
            if let Some(three) = conflicting(oracle, &[all[place], all[other]], &all[other + 1..])? {
                return Ok(told(&three, true));
            }
        }
    }
    // More than three; deletion found four or more, of which no fewer were looked for.
    Ok(told(&minimal, minimal.len() == 4))
}

fn told(findings: &[&Finding], is_smallest: bool) -> Conflict {
    Conflict { findings: findings.iter().map(|&finding| finding.clone()).collect(), is_smallest }
}

/// These and the first of some candidates that they cannot be with; these can be together.
fn conflicting<'a>(oracle: &Oracle, these: &[&'a Finding], candidates: &[&'a Finding]) -> Result<Option<Vec<&'a Finding>>, AskError> {
    let Some(evidence) = likelihoods(oracle.domain(), these.iter().copied())? else { return Ok(None) };
    let marginals = match oracle.marginals(&evidence) {
        Ok((Answer::Possible { answer, .. }, _)) => Some(answer),
        // Too improbable for doubles: every candidate is tried.
        _ => None,
    };
    for &candidate in candidates {
        let suspect = marginals.as_ref().is_none_or(|marginals| {
            marginals[candidate.variable().index()].iter().zip(candidate.likelihood()).all(|(p, likelihood)| p * likelihood == 0.0)
        });
        if suspect {
            let set: Vec<&Finding> = these.iter().copied().chain([candidate]).collect();
            if !possible(oracle, &set)? {
                return Ok(Some(set));
            }
        }
    }
    Ok(None)
}

/// Leaves out what can be left out while the rest stays impossible, by halves: what is needed of the later half when all of the earlier is there,
/// then what is needed of the earlier. `background` stays; these with it are impossible.
fn by_deletion<'a>(oracle: &Oracle, background: &[&'a Finding], these: &[&'a Finding]) -> Result<Vec<&'a Finding>, AskError> {
    if these.len() <= 1 {
        return Ok(these.to_vec());
    }
    let (earlier, later) = these.split_at(these.len() / 2);
    let of_later = needed(oracle, background, earlier, later)?;
    let of_earlier = needed(oracle, background, &of_later, earlier)?;
    Ok([of_earlier, of_later].concat())
}

/// What is needed of some findings when more are there.
fn needed<'a>(oracle: &Oracle, background: &[&'a Finding], more: &[&'a Finding], of: &[&'a Finding]) -> Result<Vec<&'a Finding>, AskError> {
    let background = [background, more].concat();
    if !more.is_empty() && !possible(oracle, &background)? {
        return Ok(Vec::new());
    }
    by_deletion(oracle, &background, of)
}

fn possible(oracle: &Oracle, findings: &[&Finding]) -> Result<bool, AskError> {
    match likelihoods(oracle.domain(), findings.iter().copied())? {
        Some(evidence) => oracle.is_possible(&evidence),
        None => Ok(false),
    }
}
