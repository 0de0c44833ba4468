//! Propagation over cliques whose factors are never multiplied into a table.
//!
//! A large tree without zeros may be cut far down by evidence, and then is gone through once: storing the tables of the evidence's own tree would cost more than
//! using them. As in lazy propagation (Madsen & Jensen 1999) the factors of a clique stay a list. A sweep goes through the configurations variable by variable,
//! multiplies what is known at each depth once for all below it, and adds what it sums to, to every message over the variables so far. Only the last
//! variable, that of most states, is a loop over entries. Numbers are doubles; where those might lose something, nothing is told, and tables are made.

use super::clique_tree::CliqueTree;
use super::compilation::Layout;
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
    /// How far each depth but the last two has come.
    levels: Vec<Level>,
    block: Vec<f64>,
}

/// A variable on its way through its states.
#[derive(Clone, Copy)]
struct Level {
    /// What is multiplied above it.
    factor: f64,
    state: usize,
    /// What its states sum to so far.
    total: f64,
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
    let scopes: Vec<Vec<VarId>> = (0..n_cliques)
        .map(|place| {
            let of_model = layout.factors[place].iter().map(|&number| graph.factors()[number].scope());
            let of_children = layout.children[place].iter().map(|&child| &tree.scopes[child][..tree.n_shared[child]]);
            let tables: Vec<&[VarId]> =
                of_model.chain(of_children.flat_map(|shared| [shared; 2])).chain([&tree.scopes[place][..tree.n_shared[place]]]).collect();
            in_order(&tree.scopes[place], &tables, graph.n_states())
        })
        .collect();
    let shared = |child: usize, within: usize| -> Vec<VarId> {
        let shared = &tree.scopes[child][..tree.n_shared[child]];
        scopes[within].iter().copied().filter(|variable| shared.contains(variable)).collect()
    };
    let mut factors: Vec<Vec<Operand>> = Vec::with_capacity(n_cliques);
    for (place, scope) in scopes.iter().enumerate() {
        let of_model = layout.factors[place].iter().map(|&number| &graph.factors()[number]);
        let mut operands: Vec<Operand> =
            of_model.map(|factor| Operand::new(scope, (factor.scope(), factor.shape(), false), factor.values())).collect();
        for variable in &layout.homes[place] {
            if let Some(likelihood) = evidence.likelihood(*variable) {
                operands.push(Operand::new(scope, (&[*variable], &[likelihood.len()], false), likelihood));
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
        sweep.run();
        let (mut message, _) = sweep.leaving.pop()?;
        exponents[place] += scaled(&mut message)?;
        let is_padded = over.last() == scopes[place].last();
        sent[place] = Some(Operand::new(&scopes[parent], (&over, &shape_of(&over), is_padded), &message));
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
        let total = sweep.run();
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
            let of_variable = first_state[variable.index()]..first_state[variable.index() + 1];
            marginals[of_variable].iter_mut().zip(message).for_each(|(marginal, value)| *marginal = value / total);
        }
        for ((&child, over), (mut message, strides)) in children.iter().zip(&of_children).zip(leaving) {
            // What the child sent lies in the same order.
            let own = sent[child].as_ref()?;
            debug_assert_eq!(strides, own.strides);
            message.iter_mut().zip(&own.values).for_each(|(back, &sent)| *back = if sent > 0.0 { *back / sent } else { 0.0 });
            scaled(&mut message)?;
            let is_padded = over.last() == scope.last();
            told[child] = Some(Operand::new(&scopes[child], (over, &shape_of(over), is_padded), &message));
        }
    }
    let answer = Calibrated { marginals, first_state };
    Some(Answer::Possible { answer, ln_p_evidence: ln_total + layout.ln_constant + evidence.ln_scale() })
}

/// The variables of a clique in the order in which a sweep goes through them. The loop over the last is to be long and to touch few tables, and so on
/// upwards: one by one, from the last, the variable is taken that costs least an entry there.
fn in_order(scope: &[VarId], tables: &[&[VarId]], n_states: &[usize]) -> Vec<VarId> {
    /// What a loop costs before its first entry, in fours of entries of one table.
    const START: f64 = 8.0;
    let (mut left, mut tables) = (scope.to_vec(), tables.to_vec());
    let mut order = Vec::with_capacity(scope.len());
    while !left.is_empty() {
        let cost = |variable: &VarId| {
            let n = n_states[variable.index()] as f64;
            let n_tables = tables.iter().filter(|table| table.contains(variable)).count() as f64;
            (START + (n_tables + 1.0) * (n / 4.0).ceil()) / n
        };
        let (place, _) = left.iter().map(cost).enumerate().fold(
            (0, f64::INFINITY),
            |best, (place, cost)| {
                if cost < best.1 { (place, cost) } else { best }
            },
        );
        let variable = left.remove(place);
        tables.retain(|table| !table.contains(&variable));
        order.push(variable);
    }
    order.reverse();
    order
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
    /// A table over variables in any order, put into that of a clique's. It is given with whether its last axis is padded.
    fn new(clique: &[VarId], (scope, shape, is_padded): (&[VarId], &[usize], bool), values: &[f64]) -> Self {
        let mut own = vec![1; scope.len()];
        for place in (1..scope.len()).rev() {
            own[place - 1] = own[place] * if is_padded && place + 1 == scope.len() { padded(shape[place]) } else { shape[place] };
        }
        // The variables in the clique's order: where each stands in its own, how many states it has and how far it steps there.
        let order: Vec<usize> = clique.iter().filter_map(|variable| scope.iter().position(|other| other == variable)).collect();
        let mut strides = vec![0; clique.len()];
        let mut stride = 1;
        for &axis in order.iter().rev() {
            let depth = clique.iter().position(|variable| *variable == scope[axis]).unwrap_or(0);
            strides[depth] = stride;
            stride *= if depth + 1 == clique.len() { padded(shape[axis]) } else { shape[axis] };
        }
        let is_padded = clique.last().is_some_and(|last| scope.contains(last));
        let mut sorted = Vec::with_capacity(stride);
        permute(&order, shape, &own, 0, values, is_padded, &mut sorted);
        let above_zero = sorted.iter().copied().filter(|value| *value > 0.0);
        let (least, most) = (above_zero.fold(f64::INFINITY, f64::min), sorted.iter().copied().fold(0.0, f64::max));
        Self { values: sorted, strides, least, most }
    }
}

/// The entries of a table with its axes in another order; the last padded with zeros, if it shall be.
fn permute(order: &[usize], shape: &[usize], strides: &[usize], from: usize, values: &[f64], is_padded: bool, to: &mut Vec<f64>) {
    match order.split_first() {
        None => to.push(values[from]),
        Some((&axis, [])) => {
            to.extend((0..shape[axis]).map(|state| values[from + state * strides[axis]]));
            if is_padded {
                to.extend(std::iter::repeat_n(0.0, padded(shape[axis]) - shape[axis]));
            }
        }
        Some((&axis, inner)) => {
            (0..shape[axis]).for_each(|state| permute(inner, shape, strides, from + state * strides[axis], values, is_padded, to));
        }
    }
}

/// So many states with zeros behind them, so that they are worked on in fours.
fn padded(n_states: usize) -> usize {
    n_states.next_multiple_of(4)
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
                size *= if depth + 1 == n_depths { padded(shape[depth]) } else { shape[depth] };
            }
            (vec![0.0; size], strides)
        };
        let leaving: Vec<(Vec<f64>, Vec<usize>)> = over.iter().map(message).collect();
        let mut sweep = Self {
            block: vec![0.0; padded(shape.last().copied().unwrap_or(1))],
            at: vec![0; arriving.len() + leaving.len()],
            moved: vec![Vec::new(); n_depths],
            arrives: vec![Vec::new(); n_depths],
            leaves: vec![Vec::new(); n_depths],
            levels: vec![Level { factor: 1.0, state: 0, total: 0.0 }; n_depths],
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

    /// Goes through all configurations, with the instructions that the machine has; gives what they sum to. The numbers are the same on every machine: each is
    /// made by the same steps, of which more or fewer are made at once.
    fn run(&mut self) -> f64 {
        struct Run<'r, 'a>(&'r mut Sweep<'a>);
        impl pulp::WithSimd for Run<'_, '_> {
            type Output = f64;

            #[inline(always)]
            fn with_simd<S: pulp::Simd>(self, _: S) -> f64 {
                self.0.all()
            }
        }
        pulp::Arch::new().dispatch(Run(self))
    }

    /// Depth by depth, like the digits of a counter; the last two variables in loops of their own.
    #[inline(always)]
    fn all(&mut self) -> f64 {
        let n_depths = self.shape.len();
        if n_depths <= 2 {
            return if n_depths == 0 { 1.0 } else { self.run_of_last_two(1.0) };
        }
        let mut depth = 0;
        loop {
            let mut below = 0.0;
            loop {
                let mut here = self.levels[depth].factor;
                for &number in &self.arrives[depth] {
                    here *= self.arriving[number].values[self.at[number]];
                }
                // What is zero here is zero below.
                if here == 0.0 {
                    break;
                }
                if depth + 3 == n_depths {
                    below = self.run_of_last_two(here);
                    break;
                }
                depth += 1;
                self.levels[depth] = Level { factor: here, state: 0, total: 0.0 };
            }
            // The state of this depth is done; where it was the last, so is that of the depth above.
            loop {
                for &number in &self.leaves[depth] {
                    self.leaving[number].0[self.at[self.arriving.len() + number]] += below;
                }
                let level = &mut self.levels[depth];
                level.total += below;
                level.state += 1;
                for &(thing, stride) in &self.moved[depth] {
                    self.at[thing] += stride;
                }
                if level.state < self.shape[depth] {
                    break;
                }
                below = level.total;
                for &(thing, stride) in &self.moved[depth] {
                    self.at[thing] -= stride * self.shape[depth];
                }
                if depth == 0 {
                    return below;
                }
                depth -= 1;
            }
        }
    }

    /// The last variable, which lies entry by entry, in fours, for each state of the one above it. Gives the sum.
    #[inline(always)]
    fn run_of_last_two(&mut self, factor: f64) -> f64 {
        let Self { shape, arriving, leaving, at, arrives, leaves, block, .. } = self;
        let (n_padded, last) = (block.len(), shape.len() - 1);
        let block = fours_mut(block);
        // The tables from where they stand, and how far a state of the variable above goes.
        let above = |strides: &[usize]| if last == 0 { 0 } else { strides[last - 1] };
        let table = |number: usize| (&arriving[number].values[at[number]..], above(&arriving[number].strides));
        let (n_above, of_above, to_above) = match last {
            0 => (1, &[][..], &[][..]),
            _ => (shape[last - 1], &arrives[last - 1][..], &leaves[last - 1][..]),
        };
        let of_last = &arrives[last][..];
        let [first, second, third] = [0, 1, 2].map(|nth| of_last.get(nth).map_or((&[][..], 0), |&number| table(number)));
        let mut total = 0.0;
        for state in 0..n_above {
            let mut here = factor;
            for &number in of_above {
                let (values, stride) = table(number);
                here *= values[state * stride];
            }
            if here == 0.0 {
                continue;
            }
            let row = |(values, stride): (&'a [f64], usize)| fours(&values[state * stride..][..n_padded]);
            match of_last.len() {
                0 => {
                    let block = block.as_flattened_mut();
                    block.fill(0.0);
                    block[..shape[last]].fill(here);
                }
                1 => block.iter_mut().zip(row(first)).for_each(|(entry, a)| *entry = a.map(|a| here * a)),
                2 => {
                    for ((entry, a), b) in block.iter_mut().zip(row(first)).zip(row(second)) {
                        *entry = std::array::from_fn(|lane| here * a[lane] * b[lane]);
                    }
                }
                _ => {
                    for (((entry, a), b), c) in block.iter_mut().zip(row(first)).zip(row(second)).zip(row(third)) {
                        *entry = std::array::from_fn(|lane| here * a[lane] * b[lane] * c[lane]);
                    }
                    for &other in &of_last[3..] {
                        for (entry, a) in block.iter_mut().zip(row(table(other))) {
                            *entry = std::array::from_fn(|lane| entry[lane] * a[lane]);
                        }
                    }
                }
            }
            for &number in &leaves[last] {
                let (sums, strides) = &mut leaving[number];
                let from = at[arriving.len() + number] + state * above(strides);
                for (sum, entry) in fours_mut(&mut sums[from..][..n_padded]).iter_mut().zip(&*block) {
                    *sum = std::array::from_fn(|lane| sum[lane] + entry[lane]);
                }
            }
            let lanes = block.iter().fold([0.0; 4], |lanes: [f64; 4], entry| std::array::from_fn(|lane| lanes[lane] + entry[lane]));
            let below = (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]);
            for &number in to_above {
                let (sums, strides) = &mut leaving[number];
                sums[at[arriving.len() + number] + state * above(strides)] += below;
            }
            total += below;
        }
        total
    }
}

#[inline(always)]
fn fours_mut(values: &mut [f64]) -> &mut [[f64; 4]] {
    values.as_chunks_mut::<4>().0
}

#[inline(always)]
fn fours(values: &[f64]) -> &[[f64; 4]] {
    values.as_chunks::<4>().0
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
