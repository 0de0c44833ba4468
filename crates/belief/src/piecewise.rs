//! A density on the line known at the nodes of a quadrature: its mean, spread, quantiles, intervals and curve.
//!
//! On each piece the density is the polynomial through its 15 nodes, evaluated by the barycentric formula (Berrut & Trefethen 2004),
//! so that nothing that made the nodes need be asked again.

use crate::Support;
use crate::quadrature::{Integral, N_NODES, Peak, nodes, standard_node, weights};

/// A normalised density of one number.
#[derive(Clone, Debug)]
pub struct PiecewiseDensity {
    support: Support,
    pieces: Vec<Stretch>,
    /// The integral of the values as they are given.
    total: f64,
    /// The error of the integral, as a share of it.
    relative_error: f64,
    barycentric: [f64; N_NODES],
}

#[derive(Clone, Debug)]
struct Stretch {
    low: f64,
    high: f64,
    values: [f64; N_NODES],
    /// The mass before it and in it, as shares of the total.
    before: f64,
    mass: f64,
}

/// A number and a bound on its error.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounded {
    /// The number.
    pub value: f64,
    /// How far it may be off.
    pub error: f64,
}

impl PiecewiseDensity {
    /// From an integral over the line of a support; `None` if there is no mass.
    pub fn new<T>(support: Support, integral: &Integral<T>) -> Option<Self> {
        let total = integral.value;
        if !(total > 0.0 && total.is_finite()) {
            return None;
        }
        let mut before = 0.0;
        let pieces = integral.pieces.iter().map(|piece| {
            let mass = piece.value / total;
            let values = std::array::from_fn(|node| piece.samples[node].value);
            let stretch = Stretch { low: piece.low, high: piece.high, values, before, mass };
            before += mass;
            stretch
        });
        let pieces = pieces.collect();
        let barycentric = std::array::from_fn(|j| {
            let differences = (0..N_NODES).filter(|k| *k != j).map(|k| standard_node(j) - standard_node(k));
            1.0 / differences.product::<f64>()
        });
        Some(Self { support, pieces, total, relative_error: integral.error / total, barycentric })
    }

    /// Where it lives.
    pub fn support(&self) -> Support {
        self.support
    }

    /// The density at a value.
    pub fn pdf(&self, value: f64) -> f64 {
        if !self.support.contains(value) {
            return 0.0;
        }
        let z = self.support.place(value);
        self.pdf_on_line(z) * (-self.support.ln_jacobian(z)).exp()
    }

    /// The density on the line, at a place of it.
    pub(crate) fn pdf_on_line(&self, z: f64) -> f64 {
        let at = self.pieces.partition_point(|piece| piece.high < z);
        self.pieces.get(at).filter(|piece| piece.low <= z).map_or(0.0, |piece| self.interpolate(piece, z) / self.total)
    }

    /// The part of the line that holds the mass.
    pub(crate) fn extent(&self) -> (f64, f64) {
        let mut occupied = self.pieces.iter().filter(|piece| piece.mass > 0.0);
        let first = occupied.next();
        let last = occupied.next_back().or(first);
        (first.map_or(0.0, |piece| piece.low), last.map_or(0.0, |piece| piece.high))
    }

    /// The pieces that hold much, as peaks of a line.
    pub(crate) fn peaks(&self) -> Vec<Peak> {
        let much = self.pieces.iter().filter(|piece| piece.mass > 0.02);
        much.map(|piece| Peak { centre: 0.5 * (piece.low + piece.high), width: (piece.high - piece.low) / 6.0 }).collect()
    }

    /// P(at most the value).
    pub fn cdf(&self, value: f64) -> f64 {
        if value <= self.support.low() {
            return 0.0;
        }
        if value >= self.support.high() {
            return 1.0;
        }
        let below = self.below(self.support.place(value));
        if self.support.rises() { below } else { 1.0 - below }
    }

    /// The value with this much mass below it, for p between 0 and 1. At 0 and 1 that is where the density was left as empty.
    pub fn quantile(&self, p: f64) -> f64 {
        let p = if self.support.rises() { p } else { 1.0 - p }.clamp(0.0, 1.0);
        let occupied = || self.pieces.iter().filter(|piece| piece.mass > 0.0);
        let Some(piece) = occupied().find(|piece| piece.before + piece.mass >= p).or_else(|| occupied().next_back()) else {
            return f64::NAN;
        };
        let (mut low, mut high) = (piece.low, piece.high);
        for _ in 0..200 {
            let middle = 0.5 * low + 0.5 * high;
            if middle <= low || middle >= high {
                break;
            }
            if piece.before + self.partial(piece, middle) < p { low = middle } else { high = middle }
        }
        // An end of a piece is a jump, and exact; the support's own end is one too.
        self.support.value(0.5 * low + 0.5 * high)
    }

