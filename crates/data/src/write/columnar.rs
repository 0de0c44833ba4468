//! Answers as Parquet or Arrow IPC: columnar input is passed on array by array, text becomes columns of text or numbers.

use std::io::Write;
use std::sync::Arc;

use arrow_array::builder::{Float64Builder, StringBuilder};
use arrow_array::{Array, ArrayRef, DictionaryArray, Float64Array, Int32Array, ListArray, RecordBatch, StringArray, new_null_array};
use arrow_buffer::OffsetBuffer;
use arrow_ipc::writer::FileWriter;
use arrow_schema::{DataType, Field, Schema, SchemaRef, TimeUnit};
use belief::{Kind, Observations, ReadReport, Role, Variable};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_writer::{ArrowColumnChunk, ArrowColumnWriter, ArrowRowGroupWriterFactory, compute_leaves};
use parquet::basic::Compression;
use parquet::file::properties::{EnabledStatistics, WriterProperties};

use super::cells::each_row;
use super::{Job, Said, Tell, Told};
use crate::DataError;
use crate::columnar::encode::EXACT;
use crate::columnar::parquet::LEAST_PART;
use crate::columnar::without_panic;
use crate::date::number_or_days;
use crate::encode::{EncodedChunk, Plan, RawRows};
use crate::input::Format;
use crate::source::Unit;

pub(super) fn write_arrow(job: &Job<'_>, plan: &Plan, to: &mut (dyn Write + Send), answer: impl Tell) -> Result<ReadReport, DataError> {
    let mut shape = Shape::new(job);
    // A file has one dictionary a column for all its batches; other sources may have one for each, and are written in full.
    if !matches!(&job.table.sources[..], [only] if only.input.format == Format::ArrowFile) {
        shape.flatten_dictionaries(job);
    }
    let mut writer = FileWriter::try_new(to, &shape.schema).map_err(|e| failed(&e))?;
    let mut report = ReadReport::default();
    job.table.each_unit(
        plan,
        |chunk, unit, source| {
            let answers = chunk.lend(&answer)?;
            let (batch, n_reworded) = shape.batch(job, &chunk, unit, source, &answers)?;
            Ok((batch, ReadReport { n_reworded, ..chunk.report }))
        },
        Ok,
        |batches: Vec<(RecordBatch, ReadReport)>| {
            batches.into_iter().try_for_each(|(batch, chunk_report)| {
                report.merge(&chunk_report);
                writer.write(&batch).map_err(|e| failed(&e))
            })
        },
    )?;
    writer.finish().map_err(|e| failed(&e))?;
    Ok(report)
}

/// Rows of a row group at most. Units are cut at multiples of it, or are smaller: row groups do not depend on how many threads there are.
const ROW_GROUP: usize = LEAST_PART;

/// Each unit of rows becomes row groups, encoded by the thread that read it.
pub(super) fn write_parquet(job: &Job<'_>, plan: &Plan, to: &mut (dyn Write + Send), answer: impl Tell) -> Result<ReadReport, DataError> {
    let mut shape = Shape::new(job);
    shape.retime(job);
    check_types(&shape.schema)?;
    let writer = ArrowWriter::try_new(to, shape.schema.clone(), Some(writer_properties(&shape.schema))).map_err(|e| failed(&e))?;
    let (mut file, factory) = writer.into_serialized_writer().map_err(|e| failed(&e))?;
    let mut report = ReadReport::default();
    job.table.each_unit(
        plan,
        |chunk, unit, source| {
            let answers = chunk.lend(&answer)?;
            let (batch, n_reworded) = shape.batch(job, &chunk, unit, source, &answers)?;
            Ok((batch, ReadReport { n_reworded, ..chunk.report }))
        },
        |chunks| {
            let (batches, reports): (Vec<RecordBatch>, Vec<ReadReport>) = chunks.into_iter().unzip();
            let groups = batches.chunks((ROW_GROUP / job.table.chunk_rows).max(1));
            Ok((groups.map(|batches| row_group(&factory, &shape.schema, batches)).collect::<Result<Vec<_>, _>>()?, reports))
        },
        |(groups, reports)| {
            reports.iter().for_each(|r| report.merge(r));
            for columns in groups {
                let mut group = file.next_row_group().map_err(|e| failed(&e))?;
                for column in columns {
                    column.append_to_row_group(&mut group).map_err(|e| failed(&e))?;
                }
                group.close().map_err(|e| failed(&e))?;
            }
            Ok(())
        },
    )?;
    file.close().map_err(|e| failed(&e))?;
    Ok(report)
}

