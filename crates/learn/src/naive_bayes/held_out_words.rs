//! What a text says of the classes when it is held out: as if its words had not been learned from.

use belief::{ClassCounts, TextLength};

use super::prior::TextEvent;
use super::scoring::{BagTable, stride_of};
use super::words::{Bag, ratio};

/// A word of the text: its code, how much it counted when it was learned, how much it counts in a text whose own words may be unknown, and
/// its counts in all texts.
struct Run<'c> {
    word: u32,
    n: f64,
    says: f64,
    counts: ClassCounts<'c>,
}

impl Bag<'_> {
    /// What a text says of every class when it is held out of its own, added to `out`. `words` are its words in any order.
    ///
    /// `without_one` is what [`Bag::every_text`] gives with one text less.
    pub(crate) fn add_held_out(&self, table: &BagTable, without_one: &[f64], words: &[u32], own: usize, weight: f64, out: &mut [f64]) {
        if words.is_empty() {
            return;
        }
        let (weights, n_words) = (self.counts.weights(), self.counts.n_words());
        // Words that no other text has are unknown without this one.
        let stays = |word: usize| word < n_words && self.counts_of(word).texts() - weight > 1e-9 * weight;
        let (mut bag, mut left) = (Vec::new(), Vec::new());
        weights.weigh(words, |word| word < n_words, &mut bag);
        bag.retain(|(word, _)| self.chosen[*word as usize]);
        let has_length = weights.length != TextLength::AsItIs;
        if has_length {
            weights.weigh(words, stays, &mut left);
        }
        let said = |word: u32| left.binary_search_by_key(&word, |(word, _)| *word).map_or(0.0, |place| left[place].1);
        let run =
            |&(word, n): &(u32, f64)| Run { word, n, says: if has_length { said(word) } else { n }, counts: self.counts_of(word as usize) };
        let runs: Vec<Run<'_>> = bag.iter().map(run).collect();
        let staying: Vec<&Run<'_>> = runs.iter().filter(|run| stays(run.word as usize)).collect();
        let n_chosen = self.n_chosen - (runs.len() - staying.len()) as f64;
        let (before, l) = (self.pseudo.of_each(self.n_chosen), self.pseudo.of_each(n_chosen));
        let length: f64 = runs.iter().map(|run| run.n).sum();
        match self.event {
            // Refused before.
            TextEvent::DirichletCompound => {}
            TextEvent::Multinomial => {
                let n_left: f64 = staying.iter().map(|run| run.says).sum();
                let mut said = vec![0.0; stride_of(out.len())];
                staying.iter().for_each(|run| table.words.add_times(run.word, run.says, &mut said));
                for (class, out) in out.iter_mut().enumerate() {
                    // Of another class only the size of the vocabulary has changed.
                    if class != own && before == l {
                        let (was, is) = (self.class_totals[class] + l * self.n_chosen, self.class_totals[class] + l * n_chosen);
                        let shift = if n_left > 0.0 && was > 0.0 && is > 0.0 { n_left * (was.ln() - is.ln()) } else { 0.0 };
                        *out += said[class] + shift;
                        continue;
                    }
                    let (of_own, taken) = if class == own { (weight, length * weight) } else { (0.0, 0.0) };
                    let total = self.class_totals[class] - taken + l * n_chosen;
                    let says = |run: &&Run<'_>| {
                        let times = run.counts.of_class(class).times - run.n * of_own;
                        run.says * ratio(times + l, total, n_chosen).ln()
                    };
                    *out += staying.iter().map(says).sum::<f64>();
                }
            }
            TextEvent::Bernoulli => {
                for (class, out) in out.iter_mut().enumerate() {
                    let of_own = if class == own { weight } else { 0.0 };
                    let n_texts = self.n_texts[class] - of_own;
                    let texts = |run: &Run<'_>| run.counts.of_class(class).texts;
                    let every_text = match of_own {
                        0.0 => table.every_text[class],
                        1.0 => without_one[class],
                        _ => self.every_text(class, of_own),
                    };
                    // What is said of the absence of the text's own words is taken back; infinities cannot be.
                    let absent: f64 = if every_text.is_finite() {
                        every_text - runs.iter().map(|run| self.ln_absent(texts(run), n_texts)).sum::<f64>()
                    } else {
                        let others = self.words().filter(|(word, _)| bag.binary_search_by_key(&(*word as u32), |(word, _)| *word).is_err());
                        others.map(|(_, counts)| self.ln_absent(counts.of_class(class).texts, n_texts)).sum()
                    };
                    *out += absent + staying.iter().map(|run| self.p_there(texts(run) - of_own, n_texts).ln()).sum::<f64>();
                }
            }
            TextEvent::Complement | TextEvent::NormalisedComplement => {
                let times: Vec<f64> = staying.iter().map(|run| run.counts.times()).collect();
                for (class, out) in out.iter_mut().enumerate() {
                    // The complement of a class holds the texts of all others: it is the text's own class that does not change.
                    let gone = if class == own { 0.0 } else { weight };
                    let total = self.total - self.class_totals[class] - gone * length + l * n_chosen;
                    let says = |(run, times): (&&Run<'_>, &f64)| {
                        let others = times - run.counts.of_class(class).times;
                        -run.says * ratio(others - run.n * gone + l, total, n_chosen).ln()
                    };
                    // Given the scale, as numbers are.
                    *out += table.scales[class] * staying.iter().zip(&times).map(says).sum::<f64>();
                }
            }
        }
    }
}
