//! Where a density is high: a scan of likely places, a climb from the best of them, and how wide each top is.
//!
//! Everything happens on the lines that [`Support`] stretches ranges to. Quadrature puts its first nodes around these tops, and
//! Markov chains start there.

use crate::cholesky::invert;
use crate::nelder_mead::maximise;
use crate::{Support, split_mix};

/// A top of a density.
#[derive(Clone, Debug)]
pub(crate) struct Top {
    pub place: Vec<f64>,
    pub ln_height: f64,
    /// As if the density were normal around the top.
    pub covariance: Vec<Vec<f64>>,
}

/// Tops lower than the highest by this much, in logarithms, hold nothing that matters.
const TOO_LOW: f64 = 35.0;
/// The most values of the density that the scan asks for.
const MOST_SCANNED: usize = 3000;

/// How hard tops are looked for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Effort {
    /// From how many places of the scan a climb starts.
    climbs: usize,
    /// The most values a climb asks for along each axis.
    values: usize,
}

impl Effort {
    /// For the posterior.
    pub(crate) const THOROUGH: Self = Self { climbs: 8, values: 400 };
    /// Where a top need only be known roughly, or values are dear.
    pub(crate) const QUICK: Self = Self { climbs: 3, values: 40 };
}

/// Likely places on the line of a support: round numbers of every size, and those that the data suggest.
pub(crate) fn likely_places(support: Support, hints: &[f64]) -> Vec<f64> {
    let (first, last) = support.line();
    let mut places: Vec<f64> = match (support.low().is_finite(), support.high().is_finite()) {
        (false, false) => {
            let sizes = [0.01, 0.1, 1.0, 3.0, 10.0, 100.0, 1e3, 1e4, 1e6];
            sizes.iter().flat_map(|size| [-size, *size]).chain([0.0]).collect()
        }
        (true, true) => [-9.0, -4.5, -3.0, -2.0, -1.0, 0.0, 1.0, 2.0, 3.0, 4.5, 9.0].to_vec(),
        _ => [1e-6, 1e-4, 1e-3, 0.01, 0.1, 0.3, 1.0, 3.0, 10.0, 100.0, 1e3, 1e4, 1e6].map(f64::ln).to_vec(),
    };
    let inside = hints.iter().filter(|hint| **hint > support.low() && **hint < support.high());
    places.extend(inside.map(|hint| support.place(*hint)));
    places.retain(|place| *place >= first && *place <= last);
    places.sort_by(f64::total_cmp);
    places.dedup_by(|a, b| (*a - *b).abs() <= 1e-9 * b.abs());
    places
}

/// Numbers that a parameter may well be near to, from a column of data: its mean, spread, ends and what they suggest of rates.
pub(crate) fn hints(column: &[f64]) -> Vec<f64> {
    let n = column.len() as f64;
    if column.is_empty() {
        return Vec::new();
    }
    let mean = column.iter().sum::<f64>() / n;
    let variance = column.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / n;
    let (low, high) = column.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| (low.min(*x), high.max(*x)));
    let span = (high - low).max(1e-3 * high.abs().max(low.abs()));
    let mut hints = vec![mean, variance.sqrt(), variance, low - 1e-3 * span, high + 1e-3 * span, low - 0.3 * span, high + 0.3 * span];
    hints.extend([1.0 / mean, 1.0 / (1.0 + mean), 1.0 / variance, mean * mean / variance, mean / variance]);
    let logarithms: Vec<f64> = column.iter().filter(|x| **x > 0.0).map(|x| x.ln()).collect();
    if !logarithms.is_empty() {
        hints.push(logarithms.iter().sum::<f64>() / logarithms.len() as f64);
    }
    hints.retain(|hint| hint.is_finite());
    hints
}

/// The best places of the scan, best first; none if the density is zero at all of them.
///
/// All combinations if they are few, else a seeded choice of them.
pub(crate) fn scan(f: &mut dyn FnMut(&[f64]) -> f64, places: &[Vec<f64>], n_rows: usize) -> Vec<(Vec<f64>, f64)> {
    let most = (2_000_000 / n_rows.max(1)).clamp(200, MOST_SCANNED);
    let all = places.iter().map(Vec::len).try_fold(1_usize, |product, n| product.checked_mul(n)).unwrap_or(usize::MAX);
    let mut found: Vec<(Vec<f64>, f64)> = Vec::new();
    for number in 0..all.min(most) {
        let mut rest = number;
        let mut draw = |n: usize, axis: usize| {
            if all <= most {
                let at = rest % n;
                rest /= n;
                return at;
            }
            (split_mix((number * places.len() + axis) as u64) % n as u64) as usize
        };
        let point: Vec<f64> = places.iter().enumerate().map(|(axis, places)| places[draw(places.len(), axis)]).collect();
        let height = f(&point);
        if height > f64::NEG_INFINITY {
            found.push((point, height));
        }
    }
    found.sort_by(|a, b| b.1.total_cmp(&a.1));
    found
}

/// The tops that climbs from the best places lead to, highest first.
pub(crate) fn tops(f: &mut dyn FnMut(&[f64]) -> f64, scanned: &[(Vec<f64>, f64)], lines: &[(f64, f64)], effort: Effort) -> Vec<Top> {
    let mut tops: Vec<Top> = Vec::new();
    // Every other climb starts apart from where the earlier ones did, so that a second peak below many good places is met.
    let mut starts: Vec<&(Vec<f64>, f64)> = Vec::new();
    for candidate in scanned {
        let apart = |other: &&(Vec<f64>, f64)| candidate.0.iter().zip(&other.0).any(|(a, b)| (a - b).abs() > 0.5 * b.abs().clamp(0.5, 2.0));
        if starts.len() < effort.climbs && starts.iter().all(apart) {
            starts.push(candidate);
        }
    }
    for (start, _) in starts {
        let steps: Vec<f64> = start.iter().map(|z| (0.1 * z.abs()).max(0.3)).collect();
        let (place, ln_height) = maximise(&mut *f, start, &steps, effort.values * start.len());
        add_top(f, &mut tops, place, ln_height, lines);
    }
    tops.sort_by(|a, b| b.ln_height.total_cmp(&a.ln_height));
    let highest = tops.first().map_or(0.0, |top| top.ln_height);
    tops.retain(|top| top.ln_height > highest - TOO_LOW);
    tops
}

