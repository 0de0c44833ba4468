//! What states say of every class, looked up row by row with all classes side by side.

use std::ops::Range;

use belief::{Code, Codes, Column};

use super::{AT_ONCE, Scorer, stride_of};

/// ln P(state | class), state by state with the classes within; the last row, all zero, is for what is left out.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct StateTable {
    n_states: usize,
    n_classes: usize,
    stride: usize,
    cells: Vec<f64>,
    known: Vec<bool>,
}

/// A column of few states.
#[derive(Clone, Copy)]
pub(super) struct StateColumn<'c> {
    table: &'c StateTable,
    codes: &'c [u8],
}

impl<'c> StateColumn<'c> {
    pub fn new(scorer: &'c Scorer, column: &'c Column<'c>) -> Option<Self> {
        match (scorer, column) {
            (Scorer::States(table), Column::Categorical { codes: Codes::U8(codes), .. }) => Some(Self { table, codes }),
            _ => None,
        }
    }
}

impl StateTable {
    /// No state is known.
    pub(crate) fn unknown(n_states: usize, n_classes: usize) -> Self {
        let stride = stride_of(n_classes);
        Self { n_states, n_classes, stride, cells: vec![0.0; (n_states + 1) * stride], known: vec![false; n_states] }
    }

    /// What a state says of a class; the state is known from now on.
    pub(crate) fn set(&mut self, state: usize, class: usize, ln: f64) {
        self.cells[state * self.stride + class] = ln;
        self.known[state] = true;
    }

    /// What a state says of every class, if it is known.
    pub(crate) fn of_state(&self, state: usize) -> Option<&[f64]> {
        self.known.get(state)?.then(|| &self.cells[state * self.stride..][..self.n_classes])
    }

    /// What a code says of one class; nothing if it is missing or unknown.
    pub(crate) fn ln<C: Code>(&self, code: C, class: usize) -> f64 {
        self.cells[code.place(self.n_states) * self.stride + class]
    }

    pub(super) fn add<C: Code>(&self, codes: &[C], by_row: &mut [f64]) {
        match self.stride {
            2 => self.add_classes::<C, 2>(codes, by_row),
            4 => self.add_classes::<C, 4>(codes, by_row),
            6 => self.add_classes::<C, 6>(codes, by_row),
            8 => self.add_classes::<C, 8>(codes, by_row),
            10 => self.add_classes::<C, 10>(codes, by_row),
            12 => self.add_classes::<C, 12>(codes, by_row),
            14 => self.add_classes::<C, 14>(codes, by_row),
            16 => self.add_classes::<C, 16>(codes, by_row),
            stride => {
                for (scores, code) in by_row.chunks_exact_mut(stride).zip(codes) {
                    let cells = &self.cells[code.place(self.n_states) * stride..][..stride];
                    scores.iter_mut().zip(cells).for_each(|(score, ln)| *score += ln);
                }
            }
        }
    }

    /// With the number of classes known to the compiler, a row's scores are a few vector registers.
    fn add_classes<C: Code, const STRIDE: usize>(&self, codes: &[C], by_row: &mut [f64]) {
        let (states, _) = self.cells.as_chunks::<STRIDE>();
        let (rows, _) = by_row.as_chunks_mut::<STRIDE>();
        for (scores, code) in rows.iter_mut().zip(codes) {
            let cells = &states[code.place(self.n_states)];
            for class in 0..STRIDE {
                scores[class] += cells[class];
            }
        }
    }
}

/// Adds what several columns of states say, one after the other to each score.
pub(super) fn add_states(columns: &[StateColumn<'_>; AT_ONCE], rows: Range<usize>, by_row: &mut [f64]) {
    let columns = columns.map(|column| StateColumn { codes: &column.codes[rows.clone()], ..column });
    pulp::Arch::new().dispatch(States { columns: &columns, by_row });
}

/// In the widest vectors the machine has; the sums are the same in any.
struct States<'a, 'c> {
    columns: &'a [StateColumn<'c>; AT_ONCE],
    by_row: &'a mut [f64],
}

impl pulp::WithSimd for States<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<V: pulp::Simd>(self, _: V) {
        match self.columns[0].table.stride {
            2 => self.add::<2>(),
            4 => self.add::<4>(),
            6 => self.add::<6>(),
            8 => self.add::<8>(),
            10 => self.add::<10>(),
            12 => self.add::<12>(),
            14 => self.add::<14>(),
            16 => self.add::<16>(),
            _ => self.columns.iter().for_each(|column| column.table.add(column.codes, self.by_row)),
        }
    }
}

impl States<'_, '_> {
    #[inline(always)]
    fn add<const STRIDE: usize>(self) {
        let tables = self.columns.map(|column| column.table.cells.as_chunks::<STRIDE>().0);
        let n_states = self.columns.map(|column| column.table.n_states);
        let [first, second, third, fourth] = self.columns.map(|column| column.codes);
        let codes = first.iter().zip(second).zip(third).zip(fourth);
        for (scores, (((first, second), third), fourth)) in self.by_row.as_chunks_mut::<STRIDE>().0.iter_mut().zip(codes) {
            let codes = [first, second, third, fourth];
            // By value: the compiler takes classes together only where it sees that nothing overlaps.
            let cells: [[f64; STRIDE]; AT_ONCE] = std::array::from_fn(|place| tables[place][codes[place].place(n_states[place])]);
            let mut sums = *scores;
            for cells in cells {
                for class in 0..STRIDE {
                    sums[class] += cells[class];
                }
            }
            *scores = sums;
        }
    }
}
