//! Tests of concept learning: the book's example by hand, and everything clever against going through all hypotheses.

mod enjoy_sport;
mod large;
mod laws;
mod noise;
mod wide;
