//! Propagation over cliques whose factors are never multiplied into a table.
//!
//! A large tree without zeros may be cut far down by evidence, and then is gone through once: storing the tables of the evidence's own tree would cost more than
//! using them. As in lazy propagation (Madsen & Jensen 1999) the factors of a clique stay a list, and a [`Sweep`] multiplies them on its way. Numbers are
//! doubles; where those might lose something, nothing is told, and tables are made.

use super::clique_tree::CliqueTree;
use super::compilation::Layout;
use super::subtrees::Subtrees;
use super::sweep::{Operand, Sweep};
use super::{Calibrated, running_sum};
use crate::elimination_order::Elimination;
use crate::evidence::{Answer, Evidence};
use crate::factor_graph::FactorGraph;
use belief::VarId;
use std::sync::OnceLock;

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
    let cliques = Cliques::new(graph, evidence, &tree, &layout, wanted, in_parallel);
    if in_parallel {
        let entries = |place: usize| cliques.shape_of(&cliques.scopes[place]).iter().product();
        let subtrees = Subtrees::new(&tree.parents, (0..tree.parents.len()).map(entries));
        subtrees.upwards(subtrees.all(), &|place| cliques.send_up(place))?;
        subtrees.downwards(subtrees.all(), &|place| cliques.send_down(place))?;
    } else {
        (0..tree.parents.len()).rev().try_for_each(|place| cliques.send_up(place))?;
        (0..tree.parents.len()).try_for_each(|place| cliques.send_down(place))?;
    }
    let first_state = running_sum(graph.n_states()[..graph.domain().n_variables()].iter().copied());
    let mut marginals = vec![0.0; first_state[graph.domain().n_variables()]];
    let mut ln_total = 0.0;
    for (place, found) in cliques.found.iter().enumerate() {
        let Some(found) = found.get() else { continue };
        for (variable, marginal) in cliques.wanted[place].iter().zip(&found.marginals) {
            marginals[first_state[variable.index()]..first_state[variable.index() + 1]].copy_from_slice(marginal);
        }
        ln_total += found.ln_total;
    }
    let answer = Calibrated { marginals, first_state };
    Some(Answer::Possible { answer, ln_p_evidence: ln_total + layout.ln_constant + evidence.ln_scale() })
}

/// The cliques of a tree, and what is sent and found as it is walked through.
struct Cliques<'a> {
    graph: &'a FactorGraph,
    evidence: &'a Evidence,
    tree: &'a CliqueTree,
    layout: &'a Layout,
    in_parallel: bool,
    /// The variables of each clique in the order of its sweeps.
    scopes: Vec<Vec<VarId>>,
    /// The variables that each clique tells of.
    wanted: Vec<Vec<VarId>>,
    /// Whether a clique or one below it tells of any.
    is_needed: Vec<bool>,
    factors: Vec<OnceLock<Vec<Operand>>>,
    /// What each clique sends to its parent, as an operand there, with the power of two that it and all below were divided by.
    sent: Vec<OnceLock<(Operand, i64)>>,
    /// What each clique is told by its parent, as an operand here.
    told: Vec<OnceLock<Operand>>,
    found: Vec<OnceLock<Found>>,
}

/// What a clique tells.
struct Found {
    marginals: Vec<Vec<f64>>,
    /// Of a root, the logarithm of what its part of the model comes to.
    ln_total: f64,
}

impl<'a> Cliques<'a> {
    fn new(
        graph: &'a FactorGraph,
        evidence: &'a Evidence,
        tree: &'a CliqueTree,
        layout: &'a Layout,
        wanted: &[VarId],
        in_parallel: bool,
    ) -> Self {
        let n_cliques = tree.scopes.len();
        let mut is_wanted = vec![false; graph.n_with_hidden()];
        wanted.iter().for_each(|variable| is_wanted[variable.index()] = true);
        let wanted_at = |homes: &Vec<VarId>| homes.iter().copied().filter(|variable| is_wanted[variable.index()]).collect();
        let wanted: Vec<Vec<VarId>> = layout.homes.iter().map(wanted_at).collect();
        let mut is_needed = vec![false; n_cliques];
        for place in (0..n_cliques).rev() {
            is_needed[place] |= !wanted[place].is_empty();
            match tree.parents[place] {
                Some(parent) => is_needed[parent] |= is_needed[place],
                None => is_needed[place] = true,
            }
        }
        let in_order_of_sweeps = |place: usize| {
            let of_model = layout.factors[place].iter().map(|&number| graph.factors()[number].scope());
            let of_children = layout.children[place].iter().map(|&child| &tree.scopes[child][..tree.n_shared[child]]);
            let tables: Vec<&[VarId]> =
                of_model.chain(of_children.flat_map(|shared| [shared; 2])).chain([&tree.scopes[place][..tree.n_shared[place]]]).collect();
            in_order(&tree.scopes[place], &tables, graph.n_states())
        };
        let scopes = (0..n_cliques).map(in_order_of_sweeps).collect();
        Self {
            graph,
            evidence,
            tree,
            layout,
            in_parallel,
            scopes,
            wanted,
            is_needed,
            factors: to_come(n_cliques),
            sent: to_come(n_cliques),
            told: to_come(n_cliques),
            found: to_come(n_cliques),
        }
    }

