//! Columns of a Parquet file that lie in it as they are: numbers without nulls, in no dictionary and not compressed.
//!
//! A page holds many rows of one column. A decoder reads it whole, and copies rows out of it long after the other columns' pages have
//! taken its place in the cache; here the rows asked for are read from where they lie, straight to where they are used.

use std::fs::File;
use std::io::{Chain, Read};
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use arrow_schema::DataType;
use bytes::buf::Reader;
use bytes::{Buf, Bytes};
use parquet::basic::{Compression, Encoding, Type as Physical};
use parquet::column::page::{Page, PageReader};
use parquet::errors::{ParquetError, Result};
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::file::reader::{ChunkReader, Length, SerializedPageReader};

use super::parquet::{HEADER, Positioned, ReadOn};
use super::scratch::Scratch;

/// Where the columns of a row group lie. What was found for one part of its rows is known for the others.
#[derive(Debug)]
pub(super) struct GroupPages {
    /// Pages are looked for up to this row.
    end: usize,
    /// By the columns' places among the leaves; made when the first is asked for.
    found: OnceLock<Vec<OnceLock<Option<PlainPages>>>>,
}

impl GroupPages {
    pub fn new(end: usize) -> Self {
        Self { end, found: OnceLock::new() }
    }

    /// Where a column lies, of a row group with so many of them.
    pub fn of_leaf(&self, leaf: usize, n_leaves: usize, find: impl FnOnce(usize) -> Option<PlainPages>) -> Option<&PlainPages> {
        let found = self.found.get_or_init(|| (0..n_leaves).map(|_| OnceLock::new()).collect());
        found.get(leaf)?.get_or_init(|| find(self.end)).as_ref()
    }
}

/// Where values of a column lie.
#[derive(Debug)]
pub(super) struct PlainPages {
    width: usize,
    /// In the order of the rows; what must be decoded is not among them.
    pages: Vec<PlainPage>,
}

#[derive(Debug)]
struct PlainPage {
    /// Of the row group.
    rows: Range<usize>,
    /// Where the first value is in the file.
    start: u64,
}

impl PlainPages {
    /// How many bytes a value has of a column whose pages may be plain, by what the file says of it.
    pub fn width(column: &ColumnChunkMetaData, data_type: &DataType) -> Option<usize> {
        let width = match (column.column_type(), data_type) {
            (Physical::DOUBLE, DataType::Float64) | (Physical::INT64, DataType::Int64) => 8,
            (Physical::FLOAT, DataType::Float32) | (Physical::INT32, DataType::Int32) => 4,
            _ => return None,
        };
        let is_flat = column.column_descr().max_rep_level() == 0 && column.column_descr().max_def_level() <= 1;
        let is_bare = column.compression() == Compression::UNCOMPRESSED && column.dictionary_page_offset().is_none();
        (is_flat && is_bare).then_some(width)
    }

    /// Where the values of a column lie, up to the row `end` of `n_rows`; none if it is not what it says it is.
    pub fn find(file: &Positioned, column: &ColumnChunkMetaData, data_type: &DataType, n_rows: usize, end: usize) -> Option<Self> {
        let width = Self::width(column, data_type)?;
        let levels = column.column_descr().max_def_level();
        let heads = Arc::new(Heads { file, last: Mutex::default() });
        let mut reader = SerializedPageReader::new(heads.clone(), column, n_rows, None).ok()?;
        let (mut pages, mut first) = (Vec::new(), 0_usize);
        while first < end {
            // Whoever decodes the rows of a page that cannot be read will say why.
            let Ok(Some(page)) = reader.get_next_page() else { break };
            let (start, len) = heads.last().place;
            let n = page.num_values() as usize;
            let rows = first..first.checked_add(n)?;
            first = rows.end;
            if let Some(before) = values_behind(&page, levels).filter(|_| n > 0) {
                if n.checked_mul(width)?.checked_add(before)? > len {
                    return None;
                }
                pages.push(PlainPage { rows, start: start + before as u64 });
            }
        }
        (first <= n_rows).then_some(Self { width, pages })
    }

    /// The pages from that of this row on.
    fn from(&self, row: usize) -> &[PlainPage] {
        &self.pages[self.pages.partition_point(|page| page.rows.end <= row)..]
    }

    /// Whether all these rows can be read.
    pub fn hold(&self, rows: &Range<usize>) -> bool {
        let mut next = rows.start;
        for page in self.from(rows.start).iter().take_while(|page| page.rows.start < rows.end) {
            if page.rows.start > next {
                return false;
            }
            next = page.rows.end;
        }
        next >= rows.end
    }

