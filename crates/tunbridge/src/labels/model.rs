//! A model of several labels a row: recipe, prior and statistic, and what is believed of each label.

use std::path::Path;

use belief::{Chunk, Schema, ShapeMismatch};
use data::LabelAnswers;
use learn::{BinaryRelevance, LabelStatistic, NaiveBayesPrior};
use serde::{Deserialize, Serialize};

use crate::model::{Stored, prior_words};
use crate::{Error, NaiveBayesModel, Recipe, model_file};

/// A yes/no naive Bayes model for each of several labels, in one.
#[derive(Clone, Debug)]
pub struct LabelsModel {
    parts: StoredLabels,
    posterior: BinaryRelevance,
}

/// What a model file holds.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct StoredLabels {
    pub schema: Schema,
    pub recipe: Recipe,
    pub prior: NaiveBayesPrior,
    pub statistic: LabelStatistic,
}

impl LabelsModel {
    pub(crate) const KIND: &'static str = "labels";

    /// Checks the parts against each other and makes the posterior.
    pub(crate) fn from_parts(parts: StoredLabels) -> Result<Self, Error> {
        if parts.recipe.labels.as_ref().is_none_or(String::is_empty) {
            return Err(Error::unfit("it does not say what separates labels", "learn the model again"));
        }
        let posterior = BinaryRelevance::new(&parts.schema, &parts.statistic, &parts.prior)?;
        Ok(Self { parts, posterior })
    }

    pub(crate) fn parts(&self) -> &StoredLabels {
        &self.parts
    }

    /// As [`crate::Model::save`].
    ///
    /// # Errors
    /// When the system refuses, or a file that is no model is there and `force` is not given.
    pub fn save(&self, path: &Path, force: bool) -> Result<u64, Error> {
        Ok(model_file::save(path, Self::KIND, &self.parts, force)?)
    }

    /// What the columns are.
    pub fn schema(&self) -> &Schema {
        &self.parts.schema
    }

    /// Everything that was fixed before counting.
    pub fn recipe(&self) -> &Recipe {
        &self.parts.recipe
    }

    /// What was believed before, of every label alike.
    pub fn prior(&self) -> &NaiveBayesPrior {
        &self.parts.prior
    }

    /// What was believed before, as the user writes it.
    pub fn prior_words(&self) -> String {
        prior_words(self.schema(), self.recipe(), self.prior())
    }

    /// What the data said.
    pub fn statistic(&self) -> &LabelStatistic {
        &self.parts.statistic
    }

    /// What is believed now.
    pub fn posterior(&self) -> &BinaryRelevance {
        &self.posterior
    }

    /// The labels.
    pub fn labels(&self) -> &[String] {
        self.posterior.labels()
    }

    /// The name of the column of labels.
    pub fn target(&self) -> &str {
        &self.schema().variable(self.statistic().target()).name
    }

    /// What stands between the labels of a cell.
    pub fn separator(&self) -> &str {
        self.recipe().labels.as_deref().unwrap_or_default()
    }

    /// The model of one label by itself, whose classes are `no` and `yes`.
    ///
    /// # Errors
    /// When there is no such label, or no row has it, or every one: then there is nothing to tell apart.
    pub fn of_label(&self, label: usize) -> Result<NaiveBayesModel, Error> {
        NaiveBayesModel::from_parts(Stored {
            schema: self.posterior.schema().clone(),
            recipe: Recipe { labels: None, ..self.recipe().clone() },
            prior: self.prior().clone(),
            statistic: self.statistic().of_label(label)?,
            calibrator: None,
            calibrator_is_stale: false,
            unlabelled: None,
            pruned: Vec::new(),
        })
    }

    /// The probability of each label in each row, and the labels that are more probable than not.
    ///
    /// # Errors
    /// When the columns are not those of the model's schema.
    pub fn answer(&self, chunk: &Chunk<'_>) -> Result<LabelAnswers, ShapeMismatch> {
        let mut odds = Vec::new();
        self.posterior.ln_odds(chunk, &mut odds)?;
        let said = |odds: &[f64]| odds.iter().zip(0..).filter(|(odds, _)| **odds > 0.0).map(|(_, label)| label).collect();
        let labels = odds.chunks_exact(self.labels().len()).map(said).collect();
        odds.iter_mut().for_each(|odds| *odds = 1.0 / (1.0 + (-*odds).exp()));
        Ok(LabelAnswers { labels, probability: odds })
    }
}
