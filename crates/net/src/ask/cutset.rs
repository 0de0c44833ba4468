//! Cutset conditioning: what does not fit at once is answered for each configuration of a few variables, and the answers are weighed.
//!
//! Pearl 1988, section 4.4.2. Memory is traded for time: every configuration is an elimination of its own. Variables are chosen greedily, each time
//! the one of the largest table whose knowledge makes the largest table smallest.

use super::most_probable::BestShape;
use super::oracle::TABLES_AT_ONCE;
use super::plan::{Shape, best_shape};
use crate::elimination_order::{Elimination, Heuristic, InteractionGraph, Search, cheapest_elimination, elimination};
use crate::error::NetError;
use crate::evidence::{Answer, Evidence, JointDistribution};
use crate::factor_graph::FactorGraph;
use crate::variable_elimination::eliminate_in_order;
use belief::{VarId, log_sum_exp};

/// How an order is found.
#[derive(Clone, Copy, Debug)]
pub(super) enum Order {
    /// By one heuristic.
    Quick,
    /// The cheapest of many, as the engines do.
    Cheapest,
}

impl Order {
    pub fn find(self, graph: &InteractionGraph, eliminate: &[VarId]) -> Elimination {
        match self {
            Self::Quick => elimination(graph, eliminate, Heuristic::MinWeight),
            Self::Cheapest => cheapest_elimination(graph, eliminate, Search::Brief),
        }
    }
}

/// More configurations than this are not gone through.
const MAX_CONFIGURATIONS: f64 = 65_536.0;

/// More entries than this, in all configurations together, are not gone through: a quarter of an hour or so.
pub(super) const MAX_WORK: f64 = 5e10;

/// What a variable's elimination costs besides its table, in entries.
const PER_VARIABLE: f64 = 100.0;

/// Variables to go through the configurations of.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Cutset {
    pub variables: Vec<VarId>,
    /// How many configurations they have.
    pub n_configurations: usize,
    /// What each of them costs.
    pub each: Elimination,
    /// The entries that are held at once.
    pub entries_at_once: f64,
}

impl Cutset {
    /// What all configurations cost, in entries.
    pub fn work(&self) -> f64 {
        self.n_configurations as f64 * work(&self.each)
    }
}

/// What an elimination costs, in entries.
pub(super) fn work(of: &Elimination) -> f64 {
    of.total_entries + PER_VARIABLE * of.order.len() as f64
}

/// A cutset with which every table is within the limit; `None` when too many configurations would have to be gone through. Only the first `n_named`
/// variables can be conditioned on, and none that stays in the answer.
pub(super) fn choose(shape: &Shape, n_states: &[usize], n_named: usize, limit: usize) -> Option<Cutset> {
    if shape.kept_entries(n_states) > limit as f64 {
        return None;
    }
    let (mut shape, mut variables, mut n_configurations) = (shape.clone(), Vec::new(), 1.0);
    let mut each = shape.quick_elimination(n_states);
    loop {
        // Choosing goes by one quick heuristic; whether it fits is told by the order that will be taken.
        if each.largest_table <= limit as f64 {
            each = shape.elimination(n_states);
            if each.largest_table <= limit as f64 {
                break;
            }
        }
        let largest = each.cliques.iter().max_by(|a, b| entries(a, n_states).total_cmp(&entries(b, n_states)))?;
        let may_go = |variable: &VarId| variable.index() < n_named && shape.eliminate.contains(variable) && n_states[variable.index()] > 1;
        let candidates: Vec<VarId> = largest.iter().copied().filter(may_go).collect();
        let tried = candidates.into_iter().map(|variable| {
            let without = shape.without(variable);
            let cost = without.quick_elimination(n_states);
            (variable, without, cost)
        });
        // Of equals the first: the lowest id.
        let best = tried.min_by(|a, b| {
            let work = |of: &(VarId, Shape, Elimination)| of.2.total_entries * n_states[of.0.index()] as f64;
            a.2.largest_table.total_cmp(&b.2.largest_table).then(work(a).total_cmp(&work(b)))
        });
        let (variable, without, cost) = best?;
        n_configurations *= n_states[variable.index()] as f64;
        if n_configurations > MAX_CONFIGURATIONS {
            return None;
        }
        variables.push(variable);
        (shape, each) = (without, cost);
    }
    let entries_at_once = TABLES_AT_ONCE as f64 * each.largest_table.max(shape.kept_entries(n_states));
    let found = Cutset { variables, n_configurations: n_configurations as usize, each, entries_at_once };
    (found.work() <= MAX_WORK).then_some(found)
}

