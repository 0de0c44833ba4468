//! Adaptive quadrature of a density that has peaks: Gauss–Kronrod on pieces, the worst piece cut until the error is small.
//!
//! Piessens et al. 1983, *QUADPACK*: the 7-point Gauss rule inside the 15-point Kronrod rule tells the error of each piece
//! (`qk15`), the piece with the greatest error is halved (`qag`). Three things are added for densities. The first pieces stand
//! around the peaks that the caller names, growing threefold outward, so that no peak falls between the nodes however narrow it
//! is, and a tail of any weight is followed until it does not matter. A piece where the density jumps to zero is cut at the jump,
//! which is found by bisection. And each value may come with an error of its own, as it does when it is an integral itself.

/// Positive nodes of the 15-point Kronrod rule on [−1, 1], outermost first; the odd places are the 7-point Gauss rule's.
const NODES: [f64; 8] = [
    0.991_455_371_120_812_6,
    0.949_107_912_342_758_5,
    0.864_864_423_359_769_1,
    0.741_531_185_599_394_4,
    0.586_087_235_467_691_1,
    0.405_845_151_377_397_2,
    0.207_784_955_007_898_47,
    0.0,
];
const KRONROD: [f64; 8] = [
    0.022_935_322_010_529_224,
    0.063_092_092_629_978_55,
    0.104_790_010_322_250_18,
    0.140_653_259_715_525_92,
    0.169_004_726_639_267_9,
    0.190_350_578_064_785_4,
    0.204_432_940_075_298_9,
    0.209_482_141_084_727_83,
];
const GAUSS: [f64; 4] = [0.129_484_966_168_869_7, 0.279_705_391_489_276_7, 0.381_830_050_505_118_9, 0.417_959_183_673_469_4];

/// How many nodes a piece has.
pub const N_NODES: usize = 15;

/// Where to look first: a place of much mass, and how wide it is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Peak {
    /// The top.
    pub centre: f64,
    /// About a standard deviation, above zero.
    pub width: f64,
}

/// How exact an integral must be, and what it may cost.
///
/// | field | default | meaning | range |
/// |---|---|---|---|
/// | `relative` | 1e-10 | error over value at which to stop | 0 to 1 |
/// | `most_pieces` | 400 | pieces after which to stop, exact or not | 1 on |
/// | `patience` | 3 | pieces in a row that hold next to nothing before a tail is left | 1 on |
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tolerance {
    /// The error, as a share of the value, at which to stop.
    pub relative: f64,
    /// The number of pieces at which to stop.
    pub most_pieces: usize,
    /// The number of pieces in a row that hold next to nothing before a tail is left. With 1, a piece is only looked at in two
    /// places first.
    pub patience: usize,
}

impl Default for Tolerance {
    fn default() -> Self {
        Self { relative: 1e-10, most_pieces: 400, patience: 3 }
    }
}

/// A value of the integrand: the density there, how far off it may be, and whatever the caller wants to keep.
#[derive(Clone, Debug, Default)]
pub struct Sample<T> {
    /// At least zero.
    pub value: f64,
    /// A bound on the error of the value.
    pub error: f64,
    /// Kept beside the node.
    pub kept: T,
}

/// A stretch of the line with the integrand at the nodes of the rule.
#[derive(Clone, Debug)]
pub struct Piece<T> {
    /// Its beginning.
    pub low: f64,
    /// Its end.
    pub high: f64,
    /// The integrand at [`nodes`] of the piece.
    pub samples: Vec<Sample<T>>,
    /// Kronrod's value of the integral.
    pub value: f64,
    /// The bound on the error that the rule makes.
    pub rule_error: f64,
    /// The bound on the error that came with the values.
    pub value_error: f64,
}

/// An integral over a line.
#[derive(Clone, Debug)]
pub struct Integral<T> {
    /// The integral.
    pub value: f64,
    /// A bound on its error: the rules' estimates, the values' own errors, and what may lie beyond the ends that were reached.
    pub error: f64,
    /// Whether the tolerance was met.
    pub converged: bool,
    /// Whether the mass ran on to the end of the line without falling off: the integral may be infinite.
    pub runs_off: bool,
    /// The pieces, from low to high.
    pub pieces: Vec<Piece<T>>,
}

