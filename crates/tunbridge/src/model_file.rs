//! The model file: magic, format version, kind, a compressed self-describing body, and a checksum.
//!
//! ```text
//! offset  bytes
//!      0      8  magic: 89 54 42 52 0D 0A 1A 0A
//!      8      4  format version, little endian
//!     12      1  length k of the kind
//!     13      k  kind, UTF-8
//!  13 + k     8  length n of the body, little endian
//!  21 + k     n  body: MessagePack with field names, compressed with zstd
//!       …     4  CRC-32 (IEEE) of everything before it, little endian
//! ```
//!
//! Nothing that is read is trusted: lengths are checked against what is there, the body is unpacked up to a bound, and what it
//! says is validated by the types it is read into.

use std::fs::File;
use std::io::{ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

use data::DataError;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::Error;
use crate::atomic::{AtomicFile, check_place};

/// First bytes of a model file. As in PNG, the high bit and the line ends show whether a transfer took it for text.
pub const MAGIC: [u8; 8] = [0x89, b'T', b'B', b'R', 0x0D, 0x0A, 0x1A, 0x0A];
/// The format written here; older ones are read, newer ones are refused.
pub const VERSION: u32 = 2;
/// A body is not larger than this when it is unpacked; no file makes the program take more memory.
const MOST_BYTES: u64 = 1 << 30;

/// Why a model file could not be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ModelFileError {
    /// The system refused.
    #[error("{path}: {source}", path = .path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The reason.
        source: std::io::Error,
    },
    /// It does not begin as a model does.
    #[error("{path}: is not a Tunbridge model", path = .path.display())]
    NotAModel {
        /// The file.
        path: PathBuf,
    },
    /// It was written by a newer Tunbridge.
    #[error("{path}: has model format {found}; this program reads up to {VERSION}", path = .path.display())]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: u32,
    },
    /// It ends too early, or its checksum is wrong.
    #[error("{path}: is damaged: {what}", path = .path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// How.
        what: String,
    },
    /// Its kind is not known.
    #[error("{path}: holds a model of kind `{kind}`, which this program does not know", path = .path.display())]
    UnknownKind {
        /// The file.
        path: PathBuf,
        /// The kind.
        kind: String,
    },
    /// A file that is no model is in the way.
    #[error("{path}: exists and is not a Tunbridge model", path = .path.display())]
    InTheWay {
        /// The file.
        path: PathBuf,
    },
}

impl ModelFileError {
    /// What the user can do about it.
    pub fn hint(&self) -> Option<String> {
        match self {
            ModelFileError::NotAModel { .. } => Some("a model is written by `tunbridge learn`; data files come after it".into()),
            ModelFileError::Newer { .. } | ModelFileError::UnknownKind { .. } => Some("use the newer Tunbridge that wrote it".into()),
            ModelFileError::Damaged { .. } => Some("restore the file from a copy, or learn it again".into()),
            ModelFileError::InTheWay { .. } => Some("choose another name with --output, or replace it with --force".into()),
            // Files are mistyped in one way, whatever they hold.
            ModelFileError::Io { path, source } => DataError::Io { path: path.clone(), source: source.kind().into() }.hint(),
        }
    }
}

/// Whether a file begins as a model does.
pub fn is_model(path: &Path) -> bool {
    let mut head = [0_u8; 8];
    path.is_file() && File::open(path).and_then(|mut f| f.read_exact(&mut head)).is_ok() && head == MAGIC
}

/// Whether answers can be put at a path: in a folder that exists, and not in the place of a model or of what is read.
///
/// # Errors
/// When they cannot.
pub fn check_place_of_answers(path: &Path, data: &[impl AsRef<Path>]) -> Result<(), Error> {
    check_place(path)?;
    check_not_read(path, data, "answers")?;
    if is_model(path) {
        let what = format!("{}: is a Tunbridge model, which answers would replace", path.display());
        return Err(Error::unfit(what, "choose another name with --output"));
    }
    Ok(())
}

/// Whether a model of these data can be saved at `path`; to be asked before long work, so that it is not done for nothing.
///
/// # Errors
/// When the place is a folder or in none, is one of the data, or a file that is no model is there and `force` is not given.
pub fn check_output(path: &Path, data: &[impl AsRef<Path>], force: bool) -> Result<(), Error> {
    check_place(path)?;
    not_in_the_way(path, force)?;
    // A model among the data is no data, which is said when they are read.
    if is_model(path) { Ok(()) } else { check_not_read(path, data, "the model") }
}

