//! Texts as bags of words: what the words of a text say of its class.
//!
//! | event model | what is drawn | reference |
//! |---|---|---|
//! | multinomial | each word of the text: P(w \| c) = (n_wc + l)/(n_c + l·\|V\|) | Mitchell 1997, section 6.10, LEARN_NAIVE_BAYES_TEXT |
//! | Bernoulli | for each word of the vocabulary whether it is there | McCallum & Nigam 1998 |
//! | complement | as multinomial, of the texts of all other classes, and its sign turned | Rennie, Shih, Teevan & Karger 2003, section 3.1 |
//! | normalised complement | the same, with the weights of every class of one size | the same, section 3.2 |
//! | Dirichlet-compound | the words' probabilities for each text, then its words | Madsen, Kauchak & Elkan 2005; [`super::dirichlet_compound`] |
//!
//! Words outside of the vocabulary are passed over. Which words of it count is chosen here, when the posterior is made, and never
//! when they are counted: nothing is lost for later.

use std::sync::Arc;

use belief::{WordCount, WordCounts};

use super::dirichlet_compound::Polya;
use super::prior::{Estimate, MEstimateP, TextEvent, WordChoice};
use super::scoring::{BagTable, StateTable};
use crate::LearnError;

/// What a column of texts says.
#[derive(Clone, Debug)]
pub(crate) struct Bag<'s> {
    counts: &'s WordCounts,
    event: TextEvent,
    pseudo: Pseudo,
    /// Whether each word of the vocabulary counts.
    chosen: &'s [bool],
    /// Of the words that count: how many, how often they were met in each class, and in all.
    n_chosen: f64,
    class_totals: Vec<f64>,
    total: f64,
    /// The texts of each class.
    n_texts: Vec<f64>,
    /// The parameters of each class where words come in bursts; empty elsewhere.
    polya: Vec<Polya>,
}

/// How often each word is imagined to have been met.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Pseudo {
    /// So often each.
    Each(f64),
    /// So often all words together.
    All(f64),
}

impl Pseudo {
    fn of_each(self, n_words: f64) -> f64 {
        match self {
            Pseudo::Each(l) => l,
            Pseudo::All(alpha) => {
                if n_words > 0.0 {
                    alpha / n_words
                } else {
                    0.0
                }
            }
        }
    }
}

impl<'s> Bag<'s> {
    /// `n_texts` is the weight of the texts of each class, `chosen` whether each word of the vocabulary counts.
    ///
    /// # Errors
    /// When the estimate is not for words.
    pub(crate) fn new(
        variable: &str,
        counts: &'s WordCounts,
        n_texts: &[f64],
        estimate: &Estimate,
        event: TextEvent,
        chosen: &'s [bool],
    ) -> Result<Self, LearnError> {
        let pseudo = match estimate {
            Estimate::MaximumLikelihood => Pseudo::Each(0.0),
            Estimate::Laplace { l } => Pseudo::Each(*l),
            Estimate::Dirichlet { alpha } => Pseudo::All(*alpha),
            Estimate::MEstimate { m, p: MEstimateP::Uniform } => Pseudo::All(*m),
            Estimate::MEstimate { .. } => return Err(LearnError::EstimateOfWords { variable: variable.into() }),
        };
        // A word that is in every text, or in none, would be infinitely sure, and two such words would contradict each other.
        if event != TextEvent::Multinomial && matches!(pseudo, Pseudo::Each(0.0) | Pseudo::All(0.0)) {
            return Err(LearnError::WordsWithoutPrior { variable: variable.into() });
        }
        let n_classes = counts.n_classes();
        let (mut n_chosen, mut class_totals) = (0.0, vec![0.0; n_classes]);
        for (_, of_word) in counting(counts, chosen) {
            n_chosen += 1.0;
            class_totals.iter_mut().zip(of_word).for_each(|(total, count)| *total += count.times);
        }
        let total = class_totals.iter().sum();
        let mut bag = Self { counts, event, pseudo, chosen, n_chosen, class_totals, total, n_texts: n_texts.to_vec(), polya: Vec::new() };
        if event == TextEvent::DirichletCompound {
            let bursts = counts.bursts().ok_or_else(|| LearnError::NoBursts { variable: variable.into() })?;
            let l = pseudo.of_each(n_chosen);
            let words = || bag.words().map(|(word, _)| word);
            bag.polya = (0..n_classes).map(|class| Polya::fit(counts, bursts, class, l, words(), n_chosen)).collect();
        }
        Ok(bag)
    }

