//! The junction tree: one compiled plan that answers for all variables at once.
//!
//! The moral graph is triangulated by an elimination order; its cliques make a tree ([`clique_tree`]). Of every clique only the configurations
//! that are possible at all are stored ([`support`]): entries that are zero whatever is observed cost nothing, and in networks with deterministic rows
//! those are most. They lie in runs along the variable of most states, where runs are long enough, and otherwise those that agree on what a clique shares with
//! its parent lie one behind the other.
//!
//! Propagation ([`propagation`]) goes through every clique at most twice. It is Hugin's in that what a child sent is divided out of what goes back to
//! it, on the separator, so that a clique of many neighbours costs no more than one product a neighbour; and Shafer–Shenoy's in that no clique is ever
//! written to: a question writes messages only. So one tree is shared by any number of threads, each with a [`Workspace`] of its own, and an answer
//! cannot depend on what was asked before. Messages of parts without evidence are those of the tree without any, computed once; and a workspace that is
//! used again sends upwards only what the evidence has changed since. (What goes down was divided by what came up, and is another to the last bit whatever has changed.)
//! For one large question several threads share the tree ([`subtrees`]).
//! Where evidence breaks a large tree without zeros up, a tree of its own is gone through instead, once and without tables ([`factored`]); which it is, sizes decide and no clock.

pub(crate) mod clique_tree;
mod compilation;
mod factored;
mod number;
mod propagation;
mod stored_sweep;
mod subtrees;
mod support;
mod sweep;

pub use propagation::Workspace;

use crate::elimination_order::{Elimination, Heuristic, InteractionGraph, Search, cheapest_elimination, elimination};
use crate::error::NetError;
use crate::evidence::{Answer, Evidence};
use crate::factor_graph::FactorGraph;
use belief::VarId;
use clique_tree::CliqueTree;
use compilation::{Layout, Room};
use std::sync::atomic::{AtomicU64, Ordering};
use subtrees::Subtrees;

/// Cliques in a tree, with the factors multiplied into them. Owns all it needs; may be shared by many questions.
#[derive(Clone, Debug)]
pub struct JunctionTree {
    /// Tells it from all others; copies have the same.
    id: u64,
    /// Every parent before its children.
    cliques: Vec<Clique>,
    n_states: Vec<usize>,
    n_named: usize,
    /// The clique that knows each variable: the smallest it is in.
    home: Vec<usize>,
    /// Where the messages of each neighbour begin in a list of all, and behind the last its length: cliques first, then named variables.
    first_message: Vec<usize>,
    /// Where what each of them is told begins in another list: each clique is followed by the variables that have their home there, so that what is told within a
    /// subtree lies side by side.
    first_told: Vec<usize>,
    subtrees: Subtrees,
    /// The natural logarithm of what all products are to be multiplied by.
    ln_constant: f64,
    /// Whether a product of entries above zero was too small for a double.
    faint: bool,
    /// Whether no configuration at all is possible.
    impossible: bool,
    /// The model, if the tree is so large that evidence may be worth a tree of its own.
    graph: Option<FactorGraph>,
    /// The messages upwards when nothing is observed, with the power of two that each was divided by; nothing when doubles cannot hold them.
    unobserved: Option<(Vec<f64>, Vec<i64>)>,
}

/// A clique: the configurations that are possible, in groups. Those of a group agree on what they share with the parent, unless its message steps along runs:
/// then a group is a run.
#[derive(Clone, Debug)]
struct Clique {
    scope: Vec<VarId>,
    n_shared: usize,
    parent: Option<usize>,
    /// How many entries the messages to the parent and from it have; none for a root.
    n_message: usize,
    /// The product of the factors of each configuration.
    potential: Vec<f64>,
    /// Where the configurations of each group begin, and behind the last their number. A root is one group.
    groups: Vec<u32>,
    /// Links that all configurations of a group agree on.
    by_group: Vec<Link>,
    /// Variables that all configurations of a group agree on and of which nothing below the clique tells: what is known of them comes from above, too
    /// late for what goes up.
    guards: Vec<Link>,
    /// Links that they do not agree on.
    within: Within,
}

