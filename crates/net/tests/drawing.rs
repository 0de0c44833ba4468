//! Drawings: their laws, read back from the text of the picture.

use proptest::prelude::*;
use tunbridge_net::drawing::{Direction, DrawingError, DrawingOptions, Observed, junction_tree_svg, network_svg, structure_svg};
use tunbridge_net::format::bif;
use tunbridge_net::{Evidence, FactorGraph, JunctionTree, Network, RandomShape, Structure, VarId, random_network};

const OF_REPOSITORY: [&str; 8] = ["asia", "cancer", "earthquake", "survey", "sachs", "child", "alarm", "insurance"];

fn testdata(name: &str) -> String {
    format!("{}/../../testdata/{name}", env!("CARGO_MANIFEST_DIR"))
}

fn of_repository(name: &str) -> Network {
    bif::read(&std::fs::read(testdata(&format!("networks/{name}.bif"))).unwrap()).unwrap().network
}

fn uniform(network: &Network) -> Vec<Vec<f64>> {
    network.dag().variables().map(|variable| vec![1.0 / network.n_states(variable) as f64; network.n_states(variable)]).collect()
}

fn rightward() -> DrawingOptions {
    DrawingOptions { direction: Direction::Right, ..DrawingOptions::default() }
}

/// What a picture says: the outline of each node by its name, and each arc's lines and curves with the names of its ends.
struct Drawn {
    size: [f64; 2],
    nodes: Vec<(String, [f64; 4])>,
    arcs: Vec<(String, String, Vec<Piece>)>,
}

/// The control points of a line or a cubic curve.
type Piece = Vec<[f64; 2]>;

impl Drawn {
    fn read(svg: &str) -> Self {
        well_formed(svg);
        let number = |text: &str, name: &str| -> f64 {
            let from = text.find(&format!(" {name}=\"")).unwrap_or_else(|| panic!("{name} in {text}")) + name.len() + 3;
            text[from..].split('"').next().unwrap().parse().unwrap()
        };
        let head = svg.lines().next().unwrap();
        let mut drawn = Self { size: [number(head, "width"), number(head, "height")], nodes: Vec::new(), arcs: Vec::new() };
        for part in svg.split("<path d=\"").skip(1).filter(|part| part.contains("\"><title>")) {
            let (path, rest) = part.split_once("\"><title>").unwrap();
            let Some((title, _)) = rest.split_once("</title></path>") else { continue };
            let (tail, head) = title.split_once(" → ").unwrap();
            drawn.arcs.push((tail.into(), head.into(), pieces(path)));
        }
        for part in svg.split("<g><title>").skip(1) {
            let (title, rest) = part.split_once("</title>").unwrap();
            let tag = rest.split_once("/>").unwrap().0;
            let outline = if tag.starts_with("<rect") {
                let [x, y, width, height] = ["x", "y", "width", "height"].map(|name| number(tag, name));
                [x, y, x + width, y + height]
            } else {
                let [x, y, rx, ry] = ["cx", "cy", "rx", "ry"].map(|name| number(tag, name));
                [x - rx, y - ry, x + rx, y + ry]
            };
            drawn.nodes.push((title.lines().next().unwrap().to_string(), outline));
        }
        drawn
    }

    /// Nodes apart from each other and within the picture; arcs along `axis`, from border to border and through no other node.
    fn laws_hold(&self, network: &Structure, axis: usize) {
        assert_eq!(self.nodes.len(), network.names().len());
        assert_eq!(self.arcs.len(), network.dag().n_arcs());
        for (place, (name, [left, top, right, bottom])) in self.nodes.iter().enumerate() {
            assert!(*left >= 0.0 && *top >= 0.0 && *right <= self.size[0] && *bottom <= self.size[1], "{name}");
            for (other, at) in &self.nodes[..place] {
                let apart = at[0] >= *right || at[2] <= *left || at[1] >= *bottom || at[3] <= *top;
                assert!(apart, "{name} lies on {other}");
            }
        }
        let find = |name: &str| self.nodes.iter().find(|(other, _)| other == name).unwrap().1;
        for (tail, head, pieces) in &self.arcs {
            // The control points go forward, so the curve does.
            let points: Vec<[f64; 2]> = pieces.concat();
            assert!(points.windows(2).all(|pair| pair[0][axis] <= pair[1][axis] + 0.11), "{tail} → {head}: {points:?}");
            let (from, to) = (find(tail), find(head));
            let (first, last) = (points[0], points[points.len() - 1]);
            assert!(from[axis] < to[axis] && from[axis + 2] < to[axis + 2]);
            assert!(near(from, first, 0.2), "{tail} → {head} begins at {first:?} beside {from:?}");
            // The arrow's head is between.
            assert!(near(to, last, 10.0), "{tail} → {head} ends at {last:?} beside {to:?}");
            for (name, outline) in self.nodes.iter().filter(|(name, _)| name != tail && name != head) {
                assert!(!pieces.iter().any(|piece| meets(piece, *outline)), "{tail} → {head} goes through {name}");
            }
        }
    }
}

