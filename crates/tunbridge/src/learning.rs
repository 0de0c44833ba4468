//! From a table to a model: read, count, weigh, judge.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use belief::{ByFold, FoldPlan, Kind, MaskedRows, Observations, Pruned, ReadReport, Recode, Role, Schema};
use data::words::Words;
use data::{DataError, MadeColumns, ReadOptions, Table};
use evaluate::{Calibrator, Method, ScoreGrid, Tally};
use learn::{
    AttributeStatistic, Discretisation, Estimate, EventModel, LearnError, LeaveOneOut, MEstimateP, NaiveBayes, NaiveBayesPrior,
    NaiveBayesStatistic, TextEvent, Treatment, ValueSample, WordChoice, WordWeighing,
};

use crate::align::categorical;
use crate::judge::{CalibratedByFold, GridByFold, Judge, Scores};
use crate::model::{Stored, treatments};
use crate::unlabelled::WithUnlabelled;
use crate::vocabulary::was_pruned;
use crate::{Error, Evaluation, FromUnlabelled, NaiveBayesModel, NamedCosts, Recipe, Timings, Unlabelled, widening};

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
/// | `costs` | none | what errors cost, where they are judged by cost |
/// | `seed` | 1 | which rows go into which fold |
/// | `weighing` | once a time | how much each word of a text counts |
/// | `unlabelled` | left out | rows without a class |
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
    /// What errors cost; rows are then judged by the class of least expected cost.
    pub costs: Option<NamedCosts>,
    /// Which rows go into which fold.
    pub seed: u64,
    /// How much each word of a text counts.
    pub weighing: WordWeighing,
    /// How rows without a class are learned from, if at all.
    pub unlabelled: Option<Unlabelled>,
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
            costs: None,
            seed: 1,
            weighing: WordWeighing::default(),
            unlabelled: None,
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

/// With fewer rows a calibration is fitted to chance.
const ENOUGH_TO_CALIBRATE: f64 = 100.0;

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
    /// What a calibration did, if there is one and it was to be judged.
    pub calibrated: Option<Calibrated>,
    /// Where the time went.
    pub timings: Timings,
}

/// How good a model is without and with its calibration, by the same pass over the rows.
pub struct Calibrated {
    /// Without.
    pub before: Evaluation,
    /// With.
    pub after: Evaluation,
}

/// Learns a naive Bayes model from files.
///
/// # Errors
/// When the data cannot be read, or no model can be made of them.
pub fn learn(paths: &[impl AsRef<Path>], options: &LearnOptions) -> Result<Learned, Error> {
    let mut timings = Timings::default();
    let start = Instant::now();
    let table = Table::open(paths, options.read.clone())?;
    check_texts(table.schema(), options)?;
    let options = &with_given_priors(options, &table)?;
    timings.add("read", start);
    let start = Instant::now();
    let (table, counted, mut remarks) = count(table, options)?;
    timings.add("learn", start);
    let Some(plan) = &options.unlabelled else {
        let counted = weighed(&table, counted, options)?;
        return learn_from(&table, counted, None, remarks, options, timings);
    };
    let start = Instant::now();
    let mut counted = counted;
    let mut both = WithUnlabelled::open(table, &mut counted, plan, &options.read)?;
    if !options.weighing.is_plain() {
        let all = both.all(&counted)?;
        counted = weighed_by(&both.table, counted, &all, options)?;
    }
    let unlabelled = both.climb(&counted, options, plan)?;
    remarks.append(&mut both.remarks);
    timings.add("learn", start);
    learn_from(&both.table, counted, Some((unlabelled, &both)), remarks, options, timings)
}

/// The same rows counted with the weights of words that the texts among them give, where weights are wanted. The states and words of
/// the rows must be settled.
pub(crate) fn weighed<O: Observations<Error = DataError>>(rows: &O, counted: Counted, options: &LearnOptions) -> Result<Counted, Error> {
    if options.weighing.is_plain() {
        return Ok(counted);
    }
    let all = counted.statistic.clone();
    weighed_by(rows, counted, &all, options)
}

