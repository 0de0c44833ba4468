//! `learn`: a table in, a judged model out.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

use serde_json::{Map, Value, json};
use tunbridge::evaluate::Method;
use tunbridge::learners::{ClassEvidence, EvidenceValue, telling_evidence};
use tunbridge::model_file::check_output;
use tunbridge::{Calibrated, EvaluationPlan, LearnOptions, Learned, NaiveBayesModel, Timings, learn};

use super::{is_pattern, print, print_json};
use crate::args::{CalibrateArg, Common, LearnArgs, refuse};
use crate::costs::costs;
use crate::figures::{count, number, of, probability};
use crate::learner_args::ModelKind;
use crate::progress::{self, remark};
use crate::report::{self, Align, table};
use crate::{Failure, json, unlabelled};

pub fn run(args: &LearnArgs, common: &Common, timings: &mut Timings) -> Result<(), Failure> {
    let as_json = common.json()?;
    if args.structure.structure.is_some() || matches!(args.learner.model, Some(ModelKind::Network(_))) {
        return super::network::learn::run(args, common, timings);
    }
    if let Some(ModelKind::Aode(least_rows)) = args.learner.model {
        return super::aode::learn(args, least_rows, common, timings);
    }
    refuse(&[&args.structure.given()[..], &[("--unknown-states", args.unknown_states.is_some())]].concat(), "goes with --structure")?;
    if !args.average.average.is_empty() {
        return super::average::learn(args, common, timings);
    }
    let options = options(args, common)?;
    let output = output_path(args)?;
    let also_read = args.columns.schema.iter().cloned().chain(crate::costs::files(&args.costs));
    check_output(&output, &args.data.iter().cloned().chain(also_read).collect::<Vec<_>>(), args.force)?;
    if args.learner.labels.is_some() {
        return super::labels::learn(args, common, options, &output, timings);
    }
    let (mut learned, title) = {
        let mut options = options;
        let _bar = progress::show(&mut options.read, common);
        (learn(&args.data, &options)?, title(&args.data))
    };
    *timings = learned.timings.clone();
    let met = report::remarks(&learned.report, learned.model.schema());
    learned.remarks.extend(met);
    let model = &learned.model;
    // The file is written while there is still something to be told.
    let (saved, text) = std::thread::scope(|scope| {
        let saving = scope.spawn(|| {
            let start = Instant::now();
            model.save(&output, args.force)?;
            timings.add("write", start);
            Ok::<(), tunbridge::Error>(())
        });
        let text = (!as_json).then(|| summary(&title, &learned));
        (saving.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)), text)
    });
    saved?;
    learned.remarks.iter().for_each(|text| remark(common, text));
    let Some(text) = text else { return print_json(&as_object(&learned, &output)) };
    let mut text = text?;
    if common.trace {
        text.push_str(&super::show::tables(model, usize::MAX));
    }
    let calibrated = learned.model.calibrator().map(|_| ", calibrated").unwrap_or_default();
    let _ = writeln!(text, "\nSaved {} ({}, {}{calibrated})", output.display(), model.kind(), learned.model.prior_words());
    // The program ends here, and the system takes memory back at once; a vocabulary would be dropped word by word.
    std::mem::forget(learned);
    print(&text)
}

pub fn options(args: &LearnArgs, common: &Common) -> Result<LearnOptions, Failure> {
    let (prior, bins) = args.learner.prior()?;
    args.evaluate.map_or(Ok(()), |plan| args.learner.check_plan(plan))?;
    if args.plan() == EvaluationPlan::None {
        refuse(&[("--costs", !args.costs.is_empty())], "says how a model is judged, and does not go with --evaluate none")?;
    }
    let mut read = args.read.options(common);
    args.columns.apply(&mut read, args.target.as_ref())?;
    args.learner.text.apply(&mut read)?;
    read.labels.clone_from(&args.learner.labels);
    let options = LearnOptions {
        read,
        prior,
        bins,
        threshold: args.learner.threshold(),
        evaluation: args.plan(),
        calibration: method(args.calibrate),
        costs: costs(&args.costs)?,
        seed: common.seed,
        weighing: args.learner.text.weigh_words.unwrap_or_default(),
        unlabelled: args.learner.unlabelled.plan(common, common.seed)?,
    };
    options.check().map_err(Failure::Question)?;
    Ok(options)
}

