//! JSON Lines: an object per line, its keys the columns.

use std::borrow::Cow;
use std::cell::Cell;
use std::collections::{HashMap, HashSet};
use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::error::Category;
use serde_json::value::RawValue;

use super::blocks::{Block, Blocks, Pool, Records};
use super::lines::{encode_lines, line_number, lines};
use crate::encode::{ChunkBuilder, EncodedChunk, PlanKind, shorten};
use crate::error::{Place, RowFault};
use crate::profile::SAMPLE_ROWS;
use crate::words::text_of;
use crate::{DataError, OnBadRow, input::Input};

/// The keys of a row with their values, which are left as they are written: a number that is read and written again may be another one.
struct Row<'l>(Vec<(Cow<'l, str>, &'l RawValue)>);

impl<'de> Deserialize<'de> for Row<'de> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_map(RowVisitor)
    }
}

struct RowVisitor;

impl<'de> Visitor<'de> for RowVisitor {
    type Value = Row<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Row<'de>, A::Error> {
        #[derive(serde::Deserialize)]
        struct Key<'k>(#[serde(borrow)] Cow<'k, str>);
        let mut row = Vec::new();
        while let Some(Key(key)) = entries.next_key()? {
            row.push((key, entries.next_value()?));
        }
        Ok(Row(row))
    }
}

impl<'l> Row<'l> {
    fn of(line: &'l str) -> Result<Self, RowFault> {
        serde_json::from_str(line).map_err(|e| match e.classify() {
            Category::Data => RowFault::Syntax("a line must be a JSON object, such as {\"Outlook\":\"Sunny\"}".into()),
            _ => not_json(&e, 0),
        })
    }

    /// A key that is there twice: of its values none is the right one.
    fn twice(&self) -> Option<&str> {
        // To compare all pairs of a few keys is quicker than to hash them.
        const FEW: usize = 16;
        let Row(entries) = self;
        if entries.len() <= FEW {
            let is_before = |place: usize| entries[..place].iter().any(|(key, _)| *key == entries[place].0);
            return (1..entries.len()).find(|place| is_before(*place)).map(|place| &*entries[place].0);
        }
        let mut seen = HashSet::new();
        entries.iter().map(|(key, _)| &**key).find(|key| !seen.insert(*key))
    }
}

/// The columns by their keys.
pub(crate) struct Columns<'k> {
    keys: Vec<&'k str>,
    place_of: HashMap<&'k str, usize>,
}

impl<'k> Columns<'k> {
    pub fn new(keys: Vec<&'k str>) -> Self {
        let place_of = keys.iter().enumerate().map(|(place, key)| (*key, place)).collect();
        Self { keys, place_of }
    }

    /// The values of a line that is passed on; one that cannot be read has none.
    pub fn values_as_they_are(&self, line: &[u8]) -> Vec<Option<Value>> {
        let values = self.values(&text_of(line).0).map(|(values, _)| values);
        values.unwrap_or_else(|_| self.keys.iter().map(|_| None).collect())
    }

    /// The values of a line, and a key that is no column.
    fn values(&self, line: &str) -> Result<(Vec<Option<Value>>, Option<String>), RowFault> {
        let row = Row::of(line)?;
        if let Some(key) = row.twice() {
            return Err(RowFault::Syntax(format!("key `{}` is there twice", shorten(key))));
        }
        let mut values = Vec::new();
        values.resize_with(self.keys.len(), || None);
        let mut other = None;
        for (place, (key, value)) in row.0.iter().enumerate() {
            // Most rows have their keys in one order.
            let is_here = self.keys.get(place) == Some(&&**key);
            match if is_here { Some(&place) } else { self.place_of.get(&**key) } {
                Some(place) => values[*place] = value_of(value.get(), line)?,
                None => other = other.or_else(|| Some(key.to_string())),
            }
        }
        Ok((values, other))
    }
}

/// A value that is not null.
pub(crate) struct Value {
    pub text: String,
    /// Whether it is an object or an array.
    is_nested: bool,
    /// Whether it is no string: JSON writes its text without quotes.
    pub is_bare: bool,
}

fn value_of(raw: &str, line: &str) -> Result<Option<Value>, RowFault> {
    let (text, is_bare) = match raw.as_bytes() {
        [b'n', ..] => return Ok(None),
        [b'"', inside @ .., b'"'] if memchr::memchr(b'\\', inside).is_none() => (raw[1..raw.len() - 1].into(), false),
        [b'"', ..] => {
            let before = raw.as_ptr().addr().saturating_sub(line.as_ptr().addr());
            (serde_json::from_str(raw).map_err(|e| not_json(&e, before))?, false)
        }
        [b'{' | b'[', ..] => (compact(raw), true),
        _ => (raw.into(), true),
    };
    Ok(Some(Value { text, is_nested: raw.starts_with(['{', '[']), is_bare }))
}

