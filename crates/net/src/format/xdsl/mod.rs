//! XDSL, the format of GeNIe and SMILE.
//!
//! `<probabilities>` run with the variable itself fastest, then the last parent, the first slowest. Files that say they come from aGrUM have the first
//! parent faster than the last and are read so; aGrUM reads all others so too, against GeNIe and pgmpy, and BIF or NET is the way there. `<deterministic>` and `<noisymax>` nodes are kept as what they are; equations, decisions and utilities are refused. Titles, comments, positions and submodels are kept in GeNIe's extension; labels of states are a property `state_labels`, the comment of the network one of its own. Of texts on the page, comments on arcs and what else is not kept a remark is made, but for colours, fonts and sizes.
//!
//! Identifiers have letters, digits and `_` only: other names are changed and kept in a user property.

use super::document::{Document, Notes, Remark, name_and_value, quote};
use super::draft::{DraftTable, DraftVariable, Laid, Shape, Wording, assemble, configurations};
use super::identifier::{NAME, STATES};
use super::lexical::{Fault, FormatError, shortened};
use super::xml::{Element, parse, xml_text};
use crate::conditional::{Conditional, ConditionalFault, DeterministicTable, NoisyCause, NoisyMax, TableFault};
use std::collections::{BTreeSet, HashMap};

mod write;

pub use write::write;

/// The property of the network that holds its comment, and that of a variable that holds the labels of its states.
const COMMENT: &str = "comment";
const STATE_LABELS: &str = "state_labels";

/// Reads XDSL.
///
/// # Errors
/// When the text is no XDSL, has nodes that are no chance nodes, or its network is none: with line, column and what to do.
pub fn read(bytes: &[u8]) -> Result<Document, FormatError> {
    let text = xml_text(bytes)?;
    parse(&text).and_then(|root| document(&root, &text)).map_err(|fault| fault.within(&text))
}

