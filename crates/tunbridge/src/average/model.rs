//! An average of models: what its members are, and how much of a say each has.

use std::fmt;
use std::path::Path;
use std::str::FromStr;

use belief::{Chunk, Pruned, Schema, ShapeMismatch, normalise_ln};
use learn::{NaiveBayesPrior, NaiveBayesStatistic};
use serde::{Deserialize, Serialize};

use super::mix::mix;
use crate::judge::Scores;
use crate::model::Stored;
use crate::{Classifier, Error, NaiveBayesModel, Recipe, model_file};

/// What makes the weights of members, all of which are equally probable before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WeighedBy {
    /// w(m) ∝ exp Σ ln P(class of a row | the row, all other rows, m): how well it foretells rows it has not seen (pseudo-BMA of Yao
    /// et al. 2018, with the exact leave-one-out). Any members can be compared so, whatever they make of the columns.
    #[default]
    LogScore,
    /// w(m) ∝ P(classes and attributes of all rows | m): the posterior probability of the member. Members must explain the same
    /// values of the same columns, with priors in which the data have no say.
    MarginalLikelihood,
}

impl fmt::Display for WeighedBy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            WeighedBy::LogScore => "log-score",
            WeighedBy::MarginalLikelihood => "marginal-likelihood",
        })
    }
}

impl FromStr for WeighedBy {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        match text {
            "log-score" => Ok(WeighedBy::LogScore),
            "marginal-likelihood" => Ok(WeighedBy::MarginalLikelihood),
            _ => Err(Error::unfit(format!("`{text}` is no way to weigh models"), "give log-score or marginal-likelihood")),
        }
    }
}

/// A model of an average.
#[derive(Clone, Debug)]
pub struct Member {
    name: String,
    score: f64,
    weight: f64,
    model: NaiveBayesModel,
}

impl Member {
    /// What the user calls it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What its weight comes from: the log score of held-out rows, or ln P(data); −∞ where it called a row impossible.
    pub fn score(&self) -> f64 {
        self.score
    }

    /// How much of a say it has; the weights of all members sum to one.
    pub fn weight(&self) -> f64 {
        self.weight
    }

    /// The model itself.
    pub fn model(&self) -> &NaiveBayesModel {
        &self.model
    }
}

/// Several models of the same rows, whose probabilities are averaged.
#[derive(Clone, Debug)]
pub struct AverageModel {
    members: Vec<Member>,
    by: WeighedBy,
}

/// What a model file holds. The schema is there once, so that members cannot differ in it; weights are made from the scores.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct StoredAverage {
    pub schema: Schema,
    pub by: WeighedBy,
    pub members: Vec<StoredMember>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct StoredMember {
    pub name: String,
    pub score: f64,
    pub recipe: Recipe,
    pub prior: NaiveBayesPrior,
    pub statistic: NaiveBayesStatistic,
    pub pruned: Vec<Pruned>,
}

impl StoredMember {
    /// The model by itself.
    pub fn model(self, schema: &Schema) -> Result<NaiveBayesModel, Error> {
        let Self { recipe, prior, statistic, pruned, .. } = self;
        NaiveBayesModel::from_parts(Stored {
            schema: schema.clone(),
            recipe,
            prior,
            statistic,
            calibrator: None,
            calibrator_is_stale: false,
            unlabelled: None,
            pruned,
        })
    }
}

impl AverageModel {
    pub(crate) const KIND: &'static str = "average";

    /// Checks the parts against each other and makes the members and their weights.
    pub(crate) fn from_parts(parts: StoredAverage) -> Result<Self, Error> {
        let StoredAverage { schema, by, members } = parts;
        let scored = members.into_iter().map(|member| {
            let (name, score) = (member.name.clone(), member.score);
            let model = member.model(&schema).map_err(|e| of_member(&name, e))?;
            Ok((name, score, model))
        });
        Self::new(scored.collect::<Result<_, Error>>()?, by)
    }