    /// Whether words come in bursts.
    pub(crate) fn has_bursts(&self) -> bool {
        self.event == TextEvent::DirichletCompound
    }

    /// How often words that count were met in each class.
    pub(crate) fn class_totals(&self) -> &[f64] {
        &self.class_totals
    }

    /// How many words count.
    pub(crate) fn n_chosen(&self) -> usize {
        self.n_chosen as usize
    }

    /// Words that count, with their counts.
    pub(crate) fn words(&self) -> impl Iterator<Item = (usize, &[WordCount])> {
        counting(self.counts, self.chosen)
    }

    pub(crate) fn n_classes(&self) -> usize {
        self.counts.n_classes()
    }

    /// P(word | class), or of its being in a text of the class.
    pub(crate) fn p(&self, word: usize, class: usize) -> f64 {
        let count = self.counts.of_word(word).map_or(WordCount::default(), |counts| counts[class]);
        match self.event {
            TextEvent::Bernoulli => self.p_there(count.texts, self.n_texts[class]),
            TextEvent::DirichletCompound => self.alpha(word, class) / self.polya[class].total,
            _ => {
                let l = self.pseudo.of_each(self.n_chosen);
                ratio(count.times + l, self.class_totals[class] + l * self.n_chosen, self.n_chosen)
            }
        }
    }

    fn alpha(&self, word: usize, class: usize) -> f64 {
        let Polya { alpha, alpha_unseen, .. } = &self.polya[class];
        alpha.binary_search_by_key(&(word as u32), |(word, _)| *word).map_or(*alpha_unseen, |place| alpha[place].1)
    }

    /// P(word | some classes together), or of its being in their texts: of the word's counts in them, of how often they have words that
    /// count, and of their texts. Not for words that come in bursts.
    pub(crate) fn p_of(&self, count: WordCount, times: f64, texts: f64) -> f64 {
        let l = self.pseudo.of_each(self.n_chosen);
        match self.event {
            TextEvent::Bernoulli => self.p_there(count.texts, texts),
            _ => ratio(count.times + l, times + l * self.n_chosen, self.n_chosen),
        }
    }

    /// What no class's P(word | class) is above, and what none of any classes together is below, found without a division for each class.
    pub(crate) fn p_between(&self, word: usize) -> (f64, f64) {
        let ends = |of: &[f64]| (of.iter().copied().fold(f64::INFINITY, f64::min), of.iter().copied().fold(0.0, f64::max));
        let greatest = |of: fn(&WordCount) -> f64| self.counts_of(word).iter().map(of).fold(0.0, f64::max);
        match self.event {
            TextEvent::DirichletCompound => (1.0, 0.0),
            TextEvent::Bernoulli => {
                let (fewest, most) = ends(&self.n_texts);
                (self.p_there(greatest(|count| count.texts), fewest), self.p_there(0.0, most))
            }
            _ => {
                let l = self.pseudo.of_each(self.n_chosen);
                let (fewest, most) = ends(&self.class_totals);
                let of = |times: f64, total: f64| ratio(times + l, total + l * self.n_chosen, self.n_chosen);
                (of(greatest(|count| count.times), fewest), of(0.0, most))
            }
        }
    }

    /// How often each class has words that count, and its texts.
    pub(crate) fn totals(&self) -> (&[f64], &[f64]) {
        (&self.class_totals, &self.n_texts)
    }

    /// The counts of a word in every class; of one that was never met, none.
    pub(crate) fn counts_of(&self, word: usize) -> &[WordCount] {
        self.counts.of_word(word).unwrap_or_default()
    }

    /// (texts with the word + l)/(texts + 2 l).
    fn p_there(&self, texts: f64, of: f64) -> f64 {
        let l = self.pseudo.of_each(2.0);
        ratio(texts + l, of + 2.0 * l, 2.0)
    }

