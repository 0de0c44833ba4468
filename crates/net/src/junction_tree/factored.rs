//! Propagation over cliques whose factors are never multiplied into a table.
//!
//! A large tree without zeros may be cut far down by evidence, and then is gone through once: storing the tables of the evidence's own tree would cost more than
//! using them. As in lazy propagation (Madsen & Jensen 1999) the factors of a clique stay a list. A sweep goes through the configurations variable by variable,
//! multiplies what is known at each depth once for all below it, and adds what it sums to, to every message over the variables so far. Only the last
//! variable, that of most states, is a loop over entries. Numbers are doubles; where those might lose something, nothing is told, and tables are made.

use super::clique_tree::CliqueTree;
use super::compilation::Layout;
use super::propagation::sum_of;
use super::{Calibrated, running_sum};
use crate::elimination_order::Elimination;
use crate::evidence::{Answer, Evidence};
use crate::factor_graph::FactorGraph;
use belief::VarId;

/// Products between these lose nothing.
const LEAST: f64 = 1e-280;
const MOST: f64 = 1e280;
/// Beyond this, up or down, the largest number of a message is brought back to about one.
const SCALE_BEYOND: f64 = (1_u64 << 60) as f64;

/// A table over some variables of a clique, the variables in the clique's order.
struct Operand {
    values: Vec<f64>,
    /// How far a step of each variable of the clique goes; nowhere for those it does not have.
    strides: Vec<usize>,
    /// The smallest entry above zero, and the largest.
    least: f64,
    most: f64,
}

/// A sweep through the configurations of a clique.
struct Sweep<'a> {
    shape: Vec<usize>,
    arriving: Vec<&'a Operand>,
    /// Messages that are added to: their numbers and strides.
    leaving: Vec<(Vec<f64>, Vec<usize>)>,
    /// Where each operand, and behind those each message, stands.
    at: Vec<usize>,
    /// For each depth, what moves with its variable and how far, what arrives there and what leaves there.
    moved: Vec<Vec<(usize, usize)>>,
    arrives: Vec<Vec<usize>>,
    leaves: Vec<Vec<usize>>,
    block: Vec<f64>,
}

/// The distributions of wanted variables by an elimination of a model in which known states are cut out, with the evidence that is left; `None` where doubles might
/// lose something, or all is zero.
pub(super) fn posteriors(graph: &FactorGraph, plan: &Elimination, evidence: &Evidence, wanted: &[VarId]) -> Option<Answer<Calibrated>> {
    let tree = CliqueTree::of(plan, graph.n_states());
    let layout = Layout::of(graph, &tree);
    if !layout.ln_constant.is_finite() {
        return None;
    }
    let n_cliques = tree.scopes.len();
    // The variable of most states is the last of a clique, so that loops are long.
    let scopes: Vec<Vec<VarId>> = tree.scopes.iter().map(|scope| by_states(scope, graph.n_states())).collect();
    let shared = |child: usize, within: usize| -> Vec<VarId> {
        let shared = &tree.scopes[child][..tree.n_shared[child]];
        scopes[within].iter().copied().filter(|variable| shared.contains(variable)).collect()
    };
    let mut factors: Vec<Vec<Operand>> = Vec::with_capacity(n_cliques);
    for (place, scope) in scopes.iter().enumerate() {
        let of_model = layout.factors[place].iter().map(|&number| &graph.factors()[number]);
        let mut operands: Vec<Operand> =
            of_model.map(|factor| Operand::new(scope, factor.scope(), factor.shape(), factor.values())).collect();
        for variable in &layout.homes[place] {
            if let Some(likelihood) = evidence.likelihood(*variable) {
                operands.push(Operand::new(scope, &[*variable], &[likelihood.len()], likelihood));
            }
        }
        factors.push(operands);
    }
    let shape_of = |scope: &[VarId]| scope.iter().map(|variable| graph.n_states()[variable.index()]).collect::<Vec<_>>();
    // Upwards: what each clique sends, as an operand of its parent.
    let mut sent: Vec<Option<Operand>> = (0..n_cliques).map(|_| None).collect();
    let mut exponents = vec![0_i64; n_cliques];
    for place in (0..n_cliques).rev() {
        exponents[place] += layout.children[place].iter().map(|&child| exponents[child]).sum::<i64>();
        let Some(parent) = tree.parents[place] else { continue };
        let over = shared(place, place);
        let mut sweep = Sweep::new(shape_of(&scopes[place]), arriving(place, &factors, &layout, &sent), &[&over], &scopes[place])?;
        sweep.run(0, 1.0);
        let (mut message, _) = sweep.leaving.pop()?;
        exponents[place] += scaled(&mut message)?;
        sent[place] = Some(Operand::new(&scopes[parent], &over, &shape_of(&over), &message));
    }
    // Downwards, where something is wanted.
    let mut is_needed = vec![false; n_cliques];
    wanted.iter().for_each(|variable| is_needed[layout.home[variable.index()]] = true);
    for place in (0..n_cliques).rev() {
        match tree.parents[place] {
            Some(parent) => is_needed[parent] |= is_needed[place],
            None => is_needed[place] = true,
        }
    }
    let first_state = running_sum(graph.n_states()[..graph.domain().n_variables()].iter().copied());
    let mut marginals = vec![0.0; first_state[graph.domain().n_variables()]];
    let mut is_wanted = vec![false; graph.n_with_hidden()];
    wanted.iter().for_each(|variable| is_wanted[variable.index()] = true);
    let mut told: Vec<Option<Operand>> = (0..n_cliques).map(|_| None).collect();
    let mut ln_total = 0.0;
    for place in (0..n_cliques).filter(|&place| is_needed[place]) {
        let scope = &scopes[place];
        let children: Vec<usize> = layout.children[place].iter().copied().filter(|&child| is_needed[child]).collect();
        let homes: Vec<VarId> = layout.homes[place].iter().copied().filter(|variable| is_wanted[variable.index()]).collect();
        let of_children: Vec<Vec<VarId>> = children.iter().map(|&child| shared(child, place)).collect();
        let over: Vec<&[VarId]> = of_children.iter().map(Vec::as_slice).chain(homes.iter().map(std::slice::from_ref)).collect();
        let mut operands = arriving(place, &factors, &layout, &sent);
        operands.extend(told[place].as_ref());
        let mut sweep = Sweep::new(shape_of(scope), operands, &over, scope)?;
        let total = sweep.run(0, 1.0);
        if tree.parents[place].is_none() {
            if total <= 0.0 {
                return None;
            }
            ln_total += total.ln() + exponents[place] as f64 * std::f64::consts::LN_2;
        }
        let leaving = std::mem::take(&mut sweep.leaving);
        drop(sweep);
        for (variable, (message, _)) in homes.iter().zip(&leaving[children.len()..]) {
            let total: f64 = message.iter().sum();
            if total <= 0.0 {
                return None;
            }
            marginals[first_state[variable.index()]..].iter_mut().zip(message).for_each(|(marginal, value)| *marginal = value / total);
        }
        for ((&child, over), (mut message, strides)) in children.iter().zip(&of_children).zip(leaving) {
            // What the child sent lies in the same order.
            let own = sent[child].as_ref()?;
            debug_assert_eq!(strides, own.strides);
            message.iter_mut().zip(&own.values).for_each(|(back, &sent)| *back = if sent > 0.0 { *back / sent } else { 0.0 });
            scaled(&mut message)?;
            told[child] = Some(Operand::new(&scopes[child], over, &shape_of(over), &message));
        }
    }
    let answer = Calibrated { marginals, first_state };
    Some(Answer::Possible { answer, ln_p_evidence: ln_total + layout.ln_constant + evidence.ln_scale() })
}

