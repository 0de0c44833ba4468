//! Words of ASCII, 64 bytes at a time: which bytes are letters, digits and marks between them are bits, and a word is a run of ones.

use wide::u8x16;

use super::split::Inner;

/// What 64 bytes are, a bit each.
#[derive(Clone, Copy, Default)]
struct Bits {
    letters: u64,
    digits: u64,
    low_lines: u64,
    /// Marks that join letters, and digits, that stand on both sides of them.
    mid_letter: u64,
    mid_digit: u64,
    hyphens: u64,
}

impl Bits {
    #[inline]
    fn of(bytes: &[u8; 64]) -> Self {
        let mut bits = Self::default();
        let (parts, _) = bytes.as_chunks::<16>();
        for (nth, part) in parts.iter().enumerate() {
            let bytes = u8x16::new(*part);
            let is = |byte: u8| bytes.simd_eq(u8x16::splat(byte));
            // What is below its range wraps around to far above it.
            let within = |bytes: u8x16, first: u8, n: u8| {
                let from_first = bytes - u8x16::splat(first);
                from_first.simd_eq(from_first.min(u8x16::splat(n - 1)))
            };
            let put = |found: u8x16| u64::from(found.to_bitmask()) << (16 * nth);
            bits.letters |= put(within(bytes | u8x16::splat(0x20), b'a', 26));
            bits.digits |= put(within(bytes, b'0', 10));
            bits.low_lines |= put(is(b'_'));
            // The comma to the point are next to each other, the hyphen between them; so are the colon and the semicolon.
            let both = is(b'.') | is(b'\'');
            bits.mid_letter |= put(both | is(b':'));
            bits.mid_digit |= put(both | is(b',') | is(b';'));
            bits.hyphens |= put(is(b'-'));
        }
        bits
    }

    /// Bytes that are in a word whatever stands beside them.
    fn in_word(self) -> u64 {
        self.letters | self.digits | self.low_lines
    }
}

/// Hands on where every word of a text begins and ends; all bytes must be ASCII.
#[inline]
pub(super) fn each_ascii_word(bytes: &[u8], inner: Inner, mut word: impl FnMut(usize, usize)) {
    let (blocks, rest) = bytes.as_chunks::<64>();
    let mut last = [b' '; 64];
    last[..rest.len()].copy_from_slice(rest);
    let block = |nth: usize| blocks.get(nth).unwrap_or(&last);
    let mut emit = |start: usize, end: usize| {
        // Low lines alone are no word.
        if bytes[start] != b'_' || bytes[start..end].iter().any(|byte| *byte != b'_') {
            word(start, end);
        }
    };
    // A word that is open at the end of a block is 1 there, and begins at `start`.
    let (mut before, mut open, mut start) = (Bits::default(), 0_u64, 0);
    let mut bits = Bits::of(block(0));
    for nth in 0..=blocks.len() {
        let next = if nth < blocks.len() { Bits::of(block(nth + 1)) } else { Bits::default() };
        let run = bits.in_word() | joined(before, bits, next, inner);
        // Every change is the beginning of a word or its end, in turns.
        let mut changes = run ^ (run << 1 | open);
        if open != 0 && changes != 0 {
            emit(start, 64 * nth + changes.trailing_zeros() as usize);
            changes &= changes - 1;
        }
        while changes != 0 {
            start = 64 * nth + changes.trailing_zeros() as usize;
            changes &= changes - 1;
            if changes == 0 {
                break;
            }
            emit(start, 64 * nth + changes.trailing_zeros() as usize);
            changes &= changes - 1;
        }
        // Behind the last byte there is at least one that is none, so that no word is open in the end.
        open = run >> 63;
        (before, bits) = (bits, next);
    }
}

/// Marks inside of words.
#[inline]
fn joined(before: Bits, bits: Bits, next: Bits, inner: Inner) -> u64 {
    if inner == Inner::None {
        return 0;
    }
    let between = |of: fn(Bits) -> u64| (of(bits) << 1 | of(before) >> 63) & (of(bits) >> 1 | of(next) << 63);
    let marks = between(|bits| bits.letters) & bits.mid_letter | between(|bits| bits.digits) & bits.mid_digit;
    match inner {
        Inner::Hyphens => marks | between(|bits| bits.letters | bits.digits) & bits.hyphens,
        _ => marks,
    }
}