/// How the configurations of a clique are tied to its neighbours.
#[derive(Clone, Debug)]
enum Within {
    /// Each by itself.
    Entries(Vec<Link>),
    /// In runs.
    Runs(Runs),
}

/// The configurations of a clique in runs over one variable: along a run some neighbours stay at their place and the others step by one.
#[derive(Clone, Debug)]
struct Runs {
    variable: VarId,
    /// Where each run begins, and behind the last the number of configurations.
    starts: Vec<u32>,
    /// The state of the variable in which each begins.
    first_states: Vec<u32>,
    /// Which run is the first of each group, and behind the last the number of runs.
    groups: Vec<u32>,
    /// Those that stay: a place a run.
    across: Vec<RunLink>,
    /// Those that step: the first place of each run.
    along: Vec<RunLink>,
    /// The same of the parent, if its message steps.
    to_parent: Option<Vec<u32>>,
}

/// A [`Link`] with a place for each run.
#[derive(Clone, Debug)]
struct RunLink {
    to: usize,
    places: Vec<u32>,
}

/// A neighbour, beside the parent: a child, or a variable that has its home here. It is told where in its message each group, configuration or run
/// reads and writes.
#[derive(Clone, Debug)]
struct Link {
    /// The number of the child; of a variable that number behind those of the cliques.
    to: usize,
    places: Places,
}

/// Places in a message, in the narrowest width that holds them.
#[derive(Clone, Debug)]
enum Places {
    Byte(Vec<u8>),
    Short(Vec<u16>),
    Long(Vec<u32>),
}

/// Trees of fewer entries are gone through sooner than another could be thought of.
const LARGE: usize = 1_000_000;

/// What it costs to go through an entry whose factors are not multiplied yet, beside going through one that is there.
const COST_OF_FACTORED: f64 = 1.5;

/// What it costs to make an entry and go through it, beside going through one that is there.
const COST_OF_MAKING: f64 = 3.0;

/// In trees of which a smaller share is stored, zeros save more than another order would, and finding them costs more than the rest.
const DENSE: f64 = 0.9;

/// The distributions of all variables, given some evidence.
#[derive(Clone, Debug, PartialEq)]
pub struct Calibrated {
    marginals: Vec<f64>,
    first_state: Vec<usize>,
}

/// The distributions of all variables, given some evidence, by an elimination of those that are not known: the tree is gone through once and never stored, as in
/// lazy propagation (Madsen & Jensen 1999). `None` where doubles might lose something, or nothing is possible.
pub(crate) fn lazy_propagation(graph: &FactorGraph, mut order: Elimination, evidence: &Evidence) -> Option<Answer<Calibrated>> {
    for known in evidence.variables().filter(|&variable| evidence.state(variable).is_some()) {
        order.order.push(known);
        order.cliques.push(vec![known]);
    }
    let wanted: Vec<VarId> = graph.domain().variables().collect();
    let (graph, left) = (graph.given(evidence), evidence.without_states());
    // Work is handed over often, and from a thread of the pool sooner than from without.
    rayon::scope(|_| factored::posteriors(&graph, &order, &left, &wanted, true))
}

