//! The states of hidden variables in an order that means the same in every run.
//!
//! No row tells the states of a hidden variable apart by name, so that a climb may end with them in any order: k! tops are the same but for
//! it. [`canonical_order`] chooses one by what the states are like; [`alignment`] the one that is nearest to another model's, so that two may be
//! compared and merged. Both give a [`Relabelling`], which takes whatever is in the families' layout along: tables, expected counts, pseudo-counts.

use super::em::Fitted;
use super::families::Families;
use super::posterior::Parameters;
use super::prior::ParameterPrior;
use belief::{ShapeMismatch, VarId};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A new order of some variables' states.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Relabelling {
    /// For each variable that has one, by place, the old states in their new order.
    orders: BTreeMap<usize, Vec<usize>>,
}

/// Shares that differ by no more than this are alike: two climbs to one top end so near to each other.
const ALIKE: f64 = 1e-5;

/// Going over all hidden variables again and again, for each depends on the others' order; it nearly always rests after the second time.
const MOST_ROUNDS: usize = 20;

/// The order of hidden variables' states by what they are like: the state that is expected most often first. States alike in that are ordered
/// by how often they are expected with the first state of the variable's first child, then with the second, then by the other children and the
/// parents. Hidden variables are ordered as they are listed; an earlier one may decide about a later one, not the reverse.
///
/// `hidden` are variables that no row has ([`may_be_relabelled`] tells whether the prior has them as well); `counts` are those of all families,
/// observed and expected. States that cannot be told apart stay as they are.
///
/// # Errors
/// When there is not one count for every cell, or a variable is none.
///
/// ```
/// use std::sync::Arc;
/// use tunbridge_net::{Domain, Structure, VarId};
/// use tunbridge_net::parameters::{Families, Parameters};
/// use tunbridge_net::parameters::hidden_states::canonical_order;
///
/// let domain = Domain::new([("Class", vec!["1", "2"]), ("X", vec!["yes", "no"])])?;
/// let mut structure = Structure::new(["Class", "X"])?;
/// structure.add_arc("Class", "X")?;
/// let families = Arc::new(Families::of(&structure, &domain)?);
/// let parameters = Parameters::new(Arc::clone(&families), vec![0.2, 0.8, 0.9, 0.1, 0.3, 0.7])?;
/// // Of ten rows two are expected of the first class, so that it becomes the second.
/// let order = canonical_order(&families, &[2.0, 8.0, 1.8, 0.2, 2.4, 5.6], &[VarId::new(0)])?;
/// assert_eq!(order.parameters(&parameters)?.theta(), [0.8, 0.2, 0.3, 0.7, 0.9, 0.1]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn canonical_order(families: &Families, counts: &[f64], hidden: &[VarId]) -> Result<Relabelling, ShapeMismatch> {
    ShapeMismatch::check("cells of families", families.n_cells(), counts.len())?;
    check_variables(families, hidden)?;
    let mut relabelling = Relabelling::default();
    let mut counts = counts.to_vec();
    for (nth, variable) in hidden.iter().enumerate() {
        let variable = variable.index();
        let waiting = &hidden[nth + 1..];
        let keys = keys_of(families, &counts, variable, |other| !waiting.contains(&VarId::new(other)));
        let order = ordered(&keys);
        permute(families, &mut counts, variable, &order);
        relabelling.push(variable, order);
    }
    Ok(relabelling)
}

