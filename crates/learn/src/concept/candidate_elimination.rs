//! CANDIDATE-ELIMINATION: the version space by its two boundaries.
//!
//! Mitchell 1997, table 2.5; Mitchell 1982, *Generalization as search*. A positive example raises S as little as it can and strikes
//! out of G what does not cover it; a negative one lowers G as little as it can. In this language S is always one hypothesis.
//!
//! Two ways to the same boundaries:
//!
//! - [`CandidateElimination`] takes one example after another, as the book does. It is for traces and for answers that come one by
//!   one. An example that changes nothing is passed over after a look at S and G.
//! - [`boundaries`] takes all examples at once. The version space does not depend on their order, so S is found first, by one pass
//!   over the positive ones, and G is then never wider than S allows. Of the negative ones only what keeps them out of S matters, and
//!   many are the same in that.
//!
//! G can grow exponentially with the number of examples (Haussler 1988, *Quantifying inductive bias*): beyond a bound that the caller
//! gives it is an error that names the row.

use std::collections::HashSet;

use super::find_s::find_s_of;
use super::span::Span;
use super::{ConceptError, Examples, Hypothesis, HypothesisSpace};

/// The most constraints that the members of G may have together: a gigabyte of them.
const MOST_CONSTRAINTS: usize = 1 << 27;
/// The most members that one example may narrow G to before those below others are struck out.
const MOST_NARROWED: usize = 1 << 24;

/// A member of G with another constraint on one attribute, or what covers nothing if no constraint is left.
struct Narrowed {
    parent: usize,
    change: Option<(usize, Span)>,
    level: i64,
}

/// The boundaries S and G, made narrower by one example after another.
#[derive(Clone, Debug)]
pub struct CandidateElimination<'s> {
    space: &'s HypothesisSpace,
    specific: Hypothesis,
    /// In order, each once.
    general: Vec<Hypothesis>,
    max_boundary: usize,
}

impl<'s> CandidateElimination<'s> {
    /// Before any example: S is ⟨∅, …, ∅⟩ and G is ⟨?, …, ?⟩.
    pub fn new(space: &'s HypothesisSpace, max_boundary: usize) -> Self {
        Self { space, specific: Hypothesis::Nothing, general: vec![space.most_general()], max_boundary }
    }

    /// From boundaries that were found before.
    pub(crate) fn resume(space: &'s HypothesisSpace, specific: Hypothesis, general: Vec<Hypothesis>, max_boundary: usize) -> Self {
        Self { space, specific, general, max_boundary }
    }

    /// The specific boundary S.
    pub fn specific(&self) -> &Hypothesis {
        &self.specific
    }

    /// The general boundary G.
    pub fn general(&self) -> &[Hypothesis] {
        &self.general
    }

    pub(crate) fn into_boundaries(self) -> (Hypothesis, Vec<Hypothesis>) {
        (self.specific, self.general)
    }

    /// Takes an example; `row` is what it is called in an error. Whether a boundary moved comes back.
    ///
    /// # Errors
    /// When no hypothesis is left, and when G grows beyond its bound. The boundaries then stay as they were.
    pub fn observe(&mut self, instance: &[u32], positive: bool, row: u64) -> Result<bool, ConceptError> {
        if positive { self.observe_positive(instance, row) } else { self.observe_negative(instance, row) }
    }

    fn observe_positive(&mut self, instance: &[u32], row: u64) -> Result<bool, ConceptError> {
        // What S covers, all of G covers.
        if self.specific.covers(instance) {
            return Ok(false);
        }
        let specific = self.space.generalise(&self.specific, instance);
        if !self.general.iter().any(|g| g.covers(instance)) {
            return Err(ConceptError::Collapsed { row, positive: true, earlier: None, specific: self.space.written(&specific) });
        }
        self.specific = specific;
        self.general.retain(|g| g.covers(instance));
        Ok(true)
    }