impl JunctionTree {
    /// Compiles a model. Not more entries than `max_entries` are stored or looked for; of the orders that are found the cheapest is taken.
    ///
    /// # Errors
    /// When the cliques would be larger than allowed.
    ///
    /// ```
    /// use tunbridge_net::{Evidence, FactorGraph, JunctionTree, Network};
    /// let network = Network::builder()
    ///     .variable("Cancer", ["yes", "no"]).probabilities([0.008, 0.992])
    ///     .variable("Test", ["+", "-"]).given(["Cancer"]).probabilities([0.98, 0.02,  0.03, 0.97])
    ///     .build()?;
    /// let tree = JunctionTree::compile(&FactorGraph::from(&network), 1 << 20)?;
    /// let seen = Evidence::of_states(&network, &[("Test", "+")])?;
    /// let posterior = tree.calibrate(&seen)?.possible().unwrap();
    /// assert!((posterior.marginal(network.find("Cancer")?)[0] - 0.00784 / 0.0376).abs() < 1e-15);
    /// # Ok::<(), tunbridge_net::NetError>(())
    /// ```
    pub fn compile(graph: &FactorGraph, max_entries: usize) -> Result<Self, NetError> {
        let plan = cheapest_elimination(&graph.interaction_graph(), &graph.variables(), Search::Thorough);
        Self::from_elimination(graph, &plan, max_entries)
    }

    /// Compiles a model by one heuristic.
    ///
    /// # Errors
    /// When the cliques would be larger than allowed.
    pub fn compile_by(graph: &FactorGraph, heuristic: Heuristic, max_entries: usize) -> Result<Self, NetError> {
        Self::from_elimination(graph, &elimination(&graph.interaction_graph(), &graph.variables(), heuristic), max_entries)
    }

    /// Compiles a model by a given order of all its variables, the hidden ones among them; see [`crate::elimination_order::given_order`].
    ///
    /// # Errors
    /// When the order leaves a variable out, or the cliques would be larger than allowed.
    pub fn from_elimination(graph: &FactorGraph, plan: &Elimination, max_entries: usize) -> Result<Self, NetError> {
        let n_states = graph.n_states();
        if plan.order.len() != n_states.len() {
            let missing = (0..n_states.len()).map(VarId::new).find(|variable| !plan.order.contains(variable));
            let variable = missing.map_or(String::new(), |variable| graph.names_of(&[variable]).join(""));
            return Err(NetError::NoAssignment { variable });
        }
        // Where nothing is impossible, all entries will be stored: that they are too many is known without looking for them.
        if plan.tree_entries > max_entries as f64 && graph.is_positive() {
            return Err(NetError::TooLarge { variables: graph.names_of(&plan.order), entries: plan.tree_entries, limit: max_entries });
        }
        let mut tree = CliqueTree::of(plan, n_states);
        let run_variables = tree.run_variables(n_states);
        let layout = Layout::of(graph, &tree);
        let room = Room { graph, max_entries };
        let upward = layout.supports_upwards(graph, &tree, &room)?;
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let mut compiled = Self {
            id: NEXT.fetch_add(1, Ordering::Relaxed),
            cliques: Vec::with_capacity(tree.scopes.len()),
            n_states: n_states.to_vec(),
            n_named: graph.domain().n_variables(),
            home: layout.home.clone(),
            first_message: Vec::new(),
            first_told: Vec::new(),
            subtrees: Subtrees::default(),
            ln_constant: layout.ln_constant,
            faint: false,
            impossible: upward.is_none(),
            graph: None,
            unobserved: None,
        };
        if let Some(upward) = upward {
            compiled.fill(graph, tree, &run_variables, &layout, upward, &room)?;
            compiled.unobserved = compiled.messages_without_evidence();
            let is_dense = compiled.n_stored() as f64 >= DENSE * compiled.n_entries() as f64;
            compiled.graph = (is_dense && compiled.n_stored() >= LARGE).then(|| graph.clone());
        }
        Ok(compiled)
    }

    /// The variables of each clique: those that it shares with its parent first.
    pub fn cliques(&self) -> impl Iterator<Item = &[VarId]> {
        self.cliques.iter().map(|clique| clique.scope.as_slice())
    }

