//! From a table to a model: read, count, weigh, judge.

use std::path::Path;
use std::time::Instant;

use belief::{Observations, ReadReport, Role};
use data::{MadeColumns, Table};
use learn::{AttributeStatistic, Discretisation};

use crate::align::categorical;
use crate::change::alike_states;
use crate::counting::{Counted, after_skipping, check_rows, check_texts, count, weighed, weighed_by, with_given_priors};
use crate::held_out::{blank_tally, calibrate, evaluate_plan};
use crate::model::Stored;
use crate::unlabelled::WithUnlabelled;
use crate::vocabulary::drop_unmet;
use crate::{Error, Evaluation, EvaluationPlan, FromUnlabelled, LearnOptions, NaiveBayesModel, Recipe, Timings};

/// With fewer rows a calibration is fitted to chance.
const ENOUGH_TO_CALIBRATE: f64 = 100.0;

/// A model with what was found out on the way.
pub struct Learned {
    /// The model.
    pub model: NaiveBayesModel,
    /// What was met while reading.
    pub report: ReadReport,
    /// What the user should know.
    pub remarks: Vec<String>,
    /// How good it is, as far as it was asked.
    pub evaluation: Option<Evaluation>,
    /// What a calibration did, if there is one and it was to be judged.
    pub calibrated: Option<Calibrated>,
    /// Where the time went.
    pub timings: Timings,
}

/// How good a model is without and with its calibration, by the same pass over the rows.
pub struct Calibrated {
    /// Without.
    pub before: Evaluation,
    /// With.
    pub after: Evaluation,
}

/// Learns a naive Bayes model from files.
///
/// # Errors
/// When the data cannot be read, or no model can be made of them.
pub fn learn(paths: &[impl AsRef<Path>], options: &LearnOptions) -> Result<Learned, Error> {
    let mut timings = Timings::default();
    let start = Instant::now();
    options.check()?;
    let table = Table::open(paths, options.read.clone())?;
    check_texts(table.schema(), options)?;
    let options = &with_given_priors(options, &table)?;
    timings.add("read", start);
    let start = Instant::now();
    let (table, counted, mut remarks) = count(table, options)?;
    timings.add("learn", start);
    let Some(plan) = &options.unlabelled else {
        let counted = weighed(&table, counted, options)?;
        return learn_from(&table, counted, None, remarks, options, timings);
    };
    let start = Instant::now();
    let mut counted = counted;
    let mut both = WithUnlabelled::open(table, &mut counted, plan, &options.read)?;
    if !options.weighing.is_plain() {
        let all = both.all(&counted)?;
        counted = weighed_by(&both.table, counted, &all, options)?;
    }
    let unlabelled = both.climb(&counted, options, plan)?;
    remarks.append(&mut both.remarks);
    timings.add("learn", start);
    learn_from(&both.table, counted, Some((unlabelled, &both)), remarks, options, timings)
}

/// How the rows were read and seen.
pub(crate) fn recipe_of(table: &Table, options: &LearnOptions) -> Recipe {
    Recipe {
        missing: table.missing_markers().to_vec(),
        words: options.read.words.clone(),
        weighing: options.weighing,
        max_vocabulary: options.read.max_vocabulary,
        labels: None,
        made: MadeColumns::default(),
        days: table.days().cloned(),
        names: options.read.names.clone(),
        discretisation: options.bins.as_ref().map(ToString::to_string),
        made_from_labels: matches!(options.bins, Some(Discretisation::FayyadIrani)),
    }
}

/// What the user should know of a model that was just learned.
pub(crate) fn remarks_of(model: &NaiveBayesModel) -> Vec<String> {
    let mut remarks = crate::remarks::of_model(model.posterior().remarks());
    remarks.extend(crate::vocabulary::remarks(model.parts()));
    for (id, states) in categorical(model.schema()).filter(|(_, states)| (1..states.len()).contains(&states.n_declared())) {
        let beyond = crate::remarks::list(&states.names()[states.n_declared()..]);
        remarks.push(format!("`{}` has states that were not declared: {beyond}", model.schema().variable(id).name));
    }
    remarks.extend(alike_states(model.schema(), &[]));
    if model.statistic().attributes().iter().all(|a| matches!(a, AttributeStatistic::Absent)) {
        remarks.push("no column is left to learn from: the model knows how frequent the classes are, and nothing else".into());
    }
    remarks
}

