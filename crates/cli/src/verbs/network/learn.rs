//! `learn --structure`: the tables of a network whose graph is known; and `learn -m tan` and its kind, where it is found first.

use std::fmt::Write;
use std::path::Path;
use std::time::Instant;

use serde_json::{Map, Value, json};
use tunbridge::Timings;
use tunbridge::belief::Kind;
use tunbridge::belief::hypotheses::DescriptionLength;
use tunbridge::interrupt::Listening;
use tunbridge::model_file::check_output;
use tunbridge::net::VarId;
use tunbridge::network::{LearnedNetwork, NetworkModel};

use super::super::ask::explanation::bytes;
use super::super::learn::{output_path, title};
use super::super::{print, print_json};
use super::graph::Graph;
use crate::Failure;
use crate::args::{Common, LearnArgs};
use crate::figures::{count, number, of, percent};
use crate::json::{self, real};
use crate::progress::{self, remark};
use crate::report::{self, Align, table};
use crate::structure_args::{NetworkArgs, learn_options};

pub fn run(args: &LearnArgs, common: &Common, timings: &mut Timings) -> Result<(), Failure> {
    let as_json = common.json()?;
    // Ctrl-C ends EM with the best tables so far.
    let listening = Listening::begin();
    let mut options = learn_options(args, common, &listening)?;
    let output = output_path(args)?;
    check_output(&output, &args.data, args.force)?;
    let graph = Graph::open(&NetworkArgs::from(args), common, timings)?;
    let graph = graph.ok_or_else(|| tunbridge::Error::Internal("a network was asked for".into()))?;
    let mut learned = {
        let _bar = progress::show(&mut options.read, common);
        graph.learn(&args.data, &options)?
    };
    drop(listening);
    *timings = learned.timings.clone();
    let met = report::remarks(&learned.report, learned.model.schema());
    learned.remarks.extend(met);
    let start = Instant::now();
    learned.model.save(&output, args.force)?;
    timings.add("write", start);
    learned.remarks.iter().for_each(|text| remark(common, text));
    if as_json {
        return print_json(&object(&learned, &output));
    }
    let mut text = summary(&title(&args.data), &learned);
    let _ = writeln!(text, "\nSaved {} (network, {})", output.display(), learned.model.prior_words());
    print(&text)
}

fn summary(title: &str, learned: &LearnedNetwork) -> String {
    const MOST: usize = 40;
    let model = &learned.model;
    let network = model.network();
    let name = if model.name().is_empty() { String::new() } else { format!(" “{}”", model.name()) };
    let mut text = format!(
        "{title}: {}\nnetwork{name}: {}, {}, {}\n\n",
        of(learned.report.n_rows as f64, "row", "rows"),
        of(network.n_variables() as f64, "variable", "variables"),
        of(network.dag().n_arcs() as f64, "arc", "arcs"),
        of(network.n_free_parameters() as f64, "free parameter", "free parameters"),
    );
    let missing = model.observed().gaps.missing();
    let has_gaps = missing.iter().any(|n| *n > 0.0);
    let mut lines = Vec::new();
    for variable in network.dag().variables().take(MOST) {
        let states = network.states(variable);
        let shown: Vec<&str> = states.iter().take(8).map(String::as_str).collect();
        let more = if states.len() > 8 { ", …" } else { "" };
        let parents: Vec<&str> = network.dag().parents(variable).iter().map(|parent| network.name(*parent)).collect();
        let mut line =
            vec![network.name(variable).to_string(), format!("{}: {}{more}", states.len(), shown.join(", ")), parents.join(", ")];
        if has_gaps {
            line.push(gap_words(model, learned, variable));
        }
        lines.push(line);
    }
    let header: &[&str] = if has_gaps { &["variable", "states", "parents", "missing"] } else { &["variable", "states", "parents"] };
    text += &table(header, &vec![Align::Left; header.len()], &lines);
    if network.n_variables() > MOST {
        let more = of((network.n_variables() - MOST) as f64, "more variable", "more variables");
        let _ = writeln!(text, "  … and {more}; `tunbridge show MODEL --all` lists them");
    }
    let mut facts = facts(model);
    facts.extend(climb_facts(learned));
    if !facts.is_empty() {
        let _ = write!(text, "\n{}", table(&["", "", ""], &[Align::Left, Align::Right, Align::Left], &facts));
    }
    if let Some(evaluation) = &learned.evaluation {
        let _ = write!(text, "\nHow good it is ({})\n{}", evaluation.how, report::evaluation(evaluation));
    }
    text
}