/// The same, by the weights that `all` texts give.
pub(crate) fn weighed_by<O: Observations<Error = DataError>>(
    rows: &O,
    counted: Counted,
    all: &NaiveBayesStatistic,
    options: &LearnOptions,
) -> Result<Counted, Error> {
    let (n_texts, n_labelled) = (all.n_rows(), counted.statistic.classes());
    let of_column = |(treatment, (all, labelled)): (Treatment, (&AttributeStatistic, &AttributeStatistic))| match (all, labelled) {
        (AttributeStatistic::Words(words), AttributeStatistic::Words(labelled)) => {
            Treatment::Words(Arc::new(options.weighing.weights(words, labelled, n_texts, n_labelled, &options.prior.words)))
        }
        _ => treatment,
    };
    let attributes = all.attributes().iter().zip(counted.statistic.attributes());
    let treatments: Vec<Treatment> = counted.statistic.treatments().into_iter().zip(attributes).map(of_column).collect();
    let target = target_of(rows.schema())?;
    let fold = rows.fold(|n_states: &[usize]| NaiveBayesStatistic::empty(&treatments, target, n_states))?;
    Ok(Counted { schema: fold.schema, statistic: fold.statistic, ..counted })
}

/// Choices about words are for texts.
pub(crate) fn check_texts(schema: &Schema, options: &LearnOptions) -> Result<(), Error> {
    let has_texts = schema.variables().iter().any(|v| v.role == Role::Input && matches!(v.kind, Kind::Text(_)));
    let prior = NaiveBayesPrior { text: options.prior.text, words: options.prior.words.clone(), ..NaiveBayesPrior::default() };
    // A Bernoulli model of a table is one of its texts too, if there are any.
    let of_table = options.prior.event == EventModel::Bernoulli && prior.words == WordChoice::default();
    if options.prior.text == TextEvent::DirichletCompound && !options.weighing.is_plain() {
        return Err(Error::unfit(
            "a Dirichlet-compound counts how often words are repeated, and takes no weights of them",
            "leave --weigh-words out, or choose another --text-model",
        ));
    }
    if options.prior.text == TextEvent::Bernoulli && !options.weighing.is_plain() {
        return Err(Error::unfit(
            "a Bernoulli model asks of a word whether it is there, and takes no weights of it",
            "leave --weigh-words out, or choose another --text-model",
        ));
    }
    if options.read.max_vocabulary.is_some() && (options.prior.text == TextEvent::DirichletCompound || options.unlabelled.is_some()) {
        return Err(Error::unfit(
            "words cannot be dropped where lengths of texts are counted with them, or where other texts are still to be read",
            "leave --max-vocabulary out, or --unlabelled and --text-model dirichlet-compound",
        ));
    }
    let has_components = options.unlabelled.as_ref().is_some_and(|plan| plan.components.is_some());
    if has_components && options.calibration.is_some() {
        return Err(Error::unfit(
            "a calibration is fitted by leave-one-out, which classes of several components do not have",
            "leave --calibrate or --components out",
        ));
    }
    let plain = options.read.words == Words::default() && options.weighing.is_plain() && options.read.max_vocabulary.is_none();
    if has_texts || plain && (of_table || prior == NaiveBayesPrior::default()) {
        return Ok(());
    }
    Err(Error::unfit("choices about words are made, but no column is a text", "name the column of texts with --text, or leave them out"))
}

/// The options with the probabilities that the data's sidecar gives for the m-estimate, if it asks for given ones and has none.
pub(crate) fn with_given_priors(options: &LearnOptions, table: &Table) -> Result<LearnOptions, Error> {
    let mut options = options.clone();
    if let Estimate::MEstimate { p: MEstimateP::Given(given), .. } = &mut options.prior.estimate
        && given.is_empty()
    {
        given.clone_from(table.state_priors());
        if given.is_empty() {
            return Err(Error::unfit(
                "the m-estimate asks for given probabilities, but none are given",
                "give them in the schema file beside the data, as in prior = { Sunny = 0.5, Rain = 0.5 } under a column",
            ));
        }
    }
    Ok(options)
}

