//! The Bernoulli event model: every state of an attribute is there or not, and both tell something.
//!
//! McCallum & Nigam 1998, *A Comparison of Event Models for Naive Bayes Text Classification*, section 2.1: the score of a row is
//! Σ over the states of ln P(present) or ln (1 − P(present)). With P(present | class) = (n + l)/(N + 2l): two outcomes, so 2l.

use super::categorical::{CountedStates, HeldOut};
use super::prior::Estimate;

/// The indicators of one attribute of more than two states.
#[derive(Clone, Debug)]
pub(crate) struct Bernoulli<'s> {
    pub(crate) states: CountedStates<'s>,
    /// l: imaginary rows with the state, and as many without it.
    l: f64,
}

/// Σ ln (1 − P(present)) over the states of one class; the impossible terms are counted, so that one can be taken out again.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AllAbsent {
    ln_finite: f64,
    n_impossible: usize,
}

impl<'s> Bernoulli<'s> {
    pub(crate) fn new(states: CountedStates<'s>, estimate: &Estimate) -> Self {
        let l = match estimate {
            Estimate::MaximumLikelihood => 0.0,
            Estimate::Laplace { l } => *l,
            Estimate::Dirichlet { alpha } => alpha / 2.0,
            Estimate::MEstimate { m, .. } => m / 2.0,
        };
        Self { states, l }
    }

    /// P(present | class).
    pub(crate) fn p(&self, state: usize, class: usize, held_out: HeldOut) -> f64 {
        let total = self.states.class_total(class, held_out) + 2.0 * self.l;
        if total > 0.0 { (self.states.n(state, class, held_out) + self.l) / total } else { 0.5 }
    }

    /// The sum over all states. **Complexity**: linear in their number.
    pub(crate) fn all_absent(&self, class: usize, held_out: HeldOut) -> AllAbsent {
        let mut sum = AllAbsent { ln_finite: 0.0, n_impossible: 0 };
        for state in (0..self.states.n_states()).filter(|&state| self.states.is_counted(state, 0.0)) {
            match self.ln_absent(state, class, held_out) {
                ln if ln.is_finite() => sum.ln_finite += ln,
                _ => sum.n_impossible += 1,
            }
        }
        sum
    }

    /// ln P(this state and none of the others | class).
    pub(crate) fn ln(&self, state: usize, class: usize, held_out: HeldOut, all: AllAbsent) -> f64 {
        let ln_present = self.p(state, class, held_out).ln();
        let own = self.ln_absent(state, class, held_out);
        let (ln_finite, n_impossible) = match own.is_finite() {
            true => (all.ln_finite - own, all.n_impossible),
            false => (all.ln_finite, all.n_impossible - 1),
        };
        if n_impossible > 0 { f64::NEG_INFINITY } else { ln_present + ln_finite }
    }

    /// ln (1 − P(present)), where the row that is held out is in another state.
    fn ln_absent(&self, state: usize, class: usize, held_out: HeldOut) -> f64 {
        let total = self.states.class_total(class, held_out);
        // Not held out of this state's own count: the state asked about is taken out of the sum again.
        let n = self.states.n(state, class, HeldOut::NOTHING);
        let absent = belief::count_less(total, n) + self.l;
        let total = total + 2.0 * self.l;
        if total > 0.0 { (absent / total).ln() } else { 0.5_f64.ln() }
    }
}
