//! What the data say of every label, and of all rows.

use belief::{
    Chunk, Codes, Column, Forget, Kind, NeverObserved, Recode, Recoding, Schema, ShapeMismatch, StateMap, States, SufficientStatistic,
    Texts, VarId,
};
use serde::{Deserialize, Serialize};

use crate::{AttributeStatistic, LearnError, NaiveBayesStatistic, Treatment};

/// What the data say of labels: the statistic of naive Bayes, with a class for each label and a last one for all rows.
///
/// A row is counted once in each of its labels and once in the last class. Additive like the statistic it is made of: merging is
/// associative and commutative, forgetting undoes it, exactly for counts with whole weights.
///
/// **Complexity**: a row costs as much as one row of naive Bayes for each of its labels, and one more; the space is that of a naive
/// Bayes statistic of one class more than there are labels.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct LabelStatistic {
    counts: NaiveBayesStatistic,
}

/// Rows with their labels that are counted at a time.
const BLOCK: usize = 8192;

impl LabelStatistic {
    /// Nothing seen. `treatments` and `n_states` have one entry per variable of the schema; the target's number of states is the number
    /// of labels.
    ///
    /// # Panics
    /// When `n_states` is shorter than `treatments`, or `target` is not one of its places.
    pub fn empty(treatments: &[Treatment], target: usize, n_states: &[usize]) -> Self {
        let mut n_states = n_states.to_vec();
        n_states[target] += 1;
        Self { counts: NaiveBayesStatistic::empty(treatments, target, &n_states) }
    }

    /// The variable that holds the labels.
    pub fn target(&self) -> VarId {
        self.counts.target()
    }

    /// How many labels there are, those that no row has among them.
    pub fn n_labels(&self) -> usize {
        self.counts.classes().len().saturating_sub(1)
    }

    /// The weight of the rows that have each label.
    pub fn rows_with(&self) -> &[f64] {
        &self.counts.classes()[..self.n_labels()]
    }

    /// The weight of all rows whose labels are known, be it that they have none.
    pub fn n_rows(&self) -> f64 {
        self.counts.classes().last().copied().unwrap_or(0.0)
    }

    /// The weight of the rows that were left out because their labels are missing.
    pub fn n_rows_without_target(&self) -> f64 {
        self.counts.n_rows_without_target()
    }

    /// How often each label, state or word of a variable was met, as [`NaiveBayesStatistic::n_met`].
    pub fn n_met(&self, place: usize) -> Option<Vec<f64>> {
        if place == self.target().index() { Some(self.rows_with().to_vec()) } else { self.counts.n_met(place) }
    }

    /// The treatments this statistic was made with.
    pub fn treatments(&self) -> Vec<Treatment> {
        self.counts.treatments()
    }

    /// Whether nothing but the labels is counted.
    pub fn has_no_attribute(&self) -> bool {
        self.counts.attributes().iter().all(|attribute| *attribute == AttributeStatistic::Absent)
    }

    /// Whether this can be a statistic of rows of this schema; for what was read from a file.
    ///
    /// # Errors
    /// Names the first variable whose statistic does not fit, and why.
    pub fn validate(&self, schema: &Schema) -> Result<(), LearnError> {
        let labels = labels_of(schema)?;
        // No label is empty, so this is none of them.
        let mut classes = labels.names().to_vec();
        classes.push(String::new());
        self.counts.validate(&with_classes(schema, classes)?)
    }

    /// The statistic of one label: the rows without it are the first class, those with it the second.
    ///
    /// # Errors
    /// When there is no such label, or it was counted in rows that are not among all, which only a file can say.
    pub fn of_label(&self, label: usize) -> Result<NaiveBayesStatistic, LearnError> {
        let n_classes = self.n_labels();
        if label >= n_classes {
            return Err(LearnError::NoSuchClass { class: label, n_classes });
        }
        self.counts.against_rest(label, n_classes).map_err(|_| LearnError::LabelBeyondRows { label })
    }

