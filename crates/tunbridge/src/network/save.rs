//! Networks written to files.

use std::io::Write;
use std::path::{Path, PathBuf};

use data::DataError;
use net::format::{self, Document, FormatKind, Written, uai};

use super::{NetworkFile, NetworkModel};
use crate::Error;
use crate::atomic::{AtomicFile, check_place};

/// What was written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Saved {
    /// What the format has no words for, and is not in the file.
    pub lost: Vec<String>,
    /// Files beside the network: names that its format has no place for.
    pub beside: Vec<PathBuf>,
}

/// A network in a format: its text, a second one where the format has no names, and what the format has no words for.
///
/// # Errors
/// When the format cannot hold what the file has: factors without directions, or arcs without probabilities.
pub fn written(file: &NetworkFile, format: FormatKind) -> Result<Written, Error> {
    let path = file.path.display();
    if let Some(model) = file.markov() {
        return match format {
            FormatKind::Uai => Ok(Written { text: uai::write_markov(model), sidecar: None, lost: Vec::new() }),
            _ => Err(Error::unfit(format!("{path}: has factors without directions, which {format} cannot hold"), "write it as uai")),
        };
    }
    if file.is_structure() && format != FormatKind::Dot {
        return Err(Error::unfit(format!("{path}: has arcs and no probabilities, which {format} cannot hold"), "write it as dot"));
    }
    let document = file.document().ok_or_else(|| Error::Internal("a file that is neither factors nor a network".into()))?;
    let document = match file.model() {
        Some(model) if format == FormatKind::Net => &with_experience(document, model),
        _ => document,
    };
    let mut written = format::write(format, document).map_err(|e| {
        Error::unfit(
            format!("{path}: {e}"),
            "write it as tbn, which holds every distribution as it is, or as xdsl, which holds noisy-OR and noisy-MAX",
        )
    })?;
    if file.is_structure() {
        written.lost.clear();
    }
    Ok(written)
}

/// The same with what each row of a table is worth, as Hugin has it: `experience = ((10 2) (7 5));`, a number for each configuration of
/// the parents with the last fastest, in parentheses as those of `data` (Hugin API Reference Manual, adaptation in the NET language).
fn with_experience(document: &Document, model: &NetworkModel) -> Document {
    let mut document = document.clone();
    let network = model.network();
    for variable in network.dag().variables() {
        if let Some(experience) = model.experience(variable) {
            let sizes: Vec<usize> = network.dag().parents(variable).iter().map(|parent| network.n_states(*parent)).collect();
            document.notes_mut(variable).table_properties.push(format!("experience = {}", nested(&experience, &sizes)));
        }
    }
    document
}

/// Numbers with parentheses around those of each variable, the last fastest.
fn nested(values: &[f64], sizes: &[usize]) -> String {
    let parts: Vec<String> = match sizes {
        [] | [_] => values.iter().map(|value| format!("{value}")).collect(),
        [first, rest @ ..] => values.chunks((values.len() / first).max(1)).map(|part| nested(part, rest)).collect(),
    };
    format!("({})", parts.join(" "))
}

/// Writes a network; a crash leaves the old file or the new one. Nothing but a network is replaced, unless `force` is given.
///
/// # Errors
/// When the format cannot hold the network, the place is a folder or in none, something else is there, or it cannot be written.
pub fn save(file: &NetworkFile, path: &Path, format: FormatKind, force: bool) -> Result<Saved, Error> {
    check_place(path)?;
    let written = written(file, format)?;
    if path.extension().is_some_and(|ending| ending == "gz" || ending == "zst") {
        return Err(Error::unfit(
            format!("{}: networks are not written packed", path.display()),
            "name it without .gz, and pack it with gzip",
        ));
    }
    if !force && path.is_file() && std::fs::metadata(path).is_ok_and(|there| there.len() > 0) {
        NetworkFile::open(path).map_err(|_| {
            let what = format!("{}: is there already and is no network", path.display());
            Error::unfit(what, "choose another name, or replace it with --force")
        })?;
    }
    put(path, &written.text)?;
    let mut beside = Vec::new();
    if let Some(sidecar) = &written.sidecar {
        let mut name = path.as_os_str().to_owned();
        name.push(sidecar.suffix);
        let second = PathBuf::from(name);
        put(&second, &sidecar.text)?;
        beside.push(second);
    }
    Ok(Saved { lost: written.lost, beside })
}

/// Writes a text; a crash leaves the old file or the new one.
///
/// # Errors
/// When the place is a folder or in none, or it cannot be written.
pub fn put(path: &Path, text: &str) -> Result<(), Error> {
    check_place(path)?;
    let io = |source| DataError::Io { path: path.to_path_buf(), source };
    let mut file = AtomicFile::create(path).map_err(io)?;
    file.write_all(text.as_bytes()).map_err(io)?;
    file.commit().map_err(io)?;
    Ok(())
}
