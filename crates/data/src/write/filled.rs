//! Passing a table on with its gaps filled, and which they were.

use std::io::Write;

use belief::{Chunk, ReadReport, VarId};

use super::cells::{each_row, json_keys, push_object};
use super::text::push_csv;
use super::{OutputFormat, delimiter, io_error, unlike};
use crate::encode::Plan;
use crate::{DataError, Table};

/// What a row's gaps are filled with.
pub type Filled = Vec<(VarId, Fill)>;

/// What a gap is filled with.
#[derive(Clone, Debug, PartialEq)]
pub enum Fill {
    /// The name of a state.
    State(String),
    /// A finite number.
    Number(f64),
}

impl Fill {
    /// As a cell of CSV has it; numbers in as few digits as bring them back.
    fn text(&self) -> String {
        match self {
            Self::State(state) => state.clone(),
            Self::Number(number) => {
                let text = zmij::Buffer::new().format(*number).to_string();
                // Whole numbers as most files have them.
                text.strip_suffix(".0").map(String::from).unwrap_or(text)
            }
        }
    }

    fn json(&self) -> String {
        match self {
            Self::State(state) => serde_json::Value::from(state.as_str()).to_string(),
            Self::Number(_) => self.text(),
        }
    }
}

/// What stands between the names of columns that were filled.
const SEPARATOR: &str = ";";

impl Table {
    /// Writes every row with the cells that `fill` gives in the place of its own, and behind them the names of the columns that were
    /// filled: in CSV in a column `imputed` with `;` between them, in JSON Lines as an array. A variable that has no column is left out.
    ///
    /// # Errors
    /// When a row cannot be read, the output cannot be written, or the format is columnar.
    pub fn write_filled(
        &self,
        format: OutputFormat,
        to: &mut (dyn Write + Send),
        fill: impl Fn(Chunk<'_>) -> Result<Vec<Filled>, DataError> + Sync,
    ) -> Result<ReadReport, DataError> {
        if matches!(format, OutputFormat::Parquet | OutputFormat::Arrow) {
            let what = "filled tables are written as CSV or JSON Lines".to_string();
            return Err(DataError::Columns { what, hint: Some("name the output .csv or .jsonl".into()) });
        }
        let names = self.passed_on_names()?;
        let delimiter = delimiter(self, format);
        let as_json = format == OutputFormat::JsonLines;
        if !as_json {
            let mut header = Vec::new();
            for name in names {
                push_csv(&mut header, name, delimiter);
                header.push(delimiter);
            }
            push_csv(&mut header, &unlike(names, ["imputed".to_string()])[0], delimiter);
            header.push(b'\n');
            to.write_all(&header).map_err(io_error)?;
        }
        let keys = json_keys(names);
        let column_of = |variable: VarId| self.files[0].variable_of.iter().position(|of| *of == Some(variable.index()));
        let mut report = ReadReport::default();
        let mut n_written = 0_u64;
        self.each_unit(
            &Plan { keep_raw: true, ..self.plan.clone() },
            |chunk, unit, source| {
                let filled = chunk.lend(&fill)?;
                let (mut out, mut starts) = (Vec::new(), Vec::with_capacity(chunk.n_rows));
                each_row(&chunk, unit, &self.sources[source], |row, cells| {
                    starts.push(out.len());
                    let new: Vec<(usize, &Fill)> =
                        filled[row].iter().filter_map(|(variable, fill)| Some((column_of(*variable)?, fill))).collect();
                    let fill_at = |place: usize| new.iter().find(|(at, _)| *at == place).map(|(_, fill)| *fill);
                    let marked: Vec<&String> =
                        (0..names.len()).filter(|place| fill_at(*place).is_some()).map(|place| &names[place]).collect();
                    if !as_json {
                        for (place, cell) in cells.iter().enumerate() {
                            let new = fill_at(place).map(Fill::text);
                            push_csv(&mut out, new.as_deref().or(cell.text.as_deref()).unwrap_or_default(), delimiter);
                            out.push(delimiter);
                        }
                        let marked: Vec<&str> = marked.iter().map(|name| name.as_str()).collect();
                        push_csv(&mut out, &marked.join(SEPARATOR), delimiter);
                        out.push(b'\n');
                        return Ok(());
                    }
                    out.extend_from_slice(b"\"values\":");
                    push_object(&mut out, &keys, cells, |place, cell, out| match fill_at(place) {
                        Some(fill) => out.extend_from_slice(fill.json().as_bytes()),
                        None => cell.push_json(out),
                    });
                    let marked = serde_json::Value::from(marked.into_iter().cloned().collect::<Vec<String>>());
                    out.extend_from_slice(format!(",\"imputed\":{marked}}}\n").as_bytes());
                    Ok(())
                })?;
                Ok((out, starts, chunk.report))
            },
            Ok,
            |results: Vec<(Vec<u8>, Vec<usize>, ReadReport)>| {
                for (out, starts, chunk_report) in results {
                    report.merge(&chunk_report);
                    if !as_json {
                        to.write_all(&out).map_err(io_error)?;
                        continue;
                    }
                    for (place, start) in starts.iter().enumerate() {
                        n_written += 1;
                        let end = starts.get(place + 1).copied().unwrap_or(out.len());
                        write!(to, "{{\"row\":{n_written},").and_then(|()| to.write_all(&out[*start..end])).map_err(io_error)?;
                    }
                }
                Ok(())
            },
        )?;
        Ok(report)
    }
}
