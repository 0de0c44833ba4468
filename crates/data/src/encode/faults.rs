//! Rows that are malformed: the first is an error, or they are taken out again.

use std::collections::HashSet;

use belief::Texts;

use super::{ChunkBuilder, EncodedColumn, PlanKind};
use crate::error::{Place, RowFault};
use crate::{Contradiction, DataError, OnBadRow};

/// What is wrong with rows of a tile or a batch.
#[derive(Default)]
pub(crate) struct Faults(Vec<(usize, Option<usize>, RowFault)>);

impl Faults {
    /// `row` counts from the tile's start.
    pub fn push(&mut self, row: usize, variable: Option<usize>, fault: RowFault) {
        self.0.push((row, variable, fault));
    }
}

impl ChunkBuilder<'_> {
    /// Accepts the rows pushed last, or refuses them: the first bad row is an error, or bad rows are taken out again.
    pub fn settle(&mut self, mut faults: Faults, line_of: impl Fn(usize) -> u64) -> Result<(), DataError> {
        self.check_weights(&mut faults);
        self.dropped.clear();
        if !faults.0.is_empty() {
            self.settle_faults(faults, line_of)?;
        }
        for (variable, row) in self.unknown.drain(..) {
            self.report.n_unknown[variable] += u64::from(self.dropped.binary_search(&row).is_err());
        }
        self.n_rows += self.n_pending - self.dropped.len();
        Ok(())
    }

    fn settle_faults(&mut self, mut faults: Faults, line_of: impl Fn(usize) -> u64) -> Result<(), DataError> {
        let (plan, file) = (self.plan, self.file);
        let place = |row: usize, variable: Option<usize>| Place {
            path: file.path.clone(),
            line: line_of(row),
            column: variable.map(|v| plan.variables[v].name.clone()),
        };
        // A class that is not known is one.
        let has_class = |row: usize, variable: Option<usize>| {
            plan.forgiving_target.is_none_or(|target| variable == Some(target) || self.has_class(row, target))
        };
        faults.0.retain(|(row, variable, fault)| {
            !matches!(fault, RowFault::UnknownState { .. }) || self.has_weight(*row) && has_class(*row, *variable)
        });
        faults.0.sort_by_key(|(row, variable, _)| (*row, *variable));
        let is_contradicted = |v: usize, fault: &RowFault| match &plan.variables[v].kind {
            PlanKind::Numeric { inferred, .. } => *inferred && matches!(fault, RowFault::NotANumber(_)),
            _ => matches!(fault, RowFault::OneOfManyNumbers(_)),
        };
        let mut contradicted: HashSet<usize> = self.contradictions.iter().map(|c| c.variable).collect();
        faults.0.retain(|(row, variable, fault)| match (variable, fault) {
            (Some(variable), RowFault::NotANumber(found) | RowFault::OneOfManyNumbers(found)) if is_contradicted(*variable, fault) => {
                if contradicted.insert(*variable) {
                    let (place, is_number) = (place(*row, Some(*variable)), matches!(fault, RowFault::OneOfManyNumbers(_)));
                    self.contradictions.push(Contradiction { place, found: found.clone(), is_number, variable: *variable });
                }
                false
            }
            _ => true,
        });
        let Some((row, variable, fault)) = faults.0.first() else { return Ok(()) };
        let first = DataError::BadRow { place: place(*row, *variable), fault: fault.clone() };
        if self.plan.on_bad_row == OnBadRow::Error {
            // The row may be good once the columns are read as what they are.
            let all = std::mem::take(&mut self.contradictions);
            return Err(if all.is_empty() { first } else { DataError::Contradiction(all) });
        }
        self.report.first_skipped.get_or_insert_with(|| first.to_string());
        self.drop_rows(&faults);
        Ok(())
    }

    /// Whether a row that was pushed last has a class, or labels.
    fn has_class(&self, row: usize, target: usize) -> bool {
        let at = self.n_rows + row;
        match &self.columns[target] {
            EncodedColumn::Texts { ends, codes } => {
                let start = at.checked_sub(1).map_or(0, |before| ends[before]);
                !codes[start as usize..ends[at] as usize].contains(&Texts::MISSING)
            }
            classes => !classes.is_missing(at),
        }
    }

    fn has_weight(&self, row: usize) -> bool {
        self.weights().is_none_or(|weights| weights[self.n_rows + row] != 0.0)
    }

    pub(super) fn weights(&self) -> Option<&[f64]> {
        match self.plan.weight.map(|w| &self.columns[w]) {
            Some(EncodedColumn::Numeric(weights)) => Some(weights),
            Some(EncodedColumn::Borrowed(weights)) => Some(weights),
            _ => None,
        }
    }

    fn check_weights(&self, faults: &mut Faults) {
        let Some(weights) = self.weights() else { return };
        for row in 0..self.n_pending {
            let weight = weights[self.n_rows + row];
            // A row that is faulty already keeps its first fault: those of one cell stay in order.
            if !(0.0..=belief::MAX_WEIGHT).contains(&weight) {
                let found = if weight.is_nan() { "missing".to_string() } else { weight.to_string() };
                faults.push(row, self.plan.weight, RowFault::BadWeight(found));
            }
        }
    }

    fn drop_rows(&mut self, faults: &Faults) {
        self.dropped = faults.0.iter().map(|(row, _, _)| *row).collect();
        self.dropped.dedup();
        self.report.n_skipped += self.dropped.len() as u64;
        fn keep<T: Copy>(values: &mut Vec<T>, from: usize, n_pending: usize, dropped: &[usize]) {
            debug_assert_eq!(values.len(), from + n_pending, "every column has every row");
            let mut dropped = dropped.iter().peekable();
            let mut to = from;
            for row in 0..n_pending {
                if dropped.next_if(|d| **d == row).is_none() {
                    values[to] = values[from + row];
                    to += 1;
                }
            }
            values.truncate(to);
        }
        for texts in self.texts.iter_mut().filter(|texts| !texts.is_empty()) {
            let mut row = 0;
            let mut is_kept = |_: &Option<Vec<u8>>| {
                row += 1;
                self.n_rows >= row || self.dropped.binary_search(&(row - 1 - self.n_rows)).is_err()
            };
            texts.retain(|text| is_kept(text));
        }
        for column in &mut self.columns {
            if let EncodedColumn::Borrowed(numbers) = column {
                *column = EncodedColumn::Numeric(numbers.to_vec());
            }
            match column {
                EncodedColumn::U8(codes) => keep(codes, self.n_rows, self.n_pending, &self.dropped),
                EncodedColumn::U16(codes) => keep(codes, self.n_rows, self.n_pending, &self.dropped),
                EncodedColumn::U32(codes) => keep(codes, self.n_rows, self.n_pending, &self.dropped),
                EncodedColumn::Numeric(numbers) => keep(numbers, self.n_rows, self.n_pending, &self.dropped),
                EncodedColumn::Texts { ends, codes } => keep_texts(ends, codes, self.n_rows, &self.dropped),
                EncodedColumn::Absent | EncodedColumn::Borrowed(_) => {}
            }
        }
    }
}

/// Takes texts out again, of those from `from` on.
fn keep_texts(ends: &mut Vec<u32>, codes: &mut Vec<u32>, from: usize, dropped: &[usize]) {
    let old = ends.split_off(from);
    let mut start = ends.last().map_or(0, |end| *end as usize);
    let mut to = start;
    for (row, end) in old.into_iter().enumerate() {
        let end = end as usize;
        if dropped.binary_search(&row).is_err() {
            codes.copy_within(start..end, to);
            to += end - start;
            ends.push(to as u32);
        }
        start = end;
    }
    codes.truncate(to);
}

/// A cell for a message.
pub(crate) fn shorten(text: &str) -> String {
    let mut short: String = text.chars().take(40).map(|c| if c.is_control() { ' ' } else { c }).collect();
    if text.chars().count() > 40 {
        short.push('…');
    }
    short
}