pub fn method(arg: CalibrateArg) -> Option<Method> {
    match arg {
        CalibrateArg::None => None,
        CalibrateArg::Isotonic => Some(Method::Isotonic),
        CalibrateArg::Sigmoid => Some(Method::Sigmoid),
    }
}

/// The data's name with `.tb`, in the current folder.
pub fn output_path(args: &LearnArgs) -> Result<PathBuf, Failure> {
    if let Some(output) = &args.output {
        return Ok(output.clone());
    }
    // The name of `.` is that of the folder it is.
    let path = &args.data[0];
    let whole = if path.file_name().is_none() { path.canonicalize().ok() } else { None };
    let name = whole.as_ref().unwrap_or(path).file_name().and_then(|n| n.to_str()).unwrap_or("-");
    if name == "-" || is_pattern(&args.data[0]) {
        let what = if name == "-" { "standard input" } else { "a pattern" };
        return Err(Failure::Usage(format!("{what} gives the model no name: say where it goes with --output")));
    }
    let stem = [".gz", ".zst", ".zstd"].iter().find_map(|e| name.strip_suffix(e)).unwrap_or(name);
    let stem = stem.rsplit_once('.').map_or(stem, |(stem, _)| stem);
    Ok(PathBuf::from(format!("{stem}.tb")))
}

pub fn title(data: &[PathBuf]) -> String {
    let first = match data[0].file_name() {
        Some(name) if name == "-" => "standard input".into(),
        Some(name) => name.to_string_lossy().into_owned(),
        None => data[0].display().to_string(),
    };
    if data.len() > 1 { format!("{first} and {} more", data.len() - 1) } else { first }
}

fn summary(title: &str, learned: &Learned) -> Result<String, Failure> {
    let model = &learned.model;
    let columns = of(model.schema().variables().len() as f64, "column", "columns");
    let mut text = format!("{title}: {}, {columns}\n\n", of(learned.report.n_rows as f64, "row", "rows"));
    text.push_str(&report::schema(model.schema(), Some(&learned.report), 40));
    let dropped = model.observed().n_rows_without_target();
    if let Some(from) = model.unlabelled() {
        let _ = write!(text, "\n{}", unlabelled::summary(from, model.classes()));
    }
    let were_used = model.unlabelled().is_some_and(|from| from.lambda > 0.0 || from.components().is_none());
    if dropped > 0.0 && !were_used {
        let _ = writeln!(text, "\n{} left out", of(dropped, "row without a class was", "rows without a class were"));
    }
    let _ = writeln!(text, "\n{}", classes(model));
    let evidence = telling_evidence(model.schema(), model.statistic(), model.posterior(), 3).map_err(tunbridge::Error::from)?;
    text.push_str(&evidence_table(&evidence, 10));
    if let Some(evaluation) = &learned.evaluation {
        let _ = writeln!(text, "\nHow good it is ({})", evaluation.how);
        text.push_str(&report::evaluation(evaluation));
    }
    if let Some(Calibrated { before, after }) = &learned.calibrated {
        let _ = writeln!(text, "\nCalibrated ({})", after.how);
        text.push_str(&report::evaluation(after));
        let _ = writeln!(text, "\nReliability, before and after calibration");
        text.push_str(&report::reliability(before, Some(after)));
    }
    Ok(text)
}

/// The classes with their rows and prior probabilities.
pub fn classes(model: &NaiveBayesModel) -> String {
    let posterior = model.posterior();
    class_table(posterior.target(), posterior.class_names(), posterior.class_weights(), posterior.ln_class_prior())
}

/// The same of any model that knows them.
pub fn class_table(target: &str, names: &[String], weights: &[f64], ln_prior: &[f64]) -> String {
    let row = |((name, weight), ln): ((&String, &f64), &f64)| vec![name.clone(), count(*weight), probability(ln.exp())];
    let rows: Vec<Vec<String>> = names.iter().zip(weights).zip(ln_prior).map(row).collect();
    table(&[&format!("P({target})"), "rows", "prior"], &[Align::Left, Align::Right, Align::Right], &rows)
}

