//! A learned network that keeps learning: rows join it, leave it, and two models become one.

use std::path::Path;
use std::sync::Arc;

use belief::{Forget, NeverObserved, Observations, ReadReport, Recode, Schema, SufficientStatistic};
use data::{ReadOptions, Table, UnknownStates};
use net::VarId;
use net::parameters::hidden_states::alignment;
use net::parameters::{Families, IncompleteParts, ParameterPrior, Pseudocounts};

use super::columns;
use super::expectation::{EmPlan, GappyRows, never_seen};
use super::model::{ExpectedPart, NetworkModel, StoredNetwork, completed, domain_of};
use super::resumed_em::{MAX_ENTRIES, beginning, beginning_of, check_possible, remark_on_climb, resume, steps};
use crate::Error;
use crate::align::same_states;
use crate::change::new_states;
use crate::remarks::list;
use crate::unmet::{is_any, unmet, without};

/// A learned network after a change, with what was met.
pub struct ChangedNetwork {
    /// The model now.
    pub model: NetworkModel,
    /// What was met while reading; empty for a merge.
    pub report: ReadReport,
    /// What the user should know.
    pub remarks: Vec<String>,
}

/// Adds the rows of files to a model. Of complete rows exact: the same model as learning on all rows at once. Of rows with gaps, EM goes on over
/// all of them, old and new, from what the model believes: the same as learning on all rows from there. A model that does not keep the parts of
/// its rows with gaps ([`NetworkModel::kept_parts`]) stays with what they were taken for, which is said. With `fading` what the model
/// had counted is multiplied by it first, so that after k updates rows of the first count fading^k: the old is forgotten gradually.
///
/// # Errors
/// When the files have no column of the network or states that it does not know, cannot be read, `fading` is not between 0 and 1, or the
/// pseudo-counts are none.
///
/// ```
/// use tunbridge::data::ReadOptions;
/// use tunbridge::network::{EmPlan, NetworkFile, NetworkOptions, learn, update};
/// # let folder = tempfile::tempdir()?;
/// # let (path, more) = (folder.path().join("patients.csv"), folder.path().join("more.csv"));
/// # std::fs::write(&path, "Flu,Fever\nyes,high\n,none\nno,none\n,high\n")?;
/// # std::fs::write(&more, "Flu,Fever\nyes,\nno,none\n")?;
/// let graph = NetworkFile::open("Flu->Fever".as_ref())?;
/// let model = learn(&[&path], &graph, &NetworkOptions::default())?.model;
/// let changed = update(&model, &[&more], ReadOptions::default(), None, None, &EmPlan::default())?;
/// assert!(changed.remarks.iter().any(|remark| remark.ends_with("over 3 rows with gaps")));
/// assert!(changed.model.expected().is_some_and(|expected| expected.ln_likelihood.is_some()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn update(
    model: &NetworkModel,
    paths: &[impl AsRef<Path>],
    read: ReadOptions,
    pseudocounts: Option<Pseudocounts>,
    fading: Option<f64>,
    em: &EmPlan,
) -> Result<ChangedNetwork, Error> {
    let n_threads = read.n_threads();
    let AsCounted { table, schema, families, mut remarks } = as_counted(model, paths, read, true)?;
    let new = GappyRows::read(&table, families, MAX_ENTRIES, em.held_bytes, n_threads)?;
    let rows = StoredNetwork { schema: schema.clone(), ..stored(model, &new) };
    let (mut now, rows) = lined_up(model.parts().clone(), rows)?;
    let report = new.report.clone();
    remarks.extend(new_states(model.schema(), &now.schema));
    if let Some(fading) = fading {
        if !(fading > 0.0 && fading <= 1.0) {
            return Err(Error::unfit(format!("{fading} is no fading factor"), "give a number above 0 and up to 1, as in --fading 0.99"));
        }
        now.scale(fading);
    }
    with_pseudocounts(&mut now.prior, pseudocounts);
    // What the model never saw and the rows have is called as they call it.
    let (_, names) = put_in_order(&mut now, &rows, &unseen_by(&rows)?)?;
    remarks.extend(names.map(|names| format!("the states of {names}, which the model had never seen, were put in the order of the rows")));
    if let (Some(mut parts), Some(more)) = (now.all_parts(), rows.all_parts()) {
        if let Some(begin) = beginning(&now)? {
            check_possible(&new, &begin, &now)?;
        }
        now.observed.merge(&rows.observed)?;
        parts.merge(&more);
        return resumed(now, parts, em, n_threads, report, remarks);
    }
    now.parts = None;
    if rows.observed.gaps.are_none() {
        now.observed.merge(&rows.observed)?;
        return as_it_was(now, report, remarks);
    }
    let again;
    let new = if now.schema == schema {
        new
    } else {
        // States of the model that the rows do not have are among theirs now, in another order.
        again = table.with_schema(now.schema.clone());
        GappyRows::read(&again, Arc::clone(rows.observed.counts.families()), MAX_ENTRIES, em.held_bytes, n_threads)?
    };
    let (now, more) = beside_old(now, &rows, &new, em)?;
    remarks.extend(more);
    Ok(ChangedNetwork { model: NetworkModel::from_parts(now)?, report, remarks })
}

