//! Where the cells of some hundred records lie.
//!
//! Records without quotes that have as many cells as the table has columns are found 64 bytes at a time, by bits, without a look at
//! what a byte is; where that does not hold the records are gone through with care.

use super::blocks::Block;
use super::csv::closing_quote;
use super::structure::{Machine, WINDOW, window};
use crate::dictionary::Dictionary;
use crate::error::RowFault;
use crate::packed::Short;

/// Records looked at together, and cells: a tile of usual rows fits the second-level cache.
const MOST_ROWS: usize = 256;
const MOST_CELLS: usize = 1 << 14;
const FEWEST_ROWS: usize = 16;
/// Places that are written at a time, whether there are so many or not.
const ROUND: usize = 4;

/// The cells of a tile, by where they end.
pub(crate) struct Tile {
    n_columns: usize,
    delimiter: u8,
    machine: Machine,
    most_rows: usize,
    n_rows: usize,
    /// For each record the place before it and those its cells end at. Where a record begins behind the end of the one before, that is
    /// one place for both.
    places: Vec<u32>,
    /// From the places of one record to those of the next.
    stride: usize,
    /// How many bytes before its last place each record's last cell ends: the carriage return, where all have one.
    returns: u32,
    /// Records of this tile that are malformed, by their place in it; their cells are empty.
    faults: Vec<(usize, RowFault)>,
}

impl Tile {
    pub fn new(n_columns: usize, delimiter: u8) -> Self {
        let most_rows = (MOST_CELLS / n_columns.max(1)).clamp(FEWEST_ROWS, MOST_ROWS);
        // A window writes beyond the places of the tile.
        let places = vec![0; most_rows * (n_columns + 1) + WINDOW + 1];
        let machine = Machine::this();
        Self { n_columns, delimiter, machine, most_rows, n_rows: 0, places, stride: n_columns, returns: 0, faults: Vec::new() }
    }

    pub fn n_rows(&self) -> usize {
        self.n_rows
    }

    /// What loops over the cells may use.
    pub fn machine(&self) -> Machine {
        self.machine
    }

    /// Whether records of this tile are malformed.
    pub fn has_faults(&self) -> bool {
        !self.faults.is_empty()
    }

    /// Records of this tile that are not malformed.
    pub fn good_rows(&self) -> Vec<usize> {
        let mut faulty = self.faults.iter().map(|(row, _)| *row).peekable();
        (0..self.n_rows()).filter(|row| faulty.next_if_eq(row).is_none()).collect()
    }

