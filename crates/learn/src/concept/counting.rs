//! How many hypotheses lie between the boundaries, without listing them.
//!
//! The version space is a union of boxes: for each g of G, all h with S ≤ h ≤ g. Attribute by attribute, constraints that the same
//! boxes allow are counted together, and what is left to count is remembered by the boxes that are left. Boxes that lie in others as
//! far as the attributes to come go are dropped, so that few different questions remain.
//!
//! In general this counting is #P-hard (it counts the solutions of a monotone formula; Valiant 1979), so there is a bound on the work.
//! Beyond it [`estimate`] draws members at random: the coverage algorithm of Karp, Luby & Madras 1989, *Monte-Carlo approximation
//! algorithms for enumeration problems*, whose relative error does not depend on how small the union is among all hypotheses.

use std::cell::Cell;
use std::collections::{BTreeMap, HashMap};

use belief::split_mix;
use num_bigint::BigUint;
use num_traits::ToPrimitive;

use super::attribute::{Attribute, Values};
use super::big_number::product;
use super::span::Span;
use super::{Hypothesis, HypothesisSpace};

/// How many hypotheses there are, and how that was found.
#[derive(Clone, Debug, PartialEq)]
pub enum Size {
    /// Counted.
    Exact(BigUint),
    /// Estimated from members drawn at random.
    Estimate(Estimate),
}

/// An estimate of a number of hypotheses.
#[derive(Clone, Debug, PartialEq)]
pub struct Estimate {
    /// The estimate.
    pub n: BigUint,
    /// Its standard error by itself.
    pub relative_error: f64,
    /// There are surely so many: those below one g.
    pub at_least: BigUint,
    /// There are surely no more: those below each g, counted as if they had none in common.
    pub at_most: BigUint,
    /// How many members were drawn.
    pub n_draws: usize,
}

impl Size {
    /// The number, counted or estimated.
    pub fn n(&self) -> &BigUint {
        match self {
            Size::Exact(n) => n,
            Size::Estimate(estimate) => &estimate.n,
        }
    }
}

/// Steps of work that exact counting may take: comparisons of two boxes on one attribute, and words of long numbers.
pub const MOST_WORK: u64 = 30_000_000;

/// The hypotheses h with `specific` ≤ h ≤ g for one g of `general` at least, if counting them takes no more than `most_work` steps.
pub fn count_between(space: &HypothesisSpace, specific: &Hypothesis, general: &[Hypothesis], most_work: u64) -> Option<BigUint> {
    let boxes: Vec<&[Span]> = general.iter().filter_map(Hypothesis::spans).collect();
    // The hypothesis that covers nothing is below every g.
    let nothing = u32::from(*specific == Hypothesis::Nothing && !general.is_empty());
    if boxes.is_empty() {
        return Some(nothing.into());
    }
    let mut counter = Counter {
        attributes: space.attributes(),
        lower: specific.spans(),
        boxes: &boxes,
        narrow: Vec::with_capacity(boxes.len()),
        known: HashMap::new(),
        work: most_work,
    };
    for spans in &boxes {
        counter.charge(spans.len())?;
        counter.narrow.push(space.narrow(spans));
    }
    let all: Vec<u32> = (0..boxes.len() as u32).collect();
    Some(counter.count(all)? + nothing)
}

struct Counter<'c> {
    attributes: &'c [Attribute],
    lower: Option<&'c [Span]>,
    boxes: &'c [&'c [Span]],
    /// Of each box the attributes on which it is not `?`: only there can another one lie outside of it.
    narrow: Vec<Vec<u32>>,
    known: HashMap<Left, BigUint>,
    work: u64,
}

/// What is left to count: the attributes from one on, and the boxes that allow what was chosen before.
type Left = (usize, Vec<u32>);

/// A sum over the kinds of constraints of one attribute that is being counted.
struct Sum {
    of: Left,
    /// Kinds that were not counted yet, and how many constraints are of each.
    kinds: Vec<(Vec<u32>, u64)>,
    /// How many constraints are of the kind that is being counted.
    times: u64,
    /// The ways to constrain the attributes just before, on which all boxes agree.
    factor: BigUint,
    sum: BigUint,
}

