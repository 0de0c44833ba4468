//! Edits: networks made of others, with the distribution kept where that can be.
//!
//! One file for each edit. None changes the network it is asked of. Edits that need larger tables than before make none of more than
//! [`MAX_EXPANSION`] entries. `sentence` has them as values, read from what a person writes, and `apply` makes those.

mod add_arc;
mod apply;
mod condition;
mod marginalise;
mod remove_arc;
mod rename;
mod reverse_arc;
mod sentence;

pub use apply::{EditError, Effect, Kept};
pub use sentence::Edit;

use crate::conditional::{Conditional, ConditionalFault, ConditionalTable, MAX_EXPANSION};
use crate::domain::Domain;
use crate::error::NetError;
use crate::network::Network;
use belief::VarId;

impl Network {
    /// The arc between variables by their names.
    fn arc(&self, parent: &str, child: &str) -> Result<(VarId, VarId), NetError> {
        let arc = (self.find(parent)?, self.find(child)?);
        let there = self.dag().has_arc(arc.0, arc.1);
        if there { Ok(arc) } else { Err(NetError::NoSuchArc { parent: parent.to_string(), child: child.to_string() }) }
    }

    /// The network with other parents and distributions for some variables.
    fn with_families(&self, changed: Vec<(VarId, Vec<VarId>, Conditional)>) -> Result<Self, NetError> {
        let (mut parents, mut conditionals) = self.families();
        for (variable, new_parents, conditional) in changed {
            parents[variable.index()] = new_parents;
            conditionals[variable.index()] = conditional;
        }
        Self::from_conditionals(self.domain().clone(), parents, conditionals)
    }

    /// The network without a variable that is nobody's parent.
    fn without_barren(&self, variable: VarId) -> Result<Self, NetError> {
        let (mut parents, mut conditionals) = self.families();
        parents.remove(variable.index());
        conditionals.remove(variable.index());
        let behind = |other: &mut VarId| *other = VarId::new(other.index() - usize::from(*other > variable));
        parents.iter_mut().flatten().for_each(behind);
        let left = self.domain().variables().filter(|&other| other != variable);
        let domain = Domain::new(left.map(|other| (self.name(other), self.states(other).iter().cloned())))?;
        Self::from_conditionals(domain, parents, conditionals)
    }

    fn families(&self) -> (Vec<Vec<VarId>>, Vec<Conditional>) {
        self.domain().variables().map(|variable| (self.dag().parents(variable).to_vec(), self.conditional(variable).clone())).unzip()
    }

    /// What is wrong with the distribution of a variable.
    fn told_of(&self, variable: VarId, fault: ConditionalFault) -> NetError {
        NetError::Distribution { variable: self.name(variable).to_string(), fault }
    }

    /// How many states each parent has.
    fn parent_states(&self, of: VarId) -> Vec<usize> {
        self.dag().parents(of).iter().map(|&parent| self.n_states(parent)).collect()
    }

    /// The table of a variable over these parents: `row` gets a state for every variable, of which those of the parents count, and adds a
    /// row of probabilities.
    fn table_over(
        &self,
        child: VarId,
        parents: &[VarId],
        mut row: impl FnMut(&mut [usize], &mut Vec<f64>),
    ) -> Result<Conditional, NetError> {
        let family: Vec<VarId> = parents.iter().copied().chain([child]).collect();
        let entries: f64 = family.iter().map(|&member| self.n_states(member) as f64).product();
        if entries > MAX_EXPANSION as f64 {
            let variables = family.iter().map(|&member| self.name(member).to_string()).collect();
            return Err(NetError::TooLarge { variables, entries, limit: MAX_EXPANSION });
        }
        let mut assignment = vec![0; self.n_variables()];
        let mut values = Vec::with_capacity(entries as usize);
        loop {
            row(&mut assignment, &mut values);
            let Some(next) = parents.iter().rposition(|&parent| assignment[parent.index()] + 1 < self.n_states(parent)) else { break };
            assignment[parents[next].index()] += 1;
            parents[next + 1..].iter().for_each(|parent| assignment[parent.index()] = 0);
        }
        let table = ConditionalTable::new(self.n_states(child), values);
        Ok(Conditional::Table(table.expect("as many probabilities as there are states, with sum one")))
    }
}
