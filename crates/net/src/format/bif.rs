//! BIF, the interchange format of Bayesian networks (Cozman's version 0.15), as bnlearn, pgmpy and pyAgrum really write it.
//!
//! Names are quoted or any run without blanks and delimiters, so that states such as `<5` or `0.5-1` are read; commas between names and
//! numbers may be left out; rows may come in any order; `default` fills the rows that are not given; a flat `table` of a variable with parents
//! has the variable itself slowest and the last parent fastest, as the format's definition says and pyAgrum and pgmpy read it. Properties are kept as they stand,
//! comments are not. Numbers are written as the shortest text that reads back to the same double.

use super::document::{Document, Notes, Remark};
use super::draft::{DraftTable, DraftVariable, Laid, MAX_FILLED, Shape, Wording, assemble, configurations};
use super::lexical::{
    Fault, FormatError, Input, Word, expect, found, here, next_is, number, numbers_until, shortened, skip, statement_end, text_of, word,
    written,
};
use super::rows::{push_number, rows_of};
use crate::error::NetError;
use crate::network::Network;
use std::fmt::Write;
use std::ops::Range;
use winnow::Parser;
use winnow::stream::Stream;
use winnow::token::take_while;

/// What a BIF file says.
#[derive(Clone, Debug, PartialEq)]
pub struct Bif {
    /// The network's name.
    pub name: String,
    /// The network.
    pub network: Network,
    properties: Vec<Property>,
    row_sum_deviation: f64,
    n_rows_off: usize,
}

/// A property, kept as it stood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Property {
    /// What it is said of.
    pub of: PropertyOf,
    /// Its text, without `property` and `;`.
    pub text: String,
}

/// What a property is said of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PropertyOf {
    /// The network.
    Network,
    /// The variable of this name.
    Variable(String),
    /// The table of the variable of this name.
    Table(String),
}

impl Bif {
    /// A network to be written, without properties.
    pub fn new(name: impl Into<String>, network: Network) -> Self {
        Self { name: name.into(), network, properties: Vec::new(), row_sum_deviation: 0.0, n_rows_off: 0 }
    }

    /// The properties, in the order of the file.
    pub fn properties(&self) -> &[Property] {
        &self.properties
    }

    /// How far from one the sum of the worst row of the file was, before rows were renormalised.
    pub fn row_sum_deviation(&self) -> f64 {
        self.row_sum_deviation
    }

    /// The file as a document: positions, labels and their like are taken from the properties.
    pub fn into_document(self) -> Document {
        let mut remarks = Vec::new();
        if self.n_rows_off > 0 {
            remarks.push(Remark::Renormalised { n_rows: self.n_rows_off, worst: self.row_sum_deviation });
        }
        let mut notes = vec![Notes::default(); self.network.n_variables()];
        let mut properties = Vec::new();
        for property in self.properties {
            let place = |name: &str| self.network.find(name).map(|variable| (variable.index(), self.network.n_states(variable)));
            match &property.of {
                PropertyOf::Network => properties.push(property.text),
                PropertyOf::Variable(name) => {
                    if let Ok((place, n_states)) = place(name) {
                        notes[place].take_property(&property.text, n_states);
                    }
                }
                PropertyOf::Table(name) => {
                    if let Ok((place, _)) = place(name) {
                        notes[place].table_properties.push(property.text);
                    }
                }
            }
        }
        let mut document = Document::with_notes(self.name, self.network, notes);
        document.properties = properties;
        document.remarks = remarks;
        document
    }

    /// A document as BIF: positions, labels and their like become properties.
    pub fn from_document(document: &Document) -> Self {
        let network = document.network().clone();
        let mut properties = Vec::new();
        let mut push = |of: PropertyOf, text: &str| properties.push(Property { of, text: bare_of_semicolons(text) });
        document.properties.iter().for_each(|text| push(PropertyOf::Network, text));
        for (variable, notes) in document.noted() {
            let name = network.name(variable);
            notes.as_properties().iter().for_each(|text| push(PropertyOf::Variable(name.to_string()), text));
            notes.table_properties.iter().for_each(|text| push(PropertyOf::Table(name.to_string()), text));
        }
        Self { name: document.name.clone(), network, properties, row_sum_deviation: 0.0, n_rows_off: 0 }
    }
}

/// A property ends with the first `;` outside quotes: a text that has one is put in quotes as a whole.
fn bare_of_semicolons(text: &str) -> String {
    let ends_early = statement_end(&format!("{text};")).is_none_or(|end| end < text.len()) || text.trim() != text;
    if ends_early { super::document::quote(text) } else { text.to_string() }
}

