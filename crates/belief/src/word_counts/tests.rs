//! The laws of word counts, and what files may not say of them.

use super::stored::RawCounts;
use super::*;
use crate::{Codes, Texts};
use proptest::prelude::*;

const N_WORDS: usize = 6;

type Rows = Vec<(u8, Vec<u32>)>;

fn counted(rows: &Rows, weights: WordWeights) -> WordCounts {
    let classes: Vec<u8> = rows.iter().map(|row| row.0).collect();
    let words: Vec<u32> = rows.iter().flat_map(|row| row.1.iter().copied()).collect();
    let ends: Vec<u32> = rows
        .iter()
        .scan(0, |end, row| {
            *end += row.1.len() as u32;
            Some(*end)
        })
        .collect();
    let mut counts = WordCounts::weighed(3, N_WORDS, Arc::new(weights));
    counts.observe(Codes::U8(&classes), Texts { ends: &ends, codes: &words, n_words: N_WORDS }, None).unwrap();
    counts
}

fn counts(rows: &Rows) -> WordCounts {
    counted(rows, WordWeights::default())
}

fn in_bursts(rows: &Rows) -> WordCounts {
    counted(rows, WordWeights { bursts: true, ..WordWeights::default() })
}

fn rows() -> impl Strategy<Value = Rows> {
    let class = prop_oneof![9 => 0..3_u8, 1 => Just(u8::MAX)];
    let words = proptest::collection::vec(prop_oneof![9 => 0..N_WORDS as u32, 1 => Just(u32::MAX)], 0..12);
    proptest::collection::vec((class, words), 0..20)
}

proptest! {
    #[test]
    fn words_are_counted_as_by_hand(rows in rows()) {
        let found = counts(&rows);
        for word in 0..N_WORDS {
            for class in 0..3_usize {
                let of_class = rows.iter().filter(|row| usize::from(row.0) == class);
                let met: Vec<usize> = of_class.map(|row| row.1.iter().filter(|w| **w as usize == word).count()).collect();
                let count = found.of_word(word).of_class(class);
                prop_assert_eq!(count.times, met.iter().sum::<usize>() as f64);
                prop_assert_eq!(count.texts, met.iter().filter(|n| **n > 0).count() as f64);
            }
        }
    }

    #[test]
    fn a_text_of_one_class_is_shared_by_giving_it_all(rows in rows()) {
        let rows: Rows = rows.into_iter().filter(|row| row.0 < 3).collect();
        let codes: Vec<u32> = rows.iter().flat_map(|row| row.1.iter().copied()).collect();
        let ends: Vec<u32> = rows.iter().scan(0, |end, row| { *end += row.1.len() as u32; Some(*end) }).collect();
        let shares: Vec<f64> = rows.iter().flat_map(|row| (0..3).map(|class| f64::from(u8::from(row.0 == class)))).collect();
        let mut shared = WordCounts::empty(3, N_WORDS);
        shared.observe_shared(Texts { ends: &ends, codes: &codes, n_words: N_WORDS }, &shares).unwrap();
        prop_assert_eq!(&shared, &counts(&rows));
        shared.scale(2.0);
        prop_assert_eq!(shared, counts(&[rows.clone(), rows].concat()));
    }

    #[test]
    fn the_laws_of_the_algebra_hold(a in rows(), b in rows(), c in rows()) {
        for (count, blank) in [
            (counts as fn(&Rows) -> WordCounts, WordCounts::empty(3, N_WORDS)),
            (in_bursts, in_bursts(&Rows::new())),
        ] {
        let [a, b, c] = [&a, &b, &c].map(count);
        let merged = |x: &WordCounts, y: &WordCounts| { let mut sum = x.clone(); sum.merge(y).unwrap(); sum };
        prop_assert_eq!(testkit::merging_is_a_commutative_monoid(&blank, [&a, &b, &c], merged, PartialEq::eq), Ok(()));
        let mut both = merged(&a, &b);
        both.forget(&b).unwrap();
        prop_assert_eq!(both, a);
        }
    }

    #[test]
    fn bursts_are_counted_as_by_hand(rows in rows()) {
        let found = in_bursts(&rows);
        let bursts = found.bursts().unwrap();
        let known = |row: &(u8, Vec<u32>)| row.1.iter().filter(|w| (**w as usize) < N_WORDS).count();
        for class in 0..3_u8 {
            let texts = || rows.iter().filter(move |row| row.0 == class);
            let lengths: Vec<(u32, f64)> = bursts.lengths(u32::from(class)).collect();
            prop_assert_eq!(lengths.iter().map(|(_, n)| n).sum::<f64>(), texts().filter(|row| known(row) > 0).count() as f64);
            prop_assert!(lengths.iter().all(|(length, n)| *n == texts().filter(|row| known(row) == *length as usize).count() as f64));
            for word in 0..N_WORDS as u32 {
                for times in 2..12 {
                    let n = texts().filter(|row| row.1.iter().filter(|w| **w == word).count() == times as usize).count() as f64;
                    let of_times: f64 = bursts.repeats(word, u32::from(class)).filter(|(t, _)| *t == times).map(|(_, n)| n).sum();
                    prop_assert_eq!(of_times, n);
                }
            }
        }
    }

    #[test]
    fn stored_and_read_again(a in rows()) {
        for counts in [counts(&a), in_bursts(&a)] {
            let raw = RawCounts::from(&counts);
            prop_assert_eq!(WordCounts::try_from(raw), Ok(counts));
        }
    }

    #[test]
    fn renaming_moves_counts(a in rows(), order in Just((0..N_WORDS as u32 + 2).collect::<Vec<u32>>()).prop_shuffle()) {
        let before = counts(&a);
        let mut after = before.clone();
        let to = order[..N_WORDS].to_vec();
        let classes = StateMap { to: vec![2, 0, 1], n_states: 4 };
        after.recode(Some(&classes), Some(&StateMap { to: to.clone(), n_states: N_WORDS + 2 })).unwrap();
        for (word, &new) in to.iter().enumerate() {
            for (class, &new_class) in classes.to.iter().enumerate() {
                let count = |counts: &WordCounts, word: usize, class: usize| counts.of_word(word).of_class(class);
                prop_assert_eq!(count(&before, word, class), count(&after, new as usize, new_class as usize));
            }
        }
    }
}

