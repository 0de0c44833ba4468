//! The best next question: the instance that comes nearest to halving the version space.
//!
//! Mitchell 1997, section 2.6.2. If half of the members cover the instance, either answer leaves half of them, and the concept is
//! found after log₂ |VS| questions.
//!
//! Instances that raise S in the same way are answered alike by every member: one of each kind is looked at. If there are too many
//! kinds still, the search climbs: it changes one attribute after another as long as that halves better, and as long as its work is
//! within a bound.

use std::collections::HashSet;

use num_bigint::BigUint;

use super::counting::{self, count_between};
use super::span::Span;
use super::version_space::ratio;
use super::{Hypothesis, VersionSpace};

/// An instance to ask about.
#[derive(Clone, Debug, PartialEq)]
pub struct Question {
    /// Where its values stand.
    pub instance: Vec<u32>,
    /// The share of members that cover it, and so the share that is left if the answer is yes.
    pub share: f64,
    /// How many members cover it and how many there are, where both were counted.
    pub counted: Option<(BigUint, BigUint)>,
    /// Whether all instances of known values were looked at: none halves better.
    pub is_best: bool,
}

/// The most kinds of instances that are all looked at.
const MOST_KINDS: usize = 4096;
/// The most kinds of values of one attribute that a climb looks at.
const MOST_VALUES: usize = 256;
/// Steps of work that a climb may take, and how many instances it looks at in any case.
const MOST_CLIMBING: usize = 100_000_000;
const FEWEST_LOOKS: usize = 16;
/// Steps of work for one count; more where a single box takes more.
const MOST_WORK: u64 = 5_000;
/// Members that are looked at one by one.
const MOST_MEMBERS: usize = 1000;
/// Random members that stand for all where they cannot be counted.
const DRAWS: usize = 1000;

/// How the votes of members are found.
enum Votes {
    Members(Vec<Hypothesis>),
    Counts(BigUint),
    Draws(counting::Draws),
}

impl VersionSpace {
    /// The instance of known values whose answer halves the version space best; of equals the first in the order of values. `None` if
    /// the members answer all instances alike.
    pub fn best_question(&self, seed: u64) -> Option<Question> {
        let votes = self.votes(seed);
        let kinds: Vec<Vec<u32>> = (0..self.space().attributes().len()).map(|at| self.kinds_of_values(at)).collect();
        if kinds.iter().any(Vec::is_empty) {
            return None;
        }
        let n_kinds = kinds.iter().try_fold(1_usize, |n, kinds| n.checked_mul(kinds.len())).filter(|n| *n <= MOST_KINDS);
        let (instance, share) = if n_kinds.is_some() { self.look_at_all(&kinds, &votes) } else { self.climb(&kinds, &votes) };
        if share <= 0.0 || share >= 1.0 {
            return None;
        }
        let counted = match &votes {
            Votes::Members(members) => {
                let covering = members.iter().filter(|member| member.covers(&instance)).count();
                Some((covering.into(), members.len().into()))
            }
            Votes::Counts(all) => self.counted(&instance).map(|covering| (covering, all.clone())),
            Votes::Draws(_) => None,
        };
        Some(Question { instance, share, counted, is_best: n_kinds.is_some() && !matches!(votes, Votes::Draws(_)) })
    }

    fn votes(&self, seed: u64) -> Votes {
        let counted = count_between(self.space(), self.specific(), self.general(), self.work_of_a_count());
        match counted {
            Some(n) if n <= BigUint::from(MOST_MEMBERS) => self.members(MOST_MEMBERS).map_or(Votes::Counts(n), Votes::Members),
            Some(n) => Votes::Counts(n),
            None => Votes::Draws(counting::draw(self.space(), self.specific(), self.general(), DRAWS, seed)),
        }
    }

    fn counted(&self, instance: &[u32]) -> Option<BigUint> {
        self.n_covering(instance, 4 * self.work_of_a_count())
    }

    fn work_of_a_count(&self) -> u64 {
        MOST_WORK.max(4 * self.space().attributes().len() as u64)
    }

