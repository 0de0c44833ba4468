//! Cells of a few bytes as words: two cells are compared as numbers, and found by a multiplication and, mostly, one comparison.

/// A cell as a fixed number of words. The default is no cell.
pub(crate) trait Key: Copy + Eq + Default {
    /// One word of it all, in which as good as every bit counts.
    fn mixed(self) -> u64;
}

/// A cell of at most seven bytes: its bytes, and behind them a one that tells where they end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Short(u64);

/// A cell of 8 to 16 bytes: the first eight, the last eight, and how many it has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Middling {
    head: u64,
    tail: u64,
    length: u32,
}

impl Key for Short {
    #[inline(always)]
    fn mixed(self) -> u64 {
        self.0
    }
}

impl Key for Middling {
    #[inline(always)]
    fn mixed(self) -> u64 {
        self.head ^ self.tail.rotate_left(23)
    }
}

impl Short {
    pub const MOST: usize = 7;

    /// The cell `bytes[start..start + length]` of at most [`Short::MOST`] bytes; eight bytes must be there from its start.
    #[inline(always)]
    pub fn within(bytes: &[u8], start: usize, length: u32) -> Self {
        let end = 1_u64.wrapping_shl(8 * length);
        Self(word_at(bytes, start) & (end - 1) | end)
    }

    /// A cell of at most [`Short::MOST`] bytes. What its first and its last bytes have in common is the same in both: copied byte by byte into a
    /// word, it could not be read from there at once.
    #[inline]
    pub fn of(cell: &[u8]) -> Self {
        fn joined<const N: usize>(cell: &[u8]) -> Option<u64> {
            let as_word = |part: [u8; N]| part.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte));
            let (first, last) = (*cell.first_chunk()?, *cell.last_chunk()?);
            Some(as_word(first) | as_word(last) << (8 * (cell.len() - N)))
        }
        debug_assert!(cell.len() <= Self::MOST);
        let word = joined::<4>(cell).or_else(|| joined::<2>(cell)).or_else(|| joined::<1>(cell)).unwrap_or(0);
        Self(word | 1 << (8 * cell.len()))
    }
}

impl Middling {
    pub const MOST: usize = 16;

    /// A cell of 8 to [`Middling::MOST`] bytes.
    pub fn of(cell: &[u8]) -> Self {
        Self { head: word_at(cell, 0), tail: word_at(cell, cell.len() - 8), length: cell.len() as u32 }
    }
}

#[inline(always)]
fn word_at(bytes: &[u8], start: usize) -> u64 {
    u64::from_le_bytes(bytes[start..start + 8].try_into().unwrap_or_default())
}

/// Keys to codes: open addressing with linear probing, at most half full.
#[derive(Clone, Debug)]
pub(crate) struct Slots<K> {
    /// As many as a power of two.
    slots: Vec<(K, u32)>,
    shift: u32,
    multiplier: u64,
    n_keys: usize,
}

/// Knuth's multiplicative hashing (TAOCP 3, section 6.4): 2⁶⁴ divided by the golden ratio.
const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;
/// A chunk begins with slots for each of what may be a hundred thousand columns.
const FIRST_SLOTS: usize = 2;
/// Where they are to be quick they may be more.
const FEWEST_SETTLED: usize = 32;

impl<K: Key> Default for Slots<K> {
    fn default() -> Self {
        let shift = 64 - FIRST_SLOTS.trailing_zeros();
        Self { slots: vec![Default::default(); FIRST_SLOTS], shift, multiplier: GOLDEN, n_keys: 0 }
    }
}

/// The slots lent to a loop over many keys, which then keeps in registers where they are.
#[derive(Clone, Copy)]
pub(crate) struct Lent<'s, K> {
    slots: &'s [(K, u32)],
    shift: u32,
    multiplier: u64,
}

impl<K: Key> Lent<'_, K> {
    /// The code of a key, if the first slot that is looked at has it.
    #[inline(always)]
    pub fn at_once(self, key: K) -> Option<u32> {
        let at = (key.mixed().wrapping_mul(self.multiplier) >> self.shift) as usize;
        let (found, code) = self.slots[at & (self.slots.len() - 1)];
        (found == key).then_some(code)
    }
}