/// Arrow has types that Parquet has not; of some its writer says so, and of some it panics. A row of each type is tried.
fn check_types(schema: &Schema) -> Result<(), DataError> {
    let mut tried: Vec<&DataType> = Vec::new();
    for field in schema.fields() {
        let data_type = field.data_type();
        if data_type.is_numeric() && !matches!(data_type, DataType::Decimal128(..) | DataType::Decimal256(..)) || tried.contains(&data_type)
        {
            continue;
        }
        tried.push(data_type);
        let one_row = || {
            let schema = Arc::new(Schema::new(vec![field.as_ref().clone().with_nullable(true)]));
            let mut writer = ArrowWriter::try_new(std::io::sink(), schema.clone(), None)?;
            writer.write(&RecordBatch::try_new(schema, vec![new_null_array(data_type, 1)])?)?;
            writer.close().map(drop)
        };
        without_panic(one_row).map_err(|why: Option<String>| DataError::BadFile {
            path: "output".into(),
            what: format!(
                "column `{}` of type {data_type} cannot be written to Parquet: {}",
                field.name(),
                why.unwrap_or_else(|| "it has no such type".into())
            ),
            hint: Some("write an Arrow file, or answers alone with --answers-only".into()),
        })?;
    }
    Ok(())
}

/// Numbers are written plainly: a dictionary of doubles is tried at great cost and mostly given up.
pub(super) fn writer_properties(schema: &Schema) -> WriterProperties {
    let plain = WriterProperties::builder().set_compression(Compression::UNCOMPRESSED).set_statistics_enabled(EnabledStatistics::Chunk);
    let doubles = schema.fields().iter().filter(|field| field.data_type().is_floating());
    doubles.fold(plain, |properties, field| properties.set_column_dictionary_enabled(vec![field.name().clone()].into(), false)).build()
}

fn row_group(factory: &ArrowRowGroupWriterFactory, schema: &Schema, batches: &[RecordBatch]) -> Result<Vec<ArrowColumnChunk>, DataError> {
    let mut writers = factory.create_column_writers(0).map_err(|e| failed(&e))?;
    batches.iter().try_for_each(|batch| encode_batch(&mut writers, schema, batch))?;
    writers.into_iter().map(|w| w.close().map_err(|e| failed(&e))).collect()
}

pub(super) fn encode_batch(writers: &mut [ArrowColumnWriter], schema: &Schema, batch: &RecordBatch) -> Result<(), DataError> {
    let mut leaf = writers.iter_mut();
    for (field, array) in schema.fields().iter().zip(batch.columns()) {
        for column in compute_leaves(field, array).map_err(|e| failed(&e))? {
            if let Some(writer) = leaf.next() {
                writer.write(&column).map_err(|e| failed(&e))?;
            }
        }
    }
    Ok(())
}

/// The columns behind those of the input: the predicted state and every state's probability.
pub(super) fn answer_fields(job: &Job<'_>) -> Vec<Field> {
    let predicted = match job.separator {
        None => DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8)),
        Some(_) => DataType::List(label_field()),
    };
    let probabilities = job.added[1..].iter().map(|name| Field::new(name, DataType::Float64, true));
    std::iter::once(Field::new(&job.added[0], predicted, true)).chain(probabilities).collect()
}

