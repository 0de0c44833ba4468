//! The learner asks: the instance that halves the version space best, again and again.

use std::io::{self, BufRead, IsTerminal, Write};

use tunbridge::concept::{ConceptData, ConceptOptions, Learned};
use tunbridge::learners::concept::{Size, VersionSpace};

use super::text::{boundaries, instance, split_words, whole};
use crate::Failure;

enum Reply {
    Answer(bool),
    Quit,
}

pub fn run(data: &ConceptData, learned: &Learned, options: &ConceptOptions) -> Result<(), Failure> {
    let Some(found) = learned.version_space() else {
        return Err(Failure::Usage("--ask is for --model candidate-elimination, whose version space it halves".into()));
    };
    let mut version_space = found.clone();
    let mut lines = io::stdin().lock().lines();
    let mut out = io::stdout().lock();
    let mut n_asked = 0;
    loop {
        let Some(question) = version_space.best_question(options.seed) else {
            writeln!(out, "{}", last_words(data, &version_space, options))?;
            break;
        };
        writeln!(out, "{} = {}? ({})\n  {}", data.target, data.positive, split_words(&question), instance(data, &question.instance))?;
        match reply(data, &mut lines, &mut out)? {
            Reply::Quit => break,
            Reply::Answer(positive) => {
                n_asked += 1;
                let row = data.examples.len() as u64 + n_asked;
                version_space.observe(&question.instance, positive, row).map_err(tunbridge::Error::from)?;
            }
        }
    }
    let size = version_space.size(options.seed);
    let about = if matches!(size, Size::Estimate(_)) { "about " } else { "" };
    let n = whole(size.n());
    let hypotheses = if n == "1" { "hypothesis is" } else { "hypotheses are" };
    write!(out, "\n{}", boundaries(data, std::slice::from_ref(version_space.specific()), version_space.general()))?;
    writeln!(out, "{about}{n} {hypotheses} left after {n_asked} {}", if n_asked == 1 { "answer" } else { "answers" })?;
    Ok(out.flush()?)
}

/// Reads lines until one is an answer; the end of the input is one too.
fn reply(data: &ConceptData, lines: &mut impl Iterator<Item = io::Result<String>>, out: &mut impl Write) -> Result<Reply, Failure> {
    loop {
        write!(out, "  y, n or q: ")?;
        out.flush()?;
        let line = match lines.next() {
            None => {
                writeln!(out)?;
                return Ok(Reply::Quit);
            }
            Some(line) => line.map_err(|e| tunbridge::Error::Unfit {
                what: format!("standard input: {e}"),
                hint: Some("answers are lines of text: y, n or q".into()),
            })?,
        };
        if !io::stdin().is_terminal() {
            // A terminal shows what is typed; from a pipe it is repeated, so that what is printed reads the same.
            writeln!(out, "{}", line.trim())?;
        }
        let said = line.trim().to_lowercase();
        if said == "q" || said == "quit" {
            return Ok(Reply::Quit);
        }
        if ["y", "yes"].contains(&said.as_str()) || said == data.positive.to_lowercase() {
            return Ok(Reply::Answer(true));
        }
        if ["n", "no"].contains(&said.as_str()) || said == data.negative.to_lowercase() {
            return Ok(Reply::Answer(false));
        }
        writeln!(out, "  `{}` is no answer: y is {}, n is {}, q ends", line.trim(), data.positive, data.negative)?;
    }
}

fn last_words(data: &ConceptData, version_space: &VersionSpace, options: &ConceptOptions) -> String {
    if version_space.general() == [version_space.specific().clone()] {
        return format!("The concept is found: {}", data.space.written(version_space.specific()));
    }
    let n = whole(version_space.size(options.seed).n());
    format!("No question is left: {n} hypotheses answer every instance of known values alike")
}