pub(crate) struct Counted {
    pub schema: Schema,
    pub statistic: NaiveBayesStatistic,
    pub report: ReadReport,
    /// What the user should know.
    pub remarks: Vec<String>,
}

/// Counts a table, with cut points first where they are wanted; a column that turns out not to be numeric is read anew.
pub(crate) fn count(table: Table, options: &LearnOptions) -> Result<(Table, Counted, Vec<String>), Error> {
    let (table, counted) = widening(table, |table| {
        check_target(table.schema())?;
        count_once(table, options)
    })?;
    let remarks = [table.remarks(), &counted.remarks].concat();
    let table = table.with_schema(counted.schema.clone());
    let counted = if was_pruned(&counted.report.pruned) { counted_again(counted, &table, options)? } else { counted };
    Ok((table, counted, remarks))
}

/// Counts the words that were kept once more, so that none of their counts is short.
fn counted_again(mut first: Counted, table: &Table, options: &LearnOptions) -> Result<Counted, Error> {
    let again = count_once(table, options)?;
    let total = |counted: &Counted, place: usize| counted.statistic.times_met(place).map_or(0.0, |times| times.iter().sum());
    for place in 0..first.report.pruned.len() {
        let came_back: f64 = total(&again, place) - total(&first, place);
        let pruned = &mut first.report.pruned[place];
        *pruned = Pruned { times: pruned.times - came_back, short_by: 0.0, ..*pruned };
    }
    Ok(Counted { statistic: again.statistic, ..first })
}

pub(crate) fn count_once<O: Observations<Error = DataError>>(rows: &O, options: &LearnOptions) -> Result<Counted, Error> {
    let target = target_of(rows.schema())?;
    let (treatments, remarks) = plan_treatments(rows, options)?;
    let fold = rows.fold(|n_states: &[usize]| NaiveBayesStatistic::empty(&treatments, target, n_states))?;
    Ok(Counted { schema: fold.schema, statistic: fold.statistic, report: fold.report, remarks })
}

/// How each column is to be summed up, and what the user should know of it.
pub(crate) fn plan_treatments<O: Observations<Error = DataError>>(
    rows: &O,
    options: &LearnOptions,
) -> Result<(Vec<Treatment>, Vec<String>), Error> {
    let (schema, text) = (rows.schema(), options.prior.text);
    let target = target_of(schema)?;
    if let Some(bins) = &options.bins {
        let is_number = |v: &belief::Variable| v.role == Role::Input && v.kind == Kind::Numeric;
        let places: Vec<usize> = (0..schema.variables().len()).filter(|p| is_number(&schema.variables()[*p])).collect();
        let sample = rows.fold(|n_states: &[usize]| ValueSample::empty(&places, target, n_states[target]))?;
        let sample = sample.statistic;
        let mut remarks = Vec::new();
        if !sample.is_whole() {
            remarks.push(format!("the cut points come from a sample of {} of the {} rows", sample.capacity(), sample.n_observed()));
        }
        return Ok((treatments(schema, text, |place| bins.cuts(&sample, place)), remarks));
    }
    if options.prior.event == EventModel::Bernoulli {
        return Ok((treatments(schema, text, |_| Some(vec![options.threshold])), Vec::new()));
    }
    Ok((treatments(schema, text, |_| None), Vec::new()))
}

