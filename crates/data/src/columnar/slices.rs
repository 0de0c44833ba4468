//! Rows of an Arrow IPC batch, some at a time, straight from where they lie in the file.
//!
//! A batch is often larger than any cache, and its columns lie one behind the other. Read whole, every number would go to memory and come
//! back; read in slices of rows, it is still in cache when it is counted. Columns that nobody asks for are not read at all.

use std::fs::File;
use std::ops::Range;
use std::sync::Arc;

use arrow_array::{Array, ArrayRef, RecordBatch, RecordBatchOptions, make_array};
use arrow_buffer::Buffer;
use arrow_data::ArrayData;
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};

use super::ipc::{CUT, Dictionaries, damaged};
use super::scratch::Scratch;

/// Where the columns of a batch lie.
pub(super) struct Slices<'b> {
    schema: SchemaRef,
    columns: Vec<PlainColumn<'b>>,
}

struct PlainColumn<'b> {
    data_type: &'b DataType,
    /// Where there are nulls, a bit for each row.
    nulls: Option<Place>,
    values: Values,
    /// What the keys of a dictionary stand for.
    dictionary: Option<&'b ArrayRef>,
}

/// Bytes of the file.
#[derive(Clone, Copy)]
struct Place {
    start: u64,
    len: u64,
}

enum Values {
    /// A bit for each row.
    Bits(Place),
    /// So many bytes for each row.
    Fixed(u64, Place),
    /// Where the bytes of each row begin, as numbers of so many bytes, and the bytes.
    Texts(usize, Place, Place),
}

impl Values {
    /// Whether there is something for so many rows.
    fn hold(&self, n_rows: i64) -> bool {
        let needed = |n_rows: u64| match self {
            Values::Bits(_) => Some(n_rows.div_ceil(8)),
            Values::Fixed(width, _) => n_rows.checked_mul(*width),
            Values::Texts(..) if n_rows == 0 => Some(0),
            Values::Texts(width, ..) => n_rows.checked_add(1)?.checked_mul(*width as u64),
        };
        let (Values::Bits(place) | Values::Fixed(_, place) | Values::Texts(_, place, _)) = self;
        u64::try_from(n_rows).ok().and_then(needed).is_some_and(|needed| needed <= place.len)
    }
}

const SHORT: &str = "a column is shorter than the batch";

impl<'b> Slices<'b> {
    /// Where the `wanted` columns are, which are in order, if they can be read a slice at a time: nothing is compressed, and no column of the
    /// batch is nested. `body` is where the batch lies in its file.
    pub(super) fn new(
        batch: arrow_ipc::RecordBatch<'_>,
        schema: &'b Schema,
        dictionaries: &'b Dictionaries,
        (body, n_body): (u64, u64),
        wanted: &[usize],
    ) -> Result<Option<Self>, ArrowError> {
        if batch.compression().is_some() {
            return Ok(None);
        }
        let mut nodes = batch.nodes().into_iter().flatten();
        let mut buffers = batch.buffers().into_iter().flatten();
        let mut next_place = || -> Result<Place, ArrowError> {
            let buffer = buffers.next().ok_or_else(|| damaged("a column is missing"))?;
            let (start, len) = (u64::try_from(buffer.offset()).map_err(damaged)?, u64::try_from(buffer.length()).map_err(damaged)?);
            match start.checked_add(len).filter(|end| *end <= n_body).and(body.checked_add(start)) {
                Some(start) => Ok(Place { start, len }),
                None => Err(damaged("a column lies outside of it")),
            }
        };
        let mut columns = Vec::new();
        for (place, field) in schema.fields().iter().enumerate() {
            let Some(layout) = Layout::of(field.data_type()) else { return Ok(None) };
            let node = nodes.next().ok_or_else(|| damaged("a column is missing"))?;
            if node.length() != batch.length() {
                return Err(damaged("its columns are of different lengths"));
            }
            let nulls = next_place()?;
            let first = next_place()?;
            let values = match layout {
                Layout::Bits => Values::Bits(first),
                Layout::Fixed(width) => Values::Fixed(width as u64, first),
                Layout::Texts(width) => Values::Texts(width, first, next_place()?),
            };
            // Also of columns that are not wanted: nobody else asks whether there are so many rows.
            if !values.hold(node.length()) {
                return Err(damaged(SHORT));
            }
            if wanted.binary_search(&place).is_err() {
                continue;
            }
            let dictionary = match field.data_type() {
                DataType::Dictionary(..) => Some(dictionary_of(field, dictionaries)?),
                _ => None,
            };
            columns.push(PlainColumn { data_type: field.data_type(), nulls: (node.null_count() > 0).then_some(nulls), values, dictionary });
        }
        Ok(Some(Self { schema: Arc::new(schema.project(wanted)?), columns }))
    }

