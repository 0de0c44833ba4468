//! A file that asks the system for room ahead of what is written.
//!
//! A file system that is told of some megabytes at once looks for room once, and not page by page: ext4 takes two thirds of the time for the
//! same bytes. The size of the file is what was written all along, whoever looks at it. What is left over is given back at the end.

use std::fs::File;
use std::io::{self, Write};

use tempfile::NamedTempFile;

/// A new file, written from its start to its end.
pub(crate) struct Reserved {
    file: NamedTempFile,
    written: u64,
    /// Room up to here has been asked for; `None` once the system had none to give, which is no fault of what is written.
    reserved: Option<u64>,
}

/// Files smaller than this ask for nothing.
const LEAST: u64 = 1 << 23;

/// What is asked for at once, at most: so much may be left over if the machine stops.
const MOST: u64 = 1 << 26;

impl Reserved {
    pub fn new(file: NamedTempFile) -> Self {
        Self { file, written: 0, reserved: Some(0) }
    }

    /// The file as long as it is.
    pub fn finish(self) -> io::Result<NamedTempFile> {
        if self.reserved.is_none_or(|reserved| reserved > self.written) {
            self.file.as_file().set_len(self.written)?;
        }
        Ok(self.file)
    }

    /// Asks for room for so many bytes more, and as many again as there are already.
    fn reserve(&mut self, n: usize) {
        let Some(reserved) = self.reserved else { return };
        let end = self.written + n as u64;
        if end > LEAST.max(reserved) {
            let ahead = end.clamp(LEAST, MOST);
            self.reserved = ask(self.file.as_file(), self.written, n as u64 + ahead).is_ok().then_some(end + ahead);
        }
    }
}

impl Write for Reserved {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.reserve(bytes.len());
        let n = self.file.write(bytes)?;
        self.written += n as u64;
        Ok(n)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

#[cfg(target_os = "linux")]
fn ask(file: &File, start: u64, n: u64) -> io::Result<()> {
    Ok(rustix::fs::fallocate(file, rustix::fs::FallocateFlags::KEEP_SIZE, start, n)?)
}

#[cfg(not(target_os = "linux"))]
fn ask(_: &File, _: u64, _: u64) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_as_long_as_what_was_written_and_takes_no_more_room() {
        for n in [0, 1000, LEAST as usize - 1, LEAST as usize + 1, 3 * LEAST as usize + 12_345] {
            let mut file = Reserved::new(NamedTempFile::new().unwrap());
            let bytes: Vec<u8> = (0..n).map(|i| (i % 251) as u8).collect();
            for some in bytes.chunks(100_000) {
                file.write_all(some).unwrap();
                assert_eq!(file.file.as_file().metadata().unwrap().len(), file.written);
            }
            let file = file.finish().unwrap();
            assert!(std::fs::read(file.path()).unwrap() == bytes, "{n} bytes");
            #[cfg(target_os = "linux")]
            {
                use std::os::unix::fs::MetadataExt;
                file.as_file().sync_all().unwrap();
                let taken = file.as_file().metadata().unwrap().blocks() * 512;
                assert!(taken <= n as u64 + (1 << 16), "{taken} bytes for {n}");
            }
        }
    }
}
