//! Evidence: what was observed, put to a network in a question; and what comes back.
//!
//! Every finding is a likelihood over the states of its variable: a state that was seen is one and zeros elsewhere. Findings of one variable
//! multiply, so that two different states of it are impossible together, which is an answer and not a fault.

use crate::domain::Domain;
use crate::error::NetError;
use belief::VarId;
use std::collections::BTreeMap;

/// What was observed. Invariant: the largest entry of a likelihood is one, or all are zero.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Evidence {
    findings: BTreeMap<VarId, Vec<f64>>,
    ln_scale: f64,
}

/// What inference gives back: an answer, or that the evidence cannot be.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer<T> {
    /// The evidence has a probability above zero.
    Possible {
        /// The answer.
        answer: T,
        /// The natural logarithm of the probability of the evidence, for likelihoods of their expectation.
        ln_p_evidence: f64,
    },
    /// The network gives the evidence probability zero.
    Impossible,
}

/// A distribution over several variables together.
#[derive(Clone, Debug, PartialEq)]
pub struct JointDistribution {
    /// The variables, in the order they were asked for.
    pub variables: Vec<VarId>,
    /// The probability of each configuration, the last variable fastest.
    pub probabilities: Vec<f64>,
}

impl Evidence {
    /// No evidence.
    pub fn none() -> Self {
        Self::default()
    }

    /// Variables seen in states, by names.
    ///
    /// # Errors
    /// When a name is unknown.
    pub fn of_states(domain: &impl AsRef<Domain>, seen: &[(&str, &str)]) -> Result<Self, NetError> {
        let (domain, mut evidence) = (domain.as_ref(), Self::none());
        for (variable, state) in seen {
            let variable = domain.find(variable)?;
            evidence.observe(domain, variable, domain.find_state(variable, state)?)?;
        }
        Ok(evidence)
    }

    /// Adds that a variable was seen in a state.
    ///
    /// # Errors
    /// When there is no such variable or state.
    pub fn observe(&mut self, domain: &impl AsRef<Domain>, variable: VarId, state: usize) -> Result<(), NetError> {
        self.observe_one_of(domain, variable, &[state])
    }

    /// Adds that a variable was seen in one of several states.
    ///
    /// # Errors
    /// When there is no such variable or state, or no state is given.
    pub fn observe_one_of(&mut self, domain: &impl AsRef<Domain>, variable: VarId, states: &[usize]) -> Result<(), NetError> {
        let domain = domain.as_ref();
        domain.check(variable)?;
        let mut likelihood = vec![0.0; domain.n_states(variable)];
        for &state in states {
            let known = || domain.states(variable).to_vec();
            let unknown =
                || NetError::UnknownState { variable: domain.name(variable).to_string(), state: format!("#{state}"), known: known() };
            *likelihood.get_mut(state).ok_or_else(unknown)? = 1.0;
        }
        self.observe_likelihood(domain, variable, &likelihood)
    }

    /// Adds a likelihood (virtual evidence, Pearl 1988, section 2.2.2): for each state how probable what was seen is in it, on any scale.
    ///
    /// # Errors
    /// When there is no such variable, not one number for each state, a number is negative or not finite, or all are zero.
    pub fn observe_likelihood(&mut self, domain: &impl AsRef<Domain>, variable: VarId, likelihood: &[f64]) -> Result<(), NetError> {
        let domain = domain.as_ref();
        domain.check(variable)?;
        let n_states = domain.n_states(variable);
        let largest = likelihood.iter().copied().fold(0.0, f64::max);
        if likelihood.len() != n_states || largest == 0.0 || likelihood.iter().any(|value| !(value.is_finite() && *value >= 0.0)) {
            return Err(NetError::NotALikelihood { variable: domain.name(variable).to_string(), n_states });
        }
        let product = self.findings.entry(variable).or_insert_with(|| vec![1.0; n_states]);
        product.iter_mut().zip(likelihood).for_each(|(so_far, value)| *so_far *= value / largest);
        self.ln_scale += largest.ln();
        let left = product.iter().copied().fold(0.0, f64::max);
        if left > 0.0 && left < 1.0 {
            product.iter_mut().for_each(|value| *value /= left);
            self.ln_scale += left.ln();
        }
        Ok(())
    }

