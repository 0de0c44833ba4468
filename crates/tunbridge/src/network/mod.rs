//! Bayesian networks in files: opened whatever their format, questioned, also row by row of a table, and saved in another.
//!
//! ```
//! use tunbridge::network::NetworkFile;
//! use tunbridge::net::ask::{Outcome, Value};
//! # let folder = tempfile::tempdir()?;
//! # let path = folder.path().join("cancer.tbn");
//! # std::fs::write(&path, "variable Cancer yes/no\n  0.008\nvariable Test +/- given Cancer\n  yes: 0.98\n  no: 0.03\n")?;
//! let file = NetworkFile::open(&path)?;
//! let oracle = file.oracle(1 << 30);
//! let reply = oracle.answer(&"P(Cancer=yes | Test=+)".parse()?)?;
//! let Outcome::Found { value: Value::Probability(p), .. } = reply.outcome else { panic!("one number") };
//! assert!((p - 0.00784 / 0.0376).abs() < 1e-15);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod augmented_draws;
mod beliefs;
mod bin_number;
mod change;
mod classifier;
mod columns;
mod credible;
mod difference;
mod edit;
mod expectation;
mod file;
mod folds;
mod impute;
mod indicator;
mod learning;
mod model;
mod resumed_em;
mod rows;
mod save;
mod shape;
mod structures;

pub use augmented_draws::{Augmentation, NotDrawn};
pub use beliefs::{Beliefs, junction_tree_picture, svg};
pub use change::{ChangedNetwork, forget, merge, update};
pub use classifier::NetworkClassifier;
pub(crate) use columns::{check_found as check_states, open_some as open_states};
pub use credible::{Credible, CredibleOptions};
pub use difference::{Difference, TableDifference, difference};
pub use expectation::{EmPlan, Method, OnStep};
pub use file::{NetworkFile, findings, is_network, order_text};
pub use impute::{Imputation, ImputeOptions, Imputed};
pub use indicator::Indicator;
pub use learning::{LearnedNetwork, NetworkOptions, hold_out, learn};
pub(crate) use model::StoredNetwork;
pub use model::{ExpectedPart, FamilyStatistic, NetworkModel};
pub use net::format::FormatKind;
pub use rows::{RowAnswer, RowQuestions};
pub use save::{Saved, put, save, written};
pub use shape::{PlannedClique, Shape, TreePlan};
pub(crate) use structures::too_many_pairs;
pub use structures::{StructureLearner, hold_out_with, learn_with};
