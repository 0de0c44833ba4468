//! The plan of a question: what it will cost, before heavy work.
//!
//! Sizes are of the elimination that will be run, known from the scopes of factors alone: no table is made. For all marginals it is the elimination that the
//! junction tree is made by. What fits is what the engines hold at once, by the same bounds that they refuse by. Seconds are the entries divided by a stated rate and tell the order of magnitude, not more.

use super::answer::union;
use super::cutset::{self, Cutset, Order};
use super::error::bytes_in_words;
use super::finding::{FindingKind, likelihoods};
use super::most_probable::{BestShape, bytes_of};
use super::oracle::{Method, Oracle, ROOM_OF_STORED, TABLES_AT_ONCE, messages_of};
use super::resolve::{Asks, Question};
use super::{AskError, Engine};
use crate::elimination_order::InteractionGraph;
use crate::evidence::Evidence;
use crate::factor_graph::FactorGraph;
use crate::query::Query;
use belief::VarId;

/// The rate that seconds are estimated at: entries of tables an engine goes through in a second, in an optimised build on one core. (Elimination went
/// through some 6e7 of mildew's and diabetes' on a busy machine; the search for an order is not counted.)
pub const ENTRIES_PER_SECOND: f64 = 5e7;

/// A tree is compiled to see whether it fits where no more configurations than this would be looked at: less than a second.
const MAX_TRIED: f64 = 2e7;

/// What to do when something is too large.
pub(super) const TOO_LARGE: &str = "allow more memory, ask for fewer variables at once, or give more findings";

/// What a question costs.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Plan {
    /// How it will be answered, or would be if it fitted.
    pub method: String,
    /// The variables of the table with the most variables, less one: the width of the elimination.
    pub width: usize,
    /// The entries of the largest table.
    pub largest_table: f64,
    /// The variables of the largest table.
    pub largest_over: Vec<String>,
    /// The entries of all tables of one run.
    pub total_entries: f64,
    /// How often that is run: for each state of a cutset or of bare variables.
    pub runs: f64,
    /// The memory it takes at most, in bytes.
    pub bytes: f64,
    /// How long it takes, at [`ENTRIES_PER_SECOND`].
    pub seconds: f64,
    /// The entries, of eight bytes, that all may have together.
    pub limit: usize,
    /// Whether the memory is within the limit, so that it will be started.
    pub fits: bool,
    /// Whether it may fit all the same: a junction tree stores possible entries only, and how many these are is known when it is compiled.
    pub may_shrink: bool,
    /// The variables that are gone through state by state so that it fits.
    pub cutset: Vec<String>,
    /// What to do; empty where it fits.
    pub advice: String,
}

/// The scopes that an elimination works on, known variables left out.
#[derive(Clone, Debug)]
pub(super) struct Shape {
    pub scopes: Vec<Vec<VarId>>,
    /// The variables that stay.
    pub keep: Vec<VarId>,
    /// The variables that go.
    pub eliminate: Vec<VarId>,
}

