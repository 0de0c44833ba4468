//! `completions` and `man`: generated from the command line's own definition.

use clap::CommandFactory;

use super::print;
use crate::Failure;
use crate::args::{Cli, CompletionsArgs};

pub fn completions(args: &CompletionsArgs) -> Result<(), Failure> {
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "tunbridge", &mut text);
    print(&String::from_utf8_lossy(&text))
}

/// The page of the program, followed by those of its verbs.
pub fn man() -> Result<(), Failure> {
    let mut text: Vec<u8> = Vec::new();
    let mut command = Cli::command();
    // Gives each verb its full name, `tunbridge-learn`.
    command.build();
    clap_mangen::Man::new(command.clone()).render(&mut text)?;
    for verb in command.get_subcommands() {
        let page = clap_mangen::Man::new(verb.clone());
        page.render(&mut text)?;
    }
    print(&String::from_utf8_lossy(&text))
}
