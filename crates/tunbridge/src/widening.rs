//! Columns that were taken for numbers and turn out to hold words.

use data::{DataError, Table};

use crate::Error;

/// Reads a table, and reads it again with a column as states whenever a word is met where numbers were expected.
///
/// # Errors
/// As `read`.
pub fn widening<T>(mut table: Table, read: impl Fn(&Table) -> Result<T, Error>) -> Result<(Table, T), Error> {
    loop {
        match read(&table) {
            Err(Error::Data(DataError::Contradiction { place, found, variable })) => {
                table = table.widened(variable, &format!("`{found}` ({}:{})", place.path.display(), place.line));
            }
            other => return other.map(|found| (table, found)),
        }
    }
}
