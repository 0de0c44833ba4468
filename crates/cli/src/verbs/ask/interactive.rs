//! Questions typed one after another in a terminal, with history, and with variables and states completed by the tabulator.

use std::path::PathBuf;

use rustyline::completion::Completer;
use rustyline::error::ReadlineError;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::history::FileHistory;
use rustyline::validate::Validator;
use rustyline::{CompletionType, Config, Context, Editor, Helper};
use tunbridge::net::Domain;
use tunbridge::net::query::{Assignment, Target};

use super::Asker;
use crate::Failure;
use crate::args::Common;
use crate::figures::of;
use crate::progress::remark;
use crate::report;

/// What questions begin with.
const HEADS: [&str; 6] = ["P(", "argmax ", "mpe", "E[", "H(", "I("];

pub fn run(asker: &mut Asker<'_>, common: &Common) -> Result<(), Failure> {
    let config = Config::builder().completion_type(CompletionType::List).auto_add_history(true).max_history_size(1000);
    let config = config.map_err(terminal)?.build();
    let mut editor: Editor<Names, FileHistory> = Editor::with_config(config).map_err(terminal)?;
    editor.set_helper(Some(Names(asker.domain().clone())));
    let history = history_file();
    if let Some(path) = &history {
        let _ = editor.load_history(path);
    }
    let n = of(asker.domain().n_variables() as f64, "variable", "variables");
    remark(common, &format!("{n}; ask as in P(A | B=b), tab completes names, `help` says more, `quit` or Ctrl-D ends"));
    loop {
        match editor.readline("? ") {
            Ok(line) => match line.trim() {
                "" => {}
                "quit" | "exit" | "q" => break,
                "help" | "?" => super::print(HELP)?,
                "variables" => super::print(&names(asker.domain()))?,
                question => {
                    if let Err(failure) = asker.ask_and_print(question) {
                        tell(failure)?;
                    }
                    println!();
                }
            },
            // Ctrl-C gives up the line, as in a shell.
            Err(ReadlineError::Interrupted) => {}
            Err(ReadlineError::Eof) => break,
            Err(e) => return Err(terminal(e)),
        }
    }
    if let Some(path) = &history {
        // That there is no history the next time is no reason to fail.
        let _ = path.parent().map(std::fs::create_dir_all);
        let _ = editor.save_history(path);
    }
    Ok(())
}

/// Says what is wrong with a question, so that the next may come.
fn tell(failure: Failure) -> Result<(), Failure> {
    match failure {
        Failure::Fault(e) | Failure::Question(e) => report::error(&e.to_string(), e.hint().as_deref()),
        Failure::Usage(what) => report::error(&what, None),
        output @ Failure::Output(_) => return Err(output),
    }
    Ok(())
}

pub const HELP: &str = "P(A | B=b, C!=c)      a variable given findings; P(A, B) several together; P(*) each by itself
argmax A, B | C=c     the most probable states together; argmax:3 the three best
mpe | C=c             the most probable states of all variables
A ⟂ B | C             whether the graph makes them independent; also A _||_ B
H(A)  I(A; B | C=c)   entropy and mutual information;  E[A] the mean of states that are numbers
variables             the variables and their states
quit                  ends, as does Ctrl-D
";

/// Every variable with its states.
pub fn names(domain: &Domain) -> String {
    let line = |variable| vec![domain.name(variable).to_string(), domain.states(variable).join(", ")];
    let lines: Vec<Vec<String>> = domain.variables().map(line).collect();
    report::table(&["variable", "states"], &[report::Align::Left; 2], &lines)
}

fn terminal(error: ReadlineError) -> Failure {
    let hint = "give the questions as arguments, with --questions FILE, or through a pipe".into();
    tunbridge::Error::Unfit { what: format!("the terminal: {error}"), hint: Some(hint) }.into()
}

/// Where the questions of other days are: `tunbridge/ask_history` in the folder for such things.
fn history_file() -> Option<PathBuf> {
    let folder = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let state =
        folder("XDG_STATE_HOME").or_else(|| folder("HOME").map(|home| home.join(".local/state"))).or_else(|| folder("LOCALAPPDATA"))?;
    Some(state.join("tunbridge/ask_history"))
}

/// The names that the tabulator completes.
struct Names(Domain);

impl Helper for Names {}
impl Highlighter for Names {}
impl Validator for Names {}

