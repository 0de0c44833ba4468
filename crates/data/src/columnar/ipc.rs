//! Arrow IPC files (Feather version 2) and streams, batch after batch.
//!
//! arrow-ipc's own readers set aside as many bytes as a length in the file says and end the program where that is wrong. So the
//! messages are read here, as far as there are bytes, and the places named in them are checked before they are decoded.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};
use std::ops::Range;
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch};
use arrow_buffer::Buffer;
use arrow_ipc::convert::fb_to_schema;
use arrow_ipc::reader::{read_dictionary, read_footer_length, read_record_batch};
use arrow_ipc::{Message, MessageHeader, root_as_footer, root_as_message};
use arrow_schema::{ArrowError, SchemaRef};

use super::guard;
use super::scratch::give_back;
use super::slices::Slices;
use crate::DataError;
use crate::input::{Format, Input};
use crate::text::blocks::Pool;

const IPC: &str = "Arrow IPC";

/// Batches of one file, in order, still packed: whoever draws them reads their headers, any thread the rest.
pub(crate) struct Batches {
    from: Messages,
    schema: SchemaRef,
    dictionaries: Arc<Dictionaries>,
}

pub(super) type Dictionaries = HashMap<i64, ArrayRef>;

enum Messages {
    Stream(BufReader<Box<dyn Read + Send>>),
    /// With the places of the batches that are still to come.
    File(BufReader<File>, std::vec::IntoIter<i64>),
}

pub(super) const CUT: &str = "it ends in the middle of a message";

/// A batch that is not decoded yet.
pub(crate) struct PackedBatch {
    metadata: Vec<u8>,
    body: Body,
    schema: SchemaRef,
    dictionaries: Arc<Dictionaries>,
    pub n_rows: u64,
}

enum Body {
    Read(Buffer),
    /// Where it lies, and how long it is.
    At(u64, u64),
}

impl Batches {
    pub fn open(input: &Input) -> Result<Self, DataError> {
        let io = |source| DataError::Io { path: input.path.clone(), source };
        match input.format {
            Format::ArrowFile => {
                let file = input.seekable().map_err(io)?;
                guard(input, IPC, || Self::open_file(BufReader::new(file)))
            }
            _ => {
                let stream = input.open().map_err(io)?;
                guard(input, IPC, || Self::open_stream(BufReader::new(stream)))
            }
        }
    }