impl Counter<'_> {
    fn charge(&mut self, steps: usize) -> Option<()> {
        self.work = self.work.checked_sub(steps as u64)?;
        Some(())
    }

    /// How many ways there are to constrain the attributes so that one of these boxes allows it. Sums wait on a list of their own: there
    /// can be as many, one within the other, as there are attributes.
    fn count(&mut self, all: Vec<u32>) -> Option<BigUint> {
        let mut waiting: Vec<Sum> = Vec::new();
        let mut next: Left = (0, all);
        loop {
            let (at, factor, active) = self.agreed(next)?;
            let of = (at, active);
            let mut found = match self.known.get(&of) {
                _ if at == self.attributes.len() => Some(factor),
                Some(known) => Some(factor * known),
                None => {
                    let uppers: Vec<Span> = of.1.iter().map(|b| self.boxes[*b as usize][at]).collect();
                    let kinds = kinds(&self.attributes[at], self.lower.map(|lower| lower[at]), &uppers, &mut self.work)?;
                    waiting.push(Sum { of, kinds, times: 0, factor, sum: BigUint::ZERO });
                    None
                }
            };
            // What was counted goes into the sum that waits for it; one that has all its kinds is counted itself.
            next = loop {
                let Some(mut sum) = waiting.pop() else { return found };
                if let Some(n) = found.take() {
                    // Long numbers are worked on word by word.
                    self.charge(n.bits() as usize / 64 + 1)?;
                    sum.sum += n * sum.times;
                }
                match sum.kinds.pop() {
                    Some((allowed, times)) => {
                        let left = (sum.of.0 + 1, allowed.iter().map(|place| sum.of.1[*place as usize]).collect());
                        waiting.push(Sum { times, ..sum });
                        break left;
                    }
                    None => {
                        found = Some(&sum.factor * &sum.sum);
                        self.known.insert(sum.of, sum.sum);
                    }
                }
            };
        }
    }

    /// Goes on to the next attribute on which the boxes differ. The ways to constrain those before it are a factor.
    fn agreed(&mut self, (mut at, active): Left) -> Option<(usize, BigUint, Vec<u32>)> {
        let active = self.reduce(at, active)?;
        let start = at;
        while at < self.attributes.len() {
            let first = self.boxes[active[0] as usize][at];
            self.charge(active.len())?;
            if active.iter().any(|b| self.boxes[*b as usize][at] != first) {
                break;
            }
            at += 1;
        }
        let of_first = self.boxes[active[0] as usize];
        let n_between = |at: usize| self.attributes[at].n_between(self.lower.map(|lower| lower[at]), of_first[at]);
        Some((at, product((start..at).map(n_between)), active))
    }

    /// The boxes without those that lie in others on all attributes from `at` on.
    fn reduce(&mut self, at: usize, active: Vec<u32>) -> Option<Vec<u32>> {
        let steps = Cell::new(0_u64);
        let within = |a: u32, b: u32| {
            let (inner, outer, narrow) = (self.boxes[a as usize], self.boxes[b as usize], &self.narrow[b as usize]);
            let narrow = &narrow[narrow.partition_point(|place| (*place as usize) < at)..];
            let apart = narrow.iter().position(|place| !outer[*place as usize].includes(inner[*place as usize]));
            steps.set(steps.get() + apart.unwrap_or(narrow.len()) as u64 + 1);
            apart.is_none()
        };
        let mut kept: Vec<u32> = Vec::with_capacity(active.len());
        for b in active {
            if !kept.iter().any(|other| within(b, *other)) {
                kept.retain(|other| !within(*other, b));
                kept.push(b);
            }
            // One box is held against the others, and then what that took is known.
            self.work = self.work.checked_sub(steps.take() + 1)?;
        }
        Some(kept)
    }
}

