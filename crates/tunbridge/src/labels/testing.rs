//! Judging a model of labels on rows it was not learned from.

use std::path::Path;

use belief::{Chunk, MaskedRows, ReadReport, Schema};
use data::Table;

use super::judge::{LabelEvaluation, judged};
use super::learning::{count, count_once, no_costs, open, parts};
use super::model::LabelsModel;
use crate::remarks::counted;
use crate::testing::{file_without, held_out_plan, nothing_held_out};
use crate::{Error, LearnOptions, TestOptions};

/// An evaluation of labels with what was met while reading.
pub struct TestedLabels {
    /// The figures.
    pub evaluation: LabelEvaluation,
    /// What the columns are.
    pub schema: Schema,
    /// What was met while reading.
    pub report: ReadReport,
    /// What the user should know.
    pub remarks: Vec<String>,
}

/// Judges a saved model on files that have the column of labels.
///
/// Labels that the model does not know are not judged, and told of.
///
/// # Errors
/// When the files cannot be read or lack the labels, and when costs are given, which labels do not have.
pub fn test(model: &LabelsModel, paths: &[impl AsRef<Path>], options: TestOptions) -> Result<TestedLabels, Error> {
    let TestOptions { mut read, unknown_states: unknown, costs } = options;
    no_costs(costs.as_ref())?;
    model.recipe().apply(&mut read);
    let again = read.clone();
    let table = Table::open_as(paths, read, model.schema(), unknown, true)?;
    let name = model.target();
    if let Some(path) = file_without(name, &table, &again, model.schema()) {
        return Err(Error::unfit(
            format!("{}: there is no column `{name}`, so there is nothing to compare with", path.display()),
            "give rows whose labels are known",
        ));
    }
    let scores = |chunk: &Chunk<'_>, out: &mut Vec<f64>| model.posterior().ln_odds(chunk, out);
    let (tally, report) = judged(&table, &scores, model)?;
    let mut remarks = table.remarks().to_vec();
    let target = model.statistic().target().index();
    let n_unknown = report.n_unknown.get(target).copied().unwrap_or(0);
    if n_unknown > 0 {
        let rows = counted(n_unknown, "row has", "rows have");
        remarks.push(format!("{rows} labels that the model does not know; they are judged by the others"));
    }
    let none = || Error::unfit(format!("the labels of `{name}` are missing in every row"), "check the column and its missing markers");
    let metrics = tally.metrics().ok_or_else(none)?;
    let n_missing = report.n_missing.get(target).copied().unwrap_or(0);
    let how = counted(report.n_rows - n_missing, "test row", "test rows");
    Ok(TestedLabels { evaluation: LabelEvaluation::new(&how, model, metrics), schema: model.schema().clone(), report, remarks })
}

/// Learns on a part of the rows and judges on the rest: every `1/share`th row by a seeded deal is held out.
///
/// # Errors
/// When the data cannot be read or no model can be made of the part.
pub fn hold_out(paths: &[impl AsRef<Path>], options: &LearnOptions, share: f64) -> Result<TestedLabels, Error> {
    let (plan, held) = held_out_plan(options.seed, share)?;
    let (table, options) = open(paths, options)?;
    let (table, all) = count(table, &options)?;
    let learned_on = MaskedRows { rows: &table, plan, keep: |fold| fold >= held };
    let part = count_once(&learned_on, &options)?;
    let model = LabelsModel::from_parts(parts(part.schema, part.statistic, &table, &options))?;
    let rest = MaskedRows { rows: &table, plan, keep: |fold| fold < held };
    let scores = |chunk: &Chunk<'_>, out: &mut Vec<f64>| model.posterior().ln_odds(chunk, out);
    let (tally, _) = judged(&rest, &scores, &model)?;
    let metrics = tally.metrics().ok_or_else(nothing_held_out)?;
    let how = format!("{held} % held out, seed {}", options.seed);
    let evaluation = LabelEvaluation::new(&how, &model, metrics);
    Ok(TestedLabels { evaluation, schema: all.schema, report: all.report, remarks: all.remarks })
}
