//! Counts of (class × word): the statistic of a column of texts, seen class by class.
//!
//! A vocabulary is large, a chunk holds few of its words, and a word is met in few of the classes. Only what was met is held, so that
//! a chunk costs what its own words cost, whatever the size of the vocabulary, and a class nothing but its own words.
//!
//! | file | what it holds |
//! |---|---|
//! | `sparse_rows` | where counts lie |
//! | `observing` | texts to counts |
//! | `stored` | what a file holds of them |

mod observing;
mod sparse_rows;
mod stored;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use serde::Deserialize;

use self::sparse_rows::{Cell, SparseRows};
use crate::{Bursts, NeverObserved, ShapeMismatch, StateMap, WordWeights, count_without};

pub use self::sparse_rows::ClassCounts;

/// How often each word was met in texts of each class, and in how many texts, as weights.
///
/// With whole weights every count is exact up to 2⁵³, whatever the order of rows, chunks and merges.
#[derive(Clone, Debug, Deserialize)]
#[serde(try_from = "stored::RawCounts")]
pub struct WordCounts {
    n_classes: usize,
    rows: SparseRows,
    /// How much each word of a text counts.
    weights: Arc<WordWeights>,
    /// How words are repeated within texts, where that is counted.
    bursts: Option<Box<Bursts>>,
    /// The weight of the texts of each class that have no word at all: they are missing, and say nothing of words that are not there.
    wordless: Box<[f64]>,
}

/// How often a word was met in texts of one class.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct WordCount {
    /// Times it was met, or their weight.
    pub times: f64,
    /// Texts it was met in.
    pub texts: f64,
}

impl WordCount {
    /// Adds other texts' count.
    pub fn add(&mut self, other: Self) {
        self.times += other.times;
        self.texts += other.texts;
    }

    fn without(self, other: Self) -> Result<Self, NeverObserved> {
        Ok(Self { times: count_without(self.times, other.times)?, texts: count_without(self.texts, other.texts)? })
    }

    fn is_nothing(&self) -> bool {
        self.times == 0.0 && self.texts == 0.0
    }
}

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
        let bursts = weights.bursts.then(Box::default);
        Self { n_classes, rows: SparseRows::empty(n_words), bursts, weights, wordless: vec![0.0; n_classes].into() }
    }

    /// How words are repeated within texts, where that is counted.
    pub fn bursts(&self) -> Option<&Bursts> {
        self.bursts.as_deref()
    }

    /// The weight of the texts of each class that have no word at all, and are as good as missing.
    pub fn wordless(&self) -> &[f64] {
        &self.wordless
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
        self.rows.n_words()
    }

    /// The counts of a word; none of one never met.
    pub fn of_word(&self, word: usize) -> ClassCounts<'_> {
        self.rows.of_word(word)
    }

    /// Words that were met, in their order, with their counts.
    pub fn met(&self) -> impl Iterator<Item = (usize, ClassCounts<'_>)> {
        (0..self.n_words()).map(|word| (word, self.of_word(word))).filter(|(_, counts)| !counts.is_empty())
    }

    /// How often any word was met in texts of each class.
    pub fn class_totals(&self) -> Vec<f64> {
        let mut totals = vec![0.0; self.n_classes];
        for (_, counts) in self.met() {
            counts.iter().for_each(|(class, count)| totals[class] += count.times);
        }
        totals
    }

    /// How often each word was met in texts of any class.
    pub fn times(&self) -> Vec<f64> {
        (0..self.n_words()).map(|word| self.of_word(word).times()).collect()
    }

    /// Every count so many times as large.
    pub fn scale(&mut self, by: f64) {
        self.rows.counts_mut().for_each(|count| *count = WordCount { times: by * count.times, texts: by * count.texts });
        self.rows.compact();
        self.wordless.iter_mut().for_each(|weight| *weight *= by);
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
        if self.rows.is_empty() {
            self.rows = other.rows.clone();
        } else {
            self.rows.add(other.rows.cells());
        }
        self.wordless.iter_mut().zip(&other.wordless).for_each(|(mine, theirs)| *mine += theirs);
        if let (Some(mine), Some(theirs)) = (&mut self.bursts, &other.bursts) {
            mine.merge(theirs);
        }
        Ok(())
    }

    /// Takes other texts' counts back. A word that is met no more has no counts.
    ///
    /// # Errors
    /// When a count would fall below zero or the shapes differ; then nothing is changed.
    pub fn forget(&mut self, other: &Self) -> Result<(), NeverObserved> {
        self.check_shape(other)?;
        let mut left = self.clone();
        for Cell { word, class, count } in other.rows.cells() {
            match left.rows.count_mut(word, class) {
                Some(held) => *held = held.without(count)?,
                None => _ = WordCount::default().without(count)?,
            }
        }
        // Models of before were not told of these texts; that the rows were there is known from their classes.
        left.wordless.iter_mut().zip(&other.wordless).for_each(|(held, gone)| *held = (*held - gone).max(0.0));
        if let (Some(mine), Some(theirs)) = (&mut left.bursts, &other.bursts) {
            mine.forget(theirs)?;
        }
        left.rows.compact();
        *self = left;
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
                self.rows.grow(map.n_states);
            } else {
                self.rows.rename_words(map)?;
            }
        }
        let Some(map) = classes.filter(|map| map.n_states != self.n_classes || !map.is_identity()) else { return Ok(()) };
        ShapeMismatch::check("classes to rename", self.n_classes, map.to.len())?;
        if !map.is_identity() || map.n_states < self.n_classes {
            self.rows.rename_classes(map)?;
        }
        let mut wordless = vec![0.0; map.n_states];
        for (weight, to) in self.wordless.iter().zip(&map.to) {
            if let Some(renamed) = wordless.get_mut(*to as usize) {
                *renamed += weight;
            }
        }
        (self.n_classes, self.wordless) = (map.n_states, wordless.into());
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
        assert!(class < self.n_classes && all < self.n_classes, "classes that are there");
        let mut two = Self::weighed(2, self.n_words(), Arc::clone(&self.weights));
        if let Some(bursts) = &self.bursts {
            two.bursts = Some(Box::new(bursts.against_rest(class as u32, all as u32)?));
        }
        let mut cells = Vec::new();
        for (word, counts) in self.met() {
            let (yes, all) = (counts.of_class(class), counts.of_class(all));
            let no = all.without(yes)?;
            if all.times > 0.0 {
                let of_classes = [(0, no), (1, yes)].into_iter().filter(|(_, count)| !count.is_nothing());
                cells.extend(of_classes.map(|(class, count)| Cell { word: word as u32, class, count }));
            }
        }
        two.rows.add(cells);
        two.wordless = [count_without(self.wordless[all], self.wordless[class])?, self.wordless[class]].into();
        Ok(two)
    }

    fn check_shape(&self, other: &Self) -> Result<(), ShapeMismatch> {
        ShapeMismatch::check("classes", self.n_classes, other.n_classes)?;
        ShapeMismatch::check("words", self.n_words(), other.n_words())?;
        ShapeMismatch::check("words that are weighed alike", 1, usize::from(self.weights == other.weights))
    }
}

impl PartialEq for WordCounts {
    fn eq(&self, other: &Self) -> bool {
        self.n_classes == other.n_classes
            && self.n_words() == other.n_words()
            && self.weights == other.weights
            && self.bursts == other.bursts
            && self.wordless == other.wordless
            && (0..self.n_words()).all(|word| self.of_word(word) == other.of_word(word))
    }
}
