//! Passing a table on with answers beside its rows: CSV, JSON Lines, Parquet and Arrow IPC out of any format in.

mod cells;
mod columnar;
mod filled;
mod passed_on;
mod shortest_decimal;
mod splice;
mod text;

pub use filled::{Fill, Filled};
pub use passed_on::{PassedOn, RowText};

use std::collections::HashSet;
use std::io::Write;
use std::sync::Arc;

use arrow_array::StringArray;
use belief::{Chunk, ReadReport};

use crate::encode::Plan;
use crate::{DataError, Table};

/// What the rows are written as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutputFormat {
    /// Separated values as the input separates them, or with commas.
    Separated,
    /// Separated values: with commas, or with the input's separator where that is no tab.
    Csv,
    /// Values separated by tabs.
    Tsv,
    /// An object per line.
    JsonLines,
    /// Apache Parquet.
    Parquet,
    /// Arrow IPC file.
    Arrow,
}

impl OutputFormat {
    /// The format that a file's name asks for.
    pub fn of_path(path: &std::path::Path) -> Option<Self> {
        Some(match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
            "txt" => Self::Separated,
            "csv" => Self::Csv,
            "tsv" | "tab" => Self::Tsv,
            "jsonl" | "ndjson" | "json" => Self::JsonLines,
            "parquet" => Self::Parquet,
            "arrow" | "feather" | "ipc" => Self::Arrow,
            _ => return None,
        })
    }
}

/// A class and its probabilities for each row of a chunk.
#[derive(Clone, Debug, Default)]
pub struct Answers {
    /// The place of the predicted state; `None` where the evidence is impossible under the model.
    pub predicted: Vec<Option<u32>>,
    /// Row by row, the probability of each state; NaN where the evidence is impossible.
    pub probability: Vec<f64>,
}

/// Labels and their probabilities for each row of a chunk.
#[derive(Clone, Debug, Default)]
pub struct LabelAnswers {
    /// The places of the labels that each row is given.
    pub labels: Vec<Vec<u32>>,
    /// Row by row, the probability of each label; NaN where the evidence is impossible with the label and without it.
    pub probability: Vec<f64>,
}

/// What is said of the rows of a chunk.
struct Told {
    said: Said,
    probability: Vec<f64>,
}

/// One state of each row, or none where all are impossible; or any number of labels.
enum Said {
    State(Vec<Option<u32>>),
    Labels(Vec<Vec<u32>>),
}

impl From<Answers> for Told {
    fn from(answers: Answers) -> Self {
        Self { said: Said::State(answers.predicted), probability: answers.probability }
    }
}

impl From<LabelAnswers> for Told {
    fn from(answers: LabelAnswers) -> Self {
        Self { said: Said::Labels(answers.labels), probability: answers.probability }
    }
}

/// What is being written.
struct Job<'t> {
    table: &'t Table,
    /// What it is called that is said of a row: `predicted`, `action` or `labels`.
    word: &'static str,
    /// What may be said: the states, or actions.
    said: &'t [String],
    states: &'t [String],
    /// What stands between the labels of a cell, where any number of them is said of a row.
    separator: Option<&'t str>,
    /// Names of the columns passed on: those of the input, or none.
    passed_on: &'t [String],
    /// Names of the columns added: the prediction and one per state.
    added: Vec<String>,
}

