//! What rows with gaps say: the families that a row has whole are counted, and of the rest the parts that are to be inferred are kept, each
//! once with how often it was met.
//!
//! What was seen in a row cuts what is missing into parts (see [`super::part_plan`]), and a part says the same wherever its own neighbours were
//! seen in the same states, in whatever row. Whole rows hardly ever repeat; parts do. They depend on no probability, so that they are found once
//! and every step of EM goes over them alone. Rows without gaps cost what counting costs.

use super::families::Families;
use super::family_counts::FamilyCounts;
use super::part_plan::{PartPlan, Room, TooLarge, stride};
use super::posterior::Parameters;
use crate::domain::Domain;
use crate::error::NetError;
use belief::{Chunk, Code, Column, CompensatedSum, Recode, Recoding, ShapeMismatch, SufficientStatistic, for_codes};
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

/// So many parts are inferred together; beyond that every piece takes as long as adding up its cells.
const PIECE: usize = 1024;
/// A plan is kept if so many parts use it, or it is small; else it is made again each time it is needed.
const OFTEN: usize = 4;
const SMALL_PLAN: usize = 2048;

/// What of a graph decides which missing variables hang together.
#[derive(Clone, Debug)]
pub struct Wiring {
    families: Arc<Families>,
    n_words: usize,
    /// For each variable, a row of bits: those that are in a family with it.
    beside: Vec<u64>,
    /// The families that each variable is in, ascending.
    touched: Vec<Vec<u32>>,
    /// Entries that the tables of a part may have.
    max_entries: usize,
}

impl Wiring {
    /// The wiring of families; `max_entries` bounds the tables that inference of one part may need.
    pub fn new(families: Arc<Families>, max_entries: usize) -> Self {
        let n = families.len();
        let n_words = n.div_ceil(64);
        let (mut beside, mut touched) = (vec![0_u64; n * n_words], vec![Vec::new(); n]);
        for of in 0..n {
            for a in families.scope(of) {
                touched[a].push(of as u32);
                families.scope(of).for_each(|b| beside[a * n_words + b / 64] |= 1 << (b % 64));
            }
        }
        Self { families, n_words, beside, touched, max_entries }
    }

    /// The families.
    pub fn families(&self) -> &Arc<Families> {
        &self.families
    }

    /// Entries that the tables of a part may have.
    pub fn max_entries(&self) -> usize {
        self.max_entries
    }

    /// Grows a part from one of its variables, taking them out of what is missing.
    fn grow(&self, from: usize, missing: &mut [u64], part: &mut [u64]) {
        let mut waiting = vec![from];
        missing[from / 64] &= !(1 << (from % 64));
        while let Some(variable) = waiting.pop() {
            part[variable / 64] |= 1 << (variable % 64);
            let beside = &self.beside[variable * self.n_words..][..self.n_words];
            for (word, (beside, missing)) in beside.iter().zip(missing.iter_mut()).enumerate() {
                let mut more = beside & *missing;
                *missing &= !more;
                while more != 0 {
                    waiting.push(word * 64 + more.trailing_zeros() as usize);
                    more &= more - 1;
                }
            }
        }
    }
}

/// The parts that have the same variables missing.
#[derive(Clone, Debug)]
struct Alike {
    missing: Vec<u32>,
    touched: Vec<u32>,
    plan: Option<PartPlan>,
    /// For each part, the cell that each family begins at.
    bases: Vec<u32>,
    weights: Vec<f64>,
    /// The first row that each was met in.
    rows: Vec<u64>,
}

/// A variable of a family that was seen: which of the part's families, and how far a step of the variable goes in its table.
struct Seen {
    place: usize,
    variable: usize,
    stride: u32,
}

/// The parts of a chunk of rows.
#[derive(Clone, Debug, Default)]
struct Parts {
    alike: Vec<Alike>,
    /// How many parts come before those of each kind.
    starts: Vec<usize>,
    n_parts: usize,
    /// Weight of the rows they are of.
    weight: f64,
}

/// What is expected of the gaps.
#[derive(Clone, Debug, PartialEq)]
pub struct Expected {
    /// How often each cell is expected in families with gaps, in the families' layout.
    pub cells: Vec<f64>,
    /// Σ ln P(what was seen of the parts); the families that were seen whole are not in it.
    ln_parts: CompensatedSum,
    /// The first row that is impossible, from 0.
    first_impossible: Option<u64>,
    /// Missing variables that hang together and need too large a table, with its entries.
    too_large: Option<(Vec<u32>, f64)>,
}

