//! Cells to encoded columns: state codes in the narrowest width, numbers as f64, missing as a code of its own.
//!
//! [`ChunkBuilder`] fills the columns of a chunk as a [`Plan`] says; what it does of each kind is in a file of its own.

mod chunk;
mod faults;
mod numbers;
mod plan;
mod states;
mod texts;
mod traces;

use belief::{ReadReport, Texts};

pub(crate) use chunk::{EncodedChunk, EncodedColumn, NewStates, RawRows};
pub(crate) use faults::{Faults, shorten};
pub(crate) use plan::{FileColumns, Plan, PlanKind, VariablePlan};
pub(crate) use states::are_numbers;

use crate::dictionary::Dictionary;
use crate::text::blocks::Block;
use crate::text::csv::text_of;
use crate::text::tile::Tile;
use crate::words::{Vocabulary, hash_bytes};
use crate::{Contradiction, DataError, made};

/// Fills the columns of one chunk.
pub(crate) struct ChunkBuilder<'p> {
    plan: &'p Plan,
    file: &'p FileColumns,
    columns: Vec<EncodedColumn>,
    local: Vec<Local>,
    n_rows: usize,
    /// Rows pushed but not yet settled.
    n_pending: usize,
    dropped: Vec<usize>,
    /// What speaks against columns that were taken for numbers; one cell for each, and then no chunk is made.
    contradictions: Vec<Contradiction>,
    /// Rows not yet settled in which a variable's value is no known state.
    unknown: Vec<(usize, usize)>,
    raw: RawRows,
    texts: Vec<Vec<Option<Vec<u8>>>>,
    report: ReadReport,
    hashes: Vec<u64>,
    scratch: Vec<u8>,
}

/// What one chunk learned about a categorical column.
#[derive(Clone)]
struct Local {
    /// New states, other ways of writing known ones, and values that are no state.
    cells: Dictionary,
    names: Vec<String>,
    /// Words of texts that were met, and labels that are new.
    words: Vocabulary,
}

impl<'p> ChunkBuilder<'p> {
    pub fn new(plan: &'p Plan, file: &'p FileColumns, capacity: usize) -> Self {
        let mut present = vec![false; plan.variables.len()];
        file.variable_of.iter().flatten().for_each(|v| present[*v] = true);
        let columns = plan
            .variables
            .iter()
            .zip(present)
            .map(|(variable, present)| match &variable.kind {
                PlanKind::Skip | PlanKind::Absence { .. } => EncodedColumn::Absent,
                _ if !present => EncodedColumn::Absent,
                PlanKind::Numeric { .. } => EncodedColumn::Numeric(Vec::with_capacity(capacity)),
                PlanKind::Text { .. } | PlanKind::Labels(_) => {
                    EncodedColumn::Texts { ends: Vec::with_capacity(capacity), codes: Vec::new() }
                }
                PlanKind::Category { known, .. } if known.len() < usize::from(u8::MAX) => EncodedColumn::U8(Vec::with_capacity(capacity)),
                PlanKind::Category { known, .. } if known.len() < usize::from(u16::MAX) => EncodedColumn::U16(Vec::with_capacity(capacity)),
                PlanKind::Category { .. } => EncodedColumn::U32(Vec::with_capacity(capacity)),
            })
            .collect();
        let local = vec![Local { cells: Dictionary::new(&[]), names: Vec::new(), words: Vocabulary::default() }; plan.variables.len()];
        let raw = if plan.keep_raw { RawRows::Text(Vec::with_capacity(capacity)) } else { RawRows::None };
        Self {
            plan,
            file,
            columns,
            local,
            n_rows: 0,
            n_pending: 0,
            dropped: Vec::new(),
            contradictions: Vec::new(),
            unknown: Vec::new(),
            raw,
            texts: vec![Vec::new(); plan.variables.len()],
            report: ReadReport { n_unknown: vec![0; plan.variables.len()], ..ReadReport::default() },
            hashes: Vec::new(),
            scratch: Vec::new(),
        }
    }

