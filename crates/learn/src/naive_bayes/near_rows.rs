//! What the words of many texts say, the rows of those that were met next to each other.
//!
//! The words of a text lie all over the vocabulary, and memory is waited for at each. But most words of many texts are met again: a row is copied
//! when its word is met first, and frequent words, which are met early, come to lie together in the cache. What is added is what
//! [`WordTable::add_all`] adds, to the bit.

use super::word_table::{AT_ONCE, WordTable, add_up};

/// A word that was not met yet.
const NOT_MET: u32 = u32::MAX;

/// Entries of rows at which all are let go.
const MOST: usize = 1 << 20;

/// Copies of the rows of a table.
pub(super) struct NearRows<'t> {
    table: &'t WordTable,
    /// By word, the number of its row.
    row_of: Vec<u32>,
    /// The first is that of all words that do not count, and says nothing.
    rows: Vec<f64>,
}

impl<'t> NearRows<'t> {
    /// None yet; nothing where looking up so many words would take less time than making the list of those that were met, or where rows are long.
    pub fn of(table: &'t WordTable, n_looked_up: usize) -> Option<Self> {
        const LONG: usize = 64;
        (n_looked_up >= table.n_words() / 8 && table.stride() <= LONG).then(|| Self::empty(table))
    }

    fn empty(table: &'t WordTable) -> Self {
        Self { table, row_of: vec![NOT_MET; table.n_words()], rows: vec![0.0; table.stride()] }
    }

    /// Adds what the words of a text say, one after the other, to the scores of all classes, which are as many as the stride. To be called where
    /// the widest vectors are used.
    #[inline(always)]
    pub fn add_all(&mut self, words: &[u32], scores: &mut [f64]) {
        let stride = self.table.stride();
        let scores = &mut scores[..stride];
        for words in words.chunks(AT_ONCE) {
            if self.rows.len() > MOST {
                self.row_of.fill(NOT_MET);
                self.rows.truncate(stride);
            }
            let (mut starts, mut n) = ([0; AT_ONCE], 0);
            for &word in words {
                let row = match self.row_of.get(word as usize) {
                    None => continue,
                    Some(&NOT_MET) => self.copy(word as usize),
                    Some(row) => *row,
                };
                starts[n] = row as usize * stride;
                n += 1;
            }
            let mut rows: [&[f64]; AT_ONCE] = [&[]; AT_ONCE];
            for (row, start) in rows.iter_mut().zip(&starts[..n]) {
                *row = &self.rows[*start..][..stride];
            }
            add_up(&rows[..n], scores);
        }
    }

    #[inline(never)]
    fn copy(&mut self, word: usize) -> u32 {
        let next = (self.rows.len() / self.table.stride()) as u32;
        self.row_of[word] = if self.table.copy_row(word, &mut self.rows) { next } else { 0 };
        self.row_of[word]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A table of so many words, every third of which does not count and every second of which says something of its own.
    fn table(n_words: usize, n_classes: usize) -> WordTable {
        let mut table = WordTable::unknown(n_words, n_classes, n_classes.next_multiple_of(2));
        let shared = table.share((0..n_classes).map(|class| -1.5 - class as f64 / 7.0));
        for word in (0..n_words).filter(|word| word % 3 != 0) {
            let own = (0..word % 2).map(|_| (word % n_classes, -1.0 / (word as f64 + 1.7)));
            table.set(word, shared, own);
        }
        table
    }

    fn is_what_the_table_adds(table: &WordTable, texts: &[Vec<u32>]) {
        let mut near = NearRows::empty(table);
        for text in texts {
            let (mut found, mut wanted) = (vec![0.25; table.stride()], vec![0.25; table.stride()]);
            near.add_all(text, &mut found);
            table.add_all(text, &mut wanted);
            assert_eq!(found, wanted);
        }
    }

    proptest! {
        #[test]
        fn what_is_added_is_what_the_table_adds(
            n_classes in 1..30_usize,
            texts in proptest::collection::vec(proptest::collection::vec(prop_oneof![0..60_u32, Just(u32::MAX)], 0..100), 0..5),
        ) {
            is_what_the_table_adds(&table(50, n_classes), &texts);
        }
    }

    #[test]
    fn rows_that_are_let_go_are_copied_again() {
        let table = table(40_000, 60);
        assert!(table.stride() * table.n_words() > 2 * MOST);
        let all: Vec<u32> = (0..40_000).collect();
        is_what_the_table_adds(&table, &[all.clone(), vec![1, 2, 39_999], all]);
    }

    #[test]
    fn one_short_text_makes_no_list_of_all_words() {
        let table = table(1000, 4);
        assert!(NearRows::of(&table, 20).is_none() && NearRows::of(&table, 500).is_some());
    }
}
