//! Decisions: from probabilities to the action of least expected loss, and what it is worth to know more before one acts.
//!
//! With loss(a | s) for doing a where s is true, the Bayes decision is the action of least Σ P(s) · loss(a | s) (Duda & Hart 1973,
//! section 2.2). Not to decide is an action too, of the same loss whatever is true (Chow 1970). What an observation is worth is by how much
//! the least expected loss falls, on average over what may be observed (Raiffa & Schlaifer 1961; Howard 1966): never less than nothing.

use crate::hypotheses::HypothesisError;

/// What each action costs where each state is true. A gain is a negative loss.
///
/// Invariant: one action or more of different names, each with a finite loss for every state.
///
/// # Example
/// ```
/// use tunbridge_belief::LossTable;
/// let states = vec!["ill".to_string(), "well".to_string()];
/// let table = LossTable::new(states, vec![("treat".into(), vec![0.0, 10.0]), ("wait".into(), vec![100.0, 0.0])])?;
/// // Treating costs 8 where one in five is ill, waiting 20.
/// let decision = table.decide(&[0.2, 0.8])?;
/// assert_eq!((decision.action, decision.expected[0], decision.expected[1]), (0, 8.0, 20.0));
/// # Ok::<(), tunbridge_belief::hypotheses::HypothesisError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct LossTable {
    states: Vec<String>,
    actions: Vec<String>,
    /// By action and state.
    loss: Vec<Vec<f64>>,
}

/// What to do.
#[derive(Clone, Debug, PartialEq)]
pub struct Decision {
    /// The action of least expected loss; of equals the first.
    pub action: usize,
    /// The expected loss of every action.
    pub expected: Vec<f64>,
}

impl Decision {
    /// The expected loss of what is done.
    pub fn least(&self) -> f64 {
        self.expected[self.action]
    }
}

impl LossTable {
    /// The name of the action not to decide.
    pub const REJECT: &'static str = "reject";

    /// A table of actions, each with its loss for every state.
    ///
    /// # Errors
    /// When there are no actions or states, a name is there twice, a loss is missing or is not finite.
    pub fn new(states: Vec<String>, actions: Vec<(String, Vec<f64>)>) -> Result<Self, HypothesisError> {
        let twice = |names: &[String]| (1..names.len()).find(|nth| names[..*nth].contains(&names[*nth])).map(|nth| names[nth].clone());
        if states.is_empty() {
            return Err(HypothesisError::Nothing { what: "states to lose by" });
        }
        if actions.is_empty() {
            return Err(HypothesisError::Nothing { what: "actions" });
        }
        let (actions, loss): (Vec<String>, Vec<Vec<f64>>) = actions.into_iter().unzip();
        if let Some(name) = twice(&states).or_else(|| twice(&actions)) {
            return Err(HypothesisError::Twice { name });
        }
        for (action, losses) in actions.iter().zip(&loss) {
            if losses.len() != states.len() {
                return Err(HypothesisError::Length { what: "losses of an action", expected: states.len(), found: losses.len() });
            }
            if let Some(place) = losses.iter().position(|loss| !loss.is_finite()) {
                return Err(HypothesisError::NotALoss { action: action.clone(), state: states[place].clone(), found: losses[place] });
            }
        }
        Ok(Self { states, actions, loss })
    }

    /// Naming a state costs one where another is true: the most probable state is the least expected loss.
    ///
    /// # Errors
    /// When there are no states, or a name is there twice.
    pub fn zero_one(states: Vec<String>) -> Result<Self, HypothesisError> {
        let losses = |said: usize| (0..states.len()).map(|truth| if said == truth { 0.0 } else { 1.0 }).collect();
        let actions = states.iter().enumerate().map(|(place, name)| (name.clone(), losses(place))).collect();
        Self::new(states, actions)
    }

    /// The same with one more action, not to decide, of the same loss whatever is true.
    ///
    /// # Errors
    /// When the loss is not finite, or there is such an action already.
    pub fn with_reject(&self, loss: f64) -> Result<Self, HypothesisError> {
        let mut actions: Vec<(String, Vec<f64>)> = self.actions.iter().cloned().zip(self.loss.iter().cloned()).collect();
        actions.push((Self::REJECT.into(), vec![loss; self.states.len()]));
        Self::new(self.states.clone(), actions)
    }

    /// The same for states in another order, each of which must be there, and no other.
    ///
    /// # Errors
    /// Names a state that is there and not here, or here and not there.
    pub fn for_states(&self, states: &[String]) -> Result<Self, HypothesisError> {
        let unknown =
            |name: &String, known: &[String]| HypothesisError::Unknown { what: "state", name: name.clone(), known: known.to_vec() };
        if let Some(beyond) = self.states.iter().find(|name| !states.contains(name)) {
            return Err(unknown(beyond, states));
        }
        let place = |name: &String| self.states.iter().position(|known| known == name).ok_or_else(|| unknown(name, &self.states));
        let places = states.iter().map(place).collect::<Result<Vec<usize>, _>>()?;
        let loss = self.loss.iter().map(|losses| places.iter().map(|place| losses[*place]).collect()).collect();
        Ok(Self { states: states.to_vec(), actions: self.actions.clone(), loss })
    }

