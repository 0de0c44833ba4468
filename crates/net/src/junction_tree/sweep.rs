//! A sweep through the configurations of a clique: what its factors come to, added to every message that leaves it.
//!
//! It goes through the configurations variable by variable, multiplies what is known at each depth once for all below it, and adds what it sums to, to every
//! message over the variables so far. Only the last variable, that of most states, is a loop over entries. A large sweep is cut into shares, each with messages of
//! its own that are added up in the end: always the same ones, so that the number of threads changes nothing but the time.

use std::ops::Range;

use belief::VarId;

/// Products between these lose nothing.
const LEAST: f64 = 1e-280;
const MOST: f64 = 1e280;
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
    /// Messages that are added to: where in the cells each begins, and its strides.
    leaving: Vec<(usize, Vec<usize>)>,
    /// The numbers of all of them, one behind the other.
    cells: Vec<f64>,
    /// Where each operand, and behind those each message, stands.
    at: Vec<usize>,
    /// For each depth, what moves with its variable and how far, what arrives there and what leaves there.
    moved: Vec<Vec<(usize, usize)>>,
    arrives: Vec<Vec<usize>>,
    leaves: Vec<Vec<usize>>,
    /// How far each depth but the last two has come.
    levels: Vec<Level>,
    block: Vec<f64>,
    /// One for each state of the last variable, and zeros behind: what is multiplied there if nothing else is.
    ones: Vec<f64>,
}

/// A variable on its way through its states.
#[derive(Clone, Copy)]
struct Level {
    /// What is multiplied above it.
    factor: f64,
    state: usize,
    /// What its states sum to so far.
    total: f64,
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
        let mut sorted = Vec::with_capacity(stride);
        permute(&order, shape, &own, 0, values, is_padded, &mut sorted);
        let (least, most) = range_of(&sorted);
        Self { values: sorted, strides, least, most }
    }
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