/// The nodes of the rule on a piece, from low to high.
pub fn nodes(low: f64, high: f64) -> [f64; N_NODES] {
    let (centre, half) = (0.5 * low + 0.5 * high, 0.5 * high - 0.5 * low);
    std::array::from_fn(|place| centre + half * standard_node(place))
}

/// Kronrod's weights on a piece, and their differences to Gauss', from low to high.
pub fn weights(low: f64, high: f64) -> [(f64, f64); N_NODES] {
    let half = 0.5 * high - 0.5 * low;
    std::array::from_fn(|place| {
        let at = place.min(N_NODES - 1 - place);
        let gauss = if at % 2 == 1 { GAUSS[at / 2] } else { 0.0 };
        (half * KRONROD[at], half * (KRONROD[at] - gauss))
    })
}

/// The place-th node on [−1, 1], from low to high.
pub(crate) fn standard_node(place: usize) -> f64 {
    if place < 8 { -NODES[place] } else { NODES[N_NODES - 1 - place] }
}

/// The integral of a density that is never negative over `low..high`, finite or not.
///
/// A density without a peak in the list may be missed: name them all. Infinite ends are walked to by pieces of threefold length, as
/// far as ±1e100.
///
/// **Complexity**: 15 values a piece, and some 60 for each jump.
///
/// # Errors
/// What the density says: the first error ends it.
///
/// ```
/// use tunbridge_belief::quadrature::{Peak, Sample, Tolerance, integrate};
/// let bell = |z: f64| Ok::<_, ()>(Sample { value: (-0.5 * z * z).exp(), error: 0.0, kept: () });
/// let found = integrate(bell, (f64::NEG_INFINITY, f64::INFINITY), &[Peak { centre: 0.0, width: 1.0 }], Tolerance::default())?;
/// assert!((found.value - (2.0 * std::f64::consts::PI).sqrt()).abs() < found.error);
/// assert!(found.error < 1e-9);
/// # Ok::<(), ()>(())
/// ```
pub fn integrate<T, E>(
    density: impl FnMut(f64) -> Result<Sample<T>, E>,
    (low, high): (f64, f64),
    peaks: &[Peak],
    tolerance: Tolerance,
) -> Result<Integral<T>, E> {
    let mut line = Line { density, pieces: Vec::new(), highest: 0.0, tolerance };
    let (low, high) = (low.max(-FARTHEST), high.min(FARTHEST));
    let mut peaks: Vec<Peak> = peaks.iter().filter(|peak| peak.centre.is_finite() && peak.width.is_finite()).copied().collect();
    peaks.iter_mut().for_each(|peak| peak.centre = peak.centre.clamp(low, high));
    peaks.sort_by(|a, b| a.centre.total_cmp(&b.centre));
    if peaks.is_empty() {
        peaks.push(Peak { centre: 0.0_f64.clamp(low, high), width: 1.0 });
    }
    // Between two peaks the cuts of both; outside the outermost they go on until what they hold does not matter.
    let (first, last) = (peaks[0], peaks[peaks.len() - 1]);
    let mut cuts: Vec<f64> = peaks.iter().map(|peak| peak.centre).collect();
    for peak in &peaks {
        for side in [-1.0, 1.0] {
            let along = |step: i32| peak.centre + side * spacing(peak.width, peak.centre) * FIRST * 3_f64.powi(step);
            cuts.extend((0..60).map(along).take_while(|cut| *cut > first.centre && *cut < last.centre));
        }
    }
    cuts.sort_by(f64::total_cmp);
    cuts.dedup();
    for pair in cuts.windows(2) {
        line.add(pair[0], pair[1], MOST_JUMPS)?;
    }
    let (below, off_below) = line.walk(first, low, -1.0)?;
    let (above, off_above) = line.walk(last, high, 1.0)?;
    line.refine()?;
    let mut pieces = line.pieces;
    pieces.sort_by(|a, b| a.low.total_cmp(&b.low));
    let value: f64 = pieces.iter().map(|piece| piece.value).sum();
    let rules: f64 = pieces.iter().map(|piece| piece.rule_error).sum();
    let values: f64 = pieces.iter().map(|piece| piece.value_error).sum();
    Ok(Integral {
        value,
        error: rules + values + below + above,
        converged: rules + below + above <= tolerance.relative * value,
        // A thousandth in the very last piece is no tail that ends: the mass goes on.
        runs_off: (off_below && below > 1e-3 * value) || (off_above && above > 1e-3 * value),
        pieces,
    })
}