/// An object or an array without white space, its strings written alike and its numbers as they are.
fn compact(json: &str) -> String {
    let (mut text, mut rest) = (String::with_capacity(json.len()), json);
    while let Some(start) = rest.find('"') {
        text.extend(rest[..start].chars().filter(|c| !c.is_ascii_whitespace()));
        let bytes = rest.as_bytes();
        let mut end = start + 1;
        while end < bytes.len() && bytes[end] != b'"' {
            end += if bytes[end] == b'\\' { 2 } else { 1 };
        }
        let (string, behind) = rest.split_at((end + 1).min(rest.len()));
        let string = &string[start..];
        match serde_json::from_str::<Cow<'_, str>>(string) {
            Ok(decoded) => text.push_str(&serde_json::Value::from(decoded).to_string()),
            Err(_) => text.push_str(string),
        }
        rest = behind;
    }
    text.extend(rest.chars().filter(|c| !c.is_ascii_whitespace()));
    text
}

/// What is wrong with a line, or with a part of it that begins behind so many bytes.
fn not_json(error: &serde_json::Error, before: usize) -> RowFault {
    RowFault::Syntax(format!("not JSON at column {}: {}", before + error.column(), plain(error)))
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
    let mut seen: HashSet<String> = HashSet::new();
    let mut at_end = false;
    while blocks.next_row() < most {
        let Some(block) = blocks.next()? else {
            at_end = true;
            break;
        };
        for (start, end) in lines(&block, None) {
            // A key that is there twice is a fault of the row, and is told when the table is read.
            let line = text_of(&block.bytes[start..end]).0;
            let row = match Row::of(&line) {
                Ok(row) => row,
                // A file whose very first line is no object is no JSON Lines file.
                Err(fault) if keys.is_empty() && on_bad_row == OnBadRow::Error => {
                    let line = line_number(&block, start);
                    return Err(DataError::BadRow { place: Place { path: input.path.clone(), line, column: None }, fault });
                }
                Err(_) => continue,
            };
            for (key, _) in row.0 {
                if !seen.contains(&*key) {
                    seen.insert(key.to_string());
                    keys.push(key.into_owned());
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
    let columns = Columns::new(keys.iter().map(String::as_str).collect());
    let mut rows = 0;
    for (start, end) in lines(block, None) {
        rows += 1;
        // What is wrong with a malformed row is said when the table is read.
        let Ok((values, _)) = columns.values(&text_of(&block.bytes[start..end]).0) else { continue };
        for (column, value) in values.iter().enumerate() {
            let nested = value.as_ref().is_some_and(|value| value.is_nested);
            see(column, value.as_ref().map(|value| value.text.as_bytes()), nested);
        }
    }
    rows
}

/// Encodes a block; `keys` are the columns in the order of `variable_of`. A line that is not UTF-8 is read as Windows-1252, and its texts
/// are; what of it would be a state is refused, as in any other format.
pub(crate) fn encode(block: &Block, keys: &[&str], strict: bool, builder: &mut ChunkBuilder<'_>) -> Result<EncodedChunk, DataError> {
    let columns = Columns::new(keys.to_vec());
    let (looks, n_late, n_legacy) = (strict || builder.plan().keep_raw, Cell::new(0), Cell::new(0));
    let (plan, variable_of) = (builder.plan(), &builder.file().variable_of);
    let is_text = |column: usize| {
        let kind = variable_of[column].map(|variable| &plan.variables[variable].kind);
        kind.is_none_or(|kind| matches!(kind, PlanKind::Skip | PlanKind::Text { .. }))
    };
    let parse = |line: &[u8]| {
        let (line, legacy) = text_of(line);
        let (values, late) = columns.values(&line)?;
        match late.filter(|_| looks) {
            Some(late) if strict => return Err(RowFault::LateKey(shorten(&late))),
            late => n_late.set(n_late.get() + u64::from(late.is_some())),
        }
        if legacy {
            let mut odd = values.iter().enumerate().filter_map(|(column, value)| Some((column, &value.as_ref()?.text)));
            if let Some((_, state)) = odd.find(|(column, text)| !text.is_ascii() && !is_text(*column)) {
                return Err(RowFault::NotUtf8(shorten(state)));
            }
        }
        n_legacy.set(n_legacy.get() + u64::from(legacy));
        Ok(values)
    };
    let mut chunk = encode_lines(block, None, builder, parse, |values, column| Some(values[column].as_ref()?.text.as_str().into()))?;
    chunk.report.n_late_keys = n_late.get();
    chunk.report.n_not_utf8 += n_legacy.get();
    Ok(chunk)
}
