//! Standard input and pipes, which can be read once only, as files that can be read again.
//!
//! A thread copies the bytes to an unnamed temporary file as they come. Whoever reads the file waits where it has not grown so far, so
//! that the first rows are worked on while the last are still to come. What is live may never end: its bytes are held in memory instead, and
//! once the last pass has begun those that were read are let go, and no more are taken than can be worked on.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Read, Write};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use crate::input::read_at;

/// Bytes that are copied at a time.
const PIECE: usize = 256 << 10;

/// Bytes that wait in memory, at most and nearly, while those before them are worked on.
const MOST_WAITING: usize = 16 << 20;

/// Bytes that become more until their source ends.
#[derive(Debug)]
pub(crate) struct Spool {
    /// The temporary file; none if the bytes are held in memory.
    file: Option<File>,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    /// How many bytes have come.
    bytes: u64,
    /// The last of them, if they are held in memory.
    held: VecDeque<u8>,
    /// Whether what was read is let go.
    forgets: bool,
    /// Once the source has ended, how it did.
    end: Option<Result<(), (io::ErrorKind, String)>>,
}

impl Spool {
    /// Copies what can be read here to a file, beginning now. When nobody has the spool any more, the copying ends.
    pub fn begin(from: impl Read + Send + 'static) -> io::Result<Arc<Self>> {
        let file = tempfile::tempfile()?;
        let to = file.try_clone()?;
        Self::start(from, Some((file, to)))
    }

    /// The same, held in memory.
    pub fn begin_live(from: impl Read + Send + 'static) -> io::Result<Arc<Self>> {
        Self::start(from, None)
    }

    fn start(from: impl Read + Send + 'static, files: Option<(File, File)>) -> io::Result<Arc<Self>> {
        let (file, to) = files.unzip();
        let spool = Arc::new(Self { file, state: Mutex::default(), changed: Condvar::new() });
        let grows = Arc::downgrade(&spool);
        std::thread::Builder::new().name("spool".into()).spawn(move || copy(from, to, &grows))?;
        Ok(spool)
    }

    /// All that can be read here.
    pub fn whole(mut from: impl Read) -> io::Result<Arc<Self>> {
        let mut file = tempfile::tempfile()?;
        let bytes = io::copy(&mut from, &mut file)?;
        let state = State { bytes, end: Some(Ok(())), ..State::default() };
        Ok(Arc::new(Self { file: Some(file), state: Mutex::new(state), changed: Condvar::new() }))
    }

    /// Reads bytes from a place on; waits until there are some, or there will be none.
    pub fn read_at(&self, buffer: &mut [u8], at: u64) -> io::Result<usize> {
        let mut state = self.wait(|bytes| bytes > at)?;
        let there = usize::try_from(state.bytes.saturating_sub(at)).unwrap_or(usize::MAX);
        let n = buffer.len().min(there);
        let Some(file) = &self.file else {
            let first = state.bytes - state.held.len() as u64;
            let skipped = at.min(state.bytes).checked_sub(first).ok_or_else(|| io::Error::other("what was read of it is gone"))? as usize;
            // What was read before goes, and this when the next is read.
            if state.forgets {
                state.held.drain(..skipped);
                self.changed.notify_all();
            }
            let skipped = if state.forgets { 0 } else { skipped };
            let (front, back) = state.held.as_slices();
            let from_front = front.get(skipped..).unwrap_or_default();
            let n_front = n.min(from_front.len());
            buffer[..n_front].copy_from_slice(&from_front[..n_front]);
            let from_back = &back[skipped.saturating_sub(front.len())..];
            buffer[n_front..n].copy_from_slice(&from_back[..n - n_front]);
            return Ok(n);
        };
        drop(state);
        read_at(file, &mut buffer[..n], at)
    }

    /// How many bytes there are so far, and one at least if there will be any.
    pub fn bytes(&self) -> io::Result<u64> {
        Ok(self.wait(|bytes| bytes > 0)?.bytes)
    }

