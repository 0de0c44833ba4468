//! Flags of `update`, `merge` and `forget` for networks of rows with gaps: how EM goes on, and what the model keeps.

use clap::Args;
use tunbridge::interrupt::Listening;
use tunbridge::network::EmPlan;

use crate::Failure;
use crate::args::Common;
use crate::em_args::{Steps, plan_of};

/// How EM goes on.
#[derive(Args, Clone)]
#[command(next_help_heading = "Networks of rows with gaps")]
pub struct ResumeArgs {
    /// Stop EM after so many steps [default: 500]
    #[arg(long, value_name = "N")]
    pub em_steps: Option<usize>,
    /// Stop EM when the log posterior rises by no more than this per row [default: 1e-6]
    #[arg(long, value_name = "RISE")]
    pub em_tolerance: Option<f64>,
    /// Stop only when no probability changes by more than this [default: 1e-3]
    #[arg(long, value_name = "CHANGE")]
    pub em_change: Option<f64>,
    /// Save the model without the parts of rows with gaps: of single rows nothing but counts is then in it, and EM cannot go over them again
    #[arg(long)]
    pub drop_parts: bool,
}

impl ResumeArgs {
    /// Each flag, with whether it is given.
    pub fn given(&self) -> [(&'static str, bool); 4] {
        [
            ("--em-steps", self.em_steps.is_some()),
            ("--em-tolerance", self.em_tolerance.is_some()),
            ("--em-change", self.em_change.is_some()),
            ("--drop-parts", self.drop_parts),
        ]
    }

    /// How gaps are filled from here on.
    pub fn plan(&self, common: &Common, listening: &Listening) -> Result<EmPlan, Failure> {
        let steps = Steps { most: self.em_steps, tolerance: self.em_tolerance, change: self.em_change };
        let mut plan = plan_of(&steps, common, Some(listening))?;
        if self.drop_parts {
            plan.kept_bytes = 0;
        }
        Ok(plan)
    }
}