/// The order of hidden variables' states in which a model is nearest to another: the sum of how far their tables are apart, Σ ½ |p − q| over
/// rows, each as often as it is expected in the two together, is the least (by Kuhn's Hungarian method, 1955). One variable at a time, the
/// others as they are by then, until nothing changes; it begins with what [`canonical_order`] looks at. Of one variable that is the least of all
/// orders, of several that hang together it need not be.
///
/// Counts are those of all families, observed and expected.
///
/// # Errors
/// When the two have other families, there is not one count for every cell, or a variable is none.
pub fn alignment(moved: (&Parameters, &[f64]), fixed: (&Parameters, &[f64]), hidden: &[VarId]) -> Result<Relabelling, ShapeMismatch> {
    let families = Arc::clone(fixed.0.families());
    ShapeMismatch::check("families", families.len(), moved.0.families().len())?;
    if families != *moved.0.families() {
        return Err(ShapeMismatch { what: "cells of families", expected: families.n_cells(), found: moved.0.families().n_cells() });
    }
    ShapeMismatch::check("cells of families", families.n_cells(), moved.1.len())?;
    ShapeMismatch::check("cells of families", families.n_cells(), fixed.1.len())?;
    check_variables(&families, hidden)?;
    let mut relabelling = Relabelling::default();
    let (mut theta, mut counts) = (moved.0.theta().to_vec(), moved.1.to_vec());
    for round in 0..MOST_ROUNDS {
        let mut changed = false;
        for (nth, variable) in hidden.iter().enumerate() {
            let variable = variable.index();
            let costs = match round {
                // The first time tables with those that were not looked at yet would mislead: states are compared by what they are like.
                0 => {
                    let known = |other: usize| !hidden[nth + 1..].contains(&VarId::new(other));
                    unlikeness(&keys_of(&families, &counts, variable, known), &keys_of(&families, fixed.1, variable, known))
                }
                _ => distances(&families, (&theta, &counts), (fixed.0.theta(), fixed.1), variable),
            };
            let order = cheapest_assignment(&costs);
            changed |= order.iter().enumerate().any(|(new, old)| new != *old);
            permute(&families, &mut theta, variable, &order);
            permute(&families, &mut counts, variable, &order);
            relabelling.push(variable, order);
        }
        if round > 0 && !changed {
            break;
        }
    }
    Ok(relabelling)
}

/// Whether a variable's states may change places without anybody noticing: the prior says the same of each, and no table of a family that has
/// it is fixed. The states of others mean something, and their order stays.
///
/// # Errors
/// When the prior does not fit the families.
pub fn may_be_relabelled(families: &Families, prior: &ParameterPrior, variable: VarId) -> Result<bool, super::prior::PriorFault> {
    let variable = variable.index();
    let alpha = prior.alpha(families)?;
    let n_states = families.n_states().get(variable).copied().unwrap_or(0);
    let is_fixed = |of: &usize| families.scope(*of).any(|member| member == variable);
    if prior.fixed.keys().any(is_fixed) {
        return Ok(false);
    }
    let turned: Vec<usize> = (1..n_states).chain([0]).take(n_states).collect();
    let mut other = alpha.clone();
    permute(families, &mut other, variable, &turned);
    // Rounding differs where a prior network's joint probabilities were summed in another order.
    Ok(alpha.iter().zip(&other).all(|(a, b)| (a - b).abs() <= 1e-9 * a.abs().max(b.abs())))
}

impl Relabelling {
    /// Whether everything stays where it is.
    pub fn is_identity(&self) -> bool {
        self.orders.values().all(|order| order.iter().enumerate().all(|(new, old)| new == *old))
    }

    /// The old states of a variable in their new order; `None` where it keeps its own.
    pub fn order(&self, variable: VarId) -> Option<&[usize]> {
        self.orders.get(&variable.index()).map(Vec::as_slice)
    }

    /// Takes numbers in the families' layout along.
    ///
    /// # Errors
    /// When there is not one for every cell, or a variable has another number of states.
    pub fn apply(&self, families: &Families, cells: &mut [f64]) -> Result<(), ShapeMismatch> {
        ShapeMismatch::check("cells of families", families.n_cells(), cells.len())?;
        for (variable, order) in &self.orders {
            ShapeMismatch::check("states", order.len(), families.n_states().get(*variable).copied().unwrap_or(0))?;
            permute(families, cells, *variable, order);
        }
        Ok(())
    }

    /// The tables with the states in their new order.
    ///
    /// # Errors
    /// When a variable has another number of states.
    pub fn parameters(&self, parameters: &Parameters) -> Result<Parameters, ShapeMismatch> {
        parameters.relabelled(|theta| self.apply(parameters.families(), theta))
    }

    /// What a climb reached with the states in their new order: the tables and what is expected. The rest does not know of states.
    ///
    /// # Errors
    /// When a variable has another number of states.
    pub fn fitted(&self, mut fitted: Fitted) -> Result<Fitted, ShapeMismatch> {
        fitted.parameters = self.parameters(&fitted.parameters)?;
        self.apply(fitted.parameters.families(), &mut fitted.expected)?;
        Ok(fitted)
    }

    /// Adds an order of states that are in the order so far.
    fn push(&mut self, variable: usize, order: Vec<usize>) {
        let so_far = self.orders.remove(&variable);
        let both = so_far.map_or_else(|| order.clone(), |so_far| order.iter().map(|state| so_far[*state]).collect());
        self.orders.insert(variable, both);
    }
}

