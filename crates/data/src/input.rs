//! Where a table comes from: paths, globs and standard input; what format and compression each has.

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use crate::spool::Spool;
use crate::{DataError, mailbox};

/// One file of a table, which can be opened again and again.
///
/// Standard input is copied to an unnamed temporary file and is a file like any other: schema inference, leave-one-out and calibration
/// each read the rows again, and Parquet is read from its end.
#[derive(Clone, Debug)]
pub struct Input {
    /// The file as the user named it; `-` is standard input.
    pub path: PathBuf,
    /// Its format.
    pub format: Format,
    /// Whether records are wanted as soon as they are there, however few.
    pub(crate) live: bool,
    compression: Compression,
    spooled: Option<Arc<Spool>>,
    bytes: u64,
}

/// A file format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Separated values; `tab` is the extension's word on the delimiter.
    Csv {
        /// Whether the file's name says that tabs separate.
        tab: bool,
    },
    /// Weka's attribute-relation file format.
    Arff,
    /// A JSON object per line.
    JsonLines,
    /// Apache Parquet.
    Parquet,
    /// Arrow IPC file, also known as Feather version 2.
    ArrowFile,
    /// Arrow IPC stream.
    ArrowStream,
    /// A folder of documents.
    Folder,
    /// A mailbox of messages.
    Mailbox,
    /// Documents, because that was said.
    Documents,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Compression {
    None,
    Gzip,
    Zstd,
}

impl Compression {
    /// Known by the first bytes.
    fn of(head: &[u8]) -> Self {
        match head {
            [0x1F, 0x8B, ..] => Compression::Gzip,
            [0x28, 0xB5, 0x2F, 0xFD, ..] => Compression::Zstd,
            _ => Compression::None,
        }
    }
}

/// What was read of standard input and pipes, which can be read once only: as long as one input of it is there, another gets the same
/// bytes.
static SPOOLED: Mutex<Vec<Spooled>> = Mutex::new(Vec::new());

struct Spooled {
    path: PathBuf,
    bytes: Weak<Spool>,
}

/// Files that are opened several times: what of them can be read once only is kept meanwhile.
pub struct KeptInputs {
    _inputs: Vec<Input>,
}

impl KeptInputs {
    /// Keeps these, as [`Input::all`] finds them.
    ///
    /// # Errors
    /// When a file is not there, or a glob finds nothing.
    pub fn of(arguments: &[impl AsRef<Path>]) -> Result<Self, DataError> {
        Ok(Self { _inputs: Input::all(arguments)? })
    }
}

impl Input {
    /// The files that the user's arguments name: paths, globs (in name order), or `-`.
    ///
    /// # Errors
    /// When a file is not there, or a glob finds nothing.
    pub fn all(arguments: &[impl AsRef<Path>]) -> Result<Vec<Self>, DataError> {
        Self::all_as(arguments, false, false)
    }

    /// The same; `documents` is whether the files hold documents, so that none is taken for a table, and `live` whether records are wanted as
    /// soon as they are there.
    pub(crate) fn all_as(arguments: &[impl AsRef<Path>], documents: bool, live: bool) -> Result<Vec<Self>, DataError> {
        let mut inputs = Vec::new();
        for argument in arguments {
            let path = argument.as_ref();
            if path.as_os_str() == "-" {
                if inputs.iter().any(|input: &Self| input.path == path) {
                    let hint = Some("what comes there is read once: give it once".into());
                    return Err(DataError::BadFile { path: "standard input".into(), what: "is named twice".into(), hint });
                }
                inputs.push(Self::spool(path, || Ok(io::stdin()), documents, live)?);
            } else if let Some(pattern) = path.to_str().filter(|p| p.contains(['*', '?', '[']) && !path.exists()) {
                let hint = "check the pattern, and quote it so that the shell leaves it alone";
                let bad = |what: String| DataError::BadFile { path: path.into(), what, hint: Some(hint.into()) };
                let mut found: Vec<PathBuf> = glob::glob(pattern)
                    .map_err(|e| bad(format!("is not a pattern: {e}")))?
                    .collect::<Result<_, _>>()
                    .map_err(|e| DataError::Io { path: e.path().into(), source: e.into() })?;
                // A folder was hardly meant; what cannot be read was, and is an error.
                found.retain(|p| !p.is_dir());
                found.sort();
                if found.is_empty() {
                    return Err(bad("matches no file".into()));
                }
                for path in found {
                    inputs.push(Self::file(&path, documents, live)?);
                }
            } else {
                inputs.push(Self::file(path, documents, live)?);
            }
        }
        Ok(inputs)
    }