impl Hinter for Names {
    type Hint = String;
}

impl Completer for Names {
    type Candidate = String;

    fn complete(&self, line: &str, at: usize, _: &Context<'_>) -> rustyline::Result<(usize, Vec<String>)> {
        Ok(completions(&self.0, &line[..at]))
    }
}

/// What could stand where the text ends, and where it would begin: a state behind `A=`, `A!=` and `A in {`, else a variable, or
/// at the start what a question begins with.
fn completions(domain: &Domain, before: &str) -> (usize, Vec<String>) {
    let start = word_start(before);
    let (head, word) = before.split_at(start);
    let typed = word.trim_start_matches('"');
    let fits = |name: &str| name.to_lowercase().starts_with(&typed.to_lowercase());
    if let Some(variable) = variable_before(domain, head) {
        let written = |state: &String| Assignment { variable: "x".into(), state: state.clone() }.to_string()[2..].to_string();
        return (start, domain.states(variable).iter().filter(|state| fits(state)).map(written).collect());
    }
    let mut found: Vec<String> = Vec::new();
    if head.trim().is_empty() {
        found.extend(HEADS.iter().filter(|head| head.starts_with(word)).map(|head| head.to_string()));
    }
    found.extend(domain.names().iter().filter(|name| fits(name)).map(|name| Target::Variable(name.clone()).to_string()));
    (start, found)
}

/// Where the last word begins; a quote that is open is a part of it.
fn word_start(text: &str) -> usize {
    let mut start = text.len();
    let (mut quote, mut escaped) = (None, false);
    for (place, symbol) in text.char_indices() {
        match symbol {
            _ if escaped => escaped = false,
            '\\' if quote.is_some() => escaped = true,
            '"' => quote = if quote.is_some() { None } else { Some(place) },
            _ => {}
        }
    }
    if let Some(place) = quote {
        return place;
    }
    for (place, symbol) in text.char_indices().rev() {
        if symbol.is_whitespace() || ",|()[]{}=!~:;⟂".contains(symbol) {
            break;
        }
        start = place;
    }
    start
}

/// The variable whose state is to follow.
fn variable_before(domain: &Domain, head: &str) -> Option<tunbridge::net::VarId> {
    let head = head.trim_end();
    let head = if let Some(head) = head.strip_suffix('=') {
        head.strip_suffix('!').unwrap_or(head)
    } else {
        // Within `A in {…`, which no brace has closed.
        let open = head.rfind('{').filter(|open| !head[*open..].contains('}'))?;
        if !head.ends_with(['{', ',']) {
            return None;
        }
        head[..open].trim_end().strip_suffix("in")?
    };
    let head = head.trim_end();
    let name = head.strip_suffix('"').and_then(|head| Some(&head[head.rfind('"')? + 1..])).unwrap_or_else(|| &head[word_start(head)..]);
    domain.find(name).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn completed(before: &str) -> (usize, Vec<String>) {
        let states = |names: &[&str]| names.iter().map(|name| name.to_string()).collect::<Vec<String>>();
        let domain = Domain::new([("Flu", states(&["yes", "no"])), ("Body weight", states(&["<5", "a b"])), ("Pulse", states(&["low"]))]);
        completions(&domain.unwrap(), before)
    }

    #[test]
    fn names_and_states_are_completed() {
        assert_eq!(completed("P(F"), (2, vec!["Flu".to_string()]));
        assert_eq!(completed("P"), (0, vec!["P(".to_string(), "Pulse".into()]));
        assert_eq!(completed("P(Flu | Bo"), (8, vec!["\"Body weight\"".to_string()]));
        assert_eq!(completed("P(Flu | \"body w"), (8, vec!["\"Body weight\"".to_string()]));
        assert_eq!(completed("P(Pulse | Flu="), (14, vec!["yes".to_string(), "no".into()]));
        assert_eq!(completed("P(Pulse | Flu!=n"), (15, vec!["no".to_string()]));
        assert_eq!(completed("P(Pulse | Flu in {yes, n"), (23, vec!["no".to_string()]));
        assert_eq!(completed("P(Pulse | \"Body weight\"=").1, ["<5", "\"a b\""]);
        assert_eq!(completed("P(Pulse | Nobody=").1.len(), 3);
        assert_eq!(completed("P(Flu)").1.len(), 3);
        assert_eq!(completed("").1.len(), HEADS.len() + 3);
    }
}
