//! The junction tree: one compiled plan that answers for all variables at once.
//!
//! The moral graph is triangulated by an elimination order; its cliques make a tree ([`clique_tree`]). Of every clique only the configurations
//! that are possible at all are stored ([`support`]): entries that are zero whatever is observed cost nothing, and in networks with deterministic rows
//! those are most. Configurations that agree on what a clique shares with its parent lie one behind the other.
//!
//! Propagation ([`propagation`]) goes through every clique at most twice. It is Hugin's in that what a child sent is divided out of what goes back to
//! it, on the separator, so that a clique of many neighbours costs no more than one product a neighbour; and Shafer–Shenoy's in that no clique is ever
//! written to: a question writes messages only. So one tree is shared by any number of threads, each with a [`Workspace`] of its own, and an answer
//! cannot depend on what was asked before. Messages of parts without evidence are those of the tree without any, computed once.

mod clique_tree;
mod number;
mod propagation;
mod support;

pub use propagation::Workspace;

use crate::elimination_order::{Elimination, Heuristic, InteractionGraph, Search, cheapest_elimination, elimination};
use crate::error::NetError;
use crate::evidence::{Answer, Evidence};
use crate::factor::Factor;
use crate::factor_graph::FactorGraph;
use belief::VarId;
use clique_tree::CliqueTree;
use support::{Found, Rule, Support, Then, Watched, walk};

/// Cliques in a tree, with the factors multiplied into them. Owns all it needs; may be shared by many questions.
#[derive(Clone, Debug)]
pub struct JunctionTree {
    /// Every parent before its children.
    cliques: Vec<Clique>,
    n_states: Vec<usize>,
    n_named: usize,
    /// Where the numbers of each variable begin in a list of all variables' states.
    first_state: Vec<usize>,
    /// The clique that knows each variable: the smallest it is in.
    home: Vec<usize>,
    /// Where the message of each clique to its parent begins in a list of all messages, and behind the last its length.
    first_message: Vec<usize>,
    /// The natural logarithm of what all products are to be multiplied by.
    ln_constant: f64,
    /// Whether a product of entries above zero was too small for a double.
    faint: bool,
    /// Whether no configuration at all is possible.
    impossible: bool,
    /// The messages upwards when nothing is observed, with the power of two that each was divided by; nothing when doubles cannot hold them.
    unobserved: Option<(Vec<f64>, Vec<i64>)>,
}

/// A clique: the configurations that are possible, in order, grouped by what they share with the parent.
#[derive(Clone, Debug)]
struct Clique {
    scope: Vec<VarId>,
    n_shared: usize,
    parent: Option<usize>,
    /// The product of the factors of each configuration.
    potential: Vec<f64>,
    /// Where the configurations of each group begin, and behind the last their number. A root is one group.
    groups: Vec<u32>,
    /// Links that all configurations of a group agree on.
    by_group: Vec<Link>,
    /// Links that they do not agree on.
    by_entry: Vec<Link>,
}

/// A child, or a variable that has its home here, and where in its message each group or configuration reads and writes.
#[derive(Clone, Debug)]
struct Link {
    to: Neighbour,
    places: Places,
}

/// What a clique exchanges messages with, beside its parent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Neighbour {
    Child(usize),
    Variable(VarId),
}

/// Places in a message, in the narrowest width that holds them.
#[derive(Clone, Debug)]
enum Places {
    Byte(Vec<u8>),
    Short(Vec<u16>),
    Long(Vec<u32>),
}

