//! What every word says of every class, sparse in classes.
//!
//! Most words were met in few classes, and of the others all that were met as often say the same. So a word has the number of a row that
//! many share, and what is otherwise of its own classes; a word that was met in half of the classes has a row of its own. What is
//! added is what would be added with a row for each word, to the bit.

use std::borrow::Cow;

/// ln P(word | class), or whatever else words say of classes; words that do not count say nothing.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct WordTable {
    n_classes: usize,
    stride: usize,
    words: Vec<OfWord>,
    /// Rows of [`Self::stride`] entries, those that words share and those of single words.
    rows: Vec<f64>,
    /// Where the classes begin of which a word says something else than its row, one such word after the other, and where the last end.
    own: Vec<usize>,
    /// Those classes, in order, and what is said of them.
    says: Vec<(u32, f64)>,
}

/// The number of a word's row, and of its own classes if it has such. A table of many labels has one of these for each word and label.
#[derive(Clone, Copy, Debug, PartialEq)]
struct OfWord {
    row: u32,
    own: u32,
}

/// The row of a word that does not count, and the classes of one that has none of its own.
const NONE: u32 = u32::MAX;

/// Words whose rows are added at once.
pub(super) const AT_ONCE: usize = 32;

/// A row that words share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SharedRow(u32);

impl WordTable {
    /// No word counts.
    pub(super) fn unknown(n_words: usize, n_classes: usize, stride: usize) -> Self {
        let words = vec![OfWord { row: NONE, own: NONE }; n_words];
        Self { n_classes, stride, words, rows: Vec::new(), own: vec![0], says: Vec::new() }
    }

    /// A row for words to share.
    pub(super) fn share(&mut self, says: impl IntoIterator<Item = f64>) -> SharedRow {
        let start = self.rows.len();
        self.rows.extend(says.into_iter().take(self.n_classes));
        self.rows.resize(start + self.stride, 0.0);
        SharedRow((start / self.stride) as u32)
    }

    /// A word says what a row does, but of these classes, which are in order. Tells the row that the word has now.
    pub(super) fn set(&mut self, word: usize, row: SharedRow, of_classes: impl IntoIterator<Item = (usize, f64)>) -> SharedRow {
        let start = self.says.len();
        self.says.extend(of_classes.into_iter().map(|(class, value)| (class as u32, value)));
        let end = self.says.len();
        if start == end {
            self.words[word] = OfWord { row: row.0, own: NONE };
            return row;
        }
        if 2 * (end - start) < self.n_classes {
            self.words[word] = OfWord { row: row.0, own: self.own.len() as u32 - 1 };
            self.own.push(end);
            return row;
        }
        let (from, to) = (row.0 as usize * self.stride, self.rows.len());
        self.rows.extend_from_within(from..from + self.stride);
        for (class, value) in self.says.drain(start..) {
            self.rows[to + class as usize] = value;
        }
        let own = SharedRow((to / self.stride) as u32);
        self.words[word] = OfWord { row: own.0, own: NONE };
        own
    }

    /// Multiplies all that is said of a class.
    pub(super) fn scale(&mut self, class: usize, by: f64) {
        self.rows.iter_mut().skip(class).step_by(self.stride).for_each(|says| *says *= by);
        self.says.iter_mut().filter(|(of, _)| *of as usize == class).for_each(|(_, says)| *says *= by);
    }

    /// Entries of a row: the classes, and what fills up its vectors.
    pub(super) fn stride(&self) -> usize {
        self.stride
    }

    /// How many words the vocabulary has.
    pub(super) fn n_words(&self) -> usize {
        self.words.len()
    }

    /// Entries that are held.
    #[cfg(test)]
    pub(super) fn n_entries(&self) -> usize {
        self.rows.len() + self.says.len()
    }

    /// Whether a word counts.
    #[inline]
    pub(super) fn is_known(&self, word: usize) -> bool {
        self.words.get(word).is_some_and(|of_word| of_word.row != NONE)
    }