/// Lines end here.
const FARTHEST: f64 = 1e100;
/// The first cut beside a peak, in its widths.
const FIRST: f64 = 3.0;
/// Jumps that are looked for in one piece.
const MOST_JUMPS: usize = 6;

/// A width that steps can be told apart by, beside this centre.
fn spacing(width: f64, centre: f64) -> f64 {
    width.abs().max(centre.abs() * 1e-15).max(1e-300)
}

struct Line<T, F> {
    density: F,
    pieces: Vec<Piece<T>>,
    /// The greatest value met.
    highest: f64,
    tolerance: Tolerance,
}

impl<T, E, F: FnMut(f64) -> Result<Sample<T>, E>> Line<T, F> {
    /// Pieces from a peak outward, until three hold next to nothing or the end is reached. What the last one held, and whether the
    /// end was reached.
    fn walk(&mut self, peak: Peak, end: f64, side: f64) -> Result<(f64, bool), E> {
        let mut from = peak.centre;
        let (mut length, mut empty) = (FIRST * spacing(peak.width, peak.centre), 0);
        let mut held = 0.0;
        while (end - from) * side > 0.0 {
            let beyond = (from + side * length - end) * side >= 0.0;
            let to = if beyond { end } else { from + side * length };
            if self.tolerance.patience == 1 && self.is_bare(from, to)? {
                return Ok((0.0, false));
            }
            let before = self.pieces.len();
            self.add(from.min(to), from.max(to), MOST_JUMPS)?;
            held = self.pieces[before..].iter().map(|piece| piece.value).sum();
            let total: f64 = self.pieces.iter().map(|piece| piece.value).sum();
            let negligible = held <= self.tolerance.relative * 0.1 * total;
            empty = if negligible { empty + 1 } else { 0 };
            if empty >= self.tolerance.patience {
                return Ok((held, false));
            }
            (from, length) = (to, 2.0 * (to - peak.centre).abs());
        }
        let at_a_true_end = end.abs() < FARTHEST;
        Ok(if at_a_true_end { (0.0, false) } else { (held, true) })
    }

    /// Whether a piece looks empty from its near end and its middle.
    fn is_bare(&mut self, near: f64, far: f64) -> Result<bool, E> {
        let bare = self.highest * self.tolerance.relative * 1e-3;
        Ok((self.density)(near)?.value <= bare && (self.density)(0.5 * near + 0.5 * far)?.value <= bare)
    }

    /// Adds the piece, cut at the jumps that show in it.
    fn add(&mut self, low: f64, high: f64, jumps: usize) -> Result<(), E> {
        if !(nodes(low, high)[0] > low && nodes(low, high)[N_NODES - 1] < high) {
            // Too short for a double; what it holds is below the rounding of its ends.
            return Ok(());
        }
        let mut samples = Vec::with_capacity(N_NODES);
        for node in nodes(low, high) {
            samples.push((self.density)(node)?);
        }
        let tallest = samples.iter().map(|sample| sample.value).fold(0.0, f64::max);
        self.highest = self.highest.max(tallest);
        if jumps > 0
            && samples.iter().any(|sample| sample.value == 0.0)
            && let Some(jump) = self.jump(low, high, &samples)?
        {
            self.add(low, jump, jumps - 1)?;
            return self.add(jump, high, jumps - 1);
        }
        self.pieces.push(measure(low, high, samples));
        Ok(())
    }

