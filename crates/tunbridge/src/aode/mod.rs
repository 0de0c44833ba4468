//! Averaged one-dependence estimators of a table: learned, judged, and taught more.
//!
//! ```
//! use tunbridge::aode::{self, AodeOptions};
//! use tunbridge::{Case, Classifier};
//! # let folder = tempfile::tempdir()?;
//! # let path = folder.path().join("lamp.csv");
//! # std::fs::write(&path, "Up,Down,Lamp\n0,0,off\n0,1,on\n1,0,on\n1,1,off\n0,0,off\n1,0,on\n")?;
//! // Two switches: the lamp is on where they differ, which naive Bayes cannot say.
//! let mut options = AodeOptions::default();
//! options.read.target = Some("Lamp".into());
//! let learned = aode::learn(&[&path], &options)?;
//! let case = Case::parse(learned.model.schema(), &["Up=1".into(), "Down=1".into()])?;
//! let answers = case.lend(|row| learned.model.answer(row))?;
//! assert_eq!(learned.model.classes()[answers.predicted[0].unwrap() as usize], "off");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod change;
mod difference;
mod learning;
mod model;

pub use change::{ChangedAode, forget, merge, update};
pub use difference::difference;
pub use learning::{AodeOptions, LearnedAode, hold_out, learn};
pub use model::AodeModel;
pub(crate) use model::StoredAode;
