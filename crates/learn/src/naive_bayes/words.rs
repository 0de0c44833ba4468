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

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::HashMap;
use std::sync::Arc;

use belief::{ClassCounts, TextLength, WordCount, WordCounts};

use super::dirichlet_compound::Polya;
use super::prior::{Estimate, MEstimateP, TextEvent, WordChoice};
use super::scoring::{BagTable, stride_of};
use super::word_table::{SharedRow, WordTable};
use crate::LearnError;

/// What a column of texts says.
#[derive(Clone, Debug)]
pub(crate) struct Bag<'s> {
    pub(super) counts: &'s WordCounts,
    pub(super) event: TextEvent,
    pub(super) pseudo: Pseudo,
    /// Whether each word of the vocabulary counts.
    pub(super) chosen: &'s [bool],
    /// Of the words that count: how many, how often they were met in each class, and in all.
    pub(super) n_chosen: f64,
    pub(super) class_totals: Vec<f64>,
    pub(super) total: f64,
    /// The texts of each class that have words.
    pub(super) n_texts: Vec<f64>,
    /// The parameters of each class where words come in bursts; empty elsewhere.
    polya: Vec<Polya>,
}

/// How often each word is imagined to have been met.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Pseudo {
    /// So often each.
    Each(f64),
    /// So often all words together.
    All(f64),
}

