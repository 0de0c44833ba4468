//! `convert`: a network in another format, or as the classifier that it is.

use std::path::Path;
use std::time::Instant;

use tunbridge::network::{self, FormatKind, NetworkFile};
use tunbridge::{NaiveBayesModel, Timings};

use super::super::{no_trace, print, print_json};
use super::{print_as, told_of_saving};
use crate::Failure;
use crate::args::Common;
use crate::figures::of;
use crate::network_args::ConvertArgs;
use crate::progress::remark;

pub fn run(args: &ConvertArgs, common: &Common, timings: &mut Timings) -> Result<(), Failure> {
    no_trace(common)?;
    let as_json = common.json()?;
    if let Some(target) = &args.target {
        return to_model(args, target, as_json, timings);
    }
    if args.to.is_none() && args.output.extension().is_some_and(|ending| ending == "tb") {
        let what = format!("`{}`: a model predicts one of the variables; say which with --target", args.output.display());
        return Err(Failure::Usage(what));
    }
    let to = format_to(args.to.as_deref(), Some(&args.output))?;
    let file = read(args, timings)?;
    let start = Instant::now();
    if args.output.as_os_str() == "-" {
        file.remarks().iter().for_each(|text| remark(common, &format!("{}: {text}", args.input.display())));
        return print_as(&file, to, common);
    }
    let saved = network::save(&file, &args.output, to, args.force)?;
    timings.add("write", start);
    let n_variables = file.domain().n_variables();
    if as_json {
        let beside: Vec<String> = saved.beside.iter().map(|path| path.display().to_string()).collect();
        return print_json(&serde_json::json!({"network": args.output.display().to_string(), "from": file.came_as(), "to": to.name(),
            "variables": n_variables, "remarks": file.remarks(), "lost": saved.lost, "beside": beside}));
    }
    let variables = of(n_variables as f64, "variable", "variables");
    let told = told_of_saving(&file, &saved);
    print(&format!("{}: {variables}, {} to {to}\n{told}", args.output.display(), file.came_as()))
}

fn read(args: &ConvertArgs, timings: &mut Timings) -> Result<NetworkFile, Failure> {
    let from = args.from.as_deref().map(|name| format_of("--from", name)).transpose()?;
    let start = Instant::now();
    let file = NetworkFile::open_as(&args.input, from)?;
    timings.add("read", start);
    Ok(file)
}

/// The naive Bayes model that a network of its shape is.
fn to_model(args: &ConvertArgs, target: &str, as_json: bool, timings: &mut Timings) -> Result<(), Failure> {
    if args.output.as_os_str() == "-" {
        return Err(Failure::Usage("a model is a file, and standard output prints text: name one that ends in .tb".into()));
    }
    let file = read(args, timings)?;
    let model = NaiveBayesModel::from_network(&file, target, args.equivalent_sample_size)?;
    let start = Instant::now();
    let bytes = model.save(&args.output, args.force)?;
    timings.add("write", start);
    let (n_variables, rows) = (file.domain().n_variables(), args.equivalent_sample_size);
    if as_json {
        return print_json(&serde_json::json!({"model": args.output.display().to_string(), "kind": model.kind(), "target": target,
            "from": file.came_as(), "variables": n_variables, "rows": rows, "bytes": bytes, "remarks": file.remarks()}));
    }
    let (variables, rows) = (of(n_variables as f64, "variable", "variables"), of(rows, "row", "rows"));
    let remarks: String = file.remarks().iter().map(|text| format!("  read: {text}\n")).collect();
    print(&format!("{}: {variables}, a naive Bayes model of {target}, worth {rows}\n{remarks}", args.output.display()))
}

/// A format by its name.
pub fn format_of(flag: &str, name: &str) -> Result<FormatKind, Failure> {
    FormatKind::ALL
        .into_iter()
        .find(|format| format.name().eq_ignore_ascii_case(name))
        .ok_or_else(|| Failure::Usage(format!("{flag} `{name}`: is no format of networks; there are {}", super::format_names())))
}

/// The format that is said, or that a file's name asks for.
pub fn format_to(said: Option<&str>, path: Option<&Path>) -> Result<FormatKind, Failure> {
    match (said, path) {
        (Some(name), _) => format_of("--to", name),
        (None, Some(path)) => FormatKind::of_file_name(&path.to_string_lossy()).ok_or_else(|| {
            Failure::Usage(format!("`{}`: no format of networks has that ending; say it with --to, as in --to bif", path.display()))
        }),
        (None, None) => Ok(FormatKind::Tbn),
    }
}