/// How much of a variable is missing.
fn gap_words(model: &NetworkModel, learned: &LearnedNetwork, variable: VarId) -> String {
    let n = model.observed().gaps.missing()[variable.index()];
    if learned.hidden.iter().any(|name| name == model.network().name(variable)) {
        "hidden".into()
    } else if n > 0.0 {
        format!("{} ({})", count(n), percent(n / model.n_rows()))
    } else {
        String::new()
    }
}

/// What a learned network is worth: likelihoods, gaps, and rows that nothing was seen of.
pub fn facts(model: &NetworkModel) -> Vec<Vec<String>> {
    let mut facts = Vec::new();
    let n_rows = model.n_rows();
    if let Some(ln) = model.ln_likelihood() {
        facts.push(vec!["log likelihood".into(), number(ln), format!("{} a row", number(ln / n_rows))]);
    }
    if let Some(ln) = model.ln_marginal_likelihood() {
        facts.push(vec!["log marginal likelihood".into(), number(ln), "of the graph, its tables integrated out".into()]);
    }
    if let Some(code) = model.description_length() {
        let parts = format!("bits: {} of the network, {} of the rows", number(code.hypothesis_bits()), number(code.data_bits()));
        facts.push(vec!["description length".into(), number(code.bits()), parts]);
    }
    let gaps = &model.observed().gaps;
    if !gaps.are_none() {
        facts.push(vec!["rows without gaps".into(), count(gaps.n_complete()), format!("of {}", count(n_rows))]);
    }
    if let Some(expected) = model.expected() {
        let rest = if expected.converged { "" } else { ", not at rest" };
        facts.push(vec!["steps of EM".into(), count(expected.iterations as f64), rest.trim_start_matches(", ").into()]);
    }
    if let Some(parts) = model.kept_parts() {
        let size = bytes(parts.bytes() as f64);
        facts.push(vec!["parts kept".into(), count(parts.n_parts() as f64), format!("of rows with gaps, for EM to go on: {size}")]);
    }
    let unseen = model.unseen();
    if let Some((variable, row)) = unseen.first() {
        let n_all: usize = (0..model.posterior().families().len()).map(|of| model.posterior().families().n_rows(of)).sum();
        let given = model.configuration(*variable, *row);
        let given = if given.is_empty() { String::new() } else { format!(" given {given}") };
        let first = format!("of {} table rows, the first {}{given}", count(n_all as f64), model.network().name(*variable));
        facts.push(vec!["never seen".into(), count(unseen.len() as f64), first]);
    }
    facts
}

/// What was found out on the way up.
fn climb_facts(learned: &LearnedNetwork) -> Vec<Vec<String>> {
    let mut facts = Vec::new();
    if learned.climbed_ends.len() > 1 {
        let best = learned.climbed_ends.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let near = learned.climbed_ends.iter().filter(|end| best - **end <= 1e-4 * learned.model.n_rows()).count();
        facts.push(vec!["starts".into(), count(learned.climbed_ends.len() as f64), format!("{near} of them ended at the highest top")]);
    }
    if let Some(bic) = learned.bic {
        facts.push(vec!["BIC".into(), number(bic), "as a log marginal likelihood".into()]);
    }
    if let Some(ln) = learned.cheeseman_stutz {
        facts.push(vec!["Cheeseman–Stutz".into(), number(ln), "log marginal likelihood, nearly".into()]);
    }
    for (name, n_states, score) in &learned.tried {
        facts.push(vec![format!("{name} with {}", of(*n_states as f64, "state", "states")), number(*score), String::new()]);
    }
    facts
}

/// The rows that nothing was seen of.
pub fn unseen_object(model: &NetworkModel) -> Value {
    let network = model.network();
    let one = |(variable, row): (VarId, usize)| {
        let parents = network.dag().parents(variable);
        let mut left = row;
        let mut given: Vec<(String, Value)> = Vec::new();
        for parent in parents.iter().rev() {
            given.push((network.name(*parent).to_string(), json!(network.states(*parent)[left % network.n_states(*parent)])));
            left /= network.n_states(*parent);
        }
        given.reverse();
        json!({"variable": network.name(variable), "row": row + 1, "given": Value::Object(given.into_iter().collect())})
    };
    model.unseen().into_iter().map(one).collect()
}