    pub fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }

    pub fn next(&mut self, input: &Input) -> Result<Option<PackedBatch>, DataError> {
        guard(input, IPC, || self.next_batch())
    }

    fn open_stream(mut stream: BufReader<Box<dyn Read + Send>>) -> Result<Self, ArrowError> {
        let header = read_header(&mut stream)?.ok_or_else(|| damaged("it has no schema"))?;
        let schema = message(&header.metadata)?.header_as_schema().ok_or_else(|| damaged("it does not begin with a schema"))?;
        Self::new(Messages::Stream(stream), schema)
    }

    /// A file is a stream with a table of contents behind it.
    fn open_file(mut from: BufReader<File>) -> Result<Self, ArrowError> {
        const TRAILER: u64 = 10;
        let size = from.seek(SeekFrom::End(0))?;
        let mut trailer = [0; TRAILER as usize];
        from.seek(SeekFrom::Start(size.saturating_sub(TRAILER)))?;
        from.read_exact(&mut trailer)?;
        let n = read_footer_length(trailer)? as u64;
        let start = size.checked_sub(TRAILER + n).ok_or_else(|| damaged("its footer is longer than the file"))?;
        from.seek(SeekFrom::Start(start))?;
        let footer = read_exactly(&mut from, n, Vec::new())?;
        let footer = root_as_footer(&footer).map_err(damaged)?;
        let schema = footer.schema().ok_or_else(|| damaged("its footer has no schema"))?;
        let batches: Vec<i64> = footer.recordBatches().iter().flatten().map(|block| block.offset()).collect();
        let mut opened = Self::new(Messages::File(from, batches.into_iter()), schema)?;
        for block in footer.dictionaries().iter().flatten() {
            let Header { metadata, n_body } = opened.header_at(block.offset())?;
            opened.take_dictionary(message(&metadata)?, n_body)?;
        }
        Ok(opened)
    }

    fn new(from: Messages, schema: arrow_ipc::Schema<'_>) -> Result<Self, ArrowError> {
        if !schema.endianness().equals_to_target_endianness() {
            return Err(damaged("its bytes are in the order of another kind of machine"));
        }
        Ok(Self { from, schema: Arc::new(fb_to_schema(schema)), dictionaries: Arc::default() })
    }

    fn next_batch(&mut self) -> Result<Option<PackedBatch>, ArrowError> {
        loop {
            let next = match &mut self.from {
                Messages::Stream(stream) => read_header(stream)?,
                Messages::File(_, places) => places.next().map(|place| self.header_at(place)).transpose()?,
            };
            let Some(Header { metadata, n_body }) = next else { return Ok(None) };
            let message = message(&metadata)?;
            match message.header_type() {
                MessageHeader::RecordBatch => {
                    let batch = message.header_as_record_batch().ok_or_else(|| damaged("a batch is missing"))?;
                    let n_rows = u64::try_from(batch.length()).map_err(damaged)?;
                    let body = match &mut self.from {
                        Messages::Stream(stream) => Body::Read(read_exactly(stream, n_body, Vec::new())?.into()),
                        Messages::File(file, _) => Body::At(file.stream_position()?, n_body),
                    };
                    let (schema, dictionaries) = (self.schema.clone(), self.dictionaries.clone());
                    return Ok(Some(PackedBatch { metadata, body, schema, dictionaries, n_rows }));
                }
                MessageHeader::DictionaryBatch => self.take_dictionary(message, n_body)?,
                other => return Err(damaged(format!("{other:?} where a batch should be"))),
            }
        }
    }

    fn header_at(&mut self, place: i64) -> Result<Header, ArrowError> {
        let Messages::File(file, _) = &mut self.from else { return Err(damaged("a stream has no table of contents")) };
        file.seek(SeekFrom::Start(u64::try_from(place).map_err(damaged)?))?;
        read_header(file)?.ok_or_else(|| damaged("a batch is not where it should be"))
    }

    /// Reads a dictionary's body, which comes next.
    fn take_dictionary(&mut self, message: Message<'_>, n_body: u64) -> Result<(), ArrowError> {
        let body = match &mut self.from {
            Messages::Stream(stream) => read_exactly(stream, n_body, Vec::new())?,
            Messages::File(file, _) => read_exactly(file, n_body, Vec::new())?,
        };
        let body = Buffer::from_vec(body);
        let dictionary = message.header_as_dictionary_batch().ok_or_else(|| damaged("a dictionary is missing"))?;
        check_places(dictionary.data().ok_or_else(|| damaged("a dictionary has no values"))?, &body)?;
        read_dictionary(&body, dictionary, &self.schema, Arc::make_mut(&mut self.dictionaries), &message.version())
    }
}

impl PackedBatch {
    /// Decodes the `wanted` columns of the first rows, at most `most`, and hands them on, so many rows at a time as `at_once` says, which is a
    /// multiple of eight. The buffer the bytes were read into comes from the pool, and goes back to it unless someone still holds on to the
    /// rows: fresh memory for every slice costs as much as reading it.
    pub fn each_slice(
        &self,
        input: &Input,
        pool: &Pool,
        wanted: &[usize],
        (most, at_once): (usize, usize),
        mut then: impl FnMut(RecordBatch) -> Result<(), DataError>,
    ) -> Result<(), DataError> {
        let plain = guard(input, IPC, || {
            let Body::At(place, n_body) = self.body else { return Ok(None) };
            let file = input.seekable()?;
            if place.checked_add(n_body).is_none_or(|end| end > file.metadata().map_or(0, |file| file.len())) {
                return Err(damaged(CUT));
            }
            let slices = Slices::new(self.record_batch()?.1, &self.schema, &self.dictionaries, (place, n_body), wanted)?;
            Ok(slices.map(|slices| (file, slices)))
        })?;
        let n_rows = usize::try_from(self.n_rows).unwrap_or(usize::MAX).min(most);
        if let Some((file, slices)) = plain {
            return in_slices(n_rows, at_once).try_for_each(|rows| {
                let (body, rows) = guard(input, IPC, || slices.read(&file, rows, pool.take_as_it_is()))?;
                then(rows)?;
                give_back(body, pool);
                Ok(())
            });
        }
        let (body, batch) = guard(input, IPC, || self.unpack(input, pool, wanted))?;
        in_slices(n_rows, at_once).try_for_each(|rows| then(batch.slice(rows.start, rows.len())))?;
        drop(batch);
        give_back(body, pool);
        Ok(())
    }

