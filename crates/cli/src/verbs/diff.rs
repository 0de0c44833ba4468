//! `diff`: which beliefs moved between two models.

use std::fmt::Write;

use tunbridge::{Believed, Model, Moved, Timings, Value, difference};

use super::change::{of_both, unlike};
use super::learn::bin_words;
use super::{load, no_trace, print, print_json};
use crate::args::{Common, DiffArgs};
use crate::figures::{count, number, of, probability};
use crate::report::{Align, table};
use crate::{Failure, json};

pub fn run(args: &DiffArgs, common: &Common, timings: &mut Timings) -> Result<(), Failure> {
    no_trace(common)?;
    let is_network = |path: &std::path::Path| {
        if tunbridge::model_file::is_model(path) { matches!(Model::load(path), Ok(Model::Network(_))) } else { path.is_file() }
    };
    if is_network(&args.before) && is_network(&args.after) {
        return super::network::diff::run(args, common, timings);
    }
    let as_json = common.json()?;
    let [before, after] = [load(&args.before, timings)?, load(&args.after, timings)?];
    super::average::is_not_compared(&before, &args.before)?;
    super::average::is_not_compared(&after, &args.after)?;
    if let (Model::Aode(_), Model::Aode(_)) = (&before, &after) {
        let hint = Some("`tunbridge evaluate MODEL DATA` judges each on the same rows".into());
        let what = "averaged one-dependence estimators are too many beliefs to list: one for each pair of values and class".into();
        return Err(tunbridge::Error::Unfit { what, hint }.into());
    }
    let found = match (&before, &after) {
        (Model::NaiveBayes(before), Model::NaiveBayes(after)) => difference(before, after),
        (Model::Labels(before), Model::Labels(after)) => tunbridge::labels::difference(before, after),
        (before, after) => Err(unlike(before, after)),
    };
    let mut found = found.map_err(|e| of_both(e, &args.before, &args.after))?;
    if as_json {
        found.moved.truncate(args.top.unwrap_or(usize::MAX));
        let mut value = serde_json::to_value(&found).map_err(|e| tunbridge::Error::Internal(e.to_string()))?;
        value["rows"] = found.rows.map(json::number).to_vec().into();
        return print_json(&value);
    }
    let mut text = format!("{} before, {} after\n", of(found.rows[0], "row", "rows"), count(found.rows[1]));
    if let Some([before, after]) = &found.priors {
        let _ = writeln!(text, "prior before: {before}\nprior after:  {after}");
    }
    if let Some([before, after]) = &found.calibrations {
        let _ = writeln!(text, "calibration before: {before}\ncalibration after:  {after}");
    }
    if found.moved.is_empty() {
        text.push_str("No belief moved.\n");
        return print(&text);
    }
    let _ = writeln!(text, "{} moved, the farthest first\n", of(found.moved.len() as f64, "belief", "beliefs"));
    let rows: Vec<Vec<String>> = found.moved.iter().take(args.top.unwrap_or(20)).map(line).collect();
    text.push_str(&table(&["belief", "before", "after", "moved"], &[Align::Left, Align::Right, Align::Right, Align::Right], &rows));
    print(&text)
}

fn line(moved: &Moved) -> Vec<String> {
    let given = moved.given.as_ref().map(|g| format!(" | {g}")).unwrap_or_default();
    let name = &moved.variable;
    let is = |value: &Value| match value {
        Value::State(state) => format!("{name} = {state}"),
        Value::Bin { above, up_to } => format!("{name} {}", bin_words(*above, *up_to)),
    };
    let (what, unit) = match &moved.what {
        Believed::Probability(value) => (format!("P({}{given})", is(value)), "nats"),
        Believed::ProbabilityOfNoOther(value) => (format!("P({} and no other{given})", is(value)), "nats"),
        Believed::Share(value) => (format!("share of {}{given}", is(value)), "nats"),
        Believed::Mean => (format!("mean of {name}{given}"), "sd"),
        Believed::Sd => (format!("sd of {name}{given}"), "nats"),
    };
    let figure = |x: Option<f64>| match (x, &moved.what) {
        (None, _) => "unknown".into(),
        (Some(x), Believed::Mean | Believed::Sd) => number(x),
        (Some(p), _) => probability(p),
    };
    let by = match (moved.moved, moved.before) {
        (Some(by), _) => format!("{} {unit}", number(by)),
        (None, None) => "new".into(),
        (None, Some(_)) => "gone".into(),
    };
    vec![what, figure(moved.before), figure(moved.after), by]
}
