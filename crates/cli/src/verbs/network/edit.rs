//! `edit`: a network with arcs, variables or names changed, and what each change did.

use std::time::Instant;

use serde_json::{Value, json};
use tunbridge::net::{Edit, Effect, Kept};
use tunbridge::network::{self, NetworkFile};
use tunbridge::{Error, Timings};

use super::super::{no_trace, print, print_json};
use super::convert::{format_of, format_to};
use super::{print_as, told_of_saving};
use crate::Failure;
use crate::args::Common;
use crate::figures::{number, of, probability};
use crate::json::real;
use crate::network_args::EditArgs;
use crate::progress::remark;

pub fn run(args: &EditArgs, common: &Common, timings: &mut Timings) -> Result<(), Failure> {
    no_trace(common)?;
    let as_json = common.json()?;
    let output = args.output.as_deref().filter(|path| path.as_os_str() != "-");
    if as_json && output.is_none() {
        return Err(Failure::Usage("--format json tells of the file: name one with --output".into()));
    }
    let to = if args.to.is_some() || output.is_some() { Some(format_to(args.to.as_deref(), output)?) } else { None };
    let from = args.from.as_deref().map(|name| format_of("--from", name)).transpose()?;
    let edits = args.edits.iter().enumerate().map(|(place, text)| parse(place, text)).collect::<Result<Vec<Edit>, Failure>>()?;
    let start = Instant::now();
    let file = NetworkFile::open_as(&args.input, from)?;
    timings.add("read", start);
    let start = Instant::now();
    let (edited, effects) = file.edited(&edits)?;
    timings.add("edit", start);
    let to = to.unwrap_or(edited.format);
    let start = Instant::now();
    let Some(path) = output else {
        edited.remarks().iter().for_each(|text| remark(common, &format!("{}: {text}", args.input.display())));
        edits.iter().zip(&effects).for_each(|(edit, effect)| remark(common, &words(edit, effect)));
        return print_as(&edited, to, common);
    };
    let saved = network::save(&edited, path, to, args.force)?;
    timings.add("write", start);
    let (n_variables, n_arcs) = (edited.domain().n_variables(), edited.network().map_or(0, |network| network.dag().n_arcs()));
    if as_json {
        let beside: Vec<String> = saved.beside.iter().map(|path| path.display().to_string()).collect();
        let edits: Vec<Value> = edits.iter().zip(&effects).map(|(edit, effect)| object(edit, effect)).collect();
        return print_json(
            &json!({"network": path.display().to_string(), "from": edited.came_as(), "to": to.name(), "variables": n_variables,
            "arcs": n_arcs, "edits": edits, "remarks": edited.remarks(), "lost": saved.lost, "beside": beside}),
        );
    }
    let (variables, arcs) = (of(n_variables as f64, "variable", "variables"), of(n_arcs as f64, "arc", "arcs"));
    let steps: String = edits.iter().zip(&effects).map(|(edit, effect)| format!("  {}\n", words(edit, effect))).collect();
    print(&format!("{}: {variables}, {arcs}, {} to {to}\n{steps}{}", path.display(), edited.came_as(), told_of_saving(&edited, &saved)))
}

/// Reads an edit; what is wrong with it is shown with its place.
fn parse(place: usize, text: &str) -> Result<Edit, Failure> {
    text.parse::<Edit>().map_err(|e| Failure::Question(Error::from(e).at(format!("edit {}", place + 1))))
}

fn words(edit: &Edit, effect: &Effect) -> String {
    let distribution = match effect.distribution {
        Kept::Joint => "the joint distribution is kept".to_string(),
        Kept::Marginal => "the joint distribution of the others is kept".to_string(),
        Kept::Conditional { ln_p } => format!("the others are as they are given that; its probability is {}", probability(ln_p.exp())),
        Kept::Nearest { .. } if effect.is_kept() => "the joint distribution is kept, for the arc carries no information".to_string(),
        Kept::Nearest { nats: Some(nats) } => {
            format!("the joint distribution is {} nats from what it was, the least without the arc", number(nats))
        }
        _ => "the joint distribution is the nearest without the arc; how near would take too large a table to say".to_string(),
    };
    let tables =
        if effect.changed.is_empty() { "no other tables".to_string() } else { format!("other tables: {}", effect.changed.join(", ")) };
    let dropped = match &effect.properties_dropped[..] {
        [] => String::new(),
        names => format!("; dropped, for it was said of the old ones: properties of {}", names.join(", ")),
    };
    format!("{edit}: {distribution}; {tables}{dropped}")
}

fn object(edit: &Edit, effect: &Effect) -> Value {
    let mut value = json!({"edit": edit.to_string(), "changed": effect.changed, "kept": effect.is_kept()});
    match effect.distribution {
        Kept::Nearest { nats } => value["kl"] = nats.map_or(Value::Null, real),
        Kept::Conditional { ln_p } => {
            value["p"] = real(ln_p.exp());
            value["log_p"] = real(ln_p);
        }
        _ => {}
    }
    if let Some(name) = &effect.dropped {
        value["dropped"] = json!(name);
    }
    if !effect.properties_dropped.is_empty() {
        value["properties_dropped"] = json!(effect.properties_dropped);
    }
    value
}