    fn observe_negative(&mut self, instance: &[u32], row: u64) -> Result<bool, ConceptError> {
        if !self.general.iter().any(|g| g.covers(instance)) {
            return Ok(false);
        }
        if self.specific.covers(instance) {
            let specific = self.space.written(&self.specific);
            return Err(ConceptError::Collapsed { row, positive: false, earlier: None, specific });
        }
        let (split, kept): (Vec<&Hypothesis>, Vec<&Hypothesis>) = self.general.iter().partition(|g| g.covers(instance));
        let most = self.max_boundary.min(MOST_CONSTRAINTS / self.space.attributes().len()).max(1);
        let too_large = ConceptError::BoundaryTooLarge { most, row };
        let Some(mut narrower) = self.narrower(&split, &kept, instance) else { return Err(too_large) };
        // Those of one parent are all kept.
        if split.len() == 1 && kept.len() + narrower.len() > most {
            return Err(too_large);
        }
        // The more general first: what comes later lies below what is kept, or beside it, and what is kept stays. None of those that
        // did not cover the instance lies below a new one, for then it would have lain below the one that was narrowed.
        narrower.sort_by_key(|h| std::cmp::Reverse(h.level));
        let mut new: Vec<(usize, Hypothesis, Vec<u32>)> = Vec::new();
        for Narrowed { parent, change, .. } in narrower {
            let Some(((at, span), spans)) = change.zip(split[parent].spans()) else {
                // What covers nothing lies below all others.
                if kept.is_empty() && new.is_empty() {
                    new.push((parent, Hypothesis::Nothing, Vec::new()));
                }
                continue;
            };
            let inner = |place: usize| if place == at { span } else { spans[place] };
            // Of two with one parent neither lies below the other.
            let lies_below = |(other, outer, narrow): &(usize, Hypothesis, Vec<u32>)| {
                let includes = |outer: &[Span]| narrow.iter().all(|place| outer[*place as usize].includes(inner(*place as usize)));
                *other != parent && outer.spans().is_some_and(includes)
            };
            if new.iter().rev().any(lies_below) {
                continue;
            }
            if kept.len() + new.len() == most {
                return Err(too_large);
            }
            let mut spans: Box<[Span]> = spans.into();
            spans[at] = span;
            let narrow = self.space.narrow(&spans);
            new.push((parent, Hypothesis::Conjunction(spans), narrow));
        }
        let mut kept: Vec<Hypothesis> = kept.into_iter().cloned().chain(new.into_iter().map(|(_, h, _)| h)).collect();
        kept.sort();
        self.general = kept;
        Ok(true)
    }

    /// What members of G that cover an instance are narrowed to, less what lies below members that do not cover it. `None` if that is
    /// too much to hold.
    fn narrower(&self, split: &[&Hypothesis], kept: &[&Hypothesis], instance: &[u32]) -> Option<Vec<Narrowed>> {
        let kept: Vec<(&[Span], Vec<u32>)> = kept.iter().filter_map(|h| h.spans()).map(|spans| (spans, self.space.narrow(spans))).collect();
        let mut found = Vec::new();
        for (parent, g) in split.iter().enumerate() {
            let Some(spans) = g.spans() else { continue };
            // None of G lies below another. One that is more general on all attributes but one can hold what is narrower there.
            let but_one = |(outer, narrow): &(&[Span], Vec<u32>)| {
                let mut apart = narrow.iter().map(|place| *place as usize).filter(|at| !outer[*at].includes(spans[*at]));
                let first = apart.next()?;
                apart.next().is_none().then(|| (first, outer[first]))
            };
            let mut holding: Vec<(usize, Span)> = kept.iter().filter_map(but_one).collect();
            holding.sort_unstable();
            let level = g.level();
            let width = |span: Span| i64::from(span.last - span.first);
            let mut is_narrowed = false;
            for (at, span) in self.space.specialisations(spans, instance, &self.specific) {
                is_narrowed = true;
                let holding = &holding[holding.partition_point(|(place, _)| *place < at)..];
                if !holding.iter().take_while(|(place, _)| *place == at).any(|(_, outer)| outer.includes(span)) {
                    found.push(Narrowed { parent, change: Some((at, span)), level: level - width(spans[at]) + width(span) });
                }
            }
            if !is_narrowed && self.specific == Hypothesis::Nothing {
                found.push(Narrowed { parent, change: None, level: -1 });
            }
            if found.len() > MOST_NARROWED {
                return None;
            }
        }
        Some(found)
    }
}

/// The boundaries S and G of all examples at once.
///
/// **Complexity**: two passes, rows × attributes, and then the distinct negative examples × |G| × attributes.
///
/// # Errors
/// When the examples leave no hypothesis: the row at which that happens, in their order, is named. When G grows beyond `max_boundary`.
pub fn boundaries(
    space: &HypothesisSpace,
    examples: &Examples,
    max_boundary: usize,
) -> Result<(Hypothesis, Vec<Hypothesis>), ConceptError> {
    let specific = find_s_of(space, examples.instances(true));
    if examples.instances(false).any(|instance| specific.covers(instance)) {
        return Err(collapse(space, examples));
    }
    let mut candidates = CandidateElimination::new(space, max_boundary);
    candidates.specific = specific;
    for at in near_misses(space, &candidates.specific, examples) {
        let example = examples.get(at);
        candidates.observe_negative(example.instance, example.row)?;
    }
    Ok(candidates.into_boundaries())
}

