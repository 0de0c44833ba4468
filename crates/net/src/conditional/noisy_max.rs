//! Noisy-MAX: causes that act independently of each other, of which the strongest effect wins.
//!
//! Henrion 1989 ("Some practical issues in constructing belief networks"), Díez 1993 ("Parameter adjustment in Bayes networks: the
//! generalized noisy OR-gate"). The variable's states are ordered from lowest (nothing) to highest. Each parent, by itself, brings
//! about an effect Z with a probability that depends on the parent's state; in the parent's *absent* state Z is lowest for certain.
//! The leak is the effect of all causes that the network does not name. The variable is the highest of all effects. Two states make
//! noisy-OR. Parameters are Díez's: what a cause does alone, the leak apart. (Henrion's compound parameters, measured with the leak
//! at work, are 1 − (1 − p)(1 − leak).)
//!
//! In inference the maximum is taken step by step: hidden Y₁ = max(leak, Z₁), then Yₖ = max(Yₖ₋₁, Zₖ), the last of them the
//! variable itself. Each step is a factor P(Yₖ | Yₖ₋₁, Xₖ), never negative and with sum one over its head, so that no cancellation
//! loses digits, unlike the factorisation of Díez & Galán 2003, which has entries of −1 and is smaller. Entries are linear in the
//! number of parents. The chain takes parents by id, so that variables with the same causes go along them in the same order; a
//! balanced tree of maxima would have three hidden variables of the child's size in a factor where the chain has two.

use super::table::{ConditionalTable, TableFault};
use super::{ConditionalFault, Family, MAX_EXPANSION, Piece};
use belief::VarId;

/// Causes, a leak, and an order of states. Invariant: the order names every state once; an absent cause does nothing; effects are over the
/// variable's states.
#[derive(Clone, Debug, PartialEq)]
pub struct NoisyMax {
    /// States from lowest to highest.
    order: Vec<usize>,
    causes: Vec<NoisyCause>,
    /// By state.
    leak: Vec<f64>,
}

/// What one parent does by itself.
#[derive(Clone, Debug, PartialEq)]
pub struct NoisyCause {
    /// The parent's state in which it does nothing.
    pub absent: usize,
    /// For each state of the parent a distribution of the effect over the variable's states, in the order of those states.
    pub effects: ConditionalTable,
}

impl NoisyCause {
    /// What a parent does, by rows: for each of its states a distribution over the variable's states.
    ///
    /// # Errors
    /// When the rows are no distributions.
    pub fn new(absent: usize, n_states: usize, effects: Vec<f64>) -> Result<Self, TableFault> {
        Ok(Self { absent, effects: ConditionalTable::new(n_states, effects)? })
    }
}

