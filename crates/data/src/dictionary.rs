//! State names to codes, for millions of cells a second.
//!
//! A general hash map hashes and compares byte strings; most cells of a categorical table are a few bytes long, so a cell of up
//! to seven bytes is packed with its length into one word and found by one multiplication and, mostly, one comparison.

use std::sync::OnceLock;

use hashbrown::HashMap;

use crate::loosely::Loosely;
use crate::text::csv::cell_of;

/// Cells to codes. Missing markers are cells too: they have the code [`Dictionary::MISSING`].
///
/// Invariant: a key is a cell as CSV writes it, and its code is that of the text the cell holds. So the cell `"a"` is a way of
/// writing `a`, and a state that is named with quotes around it has the cell `"""a"""`.
#[derive(Clone, Debug)]
pub(crate) struct Dictionary {
    slots: Vec<Slot>,
    shift: u32,
    multiplier: u64,
    n_short: usize,
    long: HashMap<Box<[u8]>, u32>,
    names: Vec<String>,
    /// Made when it is asked for, of all names there are then.
    loosely: OnceLock<Loosely>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Slot {
    /// Bytes of the cell with its length in the highest byte; zero is a free slot.
    key: u64,
    code: u32,
}

const PACKED: usize = 7;
/// Knuth's multiplicative hashing (TAOCP 3, section 6.4): 2⁶⁴ divided by the golden ratio.
const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;

impl Dictionary {
    pub const MISSING: u32 = u32::MAX;
    /// A value that is none of the states of a list that does not grow.
    pub const UNKNOWN: u32 = u32::MAX - 1;

