//! The words met so far, each with a code: one look-up per word of a text, so it is our own.
//!
//! Most words are short. A word of up to fifteen bytes is its own key, two machine words with its length in the last byte, and is
//! compared where it was hashed to; only longer ones are looked up by their bytes.

use hashbrown::HashTable;

/// Words and their codes, in the order they were met.
#[derive(Clone, Debug, Default)]
pub(crate) struct Vocabulary {
    /// A power of two of slots, at most half of them taken.
    slots: Vec<Slot>,
    n_short: usize,
    long: HashTable<u32>,
    /// The words one after another, and where each ends.
    text: Vec<u8>,
    ends: Vec<usize>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Slot {
    /// In two halves, which need less room than one u128.
    key: [u64; 2],
    code: u32,
}

/// A word of up to fifteen bytes: the bytes, and their number in the last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ShortWord([u64; 2]);

/// A word that is to be looked up.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Found<'w> {
    Short(ShortWord),
    Long(&'w [u8]),
}

impl<'w> From<&'w [u8]> for Found<'w> {
    #[inline]
    fn from(word: &'w [u8]) -> Self {
        ShortWord::of(word).map_or(Found::Long(word), Found::Short)
    }
}

impl ShortWord {
    /// The longest word that is its own key.
    pub const LONGEST: usize = 15;

    #[inline]
    fn of(word: &[u8]) -> Option<Self> {
        if word.len() > Self::LONGEST {
            return None;
        }
        let mut bytes = [0; 16];
        bytes[..word.len()].copy_from_slice(word);
        bytes[Self::LONGEST] = word.len() as u8;
        Some(Self(halves(bytes)))
    }

    /// The first `len` of sixteen bytes in small letters, without a loop; `None` if they are not ASCII.
    #[inline]
    pub fn lowered(sixteen: [u8; 16], len: usize) -> Option<Self> {
        debug_assert!(0 < len && len <= Self::LONGEST);
        let [low, high] = halves((u128::from_le_bytes(sixteen) & (u128::MAX >> (128 - 8 * len))).to_le_bytes());
        if (low | high) & (EACH * 0x80) != 0 {
            return None;
        }
        Some(Self([lower(low), lower(high) | (len as u64) << 56]))
    }

    /// The bytes, and how many of them are the word.
    pub fn bytes(self) -> ([u8; 16], usize) {
        let bytes = (u128::from(self.0[0]) | u128::from(self.0[1]) << 64).to_le_bytes();
        (bytes, bytes[Self::LONGEST] as usize)
    }
}

/// A one in every byte.
const EACH: u64 = 0x0101_0101_0101_0101;

/// Eight bytes of ASCII in small letters: where a byte is from A to Z, its bit of 32 is set. No sum leaves its byte.
#[inline]
fn lower(eight: u64) -> u64 {
    let from_a = eight + EACH * (0x80 - b'A' as u64);
    let beyond_z = eight + EACH * (0x80 - b'Z' as u64 - 1);
    eight | ((from_a ^ beyond_z) & (EACH * 0x80)) >> 2
}

fn halves(bytes: [u8; 16]) -> [u64; 2] {
    let both = u128::from_le_bytes(bytes);
    [both as u64, (both >> 64) as u64]
}

/// No word is empty, so the last byte of a key is not zero.
const FREE: [u64; 2] = [0; 2];

impl Vocabulary {
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// A word by its code.
    pub fn word(&self, code: u32) -> &[u8] {
        let code = code as usize;
        let start = if code == 0 { 0 } else { self.ends[code - 1] };
        &self.text[start..self.ends[code]]
    }

    /// The words in the order of their codes.
    pub fn words(&self) -> impl Iterator<Item = &[u8]> {
        (0..self.len() as u32).map(|code| self.word(code))
    }

