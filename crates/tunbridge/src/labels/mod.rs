//! Several labels a row: learning, answers, change and judgement, on one statistic for all labels.
//!
//! The target's cells hold any number of labels ([`data::ReadOptions::labels`] says what separates them), and each label has a yes/no
//! naive Bayes model of its own ([`learn::BinaryRelevance`]). An empty cell says no to all of them; a missing one says nothing, and its
//! row is left out.
//!
//! ```
//! use tunbridge::{LearnOptions, labels};
//! # let folder = tempfile::tempdir()?;
//! # let path = folder.path().join("news.csv");
//! # std::fs::write(&path, "body,topics\nwheat and corn prices,grain;trade\nwheat harvest,grain\nnew tariffs,trade\nrain,\n")?;
//! let mut options = LearnOptions::default();
//! options.read.target = Some("topics".into());
//! options.read.labels = Some(";".into());
//! options.read.text = vec!["body".into()];
//! let learned = labels::learn(&[&path], &options)?;
//! assert_eq!(learned.model.labels(), ["grain", "trade"]);
//! assert_eq!(learned.model.statistic().rows_with(), [2.0, 2.0]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod change;
mod difference;
mod judge;
mod learning;
mod model;
mod testing;

pub(crate) use learning::{no_costs, unbounded};

pub use change::{ChangedLabels, forget, merge, update};
pub use difference::difference;
pub use judge::LabelEvaluation;
pub use learning::{LearnedLabels, learn};
pub use model::LabelsModel;
pub use testing::{TestedLabels, hold_out, test};
