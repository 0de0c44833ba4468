//! Answers of a network as a person reads them.

use std::fmt::Write;

use tunbridge::net::ask::{BestAssignment, Conflict, Independence, Outcome, Reply, StateRow, Value};
use tunbridge::net::{Dag, Domain, VarId};

use crate::figures::{number, probability};
use crate::report::{Align, bar, table};

/// More columns than this are easier to read as lines.
const MOST_COLUMNS: usize = 8;

/// The answer, and in a last line how it was got, and how probable what was found is.
pub fn reply(domain: &Domain, dag: Option<&Dag>, reply: &Reply, has_findings: bool) -> String {
    let mut text = match &reply.outcome {
        Outcome::Found { value: found, .. } => value(domain, found),
        Outcome::EachState { given, rows, .. } => each_state(domain, given, rows),
        Outcome::Independence(found) => independence(domain, dag, found),
        Outcome::Impossible { conflict: found } => conflict(found),
        _ => "This program has no words for the answer; --format json may.\n".into(),
    };
    let evidence = match reply.outcome {
        Outcome::Found { ln_p_evidence, .. } | Outcome::EachState { ln_p_evidence, .. } if has_findings => {
            format!("; {}", p_of_evidence(ln_p_evidence, dag.is_some()))
        }
        _ => String::new(),
    };
    let _ = writeln!(text, "\n{}{evidence}", reply.method);
    text
}

/// The probability of the findings, as its logarithm where it is too small to read. Factors without directions have a sum instead.
fn p_of_evidence(ln: f64, is_probability: bool) -> String {
    if !is_probability {
        return format!("ln Z(findings) = {}", number(ln));
    }
    if (-23.0..=0.0).contains(&ln) { format!("P(findings) = {}", number(ln.exp())) } else { format!("ln P(findings) = {}", number(ln)) }
}

fn value(domain: &Domain, found: &Value) -> String {
    match found {
        Value::Table(found) => {
            let mut header: Vec<&str> = found.variables.iter().map(|variable| domain.name(*variable)).collect();
            header.extend(["probability", ""]);
            let align = aligned(found.variables.len());
            let line = |(states, p): (Vec<&str>, f64)| {
                states.into_iter().map(String::from).chain([probability(p), bar(p)]).collect::<Vec<String>>()
            };
            table(&header, &align, &found.named_rows(domain).map(line).collect::<Vec<_>>())
        }
        Value::Probability(p) => format!("  {}\n", probability(*p)),
        Value::Marginals(all) => marginals(domain, all),
        Value::Best(best) => assignments(domain, best),
        Value::Expectation { mean, sd, .. } => table(&["mean", "sd"], &[Align::Right; 2], &[vec![number(*mean), number(*sd)]]),
        Value::Entropy { nats } | Value::MutualInformation { nats } => {
            table(&["nats", "bits"], &[Align::Right; 2], &[vec![number(*nats), number(nats / std::f64::consts::LN_2)]])
        }
        _ => "This program has no words for the answer; --format json may.\n".into(),
    }
}

/// Names to the left, the probability to the right, and its bar.
fn aligned(n_names: usize) -> Vec<Align> {
    let mut align = vec![Align::Left; n_names];
    align.extend([Align::Right, Align::Left]);
    align
}

/// Every variable with its states one below the other.
pub fn marginals(domain: &Domain, all: &[Vec<f64>]) -> String {
    let mut lines = Vec::new();
    for (variable, distribution) in domain.variables().zip(all) {
        for (state, p) in distribution.iter().enumerate() {
            let name = if state == 0 { domain.name(variable) } else { "" };
            lines.push(vec![name.to_string(), domain.states(variable)[state].clone(), probability(*p), bar(*p)]);
        }
    }
    table(&["variable", "state", "probability", ""], &aligned(2), &lines)
}

/// The best beside each other, or the only one with its states.
fn assignments(domain: &Domain, best: &[BestAssignment]) -> String {
    if best.len() > MOST_COLUMNS {
        let lists = best.iter().enumerate().map(|(place, one)| {
            let states: Vec<String> =
                one.states.iter().map(|(v, state)| format!("{}={}", domain.name(*v), domain.states(*v)[*state])).collect();
            vec![(place + 1).to_string(), probability(one.p), states.join(", ")]
        });
        return table(&["", "probability", "states"], &[Align::Right, Align::Right, Align::Left], &lists.collect::<Vec<_>>());
    }
    let Some(first) = best.first() else { return "No assignment is possible.\n".into() };
    let mut lines: Vec<Vec<String>> = Vec::new();
    for (place, (variable, _)) in first.states.iter().enumerate() {
        let states = best.iter().map(|one| domain.states(*variable)[one.states[place].1].clone());
        lines.push(std::iter::once(domain.name(*variable).to_string()).chain(states).collect());
    }
    let mut text = if best.len() == 1 {
        table(&["variable", "most probable"], &[Align::Left; 2], &lines)
    } else {
        let places: Vec<String> = (1..=best.len()).map(|place| format!("{place}.")).collect();
        let header: Vec<&str> = std::iter::once("variable").chain(places.iter().map(String::as_str)).collect();
        lines.push(std::iter::once("together".to_string()).chain(best.iter().map(|one| probability(one.p))).collect());
        table(&header, &vec![Align::Left; header.len()], &lines)
    };
    if let [only] = best {
        let they = if only.states.len() == 1 { "It has" } else { "Together they have" };
        let _ = writeln!(text, "\n{they} probability {}.", probability(only.p));
    }
    text
}

