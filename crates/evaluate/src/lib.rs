//! How good a model's probabilities are, and how to make them better.
//!
//! Two questions, two rooms:
//!
//! - **How good?** A [`Tally`] watches (truth, predicted probabilities) row by row, keeps nothing per row, merges with
//!   other tallies, and gives [`Metrics`]: accuracy, balanced accuracy, F1, log loss, Brier score, calibration error.
//!   A [`LabelTally`] does the same where a row has any number of labels, with the break-even point of a [`Ranking`].
//! - **How to trust them?** A [`ScoreGrid`] watches the same rows and keeps, per class, how often it was true at each
//!   log-odds. A [`Calibrator`] fitted to it maps a model's probabilities to ones that hold in the long run.
//!
//! Where errors do not all cost the same, [`Costs`] names the class of least expected cost, and a tally of such decisions tells what
//! they cost.
//!
//! Both are statistics in the sense of the whole toolkit: `observe` and `merge`, with `new` as the identity.
//!
//! What is deliberately absent: models, folds, files, printing. The caller brings predictions, and it is the caller who
//! sees to it that they were made for rows the model was not learned from, and that a calibrator is judged on rows it
//! was not fitted on.
//!
//! # Example
//!
//! ```
//! use tunbridge_evaluate::{Calibrator, Method, ScoreGrid, Tally};
//!
//! // An overconfident model: it says 0.99, and is right in 3 cases of 4.
//! let ln_p = [0.01_f64.ln(), 0.99_f64.ln()];
//! let mut tally = Tally::new(2);
//! let mut grid = ScoreGrid::new(2);
//! for (truth, weight) in [(1, 75.0), (0, 25.0)] {
//!     tally.observe_ln(truth, &ln_p, weight)?;
//!     grid.observe(truth, &ln_p, weight)?;
//! }
//! let metrics = tally.metrics().expect("100 rows were observed");
//! assert!((metrics.accuracy - 0.75).abs() < 1e-12);
//! assert!((metrics.calibration_error.unwrap() - 0.24).abs() < 1e-12);
//!
//! let calibrator = Calibrator::fit(Method::Isotonic, &grid)?;
//! let mut calibrated = ln_p;
//! calibrator.calibrate(&mut calibrated)?;
//! assert!((calibrated[1].exp() - 0.75).abs() < 1e-12);
//! # Ok::<(), tunbridge_evaluate::EvaluateError>(())
//! ```

#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod break_even;
pub mod calibration;
mod confusion;
mod costs;
mod error;
mod label_tally;
mod ln_distribution;
mod metrics;
mod tally;

pub use break_even::Ranking;
pub use calibration::{Calibrator, ClassMap, IsotonicMap, Knot, Method, ScoreGrid, SigmoidMap};
pub use confusion::Confusion;
pub use costs::Costs;
pub use error::EvaluateError;
pub use label_tally::{LabelAverages, LabelMetric, LabelMetrics, LabelTally};
pub use metrics::{ClassMetrics, CostMetrics, Metrics, ReliabilityBin};
pub use tally::Tally;