/// Reads BIF.
///
/// # Errors
/// When the text is no BIF or its network is none: with line, column and what to do.
///
/// ```
/// use tunbridge_net::format::bif;
/// let coin = bif::read(b"network coin {}
/// variable Side { type discrete [2] { heads, tails }; }
/// probability ( Side ) { table 0.5, 0.5; }")?;
/// assert_eq!(coin.network.states(coin.network.find("Side").unwrap()), ["heads", "tails"]);
/// let broken = bif::read(b"variable Side { type discrete [3] { heads, tails }; }").unwrap_err();
/// assert_eq!((broken.line, broken.column), (1, 17));
/// # Ok::<(), tunbridge_net::format::FormatError>(())
/// ```
pub fn read(bytes: &[u8]) -> Result<Bif, FormatError> {
    let text = text_of(bytes)?;
    parse(&mut Input::new(text)).and_then(resolve).map_err(|fault| fault.within(text))
}

/// Writes BIF. What it writes, [`read`] reads back to the same network, bit for bit; what is no table is spelled out as one.
///
/// # Errors
/// When a distribution is too large to be spelled out.
pub fn write(bif: &Bif) -> Result<String, NetError> {
    let network = &bif.network;
    let mut text = String::new();
    let properties = |text: &mut String, of: &PropertyOf| {
        for property in bif.properties.iter().filter(|property| property.of == *of) {
            let _ = writeln!(text, "  property {};", property.text);
        }
    };
    let _ = writeln!(text, "network {} {{", written(&bif.name));
    properties(&mut text, &PropertyOf::Network);
    text.push_str("}\n");
    for variable in network.dag().variables() {
        let states = network.states(variable);
        let _ = writeln!(text, "variable {} {{", written(network.name(variable)));
        let _ = writeln!(text, "  type discrete [ {} ] {{ {} }};", states.len(), listed(states.iter()));
        properties(&mut text, &PropertyOf::Variable(network.name(variable).to_string()));
        text.push_str("}\n");
    }
    for variable in network.dag().variables() {
        let parents = network.dag().parents(variable);
        let _ = write!(text, "probability ( {}", written(network.name(variable)));
        if !parents.is_empty() {
            let _ = write!(text, " | {}", listed(parents.iter().map(|&parent| network.name(parent))));
        }
        text.push_str(" ) {\n");
        rows_of(network, variable, |key, row| {
            if key.is_empty() {
                text.push_str("  table ");
            } else {
                let _ = write!(text, "  ({}) ", listed(key.iter()));
            }
            for (place, &value) in row.iter().enumerate() {
                text.push_str(if place == 0 { "" } else { ", " });
                push_number(&mut text, value);
            }
            text.push_str(";\n");
        })?;
        properties(&mut text, &PropertyOf::Table(network.name(variable).to_string()));
        text.push_str("}\n");
    }
    Ok(text)
}

fn listed<N: AsRef<str>>(names: impl Iterator<Item = N>) -> String {
    names.map(|name| written(name.as_ref()).into_owned()).collect::<Vec<_>>().join(", ")
}

/// The blocks of a file, before names are looked up.
#[derive(Default)]
struct Blocks<'a> {
    name: String,
    variables: Vec<DraftVariable<'a>>,
    /// With the place of their entries.
    tables: Vec<DraftTable<'a, Range<usize>>>,
    said: Said<'a>,
    properties: Vec<Property>,
}

/// What is said in all blocks of probabilities: entries, and their states and numbers, stand in one list each.
#[derive(Default)]
struct Said<'a> {
    entries: Vec<Entry>,
    states: Vec<Word<'a>>,
    values: Vec<f64>,
}

struct Entry {
    offset: usize,
    kind: EntryKind,
    values: Range<usize>,
}

enum EntryKind {
    Row(Range<usize>),
    Table,
    Default,
}

fn parse<'a>(input: &mut Input<'a>) -> Result<Blocks<'a>, Fault> {
    let mut blocks = Blocks::default();
    while !at_end(input)? {
        let keyword = word(input, "`network`, `variable` or `probability`")?;
        match &*keyword.text {
            "network" => network_block(input, &mut blocks)?,
            "variable" => variable_block(input, &mut blocks)?,
            "probability" => table_block(input, &mut blocks)?,
            other => {
                let what = format!("expected `network`, `variable` or `probability`, found `{}`", shortened(other));
                return Err(Fault::new(keyword.offset, what, "a BIF file is a list of such blocks"));
            }
        }
        skip(input, ';')?;
    }
    Ok(blocks)
}

fn at_end(input: &mut Input<'_>) -> Result<bool, Fault> {
    super::lexical::blank(input)?;
    Ok(input.eof_offset() == 0)
}