/// Variables by their numbers of states, the most last.
fn by_states(scope: &[VarId], n_states: &[usize]) -> Vec<VarId> {
    let mut sorted = scope.to_vec();
    sorted.sort_by_key(|variable| (n_states[variable.index()], *variable));
    sorted
}

/// What comes to a clique from its own factors and from below.
fn arriving<'a>(place: usize, factors: &'a [Vec<Operand>], layout: &Layout, sent: &'a [Option<Operand>]) -> Vec<&'a Operand> {
    factors[place].iter().chain(layout.children[place].iter().filter_map(|&child| sent[child].as_ref())).collect()
}

/// Brings a message back to about one, by a power of two that is given; `None` where all is zero.
fn scaled(message: &mut [f64]) -> Option<i64> {
    let largest = message.iter().copied().fold(0.0, f64::max);
    if largest == 0.0 || !largest.is_finite() {
        return None;
    }
    if (1.0 / SCALE_BEYOND..=SCALE_BEYOND).contains(&largest) {
        return Some(0);
    }
    let exponent = largest.log2().floor() as i64;
    let by = 2.0_f64.powi(-exponent as i32);
    message.iter_mut().for_each(|value| *value *= by);
    Some(exponent)
}

impl Operand {
    /// A table over variables in any order, put into that of a clique's.
    fn new(clique: &[VarId], scope: &[VarId], shape: &[usize], values: &[f64]) -> Self {
        let mut own = vec![1; scope.len()];
        for place in (1..scope.len()).rev() {
            own[place - 1] = own[place] * shape[place];
        }
        // The variables in the clique's order: where each stands in its own, how many states it has and how far it steps there.
        let order: Vec<usize> = clique.iter().filter_map(|variable| scope.iter().position(|other| other == variable)).collect();
        let mut strides = vec![0; clique.len()];
        let mut stride = 1;
        for &axis in order.iter().rev() {
            let depth = clique.iter().position(|variable| *variable == scope[axis]).unwrap_or(0);
            strides[depth] = stride;
            stride *= shape[axis];
        }
        let mut sorted = Vec::with_capacity(values.len());
        permute(&order, shape, &own, 0, values, &mut sorted);
        let above_zero = sorted.iter().copied().filter(|value| *value > 0.0);
        let (least, most) = (above_zero.fold(f64::INFINITY, f64::min), sorted.iter().copied().fold(0.0, f64::max));
        Self { values: sorted, strides, least, most }
    }
}

