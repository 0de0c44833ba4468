//! Compilation: which configurations of each clique are possible, and where they stand in the messages of its neighbours.
//!
//! First upwards, what every clique and all below it leave of its separator; then downwards, parents first, what is left of each clique with all of
//! the tree heard, which is stored.

use super::clique_tree::CliqueTree;
use super::subtrees::Subtrees;
use super::support::{Row, Rule, Support, Then, Watched, walk};
use super::{Clique, JunctionTree, Link, Places, RunLink, Runs, Within, running_sum};
use crate::error::NetError;
use crate::factor::Factor;
use crate::factor_graph::FactorGraph;
use belief::VarId;

/// Shorter runs than this, on average, cost more than going entry by entry.
const SHORTEST_RUN: usize = 4;

impl JunctionTree {
    /// Stores what is possible of every clique, parents first.
    pub(super) fn fill(
        &mut self,
        graph: &FactorGraph,
        tree: CliqueTree,
        run_variables: &[Option<VarId>],
        layout: &Layout,
        upward: Vec<Support>,
        room: &Room,
    ) -> Result<(), NetError> {
        // What is left of each separator once all of the tree has had its say.
        let mut separators: Vec<Support> = vec![Support::default(); tree.scopes.len()];
        let mut n_stored = 0;
        for (place, scope) in tree.scopes.iter().enumerate() {
            let n_shared = tree.n_shared[place];
            let children = &layout.children[place];
            let mut watched = layout.rules(place, graph, &tree, &upward);
            let at_parent = watched.len();
            if tree.parents[place].is_some() {
                watched.push(Watched { scope: &scope[..n_shared], rule: Rule::Within(&separators[place]) });
            }
            // The order to go through the configurations in, if in runs.
            let along_shared = run_variables[place].filter(|variable| scope[..n_shared].contains(variable));
            let mut order: Vec<VarId> = scope.clone();
            if let Some(last) = along_shared {
                order.retain(|&variable| variable != last);
                order.push(last);
            }
            // First which configurations of the children's separators are left, and how many entries and rows there will be.
            let first_child = layout.factors[place].len();
            let is_open = layout.is_open(place, &upward) && (tree.parents[place].is_none() || separators[place].is_full());
            let support =
                |&child: &usize| if is_open { Support::all(layout.n_separator[child]) } else { Support::none(layout.n_separator[child]) };
            let mut left: Vec<Support> = children.iter().map(support).collect();
            let (mut n_entries, mut n_rows) = (0, 0);
            if is_open {
                let n_last = order.last().map_or(1, |last| self.n_states[last.index()]);
                n_entries = room.entries(scope)?;
                n_rows = n_entries / n_last;
            }
            let mark = |row: Row| {
                n_entries += row.possible().count();
                n_rows += 1;
                for (thing, left) in (first_child..).zip(&mut left) {
                    match row.steps[thing] {
                        0 => left.insert(row.places[thing]),
                        step => row.possible().for_each(|state| left.insert(row.places[thing] + state * step)),
                    }
                }
                Then::GoOn
            };
            if !is_open {
                room.check(walk(&order, 0, &self.n_states, &watched, room.limit(), mark), scope)?;
            }
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
                Tied::new(child, first_child + number, Some(left), left.len(), shared)
            });
            let of_homes = homes.iter().enumerate().map(|(number, variable)| {
                let (to, n_places) = (tree.scopes.len() + variable.index(), self.n_states[variable.index()]);
                Tied::new(to, first_home + number, None, n_places, std::slice::from_ref(variable))
            });
            let mut guards: Vec<VarId> =
                scope[..n_shared].iter().copied().filter(|&variable| self.is_told_above(variable, place, &tree)).collect();
            // A state of one of many leaves little; all of them together may take an eighth of the room that the entries take.
            guards.sort_by_key(|variable| std::cmp::Reverse(self.n_states[variable.index()]));
            guards.truncate(n_entries / separators[place].len().max(1));
            let first_guard = watched.len();
            watched.extend(guards.iter().map(|variable| Watched { scope: std::slice::from_ref(variable), rule: Rule::Place }));
            let of_guards = guards.iter().enumerate().map(|(number, variable)| {
                let (to, n_places) = (tree.scopes.len() + variable.index(), self.n_states[variable.index()]);
                Tied::new(to, first_guard + number, None, n_places, std::slice::from_ref(variable))
            });
            let in_runs = n_entries >= SHORTEST_RUN * n_rows;
            let along_shared = along_shared.filter(|_| in_runs);
            let order = if along_shared.is_some() { &order } else { scope };
            let stays = |tied: &Tied| match along_shared {
                Some(variable) => !tied.variables.contains(&variable),
                None => tied.variables.iter().all(|variable| scope[..n_shared].contains(variable)),
            };
            let (by_group, others): (Vec<Tied>, Vec<Tied>) = of_children.chain(of_homes).partition(stays);
            let (along, across): (Vec<Tied>, Vec<Tied>) =
                others.into_iter().partition(|tied| tied.variables.iter().any(|variable| Some(variable) == order.last()));
            let to_parent = Tied::new(usize::MAX, at_parent, Some(&separators[place]), usize::MAX, &scope[..n_shared]);
            let mut storing = Storing {
                is_open,
                in_runs: order.last().copied().filter(|_| in_runs),
                potential: Vec::with_capacity(n_entries),
                groups: Vec::new(),
                starts: Vec::new(),
                first_states: Vec::new(),
                group_runs: Vec::new(),
                by_group,
                guards: of_guards.filter(|guard| along_shared.is_none() || stays(guard)).collect(),
                across,
                along,
                to_parent: along_shared.map(|_| to_parent),
            };
            let store = |row: Row| {
                storing.push(&row, n_shared);
                Then::GoOn
            };
            room.check(walk(order, 0, &self.n_states, &watched, room.limit(), store), scope)?;
            self.faint |= storing.potential.iter().any(|&value| value < f64::MIN_POSITIVE);
            let n_message = tree.parents[place].map_or(0, |_| separators[place].len());
            self.cliques.push(storing.finish(scope.clone(), n_shared, tree.parents[place], n_message));
            for (&child, left) in children.iter().zip(left) {
                separators[child] = left;
            }
        }
        let of_variables = self.n_states[..self.n_named].iter().copied();
        self.first_message = running_sum(self.cliques.iter().map(|clique| clique.n_message).chain(of_variables));
        self.first_told = self.told_in_order(&layout.homes);
        self.subtrees = Subtrees::new(&tree.parents, self.cliques.iter().map(|clique| clique.potential.len()));
        Ok(())
    }

    /// Where what each clique and variable is told begins: each clique followed by the variables that have their home there.
    fn told_in_order(&self, homes: &[Vec<VarId>]) -> Vec<usize> {
        let n_cliques = self.cliques.len();
        let (mut first_told, mut next) = (vec![0; n_cliques + self.n_named], 0);
        for (place, homes) in homes.iter().enumerate() {
            let named = homes.iter().map(|variable| variable.index()).filter(|&variable| variable < self.n_named);
            for neighbour in std::iter::once(place).chain(named.map(|variable| n_cliques + variable)) {
                first_told[neighbour] = next;
                next += self.message_of(neighbour).len();
            }
        }
        first_told
    }

    /// Whether a variable has its home neither in a clique nor below it, so that what is observed of it comes to the clique from above only.
    fn is_told_above(&self, variable: VarId, place: usize, tree: &CliqueTree) -> bool {
        let mut home = self.home[variable.index()];
        // Parents have smaller numbers than their children.
        while let Some(parent) = tree.parents[home].filter(|_| home > place) {
            home = parent;
        }
        variable.index() < self.n_named && home != place
    }
}

