//! `show`: a model in readable form, or as JSON.

use std::fmt::Write;
use std::fs::File;

use serde_json::{Map, Value, json};
use tunbridge::belief::{JointCounts, VarId};
use tunbridge::learners::{AttributeStatistic, TellingWords, telling_evidence, telling_words};
use tunbridge::{Error, Model, NaiveBayesModel, StateBelief, Timings};

use super::learn::{bin_words, classes, evidence_table};
use super::{load, no_trace, print, print_json, unknown_kind};
use crate::args::{Common, ShowArgs, refuse};
use crate::figures::{count, number, of, probability};
use crate::report::{self, Align, table, turned};
use crate::{Failure, json, unlabelled};

pub fn run(args: &ShowArgs, common: &Common, timings: &mut Timings) -> Result<(), Failure> {
    no_trace(common)?;
    if !tunbridge::model_file::is_model(&args.model) {
        if args.model.is_file() && File::open(&args.model).is_err() {
            return load(&args.model, timings).map(drop);
        }
        if args.model.exists() && !tunbridge::network::is_network(&args.model) {
            let what = format!("{}: is not a Tunbridge model, nor a network", args.model.display());
            let hint = format!("a model is written by `tunbridge learn`; networks are {} files", super::network::format_names());
            return Err(Error::Unfit { what, hint: Some(hint) }.into());
        }
        return super::network::show(args, common, timings);
    }
    let model = load(&args.model, timings)?;
    if let Model::Network(_) = model {
        return super::network::show(args, common, timings);
    }
    refuse(&args.network.given(), "is for networks, and this is a model")?;
    let as_json = common.json()?;
    let model = match model {
        Model::Labels(model) => return super::labels::show(args, as_json, &model),
        Model::Average(model) => return super::average::show(args, as_json, &model),
        Model::Aode(model) => return super::aode::show(args, as_json, &model),
        Model::NaiveBayes(model) => *model,
        other => return Err(unknown_kind(&other)),
    };
    let kind = model.kind();
    if args.history {
        if as_json {
            let from = model.unlabelled().map(|from| unlabelled::object(from, true));
            return print_json(&from.unwrap_or(Value::Null));
        }
        return print(&unlabelled::history(&model, args.top.unwrap_or(10), if args.all { usize::MAX } else { 10 })?);
    }
    let has_texts = model.statistic().attributes().iter().any(|a| matches!(a, AttributeStatistic::Words(_)));
    if !has_texts {
        refuse(&[("--by", args.by.is_some()), ("--min-texts", args.min_texts.is_some())], "is about words, and the model has no texts")?;
    }
    let words = |most: usize| -> Result<Vec<TellingWords>, Failure> {
        let least = args.min_texts.map_or(0.0, f64::from);
        Ok(telling_words(model.schema(), model.statistic(), model.posterior(), most, least).map_err(Error::from)?)
    };
    if as_json {
        refuse(&[("--by", args.by.is_some())], "is for people: JSON has both rankings")?;
        let top = args.top.unwrap_or(10);
        let mut shown = object(&model, kind, top)?;
        if let Some(mixture) = model.mixture() {
            let (schema, statistic) = (mixture.schema(), mixture.statistic());
            shown["components"] = serde_json::json!(telling_evidence(schema, statistic, mixture.model(), top).map_err(Error::from)?);
        }
        if has_texts {
            shown["words"] = crate::telling_words::object(&words(top)?);
        }
        return print_json(&shown);
    }
    let most = if args.all { usize::MAX } else { 40 };
    let mut text = format!("{}: {kind}, {} rows, {}\n\n", args.model.display(), count(model.observed().n_rows()), model.prior_words());
    if let Some(calibrator) = model.calibrator() {
        let stale = if model.calibrator_is_stale() { ", fitted before the last change" } else { "" };
        let _ = writeln!(text, "Calibrated ({:?}{stale})\n", calibrator.method());
    }
    if let Some(from) = model.unlabelled() {
        let _ = writeln!(text, "{}", unlabelled::summary(from, model.classes()));
    }
    text.push_str(&report::schema(model.schema(), None, most));
    model.vocabulary_remarks().iter().for_each(|told| text += &format!("\n{told}\n"));
    let _ = writeln!(text, "\n{}", classes(&model));
    let most_classes = if args.all { usize::MAX } else { 10 };
    // Words have rankings of their own below; they need no third one where there is nothing else.
    if !model.statistic().attributes().iter().all(|a| matches!(a, AttributeStatistic::Absent | AttributeStatistic::Words(_))) {
        let evidence =
            telling_evidence(model.schema(), model.statistic(), model.posterior(), args.top.unwrap_or(5)).map_err(Error::from)?;
        text.push_str(&evidence_table(&evidence, most_classes));
        text.push_str(if has_texts { "\n" } else { "" });
    }
    if let Some(mixture) = model.mixture() {
        let (schema, statistic, top) = (mixture.schema(), mixture.statistic(), args.top.unwrap_or(5));
        let evidence = telling_evidence(schema, statistic, mixture.model(), top).map_err(Error::from)?;
        let _ = write!(text, "\nEach component of a class against all others\n{}", evidence_table(&evidence, most_classes));
    }
    text.push_str(&crate::telling_words::tables(&words(args.top.unwrap_or(5))?, model.prior().text, args.by, most_classes));
    text.push_str(&tables(&model, if args.all { usize::MAX } else { 10 }));
    print(&text)
}

