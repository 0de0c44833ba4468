//! `ask --rows`: the same questions of every row of a table.

use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::{Map, Value as Json, json};
use tunbridge::atomic::AtomicFile;
use tunbridge::belief::CompensatedSum;
use tunbridge::data::{DataError, OutputFormat, RowText, UnknownStates, unlike};
use tunbridge::net::ask::{Asks, Outcome, Value};
use tunbridge::net::query::Query;
use tunbridge::net::{Domain, description_length};
use tunbridge::network::{RowAnswer, RowQuestions};
use tunbridge::{Error, model_file};

use super::{Asker, Style, object, tell_report};
use crate::Failure;
use crate::args::{Common, refuse};
use crate::figures::{number, of};
use crate::progress::{self, remark};
use crate::verbs::classify::Watched;

/// What the name of the output asks for.
pub fn style_of(output: Option<&Path>) -> Result<Style, Failure> {
    match output.map(|path| (path, OutputFormat::of_path(path))) {
        None | Some((_, Some(OutputFormat::Csv | OutputFormat::Separated))) => Ok(Style::Csv),
        Some((_, Some(OutputFormat::JsonLines))) => Ok(Style::JsonLines),
        Some((path, None)) if path.extension().is_none() => Ok(Style::Csv),
        Some((path, _)) => {
            Err(Failure::Usage(format!("--output `{}`: rows are written as .csv or .jsonl; or give --format", path.display())))
        }
    }
}

/// Some rows as they are written; each begins where `starts` says, behind the number that the writer puts there.
#[derive(Default)]
struct Written {
    bytes: Vec<u8>,
    starts: Vec<usize>,
    /// ln P of each row's findings, where it is asked for.
    ln_p: Vec<f64>,
}

pub fn run(asker: &Asker<'_>, queries: &[Query], common: &Common) -> Result<(), Failure> {
    let args = asker.args;
    let mut columns = queries.iter().map(|query| Columns::of(asker, query, queries.len() > 1)).collect::<Result<Vec<_>, Failure>>()?;
    if queries.is_empty() {
        columns.push(Columns::default());
    }
    if let Some(path) = &args.output {
        refuse(&[("--live", args.live)], "writes answers to standard output as rows come")?;
        model_file::check_place_of_answers(path, &args.rows)?;
    }
    let mut read = args.read.options(common);
    if let Some(model) = asker.file.model() {
        model.recipe().apply(&mut read);
    }
    read.live = args.live;
    let _bar = progress::show(&mut read, common);
    let unknown = args.unknown_states.map_or(UnknownStates::Missing, UnknownStates::from);
    let questions = RowQuestions::open(&asker.oracle, queries, &asker.findings, &args.rows, (read, unknown))?;
    questions.remarks().iter().for_each(|text| remark(common, text));
    let with_ln_p = args.log_likelihood;
    // Lines of JSON always have it.
    let questions = if with_ln_p || asker.style != Style::Csv { questions } else { questions.without_ln_p() };
    let questions = match (args.keep_columns, asker.style) {
        (false, _) => questions,
        (true, Style::Csv) => questions.passing_rows_on(RowText::Csv)?,
        (true, _) => questions.passing_rows_on(RowText::Json)?,
    };
    let kept = args.keep_columns.then(|| questions.column_names());
    let header = if asker.style == Style::Csv { Some(header(&columns, queries, with_ln_p, kept)) } else { None };
    let texts: Vec<String> = queries.iter().map(ToString::to_string).collect();
    let n_impossible = AtomicU64::new(0);
    // How probable the rows are by themselves, and not with what a question says besides.
    let is_summed = with_ln_p && queries.is_empty() && asker.findings.is_empty();
    let write = |written: &mut Written, answers: &[RowAnswer], row: &[u8]| {
        if is_summed {
            written.ln_p.extend(answers[0].ln_p_evidence());
        }
        if answers.iter().any(|answer| matches!(answer, RowAnswer::Impossible)) {
            n_impossible.fetch_add(1, Ordering::Relaxed);
        }
        match asker.style {
            Style::Csv => {
                written.starts.push(written.bytes.len());
                if args.keep_columns {
                    written.bytes.push(b',');
                    written.bytes.extend_from_slice(row);
                }
                row_of_csv(&mut written.bytes, &columns, answers, with_ln_p);
            }
            _ => row_of_json(written, asker.domain(), &texts, answers, args.keep_columns.then_some(row)),
        }
    };
    let per_row = if asker.style == Style::Csv { 1 } else { queries.len().max(1) };
    let (report, ln_p) = match &args.output {
        Some(path) => {
            let io = |source| Failure::from(DataError::Io { path: path.clone(), source });
            let mut file = Watched::new(AtomicFile::create(path).map_err(io)?);
            let put = put(&questions, header, (asker.style, false), per_row, &mut file, write);
            let put = file.outcome(put, io)?;
            file.to.commit_unsynced().map_err(io)?;
            put
        }
        None => {
            let mut out = Watched::new(BufWriter::with_capacity(1 << 18, io::stdout()));
            let put = put(&questions, header, (asker.style, args.live), per_row, &mut out, write);
            let put = out.outcome(put, Failure::Output)?;
            out.to.flush()?;
            put
        }
    };
    tell_report(&report, questions.schema(), common);
    let n_impossible = n_impossible.into_inner();
    if is_summed && n_impossible == 0 && report.n_rows > 0 {
        remark(common, &in_all(asker, ln_p, report.n_rows as f64));
    }
    if n_impossible > 0 {
        remark(
            common,
            &format!("{} probability zero under the network and got no answer", of(n_impossible as f64, "row has", "rows have")),
        );
    }
    Ok(())
}

