//! Evaluation as a fold, where rows have any number of labels.

use belief::{Chunk, Column, Observations, Recode, Recoding, ShapeMismatch, SufficientStatistic};
use data::DataError;
use evaluate::{EvaluateError, LabelMetrics, LabelTally};

use super::model::LabelsModel;
use crate::Error;
use crate::judge::{MOST_SCORES, Scores};

/// Metrics of labels with their names and the way they were got.
#[derive(Clone, Debug)]
pub struct LabelEvaluation {
    /// In words: leave-one-out, ten folds, test rows.
    pub how: String,
    /// The labels, in the order of the metrics' list.
    pub labels: Vec<String>,
    /// The figures.
    pub metrics: LabelMetrics,
}

impl LabelEvaluation {
    pub(super) fn new(how: &str, model: &LabelsModel, metrics: LabelMetrics) -> Self {
        Self { how: how.into(), labels: model.labels().to_vec(), metrics }
    }
}

/// What the odds that `scores` gives to the labels of `model` are worth.
pub(super) fn judged(
    rows: &impl Observations<Error = DataError>,
    scores: &impl Scores,
    model: &LabelsModel,
) -> Result<(LabelTally, belief::ReadReport), Error> {
    let (target, n_labels) = (model.statistic().target().index(), model.labels().len());
    let blank = |_: &[usize]| LabelJudge { scores, target, n_labels, tally: LabelTally::new(n_labels), fault: None };
    let fold = rows.fold(blank)?;
    match fold.statistic.fault {
        Some(fault) => Err(fault.into()),
        None => Ok((fold.statistic.tally, fold.report)),
    }
}

/// A statistic that scores rows and compares with the labels they have. Rows whose labels are missing are not judged.
struct LabelJudge<'m, S> {
    /// Log-odds of every label.
    scores: &'m S,
    target: usize,
    n_labels: usize,
    tally: LabelTally,
    /// The first row that was refused; statistics speak of shapes only, so that it is told at the end.
    fault: Option<EvaluateError>,
}

impl<S> Clone for LabelJudge<'_, S> {
    fn clone(&self) -> Self {
        let Self { scores, target, n_labels, ref tally, ref fault } = *self;
        Self { scores, target, n_labels, tally: tally.clone(), fault: fault.clone() }
    }
}

impl<S: Scores> LabelJudge<'_, S> {
    fn judge(&mut self, chunk: &Chunk<'_>) -> Result<(), ShapeMismatch> {
        let Some(Column::Texts(truth)) = chunk.columns.get(self.target) else {
            return Err(ShapeMismatch { what: "the target's column", expected: 1, found: 0 });
        };
        let mut odds = Vec::new();
        self.scores.ln_joint(chunk, &mut odds)?;
        ShapeMismatch::check("scores", chunk.n_rows * self.n_labels, odds.len())?;
        for (row, odds) in odds.chunks_exact(self.n_labels).enumerate() {
            let weight = chunk.weights.map_or(1.0, |weights| weights[row]);
            let Some(labels) = truth.labels(row).filter(|_| weight != 0.0) else { continue };
            if let (Err(fault), None) = (self.tally.observe(labels, odds, weight), &self.fault) {
                self.fault = Some(fault);
            }
        }
        Ok(())
    }
}

impl<S: Scores> SufficientStatistic for LabelJudge<'_, S> {
    type Columns<'a> = Chunk<'a>;

    fn observe(&mut self, chunk: Chunk<'_>) -> Result<(), ShapeMismatch> {
        let at_once = (MOST_SCORES / self.n_labels.max(1)).max(1);
        if chunk.n_rows <= at_once {
            return self.judge(&chunk);
        }
        for start in (0..chunk.n_rows).step_by(at_once) {
            let places: Vec<u32> = (start..chunk.n_rows.min(start + at_once)).map(|row| row as u32).collect();
            chunk.select(&places).lend(chunk.first_row + start as u64, |rows| self.judge(&rows))?;
        }
        Ok(())
    }

    fn merge(&mut self, other: &Self) -> Result<(), ShapeMismatch> {
        let merged = self.tally.merge(&other.tally);
        self.fault = self.fault.take().or_else(|| other.fault.clone()).or_else(|| merged.err());
        Ok(())
    }
}

/// Verdicts are about labels the model knows; what a chunk calls new does not touch them.
impl<S> Recode for LabelJudge<'_, S> {
    fn recode(&mut self, _: &Recoding) -> Result<(), ShapeMismatch> {
        Ok(())
    }
}
