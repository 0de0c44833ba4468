//! One model over all kinds: what it was learned from, what it believes, and where it is kept.

use std::path::Path;
use std::sync::{Arc, mpsc};

use belief::{Chunk, Kind, Pruned, Role, Schema, ShapeMismatch, Variable, WordWeights, closest, normalise_ln};
use data::{Answers, DataError};
use evaluate::Calibrator;
use learn::{Contest, EventModel, Ledger, Mixture, NaiveBayes, NaiveBayesPrior, NaiveBayesStatistic, NetworkAsData, TextEvent, Treatment};
use serde::{Deserialize, Serialize};

use crate::aode::AodeModel;
use crate::average::{AverageModel, StoredAverage};
use crate::classifier::{Classifier, answers};
use crate::labels::LabelsModel;
use crate::model_file::{self, ModelFileError};
use crate::network::{NetworkFile, NetworkModel};
use crate::unlabelled::OfComponents;
use crate::{Error, FromUnlabelled, Recipe};

/// A model of any kind.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Model {
    /// Naive Bayes, with its relatives of the same statistic.
    NaiveBayes(Box<NaiveBayesModel>),
    /// Several labels a row, each with a naive Bayes model of its own.
    Labels(Box<LabelsModel>),
    /// Several models whose probabilities are averaged.
    Average(Box<AverageModel>),
    /// A network whose tables were learned.
    Network(Box<NetworkModel>),
    /// Averaged one-dependence estimators.
    Aode(Box<AodeModel>),
}

impl Model {
    /// Reads a model file.
    ///
    /// # Errors
    /// When it is no model, damaged, newer than this program, or says what cannot be.
    pub fn load(path: &Path) -> Result<Self, Error> {
        let (kind, packed) = model_file::load(path)?;
        Self::of_body(path, kind, &packed)
    }

    /// Reads a model file, and makes something else of what it says of columns and how they are read: where that takes long, as opening a folder
    /// of many documents does, it is done while the counts of many words are read and the model comes to its beliefs.
    ///
    /// # Errors
    /// As [`Self::load`].
    pub fn load_beside<T: Send>(path: &Path, beside: impl FnOnce(&Schema, &Recipe) -> T + Send) -> Result<(Self, T), Error> {
        let (kind, packed) = model_file::load(path)?;
        if kind != NaiveBayesModel::KIND {
            let model = Self::of_body(path, kind, &packed)?;
            let made = beside(model.schema(), model.recipe());
            return Ok((model, made));
        }
        let (send, receive) = mpsc::sync_channel(1);
        let (model, made) = std::thread::scope(|scope| {
            let beside = scope.spawn(|| {
                let OfColumns { schema, recipe } = model_file::body(path, &packed)?;
                // Nobody waits for them if the rest is damaged.
                let _ = send.send((schema.clone(), recipe.clone()));
                drop(send);
                Ok::<T, ModelFileError>(beside(&schema, &recipe))
            });
            let rest = model_file::body::<OfBeliefs>(path, &packed);
            let model = match (receive.recv(), rest) {
                (Ok((schema, recipe)), Ok(rest)) => Some(NaiveBayesModel::from_parts(rest.with(schema, recipe)).map_err(damaged(path))),
                (_, Err(error)) => Some(Err(error)),
                (Err(_), Ok(_)) => None,
            };
            (model, beside.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
        });
        let made = made?;
        let model = model.ok_or_else(|| Error::Internal("a model without columns".into()))??;
        Ok((Model::NaiveBayes(Box::new(model)), made))
    }

    /// The model that the body of a file holds.
    fn of_body(path: &Path, kind: String, packed: &[u8]) -> Result<Self, Error> {
        let damaged = damaged(path);
        match kind.as_str() {
            NaiveBayesModel::KIND => {
                let model = NaiveBayesModel::from_parts(model_file::body(path, packed)?).map_err(damaged)?;
                Ok(Model::NaiveBayes(Box::new(model)))
            }
            LabelsModel::KIND => {
                let model = LabelsModel::from_parts(model_file::body(path, packed)?).map_err(damaged)?;
                Ok(Model::Labels(Box::new(model)))
            }
            AverageModel::KIND => {
                let model = AverageModel::from_parts(StoredAverage::read(path, packed)?).map_err(damaged)?;
                Ok(Model::Average(Box::new(model)))
            }
            NetworkModel::KIND => {
                let model = NetworkModel::from_parts(model_file::body(path, packed)?).map_err(damaged)?;
                Ok(Model::Network(Box::new(model)))
            }
            AodeModel::KIND => {
                let model = AodeModel::from_parts(model_file::body(path, packed)?).map_err(damaged)?;
                Ok(Model::Aode(Box::new(model)))
            }
            _ => Err(ModelFileError::UnknownKind { path: path.into(), kind }.into()),
        }
    }

    /// Writes the model file; a crash leaves the old file or the new one. Returns its size.
    ///
    /// # Errors
    /// When the system refuses, or a file that is no model is there and `force` is not given.
    pub fn save(&self, path: &Path, force: bool) -> Result<u64, Error> {
        match self {
            Model::NaiveBayes(model) => model.save(path, force),
            Model::Labels(model) => model.save(path, force),
            Model::Average(model) => model.save(path, force),
            Model::Network(model) => model.save(path, force),
            Model::Aode(model) => model.save(path, force),
        }
    }

    /// The word for the kind, as `-m` takes it.
    pub fn kind(&self) -> &'static str {
        match self {
            Model::NaiveBayes(model) => model.kind(),
            Model::Labels(_) => LabelsModel::KIND,
            Model::Average(_) => AverageModel::KIND,
            Model::Network(_) => NetworkModel::KIND,
            Model::Aode(_) => AodeModel::KIND,
        }
    }

