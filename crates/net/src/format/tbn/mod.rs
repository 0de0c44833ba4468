//! TBN, our own format: one readable file that a person writes, compares and keeps in version control.
//!
//! ```text
//! # Two causes of a full nose. A comment runs to the end of its line.
//! network "Flu and allergy"
//!
//! variable Flu yes/no                 # the states are yes and no; of two states one number is enough
//!   0.1
//!
//! variable Allergy { none, mild, strong }
//!   label "Allergic reaction"
//!   at 120, 40
//!   0.7, 0.2, 0.1
//!
//! variable Sinus yes/no given Flu, Allergy
//!   yes, *:      0.9                  # `*` is any state; the first row that fits counts
//!   no,  strong: 0.7
//!   *,   *:      0.05
//!
//! variable Headache yes/no given Flu, Sinus as noisy-or
//!   Flu:   0.4                        # P(Headache=yes) when this is the only cause
//!   Sinus: 0.6
//!   leak:  0.02
//! ```
//!
//! **Grammar.** Blanks and ends of lines part words and mean nothing else; lists have commas, so that a row that ends with a comma goes on.
//!
//! ```text
//! file      = [ "network" NAME ] { "property" TEXT } { variable }
//! variable  = "variable" NAME states [ "given" NAME { "," NAME } ] [ "as" kind [ "order" STATE { "," STATE } ] ] { note } body
//! states    = "{" NAME { "," NAME } "}" | NAME/NAME{/NAME}
//! note      = "label" TEXT | "comment" TEXT | "at" NUMBER "," NUMBER | "values" NUMBER { "," NUMBER }
//!           | "submodel" TEXT { "," TEXT } | "property" TEXT | "table-property" TEXT
//! kind      = "table" | "deterministic" | "noisy-or" | "noisy-max" | "tree"
//! body      = { [ key ":" ] NUMBER { "," NUMBER } }        table: a row for every configuration of the parents
//!           | { [ key ":" ] STATE }                        deterministic
//!           | { cause ":" ( NUMBER { "," NUMBER } | "absent" ) }   noisy-or, noisy-max
//!           | tree                                         tree
//! key       = ( STATE | "*" ) { "," ( STATE | "*" ) }      one for each parent, in the order of `given`; a lone "*" is every row
//! cause     = "leak" | PARENT | PARENT "=" STATE
//! tree      = NUMBER { "," NUMBER } | "on" PARENT "{" { ( STATE { "," STATE } | "*" ) ":" tree } "}"
//! ```
//!
//! A NAME, STATE or TEXT is a word without blanks and without `, ; : = { } ( ) [ ] | # "`, or anything in `"…"`, where `\"` and `\\` stand for a
//! quote and a backslash. `network variable given as label comment at values submodel property table-property leak` are written in quotes
//! where they are names; before `,`, `:` or `=` they are taken for names anyway, but for `leak`.
//!
//! **Noisy-or and noisy-max.** The last state of the child means that nothing happened, the states before it are ever stronger effects; `order none,
//! mild, severe` says another order, from the weakest to the strongest. A parent's row is P(child | this parent alone in this state):
//! `Flu=bad: 0.5, 0.3, 0.2`. States of a parent without a row have no effect, and one must have none: the last such is the parent's absent state, unless
//! `PARENT=STATE: absent` says it. `PARENT: …` is short for the parent's first state. Without `leak` nothing happens by itself. Of two states
//! one number is enough.
//!
//! **Trees** ask for one parent after another; a branch is for some states, or for all others (`*`).
//!
//! What is written here reads back to the same network, bit for bit.

mod kinds;
mod layout;
mod write;

use super::document::{Document, Notes};
use super::draft::{DraftTable, DraftVariable, Wording, assemble};
use super::lexical::{Fault, FormatError, Input, Word, here, quoted, shortened, text_of};
use winnow::Parser;
use winnow::stream::{Location, Stream};
use winnow::token::{take_till, take_while};

pub use write::write;

/// How deep a tree may be.
const MAX_DEPTH: usize = 256;

/// Names that are written in quotes, for they could be taken for what these words say.
const KEYWORDS: [&str; 12] =
    ["network", "variable", "given", "as", "label", "comment", "at", "values", "submodel", "property", "table-property", "leak"];