impl Pseudo {
    pub(super) fn of_each(self, n_words: f64) -> f64 {
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

/// What is said of counts and classes, of which most are small whole numbers and are asked for over and over: those are remembered.
struct OftenAsked<F> {
    of: F,
    /// By class and count; no number where nobody has asked.
    known: Vec<f64>,
}

impl<F: Fn(f64, usize) -> f64> OftenAsked<F> {
    const SMALL: usize = 32;

    fn new(n_classes: usize, of: F) -> Self {
        Self { of, known: vec![f64::NAN; n_classes * Self::SMALL] }
    }

    fn of(&mut self, times: f64, class: usize) -> f64 {
        let whole = times as usize;
        if whole as f64 != times || whole >= Self::SMALL {
            return (self.of)(times, class);
        }
        let known = &mut self.known[class * Self::SMALL + whole];
        if known.is_nan() {
            *known = (self.of)(times, class);
        }
        *known
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
            of_word.iter().for_each(|(class, count)| class_totals[class] += count.times);
        }
        let total = class_totals.iter().sum();
        let mut bag =
            Self { counts, event, pseudo, chosen, n_chosen, class_totals, total, n_texts: with_words(n_texts, counts), polya: Vec::new() };
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
    pub(crate) fn words(&self) -> impl Iterator<Item = (usize, ClassCounts<'_>)> {
        counting(self.counts, self.chosen)
    }

    pub(crate) fn n_classes(&self) -> usize {
        self.counts.n_classes()
    }

    /// P(word | class), or of its being in a text of the class.
    pub(crate) fn p(&self, word: usize, class: usize) -> f64 {
        let count = self.counts.of_word(word).of_class(class);
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

    /// For each word, what no class's P(word | class) is above, and what none of any classes together is below: found without a division
    /// for each class.
    pub(crate) fn p_between(&self) -> impl Fn(usize) -> (f64, f64) {
        let ends = |of: &[f64]| (of.iter().copied().fold(f64::INFINITY, f64::min), of.iter().copied().fold(0.0, f64::max));
        let ((fewest_texts, most_texts), (fewest, most)) = (ends(&self.n_texts), ends(&self.class_totals));
        let l = self.pseudo.of_each(self.n_chosen);
        let of = move |times: f64, total: f64| ratio(times + l, total + l * self.n_chosen, self.n_chosen);
        let (least_there, least) = (self.p_there(0.0, most_texts), of(0.0, most));
        move |word: usize| {
            let counts = self.counts_of(word);
            let greatest = |of: fn(WordCount) -> f64| counts.iter().map(|(_, count)| of(count)).fold(0.0, f64::max);
            match self.event {
                TextEvent::DirichletCompound => (1.0, 0.0),
                TextEvent::Bernoulli => (self.p_there(greatest(|count| count.texts), fewest_texts), least_there),
                _ => (of(greatest(|count| count.times), fewest), least),
            }
        }
    }

    /// How often each class has words that count, and its texts.
    pub(crate) fn totals(&self) -> (&[f64], &[f64]) {
        (&self.class_totals, &self.n_texts)
    }

    /// The counts of a word; of one that was never met, none.
    pub(crate) fn counts_of(&self, word: usize) -> ClassCounts<'_> {
        self.counts.of_word(word)
    }

    /// (texts with the word + l)/(texts + 2 l).
    pub(super) fn p_there(&self, texts: f64, of: f64) -> f64 {
        let l = self.pseudo.of_each(2.0);
        ratio(texts + l, of + 2.0 * l, 2.0)
    }

    /// What every word says of every class.
    pub(crate) fn table(&self) -> BagTable {
        let n_classes = self.n_classes();
        let mut words = WordTable::unknown(self.counts.n_words(), n_classes, stride_of(n_classes));
        let mut every_text = vec![0.0; n_classes];
        let l = self.pseudo.of_each(self.n_chosen);
        let classes = || 0..n_classes;
        match self.event {
            TextEvent::Multinomial => {
                let ln = |times: f64, class: usize| ratio(times + l, self.class_totals[class] + l * self.n_chosen, self.n_chosen).ln();
                let mut ln = OftenAsked::new(n_classes, ln);
                let never = words.share(classes().map(|class| ln.of(0.0, class)));
                // Of two classes, as a label has them, words with the same counts are many: they have one row.
                let mut of_counts: HashMap<[u64; 2], SharedRow> = HashMap::new();
                for (word, counts) in self.words() {
                    if n_classes == 2 {
                        let times = [0, 1].map(|class| counts.of_class(class).times.to_bits());
                        if let Some(row) = of_counts.get(&times) {
                            words.set(word, *row, []);
                            continue;
                        }
                        let says = counts.iter().map(|(class, count)| (class, ln.of(count.times, class)));
                        of_counts.insert(times, words.set(word, never, says));
                    } else {
                        words.set(word, never, counts.iter().map(|(class, count)| (class, ln.of(count.times, class))));
                    }
                }
            }
            TextEvent::DirichletCompound => {
                let never = words.share(self.polya.iter().map(|polya| polya.alpha_unseen));
                for (word, counts) in self.words() {
                    words.set(word, never, counts.iter().map(|(class, _)| (class, self.alpha(word, class))));
                }
            }
            TextEvent::Bernoulli => {
                let ln_absent = |texts: f64, class: usize| (-self.p_there(texts, self.n_texts[class])).ln_1p();
                let ln_odds = |texts: f64, class: usize| self.p_there(texts, self.n_texts[class]).ln() - ln_absent(texts, class);
                let never = words.share(classes().map(|class| ln_odds(0.0, class)));
                let absent: Vec<f64> = classes().map(|class| ln_absent(0.0, class)).collect();
                for (word, counts) in self.words() {
                    words.set(word, never, counts.iter().map(|(class, count)| (class, ln_odds(count.texts, class))));
                    let mut of_word = absent.clone();
                    counts.iter().for_each(|(class, count)| of_word[class] = ln_absent(count.texts, class));
                    every_text.iter_mut().zip(of_word).for_each(|(sum, ln)| *sum += ln);
                }
            }
            TextEvent::Complement | TextEvent::NormalisedComplement => {
                let ln = |others: f64, class: usize| {
                    -ratio(others + l, self.total - self.class_totals[class] + l * self.n_chosen, self.n_chosen).ln()
                };
                // Words that were met equally often say the same of the classes that they were not met in.
                let mut met_as_often: HashMap<u64, SharedRow> = HashMap::new();
                for (word, counts) in self.words() {
                    let times = counts.times();
                    let never = met_as_often.entry(times.to_bits());
                    let never = *never.or_insert_with(|| words.share(classes().map(|class| ln(times, class))));
                    words.set(word, never, counts.iter().map(|(class, count)| (class, ln(times - count.times, class))));
                }
            }
        }
        let mut scales = vec![1.0; n_classes];
        if self.event == TextEvent::NormalisedComplement {
            let mut sizes = vec![0.0; n_classes];
            for says in self.words().filter_map(|(word, _)| words.of_word(word)) {
                sizes.iter_mut().zip(says.iter()).for_each(|(size, ln)| *size += ln.abs());
            }
            // The mean size, and not one, so that the scores are still of the size of log-odds: they stand beside a class prior and
            // other columns. A class without texts says nothing of it.
            let (mut total, mut n) = (0.0, 0.0);
            for (size, _) in sizes.iter().zip(&self.n_texts).filter(|(_, texts)| **texts > 0.0) {
                (total, n) = (total + size, n + 1.0);
            }
            let mean = if n > 0.0 { total / n } else { 1.0 };
            for (class, size) in sizes.iter().enumerate().filter(|(_, size)| **size > 0.0) {
                scales[class] = mean / size;
                words.scale(class, scales[class]);
            }
        }
        let weights = (!self.counts.weights().is_plain() && !self.counts.weights().bursts).then(|| Arc::clone(self.counts.weights()));
        let has_length = self.counts.weights().length != TextLength::AsItIs;
        let met = has_length.then(|| (0..self.counts.n_words()).map(|word| is_met(&self.counts_of(word))).collect());
        let once = self.event == TextEvent::Bernoulli;
        let concentrations = self.polya.iter().map(|polya| polya.total).collect();
        BagTable { words, every_text, once, weights, met, concentrations, scales, class_totals: self.class_totals.clone() }
    }

    /// a · ln p of every word that counts, by the table of this bag: a is its pseudo-count.
    pub(crate) fn ln_prior_density(&self, table: &BagTable) -> f64 {
        let known = || self.words().filter_map(|(word, _)| table.words.of_word(word));
        match self.event {
            // The table has ln p − ln (1 − p), and the sum of the latter for every text.
            TextEvent::Bernoulli => self.pseudo.of_each(2.0) * (sum_of(known()) + 2.0 * table.every_text.iter().sum::<f64>()),
            // The table has α.
            TextEvent::DirichletCompound => {
                let ln_p =
                    |alpha: Cow<'_, [f64]>| alpha.iter().zip(&table.concentrations).map(|(alpha, total)| (alpha / total).ln()).sum::<f64>();
                self.pseudo.of_each(self.n_chosen) * known().map(ln_p).sum::<f64>()
            }
            _ => match self.pseudo.of_each(self.n_chosen) {
                // No pseudo-count says nothing, even of what is impossible.
                0.0 => 0.0,
                l => l * sum_of(known()),
            },
        }
    }

    /// What the absence of all words says of a class of so many texts less; nothing unless absence speaks.
    pub(crate) fn every_text(&self, class: usize, less: f64) -> f64 {
        if self.event != TextEvent::Bernoulli {
            return 0.0;
        }
        let n_texts = self.n_texts[class] - less;
        self.words().map(|(_, counts)| self.ln_absent(counts.of_class(class).texts, n_texts)).sum()
    }

    /// ln P(the word is not there). A word that is in more texts than there are is in the one that is held out: whoever asks knows.
    pub(super) fn ln_absent(&self, texts: f64, of: f64) -> f64 {
        if texts > of { 0.0 } else { (-self.p_there(texts, of)).ln_1p() }
    }
}

/// Words that were chosen and are met.
fn counting<'c>(counts: &'c WordCounts, chosen: &'c [bool]) -> impl Iterator<Item = (usize, ClassCounts<'c>)> {
    counts.met().filter(|(word, of_word)| chosen[*word] && is_met(of_word))
}

fn is_met(of_word: &ClassCounts<'_>) -> bool {
    of_word.iter().any(|(_, count)| count.times > 0.0)
}

/// The sum over words and, within each, classes.
fn sum_of<'t>(says: impl Iterator<Item = Cow<'t, [f64]>>) -> f64 {
    says.fold(0.0, |sum, says| says.iter().fold(sum, |sum, ln| sum + ln))
}

