//! One file of a table: its columns, its first rows, and its units of work.

mod first_rows;

use std::ops::Range;
use std::sync::Arc;

use arrow_schema::{DataType, Field, SchemaRef};
use belief::{Role, States};

use crate::columnar;
use crate::columnar::ipc::{Batches, PackedBatch};
use crate::columnar::parquet::{LEAST_PART, ParquetFile, Part};
use crate::documents::{self, DocumentUnits, Documents};
use crate::encode::{ChunkBuilder, EncodedChunk, FileColumns, Plan, PlanKind};
use crate::input::{Format, Input};
use crate::profile::Inferred;
use crate::text::arff::{self, ArffHeader, AttributeKind};
use crate::text::blocks::{Block, Blocks, Pool, Records};
use crate::text::csv::{self, Dialect};
use crate::text::json_lines;
use crate::{Cut, DataError, Header, ReadOptions};

/// A file whose columns are known.
pub(crate) struct Source {
    pub input: Input,
    pub names: Vec<String>,
    /// Keys that a JSON Lines file may have in a row behind the first ones, and that are read there.
    pub late_keys: Vec<String>,
    layout: Layout,
}

enum Layout {
    Csv(Dialect),
    Arff(ArffHeader),
    JsonLines {
        /// Whether every row has been looked at for its keys.
        all_keys: bool,
    },
    Parquet(Box<ParquetFile>),
    Ipc(SchemaRef),
    Documents(Documents),
}

/// What a file's own header says of a column.
#[derive(Clone, Debug)]
pub(crate) struct Hint {
    pub kind: Inferred,
    pub states: Option<States>,
    /// The part it plays, where that is not for its kind to say.
    pub role: Option<Role>,
}

/// Rows that one thread works on at a time.
pub(crate) enum Unit {
    Text(Block),
    Part {
        part: Part,
        /// The file, with its texts as dictionaries where rows are not passed on.
        file: Arc<ParquetFile>,
        /// Rows in the files before this one.
        before: u64,
        /// The part's share of the file's bytes.
        bytes: u64,
    },
    Batch {
        batch: PackedBatch,
        /// The number of its first row in the file.
        first_row: u64,
        /// Rows in the files before this one.
        before: u64,
    },
    /// Documents that are a file each.
    Documents {
        files: Range<usize>,
        first_row: u64,
        bytes: u64,
    },
    /// Documents of one file.
    Pieces {
        block: Block,
        /// Which file of those that hold documents.
        file: usize,
        /// Rows before the file's first.
        before: u64,
    },
}

/// Chunks that a part of a columnar file has at most.
const MOST_CHUNKS: usize = 64;

impl Source {
    /// `as_document` is whether a file that is no table by its name, nor by what is said of its columns, is one document, and `are_names` whether
    /// cells are names of columns that are asked for.
    pub fn open(input: Input, options: &ReadOptions, as_document: bool, are_names: &dyn Fn(&[String]) -> bool) -> Result<Self, DataError> {
        let said_to_be_table = options.delimiter.is_some() || options.header != Header::Auto;
        let of_documents = |documents| (Layout::Documents(documents), documents::COLUMNS.map(String::from).to_vec());
        let single = |cut| of_documents(Documents::single(&input, cut, options.class_depth));
        let (layout, names) = match input.format {
            Format::Folder => {
                of_documents(Documents::list(&input.path, options.documents, options.class_depth, options.progress.is_some())?)
            }
            Format::Documents => single(options.documents.unwrap_or(Cut::Whole)),
            Format::Mailbox => single(Cut::Messages),
            Format::Csv { .. } if as_document && !said_to_be_table && !input.is_named_as_table() => single(Cut::Whole),
            Format::Csv { tab } => {
                let (dialect, names) = csv::sniff(&input, tab, options, are_names)?;
                (Layout::Csv(dialect), names)
            }
            Format::Arff => {
                let header = ArffHeader::read(&input)?;
                let names = header.attributes.iter().map(|a| a.name.clone()).collect();
                (Layout::Arff(header), names)
            }
            Format::JsonLines => {
                let (names, all_keys) = json_lines::keys(&input, options.on_bad_row)?;
                (Layout::JsonLines { all_keys }, names)
            }
            Format::Parquet => {
                let file = ParquetFile::open(&input)?;
                let names = file.schema().fields().iter().map(|f| f.name().clone()).collect();
                (Layout::Parquet(Box::new(file)), names)
            }
            Format::ArrowFile | Format::ArrowStream => {
                let schema = Batches::open(&input)?.schema();
                let names = schema.fields().iter().map(|f| f.name().clone()).collect();
                (Layout::Ipc(schema), names)
            }
        };
        Ok(Self { input, names, late_keys: Vec::new(), layout })
    }