/// A neighbour of a clique that is being stored.
struct Tied<'a> {
    link: Link,
    /// Where it stands among the things that are watched.
    at: usize,
    /// For a child: which configurations of what it shares are left.
    ranks: Option<&'a Support>,
    variables: &'a [VarId],
}

impl<'a> Tied<'a> {
    fn new(to: usize, at: usize, ranks: Option<&'a Support>, n_places: usize, variables: &'a [VarId]) -> Self {
        Self { link: Link { to, places: Places::up_to(n_places) }, at, ranks, variables }
    }

    fn place(&self, row: &Row, state: usize) -> usize {
        let place = row.places[self.at] + state * row.steps[self.at];
        self.ranks.map_or(place, |ranks| ranks.rank(place))
    }

    fn push(&mut self, row: &Row, state: usize) {
        self.link.places.push(self.place(row, state));
    }
}

/// A clique that is being stored.
struct Storing<'a> {
    /// Whether nothing is impossible.
    is_open: bool,
    /// The variable that runs go along, if there are any.
    in_runs: Option<VarId>,
    potential: Vec<f64>,
    groups: Vec<u32>,
    starts: Vec<u32>,
    first_states: Vec<u32>,
    group_runs: Vec<u32>,
    by_group: Vec<Tied<'a>>,
    guards: Vec<Tied<'a>>,
    across: Vec<Tied<'a>>,
    along: Vec<Tied<'a>>,
    /// The parent, if its message steps along runs; every run is a group then.
    to_parent: Option<Tied<'a>>,
}

