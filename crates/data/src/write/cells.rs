//! The cells of rows that are passed on, as text, whatever format they came in.

use std::borrow::Cow;

use arrow_array::RecordBatch;
use arrow_cast::display::{ArrayFormatter, FormatOptions};
use arrow_schema::DataType;

use crate::DataError;
use crate::encode::{EncodedChunk, RawRows};
use crate::source::{Source, Unit};
use crate::text::arff;
use crate::text::csv::cells_of;

/// A cell as text, and whether it is a plain number or a truth value that JSON writes without quotes.
pub(super) struct Cell<'c> {
    pub text: Option<Cow<'c, str>>,
    pub bare: bool,
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
            for (place, (start, end)) in records.iter().enumerate() {
                let record = &block.bytes[*start as usize..*end as usize];
                if let Some(dialect) = source.dialect() {
                    let cells: Vec<Cell<'_>> = cells_of(record, dialect.delimiter)
                        .into_iter()
                        .map(|cell| {
                            let text = String::from_utf8_lossy(&cell).into_owned();
                            Cell { bare: is_json_number(&text), text: Some(text.into()) }
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
                    let object: serde_json::Map<String, serde_json::Value> = serde_json::from_slice(record).unwrap_or_default();
                    let cells: Vec<Cell<'_>> = source
                        .names
                        .iter()
                        .map(|name| match object.get(name) {
                            None | Some(serde_json::Value::Null) => Cell { text: None, bare: false },
                            Some(serde_json::Value::String(text)) => Cell { text: Some(text.as_str().into()), bare: false },
                            Some(other) => Cell { text: Some(other.to_string().into()), bare: true },
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
    let bad = |e: arrow_schema::ArrowError| DataError::BadFile { path: source.input.path.clone(), what: e.to_string(), hint: None };
    let options = FormatOptions::default();
    let formatters =
        batch.columns().iter().map(|c| ArrayFormatter::try_new(c.as_ref(), &options)).collect::<Result<Vec<_>, _>>().map_err(bad)?;
    for place in 0..batch.num_rows() {
        let mut cells = Vec::with_capacity(formatters.len());
        for (array, formatter) in batch.columns().iter().zip(&formatters) {
            let text = (!array.is_null(place)).then(|| formatter.value(place).try_to_string()).transpose().map_err(bad)?;
            let plain = array.data_type().is_numeric() || *array.data_type() == DataType::Boolean;
            let bare = plain && text.as_deref().is_some_and(|t| is_json_number(t) || t == "true" || t == "false");
            cells.push(Cell { text: text.map(Cow::Owned), bare });
        }
        row(place, &cells)?;
    }
    Ok(())
}

/// Whether JSON reads the text as the same number.
fn is_json_number(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    digits.starts_with(|c: char| c.is_ascii_digit()) && serde_json::from_str::<serde_json::Number>(text).is_ok()
}
