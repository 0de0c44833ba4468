//! The mathematics of Tunbridge: what the data say, what we believed, and what we believe now.
//!
//! Three values, three types. A **statistic** ([`SufficientStatistic`]) is what the data say: it can be added to, merged and,
//! where that is exact, taken back ([`Forget`]). A **prior** is what we believed. A **posterior** is what the two say together
//! ([`ConjugatePrior`]). Smoothing lives in a prior and nowhere else.
//!
//! Learners ask [`Observations`] for statistics and never for rows, so that a table in memory, a file larger than memory and a
//! cluster are the same to them. Nothing here reads, writes, prints or looks at a clock.

mod bins;
mod bursts;
mod cholesky;
mod columns;
mod counts;
mod decision;
mod em;
mod exp;
mod folds;
mod laplace_logistic;
mod log_space;
mod matrix;
mod moments;
mod multinomial;
mod names;
mod nelder_mead;
mod observations;
mod packed;
mod piecewise;
mod pruning;
mod random;
mod recoding;
mod scatter;
mod schema;
mod side_by_side;
mod spelling;
mod statistic;
mod sum;
mod sums;
mod support;
mod trapezoidal;
mod word_counts;
mod word_weights;

pub mod conjugate;
pub mod density_model;
pub mod distribution;
pub mod expression;
pub mod hypotheses;
pub mod mcmc;
pub mod quadrature;

pub use bins::{BinCodes, are_cuts, bin_names, bin_of};
pub use bursts::Bursts;
pub use columns::{Chunk, Code, Codes, Column, MAX_WEIGHT, SelectedRows, Texts};
pub use counts::{JointCounts, count_less, count_without};
pub use decision::{Decision, LossTable};
pub use em::{Climb, Climbed, Step};
pub use exp::exp_all;
pub use folds::{ByFold, FoldPlan, split_mix};
pub use laplace_logistic::{LogisticMaximum, LogisticPosterior, LogisticPrior, LogisticRows};
pub use log_space::{log_sum_exp, normalise_ln};
pub use matrix::{Cholesky, Matrix};
pub use moments::{ClassMoments, Moments};
pub use multinomial::multinomial;
pub use observations::{Both, Fold, MaskedRows, Observations, ReadReport, RowPart};
pub use packed::{Bytes, PackedCodes, PackedNumbers};
pub use piecewise::{Bounded, PiecewiseDensity};
pub use pruning::{Pruned, drop_rarest};
pub use random::{Rng, random, random_stream, uniform};
pub use recoding::{Recode, Recoding, StateMap};
pub use scatter::{Scatter, ScatterRows};
pub use schema::{Kind, Role, Schema, SchemaError, States, VarId, Variable, compare_states};
pub use spelling::closest;
pub use statistic::{ConjugatePrior, Forget, NeverObserved, ShapeMismatch, SufficientStatistic};
pub use sum::CompensatedSum;
pub use sums::{Greatest, SumColumns, Sums};
pub use support::Support;
pub use word_counts::{ClassCounts, WordCount, WordCounts};
pub use word_weights::{TextLength, WordWeights};
