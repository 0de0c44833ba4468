//! How often each configuration of each family was seen: the statistic of a network whose graph is known.
//!
//! A row counts in every family of which it has all values; what rows with gaps say beyond that is a matter of expectation.

use super::families::Families;
use belief::{
    Chunk, Code, Codes, Column, Forget, NeverObserved, Recode, Recoding, ShapeMismatch, StateMap, SufficientStatistic, count_without,
    for_codes,
};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Counts of families. With whole weights exact, whatever the order of rows, chunks and merges.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "RawCounts", into = "RawCounts")]
pub struct FamilyCounts {
    families: Arc<Families>,
    cells: Vec<f64>,
    n_rows: f64,
}

#[derive(Serialize, Deserialize)]
struct RawCounts {
    families: Families,
    cells: Vec<f64>,
    n_rows: f64,
}

/// Rows whose places in a table are computed at a time.
const BLOCK: usize = 2048;
/// Tables up to this size, with one more state for what is missing, are counted without a branch.
const MOST_SLOTS: usize = 1 << 16;
/// Tables up to this size stay in the first-level cache.
const FEW_SLOTS: usize = 2048;

impl FamilyCounts {
    /// Nothing counted.
    pub fn empty(families: Arc<Families>) -> Self {
        let cells = vec![0.0; families.n_cells()];
        Self { families, cells, n_rows: 0.0 }
    }

    /// The families.
    pub fn families(&self) -> &Arc<Families> {
        &self.families
    }

    /// All counts, in the families' layout.
    pub fn cells(&self) -> &[f64] {
        &self.cells
    }

    /// The counts of one family: row by row of its table.
    ///
    /// # Panics
    /// When there is no such variable.
    pub fn of(&self, variable: usize) -> &[f64] {
        &self.cells[self.families.cells(variable)]
    }

    /// The weight of all rows, with or without gaps.
    pub fn n_rows(&self) -> f64 {
        self.n_rows
    }

    /// Everything so many times as large: what is old counts less.
    pub fn scale(&mut self, by: f64) {
        self.cells.iter_mut().for_each(|n| *n *= by);
        self.n_rows *= by;
    }

    /// Adds numbers in the families' layout, such as what gaps are expected to be.
    ///
    /// # Errors
    /// When there is not one for every cell.
    pub fn add(&mut self, cells: &[f64]) -> Result<(), ShapeMismatch> {
        ShapeMismatch::check("cells", self.cells.len(), cells.len())?;
        self.cells.iter_mut().zip(cells).for_each(|(mine, more)| *mine += more);
        Ok(())
    }

