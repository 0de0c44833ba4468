//! What tests of every room share: batteries of laws.
//!
//! A battery takes values and closures rather than traits, so that the room that defines a trait can use it too.

mod laws;

pub use laws::{forgetting_undoes_merging, merging_is_a_commutative_monoid};
