//! How good a model is, with how that was found out; and how long things took.

use std::time::Instant;

use evaluate::Metrics;

/// Metrics with the names of the classes and the way they were got.
#[derive(Clone, Debug)]
pub struct Evaluation {
    /// In words: leave-one-out, ten folds, a test file.
    pub how: String,
    /// The classes, in the order of the metrics' lists.
    pub classes: Vec<String>,
    /// The figures.
    pub metrics: Metrics,
}

impl Evaluation {
    pub(crate) fn new(how: &str, classes: &[String], metrics: Metrics) -> Self {
        let how = if metrics.cost.is_some() { format!("{how}, each row by its least expected cost") } else { how.into() };
        Self { how, classes: classes.to_vec(), metrics }
    }
}

/// Seconds by phase.
#[derive(Clone, Debug, Default)]
pub struct Timings(Vec<(&'static str, f64)>);

impl Timings {
    /// Adds the time since `start` to a phase.
    pub fn add(&mut self, phase: &'static str, start: Instant) {
        let seconds = start.elapsed().as_secs_f64();
        match self.0.iter_mut().find(|(name, _)| *name == phase) {
            Some((_, total)) => *total += seconds,
            None => self.0.push((phase, seconds)),
        }
    }

    /// The phases in order, with their seconds.
    pub fn phases(&self) -> &[(&'static str, f64)] {
        &self.0
    }
}