impl Storing<'_> {
    fn push(&mut self, row: &Row, n_shared: usize) {
        if self.to_parent.is_none() && (row.changed < n_shared || self.potential.is_empty()) {
            self.begin_group(row);
        }
        if self.in_runs.is_none() {
            for state in row.possible() {
                self.across.iter_mut().chain(&mut self.along).for_each(|tied| tied.push(row, state));
                self.potential.push(row.products[state]);
            }
            return;
        }
        if self.is_open {
            self.begin_run(row, 0);
            self.potential.extend_from_slice(row.products);
            return;
        }
        // A run ends where a state is impossible, or a neighbour's places are not one behind the other.
        let mut states = row.possible().peekable();
        while let Some(first) = states.next() {
            self.begin_run(row, first);
            self.potential.push(row.products[first]);
            let mut last = first;
            let (along, to_parent) = (&self.along, &self.to_parent);
            let follows = |last: usize, state: usize| {
                let mut stepping = along.iter().chain(to_parent);
                state == last + 1 && stepping.all(|tied| tied.place(row, state) == tied.place(row, last) + 1)
            };
            while let Some(state) = states.next_if(|&state| follows(last, state)) {
                self.potential.push(row.products[state]);
                last = state;
            }
        }
    }

    fn begin_group(&mut self, row: &Row) {
        self.groups.push(self.potential.len() as u32);
        self.group_runs.push(self.starts.len() as u32);
        self.by_group.iter_mut().chain(&mut self.guards).for_each(|tied| tied.push(row, 0));
    }

    fn begin_run(&mut self, row: &Row, state: usize) {
        if self.to_parent.is_some() {
            self.begin_group(row);
        }
        self.starts.push(self.potential.len() as u32);
        self.first_states.push(state as u32);
        self.across.iter_mut().chain(&mut self.along).chain(&mut self.to_parent).for_each(|tied| tied.push(row, state));
    }

    fn finish(mut self, scope: Vec<VarId>, n_shared: usize, parent: Option<usize>, n_message: usize) -> Clique {
        let n_entries = self.potential.len() as u32;
        self.groups.push(n_entries);
        let run_links = |tied: &[Tied]| tied.iter().map(|tied| RunLink { to: tied.link.to, places: tied.link.places.to_long() }).collect();
        let links = |tied: Vec<Tied>| tied.into_iter().map(|tied| tied.link).collect::<Vec<Link>>();
        let within = if let Some(variable) = self.in_runs {
            self.group_runs.push(self.starts.len() as u32);
            self.starts.push(n_entries);
            Within::Runs(Runs {
                variable,
                starts: self.starts,
                first_states: self.first_states,
                groups: self.group_runs,
                across: run_links(&self.across),
                along: run_links(&self.along),
                to_parent: self.to_parent.map(|tied| tied.link.places.to_long()),
            })
        } else {
            Within::Entries(links(self.across).into_iter().chain(links(self.along)).collect())
        };
        let (by_group, guards) = (links(self.by_group), links(self.guards));
        Clique { scope, n_shared, parent, n_message, potential: self.potential, groups: self.groups, by_group, guards, within }
    }
}