    /// Where the labels of the chunk are.
    fn labels<'a>(&self, chunk: &Chunk<'a>) -> Result<Texts<'a>, ShapeMismatch> {
        match chunk.columns.get(self.target().index()) {
            Some(Column::Texts(labels)) => {
                ShapeMismatch::check("rows of the target", chunk.n_rows, labels.len())?;
                if labels.n_words > self.n_labels() {
                    return Err(ShapeMismatch { what: "labels", expected: self.n_labels(), found: labels.n_words });
                }
                Ok(*labels)
            }
            _ => Err(ShapeMismatch { what: "columns of labels", expected: 1, found: 0 }),
        }
    }

    fn observe_block(&mut self, chunk: &Chunk<'_>, places: &mut Vec<u32>, classes: &mut Vec<u32>) -> Result<(), ShapeMismatch> {
        let (target, n_states) = (self.target().index(), self.n_labels() + 1);
        chunk.select(places).lend(chunk.first_row, |rows| {
            let mut columns = rows.columns.to_vec();
            columns[target] = Column::Categorical { codes: Codes::U32(classes), n_states };
            self.counts.observe(Chunk { columns: &columns, ..rows })
        })?;
        places.clear();
        classes.clear();
        Ok(())
    }
}

impl SufficientStatistic for LabelStatistic {
    type Columns<'a> = Chunk<'a>;

    /// Adds rows; nothing is added of a block of rows in which a column has the wrong shape.
    fn observe(&mut self, chunk: Chunk<'_>) -> Result<(), ShapeMismatch> {
        let labels = self.labels(&chunk)?;
        if let Some(weights) = chunk.weights {
            ShapeMismatch::check("weights", chunk.n_rows, weights.len())?;
        }
        let n_labels = self.n_labels() as u32;
        let (mut places, mut classes) = (Vec::with_capacity(BLOCK), Vec::with_capacity(BLOCK));
        for row in 0..chunk.n_rows {
            match labels.labels(row) {
                Some(of_row) => {
                    classes.extend(of_row.iter().filter(|label| **label < n_labels));
                    classes.push(n_labels);
                }
                None => classes.push(u32::MAX),
            }
            places.resize(classes.len(), row as u32);
            if places.len() >= BLOCK {
                self.observe_block(&chunk, &mut places, &mut classes)?;
            }
        }
        self.observe_block(&chunk, &mut places, &mut classes)
    }

    fn merge(&mut self, other: &Self) -> Result<(), ShapeMismatch> {
        self.counts.merge(&other.counts)
    }
}

impl Forget for LabelStatistic {
    fn forget(&mut self, other: &Self) -> Result<(), NeverObserved> {
        self.counts.forget(&other.counts)
    }
}

impl Recode for LabelStatistic {
    fn recode(&mut self, recoding: &Recoding) -> Result<(), ShapeMismatch> {
        let target = self.target().index();
        let Some(labels) = recoding.of(target) else { return self.counts.recode(recoding) };
        // The class of all rows stays the last.
        let mut to = labels.to.clone();
        to.push(labels.n_states as u32);
        let mut columns = recoding.columns.clone();
        columns[target] = Some(StateMap { to, n_states: labels.n_states + 1 });
        self.counts.recode(&Recoding { columns })
    }
}

/// The labels of a schema's target.
pub(super) fn labels_of(schema: &Schema) -> Result<&States, LearnError> {
    let target = schema.variable(schema.target().ok_or(LearnError::NoTarget)?);
    match &target.kind {
        Kind::Labels(labels) => Ok(labels),
        kind => Err(LearnError::TargetNotLabels { variable: target.name.clone(), kind: kind.word() }),
    }
}

/// The same schema with classes for its target.
pub(super) fn with_classes(schema: &Schema, classes: Vec<String>) -> Result<Schema, LearnError> {
    let target = schema.target().ok_or(LearnError::NoTarget)?;
    let states = States::declared(classes, false).map_err(|e| LearnError::NotLabels { what: e.to_string() })?;
    let mut variables = schema.variables().to_vec();
    variables[target.index()].kind = Kind::Categorical(states);
    Schema::new(variables).map_err(|e| LearnError::NotLabels { what: e.to_string() })
}
