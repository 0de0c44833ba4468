//! Counting by bits: how many ones two rows of bits have in common, for all pairs of many.
//!
//! A plane is 64 rows a word, with a one where a row has a state. Tiles of four planes by four are taken from memory once and counted
//! sixteen times ([`super::popcount`]).

use std::ops::Range;

use super::popcount::{Four, LANES, Machine, TILE};

/// Rows of which planes are made at once.
pub(super) const BLOCK_ROWS: usize = 1 << 16;

/// Vectors of a plane that are counted at once: 4 KiB, so that two tiles stay in the first-level cache.
const STRETCH: usize = 64;

/// Rows of bits, one after another, all of one length, and as many zero rows as fill the last tile.
#[derive(Clone, Debug, Default)]
pub(super) struct BitPlanes {
    words: Vec<u64>,
    /// Of a plane: a multiple of the lanes of a vector.
    n_words: usize,
    n_planes: usize,
}

impl BitPlanes {
    /// Room for planes of so many rows; what was there is gone.
    pub(super) fn reset(&mut self, n_rows: usize) {
        self.words.clear();
        self.n_words = n_rows.div_ceil(64).next_multiple_of(LANES);
        self.n_planes = 0;
    }

    /// How many planes there are.
    pub(super) fn len(&self) -> usize {
        self.n_planes
    }

    /// A plane of the rows whose code is this one.
    pub(super) fn push_state(&mut self, codes: &[u8], state: u8) {
        let (words, rest) = codes.as_chunks::<64>();
        self.words.extend(words.iter().map(|rows| word_of(rows, state)));
        if !rest.is_empty() {
            let mut rows = [!state; 64];
            rows[..rest.len()].copy_from_slice(rest);
            self.words.push(word_of(&rows, state));
        }
        self.n_planes += 1;
        self.words.resize(self.n_planes * self.n_words, 0);
    }

    /// A plane of the rows whose code is not this one.
    pub(super) fn push_others(&mut self, codes: &[u8], state: u8) {
        self.push_state(codes, state);
        let start = (self.n_planes - 1) * self.n_words;
        for (place, word) in self.words[start..].iter_mut().enumerate() {
            // The bits that are rows.
            let rows = match codes.len().saturating_sub(64 * place) {
                n @ 0..64 => (1 << n) - 1,
                _ => u64::MAX,
            };
            *word = !*word & rows;
        }
    }

    /// Zero planes to the next whole tile. To be called after the last plane was pushed.
    pub(super) fn fill_tile(&mut self) {
        self.words.resize(self.n_planes.next_multiple_of(TILE) * self.n_words, 0);
    }

    /// How many ones each plane has.
    pub(super) fn ones(&self) -> Vec<u32> {
        (0..self.n_planes).map(|plane| self.plane(plane).as_flattened().iter().map(|word| word.count_ones()).sum()).collect()
    }

    /// The ones that planes `rows` have in common with planes `columns`, at the places that the answer tells. Tiles are counted as a whole,
    /// so neighbours of either range may be there too.
    pub(super) fn in_common(&self, rows: Range<usize>, columns: Range<usize>, out: &mut Vec<u32>) -> Product {
        let whole = |planes: Range<usize>| planes.start / TILE * TILE..planes.end.next_multiple_of(TILE);
        let (rows, columns) = (whole(rows), whole(columns));
        let product = Product { first_row: rows.start, first_column: columns.start, stride: columns.len() };
        out.clear();
        out.resize(rows.len() * columns.len(), 0);
        let places = || columns.clone().step_by(TILE).flat_map(|column| rows.clone().step_by(TILE).map(move |row| (row, column)));
        let n_vectors = self.n_words / LANES;
        for start in (0..n_vectors).step_by(STRETCH) {
            let stretch = start..n_vectors.min(start + STRETCH);
            let tile = |first: usize| self.tile(first).map(|plane| &plane[stretch.clone()]);
            let mut found = places();
            Machine::this().count(places().map(|(row, column)| (tile(row), tile(column))), |ones| {
                let Some((row, column)) = found.next() else { return };
                for (place, ones) in ones.iter().enumerate() {
                    let sums = &mut out[product.at(row + place, column)..][..TILE];
                    sums.iter_mut().zip(ones).for_each(|(sum, ones)| *sum += ones);
                }
            });
        }
        product
    }

    fn tile(&self, first: usize) -> Four<'_> {
        [self.plane(first), self.plane(first + 1), self.plane(first + 2), self.plane(first + 3)]
    }

    fn plane(&self, plane: usize) -> &[[u64; LANES]] {
        self.words[plane * self.n_words..][..self.n_words].as_chunks().0
    }
}

/// Where the ones in common of two planes stand.
#[derive(Clone, Copy, Debug)]
pub(super) struct Product {
    first_row: usize,
    first_column: usize,
    stride: usize,
}

impl Product {
    /// The place of a row's plane and a column's.
    pub(super) fn at(&self, row: usize, column: usize) -> usize {
        (row - self.first_row) * self.stride + column - self.first_column
    }
}

/// The ones of the codes that are this state, by eight bytes at a time: a byte that is zero after the exclusive or is the state, and a
/// multiplication gathers the eight answers.
#[inline(always)]
fn word_of(rows: &[u8; 64], state: u8) -> u64 {
    const LOW: u64 = 0x7f7f_7f7f_7f7f_7f7f;
    let wanted = u64::from_ne_bytes([state; 8]);
    let mut word = 0;
    for (place, eight) in rows.as_chunks::<8>().0.iter().enumerate() {
        let differs = u64::from_le_bytes(*eight) ^ wanted;
        // The high bit of a byte is set where the byte is zero.
        let same = !(((differs & LOW) + LOW) | differs | LOW);
        word |= ((same >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56) << (8 * place);
    }
    word
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ones_in_common_are_those_of_the_plain_loop() {
        for n_rows in [1, 63, 64, 65, 1000, 70_000] {
            let columns: Vec<Vec<u8>> = (0..7_u64)
                .map(|column| (0..n_rows as u64).map(|row| (((row + 1) * (column + 3) * 2_654_435_761) >> 7) as u8 % 3).collect())
                .map(|mut codes: Vec<u8>| {
                    codes[n_rows / 2] = u8::MAX;
                    codes
                })
                .collect();
            let mut planes = BitPlanes::default();
            planes.reset(n_rows);
            for codes in &columns {
                planes.push_state(codes, 1);
                planes.push_others(codes, u8::MAX);
            }
            planes.fill_tile();
            assert_eq!(planes.len(), 14);
            let has = |plane: usize, row: usize| match (plane % 2, columns[plane / 2][row]) {
                (0, code) => code == 1,
                (_, code) => code != u8::MAX,
            };
            let (mut out, ones) = (Vec::new(), planes.ones());
            for (rows, others) in [(0..14, 0..14), (5..9, 6..14)] {
                let product = planes.in_common(rows.clone(), others.clone(), &mut out);
                for left in rows {
                    assert_eq!(ones[left] as usize, (0..n_rows).filter(|&row| has(left, row)).count());
                    for right in others.clone() {
                        let expected = (0..n_rows).filter(|&row| has(left, row) && has(right, row)).count();
                        assert_eq!(out[product.at(left, right)] as usize, expected, "{n_rows} rows, {left} and {right}");
                    }
                }
            }
        }
    }
}