    /// What every word says of every class.
    pub(crate) fn table(&self) -> BagTable {
        let n_classes = self.n_classes();
        let mut words = StateTable::unknown(self.counts.n_words(), n_classes);
        let mut every_text = vec![0.0; n_classes];
        let l = self.pseudo.of_each(self.n_chosen);
        // Most words were never met in most classes: one logarithm serves them all.
        let of_times = |times: f64, class: usize| ratio(times + l, self.class_totals[class] + l * self.n_chosen, self.n_chosen).ln();
        let of_others = matches!(self.event, TextEvent::Complement | TextEvent::NormalisedComplement);
        let never: Vec<f64> = (0..n_classes).map(|class| of_times(0.0, class)).collect();
        for (word, of_word) in self.words() {
            let times: f64 = if of_others { of_word.iter().map(|count| count.times).sum() } else { 0.0 };
            for (class, count) in of_word.iter().enumerate() {
                let ln = match self.event {
                    TextEvent::DirichletCompound => self.alpha(word, class),
                    TextEvent::Multinomial if count.times == 0.0 => never[class],
                    TextEvent::Multinomial => of_times(count.times, class),
                    TextEvent::Bernoulli => {
                        let p = self.p_there(count.texts, self.n_texts[class]);
                        every_text[class] += (-p).ln_1p();
                        p.ln() - (-p).ln_1p()
                    }
                    TextEvent::Complement | TextEvent::NormalisedComplement => {
                        -ratio(times - count.times + l, self.total - self.class_totals[class] + l * self.n_chosen, self.n_chosen).ln()
                    }
                };
                words.set(word, class, ln);
            }
        }
        let mut scales = vec![1.0; n_classes];
        if self.event == TextEvent::NormalisedComplement {
            let size = |class: usize| self.words().filter_map(|(word, _)| words.of_state(word)).map(|ln| ln[class].abs()).sum::<f64>();
            let sizes: Vec<f64> = (0..n_classes).map(size).collect();
            // The mean size, and not one, so that the scores are still of the size of log-odds: they stand beside a class prior and
            // other columns.
            let mean = sizes.iter().sum::<f64>() / n_classes as f64;
            for (class, size) in sizes.iter().enumerate().filter(|(_, size)| **size > 0.0) {
                scales[class] = mean / size;
                words.scale(class, scales[class]);
            }
        }
        let weights = (!self.counts.weights().is_plain() && !self.counts.weights().bursts).then(|| Arc::clone(self.counts.weights()));
        let once = self.event == TextEvent::Bernoulli;
        let concentrations = self.polya.iter().map(|polya| polya.total).collect();
        BagTable { words, every_text, once, weights, concentrations, scales, class_totals: self.class_totals.clone() }
    }