impl Oracle {
    /// What a question will cost.
    ///
    /// # Errors
    /// When the question cannot be asked at all.
    ///
    /// ```
    /// use tunbridge_net::{Network, ask::Oracle};
    /// let network = Network::builder()
    ///     .variable("Cancer", ["yes", "no"]).probabilities([0.008, 0.992])
    ///     .variable("Test", ["+", "-"]).given(["Cancer"]).probabilities([0.98, 0.02,  0.03, 0.97])
    ///     .build()?;
    /// let plan = Oracle::of_network(network).plan(&"P(Cancer | Test=+)".parse()?)?;
    /// assert!(plan.fits);
    /// assert_eq!((plan.width, plan.largest_table), (0, 2.0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn plan(&self, query: &Query) -> Result<Plan, AskError> {
        self.plan_of(&self.question(query)?)
    }

    /// What a question in ids will cost.
    ///
    /// # Errors
    /// When findings are no likelihoods.
    pub fn plan_of(&self, question: &Question) -> Result<Plan, AskError> {
        let evidence = likelihoods(self.domain(), &question.findings)?.unwrap_or_default();
        let fitted: Vec<VarId> =
            question.findings.iter().filter(|finding| finding.kind() == FindingKind::Posterior).map(|finding| finding.variable()).collect();
        let n_configurations: f64 = self.shape_of(&question.each).iter().map(|&n_states| n_states as f64).product();
        let mut plan = match &question.asks {
            Asks::Independence { .. } => self.nothing_to_do(),
            Asks::Marginals => {
                let at_once = match self.engine() {
                    Engine::Elimination => self.sized(&all_open(self.graph(), &evidence), Method::BucketTree),
                    _ if self.lazy_elimination(&evidence).is_some() => {
                        self.sized(&all_open(self.graph(), &evidence), Method::LazyPropagation)
                    }
                    _ => self.sized_tree(&[]),
                };
                let plan = if at_once.fits {
                    at_once
                } else {
                    match self.plan_one_by_one(&evidence) {
                        // The tree is tried first.
                        one_by_one if one_by_one.fits && at_once.may_shrink => {
                            let method = format!("{} if it fits without what is impossible, else {}", at_once.method, one_by_one.method);
                            Plan { method, ..one_by_one }
                        }
                        one_by_one if one_by_one.fits || self.engine() == Engine::Elimination => one_by_one,
                        _ => at_once,
                    }
                };
                plan.times(n_configurations)
            }
            Asks::Best { variables, n_best } => {
                let shape = shape_of_best(self.graph(), variables, &evidence);
                self.sized_best(&shape, variables.len(), *n_best).times(n_configurations)
            }
            _ => self.sized_joint(&self.needed(question).0, &evidence),
        };
        if !fitted.is_empty() {
            let before = self.sized_joint(&fitted, &evidence);
            plan.seconds += before.seconds;
            if before.largest_table > plan.largest_table {
                let Plan { width, largest_table, largest_over, bytes, fits, advice, .. } = before;
                plan = Plan { width, largest_table, largest_over, bytes, fits: plan.fits && fits, advice, ..plan };
            }
        }
        Ok(plan)
    }

    /// The variables whose joint a question needs, and whether events among them are better taken as evidence.
    pub(super) fn needed(&self, question: &Question) -> (Vec<VarId>, bool) {
        let each = &question.each;
        match &question.asks {
            Asks::Probability { variables, events } => {
                let of_events: Vec<VarId> = events.iter().map(|(variable, _)| *variable).collect();
                let all = union(&[each, variables, &of_events]);
                let entries: f64 = self.shape_of(&all).iter().map(|&n_states| n_states as f64).product();
                if events.is_empty() || entries <= super::answer::SMALL_JOINT { (all, false) } else { (union(&[each, variables]), true) }
            }
            Asks::Expectation { variable, .. } => (union(&[each, &[*variable]]), false),
            Asks::Entropy { variables } => (union(&[each, variables]), false),
            Asks::MutualInformation { first, second } => (union(&[each, first, second]), false),
            Asks::Marginals | Asks::Best { .. } | Asks::Independence { .. } => (each.clone(), false),
        }
    }

    /// What the marginals of all variables cost when each is eliminated for by itself. The last ones tend to need most; where one of them does
    /// not fit, the others are not looked at.
    pub(super) fn plan_one_by_one(&self, evidence: &Evidence) -> Plan {
        let mut all = Plan { method: Method::EachByElimination.words(), runs: 0.0, ..self.nothing_to_do() };
        for variable in (0..self.domain().n_variables()).rev().map(VarId::new) {
            let one = self.sized(&shape_of(self.graph(), &[variable], evidence), Method::Elimination);
            all.seconds += one.seconds;
            all.total_entries += one.total_entries * one.runs;
            all.runs += 1.0;
            all.bytes = all.bytes.max(one.bytes);
            all.width = all.width.max(one.width);
            if !one.cutset.is_empty() {
                all.method = Method::EachByCutset.words();
            }
            if one.largest_table > all.largest_table {
                (all.largest_table, all.largest_over) = (one.largest_table, one.largest_over);
            }
            if !one.fits || all.seconds > cutset::MAX_WORK / ENTRIES_PER_SECOND {
                return Plan { fits: false, advice: TOO_LARGE.to_string(), ..all };
            }
        }
        Plan { total_entries: all.total_entries / all.runs.max(1.0), ..all }
    }

    fn nothing_to_do(&self) -> Plan {
        Plan {
            method: "the graph alone".to_string(),
            width: 0,
            largest_table: 0.0,
            largest_over: Vec::new(),
            total_entries: 0.0,
            runs: 1.0,
            bytes: 0.0,
            seconds: 0.0,
            limit: self.max_entries(),
            fits: true,
            may_shrink: false,
            cutset: Vec::new(),
            advice: String::new(),
        }
    }

    /// What the joint of variables costs.
    fn sized_joint(&self, variables: &[VarId], evidence: &Evidence) -> Plan {
        match self.engine() {
            Engine::JunctionTree => self.sized_tree(variables),
            _ => self.sized(&shape_of(self.graph(), variables, evidence), Method::Elimination),
        }
    }

    /// What the junction tree costs, and the joint of variables by it, one after another. Nothing large is compiled.
    fn sized_tree(&self, joint: &[VarId]) -> Plan {
        let (graph, order) = (self.graph(), self.tree_order());
        let n_states = graph.n_states();
        let kept = if joint.is_empty() { 0.0 } else { cutset::entries(joint, n_states) };
        let largest = largest_of(&order.cliques, n_states).filter(|_| order.largest_table >= kept);
        let n_stored = match self.compiled_tree() {
            Some(Ok(tree)) => tree.n_stored() as f64,
            _ => order.tree_entries,
        };
        // All states of all but the last, each a run.
        let runs = joint.iter().rev().skip(1).map(|variable| n_states[variable.index()] as f64).product::<f64>();
        let plan = Plan {
            method: Method::JunctionTree.words(),
            width: order.cliques.iter().map(Vec::len).max().unwrap_or(0).saturating_sub(1),
            largest_table: order.largest_table.max(kept),
            largest_over: graph.names_of(largest.map_or(joint, |largest| largest)),
            total_entries: n_stored + kept,
            runs,
            bytes: 8.0 * (ROOM_OF_STORED as f64 * n_stored + kept),
            seconds: (n_stored * runs + kept) / ENTRIES_PER_SECOND,
            ..self.nothing_to_do()
        };
        if plan.bytes <= 8.0 * plan.limit as f64 {
            return plan;
        }
        // Zeros are left out, and how many there are compiling tells. Where that is done in no time, so be it.
        if kept <= plan.limit as f64 && self.compiled_tree().is_none() && !graph.is_positive() {
            if 8.0 * self.tree_limit() as f64 * order.cliques.len() as f64 <= MAX_TRIED {
                return match self.junction_tree() {
                    Ok(_) => self.sized_tree(joint),
                    Err(_) => self.cut(Plan { fits: false, ..plan }, None, Method::Cutset),
                };
            }
            let advice = format!(
                "a junction tree leaves out what is impossible, and how much that is only asking tells; what is still too large is refused: {TOO_LARGE}"
            );
            return Plan { fits: false, may_shrink: true, advice, ..plan };
        }
        self.cut(Plan { fits: false, ..plan }, None, Method::Cutset)
    }

    fn sized(&self, shape: &Shape, method: Method) -> Plan {
        let (graph, limit) = (self.graph(), self.table_limit());
        let n_states = graph.n_states();
        let cost = shape.elimination(n_states);
        let kept = shape.kept_entries(n_states);
        let largest = largest_of(&cost.cliques, n_states).filter(|_| cost.largest_table >= kept).unwrap_or(&shape.keep);
        let width = cost.cliques.iter().chain([&shape.keep]).map(Vec::len).max().unwrap_or(0).saturating_sub(1);
        let mut plan = Plan {
            width,
            largest_table: cost.largest_table.max(kept),
            largest_over: graph.names_of(largest),
            total_entries: cost.total_entries + kept,
            method: method.words(),
            ..self.nothing_to_do()
        };
        let at_once = match method {
            // All tables are kept.
            Method::BucketTree => ROOM_OF_STORED as f64 * cost.total_entries,
            Method::LazyPropagation => messages_of(&cost, n_states),
            _ => TABLES_AT_ONCE as f64 * plan.largest_table,
        };
        (plan.bytes, plan.seconds) = (8.0 * at_once, (cutset::work(&cost) + kept) / ENTRIES_PER_SECOND);
        plan.fits = at_once <= plan.limit as f64;
        if plan.fits {
            return plan;
        }
        let chosen = if method == Method::Elimination { cutset::choose(shape, n_states, self.domain().n_variables(), limit) } else { None };
        self.cut(plan, chosen.as_ref(), Method::Cutset)
    }

    fn sized_best(&self, shape: &BestShape, n_variables: usize, n_best: usize) -> Plan {
        let (graph, limit) = (self.graph(), self.max_entries());
        let cliques: Vec<Vec<VarId>> = shape.sum.cliques.iter().chain(&shape.max.cliques).cloned().collect();
        let total_entries = shape.sum.total_entries + shape.max.total_entries;
        let plan = Plan {
            width: cliques.iter().map(Vec::len).max().unwrap_or(0).saturating_sub(1),
            largest_table: shape.largest_table(),
            largest_over: largest_of(&cliques, graph.n_states()).map_or(Vec::new(), |largest| graph.names_of(largest)),
            total_entries,
            bytes: 8.0 * shape.entries_at_once(),
            seconds: 2.0 * (cutset::work(&shape.sum) + cutset::work(&shape.max)) / ENTRIES_PER_SECOND,
            fits: shape.largest(graph, limit).is_ok(),
            method: Method::MaxProduct.words(),
            ..self.nothing_to_do()
        };
        let mut plan = if plan.fits { plan } else { self.cut(plan, shape.cutset(graph, limit).as_ref(), Method::MaxProductCutset) };
        let room = limit as f64 - plan.bytes / 8.0;
        let n_found = shape.n_found(graph.n_states(), n_best);
        plan.bytes += bytes_of(n_found, n_variables);
        // For each that is found, the variables are gone through for each of them.
        plan.seconds += n_found * (n_variables * n_variables) as f64 / ENTRIES_PER_SECOND;
        match shape.check_number(graph.n_states(), n_best, n_variables, room) {
            Err(too_many) if plan.fits => Plan { fits: false, advice: too_many.to_string(), ..plan },
            _ => plan,
        }
    }

    /// A plan that does not fit, with the cutset that makes it fit, or else with advice.
    fn cut(&self, plan: Plan, chosen: Option<&Cutset>, method: impl FnOnce(Vec<String>) -> Method) -> Plan {
        let Some(chosen) = chosen else {
            let (bytes, over) = (bytes_in_words(8.0 * plan.largest_table), plan.largest_over.len());
            let advice = format!("its largest table, over {over} variables, takes {bytes}: {TOO_LARGE}");
            return Plan { advice, ..plan };
        };
        let names = self.graph().names_of(&chosen.variables);
        let runs = chosen.n_configurations as f64;
        let largest =
            largest_of(&chosen.each.cliques, self.graph().n_states()).map_or(Vec::new(), |largest| self.graph().names_of(largest));
        Plan {
            method: method(names.clone()).words(),
            width: chosen.each.cliques.iter().map(Vec::len).max().unwrap_or(0).saturating_sub(1),
            largest_table: chosen.each.largest_table,
            largest_over: largest,
            total_entries: chosen.each.total_entries,
            runs,
            bytes: 8.0 * chosen.entries_at_once,
            seconds: chosen.work() / ENTRIES_PER_SECOND,
            fits: true,
            cutset: names,
            ..plan
        }
    }
}

