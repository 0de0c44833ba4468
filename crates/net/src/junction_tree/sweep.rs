//! A sweep through the configurations of a clique: what its factors come to, added to every message that leaves it.
//!
//! It goes through the configurations variable by variable, multiplies what is known at each depth once for all below it, and adds what it sums to, to every
//! message over the variables so far. Only the last variable, that of most states, is a loop over entries, four at a time; its sums stay four numbers
//! until they are added to a message without it, so that rows need not wait for each other. A large sweep is cut into shares, each with messages of
//! its own that are added up in the end: always the same ones, so that the number of threads changes nothing but the time.

use super::subtrees::both;
use belief::VarId;
use std::ops::Range;

/// Products between these lose nothing.
const LEAST: f64 = 1e-280;
const MOST: f64 = 1e280;

/// Entries side by side, or what they sum to.
type Four = [f64; 4];

/// A table over some variables of a clique, the variables in the clique's order.
pub(super) struct Operand {
    pub(super) values: Vec<f64>,
    /// How far a step of each variable of the clique goes; nowhere for those it does not have.
    pub(super) strides: Vec<usize>,
    /// The smallest entry above zero, and the largest.
    least: f64,
    most: f64,
}

/// A sweep through the configurations of a clique.
#[derive(Clone)]
pub(super) struct Sweep<'a> {
    shape: Vec<usize>,
    arriving: Vec<&'a Operand>,
    /// Messages that are added to.
    leaving: Vec<Leaving>,
    /// The numbers of all of them, one behind the other; none before the sweep.
    cells: Vec<f64>,
    n_cells: usize,
    /// Where each operand, and behind those each message, stands.
    at: Vec<usize>,
    /// For each depth, what moves with its variable and how far, what arrives there and what leaves there.
    moved: Vec<Vec<(usize, usize)>>,
    arrives: Vec<Vec<usize>>,
    leaves: Vec<Vec<usize>>,
    /// How far each depth but the last two has come.
    levels: Vec<Level>,
    /// Products of the rows of the last variable, one for each state of the one above it.
    block: Vec<Four>,
    /// For each state of the variable above the last, what is multiplied there and what its row sums to.
    above: (Vec<f64>, Vec<Four>),
    /// One for each state of the last variable, and zeros behind: what is multiplied there if nothing else is.
    ones: Vec<Four>,
}

/// A message that leaves.
#[derive(Clone)]
struct Leaving {
    /// Where in the cells it begins.
    first: usize,
    /// How many cells a step of each variable goes.
    strides: Vec<usize>,
}

/// A variable on its way through its states.
#[derive(Clone, Copy)]
struct Level {
    /// What is multiplied above it.
    factor: f64,
    state: usize,
    /// What its states sum to so far.
    total: Four,
}

impl Operand {
    /// A table over variables in any order, put into that of a clique's. It is given with whether its last axis is padded.
    pub(super) fn new(clique: &[VarId], (scope, shape, is_padded): (&[VarId], &[usize], bool), values: &[f64]) -> Self {
        let mut own = vec![1; scope.len()];
        for place in (1..scope.len()).rev() {
            own[place - 1] = own[place] * if is_padded && place + 1 == scope.len() { padded(shape[place]) } else { shape[place] };
        }
        // The variables in the clique's order: where each stands in its own, how many states it has and how far it steps there.
        let order: Vec<usize> = clique.iter().filter_map(|variable| scope.iter().position(|other| other == variable)).collect();
        let mut strides = vec![0; clique.len()];
        let mut stride = 1;
        for &axis in order.iter().rev() {
            let depth = clique.iter().position(|variable| *variable == scope[axis]).unwrap_or(0);
            strides[depth] = stride;
            stride *= if depth + 1 == clique.len() { padded(shape[axis]) } else { shape[axis] };
        }
        let is_padded = clique.last().is_some_and(|last| scope.contains(last));
        let axes: Vec<Axis> = order.iter().map(|&axis| Axis { n_states: shape[axis], stride: own[axis] }).collect();
        let sorted = permuted(&axes, values, is_padded);
        let (least, most) = range_of(&sorted);
        Self { values: sorted, strides, least, most }
    }
}

/// An axis of a table: its states, and how far a step of it goes.
#[derive(Clone, Copy)]
struct Axis {
    n_states: usize,
    stride: usize,
}

