//! Categorical attributes: P(state | class) from counts and pseudo-counts.
//!
//! (n + a)/(N + A), where n is the count of the state in the class, N that of all states in the class, and a and A the
//! pseudo-counts of the state and of all states: maximum likelihood a = 0, Laplace a = l, m-estimate a = m·p, Dirichlet a =
//! alpha/J. Mitchell 1997, equation 6.22. Where N + A is zero every state has 1/J.

use std::collections::BTreeMap;

use belief::{JointCounts, Kind, Variable, count_less};

use super::prior::{Estimate, MEstimateP};
use super::statistic::AttributeStatistic;
use crate::LearnError;

/// What is taken away before asking: nothing, or one row of this weight, whose state is the one asked about.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct HeldOut {
    /// The row's weight.
    pub(crate) weight: f64,
    /// Whether the row is of the class asked about.
    pub(crate) own_class: bool,
}

impl HeldOut {
    /// All rows are there.
    pub(crate) const NOTHING: Self = Self { weight: 0.0, own_class: false };

    /// The row is of the class asked about.
    pub(crate) fn own(weight: f64) -> Self {
        Self { weight, own_class: true }
    }

    /// The row is of another class.
    pub(crate) fn other(weight: f64) -> Self {
        Self { weight, own_class: false }
    }

    fn weight_in_class(self) -> f64 {
        if self.own_class { self.weight } else { 0.0 }
    }
}

/// The counts of an attribute, with their sums and with which states count: those declared and those of positive count.
#[derive(Clone, Debug)]
pub(crate) struct CountedStates<'s> {
    counts: &'s JointCounts,
    n_declared: usize,
    class_totals: Vec<f64>,
    state_totals: Vec<f64>,
    total: f64,
    n_counted: f64,
}

impl<'s> CountedStates<'s> {
    /// `None` for attributes that have no states. Bins are declared states.
    pub(crate) fn of(variable: &Variable, attribute: &'s AttributeStatistic) -> Option<Self> {
        let (counts, n_declared) = match (attribute, &variable.kind) {
            (AttributeStatistic::Counts(counts), Kind::Categorical(states)) => (counts, states.n_declared()),
            (AttributeStatistic::Binned { counts, .. }, _) => (counts, counts.n_states()),
            _ => return None,
        };
        let state_totals: Vec<f64> = (0..counts.n_states()).map(|state| counts.state_total(state)).collect();
        let n_counted = state_totals.iter().enumerate().filter(|&(state, &n)| state < n_declared || n > 0.0).count() as f64;
        let class_totals = counts.class_totals();
        let total = class_totals.iter().sum();
        Some(Self { counts, n_declared, class_totals, state_totals, total, n_counted })
    }

    pub(crate) fn n_states(&self) -> usize {
        self.counts.n_states()
    }

    pub(crate) fn n_classes(&self) -> usize {
        self.counts.n_classes()
    }

    /// J.
    pub(crate) fn n_counted(&self) -> f64 {
        self.n_counted
    }

    /// Whether the state counts, after a row of this weight that is in it was taken away.
    pub(crate) fn is_counted(&self, state: usize, weight: f64) -> bool {
        state < self.n_declared || count_less(self.state_totals[state], weight) > 0.0
    }

    /// How often the state was seen with the class.
    pub(crate) fn n(&self, state: usize, class: usize, held_out: HeldOut) -> f64 {
        count_less(self.counts.get(state, class), held_out.weight_in_class())
    }

    /// How often any state was seen with the class.
    pub(crate) fn class_total(&self, class: usize, held_out: HeldOut) -> f64 {
        count_less(self.class_totals[class], held_out.weight_in_class())
    }

    /// How often the state was seen in all classes, as a part of all; 1/J where nothing was seen.
    pub(crate) fn share(&self, state: usize, weight: f64) -> f64 {
        let total = count_less(self.total, weight);
        if total > 0.0 { count_less(self.state_totals[state], weight) / total } else { 1.0 / self.n_counted }
    }

    /// How often another state was seen in all classes, as a part of all, after a row of this weight that is in another state was
    /// taken away.
    pub(crate) fn share_of_others(&self, state: usize, weight: f64) -> f64 {
        let total = count_less(self.total, weight);
        if total > 0.0 { count_less(total, self.state_totals[state]) / total } else { 1.0 - 1.0 / self.n_counted }
    }
}

/// P(state | class) for one attribute.
#[derive(Clone, Debug)]
pub(crate) struct Categorical<'s> {
    pub(crate) states: CountedStates<'s>,
    pseudo: PseudoCounts,
}

#[derive(Clone, Debug)]
enum PseudoCounts {
    /// So many for every state.
    Each(f64),
    /// m in all, spread by p.
    Spread { m: f64, p: Vec<f64> },
    /// m in all, spread as the states are in all classes together.
    Empirical { m: f64 },
}

