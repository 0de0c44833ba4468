//! An average of models that were saved: each from its file, weighed by what the files hold or by rows that none of them has seen.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use belief::{Observations, ReadReport};
use data::{ReadOptions, Table, UnknownStates};
use evaluate::Metrics;
use learn::{AodeStatistic, NaiveBayesStatistic};

use super::member::MemberModel;
use super::model::{AverageModel, Scored, WeighedBy};
use super::options::LearnedAverage;
use super::weighing::{log_marginal_likelihoods, score_of, weights_by_scores};
use crate::counting::target_of;
use crate::network::FamilyStatistic;
use crate::{Error, Model, NamedCosts, TestOptions, Timings, test};

/// What saved models are weighed by, and on which rows.
///
/// | field | default | meaning |
/// |---|---|---|
/// | `by` | log score | what makes the weights; the log score is that of `rows` |
/// | `rows` | none | rows that no member has learned from: they make log scores, and judge the average |
/// | `read` | | how those rows are read |
/// | `costs` | none | what errors cost, where they are judged by cost |
#[derive(Clone, Default)]
pub struct SavedOptions {
    /// What makes the weights.
    pub by: WeighedBy,
    /// Rows that no member has learned from.
    pub rows: Vec<PathBuf>,
    /// How they are read.
    pub read: ReadOptions,
    /// What errors cost.
    pub costs: Option<NamedCosts>,
}

/// Averages models that were saved, each called by its path.
///
/// Weights by marginal likelihood need no rows: a file holds the statistic, and with it P(data). Log scores are of rows that no member has
/// learned from. Members may be of any kinds that give a row one class, and may look at other columns; they predict the same classes, read
/// rows in the same way, and are without a calibration and without rows that had no class.
///
/// # Errors
/// When a file cannot be read or holds another kind; when members differ in their classes, in how they read rows, or, weighed by marginal
/// likelihood, in the rows they were learned from; when log scores are asked for without rows, or of rows that a member was learned from.
pub fn of_saved(paths: &[impl AsRef<Path>], options: &SavedOptions) -> Result<LearnedAverage, Error> {
    let mut timings = Timings::default();
    let start = Instant::now();
    let names: Vec<String> = paths.iter().map(|path| path.as_ref().display().to_string()).collect();
    let models = paths.iter().zip(&names).map(|(path, name)| member(path.as_ref(), name)).collect::<Result<Vec<_>, Error>>()?;
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let scored = |scores: &[f64]| {
        let members = names.iter().zip(scores).zip(models.iter().cloned());
        members.map(|((name, score), model)| Scored { name: name.to_string(), score: *score, model }).collect::<Vec<_>>()
    };
    // That they go together is told before rows are read.
    AverageModel::new(scored(&vec![0.0; models.len()]), options.by)?;
    timings.add("read", start);
    let start = Instant::now();
    let mut remarks = Vec::new();
    let mut judged: Vec<crate::Tested> = Vec::new();
    if !options.rows.is_empty() {
        for (name, model) in names.iter().zip(&models) {
            if has_learned(model, options)? {
                let hint = "give rows that it has not seen, weigh by --average-by marginal-likelihood, or learn the models together";
                return Err(Error::unfit(format!("`{name}` was learned from these very rows, and would seem better than it is"), hint));
            }
            judged.push(test(model.classifier(), &options.rows, test_options(options))?);
        }
    }
    let scores = match options.by {
        WeighedBy::MarginalLikelihood => {
            let members: Vec<(&str, &MemberModel)> = names.iter().copied().zip(&models).collect();
            let scores = log_marginal_likelihoods(&members, &mut remarks)?;
            if let Some(place) = models.iter().position(|model| !is_of_same_rows(model, &models[0])) {
                let what = format!("`{}` was learned from other rows than `{}`: P(data) of each is of other data", names[place], names[0]);
                return Err(Error::unfit(what, "weigh by --average-by log-score, on rows that neither has seen"));
            }
            scores
        }
        WeighedBy::LogScore if judged.is_empty() => {
            let what = "log scores need rows that no member has learned from";
            return Err(Error::unfit(what, "name them as DATA, or weigh by --average-by marginal-likelihood"));
        }
        WeighedBy::LogScore => {
            remarks.push("the rows are taken for ones that no member has learned from".into());
            let metrics: Vec<&Metrics> = judged.iter().map(|tested| &tested.evaluation.metrics).collect();
            names.iter().zip(metrics).map(|(name, metrics)| score_of(name, metrics, &mut remarks)).collect()
        }
    };
    weights_by_scores(&scores)?;
    let model = AverageModel::new(scored(&scores), options.by)?;
    let mut report = ReadReport::default();
    let mut evaluation = None;
    if !options.rows.is_empty() {
        let tested = test(&model, &options.rows, test_options(options))?;
        tested.remarks.iter().for_each(|told| remarks.push(told.clone()));
        (report, evaluation) = (tested.report, Some(tested.evaluation));
    }
    let of_members = judged.into_iter().map(|tested| tested.evaluation).collect();
    timings.add("evaluate", start);
    Ok(LearnedAverage { model, report, remarks, of_members, evaluation, timings })
}