/// The smallest number above zero, and the largest; side by side, as comparing one after another would wait for each.
fn range_of(values: &[f64]) -> (f64, f64) {
    let (mut least, mut most) = ([f64::INFINITY; 8], [0.0; 8]);
    let mut see = |some: &[f64]| {
        for ((least, most), &value) in least.iter_mut().zip(&mut most).zip(some) {
            let above_zero = if value > 0.0 { value } else { f64::INFINITY };
            *least = if above_zero < *least { above_zero } else { *least };
            *most = if value > *most { value } else { *most };
        }
    };
    let (eights, rest) = values.as_chunks::<8>();
    eights.iter().for_each(|eight| see(eight));
    see(rest);
    (least.into_iter().fold(f64::INFINITY, f64::min), most.into_iter().fold(0.0, f64::max))
}

/// The entries of a table with its axes in this order; the last padded with zeros, if it shall be.
fn permuted(axes: &[Axis], values: &[f64], is_padded: bool) -> Vec<f64> {
    let Some((last, outer)) = axes.split_last() else { return values[..1].to_vec() };
    let n_row = if is_padded { padded(last.n_states) } else { last.n_states };
    let n_rows: usize = outer.iter().map(|axis| axis.n_states).product();
    let mut sorted = vec![0.0; n_rows * n_row];
    let (mut states, mut from) = (vec![0; outer.len()], 0);
    for row in sorted.chunks_exact_mut(n_row) {
        let row = &mut row[..last.n_states];
        if last.stride == 1 {
            row.copy_from_slice(&values[from..from + last.n_states]);
        } else {
            row.iter_mut().zip(values[from..].iter().step_by(last.stride)).for_each(|(cell, &value)| *cell = value);
        }
        // The next row, like the digits of a counter.
        for (state, axis) in states.iter_mut().zip(outer).rev() {
            *state += 1;
            from += axis.stride;
            if *state < axis.n_states {
                break;
            }
            *state = 0;
            from -= axis.stride * axis.n_states;
        }
    }
    sorted
}

/// So many states with zeros behind them, so that they are worked on in fours.
fn padded(n_states: usize) -> usize {
    n_states.next_multiple_of(4)
}

impl<'a> Sweep<'a> {
    /// Prepares a sweep that leaves messages over some sets of the clique's variables, each in the clique's order; `None` where a product might be lost.
    pub(super) fn new(shape: Vec<usize>, arriving: Vec<&'a Operand>, over: &[&[VarId]], scope: &[VarId]) -> Option<Self> {
        let least: f64 = arriving.iter().map(|operand| operand.least).product();
        let most: f64 = arriving.iter().map(|operand| operand.most).product::<f64>() * shape.iter().map(|&n| n as f64).product::<f64>();
        if !(LEAST..=MOST).contains(&least) || most > MOST {
            return None;
        }
        let n_depths = shape.len();
        let mut n_cells = 0;
        let message = |over: &&[VarId]| {
            let (mut strides, mut size, first) = (vec![0; n_depths], 1, n_cells);
            for depth in (0..n_depths).rev().filter(|&depth| over.contains(&scope[depth])) {
                strides[depth] = size;
                size *= if depth + 1 == n_depths { padded(shape[depth]) } else { shape[depth] };
            }
            n_cells += size;
            Leaving { first, strides }
        };
        let leaving: Vec<Leaving> = over.iter().map(message).collect();
        let n_last = shape.last().copied().unwrap_or(1);
        let n_above = if n_depths < 2 { 1 } else { shape[n_depths - 2] };
        let mut ones = vec![1.0; n_last];
        ones.resize(padded(n_last), 0.0);
        let ones = ones.as_chunks().0.to_vec();
        let mut sweep = Self {
            n_cells,
            cells: Vec::new(),
            block: vec![[0.0; 4]; n_above * padded(n_last) / 4],
            ones,
            above: (vec![1.0; n_above], vec![[0.0; 4]; n_above]),
            at: vec![0; arriving.len() + leaving.len()],
            moved: vec![Vec::new(); n_depths],
            arrives: vec![Vec::new(); n_depths],
            leaves: vec![Vec::new(); n_depths],
            levels: vec![Level { factor: 1.0, state: 0, total: [0.0; 4] }; n_depths],
            shape,
            arriving,
            leaving,
        };
        for (number, operand) in sweep.arriving.iter().enumerate() {
            tie(&operand.strides, number, number, &mut sweep.moved, &mut sweep.arrives);
        }
        for (number, Leaving { strides, .. }) in sweep.leaving.iter().enumerate() {
            tie(strides, sweep.arriving.len() + number, number, &mut sweep.moved, &mut sweep.leaves);
        }
        Some(sweep)
    }

