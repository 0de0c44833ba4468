//! Work that can be broken off and keeps what it has: whoever is told of Ctrl-C asks here first.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

static LISTENING: Mutex<Option<Arc<AtomicBool>>> = Mutex::new(None);

/// While this lives, an interruption is a request, which the flag tells of.
pub struct Listening(Arc<AtomicBool>);

impl Listening {
    /// Begins to listen. Of several listeners the last is told.
    ///
    /// ```
    /// use std::sync::atomic::Ordering;
    /// use tunbridge::interrupt::{Listening, ask_to_stop};
    /// assert!(!ask_to_stop());
    /// let listening = Listening::begin();
    /// assert!(ask_to_stop() && listening.flag().load(Ordering::Relaxed));
    /// // Who asks twice means it.
    /// assert!(!ask_to_stop());
    /// ```
    pub fn begin() -> Self {
        let flag = Arc::new(AtomicBool::new(false));
        *LISTENING.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::clone(&flag));
        Self(flag)
    }

    /// Set when it was asked to stop.
    pub fn flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.0)
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        *LISTENING.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

/// Asks work that listens to stop and keep what it has. Whether there is any that was not asked before: else the asker has to end it.
pub fn ask_to_stop() -> bool {
    let listening = LISTENING.lock().unwrap_or_else(PoisonError::into_inner);
    listening.as_ref().is_some_and(|flag| !flag.swap(true, Ordering::Relaxed))
}
