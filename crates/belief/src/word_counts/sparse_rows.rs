//! Counts by word and class, of which only those that are not zero are held.
//!
//! Few of the classes have a word, and few of the words of a vocabulary are in a chunk. The rows of all words lie one after another, the classes of
//! each in order. What is added is put behind them as it comes, and sorted in when it has become as much as they are, or is looked at: so nothing is
//! searched for and nothing moves for a single cell. The memory is that of the cells, whatever the number of classes.

use std::ops::Range;
use std::sync::OnceLock;

use super::WordCount;
use crate::{ShapeMismatch, StateMap};

/// The counts of one word: the classes it was met in, in their order, and how often in each.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ClassCounts<'c> {
    classes: &'c [u32],
    counts: &'c [WordCount],
}

impl<'c> ClassCounts<'c> {
    /// The counts in a class; nothing where the word was not met.
    pub fn of_class(&self, class: usize) -> WordCount {
        self.classes.binary_search(&(class as u32)).map_or(WordCount::default(), |place| self.counts[place])
    }

    /// The classes the word was met in, in their order, with the counts.
    pub fn iter(&self) -> impl Iterator<Item = (usize, WordCount)> + use<'c> {
        self.classes.iter().zip(self.counts).map(|(class, count)| (*class as usize, *count))
    }

    /// How many classes the word was met in.
    pub fn len(&self) -> usize {
        self.classes.len()
    }

    /// Whether the word was never met.
    pub fn is_empty(&self) -> bool {
        self.classes.is_empty()
    }

    /// How often the word was met in texts of any class.
    pub fn times(&self) -> f64 {
        self.counts.iter().fold(0.0, |sum, count| sum + count.times)
    }

    /// The texts of any class it was met in.
    pub fn texts(&self) -> f64 {
        self.counts.iter().fold(0.0, |sum, count| sum + count.texts)
    }

    /// The counts of every class, in order; those of classes without the word are zero.
    pub fn dense(&self, n_classes: usize) -> Vec<WordCount> {
        let mut dense = vec![WordCount::default(); n_classes];
        self.iter().for_each(|(class, count)| dense[class] = count);
        dense
    }
}

/// One count of a word in a class.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cell {
    pub word: u32,
    pub class: u32,
    pub count: WordCount,
}

/// Cells by word and class.
#[derive(Clone, Debug, Default)]
pub(super) struct SparseRows {
    n_words: usize,
    rows: Rows,
    /// Cells that were added since, in the order they came.
    late: Vec<Cell>,
    /// Whether a word and class may be among the late ones twice.
    late_again: bool,
    /// The rows with the late cells among them, where someone has looked at them before they were sorted in.
    seen: OnceLock<Rows>,
}

/// The rows of words, one after another.
#[derive(Clone, Debug, Default)]
struct Rows {
    /// Where the row of each word begins, and where the last one ends. Words behind them have no cells.
    starts: Vec<usize>,
    classes: Vec<u32>,
    counts: Vec<WordCount>,
}

/// So many late cells are left alone, whatever the number of all.
const FEW_LATE: usize = 1 << 12;

impl SparseRows {
    pub fn empty(n_words: usize) -> Self {
        Self { n_words, ..Self::default() }
    }

    /// Rows as they lie in a file: how many cells each word has, their classes, and their counts. The classes of a word are in order, and none is
    /// there twice.
    pub fn from_rows(n_of_word: &[u32], classes: Vec<u32>, counts: Vec<WordCount>) -> Self {
        let starts = starts_of(n_of_word.iter().map(|n| *n as usize));
        Self { n_words: n_of_word.len(), rows: Rows { starts, classes, counts }, ..Self::default() }
    }

    pub fn n_words(&self) -> usize {
        self.n_words
    }

    pub fn is_empty(&self) -> bool {
        self.rows.counts.is_empty() && self.late.is_empty()
    }

    /// Cells that are held.
    #[cfg(test)]
    pub fn n_places(&self) -> usize {
        self.rows.counts.len() + self.late.len()
    }

