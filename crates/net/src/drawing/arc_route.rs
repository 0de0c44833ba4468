//! The way of an arc: straight where nothing is in between, else around it in smooth bends.
//!
//! A layered layout gives the gates that an arc passes. A string pulled through them ([`super::taut_string`]) has few bends, and these are
//! smoothed as far as no box is met.

use super::bezier::{Cubic, Point, Rectangle, between, first_time, length, line, minus, rounded, split};
use super::isotonic::spread;
use super::taut_string::{Gate, taut_string};

/// What a node looks like from outside.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Outline {
    Box,
    Ellipse,
}

/// A node in its place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Placed {
    pub centre: Point,
    pub size: Point,
    pub outline: Outline,
}

impl Placed {
    pub fn rectangle(&self) -> Rectangle {
        Rectangle::around(self.centre, self.size)
    }

    fn holds(&self, point: Point) -> bool {
        let [x, y] = minus(point, self.centre);
        let (x, y) = (2.0 * x.abs() / self.size[0], 2.0 * y.abs() / self.size[1]);
        match self.outline {
            Outline::Box => x <= 1.0 && y <= 1.0,
            Outline::Ellipse => x * x + y * y <= 1.0,
        }
    }

    /// Where arcs leave below (1) or come in from above (−1): so far aside on the border of a box, and the middle of an ellipse, of which
    /// they are cut off at the border.
    fn port(&self, side: f64, aside: f64) -> Point {
        match self.outline {
            Outline::Ellipse => self.centre,
            Outline::Box => [self.centre[0] + aside, self.centre[1] + side * self.size[1] / 2.0],
        }
    }
}

/// Arcs leave a box where they would if they came from a point so deep within it.
const FOCUS: f64 = 30.0;

/// The distance of arcs at the border of a box, where there is room.
const APART: f64 = 9.0;

/// What smoothing leaves free around boxes.
const MARGIN: f64 = 3.0;

/// How far from a bend its smoothing begins, the first that leaves boxes free.
const CORNERS: [f64; 5] = [120.0, 80.0, 50.0, 30.0, 15.0];

/// The ways of arcs downward through the gates of a layered layout, from border to border; none for nodes that lie on each other.
pub(super) fn routes_down(nodes: &[Placed], arcs: &[(usize, usize)], gates: &[Vec<Gate>]) -> Vec<Option<Vec<Cubic>>> {
    // Once from and to the middle, to see where from each arc comes, and once from where that makes it leave.
    let middles: Vec<[Point; 2]> = arcs.iter().map(|&(tail, head)| [nodes[tail].port(1.0, 0.0), nodes[head].port(-1.0, 0.0)]).collect();
    let pull = |ends: &[[Point; 2]]| -> Vec<Vec<Point>> {
        ends.iter().zip(gates).map(|([from, to], gates)| taut_string(*from, *to, gates)).collect()
    };
    let bends = pull(&with_ports(nodes, arcs, &pull(&middles)));
    arcs.iter()
        .zip(bends)
        .map(|(&(tail, head), bends)| cut_at_borders(&smoothed(&bends, &obstacles(nodes, tail, head, &bends)), &nodes[tail], &nodes[head]))
        .collect()
}

/// Where arcs leave and enter boxes: toward where they go, and apart from each other.
fn with_ports(nodes: &[Placed], arcs: &[(usize, usize)], bends: &[Vec<Point>]) -> Vec<[Point; 2]> {
    let mut ends: Vec<[Point; 2]> = bends.iter().map(|bends| [bends[0], bends[bends.len() - 1]]).collect();
    // At each node the arcs that leave it and those that enter it, each with how far aside it goes.
    let mut at_node = vec![[Vec::new(), Vec::new()]; nodes.len()];
    for (number, (&(tail, head), bends)) in arcs.iter().zip(bends).enumerate() {
        let aside = |end: Point, next: Point| (next[0] - end[0]) / (next[1] - end[1]).abs().max(1e-9);
        at_node[tail][0].push((aside(bends[0], bends[1]), number));
        at_node[head][1].push((aside(bends[bends.len() - 1], bends[bends.len() - 2]), number));
    }
    for (node, sides) in nodes.iter().zip(at_node) {
        if node.outline == Outline::Ellipse {
            continue;
        }
        let farthest = 0.42 * node.size[0];
        for (side, mut leaving) in sides.into_iter().enumerate() {
            leaving.sort_by(|(left, _), (right, _)| left.total_cmp(right));
            // Never as far as the corner, however flat.
            let wanted: Vec<f64> = leaving.iter().map(|(aside, _)| FOCUS * aside * farthest / (farthest + (FOCUS * aside).abs())).collect();
            let gaps = leaving.len().max(2) as f64 - 1.0;
            let apart = APART.min(2.0 * farthest / gaps);
            for (place, (offset, (_, number))) in spread(&wanted, apart).into_iter().zip(leaving).enumerate() {
                let most = farthest - (gaps - place as f64).max(0.0) * apart;
                let offset = offset.max(-farthest + place as f64 * apart).min(most.max(-farthest));
                ends[number][side] = node.port(if side == 0 { 1.0 } else { -1.0 }, offset);
            }
        }
    }
    ends
}

