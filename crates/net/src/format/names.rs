//! The names that a UAI file cannot hold, in a file beside it: a line for every variable in order, with its states.
//!
//! ```text
//! # Names of the variables and states of the UAI file beside this one.
//! network asia
//! tub: yes, no
//! "light on": "a state, quoted", no
//! ```

use super::document::Document;
use super::lexical::{Fault, FormatError, Input, here, quoted, shortened, text_of};
use std::borrow::Cow;
use std::fmt::Write;
use winnow::Parser;
use winnow::stream::Stream;
use winnow::token::{take_till, take_while};

/// Writes the names of a document.
pub fn write(document: &Document) -> String {
    let network = document.network();
    let mut text = String::from("# Names of the variables and states of the UAI file beside this one.\n");
    if !document.name.is_empty() {
        let _ = writeln!(text, "network {}", written(&document.name));
    }
    for variable in network.dag().variables() {
        let states: Vec<Cow<'_, str>> = network.states(variable).iter().map(|state| written(state)).collect();
        let _ = writeln!(text, "{}: {}", written(network.name(variable)), states.join(", "));
    }
    text
}

/// Gives a document the names of a file of names; all else stays.
///
/// # Errors
/// When the text is none, or names other numbers of variables or states than the document has: with line, column and what to do.
pub fn apply(document: Document, bytes: &[u8]) -> Result<Document, FormatError> {
    let text = text_of(bytes)?;
    renamed(document, text).map_err(|fault| fault.within(text))
}

fn renamed(document: Document, text: &str) -> Result<Document, Fault> {
    let input = &mut Input::new(text);
    let network = document.network();
    let mut title = document.name.clone();
    let (mut names, mut states) = (Vec::new(), Vec::new());
    blank(input);
    while input.eof_offset() > 0 {
        let offset = here(input);
        let is_quoted = input.starts_with('"');
        let first = word(input)?;
        if names.is_empty() && first == "network" && !is_quoted && !input.starts_with(':') {
            title = word(input)?;
            continue;
        }
        let place = names.len();
        if place == network.n_variables() {
            return Err(Fault::new(
                offset,
                format!("the network has {place} variables, and these are more names"),
                "is this the right file?",
            ));
        }
        if !skip(input, ':') {
            return Err(Fault::new(here(input), format!("expected `:` after `{}`", shortened(&first)), "a line is  NAME: STATE, STATE"));
        }
        let mut of_variable = vec![word(input)?];
        while skip(input, ',') {
            of_variable.push(word(input)?);
        }
        let n_states = network.n_states(belief::VarId::new(place));
        if of_variable.len() != n_states {
            let what = format!("variable {place} has {n_states} states, and these are {} names", of_variable.len());
            return Err(Fault::new(offset, what, "is this the right file?"));
        }
        names.push(first);
        states.push(of_variable);
    }
    if names.len() < network.n_variables() {
        let what = format!("names of {} variables, but the network has {}", names.len(), network.n_variables());
        return Err(Fault::new(text.len(), what, "is this the right file?"));
    }
    let network = super::rename(network, names, states).map_err(|error| Fault::new(0, error.to_string(), ""))?;
    let notes = document.noted().map(|(_, notes)| notes.clone()).collect();
    let mut with_names = Document::with_notes(title, network, notes);
    with_names.properties = document.properties;
    with_names.remarks = document.remarks;
    Ok(with_names)
}

fn blank(input: &mut Input<'_>) {
    loop {
        let _ = take_while::<_, _, Fault>(0.., char::is_whitespace).parse_next(input);
        if !input.starts_with('#') {
            return;
        }
        let _ = take_till::<_, _, Fault>(0.., '\n').parse_next(input);
    }
}

fn skip(input: &mut Input<'_>, symbol: char) -> bool {
    let comes = input.starts_with(symbol);
    if comes {
        input.next_slice(symbol.len_utf8());
        blank(input);
    }
    comes
}

fn word(input: &mut Input<'_>) -> Result<String, Fault> {
    let offset = here(input);
    let text = if input.starts_with('"') {
        quoted(input)?.text.into_owned()
    } else {
        let text = take_while::<_, _, Fault>(0.., is_bare).parse_next(input)?;
        if text.is_empty() {
            return Err(Fault::new(offset, "expected a name", "names with blanks or any of , : # are written in \"…\""));
        }
        text.to_string()
    };
    blank(input);
    Ok(text)
}

fn is_bare(symbol: char) -> bool {
    !symbol.is_whitespace() && !matches!(symbol, ',' | ':' | '#' | '"')
}

fn written(name: &str) -> Cow<'_, str> {
    let bare = !name.is_empty() && name.chars().all(is_bare) && name != "network";
    if bare { Cow::Borrowed(name) } else { Cow::Owned(format!("\"{}\"", name.replace('\\', "\\\\").replace('"', "\\\""))) }
}
