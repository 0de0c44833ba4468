//! Models of several labels a row, under the verbs that make, ask and show them.

use std::fmt::Write;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use serde_json::{Map, Value, json};
use tunbridge::belief::{Chunk, Kind, Role, Variable};
use tunbridge::data::{LabelAnswers, OutputFormat, Table};
use tunbridge::labels::LearnedLabels;
use tunbridge::learners::{BinaryRelevance, ClassEvidence, Contest, TellingWords, WordsOfClass, telling_evidence, telling_words};
use tunbridge::{Case, Error, LabelsModel, LearnOptions, Timings};

use super::classify::OpenRows;
use super::explain::Told;
use super::learn::{evidence_table, title};
use super::{case_of, print, print_json};
use crate::args::{ClassifyArgs, Common, ExplainArgs, Format, LearnArgs, ShowArgs, refuse};
use crate::figures::{count, of, probability};
use crate::progress::{self, remark};
use crate::report::{self, Align, table};
use crate::{Failure, json};

/// Learns, judges and saves.
pub fn learn(args: &LearnArgs, common: &Common, mut options: LearnOptions, output: &Path, timings: &mut Timings) -> Result<(), Failure> {
    if common.trace {
        return Err(Failure::Usage("--trace does not go with --labels: each label is a model of its own".into()));
    }
    let mut learned = {
        let _bar = progress::show(&mut options.read, common);
        tunbridge::labels::learn(&args.data, &options)?
    };
    *timings = learned.timings.clone();
    let start = Instant::now();
    let met = report::remarks(&learned.report, learned.model.schema());
    learned.remarks.extend(met);
    let model = &learned.model;
    model.save(output, args.force)?;
    timings.add("write", start);
    learned.remarks.iter().for_each(|text| remark(common, text));
    if common.json()? {
        return print_json(&learned_object(&learned, output));
    }
    let columns = of(model.schema().variables().len() as f64, "column", "columns");
    let mut text = format!("{}: {}, {columns}\n\n", title(&args.data), of(learned.report.n_rows as f64, "row", "rows"));
    text.push_str(&report::schema(model.schema(), Some(&learned.report), 40));
    let dropped = model.statistic().n_rows_without_target();
    if dropped > 0.0 {
        let _ = writeln!(text, "\n{} left out", of(dropped, "row whose labels are missing was", "rows whose labels are missing were"));
    }
    let _ = writeln!(text, "\n{}", labels(model, MOST));
    text.push_str(&evidence_table(&evidence(model, MOST, 3)?, MOST));
    if let Some(evaluation) = &learned.evaluation {
        let _ = writeln!(text, "\nHow good it is ({})", evaluation.how);
        text.push_str(&report::label_evaluation(evaluation, MOST));
    }
    let _ = writeln!(text, "\nSaved {} (labels, {})", output.display(), model.prior_words());
    print(&text)
}

/// Labels that are listed unless all are asked for: those of the most rows.
const MOST: usize = 10;

/// The places of the labels of the most rows; of equals, the earlier.
fn most_frequent(model: &LabelsModel, most: usize) -> Vec<usize> {
    let rows = model.statistic().rows_with();
    let mut places: Vec<usize> = (0..rows.len()).collect();
    places.sort_by(|a, b| rows[*b].total_cmp(&rows[*a]));
    places.truncate(most);
    places
}

fn prior_of(model: &LabelsModel, label: usize) -> f64 {
    model.posterior().models()[label].ln_class_prior()[BinaryRelevance::YES].exp()
}

/// The labels with their rows and prior probabilities.
fn labels(model: &LabelsModel, most: usize) -> String {
    let rows = model.statistic().rows_with();
    let line = |&label: &usize| vec![model.labels()[label].clone(), count(rows[label]), probability(prior_of(model, label))];
    let lines: Vec<Vec<String>> = most_frequent(model, most).iter().map(line).collect();
    let mut text = table(&[&format!("P({})", model.target()), "rows", "prior"], &[Align::Left, Align::Right, Align::Right], &lines);
    let more = model.labels().len() - lines.len();
    if more > 0 {
        let _ = writeln!(text, "  … and {}; `tunbridge show MODEL --all` lists them", of(more as f64, "more label", "more labels"));
    }
    text
}

/// What tells the rows of each label from those without it.
fn evidence(model: &LabelsModel, most_labels: usize, most: usize) -> Result<Vec<ClassEvidence>, Failure> {
    let posterior = model.posterior();
    let mut found = Vec::new();
    for label in most_frequent(model, most_labels) {
        let statistic = model.statistic().of_label(label).map_err(Error::from)?;
        let classes = telling_evidence(posterior.schema(), &statistic, &posterior.models()[label], most).map_err(Error::from)?;
        let yes = classes.into_iter().find(|class| class.class == BinaryRelevance::CLASSES[BinaryRelevance::YES]);
        found.extend(yes.map(|yes| ClassEvidence { class: model.labels()[label].clone(), ..yes }));
    }
    Ok(found)
}

