//! What is in a node: a name alone, or a name with a line for each state: its name, a bar, a percentage.

use super::arc_route::Outline;
use super::bezier::Point;
use super::text::{Letters, attributes, coordinate, escaped, percentage};
use std::fmt::Write;

/// Okabe & Ito 2008, as in all our pictures. Fills are light enough and bars dark enough to be told apart in grey.
const BAR: &str = "#0072b2";
const BAR_OBSERVED: &str = "#b36b00";
const TRACK: &str = "#e5e5e5";
const TRACK_OBSERVED: &str = "#f3d59a";
const FILL: &str = "#fff";
const FILL_OBSERVED: &str = "#fdebc8";
const FILL_SEPARATOR: &str = "#ededed";
const STROKE: &str = "#444";

const NAME: Letters = Letters { size: 13.0, bold: true };
const PLAIN_NAME: Letters = Letters { size: 13.0, bold: false };
const LINE: Letters = Letters { size: 11.0, bold: false };
const SEEN_LINE: Letters = Letters { size: 11.0, bold: true };

const WIDEST_NAME: f64 = 190.0;
/// A line of several names.
const WIDEST_TEXT: f64 = 170.0;
const WIDEST_STATE: f64 = 110.0;
const BAR_LENGTH: f64 = 60.0;
const BAR_HEIGHT: f64 = 8.0;
/// Widths of boxes are multiples of this, so that many are the same.
const STEP: f64 = 12.0;
const PADDING: f64 = 9.0;
const HEADER: f64 = 23.0;
const LINE_HEIGHT: f64 = 15.0;
const FOOTER: f64 = 5.0;
/// The column of the mark beside the state that was seen.
const MARK: f64 = 11.0;

/// A node as it will be drawn.
pub(super) struct Node {
    /// Width and height.
    pub size: Point,
    pub outline: Outline,
    kind: Kind,
    /// The name, or the lines of a text.
    text: Vec<String>,
    whole: String,
    lines: Vec<Line>,
}

/// What a node is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Kind {
    Variable,
    Observed,
    Clique,
    Separator,
}

impl Kind {
    fn variable(observed: bool) -> Self {
        if observed { Self::Observed } else { Self::Variable }
    }
}

struct Line {
    label: String,
    p: f64,
    seen: bool,
    /// The rest of the states have no bar: they are not one state.
    is_rest: bool,
}

impl Node {
    /// An ellipse with a name.
    pub fn plain(name: &str, observed: bool) -> Self {
        let shown = PLAIN_NAME.cut(name, WIDEST_NAME);
        let size = [(1.15 * PLAIN_NAME.width(&shown) + 26.0).max(56.0).ceil(), 36.0];
        Self {
            size,
            outline: Outline::Ellipse,
            kind: Kind::variable(observed),
            text: vec![shown],
            whole: name.to_string(),
            lines: Vec::new(),
        }
    }

    /// A box with names in as many lines as they need.
    pub fn of_names(names: &[&str], kind: Kind) -> Self {
        let mut text: Vec<String> = Vec::new();
        for (place, name) in names.iter().enumerate() {
            let comma = if place + 1 < names.len() { "," } else { "" };
            let name = format!("{}{comma}", LINE.cut(name, WIDEST_NAME));
            match text.last_mut().filter(|line| LINE.width(line) + LINE.width(&name) < WIDEST_TEXT) {
                Some(line) => {
                    line.push(' ');
                    line.push_str(&name);
                }
                None => text.push(name),
            }
        }
        let widest = text.iter().map(|line| LINE.width(line)).fold(0.0, f64::max);
        let size = [(widest + 16.0).ceil(), LINE_HEIGHT * text.len().max(1) as f64 + 9.0];
        Self { size, outline: Outline::Box, kind, text, whole: names.join(", "), lines: Vec::new() }
    }