/// Negative examples, one of each kind: those that can be kept out in the fewest ways first, so that G grows late.
fn near_misses(space: &HypothesisSpace, specific: &Hypothesis, examples: &Examples) -> Vec<usize> {
    let attributes = space.attributes();
    // Where S is `?` already no constraint keeps anything out.
    let open: Vec<usize> = match specific {
        Hypothesis::Nothing => (0..attributes.len()).collect(),
        Hypothesis::Conjunction(spans) => (0..attributes.len()).filter(|at| spans[*at] != attributes[*at].anything()).collect(),
    };
    let way_out = |at: usize, place: u32| match specific.spans() {
        None => Some(Span::of(place)),
        Some(spans) if spans[at].covers(place) => None,
        Some(spans) => attributes[at].specialisations(attributes[at].anything(), place, Some(spans[at])).pop(),
    };
    // The way out of each place is found once, and not for each example.
    let ways: Vec<Option<Vec<Option<Span>>>> = open
        .iter()
        .map(|at| {
            let n = attributes[*at].n_places();
            (n <= 1 << 16).then(|| (0..n).map(|place| way_out(*at, place)).collect())
        })
        .collect();
    let mut seen: HashSet<Box<[Option<Span>]>> = HashSet::new();
    let mut found: Vec<(usize, usize)> = Vec::new();
    let mut key: Vec<Option<Span>> = Vec::with_capacity(open.len());
    for (row, example) in examples.iter().enumerate().filter(|(_, example)| !example.positive) {
        key.clear();
        key.extend(open.iter().zip(&ways).map(|(at, ways)| {
            let place = example.instance[*at];
            ways.as_ref().map_or_else(|| way_out(*at, place), |ways| ways[place as usize])
        }));
        if !seen.contains(key.as_slice()) {
            seen.insert(key.as_slice().into());
            found.push((key.iter().flatten().count(), row));
        }
    }
    found.sort_unstable();
    found.into_iter().map(|(_, row)| row).collect()
}

/// Which example, in their order, leaves no hypothesis, and what it contradicts.
fn collapse(space: &HypothesisSpace, examples: &Examples) -> ConceptError {
    if let Some(contradiction) = examples.contradiction() {
        return first_of(contradiction, space, examples);
    }
    named(space, examples, first_inconsistent(space, examples))
}

/// The space may be empty before two examples contradict each other plainly.
fn first_of(contradiction: ConceptError, space: &HypothesisSpace, examples: &Examples) -> ConceptError {
    let at = first_inconsistent(space, examples);
    match contradiction {
        ConceptError::Contradiction { row, .. } if row == examples.get(at).row => contradiction,
        _ => named(space, examples, at),
    }
}

fn named(space: &HypothesisSpace, examples: &Examples, at: usize) -> ConceptError {
    let example = examples.get(at);
    let before = |positive: bool| examples.iter().take(at + 1).filter(move |e| e.positive == positive);
    let specific = find_s_of(space, before(true).map(|e| e.instance));
    let earlier = if example.positive { before(false).find(|e| specific.covers(e.instance)).map(|e| e.row) } else { None };
    ConceptError::Collapsed { row: example.row, positive: example.positive, earlier, specific: space.written(&specific) }
}

/// The first example with which, after those before it, no hypothesis agrees; there must be one. What is inconsistent stays so: it is
/// found by halving.
fn first_inconsistent(space: &HypothesisSpace, examples: &Examples) -> usize {
    let is_consistent = |n: usize| {
        let least = find_s_of(space, examples.iter().take(n).filter(|e| e.positive).map(|e| e.instance));
        !examples.iter().take(n).any(|e| !e.positive && least.covers(e.instance))
    };
    let (mut consistent, mut inconsistent) = (0, examples.len());
    while inconsistent - consistent > 1 {
        let middle = consistent.midpoint(inconsistent);
        if is_consistent(middle) { consistent = middle } else { inconsistent = middle }
    }
    inconsistent - 1
}
