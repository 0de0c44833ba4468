//! NET, the format of Hugin, as Hugin, bnlearn, pgmpy and pyAgrum write it: `net { … }`, or one `class NAME { … }` without instances of others.
//!
//! `data` runs with the variable itself fastest, then the last parent, the first slowest; parentheses around rows may be there or not. Labels,
//! positions, values of states and Hugin's descriptions (`HR_Desc`, our comment) are kept, and every other attribute as it stands. Tables that
//! Hugin never filled (all ones, or no `data`) are uniform, which is said. Models (`model_data`), decisions, utilities, functions and continuous
//! nodes are refused in words.
//!
//! Names of nodes have letters, digits and `_` only: others are changed and kept in an attribute.

use super::document::{Document, Notes, Remark, quoted_list, unquote};
use super::draft::{DraftTable, DraftVariable, Laid, MAX_FILLED, Shape, Wording, assemble};
use super::lexical::{Fault, FormatError, Input, Word, here, over_comments, quoted, shortened, statement_end, text_of};
use winnow::Parser;
use winnow::stream::Stream;
use winnow::token::{take_till, take_while};

mod write;

pub use write::write;

/// The attribute that holds the path of submodels.
const SUBMODEL: &str = "tunbridge_submodel";
/// What attributes begin with that hold what is no attribute of Hugin's.
const NOTE: &str = "tunbridge_note";

/// Reads NET.
///
/// # Errors
/// When the text is no NET, has nodes or models that are not read, or its network is none: with line, column and what to do.
pub fn read(bytes: &[u8]) -> Result<Document, FormatError> {
    let text = text_of(bytes)?;
    parse(&mut Input::new(text)).and_then(|parts| resolve(parts, text)).map_err(|fault| fault.within(text))
}

#[derive(Default)]
struct Parts<'a> {
    name: String,
    properties: Vec<String>,
    variables: Vec<DraftVariable<'a>>,
    notes: Vec<Notes>,
    tables: Vec<DraftTable<'a, Potential>>,
    remarks: Vec<(usize, String)>,
}

/// What is said of a table.
#[derive(Default)]
struct Potential {
    offset: usize,
    data: Option<(Vec<f64>, Vec<usize>)>,
    model: Option<usize>,
    properties: Vec<String>,
}

fn parse<'a>(input: &mut Input<'a>) -> Result<Parts<'a>, Fault> {
    let mut parts = Parts::default();
    let mut in_class = false;
    loop {
        blank(input)?;
        if input.eof_offset() == 0 {
            return if in_class { Err(expected(input, "`}` at the end of the class", "is the file cut off?")) } else { Ok(parts) };
        }
        if in_class && skip(input, '}')? {
            in_class = false;
            continue;
        }
        let offset = here(input);
        let keyword = word(input, "`net`, `node` or `potential`")?;
        match &*keyword.text {
            "net" => {
                expect(input, '{', "after `net`")?;
                while !skip(input, '}')? {
                    let attribute = name(input, "the name of an attribute, or `}`")?;
                    of_network(input, &attribute, &mut parts)?;
                }
            }
            "class" if !in_class => {
                parts.name = name(input, "the class's name")?.text.into_owned();
                expect(input, '{', "after the class's name")?;
                in_class = true;
            }
            "class" => return Err(Fault::new(offset, "a second class is not read", "save the network as one class")),
            "discrete" => {
                let kind = name(input, "`node`")?;
                if kind.text != "node" {
                    let what = format!("discrete {} nodes are not read", shortened(&kind.text));
                    return Err(Fault::new(kind.offset, what, "only chance nodes are"));
                }
                node(input, &mut parts)?;
            }
            "node" => node(input, &mut parts)?,
            "potential" => potential(input, &mut parts)?,
            "continuous" | "decision" | "utility" | "function" | "instance" => {
                let what = format!("nodes of kind `{}` are not read", keyword.text);
                return Err(Fault::new(offset, what, "only discrete chance nodes are: take the others out or make them discrete"));
            }
            _ if in_class && next_is(input, '=')? => of_network(input, &keyword, &mut parts)?,
            other => {
                let what = format!("expected `net`, `node` or `potential`, found `{}`", shortened(other));
                return Err(Fault::new(offset, what, "a NET file is `net { … }`, then nodes, then potentials"));
            }
        }
    }
}

