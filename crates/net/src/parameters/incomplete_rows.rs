//! What rows with gaps say: the families that a row has whole are counted, and of the rest the parts that are to be inferred are kept, each
//! once with how often it was met.
//!
//! What was seen in a row cuts what is missing into parts (see [`super::part_plan`]), and a part says the same wherever its own neighbours were
//! seen in the same states, in whatever row. Whole rows hardly ever repeat; parts do. They depend on no probability, so that they are found once
//! and every step of EM goes over them alone. Rows without gaps cost what counting costs.

use super::expected::{Expected, sum_of};
use super::family_counts::FamilyCounts;
use super::incomplete_parts::IncompleteParts;
use super::parts::{Alike, Parts, Piece};
use super::posterior::Parameters;
use super::wiring::Wiring;
use belief::{Chunk, Recode, Recoding, Rng, ShapeMismatch, SufficientStatistic};
use std::sync::Arc;

/// The statistic of rows with gaps.
#[derive(Clone, Debug)]
pub struct IncompleteRows {
    wiring: Arc<Wiring>,
    observed: FamilyCounts,
    /// The parts of chunks, those of one reading unit together: sums go by the same tree whether they are held or read again.
    groups: Vec<Vec<Arc<Parts>>>,
    /// Weight of the rows that have a gap.
    n_incomplete: f64,
    n_bytes: usize,
    max_bytes: usize,
}

impl IncompleteRows {
    /// Nothing seen. When the parts take more than `max_bytes`, they are given up: [`Self::is_held`] is then false, the counts of whole
    /// families stay right, and expectations are made by reading the rows again ([`ExpectedRows`]).
    pub fn empty(wiring: Arc<Wiring>, max_bytes: usize) -> Self {
        let observed = FamilyCounts::empty(Arc::clone(&wiring.families));
        Self { wiring, observed, groups: vec![Vec::new()], n_incomplete: 0.0, n_bytes: 0, max_bytes }
    }

    /// Rows of which the whole families were counted and the parts kept, all in one batch.
    ///
    /// # Errors
    /// When the parts are of other families, or the counts are.
    pub fn of_parts(wiring: Arc<Wiring>, observed: FamilyCounts, n_incomplete: f64, kept: &IncompleteParts) -> Result<Self, ShapeMismatch> {
        if !kept.fits(&wiring) || **observed.families() != *wiring.families {
            return Err(ShapeMismatch { what: "parts of the same families", expected: wiring.families.len(), found: 0 });
        }
        let parts = Parts::of_kept(kept, n_incomplete, &wiring);
        let n_bytes = parts.bytes();
        Ok(Self { wiring, observed, groups: vec![vec![Arc::new(parts)]], n_incomplete, n_bytes, max_bytes: usize::MAX })
    }

    pub(super) fn wiring(&self) -> &Wiring {
        &self.wiring
    }

    /// The parts of each kind, chunk by chunk.
    pub(super) fn alike(&self) -> impl Iterator<Item = &Alike> {
        self.groups.iter().flatten().flat_map(|parts| &parts.alike)
    }

    /// The counts of families that rows have whole.
    pub fn observed(&self) -> &FamilyCounts {
        &self.observed
    }

    /// The weight of the rows that have a gap in a variable of the network.
    pub fn n_incomplete(&self) -> f64 {
        self.n_incomplete
    }

    /// How many different parts there are to be inferred, chunk by chunk.
    pub fn n_parts(&self) -> usize {
        self.groups.iter().flatten().map(|parts| parts.n_parts).sum()
    }

    /// Whether all parts are in memory.
    pub fn is_held(&self) -> bool {
        self.n_bytes <= self.max_bytes
    }

