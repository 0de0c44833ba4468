//! How words come in bursts: in how many texts of each class a word is met so many times, and how long the texts are.
//!
//! Everything the Dirichlet-compound multinomial asks of texts (Minka 2000, *Estimating a Dirichlet distribution*; Madsen, Kauchak &
//! Elkan 2005). Counts of texts, and so additive: merged and taken back like any other.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{NeverObserved, ShapeMismatch, StateMap, WordCounts, count_without};

/// Repeats of words within texts, and lengths of texts, as weights of texts.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "RawBursts", into = "RawBursts")]
pub struct Bursts {
    /// By word, class and times; once is not written down: it is what is left of the texts with the word.
    repeats: BTreeMap<(u32, u32, u32), f64>,
    /// By class and length.
    lengths: BTreeMap<(u32, u32), f64>,
}

#[derive(Serialize, Deserialize)]
struct RawBursts {
    repeats: Vec<(u32, u32, u32, f64)>,
    lengths: Vec<(u32, u32, f64)>,
}

impl From<Bursts> for RawBursts {
    fn from(bursts: Bursts) -> Self {
        Self {
            repeats: bursts.repeats.into_iter().map(|((word, class, times), texts)| (word, class, times, texts)).collect(),
            lengths: bursts.lengths.into_iter().map(|((class, length), texts)| (class, length, texts)).collect(),
        }
    }
}

impl TryFrom<RawBursts> for Bursts {
    type Error = &'static str;

    fn try_from(raw: RawBursts) -> Result<Self, &'static str> {
        let is_count = |n: f64| n.is_finite() && n > 0.0;
        if !raw.repeats.iter().all(|(_, _, times, texts)| *times > 1 && is_count(*texts))
            || !raw.lengths.iter().all(|(_, length, texts)| *length > 0 && is_count(*texts))
        {
            return Err("bursts that no texts can have");
        }
        Ok(Self {
            repeats: raw.repeats.into_iter().map(|(word, class, times, texts)| ((word, class, times), texts)).collect(),
            lengths: raw.lengths.into_iter().map(|(class, length, texts)| ((class, length), texts)).collect(),
        })
    }
}

impl Bursts {
    /// Adds a text: its words in order, each with its times, and its share of a class.
    pub(crate) fn observe(&mut self, bag: &[(u32, f64)], class: u32, share: f64) {
        let mut length = 0;
        for &(word, times) in bag {
            let times = times as u32;
            length += times;
            if times > 1 {
                *self.repeats.entry((word, class, times)).or_default() += share;
            }
        }
        if length > 0 {
            *self.lengths.entry((class, length)).or_default() += share;
        }
    }

    /// The texts of a class in which a word is met more than once: by times.
    pub fn repeats(&self, word: u32, class: u32) -> impl Iterator<Item = (u32, f64)> {
        self.repeats.range((word, class, 0)..=(word, class, u32::MAX)).map(|((_, _, times), texts)| (*times, *texts))
    }

    /// The texts of a class by their lengths; a text without words of the vocabulary is none.
    pub fn lengths(&self, class: u32) -> impl Iterator<Item = (u32, f64)> {
        self.lengths.range((class, 0)..=(class, u32::MAX)).map(|((_, length), texts)| (*length, *texts))
    }

    pub(crate) fn scale(&mut self, by: f64) {
        self.repeats.values_mut().chain(self.lengths.values_mut()).for_each(|texts| *texts *= by);
        self.drop_empty();
    }

    pub(crate) fn merge(&mut self, other: &Self) {
        other.repeats.iter().for_each(|(key, texts)| *self.repeats.entry(*key).or_default() += texts);
        other.lengths.iter().for_each(|(key, texts)| *self.lengths.entry(*key).or_default() += texts);
    }

    pub(crate) fn forget(&mut self, other: &Self) -> Result<(), NeverObserved> {
        for (key, texts) in &other.repeats {
            let left = self.repeats.entry(*key).or_default();
            *left = count_without(*left, *texts)?;
        }
        for (key, texts) in &other.lengths {
            let left = self.lengths.entry(*key).or_default();
            *left = count_without(*left, *texts)?;
        }
        self.drop_empty();
        Ok(())
    }

    /// Two classes made of one: the texts that are not in it, and those that are. `all` is the class in which every text was counted.
    ///
    /// # Errors
    /// When the class has texts that `all` does not have.
    pub(crate) fn against_rest(&self, class: u32, all: u32) -> Result<Self, NeverObserved> {
        let of = |from: u32, to: u32| Self {
            repeats: self.repeats.iter().filter(|((_, c, _), _)| *c == from).map(|((word, _, n), t)| ((*word, to, *n), *t)).collect(),
            lengths: self.lengths.iter().filter(|((c, _), _)| *c == from).map(|((_, length), t)| ((to, *length), *t)).collect(),
        };
        let mut two = of(all, 0);
        two.forget(&of(class, 0))?;
        two.merge(&of(class, 1));
        Ok(two)
    }

    fn drop_empty(&mut self) {
        self.repeats.retain(|_, texts| *texts > 0.0);
        self.lengths.retain(|_, texts| *texts > 0.0);
    }

    /// Renames classes and words; the maps have been checked. Words that are dropped are still in the lengths of their texts.
    pub(crate) fn recode(&mut self, classes: Option<&StateMap>, words: Option<&StateMap>) -> Result<(), ShapeMismatch> {
        let renamed = |map: Option<&StateMap>, code: u32| match map {
            None => Ok(code),
            Some(map) => map.to.get(code as usize).copied().ok_or(ShapeMismatch {
                what: "a burst's word or class",
                expected: map.to.len(),
                found: code as usize,
            }),
        };
        let mut recoded = Self::default();
        for ((word, class, times), texts) in &self.repeats {
            if renamed(words, *word)? == StateMap::DROPPED {
                continue;
            }
            *recoded.repeats.entry((renamed(words, *word)?, renamed(classes, *class)?, *times)).or_default() += texts;
        }
        for ((class, length), texts) in &self.lengths {
            *recoded.lengths.entry((renamed(classes, *class)?, *length)).or_default() += texts;
        }
        *self = recoded;
        Ok(())
    }

    /// Whether they can be those of these counts: no word is repeated in more texts than it is in, and the lengths of the texts of a
    /// class sum to the times of its words.
    pub(crate) fn are_of(&self, counts: &WordCounts) -> bool {
        let near = |a: f64, b: f64| (a - b).abs() <= 1e-6 * (1.0 + b.abs());
        let cell = |word: u32, class: u32| counts.of_word(word as usize).of_class(class as usize);
        let of_word = |((word, class, _), _): (&(u32, u32, u32), &f64)| {
            let texts: f64 = self.repeats(*word, *class).map(|(_, texts)| texts).sum();
            texts <= cell(*word, *class).texts * (1.0 + 1e-6)
        };
        let totals = counts.class_totals();
        let of_class =
            |(class, total): (usize, &f64)| near(self.lengths(class as u32).map(|(length, texts)| f64::from(length) * texts).sum(), *total);
        self.repeats.iter().all(of_word) && totals.iter().enumerate().all(of_class)
    }

    /// Whether all words and classes are below these numbers.
    pub(crate) fn fits(&self, n_words: usize, n_classes: usize) -> bool {
        self.repeats.keys().all(|(word, class, _)| (*word as usize) < n_words && (*class as usize) < n_classes)
            && self.lengths.keys().all(|(class, _)| (*class as usize) < n_classes)
    }
}
