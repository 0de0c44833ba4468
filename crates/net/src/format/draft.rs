//! From the parts of a text to a network: names are looked up, tables laid out, and what is wrong is told at its place.
//!
//! Readers hand over variables and tables as they stand in the text; how a format lays its tables out, each reader says.

use super::document::Remark;
use super::lexical::{Fault, Word, shortened};
use crate::conditional::{Conditional, ConditionalTable, TableFault};
use crate::domain::Domain;
use crate::error::NetError;
use crate::network::Network;
use belief::VarId;
use std::collections::HashMap;

/// How many entries of tables a text may leave to be filled in (by defaults, wildcards and short forms): a few bytes must not ask for all
/// memory.
pub(crate) const MAX_FILLED: usize = 1 << 24;

/// A variable as it stands in the text.
pub(crate) struct DraftVariable<'a> {
    pub name: Word<'a>,
    pub states: Vec<Word<'a>>,
}

/// A table as it stands in the text.
pub(crate) struct DraftTable<'a, B> {
    pub child: Word<'a>,
    pub parents: Vec<Word<'a>>,
    pub body: B,
}

/// What a table is to be laid out for.
pub(crate) struct Shape<'d, 'a> {
    pub variable: &'d DraftVariable<'a>,
    pub parents: Vec<&'d DraftVariable<'a>>,
    /// States of the variable.
    pub n_states: usize,
    /// Configurations of the parents; [`usize::MAX`] when there are more.
    pub n_rows: usize,
    /// Entries of the table; [`usize::MAX`] when there are more.
    pub n_entries: usize,
}

/// A distribution as a reader lays it out.
pub(crate) enum Laid {
    /// A table with the last parent faster than the first and the variable fastest, and where each row stands in the text.
    Rows { values: Vec<f64>, rows_at: Vec<usize> },
    /// A distribution that is no table.
    Other(Conditional),
}

/// How a format tells people to name a variable and to give it a table.
pub(crate) struct Wording {
    pub name_it: &'static str,
    pub give_table: fn(&str) -> String,
}

/// A network and how far from one its rows were.
pub(crate) struct Assembled {
    pub network: Network,
    /// How far the sum of the worst row was from one.
    pub worst: f64,
    /// How many rows were further from one than rounding explains.
    pub n_off: usize,
}

impl Assembled {
    /// What is to be said of rows that were renormalised.
    pub fn remarks(&self) -> Vec<Remark> {
        if self.n_off == 0 { Vec::new() } else { vec![Remark::Renormalised { n_rows: self.n_off, worst: self.worst }] }
    }
}

/// Rows nearer to one than this are not worth a remark.
const WORTH_SAYING: f64 = 1e-12;

impl Shape<'_, '_> {
    pub fn too_large(&self) -> Fault {
        let what = format!("the table of `{}` is too large", shortened(&self.variable.name.text));
        Fault::new(self.variable.name.offset, what, "give the variable fewer parents")
    }

    /// The place of a configuration of the parents, by the names of their states. Mostly they are those of the row before, or the next.
    pub fn row_of(&self, key: &[Word<'_>], offset: usize, before: &mut [usize]) -> Result<usize, Fault> {
        if key.len() != self.parents.len() {
            let what = format!("this row names {} states, but there are {} parents", key.len(), self.parents.len());
            return Err(Fault::new(offset, what, "name one state of each parent, in order"));
        }
        key.iter().zip(&self.parents).zip(before).try_fold(0, |row, ((word, parent), before)| {
            let is_at = |place: usize| parent.states.get(place).is_some_and(|state| state.text == word.text);
            if !is_at(*before) {
                *before = if is_at(*before + 1) { *before + 1 } else { parent.state_of(word)? };
            }
            Ok(row * parent.states.len() + *before)
        })
    }

    /// Takes a flat table whose configurations run in another order: `place_in_text(row, state)` says where an entry stands.
    pub fn permuted(&self, values: &[f64], offsets: &[usize], place_in_text: impl Fn(usize, usize) -> usize) -> Laid {
        let (mut laid, mut rows_at) = (Vec::with_capacity(self.n_entries), Vec::with_capacity(self.n_rows));
        for row in 0..self.n_rows {
            rows_at.push(offsets[place_in_text(row, 0)]);
            laid.extend((0..self.n_states).map(|state| values[place_in_text(row, state)]));
        }
        Laid::Rows { values: laid, rows_at }
    }

    /// A row counted with the first parent fastest, from one counted with the last fastest.
    pub fn first_parent_fastest(&self, row: usize) -> usize {
        let (mut left, mut stride, mut other) = (row, self.n_rows, 0);
        for parent in self.parents.iter().rev() {
            let n_states = parent.states.len();
            stride /= n_states;
            other += (left % n_states) * stride;
            left /= n_states;
        }
        other
    }

    /// Whether a flat table has as many numbers as it must.
    pub fn counted(&self, n_values: usize, offset: usize) -> Result<(), Fault> {
        if n_values == self.n_entries {
            return Ok(());
        }
        let what = format!("the table of `{}` has {n_values} probabilities, not {}", shortened(&self.variable.name.text), self.n_entries);
        let hint = format!("{} configurations of the parents times {} states", self.n_rows, self.n_states);
        Err(Fault::new(offset, what, hint))
    }
}

impl DraftVariable<'_> {
    /// The place of a state by its name.
    pub fn state_of(&self, word: &Word<'_>) -> Result<usize, Fault> {
        self.states.iter().position(|state| state.text == word.text).ok_or_else(|| {
            let known: Vec<&str> = self.states.iter().take(12).map(|state| &*state.text).collect();
            let hint = format!("the states are {}{}", known.join(", "), if self.states.len() > 12 { ", …" } else { "" });
            let what = format!("`{}` has no state `{}`", shortened(&self.name.text), shortened(&word.text));
            Fault::new(word.offset, what, hint)
        })
    }
}

