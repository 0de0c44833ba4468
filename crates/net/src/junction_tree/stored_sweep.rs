//! A sweep through a clique whose products are stored: every entry with the messages that arrive, added to those that leave.
//!
//! What its entries have in common is multiplied once, for a group or for a run of them, and where that is zero, as evidence makes it, they are passed over.

use super::number::Number;
use super::propagation::Known;
use super::{Clique, Link, Places, RunLink, Runs, Within};
use std::ops::Range;

/// Entries that are worked on together: few enough to stay in the first cache.
pub(super) const BLOCK: usize = 512;

/// One way through a clique: every entry is its potential times what its group is multiplied by times the messages that arrive. It is added to the sum
/// of its group, and to the messages that leave.
pub(super) struct Sweep<'a, 'k, N> {
    pub(super) known: &'a Known<'k, N>,
    pub(super) by_group: &'a [N],
    pub(super) sums: Option<&'a mut [N]>,
    /// Where messages leave to, from this entry of all on.
    pub(super) leaving: &'a mut [N],
    pub(super) first_leaving: usize,
    pub(super) goes: Goes<'a, N>,
}

/// Which messages leave, and whether one comes from the parent.
pub(super) enum Goes<'a, N> {
    /// None but the one to the parent: the sums of groups, or what leaves along runs.
    Up,
    /// Those that are needed. What comes from the parent is what groups are multiplied by, or steps along runs.
    Down { is_needed: &'a [bool], of_parent: &'a [N] },
}

impl<N: Number> Sweep<'_, '_, N> {
    pub(super) fn run(&mut self, clique: &Clique, block: &mut [N]) {
        match &clique.within {
            Within::Entries(links) => self.entries(clique, links, block),
            Within::Runs(runs) => self.runs(clique, runs, block),
        }
    }

