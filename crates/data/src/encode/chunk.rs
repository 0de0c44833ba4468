//! Rows as encoded columns, and how they are lent to statistics.

use arrow_array::RecordBatch;
use arrow_buffer::ScalarBuffer;
use belief::{Chunk, Codes, Column, ReadReport, Texts};

use crate::documents::RowName;
use crate::words::WordList;

/// Rows ready to be observed.
pub(crate) struct EncodedChunk {
    pub first_row: u64,
    pub n_rows: usize,
    pub columns: Vec<EncodedColumn>,
    /// States of each variable that were not known before, in order of appearance; their codes follow the known ones.
    pub new_states: Vec<NewStates>,
    pub n_known: Vec<usize>,
    pub weights: Option<Vec<f64>>,
    pub report: ReadReport,
    pub raw: RawRows,
    /// The texts of each variable, row by row, if they are kept; none where one is missing.
    pub texts: Vec<Vec<Option<Vec<u8>>>>,
    /// The hashes of documents, where copies are counted.
    pub hashes: Vec<u64>,
}

/// States, or words, of one variable that a chunk met and that were not known before.
pub(crate) enum NewStates {
    Names(Vec<String>),
    Words(WordList),
}

impl NewStates {
    pub fn len(&self) -> usize {
        match self {
            NewStates::Names(names) => names.len(),
            NewStates::Words(words) => words.len(),
        }
    }
}

pub(crate) enum EncodedColumn {
    Absent,
    U8(Vec<u8>),
    U16(Vec<u16>),
    U32(Vec<u32>),
    Numeric(Vec<f64>),
    /// Numbers as they lie in a columnar file, not copied; none is missing.
    Borrowed(ScalarBuffer<f64>),
    /// The codes of words, and where those of each text end.
    Texts {
        ends: Vec<u32>,
        codes: Vec<u32>,
    },
}

impl EncodedColumn {
    /// Whether a row of states or numbers has none.
    pub fn is_missing(&self, row: usize) -> bool {
        match self {
            EncodedColumn::Absent => true,
            EncodedColumn::U8(codes) => codes[row] == u8::MAX,
            EncodedColumn::U16(codes) => codes[row] == u16::MAX,
            EncodedColumn::U32(codes) => codes[row] == u32::MAX,
            EncodedColumn::Numeric(numbers) => numbers[row].is_nan(),
            EncodedColumn::Borrowed(_) | EncodedColumn::Texts { .. } => false,
        }
    }

    /// How many rows have none.
    pub fn n_missing(&self) -> u64 {
        let n = match self {
            EncodedColumn::Absent => 0,
            EncodedColumn::U8(codes) => memchr::memchr_iter(u8::MAX, codes).count(),
            EncodedColumn::U16(codes) => codes.iter().filter(|c| **c == u16::MAX).count(),
            EncodedColumn::U32(codes) => codes.iter().filter(|c| **c == u32::MAX).count(),
            EncodedColumn::Numeric(numbers) => numbers.iter().filter(|x| x.is_nan()).count(),
            EncodedColumn::Borrowed(_) | EncodedColumn::Texts { .. } => 0,
        };
        n as u64
    }
}

/// The rows as they stand in the file, for those who pass them on.
#[derive(Default)]
pub(crate) enum RawRows {
    #[default]
    None,
    /// Where each record lies in the block's bytes.
    Text(Vec<(u32, u32)>),
    Batch(RecordBatch),
    /// Which documents they are.
    Documents(Vec<RowName>),
}

impl EncodedChunk {
    /// Lends the rows as a statistic sees them.
    pub fn lend<R>(&self, see: impl FnOnce(Chunk<'_>) -> R) -> R {
        let columns: Vec<Column<'_>> = self
            .columns
            .iter()
            .enumerate()
            .map(|(variable, column)| {
                let n_states = self.n_known[variable] + self.new_states[variable].len();
                match column {
                    EncodedColumn::Absent => Column::Absent,
                    EncodedColumn::U8(codes) => Column::Categorical { codes: Codes::U8(codes), n_states },
                    EncodedColumn::U16(codes) => Column::Categorical { codes: Codes::U16(codes), n_states },
                    EncodedColumn::U32(codes) => Column::Categorical { codes: Codes::U32(codes), n_states },
                    EncodedColumn::Numeric(numbers) => Column::Numeric(numbers),
                    EncodedColumn::Borrowed(numbers) => Column::Numeric(numbers),
                    EncodedColumn::Texts { ends, codes } => Column::Texts(Texts { ends, codes, n_words: n_states }),
                }
            })
            .collect();
        see(Chunk { first_row: self.first_row, n_rows: self.n_rows, columns: &columns, weights: self.weights.as_deref() })
    }
}
