//! What can be wrong with a table, said with its place and a way out.

use std::fmt;
use std::path::{Path, PathBuf};

use belief::closest;

use crate::date::{Date, date_of};
use crate::profile::SAMPLE_ROWS;

/// Where in a file something is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The file as the user named it.
    pub path: PathBuf,
    /// The line for text files, the row for others; from 1.
    pub line: u64,
    /// The column's name, where one is meant.
    pub column: Option<String>,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", shown(&self.path), self.line)?;
        match &self.column {
            Some(column) => write!(f, ": column `{column}`"),
            None => Ok(()),
        }
    }
}

/// What is wrong with one row.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RowFault {
    /// More or fewer cells than columns.
    #[error("{found} cell{} where the header has {expected}", if *.found == 1 { "" } else { "s" })]
    Ragged {
        /// Columns of the header.
        expected: usize,
        /// Cells of the row.
        found: usize,
    },
    /// A cell of a numeric column is no number.
    #[error("`{0}` is not a number")]
    NotANumber(String),
    /// A number among states that are a few whole ones.
    #[error("`{0}` is one of many numbers, but the rows before it had a few whole ones")]
    OneOfManyNumbers(String),
    /// A number that no f64 holds, or infinity.
    #[error("`{0}` is outside the range of numbers")]
    NotFinite(String),
    /// A weight that is negative, missing or beyond [`belief::MAX_WEIGHT`].
    #[error("`{0}` is not a weight: it must be a number from zero to 2^53")]
    BadWeight(String),
    /// Bytes that are not UTF-8.
    #[error("the bytes `{0}` are not UTF-8 text")]
    NotUtf8(String),
    /// A state that is not known.
    #[error("`{found}` is not one of its states")]
    UnknownState {
        /// What was found.
        found: String,
        /// What is known.
        known: Vec<String>,
    },
    /// Something behind a closing quote.
    #[error("text after a closing quote")]
    AfterQuote,
    /// A quote that is never closed.
    #[error("a quote that opens here is never closed")]
    OpenQuote,
    /// A key of JSON Lines that comes too late to be a column.
    #[error("key `{0}` did not occur in the first {SAMPLE_ROWS} rows")]
    LateKey(String),
    /// A line that is not what its format asks for.
    #[error("{0}")]
    Syntax(String),
    /// A line of a header that declares the columns, without which no row can be read.
    #[error("{0}")]
    Header(String),
    /// What stands in a mailbox before its first message.
    #[error("{path} does not begin with a line `From `, an address and a date, as a mailbox does", path = shown(.0))]
    NotAMailbox(PathBuf),
    /// A document that is no text.
    #[error("{path} is not text", path = shown(.0))]
    Binary(PathBuf),
    /// A document that cannot be read.
    #[error("{path} cannot be read: {1}", path = shown(.0))]
    Unreadable(PathBuf, String),
}

/// A cell that speaks against what its column was taken for.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{place}: `{found}` {}", if *.is_number { "is one of many numbers, but the rows before it had a few whole ones" } else { "is not a number, but the rows before it were" })]
pub struct Contradiction {
    /// Where.
    pub place: Place,
    /// What was found.
    pub found: String,
    /// Whether it is a number, in a column of a few whole ones that were taken for states.
    pub is_number: bool,
    /// The variable's place in the schema.
    pub variable: usize,
}

/// Why a table could not be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DataError {
    /// The system refused.
    #[error("{path}: {source}", path = shown(.path))]
    Io {
        /// The file.
        path: PathBuf,
        /// The reason.
        source: std::io::Error,
    },
    /// A row is malformed.
    #[error("{place}: {fault}")]
    BadRow {
        /// Where.
        place: Place,
        /// What.
        fault: RowFault,
    },
    /// Columns that were taken for numbers hold something else: all of those that a chunk shows, never none.
    #[error("{}", .0.first().map(ToString::to_string).unwrap_or_default())]
    Contradiction(Vec<Contradiction>),
    /// The file as a whole is not what it should be.
    #[error("{path}: {what}", path = shown(.path))]
    BadFile {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        what: String,
        /// What to do.
        hint: Option<String>,
    },
    /// The columns do not fit what was asked.
    #[error("{what}")]
    Columns {
        /// What is wrong, every fault at once.
        what: String,
        /// What to do.
        hint: Option<String>,
    },
    /// The statistic and the columns disagree: a bug of ours.
    #[error("internal: {0}")]
    Internal(#[from] belief::ShapeMismatch),
}