    /// The variables that something was observed of, in order.
    pub fn variables(&self) -> impl Iterator<Item = VarId> + '_ {
        self.findings.keys().copied()
    }

    /// What was observed of a variable, the largest entry one; all are zero if the findings contradict each other.
    pub fn likelihood(&self, variable: VarId) -> Option<&[f64]> {
        self.findings.get(&variable).map(Vec::as_slice)
    }

    /// The state that a variable must be in, if the findings leave one.
    pub fn state(&self, variable: VarId) -> Option<usize> {
        let mut left = self.findings.get(&variable)?.iter().enumerate().filter(|(_, value)| **value > 0.0).map(|(state, _)| state);
        left.next().filter(|_| left.next().is_none())
    }

    /// The same without the variables whose state is known; the scale stays.
    pub(crate) fn without_states(&self) -> Self {
        let is_open = |variable: &VarId| self.state(*variable).is_none();
        let findings =
            self.findings.iter().filter(|(variable, _)| is_open(variable)).map(|(&variable, likelihood)| (variable, likelihood.clone()));
        Self { findings: findings.collect(), ln_scale: self.ln_scale }
    }

    /// The natural logarithm of what all likelihoods were divided by.
    pub fn ln_scale(&self) -> f64 {
        self.ln_scale
    }

    /// Whether findings of one variable leave it no state.
    pub fn contradicts_itself(&self) -> bool {
        self.findings.values().any(|likelihood| likelihood.iter().all(|&value| value == 0.0))
    }

    /// Whether the evidence is of this domain.
    pub(crate) fn check(&self, domain: &Domain) -> Result<(), NetError> {
        self.findings.iter().try_for_each(|(&variable, likelihood)| {
            domain.check(variable)?;
            let n_states = domain.n_states(variable);
            let variable = || domain.name(variable).to_string();
            if likelihood.len() == n_states { Ok(()) } else { Err(NetError::NotALikelihood { variable: variable(), n_states }) }
        })
    }
}

impl<T> Answer<T> {
    /// The answer, if the evidence is possible.
    pub fn possible(self) -> Option<T> {
        match self {
            Self::Possible { answer, .. } => Some(answer),
            Self::Impossible => None,
        }
    }

    /// The natural logarithm of the probability of the evidence; −∞ when it is impossible.
    pub fn ln_p_evidence(&self) -> f64 {
        match self {
            Self::Possible { ln_p_evidence, .. } => *ln_p_evidence,
            Self::Impossible => f64::NEG_INFINITY,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::Network;

    fn coin() -> Network {
        Network::builder().variable("Coin", ["heads", "tails", "edge"]).probabilities([0.5, 0.25, 0.25]).build().unwrap()
    }

    #[test]
    fn findings_multiply() {
        let (coin, side) = (coin(), VarId::new(0));
        let mut evidence = Evidence::none();
        evidence.observe_likelihood(&coin, side, &[0.0, 0.25, 0.5]).unwrap();
        assert_eq!(evidence.likelihood(side), Some(&[0.0, 0.5, 1.0][..]));
        assert_eq!(evidence.state(side), None);
        evidence.observe_one_of(&coin, side, &[0, 1]).unwrap();
        assert_eq!(evidence.likelihood(side), Some(&[0.0, 1.0, 0.0][..]));
        assert_eq!(evidence.state(side), Some(1));
        assert!((evidence.ln_scale() - 0.25_f64.ln()).abs() < 1e-15);
        evidence.observe(&coin, side, 2).unwrap();
        assert!(evidence.contradicts_itself());
    }

    #[test]
    fn what_is_no_evidence_is_refused() {
        let (coin, side) = (coin(), VarId::new(0));
        let mut evidence = Evidence::none();
        for likelihood in [&[0.0; 3][..], &[1.0; 2], &[-1.0, 1.0, 1.0], &[f64::INFINITY, 1.0, 1.0], &[f64::NAN, 1.0, 1.0]] {
            assert!(matches!(evidence.observe_likelihood(&coin, side, likelihood), Err(NetError::NotALikelihood { .. })), "{likelihood:?}");
        }
        assert!(evidence.observe(&coin, side, 3).is_err());
        assert!(evidence.observe(&coin, VarId::new(1), 0).is_err());
        assert!(Evidence::of_states(&coin, &[("Coin", "top")]).is_err());
        assert_eq!(evidence, Evidence::none());
    }
}
