//! Propagation over cliques whose factors are never multiplied into a table.
//!
//! A large tree without zeros may be cut far down by evidence, and then is gone through once: storing the tables of the evidence's own tree would cost more than
//! using them. As in lazy propagation (Madsen & Jensen 1999) the factors of a clique stay a list, and a [`Sweep`] multiplies them on its way. Numbers are
//! doubles; where those might lose something, nothing is told, and tables are made.

use super::clique_tree::CliqueTree;
use super::compilation::Layout;
use super::sweep::{Operand, Sweep};
use super::{Calibrated, running_sum};
use crate::elimination_order::Elimination;
use crate::evidence::{Answer, Evidence};
use crate::factor_graph::FactorGraph;
use belief::VarId;

/// Beyond this, up or down, the largest number of a message is brought back to about one.
const SCALE_BEYOND: f64 = (1_u64 << 60) as f64;

/// The distributions of wanted variables by an elimination of a model in which known states are cut out, with the evidence that is left; `None` where doubles might
/// lose something, or all is zero.
pub(super) fn posteriors(
    graph: &FactorGraph,
    plan: &Elimination,
    evidence: &Evidence,
    wanted: &[VarId],
    in_parallel: bool,
) -> Option<Answer<Calibrated>> {
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
        sweep.run(in_parallel);
        let (mut message, _) = sweep.into_messages().pop()?;
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
        let total = sweep.run(in_parallel);
        if tree.parents[place].is_none() {
            if total <= 0.0 {
                return None;
            }
            ln_total += total.ln() + exponents[place] as f64 * std::f64::consts::LN_2;
        }
        let leaving = sweep.into_messages();
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