    /// The links whose messages are to leave, with where those begin.
    fn leaving<'l>(&self, links: &'l [Link]) -> Vec<(&'l Places, Range<usize>)> {
        let Goes::Down { is_needed, .. } = self.goes else { return Vec::new() };
        links.iter().filter(|link| is_needed[link.to]).map(|link| (&link.places, self.told_to(link.to))).collect()
    }

    fn told_to(&self, neighbour: usize) -> Range<usize> {
        let told = self.known.tree().told_to(neighbour);
        told.start - self.first_leaving..told.end - self.first_leaving
    }

    /// Entry by entry, in blocks. Groups that are zero, as evidence makes them, are passed over.
    fn entries(&mut self, clique: &Clique, links: &[Link], block: &mut [N]) {
        let (arriving, leaving) = (self.known.messages(links), self.leaving(links));
        let n_groups = self.by_group.len();
        let starts = |group: usize| clique.groups[group] as usize;
        let (mut first, mut group) = (0, 0);
        while group < n_groups {
            if self.by_group[group].is_zero() {
                group += 1;
                continue;
            }
            // As many entries as make a block, up to the next group that is zero; the first group may be under way.
            first = first.max(starts(group));
            let (first_group, mut end) = (group, first);
            while group < n_groups && end < first + BLOCK && !self.by_group[group].is_zero() {
                let from = end;
                end = starts(group + 1).min(first + BLOCK);
                for (entry, &value) in block[from - first..end - first].iter_mut().zip(&clique.potential[from..end]) {
                    *entry = N::from_f64(value).times(self.by_group[group]);
                }
                group += usize::from(end == starts(group + 1));
            }
            let block = &mut block[..end - first];
            for (places, message) in &arriving {
                multiply(block, places, first, message);
            }
            if let Some(sums) = &mut self.sums {
                for group in (first_group..n_groups).take_while(|&group| starts(group) < end) {
                    let part = first.max(starts(group))..end.min(starts(group + 1));
                    sums[group] = block[part.start - first..part.end - first].iter().fold(sums[group], |sum, &value| sum.plus(value));
                }
            }
            for (places, range) in &leaving {
                scatter_to(&mut self.leaving[range.clone()], places, first, block);
            }
            first = end;
        }
    }

    /// Run by run.
    fn runs(&mut self, clique: &Clique, runs: &Runs, block: &mut [N]) {
        let mut stepping = self.known.messages_of_runs(&runs.along);
        let mut leaving_along = self.leaving_runs(&runs.along);
        if let Some(places) = &runs.to_parent {
            match self.goes {
                Goes::Up => leaving_along.push((places, 0)),
                Goes::Down { of_parent, .. } => stepping.push((places, of_parent)),
            }
        }
        let way = Way {
            potential: &clique.potential,
            runs,
            open: self.known.open_states(runs.variable),
            staying: self.known.messages_of_runs(&runs.across),
            leaving_across: self.leaving_runs(&runs.across),
            leaving_along,
        };
        let piece = |nth: usize, run: usize, part: &Range<usize>| {
            let (places, message) = stepping[nth];
            &message[places[run] as usize..][part.clone()]
        };
        match stepping.len() {
            0 => self.go_through(&way, |_, _| [], block),
            1 => self.go_through(&way, |run, part| [piece(0, run, part)], block),
            2 => self.go_through(&way, |run, part| [piece(0, run, part), piece(1, run, part)], block),
            3 => self.go_through(&way, |run, part| [piece(0, run, part), piece(1, run, part), piece(2, run, part)], block),
            all => self.go_through(&way, |run, part| (0..all).map(|nth| piece(nth, run, part)).collect::<Vec<_>>(), block),
        }
    }

    /// Through all runs; `messages` gives what arrives along a part of each. Groups, runs and parts of them that are zero are passed over.
    #[inline(always)]
    fn go_through<'m, M: AsRef<[&'m [N]]>>(&mut self, way: &Way<N>, messages: impl Fn(usize, &Range<usize>) -> M, block: &mut [N])
    where
        N: 'm,
    {
        let Runs { starts, first_states, groups, .. } = way.runs;
        for (group, &by_group) in self.by_group.iter().enumerate() {
            if by_group.is_zero() {
                continue;
            }
            let mut of_group = N::ZERO;
            for run in groups[group] as usize..groups[group + 1] as usize {
                let factor = way.staying.iter().fold(by_group, |factor, (places, message)| factor.times(message[places[run] as usize]));
                let (start, end, first_state) = (starts[run] as usize, starts[run + 1] as usize, first_states[run] as usize);
                let part = way.open.start.saturating_sub(first_state)..way.open.end.saturating_sub(first_state).min(end - start);
                if factor.is_zero() || part.is_empty() {
                    continue;
                }
                let entries = &way.potential[start..end][part.clone()];
                let messages = messages(run, &part);
                let cells = |(places, first): &(&[u32], usize)| {
                    let first = first + places[run] as usize + part.start;
                    first..first + entries.len()
                };
                let sum = match &way.leaving_along[..] {
                    [] => run_through::<N, false>(factor, entries, messages.as_ref(), &mut [], |_, _| {}),
                    [one] => {
                        let cells = &mut self.leaving[cells(one)];
                        run_through::<N, true>(factor, entries, messages.as_ref(), cells, |cell, value| *cell = cell.plus(value))
                    }
                    several => {
                        let block = &mut block[..entries.len()];
                        let sum = run_through::<N, true>(factor, entries, messages.as_ref(), block, |cell, value| *cell = value);
                        for one in several {
                            self.leaving[cells(one)].iter_mut().zip(&*block).for_each(|(cell, &value)| *cell = cell.plus(value));
                        }
                        sum
                    }
                };
                of_group = of_group.plus(sum);
                for (places, first) in &way.leaving_across {
                    let cell = &mut self.leaving[first + places[run] as usize];
                    *cell = cell.plus(sum);
                }
            }
            if let Some(sums) = &mut self.sums {
                sums[group] = of_group;
            }
        }
    }

    /// The same of runs: their places, and where the message begins.
    fn leaving_runs<'l>(&self, links: &'l [RunLink]) -> Vec<(&'l [u32], usize)> {
        let Goes::Down { is_needed, .. } = self.goes else { return Vec::new() };
        links.iter().filter(|link| is_needed[link.to]).map(|link| (&link.places[..], self.told_to(link.to).start)).collect()
    }
}

