//! BIF, the interchange format of Bayesian networks (Cozman's version 0.15), as bnlearn, pgmpy and pyAgrum really write it.
//!
//! Names are quoted or any run without blanks and delimiters, so that states such as `<5` or `0.5-1` are read; commas between names and
//! numbers may be left out; rows may come in any order; `default` fills the rows that are not given; a flat `table` of a variable with parents
//! has the variable itself slowest and the last parent fastest, as the format's definition says. Properties are kept as they stand,
//! comments are not. Numbers are written as the shortest text that reads back to the same double.

use super::lexical::{Fault, FormatError, Input, Word, expect, found, here, next_is, number, shortened, skip, text_of, word, written};
use crate::conditional::ConditionalTable;
use crate::error::NetError;
use crate::network::{Network, Variable};
use std::collections::HashMap;
use std::fmt::Write;
use winnow::Parser;
use winnow::stream::Stream;
use winnow::token::take_while;

/// How many entries `default` may fill in one file: a few bytes must not ask for all memory.
const MAX_FILLED: usize = 1 << 24;

/// What a BIF file says.
#[derive(Clone, Debug, PartialEq)]
pub struct Bif {
    /// The network's name.
    pub name: String,
    /// The network.
    pub network: Network,
    properties: Vec<Property>,
    row_sum_deviation: f64,
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
        Self { name: name.into(), network, properties: Vec::new(), row_sum_deviation: 0.0 }
    }

    /// The properties, in the order of the file.
    pub fn properties(&self) -> &[Property] {
        &self.properties
    }

    /// How far from one the sum of the worst row of the file was, before rows were renormalised.
    pub fn row_sum_deviation(&self) -> f64 {
        self.row_sum_deviation
    }
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
        for (row_idx, row) in network.table(variable)?.chunks(network.n_states(variable)).enumerate() {
            let mut key = vec![""; parents.len()];
            let mut left = row_idx;
            for (&parent, state) in parents.iter().zip(&mut key).rev() {
                *state = &network.states(parent)[left % network.n_states(parent)];
                left /= network.n_states(parent);
            }
            text.push_str(if parents.is_empty() { "  table " } else { "  (" });
            if !parents.is_empty() {
                let _ = write!(text, "{}) ", listed(key.into_iter()));
            }
            for (place, value) in row.iter().enumerate() {
                let _ = write!(text, "{}{value:?}", if place == 0 { "" } else { ", " });
            }
            text.push_str(";\n");
        }
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
    variables: Vec<(Word<'a>, Vec<Word<'a>>)>,
    tables: Vec<TableBlock<'a>>,
    properties: Vec<Property>,
}

struct TableBlock<'a> {
    child: Word<'a>,
    parents: Vec<Word<'a>>,
    entries: Vec<Entry<'a>>,
}

struct Entry<'a> {
    offset: usize,
    kind: EntryKind<'a>,
    values: Vec<f64>,
}

