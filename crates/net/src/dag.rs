//! A directed acyclic graph: who listens to whom.
//!
//! Acyclic by construction: an arc that would close a cycle is refused, and the cycle is told. The graph knows places, not names;
//! [`crate::Structure`] has the names. Parents keep the order they were given in, for tables are laid out by it.

use belief::VarId;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A directed graph without cycles. Invariant: no cycle, no arc twice.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Dag {
    parents: Vec<Vec<VarId>>,
    children: Vec<Vec<VarId>>,
}

/// Why an arc was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ArcRefused {
    /// It would close this cycle; the first variable is also the last.
    #[error("the arcs would make a cycle of {} variables", path.len().saturating_sub(1))]
    Cycle {
        /// The variables on the way.
        path: Vec<VarId>,
    },
    /// It is there already.
    #[error("the arc is there already")]
    Repeated {
        /// From.
        parent: VarId,
        /// To.
        child: VarId,
    },
    /// One of its ends is not in the graph.
    #[error("there is no variable at place {}", place.index())]
    NoSuchVariable {
        /// The end.
        place: VarId,
    },
}

impl Dag {
    /// A graph of variables without arcs.
    pub fn without_arcs(n_variables: usize) -> Self {
        Self { parents: vec![Vec::new(); n_variables], children: vec![Vec::new(); n_variables] }
    }

    /// The graph in which every variable has these parents.
    ///
    /// # Complexity
    /// Linear in variables and arcs, but for the search for arcs given twice, which is quadratic in the parents of one variable.
    ///
    /// # Errors
    /// When arcs make a cycle, are given twice or lead out of the graph.
    ///
    /// ```
    /// use tunbridge_net::{ArcRefused, Dag, VarId};
    /// let [a, b] = [VarId::new(0), VarId::new(1)];
    /// assert_eq!(Dag::from_parents(vec![vec![], vec![a]]).unwrap().children(a), [b]);
    /// assert_eq!(Dag::from_parents(vec![vec![b], vec![a]]), Err(ArcRefused::Cycle { path: vec![a, b, a] }));
    /// ```
    pub fn from_parents(parents: Vec<Vec<VarId>>) -> Result<Self, ArcRefused> {
        let n_variables = parents.len();
        let mut children = vec![Vec::new(); n_variables];
        for (child, of_child) in parents.iter().enumerate() {
            for (place, &parent) in of_child.iter().enumerate() {
                if parent.index() >= n_variables {
                    return Err(ArcRefused::NoSuchVariable { place: parent });
                }
                if of_child[..place].contains(&parent) {
                    return Err(ArcRefused::Repeated { parent, child: VarId::new(child) });
                }
                children[parent.index()].push(VarId::new(child));
            }
        }
        let graph = Self { parents, children };
        let sorted = graph.topological_order();
        if sorted.len() < n_variables { Err(ArcRefused::Cycle { path: graph.cycle_beyond(&sorted) }) } else { Ok(graph) }
    }

    /// Adds an arc.
    ///
    /// # Complexity
    /// Linear in the variables and arcs below the child.
    ///
    /// # Errors
    /// When it would close a cycle, is there already, or leads out of the graph.
    pub fn add_arc(&mut self, parent: VarId, child: VarId) -> Result<(), ArcRefused> {
        for place in [parent, child] {
            if place.index() >= self.n_variables() {
                return Err(ArcRefused::NoSuchVariable { place });
            }
        }
        if self.has_arc(parent, child) {
            return Err(ArcRefused::Repeated { parent, child });
        }
        if let Some(mut path) = self.directed_path(child, parent) {
            path.insert(0, parent);
            return Err(ArcRefused::Cycle { path });
        }
        self.parents[child.index()].push(parent);
        self.children[parent.index()].push(child);
        Ok(())
    }

    /// Takes an arc away, and tells whether it was there.
    pub fn remove_arc(&mut self, parent: VarId, child: VarId) -> bool {
        let there = self.has_arc(parent, child);
        if there {
            self.parents[child.index()].retain(|&other| other != parent);
            self.children[parent.index()].retain(|&other| other != child);
        }
        there
    }

