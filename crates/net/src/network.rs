//! A Bayesian network: a structure, the states of its variables, and P(variable | parents) for each.
//!
//! Tables are laid out row by row: the first parent slowest, the last parent faster, the variable itself fastest.

use crate::conditional::{Conditional, ConditionalTable, TableFault};
use crate::dag::Dag;
use crate::domain::Domain;
use crate::error::NetError;
use crate::network_builder::NetworkBuilder;
use crate::structure::Structure;
use belief::VarId;
use std::borrow::Cow;

/// A structure with probabilities. Invariant: every variable has states of different names and a distribution of the right size.
#[derive(Clone, Debug, PartialEq)]
pub struct Network {
    structure: Structure,
    domain: Domain,
    conditionals: Vec<Conditional>,
}

/// A variable as it is handed to [`Network::new`].
#[derive(Clone, Debug, PartialEq)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// The names of its states, in order.
    pub states: Vec<String>,
    /// The names of its parents, the slowest in the table first.
    pub parents: Vec<String>,
    /// The probabilities: for every configuration of the parents, the last parent fastest, one for each state.
    pub probabilities: Vec<f64>,
}

impl Network {
    /// A builder that reads like the picture.
    ///
    /// ```
    /// use tunbridge_net::Network;
    /// let network = Network::builder()
    ///     .variable("Flu", ["yes", "no"]).probabilities([0.1, 0.9])
    ///     .variable("Allergy", ["yes", "no"]).probabilities([0.2, 0.8])
    ///     .variable("Sinus", ["yes", "no"]).given(["Flu", "Allergy"])
    ///         .probabilities([0.9, 0.1,  0.8, 0.2,  0.7, 0.3,  0.05, 0.95])
    ///     .build()?;
    /// let p = network.joint_probability(&network.assignment(&[("Flu", "yes"), ("Allergy", "no"), ("Sinus", "yes")])?);
    /// assert!((p - 0.1 * 0.8 * 0.8).abs() < 1e-15);
    /// assert_eq!(network.n_free_parameters(), 6);
    /// # Ok::<(), tunbridge_net::NetError>(())
    /// ```
    pub fn builder() -> NetworkBuilder {
        NetworkBuilder::new()
    }

    /// A network of these variables with their tables, in this order. Parents may come after their children.
    ///
    /// # Errors
    /// When names repeat or are unknown, arcs make a cycle, or tables have the wrong size or rows that do not sum to one.
    pub fn new(variables: Vec<Variable>) -> Result<Self, NetError> {
        let names = Structure::new(variables.iter().map(|variable| variable.name.as_str()))?;
        let parents = variables
            .iter()
            .map(|variable| variable.parents.iter().map(|parent| names.find(parent)).collect())
            .collect::<Result<Vec<Vec<VarId>>, _>>()?;
        let structure = Structure::from_parents(names.names().to_vec(), parents)?;
        let (states, tables): (Vec<_>, Vec<_>) = variables.into_iter().map(|variable| (variable.states, variable.probabilities)).unzip();
        let domain = Domain::new(structure.names().iter().cloned().zip(states))?;
        let mut conditionals = Vec::with_capacity(tables.len());
        for (variable, values) in structure.dag().variables().zip(tables) {
            conditionals.push(Conditional::Table(table_of(&structure, &domain, variable, values)?));
        }
        Ok(Self { structure, domain, conditionals })
    }