/// Reads TBN.
///
/// # Errors
/// When the text is no TBN or its network is none: with line, column and what to do.
///
/// ```
/// use tunbridge_net::format::tbn;
/// let flu = tbn::read(b"network flu
/// variable Flu yes/no  0.1
/// variable Nose { runny, dry } given Flu
///   yes: 0.8, 0.2
///   *:   0.1, 0.9   # everybody else")?;
/// let nose = flu.network().find("Nose").unwrap();
/// assert_eq!(*flu.network().table(nose).unwrap(), [0.8, 0.2, 0.1, 0.9]);
/// let broken = tbn::read(b"variable Flu yes/no  0.1 0.9").unwrap_err();
/// assert_eq!((broken.line, broken.column), (1, 26));
/// # Ok::<(), tunbridge_net::format::FormatError>(())
/// ```
pub fn read(bytes: &[u8]) -> Result<Document, FormatError> {
    let text = text_of(bytes)?;
    parse(&mut Input::new(text)).and_then(resolve).map_err(|fault| fault.within(text))
}

/// The parts of a file, before names are looked up.
#[derive(Default)]
struct Parts<'a> {
    name: String,
    properties: Vec<String>,
    variables: Vec<DraftVariable<'a>>,
    notes: Vec<Notes>,
    tables: Vec<DraftTable<'a, Body<'a>>>,
}

/// What is said of a variable's probabilities.
enum Body<'a> {
    Table(Vec<Row<'a, Vec<f64>>>),
    Deterministic(Vec<Row<'a, Word<'a>>>),
    Noisy(Noisy<'a>),
    Tree(Tree<'a>),
}

/// What is said of a noisy-or or noisy-max.
struct Noisy<'a> {
    /// The states from the weakest to the strongest, where it is said.
    order: Option<Vec<Word<'a>>>,
    causes: Vec<Cause<'a>>,
}

/// A row with the states it is for; none for «any».
struct Row<'a, T> {
    offset: usize,
    key: Vec<Option<Word<'a>>>,
    says: T,
}

struct Cause<'a> {
    offset: usize,
    of: CauseOf<'a>,
    /// Probabilities; none for «absent».
    says: Option<Vec<f64>>,
}

enum CauseOf<'a> {
    Leak,
    Parent(Word<'a>, Option<Word<'a>>),
}

enum Tree<'a> {
    Leaf(usize, Vec<f64>),
    /// A parent, and branches for some of its states; no states are all others.
    Split(Word<'a>, Vec<(Vec<Word<'a>>, Tree<'a>)>),
}

fn resolve(parts: Parts<'_>) -> Result<Document, Fault> {
    let wording = Wording {
        name_it: "every name here needs a line  variable NAME { … }",
        give_table: |_| "add its probabilities on the next line, such as  0.1, 0.9".to_string(),
    };
    let mut layout = layout::Layout::default();
    let assembled = assemble(&wording, &parts.variables, &parts.tables, |table, shape| layout.table(table, shape))?;
    for (variable, notes) in parts.variables.iter().zip(&parts.notes) {
        if let Some(values) = notes.state_values.as_ref().filter(|values| values.len() != variable.states.len()) {
            let what = format!("`{}` has {} values for {} states", shortened(&variable.name.text), values.len(), variable.states.len());
            return Err(Fault::new(variable.name.offset, what, "give one number for each state"));
        }
    }
    let remarks = assembled.remarks();
    let mut document = Document::with_notes(parts.name, assembled.network, parts.notes);
    document.properties = parts.properties;
    document.remarks = remarks;
    Ok(document)
}

fn parse<'a>(input: &mut Input<'a>) -> Result<Parts<'a>, Fault> {
    let mut parts = Parts::default();
    if keyword(input, "network")? {
        parts.name = name(input, "the network's name")?.text.into_owned();
    }
    while keyword(input, "property")? {
        parts.properties.push(name(input, "the property, in \"…\"")?.text.into_owned());
    }
    while !at_end(input)? {
        if !bare(input, "variable")? {
            let what = format!("expected `variable`, found {}", found(input));
            let hint = if parts.variables.is_empty() {
                "a file is `network NAME` and then  variable NAME { STATE, STATE }  with its probabilities"
            } else {
                "numbers and states are parted by commas; a row is  state, state: number, number"
            };
            return Err(Fault::new(here(input), what, hint));
        }
        variable(input, &mut parts)?;
    }
    Ok(parts)
}

