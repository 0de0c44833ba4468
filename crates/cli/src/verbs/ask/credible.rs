//! `ask --credible`: an interval beside every number of an answer.

use std::path::Path;

use serde_json::{Map, Value as Json, json};
use tunbridge::Error;
use tunbridge::net::Domain;
use tunbridge::net::ask::{Outcome, Reply, Value};
use tunbridge::network::{Augmentation, Credible};

use crate::Failure;
use crate::figures::{count, number};
use crate::json::real;
use crate::report::{Align, table};

/// Chains above this have not mixed: those of an interval are short, and R-hat of short chains that agree is up to here.
const MOST_R_HAT: f64 = 1.05;

/// That tables of a file are not uncertain.
pub fn not_learned(path: &Path) -> Failure {
    let what = format!("{}: holds no learned network, and nothing says how sure its tables are", path.display());
    let hint = "leave --credible out, or learn the tables from data: tunbridge learn DATA --structure NET".into();
    Error::Unfit { what, hint: Some(hint) }.into()
}

/// A line for every number: what it is of, the number, and its interval; a header first.
pub fn lines(domain: &Domain, outcome: &Outcome, credible: &Credible, figure: impl Fn(f64) -> String) -> Vec<Vec<String>> {
    let mut intervals = credible.intervals.iter();
    let mut lines: Vec<Vec<String>> = Vec::new();
    let mut push = |before: &[String], names: &[String], value: &Value| {
        let of_value = named(domain, value);
        if lines.is_empty() {
            lines.push(names.iter().cloned().chain(of_value.header).chain(["low".into(), "high".into()]).collect());
        }
        for ((of, x), interval) in of_value.numbers.into_iter().zip(&mut intervals) {
            lines.push(before.iter().cloned().chain(of).chain([figure(x)]).chain(interval.map(&figure)).collect());
        }
    };
    match outcome {
        Outcome::Found { value, .. } => push(&[], &[], value),
        Outcome::EachState { given, rows, .. } => {
            let names: Vec<String> = given.iter().map(|variable| domain.name(*variable).to_string()).collect();
            for row in rows {
                let states: Vec<String> = given.iter().zip(&row.states).map(|(v, state)| domain.states(*v)[*state].clone()).collect();
                if let Some(value) = &row.value {
                    push(&states, &names, value);
                }
            }
        }
        _ => {}
    }
    lines
}

/// The numbers of a value, each with what it is of.
struct Named {
    header: Vec<String>,
    numbers: Vec<(Vec<String>, f64)>,
}

fn named(domain: &Domain, value: &Value) -> Named {
    let header = |names: &[&str]| names.iter().map(|name| name.to_string()).collect();
    match value {
        Value::Table(found) => Named {
            header: found.variables.iter().map(|v| domain.name(*v).to_string()).chain(["p".into()]).collect(),
            numbers: found.named_rows(domain).map(|(states, p)| (states.into_iter().map(String::from).collect(), p)).collect(),
        },
        Value::Probability(p) => Named { header: header(&["p"]), numbers: vec![(Vec::new(), *p)] },
        Value::Marginals(all) => {
            let of = |(variable, distribution): (tunbridge::net::VarId, &Vec<f64>)| {
                let states = domain.states(variable).iter().zip(distribution.clone());
                states.map(|(state, p)| (vec![domain.name(variable).to_string(), state.clone()], p)).collect::<Vec<_>>()
            };
            Named { header: header(&["variable", "state", "p"]), numbers: domain.variables().zip(all).flat_map(of).collect() }
        }
        Value::Best(best) => Named {
            header: best
                .first()
                .map_or(Vec::new(), |one| one.states.iter().map(|(v, _)| domain.name(*v).to_string()).collect::<Vec<_>>())
                .into_iter()
                .chain(["p".into()])
                .collect(),
            numbers: best
                .iter()
                .map(|one| (one.states.iter().map(|(v, state)| domain.states(*v)[*state].clone()).collect(), one.p))
                .collect(),
        },
        Value::Expectation { mean, sd, .. } => {
            Named { header: header(&["of", "value"]), numbers: vec![(header(&["mean"]), *mean), (header(&["sd"]), *sd)] }
        }
        Value::Entropy { nats } | Value::MutualInformation { nats } => {
            Named { header: header(&["nats"]), numbers: vec![(Vec::new(), *nats)] }
        }
        _ => Named { header: Vec::new(), numbers: Vec::new() },
    }
}

