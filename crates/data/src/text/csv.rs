//! Separated values as RFC 4180 describes them, and as programs really write them.
//!
//! A block is read in tiles of some hundred records: first every cell's end is found ([`super::tile`]), then each column of the
//! tile is encoded in a loop of its own, while its bytes are still in cache. Own code rather than a CSV crate, because cells
//! go from the file's bytes to a state's code without being copied or even looked at byte by byte.

use std::borrow::Cow;
use std::io::{BufRead, BufReader, Read};

use super::blocks::{Block, Blocks, Pool, Records};
use super::header::FirstRecord;
use super::tile::Tile;
use crate::encode::{ChunkBuilder, EncodedChunk, Faults};
use crate::{DataError, Header, ReadOptions, input::Input};

/// How a CSV file is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Dialect {
    pub delimiter: u8,
    pub header: bool,
    /// What the first record was taken for.
    pub guess: FirstRecord,
    /// Whether a line such as `sep=;`, which is no record, comes before everything else.
    pub names_delimiter: bool,
}

pub(crate) const QUOTE: u8 = b'"';

/// The place behind the quote that closes the one at `open`.
pub(super) fn closing_quote(bytes: &[u8], open: usize) -> usize {
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

/// Encodes a block.
pub(crate) fn encode(block: &Block, delimiter: u8, n_columns: usize, builder: &mut ChunkBuilder<'_>) -> Result<EncodedChunk, DataError> {
    let mut tile = Tile::new(n_columns, delimiter);
    let mut from = 0;
    while from < block.len {
        from = tile.index(block, from);
        if tile.n_rows() == 0 {
            break;
        }
        let mut faults = Faults::default();
        for (row, fault) in tile.take_faults() {
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

/// Whether the cell of a text is the text itself.
#[inline]
pub(crate) fn is_own_cell(text: &[u8]) -> bool {
    let (Some(first), Some(last)) = (text.first(), text.last()) else { return true };
    *first != QUOTE && !first.is_ascii_whitespace() && !last.is_ascii_whitespace()
}

/// A cell that holds this text: the text itself, or in quotes where it would lose something without them.
pub(crate) fn cell_of(text: &[u8]) -> Cow<'_, [u8]> {
    if is_own_cell(text) {
        return text.into();
    }
    let mut cell = vec![QUOTE];
    for &byte in text {
        cell.extend(std::iter::repeat_n(byte, 1 + usize::from(byte == QUOTE)));
    }
    cell.push(QUOTE);
    cell.into()
}

/// What a column without a name is called, counted from one.
pub(crate) fn nameless(number: usize) -> String {
    format!("c{number}")
}

/// The names of the columns, and how the file is written. `are_names` tells whether a first record that is like the rows below has the names of
/// columns that are asked for.
pub(crate) fn sniff(
    input: &Input,
    tab: bool,
    options: &ReadOptions,
    are_names: &dyn Fn(&[String]) -> bool,
) -> Result<(Dialect, Vec<String>), DataError> {
    let delimiter = options.delimiter;
    let bad = |what: &str, hint: Option<String>| DataError::BadFile { path: input.path.clone(), what: what.into(), hint };
    if let Some(odd) = delimiter.filter(|d| matches!(d, b'"' | b'\r' | b'\n')) {
        let what = format!("`{}` cannot be the delimiter", odd.escape_ascii());
        return Err(DataError::Columns { what, hint: Some("cells are separated by a comma, a tab, a semicolon or the like".into()) });
    }
    let start = first_line(input)?;
    if ends_lines_with_returns(&start) {
        let hint = "convert it: tr '\\r' '\\n' < OLD > NEW".into();
        return Err(bad("its lines end with a carriage return alone, as on old Macs", Some(hint)));
    }
    let named = named_delimiter(&start);
    let names_delimiter = named.is_some();
    let delimiter = delimiter.or(named);
    let pool = Pool::default();
    // Where both delimiter and header are known, or rows are few in coming, the first record says everything.
    let is_known = delimiter.is_some() && options.header != Header::Auto;
    let n_looked_at = if is_known || input.live { 1 } else { 64 };
    let guess = |delimiter: u8| {
        let mut blocks = Blocks::new(input, Records::Csv { delimiter }, n_looked_at, 0, pool.clone())?;
        if names_delimiter {
            blocks.pass_header()?;
        }
        Ok(blocks.next()?.map(|block| records_of(&block, delimiter, n_looked_at)))
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
    let guess = match options.header {
        Header::Auto => match FirstRecord::guess(&records, &options.missing_markers()) {
            FirstRecord::Row if are_names(first) => FirstRecord::Plain,
            guess => guess,
        },
        Header::Present | Header::Absent => FirstRecord::Plain,
    };
    let header = options.header != Header::Absent && guess != FirstRecord::Row;
    let dialect = Dialect { delimiter, header, guess, names_delimiter };
    if !header {
        return Ok((dialect, (1..=first.len()).map(nameless).collect()));
    }
    if first.iter().any(|name| name.contains('\u{FFFD}')) {
        return Err(bad("its header is not UTF-8 text", Some("convert it: iconv -f WINDOWS-1252 -t UTF-8".into())));
    }
    let names: Vec<String> = first.iter().zip(1..).map(|(name, n)| if name.is_empty() { nameless(n) } else { name.clone() }).collect();
    Ok((dialect, names))
}

/// The first line of a file, or as much of it as may be one, without a byte order mark.
fn first_line(input: &Input) -> Result<Vec<u8>, DataError> {
    const ENOUGH: u64 = 64 << 10;
    let io = |source| DataError::Io { path: input.path.clone(), source };
    let mut start = Vec::new();
    BufReader::new(input.open().map_err(io)?).take(ENOUGH).read_until(b'\n', &mut start).map_err(io)?;
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