    /// The documents, if it holds some.
    pub fn documents(&self) -> Option<&Documents> {
        if let Layout::Documents(documents) = &self.layout { Some(documents) } else { None }
    }

    /// The columns that are passed on with answers: of documents all but the text itself.
    pub fn passed_on(&self) -> &[String] {
        if self.documents().is_some() { &self.names[..2] } else { &self.names }
    }

    /// The bytes of all there is to read.
    pub fn bytes(&self) -> u64 {
        self.documents().map_or_else(|| self.input.bytes(), Documents::bytes)
    }

    /// How the file is written, if it is CSV.
    pub fn dialect(&self) -> Option<Dialect> {
        if let Layout::Csv(dialect) = &self.layout { Some(*dialect) } else { None }
    }

    /// Whether rows behind the first ones may have keys that are not among the names.
    pub fn may_have_late_keys(&self) -> bool {
        matches!(self.layout, Layout::JsonLines { all_keys: false })
    }

    /// What the file declares, if it is ARFF.
    pub fn arff_header(&self) -> Option<&ArffHeader> {
        if let Layout::Arff(header) = &self.layout { Some(header) } else { None }
    }

    /// Whether it is rows of text.
    pub fn is_text(&self) -> bool {
        matches!(self.layout, Layout::Csv(_) | Layout::Arff(_) | Layout::JsonLines { .. })
    }

    /// The file, if it is Parquet.
    pub fn parquet(&self) -> Option<&ParquetFile> {
        if let Layout::Parquet(file) = &self.layout { Some(file) } else { None }
    }

    /// The schema of a columnar file.
    pub fn arrow_schema(&self) -> Option<&SchemaRef> {
        match &self.layout {
            Layout::Parquet(file) => Some(file.schema()),
            Layout::Ipc(schema) => Some(schema),
            _ => None,
        }
    }

    /// The columns of a columnar file.
    fn fields(&self) -> impl Iterator<Item = &Field> {
        let schema = match &self.layout {
            Layout::Parquet(file) => Some(file.schema()),
            Layout::Ipc(schema) => Some(schema),
            _ => None,
        };
        schema.into_iter().flat_map(|schema| schema.fields().iter().map(AsRef::as_ref))
    }

    /// What the file's own header says of its columns, where it says something.
    pub fn hints(&self) -> Vec<Option<Hint>> {
        let plain = |kind| Some(Hint { kind, states: None, role: None });
        match &self.layout {
            Layout::Csv(_) | Layout::JsonLines { .. } => vec![None; self.names.len()],
            Layout::Arff(header) => header
                .attributes
                .iter()
                .map(|a| match &a.kind {
                    AttributeKind::Nominal(states) => Some(Hint { kind: Inferred::Categorical, states: Some(states.clone()), role: None }),
                    AttributeKind::Numeric => plain(Inferred::Numeric),
                    AttributeKind::Text => None,
                    AttributeKind::Date => plain(Inferred::Date),
                })
                .collect(),
            Layout::Documents(_) => {
                let path = Role::Ignored("it names the document".into());
                vec![
                    Some(Hint { kind: Inferred::Opaque, states: None, role: Some(path) }),
                    plain(Inferred::Categorical),
                    Some(Hint { kind: Inferred::Text, states: None, role: Some(Role::Input) }),
                ]
            }
            Layout::Parquet(_) | Layout::Ipc(_) => self.fields().map(|f| arrow_hint(f.data_type()).and_then(plain)).collect(),
        }
    }

    fn blocks(&self, per_block: usize, first_row: u64, pool: Pool) -> Result<Blocks, DataError> {
        let records = match &self.layout {
            Layout::Csv(dialect) => Records::Csv { delimiter: dialect.delimiter },
            Layout::Arff(_) => Records::Lines { comment: Some(arff::COMMENT) },
            _ => Records::Lines { comment: None },
        };
        let mut blocks = Blocks::new(&self.input, records, per_block, first_row, pool)?;
        match &self.layout {
            Layout::Csv(dialect) => {
                for _ in 0..usize::from(dialect.names_delimiter) + usize::from(dialect.header) {
                    blocks.pass_header()?;
                }
            }
            Layout::Arff(header) => blocks.pass_lines(header.n_lines, header.n_bytes)?,
            _ => {}
        }
        Ok(blocks)
    }

