//! Judging a model on rows it was not learned from.

use std::path::{Path, PathBuf};

use belief::{FoldPlan, MaskedRows, Observations, ReadReport, RowPart, Schema};
use data::{ReadOptions, Table, UnknownStates};
use evaluate::Tally;

use crate::counting::{check_texts, count, target_of, weighed, with_given_priors};
use crate::held_out::{blank_tally, judged};
use crate::judge::Judge;
use crate::model::Stored;
use crate::remarks::counted;
use crate::{Classifier, Error, Evaluation, LearnOptions, NaiveBayesModel, NamedCosts, Recipe};

/// How a saved model is judged.
#[derive(Clone, Default)]
pub struct TestOptions {
    /// How to read the files.
    pub read: ReadOptions,
    /// What to do with a value that is no known state.
    pub unknown_states: UnknownStates,
    /// What errors cost; rows are then judged by the class of least expected cost.
    pub costs: Option<NamedCosts>,
}

/// An evaluation with what was met while reading.
pub struct Tested {
    /// The figures.
    pub evaluation: Evaluation,
    /// What the columns are.
    pub schema: Schema,
    /// What was met while reading.
    pub report: ReadReport,
    /// What the user should know.
    pub remarks: Vec<String>,
}

/// Judges a saved model on files that have the target.
///
/// # Errors
/// When the files cannot be read, lack the target, or no row has a class that the model knows; and when costs name no classes.
pub fn test(model: &dyn Classifier, paths: &[impl AsRef<Path>], options: TestOptions) -> Result<Tested, Error> {
    test_as(model, paths, options, "")
}

/// The same, and how good the model was before it was calibrated, if it was.
///
/// # Errors
/// As [`test`].
pub fn test_beside_uncalibrated(
    model: &NaiveBayesModel,
    paths: &[impl AsRef<Path>],
    options: TestOptions,
) -> Result<(Tested, Option<Evaluation>), Error> {
    let uncalibrated = model.calibrator().map(|_| model.uncalibrated()).transpose()?;
    let models: Vec<&dyn Classifier> = std::iter::once(model as &dyn Classifier).chain(uncalibrated.as_ref().map(|m| m as _)).collect();
    let mut tested = test_all(&models, paths, options, "")?;
    let before = (tested.len() > 1).then(|| tested.remove(1).evaluation);
    Ok((tested.remove(0), before))
}

/// The same as [`test`], with words for how the rows were chosen; else they are counted.
pub(crate) fn test_as(model: &dyn Classifier, paths: &[impl AsRef<Path>], options: TestOptions, how: &str) -> Result<Tested, Error> {
    Ok(test_all(&[model], paths, options, how)?.remove(0))
}

/// What each of several models of the same columns and classes makes of the rows of files, which are opened once.
fn test_all(models: &[&dyn Classifier], paths: &[impl AsRef<Path>], options: TestOptions, how: &str) -> Result<Vec<Tested>, Error> {
    let blank = blank_tally(options.costs.as_ref(), models[0].classes())?;
    let tallies = tallies(models, paths, options, blank)?;
    tallies.into_iter().zip(models).map(|((met, tally), model)| tested(*model, met, &tally, how)).collect()
}

fn tested(model: &dyn Classifier, Met { report, remarks }: Met, tally: &Tally, how: &str) -> Result<Tested, Error> {
    let name = model.target();
    let metrics = tally.metrics().ok_or_else(|| match how {
        "" => Error::unfit(format!("no row has a class of `{name}` that the model knows"), "check the target's column"),
        _ => nothing_held_out(),
    })?;
    let target = target_of(model.schema())?;
    let of_target = |counts: &[u64]| counts.get(target).copied().unwrap_or(0);
    let n_judged = report.n_rows - of_target(&report.n_missing) - of_target(&report.n_unknown);
    let how = if how.is_empty() { counted(n_judged, "test row", "test rows") } else { how.into() };
    Ok(Tested { evaluation: Evaluation::new(&how, model.classes(), metrics), schema: model.schema().clone(), report, remarks })
}

/// What was met while rows were judged.
pub(crate) struct Met {
    pub report: ReadReport,
    pub remarks: Vec<String>,
}

/// What a model makes of rows that have the target, added to `blank`.
pub(crate) fn tally(model: &dyn Classifier, paths: &[impl AsRef<Path>], options: TestOptions, blank: Tally) -> Result<(Met, Tally), Error> {
    Ok(tallies(&[model], paths, options, blank)?.remove(0))
}

/// The same of several models that read the same columns.
fn tallies(models: &[&dyn Classifier], paths: &[impl AsRef<Path>], options: TestOptions, blank: Tally) -> Result<Vec<(Met, Tally)>, Error> {
    let TestOptions { mut read, unknown_states, .. } = options;
    let model = models[0];
    model.recipe().apply(&mut read);
    let again = read.clone();
    let table = Table::open_as(paths, read, model.schema(), unknown_states, true)?;
    let (target, name) = (target_of(model.schema())?, model.target());
    if let Some(path) = file_without(name, &table, &again, model.schema()) {
        return Err(Error::unfit(
            format!("{}: there is no column `{name}`, so there is nothing to compare with", path.display()),
            "give rows whose class is known",
        ));
    }
    models.iter().map(|model| tally_of(*model, &table, target, &blank)).collect()
}