    /// A box with a line for each state. Of more than `max_lines` states the most probable ones and the one that was seen are shown.
    pub fn with_beliefs(name: &str, states: &[String], beliefs: &[f64], seen: Option<Option<usize>>, max_lines: usize) -> Self {
        let seen_state = seen.flatten();
        let shown_states = chosen_states(beliefs, seen_state, max_lines.max(2));
        let mut lines: Vec<Line> = shown_states
            .iter()
            .map(|&state| {
                let seen = seen_state == Some(state);
                let label = if seen { SEEN_LINE } else { LINE }.cut(&states[state], WIDEST_STATE);
                Line { label, p: beliefs[state], seen, is_rest: false }
            })
            .collect();
        if shown_states.len() < states.len() {
            let n_more = states.len() - shown_states.len();
            let p: f64 = (0..states.len()).filter(|state| !shown_states.contains(state)).map(|state| beliefs[state]).sum();
            lines.push(Line { label: format!("… {n_more} more"), p, seen: false, is_rest: true });
        }
        let shown = NAME.cut(name, WIDEST_NAME);
        let labels = lines.iter().map(|line| if line.seen { SEEN_LINE } else { LINE }.width(&line.label)).fold(0.0, f64::max);
        let mark = if seen_state.is_some() { MARK } else { 0.0 };
        let line_width = mark + labels + 8.0 + BAR_LENGTH + 6.0 + percentage_width();
        let width = ((line_width.max(NAME.width(&shown)) + 2.0 * PADDING) / STEP).ceil() * STEP;
        let height = HEADER + LINE_HEIGHT * lines.len() as f64 + FOOTER;
        let mut whole = name.to_string();
        for (state, p) in states.iter().zip(beliefs) {
            let _ = write!(whole, "\n{state}: {}", percentage(*p));
        }
        Self { size: [width, height], outline: Outline::Box, kind: Kind::variable(seen.is_some()), text: vec![shown], whole, lines }
    }

    /// Adds the node around a centre.
    pub fn draw(&self, out: &mut String, centre: Point) {
        let [width, height] = self.size;
        let [x, y] = [centre[0] - width / 2.0, centre[1] - height / 2.0];
        let (fill, stroke_width, corner) = match self.kind {
            Kind::Variable => (FILL, 1.0, 5.0),
            Kind::Observed => (FILL_OBSERVED, 1.8, 5.0),
            Kind::Clique => (FILL, 1.0, 11.0),
            Kind::Separator => (FILL_SEPARATOR, 0.8, 0.0),
        };
        let _ = write!(out, "<g><title>{}</title>", escaped(&self.whole));
        match self.outline {
            Outline::Box => {
                out.push_str("<rect");
                attributes(out, &[("x", x), ("y", y), ("width", width), ("height", height), ("rx", corner)]);
            }
            Outline::Ellipse => {
                out.push_str("<ellipse");
                attributes(out, &[("cx", centre[0]), ("cy", centre[1]), ("rx", width / 2.0), ("ry", height / 2.0)]);
            }
        }
        let _ = writeln!(out, " fill=\"{fill}\" stroke=\"{STROKE}\" stroke-width=\"{}\"/>", coordinate(stroke_width));
        if self.lines.is_empty() {
            let letters = if self.outline == Outline::Ellipse { PLAIN_NAME } else { LINE };
            let first = centre[1] + 0.35 * letters.size - LINE_HEIGHT * (self.text.len().max(1) - 1) as f64 / 2.0;
            for (place, line) in self.text.iter().enumerate() {
                draw_text(out, line, [centre[0], first + LINE_HEIGHT * place as f64], letters);
            }
        } else {
            self.text.iter().for_each(|name| draw_text(out, name, [centre[0], y + 15.5], NAME));
            for (place, line) in self.lines.iter().enumerate() {
                self.draw_line(out, line, [x, y + HEADER + LINE_HEIGHT * place as f64]);
            }
        }
        out.push_str("</g>\n");
    }

