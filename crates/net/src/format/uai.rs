//! UAI, the format of the inference competitions: `BAYES` (a network), `MARKOV` (factors), and evidence files.
//!
//! Tables run with the last variable of a scope fastest; in `BAYES` that is the child. There are no names: variables are `X0`, `X1`, …, states `0`,
//! `1`, …, until a file of names ([`super::names`]) says otherwise. Two programs have orders of their own. aGrUM, whose scopes carry the variables' names
//! as comments, has the first parent faster than the last (and the names are taken); pgmpy has the first variable of the scope fastest, which is
//! recognised when no rows sum to one as they stand and all do in that order. Either is said.

use super::Written;
use super::document::{Document, Remark};
use super::draft::{Assembled, DraftTable, DraftVariable, Laid, Shape, Wording, assemble};
use super::kind::Sidecar;
use super::lexical::{Fault, FormatError, Input, Word, here, shortened, text_of};
use super::rows::push_numbers;
use crate::domain::Domain;
use crate::error::NetError;
use crate::factor::Factor;
use crate::factor_graph::FactorGraph;
use belief::VarId;
use std::fmt::Write;
use winnow::Parser;
use winnow::stream::Stream;
use winnow::token::{take_till, take_while};

/// More states than this no variable may say that it has.
const MAX_STATES: usize = 1 << 24;

/// Factors over variables without names: what a UAI file headed `MARKOV` holds.
#[derive(Clone, Debug, PartialEq)]
pub struct MarkovModel {
    /// How many states each variable has.
    pub n_states: Vec<usize>,
    /// Scopes, by place, with their tables: the last variable of the scope fastest, entries finite and not negative.
    pub factors: Vec<(Vec<usize>, Vec<f64>)>,
}

impl MarkovModel {
    /// The factors as the engines work on them. Variables are named `X0`, `X1`, …, states `0`, `1`, ….
    ///
    /// # Errors
    /// When variables have more states together than can be named, or a table is no factor of its scope.
    ///
    /// ```
    /// use tunbridge_net::{Evidence, VarId, format::uai, variable_elimination::eliminate};
    /// let graph = uai::read_markov(b"MARKOV 2  2 2  1  2 0 1  4  3 1 1 3")?.to_factor_graph()?;
    /// let seen = Evidence::of_states(&graph, &[("X1", "1")])?;
    /// assert_eq!(eliminate(&graph, &[VarId::new(0)], &seen, 1 << 20)?.possible().unwrap().probabilities, [0.25, 0.75]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn to_factor_graph(&self) -> Result<FactorGraph, NetError> {
        let n_named = self.n_states.iter().try_fold(0_usize, |sum, &n_states| sum.checked_add(n_states)).unwrap_or(usize::MAX);
        if n_named > MAX_STATES {
            return Err(NetError::TooLarge { variables: vec!["all variables".into()], entries: n_named as f64, limit: MAX_STATES });
        }
        let named = |(place, &n_states): (usize, &usize)| (format!("X{place}"), (0..n_states).map(|state| state.to_string()));
        let domain = Domain::new(self.n_states.iter().enumerate().map(named))?;
        let factors = self.factors.iter().map(|(scope, values)| {
            let shape =
                scope.iter().map(|&place| self.n_states.get(place).copied().ok_or(NetError::NotAFactor)).collect::<Result<Vec<_>, _>>()?;
            let scope: Vec<VarId> = scope.iter().map(|&place| VarId::new(place)).collect();
            Factor::new(&scope, &shape, values.clone())
        });
        FactorGraph::new(domain, factors.collect::<Result<_, _>>()?)
    }
}

/// Whether a text is headed `MARKOV`.
pub fn is_markov(bytes: &[u8]) -> bool {
    let is_of_word = |byte: &u8| !byte.is_ascii_whitespace();
    let start = bytes.iter().position(is_of_word).unwrap_or(0);
    bytes[start..].iter().copied().take_while(|byte| is_of_word(byte)).eq(*b"MARKOV")
}

/// Reads a network: UAI headed `BAYES`.
///
/// # Errors
/// When the text is none: with line, column and what to do.
pub fn read(bytes: &[u8]) -> Result<Document, FormatError> {
    let text = text_of(bytes)?;
    parse(text, "BAYES").and_then(network).map_err(|fault| fault.within(text))
}