    /// The units of this file, in order, each of at most `rows` rows where the format lets them be cut.
    ///
    /// A columnar file is cut into `n_parts`, or into many small ones where rows are passed on and a whole part is in memory, or where a part can
    /// begin anywhere in the file.
    pub fn units(&self, rows: usize, first_row: u64, pool: Pool, n_parts: Option<usize>) -> Result<Units<'_>, DataError> {
        Ok(match &self.layout {
            Layout::Csv(_) | Layout::Arff(_) | Layout::JsonLines { .. } => {
                self.input.begin_last_pass();
                Units::Text(Box::new(self.blocks(rows, first_row, pool)?))
            }
            Layout::Parquet(file) => {
                const SMALL_PART: usize = 1 << 17;
                let wished = match n_parts {
                    Some(_) if file.is_mostly_plain() => LEAST_PART,
                    Some(n_parts) => (file.n_rows() as usize).div_ceil(n_parts.max(1)),
                    None => SMALL_PART,
                };
                // Until a part is done, what was made of each of its chunks is held: their number must not grow with the file.
                let wished = wished.min(MOST_CHUNKS * rows);
                let parts = file.parts(wished).into_iter();
                let file = if n_parts.is_some() { file.with_dictionaries()? } else { (**file).clone() };
                Units::Parts { parts, file: Arc::new(file), before: first_row, n_bytes: self.input.bytes() }
            }
            Layout::Documents(documents) => Units::Documents(Box::new(documents.units(rows, first_row, pool))),
            Layout::Ipc(_) => Units::Batches { batches: Box::new(Batches::open(&self.input)?), source: self, before: first_row, n_rows: 0 },
        })
    }

    /// Encodes a unit, chunk by chunk.
    pub fn encode(
        &self,
        unit: &Unit,
        file: &FileColumns,
        plan: &Plan,
        rows: usize,
        pool: &Pool,
        each: &mut dyn FnMut(EncodedChunk) -> Result<(), DataError>,
    ) -> Result<(), DataError> {
        match (unit, &self.layout) {
            (Unit::Text(block), Layout::Csv(dialect)) => {
                let mut builder = ChunkBuilder::new(plan, file, rows);
                each(csv::encode(block, dialect.delimiter, self.names.len(), &mut builder)?)
            }
            (Unit::Text(block), Layout::Arff(header)) => each(arff::encode(block, header, &mut ChunkBuilder::new(plan, file, rows))?),
            (Unit::Documents { files, first_row, .. }, Layout::Documents(documents)) => {
                documents.encode_files(files.clone(), *first_row, || ChunkBuilder::new(plan, file, 0), each)
            }
            (Unit::Pieces { block, file: of, before }, Layout::Documents(documents)) => {
                each(documents.encode_block(block, *of, *before, &mut ChunkBuilder::new(plan, file, 0))?)
            }
            (Unit::Documents { .. } | Unit::Pieces { .. }, _) => Ok(()),
            (Unit::Text(block), _) => {
                let keys: Vec<&str> = self.names.iter().chain(&self.late_keys).map(String::as_str).collect();
                let strict = plan.strict_keys && !plan.keep_raw;
                each(json_lines::encode(block, &keys, strict, &mut ChunkBuilder::new(plan, file, rows))?)
            }
            (Unit::Part { part, file: parquet, before, .. }, _) => {
                let (wanted, projected) = self.projected(file, plan);
                let mut first_row = part.first_row;
                parquet.read(part, rows, &wanted, pool, |batch| {
                    let n = batch.num_rows() as u64;
                    each(columnar::encode::encode(&batch, first_row, *before, &mut ChunkBuilder::new(plan, &projected, 0))?)?;
                    first_row += n;
                    Ok(())
                })
            }
            (Unit::Batch { batch, first_row, before }, _) => {
                let (wanted, projected) = self.projected(file, plan);
                let mut first_row = *first_row;
                batch.each_slice(&self.input, pool, &wanted, (usize::MAX, rows), |slice| {
                    each(columnar::encode::encode(&slice, first_row, *before, &mut ChunkBuilder::new(plan, &projected, 0))?)?;
                    first_row += slice.num_rows() as u64;
                    Ok(())
                })
            }
        }
    }

    /// The columns that a reader of a columnar file needs: to pass rows on all, as they are, and else those that are used.
    fn projected(&self, file: &FileColumns, plan: &Plan) -> (Vec<usize>, FileColumns) {
        let is_used = |column: usize| file.variable_of[column].is_some_and(|v| !matches!(plan.variables[v].kind, PlanKind::Skip));
        let wanted: Vec<usize> = (0..self.names.len()).filter(|c| plan.keep_raw || is_used(*c)).collect();
        let variable_of = wanted.iter().map(|c| file.variable_of[*c]).collect();
        (wanted, FileColumns { path: file.path.clone(), variable_of })
    }
}

