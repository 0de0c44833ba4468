//! Weka's attribute-relation file format: a header that declares the columns, then rows, dense or sparse.
//!
//! The format as Weka's manual describes it: names and values may stand in single or double quotes with backslash escapes, `%`
//! starts a comment line, `?` is missing, and `{3 yes, 7 1.5}` is a sparse row whose other values are the zero or first one.

use std::borrow::Cow;
use std::io::{BufRead, BufReader};

use belief::States;

use super::blocks::Block;
use super::lines::{encode_lines, lines};
use crate::encode::{ChunkBuilder, EncodedChunk, shorten};
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
                        return Err(at(RowFault::Header("@data comes before any @attribute".into())));
                    }
                    return Ok(Self { attributes, n_lines, n_bytes });
                }
                "@attribute" => attributes.push(attribute(text["@attribute".len()..].trim()).map_err(|what| at(RowFault::Header(what)))?),
                _ if text.is_empty() || text.starts_with('%') || word == "@relation" => {}
                _ => return Err(at(RowFault::Header(format!("`{}` is not part of an ARFF header", shorten(text))))),
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
            rest = behind.trim_start();
            match rest.strip_prefix(',') {
                Some(next) => rest = next.trim_start(),
                None if rest.is_empty() || rest.starts_with('}') => {}
                None => return Err(format!("the states of `{name}`: {}", after_value(rest))),
            }
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

/// What is wrong where something else than a separator comes behind a value.
fn after_value(rest: &str) -> String {
    if rest.starts_with('%') {
        "a comment must stand on a line of its own".into()
    } else if rest.starts_with('{') {
        format!("`{}` is the weight of an instance, which is not read from there: make it an attribute", shorten(rest))
    } else {
        format!("`{}` where a comma should follow a value", shorten(rest))
    }
}

/// A quoted or plain word, and what is behind it; `None` when a quote stays open. A backslash escapes in quotes only, as in Weka.
fn token(text: &str, ends: impl Fn(char) -> bool) -> Option<(String, &str)> {
    let quote = text.chars().next().filter(|c| *c == '\'' || *c == '"');
    let mut word = String::new();
    let mut characters = text.char_indices().skip(usize::from(quote.is_some()));
    while let Some((at, c)) = characters.next() {
        match (c, quote) {
            ('\\', Some(_)) => word.extend(characters.next().map(|(_, escaped)| match escaped {
                'n' => '\n',
                't' => '\t',
                'r' => '\r',
                other => other,
            })),
            (c, Some(quote)) if c == quote => return Some((word, &text[at + c.len_utf8()..])),
            (c, None) if ends(c) => return Some((word.trim_end().to_string(), &text[at..])),
            _ => word.push(c),
        }
    }
    quote.is_none().then(|| (word.trim_end().to_string(), ""))
}

/// The mark of a comment.
pub(crate) const COMMENT: u8 = b'%';

/// The rows of a block.
pub(crate) fn rows<'b>(block: &'b Block, header: &'b ArffHeader) -> impl Iterator<Item = Result<Vec<Option<String>>, RowFault>> + 'b {
    lines(block, Some(COMMENT)).map(move |(start, end)| row(&block.bytes[start..end], header))
}

fn row(line: &[u8], header: &ArffHeader) -> Result<Vec<Option<String>>, RowFault> {
    match std::str::from_utf8(line) {
        Ok(line) => values(line, header),
        Err(_) => Err(RowFault::NotUtf8(shorten(&String::from_utf8_lossy(line)))),
    }
}

/// The values of a row, which has no spaces around it.
pub(crate) fn values(line: &str, header: &ArffHeader) -> Result<Vec<Option<String>>, RowFault> {
    if let Some(inner) = line.strip_prefix('{') {
        return sparse_values(inner, header);
    }
    let expected = header.attributes.len();
    let mut row = Vec::with_capacity(expected);
    let mut rest = line;
    loop {
        if row.len() == expected && rest.starts_with('{') {
            return Err(RowFault::Syntax(after_value(rest)));
        }
        let (value, behind) = value(rest, |c| c == ',' || c == '\t')?;
        row.push(value);
        // A tab separates values as a comma does, unless it stands beside one.
        let (blanks, next) = behind.split_at(behind.len() - behind.trim_start().len());
        match next.strip_prefix(',') {
            Some(next) => rest = next.trim_start(),
            None if next.is_empty() => break,
            None if blanks.contains('\t') => rest = next,
            None => return Err(RowFault::Syntax(after_value(next))),
        }
    }
    if row.len() == expected { Ok(row) } else { Err(RowFault::Ragged { expected, found: row.len() }) }
}