    /// Sends what a clique knows to its parent; `None` where something might be lost, or all is zero.
    fn send_up(&self, place: usize) -> Option<()> {
        let Some(parent) = self.tree.parents[place] else { return Some(()) };
        let over = self.shared(place, place);
        let mut sweep = Sweep::new(self.shape_of(&self.scopes[place]), self.arriving(place), &[&over], &self.scopes[place])?;
        sweep.run(self.in_parallel);
        let (mut message, _) = sweep.into_messages().pop()?;
        let exponent = self.exponent_below(place) + scaled(&mut message)?;
        let is_padded = over.last() == self.scopes[place].last();
        let message = Operand::new(&self.scopes[parent], (&over, &self.shape_of(&over), is_padded), &message);
        self.sent[place].set((message, exponent)).ok()
    }

    /// Tells a clique's children what it knows from elsewhere, and the distributions of its variables; `None` where something might be lost, or all is zero.
    fn send_down(&self, place: usize) -> Option<()> {
        if !self.is_needed[place] {
            return Some(());
        }
        let scope = &self.scopes[place];
        let children: Vec<usize> = self.layout.children[place].iter().copied().filter(|&child| self.is_needed[child]).collect();
        let of_children: Vec<Vec<VarId>> = children.iter().map(|&child| self.shared(child, place)).collect();
        let over: Vec<&[VarId]> =
            of_children.iter().map(Vec::as_slice).chain(self.wanted[place].iter().map(std::slice::from_ref)).collect();
        let mut operands = self.arriving(place);
        operands.extend(self.told[place].get());
        let mut sweep = Sweep::new(self.shape_of(scope), operands, &over, scope)?;
        let total = sweep.run(self.in_parallel);
        if total <= 0.0 {
            return None;
        }
        let ln_total = match self.tree.parents[place] {
            Some(_) => 0.0,
            None => total.ln() + self.exponent_below(place) as f64 * std::f64::consts::LN_2,
        };
        let mut leaving = sweep.into_messages();
        let marginals = leaving.split_off(children.len()).into_iter().zip(&self.wanted[place]).map(|((mut message, _), variable)| {
            message.truncate(self.graph.n_states()[variable.index()]);
            let total: f64 = message.iter().sum();
            message.iter_mut().for_each(|value| *value /= total);
            (total > 0.0).then_some(message)
        });
        let marginals = marginals.collect::<Option<_>>()?;
        for ((&child, over), (mut message, strides)) in children.iter().zip(&of_children).zip(leaving) {
            // What the child sent lies in the same order.
            let (own, _) = self.sent[child].get()?;
            debug_assert_eq!(strides, own.strides);
            message.iter_mut().zip(&own.values).for_each(|(back, &sent)| *back = if sent > 0.0 { *back / sent } else { 0.0 });
            scaled(&mut message)?;
            let is_padded = over.last() == scope.last();
            self.told[child].set(Operand::new(&self.scopes[child], (over, &self.shape_of(over), is_padded), &message)).ok()?;
        }
        self.found[place].set(Found { marginals, ln_total }).ok()
    }

    /// What comes to a clique from its own factors and from below.
    fn arriving(&self, place: usize) -> Vec<&Operand> {
        let own = self.factors[place].get_or_init(|| self.own_factors(place));
        let from_below = self.layout.children[place].iter().filter_map(|&child| self.sent[child].get());
        own.iter().chain(from_below.map(|(message, _)| message)).collect()
    }

    fn own_factors(&self, place: usize) -> Vec<Operand> {
        let scope = &self.scopes[place];
        let of_model = self.layout.factors[place].iter().map(|&number| &self.graph.factors()[number]);
        let of_model = of_model.map(|factor| Operand::new(scope, (factor.scope(), factor.shape(), false), factor.values()));
        let seen = self.layout.homes[place].iter().filter_map(|variable| Some((variable, self.evidence.likelihood(*variable)?)));
        let seen = seen.map(|(variable, likelihood)| Operand::new(scope, (&[*variable], &[likelihood.len()], false), likelihood));
        of_model.chain(seen).collect()
    }

    /// What a clique shares with its parent, in the order of one of the two.
    fn shared(&self, child: usize, within: usize) -> Vec<VarId> {
        let shared = &self.tree.scopes[child][..self.tree.n_shared[child]];
        self.scopes[within].iter().copied().filter(|variable| shared.contains(variable)).collect()
    }

    fn shape_of(&self, scope: &[VarId]) -> Vec<usize> {
        scope.iter().map(|variable| self.graph.n_states()[variable.index()]).collect()
    }

    /// The power of two that the messages to a clique from below were divided by.
    fn exponent_below(&self, place: usize) -> i64 {
        self.layout.children[place].iter().filter_map(|&child| self.sent[child].get()).map(|(_, exponent)| exponent).sum()
    }
}

fn to_come<T>(n_cliques: usize) -> Vec<OnceLock<T>> {
    (0..n_cliques).map(|_| OnceLock::new()).collect()
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