    /// An average of members with their names and scores. They must be of one schema.
    pub(super) fn new(members: Vec<(String, f64, NaiveBayesModel)>, by: WeighedBy) -> Result<Self, Error> {
        const AGAIN: &str = "learn the model again";
        if members.len() < 2 {
            return Err(Error::unfit("an average has two members or more", AGAIN));
        }
        let reading = |recipe: &Recipe| (recipe.missing.clone(), recipe.words.clone(), recipe.max_vocabulary, recipe.labels.clone());
        let first = reading(members[0].2.recipe());
        if let Some((name, ..)) = members.iter().find(|(_, _, model)| reading(model.recipe()) != first) {
            return Err(Error::unfit(format!("member `{name}` reads rows in another way than the others"), AGAIN));
        }
        let target = |model: &NaiveBayesModel| (model.schema().target(), Some(model.statistic().target()));
        let classes = members[0].2.classes();
        if let Some((name, ..)) = members.iter().find(|(_, _, model)| target(model).0 != target(model).1 || model.classes() != classes) {
            return Err(Error::unfit(format!("member `{name}` has other classes"), AGAIN));
        }
        if let Some((name, ..)) = members.iter().find(|(_, score, _)| score.is_nan() || *score == f64::INFINITY) {
            return Err(Error::unfit(format!("the score of member `{name}` is no number"), AGAIN));
        }
        let scores: Vec<f64> = members.iter().map(|(_, score, _)| *score).collect();
        let weights = weights(&scores).ok_or_else(|| Error::unfit("no member has any weight", AGAIN))?;
        let member = |((name, score, model), weight)| Member { name, score, weight, model };
        Ok(Self { members: members.into_iter().zip(weights).map(member).collect(), by })
    }

    /// As [`crate::Model::save`].
    ///
    /// # Errors
    /// When the system refuses, or a file that is no model is there and `force` is not given.
    pub fn save(&self, path: &Path, force: bool) -> Result<u64, Error> {
        let stored = |member: &Member| {
            let Stored { recipe, prior, statistic, pruned, .. } = member.model.parts().clone();
            StoredMember { name: member.name.clone(), score: member.score, recipe, prior, statistic, pruned }
        };
        let parts = StoredAverage { schema: self.schema().clone(), by: self.by, members: self.members.iter().map(stored).collect() };
        Ok(model_file::save(path, Self::KIND, &parts, force)?)
    }

    /// The members, in the order they were given.
    pub fn members(&self) -> &[Member] {
        &self.members
    }

    /// The member of the greatest weight; of equals, the first.
    pub fn heaviest(&self) -> &Member {
        let heaviest = self.members.iter().reduce(|best, member| if member.weight > best.weight { member } else { best });
        heaviest.unwrap_or(&self.members[0])
    }

    /// What makes the weights.
    pub fn weighed_by(&self) -> WeighedBy {
        self.by
    }

    /// What the columns are, to all members.
    pub fn schema(&self) -> &Schema {
        self.members[0].model.schema()
    }

    /// How rows are read. What a member makes of numbers and words is in its own recipe.
    pub fn recipe(&self) -> &Recipe {
        self.members[0].model.recipe()
    }

    /// The names of the classes.
    pub fn classes(&self) -> &[String] {
        self.members[0].model.classes()
    }

    /// The weight of the rows it has learned from.
    pub fn n_rows(&self) -> f64 {
        self.members[0].model.observed().n_rows()
    }
}

impl Scores for NaiveBayesModel {
    fn ln_joint(&self, chunk: &Chunk<'_>, out: &mut Vec<f64>) -> Result<(), ShapeMismatch> {
        self.ln_posteriors(chunk, out)
    }
}

impl Classifier for AverageModel {
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
        mix(self.members.iter().map(|member| (member.weight, &member.model)), self.classes().len(), chunk, out)
    }

    /// Whether it says nothing to any member.
    fn without_evidence(&self, chunk: &Chunk<'_>) -> Result<Vec<bool>, ShapeMismatch> {
        let mut none = vec![true; chunk.n_rows];
        for member in self.members.iter().filter(|member| member.weight > 0.0) {
            none.iter_mut().zip(member.model.posterior().without_evidence(chunk)?).for_each(|(none, says_nothing)| *none &= says_nothing);
        }
        Ok(none)
    }
}

/// The posterior probabilities of members that were equally probable before; `None` when all are impossible.
pub(super) fn weights(scores: &[f64]) -> Option<Vec<f64>> {
    let mut ln = scores.to_vec();
    (normalise_ln(&mut ln) > f64::NEG_INFINITY).then(|| ln.into_iter().map(f64::exp).collect())
}

/// An error about one member, with its name.
pub(super) fn of_member(name: &str, error: Error) -> Error {
    match error {
        Error::Unfit { .. } | Error::Learn(_) => Error::Unfit { what: format!("member `{name}`: {error}"), hint: error.hint() },
        other => other,
    }
}