    /// The first place in the piece where the density steps between zero and much, to the last bit.
    fn jump(&mut self, low: f64, high: f64, samples: &[Sample<T>]) -> Result<Option<f64>, E> {
        let much = self.highest * 1e-10;
        let mut left = (low, (self.density)(low.next_up())?.value);
        let inner = nodes(low, high).into_iter().zip(samples.iter().map(|sample| sample.value));
        let ends = (high, (self.density)(high.next_down())?.value);
        for right in inner.chain([ends]) {
            if (left.1 == 0.0 && right.1 > much) || (right.1 == 0.0 && left.1 > much) {
                let (mut zero, mut some) = if left.1 == 0.0 { (left.0, right.0) } else { (right.0, left.0) };
                loop {
                    let middle = 0.5 * zero + 0.5 * some;
                    if middle == zero || middle == some {
                        break;
                    }
                    if (self.density)(middle)?.value == 0.0 { zero = middle } else { some = middle }
                }
                // A jump at the piece's own end is no reason to cut it.
                return Ok((some > low.next_up() && some < high.next_down()).then_some(some));
            }
            left = right;
        }
        Ok(None)
    }

    /// Halves the piece with the greatest error until the errors together are small.
    fn refine(&mut self) -> Result<(), E> {
        while self.pieces.len() < self.tolerance.most_pieces {
            let value: f64 = self.pieces.iter().map(|piece| piece.value).sum();
            let error: f64 = self.pieces.iter().map(|piece| piece.rule_error).sum();
            if error <= self.tolerance.relative * value {
                return Ok(());
            }
            let worst = (0..self.pieces.len()).max_by(|&a, &b| self.pieces[a].rule_error.total_cmp(&self.pieces[b].rule_error));
            let Some(piece) = worst.map(|at| self.pieces.swap_remove(at)) else { return Ok(()) };
            let middle = 0.5 * piece.low + 0.5 * piece.high;
            let n = self.pieces.len();
            self.add(piece.low, middle, 1)?;
            self.add(middle, piece.high, 1)?;
            if self.pieces.len() < n + 2 {
                // Too short to be halved: its error stays.
                self.pieces.truncate(n);
                self.pieces.push(piece);
                return Ok(());
            }
        }
        Ok(())
    }
}

