//! XMLBIF 0.3, the interchange format in XML (Cozman 1998), as pgmpy, pyAgrum, WEKA and SamIam write it.
//!
//! A `<TABLE>` has the variable itself fastest, then the last `<GIVEN>`, and the first slowest. Properties are kept as they stand; labels, positions,
//! comments, values and submodels are written as properties too. Nothing of a document is lost.

use super::Written;
use super::document::{Document, Notes};
use super::draft::{DraftTable, DraftVariable, Laid, Wording, assemble};
use super::lexical::{Fault, FormatError, shortened};
use super::rows::{push_numbers, rows_of};
use super::xml::{Element, escaped, is_beyond_xml, parse, xml_text};
use crate::error::NetError;
use std::fmt::Write;

/// Reads XMLBIF.
///
/// # Errors
/// When the text is no XMLBIF or its network is none: with line, column and what to do.
pub fn read(bytes: &[u8]) -> Result<Document, FormatError> {
    let text = xml_text(bytes)?;
    parse(&text).and_then(|root| document(&root)).map_err(|fault| fault.within(&text))
}

fn document(root: &Element<'_>) -> Result<Document, Fault> {
    if !root.is("BIF") {
        return Err(Fault::new(root.offset, format!("expected `<BIF>`, found `<{}>`", shortened(&root.name)), "this is not XMLBIF"));
    }
    let Some(network) = root.child("NETWORK") else {
        return Err(Fault::new(root.offset, "`<BIF>` has no `<NETWORK>`", "put the variables into one"));
    };
    let (mut variables, mut notes) = (Vec::new(), Vec::new());
    for block in network.all("VARIABLE") {
        if let Some(kind) = block.attribute("TYPE").filter(|kind| !kind.eq_ignore_ascii_case("nature")) {
            let what = format!("variables of type `{}` are not read", shortened(kind));
            return Err(Fault::new(block.offset, what, "only TYPE=\"nature\" is: take decisions and utilities out"));
        }
        let name = named(block)?;
        let states: Vec<_> = block.children.iter().filter(|child| child.is("OUTCOME") || child.is("VALUE")).map(Element::word).collect();
        if states.is_empty() {
            let what = format!("variable `{}` has no states", shortened(&name.text));
            return Err(Fault::new(name.offset, what, "add them as  <OUTCOME>yes</OUTCOME>"));
        }
        let mut said = Notes::default();
        properties(block).for_each(|text| said.take_property(text, states.len()));
        notes.push(said);
        variables.push(DraftVariable { name, states });
    }
    let mut tables = Vec::new();
    for block in network.children.iter().filter(|child| child.is("DEFINITION") || child.is("PROBABILITY")) {
        let mut children = block.all("FOR");
        let Some(child) = children.next() else {
            return Err(Fault::new(block.offset, format!("`<{}>` has no `<FOR>`", shortened(&block.name)), "say whose table it is"));
        };
        if let Some(second) = children.next() {
            return Err(Fault::new(second.offset, "tables of several variables at once are not read", "give each variable its own"));
        }
        let Some(table) = block.child("TABLE") else {
            return Err(Fault::new(block.offset, format!("`{}` has no `<TABLE>`", shortened(child.text())), "give it its probabilities"));
        };
        let child = child.word();
        if let Some(place) = variables.iter().position(|variable| variable.name.text == child.text) {
            notes[place].table_properties.extend(properties(block).map(str::to_string));
        }
        tables.push(DraftTable { child, parents: block.all("GIVEN").map(Element::word).collect(), body: table });
    }
    let wording = Wording {
        name_it: "every name here needs a <VARIABLE>",
        give_table: |name| format!("add  <DEFINITION><FOR>{}</FOR><TABLE>…</TABLE></DEFINITION>", escaped(name)),
    };
    let assembled = assemble(&wording, &variables, &tables, |table, shape| {
        let (values, offsets) = table.body.numbers()?;
        shape.counted(values.len(), table.body.offset)?;
        Ok(Laid::Rows { values, rows_at: offsets.iter().copied().step_by(shape.n_states.max(1)).collect() })
    })?;
    let remarks = assembled.remarks();
    let name = network.child("NAME").map_or("", Element::text);
    let mut document = Document::with_notes(name, assembled.network, notes);
    document.properties = properties(network).map(str::to_string).collect();
    document.remarks = remarks;
    Ok(document)
}

fn named<'e>(block: &'e Element<'_>) -> Result<super::lexical::Word<'e>, Fault> {
    let none = || Fault::new(block.offset, format!("`<{}>` has no `<NAME>`", shortened(&block.name)), "give it one");
    block.child("NAME").map(Element::word).ok_or_else(none)
}

/// The properties of a block that are not empty.
fn properties<'e>(block: &'e Element<'_>) -> impl Iterator<Item = &'e str> {
    block.all("PROPERTY").map(Element::text).filter(|text| !text.is_empty())
}

/// Writes XMLBIF. What it writes, [`read`] reads back to the same document, bit for bit.
///
/// # Errors
/// When a distribution that is no table is too large to be spelled out as one.
pub fn write(document: &Document) -> Result<Written, NetError> {
    let network = document.network();
    let mut text = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<BIF VERSION=\"0.3\">\n<NETWORK>\n");
    let _ = writeln!(text, "<NAME>{}</NAME>", escaped(&document.name));
    for property in &document.properties {
        let _ = writeln!(text, "<PROPERTY>{}</PROPERTY>", escaped(property));
    }
    for (variable, notes) in document.noted() {
        let _ = writeln!(text, "<VARIABLE TYPE=\"nature\">\n  <NAME>{}</NAME>", escaped(network.name(variable)));
        for state in network.states(variable) {
            let _ = writeln!(text, "  <OUTCOME>{}</OUTCOME>", escaped(state));
        }
        for property in notes.as_properties() {
            let _ = writeln!(text, "  <PROPERTY>{}</PROPERTY>", escaped(&property));
        }
        text.push_str("</VARIABLE>\n");
    }
    for (variable, notes) in document.noted() {
        let _ = writeln!(text, "<DEFINITION>\n  <FOR>{}</FOR>", escaped(network.name(variable)));
        for &parent in network.dag().parents(variable) {
            let _ = writeln!(text, "  <GIVEN>{}</GIVEN>", escaped(network.name(parent)));
        }
        text.push_str("  <TABLE>\n");
        rows_of(network, variable, |_, row| {
            text.push_str("    ");
            push_numbers(&mut text, row, " ");
            text.push('\n');
        })?;
        text.push_str("  </TABLE>\n");
        for property in &notes.table_properties {
            let _ = writeln!(text, "  <PROPERTY>{}</PROPERTY>", escaped(property));
        }
        text.push_str("</DEFINITION>\n");
    }
    text.push_str("</NETWORK>\n</BIF>\n");
    let mut lost = beyond_xml(document);
    lost.extend(super::spelled_out(document, &[]));
    Ok(Written { lost, ..Written::of(text) })
}

/// What is to be said of names that XML cannot hold.
pub(crate) fn beyond_xml(document: &Document) -> Vec<String> {
    let network = document.network();
    let of_variable = |variable| network.states(variable).iter().map(String::as_str).chain([network.name(variable)]);
    let names = network.dag().variables().flat_map(of_variable).filter(|name| is_beyond_xml(name));
    names.map(|name| format!("the control characters of {name:?}: other programs may refuse the file")).collect()
}
