//! The ones that four rows of bits have in common with four others, in the vectors of the machine.
//!
//! Written with the machine's own instructions where it is of the x86 kind: what a compiler makes of the plain loop depends on what stands
//! around it. The counts are whole, and so the same in all.

/// Rows of bits of a tile, either way.
pub(super) const TILE: usize = 4;
/// Words of a vector: rows of bits have a multiple of so many.
pub(super) const LANES: usize = 8;

/// Ones in common of a tile's rows and columns.
pub(super) type Ones = [[u32; TILE]; TILE];

/// Four rows of bits of one length.
pub(super) type Four<'a> = [&'a [[u64; LANES]]; TILE];

/// How this machine counts.
#[derive(Clone, Copy)]
pub(super) enum Machine {
    /// The ones of eight words at once (AVX-512 VPOPCNTDQ).
    #[cfg(target_arch = "x86_64")]
    Vectors(x86::CountsVectors),
    /// The ones of half bytes by a table, thirty-two at once (AVX2).
    #[cfg(target_arch = "x86_64")]
    Tables(pulp::x86::V3),
    /// Word by word.
    Words,
}

impl Machine {
    pub(super) fn this() -> Self {
        #[cfg(target_arch = "x86_64")]
        if let Some(machine) = x86::CountsVectors::try_new() {
            return Self::Vectors(machine);
        }
        #[cfg(target_arch = "x86_64")]
        if let Some(machine) = pulp::x86::V3::try_new() {
            return Self::Tables(machine);
        }
        Self::Words
    }

    /// Hands on what every pair of tiles has in common, in the order they are given.
    pub(super) fn count<'a>(self, tiles: impl Iterator<Item = (Four<'a>, Four<'a>)>, mut see: impl FnMut(Ones)) {
        match self {
            #[cfg(target_arch = "x86_64")]
            Self::Vectors(machine) => machine.vectorize(
                #[inline(always)]
                || {
                    for (left, right) in tiles {
                        see(x86::by_vectors(machine, left, right));
                    }
                },
            ),
            #[cfg(target_arch = "x86_64")]
            Self::Tables(machine) => pulp::Simd::vectorize(
                machine,
                #[inline(always)]
                || {
                    for (left, right) in tiles {
                        see(x86::by_tables(machine, left, right));
                    }
                },
            ),
            Self::Words => tiles.for_each(|(left, right)| see(left.map(|left| right.map(|right| by_words(left, right))))),
        }
    }
}