    fn file(path: &Path, documents: bool, live: bool) -> Result<Self, DataError> {
        let io = |source| DataError::Io { path: path.into(), source };
        let metadata = std::fs::metadata(path).map_err(io)?;
        if metadata.is_dir() {
            return Ok(Self::plain(path, Format::Folder, 0));
        }
        if !metadata.is_file() {
            // A pipe or a process substitution can be read once only.
            return Self::spool(path, || File::open(path), documents, live);
        }
        Ok(Self { live, ..Self::recognise(path, None, metadata.len(), documents)? })
    }

    /// A file of documents that may be packed.
    pub(crate) fn packed(path: &Path) -> io::Result<Self> {
        let bytes = std::fs::metadata(path)?.len();
        let mut input = Self::plain(path, Format::Documents, bytes);
        input.find_compression()?;
        Ok(input)
    }

    /// A file of that size that is not packed, nor a copy.
    fn plain(path: &Path, format: Format, bytes: u64) -> Self {
        Self { path: path.into(), format, live: false, compression: Compression::None, spooled: None, bytes }
    }

    fn spool<R: Read + Send + 'static>(
        path: &Path,
        open: impl FnOnce() -> io::Result<R>,
        documents: bool,
        live: bool,
    ) -> Result<Self, DataError> {
        let io = |source| DataError::Io { path: path.into(), source };
        let mut all = SPOOLED.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|spooled| spooled.bytes.strong_count() > 0);
        let kept = all.iter().find(|spooled| spooled.path == path).and_then(|spooled| spooled.bytes.upgrade());
        let spool = match kept {
            // The first to read it lets go what it has read.
            Some(_) if live => {
                let hint = Some("name it once, or leave --live out".into());
                return Err(DataError::BadFile { path: path.into(), what: "is named twice, and can be read once only".into(), hint });
            }
            Some(spool) => spool,
            None => {
                let spool = open().and_then(|from| if live { Spool::begin_live(from) } else { Spool::begin(from) }).map_err(io)?;
                all.push(Spooled { path: path.into(), bytes: Arc::downgrade(&spool) });
                spool
            }
        };
        drop(all);
        let bytes = spool.bytes().map_err(io)?;
        let input = Self { live, ..Self::recognise(path, Some(spool), bytes, documents)? };
        if live && matches!(input.format, Format::Parquet | Format::ArrowFile | Format::ArrowStream) {
            return Err(DataError::BadFile {
                path: path.into(),
                what: "has columns, and not rows that come one by one".into(),
                hint: Some("leave --live out".into()),
            });
        }
        Ok(input)
    }

    /// From now on it is read once more, from the start to the end; what is live can be let go.
    pub(crate) fn begin_last_pass(&self) {
        if let Some(spool) = self.spooled.as_ref().filter(|_| self.live) {
            spool.begin_last_pass();
        }
    }

    fn find_compression(&mut self) -> io::Result<()> {
        let mut head = [0_u8; 4];
        let n = read_full(&mut self.raw()?, &mut head)?;
        self.compression = Compression::of(&head[..n]);
        Ok(())
    }

    fn recognise(path: &Path, spooled: Option<Arc<Spool>>, bytes: u64, documents: bool) -> Result<Self, DataError> {
        let mut input = Self { spooled, ..Self::plain(path, Format::Csv { tab: false }, bytes) };
        let io = |source| DataError::Io { path: path.into(), source };
        input.find_compression().map_err(io)?;
        if documents {
            input.format = Format::Documents;
            return Ok(input);
        }
        let name = plain_name(path);
        let start = input.open().and_then(|mut from| first_bytes(&mut from)).map_err(io)?;
        let start = &start[..];
        if start.starts_with(MODEL) {
            return Err(DataError::BadFile {
                path: path.into(),
                what: "is a Tunbridge model, not data".into(),
                hint: Some("`tunbridge show` prints a model; where a verb takes both, the model comes first".into()),
            });
        }
        input.format = if start.starts_with(b"PAR1") {
            Format::Parquet
        } else if start.starts_with(b"ARROW1") {
            Format::ArrowFile
        } else if start.starts_with(&[0xFF, 0xFF, 0xFF, 0xFF]) {
            Format::ArrowStream
        } else if let Some((_, what, hint)) = NOT_READ.iter().find(|(magic, _, _)| start.starts_with(magic)) {
            return Err(DataError::BadFile { path: path.into(), what: what.to_string(), hint: Some(hint.to_string()) });
        } else if mailbox::is_name(path) || mailbox::begins(start) {
            Format::Mailbox
        } else if opens_an_array(start) {
            return Err(DataError::BadFile {
                path: path.into(),
                what: "is an array of JSON objects".into(),
                hint: Some("write an object per line: jq -c '.[]'".into()),
            });
        } else if name.ends_with(".arff") || says_relation(start) {
            Format::Arff
        } else if name.ends_with(".jsonl") || name.ends_with(".ndjson") || opens_an_object(start) {
            Format::JsonLines
        } else if name.ends_with(".parquet") || name.ends_with(".arrow") || name.ends_with(".feather") {
            return Err(DataError::BadFile {
                path: path.into(),
                what: "does not begin as a file of its name's format does".into(),
                hint: Some("the file may be cut short or misnamed".into()),
            });
        } else {
            Format::Csv { tab: name.ends_with(".tsv") || name.ends_with(".tab") }
        };
        if matches!(input.format, Format::Parquet | Format::ArrowFile) && input.compression != Compression::None {
            // These are read from their end, so they are unpacked first.
            let unpacked = input.open().and_then(Spool::whole).map_err(io)?;
            let bytes = unpacked.bytes().map_err(io)?;
            return Self::recognise(path, Some(unpacked), bytes, documents);
        }
        Ok(input)
    }

    /// The size of the file as it is stored; of standard input, what there was of it when it was opened.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The file's own bytes, from the start, with a position of their own.
    pub(crate) fn raw(&self) -> io::Result<RawFile> {
        match &self.spooled {
            Some(spool) => Ok(RawFile::Spooled { spool: spool.clone(), at: 0 }),
            None => File::open(&self.path).map(RawFile::File),
        }
    }

    /// The uncompressed bytes, from the start.
    pub(crate) fn open(&self) -> io::Result<Box<dyn Read + Send>> {
        let raw = self.raw()?;
        Ok(match self.compression {
            Compression::None => Box::new(raw),
            Compression::Gzip => Box::new(flate2::bufread::MultiGzDecoder::new(BufReader::with_capacity(1 << 18, raw))),
            Compression::Zstd => Box::new(zstd::stream::read::Decoder::new(raw)?),
        })
    }

    /// Whether the file's name says that it is a table of separated values.
    pub(crate) fn is_named_as_table(&self) -> bool {
        let name = plain_name(&self.path);
        [".csv", ".tsv", ".tab", ".data"].iter().any(|ending| name.ends_with(ending))
    }

    /// The file for readers that seek; only for formats that are never compressed as a whole.
    pub(crate) fn seekable(&self) -> io::Result<File> {
        match &self.spooled {
            // A clone shares its position with the others; opening the descriptor anew gives one of its own.
            Some(spool) => reopen(spool),
            None => File::open(&self.path),
        }
    }
}

