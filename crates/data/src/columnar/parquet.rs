//! Parquet: row groups, or parts of them, are decoded by any thread.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use arrow_array::{RecordBatch, RecordBatchOptions, make_array};
use arrow_buffer::Buffer;
use arrow_data::ArrayData;
use arrow_schema::{DataType, Field, Schema as ArrowSchema, SchemaRef};
use bytes::Bytes;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder, RowSelection, RowSelector};
use parquet::basic::Encoding;
use parquet::column::writer::ColumnCloseResult;
use parquet::errors::ParquetError;
use parquet::file::reader::{ChunkReader, Length};
use parquet::file::writer::SerializedRowGroupWriter;
use parquet::schema::types::Type;

use super::guard;
use super::plain_pages::{GroupPages, PlainPages};
use super::scratch::{Scratch, give_back};
use crate::DataError;
use crate::input::Input;
use crate::text::blocks::Pool;

const PARQUET: &str = "Parquet";

/// What is known of a Parquet file once its footer has been read.
#[derive(Clone)]
pub(crate) struct ParquetFile {
    input: Input,
    metadata: ArrowReaderMetadata,
}

/// Some rows of one row group.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    pub row_group: usize,
    skip: usize,
    rows: usize,
    /// The number of its first row in the file.
    pub first_row: u64,
    /// Of the row group, for all its parts.
    pages: Arc<GroupPages>,
}

impl Part {
    /// Its first rows only.
    pub fn first(&self, most: usize) -> Self {
        let rows = self.rows.min(most);
        Self { rows, pages: Arc::new(GroupPages::new(self.skip + rows)), ..self.clone() }
    }

    pub fn n_rows(&self) -> usize {
        self.rows
    }
}

/// A schema in which only texts and bytes are dictionaries, if others were: the reader makes none of truth values and decimals.
fn without_odd_dictionaries(schema: &SchemaRef) -> Option<SchemaRef> {
    let plain = |field: &Arc<Field>| match field.data_type() {
        DataType::Dictionary(_, value) if !value.is_string() && !value.is_binary() => {
            Arc::new(field.as_ref().clone().with_data_type(value.as_ref().clone()))
        }
        _ => field.clone(),
    };
    let fields: Vec<Arc<Field>> = schema.fields().iter().map(plain).collect();
    let is_other = fields.iter().zip(schema.fields()).any(|(now, before)| now != before);
    is_other.then(|| Arc::new(ArrowSchema::new_with_metadata(fields, schema.metadata().clone())))
}

/// A row group is cut into parts of no fewer rows than this: each part decodes its first page from the start.
pub(crate) const LEAST_PART: usize = 1 << 16;

impl ParquetFile {
    pub fn open(input: &Input) -> Result<Self, DataError> {
        let file = input.seekable().map_err(|source| DataError::Io { path: input.path.clone(), source })?;
        let metadata = guard(input, PARQUET, || {
            let loaded = ArrowReaderMetadata::load(&file, ArrowReaderOptions::new())?;
            let loaded = match without_odd_dictionaries(loaded.schema()) {
                Some(schema) => ArrowReaderMetadata::try_new(loaded.metadata().clone(), ArrowReaderOptions::new().with_schema(schema))?,
                None => loaded,
            };
            let rows: Option<i64> = loaded
                .metadata()
                .row_groups()
                .iter()
                .try_fold(0, |sum: i64, group| sum.checked_add(group.num_rows()).filter(|_| group.num_rows() >= 0));
            match rows {
                Some(rows) if rows == loaded.metadata().file_metadata().num_rows() => Ok(loaded),
                _ => Err(ParquetError::General("its row groups have other numbers of rows than the file".into())),
            }
        })?;
        Ok(Self { input: input.clone(), metadata })
    }

    /// Whether dictionaries are written as they were, and not as their values occur. Parquet does not say; the library of Arrow that pandas and R
    /// use does so.
    pub fn keeps_dictionaries(&self) -> bool {
        self.metadata.metadata().file_metadata().created_by().is_some_and(|by| by.starts_with("parquet-cpp-arrow"))
    }

    pub fn schema(&self) -> &SchemaRef {
        self.metadata.schema()
    }

    pub fn n_rows(&self) -> u64 {
        self.metadata.metadata().file_metadata().num_rows().max(0) as u64
    }