    /// A line whose upper left corner is given.
    fn draw_line(&self, out: &mut String, line: &Line, [x, y]: Point) {
        let has_mark = self.lines.iter().any(|line| line.seen);
        let baseline = y + 10.5;
        let left = x + PADDING + if has_mark { MARK } else { 0.0 };
        if line.seen {
            out.push_str("<circle");
            attributes(out, &[("cx", x + PADDING + 3.0), ("cy", y + 6.8), ("r", 3.2)]);
            out.push_str("/>");
        }
        let weight = if line.seen { " font-weight=\"600\"" } else { "" };
        out.push_str("<text");
        attributes(out, &[("x", left), ("y", baseline)]);
        let _ = write!(out, "{weight}>{}</text>", escaped(&line.label));
        let right = x + self.size[0] - PADDING;
        let bar = right - percentage_width() - 6.0 - BAR_LENGTH;
        if !line.is_rest {
            let (track, colour) = if self.kind == Kind::Observed { (TRACK_OBSERVED, BAR_OBSERVED) } else { (TRACK, BAR) };
            let top = y + 6.8 - BAR_HEIGHT / 2.0;
            out.push_str("<rect");
            attributes(out, &[("x", bar), ("y", top), ("width", BAR_LENGTH), ("height", BAR_HEIGHT)]);
            let _ = write!(out, " fill=\"{track}\"/>");
            if line.p > 0.0 {
                out.push_str("<rect");
                attributes(out, &[("x", bar), ("y", top), ("width", (BAR_LENGTH * line.p.min(1.0)).max(0.4)), ("height", BAR_HEIGHT)]);
                let _ = write!(out, " fill=\"{colour}\"/>");
            }
        }
        out.push_str("<text");
        attributes(out, &[("x", right), ("y", baseline)]);
        let _ = writeln!(out, " text-anchor=\"end\"{weight}>{}</text>", escaped(&percentage(line.p)));
    }
}

/// A line of text around its middle.
fn draw_text(out: &mut String, text: &str, at: Point, letters: Letters) {
    out.push_str("<text");
    attributes(out, &[("x", at[0]), ("y", at[1]), ("font-size", letters.size)]);
    let weight = if letters.bold { " font-weight=\"600\"" } else { "" };
    let _ = writeln!(out, "{weight} text-anchor=\"middle\">{}</text>", escaped(text));
}

fn percentage_width() -> f64 {
    LINE.width(">99.9 %").ceil()
}

/// The states that have a line, in order: all, or the most probable ones and the one that was seen, with a line left for the rest.
fn chosen_states(beliefs: &[f64], seen: Option<usize>, max_lines: usize) -> Vec<usize> {
    let mut states: Vec<usize> = (0..beliefs.len()).collect();
    if states.len() > max_lines {
        // Ties go to the earlier state.
        states.sort_by(|&left, &right| (seen == Some(right)).cmp(&(seen == Some(left))).then(beliefs[right].total_cmp(&beliefs[left])));
        states.truncate(max_lines - 1);
        states.sort_unstable();
    }
    states
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_probable_states_and_the_seen_one_are_shown_in_their_order() {
        let beliefs = [0.0, 0.1, 0.3, 0.05, 0.25, 0.3];
        assert_eq!(chosen_states(&beliefs, None, 6), [0, 1, 2, 3, 4, 5]);
        assert_eq!(chosen_states(&beliefs, None, 4), [2, 4, 5]);
        assert_eq!(chosen_states(&beliefs, Some(0), 4), [0, 2, 5]);
    }

    #[test]
    fn states_beyond_the_last_line_are_counted_and_summed() {
        let states: Vec<String> = (0..20).map(|state| format!("s{state}")).collect();
        let mut beliefs = vec![0.02; 20];
        beliefs[13] = 0.62;
        let node = Node::with_beliefs("V", &states, &beliefs, None, 8);
        assert_eq!(node.lines.len(), 8);
        assert_eq!(node.lines[7].label, "… 13 more");
        assert!((node.lines[7].p - 0.26).abs() < 1e-12);
        assert_eq!(node.lines[6].label, "s13");
    }
}
