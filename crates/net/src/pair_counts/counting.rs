//! Counting rows into the tables of all pairs: by bits where states are few, else row by row.
//!
//! Whole weights are sums of powers of two, so that rows of a class and of a binary digit of the weight are a group that is counted
//! without weights and added as often as the digit says. Fractional weights are added row by row.

use std::ops::Range;

use belief::{Code, Codes, for_codes};

use super::bit_planes::{BLOCK_ROWS, BitPlanes, Product};
use super::shape::Shape;
use super::waiting_rows::Rows;

/// Pairs with at most so many pairs of states are counted by bits: beyond, a row at a time is faster.
const MOST_BY_BITS: usize = 256;
/// Variables with more states have no planes.
const MOST_PLANES: usize = 64;
/// Groups of fewer rows, in the mean, are counted row by row.
const FEWEST_IN_GROUP: usize = 256;
/// Weights below this are counted digit by digit.
const MOST_WEIGHT: f64 = 256.0;
/// Planes whose products are made at once: those of a strip stay in the second-level cache.
const STRIP: usize = 64;
/// Below so many cells rows are counted in small integers.
const SMALL: usize = 2048;

/// Tables that rows are counted into.
pub(super) struct Tables<'t> {
    pub(super) shape: &'t Shape,
    /// The weight of each class.
    pub(super) classes: &'t mut [f64],
    pub(super) singles: &'t mut [f64],
    pub(super) pairs: &'t mut [f64],
}

/// Rows of one class that count equally often.
struct Group {
    class: usize,
    times: f64,
    /// `None` for all rows.
    rows: Option<Vec<u32>>,
}

