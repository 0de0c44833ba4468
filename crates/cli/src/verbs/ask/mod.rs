//! `ask`: any question about any variable of a network.

mod credible;
pub mod explanation;
mod interactive;
pub mod object;
mod rows;
pub mod words;

use std::io::{self, BufRead, IsTerminal};
use std::path::Path;
use std::time::Instant;

use serde_json::Value as Json;
use tunbridge::net::Domain;
use tunbridge::net::ask::{Checked, Explanation, Finding, Oracle, Outcome, Question, Reply};
use tunbridge::net::query::Query;
use tunbridge::network::{self, Credible, CredibleOptions, NetworkFile};
use tunbridge::{Error, Timings};

use super::{no_trace, print, print_json};
use crate::args::{Common, Format};
use crate::network_args::AskArgs;
use crate::progress::{self, remark};
use crate::{Failure, report};

pub fn run(args: &AskArgs, common: &Common, timings: &mut Timings) -> Result<(), Failure> {
    no_trace(common)?;
    args.check()?;
    let style = style(args, common)?;
    // What is wrong with the words of a question is known before any file is read.
    let typed: Vec<Query> = args.questions.iter().map(|text| parse(text)).collect::<Result<_, _>>()?;
    let file = super::network::open(&args.net, common, timings)?;
    let typed: Vec<Query> = typed.into_iter().map(|query| file.in_bins(query)).collect();
    if args.credible.is_some() && file.model().is_none() {
        return Err(credible::not_learned(&args.net));
    }
    let start = Instant::now();
    let oracle = match &args.order {
        // Nothing is asked but what the command line has.
        None if args.questions.len() == 1 && args.file.is_none() && args.rows.is_empty() => file.oracle(args.memory).for_one_question(),
        None => file.oracle(args.memory),
        Some(order) => file.oracle_by(order, args.memory)?,
    };
    timings.add("compile", start);
    let mut findings = Vec::new();
    for text in &args.given {
        findings.extend(network::findings(oracle.domain(), text)?);
    }
    if let Some(path) = &args.evidence {
        findings.extend(file.evidence(path)?);
    }
    if let Some(threads) = common.threads {
        // It fails only where there is a pool already.
        let _ = rayon::ThreadPoolBuilder::new().num_threads(threads.into()).build_global();
    }
    let start = Instant::now();
    let mut asker = Asker {
        file: &file,
        oracle,
        findings,
        args,
        style,
        n_asked: 0,
        several: false,
        is_quiet: common.quiet,
        seed: common.seed,
        n_threads: args.read.options(common).n_threads(),
    };
    let outcome = asker.all(typed, common);
    timings.add("infer", start);
    outcome
}

/// What is printed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Style {
    Text,
    /// One object, or an array of several.
    Json,
    JsonLines,
    Csv,
}

fn style(args: &AskArgs, common: &Common) -> Result<Style, Failure> {
    let asks_more = args.explain || args.check || args.plan;
    Ok(match common.format {
        None | Some(Format::Text) if args.rows.is_empty() => Style::Text,
        None => rows::style_of(args.output.as_deref())?,
        Some(Format::Json) if args.rows.is_empty() => Style::Json,
        Some(Format::Jsonl | Format::Json) => Style::JsonLines,
        Some(Format::Csv) if asks_more => {
            return Err(Failure::Usage("--explain, --check and --plan are printed with --format text or json".into()));
        }
        Some(Format::Csv) => Style::Csv,
        Some(_) if args.rows.is_empty() => return Err(Failure::Usage("answers are printed with --format text, json, jsonl or csv".into())),
        Some(_) => return Err(Failure::Usage("rows are printed with --format csv or jsonl".into())),
    })
}

/// Reads a question; what is wrong with it is shown with its place.
fn parse(text: &str) -> Result<Query, Failure> {
    text.parse::<Query>().map_err(|e| Failure::Question(e.into()))
}

