//! Separated values as RFC 4180 describes them, and as programs really write them.
//!
//! A block is read in tiles of some hundred records: first every cell's end is found, 64 bytes at a time, then each column of the
//! tile is encoded in a loop of its own, while its bytes are still in cache. Own code rather than a CSV crate, because cells
//! go from the file's bytes to a state's code without being copied or even looked at byte by byte.

use std::borrow::Cow;

use wide::u8x16;

use super::blocks::{Block, Blocks, Pool, Records};
use crate::encode::{ChunkBuilder, EncodedChunk, Faults};
use crate::error::RowFault;
use crate::{DataError, Header, ReadOptions, input::Input};

/// How a CSV file is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Dialect {
    pub delimiter: u8,
    pub header: bool,
    /// Whether a line such as `sep=;`, which is no record, comes before everything else.
    pub names_delimiter: bool,
}

pub(crate) const QUOTE: u8 = b'"';

/// Records looked at together; a tile of usual rows fits the second-level cache.
const TILE: usize = 256;

/// The cells of a tile, by where they end.
#[derive(Default)]
pub(crate) struct Tile {
    n_columns: usize,
    /// Where each record starts.
    starts: Vec<u32>,
    /// Where each cell ends, record by record.
    ends: Vec<u32>,
    /// Records of this tile that are malformed, by their place in it; their cells are empty.
    faults: Vec<(usize, RowFault)>,
}

impl Tile {
    pub fn n_rows(&self) -> usize {
        self.starts.len()
    }

    /// Records of this tile that are not malformed.
    pub fn good_rows(&self) -> Vec<usize> {
        let mut faulty = self.faults.iter().map(|(row, _)| *row).peekable();
        (0..self.n_rows()).filter(|row| faulty.next_if_eq(row).is_none()).collect()
    }

    /// Where a cell lies.
    #[inline]
    pub fn span(&self, row: usize, column: usize) -> (usize, usize) {
        let end = row * self.n_columns + column;
        let start = if column == 0 { self.starts[row] } else { self.ends[end - 1] + 1 };
        // A malformed record has empty cells whose ends are all equal.
        (start.min(self.ends[end]) as usize, self.ends[end] as usize)
    }

    /// Where the cells of a column lie, from a row on.
    #[inline]
    pub fn column(&self, column: usize, from: usize) -> impl Iterator<Item = (usize, usize)> + '_ {
        let records = self.ends[from * self.n_columns..self.n_rows() * self.n_columns].chunks_exact(self.n_columns);
        records.zip(&self.starts[from..]).map(move |(ends, record)| {
            let end = ends[column];
            let start = if column == 0 { *record } else { ends[column - 1] + 1 };
            // A malformed record has empty cells whose ends are all equal.
            (start.min(end) as usize, end as usize)
        })
    }

    /// Where a record lies, without its line end.
    pub fn record(&self, row: usize) -> (usize, usize) {
        (self.starts[row] as usize, self.ends[(row + 1) * self.n_columns - 1] as usize)
    }

    /// Finds the cells of up to `most` records from `from`; returns where the next record starts.
    pub fn index(&mut self, block: &Block, from: usize, most: usize, n_columns: usize, delimiter: u8) -> usize {
        self.n_columns = n_columns;
        self.starts.clear();
        self.faults.clear();
        // Never shrunk and never cleared: every record of the tile fills its own cells.
        self.ends.resize(self.ends.len().max(most * n_columns), 0);
        let bytes = &block.bytes[..];
        let mut window = Window::at(bytes, from, delimiter);
        let (mut record, mut cell, mut column) = (from, from, 0_usize);
        let mut fault = None;
        let mut ends = 0..n_columns;
        while let Some(at) = window.next(bytes, block.len, delimiter) {
            let byte = bytes[at];
            if byte == delimiter {
                if column < n_columns {
                    self.ends[ends.start + column] = at as u32;
                }
                column += 1;
                cell = at + 1;
            } else if byte == b'\n' {
                let end = if at > cell && bytes[at - 1] == b'\r' { at - 1 } else { at };
                // An empty line is no record.
                if end > record || column > 0 || fault.is_some() {
                    column += 1;
                    if column != n_columns || fault.is_some() {
                        let ragged = RowFault::Ragged { expected: n_columns, found: column };
                        self.faults.push((self.starts.len(), fault.take().unwrap_or(ragged)));
                        self.ends[ends.clone()].fill(record as u32);
                    } else {
                        self.ends[ends.end - 1] = end as u32;
                    }
                    self.starts.push(record as u32);
                    ends = ends.end..ends.end + n_columns;
                }
                (record, cell, column) = (at + 1, at + 1, 0);
                if self.starts.len() == most {
                    break;
                }
            } else if at == cell {
                let after = closing_quote(&bytes[..block.len], at);
                // A quote that is never closed cannot be here: a block ends outside of quotes.
                let next = bytes[after];
                if next != delimiter && next != b'\n' && !(next == b'\r' && bytes[after + 1] == b'\n') {
                    fault = Some(RowFault::AfterQuote);
                }
                window = Window::at(bytes, after, delimiter);
            }
        }
        record
    }
}

