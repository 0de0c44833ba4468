//! Counts by word and class, of which only those that are not zero are held.
//!
//! Few of the classes have a word, and few of the words of a vocabulary are in a chunk. A row for each word that was met lies
//! somewhere in two long vectors, its classes in order; a row that has no room for one class more moves to their end with room for
//! twice as many. The memory is that of the cells, whatever the number of classes.

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

/// Rows of words, with cells of classes.
#[derive(Clone, Debug, Default)]
pub(super) struct SparseRows {
    /// Where the row of each word is; [`NO_ROW`] for one never met.
    row_of: Vec<u32>,
    rows: Vec<Row>,
    classes: Vec<u32>,
    counts: Vec<WordCount>,
}

#[derive(Clone, Copy, Debug)]
struct Row {
    word: u32,
    len: u32,
    room: u32,
    start: usize,
}

const NO_ROW: u32 = u32::MAX;

impl SparseRows {
    pub fn empty(n_words: usize) -> Self {
        Self { row_of: vec![NO_ROW; n_words], ..Self::default() }
    }

    /// The rows of these cells, of which no word and class is there twice and those of one word come in the order of their classes.
    pub fn from_cells(n_words: usize, cells: &[Cell]) -> Self {
        let mut n_of_word = vec![0_u32; n_words];
        cells.iter().for_each(|cell| n_of_word[cell.word as usize] += 1);
        let mut rows = Self::empty(n_words);
        let mut start = 0;
        for (word, &room) in n_of_word.iter().enumerate().filter(|(_, n)| **n > 0) {
            rows.row_of[word] = rows.rows.len() as u32;
            rows.rows.push(Row { word: word as u32, len: 0, room, start });
            start += room as usize;
        }
        rows.classes = vec![0; start];
        rows.counts = vec![WordCount::default(); start];
        for cell in cells {
            let row = &mut rows.rows[rows.row_of[cell.word as usize] as usize];
            let place = row.start + row.len as usize;
            row.len += 1;
            (rows.classes[place], rows.counts[place]) = (cell.class, cell.count);
        }
        rows
    }

    pub fn n_words(&self) -> usize {
        self.row_of.len()
    }

    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Cells that are held, and room for more.
    #[cfg(test)]
    pub fn n_places(&self) -> usize {
        self.counts.len()
    }