/// The most telling evidence, if there is any.
pub fn evidence_table(evidence: &[ClassEvidence], most_classes: usize) -> String {
    let p = |p: Option<f64>| p.map(probability).unwrap_or_default();
    let mut rows = Vec::new();
    for class in evidence.iter().take(most_classes) {
        for (place, piece) in class.evidence.iter().enumerate() {
            let name = if place == 0 { class.class.clone() } else { String::new() };
            let (what, here, rest) = match &piece.value {
                EvidenceValue::Number { mean, sd, mean_of_rest, sd_of_rest } => (
                    piece.variable.clone(),
                    format!("{} ± {}", number(*mean), number(*sd)),
                    format!("{} ± {}", number(*mean_of_rest), number(*sd_of_rest)),
                ),
                EvidenceValue::State(state) => (format!("{} = {state}", piece.variable), p(piece.p_given_class), p(piece.p_given_rest)),
                EvidenceValue::Bin { above, up_to } => {
                    (format!("{} {}", piece.variable, bin_words(*above, *up_to)), p(piece.p_given_class), p(piece.p_given_rest))
                }
            };
            rows.push(vec![name, what, here, rest]);
        }
    }
    if rows.is_empty() {
        return String::new();
    }
    let mut text = "Most telling evidence, of the class and of the others\n".to_string();
    text += &table(&["class", "evidence", "in it", "in the others"], &[Align::Left, Align::Left, Align::Right, Align::Right], &rows);
    let more = evidence.len().saturating_sub(most_classes);
    if more > 0 {
        let _ = writeln!(text, "  … and {}; `tunbridge show MODEL --all` lists them", of(more as f64, "more class", "more classes"));
    }
    text
}

pub fn bin_words(above: Option<f64>, up_to: Option<f64>) -> String {
    match (above, up_to) {
        (Some(a), Some(b)) => format!("in ({}, {}]", number(a), number(b)),
        (Some(a), None) => format!("> {}", number(a)),
        (None, Some(b)) => format!("≤ {}", number(b)),
        (None, None) => "anything".into(),
    }
}

fn as_object(learned: &Learned, output: &Path) -> Value {
    let posterior = learned.model.posterior();
    let mut object = Map::new();
    object.insert("model".into(), json!(output.display().to_string()));
    object.insert("kind".into(), json!(learned.model.kind()));
    object.insert("rows".into(), json!(learned.report.n_rows));
    object.insert("skipped".into(), json!(learned.report.n_skipped));
    object.insert("rows_without_target".into(), json::number(learned.model.observed().n_rows_without_target()));
    if let Some(from) = learned.model.unlabelled() {
        object.insert("unlabelled".into(), unlabelled::object(from, false));
    }
    object.insert("target".into(), json!(posterior.target()));
    let classes = posterior.class_names().iter().cloned().zip(posterior.ln_class_prior().iter().map(|ln| json::real(ln.exp())));
    object.insert("class_prior".into(), Value::Object(classes.collect()));
    object.insert("prior".into(), json!(learned.model.prior_words()));
    object.insert("columns".into(), json::schema(learned.model.schema(), Some(&learned.report)));
    if let Some(ln) = posterior.log_marginal_likelihood(learned.model.schema(), learned.model.statistic()) {
        object.insert("log_marginal_likelihood".into(), json::real(ln));
    }
    if let Some(evaluation) = &learned.evaluation {
        object.insert("evaluation".into(), json::evaluation(evaluation));
    }
    if let Some(Calibrated { before, after }) = &learned.calibrated {
        object.insert("uncalibrated".into(), json::evaluation(before));
        object.insert("calibrated".into(), json::evaluation(after));
    }
    if let Some(pruned) = json::pruned(&learned.model) {
        object.insert("pruned".into(), pruned);
    }
    object.insert("remarks".into(), json!(learned.remarks));
    Value::Object(object)
}
