//! The explanation of a row as a page of its own: the document with its words weighted, and the ledger below. Nothing is loaded from
//! elsewhere, and everything that comes from the data is escaped.

use std::fmt::Write;

use tunbridge::Highlighted;
use tunbridge::learners::{Ledger, Unit};

use crate::document::{strength, strongest, visible};
use crate::figures::signed;

const STYLE: &str = "\
:root{color-scheme:light dark;--for:37 110 220;--against:214 110 0;--paper:#fff;--ink:#1b1e23;--quiet:#5c6470;--line:#dfe3e8;--box:#f7f8fa}\
@media (prefers-color-scheme:dark){:root{--for:70 140 255;--against:235 130 20;--paper:#15181c;--ink:#e8eaed;--quiet:#9aa3af;--line:#333a43;--box:#1c2026}}\
body{background:var(--paper);color:var(--ink);font:16px/1.55 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}\
h1{font-size:1.35rem;margin:0 0 .3rem}h2{font-size:1.05rem;margin:1.6rem 0 .4rem}p{margin:.4rem 0}.quiet{color:var(--quiet);font-size:.9rem}\
.document{white-space:pre-wrap;overflow-wrap:anywhere;background:var(--box);border:1px solid var(--line);border-radius:.4rem;padding:1rem;line-height:1.75}\
mark{color:inherit;border-radius:.2em;padding:.05em 0}mark.for{background:rgb(var(--for)/calc(.08 + .5*var(--s)));border-bottom:2px solid rgb(var(--for)/calc(.3 + .7*var(--s)))}\
mark.against{background:rgb(var(--against)/calc(.08 + .5*var(--s)));border-bottom:2px dashed rgb(var(--against)/calc(.3 + .7*var(--s)))}\
table{border-collapse:collapse;width:100%}th,td{text-align:left;padding:.25rem .6rem;border-bottom:1px solid var(--line);vertical-align:top}\
td.n,th.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}td.for{box-shadow:inset -4px 0 rgb(var(--for))}td.against{box-shadow:inset -4px 0 rgb(var(--against))}";

/// What a page is made of, besides the ledger's two classes.
pub struct Page<'p> {
    /// The first line.
    pub title: &'p str,
    pub texts: &'p [Highlighted],
    pub ledger: &'p Ledger,
    pub unit: Unit,
    pub unit_word: &'p str,
    /// The ledger's lines: evidence, amount in words, what it means, and the amount.
    pub lines: &'p [(Vec<String>, Option<f64>)],
    /// Remarks below the ledger.
    pub notes: &'p [String],
}

/// The page.
pub fn page(page: &Page<'_>) -> String {
    let title = escaped(page.title);
    let (class, against) = (escaped(&page.ledger.class), escaped(&page.ledger.against));
    let mut out = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{title}</title>\n<style>{STYLE}</style>\n</head>\n\
         <body>\n<h1>{title}</h1>\n"
    );
    let strongest = strongest(page.texts);
    for text in page.texts {
        let _ = write!(out, "<h2>{}</h2>\n<div class=\"document\">", escaped(&text.variable));
        let mut at = 0;
        for mark in &text.marks {
            out.push_str(&escaped(&text.text[at..mark.place.start]));
            let word = escaped(&text.text[mark.place.clone()]);
            let (side, which) = if mark.log_odds > 0.0 { ("for", &class) } else { ("against", &against) };
            match strength(mark.log_odds, strongest) {
                Some(strength) => {
                    let amount = signed(page.unit.of_nats(mark.log_odds), 2);
                    let counted = escaped(&mark.words.join(" · "));
                    let _ = write!(
                        out,
                        "<mark class=\"{side}\" style=\"--s:{strength:.2}\" title=\"{counted}: {amount} {}, for {which}\">{word}</mark>",
                        page.unit_word
                    );
                }
                None => out.push_str(&word),
            }
            at = mark.place.end;
        }
        let _ = writeln!(out, "{}</div>", escaped(&text.text[at..]));
    }
    if !page.texts.is_empty() {
        let _ = writeln!(
            out,
            "<p class=\"quiet\"><mark class=\"for\" style=\"--s:.25\">a little</mark> <mark class=\"for\" style=\"--s:1\">much</mark> for {class}, \
             <mark class=\"against\" style=\"--s:.25\">a little</mark> <mark class=\"against\" style=\"--s:1\">much</mark> for {against}. \
             The weight of a word is shared evenly over the times it is there, that of a run over what it covers. \
             Hover over a word for its weight.</p>"
        );
    }
    let _ = write!(
        out,
        "<h2>Ledger</h2>\n<table>\n<thead><tr><th>evidence</th><th class=\"n\">{}</th><th>for {class}</th></tr></thead>\n<tbody>\n",
        page.unit_word
    );
    for (cells, amount) in page.lines {
        let side = match amount {
            Some(x) if *x > 0.0 => " for",
            Some(x) if *x < 0.0 => " against",
            _ => "",
        };
        let cells: Vec<String> = cells.iter().map(|cell| escaped(cell)).collect();
        let _ = writeln!(out, "<tr><td>{}</td><td class=\"n{side}\">{}</td><td>{}</td></tr>", cells[0], cells[1], cells[2]);
    }
    out.push_str("</tbody>\n</table>\n");
    for note in page.notes {
        let _ = writeln!(out, "<p class=\"quiet\">{}</p>", escaped(note));
    }
    out.push_str("</body>\n</html>\n");
    out
}

/// A text that a page shows as it is, inside of an element or of an attribute in quotes.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in visible(text).chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            _ => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::escaped;

    #[test]
    fn nothing_of_the_data_is_markup() {
        assert_eq!(escaped("<b title=\"x\">&'\u{0}\n"), "&lt;b title=&quot;x&quot;&gt;&amp;&#39;\u{fffd}\n");
    }
}