    /// The schema as Parquet has it.
    pub fn parquet_schema(&self) -> &Type {
        self.metadata.parquet_schema().root_schema()
    }

    /// The places of the row groups, with how many rows each has.
    pub fn row_groups(&self) -> impl Iterator<Item = (usize, usize)> {
        self.metadata.metadata().row_groups().iter().map(|group| group.num_rows().max(0) as usize).enumerate()
    }

    /// Rows in the largest row group.
    pub fn largest_row_group(&self) -> usize {
        self.row_groups().map(|(_, n_rows)| n_rows).max().unwrap_or(0)
    }

    /// Passes the columns of a row group on, byte for byte.
    pub fn splice<W: Write + Send>(&self, row_group: usize, to: &mut SerializedRowGroupWriter<'_, W>) -> Result<(), DataError> {
        let file = Positioned::new(&self.input, MANY)?;
        let group = self.metadata.metadata().row_group(row_group);
        guard(&self.input, PARQUET, || {
            group.columns().iter().try_for_each(|column| {
                let (_, bytes_written) = column.byte_range();
                to.append_column(
                    &file,
                    ColumnCloseResult {
                        bytes_written,
                        rows_written: group.num_rows() as u64,
                        metadata: column.clone(),
                        bloom_filter: None,
                        column_index: None,
                        offset_index: None,
                    },
                )
            })
        })
    }

