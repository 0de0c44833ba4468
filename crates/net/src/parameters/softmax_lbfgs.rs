//! Gradient ascent as it is done in practice: tables as softmax of free numbers z, and steps by L-BFGS.
//!
//! With θ_ijk = exp z_ijk / Σ_k exp z_ijk no row needs bringing back, and the slope by z_ijk is W_ijk − W_ij θ_ijk, where W is how often a cell
//! was counted, is expected, and what the prior adds: what EM's step would make of it less what there is. What the last steps tell of the
//! curvature is kept (two loops of Nocedal 1980); before that a step is nearly EM's own, in log space (Jamshidian & Jennrich 1997 join the
//! two likewise). Lengths satisfy Wolfe's weak conditions, by bisection (Lewis & Overton 2013). Zeros stay zeros, fixed tables stay as they
//! are.
//!
//! It climbs the hill that EM climbs, and near the top it needs far fewer steps where much is missing.

use super::em::{EmError, Fitted};
use super::expected::Expected;
use super::family_counts::FamilyCounts;
use super::objective::{Objective, Valued, Way};
use super::posterior::Parameters;
use super::prior::ParameterPrior;
use belief::Climb;
use std::collections::VecDeque;

/// L-BFGS over rows of which the whole families are counted already.
pub struct SoftmaxLbfgs<'a> {
    /// The counts of whole families.
    pub observed: &'a FamilyCounts,
    /// What was believed before.
    pub prior: &'a ParameterPrior,
    /// When to stop; a step is one going over the rows, those that look for a length too.
    pub climb: Climb,
}

/// So many steps are remembered.
const REMEMBERED: usize = 8;
/// A rise counts if it is this part of what the slope promises,
const ENOUGH: f64 = 1e-4;
/// and a step is long enough if the slope behind it is no more than this part of the slope before it.
const FLATTER: f64 = 0.9;
/// Lengths that are tried for one step.
const MOST_LENGTHS: usize = 40;
/// The largest change of a z in the first trial of a step.
const FARTHEST: f64 = 5.0;

/// A place on the hill.
struct Place {
    z: Vec<f64>,
    slopes: Vec<f64>,
    /// How much a slope is worth before anything is known of the curvature: one over the larger of W_ijk and W_ij θ_ijk.
    scales: Vec<f64>,
    valued: Valued,
}

/// A step, and how the slopes changed in it: s, y, 1/(s·y).
struct Remembered {
    s: Vec<f64>,
    y: Vec<f64>,
    rho: f64,
}

impl SoftmaxLbfgs<'_> {
    /// Climbs from `start`. `expect` gives what is expected of the gaps under tables.
    ///
    /// # Errors
    /// When the prior does not fit or has no top, a row or the start is impossible, or `expect` fails.
    ///
    /// ```
    /// use belief::Climb;
    /// use std::{convert::Infallible, sync::Arc};
    /// use tunbridge_net::{Domain, Structure};
    /// use tunbridge_net::parameters::{Expected, Families, FamilyCounts, ParameterPrior, Parameters};
    /// use tunbridge_net::parameters::softmax_lbfgs::SoftmaxLbfgs;
    ///
    /// // A coin that fell three times on heads and once on tails, and nothing is missing.
    /// let domain = Domain::new([("Coin", vec!["heads", "tails"])])?;
    /// let families = Arc::new(Families::of(&Structure::new(["Coin"])?, &domain)?);
    /// let mut observed = FamilyCounts::empty(Arc::clone(&families));
    /// observed.add(&[3.0, 1.0])?;
    /// let prior = ParameterPrior::maximum_likelihood();
    /// let climb = Climb { least_rise: 1e-12, ..Climb::default() };
    /// let start = Parameters::new(Arc::clone(&families), vec![0.5, 0.5])?;
    /// let lbfgs = SoftmaxLbfgs { observed: &observed, prior: &prior, climb };
    /// let fitted = lbfgs.run(start, |_| Ok::<_, Infallible>(Expected::none(&families))).unwrap();
    /// assert!((fitted.parameters.theta()[0] - 0.75).abs() < 1e-6);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn run<E>(&self, start: Parameters, mut expect: impl FnMut(&Parameters) -> Result<Expected, E>) -> Result<Fitted, EmError<E>> {
        let objective = Objective::new(self.observed, self.prior).map_err(EmError::Fault)?;
        let valued = objective.begin(&start, &mut expect)?;
        let mut way = Way::new(self.climb, objective.n_rows(), &valued);
        let z = valued.parameters.theta().iter().map(|theta| theta.ln()).collect();
        let mut at = Place::new(&objective, z, valued);
        let mut memory: VecDeque<Remembered> = VecDeque::with_capacity(REMEMBERED);
        while !way.converged() && way.may_look() {
            let mut direction = upwards(&at, &memory);
            let rise = dot(&direction, &at.slopes);
            if rise.is_nan() || rise <= 0.0 {
                memory.clear();
                direction = upwards(&at, &memory);
            }
            let next = match search(&objective, &at, &direction, &mut way, &mut expect) {
                Err(EmError::Expectation(error, _)) => return Err(way.broken_off(error, at.valued)),
                next => next?,
            };
            let Some(next) = next else {
                // What is remembered may mislead; where nothing is, there is no way up, or the steps are used up.
                if memory.is_empty() {
                    if way.may_look() {
                        way.at_top();
                    }
                    break;
                }
                memory.clear();
                continue;
            };
            way.step(&at.valued, &next.valued);
            remember(&mut memory, &at, &next);
            at = next;
        }
        Ok(way.ended(at.valued))
    }
}