fn document(root: &Element<'_>, text: &str) -> Result<Document, Fault> {
    if !root.is("smile") {
        return Err(Fault::new(root.offset, format!("expected `<smile>`, found `<{}>`", shortened(&root.name)), "this is not XDSL"));
    }
    let genie = root.child("extensions").and_then(|extensions| extensions.child("genie"));
    let is_of_agrum = genie.and_then(|genie| genie.attribute("app")).is_some_and(|app| app.starts_with("aGrUM"));
    let (mut variables, mut notes, mut tables, mut remarks) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let mut unknown = BTreeSet::new();
    let nodes: Vec<&Element<'_>> = root.all("nodes").flat_map(|nodes| &nodes.children).collect();
    let mut ids = HashMap::new();
    for (place, &node) in nodes.iter().enumerate() {
        is_chance_node(node)?;
        let id = node.attribute_word("id")?;
        ids.entry(id.text.to_string()).or_insert(place);
        let states = node.all("state").map(|state| state.attribute_word("id")).collect::<Result<Vec<_>, _>>()?;
        if states.is_empty() {
            let what = format!("node `{}` has no states", shortened(&id.text));
            return Err(Fault::new(node.offset, what, "add them as  <state id=\"yes\" />"));
        }
        let mut said = Notes::default();
        state_notes(node, &mut said);
        for property in node.all("property") {
            said.take_property(&format!("{} = {}", property.attribute("id").unwrap_or("property"), property.text()), states.len());
        }
        let mut pass_over = |what: String, offset: usize| {
            if unknown.insert(what.clone()) {
                remarks.push(Remark::Ignored { what, line: line_of(text, offset) });
            }
        };
        for other in node.children.iter().filter(|child| !known_in_node(&child.name)) {
            pass_over(format!("`<{}>`", shortened(&other.name)), other.offset);
        }
        for (element, known) in node.all("state").map(|state| (state, &["id", "label", "value"][..])).chain([(node, &["id"][..])]) {
            for name in element.attribute_names().filter(|name| !known.contains(name)) {
                pass_over(format!("`{}` of `<{}>`", shortened(name), shortened(&element.name)), element.offset);
            }
        }
        let parents = node.child("parents").map_or_else(Vec::new, Element::words);
        tables.push(DraftTable { child: id.clone(), parents, body: node });
        variables.push(DraftVariable { name: id, states });
        notes.push(said);
    }
    if let Some(genie) = genie {
        page(genie, &mut Vec::new(), &ids, &mut notes);
        for lost in ["textbox", "arccomment"] {
            if let Some((first, n)) = found_in(genie, lost) {
                let what = if n == 1 { format!("`<{lost}>`") } else { format!("`<{lost}>`, of which there are {n},") };
                remarks.push(Remark::Ignored { what, line: line_of(text, first) });
            }
        }
    }
    let wording = Wording { name_it: "every parent needs a node of its id", give_table: |_| "add  <probabilities>".to_string() };
    let assembled = assemble(&wording, &variables, &tables, |table, shape| laid_out(table.body, shape, is_of_agrum))?;
    if is_of_agrum && tables.iter().any(|table| table.parents.len() > 1) {
        let what = "the file is aGrUM's: its tables were read with the first parent fastest, not the last as GeNIe has it";
        remarks.push(Remark::TakenAs { what: what.to_string() });
    }
    remarks.splice(0..0, assembled.remarks());
    // The name is in the extension; the id is what GeNIe makes of it.
    let name = genie.and_then(|genie| genie.attribute("name")).or_else(|| root.attribute("id")).unwrap_or("");
    let network = with_true_names(assembled.network, &mut notes)?;
    for (variable, said) in network.dag().variables().zip(&mut notes) {
        said.label = said.label.take().filter(|label| label != network.name(variable));
    }
    let mut document = Document::with_notes(name, network, notes);
    let named = |property: &Element<'_>| format!("{} = {}", property.attribute("id").unwrap_or("property"), property.text());
    document.properties = root.all("property").map(named).collect();
    if let Some(comment) = genie.and_then(|genie| genie.child("comment")).map(Element::text).filter(|comment| !comment.is_empty()) {
        document.properties.push(format!("{COMMENT} = {}", quote(comment)));
    }
    document.remarks = remarks;
    Ok(document)
}

/// The line of a place.
fn line_of(text: &str, offset: usize) -> usize {
    text[..offset.min(text.len())].matches('\n').count() + 1
}

/// Where an element of a name is first within another, at any depth, and how many there are.
fn found_in(within: &Element<'_>, name: &str) -> Option<(usize, usize)> {
    let of_child = |child: &Element<'_>| if child.is(name) { Some((child.offset, 1)) } else { found_in(child, name) };
    within.children.iter().filter_map(of_child).reduce(|(first, n), (_, more)| (first, n + more))
}

/// What a node says of its states: labels, and numbers where all have one.
fn state_notes(node: &Element<'_>, said: &mut Notes) {
    let labels: Vec<&str> = node.all("state").map(|state| state.attribute("label").unwrap_or("")).collect();
    if labels.iter().any(|label| !label.is_empty()) {
        said.properties.push(format!("{STATE_LABELS} = ({})", labels.into_iter().map(quote).collect::<Vec<_>>().join(", ")));
    }
    let value = |state: &Element<'_>| state.attribute("value")?.trim().parse().ok().filter(|value: &f64| value.is_finite());
    said.state_values = node.all("state").map(value).collect();
}

fn known_in_node(name: &str) -> bool {
    ["state", "parents", "probabilities", "resultingstates", "strengths", "parameters", "property"]
        .iter()
        .any(|known| name.eq_ignore_ascii_case(known))
}

