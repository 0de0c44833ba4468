//! Keeping a vocabulary to a bound while it is counted: the rarest words are dropped.
//!
//! As in lossy counting (Manku & Motwani 2002), a word that was dropped may come back, and is then counted from there
//! on. If c₁, c₂, … are the counts of the most frequent words dropped in each round, a word that is not there was met at most
//! k = c₁ + c₂ + … times: in each round it lost no more than the most frequent one did. So bounds of two halves add up, as counts do.

use serde::{Deserialize, Serialize};

use crate::StateMap;

/// What was lost when a vocabulary was kept to its bound.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Pruned {
    /// How often a word was dropped; one that came back may be dropped again.
    pub n_dropped: u64,
    /// Occurrences that were dropped with them, as weights.
    pub times: f64,
    /// The most that a word that is not there can have been met.
    pub most: f64,
    /// The most that the count of a word that is there can be short by.
    pub short_by: f64,
}

impl Pruned {
    /// Whether anything was lost.
    pub fn is_something(&self) -> bool {
        self.n_dropped > 0
    }

    /// Whether its numbers can be those of words; for what was read from a file.
    pub fn is_valid(&self) -> bool {
        [self.times, self.most, self.short_by].iter().all(|x| x.is_finite() && *x >= 0.0) && self.n_dropped < 1 << 53
    }

    /// What is lost of two halves together: a word of one may have been dropped in the other.
    #[must_use]
    pub fn with(&self, other: &Self) -> Self {
        Self {
            n_dropped: self.n_dropped.saturating_add(other.n_dropped),
            times: self.times + other.times,
            most: self.most + other.most,
            short_by: (self.short_by + other.most).max(self.most + other.short_by),
        }
    }

    /// The same after another round that dropped these.
    #[must_use]
    pub fn after(&self, round: &Self) -> Self {
        Self {
            n_dropped: self.n_dropped.saturating_add(round.n_dropped),
            times: self.times + round.times,
            most: self.most + round.most,
            short_by: self.short_by,
        }
    }
}

/// Drops the rarest words until no more than `most` are left, of those from `first` on; the others stay. Of words met equally
/// often the earlier one stays. `None` if nothing need be dropped.
///
/// **Complexity**: linear in the number of words.
pub fn drop_rarest(times: &[f64], first: usize, most: usize) -> Option<(StateMap, Pruned)> {
    let n_new = times.len().saturating_sub(first);
    if n_new <= most {
        return None;
    }
    let mut by_times: Vec<u32> = (first as u32..times.len() as u32).collect();
    by_times.select_nth_unstable_by(most, |a, b| times[*b as usize].total_cmp(&times[*a as usize]).then(a.cmp(b)));
    let mut stays = vec![true; times.len()];
    let mut round = Pruned { n_dropped: (n_new - most) as u64, ..Pruned::default() };
    // In the order of the words, so that the sum is the same wherever the selection leaves them.
    by_times[most..].iter().for_each(|word| stays[*word as usize] = false);
    let mut n_states = 0;
    let to = times
        .iter()
        .zip(&stays)
        .map(|(times, stays)| {
            if *stays {
                n_states += 1;
                return n_states - 1;
            }
            round.times += times;
            round.most = round.most.max(*times);
            StateMap::DROPPED
        })
        .collect();
    Some((StateMap { to, n_states: n_states as usize }, round))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::{BTreeMap, BTreeSet};

    #[test]
    fn the_rarest_go_and_of_equals_the_later() {
        let (map, round) = drop_rarest(&[1.0, 5.0, 2.0, 2.0, 9.0], 0, 3).unwrap();
        assert_eq!((map.to, map.n_states), (vec![StateMap::DROPPED, 0, 1, StateMap::DROPPED, 2], 3));
        assert_eq!(round, Pruned { n_dropped: 2, times: 3.0, most: 2.0, short_by: 0.0 });
        // Words before the first stay, however rare.
        let (map, round) = drop_rarest(&[0.0, 5.0, 2.0], 1, 1).unwrap();
        assert_eq!((map.to, round.most), (vec![0, 1, StateMap::DROPPED], 2.0));
        assert!(drop_rarest(&[1.0, 1.0], 0, 2).is_none());
    }

    proptest! {
        /// No word is short by more than is said, whatever the order of words and rounds.
        #[test]
        fn no_count_is_short_by_more_than_the_bound(chunks in proptest::collection::vec(proptest::collection::vec(0..30_u8, 0..40), 1..20), most in 1..8_usize) {
            let (mut truth, mut held): (BTreeMap<u8, f64>, Vec<(u8, f64)>) = Default::default();
            let mut pruned = Pruned::default();
            let mut total = 0.0;
            for chunk in &chunks {
                for word in chunk {
                    total += 1.0;
                    *truth.entry(*word).or_default() += 1.0;
                    match held.iter_mut().find(|(held, _)| held == word) {
                        Some((_, times)) => *times += 1.0,
                        None => held.push((*word, 1.0)),
                    }
                }
                let times: Vec<f64> = held.iter().map(|(_, times)| *times).collect();
                if let Some((map, round)) = drop_rarest(&times, 0, most) {
                    let mut to = map.to.iter();
                    held.retain(|_| to.next() != Some(&StateMap::DROPPED));
                    pruned = pruned.after(&round);
                }
                prop_assert!(held.len() <= most);
            }
            let kept: f64 = held.iter().map(|(_, times)| times).sum();
            prop_assert_eq!(kept + pruned.times, total);
            let held: BTreeMap<u8, f64> = held.into_iter().collect();
            for word in truth.keys().collect::<BTreeSet<_>>() {
                prop_assert!(truth[word] <= held.get(word).unwrap_or(&0.0) + pruned.most);
            }
        }
    }
}