    /// The file, once it is whole.
    pub fn file(&self) -> io::Result<&File> {
        drop(self.wait(|_| false)?);
        self.file.as_ref().ok_or_else(|| io::Error::other("it is read as it comes"))
    }

    /// From now on there is one reader, who reads on and on: what is held in memory before it is let go.
    pub fn begin_last_pass(&self) {
        self.lock().forgets = self.file.is_none();
    }

    /// Waits until there are enough bytes, or the source has ended.
    fn wait(&self, is_enough: impl Fn(u64) -> bool) -> io::Result<MutexGuard<'_, State>> {
        let mut state = self.lock();
        loop {
            match &state.end {
                _ if is_enough(state.bytes) => return Ok(state),
                Some(Ok(())) => return Ok(state),
                Some(Err((kind, what))) => return Err(io::Error::new(*kind, what.clone())),
                None => state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner),
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn copy(mut from: impl Read, mut to: Option<File>, grows: &Weak<Spool>) {
    let mut piece = vec![0; PIECE];
    loop {
        let copied = match from.read(&mut piece) {
            Err(e) if e.kind() == io::ErrorKind::Interrupted => continue,
            Ok(n) => to.as_mut().map_or(Ok(()), |to| to.write_all(&piece[..n])).map(|()| n),
            Err(e) => Err(e),
        };
        let Some(spool) = grows.upgrade() else { return };
        let mut state = spool.lock();
        match copied {
            Ok(0) => state.end = Some(Ok(())),
            Ok(n) => {
                state.bytes += n as u64;
                if to.is_none() {
                    state.held.extend(&piece[..n]);
                }
            }
            Err(e) => state.end = Some(Err((e.kind(), e.to_string()))),
        }
        let has_ended = state.end.is_some();
        drop(state);
        spool.changed.notify_all();
        drop(spool);
        if has_ended || !has_room(grows) {
            return;
        }
    }
}

/// Waits until there is room for more; whether anybody still wants more.
fn has_room(grows: &Weak<Spool>) -> bool {
    // Now and then it is seen whether the spool is still there.
    const A_WHILE: Duration = Duration::from_millis(100);
    while let Some(spool) = grows.upgrade() {
        let state = spool.lock();
        if !state.forgets || state.held.len() < MOST_WAITING {
            return true;
        }
        drop(spool.changed.wait_timeout(state, A_WHILE).unwrap_or_else(PoisonError::into_inner));
    }
    false
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
    fn what_is_live_is_let_go_once_the_last_pass_has_read_it() {
        let (send, receive) = channel();
        let spool = Spool::begin_live(Pieces(receive)).unwrap();
        send.send(Ok(b"first ".as_slice())).unwrap();
        assert_eq!(read(&spool, 0).unwrap(), b"first ");
        assert_eq!(read(&spool, 2).unwrap(), b"rst ");
        spool.begin_last_pass();
        assert_eq!(read(&spool, 0).unwrap(), b"first ");
        send.send(Ok(b"second".as_slice())).unwrap();
        assert_eq!(read(&spool, 6).unwrap(), b"second");
        assert_eq!(spool.lock().held.len(), 6);
        assert!(read(&spool, 0).is_err() && read(&spool, 5).is_err());
        drop(send);
        assert_eq!(read(&spool, 12).unwrap(), b"");
        assert!(spool.lock().held.is_empty() && spool.file().is_err());
    }

    /// Or whoever answers slowly would fill the memory with questions.
    #[test]
    fn no_more_of_what_is_live_is_taken_than_is_read() {
        let spool = Spool::begin_live(io::repeat(7)).unwrap();
        spool.begin_last_pass();
        let mut buffer = vec![0; 1 << 20];
        let mut at = 0;
        while at < 8 * MOST_WAITING as u64 {
            let n = spool.read_at(&mut buffer, at).unwrap();
            assert!(buffer[..n].iter().all(|byte| *byte == 7));
            at += n as u64;
            assert!(spool.lock().held.len() < MOST_WAITING + PIECE + buffer.len());
        }
        let gone = Arc::downgrade(&spool);
        drop(spool);
        while gone.upgrade().is_some() {
            std::thread::yield_now();
        }
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
