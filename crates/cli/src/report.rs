//! What a person reads: aligned tables within the terminal's width, errors with a hint.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::{self, IsTerminal, Write as _};

use tunbridge::Evaluation;
use tunbridge::belief::{Kind, ReadReport, Role, Schema};
use tunbridge::evaluate::LabelAverages;
use tunbridge::labels::LabelEvaluation;
use unicode_width::UnicodeWidthStr;

use crate::figures::{count, number, of, percent, probability};

/// How a column of a table is set.
#[derive(Clone, Copy)]
pub enum Align {
    Left,
    Right,
}

/// Rows of cells as aligned lines, each indented by two spaces and cut at the terminal's width.
pub fn table(header: &[&str], align: &[Align], rows: &[Vec<String>]) -> String {
    // What would break a line, or tell the terminal something, is written as what it is; what would fill the terminal is cut.
    const MOST_OF_A_CELL: usize = 1000;
    let is_odd = |cell: &String| cell.len() > MOST_OF_A_CELL || cell.contains(char::is_control);
    let mended: Vec<Vec<String>>;
    let rows = if rows.iter().flatten().any(is_odd) {
        mended = rows.iter().map(|row| row.iter().map(|cell| escaped(&shortened(cell, MOST_OF_A_CELL))).collect()).collect();
        &mended
    } else {
        rows
    };
    let mut width: Vec<usize> = header.iter().map(|h| h.width()).collect();
    for row in rows {
        for (w, cell) in width.iter_mut().zip(row) {
            *w = (*w).max(cell.width());
        }
    }
    let line = |cells: &mut dyn Iterator<Item = &str>| {
        let mut text = String::from(" ");
        for ((cell, width), align) in cells.zip(&width).zip(align) {
            let pad = " ".repeat(width - cell.width());
            let _ = match align {
                Align::Left => write!(text, " {cell}{pad} "),
                Align::Right => write!(text, " {pad}{cell} "),
            };
        }
        cut(text.trim_end(), terminal_width())
    };
    let mut out = String::new();
    if header.iter().any(|h| !h.is_empty()) {
        let _ = writeln!(out, "{}", line(&mut header.iter().copied()));
    }
    for row in rows {
        let _ = writeln!(out, "{}", line(&mut row.iter().map(String::as_str)));
    }
    out
}

/// A name that cannot break a line, nor tell the terminal something: its control characters are written as what they are.
pub fn escaped(name: &str) -> String {
    name.chars().map(|c| if c.is_control() { c.escape_default().to_string() } else { c.to_string() }).collect()
}

/// Rows as columns: what is many is read more easily one below the other.
pub fn turned(lines: &[Vec<String>]) -> Vec<Vec<String>> {
    (0..lines[0].len()).map(|place| lines.iter().map(|line| line.get(place).cloned().unwrap_or_default()).collect()).collect()
}

/// A probability as a bar, up to twenty characters long; what is above zero can be seen.
pub fn bar(p: f64) -> String {
    const LONG: f64 = 20.0;
    const PARTS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    let eighths = (p.clamp(0.0, 1.0) * LONG * 8.0).round() as usize;
    let eighths = if p > 0.0 { eighths.max(1) } else { 0 };
    format!("{}{}", "█".repeat(eighths / 8), PARTS[eighths % 8])
}

/// The width to print in: the terminal's; a file or a pipe gets whole lines.
pub fn terminal_width() -> usize {
    if io::stdout().is_terminal() { terminal_size::terminal_size().map_or(100, |(w, _)| usize::from(w.0).max(40)) } else { usize::MAX }
}

fn cut(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.into();
    }
    let mut out = String::new();
    for c in text.chars() {
        if out.width() + 2 > width {
            break;
        }
        out.push(c);
    }
    out.push('…');
    out
}

/// Whether the user leaves colours on.
pub fn may_colour() -> bool {
    std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty())
}

/// An error on standard error: what, and what to do.
pub fn error(what: &str, hint: Option<&str>) {
    let colour = io::stderr().is_terminal() && may_colour();
    let (red, plain) = if colour { ("\u{1b}[1;31m", "\u{1b}[0m") } else { ("", "") };
    tell(&format!("{red}error:{plain} {what}"));
    if let Some(hint) = hint {
        tell(&format!("  hint: {hint}"));
    }
}

/// A line on standard error; nobody may be there to read it, and that is no error. Names that a file gives may be of any length.
pub fn tell(line: &str) {
    const MOST_OF_A_MESSAGE: usize = 4000;
    let _ = writeln!(io::stderr().lock(), "{}", shortened(line, MOST_OF_A_MESSAGE));
}

/// A text of no more than so many bytes and a mark that there was more.
fn shortened(text: &str, most: usize) -> Cow<'_, str> {
    if text.len() <= most { text.into() } else { format!("{}…", &text[..text.floor_char_boundary(most)]).into() }
}

