//! The parts of a chunk of rows with gaps, each once with how often it was met, and how they are inferred.
//!
//! What was seen in a row cuts what is missing into parts (see [`super::part_plan`]), and a part says the same wherever its own neighbours were
//! seen in the same states, in whatever row. They depend on no probability, so that they are found once.

use super::expected::Expected;
use super::incomplete_parts::IncompleteParts;
use super::part_plan::{PartPlan, Room, TooLarge, stride};
use super::posterior::Parameters;
use super::wiring::Wiring;
use belief::{Chunk, Code, Column, Rng, for_codes};
use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

/// So many parts are inferred together; beyond that every piece takes as long as adding up its cells.
const PIECE: usize = 1024;
/// A plan is kept if so many parts use it, or it is small; else it is made again each time it is needed.
const OFTEN: usize = 4;
const SMALL_PLAN: usize = 2048;

/// The parts that have the same variables missing.
#[derive(Clone, Debug)]
pub(super) struct Alike {
    pub missing: Vec<u32>,
    touched: Vec<u32>,
    plan: Option<PartPlan>,
    /// For each part, the cell that each family begins at.
    bases: Vec<u32>,
    weights: Vec<f64>,
    /// The first row that each was met in; none where nobody knows any more.
    rows: Vec<u64>,
}

/// What is around missing variables that hang together: the families that have one of them, and the variables of those that were seen.
pub(super) struct Around {
    touched: Vec<u32>,
    /// The cell that each family begins at.
    starts: Vec<u32>,
    /// The variables that were seen, family by family.
    steps: Vec<Step>,
    /// For each variable that was seen, ascending, one of its steps.
    seen: Vec<Step>,
}

/// A variable of a family that was seen: which of the part's families, and how far a step of the variable goes in its table.
#[derive(Clone, Copy)]
struct Step {
    place: usize,
    variable: usize,
    stride: u32,
    n_states: u32,
}

/// The parts of a chunk of rows.
#[derive(Clone, Debug, Default)]
pub(super) struct Parts {
    pub alike: Vec<Alike>,
    /// How many parts come before those of each kind.
    starts: Vec<usize>,
    pub n_parts: usize,
    /// Weight of the rows they are of.
    pub weight: f64,
}

/// Some parts that are inferred together.
pub struct Piece<'p> {
    wiring: &'p Wiring,
    parts: &'p Parts,
    range: Range<usize>,
}

impl Parts {
    /// Cuts the parts into pieces that depend on nothing but the parts.
    pub fn pieces<'p>(&'p self, wiring: &'p Wiring) -> Vec<Piece<'p>> {
        let size = PIECE.max(wiring.families.n_cells() / 8);
        let starts = (0..self.n_parts).step_by(size);
        starts.map(|start| Piece { wiring, parts: self, range: start..self.n_parts.min(start + size) }).collect()
    }