/// The lines and curves of a path.
fn pieces(path: &str) -> Vec<Piece> {
    let point = |text: &str| -> [f64; 2] {
        let (x, y) = text.split_once(',').unwrap();
        [x.parse().unwrap(), y.parse().unwrap()]
    };
    let starts: Vec<usize> = path.match_indices(|c| "MLC".contains(c)).map(|(at, _)| at).chain([path.len()]).collect();
    let commands: Vec<Piece> = starts.windows(2).map(|ends| path[ends[0] + 1..ends[1]].split(' ').map(point).collect()).collect();
    commands.windows(2).map(|pair| [&pair[0][pair[0].len() - 1..], &pair[1]].concat()).collect()
}

fn near([left, top, right, bottom]: [f64; 4], [x, y]: [f64; 2], most: f64) -> bool {
    x >= left - most && x <= right + most && y >= top - most && y <= bottom + most
}

/// Whether a line or curve goes through the inside of a box.
fn meets(piece: &[[f64; 2]], [left, top, right, bottom]: [f64; 4]) -> bool {
    let inside = |[x, y]: [f64; 2]| x > left + 0.5 && x < right - 0.5 && y > top + 0.5 && y < bottom - 0.5;
    // de Casteljau, for any number of control points.
    let at = |t: f64| {
        let mut points = piece.to_vec();
        while points.len() > 1 {
            points = points.windows(2).map(|pair| [0, 1].map(|axis| pair[0][axis] + t * (pair[1][axis] - pair[0][axis]))).collect();
        }
        points[0]
    };
    // A curve lies within the box around its control points.
    let far =
        |axis: usize, low: f64, high: f64| piece.iter().all(|point| point[axis] <= low) || piece.iter().all(|point| point[axis] >= high);
    !(far(0, left, right) || far(1, top, bottom)) && (0..=64).any(|step| inside(at(f64::from(step) / 64.0)))
}

/// Tags are closed in order, and nothing else looks like one.
fn well_formed(svg: &str) {
    let mut open: Vec<&str> = Vec::new();
    let mut rest = svg;
    while let Some((text, tag)) = rest.split_once('<') {
        entities_only(text);
        let (tag, after) = tag.split_once('>').unwrap();
        assert!(!tag.contains('<'), "{tag}");
        entities_only(tag);
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name));
        } else if !tag.ends_with('/') {
            open.push(tag.split_whitespace().next().unwrap());
        }
        rest = after;
    }
    assert!(open.is_empty() && rest == "\n", "{open:?}");
    assert!(!svg.contains("NaN") && !svg.contains("inf\""));
}

fn entities_only(text: &str) {
    let known = ["&amp;", "&lt;", "&gt;", "&quot;"];
    assert!(!text.contains('>'));
    assert!(text.match_indices('&').all(|(at, _)| known.iter().any(|entity| text[at..].starts_with(entity))), "{text}");
}

#[test]
fn networks_of_the_repository() {
    for name in OF_REPOSITORY {
        let network = of_repository(name);
        let beliefs = uniform(&network);
        for (options, axis) in [(DrawingOptions::default(), 1), (rightward(), 0)] {
            let plain = network_svg(&network, None, &options).unwrap();
            Drawn::read(&plain).laws_hold(network.structure(), axis);
            let bars = network_svg(&network, Some(&beliefs), &options).unwrap();
            Drawn::read(&bars).laws_hold(network.structure(), axis);
            assert_eq!(bars, network_svg(&network, Some(&beliefs), &options).unwrap());
        }
    }
}