impl DataError {
    /// What the user can do about it.
    pub fn hint(&self) -> Option<String> {
        match self {
            DataError::Io { source, path } => match source.kind() {
                std::io::ErrorKind::NotFound => Some(nearby(path).map_or_else(
                    || "check the name and the folder; a path is looked for from the current folder".into(),
                    |near| format!("did you mean `{near}`?"),
                )),
                std::io::ErrorKind::PermissionDenied => Some("check who may read or write it".into()),
                std::io::ErrorKind::StorageFull => Some("make room on the disk, or write elsewhere".into()),
                _ => Some("is the file whole, or was it cut short or damaged?".into()),
            },
            DataError::BadRow { place, fault } => Some(match fault {
                RowFault::Ragged { .. } => "mend the row, or pass over such rows with --on-bad-row skip".into(),
                RowFault::NotANumber(found) => {
                    let column = place.column.as_deref().unwrap_or("COLUMN");
                    if date_of(found.as_bytes()) == Some(Date::Unread) {
                        return Some(format!(
                            "write dates as 2024-01-31 or 31.01.2024, or read the column as states when it is learned from, with --types {column}=category"
                        ));
                    }
                    format!(
                        "read `{found}` as missing with --missing '{found}', skip the row with --on-bad-row skip, or learn from the column as states with --types {column}=category"
                    )
                }
                RowFault::UnknownState { found, known } => {
                    let near =
                        closest(found, known.iter().map(String::as_str)).map(|n| format!("did you mean `{n}`? ")).unwrap_or_default();
                    format!("{near}To read it as missing, add --unknown-states missing")
                }
                RowFault::NotUtf8(_) => {
                    "convert the file to UTF-8 (iconv -f WINDOWS-1252 -t UTF-8), or skip such rows with --on-bad-row skip".into()
                }
                RowFault::LateKey(_) => {
                    "move a row that has the key to the start of the file, or pass over such rows with --on-bad-row skip".into()
                }
                RowFault::NotAMailbox(_) => "say what a document is with --documents files or lines".into(),
                RowFault::Header(_) => "mend the header: without it no row can be read".into(),
                RowFault::OpenQuote => "close the quote, or give --delimiter if this is no CSV".into(),
                _ => "mend the row, or pass over such rows with --on-bad-row skip".into(),
            }),
            DataError::Contradiction(all) => {
                let columns =
                    all.iter().filter_map(|c| Some((c.place.column.as_deref()?, if c.is_number { "numeric" } else { "category" })));
                let types: Vec<String> = columns.take(5).map(|(column, kind)| format!("--types {column}={kind}")).collect();
                Some(format!("say what the column is with {}", types.join(" ")))
            }
            DataError::BadFile { hint, .. } | DataError::Columns { hint, .. } => hint.clone(),
            DataError::Internal(_) => Some("this is a fault of ours: please report it with the command and, if you can, the data".into()),
        }
    }
}

/// A file as the user knows it.
pub(crate) fn shown(path: &Path) -> std::path::Display<'_> {
    if path.as_os_str() == "-" { Path::new("standard input").display() } else { path.display() }
}

fn nearby(path: &std::path::Path) -> Option<String> {
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(std::path::Path::new("."));
    let typed = path.file_name()?.to_str()?;
    let mut names: Vec<String> =
        std::fs::read_dir(folder).ok()?.take(10_000).filter_map(|e| e.ok()?.file_name().into_string().ok()).collect();
    // A link that leads nowhere has the very name.
    names.retain(|name| name != typed);
    names.sort();
    closest(typed, names.iter().map(String::as_str)).map(|name| path.with_file_name(name).display().to_string())
}
