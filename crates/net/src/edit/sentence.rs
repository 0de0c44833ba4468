//! An edit as a person writes it: one short sentence, which is read to a value and written back.
//!
//! ```text
//! edit = ("add" | "remove" | "reverse") name ("->" | "→") name
//!      | "sum" "out" name  |  "given" name "=" state
//!      | "rename" name "to" name  |  "rename" "state" state "of" name "to" state
//! ```
//!
//! Names and states are those of the language of questions ([`crate::query`]), and quoted as there. `rename state to …` renames a variable
//! of that name; a state called `to` is quoted.

use crate::format::lexical::{Fault, Input, here};
use crate::query::parse::{blanks, expect, found, is_of_name, keyword, name, rest, skip, state, whole};
use crate::query::{Assignment, QueryError, write};
use std::fmt::{Display, Formatter};
use std::str::FromStr;
use winnow::stream::Stream;

/// An edit of a network, which it names and does not know: [`crate::Network::edited`] makes it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Edit {
    /// `add A -> B`
    AddArc {
        /// From.
        parent: String,
        /// To.
        child: String,
    },
    /// `remove A -> B`
    RemoveArc {
        /// From.
        parent: String,
        /// To.
        child: String,
    },
    /// `reverse A -> B`
    ReverseArc {
        /// From, before.
        parent: String,
        /// To, before.
        child: String,
    },
    /// `sum out A`: marginalise it.
    SumOut {
        /// The variable.
        variable: String,
    },
    /// `given A = a`: condition on it.
    Given(Assignment),
    /// `rename A to B`
    RenameVariable {
        /// The variable.
        variable: String,
        /// Its new name.
        to: String,
    },
    /// `rename state a of A to b`
    RenameState {
        /// The variable and its state.
        of: Assignment,
        /// The state's new name.
        to: String,
    },
}

impl FromStr for Edit {
    type Err = QueryError;

    /// Reads an edit.
    ///
    /// ```
    /// use tunbridge_net::Edit;
    /// let edit: Edit = "rename state yes of \"x ray\" to abnormal".parse()?;
    /// assert!(matches!(&edit, Edit::RenameState { of, to } if of.variable == "x ray" && to == "abnormal"));
    /// assert_eq!("add A->B".parse::<Edit>()?.to_string(), "add A -> B");
    /// let broken = "add A B".parse::<Edit>().unwrap_err();
    /// assert_eq!((broken.column, broken.what.as_str()), (7, "expected `->`, found `B`"));
    /// # Ok::<(), tunbridge_net::query::QueryError>(())
    /// ```
    fn from_str(text: &str) -> Result<Self, QueryError> {
        whole(text, edit).map_err(|fault| if fault.hint.is_empty() { QueryError { hint: HINT.into(), ..fault } } else { fault })
    }
}

impl Display for Edit {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::AddArc { parent, child } => write!(f, "add {} -> {}", arc_end(parent), arc_end(child)),
            Self::RemoveArc { parent, child } => write!(f, "remove {} -> {}", arc_end(parent), arc_end(child)),
            Self::ReverseArc { parent, child } => write!(f, "reverse {} -> {}", arc_end(parent), arc_end(child)),
            Self::SumOut { variable } => write!(f, "sum out {}", write::name(variable)),
            Self::Given(Assignment { variable, state }) => write!(f, "given {} = {}", write::name(variable), write::state(state)),
            Self::RenameVariable { variable, to } => {
                let variable = if variable == "state" { write::in_quotes(variable) } else { write::name(variable) };
                write!(f, "rename {variable} to {}", write::name(to))
            }
            Self::RenameState { of: Assignment { variable, state }, to } => {
                let state = if state == "to" { write::in_quotes(state) } else { write::state(state) };
                write!(f, "rename state {state} of {} to {}", write::name(variable), write::state(to))
            }
        }
    }
}

const HINT: &str =
    "an edit is one of: add A -> B, remove A -> B, reverse A -> B, sum out A, given A = a, rename A to B, rename state a of A to b";

fn edit(input: &mut Input<'_>) -> Result<Edit, Fault> {
    if word(input, "add")? {
        let (parent, child) = arc(input)?;
        Ok(Edit::AddArc { parent, child })
    } else if word(input, "remove")? {
        let (parent, child) = arc(input)?;
        Ok(Edit::RemoveArc { parent, child })
    } else if word(input, "reverse")? {
        let (parent, child) = arc(input)?;
        Ok(Edit::ReverseArc { parent, child })
    } else if word(input, "sum")? {
        expect_word(input, "out")?;
        Ok(Edit::SumOut { variable: name(input)? })
    } else if word(input, "given")? {
        let variable = name(input)?;
        expect(input, "=", "`=`")?;
        Ok(Edit::Given(Assignment { variable, state: state(input)? }))
    } else if word(input, "rename")? {
        if keyword(input, "state", |rest| !begins_with_to(rest))? {
            let state_before = state(input)?;
            expect_word(input, "of")?;
            let of = Assignment { variable: name(input)?, state: state_before };
            expect_word(input, "to")?;
            return Ok(Edit::RenameState { of, to: state(input)? });
        }
        let variable = name(input)?;
        expect_word(input, "to")?;
        Ok(Edit::RenameVariable { variable, to: name(input)? })
    } else {
        Err(Fault::new(here(input), "this is no edit", HINT))
    }
}

fn arc(input: &mut Input<'_>) -> Result<(String, String), Fault> {
    let parent = before_arrow(input)?;
    if !skip(input, "->")? && !skip(input, "→")? {
        return Err(Fault::new(here(input), format!("expected `->`, found {}", found(input)), ""));
    }
    Ok((parent, name(input)?))
}

/// A name that an arrow may follow without a blank between.
fn before_arrow(input: &mut Input<'_>) -> Result<String, Fault> {
    blanks(input)?;
    let text = rest(input);
    let run = &text[..text.find(|symbol| !is_of_name(symbol)).unwrap_or(text.len())];
    let arrow = run.find('→').or_else(|| run.strip_suffix('-').filter(|_| text[run.len()..].starts_with('>')).map(str::len));
    match arrow {
        Some(0) => Err(Fault::new(here(input), "expected a variable, found an arrow", "")),
        Some(end) => Ok(input.next_slice(end).to_string()),
        None => name(input),
    }
}

/// A name at an end of an arc, quoted where an arrow would be seen in it.
fn arc_end(text: &str) -> String {
    if text.contains('→') { write::in_quotes(text) } else { write::name(text) }
}

fn word(input: &mut Input<'_>, text: &str) -> Result<bool, Fault> {
    keyword(input, text, |_| true)
}

fn expect_word(input: &mut Input<'_>, text: &str) -> Result<(), Fault> {
    if word(input, text)? { Ok(()) } else { Err(Fault::new(here(input), format!("expected `{text}`, found {}", found(input)), "")) }
}

fn begins_with_to(rest: &str) -> bool {
    rest.strip_prefix("to").is_some_and(|behind| !behind.starts_with(is_of_name))
}
