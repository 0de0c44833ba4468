//! Rows held in memory, encoded: for learners that go over them again and again, when reading them once more would cost more than
//! keeping them.

use std::sync::Arc;

use belief::{Chunk, Column, Fold, Observations, ReadReport, Recode, Recoding, Schema, SelectedRows, ShapeMismatch, SufficientStatistic};

use crate::DataError;
use crate::pipeline::in_order;

/// Rows in memory, as observations that any statistic can be folded over.
///
/// They are coded by a schema that a pass before has settled: no state and no word is new.
#[derive(Clone, Debug)]
pub struct HeldRows {
    schema: Schema,
    /// With the number of the first row of each.
    chunks: Vec<(u64, Arc<SelectedRows>)>,
    threads: usize,
}

/// A unit of work: rows and words enough that merging what they say costs little beside saying it.
const UNIT_BYTES: usize = 1 << 20;

impl HeldRows {
    /// The rows of `observations` that have a class, and those that have none, unless they take more than `most_bytes` together.
    /// Without a target no row has a class. The schema must be settled; `threads` is how many work on a pass.
    ///
    /// # Errors
    /// When the rows cannot be read.
    pub fn by_label<O: Observations<Error = DataError>>(
        observations: &O,
        most_bytes: usize,
        threads: usize,
    ) -> Result<Option<[Self; 2]>, DataError> {
        let schema = observations.schema();
        let target = schema.target().map(belief::VarId::index);
        let blank = |_: &[usize]| Collected { target, most_bytes, ..Collected::default() };
        let found = observations.fold(blank)?.statistic;
        let held = |chunks| Self { schema: schema.clone(), chunks, threads };
        Ok((found.bytes <= most_bytes).then(|| [held(found.labelled), held(found.unlabelled)]))
    }

    /// These rows and then others, all of this schema.
    #[must_use]
    pub fn and(mut self, others: &Self, schema: &Schema) -> Self {
        self.chunks.extend(others.chunks.iter().cloned());
        self.schema = schema.clone();
        self
    }

    /// How many rows.
    pub fn n_rows(&self) -> u64 {
        self.chunks.iter().map(|(_, rows)| rows.n_rows() as u64).sum()
    }

    /// Chunks that are worked on together.
    fn units(&self) -> Vec<&[(u64, Arc<SelectedRows>)]> {
        let (mut units, mut rest, mut n, mut bytes) = (Vec::new(), &self.chunks[..], 0, 0);
        while n < rest.len() {
            bytes += rest[n].1.bytes();
            n += 1;
            if bytes >= UNIT_BYTES || n == rest.len() {
                units.push(&rest[..n]);
                (rest, n, bytes) = (&rest[n..], 0, 0);
            }
        }
        units
    }
}

impl Observations for HeldRows {
    type Error = DataError;

    fn schema(&self) -> &Schema {
        &self.schema
    }

    fn fold<S, B>(&self, blank: B) -> Result<Fold<S>, DataError>
    where
        S: for<'a> SufficientStatistic<Columns<'a> = Chunk<'a>> + Recode,
        B: Fn(&[usize]) -> S + Sync,
    {
        let n_states = self.schema.cardinalities();
        let mut statistic = blank(&n_states);
        let mut units = self.units().into_iter();
        in_order(
            (self.threads, self.threads),
            || Ok(units.next()),
            |unit: &[(u64, Arc<SelectedRows>)]| {
                let mut of_unit = blank(&n_states);
                for (first_row, rows) in unit {
                    rows.lend(*first_row, |chunk| of_unit.observe(chunk))?;
                }
                Ok(of_unit)
            },
            |of_unit: S| Ok::<_, DataError>(statistic.merge(&of_unit)?),
        )?;
        Ok(Fold { schema: self.schema.clone(), statistic, report: ReadReport { n_rows: self.n_rows(), ..ReadReport::default() } })
    }
}

/// A statistic that keeps the rows themselves.
#[derive(Clone, Default)]
struct Collected {
    target: Option<usize>,
    most_bytes: usize,
    bytes: usize,
    labelled: Vec<(u64, Arc<SelectedRows>)>,
    unlabelled: Vec<(u64, Arc<SelectedRows>)>,
}

impl SufficientStatistic for Collected {
    type Columns<'a> = Chunk<'a>;

    fn observe(&mut self, chunk: Chunk<'_>) -> Result<(), ShapeMismatch> {
        let has_class = |row: usize| match self.target.and_then(|target| chunk.columns.get(target)) {
            Some(Column::Categorical { codes, .. }) => codes.get(row).is_some(),
            _ => false,
        };
        let (labelled, unlabelled): (Vec<u32>, Vec<u32>) = (0..chunk.n_rows as u32).partition(|row| has_class(*row as usize));
        for (places, with_class) in [(labelled, true), (unlabelled, false)] {
            if places.is_empty() {
                continue;
            }
            let mut rows = chunk.select(&places);
            rows.sort_words();
            self.bytes += rows.bytes();
            let kept = if with_class { &mut self.labelled } else { &mut self.unlabelled };
            kept.push((chunk.first_row, Arc::new(rows)));
        }
        self.drop_if_too_many();
        Ok(())
    }

    fn merge(&mut self, other: &Self) -> Result<(), ShapeMismatch> {
        self.bytes += other.bytes;
        self.labelled.extend(other.labelled.iter().cloned());
        self.unlabelled.extend(other.unlabelled.iter().cloned());
        self.drop_if_too_many();
        Ok(())
    }
}

impl Collected {
    fn drop_if_too_many(&mut self) {
        if self.bytes > self.most_bytes {
            self.labelled = Vec::new();
            self.unlabelled = Vec::new();
        }
    }
}

/// The schema is settled: there is nothing to rename.
impl Recode for Collected {
    fn recode(&mut self, _: &Recoding) -> Result<(), ShapeMismatch> {
        Ok(())
    }
}
