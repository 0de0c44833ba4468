//! What the words of texts say of every class.

use std::ops::Range;
use std::sync::Arc;

use belief::{Texts, WordWeights};

use super::stride_of;
use crate::naive_bayes::dirichlet_compound::ln_rising;
use crate::naive_bayes::near_rows::NearRows;
use crate::naive_bayes::word_table::WordTable;

/// What the words of a text say.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct BagTable {
    /// By word and class.
    pub words: WordTable,
    /// What is said of every text, whatever its words.
    pub every_text: Vec<f64>,
    /// Whether a word that is there twice speaks once.
    pub once: bool,
    /// How much each word of a text counts; `None` is once a time.
    pub weights: Option<Arc<WordWeights>>,
    /// Where texts are brought to one length, whether each word was met: a text is as long as those of its words that were, whether they count or not.
    pub met: Option<Vec<bool>>,
    /// Where words come in bursts, the sum of the α of each class, and α itself by word and class; empty elsewhere.
    pub concentrations: Vec<f64>,
    /// What the words of each class were multiplied by to be of one size.
    pub scales: Vec<f64>,
    /// How often words that count were met in each class.
    pub class_totals: Vec<f64>,
}

/// The texts of a chunk, and what is used again from one to the next.
pub(super) struct TextColumn<'c> {
    table: &'c BagTable,
    texts: Texts<'c>,
    near: Option<NearRows<'c>>,
}

impl<'c> TextColumn<'c> {
    pub fn new(table: &'c BagTable, texts: Texts<'c>) -> Self {
        let near = if table.speaks_each_time() { NearRows::of(&table.words, texts.codes.len()) } else { None };
        Self { table, texts, near }
    }

    /// Adds what the texts of some rows say.
    pub fn add(&mut self, rows: Range<usize>, by_row: &mut [f64]) {
        let stride = stride_of(self.table.every_text.len());
        for (text, scores) in rows.zip(by_row.chunks_exact_mut(stride)) {
            self.table.add(self.texts.words(text), self.near.as_mut(), scores);
        }
    }
}

impl BagTable {
    /// Whether each word of a text counts as often as it is there, and nothing else does.
    fn speaks_each_time(&self) -> bool {
        self.weights.is_none() && self.concentrations.is_empty() && !self.once
    }

    /// Adds what a text says of every class.
    pub(super) fn add(&self, words: &[u32], near: Option<&mut NearRows<'_>>, scores: &mut [f64]) {
        // An empty text is a missing one.
        if words.is_empty() {
            return;
        }
        scores.iter_mut().zip(&self.every_text).for_each(|(score, ln)| *score += ln);
        if self.speaks_each_time() {
            return pulp::Arch::new().dispatch(AllWords { table: &self.words, near, words, scores });
        }
        let mut bag = Vec::new();
        let length = self.bag(words, &mut bag);
        for (word, times) in bag {
            self.add_word(word, times, scores);
        }
        self.add_length(length, scores);
    }

    /// The words that count, each once, with how much they count, and the sum of that. What was in `bag` is replaced.
    pub(crate) fn bag(&self, words: &[u32], bag: &mut Vec<(u32, f64)>) -> f64 {
        let is_known = |word: usize| self.met.as_ref().map_or(word < self.words.n_words(), |met| met.get(word).is_some_and(|met| *met));
        match &self.weights {
            Some(weights) => weights.weigh(words, is_known, bag),
            None => WordWeights::default().weigh(words, is_known, bag),
        }
        bag.retain(|(word, _)| self.words.is_known(*word as usize));
        if self.once {
            bag.iter_mut().for_each(|(_, times)| *times = 1.0);
        }
        bag.iter().map(|(_, times)| times).sum()
    }

    /// Adds what a word says that counts so much.
    pub(crate) fn add_word(&self, word: u32, times: f64, scores: &mut [f64]) {
        if self.concentrations.is_empty() {
            self.words.add_times(word, times, scores);
        } else if let Some(alpha) = self.words.of_word(word as usize) {
            scores.iter_mut().zip(alpha.iter()).for_each(|(score, alpha)| *score += ln_rising(*alpha, times as u32));
        }
    }

    /// Adds what the length of a text says, where it says something.
    pub(crate) fn add_length(&self, length: f64, scores: &mut [f64]) {
        for (score, total) in scores.iter_mut().zip(&self.concentrations) {
            *score -= ln_rising(*total, length as u32);
        }
    }
}

/// Adds what the words of a text say, in the widest vectors the machine has; the sums are the same in any.
struct AllWords<'a, 't> {
    table: &'a WordTable,
    near: Option<&'a mut NearRows<'t>>,
    words: &'a [u32],
    scores: &'a mut [f64],
}

impl pulp::WithSimd for AllWords<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<V: pulp::Simd>(self, _: V) {
        match self.near {
            Some(near) => near.add_all(self.words, self.scores),
            None => self.table.add_all(self.words, self.scores),
        }
    }
}