/// The words of each column of texts that tell the rows of each label from those without it.
fn words(model: &LabelsModel, most_labels: usize, most: usize, least_texts: f64) -> Result<Vec<TellingWords>, Failure> {
    let posterior = model.posterior();
    let mut columns: Vec<TellingWords> = Vec::new();
    for label in most_frequent(model, most_labels) {
        let statistic = model.statistic().of_label(label).map_err(Error::from)?;
        let found = telling_words(posterior.schema(), &statistic, &posterior.models()[label], most, least_texts).map_err(Error::from)?;
        columns.resize_with(found.len(), || TellingWords { variable: String::new(), classes: Vec::new() });
        for (column, found) in columns.iter_mut().zip(found) {
            let yes = found.classes.into_iter().find(|class| class.class == BinaryRelevance::CLASSES[BinaryRelevance::YES]);
            column.variable = found.variable;
            column.classes.extend(yes.map(|yes| WordsOfClass { class: model.labels()[label].clone(), ..yes }));
        }
    }
    Ok(columns)
}

fn learned_object(learned: &LearnedLabels, output: &Path) -> Value {
    let model = &learned.model;
    let mut object = Map::new();
    object.insert("model".into(), json!(output.display().to_string()));
    object.insert("kind".into(), json!("labels"));
    object.insert("rows".into(), json!(learned.report.n_rows));
    object.insert("skipped".into(), json!(learned.report.n_skipped));
    object.insert("rows_without_target".into(), json::number(model.statistic().n_rows_without_target()));
    object.insert("target".into(), json!(model.target()));
    object.insert("labels".into(), labels_object(model));
    object.insert("prior".into(), json!(model.prior_words()));
    object.insert("columns".into(), json::schema(model.schema(), Some(&learned.report)));
    if let Some(evaluation) = &learned.evaluation {
        object.insert("evaluation".into(), json::label_evaluation(evaluation));
    }
    object.insert("remarks".into(), json!(learned.remarks));
    Value::Object(object)
}

fn labels_object(model: &LabelsModel) -> Value {
    let rows = model.statistic().rows_with().iter().enumerate();
    let facts = rows.map(|(label, rows)| json!({"rows": json::number(*rows), "prior": json::real(prior_of(model, label))}));
    Value::Object(model.labels().iter().cloned().zip(facts).collect())
}

/// Gives one case, or every row, its labels.
pub fn classify(
    args: &ClassifyArgs,
    common: &Common,
    model: &LabelsModel,
    opened: Option<Result<OpenRows, Failure>>,
) -> Result<(), Failure> {
    refuse(&[("--costs", !args.costs.is_empty())], "does not go with labels, which are not taken for each other")?;
    let Some(opened) = opened else { return case(args, common, model) };
    let n_impossible = AtomicU64::new(0);
    let write = |table: &Table, format: OutputFormat, to: &mut (dyn std::io::Write + Send)| {
        table.write_labels((model.labels(), model.separator()), format, !args.answers_only, to, |chunk: Chunk<'_>| {
            let answers = model.answer(&chunk)?;
            let is_impossible = |row: &&[f64]| row.iter().any(|p| p.is_nan());
            let impossible = answers.probability.chunks_exact(model.labels().len()).filter(is_impossible).count();
            n_impossible.fetch_add(impossible as u64, Ordering::Relaxed);
            Ok(answers)
        })
    };
    super::classify::rows(args, common, model.schema(), opened, write)?;
    let n_impossible = n_impossible.into_inner();
    if n_impossible > 0 {
        let rows = of(n_impossible as f64, "row has", "rows have");
        remark(common, &format!("{rows} probability zero under the models of some labels, which got no answer"));
    }
    Ok(())
}

fn case(args: &ClassifyArgs, common: &Common, model: &LabelsModel) -> Result<(), Failure> {
    if common.trace {
        return Err(Failure::Usage("--trace does not go with labels: ask why with explain".into()));
    }
    let as_json = if common.format == Some(Format::Jsonl) { true } else { common.json()? };
    super::classify::not_of_files(args)?;
    let case = case_of(&args.inputs, (model.schema(), model.recipe()), &args.read, args.unknown_states, common)?;
    let answers = answer(model, &case)?;
    if as_json {
        let said: Vec<&String> = answers.labels[0].iter().map(|label| &model.labels()[*label as usize]).collect();
        let probability: Map<String, Value> =
            model.labels().iter().cloned().zip(answers.probability.iter().map(|p| json::real(*p))).collect();
        return print_json(&json!({"row": 1, "labels": said, "probability": probability}));
    }
    let mut by_p: Vec<(&String, f64)> = model.labels().iter().zip(answers.probability.iter().copied()).collect();
    by_p.sort_by(|a, b| b.1.total_cmp(&a.1));
    let line = |(label, p): &(&String, f64)| {
        let said = if *p > 0.5 { "yes" } else { "no" };
        vec![label.to_string(), if p.is_nan() { "impossible".into() } else { probability(*p) }, said.into()]
    };
    let lines: Vec<Vec<String>> = by_p.iter().take(2 * MOST).map(line).collect();
    let mut text = table(&[model.target(), "probability", "said"], &[Align::Left, Align::Right, Align::Left], &lines);
    let more = by_p.len() - lines.len();
    if more > 0 {
        let _ = writeln!(text, "  … and {}; --format json has all", of(more as f64, "less probable label", "less probable labels"));
    }
    print(&text)
}