/// Puts questions to a network and prints the answers.
struct Asker<'a> {
    file: &'a NetworkFile,
    oracle: Oracle,
    /// What holds for every question.
    findings: Vec<Finding>,
    args: &'a AskArgs,
    style: Style,
    n_asked: usize,
    /// Whether nothing is told on the way.
    is_quiet: bool,
    /// The seed of draws, and the threads that draw.
    seed: u64,
    n_threads: usize,
    /// Whether more than one question is asked, so that each is printed over its answer.
    several: bool,
}

/// What is told of a question.
enum Told {
    Plan(tunbridge::net::ask::Plan),
    Reply { reply: Box<Reply>, explanation: Option<Box<Explanation>>, checked: Option<Box<Checked>>, credible: Option<Box<Credible>> },
}

impl Asker<'_> {
    fn domain(&self) -> &Domain {
        self.oracle.domain()
    }

    fn all(&mut self, typed: Vec<Query>, common: &Common) -> Result<(), Failure> {
        let mut queries = typed;
        if let Some(path) = &self.args.file {
            queries.extend(self.questions_of(path)?);
        }
        if !self.args.rows.is_empty() {
            if queries.is_empty() && !self.args.log_likelihood {
                return Err(Failure::Usage("--rows wants a question, as in 'P(A)', or --log-likelihood".into()));
            }
            return rows::run(self, &queries, common);
        }
        if queries.is_empty() && self.args.file.is_none() {
            return if io::stdin().is_terminal() && io::stdout().is_terminal() && self.style == Style::Text {
                interactive::run(self, common)
            } else {
                self.lines()
            };
        }
        self.several = queries.len() > 1;
        if self.style == Style::Csv && self.several {
            return Err(Failure::Usage("CSV holds one table: ask one question, or give --format jsonl".into()));
        }
        // A question that cannot be asked is known before the first is answered.
        let questions = queries.into_iter().map(|query| self.resolve(query)).collect::<Result<Vec<_>, _>>()?;
        if self.style == Style::Json && self.several {
            let objects = questions.iter().map(|(query, question)| self.object(query, question)).collect::<Result<Vec<Json>, _>>()?;
            return print_json(&objects.into());
        }
        questions.iter().try_for_each(|(query, question)| self.print(query, question))
    }

    /// The questions of a file, one a line.
    fn questions_of(&self, path: &Path) -> Result<Vec<Query>, Failure> {
        let bytes = tunbridge::data::whole_file(path)?;
        let text = String::from_utf8_lossy(&bytes);
        let place = |number: usize| format!("{}:{}", path.display(), number + 1);
        let mut queries = Vec::new();
        for (number, line) in text.lines().enumerate() {
            if let Some(question) = question_of(line) {
                let query = question.parse::<Query>().map_err(|e| Error::from(e).at(place(number)))?;
                let query = self.file.in_bins(query);
                // That it can be asked of this network is known here by its line.
                let asked = self.oracle.question(&query);
                asked.map_err(|e| Error::from(e).at(place(number)))?;
                queries.push(query);
            }
        }
        if queries.is_empty() {
            let what = format!("{}: has no questions", path.display());
            return Err(Error::Unfit { what, hint: Some("write one a line, as in P(A | B=b); # begins a comment".into()) }.into());
        }
        Ok(queries)
    }

    /// Questions that come through a pipe are answered one by one; what is wrong with one does not stop the next.
    fn lines(&mut self) -> Result<(), Failure> {
        self.several = true;
        let mut n_failed = 0;
        for line in io::stdin().lock().lines() {
            let line =
                line.map_err(|e| Error::Unfit { what: format!("standard input: {e}"), hint: Some("questions are lines of text".into()) })?;
            let Some(question) = question_of(&line) else { continue };
            // The words of the terminal mean the same here.
            match question {
                "quit" | "exit" | "q" => break,
                "help" | "?" if self.style == Style::Text => {
                    print(interactive::HELP)?;
                    continue;
                }
                "variables" if self.style == Style::Text => {
                    print(&interactive::names(self.domain()))?;
                    continue;
                }
                _ => {}
            }
            match self.ask_and_print(question) {
                Ok(()) => {}
                Err(output @ Failure::Output(_)) => return Err(output),
                Err(failure) => {
                    n_failed += 1;
                    let (what, hint) = match &failure {
                        Failure::Fault(e) | Failure::Question(e) => (e.to_string(), e.hint()),
                        Failure::Usage(what) => (what.clone(), None),
                        Failure::Output(e) => (e.to_string(), None),
                    };
                    if matches!(self.style, Style::Json | Style::JsonLines) {
                        print_json(&serde_json::json!({"query": question, "error": what}))?;
                    } else {
                        report::error(&what, hint.as_deref());
                    }
                }
            }
        }
        if n_failed > 0 {
            let what = format!("{} could not be answered", crate::figures::of(f64::from(n_failed), "question", "questions"));
            return Err(Error::Unfit { what, hint: Some("the errors above say why".into()) }.into());
        }
        Ok(())
    }

    fn ask_and_print(&mut self, question: &str) -> Result<(), Failure> {
        let query = self.file.in_bins(parse(question)?);
        let (query, question) = self.resolve(query)?;
        self.print(&query, &question)
    }

    fn resolve(&self, query: Query) -> Result<(Query, Question), Failure> {
        if self.file.is_structure() && !matches!(query, Query::Independence { .. }) {
            let what = format!("{}: has arcs and no probabilities, and `{query}` needs them", self.file.path.display());
            return Err(Error::Unfit { what, hint: Some("ask what is independent of what, as in A ⟂ B | C".into()) }.into());
        }
        let mut question = self.oracle.question(&query).map_err(Error::from)?;
        question.findings.extend_from_slice(&self.findings);
        Ok((query, question))
    }

    fn told(&self, question: &Question) -> Result<Told, Failure> {
        if self.args.plan {
            return Ok(Told::Plan(self.oracle.plan_of(question).map_err(Error::from)?));
        }
        let reply = self.oracle.reply(question).map_err(Error::from)?;
        let checked = match self.args.check {
            true => Some(Box::new(self.oracle.check_question(question, &reply).map_err(Error::from)?)),
            false => None,
        };
        // What is impossible has no explanation but its conflict.
        let explanation = match self.args.explain && !matches!(reply.outcome, Outcome::Impossible { .. }) {
            true => Some(Box::new(self.oracle.explain_question(question).map_err(Error::from)?)),
            false => None,
        };
        let credible = match (self.args.credible, &reply.outcome) {
            // What is impossible, or said by the graph alone, is not uncertain.
            (None, _) | (_, Outcome::Impossible { .. } | Outcome::Independence(_)) => None,
            (Some(level), outcome) => Some(Box::new(self.credible(level, question, outcome)?)),
        };
        Ok(Told::Reply { reply: Box::new(reply), explanation, checked, credible })
    }

    fn credible(&self, level: f64, question: &Question, outcome: &Outcome) -> Result<Credible, Failure> {
        let Some(model) = self.file.model() else { return Err(credible::not_learned(&self.file.path)) };
        let n_draws = self.args.draws.map_or(CredibleOptions::default().n_draws, |n| n as usize);
        let options = CredibleOptions { level, n_draws, seed: self.seed, memory: self.args.memory, n_threads: self.n_threads };
        let (_bar, on_step) = progress::steps("steps", self.is_quiet);
        Ok(model.credible_telling(question, outcome, &options, &on_step)?)
    }

    fn print(&mut self, query: &Query, question: &Question) -> Result<(), Failure> {
        self.n_asked += 1;
        match self.style {
            Style::Text => {
                let mut text = String::new();
                if self.several {
                    text += &format!("{}{query}\n\n", if self.n_asked > 1 { "\n" } else { "" });
                }
                text += &self.text(question)?;
                print(&text)
            }
            Style::Json | Style::JsonLines => print_json(&self.object(query, question)?),
            Style::Csv => match self.told(question)? {
                Told::Reply { reply, credible: Some(credible), .. } => {
                    print(&rows::csv_text(&credible::lines(self.domain(), &reply.outcome, &credible, |x| crate::json::real(x).to_string())))
                }
                Told::Reply { reply, .. } => print(&rows::csv_text(&object::csv(self.domain(), &reply))),
                Told::Plan(_) => Ok(()),
            },
        }
    }

    fn text(&self, question: &Question) -> Result<String, Failure> {
        let dag = self.file.network().map(tunbridge::net::Network::dag);
        Ok(match self.told(question)? {
            Told::Plan(plan) => explanation::plan_words(&plan),
            Told::Reply { reply, explanation, checked, credible } => {
                let mut text = match &credible {
                    None => words::reply(self.domain(), dag, &reply, !question.findings.is_empty()),
                    Some(credible) => credible::words(self.domain(), &reply, credible),
                };
                if let Some(checked) = checked {
                    text += &explanation::checked_words(&checked);
                }
                if let Some(explained) = explanation {
                    text += &format!("\n{}", explanation::words(&explained));
                }
                text
            }
        })
    }

    fn object(&self, query: &Query, question: &Question) -> Result<Json, Failure> {
        Ok(match self.told(question)? {
            Told::Plan(plan) => explanation::plan_object(&query.to_string(), &plan),
            Told::Reply { reply, explanation, checked, credible } => {
                let mut object = object::reply(self.domain(), &query.to_string(), &reply);
                if let Some(credible) = credible {
                    credible::put(self.domain(), &credible, &mut object);
                }
                if let Some(checked) = checked {
                    object["check"] = explanation::checked_object(&checked);
                }
                if let Some(explained) = explanation {
                    object["explanation"] = explanation::object(&explained);
                }
                object
            }
        })
    }
}

