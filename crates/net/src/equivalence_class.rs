//! Equivalence classes: the graphs that say the same independences, and which arcs all of them share.
//!
//! Two graphs are equivalent if and only if they have the same arcs but for their directions, and the same v-structures (Verma &
//! Pearl 1990): x → z ← y where x and y are not joined. Data alone never tell graphs of a class apart. The class is drawn as a
//! graph of its own, the CPDAG or essential graph: *compelled* arcs go the same way in every graph of the class, *reversible* ones
//! do not. They are found by Chickering 1995 ("A transformational characterization of equivalent Bayesian network structures",
//! algorithms Order-Edges and Label-Edges).

use crate::dag::Dag;
use belief::VarId;
use std::collections::BTreeMap;

/// A class of equivalent graphs. Two graphs are equivalent if and only if their classes are equal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EquivalenceClass {
    n_variables: usize,
    compelled: Vec<(VarId, VarId)>,
    reversible: Vec<(VarId, VarId)>,
}

impl EquivalenceClass {
    /// The class of a graph.
    ///
    /// # Complexity
    /// The number of arcs times the most parents of a variable.
    ///
    /// ```
    /// use tunbridge_net::{Dag, EquivalenceClass, VarId};
    /// let [a, b, c] = [0, 1, 2].map(VarId::new);
    /// let chain = Dag::from_parents(vec![vec![], vec![a], vec![b]]).unwrap();
    /// let fork = Dag::from_parents(vec![vec![b], vec![], vec![b]]).unwrap();
    /// let collider = Dag::from_parents(vec![vec![], vec![a, c], vec![]]).unwrap();
    /// assert_eq!(EquivalenceClass::of(&chain), EquivalenceClass::of(&fork));
    /// assert_eq!(EquivalenceClass::of(&chain).reversible(), [(a, b), (b, c)]);
    /// assert_eq!(EquivalenceClass::of(&collider).compelled(), [(a, b), (c, b)]);
    /// ```
    pub fn of(dag: &Dag) -> Self {
        let mut is_compelled: BTreeMap<(VarId, VarId), bool> = BTreeMap::new();
        for (from, to) in ordered_arcs(dag) {
            if !is_compelled.contains_key(&(from, to)) {
                label(dag, from, to, &mut is_compelled);
            }
        }
        let arcs = |wanted: bool| is_compelled.iter().filter(move |(_, compelled)| **compelled == wanted).map(|(&arc, _)| arc);
        let mut reversible: Vec<(VarId, VarId)> = arcs(false).map(|(from, to)| (from.min(to), from.max(to))).collect();
        reversible.sort_unstable();
        Self { n_variables: dag.n_variables(), compelled: arcs(true).collect(), reversible }
    }

    /// How many variables there are.
    pub fn n_variables(&self) -> usize {
        self.n_variables
    }

    /// The arcs that go this way in every graph of the class, parent and child, in order.
    pub fn compelled(&self) -> &[(VarId, VarId)] {
        &self.compelled
    }

    /// The arcs that go one way in some graphs of the class and the other way in others, the lower id first, in order.
    pub fn reversible(&self) -> &[(VarId, VarId)] {
        &self.reversible
    }
}

/// The v-structures: two parents that are not joined, the lower id first, and their child, in order.
///
/// # Complexity
/// The square of the parents of every variable, each time a search among parents.
pub fn v_structures(dag: &Dag) -> Vec<[VarId; 3]> {
    let mut found = Vec::new();
    for child in dag.variables() {
        for (place, &one) in dag.parents(child).iter().enumerate() {
            for &other in &dag.parents(child)[place + 1..] {
                if !dag.has_arc(one, other) && !dag.has_arc(other, one) {
                    found.push([one.min(other), one.max(other), child]);
                }
            }
        }
    }
    found.sort_unstable();
    found
}

/// Order-Edges: by child in topological order, and of one child the parent that comes last first.
fn ordered_arcs(dag: &Dag) -> Vec<(VarId, VarId)> {
    let order = dag.topological_order();
    let mut rank = vec![0; order.len()];
    order.iter().enumerate().for_each(|(place, variable)| rank[variable.index()] = place);
    let mut arcs: Vec<(VarId, VarId)> = dag.arcs().collect();
    arcs.sort_by_key(|(from, to)| (rank[to.index()], std::cmp::Reverse(rank[from.index()])));
    arcs
}

/// A step of Label-Edges: labels x → y and, with it, other arcs into y.
fn label(dag: &Dag, x: VarId, y: VarId, is_compelled: &mut BTreeMap<(VarId, VarId), bool>) {
    for &w in dag.parents(x) {
        if is_compelled.get(&(w, x)) != Some(&true) {
            continue;
        }
        if !dag.has_arc(w, y) {
            dag.parents(y).iter().for_each(|&parent| {
                is_compelled.insert((parent, y), true);
            });
            return;
        }
        is_compelled.insert((w, y), true);
    }
    let compelled = dag.parents(y).iter().any(|&z| z != x && !dag.has_arc(z, x));
    for &parent in dag.parents(y) {
        is_compelled.entry((parent, y)).or_insert(compelled);
    }
}
