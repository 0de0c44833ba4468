//! A learned network that keeps learning: rows join it, leave it, and two models become one.

use std::path::Path;
use std::sync::Arc;

use belief::{Forget, NeverObserved, Observations, ReadReport, Recode, Schema, SufficientStatistic};
use data::{ReadOptions, Table, UnknownStates};
use net::VarId;
use net::parameters::hidden_states::alignment;
use net::parameters::{Families, ParameterPrior, Pseudocounts};

use super::columns;
use super::expectation::{EmPlan, GappyRows, never_seen};
use super::model::{ExpectedPart, NetworkModel, StoredNetwork, domain_of};
use crate::Error;
use crate::align::same_states;
use crate::change::new_states;
use crate::remarks::list;

/// A learned network after a change, with what was met.
pub struct ChangedNetwork {
    /// The model now.
    pub model: NetworkModel,
    /// What was met while reading; empty for a merge.
    pub report: ReadReport,
    /// What the user should know.
    pub remarks: Vec<String>,
}

/// Adds the rows of files to a model. Of complete rows exact: the same model as learning on all rows at once. With `fading` what the model
/// had counted is multiplied by it first, so that after k updates rows of the first count fading^k: the old is forgotten gradually.
///
/// # Errors
/// When the files have no column of the network or states that it does not know, cannot be read, `fading` is not between 0 and 1, or the
/// pseudo-counts are none.
pub fn update(
    model: &NetworkModel,
    paths: &[impl AsRef<Path>],
    read: ReadOptions,
    pseudocounts: Option<Pseudocounts>,
    fading: Option<f64>,
    em: &EmPlan,
) -> Result<ChangedNetwork, Error> {
    let n_threads = read.n_threads();
    let AsCounted { mut table, schema, families, mut remarks } = as_counted(model, paths, read, true)?;
    let mut new = GappyRows::read(&table, families, MAX_ENTRIES, em.held_bytes, n_threads)?;
    let rows = StoredNetwork { schema: schema.clone(), observed: new.observed.clone(), expected: None, ..model.parts().clone() };
    let (mut now, rows) = lined_up(model.parts().clone(), rows)?;
    let report = new.report.clone();
    remarks.extend(new_states(model.schema(), &now.schema));
    if let Some(fading) = fading {
        if !(fading > 0.0 && fading <= 1.0) {
            return Err(Error::unfit(format!("{fading} is no fading factor"), "give a number above 0 and up to 1, as in --fading 0.99"));
        }
        now.observed.scale(fading);
        if let Some(expected) = &mut now.expected {
            expected.cells.iter_mut().for_each(|n| *n *= fading);
        }
    }
    with_pseudocounts(&mut now.prior, pseudocounts);
    if rows.observed.gaps.are_none() {
        now.observed.merge(&rows.observed)?;
        return changed(now, report, remarks);
    }
    if now.schema != schema {
        // States of the model that the rows do not have are among theirs now, in another order.
        table = table.with_schema(now.schema.clone());
        new = GappyRows::read(&table, Arc::clone(rows.observed.counts.families()), MAX_ENTRIES, em.held_bytes, n_threads)?;
    }
    // What the old rows were and are expected to be stays; EM goes over the new ones (Neal & Hinton 1998).
    let mut base = now.observed.counts.clone();
    let families = Arc::clone(base.families());
    let mut cells = now.expected.take().map_or_else(|| vec![0.0; families.n_cells()], |expected| expected.cells);
    base.add(&cells)?;
    let begin = Some(model.posterior().parameters()).filter(|begin| **begin.families() == *families);
    let climbed = new.climb(&base, &now.prior, &domain_of(&now.schema, families.len())?, begin, em)?;
    cells.iter_mut().zip(&climbed.fitted.expected).for_each(|(n, more)| *n += more);
    let n_steps = climbed.fitted.objectives.len();
    now.expected = Some(ExpectedPart { cells, ln_likelihood: None, ..climbed.part() });
    now.observed.merge(&rows.observed)?;
    let steps = if n_steps == 1 { "1 step".into() } else { format!("{n_steps} steps") };
    remarks.push(format!("EM went {steps} over the new rows' gaps; what those of older rows were taken for is as it was"));
    Ok(ChangedNetwork { model: NetworkModel::from_parts(now)?, report, remarks })
}

/// Entries that tables of inference may have.
const MAX_ENTRIES: usize = 1 << 28;

