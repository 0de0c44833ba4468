//! A model that keeps learning: rows join it, leave it, and two models become one. All is exact: the statistic is counts.

use std::path::Path;

use belief::{Forget, NeverObserved, Observations, ReadReport, Recode, SufficientStatistic, VarId};
use data::{ReadOptions, Table, UnknownStates};
use learn::{AodePrior, AodeStatistic, Treatment};

use super::learning::attributes;
use super::model::{AodeModel, StoredAode};
use crate::Error;
use crate::align::{Counting, line_up};
use crate::change::new_states;
use crate::counting::target_of;
use crate::network::too_many_pairs;
use crate::unmet::{is_any, unmet, without};

/// A model after a change, with what was met.
pub struct ChangedAode {
    /// The model now.
    pub model: AodeModel,
    /// What was met while reading; empty for a merge.
    pub report: ReadReport,
    /// What the user should know.
    pub remarks: Vec<String>,
}

/// Adds the rows of files to a model: the same model as learning on all rows at once, with the cut points it has.
///
/// # Errors
/// When the files lack columns or cannot be read.
pub fn update(model: &AodeModel, paths: &[impl AsRef<Path>], read: ReadOptions, prior: Option<AodePrior>) -> Result<ChangedAode, Error> {
    let (rows, report, mut remarks) = counted_alike(model, paths, read, UnknownStates::Grow)?;
    let (mut now, rows) = lined_up(model.parts().clone(), rows)?;
    now.statistic.merge(&rows.statistic)?;
    drop_unmet(&mut now)?;
    remarks.extend(new_states(model.schema(), &now.schema));
    now.prior = prior.unwrap_or(now.prior);
    if !model.recipe().made.cuts.is_empty() {
        remarks.push("the cut points were made from the old rows; learn again to make them anew".into());
    }
    Ok(ChangedAode { model: AodeModel::from_parts(now)?, report, remarks })
}

/// Takes the rows of files back out of a model.
///
/// # Errors
/// When rows are among them that the model never saw; then nothing is changed.
pub fn forget(model: &AodeModel, paths: &[impl AsRef<Path>], read: ReadOptions) -> Result<ChangedAode, Error> {
    let (mut rows, report, remarks) = counted_alike(model, paths, read, UnknownStates::ErrorWhereCounted)?;
    drop_unmet(&mut rows)?;
    let (mut left, rows) = lined_up(model.parts().clone(), rows)?;
    left.statistic.forget(&rows.statistic).map_err(|e: NeverObserved| {
        Error::unfit(format!("these rows are not all in the model: {e}"), "forget only rows that the model has learned, each once")
    })?;
    drop_unmet(&mut left)?;
    Ok(ChangedAode { model: AodeModel::from_parts(left)?, report, remarks })
}

/// Adds what two models have seen. A prior counts once.
///
/// # Errors
/// When they were not counted alike, or their priors differ and `prior` does not say which to use.
pub fn merge(a: &AodeModel, b: &AodeModel, prior: Option<AodePrior>) -> Result<ChangedAode, Error> {
    if a.prior() != b.prior() && prior.is_none() {
        let what = format!("they have different priors: {}; and {}", a.prior_words(), b.prior_words());
        return Err(Error::unfit(what, "say which to use with --estimate"));
    }
    let (mut both, other) = lined_up(a.parts().clone(), b.parts().clone())?;
    both.statistic.merge(&other.statistic)?;
    both.prior = prior.unwrap_or(both.prior);
    Ok(ChangedAode { model: AodeModel::from_parts(both)?, report: ReadReport::default(), remarks: Vec::new() })
}

/// Drops states and classes of which nothing is counted and that nobody declared: see [`crate::unmet`].
///
/// # Errors
/// When the statistic is not of the schema.
pub(super) fn drop_unmet(parts: &mut StoredAode) -> Result<(), Error> {
    let pairs = parts.statistic.pairs().settled();
    let (variables, target) = (pairs.variables(), pairs.target().map(VarId::index));
    let n_met = |place: usize| {
        if Some(place) == target {
            return Some(pairs.classes()).filter(|n_met| is_any(n_met));
        }
        let variable = variables.iter().position(|variable| variable.index() == place)?;
        let mut n_met = vec![0.0; pairs.n_states()[variable]];
        let of_classes = (0..pairs.n_classes()).map(|class| pairs.single(variable, class));
        of_classes.for_each(|of_class| n_met.iter_mut().zip(of_class).for_each(|(n, more)| *n += more));
        Some(n_met)
    };
    if let Some(recoding) = unmet(&parts.schema, n_met) {
        parts.statistic.recode(&recoding)?;
        parts.schema = without(&parts.schema, &recoding)?;
    }
    Ok(())
}

/// The two with the same states in the same places.
pub(super) fn lined_up(mut a: StoredAode, mut b: StoredAode) -> Result<(StoredAode, StoredAode), Error> {
    let counting = |parts: &StoredAode| Counting {
        schema: parts.schema.clone(),
        recipe: parts.recipe.clone(),
        treatments: vec![Treatment::Categorical; parts.schema.variables().len()],
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
    model: &AodeModel,
    paths: &[impl AsRef<Path>],
    mut read: ReadOptions,
    unknown: UnknownStates,
) -> Result<(StoredAode, ReadReport, Vec<String>), Error> {
    model.recipe().apply(&mut read);
    let table = Table::open_as(paths, read, model.schema(), unknown, false)?;
    let (attributes, target) = (attributes(model.schema()), belief::VarId::new(target_of(model.schema())?));
    let fold = table.fold(|n_states: &[usize]| AodeStatistic::empty(&attributes, target, n_states)).map_err(too_many_pairs)?;
    let stored = StoredAode { schema: fold.schema, statistic: fold.statistic, ..model.parts().clone() };
    Ok((stored, fold.report, table.remarks().to_vec()))
}
