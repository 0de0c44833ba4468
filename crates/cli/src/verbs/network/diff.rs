//! `diff` of two networks: how far one is from the other, and where.

use std::fmt::Write;
use std::path::Path;

use serde_json::{Value, json};
use tunbridge::network::{self, Difference};
use tunbridge::{Error, Timings};

use super::super::{print, print_json};
use super::open;
use crate::Failure;
use crate::args::{Common, DiffArgs};
use crate::figures::{number, of};
use crate::json::real;
use crate::report::{Align, table};

pub fn run(args: &DiffArgs, common: &Common, timings: &mut Timings) -> Result<(), Failure> {
    let as_json = common.json()?;
    let (before, after) = (open(&args.before, common, timings)?, open(&args.after, common, timings)?);
    let (Some(p), Some(q)) = (before.network(), after.network()) else {
        let what = "one of the files has factors without directions, and networks are compared";
        return Err(Error::Unfit { what: what.into(), hint: Some("`tunbridge ask` works on both".into()) }.into());
    };
    let found = network::difference(p, q)?;
    if as_json {
        return print_json(&object(&found, args.top.unwrap_or(usize::MAX)));
    }
    print(&words(&found, &args.before, &args.after, args.top.unwrap_or(20)))
}

fn words(found: &Difference, before: &Path, after: &Path, top: usize) -> String {
    let divergence = |nats: &Option<f64>| {
        nats.map_or_else(|| "infinite: it holds possible what the other does not".to_string(), |nats| format!("{} nats", number(nats)))
    };
    let mut text = format!("before: {}\nafter:  {}\n\n", before.display(), after.display());
    let lines = [
        vec!["D(before ‖ after)".to_string(), divergence(&found.before_after)],
        vec!["D(after ‖ before)".to_string(), divergence(&found.after_before)],
    ];
    text += &table(&["", ""], &[Align::Left; 2], &lines);
    for (title, arcs) in [("Arcs that are gone", &found.arcs_gone), ("Arcs that are new", &found.arcs_new)] {
        if !arcs.is_empty() {
            let _ = writeln!(text, "\n{title}");
            arcs.iter().for_each(|(from, to)| text += &format!("  {from} → {to}\n"));
        }
    }
    if found.tables.is_empty() {
        let same = if found.arcs_gone.is_empty() && found.arcs_new.is_empty() {
            "The networks are the same."
        } else {
            "Tables of the same parents are the same."
        };
        let _ = writeln!(text, "\n{same}");
        return text;
    }
    let differ = of(found.tables.len() as f64, "table of the same parents differs", "tables of the same parents differ");
    let _ = writeln!(text, "\n{differ}, the farthest first");
    let line = |one: &network::TableDifference| vec![one.entry.clone(), number(one.before), number(one.after)];
    let lines: Vec<Vec<String>> = found.tables.iter().take(top).map(line).collect();
    text += &table(&["farthest entry", "before", "after"], &[Align::Left, Align::Right, Align::Right], &lines);
    text
}

fn object(found: &Difference, top: usize) -> Value {
    let arcs = |arcs: &[(String, String)]| arcs.iter().map(|(from, to)| json!([from, to])).collect::<Vec<_>>();
    let one = |one: &network::TableDifference| json!({"variable": one.variable, "entry": one.entry, "before": real(one.before), "after": real(one.after)});
    json!({"kl": {"before_after": found.before_after.map(real), "after_before": found.after_before.map(real)},
           "arcs_gone": arcs(&found.arcs_gone), "arcs_new": arcs(&found.arcs_new),
           "tables": found.tables.iter().take(top).map(one).collect::<Vec<_>>()})
}
