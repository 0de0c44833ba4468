//! What a column looks like in its first rows, and what kind of variable that makes it.

use belief::{Kind, Role, States};
use hashbrown::HashSet;

use crate::date::date_of;
use crate::dictionary::Dictionary;
use crate::{ColumnType, text::csv::text_of};

/// Rows looked at before the kinds are decided.
pub(crate) const SAMPLE_ROWS: usize = 65_536;
/// Whole numbers are states when they take at most this many values…
const FEW: usize = 10;
/// …or at most this many in a target.
const FEW_IN_TARGET: usize = 100;
/// Beyond this many distinct numbers a column is not looked at value by value any more.
const MANY_NUMBERS: usize = 2_000;

/// The distinct values of a column's first rows.
#[derive(Clone)]
pub(crate) struct Profile {
    pub values: Dictionary,
    pub n_missing: u64,
    n: u64,
    /// Set when there are too many numbers to keep: from then on they are only checked.
    numbers_only: bool,
    /// Numbers met since then, until one is met again.
    later: HashSet<u64>,
    /// Whether a value was met twice.
    repeats: bool,
    not_numbers: u64,
    whole: bool,
    least: f64,
    greatest: f64,
    scratch: Vec<u8>,
}

impl Profile {
    pub fn new(missing: &[String]) -> Self {
        Self {
            values: Dictionary::new(missing),
            n_missing: 0,
            n: 0,
            numbers_only: false,
            later: HashSet::new(),
            repeats: false,
            not_numbers: 0,
            whole: true,
            least: f64::INFINITY,
            greatest: f64::NEG_INFINITY,
            scratch: Vec::new(),
        }
    }

    /// A cell as it stands in a CSV file.
    pub fn observe_cell(&mut self, cell: &[u8]) {
        match self.values.get(cell) {
            Some(code) => self.count(code),
            None => {
                let mut scratch = std::mem::take(&mut self.scratch);
                let text = text_of(cell, &mut scratch);
                let code = self.observe_new(text);
                if let Some(code) = code
                    && text != cell
                {
                    self.values.alias(cell, code);
                }
                self.scratch = scratch;
            }
        }
    }

    /// A value's text; `None` is missing.
    pub fn observe(&mut self, text: Option<&[u8]>) {
        match text {
            None => self.n_missing += 1,
            Some(text) => {
                self.observe_new(text);
            }
        }
    }

    /// A number with a fraction, which decides the kind: the others need not be looked at.
    pub fn observe_fraction(&mut self) {
        self.n += 1;
        self.whole = false;
        self.numbers_only = true;
        (self.least, self.greatest) = (self.least.min(0.0), self.greatest.max(0.0));
    }

    fn count(&mut self, code: u32) {
        if code == Dictionary::MISSING {
            self.n_missing += 1;
        } else {
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
        let number = fast_float2::parse::<f64, _>(text);
        // A NaN is a missing value however it is written.
        if number.as_ref().is_ok_and(|x| x.is_nan()) {
            self.n_missing += 1;
            return None;
        }
        self.n += 1;
        match number {
            // An infinity among numbers is a fault of its row, as it is after the first rows.
            Ok(number) => {
                self.whole &= number.fract() == 0.0;
                if number.is_finite() {
                    self.least = self.least.min(number);
                    self.greatest = self.greatest.max(number);
                }
                if self.numbers_only && self.not_numbers == 0 {
                    self.repeats = self.repeats || self.whole && !self.later.insert(number.to_bits());
                    return None;
                }
            }
            Err(_) => self.not_numbers += 1,
        }
        // Bytes that are no text are a fault of their row, never a state.
        let code = self.values.intern_name(std::str::from_utf8(text).ok()?);
        self.numbers_only |= self.values.len() > MANY_NUMBERS;
        Some(code)
    }

    /// What the values make of the column, and in words why it is left out if it is.
    pub fn kind(&self, is_target: bool) -> (Inferred, Option<String>) {
        let distinct = self.values.len();
        if self.n == 0 {
            return (Inferred::Categorical, Some("it has no values".into()));
        }
        if self.not_numbers == 0 && self.least <= self.greatest {
            let few = if is_target { FEW_IN_TARGET } else { FEW };
            if self.whole && !self.numbers_only && distinct <= few && (is_target || self.n >= 2 * distinct as u64) {
                return (Inferred::Categorical, None);
            }
            let counts_up = self.whole && self.n >= 20 && self.greatest - self.least + 1.0 == self.n as f64 && !self.repeats;
            let reason = (counts_up && !is_target).then(|| "it numbers the rows".into());
            return (Inferred::Numeric, reason);
        }
        let names = self.values.names();
        if names.iter().all(|name| date_of(name.as_bytes()).is_some()) {
            return (Inferred::Date, None);
        }
        if is_target {
            return (Inferred::Categorical, None);
        }
        let words: usize = names.iter().map(|name| name.split_ascii_whitespace().count()).sum();
        if words >= 5 * distinct && distinct * 2 > self.n as usize {
            return (Inferred::Text, None);
        }
        let looks_like_an_id = self.n >= 20 && distinct as f64 > 0.95 * self.n as f64;
        (Inferred::Categorical, looks_like_an_id.then(|| "almost every value is different, as in an identifier".into()))
    }

    /// Whether every value that was met is among [`Profile::values`].
    pub fn is_complete(&self) -> bool {
        !(self.numbers_only && self.not_numbers == 0)
    }
}

/// A kind before its states are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Inferred {
    Categorical,
    Numeric,
    Text,
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
            Inferred::Text => Kind::Text,
            Inferred::Date => Kind::Date,
            Inferred::Opaque => Kind::Opaque,
        }
    }

    /// Why a column of this kind is no evidence for the learners of tables.
    pub fn left_out(self) -> Option<Role> {
        let reason = match self {
            Inferred::Text => "it is text; read it as states with --types NAME=category",
            Inferred::Date => "it is a date; read it as states with --types NAME=category, or as days with --types NAME=numeric",
            Inferred::Opaque => "its values are nested or bytes, and not understood",
            _ => return None,
        };
        Some(Role::Ignored(reason.into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn profile<'c>(cells: impl IntoIterator<Item = &'c str>) -> Profile {
        let mut profile = Profile::new(&["".into(), "?".into()]);
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
    fn quoted_and_padded_cells_are_the_value_they_hold() {
        let profile = profile(["\"a\"", " a ", "a", "\"a\"", "\"?\""]);
        assert_eq!(profile.values.names(), ["a"]);
        assert_eq!((profile.n, profile.n_missing), (4, 1));
    }

    #[test]
    fn thousands_of_numbers_are_numbers_until_a_word_appears() {
        let mut cells: Vec<String> = (0..5000).map(|i| format!("{}.5", i)).collect();
        assert_eq!(inferred(cells.iter().map(String::as_str)).0, Inferred::Numeric);
        cells.push("word".into());
        assert_eq!(inferred(cells.iter().map(String::as_str)).0, Inferred::Categorical);
    }
}
