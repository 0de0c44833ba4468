//! The structure of a network: named variables and the arcs between them, without probabilities.
//!
//! What independences hold is a matter of structure alone; see [`crate::d_separation`]. A structure with probabilities is a
//! [`crate::Network`], another type.

use crate::dag::{ArcRefused, Dag};
use crate::error::NetError;
use belief::VarId;
use std::collections::HashMap;

/// Named variables and a graph over them. Invariant: no two share a name; no cycle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Structure {
    names: Vec<String>,
    places: HashMap<String, VarId>,
    dag: Dag,
}

impl Structure {
    /// Variables of these names, without arcs.
    ///
    /// # Errors
    /// When two share a name.
    ///
    /// ```
    /// use tunbridge_net::Structure;
    /// let mut flu = Structure::new(["Flu", "Allergy", "Sinus"])?;
    /// flu.add_arc("Flu", "Sinus")?;
    /// flu.add_arc("Allergy", "Sinus")?;
    /// let refused = flu.add_arc("Sinus", "Flu").unwrap_err();
    /// assert_eq!(refused.to_string(), "the arcs make a cycle: Sinus → Flu → Sinus: leave one of them out");
    /// # Ok::<(), tunbridge_net::NetError>(())
    /// ```
    pub fn new<N: Into<String>>(names: impl IntoIterator<Item = N>) -> Result<Self, NetError> {
        let names: Vec<String> = names.into_iter().map(Into::into).collect();
        let dag = Dag::without_arcs(names.len());
        Self::over(names, dag)
    }

    /// Variables of these names with these parents, by place.
    ///
    /// # Errors
    /// When two share a name, or the arcs make a cycle, are given twice or lead nowhere; when there are not as many lists of parents
    /// as names.
    pub fn from_parents(names: Vec<String>, parents: Vec<Vec<VarId>>) -> Result<Self, NetError> {
        if names.len() != parents.len() {
            return Err(NetError::NoSuchVariable { place: names.len().min(parents.len()), n_variables: names.len() });
        }
        let dag = Dag::from_parents(parents).map_err(|refused| with_names(refused, &names))?;
        Self::over(names, dag)
    }

    /// Adds an arc between variables by their names.
    ///
    /// # Errors
    /// When there are no such variables, the arc is there already, or it would close a cycle, which is told.
    pub fn add_arc(&mut self, parent: &str, child: &str) -> Result<(), NetError> {
        let (parent, child) = (self.find(parent)?, self.find(child)?);
        self.dag.add_arc(parent, child).map_err(|refused| with_names(refused, &self.names))
    }

    /// The graph.
    pub fn dag(&self) -> &Dag {
        &self.dag
    }

    /// The names, in order.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The name of a variable.
    ///
    /// # Panics
    /// When there is no such variable.
    pub fn name(&self, variable: VarId) -> &str {
        &self.names[variable.index()]
    }

    /// The variable of a name.
    ///
    /// # Errors
    /// When there is none.
    pub fn find(&self, name: &str) -> Result<VarId, NetError> {
        self.places.get(name).copied().ok_or_else(|| NetError::UnknownVariable { name: name.to_string() })
    }

    /// The variables of several names.
    ///
    /// # Errors
    /// When one of them is not there.
    pub fn find_all(&self, names: &[&str]) -> Result<Vec<VarId>, NetError> {
        names.iter().map(|name| self.find(name)).collect()
    }

    fn over(names: Vec<String>, dag: Dag) -> Result<Self, NetError> {
        let mut places = HashMap::with_capacity(names.len());
        for (place, name) in names.iter().enumerate() {
            if places.insert(name.clone(), VarId::new(place)).is_some() {
                return Err(NetError::RepeatedVariable { name: name.clone() });
            }
        }
        Ok(Self { names, places, dag })
    }
}

/// Why an arc was refused, in names.
pub(crate) fn with_names(refused: ArcRefused, names: &[String]) -> NetError {
    let name = |variable: VarId| names.get(variable.index()).cloned().unwrap_or_else(|| format!("#{}", variable.index()));
    match refused {
        ArcRefused::Cycle { path } => NetError::Cycle { path: path.into_iter().map(name).collect() },
        ArcRefused::Repeated { parent, child } => NetError::RepeatedArc { parent: name(parent), child: name(child) },
        ArcRefused::NoSuchVariable { place } => NetError::NoSuchVariable { place: place.index(), n_variables: names.len() },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_known() {
        assert_eq!(Structure::new(["A", "A"]), Err(NetError::RepeatedVariable { name: "A".into() }));
        let mut structure = Structure::new(["A", "B"]).unwrap();
        assert_eq!(structure.add_arc("A", "C"), Err(NetError::UnknownVariable { name: "C".into() }));
        structure.add_arc("A", "B").unwrap();
        assert_eq!(structure.add_arc("A", "B").unwrap_err().to_string(), "the arc A → B is there twice: leave one out");
        assert_eq!(structure.find_all(&["B", "A"]).unwrap(), [VarId::new(1), VarId::new(0)]);
        assert_eq!(structure.name(VarId::new(1)), "B");
    }

    #[test]
    fn parents_and_names_go_together() {
        let names = || vec!["A".to_string(), "B".to_string()];
        assert!(Structure::from_parents(names(), vec![vec![]]).is_err());
        assert!(Structure::from_parents(names(), vec![vec![VarId::new(7)], vec![]]).is_err());
        let cyclic = Structure::from_parents(names(), vec![vec![VarId::new(1)], vec![VarId::new(0)]]).unwrap_err();
        assert_eq!(cyclic, NetError::Cycle { path: ["A", "B", "A"].map(String::from).to_vec() });
    }
}