    /// What a word says of every class, if it counts.
    pub(super) fn of_word(&self, word: usize) -> Option<Cow<'_, [f64]>> {
        let OfWord { row, own } = *self.words.get(word).filter(|of_word| of_word.row != NONE)?;
        let shared = &self.rows[row as usize * self.stride..][..self.n_classes];
        if own == NONE {
            return Some(shared.into());
        }
        let mut row = shared.to_vec();
        self.own(own).iter().for_each(|(class, says)| row[*class as usize] = *says);
        Some(row.into())
    }

    /// What a word says of its own classes.
    #[inline(always)]
    fn own(&self, own: u32) -> &[(u32, f64)] {
        &self.says[self.own[own as usize]..self.own[own as usize + 1]]
    }

    /// Adds what the words of a text say, one after the other, to the scores of all classes, which are as many as the stride. To be called where
    /// the widest vectors are used.
    #[inline(always)]
    pub(super) fn add_all(&self, words: &[u32], scores: &mut [f64]) {
        let scores = &mut scores[..self.stride];
        // Rows of words that say something else of some classes. What is written class by class is read as vectors only after many others: the
        // machine waits where the one follows the other at once.
        let mut made: Vec<f64> = Vec::new();
        for words in words.chunks(AT_ONCE) {
            let (mut starts, mut n) = ([(0, false); AT_ONCE], 0);
            made.clear();
            for &word in words {
                let Some(&OfWord { row, own }) = self.words.get(word as usize).filter(|of_word| of_word.row != NONE) else { continue };
                starts[n] = if own == NONE { (row as usize * self.stride, false) } else { (made.len(), true) };
                n += 1;
                if own != NONE {
                    self.copy_row(word as usize, &mut made);
                }
            }
            let mut rows: [&[f64]; AT_ONCE] = [&[]; AT_ONCE];
            for (row, (start, is_made)) in rows.iter_mut().zip(&starts[..n]) {
                *row = &(if *is_made { &made } else { &self.rows })[*start..][..self.stride];
            }
            add_up(&rows[..n], scores);
        }
    }

    /// Appends what a word says of every class, as long as the stride, if it counts.
    #[inline(always)]
    pub(super) fn copy_row(&self, word: usize, to: &mut Vec<f64>) -> bool {
        let Some(&OfWord { row, own }) = self.words.get(word).filter(|of_word| of_word.row != NONE) else { return false };
        let start = to.len();
        to.extend_from_slice(&self.rows[row as usize * self.stride..][..self.stride]);
        if own != NONE {
            self.own(own).iter().for_each(|(class, says)| to[start + *class as usize] = *says);
        }
        true
    }

    /// Adds what a word says so many times to the scores of all classes; behind them there may be as many more as the stride has.
    pub(super) fn add_times(&self, word: u32, times: f64, scores: &mut [f64]) {
        let Some(&OfWord { row, own }) = self.words.get(word as usize).filter(|of_word| of_word.row != NONE) else { return };
        let row = &self.rows[row as usize * self.stride..][..self.stride];
        if own == NONE {
            return scores.iter_mut().zip(row).for_each(|(score, says)| *score += times * says);
        }
        let own = self.own(own);
        // The scores of the word's own classes are put aside while all others are added.
        const FEW: usize = 64;
        let (mut few, mut many) = ([0.0; FEW], Vec::new());
        let aside = if own.len() <= FEW {
            &mut few[..own.len()]
        } else {
            many.resize(own.len(), 0.0);
            &mut many[..]
        };
        aside.iter_mut().zip(own).for_each(|(aside, (class, says))| *aside = scores[*class as usize] + times * says);
        scores.iter_mut().zip(row).for_each(|(score, says)| *score += times * says);
        aside.iter().zip(own).for_each(|(aside, (class, _))| scores[*class as usize] = *aside);
    }
}

/// Adds rows to the scores, row after row. To be called where the widest vectors are used.
#[inline(always)]
pub(super) fn add_up(rows: &[&[f64]], scores: &mut [f64]) {
    // Some classes at a time, whose sums stay in registers.
    let mut first = 0;
    while first < scores.len() {
        first += match scores.len() - first {
            8.. => add_rows::<8>(rows, first, scores),
            4..8 => add_rows::<4>(rows, first, scores),
            2..4 => add_rows::<2>(rows, first, scores),
            _ => add_rows::<1>(rows, first, scores),
        };
    }
}