/// The place behind the quote that closes the one at `open`.
fn closing_quote(bytes: &[u8], open: usize) -> usize {
    let mut at = open + 1;
    while let Some(found) = memchr::memchr(QUOTE, &bytes[at..]) {
        at += found + 1;
        if bytes.get(at) != Some(&QUOTE) {
            return at;
        }
        at += 1;
    }
    bytes.len()
}

/// The delimiters, line ends and quotes of 64 bytes, as bits.
struct Window {
    base: usize,
    bits: u64,
}

impl Window {
    /// The window that starts here.
    fn at(bytes: &[u8], from: usize, delimiter: u8) -> Self {
        Self { base: from, bits: structure(bytes, from, delimiter) }
    }

    /// The next byte of structure before `len`.
    #[inline]
    fn next(&mut self, bytes: &[u8], len: usize, delimiter: u8) -> Option<usize> {
        while self.bits == 0 {
            self.base += 64;
            if self.base >= len {
                return None;
            }
            self.bits = structure(bytes, self.base, delimiter);
        }
        let at = self.base + self.bits.trailing_zeros() as usize;
        self.bits &= self.bits - 1;
        (at < len).then_some(at)
    }
}

#[inline]
fn structure(bytes: &[u8], from: usize, delimiter: u8) -> u64 {
    let Some(window) = bytes.get(from..from + 64) else { return structure_by_byte(&bytes[from.min(bytes.len())..], delimiter) };
    let (delimiter, line_end, quote) = (u8x16::splat(delimiter), u8x16::splat(b'\n'), u8x16::splat(QUOTE));
    let mut bits = 0_u64;
    for (part, sixteen) in window.chunks_exact(16).enumerate() {
        let sixteen = u8x16::new(sixteen.try_into().unwrap_or_default());
        let found = sixteen.simd_eq(delimiter) | sixteen.simd_eq(line_end) | sixteen.simd_eq(quote);
        bits |= u64::from(found.to_bitmask()) << (16 * part);
    }
    bits
}

/// The same at the end of a block, where fewer than 64 bytes are left.
fn structure_by_byte(bytes: &[u8], delimiter: u8) -> u64 {
    let is_structure = |b: u8| b == delimiter || b == b'\n' || b == QUOTE;
    bytes.iter().take(64).enumerate().fold(0, |bits, (place, b)| bits | (u64::from(is_structure(*b)) << place))
}

/// Encodes a block.
pub(crate) fn encode(block: &Block, delimiter: u8, n_columns: usize, builder: &mut ChunkBuilder<'_>) -> Result<EncodedChunk, DataError> {
    let mut tile = Tile::default();
    let mut from = 0;
    while from < block.len {
        from = tile.index(block, from, TILE, n_columns, delimiter);
        if tile.n_rows() == 0 {
            break;
        }
        let mut faults = Faults::default();
        for (row, fault) in tile.faults.drain(..) {
            faults.push(row, None, fault);
        }
        builder.push_tile(block, &tile, &mut faults);
        builder.settle(faults, |row| block.first_line + memchr::memchr_iter(b'\n', &block.bytes[..tile.record(row).0]).count() as u64)?;
        builder.keep_records(&tile);
    }
    builder.finish(block.first_row)
}