fn is_chance_node(node: &Element<'_>) -> Result<(), Fault> {
    if ["cpt", "deterministic", "noisymax"].iter().any(|kind| node.is(kind)) {
        return Ok(());
    }
    let hint = match &*node.name {
        "equation" => "equations are not read: discretise the node in GeNIe, and save again",
        "noisyadder" => "noisy adders are not read: change the node's type to General in GeNIe, and save again",
        "decision" | "utility" | "mau" | "alu" => "influence diagrams are not read: take decisions and utilities out",
        _ => "only cpt, deterministic and noisymax nodes are",
    };
    Err(Fault::new(node.offset, format!("nodes of type `{}` are not read", shortened(&node.name)), hint))
}

/// Titles, comments and positions of GeNIe's extension, submodel by submodel.
fn page(level: &Element<'_>, path: &mut Vec<String>, ids: &HashMap<String, usize>, notes: &mut [Notes]) {
    for child in &level.children {
        if child.is("submodel") {
            let title = child.child("name").map(Element::text).or_else(|| child.attribute("id")).unwrap_or("");
            path.push(title.to_string());
            page(child, path, ids, notes);
            path.pop();
        }
        let Some(&place) = child.attribute("id").filter(|_| child.is("node")).and_then(|id| ids.get(id)) else { continue };
        let said = &mut notes[place];
        said.submodel.clone_from(path);
        let id = child.attribute("id").unwrap_or("");
        said.label = child.child("name").map(Element::text).filter(|title| !title.is_empty() && *title != id).map(str::to_string);
        if let Some(comment) = child.child("comment") {
            said.comment = Some(comment.text().to_string());
        }
        if let Some([left, top, right, bottom]) =
            child.child("position").and_then(|position| position.numbers().ok()).as_ref().map(|(box_of, _)| &box_of[..])
        {
            said.position = Some(((left + right) / 2.0, (top + bottom) / 2.0));
        }
    }
}

fn laid_out(node: &Element<'_>, shape: &Shape<'_, '_>, is_of_agrum: bool) -> Result<Laid, Fault> {
    let part = |name: &str| {
        let what = format!("node `{}` has no `<{name}>`", shortened(&shape.variable.name.text));
        node.child(name).ok_or_else(|| Fault::new(node.offset, what, "is the file whole?"))
    };
    let name = || shortened(&shape.variable.name.text);
    let refused = |fault: ConditionalFault| Fault::new(node.offset, format!("the distribution of `{}` is none: {fault}", name()), "");
    if node.is("deterministic") {
        let results = part("resultingstates")?.words();
        if results.len() != shape.n_rows {
            let what = format!("{} resulting states, but the parents have {}", results.len(), configurations(shape.n_rows));
            return Err(Fault::new(part("resultingstates")?.offset, what, "give one state for each"));
        }
        let states = results.iter().map(|result| Ok(shape.variable.state_of(result)? as u32)).collect::<Result<_, Fault>>()?;
        return Ok(Laid::Other(Conditional::Deterministic(DeterministicTable::new(shape.n_states, states).map_err(refused)?)));
    }
    if node.is("noisymax") {
        let (causes, leak) = causes(part("parameters")?, node.child("strengths"), shape)?;
        // The last state is the one without effect.
        let noisy = NoisyMax::new((0..shape.n_states).rev().collect(), causes, leak).map_err(refused)?;
        return Ok(Laid::Other(Conditional::NoisyMax(noisy)));
    }
    let table = part("probabilities")?;
    let (values, offsets) = table.numbers()?;
    shape.counted(values.len(), table.offset)?;
    if is_of_agrum {
        return Ok(shape.permuted(&values, &offsets, |row, state| shape.first_parent_fastest(row) * shape.n_states + state));
    }
    Ok(Laid::Rows { values, rows_at: offsets.into_iter().step_by(shape.n_states.max(1)).collect() })
}

