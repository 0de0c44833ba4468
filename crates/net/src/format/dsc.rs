//! DSC, the format of Microsoft's MSBN, as bnlearn and GeNIe write it.
//!
//! Rows are keyed by the numbers of the parents' states, from 0: `(0, 2) : 0.1, 0.9;`. GeNIe writes a zero for every number, and one too many:
//! such rows, like rows without keys, are taken in order with the last parent fastest. `name` is a label, `position` is kept.

use super::Written;
use super::document::{Document, Notes, Remark};
use super::draft::{DraftTable, DraftVariable, Laid, MAX_FILLED, Shape, Wording, assemble, configurations};
use super::lexical::{
    Fault, FormatError, Input, Word, blank, expect, found, here, next_is, number, numbers_until, shortened, skip, text_of,
};
use super::rows::push_numbers;
use crate::error::NetError;
use std::fmt::Write;
use std::ops::Range;
use winnow::Parser;
use winnow::stream::Stream;
use winnow::token::take_while;

/// Reads DSC.
///
/// # Errors
/// When the text is no DSC or its network is none: with line, column and what to do.
pub fn read(bytes: &[u8]) -> Result<Document, FormatError> {
    let text = text_of(bytes)?;
    parse(&mut Input::new(text)).and_then(|parts| resolve(parts, text)).map_err(|fault| fault.within(text))
}

#[derive(Default)]
struct Parts<'a> {
    name: String,
    variables: Vec<DraftVariable<'a>>,
    notes: Vec<Notes>,
    tables: Vec<DraftTable<'a, Body>>,
    ignored: Vec<(usize, String)>,
}

/// The rows of a table; keys and numbers of all of them stand in one list each.
#[derive(Default)]
struct Body {
    rows: Vec<Row>,
    keys: Vec<usize>,
    values: Vec<f64>,
    default: Option<Row>,
}

struct Row {
    offset: usize,
    key: Option<Range<usize>>,
    values: Range<usize>,
}

fn parse<'a>(input: &mut Input<'a>) -> Result<Parts<'a>, Fault> {
    let mut parts = Parts::default();
    loop {
        blank(input)?;
        if input.eof_offset() == 0 {
            return Ok(parts);
        }
        let keyword = name(input, "`belief network`, `node` or `probability`")?;
        match &*keyword.text {
            "belief" => {
                let network = name(input, "`network`")?;
                if network.text != "network" {
                    return Err(Fault::new(network.offset, format!("expected `network`, found `{}`", shortened(&network.text)), ""));
                }
                if next_is(input, '"')? {
                    parts.name = name(input, "the network's name")?.text.into_owned();
                }
            }
            "node" => node(input, &mut parts)?,
            "probability" => table(input, &mut parts)?,
            other => {
                let what = format!("expected `belief network`, `node` or `probability`, found `{}`", shortened(other));
                return Err(Fault::new(keyword.offset, what, "a DSC file is  belief network \"NAME\"  and then a list of such blocks"));
            }
        }
        skip(input, ';')?;
    }
}

fn node<'a>(input: &mut Input<'a>, parts: &mut Parts<'a>) -> Result<(), Fault> {
    let node_name = name(input, "the node's name")?;
    expect(input, '{', "after the node's name")?;
    let mut states = Vec::new();
    let mut notes = Notes::default();
    while !skip(input, '}')? {
        let attribute = name(input, "`name`, `type`, `position` or `}`")?;
        if !skip(input, ':')? {
            expect(input, '=', "or `:` after the name of an attribute")?;
        }
        match &*attribute.text {
            "name" => notes.label = Some(name(input, "a text in \"…\"")?.text.into_owned()),
            "position" => {
                expect(input, '(', "before the position")?;
                let x = number(input)?;
                skip(input, ',')?;
                notes.position = Some((x, number(input)?));
                expect(input, ')', "after the position")?;
            }
            "type" => states = type_of(input, attribute.offset)?,
            other => {
                parts.ignored.push((attribute.offset, format!("`{}`", shortened(other))));
                take_while::<_, _, Fault>(0.., |symbol: char| symbol != ';' && symbol != '}').void().parse_next(input)?;
            }
        }
        if !next_is(input, '}')? {
            expect(input, ';', "after an attribute")?;
        }
    }
    if states.is_empty() {
        let what = format!("node `{}` has no states", shortened(&node_name.text));
        return Err(Fault::new(node_name.offset, what, "add  type : discrete [ 2 ] = { \"yes\", \"no\" };"));
    }
    notes.label = notes.label.filter(|label| !label.is_empty() && *label != node_name.text);
    parts.variables.push(DraftVariable { name: node_name, states });
    parts.notes.push(notes);
    Ok(())
}