    /// The parts of a chunk, and the weight of the rows that have any.
    pub fn of(chunk: &Chunk<'_>, wiring: &Wiring) -> (Self, f64) {
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
        let mut found: Vec<(Alike, Around)> = Vec::new();
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
                            let missing = variables_of(&part);
                            let around = Around::new(&missing, wiring);
                            found.push((Alike::new(missing, &around), around));
                            kinds.insert(part.clone(), found.len() - 1);
                            found.len() - 1
                        }
                    };
                    let (alike, around) = &mut found[kind];
                    alike.push(around, chunk, row, weight);
                }
            }
        }
        let mut parts = Self { weight: n_incomplete, ..Self::default() };
        for (mut alike, _) in found {
            alike.keep_each_once();
            parts.push(alike, wiring);
        }
        (parts, n_incomplete)
    }

    /// Parts that were kept; the weight of their rows is told, for a row may have several.
    pub fn of_kept(kept: &IncompleteParts, weight: f64, wiring: &Wiring) -> Self {
        let mut parts = Self { weight, ..Self::default() };
        for kind in kept.kinds() {
            let around = Around::new(&kind.missing, wiring);
            let mut alike = Alike::new(kind.missing.clone(), &around);
            (0..kind.weights.len()).for_each(|place| around.push_bases(kind.part(place), &mut alike.bases));
            alike.weights.clone_from(&kind.weights);
            parts.push(alike, wiring);
        }
        parts
    }

    /// Adds the parts of a kind, with how they are inferred where that is worth its room.
    fn push(&mut self, mut alike: Alike, wiring: &Wiring) {
        if alike.weights.len() >= OFTEN || alike.touched.len() <= 8 {
            // What is too large is told when it is needed.
            let plan = alike.plan_in(wiring).ok().map(Cow::into_owned);
            alike.plan = plan.filter(|plan| alike.weights.len() >= OFTEN || plan.bytes() <= SMALL_PLAN);
        }
        self.starts.push(self.n_parts);
        self.n_parts += alike.weights.len();
        self.alike.push(alike);
    }

    /// Draws what is missing of every part given tables, as often as it weighs, and adds what families are then to counts; whether nothing is
    /// impossible or too large.
    pub fn draw(&self, wiring: &Wiring, theta: &[f64], rng: &mut impl Rng, counts: &mut [f64]) -> bool {
        let mut room = Room::default();
        self.alike.iter().all(|alike| {
            let Ok(plan) = alike.plan_in(wiring) else { return false };
            let parts = alike.bases.chunks_exact(alike.touched.len().max(1)).zip(&alike.weights);
            parts.into_iter().all(|(bases, weight)| plan.draw(theta, (bases, *weight), &mut room, rng, counts))
        })
    }

    /// Numbers that are multiplied or counted to draw all parts once, nearly. Those of parts that are too large are not known.
    pub fn draw_work(&self, wiring: &Wiring) -> f64 {
        let of = |alike: &Alike| {
            let Ok(plan) = alike.plan_in(wiring) else { return 0.0 };
            let made = if alike.plan.is_none() { plan.making_work() } else { 0.0 };
            made + alike.weights.iter().map(|weight| plan.draw_work(*weight)).sum::<f64>()
        };
        self.alike.iter().map(of).sum()
    }

    pub fn bytes(&self) -> usize {
        let of = |alike: &Alike| {
            let lists = (alike.missing.len() + alike.touched.len() + alike.bases.len()) * 4 + alike.weights.len() * 16;
            lists + alike.plan.as_ref().map_or(0, PartPlan::bytes) + 160
        };
        self.alike.iter().map(of).sum()
    }
}

fn has_gap(chunk: &Chunk<'_>, variable: usize, n_states: usize) -> bool {
    match chunk.columns.get(variable) {
        Some(Column::Categorical { codes, .. }) => for_codes!(*codes, codes => Code::any_missing(codes, n_states)),
        _ => chunk.n_rows > 0,
    }
}

fn mark_missing<C: Code>(missing: &mut [u64], n_words: usize, codes: &[C], n_states: usize, bit: u64) {
    for (bits, code) in missing.iter_mut().step_by(n_words).zip(codes) {
        *bits |= if code.place(n_states) == n_states { bit } else { 0 };
    }
}

/// The variables whose bits are set.
fn variables_of(bits: &[u64]) -> Vec<u32> {
    (0..bits.len() * 64).filter(|variable| bits[variable / 64] >> (variable % 64) & 1 == 1).map(|variable| variable as u32).collect()
}

impl Around {
    /// What is around these variables, which ascend.
    pub fn new(missing: &[u32], wiring: &Wiring) -> Self {
        let families = &wiring.families;
        let mut touched: Vec<u32> = missing.iter().flat_map(|variable| wiring.touched[*variable as usize].iter().copied()).collect();
        touched.sort_unstable();
        touched.dedup();
        let mut steps = Vec::new();
        for (place, family) in touched.iter().enumerate() {
            let family = *family as usize;
            for variable in families.scope(family).filter(|variable| missing.binary_search(&(*variable as u32)).is_err()) {
                let n_states = families.n_states()[variable] as u32;
                steps.push(Step { place, variable, stride: stride(families, family, variable) as u32, n_states });
            }
        }
        let mut seen = steps.clone();
        seen.sort_by_key(|step: &Step| step.variable);
        seen.dedup_by_key(|step| step.variable);
        let starts = touched.iter().map(|family| families.cells(*family as usize).start as u32).collect();
        Self { touched, starts, steps, seen }
    }

