//! An average of models: what its members are, and how much of a say each has.

use std::fmt;
use std::path::Path;
use std::str::FromStr;

use belief::{Chunk, Schema, ShapeMismatch, States, normalise_ln};
use serde::{Deserialize, Serialize};

use super::member::{Member, MemberModel};
use super::mix::mix;
use super::stored::StoredAverage;
use super::view::{View, read_for_all};
use crate::{Classifier, Error, Recipe, model_file};

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

/// Models whose probabilities are averaged.
#[derive(Clone, Debug)]
pub struct AverageModel {
    /// How rows are read for all of them.
    schema: Schema,
    recipe: Recipe,
    members: Vec<Member>,
    by: WeighedBy,
}

/// A model with its name and what its weight comes from.
pub(super) struct Scored {
    pub name: String,
    pub score: f64,
    pub model: MemberModel,
}

impl AverageModel {
    pub(crate) const KIND: &'static str = "average";

    /// Checks the parts against each other and makes the members and their weights.
    pub(crate) fn from_parts(parts: StoredAverage) -> Result<Self, Error> {
        let by = parts.by;
        Self::new(parts.into_scored()?, by)
    }

    /// An average of members with their names and scores.
    pub(super) fn new(members: Vec<Scored>, by: WeighedBy) -> Result<Self, Error> {
        const AGAIN: &str = "learn the model again";
        if members.len() < 2 {
            return Err(Error::unfit("an average has two members or more", AGAIN));
        }
        if let Some(Scored { name, .. }) = members.iter().find(|Scored { score, .. }| score.is_nan() || *score == f64::INFINITY) {
            return Err(Error::unfit(format!("the score of member `{name}` is no number"), AGAIN));
        }
        let (schema, recipe) = read_for_all(&members.iter().map(|Scored { name, model, .. }| (name.as_str(), model)).collect::<Vec<_>>())?;
        let target = schema.target().and_then(|target| schema.states(target));
        let names = target.ok_or_else(|| Error::unfit("no column is the one to predict", AGAIN))?.names();
        let scores: Vec<f64> = members.iter().map(|Scored { score, .. }| *score).collect();
        let weights = weights(&scores).ok_or_else(|| Error::unfit("no member has any weight", AGAIN))?;
        let member = |(Scored { name, score, model }, weight): (Scored, f64)| {
            let place = |class: &String| model.classes().iter().position(|own| own == class);
            let classes: Option<Vec<usize>> = names.iter().map(place).collect();
            let classes = classes.filter(|classes| classes.len() == model.classes().len());
            let classes = classes.ok_or_else(|| Error::unfit(format!("member `{name}` has other classes"), AGAIN))?;
            let view = View::new(&schema, model.schema(), &model.recipe().made);
            Ok(Member { name, score, weight, model, view, classes })
        };
        let members = members.into_iter().zip(weights).map(member).collect::<Result<_, Error>>()?;
        Ok(Self { schema, recipe, members, by })
    }

    /// As [`crate::Model::save`].
    ///
    /// # Errors
    /// When the system refuses, or a file that is no model is there and `force` is not given.
    pub fn save(&self, path: &Path, force: bool) -> Result<u64, Error> {
        Ok(model_file::save(path, Self::KIND, &StoredAverage::of(self), force)?)
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

    /// What the columns are that are read for all members. A member may see them in its own way: numbers in bins, fewer states.
    pub fn schema(&self) -> &Schema {
        &self.schema
    }

    /// How rows are read. What a member makes of numbers and words is in its own recipe.
    pub fn recipe(&self) -> &Recipe {
        &self.recipe
    }

    /// The names of the classes.
    pub fn classes(&self) -> &[String] {
        self.schema.target().and_then(|target| self.schema.states(target)).map_or(&[], States::names)
    }

    /// The weight of the rows it has learned from.
    pub fn n_rows(&self) -> f64 {
        self.members[0].model.n_rows()
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
        mix(self.members.iter().map(|member| (member.weight, member)), self.classes().len(), chunk, out)
    }

    /// Whether it says nothing to any member.
    fn without_evidence(&self, chunk: &Chunk<'_>) -> Result<Vec<bool>, ShapeMismatch> {
        let mut none = vec![true; chunk.n_rows];
        for member in self.members.iter().filter(|member| member.weight > 0.0) {
            none.iter_mut().zip(member.without_evidence(chunk)?).for_each(|(none, says_nothing)| *none &= says_nothing);
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