    /// What the columns are.
    pub fn schema(&self) -> &Schema {
        match self {
            Model::NaiveBayes(model) => model.schema(),
            Model::Labels(model) => model.schema(),
            Model::Average(model) => model.schema(),
            Model::Network(model) => model.schema(),
            Model::Aode(model) => model.schema(),
        }
    }

    /// The weight of the rows it has learned from.
    pub fn n_rows(&self) -> f64 {
        match self {
            Model::NaiveBayes(model) => model.observed().n_rows(),
            Model::Labels(model) => model.statistic().n_rows(),
            Model::Average(model) => model.n_rows(),
            Model::Network(model) => model.n_rows(),
            Model::Aode(model) => model.statistic().n_rows(),
        }
    }

    /// Everything that was fixed before counting; of an average, what its members share: how rows are read.
    pub fn recipe(&self) -> &Recipe {
        match self {
            Model::NaiveBayes(model) => model.recipe(),
            Model::Labels(model) => model.recipe(),
            Model::Average(model) => model.recipe(),
            Model::Network(model) => model.recipe(),
            Model::Aode(model) => model.recipe(),
        }
    }

    /// What was believed before; `None` for an average, whose members have each their own, and for a network and averaged one-dependence
    /// estimators, whose priors are of another kind.
    pub fn prior(&self) -> Option<&NaiveBayesPrior> {
        match self {
            Model::NaiveBayes(model) => Some(model.prior()),
            Model::Labels(model) => Some(model.prior()),
            Model::Average(_) | Model::Network(_) | Model::Aode(_) => None,
        }
    }
}

/// What is said of a file whose parts do not make a model.
fn damaged(path: &Path) -> impl Fn(Error) -> ModelFileError {
    move |error| ModelFileError::Damaged { path: path.into(), what: error.to_string() }
}

/// A naive Bayes model: recipe, prior and statistic, and the posterior they make together.
#[derive(Clone, Debug)]
pub struct NaiveBayesModel {
    parts: Stored,
    /// What the statistic and the rows without a class say together, where there are such.
    completed: Option<NaiveBayesStatistic>,
    posterior: NaiveBayes,
    /// The same where classes have several components.
    mixture: Option<Mixture>,
}