/// A cell's text: without its quotes, or without the spaces around it.
pub(crate) fn text_of<'c>(cell: &'c [u8], scratch: &'c mut Vec<u8>) -> &'c [u8] {
    match cell {
        [QUOTE, inner @ .., QUOTE] => {
            if memchr::memchr(QUOTE, inner).is_none() {
                return inner;
            }
            scratch.clear();
            let mut bytes = inner.iter();
            while let Some(&byte) = bytes.next() {
                scratch.push(byte);
                if byte == QUOTE {
                    bytes.next();
                }
            }
            scratch
        }
        _ => cell.trim_ascii(),
    }
}

/// A cell that holds this text: the text itself, or in quotes where it would lose something without them.
pub(crate) fn cell_of(text: &[u8]) -> Cow<'_, [u8]> {
    if text.first() != Some(&QUOTE) && text.trim_ascii().len() == text.len() {
        return text.into();
    }
    let mut cell = vec![QUOTE];
    for &byte in text {
        cell.extend(std::iter::repeat_n(byte, 1 + usize::from(byte == QUOTE)));
    }
    cell.push(QUOTE);
    cell.into()
}

/// The names of the columns, and how the file is written.
pub(crate) fn sniff(input: &Input, tab: bool, options: &ReadOptions) -> Result<(Dialect, Vec<String>), DataError> {
    let delimiter = options.delimiter;
    let bad = |what: &str, hint: Option<String>| DataError::BadFile { path: input.path.clone(), what: what.into(), hint };
    if let Some(odd) = delimiter.filter(|d| matches!(d, b'"' | b'\r' | b'\n')) {
        let what = format!("`{}` cannot be the delimiter", odd.escape_ascii());
        return Err(DataError::Columns { what, hint: Some("cells are separated by a comma, a tab, a semicolon or the like".into()) });
    }
    let start = start_of(input)?;
    if ends_lines_with_returns(&start) {
        let hint = "convert it: tr '\\r' '\\n' < OLD > NEW".into();
        return Err(bad("its lines end with a carriage return alone, as on old Macs", Some(hint)));
    }
    let named = named_delimiter(&start);
    let names_delimiter = named.is_some();
    let delimiter = delimiter.or(named);
    let pool = Pool::default();
    let guess = |delimiter: u8| {
        let mut blocks = Blocks::new(input, Records::Csv { delimiter }, 64, 0, pool.clone())?;
        if names_delimiter {
            blocks.pass_header()?;
        }
        Ok(blocks.next()?.map(|block| records_of(&block, delimiter, 64)))
    };
    let candidates: Vec<u8> = match delimiter {
        Some(given) => vec![given],
        None if tab => vec![b'\t'],
        None => vec![b',', b'\t', b';', b'|'],
    };
    // The delimiter that cuts the first records into equally many cells, and into the most; a comma where none does.
    let mut best: Option<(bool, usize, u8, Vec<Vec<String>>)> = None;
    let mut fault = None;
    for &candidate in &candidates {
        let records = match guess(candidate) {
            Ok(Some(found)) => found,
            Ok(None) => return Err(bad("is empty", Some("a table needs at least a header and a row".into()))),
            // What opens a quote for one delimiter may stand in the middle of a cell for another.
            Err(error) => {
                fault.get_or_insert(error);
                continue;
            }
        };
        let cells = records.first().map_or(0, Vec::len);
        let even = cells > 1 && records.iter().all(|record| record.len() == cells);
        if best.as_ref().is_none_or(|(e, c, _, _)| (even, cells) > (*e, *c) && (even || !e)) {
            best = Some((even, cells, candidate, records));
        }
    }
    if let Some(fault) = fault.filter(|_| !best.as_ref().is_some_and(|(even, ..)| *even)) {
        return Err(fault);
    }
    let Some((_, _, delimiter, records)) = best else { return Err(bad("is empty", None)) };
    let Some(first) = records.first() else {
        return Err(bad("holds only empty lines", None));
    };
    let has_header = match options.header {
        Header::Present => true,
        Header::Absent => false,
        Header::Auto => !is_row_of_numbers(first, &options.missing_markers()),
    };
    if !has_header {
        return Ok((Dialect { delimiter, header: false, names_delimiter }, (1..=first.len()).map(|i| format!("c{i}")).collect()));
    }
    if first.iter().any(|name| name.contains('\u{FFFD}')) {
        return Err(bad("its header is not UTF-8 text", Some("convert it: iconv -f WINDOWS-1252 -t UTF-8".into())));
    }
    let names: Vec<String> = first.iter().enumerate().map(|(i, n)| if n.is_empty() { format!("c{}", i + 1) } else { n.clone() }).collect();
    Ok((Dialect { delimiter, header: true, names_delimiter }, names))
}