    pub fn of_word(&self, word: usize) -> ClassCounts<'_> {
        match self.row_of.get(word) {
            Some(&row) if row != NO_ROW => self.of_row(self.rows[row as usize]),
            _ => ClassCounts::default(),
        }
    }

    fn of_row(&self, row: Row) -> ClassCounts<'_> {
        let places = row.start..row.start + row.len as usize;
        ClassCounts { classes: &self.classes[places.clone()], counts: &self.counts[places] }
    }

    /// The words that have a row, in any order.
    pub fn rows(&self) -> impl Iterator<Item = (u32, ClassCounts<'_>)> {
        self.rows.iter().map(|row| (row.word, self.of_row(*row)))
    }

    /// All counts that are held.
    pub fn counts_mut(&mut self) -> impl Iterator<Item = &mut WordCount> {
        self.counts.iter_mut()
    }

    /// Adds cells, of which no word and class is there twice and those of one word come in the order of their classes.
    pub fn add(&mut self, cells: &[Cell]) {
        if self.is_empty() {
            *self = Self::from_cells(self.n_words(), cells);
        } else {
            cells.iter().for_each(|cell| self.cell(cell.word, cell.class).add(cell.count));
        }
    }

    /// The same with what is there replaced.
    pub fn set(&mut self, cells: &[Cell]) {
        if self.is_empty() {
            *self = Self::from_cells(self.n_words(), cells);
        } else {
            cells.iter().for_each(|cell| *self.cell(cell.word, cell.class) = cell.count);
        }
    }

    /// The count of a word in a class, made if there is none.
    pub fn cell(&mut self, word: u32, class: u32) -> &mut WordCount {
        let row = self.row_of_word(word);
        let Row { start, len, room, .. } = self.rows[row];
        let classes = &self.classes[start..start + len as usize];
        let place = match classes.last() {
            Some(last) if *last >= class => match classes.binary_search(&class) {
                Ok(place) => return &mut self.counts[start + place],
                Err(place) => place,
            },
            _ => len as usize,
        };
        let start = if len < room { start } else { self.moved(row) };
        let (from, end) = (start + place, start + len as usize);
        self.classes.copy_within(from..end, from + 1);
        self.counts.copy_within(from..end, from + 1);
        self.classes[from] = class;
        self.counts[from] = WordCount::default();
        self.rows[row].len += 1;
        &mut self.counts[from]
    }

    /// Where a row without room lies now that it has some.
    fn moved(&mut self, row: usize) -> usize {
        let Row { start, len, .. } = self.rows[row];
        let (end, room) = (start + len as usize, (2 * len).max(1));
        // The last row has but to grow.
        let to = if end == self.classes.len() { start } else { self.classes.len() };
        if to != start {
            self.classes.extend_from_within(start..end);
            self.counts.extend_from_within(start..end);
        }
        self.classes.resize(to + room as usize, 0);
        self.counts.resize(to + room as usize, WordCount::default());
        (self.rows[row].start, self.rows[row].room) = (to, room);
        to
    }

    fn row_of_word(&mut self, word: u32) -> usize {
        let row = &mut self.row_of[word as usize];
        if *row == NO_ROW {
            *row = self.rows.len() as u32;
            self.rows.push(Row { word, len: 0, room: 0, start: 0 });
        }
        *row as usize
    }

    /// More words, none of which was met.
    pub fn grow(&mut self, n_words: usize) {
        self.row_of.resize(n_words.max(self.row_of.len()), NO_ROW);
    }

    /// Renames words; the cells of those that are dropped go with them. The map is of this shape.
    pub fn rename_words(&mut self, map: &StateMap) -> Result<(), ShapeMismatch> {
        let mut row_of = vec![NO_ROW; map.n_states];
        let mut some_dropped = false;
        for (place, row) in self.rows.iter_mut().enumerate() {
            row.word = map.to[row.word as usize];
            if row.word == StateMap::DROPPED {
                some_dropped = true;
                continue;
            }
            let outside = ShapeMismatch { what: "a renamed word", expected: map.n_states, found: row.word as usize };
            *row_of.get_mut(row.word as usize).ok_or(outside)? = place as u32;
        }
        self.row_of = row_of;
        // Those that are most of a vocabulary will be gone through in its order.
        if some_dropped || 2 * self.rows.len() > map.n_states {
            self.compact();
        }
        Ok(())
    }

    /// Renames classes; the counts of classes that become one are added up in the order they had. The map is of this shape.
    pub fn rename_classes(&mut self, map: &StateMap) -> Result<(), ShapeMismatch> {
        let mut renamed = Self::empty(self.n_words());
        for (word, counts) in self.rows() {
            for (class, count) in counts.iter() {
                let to = map.to.get(class).copied().unwrap_or(u32::MAX);
                if to as usize >= map.n_states {
                    return Err(ShapeMismatch { what: "a renamed class", expected: map.n_states, found: to as usize });
                }
                renamed.cell(word, to).add(count);
            }
        }
        *self = renamed;
        Ok(())
    }

    /// Puts the rows in the order of their words, without room between them, and without cells and rows that hold nothing.
    pub fn compact(&mut self) {
        let n_cells = self.rows.iter().map(|row| row.len as usize).sum();
        let (mut classes, mut counts) = (Vec::with_capacity(n_cells), Vec::with_capacity(n_cells));
        let mut rows = Vec::with_capacity(self.rows.len());
        for (word, place) in self.row_of.iter_mut().enumerate().filter(|(_, place)| **place != NO_ROW) {
            let old = self.rows[*place as usize];
            let start = classes.len();
            for at in old.start..old.start + old.len as usize {
                if !self.counts[at].is_nothing() {
                    classes.push(self.classes[at]);
                    counts.push(self.counts[at]);
                }
            }
            let len = (classes.len() - start) as u32;
            *place = if len == 0 { NO_ROW } else { rows.len() as u32 };
            if len > 0 {
                rows.push(Row { word: word as u32, len, room: len, start });
            }
        }
        (self.rows, self.classes, self.counts) = (rows, classes, counts);
    }
}