/// What a model file holds.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Stored {
    pub schema: Schema,
    pub recipe: Recipe,
    pub prior: NaiveBayesPrior,
    pub statistic: NaiveBayesStatistic,
    pub calibrator: Option<Calibrator>,
    /// Set when rows joined or left after the calibration was fitted.
    pub calibrator_is_stale: bool,
    /// What was learned from rows without a class.
    #[serde(default)]
    pub unlabelled: Option<FromUnlabelled>,
    /// What was lost of each variable's words to keep to the recipe's bound.
    #[serde(default)]
    pub pruned: Vec<Pruned>,
}

/// What a model file says of columns and how they are read.
#[derive(Deserialize)]
struct OfColumns {
    schema: Schema,
    recipe: Recipe,
}

/// All else that it holds.
#[derive(Deserialize)]
struct OfBeliefs {
    prior: NaiveBayesPrior,
    statistic: NaiveBayesStatistic,
    calibrator: Option<Calibrator>,
    calibrator_is_stale: bool,
    #[serde(default)]
    unlabelled: Option<FromUnlabelled>,
    #[serde(default)]
    pruned: Vec<Pruned>,
}

impl OfBeliefs {
    fn with(self, schema: Schema, recipe: Recipe) -> Stored {
        let Self { prior, statistic, calibrator, calibrator_is_stale, unlabelled, pruned } = self;
        Stored { schema, recipe, prior, statistic, calibrator, calibrator_is_stale, unlabelled, pruned }
    }
}

impl NaiveBayesModel {
    pub(crate) const KIND: &'static str = "naive-bayes";

    /// Checks the parts against each other and makes the posterior.
    pub(crate) fn from_parts(parts: Stored) -> Result<Self, Error> {
        // Also checks that the statistic is of the schema's shape and that the prior's numbers can be.
        let (completed, posterior, mixture) = match &parts.unlabelled {
            None => (None, NaiveBayes::new(&parts.schema, &parts.statistic, &parts.prior)?, None),
            Some(from) => {
                let is_weight = |x: f64| x >= 0.0 && x.is_finite();
                if !is_weight(from.lambda) || !is_weight(from.n_rows) {
                    return Err(Error::unfit("the weight of rows without a class is none", "learn the model again"));
                }
                let Stored { schema, statistic, prior, .. } = &parts;
                let mixture = match &from.mixture {
                    Some(OfComponents { components, labelled }) => {
                        Some(Mixture::new(components, schema, statistic, [labelled, &from.statistic], from.lambda, prior)?)
                    }
                    None => None,
                };
                let by_class = from.by_class()?;
                let completed = learn::completed(statistic, &by_class, from.lambda)?;
                let posterior = NaiveBayes::with_expected(schema, statistic, &by_class, &completed, prior)?;
                (Some(completed), posterior, mixture)
            }
        };
        if parts.pruned.len() > parts.schema.variables().len() || !parts.pruned.iter().all(Pruned::is_valid) {
            return Err(Error::unfit("what was lost of its words cannot be", "learn the model again"));
        }
        if let Some(calibrator) = &parts.calibrator {
            calibrator.validate()?;
            if calibrator.n_classes() != posterior.n_classes() {
                return Err(Error::unfit("the calibration is for another number of classes", "learn the model again"));
            }
        }
        Ok(Self { parts, completed, posterior, mixture })
    }

    /// The classifier that a network of the shape of naive Bayes is. `equivalent_sample_size` is how many rows it is worth when more are
    /// learned from; it classifies the same whatever that is.
    ///
    /// # Errors
    /// When there is no such variable, the network has another shape or no tables, or the number is not above zero and finite.
    pub fn from_network(file: &NetworkFile, target: &str, equivalent_sample_size: f64) -> Result<Self, Error> {
        let Some(network) = file.network() else {
            let what = format!("{}: has no tables of variables given others to classify by", file.path.display());
            return Err(Error::unfit(what, "give a network with its tables, such as a .bif or .tbn file"));
        };
        if network.find(target).is_err() {
            let near = closest(target, network.structure().names().iter().map(String::as_str));
            let hint = near.map_or_else(|| "name one of its variables".into(), |near| format!("did you mean `{near}`?"));
            return Err(Error::unfit(format!("{}: no variable is named `{target}`", file.path.display()), hint));
        }
        let NetworkAsData { schema, statistic, prior } = NetworkAsData::new(network, target, equivalent_sample_size)?;
        Self::from_parts(Stored {
            schema,
            recipe: Recipe::default(),
            prior,
            statistic,
            calibrator: None,
            calibrator_is_stale: false,
            unlabelled: None,
            pruned: Vec::new(),
        })
    }

