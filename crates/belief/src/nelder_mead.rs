//! The downhill simplex of Nelder & Mead 1965, walked uphill: a maximum without derivatives.
//!
//! Lagarias, Reeds, Wright & Wright 1998 give the rules as used here, and Gao & Han 2012 the coefficients that depend on the number
//! of dimensions. It needs no slope, so that kinks, jumps and impossible regions (−∞) are no obstacle. Because a simplex can
//! collapse before it arrives, it is started again from where it stopped until that gains nothing.

/// The highest point found, and the value there.
///
/// NaN counts as impossible. `steps` are the first simplex's edges.
pub(crate) fn maximise(mut f: impl FnMut(&[f64]) -> f64, start: &[f64], steps: &[f64], most_values: usize) -> (Vec<f64>, f64) {
    let mut f = |point: &[f64]| {
        let value = f(point);
        if value.is_nan() { f64::NEG_INFINITY } else { value }
    };
    let mut best = (start.to_vec(), f(start));
    let mut shrunk = 1.0;
    let mut values = 0;
    while values < most_values {
        let (found, used) = climb(&mut f, &best, steps, shrunk, most_values - values);
        values += used;
        let gain = found.1 - best.1;
        best = found;
        // Nothing gained, not even on a finer scale: this is a top.
        if (gain.is_nan() || gain <= 1e-9) && shrunk < 1e-2 {
            break;
        }
        shrunk *= 0.2;
    }
    best
}

/// One simplex, until its values are equal to rounding.
fn climb(f: &mut impl FnMut(&[f64]) -> f64, start: &(Vec<f64>, f64), steps: &[f64], shrunk: f64, most: usize) -> ((Vec<f64>, f64), usize) {
    let n = start.0.len();
    let dimensions = n as f64;
    let (expand, contract, shrink) =
        if n > 1 { (1.0 + 2.0 / dimensions, 0.75 - 0.5 / dimensions, 1.0 - 1.0 / dimensions) } else { (2.0, 0.5, 0.5) };
    let mut used = 0;
    let mut value = |point: &[f64]| {
        used += 1;
        f(point)
    };
    let mut simplex = vec![start.clone()];
    for axis in 0..n {
        let mut point = start.0.clone();
        point[axis] += steps[axis] * shrunk;
        let height = value(&point);
        simplex.push((point, height));
    }
    for _ in 0..most {
        simplex.sort_by(|a, b| b.1.total_cmp(&a.1));
        let (best, worst) = (simplex[0].1, simplex[n].1);
        let extent = simplex[1..].iter().flat_map(|(p, _)| p.iter().zip(&simplex[0].0).map(|(a, b)| (a - b).abs() / b.abs().max(1e-12)));
        let extent = extent.fold(0.0, f64::max);
        if extent < 1e-14 || (best - worst).abs() <= 1e-13 * best.abs().max(1.0) && extent < 1e-6 {
            break;
        }
        let centre: Vec<f64> = (0..n).map(|axis| simplex[..n].iter().map(|(p, _)| p[axis]).sum::<f64>() / dimensions).collect();
        let along = |by: f64, worst: &[f64]| -> Vec<f64> { centre.iter().zip(worst).map(|(c, w)| c + by * (c - w)).collect() };
        let reflected = along(1.0, &simplex[n].0);
        let height = value(&reflected);
        if height > best {
            let expanded = along(expand, &simplex[n].0);
            let higher = value(&expanded);
            simplex[n] = if higher > height { (expanded, higher) } else { (reflected, height) };
        } else if height > simplex[n - 1].1 && n > 1 {
            simplex[n] = (reflected, height);
        } else {
            let contracted = along(if height > worst { contract } else { -contract }, &simplex[n].0);
            let higher = value(&contracted);
            if higher > worst.max(height) || (higher > f64::NEG_INFINITY && worst == f64::NEG_INFINITY) {
                simplex[n] = (contracted, higher);
            } else {
                let top = simplex[0].0.clone();
                for (point, height) in &mut simplex[1..] {
                    point.iter_mut().zip(&top).for_each(|(p, t)| *p = t + shrink * (*p - t));
                    *height = value(point);
                }
            }
        }
    }
    simplex.sort_by(|a, b| b.1.total_cmp(&a.1));
    (simplex.swap_remove(0), used)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rosenbrock's valley, turned upside down: the top is at (1, 1).
    #[test]
    fn it_climbs_out_of_a_curved_valley() {
        let (point, value) = maximise(|p| -(1.0 - p[0]).powi(2) - 100.0 * (p[1] - p[0] * p[0]).powi(2), &[-1.2, 1.0], &[0.5, 0.5], 5000);
        assert!((point[0] - 1.0).abs() < 1e-5 && (point[1] - 1.0).abs() < 1e-5 && value > -1e-9, "{point:?}");
    }

    #[test]
    fn it_finds_a_top_at_a_jump_and_in_one_dimension() {
        let (point, _) = maximise(|p| if p[0] < 1.7 { f64::NEG_INFINITY } else { -3.0 * p[0].ln() }, &[5.0], &[1.0], 2000);
        assert!((point[0] - 1.7).abs() < 1e-6, "{point:?}");
        let (point, _) = maximise(|p| -(p[0] - 3.0).powi(2), &[-50.0], &[0.1], 2000);
        assert!((point[0] - 3.0).abs() < 1e-6, "{point:?}");
    }
}