/// How probable all rows are, and how many bits they and the network take.
fn in_all(asker: &Asker<'_>, ln_p: f64, n_rows: f64) -> String {
    let mut text = format!("ln P(all rows) is {}, {} a row", number(ln_p), number(ln_p / n_rows));
    if let Some(network) = asker.file.network() {
        let code = description_length(network, ln_p, n_rows);
        text += &format!("; in bits the network is {}, and the rows given it {}", number(code.hypothesis), number(code.data));
    }
    text
}

/// Writes the rows in order, each with its number, live ones at once; returns with what was met the sum of their ln P.
fn put(
    questions: &RowQuestions<'_>,
    header: Option<String>,
    (style, live): (Style, bool),
    per_row: usize,
    to: &mut dyn Write,
    write: impl Fn(&mut Written, &[RowAnswer], &[u8]) + Sync,
) -> Result<(tunbridge::belief::ReadReport, f64), Error> {
    let io_error = |source| DataError::Io { path: "output".into(), source };
    if let Some(header) = header {
        to.write_all(header.as_bytes()).map_err(io_error)?;
    }
    let flush = |to: &mut dyn Write| if live { to.flush().map_err(io_error) } else { Ok(()) };
    flush(to)?;
    let (mut n_written, mut ln_p) = (0, CompensatedSum::default());
    let mut text = Vec::new();
    let report = questions.answer(write, |written: Written| {
        written.ln_p.iter().for_each(|ln| ln_p.add(*ln));
        text.clear();
        for (place, start) in written.starts.iter().enumerate() {
            let end = written.starts.get(place + 1).copied().unwrap_or(written.bytes.len());
            let row = n_written / per_row + 1;
            n_written += 1;
            text.extend_from_slice(if style == Style::Csv { b"" } else { b"{\"row\":" });
            serde_json::to_writer(&mut text, &row).map_err(|error| io_error(error.into()))?;
            text.extend_from_slice(if style == Style::Csv { b"" } else { b"," });
            text.extend_from_slice(&written.bytes[*start..end]);
        }
        to.write_all(&text).map_err(io_error)?;
        flush(to)
    })?;
    Ok((report, ln_p.value()))
}

/// The columns that a question adds to CSV.
#[derive(Default)]
struct Columns {
    names: Vec<String>,
    /// The states of the one variable that is asked for, of which the most probable is named, as cells.
    predicted: Option<Vec<String>>,
    /// Of the best assignments, the variables.
    best: Vec<tunbridge::net::VarId>,
    /// The names of their states, as cells.
    states: Vec<Vec<String>>,
}