/// `discrete [ 2 ] = { "yes", "no" }`
fn type_of<'a>(input: &mut Input<'a>, offset: usize) -> Result<Vec<Word<'a>>, Fault> {
    let kind = name(input, "`discrete`")?;
    if kind.text != "discrete" {
        let what = format!("nodes of type `{}` are not read", shortened(&kind.text));
        return Err(Fault::new(kind.offset, what, "only `discrete [ n ] = { … }` is"));
    }
    expect(input, '[', "before the number of states")?;
    let told = number(input)?;
    expect(input, ']', "after the number of states")?;
    expect(input, '=', "before the states")?;
    expect(input, '{', "before the states")?;
    let mut states = Vec::new();
    while !skip(input, '}')? {
        states.push(name(input, "the name of a state, or `}`")?);
        skip(input, ',')?;
    }
    if told != states.len() as f64 {
        let what = format!("{told} states are said to follow, but there are {}", states.len());
        return Err(Fault::new(offset, what, "correct the number"));
    }
    Ok(states)
}

fn table<'a>(input: &mut Input<'a>, parts: &mut Parts<'a>) -> Result<(), Fault> {
    expect(input, '(', "after `probability`")?;
    let child = name(input, "the name of a node")?;
    let mut parents = Vec::new();
    if skip(input, '|')? {
        while !next_is(input, ')')? {
            parents.push(name(input, "the name of a parent, or `)`")?);
            skip(input, ',')?;
        }
    }
    expect(input, ')', "after the parents")?;
    expect(input, '{', "before the probabilities")?;
    let mut body = Body::default();
    while !skip(input, '}')? {
        let offset = here(input);
        let is_default = input.starts_with("default");
        let mut key = None;
        if is_default {
            input.next_slice("default".len());
            if !skip(input, ':')? {
                skip(input, '=')?;
            }
        } else if skip(input, '(')? {
            let start = body.keys.len();
            while !skip(input, ')')? {
                body.keys.push(index(input)?);
                skip(input, ',')?;
            }
            key = Some(start..body.keys.len());
            expect(input, ':', "after the states of the parents")?;
        }
        let start = body.values.len();
        numbers_until(input, ';', &mut body.values)?;
        let row = Row { offset, key, values: start..body.values.len() };
        if !is_default {
            body.rows.push(row);
        } else if body.default.replace(row).is_some() {
            return Err(Fault::new(offset, format!("the table of `{}` has two defaults", shortened(&child.text)), "leave one out"));
        }
    }
    parts.tables.push(DraftTable { child, parents, body });
    Ok(())
}

/// The number of a state.
fn index(input: &mut Input<'_>) -> Result<usize, Fault> {
    blank(input)?;
    let offset = here(input);
    let value = number(input)?;
    if value.fract() == 0.0 && (0.0..1e9).contains(&value) {
        return Ok(value as usize);
    }
    Err(Fault::new(offset, format!("{value} is no number of a state"), "states are counted from 0"))
}

