//! The nearest centroid: how far a row is from the mean of each class.
//!
//! Squared Euclidean distance, numbers as they are and states one-hot; as a probability, spheres of one size σ² around the class
//! means, equally probable: ln P(x | class) = −d²/(2σ²), up to a constant that all classes share. Duda, Hart & Stork 2001, section
//! 2.6.1. What is missing is left out of the distance.

use super::categorical::{CountedStates, HeldOut};

/// The distance of a state from the class means of a one-hot coded attribute.
#[derive(Clone, Debug)]
pub(crate) struct OneHot<'s> {
    pub(crate) states: CountedStates<'s>,
    /// Σ n² over the states, of each class.
    sums_of_squares: Vec<f64>,
    two_variances: f64,
}

impl<'s> OneHot<'s> {
    pub(crate) fn new(states: CountedStates<'s>, sphere_variance: f64) -> Self {
        let sums_of_squares = (0..states.n_classes()).map(|class| sum_of_squares(&states, class)).collect();
        Self { states, sums_of_squares, two_variances: 2.0 * sphere_variance }
    }

    /// The part of a class that is in the state, by maximum likelihood.
    pub(crate) fn p(&self, state: usize, class: usize, held_out: HeldOut) -> f64 {
        let total = self.states.class_total(class, held_out);
        if total > 0.0 { self.states.n(state, class, held_out) / total } else { 1.0 / self.states.n_counted() }
    }

    /// −d²/(2σ²) with d² = Σₖ ([k = s] − pₖ)² = 1 − 2 pₛ + Σ pₖ².
    pub(crate) fn ln(&self, state: usize, class: usize, held_out: HeldOut) -> f64 {
        let total = self.states.class_total(class, held_out);
        let p = self.p(state, class, held_out);
        let sum_p_squared = if total > 0.0 {
            let (before, after) = (self.states.n(state, class, HeldOut::NOTHING), self.states.n(state, class, held_out));
            belief::count_less(self.sums_of_squares[class], before * before - after * after) / (total * total)
        } else {
            1.0 / self.states.n_counted()
        };
        // The distance of a point from itself may come out a hair below zero.
        -(1.0 - 2.0 * p + sum_p_squared).max(0.0) / self.two_variances
    }
}

/// The variance within the classes, summed over the attribute's one-hot dimensions: Σ N (1 − Σ p²) / Σ N.
pub(crate) fn within_class_variance(states: &CountedStates<'_>) -> f64 {
    // All rows of a class in one state: then the difference is none, or that of rounding.
    const ROUNDING: f64 = 1e-12;
    let (mut sum, mut total) = (0.0, 0.0);
    for class in 0..states.n_classes() {
        let n = states.class_total(class, HeldOut::NOTHING);
        if n > 0.0 {
            let spread = n - sum_of_squares(states, class) / n;
            sum += if spread > ROUNDING * n { spread } else { 0.0 };
            total += n;
        }
    }
    if total > 0.0 { sum / total } else { 0.0 }
}

fn sum_of_squares(states: &CountedStates<'_>, class: usize) -> f64 {
    (0..states.n_states()).map(|state| states.n(state, class, HeldOut::NOTHING).powi(2)).sum()
}