/// A sparse row, from behind its brace.
fn sparse_values(line: &str, header: &ArffHeader) -> Result<Vec<Option<String>>, RowFault> {
    let syntax = |what: String| RowFault::Syntax(what);
    let mut row: Vec<Option<String>> = header
        .attributes
        .iter()
        .map(|a| match &a.kind {
            AttributeKind::Nominal(states) => states.names().first().cloned(),
            AttributeKind::Numeric => Some("0".into()),
            _ => None,
        })
        .collect();
    let mut rest = line.trim_start();
    while !rest.starts_with('}') {
        if rest.is_empty() {
            return Err(syntax("a sparse row has no closing brace".into()));
        }
        let (place, behind) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
        let (value, behind) = value(behind.trim_start(), |c| c == ',' || c == '}')?;
        let slot = place.parse::<usize>().ok().and_then(|place| row.get_mut(place));
        *slot.ok_or_else(|| syntax(format!("`{}` is not the number of an attribute", shorten(place))))? = value;
        rest = behind.trim_start();
        match rest.strip_prefix(',') {
            Some(next) => rest = next.trim_start(),
            None if rest.is_empty() || rest.starts_with('}') => {}
            None => return Err(syntax(after_value(rest))),
        }
    }
    let behind = rest[1..].trim_start().trim_start_matches(',').trim_start();
    if behind.is_empty() { Ok(row) } else { Err(syntax(after_value(behind))) }
}

/// The next value of a row, `None` if it is missing, and what is behind it.
fn value(text: &str, ends: impl Fn(char) -> bool) -> Result<(Option<String>, &str), RowFault> {
    let quoted = text.starts_with(['\'', '"']);
    let (value, behind) = token(text, ends).ok_or_else(|| RowFault::Syntax("a quote is not closed on its line".into()))?;
    if !quoted && (value.starts_with('%') || value.contains(" %") || value.contains("\t%")) {
        return Err(RowFault::Syntax(after_value("%")));
    }
    Ok(((quoted || value != "?").then_some(value), behind))
}

/// Encodes a block.
pub(crate) fn encode(block: &Block, header: &ArffHeader, builder: &mut ChunkBuilder<'_>) -> Result<EncodedChunk, DataError> {
    encode_lines(block, Some(COMMENT), builder, |line| row(line, header), |row, column| row[column].as_deref().map(Cow::Borrowed))
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
        assert_eq!(values("{0 ?, 2 '?'}", &header).unwrap(), [None, Some("0".into()), Some("?".into())]);
    }

    #[test]
    fn a_backslash_escapes_in_quotes_only() {
        let word = |text: &str| token(text, |c| c == ',').unwrap().0;
        assert_eq!(word(r"'a\tb\n\r\\\'\%'"), "a\tb\n\r\\'%");
        assert_eq!((word(r"a\tb"), word(r"C:\new,x")), (r"a\tb".into(), r"C:\new".into()));
    }

    #[test]
    fn what_stands_behind_a_value_is_not_dropped() {
        let attributes = ["a {no,yes}", "b numeric"].map(|a| attribute(a).unwrap()).to_vec();
        let header = ArffHeader { attributes, n_lines: 0, n_bytes: 0 };
        for (line, what) in [
            ("{0 'yes' 1 2.5}", "`1 2.5}` where a comma should follow a value"),
            ("yes,'2' junk", "`junk` where a comma should follow a value"),
            ("yes,2,{5}", "`{5}` is the weight of an instance"),
            ("{0 yes}, {5}", "`{5}` is the weight of an instance"),
            ("yes,2 % comment", "a comment must stand on a line of its own"),
            ("'yes',2\t% comment", "a comment must stand on a line of its own"),
            ("{0 yes} % comment", "a comment must stand on a line of its own"),
            ("{0 yes", "no closing brace"),
            ("yes,'2", "a quote is not closed"),
        ] {
            let fault = values(line, &header).unwrap_err().to_string();
            assert!(fault.contains(what), "{line}: {fault}");
        }
        assert_eq!(values("50%,2", &header).unwrap()[0].as_deref(), Some("50%"));
        assert!(attribute("a {'x' y}").unwrap_err().contains("`y}` where a comma should follow"));
    }
}
