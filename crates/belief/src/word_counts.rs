//! Counts of (class × word): the statistic of a column of texts, seen class by class.
//!
//! A vocabulary is large, and a chunk holds few of its words. Only words that were met have a row, so that a chunk costs what its
//! own words cost, whatever the size of the vocabulary.

use std::sync::Arc;

use serde::{Deserialize, Serialize, Serializer};

use crate::{Bursts, Code, Codes, NeverObserved, ShapeMismatch, StateMap, Texts, WordWeights, count_without, for_codes};

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
    /// How much each word of a text counts.
    weights: Arc<WordWeights>,
    /// How words are repeated within texts, where that is counted.
    bursts: Option<Bursts>,
}

/// How often a word was met in texts of one class.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct WordCount {
    /// Times it was met, or their weight.
    pub times: f64,
    /// Texts it was met in.
    pub texts: f64,
}

const NO_ROW: u32 = u32::MAX;

impl WordCounts {
    /// Nothing counted.
    pub fn empty(n_classes: usize, n_words: usize) -> Self {
        Self::weighed(n_classes, n_words, Arc::default())
    }

    /// Nothing counted, of words that are to be weighed.
    pub fn weighed(n_classes: usize, n_words: usize, mut weights: Arc<WordWeights>) -> Self {
        // Words that are new have no weight of their own yet.
        if weights.of_word.as_ref().is_some_and(|of_word| of_word.len() < n_words)
            && let Some(of_word) = &mut Arc::make_mut(&mut weights).of_word
        {
            of_word.resize(n_words, 0.0);
        }
        Self { n_classes, row_of: vec![NO_ROW; n_words], cells: Vec::new(), bursts: weights.bursts.then(Bursts::default), weights }
    }

    /// How words are repeated within texts, where that is counted.
    pub fn bursts(&self) -> Option<&Bursts> {
        self.bursts.as_ref()
    }

    /// How much each word of a text counts.
    pub fn weights(&self) -> &Arc<WordWeights> {
        &self.weights
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
        let Self { n_classes, .. } = *self;
        let mut met = LastMet::new(self);
        let mut bag = Vec::new();
        for_codes!(classes, classes => for (text, class) in classes.iter().enumerate() {
            let class = class.place(n_classes);
            let weight = weights.map_or(1.0, |weights| weights[text]);
            if class == n_classes || weight == 0.0 {
                continue;
            }
            if self.weights.is_plain() {
                for &word in texts.words(text) {
                    let Some((row, is_first)) = met.row(self, word, text) else { continue };
                    let cell = &mut self.cells[row * n_classes + class];
                    cell.times += weight;
                    if is_first {
                        cell.texts += weight;
                    }
                }
            } else {
                self.weights.weigh(texts.words(text), self.row_of.len(), &mut bag);
                for &(word, of_word) in &bag {
                    let Some((row, _)) = met.row(self, word, text) else { continue };
                    let cell = &mut self.cells[row * n_classes + class];
                    cell.times += of_word * weight;
                    cell.texts += weight;
                }
                if let Some(bursts) = &mut self.bursts {
                    bursts.observe(&bag, class as u32, weight);
                }
            }
        });
        Ok(())
    }

    /// Counts the words of texts, each of them in every class by its share of it: `shares[text * n_classes + class]`.
    ///
    /// # Errors
    /// When there are not as many shares as texts and classes.
    pub fn observe_shared(&mut self, texts: Texts<'_>, shares: &[f64]) -> Result<(), ShapeMismatch> {
        ShapeMismatch::check("shares of texts", texts.len() * self.n_classes, shares.len())?;
        let Self { n_classes, .. } = *self;
        let mut met = LastMet::new(self);
        let mut bag = Vec::new();
        for (text, shares) in shares.chunks_exact(n_classes.max(1)).enumerate() {
            if self.weights.is_plain() {
                for &word in texts.words(text) {
                    let Some((row, is_first)) = met.row(self, word, text) else { continue };
                    self.share(row, 1.0, if is_first { 1.0 } else { 0.0 }, shares);
                }
            } else {
                self.weights.weigh(texts.words(text), self.row_of.len(), &mut bag);
                for &(word, of_word) in &bag {
                    let Some((row, _)) = met.row(self, word, text) else { continue };
                    self.share(row, of_word, 1.0, shares);
                }
                if let Some(bursts) = &mut self.bursts {
                    let classes = shares.iter().enumerate().filter(|(_, share)| **share > 0.0);
                    classes.for_each(|(class, share)| bursts.observe(&bag, class as u32, *share));
                }
            }
        }
        Ok(())
    }