/// The picture of asia with its beliefs, looked at and kept: the same bytes on every machine. `TUNBRIDGE_UPDATE=1` writes it anew.
#[test]
fn asia_is_drawn_as_it_was_looked_at() {
    let asia = of_repository("asia");
    let [smoke, yes] = [asia.find("smoke").unwrap().index(), 0];
    let seen = Evidence::of_states(&asia, &[("smoke", "yes")]).unwrap();
    let posterior = JunctionTree::compile(&FactorGraph::from(&asia), 1 << 20).unwrap().calibrate(&seen).unwrap().possible().unwrap();
    let observed = vec![Observed { variable: VarId::new(smoke), state: Some(yes) }];
    let options = DrawingOptions { title: "asia".into(), observed, ..DrawingOptions::default() };
    let picture = network_svg(&asia, Some(&posterior.marginals()), &options).unwrap();
    let kept = testdata("drawings/asia.svg");
    if std::env::var_os("TUNBRIDGE_UPDATE").is_some() {
        std::fs::write(&kept, &picture).unwrap();
    }
    assert_eq!(picture, std::fs::read_to_string(&kept).unwrap());
    assert!(picture.contains("<desc>8 variables and 8 arcs; observed: smoke</desc>"));
}

#[test]
fn a_thousand_in_a_chain_and_everything_with_everything() {
    let names = |n: usize| (0..n).map(|place| format!("V{place}")).collect::<Vec<_>>();
    let chain = (0..1000).map(|place: usize| place.checked_sub(1).map(VarId::new).into_iter().collect()).collect();
    let chain = Structure::from_parents(names(1000), chain).unwrap();
    let drawn = Drawn::read(&structure_svg(&chain, &DrawingOptions::default()).unwrap());
    drawn.laws_hold(&chain, 1);
    // One straight line down.
    assert!(drawn.size[0] < 120.0 && drawn.arcs.iter().all(|(_, _, pieces)| pieces.len() == 1 && pieces[0][0][0] == pieces[0][1][0]));
    let complete = (0..40).map(|place| (0..place).map(VarId::new).collect()).collect();
    let complete = Structure::from_parents(names(40), complete).unwrap();
    Drawn::read(&structure_svg(&complete, &DrawingOptions::default()).unwrap()).laws_hold(&complete, 1);
}

#[test]
fn nothing_one_and_many_that_do_not_hang_together() {
    let nothing = Structure::new(Vec::<String>::new()).unwrap();
    Drawn::read(&structure_svg(&nothing, &DrawingOptions::default()).unwrap()).laws_hold(&nothing, 1);
    let loose = Structure::new((0..50).map(|place| format!("V{place}"))).unwrap();
    let drawn = Drawn::read(&structure_svg(&loose, &DrawingOptions::default()).unwrap());
    drawn.laws_hold(&loose, 1);
    assert!(drawn.size[0] < 4.0 * drawn.size[1], "in rows: {:?}", drawn.size);
}

#[test]
fn names_are_text_and_long_ones_are_cut_and_told_whole() {
    let long = "a name that is much too long for the box that it stands in, indeed".to_string();
    let states: Vec<String> = (0..12).map(|state| format!("<{state}> & \"more\"")).collect();
    let network = Network::builder()
        .variable("A<b>&\"c\"", states.clone())
        .probabilities([1.0 / 12.0; 12])
        .variable(long.clone(), [long.clone(), "ΔT > 5 °C\u{1b}".into()])
        .given(["A<b>&\"c\""])
        .probabilities([0.5; 24])
        .build()
        .unwrap();
    let observed = vec![Observed { variable: VarId::new(0), state: Some(11) }, Observed { variable: VarId::new(1), state: None }];
    let options = DrawingOptions { title: "<&>".into(), observed, ..DrawingOptions::default() };
    let picture = network_svg(&network, Some(&uniform(&network)), &options).unwrap();
    let drawn = Drawn::read(&picture);
    assert_eq!(drawn.nodes[0].0, "A&lt;b&gt;&amp;&quot;c&quot;");
    assert_eq!(drawn.nodes[1].0, long);
    assert!(drawn.nodes[1].1[2] - drawn.nodes[1].1[0] < 300.0);
    assert!(picture.contains("<title>&lt;&amp;&gt;</title>") && picture.contains(">a name that"));
    // The state that was seen is among the eight lines, and five states are not.
    assert!(picture.contains("font-weight=\"600\">&lt;11&gt; &amp; &quot;more") && picture.contains(">… 5 more</text>"));
}