    /// As [`Model::save`].
    ///
    /// # Errors
    /// When the system refuses, or a file that is no model is there and `force` is not given.
    pub fn save(&self, path: &Path, force: bool) -> Result<u64, Error> {
        Ok(model_file::save(path, Self::KIND, &self.parts, force)?)
    }

    pub(crate) fn parts(&self) -> &Stored {
        &self.parts
    }

    /// The word for the kind, as `-m` takes it.
    pub fn kind(&self) -> &'static str {
        match self.parts.prior.event {
            EventModel::Categorical => "naive-bayes",
            EventModel::Bernoulli => "bernoulli",
            EventModel::NearestCentroid => "nearest-centroid",
        }
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
    pub fn prior(&self) -> &NaiveBayesPrior {
        &self.parts.prior
    }

    /// What was believed before, as the user writes it.
    pub fn prior_words(&self) -> String {
        prior_words(self.schema(), self.recipe(), self.prior())
    }

    /// What the data said, together with what rows without a class are expected to say, by their weight.
    pub fn statistic(&self) -> &NaiveBayesStatistic {
        self.completed.as_ref().unwrap_or(&self.parts.statistic)
    }

    /// What the rows with a class said.
    pub fn observed(&self) -> &NaiveBayesStatistic {
        &self.parts.statistic
    }

    /// What was learned from rows without a class, if there were any.
    pub fn unlabelled(&self) -> Option<&FromUnlabelled> {
        self.parts.unlabelled.as_ref()
    }

    /// What is believed now. Where classes have several components, each class as if it had one: see [`Self::mixture`].
    pub fn posterior(&self) -> &NaiveBayes {
        &self.posterior
    }

    /// What is believed now of classes that have several components; answers come from it.
    pub fn mixture(&self) -> Option<&Mixture> {
        self.mixture.as_ref()
    }

    /// ln P(class, row) of every row and class, before any calibration.
    fn ln_joint(&self, chunk: &Chunk<'_>, out: &mut Vec<f64>) -> Result<(), ShapeMismatch> {
        match &self.mixture {
            Some(mixture) => mixture.ln_joint(chunk, out),
            None => self.posterior.ln_joint(chunk, out),
        }
    }

    /// The ledger of a row: how much each piece of evidence moved the log-odds between two classes.
    ///
    /// # Errors
    /// When the columns are not those of the schema, or a row or class is asked for that does not exist, or twice the same class.
    pub fn explain(&self, chunk: &Chunk<'_>, row: usize, contest: Contest) -> Result<Ledger, Error> {
        Ok(match &self.mixture {
            Some(mixture) => mixture.explain(self.schema(), chunk, row, contest)?,
            None => self.posterior.explain(self.schema(), chunk, row, contest)?,
        })
    }

    /// The calibration, if there is one.
    pub fn calibrator(&self) -> Option<&Calibrator> {
        self.parts.calibrator.as_ref()
    }

    /// Whether rows joined or left after the calibration was fitted.
    pub fn calibrator_is_stale(&self) -> bool {
        self.parts.calibrator_is_stale
    }

    /// What was lost of each variable's words to keep to the recipe's bound; variables behind the last have lost nothing.
    pub fn pruned(&self) -> &[Pruned] {
        &self.parts.pruned
    }

    /// The same in words, for each variable that lost something.
    pub fn vocabulary_remarks(&self) -> Vec<String> {
        crate::vocabulary::remarks(&self.parts)
    }

    /// The names of the classes.
    pub fn classes(&self) -> &[String] {
        self.posterior.class_names()
    }

    /// The same model without its calibration.
    ///
    /// # Errors
    /// None that the model itself did not meet.
    pub fn uncalibrated(&self) -> Result<Self, Error> {
        Self::from_parts(Stored { calibrator: None, calibrator_is_stale: false, ..self.parts.clone() })
    }

