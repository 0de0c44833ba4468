//! A pass over a table: units are encoded and observed by any thread, and what they say is merged in order.

use belief::{Chunk, Fold, MaskedRows, Observations, ReadReport, Recode, Recoding, Schema, StateMap, States, SufficientStatistic};

use super::Table;
use crate::copies::Copies;
use crate::encode::{EncodedChunk, NewStates, Plan, PlanKind};
use crate::found::{FoundStates, grown};
use crate::options::Progress;
use crate::pipeline::in_order;
use crate::source::{Source, Unit, Units};
use crate::text::blocks::Pool;
use crate::{DataError, OnBadRow};

impl Table {
    /// Reads everything: any thread gathers what `each` makes of a unit's chunks and finishes it; the results are handed on in
    /// order.
    pub(crate) fn each_unit<C, R: Send>(
        &self,
        plan: &Plan,
        each: impl Fn(EncodedChunk, &Unit, usize) -> Result<C, DataError> + Sync,
        finish: impl Fn(Vec<C>) -> Result<R, DataError> + Sync,
        mut take: impl FnMut(R) -> Result<(), DataError>,
    ) -> Result<(), DataError> {
        let rows = self.chunk_rows;
        let pool = Pool::default();
        let mut done = Progress { done: 0, total: self.sources.iter().map(Source::bytes).sum(), rows: 0 };
        let threads = self.options.n_threads();
        // Whoever writes may wait for the disk; blocks of text are small enough that the others need not wait with it.
        let ahead = if plan.keep_raw && self.sources.iter().all(Source::is_text) { 4 * threads } else { threads };
        in_order(
            (threads, ahead),
            self.units(plan, &pool),
            |(source, unit)| {
                let mut chunks = Vec::new();
                let mut n_rows = 0;
                self.sources[source].encode(&unit, &self.files[source], plan, rows, &pool, &mut |chunk| {
                    n_rows += chunk.n_rows as u64;
                    chunks.push(each(chunk, &unit, source)?);
                    Ok(())
                })?;
                let bytes = unit.bytes();
                if let Unit::Text(block) | Unit::Pieces { block, .. } = unit {
                    pool.give(block.bytes);
                }
                Ok((finish(chunks)?, n_rows, bytes))
            },
            |(result, n_rows, bytes)| {
                done.done += bytes;
                done.rows += n_rows;
                if let Some(progress) = &self.options.progress {
                    progress(done);
                }
                take(result)
            },
        )
    }

    /// The units of all files, each with the number of its file.
    fn units<'t>(&'t self, plan: &Plan, pool: &Pool) -> impl FnMut() -> Result<Option<(usize, Unit)>, DataError> + Send + use<'t> {
        let pool = pool.clone();
        // Twice as many parts as threads: the last part of one thread is then not waited for long.
        let n_parts = (!plan.keep_raw).then(|| 2 * self.options.n_threads());
        let mut next_source = 0;
        let mut current: Option<(usize, Units<'_>)> = None;
        let mut next_row = 0;
        move || {
            loop {
                if let Some((source, units)) = &mut current {
                    if let Some(unit) = units.next()? {
                        return Ok(Some((*source, unit)));
                    }
                    next_row = units.next_row();
                    current = None;
                }
                let Some(source) = self.sources.get(next_source) else { return Ok(None) };
                current = Some((next_source, source.units(self.chunk_rows, next_row, pool.clone(), n_parts)?));
                next_source += 1;
            }
        }
    }
}

impl Observations for Table {
    type Error = DataError;

    fn schema(&self) -> &Schema {
        &self.schema
    }

    fn fold<S, B>(&self, blank: B) -> Result<Fold<S>, DataError>
    where
        S: for<'a> SufficientStatistic<Columns<'a> = Chunk<'a>> + Recode,
        B: Fn(&[usize]) -> S + Sync,
    {
        match &self.options.part {
            None => AllRows(self).fold(blank),
            Some(part) => MaskedRows { rows: &AllRows(self), plan: part.plan, keep: |fold| part.keeps(fold) }.fold(blank),
        }
    }
}

/// A table of which all rows count.
struct AllRows<'t>(&'t Table);