impl Plan {
    fn times(self, runs: f64) -> Self {
        Self { runs: self.runs * runs, seconds: self.seconds * runs, ..self }
    }

    /// The memory in words, as in `12 MB`.
    pub fn memory(&self) -> String {
        bytes_in_words(self.bytes)
    }
}

/// What an elimination for a joint works on.
pub(super) fn shape_of(graph: &FactorGraph, query: &[VarId], evidence: &Evidence) -> Shape {
    let scopes = scopes_of(graph, query, evidence, |variable| !query.contains(&variable));
    let mut in_scope = vec![false; graph.n_with_hidden()];
    scopes.iter().flatten().for_each(|variable| in_scope[variable.index()] = true);
    query.iter().for_each(|variable| in_scope[variable.index()] = false);
    let eliminate = (0..in_scope.len()).filter(|&place| in_scope[place]).map(VarId::new).collect();
    Shape { scopes, keep: query.to_vec(), eliminate }
}

/// What maximising over variables works on: an order of sums, then one of maxima.
pub(super) fn shape_of_best(graph: &FactorGraph, variables: &[VarId], evidence: &Evidence) -> BestShape {
    let mut scopes = scopes_of(graph, variables, evidence, |_| true);
    let open: Vec<VarId> = variables.iter().copied().filter(|&variable| evidence.state(variable).is_none()).collect();
    scopes.extend(open.iter().map(|&variable| vec![variable]));
    best_shape(graph.n_states(), scopes, &open, Order::Cheapest)
}