    fn share(&mut self, row: usize, times: f64, texts: f64, shares: &[f64]) {
        for (cell, share) in self.cells[row * self.n_classes..][..self.n_classes].iter_mut().zip(shares) {
            cell.times += times * share;
            cell.texts += texts * share;
        }
    }

    /// Every count so many times as large.
    pub fn scale(&mut self, by: f64) {
        self.cells.iter_mut().for_each(|cell| *cell = WordCount { times: by * cell.times, texts: by * cell.texts });
        if let Some(bursts) = &mut self.bursts {
            bursts.scale(by);
        }
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
        if let (Some(mine), Some(theirs)) = (&mut self.bursts, &other.bursts) {
            mine.merge(theirs);
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
        if let (Some(mine), Some(theirs)) = (&mut left.bursts, &other.bursts) {
            mine.forget(theirs)?;
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
        if let Some(bursts) = &mut self.bursts {
            bursts.recode(classes, words)?;
        }
        if let Some(map) = words {
            ShapeMismatch::check("words to rename", self.n_words(), map.to.len())?;
            if self.weights.of_word.is_some() {
                Arc::make_mut(&mut self.weights).recode(map)?;
            }
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

    /// Two classes made of one: the texts that are not in it, and those that are. `all` is the class in which every text was counted.
    ///
    /// # Errors
    /// When the class has words that `all` does not have.
    ///
    /// # Panics
    /// When there is no such class.
    pub fn against_rest(&self, class: usize, all: usize) -> Result<Self, NeverObserved> {
        let mut two = Self::weighed(2, self.n_words(), Arc::clone(&self.weights));
        if let Some(bursts) = &self.bursts {
            two.bursts = Some(bursts.against_rest(class as u32, all as u32)?);
        }
        for (word, counts) in self.met() {
            let (yes, all) = (counts[class], counts[all]);
            let no = WordCount { times: count_without(all.times, yes.times)?, texts: count_without(all.texts, yes.texts)? };
            if all.times > 0.0 {
                two.row_mut(word).copy_from_slice(&[no, yes]);
            }
        }
        Ok(two)
    }

    fn check_shape(&self, other: &Self) -> Result<(), ShapeMismatch> {
        ShapeMismatch::check("classes", self.n_classes, other.n_classes)?;
        ShapeMismatch::check("words", self.n_words(), other.n_words())?;
        ShapeMismatch::check("words that are weighed alike", 1, usize::from(self.weights == other.weights))
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
        let mut kept = Self::weighed(self.n_classes, self.n_words(), Arc::clone(&self.weights));
        for (word, counts) in self.met().filter(|(_, counts)| counts.iter().any(|count| count.times > 0.0)) {
            kept.row_mut(word).copy_from_slice(counts);
        }
        kept.bursts = self.bursts.take();
        *self = kept;
    }
}

/// The last text each row's word was met in, counted from one: whether a word is met for the first time in a text.
struct LastMet(Vec<u32>);

impl LastMet {
    fn new(counts: &WordCounts) -> Self {
        Self(vec![0; counts.cells.len() / counts.n_classes.max(1)])
    }

    /// The row of a word, made if there is none, and whether the text has not had the word before; `None` outside of the vocabulary.
    #[inline]
    fn row(&mut self, counts: &mut WordCounts, word: u32, text: usize) -> Option<(usize, bool)> {
        let row = counts.row_of.get_mut(word as usize)?;
        if *row == NO_ROW {
            *row = self.0.len() as u32;
            self.0.push(0);
            counts.cells.resize(counts.cells.len() + counts.n_classes, WordCount::default());
        }
        let last = &mut self.0[*row as usize];
        let is_first = *last != text as u32 + 1;
        *last = text as u32 + 1;
        Some((*row as usize, is_first))
    }
}

/// Rows that hold nothing are as good as none.
impl PartialEq for WordCounts {
    fn eq(&self, other: &Self) -> bool {
        let nothing = vec![WordCount::default(); self.n_classes];
        self.n_classes == other.n_classes
            && self.n_words() == other.n_words()
            && self.weights == other.weights
            && self.bursts == other.bursts
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
    #[serde(default)]
    weights: WordWeights,
    #[serde(default)]
    bursts: Option<Bursts>,
}

/// Large, and therefore not copied to be stored.
impl Serialize for WordCounts {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        RawCounts::from(self).serialize(serializer)
    }
}

impl From<&WordCounts> for RawCounts {
    fn from(counts: &WordCounts) -> Self {
        let mut raw = Self {
            n_classes: counts.n_classes,
            n_met: Vec::new(),
            classes: Vec::new(),
            times: Vec::new(),
            texts: Vec::new(),
            weights: (*counts.weights).clone(),
            bursts: counts.bursts.clone(),
        };
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
        let n_cells = raw.n_met.iter().filter(|n| **n > 0).count().saturating_mul(raw.n_classes);
        if raw.n_classes > 1 << 24 || n_cells > (1 << 22) + raw.classes.len().saturating_mul(1 << 12) {
            return Err("more words and classes than can be counted");
        }
        if raw.weights.of_word.as_ref().is_some_and(|of_word| of_word.len() != raw.n_met.len()) {
            return Err("words and weights of different numbers");
        }
        let fits = |bursts: &Bursts| bursts.fits(raw.n_met.len(), raw.n_classes);
        if raw.bursts.is_some() != raw.weights.bursts || !raw.bursts.as_ref().is_none_or(fits) {
            return Err("bursts of other words");
        }
        let plain = raw.weights.is_plain();
        let mut counts = Self::weighed(raw.n_classes, raw.n_met.len(), Arc::new(raw.weights));
        let mut entries = raw.classes.iter().zip(raw.times.iter().zip(&raw.texts));
        for (word, n) in raw.n_met.iter().enumerate() {
            for (class, (&times, &texts)) in entries.by_ref().take(*n as usize) {
                let is_count = |x: f64| x.is_finite() && x > 0.0;
                if !is_count(times) || !is_count(texts) || plain && texts > times * (1.0 + 1e-9) {
                    return Err("counts that no texts can have");
                }
                let cell = counts.row_mut(word).get_mut(*class as usize).ok_or("a class that is not there")?;
                if cell.times > 0.0 {
                    return Err("a class counted twice");
                }
                *cell = WordCount { times, texts };
            }
        }
        if !raw.bursts.as_ref().is_none_or(|bursts| bursts.are_of(&counts)) {
            return Err("bursts that are not those of the counts");
        }
        counts.bursts = raw.bursts;
        Ok(counts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
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
                    let count = found.of_word(word).map_or(WordCount::default(), |counts| counts[class]);
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
            WordCounts::try_from(RawCounts { n_classes: 2, n_met, classes, times, texts, weights: WordWeights::default(), bursts: None })
        };
        assert!(raw(vec![1, 0], vec![1], vec![2.0], vec![1.0]).is_ok());
        assert!(raw(vec![2], vec![1], vec![2.0], vec![1.0]).is_err());
        assert!(raw(vec![1], vec![2], vec![2.0], vec![1.0]).is_err());
        assert!(raw(vec![2], vec![1, 1], vec![2.0, 2.0], vec![1.0, 1.0]).is_err());
        assert!(raw(vec![1], vec![1], vec![1.0], vec![2.0]).is_err());
        assert!(raw(vec![1], vec![1], vec![f64::NAN], vec![1.0]).is_err());
    }
}
