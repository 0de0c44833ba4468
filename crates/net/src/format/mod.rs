//! Formats of networks: read from bytes, written to text. Each file is one format; [`FormatError`] says where a text is broken.

pub(crate) mod draft;
pub(crate) mod lexical;
pub(crate) mod rows;

mod document;
mod noisy;

pub mod bif;
pub mod tbn;

pub use document::{Document, Notes, Remark};
pub use lexical::FormatError;
