//! The parts of rows with gaps in a form that lasts: what a model keeps so that EM can go on.
//!
//! A part is which variables are missing that hang together, the states of those around them, and how much it weighs. All parts of some rows
//! say of the gaps what the rows themselves would say, whatever the tables, so that they are the sufficient statistic of EM; what whole families
//! say is in [`super::FamilyCounts`]. Parts are added, taken back, scaled and renamed as counts are, and lie in an order of their own, so that the
//! same rows make the same parts in whatever order they came. [`super::IncompleteRows`] has them chunk by chunk, with what inference needs.

use super::incomplete_rows::IncompleteRows;
use super::parts::{Alike, Around};
use super::wiring::Wiring;
use belief::{NeverObserved, PackedCodes, PackedNumbers, Recode, Recoding, ShapeMismatch, count_without};
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;
use std::collections::BTreeMap;

/// The parts of rows with gaps, each once with its weight. With whole weights exact, whatever the order of rows and merges.
///
/// Invariants: kinds ascend by what is missing and have parts; the parts of a kind ascend by their states; weights are finite and above zero.
/// That they are parts of some graph is checked by [`IncompleteParts::fits`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "RawParts", into = "RawParts")]
pub struct IncompleteParts {
    kinds: Vec<PartKind>,
}

/// The parts that have the same variables missing.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct PartKind {
    /// The variables that are missing, ascending.
    pub missing: Vec<u32>,
    /// The variables around them, which were seen, ascending.
    pub seen: Vec<u32>,
    /// Part by part the states of those that were seen.
    pub states: Vec<u32>,
    /// What each part weighs.
    pub weights: Vec<f64>,
}

#[derive(Serialize, Deserialize)]
struct RawParts {
    kinds: Vec<RawKind>,
}

#[derive(Serialize, Deserialize)]
struct RawKind {
    missing: PackedCodes,
    seen: PackedCodes,
    states: PackedCodes,
    weights: PackedNumbers,
}

