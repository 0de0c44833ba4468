//! Random numbers: one seeded, counter-based stream, so that the same seed gives the same draws.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

/// Where draws come from.
pub use rand::Rng;

/// The generator of a seed. ChaCha with eight rounds (Bernstein 2008): a block of the stream depends on its number alone, so that
/// streams can be split without touching each other.
///
/// ```
/// use tunbridge_belief::{Rng, random};
/// assert_eq!(random(7).next_u64(), random(7).next_u64());
/// assert_ne!(random(7).next_u64(), random(8).next_u64());
/// ```
pub fn random(seed: u64) -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(seed)
}

/// A number of 53 bits in [0, 1), each as probable as the others.
pub fn uniform(rng: &mut impl Rng) -> f64 {
    (rng.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
}

/// The generator of one of the many streams of a seed: of a chain, a chunk or a replicate.
pub fn random_stream(seed: u64, stream: u64) -> ChaCha8Rng {
    let mut generator = random(seed);
    generator.set_stream(stream);
    generator
}
