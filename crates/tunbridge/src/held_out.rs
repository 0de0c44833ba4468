//! How good a naive Bayes model is on the rows it is learned from: each row, or each fold of them, by the model of the others; and a calibration that is
//! fitted and judged so.

use belief::{ByFold, FoldPlan, MaskedRows, Observations, Schema};
use data::{DataError, Table};
use evaluate::{Calibrator, Method, ScoreGrid, Tally};
use learn::{LearnError, LeaveOneOut, NaiveBayes, NaiveBayesPrior, NaiveBayesStatistic, TextEvent, Treatment};

use crate::counting::{count_once, plan_treatments, target_of, weighed};
use crate::judge::{CalibratedByFold, GridByFold, Judge, Scores};
use crate::unlabelled::WithUnlabelled;
use crate::{Error, Evaluation, EvaluationPlan, LearnOptions, NaiveBayesModel, NamedCosts};

pub(crate) fn evaluate_plan(
    table: &Table,
    model: &NaiveBayesModel,
    options: &LearnOptions,
    unlabelled: Option<&WithUnlabelled>,
) -> Result<Option<Evaluation>, Error> {
    // The parameters of a Dirichlet-compound are sought step by step: one text cannot be taken out of them.
    let has_bursts = |t: &Treatment| matches!(t, Treatment::Words(weights) if weights.bursts);
    let bursts = model.prior().text == TextEvent::DirichletCompound && model.observed().treatments().iter().any(has_bursts);
    // And the components of a class are found by EM.
    let by_folds = bursts || model.mixture().is_some();
    Ok(match options.evaluation {
        EvaluationPlan::LeaveOneOut if by_folds && options.calibration.is_none() => cross_validate(table, model, 10, options, unlabelled)?,
        EvaluationPlan::None => None,
        // The calibration makes the same pass.
        EvaluationPlan::LeaveOneOut if options.calibration.is_some() => None,
        EvaluationPlan::LeaveOneOut => leave_one_out(table, model, options.costs.as_ref())?,
        EvaluationPlan::Folds(n_folds) => cross_validate(table, model, n_folds, options, unlabelled)?,
    })
}

/// Nothing judged yet, by cost or by probability.
pub(crate) fn blank_tally(costs: Option<&NamedCosts>, classes: &[String]) -> Result<Tally, Error> {
    Ok(match costs {
        Some(costs) => Tally::with_costs(costs.resolve(classes)?),
        None => Tally::new(classes.len()),
    })
}

/// Judges every row by the model of all other rows, in one pass: the statistic minus the row.
///
/// # Errors
/// When the rows cannot be read again, costs name no classes, or classes have several components.
pub fn leave_one_out(table: &Table, model: &NaiveBayesModel, costs: Option<&NamedCosts>) -> Result<Option<Evaluation>, Error> {
    if model.mixture().is_some() {
        return Err(Error::unfit(
            "classes of several components have no leave-one-out: EM finds the components from all rows",
            "judge by folds, as in --evaluate folds:10",
        ));
    }
    let held_out = LeaveOneOut::new(model.schema(), model.statistic(), model.posterior())?;
    let scores = |chunk: &belief::Chunk<'_>, out: &mut Vec<f64>| held_out.ln_joint(chunk, out);
    let tally = judged(table, &scores, model, blank_tally(costs, model.classes())?)?;
    Ok(tally.metrics().map(|metrics| Evaluation::new(leave_one_out_words(model), model.classes(), metrics)))
}

pub(crate) fn leave_one_out_words(model: &NaiveBayesModel) -> &'static str {
    let has_weights = |t: &Treatment| matches!(t, Treatment::Words(weights) if weights.of_word.is_some());
    if model.unlabelled().is_some() {
        "leave-one-out, given what rows without a class were taken for"
    } else if model.recipe().made_from_labels {
        "leave-one-out, given the cut points"
    } else if model.observed().treatments().iter().any(has_weights) {
        "leave-one-out, given the weights of words"
    } else if model.prior().words.most_informative.is_some() {
        "leave-one-out, given the words that were chosen by the classes; --evaluate folds:10 chooses them anew"
    } else if model.prior().words.least_texts > 1.0 || model.prior().words.least_times > 1.0 {
        "leave-one-out, given the words that are frequent enough; --evaluate folds:10 chooses them anew"
    } else if model.prior().words.drop_most_frequent > 0 {
        "leave-one-out, given the words that are not too frequent; --evaluate folds:10 chooses them anew"
    } else if model.parts().pruned.iter().any(|pruned| pruned.times > 0.0) {
        "leave-one-out, given the words that were kept"
    } else if model.prior().text == TextEvent::NormalisedComplement {
        "leave-one-out, given how large the weights of a class's words are"
    } else {
        "leave-one-out"
    }
}