/// The entries of a table with its axes in another order; the last padded with zeros, if it shall be.
fn permute(order: &[usize], shape: &[usize], strides: &[usize], from: usize, values: &[f64], is_padded: bool, to: &mut Vec<f64>) {
    match order.split_first() {
        None => to.push(values[from]),
        Some((&axis, [])) => {
            match strides[axis] {
                1 => to.extend_from_slice(&values[from..from + shape[axis]]),
                stride => to.extend(values[from..].iter().step_by(stride).take(shape[axis])),
            }
            if is_padded {
                to.extend(std::iter::repeat_n(0.0, padded(shape[axis]) - shape[axis]));
            }
        }
        Some((&axis, inner)) => {
            (0..shape[axis]).for_each(|state| permute(inner, shape, strides, from + state * strides[axis], values, is_padded, to));
        }
    }
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
            (first, strides)
        };
        let leaving: Vec<(usize, Vec<usize>)> = over.iter().map(message).collect();
        let n_last = shape.last().copied().unwrap_or(1);
        let mut ones = vec![1.0; n_last];
        ones.resize(padded(n_last), 0.0);
        let mut sweep = Self {
            cells: vec![0.0; n_cells],
            block: vec![0.0; padded(n_last)],
            ones,
            at: vec![0; arriving.len() + leaving.len()],
            moved: vec![Vec::new(); n_depths],
            arrives: vec![Vec::new(); n_depths],
            leaves: vec![Vec::new(); n_depths],
            levels: vec![Level { factor: 1.0, state: 0, total: 0.0 }; n_depths],
            shape,
            arriving,
            leaving,
        };
        for (number, operand) in sweep.arriving.iter().enumerate() {
            tie(&operand.strides, number, number, &mut sweep.moved, &mut sweep.arrives);
        }
        for (number, (_, strides)) in sweep.leaving.iter().enumerate() {
            tie(strides, sweep.arriving.len() + number, number, &mut sweep.moved, &mut sweep.leaves);
        }
        Some(sweep)
    }

    /// Goes through all configurations, by the threads of rayon's pool `in_parallel` where that is worth it; gives what they sum to.
    pub(super) fn run(&mut self, in_parallel: bool) -> f64 {
        let (n_leading, n_leads, n_shares) = self.shares();
        if n_shares == 1 {
            return self.go_through(0, 0..1);
        }
        // The first share has the cells that are there, the others new ones.
        let mut cells = std::mem::take(&mut self.cells);
        let n_cells = cells.len();
        let share = |nth: usize| {
            let cells = if nth == 0 { std::mem::take(&mut cells) } else { vec![0.0; n_cells] };
            let leads = n_leads * nth / n_shares..n_leads * (nth + 1) / n_shares;
            Share { sweep: Self { cells, ..self.clone() }, leads, total: 0.0 }
        };
        let mut shares: Vec<Share<'a>> = (0..n_shares).map(share).collect();
        run_all(&mut shares, n_leading, in_parallel);
        self.cells = std::mem::take(&mut shares[0].sweep.cells);
        for share in &shares[1..] {
            self.cells.iter_mut().zip(&share.sweep.cells).for_each(|(sum, more)| *sum += more);
        }
        shares.iter().map(|share| share.total).sum()
    }

    /// The messages that leave, with their strides.
    pub(super) fn into_messages(self) -> Vec<(Vec<f64>, Vec<usize>)> {
        if let [(_, strides)] = &self.leaving[..] {
            return vec![(self.cells, strides.clone())];
        }
        let ends: Vec<usize> = self.leaving.iter().skip(1).map(|(first, _)| *first).chain([self.cells.len()]).collect();
        self.leaving.into_iter().zip(ends).map(|((first, strides), end)| (self.cells[first..end].to_vec(), strides)).collect()
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
    fn go_through(&mut self, n_leading: usize, leads: Range<usize>) -> f64 {
        struct Run<'r, 'a>(&'r mut Sweep<'a>, usize, Range<usize>);
        impl pulp::WithSimd for Run<'_, '_> {
            type Output = f64;

            #[inline(always)]
            fn with_simd<S: pulp::Simd>(self, _: S) -> f64 {
                let Self(sweep, n_leading, leads) = self;
                // A closure might not be compiled for the machine.
                let mut total = 0.0;
                for lead in leads {
                    total += sweep.lead(n_leading, lead);
                }
                total
            }
        }
        pulp::Arch::new().dispatch(Run(self, n_leading, leads))
    }

    /// What is below one configuration of the first variables.
    #[inline(always)]
    fn lead(&mut self, n_leading: usize, lead: usize) -> f64 {
        self.at.fill(0);
        self.at[self.arriving.len()..].iter_mut().zip(&self.leaving).for_each(|(at, (first, _))| *at = *first);
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
            return 0.0;
        }
        let below = self.all(n_leading, factor);
        for &number in self.leaves[..n_leading].iter().flatten() {
            self.cells[self.at[self.arriving.len() + number]] += below;
        }
        below
    }

    /// From this variable on, depth by depth, like the digits of a counter; the last two variables in loops of their own.
    #[inline(always)]
    fn all(&mut self, first: usize, factor: f64) -> f64 {
        let n_depths = self.shape.len();
        if n_depths <= first + 2 {
            return if n_depths == 0 { factor } else { self.run_of_last_two(factor) };
        }
        let mut depth = first;
        self.levels[depth] = Level { factor, state: 0, total: 0.0 };
        loop {
            let mut below = 0.0;
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
                self.levels[depth] = Level { factor: here, state: 0, total: 0.0 };
            }
            // The state of this depth is done; where it was the last, so is that of the depth above.
            loop {
                for &number in &self.leaves[depth] {
                    self.cells[self.at[self.arriving.len() + number]] += below;
                }
                let level = &mut self.levels[depth];
                level.total += below;
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
    fn run_of_last_two(&mut self, factor: f64) -> f64 {
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
    fn rows_of<const N: usize>(&mut self, factor: f64) -> f64 {
        let n_fours = self.block.len() / 4;
        let mut tables = [LastTable { fours: &[], stride: 0 }; N];
        for (nth, table) in tables.iter_mut().enumerate() {
            *table = self.table_of_last(nth);
        }
        self.rows_of_last(
            factor,
            #[inline(always)]
            |state| {
                let mut rows: [&[[f64; 4]]; N] = [&[]; N];
                for (row, table) in rows.iter_mut().zip(&tables) {
                    *row = table.row(state, n_fours);
                }
                rows
            },
        )
    }

    fn rows_of_many(&mut self, factor: f64) -> f64 {
        let n_fours = self.block.len() / 4;
        let tables: Vec<LastTable<'a>> = (0..self.arrives[self.shape.len() - 1].len()).map(|nth| self.table_of_last(nth)).collect();
        self.rows_of_last(factor, |state| tables.iter().map(|table| table.row(state, n_fours)).collect::<Vec<_>>())
    }

    fn rows_of_none(&mut self, factor: f64) -> f64 {
        let ones = std::mem::take(&mut self.ones);
        let total = self.rows_of_last(factor, |_| [ones.as_chunks::<4>().0]);
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
    fn rows_of_last<'r, R: AsRef<[&'r [[f64; 4]]]>>(&mut self, factor: f64, rows: impl Fn(usize) -> R) -> f64 {
        let Self { shape, arriving, leaving, cells, at, arrives, leaves, block, .. } = self;
        let last = shape.len() - 1;
        let (n_above, of_above, to_above) = match last {
            0 => (1, &[][..], &[][..]),
            _ => (shape[last - 1], &arrives[last - 1][..], &leaves[last - 1][..]),
        };
        let n_padded = block.len();
        let standing = |number: usize| (at[arriving.len() + number], above(&leaving[number].1));
        let mut total = 0.0;
        for state in 0..n_above {
            let mut here = factor;
            for &number in of_above {
                here *= arriving[number].values[at[number] + state * above(&arriving[number].strides)];
            }
            if here == 0.0 {
                continue;
            }
            let rows = rows(state);
            let sums_of = |number: usize| {
                let (first, stride) = standing(number);
                first + state * stride..first + state * stride + n_padded
            };
            let below = match &leaves[last][..] {
                [] => multiplied::<0>(here, rows.as_ref(), &mut []),
                [one] => multiplied::<ADDED>(here, rows.as_ref(), cells[sums_of(*one)].as_chunks_mut().0),
                several => {
                    let below = multiplied::<PUT>(here, rows.as_ref(), block.as_chunks_mut().0);
                    for &number in several {
                        cells[sums_of(number)].iter_mut().zip(&*block).for_each(|(sum, entry)| *sum += entry);
                    }
                    below
                }
            };
            for &number in to_above {
                let (first, stride) = standing(number);
                cells[first + state * stride] += below;
            }
            total += below;
        }
        total
    }
}

/// A table that the last variable is in, in fours.
#[derive(Clone, Copy)]
struct LastTable<'a> {
    fours: &'a [[f64; 4]],
    /// How many of them a state of the variable above the last goes.
    stride: usize,
}

impl<'a> LastTable<'a> {
    #[inline(always)]
    fn row(&self, state: usize, n_fours: usize) -> &'a [[f64; 4]] {
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
fn multiplied<const TO: u8>(factor: f64, rows: &[&[[f64; 4]]], cells: &mut [[f64; 4]]) -> f64 {
    let mut sums = [0.0; 4];
    for at in 0..rows[0].len() {
        let mut products = [factor; 4];
        for row in rows {
            for (product, value) in products.iter_mut().zip(&row[at]) {
                *product *= value;
            }
        }
        if TO == ADDED {
            for (cell, product) in cells[at].iter_mut().zip(&products) {
                *cell += product;
            }
        }
        if TO == PUT {
            cells[at] = products;
        }
        for (sum, product) in sums.iter_mut().zip(&products) {
            *sum += product;
        }
    }
    (sums[0] + sums[1]) + (sums[2] + sums[3])
}

/// Some of the configurations of a sweep's first variables, with messages of their own.
struct Share<'a> {
    sweep: Sweep<'a>,
    leads: Range<usize>,
    total: f64,
}

fn run_all(shares: &mut [Share<'_>], n_leading: usize, in_parallel: bool) {
    match shares {
        [share] => share.total = share.sweep.go_through(n_leading, share.leads.clone()),
        shares if in_parallel => {
            let (left, right) = shares.split_at_mut(shares.len() / 2);
            rayon::join(|| run_all(left, n_leading, true), || run_all(right, n_leading, true));
        }
        shares => shares.chunks_mut(1).for_each(|share| run_all(share, n_leading, false)),
    }
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