impl NoisyMax {
    /// Causes, one for each parent in order; the states from lowest to highest; the leak by state.
    ///
    /// # Errors
    /// When the order is none, the leak is no distribution, or a cause has effects over other states, an absent state that it does
    /// not have or one in which it acts; when its factors would have more than [`MAX_EXPANSION`] entries together.
    ///
    /// ```
    /// use tunbridge_net::{Conditional, NoisyCause, NoisyMax};
    /// // The child's state 0 is `yes`, 1 is `no`; so are the parents'.
    /// let flu = NoisyCause::new(1, 2, vec![0.8, 0.2,  0.0, 1.0])?;
    /// let cold = NoisyCause::new(1, 2, vec![0.5, 0.5,  0.0, 1.0])?;
    /// let fever = Conditional::NoisyMax(NoisyMax::new(vec![1, 0], vec![flu, cold], vec![0.1, 0.9])?);
    /// // Flu and cold: all of flu, cold and leak must fail for there to be no fever.
    /// assert!((fever.probability(0, 1) - 0.2 * 0.5 * 0.9).abs() < 1e-15);
    /// assert_eq!(fever.n_free_parameters(), 3);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn new(order: Vec<usize>, causes: Vec<NoisyCause>, leak: Vec<f64>) -> Result<Self, ConditionalFault> {
        let n_states = order.len();
        let mut named = vec![false; n_states];
        let once = order.iter().all(|&state| state < n_states && !std::mem::replace(&mut named[state], true));
        if !once || n_states == 0 {
            return Err(ConditionalFault::NotAnOrder { n_states });
        }
        for (cause, NoisyCause { absent, effects }) in causes.iter().enumerate() {
            if effects.n_states() != n_states {
                return Err(ConditionalFault::EffectStates { cause, found: effects.n_states(), n_states });
            }
            if *absent >= effects.n_rows() || effects.row(*absent)[order[0]] != 1.0 {
                return Err(ConditionalFault::AbsentActs { cause, absent: *absent });
            }
        }
        let n_values = leak.len();
        let leak = ConditionalTable::new(n_states, leak).map_err(ConditionalFault::Leak)?;
        if leak.n_rows() != 1 {
            return Err(ConditionalFault::Leak(TableFault::Ragged { n_values, n_states }));
        }
        let noisy = Self { order, causes, leak: leak.values().to_vec() };
        let entries = noisy.n_chain_entries().min(noisy.n_table_entries());
        if entries <= MAX_EXPANSION as f64 { Ok(noisy) } else { Err(ConditionalFault::TooLarge { entries, limit: MAX_EXPANSION }) }
    }

    /// How many states the variable has.
    pub fn n_states(&self) -> usize {
        self.order.len()
    }

    /// The variable's states from lowest to highest.
    pub fn order(&self) -> &[usize] {
        &self.order
    }

    /// What each parent does, in the parents' order.
    pub fn causes(&self) -> &[NoisyCause] {
        &self.causes
    }

    /// The distribution of what comes without a cause, by state.
    pub fn leak(&self) -> &[f64] {
        &self.leak
    }

    /// How many states each parent has.
    pub(super) fn parent_states(&self) -> impl DoubleEndedIterator<Item = usize> + '_ {
        self.causes.iter().map(|cause| cause.effects.n_rows())
    }

    /// Every state of a parent but the absent one has a distribution, and so has the leak.
    pub(super) fn n_free_parameters(&self) -> usize {
        let n_rows: usize = self.parent_states().map(|n_states| n_states - 1).sum();
        (n_rows + 1) * (self.n_states() - 1)
    }

    /// The probability of a state when each parent is in a state.
    ///
    /// With a = P(max < y) and b = P(max = y) of the effects so far, one more effect z makes b(z₍<y₎ + z₍=y₎) + a z₍=y₎ of b. No
    /// difference is taken, so that small probabilities keep their digits.
    pub(super) fn probability(&self, parent: impl Fn(usize) -> usize, state: usize) -> f64 {
        let rank = self.order.iter().position(|&other| other == state).expect("a state of the variable");
        let start = (self.below(&self.leak, rank), self.leak[state]);
        let add = |(below, at): (f64, f64), (place, cause): (usize, &NoisyCause)| {
            let effect = cause.effects.row(parent(place));
            let (effect_below, effect_at) = (self.below(effect, rank), effect[state]);
            (below * effect_below, at * (effect_below + effect_at) + below * effect_at)
        };
        self.causes.iter().enumerate().fold(start, add).1
    }

    /// A chain of maxima, or the table when that has no more entries.
    pub(super) fn pieces(&self, family: &Family<'_>, fresh: &mut dyn FnMut(usize) -> VarId) -> Vec<Piece> {
        let n_states = self.n_states();
        if self.n_table_entries() <= self.n_chain_entries() {
            let row = |row: usize| {
                let states = super::states_of_row(row, family.parent_states.iter().copied().rev());
                (0..n_states).map(move |state| self.probability(|parent| states[parent], state))
            };
            return vec![family.table((0..family.parent_states.iter().product()).flat_map(row).collect())];
        }
        let mut by_id: Vec<usize> = (0..self.causes.len()).collect();
        by_id.sort_by_key(|&cause| family.parents[cause]);
        let mut pieces: Vec<Piece> = Vec::with_capacity(by_id.len());
        for (step, &cause) in by_id.iter().enumerate() {
            let head = if step + 1 == by_id.len() { family.child } else { fresh(n_states) };
            let effects = &self.causes[cause].effects;
            let rows = (0..effects.n_rows()).map(|row| effects.row(row));
            let parent = family.parent(cause);
            pieces.push(match pieces.last() {
                None => {
                    let values = rows.flat_map(|effect| (0..n_states).map(move |state| self.higher_than_leak(effect, state))).collect();
                    Piece::new(&[parent, (head, n_states)], values)
                }
                Some(before) => {
                    let values = rows.flat_map(|effect| self.maxima(effect)).collect();
                    Piece::new(&[parent, (before.head, n_states), (head, n_states)], values)
                }
            });
        }
        pieces
    }

    fn n_table_entries(&self) -> f64 {
        self.parent_states().map(|n| n as f64).product::<f64>() * self.n_states() as f64
    }

    /// The most entries that the chain has; it has fewer when its first parent has many states.
    fn n_chain_entries(&self) -> f64 {
        let n_states = self.n_states() as f64;
        let fewest = self.parent_states().min().unwrap_or(1) as f64;
        let n_rows: f64 = self.parent_states().map(|n| n as f64).sum();
        (n_rows - fewest).max(0.0) * n_states * n_states + fewest * n_states
    }

    /// P(max(leak, effect) = state).
    pub(super) fn higher_than_leak(&self, effect: &[f64], state: usize) -> f64 {
        let rank = self.order.iter().position(|&other| other == state).expect("a state");
        self.leak[state] * (self.below(effect, rank) + effect[state]) + self.below(&self.leak, rank) * effect[state]
    }

    /// P(max(before, effect) = after) for every state before and after.
    fn maxima(&self, effect: &[f64]) -> Vec<f64> {
        let n_states = self.n_states();
        let mut values = vec![0.0; n_states * n_states];
        for (rank, &before) in self.order.iter().enumerate() {
            let row = &mut values[before * n_states..][..n_states];
            row[before] = self.below(effect, rank) + effect[before];
            self.order[rank + 1..].iter().for_each(|&after| row[after] = effect[after]);
        }
        values
    }

    /// The probability of all states below a rank.
    fn below(&self, distribution: &[f64], rank: usize) -> f64 {
        self.order[..rank].iter().map(|&state| distribution[state]).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_are_told() {
        let cause = || NoisyCause::new(0, 2, vec![1.0, 0.0, 0.25, 0.75]).unwrap();
        let told = |order: Vec<usize>, cause: NoisyCause, leak: Vec<f64>| NoisyMax::new(order, vec![cause], leak).unwrap_err().to_string();
        let order = "the order from the lowest state to the highest must name each of the 2 states once";
        assert_eq!(told(vec![0, 0], cause(), vec![1.0, 0.0]), order);
        assert_eq!(told(vec![0, 2], cause(), vec![1.0, 0.0]), order);
        assert!(NoisyMax::new(vec![], vec![], vec![]).is_err());
        assert_eq!(told(vec![0, 1, 2], cause(), vec![1.0, 0.0, 0.0]), "cause 1: its effects are over 2 states, but the variable has 3");
        let acts =
            "cause 1: when it is absent (state 1) the variable's lowest state must be certain; what comes without a cause is the leak";
        assert_eq!(told(vec![1, 0], cause(), vec![1.0, 0.0]), acts);
        assert!(told(vec![0, 1], NoisyCause { absent: 2, ..cause() }, vec![1.0, 0.0]).contains("(state 3)"));
        assert_eq!(told(vec![0, 1], cause(), vec![1.0, 0.5]), "the leak: row 1: the probabilities sum to 1.5, not to 1");
        assert_eq!(told(vec![0, 1], cause(), vec![1.0, 0.0, 1.0, 0.0]), "the leak: 4 probabilities do not make rows of 2");
    }

    /// Without causes only the leak is left.
    #[test]
    fn no_causes() {
        let noisy = NoisyMax::new(vec![1, 0, 2], vec![], vec![0.25, 0.5, 0.25]).unwrap();
        assert_eq!((0..3).map(|state| noisy.probability(|_| 0, state)).collect::<Vec<_>>(), [0.25, 0.5, 0.25]);
        assert_eq!(noisy.n_free_parameters(), 2);
    }

    /// Tiny probabilities keep their digits: 1 − (1 − p)(1 − q) would lose them.
    #[test]
    fn small_probabilities_keep_their_digits() {
        let cause = |p: f64| NoisyCause::new(0, 2, vec![1.0, 0.0, 1.0 - p, p]).unwrap();
        let noisy = NoisyMax::new(vec![0, 1], vec![cause(1e-20), cause(3e-20)], vec![1.0, 0.0]).unwrap();
        assert!((noisy.probability(|_| 1, 1) / 4e-20 - 1.0).abs() < 1e-15);
    }
}
