//! What a column looks like in its first rows, and what kind of variable that makes it.

use belief::{Kind, Role, States};
use hashbrown::HashSet;

use crate::ColumnType;
use crate::date::date_of;
use crate::dictionary::Dictionary;
use crate::packed::Short;
use crate::text::blocks::Block;
use crate::text::csv::text_of;
use crate::text::tile::Tile;

/// Rows looked at before the kinds are decided.
pub(crate) const SAMPLE_ROWS: usize = 65_536;

/// Why a column without values is left out.
pub(crate) const NO_VALUES: &str = "it has no values";
/// Whole numbers are states when they take at most this many values…
const FEW: usize = 10;
/// …or at most this many in a target.
const FEW_IN_TARGET: usize = 100;
/// Beyond this many distinct numbers a column is not looked at value by value any more.
const MANY_NUMBERS: usize = 2_000;

/// Beyond this many bytes of values no more are kept: 65,536 texts of a few kilobytes each would fill the memory.
const MANY_BYTES: usize = 8 << 20;

/// The distinct values of a column's first rows.
#[derive(Clone)]
pub(crate) struct Profile {
    /// The values met, up to a bound.
    pub values: Dictionary,
    /// Values that are not missing.
    n: u64,
    /// Bytes of `values`.
    n_bytes: usize,
    /// Set when no more values are kept.
    full: bool,
    /// Values met since then, as hashes or, where they are numbers, as their bits.
    others: HashSet<u64>,
    /// How many values were met since then of which it is not known whether they had been met before.
    n_unseen: u64,
    /// Whether a value was met twice.
    repeats: bool,
    not_numbers: u64,
    whole: bool,
    least: f64,
    greatest: f64,
    /// Words of all distinct values.
    n_words: usize,
    /// Whether every value is a date.
    dates: bool,
    /// Whether the values need not be looked at, for what the column is was said.
    is_said: bool,
    /// The states that the file itself says the column has, in their order.
    pub declared: Option<States>,
    /// How many of the values are as quick to find as can be.
    n_settled: usize,
    codes: Vec<u32>,
    scratch: Vec<u8>,
}

impl Profile {
    pub fn new(missing: &[String]) -> Self {
        Self {
            values: Dictionary::new(missing),
            n: 0,
            n_bytes: 0,
            full: false,
            others: HashSet::new(),
            n_unseen: 0,
            repeats: false,
            not_numbers: 0,
            whole: true,
            least: f64::INFINITY,
            greatest: f64::NEG_INFINITY,
            n_words: 0,
            dates: true,
            is_said: false,
            declared: None,
            n_settled: 0,
            codes: Vec::new(),
            scratch: Vec::new(),
        }
    }

    /// Of a column that is said to be one of texts, which are long and many.
    pub fn of_texts(missing: &[String]) -> Self {
        Self { is_said: true, ..Self::new(missing) }
    }

    /// The cells of a column of a tile that has no malformed records.
    pub fn observe_column(&mut self, block: &Block, tile: &Tile, column: usize) {
        if self.is_said {
            return;
        }
        let mut codes = std::mem::take(&mut self.codes);
        codes.resize(tile.n_rows(), 0);
        let mut row = 0;
        while row < tile.n_rows() {
            let n = tile.machine().run(
                #[inline(always)]
                || tile.codes(block, column, row, &self.values, &mut codes[row..], |code| code),
            );
            let n_values = codes[row..row + n].iter().filter(|code| **code != Dictionary::MISSING).count() as u64;
            self.n += n_values;
            self.repeats |= n_values > 0;
            row += n;
            // Where one cell is long the next is likely to be.
            let mut is_long = true;
            while row < tile.n_rows() && is_long {
                let (start, end) = tile.span(row, column);
                self.observe_cell(&block.bytes[start..end]);
                is_long = end - start > Short::MOST;
                row += 1;
            }
        }
        self.codes = codes;
    }

    /// Makes the values met so far as quick to find as can be.
    pub fn settle(&mut self) {
        if self.values.len() != self.n_settled {
            self.values.settle();
            self.n_settled = self.values.len();
        }
    }