    /// Goes through all configurations, by the threads of rayon's pool `in_parallel` where that is worth it; gives what they sum to.
    pub(super) fn run(&mut self, in_parallel: bool) -> f64 {
        let (n_leading, n_leads, n_shares) = self.shares();
        if n_shares == 1 {
            self.cells = vec![0.0; self.n_cells];
            return sum_of(self.go_through(0, 0..1));
        }
        let cuts: Vec<usize> = (0..=n_shares).map(|nth| n_leads * nth / n_shares).collect();
        let (cells, total) = self.over_shares(n_leading, &cuts, in_parallel);
        self.cells = cells;
        sum_of(total)
    }

    /// Goes through the shares between these configurations of the first variables: their messages, and what they sum to. Whoever goes through a share makes
    /// its messages, for what two threads write to must not lie side by side.
    fn over_shares(&self, n_leading: usize, cuts: &[usize], in_parallel: bool) -> (Vec<f64>, Four) {
        if let &[first, end] = cuts {
            let mut share = Self { cells: vec![0.0; self.n_cells], ..self.clone() };
            let total = share.go_through(n_leading, first..end);
            return (share.cells, total);
        }
        let middle = cuts.len() / 2;
        let left = || self.over_shares(n_leading, &cuts[..=middle], in_parallel);
        let right = || self.over_shares(n_leading, &cuts[middle..], in_parallel);
        let ((mut cells, mut total), (more_cells, more)) = if in_parallel { both(left, right) } else { (left(), right()) };
        cells.iter_mut().zip(&more_cells).for_each(|(sum, more)| *sum += more);
        add(&mut total, &more);
        (cells, total)
    }

    /// The messages that leave, with their strides.
    pub(super) fn into_messages(self) -> Vec<(Vec<f64>, Vec<usize>)> {
        if let [Leaving { strides, .. }] = &self.leaving[..] {
            return vec![(self.cells, strides.clone())];
        }
        let ends: Vec<usize> = self.leaving.iter().skip(1).map(|leaving| leaving.first).chain([self.cells.len()]).collect();
        self.leaving.into_iter().zip(ends).map(|(Leaving { first, strides }, end)| (self.cells[first..end].to_vec(), strides)).collect()
    }

    /// How many of the first variables lead a share, how many configurations they have, and into how many shares these are cut.
    fn shares(&self) -> (usize, usize, usize) {
        /// Sweeps of fewer configurations are not shared.
        const LARGE: usize = 1 << 16;
        /// Those of more are cut into four.
        const VERY_LARGE: usize = 1 << 20;
        /// A share has one more or one less than another, so there should be some.
        const LEADS: usize = 12;
        let n_shares = match self.shape.iter().product::<usize>() {
            0..LARGE => return (0, 1, 1),
            LARGE..VERY_LARGE => 2,
            _ => 4,
        };
        let (mut n_leading, mut n_leads) = (0, 1);
        while n_leads < LEADS && n_leading + 2 < self.shape.len() {
            n_leads *= self.shape[n_leading];
            n_leading += 1;
        }
        (n_leading, n_leads, n_shares.min(n_leads))
    }

    /// Goes through what is below some of the configurations of the first variables, with the instructions that the machine has; gives what it sums to. The
    /// numbers are the same on every machine: each is made by the same steps, of which more or fewer are made at once.
    fn go_through(&mut self, n_leading: usize, leads: Range<usize>) -> Four {
        struct Run<'r, 'a>(&'r mut Sweep<'a>, usize, Range<usize>);
        impl pulp::WithSimd for Run<'_, '_> {
            type Output = Four;

            #[inline(always)]
            fn with_simd<S: pulp::Simd>(self, _: S) -> Four {
                let Self(sweep, n_leading, leads) = self;
                // A closure might not be compiled for the machine.
                let mut total = [0.0; 4];
                for lead in leads {
                    add(&mut total, &sweep.lead(n_leading, lead));
                }
                total
            }
        }
        pulp::Arch::new().dispatch(Run(self, n_leading, leads))
    }

    /// What is below one configuration of the first variables.
    #[inline(always)]
    fn lead(&mut self, n_leading: usize, lead: usize) -> Four {
        self.at.fill(0);
        self.at[self.arriving.len()..].iter_mut().zip(&self.leaving).for_each(|(at, leaving)| *at = leaving.first);
        let mut rest = lead;
        for depth in (0..n_leading).rev() {
            let state = rest % self.shape[depth];
            rest /= self.shape[depth];
            for &(thing, stride) in &self.moved[depth] {
                self.at[thing] += stride * state;
            }
        }
        let mut factor = 1.0;
        for &number in self.arrives[..n_leading].iter().flatten() {
            factor *= self.arriving[number].values[self.at[number]];
        }
        if factor == 0.0 {
            return [0.0; 4];
        }
        let below = self.all(n_leading, factor);
        for &number in self.leaves[..n_leading].iter().flatten() {
            self.cells[self.at[self.arriving.len() + number]] += sum_of(below);
        }
        below
    }

