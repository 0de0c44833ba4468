//! Writing NET: nodes with their attributes, then potentials, a row a line.

use super::super::Written;
use super::super::document::{Document, name_and_value, quote, unquote};
use super::super::identifier::{NAME, identifiers, is_identifier};
use super::super::lexical::statement_end;
use super::super::rows::{push_number, push_numbers};
use super::{NOTE, SUBMODEL};
use crate::error::NetError;
use std::fmt::Write;

/// Writes NET. What it writes, [`super::read`] reads back to the same document, bit for bit.
///
/// # Errors
/// When a distribution that is no table is too large to be spelled out as one.
pub fn write(document: &Document) -> Result<Written, NetError> {
    let network = document.network();
    let ids = identifiers(network.structure().names().iter().map(String::as_str));
    let mut text = String::from("net\n{\n");
    if !document.name.is_empty() {
        let name = if is_identifier(&document.name) { document.name.clone() } else { quote(&document.name) };
        let _ = writeln!(text, "    name = {name};");
    }
    push_properties(&mut text, &document.properties);
    text.push_str("}\n");
    for (variable, notes) in document.noted() {
        let _ = writeln!(text, "\nnode {}\n{{", ids[variable.index()]);
        let _ = writeln!(text, "    label = {};", quote(notes.label.as_deref().unwrap_or("")));
        if let Some((x, y)) = notes.position {
            text.push_str("    position = (");
            push_numbers(&mut text, &[x, y], " ");
            text.push_str(");\n");
        }
        let states: Vec<String> =
            network.states(variable).iter().map(|state| format!("\"{}\"", state.replace('\\', "\\\\").replace('"', "\\\""))).collect();
        let _ = writeln!(text, "    states = ({});", states.join(" "));
        if let Some(values) = &notes.state_values {
            text.push_str("    state_values = (");
            push_numbers(&mut text, values, " ");
            text.push_str(");\n");
        }
        if let Some(comment) = &notes.comment {
            let _ = writeln!(text, "    HR_Desc = {};", quote(comment));
        }
        if !notes.submodel.is_empty() {
            let path: Vec<String> = notes.submodel.iter().map(|part| quote(part)).collect();
            let _ = writeln!(text, "    {SUBMODEL} = {};", quote(&format!("({})", path.join(", "))));
        }
        if ids[variable.index()] != network.name(variable) {
            let _ = writeln!(text, "    {NAME} = ({});", quote(network.name(variable)));
        }
        push_properties(&mut text, &notes.properties);
        text.push_str("}\n");
    }
    for (variable, notes) in document.noted() {
        let parents = network.dag().parents(variable);
        let _ = write!(text, "\npotential ({}", ids[variable.index()]);
        if !parents.is_empty() {
            text.push_str(" |");
            parents.iter().for_each(|parent| text.push_str(&format!(" {}", ids[parent.index()])));
        }
        text.push_str(")\n{\n    data = ");
        let sizes: Vec<usize> = parents.iter().map(|&parent| network.n_states(parent)).chain([network.n_states(variable)]).collect();
        push_nested(&mut text, &network.table(variable)?, &sizes);
        text.push_str(";\n");
        push_properties(&mut text, &notes.table_properties);
        text.push_str("}\n");
    }
    Ok(Written { lost: super::super::spelled_out(document, &[]), ..Written::of(text) })
}

/// Numbers with a parenthesis around the values of each variable, a row a line.
fn push_nested(text: &mut String, values: &[f64], sizes: &[usize]) {
    let n_states = sizes.last().copied().unwrap_or(1);
    for (place, &value) in values.iter().enumerate() {
        // How many of the innermost variables begin, or end, at this place.
        let at_edge = |place: usize| {
            let mut block = 1;
            sizes
                .iter()
                .rev()
                .take_while(|&&size| {
                    block *= size;
                    place.is_multiple_of(block)
                })
                .count()
        };
        if place.is_multiple_of(n_states) && place > 0 {
            text.push_str("\n            ");
        } else if place > 0 {
            text.push(' ');
        }
        (0..at_edge(place)).for_each(|_| text.push('('));
        push_number(text, value);
        (0..at_edge(place + 1)).for_each(|_| text.push(')'));
    }
}

/// Attributes as they stand; what is no attribute is put in quotes.
fn push_properties(text: &mut String, properties: &[String]) {
    let mut n_notes = 0;
    for property in properties {
        let (name, value) = name_and_value(property);
        let is_attribute = property.contains('=')
            && is_identifier(name)
            && !name.starts_with("tunbridge_")
            && is_value(value)
            && *property == format!("{name} = {value}");
        if is_attribute {
            let _ = writeln!(text, "    {property};");
        } else {
            n_notes += 1;
            let _ = writeln!(text, "    {NOTE}_{n_notes} = {};", quote(property));
        }
    }
}

/// Whether a text can stand as a value: one text in quotes, a list in parentheses, or a bare word.
fn is_value(text: &str) -> bool {
    let is_whole = statement_end(&format!("{text};")) == Some(text.len())
        && !text.contains(['%', '\n'])
        && !text.contains("//")
        && !text.contains("/*");
    let is_bare = !text.is_empty() && text.chars().all(|symbol| symbol.is_ascii_alphanumeric() || "_.+-".contains(symbol));
    is_whole && (unquote(text).is_some() || (text.starts_with('(') && text.ends_with(')')) || is_bare)
}
