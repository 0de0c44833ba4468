//! Parameters of networks whose graph is known, from rows with and without gaps.

mod counting;
mod expectation;
mod rows;