/// The way of an arc where nodes stand as somebody else put them: straight, else the flattest bow that meets no box, else straight.
pub(super) fn route_anywhere(nodes: &[Placed], tail: usize, head: usize) -> Option<Vec<Cubic>> {
    let (from, to) = (nodes[tail].centre, nodes[head].centre);
    let [x, y] = minus(to, from);
    let straight = line(from, to);
    let bows = (0..10).map(|step| {
        let aside = if step % 2 == 0 { 0.12 } else { -0.12 } * f64::from(step / 2 + 1);
        let bowed = |share: f64| {
            let [px, py] = between(from, to, share);
            [px - y * aside, py + x * aside]
        };
        [from, bowed(0.3), bowed(0.7), to]
    });
    let boxes: Vec<Rectangle> =
        (0..nodes.len()).filter(|&node| node != tail && node != head).map(|node| nodes[node].rectangle().grown(MARGIN)).collect();
    let free = |curve: &Cubic| !boxes.iter().any(|rectangle| rectangle.is_met_by_curve(curve));
    let chosen = std::iter::once(straight).chain(bows).find(free).unwrap_or(straight);
    cut_at_borders(&[chosen], &nodes[tail], &nodes[head])
}

/// Shortens a way to make room for a head of this length; gives the way, and the tip with what is behind it.
pub(super) fn with_head(mut way: Vec<Cubic>, head: f64) -> (Vec<Cubic>, [Point; 2]) {
    let tip = way.last().map_or([0.0; 2], |last| last[3]);
    while way.len() > 1 && way.last().is_some_and(|last| length(minus(last[0], tip)) <= head) {
        way.pop();
    }
    let near = |point: Point| length(minus(point, tip)) <= head;
    if let Some(last) = way.last_mut().filter(|last| !near(last[0]) && near(last[3])) {
        *last = split(last, first_time(last, near)).0;
    }
    let behind = way.last().map_or(tip, |last| if near(last[0]) { last[0] } else { last[3] });
    (way, [tip, behind])
}

/// The boxes that could be in the way: those that the box around all bends meets.
fn obstacles(nodes: &[Placed], tail: usize, head: usize, bends: &[Point]) -> Vec<Rectangle> {
    let least = |axis: usize| bends.iter().map(|bend| bend[axis]).fold(f64::INFINITY, f64::min) - MARGIN;
    let most = |axis: usize| bends.iter().map(|bend| bend[axis]).fold(f64::NEG_INFINITY, f64::max) + MARGIN;
    let (from, to) = ([least(0), least(1)], [most(0), most(1)]);
    let others = nodes.iter().enumerate().filter(|(node, _)| *node != tail && *node != head).map(|(_, node)| node.rectangle());
    others.filter(|other| (0..2).all(|axis| other.to[axis] > from[axis] && other.from[axis] < to[axis])).collect()
}

fn smoothed(bends: &[Point], boxes: &[Rectangle]) -> Vec<Cubic> {
    if let [from, to] = *bends {
        return vec![line(from, to)];
    }
    let free = |curve: &[Cubic]| !curve.iter().any(|piece| boxes.iter().any(|rectangle| rectangle.grown(MARGIN).is_met_by_curve(piece)));
    let tries = CORNERS.into_iter().map(|radius| rounded(bends, radius));
    tries.into_iter().find(|curve| free(curve)).unwrap_or_else(|| rounded(bends, 0.0))
}

fn cut_at_borders(curve: &[Cubic], tail: &Placed, head: &Placed) -> Option<Vec<Cubic>> {
    let first = curve.iter().position(|piece| !tail.holds(piece[3]))?;
    let last = curve.iter().rposition(|piece| !head.holds(piece[0]))?;
    if first > last {
        return None;
    }
    let mut way = curve[first..=last].to_vec();
    let n_pieces = way.len();
    if tail.holds(way[0][0]) {
        let t = first_time(&way[0], |point| !tail.holds(point));
        way[0] = split(&way[0], t).1;
    }
    let end = &mut way[n_pieces - 1];
    if head.holds(end[0]) {
        return None;
    }
    if head.holds(end[3]) {
        let t = first_time(end, |point| head.holds(point));
        *end = split(end, t).0;
    }
    // Nodes that touch leave nothing between them.
    (length(minus(way[n_pieces - 1][3], way[0][0])) > 1e-6).then_some(way)
}