fn of_network(input: &mut Input<'_>, attribute: &Word<'_>, parts: &mut Parts<'_>) -> Result<(), Fault> {
    let value = raw_value(input)?;
    match &*attribute.text {
        "name" => parts.name = unquote(value).unwrap_or_else(|| value.to_string()),
        _ => parts.properties.push(property(&attribute.text, value)),
    }
    Ok(())
}

fn node<'a>(input: &mut Input<'a>, parts: &mut Parts<'a>) -> Result<(), Fault> {
    let node_name = name(input, "the node's name")?;
    expect(input, '{', "after the node's name")?;
    let mut states = Vec::new();
    let mut notes = Notes::default();
    let mut values = None;
    while !skip(input, '}')? {
        let attribute = name(input, "the name of an attribute, or `}`")?;
        if attribute.text == "states" {
            states = state_names(input)?;
            continue;
        }
        let value = raw_value(input)?;
        let as_list = || list_of_numbers(value);
        match &*attribute.text {
            "label" => notes.label = unquote(value).filter(|label| !label.is_empty() && *label != node_name.text),
            "HR_Desc" => notes.comment = unquote(value).filter(|comment| !comment.is_empty()),
            "position" if as_list().is_some_and(|list| list.len() == 2) => notes.position = as_list().map(|list| (list[0], list[1])),
            "state_values" => match as_list() {
                Some(list) => values = Some((list, attribute.offset)),
                None => notes.properties.push(property(&attribute.text, value)),
            },
            SUBMODEL => notes.submodel = unquote(value).and_then(|list| quoted_list(&list)).unwrap_or_default(),
            _ => notes.properties.push(property(&attribute.text, value)),
        }
    }
    if states.is_empty() {
        let what = format!("node `{}` has no states", shortened(&node_name.text));
        return Err(Fault::new(node_name.offset, what, "add  states = (\"yes\" \"no\");"));
    }
    if let Some((list, offset)) = values {
        // Nodes of intervals have the ends of the intervals, one more than states: they stay an attribute.
        if list.len() == states.len() {
            notes.state_values = Some(list);
        } else if list.len() == states.len() + 1 {
            notes
                .properties
                .push(property("state_values", &format!("({})", list.iter().map(f64::to_string).collect::<Vec<_>>().join(" "))));
        } else {
            let what = format!("{} values for {} states", list.len(), states.len());
            return Err(Fault::new(offset, what, "give one for each state"));
        }
    }
    parts.variables.push(DraftVariable { name: node_name, states });
    parts.notes.push(notes);
    Ok(())
}

/// `= ("yes" "no");` where names that are not quoted run to the next blank or parenthesis.
fn state_names<'a>(input: &mut Input<'a>) -> Result<Vec<Word<'a>>, Fault> {
    expect(input, '=', "after `states`")?;
    expect(input, '(', "before the states")?;
    let mut states = Vec::new();
    while !skip(input, ')')? {
        let offset = here(input);
        if input.starts_with('"') {
            states.push(quoted(input)?);
            continue;
        }
        let text: &'a str =
            take_till::<_, _, Fault>(0.., |symbol: char| symbol.is_whitespace() || matches!(symbol, '(' | ')' | '"')).parse_next(input)?;
        if text.is_empty() {
            return Err(expected(input, "the name of a state, or `)`", "states are written  (\"yes\" \"no\")"));
        }
        states.push(Word { text: text.into(), offset });
    }
    expect(input, ';', "after the states")?;
    Ok(states)
}