/// What is said of a chunk's rows.
trait Tell: Fn(Chunk<'_>) -> Result<Told, DataError> + Sync {}

impl<F: Fn(Chunk<'_>) -> Result<Told, DataError> + Sync> Tell for F {}

impl Job<'_> {
    fn write(&self, plan: &Plan, format: OutputFormat, to: &mut (dyn Write + Send), answer: impl Tell) -> Result<ReadReport, DataError> {
        match format {
            OutputFormat::Separated | OutputFormat::Csv | OutputFormat::Tsv | OutputFormat::JsonLines => {
                text::write(self, plan, format, to, answer)
            }
            OutputFormat::Parquet => columnar::write_parquet(self, plan, to, answer),
            OutputFormat::Arrow => columnar::write_arrow(self, plan, to, answer),
        }
    }

    fn said_column(&self) -> Arc<StringArray> {
        Arc::new(self.said.iter().map(Some).collect())
    }
}

impl Table {
    /// Writes every row with its answers behind it: the input's columns, in its order, if they are to be `passed_on`, then the
    /// predicted state and every state's probability.
    ///
    /// # Errors
    /// When a row cannot be read or the output cannot be written.
    pub fn write_answers(
        &self,
        states: &[String],
        format: OutputFormat,
        passed_on: bool,
        to: &mut (dyn Write + Send),
        answer: impl Fn(Chunk<'_>) -> Result<Answers, DataError> + Sync,
    ) -> Result<ReadReport, DataError> {
        self.write_told(("predicted", states), states, None, (format, passed_on), to, |chunk: Chunk<'_>| answer(chunk).map(Told::from))
    }

    /// The same with an action for each row instead of a state; its place is in `predicted` of the answers.
    ///
    /// # Errors
    /// When a row cannot be read or the output cannot be written.
    pub fn write_decisions(
        &self,
        (actions, states): (&[String], &[String]),
        format: OutputFormat,
        passed_on: bool,
        to: &mut (dyn Write + Send),
        answer: impl Fn(Chunk<'_>) -> Result<Answers, DataError> + Sync,
    ) -> Result<ReadReport, DataError> {
        self.write_told(("action", actions), states, None, (format, passed_on), to, |chunk: Chunk<'_>| answer(chunk).map(Told::from))
    }

    /// The same where any number of labels is said of a row: they are in one column, in text formats with the `separator` between them,
    /// in columnar ones as a list, and in JSON Lines as an array.
    ///
    /// # Errors
    /// When a row cannot be read or the output cannot be written.
    pub fn write_labels(
        &self,
        (labels, separator): (&[String], &str),
        format: OutputFormat,
        passed_on: bool,
        to: &mut (dyn Write + Send),
        answer: impl Fn(Chunk<'_>) -> Result<LabelAnswers, DataError> + Sync,
    ) -> Result<ReadReport, DataError> {
        let told = |chunk: Chunk<'_>| answer(chunk).map(Told::from);
        self.write_told(("labels", labels), labels, Some(separator), (format, passed_on), to, told)
    }

    fn write_told(
        &self,
        (word, said): (&'static str, &[String]),
        states: &[String],
        separator: Option<&str>,
        (format, passed_on): (OutputFormat, bool),
        to: &mut (dyn Write + Send),
        answer: impl Tell,
    ) -> Result<ReadReport, DataError> {
        let job = |passed_on| Job { table: self, word, said, states, separator, passed_on, added: added_names(passed_on, word, states) };
        if !passed_on {
            return job(&[]).write(&self.plan, format, to, answer);
        }
        let names = self.passed_on_names()?;
        let is_columnar = matches!(format, OutputFormat::Parquet | OutputFormat::Arrow);
        if let Some(other) = self.sources.iter().find(|s| is_columnar && s.arrow_schema() != self.sources[0].arrow_schema()) {
            return Err(DataError::BadFile {
                path: other.input.path.clone(),
                what: "its columns are of other types than those of the first file".into(),
                hint: Some("classify the files one by one, or write CSV or JSON Lines".into()),
            });
        }
        let job = job(names);
        match splice::files(&job) {
            Some(files) if format == OutputFormat::Parquet => splice::write(&job, &files, &self.plan, to, answer),
            _ => job.write(&Plan { keep_raw: true, ..self.plan.clone() }, format, to, answer),
        }
    }

    /// The rows' answers only, handed on in order, without the rows themselves.
    ///
    /// # Errors
    /// When a row cannot be read, or `take` fails.
    pub fn answer_rows(
        &self,
        answer: impl Fn(Chunk<'_>) -> Result<Answers, DataError> + Sync,
        take: impl FnMut(Answers) -> Result<(), DataError>,
    ) -> Result<ReadReport, DataError> {
        self.each_chunk(answer, take)
    }

    /// Whatever any thread makes of a chunk of rows, handed on in the order of the rows.
    ///
    /// # Errors
    /// When a row cannot be read, or `each` or `take` fails.
    pub fn each_chunk<R: Send>(
        &self,
        each: impl Fn(Chunk<'_>) -> Result<R, DataError> + Sync,
        take: impl FnMut(R) -> Result<(), DataError>,
    ) -> Result<ReadReport, DataError> {
        self.each_chunk_passed_on(None, |chunk, _| each(chunk), take)
    }
}

/// The prediction and `p(state)`, each made unlike the columns that are there.
fn added_names(columns: &[String], prediction: &str, states: &[String]) -> Vec<String> {
    unlike(columns, std::iter::once(prediction.to_string()).chain(states.iter().map(|state| format!("p({state})"))))
}

/// Names for columns that are added, each made unlike those that are there and those before it: `p`, `p_2`, …
///
/// ```
/// assert_eq!(tunbridge_data::unlike(&["p".into()], ["row", "p", "p"].map(String::from)), ["row", "p_2", "p_3"]);
/// ```
pub fn unlike(columns: &[String], wished: impl IntoIterator<Item = String>) -> Vec<String> {
    let mut taken: HashSet<String> = columns.iter().cloned().collect();
    let one = |wish: String| {
        let mut name = wish.clone();
        for attempt in 2.. {
            if taken.insert(name.clone()) {
                break;
            }
            name = format!("{wish}_{attempt}");
        }
        name
    };
    wished.into_iter().map(one).collect()
}

/// What stands between cells.
fn delimiter(table: &Table, format: OutputFormat) -> u8 {
    match table.sources[0].dialect() {
        _ if format == OutputFormat::Tsv => b'\t',
        Some(dialect) if format == OutputFormat::Separated || dialect.delimiter != b'\t' => dialect.delimiter,
        _ => b',',
    }
}

fn io_error(source: std::io::Error) -> DataError {
    DataError::Io { path: "output".into(), source }
}
