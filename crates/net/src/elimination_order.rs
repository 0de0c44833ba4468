//! Elimination orders: in which order variables are best summed out.
//!
//! First what costs nothing: a variable whose neighbours all stand beside each other is simplicial, its table is needed whatever is done, and it
//! goes first. (The next of the safe reductions, almost simplicial variables of Bodlaender, Koster & van den Eijkhof 2005, is safe for the
//! largest table but not for the sum of all: on the networks of the bnlearn repository it made trees of up to 1.4 times the entries.) On what is left,
//! greedy choice by min-fill (fewest arcs added), min-weight (smallest table made) or weighted min-fill (lightest arcs added), Koller & Friedman
//! 2009, Algorithm 9.4. None of them wins everywhere, and how ties fall matters as much, so [`cheapest_elimination`] tries all and then seeded
//! mixtures of them with noise (after Kask et al. 2011), as long as the search is cheap beside what it may save. The cheapest is the one whose
//! junction tree has the fewest entries.

use crate::error::NetError;
use belief::{Rng, VarId, random_stream};
use rayon::iter::{IntoParallelIterator, ParallelIterator};

/// Which variables stand in a factor together. Sets of neighbours are rows of bits.
#[derive(Clone, Debug)]
pub struct InteractionGraph {
    n_states: Vec<usize>,
    n_words: usize,
    neighbours: Vec<u64>,
}

/// What the next variable is chosen by.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Heuristic {
    /// Fewest arcs to be added between its neighbours; of those the smallest table.
    MinFill,
    /// The smallest table over it and its neighbours; of those the fewest arcs.
    MinWeight,
    /// The lightest arcs to be added, each weighing the product of its ends' states; of those the smallest table.
    WeightedMinFill,
    /// The logarithms of table and arcs' weight, mixed in some proportion, with noise: for searches that begin anew many times.
    Mixed {
        /// The share of the table, 0 to 1; that of the arcs is the rest.
        table: f64,
        /// How large the noise is.
        noise: f64,
        /// Which noise.
        seed: u64,
    },
}

/// How long a cheaper order is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Search {
    /// Not at all beyond the heuristics themselves and a few of their mixtures.
    Quick,
    /// As quick, by the threads of rayon's pool: the same order.
    QuickShared,
    /// For one question: as long as it takes little beside the answer.
    Brief,
    /// For a tree that will answer many questions.
    Thorough,
}

/// An order, and what it costs.
#[derive(Clone, Debug, PartialEq)]
pub struct Elimination {
    /// The variables, the first to be summed out first.
    pub order: Vec<VarId>,
    /// For each of them, itself and its neighbours when it is summed out, ascending.
    pub cliques: Vec<Vec<VarId>>,
    /// The entries of the largest table that is made.
    pub largest_table: f64,
    /// The entries of all tables that are made.
    pub total_entries: f64,
    /// The entries of the maximal ones among them: of a junction tree.
    pub tree_entries: f64,
}

impl InteractionGraph {
    /// Variables with these numbers of states, none beside another.
    pub fn new(n_states: Vec<usize>) -> Self {
        let n_words = n_states.len().div_ceil(64);
        Self { neighbours: vec![0; n_words * n_states.len()], n_words, n_states }
    }

    /// Puts variables beside each other, as those of a factor are.
    ///
    /// # Panics
    /// When there is no such variable.
    pub fn connect(&mut self, variables: &[VarId]) {
        for &left in variables {
            for &right in variables {
                if left != right {
                    self.neighbours[left.index() * self.n_words + right.index() / 64] |= 1 << (right.index() % 64);
                }
            }
        }
    }

    #[inline(always)]
    fn row(&self, variable: usize) -> &[u64] {
        &self.neighbours[variable * self.n_words..][..self.n_words]
    }