pub(crate) fn judged<V: crate::judge::Verdict>(
    rows: &impl Observations<Error = DataError>,
    scores: &impl Scores,
    model: &NaiveBayesModel,
    verdict: V,
) -> Result<V, Error> {
    let target = target_of(model.schema())?;
    let fold = rows.fold(|_: &[usize]| Judge::new(scores, target, model.classes().len(), verdict.clone()))?;
    Ok(fold.statistic.into_verdict()?)
}

/// Judges each fold by the model of the others. What a learner takes from the data before counting is taken anew in every fold.
fn cross_validate(
    table: &Table,
    model: &NaiveBayesModel,
    n_folds: usize,
    options: &LearnOptions,
    unlabelled: Option<&WithUnlabelled>,
) -> Result<Option<Evaluation>, Error> {
    let plan = FoldPlan::new(n_folds, options.seed)
        .ok_or_else(|| Error::unfit(format!("{n_folds} folds are too few or too many"), format!("give 2 to {}", FoldPlan::MOST)))?;
    let (tally, n_of_one_class) = match options.bins {
        _ if let Some(rows) = unlabelled => (rows.cross_validate(model, options, plan)?, 0),
        None if options.weighing.is_plain() => in_two_passes(table, model, plan, options)?,
        _ => by_relearning(table, model, plan, options)?,
    };
    let how = match n_of_one_class {
        0 => format!("{n_folds} folds, seed {}", options.seed),
        n => {
            format!("{n_folds} folds, seed {}; {n} of them hold all rows but those of one class, which the others then name", options.seed)
        }
    };
    Ok(tally.metrics().map(|metrics| Evaluation::new(&how, model.classes(), metrics)))
}

/// What the rows outside a fold make of the rows in it.
enum Others {
    Model(Box<NaiveBayes>),
    /// They have one class only, and are sure of it: zero for it and −∞ for the others.
    OneClass(Vec<f64>),
    /// There are none.
    Nothing,
}

impl Others {
    fn new(schema: &Schema, statistic: &NaiveBayesStatistic, prior: &NaiveBayesPrior) -> Result<Self, Error> {
        match NaiveBayes::new(schema, statistic, prior) {
            Ok(posterior) => Ok(Others::Model(Box::new(posterior))),
            Err(LearnError::TooFewClasses { present, .. }) if present.is_empty() => Ok(Others::Nothing),
            Err(LearnError::TooFewClasses { .. }) => {
                let ln = |weight: &f64| if *weight > 0.0 { 0.0 } else { f64::NEG_INFINITY };
                Ok(Others::OneClass(statistic.classes().iter().map(ln).collect()))
            }
            Err(error) => Err(error.into()),
        }
    }

    /// As [`NaiveBayes::ln_joint`]; NaN throughout where there is nothing to judge by, and the rows are then not judged.
    fn ln_joint(&self, chunk: &belief::Chunk<'_>, n_classes: usize, out: &mut Vec<f64>) -> Result<(), belief::ShapeMismatch> {
        match self {
            Others::Model(posterior) => posterior.ln_joint(chunk, out)?,
            Others::OneClass(ln) => *out = ln.repeat(chunk.n_rows),
            Others::Nothing => *out = vec![f64::NAN; chunk.n_rows * n_classes],
        }
        Ok(())
    }

    fn is_of_one_class(&self) -> bool {
        matches!(self, Others::OneClass(_))
    }
}

/// All folds in two passes: one statistic per fold, and each fold's model from the sum of the others.
fn in_two_passes(table: &Table, model: &NaiveBayesModel, plan: FoldPlan, options: &LearnOptions) -> Result<(Tally, usize), Error> {
    let target = target_of(table.schema())?;
    let (treatments, _) = plan_treatments(table, options)?;
    let fold = table.fold(|n_states: &[usize]| ByFold::empty(plan, &NaiveBayesStatistic::empty(&treatments, target, n_states)))?;
    let statistics = fold.statistic.others()?;
    let others = statistics.iter().map(|s| Others::new(&fold.schema, s, &options.prior)).collect::<Result<Vec<_>, _>>()?;
    let n_classes = model.classes().len();
    let scores = |chunk: &belief::Chunk<'_>, out: &mut Vec<f64>| {
        out.clear();
        out.resize(chunk.n_rows * n_classes, f64::NAN);
        let mut of_fold = Vec::new();
        for (others, places) in others.iter().zip(plan.places(chunk.first_row, chunk.n_rows)) {
            chunk.select(&places).lend(chunk.first_row, |rows| others.ln_joint(&rows, n_classes, &mut of_fold))?;
            for (row, place) in of_fold.chunks_exact(n_classes).zip(&places) {
                out[*place as usize * n_classes..][..n_classes].copy_from_slice(row);
            }
        }
        Ok(())
    };
    let tally = judged(table, &scores, model, blank_tally(options.costs.as_ref(), model.classes())?)?;
    Ok((tally, others.iter().filter(|others| others.is_of_one_class()).count()))
}