fn test_options(options: &SavedOptions) -> TestOptions {
    TestOptions { read: options.read.clone(), unknown_states: UnknownStates::default(), costs: options.costs.clone() }
}

/// A model of a kind that averages are of.
fn member(path: &Path, name: &str) -> Result<MemberModel, Error> {
    let again = "learn it again without, or average other models";
    let named = |error: Error| match error {
        Error::Unfit { what, hint } => Error::Unfit { what: format!("`{name}` {}", what.replacen("the network has", "has", 1)), hint },
        other => other,
    };
    let model: MemberModel = Model::load(path)?.try_into().map_err(named)?;
    if let MemberModel::NaiveBayes(model) = &model {
        if model.calibrator().is_some() {
            return Err(Error::unfit(format!("`{name}` is calibrated, and an average is mended by its members' weights"), again));
        }
        if model.parts().unlabelled.is_some() {
            return Err(Error::unfit(format!("`{name}` has learned from rows without a class, of which there is no score"), again));
        }
    }
    Ok(model)
}

/// Whether two models say that they were learned from the same rows. Those of one kind say it all; others at least know the classes.
fn is_of_same_rows(a: &MemberModel, b: &MemberModel) -> bool {
    match (a, b) {
        (MemberModel::NaiveBayes(a), MemberModel::NaiveBayes(b)) if a.schema() == b.schema() => a.statistic() == b.statistic(),
        _ => {
            let by_class = |model: &MemberModel| {
                let mut rows: Vec<(String, f64)> = model.classes().iter().cloned().zip(model.class_rows()).collect();
                rows.sort_by(|(a, _), (b, _)| a.cmp(b));
                rows
            };
            a.n_rows() == b.n_rows() && by_class(a) == by_class(b)
        }
    }
}

/// Whether the rows are those that a model was learned from: they say the same.
fn has_learned(model: &MemberModel, options: &SavedOptions) -> Result<bool, Error> {
    let mut read = options.read.clone();
    model.recipe().apply(&mut read);
    let table = Table::open_as(&options.rows, read, model.schema(), UnknownStates::default(), true)?;
    match model {
        MemberModel::NaiveBayes(model) => {
            let (plan, target) = (model.statistic().treatments(), target_of(model.schema())?);
            let fold = table.fold(|n_states: &[usize]| NaiveBayesStatistic::empty(&plan, target, n_states))?;
            Ok(fold.statistic == *model.statistic())
        }
        MemberModel::Network(classifier) => {
            let observed = classifier.model().observed();
            let fold = table.fold(|_: &[usize]| FamilyStatistic::empty(Arc::clone(observed.counts.families())))?;
            Ok(fold.statistic == *observed)
        }
        MemberModel::Aode(model) => {
            let pairs = model.statistic().pairs();
            let (attributes, target) = (pairs.variables().to_vec(), belief::VarId::new(target_of(model.schema())?));
            let fold = table.fold(|n_states: &[usize]| AodeStatistic::empty(&attributes, target, n_states))?;
            Ok(fold.statistic.pairs().settled() == model.statistic().pairs().settled())
        }
    }
}
