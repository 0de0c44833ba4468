//! The most probable parameters, and those of greatest likelihood, also where they lie at the end of a range.

use super::target::Target;
use crate::Support;
use crate::nelder_mead::maximise;

/// The parameters of the greatest posterior density and of the greatest likelihood.
pub(super) fn greatest(target: &mut Target<'_>, start: &[f64]) -> (Option<Vec<f64>>, Option<Vec<f64>>) {
    let by_posterior = highest(target, start, |target, parameters| target.ln_posterior(parameters));
    let by_likelihood = highest(target, start, |target, parameters| match target.ln_prior(parameters) {
        f64::NEG_INFINITY => f64::NEG_INFINITY,
        _ => target.ln_likelihood(parameters),
    });
    let by_likelihood = by_likelihood.filter(|_| !is_level(target, start));
    (by_posterior, by_likelihood)
}

/// The parameters at which a function of them is greatest, the ends of their ranges among them; `None` if it grows without bound or
/// is the same everywhere along a line without end.
fn highest(target: &mut Target<'_>, start: &[f64], f: impl Fn(&mut Target<'_>, &[f64]) -> f64) -> Option<Vec<f64>> {
    let supports: Vec<Support> = target.supports().collect();
    let steps: Vec<f64> = start.iter().map(|z| (0.1 * z.abs()).max(0.3)).collect();
    let mut parameters = Vec::new();
    let on_lines = |place: &[f64]| {
        target.unpack(place, &mut parameters);
        f(target, &parameters)
    };
    let (place, mut height) = maximise(on_lines, start, &steps, 1500 * start.len());
    let mut best: Vec<f64> = supports.iter().zip(&place).map(|(support, z)| support.value(*z)).collect();
    for (axis, support) in supports.iter().enumerate() {
        let (first, last) = support.line();
        for end in [support.low(), support.high()].into_iter().filter(|end| end.is_finite()) {
            let mut moved = best.clone();
            moved[axis] = end;
            let there = f(target, &moved);
            if there == f64::INFINITY {
                return None;
            }
            if there >= height - 1e-9 * height.abs().max(1.0) && there.is_finite() && (best[axis] - end).abs() <= 1e-3 * (end.abs() + 1.0) {
                (best, height) = (moved, there.max(height));
            }
        }
        let at_end = place[axis] <= first + 1.0 || place[axis] >= last - 1.0;
        let snapped = best[axis] == support.low() || best[axis] == support.high();
        if at_end && !snapped || place[axis].abs() > 1e50 {
            return None;
        }
    }
    height.is_finite().then_some(best)
}

/// Whether the likelihood is as great all along a line through its greatest value: without data, of a parameter that it does not depend
/// on, of two of which only the sum counts. Then no value is the one of greatest likelihood.
///
/// A second climb, from beside the first one's start, ends as high somewhere else, and halfway between it is as high.
fn is_level(target: &mut Target<'_>, start: &[f64]) -> bool {
    let n = start.len();
    let mut parameters = Vec::new();
    let mut ln_likelihood = |place: &[f64]| {
        target.unpack(place, &mut parameters);
        match target.ln_prior(&parameters) {
            f64::NEG_INFINITY => f64::NEG_INFINITY,
            _ => target.ln_likelihood(&parameters),
        }
    };
    let steps: Vec<f64> = start.iter().map(|z| (0.1 * z.abs()).max(0.3)).collect();
    // Unlike steps to either side, so that no symmetry leads back.
    let beside = |by: f64| -> Vec<f64> {
        let step = |axis: usize| by * steps[axis] * (1.0 + 0.37 * axis as f64) * if axis.is_multiple_of(2) { 1.0 } else { -1.0 };
        (0..n).map(|axis| start[axis] + step(axis)).collect()
    };
    let Some(by) = [1.0, -1.0, 0.1, -0.1, 0.01].into_iter().find(|by| ln_likelihood(&beside(*by)).is_finite()) else { return false };
    let (first, height) = maximise(&mut ln_likelihood, start, &steps, 1500 * n);
    let (second, as_high) = maximise(&mut ln_likelihood, &beside(by), &steps, 1500 * n);
    let level = |other: f64| (other - height).abs() <= 1e-12 * height.abs().max(1.0);
    let apart = (0..n).any(|axis| (first[axis] - second[axis]).abs() > 0.1 * by.abs() * steps[axis]);
    let halfway: Vec<f64> = first.iter().zip(&second).map(|(a, b)| 0.5 * (a + b)).collect();
    apart && level(as_high) && level(ln_likelihood(&halfway))
}