fn check_variables(families: &Families, hidden: &[VarId]) -> Result<(), ShapeMismatch> {
    match hidden.iter().find(|variable| variable.index() >= families.len()) {
        None => Ok(()),
        Some(none) => Err(ShapeMismatch { what: "variables", expected: families.len(), found: none.index() + 1 }),
    }
}

/// Puts the states of a variable in another order wherever it is in a family: the new state s is the old one `order[s]`.
fn permute(families: &Families, cells: &mut [f64], variable: usize, order: &[usize]) {
    for of in 0..families.len() {
        let Some((n_states, stride)) = step_of(families, of, variable) else { continue };
        for block in cells[families.cells(of)].chunks_exact_mut(n_states * stride) {
            let old = block.to_vec();
            for (new, from) in order.iter().enumerate() {
                block[new * stride..(new + 1) * stride].copy_from_slice(&old[from * stride..(from + 1) * stride]);
            }
        }
    }
}

/// The states of a variable, and how far a step of it goes in a family's table; `None` where it is not in it.
fn step_of(families: &Families, of: usize, variable: usize) -> Option<(usize, usize)> {
    let behind = families.scope(of).skip_while(|member| *member != variable).skip(1);
    let stride = behind.map(|member| families.n_states()[member]).product();
    families.scope(of).any(|member| member == variable).then(|| (families.n_states()[variable], stride))
}

/// What tells the states apart: for each a list of shares of all rows. How often it is expected, and how often with each state of its
/// children and its parents; those that are not `known` are left out.
fn keys_of(families: &Families, counts: &[f64], variable: usize, known: impl Fn(usize) -> bool) -> Vec<Vec<f64>> {
    let n_states = families.n_states()[variable];
    let own = &counts[families.cells(variable)];
    let total = own.iter().sum::<f64>().max(f64::MIN_POSITIVE);
    let mut keys: Vec<Vec<f64>> = (0..n_states).map(|state| vec![own.iter().skip(state).step_by(n_states).sum::<f64>() / total]).collect();
    let children = (0..families.len()).filter(|of| families.parents(*of).iter().any(|parent| parent.index() == variable));
    let beside = children.map(|child| (child, child)).chain(families.parents(variable).iter().map(|parent| (variable, parent.index())));
    for (of, other) in beside.filter(|(_, other)| known(*other)) {
        let (Some((_, mine)), Some((n_others, theirs))) = (step_of(families, of, variable), step_of(families, of, other)) else { continue };
        let mut shares = vec![0.0; n_states * n_others];
        for (place, n) in counts[families.cells(of)].iter().enumerate() {
            shares[place / mine % n_states * n_others + place / theirs % n_others] += n / total;
        }
        keys.iter_mut().zip(shares.chunks_exact(n_others)).for_each(|(key, shares)| key.extend_from_slice(shares));
    }
    keys
}

/// The places of keys, the largest first; those alike in the first number by the second, and so on.
fn ordered(keys: &[Vec<f64>]) -> Vec<usize> {
    fn sort(places: &mut [usize], keys: &[Vec<f64>], at: usize) {
        let Some(_) = keys.first().filter(|key| at < key.len() && places.len() > 1) else {
            places.sort_unstable();
            return;
        };
        places.sort_by(|a, b| keys[*b][at].total_cmp(&keys[*a][at]).then(a.cmp(b)));
        // Neighbours that are alike belong together.
        for alike in places.chunk_by_mut(|a, b| keys[*a][at] - keys[*b][at] <= ALIKE) {
            sort(alike, keys, at + 1);
        }
    }
    let mut places: Vec<usize> = (0..keys.len()).collect();
    sort(&mut places, keys, 0);
    places
}

/// How unlike each of the fixed states (rows) is to each of the moved ones (columns), by what tells them apart.
fn unlikeness(moved: &[Vec<f64>], fixed: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let apart = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - b).abs()).sum::<f64>();
    fixed.iter().map(|there| moved.iter().map(|here| told(apart(there, here))).collect()).collect()
}

