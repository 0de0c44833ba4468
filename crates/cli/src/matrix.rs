//! A small table of numbers with a name for every line and column, in a file: what is said or done, and what is true.

use std::path::{Path, PathBuf};

use tunbridge::data::DataError;

use crate::Failure;
use crate::lists::items;

/// The first line has the columns behind its first cell, each other line a name and its numbers.
pub struct Matrix {
    pub columns: Vec<String>,
    pub lines: Vec<(String, Vec<f64>)>,
}

impl Matrix {
    /// Reads one. `what` is the word for a number of it and for several, `hint` what it should look like, and `fits` which numbers can be.
    pub fn read(
        path: &Path,
        (what, several): (&str, &str),
        hint: &str,
        fits: impl Fn(f64) -> Result<(), &'static str>,
    ) -> Result<Self, Failure> {
        let text = std::fs::read_to_string(path).map_err(|source| DataError::Io { path: PathBuf::from(path), source })?;
        let fault = |line: usize, what: String| {
            Failure::from(DataError::BadFile { path: path.into(), what: format!("line {line}: {what}"), hint: Some(hint.into()) })
        };
        let mut lines = text.lines().enumerate().map(|(place, line)| (place + 1, items(line))).filter(|(_, cells)| !cells.is_empty());
        let (_, header) = lines.next().ok_or_else(|| fault(1, format!("there are no {several}")))?;
        let mut matrix = Self { columns: Vec::new(), lines: Vec::new() };
        for (line, cells) in lines {
            // The first cell of the header may be empty, and is then no item.
            let columns = if header.len() >= cells.len() { &header[1..] } else { &header[..] };
            let (name, numbers) = cells.split_first().ok_or_else(|| fault(line, format!("there are no {several}")))?;
            if numbers.len() != columns.len() || columns.is_empty() {
                return Err(fault(line, format!("there are {} {several} for {} columns", numbers.len(), columns.len())));
            }
            let number = |cell: &String| {
                let number = cell.trim().parse::<f64>().map_err(|_| "give a number").and_then(|number| fits(number).map(|()| number));
                number.map_err(|why| fault(line, format!("`{}` is no {what}: {why}", cell.trim())))
            };
            let numbers = numbers.iter().map(number).collect::<Result<_, _>>()?;
            matrix.columns = columns.iter().map(|name| name.trim().to_string()).collect();
            matrix.lines.push((name.trim().into(), numbers));
        }
        if matrix.lines.is_empty() { Err(fault(2, format!("there are no {several}"))) } else { Ok(matrix) }
    }
}
