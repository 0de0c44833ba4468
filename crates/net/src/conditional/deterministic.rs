//! Deterministic distributions: the parents' states settle the variable's.
//!
//! One code for each configuration of the parents instead of a row of zeros and a one. In inference it is a factor of zeros and
//! ones, for engines leave out what is zero.

use super::{ConditionalFault, within_expansion};

/// The state of the variable for every configuration of the parents. Invariant: every code is a state, and there is at least one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeterministicTable {
    n_states: usize,
    states: Vec<u32>,
}

impl DeterministicTable {
    /// The states, one for each configuration of the parents, the last parent fastest.
    ///
    /// # Errors
    /// When a state is not there, there is none, or the factor of it would have more than [`super::MAX_EXPANSION`] entries.
    ///
    /// ```
    /// use tunbridge_net::DeterministicTable;
    /// let exclusive_or = DeterministicTable::new(2, vec![0, 1, 1, 0])?;
    /// assert_eq!(exclusive_or.states(), [0, 1, 1, 0]);
    /// assert_eq!(exclusive_or.probability(2, 1), 1.0);
    /// assert!(DeterministicTable::new(2, vec![2]).is_err());
    /// # Ok::<(), tunbridge_net::ConditionalFault>(())
    /// ```
    pub fn new(n_states: usize, states: Vec<u32>) -> Result<Self, ConditionalFault> {
        if states.is_empty() {
            return Err(ConditionalFault::NoRows);
        }
        if let Some(&state) = states.iter().find(|&&state| state as usize >= n_states) {
            return Err(ConditionalFault::NoSuchState { state: state as usize, n_states });
        }
        within_expansion(states.len(), n_states)?;
        Ok(Self { n_states, states })
    }

    /// How many states the variable has.
    pub fn n_states(&self) -> usize {
        self.n_states
    }

    /// The state for every configuration of the parents, the last parent fastest.
    pub fn states(&self) -> &[u32] {
        &self.states
    }

    /// One or zero.
    ///
    /// # Panics
    /// When there is no such state or row.
    pub fn probability(&self, row: usize, state: usize) -> f64 {
        assert!(state < self.n_states, "a state of the variable");
        if self.states[row] as usize == state { 1.0 } else { 0.0 }
    }

    /// Rows of zeros and a one.
    pub(super) fn to_values(&self) -> Vec<f64> {
        let mut values = vec![0.0; self.states.len() * self.n_states];
        self.states.iter().enumerate().for_each(|(row, &state)| values[row * self.n_states + state as usize] = 1.0);
        values
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_are_told() {
        assert_eq!(DeterministicTable::new(2, vec![]), Err(ConditionalFault::NoRows));
        let beyond = DeterministicTable::new(2, vec![0, 2]).unwrap_err();
        assert_eq!(beyond.to_string(), "state 3 is asked for, but the variable has 2");
        let large = DeterministicTable::new(1 << 23, vec![0; 3]).unwrap_err();
        assert_eq!(large.to_string(), "spelled out it would have 25165824 entries, more than the 16777216 allowed");
    }

    #[test]
    fn rows_are_certain() {
        assert_eq!(DeterministicTable::new(3, vec![1, 0]).unwrap().to_values(), [0.0, 1.0, 0.0, 1.0, 0.0, 0.0]);
    }
}