fn network_block<'a>(input: &mut Input<'a>, blocks: &mut Blocks<'a>) -> Result<(), Fault> {
    if !next_is(input, '{')? {
        blocks.name = word(input, "the network's name")?.text.into_owned();
    }
    expect(input, '{', "after the network's name")?;
    while !skip(input, '}')? {
        keyword(input, &["property"])?;
        property(input, PropertyOf::Network, blocks)?;
    }
    Ok(())
}

fn variable_block<'a>(input: &mut Input<'a>, blocks: &mut Blocks<'a>) -> Result<(), Fault> {
    let name = word(input, "the variable's name")?;
    expect(input, '{', "after the variable's name")?;
    let mut states: Option<Vec<Word<'a>>> = None;
    while !skip(input, '}')? {
        let offset = here(input);
        if keyword(input, &["type", "property"])? == "property" {
            property(input, PropertyOf::Variable(name.text.to_string()), blocks)?;
        } else if states.replace(states_of(input, offset)?).is_some() {
            return Err(Fault::new(offset, format!("variable `{}` has two types", shortened(&name.text)), "leave one out"));
        }
    }
    let Some(states) = states.filter(|states| !states.is_empty()) else {
        let hint = "add a line such as  type discrete [ 2 ] { yes, no };";
        return Err(Fault::new(name.offset, format!("variable `{}` has no states", shortened(&name.text)), hint));
    };
    blocks.variables.push(DraftVariable { name, states });
    Ok(())
}

/// `discrete [ 2 ] { yes, no };`
fn states_of<'a>(input: &mut Input<'a>, offset: usize) -> Result<Vec<Word<'a>>, Fault> {
    let kind = word(input, "`discrete`")?;
    if !kind.text.eq_ignore_ascii_case("discrete") {
        let what = format!("variables of type `{}` are not read", shortened(&kind.text));
        return Err(Fault::new(kind.offset, what, "only `type discrete [ n ] { … };` is"));
    }
    let mut told = None;
    if skip(input, '[')? {
        told = Some(number(input)?);
        expect(input, ']', "after the number of states")?;
    }
    expect(input, '{', "before the states")?;
    let mut states = Vec::new();
    while !skip(input, '}')? {
        states.push(word(input, "the name of a state")?);
        skip(input, ',')?;
    }
    expect(input, ';', "after the states")?;
    match told {
        Some(told) if told != states.len() as f64 => {
            let what = format!("{told} states are said to follow, but there are {}", states.len());
            Err(Fault::new(offset, what, "correct the number; states whose names have blanks or delimiters are written in \"…\""))
        }
        _ => Ok(states),
    }
}

fn table_block<'a>(input: &mut Input<'a>, blocks: &mut Blocks<'a>) -> Result<(), Fault> {
    expect(input, '(', "after `probability`")?;
    let child = word(input, "the name of a variable")?;
    let mut parents = Vec::new();
    // Old files part a variable from its parents by a comma or nothing.
    if !skip(input, '|')? {
        skip(input, ',')?;
    }
    while !skip(input, ')')? {
        parents.push(word(input, "the name of a parent, or `)`")?);
        skip(input, ',')?;
    }
    expect(input, '{', "before the probabilities")?;
    let first = blocks.said.entries.len();
    while !skip(input, '}')? {
        let offset = here(input);
        let kind = if skip(input, '(')? {
            let states = &mut blocks.said.states;
            let start = states.len();
            while !skip(input, ')')? {
                states.push(word(input, "the state of a parent, or `)`")?);
                skip(input, ',')?;
            }
            EntryKind::Row(start..states.len())
        } else {
            match keyword(input, &["table", "default", "property"])? {
                "table" => EntryKind::Table,
                "default" => EntryKind::Default,
                _ => {
                    property(input, PropertyOf::Table(child.text.to_string()), blocks)?;
                    continue;
                }
            }
        };
        let Said { entries, values, .. } = &mut blocks.said;
        let start = values.len();
        numbers_until(input, ';', values)?;
        entries.push(Entry { offset, kind, values: start..values.len() });
    }
    blocks.tables.push(DraftTable { child, parents, body: first..blocks.said.entries.len() });
    Ok(())
}

/// One of these keywords.
fn keyword(input: &mut Input<'_>, allowed: &[&'static str]) -> Result<&'static str, Fault> {
    super::lexical::blank(input)?;
    let offset = here(input);
    let start = input.checkpoint();
    let text = take_while::<_, _, Fault>(0.., |symbol: char| symbol.is_ascii_alphabetic()).parse_next(input)?;
    if let Some(keyword) = allowed.iter().find(|keyword| **keyword == text) {
        return Ok(keyword);
    }
    input.reset(&start);
    let allowed: Vec<String> = allowed.iter().map(|keyword| format!("`{keyword}`")).collect();
    Err(Fault::new(offset, format!("expected {} or `}}`, found {}", allowed.join(", "), found(input)), "is a `}` or `;` missing before?"))
}

