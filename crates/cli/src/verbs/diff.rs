//! `diff`: which beliefs moved between two models.

use std::fmt::Write;

use tunbridge::{Moved, difference};

use super::{load, no_trace, print, print_json};
use crate::Failure;
use crate::args::{Common, DiffArgs};
use crate::figures::{count, number, probability};
use crate::report::{Align, table};

pub fn run(args: &DiffArgs, common: &Common) -> Result<(), Failure> {
    no_trace(common)?;
    let as_json = common.json()?;
    let found = difference(&load(&args.before)?, &load(&args.after)?)?;
    if as_json {
        let value = serde_json::to_value(&found).map_err(|e| tunbridge::Error::Internal(e.to_string()))?;
        return print_json(&value);
    }
    let mut text = format!("{} rows before, {} after\n", count(found.rows[0]), count(found.rows[1]));
    if let Some([before, after]) = &found.priors {
        let _ = writeln!(text, "priors: {before} before, {after} after");
    }
    if found.moved.is_empty() {
        text.push_str("No belief moved.\n");
        return print(&text);
    }
    let _ = writeln!(text, "{} beliefs moved, the farthest first\n", count(found.moved.len() as f64));
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