    /// The arcs of the tree: a clique, its parent, and the variables they share.
    pub fn separators(&self) -> impl Iterator<Item = (usize, usize, &[VarId])> {
        self.cliques.iter().enumerate().filter_map(|(place, clique)| Some((place, clique.parent?, &clique.scope[..clique.n_shared])))
    }

    /// The entries that the tables of all cliques together would have if none were left out.
    pub fn n_entries(&self) -> usize {
        let entries = |clique: &Clique| clique.scope.iter().map(|variable| self.n_states[variable.index()]).product::<usize>();
        self.cliques.iter().map(entries).sum()
    }

    /// The entries that are stored, those that are possible: what one propagation costs, within a small factor.
    pub fn n_stored(&self) -> usize {
        self.cliques.iter().map(|clique| clique.potential.len()).sum()
    }

    /// The bytes that the tree takes, in the main.
    pub fn n_bytes(&self) -> usize {
        let of_links = |links: &[Link]| links.iter().map(|link| link.places.n_bytes()).sum::<usize>();
        let of_clique = |clique: &Clique| {
            let within = match &clique.within {
                Within::Entries(links) => of_links(links),
                Within::Runs(runs) => {
                    let n_places = runs.across.len() + runs.along.len() + usize::from(runs.to_parent.is_some());
                    (runs.starts.len() * (2 + n_places) + runs.groups.len()) * 4
                }
            };
            clique.potential.len() * 8 + clique.groups.len() * 4 + of_links(&clique.by_group) + of_links(&clique.guards) + within
        };
        self.cliques.iter().map(of_clique).sum::<usize>() + self.n_message_entries() * 8
    }

    /// Brings the evidence in: the distributions of all variables, and the probability of the evidence.
    ///
    /// # Complexity
    /// Linear in [`Self::n_stored`], for cliques of few neighbours.
    ///
    /// # Errors
    /// When the evidence is of another network, or possible but too improbable for doubles.
    pub fn calibrate(&self, evidence: &Evidence) -> Result<Answer<Calibrated>, NetError> {
        self.calibrate_in(&mut Workspace::default(), evidence)
    }

    /// The answer by a tree for the states that were seen, where they break large cliques up so far that going through it once is cheaper than going
    /// through this one; `None` where they do not.
    fn by_smaller_tree(&self, evidence: &Evidence, wanted: &[VarId], in_parallel: bool) -> Option<Result<Answer<Calibrated>, NetError>> {
        let graph = self.graph.as_ref()?;
        evidence.variables().find(|&variable| evidence.state(variable).is_some())?;
        let mut beside = InteractionGraph::new(self.n_states.clone());
        for factor in graph.factors() {
            let open: Vec<VarId> = factor.scope().iter().copied().filter(|&variable| evidence.state(variable).is_none()).collect();
            beside.connect(&open);
        }
        let search = if in_parallel { Search::QuickShared } else { Search::Quick };
        let plan = cheapest_elimination(&beside, &graph.variables(), search);
        if plan.tree_entries * COST_OF_FACTORED > self.n_stored() as f64 {
            return None;
        }
        let (graph, left) = (graph.given(evidence), evidence.without_states());
        if let Some(answer) = factored::posteriors(&graph, &plan, &left, wanted, in_parallel) {
            return Some(Ok(answer));
        }
        if plan.tree_entries * COST_OF_MAKING > self.n_stored() as f64 {
            return None;
        }
        let tree = Self::from_elimination(&graph, &plan, self.n_stored()).ok()?;
        Some(tree.posteriors_in(&mut Workspace::default(), &left, wanted))
    }

    fn check(&self, evidence: &Evidence) -> Result<(), NetError> {
        for variable in evidence.variables() {
            let n_states = self.n_states[..self.n_named].get(variable.index());
            let n_states = *n_states.ok_or(NetError::NoSuchVariable { place: variable.index(), n_variables: self.n_named })?;
            if evidence.likelihood(variable).is_some_and(|likelihood| likelihood.len() != n_states) {
                return Err(NetError::NotALikelihood { variable: format!("#{}", variable.index()), n_states });
            }
        }
        Ok(())
    }