    /// What is wrong with records, by their place in the tile.
    pub fn take_faults(&mut self) -> impl Iterator<Item = (usize, RowFault)> + '_ {
        self.faults.drain(..)
    }

    /// Where a cell lies.
    #[inline]
    pub fn span(&self, row: usize, column: usize) -> (usize, usize) {
        let at = row * self.stride + column;
        cell(self.places[at], self.places[at + 1] - self.returns_of(column))
    }

    /// The codes of a column's cells from a row on, into a slice that has a place for each, as long as the cells are short and at once
    /// found; tells how many were.
    #[inline(always)]
    pub fn codes<C>(
        &self,
        block: &Block,
        column: usize,
        from: usize,
        known: &Dictionary,
        codes: &mut [C],
        narrow: impl Fn(u32) -> C,
    ) -> usize {
        let (bytes, returns, known) = (&block.bytes[..], self.returns_of(column), known.short_cells());
        let places = &self.places[from * self.stride + column..];
        // Of 32 bits, so that the next place is known to lie behind it.
        let mut at = 0_u32;
        for (n_found, code) in codes.iter_mut().enumerate() {
            let end = places[at as usize + 1];
            let start = places[at as usize].wrapping_add(1);
            // Behind its first cell, which is empty, a malformed record has lengths that cannot be.
            let length = end.wrapping_sub(start).wrapping_sub(returns);
            if length > Short::MOST as u32 {
                return n_found;
            }
            let Some(found) = known.at_once(Short::within(bytes, start as usize, length)) else { return n_found };
            *code = narrow(found);
            at += self.stride as u32;
        }
        codes.len()
    }

    /// Where a record lies, without its line end.
    pub fn record(&self, row: usize) -> (usize, usize) {
        (self.span(row, 0).0, self.span(row, self.n_columns - 1).1)
    }

    /// How many bytes before their places the cells of a column end.
    fn returns_of(&self, column: usize) -> u32 {
        if column + 1 == self.n_columns { self.returns } else { 0 }
    }

    /// Finds the cells of the records from `from`, a tile of them at most; returns where the next record starts.
    pub fn index(&mut self, block: &Block, from: usize) -> usize {
        self.faults.clear();
        let machine = self.machine;
        machine.run(
            #[inline(always)]
            || self.index_plain(block, from).unwrap_or_else(|| self.index_with_care(block, from)),
        )
    }

    /// The same of records as most are: up to the first that has a quote; `None` if the first has, or any has another number of cells, or
    /// not all end in the same way.
    #[inline(always)]
    fn index_plain(&mut self, block: &Block, from: usize) -> Option<usize> {
        let (bytes, n_columns, machine, delimiter) = (&block.bytes[..], self.n_columns, self.machine, self.delimiter);
        let most = self.most_rows * n_columns;
        let places = &mut self.places[..];
        places[0] = (from as u32).wrapping_sub(1);
        let (mut n, mut n_lines, mut at) = (0, 0, from);
        // A line of a single column may be empty, and is then no record.
        if n_columns == 1 {
            return None;
        }
        while n < most && at < block.len {
            let mut found = machine.structure(window(bytes, at), delimiter);
            // What comes behind the first quote, or behind the block, is not looked at.
            let beyond = if at + WINDOW > block.len { 1 << (block.len - at) } else { 0 } | found.quotes;
            if beyond != 0 {
                let before = (beyond & beyond.wrapping_neg()) - 1;
                found.ends &= before;
                found.line_ends &= before;
            }
            let (mut ends, n_ends) = (found.ends, found.ends.count_ones() as usize);
            for round in places[n + 1..][..WINDOW].chunks_exact_mut(ROUND) {
                for place in round {
                    *place = at as u32 + ends.trailing_zeros();
                    ends &= ends.wrapping_sub(1);
                }
                if ends == 0 {
                    break;
                }
            }
            n += n_ends;
            n_lines += found.line_ends.count_ones() as usize;
            at += WINDOW;
            // Lines of too few cells: it would be long until there are enough, and for nothing.
            if n_lines * n_columns > n {
                return None;
            }
            if found.quotes != 0 {
                break;
            }
        }
        let n_rows = n.min(most) / n_columns;
        let last = places[n_rows * n_columns] as usize;
        // So many lines, and every last place is the end of one: no other place is.
        let is_line_end = |row: &usize| bytes[places[row * n_columns] as usize] == b'\n';
        let behind = places[n_rows * n_columns + 1..=n].iter().filter(|place| bytes[**place as usize] == b'\n').count();
        if n_rows == 0 || n_lines - behind != n_rows || !(1..=n_rows).all(|row| is_line_end(&row)) {
            return None;
        }
        // Before the last cell there is a delimiter at least.
        let ends_with_return = |row: &usize| bytes[places[row * n_columns] as usize - 1] == b'\r';
        let n_returns = (1..=n_rows).filter(ends_with_return).count();
        let returns = u32::from(n_returns > 0);
        if ![0, n_rows].contains(&n_returns) {
            return None;
        }
        (self.n_rows, self.stride, self.returns) = (n_rows, n_columns, returns);
        Some(last + 1)
    }

    /// The same of any records.
    #[inline(always)]
    fn index_with_care(&mut self, block: &Block, from: usize) -> usize {
        let (bytes, n_columns) = (&block.bytes[..], self.n_columns);
        (self.n_rows, self.stride, self.returns) = (0, n_columns + 1, 0);
        let mut window = Window::at(self.machine, bytes, from, self.delimiter);
        let (mut record, mut cell, mut column) = (from, from, 0_usize);
        let mut fault = None;
        let mut ends = 1..n_columns + 1;
        while let Some(at) = window.next(bytes, block.len, self.delimiter) {
            let byte = bytes[at];
            if byte == self.delimiter {
                if column < n_columns {
                    self.places[ends.start + column] = at as u32;
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
                        self.faults.push((self.n_rows, fault.take().unwrap_or(ragged)));
                        self.places[ends.clone()].fill(record as u32);
                    } else {
                        self.places[ends.end - 1] = end as u32;
                    }
                    self.places[ends.start - 1] = (record as u32).wrapping_sub(1);
                    self.n_rows += 1;
                    ends = ends.start + self.stride..ends.end + self.stride;
                }
                (record, cell, column) = (at + 1, at + 1, 0);
                if self.n_rows == self.most_rows {
                    break;
                }
            } else if at == cell {
                let after = closing_quote(&bytes[..block.len], at);
                // A quote that is never closed cannot be here: a block ends outside of quotes.
                let next = bytes[after];
                if next != self.delimiter && next != b'\n' && !(next == b'\r' && bytes[after + 1] == b'\n') {
                    fault = Some(RowFault::AfterQuote);
                }
                window = Window::at(self.machine, bytes, after, self.delimiter);
            }
        }
        record
    }
}

/// The cell between two places. A malformed record has empty cells whose ends are all equal.
#[inline(always)]
fn cell(before: u32, end: u32) -> (usize, usize) {
    (before.wrapping_add(1).min(end) as usize, end as usize)
}

/// The delimiters, line ends and quotes of 64 bytes, one after the other.
struct Window {
    machine: Machine,
    base: usize,
    bits: u64,
}

impl Window {
    /// The window that starts here.
    #[inline(always)]
    fn at(machine: Machine, bytes: &[u8], base: usize, delimiter: u8) -> Self {
        let found = machine.structure(window(bytes, base), delimiter);
        Self { machine, base, bits: found.ends | found.quotes }
    }