/// The entries of a table with its axes in another order.
fn permute(order: &[usize], shape: &[usize], strides: &[usize], from: usize, values: &[f64], to: &mut Vec<f64>) {
    match order.split_first() {
        None => to.push(values[from]),
        Some((&axis, [])) => to.extend((0..shape[axis]).map(|state| values[from + state * strides[axis]])),
        Some((&axis, inner)) => {
            (0..shape[axis]).for_each(|state| permute(inner, shape, strides, from + state * strides[axis], values, to));
        }
    }
}

impl<'a> Sweep<'a> {
    /// Prepares a sweep that leaves messages over some sets of the clique's variables, each in the clique's order; `None` where a product might be lost.
    fn new(shape: Vec<usize>, arriving: Vec<&'a Operand>, over: &[&[VarId]], scope: &[VarId]) -> Option<Self> {
        let least: f64 = arriving.iter().map(|operand| operand.least).product();
        let most: f64 = arriving.iter().map(|operand| operand.most).product::<f64>() * shape.iter().map(|&n| n as f64).product::<f64>();
        if !(LEAST..=MOST).contains(&least) || most > MOST {
            return None;
        }
        let n_depths = shape.len();
        let message = |over: &&[VarId]| {
            let (mut strides, mut size) = (vec![0; n_depths], 1);
            for depth in (0..n_depths).rev().filter(|&depth| over.contains(&scope[depth])) {
                strides[depth] = size;
                size *= shape[depth];
            }
            (vec![0.0; size], strides)
        };
        let leaving: Vec<(Vec<f64>, Vec<usize>)> = over.iter().map(message).collect();
        let mut sweep = Self {
            block: vec![0.0; shape.last().copied().unwrap_or(1)],
            at: vec![0; arriving.len() + leaving.len()],
            moved: vec![Vec::new(); n_depths],
            arrives: vec![Vec::new(); n_depths],
            leaves: vec![Vec::new(); n_depths],
            shape,
            arriving,
            leaving,
        };
        for (number, operand) in sweep.arriving.iter().enumerate() {
            tie(&operand.strides, number, number, &mut sweep.moved, &mut sweep.arrives);
        }
        for (number, (_, strides)) in sweep.leaving.iter().enumerate() {
            tie(strides, sweep.arriving.len() + number, number, &mut sweep.moved, &mut sweep.leaves);
        }
        Some(sweep)
    }

    /// Goes through all configurations from a depth on, with what is multiplied so far; gives what they sum to.
    fn run(&mut self, depth: usize, factor: f64) -> f64 {
        if depth + 1 >= self.shape.len() {
            return self.run_of_last(depth, factor);
        }
        let n_states = self.shape[depth];
        let mut total = 0.0;
        for _ in 0..n_states {
            let mut here = factor;
            for &number in &self.arrives[depth] {
                here *= self.arriving[number].values[self.at[number]];
            }
            let below = if here == 0.0 { 0.0 } else { self.run(depth + 1, here) };
            for &number in &self.leaves[depth] {
                self.leaving[number].0[self.at[self.arriving.len() + number]] += below;
            }
            total += below;
            for &(thing, stride) in &self.moved[depth] {
                self.at[thing] += stride;
            }
        }
        for &(thing, stride) in &self.moved[depth] {
            self.at[thing] -= stride * n_states;
        }
        total
    }

    /// The last variable: what has it lies entry by entry.
    fn run_of_last(&mut self, depth: usize, factor: f64) -> f64 {
        let Self { shape, arriving, leaving, at, arrives, leaves, block, .. } = self;
        let Some(&n_states) = shape.get(depth) else { return factor };
        let of = |number: usize| &arriving[number].values[at[number]..][..n_states];
        match arrives[depth][..] {
            [] => block.fill(factor),
            [only] => block.iter_mut().zip(of(only)).for_each(|(entry, a)| *entry = factor * a),
            [first, second] => block.iter_mut().zip(of(first)).zip(of(second)).for_each(|((entry, a), b)| *entry = factor * a * b),
            [first, second, ref others @ ..] => {
                block.iter_mut().zip(of(first)).zip(of(second)).for_each(|((entry, a), b)| *entry = factor * a * b);
                for &other in others {
                    block.iter_mut().zip(of(other)).for_each(|(entry, a)| *entry *= a);
                }
            }
        }
        for &number in &leaves[depth] {
            let from = at[arriving.len() + number];
            leaving[number].0[from..][..n_states].iter_mut().zip(&*block).for_each(|(sum, entry)| *sum += entry);
        }
        sum_of(block)
    }
}

/// Notes at which depths a table moves, and the deepest of them.
fn tie(strides: &[usize], thing: usize, number: usize, moved: &mut [Vec<(usize, usize)>], deepest: &mut [Vec<usize>]) {
    let depths: Vec<usize> = (0..strides.len()).filter(|&depth| strides[depth] > 0).collect();
    for &depth in &depths {
        moved[depth].push((thing, strides[depth]));
    }
    // A table over nothing is met before the first variable goes on: it cannot be, for every factor here has a variable.
    if let Some(&depth) = depths.last() {
        deepest[depth].push(number);
    }
}