fn potential<'a>(input: &mut Input<'a>, parts: &mut Parts<'a>) -> Result<(), Fault> {
    expect(input, '(', "after `potential`")?;
    let child = name(input, "the name of a node")?;
    let mut parents = Vec::new();
    if skip(input, '|')? {
        while !next_is(input, ')')? {
            parents.push(name(input, "the name of a parent, or `)`")?);
        }
    }
    if !skip(input, ')')? {
        return Err(expected(input, "`|` or `)`", "potentials of several nodes at once are not read"));
    }
    expect(input, '{', "before the probabilities")?;
    let mut says = Potential { offset: child.offset, ..Potential::default() };
    while !skip(input, '}')? {
        let attribute = name(input, "`data`, another attribute, or `}`")?;
        match &*attribute.text {
            "data" => says.data = Some(data(input)?),
            "model_data" | "model_nodes" | "samples_per_interval" => {
                raw_value(input)?;
                says.model.get_or_insert(attribute.offset);
            }
            _ => {
                let value = raw_value(input)?;
                says.properties.push(property(&attribute.text, value));
            }
        }
    }
    if let Some(at) = says.model {
        if says.data.is_none() {
            let what = format!("the table of `{}` is given by a model, and models are not read", shortened(&child.text));
            return Err(Fault::new(at, what, "let Hugin generate the tables, and save them"));
        }
        parts.remarks.push((at, format!("the model of `{}`, of which the table is,", shortened(&child.text))));
    }
    parts.tables.push(DraftTable { child, parents, body: says });
    Ok(())
}

/// Numbers in any nesting of parentheses, and where each stands.
fn data(input: &mut Input<'_>) -> Result<(Vec<f64>, Vec<usize>), Fault> {
    expect(input, '=', "after `data`")?;
    let (mut values, mut offsets) = (Vec::new(), Vec::new());
    let mut depth = 0_usize;
    loop {
        if skip(input, '(')? {
            depth += 1;
        } else if depth > 0 && skip(input, ')')? {
            depth -= 1;
        } else if depth == 0 && skip(input, ';')? {
            return Ok((values, offsets));
        } else {
            skip(input, ',')?;
            offsets.push(here(input));
            let text = take_while::<_, _, Fault>(0.., is_of_number).parse_next(input)?;
            match text.parse::<f64>() {
                Ok(value) if value.is_finite() => values.push(value),
                _ if text.is_empty() => {
                    return Err(expected(input, "a number", if depth > 0 { "is a `)` missing?" } else { "data ends with `;`" }));
                }
                _ => {
                    let offset = offsets.last().copied().unwrap_or(0);
                    return Err(Fault::new(offset, format!("`{}` is not a number", shortened(text)), "write it as 0.25 or 2.5e-1"));
                }
            }
        }
    }
}

fn resolve(parts: Parts<'_>, text: &str) -> Result<Document, Fault> {
    let Parts { name, properties, variables, mut notes, tables, remarks: ignored } = parts;
    let wording = Wording {
        name_it: "every name here needs a  node NAME { … }",
        give_table: |name| format!("add  potential ( {name} ) {{ data = ( … ); }}"),
    };
    let (mut n_filled, mut uniform) = (0, Vec::new());
    let assembled = assemble(&wording, &variables, &tables, |table, shape| laid_out(table, shape, &mut n_filled, &mut uniform))?;
    let mut remarks = assembled.remarks();
    let line = |offset: usize| text[..offset.min(text.len())].matches('\n').count() + 1;
    remarks.extend(ignored.into_iter().map(|(offset, what)| Remark::Ignored { what, line: line(offset) }));
    if !uniform.is_empty() {
        let what = format!("no probabilities were ever given in (part of) the tables of {}: they are uniform", uniform.join(", "));
        remarks.push(Remark::TakenAs { what });
    }
    for table in tables {
        if let Ok(place) = assembled.network.find(&table.child.text) {
            notes[place.index()].table_properties = table.body.properties;
        }
    }
    let network = super::xdsl::with_true_names(assembled.network, &mut notes)?;
    let mut document = Document::with_notes(name, network, notes);
    document.properties = properties;
    document.remarks = remarks;
    Ok(document)
}