    /// The same file with those of its text columns read as dictionaries that are stored so, as Parquet mostly does.
    pub fn with_dictionaries(&self) -> Result<Self, DataError> {
        let is_stored_so = |name: &str| {
            let columns = self.metadata.metadata().row_groups().iter().flat_map(|group| group.columns());
            let mut of_field = columns.filter(|column| column.column_path().parts().first().is_some_and(|first| first == name));
            of_field.any(|column| column.encodings().any(|e| matches!(e, Encoding::RLE_DICTIONARY | Encoding::PLAIN_DICTIONARY)))
        };
        let as_dictionary = |field: &Field| match field.data_type() {
            DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View if is_stored_so(field.name()) => {
                field.clone().with_data_type(DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8)))
            }
            _ => field.clone(),
        };
        let fields: Vec<Field> = self.schema().fields().iter().map(|f| as_dictionary(f)).collect();
        let options = ArrowReaderOptions::new().with_schema(std::sync::Arc::new(ArrowSchema::new(fields)));
        let metadata = guard(&self.input, PARQUET, || ArrowReaderMetadata::try_new(self.metadata.metadata().clone(), options))?;
        Ok(Self { input: self.input.clone(), metadata })
    }

    /// The parts of the file, in order, each of about `wished` rows. Parts start on multiples of every size of chunk, so that
    /// chunks, and what is made of them, do not depend on the parts.
    pub fn parts(&self, wished: usize) -> Vec<Part> {
        let size = wished.next_multiple_of(LEAST_PART).max(LEAST_PART);
        let mut parts = Vec::new();
        let mut first_row = 0;
        for (row_group, rows_here) in self.row_groups() {
            let pages = Arc::new(GroupPages::new(rows_here));
            let mut skip = 0;
            while skip < rows_here {
                let rows = size.min(rows_here - skip);
                parts.push(Part { row_group, skip, rows, first_row, pages: pages.clone() });
                skip += rows;
                first_row += rows as u64;
            }
        }
        parts
    }

    /// Reads a part in batches of `batch` rows; `columns` are the places of the columns wanted, in order. What is read as it lies in the
    /// file is read into a buffer of the pool.
    pub fn read(
        &self,
        part: &Part,
        batch: usize,
        columns: &[usize],
        pool: &Pool,
        mut each: impl FnMut(RecordBatch) -> Result<(), DataError>,
    ) -> Result<(), DataError> {
        let file = Positioned::new(&self.input, HEADER)?;
        let plain: Vec<Option<&PlainPages>> =
            guard(&self.input, PARQUET, || Ok::<_, ParquetError>(self.plain_pages(&file, part, columns)))?;
        let decoded = columns.iter().zip(&plain).filter(|(_, plain)| plain.is_none()).map(|(root, _)| *root);
        let as_it_lies = file.file.clone();
        let builder = ParquetRecordBatchReaderBuilder::new_with_metadata(file, self.metadata.clone())
            .with_batch_size(batch)
            .with_row_groups(vec![part.row_group]);
        let mask = ProjectionMask::roots(builder.parquet_schema(), decoded);
        let mut builder = builder.with_projection(mask);
        let whole = self.n_rows_of(part.row_group);
        if part.rows < whole {
            let rest = whole - part.skip - part.rows;
            let selectors = vec![RowSelector::skip(part.skip), RowSelector::select(part.rows), RowSelector::skip(rest)];
            builder = builder.with_row_selection(RowSelection::from(selectors));
        }
        let mut batches = guard(&self.input, PARQUET, || builder.build())?;
        if plain.iter().all(Option::is_none) {
            while let Some(batch) = guard(&self.input, PARQUET, || batches.next().transpose())? {
                each(batch)?;
            }
            return Ok(());
        }
        let schema = guard(&self.input, PARQUET, || self.schema().project(columns))?;
        let mut first = part.skip;
        while let Some(decoded) = guard(&self.input, PARQUET, || batches.next().transpose())? {
            let rows = first..first + decoded.num_rows();
            first = rows.end;
            let (body, batch) =
                guard(&self.input, PARQUET, || together(&as_it_lies, &schema, &decoded, &plain, rows, pool.take_as_it_is()))?;
            drop(decoded);
            each(batch)?;
            give_back(body, pool);
        }
        Ok(())
    }

    /// Whether the rows of a part of a column can be read as they are.
    #[cfg(test)]
    pub fn lies_plainly(&self, part: &Part, root: usize) -> bool {
        Positioned::new(&self.input, HEADER).is_ok_and(|file| self.plain_pages(&file, part, &[root])[0].is_some())
    }

    /// Whether most of the file's bytes are values as they are, by what it says of its columns.
    pub fn is_mostly_plain(&self) -> bool {
        let (mut plain, mut all) = (0, 0);
        for group in self.metadata.metadata().row_groups() {
            for (leaf, column) in group.columns().iter().enumerate() {
                let root = self.metadata.parquet_schema().get_column_root_idx(leaf);
                let bytes = i128::from(column.compressed_size());
                let is_plain = PlainPages::width(column, self.schema().field(root).data_type()).is_some();
                plain += if is_plain { bytes } else { 0 };
                all += bytes;
            }
        }
        plain > all / 2
    }

    fn n_rows_of(&self, row_group: usize) -> usize {
        self.metadata.metadata().row_group(row_group).num_rows().max(0) as usize
    }

    /// Where those columns lie of which the rows of a part can be read as they are.
    fn plain_pages<'p>(&self, file: &Positioned, part: &'p Part, columns: &[usize]) -> Vec<Option<&'p PlainPages>> {
        let (n_rows, rows) = (self.n_rows_of(part.row_group), part.skip..part.skip + part.rows);
        let parquet_schema = self.metadata.parquet_schema();
        let n_leaves = parquet_schema.num_columns();
        let mut leaves_of = vec![0..0; self.schema().fields().len()];
        for leaf in 0..n_leaves {
            let leaves = &mut leaves_of[parquet_schema.get_column_root_idx(leaf)];
            *leaves = if leaves.start == leaves.end { leaf..leaf + 1 } else { leaves.start..leaf + 1 };
        }
        let of_root = |root: usize| {
            let leaf = Some(&leaves_of[root]).filter(|leaves| leaves.len() == 1)?.start;
            let column = self.metadata.metadata().row_group(part.row_group).column(leaf);
            let data_type = self.schema().field(root).data_type();
            let find = |end| PlainPages::find(file, column, data_type, n_rows, end);
            part.pages.of_leaf(leaf, n_leaves, find).filter(|pages| pages.hold(&rows))
        };
        // Two parts that are begun at once look from both ends, and neither waits for what the other is finding.
        if part.skip / LEAST_PART % 2 == 1 {
            columns.iter().rev().for_each(|root| _ = of_root(*root));
        }
        columns.iter().map(|root| of_root(*root)).collect()
    }
}