fn variable<'a>(input: &mut Input<'a>, parts: &mut Parts<'a>) -> Result<(), Fault> {
    let child = name(input, "the variable's name")?;
    let states = states(input)?;
    let mut parents = Vec::new();
    if keyword(input, "given")? {
        parents = list(input, |input| name(input, "the name of a parent"))?;
    }
    let kind = match keyword(input, "as")? {
        true => Some(name(input, "`table`, `deterministic`, `noisy-or`, `noisy-max` or `tree`")?),
        false => None,
    };
    let mut order = None;
    if kind.is_some() && keyword(input, "order")? {
        order = Some(list(input, |input| name(input, "a state"))?);
    }
    let notes = notes(input)?;
    let body = match kind.as_ref().map_or("table", |kind| &kind.text) {
        "table" => Body::Table(rows(input, !parents.is_empty(), |input| list(input, number))?),
        "deterministic" => Body::Deterministic(rows(input, !parents.is_empty(), |input| name(input, "a state"))?),
        "noisy-or" | "noisy-max" => Body::Noisy(kinds::noisy(input, order)?),
        "tree" => Body::Tree(kinds::tree(input, 0)?),
        other => {
            let what = format!("`{}` is no kind of distribution", shortened(other));
            let hint = "the kinds are table, deterministic, noisy-or, noisy-max and tree";
            return Err(Fault::new(kind.map_or(child.offset, |kind| kind.offset), what, hint));
        }
    };
    let is_empty = match &body {
        Body::Table(rows) => rows.is_empty(),
        Body::Deterministic(rows) => rows.is_empty(),
        Body::Noisy(_) | Body::Tree(_) => false,
    };
    if !is_empty {
        parts.tables.push(DraftTable { child: child.clone(), parents, body });
    }
    parts.variables.push(DraftVariable { name: child, states });
    parts.notes.push(notes);
    Ok(())
}

/// `{ low, high }` or `low/high`.
fn states<'a>(input: &mut Input<'a>) -> Result<Vec<Word<'a>>, Fault> {
    if skip(input, '{')? {
        let states = list(input, |input| name(input, "the name of a state"))?;
        expect(input, '}', "after the states")?;
        return Ok(states);
    }
    let offset = here(input);
    let text: &'a str = take_while::<_, _, Fault>(0.., is_of_word).parse_next(input)?;
    let mut states = Vec::new();
    let mut start = 0;
    for part in text.split('/') {
        states.push(Word { text: part.into(), offset: offset + start });
        start += part.len() + 1;
    }
    if states.len() < 2 || states.iter().any(|state| state.text.is_empty()) {
        let what = format!("expected the states, found {}", if text.is_empty() { found(input) } else { format!("`{}`", shortened(text)) });
        return Err(Fault::new(offset, what, "write them as  { low, high }  or, without blanks, as  low/high"));
    }
    Ok(states)
}

fn notes(input: &mut Input<'_>) -> Result<Notes, Fault> {
    let mut notes = Notes::default();
    let text = |input: &mut Input<'_>| name(input, "a text in \"…\"").map(|word| word.text.into_owned());
    loop {
        if keyword(input, "label")? {
            notes.label = Some(text(input)?);
        } else if keyword(input, "comment")? {
            notes.comment = Some(text(input)?);
        } else if keyword(input, "at")? {
            let x = number(input)?;
            expect(input, ',', "between the two numbers of the place")?;
            notes.position = Some((x, number(input)?));
        } else if keyword(input, "values")? {
            notes.state_values = Some(list(input, number)?);
        } else if keyword(input, "submodel")? {
            notes.submodel = list(input, text)?;
        } else if keyword(input, "property")? {
            notes.properties.push(text(input)?);
        } else if keyword(input, "table-property")? {
            notes.table_properties.push(text(input)?);
        } else {
            return Ok(notes);
        }
    }
}

/// Rows up to the next variable. With parents every row has a key, without them the one row has none.
fn rows<'a, T>(
    input: &mut Input<'a>,
    keyed: bool,
    mut says: impl FnMut(&mut Input<'a>) -> Result<T, Fault>,
) -> Result<Vec<Row<'a, T>>, Fault> {
    let mut rows = Vec::new();
    while !at_end(input)? && !comes(input, "variable") && (keyed || rows.is_empty()) {
        let offset = here(input);
        let mut key = Vec::new();
        if keyed {
            key = list(input, state_or_any)?;
            expect(input, ':', "after the states of the parents")?;
        }
        rows.push(Row { offset, key, says: says(input)? });
    }
    Ok(rows)
}

