//! What the data say: how often any two attributes were seen in any two states, class by class.

use belief::{Chunk, Forget, Kind, NeverObserved, Recode, Recoding, Schema, ShapeMismatch, SufficientStatistic, VarId};
use net::PairCounts;
use serde::{Deserialize, Serialize};

use crate::{LearnError, StatisticFault};

/// Counts of pairs of states with each class.
///
/// Laws: merging is associative and commutative, exactly with whole weights; the empty statistic is its identity; forgetting undoes merging.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AodeStatistic {
    /// How many variables the schema has.
    n_variables: usize,
    pairs: PairCounts,
}

impl AodeStatistic {
    /// Nothing seen of these attributes; `n_states` has one entry for each variable of the schema, and the target's is the number of classes.
    ///
    /// # Panics
    /// When an attribute or the target is not one of the places of `n_states`.
    pub fn empty(attributes: &[VarId], target: VarId, n_states: &[usize]) -> Self {
        Self { n_variables: n_states.len(), pairs: PairCounts::empty(attributes, Some(target), n_states) }
    }

    /// The counts. Their variables are the attributes.
    pub fn pairs(&self) -> &PairCounts {
        &self.pairs
    }

    /// The variable to be predicted.
    pub fn target(&self) -> Option<VarId> {
        self.pairs.target()
    }

    /// The weight of all rows whose target is present.
    pub fn n_rows(&self) -> f64 {
        self.pairs.n_rows()
    }

    /// Whether this can be a statistic of rows of this schema; for what was read from a file.
    ///
    /// # Errors
    /// Names the first variable whose counts do not fit, and why.
    pub fn validate(&self, schema: &Schema) -> Result<(), LearnError> {
        ShapeMismatch::check("variables of the statistic", schema.variables().len(), self.n_variables)?;
        let target = schema.target().ok_or(LearnError::NoTarget)?;
        let variable = schema.variable(target);
        let classes = schema
            .states(target)
            .ok_or_else(|| LearnError::TargetNotCategorical { variable: variable.name.clone(), kind: variable.kind.word() })?;
        let unfit = |place: VarId, fault: StatisticFault| LearnError::Unfit { variable: schema.variable(place).name.clone(), fault };
        if self.pairs.target() != Some(target) {
            return Err(unfit(target, StatisticFault::AnotherTarget));
        }
        let same_classes = ShapeMismatch::check("classes", classes.len(), self.pairs.n_classes());
        same_classes.map_err(|shape| unfit(target, shape.into()))?;
        for (attribute, n_states) in self.pairs.variables().iter().zip(self.pairs.n_states()) {
            if attribute.index() >= self.n_variables {
                let shape = ShapeMismatch { what: "the place of a variable", expected: self.n_variables, found: attribute.index() };
                return Err(LearnError::Shape(shape));
            }
            let expected = match &schema.variable(*attribute).kind {
                Kind::Categorical(states) => states.len(),
                kind => return Err(unfit(*attribute, StatisticFault::Kind { counted: "states", kind: kind.word() })),
            };
            ShapeMismatch::check("states", expected, *n_states).map_err(|shape| unfit(*attribute, shape.into()))?;
        }
        Ok(())
    }
}

impl SufficientStatistic for AodeStatistic {
    type Columns<'a> = Chunk<'a>;

    /// Adds rows; nothing is added when a column has the wrong shape.
    fn observe(&mut self, chunk: Chunk<'_>) -> Result<(), ShapeMismatch> {
        ShapeMismatch::check("columns", self.n_variables, chunk.columns.len())?;
        self.pairs.observe(chunk)
    }

    fn merge(&mut self, other: &Self) -> Result<(), ShapeMismatch> {
        ShapeMismatch::check("variables", self.n_variables, other.n_variables)?;
        self.pairs.merge(&other.pairs)
    }
}

impl Forget for AodeStatistic {
    fn forget(&mut self, other: &Self) -> Result<(), NeverObserved> {
        ShapeMismatch::check("variables", self.n_variables, other.n_variables)?;
        self.pairs.forget(&other.pairs)
    }
}

impl Recode for AodeStatistic {
    fn recode(&mut self, recoding: &Recoding) -> Result<(), ShapeMismatch> {
        self.pairs.recode(recoding)
    }
}
