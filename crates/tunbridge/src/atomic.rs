//! Files that appear whole or not at all.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use tempfile::NamedTempFile;

/// Files that are being written; see [`abandon_unfinished`].
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// A file that is written beside its place, synced, and then renamed into it: a crash leaves the old file or the new one.
pub struct AtomicFile {
    path: PathBuf,
    file: BufWriter<NamedTempFile>,
    temporary: PathBuf,
}

impl AtomicFile {
    /// Starts a file that will be at `path`.
    ///
    /// # Errors
    /// When its folder is not there or may not be written to.
    pub fn create(path: &Path) -> io::Result<Self> {
        let folder = folder_of(path);
        let file = tempfile::Builder::new().prefix(".tunbridge-").suffix(".tmp").tempfile_in(folder)?;
        let temporary = file.path().to_path_buf();
        unfinished().push(temporary.clone());
        Ok(Self { path: path.into(), file: BufWriter::with_capacity(1 << 18, file), temporary })
    }

    /// Puts the file in its place, safe against a failure of power too.
    ///
    /// # Errors
    /// When it cannot be written out or renamed; the old file is then still there.
    pub fn commit(self) -> io::Result<()> {
        let path = self.path.clone();
        self.put(true)?;
        // The rename itself is safe on disk once the folder is; a system that cannot sync folders keeps the order anyway.
        if let Ok(folder) = File::open(folder_of(&path)) {
            let _ = folder.sync_all();
        }
        Ok(())
    }

    /// Puts the file in its place, safe against a failure of the program; for large output that can be made again.
    ///
    /// # Errors
    /// When it cannot be written out or renamed; the old file is then still there.
    pub fn commit_unsynced(self) -> io::Result<()> {
        self.put(false)
    }

    fn put(self, sync: bool) -> io::Result<()> {
        let Self { path, file, temporary } = self;
        let outcome = file.into_inner().map_err(io::IntoInnerError::into_error).and_then(|file| {
            keep_permissions(&path, file.as_file())?;
            if sync {
                file.as_file().sync_all()?;
            }
            file.persist(&path).map_err(|e| e.error)
        });
        unfinished().retain(|p| *p != temporary);
        outcome.map(drop)
    }
}

impl Write for AtomicFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// Removes files that are half written; for a program that is told to stop.
pub fn abandon_unfinished() {
    for path in unfinished().drain(..) {
        let _ = std::fs::remove_file(path);
    }
}

fn unfinished() -> std::sync::MutexGuard<'static, Vec<PathBuf>> {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// A temporary file is private to its owner; the new file has the permissions of the one it replaces, or those of any new file.
#[cfg(unix)]
fn keep_permissions(path: &Path, file: &File) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let mode = std::fs::metadata(path).map_or(0o644, |old| old.permissions().mode() & 0o777);
    file.set_permissions(std::fs::Permissions::from_mode(mode))
}

#[cfg(not(unix))]
fn keep_permissions(_: &Path, _: &File) -> io::Result<()> {
    Ok(())
}
