//! An average of models that were saved: each from its file, weighed by what the files hold or by rows that none of them has seen.

use std::path::{Path, PathBuf};
use std::time::Instant;

use belief::{Observations, ReadReport};
use data::{ReadOptions, Table, UnknownStates};
use evaluate::Metrics;
use learn::NaiveBayesStatistic;

use super::learning::{LearnedAverage, log_marginal_likelihoods, score_of};
use super::model::{AverageModel, WeighedBy};
use crate::learning::target_of;
use crate::{Error, Model, NaiveBayesModel, NamedCosts, TestOptions, Timings, test};

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
/// learned from. Members must be naive Bayes models of one schema, without a calibration and without rows that had no class.
///
/// # Errors
/// When a file cannot be read or holds another kind; when members differ in their columns, in how they read rows, or, weighed by marginal
/// likelihood, in the rows they were learned from; when log scores are asked for without rows, or of rows that a member was learned from.
pub fn of_saved(paths: &[impl AsRef<Path>], options: &SavedOptions) -> Result<LearnedAverage, Error> {
    let mut timings = Timings::default();
    let start = Instant::now();
    let names: Vec<String> = paths.iter().map(|path| path.as_ref().display().to_string()).collect();
    let models = paths.iter().zip(&names).map(|(path, name)| member(path.as_ref(), name)).collect::<Result<Vec<_>, Error>>()?;
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let Some(first) = models.first() else { return Err(Error::unfit("an average has two members or more", "name two model files")) };
    if let Some(place) = models.iter().position(|model| model.schema() != first.schema()) {
        let what = format!("`{}` has other columns or states than `{}`", names[place], names[0]);
        return Err(Error::unfit(what, "average models that were learned from tables of the same columns and states"));
    }
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
            judged.push(test(model, &options.rows, test_options(options))?);
        }
    }
    let scores = match options.by {
        WeighedBy::MarginalLikelihood => {
            let scores = log_marginal_likelihoods(&names, &models)?;
            if let Some(place) = models.iter().position(|model| model.statistic() != first.statistic()) {
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
    let members = names.iter().map(ToString::to_string).zip(scores).zip(models).map(|((name, score), model)| (name, score, model));
    let model = AverageModel::new(members.collect(), options.by)?;
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

/// A model of the kind that averages are of.
fn member(path: &Path, name: &str) -> Result<NaiveBayesModel, Error> {
    let again = "learn it again without, or average other models";
    let model = match Model::load(path)? {
        Model::NaiveBayes(model) => *model,
        other => {
            let what = format!("`{name}` is of the kind {}, and an average is of naive Bayes models and their relatives", other.kind());
            return Err(Error::unfit(what, "average models of one class a row that are no averages themselves"));
        }
    };
    if model.calibrator().is_some() {
        return Err(Error::unfit(format!("`{name}` is calibrated, and an average is mended by its members' weights"), again));
    }
    if model.parts().unlabelled.is_some() {
        return Err(Error::unfit(format!("`{name}` has learned from rows without a class, of which there is no score"), again));
    }
    Ok(model)
}

/// Whether the rows are those that a model was learned from: they say the same.
fn has_learned(model: &NaiveBayesModel, options: &SavedOptions) -> Result<bool, Error> {
    let mut read = options.read.clone();
    model.recipe().apply(&mut read);
    let table = Table::open_as(&options.rows, read, model.schema(), UnknownStates::default(), true)?;
    let (plan, target) = (model.statistic().treatments(), target_of(model.schema())?);
    let fold = table.fold(|n_states: &[usize]| NaiveBayesStatistic::empty(&plan, target, n_states))?;
    Ok(fold.statistic == *model.statistic())
}
