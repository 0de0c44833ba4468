//! Counts of (class × word): the statistic of a column of texts, seen class by class.
//!
//! A vocabulary is large, and a chunk holds few of its words. Only words that were met have a row, so that a chunk costs what its
//! own words cost, whatever the size of the vocabulary.

use serde::{Deserialize, Serialize, Serializer};

use crate::{Code, Codes, NeverObserved, ShapeMismatch, StateMap, Texts, count_without, for_codes};

/// How often each word was met in texts of each class, and in how many texts, as weights.
///
/// With whole weights every count is exact up to 2⁵³, whatever the order of rows, chunks and merges.
#[derive(Clone, Debug, Deserialize)]
#[serde(try_from = "RawCounts")]
pub struct WordCounts {
    n_classes: usize,
    /// Where the row of each word is; [`NO_ROW`] for one never met.
    row_of: Vec<u32>,
    /// Row by row, the classes within.
    cells: Vec<WordCount>,
}

/// How often a word was met in texts of one class.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct WordCount {
    /// Times it was met.
    pub times: f64,
    /// Texts it was met in.
    pub texts: f64,
}

const NO_ROW: u32 = u32::MAX;

impl WordCounts {
    /// Nothing counted.
    pub fn empty(n_classes: usize, n_words: usize) -> Self {
        Self { n_classes, row_of: vec![NO_ROW; n_words], cells: Vec::new() }
    }

    /// How many classes.
    pub fn n_classes(&self) -> usize {
        self.n_classes
    }

    /// How many words the vocabulary has.
    pub fn n_words(&self) -> usize {
        self.row_of.len()
    }

    /// The counts of a word, class by class; `None` for one never met.
    pub fn of_word(&self, word: usize) -> Option<&[WordCount]> {
        let row = *self.row_of.get(word).filter(|row| **row != NO_ROW)? as usize;
        Some(&self.cells[row * self.n_classes..][..self.n_classes])
    }

    /// Words that were met, with their counts.
    pub fn met(&self) -> impl Iterator<Item = (usize, &[WordCount])> {
        (0..self.n_words()).filter_map(|word| Some((word, self.of_word(word)?)))
    }

    /// How often any word was met in texts of each class.
    pub fn class_totals(&self) -> Vec<f64> {
        let mut totals = vec![0.0; self.n_classes];
        for (_, counts) in self.met() {
            totals.iter_mut().zip(counts).for_each(|(total, count)| *total += count.times);
        }
        totals
    }

    /// How often each word was met in texts of any class.
    pub fn times(&self) -> Vec<f64> {
        let times = |word| self.of_word(word).unwrap_or_default().iter().map(|count| count.times).sum();
        (0..self.n_words()).map(times).collect()
    }

    /// Counts the words of texts. A text whose class is missing is left out, and so are words outside of the vocabulary.
    ///
    /// # Errors
    /// When the columns differ in length.
    pub fn observe(&mut self, classes: Codes<'_>, texts: Texts<'_>, weights: Option<&[f64]>) -> Result<(), ShapeMismatch> {
        ShapeMismatch::check("rows of a column", classes.len(), texts.len())?;
        if let Some(weights) = weights {
            ShapeMismatch::check("weights", classes.len(), weights.len())?;
        }
        // The last text each row's word was met in, counted from one.
        let mut last_met = vec![0_u32; self.cells.len() / self.n_classes.max(1)];
        for_codes!(classes, classes => for (text, class) in classes.iter().enumerate() {
            let class = class.place(self.n_classes);
            let weight = weights.map_or(1.0, |weights| weights[text]);
            if class == self.n_classes || weight == 0.0 {
                continue;
            }
            for &word in texts.words(text) {
                let Some(row) = self.row_of.get_mut(word as usize) else { continue };
                if *row == NO_ROW {
                    *row = last_met.len() as u32;
                    last_met.push(0);
                    self.cells.resize(self.cells.len() + self.n_classes, WordCount::default());
                }
                let row = *row as usize;
                let cell = &mut self.cells[row * self.n_classes + class];
                cell.times += weight;
                if last_met[row] != text as u32 + 1 {
                    last_met[row] = text as u32 + 1;
                    cell.texts += weight;
                }
            }
        });
        Ok(())
    }

    /// Adds other texts' counts.
    ///
    /// # Errors
    /// When the shapes differ.
    pub fn merge(&mut self, other: &Self) -> Result<(), ShapeMismatch> {
        self.check_shape(other)?;
        for (word, counts) in other.met() {
            for (mine, theirs) in self.row_mut(word).iter_mut().zip(counts) {
                mine.times += theirs.times;
                mine.texts += theirs.texts;
            }
        }
        Ok(())
    }