pub(crate) fn target_of(schema: &Schema) -> Result<usize, Error> {
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

/// That there are rows to learn from.
pub(crate) fn check_rows(counted: &Counted) -> Result<(), Error> {
    let Counted { schema, statistic, report, .. } = counted;
    if report.n_rows == 0 && report.n_skipped > 0 {
        let first = report.first_skipped.as_deref().unwrap_or_default();
        return Err(Error::unfit(
            format!("all {} rows are malformed, the first at {first}", report.n_skipped),
            "check the header and the delimiter; --header and --delimiter say what they are",
        ));
    }
    if statistic.n_rows() <= 0.0 {
        let name = schema.target().map(|t| schema.variable(t).name.clone()).unwrap_or_default();
        let of_documents = schema.variables().iter().map(|v| v.name.as_str()).eq(data::DOCUMENT_COLUMNS);
        let hint = if of_documents {
            "documents have their class from the folder they are in: name the one above it, or say how deep it is with --class-depth; \
             of lines and messages the file's name is the class, and standard input has none"
        } else {
            "choose another target, or check the missing markers"
        };
        return Err(Error::unfit(format!("the target `{name}` is missing in every row"), hint));
    }
    Ok(())
}

/// How the rows were read and seen.
pub(crate) fn recipe_of(table: &Table, options: &LearnOptions) -> Recipe {
    Recipe {
        missing: table.missing_markers().to_vec(),
        words: options.read.words.clone(),
        weighing: options.weighing,
        max_vocabulary: options.read.max_vocabulary,
        labels: None,
        made: MadeColumns::default(),
        names: options.read.names.clone(),
        discretisation: options.bins.as_ref().map(ToString::to_string),
        made_from_labels: matches!(options.bins, Some(Discretisation::FayyadIrani)),
    }
}

/// What the user should know of a model that was just learned.
pub(crate) fn remarks_of(model: &NaiveBayesModel) -> Vec<String> {
    let mut remarks = crate::remarks::of_model(model.posterior().remarks());
    remarks.extend(crate::vocabulary::remarks(model.parts()));
    for (id, states) in categorical(model.schema()).filter(|(_, states)| (1..states.len()).contains(&states.n_declared())) {
        let beyond = crate::remarks::list(&states.names()[states.n_declared()..]);
        remarks.push(format!("`{}` has states that were not declared: {beyond}", model.schema().variable(id).name));
    }
    if model.statistic().attributes().iter().all(|a| matches!(a, AttributeStatistic::Absent)) {
        remarks.push("no column is left to learn from: the model knows how frequent the classes are, and nothing else".into());
    }
    remarks
}

fn learn_from(
    table: &Table,
    counted: Counted,
    unlabelled: Option<(FromUnlabelled, &WithUnlabelled)>,
    mut remarks: Vec<String>,
    options: &LearnOptions,
    mut timings: Timings,
) -> Result<Learned, Error> {
    check_rows(&counted)?;
    let Counted { schema, statistic, report, .. } = counted;
    let start = Instant::now();
    let recipe = recipe_of(table, options);
    let (unlabelled, rows) = unlabelled.unzip();
    let parts = Stored {
        schema,
        recipe,
        prior: options.prior.clone(),
        statistic,
        calibrator: None,
        calibrator_is_stale: false,
        unlabelled,
        pruned: report.pruned.clone(),
    };
    let mut model = NaiveBayesModel::from_parts(parts)?;
    remarks.extend(remarks_of(&model));
    timings.add("learn", start);

    let start = Instant::now();
    // Costs that are none are refused even where nothing is judged.
    blank_tally(options.costs.as_ref(), model.classes())?;
    let mut evaluation = evaluate_plan(table, &model, options, rows)?;
    let mut calibrated = None;
    if let Some(method) = options.calibration {
        let (before, after, calibrator) = calibrate(table, &model, method, options)?;
        if options.evaluation == EvaluationPlan::LeaveOneOut {
            evaluation.clone_from(&before);
        }
        if options.evaluation != EvaluationPlan::None {
            calibrated = before.zip(after).map(|(before, after)| Calibrated { before, after });
        }
        if model.statistic().n_rows() < ENOUGH_TO_CALIBRATE {
            remarks.push(format!("a calibration fitted on fewer than {ENOUGH_TO_CALIBRATE} rows often does more harm than good"));
        }
        let mut parts = model.parts().clone();
        parts.calibrator = Some(calibrator);
        model = NaiveBayesModel::from_parts(parts)?;
    }
    timings.add("evaluate", start);
    Ok(Learned { model, report, remarks, evaluation, calibrated, timings })
}

fn evaluate_plan(
    table: &Table,
    model: &NaiveBayesModel,
    options: &LearnOptions,
    unlabelled: Option<&WithUnlabelled>,
) -> Result<Option<Evaluation>, Error> {
    // The parameters of a Dirichlet-compound are sought step by step: one text cannot be taken out of them.
    let has_bursts = |t: &Treatment| matches!(t, Treatment::Words(weights) if weights.bursts);
    let bursts = model.prior().text == TextEvent::DirichletCompound && model.observed().treatments().iter().any(has_bursts);
    // And the components of a class are found by EM.
    let by_folds = bursts || model.mixture().is_some();
    Ok(match options.evaluation {
        EvaluationPlan::LeaveOneOut if by_folds && options.calibration.is_none() => cross_validate(table, model, 10, options, unlabelled)?,
        EvaluationPlan::None => None,
        // The calibration makes the same pass.
        EvaluationPlan::LeaveOneOut if options.calibration.is_some() => None,
        EvaluationPlan::LeaveOneOut => leave_one_out(table, model, options.costs.as_ref())?,
        EvaluationPlan::Folds(n_folds) => cross_validate(table, model, n_folds, options, unlabelled)?,
    })
}

/// Nothing judged yet, by cost or by probability.
pub(crate) fn blank_tally(costs: Option<&NamedCosts>, classes: &[String]) -> Result<Tally, Error> {
    Ok(match costs {
        Some(costs) => Tally::with_costs(costs.resolve(classes)?),
        None => Tally::new(classes.len()),
    })
}

/// Judges every row by the model of all other rows, in one pass: the statistic minus the row.
///
/// # Errors
/// When the rows cannot be read again, costs name no classes, or classes have several components.
pub fn leave_one_out(table: &Table, model: &NaiveBayesModel, costs: Option<&NamedCosts>) -> Result<Option<Evaluation>, Error> {
    if model.mixture().is_some() {
        return Err(Error::unfit(
            "classes of several components have no leave-one-out: EM finds the components from all rows",
            "judge by folds, as in --evaluate folds:10",
        ));
    }
    let held_out = LeaveOneOut::new(model.schema(), model.statistic(), model.posterior())?;
    let scores = |chunk: &belief::Chunk<'_>, out: &mut Vec<f64>| held_out.ln_joint(chunk, out);
    let tally = judged(table, &scores, model, blank_tally(costs, model.classes())?)?;
    Ok(tally.metrics().map(|metrics| Evaluation::new(leave_one_out_words(model), model.classes(), metrics)))
}

pub(crate) fn leave_one_out_words(model: &NaiveBayesModel) -> &'static str {
    let has_weights = |t: &Treatment| matches!(t, Treatment::Words(weights) if weights.of_word.is_some());
    if model.unlabelled().is_some() {
        "leave-one-out, given what rows without a class were taken for"
    } else if model.recipe().made_from_labels {
        "leave-one-out, given the cut points"
    } else if model.observed().treatments().iter().any(has_weights) {
        "leave-one-out, given the weights of words"
    } else if model.prior().words.most_informative.is_some() {
        "leave-one-out, given the words that were chosen by the classes; --evaluate folds:10 chooses them anew"
    } else {
        "leave-one-out"
    }
}

