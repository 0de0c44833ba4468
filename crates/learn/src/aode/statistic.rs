//! What the data say: how often any two attributes were seen in any two states, class by class.

use belief::{Chunk, Column, Forget, Kind, NeverObserved, Recode, Recoding, Schema, ShapeMismatch, SufficientStatistic, VarId};
use net::PairCounts;
use serde::{Deserialize, Serialize};

use crate::naive_bayes::{BinCodes, Treatment, are_cuts};
use crate::{LearnError, StatisticFault};

/// Counts of pairs of states with each class. Numbers are counted by the bins they are in.
///
/// Laws: merging is associative and commutative, exactly with whole weights; the empty statistic is its identity; forgetting undoes merging.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AodeStatistic {
    /// For each variable of the schema the cut points of its bins, where it is a number that counts.
    cuts: Vec<Option<Vec<f64>>>,
    pairs: PairCounts,
}

impl AodeStatistic {
    /// Nothing seen. Attributes are the variables that `treatments` count as states or bins; `n_states` has one entry for each variable of the
    /// schema, and the target's is the number of classes.
    ///
    /// # Errors
    /// Names the attributes that have no states: numbers without cut points, and texts.
    ///
    /// # Panics
    /// When `n_states` is shorter than `treatments`, or `target` is not one of its places.
    pub fn empty(schema: &Schema, treatments: &[Treatment], target: VarId, n_states: &[usize]) -> Result<Self, LearnError> {
        let without_states = |(place, treatment): (usize, &Treatment)| {
            let has_none = place != target.index() && matches!(treatment, Treatment::Moments | Treatment::Words(_));
            has_none.then(|| schema.variables().get(place).map_or_else(String::new, |variable| variable.name.clone()))
        };
        let variables: Vec<String> = treatments.iter().enumerate().filter_map(without_states).collect();
        if !variables.is_empty() {
            return Err(LearnError::NumberWithoutBins { variables });
        }
        let mut n_states = n_states.to_vec();
        let (mut cuts, mut attributes) = (vec![None; treatments.len()], Vec::new());
        for (place, treatment) in treatments.iter().enumerate().filter(|(place, _)| *place != target.index()) {
            match treatment {
                Treatment::Categorical => attributes.push(VarId::new(place)),
                Treatment::Binned(points) => {
                    attributes.push(VarId::new(place));
                    n_states[place] = points.len() + 1;
                    cuts[place] = Some(points.clone());
                }
                Treatment::Absent | Treatment::Moments | Treatment::Words(_) => {}
            }
        }
        Ok(Self { cuts, pairs: PairCounts::empty(&attributes, Some(target), &n_states) })
    }

    /// The counts. Their variables are the attributes.
    pub fn pairs(&self) -> &PairCounts {
        &self.pairs
    }

    /// The cut points of each variable of the schema that is counted in bins.
    pub fn cuts(&self) -> &[Option<Vec<f64>>] {
        &self.cuts
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
        ShapeMismatch::check("variables of the statistic", schema.variables().len(), self.cuts.len())?;
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
            if attribute.index() >= self.cuts.len() {
                let shape = ShapeMismatch { what: "the place of a variable", expected: self.cuts.len(), found: attribute.index() };
                return Err(LearnError::Shape(shape));
            }
            let expected = match (&self.cuts[attribute.index()], &schema.variable(*attribute).kind) {
                (None, Kind::Categorical(states)) => states.len(),
                (Some(cuts), Kind::Numeric) if are_cuts(cuts) => cuts.len() + 1,
                (Some(_), Kind::Numeric) => return Err(unfit(*attribute, StatisticFault::CutPoints)),
                (_, kind) => return Err(unfit(*attribute, StatisticFault::Kind { counted: "states", kind: kind.word() })),
            };
            ShapeMismatch::check("states", expected, *n_states).map_err(|shape| unfit(*attribute, shape.into()))?;
        }
        Ok(())
    }

    fn check_cuts(&self, other: &Self) -> Result<(), ShapeMismatch> {
        ShapeMismatch::check("variables", self.cuts.len(), other.cuts.len())?;
        let same = self.cuts.iter().zip(&other.cuts).filter(|(a, b)| a == b).count();
        ShapeMismatch::check("variables with the same cut points", self.cuts.len(), same)
    }
}

/// Lends the rows with bins in place of numbers.
pub(super) fn with_bins<R>(cuts: &[Option<Vec<f64>>], chunk: &Chunk<'_>, see: impl FnOnce(Chunk<'_>) -> R) -> R {
    let bins: Vec<BinCodes> = cuts
        .iter()
        .zip(chunk.columns)
        .map(|(cuts, column)| {
            let mut bins = BinCodes::default();
            if let (Some(cuts), Column::Numeric(values)) = (cuts, column) {
                bins.fill(cuts, values);
            }
            bins
        })
        .collect();
    let mut columns: Vec<Column<'_>> = chunk.columns.to_vec();
    for ((column, cuts), bins) in columns.iter_mut().zip(cuts).zip(&bins) {
        if let (Some(cuts), Column::Numeric(_)) = (cuts, &*column) {
            *column = Column::Categorical { codes: bins.codes(cuts.len() + 1), n_states: cuts.len() + 1 };
        }
    }
    see(Chunk { columns: &columns, ..*chunk })
}

impl SufficientStatistic for AodeStatistic {
    type Columns<'a> = Chunk<'a>;

    /// Adds rows; nothing is added when a column has the wrong shape.
    fn observe(&mut self, chunk: Chunk<'_>) -> Result<(), ShapeMismatch> {
        ShapeMismatch::check("columns", self.cuts.len(), chunk.columns.len())?;
        let Self { cuts, pairs } = self;
        with_bins(cuts, &chunk, |chunk| pairs.observe(chunk))
    }

    fn merge(&mut self, other: &Self) -> Result<(), ShapeMismatch> {
        self.check_cuts(other)?;
        self.pairs.merge(&other.pairs)
    }
}

impl Forget for AodeStatistic {
    fn forget(&mut self, other: &Self) -> Result<(), NeverObserved> {
        self.check_cuts(other)?;
        self.pairs.forget(&other.pairs)
    }
}

impl Recode for AodeStatistic {
    fn recode(&mut self, recoding: &Recoding) -> Result<(), ShapeMismatch> {
        self.pairs.recode(recoding)
    }
}
