//! Cubic Bézier curves, as far as arcs need them: joined to a chain, cut at a border, tried against boxes.

/// A place in the picture.
pub(super) type Point = [f64; 2];

/// A cubic curve by its control points.
pub(super) type Cubic = [Point; 4];

pub(super) fn minus(a: Point, b: Point) -> Point {
    [a[0] - b[0], a[1] - b[1]]
}

pub(super) fn length(a: Point) -> f64 {
    // Not `hypot`, whose last bit is another on other machines.
    (a[0] * a[0] + a[1] * a[1]).sqrt()
}

/// The point that lies so much of the way from one to another.
pub(super) fn between(a: Point, b: Point, share: f64) -> Point {
    [a[0] + (b[0] - a[0]) * share, a[1] + (b[1] - a[1]) * share]
}

/// A straight line as a curve.
pub(super) fn line(a: Point, b: Point) -> Cubic {
    [a, between(a, b, 1.0 / 3.0), between(a, b, 2.0 / 3.0), b]
}

/// Whether a curve goes straight on.
pub(super) fn is_straight([a, b, c, d]: Cubic) -> bool {
    let [x, y] = minus(d, a);
    let off = |point: Point| {
        let [px, py] = minus(point, a);
        (px * y - py * x).abs()
    };
    off(b) + off(c) <= 1e-6 * (x * x + y * y)
}

pub(super) fn at(curve: &Cubic, t: f64) -> Point {
    split(curve, t).0[3]
}

/// Both parts of a curve (de Casteljau).
pub(super) fn split([a, b, c, d]: &Cubic, t: f64) -> (Cubic, Cubic) {
    let (ab, bc, cd) = (between(*a, *b, t), between(*b, *c, t), between(*c, *d, t));
    let (abc, bcd) = (between(ab, bc, t), between(bc, cd, t));
    let middle = between(abc, bcd, t);
    ([*a, ab, abc, middle], [middle, bcd, cd, *d])
}

/// Where on a curve something begins to hold that does not at its start and does at its end.
pub(super) fn first_time(curve: &Cubic, holds: impl Fn(Point) -> bool) -> f64 {
    let (mut before, mut after) = (0.0, 1.0);
    for _ in 0..40 {
        let middle = (before + after) / 2.0;
        if holds(at(curve, middle)) { after = middle } else { before = middle }
    }
    (before + after) / 2.0
}

/// Straight lines through points, with corners of this radius at most.
pub(super) fn rounded(points: &[Point], radius: f64) -> Vec<Cubic> {
    let last = points.len() - 1;
    let mut curve = Vec::with_capacity(2 * last);
    let mut from = points[0];
    for place in 1..last {
        let corner = points[place];
        let (back, ahead) = (length(minus(points[place - 1], corner)), length(minus(points[place + 1], corner)));
        let cut = radius.min(back / 2.0).min(ahead / 2.0);
        let before = between(corner, points[place - 1], if back > 0.0 { cut / back } else { 0.0 });
        let after = between(corner, points[place + 1], if ahead > 0.0 { cut / ahead } else { 0.0 });
        curve.push(line(from, before));
        curve.push([before, between(before, corner, 2.0 / 3.0), between(after, corner, 2.0 / 3.0), after]);
        from = after;
    }
    curve.push(line(from, points[last]));
    curve
}

/// A box by its first and last corner.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Rectangle {
    pub from: Point,
    pub to: Point,
}

impl Rectangle {
    pub fn around(centre: Point, size: Point) -> Self {
        let half = [size[0] / 2.0, size[1] / 2.0];
        Self { from: minus(centre, half), to: [centre[0] + half[0], centre[1] + half[1]] }
    }

    pub fn grown(self, by: f64) -> Self {
        Self { from: [self.from[0] - by, self.from[1] - by], to: [self.to[0] + by, self.to[1] + by] }
    }

    /// Whether a straight line goes through its inside (Liang & Barsky 1984).
    pub fn is_met_by(&self, a: Point, b: Point) -> bool {
        let (mut enters, mut leaves) = (0.0_f64, 1.0_f64);
        for axis in 0..2 {
            let step = b[axis] - a[axis];
            let (low, high) = (self.from[axis] - a[axis], self.to[axis] - a[axis]);
            if step == 0.0 {
                if low >= 0.0 || high <= 0.0 {
                    return false;
                }
            } else {
                let (first, second) = (low / step, high / step);
                enters = enters.max(first.min(second));
                leaves = leaves.min(first.max(second));
            }
        }
        enters < leaves
    }

    pub fn is_met_by_curve(&self, curve: &Cubic) -> bool {
        const STEPS: usize = 16;
        if is_straight(*curve) {
            return self.is_met_by(curve[0], curve[3]);
        }
        // A curve lies within the box around its control points.
        let beside = |axis: usize| {
            curve.iter().all(|point| point[axis] <= self.from[axis]) || curve.iter().all(|point| point[axis] >= self.to[axis])
        };
        if beside(0) || beside(1) {
            return false;
        }
        let mut from = curve[0];
        (1..=STEPS).any(|step| {
            let to = at(curve, step as f64 / STEPS as f64);
            let met = self.is_met_by(from, to);
            from = to;
            met
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_meet_boxes_only_inside() {
        let square = Rectangle::around([0.0, 0.0], [2.0, 2.0]);
        assert!(square.is_met_by([-2.0, -2.0], [2.0, 2.0]));
        assert!(square.is_met_by([0.0, 0.0], [0.1, 0.1]));
        assert!(!square.is_met_by([1.0, -2.0], [1.0, 2.0]));
        assert!(!square.is_met_by([-2.0, 0.0], [-1.5, 0.0]));
    }

    #[test]
    fn round_corners_lie_inside_and_go_down() {
        let points = [[0.0, 0.0], [50.0, 5.0], [50.0, 60.0], [0.0, 100.0]];
        let curve = rounded(&points, 10.0);
        assert_eq!((curve[0][0], curve[curve.len() - 1][3]), (points[0], points[3]));
        let heights: Vec<f64> = curve.iter().flatten().map(|point| point[1]).collect();
        assert!(heights.windows(2).all(|pair| pair[0] <= pair[1]), "{heights:?}");
        assert!(curve.windows(2).all(|pair| pair[0][3] == pair[1][0]));
        let corner = at(&curve[1], 0.5);
        assert!(length(minus(corner, points[1])) < 10.0 && corner[0] < 50.0);
    }

    #[test]
    fn a_curve_is_cut_where_it_says() {
        let curve = line([0.0, 0.0], [10.0, 0.0]);
        let t = first_time(&curve, |[x, _]| x > 7.0);
        assert!((split(&curve, t).1[0][0] - 7.0).abs() < 1e-9);
    }
}
