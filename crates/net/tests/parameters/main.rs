//! Parameters of networks whose graph is known, from rows with and without gaps.

mod climbs;
mod counting;
mod expectation;
mod gradients;
mod rows;