fn laid_out(
    table: &DraftTable<'_, Potential>,
    shape: &Shape<'_, '_>,
    n_filled: &mut usize,
    uniform: &mut Vec<String>,
) -> Result<Laid, Fault> {
    let name = || shortened(&table.child.text);
    let share = 1.0 / shape.n_states as f64;
    let Some((values, offsets)) = &table.body.data else {
        *n_filled = n_filled.checked_add(shape.n_entries).filter(|&filled| filled <= MAX_FILLED).ok_or_else(|| shape.too_large())?;
        uniform.push(name());
        return Ok(Laid::Rows { values: vec![share; shape.n_entries], rows_at: vec![table.body.offset; shape.n_rows] });
    };
    shape.counted(values.len(), table.body.offset)?;
    let mut values = values.clone();
    let mut n_unfilled = 0;
    if shape.n_states > 1 {
        for row in values.chunks_exact_mut(shape.n_states).filter(|row| row.iter().all(|&value| value == 1.0)) {
            row.fill(share);
            n_unfilled += 1;
        }
    }
    if n_unfilled > 0 {
        uniform.push(name());
    }
    Ok(Laid::Rows { values, rows_at: offsets.iter().copied().step_by(shape.n_states.max(1)).collect() })
}

/// A property of an attribute; what is no attribute of Hugin's is taken out of its quotes.
fn property(name: &str, value: &str) -> String {
    let note = name.strip_prefix(NOTE).and_then(|_| unquote(value));
    note.unwrap_or_else(|| format!("{name} = {value}"))
}

/// `= …;`, the text between as it stands; `;` in quotes and parentheses does not end it.
fn raw_value<'a>(input: &mut Input<'a>) -> Result<&'a str, Fault> {
    expect(input, '=', "after the name of an attribute")?;
    blank(input)?;
    let offset = here(input);
    let rest: &'a str = input.peek_slice(input.eof_offset());
    let Some(end) = statement_end(rest) else {
        return Err(Fault::new(offset, "this attribute has no end", "close it with `;`, and quotes with \""));
    };
    input.next_slice(end + 1);
    Ok(rest[..end].trim())
}

fn list_of_numbers(value: &str) -> Option<Vec<f64>> {
    let inside = value.strip_prefix('(')?.strip_suffix(')')?;
    let number = |text: &str| text.parse::<f64>().ok().filter(|value| value.is_finite());
    inside.split([' ', '\t', '\n', '\r', ',']).filter(|part| !part.is_empty()).map(number).collect()
}

/// Passes over blanks and comments: `% …` and `// …` to the end of the line, `/* … */`.
fn blank(input: &mut Input<'_>) -> Result<(), Fault> {
    over_comments(input, &["%", "//"])
}

fn next_is(input: &mut Input<'_>, symbol: char) -> Result<bool, Fault> {
    blank(input)?;
    Ok(input.starts_with(symbol))
}

fn skip(input: &mut Input<'_>, symbol: char) -> Result<bool, Fault> {
    let comes = next_is(input, symbol)?;
    if comes {
        input.next_slice(symbol.len_utf8());
    }
    Ok(comes)
}

fn expect(input: &mut Input<'_>, symbol: char, place: &str) -> Result<(), Fault> {
    if skip(input, symbol)? { Ok(()) } else { Err(expected(input, &format!("`{symbol}` {place}"), "")) }
}

fn expected(input: &Input<'_>, what: &str, hint: &str) -> Fault {
    Fault::new(here(input), format!("expected {what}, found {}", super::lexical::found(input)), hint)
}

fn name<'a>(input: &mut Input<'a>, what: &str) -> Result<Word<'a>, Fault> {
    blank(input)?;
    word(input, what)
}

/// A name: letters, digits and what other programs put between them, or anything in quotes.
fn word<'a>(input: &mut Input<'a>, what: &str) -> Result<Word<'a>, Fault> {
    let offset = here(input);
    if input.starts_with('"') {
        return quoted(input);
    }
    let is_of_name = |symbol: char| !symbol.is_whitespace() && !matches!(symbol, '{' | '}' | '(' | ')' | '|' | '=' | ';' | ',' | '"' | '%');
    let text: &'a str = take_while::<_, _, Fault>(0.., is_of_name).parse_next(input)?;
    if text.is_empty() { Err(expected(input, what, "")) } else { Ok(Word { text: text.into(), offset }) }
}

fn is_of_number(symbol: char) -> bool {
    !symbol.is_whitespace() && !matches!(symbol, '(' | ')' | ';' | ',' | '{' | '}' | '%' | '"')
}
