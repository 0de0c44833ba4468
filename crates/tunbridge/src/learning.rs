//! From a table to a model: read, count, weigh, judge.

use std::path::Path;
use std::time::Instant;

use belief::{FoldPlan, Kind, MaskedRows, Observations, ReadReport, Role, Schema};
use data::{DataError, ReadOptions, Table};
use evaluate::{Calibrator, Method, ScoreGrid, Tally};
use learn::{Discretisation, EventModel, LeaveOneOut, NaiveBayes, NaiveBayesPrior, NaiveBayesStatistic, Treatment, ValueSample};

use crate::judge::{CalibratedByFold, GridByFold, Judge, Scores};
use crate::model::{Stored, treatments};
use crate::{Error, Evaluation, NaiveBayesModel, Recipe, Timings};

/// What to learn and how; the default is right for most.
///
/// | field | default | meaning |
/// |---|---|---|
/// | `read` | | how to read the table; `read.target` is needed |
/// | `prior` | Laplace 1, Gaussian | what is believed before |
/// | `bins` | none | cut numbers into bins instead |
/// | `threshold` | 0 | where a Bernoulli model cuts numbers in two |
/// | `evaluation` | leave-one-out | how good the model is |
/// | `calibration` | none | mend over-confident probabilities |
/// | `seed` | 1 | which rows go into which fold |
#[derive(Clone)]
pub struct LearnOptions {
    /// How to read the table.
    pub read: ReadOptions,
    /// What is believed before.
    pub prior: NaiveBayesPrior,
    /// How to cut numbers into bins, if at all.
    pub bins: Option<Discretisation>,
    /// Where a Bernoulli model cuts numbers in two.
    pub threshold: f64,
    /// How to judge.
    pub evaluation: EvaluationPlan,
    /// How to calibrate, if at all.
    pub calibration: Option<Method>,
    /// Which rows go into which fold.
    pub seed: u64,
}

impl Default for LearnOptions {
    fn default() -> Self {
        Self {
            read: ReadOptions::default(),
            prior: NaiveBayesPrior::default(),
            bins: None,
            threshold: 0.0,
            evaluation: EvaluationPlan::LeaveOneOut,
            calibration: None,
            seed: 1,
        }
    }
}

/// How a learner is judged on the data it learns from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EvaluationPlan {
    /// Not at all.
    None,
    /// Each row by the model of all others.
    LeaveOneOut,
    /// Each fold by the model of the others.
    Folds(usize),
}

/// A model with what was found out on the way.
pub struct Learned {
    /// The model.
    pub model: NaiveBayesModel,
    /// What was met while reading.
    pub report: ReadReport,
    /// What the user should know.
    pub remarks: Vec<String>,
    /// How good it is, as far as it was asked.
    pub evaluation: Option<Evaluation>,
    /// The same after calibration.
    pub calibrated: Option<Evaluation>,
    /// Where the time went.
    pub timings: Timings,
}

/// Learns a naive Bayes model from files.
///
/// # Errors
/// When the data cannot be read, or no model can be made of them.
pub fn learn(paths: &[impl AsRef<Path>], options: &LearnOptions) -> Result<Learned, Error> {
    let mut timings = Timings::default();
    let start = Instant::now();
    let table = Table::open(paths, options.read.clone())?;
    timings.add("read", start);
    let start = Instant::now();
    let (table, counted, remarks) = count(table, options)?;
    timings.add("learn", start);
    learn_from(table, counted, remarks, options, timings)
}

pub(crate) struct Counted {
    pub schema: Schema,
    pub statistic: NaiveBayesStatistic,
    pub report: ReadReport,
}

/// Counts a table, with cut points first where they are wanted; a column that turns out not to be numeric is read anew.
pub(crate) fn count(mut table: Table, options: &LearnOptions) -> Result<(Table, Counted, Vec<String>), Error> {
    loop {
        check_target(table.schema())?;
        match count_once(&table, options) {
            Err(Error::Data(DataError::Contradiction { place, found, variable })) => {
                let where_ = format!("`{found}` ({}:{})", place.path.display(), place.line);
                table = table.widened(variable, &where_);
            }
            Err(error) => return Err(error),
            Ok(counted) => {
                let remarks = table.remarks().to_vec();
                return Ok((table.with_schema(counted.schema.clone()), counted, remarks));
            }
        }
    }
}

pub(crate) fn count_once<O: Observations<Error = DataError>>(rows: &O, options: &LearnOptions) -> Result<Counted, Error> {
    let target = target_of(rows.schema())?;
    let treatments = plan_treatments(rows, options)?;
    let fold = rows.fold(|n_states: &[usize]| NaiveBayesStatistic::empty(&treatments, target, n_states))?;
    Ok(Counted { schema: fold.schema, statistic: fold.statistic, report: fold.report })
}

