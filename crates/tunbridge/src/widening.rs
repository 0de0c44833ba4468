//! Columns that were taken for numbers and turn out to hold words, or for states and turn out to hold many numbers.

use data::{DataError, Table};

use crate::Error;

/// Reads a table, and reads it again with columns as states whenever words are met where numbers were expected, and as numbers where
/// many are met instead of a few whole ones. A column changes twice at most.
///
/// # Errors
/// As `read`.
pub fn widening<T>(mut table: Table, read: impl Fn(&Table) -> Result<T, Error>) -> Result<(Table, T), Error> {
    loop {
        match read(&table) {
            Err(Error::Data(DataError::Contradiction(all))) => table = table.widened(&all),
            other => return other.map(|found| (table, found)),
        }
    }
}
