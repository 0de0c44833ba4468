//! The cells of rows that are passed on, as text, whatever format they came in, and as CSV and JSON have them.

use std::borrow::Cow;
use std::fmt::Write;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{ArrayRef, LargeStringArray, RecordBatch};
use arrow_cast::display::{ArrayFormatter, FormatOptions};
use arrow_schema::{ArrowError, DataType};

use super::text::push_csv;
use crate::DataError;
use crate::columnar::encode::{in_utc, told, value_type};
use crate::encode::{EncodedChunk, RawRows};
use crate::source::{Source, Unit};
use crate::text::arff;
use crate::text::csv::cells_of;
use crate::text::json_lines;

/// A cell as text, if it is not blank, and whether it is a plain number or a truth value that JSON writes without quotes.
pub(super) struct Cell<'c> {
    pub text: Option<Cow<'c, str>>,
    pub bare: bool,
}

impl Cell<'_> {
    pub fn push_json(&self, out: &mut Vec<u8>) {
        match &self.text {
            None => out.extend_from_slice(b"null"),
            Some(text) if self.bare => out.extend_from_slice(text.as_bytes()),
            Some(text) => out.extend_from_slice(serde_json::Value::from(text.as_ref()).to_string().as_bytes()),
        }
    }
}

/// Names of columns as JSON has them.
pub(super) fn json_keys(names: &[String]) -> Vec<String> {
    names.iter().map(|name| serde_json::Value::from(name.as_str()).to_string()).collect()
}

/// A row as an object of JSON; `value` puts what a cell is, by its place.
pub(super) fn push_object(out: &mut Vec<u8>, keys: &[String], cells: &[Cell<'_>], mut value: impl FnMut(usize, &Cell<'_>, &mut Vec<u8>)) {
    out.push(b'{');
    for (place, (key, cell)) in keys.iter().zip(cells).enumerate() {
        if place > 0 {
            out.push(b',');
        }
        out.extend_from_slice(key.as_bytes());
        out.push(b':');
        value(place, cell, out);
    }
    out.push(b'}');
}

/// Puts the cells of each row as CSV, without an end of line; `behind` puts what comes behind them.
pub(super) fn each_csv_row(
    chunk: &EncodedChunk,
    unit: &Unit,
    source: &Source,
    delimiter: u8,
    out: &mut Vec<u8>,
    mut behind: impl FnMut(usize, &mut Vec<u8>),
) -> Result<(), DataError> {
    // A record of the same dialect is passed on byte for byte.
    let same_dialect = source.dialect().is_some_and(|dialect| dialect.delimiter == delimiter);
    if let (RawRows::Text(records), Unit::Text(block), true) = (&chunk.raw, unit, same_dialect) {
        for (row, (start, end)) in records.iter().enumerate() {
            out.extend_from_slice(&block.bytes[*start as usize..*end as usize]);
            behind(row, out);
        }
        return Ok(());
    }
    each_row(chunk, unit, source, |row, cells| {
        for (place, cell) in cells.iter().enumerate() {
            if place > 0 {
                out.push(delimiter);
            }
            push_csv(out, cell.text.as_deref().unwrap_or_default(), delimiter);
        }
        behind(row, out);
        Ok(())
    })
}

