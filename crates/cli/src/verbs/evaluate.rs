//! `evaluate`: how good a saved model is on other rows, or a learner on its own.

use std::time::Instant;

use tunbridge::aode::{self, AodeOptions};
use tunbridge::belief::{ReadReport, Schema};
use tunbridge::data::{ReadOptions, UnknownStates};
use tunbridge::labels::{self, LabelEvaluation, TestedLabels};
use tunbridge::learners::LearnError;
use tunbridge::network::NetworkOptions;
use tunbridge::{
    Calibrated, Error, Evaluation, EvaluationPlan, LearnOptions, Model, TestOptions, Tested, Timings, hold_out, learn, model_file, test,
    test_beside_uncalibrated,
};

use super::learn::method;
use super::network::graph::Graph;
use super::{load, no_trace, print, print_json, unknown_kind};
use crate::args::{Common, EvaluateArgs, by_folds, refuse};
use crate::costs::costs;
use crate::learner_args::ModelKind;
use crate::progress::{self, remark};
use crate::read_args::UnknownArg;
use crate::report;
use crate::structure_args::NetworkArgs;
use crate::{Failure, json};

pub fn run(args: &EvaluateArgs, common: &Common, timings: &mut Timings) -> Result<(), Failure> {
    no_trace(common)?;
    let as_json = common.json()?;
    let found = {
        let mut read = args.read.options(common);
        let _bar = progress::show(&mut read, common);
        // What is called a model is to be one.
        let is_model = args.inputs[0].extension().is_some_and(|e| e == "tb") || model_file::is_model(&args.inputs[0]);
        if is_model { saved(args, read, timings)? } else { learner(args, read, common, timings)? }
    };
    found.remarks.iter().for_each(|text| remark(common, text));
    let evaluation = match &found.figures {
        Figures::Classes(evaluation) => evaluation,
        Figures::Labels(evaluation) if as_json => {
            let mut value = json::label_evaluation(evaluation);
            value["skipped"] = found.n_skipped.into();
            value["remarks"] = found.remarks.into();
            return print_json(&value);
        }
        Figures::Labels(evaluation) => {
            return print(&format!("How good it is ({})\n{}", evaluation.how, report::label_evaluation(evaluation, usize::MAX)));
        }
    };
    if as_json {
        let mut value = json::evaluation(evaluation);
        if let Some(Calibrated { before, after }) = &found.calibrated {
            value["uncalibrated"] = json::evaluation(before);
            value["calibrated"] = json::evaluation(after);
        }
        value["skipped"] = found.n_skipped.into();
        value["remarks"] = found.remarks.into();
        return print_json(&value);
    }
    // Rows of a test file are judged by the calibrated model; what it was before comes first.
    let before = found.calibrated.as_ref().filter(|calibrated| calibrated.after.how == evaluation.how).map(|calibrated| &calibrated.before);
    let evaluation = before.unwrap_or(evaluation);
    let mut text = format!("How good it is ({})\n{}", evaluation.how, report::evaluation(evaluation));
    text.push_str(&format!("\nWhat was taken for what\n{}", report::confusion(evaluation)));
    match &found.calibrated {
        Some(Calibrated { before, after }) => {
            text.push_str(&format!("\nCalibrated ({})\n{}", after.how, report::evaluation(after)));
            text.push_str(&format!("\nReliability ({}), before and after calibration\n", before.how));
            text.push_str(&report::reliability(before, Some(after)));
        }
        None => text.push_str(&format!("\nReliability\n{}", report::reliability(evaluation, None))),
    }
    print(&text)
}

/// Of one class a row, or of labels.
enum Figures {
    Classes(Evaluation),
    Labels(LabelEvaluation),
}

struct Found {
    figures: Figures,
    calibrated: Option<Calibrated>,
    /// Malformed rows, of all files that were read.
    n_skipped: u64,
    remarks: Vec<String>,
}

impl Found {
    fn of(tested: Tested) -> Self {
        let mut found = Self::new(Figures::Classes(tested.evaluation));
        found.judged(&tested.report, tested.remarks, &tested.schema);
        found
    }