/// EM over rows of a table, beside what the old ones were and are taken for, which stays (Neal & Hinton 1998).
fn beside_old(
    mut now: StoredNetwork,
    rows: &StoredNetwork,
    new: &GappyRows<'_>,
    em: &EmPlan,
) -> Result<(StoredNetwork, Vec<String>), Error> {
    let families = Arc::clone(rows.observed.counts.families());
    let begin = beginning_of(&now, new)?;
    let had_gaps = !now.observed.gaps.are_none();
    let mut base = now.observed.counts.clone();
    let mut cells = now.expected.take().map_or_else(|| vec![0.0; families.n_cells()], |expected| expected.cells);
    base.add(&cells)?;
    let climbed = new.climb(&base, &now.prior, &domain_of(&now.schema, families.len())?, begin, em)?;
    cells.iter_mut().zip(&climbed.fitted.expected).for_each(|(n, more)| *n += more);
    let of_all = climbed.part();
    let ln_likelihood = of_all.ln_likelihood.filter(|_| !had_gaps);
    now.expected = Some(ExpectedPart { cells, ln_likelihood, ..of_all });
    now.observed.merge(&rows.observed)?;
    let mut remarks = vec![format!("EM went {} over the new rows' gaps", steps(climbed.fitted.objectives.len()))];
    if had_gaps {
        remarks[0] += "; what those of older rows were taken for is as it was, for their parts are not kept";
    }
    remarks.extend(remark_on_climb(&climbed, new.is_held()));
    Ok((now, remarks))
}

/// Takes the rows of files back out of a model. What was counted, and the parts of rows with gaps, are taken out exactly; EM goes on over the parts
/// that are left, from what the model believes. A model that does not keep them loses what the rows are taken for now, which is said.
///
/// # Errors
/// When rows are among them that the model never saw; then nothing is changed.
pub fn forget(model: &NetworkModel, paths: &[impl AsRef<Path>], read: ReadOptions, em: &EmPlan) -> Result<ChangedNetwork, Error> {
    let n_threads = read.n_threads();
    let AsCounted { table, schema, families, remarks } = as_counted(model, paths, read, false)?;
    let gone = GappyRows::read(&table, families, MAX_ENTRIES, em.held_bytes, n_threads)?;
    let report = gone.report.clone();
    let rows = StoredNetwork { schema, ..stored(model, &gone) };
    let (mut left, rows) = lined_up(model.parts().clone(), rows)?;
    let never = |e: NeverObserved| {
        Error::unfit(format!("these rows are not all in the model: {e}"), "forget only rows that the model has learned, each once")
    };
    let parts = match (left.all_parts(), rows.all_parts()) {
        (Some(mut parts), Some(gone)) => {
            parts.forget(&gone).map_err(never)?;
            Some(parts)
        }
        _ => None,
    };
    left.observed.forget(&rows.observed).map_err(never)?;
    if let Some(expected) = left.expected.as_mut().filter(|_| !gone.observed.gaps.are_none()) {
        // What they were taken for when they were learned is not known any more; what they are taken for now is.
        let now = gone.expected(&model.posterior().parameters(), model.network().domain())?;
        expected.cells.iter_mut().zip(&now.cells).for_each(|(n, gone)| *n = (*n - gone).max(0.0));
    }
    match parts {
        Some(mut parts) => {
            drop_unmet(&mut left, &mut parts)?;
            resumed(left, parts, em, n_threads, report, remarks)
        }
        None => as_it_was(left, report, remarks),
    }
}

/// Drops states that nobody declared and no row has any more: see [`crate::unmet`]. What missing values are taken for is known anew once EM has
/// gone over the parts.
fn drop_unmet(left: &mut StoredNetwork, parts: &mut IncompleteParts) -> Result<(), Error> {
    if !left.prior.fixed.is_empty() || !left.prior.prior_network.is_empty() {
        return Ok(());
    }
    let counts = &left.observed.counts;
    let n_met = |place: usize| {
        let n_states = *counts.families().n_states().get(place)?;
        let mut n_met = parts.times_seen(place, n_states);
        counts.of(place).iter().enumerate().for_each(|(cell, n)| n_met[cell % n_states] += n);
        // A variable has a state, whatever the rows say.
        Some(n_met).filter(|n_met| is_any(n_met))
    };
    if let Some(recoding) = unmet(&left.schema, n_met) {
        left.observed.recode(&recoding)?;
        parts.recode(&recoding)?;
        (left.expected, left.parts) = (None, None);
        left.schema = without(&left.schema, &recoding)?;
    }
    Ok(())
}

