//! Files that appear whole or not at all.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use crate::Error;
use crate::reserved::Reserved;

/// Files that are being written; see [`abandon_unfinished`].
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// A file that is written beside its place, synced, and then renamed into it: a crash leaves the old file or the new one.
///
/// Where the place is a link, the file it leads to is replaced. Where it is a pipe or a device, it is written to as it is.
pub struct AtomicFile {
    path: PathBuf,
    file: BufWriter<Place>,
}

enum Place {
    Beside(Reserved),
    Device(File),
}

impl Write for Place {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Place::Beside(file) => file.write(bytes),
            Place::Device(file) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Place::Beside(file) => file.flush(),
            Place::Device(file) => file.flush(),
        }
    }
}

impl AtomicFile {
    /// Starts a file that will be at `path`.
    ///
    /// # Errors
    /// When its folder is not there or may not be written to.
    pub fn create(path: &Path) -> io::Result<Self> {
        let path = path.canonicalize().unwrap_or_else(|_| path.into());
        let place = if std::fs::metadata(&path).is_ok_and(|there| !there.is_file() && !there.is_dir()) {
            Place::Device(File::options().write(true).open(&path)?)
        } else {
            // Held until the file is noted, so that whoever stops the program finds it.
            let mut unfinished = unfinished();
            let file = as_any_new_file(tempfile::Builder::new().prefix(".tunbridge-").suffix(".tmp")).tempfile_in(folder_of(&path));
            // The error names the temporary file, of which the user knows nothing.
            let file = file.map_err(|e| io::Error::from(e.kind()))?;
            unfinished.push(file.path().to_path_buf());
            Place::Beside(Reserved::new(file))
        };
        Ok(Self { path, file: BufWriter::with_capacity(1 << 18, place) })
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
        let Self { path, file } = self;
        let Place::Beside(file) = file.into_inner().map_err(io::IntoInnerError::into_error)? else { return Ok(()) };
        let file = file.finish()?;
        keep_permissions(&path, file.as_file())?;
        if sync {
            file.as_file().sync_all()?;
        }
        // Held over the renaming, so that whoever stops the program comes before it or after it.
        let mut unfinished = unfinished();
        unfinished.retain(|p| p != file.path());
        file.persist(&path).map_err(|e| e.error).map(drop)
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

/// Removes files that are half written; for a program that is told to stop. No other file can be begun or put in its place after it.
pub fn abandon_unfinished() {
    let unfinished = unfinished();
    for path in unfinished.iter() {
        let _ = std::fs::remove_file(path);
    }
    std::mem::forget(unfinished);
}

/// Whether a file can be put at `path`; to be asked before long work, so that it is not done for nothing.
///
/// # Errors
/// When the place is a folder, or in no folder that exists.
pub fn check_place(path: &Path) -> Result<(), Error> {
    let folder = folder_of(path);
    if path.is_dir() {
        let what = format!("{}: is a folder", path.display());
        return Err(Error::unfit(what, format!("name a file in it, as in {}", path.join("name").display())));
    }
    if !folder.is_dir() {
        let what = format!("{}: there is no folder `{}`", path.display(), folder.display());
        return Err(Error::unfit(what, "make the folder first, or choose another place with --output"));
    }
    Ok(())
}

fn unfinished() -> std::sync::MutexGuard<'static, Vec<PathBuf>> {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// A temporary file is private to its owner unless told otherwise; what this one may be is left to the user's mask.
#[cfg(unix)]
fn as_any_new_file<'b, 'p, 's>(builder: &'b mut tempfile::Builder<'p, 's>) -> &'b mut tempfile::Builder<'p, 's> {
    use std::os::unix::fs::PermissionsExt;
    builder.permissions(std::fs::Permissions::from_mode(0o666))
}

#[cfg(not(unix))]
fn as_any_new_file<'b, 'p, 's>(builder: &'b mut tempfile::Builder<'p, 's>) -> &'b mut tempfile::Builder<'p, 's> {
    builder
}

/// The new file has the permissions of the one it replaces.
#[cfg(unix)]
fn keep_permissions(path: &Path, file: &File) -> io::Result<()> {
    match std::fs::metadata(path) {
        Ok(old) => file.set_permissions(old.permissions()),
        Err(_) => Ok(()),
    }
}

#[cfg(not(unix))]
fn keep_permissions(_: &Path, _: &File) -> io::Result<()> {
    Ok(())
}