impl IncompleteParts {
    /// The parts of rows; `None` where they are not held in memory, or take more than `max_bytes`.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use belief::{Chunk, Codes, Column, SufficientStatistic};
    /// use tunbridge_net::{Domain, Structure};
    /// use tunbridge_net::parameters::{Families, IncompleteParts, IncompleteRows, Wiring};
    ///
    /// let domain = Domain::new([("Flu", vec!["yes", "no"]), ("Fever", vec!["yes", "no"])])?;
    /// let mut structure = Structure::new(["Flu", "Fever"])?;
    /// structure.add_arc("Flu", "Fever")?;
    /// let wiring = Arc::new(Wiring::new(Arc::new(Families::of(&structure, &domain)?), 1 << 20));
    /// // Three rows in which nobody knows of the flu, two of them alike, and one row that is whole.
    /// let mut rows = IncompleteRows::empty(Arc::clone(&wiring), usize::MAX);
    /// let column = |codes| Column::Categorical { codes: Codes::U8(codes), n_states: 2 };
    /// let columns = [column(&[255, 255, 0, 255]), column(&[0, 1, 0, 0])];
    /// rows.observe(Chunk { first_row: 0, n_rows: 4, columns: &columns, weights: None })?;
    /// let parts = IncompleteParts::of(&rows, usize::MAX).unwrap();
    /// assert_eq!((parts.n_parts(), parts.missing(2)), (2, vec![3.0, 0.0]));
    /// assert!(parts.fits(&wiring));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn of(rows: &IncompleteRows, max_bytes: usize) -> Option<Self> {
        if !rows.is_held() {
            return None;
        }
        let mut of_kind: BTreeMap<&[u32], Vec<&Alike>> = BTreeMap::new();
        for alike in rows.alike() {
            of_kind.entry(&alike.missing).or_default().push(alike);
        }
        let (mut parts, mut n_bytes) = (Self::default(), 0_usize);
        for (missing, all) in of_kind {
            let around = Around::new(missing, rows.wiring());
            let mut kind = PartKind { missing: missing.to_vec(), seen: around.seen(), states: Vec::new(), weights: Vec::new() };
            for alike in all {
                alike.for_each_part(|bases, weight| {
                    around.push_states(bases, &mut kind.states);
                    kind.weights.push(weight);
                });
            }
            kind.settle();
            n_bytes = n_bytes.saturating_add(kind.bytes());
            if n_bytes > max_bytes {
                return None;
            }
            parts.kinds.push(kind);
        }
        Some(parts)
    }

    /// How many different parts there are.
    pub fn n_parts(&self) -> usize {
        self.kinds.iter().map(|kind| kind.weights.len()).sum()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.kinds.is_empty()
    }

    /// Memory they take: four bytes a state and eight a weight.
    pub fn bytes(&self) -> usize {
        self.kinds.iter().map(PartKind::bytes).sum()
    }

    /// The weight of rows in which each of so many variables is missing.
    pub fn missing(&self, n_variables: usize) -> Vec<f64> {
        let mut missing = vec![0.0; n_variables];
        for kind in &self.kinds {
            let weight: f64 = kind.weights.iter().sum();
            kind.missing.iter().filter_map(|of| missing.get_mut(*of as usize).map(|n| *n += weight)).count();
        }
        missing
    }

    /// Whether they can be parts of rows of these families: what is missing hangs together, what was seen is around it, and states are some.
    pub fn fits(&self, wiring: &Wiring) -> bool {
        self.kinds.iter().all(|kind| {
            wiring.hangs_together(&kind.missing) && kind.seen == Around::new(&kind.missing, wiring).seen() && {
                let n_states = |place: usize| wiring.families().n_states()[kind.seen[place] as usize];
                kind.states.iter().enumerate().all(|(at, state)| (*state as usize) < n_states(at % kind.seen.len()))
            }
        })
    }

    /// Adds the parts of other rows.
    pub fn merge(&mut self, other: &Self) {
        let (mine, theirs) = (std::mem::take(&mut self.kinds), &other.kinds);
        let mut theirs = theirs.iter().peekable();
        for mut kind in mine {
            while let Some(before) = theirs.next_if(|other| other.missing < kind.missing) {
                self.kinds.push(before.clone());
            }
            if let Some(other) = theirs.next_if(|other| other.missing == kind.missing) {
                kind.merge(other);
            }
            self.kinds.push(kind);
        }
        self.kinds.extend(theirs.cloned());
    }

    /// The weight of the parts that have a variable in each of its states.
    pub fn times_seen(&self, variable: usize, n_states: usize) -> Vec<f64> {
        let mut times = vec![0.0; n_states];
        for kind in &self.kinds {
            let Some(at) = kind.seen.iter().position(|seen| *seen as usize == variable) else { continue };
            for (place, weight) in kind.weights.iter().enumerate() {
                if let Some(times) = times.get_mut(kind.part(place)[at] as usize) {
                    *times += weight;
                }
            }
        }
        times
    }

    /// Takes the parts of rows back out.
    ///
    /// # Errors
    /// When there is one that was never met, or not so often; then nothing is changed.
    pub fn forget(&mut self, other: &Self) -> Result<(), NeverObserved> {
        let mut left = self.kinds.clone();
        for gone in &other.kinds {
            let never = || NeverObserved::Count { observed: 0.0, forgotten: gone.weights.iter().sum() };
            let place = left.binary_search_by(|kind| kind.missing.cmp(&gone.missing)).map_err(|_| never())?;
            left[place].forget(gone)?;
        }
        left.retain(|kind| !kind.weights.is_empty());
        self.kinds = left;
        Ok(())
    }

    /// Every weight so many times as large: what is old counts less. What weighs nothing then is no more.
    pub fn scale(&mut self, by: f64) {
        for kind in &mut self.kinds {
            kind.weights.iter_mut().for_each(|weight| *weight *= by);
            kind.keep_what_weighs();
        }
        self.kinds.retain(|kind| !kind.weights.is_empty());
    }

    pub(super) fn kinds(&self) -> &[PartKind] {
        &self.kinds
    }
}

impl Recode for IncompleteParts {
    fn recode(&mut self, recoding: &Recoding) -> Result<(), ShapeMismatch> {
        if recoding.is_identity() {
            return Ok(());
        }
        let mut kinds = self.kinds.clone();
        for kind in &mut kinds {
            let seen = &kind.seen;
            for (at, state) in kind.states.iter_mut().enumerate() {
                let Some(map) = recoding.of(seen[at % seen.len()] as usize) else { continue };
                let to = map.to.get(*state as usize).filter(|to| (**to as usize) < map.n_states);
                *state = *to.ok_or(ShapeMismatch { what: "a renamed state", expected: map.n_states, found: *state as usize })?;
            }
            kind.settle();
        }
        self.kinds = kinds;
        Ok(())
    }
}

impl PartKind {
    fn bytes(&self) -> usize {
        (self.missing.len() + self.seen.len() + self.states.len()) * 4 + self.weights.len() * 8
    }

    /// The states of a part.
    pub fn part(&self, place: usize) -> &[u32] {
        &self.states[place * self.seen.len()..][..self.seen.len()]
    }

