//! Gradient ascent for the tables of a network (Russell, Binder, Koller & Kanazawa 1995; Mitchell 1997, section 6.11.5):
//! w ← w + η Σ_d P(y_ij, u_ik | d) / w_ijk, after which every row is brought back to sum to one.
//!
//! The sum over the rows d is what EM expects of them, so that both climb the same hill by the same E-step, and end at the same tops. A row
//! is brought back to the nearest one that sums to one, which takes the same off every cell: dividing by the sum instead would stop where w is
//! in proportion to √N, not to N. (Counts of 3 and 1 have the slope 4, 4 at w = 3/4, 1/4: nothing is to be gained there, but dividing would
//! move both towards 1/2.) No probability falls below a tenth of itself in one step, for from zero there is no way back; zeros of the start,
//! and rows that nothing speaks of, stay as they are.
//!
//! It is here for the book's sake and for comparison: EM needs no length of steps, and [`super::softmax_lbfgs`] needs fewer of them.

use super::em::{EmError, EmFault, Fitted};
use super::expected::Expected;
use super::family_counts::FamilyCounts;
use super::objective::{Objective, Valued, Way};
use super::posterior::Parameters;
use super::prior::ParameterPrior;
use belief::Climb;

/// How long steps are.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum StepLength {
    /// η itself. What climbs may fall where it is too long; the highest tables that were met are given.
    Given(f64),
    /// As long as the last two steps suggest (Barzilai & Borwein 1988), halved while what climbs would not rise as the slope promises.
    #[default]
    Halved,
}

/// Gradient ascent over rows of which the whole families are counted already.
pub struct GradientAscent<'a> {
    /// The counts of whole families.
    pub observed: &'a FamilyCounts,
    /// What was believed before.
    pub prior: &'a ParameterPrior,
    /// When to stop; a step is one going over the rows, halved steps too.
    pub climb: Climb,
    /// How long steps are.
    pub step: StepLength,
}

/// A rise counts if it is this part of what the slope promises (Armijo 1966).
const ENOUGH: f64 = 1e-4;
/// In one step a probability keeps this part of itself.
const KEPT: f64 = 0.1;
/// The largest change of a probability in the first step.
const FIRST: f64 = 0.1;

impl GradientAscent<'_> {
    /// Climbs from `start`. `expect` gives what is expected of the gaps under tables.
    ///
    /// # Errors
    /// When the prior does not fit or has no top, η is no length, a row or the start is impossible, or `expect` fails.
    ///
    /// ```
    /// use belief::Climb;
    /// use std::{convert::Infallible, sync::Arc};
    /// use tunbridge_net::{Domain, Structure};
    /// use tunbridge_net::parameters::{Expected, Families, FamilyCounts, ParameterPrior, Parameters};
    /// use tunbridge_net::parameters::gradient_ascent::{GradientAscent, StepLength};
    ///
    /// // A coin that fell three times on heads and once on tails, and nothing is missing.
    /// let domain = Domain::new([("Coin", vec!["heads", "tails"])])?;
    /// let families = Arc::new(Families::of(&Structure::new(["Coin"])?, &domain)?);
    /// let mut observed = FamilyCounts::empty(Arc::clone(&families));
    /// observed.add(&[3.0, 1.0])?;
    /// let prior = ParameterPrior::maximum_likelihood();
    /// let climb = Climb { least_rise: 1e-12, ..Climb::default() };
    /// let ascent = GradientAscent { observed: &observed, prior: &prior, climb, step: StepLength::Halved };
    /// let start = Parameters::new(Arc::clone(&families), vec![0.5, 0.5])?;
    /// let fitted = ascent.run(start, |_| Ok::<_, Infallible>(Expected::none(&families))).unwrap();
    /// assert!((fitted.parameters.theta()[0] - 0.75).abs() < 1e-6);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn run<E>(&self, start: Parameters, mut expect: impl FnMut(&Parameters) -> Result<Expected, E>) -> Result<Fitted, EmError<E>> {
        let objective = Objective::new(self.observed, self.prior).map_err(EmError::Fault)?;
        if let StepLength::Given(eta) = self.step
            && !(eta > 0.0 && eta.is_finite())
        {
            return Err(EmError::Fault(EmFault::NotALength(eta)));
        }
        let at = objective.begin(&start, &mut expect)?;
        let way = Way::new(self.climb, objective.n_rows(), &at);
        match self.step {
            StepLength::Given(eta) => given(&objective, eta, at, way, expect),
            StepLength::Halved => halved(&objective, at, way, expect),
        }
    }
}

fn given<E>(
    objective: &Objective<'_>,
    eta: f64,
    mut at: Valued,
    mut way: Way,
    mut expect: impl FnMut(&Parameters) -> Result<Expected, E>,
) -> Result<Fitted, EmError<E>> {
    let mut highest = at.clone();
    while !way.converged() && way.may_look() {
        let next = stepped(objective, &at, &slope(objective, &at), eta)?;
        let expected = match expect(&next) {
            Ok(expected) => expected,
            Err(error) => return Err(way.broken_off(error, highest)),
        };
        way.n_looks += 1;
        let next = objective.value(next, expected).map_err(EmError::Fault)?;
        way.step(&at, &next);
        at = next;
        if at.objective >= highest.objective {
            highest = at.clone();
        }
    }
    Ok(way.ended(highest))
}

