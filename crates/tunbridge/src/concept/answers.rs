//! What is said of new instances.

use std::cmp::Ordering;
use std::path::Path;

use belief::{Kind, Observations, ReadReport, Recode, Recoding, Role, StateMap, VarId};
use data::{ReadOptions, Table, UnknownStates};
use learn::concept::{ExampleTable, Size, UnbiasedVerdict, Verdict, Vote};
use num_bigint::BigUint;

use super::learning::{Concept, Learned};
use super::reading::ConceptData;
use crate::Error;
use crate::remarks::list;

/// What is said of an instance.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Answer {
    /// Whether it is positive; nothing if that is not said: half of the votes are no answer.
    pub positive: Option<bool>,
    /// Whether all that agrees with the examples says so.
    pub sure: bool,
    /// The share of votes that say yes, or the probability of it where labels may be wrong.
    pub share: Option<f64>,
    /// The votes that say yes, and all votes, where both were counted.
    pub votes: Option<(BigUint, BigUint)>,
}

/// A row of a file of new instances.
#[derive(Clone, Debug, PartialEq)]
pub struct NewInstance {
    /// Its number, from 1.
    pub row: u64,
    /// The instance, or the attribute that the row has no value of.
    pub instance: Result<Vec<u32>, String>,
}

/// The rows of files of new instances.
pub struct NewInstances {
    /// The rows, in order.
    pub rows: Vec<NewInstance>,
    /// What was met while reading.
    pub report: ReadReport,
    /// What the user should know.
    pub remarks: Vec<String>,
}

impl ConceptData {
    /// Reads new instances from files with the same columns. They need not have the target. A state that is not known satisfies `?` alone.
    ///
    /// # Errors
    /// When the files cannot be read, or lack all attributes.
    pub fn new_instances(&self, paths: &[impl AsRef<Path>], mut read: ReadOptions) -> Result<NewInstances, Error> {
        read.missing.extend(self.missing.iter().cloned());
        let table = Table::open_as(paths, read, &self.schema, UnknownStates::Grow, true)?;
        let fold = table.fold(|_: &[usize]| ExampleTable::default())?;
        let mut rows = fold.statistic;
        // States may have been sorted anew together with those that were not known.
        let back = |(place, variable): (usize, &belief::Variable)| {
            let (Kind::Categorical(now), Some(known)) = (&variable.kind, self.schema.states(VarId::new(place))) else { return None };
            let code = |name: &String| known.names().iter().position(|known| known == name).unwrap_or(known.len()) as u32;
            Some(StateMap { to: now.names().iter().map(code).collect(), n_states: known.len() + 1 })
        };
        rows.recode(&Recoding { columns: fold.schema.variables().iter().enumerate().map(back).collect() })?;
        let instance = |(at, row): (usize, &u64)| NewInstance {
            row: *row,
            instance: self.space.instance(&rows, at).map_err(|missing| self.space.attributes()[missing.attribute].name.clone()),
        };
        let mut remarks = table.remarks().to_vec();
        for (place, variable) in fold.schema.variables().iter().enumerate().filter(|(_, v)| v.role == Role::Input) {
            let (Kind::Categorical(now), Some(known)) = (&variable.kind, self.schema.states(VarId::new(place))) else { continue };
            let unknown: Vec<&String> = now.names().iter().filter(|name| !known.names().contains(name)).collect();
            if !unknown.is_empty() {
                remarks.push(format!("no known state of `{}`, which ? alone covers: {}", variable.name, list(&unknown)));
            }
        }
        let instances = rows.rows().iter().enumerate().map(instance).collect();
        Ok(NewInstances { rows: instances, report: fold.report, remarks })
    }
}

impl Learned {
    /// What is said of an instance.
    pub fn classify(&self, instance: &[u32]) -> Answer {
        let certain =
            |positive: bool| Answer { positive: Some(positive), sure: true, share: Some(f64::from(u8::from(positive))), votes: None };
        match &self.concept {
            Concept::FindS(least, _) => Answer { positive: Some(least.covers(instance)), ..Answer::default() },
            Concept::VersionSpace(found) => match self.voters.as_ref().map(|voters| found.classify(instance, voters)) {
                Some(Verdict::SurelyPositive) => Answer { votes: self.all_or_none(true), ..certain(true) },
                Some(Verdict::SurelyNegative) => Answer { votes: self.all_or_none(false), ..certain(false) },
                None => Answer::default(),
                Some(Verdict::Vote(vote)) => Answer { positive: most(&vote), sure: false, share: Some(vote.share), votes: vote.counted },
            },
            Concept::Listed(listed) => {
                let (all, yes) = (listed.hypotheses.len(), listed.hypotheses.iter().filter(|h| h.covers(instance)).count());
                let share = yes as f64 / all.max(1) as f64;
                Answer {
                    positive: majority(share),
                    sure: yes == 0 || yes == all,
                    share: Some(share),
                    votes: Some((yes.into(), all.into())),
                }
            }
            Concept::Rote(rote) => rote.classify(instance).map(certain).unwrap_or_default(),
            Concept::Unbiased(unbiased) => match unbiased.classify(instance) {
                UnbiasedVerdict::Met(positive) => certain(positive),
                UnbiasedVerdict::Half => Answer { share: Some(0.5), ..Answer::default() },
            },
            Concept::Bayesian(posterior) => {
                let p = posterior.p_positive(instance);
                Answer { positive: majority(p), share: Some(p), ..Answer::default() }
            }
        }
    }
}

impl Learned {
    fn all_or_none(&self, positive: bool) -> Option<(BigUint, BigUint)> {
        match self.voters.as_ref()?.size() {
            Size::Exact(all) => Some((if positive { all.clone() } else { BigUint::ZERO }, all.clone())),
            Size::Estimate(_) => None,
        }
    }
}

/// What most members say, by their numbers if these are known.
fn most(vote: &Vote) -> Option<bool> {
    match &vote.counted {
        Some((yes, all)) => match (yes * 2_u32).cmp(all) {
            Ordering::Less => Some(false),
            Ordering::Equal => None,
            Ordering::Greater => Some(true),
        },
        None => majority(vote.share),
    }
}

/// What most say; half is no majority.
fn majority(share: f64) -> Option<bool> {
    if share == 0.5 { None } else { Some(share > 0.5) }
}
