//! Tree-augmented naive Bayes: the class is a parent of every attribute, and the attributes are a tree among themselves.
//!
//! Friedman, Geiger & Goldszmidt 1997, *Bayesian network classifiers*, section 4: of all such networks the likeliest is the maximum spanning
//! tree of the attributes' mutual information given the class.

use belief::{Schema, VarId};

use crate::chow_liu::{ArcPenalty, LearnedTree, arcs, best_forest, name, root_among};
use crate::error::NetError;
use crate::mutual_information::conditional_mutual_information;
use crate::pair_counts::PairCounts;
use crate::structure::Structure;

/// The structure of a tree-augmented naive Bayes classifier: the attributes that were counted and the class, in the order of the schema. The
/// tree is directed away from `root`, or from the first attribute; with a penalty it is a forest. The class is the first parent of each.
///
/// Values may be missing: see [`crate::chow_liu`].
///
/// **Complexity**: a logarithm for each count, and n² steps for n attributes.
///
/// # Errors
/// When rows were not counted by class, a variable is not in the schema, the root is not an attribute, or the penalty is not a number.
pub fn tree_augmented(counts: &PairCounts, schema: &Schema, penalty: ArcPenalty, root: Option<VarId>) -> Result<LearnedTree, NetError> {
    let counts = counts.settled();
    let with_class = WithClass::new(&counts, schema)?;
    let information = conditional_mutual_information(&counts);
    let parents = best_forest(&counts, &information, penalty, root_among(&counts, schema, root)?)?;
    let arcs = arcs(&parents, &information, |attribute| with_class.place(attribute));
    let structure = with_class.structure(|attribute| parents[attribute].into_iter().collect())?;
    Ok(LearnedTree { structure, arcs })
}

/// The attributes and the class, in the order of the schema.
pub(crate) struct WithClass {
    names: Vec<String>,
    /// The class's place among them.
    class: usize,
}

impl WithClass {
    /// # Errors
    /// When rows were not counted by class, or a variable is not in the schema.
    pub(crate) fn new(counts: &PairCounts, schema: &Schema) -> Result<Self, NetError> {
        let target = counts.target().ok_or(NetError::NoClass)?;
        let mut variables = counts.variables().to_vec();
        let class = variables.partition_point(|variable| *variable < target);
        variables.insert(class, target);
        Ok(Self { names: variables.into_iter().map(|variable| name(schema, variable)).collect::<Result<_, _>>()?, class })
    }

    /// The place of an attribute.
    pub(crate) fn place(&self, attribute: usize) -> usize {
        attribute + usize::from(attribute >= self.class)
    }

    /// The structure in which each attribute has the class and these other attributes as parents.
    ///
    /// # Errors
    /// When the arcs make a cycle.
    pub(crate) fn structure(self, parents_of: impl Fn(usize) -> Vec<usize>) -> Result<Structure, NetError> {
        let mut parents = vec![Vec::new(); self.names.len()];
        for attribute in 0..self.names.len() - 1 {
            let others = parents_of(attribute).into_iter().map(|parent| self.place(parent));
            parents[self.place(attribute)] = [self.class].into_iter().chain(others).map(VarId::new).collect();
        }
        Structure::from_parents(self.names, parents)
    }
}
