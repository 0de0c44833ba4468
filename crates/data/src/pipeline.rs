//! Work in parallel, results in order: the one place where data are split over threads.
//!
//! Units are drawn one after the other under a lock, worked on by any thread, and handed on in the order they were drawn, so
//! that the number of threads changes nothing but the time.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

struct State<R, E> {
    drawn: usize,
    taken: usize,
    exhausted: bool,
    /// From the next one that is to be taken on, where there is one yet.
    results: VecDeque<Option<Result<R, E>>>,
}

impl<R, E> State<R, E> {
    fn put(&mut self, place: usize, result: Result<R, E>) {
        let nth = place - self.taken;
        if self.results.len() <= nth {
            self.results.resize_with(nth + 1, || None);
        }
        self.results[nth] = Some(result);
    }

    fn take(&mut self) -> Option<Result<R, E>> {
        let result = self.results.front_mut()?.take()?;
        self.results.pop_front();
        self.taken += 1;
        Some(result)
    }
}

/// Draws units from `source` until it gives none, runs `work` on each with `threads` threads, and hands the results to `take`
/// in order. The first error in that order ends everything.
///
/// No more units than `ahead`, or one for each thread, and one more are under way at once, so that memory stays bounded. A source that
/// waits for its next unit keeps no result from being handed on.
pub(crate) fn in_order<T, R, E>(
    (threads, ahead): (usize, usize),
    source: impl FnMut() -> Result<Option<T>, E> + Send,
    work: impl Fn(T) -> Result<R, E> + Sync,
    mut take: impl FnMut(R) -> Result<(), E>,
) -> Result<(), E>
where
    T: Send,
    R: Send,
    E: Send,
{
    let threads = threads.max(1);
    let ahead = ahead.max(threads);
    if threads == 1 {
        let mut source = source;
        while let Some(unit) = source()? {
            take(work(unit)?)?;
        }
        return Ok(());
    }
    // Whoever holds both locks took the source's first.
    let source = Mutex::new(source);
    let state = Mutex::new(State { drawn: 0, taken: 0, exhausted: false, results: VecDeque::new() });
    let changed = Condvar::new();
    let stop = || {
        lock(&state).exhausted = true;
        changed.notify_all();
    };
    let draw = || {
        let mut source = lock(&source);
        let mut held = lock(&state);
        while !held.exhausted && held.drawn > held.taken + ahead {
            held = changed.wait(held).unwrap_or_else(PoisonError::into_inner);
        }
        if held.exhausted {
            return None;
        }
        drop(held);
        let drawn = source();
        let mut held = lock(&state);
        // The others may have come to an end meanwhile.
        if held.exhausted {
            return None;
        }
        let place = held.drawn;
        match drawn {
            Ok(Some(unit)) => {
                held.drawn += 1;
                return Some((place, unit));
            }
            Ok(None) => {}
            Err(error) => {
                held.drawn += 1;
                held.put(place, Err(error));
            }
        }
        held.exhausted = true;
        changed.notify_all();
        None
    };
    let worker = || {
        let _alarm = Alarm(stop);
        while let Some((place, unit)) = draw() {
            let result = work(unit);
            let mut held = lock(&state);
            held.exhausted |= result.is_err();
            held.put(place, result);
            changed.notify_all();
        }
    };
    std::thread::scope(|scope| {
        let _alarm = Alarm(stop);
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(worker)).collect();
        let outcome = loop {
            let mut held = lock(&state);
            let next = loop {
                if let Some(result) = held.take() {
                    changed.notify_all();
                    break Some(result);
                }
                // A worker that panicked will never deliver: do not wait for it, but let the scope pass its panic on.
                if held.exhausted && held.taken >= held.drawn || workers.iter().all(|w| w.is_finished()) {
                    break None;
                }
                held = changed.wait_timeout(held, std::time::Duration::from_millis(100)).map_or_else(|e| e.into_inner().0, |(h, _)| h);
            };
            drop(held);
            match next.map(|result| result.and_then(&mut take)) {
                None => break Ok(()),
                Some(Ok(())) => {}
                Some(Err(error)) => break Err(error),
            }
        };
        stop();
        outcome
    })
}

/// Tells the others when a thread panics, so that none waits for a result, or for a result to be taken, for ever.
struct Alarm<F: Fn()>(F);

impl<F: Fn()> Drop for Alarm<F> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            (self.0)();
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(threads: usize, fail_at: Option<usize>) -> (Vec<usize>, Result<(), usize>) {
        let mut units = 0..100_usize;
        let mut taken = Vec::new();
        let outcome = in_order(
            (threads, 5),
            || Ok(units.next()),
            |unit| if fail_at.is_some_and(|at| unit >= at) { Err(unit) } else { Ok(unit * 2) },
            |result| {
                taken.push(result);
                Ok(())
            },
        );
        (taken, outcome)
    }

    #[test]
    fn results_come_in_order_on_any_number_of_threads() {
        for threads in [1, 2, 7] {
            assert_eq!(run(threads, None), ((0..200).step_by(2).collect(), Ok(())));
        }
    }

    /// And nobody waits for the unit that was lost.
    #[test]
    #[should_panic]
    fn a_panic_in_the_work_reaches_the_caller() {
        let mut units = 0..1000_usize;
        let work = |unit| if unit == 31 { panic!("lost") } else { Ok::<_, ()>(unit) };
        let _ = in_order((3, 3), || Ok(units.next()), work, |_| Ok(()));
    }

    /// And the workers do not wait for the results to be taken.
    #[test]
    #[should_panic]
    fn a_panic_in_the_taking_reaches_the_caller() {
        let mut units = 0..1000_usize;
        let take = |unit| if unit == 31 { panic!("lost") } else { Ok::<_, ()>(()) };
        let _ = in_order((3, 3), || Ok(units.next()), Ok, take);
    }

    /// Or an answer would wait for the next question.
    #[test]
    fn a_result_is_taken_while_the_source_waits() {
        for threads in [1, 2, 7] {
            let (send, receive) = std::sync::mpsc::channel();
            let mut units = 0..20_usize;
            let draw = move || {
                let unit = units.next();
                // The next unit is there only once the one before was taken.
                if unit.is_some_and(|unit| unit > 0) {
                    receive.recv_timeout(std::time::Duration::from_secs(60)).map_err(|_| "nothing was taken")?;
                }
                Ok(unit)
            };
            assert_eq!(in_order((threads, threads), draw, Ok, |_| send.send(()).map_err(|_| "nobody draws")), Ok(()));
        }
    }

    #[test]
    fn the_first_error_in_order_is_the_one_reported() {
        for threads in [1, 2, 7] {
            assert_eq!(run(threads, Some(31)), ((0..62).step_by(2).collect(), Err(31)));
        }
    }
}