/// Reads factors: UAI headed `MARKOV`.
///
/// # Errors
/// When the text is none: with line, column and what to do.
///
/// ```
/// use tunbridge_net::format::uai;
/// let model = uai::read_markov(b"MARKOV 2  2 3  1  2 0 1  6  1 2 3 4 5 6")?;
/// assert_eq!(model.n_states, [2, 3]);
/// assert_eq!(model.factors, [(vec![0, 1], vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0])]);
/// # Ok::<(), tunbridge_net::format::FormatError>(())
/// ```
pub fn read_markov(bytes: &[u8]) -> Result<MarkovModel, FormatError> {
    let text = text_of(bytes)?;
    let model = parse(text, "MARKOV").map_err(|fault| fault.within(text))?;
    Ok(MarkovModel { n_states: model.n_states, factors: model.factors.into_iter().map(|factor| (factor.scope, factor.values)).collect() })
}

/// A file as it stands.
struct Model {
    n_states: Vec<usize>,
    factors: Vec<Table>,
}

struct Table {
    offset: usize,
    scope: Vec<usize>,
    /// What aGrUM writes behind a scope: the child's name.
    name: Option<String>,
    values: Vec<f64>,
    offsets: Vec<usize>,
}

fn parse(text: &str, kind: &'static str) -> Result<Model, Fault> {
    let input = &mut Input::new(text);
    let head = token(input, kind)?;
    if head.0 != kind {
        let hint = match head.0 {
            "MARKOV" => "this file has factors, not a network",
            "BAYES" => "this file has a network, not factors",
            _ => "a UAI file begins with BAYES or MARKOV",
        };
        return Err(Fault::new(head.1, format!("expected `{kind}`, found `{}`", shortened(head.0)), hint));
    }
    let n_variables = count(input, "the number of variables")?;
    let mut n_states = Vec::new();
    for _ in 0..n_variables {
        let offset = after_blank(input);
        let states = count(input, "the number of states of a variable")?;
        if states == 0 || states > MAX_STATES {
            return Err(Fault::new(offset, format!("a variable with {states} states"), format!("from 1 to {MAX_STATES} are read")));
        }
        n_states.push(states);
    }
    let n_factors = count(input, "the number of tables")?;
    let mut factors: Vec<Table> = Vec::new();
    for _ in 0..n_factors {
        let offset = after_blank(input);
        let n_scope = count(input, "the number of variables of a table")?;
        let mut scope = Vec::new();
        for _ in 0..n_scope {
            let offset = after_blank(input);
            let variable = count(input, "a variable of the table")?;
            if variable >= n_variables {
                return Err(Fault::new(
                    offset,
                    format!("there is no variable {variable}"),
                    format!("they are counted from 0 to {}", n_variables.saturating_sub(1)),
                ));
            }
            if scope.contains(&variable) {
                return Err(Fault::new(offset, format!("variable {variable} is twice in one table"), "leave one out"));
            }
            scope.push(variable);
        }
        factors.push(Table { offset, scope, name: comment(input), values: Vec::new(), offsets: Vec::new() });
    }
    for factor in &mut factors {
        let offset = after_blank(input);
        let n_values = count(input, "the number of entries of a table")?;
        let expected = factor.scope.iter().try_fold(1_usize, |n_entries, &variable| n_entries.checked_mul(n_states[variable]));
        if expected != Some(n_values) {
            let what = format!(
                "a table of {n_values} entries for {}",
                expected.map_or("too many to count".to_string(), |expected| expected.to_string())
            );
            return Err(Fault::new(offset, what, "the numbers of states of its variables, multiplied"));
        }
        for _ in 0..n_values {
            let (text, offset) = token(input, "a number")?;
            match text.parse::<f64>() {
                Ok(value) if value.is_finite() && value >= 0.0 => factor.values.push(value),
                _ => return Err(Fault::new(offset, format!("`{}` is no number ≥ 0", shortened(text)), "write it as 0.25 or 2.5e-1")),
            }
            factor.offsets.push(offset);
        }
    }
    let offset = after_blank(input);
    if input.eof_offset() > 0 {
        return Err(Fault::new(offset, "more numbers than the file says it has", "is the number of tables right?"));
    }
    Ok(Model { n_states, factors })
}