    fn of_labels(tested: TestedLabels) -> Self {
        let mut found = Self::new(Figures::Labels(tested.evaluation));
        found.judged(&tested.report, tested.remarks, &tested.schema);
        found
    }

    fn new(figures: Figures) -> Self {
        Self { figures, calibrated: None, n_skipped: 0, remarks: Vec::new() }
    }

    /// What was met in rows that were judged.
    fn judged(&mut self, report: &ReadReport, remarks: Vec<String>, schema: &Schema) {
        self.met(report, remarks, schema);
        self.remarks.extend(report::without_target(report, schema, "not judged"));
    }

    /// What was met in rows that were learned from, and judged too where there is no test file. Some learners use rows without a class.
    fn learned(&mut self, args: &EvaluateArgs, uses_all: bool, report: &ReadReport, remarks: Vec<String>, schema: &Schema) {
        if args.test.is_empty() {
            return self.judged(report, remarks, schema);
        }
        self.met(report, remarks, schema);
        self.remarks.extend(report::without_target(report, schema, "left out").filter(|_| !uses_all));
    }

    /// What was met in files that were read.
    fn met(&mut self, report: &ReadReport, remarks: Vec<String>, schema: &Schema) {
        self.n_skipped += report.n_skipped;
        self.remarks.extend(remarks);
        self.remarks.extend(report::remarks(report, schema));
    }
}

/// A saved model on rows it was not learned from.
fn saved(args: &EvaluateArgs, read: ReadOptions, timings: &mut Timings) -> Result<Found, Failure> {
    let (columns, prior) = (&args.columns, &args.learner.prior);
    let of_a_learner = [
        ("--model", args.learner.model.is_some()),
        ("--threshold", args.learner.threshold.is_some()),
        ("--target", args.target.is_some()),
        ("--labels", args.learner.labels.is_some()),
        ("--structure", args.structure.structure.is_some()),
        ("--folds", args.folds.is_some()),
        ("--holdout", args.holdout.is_some()),
        ("--types", !columns.types.is_empty()),
        ("--ignore", !columns.ignore.is_empty()),
        ("--weight", columns.weight.is_some()),
        ("--schema", columns.schema.is_some()),
        ("--calibrate", method(args.calibrate).is_some()),
    ];
    let (text, unlabelled, structure) = (args.learner.text.given(), args.learner.unlabelled.given(), args.structure.given());
    refuse(
        &[&of_a_learner[..], &prior.given(), &text, &unlabelled, &structure].concat(),
        "goes with data alone: a saved model is judged as it is",
    )?;
    let model = load(&args.inputs[0], timings)?;
    let data: Vec<_> = args.inputs[1..].iter().chain(&args.test).collect();
    if data.is_empty() {
        return Err(Failure::Usage("name the data to judge the model on, behind the model".into()));
    }
    let start = Instant::now();
    let options = TestOptions { read, unknown_states: unknown_states(args), costs: costs(&args.costs)? };
    let found = match &model {
        Model::NaiveBayes(model) => Found::of(test(model.as_ref(), &data, options)?),
        Model::Average(model) => Found::of(test(model.as_ref(), &data, options)?),
        Model::Network(model) => Found::of(test(&model.classifier(super::network::MEMORY)?, &data, options)?),
        Model::Aode(model) => Found::of(test(model.as_ref(), &data, options)?),
        Model::Labels(model) => Found::of_labels(labels::test(model, &data, options)?),
        other => return Err(unknown_kind(other)),
    };
    timings.add("evaluate", start);
    Ok(found)
}

