//! A model of labels that keeps learning: rows join it, leave it, and two models become one.

use std::collections::HashSet;
use std::path::Path;

use belief::{Forget, NeverObserved, Observations, ReadReport, Recode, SufficientStatistic};
use data::{ReadOptions, Table, UnknownStates};
use learn::{LabelStatistic, NaiveBayesPrior};

use super::learning::unbounded;
use super::model::{LabelsModel, StoredLabels};
use crate::Error;
use crate::align::{Counting, line_up};
use crate::change::other_priors;
use crate::remarks::list;
use crate::unmet::{is_any, unmet, without};
use crate::vocabulary::new_words;

/// A model of labels after a change, with what was met.
pub struct ChangedLabels {
    /// The model now.
    pub model: LabelsModel,
    /// What was met while reading; empty for a merge.
    pub report: ReadReport,
    /// What the user should know.
    pub remarks: Vec<String>,
}

/// As [`crate::update`], for labels; new labels join the others.
///
/// # Errors
/// When the files lack columns or cannot be read, or the prior does not fit what is in them.
pub fn update(
    model: &LabelsModel,
    paths: &[impl AsRef<Path>],
    read: ReadOptions,
    prior: Option<NaiveBayesPrior>,
) -> Result<ChangedLabels, Error> {
    unbounded(&read)?;
    let (rows, report, mut remarks) = counted_alike(model, paths, read, UnknownStates::Grow)?;
    let (mut before, rows) = align(model.parts().clone(), rows)?;
    before.statistic.merge(&rows.statistic)?;
    drop_unmet(&mut before)?;
    let known: HashSet<&String> = model.labels().iter().collect();
    let target = before.schema.variable(before.statistic.target());
    let now = target.kind.states().map_or(&[][..], |labels| labels.names());
    let new: Vec<&String> = now.iter().filter(|label| !known.contains(label)).collect();
    if !new.is_empty() {
        let n_new = if new.len() == 1 { "a new label".into() } else { format!("{} new labels", new.len()) };
        remarks.push(format!("`{}` has {n_new}: {}", target.name, list(&new)));
    }
    remarks.extend(new_words(model.schema(), &before.schema));
    before.prior = prior.unwrap_or(before.prior);
    if model.recipe().discretisation.is_some() {
        remarks.push("the cut points were made from the old rows; learn again to make them anew".into());
    }
    Ok(ChangedLabels { model: LabelsModel::from_parts(before)?, report, remarks })
}

/// As [`crate::forget`], for labels. A label that no row has any more is none, unless it was declared.
///
/// # Errors
/// When rows are among them that the model never saw; then nothing is changed.
pub fn forget(model: &LabelsModel, paths: &[impl AsRef<Path>], read: ReadOptions) -> Result<ChangedLabels, Error> {
    let (mut rows, report, remarks) = counted_alike(model, paths, read, UnknownStates::ErrorWhereCounted)?;
    drop_unmet(&mut rows)?;
    let (mut left, rows) = align(model.parts().clone(), rows)?;
    left.statistic.forget(&rows.statistic).map_err(|e: NeverObserved| {
        Error::unfit(format!("these rows are not all in the model: {e}"), "forget only rows that the model has learned, each once")
    })?;
    drop_unmet(&mut left)?;
    Ok(ChangedLabels { model: LabelsModel::from_parts(left)?, report, remarks })
}

/// As [`crate::merge`], for labels.
///
/// # Errors
/// When they were not counted alike, or their priors differ and `prior` does not say which to use.
pub fn merge(a: &LabelsModel, b: &LabelsModel, prior: Option<NaiveBayesPrior>) -> Result<ChangedLabels, Error> {
    if a.prior() != b.prior() && prior.is_none() {
        return Err(other_priors((a.prior(), a.prior_words()), (b.prior(), b.prior_words())));
    }
    let (mut both, other) = align(a.parts().clone(), b.parts().clone())?;
    both.statistic.merge(&other.statistic)?;
    both.prior = prior.unwrap_or(both.prior);
    Ok(ChangedLabels { model: LabelsModel::from_parts(both)?, report: ReadReport::default(), remarks: Vec::new() })
}

/// Drops labels, states and words of which nothing is counted and that nobody declared: see [`crate::unmet`].
///
/// # Errors
/// When the statistic is not of the schema.
pub(super) fn drop_unmet(parts: &mut StoredLabels) -> Result<bool, Error> {
    let target = parts.statistic.target().index();
    let recoding = unmet(&parts.schema, |place| parts.statistic.n_met(place).filter(|n_met| place != target || is_any(n_met)));
    if let Some(recoding) = &recoding {
        parts.statistic.recode(recoding)?;
        parts.schema = without(&parts.schema, recoding)?;
    }
    Ok(recoding.is_some())
}

/// The two with the same labels, states and words in the same places.
pub(super) fn align(mut a: StoredLabels, mut b: StoredLabels) -> Result<(StoredLabels, StoredLabels), Error> {
    let counting = |parts: &StoredLabels| Counting {
        schema: parts.schema.clone(),
        recipe: parts.recipe.clone(),
        treatments: parts.statistic.treatments(),
    };
    let (schema, of_a, of_b) = line_up(&counting(&a), &counting(&b))?;
    a.statistic.recode(&of_a)?;
    b.statistic.recode(&of_b)?;
    a.schema = schema.clone();
    b.schema = schema;
    Ok((a, b))
}

/// The statistic of files, counted as the model counts.
fn counted_alike(
    model: &LabelsModel,
    paths: &[impl AsRef<Path>],
    mut read: ReadOptions,
    unknown: UnknownStates,
) -> Result<(StoredLabels, ReadReport, Vec<String>), Error> {
    model.recipe().apply(&mut read);
    let table = Table::open_as(paths, read, model.schema(), unknown, false)?;
    let (treatments, target) = (model.statistic().treatments(), model.statistic().target().index());
    let fold = table.fold(|n_states: &[usize]| LabelStatistic::empty(&treatments, target, n_states))?;
    let mut remarks = table.remarks().to_vec();
    let blind = fold.statistic.n_rows_without_target();
    if blind > 0.0 {
        let rows =
            if blind == 1.0 { "1 row whose labels are missing was".into() } else { format!("{blind} rows whose labels are missing were") };
        remarks.push(format!("{rows} left out"));
    }
    Ok((StoredLabels { schema: fold.schema, statistic: fold.statistic, ..model.parts().clone() }, fold.report, remarks))
}
