//! Curves as SVG.

use std::fmt::Write;

use super::figure::{Figure, Series, Stroke, tick_text, ticks};

pub(super) const WIDTH: f64 = 720.0;
pub(super) const HEIGHT: f64 = 420.0;
const LEFT: f64 = 64.0;
const RIGHT: f64 = 20.0;
const TOP: f64 = 64.0;
const BOTTOM: f64 = 54.0;

/// Okabe & Ito 2008: told apart by people who see colours differently.
const COLOURS: [&str; 4] = ["#0072b2", "#e69f00", "#009e73", "#cc79a7"];

/// The figure as a picture of its own.
pub fn svg(figure: &Figure) -> String {
    let mut text = opening(figure);
    figure.series.iter().for_each(|series| text.push_str(&curve(figure, series)));
    text.push_str(&legend(&figure.series));
    text.push_str("</svg>\n");
    text
}

/// The head, the ground, the title and the axes.
pub(super) fn opening(figure: &Figure) -> String {
    let (range, most) = (figure.x_range(), figure.y_most());
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{HEIGHT}\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" \
         font-family=\"system-ui, sans-serif\" font-size=\"13\" fill=\"#222\">\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n"
    );
    let _ = writeln!(text, "<title>{}</title>", escaped(&figure.title));
    let _ = writeln!(text, "<text x=\"{LEFT}\" y=\"24\" font-size=\"16\" font-weight=\"600\">{}</text>", escaped(&figure.title));
    let (bottom, right) = (HEIGHT - BOTTOM, WIDTH - RIGHT);
    let upright = ticks([0.0, most], 5);
    for y in &upright {
        let [_, at] = place(figure, [range[0], *y]);
        let _ = writeln!(text, "<line x1=\"{LEFT}\" y1=\"{at:.2}\" x2=\"{right}\" y2=\"{at:.2}\" stroke=\"#e5e5e5\"/>");
        let _ = writeln!(text, "<text x=\"{}\" y=\"{:.2}\" text-anchor=\"end\">{}</text>", LEFT - 8.0, at + 4.5, tick_text(*y, &upright));
    }
    let across = ticks(range, 8);
    for x in &across {
        let [at, _] = place(figure, [*x, 0.0]);
        let _ = writeln!(text, "<line x1=\"{at:.2}\" y1=\"{bottom}\" x2=\"{at:.2}\" y2=\"{}\" stroke=\"#222\"/>", bottom + 5.0);
        let _ = writeln!(text, "<text x=\"{at:.2}\" y=\"{}\" text-anchor=\"middle\">{}</text>", bottom + 19.0, tick_text(*x, &across));
    }
    let _ = writeln!(text, "<line x1=\"{LEFT}\" y1=\"{bottom}\" x2=\"{right}\" y2=\"{bottom}\" stroke=\"#222\"/>");
    let middle = (LEFT + right) / 2.0;
    let _ = writeln!(text, "<text x=\"{middle}\" y=\"{}\" text-anchor=\"middle\">{}</text>", HEIGHT - 14.0, escaped(&figure.x_label));
    let halfway = (TOP + bottom) / 2.0;
    let _ = writeln!(
        text,
        "<text x=\"16\" y=\"{halfway}\" text-anchor=\"middle\" transform=\"rotate(-90 16 {halfway})\">{}</text>",
        escaped(&figure.y_label)
    );
    // What goes beyond the picture is cut at its edge.
    let (wide, high) = (right - LEFT, bottom - TOP);
    let _ = writeln!(text, "<clipPath id=\"area\"><rect x=\"{LEFT}\" y=\"{TOP}\" width=\"{wide}\" height=\"{high}\"/></clipPath>");
    text
}

/// One curve.
pub(super) fn curve(figure: &Figure, series: &Series) -> String {
    let mut path = String::new();
    for point in series.points.iter().filter(|[x, y]| x.is_finite() && !y.is_nan()) {
        let [x, y] = place(figure, *point);
        let _ = write!(path, "{}{x:.2},{y:.2}", if path.is_empty() { "" } else { " " });
    }
    if path.is_empty() {
        return path;
    }
    format!("<polyline clip-path=\"url(#area)\" points=\"{path}\" fill=\"none\" {}/>\n", look(series))
}

fn look(series: &Series) -> String {
    let colour = COLOURS[series.colour % COLOURS.len()];
    let dashes = match series.stroke {
        Stroke::Solid => "",
        Stroke::Dashed => " stroke-dasharray=\"9 5\"",
        Stroke::Dotted => " stroke-dasharray=\"2 4\"",
    };
    format!("stroke=\"{colour}\" stroke-width=\"2.2\" stroke-linejoin=\"round\"{dashes}")
}

/// What is what, in a line under the title.
pub(super) fn legend(series: &[Series]) -> String {
    let mut text = String::new();
    let mut x = LEFT;
    for series in series {
        let _ = writeln!(text, "<line x1=\"{x}\" y1=\"44\" x2=\"{}\" y2=\"44\" {}/>", x + 28.0, look(series));
        let _ = writeln!(text, "<text x=\"{}\" y=\"48.5\">{}</text>", x + 34.0, escaped(&series.name));
        // The width of a letter, nearly: what draws the picture knows its letters, and we do not.
        x += 56.0 + 7.2 * series.name.chars().count() as f64;
    }
    text
}

/// A point of the figure in the picture; beyond its top a little, so that a curve leaves it upright.
fn place(figure: &Figure, [x, y]: [f64; 2]) -> [f64; 2] {
    let ([low, high], most) = (figure.x_range(), figure.y_most());
    let across = LEFT + (x - low) / (high - low) * (WIDTH - RIGHT - LEFT);
    let up = (y / most).clamp(-0.1, 1.5) * (HEIGHT - BOTTOM - TOP);
    [across.clamp(-WIDTH, 2.0 * WIDTH), HEIGHT - BOTTOM - up]
}

/// Text as XML has it. Characters that XML has none of are left out.
pub(super) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            c if c.is_control() => {}
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_text_and_not_markup_and_no_number_is_nan() {
        let points = vec![[0.0, f64::INFINITY], [f64::NAN, 1.0], [1.0, f64::NAN], [0.5, 0.2]];
        let series = Series { name: "<b>&\"".into(), points, stroke: Stroke::Dashed, colour: 1 };
        let text = svg(&Figure { title: "a < b".into(), series: vec![series], ..Figure::default() });
        assert!(text.contains("&lt;b&gt;&amp;&quot;") && text.contains("a &lt; b"));
        assert!(!text.contains("NaN") && !text.contains("inf"));
    }
}