/// Adds what two models have seen. A prior counts once. Where values are missing, states of variables that one of the models never saw are put in
/// the order that they have in the other, and EM goes on over the rows with gaps of both, on so many threads. Where one does not keep their parts,
/// what they were taken for is added, which is said.
///
/// # Errors
/// When their graphs or missing markers differ, or their priors do and `pseudocounts` does not say what to believe.
pub fn merge(
    a: &NetworkModel,
    b: &NetworkModel,
    pseudocounts: Option<Pseudocounts>,
    em: &EmPlan,
    n_threads: usize,
) -> Result<ChangedNetwork, Error> {
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
    (both.prior, other.prior) = (mine, theirs);
    let mut remarks = Vec::new();
    // A state of a variable that a model never saw is called as in another only by chance.
    let (settled, names) = put_in_order(&mut other, &both, &[])?;
    remarks
        .extend(names.map(|names| format!("the states of {names} in the second model were put in the order that they have in the first")));
    let (_, names) = put_in_order(&mut both, &other, &settled)?;
    remarks
        .extend(names.map(|names| format!("the states of {names} in the first model were put in the order that they have in the second")));
    let parts = match (both.all_parts(), other.all_parts()) {
        (Some(mut parts), Some(more)) => {
            parts.merge(&more);
            Some(parts)
        }
        _ => None,
    };
    both.observed.merge(&other.observed)?;
    both.expected = match (both.expected.take(), other.expected) {
        (Some(mut mine), Some(theirs)) => {
            mine.cells.iter_mut().zip(&theirs.cells).for_each(|(n, more)| *n += more);
            mine.iterations = mine.iterations.max(theirs.iterations);
            Some(mine)
        }
        (mine, theirs) => mine.or(theirs),
    };
    match parts {
        Some(parts) => resumed(both, parts, em, n_threads, ReadReport::default(), remarks),
        None => as_it_was(both, ReadReport::default(), remarks),
    }
}

/// Puts the states of variables that a model never saw in the order that they have in another, but for those that are settled. Gives the
/// variables, and the names of those whose states have moved.
fn put_in_order(moved: &mut StoredNetwork, fixed: &StoredNetwork, settled: &[VarId]) -> Result<(Vec<VarId>, Option<String>), Error> {
    let families = Arc::clone(moved.observed.counts.families());
    let mut hidden = unseen_by(moved)?;
    hidden.retain(|of| !settled.contains(of));
    let tables = [moved.posterior()?.parameters(), fixed.posterior()?.parameters()];
    let counts = [completed(&moved.observed.counts, moved.expected.as_ref()), completed(&fixed.observed.counts, fixed.expected.as_ref())];
    let Some(expected) = moved.expected.as_mut().filter(|_| !hidden.is_empty()) else { return Ok((hidden, None)) };
    let order = alignment((&tables[0], &counts[0]), (&tables[1], &counts[1]), &hidden)?;
    order.apply(&families, &mut expected.cells)?;
    let names: Vec<&str> = hidden.iter().map(|of| moved.schema.variable(*of).name.as_str()).collect();
    let names = (!order.is_identity()).then(|| list(&names));
    Ok((hidden, names))
}

/// The variables that no row of a model has, and whose states could change places.
fn unseen_by(model: &StoredNetwork) -> Result<Vec<VarId>, Error> {
    never_seen(&model.observed, &model.prior, &domain_of(&model.schema, model.observed.counts.families().len())?)
}

/// The model after EM went on over all parts.
fn resumed(
    now: StoredNetwork,
    parts: IncompleteParts,
    em: &EmPlan,
    n_threads: usize,
    report: ReadReport,
    mut remarks: Vec<String>,
) -> Result<ChangedNetwork, Error> {
    let (now, more) = resume(now, parts, em, n_threads)?;
    remarks.extend(more);
    Ok(ChangedNetwork { model: NetworkModel::from_parts(now)?, report, remarks })
}

/// The model of changed counts whose rows with gaps are not kept. What gaps are expected to be comes from a model that is no more.
fn as_it_was(mut now: StoredNetwork, report: ReadReport, mut remarks: Vec<String>) -> Result<ChangedNetwork, Error> {
    now.parts = None;
    if let Some(expected) = &mut now.expected {
        (expected.converged, expected.ln_likelihood) = (false, None);
        remarks.push(
            "the parts of rows with gaps are not kept: what missing values were taken for is as it was, approximate until the network is learned again"
                .into(),
        );
    }
    Ok(ChangedNetwork { model: NetworkModel::from_parts(now)?, report, remarks })
}

/// Rows as a model of their own.
fn stored(model: &NetworkModel, rows: &GappyRows<'_>) -> StoredNetwork {
    let parts = rows.parts(usize::MAX);
    StoredNetwork { observed: rows.observed.clone(), expected: None, parts, ..model.parts().clone() }
}

fn with_pseudocounts(prior: &mut ParameterPrior, pseudocounts: Option<Pseudocounts>) {
    if let Some(pseudocounts) = pseudocounts {
        prior.pseudocounts = pseudocounts;
        prior.prior_network.clear();
        prior.of_variable.retain(|_, of| !matches!(of, Pseudocounts::PriorNetwork(_)));
    }
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
        if let Some(kept) = &mut parts.parts {
            kept.recode(recoding)?;
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
