//! Losses of actions from the command line: a table in a file, and what it costs not to decide.

use std::path::PathBuf;

use clap::Args;
use serde_json::{Value, json};
use tunbridge::Error;
use tunbridge::belief::{Decision, LossTable};

use crate::Failure;
use crate::figures::number;
use crate::json;
use crate::matrix::Matrix;
use crate::report::{Align, table};

/// What actions cost.
#[derive(Args, Clone)]
pub struct LossArgs {
    /// Choose the action of least expected loss: a CSV file with a line for each action and a column for each state of what is true, as
    /// in `action,ill,well`; a gain is a negative loss
    #[arg(long, value_name = "FILE")]
    pub loss: Option<PathBuf>,
    /// Allow not to decide, at this loss; without --loss, where an error costs 1
    #[arg(long, value_name = "LOSS", allow_negative_numbers = true)]
    pub reject: Option<f64>,
}

impl LossArgs {
    pub fn given(&self) -> [(&'static str, bool); 2] {
        [("--loss", self.loss.is_some()), ("--reject", self.reject.is_some())]
    }

    /// The table for these states, if one is asked for.
    pub fn table(&self, states: &[String]) -> Result<Option<LossTable>, Failure> {
        let hint = "the first line has the states, as in `action,ill,well`; each other one an action and its losses, as in `treat,0,10`";
        let table = match &self.loss {
            None if self.reject.is_none() => return Ok(None),
            None => LossTable::zero_one(states.to_vec()).map_err(Error::from)?,
            Some(path) => {
                let fits = |loss: f64| if loss.is_finite() { Ok(()) } else { Err("give a finite number") };
                let Matrix { columns, lines } = Matrix::read(path, ("loss", "losses"), hint, fits)?;
                let unfit = |e: tunbridge::belief::hypotheses::HypothesisError| Error::Unfit {
                    what: format!("{}: {e}", path.display()),
                    hint: Some(hint.into()),
                };
                LossTable::new(columns, lines).and_then(|table| table.for_states(states)).map_err(unfit)?
            }
        };
        Ok(Some(match self.reject {
            None => table,
            Some(loss) => table.with_reject(loss).map_err(Error::from)?,
        }))
    }
}

/// A decision for people: the actions, the best first.
pub fn decision_table(losses: &LossTable, decision: &Decision) -> String {
    let mut order: Vec<usize> = (0..decision.expected.len()).collect();
    order.sort_by(|a, b| decision.expected[*a].total_cmp(&decision.expected[*b]));
    let line = |action: &usize| vec![losses.actions()[*action].clone(), number(decision.expected[*action])];
    table(&["action", "expected loss"], &[Align::Left, Align::Right], &order.iter().map(line).collect::<Vec<_>>())
}

/// The same for programs.
pub fn decision_object(losses: &LossTable, decision: &Decision) -> Value {
    let expected: serde_json::Map<String, Value> =
        losses.actions().iter().cloned().zip(decision.expected.iter().map(|loss| json::real(*loss))).collect();
    json!({"action": losses.actions()[decision.action], "expected_loss": expected})
}
