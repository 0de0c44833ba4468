//! The words met so far, each with a code: one look-up per word of a text, so it is our own.
//!
//! Most words are short. A word of up to fifteen bytes is its own key, sixteen bytes with its length in the last, and is compared at
//! once; only longer ones are looked up by their bytes. The table that is looked up has the keys themselves: the memory is waited for once a word,
//! for most of the time goes into that.

use std::cell::Cell;
use std::sync::LazyLock;

use belief::States;
use hashbrown::HashTable;

/// Words of a schema, which are looked up from the first pass over texts on, and may never be.
pub(crate) type KnownWords = LazyLock<Vocabulary, Box<dyn FnOnce() -> Vocabulary + Send + Sync>>;

/// The words of a schema by their places in it.
pub(crate) fn known_words(words: &States) -> KnownWords {
    let words = words.clone();
    LazyLock::new(Box::new(move || words.iter().collect()))
}

/// Words and their codes, in the order they were met.
#[derive(Clone, Debug, Default)]
pub(crate) struct Vocabulary {
    slots: Slots,
    n_short: usize,
    long: HashTable<u32>,
    list: WordList,
}

/// Words by their codes, which can be told and not looked up.
#[derive(Clone, Debug, Default)]
pub(crate) struct WordList {
    /// Short words themselves, of long ones where they lie.
    keys: Vec<[u8; 16]>,
    /// The long words one after another.
    text: Vec<u8>,
}

/// Where short words are found by their hashes: a power of two of places, at most five in eight of them taken. Words and codes lie apart, for
/// both are asked for at once, and together they would not lie within lines of the cache.
#[derive(Clone, Debug, Default)]
struct Slots {
    /// [`FREE`] where there is none.
    words: Vec<u128>,
    codes: Vec<u32>,
}

/// No word. It is not zero, for which the system lends one page again and again: each would be taken back where a word is put, and that
/// stops all threads.
const FREE: u128 = u128::MAX;

thread_local! {
    /// Free slots that the next vocabulary of the thread begins with. Chunk after chunk has about as many words: without these, fresh memory
    /// and growing would take as long as looking up.
    static SPARE: Cell<Slots> = const { Cell::new(Slots { words: Vec::new(), codes: Vec::new() }) };
}

/// More slots than this are not kept.
const MOST_SPARE: usize = 1 << 17;

/// A word of up to fifteen bytes: the bytes, and their number in the last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ShortWord(u128);

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
        Some(Self::from_key(bytes))
    }

    /// The first `len` of sixteen bytes in small letters, without a loop; `None` if they are not ASCII.
    #[inline]
    pub fn lowered(sixteen: [u8; 16], len: usize) -> Option<Self> {
        debug_assert!(0 < len && len <= Self::LONGEST);
        let ([low, high], [of_low, of_high]) = (halves(sixteen), FIRST[len & 15]);
        let (low, high) = (low & of_low, high & of_high);
        if (low | high) & (EACH * 0x80) != 0 {
            return None;
        }
        Some(Self(u128::from(lower(low)) | u128::from(lower(high) | (len as u64) << 56) << 64))
    }

    #[inline]
    fn hash(self) -> usize {
        hash_key(halves(self.key())) as usize
    }

    fn from_key(key: [u8; 16]) -> Self {
        Self(u128::from_le_bytes(key))
    }

    #[inline]
    fn key(self) -> [u8; 16] {
        self.0.to_le_bytes()
    }

    /// The bytes, and how many of them are the word.
    pub fn bytes(self) -> ([u8; 16], usize) {
        let bytes = self.key();
        (bytes, bytes[Self::LONGEST] as usize)
    }
}

/// The first so many of sixteen bytes.
const FIRST: [[u64; 2]; 16] = {
    let mut first = [[0; 2]; 16];
    let mut len = 1;
    while len < 16 {
        let bits = u128::MAX >> (128 - 8 * len);
        first[len] = [bits as u64, (bits >> 64) as u64];
        len += 1;
    }
    first
};

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

/// The last byte of the key of a long word, whose first eight say where it begins and the next four how long it is.
const LONG: u8 = 0xFF;

impl Vocabulary {
    /// None yet, with room for so many.
    pub fn with_capacity(n_words: usize) -> Self {
        Self {
            slots: Slots::free((8 * n_words / 5 + 1).next_power_of_two()),
            list: WordList { keys: Vec::with_capacity(n_words), text: Vec::new() },
            ..Self::default()
        }
    }

    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// The words in the order of their codes.
    pub fn words(&self) -> impl Iterator<Item = &[u8]> {
        (0..self.len() as u32).map(|code| self.list.word(code))
    }