/// What was understood of the columns.
pub fn schema(schema: &Schema, missing: Option<&ReadReport>, most: usize) -> String {
    let mut rows = Vec::new();
    for (place, variable) in schema.variables().iter().enumerate().take(most) {
        let states = match &variable.kind {
            Kind::Categorical(states) | Kind::Labels(states) if !matches!(variable.role, Role::Ignored(_)) => {
                let shown: Vec<&str> = states.names().iter().take(8).map(String::as_str).collect();
                let more = if states.len() > 8 { ", …" } else { "" };
                format!("{}: {}{more}", count(states.len() as f64), shown.join(", "))
            }
            Kind::Text(words) if variable.role == Role::Input && !words.is_empty() => of(words.len() as f64, "word", "words"),
            _ => String::new(),
        };
        let (role, note) = match &variable.role {
            Role::Input => ("", states),
            Role::Target => ("target", states),
            Role::Weight => ("weight", states),
            Role::Ignored(reason) => ("ignored", reason.clone()),
        };
        let mut row = vec![variable.name.clone(), variable.kind.word().to_string(), role.to_string()];
        if let Some(report) = missing {
            let absent = report.n_missing.get(place).copied().unwrap_or(0);
            row.push(if absent > 0 { count(absent as f64) } else { String::new() });
        }
        row.push(note);
        rows.push(row);
    }
    let (header, align) = match missing {
        Some(_) => {
            (&["column", "type", "part", "missing", "states"][..], &[Align::Left, Align::Left, Align::Left, Align::Right, Align::Left][..])
        }
        None => (&["column", "type", "part", "states"][..], &[Align::Left; 4][..]),
    };
    let mut text = table(header, align, &rows);
    let more = schema.variables().len().saturating_sub(most);
    if more > 0 {
        let _ = writeln!(text, "  … and {}; `tunbridge show MODEL --all` lists them", of(more as f64, "more column", "more columns"));
    }
    text
}

/// The figures of an evaluation in a few lines.
pub fn evaluation(evaluation: &Evaluation) -> String {
    let m = &evaluation.metrics;
    let mut rows = vec![
        vec!["accuracy".into(), percent(m.accuracy), format!("{} by always saying the most frequent class", percent(m.baseline_accuracy))],
        vec!["balanced".into(), percent(m.balanced_accuracy), "mean over the classes of the share found".into()],
        vec!["macro F1".into(), number(m.macro_f1), String::new()],
    ];
    let log_loss = match m.log_loss {
        Some(loss) => vec!["log loss".into(), number(loss), format!("{} by the classes' frequencies alone", number(m.baseline_log_loss))],
        None => {
            let zero = m.n_probability_zero + m.n_impossible;
            let others = m.log_loss_of_possible.map(|loss| format!("; {} over the others", number(loss))).unwrap_or_default();
            vec!["log loss".into(), "∞".into(), format!("{} given probability zero{others}", of(zero, "row was", "rows were"))]
        }
    };
    rows.push(log_loss);
    rows.push(vec!["Brier".into(), number(m.brier), String::new()]);
    if let Some(error) = m.calibration_error {
        rows.push(vec!["calibration".into(), number(error), "mean distance of confidence from accuracy".into()]);
    }
    if let Some(cost) = &m.cost {
        let ratio = cost.ratio.map_or("∞".into(), number);
        let baseline = format!("{} by always saying {}", number(cost.baseline), evaluation.classes[cost.baseline_class]);
        rows.push(vec!["mean cost".into(), number(cost.mean), baseline]);
        rows.push(vec!["cost ratio".into(), ratio, "of the two: above 1 the model is worth its errors".into()]);
    }
    table(&["", "", ""], &[Align::Left, Align::Right, Align::Left], &rows)
}

/// The figures of an evaluation of labels: all together, and each of the labels of the most rows.
pub fn label_evaluation(evaluation: &LabelEvaluation, most: usize) -> String {
    let m = &evaluation.metrics;
    let share = |x: Option<f64>| x.map_or("–".into(), |x| format!("{:.1}", 100.0 * x));
    let average = |name: &str, a: &LabelAverages, words: &str| {
        vec![name.to_string(), share(a.precision), share(a.recall), share(a.f1), share(a.break_even), words.to_string()]
    };
    let numbers = [Align::Left, Align::Right, Align::Right, Align::Right, Align::Right];
    let align: Vec<Align> = numbers.iter().copied().chain([Align::Left]).collect();
    let mut rows = vec![
        average("micro", &m.micro, "all labels together, in percent"),
        average("macro", &m.macro_, "the mean over the labels that rows have"),
    ];
    rows.push(vec!["pooled".into(), "".into(), "".into(), "".into(), share(m.pooled_break_even), "one threshold for all labels".into()]);
    let mut text = table(&["", "precision", "recall", "F1", "break-even", ""], &align, &rows);
    let _ = writeln!(
        text,
        "  {} of the rows have exactly the labels said; {} of the answers are wrong\n",
        percent(m.exact),
        percent(m.hamming_loss)
    );
    let mut places: Vec<usize> = (0..m.per_label.len()).filter(|label| m.per_label[*label].support > 0.0).collect();
    places.sort_by(|a, b| m.per_label[*b].support.total_cmp(&m.per_label[*a].support));
    let line = |&label: &usize| {
        let l = &m.per_label[label];
        vec![evaluation.labels[label].clone(), share(l.precision), share(l.recall), share(l.f1), share(l.break_even), count(l.support)]
    };
    let lines: Vec<Vec<String>> = places.iter().take(most).map(line).collect();
    let align: Vec<Align> = numbers.into_iter().chain([Align::Right]).collect();
    text.push_str(&table(&["label", "precision", "recall", "F1", "break-even", "rows"], &align, &lines));
    let more = places.len() - lines.len();
    if more > 0 {
        let _ = writeln!(text, "  … and {}; --format json has all", of(more as f64, "more label", "more labels"));
    }
    text
}

