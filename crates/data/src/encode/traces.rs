//! What rows that were taken out again, or weigh nothing, would leave behind: states and words that no other row has. Nothing of it stays.

use super::{ChunkBuilder, EncodedChunk, EncodedColumn, Local, Plan, PlanKind};
use crate::dictionary::Dictionary;
use crate::words::Vocabulary;

impl ChunkBuilder<'_> {
    /// Takes out the names that are new in this chunk and that none of its rows has that count, if not all do. In the others they are missing.
    pub(super) fn drop_traces(&mut self, counts: Option<&[bool]>) {
        for (plan, (column, local)) in self.plan.variables.iter().zip(self.columns.iter_mut().zip(&mut self.local)) {
            let (n_known, n_new) = (plan.kind.n_known(), local.names.len().max(local.words.len()));
            let mut is_met = vec![false; n_new];
            column.each_code(counts, |code| note(&mut is_met, code.wrapping_sub(n_known)));
            if is_met.iter().all(|met| *met) {
                continue;
            }
            let place = |next: &mut usize, met: &bool| {
                let now = *next;
                *next += usize::from(*met);
                // Missing is the greatest code of any width.
                Some(if *met { now } else { usize::MAX - n_known })
            };
            let to: Vec<usize> = is_met.iter().scan(0, place).collect();
            column.recode(|code| to.get(code.wrapping_sub(n_known)).map_or(code, |new| n_known + new));
            local.keep(&is_met);
        }
    }
}

impl Local {
    fn keep(&mut self, is_met: &[bool]) {
        let mut met = is_met.iter();
        self.names.retain(|_| met.next().is_some_and(|met| *met));
        let mut words = Vocabulary::default();
        self.words.to_look_up().zip(is_met).filter(|(_, met)| **met).for_each(|(word, _)| {
            words.intern(word);
        });
        self.words = words;
    }
}

impl EncodedChunk {
    /// Which of the states that were known before the pass the rows have that count, for each variable.
    pub fn known_states_met(&self) -> Vec<Vec<bool>> {
        let counts = self.weights.as_deref().and_then(that_count);
        let met = |(column, n_known): (&EncodedColumn, &usize)| {
            let mut is_met = vec![false; *n_known];
            column.each_code(counts.as_deref(), |code| note(&mut is_met, code));
            is_met
        };
        self.columns.iter().zip(&self.n_known).map(met).collect()
    }
}

impl Plan {
    /// The plan without the states that were not met; the first so many of each variable are declared, and stay.
    pub fn without_unmet(&self, is_met: &[Vec<bool>], n_declared: impl Fn(usize) -> usize, missing: &[String]) -> Option<Self> {
        let mut plan = self.clone();
        let mut is_other = false;
        for (place, (variable, is_met)) in plan.variables.iter_mut().zip(is_met).enumerate() {
            let PlanKind::Category { known, .. } = &mut variable.kind else { continue };
            let stays = |(code, _): &(usize, &String)| *code < n_declared(place) || is_met.get(*code).copied().unwrap_or(true);
            let names: Vec<&String> = known.names().iter().enumerate().filter(stays).map(|(_, name)| name).collect();
            if names.len() < known.len() {
                let mut left = Dictionary::new(missing);
                names.into_iter().for_each(|name| {
                    left.intern_name(name);
                });
                left.settle();
                *known = left;
                is_other = true;
            }
        }
        is_other.then_some(plan)
    }
}

impl EncodedColumn {
    /// The codes of states or words in the rows that count, if not all do; what is missing is beyond all of them.
    fn each_code(&self, counts: Option<&[bool]>, mut see: impl FnMut(usize)) {
        let does = |row: usize| counts.is_none_or(|counts| counts[row]);
        match self {
            EncodedColumn::U8(codes) => {
                codes.iter().enumerate().filter(|(row, c)| **c != u8::MAX && does(*row)).for_each(|(_, c)| see(usize::from(*c)))
            }
            EncodedColumn::U16(codes) => {
                codes.iter().enumerate().filter(|(row, c)| **c != u16::MAX && does(*row)).for_each(|(_, c)| see(usize::from(*c)))
            }
            EncodedColumn::U32(codes) => codes.iter().enumerate().filter(|(row, _)| does(*row)).for_each(|(_, c)| see(*c as usize)),
            EncodedColumn::Texts { ends, codes } => {
                let mut start = 0;
                for (row, &end) in ends.iter().enumerate() {
                    if does(row) {
                        codes[start..end as usize].iter().for_each(|c| see(*c as usize));
                    }
                    start = end as usize;
                }
            }
            EncodedColumn::Absent | EncodedColumn::Numeric(_) | EncodedColumn::Borrowed(_) => {}
        }
    }

    /// Gives every code another that is no greater, or that of what is missing.
    fn recode(&mut self, to: impl Fn(usize) -> usize) {
        match self {
            EncodedColumn::U8(codes) => codes.iter_mut().filter(|c| **c != u8::MAX).for_each(|c| *c = to(usize::from(*c)) as u8),
            EncodedColumn::U16(codes) => codes.iter_mut().filter(|c| **c != u16::MAX).for_each(|c| *c = to(usize::from(*c)) as u16),
            EncodedColumn::U32(codes) | EncodedColumn::Texts { codes, .. } => codes.iter_mut().for_each(|c| *c = to(*c as usize) as u32),
            EncodedColumn::Absent | EncodedColumn::Numeric(_) | EncodedColumn::Borrowed(_) => {}
        }
    }
}

/// Which rows weigh something, if some weigh nothing.
pub(super) fn that_count(weights: &[f64]) -> Option<Vec<bool>> {
    weights.contains(&0.0).then(|| weights.iter().map(|weight| *weight != 0.0).collect())
}

fn note(is_met: &mut [bool], code: usize) {
    if let Some(met) = is_met.get_mut(code) {
        *met = true;
    }
}
