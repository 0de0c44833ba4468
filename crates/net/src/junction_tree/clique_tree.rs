//! From an elimination order to a tree of cliques with the running intersection: what two cliques share is in all between them.

use crate::elimination_order::Elimination;
use belief::VarId;

/// Cliques, every parent before its children. Its separator are the variables that a clique shares with its parent.
pub(super) struct CliqueTree {
    /// The variables of each clique, those of the separator first, then the others. Last of the clique comes, of the others, the one of most
    /// states; last of the separator comes the last of the parent, if it is in it: so both run over long rows side by side.
    pub scopes: Vec<Vec<VarId>>,
    /// How many of them are the separator's.
    pub n_shared: Vec<usize>,
    /// Each clique's parent; `None` for a root.
    pub parents: Vec<Option<usize>>,
}

impl CliqueTree {
    /// The maximal cliques of an elimination. The largest clique of every part that hangs together is its root: a root is gone through once
    /// where others are gone through twice.
    pub fn of(plan: &Elimination, n_states: &[usize]) -> Self {
        let (scopes, parents) = maximal_cliques(plan, n_states.len());
        let mut beside: Vec<Vec<usize>> = vec![Vec::new(); scopes.len()];
        for (place, parent) in parents.iter().enumerate() {
            if let Some(parent) = *parent {
                beside[place].push(parent);
                beside[parent].push(place);
            }
        }
        let size = |place: usize| scopes[place].iter().map(|variable| n_states[variable.index()] as f64).product::<f64>();
        let mut by_size: Vec<usize> = (0..scopes.len()).collect();
        by_size.sort_by(|&a, &b| size(b).total_cmp(&size(a)).then(a.cmp(&b)));
        let mut tree = Self { scopes: Vec::new(), n_shared: Vec::new(), parents: Vec::new() };
        let mut placed = vec![false; scopes.len()];
        for root in by_size {
            let mut waiting = vec![(root, None)];
            while let Some((place, parent)) = waiting.pop() {
                if std::mem::replace(&mut placed[place], true) {
                    continue;
                }
                let is_shared = |variable: &VarId| parent.is_some_and(|parent: usize| tree.scopes[parent].contains(variable));
                let (mut scope, mut own): (Vec<VarId>, Vec<VarId>) = scopes[place].iter().partition(|variable| is_shared(variable));
                let parents_last = parent.and_then(|parent| tree.scopes[parent].last().copied());
                scope.sort_by_key(|&variable| (Some(variable) == parents_last, variable));
                let most = own.iter().copied().max_by_key(|variable| n_states[variable.index()]);
                own.sort_by_key(|&variable| (Some(variable) == most, variable));
                tree.n_shared.push(scope.len());
                scope.extend(own);
                tree.parents.push(parent);
                let new_place = tree.scopes.len();
                tree.scopes.push(scope);
                waiting.extend(beside[place].iter().rev().map(|&other| (other, Some(new_place))));
            }
        }
        tree
    }
}

/// The maximal cliques of an elimination and the parent of each. What is left of a clique without its variable is within the clique of the
/// next of its variables to go, which so is its parent; a parent that holds nothing more is merged into its child.
fn maximal_cliques(plan: &Elimination, n_variables: usize) -> (Vec<Vec<VarId>>, Vec<Option<usize>>) {
    let mut rank = vec![0; n_variables];
    plan.order.iter().enumerate().for_each(|(step, variable)| rank[variable.index()] = step);
    let n_steps = plan.order.len();
    let next_to_go = |step: usize| plan.cliques[step].iter().map(|variable| rank[variable.index()]).filter(|&later| later > step).min();
    let mut parent: Vec<Option<usize>> = (0..n_steps).map(next_to_go).collect();
    let mut merged_into: Vec<Option<usize>> = vec![None; n_steps];
    let standing = |merged_into: &[Option<usize>], mut step: usize| {
        while let Some(into) = merged_into[step] {
            step = into;
        }
        step
    };
    for step in 0..n_steps {
        if merged_into[step].is_some() {
            continue;
        }
        while let Some(above) = parent[step].map(|above| standing(&merged_into, above)) {
            parent[step] = Some(above);
            if !plan.cliques[above].iter().all(|variable| plan.cliques[step].contains(variable)) {
                break;
            }
            merged_into[above] = Some(step);
            parent[step] = parent[above];
        }
    }
    let mut place = vec![None; n_steps];
    let left: Vec<usize> = (0..n_steps).filter(|&step| merged_into[step].is_none()).collect();
    left.iter().enumerate().for_each(|(new, &step)| place[step] = Some(new));
    let scopes = left.iter().map(|&step| plan.cliques[step].clone()).collect();
    let parents = left.iter().map(|&step| parent[step].and_then(|above| place[standing(&merged_into, above)])).collect();
    (scopes, parents)
}