    pub fn of_word(&self, word: usize) -> ClassCounts<'_> {
        self.rows().of_word(word)
    }

    /// How many cells each word has, and of all words, one after the other, the classes and the counts.
    pub fn flat(&self) -> (impl Iterator<Item = u32>, &[u32], &[WordCount]) {
        let rows = self.rows();
        ((0..self.n_words).map(|word| rows.places(word).len() as u32), &rows.classes, &rows.counts)
    }

    /// All cells. Those of one word and class are one, and those of one word come in the order of their classes.
    pub fn cells(&self) -> impl Iterator<Item = Cell> {
        // What a chunk has counted need not be put in order to be added to other counts.
        let as_they_came = self.rows.counts.is_empty() && !self.late_again;
        let (late, rows) = if as_they_came { (&self.late[..], None) } else { (&[][..], Some(self.rows())) };
        late.iter().copied().chain(rows.into_iter().flat_map(Rows::cells))
    }

    /// All counts that are held.
    pub fn counts_mut(&mut self) -> impl Iterator<Item = &mut WordCount> {
        self.sort_in();
        self.rows.counts.iter_mut()
    }

    /// The count of a word in a class, if it has one.
    pub fn count_mut(&mut self, word: u32, class: u32) -> Option<&mut WordCount> {
        self.sort_in();
        let places = self.rows.places(word as usize);
        let place = self.rows.classes[places.clone()].binary_search(&class).ok()?;
        Some(&mut self.rows.counts[places][place])
    }

    /// Adds cells, of which those of one word come in the order of their classes, none of them twice.
    pub fn add(&mut self, cells: impl IntoIterator<Item = Cell>) {
        if self.seen.get().is_some() {
            self.sort_in();
        }
        self.late_again |= !self.late.is_empty();
        self.late.extend(cells);
        if self.late_again && self.late.len() > FEW_LATE.max(self.rows.counts.len()) {
            self.sort_in();
        }
    }

    /// The same with what is there replaced.
    pub fn set(&mut self, cells: Vec<Cell>) {
        if self.is_empty() {
            return self.add(cells);
        }
        let new: Vec<Cell> = cells
            .into_iter()
            .filter(|cell| match self.count_mut(cell.word, cell.class) {
                Some(count) => {
                    *count = cell.count;
                    false
                }
                None => true,
            })
            .collect();
        self.add(new);
    }

    /// The rows, with what is late.
    fn rows(&self) -> &Rows {
        if self.late.is_empty() { &self.rows } else { self.seen.get_or_init(|| self.rows.with(&self.late, self.n_words, Some)) }
    }

    /// Puts what is late where it belongs.
    fn sort_in(&mut self) {
        if !self.late.is_empty() {
            self.rows = self.seen.take().unwrap_or_else(|| self.rows.with(&self.late, self.n_words, Some));
            // As many come again, and memory that is taken back and given anew costs more than what is done with it.
            self.late.clear();
            self.late_again = false;
        }
    }

    /// More words, none of which was met.
    pub fn grow(&mut self, n_words: usize) {
        self.n_words = n_words.max(self.n_words);
    }

    /// Renames words; the cells of those that are dropped go with them. The map is of this shape, and no two words become one.
    pub fn rename_words(&mut self, map: &StateMap) -> Result<(), ShapeMismatch> {
        if let Some(outside) = map.to.iter().find(|to| **to as usize >= map.n_states && **to != StateMap::DROPPED) {
            return Err(ShapeMismatch { what: "a renamed word", expected: map.n_states, found: *outside as usize });
        }
        if self.seen.get().is_some() {
            self.sort_in();
        }
        self.late.iter_mut().for_each(|cell| cell.word = map.to[cell.word as usize]);
        self.late.retain(|cell| cell.word != StateMap::DROPPED);
        self.n_words = map.n_states;
        // What is late is sorted in while the others move, unless there are none.
        if !self.rows.counts.is_empty() {
            let place_of = |word: usize| map.to.get(word).filter(|to| **to != StateMap::DROPPED).map(|to| *to as usize);
            self.rows = self.rows.with(&self.late, self.n_words, place_of);
            (self.late, self.late_again) = (Vec::new(), false);
        }
        Ok(())
    }

    /// Renames classes; the counts of classes that become one are added up in the order they had. The map is of this shape.
    pub fn rename_classes(&mut self, map: &StateMap) -> Result<(), ShapeMismatch> {
        self.sort_in();
        let mut renamed = Self { late_again: true, ..Self::empty(self.n_words) };
        for mut cell in self.rows.cells().filter(|cell| !cell.count.is_nothing()) {
            cell.class = map.to.get(cell.class as usize).copied().unwrap_or(u32::MAX);
            if cell.class as usize >= map.n_states {
                return Err(ShapeMismatch { what: "a renamed class", expected: map.n_states, found: cell.class as usize });
            }
            renamed.late.push(cell);
        }
        renamed.sort_in();
        *self = renamed;
        Ok(())
    }

    /// Leaves out what holds nothing.
    pub fn compact(&mut self) {
        self.sort_in();
        self.rows.compact();
    }
}

impl Rows {
    fn n_words(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    fn places(&self, word: usize) -> Range<usize> {
        if let Some([start, end]) = self.starts.get(word..).and_then(|starts| starts.first_chunk()) { *start..*end } else { 0..0 }
    }

    fn of_word(&self, word: usize) -> ClassCounts<'_> {
        let places = self.places(word);
        ClassCounts { classes: &self.classes[places.clone()], counts: &self.counts[places] }
    }

