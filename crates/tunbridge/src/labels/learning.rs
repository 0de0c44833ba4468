//! From a table with a column of labels to a model of each.

use std::path::Path;
use std::time::Instant;

use belief::{
    Chunk, Codes, Column, Fold, FoldPlan, MaskedRows, Observations, ReadReport, Recode, Recoding, Schema, ShapeMismatch,
    SufficientStatistic,
};
use data::{DataError, ReadOptions, Table};
use evaluate::LabelTally;
use learn::{HeldOutLabels, LabelStatistic, Treatment};

use super::change::drop_unmet;
use super::judge::{LabelEvaluation, judged};
use super::model::{LabelsModel, StoredLabels};
use crate::counting::{check_texts, plan_treatments, target_of, with_given_priors};
use crate::{Error, EvaluationPlan, LearnOptions, NamedCosts, Recipe, Timings, widening};

/// A model of labels with what was found out on the way.
pub struct LearnedLabels {
    /// The model.
    pub model: LabelsModel,
    /// What was met while reading.
    pub report: ReadReport,
    /// What the user should know.
    pub remarks: Vec<String>,
    /// How good it is, as far as it was asked.
    pub evaluation: Option<LabelEvaluation>,
    /// Where the time went.
    pub timings: Timings,
}

/// Learns a yes/no model for each label of the target, from files. `options.read.labels` says what separates the labels of a cell.
///
/// # Errors
/// When the data cannot be read, no model can be made of them, or the options ask for what labels do not have: a calibration, or cut
/// points made by one class a row.
pub fn learn(paths: &[impl AsRef<Path>], options: &LearnOptions) -> Result<LearnedLabels, Error> {
    let mut timings = Timings::default();
    let start = Instant::now();
    let (table, options) = open(paths, options)?;
    timings.add("read", start);
    let start = Instant::now();
    let (table, counted) = count(table, &options)?;
    let Counted { schema, statistic, report, mut remarks } = counted;
    if report.n_rows == 0 && report.n_skipped > 0 {
        let first = report.first_skipped.as_deref().unwrap_or_default();
        return Err(Error::unfit(
            format!("all {} rows are malformed, the first at {first}", report.n_skipped),
            "check the header and the delimiter; --header and --delimiter say what they are",
        ));
    }
    let model = LabelsModel::from_parts(parts(schema, statistic, &table, &options))?;
    remarks.extend(crate::remarks::of_model(model.posterior().remarks()));
    if model.statistic().has_no_attribute() {
        remarks.push("no column is left to learn from: the model knows how frequent the labels are, and nothing else".into());
    }
    timings.add("learn", start);
    let start = Instant::now();
    // The parameters of a Dirichlet-compound are sought step by step: one text cannot be taken out of them.
    let has_bursts = |t: &Treatment| matches!(t, Treatment::Words(weights) if weights.bursts);
    let by_folds = model.statistic().treatments().iter().any(has_bursts);
    let evaluation = match options.evaluation {
        EvaluationPlan::LeaveOneOut if by_folds => cross_validate(&table, &model, 10, &options)?,
        EvaluationPlan::None => None,
        EvaluationPlan::LeaveOneOut => leave_one_out(&table, &model)?,
        EvaluationPlan::Folds(n_folds) => cross_validate(&table, &model, n_folds, &options)?,
    };
    timings.add("evaluate", start);
    // Only now: whoever judges reads all rows once more, those that do not count among them.
    let mut left = model.parts().clone();
    let model = if drop_unmet(&mut left)? { LabelsModel::from_parts(left)? } else { model };
    Ok(LearnedLabels { model, report, remarks, evaluation, timings })
}

/// The table, and the options with what the data's sidecar adds to them.
pub(super) fn open(paths: &[impl AsRef<Path>], options: &LearnOptions) -> Result<(Table, LearnOptions), Error> {
    if options.read.labels.is_none() {
        return Err(Error::unfit("it is not said what separates labels", "say it with --labels, as in --labels ';'"));
    }
    options.check()?;
    let table = Table::open(paths, options.read.clone())?;
    check_texts(table.schema(), options)?;
    let options = with_given_priors(options, &table)?;
    if table.schema().target().is_none() {
        return Err(Error::unfit("no target was named", "name the column of labels with --target"));
    }
    Ok((table, options))
}

/// Labels are not taken for each other.
pub(crate) fn no_costs(costs: Option<&NamedCosts>) -> Result<(), Error> {
    match costs {
        None => Ok(()),
        Some(_) => Err(Error::unfit("costs are of taking one class for another, and not of labels", "leave --costs out")),
    }
}

/// Labels choose their words one by one, and what one of them would drop is another's.
pub(crate) fn unbounded(read: &ReadOptions) -> Result<(), Error> {
    match read.max_vocabulary {
        None => Ok(()),
        Some(_) => Err(Error::unfit("labels keep all words", "leave --max-vocabulary out; --keep-words chooses words label by label")),
    }
}

pub(super) struct Counted {
    pub schema: Schema,
    pub statistic: LabelStatistic,
    pub report: ReadReport,
    /// What the user should know.
    pub remarks: Vec<String>,
}

/// Counts a table; a column that turns out not to be numeric is read anew.
pub(super) fn count(table: Table, options: &LearnOptions) -> Result<(Table, Counted), Error> {
    let (table, mut counted) = widening(table, |table| count_once(table, options))?;
    counted.remarks = [table.remarks(), &counted.remarks].concat();
    Ok((table.with_schema(counted.schema.clone()), counted))
}

