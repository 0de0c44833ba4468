//! The rows of a chunk as they stand, for whoever writes something of their own beside them.

use belief::{Chunk, ReadReport};

use super::cells::{each_csv_row, each_row, json_keys, push_object};
use crate::encode::{EncodedChunk, Plan};
use crate::source::Unit;
use crate::{DataError, Table};

/// What rows that are passed on are written as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowText {
    /// Cells with commas between them; a record that has commas already byte for byte.
    Csv,
    /// An object with the names of the columns. A number stays one, and a blank is null.
    Json,
}

/// The rows of a chunk as they are passed on.
#[derive(Debug, Default)]
pub struct PassedOn {
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

impl PassedOn {
    /// A row by its place in the chunk; nothing where rows are not passed on.
    pub fn row(&self, row: usize) -> &[u8] {
        let start = if row == 0 { 0 } else { self.ends.get(row - 1).copied().unwrap_or(self.bytes.len()) };
        self.ends.get(row).map_or(&[], |end| &self.bytes[start..*end])
    }
}

impl Table {
    /// The names of the columns that are passed on, in their order.
    ///
    /// # Errors
    /// When there are several files and their columns are not the same.
    pub fn passed_on_names(&self) -> Result<&[String], DataError> {
        match self.sources.iter().find(|s| s.names != self.sources[0].names) {
            None => Ok(self.sources[0].passed_on()),
            Some(other) => Err(DataError::BadFile {
                path: other.input.path.clone(),
                what: "its columns are not those of the first file, or stand in another order".into(),
                hint: Some("give the files one by one".into()),
            }),
        }
    }

    /// Whatever any thread makes of a chunk and of its rows as they are passed on, if they are, handed on in the order of the rows.
    ///
    /// # Errors
    /// When a row cannot be read, or `each` or `take` fails; when rows are passed on of files whose columns are not the same.
    pub fn each_chunk_passed_on<R: Send>(
        &self,
        text: Option<RowText>,
        each: impl Fn(Chunk<'_>, PassedOn) -> Result<R, DataError> + Sync,
        mut take: impl FnMut(R) -> Result<(), DataError>,
    ) -> Result<ReadReport, DataError> {
        let keys = if text.is_some() { json_keys(self.passed_on_names()?) } else { Vec::new() };
        let kept = text.map(|_| Plan { keep_raw: true, ..self.plan.clone() });
        let mut report = ReadReport::default();
        self.each_unit(
            kept.as_ref().unwrap_or(&self.plan),
            |chunk, unit, source| {
                let rows = text.map_or_else(|| Ok(PassedOn::default()), |text| self.rows_as(text, &keys, &chunk, unit, source))?;
                Ok((chunk.lend(|columns| each(columns, rows))?, chunk.report))
            },
            Ok,
            |results: Vec<(R, ReadReport)>| {
                results.into_iter().try_for_each(|(made, chunk_report)| {
                    report.merge(&chunk_report);
                    take(made)
                })
            },
        )?;
        Ok(report)
    }

    fn rows_as(&self, text: RowText, keys: &[String], chunk: &EncodedChunk, unit: &Unit, source: usize) -> Result<PassedOn, DataError> {
        let source = &self.sources[source];
        let mut rows = PassedOn { bytes: Vec::new(), ends: Vec::with_capacity(chunk.n_rows) };
        match text {
            RowText::Csv => each_csv_row(chunk, unit, source, b',', &mut rows.bytes, |_, bytes| rows.ends.push(bytes.len()))?,
            RowText::Json => each_row(chunk, unit, source, |_, cells| {
                push_object(&mut rows.bytes, keys, cells, |_, cell, out| cell.push_json(out));
                rows.ends.push(rows.bytes.len());
                Ok(())
            })?,
        }
        Ok(rows)
    }
}
