//! What the user may say about a table before it is read.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use belief::RowPart;

use crate::words::Words;
use crate::{MadeColumns, NameMap};

/// How to read a table; the default is right for most.
///
/// | field | default | meaning |
/// |---|---|---|
/// | `delimiter` | sniffed | what separates the cells of CSV |
/// | `header` | [`Header::Auto`] | whether the first record names the columns |
/// | `missing` | none | markers of a missing value besides the empty cell, `?`, `NA`, `NaN` and `null` |
/// | `types` | none | `(pattern, type)` pairs; a later pair overrules an earlier one |
/// | `ignore` | none | columns (or patterns) to leave out |
/// | `target`, `weight` | none | columns by their part |
/// | `names` | none | what a schema calls columns and values of the files |
/// | `labels` | none | what separates the labels, where the target holds several |
/// | `text` | none | columns whose words count |
/// | `words` | see [`Words`] | how texts become words |
/// | `max_vocabulary` | none | the most words of a text that are kept: the rarest are dropped while they are counted |
/// | `documents` | see [`Cut`] | what one document is |
/// | `class_depth` | 1 | which folder a document's class is, counted from the one given |
/// | `schema` | found beside the data | a sidecar file |
/// | `made` | none | columns that are made of others |
/// | `days` | all | numeric columns in which a date is read, as its days |
/// | `part` | all | which rows count |
/// | `live` | no | whether rows are handed on as soon as they come: for answers, not for learning |
/// | `on_bad_row` | [`OnBadRow::Error`] | what to do with a malformed row |
/// | `threads` | all cores | how many threads work |
#[derive(Clone, Default)]
pub struct ReadOptions {
    /// What separates cells.
    pub delimiter: Option<u8>,
    /// Whether there is a header.
    pub header: Header,
    /// More markers of a missing value.
    pub missing: Vec<String>,
    /// Types by column name or `*` pattern.
    pub types: Vec<(String, ColumnType)>,
    /// Columns to leave out, by name or `*` pattern.
    pub ignore: Vec<String>,
    /// The column to predict.
    pub target: Option<String>,
    /// The column of weights.
    pub weight: Option<String>,
    /// What a schema calls columns and values of the files. For tables of a known schema.
    pub names: NameMap,
    /// Columns that are made of others. For tables of a known schema.
    pub made: MadeColumns,
    /// Numeric columns in which a date is read, as its days; in others it is no number. For tables of a known schema.
    pub days: Option<BTreeSet<String>>,
    /// Which rows count; all others weigh nothing.
    pub part: Option<RowPart>,
    /// What separates the labels of a cell, where the target holds any number of labels and not one class.
    pub labels: Option<String>,
    /// Columns whose words count.
    pub text: Vec<String>,
    /// How texts become words.
    pub words: Words,
    /// The most words of a text that are kept. While they are counted twice as many are held, and those of the chunks under way.
    pub max_vocabulary: Option<usize>,
    /// What one document is; then the files are documents, whatever else they could be.
    pub documents: Option<Cut>,
    /// Which folder a document's class is, counted from the one given; zero is the first below it.
    pub class_depth: usize,
    /// The sidecar file; else the one beside the data is used if there is one.
    pub schema: Option<PathBuf>,
    /// Whether rows of text are handed on as soon as they come, in chunks of any size, and what the columns are is said by the first row
    /// alone. For answers, which are the same whatever the chunks; sums over rows are not, to the last bit.
    pub live: bool,
    /// What to do with a malformed row.
    pub on_bad_row: OnBadRow,
    /// Threads; zero is as many as there are cores.
    pub threads: usize,
    /// Told now and then how much has been read.
    pub progress: Option<Arc<dyn Fn(Progress) + Send + Sync>>,
}

/// What a missing value is written as, unless told more.
pub const USUAL_MISSING: [&str; 12] = ["", "?", "NA", "N/A", "n/a", "na", "NaN", "nan", "NAN", "null", "NULL", "Null"];

/// How far a pass over the data has come.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// Bytes done.
    pub done: u64,
    /// Of how many; zero when that is not known.
    pub total: u64,
    /// Rows read so far.
    pub rows: u64,
}

/// How files are cut into documents. Unless it is said, a file of a folder is one document, and a mailbox has many.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cut {
    /// Not at all: a file is a document.
    Whole,
    /// A line is a document, also an empty one.
    Lines,
    /// A message of a mailbox (RFC 4155) is a document.
    Messages,
}