/// The causes of a noisy-max and its leak. `<strengths>` orders each parent's states from the strongest to the one without effect, whose column is
/// all «nothing happened»: columns stand in that order or in the order of the states, and the column without effect tells which.
fn causes(parameters: &Element<'_>, strengths: Option<&Element<'_>>, shape: &Shape<'_, '_>) -> Result<(Vec<NoisyCause>, Vec<f64>), Fault> {
    let n_columns: usize = shape.parents.iter().map(|parent| parent.states.len()).sum();
    let (values, _) = parameters.numbers()?;
    let expected = (n_columns + 1).saturating_mul(shape.n_states);
    if values.len() != expected {
        let what = format!("{} parameters of a noisy-max, but {n_columns} states of parents and the leak make {expected}", values.len());
        return Err(Fault::new(parameters.offset, what, "give a column for every state of every parent, then the leak"));
    }
    let orders = match strengths {
        Some(element) => element.numbers()?.0,
        None => shape.parents.iter().flat_map(|parent| (0..parent.states.len()).map(|state| state as f64)).collect(),
    };
    let offset = strengths.map_or(parameters.offset, |element| element.offset);
    if orders.len() != n_columns {
        let what = format!("{} strengths, but the parents have {n_columns} states", orders.len());
        return Err(Fault::new(offset, what, "give one for each"));
    }
    let mut columns = values.chunks_exact(shape.n_states);
    let mut orders = orders.into_iter();
    let mut causes = Vec::with_capacity(shape.parents.len());
    for parent in &shape.parents {
        let n_states = parent.states.len();
        let order: Vec<usize> = orders.by_ref().take(n_states).map(|place| place as usize).collect();
        let mut sorted = order.clone();
        sorted.sort_unstable();
        if !sorted.into_iter().eq(0..n_states) {
            return Err(Fault::new(
                offset,
                "the strengths are no order of the parent's states",
                "each state is there once, counted from 0",
            ));
        }
        let of_parent: Vec<&[f64]> = columns.by_ref().take(n_states).collect();
        let is_without_effect = |column: &[f64]| column.last() == Some(&1.0);
        let by_strength = of_parent.last().is_some_and(|last| is_without_effect(last))
            || !order.last().is_some_and(|&last| is_without_effect(of_parent[last]));
        let mut effects = vec![0.0; n_states * shape.n_states];
        for (rank, column) in of_parent.into_iter().enumerate() {
            let state = if by_strength { order[rank] } else { rank };
            effects[state * shape.n_states..][..shape.n_states].copy_from_slice(column);
        }
        let cause = NoisyCause::new(order.last().copied().unwrap_or(0), shape.n_states, effects);
        let refused =
            |fault: TableFault| Fault::new(parameters.offset, format!("the cause `{}`: {fault}", shortened(&parent.name.text)), "");
        causes.push(cause.map_err(refused)?);
    }
    Ok((causes, columns.next().unwrap_or_default().to_vec()))
}

/// Takes the true names back from the properties that hold them.
pub(crate) fn with_true_names(network: crate::Network, notes: &mut [Notes]) -> Result<crate::Network, Fault> {
    let is_name = |text: &&String| matches!(name_and_value(text).0, NAME | STATES);
    if !notes.iter().any(|said| said.properties.iter().any(|text| is_name(&text))) {
        return Ok(network);
    }
    let mut names: Vec<String> = network.structure().names().to_vec();
    let mut states: Vec<Vec<String>> = network.dag().variables().map(|variable| network.states(variable).to_vec()).collect();
    for (place, said) in notes.iter_mut().enumerate() {
        for text in said.properties.extract_if(.., |text| is_name(&&*text)) {
            let (kind, value) = name_and_value(&text);
            let Some(list) = super::document::quoted_list(value) else { continue };
            match (kind, &list[..]) {
                (NAME, [name]) => names[place].clone_from(name),
                (STATES, _) if list.len() == states[place].len() => states[place] = list,
                _ => {}
            }
        }
    }
    super::rename(&network, names, states)
        .map_err(|error| Fault::new(0, error.to_string(), "a property of ours holds the true names: remove it"))
}