    fn count_family(&mut self, of: usize, chunk: &Chunk<'_>, room: &mut Room) {
        let families = &self.families;
        let mut columns: Vec<(Codes<'_>, usize)> = Vec::with_capacity(families.parents(of).len() + 1);
        for variable in families.scope(of) {
            // A variable that has no column is in no row.
            let Some(Column::Categorical { codes, .. }) = chunk.columns.get(variable) else { return };
            columns.push((*codes, families.n_states()[variable]));
        }
        let cells = &mut self.cells[families.cells(of)];
        let n_slots = columns.iter().try_fold(1_usize, |size, (_, n_states)| size.checked_mul(n_states + 1));
        match n_slots.filter(|n_slots| *n_slots <= MOST_SLOTS) {
            Some(n_slots) => room.count(&columns, n_slots, chunk, cells),
            None => count_plainly(&columns, chunk, cells),
        }
    }
}

/// Row by row, for tables too large for another way.
fn count_plainly(columns: &[(Codes<'_>, usize)], chunk: &Chunk<'_>, cells: &mut [f64]) {
    for row in 0..chunk.n_rows {
        let place = columns.iter().try_fold(0_usize, |place, (codes, n_states)| {
            codes.get(row).filter(|state| state < n_states).map(|state| place * n_states + state)
        });
        if let Some(place) = place {
            cells[place] += chunk.weights.map_or(1.0, |weights| weights[row]);
        }
    }
}

/// Space for counting a chunk, used again for every family.
struct Room {
    places: Vec<u16>,
    counts: Vec<u32>,
    weights: Vec<f64>,
}

impl Room {
    fn new() -> Self {
        Self { places: vec![0; BLOCK], counts: Vec::new(), weights: Vec::new() }
    }

    /// Counts in slots, with one more state a variable for what is missing, so that the loops have no branch; then takes the slots of
    /// whole families to their cells.
    fn count(&mut self, columns: &[(Codes<'_>, usize)], n_slots: usize, chunk: &Chunk<'_>, cells: &mut [f64]) {
        // Two tables in turn where they are small: equal neighbours would wait for each other's store.
        let stride = if n_slots <= FEW_SLOTS { n_slots } else { 0 };
        match chunk.weights {
            None => {
                self.counts.clear();
                self.counts.resize(n_slots + stride, 0);
            }
            Some(_) => {
                self.weights.clear();
                self.weights.resize(n_slots, 0.0);
            }
        }
        for start in (0..chunk.n_rows).step_by(BLOCK) {
            let n_rows = BLOCK.min(chunk.n_rows - start);
            let places = &mut self.places[..n_rows];
            places.fill(0);
            for (codes, n_states) in columns {
                for_codes!(*codes, codes => push_digit(places, &codes[start..start + n_rows], *n_states));
            }
            match chunk.weights {
                None => {
                    let (first, second) = self.counts.split_at_mut(stride);
                    let pairs = places.chunks_exact(2);
                    if let [last] = pairs.remainder() {
                        second[usize::from(*last)] += 1;
                    }
                    match stride {
                        0 => pairs.flatten().for_each(|place| second[usize::from(*place)] += 1),
                        _ => pairs.for_each(|pair| {
                            first[usize::from(pair[0])] += 1;
                            second[usize::from(pair[1])] += 1;
                        }),
                    }
                }
                Some(weights) => {
                    for (place, weight) in places.iter().zip(&weights[start..start + n_rows]) {
                        self.weights[usize::from(*place)] += weight;
                    }
                }
            }
        }
        let (counts, weights) = (&self.counts, &self.weights);
        let found = |slot: usize| match chunk.weights {
            None if stride > 0 => f64::from(counts[slot]) + f64::from(counts[slot + stride]),
            None => f64::from(counts[slot]),
            Some(_) => weights[slot],
        };
        // The cells in their order, with their slots: an odometer over the states.
        let mut states = vec![0_usize; columns.len()];
        let mut slot = 0_usize;
        for cell in cells {
            *cell += found(slot);
            let mut step = 1;
            for (state, (_, n_states)) in states.iter_mut().zip(columns).rev() {
                *state += 1;
                slot += step;
                if *state < *n_states {
                    break;
                }
                slot -= step * n_states;
                *state = 0;
                step *= n_states + 1;
            }
        }
    }
}

/// One more digit to each number: the state, or the number of states where it is missing. The numbers stay below [`MOST_SLOTS`].
fn push_digit<C: Code>(places: &mut [u16], codes: &[C], n_states: usize) {
    let (radix, bound) = ((n_states + 1) as u16, C::bound(n_states));
    let digits = places.iter_mut().zip(codes);
    if bound.index() == n_states {
        // In the width of the codes, so that as many as can be are taken at a time.
        digits.for_each(|(place, code)| *place = place.wrapping_mul(radix).wrapping_add((*code).min(bound).index() as u16));
    } else {
        digits.for_each(|(place, code)| *place = place.wrapping_mul(radix).wrapping_add(code.place(n_states) as u16));
    }
}

impl SufficientStatistic for FamilyCounts {
    type Columns<'a> = Chunk<'a>;

    fn observe(&mut self, chunk: Chunk<'_>) -> Result<(), ShapeMismatch> {
        // Columns behind those of the variables are none of the network's.
        ShapeMismatch::check("columns", self.families.len(), chunk.columns.len().min(self.families.len()))?;
        for column in chunk.columns {
            if let Column::Categorical { codes, .. } = column {
                ShapeMismatch::check("rows of a column", chunk.n_rows, codes.len())?;
            }
        }
        ShapeMismatch::check("weights", chunk.n_rows, chunk.weights.map_or(chunk.n_rows, <[f64]>::len))?;
        let mut room = Room::new();
        for variable in 0..self.families.len() {
            self.count_family(variable, &chunk, &mut room);
        }
        self.n_rows += chunk.weights.map_or(chunk.n_rows as f64, |weights| weights.iter().sum());
        Ok(())
    }

    fn merge(&mut self, other: &Self) -> Result<(), ShapeMismatch> {
        check_same(&self.families, &other.families)?;
        self.cells.iter_mut().zip(&other.cells).for_each(|(mine, theirs)| *mine += theirs);
        self.n_rows += other.n_rows;
        Ok(())
    }
}

impl Forget for FamilyCounts {
    fn forget(&mut self, other: &Self) -> Result<(), NeverObserved> {
        check_same(&self.families, &other.families)?;
        let n_rows = count_without(self.n_rows, other.n_rows)?;
        self.cells = self.cells.iter().zip(&other.cells).map(|(mine, theirs)| count_without(*mine, *theirs)).collect::<Result<_, _>>()?;
        self.n_rows = n_rows;
        Ok(())
    }
}

impl Recode for FamilyCounts {
    fn recode(&mut self, recoding: &Recoding) -> Result<(), ShapeMismatch> {
        if recoding.is_identity() {
            return Ok(());
        }
        let before = Arc::clone(&self.families);
        let mut n_states = before.n_states().to_vec();
        for (variable, n_states) in n_states.iter_mut().enumerate() {
            if let Some(map) = recoding.of(variable) {
                ShapeMismatch::check("states to rename", *n_states, map.to.len())?;
                if let Some(&far) = map.to.iter().find(|&&to| to as usize >= map.n_states && to != StateMap::DROPPED) {
                    return Err(ShapeMismatch { what: "a renamed state", expected: map.n_states, found: far as usize });
                }
                *n_states = map.n_states;
            }
        }
        let too_large = |_| ShapeMismatch { what: "cells of families", expected: super::MAX_CELLS, found: usize::MAX };
        let after = Arc::new(before.with_states(n_states).map_err(too_large)?);
        let mut cells = vec![0.0; after.n_cells()];
        for of in 0..before.len() {
            let scope: Vec<usize> = before.scope(of).collect();
            let mut states = vec![0_usize; scope.len()];
            let target = &mut cells[after.cells(of)];
            for &n in &self.cells[before.cells(of)] {
                if n != 0.0 {
                    let place = scope.iter().zip(&states).try_fold(0, |place, (variable, state)| {
                        let n_states = after.n_states()[*variable];
                        let state = recoding.of(*variable).map_or(*state, |map| map.to[*state] as usize);
                        (state < n_states).then_some(place * n_states + state)
                    });
                    let dropped = ShapeMismatch { what: "a state that is dropped though it was counted", expected: 0, found: of };
                    target[place.ok_or(dropped)?] += n;
                }
                next_configuration(&mut states, |place| before.n_states()[scope[place]]);
            }
        }
        self.families = after;
        self.cells = cells;
        Ok(())
    }
}

/// The next configuration, the last place fastest; after the last comes the first.
pub(crate) fn next_configuration(states: &mut [usize], n_states: impl Fn(usize) -> usize) {
    for (place, state) in states.iter_mut().enumerate().rev() {
        *state += 1;
        if *state < n_states(place) {
            return;
        }
        *state = 0;
    }
}

fn check_same(mine: &Arc<Families>, theirs: &Arc<Families>) -> Result<(), ShapeMismatch> {
    if Arc::ptr_eq(mine, theirs) || mine == theirs {
        return Ok(());
    }
    ShapeMismatch::check("families", mine.len(), theirs.len())?;
    ShapeMismatch::check("cells of families", mine.n_cells(), theirs.n_cells())?;
    Err(ShapeMismatch { what: "families of the same parents", expected: mine.len(), found: 0 })
}

impl TryFrom<RawCounts> for FamilyCounts {
    type Error = String;
    fn try_from(raw: RawCounts) -> Result<Self, String> {
        if raw.cells.len() != raw.families.n_cells() {
            return Err(format!("{} counts for {} cells", raw.cells.len(), raw.families.n_cells()));
        }
        if raw.cells.iter().chain([&raw.n_rows]).any(|n| !n.is_finite() || *n < 0.0) {
            return Err("a count is negative or not finite".into());
        }
        Ok(Self { families: Arc::new(raw.families), cells: raw.cells, n_rows: raw.n_rows })
    }
}

impl From<FamilyCounts> for RawCounts {
    fn from(counts: FamilyCounts) -> Self {
        Self { families: Families::clone(&counts.families), cells: counts.cells, n_rows: counts.n_rows }
    }
}
