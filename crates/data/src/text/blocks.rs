//! Cutting a stream of bytes into blocks of a fixed number of records.

use std::io::Read;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use super::csv::QUOTE;
use super::structure::Machine;
use crate::error::{Place, RowFault};
use crate::{DataError, input::Input, mailbox};

/// Zero bytes behind a block's records, so that words and vectors may be read past the last cell.
pub(crate) const PADDING: usize = 64;
/// A block is closed at this many bytes even if it has fewer records: long cells must not fill the memory.
const MOST_BYTES: usize = 32 << 20;
/// A single record of more bytes is a quote gone astray; places in a block are 32-bit numbers.
const LONGEST_RECORD: usize = 1 << 30;
/// Documents are told where they begin and end by whole numbers, and words are counted by 32-bit ones.
const LONGEST_DOCUMENT: usize = (1 << 32) - 1;
/// So much is read at a time; less at first, for who wants a few records should not wait for many.
const READ: usize = 256 << 10;
const FIRST_READ: usize = 16 << 10;

/// Whole records of one file.
pub(crate) struct Block {
    /// The records, each with its line end, and at least [`PADDING`] behind them.
    pub bytes: Vec<u8>,
    /// How many of the bytes are records.
    pub len: usize,
    /// The number of the first record, from 0, over all files of the table.
    pub first_row: u64,
    /// The line on which the first record starts, from 1.
    pub first_line: u64,
}

/// Buffers that were used and can be used again: a fresh one costs a page fault for every 4 kB.
#[derive(Clone, Default)]
pub(crate) struct Pool(Arc<Mutex<Vec<Vec<u8>>>>);

impl Pool {
    /// An empty buffer.
    pub fn take(&self) -> Vec<u8> {
        let mut buffer = self.take_as_it_is();
        buffer.clear();
        buffer
    }

    /// A buffer with what was last in it, which is written over.
    pub fn take_as_it_is(&self) -> Vec<u8> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default()
    }

    /// A buffer that had to grow for one long record is not kept.
    pub fn give(&self, buffer: Vec<u8>) {
        if buffer.capacity() > 4 * MOST_BYTES {
            return;
        }
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(buffer);
    }
}

/// What a record of a file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Records {
    /// A line of CSV, or several where line ends stand inside quotes. An empty line is none.
    Csv {
        /// What separates its cells.
        delimiter: u8,
    },
    /// A line that holds something besides spaces and does not begin with the mark of a comment.
    Lines {
        /// The mark.
        comment: Option<u8>,
    },
    /// A line, also an empty one.
    EveryLine,
    /// A message of a mailbox, with the line before it.
    Messages,
}

impl Records {
    /// The most bytes a single record may have.
    fn longest(self) -> usize {
        match self {
            Records::Csv { .. } | Records::Lines { .. } => LONGEST_RECORD,
            Records::EveryLine | Records::Messages => LONGEST_DOCUMENT,
        }
    }
}

/// Cuts one file into [`Block`]s.
pub(crate) struct Blocks {
    from: Box<dyn Read + Send>,
    path: PathBuf,
    live: bool,
    records: Records,
    per_block: usize,
    pool: Pool,
    carry: Vec<u8>,
    next_row: u64,
    next_line: u64,
    at_end: bool,
}

impl Blocks {
    /// Blocks of `per_block` records each.
    pub fn new(input: &Input, records: Records, per_block: usize, first_row: u64, pool: Pool) -> Result<Self, DataError> {
        let io = |source| DataError::Io { path: input.path.clone(), source };
        let mut blocks = Self {
            from: input.open().map_err(io)?,
            path: input.path.clone(),
            live: input.live,
            records,
            per_block: per_block.max(1),
            pool,
            carry: Vec::new(),
            next_row: first_row,
            next_line: 1,
            at_end: false,
        };
        // A byte order mark is not part of the first cell.
        let mut mark = [0_u8; 3];
        let n = crate::input::read_full(&mut blocks.from, &mut mark).map_err(io)?;
        if mark != *b"\xEF\xBB\xBF" {
            blocks.carry.extend_from_slice(&mark[..n]);
        }
        Ok(blocks)
    }

    /// Passes over the first record: the header, which is no row.
    pub fn pass_header(&mut self) -> Result<(), DataError> {
        let first_row = self.next_row;
        while self.next_row == first_row && self.take(1)?.is_some() {}
        self.next_row = first_row;
        Ok(())
    }