fn resolve(parts: Parts<'_>, text: &str) -> Result<Document, Fault> {
    let Parts { name, variables, notes, tables, ignored } = parts;
    let wording = Wording {
        name_it: "every name here needs a  node NAME { … }",
        give_table: |name| format!("add  probability ( {name} ) {{ …; }}"),
    };
    let (mut n_filled, mut in_order) = (0, false);
    let assembled = assemble(&wording, &variables, &tables, |table, shape| laid_out(table, shape, &mut n_filled, &mut in_order))?;
    let mut remarks = assembled.remarks();
    if in_order {
        let what = "the keys of rows are no states, as GeNIe writes them: rows were taken in order, the last parent fastest";
        remarks.push(Remark::TakenAs { what: what.to_string() });
    }
    let line = |offset: usize| text[..offset.min(text.len())].matches('\n').count() + 1;
    remarks.extend(ignored.into_iter().map(|(offset, what)| Remark::Ignored { what, line: line(offset) }));
    let mut document = Document::with_notes(name, assembled.network, notes);
    document.remarks = remarks;
    Ok(document)
}

fn laid_out(table: &DraftTable<'_, Body>, shape: &Shape<'_, '_>, n_filled: &mut usize, in_order: &mut bool) -> Result<Laid, Fault> {
    let name = shortened(&table.child.text);
    let (body, n_states, n_parents) = (&table.body, shape.n_states, shape.parents.len());
    for row in body.rows.iter().chain(&body.default) {
        if row.values.len() != n_states {
            let what = format!("expected {n_states} probabilities, found {}", row.values.len());
            return Err(Fault::new(row.offset, what, "one for each state, in order"));
        }
    }
    if body.rows.len() != shape.n_rows && body.default.is_none() {
        let what = format!("the table of `{name}` has {} rows, but the parents have {}", body.rows.len(), configurations(shape.n_rows));
        return Err(Fault::new(table.child.offset, what, "give every row, or a `default` for the others"));
    }
    if body.rows.len() < shape.n_rows {
        *n_filled = n_filled.checked_add(shape.n_entries).filter(|&filled| filled <= MAX_FILLED).ok_or_else(|| shape.too_large())?;
    } else if body.rows.len() > shape.n_rows {
        return Err(Fault::new(table.child.offset, format!("the table of `{name}` has too many rows"), "give every configuration once"));
    }
    let is_genies = n_parents > 0
        && body.rows.iter().all(|row| row.key.as_ref().is_some_and(|key| key.len() == n_parents + 1))
        && body.keys.iter().all(|&state| state == 0);
    *in_order |= is_genies;
    let fallback = body.default.as_ref();
    let mut values = fallback.map_or_else(|| vec![0.0; shape.n_entries], |row| body.values[row.values.clone()].repeat(shape.n_rows));
    let mut rows_at = vec![usize::MAX; shape.n_rows];
    for (place, row) in body.rows.iter().enumerate() {
        let at = match &row.key {
            Some(key) if !is_genies => place_of(&body.keys[key.clone()], shape, row.offset)?,
            _ => place,
        };
        if rows_at[at] != usize::MAX {
            return Err(Fault::new(row.offset, format!("this row of `{name}` is given twice"), "leave one out"));
        }
        rows_at[at] = row.offset;
        values[at * n_states..][..n_states].copy_from_slice(&body.values[row.values.clone()]);
    }
    let default_at = fallback.map_or(table.child.offset, |row| row.offset);
    rows_at.iter_mut().filter(|at| **at == usize::MAX).for_each(|at| *at = default_at);
    Ok(Laid::Rows { values, rows_at })
}

fn place_of(key: &[usize], shape: &Shape<'_, '_>, offset: usize) -> Result<usize, Fault> {
    if key.len() != shape.parents.len() {
        let what = format!("this row names {} states, but there are {} parents", key.len(), shape.parents.len());
        return Err(Fault::new(offset, what, "name one state of each parent, in order"));
    }
    key.iter().zip(&shape.parents).try_fold(0, |row, (&state, parent)| {
        let n_states = parent.states.len();
        let what = || format!("`{}` has {n_states} states, and {state} is none of them", shortened(&parent.name.text));
        if state < n_states { Ok(row * n_states + state) } else { Err(Fault::new(offset, what(), "states are counted from 0")) }
    })
}

