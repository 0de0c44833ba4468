//! `show` for networks, and the verbs that write them: `convert`, `edit` and `random`.

pub mod convert;
pub mod diff;
pub mod edit;
pub mod graph;
pub mod impute;
pub mod learn;
mod object;
pub mod random;
mod words;

use std::fmt::Write as _;
use std::path::Path;
use std::time::Instant;

use tunbridge::net::ask::{Outcome, Question, Value, find_variable};
use tunbridge::net::independences::{Independence, minimal_independences};
use tunbridge::net::query::{Query, Targets};
use tunbridge::net::{EquivalenceClass, VarId};
use tunbridge::network::{self, FormatKind, NetworkFile, NetworkModel, Saved};
use tunbridge::{Error, Timings};

use super::print;
use crate::Failure;
use crate::args::{Common, ExplainArgs, Format, ShowArgs, refuse};
use crate::progress::remark;

/// Tables for beliefs that `show` is asked for may take so much.
pub const MEMORY: u64 = 2_000_000_000;

/// Opens a network and tells what was found wrong and mended in it.
pub fn open(path: &Path, common: &Common, timings: &mut Timings) -> Result<NetworkFile, Failure> {
    let start = Instant::now();
    let file = NetworkFile::open(path)?;
    timings.add("read", start);
    file.remarks().iter().for_each(|text| remark(common, &format!("{}: {text}", path.display())));
    Ok(file)
}

/// Prints a network in a format; what that has no words for is told.
fn print_as(file: &NetworkFile, to: FormatKind, common: &Common) -> Result<(), Failure> {
    let written = network::written(file, to)?;
    written.lost.iter().for_each(|what| remark(common, &format!("lost: {what}")));
    print(&written.text)
}

/// What there is to say of a network that was read and saved, a line each.
fn told_of_saving(file: &NetworkFile, saved: &Saved) -> String {
    let read = file.remarks().iter().map(|what| format!("  read: {what}\n"));
    let lost = saved.lost.iter().map(|what| format!("  lost: {what}\n"));
    let beside = saved.beside.iter().map(|path| format!("  beside it: {}\n", path.display()));
    read.chain(lost).chain(beside).collect()
}

/// The formats that networks are read and written in.
pub fn format_names() -> String {
    FormatKind::ALL.map(FormatKind::name).join(", ")
}

/// What `show` prints.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Style {
    Text,
    Json,
    Svg,
    Dot,
}

pub fn show(args: &ShowArgs, common: &Common, timings: &mut Timings) -> Result<(), Failure> {
    let of_models = [
        ("--top", args.top.is_some()),
        ("--by", args.by.is_some()),
        ("--min-texts", args.min_texts.is_some()),
        ("--history", args.history),
    ];
    refuse(&of_models, "is for models, and this is a network")?;
    let of_network = &args.network;
    let style = match common.format {
        None => match of_network.output.as_deref().and_then(Path::extension).and_then(|ending| ending.to_str()) {
            Some("svg") => Style::Svg,
            Some("json") => Style::Json,
            Some("dot" | "gv") => Style::Dot,
            _ => Style::Text,
        },
        Some(Format::Text) => Style::Text,
        Some(Format::Json) => Style::Json,
        Some(Format::Svg) => Style::Svg,
        Some(Format::Dot) => Style::Dot,
        Some(_) => return Err(Failure::Usage("a network is shown with --format text, json, svg or dot".into())),
    };
    let views: Vec<(&str, bool)> = of_network.given().into_iter().filter(|(flag, _)| !matches!(*flag, "--given" | "--output")).collect();
    if let [(first, _), (second, _), ..] = views.iter().filter(|(_, given)| *given).collect::<Vec<_>>()[..] {
        return Err(Failure::Usage(format!("{first} and {second} are two things to show: give one")));
    }
    if style == Style::Dot || style == Style::Svg && !of_network.junction_tree {
        refuse(&views, "is printed with --format text or json")?;
    }
    let file = open(&args.model, common, timings)?;
    let wants_beliefs = !of_network.given.is_empty() || style == Style::Svg && !of_network.junction_tree && !file.is_structure();
    let beliefs = if !wants_beliefs { None } else { beliefs(&file, &of_network.given, timings)? };
    let text = match style {
        Style::Text => text(args, &file, beliefs.as_ref())?,
        Style::Json => format!("{}\n", object(args, &file, beliefs.as_ref())?),
        Style::Svg if of_network.junction_tree => network::junction_tree_picture(&file, &file.tree_plan())?,
        Style::Svg => network::svg(&file, beliefs.as_ref())?,
        Style::Dot => network::written(&file, FormatKind::Dot)?.text,
    };
    match &of_network.output {
        None => print(&text),
        Some(path) => {
            network::put(path, &text)?;
            Ok(())
        }
    }
}