/// Whether a file is among those that the user's arguments name, or lies in a folder of them: what is written there would replace it.
pub fn is_among(path: &Path, arguments: &[impl AsRef<Path>]) -> bool {
    let Ok(path) = path.canonicalize() else { return false };
    let is_it = |named: &Path| named.canonicalize().is_ok_and(|named| path.starts_with(named));
    let finds_it = |pattern: &str| glob::glob(pattern).is_ok_and(|mut found| found.any(|named| named.is_ok_and(|named| is_it(&named))));
    arguments.iter().map(AsRef::as_ref).any(|named| is_it(named) || named.to_str().is_some_and(finds_it))
}

/// All bytes of a file that is no table, unpacked if it is packed by gzip or zstd; `-` is standard input.
///
/// # Errors
/// When the file is not there, is a folder, or cannot be read or unpacked.
pub fn whole_file(path: &Path) -> Result<Vec<u8>, DataError> {
    let read = || {
        let mut bytes = Vec::new();
        if path.as_os_str() == "-" {
            io::stdin().lock().read_to_end(&mut bytes)?;
        } else {
            bytes = std::fs::read(path)?;
        }
        Ok(unpacked(&bytes)?.unwrap_or(bytes))
    };
    read().map_err(|source| DataError::Io { path: path.into(), source })
}