impl Expected {
    /// Nothing.
    pub fn none(families: &Families) -> Self {
        Self { cells: vec![0.0; families.n_cells()], ln_parts: CompensatedSum::default(), first_impossible: None, too_large: None }
    }

    /// Σ ln P(what was seen of the parts); −∞ when a row is impossible.
    pub fn ln_parts(&self) -> f64 {
        if self.first_impossible.is_some() { f64::NEG_INFINITY } else { self.ln_parts.value() }
    }

    /// The first row that is impossible, from 0.
    pub fn first_impossible(&self) -> Option<u64> {
        self.first_impossible
    }

    /// Whether all gaps could be inferred.
    ///
    /// # Errors
    /// When missing variables that hang together need a table beyond the bound.
    pub fn check(&self, domain: &Domain, limit: usize) -> Result<(), NetError> {
        let Some((missing, entries)) = &self.too_large else { return Ok(()) };
        let names = missing.iter().filter_map(|variable| domain.names().get(*variable as usize).cloned());
        Err(NetError::TooLarge { variables: names.collect(), entries: *entries, limit })
    }

    pub(super) fn add(&mut self, other: &Self) {
        self.cells.iter_mut().zip(&other.cells).for_each(|(mine, theirs)| *mine += theirs);
        self.ln_parts.merge(&other.ln_parts);
        if self.too_large.is_none() {
            self.too_large.clone_from(&other.too_large);
        }
        self.first_impossible = match (self.first_impossible, other.first_impossible) {
            (Some(mine), Some(theirs)) => Some(mine.min(theirs)),
            (mine, theirs) => mine.or(theirs),
        };
    }
}

/// The statistic of rows with gaps.
#[derive(Clone, Debug)]
pub struct IncompleteRows {
    wiring: Arc<Wiring>,
    observed: FamilyCounts,
    /// The parts of chunks, those of one reading unit together: sums go by the same tree whether they are held or read again.
    groups: Vec<Vec<Arc<Parts>>>,
    /// Weight of the rows that have a gap.
    n_incomplete: f64,
    n_bytes: usize,
    max_bytes: usize,
}

/// Some parts that are inferred together.
pub struct Piece<'p> {
    wiring: &'p Wiring,
    parts: &'p Parts,
    range: Range<usize>,
}

impl IncompleteRows {
    /// Nothing seen. When the parts take more than `max_bytes`, they are given up: [`Self::is_held`] is then false, the counts of whole
    /// families stay right, and expectations are made by reading the rows again ([`ExpectedRows`]).
    pub fn empty(wiring: Arc<Wiring>, max_bytes: usize) -> Self {
        let observed = FamilyCounts::empty(Arc::clone(&wiring.families));
        Self { wiring, observed, groups: vec![Vec::new()], n_incomplete: 0.0, n_bytes: 0, max_bytes }
    }

    /// The counts of families that rows have whole.
    pub fn observed(&self) -> &FamilyCounts {
        &self.observed
    }

    /// The weight of the rows that have a gap in a variable of the network.
    pub fn n_incomplete(&self) -> f64 {
        self.n_incomplete
    }

    /// How many different parts there are to be inferred, chunk by chunk.
    pub fn n_parts(&self) -> usize {
        self.groups.iter().flatten().map(|parts| parts.n_parts).sum()
    }

    /// Whether all parts are in memory.
    pub fn is_held(&self) -> bool {
        self.n_bytes <= self.max_bytes
    }

