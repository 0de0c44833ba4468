//! What a model believes of a state, or of a bin of numbers, given each class, and what that belief is.

use belief::VarId;
use learn::{AttributeStatistic, EventModel, TextEvent};

use crate::NaiveBayesModel;

/// What the numbers are that a model has for the states of an attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StateBelief {
    /// P(state | class).
    Probability,
    /// P(this state and no other | class): a Bernoulli model asks of every state whether it is present.
    NoOther,
    /// The share of the class's rows that are in the state, where its centroid lies; or of its words that are this one.
    Share,
}

impl NaiveBayesModel {
    /// What [`Self::of_state`] tells of an attribute.
    pub fn state_belief(&self, variable: VarId) -> StateBelief {
        if let Some(AttributeStatistic::Words(_)) = self.statistic().attributes().get(variable.index()) {
            return match self.prior().text {
                TextEvent::Multinomial | TextEvent::Bernoulli | TextEvent::DirichletCompound => StateBelief::Probability,
                TextEvent::Complement | TextEvent::NormalisedComplement => StateBelief::Share,
            };
        }
        match self.prior().event {
            EventModel::NearestCentroid => StateBelief::Share,
            // Two states are one question, and its answers are two probabilities.
            EventModel::Bernoulli if self.n_known_states(variable) > 2 => StateBelief::NoOther,
            _ => StateBelief::Probability,
        }
    }

    /// What is believed of a state, or of a bin, given each class; `None` for a state that the model does not know.
    pub fn of_state(&self, variable: VarId, state: usize) -> Option<Vec<f64>> {
        let ln = self.posterior().ln_state(variable, state)?;
        if let Some(AttributeStatistic::Words(counts)) = self.statistic().attributes().get(variable.index()) {
            return match self.prior().text {
                TextEvent::Multinomial | TextEvent::DirichletCompound => Some(ln.iter().copied().map(f64::exp).collect()),
                // A word that is there says its log-odds.
                TextEvent::Bernoulli => Some(ln.iter().map(|ln| 1.0 / (1.0 + (-ln).exp())).collect()),
                TextEvent::Complement | TextEvent::NormalisedComplement => {
                    let totals = self.posterior().word_totals(variable)?;
                    let counts = counts.of_word(state);
                    let share = |(class, total): (usize, &f64)| if *total > 0.0 { counts.of_class(class).times / total } else { 0.0 };
                    Some(totals.iter().enumerate().map(share).collect())
                }
            };
        }
        if self.prior().event != EventModel::NearestCentroid {
            return Some(ln.iter().copied().map(f64::exp).collect());
        }
        let (AttributeStatistic::Counts(counts) | AttributeStatistic::Binned { counts, .. }) =
            self.statistic().attributes().get(variable.index())?
        else {
            return None;
        };
        // Where a class has no rows equal shares stand in.
        let n_known = self.n_known_states(variable) as f64;
        let share = |(n, total): (&f64, f64)| if total > 0.0 { n / total } else { 1.0 / n_known };
        Some(counts.of_state(state).iter().zip(counts.class_totals()).map(share).collect())
    }

    fn n_known_states(&self, variable: VarId) -> usize {
        let n_states = match self.statistic().attributes().get(variable.index()) {
            Some(AttributeStatistic::Counts(counts) | AttributeStatistic::Binned { counts, .. }) => counts.n_states(),
            _ => 0,
        };
        (0..n_states).filter(|&state| self.posterior().ln_state(variable, state).is_some()).count()
    }
}
