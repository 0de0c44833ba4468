//! The most probable assignments of some variables, the others summed out.
//!
//! Max-product elimination with traceback (Koller & Friedman 2009, Algorithm 13.1); for a subset of the variables the others are summed out first, a
//! constrained order (Algorithm 13.2 and section 13.2.3). The tables of all maximisations are kept, so that the next best
//! assignments need no more elimination: a cell of the partition of Lawler 1972 is "as the best so far up to here, but not in this state", and its best is
//! read off the table of that variable, as Nilsson 1998 does in a junction tree.
//!
//! Of assignments that are equally probable, up to rounding, the one with earlier states comes first, in the order the variables are asked in.
//! Subtrees of the elimination are independent given what is above them, so that the earliest of each make the earliest of all. Where ties are
//! too many to be compared (`MAX_EFFORT`, `MAX_DEPTH`), they go to the earlier state of each variable by itself.

use super::AskError;
use super::cutset::{self, Cutset};
use super::oracle::{Method, Oracle};
use super::plan::{Shape, shape_of_best};
use crate::error::NetError;
use crate::evidence::Evidence;
use crate::factor::Factor;
use crate::factor_graph::FactorGraph;
use crate::variable_elimination::product_of;
use belief::VarId;
use std::cell::Cell;
use std::cmp::Ordering;
use std::collections::{BTreeSet, BinaryHeap};

/// Relative difference up to which two assignments count as equally probable.
const TIE: f64 = 1e-12;

/// Variables looked at to part ties, at most. Beyond, ties go to the earlier state of each variable by itself, in the order of elimination.
const MAX_EFFORT: usize = 200_000_000;

/// Steps of no more contexts know the best of each at once, from below. Of the others a best is looked for when it is asked for, which may need
/// that of steps below it, and so on, but not deeper than `MAX_DEPTH`: there ties go as if effort were spent.
const FEW_CONTEXTS: usize = 64;
const MAX_DEPTH: usize = 300;

/// A state that was not looked for yet.
const UNKNOWN: u32 = u32::MAX;

/// So few assignments may wait, and be found, whatever the memory.
const FEW: usize = 64;

/// States of assignments to be found, at most.
const MAX_STATES: usize = 100_000_000;

/// An assignment and ln P(assignment, evidence).
type Found = (Vec<usize>, f64);

/// Whether so many assignments of so many variables are looked for.
pub(super) fn check_number(n_best: usize, n_variables: usize) -> Result<(), AskError> {
    let most = MAX_STATES / n_variables.max(1);
    if n_best <= most { Ok(()) } else { Err(AskError::TooManyBest { wanted: n_best, most }) }
}

/// The bytes of assignments that are found, with the two for each that wait to be the next, and their words when they are told (as JSON these are most of it). A few take nothing to speak of.
pub(super) fn bytes_of(n_found: f64, n_variables: usize) -> f64 {
    (n_found - FEW as f64).max(0.0) * bytes_of_one(n_variables)
}

fn bytes_of_one(n_variables: usize) -> f64 {
    400.0 + 240.0 * n_variables as f64
}

/// The most probable assignments of variables, best first, and how they were got. The evidence must be possible.
pub(super) fn most_probable(
    oracle: &Oracle,
    variables: &[VarId],
    n_best: usize,
    evidence: &Evidence,
) -> Result<(Vec<Found>, Method), AskError> {
    let (graph, limit) = (oracle.graph(), oracle.max_entries());
    let shape = shape_of_best(graph, variables, evidence);
    match shape.largest(graph, limit) {
        Ok(()) => {
            let room = limit as f64 - shape.entries_at_once();
            shape.check_number(graph.n_states(), n_best, variables.len(), room)?;
            Ok((Elimination::new(graph, variables, evidence, &shape.sum.order, &shape.max.order)?.best(n_best), Method::MaxProduct))
        }
        Err(too_large) => {
            // Conditioning on what is maximised: the best of all is the best of the best of each configuration.
            let Some(chosen) = shape.cutset(graph, limit) else { return Err(too_large.into()) };
            let room = limit as f64 - chosen.entries_at_once;
            shape.check_number(graph.n_states(), n_best, variables.len(), room)?;
            Ok((by_cutset(graph, variables, n_best, evidence, &chosen)?, Method::MaxProductCutset(graph.names_of(&chosen.variables))))
        }
    }
}