/// Which factors, children and variables belong to each clique.
pub(super) struct Layout {
    pub factors: Vec<Vec<usize>>,
    pub children: Vec<Vec<usize>>,
    pub homes: Vec<Vec<VarId>>,
    pub home: Vec<usize>,
    /// Whether a factor has no entry that is zero.
    is_positive: Vec<bool>,
    /// How many configurations the variables have that each clique shares with its parent.
    n_separator: Vec<usize>,
    /// The natural logarithm of what all products are to be multiplied by.
    pub ln_constant: f64,
}

impl Layout {
    pub fn of(graph: &FactorGraph, tree: &CliqueTree) -> Self {
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
            is_positive: graph.factors().iter().map(|factor| factor.values().iter().all(|&value| value > 0.0)).collect(),
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

    /// Whether neither the factors of a clique nor what is below it forbid anything.
    fn is_open(&self, place: usize, upward: &[Support]) -> bool {
        self.factors[place].iter().all(|&number| self.is_positive[number])
            && self.children[place].iter().all(|&child| upward[child].is_full())
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
    pub fn supports_upwards(&self, graph: &FactorGraph, tree: &CliqueTree, room: &Room) -> Result<Option<Vec<Support>>, NetError> {
        let mut upward: Vec<Support> = vec![Support::default(); tree.scopes.len()];
        for (place, scope) in tree.scopes.iter().enumerate().rev() {
            let n_shared = tree.n_shared[place];
            // A bit for each configuration of the separator: an eighth of a byte where an entry takes some twelve.
            if self.n_separator[place] / 64 > room.max_entries {
                return Err(room.too_large(&scope[..n_shared], self.n_separator[place] as f64));
            }
            if self.is_open(place, &upward) {
                upward[place] = Support::all(self.n_separator[place]);
                continue;
            }
            let mut watched = self.rules(place, graph, tree, &upward);
            let own = watched.len();
            watched.push(Watched { scope: &scope[..n_shared], rule: Rule::Place });
            let mut support = Support::none(self.n_separator[place]);
            let mut is_empty = true;
            let mark = |row: Row| {
                is_empty = false;
                support.insert(row.places[own]);
                Then::NextOfSeparator
            };
            room.check(walk(scope, n_shared, graph.n_states(), &watched, room.limit(), mark), scope)?;
            if is_empty {
                return Ok(None);
            }
            support.number();
            upward[place] = support;
        }
        Ok(Some(upward))
    }
}

/// How much room there is.
pub(super) struct Room<'a> {
    pub graph: &'a FactorGraph,
    pub max_entries: usize,
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

    /// How many configurations a clique has.
    fn entries(&self, clique: &[VarId]) -> Result<usize, NetError> {
        self.graph.within_bounds(clique, self.max_entries)?;
        Ok(clique.iter().map(|variable| self.graph.n_states()[variable.index()]).product())
    }

    fn too_large(&self, clique: &[VarId], entries: f64) -> NetError {
        NetError::TooLarge { variables: self.graph.names_of(clique), entries, limit: self.max_entries }
    }
}
