//! A model that keeps learning: rows join it, leave it, and two models become one.

use std::collections::HashSet;
use std::path::Path;

use belief::{Forget, Moments, NeverObserved, Observations, ReadReport, Role, Schema, SufficientStatistic, count_without};
use data::{ReadOptions, Table, UnknownStates};
use learn::{AttributeStatistic, NaiveBayesPrior, NaiveBayesStatistic, Treatment};

use crate::align::{align, categorical};
use crate::model::Stored;
use crate::remarks::list;
use crate::vocabulary::{self, check_bursts, drop_unmet, keep_to_bound, lost_together, lost_with_rows, new_words, was_pruned};
use crate::{Error, NaiveBayesModel};

/// A model after a change, with what was met.
pub struct Changed {
    /// The model now.
    pub model: NaiveBayesModel,
    /// What was met while reading; empty for a merge.
    pub report: ReadReport,
    /// What the user should know.
    pub remarks: Vec<String>,
}

/// Adds the rows of files to a model. Exact: the same model as learning on all rows at once (to rounding where there are
/// numbers). The prior stays as it is unless another is given, which new classes and states may make necessary.
///
/// # Errors
/// When the files lack columns or cannot be read, or the prior does not fit what is in them.
pub fn update(
    model: &NaiveBayesModel,
    paths: &[impl AsRef<Path>],
    read: ReadOptions,
    prior: Option<NaiveBayesPrior>,
) -> Result<Changed, Error> {
    not_a_mixture(model)?;
    let bound = read.max_vocabulary.or(model.recipe().max_vocabulary);
    let (rows, report, mut remarks) = counted_alike(model, paths, read, UnknownStates::Grow, bound)?;
    let (mut before, rows) = align(model.parts().clone(), rows)?;
    before.statistic.merge(&rows.statistic)?;
    drop_unmet(&mut before)?;
    remarks.extend(new_states(model.schema(), &before.schema));
    remarks.extend(alike_states(&before.schema, &[model.schema()]));
    before.pruned = lost_with_rows(model.parts(), &report.pruned, &before.schema);
    before.recipe.max_vocabulary = bound;
    check_bursts(&before, &report.pruned)?;
    keep_to_bound(&mut before)?;
    remarks.extend(new_words(model.schema(), &before.schema));
    remarks.extend(vocabulary::remarks(&before));
    before.prior = prior.unwrap_or(before.prior);
    stale(&mut before, &[model], &mut remarks);
    approximate(&mut before, &mut remarks);
    if model.recipe().discretisation.is_some() {
        remarks.push("the cut points were made from the old rows; learn again to make them anew".into());
    }
    let has_weights = |t: &Treatment| matches!(t, Treatment::Words(weights) if weights.of_word.is_some());
    if model.observed().treatments().iter().any(has_weights) {
        remarks.push("the weights of words were made from the old texts, and new words have none; learn again to make them anew".into());
    }
    Ok(Changed { model: NaiveBayesModel::from_parts(before)?, report, remarks })
}

/// States that a schema has and another, of the same variables, had not.
pub(crate) fn new_states(before: &Schema, now: &Schema) -> Vec<String> {
    let mut remarks = Vec::new();
    for (id, states) in categorical(now) {
        let known: HashSet<&String> = before.states(id).iter().flat_map(|s| s.names()).collect();
        let new: Vec<&String> = states.names().iter().filter(|name| !known.contains(name)).collect();
        if !new.is_empty() {
            let n_new = if new.len() == 1 { "a new state".into() } else { format!("{} new states", new.len()) };
            remarks.push(format!("`{}` has {n_new}: {}", now.variable(id).name, list(&new)));
        }
    }
    remarks
}

/// States of a schema that may mean the same, of columns that had none such before.
pub(crate) fn alike_states(now: &Schema, before: &[&Schema]) -> Vec<String> {
    let mut remarks = Vec::new();
    for (id, states) in categorical(now).filter(|(id, _)| !matches!(now.variable(*id).role, Role::Ignored(_))) {
        let was_alike = |schema: &&Schema| schema.states(id).is_some_and(|states| states.first_alike().is_some());
        if let Some((first, second)) = states.first_alike().filter(|_| !before.iter().any(was_alike)) {
            let name = &now.variable(id).name;
            remarks.push(format!("`{name}` has the states `{first}` and `{second}`: if they mean the same, write them alike"));
        }
    }
    remarks
}

