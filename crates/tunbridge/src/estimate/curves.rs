//! Prior, likelihood and posterior of a parameter as curves to be drawn.

use belief::distribution::Distribution;

use super::answer::Parameter;

/// Points of a curve, from left to right.
pub type Curve = Vec<[f64; 2]>;

/// The three curves of one parameter, over one range.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Curves {
    /// The parameter.
    pub parameter: String,
    /// The prior's density; empty where it has none.
    pub prior: Curve,
    /// The likelihood, other parameters at their best, scaled to an area of one over the range; empty without data.
    pub likelihood: Curve,
    /// The posterior's density.
    pub posterior: Curve,
    /// The range.
    pub range: [f64; 2],
}

/// The posterior after some rows.
#[derive(Clone, Debug, PartialEq)]
pub struct Frame {
    /// How many rows.
    pub n: usize,
    /// Its density; empty where it is improper.
    pub curve: Curve,
}

/// Points of a curve.
const POINTS: usize = 241;

/// Frames of an animation, at the most.
const MOST_FRAMES: usize = 100;

pub(super) fn curves(parameter: &Parameter, ln_likelihood: impl Fn(f64) -> Option<f64>) -> Curves {
    let Some(posterior) = &parameter.posterior else {
        return Curves { parameter: parameter.name.clone(), ..Curves::default() };
    };
    let range = range_of(&**posterior, parameter.prior.as_deref(), parameter.ml);
    let places = places(range);
    let likelihood = scaled_likelihood(&places, ln_likelihood);
    Curves {
        parameter: parameter.name.clone(),
        prior: parameter.prior.as_deref().map(|prior| density(prior, &places)).unwrap_or_default(),
        likelihood,
        posterior: density(&**posterior, &places),
        range,
    }
}

/// Places all over a range.
pub(super) fn places(range: [f64; 2]) -> Vec<f64> {
    let step = (range[1] - range[0]) / (POINTS - 1) as f64;
    (0..POINTS).map(|i| range[0] + i as f64 * step).collect()
}

/// A likelihood scaled to an area of one over the places, which are a step apart; nothing where it is the same everywhere.
pub(super) fn scaled_likelihood(places: &[f64], ln_likelihood: impl Fn(f64) -> Option<f64>) -> Curve {
    let ln: Vec<f64> = places.iter().map(|x| ln_likelihood(*x).filter(|ln| !ln.is_nan()).unwrap_or(f64::NEG_INFINITY)).collect();
    let highest = ln.iter().copied().filter(|ln| ln.is_finite()).fold(f64::NEG_INFINITY, f64::max);
    if !(highest.is_finite() && ln.iter().any(|x| *x < highest)) {
        return Curve::new();
    }
    let heights: Vec<f64> = ln.iter().map(|ln| if ln.is_finite() { (ln - highest).exp() } else { 0.0 }).collect();
    let area = heights.iter().sum::<f64>() * (places[1] - places[0]);
    places.iter().zip(heights).map(|(x, height)| [*x, height / area]).collect()
}

/// The density at these places. Where it is infinite it is left out; all probability in one place is an upright line.
fn density(of: &dyn Distribution, places: &[f64]) -> Curve {
    let [low, high] = of.support();
    if low == high {
        return vec![[low, 0.0], [low, f64::INFINITY]];
    }
    let mut curve: Curve = Vec::with_capacity(places.len() + 4);
    for x in places {
        // An edge of the support is drawn where it is, and not at the next place.
        for edge in [low, high] {
            if let Some([before, _]) = curve.last()
                && *before < edge
                && edge < *x
            {
                let height = of.ln_pdf(edge).exp();
                let outside = [edge, 0.0];
                let inside = [edge, height];
                curve.extend(if edge == low { [outside, inside] } else { [inside, outside] });
            }
        }
        curve.push([*x, of.ln_pdf(*x).exp()]);
    }
    curve.retain(|[_, height]| height.is_finite());
    curve
}

/// The posterior of a frame, over the range of the whole picture.
pub(super) fn frame_curve(of: &dyn Distribution, curves: &Curves) -> Curve {
    density(of, &places(curves.range))
}

/// Numbers of rows of which a frame is made: all of them up to a hundred, and of more rows some hundred numbers that grow by the same
/// factor, for a posterior sharpens most in the beginning.
pub(super) fn frame_rows(n: usize) -> Vec<usize> {
    if n <= MOST_FRAMES {
        return (0..=n).collect();
    }
    let last = (MOST_FRAMES - 1) as f64;
    let mut rows: Vec<usize> = (0..MOST_FRAMES).map(|i| (n as f64).powf(i as f64 / last).round() as usize).collect();
    rows.insert(0, 0);
    rows.dedup();
    rows
}

/// Where there is something to see: nearly all of the posterior and of the prior, unless that would make a needle of the posterior.
fn range_of(posterior: &dyn Distribution, prior: Option<&dyn Distribution>, ml: Option<f64>) -> [f64; 2] {
    const MOST_WIDTHS: f64 = 30.0;
    let middle = posterior.quantile(0.5);
    let [mut low, mut high] = [posterior.quantile(0.001), posterior.quantile(0.999)];
    let width = (posterior.quantile(0.75) - posterior.quantile(0.25)).max(f64::MIN_POSITIVE);
    let mut widen = |to: [f64; 2]| {
        if to.iter().all(|x| x.is_finite()) {
            low = low.min(to[0].max(middle - MOST_WIDTHS * width));
            high = high.max(to[1].min(middle + MOST_WIDTHS * width));
        }
    };
    if let Some(prior) = prior {
        widen([prior.quantile(0.005), prior.quantile(0.995)]);
    }
    if let Some(ml) = ml {
        widen([ml - width, ml + width]);
    }
    // A heavy tail is cut as well.
    low = low.max(middle - MOST_WIDTHS * width);
    high = high.min(middle + MOST_WIDTHS * width);
    if high <= low || high.is_nan() || low.is_nan() {
        // All probability is in one place.
        let size = if middle == 0.0 { 1.0 } else { 0.1 * middle.abs() };
        [low, high] = [middle - size, middle + size];
        if let Some(ml) = ml.filter(|ml| ml.is_finite()) {
            low = low.min(ml - size);
            high = high.max(ml + size);
        }
        return [low, high];
    }
    // Room beside the support, but not beyond what parameters can be.
    let [least, most] = prior.map_or_else(|| posterior.support(), Distribution::support);
    let room = 0.03 * (high - low);
    [
        if low - room < least && least.is_finite() { least } else { low - room },
        if high + room > most && most.is_finite() { most } else { high + room },
    ]
}