impl Tables<'_> {
    /// Adds rows. Those without a class are left out.
    pub(super) fn count(&mut self, rows: &Rows<'_>) {
        let groups = groups(rows, self.shape.n_classes());
        let by_bits = groups.as_ref().is_some_and(|groups| rows.n_rows >= FEWEST_IN_GROUP * groups.len());
        if let (true, Some(groups)) = (by_bits, &groups) {
            let mut block = Block::default();
            for group in groups {
                match &group.rows {
                    None => (0..rows.n_rows).step_by(BLOCK_ROWS).for_each(|start| {
                        let n_rows = BLOCK_ROWS.min(rows.n_rows - start);
                        block.fill(rows, self.shape, n_rows, |codes, room| run_of(codes, start..start + n_rows, room));
                        self.add(&mut block, group);
                    }),
                    Some(chosen) => chosen.chunks(BLOCK_ROWS).for_each(|chosen| {
                        block.fill(rows, self.shape, chosen.len(), |codes, room| chosen_of(codes, chosen, room));
                        self.add(&mut block, group);
                    }),
                }
            }
        }
        self.count_by_rows(rows, by_bits);
    }

    /// Adds what the planes of a block say.
    fn add(&mut self, block: &mut Block, group: &Group) {
        let ones = block.planes.ones();
        self.classes[group.class] += block.n_rows as f64 * group.times;
        for column in &block.columns {
            let start = self.shape.single(column.variable, group.class);
            let observed = column.observed(&ones, block.n_rows);
            let (mut rest, states) = (observed, column.n_states - 1);
            for state in 0..states {
                let n = ones[column.first_plane + state];
                self.singles[start + state] += f64::from(n) * group.times;
                rest -= n;
            }
            self.singles[start + states] += f64::from(rest) * group.times;
        }
        let (mut table, mut common) = (Vec::new(), std::mem::take(&mut block.common));
        let mut first = 0;
        while first < block.columns.len() {
            let start = block.columns[first].first_plane;
            let end = first + block.columns[first..].iter().take_while(|c| c.end_plane() <= start + STRIP).count().max(1);
            // Columns stand by their numbers of states, so those that go with the first of the strip are a run.
            let last = block.columns.partition_point(|other| by_bits(block.columns[first].n_states, other.n_states));
            if last > first {
                let planes = start..block.columns[end - 1].end_plane();
                let product = block.planes.in_common(planes, start..block.columns[last - 1].end_plane(), &mut common);
                for (place, left) in block.columns[first..end].iter().enumerate() {
                    for right in block.columns[..last].iter().skip(first + place + 1) {
                        if by_bits(left.n_states, right.n_states) {
                            let in_block = InBlock { ones: &ones, common: &common, product, n_rows: block.n_rows };
                            self.add_pair(left, right, group, &in_block, &mut table);
                        }
                    }
                }
            }
            first = end;
        }
        block.common = common;
    }

    fn add_pair(&mut self, left: &PlaneColumn, right: &PlaneColumn, group: &Group, block: &InBlock<'_>, table: &mut Vec<u32>) {
        let (n_left, n_right) = (left.n_states, right.n_states);
        // The table is laid out by the variables' order, which need not be that of the planes.
        let (start, left_stride, right_stride) = match left.variable < right.variable {
            true => (self.shape.pair(left.variable, right.variable, group.class), n_right, 1),
            false => (self.shape.pair(right.variable, left.variable, group.class), 1, n_left),
        };
        let cells = &mut self.pairs[start..start + n_left * n_right];
        if n_left == 2 && n_right == 2 && left.complete && right.complete {
            let both = block.common[block.product.at(left.first_plane, right.first_plane)];
            let (n_left, n_right) = (block.ones[left.first_plane], block.ones[right.first_plane]);
            cells[0] += f64::from(both) * group.times;
            cells[left_stride] += f64::from(n_right - both) * group.times;
            cells[right_stride] += f64::from(n_left - both) * group.times;
            cells[3] += f64::from(block.n_rows as u32 + both - n_left - n_right) * group.times;
            return;
        }
        // In place of the last state stands "any state", of which the others are taken away.
        table.clear();
        for x in 0..n_left {
            for y in 0..n_right {
                let (of_left, of_right) = (left.plane(x), right.plane(y));
                table.push(match (of_left, of_right) {
                    (Some(a), Some(b)) => block.common[block.product.at(a, b)],
                    (Some(only), None) | (None, Some(only)) => block.ones[only],
                    (None, None) => block.n_rows as u32,
                });
            }
        }
        let (rows, last) = table.split_at_mut((n_left - 1) * n_right);
        for row in rows.chunks_exact(n_right) {
            last.iter_mut().zip(row).for_each(|(last, n)| *last -= n);
        }
        for (x, row) in table.chunks_exact(n_right).enumerate() {
            let (last, others) = row.split_last().expect("a variable with planes has a state");
            let rest = last - others.iter().sum::<u32>();
            for (y, n) in others.iter().chain([&rest]).enumerate() {
                cells[x * left_stride + y * right_stride] += f64::from(*n) * group.times;
            }
        }
    }

    /// Counts one row after another what bits did not count.
    fn count_by_rows(&mut self, rows: &Rows<'_>, others_by_bits: bool) {
        let (n_classes, n_states) = (self.shape.n_classes(), self.shape.n_states());
        let classes: Vec<u32> = match rows.classes {
            None => vec![0; rows.n_rows],
            Some(codes) => for_codes!(codes, codes => codes.iter().map(|code| code.place(n_classes) as u32).collect()),
        };
        if !others_by_bits {
            for (row, class) in classes.iter().enumerate().filter(|(_, class)| (**class as usize) < n_classes) {
                self.classes[*class as usize] += rows.weights.map_or(1.0, |weights| weights[row]);
            }
        }
        let mut keys = Vec::new();
        for (variable, codes) in rows.columns.iter().enumerate() {
            let n = n_states[variable];
            if !(others_by_bits && n <= MOST_PLANES) {
                let cells = &mut self.singles[self.shape.single(variable, 0)..][..n_classes * n];
                for_codes!(*codes, codes => count_keys(&classes, n_classes, codes, n, rows.weights, cells));
            }
            let others = variable + 1..n_states.len();
            let mut left = others.filter(|other| !(others_by_bits && by_bits(n, n_states[*other]))).peekable();
            if n == 0 || left.peek().is_none() {
                continue;
            }
            // A key is a class and a state of this variable; one more is for what is missing.
            keys.clear();
            let n_keys = n_classes * n;
            for_codes!(*codes, codes => keys.extend(codes.iter().zip(&classes).map(|(code, class)| {
                let (state, class) = (code.place(n), *class as usize);
                if state < n && class < n_classes { (class * n + state) as u32 } else { n_keys as u32 }
            })));
            for other in left {
                let cells = &mut self.pairs[self.shape.pair(variable, other, 0)..][..n_keys * n_states[other]];
                for_codes!(rows.columns[other], codes => count_keys(&keys, n_keys, codes, n_states[other], rows.weights, cells));
            }
        }
    }
}