/// The question of a line; `None` for a blank one or a comment. A comment begins with `#` behind a blank; in quotes or brackets it is a part of a name.
fn question_of(line: &str) -> Option<&str> {
    let (mut is_quoted, mut is_escaped, mut depth, mut before) = (false, false, 0_usize, ' ');
    let mut end = line.len();
    for (place, symbol) in line.char_indices() {
        match symbol {
            _ if is_escaped => is_escaped = false,
            '\\' if is_quoted => is_escaped = true,
            '"' => is_quoted = !is_quoted,
            _ if is_quoted => {}
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            '#' if depth == 0 && before.is_whitespace() => {
                end = place;
                break;
            }
            _ => {}
        }
        before = symbol;
    }
    let question = line[..end].trim();
    (!question.is_empty()).then_some(question)
}

/// Tells what was met while reading the rows.
fn tell_report(report: &tunbridge::belief::ReadReport, schema: &tunbridge::belief::Schema, common: &Common) {
    report::remarks(report, schema).iter().for_each(|text| remark(common, text));
    if report.n_rows == 0 {
        remark(common, "there were no rows");
    }
}

#[cfg(test)]
mod tests {
    use super::question_of;

    #[test]
    fn comments_end_a_line_and_are_no_part_of_names() {
        for (line, question) in [
            ("", None),
            ("  # only a comment", None),
            (" P(A | B=b)  # why", Some("P(A | B=b)")),
            ("mpe # 3", Some("mpe")),
            ("P(\"a # b\" | C=c) # so", Some("P(\"a # b\" | C=c)")),
            ("argmax \"a \\\" # b\" # so", Some("argmax \"a \\\" # b\"")),
            ("P(A=a#1 | #3=x)", Some("P(A=a#1 | #3=x)")),
        ] {
            assert_eq!(question_of(line), question, "{line}");
        }
    }
}