/// What is told of a learned network, beside its tables.
pub fn told(model: &NetworkModel, object: &mut Map<String, Value>) {
    let (network, gaps) = (model.network(), &model.observed().gaps);
    object.insert("prior".into(), json!(model.prior_words()));
    if let Some(target) = model.target() {
        object.insert("target".into(), json!(network.name(target)));
    }
    if let Some(ln) = model.ln_likelihood() {
        object.insert("log_likelihood".into(), real(ln));
        object.insert("log_likelihood_per_row".into(), real(ln / model.n_rows()));
    }
    if let Some(ln) = model.ln_marginal_likelihood() {
        object.insert("log_marginal_likelihood".into(), real(ln));
    }
    if let Some(code) = model.description_length() {
        let bits = json!({"network": real(code.hypothesis_bits()), "rows": real(code.data_bits()), "bits": real(code.bits())});
        object.insert("description_length".into(), bits);
    }
    if let Some(expected) = model.expected() {
        object.insert("iterations".into(), json!(expected.iterations));
        object.insert("converged".into(), json!(expected.converged));
    }
    object.extend(kept(model));
    let missing = network.structure().names().iter().zip(gaps.missing()).filter(|(_, n)| **n > 0.0);
    object.insert("missing".into(), Value::Object(missing.map(|(name, n)| (name.clone(), json::number(*n))).collect()));
    object.insert("complete_rows".into(), json::number(gaps.n_complete()));
    object.insert("unseen".into(), unseen_object(model));
}

/// What EM made of rows with gaps.
pub fn told_of_em(model: &NetworkModel, object: &mut Map<String, Value>) {
    let Some(expected) = model.expected() else { return };
    object.insert("iterations".into(), json!(expected.iterations));
    object.insert("converged".into(), json!(expected.converged));
    object.extend(model.ln_likelihood().map(|ln| ("log_likelihood".to_string(), real(ln))));
    object.extend(kept(model));
}

/// The parts of rows with gaps that are in the model.
fn kept(model: &NetworkModel) -> Option<(String, Value)> {
    model.kept_parts().map(|parts| ("parts".to_string(), json!({"kept": parts.n_parts(), "bytes": parts.bytes()})))
}

fn object(learned: &LearnedNetwork, output: &Path) -> Value {
    let model = &learned.model;
    let network = model.network();
    let mut object = Map::new();
    object.insert("model".into(), json!(output.display().to_string()));
    object.insert("kind".into(), json!("network"));
    object.insert("rows".into(), json!(learned.report.n_rows));
    object.insert("skipped".into(), json!(learned.report.n_skipped));
    object.insert("weight".into(), json::number(model.n_rows()));
    let states = |variable: VarId| match &model.schema().variable(variable).kind {
        Kind::Categorical(states) => json!({"name": network.name(variable), "states": states.names()}),
        _ => Value::Null,
    };
    object.insert("variables".into(), network.dag().variables().map(states).collect());
    object.insert("arcs".into(), network.dag().arcs().map(|(from, to)| json!([network.name(from), network.name(to)])).collect());
    object.insert("free_parameters".into(), json!(network.n_free_parameters()));
    told(model, &mut object);
    if !learned.objectives.is_empty() {
        object.insert("objectives".into(), learned.objectives.iter().map(|ln| real(*ln)).collect());
        object.insert("ends".into(), learned.climbed_ends.iter().map(|ln| real(*ln)).collect());
    }
    let mut score = Map::new();
    score.extend(learned.bic.map(|bic| ("bic".to_string(), real(bic))));
    score.extend(learned.cheeseman_stutz.map(|ln| ("cheeseman_stutz".to_string(), real(ln))));
    if !score.is_empty() {
        object.insert("score".into(), Value::Object(score));
    }
    if let Some(evaluation) = &learned.evaluation {
        object.insert("evaluation".into(), json::evaluation(evaluation));
    }
    if !learned.tried.is_empty() {
        let one = |(name, n_states, score): &(String, usize, f64)| json!({"variable": name, "states": n_states, "score": real(*score)});
        object.insert("tried".into(), learned.tried.iter().map(one).collect());
    }
    object.insert("hidden".into(), json!(learned.hidden));
    object.insert("remarks".into(), json!(learned.remarks));
    Value::Object(object)
}