fn state_or_any<'a>(input: &mut Input<'a>) -> Result<Option<Word<'a>>, Fault> {
    blank(input)?;
    let is_quoted = input.starts_with('"');
    let word = name(input, "a state of a parent, or `*`")?;
    Ok((is_quoted || word.text != "*").then_some(word))
}

/// Things parted by commas, at least one.
fn list<'a, T>(input: &mut Input<'a>, mut one: impl FnMut(&mut Input<'a>) -> Result<T, Fault>) -> Result<Vec<T>, Fault> {
    let mut all = vec![one(input)?];
    while skip(input, ',')? {
        all.push(one(input)?);
    }
    Ok(all)
}

fn blank(input: &mut Input<'_>) -> Result<(), Fault> {
    loop {
        take_while(0.., char::is_whitespace).void().parse_next(input)?;
        if !input.starts_with('#') {
            return Ok(());
        }
        take_till(0.., '\n').void().parse_next(input)?;
    }
}

fn at_end(input: &mut Input<'_>) -> Result<bool, Fault> {
    blank(input)?;
    Ok(input.eof_offset() == 0)
}

fn skip(input: &mut Input<'_>, symbol: char) -> Result<bool, Fault> {
    blank(input)?;
    let comes = input.starts_with(symbol);
    if comes {
        input.next_slice(symbol.len_utf8());
    }
    Ok(comes)
}

fn expect(input: &mut Input<'_>, symbol: char, place: &str) -> Result<(), Fault> {
    if skip(input, symbol)? {
        return Ok(());
    }
    Err(Fault::new(input.current_token_start(), format!("expected `{symbol}` {place}, found {}", found(input)), ""))
}

/// Passes over a bare word if it comes next.
fn bare(input: &mut Input<'_>, word: &str) -> Result<bool, Fault> {
    blank(input)?;
    let comes = input.starts_with(word) && !input[word.len()..].starts_with(is_of_word);
    if comes {
        input.next_slice(word.len());
    }
    Ok(comes)
}

/// Whether this word comes next, bare, and is not the beginning of a row: before `,`, `:` or `=` it is a name.
fn comes(input: &Input<'_>, word: &str) -> bool {
    let mut ahead = *input;
    matches!(bare(&mut ahead, word), Ok(true)) && blank(&mut ahead).is_ok() && !ahead.starts_with([',', ':', '='])
}

/// Passes over a keyword if it comes next.
fn keyword(input: &mut Input<'_>, word: &str) -> Result<bool, Fault> {
    blank(input)?;
    let comes = comes(input, word);
    if comes {
        input.next_slice(word.len());
    }
    Ok(comes)
}

/// A bare word, or anything in quotes.
fn name<'a>(input: &mut Input<'a>, what: &str) -> Result<Word<'a>, Fault> {
    blank(input)?;
    let offset = here(input);
    if input.starts_with('"') {
        return quoted(input);
    }
    let text: &'a str = take_while::<_, _, Fault>(0.., is_of_word).parse_next(input)?;
    if text.is_empty() {
        let what = format!("expected {what}, found {}", found(input));
        return Err(Fault::new(offset, what, "names with blanks or any of , ; : = { } ( ) [ ] | # are written in \"…\""));
    }
    Ok(Word { text: text.into(), offset })
}

fn number(input: &mut Input<'_>) -> Result<f64, Fault> {
    blank(input)?;
    let offset = here(input);
    let text = take_while::<_, _, Fault>(0.., is_of_word).parse_next(input)?;
    match text.parse::<f64>() {
        Ok(value) if value.is_finite() => Ok(value),
        _ => {
            let what = if text.is_empty() { found(input) } else { format!("`{}`", shortened(text)) };
            Err(Fault::new(offset, format!("expected a number, found {what}"), "write it as 0.25 or 2.5e-1"))
        }
    }
}

fn found(input: &Input<'_>) -> String {
    let rest: &str = input.peek_slice(input.eof_offset());
    match rest.chars().next() {
        None => "the end of the text".to_string(),
        Some(symbol) if !is_of_word(symbol) => format!("`{symbol}`"),
        Some(_) => format!("`{}`", shortened(&rest[..rest.find(|symbol| !is_of_word(symbol)).unwrap_or(rest.len())])),
    }
}

fn is_of_word(symbol: char) -> bool {
    !symbol.is_whitespace() && !matches!(symbol, ',' | ';' | ':' | '=' | '{' | '}' | '(' | ')' | '[' | ']' | '|' | '#' | '"')
}