    /// What is expected of the gaps. `work` makes something of every piece and gives what it made in the pieces' order, on as many threads
    /// as it likes: the sum does not depend on them.
    pub fn expected(
        &self,
        parameters: &Parameters,
        work: impl Fn(&[Piece<'_>], &(dyn Fn(&Piece<'_>) -> Expected + Sync)) -> Vec<Expected>,
    ) -> Expected {
        let mut total = Expected::none(&self.wiring.families);
        for group in &self.groups {
            let mut of_group = Expected::none(&self.wiring.families);
            for parts in group {
                let pieces = parts.pieces(&self.wiring);
                let made = work(&pieces, &|piece: &Piece<'_>| piece.expect(parameters));
                of_group.add(&sum_of(&self.wiring.families, made.iter()));
            }
            total.add(&of_group);
        }
        total
    }

    /// The weight of the rows with gaps of each batch, a chunk of rows that has some; none where parts were given up.
    pub fn batches(&self) -> Vec<f64> {
        self.groups.iter().flatten().map(|parts| parts.weight).collect()
    }

    /// What is expected of the gaps of one batch, made as [`Self::expected`] makes all; nothing where there is no such batch.
    pub fn expected_of_batch(
        &self,
        batch: usize,
        parameters: &Parameters,
        work: impl Fn(&[Piece<'_>], &(dyn Fn(&Piece<'_>) -> Expected + Sync)) -> Vec<Expected>,
    ) -> Expected {
        let Some(parts) = self.groups.iter().flatten().nth(batch) else { return Expected::none(&self.wiring.families) };
        let made = work(&parts.pieces(&self.wiring), &|piece: &Piece<'_>| piece.expect(parameters));
        sum_of(&self.wiring.families, made.iter())
    }

    /// What is expected of all gaps, made on this thread.
    pub fn expected_here(&self, parameters: &Parameters) -> Expected {
        self.expected(parameters, |pieces, make| pieces.iter().map(make).collect())
    }
}

fn sum_of<'e>(families: &Families, pieces: impl Iterator<Item = &'e Expected>) -> Expected {
    let mut sum = Expected::none(families);
    pieces.for_each(|piece| sum.add(piece));
    sum
}

impl Parts {
    /// Cuts the parts into pieces that depend on nothing but the parts.
    fn pieces<'p>(&'p self, wiring: &'p Wiring) -> Vec<Piece<'p>> {
        let size = PIECE.max(wiring.families.n_cells() / 8);
        let starts = (0..self.n_parts).step_by(size);
        starts.map(|start| Piece { wiring, parts: self, range: start..self.n_parts.min(start + size) }).collect()
    }

    /// The parts of a chunk, and the weight of the rows that have any.
    fn of(chunk: &Chunk<'_>, wiring: &Wiring) -> (Self, f64) {
        let (n, n_words) = (wiring.families.len(), wiring.n_words);
        if !(0..n).any(|variable| has_gap(chunk, variable, wiring.families.n_states()[variable])) {
            return (Self::default(), 0.0);
        }
        let mut missing = vec![0_u64; chunk.n_rows * n_words];
        for variable in 0..n {
            let (word, bit) = (variable / 64, 1_u64 << (variable % 64));
            match chunk.columns.get(variable) {
                Some(Column::Categorical { codes, .. }) => {
                    let n_states = wiring.families.n_states()[variable];
                    for_codes!(*codes, codes => mark_missing(&mut missing[word..], n_words, codes, n_states, bit));
                }
                _ => missing[word..].iter_mut().step_by(n_words).for_each(|bits| *bits |= bit),
            }
        }
        let mut kinds: HashMap<Vec<u64>, usize> = HashMap::new();
        let mut found: Vec<(Alike, Vec<Seen>)> = Vec::new();
        let mut part = vec![0_u64; n_words];
        let mut n_incomplete = 0.0;
        for (row, missing) in missing.chunks_exact_mut(n_words.max(1)).enumerate() {
            let weight = chunk.weights.map_or(1.0, |weights| weights[row]);
            if weight == 0.0 || missing.iter().all(|bits| *bits == 0) {
                continue;
            }
            n_incomplete += weight;
            for word in 0..n_words {
                while missing[word] != 0 {
                    part.fill(0);
                    wiring.grow(word * 64 + missing[word].trailing_zeros() as usize, missing, &mut part);
                    let kind = match kinds.get(&part) {
                        Some(kind) => *kind,
                        None => {
                            found.push(Alike::new(&part, wiring));
                            kinds.insert(part.clone(), found.len() - 1);
                            found.len() - 1
                        }
                    };
                    let (alike, seen) = &mut found[kind];
                    alike.push(seen, chunk, row, weight);
                }
            }
        }
        let mut parts = Self { weight: n_incomplete, ..Self::default() };
        for (mut alike, _) in found {
            alike.keep_each_once();
            if alike.weights.len() >= OFTEN || alike.touched.len() <= 8 {
                // What is too large is told when it is needed.
                let plan = PartPlan::new(&wiring.families, &alike.missing, &alike.touched, wiring.max_entries).ok();
                alike.plan = plan.filter(|plan| alike.weights.len() >= OFTEN || plan.bytes() <= SMALL_PLAN);
            }
            parts.starts.push(parts.n_parts);
            parts.n_parts += alike.weights.len();
            parts.alike.push(alike);
        }
        (parts, n_incomplete)
    }

