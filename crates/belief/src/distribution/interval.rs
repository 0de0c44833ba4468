//! Credible intervals: where the parameter lies with a given probability.

use super::Distribution;

/// Which of the intervals that hold a given probability.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum IntervalKind {
    /// As much probability below it as above it.
    #[default]
    EqualTailed,
    /// The shortest one: of a density with one peak, the region of highest density.
    HighestDensity,
}

/// The interval that holds the probability `mass`; of whole numbers at least that much.
///
/// ```
/// use tunbridge_belief::distribution::{Gamma, IntervalKind, credible_interval};
/// let waiting = Gamma::new(1.0, 1.0)?;
/// let [low, high] = credible_interval(&waiting, 0.95, IntervalKind::HighestDensity);
/// assert!(low < 1e-12 && (high - 20f64.ln()).abs() < 1e-9);
/// # Ok::<(), tunbridge_belief::distribution::ImpossibleParameter>(())
/// ```
pub fn credible_interval(of: &dyn Distribution, mass: f64, kind: IntervalKind) -> [f64; 2] {
    let tail = (1.0 - mass) / 2.0;
    match kind {
        IntervalKind::EqualTailed => [of.quantile(tail), of.quantile(1.0 - tail)],
        IntervalKind::HighestDensity if of.is_discrete() => shortest_of_whole_numbers(of, mass),
        IntervalKind::HighestDensity => shortest(of, mass),
    }
}

/// The value with the share p of some draws below it, between draws by a straight line (Hyndman & Fan 1996, definition 7). The draws
/// are sorted, and there is one at least.
pub fn quantile_of_draws(sorted: &[f64], p: f64) -> f64 {
    let at = p.clamp(0.0, 1.0) * (sorted.len() - 1) as f64;
    let (low, share) = (at.floor() as usize, at.fract());
    let high = (low + 1).min(sorted.len() - 1);
    sorted[low] + share * (sorted[high] - sorted[low])
}

/// The interval that holds the share `mass` of some draws: between two quantiles, or the shortest one (Chen & Shao 1999). The draws
/// are sorted, and there is one at least.
///
/// ```
/// use tunbridge_belief::distribution::{IntervalKind, interval_of_draws};
/// let draws = [0.0, 1.0, 1.1, 1.2, 1.3, 9.0];
/// assert_eq!(interval_of_draws(&draws, 0.6, IntervalKind::HighestDensity), [1.0, 1.3]);
/// assert_eq!(interval_of_draws(&draws, 0.6, IntervalKind::EqualTailed), [1.0, 1.3]);
/// assert_eq!(interval_of_draws(&draws, 1.0, IntervalKind::EqualTailed), [0.0, 9.0]);
/// ```
pub fn interval_of_draws(sorted: &[f64], mass: f64, kind: IntervalKind) -> [f64; 2] {
    if kind == IntervalKind::EqualTailed {
        return [quantile_of_draws(sorted, 0.5 - 0.5 * mass), quantile_of_draws(sorted, 0.5 + 0.5 * mass)];
    }
    let n = sorted.len();
    let held = ((mass.clamp(0.0, 1.0) * n as f64).ceil() as usize).clamp(1, n);
    let intervals = (0..=n - held).map(|low| [sorted[low], sorted[low + held - 1]]);
    intervals.min_by(|a, b| (a[1] - a[0]).total_cmp(&(b[1] - b[0]))).unwrap_or([sorted[0], sorted[n - 1]])
}

/// The interval from the quantile of t to that of t + mass is shortest where the density is the same at both ends: there the
/// derivative of its length by t is zero. Where the density is lower at the left end the interval should move right.
fn shortest(of: &dyn Distribution, mass: f64) -> [f64; 2] {
    let interval = |t: f64| [of.quantile(t), of.quantile((t + mass).min(1.0))];
    let length = |[low, high]: [f64; 2]| high - low;
    let (mut left, mut right) = (0.0, 1.0 - mass);
    for _ in 0..60 {
        let t = 0.5 * (left + right);
        let [low, high] = interval(t);
        if of.ln_pdf(low) < of.ln_pdf(high) { left = t } else { right = t }
    }
    // A density with two peaks has its shortest interval at an end, or not at all by this rule: the best of what is known is given.
    let ends = [interval(0.5 * (left + right)), interval(0.0), interval(1.0 - mass)];
    let tail = (1.0 - mass) / 2.0;
    ends.into_iter()
        .filter(|ends| length(*ends).is_finite())
        .min_by(|a, b| length(*a).total_cmp(&length(*b)))
        .unwrap_or_else(|| interval(tail))
}

/// The shortest run of whole numbers with that much probability, of equals the most probable one.
fn shortest_of_whole_numbers(of: &dyn Distribution, mass: f64) -> [f64; 2] {
    let mut best = [of.quantile(0.0), of.quantile(mass)];
    let probability = |[low, high]: [f64; 2]| of.cdf(high) - of.cdf(low - 1.0);
    let last = of.quantile(1.0 - mass);
    let mut low = best[0];
    // A run that starts beyond a million whole numbers is not looked for one by one.
    let step = ((last - low) / 1e4).ceil().max(1.0);
    while low < last {
        low += step;
        let reach = (of.cdf(low - 1.0) + mass).min(1.0);
        let run = [low, of.quantile(reach)];
        if run[1].is_infinite() || run[1] >= 9e15 {
            break;
        }
        let shorter = run[1] - run[0] < best[1] - best[0];
        let as_short = run[1] - run[0] == best[1] - best[0];
        if probability(run) >= mass - 1e-12 && (shorter || as_short && probability(run) > probability(best)) {
            best = run;
        }
    }
    best
}
