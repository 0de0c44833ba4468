//! The shortest way through gates: a string pulled tight.
//!
//! The funnel of Lee & Preparata 1984 for gates that lie one below the other. From a bend all directions are kept that pass the gates so far;
//! where the next gate leaves none, the string bends at the gate's post that is in the way.

use super::bezier::Point;

/// What a way from above to below must pass: at this height between two posts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Gate {
    pub y: f64,
    pub low: f64,
    pub high: f64,
}

impl Gate {
    pub fn moved(self, [x, y]: Point) -> Self {
        Self { y: self.y + y, low: self.low + x, high: self.high + x }
    }
}

/// The bends of the shortest way from a point to one below it, both included. Gates are in order from above to below; those that are not
/// between the ends are left out.
pub(super) fn taut_string(from: Point, to: Point, gates: &[Gate]) -> Vec<Point> {
    let mut between: Vec<Gate> = gates.iter().copied().filter(|gate| gate.y > from[1] && gate.y < to[1]).collect();
    between.push(Gate { y: to[1], low: to[0], high: to[0] });
    let mut bends = vec![from];
    let mut next = 0;
    while next < between.len() {
        let [x, y] = bends[bends.len() - 1];
        // The flattest directions to either side, and the gates that they come from.
        let (mut least, mut most) = ((f64::NEG_INFINITY, next), (f64::INFINITY, next));
        let mut blocked = None;
        for (place, gate) in between.iter().enumerate().skip(next) {
            let down = gate.y - y;
            if down <= 0.0 {
                continue;
            }
            let (low, high) = ((gate.low - x) / down, (gate.high - x) / down);
            if low > most.0 {
                blocked = Some((most.1, between[most.1].high));
                break;
            }
            if high < least.0 {
                blocked = Some((least.1, between[least.1].low));
                break;
            }
            if low >= least.0 {
                least = (low, place);
            }
            if high <= most.0 {
                most = (high, place);
            }
        }
        let Some((place, x)) = blocked else { break };
        bends.push([x, between[place].y]);
        next = place + 1;
    }
    if bends[bends.len() - 1] != to {
        bends.push(to);
    }
    bends
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gate(y: f64, low: f64, high: f64) -> Gate {
        Gate { y, low, high }
    }

    #[test]
    fn a_string_bends_only_where_it_must() {
        let open = [gate(1.0, -5.0, 5.0), gate(2.0, 0.0, 9.0)];
        assert_eq!(taut_string([0.0, 0.0], [4.0, 4.0], &open), [[0.0, 0.0], [4.0, 4.0]]);
        let aside = [gate(1.0, 3.0, 9.0), gate(2.0, 3.0, f64::INFINITY), gate(3.0, -9.0, 1.0)];
        assert_eq!(taut_string([0.0, 0.0], [0.0, 4.0], &aside), [[0.0, 0.0], [3.0, 1.0], [3.0, 2.0], [1.0, 3.0], [0.0, 4.0]]);
        assert_eq!(taut_string([0.0, 0.0], [6.0, 4.0], &[gate(2.0, -1.0, 1.0), gate(9.0, 0.0, 0.0)]), [[0.0, 0.0], [1.0, 2.0], [6.0, 4.0]]);
    }
}
