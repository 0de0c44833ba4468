//! Line-based formats: CSV, ARFF and JSON Lines.
//!
//! A reader cuts the bytes into blocks of whole records, one after the other ([`blocks`]); any thread turns a block into encoded
//! columns.

pub(crate) mod arff;
pub(crate) mod blocks;
pub(crate) mod csv;
pub(crate) mod header;
pub(crate) mod json_lines;
pub(crate) mod lines;
pub(crate) mod structure;
pub(crate) mod tile;
