//! One file a verb.

pub mod change;
pub mod classify;
pub mod diff;
pub mod evaluate;
pub mod explain;
pub mod learn;
pub mod manual;
pub mod schema;
pub mod show;

use std::io::{self, Write};
use std::path::Path;

use tunbridge::{Model, NaiveBayesModel};

use crate::Failure;
use crate::args::Common;

/// Reads the model that every verb but `learn` starts from.
fn load(path: &Path) -> Result<NaiveBayesModel, Failure> {
    match Model::load(path)? {
        Model::NaiveBayes(model) => Ok(*model),
        _ => Err(Failure::Usage(format!("{}: this verb does not know the model's kind", path.display()))),
    }
}

/// Prints the result.
fn print(text: &str) -> Result<(), Failure> {
    Ok(io::stdout().lock().write_all(text.as_bytes())?)
}

/// Prints the result as one JSON object.
fn print_json(value: &serde_json::Value) -> Result<(), Failure> {
    print(&format!("{value}\n"))
}

/// Whether the arguments are one case rather than files.
fn is_case(inputs: &[String]) -> bool {
    inputs.iter().all(|input| input.contains('=') && !Path::new(input).exists())
}

fn no_trace(common: &Common) -> Result<(), Failure> {
    if common.trace { Err(Failure::Usage("--trace goes with learn, and with classify and explain of one case".into())) } else { Ok(()) }
}
