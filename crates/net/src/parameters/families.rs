//! The families of a graph: every variable with its parents, and where the numbers of each stand among those of all.
//!
//! Counts, pseudo-counts and probabilities of a network are lists of the same layout: family by family, a family's rows by the parents'
//! configurations with the last parent fastest, the variable's own states within a row. A network's tables are laid out so too.

use crate::dag::Dag;
use crate::domain::Domain;
use crate::error::NetError;
use crate::structure::Structure;
use belief::VarId;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Numbers that all families of a network may have together: what a statistic of them takes in memory is eight bytes each.
pub const MAX_CELLS: usize = 1 << 27;

/// Every variable with its parents. Invariant: parents are variables and make no cycle, and there are no more than [`MAX_CELLS`] cells.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "RawFamilies", into = "RawFamilies")]
pub struct Families {
    n_states: Vec<usize>,
    parents: Vec<Vec<VarId>>,
    /// Where the cells of each family begin; one more entry than families.
    starts: Vec<usize>,
}

#[derive(Serialize, Deserialize)]
struct RawFamilies {
    n_states: Vec<usize>,
    parents: Vec<Vec<VarId>>,
}

impl Families {
    /// The families of a graph whose variables have so many states.
    ///
    /// # Errors
    /// When there is not one number of states for each variable, or there are more than [`MAX_CELLS`] cells.
    pub fn new(dag: &Dag, n_states: Vec<usize>) -> Result<Self, NetError> {
        let parents = dag.variables().map(|variable| dag.parents(variable).to_vec()).collect();
        Self::of_parents(parents, n_states, |place| format!("#{place}"))
    }

    /// The families of a structure over the states of a domain, which has the same variables.
    ///
    /// # Errors
    /// When there are more than [`MAX_CELLS`] cells: the family that goes beyond it is named.
    ///
    /// ```
    /// use tunbridge_net::{Domain, Structure, parameters::Families};
    /// let domain = Domain::new([("Flu", vec!["yes", "no"]), ("Fever", vec!["none", "some", "high"])])?;
    /// let mut structure = Structure::new(["Flu", "Fever"])?;
    /// structure.add_arc("Flu", "Fever")?;
    /// let families = Families::of(&structure, &domain)?;
    /// assert_eq!((families.cells(0), families.cells(1)), (0..2, 2..8));
    /// # Ok::<(), tunbridge_net::NetError>(())
    /// ```
    pub fn of(structure: &Structure, domain: &Domain) -> Result<Self, NetError> {
        let dag = structure.dag();
        let parents = dag.variables().map(|variable| dag.parents(variable).to_vec()).collect();
        let n_states = domain.variables().map(|variable| domain.n_states(variable)).collect();
        Self::of_parents(parents, n_states, |place| structure.names()[place].clone())
    }

    fn of_parents(parents: Vec<Vec<VarId>>, n_states: Vec<usize>, name: impl Fn(usize) -> String) -> Result<Self, NetError> {
        if parents.len() != n_states.len() {
            return Err(NetError::NoSuchVariable { place: n_states.len().min(parents.len()), n_variables: n_states.len() });
        }
        let mut starts = vec![0_usize];
        for (place, (parents, own)) in parents.iter().zip(&n_states).enumerate() {
            let size = parents.iter().try_fold(*own, |size, parent| size.checked_mul(*n_states.get(parent.index())?));
            let end = size.and_then(|size| starts[place].checked_add(size)).filter(|end| *end <= MAX_CELLS);
            starts.push(end.ok_or_else(|| NetError::TableTooLarge { variable: name(place) })?);
        }
        Ok(Self { n_states, parents, starts })
    }

    /// How many families, and variables.
    pub fn len(&self) -> usize {
        self.parents.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.parents.is_empty()
    }

    /// How many states each variable has.
    pub fn n_states(&self) -> &[usize] {
        &self.n_states
    }

    /// The parents of a variable, the slowest in its table first.
    ///
    /// # Panics
    /// When there is no such variable.
    pub fn parents(&self, of: usize) -> &[VarId] {
        &self.parents[of]
    }

    /// The variables of a family, as its table runs: parents first, the variable itself last and fastest.
    ///
    /// # Panics
    /// When there is no such variable.
    pub fn scope(&self, of: usize) -> impl DoubleEndedIterator<Item = usize> + '_ {
        self.parents[of].iter().map(|parent| parent.index()).chain([of])
    }

    /// The places of a family's cells among those of all.
    ///
    /// # Panics
    /// When there is no such variable.
    pub fn cells(&self, of: usize) -> Range<usize> {
        self.starts[of]..self.starts[of + 1]
    }

    /// How many cells all families have.
    pub fn n_cells(&self) -> usize {
        self.starts[self.parents.len()]
    }

    /// How many configurations the parents of a variable have.
    ///
    /// # Panics
    /// When there is no such variable.
    pub fn n_rows(&self, of: usize) -> usize {
        self.cells(of).len().checked_div(self.n_states[of]).unwrap_or(0)
    }

    /// The same families where variables have other numbers of states.
    ///
    /// # Errors
    /// When the tables become too large.
    pub fn with_states(&self, n_states: Vec<usize>) -> Result<Self, NetError> {
        Self::of_parents(self.parents.clone(), n_states, |place| format!("#{place}"))
    }
}

impl TryFrom<RawFamilies> for Families {
    type Error = String;
    fn try_from(raw: RawFamilies) -> Result<Self, String> {
        let n_variables = raw.n_states.len();
        if raw.n_states.contains(&0) {
            return Err("a variable has no states".into());
        }
        if raw.parents.iter().flatten().any(|parent| parent.index() >= n_variables) {
            return Err("a parent is no variable".into());
        }
        // Acyclic, and no parent twice.
        let names = (0..n_variables).map(|place| place.to_string()).collect();
        Structure::from_parents(names, raw.parents.clone()).map_err(|e| e.to_string())?;
        Self::of_parents(raw.parents, raw.n_states, |place| format!("#{place}")).map_err(|e| e.to_string())
    }
}

impl From<Families> for RawFamilies {
    fn from(families: Families) -> Self {
        Self { n_states: families.n_states, parents: families.parents }
    }
}
