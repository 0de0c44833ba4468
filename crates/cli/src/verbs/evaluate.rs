//! `evaluate`: how good a saved model is on other rows, or a learner on its own.

use std::time::Instant;

use tunbridge::data::ReadOptions;
use tunbridge::{Evaluation, EvaluationPlan, LearnOptions, Tested, Timings, hold_out, learn, model_file, test};

use super::learn::method;
use super::{load, no_trace, print, print_json};
use crate::args::{Common, EvaluateArgs};
use crate::progress::{self, remark};
use crate::report;
use crate::{Failure, json};

pub fn run(args: &EvaluateArgs, common: &Common, timings: &mut Timings) -> Result<(), Failure> {
    no_trace(common)?;
    let as_json = common.json()?;
    let start = Instant::now();
    let found = {
        let mut read = args.read.options(common);
        let _bar = progress::show(&mut read, common);
        // What is called a model is to be one.
        let is_model = args.inputs[0].extension().is_some_and(|e| e == "tb") || model_file::is_model(&args.inputs[0]);
        if is_model { saved(args, read, timings)? } else { learner(args, read, common)? }
    };
    timings.add("evaluate", start);
    found.remarks.iter().for_each(|text| remark(common, text));
    if as_json {
        let mut value = json::evaluation(&found.evaluation);
        if let (Some(after), Some(object)) = (&found.calibrated, value.as_object_mut()) {
            object.insert("calibrated".into(), json::evaluation(after));
        }
        return print_json(&value);
    }
    let mut text = format!("How good it is ({})\n{}", found.evaluation.how, report::evaluation(&found.evaluation));
    text.push_str(&format!("\nWhat was taken for what\n{}", report::confusion(&found.evaluation)));
    if let Some(after) = &found.calibrated {
        text.push_str(&format!("\nCalibrated ({})\n{}", after.how, report::evaluation(after)));
    }
    text.push_str(&format!("\nReliability\n{}", report::reliability(&found.evaluation, found.calibrated.as_ref())));
    print(&text)
}

struct Found {
    evaluation: Evaluation,
    calibrated: Option<Evaluation>,
    remarks: Vec<String>,
}

impl Found {
    fn of(tested: Tested, schema: &tunbridge::belief::Schema) -> Self {
        let mut remarks = tested.remarks;
        remarks.extend(report::remarks(&tested.report, schema));
        Self { evaluation: tested.evaluation, calibrated: None, remarks }
    }
}

/// A saved model on rows it was not learned from.
fn saved(args: &EvaluateArgs, read: ReadOptions, timings: &mut Timings) -> Result<Found, Failure> {
    let (columns, prior) = (&args.columns, &args.learner.prior);
    let of_a_learner = [
        ("--target", args.target.is_some()),
        ("--folds", args.folds.is_some()),
        ("--holdout", args.holdout.is_some()),
        ("--types", !columns.types.is_empty()),
        ("--ignore", !columns.ignore.is_empty()),
        ("--weight", columns.weight.is_some()),
        ("--schema", columns.schema.is_some()),
        ("--estimate", prior.estimate.is_some()),
        ("--class-prior", prior.class_prior.is_some()),
        ("--numeric", prior.numeric.is_some()),
        ("--calibrate", method(args.calibrate).is_some()),
    ];
    if let Some((flag, _)) = of_a_learner.iter().find(|(_, given)| *given) {
        return Err(Failure::Usage(format!("a saved model is judged as it is: {flag} goes with data alone")));
    }
    let model = load(&args.inputs[0], timings)?;
    let data: Vec<_> = args.inputs[1..].iter().chain(&args.test).collect();
    if data.is_empty() {
        return Err(Failure::Usage("name the data to judge the model on, behind the model".into()));
    }
    let tested = test(&model, &data, read, args.unknown_states.into())?;
    Ok(Found::of(tested, model.schema()))
}

/// A learner on the rows given.
fn learner(args: &EvaluateArgs, mut read: ReadOptions, common: &Common) -> Result<Found, Failure> {
    let (prior, bins) = args.learner.prior()?;
    args.columns.apply(&mut read, args.target.as_ref())?;
    let evaluation = match args.folds.as_deref() {
        _ if args.holdout.is_some() || !args.test.is_empty() => EvaluationPlan::None,
        None => EvaluationPlan::Folds(10),
        Some("loo") => EvaluationPlan::LeaveOneOut,
        Some(k) => match k.parse() {
            Ok(k) if (2..=1000).contains(&k) => EvaluationPlan::Folds(k),
            _ => return Err(Failure::Usage(format!("--folds `{k}`: give a number from 2 to 1000, or loo"))),
        },
    };
    let options = LearnOptions {
        read,
        prior,
        bins,
        threshold: args.learner.threshold,
        evaluation,
        calibration: method(args.calibrate),
        seed: common.seed,
    };
    if let Some(share) = args.holdout {
        if options.calibration.is_some() {
            return Err(Failure::Usage("--calibrate goes with --folds or --test".into()));
        }
        let tested = hold_out(&args.inputs, &options, share)?;
        let remarks = tested.remarks.clone();
        return Ok(Found { evaluation: tested.evaluation, calibrated: None, remarks });
    }
    let learned = learn(&args.inputs, &options)?;
    if !args.test.is_empty() {
        let read = ReadOptions { target: None, weight: None, types: Vec::new(), ignore: Vec::new(), schema: None, ..options.read.clone() };
        let tested = test(&learned.model, &args.test, read, args.unknown_states.into())?;
        return Ok(Found::of(tested, learned.model.schema()));
    }
    let mut remarks = learned.remarks;
    remarks.extend(report::remarks(&learned.report, learned.model.schema()));
    let evaluation = learned.evaluation.ok_or_else(|| tunbridge::Error::Internal("an evaluation was asked for".into()))?;
    Ok(Found { evaluation, calibrated: learned.calibrated, remarks })
}
