//! Words of texts to counts, chunk by chunk.
//!
//! The texts of a chunk are taken class by class: then one count a word is enough, which stays in the cache, and what costs is the
//! words of the texts and not the number of classes. Where weights are not whole, counts go on from what they were, so that it makes no
//! difference in how many pieces texts come.

use super::sparse_rows::{Cell, SparseRows};
use super::{WordCount, WordCounts};
use crate::{Code, Codes, ShapeMismatch, Texts, for_codes};

impl WordCounts {
    /// Counts the words of texts. A text whose class is missing is left out, and so are words outside of the vocabulary.
    ///
    /// # Errors
    /// When the columns differ in length.
    pub fn observe(&mut self, classes: Codes<'_>, texts: Texts<'_>, weights: Option<&[f64]>) -> Result<(), ShapeMismatch> {
        ShapeMismatch::check("rows of a column", classes.len(), texts.len())?;
        if let Some(weights) = weights {
            ShapeMismatch::check("weights", classes.len(), weights.len())?;
        }
        let (n_classes, n_words) = (self.n_classes, self.n_words());
        let of_class = for_codes!(classes, classes => texts_of_classes(classes, n_classes, weights));
        let Self { weights: of_words, bursts, rows, wordless, .. } = self;
        for (class, text) in of_class.iter().filter(|(_, text)| texts.words(*text as usize).is_empty()) {
            wordless[*class as usize] += weights.map_or(1.0, |weights| weights[*text as usize]);
        }
        if of_words.is_plain() && weights.is_none() {
            let cells = whole_cells(&of_class, texts, n_words);
            rows.add(cells);
            return Ok(());
        }
        let weight = |text: u32| weights.map_or(1.0, |weights| weights[text as usize]);
        let words = |text: u32| texts.words(text as usize);
        let cells = if of_words.is_plain() {
            cells(&of_class, rows, |_, text, tally| words(text).iter().for_each(|word| tally.add(*word, text, weight(text), weight(text))))
        } else {
            let mut bag = Vec::new();
            cells(&of_class, rows, |class, text, tally| {
                of_words.weigh(words(text), |word| word < n_words, &mut bag);
                bag.iter().for_each(|(word, of_word)| tally.add(*word, text, of_word * weight(text), weight(text)));
                if let Some(bursts) = bursts {
                    bursts.observe(&bag, class, weight(text));
                }
            })
        };
        rows.set(cells);
        Ok(())
    }

    /// Counts the words of texts, each of them in every class by its share of it: `shares[text * n_classes + class]`.
    ///
    /// # Errors
    /// When there are not as many shares as texts and classes.
    pub fn observe_shared(&mut self, texts: Texts<'_>, shares: &[f64]) -> Result<(), ShapeMismatch> {
        ShapeMismatch::check("shares of texts", texts.len() * self.n_classes, shares.len())?;
        let (n_classes, n_words) = (self.n_classes, self.n_words());
        let of_text = |text: usize| &shares[text * n_classes..][..n_classes];
        // The words of all texts, by their rows, with how often they count; and where those of each text end.
        let (mut rows, mut ends, mut bag) = (MetRows::new(n_words), Vec::with_capacity(texts.len()), Vec::new());
        let mut found = Vec::new();
        for text in 0..texts.len() {
            let words = texts.words(text);
            if words.is_empty() {
                self.wordless.iter_mut().zip(of_text(text)).for_each(|(weight, share)| *weight += share);
            }
            if self.weights.is_plain() {
                found.extend(words.iter().filter_map(|word| Some((rows.row(*word)?, 1.0))));
            } else {
                self.weights.weigh(words, |word| word < n_words, &mut bag);
                found.extend(bag.iter().filter_map(|(word, times)| Some((rows.row(*word)?, *times))));
                if let Some(bursts) = &mut self.bursts {
                    let classes = of_text(text).iter().enumerate().filter(|(_, share)| **share > 0.0);
                    classes.for_each(|(class, share)| bursts.observe(&bag, class as u32, *share));
                }
            }
            ends.push(found.len());
        }
        let mut cells = Vec::new();
        for first in (0..n_classes).step_by(MOST_SIDE_BY_SIDE) {
            let width = MOST_SIDE_BY_SIDE.min(n_classes - first);
            let mut counts = vec![WordCount::default(); rows.words.len() * width];
            for (word, counts) in rows.words.iter().zip(counts.chunks_exact_mut(width)) {
                let before = self.of_word(*word as usize).iter().filter(|(class, _)| (first..first + width).contains(class));
                before.for_each(|(class, count)| counts[class - first] = count);
            }
            let mut last = vec![0; rows.words.len()];
            let mut start = 0;
            for (text, end) in ends.iter().enumerate() {
                let shares = &of_text(text)[first..first + width];
                for &(row, times) in &found[start..*end] {
                    let is_first = std::mem::replace(&mut last[row], text + 1) != text + 1;
                    let texts = if is_first { 1.0 } else { 0.0 };
                    for (count, share) in counts[row * width..][..width].iter_mut().zip(shares) {
                        count.times += times * share;
                        count.texts += texts * share;
                    }
                }
                start = *end;
            }
            for (word, counts) in rows.words.iter().zip(counts.chunks_exact(width)) {
                let met = counts.iter().enumerate().filter(|(_, count)| !count.is_nothing());
                cells.extend(met.map(|(class, count)| Cell { word: *word, class: (first + class) as u32, count: *count }));
            }
        }
        self.rows.set(cells);
        Ok(())
    }
}