/// Adds rows to the scores of so many classes from one on, row after row; tells how many classes.
#[inline(always)]
fn add_rows<const WIDTH: usize>(rows: &[&[f64]], first: usize, scores: &mut [f64]) -> usize {
    let Some(scores) = scores[first..].first_chunk_mut::<WIDTH>() else { return WIDTH };
    let mut sums = *scores;
    for row in rows {
        let Some(says) = row[first..].first_chunk::<WIDTH>() else { continue };
        for class in 0..WIDTH {
            sums[class] += says[class];
        }
    }
    *scores = sums;
    WIDTH
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// As a row for each word would say it, to the bit.
        #[test]
        fn what_is_added_is_what_a_row_for_each_word_adds(
            (n_classes, words) in (1..150_usize).prop_flat_map(|n_classes| {
                let word = proptest::collection::btree_map(0..n_classes, -9.0..9.0, 0..n_classes.min(90));
                (Just(n_classes), proptest::collection::vec((any::<bool>(), word), 1..6))
            }),
            said in proptest::collection::vec((0..8_u32, -2.0..2.0), 0..90),
        ) {
            let stride = n_classes.next_multiple_of(4);
            let mut table = WordTable::unknown(words.len() + 1, n_classes, stride);
            let shared: Vec<Vec<f64>> = [0.5, -0.25].map(|by| (0..n_classes).map(|class| by + class as f64 / 7.0).collect()).to_vec();
            let rows: Vec<SharedRow> = shared.iter().map(|row| table.share(row.iter().copied())).collect();
            let mut plain: Vec<Option<Vec<f64>>> = Vec::new();
            for (word, (which, own)) in words.iter().enumerate() {
                table.set(word, rows[usize::from(*which)], own.iter().map(|(class, says)| (*class, *says)));
                let mut row = shared[usize::from(*which)].clone();
                own.iter().for_each(|(class, says)| row[*class] = *says);
                plain.push(Some(row));
            }
            plain.push(None);
            table.scale(0, 1.5);
            plain.iter_mut().flatten().for_each(|row| row[0] *= 1.5);
            let (mut found, mut wanted) = (vec![0.0; stride], vec![0.0; stride]);
            let text: Vec<u32> = said.iter().map(|(word, _)| *word).collect();
            table.add_all(&text, &mut found);
            for row in text.iter().filter_map(|word| plain.get(*word as usize)?.as_ref()) {
                wanted.iter_mut().zip(row).for_each(|(score, says)| *score += says);
            }
            for (word, times) in said {
                table.add_times(word, times, &mut found);
                for row in plain.get(word as usize).into_iter().flatten() {
                    wanted.iter_mut().zip(row).for_each(|(score, says)| *score += times * says);
                }
            }
            prop_assert_eq!(&found[..n_classes], &wanted[..n_classes]);
            // Scores without anything behind them are as good.
            let mut bare = vec![0.0; n_classes];
            table.add_times(0, 1.0, &mut bare);
            prop_assert_eq!(Some(bare), plain[0].clone());
            for (word, row) in plain.iter().enumerate() {
                let found = table.of_word(word).map(Cow::into_owned);
                prop_assert_eq!(&found, row);
                prop_assert_eq!(table.is_known(word), row.is_some());
            }
        }
    }
    /// A row of each of so many words would be forty million numbers.
    #[test]
    fn many_classes_take_the_room_of_what_is_said_of_them() {
        let (n_words, n_classes) = (20_000, 2000);
        let mut table = WordTable::unknown(n_words, n_classes, n_classes);
        let never = table.share(vec![-1.0; n_classes]);
        for word in 0..n_words {
            table.set(word, never, [word % 500, 500 + word % 700].map(|class| (class, -0.5)));
        }
        assert_eq!(table.n_entries(), n_classes + 2 * n_words);
        let mut scores = vec![0.0; n_classes];
        table.add_all(&[1234], &mut scores);
        assert_eq!((scores[234], scores[500 + 534], scores[7]), (-0.5, -0.5, -1.0));
    }
}
