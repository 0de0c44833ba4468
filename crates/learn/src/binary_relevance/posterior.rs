//! The model: what is believed of every label.

use belief::{Chunk, Schema, ShapeMismatch};

use super::statistic::{LabelStatistic, labels_of, with_classes};
use crate::naive_bayes::Scale;
use crate::{LearnError, NaiveBayes, NaiveBayesPrior, Remark};

/// A naive Bayes model of two classes, [`Self::NO`] and [`Self::YES`], for each label.
///
/// Each is the model that would be learned for this label alone, so that words are chosen label by label. A label that no row has, or
/// that all have, is defined: under an empirical class prior the answer is certain.
///
/// **Complexity** of making it and of scoring: that of a naive Bayes model of two classes, for each label.
///
/// # References
/// Tsoumakas & Katakis 2007, *Multi-label classification: an overview*; McCallum & Nigam 1998, section 4, for the naive Bayes of Reuters.
#[derive(Clone, Debug, PartialEq)]
pub struct BinaryRelevance {
    schema: Schema,
    labels: Vec<String>,
    models: Vec<NaiveBayes>,
    remarks: Vec<Remark>,
}

impl BinaryRelevance {
    /// The place of the class of rows without the label.
    pub const NO: usize = 0;
    /// The place of the class of rows with the label.
    pub const YES: usize = 1;
    /// How the two classes are called.
    pub const CLASSES: [&'static str; 2] = ["no", "yes"];

    /// The models of these data under this prior, which is the same for every label.
    ///
    /// # Errors
    /// When the target's column is not one of labels, the statistic does not belong to the schema, there is no row or no label, or the
    /// prior does not fit.
    pub fn new(schema: &Schema, statistic: &LabelStatistic, prior: &NaiveBayesPrior) -> Result<Self, LearnError> {
        statistic.validate(schema)?;
        prior.validate()?;
        let labels = labels_of(schema)?.names().to_vec();
        if labels.is_empty() || statistic.n_rows() <= 0.0 {
            let target = schema.target().map(|target| schema.variable(target).name.clone()).unwrap_or_default();
            return Err(LearnError::NoLabels { target });
        }
        let schema = with_classes(schema, Self::CLASSES.map(String::from).to_vec())?;
        let mut models = Vec::with_capacity(labels.len());
        for label in 0..labels.len() {
            let of_label = statistic.of_label(label)?;
            let scale = Scale::new(&schema, &of_label, prior)?;
            models.push(NaiveBayes::with_scale(&schema, &of_label, prior, &scale)?);
        }
        let remarks = remarks(&labels, statistic, &models[0]);
        Ok(Self { schema, labels, models, remarks })
    }

    /// The labels' names.
    pub fn labels(&self) -> &[String] {
        &self.labels
    }

    /// The schema of every label's model: the target has the two classes.
    pub fn schema(&self) -> &Schema {
        &self.schema
    }

    /// The model of each label.
    pub fn models(&self) -> &[NaiveBayes] {
        &self.models
    }

    /// What is worth saying about them.
    pub fn remarks(&self) -> &[Remark] {
        &self.remarks
    }

    /// ln P(label | row)/P(no label | row) for every row and label: `out[row * n_labels + label]`. What was in `out` is replaced.
    ///
    /// It is NaN where the row's evidence is impossible with the label and without it. Columns may be absent; the target's is not
    /// looked at.
    ///
    /// # Errors
    /// When the columns are not those of the schema.
    pub fn ln_odds(&self, chunk: &Chunk<'_>, out: &mut Vec<f64>) -> Result<(), ShapeMismatch> {
        gather(self.models.len(), chunk.n_rows, out, |label, joint| self.models[label].ln_joint(chunk, joint))
    }
}

/// The odds of all labels from the joint probabilities of each.
pub(super) fn gather(
    n_labels: usize,
    n_rows: usize,
    out: &mut Vec<f64>,
    mut ln_joint: impl FnMut(usize, &mut Vec<f64>) -> Result<(), ShapeMismatch>,
) -> Result<(), ShapeMismatch> {
    out.clear();
    out.resize(n_rows * n_labels, 0.0);
    let mut joint = Vec::new();
    for label in 0..n_labels {
        ln_joint(label, &mut joint)?;
        let odds = joint.chunks_exact(2).map(|joint| joint[BinaryRelevance::YES] - joint[BinaryRelevance::NO]);
        out.iter_mut().skip(label).step_by(n_labels).zip(odds).for_each(|(out, odds)| *out = odds);
    }
    Ok(())
}

/// Labels of too few or too many rows, and columns that say nothing, which are the same for every label.
fn remarks(labels: &[String], statistic: &LabelStatistic, first: &NaiveBayes) -> Vec<Remark> {
    let of_columns = first.remarks().iter().filter(|remark| matches!(remark, Remark::ColumnLeftOut { .. })).cloned();
    let of_label = |(label, &rows): (&String, &f64)| match rows {
        0.0 => Some(Remark::LabelOfNoRow { label: label.clone() }),
        _ if rows >= statistic.n_rows() => Some(Remark::LabelOfEveryRow { label: label.clone() }),
        _ if rows <= 1.0 => Some(Remark::SingleRow { class: label.clone() }),
        _ => None,
    };
    labels.iter().zip(statistic.rows_with()).filter_map(of_label).chain(of_columns).collect()
}