/// Whether a pair of so many states is counted by bits.
fn by_bits(n_left: usize, n_right: usize) -> bool {
    (1..=MOST_PLANES).contains(&n_left) && (1..=MOST_PLANES).contains(&n_right) && n_left * n_right <= MOST_BY_BITS
}

/// The rows as groups that count equally often; `None` where weights are not small whole numbers.
fn groups(rows: &Rows<'_>, n_classes: usize) -> Option<Vec<Group>> {
    if let (None, None) = (rows.classes, rows.weights) {
        return Some(vec![Group { class: 0, times: 1.0, rows: None }]);
    }
    let is_small = |weight: &f64| *weight >= 0.0 && *weight < MOST_WEIGHT && weight.fract() == 0.0;
    if !rows.weights.is_none_or(|weights| weights.iter().all(is_small)) {
        return None;
    }
    let n_digits = MOST_WEIGHT.log2() as usize;
    let mut of_group = vec![Vec::new(); n_classes * n_digits];
    for row in 0..rows.n_rows {
        let class = match rows.classes {
            None => Some(0),
            Some(classes) => classes.get(row).filter(|class| *class < n_classes),
        };
        let Some(class) = class else { continue };
        let mut digits = rows.weights.map_or(1, |weights| weights[row] as u32);
        while digits != 0 {
            of_group[class * n_digits + digits.trailing_zeros() as usize].push(row as u32);
            digits &= digits - 1;
        }
    }
    let groups = of_group.into_iter().enumerate().filter(|(_, rows)| !rows.is_empty());
    Some(groups.map(|(at, rows)| Group { class: at / n_digits, times: f64::from(1 << (at % n_digits)), rows: Some(rows) }).collect())
}

/// Some rows as planes of bits.
#[derive(Default)]
struct Block {
    n_rows: usize,
    planes: BitPlanes,
    columns: Vec<PlaneColumn>,
    scratch: Vec<u8>,
    common: Vec<u32>,
}

/// The planes of one variable: one for each state but the last, then, if a value is missing, one of the rows where none is.
struct PlaneColumn {
    variable: usize,
    n_states: usize,
    first_plane: usize,
    complete: bool,
}

/// What was counted of the planes of a block.
struct InBlock<'b> {
    ones: &'b [u32],
    common: &'b [u32],
    product: Product,
    n_rows: usize,
}

impl Block {
    /// Makes planes of the variables of few states, those of fewest first.
    fn fill(&mut self, rows: &Rows<'_>, shape: &Shape, n_rows: usize, narrow: impl for<'s> Fn(Codes<'s>, &'s mut Vec<u8>) -> &'s [u8]) {
        self.n_rows = n_rows;
        self.planes.reset(n_rows);
        self.columns.clear();
        let n_states = shape.n_states();
        let mut variables: Vec<usize> = (0..n_states.len()).filter(|v| (1..=MOST_PLANES).contains(&n_states[*v])).collect();
        variables.sort_by_key(|variable| n_states[*variable]);
        for variable in variables {
            let n_states = n_states[variable];
            let codes = narrow(rows.columns[variable], &mut self.scratch);
            let complete = codes.iter().fold(0, |most, code| most.max(*code)) < n_states as u8;
            let first_plane = self.planes.len();
            (0..n_states - 1).for_each(|state| self.planes.push_state(codes, state as u8));
            if !complete {
                let codes: Vec<u8> = codes.iter().map(|code| if *code < n_states as u8 { *code } else { u8::MAX }).collect();
                self.planes.push_others(&codes, u8::MAX);
            }
            self.columns.push(PlaneColumn { variable, n_states, first_plane, complete });
        }
        self.planes.fill_tile();
    }
}

