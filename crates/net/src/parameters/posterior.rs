//! What is believed of a network's probabilities after the data.

use super::families::Families;
use super::prior::{Estimate, ParameterPrior, PriorFault};
use crate::conditional::{Conditional, ConditionalTable};
use crate::domain::Domain;
use crate::error::NetError;
use crate::network::Network;
use belief::conjugate::{Dirichlet, Family as _, dirichlet_ln_marginal};
use belief::{CompensatedSum, Rng, VarId};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Probabilities of all tables of a network, in its families' layout. Invariant: every row sums to one, to rounding.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameters {
    families: Arc<Families>,
    theta: Vec<f64>,
}

/// A Dirichlet distribution for every row of every table.
#[derive(Clone, Debug, PartialEq)]
pub struct ParameterPosterior {
    families: Arc<Families>,
    /// N + α of every cell.
    alpha: Vec<f64>,
    estimate: Estimate,
    fixed: BTreeMap<usize, Vec<f64>>,
}

impl Parameters {
    /// Probabilities in the families' layout; each row is divided by its sum.
    ///
    /// # Errors
    /// When there is not one for every cell, one is negative or not finite, or a row sums to nothing: the variable is named by its place.
    pub fn new(families: Arc<Families>, mut theta: Vec<f64>) -> Result<Self, NetError> {
        let whole = theta.len() == families.n_cells();
        for of in 0..if whole { families.len() } else { 0 } {
            for (row, probabilities) in theta[families.cells(of)].chunks_exact_mut(families.n_states()[of]).enumerate() {
                let sum: f64 = probabilities.iter().sum();
                if !(sum > 0.0 && sum.is_finite()) || probabilities.iter().any(|p| *p < 0.0) {
                    return Err(NetError::RowSum { variable: format!("#{of}"), row: row + 1, sum });
                }
                probabilities.iter_mut().for_each(|p| *p /= sum);
            }
        }
        if !whole {
            let (found, expected) = (theta.len(), families.n_cells());
            return Err(NetError::TableSize { variable: "all families".into(), found, expected, n_rows: 1, n_states: expected });
        }
        Ok(Self { families, theta })
    }

    /// The tables of a network, spelled out.
    ///
    /// # Errors
    /// When the network has other families, or a distribution that is no table is too large for one.
    pub fn of_network(network: &Network, families: Arc<Families>) -> Result<Self, NetError> {
        let mut theta = Vec::with_capacity(families.n_cells());
        for variable in network.domain().variables() {
            theta.extend_from_slice(&network.table(variable)?);
        }
        Self::new(families, theta)
    }

    /// The families.
    pub fn families(&self) -> &Arc<Families> {
        &self.families
    }

    /// All probabilities.
    pub fn theta(&self) -> &[f64] {
        &self.theta
    }

    /// The table of a variable.
    ///
    /// # Panics
    /// When there is no such variable.
    pub fn of(&self, variable: usize) -> &[f64] {
        &self.theta[self.families.cells(variable)]
    }

    /// Σ N ln θ: the log likelihood of counts of families; −∞ where a cell of probability zero was seen.
    pub fn ln_likelihood(&self, cells: &[f64]) -> f64 {
        weighed_ln(cells, &self.theta)
    }

    /// The same tables in another order of states.
    pub(super) fn relabelled<E>(&self, order: impl FnOnce(&mut [f64]) -> Result<(), E>) -> Result<Self, E> {
        let mut theta = self.theta.clone();
        order(&mut theta)?;
        Ok(Self { families: Arc::clone(&self.families), theta })
    }

    /// The network of these tables over the states of a domain.
    ///
    /// # Errors
    /// When the domain has other numbers of states.
    pub fn to_network(&self, domain: Domain) -> Result<Network, NetError> {
        let families = &self.families;
        let mut conditionals = Vec::with_capacity(families.len());
        for of in 0..families.len() {
            let table = ConditionalTable::new(families.n_states()[of], self.of(of).to_vec());
            conditionals.push(Conditional::Table(table.map_err(|_| NetError::NoDistribution { variable: format!("#{of}") })?));
        }
        let parents: Vec<Vec<VarId>> = (0..families.len()).map(|of| families.parents(of).to_vec()).collect();
        Network::from_conditionals(domain, parents, conditionals)
    }
}

/// Σ n ln p over the cells with n > 0.
pub(super) fn weighed_ln(n: &[f64], p: &[f64]) -> f64 {
    let mut sum = CompensatedSum::default();
    let mut impossible = false;
    for (n, p) in n.iter().zip(p) {
        if *n > 0.0 {
            impossible |= *p == 0.0;
            if *p > 0.0 {
                sum.add(n * p.ln());
            }
        }
    }
    if impossible { f64::NEG_INFINITY } else { sum.value() }
}

