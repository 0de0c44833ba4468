//! Leave-one-out for every label: a row leaves the yes or the no of each.

use belief::{Chunk, Codes, Column, ShapeMismatch};

use super::posterior::{BinaryRelevance, gather};
use crate::{LearnError, LeaveOneOut, NaiveBayesStatistic};

/// Scores rows that the models were learned from, each as if it had not been.
///
/// **Complexity**: that of [`LeaveOneOut`], for each label.
pub struct HeldOutLabels<'m> {
    target: usize,
    of_label: Vec<LeaveOneOut<'m>>,
}

impl<'m> HeldOutLabels<'m> {
    /// `statistics` are those of the labels, in their order, as [`super::LabelStatistic::of_label`] gives them.
    ///
    /// # Errors
    /// When they do not belong to the models.
    pub fn new(models: &'m BinaryRelevance, statistics: &'m [NaiveBayesStatistic]) -> Result<Self, LearnError> {
        ShapeMismatch::check("statistics of labels", models.labels().len(), statistics.len())?;
        let target = models.schema().target().ok_or(LearnError::NoTarget)?.index();
        let of_label = models.models().iter().zip(statistics).map(|(model, statistic)| LeaveOneOut::new(models.schema(), statistic, model));
        Ok(Self { target, of_label: of_label.collect::<Result<_, _>>()? })
    }

    /// As [`BinaryRelevance::ln_odds`], each row held out of the models with its weight.
    ///
    /// # Errors
    /// When the columns are not those of the schema, or the labels are not among them.
    pub fn ln_odds(&self, chunk: &Chunk<'_>, out: &mut Vec<f64>) -> Result<(), ShapeMismatch> {
        let Some(Column::Texts(labels)) = chunk.columns.get(self.target) else {
            return Err(ShapeMismatch { what: "columns of labels", expected: 1, found: 0 });
        };
        ShapeMismatch::check("rows of the target", chunk.n_rows, labels.len())?;
        let mut rows_of = vec![Vec::new(); self.of_label.len()];
        let mut without = vec![BinaryRelevance::NO as u8; chunk.n_rows];
        for (row, class) in without.iter_mut().enumerate() {
            match labels.labels(row) {
                Some(of_row) => of_row.iter().for_each(|label| {
                    if let Some(rows) = rows_of.get_mut(*label as usize) {
                        rows.push(row);
                    }
                }),
                None => *class = u8::MAX,
            }
        }
        let mut columns = chunk.columns.to_vec();
        columns[self.target] = Column::Absent;
        let mut classes = without.clone();
        gather(self.of_label.len(), chunk.n_rows, out, |label, joint| {
            classes.copy_from_slice(&without);
            rows_of[label].iter().for_each(|row| classes[*row] = BinaryRelevance::YES as u8);
            let mut columns = columns.clone();
            columns[self.target] = Column::Categorical { codes: Codes::U8(&classes), n_states: 2 };
            self.of_label[label].ln_joint(&Chunk { columns: &columns, ..*chunk }, joint)
        })
    }
}
