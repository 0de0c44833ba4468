//! Writing TBN: a row a line with the parents' states spelled out, keys of one width, the shortest text of every number.

use super::super::document::{Document, Notes};
use super::super::rows::{push_number, push_numbers, rows_of};
use super::{KEYWORDS, is_of_word};
use crate::error::NetError;
use std::borrow::Cow;
use std::fmt::Write;

/// Keys are padded to one width up to this.
const MAX_PADDED: usize = 40;

/// Writes TBN. What it writes, [`super::read`] reads back to the same document, bit for bit.
///
/// # Errors
/// When a distribution is too large to be spelled out.
pub fn write(document: &Document) -> Result<String, NetError> {
    let network = document.network();
    let mut text = String::new();
    if !document.name.is_empty() {
        let _ = writeln!(text, "network {}", bare_or_quoted(&document.name));
    }
    for property in &document.properties {
        let _ = writeln!(text, "property {}", quoted(property));
    }
    for (variable, notes) in document.noted() {
        let states = network.states(variable);
        if !text.is_empty() {
            text.push('\n');
        }
        let _ = write!(text, "variable {} ", bare_or_quoted(network.name(variable)));
        let is_short = states.len() == 2 && states.iter().all(|state| is_bare(state) && !state.contains('/'));
        match is_short {
            true => text.push_str(&states.join("/")),
            false => {
                let _ = write!(text, "{{ {} }}", listed(states.iter().map(String::as_str)));
            }
        }
        let parents = network.dag().parents(variable);
        if !parents.is_empty() {
            let _ = write!(text, " given {}", listed(parents.iter().map(|&parent| network.name(parent))));
        }
        text.push('\n');
        push_notes(&mut text, notes);
        // A key's width is at most the sum of the widths of each parent's widest state.
        let widths: Vec<usize> = parents
            .iter()
            .map(|&parent| network.states(parent).iter().map(|state| width(&bare_or_quoted(state))).max().unwrap_or(0))
            .collect();
        let is_padded = widths.iter().map(|width| width + 2).sum::<usize>() <= MAX_PADDED;
        rows_of(network, variable, |key, row| {
            text.push_str("  ");
            for (place, state) in key.iter().enumerate() {
                let state = bare_or_quoted(state);
                let end = if place + 1 == key.len() { ": " } else { ", " };
                let pad = if is_padded { widths[place] - width(&state) } else { 0 };
                let _ = write!(text, "{state}{end}{:pad$}", "");
            }
            push_numbers(&mut text, row, ", ");
            text.push('\n');
        })?;
    }
    Ok(text)
}

fn push_notes(text: &mut String, notes: &Notes) {
    if let Some(label) = &notes.label {
        let _ = writeln!(text, "  label {}", quoted(label));
    }
    if let Some(comment) = &notes.comment {
        let _ = writeln!(text, "  comment {}", quoted(comment));
    }
    if let Some((x, y)) = notes.position {
        text.push_str("  at ");
        push_number(text, x);
        text.push_str(", ");
        push_number(text, y);
        text.push('\n');
    }
    if let Some(values) = &notes.state_values {
        text.push_str("  values ");
        push_numbers(text, values, ", ");
        text.push('\n');
    }
    if !notes.submodel.is_empty() {
        let path: Vec<String> = notes.submodel.iter().map(|part| quoted(part)).collect();
        let _ = writeln!(text, "  submodel {}", path.join(", "));
    }
    for property in &notes.properties {
        let _ = writeln!(text, "  property {}", quoted(property));
    }
    for property in &notes.table_properties {
        let _ = writeln!(text, "  table-property {}", quoted(property));
    }
}

fn listed<'n>(names: impl Iterator<Item = &'n str>) -> String {
    names.map(bare_or_quoted).collect::<Vec<_>>().join(", ")
}

fn width(text: &str) -> usize {
    text.chars().count()
}

fn is_bare(name: &str) -> bool {
    !name.is_empty() && name.chars().all(is_of_word) && !KEYWORDS.contains(&name) && name != "*"
}

fn bare_or_quoted(name: &str) -> Cow<'_, str> {
    if is_bare(name) { Cow::Borrowed(name) } else { Cow::Owned(quoted(name)) }
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}
