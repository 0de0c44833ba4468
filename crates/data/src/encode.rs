//! Cells to encoded columns: state codes in the narrowest width, numbers as f64, missing as a code of its own.

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_buffer::ScalarBuffer;
use belief::{Chunk, Codes, Column, ReadReport, Texts};

use crate::date::{Date, date_of};
use crate::dictionary::Dictionary;
use crate::documents::RowName;
use crate::error::{Place, RowFault};
use crate::labels::LabelPlan;
use crate::text::blocks::Block;
use crate::text::csv::{cell_of, text_of};
use crate::text::tile::Tile;
use crate::words::{KnownWords, Tokenizer, Vocabulary, hash_bytes};
use crate::{Contradiction, DataError, MadeColumns, OnBadRow, UnknownStates, made};

/// What becomes of each variable of the schema, fixed before a pass over the data.
#[derive(Clone)]
pub(crate) struct Plan {
    pub variables: Vec<VariablePlan>,
    /// Which variable holds the weights.
    pub weight: Option<usize>,
    pub on_bad_row: OnBadRow,
    /// Whether a key of JSON Lines that is no column is a fault: a model passes over what it does not know.
    pub strict_keys: bool,
    /// Whether the rows are kept as they stand in the file.
    pub keep_raw: bool,
    /// Whether texts are kept as they are before words are made of them.
    pub keep_texts: bool,
    /// Whether it is wanted how many documents are copies.
    pub count_copies: bool,
}

#[derive(Clone)]
pub(crate) struct VariablePlan {
    pub name: String,
    pub kind: PlanKind,
}

impl VariablePlan {
    /// Makes the states known so far as quick to find as can be.
    pub fn settle(&mut self) {
        if let PlanKind::Category { known, .. } = &mut self.kind {
            known.settle();
        }
    }
}

#[derive(Clone)]
pub(crate) enum PlanKind {
    Skip,
    Category {
        /// States known before the pass, and the markers of a missing value.
        known: Dictionary,
        new_states: UnknownStates,
    },
    /// Texts, whose words are looked up.
    Text {
        tokenizer: Arc<Tokenizer>,
        /// Words known before the pass.
        known: Arc<KnownWords>,
        /// Whether words that are new join them.
        grows: bool,
        missing: Dictionary,
    },
    /// Sets of labels.
    Labels(LabelPlan),
    Numeric {
        missing: Dictionary,
        /// Markers of a missing value that are numbers, such as -999.
        missing_numbers: Vec<f64>,
        /// A cell that is no number speaks against the inferred type, not against its row.
        inferred: bool,
        /// Where the numbers are cut into bins, if they are.
        cuts: Option<Vec<f64>>,
    },
    /// Whether the value of another variable is missing.
    Absence {
        of: usize,
    },
}

impl PlanKind {
    pub fn numeric(missing: &[String], inferred: bool) -> Self {
        let missing_numbers = missing.iter().filter_map(|marker| marker.parse().ok()).filter(|x: &f64| x.is_finite()).collect();
        PlanKind::Numeric { missing: Dictionary::new(missing), missing_numbers, inferred, cuts: None }
    }

    /// Numbers that are cut into bins.
    pub fn bins(missing: &[String], at: &[f64]) -> Self {
        let mut kind = Self::numeric(missing, false);
        if let PlanKind::Numeric { cuts, .. } = &mut kind {
            *cuts = Some(at.to_vec());
        }
        kind
    }

    /// How many states or words are known.
    pub fn n_known(&self) -> usize {
        match self {
            PlanKind::Category { known, .. } => known.len(),
            PlanKind::Text { known, .. } => known.len(),
            PlanKind::Labels(LabelPlan { known, .. }) => known.len(),
            PlanKind::Numeric { cuts: Some(cuts), .. } => cuts.len() + 1,
            PlanKind::Absence { .. } => MadeColumns::ABSENCE.len(),
            PlanKind::Skip | PlanKind::Numeric { cuts: None, .. } => 0,
        }
    }