impl Unit {
    /// How many bytes of the file it is, as far as that is known.
    pub fn bytes(&self) -> u64 {
        match self {
            Unit::Text(block) | Unit::Pieces { block, .. } => block.len as u64,
            Unit::Batch { batch, .. } => batch.bytes(),
            Unit::Part { bytes, .. } | Unit::Documents { bytes, .. } => *bytes,
        }
    }
}

/// The units of one file.
pub(crate) enum Units<'s> {
    Text(Box<Blocks>),
    Parts { parts: std::vec::IntoIter<Part>, file: Arc<ParquetFile>, before: u64, n_bytes: u64 },
    Batches { batches: Box<Batches>, source: &'s Source, before: u64, n_rows: u64 },
    Documents(Box<DocumentUnits<'s>>),
}

impl Units<'_> {
    /// The number the next row would have, once all units are drawn.
    pub fn next_row(&self) -> u64 {
        match self {
            Units::Text(blocks) => blocks.next_row(),
            Units::Parts { before, file, .. } => before.saturating_add(file.n_rows()),
            Units::Batches { before, n_rows, .. } => before.saturating_add(*n_rows),
            Units::Documents(units) => units.next_row(),
        }
    }

    pub fn next(&mut self) -> Result<Option<Unit>, DataError> {
        Ok(match self {
            Units::Text(blocks) => blocks.next()?.map(Unit::Text),
            Units::Parts { parts, file, before, n_bytes } => parts.next().map(|part| {
                // Differences of places, so that the shares of all parts are the whole.
                let place = |row: u64| (u128::from(*n_bytes) * u128::from(row) / u128::from(file.n_rows().max(1))) as u64;
                let bytes = place(part.first_row + part.n_rows() as u64) - place(part.first_row);
                Unit::Part { part, file: file.clone(), before: *before, bytes }
            }),
            Units::Documents(units) => units.next()?,
            Units::Batches { batches, source, before, n_rows } => batches.next(&source.input)?.map(|batch| {
                let first_row = *n_rows;
                *n_rows = n_rows.saturating_add(batch.n_rows);
                Unit::Batch { batch, first_row, before: *before }
            }),
        })
    }
}

/// What an Arrow type says of a column; `None` where the values decide.
fn arrow_hint(data_type: &DataType) -> Option<Inferred> {
    use DataType as T;
    match data_type {
        T::Float16 | T::Float32 | T::Float64 => None,
        T::Decimal32(..) | T::Decimal64(..) | T::Decimal128(..) | T::Decimal256(..) => Some(Inferred::Numeric),
        T::Date32 | T::Date64 | T::Timestamp(..) => Some(Inferred::Date),
        T::Time32(_) | T::Time64(_) | T::Duration(_) | T::Interval(_) => Some(Inferred::Date),
        T::Boolean | T::Utf8 | T::LargeUtf8 | T::Utf8View => None,
        T::Dictionary(_, value) => arrow_hint(value),
        T::Null => None,
        t if t.is_integer() => None,
        _ => Some(Inferred::Opaque),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parquet(n_rows: usize) -> (tempfile::NamedTempFile, Source) {
        let numbers: arrow_array::ArrayRef =
            std::sync::Arc::new(arrow_array::Float64Array::from_iter_values((0..n_rows).map(|x| x as f64)));
        let batch = arrow_array::RecordBatch::try_from_iter([("x", numbers)]).unwrap();
        let mut file = tempfile::NamedTempFile::new().unwrap();
        let mut writer = parquet::arrow::ArrowWriter::try_new(&mut file, batch.schema(), None).unwrap();
        writer.write(&batch).unwrap();
        writer.close().unwrap();
        let input = Input::all(&[file.path()]).unwrap().remove(0);
        let source = Source::open(input, &ReadOptions::default(), false, &|_| false).unwrap();
        (file, source)
    }

    fn units(source: &Source, rows: usize, n_parts: usize) -> Vec<Unit> {
        let mut units = source.units(rows, 0, Pool::default(), Some(n_parts)).unwrap();
        std::iter::from_fn(|| units.next().unwrap()).collect()
    }

    #[test]
    fn a_part_has_a_bounded_number_of_chunks() {
        let (_file, source) = parquet(200_000);
        assert_eq!(units(&source, 1 << 16, 1).len(), 1);
        assert_eq!(units(&source, 1 << 10, 1).len(), 4);
    }

    /// Or progress would stand still.
    #[test]
    fn parts_share_the_files_bytes_among_them() {
        let (_file, source) = parquet(200_000);
        let bytes: Vec<u64> = units(&source, 1 << 16, 3).iter().map(Unit::bytes).collect();
        assert!(bytes.len() > 1 && bytes.iter().all(|b| *b > 0) && bytes.iter().sum::<u64>() == source.input.bytes(), "{bytes:?}");
    }
}
