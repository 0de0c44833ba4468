//! Elimination orders: in which order variables are best summed out.
//!
//! Greedy, by min-fill (fewest arcs added), min-weight (smallest table made) or weighted min-fill (lightest arcs added), Koller & Friedman
//! 2009, Algorithm 9.4. None wins everywhere, so [`cheapest_elimination`] tries all. Ties go to the lowest id.

use belief::VarId;

/// Which variables stand in a factor together. Sets of neighbours are rows of bits.
#[derive(Clone, Debug)]
pub struct InteractionGraph {
    n_states: Vec<usize>,
    n_words: usize,
    neighbours: Vec<u64>,
}

/// What the next variable is chosen by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Heuristic {
    /// Fewest arcs to be added between its neighbours; of those the smallest table.
    MinFill,
    /// The smallest table over it and its neighbours; of those the fewest arcs.
    MinWeight,
    /// The lightest arcs to be added, each weighing the product of its ends' states; of those the smallest table.
    WeightedMinFill,
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

    fn row(&self, variable: usize) -> &[u64] {
        &self.neighbours[variable * self.n_words..][..self.n_words]
    }

    fn neighbours(&self, variable: usize) -> Vec<usize> {
        let mut found = Vec::new();
        for (word, &bits) in self.row(variable).iter().enumerate() {
            let mut bits = bits;
            while bits != 0 {
                found.push(word * 64 + bits.trailing_zeros() as usize);
                bits &= bits - 1;
            }
        }
        found
    }

    /// How many pairs of neighbours are not beside each other.
    fn fill(&self, variable: usize) -> usize {
        let neighbours = self.neighbours(variable);
        let own = self.row(variable);
        let missing: u32 =
            neighbours.iter().map(|&other| own.iter().zip(self.row(other)).map(|(a, b)| (a & !b).count_ones()).sum::<u32>()).sum();
        // Each neighbour misses itself once, and each missing pair is counted from both ends.
        (missing as usize - neighbours.len()) / 2
    }

    /// The weight of the arcs that are missing between neighbours: the product of the states of the ends of each.
    fn fill_weight(&self, variable: usize) -> f64 {
        let own = self.row(variable);
        let mut weight = 0.0;
        for other in self.neighbours(variable) {
            for (word, (a, b)) in own.iter().zip(self.row(other)).enumerate() {
                let mut bits = a & !b;
                while bits != 0 {
                    let missing = word * 64 + bits.trailing_zeros() as usize;
                    if missing > other {
                        weight += (self.n_states[other] * self.n_states[missing]) as f64;
                    }
                    bits &= bits - 1;
                }
            }
        }
        weight
    }

    /// The entries of the table over a variable and its neighbours.
    fn weight(&self, variable: usize) -> f64 {
        self.neighbours(variable).iter().map(|&other| self.n_states[other] as f64).product::<f64>() * self.n_states[variable] as f64
    }
}

/// An order to sum these variables out by. Others stay; they count as neighbours.
///
/// # Complexity
/// Quadratic in the variables, and for each step the neighbours of the variable's neighbours are looked at anew.
///
/// # Panics
/// When there is no such variable.
pub fn elimination(graph: &InteractionGraph, eliminate: &[VarId], heuristic: Heuristic) -> Elimination {
    let mut graph = graph.clone();
    let mut left = vec![false; graph.n_states.len()];
    eliminate.iter().for_each(|variable| left[variable.index()] = true);
    let cost = |graph: &InteractionGraph, variable: usize| match heuristic {
        Heuristic::MinFill => (graph.fill(variable) as f64, graph.weight(variable)),
        Heuristic::MinWeight => (graph.weight(variable), graph.fill(variable) as f64),
        Heuristic::WeightedMinFill => (graph.fill_weight(variable), graph.weight(variable)),
    };
    let mut costs: Vec<(f64, f64)> =
        (0..left.len()).map(|variable| if left[variable] { cost(&graph, variable) } else { (0.0, 0.0) }).collect();
    let n_left = left.iter().filter(|&&left| left).count();
    let mut made = Elimination { order: Vec::new(), cliques: Vec::new(), largest_table: 0.0, total_entries: 0.0 };
    for _ in 0..n_left {
        let candidates = (0..left.len()).filter(|&variable| left[variable]);
        // Of equals `min_by` takes the first.
        let next = candidates.min_by(|&a, &b| costs[a].0.total_cmp(&costs[b].0).then(costs[a].1.total_cmp(&costs[b].1)));
        let Some(next) = next else { break };
        let neighbours = graph.neighbours(next);
        let weight = graph.weight(next);
        let adds_arcs = graph.fill(next) > 0;
        let ids: Vec<VarId> = neighbours.iter().map(|&other| VarId::new(other)).collect();
        graph.connect(&ids);
        let (word, bit) = (next / 64, 1_u64 << (next % 64));
        for &other in &neighbours {
            graph.neighbours[other * graph.n_words + word] &= !bit;
        }
        left[next] = false;
        // Costs change for the neighbours, and where arcs were added also for theirs.
        let mut changed = neighbours.clone();
        if adds_arcs {
            changed.extend(neighbours.iter().flat_map(|&other| graph.neighbours(other)));
            changed.sort_unstable();
            changed.dedup();
        }
        for variable in changed.into_iter().filter(|&variable| left[variable]) {
            costs[variable] = cost(&graph, variable);
        }
        let mut clique = ids;
        clique.push(VarId::new(next));
        clique.sort_unstable();
        made.order.push(VarId::new(next));
        made.cliques.push(clique);
        made.largest_table = made.largest_table.max(weight);
        made.total_entries += weight;
    }
    made
}

/// The order of fewer entries, of those that the heuristics find.
///
/// # Panics
/// When there is no such variable.
pub fn cheapest_elimination(graph: &InteractionGraph, eliminate: &[VarId]) -> Elimination {
    let [fill, others @ ..] =
        [Heuristic::MinFill, Heuristic::MinWeight, Heuristic::WeightedMinFill].map(|by| elimination(graph, eliminate, by));
    others.into_iter().fold(fill, |best, other| if other.total_entries < best.total_entries { other } else { best })
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
        let found = cheapest_elimination(&chain, &everything);
        assert_eq!(found.largest_table, 9.0);
        assert_eq!(found.order.len(), 150);
    }
}