    fn bytes(&self) -> usize {
        let of = |alike: &Alike| {
            let lists = (alike.missing.len() + alike.touched.len() + alike.bases.len()) * 4 + alike.weights.len() * 16;
            lists + alike.plan.as_ref().map_or(0, PartPlan::bytes) + 160
        };
        self.alike.iter().map(of).sum()
    }
}

fn has_gap(chunk: &Chunk<'_>, variable: usize, n_states: usize) -> bool {
    match chunk.columns.get(variable) {
        Some(Column::Categorical { codes, .. }) => {
            for_codes!(*codes, codes => codes.iter().filter(|code| code.place(n_states) == n_states).count() > 0)
        }
        _ => chunk.n_rows > 0,
    }
}

fn mark_missing<C: Code>(missing: &mut [u64], n_words: usize, codes: &[C], n_states: usize, bit: u64) {
    for (bits, code) in missing.iter_mut().step_by(n_words).zip(codes) {
        *bits |= if code.place(n_states) == n_states { bit } else { 0 };
    }
}

impl Alike {
    /// No part yet of the kind that has these variables missing; and which seen variables each family has, with their steps in its table.
    fn new(part: &[u64], wiring: &Wiring) -> (Self, Vec<Seen>) {
        let has = |variable: usize| part[variable / 64] >> (variable % 64) & 1 == 1;
        let missing: Vec<u32> = (0..wiring.families.len()).filter(|variable| has(*variable)).map(|variable| variable as u32).collect();
        let mut touched: Vec<u32> = missing.iter().flat_map(|variable| wiring.touched[*variable as usize].iter().copied()).collect();
        touched.sort_unstable();
        touched.dedup();
        let mut seen = Vec::new();
        for (place, family) in touched.iter().enumerate() {
            let family = *family as usize;
            for variable in wiring.families.scope(family).filter(|variable| !has(*variable)) {
                seen.push(Seen { place, variable, stride: stride(&wiring.families, family, variable) as u32 });
            }
        }
        let alike = Self { missing, touched, plan: None, bases: Vec::new(), weights: Vec::new(), rows: Vec::new() };
        (alike.beginning(wiring), seen)
    }

    /// The first cells of the families stand before the parts, to be added to.
    fn beginning(mut self, wiring: &Wiring) -> Self {
        self.bases = self.touched.iter().map(|family| wiring.families.cells(*family as usize).start as u32).collect();
        self
    }

    fn push(&mut self, seen: &[Seen], chunk: &Chunk<'_>, row: usize, weight: f64) {
        let (n, begin) = (self.touched.len(), self.bases.len());
        self.bases.extend_from_within(..n);
        for Seen { place, variable, stride } in seen {
            if let Column::Categorical { codes, .. } = chunk.columns[*variable] {
                // What was seen is not missing.
                self.bases[begin + place] += stride * codes.get(row).unwrap_or(0) as u32;
            }
        }
        self.weights.push(weight);
        self.rows.push(chunk.first_row + row as u64);
    }

    /// Sorts the parts, and adds up the weights of those that are the same.
    fn keep_each_once(&mut self) {
        let n = self.touched.len();
        let of = |place: u32| &self.bases[(place as usize + 1) * n..][..n];
        let mut order: Vec<u32> = (0..self.weights.len() as u32).collect();
        order.sort_by(|a, b| of(*a).cmp(of(*b)));
        let (mut bases, mut weights, mut rows): (Vec<u32>, Vec<f64>, Vec<u64>) = (Vec::new(), Vec::new(), Vec::new());
        for place in order {
            let (weight, row) = (self.weights[place as usize], self.rows[place as usize]);
            if bases.len() >= n && &bases[bases.len() - n..] == of(place) {
                // Equal ones come in the order of their rows.
                *weights.last_mut().unwrap_or(&mut 0.0) += weight;
                continue;
            }
            bases.extend_from_slice(of(place));
            weights.push(weight);
            rows.push(row);
        }
        (self.bases, self.weights, self.rows) = (bases, weights, rows);
    }
}