    /// The interval with the same mass on either side of it.
    pub fn equal_tailed(&self, level: f64) -> [f64; 2] {
        [self.quantile(0.5 - 0.5 * level), self.quantile(0.5 + 0.5 * level)]
    }

    /// The highest-density interval: the shortest that holds the level. (Of a density with several peaks it spans them.)
    ///
    /// Found among the intervals from quantile p to quantile p + level by a scan of p and golden sections.
    pub fn highest_density(&self, level: f64) -> [f64; 2] {
        const STEPS: usize = 100;
        let spare = 1.0 - level;
        let interval = |p: f64| [self.quantile(p), self.quantile(p + level)];
        let width = |p: f64| interval(p)[1] - interval(p)[0];
        let best = (0..=STEPS).map(|step| spare * step as f64 / STEPS as f64).map(|p| (width(p), p)).min_by(|a, b| a.0.total_cmp(&b.0));
        let Some((at_best, best)) = best else { return self.equal_tailed(level) };
        let step = spare / STEPS as f64;
        let (mut low, mut high) = ((best - step).max(0.0), (best + step).min(spare));
        const GOLDEN: f64 = 0.618_033_988_749_894_9;
        for _ in 0..40 {
            let (a, b) = (high - GOLDEN * (high - low), low + GOLDEN * (high - low));
            if width(a) <= width(b) { high = b } else { low = a }
        }
        let refined = 0.5 * low + 0.5 * high;
        interval(if width(refined) <= at_best { refined } else { best })
    }

    /// The mean, with its error; `None` if the tails are so heavy that there is none.
    pub fn mean(&self) -> Option<Bounded> {
        self.moment(|value| value)
    }

    /// The standard deviation, with its error; `None` if there is none.
    pub fn sd(&self) -> Option<Bounded> {
        let mean = self.mean()?.value;
        let variance = self.moment(|value| (value - mean) * (value - mean))?;
        let sd = variance.value.max(0.0).sqrt();
        Some(Bounded { value: sd, error: if sd > 0.0 { 0.5 * variance.error / sd } else { variance.error.sqrt() } })
    }

    /// The mean of a function of the value.
    fn moment(&self, f: impl Fn(f64) -> f64) -> Option<Bounded> {
        let of = |piece: &Stretch| {
            let (mut sum, mut size, mut difference) = (0.0, 0.0, 0.0);
            let at = nodes(piece.low, piece.high).into_iter().zip(weights(piece.low, piece.high)).zip(&piece.values);
            for ((z, (weight, less)), density) in at.filter(|(_, density)| **density > 0.0) {
                let term = f(self.support.value(z)) * density / self.total;
                sum += weight * term;
                size += weight * term.abs();
                difference += less * term;
            }
            let rule: f64 = if size > 0.0 { size * (200.0 * difference.abs() / size).powf(1.5).min(1.0) } else { 0.0 };
            (sum, size, rule)
        };
        let parts: Vec<(f64, f64, f64)> = self.pieces.iter().map(of).collect();
        let (value, size) = (parts.iter().map(|p| p.0).sum::<f64>(), parts.iter().map(|p| p.1).sum::<f64>());
        // What the outermost pieces hold is what a tail that goes on may hold too. If that is much, there is no such moment.
        let tails = parts.first().map_or(0.0, |p| p.1) + parts.last().map_or(0.0, |p| p.1);
        let rules: f64 = parts.iter().map(|p| p.2).sum();
        let tails = if parts.len() > 2 { tails } else { 0.0 };
        let exists = value.is_finite() && tails <= 1e-2 * size;
        exists.then_some(Bounded { value, error: rules + tails + 2.0 * self.relative_error * size + 4.0 * f64::EPSILON * size })
    }

    /// The density at `n_points` values that hold all but a thousandth of the mass, evenly spaced.
    pub fn curve(&self, n_points: usize) -> Vec<(f64, f64)> {
        let [low, high] = self.equal_tailed(0.999);
        self.curve_between(low, high, n_points)
    }

