//! The seam: learners hand a blank statistic to the observations, which fold it and give it back.

use std::ops::Range;

use crate::{Chunk, FoldPlan, Pruned, Recode, Schema, ShapeMismatch, SufficientStatistic};

/// Rows that can be folded into a statistic, again and again.
///
/// A learner never opens a file, loops over a source's rows or splits data over threads. A table in memory, a file larger than
/// memory, a SQL engine and a cluster are implementations of this one trait.
pub trait Observations: Sync {
    /// What can go wrong while reading.
    type Error;

    /// What the columns are. The states of a schema may still grow during a fold; see [`Fold::schema`].
    fn schema(&self) -> &Schema;

    /// One pass over all rows. `blank` makes an empty statistic for the numbers of states given, one per variable: a chunk may
    /// hold states that are new, and its statistic is recoded before it is merged.
    ///
    /// Chunks lie on a fixed grid of rows and are merged in their order, so the result does not depend on threads.
    ///
    /// # Errors
    /// When the rows cannot be read, or do not fit the statistic.
    fn fold<S, B>(&self, blank: B) -> Result<Fold<S>, Self::Error>
    where
        S: for<'a> SufficientStatistic<Columns<'a> = Chunk<'a>> + Recode,
        B: Fn(&[usize]) -> S + Sync;
}

/// What a pass over the rows gave.
#[derive(Clone, Debug)]
pub struct Fold<S> {
    /// The schema with every state that was met, in canonical order; the statistic is coded by it.
    pub schema: Schema,
    /// The statistic of all rows.
    pub statistic: S,
    /// What was met on the way.
    pub report: ReadReport,
}

/// The statistic of nothing: a pass that finds the states and the gaps, and counts no more.
impl SufficientStatistic for () {
    type Columns<'a> = Chunk<'a>;

    fn observe(&mut self, _: Chunk<'_>) -> Result<(), ShapeMismatch> {
        Ok(())
    }

    fn merge(&mut self, (): &Self) -> Result<(), ShapeMismatch> {
        Ok(())
    }
}

impl Recode for () {
    fn recode(&mut self, _: &crate::Recoding) -> Result<(), ShapeMismatch> {
        Ok(())
    }
}

/// What was met while reading: nothing is lost in silence.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReadReport {
    /// Rows that were used.
    pub n_rows: u64,
    /// Rows that were malformed and skipped because the user asked for that.
    pub n_skipped: u64,
    /// Where the first skipped row was and why, in words.
    pub first_skipped: Option<String>,
    /// Texts whose bytes are not UTF-8 and were taken for Windows-1252.
    pub n_not_utf8: u64,
    /// Rows of JSON Lines that are passed on without keys of theirs, which are in none of the first rows.
    pub n_late_keys: u64,
    /// Cells that are passed on as numbers which say less than their text did.
    pub n_reworded: u64,
    /// Documents without a word.
    pub n_without_words: u64,
    /// Documents that are copies of another, byte for byte, the first of each not counted; known where rows are learned from.
    pub n_copies: u64,
    /// Whether there were too many documents to look at all of them, and the number of copies is an estimate.
    pub copies_are_estimated: bool,
    /// Missing values, one count per variable.
    pub n_missing: Vec<u64>,
    /// Values that are no known state and were read as missing, one count per variable.
    pub n_unknown: Vec<u64>,
    /// Words that were dropped to keep vocabularies to their bound, for each variable; none where nothing was dropped.
    pub pruned: Vec<Pruned>,
}

impl ReadReport {
    /// Adds what another part of the reading met.
    pub fn merge(&mut self, other: &Self) {
        self.n_rows += other.n_rows;
        self.n_skipped += other.n_skipped;
        self.n_not_utf8 += other.n_not_utf8;
        self.n_late_keys += other.n_late_keys;
        self.n_reworded += other.n_reworded;
        self.n_without_words += other.n_without_words;
        self.n_copies += other.n_copies;
        self.copies_are_estimated |= other.copies_are_estimated;
        if self.first_skipped.is_none() {
            self.first_skipped.clone_from(&other.first_skipped);
        }
        let add = |mine: &mut Vec<u64>, theirs: &[u64]| {
            mine.resize(mine.len().max(theirs.len()), 0);
            mine.iter_mut().zip(theirs).for_each(|(a, b)| *a += b);
        };
        add(&mut self.n_missing, &other.n_missing);
        add(&mut self.n_unknown, &other.n_unknown);
        self.pruned.resize(self.pruned.len().max(other.pruned.len()), Pruned::default());
        self.pruned.iter_mut().zip(&other.pruned).for_each(|(a, b)| *a = a.with(b));
    }
}

