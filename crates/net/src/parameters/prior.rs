//! What was believed of a network's probabilities before the data: a Dirichlet distribution for every row of every table.
//!
//! All the usual ways of smoothing are pseudo-counts α: none is maximum likelihood, one a cell is K2's (Cooper & Herskovits 1992), an
//! equivalent sample size spread over all cells of a table is BDeu (Buntine 1991), and one spread as a network has it is BDe (Heckerman,
//! Geiger & Chickering 1995).

use super::families::Families;
use crate::error::NetError;
use crate::network::Network;
use crate::variable_elimination::eliminate;
use crate::{Answer, Evidence, FactorGraph};
use belief::VarId;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

/// Pseudo-counts of a table's cells.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Pseudocounts {
    /// None: maximum likelihood.
    None,
    /// So many for every cell: Laplace's, and K2's with 1.
    PerCell(f64),
    /// So many for every row, shared evenly among its states: the m-estimate with p = 1/J.
    PerRow(f64),
    /// So many for the whole table, shared evenly among its cells: BDeu.
    EquivalentSampleSize(f64),
    /// So many for the whole table, shared as the prior network has them: BDe.
    PriorNetwork(f64),
}

/// Which one number of a posterior stands in the table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Estimate {
    /// (N + α) / Σ(N + α): the probability of the next row's state.
    #[default]
    PosteriorMean,
    /// (N + α − 1) / Σ(N + α − 1), the largest density; a cell with N + α < 1 gets zero, and a row without any other gets its mean.
    Map,
}

/// What was believed before.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ParameterPrior {
    /// The pseudo-counts of tables that have none of their own.
    pub pseudocounts: Pseudocounts,
    /// Those of some variables' tables, by place.
    pub of_variable: BTreeMap<usize, Pseudocounts>,
    /// Which number of the posterior is taken.
    pub estimate: Estimate,
    /// The probabilities of all cells of each family in the prior network, in the families' layout: P(variable, parents). Empty without one.
    pub prior_network: Vec<f64>,
    /// Tables that are not learned, by place.
    pub fixed: BTreeMap<usize, Vec<f64>>,
}

/// Why a prior does not fit.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PriorFault {
    /// A pseudo-count that is negative or not finite.
    #[error("{0} is no pseudo-count: give a number that is not negative")]
    NotAPseudocount(f64),
    /// The prior network has other variables or states.
    #[error("the prior network {what}")]
    OtherNetwork {
        /// What is different.
        what: String,
    },
    /// A table that is not learned has another size.
    #[error("the table of `{variable}` that is to stay has {found} entries, but the family has {expected}")]
    OtherTable {
        /// The variable.
        variable: String,
        /// Entries it has.
        found: usize,
        /// Entries the family has.
        expected: usize,
    },
    /// A cell without pseudo-counts, where a marginal likelihood is asked for.
    #[error("P(rows) is not defined without pseudo-counts in every cell: take a prior that has some, such as BDeu")]
    NoPseudocounts,
    /// Inference in the prior network failed.
    #[error(transparent)]
    Net(#[from] NetError),
}

impl Default for ParameterPrior {
    /// BDeu with an equivalent sample size of one, and the posterior mean.
    fn default() -> Self {
        Self::new(Pseudocounts::EquivalentSampleSize(1.0))
    }
}

impl ParameterPrior {
    /// The same pseudo-counts for every table, and the posterior mean.
    pub fn new(pseudocounts: Pseudocounts) -> Self {
        Self {
            pseudocounts,
            of_variable: BTreeMap::new(),
            estimate: Estimate::default(),
            prior_network: Vec::new(),
            fixed: BTreeMap::new(),
        }
    }

    /// Maximum likelihood.
    pub fn maximum_likelihood() -> Self {
        Self::new(Pseudocounts::None)
    }

    /// What a network of an expert believes, which is worth so many rows. Its structure may be another; variables and states are matched by
    /// name.
    ///
    /// # Errors
    /// When it lacks a variable or has other states, or a joint distribution of a family needs a table beyond `max_entries`.
    pub fn of_network(
        expert: &Network,
        network: (&crate::Structure, &crate::Domain),
        families: &Families,
        ess: f64,
        max_entries: usize,
    ) -> Result<Self, PriorFault> {
        let (structure, domain) = network;
        let other = |what: String| PriorFault::OtherNetwork { what };
        let mut theirs: Vec<VarId> = Vec::with_capacity(families.len());
        let mut states: Vec<Vec<usize>> = Vec::with_capacity(families.len());
        for variable in domain.variables() {
            let name = structure.name(variable);
            let place = expert.find(name).map_err(|_| other(format!("has no variable `{name}`")))?;
            let (mine, there) = (domain.states(variable), expert.states(place));
            let map: Option<Vec<usize>> = mine.iter().map(|state| there.iter().position(|known| known == state)).collect();
            let Some(map) = map.filter(|map| map.len() == there.len()) else {
                return Err(other(format!("has the states {} for `{name}`, which has {}", there.join(", "), mine.join(", "))));
            };
            theirs.push(place);
            states.push(map);
        }
        let graph = FactorGraph::from(expert);
        let mut cells = Vec::with_capacity(families.n_cells());
        for of in 0..families.len() {
            let scope: Vec<usize> = families.scope(of).collect();
            let asked: Vec<VarId> = scope.iter().map(|variable| theirs[*variable]).collect();
            let Answer::Possible { answer, .. } = eliminate(&graph, &asked, &Evidence::none(), max_entries)? else {
                return Err(other("gives everything probability zero".into()));
            };
            let mut at = vec![0; scope.len()];
            for _ in families.cells(of) {
                let place = scope.iter().zip(&at).fold(0, |place, (variable, state)| {
                    let map = &states[*variable];
                    place * map.len() + map[*state]
                });
                cells.push(answer.probabilities[place]);
                super::family_counts::next_configuration(&mut at, |place| families.n_states()[scope[place]]);
            }
        }
        Ok(Self { prior_network: cells, ..Self::new(Pseudocounts::PriorNetwork(ess)) })
    }