    pub fn file(&self) -> &'p FileColumns {
        self.file
    }

    pub fn plan(&self) -> &'p Plan {
        self.plan
    }

    /// Encodes the cells of a tile, column by column.
    pub fn push_tile(&mut self, block: &Block, tile: &Tile, faults: &mut Faults) {
        for (column, variable) in self.file.variable_of.iter().enumerate() {
            let Some(variable) = *variable else { continue };
            match &self.plan.variables[variable].kind {
                PlanKind::Skip | PlanKind::Absence { .. } => {}
                PlanKind::Category { known, .. } => self.push_states(block, tile, column, variable, known, faults),
                PlanKind::Numeric { .. } => self.push_numbers(block, tile, column, variable, faults),
                PlanKind::Text { .. } => {
                    let mut scratch = std::mem::take(&mut self.scratch);
                    for row in 0..tile.n_rows() {
                        let (start, end) = tile.span(row, column);
                        self.push_text(variable, Some(text_of(&block.bytes[start..end], &mut scratch)));
                    }
                    self.scratch = scratch;
                }
                PlanKind::Labels(_) => {
                    let mut scratch = std::mem::take(&mut self.scratch);
                    for row in 0..tile.n_rows() {
                        let (start, end) = tile.span(row, column);
                        self.push_labels(variable, Some(text_of(&block.bytes[start..end], &mut scratch)), row, faults);
                    }
                    self.scratch = scratch;
                }
            }
        }
        self.n_pending = tile.n_rows();
    }

    /// Pushes one cell of a row that is given cell by cell; `None` is missing.
    pub fn push_cell(&mut self, variable: usize, text: Option<&[u8]>, row: usize, faults: &mut Faults) {
        match &self.plan.variables[variable].kind {
            PlanKind::Skip | PlanKind::Absence { .. } => {}
            PlanKind::Category { .. } => {
                let code = text.map_or(Ok(Dictionary::MISSING), |text| self.state_code(variable, text));
                self.push_state(variable, code, row, faults);
            }
            PlanKind::Numeric { .. } => {
                let number = text.map_or(f64::NAN, |text| self.number(variable, text, row, faults));
                if let EncodedColumn::Numeric(numbers) = &mut self.columns[variable] {
                    numbers.push(number);
                }
            }
            PlanKind::Text { .. } => self.push_text(variable, text),
            PlanKind::Labels(_) => self.push_labels(variable, text, row, faults),
        }
    }

    /// Tells that `n` rows were pushed cell by cell.
    pub fn rows_pushed(&mut self, n: usize) {
        self.n_pending = n;
    }

    /// Puts a whole column in place.
    pub fn set_column(&mut self, variable: usize, column: EncodedColumn) {
        self.columns[variable] = column;
    }

    pub fn set_raw(&mut self, raw: RawRows) {
        self.raw = raw;
    }

    /// Rows of the last tile or batch that were taken out again.
    pub fn dropped(&self) -> &[usize] {
        &self.dropped
    }

    /// Notes where the records of a tile lie that were kept.
    pub fn keep_records(&mut self, tile: &Tile) {
        if let RawRows::Text(records) = &mut self.raw {
            for row in (0..tile.n_rows()).filter(|row| self.dropped.binary_search(row).is_err()) {
                let (start, end) = tile.record(row);
                records.push((start as u32, end as u32));
            }
        }
    }

    /// Notes where one line lies that was kept.
    pub fn keep_record(&mut self, start: usize, end: usize) {
        if let RawRows::Text(records) = &mut self.raw {
            records.push((start as u32, end as u32));
        }
    }

    /// Notes of the document that was kept last whether it has words, and its hash where that is wanted.
    pub fn note_document(&mut self, bytes: &[u8]) {
        let is_empty = |column: &EncodedColumn| match column {
            EncodedColumn::Texts { ends, .. } => ends.last().copied() == Some(ends.iter().rev().nth(1).copied().unwrap_or(0)),
            _ => false,
        };
        if self.columns.iter().any(is_empty) {
            self.report.n_without_words += 1;
        } else if self.plan.count_copies {
            self.hashes.push(hash_bytes(bytes));
        }
    }

    /// The chunk, unless columns are not what they were taken for.
    pub fn finish(&mut self, first_row: u64) -> Result<EncodedChunk, DataError> {
        if !self.contradictions.is_empty() {
            return Err(DataError::Contradiction(std::mem::take(&mut self.contradictions)));
        }
        self.look_up_words();
        // Before anything becomes missing that is not.
        let kinds = self.plan.variables.iter().map(|variable| &variable.kind);
        let n_missing = kinds
            .zip(self.columns.iter().zip(&self.report.n_unknown))
            .map(|(kind, (column, unknown))| match (kind, column) {
                // A row with a label that is not known has labels.
                (PlanKind::Labels(_), EncodedColumn::Texts { codes, .. }) => codes.iter().filter(|c| **c == Texts::MISSING).count() as u64,
                // A text without words says no more than none.
                (_, EncodedColumn::Texts { ends, .. }) => starts(ends).zip(ends).filter(|(start, end)| start == end).count() as u64,
                _ => column.n_missing() - unknown,
            })
            .collect();
        let counts = self.weights().and_then(traces::that_count);
        if self.report.n_skipped > 0 || counts.is_some() {
            self.drop_traces(counts.as_deref());
        }
        let mut report = std::mem::take(&mut self.report);
        (report.n_rows, report.n_missing) = (self.n_rows as u64, n_missing);
        let mut columns = std::mem::take(&mut self.columns);
        made::make(self.plan, &mut columns, self.n_rows);
        let weights = self.plan.weight.and_then(|w| match &columns[w] {
            EncodedColumn::Numeric(weights) => Some(weights.clone()),
            EncodedColumn::Borrowed(weights) => Some(weights.to_vec()),
            _ => None,
        });
        let n_known = self.plan.variables.iter().map(|v| v.kind.n_known()).collect();
        let new_states = |local: &mut Local| match std::mem::take(&mut local.words) {
            words if words.len() > 0 => NewStates::Words(words.into_list()),
            _ => NewStates::Names(std::mem::take(&mut local.names)),
        };
        Ok(EncodedChunk {
            first_row,
            n_rows: self.n_rows,
            columns,
            new_states: self.local.iter_mut().map(new_states).collect(),
            n_known,
            weights,
            report,
            raw: std::mem::take(&mut self.raw),
            texts: std::mem::take(&mut self.texts),
            hashes: std::mem::take(&mut self.hashes),
        })
    }
}

/// Where texts begin: where the one before ends.
fn starts(ends: &[u32]) -> impl Iterator<Item = &u32> {
    std::iter::once(&0).chain(ends)
}
