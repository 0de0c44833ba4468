//! Dot, the language of Graphviz: the structure is read, and written for drawing.
//!
//! Read are directed graphs with chains of arcs, sets of nodes in `{…}` and subgraphs; attributes are passed over. Written are
//! nodes with their labels and positions, and the arcs: states and probabilities are lost.

use super::Written;
use super::document::{Document, quote};
use super::lexical::{Fault, FormatError, Input, Word, found, here, over_comments, quoted, shortened, text_of};
use super::sketch::{Draft, Sketch};
use std::fmt::Write;
use winnow::stream::Stream;

/// How deep `{…}` may lie in each other.
const MAX_DEPTH: usize = 64;

/// Reads the structure of a dot file.
///
/// # Errors
/// When the text is no directed graph, or has a cycle: with line, column and what to do.
///
/// ```
/// use tunbridge_net::format::dot;
/// let sketch = dot::read(b"digraph storm { Storm -> {Lightning Thunder}; Lightning -> Thunder [color=red]; }")?;
/// assert_eq!(sketch.structure.names(), ["Storm", "Lightning", "Thunder"]);
/// assert_eq!(sketch.structure.dag().n_arcs(), 3);
/// # Ok::<(), tunbridge_net::format::FormatError>(())
/// ```
pub fn read(bytes: &[u8]) -> Result<Sketch, FormatError> {
    let text = text_of(bytes)?;
    graph(&mut Input::new(text)).and_then(Draft::finish).map_err(|fault| fault.within(text))
}

fn graph(input: &mut Input<'_>) -> Result<Draft, Fault> {
    let mut draft = Draft::default();
    let mut head = id(input, "`digraph`")?;
    if head.text.eq_ignore_ascii_case("strict") {
        head = id(input, "`digraph`")?;
    }
    if !head.text.eq_ignore_ascii_case("digraph") {
        let hint = if head.text.eq_ignore_ascii_case("graph") { "arcs need a direction: use `digraph` and `->`" } else { "" };
        return Err(Fault::new(head.offset, format!("expected `digraph`, found `{}`", shortened(&head.text)), hint));
    }
    if !next_is(input, "{")? {
        draft.name = id(input, "the graph's name")?.text.into_owned();
    }
    expect(input, "{", "after `digraph`")?;
    statements(input, &mut draft, 0)?;
    blank(input)?;
    if input.eof_offset() > 0 {
        return Err(Fault::new(here(input), format!("expected the end of the text, found {}", found(input)), "one graph a file is read"));
    }
    Ok(draft)
}

/// Statements up to the closing brace; the nodes they name.
fn statements(input: &mut Input<'_>, draft: &mut Draft, depth: usize) -> Result<Vec<usize>, Fault> {
    let mut named = Vec::new();
    loop {
        if skip(input, "}")? {
            return Ok(named);
        }
        if skip(input, ";")? || skip(input, ",")? {
            continue;
        }
        let offset = here(input);
        let mut last = match members(input, draft, depth)? {
            Some(members) => members,
            // `node [ … ]` or `rankdir = LR`.
            None => continue,
        };
        named.extend(&last);
        while skip(input, "->")? {
            let at = here(input);
            let Some(next) = members(input, draft, depth)? else {
                return Err(Fault::new(at, "expected a node behind `->`", ""));
            };
            for &parent in &last {
                for &child in &next {
                    draft.arc(parent, child, offset)?;
                }
            }
            named.extend(&next);
            last = next;
        }
        if next_is(input, "--")? {
            return Err(Fault::new(here(input), "an arc without a direction", "write `->`"));
        }
        attributes(input)?;
    }
}

/// A node, `{…}` or a subgraph; none for attributes of the graph.
fn members(input: &mut Input<'_>, draft: &mut Draft, depth: usize) -> Result<Option<Vec<usize>>, Fault> {
    if depth == MAX_DEPTH {
        return Err(Fault::new(here(input), format!("braces lie more than {MAX_DEPTH} deep in each other"), ""));
    }
    if skip(input, "{")? {
        return statements(input, draft, depth + 1).map(Some);
    }
    let is_quoted = next_is(input, "\"")?;
    let node = id(input, "a node, or `}`")?;
    let is_keyword = |word: &str| !is_quoted && node.text.eq_ignore_ascii_case(word);
    if is_keyword("subgraph") {
        if !next_is(input, "{")? {
            id(input, "the subgraph's name")?;
        }
        expect(input, "{", "after `subgraph`")?;
        return statements(input, draft, depth + 1).map(Some);
    }
    if skip(input, "=")? {
        id(input, "the value of an attribute")?;
        return Ok(None);
    }
    if is_keyword("node") || is_keyword("edge") || is_keyword("graph") {
        attributes(input)?;
        return Ok(None);
    }
    // A port, `node:port:compass`.
    while skip(input, ":")? {
        id(input, "a port")?;
    }
    Ok(Some(vec![draft.place(&node)]))
}