/// The marginals of all variables given findings. A picture without findings does without them where they do not fit.
fn beliefs(file: &NetworkFile, given: &[String], timings: &mut Timings) -> Result<Option<network::Beliefs>, Failure> {
    let start = Instant::now();
    let oracle = file.oracle(MEMORY).for_one_question();
    let mut findings = Vec::new();
    for text in given {
        findings.extend(network::findings(oracle.domain(), text)?);
    }
    let everything = Query::Probability { targets: Targets::All, given: Vec::new() };
    let mut question = Question::resolve(oracle.domain(), &everything).map_err(Error::from)?;
    question.findings = findings;
    let reply = match oracle.reply(&question) {
        Ok(reply) => reply,
        Err(_) if given.is_empty() => return Ok(None),
        Err(e) => return Err(Error::from(e).into()),
    };
    timings.add("infer", start);
    match reply.outcome {
        Outcome::Found { value: Value::Marginals(marginals), ln_p_evidence } => {
            let findings = question.findings.iter().map(|finding| finding.text().to_string()).collect();
            let observed = question.findings.iter().map(|finding| {
                let state = finding.likelihood().iter().position(|value| *value > 0.0).filter(|_| finding.is_hard());
                (finding.variable(), state)
            });
            let observed = observed.collect();
            Ok(Some(network::Beliefs { marginals, findings, observed, ln_p_evidence }))
        }
        Outcome::Impossible { conflict } => {
            let what = format!("what is given has probability zero under the network: {conflict}");
            Err(Error::Unfit { what, hint: Some("leave a finding out of --given".into()) }.into())
        }
        _ => Err(Error::Internal("marginals were asked for".into()).into()),
    }
}

fn text(args: &ShowArgs, file: &NetworkFile, beliefs: Option<&network::Beliefs>) -> Result<String, Failure> {
    let of_network = &args.network;
    let mut text = String::new();
    if let Some(name) = &of_network.variable {
        text += &words::variable(directed(file)?, find(file, name)?, file.model(), args.all);
    } else if of_network.junction_tree {
        text += &words::junction_tree(file, &file.tree_plan());
    } else if of_network.order {
        text += &network::order_text(file);
    } else if of_network.independences {
        text += &words::independences(directed(file)?, &independences(file)?, args.all);
    } else if of_network.class {
        let network = directed(file)?;
        text += &words::class(network, &EquivalenceClass::of(network.dag()));
    } else {
        let tree = file.tree_plan();
        text += &words::summary(file, &file.shape(&tree), args.all);
    }
    if let Some(beliefs) = beliefs {
        let _ = write!(
            text,
            "\nBeliefs given {}\n{}",
            beliefs.findings.join(", "),
            super::ask::words::marginals(file.domain(), &beliefs.marginals)
        );
    }
    Ok(text)
}

fn object(args: &ShowArgs, file: &NetworkFile, beliefs: Option<&network::Beliefs>) -> Result<serde_json::Value, Failure> {
    let of_network = &args.network;
    let mut value = if let Some(name) = &of_network.variable {
        object::variable(directed(file)?, find(file, name)?, file.model())
    } else if of_network.junction_tree {
        object::junction_tree(file, &file.tree_plan())
    } else if of_network.order {
        object::order(file)
    } else if of_network.independences {
        object::independences(directed(file)?, &independences(file)?)
    } else if of_network.class {
        let network = directed(file)?;
        object::class(network, &EquivalenceClass::of(network.dag()))
    } else {
        let tree = file.tree_plan();
        object::summary(file, &file.shape(&tree))
    };
    if let Some(beliefs) = beliefs {
        value["marginals"] = super::ask::object::marginals(file.domain(), &beliefs.marginals);
        value["log_p_evidence"] = crate::json::real(beliefs.ln_p_evidence);
    }
    Ok(value)
}

/// That a network is explained by questions, with the question that was meant.
pub fn not_explained(args: &ExplainArgs, model: &NetworkModel, one_case: bool) -> Failure {
    let target = model.target().map_or("TARGET", |target| model.network().name(target));
    let findings = if one_case { args.inputs.join(", ") } else { "B=b, C=c".into() };
    let what = format!("{}: is a network, in which findings may speak for and against each other", args.model.display());
    let hint = format!("ask it: tunbridge ask {} 'P({target} | {findings})' --explain", args.model.display());
    Error::Unfit { what, hint: Some(hint) }.into()
}

/// Independences of pairs, each with no more given than is needed.
fn independences(file: &NetworkFile) -> Result<Vec<Independence>, Failure> {
    let network = directed(file)?;
    let found = minimal_independences(network.dag()).map_err(|e| {
        let hint = format!("ask for one, as in `tunbridge ask {} 'A ⟂ B | C'`", file.path.display());
        Error::Unfit { what: format!("{}: {e}", file.path.display()), hint: Some(hint) }
    })?;
    Ok(found.collect())
}

/// The network, where the file has one and not factors alone.
fn directed(file: &NetworkFile) -> Result<&tunbridge::net::Network, Failure> {
    file.network().ok_or_else(|| {
        let what = format!("{}: has factors without directions, and this is asked of a Bayesian network", file.path.display());
        Error::Unfit { what, hint: Some("`tunbridge show` and `tunbridge ask` work on it".into()) }.into()
    })
}

fn find(file: &NetworkFile, name: &str) -> Result<VarId, Failure> {
    Ok(find_variable(file.domain(), name).map_err(Error::from)?)
}