    /// The next byte of structure before `len`.
    #[inline(always)]
    fn next(&mut self, bytes: &[u8], len: usize, delimiter: u8) -> Option<usize> {
        while self.bits == 0 {
            if self.base + WINDOW >= len {
                return None;
            }
            *self = Self::at(self.machine, bytes, self.base + WINDOW, delimiter);
        }
        let at = self.base + self.bits.trailing_zeros() as usize;
        self.bits &= self.bits - 1;
        (at < len).then_some(at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::collection::vec;
    use proptest::prelude::*;

    fn block(records: &[u8]) -> Block {
        let bytes = [records, &[0; WINDOW]].concat();
        Block { bytes, len: records.len(), first_row: 0, first_line: 1 }
    }

    /// Where every record and its cells lie, with what is wrong with it.
    type Found = Vec<((usize, usize), Vec<(usize, usize)>, Option<String>)>;

    fn found(block: &Block, mut tile: Tile, index: impl Fn(&mut Tile, usize) -> usize) -> Found {
        let (mut found, mut from) = (Vec::new(), 0);
        while from < block.len {
            from = index(&mut tile, from);
            let mut faults: Vec<_> = tile.take_faults().collect();
            for row in 0..tile.n_rows() {
                let cells = (0..tile.n_columns).map(|column| tile.span(row, column)).collect();
                let fault = faults.iter().position(|(at, _)| *at == row).map(|at| format!("{:?}", faults.remove(at).1));
                found.push((tile.record(row), cells, fault));
            }
        }
        found
    }

    /// Rows of a few cells, most of them as they should be; each with its line end.
    fn records() -> impl Strategy<Value = (Vec<u8>, usize, u8)> {
        let cell = prop_oneof![
            300 => "[ab]{0,20}",
            1 => Just("\"\"".to_string()),
            1 => Just("\"a\nb\"".to_string()),
            1 => Just("\"a\"\"b\"c".to_string()),
            1 => Just("a\"".to_string()),
            1 => Just("a\rb\r".to_string()),
            1 => Just("\0".to_string()),
        ];
        let odd = |part: u32| prop_oneof![1000 => Just(0_usize), part => Just(1), part => Just(2)];
        let row = move |n: usize| (vec(cell.clone(), n + 2), odd(3), any::<bool>(), odd(1));
        (1..6_usize, proptest::sample::select(&b",;\t\0\xFF"[..]), prop_oneof![Just(Some("\n")), Just(Some("\r\n")), Just(None)])
            .prop_flat_map(move |(n, delimiter, end)| (Just((n, delimiter, end)), vec(row(n), 0..600)))
            .prop_map(|((n, delimiter, end), rows)| {
                let mut bytes = Vec::new();
                for (cells, ragged, returns, empty) in rows {
                    let n_cells = [n, n + 1, n - 1][ragged];
                    let cells = cells[..n_cells].iter().map(String::as_bytes).collect::<Vec<_>>();
                    bytes.extend(cells.join(&delimiter));
                    let end = end.unwrap_or(if returns { "\r\n" } else { "\n" });
                    (0..=empty).for_each(|_| bytes.extend_from_slice(end.as_bytes()));
                }
                (bytes, n, delimiter)
            })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]
        #[test]
        fn records_found_by_bits_are_those_found_with_care((bytes, n_columns, delimiter) in records()) {
            let block = block(&bytes);
            let with_care = found(&block, Tile::new(n_columns, delimiter), |tile, from| tile.index_with_care(&block, from));
            for machine in [Machine::Any, Machine::this()] {
                let tile = Tile { machine, ..Tile::new(n_columns, delimiter) };
                prop_assert_eq!(&found(&block, tile, |tile, from| tile.index(&block, from)), &with_care);
            }
        }

        #[test]
        fn codes_are_those_of_the_cells((bytes, n_columns, delimiter) in records(), known in vec("[ab]{0,8}", 0..40)) {
            let block = block(&bytes);
            let mut dictionary = Dictionary::new(&[String::new()]);
            known.iter().for_each(|name| { dictionary.intern_name(name); });
            dictionary.settle();
            let (mut tile, mut from) = (Tile::new(n_columns, delimiter), 0);
            while from < block.len {
                from = tile.index(&block, from);
                for (column, row) in (0..n_columns).flat_map(|column| [(column, 0), (column, tile.n_rows() / 2)]) {
                    let mut codes = vec![7; tile.n_rows() - row];
                    let n = tile.codes(&block, column, row, &dictionary, &mut codes, |code| code);
                    for (nth, code) in codes[..n].iter().enumerate() {
                        let (start, end) = tile.span(row + nth, column);
                        prop_assert_eq!(dictionary.get(&block.bytes[start..end]), Some(*code));
                    }
                    if row + n < tile.n_rows() {
                        let (start, end) = tile.span(row + n, column);
                        let is_malformed = !tile.good_rows().contains(&(row + n));
                        prop_assert!(end - start > Short::MOST || is_malformed || dictionary.get(&block.bytes[start..end]).is_none());
                    }
                }
            }
        }
    }
}
