//! Averages of models, under the verbs that make, ask and show them.

use std::fmt::Write;
use std::path::Path;
use std::time::Instant;

use serde_json::{Map, Value, json};
use tunbridge::average::{LearnedAverage, Member, WeighedBy};
use tunbridge::model_file::check_output;
use tunbridge::{AverageModel, Case, Classifier, Error, Evaluation, Model, Timings};

use super::explain::{Told, contest, explained, formats, tell};
use super::learn::{output_path, title};
use super::{print, print_json};
use crate::args::{Common, ExplainArgs, LearnArgs, ShowArgs, refuse};
use crate::average_args;
use crate::figures::{count, number, of, percent, probability};
use crate::progress::{self, remark};
use crate::report::{self, Align, table};
use crate::{Failure, json};

/// Learns, weighs, judges and saves.
pub fn learn(args: &LearnArgs, common: &Common, timings: &mut Timings) -> Result<(), Failure> {
    let (mut learned, output) = match average_args::saved(args, common)? {
        Some((paths, mut options)) => {
            let Some(output) = args.output.clone() else {
                return Err(Failure::Usage("an average of saved models has no name of its own: say where it goes with --output".into()));
            };
            check_output(&output, &args.data, args.force)?;
            let _bar = progress::show(&mut options.read, common);
            (tunbridge::average::of_saved(&paths, &options)?, output)
        }
        None => {
            let mut options = average_args::options(args, common)?;
            let output = output_path(args)?;
            check_output(&output, &args.data, args.force)?;
            let _bar = progress::show(&mut options.read, common);
            (tunbridge::average::learn(&args.data, &options)?, output)
        }
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
    // Saved models that need no rows have none to tell of.
    let mut text = match args.data.is_empty() {
        true => format!("{columns}\n\n"),
        false => format!("{}: {}, {columns}\n\n", title(&args.data), of(learned.report.n_rows as f64, "row", "rows")),
    };
    text.push_str(&report::schema(model.schema(), (!args.data.is_empty()).then_some(&learned.report), 40));
    let dropped = model.members()[0].model().n_rows_without_class();
    if dropped > 0.0 {
        let but = if model.members().iter().any(|member| member.model().kind() == "network") { ", but by networks" } else { "" };
        let _ = writeln!(text, "\n{} left out{but}", of(dropped, "row without a class was", "rows without a class were"));
    }
    let _ = writeln!(text, "\n{}", classes(model));
    text.push_str(&members(model, &learned.of_members, learned.evaluation.as_ref()));
    if let Some(evaluation) = &learned.evaluation {
        let _ = writeln!(text, "\nHow good the average is ({})", evaluation.how);
        text.push_str(&report::evaluation(evaluation));
    }
    let _ = writeln!(text, "\nSaved {} (average of {} models)", output.display(), model.members().len());
    print(&text)
}

/// The classes with their rows; what was believed of them before is each member's own.
fn classes(model: &AverageModel) -> String {
    let rows = model.classes().iter().zip(model.members()[0].class_rows());
    let lines: Vec<Vec<String>> = rows.map(|(class, rows)| vec![class.clone(), count(rows)]).collect();
    table(&[model.target(), "rows"], &[Align::Left, Align::Right], &lines)
}

/// What makes the weights, in words.
fn score_words(by: WeighedBy) -> &'static str {
    match by {
        WeighedBy::LogScore => "log score",
        WeighedBy::MarginalLikelihood => "ln P(data)",
    }
}

/// The members with what they weigh and why; and how good they are, beside the average of them.
fn members(model: &AverageModel, judged: &[Evaluation], average: Option<&Evaluation>) -> String {
    let how = match model.weighed_by() {
        WeighedBy::LogScore => "how well they foretell held-out rows",
        WeighedBy::MarginalLikelihood => "how probable all rows are under them",
    };
    let mut text = format!("Models that are averaged, by {how}; before that all are equally probable\n");
    let mut header = vec!["model", score_words(model.weighed_by()), "weight"];
    let figures = |e: &Evaluation| vec![e.metrics.log_loss.map_or("∞".into(), number), percent(e.metrics.accuracy)];
    let line = |member: &Member| vec![member.name().to_string(), number(member.score()), probability(member.weight())];
    let mut lines: Vec<Vec<String>> = model.members().iter().map(line).collect();
    if !judged.is_empty() {
        header.extend(["log loss", "accuracy"]);
        lines.iter_mut().zip(judged).for_each(|(line, judged)| line.extend(figures(judged)));
    }
    if let Some(average) = average {
        lines.push([vec!["their average".into(), String::new(), String::new()], figures(average)].concat());
    }
    let align: Vec<Align> = (0..header.len()).map(|place| if place == 0 { Align::Left } else { Align::Right }).collect();
    text += &table(&header, &align, &lines);
    text
}