/// How far each state of a variable in the fixed tables (rows) is from each in the moved ones (columns).
fn distances(families: &Families, moved: (&[f64], &[f64]), fixed: (&[f64], &[f64]), variable: usize) -> Vec<Vec<f64>> {
    let n_states = families.n_states()[variable];
    let mut costs = vec![vec![0.0; n_states]; n_states];
    let total = |of: usize, counts: &[f64]| counts[families.cells(of)].iter().sum::<f64>().max(f64::MIN_POSITIVE);
    for of in 0..families.len() {
        let Some((_, stride)) = step_of(families, of, variable) else { continue };
        let n_own = families.n_states()[of];
        let begin = families.cells(of).start;
        let (of_fixed, of_moved) = (0.5 / total(of, fixed.1), 0.5 / total(of, moved.1));
        // How often the parents are so, in the one and in the other: half of the weight each.
        let row = |counts: &[f64], cell: usize| {
            let first = begin + cell / n_own * n_own;
            counts[first..first + n_own].iter().sum::<f64>()
        };
        for block in (0..families.cells(of).len()).step_by(n_states * stride) {
            for (there, costs) in costs.iter_mut().enumerate() {
                for (here, cost) in costs.iter_mut().enumerate() {
                    for within in 0..stride {
                        let (there, here) = (block + there * stride + within, block + here * stride + within);
                        let weight = of_fixed * row(fixed.1, there) + of_moved * row(moved.1, here);
                        *cost += 0.5 * weight * (fixed.0[begin + there] - moved.0[begin + here]).abs();
                    }
                }
            }
        }
    }
    costs.iter_mut().flatten().for_each(|cost| *cost = told(*cost));
    costs
}

/// Counts that are no numbers tell nothing.
fn told(cost: f64) -> f64 {
    if cost.is_finite() { cost } else { 1.0 }
}

/// For each row the column it is given, so that the sum is least: shortest augmenting paths with potentials (Kuhn 1955; Jonker & Volgenant
/// 1987). O(n³).
fn cheapest_assignment(costs: &[Vec<f64>]) -> Vec<usize> {
    let n = costs.len();
    // Place 0 is none; rows and columns count from one.
    let (mut of_row, mut of_column) = (vec![0.0; n + 1], vec![0.0; n + 1]);
    let mut row_of = vec![0; n + 1];
    for row in 1..=n {
        row_of[0] = row;
        let mut column = 0;
        let (mut least, mut from, mut used) = (vec![f64::INFINITY; n + 1], vec![0; n + 1], vec![false; n + 1]);
        while row_of[column] != 0 {
            used[column] = true;
            let (at, mut step, mut next) = (row_of[column], f64::INFINITY, 0);
            for other in (1..=n).filter(|other| !used[*other]) {
                let cost = costs[at - 1][other - 1] - of_row[at] - of_column[other];
                if cost < least[other] {
                    (least[other], from[other]) = (cost, column);
                }
                if least[other] < step {
                    (step, next) = (least[other], other);
                }
            }
            for other in 0..=n {
                if used[other] {
                    of_row[row_of[other]] += step;
                    of_column[other] -= step;
                } else {
                    least[other] -= step;
                }
            }
            column = next;
        }
        while column != 0 {
            row_of[column] = row_of[from[column]];
            column = from[column];
        }
    }
    let mut column_of = vec![0; n];
    (1..=n).for_each(|column| column_of[row_of[column] - 1] = column - 1);
    column_of
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all_orders(n: usize) -> Vec<Vec<usize>> {
        let mut orders = vec![Vec::new()];
        for _ in 0..n {
            let longer =
                |order: &Vec<usize>| (0..n).filter(|s| !order.contains(s)).map(|s| [&order[..], &[s]].concat()).collect::<Vec<_>>();
            orders = orders.iter().flat_map(longer).collect();
        }
        orders
    }

    #[test]
    fn the_cheapest_assignment_is_that_of_the_list() {
        let mut number = 1_u64;
        for n in 1..=6 {
            for _ in 0..20 {
                let mut next = || {
                    number = number.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                    (number >> 40) as f64 / 1e6
                };
                let costs: Vec<Vec<f64>> = (0..n).map(|_| (0..n).map(|_| next()).collect()).collect();
                let cost = |order: &[usize]| order.iter().enumerate().map(|(row, column)| costs[row][*column]).sum::<f64>();
                let least = all_orders(n).iter().map(|order| cost(order)).fold(f64::INFINITY, f64::min);
                assert!((cost(&cheapest_assignment(&costs)) - least).abs() < 1e-9);
            }
        }
        assert!(cheapest_assignment(&[]).is_empty());
    }

    #[test]
    fn what_is_alike_in_the_first_is_ordered_by_the_second() {
        let keys = [vec![0.25, 0.1], vec![0.25 + 1e-9, 0.05], vec![0.5, 0.0], vec![0.0, 0.0], vec![0.0, 0.0]];
        assert_eq!(ordered(&keys), [2, 0, 1, 3, 4]);
    }
}
