//! Weka's attribute-relation file format: a header that declares the columns, then rows, dense or sparse.
//!
//! The format as Weka's manual describes it: names and values may stand in single or double quotes with backslash escapes, `%`
//! starts a comment line, `?` is missing, and `{3 yes, 7 1.5}` is a sparse row whose other values are the zero or first one.

use std::io::{BufRead, BufReader};

use belief::States;

use super::blocks::Block;
use crate::encode::{ChunkBuilder, EncodedChunk, Faults, shorten};
use crate::error::{Place, RowFault};
use crate::{DataError, input::Input};

/// What the header declares.
#[derive(Clone, Debug)]
pub(crate) struct ArffHeader {
    pub attributes: Vec<Attribute>,
    /// How many lines come before the first row, and how many bytes.
    pub n_lines: u64,
    pub n_bytes: u64,
}

#[derive(Clone, Debug)]
pub(crate) struct Attribute {
    pub name: String,
    pub kind: AttributeKind,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum AttributeKind {
    Nominal(States),
    Numeric,
    Text,
    Date,
}

impl ArffHeader {
    pub fn read(input: &Input) -> Result<Self, DataError> {
        let io = |source| DataError::Io { path: input.path.clone(), source };
        let mut lines = BufReader::new(input.open().map_err(io)?);
        let mut attributes = Vec::new();
        let mut line = Vec::new();
        let mut n_bytes = 0;
        for n_lines in 1.. {
            line.clear();
            // A header line of more than a few megabytes is no header.
            match std::io::Read::take(&mut lines, 16 << 20).read_until(b'\n', &mut line).map_err(io)? {
                0 => break,
                n => n_bytes += n as u64,
            }
            let at = |fault| DataError::BadRow { place: Place { path: input.path.clone(), line: n_lines, column: None }, fault };
            let text = String::from_utf8_lossy(&line);
            let text = text.trim_start_matches('\u{FEFF}').trim();
            let word = text.split_ascii_whitespace().next().unwrap_or_default().to_ascii_lowercase();
            match word.as_str() {
                // What nobody reads, comments and the relation's name, may be in any encoding.
                "@attribute" if std::str::from_utf8(&line).is_err() => return Err(at(RowFault::NotUtf8(shorten(text)))),
                "@data" => {
                    if attributes.is_empty() {
                        return Err(at(RowFault::Syntax("@data comes before any @attribute".into())));
                    }
                    return Ok(Self { attributes, n_lines, n_bytes });
                }
                "@attribute" => attributes.push(attribute(text["@attribute".len()..].trim()).map_err(|what| at(RowFault::Syntax(what)))?),
                _ if text.is_empty() || text.starts_with('%') || word == "@relation" => {}
                _ => return Err(at(RowFault::Syntax(format!("`{}` is not part of an ARFF header", shorten(text))))),
            }
        }
        Err(DataError::BadFile {
            path: input.path.clone(),
            what: "has no @data line".into(),
            hint: Some("the file may be cut short".into()),
        })
    }
}

fn attribute(text: &str) -> Result<Attribute, String> {
    let (name, rest) =
        token(text, |c| c.is_whitespace() || c == '{').filter(|(name, _)| !name.is_empty()).ok_or("an @attribute without a name")?;
    let rest = rest.trim_start();
    let kind = if let Some(inner) = rest.strip_prefix('{') {
        let mut states = Vec::new();
        let mut rest = inner.trim_start();
        while !rest.starts_with('}') {
            if rest.is_empty() {
                return Err(format!("the states of `{name}` have no closing brace"));
            }
            let ends = |c| c == ',' || c == '}';
            let (state, behind) = token(rest, ends).ok_or_else(|| format!("a state of `{name}` has no closing quote"))?;
            states.push(state);
            rest = behind.trim_start().strip_prefix(',').unwrap_or(behind.trim_start()).trim_start();
        }
        AttributeKind::Nominal(States::declared(states, false).map_err(|e| format!("attribute `{name}`: {e}"))?)
    } else {
        match rest.split_ascii_whitespace().next().unwrap_or_default().to_ascii_lowercase().as_str() {
            "numeric" | "real" | "integer" => AttributeKind::Numeric,
            "string" => AttributeKind::Text,
            "date" => AttributeKind::Date,
            other => return Err(format!("attribute `{name}`: `{other}` is not a type of ARFF")),
        }
    };
    Ok(Attribute { name, kind })
}

/// A quoted or plain word, and what is behind it; `None` when a quote stays open.
fn token(text: &str, ends: impl Fn(char) -> bool) -> Option<(String, &str)> {
    let quote = text.chars().next().filter(|c| *c == '\'' || *c == '"');
    let mut word = String::new();
    let mut characters = text.char_indices().skip(usize::from(quote.is_some()));
    while let Some((at, c)) = characters.next() {
        match (c, quote) {
            ('\\', _) => word.extend(characters.next().map(|(_, escaped)| escaped)),
            (c, Some(quote)) if c == quote => return Some((word, &text[at + c.len_utf8()..])),
            (c, None) if ends(c) => return Some((word.trim_end().to_string(), &text[at..])),
            _ => word.push(c),
        }
    }
    quote.is_none().then(|| (word.trim_end().to_string(), ""))
}

/// The rows of a block, each as where it lies and its values.
pub(crate) fn rows<'b>(
    block: &'b Block,
    header: &'b ArffHeader,
) -> impl Iterator<Item = (usize, usize, Result<Vec<Option<String>>, RowFault>)> + 'b {
    let bytes = &block.bytes[..block.len];
    let mut start = 0;
    std::iter::from_fn(move || {
        while start < bytes.len() {
            let end = start + memchr::memchr(b'\n', &bytes[start..]).unwrap_or(bytes.len() - start);
            let from = std::mem::replace(&mut start, end + 1);
            let line = bytes[from..end].trim_ascii();
            if line.is_empty() || line[0] == b'%' {
                continue;
            }
            let parsed = match std::str::from_utf8(line) {
                Ok(line) => values(line, header),
                Err(_) => Err(RowFault::NotUtf8(shorten(&String::from_utf8_lossy(line)))),
            };
            return Some((from, end, parsed));
        }
        None
    })
}

