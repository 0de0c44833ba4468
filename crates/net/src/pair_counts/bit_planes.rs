//! Counting by bits: how many ones two rows of bits have in common, for all pairs of many.
//!
//! A plane is 64 rows a word, with a one where a row has a state. Tiles of four planes by four are taken from memory once and counted
//! sixteen times, in the widest vectors the machine has, chosen when the program runs.

/// Rows that are counted at once: a plane has 4 KiB then, and two tiles stay in the first-level cache.
pub(super) const BLOCK_ROWS: usize = 1 << 15;

/// Planes of a tile, either way.
const TILE: usize = 4;

/// Rows of bits, one after another, all of one length, and as many zero rows as fill the last tile.
#[derive(Clone, Debug, Default)]
pub(super) struct BitPlanes {
    words: Vec<u64>,
    n_words: usize,
    n_planes: usize,
}

impl BitPlanes {
    /// Room for planes of so many rows; what was there is gone.
    pub(super) fn reset(&mut self, n_rows: usize) {
        self.words.clear();
        self.n_words = n_rows.div_ceil(64);
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
    }

    /// A plane of the rows whose code is not this one.
    pub(super) fn push_others(&mut self, codes: &[u8], state: u8) {
        self.push_state(codes, state);
        let start = (self.n_planes - 1) * self.n_words;
        let plane = &mut self.words[start..];
        plane.iter_mut().for_each(|word| *word = !*word);
        if let (Some(last), rest @ 1..) = (plane.last_mut(), codes.len() % 64) {
            *last &= (1 << rest) - 1;
        }
    }

    /// Zero planes to the next whole tile. To be called after the last plane was pushed.
    pub(super) fn fill_tile(&mut self) {
        self.words.resize(self.n_planes.next_multiple_of(TILE) * self.n_words, 0);
    }

    /// How many ones each plane has.
    pub(super) fn ones(&self) -> Vec<u32> {
        (0..self.n_planes).map(|plane| self.plane(plane).iter().map(|word| word.count_ones()).sum()).collect()
    }

    /// The ones that planes `rows` have in common with planes `columns`: `out[(row − rows.start) · stride + column]`. Only whole tiles are
    /// counted, so both ranges are made to begin at a multiple of the tile and end at one. Returns the first row that was counted.
    pub(super) fn in_common(&self, rows: std::ops::Range<usize>, columns: std::ops::Range<usize>, out: &mut Vec<u32>) -> Product {
        let (first_row, first_column) = (rows.start / TILE * TILE, columns.start / TILE * TILE);
        let (end_row, end_column) = (rows.end.next_multiple_of(TILE), columns.end.next_multiple_of(TILE));
        let product = Product { first_row, first_column, stride: end_column - first_column };
        out.clear();
        out.resize((end_row - first_row) * product.stride, 0);
        widest(Tiles { planes: self, rows: first_row..end_row, columns: first_column..end_column, out });
        product
    }

    fn plane(&self, plane: usize) -> &[u64] {
        &self.words[plane * self.n_words..][..self.n_words]
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

struct Tiles<'a> {
    planes: &'a BitPlanes,
    rows: std::ops::Range<usize>,
    columns: std::ops::Range<usize>,
    out: &'a mut [u32],
}

impl Tiles<'_> {
    #[inline(always)]
    fn count(self) {
        let stride = self.columns.len();
        for first_column in self.columns.clone().step_by(TILE) {
            let right: [&[u64]; TILE] = std::array::from_fn(|place| self.planes.plane(first_column + place));
            for first_row in self.rows.clone().step_by(TILE) {
                let left: [&[u64]; TILE] = std::array::from_fn(|place| self.planes.plane(first_row + place));
                let ones = tile(left, right, self.planes.n_words);
                let start = (first_row - self.rows.start) * stride + first_column - self.columns.start;
                for (row, ones) in ones.iter().enumerate() {
                    self.out[start + row * stride..][..TILE].copy_from_slice(ones);
                }
            }
        }
    }
}

#[inline(always)]
fn tile(left: [&[u64]; TILE], right: [&[u64]; TILE], n_words: usize) -> [[u32; TILE]; TILE] {
    // Slices of one length, so that the loop has no checks and becomes vectors.
    let (left, right) = (left.map(|plane| &plane[..n_words]), right.map(|plane| &plane[..n_words]));
    let mut ones = [[0_u64; TILE]; TILE];
    for word in 0..n_words {
        for (ones, left) in ones.iter_mut().zip(&left) {
            for (ones, right) in ones.iter_mut().zip(&right) {
                *ones += u64::from((left[word] & right[word]).count_ones());
            }
        }
    }
    // A block has far fewer rows than 2³².
    ones.map(|row| row.map(|ones| ones as u32))
}

#[cfg(target_arch = "x86_64")]
pulp::simd_type! {
    /// A machine that counts the ones of eight words at once.
    struct CountsVectors {
        avx512f: "avx512f",
        avx512bw: "avx512bw",
        avx512vl: "avx512vl",
        avx512vpopcntdq: "avx512vpopcntdq",
    }
}

/// In the widest vectors of the machine. The counts are whole, and so the same in all.
fn widest(tiles: Tiles<'_>) {
    #[cfg(target_arch = "x86_64")]
    if let Some(machine) = CountsVectors::try_new() {
        return machine.vectorize(
            #[inline(always)]
            || tiles.count(),
        );
    }
    pulp::Arch::new().dispatch(tiles);
}

impl pulp::WithSimd for Tiles<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<V: pulp::Simd>(self, _: V) {
        self.count();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ones_in_common_are_those_of_the_plain_loop() {
        for n_rows in [1, 63, 64, 65, 1000] {
            let columns: Vec<Vec<u8>> = (0..7_u64)
                .map(|column| (0..n_rows as u64).map(|row| ((row + 1) * (column + 3) * 2_654_435_761 >> 7) as u8 % 3).collect())
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
