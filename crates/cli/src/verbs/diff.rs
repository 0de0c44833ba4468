//! `diff`: which beliefs moved between two models.

use std::fmt::Write;

use tunbridge::{Moved, Timings, difference};

use super::change::of_both;
use super::{load, no_trace, print, print_json};
use crate::args::{Common, DiffArgs};
use crate::figures::{count, number, of, probability};
use crate::report::{Align, table};
use crate::{Failure, json};

pub fn run(args: &DiffArgs, common: &Common, timings: &mut Timings) -> Result<(), Failure> {
    no_trace(common)?;
    let as_json = common.json()?;
    let [before, after] = [load(&args.before, timings)?, load(&args.after, timings)?];
    let found = difference(&before, &after).map_err(|e| of_both(e, &args.before, &args.after))?;
    if as_json {
        let mut value = serde_json::to_value(&found).map_err(|e| tunbridge::Error::Internal(e.to_string()))?;
        value["rows"] = found.rows.map(json::number).to_vec().into();
        return print_json(&value);
    }
    let mut text = format!("{} before, {} after\n", of(found.rows[0], "row", "rows"), count(found.rows[1]));
    if let Some([before, after]) = &found.priors {
        let _ = writeln!(text, "prior before: {before}\nprior after:  {after}");
    }
    if found.moved.is_empty() {
        text.push_str("No belief moved.\n");
        return print(&text);
    }
    let _ = writeln!(text, "{} moved, the farthest first\n", of(found.moved.len() as f64, "belief", "beliefs"));
    let rows: Vec<Vec<String>> = found.moved.iter().take(args.top).map(line).collect();
    text.push_str(&table(&["belief", "before", "after", "moved"], &[Align::Left, Align::Right, Align::Right, Align::Right], &rows));
    print(&text)
}

fn line(moved: &Moved) -> Vec<String> {
    let given = moved.given.as_ref().map(|g| format!(" | {g}")).unwrap_or_default();
    if moved.value == "mean" || moved.value == "sd" {
        let unit = if moved.value == "mean" { " sd" } else { " nats" };
        return vec![
            format!("{} of {}{given}", moved.value, moved.variable),
            number(moved.before),
            number(moved.after),
            format!("{}{unit}", number(moved.moved)),
        ];
    }
    let p = |p: f64| if p.is_nan() { "unknown".to_string() } else { probability(p) };
    let by = if moved.moved.is_nan() { "new".into() } else { format!("{} nats", number(moved.moved)) };
    vec![format!("P({} = {}{given})", moved.variable, moved.value), p(moved.before), p(moved.after), by]
}
