//! The Bernoulli event model: every state of an attribute is there or not, and both tell something.
//!
//! McCallum & Nigam 1998, *A Comparison of Event Models for Naive Bayes Text Classification*, section 2.1: the score of a row is
//! Σ over the states of ln P(present) or ln (1 − P(present)). With P(present | class) = (n + m·p)/(N + m), where p is how probable we
//! believed the state to be before: there are two outcomes, so that Laplace's l rows in each are m = 2l and p = 1/2.

use belief::{Variable, count_less};

use super::categorical::{CountedStates, HeldOut, given_p};
use super::prior::{Estimate, MEstimateP};
use crate::LearnError;

/// The indicators of one attribute of more than two states.
#[derive(Clone, Debug)]
pub(crate) struct Bernoulli<'s> {
    pub(crate) states: CountedStates<'s>,
    /// Imaginary rows, with the state or without it.
    m: f64,
    p: Believed,
}

/// P(present) before any rows of the class.
#[derive(Clone, Debug)]
enum Believed {
    /// As likely as not.
    Half,
    /// So much for each state.
    Given(Vec<f64>),
    /// As often as in all classes together.
    Empirical,
}

/// Σ ln (1 − P(present)) over the states of one class; the impossible terms are counted, so that one can be taken out again.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AllAbsent {
    ln_finite: f64,
    n_impossible: usize,
}

impl<'s> Bernoulli<'s> {
    /// # Errors
    /// When the m-estimate's p does not fit the states of the variable.
    pub(crate) fn new(states: CountedStates<'s>, variable: &Variable, estimate: &Estimate) -> Result<Self, LearnError> {
        let (m, p) = match estimate {
            Estimate::MaximumLikelihood => (0.0, Believed::Half),
            Estimate::Laplace { l } => (2.0 * l, Believed::Half),
            Estimate::Dirichlet { alpha } => (*alpha, Believed::Half),
            Estimate::MEstimate { m, p: MEstimateP::Uniform } => (*m, Believed::Half),
            Estimate::MEstimate { m, p: MEstimateP::Empirical } => (*m, Believed::Empirical),
            Estimate::MEstimate { m, p: MEstimateP::Given(given) } => {
                (*m, given_p(&states, variable, given)?.map_or(Believed::Half, Believed::Given))
            }
        };
        Ok(Self { states, m, p })
    }

    /// P(present | class).
    pub(crate) fn p(&self, state: usize, class: usize, held_out: HeldOut) -> f64 {
        let total = self.states.class_total(class, held_out) + self.m;
        let believed = match &self.p {
            Believed::Half => 0.5,
            Believed::Given(p) => p[state],
            Believed::Empirical => self.states.share(state, held_out.weight),
        };
        if total > 0.0 { (self.states.n(state, class, held_out) + self.m * believed) / total } else { 0.5 }
    }

    /// The pseudo-count of every parameter, and its probability: of the state's being present, and of its being absent.
    pub(crate) fn pseudo_and_p(&self, mut see: impl FnMut(f64, f64)) {
        for state in (0..self.states.n_states()).filter(|&state| self.states.is_counted(state, 0.0)) {
            let believed = match &self.p {
                Believed::Half => 0.5,
                Believed::Given(p) => p[state],
                Believed::Empirical => self.states.share(state, 0.0),
            };
            for class in 0..self.states.n_classes() {
                let p = self.p(state, class, HeldOut::NOTHING);
                see(self.m * believed, p);
                see(self.m * (1.0 - believed), 1.0 - p);
            }
        }
    }

    /// Whether a row of another class changes P(present | class).
    pub(crate) fn feels_other_classes(&self) -> bool {
        matches!(self.p, Believed::Empirical) && self.m > 0.0
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
        let believed = match &self.p {
            Believed::Half => 0.5,
            Believed::Given(p) => 1.0 - p[state],
            Believed::Empirical => self.states.share_of_others(state, held_out.weight),
        };
        let absent = count_less(total, n) + self.m * believed;
        let total = total + self.m;
        if total > 0.0 { (absent / total).ln() } else { 0.5_f64.ln() }
    }
}