enum EntryKind<'a> {
    Row(Vec<Word<'a>>),
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
    blocks.variables.push((name, states));
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
    let mut entries = Vec::new();
    while !skip(input, '}')? {
        let offset = here(input);
        let kind = if skip(input, '(')? {
            let mut key = Vec::with_capacity(parents.len());
            while !skip(input, ')')? {
                key.push(word(input, "the state of a parent, or `)`")?);
                skip(input, ',')?;
            }
            EntryKind::Row(key)
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
        let mut values = Vec::new();
        while !skip(input, ';')? {
            values.push(number(input)?);
            skip(input, ',')?;
        }
        entries.push(Entry { offset, kind, values });
    }
    blocks.tables.push(TableBlock { child, parents, entries });
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
    let mut in_quotes = false;
    let outside = rest.char_indices().find(|&(_, symbol)| {
        in_quotes ^= symbol == '"';
        symbol == ';' && !in_quotes
    });
    let Some((end, _)) = outside else {
        return Err(Fault::new(offset, "this property has no end", "close it with `;`, and quotes with \""));
    };
    let text = rest[..end].trim().to_string();
    input.next_slice(end + 1);
    blocks.properties.push(Property { of, text });
    Ok(())
}

/// Looks names up and lays the tables out.
fn resolve(blocks: Blocks<'_>) -> Result<Bif, Fault> {
    let Blocks { name, variables, tables, properties } = blocks;
    let mut places = HashMap::with_capacity(variables.len());
    for (place, (word, _)) in variables.iter().enumerate() {
        if places.insert(&*word.text, place).is_some() {
            return Err(Fault::new(
                word.offset,
                format!("there are two variables `{}`", shortened(&word.text)),
                "give one of them another name",
            ));
        }
    }
    let mut block_of: Vec<Option<&TableBlock<'_>>> = vec![None; variables.len()];
    for block in &tables {
        let place = place_of(&places, &block.child)?;
        if block_of[place].replace(block).is_some() {
            let what = format!("variable `{}` has two blocks of probabilities", shortened(&block.child.text));
            return Err(Fault::new(block.child.offset, what, "leave one out"));
        }
    }
    let mut deviation = 0.0_f64;
    let mut n_filled = 0;
    let mut rows_at = Vec::with_capacity(variables.len());
    let mut made = Vec::with_capacity(variables.len());
    for ((word, states), block) in variables.iter().zip(&block_of) {
        let Some(block) = block else {
            let hint = format!("add a block  probability ( {} ) {{ table …; }}", written(&word.text));
            return Err(Fault::new(word.offset, format!("variable `{}` has no probabilities", shortened(&word.text)), hint));
        };
        let parents = block.parents.iter().map(|parent| Ok(&variables[place_of(&places, parent)?].1)).collect::<Result<Vec<_>, Fault>>()?;
        let (values, offsets) = laid_out(block, &parents, states.len(), &mut n_filled)?;
        deviation = deviation.max(ConditionalTable::worst_deviation(states.len(), &values));
        rows_at.push(offsets);
        made.push(Variable {
            name: word.text.to_string(),
            states: states.iter().map(|state| state.text.to_string()).collect(),
            parents: block.parents.iter().map(|parent| parent.text.to_string()).collect(),
            probabilities: values,
        });
    }
    let network = Network::new(made).map_err(|error| {
        let (offset, hint) = match &error {
            NetError::RowSum { variable, row, .. } | NetError::NotAProbability { variable, row, .. } => {
                (places.get(variable.as_str()).and_then(|&place| rows_at[place].get(row - 1)).copied(), "correct the row")
            }
            NetError::RepeatedState { variable, state } => {
                let states = places.get(variable.as_str()).map(|&place| &variables[place].1);
                (states.and_then(|states| states.iter().rfind(|word| word.text == *state)).map(|word| word.offset), "")
            }
            NetError::Cycle { path } => {
                let block = path.last().and_then(|name| places.get(name.as_str())).and_then(|&place| block_of[place]);
                (block.map(|block| block.child.offset), "")
            }
            NetError::RepeatedArc { parent, child } => {
                let block = places.get(child.as_str()).and_then(|&place| block_of[place]);
                (block.and_then(|block| block.parents.iter().rfind(|word| word.text == *parent)).map(|word| word.offset), "")
            }
            _ => (None, ""),
        };
        Fault::new(offset.unwrap_or(0), error.to_string(), hint)
    })?;
    Ok(Bif { name, network, properties, row_sum_deviation: deviation })
}

fn place_of(places: &HashMap<&str, usize>, word: &Word<'_>) -> Result<usize, Fault> {
    places.get(&*word.text).copied().ok_or_else(|| {
        Fault::new(
            word.offset,
            format!("no variable is named `{}`", shortened(&word.text)),
            "every name here needs a block  variable NAME { … }",
        )
    })
}

/// The table of a block with the last parent faster than the first and the variable fastest, and the offset each row stands at.
fn laid_out(
    block: &TableBlock<'_>,
    parents: &[&Vec<Word<'_>>],
    n_states: usize,
    n_filled: &mut usize,
) -> Result<(Vec<f64>, Vec<usize>), Fault> {
    let name = shortened(&block.child.text);
    let too_large = || Fault::new(block.child.offset, format!("the table of `{name}` is too large"), "give the variable fewer parents");
    let n_rows = parents.iter().try_fold(1_usize, |n_rows, states| n_rows.checked_mul(states.len())).ok_or_else(too_large)?;
    let n_entries = n_rows.checked_mul(n_states).ok_or_else(too_large)?;
    let counted = |entry: &Entry<'_>, expected: usize| {
        let what = format!("expected {expected} probabilities, found {}", entry.values.len());
        if entry.values.len() == expected { Ok(()) } else { Err(Fault::new(entry.offset, what, "one for each state, in order")) }
    };
    let mut default = None;
    for entry in &block.entries {
        match &entry.kind {
            EntryKind::Default => {
                counted(entry, n_states)?;
                if default.replace(entry).is_some() {
                    return Err(Fault::new(entry.offset, format!("the table of `{name}` has two defaults"), "leave one out"));
                }
            }
            EntryKind::Table if block.entries.len() > 1 => {
                return Err(Fault::new(
                    entry.offset,
                    format!("a flat `table` of `{name}` stands beside other rows"),
                    "give one or the other",
                ));
            }
            EntryKind::Table => {
                counted(entry, n_entries)?;
                // The definition has the variable itself slowest.
                let values = (0..n_entries).map(|place| entry.values[(place % n_states) * n_rows + place / n_states]).collect();
                return Ok((values, vec![entry.offset; n_rows]));
            }
            EntryKind::Row(_) => counted(entry, n_states)?,
        }
    }
    // Without a default the rows given are as many as the table has, so that memory is bounded by the length of the text.
    let n_given = block.entries.len() - usize::from(default.is_some());
    if default.is_some() && n_given < n_rows {
        *n_filled = n_filled.checked_add(n_entries).filter(|&filled| filled <= MAX_FILLED).ok_or_else(too_large)?;
    } else if n_given < n_rows {
        let what = format!("the table of `{name}` has {n_given} rows, but the parents have {n_rows} configurations");
        return Err(Fault::new(block.child.offset, what, "give every row, or a `default` for the others"));
    }
    let mut values = match default {
        Some(entry) => entry.values.repeat(n_rows),
        None => vec![0.0; n_entries],
    };
    let mut offsets = vec![default.map_or(block.child.offset, |entry| entry.offset); n_rows];
    let mut given = vec![false; n_rows];
    for entry in &block.entries {
        let EntryKind::Row(key) = &entry.kind else { continue };
        let row = row_of(key, parents, entry.offset)?;
        if std::mem::replace(&mut given[row], true) {
            return Err(Fault::new(entry.offset, format!("this row of `{name}` is given twice"), "leave one out"));
        }
        values[row * n_states..][..n_states].copy_from_slice(&entry.values);
        offsets[row] = entry.offset;
    }
    Ok((values, offsets))
}

/// The place of a configuration of the parents.
fn row_of(key: &[Word<'_>], parents: &[&Vec<Word<'_>>], offset: usize) -> Result<usize, Fault> {
    if key.len() != parents.len() {
        let what = format!("this row names {} states, but there are {} parents", key.len(), parents.len());
        return Err(Fault::new(offset, what, "name one state of each parent, in order"));
    }
    key.iter().zip(parents).try_fold(0, |row, (word, states)| {
        let state = states.iter().position(|state| state.text == word.text).ok_or_else(|| {
            let known: Vec<&str> = states.iter().take(12).map(|state| &*state.text).collect();
            let hint = format!("the parent's states are {}{}", known.join(", "), if states.len() > 12 { ", …" } else { "" });
            Fault::new(word.offset, format!("the parent has no state `{}`", shortened(&word.text)), hint)
        })?;
        Ok(row * states.len() + state)
    })
}
