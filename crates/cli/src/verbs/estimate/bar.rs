//! How far a heavy estimate is, and what it will take.

use std::io::IsTerminal;
use std::sync::Arc;

use indicatif::{ProgressBar, ProgressStyle};
use tunbridge::estimate::{Plan, Tidings, duration};

use crate::args::Common;
use crate::report;

/// Plans shorter than this are not worth a word.
const WORTH_A_WORD: f64 = 2.0;

/// A bar on a terminal; elsewhere nothing.
pub struct Bar(Option<ProgressBar>);

impl Bar {
    pub fn new(common: &Common) -> Self {
        if common.quiet || !std::io::stderr().is_terminal() {
            return Self(None);
        }
        let bar = ProgressBar::new(1000);
        bar.set_style(ProgressStyle::with_template("{bar:30} {percent} % {eta}").unwrap_or_else(|_| ProgressStyle::default_bar()));
        Self(Some(bar))
    }

    /// Who tells the user.
    pub fn teller(&self, common: &Common) -> Arc<dyn Fn(Tidings) + Send + Sync> {
        let (bar, quiet) = (self.0.clone(), common.quiet);
        Arc::new(move |tidings| match tidings {
            Tidings::Plan(plan) if !quiet && plan.seconds >= WORTH_A_WORD => tell(&plan, bar.as_ref()),
            Tidings::Plan(_) => {}
            Tidings::Done(share) => {
                if let Some(bar) = &bar {
                    bar.set_position((1000.0 * share) as u64);
                }
            }
        })
    }

    pub fn clear(&self) {
        if let Some(bar) = &self.0 {
            bar.finish_and_clear();
        }
    }
}

fn tell(plan: &Plan, bar: Option<&ProgressBar>) {
    let threads = if plan.threads == 1 { "one thread".to_string() } else { format!("{} threads", plan.threads) };
    let text = format!(
        "note: about {} evaluations of the likelihood of {} different rows on {threads}: {}",
        plan.evaluations,
        plan.rows,
        duration(plan.seconds)
    );
    match bar {
        Some(bar) => bar.suspend(|| report::tell(&text)),
        None => report::tell(&text),
    }
}