    /// One known value of each kind: values that raise the constraint of S to the same are one kind.
    fn kinds_of_values(&self, at: usize) -> Vec<u32> {
        let attribute = &self.space().attributes()[at];
        let raised = |place: u32| match self.specific().spans() {
            Some(spans) => attribute.join(spans[at], place),
            None => attribute.only(place),
        };
        // All that no g covers are one kind too: no member covers them.
        let raised = |place: u32| {
            let raised = raised(place);
            let is_allowed = self.general().iter().any(|g| g.spans().is_some_and(|spans| spans[at].includes(raised)));
            is_allowed.then_some(raised)
        };
        let mut seen: HashSet<Option<Span>> = HashSet::new();
        attribute.value_places().into_iter().filter(|place| seen.insert(raised(*place))).collect()
    }

    fn share(&self, instance: &[u32], votes: &Votes) -> f64 {
        match votes {
            Votes::Members(members) => members.iter().filter(|member| member.covers(instance)).count() as f64 / members.len().max(1) as f64,
            // What cannot be counted is as bad a question as one that all members answer alike.
            Votes::Counts(all) => self.counted(instance).map_or(1.0, |covering| ratio(&covering, all)),
            Votes::Draws(draws) => draws.share_covering(instance),
        }
    }

    fn look_at_all(&self, kinds: &[Vec<u32>], votes: &Votes) -> (Vec<u32>, f64) {
        let mut at = vec![0; kinds.len()];
        let mut best: Option<(Vec<u32>, f64)> = None;
        loop {
            let instance: Vec<u32> = at.iter().zip(kinds).map(|(at, kinds)| kinds[*at]).collect();
            let share = self.share(&instance, votes);
            if best.as_ref().is_none_or(|(_, other)| halves_better(share, *other)) {
                best = Some((instance, share));
            }
            let turn = (0..at.len()).rev().find(|place| at[*place] + 1 < kinds[*place].len());
            match (turn, best) {
                (Some(turn), kept) if kept.as_ref().is_none_or(|(_, share)| *share != 0.5) => {
                    at[turn] += 1;
                    at[turn + 1..].fill(0);
                    best = kept;
                }
                (_, best) => return best.unwrap_or_default(),
            }
        }
    }

    /// How many instances a climb looks at, the most.
    fn looks(&self, votes: &Votes) -> usize {
        let n_held = match votes {
            Votes::Members(members) => members.len(),
            Votes::Counts(_) => self.general().len(),
            Votes::Draws(draws) => draws.len(),
        };
        (MOST_CLIMBING / (n_held * self.space().attributes().len()).max(1)).max(FEWEST_LOOKS)
    }

    fn climb(&self, kinds: &[Vec<u32>], votes: &Votes) -> (Vec<u32>, f64) {
        // What S covers is a start that all members agree on; each attribute that is changed takes some of them away.
        let start = |(at, kinds): (usize, &Vec<u32>)| {
            let is_covered = |place: &&u32| self.specific().spans().is_none_or(|spans| spans[at].covers(**place));
            *kinds.iter().find(is_covered).unwrap_or(&kinds[0])
        };
        let mut instance: Vec<u32> = kinds.iter().enumerate().map(start).collect();
        let mut share = self.share(&instance, votes);
        let mut looks_left = self.looks(votes);
        loop {
            let mut next: Option<(usize, u32, f64)> = None;
            for (at, kinds) in kinds.iter().enumerate() {
                let step = kinds.len().div_ceil(MOST_VALUES);
                let before = instance[at];
                for place in kinds.iter().copied().step_by(step).filter(|place| *place != before) {
                    let Some(left) = looks_left.checked_sub(1) else { break };
                    looks_left = left;
                    instance[at] = place;
                    let with = self.share(&instance, votes);
                    if with == 0.5 {
                        return (instance, with);
                    }
                    instance[at] = before;
                    if halves_better(with, next.map_or(share, |(_, _, share)| share)) {
                        next = Some((at, place, with));
                    }
                }
            }
            match next {
                Some((at, place, with)) => (instance[at], share) = (place, with),
                None => return (instance, share),
            }
        }
    }
}

fn halves_better(share: f64, other: f64) -> bool {
    (share - 0.5).abs() < (other - 0.5).abs()
}