    fn cells(&self) -> impl Iterator<Item = Cell> {
        let of_word =
            |word: usize| self.of_word(word).iter().map(move |(class, count)| Cell { word: word as u32, class: class as u32, count });
        (0..self.n_words()).flat_map(of_word)
    }

    /// Room for so many cells of each word.
    fn with_room(n_of_word: Vec<usize>) -> Self {
        let starts = starts_of(n_of_word);
        let n_cells = starts.last().copied().unwrap_or(0);
        Self { starts, classes: vec![0; n_cells], counts: vec![WordCount::default(); n_cells] }
    }

    /// Copies the row of a word to where another begins.
    fn copy_row(&mut self, of: &Self, word: usize, to: usize) {
        let (from, start) = (of.places(word), self.starts[to]);
        let to = start..start + from.len();
        self.classes[to.clone()].copy_from_slice(&of.classes[from.clone()]);
        self.counts[to].copy_from_slice(&of.counts[from]);
    }

    /// These rows, each at the place of its word if it has one, and cells that came later. Cells of one word and class are added up, in the
    /// order they came.
    fn with(&self, late: &[Cell], n_words: usize, place_of: impl Fn(usize) -> Option<usize>) -> Self {
        let moved = || (0..self.n_words()).filter_map(|word| Some((word, place_of(word)?)));
        let mut n_of_word = vec![0; n_words];
        moved().for_each(|(word, to)| n_of_word[to] = self.places(word).len());
        let mut next = n_of_word.clone();
        late.iter().for_each(|cell| n_of_word[cell.word as usize] += 1);
        let mut rows = Self::with_room(n_of_word);
        moved().for_each(|(word, to)| rows.copy_row(self, word, to));
        if late.is_empty() {
            return rows;
        }
        next.iter_mut().zip(&rows.starts).for_each(|(next, start)| *next += start);
        for cell in late {
            let place = &mut next[cell.word as usize];
            (rows.classes[*place], rows.counts[*place]) = (cell.class, cell.count);
            *place += 1;
        }
        rows.put_in_order();
        rows
    }

    /// Rows whose classes are in order, each there once.
    fn put_in_order(&mut self) {
        // Where each class was met last; in the row at hand if that is not before its first place.
        let n_classes = self.classes.iter().max().map_or(0, |class| *class as usize + 1);
        let mut met_at: Vec<Option<usize>> = vec![None; n_classes];
        let mut row: Vec<(u32, WordCount)> = Vec::new();
        let (mut begin, mut end) = (0, 0);
        for word in 0..self.n_words() {
            let (places, first) = (begin..self.starts[word + 1], end);
            (begin, self.starts[word]) = (places.end, first);
            for at in places {
                let (class, count) = (self.classes[at], self.counts[at]);
                let met_at = &mut met_at[class as usize];
                match *met_at {
                    Some(place) if place >= first => self.counts[place].add(count),
                    _ => {
                        *met_at = Some(end);
                        (self.classes[end], self.counts[end]) = (class, count);
                        end += 1;
                    }
                }
            }
            if !self.classes[first..end].is_sorted() {
                row.clear();
                row.extend((first..end).map(|at| (self.classes[at], self.counts[at])));
                row.sort_unstable_by_key(|(class, _)| *class);
                (first..end).zip(&row).for_each(|(at, (class, count))| (self.classes[at], self.counts[at]) = (*class, *count));
            }
        }
        self.end_at(end);
    }

    /// Leaves out cells that hold nothing.
    fn compact(&mut self) {
        let (mut begin, mut end) = (0, 0);
        for word in 0..self.n_words() {
            let places = begin..self.starts[word + 1];
            (begin, self.starts[word]) = (places.end, end);
            for at in places {
                if !self.counts[at].is_nothing() {
                    (self.classes[end], self.counts[end]) = (self.classes[at], self.counts[at]);
                    end += 1;
                }
            }
        }
        self.end_at(end);
    }

    /// Cuts off what lies behind the last row.
    fn end_at(&mut self, end: usize) {
        if let Some(last) = self.starts.last_mut() {
            *last = end;
        }
        self.classes.truncate(end);
        self.counts.truncate(end);
    }
}

/// Where rows of so many cells each begin, and where the last one ends.
fn starts_of(n_of_word: impl IntoIterator<Item = usize>) -> Vec<usize> {
    let ends = n_of_word.into_iter().scan(0, |end, n| {
        *end += n;
        Some(*end)
    });
    std::iter::once(0).chain(ends).collect()
}
