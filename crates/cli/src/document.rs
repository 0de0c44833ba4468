//! A document with its words weighted, in the terminal: coloured, or with plain marks.

use tunbridge::learners::{Ledger, Unit};
use tunbridge::{Highlighted, Mark};

use crate::figures::signed;
use crate::report::escaped;

/// How words are marked in the terminal.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Marking {
    /// By colours: 16 for the letters, these behind them.
    Colour,
    /// By brackets and numbers.
    Plain,
}

/// Steps of strength, weakest first, of the 256 colours of terminals: blues for the class, oranges against it. Letters on them are black,
/// so that they can be read on a light terminal as on a dark one; blue and orange are told apart by almost all eyes.
const FOR: [u8; 4] = [195, 153, 111, 75];
const AGAINST: [u8; 4] = [230, 223, 216, 208];

/// What is weaker than this share of the strongest is not marked.
const LEAST: f64 = 0.05;

/// The documents with their marks and what those mean.
pub fn shown(texts: &[Highlighted], ledger: &Ledger, unit: Unit, unit_word: &str, marking: Marking) -> String {
    let strongest = strongest(texts);
    let mut out = String::new();
    for text in texts.iter().filter(|text| !text.text.trim().is_empty()) {
        if texts.len() > 1 {
            out.push_str(&format!("{}:\n", escaped(&text.variable)));
        }
        out.push_str(&one(text, strongest, unit, marking));
        out.push_str("\n\n");
    }
    if out.is_empty() {
        return out;
    }
    let (class, against) = (escaped(&ledger.class), escaped(&ledger.against));
    let of_runs = texts.iter().flat_map(|text| &text.marks).any(|mark| mark.words.len() > 1);
    let shared = if of_runs { "; the weight of a run is shared evenly over what it covers" } else { "" };
    out + &match marking {
        Marking::Colour => {
            let sample = |colours: [u8; 4], word: &str| colours.map(|colour| painted(&format!(" {word} "), colour)).concat();
            format!("{} for {class}   {} for {against}{shared}\n\n", sample(FOR, "+"), sample(AGAINST, "−"))
        }
        Marking::Plain => format!("[word +{unit_word} for {class}] [word −{unit_word} for {against}]{shared}\n\n"),
    }
}

/// The greatest finite strength of any mark.
pub fn strongest(texts: &[Highlighted]) -> f64 {
    let strengths = texts.iter().flat_map(|text| &text.marks).map(|mark| mark.log_odds.abs());
    strengths.filter(|strength| strength.is_finite()).fold(0.0, f64::max)
}

/// How strong a mark is, from 0 to 1; nothing where it is too weak to be shown.
pub fn strength(log_odds: f64, strongest: f64) -> Option<f64> {
    let strength = if log_odds.is_infinite() { 1.0 } else { log_odds.abs() / strongest };
    (strength >= LEAST).then_some(strength)
}

fn one(text: &Highlighted, strongest: f64, unit: Unit, marking: Marking) -> String {
    let mut out = String::new();
    let mut at = 0;
    // Characters that say the same go into one bracket.
    let joined = if marking == Marking::Plain { joined(&text.marks) } else { Vec::new() };
    for mark in if marking == Marking::Plain { &joined } else { &text.marks } {
        out.push_str(&visible(&text.text[at..mark.place.start]));
        let word = visible(&text.text[mark.place.clone()]);
        match (strength(mark.log_odds, strongest), marking) {
            (None, _) => out.push_str(&word),
            (Some(strength), Marking::Colour) => {
                let step = ((strength * 4.0).ceil() as usize).clamp(1, 4) - 1;
                out.push_str(&painted(&word, if mark.log_odds > 0.0 { FOR[step] } else { AGAINST[step] }));
            }
            (Some(_), Marking::Plain) => out.push_str(&format!("[{word} {}]", signed(unit.of_nats(mark.log_odds), 1))),
        }
        at = mark.place.end;
    }
    out.push_str(&visible(&text.text[at..]));
    out.trim_end().to_string()
}

/// Marks with those that touch them and speak for the same class.
fn joined(marks: &[Mark]) -> Vec<Mark> {
    let mut joined: Vec<Mark> = Vec::with_capacity(marks.len());
    for mark in marks {
        match joined.last_mut() {
            Some(last) if last.place.end == mark.place.start && (last.log_odds > 0.0) == (mark.log_odds > 0.0) => {
                last.place.end = mark.place.end;
                last.log_odds += mark.log_odds;
            }
            _ => joined.push(mark.clone()),
        }
    }
    joined
}

fn painted(text: &str, colour: u8) -> String {
    // A colour that runs over the end of a line would fill it.
    text.split('\n').map(|line| format!("\u{1b}[38;5;16;48;5;{colour}m{line}\u{1b}[0m")).collect::<Vec<_>>().join("\n")
}

/// A text that cannot command a terminal or break a page: control characters other than ends of lines and tabs are shown as unknown.
pub fn visible(text: &str) -> String {
    let is_end = |place: usize| text.as_bytes().get(place + 1) == Some(&b'\n');
    let shown = text.char_indices().filter(|(place, c)| !(*c == '\r' && is_end(*place)));
    shown.map(|(_, c)| if c.is_control() && !matches!(c, '\n' | '\t') { '\u{fffd}' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text() -> Highlighted {
        let mark = |place, log_odds| Mark { place, words: Vec::new(), log_odds };
        Highlighted {
            variable: "t".into(),
            text: "free \u{1b}[2J prize\r\nat noon".into(),
            marks: vec![mark(0..4, 2.0), mark(10..15, f64::NEG_INFINITY), mark(17..19, 0.01), mark(20..24, -0.5)],
        }
    }

    #[test]
    fn words_are_marked_by_side_and_strength() {
        let text = text();
        let plain = one(&text, strongest(std::slice::from_ref(&text)), Unit::Nats, Marking::Plain);
        assert_eq!(plain, "[free +2.0] \u{fffd}[2J [prize −∞]\nat [noon −0.5]");
        let coloured = one(&text, strongest(std::slice::from_ref(&text)), Unit::Nats, Marking::Colour);
        let painted = |word: &str, colour: u8| format!("\u{1b}[38;5;16;48;5;{colour}m{word}\u{1b}[0m");
        assert_eq!(
            coloured,
            format!("{} \u{fffd}[2J {}\nat {}", painted("free", FOR[3]), painted("prize", AGAINST[3]), painted("noon", AGAINST[0]))
        );
    }

    #[test]
    fn characters_of_one_mind_are_in_one_bracket() {
        let mark = |place, log_odds| Mark { place, words: vec!["ab".into(), "b".into()], log_odds };
        let marks = vec![mark(0..1, 1.0), mark(1..2, 2.0), mark(2..3, -1.0), mark(4..5, -1.0)];
        let text = Highlighted { variable: "t".into(), text: "abc d".into(), marks };
        assert_eq!(one(&text, 2.0, Unit::Nats, Marking::Plain), "[ab +3.0][c −1.0] [d −1.0]");
    }
}
