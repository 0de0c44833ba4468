//! Writing TBN: a row a line with the parents' states spelled out, keys of one width, the shortest text of every number.

use super::super::document::{Document, Notes};
use super::super::rows::{each_key, push_number, push_numbers};
use super::{KEYWORDS, is_of_word};
use crate::conditional::{Conditional, ConditionalTree, NoisyMax, TreeNode};
use crate::network::Network;
use belief::VarId;
use std::borrow::Cow;
use std::fmt::Write;

/// Keys are padded to one width up to this.
const MAX_PADDED: usize = 40;

/// Writes TBN. What it writes, [`super::read`] reads back to the same document, bit for bit.
pub fn write(document: &Document) -> String {
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
        let conditional = network.conditional(variable);
        push_kind(&mut text, conditional, states);
        text.push('\n');
        push_notes(&mut text, notes);
        // A key's width is at most the sum of the widths of each parent's widest state.
        let widths: Vec<usize> = parents
            .iter()
            .map(|&parent| network.states(parent).iter().map(|state| width(&bare_or_quoted(state))).max().unwrap_or(0))
            .collect();
        let is_padded = widths.iter().map(|width| width + 2).sum::<usize>() <= MAX_PADDED;
        let push_key = |text: &mut String, key: &[&str]| {
            text.push_str("  ");
            for (place, state) in key.iter().enumerate() {
                let state = bare_or_quoted(state);
                let end = if place + 1 == key.len() { ": " } else { ", " };
                let pad = if is_padded { widths[place] - width(&state) } else { 0 };
                let _ = write!(text, "{state}{end}{:pad$}", "");
            }
        };
        match conditional {
            Conditional::Table(table) => each_key(network, variable, |row, key| {
                push_key(&mut text, key);
                push_numbers(&mut text, table.row(row), ", ");
                text.push('\n');
            }),
            Conditional::Deterministic(table) => each_key(network, variable, |row, key| {
                push_key(&mut text, key);
                let _ = writeln!(text, "{}", bare_or_quoted(&states[table.states()[row] as usize]));
            }),
            Conditional::NoisyMax(noisy) => push_causes(&mut text, noisy, network, variable),
            Conditional::Tree(tree) => {
                text.push_str("  ");
                push_tree(&mut text, tree, 0, 1, network, variable);
            }
        }
    }
    text
}

/// What kind of distribution it is, and the order of a noisy-max where it is not the usual one.
fn push_kind(text: &mut String, conditional: &Conditional, states: &[String]) {
    match conditional {
        Conditional::Table(_) => {}
        Conditional::Deterministic(_) => text.push_str(" as deterministic"),
        Conditional::NoisyMax(noisy) => {
            text.push_str(if noisy.n_states() == 2 { " as noisy-or" } else { " as noisy-max" });
            if !noisy.order().iter().rev().copied().eq(0..noisy.n_states()) {
                let _ = write!(text, " order {}", listed(noisy.order().iter().map(|&state| states[state].as_str())));
            }
        }
        Conditional::Tree(_) => text.push_str(" as tree"),
    }
}

/// A row for every state of a parent that does something, and the leak if it does.
fn push_causes(text: &mut String, noisy: &NoisyMax, network: &Network, variable: VarId) {
    let lowest = noisy.order()[0];
    let is_nothing = |row: &[f64]| row.iter().enumerate().all(|(state, &p)| p == if state == lowest { 1.0 } else { 0.0 });
    for (cause, &parent) in noisy.causes().iter().zip(network.dag().parents(variable)) {
        let n_rows = cause.effects.n_rows();
        let idle = (0..n_rows).rev().find(|&state| is_nothing(cause.effects.row(state)));
        for state in 0..n_rows {
            let row = cause.effects.row(state);
            let is_told_absent = state == cause.absent && idle != Some(state);
            if is_nothing(row) && !is_told_absent {
                continue;
            }
            let _ = write!(text, "  {}={}: ", bare_or_quoted(network.name(parent)), bare_or_quoted(&network.states(parent)[state]));
            if is_told_absent {
                text.push_str("absent");
            } else {
                push_numbers(text, row, ", ");
            }
            text.push('\n');
        }
    }
    if !is_nothing(noisy.leak()) {
        text.push_str("  leak: ");
        push_numbers(text, noisy.leak(), ", ");
        text.push('\n');
    }
}

/// A node of a tree and all below it.
fn push_tree(text: &mut String, tree: &ConditionalTree, node: usize, depth: usize, network: &Network, variable: VarId) {
    let (parent, branches) = match &tree.nodes()[node] {
        TreeNode::Leaf(values) => {
            push_numbers(text, values, ", ");
            text.push('\n');
            return;
        }
        TreeNode::Test { parent, branches } => (network.dag().parents(variable)[*parent], branches),
    };
    let _ = writeln!(text, "on {} {{", bare_or_quoted(network.name(parent)));
    // In the order of nodes, so that a tree numbered depth first is read back with the same numbers.
    let mut different = branches.clone();
    different.sort_unstable();
    different.dedup();
    for branch in different {
        let same = (0..branches.len()).filter(|&state| branches[state] == branch);
        let _ = write!(text, "{:1$}{2}: ", "", 2 * depth + 2, listed(same.map(|state| network.states(parent)[state].as_str())));
        push_tree(text, tree, branch, depth + 1, network, variable);
    }
    let _ = writeln!(text, "{:1$}}}", "", 2 * depth);
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
