//! What is expected of gaps under tables: cells of families, and how probable what was seen is.

use super::families::Families;
use crate::domain::Domain;
use crate::error::NetError;
use belief::CompensatedSum;

/// What is expected of the gaps.
#[derive(Clone, Debug, PartialEq)]
pub struct Expected {
    /// How often each cell is expected in families with gaps, in the families' layout.
    pub cells: Vec<f64>,
    /// Σ ln P(what was seen of the parts); the families that were seen whole are not in it.
    pub(super) ln_parts: CompensatedSum,
    /// Whether something that was seen is impossible.
    pub(super) is_impossible: bool,
    /// The first row that is impossible, from 0, where it is known.
    pub(super) first_impossible: Option<u64>,
    /// Missing variables that hang together and need too large a table, with its entries.
    pub(super) too_large: Option<(Vec<u32>, f64)>,
}

impl Expected {
    /// Nothing.
    pub fn none(families: &Families) -> Self {
        Self {
            cells: vec![0.0; families.n_cells()],
            ln_parts: CompensatedSum::default(),
            is_impossible: false,
            first_impossible: None,
            too_large: None,
        }
    }

    /// Σ ln P(what was seen of the parts); −∞ when something is impossible.
    pub fn ln_parts(&self) -> f64 {
        if self.is_impossible { f64::NEG_INFINITY } else { self.ln_parts.value() }
    }

    /// Whether something that was seen is impossible.
    pub fn is_impossible(&self) -> bool {
        self.is_impossible
    }

    /// The first row that is impossible, from 0; of parts that were kept nobody knows the row.
    pub fn first_impossible(&self) -> Option<u64> {
        self.first_impossible
    }

    /// Whether all gaps could be inferred.
    ///
    /// # Errors
    /// When missing variables that hang together need a table beyond the bound.
    pub fn check(&self, domain: &Domain, limit: usize) -> Result<(), NetError> {
        let Some((missing, entries)) = &self.too_large else { return Ok(()) };
        let names = missing.iter().filter_map(|variable| domain.names().get(*variable as usize).cloned());
        Err(NetError::TooLarge { variables: names.collect(), entries: *entries, limit })
    }

    pub(super) fn add(&mut self, other: &Self) {
        self.cells.iter_mut().zip(&other.cells).for_each(|(mine, theirs)| *mine += theirs);
        self.ln_parts.merge(&other.ln_parts);
        if self.too_large.is_none() {
            self.too_large.clone_from(&other.too_large);
        }
        self.is_impossible |= other.is_impossible;
        self.first_impossible = self.first_impossible.into_iter().chain(other.first_impossible).min();
    }
}

/// What is expected of all of them together.
pub(super) fn sum_of<'e>(families: &Families, pieces: impl Iterator<Item = &'e Expected>) -> Expected {
    let mut sum = Expected::none(families);
    pieces.for_each(|piece| sum.add(piece));
    sum
}
