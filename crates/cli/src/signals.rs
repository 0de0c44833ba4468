//! Ctrl-C, and the other ways of asking a program to end: it leaves nothing half written.
//!
//! A signal that is ignored from the start stays so: `nohup` lets a program outlive its terminal, and a shell lets what it put into the
//! background outlive a Ctrl-C that was meant for something else.

/// Ends the program tidily when it is asked to.
pub fn end_tidily() {
    #[cfg(unix)]
    on_unix();
    #[cfg(not(unix))]
    let _ = ctrlc::set_handler(end);
}

#[cfg(unix)]
fn on_unix() {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

    let ignored = ignored_signals();
    let heeded = [SIGHUP, SIGINT, SIGTERM].into_iter().filter(|signal| ignored >> (signal - 1) & 1 == 0);
    let Ok(mut signals) = signal_hook::iterator::Signals::new(heeded) else { return };
    let _ = std::thread::Builder::new().name("signals".into()).spawn(move || signals.forever().for_each(|_| end()));
}

/// The signals that are ignored, the first as the lowest bit; none where the system does not tell.
#[cfg(unix)]
fn ignored_signals() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
}

fn end() {
    // What can keep what it has is asked to end by itself; who asks twice means it.
    if !tunbridge::interrupt::ask_to_stop() {
        tunbridge::atomic::abandon_unfinished();
        std::process::exit(130);
    }
}