/// The constraints of one attribute by which boxes allow them: the places of the boxes, and how many constraints there are.
fn kinds(attribute: &Attribute, lower: Option<Span>, uppers: &[Span], work: &mut u64) -> Option<Vec<(Vec<u32>, u64)>> {
    let mut kinds: BTreeMap<Vec<u32>, u64> = BTreeMap::new();
    let mut add = |widest: Span, n: u64| {
        *work = work.checked_sub(uppers.len() as u64 + 1)?;
        let allowed: Vec<u32> = (0..).zip(uppers).filter(|(_, upper)| upper.includes(widest)).map(|(place, _)| place).collect();
        if n > 0 && !allowed.is_empty() {
            *kinds.entry(allowed).or_default() += n;
        }
        Some(())
    };
    match &attribute.values {
        Values::Tree(tree) => match lower {
            Some(lower) => tree.ancestors(lower).try_for_each(|span| add(span, 1))?,
            None => tree.spans().try_for_each(|span| add(span, 1))?,
        },
        Values::Range(_) => {
            // Between two ends that boxes have, one end of a constraint is as good as another.
            let mut firsts: Vec<u32> = uppers.iter().map(|upper| upper.first).collect();
            let mut lasts: Vec<u32> = uppers.iter().map(|upper| upper.last).collect();
            [&mut firsts, &mut lasts].into_iter().for_each(|ends| {
                ends.sort_unstable();
                ends.dedup();
            });
            let (to, from) = (lower.map_or(lasts[lasts.len() - 1], |l| l.first), lower.map_or(firsts[0], |l| l.last));
            for (i, &first) in firsts.iter().enumerate() {
                let until = firsts.get(i + 1).map_or(to, |next| next - 1);
                for (j, &last) in lasts.iter().enumerate() {
                    let since = if j == 0 { from } else { lasts[j - 1] + 1 };
                    add(Span { first, last }, pairs((first, until), (since, last)))?;
                }
            }
        }
    }
    Some(kinds.into_iter().collect())
}

/// How many pairs f ≤ l there are with f and l within these bounds.
fn pairs((f0, f1): (u32, u32), (l0, l1): (u32, u32)) -> u64 {
    let [f0, f1, l0, l1] = [f0, f1, l0, l1].map(u64::from);
    if f1 < f0 || l1 < l0 {
        return 0;
    }
    // Up to l0 every f goes with every l; beyond, each f with one l less than the f before.
    let free = if f0 <= l0 { (f1.min(l0) - f0 + 1) * (l1 - l0 + 1) } else { 0 };
    let (a, b) = (f0.max(l0 + 1), f1.min(l1));
    let falling = if a <= b { (b - a + 1) * ((l1 - a + 1) + (l1 - b + 1)) / 2 } else { 0 };
    free + falling
}

/// Random members of the union of boxes, each with a weight: the mean weight times the sum of the boxes' sizes is the union's size.
#[derive(Clone, Debug)]
pub(crate) struct Draws {
    members: Vec<Vec<Span>>,
    /// One by how many boxes each is in.
    weights: Vec<f64>,
    total: BigUint,
    largest: BigUint,
}

impl Draws {
    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.members.len()
    }

    /// The number of hypotheses above `specific` that these were drawn from.
    pub(crate) fn estimate(&self, specific: &Hypothesis) -> Estimate {
        let n_draws = self.weights.len();
        let n = n_draws.max(1) as f64;
        let mean = self.weights.iter().sum::<f64>() / n;
        let variance = self.weights.iter().map(|w| (w - mean) * (w - mean)).sum::<f64>() / n;
        let relative_error = if mean > 0.0 { (variance / n).sqrt() / mean } else { 0.0 };
        // The mean in units of 2⁻⁵², so that the product is one of whole numbers.
        let whole = (mean * (1_u64 << 52) as f64).round() as u64;
        // What covers nothing is not drawn, and counts one where it is a member.
        let nothing = u32::from(*specific == Hypothesis::Nothing);
        let n = ((&self.total * whole) >> 52_u32).clamp(self.largest.clone(), self.total.clone());
        Estimate { n: n + nothing, relative_error, at_least: &self.largest + nothing, at_most: &self.total + nothing, n_draws }
    }

    /// The share of members that cover an instance.
    pub(crate) fn share_covering(&self, instance: &[u32]) -> f64 {
        let covers = |member: &[Span]| member.iter().zip(instance).all(|(span, place)| span.covers(*place));
        let covering: f64 = self.members.iter().zip(&self.weights).filter(|(m, _)| covers(m)).map(|(_, w)| w).sum();
        covering / self.weights.iter().sum::<f64>()
    }
}

/// Steps that drawing members may take, and constraints of members that are kept; but no fewer members than [`FEWEST_DRAWS`].
const MOST_DRAWING: usize = 400_000_000;
const MOST_KEPT: usize = 6_000_000;
/// Fewer members say too little.
const FEWEST_DRAWS: usize = 200;

/// How many members are drawn where so many are wanted: each costs its attributes, and a look at every g where that is not `?`.
pub(crate) fn n_draws_within(n_attributes: usize, n_narrow: usize, wanted: usize) -> usize {
    let within = (MOST_DRAWING / (n_attributes + n_narrow).max(1)).min(MOST_KEPT / n_attributes.max(1));
    wanted.min(within.max(FEWEST_DRAWS))
}