impl Piece<'_> {
    /// What is expected of the parts of this piece.
    fn expect(&self, parameters: &Parameters) -> Expected {
        let mut expected = Expected::none(&self.wiring.families);
        let mut room = Room::default();
        let mut place = self.range.start;
        while place < self.range.end {
            let kind = self.parts.starts.partition_point(|start| *start <= place) - 1;
            let alike = &self.parts.alike[kind];
            let start = self.parts.starts[kind];
            let end = self.range.end.min(start + alike.weights.len());
            let made = match alike.plan {
                Some(_) => None,
                None => match PartPlan::new(&self.wiring.families, &alike.missing, &alike.touched, self.wiring.max_entries) {
                    Ok(plan) => Some(plan),
                    Err(TooLarge { entries }) => {
                        expected.too_large = Some((alike.missing.clone(), entries));
                        break;
                    }
                },
            };
            let Some(plan) = alike.plan.as_ref().or(made.as_ref()) else { break };
            let n = alike.touched.len();
            for part in place - start..end - start {
                let bases = &alike.bases[part * n..][..n];
                match plan.expect(parameters.theta(), bases, alike.weights[part], &mut room, &mut expected.cells) {
                    Some(ln) => expected.ln_parts.add(alike.weights[part] * ln),
                    None => {
                        let row = alike.rows[part];
                        expected.first_impossible = Some(expected.first_impossible.map_or(row, |first| first.min(row)));
                    }
                }
            }
            place = end;
        }
        expected
    }
}

impl SufficientStatistic for IncompleteRows {
    type Columns<'a> = Chunk<'a>;

    fn observe(&mut self, chunk: Chunk<'_>) -> Result<(), ShapeMismatch> {
        self.observed.observe(chunk)?;
        let (parts, n_incomplete) = Parts::of(&chunk, &self.wiring);
        self.n_incomplete += n_incomplete;
        if parts.n_parts > 0 {
            self.n_bytes = self.n_bytes.saturating_add(parts.bytes());
            self.groups[0].push(Arc::new(parts));
        }
        self.give_up_beyond_bound();
        Ok(())
    }

    fn merge(&mut self, other: &Self) -> Result<(), ShapeMismatch> {
        self.observed.merge(&other.observed)?;
        self.n_incomplete += other.n_incomplete;
        self.groups.extend(other.groups.iter().filter(|group| !group.is_empty()).cloned());
        self.n_bytes = self.n_bytes.saturating_add(other.n_bytes);
        self.give_up_beyond_bound();
        Ok(())
    }
}

impl IncompleteRows {
    fn give_up_beyond_bound(&mut self) {
        if !self.is_held() {
            self.groups = vec![Vec::new()];
            self.n_bytes = usize::MAX;
        }
    }
}

/// The states of rows with gaps are settled before they are looked at.
impl Recode for IncompleteRows {
    fn recode(&mut self, recoding: &Recoding) -> Result<(), ShapeMismatch> {
        settled(recoding)
    }
}

fn settled(recoding: &Recoding) -> Result<(), ShapeMismatch> {
    if recoding.is_identity() { Ok(()) } else { Err(ShapeMismatch { what: "states that are settled", expected: 0, found: 1 }) }
}

/// What is expected of the gaps of rows that are read again: for rows whose parts have no place in memory. The same numbers, bit for bit.
#[derive(Clone, Debug)]
pub struct ExpectedRows<'p> {
    wiring: &'p Wiring,
    parameters: &'p Parameters,
    expected: Expected,
}

impl<'p> ExpectedRows<'p> {
    /// Nothing seen.
    pub fn empty(wiring: &'p Wiring, parameters: &'p Parameters) -> Self {
        Self { wiring, parameters, expected: Expected::none(&wiring.families) }
    }

    /// What is expected.
    pub fn into_expected(self) -> Expected {
        self.expected
    }
}

impl SufficientStatistic for ExpectedRows<'_> {
    type Columns<'a> = Chunk<'a>;

    fn observe(&mut self, chunk: Chunk<'_>) -> Result<(), ShapeMismatch> {
        let (parts, _) = Parts::of(&chunk, self.wiring);
        if parts.n_parts > 0 {
            let made: Vec<Expected> = parts.pieces(self.wiring).iter().map(|piece| piece.expect(self.parameters)).collect();
            self.expected.add(&sum_of(&self.wiring.families, made.iter()));
        }
        Ok(())
    }

    fn merge(&mut self, other: &Self) -> Result<(), ShapeMismatch> {
        ShapeMismatch::check("cells of families", self.expected.cells.len(), other.expected.cells.len())?;
        self.expected.add(&other.expected);
        Ok(())
    }
}

impl Recode for ExpectedRows<'_> {
    fn recode(&mut self, recoding: &Recoding) -> Result<(), ShapeMismatch> {
        settled(recoding)
    }
}