pub(crate) fn judged<V: crate::judge::Verdict>(
    rows: &impl Observations<Error = DataError>,
    scores: &impl Scores,
    model: &NaiveBayesModel,
    verdict: V,
) -> Result<V, Error> {
    let target = target_of(model.schema())?;
    let fold = rows.fold(|_: &[usize]| Judge::new(scores, target, model.classes().len(), verdict.clone()))?;
    Ok(fold.statistic.into_verdict()?)
}

/// Judges each fold by the model of the others. What a learner takes from the data before counting is taken anew in every fold.
fn cross_validate(
    table: &Table,
    model: &NaiveBayesModel,
    n_folds: usize,
    options: &LearnOptions,
    unlabelled: Option<&WithUnlabelled>,
) -> Result<Option<Evaluation>, Error> {
    let plan = FoldPlan::new(n_folds, options.seed)
        .ok_or_else(|| Error::unfit(format!("{n_folds} folds are too few or too many"), format!("give 2 to {}", FoldPlan::MOST)))?;
    let (tally, n_of_one_class) = match options.bins {
        _ if let Some(rows) = unlabelled => (rows.cross_validate(model, options, plan)?, 0),
        None if options.weighing.is_plain() => in_two_passes(table, model, plan, options)?,
        _ => by_relearning(table, model, plan, options)?,
    };
    let how = match n_of_one_class {
        0 => format!("{n_folds} folds, seed {}", options.seed),
        n => {
            format!("{n_folds} folds, seed {}; {n} of them hold all rows but those of one class, which the others then name", options.seed)
        }
    };
    Ok(tally.metrics().map(|metrics| Evaluation::new(&how, model.classes(), metrics)))
}