    /// Reads some of the rows, which all are there, and tells where they are.
    pub fn read(&self, file: &File, rows: &Range<usize>, scratch: &mut Scratch) -> Result<Range<usize>> {
        let room = scratch.room(rows.len() * self.width);
        for page in self.from(rows.start).iter().take_while(|page| page.rows.start < rows.end) {
            let shared = rows.start.max(page.rows.start)..rows.end.min(page.rows.end);
            let part = room.start + (shared.start - rows.start) * self.width..room.start + (shared.end - rows.start) * self.width;
            if !scratch.fill(part, file, page.start + ((shared.start - page.rows.start) * self.width) as u64)? {
                return Err(ParquetError::EOF("it ends in the middle of a page".into()));
            }
        }
        Ok(room)
    }
}

/// How many bytes of a page come before its values, if these are plain and there is one for each row.
fn values_behind(page: &Page, levels: i16) -> Option<usize> {
    match page {
        Page::DataPage { encoding: Encoding::PLAIN, .. } if levels == 0 => Some(0),
        Page::DataPage { encoding: Encoding::PLAIN, def_level_encoding: Encoding::RLE, buf, num_values, .. } => {
            let (len, levels) = buf.split_first_chunk::<4>()?;
            let len = u32::from_le_bytes(*len) as usize;
            one_run_of_ones(levels.get(..len)?, *num_values).then_some(4 + len)
        }
        Page::DataPageV2 { encoding: Encoding::PLAIN, num_nulls: 0, def_levels_byte_len, rep_levels_byte_len: 0, .. } => {
            Some(*def_levels_byte_len as usize)
        }
        _ => None,
    }
}

/// Whether levels of one bit are a single run of ones: twice the length of the run in groups of seven bits, lowest first, and the one.
fn one_run_of_ones(levels: &[u8], n_values: u32) -> bool {
    let [header @ .., 1] = levels else { return false };
    let length = header.iter().enumerate().try_fold(0_u64, |sum, (nth, byte)| {
        let is_last = nth + 1 == header.len();
        (nth < 5 && (byte & 0x80 == 0) == is_last).then(|| sum | u64::from(byte & 0x7F) << (7 * nth))
    });
    length.is_some_and(|length| length & 1 == 0 && length >> 1 >= u64::from(n_values))
}

/// The file as a reader of pages sees it who wants to know no more than where they are and how they begin.
struct Heads<'f> {
    file: &'f Positioned,
    last: Mutex<LastPage>,
}

/// The page that was last read of.
#[derive(Default)]
struct LastPage {
    /// Where it was, and how long.
    place: (u64, usize),
    /// Where its header is, which is read with some bytes of what comes behind it.
    header: u64,
    bytes: Bytes,
}

impl Heads<'_> {
    fn last(&self) -> MutexGuard<'_, LastPage> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Length for Heads<'_> {
    fn len(&self) -> u64 {
        self.file.len()
    }
}