/// What is believed of every attribute given the class.
pub fn tables(model: &NaiveBayesModel, most: usize) -> String {
    let classes = model.classes();
    let mut out = String::new();
    let mut shown = 0;
    for (place, variable) in model.schema().variables().iter().enumerate() {
        let attribute = &model.statistic().attributes()[place];
        // Words are shown by what they tell: a table of all would be a dictionary.
        if matches!(attribute, AttributeStatistic::Absent | AttributeStatistic::Words(_)) {
            continue;
        }
        shown += 1;
        if shown > most {
            continue;
        }
        let mut rows: Vec<Vec<String>> = Vec::new();
        let title;
        if let AttributeStatistic::Moments(moments) = attribute {
            title = format!("{} given {}", variable.name, model.posterior().target());
            let line = |word: &str, f: &dyn Fn(&tunbridge::belief::Moments) -> String| {
                std::iter::once(word.to_string()).chain(moments.of_class().iter().map(f)).collect::<Vec<_>>()
            };
            rows.push(line("mean", &|m| if m.weight > 0.0 { number(m.mean) } else { "–".into() }));
            rows.push(line("sd", &|m| m.variance().map_or("–".into(), |v| number(v.sqrt()))));
            rows.push(line("rows", &|m| count(m.weight)));
        } else {
            let (name, target) = (&variable.name, model.posterior().target());
            title = match model.state_belief(VarId::new(place)) {
                StateBelief::Probability => format!("P({name} | {target})"),
                StateBelief::NoOther => format!("P(this state of {name} and no other | {target})"),
                StateBelief::Share => format!("Share of rows by {name}, which is the centroid of {target}"),
            };
            let names = state_names(model, place);
            for (state, name) in names.iter().enumerate().take(if most == usize::MAX { usize::MAX } else { 20 }) {
                let p = model.of_state(VarId::new(place), state);
                let cell = |class: usize| p.as_ref().map_or("–".into(), |p| probability(p[class]));
                rows.push(std::iter::once(name.clone()).chain((0..classes.len()).map(cell)).collect());
            }
            if names.len() > rows.len() {
                rows.push(vec![format!("… {} more", count((names.len() - rows.len()) as f64))]);
            }
        }
        let mut lines = vec![std::iter::once(String::new()).chain(classes.iter().cloned()).collect()];
        lines.append(&mut rows);
        let lines = if classes.len() > lines.len().max(8) { turned(&lines) } else { lines };
        let header: Vec<&str> = lines[0].iter().map(String::as_str).collect();
        let align: Vec<Align> = (0..header.len()).map(|place| if place == 0 { Align::Left } else { Align::Right }).collect();
        let _ = write!(out, "\n{title}\n{}", table(&header, &align, &lines[1..]));
    }
    if shown > most {
        let _ = writeln!(out, "\n… and {}; --all prints them", of((shown - most) as f64, "more column", "more columns"));
    }
    out
}