#[cfg(target_os = "linux")]
fn reopen(spool: &Spool) -> io::Result<File> {
    use std::os::fd::AsRawFd;
    File::open(format!("/proc/self/fd/{}", spool.file()?.as_raw_fd()))
}

#[cfg(not(target_os = "linux"))]
fn reopen(spool: &Arc<Spool>) -> io::Result<File> {
    let mut copy = tempfile::tempfile()?;
    io::copy(&mut RawFile::Spooled { spool: spool.clone(), at: 0 }, &mut copy)?;
    io::Seek::seek(&mut copy, io::SeekFrom::Start(0))?;
    Ok(copy)
}

/// A file with a position of its own, also when several readers share one descriptor.
pub(crate) enum RawFile {
    File(File),
    Spooled { spool: Arc<Spool>, at: u64 },
}

impl Read for RawFile {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            RawFile::File(file) => file.read(buffer),
            RawFile::Spooled { spool, at } => {
                let n = spool.read_at(buffer, *at)?;
                *at += n as u64;
                Ok(n)
            }
        }
    }

    /// A file's own way knows how much there is to read.
    fn read_to_end(&mut self, buffer: &mut Vec<u8>) -> io::Result<usize> {
        match self {
            RawFile::File(file) => file.read_to_end(buffer),
            RawFile::Spooled { spool, at } => {
                let before = buffer.len();
                let mut piece = [0; 1 << 14];
                loop {
                    match spool.read_at(&mut piece, *at) {
                        Ok(0) => return Ok(buffer.len() - before),
                        Ok(n) => {
                            buffer.extend_from_slice(&piece[..n]);
                            *at += n as u64;
                        }
                        Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                        Err(e) => return Err(e),
                    }
                }
            }
        }
    }
}

#[cfg(unix)]
pub(crate) fn read_at(file: &File, buffer: &mut [u8], at: u64) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, buffer, at)
}

#[cfg(windows)]
pub(crate) fn read_at(file: &File, buffer: &mut [u8], at: u64) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, buffer, at)
}

/// The name of a file in small letters, without the ending of a compression.
pub(crate) fn plain_name(path: &Path) -> String {
    without_packing(&path.file_name().unwrap_or_default().to_string_lossy()).to_lowercase()
}

/// A name without the ending of a compression.
pub(crate) fn without_packing(name: &str) -> &str {
    let ending = [".gz", ".zst", ".zstd"]
        .iter()
        .find(|e| name.len() >= e.len() && name.as_bytes()[name.len() - e.len()..].eq_ignore_ascii_case(e.as_bytes()));
    ending.map_or(name, |ending| &name[..name.len() - ending.len()])
}