impl<K: Key> Slots<K> {
    #[inline(always)]
    pub fn lend(&self) -> Lent<'_, K> {
        Lent { slots: &self.slots, shift: self.shift, multiplier: self.multiplier }
    }

    #[inline]
    pub fn get(&self, key: K) -> Option<u32> {
        let mut at = self.place(key);
        loop {
            let (found, code) = self.slots[at & (self.slots.len() - 1)];
            if found == key {
                return Some(code);
            }
            if found == K::default() {
                return None;
            }
            at += 1;
        }
    }

    /// Gives a key its code, in place of the one it has.
    pub fn insert(&mut self, key: K, code: u32) {
        if (self.n_keys + 1) * 2 > self.slots.len() {
            self.rebuild(self.slots.len() * 2, self.multiplier);
        }
        self.n_keys += usize::from(self.put(key, code));
    }

    /// Looks for a multiplier that gives every key a slot of its own: a lookup then never has to probe, and the branch that says so is
    /// always predicted. Tried where the slots stay in cache; the others are right without it.
    pub fn settle(&mut self) {
        const MOST_SLOTS: usize = 4096;
        const TRIES: usize = 64;
        let keys: Vec<u64> = self.keys().map(|(key, _)| key.mixed()).collect();
        let mut n_slots = (keys.len() * 2).next_power_of_two().max(FEWEST_SETTLED);
        let mut taken = Vec::new();
        while n_slots <= MOST_SLOTS {
            let shift = 64 - n_slots.trailing_zeros();
            // Powers: of two keys that one multiplier takes to the same slot, its multiples by small numbers do too.
            let mut multiplier = 1_u64;
            for _ in 0..TRIES {
                multiplier = multiplier.wrapping_mul(GOLDEN);
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

    #[inline]
    fn place(&self, key: K) -> usize {
        (key.mixed().wrapping_mul(self.multiplier) >> self.shift) as usize
    }

    fn keys(&self) -> impl Iterator<Item = (K, u32)> {
        self.slots.iter().copied().filter(|(key, _)| *key != K::default())
    }

    fn rebuild(&mut self, n_slots: usize, multiplier: u64) {
        let old: Vec<(K, u32)> = self.keys().collect();
        self.slots = vec![Default::default(); n_slots];
        self.shift = 64 - n_slots.trailing_zeros();
        self.multiplier = multiplier;
        for (key, code) in old {
            self.put(key, code);
        }
    }

    /// Whether the key is new.
    fn put(&mut self, key: K, code: u32) -> bool {
        let mask = self.slots.len() - 1;
        let mut at = self.place(key) & mask;
        while self.slots[at].0 != K::default() && self.slots[at].0 != key {
            at = (at + 1) & mask;
        }
        std::mem::replace(&mut self.slots[at], (key, code)).0 == K::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn different_cells_are_different_keys(
            a in proptest::collection::vec(0..3_u8, 0..=16),
            b in proptest::collection::vec(0..3_u8, 0..=16),
            behind in any::<[u8; 16]>(),
        ) {
            let within = |cell: &[u8]| [cell, &behind[..]].concat();
            if a.len() <= Short::MOST && b.len() <= Short::MOST {
                let (short_a, short_b) = (Short::within(&within(&a), 0, a.len() as u32), Short::within(&within(&b), 0, b.len() as u32));
                prop_assert_eq!((short_a, short_b), (Short::of(&a), Short::of(&b)));
                prop_assert_eq!(short_a == short_b, a == b);
                prop_assert_ne!(short_a, Short::default());
            }
            if a.len() >= 8 && b.len() >= 8 {
                let (long_a, long_b) = (Middling::of(&a), Middling::of(&b));
                prop_assert_eq!(long_a == long_b, a == b);
                prop_assert_ne!(long_a, Middling::default());
            }
        }
    }

    #[test]
    fn settling_changes_no_answer() {
        for n in [0, 1, 40, 200, 500, 5000] {
            let key = |i: u32| Short::of(format!("s{i}").as_bytes());
            let mut slots = Slots::default();
            (0..n).for_each(|i| slots.insert(key(i), i));
            slots.settle();
            (0..n).for_each(|i| assert_eq!(slots.get(key(i)), Some(i)));
            assert_eq!(slots.get(Short::of(b"zz")), None);
        }
    }

    /// The golden ratio takes these two almost to the same number, and so does each small multiple of it.
    #[test]
    fn keys_that_one_multiplier_takes_together_are_told_apart_by_another() {
        let keys = [Short::of(b"c"), Short::of(b"\"\xEF\xBF\xBD\x05\r\"")];
        let [a, b] = keys.map(|key| key.mixed().wrapping_mul(GOLDEN));
        assert!(a.abs_diff(b) < 1 << 40);
        let mut slots = Slots::default();
        (0..).zip(keys).for_each(|(code, key)| slots.insert(key, code));
        slots.settle();
        assert_eq!(keys.map(|key| slots.lend().at_once(key)), [Some(0), Some(1)]);
    }

    /// Keys that no multiplier tells apart are probed for.
    #[test]
    fn keys_that_mix_to_the_same_word_are_told_apart() {
        let cells = [b"aaaaaaaabbbbbbbb".to_vec(), b"aaaaaaaabbbbbbbb"[..15].to_vec(), b"aaaaaaaab".to_vec()];
        let twin = {
            // Another head and tail of the same mixture.
            let (head, tail) = (*b"aaaaaaaa", *b"bbbbbbbb");
            let (head, tail) = (u64::from_le_bytes(head) ^ 1, (u64::from_le_bytes(tail).rotate_left(23) ^ 1).rotate_right(23));
            [head.to_le_bytes(), tail.to_le_bytes()].concat()
        };
        let mut slots = Slots::default();
        let all: Vec<Middling> = cells.iter().chain([&twin]).map(|cell| Middling::of(cell)).collect();
        assert_eq!(all[0].mixed(), all[3].mixed());
        all.iter().zip(0..).for_each(|(key, code)| slots.insert(*key, code));
        slots.settle();
        all.iter().zip(0..).for_each(|(key, code)| assert_eq!(slots.get(*key), Some(code)));
    }
}