#[test]
fn positions_are_used() {
    let mut structure = Structure::new(["A", "B", "C"]).unwrap();
    structure.add_arc("A", "B").unwrap();
    structure.add_arc("A", "C").unwrap();
    // B is in the middle of the way from A to C, which goes up.
    let positions = |at: [[f64; 2]; 3]| DrawingOptions { positions: Some(at.to_vec()), ..DrawingOptions::default() };
    let drawn = Drawn::read(&structure_svg(&structure, &positions([[300.0, 400.0], [200.0, 250.0], [100.0, 100.0]])).unwrap());
    let centre = |place: usize| {
        let [left, top, right, bottom] = drawn.nodes[place].1;
        [(left + right) / 2.0, (top + bottom) / 2.0]
    };
    assert_eq!([centre(0)[0] - centre(1)[0], centre(0)[1] - centre(1)[1]], [100.0, 150.0]);
    assert_eq!([centre(1)[0] - centre(2)[0], centre(1)[1] - centre(2)[1]], [100.0, 150.0]);
    assert!(!drawn.arcs[1].2.iter().any(|piece| meets(piece, drawn.nodes[1].1)), "the arc bows around B");
    // All in one place: laid out anew.
    let anew = structure_svg(&structure, &positions([[1.0, 1.0]; 3])).unwrap();
    assert_eq!(anew, structure_svg(&structure, &DrawingOptions::default()).unwrap());
    let few = DrawingOptions { positions: Some(vec![[0.0, 0.0]]), ..DrawingOptions::default() };
    assert_eq!(structure_svg(&structure, &few), Err(DrawingError::NotOneEach { what: "positions", n_variables: 3, found: 1 }));
    let bad = positions([[0.0, 0.0], [1.0, f64::NAN], [2.0, 2.0]]);
    assert_eq!(structure_svg(&structure, &bad), Err(DrawingError::NotAPosition { variable: "B".into() }));
}

#[test]
fn beliefs_of_another_network_are_refused() {
    let asia = of_repository("asia");
    let draw = |beliefs: &[Vec<f64>], observed: Option<(usize, usize)>| {
        let observed = observed.map(|(variable, state)| Observed { variable: VarId::new(variable), state: Some(state) });
        network_svg(&asia, Some(beliefs), &DrawingOptions { observed: observed.into_iter().collect(), ..DrawingOptions::default() })
    };
    let beliefs = uniform(&asia);
    assert!(draw(&beliefs, Some((0, 1))).is_ok());
    assert_eq!(draw(&beliefs[1..], None), Err(DrawingError::NotOneEach { what: "beliefs", n_variables: 8, found: 7 }));
    for bad in [vec![0.5], vec![0.5, f64::NAN], vec![-0.1, 1.1]] {
        let mut beliefs = beliefs.clone();
        beliefs[2] = bad;
        let refused = draw(&beliefs, None).unwrap_err();
        assert_eq!(refused.to_string(), "the beliefs of `smoke` must be a number from 0 to 1 for each of its 2 states");
    }
    assert_eq!(draw(&beliefs, Some((0, 2))), Err(DrawingError::NoSuchState { variable: 0, state: Some(2) }));
    assert_eq!(draw(&beliefs, Some((8, 0))), Err(DrawingError::NoSuchState { variable: 8, state: Some(0) }));
}

#[test]
fn the_junction_tree_of_alarm() {
    let alarm = of_repository("alarm");
    let tree = JunctionTree::compile(&FactorGraph::from(&alarm), 1 << 20).unwrap();
    let (cliques, separators): (Vec<&[VarId]>, Vec<_>) = (tree.cliques().collect(), tree.separators().collect());
    let picture = junction_tree_svg(alarm.structure().names(), &cliques, &separators, Direction::Down).unwrap();
    well_formed(&picture);
    assert_eq!(picture.matches("<g><title>").count(), cliques.len() + separators.len());
    assert_eq!(picture.matches("<path").count(), 2 * separators.len());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn laws_of_random_networks(seed in 0..u64::MAX, n_variables in 1..60_usize, max_parents in 0..4_usize, p_arc in 0.02..0.3_f64, right: bool) {
        let shape = RandomShape { n_variables, max_parents, states: 1..=10, p_arc, ..RandomShape::default() };
        let network = random_network(seed, &RandomShape { states: if max_parents > 2 { 1..=3 } else { shape.states.clone() }, ..shape }).unwrap();
        let (options, axis) = if right { (rightward(), 0) } else { (DrawingOptions::default(), 1) };
        Drawn::read(&network_svg(&network, None, &options).unwrap()).laws_hold(network.structure(), axis);
        Drawn::read(&network_svg(&network, Some(&uniform(&network)), &options).unwrap()).laws_hold(network.structure(), axis);
    }
}
