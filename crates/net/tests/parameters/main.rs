//! Parameters of networks whose graph is known, from rows with and without gaps.

mod augmentation;
mod climbs;
mod closed_forms;
mod counting;
mod expectation;
mod gradients;
mod hidden_states;
mod kept_parts;
mod lectures;
mod rows;
mod scores;
mod stepwise;