    /// The states.
    pub fn states(&self) -> &[String] {
        &self.states
    }

    /// The actions.
    pub fn actions(&self) -> &[String] {
        &self.actions
    }

    /// What to do where the states have these probabilities.
    ///
    /// # Errors
    /// When there are not as many.
    pub fn decide(&self, p: &[f64]) -> Result<Decision, HypothesisError> {
        if p.len() != self.states.len() {
            return Err(HypothesisError::Length { what: "probabilities of states", expected: self.states.len(), found: p.len() });
        }
        let expected: Vec<f64> = self.loss.iter().map(|losses| losses.iter().zip(p).map(|(loss, p)| loss * p).sum()).collect();
        let action = (1..expected.len()).fold(0, |best, place| if expected[place] < expected[best] { place } else { best });
        Ok(Decision { action, expected })
    }

    /// What it is worth to learn the outcome of something before one acts. `outcomes` are, for each, P(outcome, state) of all states.
    ///
    /// # Errors
    /// When an outcome has not as many states.
    pub fn value_of_information(&self, outcomes: &[Vec<f64>]) -> Result<f64, HypothesisError> {
        let mut p = vec![0.0; self.states.len()];
        let mut after = 0.0;
        for joint in outcomes {
            // The expected loss of the joint is that of the posterior, times the outcome's probability.
            after += self.decide(joint)?.least();
            p.iter_mut().zip(joint).for_each(|(p, joint)| *p += joint);
        }
        Ok((self.decide(&p)?.least() - after).max(0.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn states() -> Vec<String> {
        ["a", "b", "c"].map(String::from).to_vec()
    }

    #[test]
    fn not_to_decide_is_least_where_nothing_is_sure() {
        let table = LossTable::zero_one(states()).unwrap().with_reject(0.3).unwrap();
        assert_eq!(table.decide(&[0.8, 0.1, 0.1]).unwrap().action, 0);
        assert_eq!(table.actions()[table.decide(&[0.5, 0.3, 0.2]).unwrap().action], LossTable::REJECT);
    }

    /// A test that tells all is worth what is lost for want of it; one that tells nothing is worth nothing.
    #[test]
    fn what_tests_are_worth() {
        let table = LossTable::zero_one(states()).unwrap();
        let p = [0.5, 0.3, 0.2];
        let all: Vec<Vec<f64>> = (0..3).map(|state| (0..3).map(|s| if s == state { p[s] } else { 0.0 }).collect()).collect();
        assert!((table.value_of_information(&all).unwrap() - 0.5).abs() < 1e-15);
        let nothing: Vec<Vec<f64>> = [0.25, 0.75].iter().map(|share| p.iter().map(|p| p * share).collect()).collect();
        assert_eq!(table.value_of_information(&nothing).unwrap(), 0.0);
    }

    #[test]
    fn what_is_no_loss_is_named() {
        let bad = LossTable::new(states(), vec![("x".into(), vec![0.0, f64::NAN, 1.0])]).unwrap_err().to_string();
        assert!(bad.contains("`x`") && bad.contains("`b`"), "{bad}");
        assert!(LossTable::new(states(), vec![("x".into(), vec![0.0])]).is_err());
        assert!(LossTable::new(states(), vec![]).is_err());
        let table = LossTable::zero_one(states()).unwrap();
        assert!(table.for_states(&["a".into(), "b".into()]).is_err());
        assert_eq!(table.for_states(&["c".into(), "a".into(), "b".into()]).unwrap().loss[0], [1.0, 0.0, 1.0]);
    }

    proptest! {
        /// Knowing more never costs, and knowing all is worth most.
        #[test]
        fn information_is_worth_something_or_nothing(
            cells in prop::collection::vec(0.001..1.0_f64, 12), losses in prop::collection::vec(-5.0..5.0_f64, 6),
        ) {
            let sum: f64 = cells.iter().sum();
            let outcomes: Vec<Vec<f64>> = cells.chunks(3).map(|row| row.iter().map(|p| p / sum).collect()).collect();
            let table = LossTable::new(states(), losses.chunks(3).enumerate().map(|(n, l)| (n.to_string(), l.to_vec())).collect()).unwrap();
            let worth = table.value_of_information(&outcomes).unwrap();
            let p: Vec<f64> = (0..3).map(|state| outcomes.iter().map(|row| row[state]).sum()).collect();
            let sure: Vec<Vec<f64>> = (0..3).map(|state| (0..3).map(|s| if s == state { p[s] } else { 0.0 }).collect()).collect();
            prop_assert!(worth >= 0.0 && worth <= table.value_of_information(&sure).unwrap() + 1e-12);
        }
    }
}