/// Looks names up and makes the network; `lay_out` lays a table out for its shape.
pub(crate) fn assemble<'a, B>(
    wording: &Wording,
    variables: &[DraftVariable<'a>],
    tables: &[DraftTable<'a, B>],
    mut lay_out: impl FnMut(&DraftTable<'a, B>, &Shape<'_, 'a>) -> Result<Laid, Fault>,
) -> Result<Assembled, Fault> {
    let mut places = HashMap::with_capacity(variables.len());
    for (place, variable) in variables.iter().enumerate() {
        if places.insert(&*variable.name.text, place).is_some() {
            let what = format!("there are two variables `{}`", shortened(&variable.name.text));
            return Err(Fault::new(variable.name.offset, what, "give one of them another name"));
        }
    }
    let place_of = |word: &Word<'_>| {
        let unknown = || Fault::new(word.offset, format!("no variable is named `{}`", shortened(&word.text)), wording.name_it);
        places.get(&*word.text).copied().ok_or_else(unknown)
    };
    let mut table_of: Vec<Option<&DraftTable<'a, B>>> = vec![None; variables.len()];
    for table in tables {
        if table_of[place_of(&table.child)?].replace(table).is_some() {
            let what = format!("variable `{}` has two tables of probabilities", shortened(&table.child.text));
            return Err(Fault::new(table.child.offset, what, "leave one out"));
        }
    }
    let (mut worst, mut n_off) = (0.0_f64, 0);
    let (mut families, mut conditionals) = (Vec::with_capacity(variables.len()), Vec::with_capacity(variables.len()));
    for (variable, table) in variables.iter().zip(&table_of) {
        let name = &variable.name;
        let Some(table) = table else {
            let what = format!("variable `{}` has no probabilities", shortened(&name.text));
            return Err(Fault::new(name.offset, what, (wording.give_table)(&name.text)));
        };
        let family = table.parents.iter().map(place_of).collect::<Result<Vec<_>, Fault>>()?;
        let parents: Vec<_> = family.iter().map(|&place| &variables[place]).collect();
        let n_states = variable.states.len();
        let n_rows = parents.iter().fold(1_usize, |n_rows, parent| n_rows.saturating_mul(parent.states.len()));
        let shape = Shape { variable, parents, n_states, n_rows, n_entries: n_rows.saturating_mul(n_states) };
        families.push(family.into_iter().map(VarId::new).collect());
        conditionals.push(match lay_out(table, &shape)? {
            Laid::Other(conditional) => conditional,
            Laid::Rows { values, rows_at } => {
                let table = ConditionalTable::with_sums(n_states, values, |sum| {
                    let off = (sum - 1.0).abs();
                    worst = worst.max(off);
                    n_off += usize::from(off > WORTH_SAYING);
                });
                Conditional::Table(table.map_err(|fault| of_table(fault, &rows_at, name))?)
            }
        });
    }
    let states = |variable: &DraftVariable<'a>| variable.states.iter().map(|state| state.text.to_string()).collect::<Vec<_>>();
    let domain = Domain::new(variables.iter().map(|variable| (&*variable.name.text, states(variable))));
    let network = domain.and_then(|domain| Network::from_conditionals(domain, families, conditionals)).map_err(|error| {
        let place = |name: &str| places.get(name).copied();
        let table = |name: &str| place(name).and_then(|place| table_of[place]);
        let offset = match &error {
            NetError::RepeatedState { variable, state } => {
                let states = place(variable).map(|place| &variables[place].states);
                states.and_then(|states| states.iter().rfind(|word| word.text == *state)).map(|word| word.offset)
            }
            NetError::NoStates { variable } => place(variable).map(|place| variables[place].name.offset),
            NetError::Cycle { path } => path.last().and_then(|name| table(name)).map(|table| table.child.offset),
            NetError::RepeatedArc { parent, child } => {
                let parents = table(child).map(|table| &table.parents);
                parents.and_then(|parents| parents.iter().rfind(|word| word.text == *parent)).map(|word| word.offset)
            }
            _ => None,
        };
        Fault::new(offset.unwrap_or(0), error.to_string(), way_out(&error))
    })?;
    Ok(Assembled { network, worst, n_off })
}

/// How many configurations parents have, in words.
pub(super) fn configurations(n_rows: usize) -> String {
    if n_rows == 1 { "one configuration".to_string() } else { format!("{n_rows} configurations") }
}

/// What to do about a network that is none.
pub(super) fn way_out(error: &NetError) -> &'static str {
    match error {
        NetError::Cycle { .. } => "take an arc of the cycle out, or turn it round",
        NetError::RepeatedState { .. } => "give each state of a variable a name of its own",
        NetError::RepeatedArc { .. } => "name each parent once",
        NetError::NoStates { .. } => "give the variable states",
        _ => "",
    }
}

/// What is wrong with a table, at the row.
fn of_table(fault: TableFault, rows_at: &[usize], name: &Word<'_>) -> Fault {
    let row = match fault {
        TableFault::NotAProbability { row, .. } | TableFault::RowSum { row, .. } => rows_at.get(row),
        TableFault::Ragged { .. } => None,
    };
    Fault::new(row.copied().unwrap_or(name.offset), format!("the table of `{}`, {fault}", shortened(&name.text)), "correct the row")
}