impl ChunkReader for Heads<'_> {
    type T = Chain<Reader<Bytes>, ReadOn>;

    fn get_read(&self, start: u64) -> Result<Self::T> {
        let mut last = self.last();
        (last.header, last.bytes) = (start, self.file.up_to(start, HEADER)?);
        let behind = self.file.get_read(start + last.bytes.len() as u64)?;
        Ok(last.bytes.clone().reader().chain(behind))
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes> {
        // The levels of a page without nulls: their length, the length of the only run, and what it is of.
        const HEAD: usize = 4 + 5 + 1;
        if start.checked_add(length as u64).is_none_or(|end| end > self.len()) {
            return Err(ParquetError::EOF(format!("{length} bytes at {start} of a file of {}", self.len())));
        }
        let mut last = self.last();
        last.place = (start, length);
        let wanted = length.min(HEAD);
        let known = start.checked_sub(last.header).map(|from| from as usize).filter(|from| *from <= HEADER);
        match known.filter(|from| from + wanted <= last.bytes.len()) {
            Some(from) => Ok(last.bytes.slice(from..from + wanted)),
            None => self.file.get_bytes(start, wanted),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs::File;

    use arrow_array::{ArrayRef, Float32Array, Float64Array, Int32Array, Int64Array, RecordBatch, StringArray};
    use arrow_schema::{Field, Schema};
    use parquet::arrow::ArrowWriter;
    use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
    use parquet::file::properties::{WriterProperties, WriterVersion};

    use super::super::parquet::ParquetFile;
    use super::*;
    use crate::input::Input;
    use crate::text::blocks::Pool;

    const N: usize = 150_000;

    /// Columns, and whether they may be null.
    fn columns() -> Vec<(&'static str, ArrayRef, bool)> {
        let real = |row: usize| (row as f64 * 0.37).sin();
        vec![
            ("real", Arc::new(Float64Array::from_iter_values((0..N).map(real))), true),
            ("never null", Arc::new(Float64Array::from_iter_values((0..N).map(|row| real(row + 7)))), false),
            ("one null", Arc::new(Float64Array::from_iter((0..N).map(|row| (row != 100_000).then(|| real(row))))), true),
            ("nulls", Arc::new(Float64Array::from_iter((0..N).map(|row| (row % 3 != 1).then(|| real(row))))), true),
            ("text", Arc::new(StringArray::from_iter_values((0..N).map(|row| ["a", "b", "c"][row % 3]))), true),
            ("single", Arc::new(Float32Array::from_iter_values((0..N).map(|row| real(row) as f32))), true),
            ("long", Arc::new(Int64Array::from_iter_values((0..N as i64).map(|row| row * 3 - 5))), true),
            ("int", Arc::new(Int32Array::from_iter_values(0..N as i32)), true),
        ]
    }

    fn write(properties: WriterProperties) -> tempfile::NamedTempFile {
        let (fields, arrays): (Vec<Field>, Vec<ArrayRef>) =
            columns().into_iter().map(|(name, array, null)| (Field::new(name, array.data_type().clone(), null), array)).unzip();
        let batch = RecordBatch::try_new(Arc::new(Schema::new(fields)), arrays).unwrap();
        let mut file = tempfile::NamedTempFile::with_suffix(".parquet").unwrap();
        let mut writer = ArrowWriter::try_new(&mut file, batch.schema(), Some(properties)).unwrap();
        writer.write(&batch).unwrap();
        writer.close().unwrap();
        file
    }

    /// Reads a file as we do, and holds it against the decoder's rows. Returns the columns that can be read as they lie.
    fn check(file: &tempfile::NamedTempFile, wanted: &[usize]) -> Vec<usize> {
        let input = Input::all(&[file.path()]).unwrap().remove(0);
        let parquet = ParquetFile::open(&input).unwrap();
        let decoded = ParquetRecordBatchReaderBuilder::try_new(File::open(file.path()).unwrap()).unwrap();
        let decoded: Vec<RecordBatch> = decoded.with_batch_size(N).build().unwrap().map(Result::unwrap).collect();
        let decoded = arrow_select::concat::concat_batches(&decoded[0].schema(), &decoded).unwrap().project(wanted).unwrap();
        for (part_rows, at_once) in [(1, 4096), (1 << 17, 1 << 16), (1 << 20, 1000)] {
            let mut n_rows = 0;
            for part in parquet.parts(part_rows) {
                assert_eq!(part.first_row, n_rows as u64);
                let compare = |batch: RecordBatch| {
                    assert_eq!(batch.columns(), decoded.slice(n_rows, batch.num_rows()).columns(), "from row {n_rows}");
                    n_rows += batch.num_rows();
                    Ok(())
                };
                parquet.read(&part, at_once, wanted, &Pool::default(), compare).unwrap();
            }
            assert_eq!(n_rows, N);
        }
        wanted.iter().copied().filter(|column| parquet.lies_plainly(&parquet.parts(1)[0], *column)).collect()
    }

    #[test]
    fn rows_read_as_they_lie_are_the_rows() {
        let plain = || WriterProperties::builder().set_dictionary_enabled(false);
        let all = [0, 1, 2, 3, 4, 5, 6, 7];
        // The page with the only null is not in the first part.
        let expected = [0, 1, 2, 5, 6, 7];
        assert_eq!(check(&write(plain().build()), &all), expected);
        let small = plain().set_data_page_row_count_limit(1000).set_write_batch_size(100).set_max_row_group_row_count(Some(70_000));
        assert_eq!(check(&write(small.build()), &all), expected);
        // Whole numbers are then stored as differences, unless they are told not to be.
        let second = || plain().set_writer_version(WriterVersion::PARQUET_2_0);
        assert_eq!(check(&write(second().build()), &all), [0, 1, 2, 5]);
        assert_eq!(check(&write(second().set_encoding(Encoding::PLAIN).build()), &all), expected);
        // Nothing is left to be decoded, or little is asked for.
        let file = write(plain().build());
        check(&file, &[0, 1]);
        check(&file, &[4, 5]);
        check(&file, &[]);
    }

    #[test]
    fn what_is_packed_is_decoded() {
        let packed = WriterProperties::builder().set_dictionary_enabled(false).set_compression(Compression::SNAPPY);
        assert!(check(&write(packed.build()), &[0, 1, 3]).is_empty());
        assert!(check(&write(WriterProperties::builder().build()), &[0, 1, 3]).is_empty(), "a dictionary");
    }

    #[test]
    fn levels_that_say_anything_but_ones_are_not_taken_for_ones() {
        assert!(one_run_of_ones(&[0x90, 0x4E, 1], 5000) && one_run_of_ones(&[0x90, 0x4E, 1], 4999) && one_run_of_ones(&[2, 1], 1));
        for (levels, n) in [
            (&[0x90_u8, 0x4E, 1][..], 5001),
            (&[0x90, 0x4E, 0], 5000),
            (&[0x91, 0x4E, 1], 10),
            (&[0x90, 1], 8),
            (&[0x10, 0x4E, 1], 8),
            (&[0x80, 0x80, 0x80, 0x80, 0x80, 0x01, 1], 8),
            (&[1], 1),
            (&[], 0),
        ] {
            assert!(!one_run_of_ones(levels, n), "{levels:?}");
        }
    }
}