fn network(model: Model) -> Result<Document, Fault> {
    let names: Vec<Option<&String>> = {
        let mut names = vec![None; model.n_states.len()];
        for factor in &model.factors {
            if let (Some(&child), Some(name)) = (factor.scope.last(), &factor.name) {
                names[child] = Some(name);
            }
        }
        names
    };
    let is_of_agrum = !names.is_empty() && names.iter().all(Option::is_some);
    let name_of = |place: usize| names[place].filter(|_| is_of_agrum).cloned().unwrap_or_else(|| format!("X{place}"));
    // A variable's states are named only if a table has as many numbers.
    let mut tables = Vec::new();
    let mut has_table = vec![false; model.n_states.len()];
    for factor in &model.factors {
        let Some((&child, parents)) = factor.scope.split_last() else {
            return Err(Fault::new(factor.offset, "a table of no variable", "in a BAYES file the last variable of a table is the child"));
        };
        has_table[child] = true;
        let word = |place: usize| Word { text: name_of(place).into(), offset: factor.offset };
        tables.push(DraftTable { child: word(child), parents: parents.iter().map(|&parent| word(parent)).collect(), body: factor });
    }
    let mut variables = Vec::new();
    for (place, &n_states) in model.n_states.iter().enumerate() {
        if !has_table[place] {
            let hint = "in a BAYES file every variable is the last of one table";
            return Err(Fault::new(0, format!("variable {place} has no table"), hint));
        }
        let states = (0..n_states).map(|state| Word { text: state.to_string().into(), offset: 0 }).collect();
        variables.push(DraftVariable { name: Word { text: name_of(place).into(), offset: 0 }, states });
    }
    let wording = Wording { name_it: "", give_table: |_| String::new() };
    let standard = |table: &DraftTable<'_, &Table>, shape: &Shape<'_, '_>| {
        let Table { values, offsets, .. } = table.body;
        if is_of_agrum {
            return Ok(shape.permuted(values, offsets, |row, state| shape.first_parent_fastest(row) * shape.n_states + state));
        }
        Ok(Laid::Rows { values: values.clone(), rows_at: offsets.iter().copied().step_by(shape.n_states.max(1)).collect() })
    };
    let reversed = |table: &DraftTable<'_, &Table>, shape: &Shape<'_, '_>| {
        let Table { values, offsets, .. } = table.body;
        Ok(shape.permuted(values, offsets, |row, state| state * shape.n_rows + shape.first_parent_fastest(row)))
    };
    let mut taken_as = is_of_agrum.then_some(
        "the scopes carry names, as aGrUM writes them: the names were taken, and tables read with the first parent fastest, not the last as UAI has it",
    );
    let assembled = assemble(&wording, &variables, &tables, standard).or_else(|fault| {
        let again: Result<Assembled, Fault> = assemble(&wording, &variables, &tables, reversed);
        taken_as = Some("rows sum to one only when the first variable of each table is taken as fastest, as pgmpy writes it: so it was");
        again.map_err(|_| fault)
    })?;
    let mut document = Document::new("", assembled.network.clone());
    document.remarks = assembled.remarks();
    document.remarks.extend(taken_as.map(|what| Remark::TakenAs { what: what.to_string() }));
    Ok(document)
}

/// Writes a network as UAI, with its names in a second file.
///
/// # Errors
/// When a distribution that is no table is too large to be spelled out as one.
pub fn write(document: &Document) -> Result<Written, NetError> {
    let network = document.network();
    let mut text = format!("BAYES\n{}\n", network.n_variables());
    let n_states: Vec<String> = network.dag().variables().map(|variable| network.n_states(variable).to_string()).collect();
    let _ = writeln!(text, "{}\n{}", n_states.join(" "), network.n_variables());
    for variable in network.dag().variables() {
        let parents = network.dag().parents(variable);
        let _ = write!(text, "{}", parents.len() + 1);
        parents.iter().chain([&variable]).for_each(|member| text.push_str(&format!(" {}", member.index())));
        text.push('\n');
    }
    for variable in network.dag().variables() {
        let values = network.table(variable)?;
        let _ = writeln!(text, "\n{}", values.len());
        for row in values.chunks(network.n_states(variable)) {
            push_numbers(&mut text, row, " ");
            text.push('\n');
        }
    }
    let sidecar = Some(Sidecar { suffix: ".names", text: super::names::write(document) });
    let has_notes = document.noted().any(|(_, notes)| *notes != super::Notes::default()) || !document.properties.is_empty();
    let mut lost = vec!["the names of the network, of variables and of states, but for the file of names beside it".to_string()];
    lost.extend(has_notes.then(|| "labels, positions, comments and all else that is said of variables".to_string()));
    lost.extend(super::spelled_out(document, &[]));
    Ok(Written { text, sidecar, lost })
}