/// Takes the rows of files back out of a model.
///
/// # Errors
/// When rows are among them that the model never saw; then nothing is changed.
pub fn forget(model: &NetworkModel, paths: &[impl AsRef<Path>], read: ReadOptions) -> Result<ChangedNetwork, Error> {
    let n_threads = read.n_threads();
    let AsCounted { table, schema, families, remarks } = as_counted(model, paths, read, false)?;
    let gone = GappyRows::read(&table, families, MAX_ENTRIES, EmPlan::default().held_bytes, n_threads)?;
    let report = gone.report.clone();
    let rows = StoredNetwork { schema, observed: gone.observed.clone(), expected: None, ..model.parts().clone() };
    let (mut left, rows) = lined_up(model.parts().clone(), rows)?;
    if let Some(expected) = left.expected.as_mut().filter(|_| !gone.observed.gaps.are_none()) {
        // What they were taken for when they were learned is not known any more; what they are taken for now is.
        let now = gone.expected(&model.posterior().parameters(), model.network().domain())?;
        expected.cells.iter_mut().zip(&now.cells).for_each(|(n, gone)| *n = (*n - gone).max(0.0));
    }
    left.observed.forget(&rows.observed).map_err(|e: NeverObserved| {
        Error::unfit(format!("these rows are not all in the model: {e}"), "forget only rows that the model has learned, each once")
    })?;
    changed(left, report, remarks)
}

/// Adds what two models have seen. A prior counts once.
///
/// # Errors
/// When their graphs or missing markers differ, or their priors do and `pseudocounts` does not say what to believe.
pub fn merge(a: &NetworkModel, b: &NetworkModel, pseudocounts: Option<Pseudocounts>) -> Result<ChangedNetwork, Error> {
    let differences = differences(a, b);
    if !differences.is_empty() {
        let more = if differences.len() > 8 { format!("; and {} more", differences.len() - 8) } else { String::new() };
        let what =
            format!("they are not of one graph, or were not counted alike: {}{more}", differences[..differences.len().min(8)].join("; "));
        return Err(Error::unfit(what, "learn both with the same --structure and flags"));
    }
    let (mut mine, mut theirs) = (a.prior().clone(), b.prior().clone());
    with_pseudocounts(&mut mine, pseudocounts);
    with_pseudocounts(&mut theirs, pseudocounts);
    if mine != theirs {
        return Err(Error::unfit(
            format!("they have different priors: {}; and {}", a.prior_words(), b.prior_words()),
            "say which to use with --estimate, or learn both with the same flags",
        ));
    }
    let (mut both, mut other) = lined_up(a.parts().clone(), b.parts().clone())?;
    let mut remarks = Vec::new();
    if let Some(expected) = &mut other.expected {
        // A state of a variable that neither ever saw is called the same only by chance.
        let hidden = never_seen_in_both(a, b)?;
        let (mine, theirs) = (a.posterior().parameters(), b.posterior().parameters());
        if !hidden.is_empty() && mine.families() == theirs.families() {
            let order = alignment((&theirs, &b.completed()), (&mine, &a.completed()), &hidden)?;
            order.apply(theirs.families(), &mut expected.cells)?;
            if !order.is_identity() {
                let names: Vec<&str> = hidden.iter().map(|of| a.network().name(*of)).collect();
                remarks
                    .push(format!("the states of {} in the second model were put in the order that they have in the first", list(&names)));
            }
        }
    }
    both.observed.merge(&other.observed)?;
    both.expected = match (both.expected.take(), other.expected) {
        (Some(mut mine), Some(theirs)) => {
            mine.cells.iter_mut().zip(&theirs.cells).for_each(|(n, more)| *n += more);
            mine.iterations = mine.iterations.max(theirs.iterations);
            Some(mine)
        }
        (mine, theirs) => mine.or(theirs),
    };
    both.prior = mine;
    changed(both, ReadReport::default(), remarks)
}

/// The model of changed parts. What gaps are expected to be comes from a model that is no more.
fn changed(mut parts: StoredNetwork, report: ReadReport, mut remarks: Vec<String>) -> Result<ChangedNetwork, Error> {
    if let Some(expected) = &mut parts.expected {
        (expected.converged, expected.ln_likelihood) = (false, None);
        remarks.push("what missing values were taken for is as it was: approximate until the network is learned again".into());
    }
    Ok(ChangedNetwork { model: NetworkModel::from_parts(parts)?, report, remarks })
}

fn with_pseudocounts(prior: &mut ParameterPrior, pseudocounts: Option<Pseudocounts>) {
    if let Some(pseudocounts) = pseudocounts {
        prior.pseudocounts = pseudocounts;
        prior.prior_network.clear();
        prior.of_variable.retain(|_, of| !matches!(of, Pseudocounts::PriorNetwork(_)));
    }
}

/// The variables that neither model ever saw, and whose states could change places.
fn never_seen_in_both(a: &NetworkModel, b: &NetworkModel) -> Result<Vec<VarId>, Error> {
    let mut hidden = never_seen(a.observed(), a.prior(), a.network().domain())?;
    let theirs = never_seen(b.observed(), b.prior(), b.network().domain())?;
    hidden.retain(|of| theirs.contains(of));
    Ok(hidden)
}