pub(crate) fn values(line: &str, header: &ArffHeader) -> Result<Vec<Option<String>>, RowFault> {
    let expected = header.attributes.len();
    let open = || RowFault::Syntax("a quote is not closed on its line".into());
    if let Some(inner) = line.strip_prefix('{') {
        let inner = inner.strip_suffix('}').ok_or_else(|| RowFault::Syntax("a sparse row has no closing brace".into()))?;
        let mut row: Vec<Option<String>> = header
            .attributes
            .iter()
            .map(|a| match &a.kind {
                AttributeKind::Nominal(states) => states.names().first().cloned(),
                AttributeKind::Numeric => Some("0".into()),
                _ => None,
            })
            .collect();
        let mut rest = inner.trim_start();
        while !rest.is_empty() {
            let (place, behind) = token(rest, char::is_whitespace).ok_or_else(open)?;
            let (value, behind) = token(behind.trim_start(), |c| c == ',').ok_or_else(open)?;
            let slot = place.parse::<usize>().ok().and_then(|place| row.get_mut(place));
            *slot.ok_or_else(|| RowFault::Syntax(format!("`{}` is not the number of an attribute", shorten(&place))))? = Some(value);
            rest = behind.trim_start().strip_prefix(',').unwrap_or_default().trim_start();
        }
        return Ok(row);
    }
    let mut row = Vec::with_capacity(expected);
    let mut rest = line;
    loop {
        let quoted = rest.starts_with(['\'', '"']);
        let (value, behind) = token(rest, |c| c == ',' || c == '\t').ok_or_else(open)?;
        row.push((quoted || value != "?").then_some(value));
        match behind.trim_start_matches(' ').strip_prefix([',', '\t']) {
            Some(next) => rest = next.trim_start(),
            None => break,
        }
    }
    if row.len() == expected { Ok(row) } else { Err(RowFault::Ragged { expected, found: row.len() }) }
}

/// Encodes a block.
pub(crate) fn encode(block: &Block, header: &ArffHeader, builder: &mut ChunkBuilder<'_>) -> Result<EncodedChunk, DataError> {
    let variable_of = &builder.file().variable_of;
    for (start, end, parsed) in rows(block, header) {
        let mut faults = Faults::default();
        let row = parsed.unwrap_or_else(|fault| {
            faults.push(0, None, fault);
            vec![None; header.attributes.len()]
        });
        for (value, variable) in row.iter().zip(variable_of) {
            if let Some(variable) = *variable {
                builder.push_cell(variable, value.as_deref().map(str::as_bytes), 0, &mut faults);
            }
        }
        builder.rows_pushed(1);
        builder.settle(faults, |_| block.first_line + memchr::memchr_iter(b'\n', &block.bytes[..start]).count() as u64)?;
        if builder.dropped().is_empty() {
            builder.keep_record(start, end);
        }
    }
    Ok(builder.finish(block.first_row))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_states_in_quotes_with_escapes() {
        let found = attribute(r"'it\'s' {a, 'b c', '?', d}").unwrap();
        assert_eq!(found.name, "it's");
        let AttributeKind::Nominal(states) = found.kind else { panic!("nominal") };
        assert_eq!(states.names(), ["a", "b c", "?", "d"]);
        assert_eq!(attribute("age INTEGER [0,120]").unwrap().kind, AttributeKind::Numeric);
        assert!(attribute("x {a,b").unwrap_err().contains("closing brace"));
        assert!(attribute("x colour").unwrap_err().contains("not a type"));
    }

    #[test]
    fn sparse_rows_take_the_first_state_or_zero() {
        let attributes = ["a {no,yes}", "b numeric", "c {x,y}"].map(|a| attribute(a).unwrap()).to_vec();
        let header = ArffHeader { attributes, n_lines: 0, n_bytes: 0 };
        let row = values("{1 2.5, 2 y}", &header).unwrap();
        assert_eq!(row, [Some("no".into()), Some("2.5".into()), Some("y".into())]);
        assert!(values("{9 1}", &header).is_err());
        assert_eq!(values("yes, ?,'y'", &header).unwrap(), [Some("yes".into()), None, Some("y".into())]);
    }
}
