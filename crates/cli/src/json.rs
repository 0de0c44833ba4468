//! The same facts for programs: one JSON object per verb, whose fields are documented in `docs/reference.md` and kept stable.

use serde_json::{Map, Value, json};
use tunbridge::belief::{Kind, Pruned, ReadReport, Role, Schema, Variable};
use tunbridge::evaluate::{LabelAverages, LabelMetric};
use tunbridge::labels::LabelEvaluation;
use tunbridge::{Evaluation, NaiveBayesModel, Timings};

/// A number, or null where JSON has none.
pub fn number(x: f64) -> Value {
    if x.is_finite() { if x.fract() == 0.0 && x.abs() < 9e15 { json!(x as i64) } else { json!(x) } } else { Value::Null }
}

/// A number that stays a decimal.
pub fn real(x: f64) -> Value {
    if x.is_finite() { json!(x) } else { Value::Null }
}

pub fn evaluation(e: &Evaluation) -> Value {
    let m = &e.metrics;
    let by_class = |values: Vec<Value>| Value::Object(e.classes.iter().cloned().zip(values).collect::<Map<_, _>>());
    let confusion = confusion(e);
    let option = |x: Option<f64>| x.map_or(Value::Null, real);
    let classes = by_class(
        m.per_class
            .iter()
            .map(
                |c| json!({"precision": option(c.precision), "recall": option(c.recall), "f1": option(c.f1), "support": number(c.support)}),
            )
            .collect(),
    );
    let reliability: Vec<Value> = m
        .reliability
        .iter()
        .map(|b| {
            json!({"lower": real(b.lower), "upper": real(b.upper), "rows": number(b.weight),
                   "mean_confidence": option(b.mean_confidence), "accuracy": option(b.accuracy)})
        })
        .collect();
    let mut value = json!({
        "method": e.how,
        "rows": number(m.rows),
        "accuracy": real(m.accuracy),
        "balanced_accuracy": real(m.balanced_accuracy),
        "macro_f1": real(m.macro_f1),
        "log_loss": option(m.log_loss),
        "log_loss_of_possible": option(m.log_loss_of_possible),
        "probability_zero": number(m.n_probability_zero),
        "impossible": number(m.n_impossible),
        "brier": real(m.brier),
        "calibration_error": option(m.calibration_error),
        "baseline_accuracy": real(m.baseline_accuracy),
        "baseline_log_loss": real(m.baseline_log_loss),
        "classes": classes,
        "confusion": confusion,
        "reliability": reliability,
    });
    if let Some(cost) = &m.cost {
        let baseline_class = &e.classes[cost.baseline_class];
        value["cost"] = json!({"mean": real(cost.mean), "baseline": real(cost.baseline), "baseline_class": baseline_class, "ratio": option(cost.ratio)});
    }
    value
}

/// What keeping to a bound on the vocabulary cost, for each text that lost something.
pub fn pruned(model: &NaiveBayesModel) -> Option<Value> {
    let lost = model.schema().variables().iter().zip(model.pruned()).filter(|(_, pruned)| pruned.is_something());
    let of = |(variable, pruned): (&Variable, &Pruned)| {
        json!({"variable": variable.name, "max_vocabulary": model.recipe().max_vocabulary, "words_dropped": pruned.n_dropped,
               "times_dropped": number(pruned.times), "met_at_most": number(pruned.most), "short_by": number(pruned.short_by)})
    };
    let lost: Vec<Value> = lost.map(of).collect();
    (!lost.is_empty()).then(|| lost.into())
}

/// How good predictions of labels are.
pub fn label_evaluation(e: &LabelEvaluation) -> Value {
    let m = &e.metrics;
    let option = |x: Option<f64>| x.map_or(Value::Null, real);
    let averages = |a: &LabelAverages| json!({"precision": option(a.precision), "recall": option(a.recall), "f1": option(a.f1), "break_even": option(a.break_even)});
    let label = |l: &LabelMetric| {
        json!({"support": number(l.support), "predicted": number(l.predicted), "precision": option(l.precision),
               "recall": option(l.recall), "f1": option(l.f1), "break_even": option(l.break_even), "impossible": number(l.impossible)})
    };
    json!({
        "method": e.how,
        "rows": number(m.rows),
        "exact": real(m.exact),
        "hamming_loss": real(m.hamming_loss),
        "micro": averages(&m.micro),
        "macro": averages(&m.macro_),
        "pooled_break_even": option(m.pooled_break_even),
        "labels": e.labels.iter().cloned().zip(m.per_label.iter().map(label)).collect::<Map<_, _>>(),
    })
}

/// What was taken for what: the whole table for few classes, and of many only what occurs.
fn confusion(e: &Evaluation) -> Value {
    const FEW: usize = 100;
    let table = &e.metrics.confusion;
    let mut rows: Map<String, Value> = e.classes.iter().map(|class| (class.clone(), Value::Object(Map::new()))).collect();
    let mut put = |truth: usize, predicted: usize, weight: f64| {
        rows[&e.classes[truth]][&e.classes[predicted]] = number(weight);
    };
    if e.classes.len() <= FEW {
        (0..e.classes.len())
            .for_each(|truth| (0..e.classes.len()).for_each(|predicted| put(truth, predicted, table.get(truth, predicted))));
    } else {
        table.cells().for_each(|(truth, predicted, weight)| put(truth, predicted, weight));
    }
    Value::Object(rows)
}

pub fn schema(schema: &Schema, report: Option<&ReadReport>) -> Value {
    let columns: Vec<Value> = schema
        .variables()
        .iter()
        .enumerate()
        .map(|(place, variable)| {
            let mut column = Map::new();
            column.insert("name".into(), json!(variable.name));
            column.insert("type".into(), json!(variable.kind.word()));
            let (role, reason) = match &variable.role {
                Role::Input => ("input", None),
                Role::Target => ("target", None),
                Role::Weight => ("weight", None),
                Role::Ignored(reason) => ("ignored", Some(reason)),
            };
            column.insert("role".into(), json!(role));
            if let Some(reason) = reason {
                column.insert("reason".into(), json!(reason));
            }
            if let Kind::Text(words) = &variable.kind {
                column.insert("words".into(), json!(words.len()));
            }
            if let Kind::Labels(labels) = &variable.kind {
                column.insert("labels".into(), json!(labels.names()));
            }
            if let Kind::Categorical(states) = &variable.kind {
                column.insert("states".into(), json!(states.names()));
                column.insert("declared".into(), json!(states.n_declared()));
                column.insert("ordered".into(), json!(states.is_ordered()));
            }
            if let Some(missing) = report.and_then(|r| r.n_missing.get(place)) {
                column.insert("missing".into(), json!(missing));
            }
            Value::Object(column)
        })
        .collect();
    Value::Array(columns)
}

/// Seconds by phase, and the most memory that was resident.
pub fn timings(timings: &Timings) -> Value {
    let mut fields: Map<String, Value> = timings.phases().iter().map(|(phase, seconds)| (phase.to_string(), json!(seconds))).collect();
    fields.insert("peak_rss_mb".into(), peak_rss_mb().map_or(Value::Null, |mb| json!(mb)));
    Value::Object(fields)
}

fn peak_rss_mb() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.split_ascii_whitespace().next()?.parse::<f64>().ok()? / 1024.0)
}