/// The first bytes of a file, without a byte order mark.
fn start_of(input: &Input) -> Result<Vec<u8>, DataError> {
    const ENOUGH: usize = 64 << 10;
    let io = |source| DataError::Io { path: input.path.clone(), source };
    let mut start = vec![0; ENOUGH];
    let n = crate::input::read_full(&mut input.open().map_err(io)?, &mut start).map_err(io)?;
    start.truncate(n);
    if start.starts_with(b"\xEF\xBB\xBF") {
        start.drain(..3);
    }
    Ok(start)
}

fn ends_lines_with_returns(start: &[u8]) -> bool {
    !start.contains(&b'\n') && start.trim_ascii_end().contains(&b'\r')
}

/// What the line `sep=;` says, which Excel understands and some programs write for it.
fn named_delimiter(start: &[u8]) -> Option<u8> {
    let line = start.split(|b| *b == b'\n').next()?;
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    match line.strip_prefix(b"\"").and_then(|line| line.strip_suffix(b"\"")).unwrap_or(line) {
        [s, e, p, b'=', delimiter] if [*s, *e, *p].eq_ignore_ascii_case(b"sep") && !matches!(delimiter, b'"' | b'\r') => Some(*delimiter),
        _ => None,
    }
}

/// Whether a first record is data rather than names: it has numbers, and besides them only missing values.
fn is_row_of_numbers(cells: &[String], missing: &[String]) -> bool {
    let is_missing = |cell: &String| missing.contains(cell);
    let is_number = |cell: &String| cell.parse::<f64>().is_ok();
    // pandas names the columns of an array 0, 1, 2, … behind the empty name of its row numbers.
    let counts_up = cells[0].is_empty() && cells[1..].iter().enumerate().all(|(place, cell)| *cell == place.to_string());
    !counts_up && cells.iter().all(|c| is_missing(c) || is_number(c)) && cells.iter().any(|c| is_number(c) && !is_missing(c))
}

/// The texts of one record's cells.
pub(crate) fn cells_of(record: &[u8], delimiter: u8) -> Vec<Vec<u8>> {
    first_record(record, delimiter).0
}

/// The texts of the cells of the record that starts here, and where it ends, without its line end and with it.
fn first_record(bytes: &[u8], delimiter: u8) -> (Vec<Vec<u8>>, usize, usize) {
    let (mut cells, mut scratch, mut cell) = (Vec::new(), Vec::new(), 0);
    loop {
        let from = if bytes.get(cell) == Some(&QUOTE) { closing_quote(bytes, cell) } else { cell };
        let at = from + memchr::memchr2(delimiter, b'\n', &bytes[from..]).unwrap_or(bytes.len() - from);
        let ends_line = bytes.get(at) == Some(&b'\n');
        let end = if ends_line && at > cell && bytes[at - 1] == b'\r' { at - 1 } else { at };
        cells.push(text_of(&bytes[cell..end], &mut scratch).to_vec());
        cell = at + 1;
        if ends_line || at >= bytes.len() {
            return (cells, end, cell);
        }
    }
}

/// The cells of the first records, whatever their number; for looking at a file before its columns are known.
fn records_of(block: &Block, delimiter: u8, most: usize) -> Vec<Vec<String>> {
    let mut records = Vec::new();
    let mut rest = &block.bytes[..block.len];
    while !rest.is_empty() && records.len() < most {
        let (cells, end, next) = first_record(rest, delimiter);
        // An empty line is no record.
        if end > 0 {
            records.push(cells.iter().map(|cell| String::from_utf8_lossy(cell).into_owned()).collect());
        }
        rest = rest.get(next..).unwrap_or_default();
    }
    records
}
