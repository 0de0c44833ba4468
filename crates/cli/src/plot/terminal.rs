//! Curves in the terminal, eight dots a character (Braille).

use std::fmt::Write;

use unicode_width::UnicodeWidthStr;

use super::figure::{Figure, Stroke, tick_text, ticks};

/// The figure in so many columns and lines of text; with `colour` curves have one each.
pub fn terminal(figure: &Figure, width: usize, height: usize, colour: bool) -> String {
    let ([low, high], most) = (figure.x_range(), figure.y_most());
    let (columns, lines) = (width.saturating_sub(4).clamp(20, 400), height.clamp(4, 100));
    let mut canvas = Canvas::new(columns, lines);
    for series in &figure.series {
        let place = |[x, y]: [f64; 2]| {
            let across = (x - low) / (high - low) * (2 * columns - 1) as f64;
            let up = (y / most).clamp(0.0, 1.2) * (4 * lines - 1) as f64;
            [across, (4 * lines - 1) as f64 - up]
        };
        let seen = |point: &&[f64; 2]| point[0].is_finite() && !point[1].is_nan() && (low..=high).contains(&point[0]);
        let points: Vec<[f64; 2]> = series.points.iter().filter(seen).map(|point| place(*point)).collect();
        let mut walked = 0;
        for pair in points.windows(2) {
            canvas.line(pair[0], pair[1], series.stroke, &mut walked, series.colour);
        }
    }
    let mut text = String::new();
    if !figure.title.is_empty() {
        let _ = writeln!(text, "  {}", figure.title);
    }
    for line in 0..lines {
        let row = canvas.line_text(line, colour);
        let _ = writeln!(text, "  │{}", row.trim_end());
    }
    text.push_str(&axis([low, high], columns, &figure.x_label));
    text.push_str(&legend(figure, colour));
    text
}

/// The axis with its ticks, their numbers, and its name at the right.
fn axis([low, high]: [f64; 2], columns: usize, label: &str) -> String {
    let all = ticks([low, high], (columns / 10).max(2));
    let mut rule: Vec<char> = vec!['─'; columns];
    let mut numbers = String::new();
    for x in &all {
        let at = (((x - low) / (high - low)) * (columns - 1) as f64).round() as usize;
        rule[at.min(columns - 1)] = '┬';
        let text = tick_text(*x, &all);
        let start = (at + 1).saturating_sub(text.width() / 2);
        if (start > numbers.width() || numbers.is_empty()) && start + text.width() <= columns + 2 {
            let pad = start.saturating_sub(numbers.width());
            let _ = write!(numbers, "{}{text}", " ".repeat(pad));
        }
    }
    let rule: String = rule.into_iter().collect();
    let gap = (columns + 1).saturating_sub(numbers.width() + label.width()).max(2);
    let numbers = if label.is_empty() { numbers } else { format!("{numbers}{}{label}", " ".repeat(gap)) };
    format!("  └{rule}\n  {numbers}\n")
}

/// What is what.
fn legend(figure: &Figure, colour: bool) -> String {
    let of = |series: &super::Series| {
        let sample = match series.stroke {
            Stroke::Solid => "⠤⠤⠤⠤",
            Stroke::Dashed => "⠤⠤ ⠤",
            Stroke::Dotted => "⠄⠄⠄⠄",
        };
        format!("{} {}", painted(sample, series.colour, colour), series.name)
    };
    let names: Vec<String> = figure.series.iter().map(of).collect();
    if names.is_empty() { String::new() } else { format!("  {}\n", names.join("   ")) }
}

/// Cyan, yellow, green, magenta: told apart on dark and light grounds.
const COLOURS: [u8; 4] = [36, 33, 32, 35];

fn painted(text: &str, number: usize, colour: bool) -> String {
    if colour { format!("\u{1b}[{}m{text}\u{1b}[0m", COLOURS[number % COLOURS.len()]) } else { text.into() }
}

struct Canvas {
    columns: usize,
    /// The dots of each character, and the colour of the curve that drew there last.
    cells: Vec<(u8, usize)>,
    lines: usize,
}

impl Canvas {
    fn new(columns: usize, lines: usize) -> Self {
        Self { columns, lines, cells: vec![(0, 0); columns * lines] }
    }

    fn dot(&mut self, x: usize, y: usize, number: usize) {
        // Braille dots 1 to 8: three down on the left, three on the right, then the lowest two.
        const BITS: [[u8; 2]; 4] = [[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]];
        if x < 2 * self.columns && y < 4 * self.lines {
            let cell = &mut self.cells[(y / 4) * self.columns + x / 2];
            *cell = (cell.0 | BITS[y % 4][x % 2], number);
        }
    }

    /// A straight line. Dots of a dashed or dotted one are left out by how far has been walked.
    fn line(&mut self, from: [f64; 2], to: [f64; 2], stroke: Stroke, walked: &mut usize, number: usize) {
        let steps = (to[0] - from[0]).abs().max((to[1] - from[1]).abs()).ceil().max(1.0) as usize;
        for step in 0..=steps {
            let share = step as f64 / steps as f64;
            let [x, y] = [0, 1].map(|i| from[i] + share * (to[i] - from[i]));
            *walked += usize::from(step > 0);
            let shown = match stroke {
                Stroke::Solid => true,
                Stroke::Dashed => *walked % 8 < 5,
                Stroke::Dotted => walked.is_multiple_of(3),
            };
            if shown && y >= 0.0 {
                self.dot(x.round() as usize, y.round() as usize, number);
            }
        }
    }

    fn line_text(&self, line: usize, colour: bool) -> String {
        let mut text = String::new();
        for (dots, number) in &self.cells[line * self.columns..(line + 1) * self.columns] {
            match (dots, char::from_u32(0x2800 + u32::from(*dots))) {
                (0, _) | (_, None) => text.push(' '),
                (_, Some(braille)) => text.push_str(&painted(&braille.to_string(), *number, colour)),
            }
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::super::Series;
    use super::*;

    #[test]
    fn a_rising_line_rises() {
        let points = vec![[0.0, 0.0], [1.0, 1.0]];
        let series = Series { name: "line".into(), points, stroke: Stroke::Solid, colour: 0 };
        let figure = Figure { series: vec![series], x_label: "x".into(), y_most: Some(1.0), ..Figure::default() };
        let text = terminal(&figure, 24, 4, false);
        let expected = "  │               ⣀⡠⠤⠒⠉\n  │          ⣀⡠⠔⠒⠉\n  │     ⣀⠤⠔⠊⠉\n  │⣀⠤⠒⠊⠉\n";
        assert!(text.starts_with(expected), "{text}");
        assert!(text.ends_with("⠤⠤⠤⠤ line\n"), "{text}");
    }

    #[test]
    fn points_that_are_nowhere_are_not_drawn() {
        let points = vec![[0.0, f64::NAN], [0.5, f64::INFINITY], [f64::NAN, 1.0], [0.7, -3.0]];
        let series = Series { name: "odd".into(), points, stroke: Stroke::Dotted, colour: 1 };
        assert!(terminal(&Figure { series: vec![series], ..Figure::default() }, 10, 1, true).contains("odd"));
    }
}