impl Columns {
    fn of(asker: &Asker<'_>, query: &Query, several: bool) -> Result<Self, Failure> {
        let domain = asker.domain();
        let question = asker.oracle.question(query).map_err(Error::from)?;
        let mut columns = Self { names: Vec::new(), predicted: None, best: Vec::new(), states: Vec::new() };
        let head = if several { format!("{query} ") } else { String::new() };
        if asker.style == Style::Csv && !question.each.is_empty() {
            return Err(Failure::Usage(format!("`{query}` has a table for each state: give --format jsonl")));
        }
        match &question.asks {
            Asks::Probability { variables, events } => match (&variables[..], &events[..]) {
                ([], _) => columns.names.push(format!("{head}p")),
                (&[variable], []) => {
                    columns.names.push(format!("{head}predicted"));
                    columns.names.extend(domain.states(variable).iter().map(|state| format!("{head}p({state})")));
                    columns.predicted = Some(cells(domain, variable));
                }
                _ => columns.names.extend(configurations(domain, variables).map(|words| format!("{head}p({words})"))),
            },
            Asks::Marginals => {
                for variable in domain.variables() {
                    let name = |state: &String| format!("{head}p({}={state})", domain.name(variable));
                    columns.names.extend(domain.states(variable).iter().map(name));
                }
            }
            Asks::Best { n_best, variables } => {
                if asker.style == Style::Csv && *n_best > 1 {
                    return Err(Failure::Usage(format!("`{query}` has {n_best} answers a row: give --format jsonl")));
                }
                columns.names.extend(variables.iter().map(|variable| format!("{head}{}", domain.name(*variable))));
                columns.names.extend([format!("{head}p"), format!("{head}log_p_joint")]);
                columns.best.clone_from(variables);
                columns.states = variables.iter().map(|variable| cells(domain, *variable)).collect();
            }
            Asks::Expectation { .. } => columns.names.extend([format!("{head}mean"), format!("{head}sd")]),
            Asks::Entropy { .. } => columns.names.push(format!("{head}entropy")),
            Asks::MutualInformation { .. } => columns.names.push(format!("{head}mutual_information")),
            _ => {}
        }
        Ok(columns)
    }
}

/// The states of a variable as cells of CSV.
fn cells(domain: &Domain, variable: tunbridge::net::VarId) -> Vec<String> {
    domain.states(variable).iter().map(|state| in_csv(state)).collect()
}

/// The configurations of some variables in words, the last fastest.
fn configurations(domain: &Domain, variables: &[tunbridge::net::VarId]) -> impl Iterator<Item = String> {
    let n: usize = variables.iter().map(|variable| domain.n_states(*variable)).product();
    (0..n).map(move |mut place| {
        let mut parts = Vec::new();
        for variable in variables.iter().rev() {
            let states = domain.states(*variable);
            parts.push(format!("{}={}", domain.name(*variable), states[place % states.len()]));
            place /= states.len();
        }
        parts.reverse();
        parts.join(", ")
    })
}

/// The names of the columns; those of the table, if they are kept, stand behind the number of the row, and what is added is made unlike them.
fn header(columns: &[Columns], queries: &[Query], with_ln_p: bool, kept: Option<&[String]>) -> String {
    let mut names = vec!["row".to_string()];
    for (place, one) in columns.iter().enumerate() {
        names.extend(one.names.iter().cloned());
        if with_ln_p {
            names.push(if queries.len() > 1 { format!("{} log_p_evidence", queries[place]) } else { "log_p_evidence".into() });
        }
    }
    if let Some(kept) = kept {
        names = unlike(kept, names);
        names.splice(1..1, kept.iter().cloned());
    }
    csv_text(&[names])
}

/// Lines of CSV.
pub fn csv_text(lines: &[Vec<String>]) -> String {
    lines.iter().map(|cells| cells.iter().map(|cell| in_csv(cell)).collect::<Vec<_>>().join(",") + "\n").collect()
}