    /// No names yet; these markers mean a missing value.
    pub fn new(missing: &[String]) -> Self {
        let mut dictionary = Self {
            slots: vec![Slot::default(); 32],
            shift: 64 - 5,
            multiplier: GOLDEN,
            n_short: 0,
            long: HashMap::new(),
            names: Vec::new(),
            loosely: OnceLock::new(),
        };
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
    #[inline]
    pub fn get(&self, cell: &[u8]) -> Option<u32> {
        if cell.len() <= PACKED { self.get_packed(pack(cell)) } else { self.long.get(cell).copied() }
    }

    /// The code of a text, however a cell would write it.
    pub fn find(&self, text: &[u8]) -> Option<u32> {
        self.get(&cell_of(text))
    }

    /// The code of the only name that a text can mean which is none of them.
    pub fn find_loosely(&self, text: &str) -> Option<u32> {
        self.loosely.get_or_init(|| Loosely::new(&self.names)).find(text)
    }

    /// The code of a packed cell; see [`pack_in`].
    #[inline]
    pub fn get_packed(&self, key: u64) -> Option<u32> {
        let mask = self.slots.len() - 1;
        let mut at = (key.wrapping_mul(self.multiplier) >> self.shift) as usize;
        loop {
            let slot = self.slots[at & mask];
            if slot.key == key {
                return Some(slot.code);
            }
            if slot.key == 0 {
                return None;
            }
            at += 1;
        }
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
        if cell.len() > PACKED {
            self.long.insert(cell.into(), code);
            return;
        }
        if (self.n_short + 1) * 2 > self.slots.len() {
            self.grow();
        }
        self.n_short += usize::from(self.place(Slot { key: pack(cell), code }));
    }

    fn grow(&mut self) {
        self.rebuild(self.slots.len() * 2, self.multiplier);
    }

    fn rebuild(&mut self, n_slots: usize, multiplier: u64) {
        let old = std::mem::replace(&mut self.slots, vec![Slot::default(); n_slots]);
        self.shift = 64 - n_slots.trailing_zeros();
        self.multiplier = multiplier;
        for slot in old.into_iter().filter(|slot| slot.key != 0) {
            self.place(slot);
        }
    }

    /// Looks for a multiplier that gives every short cell a slot of its own: a lookup then never has to probe, and the branch
    /// that says so is always predicted. Tried for dictionaries that stay in cache; the others are right without it.
    pub fn settle(&mut self) {
        const MOST_SLOTS: usize = 4096;
        const TRIES: u64 = 64;
        let keys: Vec<u64> = self.slots.iter().map(|slot| slot.key).filter(|key| *key != 0).collect();
        let mut n_slots = (keys.len() * 2).next_power_of_two().max(32);
        let mut taken = Vec::new();
        while n_slots <= MOST_SLOTS {
            let shift = 64 - n_slots.trailing_zeros();
            for attempt in 0..TRIES {
                let multiplier = GOLDEN.wrapping_mul(2 * attempt + 1);
                taken.clear();
                taken.resize(n_slots, false);
                let alone = |key: &u64| !std::mem::replace(&mut taken[(key.wrapping_mul(multiplier) >> shift) as usize], true);
                if keys.iter().all(alone) {
                    self.rebuild(n_slots, multiplier);
                    return;
                }
            }
            n_slots *= 2;
        }
    }

    /// Whether the key is new.
    fn place(&mut self, slot: Slot) -> bool {
        let mask = self.slots.len() - 1;
        let mut at = (slot.key.wrapping_mul(self.multiplier) >> self.shift) as usize & mask;
        while self.slots[at].key != 0 && self.slots[at].key != slot.key {
            at = (at + 1) & mask;
        }
        std::mem::replace(&mut self.slots[at], slot).key == 0
    }
}

/// A cell of at most seven bytes as one word. The empty cell is the eighth length, so that no word is zero.
fn pack(cell: &[u8]) -> u64 {
    let mut word = [0_u8; 8];
    word[..cell.len()].copy_from_slice(cell);
    word[7] = if cell.is_empty() { 8 } else { cell.len() as u8 };
    u64::from_le_bytes(word)
}

/// The same for the cell `bytes[start..end]` of at most seven bytes, when eight bytes can be read from its start.
#[inline]
pub(crate) fn pack_in(bytes: &[u8], start: usize, end: usize) -> u64 {
    const MASKS: [u64; 8] = [0, 0xFF, 0xFFFF, 0xFF_FFFF, 0xFFFF_FFFF, 0xFF_FFFF_FFFF, 0xFFFF_FFFF_FFFF, 0xFF_FFFF_FFFF_FFFF];
    const LENGTHS: [u64; 8] = [8 << 56, 1 << 56, 2 << 56, 3 << 56, 4 << 56, 5 << 56, 6 << 56, 7 << 56];
    let length = (end - start) & 7;
    let word: [u8; 8] = bytes[start..start + 8].try_into().unwrap_or_default();
    (u64::from_le_bytes(word) & MASKS[length]) | LENGTHS[length]
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_name_is_found_again_and_no_other(names in proptest::collection::btree_set(".{0,12}", 0..300), other in ".{0,12}") {
            let mut dictionary = Dictionary::new(&["?".into()]);
            let mut codes = Vec::new();
            for name in names.iter().filter(|n| *n != "?") {
                codes.push((name, dictionary.intern_name(name)));
            }
            for (name, code) in &codes {
                prop_assert_eq!(dictionary.find(name.as_bytes()), Some(*code));
                prop_assert_eq!(&dictionary.names()[*code as usize], *name);
            }
            if !names.contains(&other) && other != "?" {
                prop_assert_eq!(dictionary.find(other.as_bytes()), None);
            }
            prop_assert_eq!(dictionary.get(b"?"), Some(Dictionary::MISSING));
        }

        #[test]
        fn packing_in_place_is_packing(cell in proptest::collection::vec(any::<u8>(), 0..=7), behind in any::<[u8; 8]>()) {
            let mut bytes = cell.clone();
            bytes.extend(behind);
            prop_assert_eq!(pack_in(&bytes, 0, cell.len()), pack(&cell));
        }
    }

    #[test]
    fn settling_changes_no_answer() {
        let names: Vec<String> = (0..500).map(|i| format!("s{i}")).collect();
        for n in [0, 1, 40, 200, 500] {
            let mut dictionary = Dictionary::new(&["?".into()]);
            names[..n].iter().for_each(|name| {
                dictionary.intern_name(name);
            });
            dictionary.settle();
            for (code, name) in names[..n].iter().enumerate() {
                assert_eq!(dictionary.get(name.as_bytes()), Some(code as u32));
            }
            assert_eq!(dictionary.get(b"?"), Some(Dictionary::MISSING));
            assert_eq!(dictionary.get(b"zz"), None);
        }
    }

    #[test]
    fn a_short_cell_and_the_same_with_a_zero_byte_are_two() {
        let mut dictionary = Dictionary::new(&[]);
        assert_ne!(dictionary.intern_name("a"), dictionary.intern_name("a\0"));
    }
}