    /// How many variables there are.
    pub fn n_variables(&self) -> usize {
        self.parents.len()
    }

    /// How many arcs there are.
    pub fn n_arcs(&self) -> usize {
        self.parents.iter().map(Vec::len).sum()
    }

    /// All variables, in order.
    pub fn variables(&self) -> impl Iterator<Item = VarId> + use<> {
        (0..self.n_variables()).map(VarId::new)
    }

    /// All arcs, parent and child, by child.
    pub fn arcs(&self) -> impl Iterator<Item = (VarId, VarId)> + '_ {
        self.variables().flat_map(|child| self.parents(child).iter().map(move |&parent| (parent, child)))
    }

    /// The parents of a variable, in the order they were given in.
    ///
    /// # Panics
    /// When the graph has no such variable.
    pub fn parents(&self, child: VarId) -> &[VarId] {
        &self.parents[child.index()]
    }

    /// The children of a variable.
    ///
    /// # Panics
    /// When the graph has no such variable.
    pub fn children(&self, parent: VarId) -> &[VarId] {
        &self.children[parent.index()]
    }

    /// Whether this arc is there.
    pub fn has_arc(&self, parent: VarId, child: VarId) -> bool {
        self.parents.get(child.index()).is_some_and(|parents| parents.contains(&parent))
    }

    /// Every variable after its parents; of several that could come next, the lowest id does.
    pub fn topological_order(&self) -> Vec<VarId> {
        let mut missing: Vec<usize> = self.parents.iter().map(Vec::len).collect();
        let mut ready: BinaryHeap<Reverse<VarId>> = self.variables().filter(|v| missing[v.index()] == 0).map(Reverse).collect();
        let mut order = Vec::with_capacity(self.n_variables());
        while let Some(Reverse(next)) = ready.pop() {
            order.push(next);
            for child in self.children(next) {
                missing[child.index()] -= 1;
                if missing[child.index()] == 0 {
                    ready.push(Reverse(*child));
                }
            }
        }
        order
    }

    /// These variables and all above them, marked by place.
    pub fn ancestral_set(&self, of: &[VarId]) -> Vec<bool> {
        let mut marked = vec![false; self.n_variables()];
        let mut waiting = of.to_vec();
        while let Some(variable) = waiting.pop() {
            if !std::mem::replace(&mut marked[variable.index()], true) {
                waiting.extend(self.parents(variable));
            }
        }
        marked
    }

    /// The variables above this one, in order.
    pub fn ancestors(&self, of: VarId) -> Vec<VarId> {
        let marked = self.ancestral_set(&[of]);
        self.variables().filter(|&v| v != of && marked[v.index()]).collect()
    }

    /// Parents, children and the children's other parents, in order: given these, a variable is independent of all others
    /// (Pearl 1988, section 3.2.1).
    pub fn markov_blanket(&self, of: VarId) -> Vec<VarId> {
        let mut blanket: Vec<VarId> = self.parents(of).to_vec();
        for &child in self.children(of) {
            blanket.push(child);
            blanket.extend(self.parents(child));
        }
        blanket.sort_unstable();
        blanket.dedup();
        blanket.retain(|&other| other != of);
        blanket
    }

    /// The moral graph: neighbours of every variable, in order. Arcs lose their heads and parents of a child are married
    /// (Lauritzen & Spiegelhalter 1988).
    pub fn moral_graph(&self) -> Vec<Vec<VarId>> {
        // In the moral graph a variable's neighbours are its Markov blanket.
        self.variables().map(|variable| self.markov_blanket(variable)).collect()
    }

    /// A way along the arcs, if there is one; a variable leads to itself.
    fn directed_path(&self, from: VarId, to: VarId) -> Option<Vec<VarId>> {
        let mut came_from: Vec<Option<VarId>> = vec![None; self.n_variables()];
        let mut seen = vec![false; self.n_variables()];
        seen[from.index()] = true;
        let mut waiting = vec![from];
        while let Some(at) = waiting.pop() {
            if at == to {
                let mut path: Vec<VarId> = std::iter::successors(Some(at), |v| came_from[v.index()]).collect();
                path.reverse();
                return Some(path);
            }
            for &child in self.children(at) {
                if !std::mem::replace(&mut seen[child.index()], true) {
                    came_from[child.index()] = Some(at);
                    waiting.push(child);
                }
            }
        }
        None
    }

    /// A cycle among the variables that could not be sorted: each of them has a parent that could not either, so that going up ends
    /// where one has been.
    fn cycle_beyond(&self, sorted: &[VarId]) -> Vec<VarId> {
        let mut left = vec![true; self.n_variables()];
        for variable in sorted {
            left[variable.index()] = false;
        }
        let Some(start) = self.variables().find(|v| left[v.index()]) else { return Vec::new() };
        let mut way = vec![start];
        let mut place_of = vec![None; self.n_variables()];
        place_of[start.index()] = Some(0);
        loop {
            let here = way[way.len() - 1];
            let Some(&above) = self.parents(here).iter().find(|parent| left[parent.index()]) else { return way };
            way.push(above);
            if let Some(first) = place_of[above.index()] {
                let mut cycle = way.split_off(first);
                cycle.reverse();
                return cycle;
            }
            place_of[above.index()] = Some(way.len() - 1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(places: &[usize]) -> Vec<VarId> {
        places.iter().map(|&place| VarId::new(place)).collect()
    }

    /// Flu (0) and allergy (1) inflame the sinus (2), which makes a headache (3) and a runny nose (4).
    fn flu() -> Dag {
        Dag::from_parents([&[][..], &[], &[0, 1], &[2], &[2]].iter().map(|parents| ids(parents)).collect()).unwrap()
    }

    #[test]
    fn flu_by_hand() {
        let flu = flu();
        assert_eq!(flu.topological_order(), ids(&[0, 1, 2, 3, 4]));
        assert_eq!(flu.ancestors(VarId::new(4)), ids(&[0, 1, 2]));
        assert_eq!(flu.markov_blanket(VarId::new(0)), ids(&[1, 2]));
        assert_eq!(flu.markov_blanket(VarId::new(2)), ids(&[0, 1, 3, 4]));
        assert_eq!(flu.moral_graph()[1], ids(&[0, 2]));
        assert_eq!(flu.n_arcs(), 4);
        assert_eq!(flu.arcs().next(), Some((VarId::new(0), VarId::new(2))));
    }

    #[test]
    fn a_topological_order_goes_by_lowest_id() {
        let graph = Dag::from_parents(vec![ids(&[3]), vec![], ids(&[1]), vec![]]).unwrap();
        assert_eq!(graph.topological_order(), ids(&[1, 2, 3, 0]));
    }

    #[test]
    fn an_arc_that_closes_a_cycle_is_refused_and_the_cycle_told() {
        let mut flu = flu();
        let [top, bottom] = [VarId::new(0), VarId::new(3)];
        assert_eq!(flu.add_arc(bottom, top), Err(ArcRefused::Cycle { path: ids(&[3, 0, 2, 3]) }));
        assert_eq!(flu.add_arc(top, top), Err(ArcRefused::Cycle { path: ids(&[0, 0]) }));
        assert_eq!(flu.add_arc(top, VarId::new(2)), Err(ArcRefused::Repeated { parent: top, child: VarId::new(2) }));
        assert_eq!(flu.add_arc(top, VarId::new(5)), Err(ArcRefused::NoSuchVariable { place: VarId::new(5) }));
        assert!(flu.remove_arc(top, VarId::new(2)));
        assert!(!flu.remove_arc(top, VarId::new(2)));
        assert_eq!(flu.add_arc(bottom, top), Ok(()));
    }

    #[test]
    fn a_cycle_below_other_variables_is_found() {
        // 0 → 1 → 2 → 3 → 1 and 3 → 4.
        let parents = vec![vec![], ids(&[0, 3]), ids(&[1]), ids(&[2]), ids(&[3])];
        assert_eq!(Dag::from_parents(parents), Err(ArcRefused::Cycle { path: ids(&[1, 2, 3, 1]) }));
    }
}