/// Takes the rows of files back out of a model.
///
/// # Errors
/// When rows are among them that the model never saw, or when counts of words are short because a bound on the vocabulary made the
/// model drop some; then nothing is changed.
pub fn forget(model: &NaiveBayesModel, paths: &[impl AsRef<Path>], read: ReadOptions) -> Result<Changed, Error> {
    not_a_mixture(model)?;
    if let Some(short_by) = model.pruned().iter().map(|pruned| pruned.short_by).find(|short_by| *short_by > 0.0) {
        return Err(Error::unfit(
            format!("words were dropped to keep to --max-vocabulary, and counts of those that came back may be short by {short_by}"),
            "what a row added cannot be told from what is short: learn again without those rows",
        ));
    }
    // Words that were dropped are not there to be taken back; those that are there were counted in full.
    let bound = model.recipe().max_vocabulary.filter(|_| was_pruned(model.pruned()));
    let (mut rows, report, mut remarks) = counted_alike(model, paths, read, UnknownStates::ErrorWhereCounted, bound)?;
    // Rows that do not count were passed over when they were learned, and are now.
    drop_unmet(&mut rows)?;
    let (mut left, rows) = align(model.parts().clone(), rows)?;
    let [without, learned] = [&rows, &left].map(|parts| parts.statistic.n_rows_without_target());
    if count_without(learned, without).is_err() {
        return Err(Error::unfit(
            format!(
                "these rows are not all in the model: {without} of them have no class, and of those that were learned {learned} had none"
            ),
            "name what was learned, as it was named then: of a folder of documents the class is the folder in it that a document lies in",
        ));
    }
    left.statistic.forget(&rows.statistic).map_err(|e: NeverObserved| {
        Error::unfit(format!("these rows are not all in the model: {e}"), "forget only rows that the model has learned, each once")
    })?;
    check_spreads(model, &left)?;
    drop_unmet(&mut left)?;
    stale(&mut left, &[model], &mut remarks);
    approximate(&mut left, &mut remarks);
    Ok(Changed { model: NaiveBayesModel::from_parts(left)?, report, remarks })
}

/// That the variances of what is left are still known: a number that dwarfs the others takes their digits with it.
fn check_spreads(model: &NaiveBayesModel, left: &Stored) -> Result<(), Error> {
    const MOST: f64 = 1e-6;
    for (place, (before, after)) in model.observed().attributes().iter().zip(left.statistic.attributes()).enumerate() {
        let (AttributeStatistic::Moments(before), AttributeStatistic::Moments(after)) = (before, after) else { continue };
        let pooled = after.pooled();
        // How far apart numbers are, or where all that are left are equal, how large.
        let scale = pooled.variance().unwrap_or(0.0).max((1e-3 * pooled.mean).powi(2));
        let is_lost =
            |(all, rest): (&Moments, &Moments)| rest.weight > 1.0 && rest.weight < all.weight && rest.rounding_after(all) > MOST * scale;
        let mut pairs = before.of_class().iter().zip(after.of_class());
        if scale > 0.0 && pairs.any(is_lost) {
            let name = &model.schema().variables()[place].name;
            return Err(Error::unfit(
                format!("the numbers of `{name}` in these rows dwarf those that would be left, whose spread is lost in rounding"),
                "learn again without those rows",
            ));
        }
    }
    Ok(())
}

/// Adds what two models have seen. A prior counts once.
///
/// # Errors
/// When they were not counted alike, or their priors differ and `prior` does not say which to use.
pub fn merge(a: &NaiveBayesModel, b: &NaiveBayesModel, prior: Option<NaiveBayesPrior>) -> Result<Changed, Error> {
    let [kind_a, kind_b] = [a, b].map(NaiveBayesModel::kind);
    if kind_a != kind_b {
        return Err(Error::unfit(format!("one is {kind_a}, the other {kind_b}"), "learn both as models of one kind"));
    }
    not_a_mixture(a)?;
    not_a_mixture(b)?;
    if a.prior() != b.prior() && prior.is_none() {
        return Err(other_priors((a.prior(), a.prior_words()), (b.prior(), b.prior_words())));
    }
    let (mut both, mut other) = align(a.parts().clone(), b.parts().clone())?;
    both.statistic.merge(&other.statistic)?;
    both.unlabelled = match (both.unlabelled.take(), other.unlabelled.take()) {
        (Some(mut mine), Some(theirs)) if mine.lambda == theirs.lambda => {
            mine.statistic.merge(&theirs.statistic)?;
            mine.n_rows += theirs.n_rows;
            Some(mine)
        }
        (Some(_), Some(_)) => {
            return Err(Error::unfit(
                "rows without a class do not count the same in both",
                "learn both with the same --unlabelled-weight, or one model from all rows",
            ));
        }
        (mine, theirs) => mine.or(theirs),
    };
    both.pruned = lost_together(&both.pruned, &other.pruned);
    let bounds = [&both, &other].map(|parts| parts.recipe.max_vocabulary);
    both.recipe.max_vocabulary = bounds.into_iter().flatten().min();
    keep_to_bound(&mut both)?;
    both.prior = prior.unwrap_or(both.prior);
    let mut remarks = vocabulary::remarks(&both);
    remarks.extend(alike_states(&both.schema, &[a.schema(), b.schema()]));
    // Which of two were to stay, and of rows that it never saw?
    both.calibrator = None;
    stale(&mut both, &[a, b], &mut remarks);
    approximate(&mut both, &mut remarks);
    Ok(Changed { model: NaiveBayesModel::from_parts(both)?, report: ReadReport::default(), remarks })
}

