//! How what is missing of a row is inferred: a small tree of cliques over the missing variables alone.
//!
//! What was seen in a row cuts its missing variables into parts that say nothing of each other: two of them hang together if a family has both.
//! A part has a factor for every family that it touches, in which what was seen is fixed: such a factor begins at some cell of the family's
//! table, its base, and runs over the missing variables from there. So a plan depends only on which variables are missing; what was seen is one
//! number a family.

use super::families::Families;
use crate::elimination_order::{Heuristic, InteractionGraph, elimination};
use crate::junction_tree::clique_tree::CliqueTree;
use belief::{Rng, VarId, multinomial};
use std::ops::Range;

/// A part whose configurations are no more than this is one clique.
const ONE_CLIQUE: usize = 64;
/// So many factors are multiplied before it is looked whether the product becomes too small.
const FACTORS_AT_ONCE: usize = 8;
/// Products are brought back to one below this.
const SMALL: f64 = 1e-150;

/// A tree of cliques over the missing variables of a part.
#[derive(Clone, Debug)]
pub(super) struct PartPlan {
    /// Parents before children.
    cliques: Vec<Clique>,
    /// Where the cells of factors and messages stand, for the entries of cliques one after the other.
    places: Vec<u32>,
    /// Entries of all cliques.
    n_entries: usize,
    /// Entries of all messages.
    n_messages: usize,
}

#[derive(Clone, Debug)]
struct Clique {
    /// Its table, among those of all.
    entries: Range<usize>,
    /// The families whose factors it has: which of the part's, and where their places begin.
    factors: Vec<(usize, usize)>,
    /// The cliques below it.
    children: Vec<Child>,
    /// Its message to the one above, among those of all; empty at the root.
    message: Range<usize>,
}

#[derive(Clone, Debug)]
struct Child {
    clique: usize,
    /// For each entry of the clique above, where the place in the child's message is written.
    places: usize,
}

/// Space for inference, used again for every part.
#[derive(Clone, Debug, Default)]
pub(super) struct Room {
    tables: Vec<f64>,
    messages: Vec<f64>,
    ratios: Vec<f64>,
    /// How often each state of what cliques share with the one above was drawn, as messages stand.
    times: Vec<u64>,
}

impl Room {
    fn make(&mut self, plan: &PartPlan) {
        if self.tables.len() < plan.n_entries {
            self.tables.resize(plan.n_entries, 0.0);
        }
        if self.messages.len() < plan.n_messages {
            self.messages.resize(plan.n_messages, 0.0);
            self.ratios.resize(plan.n_messages, 0.0);
            self.times.resize(plan.n_messages, 0);
        }
    }
}

/// A plan whose tables would be too large.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct TooLarge {
    /// Entries of the largest table.
    pub entries: f64,
}

impl PartPlan {
    /// The plan of missing variables that hang together; `touched` are the families that have one of them, both ascending.
    pub fn new(families: &Families, missing: &[u32], touched: &[u32], max_entries: usize) -> Result<Self, TooLarge> {
        let n_states: Vec<usize> = missing.iter().map(|variable| families.n_states()[*variable as usize]).collect();
        let scopes: Vec<Vec<VarId>> = touched.iter().map(|family| missing_of(families, *family as usize, missing)).collect();
        let all = n_states.iter().try_fold(1_usize, |size, n| size.checked_mul(*n)).filter(|size| *size <= ONE_CLIQUE);
        let tree = match all {
            Some(_) => {
                let scope = (0..missing.len()).map(VarId::new).collect();
                CliqueTree { scopes: vec![scope], n_shared: vec![0], parents: vec![None] }
            }
            None => {
                let mut beside = InteractionGraph::new(n_states.clone());
                scopes.iter().for_each(|scope| beside.connect(scope));
                let everything: Vec<VarId> = (0..missing.len()).map(VarId::new).collect();
                let order = elimination(&beside, &everything, Heuristic::MinWeight);
                if order.tree_entries > max_entries as f64 {
                    return Err(TooLarge { entries: order.largest_table });
                }
                CliqueTree::of(&order, &n_states)
            }
        };
        Ok(Self::of_tree(families, missing, touched, &scopes, &n_states, &tree))
    }

