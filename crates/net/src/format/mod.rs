//! Formats of networks: read from bytes, written to text. Each file is one format; [`FormatError`] says where a text is broken.

pub(crate) mod lexical;

pub mod bif;

pub use lexical::FormatError;