    /// Reads some rows into `scratch`, of which the batch is made. The first row is a multiple of eight.
    pub(super) fn read(&self, file: &File, rows: Range<usize>, scratch: Vec<u8>) -> Result<(Buffer, RecordBatch), ArrowError> {
        let mut scratch = Scratch::new(scratch);
        let read = self.columns.iter().map(|column| column.read(file, &rows, &mut scratch)).collect::<Result<Vec<_>, _>>()?;
        let body = Buffer::from_vec(scratch.bytes);
        let arrays = self.columns.iter().zip(read).map(|(column, read)| column.array(&body, rows.len(), read));
        let arrays = arrays.collect::<Result<Vec<_>, _>>()?;
        let options = RecordBatchOptions::new().with_row_count(Some(rows.len()));
        let batch = RecordBatch::try_new_with_options(self.schema.clone(), arrays, &options)?;
        Ok((body, batch))
    }
}

/// How the values of a column lie that is not nested.
enum Layout {
    Bits,
    Fixed(usize),
    /// With the width of the places of texts.
    Texts(usize),
}

impl Layout {
    fn of(data_type: &DataType) -> Option<Self> {
        Some(match data_type {
            DataType::Boolean => Self::Bits,
            DataType::Utf8 | DataType::Binary => Self::Texts(4),
            DataType::LargeUtf8 | DataType::LargeBinary => Self::Texts(8),
            DataType::Dictionary(key, _) => Self::Fixed(key.primitive_width()?),
            other => Self::Fixed(other.primitive_width()?),
        })
    }
}

fn dictionary_of<'b>(field: &Field, dictionaries: &'b Dictionaries) -> Result<&'b ArrayRef, ArrowError> {
    #[expect(deprecated, reason = "there is no other way to a field's dictionary")]
    let id = field.dict_id();
    id.and_then(|id| dictionaries.get(&id)).ok_or_else(|| damaged("a dictionary is missing"))
}

impl Scratch {
    /// Reads the bytes of a place from this one on.
    fn read(&mut self, file: &File, place: Place, from: u64, len: u64) -> Result<Range<usize>, ArrowError> {
        if from.checked_add(len).is_none_or(|end| end > place.len) {
            return Err(damaged(SHORT));
        }
        let range = self.room(len as usize);
        if self.fill(range.clone(), file, place.start + from)? { Ok(range) } else { Err(damaged(CUT)) }
    }

    /// Takes the first of some places of texts off all of them, and tells where the texts begin and end.
    fn rebase<const N: usize>(
        &mut self,
        places: Range<usize>,
        read: impl Fn([u8; N]) -> u64,
        write: impl Fn(u64) -> [u8; N],
    ) -> (u64, u64) {
        let (places, _) = self.bytes[places].as_chunks_mut::<N>();
        let first = places.first().map_or(0, |place| read(*place));
        let last = places.last().map_or(0, |place| read(*place));
        for place in places {
            // What is not in order is found when the array is made.
            *place = write(read(*place).wrapping_sub(first));
        }
        (first, last)
    }
}

/// Where the parts of a column are among the bytes read.
struct ReadColumn {
    nulls: Option<Range<usize>>,
    values: Vec<Range<usize>>,
}

impl PlainColumn<'_> {
    fn read(&self, file: &File, rows: &Range<usize>, scratch: &mut Scratch) -> Result<ReadColumn, ArrowError> {
        let (first, n) = (rows.start as u64, rows.len() as u64);
        let bits = |place: Place, scratch: &mut Scratch| scratch.read(file, place, first / 8, n.div_ceil(8));
        let nulls = self.nulls.map(|place| bits(place, scratch)).transpose()?;
        let values = match self.values {
            Values::Bits(place) => vec![bits(place, scratch)?],
            Values::Fixed(width, place) => vec![scratch.read(file, place, first * width, n * width)?],
            // No place at all is the same as one that is zero.
            Values::Texts(..) if n == 0 => vec![0..0, 0..0],
            Values::Texts(width, places, texts) => {
                let places = scratch.read(file, places, first * width as u64, (n + 1) * width as u64)?;
                let (start, end) = match width {
                    4 => scratch.rebase::<4>(places.clone(), |b| u32::from_le_bytes(b).into(), |x| (x as u32).to_le_bytes()),
                    _ => scratch.rebase::<8>(places.clone(), u64::from_le_bytes, u64::to_le_bytes),
                };
                let len = end.checked_sub(start).ok_or_else(|| damaged("texts are not in order"))?;
                vec![places, scratch.read(file, texts, start, len)?]
            }
        };
        Ok(ReadColumn { nulls, values })
    }

    fn array(&self, body: &Buffer, n_rows: usize, read: ReadColumn) -> Result<ArrayRef, ArrowError> {
        let part = |range: Range<usize>| body.slice_with_length(range.start, range.len());
        let mut data = ArrayData::builder(self.data_type.clone())
            .len(n_rows)
            .null_bit_buffer(read.nulls.map(part))
            .buffers(read.values.into_iter().map(part).collect())
            .align_buffers(true);
        if let Some(dictionary) = self.dictionary {
            data = data.add_child_data(dictionary.to_data());
        }
        Ok(make_array(data.build()?))
    }
}

