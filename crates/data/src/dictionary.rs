//! State names to codes, for millions of cells a second.
//!
//! A general hash map hashes and compares byte strings; most cells of a categorical table are a few bytes long, and those are words
//! (see [`crate::packed`]).

use std::sync::OnceLock;

use hashbrown::HashMap;

use crate::loosely::Loosely;
use crate::packed::{Lent, Middling, Short, Slots};
use crate::text::csv::cell_of;

/// Cells to codes. Missing markers are cells too: they have the code [`Dictionary::MISSING`].
///
/// Invariant: a key is a cell as CSV writes it, and its code is that of the text the cell holds. So the cell `"a"` is a way of
/// writing `a`, and a state that is named with quotes around it has the cell `"""a"""`.
#[derive(Clone, Debug)]
pub(crate) struct Dictionary {
    short: Slots<Short>,
    middling: Slots<Middling>,
    long: HashMap<Box<[u8]>, u32>,
    names: Vec<String>,
    /// Made when it is asked for, of all names there are then.
    loosely: OnceLock<Loosely>,
}

impl Dictionary {
    pub const MISSING: u32 = u32::MAX;
    /// A value that is none of the states of a list that does not grow.
    pub const UNKNOWN: u32 = u32::MAX - 1;

    /// No names yet; these markers mean a missing value.
    pub fn new(missing: &[String]) -> Self {
        let mut dictionary =
            Self { short: Slots::default(), middling: Slots::default(), long: HashMap::new(), names: Vec::new(), loosely: OnceLock::new() };
        for marker in missing {
            dictionary.alias(&cell_of(marker.as_bytes()), Self::MISSING);
        }
        dictionary
    }

    pub fn len(&self) -> usize {
        self.names.len()
    }

    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The code of a cell as it stands in the file.
    pub fn get(&self, cell: &[u8]) -> Option<u32> {
        if cell.len() <= Short::MOST { self.short.get(Short::of(cell)) } else { self.get_longer(cell) }
    }

    /// Cells of a few bytes, lent to a loop over many.
    #[inline(always)]
    pub fn short_cells(&self) -> Lent<'_, Short> {
        self.short.lend()
    }

    #[inline]
    fn get_longer(&self, cell: &[u8]) -> Option<u32> {
        if cell.len() <= Middling::MOST { self.middling.get(Middling::of(cell)) } else { self.long.get(cell).copied() }
    }

    /// The code of a text, however a cell would write it.
    pub fn find(&self, text: &[u8]) -> Option<u32> {
        self.get(&cell_of(text))
    }

    /// The code of the only name that a text can mean which is none of them.
    pub fn find_loosely(&self, text: &str) -> Option<u32> {
        self.loosely.get_or_init(|| Loosely::new(&self.names)).find(text)
    }

    /// The code of a state's name, a new one if it is new; also for a state that is written like a missing marker.
    pub fn intern_name(&mut self, name: &str) -> u32 {
        match self.find(name.as_bytes()) {
            Some(code) if code != Self::MISSING => code,
            _ => {
                let code = self.names.len() as u32;
                self.names.push(name.to_string());
                self.loosely.take();
                self.alias(&cell_of(name.as_bytes()), code);
                code
            }
        }
    }

    /// A cell whose text has this code: quoted, or with spaces around it.
    pub fn alias(&mut self, cell: &[u8], code: u32) {
        if cell.len() <= Short::MOST {
            self.short.insert(Short::of(cell), code);
        } else if cell.len() <= Middling::MOST {
            self.middling.insert(Middling::of(cell), code);
        } else {
            self.long.insert(cell.into(), code);
        }
    }

    /// Makes the cells known so far as quick to find as can be.
    pub fn settle(&mut self) {
        self.short.settle();
        self.middling.settle();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_name_is_found_again_and_no_other(names in proptest::collection::btree_set(".{0,24}", 0..300), other in ".{0,24}", settled in any::<bool>()) {
            let mut dictionary = Dictionary::new(&["?".into()]);
            let mut codes = Vec::new();
            for name in names.iter().filter(|n| *n != "?") {
                codes.push((name, dictionary.intern_name(name)));
            }
            if settled {
                dictionary.settle();
            }
            for (name, code) in &codes {
                let is_short = name.len() <= Short::MOST && *cell_of(name.as_bytes()) == *name.as_bytes();
                if is_short {
                    let found = dictionary.short_cells().at_once(Short::of(name.as_bytes()));
                    prop_assert!(found == Some(*code) || found.is_none() && !settled);
                }
                prop_assert_eq!(dictionary.find(name.as_bytes()), Some(*code));
                prop_assert_eq!(&dictionary.names()[*code as usize], *name);
            }
            if !names.contains(&other) && other != "?" {
                prop_assert_eq!(dictionary.find(other.as_bytes()), None);
            }
            prop_assert_eq!(dictionary.get(b"?"), Some(Dictionary::MISSING));
        }
    }

    #[test]
    fn a_short_cell_and_the_same_with_a_zero_byte_are_two() {
        let mut dictionary = Dictionary::new(&[]);
        assert_ne!(dictionary.intern_name("a"), dictionary.intern_name("a\0"));
    }
}