/// A cell, in quotes where it has to be.
fn in_csv(cell: &str) -> String {
    if cell.contains([',', '"', '\n', '\r']) || cell.trim() != cell { format!("\"{}\"", cell.replace('"', "\"\"")) } else { cell.into() }
}

fn push_number(bytes: &mut Vec<u8>, x: f64) {
    bytes.push(b',');
    // Shortest text that reads back to the same number; what is no number is an empty cell.
    if x.is_finite() {
        let _ = serde_json::to_writer(bytes, &x);
    }
}

fn push_cell(bytes: &mut Vec<u8>, cell: &str) {
    bytes.push(b',');
    bytes.extend_from_slice(cell.as_bytes());
}

fn row_of_csv(bytes: &mut Vec<u8>, columns: &[Columns], answers: &[RowAnswer], with_ln_p: bool) {
    for (columns, answer) in columns.iter().zip(answers) {
        push_answer(bytes, columns, answer);
        if with_ln_p {
            push_number(bytes, answer.ln_p_evidence().unwrap_or(f64::NAN));
        }
    }
    bytes.push(b'\n');
}

fn push_answer(bytes: &mut Vec<u8>, columns: &Columns, answer: &RowAnswer) {
    if columns.names.is_empty() {
        return;
    }
    let (RowAnswer::Found(Outcome::Found { value, .. }) | RowAnswer::FoundAlone(value)) = answer else {
        bytes.extend(columns.names.iter().map(|_| b','));
        return;
    };
    match value {
        Value::Table(table) => {
            if let Some(states) = &columns.predicted {
                let best =
                    table.probabilities.iter().enumerate().fold(0, |best, (at, p)| if *p > table.probabilities[best] { at } else { best });
                push_cell(bytes, &states[best]);
            }
            table.probabilities.iter().for_each(|p| push_number(bytes, *p));
        }
        Value::Probability(p) => push_number(bytes, *p),
        Value::Marginals(all) => all.iter().flatten().for_each(|p| push_number(bytes, *p)),
        Value::Best(best) => match best.first() {
            Some(best) => {
                // In the order of the question, which is that of the columns.
                for ((variable, states), (found, state)) in columns.best.iter().zip(&columns.states).zip(&best.states) {
                    debug_assert_eq!(variable, found);
                    push_cell(bytes, &states[*state]);
                }
                push_number(bytes, best.p);
                push_number(bytes, best.log_p_joint);
            }
            None => bytes.extend(columns.names.iter().map(|_| b',')),
        },
        Value::Expectation { mean, sd, .. } => {
            push_number(bytes, *mean);
            push_number(bytes, *sd);
        }
        Value::Entropy { nats } | Value::MutualInformation { nats } => push_number(bytes, *nats),
        _ => {}
    }
}

/// A line for each question; with the row itself, an object already, where it is kept.
fn row_of_json(written: &mut Written, domain: &Domain, queries: &[String], answers: &[RowAnswer], kept: Option<&[u8]>) {
    for (place, answer) in answers.iter().enumerate() {
        let mut fields = Map::new();
        if queries.len() > 1 {
            fields.insert("query".into(), json!(queries[place]));
        }
        match answer {
            RowAnswer::Found(outcome) => {
                object::fields(domain, outcome, &mut fields);
                // The same for every row, and known from the question.
                fields.shift_remove("variables");
                if queries.is_empty() {
                    fields.shift_remove("p");
                }
            }
            RowAnswer::FoundAlone(value) => {
                object::fields(domain, &Outcome::Found { value: value.clone(), ln_p_evidence: 0.0 }, &mut fields);
                fields.shift_remove("variables");
                fields.shift_remove("log_p_evidence");
            }
            RowAnswer::Impossible => {
                fields.insert("impossible".into(), json!(true));
                fields.insert("log_p_evidence".into(), Json::Null);
            }
        }
        written.starts.push(written.bytes.len());
        let text = Json::Object(fields).to_string();
        written.bytes.extend_from_slice(&text.as_bytes()[1..text.len() - 1]);
        if let Some(row) = kept {
            written.bytes.extend_from_slice(b",\"input\":");
            written.bytes.extend_from_slice(row);
        }
        written.bytes.extend_from_slice(b"}\n");
    }
}