/// The distributions of all variables, given some evidence.
#[derive(Clone, Debug, PartialEq)]
pub struct Calibrated {
    marginals: Vec<f64>,
    first_state: Vec<usize>,
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
        let (beside, all) = interaction_graph(graph);
        Self::from_elimination(graph, &cheapest_elimination(&beside, &all, Search::Thorough), max_entries)
    }

    /// Compiles a model by one heuristic.
    ///
    /// # Errors
    /// When the cliques would be larger than allowed.
    pub fn compile_by(graph: &FactorGraph, heuristic: Heuristic, max_entries: usize) -> Result<Self, NetError> {
        let (beside, all) = interaction_graph(graph);
        Self::from_elimination(graph, &elimination(&beside, &all, heuristic), max_entries)
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
        let tree = CliqueTree::of(plan, n_states);
        let layout = Layout::of(graph, &tree);
        let room = Room { graph, max_entries };
        let upward = layout.supports_upwards(graph, &tree, &room)?;
        let mut compiled = Self {
            cliques: Vec::with_capacity(tree.scopes.len()),
            n_states: n_states.to_vec(),
            n_named: graph.domain().n_variables(),
            first_state: running_sum(n_states.iter().copied()),
            home: layout.home.clone(),
            first_message: Vec::new(),
            ln_constant: layout.ln_constant,
            faint: false,
            impossible: upward.is_none(),
            unobserved: None,
        };
        if let Some(upward) = upward {
            compiled.fill(graph, tree, &layout, upward, &room)?;
            compiled.unobserved = compiled.messages_without_evidence();
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
        let links = |links: &[Link]| links.iter().map(|link| link.places.n_bytes()).sum::<usize>();
        let clique =
            |clique: &Clique| clique.potential.len() * 8 + clique.groups.len() * 4 + links(&clique.by_group) + links(&clique.by_entry);
        self.cliques.iter().map(clique).sum::<usize>() + self.n_message_entries() * 8
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

    fn n_message_entries(&self) -> usize {
        self.first_message.last().copied().unwrap_or(0)
    }

    /// Stores what is possible of every clique, parents first.
    fn fill(&mut self, graph: &FactorGraph, tree: CliqueTree, layout: &Layout, upward: Vec<Support>, room: &Room) -> Result<(), NetError> {
        // What is left of each separator once all of the tree has had its say.
        let mut separators: Vec<Support> = vec![Support::default(); tree.scopes.len()];
        let mut n_stored = 0;
        for (place, scope) in tree.scopes.iter().enumerate() {
            let n_shared = tree.n_shared[place];
            let children = &layout.children[place];
            let mut watched = layout.rules(place, graph, &tree, &upward);
            if tree.parents[place].is_some() {
                watched.push(Watched { scope: &scope[..n_shared], rule: Rule::Within(&separators[place]) });
            }
            // First which configurations of the children's separators are left, and how many entries there will be.
            let first_child = layout.factors[place].len();
            let mut left: Vec<Support> = children.iter().map(|&child| Support::none(layout.n_separator[child])).collect();
            let mut n_entries = 0;
            let mark = |found: Found| {
                n_entries += 1;
                for (left, place) in left.iter_mut().zip(&found.places[first_child..]) {
                    left.insert(*place);
                }
                Then::GoOn
            };
            room.check(walk(scope, n_shared, &self.n_states, &watched, room.limit(), mark), scope)?;
            n_stored += n_entries;
            if n_stored > room.max_entries || u32::try_from(n_entries).is_err() {
                return Err(room.too_large(scope, n_stored as f64));
            }
            left.iter_mut().for_each(Support::number);
            // Then the entries themselves.
            let homes: Vec<VarId> = layout.homes[place].clone();
            let (first_home, group) = (watched.len(), watched.len() + homes.len());
            watched.extend(homes.iter().map(|variable| Watched { scope: std::slice::from_ref(variable), rule: Rule::Place }));
            watched.push(Watched { scope: &scope[..n_shared], rule: Rule::Place });
            let shares = |variables: &[VarId]| variables.iter().all(|variable| scope[..n_shared].contains(variable));
            let child_by_group: Vec<bool> = children.iter().map(|&child| shares(&tree.scopes[child][..tree.n_shared[child]])).collect();
            let home_by_group: Vec<bool> = homes.iter().map(|&variable| shares(&[variable])).collect();
            let mut clique = Clique {
                scope: scope.clone(),
                n_shared,
                parent: tree.parents[place],
                potential: Vec::with_capacity(n_entries),
                groups: Vec::with_capacity(separators[place].len() + 1),
                by_group: Vec::new(),
                by_entry: Vec::new(),
            };
            let mut child_places: Vec<Places> = left.iter().map(|left| Places::up_to(left.len())).collect();
            let mut home_places: Vec<Places> = homes.iter().map(|variable| Places::up_to(self.n_states[variable.index()])).collect();
            let mut last_group = usize::MAX;
            let store = |found: Found| {
                let is_new = std::mem::replace(&mut last_group, found.places[group]) != found.places[group];
                if is_new {
                    clique.groups.push(clique.potential.len() as u32);
                }
                clique.potential.push(found.product);
                for (child, places) in child_places.iter_mut().enumerate() {
                    if is_new || !child_by_group[child] {
                        places.push(left[child].rank(found.places[first_child + child]));
                    }
                }
                for (home, places) in home_places.iter_mut().enumerate() {
                    if is_new || !home_by_group[home] {
                        places.push(found.places[first_home + home]);
                    }
                }
                Then::GoOn
            };
            room.check(walk(scope, n_shared, &self.n_states, &watched, room.limit(), store), scope)?;
            clique.groups.push(clique.potential.len() as u32);
            self.faint |= clique.potential.iter().any(|&value| value < f64::MIN_POSITIVE);
            let links = children.iter().map(|&child| Neighbour::Child(child)).zip(child_places).zip(child_by_group);
            let homes = homes.into_iter().map(Neighbour::Variable).zip(home_places).zip(home_by_group);
            for ((to, places), by_group) in links.chain(homes) {
                if by_group { &mut clique.by_group } else { &mut clique.by_entry }.push(Link { to, places });
            }
            self.cliques.push(clique);
            for (&child, left) in children.iter().zip(left) {
                separators[child] = left;
            }
        }
        let n_groups = |clique: &Clique| if clique.parent.is_some() { clique.groups.len() - 1 } else { 0 };
        self.first_message = running_sum(self.cliques.iter().map(n_groups));
        Ok(())
    }
}

/// Which factors, children and variables belong to each clique.
struct Layout {
    factors: Vec<Vec<usize>>,
    children: Vec<Vec<usize>>,
    homes: Vec<Vec<VarId>>,
    home: Vec<usize>,
    /// How many configurations the variables have that each clique shares with its parent.
    n_separator: Vec<usize>,
    /// The natural logarithm of what all products are to be multiplied by.
    ln_constant: f64,
}

impl Layout {
    fn of(graph: &FactorGraph, tree: &CliqueTree) -> Self {
        let (n_cliques, n_states) = (tree.scopes.len(), graph.n_states());
        let mut containing: Vec<Vec<usize>> = vec![Vec::new(); n_states.len()];
        for (place, scope) in tree.scopes.iter().enumerate() {
            scope.iter().for_each(|variable| containing[variable.index()].push(place));
        }
        let size = |place: usize| tree.scopes[place].iter().map(|variable| n_states[variable.index()] as f64).product::<f64>();
        let smallest = |places: &mut dyn Iterator<Item = usize>| places.min_by(|&a, &b| size(a).total_cmp(&size(b)));
        let mut layout = Self {
            factors: vec![Vec::new(); n_cliques],
            children: vec![Vec::new(); n_cliques],
            homes: vec![Vec::new(); n_cliques],
            home: Vec::with_capacity(n_states.len()),
            n_separator: Vec::with_capacity(n_cliques),
            ln_constant: 0.0,
        };
        for (number, factor) in graph.factors().iter().enumerate() {
            let Some(first) = factor.scope().first() else {
                layout.ln_constant += factor.ln_total();
                continue;
            };
            layout.ln_constant += factor.ln_scale();
            let holds = |place: &usize| factor.scope().iter().all(|member| tree.scopes[*place].contains(member));
            let place = smallest(&mut containing[first.index()].iter().copied().filter(holds));
            layout.factors[place.expect("a triangulated graph has every factor in a clique")].push(number);
        }
        for (variable, containing) in containing.iter().enumerate() {
            let home = smallest(&mut containing.iter().copied()).expect("every variable is in a clique");
            layout.home.push(home);
            if variable < graph.domain().n_variables() {
                layout.homes[home].push(VarId::new(variable));
            }
        }
        for (place, parent) in tree.parents.iter().enumerate() {
            let shared = &tree.scopes[place][..tree.n_shared[place]];
            layout.n_separator.push(shared.iter().fold(1, |product, variable| product.saturating_mul(n_states[variable.index()])));
            if let Some(parent) = *parent {
                layout.children[parent].push(place);
            }
        }
        layout
    }

    /// What configurations of a clique must obey: factors first, then what its children allow.
    fn rules<'a>(&self, place: usize, graph: &'a FactorGraph, tree: &'a CliqueTree, upward: &'a [Support]) -> Vec<Watched<'a>> {
        let factor = |&number: &usize| {
            let factor: &Factor = &graph.factors()[number];
            Watched { scope: factor.scope(), rule: Rule::Factor(factor.values()) }
        };
        let child = |&child: &usize| Watched { scope: &tree.scopes[child][..tree.n_shared[child]], rule: Rule::Within(&upward[child]) };
        self.factors[place].iter().map(factor).chain(self.children[place].iter().map(child)).collect()
    }

    /// What each clique and all below it leave of its separator; `None` if a root has nothing left.
    fn supports_upwards(&self, graph: &FactorGraph, tree: &CliqueTree, room: &Room) -> Result<Option<Vec<Support>>, NetError> {
        let mut upward: Vec<Support> = vec![Support::default(); tree.scopes.len()];
        for (place, scope) in tree.scopes.iter().enumerate().rev() {
            let n_shared = tree.n_shared[place];
            // A bit for each configuration of the separator: an eighth of a byte where an entry takes some twelve.
            if self.n_separator[place] / 64 > room.max_entries {
                return Err(room.too_large(&scope[..n_shared], self.n_separator[place] as f64));
            }
            let mut watched = self.rules(place, graph, tree, &upward);
            let own = watched.len();
            watched.push(Watched { scope: &scope[..n_shared], rule: Rule::Place });
            let mut support = Support::none(self.n_separator[place]);
            let mut is_empty = true;
            let mark = |found: Found| {
                is_empty = false;
                support.insert(found.places[own]);
                Then::NextOfSeparator
            };
            room.check(walk(scope, n_shared, graph.n_states(), &watched, room.limit(), mark), scope)?;
            if is_empty {
                return Ok(None);
            }
            upward[place] = support;
        }
        Ok(Some(upward))
    }
}

/// How much room there is.
struct Room<'a> {
    graph: &'a FactorGraph,
    max_entries: usize,
}

impl Room<'_> {
    /// How many partial configurations may be looked at in one clique: most of those of a clique that fits are met.
    fn limit(&self) -> usize {
        self.max_entries.saturating_mul(8).saturating_add(1_000)
    }

    fn check(&self, walked: Option<usize>, clique: &[VarId]) -> Result<(), NetError> {
        let entries = || clique.iter().map(|variable| self.graph.n_states()[variable.index()] as f64).product();
        walked.map(|_| ()).ok_or_else(|| self.too_large(clique, entries()))
    }

    fn too_large(&self, clique: &[VarId], entries: f64) -> NetError {
        NetError::TooLarge { variables: self.graph.names_of(clique), entries, limit: self.max_entries }
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

/// Who stands beside whom in a factor, for a network its moral graph.
fn interaction_graph(graph: &FactorGraph) -> (InteractionGraph, Vec<VarId>) {
    let mut beside = InteractionGraph::new(graph.n_states().to_vec());
    graph.factors().iter().for_each(|factor| beside.connect(factor.scope()));
    (beside, (0..graph.n_with_hidden()).map(VarId::new).collect())
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
