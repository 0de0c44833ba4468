//! EM that goes on: over all rows with gaps that a model keeps the parts of, from what it believes.
//!
//! Parts say of gaps what their rows would say, so that rows which join or leave and models that become one are learned from as if all rows
//! were there: EM climbs the same hill, and begins near its top.

use net::parameters::em::EmFault;
use net::parameters::{FamilyCounts, IncompleteParts, ParameterPrior, Parameters};
use std::sync::Arc;

use super::expectation::{Climbed, EmPlan, GappyRows, never_seen, told};
use super::model::{StoredNetwork, domain_of};
use crate::Error;

/// Entries that tables of inference may have.
pub(super) const MAX_ENTRIES: usize = 1 << 28;

/// Climbs from what is believed, over all parts. Gives the model, and what is to be said of it.
pub(super) fn resume(
    mut now: StoredNetwork,
    parts: IncompleteParts,
    em: &EmPlan,
    n_threads: usize,
) -> Result<(StoredNetwork, Vec<String>), Error> {
    if parts.is_empty() {
        (now.expected, now.parts) = (None, None);
        return Ok((now, Vec::new()));
    }
    let rows = GappyRows::of_parts(now.observed.clone(), &parts, MAX_ENTRIES, n_threads)?;
    let families = Arc::clone(now.observed.counts.families());
    let domain = domain_of(&now.schema, families.len())?;
    let begin = beginning_of(&now, &rows)?;
    let climbed = rows.climb(&FamilyCounts::empty(families), &now.prior, &domain, begin, em)?;
    let n_gappy = now.observed.counts.n_rows() - now.observed.gaps.n_complete();
    let mut remarks = vec![format!("EM went {} over {}", steps(climbed.fitted.objectives.len()), rows_with_gaps(n_gappy))];
    remarks.extend(remark_on_climb(&climbed, true));
    now.expected = Some(climbed.part());
    now.parts = Some(parts).filter(|parts| parts.bytes() <= em.kept_bytes);
    if now.parts.is_none() {
        remarks.extend(remark_on_kept(em.kept_bytes));
    }
    Ok((now, remarks))
}

/// The tables that EM begins with: what is believed of all that was counted and expected. `None` where nothing tells the states of a variable
/// apart yet; it then begins by lot.
pub(super) fn beginning(now: &StoredNetwork) -> Result<Option<Parameters>, Error> {
    let domain = domain_of(&now.schema, now.observed.counts.families().len())?;
    if now.expected.is_none() && !never_seen(&now.observed, &now.prior, &domain)?.is_empty() {
        return Ok(None);
    }
    Ok(Some(now.posterior()?.parameters()))
}

/// The same for rows that are possible under it.
pub(super) fn beginning_of(now: &StoredNetwork, rows: &GappyRows<'_>) -> Result<Option<Parameters>, Error> {
    let domain = domain_of(&now.schema, now.observed.counts.families().len())?;
    match beginning(now)? {
        Some(begin) if begin.theta().contains(&0.0) && rows.expected(&begin, &domain)?.is_impossible() => {
            without_zeros(&begin, &now.prior).map(Some)
        }
        begin => Ok(begin),
    }
}

/// Tables in which nothing is impossible but by those that stay: what was impossible by what was seen so far may be seen now.
fn without_zeros(tables: &Parameters, prior: &ParameterPrior) -> Result<Parameters, Error> {
    const EVEN: f64 = 0.01;
    let families = Arc::clone(tables.families());
    let mut theta = tables.theta().to_vec();
    for of in (0..families.len()).filter(|of| !prior.fixed.contains_key(of)) {
        let even = EVEN / families.n_states()[of] as f64;
        theta[families.cells(of)].iter_mut().for_each(|p| *p = (1.0 - EVEN) * *p + even);
    }
    Parameters::new(families, theta).map_err(|e| Error::Internal(e.to_string()))
}

/// That no row of a table is impossible whatever is learned, for a table that stays. Parts do not know their rows any more, a table does.
pub(super) fn check_possible(rows: &GappyRows<'_>, begin: &Parameters, now: &StoredNetwork) -> Result<(), Error> {
    if now.prior.fixed.is_empty() || begin.families() != rows.observed.counts.families() {
        return Ok(());
    }
    let domain = domain_of(&now.schema, begin.families().len())?;
    match rows.expected(&without_zeros(begin, &now.prior)?, &domain)?.first_impossible() {
        Some(row) => Err(told(&EmFault::Impossible { row })),
        None => Ok(()),
    }
}

/// What is to be said of a climb.
pub(super) fn remark_on_climb(climbed: &Climbed, is_held: bool) -> Vec<String> {
    let mut remarks = Vec::new();
    let n_steps = climbed.fitted.objectives.len();
    if climbed.was_stopped {
        remarks.push(format!("EM was broken off after {}: these are the best tables so far", steps(n_steps)));
    } else if !climbed.fitted.converged {
        remarks.push(format!("EM had not come to rest after {}; more are made with --em-steps", steps(n_steps)));
    }
    if !is_held {
        remarks.push("what is missing has no place in memory: the rows were read again for every step of EM".into());
    }
    remarks
}

/// What is to be said where parts are too large to be kept; nothing where they are not to be kept.
pub(super) fn remark_on_kept(kept_bytes: usize) -> Option<String> {
    let room = if kept_bytes >= 1 << 20 { format!("{} MiB", kept_bytes >> 20) } else { format!("{kept_bytes} bytes") };
    (kept_bytes > 0).then(|| {
        format!("the rows with gaps are not kept in the model, for their parts take more than {room}: what they are taken for stays when rows join or leave")
    })
}

/// So many steps.
pub(super) fn steps(n: usize) -> String {
    if n == 1 { "1 step".into() } else { format!("{n} steps") }
}

/// So many rows; of weights that are not whole two digits are told.
fn rows_with_gaps(n: f64) -> String {
    let n = (n * 100.0).round() / 100.0;
    if n == 1.0 { "1 row with gaps".into() } else { format!("{n} rows with gaps") }
}
