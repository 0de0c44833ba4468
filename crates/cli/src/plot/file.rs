//! Where pictures go.

use std::io::{Read, Write};
use std::path::Path;

use tunbridge::data::DataError;

use crate::Failure;

/// That a picture can be written there: its name says that it is one, and nothing else is lost.
pub fn check(path: &Path) -> Result<(), Failure> {
    if !path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("svg")) {
        return Err(Failure::Usage(format!("pictures are SVG, and `{}` does not end in .svg", path.display())));
    }
    let mut head = [0; 5];
    let found = std::fs::File::open(path).and_then(|mut file| file.read(&mut head));
    match found {
        Ok(n) if n > 0 && !matches!(&head, b"<svg " | b"<?xml") => {
            let what = format!("{} is there already and is no SVG", path.display());
            Err(tunbridge::Error::Unfit { what, hint: Some("name another file, or remove that one".into()) }.into())
        }
        _ => Ok(()),
    }
}

/// Writes a picture; a crash leaves the old file or the new one.
pub fn write(path: &Path, text: &str) -> Result<(), Failure> {
    let io = |source| DataError::Io { path: path.to_path_buf(), source };
    let mut file = tunbridge::atomic::AtomicFile::create(path).map_err(io)?;
    file.write_all(text.as_bytes()).map_err(io)?;
    file.commit().map_err(io)?;
    Ok(())
}
