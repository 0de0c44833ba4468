//! JSON Lines: an object per line, its keys the columns.

use std::cell::Cell;
use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::error::Category;
use serde_json::{Map, Value};

use super::blocks::{Block, Blocks, Pool, Records};
use super::lines::{encode_lines, line_number, lines};
use crate::encode::{ChunkBuilder, EncodedChunk, shorten};
use crate::error::{Place, RowFault};
use crate::profile::SAMPLE_ROWS;
use crate::{DataError, OnBadRow, input::Input};

/// A row, and a key that it has twice, if any: of its values none is the right one.
struct Row {
    object: Map<String, Value>,
    twice: Option<String>,
}

impl<'de> Deserialize<'de> for Row {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_map(RowVisitor)
    }
}

struct RowVisitor;

impl<'de> Visitor<'de> for RowVisitor {
    type Value = Row;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Row, A::Error> {
        let mut row = Row { object: Map::new(), twice: None };
        while let Some(key) = entries.next_key::<String>()? {
            if row.twice.is_none() && row.object.contains_key(&key) {
                row.twice = Some(key.clone());
            }
            row.object.insert(key, entries.next_value()?);
        }
        Ok(row)
    }
}

fn row(line: &[u8]) -> Result<Row, RowFault> {
    serde_json::from_slice(line).map_err(|e| match e.classify() {
        Category::Data => RowFault::Syntax("a line must be a JSON object, such as {\"Outlook\":\"Sunny\"}".into()),
        _ => RowFault::Syntax(format!("not JSON at column {}: {}", e.column(), plain(&e))),
    })
}

fn object(line: &[u8]) -> Result<Map<String, Value>, RowFault> {
    match row(line)? {
        Row { object, twice: None } => Ok(object),
        Row { twice: Some(key), .. } => Err(RowFault::Syntax(format!("key `{}` is there twice", shorten(&key)))),
    }
}

/// The parser's words without its own line number, which counts from the line's start.
fn plain(error: &serde_json::Error) -> String {
    let words = error.to_string();
    words.split(" at line ").next().unwrap_or_default().to_string()
}

/// The keys of the first rows, in order of appearance, and whether those are all rows.
pub(crate) fn keys(input: &Input, on_bad_row: OnBadRow) -> Result<(Vec<String>, bool), DataError> {
    let (per_block, most) = if input.live { (1, 1) } else { (4096, SAMPLE_ROWS as u64) };
    let mut blocks = Blocks::new(input, Records::Lines { comment: None }, per_block, 0, Pool::default())?;
    let mut keys: Vec<String> = Vec::new();
    let mut seen = std::collections::HashSet::new();
    let mut at_end = false;
    while blocks.next_row() < most {
        let Some(block) = blocks.next()? else {
            at_end = true;
            break;
        };
        for (start, end) in lines(&block, None) {
            // A key that is there twice is a fault of the row, and is told when the table is read.
            let object = match row(&block.bytes[start..end]) {
                Ok(row) => row.object,
                // A file whose very first line is no object is no JSON Lines file.
                Err(fault) if keys.is_empty() && on_bad_row == OnBadRow::Error => {
                    let line = line_number(&block, start);
                    return Err(DataError::BadRow { place: Place { path: input.path.clone(), line, column: None }, fault });
                }
                Err(_) => continue,
            };
            for key in object.keys() {
                if seen.insert(key.clone()) {
                    keys.push(key.clone());
                }
            }
        }
    }
    if keys.is_empty() {
        return Err(DataError::BadFile { path: input.path.clone(), what: "holds no JSON object".into(), hint: None });
    }
    Ok((keys, at_end))
}

/// Hands every value of a block's rows to `see`: column, text, and whether it is an object or an array.
pub(crate) fn profile(block: &Block, keys: &[String], mut see: impl FnMut(usize, Option<&[u8]>, bool)) -> usize {
    let mut rows = 0;
    for (start, end) in lines(block, None) {
        rows += 1;
        // What is wrong with a malformed row is said when the table is read.
        let Ok(object) = object(&block.bytes[start..end]) else { continue };
        for (column, key) in keys.iter().enumerate() {
            let value = object.get(key);
            let nested = value.is_some_and(|v| v.is_object() || v.is_array());
            see(column, value.and_then(text).as_deref().map(str::as_bytes), nested);
        }
    }
    rows
}

/// Encodes a block; `keys` are the columns in the order of `variable_of`.
pub(crate) fn encode(block: &Block, keys: &[&str], strict: bool, builder: &mut ChunkBuilder<'_>) -> Result<EncodedChunk, DataError> {
    let known: std::collections::HashSet<&str> = keys.iter().copied().collect();
    let (looks, n_late) = (strict || builder.plan().keep_raw, Cell::new(0));
    let parse = |line: &[u8]| {
        let object = object(line)?;
        match object.keys().find(|key| looks && !known.contains(key.as_str())) {
            Some(late) if strict => Err(RowFault::LateKey(shorten(late))),
            late => {
                n_late.set(n_late.get() + u64::from(late.is_some()));
                Ok(object)
            }
        }
    };
    let mut chunk = encode_lines(block, None, builder, parse, |object, column| object.get(keys[column]).and_then(text))?;
    chunk.report.n_late_keys = n_late.get();
    Ok(chunk)
}

/// A value's text; null is missing, nested values are read as their JSON.
fn text(value: &Value) -> Option<std::borrow::Cow<'_, str>> {
    Some(match value {
        Value::Null => return None,
        Value::String(text) => text.as_str().into(),
        Value::Bool(true) => "true".into(),
        Value::Bool(false) => "false".into(),
        other => other.to_string().into(),
    })
}
