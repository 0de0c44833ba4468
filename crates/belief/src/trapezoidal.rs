//! The trapezoidal rule on the whole line, for smooth densities with one peak: few values, and exact to many digits.
//!
//! Trefethen & Weideman 2014, *The exponentially convergent trapezoidal rule*, section 5: of a function that is analytic around the
//! real line, the rule's error falls like exp(−c/h). A normal with steps of one standard deviation is off by 5·10⁻⁹. Ranges are
//! stretched to the line already ([`crate::Support`]), so that this is the common case; where steps of half the length tell that it
//! is not, there is no answer, and [`crate::quadrature`] is the way.

use crate::quadrature::{Peak, Sample};

/// A node of the rule.
#[derive(Clone, Debug)]
pub(crate) struct Node<T> {
    pub place: f64,
    pub weight: f64,
    /// The weight less that of the rule with steps of twice the length.
    pub difference: f64,
    pub sample: Sample<T>,
}

/// An integral by equal steps.
#[derive(Clone, Debug)]
pub(crate) struct Grid<T> {
    pub value: f64,
    /// The rule's, what the values' errors add up to, and what the ends hold.
    pub error: f64,
    pub nodes: Vec<Node<T>>,
}

/// The first steps, in the peak's widths.
const FIRST: f64 = 1.4;
/// Steps to either side before a tail is too long for equal steps.
const MOST_STEPS: usize = 40;
/// How often steps are halved before the density is not smooth enough.
const MOST_HALVINGS: usize = 3;

/// The integral, or `None` if the density is not smooth, too long-tailed or too far from the peak for equal steps.
pub(crate) fn integrate_evenly<T, E>(
    mut density: impl FnMut(f64) -> Result<Sample<T>, E>,
    (low, high): (f64, f64),
    peak: Peak,
    relative: f64,
) -> Result<Option<Grid<T>>, E> {
    let mut step = FIRST * peak.width;
    if !(step > 0.0 && step.is_finite() && peak.centre > low && peak.centre < high) {
        return Ok(None);
    }
    let mut highest = 0.0_f64;
    let mut nodes = Vec::new();
    let mut ends = 0.0;
    for side in [-1.0, 1.0] {
        // The centre belongs to the side that comes first.
        let mut steps = if side < 0.0 { 0 } else { 1 };
        loop {
            let place = peak.centre + side * step * steps as f64;
            if place <= low || place >= high || steps > MOST_STEPS {
                return Ok(None);
            }
            let sample = density(place)?;
            let value = sample.value;
            highest = highest.max(value);
            nodes.push((place, sample));
            if value <= 1e-2 * relative * highest && steps > 1 {
                ends += value * step;
                break;
            }
            steps += 1;
        }
    }
    if highest == 0.0 {
        return Ok(None);
    }
    nodes.sort_by(|a, b| a.0.total_cmp(&b.0));
    for halving in 0..=MOST_HALVINGS {
        // The rules with steps of twice and four times the length are there for nothing.
        let rule = |stride: usize| stride as f64 * step * nodes.iter().step_by(stride).map(|(_, sample)| sample.value).sum::<f64>();
        let (value, twice, four_times) = (rule(1), rule(2), rule(4));
        let (ratio, ratio_before) = ((value - twice).abs() / value, (twice - four_times).abs() / value);
        // Halving the steps at least squares the error of a smooth density, so that the change tells that of the longer steps. It
        // is believed, with less than the square, if the change before tells that the density is smooth: it only falls fourfold else.
        let smooth = ratio <= ratio_before.powf(1.5) && ratio < 1e-2;
        let rule_error = value * if smooth { ratio.min(3.0 * ratio.powf(1.5)) } else { ratio };
        if rule_error <= relative * value {
            let errors = step * nodes.iter().map(|(_, sample)| sample.error).sum::<f64>();
            let node = |(at, (place, sample)): (usize, (f64, Sample<T>))| {
                // Every other node is one of the coarser rule's, with twice the weight.
                let difference = if at % 2 == 0 { -step } else { step };
                Node { place, weight: step, difference, sample }
            };
            return Ok(Some(Grid { value, error: rule_error + errors + ends, nodes: nodes.into_iter().enumerate().map(node).collect() }));
        }
        if halving == MOST_HALVINGS || nodes.len() > 200 {
            break;
        }
        step *= 0.5;
        let mut finer = Vec::with_capacity(2 * nodes.len());
        for (place, sample) in nodes {
            if !finer.is_empty() {
                finer.push((place - step, density(place - step)?));
            }
            finer.push((place, sample));
        }
        nodes = finer;
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid(f: impl Fn(f64) -> f64, peak: Peak, relative: f64) -> Option<Grid<()>> {
        integrate_evenly(|z| Ok::<_, ()>(Sample { value: f(z), error: 0.0, kept: () }), (-1e100, 1e100), peak, relative).unwrap()
    }

    #[test]
    fn smooth_densities_need_few_values() {
        let truth = (2.0 * std::f64::consts::PI).sqrt();
        for (centre, width) in [(0.0, 1.0), (0.4, 1.0), (0.0, 1.5), (0.0, 0.7)] {
            let found = grid(|z| (-0.5 * z * z).exp(), Peak { centre, width }, 1e-6).unwrap();
            assert!(
                (found.value - truth).abs() <= found.error && found.error < 1e-5 && found.nodes.len() < 50,
                "{} {}",
                found.error,
                found.nodes.len()
            );
            let by_nodes: f64 = found.nodes.iter().map(|node| node.weight * node.sample.value).sum();
            assert!((by_nodes - found.value).abs() < 1e-12);
        }
        // The logarithm of a gamma: skewed, with one slow tail.
        let found = grid(|z| (2.0 * z - z.exp()).exp(), Peak { centre: 0.7, width: 0.7 }, 1e-6).unwrap();
        assert!((found.value - 1.0).abs() <= found.error, "{found:?}");
    }

    #[test]
    fn jumps_and_long_tails_are_left_to_others() {
        assert!(grid(|z| if z < 0.3 { 0.0 } else { (-z).exp() }, Peak { centre: 0.5, width: 1.0 }, 1e-6).is_none());
        assert!(grid(|z| 1.0 / (1.0 + z * z), Peak { centre: 0.0, width: 1.0 }, 1e-6).is_none());
        assert!(grid(|_| 0.0, Peak { centre: 0.0, width: 1.0 }, 1e-6).is_none());
    }
}
