//! Answers beside the columns of a Parquet file, which are passed on as the bytes they are: only what the model asks for is
//! decoded, and only the answers are encoded.

use std::io::{self, Write};
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::{Schema, SchemaRef};
use belief::{Chunk, ReadReport};
use parquet::arrow::arrow_writer::{ArrowColumnWriter, ArrowRowGroupWriterFactory};
use parquet::arrow::{ArrowSchemaConverter, ArrowWriter, add_encoded_arrow_schema_to_metadata};
use parquet::errors::ParquetError;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::{Type, TypePtr};

use super::columnar::{answer_columns, answer_fields, encode_batch, failed, writer_properties};
use super::{Answers, Job};
use crate::DataError;
use crate::columnar::parquet::ParquetFile;
use crate::encode::Plan;
use crate::options::OnBadRow;
use crate::source::Unit;

/// The files of a table, where all are Parquet and can be passed on whole.
pub(super) fn files<'t>(job: &Job<'t>) -> Option<Vec<&'t ParquetFile>> {
    // The answers of a row group are in memory until its last row is answered.
    const MOST_ROWS: usize = 1 << 22;
    let files: Vec<&ParquetFile> = job.table.sources.iter().map(|source| source.parquet()).collect::<Option<_>>()?;
    let may_be_spliced = |file: &&ParquetFile| file.parquet_schema() == files[0].parquet_schema() && file.largest_row_group() <= MOST_ROWS;
    (job.table.options.on_bad_row == OnBadRow::Error && files.iter().all(may_be_spliced)).then_some(files)
}

pub(super) fn write(
    job: &Job<'_>,
    files: &[&ParquetFile],
    plan: &Plan,
    to: &mut (dyn Write + Send),
    answer: impl Fn(Chunk<'_>) -> Result<Answers, DataError> + Sync,
) -> Result<ReadReport, DataError> {
    let answers_schema = Arc::new(Schema::new(answer_fields(job)));
    let mut output = Output::new(files, answers_schema.clone(), to).map_err(|e| failed(&e))?;
    let states = job.states_column();
    let mut report = ReadReport::default();
    job.table.each_unit(
        plan,
        |chunk, unit, source| {
            let Unit::Part { part, .. } = unit else { return Err(failed(&"a part of a Parquet file was expected")) };
            let columns = answer_columns(&chunk.lend(&answer)?, &states)?;
            let batch = RecordBatch::try_new(answers_schema.clone(), columns).map_err(|e| failed(&e))?;
            Ok(((source, part.row_group), batch, chunk.report))
        },
        Ok,
        |chunks: Vec<((usize, usize), RecordBatch, ReadReport)>| {
            for (row_group, batch, chunk_report) in chunks {
                report.merge(&chunk_report);
                output.add(row_group, &batch)?;
            }
            Ok(())
        },
    )?;
    output.finish()?;
    Ok(report)
}

struct Output<'o> {
    files: &'o [&'o ParquetFile],
    file: SerializedFileWriter<&'o mut (dyn Write + Send)>,
    factory: ArrowRowGroupWriterFactory,
    answers_schema: SchemaRef,
    /// The file and row group whose rows are being answered, and their answers so far.
    current: Option<((usize, usize), Vec<ArrowColumnWriter>)>,
}

impl<'o> Output<'o> {
    fn new(files: &'o [&'o ParquetFile], answers_schema: SchemaRef, to: &'o mut (dyn Write + Send)) -> Result<Self, ParquetError> {
        let added = ArrowSchemaConverter::new().convert(&answers_schema)?;
        let fields: Vec<TypePtr> = files[0].parquet_schema().get_fields().iter().chain(added.root_schema().get_fields()).cloned().collect();
        let root = Type::group_type_builder("schema").with_fields(fields).build()?;
        let all_fields = files[0].schema().fields().iter().chain(answers_schema.fields()).cloned().collect::<Vec<_>>();
        // A file has offsets of all its pages or of none, and those of the columns passed on are not known.
        let mut properties = writer_properties(&answers_schema).into_builder().set_offset_index_disabled(true).build();
        // The types that Parquet does not know, such as a time's zone or a dictionary.
        add_encoded_arrow_schema_to_metadata(&Schema::new(all_fields), &mut properties);
        // Column writers come of a file of the answers alone, which is not kept.
        let alone = ArrowWriter::try_new(io::sink(), answers_schema.clone(), Some(properties.clone()))?;
        let (_, factory) = alone.into_serialized_writer()?;
        let file = SerializedFileWriter::new(to, Arc::new(root), Arc::new(properties))?;
        Ok(Self { files, file, factory, answers_schema, current: None })
    }

    fn add(&mut self, row_group: (usize, usize), batch: &RecordBatch) -> Result<(), DataError> {
        if self.current.as_ref().is_none_or(|(current, _)| *current != row_group) {
            self.close_row_group()?;
            self.current = Some((row_group, self.factory.create_column_writers(0).map_err(|e| failed(&e))?));
        }
        match &mut self.current {
            Some((_, writers)) => encode_batch(writers, &self.answers_schema, batch),
            None => Ok(()),
        }
    }

    fn close_row_group(&mut self) -> Result<(), DataError> {
        let Some(((file, row_group), writers)) = self.current.take() else { return Ok(()) };
        let mut group = self.file.next_row_group().map_err(|e| failed(&e))?;
        self.files[file].splice(row_group, &mut group)?;
        for writer in writers {
            writer.close().and_then(|column| column.append_to_row_group(&mut group)).map_err(|e| failed(&e))?;
        }
        group.close().map(drop).map_err(|e| failed(&e))
    }

    fn finish(mut self) -> Result<(), DataError> {
        self.close_row_group()?;
        self.file.close().map(drop).map_err(|e| failed(&e))
    }
}