fn check_not_read(path: &Path, data: &[impl AsRef<Path>], what: &str) -> Result<(), Error> {
    if data::is_among(path, data) {
        let what = format!("{}: is read from, and {what} would replace it", path.display());
        return Err(Error::unfit(what, "choose another name with --output"));
    }
    Ok(())
}

fn not_in_the_way(path: &Path, force: bool) -> Result<(), ModelFileError> {
    if path.exists() && !force && !is_model(path) { Err(ModelFileError::InTheWay { path: path.into() }) } else { Ok(()) }
}

/// Writes a model; a crash leaves the old file or the new one.
///
/// # Errors
/// When the system refuses, or a file that is no model is there and `force` is not given.
pub fn save(path: &Path, kind: &str, body: &impl Serialize, force: bool) -> Result<u64, ModelFileError> {
    not_in_the_way(path, force)?;
    let io = |source| ModelFileError::Io { path: path.into(), source };
    let bytes = to_bytes(kind, body).map_err(io)?;
    let mut file = AtomicFile::create(path).map_err(io)?;
    file.write_all(&bytes).map_err(io)?;
    file.commit().map_err(io)?;
    Ok(bytes.len() as u64)
}

/// The bytes of a model file.
///
/// # Errors
/// When the body cannot be encoded, or is larger than any that is read.
pub fn to_bytes(kind: &str, body: &impl Serialize) -> std::io::Result<Vec<u8>> {
    let packed = rmp_serde::to_vec_named(body).map_err(std::io::Error::other)?;
    let body = pack(&packed, MOST_BYTES)?;
    let mut bytes = Vec::with_capacity(body.len() + 64);
    bytes.extend_from_slice(&MAGIC);
    bytes.extend_from_slice(&VERSION.to_le_bytes());
    bytes.push(kind.len() as u8);
    bytes.extend_from_slice(kind.as_bytes());
    bytes.extend_from_slice(&(body.len() as u64).to_le_bytes());
    bytes.extend_from_slice(&body);
    bytes.extend_from_slice(&crc32fast::hash(&bytes).to_le_bytes());
    Ok(bytes)
}

/// Reads a model file: its kind and its body's bytes.
///
/// # Errors
/// When it is no model, damaged, or newer than this program.
pub fn load(path: &Path) -> Result<(String, Vec<u8>), ModelFileError> {
    let io = |source| ModelFileError::Io { path: path.into(), source };
    let mut file = File::open(path).map_err(io)?;
    if file.metadata().map_err(io)?.is_dir() {
        return Err(ModelFileError::NotAModel { path: path.into() });
    }
    let mut head = Vec::new();
    (&mut file).take(MAGIC.len() as u64).read_to_end(&mut head).map_err(io)?;
    if head != MAGIC {
        return Err(ModelFileError::NotAModel { path: path.into() });
    }
    let mut bytes = head;
    file.read_to_end(&mut bytes).map_err(io)?;
    from_bytes(path, &bytes)
}

/// Takes the bytes of a model file apart; `path` is for messages.
///
/// # Errors
/// As [`load`].
pub fn from_bytes(path: &Path, bytes: &[u8]) -> Result<(String, Vec<u8>), ModelFileError> {
    let damaged = |what: &str| ModelFileError::Damaged { path: path.into(), what: what.into() };
    let rest = bytes.strip_prefix(&MAGIC).ok_or_else(|| ModelFileError::NotAModel { path: path.into() })?;
    let (version, rest) = rest.split_first_chunk::<4>().ok_or_else(|| damaged("it ends in its header"))?;
    let version = u32::from_le_bytes(*version);
    if version > VERSION {
        return Err(ModelFileError::Newer { path: path.into(), found: version });
    }
    let (checked, sum) = bytes.split_last_chunk::<4>().ok_or_else(|| damaged("it ends in its header"))?;
    if crc32fast::hash(checked) != u32::from_le_bytes(*sum) {
        return Err(damaged("its checksum is wrong; the file was cut short or changed"));
    }
    let rest = &rest[..rest.len() - 4];
    let (kind_len, rest) = rest.split_first().ok_or_else(|| damaged("it ends in its header"))?;
    let (kind, rest) = rest.split_at_checked(usize::from(*kind_len)).ok_or_else(|| damaged("it ends in its header"))?;
    let kind = std::str::from_utf8(kind).map_err(|_| damaged("its kind is not text"))?;
    let (len, body) = rest.split_first_chunk::<8>().ok_or_else(|| damaged("it ends in its header"))?;
    if u64::from_le_bytes(*len) != body.len() as u64 {
        return Err(damaged("its length is not what its header says"));
    }
    let packed = unpack(body, MOST_BYTES).map_err(|e| match e.kind() {
        ErrorKind::FileTooLarge => damaged("its body is larger than any model"),
        _ => damaged("its body cannot be unpacked"),
    })?;
    Ok((kind.to_string(), packed))
}