fn name<'a>(input: &mut Input<'a>, what: &str) -> Result<Word<'a>, Fault> {
    blank(input)?;
    let offset = here(input);
    if input.starts_with('"') {
        return super::lexical::quoted(input);
    }
    let is_of_name =
        |symbol: char| !symbol.is_whitespace() && !matches!(symbol, ',' | ';' | ':' | '=' | '{' | '}' | '(' | ')' | '[' | ']' | '|' | '"');
    let text: &'a str = take_while::<_, _, Fault>(0.., is_of_name).parse_next(input)?;
    if text.is_empty() {
        return Err(Fault::new(
            offset,
            format!("expected {what}, found {}", found(input)),
            "names with blanks or delimiters are written in \"…\"",
        ));
    }
    Ok(Word { text: text.into(), offset })
}

/// Writes DSC. What it writes, [`read`] reads back to the same network, bit for bit; comments, values, submodels and properties are lost.
///
/// # Errors
/// When a distribution that is no table is too large to be spelled out as one.
pub fn write(document: &Document) -> Result<Written, NetError> {
    let network = document.network();
    let plain = |name: &str| format!("\"{}\"", name.replace('\\', "\\\\").replace('"', "\\\""));
    let bare = |name: &str| if super::identifier::is_identifier(name) { name.to_string() } else { plain(name) };
    let mut text = format!("belief network {}\n", plain(&document.name));
    for (variable, notes) in document.noted() {
        let _ = writeln!(text, "node {} {{", bare(network.name(variable)));
        if let Some(label) = &notes.label {
            let _ = writeln!(text, "  name : {};", plain(label));
        }
        let states: Vec<String> = network.states(variable).iter().map(|state| plain(state)).collect();
        let _ = writeln!(text, "  type : discrete [ {} ] = {{ {} }};", states.len(), states.join(", "));
        if let Some((x, y)) = notes.position {
            let _ = writeln!(text, "  position : ({x}, {y});");
        }
        text.push_str("}\n");
    }
    for variable in network.dag().variables() {
        let parents = network.dag().parents(variable);
        let _ = write!(text, "probability ( {}", bare(network.name(variable)));
        if !parents.is_empty() {
            let _ = write!(text, " | {}", parents.iter().map(|&parent| bare(network.name(parent))).collect::<Vec<_>>().join(", "));
        }
        text.push_str(" ) {\n");
        for (row_idx, row) in network.table(variable)?.chunks(network.n_states(variable)).enumerate() {
            text.push_str("  ");
            let mut left = row_idx;
            let mut key: Vec<String> = Vec::with_capacity(parents.len());
            for &parent in parents.iter().rev() {
                key.push((left % network.n_states(parent)).to_string());
                left /= network.n_states(parent);
            }
            key.reverse();
            if !key.is_empty() {
                let _ = write!(text, "({}) : ", key.join(", "));
            }
            push_numbers(&mut text, row, ", ");
            text.push_str(";\n");
        }
        text.push_str("}\n");
    }
    Ok(Written { lost: lost(document), ..Written::of(text) })
}

fn lost(document: &Document) -> Vec<String> {
    let count = |has: fn(&Notes) -> bool| document.noted().filter(|(_, notes)| has(notes)).count();
    let mut lost = Vec::new();
    let mut tell = |n_lost: usize, what: &str| {
        if n_lost > 0 {
            lost.push(format!("{what} ({n_lost})"));
        }
    };
    tell(count(|notes| notes.comment.is_some()), "comments");
    tell(count(|notes| notes.state_values.is_some()), "values of states");
    tell(count(|notes| !notes.submodel.is_empty()), "submodels of variables");
    tell(count(|notes| !notes.properties.is_empty() || !notes.table_properties.is_empty()), "properties of variables");
    tell(document.properties.len(), "properties of the network");
    lost.extend(super::spelled_out(document, &[]));
    lost
}