    fn record_batch(&self) -> Result<(Message<'_>, arrow_ipc::RecordBatch<'_>), ArrowError> {
        let message = message(&self.metadata)?;
        Ok((message, message.header_as_record_batch().ok_or_else(|| damaged("a batch is missing"))?))
    }

    /// The whole batch.
    fn unpack(&self, input: &Input, pool: &Pool, wanted: &[usize]) -> Result<(Buffer, RecordBatch), ArrowError> {
        let body = match &self.body {
            Body::Read(bytes) => bytes.clone(),
            Body::At(place, n) => {
                let mut file = input.seekable()?;
                file.seek(SeekFrom::Start(*place))?;
                Buffer::from_vec(read_exactly(&mut file, *n, pool.take())?)
            }
        };
        let (message, batch) = self.record_batch()?;
        check_places(batch, &body)?;
        let batch = read_record_batch(&body, batch, self.schema.clone(), &self.dictionaries, Some(wanted), &message.version())?;
        if batch.num_rows() as u64 == self.n_rows { Ok((body, batch)) } else { Err(damaged("a batch has another number of rows")) }
    }

    /// How many bytes of the file it is.
    pub fn bytes(&self) -> u64 {
        match &self.body {
            Body::Read(bytes) => bytes.len() as u64,
            Body::At(_, n) => *n,
        }
    }
}

/// Ranges of so many rows, in order.
fn in_slices(n_rows: usize, at_once: usize) -> impl Iterator<Item = Range<usize>> {
    (0..n_rows).step_by(at_once).map(move |start| start..n_rows.min(start + at_once))
}

/// What stands before a message's body.
struct Header {
    metadata: Vec<u8>,
    n_body: u64,
}

/// The next message's header, or `None` at the end of the stream.
fn read_header(from: &mut impl Read) -> Result<Option<Header>, ArrowError> {
    const CONTINUES: [u8; 4] = [0xFF; 4];
    let mut word = [0; 4];
    match crate::input::read_full(from, &mut word)? {
        0 => return Ok(None),
        1..4 => return Err(damaged(CUT)),
        _ => {}
    }
    // Files from before version 0.15 have no such mark.
    if word == CONTINUES {
        from.read_exact(&mut word)?;
    }
    let n = u32::from_le_bytes(word);
    if n == 0 {
        return Ok(None);
    }
    let metadata = read_exactly(from, u64::from(n), Vec::new())?;
    let n_body = u64::try_from(message(&metadata)?.bodyLength()).map_err(damaged)?;
    Ok(Some(Header { metadata, n_body }))
}

/// So many bytes, in place of what `bytes` held. No more are set aside than there are.
fn read_exactly(from: &mut impl Read, n: u64, mut bytes: Vec<u8>) -> Result<Vec<u8>, ArrowError> {
    const FIRST: u64 = 16 << 20;
    bytes.clear();
    bytes.reserve(n.min(FIRST) as usize);
    from.take(n).read_to_end(&mut bytes)?;
    if bytes.len() as u64 == n { Ok(bytes) } else { Err(damaged(CUT)) }
}

fn message(metadata: &[u8]) -> Result<Message<'_>, ArrowError> {
    root_as_message(metadata).map_err(damaged)
}

/// Whether the buffers of a batch lie in its body, and unpack to what their bytes can hold.
fn check_places(batch: arrow_ipc::RecordBatch<'_>, body: &[u8]) -> Result<(), ArrowError> {
    // Zstandard's longest run takes four bytes for 128 kB (RFC 8878, section 3.1.1.2); LZ4 packs less well.
    const MOST_PACKED: i64 = 1 << 16;
    for buffer in batch.buffers().into_iter().flatten() {
        let place = usize::try_from(buffer.offset()).ok().zip(usize::try_from(buffer.length()).ok());
        let bytes =
            place.and_then(|(start, n)| body.get(start..start.checked_add(n)?)).ok_or_else(|| damaged("a column lies outside of it"))?;
        if let (Some(_), Some(unpacked)) = (batch.compression(), bytes.first_chunk()) {
            let most = (bytes.len() as i64).saturating_mul(MOST_PACKED);
            if i64::from_le_bytes(*unpacked) > most {
                return Err(damaged("a packed column is said to be larger than it can be"));
            }
        }
    }
    Ok(())
}

pub(super) fn damaged(what: impl ToString) -> ArrowError {
    ArrowError::IpcError(what.to_string())
}