/// A cutset of variables that are maximised over, with which all tables of a maximisation together are within the limit.
pub(super) fn choose_for_best(shape: &Shape, n_states: &[usize], limit: usize) -> Option<Cutset> {
    let (mut scopes, mut open, mut variables, mut n_configurations) = (shape.scopes.clone(), shape.eliminate.clone(), Vec::new(), 1.0);
    let fits = |costs: &BestShape| costs.entries_at_once() <= limit as f64;
    loop {
        let mut costs = best_shape(n_states, scopes.clone(), &open, Order::Quick);
        if fits(&costs) {
            costs = best_shape(n_states, scopes.clone(), &open, Order::Cheapest);
        }
        let cliques = costs.sum.cliques.iter().chain(&costs.max.cliques);
        let largest = costs.largest_table();
        if fits(&costs) {
            let total_entries = costs.sum.total_entries + costs.max.total_entries;
            let each = Elimination {
                order: [&costs.sum.order[..], &costs.max.order].concat(),
                cliques: cliques.cloned().collect(),
                largest_table: largest,
                total_entries,
                tree_entries: total_entries,
            };
            let entries_at_once = costs.entries_at_once();
            let found = Cutset { variables, n_configurations: n_configurations as usize, each, entries_at_once };
            return (found.work() <= MAX_WORK).then_some(found);
        }
        let worst = cliques.max_by(|a, b| entries(a, n_states).total_cmp(&entries(b, n_states)))?;
        let without = |variable: VarId| -> Vec<Vec<VarId>> {
            scopes.iter().map(|scope| scope.iter().copied().filter(|&member| member != variable).collect()).collect()
        };
        let rest = |variable: VarId| open.iter().copied().filter(|&member| member != variable).collect::<Vec<_>>();
        let candidates = worst.iter().copied().filter(|variable| open.contains(variable) && n_states[variable.index()] > 1);
        let cost = |variable: VarId| {
            let costs = best_shape(n_states, without(variable), &rest(variable), Order::Quick);
            costs.sum.total_entries + costs.max.total_entries
        };
        let (variable, _) = candidates.map(|variable| (variable, cost(variable))).min_by(|a, b| a.1.total_cmp(&b.1))?;
        n_configurations *= n_states[variable.index()] as f64;
        if n_configurations > MAX_CONFIGURATIONS {
            return None;
        }
        (scopes, open) = (without(variable), rest(variable));
        variables.push(variable);
    }
}

/// P(query | evidence) by elimination for each configuration of the cutset.
pub(super) fn eliminate_by(
    graph: &FactorGraph,
    query: &[VarId],
    evidence: &Evidence,
    cutset: &Cutset,
) -> Result<Answer<JointDistribution>, NetError> {
    let mut parts: Vec<(Vec<f64>, f64)> = Vec::new();
    for place in 0..cutset.n_configurations {
        let known = with_configuration(graph, evidence, cutset, place)?;
        if let Answer::Possible { answer, ln_p_evidence } = eliminate_in_order(graph, query, &known, &cutset.each.order)? {
            parts.push((answer.probabilities, ln_p_evidence));
        }
    }
    if parts.is_empty() {
        return Ok(Answer::Impossible);
    }
    let ln_p: Vec<f64> = parts.iter().map(|(_, ln_p)| *ln_p).collect();
    let ln_p_evidence = log_sum_exp(&ln_p);
    let mut probabilities = vec![0.0; parts[0].0.len()];
    for (part, ln_p) in &parts {
        let weight = (ln_p - ln_p_evidence).exp();
        probabilities.iter_mut().zip(part).for_each(|(sum, p)| *sum += weight * p);
    }
    let total: f64 = probabilities.iter().sum();
    probabilities.iter_mut().for_each(|p| *p /= total);
    Ok(Answer::Possible { answer: JointDistribution { variables: query.to_vec(), probabilities }, ln_p_evidence })
}

/// The evidence, with the cutset in the configuration of a place.
pub(super) fn with_configuration(graph: &FactorGraph, evidence: &Evidence, cutset: &Cutset, place: usize) -> Result<Evidence, NetError> {
    let shape: Vec<usize> = cutset.variables.iter().map(|variable| graph.n_states()[variable.index()]).collect();
    let states = super::reply::states_at(&shape, place);
    let mut known = evidence.clone();
    cutset.variables.iter().zip(states).try_for_each(|(&variable, state)| known.observe(graph, variable, state))?;
    Ok(known)
}

pub(super) fn entries(clique: &[VarId], n_states: &[usize]) -> f64 {
    clique.iter().map(|variable| n_states[variable.index()] as f64).product()
}

impl Shape {
    /// The entries of the table that is left: the answer.
    pub fn kept_entries(&self, n_states: &[usize]) -> f64 {
        entries(&self.keep, n_states)
    }

    /// The cheapest elimination that the heuristics find: the one that will be run.
    pub fn elimination(&self, n_states: &[usize]) -> Elimination {
        self.elimination_by(n_states, Order::Cheapest)
    }

    /// The elimination of one heuristic.
    pub fn quick_elimination(&self, n_states: &[usize]) -> Elimination {
        self.elimination_by(n_states, Order::Quick)
    }

    fn elimination_by(&self, n_states: &[usize], order: Order) -> Elimination {
        let mut beside = InteractionGraph::new(n_states.to_vec());
        self.scopes.iter().for_each(|scope| beside.connect(scope));
        order.find(&beside, &self.eliminate)
    }

    /// The same with a variable known.
    pub fn without(&self, variable: VarId) -> Self {
        let other = |of: &[VarId]| of.iter().copied().filter(|&member| member != variable).collect::<Vec<_>>();
        Self { scopes: self.scopes.iter().map(|scope| other(scope)).collect(), keep: self.keep.clone(), eliminate: other(&self.eliminate) }
    }
}