fn by_cutset(
    graph: &FactorGraph,
    variables: &[VarId],
    n_best: usize,
    evidence: &Evidence,
    chosen: &Cutset,
) -> Result<Vec<Found>, AskError> {
    let mut all: Vec<Ranked> = Vec::new();
    for place in 0..chosen.n_configurations {
        let known = cutset::with_configuration(graph, evidence, chosen, place)?;
        if known.contradicts_itself() {
            continue;
        }
        let shape = shape_of_best(graph, variables, &known);
        let found = match Elimination::new(graph, variables, &known, &shape.sum.order, &shape.max.order) {
            Ok(found) => found.best(n_best),
            // This configuration is too improbable, or cannot be.
            Err(NetError::Underflow) => continue,
            Err(other) => return Err(other.into()),
        };
        all.extend(found.into_iter().map(|(states, ln_p)| Ranked { states, ln_p, cell: Part::default() }));
        all.sort_unstable_by(|a, b| b.cmp(a));
        all.truncate(n_best);
    }
    Ok(all.into_iter().map(|one| (one.states, one.ln_p)).collect())
}

/// One variable maximised out.
struct Step {
    /// Its place among the variables asked for.
    rank: usize,
    /// All that was multiplied for it: over it and its context.
    table: Factor,
    /// The axis of the variable in the table.
    axis: usize,
    /// The ranks of the table's variables.
    ranks: Vec<usize>,
    /// The best state for each configuration of the context, as far as it was looked for: of most contexts nobody asks.
    best: Vec<Cell<u32>>,
    /// The steps below, itself the last: those whose choice depends on this one, earlier ones first.
    below: Vec<usize>,
}

/// All variables maximised out.
struct Elimination {
    steps: Vec<Step>,
    /// For each variable asked for, the state if it was seen, else zero.
    fixed: Vec<usize>,
    ln_scale: f64,
    ln_best: f64,
    /// Variables that were looked at to part ties.
    effort: Cell<usize>,
    /// How many contexts wait for others below them.
    depth: Cell<usize>,
}

impl Elimination {
    /// Sums variables out, then maximises over others.
    fn new(graph: &FactorGraph, variables: &[VarId], evidence: &Evidence, sum: &[VarId], max: &[VarId]) -> Result<Self, NetError> {
        let mut rank_of = vec![usize::MAX; graph.n_with_hidden()];
        variables.iter().enumerate().for_each(|(rank, variable)| rank_of[variable.index()] = rank);
        let mut factors: Vec<(Factor, Option<usize>)> =
            cut_factors(graph, variables, evidence).into_iter().map(|factor| (factor, None)).collect();
        for &variable in sum {
            let (with, others): (Vec<_>, Vec<_>) = factors.into_iter().partition(|(factor, _)| factor.scope().contains(&variable));
            factors = others;
            factors.push((product_of(with.into_iter().map(|(factor, _)| factor).collect()).sum_out(variable), None));
        }
        let fixed = variables.iter().map(|&variable| evidence.state(variable).unwrap_or(0)).collect();
        let mut found = Self {
            steps: Vec::with_capacity(max.len()),
            fixed,
            ln_scale: evidence.ln_scale(),
            ln_best: 0.0,
            effort: Cell::new(0),
            depth: Cell::new(0),
        };
        for &variable in max {
            let (with, others): (Vec<_>, Vec<_>) = factors.into_iter().partition(|(factor, _)| factor.scope().contains(&variable));
            factors = others;
            let children: Vec<usize> = with.iter().filter_map(|(_, step)| *step).collect();
            let table = product_of(with.into_iter().map(|(factor, _)| factor).collect());
            let message = table.max_out(variable);
            found.add(&rank_of, variable, table, &children);
            factors.push((message, Some(found.steps.len() - 1)));
        }
        let constant = product_of(factors.into_iter().map(|(factor, _)| factor).collect());
        if constant.is_zero() {
            return Err(NetError::Underflow);
        }
        found.ln_best = constant.ln_total();
        Ok(found)
    }

