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
    /// Messages that are added to: their numbers and strides.
    pub(super) leaving: Vec<(Vec<f64>, Vec<usize>)>,
    /// Where each operand, and behind those each message, stands.
    at: Vec<usize>,
    /// For each depth, what moves with its variable and how far, what arrives there and what leaves there.
    moved: Vec<Vec<(usize, usize)>>,
    arrives: Vec<Vec<usize>>,
    leaves: Vec<Vec<usize>>,
    /// How far each depth but the last two has come.
    levels: Vec<Level>,
    block: Vec<f64>,
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
        let above_zero = sorted.iter().copied().filter(|value| *value > 0.0);
        let (least, most) = (above_zero.fold(f64::INFINITY, f64::min), sorted.iter().copied().fold(0.0, f64::max));
        Self { values: sorted, strides, least, most }
    }
}

/// The entries of a table with its axes in another order; the last padded with zeros, if it shall be.
fn permute(order: &[usize], shape: &[usize], strides: &[usize], from: usize, values: &[f64], is_padded: bool, to: &mut Vec<f64>) {
    match order.split_first() {
        None => to.push(values[from]),
        Some((&axis, [])) => {
            to.extend((0..shape[axis]).map(|state| values[from + state * strides[axis]]));
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
        let message = |over: &&[VarId]| {
            let (mut strides, mut size) = (vec![0; n_depths], 1);
            for depth in (0..n_depths).rev().filter(|&depth| over.contains(&scope[depth])) {
                strides[depth] = size;
                size *= if depth + 1 == n_depths { padded(shape[depth]) } else { shape[depth] };
            }
            (vec![0.0; size], strides)
        };
        let leaving: Vec<(Vec<f64>, Vec<usize>)> = over.iter().map(message).collect();
        let mut sweep = Self {
            block: vec![0.0; padded(shape.last().copied().unwrap_or(1))],
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
        let share = |nth: usize| Share { sweep: self.clone(), leads: n_leads * nth / n_shares..n_leads * (nth + 1) / n_shares, total: 0.0 };
        let mut shares: Vec<Share<'a>> = (0..n_shares).map(share).collect();
        run_all(&mut shares, n_leading, in_parallel);
        for share in &shares {
            for ((sums, _), (more, _)) in self.leaving.iter_mut().zip(&share.sweep.leaving) {
                sums.iter_mut().zip(more).for_each(|(sum, more)| *sum += more);
            }
        }
        shares.iter().map(|share| share.total).sum()
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
                leads.map(|lead| sweep.lead(n_leading, lead)).sum()
            }
        }
        pulp::Arch::new().dispatch(Run(self, n_leading, leads))
    }

    /// What is below one configuration of the first variables.
    #[inline(always)]
    fn lead(&mut self, n_leading: usize, lead: usize) -> f64 {
        self.at.fill(0);
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
            self.leaving[number].0[self.at[self.arriving.len() + number]] += below;
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
                    self.leaving[number].0[self.at[self.arriving.len() + number]] += below;
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
        let Self { shape, arriving, leaving, at, arrives, leaves, block, .. } = self;
        let (n_padded, last) = (block.len(), shape.len() - 1);
        let block = fours_mut(block);
        // The tables from where they stand, and how far a state of the variable above goes.
        let above = |strides: &[usize]| if last == 0 { 0 } else { strides[last - 1] };
        let table = |number: usize| (&arriving[number].values[at[number]..], above(&arriving[number].strides));
        let (n_above, of_above, to_above) = match last {
            0 => (1, &[][..], &[][..]),
            _ => (shape[last - 1], &arrives[last - 1][..], &leaves[last - 1][..]),
        };
        let of_last = &arrives[last][..];
        let [first, second, third] = [0, 1, 2].map(|nth| of_last.get(nth).map_or((&[][..], 0), |&number| table(number)));
        let mut total = 0.0;
        for state in 0..n_above {
            let mut here = factor;
            for &number in of_above {
                let (values, stride) = table(number);
                here *= values[state * stride];
            }
            if here == 0.0 {
                continue;
            }
            let row = |(values, stride): (&'a [f64], usize)| fours(&values[state * stride..][..n_padded]);
            match of_last.len() {
                0 => {
                    let block = block.as_flattened_mut();
                    block.fill(0.0);
                    block[..shape[last]].fill(here);
                }
                1 => block.iter_mut().zip(row(first)).for_each(|(entry, a)| *entry = a.map(|a| here * a)),
                2 => {
                    for ((entry, a), b) in block.iter_mut().zip(row(first)).zip(row(second)) {
                        *entry = std::array::from_fn(|lane| here * a[lane] * b[lane]);
                    }
                }
                _ => {
                    for (((entry, a), b), c) in block.iter_mut().zip(row(first)).zip(row(second)).zip(row(third)) {
                        *entry = std::array::from_fn(|lane| here * a[lane] * b[lane] * c[lane]);
                    }
                    for &other in &of_last[3..] {
                        for (entry, a) in block.iter_mut().zip(row(table(other))) {
                            *entry = std::array::from_fn(|lane| entry[lane] * a[lane]);
                        }
                    }
                }
            }
            for &number in &leaves[last] {
                let (sums, strides) = &mut leaving[number];
                let from = at[arriving.len() + number] + state * above(strides);
                for (sum, entry) in fours_mut(&mut sums[from..][..n_padded]).iter_mut().zip(&*block) {
                    *sum = std::array::from_fn(|lane| sum[lane] + entry[lane]);
                }
            }
            let lanes = block.iter().fold([0.0; 4], |lanes: [f64; 4], entry| std::array::from_fn(|lane| lanes[lane] + entry[lane]));
            let below = (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]);
            for &number in to_above {
                let (sums, strides) = &mut leaving[number];
                sums[at[arriving.len() + number] + state * above(strides)] += below;
            }
            total += below;
        }
        total
    }
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

#[inline(always)]
fn fours_mut(values: &mut [f64]) -> &mut [[f64; 4]] {
    values.as_chunks_mut::<4>().0
}

#[inline(always)]
fn fours(values: &[f64]) -> &[[f64; 4]] {
    values.as_chunks::<4>().0
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
