//! What is drawn: named curves over two axes.

/// Named curves over two axes.
#[derive(Clone, Debug, Default)]
pub struct Figure {
    /// Above the picture.
    pub title: String,
    /// Below the axis from left to right.
    pub x_label: String,
    /// Beside the axis from bottom to top.
    pub y_label: String,
    /// The curves; later ones are drawn over earlier ones.
    pub series: Vec<Series>,
    /// What the axis from left to right covers; `None` is what the curves need.
    pub x_range: Option<[f64; 2]>,
    /// How high the upright axis goes from zero; `None` is what the curves need.
    pub y_most: Option<f64>,
}

/// One curve.
#[derive(Clone, Debug)]
pub struct Series {
    /// Its name.
    pub name: String,
    /// Points from left to right. A height that is not finite goes beyond the picture.
    pub points: Vec<[f64; 2]>,
    /// How it is drawn.
    pub stroke: Stroke,
    /// Its colour, by its place among those that there are.
    pub colour: usize,
}

/// How a curve is drawn, so that it is known from others without colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stroke {
    Solid,
    Dashed,
    Dotted,
}

impl Figure {
    /// What the axis from left to right covers.
    pub fn x_range(&self) -> [f64; 2] {
        let all = || self.series.iter().flat_map(|series| &series.points).map(|[x, _]| *x).filter(|x| x.is_finite());
        let [low, high] = self.x_range.unwrap_or_else(|| [all().fold(f64::INFINITY, f64::min), all().fold(f64::NEG_INFINITY, f64::max)]);
        match (low.is_finite() && high.is_finite(), high > low) {
            (true, true) => [low, high],
            // One place: some room around it.
            (true, false) => [low - 0.5 * low.abs().max(1.0), low + 0.5 * low.abs().max(1.0)],
            _ => [0.0, 1.0],
        }
    }

    /// How high the upright axis goes.
    pub fn y_most(&self) -> f64 {
        let heights = self.series.iter().flat_map(|series| &series.points).map(|[_, y]| *y).filter(|y| y.is_finite());
        let most = self.y_most.unwrap_or_else(|| 1.05 * heights.fold(0.0, f64::max));
        if most > 0.0 && most.is_finite() { most } else { 1.0 }
    }
}

/// Round numbers within a range, about so many: steps of 1, 2 or 5 times a power of ten.
pub fn ticks([low, high]: [f64; 2], about: usize) -> Vec<f64> {
    let rough = (high - low) / about.max(1) as f64;
    if !(rough > 0.0 && rough.is_finite()) {
        return vec![low];
    }
    let power = 10f64.powi(rough.log10().floor() as i32);
    // Whole multiples, so that a tick is a round number and not the sum of many steps.
    let of_step = |step: f64| -> Vec<f64> {
        let first = (low / step).ceil();
        let multiples = (0..=8 * about.max(1)).map(|i| (first + i as f64) * step).take_while(|x| *x <= high + 1e-9 * step);
        multiples.map(|x| if x.abs() < 1e-9 * step { 0.0 } else { x }).collect()
    };
    let enough = (0.7 * about as f64).max(2.0);
    let steps = [10.0, 5.0, 2.0, 1.0, 0.5].into_iter().map(|times| of_step(times * power));
    steps.into_iter().find(|ticks| ticks.len() as f64 >= enough).unwrap_or_else(|| of_step(0.2 * power))
}

/// A tick's number, with as many digits as the distance to the next needs.
pub fn tick_text(x: f64, all: &[f64]) -> String {
    let step = all.windows(2).map(|pair| pair[1] - pair[0]).fold(f64::INFINITY, f64::min);
    let size = all.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
    if !step.is_finite() {
        return crate::figures::number(x);
    }
    if !(1e-4..1e7).contains(&size) {
        let digits = (size.log10().floor() - step.log10().floor()).clamp(0.0, 12.0) as usize;
        return format!("{x:.digits$e}");
    }
    let digits = (-(step * 1.000_001).log10().floor()).clamp(0.0, 12.0) as usize;
    format!("{x:.digits$}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_within_the_range() {
        assert_eq!(ticks([0.0, 1.0], 5), [0.0, 0.2, 0.4, 0.6000000000000001, 0.8, 1.0]);
        assert_eq!(ticks([163.2, 181.9], 4), [165.0, 170.0, 175.0, 180.0]);
        assert_eq!(ticks([-3.0, 3.0], 3), [-2.0, 0.0, 2.0]);
        assert_eq!(ticks([1.0, 1.0], 3), [1.0]);
        let all = ticks([0.0, 1.0], 5);
        assert_eq!(all.iter().map(|x| tick_text(*x, &all)).collect::<Vec<_>>(), ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
        let large = ticks([1.2e9, 1.9e9], 3);
        assert_eq!(tick_text(large[0], &large), "1.2e9");
    }

    #[test]
    fn a_figure_of_nothing_has_axes() {
        let figure = Figure::default();
        assert_eq!((figure.x_range(), figure.y_most()), ([0.0, 1.0], 1.0));
    }
}