/// Rows of all columns: of those that were decoded, and of the others, which are read into `scratch`.
fn together(
    file: &File,
    schema: &ArrowSchema,
    decoded: &RecordBatch,
    plain: &[Option<&PlainPages>],
    rows: Range<usize>,
    scratch: Vec<u8>,
) -> Result<(Buffer, RecordBatch), ParquetError> {
    let mut scratch = Scratch::new(scratch);
    let places = plain.iter().map(|pages| pages.map(|pages| pages.read(file, &rows, &mut scratch)).transpose());
    let places = places.collect::<Result<Vec<_>, _>>()?;
    let body = Buffer::from_vec(scratch.bytes);
    let mut decoded = decoded.columns().iter();
    let mut arrays = Vec::with_capacity(places.len());
    for (field, place) in schema.fields().iter().zip(places) {
        arrays.push(match place {
            None => decoded.next().cloned().ok_or_else(|| ParquetError::General("a column is missing".into()))?,
            Some(place) => {
                let values = body.slice_with_length(place.start, place.len());
                make_array(ArrayData::builder(field.data_type().clone()).len(rows.len()).add_buffer(values).build()?)
            }
        });
    }
    let options = RecordBatchOptions::new().with_row_count(Some(rows.len()));
    Ok((body, RecordBatch::try_new_with_options(Arc::new(schema.clone()), arrays, &options)?))
}

/// A file read at places of the reader's own. The reader of a [`File`] duplicates the descriptor and reads 8 kB for the header of
/// every page it passes over, which costs more than the pages.
pub(super) struct Positioned {
    file: Arc<File>,
    len: u64,
    /// Held while the file's own position is used.
    turn: Mutex<()>,
    /// Bytes that are read at once by who reads on and on.
    at_once: usize,
}

/// Headers of pages are some dozen bytes long.
pub(super) const HEADER: usize = 128;

/// Columns that are passed on.
const MANY: usize = 1 << 18;

impl Positioned {
    fn new(input: &Input, at_once: usize) -> Result<Self, DataError> {
        let failed = |source| DataError::Io { path: input.path.clone(), source };
        let file = input.seekable().map_err(failed)?;
        let len = file.metadata().map_err(failed)?.len();
        Ok(Self { file: Arc::new(file), len, turn: Mutex::new(()), at_once })
    }

    /// So many bytes, or as many as there are.
    pub(super) fn up_to(&self, start: u64, most: usize) -> io::Result<Bytes> {
        let mut bytes = vec![0; most];
        let n = crate::input::read_at(&self.file, &mut bytes, start)?;
        bytes.truncate(n);
        Ok(bytes.into())
    }
}

impl Length for Positioned {
    fn len(&self) -> u64 {
        self.len
    }
}

impl ChunkReader for Positioned {
    type T = ReadOn;

    fn get_read(&self, start: u64) -> parquet::errors::Result<ReadOn> {
        Ok(ReadOn { file: self.file.clone(), next: start, at_once: self.at_once, buffer: Vec::new(), filled: 0, taken: 0 })
    }

    fn get_bytes(&self, start: u64, length: usize) -> parquet::errors::Result<Bytes> {
        if start.checked_add(length as u64).is_none_or(|end| end > self.len) {
            return Err(ParquetError::EOF(format!("{length} bytes at {start} of a file of {}", self.len)));
        }
        // Only the file's own reader fills memory that was not set to zero before.
        let _turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        let mut file = &*self.file;
        file.seek(SeekFrom::Start(start))?;
        let mut bytes = Vec::with_capacity(length);
        let n = file.take(length as u64).read_to_end(&mut bytes)?;
        if n < length {
            return Err(ParquetError::EOF(format!("{length} bytes at {start}, but only {n} are there")));
        }
        Ok(bytes.into())
    }
}

/// Reads on from a place.
pub(super) struct ReadOn {
    file: Arc<File>,
    next: u64,
    at_once: usize,
    buffer: Vec<u8>,
    filled: usize,
    taken: usize,
}

impl Read for ReadOn {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        if self.taken == self.filled && to.len() > self.at_once {
            let n = crate::input::read_at(&self.file, to, self.next)?;
            self.next += n as u64;
            return Ok(n);
        }
        if self.taken == self.filled {
            self.buffer.resize(self.at_once, 0);
            self.filled = crate::input::read_at(&self.file, &mut self.buffer, self.next)?;
            self.taken = 0;
            self.next += self.filled as u64;
        }
        let n = to.len().min(self.filled - self.taken);
        to[..n].copy_from_slice(&self.buffer[self.taken..self.taken + n]);
        self.taken += n;
        Ok(n)
    }
}