/// The runs of a clique, with the messages that stay at their place along a run and those that leave.
struct Way<'r, N> {
    potential: &'r [f64],
    runs: &'r Runs,
    /// The states that are not ruled out of the variable that runs go along.
    open: Range<usize>,
    staying: Vec<(&'r [u32], &'r [N])>,
    leaving_across: Vec<(&'r [u32], usize)>,
    leaving_along: Vec<(&'r [u32], usize)>,
}

/// Numbers that are worked on side by side, the same on every machine.
const LANES: usize = 2;

/// What the entries of a run come to with the messages along it and what all are multiplied by: their sum. Where they leave, each is put to its cell.
#[inline(always)]
fn run_through<N: Number, const LEAVE: bool>(factor: N, entries: &[f64], messages: &[&[N]], cells: &mut [N], put: impl Fn(&mut N, N)) -> N {
    let (whole, rest) = entries.as_chunks::<LANES>();
    let (cells_of_whole, cells_of_rest) = cells.as_chunks_mut::<LANES>();
    let n_whole = whole.len() * LANES;
    let mut sums = [N::ZERO; LANES];
    for (at, values) in whole.iter().enumerate() {
        let mut products = values.map(N::from_f64);
        if LEAVE {
            products = products.map(|product| product.times(factor));
        }
        for message in messages {
            let sent = &message.as_chunks::<LANES>().0[at];
            products.iter_mut().zip(sent).for_each(|(product, &sent)| *product = product.times(sent));
        }
        if LEAVE {
            cells_of_whole[at].iter_mut().zip(products).for_each(|(cell, product)| put(cell, product));
        }
        sums.iter_mut().zip(products).for_each(|(sum, product)| *sum = sum.plus(product));
    }
    let mut of_rest = N::ZERO;
    for (at, &value) in rest.iter().enumerate() {
        let value = if LEAVE { N::from_f64(value).times(factor) } else { N::from_f64(value) };
        let product = messages.iter().fold(value, |product, message| product.times(message[n_whole + at]));
        if LEAVE {
            put(&mut cells_of_rest[at], product);
        }
        of_rest = of_rest.plus(product);
    }
    let sum = sums[0].plus(sums[1]).plus(of_rest);
    if LEAVE { sum } else { sum.times(factor) }
}

pub(super) fn multiply<N: Number>(values: &mut [N], places: &Places, first: usize, message: &[N]) {
    match places {
        Places::Byte(places) => gather(values, &places[first..], message),
        Places::Short(places) => gather(values, &places[first..], message),
        Places::Long(places) => gather(values, &places[first..], message),
    }
}

fn gather<N: Number, P: Copy + Into<u32>>(values: &mut [N], places: &[P], message: &[N]) {
    for (value, &place) in values.iter_mut().zip(places) {
        *value = value.times(message[place.into() as usize]);
    }
}

/// Adds values to a message, the first at the `first`-th of the places.
pub(super) fn scatter_to<N: Number>(message: &mut [N], places: &Places, first: usize, values: &[N]) {
    match places {
        Places::Byte(places) => scatter(message, &places[first..], values),
        Places::Short(places) => scatter(message, &places[first..], values),
        Places::Long(places) => scatter(message, &places[first..], values),
    }
}

fn scatter<N: Number, P: Copy + Into<u32>>(message: &mut [N], places: &[P], values: &[N]) {
    for (&value, &place) in values.iter().zip(places) {
        let sum = &mut message[place.into() as usize];
        *sum = sum.plus(value);
    }
}