/// The next place along a direction, if any is higher.
fn search<E>(
    objective: &Objective<'_>,
    at: &Place,
    direction: &[f64],
    way: &mut Way,
    expect: &mut impl FnMut(&Parameters) -> Result<Expected, E>,
) -> Result<Option<Place>, EmError<E>> {
    let promised = dot(direction, &at.slopes);
    let farthest = direction.iter().fold(0.0, |farthest: f64, d| farthest.max(d.abs()));
    // Rounding takes the last digits of what climbs; where less is promised there is nothing to be won.
    let rounding = f64::EPSILON * at.valued.objective.abs();
    if !(promised > 0.0 && farthest > 0.0) {
        return Ok(None);
    }
    let (mut low, mut high, mut best) = (0.0, f64::INFINITY, None);
    let mut length = (FARTHEST / farthest).min(1.0);
    for _ in 0..MOST_LENGTHS {
        if !way.may_look() || length * promised <= rounding {
            break;
        }
        let z: Vec<f64> = at.z.iter().zip(direction).map(|(z, d)| z + length * d).collect();
        let trial = softmax(objective, &at.valued.parameters, &z)?;
        let expected = expect(&trial).map_err(|error| EmError::Expectation(error, None))?;
        way.n_looks += 1;
        match objective.value(trial, expected) {
            Ok(valued) if valued.objective >= at.valued.objective + ENOUGH * length * promised => {
                let place = Place::new(objective, z, valued);
                let is_flatter = dot(direction, &place.slopes) <= FLATTER * promised;
                best = Some(place);
                if is_flatter {
                    break;
                }
                low = length;
            }
            _ => high = length,
        }
        length = if high.is_finite() { 0.5 * (low + high) } else { 2.0 * length };
    }
    Ok(best)
}

/// The direction that the slopes and what is remembered of the curvature point to: the two loops of L-BFGS.
fn upwards(at: &Place, memory: &VecDeque<Remembered>) -> Vec<f64> {
    let mut q = at.slopes.clone();
    let mut shares = Vec::with_capacity(memory.len());
    for step in memory.iter().rev() {
        let share = step.rho * dot(&step.s, &q);
        q.iter_mut().zip(&step.y).for_each(|(q, y)| *q -= share * y);
        shares.push(share);
    }
    let by = memory.back().map_or(1.0, |last| {
        let y_scaled: f64 = last.y.iter().zip(&at.scales).map(|(y, scale)| y * y * scale).sum();
        1.0 / (last.rho * y_scaled)
    });
    q.iter_mut().zip(&at.scales).for_each(|(q, scale)| *q *= by * scale);
    for (step, share) in memory.iter().zip(shares.iter().rev()) {
        let back = share - step.rho * dot(&step.y, &q);
        q.iter_mut().zip(&step.s).for_each(|(q, s)| *q += back * s);
    }
    q
}

fn remember(memory: &mut VecDeque<Remembered>, before: &Place, after: &Place) {
    // Zeros lie at −∞, before and after.
    let difference = |(new, old): (&f64, &f64)| if new.is_finite() { new - old } else { 0.0 };
    let s: Vec<f64> = after.z.iter().zip(&before.z).map(difference).collect();
    // What climbs is to be bent down: its slopes fall along the way.
    let y: Vec<f64> = before.slopes.iter().zip(&after.slopes).map(|(old, new)| old - new).collect();
    let rho = 1.0 / dot(&s, &y);
    if rho > 0.0 && rho.is_finite() {
        if memory.len() == REMEMBERED {
            memory.pop_front();
        }
        memory.push_back(Remembered { s, y, rho });
    }
}

impl Place {
    fn new(objective: &Objective<'_>, z: Vec<f64>, valued: Valued) -> Self {
        let (families, theta) = (objective.families(), valued.parameters.theta());
        let weights = objective.weights(&valued);
        let (mut slopes, mut scales) = (vec![0.0; theta.len()], vec![0.0; theta.len()]);
        for of in objective.learned() {
            let n_states = families.n_states()[of];
            for row in families.cells(of).step_by(n_states) {
                let sum: f64 = weights[row..row + n_states].iter().sum();
                for cell in (row..row + n_states).filter(|cell| theta[*cell] > 0.0) {
                    let (made, there) = (weights[cell], sum * theta[cell]);
                    if made.max(there) > f64::MIN_POSITIVE {
                        slopes[cell] = made - there;
                        scales[cell] = 1.0 / made.max(there);
                    }
                }
            }
        }
        Self { z, slopes, scales, valued }
    }
}

/// The tables of z; those that are not learned are taken over.
fn softmax<E>(objective: &Objective<'_>, before: &Parameters, z: &[f64]) -> Result<Parameters, EmError<E>> {
    let families = objective.families();
    let mut theta = before.theta().to_vec();
    for of in objective.learned() {
        let (range, n_states) = (families.cells(of), families.n_states()[of]);
        for (theta, z) in theta[range.clone()].chunks_exact_mut(n_states).zip(z[range].chunks_exact(n_states)) {
            let largest = z.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            theta.iter_mut().zip(z).for_each(|(theta, z)| *theta = (z - largest).exp());
        }
    }
    objective.parameters(theta)
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