    /// Takes other texts' counts back. A word that is met no more has no row.
    ///
    /// # Errors
    /// When a count would fall below zero or the shapes differ; then nothing is changed.
    pub fn forget(&mut self, other: &Self) -> Result<(), NeverObserved> {
        self.check_shape(other)?;
        let mut left = self.clone();
        for (word, counts) in other.met() {
            for (mine, theirs) in left.row_mut(word).iter_mut().zip(counts) {
                mine.times = count_without(mine.times, theirs.times)?;
                mine.texts = count_without(mine.texts, theirs.texts)?;
            }
        }
        *self = left;
        self.drop_empty_rows();
        Ok(())
    }

    /// Renames classes and words.
    ///
    /// # Errors
    /// When a map is not of this shape.
    pub fn recode(&mut self, classes: Option<&StateMap>, words: Option<&StateMap>) -> Result<(), ShapeMismatch> {
        if let Some(map) = words {
            ShapeMismatch::check("words to rename", self.n_words(), map.to.len())?;
            if map.is_identity() {
                self.row_of.resize(map.n_states.max(self.row_of.len()), NO_ROW);
            } else {
                let mut row_of = vec![NO_ROW; map.n_states];
                for (row, &to) in self.row_of.iter().zip(&map.to).filter(|(_, to)| **to != StateMap::DROPPED) {
                    let outside = ShapeMismatch { what: "a renamed word", expected: map.n_states, found: to as usize };
                    *row_of.get_mut(to as usize).ok_or(outside)? = *row;
                }
                self.row_of = row_of;
                if map.to.contains(&StateMap::DROPPED) {
                    self.drop_empty_rows();
                }
            }
        }
        let Some(map) = classes.filter(|map| map.n_states != self.n_classes || !map.is_identity()) else { return Ok(()) };
        ShapeMismatch::check("classes to rename", self.n_classes, map.to.len())?;
        let n_rows = self.cells.len().checked_div(self.n_classes).unwrap_or(0);
        let mut cells = vec![WordCount::default(); n_rows * map.n_states];
        for row in 0..n_rows {
            for (class, &to) in map.to.iter().enumerate() {
                let outside = ShapeMismatch { what: "a renamed class", expected: map.n_states, found: to as usize };
                let cell = cells[row * map.n_states..][..map.n_states].get_mut(to as usize).ok_or(outside)?;
                let count = self.cells[row * self.n_classes + class];
                cell.times += count.times;
                cell.texts += count.texts;
            }
        }
        (self.n_classes, self.cells) = (map.n_states, cells);
        Ok(())
    }

    fn check_shape(&self, other: &Self) -> Result<(), ShapeMismatch> {
        ShapeMismatch::check("classes", self.n_classes, other.n_classes)?;
        ShapeMismatch::check("words", self.n_words(), other.n_words())
    }

    /// The row of a word, made if there is none.
    fn row_mut(&mut self, word: usize) -> &mut [WordCount] {
        if self.row_of[word] == NO_ROW {
            self.row_of[word] = (self.cells.len() / self.n_classes.max(1)) as u32;
            self.cells.resize(self.cells.len() + self.n_classes, WordCount::default());
        }
        &mut self.cells[self.row_of[word] as usize * self.n_classes..][..self.n_classes]
    }

    fn drop_empty_rows(&mut self) {
        let mut kept = Self::empty(self.n_classes, self.n_words());
        for (word, counts) in self.met().filter(|(_, counts)| counts.iter().any(|count| count.times > 0.0)) {
            kept.row_mut(word).copy_from_slice(counts);
        }
        *self = kept;
    }
}

/// Rows that hold nothing are as good as none.
impl PartialEq for WordCounts {
    fn eq(&self, other: &Self) -> bool {
        let nothing = vec![WordCount::default(); self.n_classes];
        self.n_classes == other.n_classes
            && self.n_words() == other.n_words()
            && (0..self.n_words()).all(|word| self.of_word(word).unwrap_or(&nothing) == other.of_word(word).unwrap_or(&nothing))
    }
}

/// The counts as they are stored: word by word, only the classes it was met in.
#[derive(Serialize, Deserialize)]
struct RawCounts {
    n_classes: usize,
    /// For each word, the number of classes it was met in.
    n_met: Vec<u32>,
    classes: Vec<u32>,
    times: Vec<f64>,
    texts: Vec<f64>,
}

/// Large, and therefore not copied to be stored.
impl Serialize for WordCounts {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        RawCounts::from(self).serialize(serializer)
    }
}

impl From<&WordCounts> for RawCounts {
    fn from(counts: &WordCounts) -> Self {
        let mut raw = Self { n_classes: counts.n_classes, n_met: Vec::new(), classes: Vec::new(), times: Vec::new(), texts: Vec::new() };
        for word in 0..counts.n_words() {
            let before = raw.classes.len();
            for (class, count) in counts.of_word(word).unwrap_or_default().iter().enumerate().filter(|(_, count)| count.times > 0.0) {
                raw.classes.push(class as u32);
                raw.times.push(count.times);
                raw.texts.push(count.texts);
            }
            raw.n_met.push((raw.classes.len() - before) as u32);
        }
        raw
    }
}