/// A share; without any, all of `n` are alike.
pub(super) fn ratio(part: f64, of: f64, n: f64) -> f64 {
    if of > 0.0 { (part / of).max(0.0) } else { 1.0 / n.max(1.0) }
}

/// Which words of the vocabulary count, by how often all texts have them and by what texts of known class say of it. `n_texts` is
/// the weight of the latter in each class.
pub(super) fn choose(all: &WordCounts, labelled: &WordCounts, n_texts: &[f64], choice: &WordChoice) -> Vec<bool> {
    let mut chosen = vec![false; all.n_words()];
    // A text that is shared among classes is a whole one but for rounding.
    let reaches = |count: f64, least: f64| count >= least - 1e-6;
    let met = all.met().filter(|(_, of_word)| is_met(of_word));
    // Words that have weights of their own were chosen when those were made.
    if *choice == WordChoice::default() || all.weights().of_word.is_some() {
        met.for_each(|(word, _)| chosen[word] = true);
        return chosen;
    }
    // The most frequent are dropped first, as in Joachims 1996; of equals the earlier word is, and what is shared is as much as what is whole.
    let mut by_times: Vec<(usize, ClassCounts<'_>)> = met.collect();
    if choice.drop_most_frequent > 0 {
        by_times.sort_by_cached_key(|(word, of_word)| (Reverse((of_word.times() * 1e6).round() as u64), *word));
        by_times.drain(..choice.drop_most_frequent.min(by_times.len()));
    }
    by_times.retain(|(_, of_word)| reaches(of_word.texts(), choice.least_texts) && reaches(of_word.times(), choice.least_times));
    if let Some(most) = choice.most_informative.filter(|most| *most < by_times.len()) {
        let n_texts = with_words(n_texts, labelled);
        let information = |word: usize| mutual_information(labelled.of_word(word), &n_texts);
        let mut scored: Vec<(f64, usize)> = by_times.iter().map(|(word, _)| (information(*word), *word)).collect();
        scored.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        scored.truncate(most);
        scored.iter().for_each(|(_, word)| chosen[*word] = true);
    } else {
        by_times.iter().for_each(|(word, _)| chosen[*word] = true);
    }
    chosen
}

/// Texts that have words, of all in each class.
fn with_words(n_texts: &[f64], counts: &WordCounts) -> Vec<f64> {
    n_texts.iter().zip(counts.wordless()).map(|(all, wordless)| (all - wordless).max(0.0)).collect()
}

/// I(class; whether the word is there), in nats, over texts (McCallum & Nigam 1998, section 2.3).
pub(crate) fn mutual_information(of_word: ClassCounts<'_>, n_texts: &[f64]) -> f64 {
    if of_word.is_empty() {
        return 0.0;
    }
    let all: f64 = n_texts.iter().sum();
    let with = of_word.texts();
    let term = |joint: f64, class: f64, there: f64| if joint > 0.0 { joint / all * (joint * all / (class * there)).ln() } else { 0.0 };
    let counts = of_word.dense(n_texts.len());
    counts.iter().zip(n_texts).map(|(count, n)| term(count.texts, *n, with) + term(n - count.texts, *n, all - with)).sum::<f64>().max(0.0)
}