/// Whether the first record names the columns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Header {
    /// It does, unless it is like the rows below or its cells are numbers and missing values, and none of its cells is the name of a column
    /// that is asked for.
    #[default]
    Auto,
    /// It does.
    Present,
    /// It does not; columns are named c1, c2, …
    Absent,
}

/// What the user says a column is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnType {
    /// One of some states.
    Category,
    /// A number.
    Numeric,
    /// Words.
    Text,
    /// A day or a moment.
    Date,
    /// Left out.
    Ignore,
}

impl std::str::FromStr for ColumnType {
    type Err = String;
    fn from_str(word: &str) -> Result<Self, String> {
        Ok(match word.to_ascii_lowercase().as_str() {
            "category" | "categorical" | "nominal" | "boolean" | "bool" => ColumnType::Category,
            "numeric" | "number" | "real" => ColumnType::Numeric,
            "text" => ColumnType::Text,
            "date" => ColumnType::Date,
            "ignore" | "ignored" | "id" => ColumnType::Ignore,
            _ => return Err(format!("`{word}` is not a type: category, numeric, text, date or ignore")),
        })
    }
}

/// What to do with a malformed row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnBadRow {
    /// Stop and say where it is.
    #[default]
    Error,
    /// Pass over it and count it.
    Skip,
}

/// What to do with a value that is no known state of a model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum UnknownStates {
    /// A new state joins the others.
    Grow,
    /// It is read as missing, and counted.
    #[default]
    Missing,
    /// It gets the code behind those of the known states, so that whoever explains a row can tell it from a gap.
    Apart,
    /// It is an error.
    Error,
    /// It is an error, unless its row counts for nothing: one without a class, or of no weight, was passed over when rows were learned.
    ErrorWhereCounted,
}

impl UnknownStates {
    pub(crate) fn is_error(self) -> bool {
        matches!(self, UnknownStates::Error | UnknownStates::ErrorWhereCounted)
    }
}

impl ReadOptions {
    /// Whether the target, the weight or a text is named by one of these cells.
    pub(crate) fn name_some_of(&self, cells: &[String]) -> bool {
        self.target.iter().chain(&self.weight).chain(&self.text).any(|name| cells.contains(name))
    }

    /// How many threads work.
    pub fn n_threads(&self) -> usize {
        if self.threads > 0 { self.threads } else { std::thread::available_parallelism().map_or(1, usize::from) }
    }

    pub(crate) fn missing_markers(&self) -> Vec<String> {
        let mut markers: Vec<String> = USUAL_MISSING.iter().map(|s| s.to_string()).collect();
        for marker in &self.missing {
            if !markers.contains(marker) {
                markers.push(marker.clone());
            }
        }
        markers
    }

    pub(crate) fn type_of(&self, column: &str) -> Option<ColumnType> {
        // A column's own name says more than a pattern, wherever it stands.
        let find = |fits: &dyn Fn(&str) -> bool| self.types.iter().rev().find(|(pattern, _)| fits(pattern)).map(|(_, kind)| *kind);
        let said = || find(&|pattern| pattern == column).or_else(|| find(&|pattern| matches(pattern, column)));
        if self.text.iter().any(|name| name == column) { Some(ColumnType::Text) } else { said() }
    }

    /// Whether a date in a numeric column is its days, and no fault.
    pub(crate) fn reads_days(&self, column: &str) -> bool {
        self.days.as_ref().is_none_or(|days| days.contains(column))
    }

    /// Whether a column is to be left out.
    pub fn is_ignored(&self, column: &str) -> bool {
        self.ignore.iter().any(|pattern| matches(pattern, column))
    }
}

/// Whether a name fits a pattern in which `*` stands for any text.
pub(crate) fn matches(pattern: &str, name: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = name.strip_prefix(first) else { return false };
    let mut last = None;
    for part in parts {
        if let Some(middle) = last.replace(part) {
            match rest.find(middle) {
                Some(at) => rest = &rest[at + middle.len()..],
                None => return false,
            }
        }
    }
    match last {
        None => rest.is_empty(),
        Some(end) => rest.ends_with(end),
    }
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn a_star_stands_for_any_text() {
        assert!(matches("*", "Outlook") && matches("p*", "p01") && matches("*_id", "user_id") && matches("a*b*c", "a-b-b-c"));
        assert!(!matches("p*", "q") && !matches("Outlook", "Outlook2") && !matches("a*b", "ac"));
    }
}