    /// The pairs of neighbours that are not beside each other: how many, and the product of the states of the ends of each, summed.
    #[inline(always)]
    fn fill(&self, variable: usize) -> (usize, f64) {
        let own = self.row(variable);
        let (mut n_missing, mut weight) = (0, 0.0);
        for (word, &bits_of_word) in own.iter().enumerate() {
            let mut behind = bits_of_word;
            while behind != 0 {
                let other = word * 64 + behind.trailing_zeros() as usize;
                // Each pair once: only those behind `other`.
                behind &= behind - 1;
                let beside = self.row(other);
                let mut states = 0;
                for later in word..own.len() {
                    let missing = if later == word { behind } else { own[later] } & !beside[later];
                    n_missing += missing.count_ones() as usize;
                    states += ones(missing).map(|bit| self.n_states[later * 64 + bit]).sum::<usize>();
                }
                weight += (self.n_states[other] * states) as f64;
            }
        }
        (n_missing, weight)
    }

    /// The entries of the table over a variable and its neighbours.
    #[inline(always)]
    fn weight(&self, variable: usize) -> f64 {
        bits(self.row(variable)).map(|other| self.n_states[other] as f64).product::<f64>() * self.n_states[variable] as f64
    }

    /// Takes a variable out and puts its neighbours beside each other. Gives the neighbours, as bits.
    #[inline(always)]
    fn take_out(&mut self, variable: usize) -> Vec<u64> {
        let own = self.row(variable).to_vec();
        for other in bits(&own) {
            let row = &mut self.neighbours[other * self.n_words..][..self.n_words];
            row.iter_mut().zip(&own).for_each(|(bits, own)| *bits |= own);
            row[other / 64] &= !(1 << (other % 64));
            row[variable / 64] &= !(1 << (variable % 64));
        }
        own
    }
}

/// The places of the bits that are set.
#[inline(always)]
fn bits(words: &[u64]) -> impl Iterator<Item = usize> + '_ {
    words.iter().enumerate().flat_map(|(word, &bits)| ones(bits).map(move |bit| word * 64 + bit))
}

/// The same of one word.
#[inline(always)]
pub(crate) fn ones(mut bits: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let place = (bits != 0).then(|| bits.trailing_zeros() as usize)?;
        bits &= bits - 1;
        Some(place)
    })
}

/// An order to sum these variables out by. Others stay; they count as neighbours.
///
/// # Complexity
/// Quadratic in the variables, and for each step the neighbours of the variable's neighbours are looked at anew.
///
/// # Panics
/// When there is no such variable.
pub fn elimination(graph: &InteractionGraph, eliminate: &[VarId], heuristic: Heuristic) -> Elimination {
    let mut left = vec![false; graph.n_states.len()];
    eliminate.iter().for_each(|variable| left[variable.index()] = true);
    let (order, _) = greedy(&mut graph.clone(), &mut left, heuristic);
    cost_of(graph, order)
}

/// What a given order costs. Variables that it does not name stay.
///
/// # Errors
/// When it names a variable twice or one that is not there.
pub fn given_order(graph: &InteractionGraph, order: &[VarId]) -> Result<Elimination, NetError> {
    let n_variables = graph.n_states.len();
    let mut named = vec![false; n_variables];
    for variable in order {
        let place = variable.index();
        let named = named.get_mut(place).ok_or(NetError::NoSuchVariable { place, n_variables })?;
        if std::mem::replace(named, true) {
            return Err(NetError::NamedTwice { variable: format!("#{place}") });
        }
    }
    Ok(cost_of(graph, order.iter().map(|variable| variable.index()).collect()))
}