fn plan_treatments<O: Observations<Error = DataError>>(rows: &O, options: &LearnOptions) -> Result<Vec<Treatment>, Error> {
    let schema = rows.schema();
    let target = target_of(schema)?;
    if let Some(bins) = &options.bins {
        let is_number = |v: &belief::Variable| v.role == Role::Input && v.kind == Kind::Numeric;
        let places: Vec<usize> = (0..schema.variables().len()).filter(|p| is_number(&schema.variables()[*p])).collect();
        let sample = rows.fold(|n_states: &[usize]| ValueSample::empty(&places, target, n_states[target]))?;
        return Ok(treatments(schema, |place| bins.cuts(&sample.statistic, place)));
    }
    if options.prior.event == EventModel::Bernoulli {
        return Ok(treatments(schema, |_| Some(vec![options.threshold])));
    }
    Ok(treatments(schema, |_| None))
}

fn target_of(schema: &Schema) -> Result<usize, Error> {
    schema.target().map(belief::VarId::index).ok_or(Error::Learn(learn::LearnError::NoTarget))
}

fn check_target(schema: &Schema) -> Result<(), Error> {
    let Some(target) = schema.target() else {
        let names: Vec<&str> = schema.variables().iter().take(20).map(|v| v.name.as_str()).collect();
        return Err(Error::unfit(
            "no target was named",
            format!("name the column to predict with --target; the columns are: {}", names.join(", ")),
        ));
    };
    let target = schema.variable(target);
    match &target.kind {
        Kind::Categorical(_) => Ok(()),
        kind => {
            let name = &target.name;
            Err(Error::unfit(
                format!("the target `{name}` is {}, but naive Bayes predicts states", kind.word()),
                format!("if its values are states, say --types '{name}=category'"),
            ))
        }
    }
}

fn learn_from(
    table: Table,
    counted: Counted,
    mut remarks: Vec<String>,
    options: &LearnOptions,
    mut timings: Timings,
) -> Result<Learned, Error> {
    let Counted { schema, statistic, report } = counted;
    if statistic.n_rows() <= 0.0 {
        let name = schema.target().map(|t| schema.variable(t).name.clone()).unwrap_or_default();
        return Err(Error::unfit(
            format!("the target `{name}` is missing in every row"),
            "choose another target, or check the missing markers",
        ));
    }
    let start = Instant::now();
    let recipe = Recipe {
        missing: options.read.missing.clone(),
        discretisation: options.bins.as_ref().map(ToString::to_string),
        made_from_labels: matches!(options.bins, Some(Discretisation::FayyadIrani)),
    };
    let parts = Stored { schema, recipe, prior: options.prior.clone(), statistic, calibrator: None, calibrator_is_stale: false };
    let mut model = NaiveBayesModel::from_parts(parts)?;
    remarks.extend(model.posterior().remarks().iter().map(ToString::to_string));
    timings.add("learn", start);

    let start = Instant::now();
    let mut evaluation = evaluate_plan(&table, &model, options)?;
    let mut calibrated = None;
    if let Some(method) = options.calibration {
        let (raw, after, calibrator) = calibrate(&table, &model, method, options.seed)?;
        if evaluation.is_none() || options.evaluation == EvaluationPlan::LeaveOneOut {
            evaluation = raw;
        }
        calibrated = after;
        let mut parts = model.parts().clone();
        parts.calibrator = Some(calibrator);
        model = NaiveBayesModel::from_parts(parts)?;
    }
    timings.add("evaluate", start);
    Ok(Learned { model, report, remarks, evaluation, calibrated, timings })
}

fn evaluate_plan(table: &Table, model: &NaiveBayesModel, options: &LearnOptions) -> Result<Option<Evaluation>, Error> {
    Ok(match options.evaluation {
        EvaluationPlan::None => None,
        // The calibration makes the same pass.
        EvaluationPlan::LeaveOneOut if options.calibration.is_some() => None,
        EvaluationPlan::LeaveOneOut => leave_one_out(table, model)?,
        EvaluationPlan::Folds(n_folds) => cross_validate(table, model, n_folds, options)?,
    })
}