    /// The word's code, if it is known.
    #[inline]
    pub fn get<'w>(&self, word: impl Into<Found<'w>>) -> Option<u32> {
        match word.into() {
            Found::Short(ShortWord(key)) => {
                let slot = self.slots.get(self.place(key))?;
                (slot.key != FREE).then_some(slot.code)
            }
            Found::Long(word) => self.long.find(hash_bytes(word), |code| self.word(*code) == word).copied(),
        }
    }

    /// The word's code; a new one gets the next.
    #[inline]
    pub fn intern<'w>(&mut self, word: impl Into<Found<'w>>) -> u32 {
        let short = match word.into() {
            Found::Short(short) => short,
            Found::Long(word) => return self.intern_long(word),
        };
        if 2 * (self.n_short + 1) > self.slots.len() {
            self.grow();
        }
        let place = self.place(short.0);
        let slot = self.slots[place];
        if slot.key == short.0 { slot.code } else { self.add_short(short, place) }
    }

    #[cold]
    fn add_short(&mut self, short: ShortWord, place: usize) -> u32 {
        let (bytes, len) = short.bytes();
        let code = self.push(&bytes[..len]);
        self.slots[place] = Slot { key: short.0, code };
        self.n_short += 1;
        code
    }

    fn intern_long(&mut self, word: &[u8]) -> u32 {
        let hash = hash_bytes(word);
        if let Some(code) = self.long.find(hash, |code| self.word(*code) == word) {
            return *code;
        }
        let code = self.push(word);
        let (text, ends) = (&self.text, &self.ends);
        let word_of = |code: u32| &text[if code == 0 { 0 } else { ends[code as usize - 1] }..ends[code as usize]];
        self.long.insert_unique(hash, code, |code| hash_bytes(word_of(*code)));
        code
    }

    fn push(&mut self, word: &[u8]) -> u32 {
        self.text.extend_from_slice(word);
        self.ends.push(self.text.len());
        self.ends.len() as u32 - 1
    }

    /// Where a key is, or would be.
    #[inline]
    fn place(&self, key: [u64; 2]) -> usize {
        let mask = self.slots.len().wrapping_sub(1);
        let mut place = hash_key(key) as usize & mask;
        while let Some(slot) = self.slots.get(place)
            && slot.key != FREE
            && slot.key != key
        {
            place = (place + 1) & mask;
        }
        place
    }

    #[cold]
    fn grow(&mut self) {
        const FIRST: usize = 1 << 12;
        let larger = vec![Slot::default(); (2 * self.slots.len()).max(FIRST)];
        let old = std::mem::replace(&mut self.slots, larger);
        for slot in old.into_iter().filter(|slot| slot.key != FREE) {
            let place = self.place(slot.key);
            self.slots[place] = slot;
        }
    }
}

/// Words in the order of their codes, none twice.
impl<'w> FromIterator<&'w String> for Vocabulary {
    fn from_iter<I: IntoIterator<Item = &'w String>>(words: I) -> Self {
        let mut vocabulary = Self::default();
        words.into_iter().for_each(|word| {
            vocabulary.intern(word.as_bytes());
        });
        vocabulary
    }
}

/// Folded multiplication, as in wyhash: the high half of the product depends on every bit of the key.
#[inline]
fn hash_key([low, high]: [u64; 2]) -> u64 {
    let product = u128::from(low ^ 0x9E37_79B9_7F4A_7C15) * u128::from(high ^ 0xD1B5_4A32_D192_ED03);
    (product as u64) ^ (product >> 64) as u64
}

/// Also of whole documents: sixteen bytes cost one multiplication.
pub(crate) fn hash_bytes(word: &[u8]) -> u64 {
    let (chunks, rest) = word.as_chunks::<16>();
    let mut last = [0; 16];
    last[..rest.len()].copy_from_slice(rest);
    let mixed = chunks.iter().fold(word.len() as u64, |hash, chunk| hash.rotate_left(29) ^ hash_key(halves(*chunk)));
    mixed.rotate_left(29) ^ hash_key(halves(last))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        #[test]
        fn codes_are_those_of_a_plain_map(words in proptest::collection::vec("[a-c]{1,40}|[a-z]{1,3}|é{1,9}", 0..3000)) {
            let mut plain: BTreeMap<Vec<u8>, u32> = BTreeMap::new();
            let mut vocabulary = Vocabulary::default();
            for word in &words {
                let next = plain.len() as u32;
                let code = *plain.entry(word.clone().into_bytes()).or_insert(next);
                prop_assert_eq!(vocabulary.intern(word.as_bytes()), code);
            }
            prop_assert_eq!(vocabulary.len(), plain.len());
            for (word, code) in &plain {
                prop_assert_eq!(vocabulary.get(word.as_slice()), Some(*code));
                prop_assert_eq!(vocabulary.word(*code), word.as_slice());
            }
            prop_assert_eq!(vocabulary.get(b"never met".as_slice()), None);
            prop_assert_eq!(vocabulary.get(b"a word that is long and was never met".as_slice()), None);
        }
    }

    proptest! {
        #[test]
        fn small_letters_without_a_loop(bytes in proptest::array::uniform16(prop_oneof![9 => 0..128_u8, 1 => any::<u8>()]), len in 1..=15_usize) {
            let word = &bytes[..len];
            let found = ShortWord::lowered(bytes, len);
            prop_assert_eq!(found, if word.is_ascii() { ShortWord::of(&word.to_ascii_lowercase()) } else { None });
            if let Some(found) = found {
                let (bytes, n) = found.bytes();
                prop_assert_eq!(&bytes[..n], word.to_ascii_lowercase());
            }
        }
    }

    #[test]
    fn words_that_end_in_zeros_are_not_their_beginnings() {
        let mut vocabulary = Vocabulary::default();
        let codes: Vec<u32> = [b"a".as_slice(), b"a\0", b"a\0\0", b"\0"].iter().map(|word| vocabulary.intern(*word)).collect();
        assert_eq!(codes, [0, 1, 2, 3]);
    }
}