fn pack(packed: &[u8], most: u64) -> std::io::Result<Vec<u8>> {
    if packed.len() as u64 > most {
        let what = format!("the model has {} bytes, and a model file holds at most {most}", packed.len());
        return Err(std::io::Error::new(ErrorKind::FileTooLarge, what));
    }
    // Level 3 makes a model of 144,202 words a thousandth smaller, and takes nearly twice as long.
    zstd::bulk::compress(packed, 1)
}

fn unpack(body: &[u8], most: u64) -> std::io::Result<Vec<u8>> {
    let mut packed = Vec::new();
    zstd::stream::read::Decoder::new(body)?.take(most + 1).read_to_end(&mut packed)?;
    if packed.len() as u64 > most { Err(ErrorKind::FileTooLarge.into()) } else { Ok(packed) }
}

/// Reads the body of a model file.
///
/// # Errors
/// When it is not what it should be.
pub fn body<T: DeserializeOwned>(path: &Path, packed: &[u8]) -> Result<T, ModelFileError> {
    rmp_serde::from_slice(packed).map_err(|e| ModelFileError::Damaged { path: path.into(), what: e.to_string() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn file() -> Vec<u8> {
        to_bytes("naive-bayes", &vec![1.5_f64, 2.0, 3.0]).unwrap()
    }

    fn read(bytes: &[u8]) -> Result<Vec<f64>, ModelFileError> {
        let path = Path::new("m.tb");
        let (kind, packed) = from_bytes(path, bytes)?;
        assert_eq!(kind, "naive-bayes");
        body(path, &packed)
    }

    #[test]
    fn what_is_written_is_read_back() {
        assert_eq!(read(&file()).unwrap(), [1.5, 2.0, 3.0]);
    }

    #[test]
    fn every_truncation_is_an_error() {
        let bytes = file();
        for end in 0..bytes.len() {
            assert!(read(&bytes[..end]).is_err(), "{end} bytes");
        }
    }

    #[test]
    fn every_flipped_bit_is_an_error() {
        for bit in 0..file().len() * 8 {
            let mut bytes = file();
            bytes[bit / 8] ^= 1 << (bit % 8);
            assert!(read(&bytes).is_err(), "bit {bit}");
        }
    }

    #[test]
    fn what_is_too_large_is_neither_written_nor_read() {
        let zeros = vec![0; 100_000];
        assert_eq!(pack(&zeros, 99_999).unwrap_err().kind(), ErrorKind::FileTooLarge);
        let bomb = pack(&zeros, 100_000).unwrap();
        assert!(bomb.len() < 1000);
        assert_eq!(unpack(&bomb, 99_999).unwrap_err().kind(), ErrorKind::FileTooLarge);
        assert_eq!(unpack(&bomb, 100_000).unwrap(), zeros);
    }

    #[test]
    fn a_newer_version_is_named() {
        let mut bytes = file();
        bytes[8] = 99;
        assert!(matches!(read(&bytes), Err(ModelFileError::Newer { found: 99, .. })));
    }

    proptest! {
        #[test]
        fn no_bytes_with_a_right_checksum_panic(rest in proptest::collection::vec(any::<u8>(), 0..300)) {
            let mut bytes = MAGIC.to_vec();
            bytes.extend(1_u32.to_le_bytes());
            bytes.extend(rest);
            bytes.extend(crc32fast::hash(&bytes).to_le_bytes());
            if let Ok((_, packed)) = from_bytes(Path::new("m.tb"), &bytes) {
                let _ = body::<Vec<f64>>(Path::new("m.tb"), &packed);
            }
        }
    }
}