/// Adds a top unless it is one of those known.
pub(crate) fn add_top(f: &mut dyn FnMut(&[f64]) -> f64, tops: &mut Vec<Top>, place: Vec<f64>, ln_height: f64, lines: &[(f64, f64)]) {
    if !ln_height.is_finite() {
        return;
    }
    let same = |top: &Top| place.iter().enumerate().all(|(axis, z)| (z - top.place[axis]).abs() <= 0.1 * top.covariance[axis][axis].sqrt());
    match tops.iter_mut().find(|top| same(top)) {
        Some(known) if known.ln_height >= ln_height => {}
        Some(known) => (known.place, known.ln_height) = (place, ln_height),
        None => {
            let covariance = covariance(f, &place, ln_height, lines);
            tops.push(Top { place, ln_height, covariance });
        }
    }
}

/// The inverse of minus the Hessian where that makes sense, else the squared widths along the axes.
fn covariance(f: &mut dyn FnMut(&[f64]) -> f64, place: &[f64], ln_height: f64, lines: &[(f64, f64)]) -> Vec<Vec<f64>> {
    let n = place.len();
    let widths: Vec<f64> = (0..n).map(|axis| width(f, place, ln_height, axis, lines[axis])).collect();
    let by_axes = |n: usize| (0..n).map(|i| (0..n).map(|j| if i == j { widths[i] * widths[i] } else { 0.0 }).collect()).collect();
    if n == 1 {
        return by_axes(1);
    }
    let mut moved = |by: &[(usize, f64)]| {
        let mut point = place.to_vec();
        by.iter().for_each(|(axis, steps)| point[*axis] += steps * 0.5 * widths[*axis]);
        f(&point)
    };
    let mut precision = vec![vec![0.0; n]; n];
    for i in 0..n {
        precision[i][i] = (2.0 * ln_height - moved(&[(i, 1.0)]) - moved(&[(i, -1.0)])) / (0.25 * widths[i] * widths[i]);
        for j in 0..i {
            let mixed = moved(&[(i, 1.0), (j, 1.0)]) - moved(&[(i, 1.0), (j, -1.0)]) - moved(&[(i, -1.0), (j, 1.0)])
                + moved(&[(i, -1.0), (j, -1.0)]);
            precision[i][j] = -mixed / (widths[i] * widths[j]);
            precision[j][i] = precision[i][j];
        }
    }
    match invert(&precision) {
        Some(covariance) if covariance.iter().flatten().all(|c| c.is_finite()) => covariance,
        _ => by_axes(n),
    }
}

/// How far along an axis the logarithm falls by a half, which is a standard deviation of a normal; the farther side.
fn width(f: &mut dyn FnMut(&[f64]) -> f64, place: &[f64], ln_height: f64, axis: usize, line: (f64, f64)) -> f64 {
    let mut farthest = 0.0_f64;
    for side in [-1.0, 1.0] {
        let mut drop = |step: f64| {
            let mut point = place.to_vec();
            point[axis] += side * step;
            let inside = point[axis] > line.0 && point[axis] < line.1;
            inside && ln_height - f(&point) < 0.5
        };
        let (mut near, mut far) = (0.0, 1e-12 * place[axis].abs().max(1e-3));
        while far < 1e6 * place[axis].abs().max(1.0) && drop(far) {
            (near, far) = (far, 4.0 * far);
        }
        for _ in 0..8 {
            let middle = 0.5 * (near + far);
            if drop(middle) { near = middle } else { far = middle }
        }
        farthest = farthest.max(0.5 * (near + far));
    }
    farthest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_covariance_of_a_normal_is_found() {
        // Precision ((2, 1), (1, 3)): covariance ((3, −1), (−1, 2))/5.
        let mut f = |p: &[f64]| -0.5 * (2.0 * p[0] * p[0] + 2.0 * p[0] * p[1] + 3.0 * p[1] * p[1]);
        let lines = [(-1e100, 1e100); 2];
        let found = covariance(&mut f, &[0.0, 0.0], 0.0, &lines);
        for (found, truth) in found.iter().flatten().zip([0.6, -0.2, -0.2, 0.4]) {
            assert!((found - truth).abs() < 1e-9, "{found} {truth}");
        }
        let scanned = scan(&mut f, &[likely_places(Support::REAL, &[]), likely_places(Support::REAL, &[])], 1);
        let tops = tops(&mut f, &scanned, &lines, Effort::THOROUGH);
        assert_eq!(tops.len(), 1);
        assert!(tops[0].place.iter().all(|z| z.abs() < 1e-5));
    }

    #[test]
    fn both_of_two_tops_are_found() {
        let mut f = |p: &[f64]| ((-0.5 * (p[0] - 3.0).powi(2)).exp() + (-0.5 * (p[0] + 40.0).powi(2)).exp()).ln();
        let scanned = scan(&mut f, &[likely_places(Support::REAL, &[-40.5])], 1);
        assert_eq!(tops(&mut f, &scanned, &[(-1e100, 1e100)], Effort::THOROUGH).len(), 2);
    }
}