/// The orders for scopes of which these variables are maximised.
pub(super) fn best_shape(n_states: &[usize], scopes: Vec<Vec<VarId>>, open: &[VarId], order: Order) -> BestShape {
    let mut maximised = vec![false; n_states.len()];
    open.iter().for_each(|variable| maximised[variable.index()] = true);
    let mut summed: Vec<VarId> = scopes.iter().flatten().copied().filter(|variable| !maximised[variable.index()]).collect();
    summed.sort_unstable();
    summed.dedup();
    let mut beside = InteractionGraph::new(n_states.to_vec());
    scopes.iter().for_each(|scope| beside.connect(scope));
    let sum = order.find(&beside, &summed);
    let mut left = InteractionGraph::new(n_states.to_vec());
    for scope in scopes.iter().chain(&sum.cliques) {
        left.connect(&scope.iter().copied().filter(|variable| maximised[variable.index()]).collect::<Vec<_>>());
    }
    let max = order.find(&left, open);
    BestShape { shape: Shape { scopes, keep: Vec::new(), eliminate: open.to_vec() }, sum, max }
}

/// The scopes of the factors that matter, without the variables that were seen and may be cut.
fn scopes_of(graph: &FactorGraph, query: &[VarId], evidence: &Evidence, may_cut: impl Fn(VarId) -> bool) -> Vec<Vec<VarId>> {
    let named: Vec<VarId> = query.iter().copied().chain(evidence.variables()).collect();
    let relevant = graph.relevant(&named);
    let open = |variable: &VarId| !may_cut(*variable) || evidence.state(*variable).is_none();
    let factors = graph.factors().iter().zip(relevant).filter(|(_, relevant)| *relevant);
    factors.map(|(factor, _)| factor.scope().iter().copied().filter(open).collect()).collect()
}

/// What a bucket tree and lazy propagation work on: all that is not known.
pub(super) fn all_open(graph: &FactorGraph, evidence: &Evidence) -> Shape {
    let open = |variable: &VarId| evidence.state(*variable).is_none();
    let scopes = graph.factors().iter().map(|factor| factor.scope().iter().copied().filter(open).collect()).collect();
    Shape { scopes, keep: Vec::new(), eliminate: (0..graph.n_with_hidden()).map(VarId::new).filter(open).collect() }
}

fn largest_of<'a>(cliques: &'a [Vec<VarId>], n_states: &[usize]) -> Option<&'a Vec<VarId>> {
    cliques.iter().max_by(|a, b| cutset::entries(a, n_states).total_cmp(&cutset::entries(b, n_states)))
}