/// Passes over `[ … ]`.
fn attributes(input: &mut Input<'_>) -> Result<(), Fault> {
    while skip(input, "[")? {
        while !skip(input, "]")? {
            if skip(input, ",")? || skip(input, ";")? {
                continue;
            }
            id(input, "an attribute, or `]`")?;
            if skip(input, "=")? {
                id(input, "the value of an attribute")?;
            }
        }
    }
    Ok(())
}

fn blank(input: &mut Input<'_>) -> Result<(), Fault> {
    over_comments(input, &["//", "#"])
}

fn next_is(input: &mut Input<'_>, symbols: &str) -> Result<bool, Fault> {
    blank(input)?;
    Ok(input.starts_with(symbols))
}

fn skip(input: &mut Input<'_>, symbols: &str) -> Result<bool, Fault> {
    let comes = next_is(input, symbols)?;
    if comes {
        input.next_slice(symbols.len());
    }
    Ok(comes)
}

fn expect(input: &mut Input<'_>, symbols: &str, place: &str) -> Result<(), Fault> {
    if skip(input, symbols)? {
        return Ok(());
    }
    Err(Fault::new(here(input), format!("expected `{symbols}` {place}, found {}", found(input)), ""))
}

/// A name, a number, a text in quotes or in `<…>`.
fn id<'a>(input: &mut Input<'a>, what: &str) -> Result<Word<'a>, Fault> {
    blank(input)?;
    let offset = here(input);
    if input.starts_with('"') {
        return quoted(input);
    }
    let rest: &'a str = input.peek_slice(input.eof_offset());
    let end = if rest.starts_with('<') {
        let mut depth = 0_usize;
        let closes = |&(_, symbol): &(usize, char)| {
            depth = depth.saturating_add(usize::from(symbol == '<')) - usize::from(symbol == '>');
            depth == 0
        };
        rest.char_indices().find(closes).map_or(0, |(place, _)| place + 1)
    } else {
        let is_of_id = |symbol: char| symbol.is_alphanumeric() || matches!(symbol, '_' | '.');
        let sign = usize::from(rest.starts_with('-'));
        let length = rest[sign..].find(|symbol| !is_of_id(symbol)).unwrap_or(rest.len() - sign);
        if length == 0 { 0 } else { sign + length }
    };
    if end == 0 {
        return Err(Fault::new(offset, format!("expected {what}, found {}", found(input)), "names with other signs are written in \"…\""));
    }
    input.next_slice(end);
    Ok(Word { text: rest[..end].into(), offset })
}

/// Writes dot: the structure, labels and positions.
pub fn write(document: &Document) -> Written {
    let network = document.network();
    let quoted = |name: &str| format!("\"{}\"", name.replace('\\', "\\\\").replace('"', "\\\""));
    let mut text = format!("digraph {} {{\n", quoted(&document.name));
    for (variable, notes) in document.noted() {
        let _ = write!(text, "  {}", quoted(network.name(variable)));
        let mut attributes = Vec::new();
        attributes.extend(notes.label.as_ref().map(|label| format!("label={}", quote(label))));
        attributes.extend(notes.position.map(|(x, y)| format!("pos=\"{x},{}!\"", if y == 0.0 { 0.0 } else { -y })));
        if !attributes.is_empty() {
            let _ = write!(text, " [{}]", attributes.join(", "));
        }
        text.push_str(";\n");
    }
    for variable in network.dag().variables() {
        for &parent in network.dag().parents(variable) {
            let _ = writeln!(text, "  {} -> {};", quoted(network.name(parent)), quoted(network.name(variable)));
        }
    }
    text.push_str("}\n");
    let lost = vec!["states and probabilities: dot holds the structure alone".to_string()];
    Written { lost, ..Written::of(text) }
}