    /// From this variable on, depth by depth, like the digits of a counter; the last two variables in loops of their own.
    #[inline(always)]
    fn all(&mut self, first: usize, factor: f64) -> Four {
        let n_depths = self.shape.len();
        if n_depths <= first + 2 {
            return if n_depths == 0 { [factor, 0.0, 0.0, 0.0] } else { self.run_of_last_two(factor) };
        }
        let mut depth = first;
        self.levels[depth] = Level { factor, state: 0, total: [0.0; 4] };
        loop {
            let mut below = [0.0; 4];
            loop {
                let mut here = self.levels[depth].factor;
                for &number in &self.arrives[depth] {
                    here *= self.arriving[number].values[self.at[number]];
                }
                // What is zero here is zero below.
                if here == 0.0 {
                    break;
                }
                if depth + 3 == n_depths {
                    below = self.run_of_last_two(here);
                    break;
                }
                depth += 1;
                self.levels[depth] = Level { factor: here, state: 0, total: [0.0; 4] };
            }
            // The state of this depth is done; where it was the last, so is that of the depth above.
            loop {
                for &number in &self.leaves[depth] {
                    self.cells[self.at[self.arriving.len() + number]] += sum_of(below);
                }
                let level = &mut self.levels[depth];
                add(&mut level.total, &below);
                level.state += 1;
                for &(thing, stride) in &self.moved[depth] {
                    self.at[thing] += stride;
                }
                if level.state < self.shape[depth] {
                    break;
                }
                below = level.total;
                for &(thing, stride) in &self.moved[depth] {
                    self.at[thing] -= stride * self.shape[depth];
                }
                if depth == first {
                    return below;
                }
                depth -= 1;
            }
        }
    }

    /// The last variable, which lies entry by entry, in fours, for each state of the one above it. Gives the sum.
    #[inline(always)]
    fn run_of_last_two(&mut self, factor: f64) -> Four {
        match self.arrives[self.shape.len() - 1].len() {
            0 => self.rows_of_none(factor),
            1 => self.rows_of::<1>(factor),
            2 => self.rows_of::<2>(factor),
            3 => self.rows_of::<3>(factor),
            4 => self.rows_of::<4>(factor),
            5 => self.rows_of::<5>(factor),
            _ => self.rows_of_many(factor),
        }
    }

    /// The same where the last variable is in so many tables.
    #[inline(always)]
    fn rows_of<const N: usize>(&mut self, factor: f64) -> Four {
        let n_fours = self.ones.len();
        let mut tables = [LastTable { fours: &[], stride: 0 }; N];
        for (nth, table) in tables.iter_mut().enumerate() {
            *table = self.table_of_last(nth);
        }
        self.rows_of_last(
            factor,
            #[inline(always)]
            |state| {
                let mut rows: [&[Four]; N] = [&[]; N];
                for (row, table) in rows.iter_mut().zip(&tables) {
                    *row = table.row(state, n_fours);
                }
                rows
            },
        )
    }

    fn rows_of_many(&mut self, factor: f64) -> Four {
        let n_fours = self.ones.len();
        let tables: Vec<LastTable<'a>> = (0..self.arrives[self.shape.len() - 1].len()).map(|nth| self.table_of_last(nth)).collect();
        self.rows_of_last(factor, |state| tables.iter().map(|table| table.row(state, n_fours)).collect::<Vec<_>>())
    }

    fn rows_of_none(&mut self, factor: f64) -> Four {
        let ones = std::mem::take(&mut self.ones);
        let total = self.rows_of_last(factor, |_| [&ones[..]]);
        self.ones = ones;
        total
    }

