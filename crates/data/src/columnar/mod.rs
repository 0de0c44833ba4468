//! Columnar files: Parquet and Arrow IPC. The only place, with [`crate::write`], that knows Arrow.

use std::cell::Cell;
use std::fmt::Display;
use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind};
use std::sync::Once;

use crate::{DataError, Input};

pub(crate) mod encode;
pub(crate) mod ipc;
pub(crate) mod parquet;
mod plain_pages;
mod scratch;
mod slices;

thread_local! {
    /// Whether this thread runs a decoder whose panics are caught.
    static GUARDED: Cell<bool> = const { Cell::new(false) };
}

type Hook = Box<dyn Fn(&PanicHookInfo<'_>) + Send + Sync>;

/// What a decoder panics with is nothing to the user, who is told of the damaged file; all other panics are printed as before.
fn hush_guarded_panics() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| std::panic::set_hook(hushed(std::panic::take_hook())));
}

fn hushed(before: Hook) -> Hook {
    Box::new(move |panic| {
        if !GUARDED.get() {
            before(panic);
        }
    })
}

/// Runs a decoder on what came from outside. The decoders of arrow-rs believe much of what a damaged file says of itself, and
/// some panic where it is wrong: to the user that is an error like any other.
fn guard<T, E: Display>(input: &Input, format: &str, decode: impl FnOnce() -> Result<T, E>) -> Result<T, DataError> {
    without_panic(decode).map_err(|what| DataError::BadFile {
        path: input.path.clone(),
        what: format!("cannot be read as {format}: {}", what.unwrap_or_else(|| "its parts do not fit together".into())),
        hint: Some("the file may be damaged or cut short".into()),
    })
}

/// What fails says why, unless it panics.
pub(crate) fn without_panic<T, E: Display>(run: impl FnOnce() -> Result<T, E>) -> Result<T, Option<String>> {
    hush_guarded_panics();
    let before = GUARDED.replace(true);
    let done = catch_unwind(AssertUnwindSafe(run));
    GUARDED.set(before);
    match done {
        Ok(done) => done.map_err(|error| Some(error.to_string())),
        Err(_) => Err(None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn a_panic_is_an_error_and_is_printed_only_outside_of_the_guard() {
        static PRINTED: AtomicUsize = AtomicUsize::new(0);
        const WORDS: &str = "these words are looked for";
        let before = std::panic::take_hook();
        std::panic::set_hook(hushed(Box::new(move |panic| match panic.payload().downcast_ref() {
            Some(&WORDS) => _ = PRINTED.fetch_add(1, Ordering::SeqCst),
            _ => before(panic),
        })));
        let mut file = tempfile::NamedTempFile::new().unwrap();
        std::io::Write::write_all(&mut file, b"x\n1\n").unwrap();
        let input = Input::all(&[file.path()]).unwrap().remove(0);
        let error = guard(&input, "Parquet", || -> Result<(), String> { std::panic::panic_any(WORDS) }).unwrap_err();
        assert!(error.to_string().ends_with("cannot be read as Parquet: its parts do not fit together"));
        assert_eq!(PRINTED.load(Ordering::SeqCst), 0);
        assert!(catch_unwind(|| std::panic::panic_any(WORDS)).is_err());
        assert_eq!(PRINTED.load(Ordering::SeqCst), 1);
    }
}