/// That two models with these priors, and what a user calls them, are not to be merged as they are.
pub(crate) fn other_priors((a, words_a): (&NaiveBayesPrior, String), (b, words_b): (&NaiveBayesPrior, String)) -> Error {
    // No flag of a merge tells of texts.
    let hint = "learn both with the same flags of texts";
    if a.words != b.words {
        return Error::unfit(format!("they do not choose words alike: {}; and {}", a.words, b.words), hint);
    }
    if a.text != b.text {
        return Error::unfit(format!("words are not the same kind of events in both: {}; and {}", a.text, b.text), hint);
    }
    let what = format!("they have different priors: {words_a}; and {words_b}");
    Error::unfit(what, "say which to use with --estimate, --class-prior and --numeric")
}

/// The components of a class are found by EM from all rows: no row says by itself which it is of, and those of two models are not the same.
fn not_a_mixture(model: &NaiveBayesModel) -> Result<(), Error> {
    if model.mixture().is_none() {
        return Ok(());
    }
    Err(Error::unfit(
        "the classes of the model have several components, which EM found from all rows together: its statistic is not additive",
        "learn again from all rows, with --components",
    ))
}

/// Rows without a class were taken for classes by a model that is no more.
fn approximate(parts: &mut Stored, remarks: &mut Vec<String>) {
    if let Some(unlabelled) = &mut parts.unlabelled {
        unlabelled.history.clear();
        unlabelled.converged = false;
        remarks.push("what rows without a class were taken for is as it was: approximate until they are learned from again".into());
    }
}

/// A calibration was fitted on scores of the statistic before, and is gone where the classes are not those it was fitted for, or two models
/// become one.
fn stale(parts: &mut Stored, before: &[&NaiveBayesModel], remarks: &mut Vec<String>) {
    parts.calibrator_is_stale = parts.calibrator.is_some();
    if parts.calibrator.is_some() {
        remarks.push("the calibration was fitted before this change; learn again to fit it anew".into());
    } else if before.iter().any(|model| model.calibrator().is_some()) {
        remarks.push(match before {
            [_] => "the calibration is dropped: the classes are not those it was fitted for".into(),
            _ => "the calibration is dropped: it was fitted for one of the models alone".into(),
        });
    }
}

/// The statistic of files, counted as the model counts.
fn counted_alike(
    model: &NaiveBayesModel,
    paths: &[impl AsRef<Path>],
    mut read: ReadOptions,
    unknown: UnknownStates,
    bound: Option<usize>,
) -> Result<(Stored, ReadReport, Vec<String>), Error> {
    model.recipe().apply(&mut read);
    read.max_vocabulary = bound;
    let table = Table::open_as(paths, read, model.schema(), unknown, false)?;
    let treatments = model.statistic().treatments();
    let target = model.statistic().target().index();
    let fold = table.fold(|n_states: &[usize]| NaiveBayesStatistic::empty(&treatments, target, n_states))?;
    let mut remarks = table.remarks().to_vec();
    let blind = fold.statistic.n_rows_without_target();
    if blind > 0.0 {
        let rows = if blind == 1.0 { "1 row without a class was".into() } else { format!("{blind} rows without a class were") };
        remarks.push(format!("{rows} left out"));
    }
    let stored = Stored { schema: fold.schema, statistic: fold.statistic, calibrator: None, unlabelled: None, ..model.parts().clone() };
    Ok((stored, fold.report, remarks))
}