    /// Where what is told within a clique, and whatever comes behind it, begins.
    fn first_told_at(&self, place: usize) -> usize {
        if place == self.cliques.len() { self.n_message_entries() } else { self.first_told[place] }
    }

    fn n_message_entries(&self) -> usize {
        self.first_message.last().copied().unwrap_or(0)
    }
}

impl Places {
    fn up_to(n_places: usize) -> Self {
        match n_places {
            0..=0x100 => Self::Byte(Vec::new()),
            0x101..=0x1_0000 => Self::Short(Vec::new()),
            _ => Self::Long(Vec::new()),
        }
    }

    fn push(&mut self, place: usize) {
        match self {
            Self::Byte(places) => places.push(place as u8),
            Self::Short(places) => places.push(place as u16),
            Self::Long(places) => places.push(place as u32),
        }
    }

    fn to_long(&self) -> Vec<u32> {
        match self {
            Self::Byte(places) => places.iter().map(|&place| place.into()).collect(),
            Self::Short(places) => places.iter().map(|&place| place.into()).collect(),
            Self::Long(places) => places.clone(),
        }
    }

    fn n_bytes(&self) -> usize {
        match self {
            Self::Byte(places) => places.len(),
            Self::Short(places) => places.len() * 2,
            Self::Long(places) => places.len() * 4,
        }
    }
}

impl Calibrated {
    /// The distribution of a variable given the evidence.
    ///
    /// # Panics
    /// When there is no such variable.
    pub fn marginal(&self, variable: VarId) -> &[f64] {
        &self.marginals[self.first_state[variable.index()]..self.first_state[variable.index() + 1]]
    }

    /// The distributions of all variables, in order.
    pub fn marginals(&self) -> Vec<Vec<f64>> {
        (0..self.first_state.len() - 1).map(|place| self.marginal(VarId::new(place)).to_vec()).collect()
    }
}