/// A learner on the rows given.
fn learner(args: &EvaluateArgs, mut read: ReadOptions, common: &Common, timings: &mut Timings) -> Result<Found, Failure> {
    let start = Instant::now();
    if args.test.is_empty() && args.structure.structure.is_none() {
        refuse(&[("--unknown-states", args.unknown_states.is_some())], "goes with a saved model or --test: a learner knows all states")?;
    }
    args.columns.apply(&mut read, args.target.as_ref())?;
    let evaluation = plan(args)?;
    if args.structure.structure.is_some() || matches!(args.learner.model, Some(ModelKind::Network(_))) {
        let found = network(args, read, evaluation, common, timings)?;
        timings.add("evaluate", start);
        return Ok(found);
    }
    if let Some(ModelKind::Aode(least_rows)) = args.learner.model {
        let found = one_dependence(args, least_rows, read, evaluation, common)?;
        timings.add("evaluate", start);
        return Ok(found);
    }
    refuse(&args.structure.given(), "goes with --structure")?;
    let (prior, bins) = args.learner.prior()?;
    args.learner.check_plan(evaluation)?;
    args.learner.text.apply(&mut read)?;
    read.labels.clone_from(&args.learner.labels);
    let options = LearnOptions {
        read,
        prior,
        bins,
        threshold: args.learner.threshold(),
        evaluation,
        calibration: method(args.calibrate),
        costs: costs(&args.costs)?,
        seed: common.seed,
        weighing: args.learner.text.weigh_words.unwrap_or_default(),
        unlabelled: args.learner.unlabelled.plan(common, common.seed)?,
    };
    options.check().map_err(Failure::Question)?;
    if let Some(share) = args.holdout {
        if options.calibration.is_some() {
            return Err(Failure::Usage("--calibrate goes with --folds or --test".into()));
        }
        refuse(&args.learner.unlabelled.given(), "goes with --folds or --test")?;
        let found = match options.read.labels {
            None => Found::of(hold_out(&args.inputs, &options, share).map_err(|e| left_too_little(e, share))?),
            Some(_) => Found::of_labels(labels::hold_out(&args.inputs, &options, share).map_err(|e| left_too_little(e, share))?),
        };
        timings.add("evaluate", start);
        return Ok(found);
    }
    if options.read.labels.is_some() {
        let found = learner_of_labels(args, &options)?;
        timings.add("evaluate", start);
        return Ok(found);
    }
    let learned = learn(&args.inputs, &options)?;
    if !args.test.is_empty() {
        let (tested, uncalibrated) = test_beside_uncalibrated(&learned.model, &args.test, test_options(args, &options))?;
        let calibrated = uncalibrated.map(|before| Calibrated { before, after: tested.evaluation.clone() });
        let mut found = Found { calibrated, ..Found::of(tested) };
        found.learned(args, options.unlabelled.is_some(), &learned.report, learned.remarks, learned.model.schema());
        timings.add("evaluate", start);
        return Ok(found);
    }
    let evaluation = learned.evaluation.ok_or_else(asked_for)?;
    let mut found = Found { calibrated: learned.calibrated, ..Found::new(Figures::Classes(evaluation)) };
    found.learned(args, false, &learned.report, learned.remarks, learned.model.schema());
    timings.add("evaluate", start);
    Ok(found)
}

/// How a learner is judged on its own rows.
fn plan(args: &EvaluateArgs) -> Result<EvaluationPlan, Failure> {
    Ok(match args.folds.as_deref() {
        _ if args.holdout.is_some() || !args.test.is_empty() => EvaluationPlan::None,
        None => EvaluationPlan::Folds(10),
        Some("loo") => EvaluationPlan::LeaveOneOut,
        Some(k) => match k.parse() {
            Ok(k) if (2..=1000).contains(&k) => EvaluationPlan::Folds(k),
            _ => return Err(Failure::Usage(format!("--folds `{k}`: give a number from 2 to 1000, or loo"))),
        },
    })
}