    /// The density at `n_points` evenly spaced values.
    pub fn curve_between(&self, low: f64, high: f64, n_points: usize) -> Vec<(f64, f64)> {
        let step = (high - low) / (n_points.max(2) - 1) as f64;
        (0..n_points).map(|i| low + step * i as f64).map(|value| (value, self.pdf(value))).collect()
    }

    /// The share of the mass at places up to z.
    fn below(&self, z: f64) -> f64 {
        let at = self.pieces.partition_point(|piece| piece.high < z);
        self.pieces.get(at).map_or(1.0, |piece| piece.before + if piece.low < z { self.partial(piece, z) } else { 0.0 })
    }

    /// The share of the mass of a piece up to a place in it. The rule is exact for the polynomial.
    fn partial(&self, piece: &Stretch, z: f64) -> f64 {
        let rule = nodes(piece.low, z).into_iter().zip(weights(piece.low, z));
        let share: f64 = rule.map(|(z, (weight, _))| weight * self.interpolate(piece, z)).sum::<f64>() / self.total;
        share.clamp(0.0, piece.mass)
    }

    fn interpolate(&self, piece: &Stretch, z: f64) -> f64 {
        let t = (z - 0.5 * (piece.low + piece.high)) / (0.5 * (piece.high - piece.low));
        let (mut above, mut below) = (0.0, 0.0);
        for (node, (value, weight)) in piece.values.iter().zip(&self.barycentric).enumerate() {
            let apart = t - standard_node(node);
            if apart == 0.0 {
                return *value;
            }
            above += weight / apart * value;
            below += weight / apart;
        }
        (above / below).max(0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::quadrature::{Sample, Tolerance, integrate};

    fn density(support: Support, ln_pdf: impl Fn(f64) -> f64, peak: f64) -> PiecewiseDensity {
        let on_line =
            |z: f64| Ok::<_, ()>(Sample { value: (ln_pdf(support.value(z)) + support.ln_jacobian(z)).exp(), error: 0.0, kept: () });
        let integral = integrate(on_line, support.line(), &[Peak { centre: support.place(peak), width: 1.0 }], Tolerance::default());
        PiecewiseDensity::new(support, &integral.unwrap()).unwrap()
    }

    /// The exponential's mean, sd, quantiles and intervals are known in closed form.
    #[test]
    fn an_exponential() {
        let found = density(Support::new(0.0, f64::INFINITY).unwrap(), |x| -2.0 * x, 0.5);
        for (moment, truth) in [(found.mean(), 0.5), (found.sd(), 0.5)] {
            let moment = moment.unwrap();
            assert!((moment.value - truth).abs() <= moment.error && moment.error < 1e-8, "{moment:?}");
        }
        assert!((found.quantile(0.9) - 10_f64.ln() / 2.0).abs() < 1e-9);
        assert!((found.cdf(1.0) - (1.0 - (-2.0_f64).exp())).abs() < 1e-10);
        let [low, high] = found.highest_density(0.95);
        assert!(low < 1e-9 && (high - 20_f64.ln() / 2.0).abs() < 1e-6, "{low} {high}");
        assert!((found.pdf(1.0) - 2.0 * (-2.0_f64).exp()).abs() < 1e-8);
    }

    /// A mirrored exponential lies on a line that falls.
    #[test]
    fn a_support_without_a_lower_end() {
        let found = density(Support::new(f64::NEG_INFINITY, 0.0).unwrap(), |x| 2.0 * x, -0.5);
        assert!((found.mean().unwrap().value + 0.5).abs() < 1e-9);
        assert!((found.quantile(0.1) + 10_f64.ln() / 2.0).abs() < 1e-9);
        assert!((found.cdf(-1.0) - (-2.0_f64).exp()).abs() < 1e-10);
    }

    #[test]
    fn heavy_tails_have_no_mean() {
        let cauchy = density(Support::REAL, |x| -(x * x).ln_1p(), 0.0);
        assert_eq!(cauchy.sd(), None);
        assert!((cauchy.quantile(0.75) - 1.0).abs() < 1e-9);
    }

    #[test]
    fn the_shortest_interval_of_a_normal_is_the_equal_tailed_one() {
        let normal = density(Support::REAL, |x| -0.5 * (x - 1.0) * (x - 1.0), 1.0);
        let (short, even) = (normal.highest_density(0.95), normal.equal_tailed(0.95));
        assert!((even[0] + 0.959_963_984_540_054).abs() < 1e-9, "{even:?}");
        assert!((short[0] - even[0]).abs() < 1e-4 && (short[1] - even[1]).abs() < 1e-4, "{short:?} {even:?}");
    }
}
