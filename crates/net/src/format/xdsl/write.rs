//! Writing XDSL: nodes, user properties and GeNIe's extension with titles, positions and submodels.

use super::super::Written;
use super::super::document::{Document, Notes, name_and_value, quote, quoted_list, unquote};
use super::super::identifier::{NAME, STATES, identifiers};
use super::super::rows::push_numbers;
use super::super::xml::{escaped, escaped_attribute};
use super::{COMMENT, STATE_LABELS};
use crate::conditional::{Conditional, NoisyMax};
use crate::error::NetError;
use std::borrow::Cow;
use std::fmt::Write;

/// Half the width and height of a node that is written.
const HALF_SIZE: (f64, f64) = (38.0, 18.0);

/// Writes XDSL. What it writes, [`super::read`] reads back to the same network, bit for bit.
///
/// # Errors
/// When a distribution that is neither table, deterministic nor noisy-MAX is too large to be spelled out as a table.
pub fn write(document: &Document) -> Result<Written, NetError> {
    let network = document.network();
    let ids = identifiers(network.structure().names().iter().map(String::as_str));
    let mut text = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let net_id = identifiers(std::iter::once(document.name.as_str())).remove(0);
    let _ = writeln!(text, "<smile version=\"1.0\" id=\"{net_id}\" numsamples=\"1000\">\n\t<nodes>");
    let mut kept = Vec::new();
    for (variable, notes) in document.noted() {
        let states = network.states(variable);
        let state_ids = identifiers(states.iter().map(String::as_str));
        let conditional = network.conditional(variable);
        let element = element_of(conditional);
        if element != "cpt" {
            kept.push(variable);
        }
        let _ = writeln!(text, "\t\t<{element} id=\"{}\">", ids[variable.index()]);
        let labels = state_labels(notes, states.len());
        for (place, id) in state_ids.iter().enumerate() {
            let label = labels.as_ref().map(|labels| labels[place].as_str()).filter(|label| !label.is_empty());
            let label = label.map_or_else(String::new, |label| format!(" label=\"{}\"", escaped_attribute(label)));
            let _ = writeln!(text, "\t\t\t<state id=\"{id}\"{label} />");
        }
        let parents: Vec<&str> = network.dag().parents(variable).iter().map(|parent| ids[parent.index()].as_str()).collect();
        if !parents.is_empty() {
            let _ = writeln!(text, "\t\t\t<parents>{}</parents>", parents.join(" "));
        }
        match conditional {
            Conditional::Deterministic(table) if element == "deterministic" => {
                let results: Vec<&str> = table.states().iter().map(|&state| state_ids[state as usize].as_str()).collect();
                let _ = writeln!(text, "\t\t\t<resultingstates>{}</resultingstates>", results.join(" "));
            }
            Conditional::NoisyMax(noisy) if element == "noisymax" => push_noisy(&mut text, noisy),
            _ => {
                text.push_str("\t\t\t<probabilities>");
                push_numbers(&mut text, &network.table(variable)?, " ");
                text.push_str("</probabilities>\n");
            }
        }
        let mut property = |name: &str, value: &str| {
            let _ = writeln!(text, "\t\t\t<property id=\"{}\">{}</property>", escaped_attribute(name), escaped(value));
        };
        if ids[variable.index()] != network.name(variable) {
            property(NAME, &format!("({})", quote(network.name(variable))));
        }
        if state_ids != states {
            property(STATES, &format!("({})", states.iter().map(|state| quote(state)).collect::<Vec<_>>().join(", ")));
        }
        let values = Notes { state_values: notes.state_values.clone(), properties: notes.properties.clone(), ..Notes::default() };
        for text in values.as_properties() {
            let (name, value) = name_and_value(&text);
            if name != STATE_LABELS || labels.is_none() {
                property(name, value);
            }
        }
        let _ = writeln!(text, "\t\t</{element}>");
    }
    text.push_str("\t</nodes>\n");
    let mut comment = None;
    for property in &document.properties {
        let (name, value) = name_and_value(property);
        if let (COMMENT, None, Some(said)) = (name, &comment, unquote(value)) {
            comment = Some(said);
            continue;
        }
        let _ = writeln!(text, "\t<property id=\"{}\">{}</property>", escaped_attribute(name), escaped(value));
    }
    let _ = writeln!(text, "\t<extensions>\n\t\t<genie version=\"1.0\" app=\"Tunbridge\" name=\"{}\">", escaped_attribute(&document.name));
    if let Some(comment) = comment {
        let _ = writeln!(text, "\t\t\t<comment>{}</comment>", escaped(&comment));
    }
    push_page(&mut text, document, &ids);
    text.push_str("\t\t</genie>\n\t</extensions>\n</smile>\n");
    let mut lost = super::super::xmlbif::beyond_xml(document);
    lost.extend(super::super::lost_table_properties(document));
    lost.extend(super::super::spelled_out(document, &kept));
    Ok(Written { lost, ..Written::of(text) })
}

