//! One file a verb.

pub mod aode;
pub mod ask;
mod average;
pub mod change;
pub mod classify;
pub mod concept;
pub mod diff;
pub mod estimate;
pub mod evaluate;
pub mod explain;
mod joint;
mod labels;
pub mod learn;
pub mod manual;
pub mod network;
pub mod schema;
pub mod show;
pub mod weigh;

use std::io::{self, Write};
use std::path::Path;

use std::time::Instant;

use tunbridge::belief::Schema;
use tunbridge::data::{Input, closest};
use tunbridge::{Case, Error, Model, NaiveBayesModel, Recipe, Timings};

use crate::Failure;
use crate::args::Common;
use crate::progress::remark;
use crate::read_args::{ReadArgs, UnknownArg};

/// Reads the model that every verb but `learn` starts from.
fn load(path: &Path, timings: &mut Timings) -> Result<Model, Failure> {
    let start = Instant::now();
    let model = Model::load(path)?;
    timings.add("read", start);
    Ok(model)
}

/// The same, and what is made of its columns and the way they are read.
fn load_beside<T: Send>(
    path: &Path,
    timings: &mut Timings,
    beside: impl FnOnce(&Schema, &Recipe) -> T + Send,
) -> Result<(Model, T), Failure> {
    let start = Instant::now();
    let loaded = Model::load_beside(path, beside)?;
    timings.add("read", start);
    Ok(loaded)
}

/// That a verb does not know a kind of model.
fn unknown_kind(model: &Model) -> Failure {
    Failure::Fault(Error::Internal(format!("this verb does not know models of the kind {}", model.kind())))
}

/// Tells that a model's calibration is older than the model.
fn tell_stale(model: &NaiveBayesModel, common: &Common) {
    if model.calibrator_is_stale() {
        remark(common, "the calibration was fitted before the last change of the model");
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

/// Whether a path is a pattern for several files.
fn is_pattern(path: &Path) -> bool {
    path.to_string_lossy().contains(['*', '?', '[']) && !path.exists()
}

/// Whether the arguments are one case rather than files. A file's name, or a pattern's, may hold the sign too.
fn is_case(inputs: &[String]) -> Result<bool, Failure> {
    let is_file = |input: &String| Path::new(input).exists() || is_pattern(Path::new(input)) && Input::all(&[input]).is_ok();
    let is_value = |input: &&String| input.contains('=') && !is_file(input);
    match (inputs.iter().find(is_value), inputs.iter().find(|input| !is_value(input))) {
        (Some(value), Some(file)) => {
            Err(Failure::Usage(format!("`{value}` is a value and `{file}` a file: give files or one case, not both")))
        }
        (value, _) => Ok(value.is_some()),
    }
}

/// Reads one case, and tells of values that are left out because they are no known state, or refuses them.
fn case_of(
    inputs: &[String],
    (schema, recipe): (&Schema, &Recipe),
    read: &ReadArgs,
    unknown: UnknownArg,
    common: &Common,
) -> Result<Case, Failure> {
    read.not_of_files()?;
    let mut recipe = recipe.clone();
    recipe.missing.extend(read.missing.iter().cloned());
    let case = Case::parse_with(schema, inputs, &recipe)?;
    for (name, value) in &case.unknown {
        let states = schema.find(name).and_then(|id| schema.states(id));
        let near = states.and_then(|states| closest(value, states.names().iter().map(String::as_str)));
        let near = near.map(|near| format!("did you mean `{near}`?"));
        let what = format!("`{value}` is no known state of `{name}`");
        match unknown {
            UnknownArg::Missing => {
                remark(common, &format!("{what} and is left out; {}", near.as_deref().unwrap_or("see its states with show")))
            }
            UnknownArg::Error => {
                let hint = near.unwrap_or_else(|| "to leave it out, add --unknown-states missing".into());
                return Err(Error::Unfit { what, hint: Some(hint) }.into());
            }
        }
    }
    Ok(case)
}

fn no_trace(common: &Common) -> Result<(), Failure> {
    if common.trace {
        Err(Failure::Usage("--trace goes with learn, concept and weigh, and with classify and explain of one case".into()))
    } else {
        Ok(())
    }
}
