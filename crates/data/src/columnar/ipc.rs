//! Arrow IPC files (Feather version 2) and streams, batch after batch.

use std::io::{BufReader, Read};

use arrow_array::RecordBatch;
use arrow_ipc::reader::{FileReader, StreamReader};
use arrow_schema::SchemaRef;

use crate::DataError;
use crate::input::{Format, Input};

/// Batches of one file, in order.
pub(crate) enum Batches {
    File(Box<FileReader<std::fs::File>>),
    Stream(Box<StreamReader<BufReader<Box<dyn Read + Send>>>>),
}

impl Batches {
    pub fn open(input: &Input) -> Result<Self, DataError> {
        let io = |source| DataError::Io { path: input.path.clone(), source };
        Ok(match input.format {
            Format::ArrowFile => {
                Batches::File(Box::new(FileReader::try_new(input.seekable().map_err(io)?, None).map_err(|e| bad(input, &e))?))
            }
            _ => Batches::Stream(Box::new(
                StreamReader::try_new(BufReader::new(input.open().map_err(io)?), None).map_err(|e| bad(input, &e))?,
            )),
        })
    }

    pub fn schema(&self) -> SchemaRef {
        match self {
            Batches::File(reader) => reader.schema(),
            Batches::Stream(reader) => reader.schema(),
        }
    }

    pub fn next(&mut self, input: &Input) -> Result<Option<RecordBatch>, DataError> {
        let read = match self {
            Batches::File(reader) => reader.next(),
            Batches::Stream(reader) => reader.next(),
        };
        read.transpose().map_err(|e| bad(input, &e))
    }
}

fn bad(input: &Input, error: &dyn std::fmt::Display) -> DataError {
    DataError::BadFile {
        path: input.path.clone(),
        what: format!("cannot be read as Arrow IPC: {error}"),
        hint: Some("the file may be damaged or cut short".into()),
    }
}