    /// The variables that were seen, ascending.
    pub fn seen(&self) -> Vec<u32> {
        self.seen.iter().map(|step| step.variable as u32).collect()
    }

    /// Adds the states of those that were seen, of a part whose families begin at these cells.
    pub fn push_states(&self, bases: &[u32], states: &mut Vec<u32>) {
        states.extend(self.seen.iter().map(|step| (bases[step.place] - self.starts[step.place]) / step.stride % step.n_states));
    }

    /// Adds the cells that the families of a part begin at, given the states of those that were seen.
    fn push_bases(&self, states: &[u32], bases: &mut Vec<u32>) {
        let begin = bases.len();
        bases.extend_from_slice(&self.starts);
        for Step { place, variable, stride, .. } in &self.steps {
            let at = self.seen.partition_point(|step| step.variable < *variable);
            bases[begin + place] += stride * states[at];
        }
    }
}

impl Alike {
    /// No part yet of the kind that has these variables missing.
    fn new(missing: Vec<u32>, around: &Around) -> Self {
        Self { missing, touched: around.touched.clone(), plan: None, bases: Vec::new(), weights: Vec::new(), rows: Vec::new() }
    }

    fn push(&mut self, around: &Around, chunk: &Chunk<'_>, row: usize, weight: f64) {
        let begin = self.bases.len();
        self.bases.extend_from_slice(&around.starts);
        for Step { place, variable, stride, .. } in &around.steps {
            if let Column::Categorical { codes, .. } = chunk.columns[*variable] {
                // What was seen is not missing.
                self.bases[begin + place] += stride * codes.get(row).unwrap_or(0) as u32;
            }
        }
        self.weights.push(weight);
        self.rows.push(chunk.first_row + row as u64);
    }

    /// How its parts are inferred: as is kept, or made anew.
    fn plan_in(&self, wiring: &Wiring) -> Result<Cow<'_, PartPlan>, TooLarge> {
        match &self.plan {
            Some(plan) => Ok(Cow::Borrowed(plan)),
            None => PartPlan::new(&wiring.families, &self.missing, &self.touched, wiring.max_entries).map(Cow::Owned),
        }
    }

    /// Shows the cells that the families of each part begin at, with its weight.
    pub fn for_each_part(&self, mut see: impl FnMut(&[u32], f64)) {
        self.bases.chunks_exact(self.touched.len().max(1)).zip(&self.weights).for_each(|(bases, weight)| see(bases, *weight));
    }

    /// Sorts the parts, and adds up the weights of those that are the same.
    fn keep_each_once(&mut self) {
        let n = self.touched.len();
        let of = |place: u32| &self.bases[place as usize * n..][..n];
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
    pub(super) fn expect(&self, parameters: &Parameters) -> Expected {
        let mut expected = Expected::none(&self.wiring.families);
        let mut room = Room::default();
        let mut place = self.range.start;
        while place < self.range.end {
            let kind = self.parts.starts.partition_point(|start| *start <= place) - 1;
            let alike = &self.parts.alike[kind];
            let start = self.parts.starts[kind];
            let end = self.range.end.min(start + alike.weights.len());
            let plan = match alike.plan_in(self.wiring) {
                Ok(plan) => plan,
                Err(TooLarge { entries }) => {
                    expected.too_large = Some((alike.missing.clone(), entries));
                    break;
                }
            };
            let n = alike.touched.len();
            for part in place - start..end - start {
                let bases = &alike.bases[part * n..][..n];
                match plan.expect(parameters.theta(), bases, alike.weights[part], &mut room, &mut expected.cells) {
                    Some(ln) => expected.ln_parts.add(alike.weights[part] * ln),
                    None => {
                        expected.is_impossible = true;
                        expected.first_impossible = expected.first_impossible.into_iter().chain(alike.rows.get(part).copied()).min();
                    }
                }
            }
            place = end;
        }
        expected
    }
}