fn by_words(left: &[[u64; LANES]], right: &[[u64; LANES]]) -> u32 {
    left.as_flattened().iter().zip(right.as_flattened()).map(|(a, b)| (a & b).count_ones()).sum()
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::{Four, LANES, Ones, TILE};
    use pulp::cast;
    use std::arch::x86_64::{__m256i, __m512i};

    pulp::simd_type! {
        /// A machine that counts the ones of eight words at once.
        pub(in super::super) struct CountsVectors {
            pub avx512f: "avx512f",
            pub avx512vpopcntdq: "avx512vpopcntdq",
        }
    }

    #[inline(always)]
    pub(super) fn by_vectors(machine: CountsVectors, left: Four<'_>, right: Four<'_>) -> Ones {
        let (add, and) = (machine.avx512f, machine.avx512f);
        let (left, right, n) = of_one_length(left, right);
        let mut ones = [[add._mm512_setzero_si512(); TILE]; TILE];
        for at in 0..n {
            let left: [__m512i; TILE] = [cast(left[0][at]), cast(left[1][at]), cast(left[2][at]), cast(left[3][at])];
            let right: [__m512i; TILE] = [cast(right[0][at]), cast(right[1][at]), cast(right[2][at]), cast(right[3][at])];
            for (ones, left) in ones.iter_mut().zip(left) {
                for (ones, right) in ones.iter_mut().zip(right) {
                    // One instruction, VPOPCNTQ.
                    let [a, b, c, d, e, f, g, h]: [u64; LANES] = cast(and._mm512_and_si512(left, right));
                    let counted = [one(a), one(b), one(c), one(d), one(e), one(f), one(g), one(h)];
                    *ones = add._mm512_add_epi64(*ones, cast(counted));
                }
            }
        }
        let mut found = [[0; TILE]; TILE];
        for (found, ones) in found.iter_mut().flatten().zip(ones.into_iter().flatten()) {
            let of_lanes: [u64; LANES] = cast(ones);
            *found = of_lanes.iter().sum::<u64>() as u32;
        }
        found
    }

    #[inline(always)]
    fn one(word: u64) -> u64 {
        u64::from(word.count_ones())
    }

    /// Muła, Kurz & Lemire 2018, *Faster population counts using AVX2 instructions*, section 3, with bytes summed as long as they hold.
    #[inline(always)]
    pub(super) fn by_tables(machine: pulp::x86::V3, left: Four<'_>, right: Four<'_>) -> Ones {
        const OF_HALF_BYTE: [u8; 16] = [0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4];
        /// A byte has eight ones at most, and a vector of 512 bits two bytes of each sum: 15 · 2 · 8 < 256.
        const RUN: usize = 15;
        let avx2 = machine.avx2;
        let (table, low, zero): (__m256i, __m256i, __m256i) = (cast([OF_HALF_BYTE; 2]), cast([0x0f_u8; 32]), cast([0_u8; 32]));
        let (left, right, n) = of_one_length(left, right);
        let mut found = [[0; TILE]; TILE];
        // Two by two: four sums, their inputs and the tables have room in sixteen registers.
        for (a, b) in [(0, 0), (0, 2), (2, 0), (2, 2)] {
            let (left, right) = ([left[a], left[a + 1]], [right[b], right[b + 1]]);
            let mut sums = [zero; 4];
            for start in (0..n).step_by(RUN) {
                let mut bytes = [zero; 4];
                for at in start..n.min(start + RUN) {
                    let left: [[__m256i; 2]; 2] = [cast(left[0][at]), cast(left[1][at])];
                    let right: [[__m256i; 2]; 2] = [cast(right[0][at]), cast(right[1][at])];
                    for half in 0..2 {
                        for (pair, bytes) in bytes.iter_mut().enumerate() {
                            let both = avx2._mm256_and_si256(left[pair / 2][half], right[pair % 2][half]);
                            let upper = avx2._mm256_and_si256(avx2._mm256_srli_epi16::<4>(both), low);
                            let ones = avx2._mm256_shuffle_epi8(table, avx2._mm256_and_si256(both, low));
                            *bytes = avx2._mm256_add_epi8(*bytes, avx2._mm256_add_epi8(ones, avx2._mm256_shuffle_epi8(table, upper)));
                        }
                    }
                }
                for (sum, bytes) in sums.iter_mut().zip(bytes) {
                    *sum = avx2._mm256_add_epi64(*sum, avx2._mm256_sad_epu8(bytes, zero));
                }
            }
            for (pair, sum) in sums.into_iter().enumerate() {
                let of_lanes: [u64; 4] = cast(sum);
                found[a + pair / 2][b + pair % 2] = of_lanes.iter().sum::<u64>() as u32;
            }
        }
        found
    }

    /// The same slices with one length that the compiler knows to be one.
    #[inline(always)]
    fn of_one_length<'a>(left: Four<'a>, right: Four<'a>) -> (Four<'a>, Four<'a>, usize) {
        let n = left[0].len();
        ([&left[0][..n], &left[1][..n], &left[2][..n], &left[3][..n]], [&right[0][..n], &right[1][..n], &right[2][..n], &right[3][..n]], n)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_machine_counts_the_same() {
        let mut machines = vec![Machine::Words];
        #[cfg(target_arch = "x86_64")]
        {
            machines.extend(x86::CountsVectors::try_new().map(Machine::Vectors));
            machines.extend(pulp::x86::V3::try_new().map(Machine::Tables));
        }
        for n in [0, 1, 14, 15, 16, 31, 64] {
            let plane = |seed: u64| -> Vec<[u64; LANES]> {
                (0..n)
                    .map(|at| {
                        std::array::from_fn(|lane| if seed == 3 { u64::MAX } else { belief::split_mix(seed * 1000 + at * 8 + lane as u64) })
                    })
                    .collect()
            };
            let planes: Vec<Vec<[u64; LANES]>> = (0..8).map(plane).collect();
            let (left, right) = (std::array::from_fn(|place| &planes[place][..]), std::array::from_fn(|place| &planes[7 - place][..]));
            let counted = |machine: &Machine| {
                let mut found = Vec::new();
                machine.count([(left, right), (right, right)].into_iter(), |ones| found.push(ones));
                found
            };
            let found: Vec<_> = machines.iter().map(counted).collect();
            assert!(found.iter().all(|other| *other == found[0]), "{n}: {found:?}");
            let all = planes[3].as_flattened().iter().zip(planes[7].as_flattened()).map(|(a, b)| (a & b).count_ones()).sum::<u32>();
            assert_eq!(found[0][0][3][0], all);
        }
    }
}
