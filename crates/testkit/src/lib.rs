//! What tests of every room share: batteries of laws, and comparison with a stated tolerance.
//!
//! A battery takes values and closures rather than traits, so that the room that defines a trait can use it too.

mod laws;

pub use laws::{forgetting_undoes_merging, merging_is_a_commutative_monoid};

/// Compares two numbers with a tolerance relative to their size, and absolute below one.
///
/// # Panics
/// When they differ by more.
#[track_caller]
pub fn assert_close(found: f64, expected: f64, tolerance: f64) {
    let scale = expected.abs().max(1.0);
    assert!((found - expected).abs() <= tolerance * scale, "{found} is not {expected} to within {tolerance}");
}
