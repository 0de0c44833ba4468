//! The domain of a model: named variables with named states.
//!
//! Networks and factor graphs have one; evidence and questions are put in its words.

use crate::error::NetError;
use belief::VarId;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// Variables and their states. Invariant: no two variables share a name, no two states of a variable do, and every variable has states. Clones share
/// the names: a network, its factors and what answers for them speak of one domain.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Domain(Arc<Names>);

#[derive(Debug, Default, PartialEq, Eq)]
struct Names {
    names: Vec<String>,
    places: HashMap<String, VarId>,
    states: Vec<Vec<String>>,
}

impl Domain {
    /// Variables with their states, in order.
    ///
    /// # Errors
    /// When names repeat or a variable has no states.
    ///
    /// ```
    /// use tunbridge_net::Domain;
    /// let domain = Domain::new([("Flu", ["yes", "no"]), ("Nose", ["runny", "dry"])])?;
    /// let nose = domain.find("Nose")?;
    /// assert_eq!(domain.find_state(nose, "dry")?, 1);
    /// assert!(Domain::new([("Flu", ["yes", "yes"])]).is_err());
    /// # Ok::<(), tunbridge_net::NetError>(())
    /// ```
    pub fn new<N, S, I>(variables: impl IntoIterator<Item = (N, I)>) -> Result<Self, NetError>
    where
        N: Into<String>,
        S: Into<String>,
        I: IntoIterator<Item = S>,
    {
        let mut domain = Names::default();
        for (name, states) in variables {
            let (name, states): (String, Vec<String>) = (name.into(), states.into_iter().map(Into::into).collect());
            states_are_unique(&name, &states)?;
            if domain.places.insert(name.clone(), VarId::new(domain.names.len())).is_some() {
                return Err(NetError::RepeatedVariable { name });
            }
            domain.names.push(name);
            domain.states.push(states);
        }
        Ok(Self(Arc::new(domain)))
    }

    /// How many variables there are.
    pub fn n_variables(&self) -> usize {
        self.0.names.len()
    }

    /// All variables, in order.
    pub fn variables(&self) -> impl Iterator<Item = VarId> + use<> {
        (0..self.n_variables()).map(VarId::new)
    }

    /// The names, in order.
    pub fn names(&self) -> &[String] {
        &self.0.names
    }

    /// The name of a variable.
    ///
    /// # Panics
    /// When there is no such variable.
    pub fn name(&self, variable: VarId) -> &str {
        &self.0.names[variable.index()]
    }

    /// The variable of a name.
    ///
    /// # Errors
    /// When there is none.
    pub fn find(&self, name: &str) -> Result<VarId, NetError> {
        self.0.places.get(name).copied().ok_or_else(|| NetError::UnknownVariable { name: name.to_string() })
    }

    /// The states of a variable.
    ///
    /// # Panics
    /// When there is no such variable.
    pub fn states(&self, variable: VarId) -> &[String] {
        &self.0.states[variable.index()]
    }

    /// How many states a variable has.
    ///
    /// # Panics
    /// When there is no such variable.
    pub fn n_states(&self, variable: VarId) -> usize {
        self.0.states[variable.index()].len()
    }

    /// The place of a state by its name.
    ///
    /// # Errors
    /// When there is no such variable or it has no such state.
    pub fn find_state(&self, variable: VarId, state: &str) -> Result<usize, NetError> {
        self.check(variable)?;
        let states = self.states(variable);
        states.iter().position(|known| known == state).ok_or_else(|| NetError::UnknownState {
            variable: self.name(variable).to_string(),
            state: state.to_string(),
            known: states.to_vec(),
        })
    }

    /// A state for every variable, by names.
    ///
    /// # Errors
    /// When a name is unknown or given twice, or a variable is left out.
    pub fn assignment(&self, named: &[(&str, &str)]) -> Result<Vec<usize>, NetError> {
        let mut assignment = vec![None; self.n_variables()];
        for (name, state) in named {
            let variable = self.find(name)?;
            if assignment[variable.index()].replace(self.find_state(variable, state)?).is_some() {
                return Err(NetError::NamedTwice { variable: (*name).to_string() });
            }
        }
        let missing = |place: usize| NetError::NoAssignment { variable: self.0.names[place].clone() };
        assignment.iter().enumerate().map(|(place, state)| state.ok_or_else(|| missing(place))).collect()
    }

    /// Whether there is such a variable.
    pub(crate) fn check(&self, variable: VarId) -> Result<(), NetError> {
        let n_variables = self.n_variables();
        if variable.index() < n_variables { Ok(()) } else { Err(NetError::NoSuchVariable { place: variable.index(), n_variables }) }
    }

    /// Whether these are variables, each named once.
    pub(crate) fn check_different(&self, variables: &[VarId]) -> Result<(), NetError> {
        for (place, &variable) in variables.iter().enumerate() {
            self.check(variable)?;
            if variables[..place].contains(&variable) {
                return Err(NetError::NamedTwice { variable: self.name(variable).to_string() });
            }
        }
        Ok(())
    }
}

impl AsRef<Domain> for Domain {
    fn as_ref(&self) -> &Domain {
        self
    }
}

fn states_are_unique(variable: &str, states: &[String]) -> Result<(), NetError> {
    if states.is_empty() {
        return Err(NetError::NoStates { variable: variable.to_string() });
    }
    // Of few states each is sooner compared with all before it.
    let repeated = if states.len() <= 24 {
        (1..states.len()).find(|&place| states[..place].contains(&states[place])).map(|place| &states[place])
    } else {
        let mut seen = HashSet::with_capacity(states.len());
        states.iter().find(|state| !seen.insert(state.as_str()))
    };
    match repeated {
        Some(state) => Err(NetError::RepeatedState { variable: variable.to_string(), state: state.clone() }),
        None => Ok(()),
    }
}