    /// What a text says of every class when it is held out of its own, added to `out`. `words` are its words in any order.
    ///
    /// `without_one` is what [`Bag::every_text`] gives with one text less.
    pub(crate) fn add_held_out(&self, table: &BagTable, without_one: &[f64], words: &[u32], own: usize, weight: f64, out: &mut [f64]) {
        if words.is_empty() {
            return;
        }
        let mut bag = Vec::new();
        self.counts.weights().weigh(words, self.counts.n_words(), &mut bag);
        bag.retain(|(word, _)| self.chosen[*word as usize]);
        let runs = || bag.iter().map(|(word, n)| (*word as usize, *n));
        // Words that no other text has are unknown without this one.
        let of_word = |word: usize| self.counts.of_word(word).unwrap_or_default();
        let stays = |word: usize| of_word(word).iter().map(|count| count.texts).sum::<f64>() - weight > 1e-9 * weight;
        let n_chosen = self.n_chosen - runs().filter(|(word, _)| !stays(*word)).count() as f64;
        let (before, l) = (self.pseudo.of_each(self.n_chosen), self.pseudo.of_each(n_chosen));
        let length: f64 = runs().map(|(_, n)| n).sum();
        let taken = length * weight;
        let n_left: f64 = runs().filter(|(word, _)| stays(*word)).map(|(_, n)| n).sum();
        for (class, out) in out.iter_mut().enumerate() {
            let of_own = if class == own { weight } else { 0.0 };
            *out += match self.event {
                // Refused before.
                TextEvent::DirichletCompound => 0.0,
                // Of another class only the size of the vocabulary has changed.
                TextEvent::Multinomial if class != own && before == l => {
                    let (was, is) = (self.class_totals[class] + l * self.n_chosen, self.class_totals[class] + l * n_chosen);
                    let shift = if n_left > 0.0 && was > 0.0 && is > 0.0 { n_left * (was.ln() - is.ln()) } else { 0.0 };
                    let says = |(word, n): (usize, f64)| table.words.of_state(word).map_or(0.0, |ln| n * ln[class]);
                    runs().filter(|(word, _)| stays(*word)).map(says).sum::<f64>() + shift
                }
                TextEvent::Multinomial => {
                    let total = self.class_totals[class] - if class == own { taken } else { 0.0 } + l * n_chosen;
                    let says = |(word, n): (usize, f64)| n * ratio(of_word(word)[class].times - n * of_own + l, total, n_chosen).ln();
                    runs().filter(|(word, _)| stays(*word)).map(says).sum()
                }
                TextEvent::Bernoulli => {
                    let n_texts = self.n_texts[class] - of_own;
                    let texts = |word: usize| of_word(word)[class].texts;
                    let every_text = match of_own {
                        0.0 => table.every_text[class],
                        1.0 => without_one[class],
                        _ => self.every_text(class, of_own),
                    };
                    // What is said of the absence of the text's own words is taken back; infinities cannot be.
                    let absent: f64 = if every_text.is_finite() {
                        every_text - runs().map(|(word, _)| self.ln_absent(texts(word), n_texts)).sum::<f64>()
                    } else {
                        let others = self.words().filter(|(word, _)| bag.binary_search_by_key(&(*word as u32), |(word, _)| *word).is_err());
                        others.map(|(_, counts)| self.ln_absent(counts[class].texts, n_texts)).sum()
                    };
                    let there = |(word, _): (usize, f64)| self.p_there(texts(word) - of_own, n_texts).ln();
                    absent + runs().filter(|(word, _)| stays(*word)).map(there).sum::<f64>()
                }
                TextEvent::Complement | TextEvent::NormalisedComplement => {
                    // The complement of a class holds the texts of all others: it is the text's own class that does not change.
                    let gone = if class == own { 0.0 } else { weight };
                    let total = self.total - self.class_totals[class] - gone * length + l * n_chosen;
                    let says = |(word, n): (usize, f64)| {
                        let counts = of_word(word);
                        let others = counts.iter().map(|count| count.times).sum::<f64>() - counts[class].times;
                        -n * ratio(others - n * gone + l, total, n_chosen).ln()
                    };
                    // Given the scale, as numbers are.
                    table.scales[class] * runs().filter(|(word, _)| stays(*word)).map(says).sum::<f64>()
                }
            };
        }
    }

    /// a · ln p of every word that counts, by the table of this bag: a is its pseudo-count.
    pub(crate) fn ln_prior_density(&self, table: &BagTable) -> f64 {
        let known = || self.words().filter_map(|(word, _)| table.words.of_state(word));
        match self.event {
            // The table has ln p − ln (1 − p), and the sum of the latter for every text.
            TextEvent::Bernoulli => {
                self.pseudo.of_each(2.0) * (known().flatten().sum::<f64>() + 2.0 * table.every_text.iter().sum::<f64>())
            }
            // The table has α.
            TextEvent::DirichletCompound => {
                let ln_p = |alpha: &[f64]| alpha.iter().zip(&table.concentrations).map(|(alpha, total)| (alpha / total).ln()).sum::<f64>();
                self.pseudo.of_each(self.n_chosen) * known().map(ln_p).sum::<f64>()
            }
            _ => match self.pseudo.of_each(self.n_chosen) {
                // No pseudo-count says nothing, even of what is impossible.
                0.0 => 0.0,
                l => l * known().flatten().sum::<f64>(),
            },
        }
    }

