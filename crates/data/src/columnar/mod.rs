//! Columnar files: Parquet and Arrow IPC. The only place, with [`crate::write`], that knows Arrow.

use std::fmt::Display;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::{DataError, Input};

pub(crate) mod encode;
pub(crate) mod ipc;
pub(crate) mod parquet;

/// Runs a decoder on what came from outside. The decoders of arrow-rs believe much of what a damaged file says of itself, and
/// some panic where it is wrong: to the user that is an error like any other.
fn guard<T, E: Display>(input: &Input, format: &str, decode: impl FnOnce() -> Result<T, E>) -> Result<T, DataError> {
    let what = match catch_unwind(AssertUnwindSafe(decode)) {
        Ok(Ok(decoded)) => return Ok(decoded),
        Ok(Err(error)) => error.to_string(),
        Err(_) => "its parts do not fit together".into(),
    };
    Err(DataError::BadFile {
        path: input.path.clone(),
        what: format!("cannot be read as {format}: {what}"),
        hint: Some("the file may be damaged or cut short".into()),
    })
}