/// The labels of a variable's states, one for each, where a property of it has them.
fn state_labels(notes: &Notes, n_states: usize) -> Option<Vec<String>> {
    let value = notes.properties.iter().map(|text| name_and_value(text)).find(|(name, _)| *name == STATE_LABELS)?.1;
    quoted_list(value).filter(|labels| labels.len() == n_states)
}

/// GeNIe's element for a distribution. Its noisy-max has the last state as the weakest.
fn element_of(conditional: &Conditional) -> &'static str {
    match conditional {
        Conditional::Deterministic(_) => "deterministic",
        Conditional::NoisyMax(noisy) if noisy.order().iter().rev().copied().eq(0..noisy.n_states()) => "noisymax",
        _ => "cpt",
    }
}

/// The strengths of each parent's states, the absent one last, and the columns in that order, the leak behind them.
fn push_noisy(text: &mut String, noisy: &NoisyMax) {
    let mut strengths: Vec<String> = Vec::new();
    let mut parameters = Vec::new();
    for cause in noisy.causes() {
        let others = (0..cause.effects.n_rows()).filter(|&state| state != cause.absent);
        for state in others.chain([cause.absent]) {
            strengths.push(state.to_string());
            parameters.extend_from_slice(cause.effects.row(state));
        }
    }
    parameters.extend_from_slice(noisy.leak());
    let _ = writeln!(text, "\t\t\t<strengths>{}</strengths>", strengths.join(" "));
    text.push_str("\t\t\t<parameters>");
    push_numbers(text, &parameters, " ");
    text.push_str("</parameters>\n");
}

/// The nodes of GeNIe's extension, those of a submodel inside it.
fn push_page(text: &mut String, document: &Document, ids: &[String]) {
    let network = document.network();
    let mut sorted: Vec<_> = document.noted().collect();
    sorted.sort_by(|left, right| left.1.submodel.cmp(&right.1.submodel));
    let mut open: Vec<&String> = Vec::new();
    let mut n_submodels = 0;
    for (variable, notes) in sorted {
        let shared = open.iter().zip(&notes.submodel).take_while(|(left, right)| **left == *right).count();
        (shared..open.len()).for_each(|_| text.push_str("\t\t\t</submodel>\n"));
        open.truncate(shared);
        for part in &notes.submodel[shared..] {
            n_submodels += 1;
            let _ = writeln!(text, "\t\t\t<submodel id=\"Submodel_{n_submodels}\">\n\t\t\t\t<name>{}</name>", escaped(part));
            open.push(part);
        }
        let title: Cow<'_, str> = notes.label.as_deref().map_or(Cow::Borrowed(network.name(variable)), Cow::Borrowed);
        let _ = writeln!(text, "\t\t\t<node id=\"{}\">\n\t\t\t\t<name>{}</name>", ids[variable.index()], escaped(&title));
        if let Some((x, y)) = notes.position {
            text.push_str("\t\t\t\t<position>");
            push_numbers(text, &[x - HALF_SIZE.0, y - HALF_SIZE.1, x + HALF_SIZE.0, y + HALF_SIZE.1], " ");
            text.push_str("</position>\n");
        }
        if let Some(comment) = &notes.comment {
            let _ = writeln!(text, "\t\t\t\t<comment>{}</comment>", escaped(comment));
        }
        text.push_str("\t\t\t</node>\n");
    }
    open.iter().for_each(|_| text.push_str("\t\t\t</submodel>\n"));
}