/// The answer as a person reads it: how it was got stands last.
pub fn words(domain: &Domain, reply: &Reply, credible: &Credible) -> String {
    let is_p = |value: &Value| matches!(value, Value::Table(_) | Value::Probability(_) | Value::Marginals(_) | Value::Best(_));
    let of_p = match &reply.outcome {
        Outcome::Found { value, .. } => is_p(value),
        Outcome::EachState { rows, .. } => rows.iter().filter_map(|row| row.value.as_ref()).any(is_p),
        _ => false,
    };
    let figure = |x: f64| if of_p { crate::figures::probability(x) } else { number(x) };
    let mut lines = lines(domain, &reply.outcome, credible, figure);
    let n = lines.first().map_or(0, Vec::len);
    let percent = number(credible.options.level * 100.0);
    if let Some(header) = lines.first_mut().filter(|_| n >= 3) {
        if of_p {
            header[n - 3] = "probability".into();
        }
        header[n - 2] = format!("{percent} % from");
        header[n - 1] = "to".into();
    }
    let header: Vec<&str> = lines.first().map_or(Vec::new(), |header| header.iter().map(String::as_str).collect());
    let align: Vec<Align> = (0..n).map(|at| if at + 3 < n { Align::Left } else { Align::Right }).collect();
    let mut text = table(&header, &align, lines.get(1..).unwrap_or_default());
    text += &format!("\n{}; {}\n", reply.method, how(credible));
    if let Some([low, high]) = credible.ln_p_evidence {
        text += &format!("ln P(findings) lies between {} and {} by the same draws\n", number(low), number(high));
    }
    text
}

/// How intervals were found, in words.
fn how(credible: &Credible) -> String {
    let options = &credible.options;
    let mut text = format!(
        "{} % intervals from {} draws of the tables, seed {}",
        number(options.level * 100.0),
        count(options.n_draws as f64),
        options.seed
    );
    if credible.n_impossible > 0 {
        text += &format!(", without {} in which the findings are impossible", count(credible.n_impossible as f64));
    }
    if let Some(why) = &credible.not_drawn {
        text += &format!("; ignores what missing values leave open, for {why}");
    }
    if let Some(Augmentation { n_chains, r_hat, .. }) = credible.augmentation {
        text += &format!("; missing values are drawn too, in {n_chains} chains");
        match r_hat {
            Some(r_hat) if r_hat > MOST_R_HAT => text += &format!(" that have not mixed, R-hat {r_hat:.3}: give more --draws"),
            Some(r_hat) => text += &format!(", R-hat {r_hat:.3}"),
            None => (),
        }
    }
    text
}

/// The intervals beside the numbers of a JSON answer.
pub fn put(domain: &Domain, credible: &Credible, object: &mut Json) {
    let Some(object) = object.as_object_mut() else { return };
    let mut intervals = credible.intervals.iter().map(|[low, high]| json!([real(*low), real(*high)]));
    beside(domain, object, &mut intervals);
    if let Some([low, high]) = credible.ln_p_evidence {
        object.insert("log_p_evidence_interval".into(), json!([real(low), real(high)]));
    }
    let options = &credible.options;
    let mut told = json!({"level": options.level, "draws": options.n_draws, "seed": options.seed, "impossible_draws": credible.n_impossible,
        "ignores_missing": credible.not_drawn.is_some()});
    if let Some(why) = &credible.not_drawn {
        told["ignores_missing_because"] = json!(why.to_string());
    }
    if let Some(Augmentation { n_chains, n_burn_in, thinning, r_hat }) = credible.augmentation {
        told["chains"] = json!({"chains": n_chains, "burn_in": n_burn_in, "thinning": thinning, "r_hat": r_hat.map(real)});
    }
    object.insert("credible".into(), told);
}

fn beside(domain: &Domain, object: &mut Map<String, Json>, intervals: &mut impl Iterator<Item = Json>) {
    if let Some(Json::Array(lines)) = object.get_mut("table") {
        for line in lines.iter_mut().filter_map(Json::as_object_mut).filter(|line| !line.contains_key("impossible")) {
            beside(domain, line, intervals);
        }
    } else if let Some(Json::Array(best)) = object.get_mut("best") {
        let found: Vec<Json> = intervals.take(best.len()).collect();
        for (one, interval) in best.iter_mut().filter_map(Json::as_object_mut).zip(&found) {
            one.insert("interval".into(), interval.clone());
        }
        object.insert("interval".into(), found.into_iter().next().unwrap_or(Json::Null));
    } else if object.contains_key("marginals") {
        let of = |variable| {
            let states: Map<String, Json> =
                domain.states(variable).iter().map(|state| (state.clone(), intervals.next().unwrap_or(Json::Null))).collect();
            (domain.name(variable).to_string(), Json::Object(states))
        };
        let all: Map<String, Json> = domain.variables().map(of).collect();
        object.insert("intervals".into(), Json::Object(all));
    } else if object.contains_key("mean") {
        object.insert("interval".into(), intervals.next().unwrap_or(Json::Null));
        object.insert("sd_interval".into(), intervals.next().unwrap_or(Json::Null));
    } else {
        object.insert("interval".into(), intervals.next().unwrap_or(Json::Null));
    }
}