    fn of_tree(
        families: &Families,
        missing: &[u32],
        touched: &[u32],
        scopes: &[Vec<VarId>],
        n_states: &[usize],
        tree: &CliqueTree,
    ) -> Self {
        let mut plan = Self { cliques: Vec::new(), places: Vec::new(), n_entries: 0, n_messages: 0 };
        let size = |scope: &[VarId]| scope.iter().map(|variable| n_states[variable.index()]).product::<usize>();
        for (scope, n_shared) in tree.scopes.iter().zip(&tree.n_shared) {
            let (n_entries, n_message) = (size(scope), if *n_shared > 0 { size(&scope[..*n_shared]) } else { 0 });
            let entries = plan.n_entries..plan.n_entries + n_entries;
            let message = plan.n_messages..plan.n_messages + n_message;
            (plan.n_entries, plan.n_messages) = (entries.end, message.end);
            plan.cliques.push(Clique { entries, factors: Vec::new(), children: Vec::new(), message });
        }
        for (place, (family, of)) in touched.iter().zip(scopes).enumerate() {
            // The smallest clique that has all of it; there is one, for a factor's variables stand beside each other.
            let holds = |clique: &usize| of.iter().all(|variable| tree.scopes[*clique].contains(variable));
            let smallest = (0..tree.scopes.len()).filter(holds).min_by_key(|clique| plan.cliques[*clique].entries.len());
            let Some(clique) = smallest else { continue };
            let stride = |variable: VarId| stride(families, *family as usize, missing[variable.index()] as usize);
            let at = plan.push_places(&tree.scopes[clique], n_states, stride);
            plan.cliques[clique].factors.push((place, at));
        }
        for (clique, parent) in tree.parents.iter().enumerate() {
            let Some(parent) = *parent else { continue };
            let shared = &tree.scopes[clique][..tree.n_shared[clique]];
            let stride = |variable: VarId| {
                let behind = shared.iter().position(|shared| *shared == variable).map(|place| &shared[place + 1..]);
                behind.map_or(0, size)
            };
            let at = plan.push_places(&tree.scopes[parent], n_states, stride);
            plan.cliques[parent].children.push(Child { clique, places: at });
        }
        plan
    }

    /// Writes down a place for every entry of a scope, given how far a step of each variable goes. Gives where they begin.
    fn push_places(&mut self, scope: &[VarId], n_states: &[usize], stride: impl Fn(VarId) -> usize) -> usize {
        let begin = self.places.len();
        self.places.push(0);
        // The last variable is the fastest: what is there so far is one of its states, and the others follow it.
        for variable in scope.iter().rev() {
            let (step, n_so_far) = (stride(*variable) as u32, self.places.len() - begin);
            for state in 1..n_states[variable.index()] as u32 {
                for at in 0..n_so_far {
                    let place = self.places[begin + at] + state * step;
                    self.places.push(place);
                }
            }
        }
        begin
    }

    /// Memory it takes, nearly.
    pub fn bytes(&self) -> usize {
        self.places.len() * 4 + self.cliques.iter().map(|c| 120 + c.factors.len() * 16 + c.children.len() * 16).sum::<usize>()
    }

    /// Adds what the families of a part are expected to be, so many times, to `expected`, and gives the natural logarithm of the probability
    /// of what was seen; `None` where that is impossible. `bases` has the cell that each family of the part begins at.
    pub fn expect(&self, theta: &[f64], bases: &[u32], weight: f64, room: &mut Room, expected: &mut [f64]) -> Option<f64> {
        room.make(self);
        let mut ln = 0.0;
        for clique in self.cliques.iter().rev() {
            ln += self.gather(clique, theta, bases, room)?;
        }
        for clique in &self.cliques {
            self.spread(clique, room);
            let belief = &room.tables[clique.entries.clone()];
            for (family, at) in &clique.factors {
                let cells = &mut expected[bases[*family] as usize..];
                for (p, place) in belief.iter().zip(&self.places[*at..]) {
                    cells[*place as usize] += weight * p;
                }
            }
        }
        Some(ln)
    }

    /// Draws what is missing of a part given tables, as often as it weighs and once more for a rest that is not whole, and adds what its families
    /// are then to `counts`; whether what was seen is possible. From the root down every clique is drawn given what it shares with the one above, for
    /// all draws together.
    pub fn draw(&self, theta: &[f64], (bases, weight): (&[u32], f64), room: &mut Room, rng: &mut impl Rng, counts: &mut [f64]) -> bool {
        room.make(self);
        if self.cliques.iter().rev().any(|clique| self.gather(clique, theta, bases, room).is_none()) {
            return false;
        }
        let rest = weight.fract();
        for (n, each) in [(weight.trunc() as u64, 1.0), (u64::from(rest > 0.0), rest)] {
            self.draw_together(n, bases, room, rng, |cell, times| counts[cell] += each * times as f64);
        }
        true
    }

    /// So many draws of what cliques have gathered; tells the cells of families that came, and how often.
    fn draw_together(&self, n: u64, bases: &[u32], room: &mut Room, rng: &mut impl Rng, mut came: impl FnMut(usize, u64)) {
        if n == 0 {
            return;
        }
        let Room { tables, times, .. } = room;
        times[..self.n_messages].fill(0);
        for clique in &self.cliques {
            let table = &tables[clique.entries.clone()];
            let n_own = table.len() / clique.message.len().max(1);
            for (row, own) in table.chunks_exact(n_own).enumerate() {
                let n = if clique.message.is_empty() { n } else { times[clique.message.start + row] };
                multinomial(own, n, rng, |entry, n| {
                    let entry = row * n_own + entry;
                    for child in &clique.children {
                        let below = &self.cliques[child.clique].message;
                        if !below.is_empty() {
                            times[below.start + self.places[child.places + entry] as usize] += n;
                        }
                    }
                    for (family, at) in &clique.factors {
                        came(bases[*family] as usize + self.places[at + entry] as usize, n);
                    }
                });
            }
        }
    }

