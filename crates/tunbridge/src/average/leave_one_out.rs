//! Naive Bayes models averaged, each row held out in its turn: their statistics let one row go, so that nothing is learned anew.

use std::path::Path;
use std::time::Instant;

use belief::Observations;
use data::Table;
use evaluate::{Metrics, Tally};
use learn::{LearnError, LeaveOneOut, NaiveBayesStatistic, Treatment};

use super::member::MemberModel;
use super::mix::{HeldOut, HeldOutMixture};
use super::model::{AverageModel, Scored, WeighedBy, of_member};
use super::options::{AverageOptions, LearnedAverage};
use super::several::Several;
use super::weighing::{log_marginal_likelihoods, remarks_of_all, score_of, weights_by_scores};
use crate::counting::{Counted, check_rows, check_texts, count, plan_treatments, target_of, weighed, with_given_priors};
use crate::held_out::{blank_tally, leave_one_out_words};
use crate::judge::{Judge, Scores};
use crate::learning::{recipe_of, remarks_of};
use crate::model::Stored;
use crate::{Error, Evaluation, EvaluationPlan, LearnOptions, NaiveBayesModel, Timings};

/// Learns naive Bayes models and weighs them. The table is read once for each way in which members see the columns, once more to score the
/// members row by row and once to judge the average.
pub(super) fn learn(
    paths: &[impl AsRef<Path>],
    options: &AverageOptions,
    members: &[(&str, &LearnOptions)],
) -> Result<LearnedAverage, Error> {
    let mut timings = Timings::default();
    let start = Instant::now();
    let table = Table::open(paths, options.read.clone())?;
    let members = members.iter().map(|(name, member)| {
        let wanted = LearnOptions { read: options.read.clone(), ..(*member).clone() };
        let wanted = check_texts(table.schema(), &wanted).and_then(|()| with_given_priors(&wanted, &table));
        Ok((*name, wanted.map_err(|e| of_member(name, e))?))
    });
    let members = members.collect::<Result<Vec<_>, Error>>()?;
    timings.add("read", start);

    let start = Instant::now();
    let (table, first, mut remarks) = count(table, &members[0].1)?;
    check_rows(&first.schema, first.statistic.n_rows(), &first.report)?;
    let statistics = count_others(&table, &first, &members, &mut remarks)?;
    let Counted { schema, report, .. } = first;
    let models = members.iter().zip(statistics).map(|((name, options), statistic)| {
        let counted = Counted { schema: schema.clone(), statistic, report: report.clone(), remarks: Vec::new() };
        let Counted { schema, statistic, .. } = weighed(&table, counted, options)?;
        let (recipe, pruned) = (recipe_of(&table, options), report.pruned.clone());
        let prior = options.prior.clone();
        let parts = Stored { schema, recipe, prior, statistic, calibrator: None, calibrator_is_stale: false, unlabelled: None, pruned };
        NaiveBayesModel::from_parts(parts).map_err(|e| of_member(name, e))
    });
    let models = models.collect::<Result<Vec<_>, Error>>()?;
    let names: Vec<&str> = members.iter().map(|(name, _)| *name).collect();
    remarks.extend(remarks_of_all(names.iter().zip(&models).map(|(name, model)| (*name, remarks_of(model))).collect()));
    let classes = models[0].classes().to_vec();
    let blank = blank_tally(options.costs.as_ref(), &classes)?;
    timings.add("learn", start);

    let start = Instant::now();
    let is_judged = options.evaluation == EvaluationPlan::LeaveOneOut;
    let held_out = if is_judged || options.by == WeighedBy::LogScore { hold_out(&names, &models)? } else { Vec::new() };
    let of_members = judged(&table, &held_out, &blank)?;
    let scores = match options.by {
        WeighedBy::LogScore => log_scores(&names, &models, &of_members, &mut remarks),
        WeighedBy::MarginalLikelihood => {
            let members: Vec<MemberModel> = models.iter().cloned().map(MemberModel::from).collect();
            log_marginal_likelihoods(&names.iter().copied().zip(&members).collect::<Vec<_>>(), &mut remarks)?
        }
    };
    let weights = weights_by_scores(&scores)?;
    let evaluation = if is_judged {
        let mixture = HeldOutMixture { members: weights.into_iter().zip(&held_out).collect(), n_classes: classes.len() };
        let metrics = judged(&table, &[mixture], &blank)?.pop();
        metrics.map(|metrics| Evaluation::new(&how(&models), &classes, metrics))
    } else {
        None
    };
    let of_member = |(model, metrics): (&NaiveBayesModel, Metrics)| Evaluation::new(leave_one_out_words(model), &classes, metrics);
    let of_members = models.iter().zip(of_members).map(of_member).collect();
    drop(held_out);
    let scored = |((name, score), model): ((&str, f64), NaiveBayesModel)| Scored { name: name.into(), score, model: model.into() };
    let model = AverageModel::new(names.into_iter().zip(scores).zip(models).map(scored).collect(), options.by)?;
    timings.add("evaluate", start);
    Ok(LearnedAverage { model, report, remarks, of_members, evaluation, timings })
}

