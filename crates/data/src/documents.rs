//! Documents as a table: a row each, with its path, its class, and its text.
//!
//! They lie in a folder, in one file, or come on standard input. A file is one document, or is cut into many: a document a line, or
//! a document a message of a mailbox. The class is the folder a file is in, or, of a file that is cut, its own name.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use walkdir::WalkDir;

use crate::DataError;
use crate::encode::{ChunkBuilder, EncodedChunk, Faults, PlanKind, RawRows};
use crate::error::RowFault;
use crate::input::{Input, read_full, unpacked, without_packing};
use crate::mailbox;
use crate::options::Cut;
use crate::source::Unit;
use crate::text::blocks::{Block, Blocks, Pool, Records};
use crate::words::is_binary;

/// The columns of documents.
pub const COLUMNS: [&str; 3] = ["path", "class", "text"];

/// Files of documents: those of a folder in the order of their names, or a single one.
pub(crate) struct Documents {
    root: PathBuf,
    files: Vec<Document>,
    /// The file, if it is not one of a folder.
    single: Option<Input>,
    /// What could not be listed, in words.
    pub unlisted: Vec<String>,
    /// Places where documents of a class would be and none are, in words.
    pub vacant: Vec<String>,
}

struct Document {
    /// Below the root.
    path: PathBuf,
    /// Zero where nobody asked.
    bytes: u64,
    cut: Cut,
    /// The same for all of a folder.
    class: Option<Arc<str>>,
}

/// Which document a row is: the file, and the number within it if the file is cut.
pub(crate) type RowName = (u32, Option<u64>);

/// Endings of files that are tables.
const TABLES: [&str; 9] = ["csv", "tsv", "arff", "jsonl", "ndjson", "parquet", "arrow", "feather", "ipc"];

/// Files that one thread works on at a time, and bytes at which they make a chunk: enough that few words are new in each, few enough
/// to share out.
const UNIT_FILES: usize = 512;
const CHUNK_BYTES: usize = 2 << 20;

/// Bytes that are asked for at once of a file.
const AT_ONCE: usize = 1 << 16;

