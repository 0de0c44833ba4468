//! What the file of an average holds: its members, each by what it was learned from. Weights are made from the scores.

use std::path::Path;

use belief::{Pruned, Schema};
use learn::{NaiveBayesPrior, NaiveBayesStatistic};
use serde::{Deserialize, Serialize};

use super::member::{Member, MemberModel};
use super::model::{AverageModel, Scored, WeighedBy, of_member};
use crate::aode::{AodeModel, StoredAode};
use crate::model::Stored;
use crate::model_file::{self, ModelFileError};
use crate::network::{NetworkModel, StoredNetwork};
use crate::{Error, NaiveBayesModel, Recipe};

/// What a model file holds.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct StoredAverage {
    pub by: WeighedBy,
    /// The columns of naive Bayes members, each once: texts have many words.
    schemas: Vec<Schema>,
    members: Vec<StoredMember>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct StoredMember {
    name: String,
    score: f64,
    model: StoredModel,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
enum StoredModel {
    NaiveBayes { schema: usize, counted: Box<StoredNaiveBayes> },
    Network(Box<StoredNetwork>),
    Aode(Box<StoredAode>),
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct StoredNaiveBayes {
    recipe: Recipe,
    prior: NaiveBayesPrior,
    statistic: NaiveBayesStatistic,
    pruned: Vec<Pruned>,
}

/// What files held while all members were naive Bayes models of one schema.
#[derive(Deserialize)]
struct StoredOfOneSchema {
    schema: Schema,
    by: WeighedBy,
    members: Vec<MemberOfOneSchema>,
}

#[derive(Deserialize)]
struct MemberOfOneSchema {
    name: String,
    score: f64,
    recipe: Recipe,
    prior: NaiveBayesPrior,
    statistic: NaiveBayesStatistic,
    pruned: Vec<Pruned>,
}

impl From<StoredOfOneSchema> for StoredAverage {
    fn from(older: StoredOfOneSchema) -> Self {
        let member = |MemberOfOneSchema { name, score, recipe, prior, statistic, pruned }| {
            let counted = Box::new(StoredNaiveBayes { recipe, prior, statistic, pruned });
            StoredMember { name, score, model: StoredModel::NaiveBayes { schema: 0, counted } }
        };
        Self { by: older.by, schemas: vec![older.schema], members: older.members.into_iter().map(member).collect() }
    }
}

impl StoredAverage {
    /// Reads the body of a model file.
    pub fn read(path: &Path, packed: &[u8]) -> Result<Self, ModelFileError> {
        model_file::body(path, packed).or_else(|fault| match model_file::body::<StoredOfOneSchema>(path, packed) {
            Ok(older) => Ok(older.into()),
            Err(_) => Err(fault),
        })
    }

    pub(super) fn of(average: &AverageModel) -> Self {
        let mut schemas: Vec<Schema> = Vec::new();
        let mut stored = |model: &MemberModel| match model {
            MemberModel::NaiveBayes(model) => {
                let Stored { recipe, prior, statistic, pruned, schema, .. } = model.parts().clone();
                let place = schemas.iter().position(|known| *known == schema).unwrap_or(schemas.len());
                if place == schemas.len() {
                    schemas.push(schema);
                }
                StoredModel::NaiveBayes { schema: place, counted: Box::new(StoredNaiveBayes { recipe, prior, statistic, pruned }) }
            }
            MemberModel::Network(classifier) => StoredModel::Network(Box::new(classifier.model().parts().clone())),
            MemberModel::Aode(model) => StoredModel::Aode(Box::new(model.parts().clone())),
        };
        let member = |member: &Member| StoredMember { name: member.name.clone(), score: member.score, model: stored(&member.model) };
        let members = average.members().iter().map(member).collect();
        Self { by: average.weighed_by(), schemas, members }
    }

    /// The members by themselves.
    pub(super) fn into_scored(self) -> Result<Vec<Scored>, Error> {
        let Self { schemas, members, .. } = self;
        let scored = |StoredMember { name, score, model }| {
            let model = model.model(&schemas).map_err(|e| of_member(&name, e))?;
            Ok(Scored { name, score, model })
        };
        members.into_iter().map(scored).collect()
    }
}

impl StoredModel {
    fn model(self, schemas: &[Schema]) -> Result<MemberModel, Error> {
        match self {
            Self::NaiveBayes { schema, counted } => {
                let schema = schemas.get(schema).ok_or_else(|| Error::unfit("its columns are not there", "learn the model again"))?.clone();
                let StoredNaiveBayes { recipe, prior, statistic, pruned } = *counted;
                let parts =
                    Stored { schema, recipe, prior, statistic, calibrator: None, calibrator_is_stale: false, unlabelled: None, pruned };
                Ok(NaiveBayesModel::from_parts(parts)?.into())
            }
            Self::Network(parts) => NetworkModel::from_parts(*parts)?.try_into(),
            Self::Aode(parts) => Ok(AodeModel::from_parts(*parts)?.into()),
        }
    }
}