/// Judges every row by the model of all other rows, in one pass: the statistic minus the row.
///
/// # Errors
/// When the rows cannot be read again.
pub fn leave_one_out(table: &Table, model: &NaiveBayesModel) -> Result<Option<Evaluation>, Error> {
    let held_out = LeaveOneOut::new(model.schema(), model.statistic(), model.posterior())?;
    let scores = |chunk: &belief::Chunk<'_>, out: &mut Vec<f64>| held_out.ln_joint(chunk, out);
    let tally = judged(table, &scores, model, Tally::new(model.classes().len()))?;
    let how = if model.recipe().made_from_labels { "leave-one-out, given the cut points" } else { "leave-one-out" };
    Ok(tally.metrics().map(|metrics| Evaluation::new(how, model.classes(), metrics)))
}

pub(crate) fn judged<V: crate::judge::Verdict>(
    rows: &impl Observations<Error = DataError>,
    scores: &impl Scores,
    model: &NaiveBayesModel,
    verdict: V,
) -> Result<V, Error> {
    let target = target_of(model.schema())?;
    let fold = rows.fold(|_: &[usize]| Judge::new(scores, target, model.classes().len(), verdict.clone()))?;
    Ok(fold.statistic.verdict)
}

/// Judges each fold by the model of the others. What a learner takes from the data before counting is taken anew in every fold.
fn cross_validate(table: &Table, model: &NaiveBayesModel, n_folds: usize, options: &LearnOptions) -> Result<Option<Evaluation>, Error> {
    let plan = FoldPlan::new(n_folds, options.seed)
        .ok_or_else(|| Error::unfit(format!("{n_folds} folds are too few or too many"), format!("give 2 to {}", FoldPlan::MOST)))?;
    let mut tally = Tally::new(model.classes().len());
    let mut unlearnable = 0;
    for fold in 0..n_folds {
        let others = MaskedRows { rows: table, keep: |row| plan.fold_of(row) != fold };
        let counted = count_once(&others, options)?;
        // A fold may hold all rows of a class; the others may then have too few classes to learn from.
        let Ok(posterior) = NaiveBayes::new(&counted.schema, &counted.statistic, &options.prior) else {
            unlearnable += 1;
            continue;
        };
        let scores = |chunk: &belief::Chunk<'_>, out: &mut Vec<f64>| posterior.ln_joint(chunk, out);
        let own = MaskedRows { rows: table, keep: |row| plan.fold_of(row) == fold };
        let here = judged(&own, &scores, model, Tally::new(model.classes().len()))?;
        tally.merge(&here)?;
    }
    let how = match unlearnable {
        0 => format!("{n_folds} folds, seed {}", options.seed),
        n => format!("{n_folds} folds, seed {}; {n} of them could not be learned without a class's only rows", options.seed),
    };
    Ok(tally.metrics().map(|metrics| Evaluation::new(&how, model.classes(), metrics)))
}

/// Fits a calibration on leave-one-out scores, and judges it on rows it was not fitted on: before, after, and the calibration of
/// all rows.
fn calibrate(
    table: &Table,
    model: &NaiveBayesModel,
    method: Method,
    seed: u64,
) -> Result<(Option<Evaluation>, Option<Evaluation>, Calibrator), Error> {
    const FOLDS: usize = 10;
    let n_classes = model.classes().len();
    let plan = FoldPlan::new(FOLDS, seed).ok_or_else(|| Error::Internal("ten folds are a plan".into()))?;
    let held_out = LeaveOneOut::new(model.schema(), model.statistic(), model.posterior())?;
    let scores = |chunk: &belief::Chunk<'_>, out: &mut Vec<f64>| held_out.ln_joint(chunk, out);
    let blank = GridByFold { plan, grids: vec![ScoreGrid::new(n_classes); FOLDS], raw: Tally::new(n_classes) };
    let scored = judged(table, &scores, model, blank)?;
    let mut all = ScoreGrid::new(n_classes);
    for grid in &scored.grids {
        all.merge(grid)?;
    }
    let too_few = |_| Error::unfit("there are too few rows to calibrate on", "leave --calibrate out");
    let calibrators = scored
        .grids
        .iter()
        .map(|grid| {
            let mut others = all.clone();
            others.forget(grid)?;
            Calibrator::fit(method, &others)
        })
        .collect::<Result<Vec<_>, _>>()
        .map_err(too_few)?;
    let judged_after = judged(table, &scores, model, CalibratedByFold { plan, calibrators: &calibrators, tally: Tally::new(n_classes) })?;
    let evaluation = |how: &str, tally: &Tally| tally.metrics().map(|metrics| Evaluation::new(how, model.classes(), metrics));
    Ok((
        evaluation("leave-one-out", &scored.raw),
        evaluation("leave-one-out, calibrated on the other nine folds", &judged_after.tally),
        Calibrator::fit(method, &all).map_err(too_few)?,
    ))
}