/// Draws members of the version space, `wanted` of them or as many as the bounds on the work allow. `general` must hold a conjunction.
pub(crate) fn draw(space: &HypothesisSpace, specific: &Hypothesis, general: &[Hypothesis], wanted: usize, seed: u64) -> Draws {
    let boxes: Vec<&[Span]> = general.iter().filter_map(Hypothesis::spans).collect();
    let narrow: Vec<Vec<u32>> = boxes.iter().map(|spans| space.narrow(spans)).collect();
    let n_draws = n_draws_within(space.attributes().len(), narrow.iter().map(|places| places.len() + 1).sum(), wanted);
    let lower = |at: usize| specific.spans().map(|spans| spans[at]);
    let size = |spans: &[Span]| -> BigUint {
        product(space.attributes().iter().enumerate().map(|(at, attribute)| attribute.n_between(lower(at), spans[at])))
    };
    let sizes: Vec<BigUint> = boxes.iter().map(|spans| size(spans)).collect();
    let largest = sizes.iter().max().cloned().unwrap_or_default();
    // Sizes beyond what a double holds are brought down together.
    let shift = largest.bits().saturating_sub(512);
    let mut up_to = Vec::with_capacity(sizes.len());
    let mut sum = 0.0;
    for size in &sizes {
        sum += (size >> shift).to_f64().unwrap_or(0.0);
        up_to.push(sum);
    }
    let mut counter = split_mix(seed);
    let mut below = |n: u64| {
        counter = counter.wrapping_add(1);
        // The high half of a product with 64 random bits: even to one part in 2⁶⁴ by n.
        ((u128::from(split_mix(counter)) * u128::from(n)) >> 64) as u64
    };
    let (mut members, mut weights) = (Vec::with_capacity(n_draws), Vec::with_capacity(n_draws));
    for _ in 0..n_draws {
        let at = below(1 << 53) as f64 / (1_u64 << 53) as f64 * sum;
        let chosen = boxes[up_to.partition_point(|end| *end <= at).min(boxes.len() - 1)];
        let member: Vec<Span> =
            space.attributes().iter().enumerate().map(|(at, attribute)| nth(attribute, lower(at), chosen[at], &mut below)).collect();
        let holds = |(spans, places): &(&&[Span], &Vec<u32>)| places.iter().all(|at| spans[*at as usize].includes(member[*at as usize]));
        let n_boxes = boxes.iter().zip(&narrow).filter(holds).count();
        weights.push(1.0 / n_boxes.max(1) as f64);
        members.push(member);
    }
    Draws { members, weights, total: sizes.iter().sum(), largest }
}

/// A constraint between two, each as likely as any other.
fn nth(attribute: &Attribute, lower: Option<Span>, upper: Span, below: &mut impl FnMut(u64) -> u64) -> Span {
    let within = |span: &Span| upper.includes(*span);
    let mut number = |n: u64| below(n) as usize;
    match (&attribute.values, lower) {
        (Values::Tree(tree), Some(lower)) => tree.ancestors(lower).nth(number(attribute.n_between(Some(lower), upper))).unwrap_or(upper),
        (Values::Tree(tree), None) => tree.spans().filter(within).nth(number(attribute.n_between(None, upper))).unwrap_or(upper),
        (Values::Range(_), Some(lower)) => Span {
            first: upper.first + below(u64::from(lower.first - upper.first) + 1) as u32,
            last: lower.last + below(u64::from(upper.last - lower.last) + 1) as u32,
        },
        (Values::Range(_), None) => {
            // Two places of n + 1, the same one not twice: the later one is the first that is not in the interval.
            let n = u64::from(upper.last - upper.first) + 1;
            let (a, b) = (below(n + 1), below(n));
            let b = if b >= a { b + 1 } else { b };
            Span { first: upper.first + a.min(b) as u32, last: upper.first + a.max(b) as u32 - 1 }
        }
    }
}

/// The number of hypotheses between the boundaries, from random members: `most_draws` of them, or fewer where there are very many
/// attributes or boxes.
pub fn estimate(space: &HypothesisSpace, specific: &Hypothesis, general: &[Hypothesis], most_draws: usize, seed: u64) -> Estimate {
    draw(space, specific, general, most_draws, seed).estimate(specific)
}