impl Documents {
    /// Lists a folder and all in it. Links are followed; one that leads back to a folder above it is not, and is told. To ask for the size
    /// of every file takes as long as to list them: those of whole files are asked for only where it is to be told how far reading has come.
    pub fn list(root: &Path, cut: Option<Cut>, class_depth: usize, with_sizes: bool) -> Result<Self, DataError> {
        let class_depth = class_depth.max(1);
        let (mut files, mut unlisted) = (Vec::new(), Vec::new());
        // Folders that are classes, and whether a document was found in them.
        let mut folders: Vec<(PathBuf, bool)> = Vec::new();
        // The folders that lead to where the walk is, below the root, each with the class of the documents in it.
        let mut open: Vec<(PathBuf, Option<Arc<str>>)> = vec![(PathBuf::new(), None)];
        // Those that are put in order lie in one folder: their paths are in the order of their names, and need not be taken apart for it.
        for entry in WalkDir::new(root).follow_links(true).sort_by(|a, b| a.path().as_os_str().cmp(b.path().as_os_str())) {
            match entry {
                Ok(entry) if entry.file_type().is_file() => {
                    open.truncate(entry.depth().max(1));
                    let (path, class) = within(&open, entry.file_name());
                    let cut = cut_of(cut, &path);
                    let bytes = if with_sizes || cut != Cut::Whole { entry.metadata().map_or(0, |metadata| metadata.len()) } else { 0 };
                    let class = class.or_else(|| (entry.depth() == class_depth).then(|| class_of_cut(&path, cut)).flatten());
                    files.push(Document { path, bytes, cut, class });
                    // What is deeper than a class's folder follows it at once.
                    if let Some((_, has_some)) = folders.last_mut().filter(|_| entry.depth() > class_depth) {
                        *has_some = true;
                    }
                }
                Ok(entry) if entry.file_type().is_dir() && entry.depth() > 0 => {
                    open.truncate(entry.depth());
                    let (path, class) = within(&open, entry.file_name());
                    let is_class = entry.depth() == class_depth;
                    open.push((path, if is_class { Some(as_text(entry.file_name()).into()) } else { class }));
                    if is_class {
                        folders.push((entry.into_path(), false));
                    }
                }
                // A pipe, a socket or the like.
                Ok(entry) if entry.depth() > 0 && !entry.file_type().is_dir() => {
                    unlisted.push(format!("{}: is no file and was passed over", entry.path().display()));
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
        if cut.is_none() && files.iter().all(is_table) {
            return Err(DataError::BadFile {
                path: root.into(),
                what: "is a folder of tables, not of documents".into(),
                hint: Some(format!("name its files, for example '{}/*.csv'", root.display())),
            });
        }
        let vacant = folders.into_iter().filter(|(_, has_some)| !has_some).map(|(path, _)| without_documents(&path)).collect();
        let mut documents = Self { root: root.into(), files, single: None, unlisted, vacant };
        documents.tell_empty_files();
        Ok(documents)
    }

    /// One file.
    pub fn single(input: &Input, cut: Cut, class_depth: usize) -> Self {
        let path = &input.path;
        let (root, name) = (path.parent().unwrap_or(Path::new("")), path.file_name().unwrap_or(path.as_os_str()));
        let class = if class_depth <= 1 { class_of_cut(Path::new(name), cut) } else { None };
        let files = vec![Document { path: name.into(), bytes: input.bytes(), cut, class }];
        let mut documents = Self { root: root.into(), files, single: Some(input.clone()), unlisted: Vec::new(), vacant: Vec::new() };
        documents.tell_empty_files();
        documents
    }

    fn tell_empty_files(&mut self) {
        let empty = (0..self.len()).filter(|file| !self.has_documents(*file));
        let told: Vec<String> = empty.map(|file| without_documents(&self.path(file))).collect();
        self.vacant.extend(told);
    }

    pub fn len(&self) -> usize {
        self.files.len()
    }

    pub fn bytes(&self) -> u64 {
        self.files.iter().map(|file| file.bytes).sum()
    }

    /// Whether any of the files is a mailbox.
    pub fn has_mailbox(&self) -> bool {
        (0..self.len()).any(|file| self.cut(file) == Cut::Messages)
    }

    fn cut(&self, file: usize) -> Cut {
        self.files[file].cut
    }

    /// An empty file is an empty document, unless it is cut.
    pub fn has_documents(&self, file: usize) -> bool {
        self.cut(file) == Cut::Whole || self.files[file].bytes > 0
    }

    /// The folder below the root, as deep as classes are, that a file is in; none for a file that is not so deep. A file that is
    /// cut counts as a folder of its documents.
    pub fn class(&self, file: usize) -> Option<&str> {
        self.files[file].class.as_deref()
    }

    /// The path of a file, from the folder's name on.
    fn path(&self, file: usize) -> PathBuf {
        self.root.join(&self.files[file].path)
    }

    /// What a row is called: the path of its file, and behind a colon the number of its line or message.
    pub fn name(&self, (file, number): RowName) -> String {
        let path = self.path(file as usize);
        let path = as_text(path.as_os_str());
        number.map_or_else(|| path.to_string(), |number| format!("{path}:{number}"))
    }

    /// The units of work of all files, in order; they depend on the files alone.
    pub fn units(&self, rows: usize, first_row: u64, pool: Pool) -> DocumentUnits<'_> {
        DocumentUnits { documents: self, next_file: 0, open: None, next_row: first_row, rows, pool }
    }

    fn open(&self, file: usize) -> io::Result<Input> {
        self.single.clone().map_or_else(|| Input::packed(&self.path(file)), Ok)
    }

    /// The blocks of a file that is cut; none if it cannot be read or is not text, which is told when it is read as a whole.
    fn blocks(&self, file: usize, rows: usize, first_row: u64, pool: Pool) -> Option<Blocks> {
        let records = match self.cut(file) {
            Cut::Whole => return None,
            Cut::Lines => Records::EveryLine,
            Cut::Messages => Records::Messages,
        };
        let input = self.open(file).ok()?;
        let (mut head, mut from) = (Vec::new(), BufReader::new(input.open().ok()?).take(8192));
        // More than the first line may be long in coming.
        if input.live { from.read_until(b'\n', &mut head) } else { from.read_to_end(&mut head) }.ok()?;
        if is_binary(&head) {
            return None;
        }
        input.begin_last_pass();
        Blocks::new(&input, records, rows, first_row, pool).ok()
    }

    /// The bytes of a whole file, unpacked if it is packed: the first so many of the buffer, which is not made anew for every file.
    fn read(&self, file: usize, buffer: &mut Vec<u8>) -> io::Result<usize> {
        buffer.resize(buffer.len().max(AT_ONCE), 0);
        let mut n = 0;
        match &self.single {
            Some(input) => {
                buffer.clear();
                n = input.raw()?.read_to_end(buffer)?;
            }
            None => {
                let mut file = File::open(self.path(file))?;
                loop {
                    n += read_full(&mut file, &mut buffer[n..])?;
                    if n < buffer.len() {
                        break;
                    }
                    buffer.resize(2 * n, 0);
                }
            }
        }
        if let Some(text) = unpacked(&buffer[..n])? {
            *buffer = text;
            n = buffer.len();
        }
        Ok(n)
    }

    /// Reads some files into chunks, which depend on the files alone.
    pub fn encode_files<'p>(
        &self,
        files: Range<usize>,
        first_row: u64,
        builder: impl Fn() -> ChunkBuilder<'p>,
        mut each: impl FnMut(EncodedChunk) -> Result<(), DataError>,
    ) -> Result<(), DataError> {
        let mut buffer = Vec::new();
        let (mut chunk, mut kept, mut n_bytes, mut first) = (builder(), Vec::new(), 0, first_row);
        for (file, row) in files.clone().zip(first_row..) {
            let (n, fault) = match self.read(file, &mut buffer) {
                Ok(n) if is_binary(&buffer[..n]) => (n, Some(self.no_text(file, &buffer[..n]))),
                Ok(n) => (n, None),
                Err(error) => (0, Some(RowFault::Unreadable(self.path(file), reason(&error)))),
            };
            let bytes = &buffer[..n];
            if self.push((file as u32, None), self.class(file), bytes, fault, file as u64 + 1, &mut chunk)? {
                kept.push((file as u32, None));
            }
            n_bytes += n;
            if n_bytes >= CHUNK_BYTES || file + 1 == files.end {
                if chunk.plan().keep_raw {
                    chunk.set_raw(RawRows::Documents(std::mem::take(&mut kept)));
                }
                each(chunk.finish(first)?)?;
                (chunk, n_bytes, first) = (builder(), 0, row + 1);
                kept.clear();
            }
        }
        Ok(())
    }

    /// Why a file is none that is read.
    fn no_text(&self, file: usize, bytes: &[u8]) -> RowFault {
        if bytes.starts_with(b"\xFF\xFE") || bytes.starts_with(b"\xFE\xFF") {
            return RowFault::Unreadable(self.path(file), "it is UTF-16 text, to be converted to UTF-8 (iconv -f UTF-16 -t UTF-8)".into());
        }
        RowFault::Binary(self.path(file))
    }

    /// Reads a block of a file that is cut into a chunk; `before` are the rows before the file's first.
    pub fn encode_block(&self, block: &Block, file: usize, before: u64, builder: &mut ChunkBuilder<'_>) -> Result<EncodedChunk, DataError> {
        let bytes = &block.bytes[..block.len];
        let class = self.class(file);
        let mut kept = Vec::new();
        let mut number = block.first_row - before;
        let mut each = |document: &[u8], fault: Option<RowFault>| -> Result<(), DataError> {
            number += 1;
            let name = (file as u32, Some(number));
            // In a folder the number within a file says little.
            let place = if self.single.is_some() { number } else { before + number };
            if self.push(name, class, document, fault, place, builder)? {
                kept.push(name);
            }
            Ok(())
        };
        match self.cut(file) {
            Cut::Messages => {
                for message in mailbox::messages(bytes) {
                    match message {
                        Ok(message) => each(&message, None)?,
                        Err(stray) => each(stray, Some(RowFault::NotAMailbox(self.path(file))))?,
                    }
                }
            }
            _ => {
                for line in bytes.split_inclusive(|b| *b == b'\n') {
                    let line = line.strip_suffix(b"\n").unwrap_or(line);
                    each(line.strip_suffix(b"\r").unwrap_or(line), None)?;
                }
            }
        }
        if builder.plan().keep_raw {
            builder.set_raw(RawRows::Documents(kept));
        }
        builder.finish(block.first_row)
    }

    /// Adds one document to a chunk, unless it is malformed and passed over.
    fn push(
        &self,
        name: RowName,
        class: Option<&str>,
        text: &[u8],
        fault: Option<RowFault>,
        place: u64,
        builder: &mut ChunkBuilder<'_>,
    ) -> Result<bool, DataError> {
        let mut faults = Faults::default();
        // What is passed over is not read either.
        let text = if fault.is_some() { b"" } else { text };
        if let Some(fault) = fault {
            faults.push(0, None, fault);
        }
        let is_read = |variable: &usize| !matches!(builder.plan().variables[*variable].kind, PlanKind::Skip);
        let variables: Vec<Option<usize>> = builder.file().variable_of.iter().map(|variable| variable.filter(is_read)).collect();
        for (column, variable) in variables.into_iter().enumerate() {
            let Some(variable) = variable else { continue };
            match column {
                0 => builder.push_cell(variable, Some(self.name(name).as_bytes()), 0, &mut faults),
                1 => builder.push_cell(variable, class.map(str::as_bytes), 0, &mut faults),
                _ => builder.push_cell(variable, Some(text), 0, &mut faults),
            }
        }
        builder.rows_pushed(1);
        builder.settle(faults, |_| place)?;
        let is_kept = builder.dropped().is_empty();
        if is_kept {
            builder.note_document(text);
        }
        Ok(is_kept)
    }
}

/// The units of documents: some files, or a block of a file that is cut.
pub(crate) struct DocumentUnits<'d> {
    documents: &'d Documents,
    next_file: usize,
    /// The file that is being cut, and the rows before its first.
    open: Option<(usize, Blocks, u64)>,
    next_row: u64,
    rows: usize,
    pool: Pool,
}

