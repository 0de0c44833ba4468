//! How much each word of a text counts: once a time, or by how rare it is and how long the text is.
//!
//! | weight | formula | reference |
//! |---|---|---|
//! | times | n | |
//! | logarithm of times | ln (1 + n) | Rennie, Shih, Teevan & Karger 2003, section 4.1 |
//! | rarity (inverse document frequency) | · ln (texts / texts with the word) | Sparck Jones 1972; the same, section 4.2 |
//! | Euclidean length | / √Σ of the squares | the same, section 4.3 |
//! | constant length | · L / Σ | Nigam, McCallum, Thrun & Mitchell 2000, section 3 |
//!
//! A text is weighed by itself, so that statistics of weighed texts add up like any other, **given the weights of words**. Those
//! of rarity are made from texts that were counted before, as cut points are: two statistics add up only if theirs are the same.

use serde::{Deserialize, Serialize};

use crate::{ShapeMismatch, StateMap};

/// How the words of a text are weighed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "RawWeights")]
pub struct WordWeights {
    /// Whether the logarithm of one more than the times counts, instead of the times.
    pub log_times: bool,
    /// What the weight of each word is multiplied by; `None` is one each. A word that is not among them does not count.
    pub of_word: Option<Vec<f64>>,
    /// What every text is brought to.
    pub length: TextLength,
    /// Whether it is counted how often words are repeated within a text; only words that count once a time are.
    pub bursts: bool,
}

/// The length that texts are brought to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub enum TextLength {
    /// They stay as long as they are.
    #[default]
    AsItIs,
    /// The squares of the words' weights sum to one.
    Euclidean,
    /// The words' weights sum to this.
    Constant(f64),
}

#[derive(Deserialize)]
struct RawWeights {
    log_times: bool,
    of_word: Option<Vec<f64>>,
    length: TextLength,
    #[serde(default)]
    bursts: bool,
}

impl TryFrom<RawWeights> for WordWeights {
    type Error = &'static str;

    fn try_from(raw: RawWeights) -> Result<Self, &'static str> {
        let is_weight = |x: f64| x.is_finite() && x >= 0.0;
        if !raw.of_word.iter().flatten().all(|weight| is_weight(*weight)) {
            return Err("a word's weight that is no weight");
        }
        if matches!(raw.length, TextLength::Constant(length) if !(is_weight(length) && length > 0.0)) {
            return Err("a length of texts that is no length");
        }
        if raw.bursts && (raw.log_times || raw.of_word.is_some() || raw.length != TextLength::AsItIs) {
            return Err("bursts of words that are weighed");
        }
        Ok(Self { log_times: raw.log_times, of_word: raw.of_word, length: raw.length, bursts: raw.bursts })
    }
}

impl WordWeights {
    /// Whether every word counts once a time.
    pub fn is_plain(&self) -> bool {
        *self == Self::default()
    }

    /// Whether words are weighed in the same way in both, whatever the weights are.
    pub fn same_form(&self, other: &Self) -> bool {
        let form = |weights: &Self| (weights.log_times, weights.of_word.is_some(), weights.length, weights.bursts);
        form(self) == form(other)
    }