    /// What is expected of the gaps. `work` makes something of every piece and gives what it made in the pieces' order, on as many threads
    /// as it likes: the sum does not depend on them.
    pub fn expected(
        &self,
        parameters: &Parameters,
        work: impl Fn(&[Piece<'_>], &(dyn Fn(&Piece<'_>) -> Expected + Sync)) -> Vec<Expected>,
    ) -> Expected {
        let mut total = Expected::none(&self.wiring.families);
        for group in &self.groups {
            let mut of_group = Expected::none(&self.wiring.families);
            for parts in group {
                let pieces = parts.pieces(&self.wiring);
                let made = work(&pieces, &|piece: &Piece<'_>| piece.expect(parameters));
                of_group.add(&sum_of(&self.wiring.families, made.iter()));
            }
            total.add(&of_group);
        }
        total
    }

    /// The weight of the rows with gaps of each batch, a chunk of rows that has some; none where parts were given up.
    pub fn batches(&self) -> Vec<f64> {
        self.groups.iter().flatten().map(|parts| parts.weight).collect()
    }

    /// What is expected of the gaps of one batch, made as [`Self::expected`] makes all; nothing where there is no such batch.
    pub fn expected_of_batch(
        &self,
        batch: usize,
        parameters: &Parameters,
        work: impl Fn(&[Piece<'_>], &(dyn Fn(&Piece<'_>) -> Expected + Sync)) -> Vec<Expected>,
    ) -> Expected {
        let Some(parts) = self.groups.iter().flatten().nth(batch) else { return Expected::none(&self.wiring.families) };
        let made = work(&parts.pieces(&self.wiring), &|piece: &Piece<'_>| piece.expect(parameters));
        sum_of(&self.wiring.families, made.iter())
    }

    /// Draws what is missing given tables, and adds what families are then to counts; whether nothing is impossible or too large.
    pub(super) fn draw(&self, parameters: &Parameters, rng: &mut impl Rng, counts: &mut [f64]) -> bool {
        self.groups.iter().flatten().all(|parts| parts.draw(&self.wiring, parameters.theta(), rng, counts))
    }

    /// Numbers that are multiplied or counted for such a draw, nearly.
    pub(super) fn draw_work(&self) -> f64 {
        self.groups.iter().flatten().map(|parts| parts.draw_work(&self.wiring)).sum()
    }

    /// What is expected of all gaps, made on this thread.
    pub fn expected_here(&self, parameters: &Parameters) -> Expected {
        self.expected(parameters, |pieces, make| pieces.iter().map(make).collect())
    }
}

impl SufficientStatistic for IncompleteRows {
    type Columns<'a> = Chunk<'a>;

    fn observe(&mut self, chunk: Chunk<'_>) -> Result<(), ShapeMismatch> {
        self.observed.observe(chunk)?;
        let (parts, n_incomplete) = Parts::of(&chunk, &self.wiring);
        self.n_incomplete += n_incomplete;
        if parts.n_parts > 0 {
            self.n_bytes = self.n_bytes.saturating_add(parts.bytes());
            self.groups[0].push(Arc::new(parts));
        }
        self.give_up_beyond_bound();
        Ok(())
    }

    fn merge(&mut self, other: &Self) -> Result<(), ShapeMismatch> {
        self.observed.merge(&other.observed)?;
        self.n_incomplete += other.n_incomplete;
        self.groups.extend(other.groups.iter().filter(|group| !group.is_empty()).cloned());
        self.n_bytes = self.n_bytes.saturating_add(other.n_bytes);
        self.give_up_beyond_bound();
        Ok(())
    }
}

impl IncompleteRows {
    fn give_up_beyond_bound(&mut self) {
        if !self.is_held() {
            self.groups = vec![Vec::new()];
            self.n_bytes = usize::MAX;
        }
    }
}

/// The states of rows with gaps are settled before they are looked at.
impl Recode for IncompleteRows {
    fn recode(&mut self, recoding: &Recoding) -> Result<(), ShapeMismatch> {
        settled(recoding)
    }
}

fn settled(recoding: &Recoding) -> Result<(), ShapeMismatch> {
    if recoding.is_identity() { Ok(()) } else { Err(ShapeMismatch { what: "states that are settled", expected: 0, found: 1 }) }
}

/// What is expected of the gaps of rows that are read again: for rows whose parts have no place in memory. The same numbers, bit for bit.
#[derive(Clone, Debug)]
pub struct ExpectedRows<'p> {
    wiring: &'p Wiring,
    parameters: &'p Parameters,
    expected: Expected,
}

impl<'p> ExpectedRows<'p> {
    /// Nothing seen.
    pub fn empty(wiring: &'p Wiring, parameters: &'p Parameters) -> Self {
        Self { wiring, parameters, expected: Expected::none(&wiring.families) }
    }

    /// What is expected.
    pub fn into_expected(self) -> Expected {
        self.expected
    }
}

impl SufficientStatistic for ExpectedRows<'_> {
    type Columns<'a> = Chunk<'a>;

    fn observe(&mut self, chunk: Chunk<'_>) -> Result<(), ShapeMismatch> {
        let (parts, _) = Parts::of(&chunk, self.wiring);
        if parts.n_parts > 0 {
            let made: Vec<Expected> = parts.pieces(self.wiring).iter().map(|piece| piece.expect(self.parameters)).collect();
            self.expected.add(&sum_of(&self.wiring.families, made.iter()));
        }
        Ok(())
    }

    fn merge(&mut self, other: &Self) -> Result<(), ShapeMismatch> {
        ShapeMismatch::check("cells of families", self.expected.cells.len(), other.expected.cells.len())?;
        self.expected.add(&other.expected);
        Ok(())
    }
}

impl Recode for ExpectedRows<'_> {
    fn recode(&mut self, recoding: &Recoding) -> Result<(), ShapeMismatch> {
        settled(recoding)
    }
}