impl<'s> Categorical<'s> {
    /// # Errors
    /// When the m-estimate's p does not fit the states of the variable.
    pub(crate) fn new(states: CountedStates<'s>, variable: &Variable, estimate: &Estimate) -> Result<Self, LearnError> {
        let pseudo = match estimate {
            Estimate::MaximumLikelihood => PseudoCounts::Each(0.0),
            Estimate::Laplace { l } => PseudoCounts::Each(*l),
            Estimate::Dirichlet { alpha } => PseudoCounts::Each(alpha / states.n_counted.max(1.0)),
            Estimate::MEstimate { m, p: MEstimateP::Uniform } => PseudoCounts::Each(m / states.n_counted.max(1.0)),
            Estimate::MEstimate { m, p: MEstimateP::Empirical } => PseudoCounts::Empirical { m: *m },
            Estimate::MEstimate { m, p: MEstimateP::Given(given) } => match given_p(&states, variable, given)? {
                Some(p) => PseudoCounts::Spread { m: *m, p },
                None => PseudoCounts::Each(m / states.n_counted.max(1.0)),
            },
        };
        Ok(Self { states, pseudo })
    }

    /// P(state | class). The state must be one that counts.
    pub(crate) fn p(&self, state: usize, class: usize, held_out: HeldOut) -> f64 {
        let a = match &self.pseudo {
            PseudoCounts::Each(each) => *each,
            PseudoCounts::Spread { m, p } => m * p[state],
            PseudoCounts::Empirical { m } => m * self.states.share(state, held_out.weight),
        };
        let total = self.states.class_total(class, held_out) + self.pseudo_total();
        if total > 0.0 { (self.states.n(state, class, held_out) + a) / total } else { 1.0 / self.states.n_counted }
    }

    /// Whether a row of another class changes P(state | class).
    pub(crate) fn feels_other_classes(&self) -> bool {
        matches!(self.pseudo, PseudoCounts::Empirical { m } if m > 0.0)
    }

    /// The pseudo-count of every state, zero for one that does not count, where the data have no say in them.
    pub(crate) fn pseudo_counts(&self) -> Option<Vec<f64>> {
        let of_state = |state: usize| match &self.pseudo {
            _ if !self.states.is_counted(state, 0.0) => Some(0.0),
            PseudoCounts::Each(each) => Some(*each),
            PseudoCounts::Spread { m, p } => Some(m * p[state]),
            PseudoCounts::Empirical { .. } => None,
        };
        (0..self.states.n_states()).map(of_state).collect()
    }

    /// The pseudo-count of every parameter, and its probability.
    pub(crate) fn pseudo_and_p(&self, mut see: impl FnMut(f64, f64)) {
        for state in (0..self.states.n_states()).filter(|&state| self.states.is_counted(state, 0.0)) {
            let a = match &self.pseudo {
                PseudoCounts::Each(each) => *each,
                PseudoCounts::Spread { m, p } => m * p[state],
                PseudoCounts::Empirical { m } => m * self.states.share(state, 0.0),
            };
            (0..self.states.n_classes()).for_each(|class| see(a, self.p(state, class, HeldOut::NOTHING)));
        }
    }

    /// A.
    fn pseudo_total(&self) -> f64 {
        match &self.pseudo {
            PseudoCounts::Each(each) => each * self.states.n_counted,
            PseudoCounts::Spread { m, .. } | PseudoCounts::Empirical { m } => *m,
        }
    }
}

/// The given probability of every state of a variable, zero for one that does not count; `None` if the variable is not named.
///
/// # Errors
/// When the names are not those of the states.
pub(crate) fn given_p(
    states: &CountedStates<'_>,
    variable: &Variable,
    given: &BTreeMap<String, BTreeMap<String, f64>>,
) -> Result<Option<Vec<f64>>, LearnError> {
    let (Some(named), Kind::Categorical(known)) = (given.get(&variable.name), &variable.kind) else { return Ok(None) };
    let fits = named.keys().all(|name| known.names().contains(name))
        && (0..known.len()).all(|state| !states.is_counted(state, 0.0) || named.contains_key(&known.names()[state]));
    if !fits {
        let named = named.keys().cloned().collect();
        return Err(LearnError::StatesOfP { variable: variable.name.clone(), known: known.names().to_vec(), named });
    }
    let of_state = |state: usize| match states.is_counted(state, 0.0) {
        true => named[&known.names()[state]],
        false => 0.0,
    };
    let p: Vec<f64> = (0..known.len()).map(of_state).collect();
    let sum: f64 = p.iter().sum();
    if sum <= 0.0 {
        return Err(LearnError::NotADistribution { of: format!("`{}`", variable.name), sum });
    }
    Ok(Some(p.into_iter().map(|p| p / sum).collect()))
}