impl DocumentUnits<'_> {
    /// The number the next row would have, once all units are drawn.
    pub fn next_row(&self) -> u64 {
        self.next_row
    }

    pub fn next(&mut self) -> Result<Option<Unit>, DataError> {
        loop {
            if let Some((file, blocks, before)) = &mut self.open {
                if let Some(block) = blocks.next()? {
                    return Ok(Some(Unit::Pieces { block, file: *file, before: *before }));
                }
                self.next_row = blocks.next_row();
                self.open = None;
            }
            let (documents, first) = (self.documents, self.next_file);
            if first == documents.len() {
                return Ok(None);
            }
            if documents.cut(first) == Cut::Whole {
                return Ok(Some(self.whole_files()));
            }
            self.next_file += 1;
            match documents.blocks(first, self.rows, self.next_row, self.pool.clone()) {
                Some(blocks) => self.open = Some((first, blocks, self.next_row)),
                None => return Ok(Some(self.files(first..first + 1, documents.files[first].bytes))),
            }
        }
    }

    /// The next files that are not cut.
    fn whole_files(&mut self) -> Unit {
        let (files, first) = (&self.documents.files, self.next_file);
        let mut bytes = 0;
        while self.next_file < files.len() && self.next_file - first < UNIT_FILES && self.documents.cut(self.next_file) == Cut::Whole {
            bytes += files[self.next_file].bytes;
            self.next_file += 1;
        }
        self.files(first..self.next_file, bytes)
    }

    fn files(&mut self, files: Range<usize>, bytes: u64) -> Unit {
        let first_row = self.next_row;
        self.next_row += files.len() as u64;
        Unit::Documents { files, first_row, bytes }
    }
}