/// Which class was taken for which.
pub fn confusion(evaluation: &Evaluation) -> String {
    let classes = &evaluation.classes;
    if classes.len() > 12 {
        return format!("  {} classes: the confusion matrix is in --format json\n", classes.len());
    }
    let mut header = vec!["truth"];
    header.extend(classes.iter().map(String::as_str));
    let mut align = vec![Align::Left];
    align.extend(classes.iter().map(|_| Align::Right));
    let rows: Vec<Vec<String>> = classes
        .iter()
        .zip(evaluation.metrics.confusion.rows())
        .map(|(class, row)| std::iter::once(class.clone()).chain(row.iter().map(|n| count(*n))).collect())
        .collect();
    table(&header, &align, &rows)
}

/// How often predictions of some confidence were right, before and perhaps after calibration.
pub fn reliability(before: &Evaluation, after: Option<&Evaluation>) -> String {
    let cells = |e: &Evaluation, bin: usize| {
        let b = &e.metrics.reliability[bin];
        [count(b.weight), b.mean_confidence.map(probability).unwrap_or_default(), b.accuracy.map(probability).unwrap_or_default()]
    };
    let mut rows = Vec::new();
    for (place, bin) in before.metrics.reliability.iter().enumerate() {
        let empty = bin.weight == 0.0 && after.is_none_or(|a| a.metrics.reliability[place].weight == 0.0);
        if empty {
            continue;
        }
        let mut row = vec![format!("{}–{}", bin.lower, bin.upper)];
        row.extend(cells(before, place));
        if let Some(after) = after {
            row.extend(cells(after, place));
        }
        rows.push(row);
    }
    let mut header = vec!["confidence", "rows", "said", "right"];
    if after.is_some() {
        header.extend(["rows after", "said", "right"]);
    }
    let align: Vec<Align> = header.iter().enumerate().map(|(i, _)| if i == 0 { Align::Left } else { Align::Right }).collect();
    table(&header, &align, &rows)
}

/// That rows have no class, or no labels, and what became of them.
pub fn without_target(report: &ReadReport, schema: &Schema, what: &str) -> Option<String> {
    let target = schema.target()?;
    let n = *report.n_missing.get(target.index()).filter(|n| **n > 0)? as f64;
    let rows = match schema.variable(target).kind {
        Kind::Labels(_) => of(n, "row whose labels are missing was", "rows whose labels are missing were"),
        _ => of(n, "row without a class was", "rows without a class were"),
    };
    Some(format!("{rows} {what}"))
}

/// What was met while reading that the user should know.
pub fn remarks(report: &ReadReport, schema: &Schema) -> Vec<String> {
    let mut remarks = Vec::new();
    if report.n_skipped > 0 {
        let first = report.first_skipped.as_deref().unwrap_or_default();
        let rows = of(report.n_skipped as f64, "malformed row was", "malformed rows were");
        remarks.push(format!("{rows} skipped, the first at {first}"));
    }
    if report.n_late_keys > 0 {
        let rows = of(report.n_late_keys as f64, "row has", "rows have");
        remarks.push(format!("{rows} keys that the first rows have not, which are not passed on"));
    }
    if report.n_reworded > 0 {
        let cells = of(report.n_reworded as f64, "cell is", "cells are");
        remarks.push(format!(
            "{cells} passed on as numbers that say less than their text: days, leading zeros, or more digits than a double has; CSV and JSON \
             Lines keep them"
        ));
    }
    if report.n_not_utf8 > 0 {
        let texts = of(report.n_not_utf8 as f64, "text is", "texts are");
        remarks.push(format!("{texts} not in UTF-8, and read as Windows-1252"));
    }
    if report.n_without_words > 0 {
        remarks.push(format!("{} no words", of(report.n_without_words as f64, "document has", "documents have")));
    }
    if report.n_copies > 0 {
        let about = if report.copies_are_estimated { "about " } else { "" };
        let documents = of(report.n_copies as f64, "document is a copy", "documents are copies");
        remarks.push(format!("{about}{documents} of another, byte for byte"));
    }
    let unknown: Vec<String> = schema
        .variables()
        .iter()
        .zip(&report.n_unknown)
        // A class that the model does not know is no evidence; who compares with it says so.
        .filter(|(v, n)| **n > 0 && v.role != Role::Target)
        .map(|(v, n)| format!("{} in `{}`", count(*n as f64), v.name))
        .collect();
    if !unknown.is_empty() {
        remarks.push(format!("values that are no known state were read as missing: {}", unknown.join(", ")));
    }
    remarks
}