/// The order of fewest entries of those that the heuristics, and mixtures of them, find.
///
/// # Panics
/// When there is no such variable.
pub fn cheapest_elimination(graph: &InteractionGraph, eliminate: &[VarId], search: Search) -> Elimination {
    let mut left = vec![false; graph.n_states.len()];
    eliminate.iter().for_each(|variable| left[variable.index()] = true);
    let mut kernel = graph.clone();
    let first = reduce(&mut kernel, &mut left);
    let (kernel, left, names) = compact(&kernel, &left);
    let try_by = |heuristic: Heuristic| {
        let (order, steps) = greedy(&mut kernel.clone(), &mut left.clone(), heuristic);
        let order: Vec<usize> = first.iter().copied().chain(order.into_iter().map(|place| names[place])).collect();
        (Tried { tree_entries: tree_entries(graph, &order), order }, steps)
    };
    let try_all = |heuristics: Vec<Heuristic>, at_once: bool| -> Vec<(Tried, usize)> {
        if at_once { heuristics.into_par_iter().map(try_by).collect() } else { heuristics.into_iter().map(try_by).collect() }
    };
    let mut n_at_once = if search == Search::QuickShared { rayon::current_num_threads().clamp(1, 8) } else { 1 };
    let mut first_three = try_all(vec![Heuristic::MinFill, Heuristic::MinWeight, Heuristic::WeightedMinFill], n_at_once > 1).into_iter();
    let (mut best, mut spent) = first_three.next().unwrap_or_default();
    let mut take = |(found, steps): (Tried, usize)| {
        spent += steps;
        if found.tree_entries < best.tree_entries {
            best = found;
        }
        (spent, best.tree_entries)
    };
    for tried in first_three {
        take(tried);
    }
    let (share, most) = match search {
        Search::Quick | Search::QuickShared => (1.0, 20_000),
        Search::Brief => (1.0, 20_000_000),
        Search::Thorough => (100.0, 400_000_000),
    };
    let mut draws = random_stream(0, 0);
    let mut mixed = |seed: usize| {
        let table = draws.next_u64() as f64 / 2.0_f64.powi(64);
        Heuristic::Mixed { table, noise: [0.0, 0.03, 0.1, 0.3][seed % 4], seed: seed as u64 }
    };
    let mut seed = 0;
    'search: while seed < MOST_SEARCHES {
        let heuristics: Vec<Heuristic> = (seed..seed + n_at_once).map(&mut mixed).collect();
        seed += n_at_once;
        // In their order, as if each had been tried after the one before: those that are one too many change nothing.
        for tried in try_all(heuristics, n_at_once > 1) {
            let (spent, entries) = take(tried);
            if spent > most || spent as f64 > entries * share || left.iter().all(|left| !left) {
                break 'search;
            }
            if search == Search::Thorough && spent > WORTH_SHARING {
                n_at_once = rayon::current_num_threads().clamp(1, 8);
            }
        }
    }
    cost_of(graph, best.order)
}

/// An order, and the entries of its junction tree.
#[derive(Default)]
struct Tried {
    order: Vec<usize>,
    tree_entries: f64,
}

/// So many steps into a search, more than one order is tried at a time.
const WORTH_SHARING: usize = 1_000_000;

/// More searches than this never pay.
const MOST_SEARCHES: usize = 3_000;

/// Takes out simplicial variables until none is left, and gives the order.
fn reduce(graph: &mut InteractionGraph, left: &mut [bool]) -> Vec<usize> {
    let mut order = Vec::new();
    let mut waiting: Vec<bool> = left.to_vec();
    while let Some(variable) = waiting.iter().position(|&waiting| waiting) {
        waiting[variable] = false;
        if graph.fill(variable).0 == 0 {
            left[variable] = false;
            order.push(variable);
            // Its neighbours may have become simplicial without it.
            bits(&graph.take_out(variable)).for_each(|other| waiting[other] = left[other]);
        }
    }
    order
}

/// The graph without the variables that are gone, and what was each variable's place before.
fn compact(graph: &InteractionGraph, left: &[bool]) -> (InteractionGraph, Vec<bool>, Vec<usize>) {
    let still_there: Vec<usize> = (0..left.len()).filter(|&place| left[place] || graph.row(place).iter().any(|&bits| bits != 0)).collect();
    let mut new_place = vec![usize::MAX; left.len()];
    still_there.iter().enumerate().for_each(|(new, &old)| new_place[old] = new);
    let mut small = InteractionGraph::new(still_there.iter().map(|&old| graph.n_states[old]).collect());
    for (new, &old) in still_there.iter().enumerate() {
        for other in bits(graph.row(old)).map(|other| new_place[other]).filter(|&other| other != usize::MAX) {
            small.neighbours[new * small.n_words + other / 64] |= 1 << (other % 64);
        }
    }
    let left = still_there.iter().map(|&old| left[old]).collect();
    (small, left, still_there)
}

