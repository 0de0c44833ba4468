//! Concept learning: from a table with yes and no to the conjunctions that tell the two apart.
//!
//! [`read`] makes examples of a table, [`ConceptData::learn`] learns from them, and [`Learned`] answers. The learners themselves are in
//! [`learn::concept`](crate::learners::concept). All examples are held in memory.
//!
//! ```
//! use tunbridge::concept::{self, ConceptOptions};
//! # let folder = tempfile::tempdir()?;
//! # let path = folder.path().join("days.csv");
//! # std::fs::write(&path, "Sky,Wind,Play\nSunny,Strong,Yes\nRainy,Weak,No\nSunny,Weak,Yes\n")?;
//! let mut options = ConceptOptions::default();
//! options.read.target = Some("Play".into());
//! let data = concept::read(&[&path], &options)?;
//! let learned = data.learn(&options)?;
//! let version_space = learned.version_space().unwrap();
//! assert_eq!(data.space.written(version_space.specific()), "⟨Sunny, ?⟩");
//! let (rainy, _) = data.case(&["Sky=Rainy".into(), "Wind=Strong".into()])?;
//! let answer = learned.classify(&rainy);
//! assert_eq!((answer.positive, answer.sure), (Some(false), true));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod answers;
mod learning;
mod positive;
mod reading;

pub use answers::{Answer, NewInstance, NewInstances};
pub use learning::{Concept, Learned};
pub use reading::{ConceptData, ConceptOptions, read};