/// The states of an attribute, or its bins in words.
fn state_names(model: &NaiveBayesModel, place: usize) -> Vec<String> {
    match &model.statistic().attributes()[place] {
        AttributeStatistic::Binned { cuts, .. } => {
            (0..=cuts.len()).map(|bin| bin_words(bin.checked_sub(1).map(|i| cuts[i]), cuts.get(bin).copied())).collect()
        }
        _ => model.schema().variables()[place].kind.states().map(|s| s.names().to_vec()).unwrap_or_default(),
    }
}

fn object(model: &NaiveBayesModel, kind: &str, top: usize) -> Result<Value, Failure> {
    let posterior = model.posterior();
    let classes = posterior.class_names();
    let by_class = |values: Vec<Value>| Value::Object(classes.iter().cloned().zip(values).collect::<Map<_, _>>());
    let row = |place: usize, counts: &JointCounts, state: usize, mut value: Value| {
        let p = model.of_state(VarId::new(place), state);
        value["count"] = by_class(counts.of_state(state).iter().map(|n| json::number(*n)).collect());
        value["p"] = p.map(|p| by_class(p.into_iter().map(json::real).collect())).into();
        value
    };
    let mut attributes = Map::new();
    for (place, variable) in model.schema().variables().iter().enumerate() {
        let value = match &model.statistic().attributes()[place] {
            AttributeStatistic::Absent => continue,
            AttributeStatistic::Moments(moments) => by_class(
                moments
                    .of_class()
                    .iter()
                    .map(
                        |m| json!({"weight": json::number(m.weight), "mean": json::real(m.mean), "variance": m.variance().map(json::real)}),
                    )
                    .collect(),
            ),
            AttributeStatistic::Words(counts) => {
                let names = state_names(model, place);
                let met = counts.met().filter(|(_, of_word)| of_word.iter().any(|(_, count)| count.times > 0.0));
                met.map(|(word, of_word)| {
                    let of_word = of_word.dense(classes.len());
                    let p = model.of_state(VarId::new(place), word);
                    json!({"word": names[word],
                           "times": by_class(of_word.iter().map(|count| json::number(count.times)).collect()),
                           "texts": by_class(of_word.iter().map(|count| json::number(count.texts)).collect()),
                           "p": p.map(|p| by_class(p.into_iter().map(json::real).collect()))})
                })
                .collect()
            }
            AttributeStatistic::Counts(counts) => {
                let names = state_names(model, place);
                names.iter().enumerate().map(|(state, name)| row(place, counts, state, json!({"state": name}))).collect()
            }
            AttributeStatistic::Binned { cuts, counts } => (0..=cuts.len())
                .map(|bin| {
                    let above = bin.checked_sub(1).map(|below| cuts[below]);
                    row(place, counts, bin, json!({"above": above, "up_to": cuts.get(bin)}))
                })
                .collect(),
        };
        attributes.insert(variable.name.clone(), value);
    }
    let evidence = telling_evidence(model.schema(), model.statistic(), posterior, top).map_err(Error::from)?;
    let mut value = json!({
        "kind": kind,
        "rows": json::number(model.observed().n_rows()),
        "target": posterior.target(),
        "prior": {"estimate": model.prior().estimate.to_string(), "class_prior": model.prior().class.to_string(),
                  "numeric": model.recipe().discretisation.clone().unwrap_or_else(|| model.prior().numeric.to_string())},
        "classes": by_class(posterior.class_weights().iter().zip(posterior.ln_class_prior())
            .map(|(w, ln)| json!({"rows": json::number(*w), "prior": json::real(ln.exp())})).collect()),
        "columns": json::schema(model.schema(), None),
        "attributes": attributes,
        "telling_evidence": evidence,
        "calibration": model.calibrator().map(|c| json!({"method": c.method(), "stale": model.calibrator_is_stale()})),
    });
    if let Some(pruned) = json::pruned(model) {
        value["pruned"] = pruned;
    }
    Ok(value)
}