/// The text of a property up to its `;`, which quotes may contain.
fn property(input: &mut Input<'_>, of: PropertyOf, blocks: &mut Blocks<'_>) -> Result<(), Fault> {
    let offset = here(input);
    let rest: &str = input.peek_slice(input.eof_offset());
    let Some(end) = statement_end(rest) else {
        return Err(Fault::new(offset, "this property has no end", "close it with `;`, and quotes with \""));
    };
    let text = rest[..end].trim().to_string();
    input.next_slice(end + 1);
    blocks.properties.push(Property { of, text });
    Ok(())
}

/// Looks names up and lays the tables out.
fn resolve(blocks: Blocks<'_>) -> Result<Bif, Fault> {
    let Blocks { name, variables, tables, said, properties } = blocks;
    let wording = Wording {
        name_it: "every name here needs a block  variable NAME { … }",
        give_table: |name| format!("add a block  probability ( {} ) {{ table …; }}", written(name)),
    };
    let mut n_filled = 0;
    let assembled = assemble(&wording, &variables, &tables, |table, shape| laid_out(table, &said, shape, &mut n_filled))?;
    let (n_rows_off, row_sum_deviation) = (assembled.n_off, assembled.worst);
    Ok(Bif { name, network: assembled.network, properties, n_rows_off, row_sum_deviation })
}

/// The table of a block with the last parent faster than the first and the variable fastest, and the offset each row stands at.
fn laid_out(table: &DraftTable<'_, Range<usize>>, said: &Said<'_>, shape: &Shape<'_, '_>, n_filled: &mut usize) -> Result<Laid, Fault> {
    let name = || shortened(&table.child.text);
    let (n_states, n_rows) = (shape.n_states, shape.n_rows);
    let counted = |entry: &Entry, expected: usize| {
        if entry.values.len() == expected {
            return Ok(());
        }
        let what = format!("expected {expected} probabilities, found {}", entry.values.len());
        Err(Fault::new(entry.offset, what, "one for each state, in order"))
    };
    let entries = &said.entries[table.body.clone()];
    let mut default = None;
    for entry in entries {
        match &entry.kind {
            EntryKind::Default => {
                counted(entry, n_states)?;
                if default.replace(entry).is_some() {
                    return Err(Fault::new(entry.offset, format!("the table of `{}` has two defaults", name()), "leave one out"));
                }
            }
            EntryKind::Table if entries.len() > 1 => {
                let what = format!("a flat `table` of `{}` stands beside other rows", name());
                return Err(Fault::new(entry.offset, what, "give one or the other"));
            }
            EntryKind::Table => {
                counted(entry, shape.n_entries)?;
                // The definition has the variable itself slowest.
                let given = &said.values[entry.values.clone()];
                let values = (0..shape.n_entries).map(|place| given[(place % n_states) * n_rows + place / n_states]).collect();
                return Ok(Laid::Rows { values, rows_at: vec![entry.offset; n_rows] });
            }
            EntryKind::Row(_) => counted(entry, n_states)?,
        }
    }
    // Without a default the rows given are as many as the table has, so that memory is bounded by the length of the text.
    let n_given = entries.len() - usize::from(default.is_some());
    if default.is_some() && n_given < n_rows {
        *n_filled = n_filled.checked_add(shape.n_entries).filter(|&filled| filled <= MAX_FILLED).ok_or_else(|| shape.too_large())?;
    } else if n_given < n_rows {
        let what = format!("the table of `{}` has {n_given} rows, but the parents have {}", name(), configurations(n_rows));
        return Err(Fault::new(table.child.offset, what, "give every row, or a `default` for the others"));
    }
    let mut values = match default {
        Some(entry) => said.values[entry.values.clone()].repeat(n_rows),
        None => vec![0.0; shape.n_entries],
    };
    let mut rows_at = vec![default.map_or(table.child.offset, |entry| entry.offset); n_rows];
    let mut given = vec![false; n_rows];
    let mut before = vec![0; shape.parents.len()];
    for entry in entries {
        let EntryKind::Row(key) = &entry.kind else { continue };
        let row = shape.row_of(&said.states[key.clone()], entry.offset, &mut before)?;
        if std::mem::replace(&mut given[row], true) {
            return Err(Fault::new(entry.offset, format!("this row of `{}` is given twice", name()), "leave one out"));
        }
        values[row * n_states..][..n_states].copy_from_slice(&said.values[entry.values.clone()]);
        rows_at[row] = entry.offset;
    }
    Ok(Laid::Rows { values, rows_at })
}
