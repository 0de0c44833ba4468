//! Bayesian learning: from a table and what you already believe to probabilities you can question.
//!
//! ```
//! use tunbridge::{Case, LearnOptions, Model, learn};
//! # let folder = tempfile::tempdir()?;
//! # let path = folder.path().join("weather.csv");
//! # std::fs::write(&path, "Wind,Play\nStrong,No\nWeak,No\nWeak,Yes\nWeak,Yes\nStrong,Yes\n")?;
//! let mut options = LearnOptions::default();
//! options.read.target = Some("Play".into());
//! let learned = learn(&[&path], &options)?;
//! let windy = Case::parse(learned.model.schema(), &["Wind=Strong".into()])?;
//! let answer = windy.lend(|row| learned.model.answer(row))?;
//! assert_eq!(answer.probability.iter().sum::<f64>(), 1.0);
//! Model::NaiveBayes(Box::new(learned.model)).save(&folder.path().join("weather.tb"), false)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The rooms below have the parts: `belief` the mathematics, `data` the tables, `learn` the learners, `evaluate` how good they
//! are. What is needed of them is found here too.

mod align;
pub mod aode;
pub mod atomic;
pub mod average;
mod by_folds;
mod case;
mod change;
mod classifier;
pub mod concept;
mod costs;
mod counting;
mod cut_points;
mod difference;
mod error;
pub mod estimate;
mod evaluation;
mod held_out;
mod highlight;
pub mod interrupt;
mod joint;
mod judge;
pub mod labels;
mod learn_options;
mod learning;
mod look;
mod model;
pub mod model_file;
pub mod network;
mod recipe;
mod remarks;
mod reserved;
mod state_belief;
mod testing;
mod unlabelled;
mod unmet;
mod value_of_information;
mod vocabulary;
mod widening;

pub use aode::AodeModel;
pub use average::AverageModel;
pub use case::Case;
pub use change::{Changed, forget, merge, update};
pub use classifier::Classifier;
pub use costs::NamedCosts;
pub use difference::{Believed, Difference, Moved, Parent, Value, difference};
pub use error::Error;
pub use evaluation::{Evaluation, Timings};
pub use held_out::leave_one_out;
pub use highlight::{Highlighted, Mark, highlight};
pub use joint::read_joint;
pub use labels::LabelsModel;
pub use learn_options::{EvaluationPlan, LearnOptions};
pub use learning::{Calibrated, Learned, learn};
pub use model::{Model, NaiveBayesModel};
pub use network::NetworkModel;
pub use recipe::Recipe;
pub use state_belief::StateBelief;
pub use testing::{TestOptions, Tested, hold_out, test, test_beside_uncalibrated};
pub use unlabelled::{ComponentPlan, FromUnlabelled, HistoryStep, OnStep, Unlabelled};
pub use value_of_information::Worth;
pub use widening::widening;

/// The mathematics: statistics, priors, posteriors, schemas.
pub use belief;
/// Densities that a user writes, with priors: posteriors by quadrature and by Markov chains.
pub use belief::density_model;
/// The language that densities are written in.
pub use belief::expression;
/// Markov chains, and how far they can be trusted.
pub use belief::mcmc;
/// Tables and formats.
pub use data;
/// Metrics and calibration.
pub use evaluate;
/// Learners.
pub use learn as learners;
/// Bayesian networks: structures, tables, formats, d-separation and exact answers.
pub use net;