    /// The words of a text, in order and each once, with their weights. Words that are not known are left out before the text is brought to
    /// its length, and so are those of weight zero. What was in `bag` is replaced.
    pub fn weigh(&self, words: &[u32], is_known: impl Fn(usize) -> bool, bag: &mut Vec<(u32, f64)>) {
        bag.clear();
        bag.extend(words.iter().filter(|word| is_known(**word as usize)).map(|word| (*word, 1.0)));
        if !bag.is_sorted_by_key(|(word, _)| *word) {
            bag.sort_unstable_by_key(|(word, _)| *word);
        }
        bag.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            if same {
                kept.1 += next.1;
            }
            same
        });
        if self.log_times {
            bag.iter_mut().for_each(|(_, weight)| *weight = weight.ln_1p());
        }
        if let Some(of_word) = &self.of_word {
            bag.iter_mut().for_each(|(word, weight)| *weight *= of_word.get(*word as usize).copied().unwrap_or(0.0));
        }
        bag.retain(|(_, weight)| *weight > 0.0);
        let scale = match self.length {
            TextLength::AsItIs => return,
            TextLength::Euclidean => bag.iter().map(|(_, weight)| weight * weight).sum::<f64>().sqrt().recip(),
            TextLength::Constant(length) => length / bag.iter().map(|(_, weight)| weight).sum::<f64>(),
        };
        bag.iter_mut().for_each(|(_, weight)| *weight *= scale);
    }

    /// Renames words; a new one has no weight where words have weights of their own.
    ///
    /// # Errors
    /// When the map is not of this shape.
    pub fn recode(&mut self, words: &StateMap) -> Result<(), ShapeMismatch> {
        let Some(of_word) = &mut self.of_word else { return Ok(()) };
        ShapeMismatch::check("words to rename", of_word.len(), words.to.len())?;
        let mut recoded = vec![0.0; words.n_states];
        for (weight, &to) in of_word.iter().zip(&words.to).filter(|(_, to)| **to != StateMap::DROPPED) {
            let outside = ShapeMismatch { what: "a renamed word", expected: words.n_states, found: to as usize };
            *recoded.get_mut(to as usize).ok_or(outside)? = *weight;
        }
        *of_word = recoded;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bag(weights: &WordWeights, words: &[u32]) -> Vec<(u32, f64)> {
        let mut bag = Vec::new();
        weights.weigh(words, |word| word < 4, &mut bag);
        bag
    }

    #[test]
    fn each_weight_is_as_written() {
        let words = [2, 0, 2, 9, 1, 2];
        assert_eq!(bag(&WordWeights::default(), &words), [(0, 1.0), (1, 1.0), (2, 3.0)]);
        let log = WordWeights { log_times: true, ..WordWeights::default() };
        assert_eq!(bag(&log, &words), [(0, 2_f64.ln()), (1, 2_f64.ln()), (2, 4_f64.ln())]);
        let rarity = WordWeights { of_word: Some(vec![0.5, 0.0, 2.0, 1.0]), ..WordWeights::default() };
        assert_eq!(bag(&rarity, &words), [(0, 0.5), (2, 6.0)]);
        let constant = WordWeights { length: TextLength::Constant(10.0), ..WordWeights::default() };
        assert_eq!(bag(&constant, &words), [(0, 2.0), (1, 2.0), (2, 6.0)]);
        let euclid = WordWeights { length: TextLength::Euclidean, ..WordWeights::default() };
        let length: f64 = bag(&euclid, &words).iter().map(|(_, weight)| weight * weight).sum();
        assert!((length - 1.0).abs() < 1e-15);
        // Nothing to weigh has no length to be brought to.
        assert!(bag(&euclid, &[9]).is_empty() && bag(&constant, &[]).is_empty());
    }

    #[test]
    fn weights_go_with_their_words() {
        let mut weights = WordWeights { of_word: Some(vec![1.0, 2.0]), ..WordWeights::default() };
        weights.recode(&StateMap { to: vec![2, 0], n_states: 3 }).unwrap();
        assert_eq!(weights.of_word, Some(vec![2.0, 0.0, 1.0]));
        assert!(weights.recode(&StateMap { to: vec![0], n_states: 3 }).is_err());
    }

    #[test]
    fn what_cannot_be_a_weight_is_refused() {
        let raw = |of_word, length| WordWeights::try_from(RawWeights { log_times: false, of_word, length, bursts: false });
        assert!(raw(Some(vec![1.0, f64::NAN]), TextLength::AsItIs).is_err());
        assert!(raw(Some(vec![-1.0]), TextLength::AsItIs).is_err());
        assert!(raw(None, TextLength::Constant(0.0)).is_err());
        assert!(raw(Some(vec![0.0, 1.5]), TextLength::Constant(100.0)).is_ok());
    }
}