/// What the rows outside a fold make of the rows in it.
enum Others {
    Model(Box<NaiveBayes>),
    /// They have one class only, and are sure of it: zero for it and −∞ for the others.
    OneClass(Vec<f64>),
    /// There are none.
    Nothing,
}

impl Others {
    fn new(schema: &Schema, statistic: &NaiveBayesStatistic, prior: &NaiveBayesPrior) -> Result<Self, Error> {
        match NaiveBayes::new(schema, statistic, prior) {
            Ok(posterior) => Ok(Others::Model(Box::new(posterior))),
            Err(LearnError::TooFewClasses { present, .. }) if present.is_empty() => Ok(Others::Nothing),
            Err(LearnError::TooFewClasses { .. }) => {
                let ln = |weight: &f64| if *weight > 0.0 { 0.0 } else { f64::NEG_INFINITY };
                Ok(Others::OneClass(statistic.classes().iter().map(ln).collect()))
            }
            Err(error) => Err(error.into()),
        }
    }

    /// As [`NaiveBayes::ln_joint`]; NaN throughout where there is nothing to judge by, and the rows are then not judged.
    fn ln_joint(&self, chunk: &belief::Chunk<'_>, n_classes: usize, out: &mut Vec<f64>) -> Result<(), belief::ShapeMismatch> {
        match self {
            Others::Model(posterior) => posterior.ln_joint(chunk, out)?,
            Others::OneClass(ln) => *out = ln.repeat(chunk.n_rows),
            Others::Nothing => *out = vec![f64::NAN; chunk.n_rows * n_classes],
        }
        Ok(())
    }

    fn is_of_one_class(&self) -> bool {
        matches!(self, Others::OneClass(_))
    }
}

/// All folds in two passes: one statistic per fold, and each fold's model from the sum of the others.
fn in_two_passes(table: &Table, model: &NaiveBayesModel, plan: FoldPlan, options: &LearnOptions) -> Result<(Tally, usize), Error> {
    let target = target_of(table.schema())?;
    let (treatments, _) = plan_treatments(table, options)?;
    let fold = table.fold(|n_states: &[usize]| ByFold::empty(plan, &NaiveBayesStatistic::empty(&treatments, target, n_states)))?;
    let statistics = fold.statistic.others()?;
    let others = statistics.iter().map(|s| Others::new(&fold.schema, s, &options.prior)).collect::<Result<Vec<_>, _>>()?;
    let n_classes = model.classes().len();
    let scores = |chunk: &belief::Chunk<'_>, out: &mut Vec<f64>| {
        out.clear();
        out.resize(chunk.n_rows * n_classes, f64::NAN);
        let mut of_fold = Vec::new();
        for (others, places) in others.iter().zip(plan.places(chunk.first_row, chunk.n_rows)) {
            chunk.select(&places).lend(chunk.first_row, |rows| others.ln_joint(&rows, n_classes, &mut of_fold))?;
            for (row, place) in of_fold.chunks_exact(n_classes).zip(&places) {
                out[*place as usize * n_classes..][..n_classes].copy_from_slice(row);
            }
        }
        Ok(())
    };
    let tally = judged(table, &scores, model, blank_tally(options.costs.as_ref(), model.classes())?)?;
    Ok((tally, others.iter().filter(|others| others.is_of_one_class()).count()))
}