    /// What the absence of all words says of a class of so many texts less; nothing unless absence speaks.
    pub(crate) fn every_text(&self, class: usize, less: f64) -> f64 {
        if self.event != TextEvent::Bernoulli {
            return 0.0;
        }
        let n_texts = self.n_texts[class] - less;
        self.words().map(|(_, counts)| self.ln_absent(counts[class].texts, n_texts)).sum()
    }

    /// ln P(the word is not there). A word that is in more texts than there are is in the one that is held out: whoever asks knows.
    fn ln_absent(&self, texts: f64, of: f64) -> f64 {
        if texts > of { 0.0 } else { (-self.p_there(texts, of)).ln_1p() }
    }
}

/// Words that were chosen and are met.
fn counting<'c>(counts: &'c WordCounts, chosen: &'c [bool]) -> impl Iterator<Item = (usize, &'c [WordCount])> {
    counts.met().filter(|(word, of_word)| chosen[*word] && of_word.iter().any(|count| count.times > 0.0))
}

/// A share; without any, all of `n` are alike.
fn ratio(part: f64, of: f64, n: f64) -> f64 {
    if of > 0.0 { (part / of).max(0.0) } else { 1.0 / n.max(1.0) }
}

/// Which words of the vocabulary count, by how often all texts have them and by what texts of known class say of it. `n_texts` is
/// the weight of the latter in each class.
pub(super) fn choose(all: &WordCounts, labelled: &WordCounts, n_texts: &[f64], choice: &WordChoice) -> Vec<bool> {
    let mut chosen = vec![false; all.n_words()];
    let texts = |of_word: &[WordCount]| of_word.iter().map(|count| count.texts).sum::<f64>();
    let times = |of_word: &[WordCount]| of_word.iter().map(|count| count.times).sum::<f64>();
    // A text that is shared among classes is a whole one but for rounding.
    let reaches = |count: f64, least: f64| count >= least - 1e-6;
    let met = all.met().filter(|(_, of_word)| of_word.iter().any(|count| count.times > 0.0));
    // Words that have weights of their own were chosen when those were made.
    if *choice == WordChoice::default() || all.weights().of_word.is_some() {
        met.for_each(|(word, _)| chosen[word] = true);
        return chosen;
    }
    // The most frequent are dropped first, as in Joachims 1996; of equals the earlier word is.
    let mut by_times: Vec<(usize, &[WordCount])> = met.collect();
    if choice.drop_most_frequent > 0 {
        by_times.sort_by(|a, b| times(b.1).total_cmp(&times(a.1)).then(a.0.cmp(&b.0)));
        by_times.drain(..choice.drop_most_frequent.min(by_times.len()));
    }
    by_times.retain(|(_, of_word)| reaches(texts(of_word), choice.least_texts) && reaches(times(of_word), choice.least_times));
    if let Some(most) = choice.most_informative.filter(|most| *most < by_times.len()) {
        let information = |word: usize| labelled.of_word(word).map_or(0.0, |of_word| mutual_information(of_word, n_texts));
        let mut scored: Vec<(f64, usize)> = by_times.iter().map(|(word, _)| (information(*word), *word)).collect();
        scored.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        scored.truncate(most);
        scored.iter().for_each(|(_, word)| chosen[*word] = true);
    } else {
        by_times.iter().for_each(|(word, _)| chosen[*word] = true);
    }
    chosen
}

/// I(class; whether the word is there), in nats, over texts (McCallum & Nigam 1998, section 2.3).
pub(crate) fn mutual_information(of_word: &[WordCount], n_texts: &[f64]) -> f64 {
    let all: f64 = n_texts.iter().sum();
    let with: f64 = of_word.iter().map(|count| count.texts).sum();
    let term = |joint: f64, class: f64, there: f64| if joint > 0.0 { joint / all * (joint * all / (class * there)).ln() } else { 0.0 };
    of_word.iter().zip(n_texts).map(|(count, n)| term(count.texts, *n, with) + term(n - count.texts, *n, all - with)).sum::<f64>().max(0.0)
}