/// An answer for each state of what stands bare behind the bar.
fn each_state(domain: &Domain, given: &[VarId], rows: &[StateRow]) -> String {
    let names = given.iter().map(|variable| domain.name(*variable));
    let states = |row: &StateRow| -> Vec<String> {
        given.iter().zip(&row.states).map(|(variable, state)| domain.states(*variable)[*state].clone()).collect()
    };
    let first = rows.iter().find_map(|row| row.value.as_ref());
    // A variable with few states: a line for each state that is given, as one writes a conditional table.
    if let Some(Value::Table(shape)) = first
        && let [of] = shape.variables[..]
        && domain.n_states(of) <= MOST_COLUMNS
    {
        let columns: Vec<String> = domain.states(of).iter().map(|state| format!("{}={state}", domain.name(of))).collect();
        let header: Vec<&str> = names.chain(columns.iter().map(String::as_str)).collect();
        let align: Vec<Align> =
            header.iter().enumerate().map(|(at, _)| if at < given.len() { Align::Left } else { Align::Right }).collect();
        let line = |row: &StateRow| {
            let found: Vec<String> = match &row.value {
                Some(Value::Table(found)) => found.probabilities.iter().map(|p| probability(*p)).collect(),
                _ => vec!["impossible".into()],
            };
            states(row).into_iter().chain(found).collect::<Vec<String>>()
        };
        return table(&header, &align, &rows.iter().map(line).collect::<Vec<_>>());
    }
    if let Some(Value::Probability(_) | Value::Entropy { .. } | Value::MutualInformation { .. } | Value::Expectation { .. }) = first {
        let what = match first {
            Some(Value::Expectation { .. }) => "mean",
            Some(Value::Probability(_)) => "probability",
            _ => "nats",
        };
        let header: Vec<&str> = names.chain([what]).collect();
        let mut align = vec![Align::Left; given.len()];
        align.push(Align::Right);
        let line = |row: &StateRow| {
            let found = match &row.value {
                Some(Value::Probability(p)) => probability(*p),
                Some(Value::Expectation { mean: x, .. } | Value::Entropy { nats: x } | Value::MutualInformation { nats: x }) => number(*x),
                _ => "impossible".into(),
            };
            states(row).into_iter().chain([found]).collect::<Vec<String>>()
        };
        return table(&header, &align, &rows.iter().map(line).collect::<Vec<_>>());
    }
    let names: Vec<&str> = names.collect();
    let mut text = String::new();
    for (place, row) in rows.iter().enumerate() {
        let known: Vec<String> = names.iter().zip(states(row)).map(|(name, state)| format!("{name} = {state}")).collect();
        let found = row.value.as_ref().map_or_else(|| "  impossible\n".to_string(), |found| value(domain, found));
        let _ = write!(text, "{}Given {}\n{found}", if place > 0 { "\n" } else { "" }, known.join(", "));
    }
    text
}

/// Whether they are independent by the graph, else the trail that joins them.
fn independence(domain: &Domain, dag: Option<&Dag>, found: &Independence) -> String {
    match found {
        Independence::Independent => "Independent: whatever the tables say, this graph makes them so.\n".into(),
        Independence::Dependent { trail, opened } => {
            let mut way = String::new();
            for (place, variable) in trail.iter().enumerate() {
                if let Some(before) = place.checked_sub(1).map(|before| trail[before]) {
                    way.push_str(match dag {
                        Some(dag) if dag.parents(*variable).contains(&before) => " → ",
                        Some(_) => " ← ",
                        None => " – ",
                    });
                }
                way.push_str(domain.name(*variable));
            }
            let mut text = format!("Not independent by the graph: {way}\n");
            for &(effect, by) in opened {
                let (effect_name, by_name) = (domain.name(effect), domain.name(by));
                let _ = match effect == by {
                    true => writeln!(text, "  {effect_name} is a common effect: given it, its causes tell of each other"),
                    false => writeln!(
                        text,
                        "  {effect_name} is a common effect: given {by_name}, which is below it, its causes tell of each other"
                    ),
                };
            }
            text
        }
    }
}

/// That the findings cannot be, and which of them are enough for that.
pub fn conflict(found: &Conflict) -> String {
    let smallest = if found.findings.len() > 2 && !found.is_smallest { " Fewer may be in conflict too.\n" } else { "" };
    format!("This evidence has probability zero under the network: {found}.\n{smallest}")
}
