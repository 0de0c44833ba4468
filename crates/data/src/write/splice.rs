//! Answers beside the columns of a Parquet file, which are passed on as the bytes they are: only what the model asks for is
//! decoded, and only the answers are encoded.

use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, sync_channel};

use arrow_array::RecordBatch;
use arrow_schema::{Schema, SchemaRef};
use belief::ReadReport;
use parquet::arrow::arrow_writer::{ArrowColumnWriter, ArrowRowGroupWriterFactory};
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
            |chunk, _, _| {
                let columns = answer_columns(&chunk.lend(&answer)?, &said, job.states.len())?;
                let batch = RecordBatch::try_new(answers_schema.clone(), columns).map_err(|e| failed(&e))?;
                Ok((batch, chunk.report))
            },
            Ok,
            |chunks: Vec<(RecordBatch, ReadReport)>| {
                for (batch, chunk_report) in chunks {
                    report.merge(&chunk_report);
                    // A writer that has stopped says why when it is joined.
                    if send.send(batch).is_err() {
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

    /// Writes a row group after another: its columns are passed on while its answers are encoded as they come, and those are put behind them.
    fn write(mut self, answers: Receiver<RecordBatch>) -> Result<(), DataError> {
        let mut answers = answers.into_iter();
        for &file in self.files {
            for (row_group, n_rows) in file.row_groups().filter(|(_, n_rows)| *n_rows > 0) {
                let mut group = self.file.next_row_group().map_err(|e| failed(&e))?;
                let mut writers = self.factory.create_column_writers(0).map_err(|e| failed(&e))?;
                let schema = &self.answers_schema;
                std::thread::scope(|scope| {
                    let encoding = scope.spawn(|| encode(&mut answers, n_rows, &mut writers, schema));
                    let spliced = file.splice(row_group, &mut group);
                    encoding.join().unwrap_or_else(|_| Err(failed(&"the encoder has failed"))).and(spliced)
                })?;
                for writer in writers {
                    writer.close().and_then(|column| column.append_to_row_group(&mut group)).map_err(|e| failed(&e))?;
                }
                group.close().map_err(|e| failed(&e))?;
            }
        }
        self.file.close().map(drop).map_err(|e| failed(&e))
    }
}

/// Encodes the answers of a row group, which come whole batches at a time.
fn encode(
    answers: &mut impl Iterator<Item = RecordBatch>,
    n_rows: usize,
    writers: &mut [ArrowColumnWriter],
    schema: &Schema,
) -> Result<(), DataError> {
    let mut n_encoded = 0;
    while n_encoded < n_rows {
        let batch = answers.next().ok_or_else(|| failed(&"a row group has fewer answers than rows"))?;
        encode_batch(writers, schema, &batch)?;
        n_encoded += batch.num_rows();
    }
    Ok(())
}