    /// A network of distributions of any kind: the variables, for each of them its parents, and P(variable | parents).
    ///
    /// # Errors
    /// When arcs make a cycle, are given twice or lead nowhere, when there is not one list of parents and one distribution a variable, or a
    /// distribution is over other numbers of states than its family has.
    ///
    /// ```
    /// use tunbridge_net::{Conditional, ConditionalTable, DeterministicTable, Domain, Network, VarId};
    /// let domain = Domain::new([("Rain", ["yes", "no"]), ("Wet", ["yes", "no"])])?;
    /// let rain = Conditional::Table(ConditionalTable::new(2, vec![0.3, 0.7])?);
    /// let wet = Conditional::Deterministic(DeterministicTable::new(2, vec![0, 1])?);
    /// let network = Network::from_conditionals(domain, vec![vec![], vec![VarId::new(0)]], vec![rain, wet])?;
    /// assert_eq!(network.joint_probability(&[1, 1]), 0.7);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn from_conditionals(domain: Domain, parents: Vec<Vec<VarId>>, conditionals: Vec<Conditional>) -> Result<Self, NetError> {
        let structure = Structure::from_parents(domain.names().to_vec(), parents)?;
        let (n_variables, found) = (domain.n_variables(), conditionals.len());
        if let Some(bare) = structure.names().get(found) {
            return Err(NetError::NoDistribution { variable: bare.clone() });
        }
        if found > n_variables {
            return Err(NetError::NoSuchVariable { place: n_variables, n_variables });
        }
        for (variable, conditional) in domain.variables().zip(&conditionals) {
            fits(&structure, &domain, variable, conditional)?;
        }
        Ok(Self { structure, domain, conditionals })
    }

    /// The structure.
    pub fn structure(&self) -> &Structure {
        &self.structure
    }

    /// The variables' names and states.
    pub fn domain(&self) -> &Domain {
        &self.domain
    }

    /// The graph.
    pub fn dag(&self) -> &Dag {
        self.structure.dag()
    }

    /// How many variables there are.
    pub fn n_variables(&self) -> usize {
        self.domain.n_variables()
    }

    /// The name of a variable.
    ///
    /// # Panics
    /// When there is no such variable.
    pub fn name(&self, variable: VarId) -> &str {
        self.structure.name(variable)
    }

    /// The variable of a name.
    ///
    /// # Errors
    /// When there is none.
    pub fn find(&self, name: &str) -> Result<VarId, NetError> {
        self.structure.find(name)
    }

    /// The states of a variable.
    ///
    /// # Panics
    /// When there is no such variable.
    pub fn states(&self, variable: VarId) -> &[String] {
        self.domain.states(variable)
    }

    /// How many states a variable has.
    ///
    /// # Panics
    /// When there is no such variable.
    pub fn n_states(&self, variable: VarId) -> usize {
        self.domain.n_states(variable)
    }

    /// The place of a state by its name.
    ///
    /// # Errors
    /// When the variable has no such state.
    pub fn find_state(&self, variable: VarId, state: &str) -> Result<usize, NetError> {
        self.domain.find_state(variable, state)
    }

    /// P(variable | parents).
    ///
    /// # Panics
    /// When there is no such variable.
    pub fn conditional(&self, variable: VarId) -> &Conditional {
        &self.conditionals[variable.index()]
    }

    /// P(variable | parents) spelled out as a table: rows by the parents' configurations with the last parent fastest, states within a row.
    ///
    /// # Errors
    /// When what is no table would have more than [`crate::MAX_EXPANSION`] entries as one.
    ///
    /// # Panics
    /// When there is no such variable.
    pub fn table(&self, variable: VarId) -> Result<Cow<'_, [f64]>, NetError> {
        self.conditional(variable).to_values().map_err(|fault| NetError::Distribution { variable: self.name(variable).to_string(), fault })
    }

    /// How many numbers one is free to choose.
    pub fn n_free_parameters(&self) -> usize {
        self.conditionals.iter().map(Conditional::n_free_parameters).sum()
    }

    /// A state for every variable, by names.
    ///
    /// # Errors
    /// When a name is unknown or given twice, or a variable is left out.
    pub fn assignment(&self, named: &[(&str, &str)]) -> Result<Vec<usize>, NetError> {
        self.domain.assignment(named)
    }

    /// The probability of a state for every variable, in order: the product of P(variable | parents).
    ///
    /// It may be too small for a double and then is zero; [`Self::ln_joint_probability`] is not.
    ///
    /// # Panics
    /// When there are fewer states than variables, or a state is not there.
    pub fn joint_probability(&self, assignment: &[usize]) -> f64 {
        self.dag().variables().map(|variable| self.local_probability(variable, assignment)).product()
    }

    /// The natural logarithm of [`Self::joint_probability`]; −∞ when it is zero.
    ///
    /// # Panics
    /// When there are fewer states than variables, or a state is not there.
    pub fn ln_joint_probability(&self, assignment: &[usize]) -> f64 {
        self.dag().variables().map(|variable| self.local_probability(variable, assignment).ln()).sum()
    }

    /// P(variable | parents) when all are as assigned: a state for every variable, of which only those of the family are looked at.
    ///
    /// # Panics
    /// When there are fewer states than variables, or a state is not there.
    pub fn local_probability(&self, variable: VarId, assignment: &[usize]) -> f64 {
        let parents = self.dag().parents(variable);
        let parent = |place: usize| (assignment[parents[place].index()], self.n_states(parents[place]));
        self.conditional(variable).probability_where(parents.len(), parent, assignment[variable.index()])
    }
}

impl AsRef<Domain> for Network {
    fn as_ref(&self) -> &Domain {
        &self.domain
    }
}

/// Whether a distribution is over the states of its variable and the variable's parents.
fn fits(structure: &Structure, domain: &Domain, of: VarId, conditional: &Conditional) -> Result<(), NetError> {
    let parent_states: Vec<usize> = structure.dag().parents(of).iter().map(|&parent| domain.n_states(parent)).collect();
    if conditional.n_states() == domain.n_states(of) && conditional.fits(&parent_states) {
        return Ok(());
    }
    Err(NetError::DoesNotFit {
        variable: structure.name(of).to_string(),
        kind: conditional.kind(),
        n_states: domain.n_states(of),
        parent_states,
    })
}