/// A member for programs.
fn member_object(member: &Member, by: WeighedBy) -> Map<String, Value> {
    let model = member.model();
    let mut object = Map::new();
    object.insert("name".into(), json!(member.name()));
    object.insert("kind".into(), json!(model.kind()));
    object.insert("prior".into(), json!(model.prior_words()));
    object.insert("weight".into(), json::real(member.weight()));
    let score = match by {
        WeighedBy::LogScore => "log_score",
        WeighedBy::MarginalLikelihood => "log_marginal_likelihood",
    };
    object.insert(score.into(), json::real(member.score()));
    object
}

fn learned_object(learned: &LearnedAverage, output: &Path) -> Value {
    let model = &learned.model;
    let mut members: Vec<Map<String, Value>> = model.members().iter().map(|member| member_object(member, model.weighed_by())).collect();
    for (object, judged) in members.iter_mut().zip(&learned.of_members) {
        object.insert("log_loss".into(), judged.metrics.log_loss.map_or(Value::Null, json::real));
        object.insert("accuracy".into(), json::real(judged.metrics.accuracy));
    }
    let mut object = json!({
        "model": output.display().to_string(),
        "kind": "average",
        "rows": learned.report.n_rows,
        "skipped": learned.report.n_skipped,
        "rows_without_target": json::number(model.members()[0].model().n_rows_without_class()),
        "target": model.target(),
        "weighed_by": model.weighed_by().to_string(),
        "members": members,
        "columns": json::schema(model.schema(), Some(&learned.report)),
    });
    if let Some(evaluation) = &learned.evaluation {
        object["evaluation"] = json::evaluation(evaluation);
    }
    object["remarks"] = json!(learned.remarks);
    object
}

/// The model in readable form, or as JSON.
pub fn show(args: &ShowArgs, as_json: bool, model: &AverageModel) -> Result<(), Failure> {
    let of_one_model = [
        ("--history", args.history),
        ("--by", args.by.is_some()),
        ("--min-texts", args.min_texts.is_some()),
        ("--top", args.top.is_some()),
    ];
    refuse(&of_one_model, "shows the evidence of one model, and this is an average of several: learn the one by itself")?;
    if as_json {
        let members: Vec<_> = model.members().iter().map(|member| member_object(member, model.weighed_by())).collect();
        let rows = model.members()[0].class_rows().into_iter().map(|rows| json!({"rows": json::number(rows)}));
        return print_json(&json!({
            "kind": "average",
            "rows": json::number(model.n_rows()),
            "target": model.target(),
            "weighed_by": model.weighed_by().to_string(),
            "members": members,
            "classes": Value::Object(model.classes().iter().cloned().zip(rows).collect()),
            "columns": json::schema(model.schema(), None),
        }));
    }
    let (n, rows) = (model.members().len(), of(model.n_rows(), "row", "rows"));
    let mut text = format!("{}: average of {n} models, {rows}\n\n", args.model.display());
    text.push_str(&report::schema(model.schema(), None, if args.all { usize::MAX } else { 40 }));
    let _ = writeln!(text, "\n{}\n{}", classes(model), members(model, &[], None));
    let believed = |member: &Member| vec![member.name().to_string(), member.model().kind().into(), member.model().prior_words()];
    let believed: Vec<Vec<String>> = model.members().iter().map(believed).collect();
    text += &table(&["model", "kind", "what it believes before"], &[Align::Left, Align::Left, Align::Left], &believed);
    print(&text)
}