    /// Passes over a header of so many lines, which are so many bytes with the byte order mark.
    pub fn pass_lines(&mut self, n_lines: u64, n_bytes: u64) -> Result<(), DataError> {
        let behind_mark = n_bytes.saturating_sub(3);
        std::io::copy(&mut (&mut self.from).take(behind_mark), &mut std::io::sink())
            .map_err(|source| DataError::Io { path: self.path.clone(), source })?;
        self.carry.clear();
        self.next_line += n_lines;
        Ok(())
    }

    /// The number the next record will have.
    pub fn next_row(&self) -> u64 {
        self.next_row
    }

    /// The next records, at most as many as asked for at the start; of a live input those that are there, if there are some.
    pub fn next(&mut self) -> Result<Option<Block>, DataError> {
        self.take(self.per_block)
    }

    /// The next `want` records, or what is left of them.
    pub fn take(&mut self, want: usize) -> Result<Option<Block>, DataError> {
        let mut bytes = self.pool.take_as_it_is();
        // Of the buffer's bytes so many are the file's.
        let mut n_read = self.carry.len();
        bytes.resize(bytes.len().max(n_read + PADDING), 0);
        bytes[..n_read].copy_from_slice(&self.carry);
        self.carry.clear();
        let mut scan = Scan::new(self.records);
        let end = loop {
            if let Some(end) = scan.advance(&bytes[..n_read], want) {
                break end;
            }
            if (n_read >= MOST_BYTES || self.live && scan.n_records > 0) && scan.last_end > 0 {
                break scan.last_end;
            }
            if self.at_end {
                if n_read > 0 && bytes[n_read - 1] != b'\n' {
                    bytes[n_read] = b'\n';
                    n_read += 1;
                    bytes.resize(bytes.len().max(n_read + PADDING), 0);
                    continue;
                }
                if let Some(open) = scan.open_at {
                    return Err(self.bad_record(&bytes[..open], RowFault::OpenQuote));
                }
                scan.ends(&bytes[..n_read]);
                break n_read;
            }
            if n_read >= self.records.longest() {
                let too_long = RowFault::Syntax(format!("a record of more than {} bytes", self.records.longest()));
                return Err(self.bad_record(&[], scan.open_at.map_or(too_long, |_| RowFault::OpenQuote)));
            }
            let wanted = n_read.clamp(FIRST_READ, READ);
            bytes.resize(bytes.len().max(n_read + wanted + PADDING), 0);
            match self.from.read(&mut bytes[n_read..n_read + wanted]) {
                Ok(n) => {
                    n_read += n;
                    self.at_end = n == 0;
                }
                Err(e) if e.kind() == std::io::ErrorKind::Interrupted => {}
                Err(source) => return Err(DataError::Io { path: self.path.clone(), source }),
            }
        };
        if end == 0 {
            self.pool.give(bytes);
            return Ok(None);
        }
        self.carry.extend_from_slice(&bytes[end..n_read]);
        bytes[end..end + PADDING].fill(0);
        let n_lines = if scan.is_plain { scan.n_records as u64 } else { count(&bytes[..end], b'\n') };
        let block = Block { bytes, len: end, first_row: self.next_row, first_line: self.next_line };
        self.next_row += scan.n_records as u64;
        self.next_line += n_lines;
        Ok(Some(block))
    }

    fn bad_record(&self, before: &[u8], fault: RowFault) -> DataError {
        let place = Place { path: self.path.clone(), line: self.next_line + count(before, b'\n'), column: None };
        DataError::BadRow { place, fault }
    }
}

fn count(bytes: &[u8], byte: u8) -> u64 {
    memchr::memchr_iter(byte, bytes).count() as u64
}

/// Where records end, found incrementally as bytes arrive.
struct Scan {
    records: Records,
    /// Everything before this has been looked at.
    at: usize,
    n_records: usize,
    /// Where the last of the lines that were found so far ends.
    last_end: usize,
    /// Where the quote that is open now was opened.
    open_at: Option<usize>,
    /// Whether a cell starts at `at`.
    fresh: bool,
    /// Whether every line so far was a record.
    is_plain: bool,
    machine: Machine,
}

/// Bytes that are looked at before it is said whether every line of them is a record.
const PIECE: usize = 64 << 10;

impl Scan {
    fn new(records: Records) -> Self {
        let is_plain = matches!(records, Records::Csv { .. });
        Self { records, at: 0, n_records: 0, last_end: 0, open_at: None, fresh: true, is_plain, machine: Machine::this() }
    }

    /// Looks at the new bytes; the end of the `want`th record once it is there.
    fn advance(&mut self, bytes: &[u8], want: usize) -> Option<usize> {
        match self.records {
            Records::Lines { comment } => {
                self.advance_lines(bytes, want, |line| line.trim_ascii_start().first().is_some_and(|first| Some(*first) != comment))
            }
            Records::EveryLine => self.advance_lines(bytes, want, |_| true),
            Records::Messages => self.advance_messages(bytes, want),
            Records::Csv { delimiter } => self.advance_plain(bytes, want, delimiter).or_else(|| self.advance_csv(bytes, want, delimiter)),
        }
    }

