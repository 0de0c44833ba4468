//! Parquet: row groups, or parts of them, are decoded by any thread.

use std::fs::File;

use arrow_array::RecordBatch;
use arrow_schema::{DataType, Field, Schema as ArrowSchema, SchemaRef};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder, RowSelection, RowSelector};
use parquet::errors::ParquetError;

use super::guard;
use crate::{DataError, input::Input};

const PARQUET: &str = "Parquet";

/// What is known of a Parquet file once its footer has been read.
#[derive(Clone)]
pub(crate) struct ParquetFile {
    input: Input,
    metadata: ArrowReaderMetadata,
}

/// Some rows of one row group.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Part {
    row_group: usize,
    skip: usize,
    rows: usize,
    /// The number of its first row in the file.
    pub first_row: u64,
}

impl Part {
    /// Its first rows only.
    pub fn first(self, most: usize) -> Self {
        Self { rows: self.rows.min(most), ..self }
    }

    pub fn n_rows(&self) -> usize {
        self.rows
    }
}

/// A row group is cut into parts of no fewer rows than this: each part decodes its first page from the start.
const LEAST_PART: usize = 1 << 16;

impl ParquetFile {
    pub fn open(input: &Input) -> Result<Self, DataError> {
        let file = input.seekable().map_err(|source| DataError::Io { path: input.path.clone(), source })?;
        let metadata = guard(input, PARQUET, || {
            let loaded = ArrowReaderMetadata::load(&file, ArrowReaderOptions::new())?;
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

    pub fn schema(&self) -> &SchemaRef {
        self.metadata.schema()
    }

    pub fn n_rows(&self) -> u64 {
        self.metadata.metadata().file_metadata().num_rows().max(0) as u64
    }

    /// The same file with its text columns read as dictionaries, which is how Parquet mostly stores them.
    pub fn with_dictionaries(&self) -> Result<Self, DataError> {
        let as_dictionary = |field: &Field| match field.data_type() {
            DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => {
                field.clone().with_data_type(DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8)))
            }
            _ => field.clone(),
        };
        let fields: Vec<Field> = self.schema().fields().iter().map(|f| as_dictionary(f)).collect();
        let options = ArrowReaderOptions::new().with_schema(std::sync::Arc::new(ArrowSchema::new(fields)));
        let metadata = guard(&self.input, PARQUET, || ArrowReaderMetadata::try_new(self.metadata.metadata().clone(), options))?;
        Ok(Self { input: self.input.clone(), metadata })
    }

    /// The parts of the file, in order. They depend on the file alone, never on threads.
    pub fn parts(&self) -> Vec<Part> {
        let file = self.metadata.metadata();
        let total = self.n_rows() as usize;
        // Some sixteen parts a file, so that all cores have work on a file of a single row group.
        let size = (total / 16).next_multiple_of(LEAST_PART).max(LEAST_PART);
        let mut parts = Vec::new();
        let mut first_row = 0;
        for row_group in 0..file.num_row_groups() {
            let rows_here = file.row_group(row_group).num_rows().max(0) as usize;
            let mut skip = 0;
            while skip < rows_here {
                let rows = size.min(rows_here - skip);
                parts.push(Part { row_group, skip, rows, first_row });
                skip += rows;
                first_row += rows as u64;
            }
        }
        parts
    }

    /// Reads a part in batches of `batch` rows; `columns` are the places of the columns wanted.
    pub fn read(
        &self,
        part: Part,
        batch: usize,
        columns: Option<&[usize]>,
        mut each: impl FnMut(RecordBatch) -> Result<(), DataError>,
    ) -> Result<(), DataError> {
        let file: File = self.input.seekable().map_err(|source| DataError::Io { path: self.input.path.clone(), source })?;
        let mut builder = ParquetRecordBatchReaderBuilder::new_with_metadata(file, self.metadata.clone())
            .with_batch_size(batch)
            .with_row_groups(vec![part.row_group]);
        if let Some(columns) = columns {
            let mask = ProjectionMask::roots(builder.parquet_schema(), columns.iter().copied());
            builder = builder.with_projection(mask);
        }
        let whole = self.metadata.metadata().row_group(part.row_group).num_rows() as usize;
        if part.rows < whole {
            let rest = whole - part.skip - part.rows;
            let selectors = vec![RowSelector::skip(part.skip), RowSelector::select(part.rows), RowSelector::skip(rest)];
            builder = builder.with_row_selection(RowSelection::from(selectors));
        }
        let mut batches = guard(&self.input, PARQUET, || builder.build())?;
        while let Some(batch) = guard(&self.input, PARQUET, || batches.next().transpose())? {
            each(batch)?;
        }
        Ok(())
    }
}