impl ParameterPosterior {
    /// What a prior and counts say together; the counts are in the families' layout, observed and expected ones added.
    ///
    /// # Errors
    /// When the prior does not fit the families.
    pub fn new(families: Arc<Families>, prior: &ParameterPrior, counts: &[f64]) -> Result<Self, PriorFault> {
        let mut alpha = prior.alpha(&families)?;
        alpha.iter_mut().zip(counts).for_each(|(alpha, n)| *alpha += n);
        Ok(Self { families, alpha, estimate: prior.estimate, fixed: prior.fixed.clone() })
    }

    /// N + α of every cell, in the families' layout.
    pub fn alpha(&self) -> &[f64] {
        &self.alpha
    }

    /// The families.
    pub fn families(&self) -> &Arc<Families> {
        &self.families
    }

    /// The one set of probabilities that the prior says to take. A row that nothing speaks of is uniform.
    pub fn parameters(&self) -> Parameters {
        self.by_row(|row, theta| match self.estimate {
            Estimate::Map if row.iter().any(|a| *a > 1.0) => push_shares(theta, row.iter().map(|a| (a - 1.0).max(0.0))),
            Estimate::Map | Estimate::PosteriorMean => push_shares(theta, row.iter().copied()),
        })
    }

    /// Probabilities drawn from what is believed. Rows that nothing speaks of are uniform, and cells without any pseudo-count are zero.
    pub fn draw(&self, rng: &mut impl Rng) -> Parameters {
        self.by_row(|row, theta| {
            // A cell without any pseudo-count has no density of its own: it stays zero.
            let some: Vec<f64> = row.iter().copied().filter(|a| *a > 0.0).collect();
            if some.is_empty() {
                return push_shares(theta, row.iter().copied());
            }
            let mut drawn = Dirichlet { alpha: some }.draw(rng).into_iter();
            theta.extend(row.iter().map(|a| if *a > 0.0 { drawn.next().unwrap_or(0.0) } else { 0.0 }));
        })
    }

    /// Tables made row by row of N + α; those that are fixed stay.
    fn by_row(&self, mut push: impl FnMut(&[f64], &mut Vec<f64>)) -> Parameters {
        let mut theta = Vec::with_capacity(self.alpha.len());
        for of in 0..self.families.len() {
            match self.fixed.get(&of) {
                Some(table) => theta.extend_from_slice(table),
                None => {
                    let rows = self.alpha[self.families.cells(of)].chunks_exact(self.families.n_states()[of]);
                    rows.for_each(|row| push(row, &mut theta));
                }
            }
        }
        Parameters { families: Arc::clone(&self.families), theta }
    }

    /// The rows, by variable and place, in which nothing was seen.
    pub fn unseen(families: &Families, counts: &[f64]) -> Vec<(VarId, usize)> {
        let rows = |of: usize| {
            let rows = counts[families.cells(of)].chunks_exact(families.n_states()[of]).enumerate();
            rows.filter(|(_, row)| row.iter().all(|n| *n == 0.0)).map(move |(row, _)| (VarId::new(of), row))
        };
        (0..families.len()).flat_map(rows).collect()
    }
}

/// ln P(rows | graph), the parameters integrated out, of rows without gaps (Heckerman, Geiger & Chickering 1995, eq. 24); tables that are
/// not learned count with their likelihood.
///
/// # Errors
/// When the prior does not fit the families.
pub fn ln_marginal_likelihood(families: &Families, prior: &ParameterPrior, counts: &[f64]) -> Result<f64, PriorFault> {
    let alpha = prior.alpha(families)?;
    let mut sum = CompensatedSum::default();
    for of in 0..families.len() {
        let range = families.cells(of);
        if let Some(table) = prior.fixed.get(&of) {
            sum.add(weighed_ln(&counts[range], table));
            continue;
        }
        let n_states = families.n_states()[of];
        for (alpha, n) in alpha[range.clone()].chunks_exact(n_states).zip(counts[range].chunks_exact(n_states)) {
            sum.add(dirichlet_ln_marginal(alpha, n));
        }
    }
    Ok(sum.value())
}

/// Numbers divided by their sum; uniform where all are nothing.
fn push_shares(theta: &mut Vec<f64>, numbers: impl ExactSizeIterator<Item = f64> + Clone) {
    let sum: f64 = numbers.clone().sum();
    let uniform = 1.0 / numbers.len() as f64;
    theta.extend(numbers.map(|n| if sum > 0.0 { n / sum } else { uniform }));
}