    /// Goes on as long as every line end ends a record: there are no quotes and no empty lines.
    fn advance_plain(&mut self, bytes: &[u8], want: usize, delimiter: u8) -> Option<usize> {
        while self.at < bytes.len() && self.open_at.is_none() {
            let until = bytes.len().min(self.at + PIECE);
            let (piece, machine) = (&bytes[self.at..until], self.machine);
            let here = machine.run(
                #[inline(always)]
                || machine.plain_lines(bytes, self.at..until),
            )?;
            if self.n_records + here >= want {
                let end = memchr::memchr_iter(b'\n', piece).nth(want - self.n_records - 1)?;
                self.n_records = want;
                return Some(self.at + end + 1);
            }
            self.n_records += here;
            self.last_end = memchr::memrchr(b'\n', piece).map_or(self.last_end, |last| self.at + last + 1);
            self.at = until;
            self.fresh = piece.last().is_some_and(|b| *b == b'\n' || *b == delimiter);
        }
        None
    }

    /// A quote opens a quoted cell only where a cell starts, as the encoder understands it too.
    fn advance_csv(&mut self, bytes: &[u8], want: usize, delimiter: u8) -> Option<usize> {
        self.is_plain &= self.at == bytes.len();
        loop {
            if self.open_at.is_some() {
                let Some(close) = memchr::memchr(QUOTE, &bytes[self.at..]).map(|i| self.at + i) else {
                    self.at = bytes.len();
                    return None;
                };
                match bytes.get(close + 1) {
                    // The quote may be the first half of a doubled one: wait for the next byte.
                    None => {
                        self.at = close;
                        return None;
                    }
                    Some(&QUOTE) => self.at = close + 2,
                    Some(_) => {
                        self.open_at = None;
                        self.fresh = false;
                        self.at = close + 1;
                    }
                }
                continue;
            }
            let Some(found) = memchr::memchr3(QUOTE, b'\n', delimiter, &bytes[self.at..]) else {
                self.fresh &= self.at == bytes.len();
                self.at = bytes.len();
                return None;
            };
            let at = self.at + found;
            let starts_a_cell = found == 0 && self.fresh;
            self.at = at + 1;
            match bytes[at] {
                b'\n' => {
                    self.fresh = true;
                    let is_record = !matches!(bytes[self.last_end..at], [] | [b'\r']);
                    if self.line_ends(at, is_record, want) {
                        return Some(at + 1);
                    }
                }
                QUOTE => {
                    if starts_a_cell {
                        self.open_at = Some(at);
                    }
                    self.fresh = false;
                }
                _ => self.fresh = true,
            }
        }
    }

    fn advance_lines(&mut self, bytes: &[u8], want: usize, is_record: impl Fn(&[u8]) -> bool) -> Option<usize> {
        while let Some(found) = memchr::memchr(b'\n', &bytes[self.at..]) {
            let at = self.at + found;
            self.at = at + 1;
            let is_record = is_record(&bytes[self.last_end..at]);
            if self.line_ends(at, is_record, want) {
                return Some(at + 1);
            }
        }
        self.at = bytes.len();
        None
    }

    /// A message ends where the next begins.
    fn advance_messages(&mut self, bytes: &[u8], want: usize) -> Option<usize> {
        while let Some(start) = mailbox::next_message(bytes, self.at) {
            self.at = start;
            if !bytes[self.last_end..start].trim_ascii().is_empty() && self.line_ends(start - 1, true, want) {
                return Some(start);
            }
        }
        // The last line may not be whole yet, nor the line end before it be behind what was looked at. One that is too long to stand before a
        // message need not be looked at again.
        let until = bytes.len().saturating_sub(1).max(self.at);
        let last = memchr::memrchr(b'\n', &bytes[self.at..until]).map_or(self.at, |end| self.at + end);
        self.at = if until - last > mailbox::LONGEST_LINE { until } else { last };
        None
    }

    /// Notes that there are no more bytes: the last message ends with them.
    fn ends(&mut self, bytes: &[u8]) {
        let is_open = self.records == Records::Messages && !bytes[self.last_end..].trim_ascii().is_empty();
        self.n_records += usize::from(is_open);
    }

    /// Notes that a line ends here; whether that was the last record wanted.
    fn line_ends(&mut self, at: usize, is_record: bool, want: usize) -> bool {
        self.last_end = at + 1;
        self.n_records += usize::from(is_record);
        self.n_records == want
    }
}