    fn add(&mut self, rank_of: &[usize], variable: VarId, table: Factor, children: &[usize]) {
        let axis = table.scope().binary_search(&variable).expect("the variable is in its table");
        let ranks: Vec<usize> = table.scope().iter().map(|member| rank_of[member.index()]).collect();
        let mut below: Vec<usize> = children.iter().flat_map(|&child| self.steps[child].below.iter().copied()).collect();
        below.sort_unstable();
        below.push(self.steps.len());
        let n_context = table.values().len() / table.shape()[axis];
        let best = vec![Cell::new(UNKNOWN); n_context];
        self.steps.push(Step { rank: rank_of[variable.index()], table, axis, ranks, best, below });
        if n_context <= FEW_CONTEXTS {
            let mut states = self.fixed.clone();
            (0..n_context).for_each(|context| self.look_for_best(self.steps.len() - 1, context, &mut states));
        }
    }

    /// The best state of a step's variable in the context that an assignment makes.
    fn best_in(&self, place: usize, states: &[usize]) -> usize {
        let step = &self.steps[place];
        let context = step.context(states);
        if step.best[context].get() == UNKNOWN {
            self.depth.set(self.depth.get() + 1);
            self.look_for_best(place, context, &mut self.fixed.clone());
            self.depth.set(self.depth.get() - 1);
        }
        step.best[context].get() as usize
    }

    fn look_for_best(&self, place: usize, context: usize, scratch: &mut [usize]) {
        let best = self.best_state(place, context, &|_| true, scratch).unwrap_or(0);
        self.steps[place].best[context].set(best as u32);
    }

    /// The best state of a step's variable in a context, of those that may be; of equals the one whose assignment of all below is earliest. `None`
    /// when all are impossible.
    fn best_state(&self, place: usize, context: usize, may_be: &dyn Fn(usize) -> bool, scratch: &mut [usize]) -> Option<usize> {
        let step = &self.steps[place];
        let (n_states, inner) = (step.table.shape()[step.axis], step.inner());
        let first = context / inner * inner * n_states + context % inner;
        let value = |state: usize| step.table.values()[first + state * inner];
        let largest = (0..n_states).filter(|&state| may_be(state)).map(value).fold(0.0, f64::max);
        if largest == 0.0 {
            return None;
        }
        let mut tied = (0..n_states).filter(|&state| may_be(state) && value(state) >= largest * (1.0 - TIE));
        let mut best = tied.next()?;
        if step.below.len() == 1 || self.effort.get() > MAX_EFFORT || self.depth.get() > MAX_DEPTH {
            return Some(best);
        }
        let mut of_best: Option<Vec<usize>> = None;
        for other in tied {
            self.effort.set(self.effort.get() + step.below.len());
            step.set_context(context, scratch);
            let so_far = of_best.take().unwrap_or_else(|| self.assignment_below(place, best, scratch));
            let candidate = self.assignment_below(place, other, scratch);
            if candidate < so_far {
                (best, of_best) = (other, Some(candidate));
            } else {
                of_best = Some(so_far);
            }
        }
        Some(best)
    }

    /// The states of all variables below a step, in the order they are asked in, when its own is in a state. The context is in `states`.
    fn assignment_below(&self, place: usize, state: usize, states: &mut [usize]) -> Vec<usize> {
        self.trace(place, state, states);
        let mut ranks: Vec<usize> = self.steps[place].below.iter().map(|&step| self.steps[step].rank).collect();
        ranks.sort_unstable();
        ranks.into_iter().map(|rank| states[rank]).collect()
    }

    /// Sets a step's variable to a state and all below it to their best.
    fn trace(&self, place: usize, state: usize, states: &mut [usize]) {
        let (_, below) = self.steps[place].below.split_last().expect("a step is below itself");
        states[self.steps[place].rank] = state;
        for &step in below.iter().rev() {
            states[self.steps[step].rank] = self.best_in(step, states);
        }
    }

