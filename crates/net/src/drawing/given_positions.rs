//! Positions that somebody gave: used as they are, or stretched until no box lies on another.

use super::bezier::Point;

/// What is left free between boxes.
const APART: f64 = 12.0;

/// Beyond this the positions are those of another picture.
const MOST: f64 = 12.0;

/// The positions, all multiplied by the least number from one that keeps boxes of these sizes apart; nothing when it would be a large one,
/// as when two variables share a place. The first corner of the boxes is brought to the origin.
pub(super) fn stretched(positions: &[Point], sizes: &[Point]) -> Option<Vec<Point>> {
    let mut factor = 1.0_f64;
    for (place, at) in positions.iter().enumerate() {
        for (other, at_other) in positions.iter().enumerate().take(place) {
            let needed = |axis: usize| {
                let wanted = (sizes[place][axis] + sizes[other][axis]) / 2.0 + APART;
                wanted / (at[axis] - at_other[axis]).abs()
            };
            factor = factor.max(needed(0).min(needed(1)));
        }
    }
    if factor > MOST {
        return None;
    }
    let corner = [0, 1].map(|axis| {
        let starts = positions.iter().zip(sizes).map(|(at, size)| factor * at[axis] - size[axis] / 2.0);
        starts.fold(f64::INFINITY, f64::min)
    });
    Some(positions.iter().map(|at| [factor * at[0] - corner[0], factor * at[1] - corner[1]]).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes_that_would_lie_on_each_other_are_drawn_apart() {
        let sizes = [[40.0, 20.0]; 3];
        let far = [[0.0, 0.0], [100.0, 0.0], [0.0, 90.0]];
        assert_eq!(stretched(&far, &sizes).unwrap(), [[20.0, 10.0], [120.0, 10.0], [20.0, 100.0]]);
        let near = [[0.0, 0.0], [26.0, 0.0], [0.0, 90.0]];
        assert_eq!(stretched(&near, &sizes).unwrap(), [[20.0, 10.0], [72.0, 10.0], [20.0, 190.0]]);
        assert_eq!(stretched(&[[1.0, 1.0]; 3], &sizes), None);
    }
}
