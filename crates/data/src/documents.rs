//! A folder of documents as a table: a file a row, with its path, the folder that is its class, and its text.

use std::fs::File;
use std::io::{self, Read};
use std::ops::Range;
use std::path::{Path, PathBuf};

use walkdir::WalkDir;

use crate::DataError;
use crate::encode::{ChunkBuilder, EncodedChunk, Faults, RawRows};
use crate::error::RowFault;
use crate::words::is_binary;

/// The columns of a folder.
pub const COLUMNS: [&str; 3] = ["path", "class", "text"];

/// The files of a folder, in the order of their names.
pub(crate) struct Documents {
    root: PathBuf,
    files: Vec<Document>,
    /// What could not be listed, in words.
    pub unlisted: Vec<String>,
}

struct Document {
    /// Below the root.
    path: PathBuf,
    bytes: u64,
}

/// Endings of files that are tables.
const TABLES: [&str; 9] = ["csv", "tsv", "arff", "jsonl", "ndjson", "parquet", "arrow", "feather", "ipc"];

/// Bytes, and files, that one thread works on at a time: enough that few words are new in each, few enough to share out.
const UNIT_BYTES: u64 = 4 << 20;
const UNIT_FILES: usize = 4096;

impl Documents {
    /// Lists a folder and all in it. Links are followed; one that leads back to a folder above it is not, and is told.
    pub fn list(root: &Path) -> Result<Self, DataError> {
        let (mut files, mut unlisted) = (Vec::new(), Vec::new());
        for entry in WalkDir::new(root).follow_links(true).sort_by_file_name() {
            match entry {
                Ok(entry) if entry.file_type().is_file() => {
                    let path = entry.path().strip_prefix(root).unwrap_or(entry.path()).to_path_buf();
                    let bytes = entry.metadata().map_or(0, |metadata| metadata.len());
                    files.push(Document { path, bytes });
                }
                Ok(_) => {}
                Err(error) => match (error.loop_ancestor(), error.path()) {
                    (Some(above), Some(path)) => {
                        unlisted.push(format!("{}: leads back to {} and was not followed", path.display(), above.display()));
                    }
                    (None, path) if path.is_none_or(|path| path == root) => {
                        return Err(DataError::Io { path: root.into(), source: error.into() });
                    }
                    (_, path) => unlisted.push(format!("{}: could not be listed: {error}", path.unwrap_or(root).display())),
                },
            }
        }
        if files.is_empty() {
            return Err(DataError::BadFile {
                path: root.into(),
                what: "is a folder without files".into(),
                hint: Some("a folder of documents has a folder for each class, and in it a file for each document".into()),
            });
        }
        let is_table = |file: &Document| {
            let ending = file.path.extension().map(|ending| ending.to_string_lossy().to_lowercase());
            ending.is_some_and(|ending| TABLES.contains(&ending.as_str()))
        };
        if files.iter().all(is_table) {
            return Err(DataError::BadFile {
                path: root.into(),
                what: "is a folder of tables, not of documents".into(),
                hint: Some(format!("name its files, for example '{}/*.csv'", root.display())),
            });
        }
        Ok(Self { root: root.into(), files, unlisted })
    }

    /// One file.
    pub fn single(path: &Path, bytes: u64) -> Self {
        let (root, name) = (path.parent().unwrap_or(Path::new("")), path.file_name().unwrap_or(path.as_os_str()));
        Self { root: root.into(), files: vec![Document { path: name.into(), bytes }], unlisted: Vec::new() }
    }

    pub fn len(&self) -> usize {
        self.files.len()
    }

    pub fn bytes(&self) -> u64 {
        self.files.iter().map(|file| file.bytes).sum()
    }

    /// Ranges of files to be worked on together; they depend on the files alone.
    pub fn units(&self) -> Vec<(Range<usize>, u64)> {
        let mut units = Vec::new();
        let (mut start, mut bytes) = (0, 0);
        for (place, file) in self.files.iter().enumerate() {
            bytes += file.bytes;
            if bytes >= UNIT_BYTES || place + 1 - start >= UNIT_FILES || place + 1 == self.files.len() {
                units.push((start..place + 1, bytes));
                (start, bytes) = (place + 1, 0);
            }
        }
        units
    }

    /// The folder below the root, `depth` deep, that a file is in; none for a file that is not so deep.
    pub fn class(&self, file: usize, depth: usize) -> Option<String> {
        let mut folders = self.files[file].path.parent()?.components();
        Some(folders.nth(depth.checked_sub(1)?)?.as_os_str().to_string_lossy().into_owned())
    }

    /// The path of a file, from the folder's name on.
    pub fn path(&self, file: usize) -> PathBuf {
        self.root.join(&self.files[file].path)
    }

    /// Reads some files into a chunk.
    pub fn encode(
        &self,
        files: Range<usize>,
        before: u64,
        depth: usize,
        builder: &mut ChunkBuilder<'_>,
    ) -> Result<EncodedChunk, DataError> {
        let mut bytes = Vec::new();
        let mut kept = Vec::with_capacity(files.len());
        for file in files.clone() {
            let mut faults = Faults::default();
            bytes.clear();
            let path = self.path(file);
            match File::open(&path).and_then(|mut from| from.read_to_end(&mut bytes)) {
                Ok(_) if is_binary(&bytes) => faults.push(0, None, RowFault::Binary(path)),
                Ok(_) => {}
                Err(error) => faults.push(0, None, RowFault::Unreadable(path, reason(&error))),
            }
            let class = self.class(file, depth);
            for (column, variable) in builder.file().variable_of.iter().enumerate() {
                let Some(variable) = *variable else { continue };
                let cell = match column {
                    0 => Some(self.files[file].path.as_os_str().as_encoded_bytes()),
                    1 => class.as_deref().map(str::as_bytes),
                    _ => Some(bytes.as_slice()),
                };
                builder.push_cell(variable, cell, 0, &mut faults);
            }
            builder.rows_pushed(1);
            builder.settle(faults, |_| file as u64 + 1)?;
            if builder.dropped().is_empty() {
                kept.push(file as u32);
            }
        }
        if builder.plan().keep_raw {
            builder.set_raw(RawRows::Documents(kept));
        }
        builder.finish(before + files.start as u64)
    }
}

fn reason(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::PermissionDenied => "it may not be read".into(),
        io::ErrorKind::NotFound => "it is not there any more".into(),
        _ => error.to_string(),
    }
}