fn answer(model: &LabelsModel, case: &Case) -> Result<LabelAnswers, Failure> {
    Ok(case.lend(|row| model.answer(row)).map_err(Error::from)?)
}

/// The ledger of one label: for it, against its not being there.
pub fn explain(args: &ExplainArgs, common: &Common, model: &LabelsModel, one_case: bool, timings: &mut Timings) -> Result<(), Failure> {
    refuse(&[("--against", args.against.is_some())], "does not go with labels: each is weighed against its not being there")?;
    if common.trace {
        return Err(Failure::Usage("--trace does not go with labels".into()));
    }
    let start = Instant::now();
    let read = (model.schema(), model.recipe());
    let case = super::explain::explained(args, common, read, one_case)?;
    let label = match &args.class {
        Some(name) => model.labels().iter().position(|label| label == name).ok_or_else(|| {
            let near = tunbridge::data::closest(name, model.labels().iter().map(String::as_str));
            let hint = near.map_or("`tunbridge show MODEL --all` lists them".into(), |near| format!("did you mean `{near}`?"));
            Failure::Fault(Error::Unfit { what: format!("`{name}` is no label of the model"), hint: Some(hint) })
        })?,
        None => {
            let answers = answer(model, &case)?;
            // The most probable one; of equals, the earlier.
            let better = |best: usize, label: usize| if answers.probability[label] > answers.probability[best] { label } else { best };
            (0..model.labels().len()).reduce(better).unwrap_or(0)
        }
    };
    let contest = Contest { class: Some(BinaryRelevance::YES), against: Some(BinaryRelevance::NO) };
    let posterior = model.posterior();
    let mut ledger = case.lend(|row| posterior.models()[label].explain(posterior.schema(), row, 0, contest)).map_err(Error::from)?;
    ledger.class.clone_from(&model.labels()[label]);
    ledger.against = format!("not {}", model.labels()[label]);
    timings.add("infer", start);
    let told = Told {
        target: model.target(),
        schema: model.schema(),
        recipe: model.recipe(),
        event: model.prior().text,
        ledger: &ledger,
        unit: args.unit,
        calibrated: None,
        besides: &[],
        averaged: None,
    };
    super::explain::tell(&told, &case, args, common)
}

/// The model in readable form, or as JSON.
pub fn show(args: &ShowArgs, as_json: bool, model: &LabelsModel) -> Result<(), Failure> {
    refuse(&[("--history", args.history)], "does not go with labels, of which no rows without a class are learned from")?;
    let is_text = |v: &&Variable| v.role == Role::Input && matches!(v.kind, Kind::Text(_));
    let has_texts = model.schema().variables().iter().any(|v| is_text(&v));
    if !has_texts {
        refuse(&[("--by", args.by.is_some()), ("--min-texts", args.min_texts.is_some())], "is about words, and the model has no texts")?;
    }
    let least_texts = args.min_texts.map_or(0.0, f64::from);
    if as_json {
        refuse(&[("--by", args.by.is_some())], "is for people: JSON has both rankings")?;
        let found = evidence(model, usize::MAX, args.top.unwrap_or(10))?;
        let found = found.into_iter().map(|label| (label.class, json!(label.evidence)));
        let mut shown = json!({
            "kind": "labels",
            "rows": json::number(model.statistic().n_rows()),
            "rows_without_target": json::number(model.statistic().n_rows_without_target()),
            "target": model.target(),
            "separator": model.separator(),
            "prior": {"estimate": model.prior().estimate.to_string(), "class_prior": model.prior().class.to_string(),
                      "numeric": model.recipe().discretisation.clone().unwrap_or_else(|| model.prior().numeric.to_string())},
            "labels": labels_object(model),
            "columns": json::schema(model.schema(), None),
            "telling_evidence": Value::Object(found.collect()),
        });
        if has_texts {
            shown["words"] = crate::telling_words::object(&words(model, usize::MAX, args.top.unwrap_or(10), least_texts)?);
        }
        return print_json(&shown);
    }
    let most = if args.all { usize::MAX } else { MOST };
    let rows = of(model.statistic().n_rows(), "row", "rows");
    let mut text = format!("{}: labels, {rows}, {}\n\n", args.model.display(), model.prior_words());
    text.push_str(&report::schema(model.schema(), None, if args.all { usize::MAX } else { 40 }));
    let _ = writeln!(text, "\n{}", labels(model, most));
    // Words have rankings of their own below.
    let top = args.top.unwrap_or(5);
    if !model.schema().variables().iter().filter(|v| v.role == Role::Input).all(|v| is_text(&v)) {
        text.push_str(&evidence_table(&evidence(model, most, top)?, most));
        text.push_str(if has_texts { "\n" } else { "" });
    }
    if has_texts {
        text.push_str(&crate::telling_words::tables(&words(model, most, top, least_texts)?, model.prior().text, args.by, most));
    }
    print(&text)
}
