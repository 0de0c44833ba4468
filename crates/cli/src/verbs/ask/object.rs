//! Answers of a network for programs: JSON and CSV.

use serde_json::{Map, Value as Json, json};
use tunbridge::net::ask::{BestAssignment, Finding, Independence, Outcome, Reply, StateRow, Value};
use tunbridge::net::{Domain, VarId};

use crate::json::real;

/// The answer as an object; the fields that every question has stand first and last.
pub fn reply(domain: &Domain, query: &str, reply: &Reply) -> Json {
    let mut object = Map::new();
    object.insert("query".into(), query.into());
    fields(domain, &reply.outcome, &mut object);
    object.insert("method".into(), reply.method.clone().into());
    Json::Object(object)
}

/// What was found, field by field.
pub fn fields(domain: &Domain, outcome: &Outcome, object: &mut Map<String, Json>) {
    match outcome {
        Outcome::Found { value: found, ln_p_evidence } => {
            value(domain, found, object);
            object.insert("log_p_evidence".into(), real(*ln_p_evidence));
        }
        Outcome::EachState { given, rows, ln_p_evidence } => {
            let names: Vec<&str> = given.iter().map(|variable| domain.name(*variable)).collect();
            object.insert("given".into(), json!(names));
            let states = |row: &StateRow| -> Map<String, Json> {
                given.iter().zip(&row.states).map(|(v, state)| (domain.name(*v).to_string(), json!(domain.states(*v)[*state]))).collect()
            };
            if let Some(Value::Table(table)) = rows.iter().find_map(|row| row.value.as_ref()) {
                let variables: Vec<&str> = table.variables.iter().map(|variable| domain.name(*variable)).collect();
                object.insert("variables".into(), json!(variables));
                let mut lines = Vec::new();
                for row in rows {
                    match &row.value {
                        Some(Value::Table(table)) => {
                            for (of, p) in table.named_rows(domain) {
                                let mut line = states(row);
                                line.extend(variables.iter().zip(of).map(|(name, state)| (name.to_string(), json!(state))));
                                line.insert("p".into(), real(p));
                                lines.push(Json::Object(line));
                            }
                        }
                        _ => {
                            let mut line = states(row);
                            line.insert("impossible".into(), json!(true));
                            lines.push(Json::Object(line));
                        }
                    }
                }
                object.insert("table".into(), lines.into());
            } else {
                let line = |row: &StateRow| {
                    let mut line = states(row);
                    match &row.value {
                        Some(found) => value(domain, found, &mut line),
                        None => drop(line.insert("impossible".into(), json!(true))),
                    }
                    Json::Object(line)
                };
                object.insert("table".into(), rows.iter().map(line).collect());
            }
            object.insert("log_p_evidence".into(), real(*ln_p_evidence));
        }
        Outcome::Independence(found) => match found {
            Independence::Independent => {
                object.insert("independent".into(), json!(true));
            }
            Independence::Dependent { trail, opened } => {
                object.insert("independent".into(), json!(false));
                object.insert("trail".into(), trail.iter().map(|variable| domain.name(*variable)).collect());
                if !opened.is_empty() {
                    let one = |&(effect, by): &(VarId, VarId)| json!({"effect": domain.name(effect), "by": domain.name(by)});
                    object.insert("opened".into(), opened.iter().map(one).collect());
                }
            }
        },
        Outcome::Impossible { conflict } => {
            object.insert("impossible".into(), json!(true));
            object.insert("conflict".into(), conflict.findings.iter().map(Finding::text).collect());
            object.insert("log_p_evidence".into(), Json::Null);
        }
        _ => {}
    }
}

fn value(domain: &Domain, found: &Value, object: &mut Map<String, Json>) {
    match found {
        Value::Table(table) => {
            let variables: Vec<&str> = table.variables.iter().map(|variable| domain.name(*variable)).collect();
            let line = |(states, p): (Vec<&str>, f64)| {
                let mut line: Map<String, Json> =
                    variables.iter().zip(states).map(|(name, state)| (name.to_string(), json!(state))).collect();
                line.insert("p".into(), real(p));
                Json::Object(line)
            };
            object.insert("variables".into(), json!(variables));
            object.insert("table".into(), table.named_rows(domain).map(line).collect());
        }
        Value::Probability(p) => drop(object.insert("p".into(), real(*p))),
        Value::Marginals(all) => drop(object.insert("marginals".into(), marginals(domain, all))),
        Value::Best(best) => {
            if let Some(first) = best.first() {
                assignment(domain, first, object);
            }
            if best.len() > 1 {
                let one = |one: &BestAssignment| {
                    let mut object = Map::new();
                    assignment(domain, one, &mut object);
                    Json::Object(object)
                };
                object.insert("best".into(), best.iter().map(one).collect());
            }
        }
        Value::Expectation { mean, sd, .. } => {
            object.insert("mean".into(), real(*mean));
            object.insert("sd".into(), real(*sd));
        }
        Value::Entropy { nats } => drop(object.insert("entropy".into(), real(*nats))),
        Value::MutualInformation { nats } => drop(object.insert("mutual_information".into(), real(*nats))),
        _ => {}
    }
}

