//! What hangs together where values are missing: variables that a family has together.

use super::families::Families;
use std::sync::Arc;

/// What of a graph decides which missing variables hang together.
#[derive(Clone, Debug)]
pub struct Wiring {
    pub(super) families: Arc<Families>,
    pub(super) n_words: usize,
    /// For each variable, a row of bits: those that are in a family with it.
    beside: Vec<u64>,
    /// The families that each variable is in, ascending.
    pub(super) touched: Vec<Vec<u32>>,
    /// Entries that the tables of a part may have.
    pub(super) max_entries: usize,
}

impl Wiring {
    /// The wiring of families; `max_entries` bounds the tables that inference of one part may need.
    pub fn new(families: Arc<Families>, max_entries: usize) -> Self {
        let n = families.len();
        let n_words = n.div_ceil(64);
        let (mut beside, mut touched) = (vec![0_u64; n * n_words], vec![Vec::new(); n]);
        for of in 0..n {
            for a in families.scope(of) {
                touched[a].push(of as u32);
                families.scope(of).for_each(|b| beside[a * n_words + b / 64] |= 1 << (b % 64));
            }
        }
        Self { families, n_words, beside, touched, max_entries }
    }

    /// The families.
    pub fn families(&self) -> &Arc<Families> {
        &self.families
    }

    /// Entries that the tables of a part may have.
    pub fn max_entries(&self) -> usize {
        self.max_entries
    }

    /// Whether variables, which ascend, are there and hang together.
    pub(super) fn hangs_together(&self, variables: &[u32]) -> bool {
        let (Some(first), Some(last)) = (variables.first(), variables.last()) else { return false };
        if *last as usize >= self.families.len() {
            return false;
        }
        let (mut waiting, mut part) = (vec![0_u64; self.n_words], vec![0_u64; self.n_words]);
        variables.iter().for_each(|variable| waiting[*variable as usize / 64] |= 1 << (variable % 64));
        self.grow(*first as usize, &mut waiting, &mut part);
        waiting.iter().all(|bits| *bits == 0)
    }

    /// Grows a part from one of its variables, taking them out of what is missing.
    pub(super) fn grow(&self, from: usize, missing: &mut [u64], part: &mut [u64]) {
        let mut waiting = vec![from];
        missing[from / 64] &= !(1 << (from % 64));
        while let Some(variable) = waiting.pop() {
            part[variable / 64] |= 1 << (variable % 64);
            let beside = &self.beside[variable * self.n_words..][..self.n_words];
            for (word, (beside, missing)) in beside.iter().zip(missing.iter_mut()).enumerate() {
                let mut more = beside & *missing;
                *missing &= !more;
                while more != 0 {
                    waiting.push(word * 64 + more.trailing_zeros() as usize);
                    more &= more - 1;
                }
            }
        }
    }
}
