//! Averaged one-dependence estimators (AODE).
//!
//! Webb, Boughton & Wang 2005, *Not so naive Bayes: aggregating one-dependence estimators*. Each attribute in turn is taken for a parent of
//! all others, beside the class, and what these models say is averaged: P(y, x) ∝ Σᵢ P(y, xᵢ) Πⱼ P(xⱼ | y, xᵢ). No structure is chosen, so
//! nothing is learned but counts, which are added, merged and taken back as those of naive Bayes are.

mod explain;
mod posterior;
mod prior;
mod statistic;
#[cfg(test)]
mod tests;

pub use posterior::Aode;
pub use prior::AodePrior;
pub use statistic::AodeStatistic;