/// Each fold learned anew without its rows, cut points included.
fn by_relearning(table: &Table, model: &NaiveBayesModel, plan: FoldPlan, options: &LearnOptions) -> Result<(Tally, usize), Error> {
    let n_classes = model.classes().len();
    let blank = blank_tally(options.costs.as_ref(), model.classes())?;
    let mut tally = blank.clone();
    let mut n_of_one_class = 0;
    for fold in 0..plan.n_folds() {
        let rest = MaskedRows { rows: table, plan, keep: |of_row| of_row != fold };
        let counted = weighed(&rest, count_once(&rest, options)?, options)?;
        let others = Others::new(&counted.schema, &counted.statistic, &options.prior)?;
        n_of_one_class += usize::from(others.is_of_one_class());
        let scores = |chunk: &belief::Chunk<'_>, out: &mut Vec<f64>| others.ln_joint(chunk, n_classes, out);
        let own = MaskedRows { rows: table, plan, keep: |of_row| of_row == fold };
        tally.merge(&judged(&own, &scores, model, blank.clone())?)?;
    }
    Ok((tally, n_of_one_class))
}

/// Fits a calibration on leave-one-out scores, and judges it on rows it was not fitted on: before, after, and the calibration of
/// all rows.
fn calibrate(
    table: &Table,
    model: &NaiveBayesModel,
    method: Method,
    options: &LearnOptions,
) -> Result<(Option<Evaluation>, Option<Evaluation>, Calibrator), Error> {
    const FOLDS: usize = 10;
    let n_classes = model.classes().len();
    let plan = FoldPlan::new(FOLDS, options.seed).ok_or_else(|| Error::Internal("ten folds are a plan".into()))?;
    let held_out = LeaveOneOut::new(model.schema(), model.statistic(), model.posterior())?;
    let scores = |chunk: &belief::Chunk<'_>, out: &mut Vec<f64>| held_out.ln_joint(chunk, out);
    let tally = blank_tally(options.costs.as_ref(), model.classes())?;
    let blank = GridByFold { plan, grids: vec![ScoreGrid::new(n_classes); FOLDS], raw: tally.clone() };
    let scored = judged(table, &scores, model, blank)?;
    let mut all = ScoreGrid::new(n_classes);
    for grid in &scored.grids {
        all.merge(grid)?;
    }
    let too_few = |_| Error::unfit("there are too few rows to calibrate on", "leave --calibrate out");
    let mut calibrators = Vec::with_capacity(FOLDS);
    for fold in 0..FOLDS {
        let mut others = ScoreGrid::new(n_classes);
        for grid in scored.grids.iter().enumerate().filter(|(nth, _)| *nth != fold).map(|(_, grid)| grid) {
            others.merge(grid)?;
        }
        calibrators.push(Calibrator::fit(method, &others).map_err(too_few)?);
    }
    let judged_after = judged(table, &scores, model, CalibratedByFold { plan, calibrators: &calibrators, tally })?;
    let how = leave_one_out_words(model);
    let evaluation = |how: &str, tally: &Tally| tally.metrics().map(|metrics| Evaluation::new(how, model.classes(), metrics));
    Ok((
        evaluation(how, &scored.raw),
        evaluation(&format!("{how}, calibrated on the other nine folds"), &judged_after.tally),
        Calibrator::fit(method, &all).map_err(too_few)?,
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Mitchell 1997, equation 6.22: (n_c + m·p)/(n + m), with p as the schema file gives it.
    #[test]
    fn the_m_estimate_takes_its_p_from_the_schema_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.csv");
        std::fs::write(&path, "Wind,Play\nStrong,No\nWeak,No\nWeak,Yes\nWeak,Yes\nStrong,Yes\n").unwrap();
        let mut options = LearnOptions { evaluation: EvaluationPlan::None, ..LearnOptions::default() };
        options.read.target = Some("Play".into());
        options.prior.estimate = "m:2:given".parse().unwrap();
        assert!(learn(&[&path], &options).err().unwrap().to_string().contains("none are given"));
        let schema = "missing = [\"n.a.\"]\n[columns.Wind]\nprior = { Strong = 0.75, Weak = 0.25 }\n";
        std::fs::write(folder.path().join("t.schema.toml"), schema).unwrap();
        let learned = learn(&[&path], &options).unwrap();
        let windy = crate::Case::parse(learned.model.schema(), &["Wind=Strong".into()]).unwrap();
        let p = windy.lend(|row| learned.model.posterior().contributions(row, 0)).unwrap()[0].clone().unwrap();
        assert!((p[0].exp() - (1.0 + 2.0 * 0.75) / (2.0 + 2.0)).abs() < 1e-15);
        assert!((p[1].exp() - (1.0 + 2.0 * 0.75) / (3.0 + 2.0)).abs() < 1e-15);
        // The schema file's missing markers go into the model, so that later rows are read alike.
        assert_eq!(learned.model.recipe().missing, ["n.a."]);
    }

    #[test]
    fn cut_points_from_a_sample_are_told_of() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.csv");
        let mut options =
            LearnOptions { evaluation: EvaluationPlan::None, bins: Some(Discretisation::FayyadIrani), ..LearnOptions::default() };
        options.read.target = Some("y".into());
        let remarks = |n_rows: usize| {
            let rows: String = (0..n_rows).map(|row| format!("{}.5,{}\n", row % 7, ["p", "q"][row % 2])).collect();
            std::fs::write(&path, format!("x,y\n{rows}")).unwrap();
            learn(&[&path], &options).unwrap().remarks
        };
        let most = ValueSample::MOST_ROWS;
        let told = format!("the cut points come from a sample of {most} of the {} rows", most + 1);
        assert!(remarks(most + 1).contains(&told));
        assert!(!remarks(1000).iter().any(|remark| remark.contains("sample")));
    }

    /// The sum of the other folds' statistics makes the model that is learned from the other rows.
    #[test]
    fn folds_in_two_passes_are_folds_by_relearning() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        for (file, target) in [("examples/play_tennis.csv", "PlayTennis"), ("testdata/iris/iris_train.csv", "species")] {
            let mut options = LearnOptions { evaluation: EvaluationPlan::None, ..LearnOptions::default() };
            options.read.target = Some(target.into());
            let table = Table::open(&[root.join(file)], options.read.clone()).unwrap();
            let (table, counted, remarks) = count(table, &options).unwrap();
            let learned = learn_from(
                &Table::open(&[root.join(file)], options.read.clone()).unwrap().with_schema(counted.schema.clone()),
                counted,
                None,
                remarks,
                &options,
                Timings::default(),
            )
            .unwrap();
            for (n_folds, seed) in [(2, 1), (7, 1), (7, 5)] {
                let plan = FoldPlan::new(n_folds, seed).unwrap();
                let (a, _) = in_two_passes(&table, &learned.model, plan, &options).unwrap();
                let (b, _) = by_relearning(&table, &learned.model, plan, &options).unwrap();
                let (a, b) = (a.metrics().unwrap(), b.metrics().unwrap());
                assert_eq!((a.rows, a.accuracy, &a.confusion), (b.rows, b.accuracy, &b.confusion));
                // Moments are summed in another order.
                assert!((a.log_loss.unwrap() - b.log_loss.unwrap()).abs() < 1e-9);
                assert!((a.brier - b.brier).abs() < 1e-9);
            }
        }
    }
}