    /// The most probable assignments, the best first.
    fn best(&self, n_best: usize) -> Vec<Found> {
        let mut states = self.fixed.clone();
        for (place, step) in self.steps.iter().enumerate().rev() {
            states[step.rank] = self.best_in(place, &states);
        }
        let ln_p = self.ln_best;
        let mut waiting = BinaryHeap::from([Ranked { states, ln_p, cell: Part { from: self.steps.len(), excluded: BTreeSet::new() } }]);
        let mut found = Vec::new();
        while found.len() < n_best {
            let Some(next) = waiting.pop() else { break };
            // The rest of its cell, parted by where it first differs from the best of it. Steps are traced from the last to the first.
            if found.len() + 1 < n_best {
                for place in (0..next.cell.from.min(self.steps.len())).rev() {
                    waiting.extend(self.best_of_cell(&next, place, BTreeSet::new()));
                }
                if next.cell.from < self.steps.len() {
                    waiting.extend(self.best_of_cell(&next, next.cell.from, next.cell.excluded.clone()));
                }
            }
            found.push((next.states, next.ln_p + self.ln_scale));
            // Of those that wait no more than are still wanted can ever come out.
            let wanted = n_best - found.len();
            if wanted > 0 && waiting.len() > wanted.saturating_mul(2).max(FEW) {
                let mut all = waiting.into_vec();
                all.select_nth_unstable_by(wanted - 1, |a, b| b.cmp(a));
                all.truncate(wanted);
                waiting = all.into();
            }
        }
        found
    }

    /// The best assignment that is like another in all steps after this one, but in none of some states in it.
    fn best_of_cell(&self, of: &Ranked, place: usize, mut excluded: BTreeSet<usize>) -> Option<Ranked> {
        let step = &self.steps[place];
        let (context, old) = (step.context(&of.states), of.states[step.rank]);
        excluded.insert(old);
        let mut states = of.states.clone();
        let new = self.best_state(place, context, &|state| !excluded.contains(&state), &mut states)?;
        states.clone_from(&of.states);
        self.trace(place, new, &mut states);
        let value = |state: usize| step.value(context, state);
        let ln_p = of.ln_p + (value(new) / value(old)).ln();
        Some(Ranked { states, ln_p, cell: Part { from: place, excluded } })
    }
}

impl Step {
    /// The entries between neighbours along the axis of the variable.
    fn inner(&self) -> usize {
        self.table.shape()[self.axis + 1..].iter().product()
    }

    /// The place of the context that an assignment makes.
    fn context(&self, states: &[usize]) -> usize {
        let others = self.ranks.iter().zip(self.table.shape()).enumerate().filter(|(axis, _)| *axis != self.axis);
        others.fold(0, |place, (_, (&rank, &n_states))| place * n_states + states[rank])
    }

    /// Puts the context of a place into an assignment.
    fn set_context(&self, mut context: usize, states: &mut [usize]) {
        let others = self.ranks.iter().zip(self.table.shape()).enumerate().rev().filter(|(axis, _)| *axis != self.axis);
        for (_, (&rank, &n_states)) in others {
            states[rank] = context % n_states;
            context /= n_states;
        }
    }

    fn value(&self, context: usize, state: usize) -> f64 {
        let (n_states, inner) = (self.table.shape()[self.axis], self.inner());
        self.table.values()[context / inner * inner * n_states + state * inner + context % inner]
    }
}

/// Where an assignment may differ from others: not in the steps after `from`, and in `from` in none of some states.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Part {
    from: usize,
    excluded: BTreeSet<usize>,
}

/// An assignment among others: the more probable is the greater, of equals the earlier.
#[derive(Clone, Debug, PartialEq)]
struct Ranked {
    states: Vec<usize>,
    ln_p: f64,
    cell: Part,
}

/// The logarithm of a probability without what rounding may have done to it: what ties are told by.
pub(super) fn rounded(ln_p: f64) -> i64 {
    (ln_p * 1e11).round() as i64
}