    /// The same data under another prior.
    ///
    /// # Errors
    /// When the prior does not fit the model.
    pub fn with_prior(&self, prior: NaiveBayesPrior) -> Result<Self, Error> {
        let mut parts = self.parts.clone();
        parts.calibrator_is_stale |= parts.calibrator.is_some();
        parts.prior = prior;
        Self::from_parts(parts)
    }

    /// The log probabilities of the classes of each row, row by row; a row whose evidence is impossible has −∞ throughout.
    ///
    /// # Errors
    /// When the columns are not those of the model's schema.
    pub fn ln_posteriors(&self, chunk: &Chunk<'_>, out: &mut Vec<f64>) -> Result<(), ShapeMismatch> {
        self.ln_joint(chunk, out)?;
        let n_classes = self.posterior.n_classes();
        for row in out.chunks_exact_mut(n_classes) {
            if normalise_ln(row) > f64::NEG_INFINITY
                && let Some(calibrator) = &self.parts.calibrator
            {
                // Only a row of the wrong length is refused.
                let _ = calibrator.calibrate(row);
            }
        }
        Ok(())
    }

    /// The most probable class of each row and the probabilities of all.
    ///
    /// # Errors
    /// When the columns are not those of the model's schema.
    pub fn answer(&self, chunk: &Chunk<'_>) -> Result<Answers, DataError> {
        let mut ln = Vec::new();
        self.ln_joint(chunk, &mut ln)?;
        if let Some(calibrator) = &self.parts.calibrator {
            for row in ln.chunks_exact_mut(self.posterior.n_classes()) {
                if normalise_ln(row) > f64::NEG_INFINITY {
                    // Only a row of the wrong length is refused.
                    let _ = calibrator.calibrate(row);
                }
            }
        }
        Ok(answers(ln, self.posterior.n_classes()))
    }
}

impl Classifier for NaiveBayesModel {
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
        self.ln_posteriors(chunk, out)
    }

    fn without_evidence(&self, chunk: &Chunk<'_>) -> Result<Vec<bool>, ShapeMismatch> {
        self.posterior.without_evidence(chunk)
    }

    fn answer(&self, chunk: &Chunk<'_>) -> Result<Answers, DataError> {
        self.answer(chunk)
    }
}

/// What was believed before, as the user writes it.
pub(crate) fn prior_words(schema: &Schema, recipe: &Recipe, prior: &NaiveBayesPrior) -> String {
    let NaiveBayesPrior { estimate, class, numeric, text, event, .. } = prior;
    // Those of a Bernoulli model are cut in two.
    let is_number = |v: &Variable| v.role == Role::Input && v.kind == Kind::Numeric;
    let has_numbers = *event != EventModel::Bernoulli && schema.variables().iter().any(is_number);
    let numeric = recipe.discretisation.clone().unwrap_or_else(|| numeric.to_string());
    let numeric = if has_numbers { format!(", {numeric}") } else { String::new() };
    let has_texts = schema.variables().iter().any(|v| v.role == Role::Input && matches!(v.kind, Kind::Text(_)));
    let text = if has_texts { format!(", {text}") } else { String::new() };
    format!("{estimate}, class prior {class}{numeric}{text}")
}

/// How each variable of a schema is counted.
pub(crate) fn treatments(schema: &Schema, text: TextEvent, cuts: impl Fn(usize) -> Option<Vec<f64>>) -> Vec<Treatment> {
    let words = Arc::new(WordWeights { bursts: text == TextEvent::DirichletCompound, ..WordWeights::default() });
    schema
        .variables()
        .iter()
        .enumerate()
        .map(|(place, variable)| match (&variable.role, &variable.kind) {
            (Role::Input, Kind::Categorical(_)) => Treatment::Categorical,
            (Role::Input, Kind::Text(_)) => Treatment::Words(Arc::clone(&words)),
            (Role::Input, Kind::Numeric) => cuts(place).map_or(Treatment::Moments, Treatment::Binned),
            _ => Treatment::Absent,
        })
        .collect()
}
