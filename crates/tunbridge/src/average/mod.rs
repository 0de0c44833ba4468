//! Bayesian model averaging: several models of the same rows, each with as much of a say as the rows give it.
//!
//! P(class | row) = Σ w(m) P(class | row, m), over the members m. Before any data every member is as probable as every other, and
//! [`WeighedBy`] says what makes the weights w(m): how well a member foretells rows it has not seen, or how probable all rows are
//! under it. A member to which the evidence of a row is impossible has nothing to say of it, and leaves its weight to the others.
//!
//! The weights are of members, not of what they say of a row: with many rows the best member soon has nearly all of the weight.
//! Two that are the same weigh the same, and together twice what each does: they were two of the equally probable ones.
//!
//! ```
//! use tunbridge::average::{self, AverageOptions, MemberLearner, MemberOptions};
//! use tunbridge::{Case, Classifier, LearnOptions};
//! # let folder = tempfile::tempdir()?;
//! # let path = folder.path().join("weather.csv");
//! # std::fs::write(&path, "Wind,Play\nStrong,No\nWeak,No\nWeak,Yes\nWeak,Yes\nStrong,Yes\nWeak,Yes\nStrong,No\n")?;
//! let mut cautious = LearnOptions::default();
//! cautious.prior.estimate = "laplace:5".parse()?;
//! let aode = MemberLearner::Aode(Box::default());
//! let members = vec![MemberOptions::new("cautious", cautious.into()), MemberOptions::new("aode", aode)];
//! let mut options = AverageOptions::new(members);
//! options.evaluation = tunbridge::EvaluationPlan::Folds(3);
//! options.read.target = Some("Play".into());
//! let model = average::learn(&[&path], &options)?.model;
//! assert!((model.members().iter().map(|member| member.weight()).sum::<f64>() - 1.0).abs() < 1e-15);
//! let windy = Case::parse(model.schema(), &["Wind=Strong".into()])?;
//! let answer = windy.lend(|row| model.answer(row))?;
//! assert!((answer.probability.iter().sum::<f64>() - 1.0).abs() < 1e-15);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! References: Hoeting, Madigan, Raftery & Volinsky 1999, "Bayesian model averaging: a tutorial", Statistical Science 14; Yao,
//! Vehtari, Simpson & Gelman 2018, "Using stacking to average Bayesian predictive distributions", Bayesian Analysis 13, for weights
//! from held-out scores (pseudo-BMA).

mod folds;
mod learning;
mod leave_one_out;
mod member;
mod mix;
mod model;
mod options;
mod saved;
mod several;
mod stored;
mod view;
mod weighing;

pub use learning::learn;
pub use member::{Member, MemberModel};
pub use model::{AverageModel, WeighedBy};
pub use options::{AverageOptions, LearnedAverage, MemberLearner, MemberOptions};
pub use saved::{SavedOptions, of_saved};
pub(crate) use stored::StoredAverage;
