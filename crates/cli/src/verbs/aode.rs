//! Averaged one-dependence estimators, under the verbs that make, show and explain them.

use std::fmt::Write;
use std::path::Path;
use std::time::Instant;

use serde_json::{Map, Value, json};
use tunbridge::aode::{AodeOptions, LearnedAode};
use tunbridge::learners::AodePrior;
use tunbridge::model_file::check_output;
use tunbridge::network::Indicator;
use tunbridge::{AodeModel, EvaluationPlan, Timings, aode};

use super::learn::{class_table, output_path, title};
use super::{print, print_json};
use crate::args::{CalibrateArg, Common, LearnArgs, ShowArgs, by_folds, refuse};
use crate::costs::costs;
use crate::figures::{count, of};
use crate::learner_args::LearnerArgs;
use crate::progress::{self, remark};
use crate::report;
use crate::structure_args::StructureArgs;
use crate::{Failure, json};

/// Learns, judges and saves.
pub fn learn(args: &LearnArgs, least_rows: f64, common: &Common, timings: &mut Timings) -> Result<(), Failure> {
    refuse(&[("--trace", common.trace)], "is not there for averaged one-dependence estimators")?;
    let others = [("--average", !args.average.average.is_empty()), ("--calibrate", args.calibrate != CalibrateArg::None)];
    refuse(&others, "does not go with --model aode")?;
    refuse(&[("--unknown-states", args.unknown_states.is_some())], OF_NETWORKS)?;
    let mut options = AodeOptions {
        evaluation: by_folds(args.evaluate.unwrap_or(EvaluationPlan::Folds(10)), "--model aode")?,
        costs: costs(&args.costs)?,
        indicators: indicators(&args.structure)?,
        ..options(&args.learner, least_rows, common)?
    };
    if options.evaluation == EvaluationPlan::None {
        refuse(&[("--costs", !args.costs.is_empty())], "says how a model is judged, and does not go with --evaluate none")?;
    }
    options.read = args.read.options(common);
    args.columns.apply(&mut options.read, args.target.as_ref())?;
    let output = output_path(args)?;
    check_output(&output, &args.data, args.force)?;
    let mut learned = {
        let _bar = progress::show(&mut options.read, common);
        aode::learn(&args.data, &options)?
    };
    *timings = learned.timings.clone();
    let start = Instant::now();
    let met = report::remarks(&learned.report, learned.model.schema());
    learned.remarks.extend(met);
    let model = &learned.model;
    model.save(&output, args.force)?;
    timings.add("write", start);
    learned.remarks.iter().for_each(|text| remark(common, text));
    if common.json()? {
        return print_json(&learned_object(&learned, &output));
    }
    let columns = of(model.schema().variables().len() as f64, "column", "columns");
    let mut text = format!("{}: {}, {columns}\n\n", title(&args.data), of(learned.report.n_rows as f64, "row", "rows"));
    text.push_str(&report::schema(model.schema(), Some(&learned.report), 40));
    let _ = writeln!(text, "\n{}\n{}", classes(model), parents(model));
    if let Some(evaluation) = &learned.evaluation {
        let _ = write!(text, "\nHow good it is ({})\n{}", evaluation.how, report::evaluation(evaluation));
    }
    let _ = writeln!(text, "\nSaved {} (aode, {})", output.display(), model.prior_words());
    print(&text)
}

const OF_NETWORKS: &str = "speaks of a network, and --model aode is none";

/// Variables that say whether others are missing: all that is said of graphs and holds here too.
pub fn indicators(structure: &StructureArgs) -> Result<Vec<Indicator>, Failure> {
    let of_graph: Vec<_> = structure.given().into_iter().filter(|(flag, _)| *flag != "--indicator").collect();
    refuse(&of_graph, OF_NETWORKS)?;
    structure.indicators()
}

/// What is asked of the learner.
pub fn options(learner: &LearnerArgs, least_rows: f64, common: &Common) -> Result<AodeOptions, Failure> {
    let others = [("--labels", learner.labels.is_some()), ("--threshold", learner.threshold.is_some())];
    let others = [&others[..], &learner.prior.given()[1..2], &learner.text.given(), &learner.unlabelled.given()].concat();
    refuse(&others, "does not go with --model aode")?;
    let prior = AodePrior { estimate: learner.prior.estimate()?, least_rows };
    Ok(AodeOptions { prior, bins: learner.prior.bins("--model aode")?, seed: common.seed, ..AodeOptions::default() })
}

/// The classes with their rows and probabilities.
fn classes(model: &AodeModel) -> String {
    let posterior = model.posterior();
    class_table(posterior.target(), posterior.class_names(), posterior.class_weights(), posterior.ln_class())
}

/// How many models are averaged.
fn parents(model: &AodeModel) -> String {
    let (n_parents, n_values) = model.posterior().n_parents();
    let attributes = of(model.statistic().pairs().n_variables() as f64, "attribute", "attributes");
    format!("{attributes}, each in turn above all others; {} of {} values may be so", count(n_parents as f64), count(n_values as f64))
}

fn facts(model: &AodeModel) -> Map<String, Value> {
    let posterior = model.posterior();
    let mut object = Map::new();
    object.insert("kind".into(), json!("aode"));
    object.insert("target".into(), json!(posterior.target()));
    let classes = posterior.class_names().iter().cloned().zip(posterior.ln_class().iter().map(|ln| json::real(ln.exp())));
    object.insert("class_prior".into(), Value::Object(classes.collect()));
    object.insert("prior".into(), json!(model.prior_words()));
    let (n_parents, n_values) = posterior.n_parents();
    object.insert("parents".into(), json!(n_parents));
    object.insert("values".into(), json!(n_values));
    object
}

fn learned_object(learned: &LearnedAode, output: &Path) -> Value {
    let mut object = facts(&learned.model);
    object.insert("model".into(), json!(output.display().to_string()));
    object.insert("rows".into(), json!(learned.report.n_rows));
    object.insert("skipped".into(), json!(learned.report.n_skipped));
    object.insert("columns".into(), json::schema(learned.model.schema(), Some(&learned.report)));
    if let Some(evaluation) = &learned.evaluation {
        object.insert("evaluation".into(), json::evaluation(evaluation));
    }
    object.insert("remarks".into(), json!(learned.remarks));
    Value::Object(object)
}

/// The model in readable form, or as JSON.
pub fn show(args: &ShowArgs, as_json: bool, model: &AodeModel) -> Result<(), Failure> {
    let of_others = [
        ("--history", args.history),
        ("--by", args.by.is_some()),
        ("--min-texts", args.min_texts.is_some()),
        ("--top", args.top.is_some()),
    ];
    refuse(&of_others, "is not there for averaged one-dependence estimators")?;
    if as_json {
        let mut object = facts(model);
        object.insert("rows".into(), json::number(model.statistic().n_rows()));
        object.insert("columns".into(), json::schema(model.schema(), None));
        return print_json(&Value::Object(object));
    }
    let mut text = format!("{}: aode, {}\n\n", args.model.display(), of(model.statistic().n_rows(), "row", "rows"));
    text.push_str(&report::schema(model.schema(), None, if args.all { usize::MAX } else { 40 }));
    let _ = writeln!(text, "\n{}\n{}\nWhat it believes before: {}", classes(model), parents(model), model.prior_words());
    print(&text)
}