pub(super) fn answer_columns(answers: &Told, names: &Arc<StringArray>, n_states: usize) -> Result<Vec<ArrayRef>, DataError> {
    let probabilities = |state: usize| answers.probability.iter().skip(state).step_by(n_states).copied();
    let (said, probability): (ArrayRef, Vec<ArrayRef>) = match &answers.said {
        Said::State(predicted) => {
            let keys: Int32Array = predicted.iter().map(|p| p.map(|p| p as i32)).collect();
            // Where nothing can be predicted, no state has a probability.
            let nulls = keys.nulls().cloned();
            let of_state = |state| Arc::new(Float64Array::new(probabilities(state).collect(), nulls.clone())) as ArrayRef;
            let predicted = DictionaryArray::try_new(keys, names.clone() as ArrayRef).map_err(|e| failed(&e))?;
            (Arc::new(predicted), (0..n_states).map(of_state).collect())
        }
        Said::Labels(labels) => {
            let names: StringArray = labels.iter().flatten().map(|label| Some(names.value(*label as usize))).collect();
            let ends = OffsetBuffer::from_lengths(labels.iter().map(Vec::len));
            let lists = ListArray::try_new(label_field(), ends, Arc::new(names), None).map_err(|e| failed(&e))?;
            let of_label =
                |label| Arc::new(probabilities(label).map(|p| Some(p).filter(|p| !p.is_nan())).collect::<Float64Array>()) as ArrayRef;
            (Arc::new(lists), (0..n_states).map(of_label).collect())
        }
    };
    Ok(std::iter::once(said).chain(probability).collect())
}

/// The labels of a list.
fn label_field() -> Arc<Field> {
    Arc::new(Field::new("item", DataType::Utf8, true))
}

/// The columns of the output.
struct Shape {
    schema: SchemaRef,
    /// How columns of text input are written; `None` when the input is columnar.
    numeric: Option<Vec<bool>>,
    said: Arc<StringArray>,
}

impl Shape {
    fn new(job: &Job<'_>) -> Self {
        let source = &job.table.sources[0];
        let (mut fields, numeric) = match source.arrow_schema() {
            _ if job.passed_on.is_empty() => (Vec::new(), None),
            Some(schema) => (schema.fields().iter().map(|f| f.as_ref().clone()).collect::<Vec<_>>(), None),
            None => {
                let known = job.table.schema();
                // The cells of a column that is left out may be anything.
                let is_number = |variable: &Variable| variable.kind == Kind::Numeric && !matches!(variable.role, Role::Ignored(_));
                let is_numeric = |name: &String| known.find(name).is_some_and(|id| is_number(known.variable(id)));
                let numeric: Vec<bool> = job.passed_on.iter().map(is_numeric).collect();
                let kind = |numeric: bool| if numeric { DataType::Float64 } else { DataType::Utf8 };
                (job.passed_on.iter().zip(&numeric).map(|(name, n)| Field::new(name, kind(*n), true)).collect(), Some(numeric))
            }
        };
        fields.extend(answer_fields(job));
        Self { schema: Arc::new(Schema::new(fields)), numeric, said: job.said_column() }
    }

    fn flatten_dictionaries(&mut self, job: &Job<'_>) {
        self.retype(
            job,
            |data_type| if let DataType::Dictionary(_, values) = data_type { values.as_ref().clone() } else { data_type.clone() },
        );
    }

    /// Parquet has no times by the second, and no days by the millisecond: as numbers of these, others would not know them for times.
    fn retime(&mut self, job: &Job<'_>) {
        fn known(data_type: &DataType) -> DataType {
            match data_type {
                DataType::Timestamp(TimeUnit::Second, zone) => DataType::Timestamp(TimeUnit::Millisecond, zone.clone()),
                DataType::Time32(TimeUnit::Second) => DataType::Time32(TimeUnit::Millisecond),
                DataType::Date64 => DataType::Date32,
                DataType::Dictionary(_, values) if known(values) != **values => known(values),
                other => other.clone(),
            }
        }
        self.retype(job, known);
    }

    /// Passes columns on as other types.
    fn retype(&mut self, job: &Job<'_>, other: impl Fn(&DataType) -> DataType) {
        let n_passed_on = job.passed_on.len();
        let retyped = |(place, field): (usize, &Arc<Field>)| {
            if place < n_passed_on { field.as_ref().clone().with_data_type(other(field.data_type())).into() } else { field.clone() }
        };
        self.schema = Arc::new(Schema::new(self.schema.fields().iter().enumerate().map(retyped).collect::<Vec<_>>()));
    }