fn tally_of(model: &dyn Classifier, table: &Table, target: usize, blank: &Tally) -> Result<(Met, Tally), Error> {
    let scores = |chunk: &belief::Chunk<'_>, out: &mut Vec<f64>| model.ln_posteriors(chunk, out);
    let n_classes = model.classes().len();
    let fold = table.fold(|_: &[usize]| Judge::new(&scores, target, n_classes, blank.clone()))?;
    let mut remarks = table.remarks().to_vec();
    let n_unknown = fold.report.n_unknown.get(target).copied().unwrap_or(0);
    if n_unknown > 0 {
        let rows = counted(
            n_unknown,
            "row has a class that the model does not know, and is",
            "rows have a class that the model does not know, and are",
        );
        remarks.push(format!("{rows} not judged"));
    }
    Ok((Met { report: fold.report, remarks }, fold.statistic.into_verdict()?))
}

/// The first file that has no such column. A table tells the names of its first file only, so the others are opened by themselves;
/// standard input cannot be opened twice, and is looked at only where it is the first.
pub(crate) fn file_without(column: &str, table: &Table, read: &ReadOptions, schema: &Schema) -> Option<PathBuf> {
    let lacks = |table: &Table| !table.column_names().iter().any(|name| read.names.variable(name) == column);
    let alone = |path: &&Path| {
        path.is_file() && Table::open_as(&[path], read.clone(), schema, UnknownStates::Missing, true).is_ok_and(|t| lacks(&t))
    };
    let mut paths = table.paths();
    let first = paths.next()?;
    if lacks(table) { Some(first.into()) } else { paths.find(alone).map(Into::into) }
}

/// How to read the rows that are learned from and those that are held out, and words for it.
pub(crate) fn held_out_part(read: &ReadOptions, seed: u64, share: f64) -> Result<(ReadOptions, ReadOptions, String), Error> {
    let (plan, held) = held_out_plan(seed, share)?;
    let part = |is_within| ReadOptions { part: Some(RowPart { plan, folds: 0..held, is_within }), ..read.clone() };
    let own = ReadOptions { target: None, weight: None, types: Vec::new(), ignore: Vec::new(), schema: None, ..part(true) };
    Ok((part(false), own, format!("{held} % held out, seed {seed}")))
}

/// That no row is left to judge.
pub(crate) fn nothing_held_out() -> Error {
    Error::unfit("no row that can be judged was held out", "give a larger share or more rows")
}

/// The rows in a hundred parts, and how many of these are held out.
pub(crate) fn held_out_plan(seed: u64, share: f64) -> Result<(FoldPlan, usize), Error> {
    const PARTS: usize = 100;
    let held = (share * PARTS as f64).round() as usize;
    let plan = FoldPlan::new(PARTS, seed)
        .filter(|_| (1..PARTS).contains(&held))
        .ok_or_else(|| Error::unfit(format!("{share} is not a share of the rows"), "give a number between 0.01 and 0.99"))?;
    Ok((plan, held))
}

/// Learns on a part of the rows and judges on the rest: every `1/share`th row by a seeded deal is held out.
///
/// # Errors
/// When the data cannot be read or no model can be made of the part.
pub fn hold_out(paths: &[impl AsRef<Path>], options: &LearnOptions, share: f64) -> Result<Tested, Error> {
    let (plan, held) = held_out_plan(options.seed, share)?;
    let table = Table::open(paths, options.read.clone())?;
    check_texts(table.schema(), options)?;
    let options = &with_given_priors(options, &table)?;
    let (table, counted, remarks) = count(table, options)?;
    let report = counted.report.clone();
    let learned_on = MaskedRows { rows: &table, plan, keep: |fold| fold >= held };
    let part = crate::counting::count_once(&learned_on, options)?;
    let part = weighed(&learned_on, part, options)?;
    let parts = Stored {
        schema: part.schema,
        recipe: Recipe::default(),
        prior: options.prior.clone(),
        statistic: part.statistic,
        calibrator: None,
        calibrator_is_stale: false,
        unlabelled: None,
        pruned: Vec::new(),
    };
    let model = NaiveBayesModel::from_parts(parts)?;
    let rest = MaskedRows { rows: &table, plan, keep: |fold| fold < held };
    let scores = |chunk: &belief::Chunk<'_>, out: &mut Vec<f64>| model.ln_posteriors(chunk, out);
    let tally = judged(&rest, &scores, &model, blank_tally(options.costs.as_ref(), model.classes())?)?;
    let metrics = tally.metrics().ok_or_else(nothing_held_out)?;
    let how = format!("{held} % held out, seed {}", options.seed);
    Ok(Tested { evaluation: Evaluation::new(&how, model.classes(), metrics), schema: table.schema().clone(), report, remarks })
}
