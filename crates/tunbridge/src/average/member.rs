//! A model of an average: any kind that gives a row one class.

use belief::{Chunk, Schema, ShapeMismatch};
use data::{Answers, DataError};
use learn::{Contest, Ledger, TextEvent, Treatment};

use super::view::View;
use crate::aode::AodeModel;
use crate::classifier::answers;
use crate::judge::Scores;
use crate::network::{NetworkClassifier, NetworkModel, NetworkOptions};
use crate::{Classifier, Error, Model, NaiveBayesModel, Recipe};

/// A model that gives a row one class, of any kind.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum MemberModel {
    /// Naive Bayes, with its relatives of the same statistic.
    NaiveBayes(Box<NaiveBayesModel>),
    /// A network with a target.
    Network(Box<NetworkClassifier<'static>>),
    /// Averaged one-dependence estimators.
    Aode(Box<AodeModel>),
}

impl From<NaiveBayesModel> for MemberModel {
    fn from(model: NaiveBayesModel) -> Self {
        Self::NaiveBayes(Box::new(model))
    }
}

impl From<AodeModel> for MemberModel {
    fn from(model: AodeModel) -> Self {
        Self::Aode(Box::new(model))
    }
}

impl TryFrom<NetworkModel> for MemberModel {
    type Error = Error;

    fn try_from(model: NetworkModel) -> Result<Self, Error> {
        Ok(Self::Network(Box::new(model.into_classifier(NetworkOptions::default().memory)?)))
    }
}

impl TryFrom<Model> for MemberModel {
    type Error = Error;

    fn try_from(model: Model) -> Result<Self, Error> {
        match model {
            Model::NaiveBayes(model) => Ok((*model).into()),
            Model::Network(model) => (*model).try_into(),
            Model::Aode(model) => Ok((*model).into()),
            Model::Average(_) | Model::Labels(_) => Err(Error::unfit(
                format!("is of the kind {}, and an average is of models that give a row one class by themselves", model.kind()),
                "average models of one class a row that are no averages themselves",
            )),
        }
    }
}

impl MemberModel {
    /// As a classifier of rows that it reads by itself.
    pub fn classifier(&self) -> &dyn Classifier {
        match self {
            Self::NaiveBayes(model) => model.as_ref(),
            Self::Network(model) => model.as_ref(),
            Self::Aode(model) => model.as_ref(),
        }
    }

    /// What the columns are.
    pub fn schema(&self) -> &Schema {
        self.classifier().schema()
    }

    /// How it reads rows.
    pub fn recipe(&self) -> &Recipe {
        self.classifier().recipe()
    }

    /// The names of the classes.
    pub fn classes(&self) -> &[String] {
        self.classifier().classes()
    }

