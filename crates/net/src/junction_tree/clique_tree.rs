//! From an elimination order to a tree of cliques with the running intersection: what two cliques share is in all between them.

use crate::elimination_order::Elimination;
use belief::VarId;

/// Cliques, every parent before its children. Its separator are the variables that a clique shares with its parent.
pub(crate) struct CliqueTree {
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
    /// where others are gone through twice. Every other hangs below the smallest clique that holds what it shares with the rest, so that large
    /// cliques have few neighbours.
    pub fn of(plan: &Elimination, n_states: &[usize]) -> Self {
        let (scopes, parents) = maximal_cliques(plan, n_states.len());
        let size = |place: usize| scopes[place].iter().map(|variable| n_states[variable.index()] as f64).product::<f64>();
        let sizes: Vec<f64> = (0..scopes.len()).map(size).collect();
        let mut parents = rooted_at_largest(&parents, &sizes);
        hang_below_smallest(&scopes, &mut parents, &sizes, n_states.len());
        let mut children: Vec<Vec<usize>> = vec![Vec::new(); scopes.len()];
        let mut waiting: Vec<(usize, Option<usize>)> = Vec::new();
        for (place, parent) in parents.iter().enumerate().rev() {
            match parent {
                Some(parent) => children[*parent].push(place),
                None => waiting.push((place, None)),
            }
        }
        let mut tree = Self { scopes: Vec::new(), n_shared: Vec::new(), parents: Vec::new() };
        while let Some((place, parent)) = waiting.pop() {
            let is_shared = |variable: &VarId| parent.is_some_and(|parent: usize| tree.scopes[parent].contains(variable));
            let (mut scope, mut own): (Vec<VarId>, Vec<VarId>) = scopes[place].iter().partition(|variable| is_shared(variable));
            let parents_last = parent.and_then(|parent| tree.scopes[parent].last().copied());
            scope.sort_by_key(|&variable| (Some(variable) == parents_last, variable));
            let most = own.iter().copied().max_by_key(|variable| n_states[variable.index()]);
            own.sort_by_key(|&variable| (Some(variable) == most, variable));
            tree.n_shared.push(scope.len());
            scope.extend(own);
            tree.parents.push(parent);
            waiting.extend(children[place].iter().map(|&child| (child, Some(tree.scopes.len()))));
            tree.scopes.push(scope);
        }
        tree
    }

    /// The variable that each clique's configurations are best gone through along: the one of most states, so that runs are long. If that is one that it shares with
    /// its parent it becomes the last of the separator, so that the separator's configurations run along it as well; they can run along one variable only.
    pub fn run_variables(&mut self, n_states: &[usize]) -> Vec<Option<VarId>> {
        let mut chosen: Vec<Option<VarId>> = Vec::with_capacity(self.scopes.len());
        for (place, scope) in self.scopes.iter_mut().enumerate() {
            let own = scope.last().copied();
            let shared = &mut scope[..self.n_shared[place]];
            let of_parent = self.parents[place].and_then(|parent| chosen[parent]).filter(|variable| shared.contains(variable));
            let of_most = || shared.iter().copied().max_by_key(|variable| n_states[variable.index()]);
            let last = of_parent.or_else(of_most);
            shared.sort_by_key(|&variable| (Some(variable) == last, variable));
            // Of equals the own.
            chosen.push(last.into_iter().chain(own).max_by_key(|variable| n_states[variable.index()]));
        }
        chosen
    }
}

/// The same tree, hung up at the largest clique of each part.
fn rooted_at_largest(parents: &[Option<usize>], sizes: &[f64]) -> Vec<Option<usize>> {
    let mut beside: Vec<Vec<usize>> = vec![Vec::new(); parents.len()];
    for (place, parent) in parents.iter().enumerate() {
        if let Some(parent) = *parent {
            beside[place].push(parent);
            beside[parent].push(place);
        }
    }
    let mut by_size: Vec<usize> = (0..parents.len()).collect();
    by_size.sort_by(|&a, &b| sizes[b].total_cmp(&sizes[a]).then(a.cmp(&b)));
    let mut rooted = vec![None; parents.len()];
    let mut is_placed = vec![false; parents.len()];
    for root in by_size {
        let mut waiting = vec![(root, None)];
        while let Some((place, parent)) = waiting.pop() {
            if !std::mem::replace(&mut is_placed[place], true) {
                rooted[place] = parent;
                waiting.extend(beside[place].iter().map(|&other| (other, Some(place))));
            }
        }
    }
    rooted
}

/// Hangs every clique below the smallest that holds what it shares with its parent and is not below it itself. The running intersection stays: all
/// that a clique and those below it share with the others is in what it shares with its parent.
fn hang_below_smallest(scopes: &[Vec<VarId>], parents: &mut [Option<usize>], sizes: &[f64], n_variables: usize) {
    let mut containing: Vec<Vec<usize>> = vec![Vec::new(); n_variables];
    for (place, scope) in scopes.iter().enumerate() {
        scope.iter().for_each(|variable| containing[variable.index()].push(place));
    }
    for place in 0..scopes.len() {
        let Some(parent) = parents[place] else { continue };
        let shared: Vec<VarId> = scopes[place].iter().copied().filter(|variable| scopes[parent].contains(variable)).collect();
        let Some(rarest) = shared.iter().min_by_key(|variable| containing[variable.index()].len()) else { continue };
        let holds = |&other: &usize| shared.iter().all(|variable| scopes[other].contains(variable));
        let mut candidates: Vec<usize> =
            containing[rarest.index()].iter().copied().filter(|&other| sizes[other] < sizes[parent]).filter(holds).collect();
        candidates.sort_by(|&a, &b| sizes[a].total_cmp(&sizes[b]).then(a.cmp(&b)));
        let is_below = |parents: &[Option<usize>], other: usize| {
            std::iter::successors(Some(other), |&other| parents[other]).any(|above| above == place)
        };
        if let Some(smaller) = candidates.into_iter().find(|&other| !is_below(parents, other)) {
            parents[place] = Some(smaller);
        }
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