#[test]
fn words_that_are_dropped_take_their_counts_along() {
    let mut held = counts(&vec![(0, vec![0, 1, 1]), (2, vec![3])]);
    held.recode(None, Some(&StateMap { to: vec![StateMap::DROPPED, 0, 1, StateMap::DROPPED, 2, 3], n_states: 4 })).unwrap();
    assert_eq!((held.times(), held.rows.n_places()), (vec![2.0, 0.0, 0.0, 0.0], 1));
}

#[test]
fn what_no_texts_can_have_is_refused() {
    let held = in_bursts(&vec![(0, vec![1, 1, 2]), (1, vec![0])]);
    let with = |change: &dyn Fn(&mut RawCounts)| {
        let mut raw = RawCounts::from(&held);
        change(&mut raw);
        WordCounts::try_from(raw)
    };
    assert!(with(&|_| {}).is_ok());
    // A file of a few bytes does not ask for gigabytes.
    assert!(with(&|raw| raw.n_classes = (1 << 24) - 1).is_err());
    // Lengths and repeats are those of the words.
    assert!(with(&|raw| raw.bursts = Some(Bursts::default())).is_err());
    assert!(with(&|raw| raw.bursts.as_mut().unwrap().scale(1e300)).is_err());
    assert!(with(&|raw| raw.bursts = None).is_err());
}

#[test]
fn new_words_have_no_weight_of_their_own() {
    let weights = Arc::new(WordWeights { of_word: Some(vec![1.0, 2.0]), ..WordWeights::default() });
    assert_eq!(WordCounts::weighed(3, 4, weights).weights().of_word, Some(vec![1.0, 2.0, 0.0, 0.0]));
}