/// Some observations and then others, of one schema whose states are settled.
pub struct Both<'o, A, B>(pub &'o A, pub &'o B);

impl<A: Observations, B: Observations<Error = A::Error>> Observations for Both<'_, A, B>
where
    A::Error: From<ShapeMismatch>,
{
    type Error = A::Error;

    fn schema(&self) -> &Schema {
        self.0.schema()
    }

    fn fold<S, F>(&self, blank: F) -> Result<Fold<S>, Self::Error>
    where
        S: for<'a> SufficientStatistic<Columns<'a> = Chunk<'a>> + Recode,
        F: Fn(&[usize]) -> S + Sync,
    {
        let mut both = self.0.fold(&blank)?;
        let n_states = self.0.schema().cardinalities();
        let others = self.1.fold(|_: &[usize]| blank(&n_states))?;
        both.statistic.merge(&others.statistic)?;
        both.report.merge(&others.report);
        Ok(both)
    }
}

/// Observations of which only some folds count: one, or all but one.
///
/// The other rows keep their place on the grid and get weight zero.
pub struct MaskedRows<'o, O, K> {
    /// All the rows.
    pub rows: &'o O,
    /// Which row is in which fold.
    pub plan: FoldPlan,
    /// Whether the rows of the fold of this number count.
    pub keep: K,
}

impl<O: Observations, K: Fn(usize) -> bool + Sync> Observations for MaskedRows<'_, O, K> {
    type Error = O::Error;

    fn schema(&self) -> &Schema {
        self.rows.schema()
    }

    fn fold<S, B>(&self, blank: B) -> Result<Fold<S>, Self::Error>
    where
        S: for<'a> SufficientStatistic<Columns<'a> = Chunk<'a>> + Recode,
        B: Fn(&[usize]) -> S + Sync,
    {
        let masked = self.rows.fold(|n_states: &[usize]| Masked { statistic: blank(n_states), plan: self.plan, keep: &self.keep })?;
        Ok(Fold { schema: masked.schema, statistic: masked.statistic.statistic, report: masked.report })
    }
}

/// Some rows of many: those of these folds, or all but those.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowPart {
    /// Which row is in which fold.
    pub plan: FoldPlan,
    /// The folds that are meant.
    pub folds: Range<usize>,
    /// Whether the rows of these folds count, or those of all others.
    pub is_within: bool,
}

impl RowPart {
    /// Whether the rows of a fold count.
    pub fn keeps(&self, fold: usize) -> bool {
        self.folds.contains(&fold) == self.is_within
    }
}

struct Masked<'k, S, K> {
    statistic: S,
    plan: FoldPlan,
    keep: &'k K,
}

impl<S: Clone, K> Clone for Masked<'_, S, K> {
    fn clone(&self) -> Self {
        Self { statistic: self.statistic.clone(), plan: self.plan, keep: self.keep }
    }
}

impl<S, K> SufficientStatistic for Masked<'_, S, K>
where
    S: for<'a> SufficientStatistic<Columns<'a> = Chunk<'a>>,
    K: Fn(usize) -> bool + Sync,
{
    type Columns<'a> = Chunk<'a>;

    fn observe(&mut self, chunk: Chunk<'_>) -> Result<(), ShapeMismatch> {
        let folds = self.plan.folds(chunk.first_row, chunk.n_rows);
        let weight = |(row, fold): (usize, u16)| match (self.keep)(usize::from(fold)) {
            true => chunk.weights.map_or(1.0, |w| w[row]),
            false => 0.0,
        };
        let weights: Vec<f64> = folds.into_iter().enumerate().map(weight).collect();
        self.statistic.observe(Chunk { weights: Some(&weights), ..chunk })
    }

    fn merge(&mut self, other: &Self) -> Result<(), ShapeMismatch> {
        self.statistic.merge(&other.statistic)
    }
}

impl<S: Recode, K> Recode for Masked<'_, S, K> {
    fn recode(&mut self, recoding: &crate::Recoding) -> Result<(), ShapeMismatch> {
        self.statistic.recode(recoding)
    }

    fn times_met(&self, variable: usize) -> Option<Vec<f64>> {
        self.statistic.times_met(variable)
    }
}