/// A network whose graph is known, or found in the rows that are learned from.
fn network(
    args: &EvaluateArgs,
    read: ReadOptions,
    evaluation: EvaluationPlan,
    common: &Common,
    timings: &mut Timings,
) -> Result<Found, Failure> {
    let of_network = NetworkArgs::from(args);
    refuse(&[("--drop-parts", args.structure.em.drop_parts)], "says what a model is saved with, and none is saved")?;
    let evaluation = by_folds(evaluation, &of_network.with())?;
    let test_read = test_read(&read);
    // There is nothing to keep where it is broken off: nobody listens.
    let options = NetworkOptions { evaluation, ..of_network.options(read, common, None)? };
    let graph = Graph::open(&of_network, common, timings)?.ok_or_else(asked_for)?;
    if let Some(share) = args.holdout {
        return Ok(Found::of(graph.hold_out(&args.inputs, &options, share).map_err(|e| left_too_little(e, share))?));
    }
    let learned = graph.learn(&args.inputs, &options)?;
    let mut found = match args.test.is_empty() {
        true => Found::new(Figures::Classes(learned.evaluation.ok_or_else(asked_for)?)),
        false => {
            let test_options = TestOptions { read: test_read, unknown_states: unknown_states(args), costs: options.costs };
            Found::of(test(&learned.model.classifier(options.memory)?, &args.test, test_options)?)
        }
    };
    found.learned(args, true, &learned.report, learned.remarks, learned.model.schema());
    Ok(found)
}

/// Averaged one-dependence estimators.
fn one_dependence(
    args: &EvaluateArgs,
    least_rows: f64,
    read: ReadOptions,
    evaluation: EvaluationPlan,
    common: &Common,
) -> Result<Found, Failure> {
    refuse(&[("--calibrate", method(args.calibrate).is_some())], "is for naive Bayes")?;
    let evaluation = by_folds(evaluation, "aode")?;
    let (costs, test_read) = (costs(&args.costs)?, test_read(&read));
    let test_options = TestOptions { read: test_read, unknown_states: unknown_states(args), costs: costs.clone() };
    let indicators = super::aode::indicators(&args.structure)?;
    let options = AodeOptions { read, evaluation, costs, indicators, ..super::aode::options(&args.learner, least_rows, common)? };
    if let Some(share) = args.holdout {
        return Ok(Found::of(aode::hold_out(&args.inputs, &options, share).map_err(|e| left_too_little(e, share))?));
    }
    let learned = aode::learn(&args.inputs, &options)?;
    let mut found = match args.test.is_empty() {
        true => Found::new(Figures::Classes(learned.evaluation.ok_or_else(asked_for)?)),
        false => Found::of(test(&learned.model, &args.test, test_options)?),
    };
    // What has no class is among the remarks already.
    found.met(&learned.report, learned.remarks, learned.model.schema());
    Ok(found)
}

/// What --holdout leaves may be too little to learn from, and then it is not the data that are at fault.
fn left_too_little(error: Error, share: f64) -> Error {
    match error {
        Error::Learn(LearnError::TooFewClasses { .. }) => Error::Unfit {
            what: format!("{error} in what --holdout {share} leaves to learn from"),
            hint: Some("hold out a smaller share, or give more rows".into()),
        },
        other => other,
    }
}

fn asked_for() -> Error {
    Error::Internal("an evaluation was asked for".into())
}

/// The same where rows have any number of labels.
fn learner_of_labels(args: &EvaluateArgs, options: &LearnOptions) -> Result<Found, Failure> {
    let learned = labels::learn(&args.inputs, options)?;
    let mut found = if args.test.is_empty() {
        Found::new(Figures::Labels(learned.evaluation.ok_or_else(asked_for)?))
    } else {
        Found::of_labels(labels::test(&learned.model, &args.test, test_options(args, options))?)
    };
    found.learned(args, false, &learned.report, learned.remarks, learned.model.schema());
    Ok(found)
}

/// A test file is read as the model says, and not as the flags do.
fn test_read(read: &ReadOptions) -> ReadOptions {
    ReadOptions { target: None, weight: None, types: Vec::new(), ignore: Vec::new(), schema: None, ..read.clone() }
}

fn test_options(args: &EvaluateArgs, options: &LearnOptions) -> TestOptions {
    TestOptions { read: test_read(&options.read), unknown_states: unknown_states(args), costs: options.costs.clone() }
}

fn unknown_states(args: &EvaluateArgs) -> UnknownStates {
    args.unknown_states.unwrap_or(UnknownArg::Missing).into()
}
