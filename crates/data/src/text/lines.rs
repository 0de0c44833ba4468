//! Files of one row per line, such as ARFF and JSON Lines.

use std::borrow::Cow;

use super::blocks::Block;
use crate::DataError;
use crate::encode::{ChunkBuilder, EncodedChunk, Faults};
use crate::error::RowFault;

/// Where the lines of a block lie that hold something, without the spaces around it, and do not begin with the mark of a comment.
pub(crate) fn lines(block: &Block, comment: Option<u8>) -> impl Iterator<Item = (usize, usize)> {
    let bytes = &block.bytes[..block.len];
    let mut next = 0;
    std::iter::from_fn(move || {
        while next < bytes.len() {
            let end = next + memchr::memchr(b'\n', &bytes[next..]).unwrap_or(bytes.len() - next);
            let line = &bytes[std::mem::replace(&mut next, end + 1)..end];
            let end = end - (line.len() - line.trim_ascii_end().len());
            let line = line.trim_ascii();
            if !line.is_empty() && line.first() != comment.as_ref() {
                return Some((end - line.len(), end));
            }
        }
        None
    })
}

/// The number of the line on which a byte of a block lies.
pub(crate) fn line_number(block: &Block, at: usize) -> u64 {
    block.first_line + memchr::memchr_iter(b'\n', &block.bytes[..at]).count() as u64
}

/// Encodes a block of lines: `parse` makes a row of each, and `cell` gives what the row has in a column.
pub(crate) fn encode_lines<R>(
    block: &Block,
    comment: Option<u8>,
    builder: &mut ChunkBuilder<'_>,
    parse: impl Fn(&[u8]) -> Result<R, RowFault>,
    cell: impl for<'r> Fn(&'r R, usize) -> Option<Cow<'r, str>>,
) -> Result<EncodedChunk, DataError> {
    let variable_of = &builder.file().variable_of;
    for (start, end) in lines(block, comment) {
        let mut faults = Faults::default();
        let row = parse(&block.bytes[start..end]).map_err(|fault| faults.push(0, None, fault)).ok();
        for (column, variable) in variable_of.iter().enumerate() {
            if let Some(variable) = *variable {
                let text = row.as_ref().and_then(|row| cell(row, column));
                builder.push_cell(variable, text.as_deref().map(str::as_bytes), 0, &mut faults);
            }
        }
        builder.rows_pushed(1);
        builder.settle(faults, |_| line_number(block, start))?;
        if builder.dropped().is_empty() {
            builder.keep_record(start, end);
        }
    }
    builder.finish(block.first_row)
}
