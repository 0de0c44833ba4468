//! The structure of separated values, 64 bytes at a time: which bytes end cells and lines, and which are quotes, are bits.
//!
//! Written with the machine's own instructions where it is of the x86 kind and has them; the bits are the same on all.

use std::ops::Range;

use wide::u8x16;

use super::csv::QUOTE;

/// Bytes that are looked at together.
pub(super) const WINDOW: usize = 64;

/// What 64 bytes are, a bit each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Structure {
    /// Delimiters and line ends.
    pub ends: u64,
    pub line_ends: u64,
    pub quotes: u64,
}

/// What loops over bytes may use.
#[derive(Clone, Copy)]
pub(crate) enum Machine {
    /// Vectors of 32 bytes, and instructions that take words of bits apart (AVX2, BMI).
    #[cfg(target_arch = "x86_64")]
    Wide(pulp::x86::V3),
    /// What every processor of its kind has.
    Any,
}

impl Machine {
    pub fn this() -> Self {
        #[cfg(target_arch = "x86_64")]
        if let Some(machine) = pulp::x86::V3::try_new() {
            return Self::Wide(machine);
        }
        Self::Any
    }

    /// Does work in a loop that is compiled for this machine; whatever is to profit must be inlined into it.
    #[inline(always)]
    pub fn run<R>(self, work: impl FnOnce() -> R) -> R {
        match self {
            #[cfg(target_arch = "x86_64")]
            Self::Wide(machine) => pulp::Simd::vectorize(machine, work),
            Self::Any => work(),
        }
    }

    /// The structure of 64 bytes.
    #[inline(always)]
    pub(super) fn structure(self, window: &[u8; WINDOW], delimiter: u8) -> Structure {
        match self {
            #[cfg(target_arch = "x86_64")]
            Self::Wide(machine) => by_halves(machine, window, delimiter),
            Self::Any => by_quarters(window, delimiter),
        }
    }
}

impl Machine {
    /// How many lines end in a part of the bytes, if it has no quote and no empty line; the first byte of all begins a line.
    #[inline(always)]
    pub(super) fn plain_lines(self, bytes: &[u8], part: Range<usize>) -> Option<usize> {
        let before = |back: usize| if part.start >= back { bytes[part.start - back] } else { b'\n' };
        // The last two bytes before a window as bits: the lowest is the byte further back.
        let mut ends_before = u64::from(before(2) == b'\n') | u64::from(before(1) == b'\n') << 1;
        let mut return_before = u64::from(before(1) == b'\r');
        let (mut n_lines, mut odd) = (0, 0);
        let (windows, rest) = bytes[part].as_chunks::<WINDOW>();
        // Behind the rest there is nothing, which is no structure.
        let mut last = [0; WINDOW];
        last[..rest.len()].copy_from_slice(rest);
        for window in windows.iter().chain([&last]) {
            let found = self.structure(window, b'\r');
            let returns = found.ends & !found.line_ends;
            let behind_end = found.line_ends << 1 | ends_before >> 1;
            let behind_end_and_return = (found.line_ends << 2 | ends_before) & (returns << 1 | return_before);
            odd |= found.quotes | found.line_ends & (behind_end | behind_end_and_return);
            n_lines += found.line_ends.count_ones() as usize;
            (ends_before, return_before) = (found.line_ends >> 62, returns >> 63);
        }
        (odd == 0).then_some(n_lines)
    }
}

#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn by_halves(machine: pulp::x86::V3, window: &[u8; WINDOW], delimiter: u8) -> Structure {
    let avx2 = machine.avx2;
    let halves: [std::arch::x86_64::__m256i; 2] = pulp::cast(*window);
    let find = |byte: u8| {
        let byte = pulp::cast([byte; 32]);
        halves.map(|half| avx2._mm256_cmpeq_epi8(half, byte))
    };
    let bits = |found: [std::arch::x86_64::__m256i; 2]| {
        let [low, high] = found.map(|half| avx2._mm256_movemask_epi8(half) as u32);
        u64::from(low) | u64::from(high) << 32
    };
    let (delimiters, line_ends, quotes) = (find(delimiter), find(b'\n'), find(QUOTE));
    let ends = [avx2._mm256_or_si256(delimiters[0], line_ends[0]), avx2._mm256_or_si256(delimiters[1], line_ends[1])];
    Structure { ends: bits(ends), line_ends: bits(line_ends), quotes: bits(quotes) }
}

#[inline(always)]
fn by_quarters(window: &[u8; WINDOW], delimiter: u8) -> Structure {
    let mut of = Structure { ends: 0, line_ends: 0, quotes: 0 };
    let (quarters, _) = window.as_chunks::<16>();
    for (nth, quarter) in quarters.iter().enumerate() {
        let quarter = u8x16::new(*quarter);
        let bits = |byte: u8| u64::from(quarter.simd_eq(u8x16::splat(byte)).to_bitmask()) << (16 * nth);
        let line_ends = bits(b'\n');
        of.ends |= bits(delimiter) | line_ends;
        of.line_ends |= line_ends;
        of.quotes |= bits(QUOTE);
    }
    of
}

/// The window that starts at a byte of a block; behind its records a block has zeros enough.
#[inline(always)]
pub(super) fn window(bytes: &[u8], from: usize) -> &[u8; WINDOW] {
    bytes.get(from..).and_then(<[u8]>::first_chunk).unwrap_or(&[0; WINDOW])
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn lines_are_plain_where_a_look_at_each_finds_no_quote_and_none_empty(
            bytes in proptest::collection::vec(proptest::sample::select(&b"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n\n\n\r\r\""[..]), 0..300),
            cut in 0..300_usize,
        ) {
            let cut = cut.min(bytes.len());
            let ends: Vec<usize> = (cut..bytes.len()).filter(|at| bytes[*at] == b'\n').collect();
            let is_empty = |at: &usize| matches!(bytes[..*at], [] | [b'\r'] | [.., b'\n'] | [.., b'\n', b'\r']);
            let plainly = (!bytes[cut..].contains(&QUOTE) && !ends.iter().any(is_empty)).then_some(ends.len());
            for machine in [Machine::Any, Machine::this()] {
                prop_assert_eq!(machine.run(#[inline(always)] || machine.plain_lines(&bytes, cut..bytes.len())), plainly);
            }
        }

        #[test]
        fn every_machine_finds_what_a_look_at_each_byte_finds(
            window in proptest::collection::vec(proptest::sample::select(&b",;\n\r\"a\0\xFF"[..]), WINDOW),
            delimiter in proptest::sample::select(&b",;\0\xFFa"[..]),
        ) {
            let window: [u8; WINDOW] = window.try_into().unwrap();
            let bits = |is: &dyn Fn(u8) -> bool| (0..WINDOW).fold(0_u64, |bits, at| bits | u64::from(is(window[at])) << at);
            let plainly = Structure {
                ends: bits(&|byte| byte == delimiter || byte == b'\n'),
                line_ends: bits(&|byte| byte == b'\n'),
                quotes: bits(&|byte| byte == QUOTE),
            };
            for machine in [Machine::Any, Machine::this()] {
                prop_assert_eq!(machine.run(#[inline(always)] || machine.structure(&window, delimiter)), plainly);
            }
        }
    }
}