    /// Numbers that are multiplied, gone through or counted to draw a part that weighs so much, nearly.
    pub fn draw_work(&self, weight: f64) -> f64 {
        // What going from clique to clique, and a binomial draw, are worth.
        const CLIQUE: f64 = 30.0;
        const BINOMIAL: f64 = 100.0;
        let of_clique = |clique: &Clique| clique.entries.len() / clique.message.len().max(1) + clique.factors.len();
        let one_by_one = weight.ceil() * self.cliques.iter().map(of_clique).sum::<usize>() as f64;
        let together = BINOMIAL * self.n_entries as f64 + self.places.len() as f64;
        CLIQUE * self.cliques.len() as f64 + self.places.len() as f64 + one_by_one.min(together)
    }

    /// The same to make the plan itself, which looks for an order of many.
    pub fn making_work(&self) -> f64 {
        const CLIQUE: f64 = 2000.0;
        CLIQUE * self.cliques.len() as f64 + 4.0 * self.places.len() as f64
    }

    /// Upwards: the clique's factors times what comes from below, divided by its sum, and its message. Gives the sum's logarithm.
    fn gather(&self, clique: &Clique, theta: &[f64], bases: &[u32], room: &mut Room) -> Option<f64> {
        let table = &mut room.tables[clique.entries.clone()];
        let mut ln = 0.0;
        table.fill(1.0);
        for some in clique.factors.chunks(FACTORS_AT_ONCE) {
            for (family, at) in some {
                let cells = &theta[bases[*family] as usize..];
                for (entry, place) in table.iter_mut().zip(&self.places[*at..]) {
                    *entry *= cells[*place as usize];
                }
            }
            ln += brought_back(table)?;
        }
        for some in clique.children.chunks(FACTORS_AT_ONCE) {
            for child in some {
                let message = &room.messages[self.cliques[child.clique].message.clone()];
                if message.is_empty() {
                    continue;
                }
                for (entry, place) in table.iter_mut().zip(&self.places[child.places..]) {
                    *entry *= message[*place as usize];
                }
            }
            ln += brought_back(table)?;
        }
        let sum: f64 = table.iter().sum();
        if sum <= 0.0 {
            return None;
        }
        let by = 1.0 / sum;
        table.iter_mut().for_each(|entry| *entry *= by);
        if !clique.message.is_empty() {
            let message = &mut room.messages[clique.message.clone()];
            let n_own = table.len() / message.len();
            message.iter_mut().zip(table.chunks_exact(n_own)).for_each(|(sum, row)| *sum = row.iter().sum());
        }
        Some(ln + sum.ln())
    }

    /// Downwards: what is believed of the clique is what is believed of each of its children's messages, which they take over.
    fn spread(&self, clique: &Clique, room: &mut Room) {
        for child in &clique.children {
            let below = &self.cliques[child.clique];
            if below.message.is_empty() {
                continue;
            }
            let ratios = &mut room.ratios[below.message.clone()];
            ratios.fill(0.0);
            for (belief, place) in room.tables[clique.entries.clone()].iter().zip(&self.places[child.places..]) {
                ratios[*place as usize] += belief;
            }
            for (ratio, message) in ratios.iter_mut().zip(&room.messages[below.message.clone()]) {
                *ratio = if *message > 0.0 { *ratio / message } else { 0.0 };
            }
            let table = &mut room.tables[below.entries.clone()];
            let n_own = table.len() / ratios.len();
            for (row, ratio) in table.chunks_exact_mut(n_own).zip(ratios) {
                row.iter_mut().for_each(|entry| *entry *= *ratio);
            }
        }
    }
}

/// A product that became very small, times what makes its largest entry one; `None` where all is zero. Gives the logarithm of what was taken out.
fn brought_back(table: &mut [f64]) -> Option<f64> {
    let largest = table.iter().copied().fold(0.0, f64::max);
    if largest == 0.0 {
        return None;
    }
    if largest > SMALL {
        return Some(0.0);
    }
    // The reciprocal of a subnormal number may be infinite.
    table.iter_mut().for_each(|entry| *entry /= largest);
    Some(largest.ln())
}

/// The missing variables of a family, by their places among those that are missing.
fn missing_of(families: &Families, family: usize, missing: &[u32]) -> Vec<VarId> {
    families.scope(family).filter_map(|variable| missing.binary_search(&(variable as u32)).ok()).map(VarId::new).collect()
}

/// How far a step of a variable goes in the table of a family; nothing where it is not in it.
pub(super) fn stride(families: &Families, family: usize, variable: usize) -> usize {
    let mut stride = 1;
    for member in families.scope(family).rev() {
        if member == variable {
            return stride;
        }
        stride *= families.n_states()[member];
    }
    0
}