/// A greedy order, and how many steps it took to find it: with the machine's own instructions for counting and finding bits, where it has them.
fn greedy(graph: &mut InteractionGraph, left: &mut [bool], heuristic: Heuristic) -> (Vec<usize>, usize) {
    struct Greedy<'g>(&'g mut InteractionGraph, &'g mut [bool], Heuristic);

    impl pulp::WithSimd for Greedy<'_> {
        type Output = (Vec<usize>, usize);

        #[inline(always)]
        fn with_simd<S: pulp::Simd>(self, _: S) -> Self::Output {
            greedy_by_bits(self.0, self.1, self.2)
        }
    }
    pulp::Arch::new().dispatch(Greedy(graph, left, heuristic))
}

#[inline(always)]
fn greedy_by_bits(graph: &mut InteractionGraph, left: &mut [bool], heuristic: Heuristic) -> (Vec<usize>, usize) {
    let mut costs =
        Costs { heuristic, draws: random_stream(if let Heuristic::Mixed { seed, .. } = heuristic { seed } else { 0 }, 1), steps: 0 };
    let mut cost_of: Vec<((f64, f64), usize)> = vec![((0.0, 0.0), 0); left.len()];
    for variable in (0..left.len()).filter(|&variable| left[variable]) {
        cost_of[variable] = costs.of(graph, variable);
    }
    let mut order = Vec::new();
    loop {
        // Of equals the first.
        let mut next: Option<usize> = None;
        for variable in (0..left.len()).filter(|&variable| left[variable]) {
            if next.is_none_or(|next| cost_of[variable].0 < cost_of[next].0) {
                next = Some(variable);
            }
        }
        let Some(next) = next else { break };
        let adds_arcs = cost_of[next].1 > 0;
        left[next] = false;
        order.push(next);
        // Costs change for the neighbours, and where arcs were added also for theirs.
        let mut changed = graph.take_out(next);
        if adds_arcs {
            let mut also = changed.clone();
            for other in bits(&changed) {
                also.iter_mut().zip(graph.row(other)).for_each(|(also, bits)| *also |= bits);
            }
            changed = also;
        }
        for variable in bits(&changed).filter(|&variable| left[variable]) {
            cost_of[variable] = costs.of(graph, variable);
        }
    }
    (order, costs.steps)
}

/// What variables cost by a heuristic.
struct Costs<R> {
    heuristic: Heuristic,
    draws: R,
    /// What it cost to find out.
    steps: usize,
}

impl<R: Rng> Costs<R> {
    /// What a variable costs, and how many arcs it adds.
    #[inline(always)]
    fn of(&mut self, graph: &InteractionGraph, variable: usize) -> ((f64, f64), usize) {
        self.steps += graph.n_words * (1 + graph.row(variable).iter().map(|bits| bits.count_ones() as usize).sum::<usize>());
        let (n_missing, missing_weight) = graph.fill(variable);
        let weight = graph.weight(variable);
        let cost = match self.heuristic {
            Heuristic::MinFill => (n_missing as f64, weight),
            Heuristic::MinWeight => (weight, n_missing as f64),
            Heuristic::WeightedMinFill => (missing_weight, weight),
            Heuristic::Mixed { table, noise, .. } => {
                let uniform = self.draws.next_u64() as f64 / 2.0_f64.powi(64);
                (table * weight.ln() + (1.0 - table) * (1.0 + missing_weight).ln() + noise * uniform * 10.0, uniform)
            }
        };
        (cost, n_missing)
    }
}

/// The cliques of an order, and what they cost.
fn cost_of(graph: &InteractionGraph, order: Vec<usize>) -> Elimination {
    let mut graph = graph.clone();
    let mut made = Elimination { order: Vec::new(), cliques: Vec::new(), largest_table: 0.0, total_entries: 0.0, tree_entries: 0.0 };
    made.tree_entries = tree_entries(&graph, &order);
    for &variable in &order {
        let weight = graph.weight(variable);
        let mut clique = graph.take_out(variable);
        clique[variable / 64] |= 1 << (variable % 64);
        made.order.push(VarId::new(variable));
        made.cliques.push(bits(&clique).map(VarId::new).collect::<Vec<_>>());
        made.largest_table = made.largest_table.max(weight);
        made.total_entries += weight;
    }
    made
}

