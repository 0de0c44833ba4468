//! A network as SVG.

use super::arc_route::{Placed, route_anywhere, routes_down, with_head};
use super::bezier::{Cubic, Point, is_straight};
use super::given_positions::stretched;
use super::layered_layout::layered_layout;
use super::node::Node;
use super::text::{coordinate, escaped};
use super::{Direction, DrawingError, DrawingOptions};
use crate::network::Network;
use crate::structure::Structure;
use belief::VarId;
use std::fmt::Write;

const MARGIN: f64 = 12.0;
const HEAD: [f64; 2] = [9.0, 3.6];
const ARC: &str = "#444";

/// Draws a network: with beliefs (a distribution for each variable, in the order of its states) as boxes with a bar for each state, without
/// as ellipses with names.
///
/// # Complexity
/// About linear in variables and in the layers that arcs pass, with a bound on the search for the best places; a thousand variables take a
/// part of a second.
///
/// # Errors
/// When beliefs, positions or what was observed are those of another network.
///
/// ```
/// use tunbridge_net::drawing::{DrawingOptions, network_svg};
/// use tunbridge_net::{Evidence, FactorGraph, JunctionTree, Network};
/// let network = Network::builder()
///     .variable("Cancer", ["yes", "no"]).probabilities([0.008, 0.992])
///     .variable("Test", ["+", "-"]).given(["Cancer"]).probabilities([0.98, 0.02,  0.03, 0.97])
///     .build()?;
/// let prior = JunctionTree::compile(&FactorGraph::from(&network), 1 << 20)?.calibrate(&Evidence::none())?.possible().unwrap();
/// let picture = network_svg(&network, Some(&prior.marginals()), &DrawingOptions::default()).unwrap();
/// assert!(picture.contains("<title>Cancer\nyes: 0.8 %\nno: 99.2 %</title>"));
/// # Ok::<(), tunbridge_net::NetError>(())
/// ```
///
/// # References
/// Sugiyama, Tagawa & Toda 1981, *Methods for visual understanding of hierarchical system structures*. Gansner, Koutsofios, North & Vo 1993,
/// *A technique for drawing directed graphs*.
pub fn network_svg(network: &Network, beliefs: Option<&[Vec<f64>]>, options: &DrawingOptions) -> Result<String, DrawingError> {
    let Some(beliefs) = beliefs else { return structure_svg(network.structure(), options) };
    let n_variables = network.n_variables();
    if beliefs.len() != n_variables {
        return Err(DrawingError::NotOneEach { what: "beliefs", n_variables, found: beliefs.len() });
    }
    for observed in &options.observed {
        let known =
            observed.variable.index() < n_variables && observed.state.is_none_or(|state| state < network.n_states(observed.variable));
        if !known {
            return Err(DrawingError::NoSuchState { variable: observed.variable.index(), state: observed.state });
        }
    }
    let mut nodes = Vec::with_capacity(n_variables);
    for (variable, beliefs) in network.dag().variables().zip(beliefs) {
        let (name, states) = (network.name(variable), network.states(variable));
        if beliefs.len() != states.len() || !beliefs.iter().all(|p| (0.0..=1.0 + 1e-6).contains(p)) {
            return Err(DrawingError::NotBeliefs { variable: name.to_string(), n_states: states.len() });
        }
        let seen = options.observed.iter().find(|observed| observed.variable == variable).map(|observed| observed.state);
        nodes.push(Node::with_beliefs(name, states, beliefs, seen, options.max_states));
    }
    drawn(network.structure(), &nodes, options)
}