    fn push(&mut self, states: &[u32], weight: f64) {
        self.states.extend_from_slice(states);
        self.weights.push(weight);
    }

    /// No part yet of the same kind.
    fn blank(&self) -> Self {
        Self { missing: self.missing.clone(), seen: self.seen.clone(), states: Vec::new(), weights: Vec::new() }
    }

    /// Sorts the parts, and adds up the weights of those that are the same, in the order they came in.
    fn settle(&mut self) {
        let mut order: Vec<u32> = (0..self.weights.len() as u32).collect();
        order.sort_by(|a, b| self.part(*a as usize).cmp(self.part(*b as usize)));
        let mut settled = self.blank();
        for place in order {
            let (states, weight) = (self.part(place as usize), self.weights[place as usize]);
            match settled.weights.len() {
                n if n > 0 && settled.part(n - 1) == states => settled.weights[n - 1] += weight,
                _ => settled.push(states, weight),
            }
        }
        *self = settled;
    }

    fn merge(&mut self, other: &Self) {
        let mut both = self.blank();
        let (mut mine, mut theirs) = (0, 0);
        while mine < self.weights.len() || theirs < other.weights.len() {
            let order = match (mine < self.weights.len(), theirs < other.weights.len()) {
                (true, true) => self.part(mine).cmp(other.part(theirs)),
                (true, false) => Ordering::Less,
                (false, _) => Ordering::Greater,
            };
            match order {
                Ordering::Less => both.push(self.part(mine), self.weights[mine]),
                Ordering::Greater => both.push(other.part(theirs), other.weights[theirs]),
                Ordering::Equal => both.push(self.part(mine), self.weights[mine] + other.weights[theirs]),
            }
            mine += usize::from(order != Ordering::Greater);
            theirs += usize::from(order != Ordering::Less);
        }
        *self = both;
    }

    fn forget(&mut self, other: &Self) -> Result<(), NeverObserved> {
        let mut place = 0;
        for (at, weight) in other.weights.iter().enumerate() {
            while place < self.weights.len() && self.part(place) < other.part(at) {
                place += 1;
            }
            let is_there = place < self.weights.len() && self.part(place) == other.part(at);
            let left = count_without(if is_there { self.weights[place] } else { 0.0 }, *weight)?;
            if is_there {
                self.weights[place] = left;
            }
        }
        self.keep_what_weighs();
        Ok(())
    }

    fn keep_what_weighs(&mut self) {
        if self.weights.iter().any(|weight| *weight <= 0.0) {
            let mut left = self.blank();
            for (place, weight) in self.weights.iter().enumerate().filter(|(_, weight)| **weight > 0.0) {
                left.push(self.part(place), *weight);
            }
            *self = left;
        }
    }

    /// Whether all is in order, as far as it can be told without the graph.
    fn is_settled(&self) -> bool {
        let ascends = |list: &[u32]| list.windows(2).all(|pair| pair[0] < pair[1]);
        let n = self.weights.len();
        n > 0
            && !self.missing.is_empty()
            && ascends(&self.missing)
            && ascends(&self.seen)
            && n.checked_mul(self.seen.len()) == Some(self.states.len())
            && self.weights.iter().all(|weight| weight.is_finite() && *weight > 0.0)
            && (1..n).all(|place| self.part(place - 1) < self.part(place))
    }
}

impl TryFrom<RawParts> for IncompleteParts {
    type Error = &'static str;

    fn try_from(raw: RawParts) -> Result<Self, &'static str> {
        let mut kinds: Vec<PartKind> = Vec::new();
        for raw in raw.kinds {
            let kind = PartKind {
                missing: raw.missing.unpack()?,
                seen: raw.seen.unpack()?,
                states: raw.states.unpack()?,
                weights: raw.weights.unpack()?,
            };
            if !kind.is_settled() || kinds.last().is_some_and(|before| before.missing >= kind.missing) {
                return Err("parts of rows with gaps that cannot be");
            }
            kinds.push(kind);
        }
        Ok(Self { kinds })
    }
}

impl From<IncompleteParts> for RawParts {
    fn from(parts: IncompleteParts) -> Self {
        let raw = |kind: PartKind| RawKind {
            missing: PackedCodes::new(kind.missing),
            seen: PackedCodes::new(kind.seen),
            states: PackedCodes::new(kind.states),
            weights: PackedNumbers::new(&kind.weights),
        };
        Self { kinds: parts.kinds.into_iter().map(raw).collect() }
    }
}