#[test]
fn words_that_were_never_there_cannot_be_forgotten() {
    let mut held = counts(&vec![(0, vec![1, 1, 2])]);
    let before = held.clone();
    assert!(held.forget(&counts(&vec![(0, vec![1, 1, 1])])).is_err());
    assert!(held.forget(&counts(&vec![(1, vec![1])])).is_err());
    assert_eq!(held, before);
}

#[test]
fn hostile_counts_are_refused() {
    let raw = |n_met: Vec<u32>, classes: Vec<u32>, times: Vec<f64>, texts: Vec<f64>| {
        WordCounts::try_from(RawCounts { n_classes: 2, n_met, classes, times, texts, ..RawCounts::default() })
    };
    assert!(raw(vec![1, 0], vec![1], vec![2.0], vec![1.0]).is_ok());
    assert!(raw(vec![2], vec![1], vec![2.0], vec![1.0]).is_err());
    assert!(raw(vec![1], vec![2], vec![2.0], vec![1.0]).is_err());
    assert!(raw(vec![2], vec![1, 1], vec![2.0, 2.0], vec![1.0, 1.0]).is_err());
    assert!(raw(vec![1], vec![1], vec![1.0], vec![2.0]).is_err());
    assert!(raw(vec![1], vec![1], vec![f64::NAN], vec![1.0]).is_err());
}

/// A class costs nothing but its own words: a million labels of a thousand words would be sixteen gigabytes otherwise.
#[test]
fn classes_without_words_take_no_room() {
    const CLASSES: u32 = 1 << 20;
    let codes: Vec<u32> = (0..3000).map(|n| n % 1000).collect();
    let ends: Vec<u32> = (1..=1000).map(|n| 3 * n).collect();
    let classes: Vec<u32> = (0..1000).map(|n| n * 1000).collect();
    let texts = Texts { ends: &ends, codes: &codes, n_words: 1000 };
    let mut held = WordCounts::empty(CLASSES as usize, 1000);
    held.observe(Codes::U32(&classes), texts, None).unwrap();
    held.observe(Codes::U32(&classes), texts, None).unwrap();
    let mut twice = held.clone();
    twice.merge(&held).unwrap();
    assert_eq!(twice.of_word(7).iter().map(|(_, count)| count.times).sum::<f64>(), 12.0);
    assert!(twice.rows.n_places() <= 2 * 3000, "{}", twice.rows.n_places());
    twice.forget(&held).unwrap();
    assert_eq!(twice, held);
    assert_eq!(WordCounts::try_from(RawCounts::from(&held)), Ok(held));
}

proptest! {
    /// As merging chunk by chunk, whatever lies in them already.
    #[test]
    fn rows_grow_as_classes_come(rows in proptest::collection::vec((0..40_u32, proptest::collection::vec(0..N_WORDS as u32, 0..9)), 0..60)) {
        let mut held = WordCounts::empty(40, N_WORDS);
        for (class, words) in &rows {
            let texts = Texts { ends: &[words.len() as u32], codes: words, n_words: N_WORDS };
            held.observe(Codes::U32(&[*class]), texts, None).unwrap();
        }
        for word in 0..N_WORDS {
            let counts = held.of_word(word);
            prop_assert!(counts.iter().map(|(class, _)| class).is_sorted());
            prop_assert_eq!(counts.dense(40).iter().filter(|count| count.times > 0.0).count(), counts.len());
            for class in 0..40 {
                let of_class = || rows.iter().filter(|row| row.0 == class).map(|row| row.1.iter().filter(|w| **w as usize == word).count());
                let count = counts.of_class(class as usize);
                prop_assert_eq!(count.times, of_class().sum::<usize>() as f64);
                prop_assert_eq!(count.texts, of_class().filter(|n| *n > 0).count() as f64);
            }
        }
        let raw = RawCounts::from(&held);
        prop_assert_eq!(WordCounts::try_from(raw), Ok(held));
    }
}