/// What each member makes of a case, and the ledger of the one that weighs most.
pub fn explain(args: &ExplainArgs, common: &Common, model: &AverageModel, one_case: bool, timings: &mut Timings) -> Result<(), Failure> {
    refuse(&[("--trace", common.trace)], "is asked of one model, and this is an average of several: learn the one by itself")?;
    let start = Instant::now();
    let read = (model.schema(), model.recipe());
    let case = explained(args, common, read, one_case)?;
    let answer = case.lend(|row| model.answer(row))?;
    let contest = contest(args, model.classes(), answer.predicted[0])?;
    let of_members = of_members(model, &case)?;
    let heaviest = heaviest(model, &of_members);
    let ledger = case.lend(|row| heaviest.explain(row, 0, contest))?;
    timings.add("infer", start);
    let (as_json, as_html) = formats(common)?;
    let all = if std::ptr::eq(heaviest, model.heaviest()) { "all" } else { "those to which this is possible" };
    let whose = format!("The ledger is of `{}`, which weighs most of {all}: {}", heaviest.name(), probability(heaviest.weight()));
    let place = |class: &str| model.classes().iter().position(|known| known == class).unwrap_or(0);
    let shown = [place(&ledger.class), place(&ledger.against)];
    let mut besides = vec![whose.clone()];
    if as_html {
        let of_member = |(name, weight, p): (&str, Option<f64>, &[f64])| {
            let weight = weight.map_or(String::new(), |weight| format!(" (weight {})", probability(weight)));
            format!("{name}{weight}: {} with probability {}", ledger.class, chance(p[shown[0]]))
        };
        let lines = model.members().iter().zip(&of_members).map(|(member, p)| of_member((member.name(), Some(member.weight()), p)));
        besides.extend(lines.chain([of_member(("their average", None, &answer.probability))]));
    }
    let told = Told {
        target: model.target(),
        schema: model.schema(),
        recipe: heaviest.model().recipe(),
        event: heaviest.model().text_event(),
        ledger: &ledger,
        unit: args.unit,
        calibrated: None,
        besides: if as_html { &besides } else { &[] },
        averaged: Some(answer.probability[shown[0]]).filter(|p| !p.is_nan()),
    };
    if as_json {
        let by_class = |p: &[f64]| match p.iter().any(|p| p.is_nan()) {
            true => Value::Null,
            false => Value::Object(model.classes().iter().cloned().zip(p.iter().map(|p| json::real(*p))).collect()),
        };
        let members = model
            .members()
            .iter()
            .zip(&of_members)
            .map(|(member, p)| json!({"name": member.name(), "weight": json::real(member.weight()), "probability": by_class(p)}));
        return print_json(&json!({
            "predicted": answer.predicted[0].map(|class| &model.classes()[class as usize]),
            "probability": by_class(&answer.probability),
            "members": members.collect::<Vec<_>>(),
            "ledger_of": heaviest.name(),
            "ledger": told.object(),
        }));
    }
    if !as_html {
        let line = |name: &str, weight: String, p: &[f64]| vec![name.to_string(), weight, chance(p[shown[0]]), chance(p[shown[1]])];
        let mut lines: Vec<Vec<String>> = Vec::new();
        for (member, p) in model.members().iter().zip(&of_members) {
            lines.push(line(member.name(), probability(member.weight()), p));
        }
        lines.push(line("their average", String::new(), &answer.probability));
        let header = ["model", "weight", &format!("P({})", ledger.class), &format!("P({})", ledger.against)];
        print(&table(&header, &[Align::Left, Align::Right, Align::Right, Align::Right], &lines))?;
        print(&format!("\n{whose}\n"))?;
    }
    tell(&told, &case, args, common)
}

/// A probability, or that there is none.
fn chance(p: f64) -> String {
    if p.is_nan() { "impossible".into() } else { probability(p) }
}

/// The probabilities of the classes by each member; no numbers where the case is impossible to it.
fn of_members(model: &AverageModel, case: &Case) -> Result<Vec<Vec<f64>>, Failure> {
    let of_member = |member: &Member| Ok(case.lend(|row| member.answer(row))?.probability);
    model.members().iter().map(of_member).collect()
}

/// The member of the most weight to which the case is possible; where it is so to none, of all.
fn heaviest<'m>(model: &'m AverageModel, of_members: &[Vec<f64>]) -> &'m Member {
    let is_possible = |(member, p): (&'m Member, &Vec<f64>)| (member.weight() > 0.0 && !p[0].is_nan()).then_some(member);
    let possible = model.members().iter().zip(of_members).filter_map(is_possible);
    possible.reduce(|best, member| if member.weight() > best.weight() { member } else { best }).unwrap_or(model.heaviest())
}

/// That an average is not changed.
pub fn stays_as_it_is(model: &Model, path: &Path) -> Result<(), Failure> {
    refuse_average(
        model,
        path,
        "its weights come from all rows, and cannot be made anew from those that join or leave",
        "learn it again from all rows with `tunbridge learn … --average …`; a model by itself can be changed",
    )
}

/// That averages are not compared belief by belief.
pub fn is_not_compared(model: &Model, path: &Path) -> Result<(), Failure> {
    refuse_average(
        model,
        path,
        "it believes nothing of the columns by itself, only its members do",
        "compare models that were learned by themselves; `tunbridge show` lists the members' weights",
    )
}

fn refuse_average(model: &Model, path: &Path, because: &str, hint: &str) -> Result<(), Failure> {
    match model {
        Model::Average(_) => {
            Err(Error::Unfit { what: format!("{}: is an average of models: {because}", path.display()), hint: Some(hint.into()) }.into())
        }
        _ => Ok(()),
    }
}
