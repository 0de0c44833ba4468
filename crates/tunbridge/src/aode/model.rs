//! A model of averaged one-dependence estimators: what it was learned from, what it believes, and where it is kept.

use std::path::Path;

use belief::{Chunk, Schema, ShapeMismatch, normalise_ln};
use learn::{Aode, AodePrior, AodeStatistic, Contest, Ledger};
use serde::{Deserialize, Serialize};

use crate::{Classifier, Error, Recipe, model_file};

/// Averaged one-dependence estimators: recipe, prior and statistic, and the posterior they make together.
#[derive(Clone, Debug)]
pub struct AodeModel {
    parts: StoredAode,
    posterior: Aode,
}

/// What a model file holds.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct StoredAode {
    pub schema: Schema,
    pub recipe: Recipe,
    pub prior: AodePrior,
    pub statistic: AodeStatistic,
}

impl AodeModel {
    pub(crate) const KIND: &'static str = "aode";

    /// Checks the parts against each other and makes the posterior.
    pub(crate) fn from_parts(parts: StoredAode) -> Result<Self, Error> {
        if !parts.recipe.made.fits(&parts.schema) {
            return Err(Error::unfit("what it says of columns that are made of others cannot be", "learn the model again"));
        }
        let posterior = Aode::new(&parts.schema, &parts.statistic, &parts.prior)?;
        Ok(Self { parts, posterior })
    }

    pub(crate) fn parts(&self) -> &StoredAode {
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

    /// What was believed before.
    pub fn prior(&self) -> &AodePrior {
        &self.parts.prior
    }

    /// What was believed before, as the user writes it.
    pub fn prior_words(&self) -> String {
        let AodePrior { estimate, least_rows } = self.prior();
        let parents = if *least_rows == 1.0 { String::new() } else { format!(", parents of {least_rows} rows or more") };
        let bins = self.recipe().discretisation.as_ref().map(|bins| format!(", {bins}")).unwrap_or_default();
        format!("{estimate}{parents}{bins}")
    }

    /// What the data said.
    pub fn statistic(&self) -> &AodeStatistic {
        &self.parts.statistic
    }

    /// What is believed now.
    pub fn posterior(&self) -> &Aode {
        &self.posterior
    }

    /// The names of the classes.
    pub fn classes(&self) -> &[String] {
        self.posterior.class_names()
    }

    /// The ledger of a row: what each column said between two classes, given the columns before it.
    ///
    /// # Errors
    /// When the columns are not those of the schema, or a row or class is asked for that does not exist, or twice the same class.
    pub fn explain(&self, chunk: &Chunk<'_>, row: usize, contest: Contest) -> Result<Ledger, Error> {
        Ok(self.posterior.explain(self.schema(), chunk, row, contest)?)
    }
}

impl Classifier for AodeModel {
    fn schema(&self) -> &Schema {
        self.schema()
    }

    fn recipe(&self) -> &Recipe {
        self.recipe()
    }

    fn classes(&self) -> &[String] {
        self.classes()
    }

    fn ln_posteriors(&self, chunk: &Chunk<'_>, out: &mut Vec<f64>) -> Result<(), ShapeMismatch> {
        self.posterior.ln_joint(chunk, out)?;
        out.chunks_exact_mut(self.posterior.n_classes()).for_each(|row| {
            normalise_ln(row);
        });
        Ok(())
    }

    fn without_evidence(&self, chunk: &Chunk<'_>) -> Result<Vec<bool>, ShapeMismatch> {
        self.posterior.without_evidence(chunk)
    }
}