    /// The same, to be looked up elsewhere.
    pub fn to_look_up(&self) -> impl Iterator<Item = Found<'_>> {
        self.list.to_look_up()
    }

    /// The words alone; what they are looked up by is used again.
    pub fn into_list(mut self) -> WordList {
        let spare = SPARE.take();
        if self.slots.len() <= MOST_SPARE && self.slots.len() > spare.len() {
            self.slots.words.fill(FREE);
            SPARE.set(self.slots);
        } else {
            SPARE.set(spare);
        }
        self.list
    }

    /// The word's code, if it is known.
    #[inline]
    pub fn get<'w>(&self, word: impl Into<Found<'w>>) -> Option<u32> {
        match word.into() {
            Found::Short(short) => self.slots.find(short).ok(),
            Found::Long(word) => self.long.find(hash_bytes(word), |code| self.list.word(*code) == word).copied(),
        }
    }

    /// The word's code; a new one gets the next.
    #[inline]
    pub fn intern<'w>(&mut self, word: impl Into<Found<'w>>) -> u32 {
        let short = match word.into() {
            Found::Short(short) => short,
            Found::Long(word) => return self.intern_long(word),
        };
        match self.slots.find(short) {
            Ok(code) => code,
            Err(place) => self.add_short(short, place),
        }
    }

    #[cold]
    fn add_short(&mut self, word: ShortWord, place: usize) -> u32 {
        let code = self.len() as u32;
        self.list.keys.push(word.key());
        self.n_short += 1;
        if 8 * self.n_short > 5 * self.slots.len() {
            self.grow();
            self.slots.put(word, code);
        } else {
            self.slots.put_at(place, word, code);
        }
        code
    }

    fn intern_long(&mut self, word: &[u8]) -> u32 {
        let hash = hash_bytes(word);
        if let Some(code) = self.long.find(hash, |code| self.list.word(*code) == word) {
            return *code;
        }
        let (code, list) = (self.list.len() as u32, &mut self.list);
        let mut key = [0; 16];
        key[..8].copy_from_slice(&(list.text.len() as u64).to_le_bytes());
        key[8..12].copy_from_slice(&(word.len() as u32).to_le_bytes());
        key[ShortWord::LONGEST] = LONG;
        list.keys.push(key);
        list.text.extend_from_slice(word);
        self.long.insert_unique(hash, code, |code| hash_bytes(list.word(*code)));
        code
    }

    #[cold]
    fn grow(&mut self) {
        // One short text has few words, a chunk of many texts some ten thousand.
        const FEW: usize = 1 << 7;
        const SOME: usize = 1 << 12;
        let larger = match self.slots.len() {
            0 => match SPARE.take() {
                spare if spare.len() == 0 => Slots::free(FEW),
                spare => spare,
            },
            FEW => Slots::free(SOME),
            n => Slots::free(2 * n),
        };
        let old = std::mem::replace(&mut self.slots, larger);
        let taken = old.words.into_iter().zip(old.codes).filter(|(word, _)| *word != FREE);
        taken.for_each(|(word, code)| self.slots.put(ShortWord(word), code));
    }
}

impl Slots {
    fn free(n: usize) -> Self {
        Self { words: vec![FREE; n], codes: vec![0; n] }
    }

    fn len(&self) -> usize {
        self.words.len()
    }

    /// The code of a word, or the place where it would be.
    #[inline]
    fn find(&self, word: ShortWord) -> Result<u32, usize> {
        let mask = self.len().wrapping_sub(1);
        let mut place = word.hash() & mask;
        loop {
            match self.words.get(place).copied().unwrap_or(FREE) {
                found if found == word.0 => return Ok(self.codes[place]),
                FREE => return Err(place),
                _ => place = (place + 1) & mask,
            }
        }
    }

    /// Puts a word that is not there where its hash says, or behind it.
    fn put(&mut self, word: ShortWord, code: u32) {
        if let Err(place) = self.find(word) {
            self.put_at(place, word, code);
        }
    }

    fn put_at(&mut self, place: usize, word: ShortWord, code: u32) {
        (self.words[place], self.codes[place]) = (word.0, code);
    }
}

impl WordList {
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// The words in the order of their codes, to be looked up.
    pub fn to_look_up(&self) -> impl Iterator<Item = Found<'_>> {
        self.keys.iter().zip(0..).map(|(key, code)| match key[ShortWord::LONGEST] {
            LONG => Found::Long(self.word(code)),
            _ => Found::Short(ShortWord::from_key(*key)),
        })
    }

    /// A word by its code.
    fn word(&self, code: u32) -> &[u8] {
        let key = &self.keys[code as usize];
        match key[ShortWord::LONGEST] {
            LONG => {
                let (start, len) = halves_of_long(*key);
                &self.text[start..start + len]
            }
            len => &key[..len as usize],
        }
    }
}

/// Where a long word begins, and how long it is.
fn halves_of_long(key: [u8; 16]) -> (usize, usize) {
    let [start, len] = halves(key);
    (start as usize, len as u32 as usize)
}

/// Words in the order of their codes, none twice.
impl<'w> FromIterator<&'w str> for Vocabulary {
    fn from_iter<I: IntoIterator<Item = &'w str>>(words: I) -> Self {
        let words = words.into_iter();
        let mut vocabulary = Self::with_capacity(words.size_hint().0);
        words.for_each(|word| {
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
                prop_assert_eq!(vocabulary.list.word(*code), word.as_slice());
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

    /// What one vocabulary leaves behind, the next does not know.
    #[test]
    fn slots_that_are_used_again_are_free() {
        let met = |n: u32| {
            let mut vocabulary = Vocabulary::default();
            (0..n).for_each(|word| assert_eq!(vocabulary.intern(format!("w{word}").as_bytes()), word));
            vocabulary
        };
        for n in [0, 3, 20_000, 50, 1] {
            let list = met(n).into_list();
            assert_eq!(list.to_look_up().count(), n as usize);
            assert_eq!(met(2).get(b"w2".as_slice()), None);
        }
    }

    #[test]
    fn words_that_end_in_zeros_are_not_their_beginnings() {
        let mut vocabulary = Vocabulary::default();
        let codes: Vec<u32> = [b"a".as_slice(), b"a\0", b"a\0\0", b"\0"].iter().map(|word| vocabulary.intern(*word)).collect();
        assert_eq!(codes, [0, 1, 2, 3]);
    }
}
