//! How large a network is for those who question it: its families, and the junction tree that an elimination order makes.

use net::elimination_order::{Elimination, InteractionGraph};
use net::{FactorGraph, Network, VarId};

/// Figures of a network, found without making any table.
#[derive(Clone, Debug, PartialEq)]
pub struct Shape {
    /// The variable whose table with its parents is largest, and the table's entries.
    pub largest_family: Option<(VarId, f64)>,
    /// Cliques of the junction tree.
    pub n_cliques: usize,
    /// Entries of all cliques together.
    pub total_entries: f64,
    /// Entries of the largest clique.
    pub largest_clique: f64,
    /// Variables of the clique of most variables, less one: the treewidth is this or less.
    pub width: usize,
}

/// A junction tree before any table is made.
#[derive(Clone, Debug, PartialEq)]
pub struct TreePlan {
    /// The variables, the first to be summed out first.
    pub order: Vec<VarId>,
    /// The cliques, none within another.
    pub cliques: Vec<PlannedClique>,
}

/// A clique and what joins it to the one above it.
#[derive(Clone, Debug, PartialEq)]
pub struct PlannedClique {
    /// Its variables, ascending.
    pub variables: Vec<VarId>,
    /// Entries of its table.
    pub entries: f64,
    /// The place of the clique above it; `None` at the top.
    pub parent: Option<usize>,
    /// What it shares with the clique above it.
    pub separator: Vec<VarId>,
}

impl TreePlan {
    /// The junction tree of an elimination.
    pub(crate) fn new(graph: &FactorGraph, elimination: &Elimination) -> Self {
        let n_states = graph.n_states();
        let n_steps = elimination.order.len();
        let mut rank = vec![0; n_states.len()];
        elimination.order.iter().enumerate().for_each(|(step, variable)| rank[variable.index()] = step);
        // What is left of a clique without its own variable is within the clique of the next of its variables to go.
        let above = |step: usize| elimination.cliques[step].iter().map(|v| rank[v.index()]).filter(|later| *later > step).min();
        // A clique that holds nothing but what one below it has is that one.
        let mut stands_for: Vec<usize> = (0..n_steps).collect();
        let mut parent: Vec<Option<usize>> = (0..n_steps).map(above).collect();
        for step in 0..n_steps {
            if stands_for[step] != step {
                continue;
            }
            while let Some(next) = parent[step].map(|next| last_of(&stands_for, next)) {
                parent[step] = Some(next);
                if next == step || !elimination.cliques[next].iter().all(|v| elimination.cliques[step].contains(v)) {
                    break;
                }
                stands_for[next] = step;
                parent[step] = parent[next];
            }
        }
        let left: Vec<usize> = (0..n_steps).filter(|step| stands_for[*step] == *step).collect();
        let mut place = vec![0; n_steps];
        left.iter().enumerate().for_each(|(at, step)| place[*step] = at);
        let clique = |step: &usize| {
            let variables = elimination.cliques[*step].clone();
            let parent = parent[*step].map(|parent| last_of(&stands_for, parent));
            let shared = |above: usize| variables.iter().copied().filter(|v| elimination.cliques[above].contains(v)).collect();
            let entries = variables.iter().map(|v| n_states[v.index()] as f64).product();
            PlannedClique { entries, separator: parent.map_or(Vec::new(), shared), parent: parent.map(|p| place[p]), variables }
        };
        Self { order: elimination.order.clone(), cliques: left.iter().map(clique).collect() }
    }
}

fn last_of(stands_for: &[usize], mut step: usize) -> usize {
    while stands_for[step] != step {
        step = stands_for[step];
    }
    step
}

impl Shape {
    /// The figures of a network, or of factors alone, with this tree.
    pub(crate) fn new(network: Option<&Network>, tree: &TreePlan) -> Self {
        let entries = |network: &Network, of: VarId| {
            let dag = network.dag();
            dag.parents(of).iter().chain([&of]).map(|v| network.n_states(*v) as f64).product::<f64>()
        };
        let families = network.iter().flat_map(|network| network.dag().variables().map(|of| (of, entries(network, of))));
        Self {
            // Of several the first.
            largest_family: families.fold(None, |best, one| if best.is_some_and(|(_, most)| most >= one.1) { best } else { Some(one) }),
            n_cliques: tree.cliques.len(),
            total_entries: tree.cliques.iter().map(|clique| clique.entries).sum(),
            largest_clique: tree.cliques.iter().map(|clique| clique.entries).fold(0.0, f64::max),
            width: tree.cliques.iter().map(|clique| clique.variables.len()).max().unwrap_or(1) - 1,
        }
    }
}

/// Who stands beside whom in a factor.
pub(crate) fn interaction_graph(graph: &FactorGraph) -> (InteractionGraph, Vec<VarId>) {
    let mut beside = InteractionGraph::new(graph.n_states().to_vec());
    graph.factors().iter().for_each(|factor| beside.connect(factor.scope()));
    (beside, (0..graph.n_with_hidden()).map(VarId::new).collect())
}