/// The entries of the maximal cliques of an order.
fn tree_entries(graph: &InteractionGraph, order: &[usize]) -> f64 {
    let mut graph = graph.clone();
    let mut rank = vec![usize::MAX; graph.n_states.len()];
    order.iter().enumerate().for_each(|(step, &variable)| rank[variable] = step);
    // Of each clique: its entries, how many variables it has beside its own, and which of them goes next.
    let cliques: Vec<(f64, u32, usize)> = order
        .iter()
        .map(|&variable| {
            let weight = graph.weight(variable);
            let beside = graph.take_out(variable);
            let next = bits(&beside).map(|other| rank[other]).min().unwrap_or(usize::MAX);
            (weight, beside.iter().map(|bits| bits.count_ones()).sum(), next)
        })
        .collect();
    // A clique is within an earlier one if it is all that one leaves to the first of its variables to go next.
    let mut within = vec![false; order.len()];
    for &(_, n_beside, next) in &cliques {
        if cliques.get(next).is_some_and(|(_, n_of_next, _)| n_of_next + 1 == n_beside) {
            within[next] = true;
        }
    }
    cliques.iter().zip(within).filter(|(_, within)| !within).map(|((weight, ..), _)| weight).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(places: &[usize]) -> Vec<VarId> {
        places.iter().map(|&place| VarId::new(place)).collect()
    }

    /// A ring of four: any first choice adds one arc, so the lowest id comes first.
    #[test]
    fn a_ring_is_cut_at_the_lowest_id() {
        let mut ring = InteractionGraph::new(vec![2; 4]);
        [[0, 1], [1, 2], [2, 3], [3, 0]].iter().for_each(|pair| ring.connect(&ids(pair)));
        let cut = elimination(&ring, &ids(&[0, 1, 2, 3]), Heuristic::MinFill);
        assert_eq!(cut.order, ids(&[0, 1, 2, 3]));
        assert_eq!(cut.cliques[0], ids(&[0, 1, 3]));
        assert_eq!((cut.largest_table, cut.total_entries), (8.0, 8.0 + 8.0 + 4.0 + 2.0));
    }

    /// A grid, which is searched long enough for orders to be tried at once.
    #[test]
    fn the_order_is_the_same_on_any_threads() {
        const SIDE: usize = 8;
        let mut grid = InteractionGraph::new((0..SIDE * SIDE).map(|place| 2 + place % 2).collect());
        for place in 0..SIDE * SIDE {
            if place % SIDE + 1 < SIDE {
                grid.connect(&ids(&[place, place + 1]));
            }
            if place + SIDE < SIDE * SIDE {
                grid.connect(&ids(&[place, place + SIDE]));
            }
        }
        let all: Vec<VarId> = (0..SIDE * SIDE).map(VarId::new).collect();
        let on = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| cheapest_elimination(&grid, &all, Search::Thorough))
        };
        let alone = on(1);
        assert!(alone.tree_entries * 100.0 > 2.0 * WORTH_SHARING as f64, "{} entries", alone.tree_entries);
        assert_eq!(alone, on(3));
        assert!(alone.tree_entries < elimination(&grid, &all, Heuristic::MinFill).tree_entries);
    }

    #[test]
    fn the_heuristics_look_at_different_things() {
        // 0 and 1 are leaves of many states at 4; 2 has two neighbours, 3 and 4, of two states.
        let mut graph = InteractionGraph::new(vec![100, 100, 2, 2, 2]);
        [[0, 4], [1, 4], [2, 3], [2, 4]].iter().for_each(|pair| graph.connect(&ids(pair)));
        let all = ids(&[0, 1, 2]);
        assert_eq!(elimination(&graph, &all, Heuristic::MinFill).order, ids(&[0, 1, 2]));
        assert_eq!(elimination(&graph, &all, Heuristic::MinWeight).order, ids(&[2, 0, 1]));
    }

    #[test]
    fn rows_of_more_than_a_word() {
        let mut chain = InteractionGraph::new(vec![3; 150]);
        (1..150).for_each(|place| chain.connect(&ids(&[place - 1, place])));
        let everything: Vec<VarId> = (0..150).map(VarId::new).collect();
        let found = cheapest_elimination(&chain, &everything, Search::Brief);
        assert_eq!(found.largest_table, 9.0);
        assert_eq!(found.order.len(), 150);
    }
}