/// What packed bytes hold; none if they are not packed.
pub(crate) fn unpacked(bytes: &[u8]) -> io::Result<Option<Vec<u8>>> {
    // A text that is packed a hundred times smaller is hardly one.
    const MOST: u64 = 1 << 32;
    let mut text = Vec::new();
    let n = match Compression::of(bytes) {
        Compression::None => return Ok(None),
        Compression::Gzip => flate2::bufread::MultiGzDecoder::new(bytes).take(MOST).read_to_end(&mut text)?,
        Compression::Zstd => zstd::stream::read::Decoder::new(bytes)?.take(MOST).read_to_end(&mut text)?,
    };
    if n as u64 == MOST { Err(io::Error::other("it unpacks to more than 4 GB")) } else { Ok(Some(text)) }
}

/// Reads until the buffer is full or the input ends.
pub(crate) fn read_full(from: &mut impl Read, buffer: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match from.read(&mut buffer[filled..]) {
            Ok(0) => break,
            Ok(n) => filled += n,
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
    }
    Ok(filled)
}

/// As many of the first bytes as a format is known by: up to the line that says it, for more of them may be long in coming.
fn first_bytes(from: &mut impl Read) -> io::Result<Vec<u8>> {
    const MOST: usize = 4096;
    // Of what is no text only our models have a line end among the bytes they are known by.
    let may_be_model = |start: &[u8]| start[0] == MODEL[0] && start.len() < MODEL.len();
    let (mut start, mut n) = (vec![0; MOST], 0);
    while n < MOST && (!has_telling_line(&start[..n]) || may_be_model(&start[..n])) {
        match from.read(&mut start[n..]) {
            Ok(0) => break,
            Ok(more) => n += more,
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
    }
    start.truncate(n);
    Ok(start)
}

/// Whether a whole line is there that is more than a bracket and no comment of ARFF.
fn has_telling_line(start: &[u8]) -> bool {
    let text = start.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(start);
    let whole = memchr::memrchr(b'\n', text).map_or(&[][..], |end| &text[..end]);
    whole.split(|b| *b == b'\n').map(|line| line.trim_ascii()).any(|line| line.len() > 1 && line[0] != b'%')
}

/// How a model begins.
const MODEL: &[u8] = b"\x89TBR\r\n\x1A\n";

/// How files begin that look like none of the formats, what they are, and what to do with them.
const NOT_READ: [(&[u8], &str, &str); 8] = [
    (b"\x1F\x8B", "is packed twice", "unpack it once: gunzip"),
    (b"\x28\xB5\x2F\xFD", "is packed twice", "unpack it once: unzstd"),
    (b"\xFF\xFE", "is UTF-16 text", "convert it to UTF-8: iconv -f UTF-16 -t UTF-8"),
    (b"\xFE\xFF", "is UTF-16 text", "convert it to UTF-8: iconv -f UTF-16 -t UTF-8"),
    (b"PK\x03\x04", "is a workbook or a ZIP archive", "save the sheet as CSV, or unpack the archive"),
    (b"\xD0\xCF\x11\xE0", "is a workbook", "save the sheet as CSV"),
    (b"BZh", "is packed with bzip2", "unpack it first: bunzip2"),
    (b"\xFD7zXZ\0", "is packed with xz", "unpack it first: unxz"),
];

fn says_relation(start: &[u8]) -> bool {
    let start = start.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(start);
    start
        .split(|b| *b == b'\n')
        .map(|line| line.trim_ascii())
        .find(|line| !line.is_empty() && !line.starts_with(b"%"))
        .is_some_and(|line| line.len() >= 9 && line[..9].eq_ignore_ascii_case(b"@relation"))
}

fn opens_an_array(start: &[u8]) -> bool {
    let start = start.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(start).trim_ascii_start();
    start.strip_prefix(b"[").is_some_and(opens_an_object)
}

fn opens_an_object(start: &[u8]) -> bool {
    let start = start.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(start).trim_ascii_start();
    start.first() == Some(&b'{') && start[1..].trim_ascii_start().first().is_some_and(|b| *b == b'"' || *b == b'}')
}