/// Where a file or a folder is that lies in the last of these folders, and the class of its documents.
fn within(open: &[(PathBuf, Option<Arc<str>>)], name: &OsStr) -> (PathBuf, Option<Arc<str>>) {
    open.last().map_or_else(|| (name.into(), None), |(folder, class)| (folder.join(name), class.clone()))
}

/// The class of the documents of a file that is cut, and that lies where folders of documents would.
fn class_of_cut(path: &Path, cut: Cut) -> Option<Arc<str>> {
    (cut != Cut::Whole && path.as_os_str() != "-").then(|| stem(path).into())
}

/// How a file is cut: as is said, and else a mailbox is known by its name.
fn cut_of(said: Option<Cut>, path: &Path) -> Cut {
    said.unwrap_or_else(|| if mailbox::is_name(path) { Cut::Messages } else { Cut::Whole })
}

/// The name of a file without its endings: of `spam.txt.gz` it is `spam`.
fn stem(path: &Path) -> String {
    let name = as_text(path.file_name().unwrap_or_default());
    let name = without_packing(&name);
    name.rsplit_once('.').map(|(stem, _)| stem).filter(|stem| !stem.is_empty()).unwrap_or(name).into()
}

/// A name as text. One that is not UTF-8 is Windows-1252, as a document is: signs that stand for any byte would make several names one.
fn as_text(name: &OsStr) -> Cow<'_, str> {
    name.to_str().map_or_else(|| encoding_rs::WINDOWS_1252.decode_without_bom_handling(name.as_encoded_bytes()).0, Cow::from)
}

fn without_documents(path: &Path) -> String {
    format!("{}: holds no document", path.display())
}

fn reason(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::PermissionDenied => "it may not be read".into(),
        io::ErrorKind::NotFound => "it is not there any more".into(),
        _ => error.to_string(),
    }
}