/// The table of a variable, checked against the states of its parents.
pub(crate) fn table_of(structure: &Structure, domain: &Domain, of: VarId, values: Vec<f64>) -> Result<ConditionalTable, NetError> {
    let variable = || structure.name(of).to_string();
    let n_states = domain.n_states(of);
    let n_rows = structure.dag().parents(of).iter().try_fold(1_usize, |n_rows, parent| n_rows.checked_mul(domain.n_states(*parent)));
    let sizes = n_rows.and_then(|n_rows| Some((n_rows, n_rows.checked_mul(n_states)?)));
    let Some((n_rows, expected)) = sizes else { return Err(NetError::TableTooLarge { variable: variable() }) };
    if values.len() != expected {
        return Err(NetError::TableSize { variable: variable(), found: values.len(), expected, n_rows, n_states });
    }
    ConditionalTable::new(n_states, values).map_err(|fault| match fault {
        TableFault::NotAProbability { row, value } => NetError::NotAProbability { variable: variable(), row: row + 1, value },
        TableFault::RowSum { row, sum } => NetError::RowSum { variable: variable(), row: row + 1, sum },
        TableFault::Ragged { n_values, .. } => NetError::TableSize { variable: variable(), found: n_values, expected, n_rows, n_states },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair(states: [&str; 2], table: &[f64]) -> Result<Network, NetError> {
        Network::builder()
            .variable("A", states)
            .probabilities([0.25, 0.75])
            .variable("B", ["0", "1", "2"])
            .given(["A"])
            .probabilities(table.iter().copied())
            .build()
    }

    #[test]
    fn the_joint_is_the_product() {
        let network = pair(["y", "n"], &[0.5, 0.25, 0.25, 0.125, 0.125, 0.75]).unwrap();
        let p = |a, b| network.joint_probability(&[a, b]);
        assert_eq!([p(0, 0), p(0, 1), p(1, 0), p(1, 2)], [0.125, 0.0625, 0.09375, 0.5625]);
        assert_eq!(network.ln_joint_probability(&[1, 2]), 0.75_f64.ln() * 2.0);
        assert_eq!(network.n_free_parameters(), 1 + 2 * 2);
        assert_eq!(network.assignment(&[("B", "2"), ("A", "n")]).unwrap(), [1, 2]);
        assert!(network.assignment(&[("B", "2")]).unwrap_err().to_string().contains("`A`"));
        assert!(network.assignment(&[("B", "2"), ("B", "1")]).is_err());
    }

    #[test]
    fn parents_run_with_the_last_fastest() {
        let table = [1.0, 0.0, 0.9, 0.1, 0.8, 0.2, 0.7, 0.3, 0.6, 0.4, 0.5, 0.5];
        let network = Network::builder()
            .variable("C", ["t", "f"])
            .given(["A", "B"])
            .probabilities(table)
            .variable("B", ["x", "y", "z"])
            .probabilities([0.2, 0.3, 0.5])
            .variable("A", ["t", "f"])
            .probabilities([0.5, 0.5])
            .build()
            .unwrap();
        // A = f, B = y is row 1·3 + 1.
        assert_eq!(network.joint_probability(&[0, 1, 1]), 0.6 * 0.3 * 0.5);
    }

    #[test]
    fn faults_are_told() {
        let told = |result: Result<Network, NetError>| result.unwrap_err().to_string();
        assert_eq!(told(pair(["y", "n"], &[1.0, 0.0])), "the table of `B` has 2 probabilities, but 2 rows of 3 states make 6");
        assert_eq!(
            told(pair(["y", "n"], &[1.0, 0.0, 0.0, 0.5, 0.3, 0.3])),
            "the table of `B`, row 2: the probabilities sum to 1.1, not to 1"
        );
        assert_eq!(told(pair(["y", "y"], &[])), "variable `B` has no probabilities: give it a table");
        assert!(told(pair(["y", "y"], &[1.0])).starts_with("variable `A` has the state `y` twice"));
        assert!(told(Network::builder().variable("A", Vec::<String>::new()).build()).starts_with("variable `A` has no states"));
        let unknown = Network::builder().variable("A", ["y"]).given(["Z"]).probabilities([1.0]).build();
        assert_eq!(told(unknown), "no variable is named `Z`");
        let early = Network::builder().probabilities([1.0]).variable("A", ["y"]).probabilities([1.0]).build();
        assert_eq!(early, Err(NetError::SaidOfNone));
        let network = pair(["y", "n"], &[1.0, 0.0, 0.0, 1.0, 0.0, 0.0]).unwrap();
        assert_eq!(network.find_state(VarId::new(0), "x").unwrap_err().to_string(), "variable `A` has no state `x`; its states are y, n");
    }
}