    /// One of the tables that the last variable is in, from where it stands.
    #[inline(always)]
    fn table_of_last(&self, nth: usize) -> LastTable<'a> {
        let number = self.arrives[self.shape.len() - 1][nth];
        let operand = self.arriving[number];
        LastTable { fours: &operand.values.as_chunks::<4>().0[self.at[number] / 4..], stride: above(&operand.strides) / 4 }
    }

    /// The same, with the rows of the tables that the last variable is in for each state of the one above it.
    #[inline(always)]
    fn rows_of_last<'r, R: AsRef<[&'r [Four]]>>(&mut self, factor: f64, rows: impl Fn(usize) -> R) -> Four {
        let Self { shape, arriving, leaving, cells, at, arrives, leaves, block, above: (heres, sums), .. } = self;
        let last = shape.len() - 1;
        let (of_above, to_above) = if last == 0 { (&[][..], &[][..]) } else { (&arrives[last - 1][..], &leaves[last - 1][..]) };
        let n_fours = block.len() / heres.len();
        heres.fill(factor);
        for &number in of_above {
            let operand = arriving[number];
            let values = operand.values[at[number]..].iter().step_by(above(&operand.strides).max(1));
            for (here, value) in heres.iter_mut().zip(values) {
                *here *= value;
            }
        }
        let standing = |number: usize| (at[arriving.len() + number], above(&leaving[number].strides));
        match &leaves[last][..] {
            [] => {
                for (state, (&here, sum)) in heres.iter().zip(&mut *sums).enumerate() {
                    *sum = if here == 0.0 { [0.0; 4] } else { multiplied::<0>(here, rows(state).as_ref(), &mut []) };
                }
            }
            [one] => {
                let (mut first, stride) = standing(*one);
                for (state, (&here, sum)) in heres.iter().zip(&mut *sums).enumerate() {
                    let cells = cells[first..first + 4 * n_fours].as_chunks_mut().0;
                    *sum = if here == 0.0 { [0.0; 4] } else { multiplied::<ADDED>(here, rows(state).as_ref(), cells) };
                    first += stride;
                }
            }
            several => {
                for (state, (&here, sum)) in heres.iter().zip(&mut *sums).enumerate() {
                    *sum = multiplied::<PUT>(here, rows(state).as_ref(), &mut block[state * n_fours..][..n_fours]);
                }
                for &number in several {
                    let (mut first, stride) = standing(number);
                    for row in block.chunks_exact(n_fours) {
                        for (sum, entry) in cells[first..first + 4 * n_fours].as_chunks_mut().0.iter_mut().zip(row) {
                            add(sum, entry);
                        }
                        first += stride;
                    }
                }
            }
        }
        for &number in to_above {
            let (first, stride) = standing(number);
            for (cell, sum) in cells[first..].iter_mut().step_by(stride.max(1)).zip(&*sums) {
                *cell += sum_of(*sum);
            }
        }
        let mut total = [0.0; 4];
        for sum in sums {
            add(&mut total, sum);
        }
        total
    }
}

/// A table that the last variable is in, in fours.
#[derive(Clone, Copy)]
struct LastTable<'a> {
    fours: &'a [Four],
    /// How many of them a state of the variable above the last goes.
    stride: usize,
}

impl<'a> LastTable<'a> {
    #[inline(always)]
    fn row(&self, state: usize, n_fours: usize) -> &'a [Four] {
        &self.fours[state * self.stride..][..n_fours]
    }
}

/// How far a state of the variable above the last goes.
#[inline(always)]
fn above(strides: &[usize]) -> usize {
    strides.len().checked_sub(2).map_or(0, |place| strides[place])
}

/// Products are added to their cells, or put there.
const ADDED: u8 = 1;
const PUT: u8 = 2;

/// What rows come to, entry by entry, with what all are multiplied by: the sum. The entries go where `TO` says.
#[inline(always)]
fn multiplied<const TO: u8>(factor: f64, rows: &[&[Four]], cells: &mut [Four]) -> Four {
    let mut sums = [0.0; 4];
    for at in 0..rows[0].len() {
        let mut products = [factor; 4];
        for row in rows {
            for (product, value) in products.iter_mut().zip(&row[at]) {
                *product *= value;
            }
        }
        if TO == ADDED {
            add(&mut cells[at], &products);
        }
        if TO == PUT {
            cells[at] = products;
        }
        add(&mut sums, &products);
    }
    sums
}

#[inline(always)]
fn add(sum: &mut Four, more: &Four) {
    // All are read before any is written, which makes it one step.
    *sum = [sum[0] + more[0], sum[1] + more[1], sum[2] + more[2], sum[3] + more[3]];
}

fn sum_of(four: Four) -> f64 {
    (four[0] + four[1]) + (four[2] + four[3])
}

/// Notes at which depths a table moves, and the deepest of them.
fn tie(strides: &[usize], thing: usize, number: usize, moved: &mut [Vec<(usize, usize)>], deepest: &mut [Vec<usize>]) {
    let depths: Vec<usize> = (0..strides.len()).filter(|&depth| strides[depth] > 0).collect();
    for &depth in &depths {
        moved[depth].push((thing, strides[depth]));
    }
    // A table over nothing is met before the first variable goes on: it cannot be, for every factor here has a variable.
    if let Some(&depth) = depths.last() {
        deepest[depth].push(number);
    }
}