/// Classes that are counted side by side, so that a chunk of any number of them has bounded memory.
const MOST_SIDE_BY_SIDE: usize = 64;

/// A row for each word that is met, in the order they are.
struct MetRows {
    row_of: Vec<u32>,
    words: Vec<u32>,
}

impl MetRows {
    fn new(n_words: usize) -> Self {
        Self { row_of: vec![u32::MAX; n_words], words: Vec::new() }
    }

    /// The row of a word; `None` outside of the vocabulary.
    fn row(&mut self, word: u32) -> Option<usize> {
        let row = self.row_of.get_mut(word as usize)?;
        if *row == u32::MAX {
            *row = self.words.len() as u32;
            self.words.push(word);
        }
        Some(*row as usize)
    }
}

/// Classes and their texts, in the order of the classes and then of the texts; those of no weight are left out.
fn texts_of_classes<C: Code>(classes: &[C], n_classes: usize, weights: Option<&[f64]>) -> Vec<(u32, u32)> {
    let counts = |text: usize| weights.is_none_or(|weights| weights[text] != 0.0);
    let places = classes.iter().map(|class| class.place(n_classes)).enumerate();
    let mut of_class: Vec<(u32, u32)> =
        places.filter(|(text, class)| *class < n_classes && counts(*text)).map(|(text, class)| (class as u32, text as u32)).collect();
    of_class.sort_by_key(|(class, _)| *class);
    of_class
}

/// The cells of texts whose words count once a time, in small numbers.
fn whole_cells(of_class: &[(u32, u32)], texts: Texts<'_>, n_words: usize) -> Vec<Cell> {
    /// Times, texts, and the text it was met in last, counted from one.
    #[derive(Clone, Copy, Default)]
    struct Whole(u32, u32, u32);
    let mut of_word = vec![Whole::default(); n_words];
    let (mut met, mut cells) = (Vec::new(), Vec::new());
    for of_class in of_class.chunk_by(|a, b| a.0 == b.0) {
        for &(_, text) in of_class {
            for &word in texts.words(text as usize) {
                let Some(Whole(times, texts, last)) = of_word.get_mut(word as usize) else { continue };
                if *times == 0 {
                    met.push(word);
                }
                *times += 1;
                *texts += u32::from(*last != text + 1);
                *last = text + 1;
            }
        }
        for word in met.drain(..) {
            let Whole(times, texts, _) = std::mem::take(&mut of_word[word as usize]);
            let count = WordCount { times: f64::from(times), texts: f64::from(texts) };
            cells.push(Cell { word, class: of_class[0].0, count });
        }
    }
    cells
}

/// The cells that `add` makes of each text of each class, and of what was counted before.
fn cells(of_class: &[(u32, u32)], before: &SparseRows, mut add: impl FnMut(u32, u32, &mut Tally<'_>)) -> Vec<Cell> {
    let mut tally = Tally { of_word: vec![(WordCount::default(), 0); before.n_words()], met: Vec::new(), class: 0, before };
    let mut cells = Vec::new();
    for of_class in of_class.chunk_by(|a, b| a.0 == b.0) {
        tally.class = of_class[0].0;
        of_class.iter().for_each(|(class, text)| add(*class, *text, &mut tally));
        tally.finish(&mut cells);
    }
    cells
}

/// The counts of one class.
struct Tally<'b> {
    /// For each word its counts, and the text it was met in last, counted from one.
    of_word: Vec<(WordCount, u32)>,
    met: Vec<u32>,
    class: u32,
    before: &'b SparseRows,
}

impl Tally<'_> {
    /// A word of a text; how many times it counts, and how much the text does where the word is the first of its kind in it.
    #[inline]
    fn add(&mut self, word: u32, text: u32, times: f64, weight: f64) {
        let Some((count, last)) = self.of_word.get_mut(word as usize) else { return };
        if *last == 0 {
            self.met.push(word);
            *count = self.before.of_word(word as usize).of_class(self.class as usize);
        }
        count.times += times;
        if *last != text + 1 {
            count.texts += weight;
        }
        *last = text + 1;
    }

    fn finish(&mut self, cells: &mut Vec<Cell>) {
        for word in self.met.drain(..) {
            let (count, _) = std::mem::take(&mut self.of_word[word as usize]);
            if !count.is_nothing() {
                cells.push(Cell { word, class: self.class, count });
            }
        }
    }
}
