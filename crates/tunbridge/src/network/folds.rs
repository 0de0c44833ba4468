//! How good a network is as a classifier of its target: rows are judged by the network that is learned from the others, graph and cut points
//! included.

use std::path::Path;
use std::sync::atomic::Ordering;
use std::time::Instant;

use data::{KeptInputs, UnknownStates};

use super::learning::{LearnedNetwork, NetworkOptions, begins_nowhere};
use super::model::NetworkModel;
use crate::by_folds::{by_folds, n_folds};
use crate::held_out::blank_tally;
use crate::testing::{held_out_part, tally, test_as};
use crate::{Classifier, Error, Evaluation, EvaluationPlan, TestOptions, Tested};

/// Judges what was learned as the options say. `learn` learns from the rows that its options leave.
pub(super) fn judge(
    learned: &mut LearnedNetwork,
    paths: &[impl AsRef<Path>],
    options: &NetworkOptions,
    learn: impl Fn(&NetworkOptions) -> Result<NetworkModel, Error>,
) -> Result<(), Error> {
    let Some(n_folds) = n_folds(options.evaluation)? else { return Ok(()) };
    let start = Instant::now();
    let is_asked_to_stop = || options.em.as_ref().and_then(|em| em.stop.as_ref()).is_some_and(|stop| stop.load(Ordering::Relaxed));
    let classes = learned.model.classifier(options.memory)?.classes().to_vec();
    let blank = blank_tally(options.costs.as_ref(), &classes)?;
    let all = by_folds(n_folds, options.seed, &options.read, blank.clone(), |others, own| {
        if is_asked_to_stop() {
            return Ok(None);
        }
        let mut options = NetworkOptions { read: others, evaluation: EvaluationPlan::None, ..options.clone() };
        // What is told of steps is told of all rows.
        options.em.iter_mut().for_each(|em| em.on_step = None);
        let model = learn(&options).map_err(|e| match e {
            // What is wrong with some of the rows need not be wrong with all, which were learned from before.
            Error::Unfit { .. } => e.at("without the rows of one fold"),
            other => other,
        })?;
        let classifier = model.classifier(options.memory)?;
        // States are found in all rows, so that every fold knows the same.
        if classifier.classes() != classes {
            return Err(Error::Internal("a fold has other classes than all rows".into()));
        }
        let options = TestOptions { read: own, unknown_states: UnknownStates::Missing, costs: options.costs };
        Ok(Some(tally(&classifier, paths, options, blank.clone())?.1))
    })?;
    if all.is_none() || is_asked_to_stop() {
        learned.remarks.push("it is not judged, for that was broken off".into());
        return Ok(());
    }
    let how = format!("{n_folds} folds, seed {}", options.seed);
    learned.evaluation = all.and_then(|all| all.metrics()).map(|metrics| Evaluation::new(&how, &classes, metrics));
    learned.timings.add("evaluate", start);
    Ok(())
}

/// Learns on a part of the rows and judges on the rest. `learn` learns from the rows that its options leave.
pub(super) fn held_out(
    paths: &[impl AsRef<Path>],
    options: &NetworkOptions,
    share: f64,
    learn: impl Fn(&NetworkOptions) -> Result<LearnedNetwork, Error>,
) -> Result<Tested, Error> {
    let _kept = KeptInputs::of(paths)?;
    let (others, own, how) = held_out_part(&options.read, options.seed, share)?;
    let options = NetworkOptions { read: others, evaluation: EvaluationPlan::None, ..options.clone() };
    let learned = learn(&options)?;
    if options.start.is_some() && learned.model.expected().is_none() {
        return Err(begins_nowhere("no value is missing of the rows that are learned from"));
    }
    let test = TestOptions { read: own, unknown_states: UnknownStates::Missing, costs: options.costs.clone() };
    let mut tested = test_as(&learned.model.classifier(options.memory)?, paths, test, &how)?;
    // Both read the same files, and are told the same of them.
    tested.remarks.retain(|remark| !learned.remarks.contains(remark));
    tested.remarks.splice(0..0, learned.remarks);
    Ok(tested)
}
