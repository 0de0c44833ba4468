//! How the weights of words are made: what the user asks for, and what the texts that were counted say of it.

use belief::{TextLength, WordCounts, WordWeights};
use serde::{Deserialize, Serialize};

use super::prior::WordChoice;
use super::words::choose;

/// How much each word of a text is to count.
///
/// | part | meaning |
/// |---|---|
/// | `log_times` | ln (1 + times) instead of the times |
/// | `rarity` | multiplied by ln (texts / texts with the word) |
/// | `length` | the length that every text is brought to |
///
/// All three with a Euclidean length, under the normalised complement, are the "transformed weight-normalised complement naive
/// Bayes" (TWCNB) of Rennie, Shih, Teevan & Karger 2003.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct WordWeighing {
    /// Whether the logarithm of the times counts.
    pub log_times: bool,
    /// Whether rare words count more.
    pub rarity: bool,
    /// What every text is brought to.
    pub length: TextLength,
}

impl WordWeighing {
    /// Whether every word counts once a time.
    pub fn is_plain(&self) -> bool {
        *self == Self::default()
    }

    /// The weights, by texts that were counted without any: `all` of them, and those of known class. `n_rows` is the weight of
    /// all rows, `n_labelled` that of those of each class; a row without words is no text.
    ///
    /// Where texts are brought to a length, words that are not chosen have no part in it, and where logarithms of the times count, the times are
    /// not known later: then the choice is made here for good.
    pub fn weights(&self, all: &WordCounts, labelled: &WordCounts, n_rows: f64, n_labelled: &[f64], choice: &WordChoice) -> WordWeights {
        let by_length = self.length != TextLength::AsItIs && *choice != WordChoice::default();
        let by_times = self.log_times && (choice.drop_most_frequent > 0 || choice.least_times > 0.0);
        let chosen_before = self.rarity || by_length || by_times;
        let n_texts = n_rows - all.wordless().iter().sum::<f64>();
        let of_word = chosen_before.then(|| {
            let rarity = |word: usize| match all.of_word(word).texts() {
                texts if self.rarity && texts > 0.0 => (n_texts / texts).ln().max(0.0),
                _ => 1.0,
            };
            let chosen = choose(all, labelled, n_labelled, choice);
            chosen.iter().enumerate().map(|(word, chosen)| if *chosen { rarity(word) } else { 0.0 }).collect()
        });
        WordWeights { log_times: self.log_times, of_word, length: self.length, bursts: false }
    }
}