/// Draws a structure: ellipses with names. Of variables that were observed only that is told, not their states.
///
/// # Errors
/// When positions or what was observed are those of another network.
///
/// ```
/// use tunbridge_net::Structure;
/// use tunbridge_net::drawing::{Direction, DrawingOptions, structure_svg};
/// let mut flu = Structure::new(["Flu", "Sinus"])?;
/// flu.add_arc("Flu", "Sinus")?;
/// let picture = structure_svg(&flu, &DrawingOptions { direction: Direction::Right, ..DrawingOptions::default() }).unwrap();
/// assert!(picture.starts_with("<svg") && picture.contains("<title>Flu → Sinus</title>"));
/// # Ok::<(), tunbridge_net::NetError>(())
/// ```
pub fn structure_svg(structure: &Structure, options: &DrawingOptions) -> Result<String, DrawingError> {
    let n_variables = structure.names().len();
    let mut is_observed = vec![false; n_variables];
    for observed in &options.observed {
        let unknown = DrawingError::NoSuchState { variable: observed.variable.index(), state: observed.state };
        *is_observed.get_mut(observed.variable.index()).ok_or(unknown)? = true;
    }
    let nodes: Vec<Node> = structure.names().iter().zip(is_observed).map(|(name, observed)| Node::plain(name, observed)).collect();
    drawn(structure, &nodes, options)
}

fn drawn(structure: &Structure, nodes: &[Node], options: &DrawingOptions) -> Result<String, DrawingError> {
    let arcs: Vec<(usize, usize)> = structure.dag().arcs().map(|(parent, child)| (parent.index(), child.index())).collect();
    let picture = match &options.positions {
        Some(positions) => {
            if positions.len() != nodes.len() {
                return Err(DrawingError::NotOneEach { what: "positions", n_variables: nodes.len(), found: positions.len() });
            }
            if let Some(bad) = positions.iter().position(|at| !at.iter().all(|x| x.is_finite() && x.abs() < 1e9)) {
                return Err(DrawingError::NotAPosition { variable: structure.names()[bad].clone() });
            }
            Picture::at_positions(nodes, &arcs, positions).unwrap_or_else(|| Picture::laid_out(nodes, &arcs, options.direction))
        }
        None => Picture::laid_out(nodes, &arcs, options.direction),
    };
    let count = |n: usize, what: &str| format!("{n} {what}{}", if n == 1 { "" } else { "s" });
    let mut told = format!("{} and {}", count(nodes.len(), "variable"), count(arcs.len(), "arc"));
    if !options.observed.is_empty() {
        let names: Vec<&str> = options.observed.iter().map(|observed| structure.name(observed.variable)).collect();
        let _ = write!(told, "; observed: {}", names.join(", "));
    }
    let name = |place: usize| structure.name(VarId::new(place));
    let arc_titles: Vec<String> = arcs.iter().map(|&(parent, child)| format!("{} → {}", name(parent), name(child))).collect();
    Ok(picture.svg(nodes, &arc_titles, [&options.title, &told], true))
}

/// Where everything of a drawing is, with the margin.
pub(super) struct Picture {
    pub size: Point,
    pub centres: Vec<Point>,
    /// The way of each arc, if there is room for it.
    pub ways: Vec<Option<Vec<Cubic>>>,
}

impl Picture {
    pub fn laid_out(nodes: &[Node], arcs: &[(usize, usize)], direction: Direction) -> Self {
        // To the right is downward with the axes exchanged.
        let turned = |[x, y]: Point| if direction == Direction::Right { [y, x] } else { [x, y] };
        let sizes: Vec<Point> = nodes.iter().map(|node| turned(node.size)).collect();
        let layout = layered_layout(&sizes, arcs);
        let placed = placed(nodes, &layout.centres, &sizes);
        let ways = routes_down(&placed, arcs, &layout.gates).into_iter();
        let turned_way = |way: Vec<Cubic>| way.into_iter().map(|piece| piece.map(turned)).collect();
        let ways = ways.map(|way| way.map(turned_way)).collect();
        Self { size: turned(layout.size), centres: layout.centres.into_iter().map(turned).collect(), ways }.with_margin()
    }

    fn at_positions(nodes: &[Node], arcs: &[(usize, usize)], positions: &[Point]) -> Option<Self> {
        let sizes: Vec<Point> = nodes.iter().map(|node| node.size).collect();
        let centres = stretched(positions, &sizes)?;
        let placed = placed(nodes, &centres, &sizes);
        let ways = arcs.iter().map(|&(tail, head)| route_anywhere(&placed, tail, head)).collect();
        let size = [0, 1].map(|axis| centres.iter().zip(&sizes).map(|(at, size)| at[axis] + size[axis] / 2.0).fold(0.0, f64::max));
        Some(Self { size, centres, ways }.with_margin())
    }

