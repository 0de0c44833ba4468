//! Answers beside the columns of a Parquet file, which are passed on as the bytes they are: only what the model asks for is
//! decoded, and only the answers are encoded.

use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, sync_channel};

use arrow_array::RecordBatch;
use arrow_schema::{Schema, SchemaRef};
use belief::ReadReport;
use parquet::arrow::arrow_writer::ArrowRowGroupWriterFactory;
use parquet::arrow::{ArrowSchemaConverter, ArrowWriter, add_encoded_arrow_schema_to_metadata};
use parquet::errors::ParquetError;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::{Type, TypePtr};

use super::columnar::{answer_columns, answer_fields, encode_batch, failed, writer_properties};
use super::{Job, Tell};
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
    answer: impl Tell,
) -> Result<ReadReport, DataError> {
    let answers_schema = Arc::new(Schema::new(answer_fields(job)));
    let output = Output::new(files, answers_schema.clone(), to).map_err(|e| failed(&e))?;
    let said = job.said_column();
    let mut report = ReadReport::default();
    // The columns of a row group are written while its rows are still being answered: all of them may have to wait for that.
    let largest = files.iter().map(|file| file.largest_row_group()).max().unwrap_or(0);
    let (send, receive) = sync_channel(largest.div_ceil(job.table.chunk_rows) + FEW_WAITING);
    std::thread::scope(|scope| {
        let writing = scope.spawn(|| output.write(receive));
        let answering = job.table.each_unit(
            plan,
            |chunk, unit, source| {
                let Unit::Part { part, .. } = unit else { return Err(failed(&"a part of a Parquet file was expected")) };
                let columns = answer_columns(&chunk.lend(&answer)?, &said, job.states.len())?;
                let batch = RecordBatch::try_new(answers_schema.clone(), columns).map_err(|e| failed(&e))?;
                Ok(((source, part.row_group), batch, chunk.report))
            },
            Ok,
            |chunks: Vec<(RowGroup, RecordBatch, ReadReport)>| {
                for (row_group, batch, chunk_report) in chunks {
                    report.merge(&chunk_report);
                    // A writer that has stopped says why when it is joined.
                    if send.send((row_group, batch)).is_err() {
                        return Err(failed(&"the writer has stopped"));
                    }
                }
                Ok(())
            },
        );
        drop(send);
        let written = writing.join().unwrap_or_else(|_| Err(failed(&"the writer has failed")));
        match (written, answering) {
            (Err(stopped), Err(DataError::BadFile { path, .. })) if path == Path::new("output") => Err(stopped),
            (_, Err(error)) | (Err(error), _) => Err(error),
            (Ok(()), Ok(())) => Ok(()),
        }
    })?;
    Ok(report)
}

/// The place of a file among the table's, and of a row group in it.
type RowGroup = (usize, usize);

/// Batches of answers that wait for the writer beside those of a row group.
const FEW_WAITING: usize = 16;

struct Output<'o> {
    files: &'o [&'o ParquetFile],
    file: SerializedFileWriter<&'o mut (dyn Write + Send)>,
    factory: ArrowRowGroupWriterFactory,
    answers_schema: SchemaRef,
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
        Ok(Self { files, file, factory, answers_schema })
    }

    /// Writes a row group after another: first its columns, then the answers as they come.
    fn write(mut self, answers: Receiver<(RowGroup, RecordBatch)>) -> Result<(), DataError> {
        let mut answers = answers.into_iter().peekable();
        while let Some(&(current, _)) = answers.peek() {
            let mut group = self.file.next_row_group().map_err(|e| failed(&e))?;
            self.files[current.0].splice(current.1, &mut group)?;
            let mut writers = self.factory.create_column_writers(0).map_err(|e| failed(&e))?;
            while let Some((_, batch)) = answers.next_if(|(row_group, _)| *row_group == current) {
                encode_batch(&mut writers, &self.answers_schema, &batch)?;
            }
            for writer in writers {
                writer.close().and_then(|column| column.append_to_row_group(&mut group)).map_err(|e| failed(&e))?;
            }
            group.close().map_err(|e| failed(&e))?;
        }
        self.file.close().map(drop).map_err(|e| failed(&e))
    }
}