    /// Markers of a missing value that are numbers.
    pub fn missing_numbers(&self) -> &[f64] {
        if let PlanKind::Numeric { missing_numbers, .. } = self { missing_numbers } else { &[] }
    }
}

/// Which variable each column of one file is.
#[derive(Clone, Debug)]
pub(crate) struct FileColumns {
    pub path: PathBuf,
    pub variable_of: Vec<Option<usize>>,
}

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
    Words(Vocabulary),
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

/// What is wrong with rows of a tile or a batch.
#[derive(Default)]
pub(crate) struct Faults(Vec<(usize, Option<usize>, RowFault)>);

impl Faults {
    /// `row` counts from the tile's start.
    pub fn push(&mut self, row: usize, variable: Option<usize>, fault: RowFault) {
        self.0.push((row, variable, fault));
    }
}

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
    /// Words that are new.
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

    fn push_states(&mut self, block: &Block, tile: &Tile, column: usize, variable: usize, known: &Dictionary, faults: &mut Faults) {
        let mut row = 0;
        while row < tile.n_rows() {
            // The fast loop runs up to a cell that is not known as it stands; codes of known states fit the column's width.
            row = match &mut self.columns[variable] {
                EncodedColumn::U8(codes) => push_known(block, tile, column, row, known, codes, |code| code as u8),
                EncodedColumn::U16(codes) => push_known(block, tile, column, row, known, codes, |code| code as u16),
                EncodedColumn::U32(codes) => push_known(block, tile, column, row, known, codes, |code| code),
                _ => return,
            };
            if row < tile.n_rows() {
                let (start, end) = tile.span(row, column);
                let cell = &block.bytes[start..end];
                let code = match self.local[variable].cells.get(cell) {
                    Some(code) => Ok(code),
                    None => {
                        let mut scratch = std::mem::take(&mut self.scratch);
                        let code = self.state_code(variable, text_of(cell, &mut scratch));
                        if let Ok(code) = code {
                            self.local[variable].cells.alias(cell, code);
                        }
                        self.scratch = scratch;
                        code
                    }
                };
                self.push_state(variable, code, row, faults);
                row += 1;
            }
        }
    }

    fn push_numbers(&mut self, block: &Block, tile: &Tile, column: usize, variable: usize, faults: &mut Faults) {
        let missing = self.plan.variables[variable].kind.missing_numbers();
        for row in 0..tile.n_rows() {
            let (start, end) = tile.span(row, column);
            let cell = &block.bytes[start..end];
            let number = match fast_float2::parse::<f64, _>(cell) {
                Ok(number) if number.is_finite() && !missing.contains(&number) => number,
                _ => {
                    let mut scratch = std::mem::take(&mut self.scratch);
                    let number = self.number(variable, text_of(cell, &mut scratch), row, faults);
                    self.scratch = scratch;
                    number
                }
            };
            if let EncodedColumn::Numeric(numbers) = &mut self.columns[variable] {
                numbers.push(number);
            }
        }
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

    /// Looks up the words of a text; a missing one has none.
    fn push_text(&mut self, variable: usize, text: Option<&[u8]>) {
        let PlanKind::Text { tokenizer, known, grows, missing } = &self.plan.variables[variable].kind else { return };
        let EncodedColumn::Texts { ends, codes } = &mut self.columns[variable] else { return };
        let new = &mut self.local[variable].words;
        // No marker is that long.
        const LONG: usize = 64;
        let text = text.filter(|text| text.len() > LONG || missing.find(text).is_none());
        if self.plan.keep_texts {
            self.texts[variable].push(text.map(<[u8]>::to_vec));
        }
        if let Some(text) = text {
            let known: &Vocabulary = known;
            let n_known = known.len() as u32;
            // A word and what separates it are two bytes at least; most are six.
            codes.reserve(text.len() / 4);
            let legacy = match (n_known, grows) {
                // The usual first pass knows no word.
                (0, true) => tokenizer.each_to_look_up(text, |word| codes.push(new.intern(word))),
                (_, true) => {
                    tokenizer.each_to_look_up(text, |word| codes.push(known.get(word).unwrap_or_else(|| n_known + new.intern(word))))
                }
                (_, false) => tokenizer.each_to_look_up(text, |word| codes.push(known.get(word).unwrap_or(u32::MAX))),
            };
            self.report.n_not_utf8 += u64::from(legacy);
        }
        ends.push(codes.len() as u32);
    }

    /// Looks up the labels of a cell; `None` is missing.
    fn push_labels(&mut self, variable: usize, text: Option<&[u8]>, row: usize, faults: &mut Faults) {
        let PlanKind::Labels(plan) = &self.plan.variables[variable].kind else { return };
        let text = text.map(|text| {
            std::str::from_utf8(text).unwrap_or_else(|_| {
                faults.push(row, Some(variable), RowFault::NotUtf8(shorten(&String::from_utf8_lossy(text))));
                ""
            })
        });
        self.push_label_set(variable, row, faults, |take| text.is_none_or(|text| plan.each(text, take)));
    }

    /// Looks up the labels that `each` hands on, of a row; it tells whether they are missing instead.
    pub fn push_label_set(&mut self, variable: usize, row: usize, faults: &mut Faults, each: impl FnOnce(&mut dyn FnMut(&str)) -> bool) {
        let PlanKind::Labels(plan) = &self.plan.variables[variable].kind else { return };
        let EncodedColumn::Texts { ends, codes } = &mut self.columns[variable] else { return };
        let new = &mut self.local[variable].words;
        let start = codes.len();
        let mut fault = None;
        let missing = each(&mut |label| {
            let code = plan.known.get(label.as_bytes()).unwrap_or_else(|| match plan.new_labels {
                UnknownStates::Grow => plan.known.len() as u32 + new.intern(label.as_bytes()),
                UnknownStates::Missing => Texts::UNKNOWN,
                UnknownStates::Error => {
                    let known = plan.known.words().take(20).map(|word| String::from_utf8_lossy(word).into_owned()).collect();
                    fault.get_or_insert(RowFault::UnknownState { found: shorten(label), known });
                    Texts::UNKNOWN
                }
            });
            // A row has few labels.
            if !codes[start..].contains(&code) {
                codes.push(code);
            }
        });
        if missing {
            codes.push(Texts::MISSING);
        }
        if codes[start..].contains(&Texts::UNKNOWN) {
            self.unknown.push((variable, row));
        }
        ends.push(codes.len() as u32);
        if let Some(fault) = fault {
            faults.push(row, Some(variable), fault);
        }
    }

    /// How many states a variable has now.
    pub fn n_states(&self, variable: usize) -> usize {
        let PlanKind::Category { known, .. } = &self.plan.variables[variable].kind else { return 0 };
        known.len() + self.local[variable].names.len()
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

    /// The code of a state by its text, a new one if the plan lets states grow, or what is wrong with every row that has it.
    pub fn state_code(&mut self, variable: usize, text: &[u8]) -> Result<u32, RowFault> {
        let PlanKind::Category { known, new_states } = &self.plan.variables[variable].kind else { return Ok(Dictionary::MISSING) };
        let local = &mut self.local[variable];
        let cell = cell_of(text);
        if let Some(code) = known.get(&cell).or_else(|| local.cells.get(&cell)) {
            return Ok(code);
        }
        let name = std::str::from_utf8(text).map_err(|_| RowFault::NotUtf8(shorten(&String::from_utf8_lossy(text))))?;
        let code = match new_states {
            _ if is_nan(name) && are_numbers(known) => Dictionary::MISSING,
            UnknownStates::Grow => {
                local.names.push(name.to_string());
                (known.len() + local.names.len() - 1) as u32
            }
            // A number written otherwise, or another case, is the state it can only mean.
            _ => match (known.find_loosely(name), new_states) {
                (Some(code), _) => code,
                (None, UnknownStates::Error) => {
                    let known = known.names().iter().take(20).cloned().collect();
                    return Err(RowFault::UnknownState { found: shorten(name), known });
                }
                (None, _) => Dictionary::UNKNOWN,
            },
        };
        local.cells.alias(&cell, code);
        Ok(code)
    }

    fn number(&self, variable: usize, text: &[u8], row: usize, faults: &mut Faults) -> f64 {
        let PlanKind::Numeric { missing, missing_numbers, inferred, .. } = &self.plan.variables[variable].kind else { return f64::NAN };
        if missing.find(text).is_some() {
            return f64::NAN;
        }
        match fast_float2::parse::<f64, _>(text) {
            Ok(number) if missing_numbers.contains(&number) => f64::NAN,
            // A NaN is a missing value however it is written.
            Ok(number) if !number.is_infinite() => number,
            Ok(_) => {
                faults.push(row, Some(variable), RowFault::NotFinite(shorten(&String::from_utf8_lossy(text))));
                f64::NAN
            }
            // Who calls a column of dates numeric wants days; among numbers that were only inferred a date is a fault.
            Err(_) => match date_of(text).filter(|_| !inferred) {
                Some(Date::Days(days)) => days,
                _ => {
                    faults.push(row, Some(variable), RowFault::NotANumber(shorten(&String::from_utf8_lossy(text))));
                    f64::NAN
                }
            },
        }
    }

    /// Pushes what [`ChunkBuilder::state_code`] gave for a row.
    pub fn push_state(&mut self, variable: usize, code: Result<u32, RowFault>, row: usize, faults: &mut Faults) {
        let code = match code {
            Ok(Dictionary::UNKNOWN) => {
                self.unknown.push((variable, row));
                Dictionary::MISSING
            }
            Ok(code) => code,
            Err(fault) => {
                faults.push(row, Some(variable), fault);
                Dictionary::MISSING
            }
        };
        self.push_code(variable, code);
    }

    /// Pushes a code, widening the column if it has to.
    fn push_code(&mut self, variable: usize, code: u32) {
        let column = &mut self.columns[variable];
        if code != Dictionary::MISSING {
            if let EncodedColumn::U8(codes) = column
                && code >= u32::from(u8::MAX)
            {
                *column = EncodedColumn::U16(codes.iter().map(|c| if *c == u8::MAX { u16::MAX } else { u16::from(*c) }).collect());
            }
            if let EncodedColumn::U16(codes) = column
                && code >= u32::from(u16::MAX)
            {
                *column = EncodedColumn::U32(codes.iter().map(|c| if *c == u16::MAX { u32::MAX } else { u32::from(*c) }).collect());
            }
        }
        match column {
            EncodedColumn::U8(codes) => codes.push(code as u8),
            EncodedColumn::U16(codes) => codes.push(code as u16),
            EncodedColumn::U32(codes) => codes.push(code),
            _ => {}
        }
    }

    /// Accepts the rows pushed last, or refuses them: the first bad row is an error, or bad rows are taken out again.
    pub fn settle(&mut self, mut faults: Faults, line_of: impl Fn(usize) -> u64) -> Result<(), DataError> {
        self.check_weights(&mut faults);
        self.dropped.clear();
        if !faults.0.is_empty() {
            self.settle_faults(faults, line_of)?;
        }
        for (variable, row) in self.unknown.drain(..) {
            self.report.n_unknown[variable] += u64::from(self.dropped.binary_search(&row).is_err());
        }
        self.n_rows += self.n_pending - self.dropped.len();
        Ok(())
    }

    fn settle_faults(&mut self, mut faults: Faults, line_of: impl Fn(usize) -> u64) -> Result<(), DataError> {
        let (plan, file) = (self.plan, self.file);
        let place = |row: usize, variable: Option<usize>| Place {
            path: file.path.clone(),
            line: line_of(row),
            column: variable.map(|v| plan.variables[v].name.clone()),
        };
        faults.0.sort_by_key(|(row, variable, _)| (*row, *variable));
        let is_inferred = |v: usize| matches!(plan.variables[v].kind, PlanKind::Numeric { inferred: true, .. });
        let mut contradicted: HashSet<usize> = self.contradictions.iter().map(|c| c.variable).collect();
        faults.0.retain(|(row, variable, fault)| match (variable, fault) {
            (Some(variable), RowFault::NotANumber(found)) if is_inferred(*variable) => {
                if contradicted.insert(*variable) {
                    let place = place(*row, Some(*variable));
                    self.contradictions.push(Contradiction { place, found: found.clone(), variable: *variable });
                }
                false
            }
            _ => true,
        });
        let Some((row, variable, fault)) = faults.0.first() else { return Ok(()) };
        let first = DataError::BadRow { place: place(*row, *variable), fault: fault.clone() };
        if self.plan.on_bad_row == OnBadRow::Error {
            // The row may be good once the columns are read as what they are.
            let all = std::mem::take(&mut self.contradictions);
            return Err(if all.is_empty() { first } else { DataError::Contradiction(all) });
        }
        self.report.first_skipped.get_or_insert_with(|| first.to_string());
        self.drop_rows(&faults);
        Ok(())
    }

    fn check_weights(&self, faults: &mut Faults) {
        let weights = match self.plan.weight.map(|w| &self.columns[w]) {
            Some(EncodedColumn::Numeric(weights)) => &weights[..],
            Some(EncodedColumn::Borrowed(weights)) => &weights[..],
            _ => return,
        };
        for row in 0..self.n_pending {
            let weight = weights[self.n_rows + row];
            // A row that is faulty already keeps its first fault: those of one cell stay in order.
            if !(0.0..=belief::MAX_WEIGHT).contains(&weight) {
                let found = if weight.is_nan() { "missing".to_string() } else { weight.to_string() };
                faults.push(row, self.plan.weight, RowFault::BadWeight(found));
            }
        }
    }

    fn drop_rows(&mut self, faults: &Faults) {
        self.dropped = faults.0.iter().map(|(row, _, _)| *row).collect();
        self.dropped.dedup();
        self.report.n_skipped += self.dropped.len() as u64;
        fn keep<T: Copy>(values: &mut Vec<T>, from: usize, n_pending: usize, dropped: &[usize]) {
            debug_assert_eq!(values.len(), from + n_pending, "every column has every row");
            let mut dropped = dropped.iter().peekable();
            let mut to = from;
            for row in 0..n_pending {
                if dropped.next_if(|d| **d == row).is_none() {
                    values[to] = values[from + row];
                    to += 1;
                }
            }
            values.truncate(to);
        }
        for texts in self.texts.iter_mut().filter(|texts| !texts.is_empty()) {
            let mut row = 0;
            let mut is_kept = |_: &Option<Vec<u8>>| {
                row += 1;
                self.n_rows >= row || self.dropped.binary_search(&(row - 1 - self.n_rows)).is_err()
            };
            texts.retain(|text| is_kept(text));
        }
        for column in &mut self.columns {
            if let EncodedColumn::Borrowed(numbers) = column {
                *column = EncodedColumn::Numeric(numbers.to_vec());
            }
            match column {
                EncodedColumn::U8(codes) => keep(codes, self.n_rows, self.n_pending, &self.dropped),
                EncodedColumn::U16(codes) => keep(codes, self.n_rows, self.n_pending, &self.dropped),
                EncodedColumn::U32(codes) => keep(codes, self.n_rows, self.n_pending, &self.dropped),
                EncodedColumn::Numeric(numbers) => keep(numbers, self.n_rows, self.n_pending, &self.dropped),
                EncodedColumn::Texts { ends, codes } => keep_texts(ends, codes, self.n_rows, &self.dropped),
                EncodedColumn::Absent | EncodedColumn::Borrowed(_) => {}
            }
        }
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
        let mut report = std::mem::take(&mut self.report);
        report.n_rows = self.n_rows as u64;
        let mut columns = std::mem::take(&mut self.columns);
        made::make(self.plan, &mut columns, self.n_rows);
        let kinds = self.plan.variables.iter().map(|variable| &variable.kind);
        report.n_missing = kinds
            .zip(columns.iter().zip(&report.n_unknown))
            .map(|(kind, (column, unknown))| match (kind, column) {
                // A row with a label that is not known has labels.
                (PlanKind::Labels(_), EncodedColumn::Texts { codes, .. }) => codes.iter().filter(|c| **c == Texts::MISSING).count() as u64,
                _ => n_missing(column) - unknown,
            })
            .collect();
        let weights = self.plan.weight.and_then(|w| match &columns[w] {
            EncodedColumn::Numeric(weights) => Some(weights.clone()),
            EncodedColumn::Borrowed(weights) => Some(weights.to_vec()),
            _ => None,
        });
        let n_known = self.plan.variables.iter().map(|v| v.kind.n_known()).collect();
        let new_states = |local: &mut Local| match std::mem::take(&mut local.words) {
            words if words.len() > 0 => NewStates::Words(words),
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

/// Takes texts out again, of those from `from` on.
fn keep_texts(ends: &mut Vec<u32>, codes: &mut Vec<u32>, from: usize, dropped: &[usize]) {
    let old = ends.split_off(from);
    let mut start = ends.last().map_or(0, |end| *end as usize);
    let mut to = start;
    for (row, end) in old.into_iter().enumerate() {
        let end = end as usize;
        if dropped.binary_search(&row).is_err() {
            codes.copy_within(start..end, to);
            to += end - start;
            ends.push(to as u32);
        }
        start = end;
    }
    codes.truncate(to);
}

/// Pushes the codes of cells from `row` on, as long as they are known as they stand; returns the first row whose cell is not.
fn push_known<C: Copy + Default>(
    block: &Block,
    tile: &Tile,
    column: usize,
    mut row: usize,
    known: &Dictionary,
    codes: &mut Vec<C>,
    narrow: impl Fn(u32) -> C + Copy,
) -> usize {
    let before = codes.len() - row;
    codes.resize(before + tile.n_rows(), C::default());
    while row < tile.n_rows() {
        row += tile.machine().run(
            #[inline(always)]
            || tile.codes(block, column, row, known, &mut codes[before + row..], narrow),
        );
        if row == tile.n_rows() {
            break;
        }
        let (start, end) = tile.span(row, column);
        let Some(code) = known.get(&block.bytes[start..end]) else { break };
        codes[before + row] = narrow(code);
        row += 1;
    }
    codes.truncate(before + row);
    row
}

/// Among states that are all numbers a NaN is a missing value however it is written, as it is when the column is looked at.
fn are_numbers(known: &Dictionary) -> bool {
    known.len() > 0 && known.names().iter().all(|name| name.parse::<f64>().is_ok())
}

fn is_nan(text: &str) -> bool {
    text.parse::<f64>().is_ok_and(f64::is_nan)
}

fn n_missing(column: &EncodedColumn) -> u64 {
    let n = match column {
        EncodedColumn::Absent => 0,
        EncodedColumn::U8(codes) => memchr::memchr_iter(u8::MAX, codes).count(),
        EncodedColumn::U16(codes) => codes.iter().filter(|c| **c == u16::MAX).count(),
        EncodedColumn::U32(codes) => codes.iter().filter(|c| **c == u32::MAX).count(),
        EncodedColumn::Numeric(numbers) => numbers.iter().filter(|x| x.is_nan()).count(),
        EncodedColumn::Borrowed(_) | EncodedColumn::Texts { .. } => 0,
    };
    n as u64
}

/// A cell for a message.
pub(crate) fn shorten(text: &str) -> String {
    let mut short: String = text.chars().take(40).map(|c| if c.is_control() { ' ' } else { c }).collect();
    if text.chars().count() > 40 {
        short.push('…');
    }
    short
}
