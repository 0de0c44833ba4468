//! Memory that bytes of a file are read into, of which arrays are then made.

use std::fs::File;
use std::io;
use std::ops::Range;

use arrow_buffer::Buffer;

use crate::text::blocks::Pool;

/// Bytes read so far.
pub(super) struct Scratch {
    pub bytes: Vec<u8>,
    filled: usize,
}

impl Scratch {
    /// What was last in the bytes is written over.
    pub fn new(bytes: Vec<u8>) -> Self {
        Self { bytes, filled: 0 }
    }

    /// A place for so many bytes.
    pub fn room(&mut self, len: usize) -> Range<usize> {
        // What any column may be aligned to.
        const ALIGNMENT: usize = 64;
        let start = self.filled.next_multiple_of(ALIGNMENT);
        self.filled = start + len;
        if self.bytes.len() < self.filled {
            self.bytes.resize(self.filled, 0);
        }
        start..self.filled
    }

    /// Fills a part with what is in the file from `at` on, and tells whether there is so much.
    pub fn fill(&mut self, part: Range<usize>, file: &File, at: u64) -> io::Result<bool> {
        let mut next = part.start;
        while next < part.end {
            match crate::input::read_at(file, &mut self.bytes[next..part.end], at + (next - part.start) as u64) {
                Ok(0) => return Ok(false),
                Ok(n) => next += n,
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => return Err(e),
            }
        }
        Ok(true)
    }
}

/// Returns a buffer to the pool, unless someone still holds on to it.
pub(super) fn give_back(body: Buffer, pool: &Pool) {
    if let Ok(bytes) = body.into_vec() {
        pool.give(bytes);
    }
}