#[cfg(test)]
mod tests {
    use arrow_array::types::{Int8Type, Int32Type};
    use arrow_array::{BooleanArray, DictionaryArray, Float64Array, Int16Array, LargeStringArray, ListArray, NullArray, StringArray};
    use arrow_ipc::writer::FileWriter;

    use super::super::ipc::Batches;
    use super::*;
    use crate::input::Input;
    use crate::text::blocks::Pool;

    const N: usize = 1000;

    fn sparse<T>(value: impl Fn(usize) -> T) -> impl Iterator<Item = Option<T>> {
        (0..N).map(move |row| (row % 7 != 3).then(|| value(row)))
    }

    fn columns() -> Vec<(&'static str, ArrayRef)> {
        let word = |row: usize| "x".repeat(row % 5) + &row.to_string();
        vec![
            ("whole", Arc::new(Float64Array::from_iter_values((0..N).map(|row| row as f64 / 3.0)))),
            ("gaps", Arc::new(Float64Array::from_iter(sparse(|row| row as f64)))),
            ("small", Arc::new(Int16Array::from_iter(sparse(|row| row as i16)))),
            ("flag", Arc::new(BooleanArray::from_iter(sparse(|row| row % 3 == 0)))),
            ("text", Arc::new(StringArray::from_iter(sparse(word)))),
            ("long", Arc::new(LargeStringArray::from_iter_values((0..N).map(word)))),
            ("kind", Arc::new(DictionaryArray::<Int8Type>::from_iter((0..N).map(|row| (row % 4 != 1).then_some(["a", "b"][row % 2]))))),
        ]
    }

    /// Writes a file and reads it, so many rows at a time. The slices are not kept, so their buffer is used again.
    fn check(columns: Vec<(&str, ArrayRef)>, wanted: &[usize], at_once: usize) {
        let batch = RecordBatch::try_from_iter(columns).unwrap();
        let file = tempfile::NamedTempFile::with_suffix(".arrow").unwrap();
        let mut writer = FileWriter::try_new(&file, &batch.schema()).unwrap();
        writer.write(&batch).unwrap();
        writer.finish().unwrap();
        let input = Input::all(&[file.path()]).unwrap().remove(0);
        let packed = Batches::open(&input).unwrap().next(&input).unwrap().unwrap();
        let expected = batch.project(wanted).unwrap();
        let mut n_rows = 0;
        let compare = |slice: RecordBatch| {
            assert_eq!(slice, expected.slice(n_rows, at_once.min(N - n_rows)), "{at_once} at once, from {n_rows}");
            n_rows += slice.num_rows();
            Ok(())
        };
        packed.each_slice(&input, &Pool::default(), wanted, (usize::MAX, at_once), compare).unwrap();
        assert_eq!(n_rows, N);
    }

    #[test]
    fn rows_read_in_slices_are_the_rows() {
        for at_once in [8, 64, 512, 4096] {
            check(columns(), &[0, 1, 2, 3, 4, 5, 6], at_once);
        }
        check(columns(), &[1, 4], 64);
        check(columns(), &[], 64);
    }

    #[test]
    fn what_cannot_be_sliced_is_read_whole() {
        let lists = ListArray::from_iter_primitive::<Int32Type, _, _>((0..N as i32).map(|row| Some(vec![Some(row); row as usize % 3])));
        for other in [Arc::new(lists) as ArrayRef, Arc::new(NullArray::new(N))] {
            let mut columns = columns();
            columns.insert(1, ("other", other));
            check(columns.clone(), &[0, 1, 4], 64);
            check(columns, &[], 64);
        }
    }
}