impl PlaneColumn {
    /// The plane of a state, or, at the last, of any state; `None` where that is all rows.
    fn plane(&self, state: usize) -> Option<usize> {
        (state + 1 < self.n_states || !self.complete).then_some(self.first_plane + state)
    }

    fn end_plane(&self) -> usize {
        self.first_plane + self.n_states - usize::from(self.complete)
    }

    fn observed(&self, ones: &[u32], n_rows: usize) -> u32 {
        if self.complete { n_rows as u32 } else { ones[self.end_plane() - 1] }
    }
}

/// The codes of some rows in a byte each: as they are, or copied where they are wider.
fn run_of<'s>(codes: Codes<'s>, rows: Range<usize>, room: &'s mut Vec<u8>) -> &'s [u8] {
    if let Codes::U8(codes) = codes {
        return &codes[rows];
    }
    room.clear();
    for_codes!(codes, codes => room.extend(codes[rows].iter().map(|code| code.place(u8::MAX as usize) as u8)));
    room
}

fn chosen_of<'s>(codes: Codes<'s>, chosen: &[u32], room: &'s mut Vec<u8>) -> &'s [u8] {
    room.clear();
    for_codes!(codes, codes => room.extend(chosen.iter().map(|row| codes[*row as usize].place(u8::MAX as usize) as u8)));
    room
}

/// Counts keys, all below `n_keys` or left out, with states: `cells[key · n_states + state]`.
fn count_keys<C: Code>(keys: &[u32], n_keys: usize, codes: &[C], n_states: usize, weights: Option<&[f64]>, cells: &mut [f64]) {
    if let Some(weights) = weights {
        for ((key, code), weight) in keys.iter().zip(codes).zip(weights) {
            let (key, state) = (*key as usize, code.place(n_states));
            if key < n_keys && state < n_states {
                cells[key * n_states + state] += weight;
            }
        }
        return;
    }
    // One more key and one more state take what is missing, so that the loop has no branch.
    let stride = n_states + 1;
    if stride.saturating_mul(n_keys + 1) > SMALL {
        for (key, code) in keys.iter().zip(codes) {
            let (key, state) = (*key as usize, code.place(n_states));
            if key < n_keys && state < n_states {
                cells[key * n_states + state] += 1.0;
            }
        }
        return;
    }
    // Two tables in turn: equal neighbours would wait for each other's store.
    let (mut even, mut odd) = ([0_u32; SMALL], [0_u32; SMALL]);
    let slot = |key: u32, code: C| (key as usize * stride + code.place(n_states)) & (SMALL - 1);
    let (key_pairs, code_pairs) = (keys.chunks_exact(2), codes.chunks_exact(2));
    if let ([key], [code]) = (key_pairs.remainder(), code_pairs.remainder()) {
        even[slot(*key, *code)] += 1;
    }
    for (key, code) in key_pairs.zip(code_pairs) {
        even[slot(key[0], code[0])] += 1;
        odd[slot(key[1], code[1])] += 1;
    }
    for (key, cells) in cells.chunks_exact_mut(n_states.max(1)).enumerate().take(n_keys) {
        for (state, cell) in cells.iter_mut().enumerate() {
            let at = key * stride + state;
            *cell += f64::from(even[at]) + f64::from(odd[at]);
        }
    }
}