    /// A cell as it stands in a CSV file.
    pub fn observe_cell(&mut self, cell: &[u8]) {
        if self.is_said {
            return;
        }
        match self.values.get(cell) {
            Some(code) => self.count(code),
            None => {
                let mut scratch = std::mem::take(&mut self.scratch);
                let text = text_of(cell, &mut scratch);
                let code = self.observe_new(text);
                if let Some(code) = code
                    && text != cell
                    && !self.full
                {
                    self.n_bytes += cell.len();
                    self.values.alias(cell, code);
                }
                self.scratch = scratch;
            }
        }
    }

    /// A value's text; `None` is missing.
    pub fn observe(&mut self, text: Option<&[u8]>) {
        if let Some(text) = text.filter(|_| !self.is_said) {
            self.observe_new(text);
        }
    }

    /// A number with a fraction, which decides the kind: the others need not be looked at.
    pub fn observe_fraction(&mut self) {
        self.n += 1;
        self.n_unseen += 1;
        self.whole = false;
        self.dates = false;
        self.full = true;
        (self.least, self.greatest) = (self.least.min(0.0), self.greatest.max(0.0));
    }

    fn count(&mut self, code: u32) {
        if code != Dictionary::MISSING {
            self.n += 1;
            self.repeats = true;
        }
    }

    /// A text; the code it has now, if it has one.
    fn observe_new(&mut self, text: &[u8]) -> Option<u32> {
        if let Some(code) = self.values.find(text) {
            self.count(code);
            return Some(code);
        }
        let number = fast_float2::parse::<f64, _>(text).ok();
        // A NaN is a missing value however it is written, unless these are names, of which none is missing.
        if number.is_some_and(f64::is_nan) && self.values.find(b"NaN") == Some(Dictionary::MISSING) {
            return None;
        }
        self.n += 1;
        match number {
            // An infinity among numbers is a fault of its row, as it is after the first rows.
            Some(number) => {
                self.whole &= number.fract() == 0.0;
                if number.is_finite() {
                    self.least = self.least.min(number);
                    self.greatest = self.greatest.max(number);
                }
            }
            // Bytes that are no text are a fault of their row, and do not make numbers states.
            None => self.not_numbers += u64::from(std::str::from_utf8(text).is_ok()),
        }
        if self.full {
            self.observe_other(text, number);
            return None;
        }
        self.note_text(text);
        self.n_bytes += text.len();
        // Bytes that are no text are a fault of their row, never a state.
        let code = self.values.intern_name(std::str::from_utf8(text).ok()?);
        self.full = self.n_bytes > MANY_BYTES || self.not_numbers == 0 && self.values.len() > MANY_NUMBERS;
        Some(code)
    }

    /// A value that is not kept.
    fn observe_other(&mut self, text: &[u8], number: Option<f64>) {
        // Among nothing but numbers all that matters is whether they number the rows: one that repeats or has a fraction decides.
        if self.not_numbers == 0 && (self.repeats || !self.whole) {
            self.n_unseen += 1;
            return;
        }
        let hash = number.map_or_else(|| hash_of(text), f64::to_bits);
        if self.others.insert(hash) {
            self.note_text(text);
        } else {
            self.repeats = true;
        }
    }

    fn note_text(&mut self, text: &[u8]) {
        self.n_words += text.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).count();
        self.dates = self.dates && date_of(text).is_some();
    }

    /// What the values make of the column, and in words why it is left out if it is.
    pub fn kind(&self, is_target: bool) -> (Inferred, Option<String>) {
        let distinct = self.values.len() + self.others.len();
        if self.n == 0 {
            return (Inferred::Categorical, Some(NO_VALUES.into()));
        }
        if self.not_numbers == 0 && self.least <= self.greatest {
            let few = if is_target { FEW_IN_TARGET } else { FEW };
            if self.whole && !self.full && distinct <= few && (is_target || self.n >= 2 * distinct as u64) {
                return (Inferred::Categorical, None);
            }
            let counts_up = self.whole && self.n >= 20 && self.greatest - self.least + 1.0 == self.n as f64 && !self.repeats;
            let reason = (counts_up && !is_target).then(|| "it numbers the rows".into());
            return (Inferred::Numeric, reason);
        }
        if self.dates {
            return (Inferred::Date, None);
        }
        if is_target {
            return (Inferred::Categorical, None);
        }
        let n_seen = self.n - self.n_unseen;
        if self.n_words >= 5 * distinct && distinct as u64 * 2 > n_seen {
            return (Inferred::Text, None);
        }
        let looks_like_an_id = n_seen >= 20 && distinct as f64 > 0.95 * n_seen as f64;
        (Inferred::Categorical, looks_like_an_id.then(|| "almost every value is different, as in an identifier".into()))
    }

    /// Whether every value that was met is a date.
    pub fn are_dates(&self) -> bool {
        self.dates && !self.is_said
    }

    /// Whether every value that was met is among [`Profile::values`].
    pub fn is_complete(&self) -> bool {
        self.others.is_empty() && self.n_unseen == 0
    }
}