impl Observations for AllRows<'_> {
    type Error = DataError;

    fn schema(&self) -> &Schema {
        &self.0.schema
    }

    fn fold<S, B>(&self, blank: B) -> Result<Fold<S>, DataError>
    where
        S: for<'a> SufficientStatistic<Columns<'a> = Chunk<'a>> + Recode,
        B: Fn(&[usize]) -> S + Sync,
    {
        let table = self.0;
        let (fold, is_met) = self.pass(&table.plan, &blank)?;
        // The first rows were looked at before any was skipped or weighed. What only rows have that are skipped, or weigh nothing, is known from
        // them, and must not be.
        let declared: Vec<usize> = table.schema.variables().iter().map(|v| v.kind.states().map_or(0, States::len)).collect();
        let without = is_met.and_then(|is_met| table.plan.without_unmet(&is_met, |place| declared[place], &table.missing));
        without.map_or(Ok(fold), |plan| Ok(self.pass(&plan, &blank)?.0))
    }
}

impl AllRows<'_> {
    /// One pass; and which of the states that the plan knows the rows have that count, if there may be others.
    #[expect(clippy::type_complexity, reason = "one caller, above")]
    fn pass<S, B>(&self, plan: &Plan, blank: &B) -> Result<(Fold<S>, Option<Vec<Vec<bool>>>), DataError>
    where
        S: for<'a> SufficientStatistic<Columns<'a> = Chunk<'a>> + Recode,
        B: Fn(&[usize]) -> S + Sync,
    {
        let table = self.0;
        let may_pass_over = plan.on_bad_row == OnBadRow::Skip || plan.weight.is_some();
        let mut is_met: Vec<Vec<bool>> = Vec::new();
        let mut found = FoundStates::new(plan, table.options.max_vocabulary);
        let mut n_states = found.sizes();
        let mut total = blank(&n_states);
        let mut report = ReadReport::default();
        let mut copies = Copies::default();
        type Met = (Vec<usize>, Vec<NewStates>, ReadReport, Vec<u64>, Vec<Vec<bool>>);
        let mut merge = |(mut statistic, (n_known, new_states, chunk_report, hashes, met)): (S, Met)| {
            report.merge(&chunk_report);
            also_met(&mut is_met, met);
            hashes.into_iter().for_each(|hash| copies.add(hash));
            let recoding = found.join(&n_known, &new_states);
            let now = found.sizes();
            if now != n_states {
                total.recode(&grown(&n_states, &now))?;
            }
            if !recoding.is_identity() {
                statistic.recode(&recoding)?;
            }
            total.merge(&statistic)?;
            found.keep_to_bound(&mut total)?;
            n_states = found.sizes();
            Ok::<(), DataError>(())
        };
        table.each_unit(
            plan,
            |chunk, _, _| {
                let n_states: Vec<usize> = chunk.n_known.iter().zip(&chunk.new_states).map(|(known, new)| known + new.len()).collect();
                let mut statistic = blank(&n_states);
                chunk.lend(|rows| statistic.observe(rows))?;
                let met = if may_pass_over { chunk.known_states_met() } else { Vec::new() };
                Ok((statistic, (chunk.n_known, chunk.new_states, chunk.report, chunk.hashes, met)))
            },
            Ok,
            |chunks| chunks.into_iter().try_for_each(&mut merge),
        )?;
        (report.n_copies, report.copies_are_estimated) = (copies.n_copies(), !copies.is_exact());
        report.pruned = found.settle(&mut total)?;
        let mut recoding = Recoding { columns: vec![None; plan.variables.len()] };
        let schema = table.schema.with_states(|id, known| {
            if matches!(plan.variables[id.index()].kind, PlanKind::Skip | PlanKind::Numeric { .. } | PlanKind::Absence { .. }) {
                return known.clone();
            }
            let seen = found.names_from(id.index(), known.len());
            // The dictionary holds no name twice, so neither does the list.
            let (states, to) = known.canonical_with_seen(seen).unwrap_or_else(|_| known.canonical());
            recoding.columns[id.index()] = Some(StateMap { n_states: states.len(), to });
            states
        });
        if !recoding.is_identity() {
            total.recode(&recoding)?;
        }
        let is_met = (report.n_skipped > 0 || plan.weight.is_some()).then_some(is_met);
        Ok((Fold { schema, statistic: total, report }, is_met))
    }
}

/// Adds what a chunk has met.
fn also_met(all: &mut Vec<Vec<bool>>, met: Vec<Vec<bool>>) {
    if all.is_empty() {
        *all = met;
        return;
    }
    for (all, met) in all.iter_mut().zip(met) {
        all.iter_mut().zip(met).for_each(|(all, met)| *all |= met);
    }
}