/// Where each of several pieces begins if they lie one behind the other, and behind the last the length of all.
fn running_sum(lengths: impl Iterator<Item = usize>) -> Vec<usize> {
    let mut sum = 0;
    let mut sums = vec![0];
    sums.extend(lengths.map(|length| {
        sum += length;
        sum
    }));
    sums
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random_network::{RandomShape, random_network};

    /// Large trees may answer by a smaller one made for the evidence: the same answers.
    #[test]
    fn a_smaller_tree_gives_the_same_answers() {
        let mut n_smaller = 0;
        for seed in 0..40 {
            let shape = RandomShape { n_variables: 14, p_deterministic: 0.0, p_zero: 0.0, ..RandomShape::default() };
            let network = random_network(seed, &shape).unwrap();
            let graph = FactorGraph::from(&network);
            let tree = JunctionTree::compile(&graph, 1 << 20).unwrap();
            let thoughtful = with_graph(&tree, &graph);
            let mut evidence = Evidence::none();
            for place in (0..14).step_by(3) {
                evidence.observe(&network, VarId::new(place), 0).unwrap();
            }
            let variable = VarId::new(1);
            let likelihood: Vec<f64> = (0..network.n_states(variable)).map(|state| 1.0 + state as f64).collect();
            evidence.observe_likelihood(&network, variable, &likelihood).unwrap();
            n_smaller += usize::from(thoughtful.by_smaller_tree(&evidence, &[], false).is_some());
            let (expected, found) = (tree.calibrate(&evidence).unwrap(), thoughtful.calibrate(&evidence).unwrap());
            assert!((expected.ln_p_evidence() - found.ln_p_evidence()).abs() < 1e-12, "seed {seed}");
            let (expected, found) = (expected.possible().unwrap().marginals, found.possible().unwrap().marginals);
            assert!(expected.iter().zip(&found).all(|(expected, found)| (expected - found).abs() < 1e-12), "seed {seed}");
        }
        assert!(n_smaller > 10, "{n_smaller} smaller trees");
    }

    /// Trees this large are cut, and their parts gone through side by side.
    #[test]
    fn stored_trees_give_the_same_bits_on_any_threads() {
        let shape = RandomShape { n_variables: 16, max_parents: 3, states: 9..=13, p_arc: 0.2, ..RandomShape::default() };
        let mut n_cut = 0;
        for seed in 0..40 {
            let network = random_network(seed, &shape).unwrap();
            let Ok(tree) = JunctionTree::compile(&FactorGraph::from(&network), 1 << 20) else { continue };
            if tree.subtrees.cut(tree.subtrees.all()).is_none() {
                continue;
            }
            n_cut += 1;
            let mut room = Workspace::in_parallel();
            for step in 0..4 {
                let mut evidence = Evidence::none();
                for place in (step..16).step_by(7) {
                    evidence.observe(&network, VarId::new(place), (place + step) % 3).unwrap();
                }
                for threads in [1, 2, 7] {
                    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                    let shared = pool.install(|| tree.calibrate_in(&mut room, &evidence)).unwrap();
                    let from_without = tree.calibrate_in(&mut Workspace::in_parallel(), &evidence).unwrap();
                    assert_eq!(shared, from_without, "seed {seed}, step {step}, {threads} threads");
                    assert_eq!(shared, tree.calibrate(&evidence).unwrap(), "seed {seed}, step {step}, {threads} threads");
                }
            }
        }
        assert!(n_cut >= 3, "{n_cut} trees were cut");
    }

    /// Cliques this large are gone through in shares.
    #[test]
    fn large_sweeps_give_the_same_bits_on_any_threads() {
        let shape = RandomShape {
            n_variables: 18,
            max_parents: 4,
            states: 4..=5,
            p_arc: 0.6,
            p_deterministic: 0.0,
            p_zero: 0.1,
            p_deterministic_kind: 0.0,
            p_noisy_max: 0.0,
            p_tree: 0.0,
        };
        for least in [1 << 16, 1 << 20] {
            let of_seed = |seed: u64| {
                let network = random_network(seed, &shape).unwrap();
                let graph = FactorGraph::from(&network);
                let plan = cheapest_elimination(&graph.interaction_graph(), &graph.variables(), Search::Quick);
                let is_large = plan.tree_entries > least as f64 && plan.tree_entries < 6.0 * least as f64;
                let tree = is_large.then(|| JunctionTree::from_elimination(&graph, &plan, 1 << 26).unwrap())?;
                let entries = |scope: &[VarId]| scope.iter().map(|variable| network.n_states(*variable)).product::<usize>();
                let largest = tree.cliques().map(entries).max().unwrap();
                (largest >= least).then_some((network, graph, plan, tree))
            };
            let (network, graph, plan, tree) = (0..200).find_map(of_seed).expect("some network has such a clique");
            let wanted: Vec<VarId> = network.dag().variables().collect();
            let by_sweeps = |in_parallel| factored::posteriors(&graph, &plan, &Evidence::none(), &wanted, in_parallel).unwrap();
            let (alone, shared, expected) = (by_sweeps(false), by_sweeps(true), tree.calibrate(&Evidence::none()).unwrap());
            assert_eq!(alone.ln_p_evidence().to_bits(), shared.ln_p_evidence().to_bits());
            let [alone, shared, expected] = [alone, shared, expected].map(|answer| answer.possible().unwrap().marginals);
            assert_eq!(alone, shared);
            assert!(alone.iter().zip(&expected).all(|(found, expected)| (found - expected).abs() < 1e-12));
        }
    }

    fn with_graph(tree: &JunctionTree, graph: &FactorGraph) -> JunctionTree {
        JunctionTree { graph: Some(graph.clone()), ..tree.clone() }
    }
}