/// Every variable's states with their probabilities.
pub fn marginals(domain: &Domain, all: &[Vec<f64>]) -> Json {
    let of = |(variable, distribution): (tunbridge::net::VarId, &Vec<f64>)| {
        let states = domain.states(variable).iter().cloned().zip(distribution.iter().map(|p| real(*p)));
        (domain.name(variable).to_string(), Json::Object(states.collect()))
    };
    Json::Object(domain.variables().zip(all).map(of).collect())
}

fn assignment(domain: &Domain, best: &BestAssignment, object: &mut Map<String, Json>) {
    let states = best.states.iter().map(|(variable, state)| (domain.name(*variable).to_string(), json!(domain.states(*variable)[*state])));
    object.insert("assignment".into(), Json::Object(states.collect()));
    object.insert("p".into(), real(best.p));
    object.insert("log_p_joint".into(), real(best.log_p_joint));
}

/// The answer as a table with a header.
pub fn csv(domain: &Domain, reply: &Reply) -> Vec<Vec<String>> {
    let line = |cells: &[&str]| cells.iter().map(|cell| cell.to_string()).collect::<Vec<String>>();
    match &reply.outcome {
        Outcome::Found { value: found, .. } => cells(domain, found),
        Outcome::EachState { given, rows, .. } => {
            let mut lines: Vec<Vec<String>> = Vec::new();
            for row in rows {
                let states: Vec<String> = given.iter().zip(&row.states).map(|(v, state)| domain.states(*v)[*state].clone()).collect();
                let Some(found) = &row.value else { continue };
                let mut of_row = cells(domain, found).into_iter();
                let header = of_row.next().unwrap_or_default();
                if lines.is_empty() {
                    lines.push(given.iter().map(|variable| domain.name(*variable).to_string()).chain(header).collect());
                }
                lines.extend(of_row.map(|cells| states.iter().cloned().chain(cells).collect()));
            }
            lines
        }
        Outcome::Independence(Independence::Independent) => vec![line(&["independent", "trail"]), line(&["true", ""])],
        Outcome::Independence(Independence::Dependent { trail, .. }) => {
            let names: Vec<&str> = trail.iter().map(|variable| domain.name(*variable)).collect();
            vec![line(&["independent", "trail"]), vec!["false".into(), names.join(" ")]]
        }
        Outcome::Impossible { conflict } => vec![line(&["impossible"]), vec![conflict.to_string()]],
        _ => Vec::new(),
    }
}

fn cells(domain: &Domain, found: &Value) -> Vec<Vec<String>> {
    let figure = |x: f64| real(x).to_string();
    match found {
        Value::Table(table) => {
            let mut lines = vec![table.variables.iter().map(|v| domain.name(*v).to_string()).chain(["p".to_string()]).collect()];
            lines.extend(table.named_rows(domain).map(|(states, p)| states.into_iter().map(String::from).chain([figure(p)]).collect()));
            lines
        }
        Value::Probability(p) => vec![vec!["p".into()], vec![figure(*p)]],
        Value::Marginals(all) => {
            let mut lines = vec![vec!["variable".to_string(), "state".into(), "p".into()]];
            for (variable, distribution) in domain.variables().zip(all) {
                let line = |(state, p): (&String, &f64)| vec![domain.name(variable).to_string(), state.clone(), figure(*p)];
                lines.extend(domain.states(variable).iter().zip(distribution).map(line));
            }
            lines
        }
        Value::Best(best) => {
            let Some(first) = best.first() else { return Vec::new() };
            let header = first.states.iter().map(|(v, _)| domain.name(*v).to_string()).chain(["p".to_string(), "log_p_joint".into()]);
            let line = |one: &BestAssignment| {
                let states = one.states.iter().map(|(v, state)| domain.states(*v)[*state].clone());
                states.chain([figure(one.p), figure(one.log_p_joint)]).collect()
            };
            std::iter::once(header.collect()).chain(best.iter().map(line)).collect()
        }
        Value::Expectation { mean, sd, .. } => vec![vec!["mean".into(), "sd".into()], vec![figure(*mean), figure(*sd)]],
        Value::Entropy { nats } | Value::MutualInformation { nats } => vec![vec!["nats".into()], vec![figure(*nats)]],
        _ => Vec::new(),
    }
}
