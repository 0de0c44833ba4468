//! Markov chain Monte Carlo: draws from a density known up to a constant, and how far they can be trusted.
//!
//! Several chains are run by [`factor_slice`]; whether they agree, and how many independent draws they are worth, is told by
//! [`diagnostics`]; what the density integrates to, by [`mod@bridge_sampling`]. Chains draw their numbers from streams of one seeded,
//! counter-based generator, so that the same seed gives the same draws in whatever order chains are run.

pub mod bridge_sampling;
pub mod diagnostics;
pub mod factor_slice;

pub use bridge_sampling::{BridgeEstimate, bridge_sampling};
pub use diagnostics::{Diagnosis, diagnose};
pub use factor_slice::{McmcOptions, NotANumber, Walk, sample};