/// The statistic of each member; those that see the columns alike share one, and all others are counted in one pass.
fn count_others(
    table: &Table,
    first: &Counted,
    members: &[(&str, LearnOptions)],
    remarks: &mut Vec<String>,
) -> Result<Vec<NaiveBayesStatistic>, Error> {
    let mut plans: Vec<Vec<Treatment>> = vec![first.statistic.treatments()];
    let mut of_member = vec![0];
    for (name, options) in &members[1..] {
        let (plan, told) = plan_treatments(table, options).map_err(|e| super::model::of_member(name, e))?;
        told.into_iter().for_each(|told| {
            if !remarks.contains(&told) {
                remarks.push(told);
            }
        });
        of_member.push(plans.iter().position(|other| *other == plan).unwrap_or(plans.len()));
        if of_member.last() == Some(&plans.len()) {
            plans.push(plan);
        }
    }
    let mut statistics = vec![first.statistic.clone()];
    if plans.len() > 1 {
        let target = target_of(table.schema())?;
        let empty = |plan: &Vec<Treatment>, n_states: &[usize]| NaiveBayesStatistic::empty(plan, target, n_states);
        let fold = table.fold(|n_states: &[usize]| Several(plans[1..].iter().map(|plan| empty(plan, n_states)).collect()))?;
        statistics.extend(fold.statistic.0);
    }
    Ok(of_member.into_iter().map(|place| statistics[place].clone()).collect())
}

/// The members as they would be without the row they are asked about.
fn hold_out<'m>(names: &[&str], models: &'m [NaiveBayesModel]) -> Result<Vec<HeldOut<'m>>, Error> {
    let of = |(name, model): (&&str, &'m NaiveBayesModel)| match LeaveOneOut::new(model.schema(), model.statistic(), model.posterior()) {
        Ok(held_out) => Ok(HeldOut(held_out)),
        Err(error @ LearnError::NoLeaveOneOut { .. }) => Err(Error::unfit(
            format!("member `{name}` cannot be weighed by held-out rows: {error}"),
            "leave this member out, or choose another --text-model for it",
        )),
        Err(error) => Err(of_member(name, error.into())),
    };
    names.iter().zip(models).map(of).collect()
}

/// What each of these is worth, in one pass over the rows.
fn judged<S: Scores>(table: &Table, scores: &[S], blank: &Tally) -> Result<Vec<Metrics>, Error> {
    if scores.is_empty() {
        return Ok(Vec::new());
    }
    let target = target_of(table.schema())?;
    let judge = |scores| Judge::new(scores, target, blank.n_classes(), blank.clone());
    let fold = table.fold(|_: &[usize]| Several(scores.iter().map(judge).collect()))?;
    let metrics = fold.statistic.0.into_iter().map(|judge| {
        let no_rows = || Error::Internal("rows with a class were counted, and none was judged".into());
        judge.into_verdict()?.metrics().ok_or_else(no_rows)
    });
    metrics.collect()
}

/// Σ ln P(class of a row | the row, all other rows), and what is to be known of those that weigh nothing or saw too much.
fn log_scores(names: &[&str], models: &[NaiveBayesModel], judged: &[Metrics], remarks: &mut Vec<String>) -> Vec<f64> {
    for (name, model) in names.iter().zip(models) {
        if let Some(given) = given(model) {
            remarks.push(format!("the log score of `{name}` is given {given}, in which the held-out rows had a part"));
        }
    }
    names.iter().zip(judged).map(|(name, metrics)| score_of(name, metrics, remarks)).collect()
}

/// What a member's leave-one-out holds fixed besides scales, if anything.
fn given(model: &NaiveBayesModel) -> Option<&'static str> {
    let given = leave_one_out_words(model).strip_prefix("leave-one-out, given ")?;
    given.split(';').next()
}

/// How an average is judged, in words.
fn how(models: &[NaiveBayesModel]) -> String {
    let mut fixed = vec!["the members' weights"];
    for given in models.iter().filter_map(given) {
        if !fixed.contains(&given) {
            fixed.push(given);
        }
    }
    format!("leave-one-out, given {}", fixed.join(" and "))
}
