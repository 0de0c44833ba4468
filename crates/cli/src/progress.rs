//! Progress on a terminal, and remarks, both on standard error.

use std::io::IsTerminal;
use std::sync::Arc;

use indicatif::{ProgressBar, ProgressStyle};
use tunbridge::data::{Progress, ReadOptions};

use crate::args::Common;
use crate::report;

/// Shows how far reading has come, if standard error is a terminal. Keep it until the reading is done.
pub fn show(options: &mut ReadOptions, common: &Common) -> Bar {
    if common.quiet || !std::io::stderr().is_terminal() {
        return Bar(None);
    }
    let bar = ProgressBar::new(0);
    let style = ProgressStyle::with_template("{bar:30} {bytes}/{total_bytes} {msg} {eta}").unwrap_or_else(|_| ProgressStyle::default_bar());
    bar.set_style(style);
    let shown = bar.clone();
    options.progress = Some(Arc::new(move |p: Progress| {
        // A further pass over the data starts anew; compressed files unpack to more than their size.
        shown.set_length(p.total.max(p.done));
        shown.set_position(p.done);
        shown.set_message(format!("{} rows", p.rows));
    }));
    Bar(Some(bar))
}

/// Shows how far work has come that goes by steps, if standard error is a terminal: the bar, to be kept until it is done, and who is to be told of
/// so many steps of so many.
pub fn steps(what: &'static str, is_quiet: bool) -> (Bar, impl Fn(u64, u64) + Sync) {
    let bar = (!is_quiet && std::io::stderr().is_terminal()).then(|| {
        // A bar of no length would be full.
        let bar = ProgressBar::new(1);
        let style = ProgressStyle::with_template("{bar:30} {pos}/{len} {msg} {eta}").unwrap_or_else(|_| ProgressStyle::default_bar());
        bar.set_style(style);
        bar.set_message(what);
        bar
    });
    let shown = bar.clone();
    let on_step = move |done: u64, total: u64| {
        if let Some(bar) = &shown {
            bar.set_length(total);
            bar.set_position(done);
        }
    };
    (Bar(bar), on_step)
}

/// A progress bar that goes away with its scope.
pub struct Bar(Option<ProgressBar>);

impl Drop for Bar {
    fn drop(&mut self) {
        if let Some(bar) = &self.0 {
            bar.finish_and_clear();
        }
    }
}

/// Tells the user something that is not the result.
pub fn remark(common: &Common, text: &str) {
    if !common.quiet {
        report::tell(&format!("note: {text}"));
    }
}