    /// Moves all so that a margin is left around nodes and arcs, which may bow out.
    fn with_margin(mut self) -> Self {
        let points = || self.ways.iter().flatten().flatten().flatten();
        let from = [0, 1].map(|axis| points().map(|point| point[axis]).fold(0.0, f64::min) - MARGIN);
        let to = [0, 1].map(|axis| points().map(|point| point[axis]).fold(self.size[axis], f64::max) + MARGIN);
        let moved = |[x, y]: &mut Point| (*x, *y) = (*x - from[0], *y - from[1]);
        self.centres.iter_mut().for_each(moved);
        self.ways.iter_mut().flatten().flatten().flatten().for_each(moved);
        self.size = [to[0] - from[0], to[1] - from[1]];
        self
    }

    /// The text of it. Arcs have titles and, if they are directed, heads.
    pub fn svg(self, nodes: &[Node], arc_titles: &[String], [title, told]: [&str; 2], directed: bool) -> String {
        let [width, height] = self.size.map(|x| coordinate(x.ceil()));
        let mut out = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
             font-family=\"system-ui, sans-serif\" font-size=\"11\" fill=\"#222\">\n"
        );
        let _ = writeln!(out, "<title>{}</title>\n<desc>{}</desc>", escaped(title), escaped(told));
        let _ = writeln!(out, "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>");
        let _ = writeln!(out, "<g fill=\"none\" stroke=\"{ARC}\" stroke-width=\"1.2\">");
        let mut heads = String::new();
        for (way, title) in self.ways.into_iter().zip(arc_titles) {
            let Some(way) = way else { continue };
            let way = if directed {
                let (way, [tip, behind]) = with_head(way, HEAD[0]);
                draw_head(&mut heads, tip, behind);
                way
            } else {
                way
            };
            let _ = writeln!(out, "<path d=\"{}\"><title>{}</title></path>", path(&way), escaped(title));
        }
        let _ = write!(out, "</g>\n<g fill=\"{ARC}\">\n{heads}</g>\n");
        nodes.iter().zip(self.centres).for_each(|(node, centre)| node.draw(&mut out, centre));
        out.push_str("</svg>\n");
        out
    }
}

fn placed(nodes: &[Node], centres: &[Point], sizes: &[Point]) -> Vec<Placed> {
    let outlines = nodes.iter().map(|node| node.outline);
    outlines.zip(centres.iter().zip(sizes)).map(|(outline, (&centre, &size))| Placed { centre, size, outline }).collect()
}

fn path(way: &[Cubic]) -> String {
    let point = |[x, y]: Point| format!("{},{}", coordinate(x), coordinate(y));
    let mut text = way.first().map_or_else(String::new, |piece| format!("M{}", point(piece[0])));
    for piece in way {
        let _ = if is_straight(*piece) {
            write!(text, "L{}", point(piece[3]))
        } else {
            write!(text, "C{} {} {}", point(piece[1]), point(piece[2]), point(piece[3]))
        };
    }
    text
}

/// An arrow's head: a triangle from its tip back.
fn draw_head(out: &mut String, tip: Point, behind: Point) {
    let [x, y] = [tip[0] - behind[0], tip[1] - behind[1]];
    let size = (x * x + y * y).sqrt();
    if size == 0.0 {
        return;
    }
    let [x, y] = [x / size, y / size];
    let back = [tip[0] - HEAD[0] * x, tip[1] - HEAD[0] * y];
    let side = |sign: f64| format!("{},{}", coordinate(back[0] - sign * HEAD[1] * y), coordinate(back[1] + sign * HEAD[1] * x));
    let _ = writeln!(out, "<path d=\"M{},{}L{}L{}Z\"/>", coordinate(tip[0]), coordinate(tip[1]), side(1.0), side(-1.0));
}