    /// A chunk's rows, and how many cells say less as numbers than they did as text.
    fn batch(
        &self,
        job: &Job<'_>,
        chunk: &EncodedChunk,
        unit: &Unit,
        source: usize,
        answers: &Told,
    ) -> Result<(RecordBatch, u64), DataError> {
        let mut n_reworded = 0;
        let mut columns = match (&chunk.raw, &self.numeric) {
            _ if job.passed_on.is_empty() => Vec::new(),
            (RawRows::Batch(batch), _) => {
                let fields = self.schema.fields().iter();
                let passed_on = |(array, field): (&ArrayRef, &Arc<Field>)| match array.data_type() {
                    kind if kind == field.data_type() => Ok(array.clone()),
                    // A time that is too far away to be told is an error, and not missing.
                    _ => arrow_cast::cast_with_options(array, field.data_type(), &EXACT).map_err(|e| failed(&e)),
                };
                batch.columns().iter().zip(fields).map(passed_on).collect::<Result<_, _>>()?
            }
            (_, numeric) => {
                let columns;
                (columns, n_reworded) = text_columns(job, chunk, unit, source, numeric.as_deref().unwrap_or_default())?;
                columns
            }
        };
        columns.extend(answer_columns(answers, &self.said, job.states.len())?);
        Ok((RecordBatch::try_new(self.schema.clone(), columns).map_err(|e| failed(&e))?, n_reworded))
    }
}

enum Builder {
    Text(StringBuilder),
    Number(Float64Builder),
}

fn text_columns(
    job: &Job<'_>,
    chunk: &EncodedChunk,
    unit: &Unit,
    source: usize,
    numeric: &[bool],
) -> Result<(Vec<ArrayRef>, u64), DataError> {
    let mut n_reworded = 0;
    let mut builders: Vec<Builder> =
        numeric.iter().map(|n| if *n { Builder::Number(Float64Builder::new()) } else { Builder::Text(StringBuilder::new()) }).collect();
    each_row(chunk, unit, &job.table.sources[source], |_, cells| {
        for (builder, cell) in builders.iter_mut().zip(cells) {
            match builder {
                // A cell of a numeric column that is no number is a day, or a missing marker: anything else was refused.
                Builder::Number(numbers) => {
                    let text = cell.text.as_deref().map(str::trim);
                    let number = text.and_then(number_or_days);
                    n_reworded += u64::from(text.zip(number).is_some_and(|(text, number)| says_more(text, number)));
                    numbers.append_option(number);
                }
                Builder::Text(texts) => texts.append_option(cell.text.as_deref()),
            }
        }
        Ok(())
    })?;
    let columns = builders
        .into_iter()
        .map(|builder| match builder {
            Builder::Text(mut texts) => Arc::new(texts.finish()) as ArrayRef,
            Builder::Number(mut numbers) => Arc::new(numbers.finish()),
        })
        .inspect(|array| debug_assert_eq!(array.len(), chunk.n_rows))
        .collect();
    Ok((columns, n_reworded))
}

/// Whether a text that is read as a number says more than the number does: a day, a code with zeros in front, more digits than a double has.
fn says_more(text: &str, number: f64) -> bool {
    const EXACT: usize = 15;
    let digits = text.strip_prefix('-').unwrap_or(text);
    if digits.bytes().all(|b| b.is_ascii_digit()) {
        return digits.len() > 1 && digits.starts_with('0') || digits.len() > EXACT && number.to_string() != text;
    }
    text.parse::<f64>().is_err()
}

pub(super) fn failed(error: &dyn std::fmt::Display) -> DataError {
    DataError::BadFile { path: "output".into(), what: format!("cannot be written: {error}"), hint: None }
}

#[cfg(test)]
mod tests {
    use super::says_more;

    #[test]
    fn numbers_that_say_less_than_their_text() {
        for (text, number, more) in [
            ("1.10", 1.1, false),
            ("3e0", 3.0, false),
            ("-0", -0.0, false),
            ("0", 0.0, false),
            ("9007199254740992", 9_007_199_254_740_992.0, false),
            ("9007199254740993", 9_007_199_254_740_992.0, true),
            ("01234", 1234.0, true),
            ("2020-01-01", 18262.0, true),
        ] {
            assert_eq!(says_more(text, number), more, "{text}");
        }
    }
}