fn halved<E>(
    objective: &Objective<'_>,
    mut at: Valued,
    mut way: Way,
    mut expect: impl FnMut(&Parameters) -> Result<Expected, E>,
) -> Result<Fitted, EmError<E>> {
    let mut slopes = slope(objective, &at);
    let steepest = slopes.iter().fold(0.0, |steepest: f64, slope| steepest.max(slope.abs()));
    let mut eta = FIRST / steepest;
    while !way.converged() && way.may_look() {
        let trial = if eta.is_finite() { stepped(objective, &at, &slopes, eta)? } else { at.parameters.clone() };
        let moved: Vec<f64> = trial.theta().iter().zip(at.parameters.theta()).map(|(new, old)| new - old).collect();
        let promised = dot(&slopes, &moved);
        // Rounding takes the last digits of what climbs; where less is promised there is nothing to be won.
        if promised <= f64::EPSILON * at.objective.abs() {
            way.at_top();
            break;
        }
        let expected = match expect(&trial) {
            Ok(expected) => expected,
            Err(error) => return Err(way.broken_off(error, at)),
        };
        way.n_looks += 1;
        let next = match objective.value(trial, expected) {
            Ok(next) if next.objective >= at.objective + ENOUGH * promised => next,
            _ => {
                eta *= 0.5;
                continue;
            }
        };
        let next_slopes = slope(objective, &next);
        let bend = -moved.iter().zip(next_slopes.iter().zip(&slopes)).map(|(s, (new, old))| s * (new - old)).sum::<f64>();
        let suggested = dot(&moved, &moved) / bend;
        eta = if bend > 0.0 && suggested.is_finite() { suggested } else { 2.0 * eta };
        way.step(&at, &next);
        (at, slopes) = (next, next_slopes);
    }
    Ok(way.ended(at))
}

/// The slope of every cell that is learned, along the rows that sum to one: W/w less its mean over the row's cells.
fn slope(objective: &Objective<'_>, at: &Valued) -> Vec<f64> {
    let (families, theta) = (objective.families(), at.parameters.theta());
    let weights = objective.weights(at);
    let mut slopes = vec![0.0; theta.len()];
    for of in objective.learned() {
        let (range, n_states) = (families.cells(of), families.n_states()[of]);
        let rows = slopes[range.clone()].chunks_exact_mut(n_states);
        for ((slopes, w), n) in rows.zip(theta[range.clone()].chunks_exact(n_states)).zip(weights[range].chunks_exact(n_states)) {
            let n_free = w.iter().filter(|w| **w > 0.0).count() as f64;
            let mean = w.iter().zip(n).filter(|(w, _)| **w > 0.0).map(|(w, n)| n / w).sum::<f64>() / n_free;
            for (slope, (w, n)) in slopes.iter_mut().zip(w.iter().zip(n)).filter(|(_, (w, _))| **w > 0.0) {
                *slope = n / w - mean;
            }
        }
    }
    slopes
}

/// The tables a step further, every row the nearest to w + ηg that sums to one and keeps a tenth of every cell.
fn stepped<E>(objective: &Objective<'_>, at: &Valued, slopes: &[f64], eta: f64) -> Result<Parameters, EmError<E>> {
    let families = objective.families();
    let mut theta = at.parameters.theta().to_vec();
    for of in objective.learned() {
        let (range, n_states) = (families.cells(of), families.n_states()[of]);
        for (w, slopes) in theta[range.clone()].chunks_exact_mut(n_states).zip(slopes[range].chunks_exact(n_states)) {
            if slopes.iter().all(|slope| *slope == 0.0) {
                continue;
            }
            let free: Vec<usize> = (0..n_states).filter(|state| w[*state] > 0.0).collect();
            let above: Vec<f64> = free.iter().map(|state| (1.0 - KEPT) * w[*state] + eta * slopes[*state]).collect();
            let total = (1.0 - KEPT) * free.iter().map(|state| w[*state]).sum::<f64>();
            for (state, more) in free.iter().zip(nearest_of_sum(&above, total)) {
                w[*state] = KEPT * w[*state] + more;
            }
        }
    }
    objective.parameters(theta)
}

/// The nearest numbers that are not negative and have this sum: all less by the same, or nothing (Held, Wolfe & Crowder 1974).
fn nearest_of_sum(numbers: &[f64], sum: f64) -> Vec<f64> {
    let mut descending = numbers.to_vec();
    descending.sort_by(|a, b| b.total_cmp(a));
    let (mut so_far, mut less) = (0.0, 0.0);
    for (place, number) in descending.iter().enumerate() {
        so_far += number;
        let by = (so_far - sum) / (place + 1) as f64;
        if *number > by {
            less = by;
        }
    }
    numbers.iter().map(|number| (number - less).max(0.0)).collect()
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
mod tests {
    use super::nearest_of_sum;

    #[test]
    fn the_nearest_numbers_of_a_sum_take_the_same_off_each_or_leave_nothing() {
        assert_eq!(nearest_of_sum(&[0.75, 0.75], 1.0), [0.5, 0.5]);
        assert_eq!(nearest_of_sum(&[2.0, 0.5, -3.0], 1.0), [1.0, 0.0, 0.0]);
        assert_eq!(nearest_of_sum(&[1.0, 0.5, -3.0], 1.0), [0.75, 0.25, 0.0]);
        assert_eq!(nearest_of_sum(&[0.25], 1.0), [1.0]);
    }
}