    /// The word for the kind.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::NaiveBayes(model) => model.kind(),
            Self::Network(_) => NetworkModel::KIND,
            Self::Aode(_) => AodeModel::KIND,
        }
    }

    /// What was believed before, as the user writes it.
    pub fn prior_words(&self) -> String {
        match self {
            Self::NaiveBayes(model) => model.prior_words(),
            Self::Network(model) => model.model().prior_words(),
            Self::Aode(model) => model.prior_words(),
        }
    }

    /// The weight of the rows it has learned from.
    pub fn n_rows(&self) -> f64 {
        match self {
            Self::NaiveBayes(model) => model.observed().n_rows(),
            Self::Network(model) => model.model().n_rows(),
            Self::Aode(model) => model.statistic().n_rows(),
        }
    }

    /// The weight of the rows of each class; of a network, rows whose class is missing are those that they are taken for.
    pub fn class_rows(&self) -> Vec<f64> {
        match self {
            Self::NaiveBayes(model) => model.posterior().class_weights().to_vec(),
            Self::Network(classifier) => {
                let (model, mut rows) = (classifier.model(), vec![0.0; classifier.classes().len()]);
                let target = model.target().map_or(0, belief::VarId::index);
                let cells = &model.completed()[model.posterior().families().cells(target)];
                for of_parents in cells.chunks_exact(rows.len()) {
                    rows.iter_mut().zip(of_parents).for_each(|(sum, n)| *sum += n);
                }
                rows
            }
            Self::Aode(model) => model.posterior().class_weights().to_vec(),
        }
    }

    /// The weight of the rows whose class is missing: naive Bayes and aode leave them out, and networks take them for what they may be.
    pub fn n_rows_without_class(&self) -> f64 {
        match self {
            Self::NaiveBayes(model) => model.observed().n_rows_without_target(),
            Self::Network(classifier) => {
                let (model, target) = (classifier.model(), classifier.model().target());
                target.map_or(0.0, |target| model.observed().gaps.missing()[target.index()])
            }
            Self::Aode(model) => model.statistic().pairs().n_rows_without_class(),
        }
    }

    /// How texts are seen, by models that see them.
    pub fn text_event(&self) -> TextEvent {
        if let Self::NaiveBayes(model) = self { model.prior().text } else { TextEvent::default() }
    }

    /// ln P(all rows | the model), its parameters integrated out; `None` where it has none.
    pub fn ln_marginal_likelihood(&self) -> Option<f64> {
        let ln = match self {
            Self::NaiveBayes(model) => model.posterior().log_marginal_likelihood(model.schema(), model.statistic()),
            Self::Network(model) => model.model().ln_marginal_likelihood(),
            // Many models, each of which makes the rows in another way.
            Self::Aode(_) => None,
        };
        ln.filter(|ln| ln.is_finite())
    }

    /// The columns that it explains, each with how its values are seen.
    pub(super) fn explains(&self) -> Vec<(String, Treatment)> {
        let mut explained: Vec<(String, Treatment)> = match self {
            Self::NaiveBayes(model) => {
                let left_out = |column: &str| {
                    let is = |remark: &learn::Remark| matches!(remark, learn::Remark::ColumnLeftOut { variable, .. } if variable == column);
                    model.posterior().remarks().iter().any(is)
                };
                let names = model.schema().variables().iter().map(|variable| variable.name.clone());
                names.zip(model.statistic().treatments()).filter(|(name, how)| *how != Treatment::Absent && !left_out(name)).collect()
            }
            Self::Network(classifier) => {
                let (network, made) = (classifier.model().network(), &classifier.recipe().made);
                let others = network.dag().variables().filter(|of| Some(*of) != classifier.model().target());
                let how = |name: &str| made.cuts.get(name).map_or(Treatment::Categorical, |cuts| Treatment::Binned(cuts.clone()));
                others.map(|of| (network.name(of).to_string(), how(network.name(of)))).collect()
            }
            Self::Aode(_) => Vec::new(),
        };
        explained.sort_by(|(a, _), (b, _)| a.cmp(b));
        explained
    }

    fn explain(&self, chunk: &Chunk<'_>, row: usize, contest: Contest) -> Result<Ledger, Error> {
        match self {
            Self::NaiveBayes(model) => model.explain(chunk, row, contest),
            Self::Network(model) => model.explain(chunk, row, contest),
            Self::Aode(model) => model.explain(chunk, row, contest),
        }
    }
}

/// A model of an average, which sees the rows that the average reads in its own way.
#[derive(Clone, Debug)]
pub struct Member {
    pub(super) name: String,
    pub(super) score: f64,
    pub(super) weight: f64,
    pub(super) model: MemberModel,
    pub(super) view: View,
    /// The places of the average's classes among its own.
    pub(super) classes: Vec<usize>,
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

    /// The model itself. It reads rows in its own way; those of the average are for [`Self::answer`] and [`Self::explain`].
    pub fn model(&self) -> &MemberModel {
        &self.model
    }

    /// The weight of the rows of each class of the average.
    pub fn class_rows(&self) -> Vec<f64> {
        let rows = self.model.class_rows();
        self.classes.iter().map(|class| rows[*class]).collect()
    }

    /// What it makes of rows that are read as the average reads them.
    ///
    /// # Errors
    /// When the columns are not those of the average's schema.
    pub fn answer(&self, chunk: &Chunk<'_>) -> Result<Answers, DataError> {
        let mut ln = Vec::new();
        self.ln_joint(chunk, &mut ln)?;
        Ok(answers(ln, self.classes.len()))
    }

    /// The ledger of a row that is read as the average reads it.
    ///
    /// # Errors
    /// When the columns are not those of the average's schema, or a row or class is asked for that does not exist, or twice the same class.
    pub fn explain(&self, chunk: &Chunk<'_>, row: usize, contest: Contest) -> Result<Ledger, Error> {
        // A class that does not exist is told by the model.
        let own = |class: usize| self.classes.get(class).copied().unwrap_or(class);
        let contest = Contest { class: contest.class.map(own), against: contest.against.map(own) };
        self.view.lend(chunk, |own| self.model.explain(own, row, contest))?
    }

    pub(super) fn without_evidence(&self, chunk: &Chunk<'_>) -> Result<Vec<bool>, ShapeMismatch> {
        self.view.lend(chunk, |own| self.model.classifier().without_evidence(own))?
    }
}

impl Scores for Member {
    fn ln_joint(&self, chunk: &Chunk<'_>, out: &mut Vec<f64>) -> Result<(), ShapeMismatch> {
        self.view.lend(chunk, |own| self.model.classifier().ln_posteriors(own, out))??;
        if self.classes.iter().enumerate().any(|(place, class)| place != *class) {
            let own = std::mem::take(out);
            out.extend(own.chunks_exact(self.classes.len()).flat_map(|row| self.classes.iter().map(|class| row[*class])));
        }
        Ok(())
    }
}