/// Each fold learned anew without its rows, cut points included.
fn by_relearning(table: &Table, model: &NaiveBayesModel, plan: FoldPlan, options: &LearnOptions) -> Result<(Tally, usize), Error> {
    let n_classes = model.classes().len();
    let blank = blank_tally(options.costs.as_ref(), model.classes())?;
    let mut tally = blank.clone();
    let mut n_of_one_class = 0;
    for fold in 0..plan.n_folds() {
        let rest = MaskedRows { rows: table, plan, keep: |of_row| of_row != fold };
        let counted = weighed(&rest, count_once(&rest, options)?, options)?;
        let others = Others::new(&counted.schema, &counted.statistic, &options.prior)?;
        n_of_one_class += usize::from(others.is_of_one_class());
        let scores = |chunk: &belief::Chunk<'_>, out: &mut Vec<f64>| others.ln_joint(chunk, n_classes, out);
        let own = MaskedRows { rows: table, plan, keep: |of_row| of_row == fold };
        tally.merge(&judged(&own, &scores, model, blank.clone())?)?;
    }
    Ok((tally, n_of_one_class))
}

/// Fits a calibration on leave-one-out scores, and judges it on rows it was not fitted on: before, after, and the calibration of
/// all rows.
pub(crate) fn calibrate(
    table: &Table,
    model: &NaiveBayesModel,
    method: Method,
    options: &LearnOptions,
) -> Result<(Option<Evaluation>, Option<Evaluation>, Calibrator), Error> {
    const FOLDS: usize = 10;
    let n_classes = model.classes().len();
    let plan = FoldPlan::new(FOLDS, options.seed).ok_or_else(|| Error::Internal("ten folds are a plan".into()))?;
    let held_out = LeaveOneOut::new(model.schema(), model.statistic(), model.posterior())?;
    let scores = |chunk: &belief::Chunk<'_>, out: &mut Vec<f64>| held_out.ln_joint(chunk, out);
    let tally = blank_tally(options.costs.as_ref(), model.classes())?;
    let blank = GridByFold { plan, grids: vec![ScoreGrid::new(n_classes); FOLDS], raw: tally.clone() };
    let scored = judged(table, &scores, model, blank)?;
    let mut all = ScoreGrid::new(n_classes);
    for grid in &scored.grids {
        all.merge(grid)?;
    }
    let too_few = |_| Error::unfit("there are too few rows to calibrate on", "leave --calibrate out");
    let mut calibrators = Vec::with_capacity(FOLDS);
    for fold in 0..FOLDS {
        let mut others = ScoreGrid::new(n_classes);
        for grid in scored.grids.iter().enumerate().filter(|(nth, _)| *nth != fold).map(|(_, grid)| grid) {
            others.merge(grid)?;
        }
        calibrators.push(Calibrator::fit(method, &others).map_err(too_few)?);
    }
    let judged_after = judged(table, &scores, model, CalibratedByFold { plan, calibrators: &calibrators, tally })?;
    let how = leave_one_out_words(model);
    let evaluation = |how: &str, tally: &Tally| tally.metrics().map(|metrics| Evaluation::new(how, model.classes(), metrics));
    Ok((
        evaluation(how, &scored.raw),
        evaluation(&format!("{how}, calibrated on the other nine folds"), &judged_after.tally),
        Calibrator::fit(method, &all).map_err(too_few)?,
    ))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::Timings;
    use crate::counting::count;
    use crate::learning::learn_from;

    /// The sum of the other folds' statistics makes the model that is learned from the other rows.
    #[test]
    fn folds_in_two_passes_are_folds_by_relearning() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        for (file, target) in [("examples/play_tennis.csv", "PlayTennis"), ("testdata/iris/iris_train.csv", "species")] {
            let mut options = LearnOptions { evaluation: EvaluationPlan::None, ..LearnOptions::default() };
            options.read.target = Some(target.into());
            let table = Table::open(&[root.join(file)], options.read.clone()).unwrap();
            let (table, counted, remarks) = count(table, &options).unwrap();
            let learned = learn_from(
                &Table::open(&[root.join(file)], options.read.clone()).unwrap().with_schema(counted.schema.clone()),
                counted,
                None,
                remarks,
                &options,
                Timings::default(),
            )
            .unwrap();
            for (n_folds, seed) in [(2, 1), (7, 1), (7, 5)] {
                let plan = FoldPlan::new(n_folds, seed).unwrap();
                let (a, _) = in_two_passes(&table, &learned.model, plan, &options).unwrap();
                let (b, _) = by_relearning(&table, &learned.model, plan, &options).unwrap();
                let (a, b) = (a.metrics().unwrap(), b.metrics().unwrap());
                assert_eq!((a.rows, a.accuracy, &a.confusion), (b.rows, b.accuracy, &b.confusion));
                // Moments are summed in another order.
                assert!((a.log_loss.unwrap() - b.log_loss.unwrap()).abs() < 1e-9);
                assert!((a.brier - b.brier).abs() < 1e-9);
            }
        }
    }
}
