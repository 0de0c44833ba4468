//! Models of any kinds averaged, the rows held out in folds: every member is learned anew from the other folds, with its graph and cut points.

use std::path::Path;
use std::time::Instant;

use belief::{Observations, ReadReport};
use data::{KeptInputs, ReadOptions, Table, UnknownStates};

use super::member::MemberModel;
use super::model::{AverageModel, Scored, WeighedBy, of_member};
use super::options::{AverageOptions, LearnedAverage, MemberLearner, MemberOptions};
use super::weighing::{log_marginal_likelihoods, remarks_of_all, score_of, weights_by_scores};
use crate::aode::{self, AodeOptions};
use crate::by_folds::by_folds;
use crate::held_out::blank_tally;
use crate::network::{NetworkOptions, learn_with};
use crate::testing::tally;
use crate::{Classifier, Error, Evaluation, EvaluationPlan, LearnOptions, TestOptions, Timings};

/// Learns models of any kinds and weighs them. Rows are read once for every member, and again for every fold of each.
pub(super) fn learn(paths: &[impl AsRef<Path>], options: &AverageOptions, n_folds: usize) -> Result<LearnedAverage, Error> {
    let _kept = KeptInputs::of(paths)?;
    let mut timings = Timings::default();
    let start = Instant::now();
    let (mut models, mut told) = (Vec::new(), Vec::new());
    for member in &options.members {
        let (model, remarks) = learn_member(paths, member, options, options.read.clone())?;
        models.push(model);
        told.push((member.name.as_str(), remarks));
    }
    let mut remarks = remarks_of_all(told);
    let equal = average_of(options, &models, &vec![0.0; models.len()])?;
    let classes = equal.classes().to_vec();
    let report = look_at(paths, &equal, &options.read)?;
    timings.add("learn", start);

    let start = Instant::now();
    let is_judged = options.evaluation != EvaluationPlan::None;
    let blank = blank_tally(options.costs.as_ref(), &classes)?;
    let test = |read: ReadOptions| TestOptions { read, unknown_states: UnknownStates::Missing, costs: options.costs.clone() };
    let how = format!("{n_folds} folds, seed {}", options.seed);
    // What was learned from the others of each fold, by member.
    let mut by_fold: Vec<Vec<MemberModel>> = vec![Vec::new(); n_folds];
    let mut of_members = Vec::new();
    if is_judged || options.by == WeighedBy::LogScore {
        for member in &options.members {
            let mut nth = 0;
            let all = by_folds(n_folds, options.seed, &options.read, blank.clone(), |others, own| {
                let (model, _) = learn_member(paths, member, options, others)?;
                if model.classes() != classes {
                    return Err(Error::Internal("a fold has other classes than all rows".into()));
                }
                let tally = tally(model.classifier(), paths, test(own), blank.clone())?.1;
                by_fold[nth].push(model);
                nth += 1;
                Ok(Some(tally))
            });
            let metrics = all.map_err(|e| of_member(&member.name, e))?.and_then(|all| all.metrics());
            let metrics = metrics.ok_or_else(|| Error::Internal("rows with a class were learned from, and none was judged".into()))?;
            of_members.push(Evaluation::new(&how, &classes, metrics));
        }
    }
    let names: Vec<&str> = options.members.iter().map(|member| member.name.as_str()).collect();
    let scores = match options.by {
        WeighedBy::LogScore => {
            names.iter().zip(&of_members).map(|(name, judged)| score_of(name, &judged.metrics, &mut remarks)).collect::<Vec<_>>()
        }
        WeighedBy::MarginalLikelihood => log_marginal_likelihoods(&names.iter().copied().zip(&models).collect::<Vec<_>>(), &mut remarks)?,
    };
    weights_by_scores(&scores)?;
    let mut evaluation = None;
    if is_judged {
        let mut by_fold = by_fold.into_iter();
        let all = by_folds(n_folds, options.seed, &options.read, blank.clone(), |_, own| {
            let models = by_fold.next().unwrap_or_default();
            Ok(Some(tally(&average_of(options, &models, &scores)?, paths, test(own), blank.clone())?.1))
        })?;
        let how = format!("{how}, given the members' weights");
        evaluation = all.and_then(|all| all.metrics()).map(|metrics| Evaluation::new(&how, &classes, metrics));
    }
    let model = average_of(options, &models, &scores)?;
    timings.add("evaluate", start);
    Ok(LearnedAverage { model, report, remarks, of_members, evaluation, timings })
}

/// Learns a member from the rows that are read, with what is to be known of it.
fn learn_member(
    paths: &[impl AsRef<Path>],
    member: &MemberOptions,
    options: &AverageOptions,
    read: ReadOptions,
) -> Result<(MemberModel, Vec<String>), Error> {
    let (evaluation, seed) = (EvaluationPlan::None, options.seed);
    let learned = match &member.learner {
        MemberLearner::NaiveBayes(own) => {
            crate::learn(paths, &LearnOptions { read, evaluation, seed, ..own.as_ref().clone() }).map(|l| (l.model.into(), l.remarks))
        }
        MemberLearner::Network(learner, own) => {
            let own = NetworkOptions { read, evaluation, seed, ..own.as_ref().clone() };
            learn_with(paths, *learner, &own).and_then(|l| Ok((l.model.try_into()?, l.remarks)))
        }
        MemberLearner::Aode(own) => {
            let own = AodeOptions { read, evaluation, seed, ..own.as_ref().clone() };
            aode::learn(paths, &own).map(|l| (l.model.into(), l.remarks))
        }
    };
    learned.map_err(|error| match error {
        // What a fold lacks is told of the fold.
        Error::Learn(learn::LearnError::TooFewClasses { .. }) => error,
        other => of_member(&member.name, other),
    })
}

fn average_of(options: &AverageOptions, models: &[MemberModel], scores: &[f64]) -> Result<AverageModel, Error> {
    let scored = |((member, model), score): ((&MemberOptions, &MemberModel), &f64)| Scored {
        name: member.name.clone(),
        score: *score,
        model: model.clone(),
    };
    AverageModel::new(options.members.iter().zip(models).zip(scores).map(scored).collect(), options.by)
}

/// What is met while the rows are read as the average reads them.
fn look_at(paths: &[impl AsRef<Path>], model: &AverageModel, read: &ReadOptions) -> Result<ReadReport, Error> {
    let mut own = ReadOptions { target: None, weight: None, types: Vec::new(), ignore: Vec::new(), schema: None, ..read.clone() };
    Classifier::recipe(model).apply(&mut own);
    let table = Table::open_as(paths, own, model.schema(), UnknownStates::Missing, true)?;
    Ok(table.fold(|_: &[usize]| ())?.report)
}
