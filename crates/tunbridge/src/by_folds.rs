//! Folds that are learned anew: what a learner takes from the rows before counting, its graph and cut points, it takes from the others alone.

use belief::{FoldPlan, RowPart};
use data::ReadOptions;
use evaluate::Tally;
use learn::LearnError;

use crate::{Error, EvaluationPlan};

/// How many folds a plan has, for learners that know no other way to be judged; `None` is not at all.
///
/// # Errors
/// When each row is to be judged by the model of all others.
pub(crate) fn n_folds(plan: EvaluationPlan) -> Result<Option<usize>, Error> {
    match plan {
        EvaluationPlan::None => Ok(None),
        EvaluationPlan::Folds(n_folds) => Ok(Some(n_folds)),
        EvaluationPlan::LeaveOneOut => {
            Err(Error::unfit("leave-one-out would learn the model once for every row", "judge by folds, as in --evaluate folds:10"))
        }
    }
}

/// Judges each fold of the rows by what is learned from the others. `judge` learns from the rows that its first way of reading leaves, and judges
/// those of the second; `None` breaks it off.
///
/// # Errors
/// When there cannot be so many folds, or as `judge`.
pub(crate) fn by_folds(
    n_folds: usize,
    seed: u64,
    read: &ReadOptions,
    blank: Tally,
    mut judge: impl FnMut(ReadOptions, ReadOptions) -> Result<Option<Tally>, Error>,
) -> Result<Option<Tally>, Error> {
    let plan = FoldPlan::new(n_folds, seed)
        .ok_or_else(|| Error::unfit(format!("{n_folds} folds are too few or too many"), format!("give 2 to {}", FoldPlan::MOST)))?;
    let mut all = blank;
    for fold in 0..n_folds {
        let part = |is_within| ReadOptions { part: Some(RowPart { plan, folds: fold..fold + 1, is_within }), ..read.clone() };
        // Rows that are judged are read as the model says.
        let own = ReadOptions { target: None, weight: None, types: Vec::new(), ignore: Vec::new(), schema: None, ..part(true) };
        match judge(part(false), own) {
            Ok(Some(tally)) => all.merge(&tally)?,
            Ok(None) => return Ok(None),
            Err(Error::Learn(LearnError::TooFewClasses { target, .. })) => {
                return Err(Error::unfit(
                    format!("all rows of but one class of `{target}` are in one fold, and the others cannot be learned from"),
                    "judge by other folds, as in --evaluate folds:3 or --seed 2, or not at all: --evaluate none",
                ));
            }
            Err(other) => return Err(other),
        }
    }
    Ok(Some(all))
}
