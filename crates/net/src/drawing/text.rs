//! Text in pictures: about how wide it is, cut to a width, and escaped.

use std::fmt::Write;

/// Widths of ` ` to `~` in thousandths of the letters' size: Helvetica's, which Arial and most sans-serif letters share.
const WIDTHS: [u16; 95] = [
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278, 556, 556, 556, 556, 556, 556, 556, 556, 556, 556, 278,
    278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833, 722, 778, 667, 778, 722, 667, 611, 722,
    667, 944, 667, 667, 611, 278, 278, 278, 469, 556, 333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556, 556,
    556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584,
];

/// Some letters are wider than Helvetica's: Verdana's and DejaVu's by this much.
const WIDEST: f64 = 1.15;
const WIDEST_BOLD: f64 = 1.28;

/// How text is set.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Letters {
    pub size: f64,
    pub bold: bool,
}

impl Letters {
    /// About how wide a text is, rather more than less.
    pub fn width(&self, text: &str) -> f64 {
        let thousandths: u32 = text.chars().map(|c| u32::from(width_of(c))).sum();
        f64::from(thousandths) / 1000.0 * self.size * if self.bold { WIDEST_BOLD } else { WIDEST }
    }

    /// The text, or its beginning with `…` that is no wider than this.
    pub fn cut(&self, text: &str, widest: f64) -> String {
        if self.width(text) <= widest {
            return text.to_string();
        }
        let mut cut = String::new();
        for c in text.chars() {
            cut.push(c);
            if self.width(&cut) + self.width("…") > widest {
                cut.pop();
                break;
            }
        }
        // No space before the dots.
        format!("{}…", cut.trim_end())
    }
}

fn width_of(c: char) -> u16 {
    match c {
        ' '..='~' => WIDTHS[c as usize - 32],
        // Ideographs, kana, hangul and pictures are square.
        '\u{1100}'..='\u{115f}' | '\u{2e80}'..='\u{a4cf}' | '\u{ac00}'..='\u{d7a3}' | '\u{f900}'..='\u{faff}' | '\u{fe30}'..='\u{fe4f}' => {
            1000
        }
        '\u{ff00}'..='\u{ff60}' | '\u{1f300}'..='\u{1faff}' | '\u{20000}'..='\u{3fffd}' | '…' => 1000,
        '\u{300}'..='\u{36f}' => 0,
        _ => 600,
    }
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
            '\n' => out.push('\n'),
            '\u{fffe}' | '\u{ffff}' => {}
            c if c.is_control() => {}
            c => out.push(c),
        }
    }
    out
}

/// A coordinate: a tenth of a pixel is fine enough.
pub(super) fn coordinate(x: f64) -> String {
    let mut text = format!("{x:.1}");
    if text.ends_with(".0") {
        text.truncate(text.len() - 2);
    }
    if text == "-0" { "0".into() } else { text }
}

/// Adds `name="number"` for each.
pub(super) fn attributes(out: &mut String, numbers: &[(&str, f64)]) {
    for (name, number) in numbers {
        let _ = write!(out, " {name}=\"{}\"", coordinate(*number));
    }
}

/// A probability as a share of a hundred. What is certain is told from what nearly is.
pub(super) fn percentage(p: f64) -> String {
    if p <= 0.0 {
        "0 %".into()
    } else if p >= 1.0 {
        "100 %".into()
    } else if p < 0.0005 {
        "<0.1 %".into()
    } else if p > 0.9995 {
        ">99.9 %".into()
    } else {
        format!("{:.1} %", 100.0 * p)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_text_is_cut_to_its_width() {
        let letters = Letters { size: 10.0, bold: false };
        assert_eq!(letters.cut("short", 60.0), "short");
        let cut = letters.cut("a very long name indeed", 60.0);
        assert!(cut.ends_with('…') && letters.width(&cut) <= 60.0 && cut.len() > 8, "{cut}");
        assert_eq!(letters.cut("abc", 0.0), "…");
        assert!(letters.width("漢字") > 20.0);
    }

    #[test]
    fn certainty_is_told_from_near_certainty() {
        let all = [0.0, 1e-9, 0.0005, 0.5, 0.9994, 1.0 - 1e-9, 1.0].map(percentage);
        assert_eq!(all, ["0 %", "<0.1 %", "0.1 %", "50.0 %", "99.9 %", ">99.9 %", "100 %"]);
    }

    #[test]
    fn coordinates_are_short() {
        assert_eq!([0.0, -0.01, 1.25, 3.0].map(coordinate), ["0", "0", "1.2", "3"]);
    }

    #[test]
    fn markup_is_escaped_and_what_xml_cannot_say_left_out() {
        assert_eq!(escaped("<a & \"b\">\u{0}\u{1b}\u{ffff}"), "&lt;a &amp; &quot;b&quot;&gt;");
    }
}