    /// The pseudo-counts of every cell, in the families' layout.
    ///
    /// # Errors
    /// When a pseudo-count is none, or the prior network or a table that stays is of another shape.
    pub fn alpha(&self, families: &Families) -> Result<Vec<f64>, PriorFault> {
        let mut alpha = Vec::with_capacity(families.n_cells());
        for of in 0..families.len() {
            let range = families.cells(of);
            let pseudocounts = self.of_variable.get(&of).copied().unwrap_or(self.pseudocounts);
            let amount = pseudocounts.amount();
            if !amount.is_finite() || amount < 0.0 {
                return Err(PriorFault::NotAPseudocount(amount));
            }
            let n_states = families.n_states()[of] as f64;
            let even = match pseudocounts {
                Pseudocounts::None => 0.0,
                Pseudocounts::PerCell(each) => each,
                Pseudocounts::PerRow(m) => m / n_states,
                Pseudocounts::EquivalentSampleSize(ess) => ess / range.len() as f64,
                Pseudocounts::PriorNetwork(ess) => {
                    let there = self.prior_network.get(range.clone()).filter(|_| self.prior_network.len() == families.n_cells());
                    let Some(there) = there else {
                        return Err(PriorFault::OtherNetwork { what: "has other variables or states than the graph".into() });
                    };
                    if there.iter().any(|p| !p.is_finite() || *p < 0.0) {
                        return Err(PriorFault::OtherNetwork { what: "has something else than probabilities".into() });
                    }
                    alpha.extend(there.iter().map(|p| ess * p));
                    continue;
                }
            };
            alpha.resize(range.end, even);
        }
        for (of, table) in &self.fixed {
            let expected = if *of < families.len() { families.cells(*of).len() } else { 0 };
            if expected != table.len() {
                return Err(PriorFault::OtherTable { variable: format!("#{of}"), found: table.len(), expected });
            }
        }
        Ok(alpha)
    }
}

impl Pseudocounts {
    /// The number that was given.
    pub fn amount(self) -> f64 {
        match self {
            Self::None => 0.0,
            Self::PerCell(amount) | Self::PerRow(amount) | Self::EquivalentSampleSize(amount) | Self::PriorNetwork(amount) => amount,
        }
    }
}

/// As it is written after `--estimate`.
impl fmt::Display for Pseudocounts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => f.write_str("ml"),
            Self::PerCell(each) if *each == 1.0 => f.write_str("k2"),
            Self::PerCell(each) => write!(f, "laplace:{each}"),
            Self::PerRow(m) => write!(f, "m-estimate:{m}"),
            Self::EquivalentSampleSize(ess) => write!(f, "bdeu:{ess}"),
            Self::PriorNetwork(ess) => write!(f, "a prior network worth {ess} rows"),
        }
    }
}

/// As it is written after `--estimate`: `ml`, `laplace[:l]`, `k2`, `bdeu[:rows]`, `m-estimate:m`, and `dirichlet:a` for `laplace:a`.
impl FromStr for Pseudocounts {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parts: Vec<&str> = text.split(':').map(str::trim).collect();
        let number = |text: &str| {
            let number = text.parse::<f64>().ok().filter(|x| x.is_finite() && *x >= 0.0);
            number.ok_or_else(|| format!("`{text}` is no pseudo-count: give a number that is not negative"))
        };
        match parts[..] {
            ["ml"] => Ok(Self::None),
            ["k2"] | ["laplace"] => Ok(Self::PerCell(1.0)),
            ["laplace" | "dirichlet", each] => Ok(Self::PerCell(number(each)?)),
            ["bdeu"] => Ok(Self::EquivalentSampleSize(1.0)),
            ["bdeu", ess] => Ok(Self::EquivalentSampleSize(number(ess)?)),
            ["m-estimate" | "m", m] | ["m", m, "uniform"] => Ok(Self::PerRow(number(m)?)),
            _ => Err(format!("`{text}` is no estimate of a network's tables: ml, laplace[:l], k2, bdeu[:rows], m-estimate:<m>")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_back() {
        for text in ["ml", "k2", "laplace:0.5", "bdeu:10", "m-estimate:2"] {
            assert_eq!(text.parse::<Pseudocounts>().unwrap().to_string(), text);
        }
        assert_eq!("m:2:uniform".parse(), Ok(Pseudocounts::PerRow(2.0)));
        assert_eq!("bdeu".parse(), Ok(Pseudocounts::EquivalentSampleSize(1.0)));
        for wrong in ["", "m", "m-estimate", "bdeu:-1", "bdeu:x", "laplace:inf", "ml:1", "m:2:empirical"] {
            assert!(wrong.parse::<Pseudocounts>().is_err(), "{wrong}");
        }
    }
}