/// Writes factors as UAI.
pub fn write_markov(model: &MarkovModel) -> String {
    let joined = |numbers: &[usize]| numbers.iter().map(usize::to_string).collect::<Vec<_>>().join(" ");
    let mut text = format!("MARKOV\n{}\n{}\n{}\n", model.n_states.len(), joined(&model.n_states), model.factors.len());
    for (scope, _) in &model.factors {
        let _ = writeln!(text, "{} {}", scope.len(), joined(scope));
    }
    for (scope, values) in &model.factors {
        let n_last = scope.last().and_then(|&last| model.n_states.get(last)).copied().unwrap_or(1).max(1);
        let _ = writeln!(text, "\n{}", values.len());
        for row in values.chunks(n_last) {
            push_numbers(&mut text, row, " ");
            text.push('\n');
        }
    }
    text
}

/// Reads an evidence file: for each case, pairs of a variable and its state. Both forms are read, with the number of cases before them and without.
///
/// # Errors
/// When numbers are missing, too many or none.
///
/// ```
/// use tunbridge_net::format::uai::read_evidence;
/// assert_eq!(read_evidence(b"2 1 0 3 1")?, [vec![(1, 0), (3, 1)]]);
/// assert_eq!(read_evidence(b"2\n1 4 0\n2 1 0 3 1\n")?, [vec![(4, 0)], vec![(1, 0), (3, 1)]]);
/// # Ok::<(), tunbridge_net::format::FormatError>(())
/// ```
pub fn read_evidence(bytes: &[u8]) -> Result<Vec<Vec<(usize, usize)>>, FormatError> {
    let text = text_of(bytes)?;
    evidence(text).map_err(|fault| fault.within(text))
}

fn evidence(text: &str) -> Result<Vec<Vec<(usize, usize)>>, Fault> {
    let input = &mut Input::new(text);
    let mut numbers = Vec::new();
    after_blank(input);
    while input.eof_offset() > 0 {
        numbers.push(count(input, "a number")?);
        after_blank(input);
    }
    let pairs = |numbers: &[usize]| numbers.chunks_exact(2).map(|pair| (pair[0], pair[1])).collect::<Vec<_>>();
    match numbers.split_first() {
        None => return Ok(vec![Vec::new()]),
        Some((&n_observed, rest)) if n_observed.checked_mul(2) == Some(rest.len()) => return Ok(vec![pairs(rest)]),
        _ => {}
    }
    let mut cases = Vec::new();
    let mut left = &numbers[1..];
    for _ in 0..numbers[0] {
        let case = left.split_first().and_then(|(&n_observed, rest)| rest.split_at_checked(n_observed.checked_mul(2)?));
        let Some((case, rest)) = case else {
            let hint = "an evidence file is the number of findings, then a variable and a state for each";
            return Err(Fault::new(text.len(), "the evidence ends too early", hint));
        };
        cases.push(pairs(case));
        left = rest;
    }
    if left.is_empty() {
        Ok(cases)
    } else {
        Err(Fault::new(text.len(), format!("{} numbers too many", left.len()), "is the first number right?"))
    }
}

/// Writes an evidence file of one case.
pub fn write_evidence(findings: &[(usize, usize)]) -> String {
    let mut text = findings.len().to_string();
    findings.iter().for_each(|(variable, state)| text.push_str(&format!(" {variable} {state}")));
    text.push('\n');
    text
}

/// Passes over blanks and comments, `# …` to the end of the line; where it stopped.
fn after_blank(input: &mut Input<'_>) -> usize {
    loop {
        let _ = take_while::<_, _, Fault>(0.., char::is_whitespace).parse_next(input);
        if !input.starts_with('#') {
            return here(input);
        }
        let _ = take_till::<_, _, Fault>(0.., '\n').parse_next(input);
    }
}

/// A comment on the same line.
fn comment(input: &mut Input<'_>) -> Option<String> {
    let _ = take_while::<_, _, Fault>(0.., [' ', '\t']).parse_next(input);
    let text = if input.starts_with('#') { take_till::<_, _, Fault>(0.., '\n').parse_next(input).ok() } else { None };
    text.map(|text: &str| text[1..].trim().to_string()).filter(|text| !text.is_empty())
}

fn token<'a>(input: &mut Input<'a>, what: &str) -> Result<(&'a str, usize), Fault> {
    let offset = after_blank(input);
    let text = take_while::<_, _, Fault>(0.., |symbol: char| !symbol.is_whitespace() && symbol != '#').parse_next(input)?;
    if text.is_empty() {
        return Err(Fault::new(offset, format!("expected {what}, found the end of the text"), "is the file cut off?"));
    }
    Ok((text, offset))
}

fn count(input: &mut Input<'_>, what: &str) -> Result<usize, Fault> {
    let (text, offset) = token(input, what)?;
    text.parse().map_err(|_| Fault::new(offset, format!("expected {what}, found `{}`", shortened(text)), "it is a whole number from 0"))
}
