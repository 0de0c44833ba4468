//! `diff`: which beliefs moved between two models.

use std::fmt::Write;

use tunbridge::{Believed, Model, Moved, Timings, Value, difference};

use super::change::{of_both, unlike};
use super::learn::bin_words;
use super::{load, no_trace, print, print_json};
use crate::args::{Common, DiffArgs};
use crate::figures::{count, number, of, probability};
use crate::progress::remark;
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
    let most = args.top.unwrap_or(if as_json { usize::MAX } else { 20 });
    let found = match (&before, &after) {
        (Model::NaiveBayes(before), Model::NaiveBayes(after)) => difference(before, after),
        (Model::Labels(before), Model::Labels(after)) => tunbridge::labels::difference(before, after),
        (Model::Aode(before), Model::Aode(after)) => tunbridge::aode::difference(before, after, most),
        (before, after) => Err(unlike(before, after)),
    };
    let mut found = found.map_err(|e| of_both(e, &args.before, &args.after))?;
    if [&before, &after].iter().any(|model| matches!(model, Model::NaiveBayes(model) if model.mixture().is_some())) {
        remark(common, "classes are compared as a whole: the components of one model are not those of another");
    }
    found.moved.truncate(most);
    if as_json {
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
    if found.n_moved == 0 {
        text.push_str("No belief moved.\n");
        return print(&text);
    }
    let _ = writeln!(text, "{} moved, the farthest first\n", of(found.n_moved as f64, "belief", "beliefs"));
    let rows: Vec<Vec<String>> = found.moved.iter().map(line).collect();
    text.push_str(&table(&["belief", "before", "after", "moved"], &[Align::Left, Align::Right, Align::Right, Align::Right], &rows));
    print(&text)
}

fn line(moved: &Moved) -> Vec<String> {
    let parent = moved.parent.as_ref().map(|parent| format!(", {} = {}", parent.variable, parent.value)).unwrap_or_default();
    let given = moved.given.as_ref().map(|class| format!(" | {class}{parent}")).unwrap_or_default();
    let name = &moved.variable;
    let is = |value: &Value| match value {
        Value::State(state) => format!("{name} = {state}"),
        Value::Bin { above, up_to } => format!("{name} {}", bin_words(*above, *up_to)),
    };
    let (what, unit) = match &moved.what {
        Believed::Probability(value) => (format!("P({}{given})", is(value)), "nats"),
        Believed::JointProbability(value) => (format!("P({}, {})", is(value), moved.given.as_deref().unwrap_or_default()), "nats"),
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