pub(crate) fn learn_from(
    table: &Table,
    counted: Counted,
    unlabelled: Option<(FromUnlabelled, &WithUnlabelled)>,
    mut remarks: Vec<String>,
    options: &LearnOptions,
    mut timings: Timings,
) -> Result<Learned, Error> {
    let Counted { schema, statistic, report, .. } = counted;
    check_rows(&schema, statistic.n_rows(), &report).map_err(|error| after_skipping(error, &report))?;
    let start = Instant::now();
    let recipe = recipe_of(table, options);
    let (unlabelled, rows) = unlabelled.unzip();
    let parts = Stored {
        schema,
        recipe,
        prior: options.prior.clone(),
        statistic,
        calibrator: None,
        calibrator_is_stale: false,
        unlabelled,
        pruned: report.pruned.clone(),
    };
    let mut model = NaiveBayesModel::from_parts(parts).map_err(|error| after_skipping(error, &report))?;
    remarks.extend(remarks_of(&model));
    timings.add("learn", start);

    let start = Instant::now();
    // Costs that are none are refused even where nothing is judged.
    blank_tally(options.costs.as_ref(), model.classes())?;
    let mut evaluation = evaluate_plan(table, &model, options, rows)?;
    let mut calibrated = None;
    if let Some(method) = options.calibration {
        let (before, after, calibrator) = calibrate(table, &model, method, options)?;
        if options.evaluation == EvaluationPlan::LeaveOneOut {
            evaluation.clone_from(&before);
        }
        if options.evaluation != EvaluationPlan::None {
            calibrated = before.zip(after).map(|(before, after)| Calibrated { before, after });
        }
        if model.statistic().n_rows() < ENOUGH_TO_CALIBRATE {
            remarks.push(format!("a calibration fitted on fewer than {ENOUGH_TO_CALIBRATE} rows often does more harm than good"));
        }
        let mut parts = model.parts().clone();
        parts.calibrator = Some(calibrator);
        model = NaiveBayesModel::from_parts(parts)?;
    }
    timings.add("evaluate", start);
    let start = Instant::now();
    // Only now: whoever judges reads all rows once more, those that do not count among them.
    let all_count = model.statistic().n_rows_without_target() == 0.0 && !model.schema().variables().iter().any(|v| v.role == Role::Weight);
    let mut parts = if all_count { None } else { Some(model.parts().clone()) };
    if parts.as_mut().map_or(Ok(false), drop_unmet)?
        && let Some(parts) = parts
    {
        model = NaiveBayesModel::from_parts(parts)?;
    }
    timings.add("learn", start);
    Ok(Learned { model, report, remarks, evaluation, calibrated, timings })
}

#[cfg(test)]
mod tests {
    use super::*;
    use learn::ValueSample;

    /// Mitchell 1997, equation 6.22: (n_c + m·p)/(n + m), with p as the schema file gives it.
    #[test]
    fn the_m_estimate_takes_its_p_from_the_schema_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.csv");
        std::fs::write(&path, "Wind,Play\nStrong,No\nWeak,No\nWeak,Yes\nWeak,Yes\nStrong,Yes\n").unwrap();
        let mut options = LearnOptions { evaluation: EvaluationPlan::None, ..LearnOptions::default() };
        options.read.target = Some("Play".into());
        options.prior.estimate = "m:2:given".parse().unwrap();
        assert!(learn(&[&path], &options).err().unwrap().to_string().contains("none are given"));
        let schema = "missing = [\"n.a.\"]\n[columns.Wind]\nprior = { Strong = 0.75, Weak = 0.25 }\n";
        std::fs::write(folder.path().join("t.schema.toml"), schema).unwrap();
        let learned = learn(&[&path], &options).unwrap();
        let windy = crate::Case::parse(learned.model.schema(), &["Wind=Strong".into()]).unwrap();
        let p = windy.lend(|row| learned.model.posterior().contributions(row, 0)).unwrap()[0].clone().unwrap();
        assert!((p[0].exp() - (1.0 + 2.0 * 0.75) / (2.0 + 2.0)).abs() < 1e-15);
        assert!((p[1].exp() - (1.0 + 2.0 * 0.75) / (3.0 + 2.0)).abs() < 1e-15);
        // The schema file's missing markers go into the model, so that later rows are read alike.
        assert_eq!(learned.model.recipe().missing, ["n.a."]);
    }

    #[test]
    fn cut_points_from_a_sample_are_told_of() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.csv");
        let mut options =
            LearnOptions { evaluation: EvaluationPlan::None, bins: Some(Discretisation::FayyadIrani), ..LearnOptions::default() };
        options.read.target = Some("y".into());
        let remarks = |n_rows: usize| {
            let rows: String = (0..n_rows).map(|row| format!("{}.5,{}\n", row % 7, ["p", "q"][row % 2])).collect();
            std::fs::write(&path, format!("x,y\n{rows}")).unwrap();
            learn(&[&path], &options).unwrap().remarks
        };
        let most = ValueSample::MOST_ROWS;
        let told = format!("the cut points come from a sample of {most} of the {} rows", most + 1);
        assert!(remarks(most + 1).contains(&told));
        assert!(!remarks(1000).iter().any(|remark| remark.contains("sample")));
    }
}