impl TryFrom<RawCounts> for WordCounts {
    type Error = &'static str;

    fn try_from(raw: RawCounts) -> Result<Self, &'static str> {
        let n: u64 = raw.n_met.iter().map(|n| u64::from(*n)).sum();
        if n != raw.classes.len() as u64 || raw.classes.len() != raw.times.len() || raw.times.len() != raw.texts.len() {
            return Err("words and counts of different numbers");
        }
        // A row is made for each word that was met: no more memory is set aside than the file has words for, class by class.
        if raw.n_classes > 1 << 24 || raw.n_met.iter().filter(|n| **n > 0).count().saturating_mul(raw.n_classes) > 1 << 32 {
            return Err("more words and classes than can be counted");
        }
        let mut counts = Self::empty(raw.n_classes, raw.n_met.len());
        let mut entries = raw.classes.iter().zip(raw.times.iter().zip(&raw.texts));
        for (word, n) in raw.n_met.iter().enumerate() {
            for (class, (&times, &texts)) in entries.by_ref().take(*n as usize) {
                let is_count = |x: f64| x.is_finite() && x > 0.0;
                if !is_count(times) || !is_count(texts) || texts > times {
                    return Err("counts that no texts can have");
                }
                let cell = counts.row_mut(word).get_mut(*class as usize).ok_or("a class that is not there")?;
                if cell.times > 0.0 {
                    return Err("a class counted twice");
                }
                *cell = WordCount { times, texts };
            }
        }
        Ok(counts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const N_WORDS: usize = 6;

    type Rows = Vec<(u8, Vec<u32>)>;

    fn counts(rows: &Rows) -> WordCounts {
        let classes: Vec<u8> = rows.iter().map(|row| row.0).collect();
        let words: Vec<u32> = rows.iter().flat_map(|row| row.1.iter().copied()).collect();
        let ends: Vec<u32> = rows
            .iter()
            .scan(0, |end, row| {
                *end += row.1.len() as u32;
                Some(*end)
            })
            .collect();
        let mut counts = WordCounts::empty(3, N_WORDS);
        counts.observe(Codes::U8(&classes), Texts { ends: &ends, codes: &words, n_words: N_WORDS }, None).unwrap();
        counts
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
                    let count = found.of_word(word).map_or(WordCount::default(), |counts| counts[class]);
                    prop_assert_eq!(count.times, met.iter().sum::<usize>() as f64);
                    prop_assert_eq!(count.texts, met.iter().filter(|n| **n > 0).count() as f64);
                }
            }
        }

        #[test]
        fn the_laws_of_the_algebra_hold(a in rows(), b in rows(), c in rows()) {
            let [a, b, c] = [a, b, c].map(|rows| counts(&rows));
            let merged = |x: &WordCounts, y: &WordCounts| { let mut sum = x.clone(); sum.merge(y).unwrap(); sum };
            prop_assert_eq!(testkit::merging_is_a_commutative_monoid(&WordCounts::empty(3, N_WORDS), [&a, &b, &c], merged, PartialEq::eq), Ok(()));
            let mut both = merged(&a, &b);
            both.forget(&b).unwrap();
            prop_assert_eq!(both, a);
        }

        #[test]
        fn stored_and_read_again(a in rows()) {
            let counts = counts(&a);
            let raw = RawCounts::from(&counts);
            prop_assert_eq!(WordCounts::try_from(raw), Ok(counts));
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
                    let count = |counts: &WordCounts, word: usize, class: usize| counts.of_word(word).map_or(WordCount::default(), |c| c[class]);
                    prop_assert_eq!(count(&before, word, class), count(&after, new as usize, new_class as usize));
                }
            }
        }
    }

    #[test]
    fn words_that_are_dropped_take_their_counts_along() {
        let mut held = counts(&vec![(0, vec![0, 1, 1]), (2, vec![3])]);
        held.recode(None, Some(&StateMap { to: vec![StateMap::DROPPED, 0, 1, StateMap::DROPPED, 2, 3], n_states: 4 })).unwrap();
        assert_eq!((held.times(), held.cells.len()), (vec![2.0, 0.0, 0.0, 0.0], 3));
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
            WordCounts::try_from(RawCounts { n_classes: 2, n_met, classes, times, texts })
        };
        assert!(raw(vec![1, 0], vec![1], vec![2.0], vec![1.0]).is_ok());
        assert!(raw(vec![2], vec![1], vec![2.0], vec![1.0]).is_err());
        assert!(raw(vec![1], vec![2], vec![2.0], vec![1.0]).is_err());
        assert!(raw(vec![2], vec![1, 1], vec![2.0, 2.0], vec![1.0, 1.0]).is_err());
        assert!(raw(vec![1], vec![1], vec![1.0], vec![2.0]).is_err());
        assert!(raw(vec![1], vec![1], vec![f64::NAN], vec![1.0]).is_err());
    }
}
