//! The outside world's data: reads tables, encodes their columns, and folds statistics over them on all cores.
//!
//! [`Table`] is the entry: it opens CSV, ARFF, JSON Lines, Parquet and Arrow IPC files, and documents, finds out what their columns are, and
//! implements [`belief::Observations`]. Learners are not known here, and Arrow is known only here.

mod columnar;
mod copies;
mod date;
mod dictionary;
mod documents;
mod encode;
mod error;
mod found;
mod held;
mod input;
mod labels;
mod loosely;
mod made;
mod mailbox;
mod name_map;
mod options;
mod packed;
mod pipeline;
mod profile;
mod row_texts;
mod sidecar;
mod source;
mod spool;
mod table;
mod text;
pub mod words;
mod write;

pub use belief::closest;
pub use date::number_or_days;
pub use documents::COLUMNS as DOCUMENT_COLUMNS;
pub use error::{Contradiction, DataError, Place, RowFault};
pub use held::HeldRows;
pub use input::{Format, Input, KeptInputs, is_among, whole_file};
pub use made::MadeColumns;
pub use name_map::NameMap;
pub use options::{ColumnType, Cut, Header, OnBadRow, Progress, ReadOptions, USUAL_MISSING, UnknownStates};
pub use sidecar::{Sidecar, SidecarColumn, StateTree, StateTrees, beside, to_toml};
pub use table::{StatePriors, Table};
pub use write::{Answers, Fill, Filled, LabelAnswers, OutputFormat, PassedOn, RowText, unlike};