/// The same for the same text in every run.
fn hash_of(text: &[u8]) -> u64 {
    use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};
    BuildHasherDefault::<DefaultHasher>::default().hash_one(text)
}

/// A kind before its states are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Inferred {
    Categorical,
    Numeric,
    Text,
    Labels,
    Date,
    Opaque,
}

impl Inferred {
    pub fn given(kind: ColumnType) -> Option<Self> {
        Some(match kind {
            ColumnType::Category => Inferred::Categorical,
            ColumnType::Numeric => Inferred::Numeric,
            ColumnType::Text => Inferred::Text,
            ColumnType::Date => Inferred::Date,
            ColumnType::Ignore => return None,
        })
    }

    pub fn kind(self, states: States) -> Kind {
        match self {
            Inferred::Categorical => Kind::Categorical(states),
            Inferred::Numeric => Kind::Numeric,
            Inferred::Text => Kind::Text(states),
            Inferred::Labels => Kind::Labels(states),
            Inferred::Date => Kind::Date,
            Inferred::Opaque => Kind::Opaque,
        }
    }

    /// Why a column of this kind is no evidence for the learners of tables.
    pub fn left_out(self) -> Option<Role> {
        let reason = match self {
            Inferred::Text => "it is text; count its words with --text NAME, or read it as states with --types NAME=category",
            Inferred::Date => {
                "it is a date; read it as states with --types NAME=category, or as a number with --types NAME=numeric: days, of times of day and durations seconds"
            }
            Inferred::Opaque => "its values are nested or bytes, and not understood",
            _ => return None,
        };
        Some(Role::Ignored(reason.into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::USUAL_MISSING;

    fn profile<'c>(cells: impl IntoIterator<Item = &'c str>) -> Profile {
        let mut profile = Profile::new(&USUAL_MISSING.map(String::from));
        cells.into_iter().for_each(|cell| profile.observe_cell(cell.as_bytes()));
        profile
    }

    fn inferred<'c>(cells: impl IntoIterator<Item = &'c str>) -> (Inferred, bool) {
        let (kind, reason) = profile(cells).kind(false);
        (kind, reason.is_some())
    }

    #[test]
    fn the_rules_of_inference() {
        assert_eq!(inferred(["a", "b", "a"]), (Inferred::Categorical, false));
        assert_eq!(inferred(["1", "0", "1", "1"]), (Inferred::Categorical, false));
        assert_eq!(inferred(["1.5", "0", "1", "?"]), (Inferred::Numeric, false));
        assert_eq!(inferred(["?", "", "?"]), (Inferred::Categorical, true));
        assert_eq!(inferred(["2024-01-31", "2024-02-01 12:00"]), (Inferred::Date, false));
        assert_eq!(inferred(["3.14.15", "2"]), (Inferred::Categorical, false));
        let numbered: Vec<String> = (1..=100).map(|i| i.to_string()).collect();
        assert_eq!(inferred(numbered.iter().map(String::as_str)), (Inferred::Numeric, true));
        // As many rows as the numbers could have values, from the least to the greatest, but some twice and some never.
        let ports: Vec<String> = (0..65_535_u32).map(|i| if i < 30_000 { i } else { i & !1 }.to_string()).collect();
        assert_eq!(inferred(ports.iter().map(String::as_str).chain(["65535"])), (Inferred::Numeric, false));
        assert_eq!(inferred(["1.5", "inf", "2"]), (Inferred::Numeric, false));
        assert_eq!(inferred(["inf", "infinity", "inf"]), (Inferred::Categorical, false));
        assert_eq!(inferred(["1", "-nan", "1"]), (Inferred::Categorical, false));
        let names: Vec<String> = (1..=100).map(|i| format!("n{i}")).collect();
        assert_eq!(inferred(names.iter().map(String::as_str)), (Inferred::Categorical, true));
        let prose: Vec<String> = (1..=100).map(|i| format!("the {i} quick brown foxes jump")).collect();
        assert_eq!(inferred(prose.iter().map(String::as_str)), (Inferred::Text, false));
    }

    #[test]
    fn a_column_of_a_tile_is_its_cells_one_by_one() {
        let cell = |row: usize| match row % 7 {
            0 => "?".to_string(),
            1 => format!("{row}"),
            2 => " padded".to_string(),
            3 => "a state of more than sixteen bytes".to_string(),
            _ => format!("s{}", row % 90),
        };
        let mut bytes: Vec<u8> = (0..600).flat_map(|row| format!("{},{}\n", cell(row), row % 2).into_bytes()).collect();
        let len = bytes.len();
        bytes.resize(len + crate::text::blocks::PADDING, 0);
        let block = Block { bytes, len, first_row: 0, first_line: 1 };
        let (mut tile, mut from) = (Tile::new(2, b','), 0);
        let mut columns = [Profile::new(&["".into(), "?".into()]), Profile::new(&["".into(), "?".into()])];
        while from < len {
            from = tile.index(&block, from);
            columns.iter_mut().enumerate().for_each(|(column, profile)| profile.observe_column(&block, &tile, column));
            columns.iter_mut().for_each(Profile::settle);
        }
        let cells: Vec<String> = (0..600).map(cell).collect();
        let one_by_one = profile(cells.iter().map(String::as_str));
        let facts = |profile: &Profile| (profile.values.names().to_vec(), profile.n, profile.repeats, profile.not_numbers, profile.n_words);
        assert_eq!(facts(&columns[0]), facts(&one_by_one));
        assert_eq!((columns[1].n, columns[1].values.names()), (600, &["0".to_string(), "1".into()][..]));
    }

    #[test]
    fn quoted_and_padded_cells_are_the_value_they_hold() {
        let profile = profile(["\"a\"", " a ", "a", "\"a\"", "\"?\""]);
        assert_eq!(profile.values.names(), ["a"]);
        assert_eq!(profile.n, 4);
    }

    #[test]
    fn thousands_of_numbers_are_numbers_until_a_word_appears() {
        let mut cells: Vec<String> = (0..5000).map(|i| format!("{}.5", i)).collect();
        assert_eq!(inferred(cells.iter().map(String::as_str)).0, Inferred::Numeric);
        cells.push("word".into());
        assert_eq!(inferred(cells.iter().map(String::as_str)).0, Inferred::Categorical);
    }

    #[test]
    fn where_a_word_stands_among_row_numbers_does_not_matter() {
        for place in [0, 1_000, 5_000, 50_000, 60_000] {
            let mut cells: Vec<String> = (1..=60_000).map(|i| i.to_string()).collect();
            cells.insert(place, "n/k".into());
            assert_eq!(inferred(cells.iter().map(String::as_str)), (Inferred::Categorical, true), "{place}");
            assert_eq!(profile(cells.iter().map(String::as_str)).is_complete(), place <= 1_000, "{place}");
        }
    }

    /// 65,536 reviews must not be kept, but are prose all the same; so are dates and names.
    #[test]
    fn long_values_are_not_all_kept() {
        let long = |i: usize| format!("{i} {}", "the quick brown fox ".repeat(200));
        let mut profile = Profile::new(&[]);
        (0..10_000).for_each(|i| profile.observe_cell(format!("\"{}\"", long(i % 8_000)).as_bytes()));
        assert_eq!((profile.kind(false).0, profile.n, profile.repeats, profile.is_complete()), (Inferred::Text, 10_000, true, false));
        assert!(profile.n_bytes < MANY_BYTES + 10_000 && profile.values.len() < 2_000);
        assert_eq!(profile.values.len() + profile.others.len(), 8_000);
        let name = |i: usize| format!("{i}{}", "x".repeat(4_000));
        let mut profile = Profile::new(&[]);
        (0..5_000).for_each(|i| profile.observe(Some(name(i).as_bytes())));
        assert!(matches!(profile.kind(false), (Inferred::Categorical, Some(_))));
    }
}