pub(super) fn count_once<O: Observations<Error = DataError>>(rows: &O, options: &LearnOptions) -> Result<Counted, Error> {
    let target = target_of(rows.schema())?;
    let (treatments, remarks) = plan_treatments(&OneClass { rows, target }, options)?;
    let fold = rows.fold(|n_states: &[usize]| LabelStatistic::empty(&treatments, target, n_states))?;
    Ok(Counted { schema: fold.schema, statistic: fold.statistic, report: fold.report, remarks })
}

/// What a model is made of.
pub(super) fn parts(schema: Schema, statistic: LabelStatistic, table: &Table, options: &LearnOptions) -> StoredLabels {
    let recipe = Recipe {
        missing: table.missing_markers().to_vec(),
        words: options.read.words.clone(),
        names: options.read.names.clone(),
        labels: options.read.labels.clone(),
        days: table.days().cloned(),
        discretisation: options.bins.as_ref().map(ToString::to_string),
        ..Recipe::default()
    };
    StoredLabels { schema, recipe, prior: options.prior.clone(), statistic }
}

/// Judges every row by the models of all other rows, in one pass.
fn leave_one_out(table: &Table, model: &LabelsModel) -> Result<Option<LabelEvaluation>, Error> {
    let of_label = |label| model.statistic().of_label(label);
    let statistics = (0..model.labels().len()).map(of_label).collect::<Result<Vec<_>, _>>()?;
    let held_out = HeldOutLabels::new(model.posterior(), &statistics)?;
    let scores = |chunk: &Chunk<'_>, out: &mut Vec<f64>| held_out.ln_odds(chunk, out);
    let (tally, _) = judged(table, &scores, model)?;
    let how = match model.prior().words.most_informative {
        Some(_) => "leave-one-out, given the words that were chosen by the labels; --evaluate folds:10 chooses them anew",
        None => "leave-one-out",
    };
    Ok(tally.metrics().map(|metrics| LabelEvaluation::new(how, model, metrics)))
}

/// Judges each fold by what is learned from the others, one fold after another: the models of all folds would be many.
fn cross_validate(table: &Table, model: &LabelsModel, n_folds: usize, options: &LearnOptions) -> Result<Option<LabelEvaluation>, Error> {
    let plan = FoldPlan::new(n_folds, options.seed)
        .ok_or_else(|| Error::unfit(format!("{n_folds} folds are too few or too many"), format!("give 2 to {}", FoldPlan::MOST)))?;
    let mut tally = LabelTally::new(model.labels().len());
    for fold in 0..n_folds {
        let rest = MaskedRows { rows: table, plan, keep: |of_row| of_row != fold };
        let own = MaskedRows { rows: table, plan, keep: |of_row| of_row == fold };
        let counted = count_once(&rest, options)?;
        if counted.statistic.n_rows() <= 0.0 {
            // All rows are in this fold, and there is nothing to judge them by.
            continue;
        }
        let others = LabelsModel::from_parts(parts(counted.schema, counted.statistic, table, options))?;
        let scores = |chunk: &Chunk<'_>, out: &mut Vec<f64>| others.posterior().ln_odds(chunk, out);
        tally.merge(&judged(&own, &scores, model)?.0)?;
    }
    let how = format!("{n_folds} folds, seed {}", options.seed);
    Ok(tally.metrics().map(|metrics| LabelEvaluation::new(&how, model, metrics)))
}

/// Rows all of one class, for those who cut numbers into bins without looking at labels.
struct OneClass<'o, O> {
    rows: &'o O,
    target: usize,
}

impl<O: Observations> Observations for OneClass<'_, O> {
    type Error = O::Error;

    fn schema(&self) -> &Schema {
        self.rows.schema()
    }

    fn fold<S, B>(&self, blank: B) -> Result<Fold<S>, Self::Error>
    where
        S: for<'a> SufficientStatistic<Columns<'a> = Chunk<'a>> + Recode,
        B: Fn(&[usize]) -> S + Sync,
    {
        let fold = self.rows.fold(|n_states: &[usize]| {
            let mut n_states = n_states.to_vec();
            n_states[self.target] = 1;
            WithOneClass { statistic: blank(&n_states), target: self.target }
        })?;
        Ok(Fold { schema: fold.schema, statistic: fold.statistic.statistic, report: fold.report })
    }
}

#[derive(Clone)]
struct WithOneClass<S> {
    statistic: S,
    target: usize,
}

impl<S: for<'a> SufficientStatistic<Columns<'a> = Chunk<'a>>> SufficientStatistic for WithOneClass<S> {
    type Columns<'a> = Chunk<'a>;

    fn observe(&mut self, chunk: Chunk<'_>) -> Result<(), ShapeMismatch> {
        let classes = vec![0; chunk.n_rows];
        let mut columns = chunk.columns.to_vec();
        columns[self.target] = Column::Categorical { codes: Codes::U8(&classes), n_states: 1 };
        self.statistic.observe(Chunk { columns: &columns, ..chunk })
    }

    fn merge(&mut self, other: &Self) -> Result<(), ShapeMismatch> {
        self.statistic.merge(&other.statistic)
    }
}

impl<S: Recode> Recode for WithOneClass<S> {
    fn recode(&mut self, recoding: &Recoding) -> Result<(), ShapeMismatch> {
        let mut recoding = recoding.clone();
        recoding.columns[self.target] = None;
        self.statistic.recode(&recoding)
    }
}
