//! The `tunbridge` program: verbs, arguments, and what a person reads.
//!
//! It knows the library's facade only. Results go to standard output, everything else to standard error. Exit codes: 0 done, 1 the
//! input, the data or the system is at fault, 2 wrong usage, 130 stopped by Ctrl-C or by a signal to end.

mod args;
mod average_args;
mod concept_args;
mod costs;
mod document;
mod em_args;
mod estimate_args;
mod figures;
mod html;
mod json;
mod learner_args;
mod lists;
mod loss;
mod matrix;
mod network_args;
mod plot;
mod progress;
mod read_args;
mod report;
mod resume_args;
mod signals;
mod structure_args;
mod telling_words;
mod text_args;
mod unlabelled;
mod verbs;
mod weigh_args;

use std::io::{self, Write};
use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches};

use args::{Cli, Verb};

/// Why a verb did not do what it was asked.
pub(crate) enum Failure {
    /// The data, the model or the system is at fault.
    Fault(tunbridge::Error),
    /// The command line is at fault.
    Usage(String),
    /// The words of a question on the command line are.
    Question(tunbridge::Error),
    /// Standard output could not be written.
    Output(io::Error),
}

impl From<tunbridge::Error> for Failure {
    fn from(e: tunbridge::Error) -> Self {
        Failure::Fault(e)
    }
}

impl From<tunbridge::data::DataError> for Failure {
    fn from(e: tunbridge::data::DataError) -> Self {
        tunbridge::Error::from(e).into()
    }
}

impl From<io::Error> for Failure {
    fn from(e: io::Error) -> Self {
        Failure::Output(e)
    }
}

fn main() -> ExitCode {
    signals::end_tidily();
    let matches = Cli::command().get_matches();
    let verb = matches.subcommand_name().unwrap_or_default().to_string();
    let cli = Cli::from_arg_matches(&matches).unwrap_or_else(|e| e.exit());
    let common = cli.common;
    let mut timings = tunbridge::Timings::default();
    let outcome = match cli.verb {
        Verb::Learn(args) => verbs::learn::run(&args, &common, &mut timings),
        Verb::Classify(args) => verbs::classify::run(&args, &common, &mut timings),
        Verb::Explain(args) => verbs::explain::run(&args, &common, &mut timings),
        Verb::Show(args) => verbs::show::run(&args, &common, &mut timings),
        Verb::Schema(args) => verbs::schema::run(&args, &common, &mut timings),
        Verb::Update(args) => verbs::change::update(&args, &common, &mut timings),
        Verb::Forget(args) => verbs::change::forget(&args, &common, &mut timings),
        Verb::Merge(args) => verbs::change::merge(&args, &common, &mut timings),
        Verb::Diff(args) => verbs::diff::run(&args, &common, &mut timings),
        Verb::Evaluate(args) => verbs::evaluate::run(&args, &common, &mut timings),
        Verb::Weigh(args) => verbs::weigh::run(&args, &common, &mut timings),
        Verb::Concept(args) => verbs::concept::run(&args, &common, &mut timings),
        Verb::Estimate(args) => verbs::estimate::run(&args, &common, &mut timings),
        Verb::Ask(args) => verbs::ask::run(&args, &common, &mut timings),
        Verb::Convert(args) => verbs::network::convert::run(&args, &common, &mut timings),
        Verb::Edit(args) => verbs::network::edit::run(&args, &common, &mut timings),
        Verb::Impute(args) => verbs::network::impute::run(&args, &common, &mut timings),
        Verb::Random(args) => verbs::network::random::run(&args, &common),
        Verb::Completions(args) => verbs::manual::completions(&args),
        Verb::Man => verbs::manual::man(),
    };
    let outcome = outcome.and_then(|()| Ok(io::stdout().flush()?));
    if common.timings {
        report::tell(&json::timings(&timings).to_string());
    }
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure::Output(e)) if e.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(Failure::Output(e)) => {
            report::error(&format!("standard output: {e}"), Some("nothing more could be written there"));
            ExitCode::from(1)
        }
        Err(Failure::Usage(what)) => {
            report::error(&what, Some(&format!("`tunbridge {verb} --help` shows the flags and an example")));
            ExitCode::from(2)
        }
        Err(Failure::Question(e)) => {
            report::error(&e.to_string(), e.hint().as_deref());
            ExitCode::from(2)
        }
        Err(Failure::Fault(e)) => {
            report::error(&e.to_string(), e.hint().as_deref());
            ExitCode::from(1)
        }
    }
}
