//! How good a network is as a classifier of its target: each fold of the rows by the network that is learned from the others, graph and cut
//! points included.

use std::path::Path;
use std::sync::atomic::Ordering;
use std::time::Instant;

use data::UnknownStates;

use super::learning::{LearnedNetwork, NetworkOptions};
use super::model::NetworkModel;
use crate::by_folds::{by_folds, n_folds};
use crate::held_out::blank_tally;
use crate::testing::tally;
use crate::{Classifier, Error, Evaluation, EvaluationPlan, TestOptions};

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
        let model = learn(&options)?;
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
