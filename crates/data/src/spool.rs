//! Standard input and pipes, which can be read once only, as files that can be read again.
//!
//! A thread copies the bytes to an unnamed temporary file as they come. Whoever reads the file waits where it has not grown so far, so
//! that the first rows are worked on while the last are still to come.

use std::fs::File;
use std::io::{self, Read, Write};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};

use crate::input::read_at;

/// Bytes that are copied at a time.
const PIECE: usize = 256 << 10;

/// A temporary file that grows until its source ends.
#[derive(Debug)]
pub(crate) struct Spool {
    file: File,
    state: Mutex<State>,
    grown: Condvar,
}

#[derive(Debug)]
struct State {
    bytes: u64,
    /// Once the source has ended, how it did.
    end: Option<Result<(), (io::ErrorKind, String)>>,
}

impl Spool {
    /// Copies what can be read here, beginning now. When nobody has the spool any more, the copying ends.
    pub fn begin(from: impl Read + Send + 'static) -> io::Result<Arc<Self>> {
        let file = tempfile::tempfile()?;
        let to = file.try_clone()?;
        let spool = Arc::new(Self { file, state: Mutex::new(State { bytes: 0, end: None }), grown: Condvar::new() });
        let grows = Arc::downgrade(&spool);
        std::thread::Builder::new().name("spool".into()).spawn(move || copy(from, to, &grows))?;
        Ok(spool)
    }

    /// All that can be read here.
    pub fn whole(mut from: impl Read) -> io::Result<Arc<Self>> {
        let mut file = tempfile::tempfile()?;
        let bytes = io::copy(&mut from, &mut file)?;
        Ok(Arc::new(Self { file, state: Mutex::new(State { bytes, end: Some(Ok(())) }), grown: Condvar::new() }))
    }

    /// Reads bytes from a place on; waits until there are some, or there will be none.
    pub fn read_at(&self, buffer: &mut [u8], at: u64) -> io::Result<usize> {
        let there = self.wait(|bytes| bytes > at)?;
        let n = buffer.len().min(usize::try_from(there.saturating_sub(at)).unwrap_or(usize::MAX));
        read_at(&self.file, &mut buffer[..n], at)
    }

    /// How many bytes there are so far, and one at least if there will be any.
    pub fn bytes(&self) -> io::Result<u64> {
        self.wait(|bytes| bytes > 0)
    }

    /// The file, once it is whole.
    pub fn file(&self) -> io::Result<&File> {
        self.wait(|_| false)?;
        Ok(&self.file)
    }

    /// Waits until there are enough bytes, or the source has ended; how many there are.
    fn wait(&self, is_enough: impl Fn(u64) -> bool) -> io::Result<u64> {
        let mut state = self.lock();
        loop {
            match &state.end {
                _ if is_enough(state.bytes) => return Ok(state.bytes),
                Some(Ok(())) => return Ok(state.bytes),
                Some(Err((kind, what))) => return Err(io::Error::new(*kind, what.clone())),
                None => state = self.grown.wait(state).unwrap_or_else(PoisonError::into_inner),
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn copy(mut from: impl Read, mut to: File, grows: &Weak<Spool>) {
    let mut piece = vec![0; PIECE];
    loop {
        let copied = match from.read(&mut piece) {
            Err(e) if e.kind() == io::ErrorKind::Interrupted => continue,
            Ok(n) => to.write_all(&piece[..n]).map(|()| n),
            Err(e) => Err(e),
        };
        let Some(spool) = grows.upgrade() else { return };
        let mut state = spool.lock();
        match copied {
            Ok(0) => state.end = Some(Ok(())),
            Ok(n) => state.bytes += n as u64,
            Err(e) => state.end = Some(Err((e.kind(), e.to_string()))),
        }
        let has_ended = state.end.is_some();
        drop(state);
        spool.grown.notify_all();
        if has_ended {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Receiver, channel};

    use super::*;

    /// Gives what is sent, piece by piece, and then ends or fails.
    struct Pieces(Receiver<io::Result<&'static [u8]>>);

    impl Read for Pieces {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let Ok(piece) = self.0.recv() else { return Ok(0) };
            let piece = piece?;
            buffer[..piece.len()].copy_from_slice(piece);
            Ok(piece.len())
        }
    }

    fn read(spool: &Spool, at: u64) -> io::Result<Vec<u8>> {
        let mut buffer = [0; 100];
        spool.read_at(&mut buffer, at).map(|n| buffer[..n].to_vec())
    }

    #[test]
    fn what_has_come_can_be_read_before_the_rest_does() {
        let (send, receive) = channel();
        let spool = Spool::begin(Pieces(receive)).unwrap();
        send.send(Ok(b"first ".as_slice())).unwrap();
        assert_eq!(read(&spool, 0).unwrap(), b"first ");
        send.send(Ok(b"second".as_slice())).unwrap();
        assert_eq!(read(&spool, 6).unwrap(), b"second");
        assert_eq!(read(&spool, 0).unwrap(), b"first second");
        drop(send);
        assert_eq!(read(&spool, 12).unwrap(), b"");
        assert_eq!(read(&spool, 1000).unwrap(), b"");
        assert_eq!(spool.file().unwrap().metadata().unwrap().len(), 12);
    }

    #[test]
    fn nothing_is_nothing() {
        let spool = Spool::begin(io::empty()).unwrap();
        assert_eq!((spool.bytes().unwrap(), read(&spool, 0).unwrap()), (0, Vec::new()));
    }

    #[test]
    fn what_came_before_a_fault_can_be_read_and_the_fault_is_told_every_time() {
        let (send, receive) = channel();
        let spool = Spool::begin(Pieces(receive)).unwrap();
        send.send(Ok(b"good".as_slice())).unwrap();
        send.send(Err(io::Error::new(io::ErrorKind::ConnectionReset, "it broke"))).unwrap();
        assert_eq!(read(&spool, 0).unwrap(), b"good");
        for _ in 0..2 {
            let fault = read(&spool, 4).unwrap_err();
            assert_eq!((fault.kind(), fault.to_string().as_str()), (io::ErrorKind::ConnectionReset, "it broke"));
        }
        assert!(spool.file().is_err());
    }
}