impl Eq for Ranked {}

impl Ord for Ranked {
    fn cmp(&self, other: &Self) -> Ordering {
        rounded(self.ln_p).cmp(&rounded(other.ln_p)).then_with(|| other.states.cmp(&self.states)).then(self.ln_p.total_cmp(&other.ln_p))
    }
}

impl PartialOrd for Ranked {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// All factors that matter, cut by hard evidence, with likelihoods beside them. A variable asked for that nothing is known of stays.
fn cut_factors(graph: &FactorGraph, variables: &[VarId], evidence: &Evidence) -> Vec<Factor> {
    let named: Vec<VarId> = variables.iter().copied().chain(evidence.variables()).collect();
    let relevant = graph.relevant(&named);
    let factors = graph.factors().iter().zip(relevant).filter(|(_, relevant)| *relevant).map(|(factor, _)| {
        let observed: Vec<(VarId, usize)> = factor.scope().iter().filter_map(|&member| Some((member, evidence.state(member)?))).collect();
        observed.into_iter().fold(Factor::clone(factor), |factor, (member, state)| factor.restrict(member, state))
    });
    let ones = |variable: VarId| Factor::over_one(variable, &vec![1.0; graph.n_states()[variable.index()]]);
    let asked = variables.iter().filter(|&&variable| evidence.state(variable).is_none()).map(|&variable| ones(variable));
    let seen = evidence.variables().filter_map(|variable| {
        let likelihood = evidence.likelihood(variable)?;
        Some(match evidence.state(variable) {
            // The largest entry of a likelihood is one, so that a state that alone is left has likelihood one.
            Some(state) => Factor::constant(likelihood[state]),
            None => Factor::over_one(variable, likelihood),
        })
    });
    factors.chain(asked).chain(seen).collect()
}

/// What maximising costs: first the sums, then the maxima.
#[derive(Clone, Debug)]
pub(super) struct BestShape {
    pub shape: Shape,
    pub sum: crate::elimination_order::Elimination,
    pub max: crate::elimination_order::Elimination,
}

impl BestShape {
    /// The entries of the largest table.
    pub fn largest_table(&self) -> f64 {
        self.sum.largest_table.max(self.max.largest_table)
    }

    /// The entries that are held at once: the tables of all maxima, with messages and best states, and the largest sum while it is made.
    pub fn entries_at_once(&self) -> f64 {
        1.5 * self.max.total_entries + 2.0 * self.sum.largest_table
    }

    /// Whether all that is held at once is within the limit.
    pub fn largest(&self, graph: &FactorGraph, limit: usize) -> Result<(), NetError> {
        self.sum.cliques.iter().chain(&self.max.cliques).try_for_each(|clique| graph.within_bounds(clique, limit))?;
        if self.entries_at_once() <= limit as f64 {
            return Ok(());
        }
        let variables = [&self.sum.order[..], &self.max.order].concat();
        Err(NetError::TooLarge { variables: graph.names_of(&variables), entries: self.entries_at_once(), limit })
    }

    /// How many assignments are found at most when so many are asked for: there may be fewer.
    pub fn n_found(&self, n_states: &[usize], n_best: usize) -> f64 {
        (n_best as f64).min(cutset::entries(&self.shape.eliminate, n_states))
    }

    /// Whether so many assignments have room, in entries.
    pub fn check_number(&self, n_states: &[usize], n_best: usize, n_variables: usize, room: f64) -> Result<(), AskError> {
        if bytes_of(self.n_found(n_states, n_best), n_variables) <= 8.0 * room {
            return Ok(());
        }
        Err(AskError::TooManyBest { wanted: n_best, most: FEW + (8.0 * room / bytes_of_one(n_variables)) as usize })
    }

    /// A cutset of variables that are maximised, with which all fits.
    pub fn cutset(&self, graph: &FactorGraph, limit: usize) -> Option<Cutset> {
        cutset::choose_for_best(&self.shape, graph.n_states(), limit)
    }
}