/// Hands the cells of each row to `row`.
pub(super) fn each_row(
    chunk: &EncodedChunk,
    unit: &Unit,
    source: &Source,
    mut row: impl FnMut(usize, &[Cell<'_>]) -> Result<(), DataError>,
) -> Result<(), DataError> {
    match (&chunk.raw, unit) {
        (RawRows::Batch(batch), _) => each_batch_row(batch, source, row),
        (RawRows::Documents(names), _) => {
            let Some(documents) = source.documents() else { return Ok(()) };
            names.iter().enumerate().try_for_each(|(place, name)| {
                let path = documents.name(*name);
                let class = documents.class(name.0 as usize);
                row(place, &[Cell { text: Some(path.into()), bare: false }, Cell { text: class.map(Cow::Borrowed), bare: false }])
            })
        }
        (RawRows::Text(records), Unit::Text(block)) => {
            let columns = json_lines::Columns::new(source.names.iter().map(String::as_str).collect());
            for (place, (start, end)) in records.iter().enumerate() {
                let record = &block.bytes[*start as usize..*end as usize];
                if let Some(dialect) = source.dialect() {
                    let cells: Vec<Cell<'_>> = cells_of(record, dialect.delimiter)
                        .into_iter()
                        .map(|cell| {
                            let text = String::from_utf8_lossy(&cell).into_owned();
                            Cell { bare: is_json_number(&text), text: (!text.is_empty()).then(|| text.into()) }
                        })
                        .collect();
                    row(place, &cells)?;
                } else if let Some(header) = source.arff_header() {
                    let text = String::from_utf8_lossy(record);
                    let values = arff::values(text.trim(), header).unwrap_or_default();
                    let cells: Vec<Cell<'_>> = values
                        .into_iter()
                        .map(|value| Cell { bare: value.as_deref().is_some_and(is_json_number), text: value.map(Cow::Owned) })
                        .collect();
                    row(place, &cells)?;
                } else {
                    let cells: Vec<Cell<'_>> = columns
                        .values_as_they_are(record)
                        .into_iter()
                        .map(|value| match value {
                            None => Cell { text: None, bare: false },
                            Some(value) => Cell { text: Some(value.text.into()), bare: value.is_bare },
                        })
                        .collect();
                    row(place, &cells)?;
                }
            }
            Ok(())
        }
        _ => Ok(()),
    }
}

fn each_batch_row(
    batch: &RecordBatch,
    source: &Source,
    mut row: impl FnMut(usize, &[Cell<'_>]) -> Result<(), DataError>,
) -> Result<(), DataError> {
    let schema = batch.schema();
    let bad = |column: usize, e: &ArrowError| DataError::BadFile {
        path: source.input.path.clone(),
        what: format!("column `{}` of type {}: {e}", schema.field(column).name(), schema.field(column).data_type()),
        hint: Some("answers alone, with --answers-only, pass no columns on".into()),
    };
    let options = FormatOptions::default();
    let each = || batch.columns().iter().enumerate();
    let columns = each().map(|(nth, column)| in_utc(column).and_then(bytes_as_text).map_err(|e| bad(nth, &e)));
    let columns = columns.collect::<Result<Vec<_>, _>>()?;
    let formatters = columns.iter().enumerate().map(|(nth, c)| ArrayFormatter::try_new(c.as_ref(), &options).map_err(|e| bad(nth, &e)));
    let formatters = formatters.collect::<Result<Vec<_>, _>>()?;
    let nulls: Vec<_> = columns.iter().map(|c| c.logical_nulls()).collect();
    for place in 0..batch.num_rows() {
        let mut cells = Vec::with_capacity(formatters.len());
        for (nth, ((array, formatter), nulls)) in columns.iter().zip(&formatters).zip(&nulls).enumerate() {
            let is_null = nulls.as_ref().is_some_and(|nulls| nulls.is_null(place));
            let text = (!is_null).then(|| told(array, formatter, place)).transpose().map_err(|e| bad(nth, &e))?;
            let plain = matches!(value_type(array.data_type()), kind if kind.is_numeric() || *kind == DataType::Boolean);
            let bare = plain && text.as_deref().is_some_and(|t| is_json_number(t) || t == "true" || t == "false");
            cells.push(Cell { text: text.map(Cow::Owned), bare });
        }
        row(place, &cells)?;
    }
    Ok(())
}

/// Bytes that are text as that, as they are read too; others by their digits in base sixteen behind `\x`, as PostgreSQL tells them.
fn bytes_as_text(array: ArrayRef) -> Result<ArrayRef, ArrowError> {
    use DataType::{Binary, BinaryView, FixedSizeBinary, LargeBinary};
    if !matches!(array.data_type(), Binary | LargeBinary | BinaryView | FixedSizeBinary(_)) {
        return Ok(array);
    }
    let bytes = arrow_cast::cast(&array, &LargeBinary)?;
    let text = |bytes| std::str::from_utf8(bytes).map_or_else(|_| Cow::Owned(digits_of(bytes)), Cow::Borrowed);
    let texts: LargeStringArray = bytes.as_binary::<i64>().iter().map(|bytes| bytes.map(text)).collect();
    Ok(Arc::new(texts))
}

fn digits_of(bytes: &[u8]) -> String {
    let mut digits = String::from("\\x");
    bytes.iter().for_each(|byte| _ = write!(digits, "{byte:02x}"));
    digits
}

/// Whether JSON reads the text as the same number.
fn is_json_number(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    digits.starts_with(|c: char| c.is_ascii_digit()) && serde_json::from_str::<serde_json::Number>(text).is_ok()
}