/// The rule on a piece: QUADPACK's `qk15`, with its estimate of the error.
fn measure<T>(low: f64, high: f64, samples: Vec<Sample<T>>) -> Piece<T> {
    let weights = weights(low, high);
    let pairs = || samples.iter().zip(&weights);
    let value: f64 = pairs().map(|(sample, (kronrod, _))| kronrod * sample.value).sum();
    let difference: f64 = pairs().map(|(sample, (_, difference))| difference * sample.value).sum::<f64>().abs();
    let mean = value / (high - low);
    let spread: f64 = pairs().map(|(sample, (kronrod, _))| kronrod * (sample.value - mean).abs()).sum();
    // Nodes are rounded as all doubles are: on a short piece far from 0 that moves them by a share of its length.
    let rounding = f64::EPSILON * low.abs().max(high.abs()) / (high - low) * spread;
    let value_error = pairs().map(|(sample, (kronrod, _))| kronrod * sample.error).sum::<f64>() + rounding;
    let scaled = if spread > 0.0 && difference > 0.0 { spread * (200.0 * difference / spread).powf(1.5).min(1.0) } else { difference };
    Piece { low, high, rule_error: scaled.max(50.0 * f64::EPSILON * value), value_error, value, samples }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(f: impl Fn(f64) -> f64, range: (f64, f64), peaks: &[Peak]) -> Integral<()> {
        integrate(|z| Ok::<_, ()>(Sample { value: f(z), error: 0.0, kept: () }), range, peaks, Tolerance::default()).unwrap()
    }

    /// Peaks, kinks, jumps, singular ends, heavy tails: the true error is within the reported one, and that is small.
    #[test]
    fn the_true_error_is_within_the_reported_one() {
        let pi = std::f64::consts::PI;
        let inf = f64::INFINITY;
        let at = |centre, width| Peak { centre, width };
        type Case = (&'static str, Box<dyn Fn(f64) -> f64>, (f64, f64), Vec<Peak>, f64, f64);
        let cases: Vec<Case> = vec![
            (
                "a narrow bell",
                Box::new(|z| (-0.5 * ((z - 3.0) / 1e-9).powi(2)).exp()),
                (-inf, inf),
                vec![at(3.0, 1e-9)],
                1e-9 * (2.0 * pi).sqrt(),
                1e-6,
            ),
            ("a kink", Box::new(|z| (-(z - 0.3_f64).abs()).exp()), (-inf, inf), vec![at(0.0, 1.0)], 2.0, 1e-9),
            ("a jump", Box::new(|z| if z < 1.7 { 0.0 } else { z.powi(-3) }), (0.0, inf), vec![at(2.0, 1.0)], 0.5 / (1.7 * 1.7), 1e-9),
            (
                "a jump at the peak",
                Box::new(|z| if z < 1.7 { 0.0 } else { z.powi(-3) }),
                (0.0, 10.0),
                vec![at(1.7 + 1e-9, 0.5)],
                0.5 / (1.7 * 1.7) - 0.005,
                1e-9,
            ),
            ("a root at the end", Box::new(|z| z.powf(-0.5)), (0.0, 1.0), vec![at(0.5, 0.2)], 2.0, 1e-7),
            ("Cauchy's tails", Box::new(move |z| 1.0 / (pi * (1.0 + z * z))), (-inf, inf), vec![at(0.0, 1.0)], 1.0, 1e-8),
            ("a slow tail", Box::new(|z| if z < 1.0 { 0.0 } else { 0.2 * z.powf(-1.2) }), (0.0, inf), vec![at(1.0, 1.0)], 1.0, 1e-6),
            (
                "two peaks far apart",
                Box::new(|z| (-0.5 * (z / 1e-3).powi(2)).exp() + (-0.5 * ((z - 1e3) / 1e-3).powi(2)).exp()),
                (-inf, inf),
                vec![at(0.0, 1e-3), at(1e3, 1e-3)],
                2e-3 * (2.0 * pi).sqrt(),
                1e-9,
            ),
            (
                "a peak a little off",
                Box::new(|z| (-0.5 * ((z - 3.02) / 1e-2).powi(2)).exp()),
                (-inf, inf),
                vec![at(3.0, 5e-2)],
                1e-2 * (2.0 * pi).sqrt(),
                1e-9,
            ),
        ];
        for (name, f, range, peaks, truth, most) in cases {
            let found = plain(f, range, &peaks);
            let off = (found.value - truth).abs();
            assert!(off <= found.error + 1e-15 * truth, "{name}: {} is off by {off:e}, not by {:e} at most", found.value, found.error);
            assert!(found.error <= most * truth, "{name}: the bound {:e} is wide", found.error);
            assert!(!found.runs_off, "{name}");
        }
    }

    #[test]
    fn mass_without_end_runs_off() {
        let flat = plain(|_| 1.0, (f64::NEG_INFINITY, f64::INFINITY), &[Peak { centre: 0.0, width: 1.0 }]);
        assert!(flat.runs_off);
        let slow = plain(|z| 1.0 / (1.0 + z.abs()), (f64::NEG_INFINITY, f64::INFINITY), &[Peak { centre: 0.0, width: 1.0 }]);
        assert!(slow.runs_off);
    }

    #[test]
    fn the_rule_is_exact_for_polynomials_to_degree_22() {
        for degree in 0..=22 {
            let total: f64 = nodes(0.0, 1.0).iter().zip(weights(0.0, 1.0)).map(|(z, (weight, _))| weight * z.powi(degree)).sum();
            assert!((total - 1.0 / f64::from(degree + 1)).abs() < 1e-15, "{degree}");
        }
    }
}