/// What keeps two models from being one.
fn differences(a: &NetworkModel, b: &NetworkModel) -> Vec<String> {
    let (mine, theirs) = (a.network(), b.network());
    let mut found = Vec::new();
    for (of, other, which) in [(mine, theirs, "first"), (theirs, mine, "second")] {
        let names = of.structure().names().iter().filter(|name| other.find(name).is_err());
        found.extend(names.map(|name| format!("only the {which} has a variable `{name}`")));
    }
    if !found.is_empty() {
        return found;
    }
    if mine.structure().names() != theirs.structure().names() {
        return vec!["they have their variables in another order".into()];
    }
    for of in mine.dag().variables() {
        if mine.dag().parents(of) != theirs.dag().parents(of) {
            found.push(format!("`{}` has not the same parents, or in another order", mine.name(of)));
        }
    }
    if a.recipe().made != b.recipe().made {
        found.push("their cut points or indicators differ".into());
    }
    if a.recipe().missing != b.recipe().missing {
        found.push("their missing markers differ".into());
    }
    found
}

/// The two with the same states in the same places.
fn lined_up(mut a: StoredNetwork, mut b: StoredNetwork) -> Result<(StoredNetwork, StoredNetwork), Error> {
    let (schema, of_a, of_b) = same_states(&a.schema, &b.schema)?;
    for (parts, recoding) in [(&mut a, &of_a), (&mut b, &of_b)] {
        let before = Arc::clone(parts.observed.counts.families());
        parts.observed.recode(recoding)?;
        check_given(&before, parts)?;
        if let Some(expected) = &mut parts.expected {
            let mut counts = net::parameters::FamilyCounts::empty(before);
            counts.add(&expected.cells)?;
            counts.recode(recoding)?;
            expected.cells = counts.cells().to_vec();
        }
        parts.schema = schema.clone();
    }
    Ok((a, b))
}

/// Tables that stay, and those of a prior network, are of the states there were.
fn check_given(before: &Families, parts: &StoredNetwork) -> Result<(), Error> {
    let are_given = !parts.prior.fixed.is_empty() || !parts.prior.prior_network.is_empty();
    if are_given && before.n_states() != parts.observed.counts.families().n_states() {
        return Err(Error::unfit(
            "states are new that the tables which are given do not have",
            "learn again with a --structure file that declares all states",
        ));
    }
    Ok(())
}

/// A table as a model counts it.
struct AsCounted {
    table: Table,
    schema: Schema,
    families: Arc<Families>,
    remarks: Vec<String>,
}

/// Opens files as the model counts. States that the network declared are all there are; to others new ones may join.
fn as_counted(model: &NetworkModel, paths: &[impl AsRef<Path>], mut read: ReadOptions, may_grow: bool) -> Result<AsCounted, Error> {
    model.recipe().apply(&mut read);
    let families = Arc::clone(model.observed().counts.families());
    let of_network = &model.schema().variables()[..families.len()];
    let are_declared = of_network.iter().all(|v| v.kind.states().is_some_and(|states| states.n_declared() == states.len()));
    let unknown = if are_declared || !may_grow { UnknownStates::Error } else { UnknownStates::Grow };
    let mut table = columns::open_some(paths, read, model.schema(), unknown)?;
    if let Some(weight) = model.schema().weight().filter(|weight| !table.has_column(*weight)) {
        let name = &model.schema().variable(weight).name;
        return Err(Error::unfit(format!("the data have no column `{name}`, which holds the weights"), "give every row its weight"));
    }
    let mut remarks = table.remarks().to_vec();
    remarks.extend(columns::passed_over(&table));
    let mut schema = model.schema().clone();
    if unknown == UnknownStates::Grow {
        schema = table.fold(|_: &[usize]| ())?.schema;
        check_grown(model.schema(), &schema)?;
        table = table.with_schema(schema.clone());
    }
    let n_states = schema.cardinalities()[..families.len()].to_vec();
    let families = families.with_states(n_states).map_err(|e| Error::unfit(e.to_string(), "there are too many new states"))?;
    Ok(AsCounted { table, schema, families: Arc::new(families), remarks })
}

/// That no state joined those that were declared.
fn check_grown(before: &Schema, after: &Schema) -> Result<(), Error> {
    for (variable, now) in before.variables().iter().zip(after.variables()) {
        let (Some(known), Some(states)) = (variable.kind.states(), now.kind.states()) else { continue };
        if known.n_declared() > 0 && known.n_declared() == known.len() && states.len() > known.len() {
            let new: Vec<&String> = states.names().iter().filter(|name| !known.names().contains(name)).collect();
            let what = format!("`{}` has values that are no states of the network: {}", now.name, list(&new));
            return Err(Error::unfit(what, "mend them, or learn again with a network that declares them"));
        }
    }
    Ok(())
}
