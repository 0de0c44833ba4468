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
    /// The clique that knows each variable: the smallest it is in.
    home: Vec<usize>,
    /// Where the messages of each neighbour begin in a list of all, and behind the last its length: cliques first, then named variables.
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
    within: Within,
}

/// How the configurations of a clique are tied to its neighbours.
#[derive(Clone, Debug)]
enum Within {
    /// Each by itself.
    Entries(Vec<Link>),
    /// In runs over the last variable: along a run some neighbours stay at their place and the others step by one.
    Runs {
        /// Where each run begins, and behind the last the number of configurations.
        starts: Vec<u32>,
        /// Which run is the first of each group, and behind the last the number of runs.
        groups: Vec<u32>,
        /// Those that stay: a place a run.
        across: Vec<Link>,
        /// Those that step: the first place of each run.
        along: Vec<Link>,
    },
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
        let of_links = |links: &[Link]| links.iter().map(|link| link.places.n_bytes()).sum::<usize>();
        let of_clique = |clique: &Clique| {
            let within = match &clique.within {
                Within::Entries(links) => of_links(links),
                Within::Runs { starts, groups, across, along } => (starts.len() + groups.len()) * 4 + of_links(across) + of_links(along),
            };
            clique.potential.len() * 8 + clique.groups.len() * 4 + of_links(&clique.by_group) + within
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
            // First which configurations of the children's separators are left, and how many entries and runs there will be.
            let first_child = layout.factors[place].len();
            let mut left: Vec<Support> = children.iter().map(|&child| Support::none(layout.n_separator[child])).collect();
            let (mut n_entries, mut n_runs) = (0, 0);
            let mark = |found: Found| {
                n_entries += 1;
                n_runs += usize::from(found.changed + 1 < scope.len());
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
            let homes = &layout.homes[place];
            let first_home = watched.len();
            watched.extend(homes.iter().map(|variable| Watched { scope: std::slice::from_ref(variable), rule: Rule::Place }));
            let of_children = children.iter().zip(&left).enumerate().map(|(number, (&child, left))| {
                let shared = &tree.scopes[child][..tree.n_shared[child]];
                Being { to: child, variables: shared, at: first_child + number, ranks: Some(left), n_places: left.len() }
            });
            let of_homes = homes.iter().enumerate().map(|(number, variable)| {
                let (to, n_places) = (tree.scopes.len() + variable.index(), self.n_states[variable.index()]);
                Being { to, variables: std::slice::from_ref(variable), at: first_home + number, ranks: None, n_places }
            });
            let (by_group, others): (Vec<Being>, Vec<Being>) =
                of_children.chain(of_homes).partition(|being| being.variables.iter().all(|variable| scope[..n_shared].contains(variable)));
            let (along, across): (Vec<Being>, Vec<Being>) =
                others.into_iter().partition(|being| being.variables.iter().any(|variable| Some(variable) == scope.last()));
            let mut storing = Storing {
                in_runs: n_entries >= SHORTEST_RUN * n_runs.max(1),
                potential: Vec::with_capacity(n_entries),
                groups: Vec::with_capacity(separators[place].len() + 1),
                starts: Vec::new(),
                group_runs: Vec::new(),
                by_group: by_group.iter().map(Being::link).collect(),
                across: across.iter().map(Being::link).collect(),
                along: along.iter().map(Being::link).collect(),
            };
            let mut expected: Vec<usize> = vec![usize::MAX; along.len()];
            let store = |found: Found| {
                let new_group = found.changed < n_shared || storing.potential.is_empty();
                let mut new_run = found.changed + 1 < scope.len() || storing.potential.is_empty();
                for (expected, being) in expected.iter_mut().zip(&along) {
                    let place = being.place(&found);
                    new_run |= *expected != place;
                    *expected = place + 1;
                }
                storing.push(&found, new_group, new_run, [&by_group, &across, &along]);
                Then::GoOn
            };
            room.check(walk(scope, n_shared, &self.n_states, &watched, room.limit(), store), scope)?;
            drop((by_group, across, along));
            self.faint |= storing.potential.iter().any(|&value| value < f64::MIN_POSITIVE);
            let clique = storing.finish(scope.clone(), n_shared, tree.parents[place]);
            self.cliques.push(clique);
            for (&child, left) in children.iter().zip(left) {
                separators[child] = left;
            }
        }
        let n_groups = |clique: &Clique| if clique.parent.is_some() { clique.groups.len() - 1 } else { 0 };
        let of_variables = self.n_states[..self.n_named].iter().copied();
        self.first_message = running_sum(self.cliques.iter().map(n_groups).chain(of_variables));
        Ok(())
    }
}

/// Shorter runs than this, on average, cost more than going entry by entry.
const SHORTEST_RUN: usize = 4;

/// A neighbour of a clique that is being stored.
struct Being<'a> {
    to: usize,
    variables: &'a [VarId],
    /// Where it stands among the things that are watched.
    at: usize,
    /// For a child: which configurations of what it shares are left.
    ranks: Option<&'a Support>,
    n_places: usize,
}

impl Being<'_> {
    fn link(&self) -> Link {
        Link { to: self.to, places: Places::up_to(self.n_places) }
    }

    fn place(&self, found: &Found) -> usize {
        self.ranks.map_or(found.places[self.at], |ranks| ranks.rank(found.places[self.at]))
    }
}

/// A clique that is being stored.
struct Storing {
    in_runs: bool,
    potential: Vec<f64>,
    groups: Vec<u32>,
    starts: Vec<u32>,
    group_runs: Vec<u32>,
    by_group: Vec<Link>,
    across: Vec<Link>,
    along: Vec<Link>,
}

impl Storing {
    fn push(&mut self, found: &Found, new_group: bool, new_run: bool, [by_group, across, along]: [&[Being]; 3]) {
        let add = |links: &mut [Link], beings: &[Being]| {
            for (link, being) in links.iter_mut().zip(beings) {
                link.places.push(being.place(found));
            }
        };
        let n_entries = self.potential.len() as u32;
        if new_group {
            self.groups.push(n_entries);
            add(&mut self.by_group, by_group);
        }
        if self.in_runs && new_group {
            self.group_runs.push(self.starts.len() as u32);
        }
        if new_run || !self.in_runs {
            add(&mut self.across, across);
            add(&mut self.along, along);
        }
        if self.in_runs && new_run {
            self.starts.push(n_entries);
        }
        self.potential.push(found.product);
    }

    fn finish(mut self, scope: Vec<VarId>, n_shared: usize, parent: Option<usize>) -> Clique {
        let n_entries = self.potential.len() as u32;
        self.groups.push(n_entries);
        let within = if self.in_runs {
            self.group_runs.push(self.starts.len() as u32);
            self.starts.push(n_entries);
            Within::Runs { starts: self.starts, groups: self.group_runs, across: self.across, along: self.along }
        } else {
            Within::Entries(self.across.into_iter().chain(self.along).collect())
        };
        Clique { scope, n_shared, parent, potential: self.potential, groups: self.groups, by_group: self.by_group, within }
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

    #[inline]
    fn get(&self, number: usize) -> usize {
        match self {
            Self::Byte(places) => places[number] as usize,
            Self::Short(places) => places[number] as usize,
            Self::Long(places) => places[number] as usize,
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
