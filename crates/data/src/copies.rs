//! Documents that are there more than once, byte for byte, in bounded memory.
//!
//! The hash of every document is kept until there are too many; from then on only documents whose hash begins with a zero are
//! looked at, then with two, and so on, and what is found among them stands for all (adaptive sampling, Flajolet 1990). Which
//! documents those are depends on the documents alone, not on their order.

use std::collections::HashMap;

/// Hashes that are held at most: some 40 MB.
const MOST: usize = 1 << 20;

/// How often documents are there that were looked at.
#[derive(Default)]
pub(crate) struct Copies {
    times: HashMap<u64, u32>,
    /// How many bits at the front of a hash are zero.
    n_zeros: u32,
}

impl Copies {
    pub fn add(&mut self, hash: u64) {
        self.add_of(hash, MOST);
    }

    fn add_of(&mut self, hash: u64, most: usize) {
        if hash.leading_zeros() < self.n_zeros {
            return;
        }
        let times = self.times.entry(hash).or_default();
        *times = times.saturating_add(1);
        while self.times.len() > most {
            self.n_zeros += 1;
            self.times.retain(|hash, _| hash.leading_zeros() >= self.n_zeros);
        }
    }

    /// How many documents are copies of another, the first of each not counted.
    pub fn n_copies(&self) -> u64 {
        // A sum of whole numbers, the same in any order.
        let found: u64 = self.times.values().map(|times| u64::from(*times) - 1).sum();
        found << self.n_zeros
    }

    /// Whether every document was looked at.
    pub fn is_exact(&self) -> bool {
        self.n_zeros == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use belief::split_mix;

    #[test]
    fn copies_are_counted_and_of_many_documents_estimated() {
        let mut copies = Copies::default();
        [1, 2, 1, 3, 1].map(split_mix).into_iter().for_each(|hash| copies.add(hash));
        assert_eq!((copies.n_copies(), copies.is_exact()), (2, true));
        let mut sampled = Copies::default();
        let documents = (0..100_000).chain(0..30_000).map(split_mix);
        documents.for_each(|hash| sampled.add_of(hash, 4096));
        assert!(!sampled.is_exact() && sampled.times.len() <= 4096);
        let error = sampled.n_copies() as f64 / 30_000.0 - 1.0;
        assert!(error.abs() < 0.1, "{error}");
    }
}
