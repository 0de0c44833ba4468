//! Findings: the pieces that evidence is made of, each with the words it was put in.

use super::AskError;
use crate::domain::Domain;
use crate::evidence::Evidence;
use crate::query::{Assignment, Given};
use belief::VarId;

/// One thing that is known of one variable. Invariant: one finite number ≥ 0 for each state, at least one above zero.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    variable: VarId,
    likelihood: Vec<f64>,
    kind: FindingKind,
    text: String,
}

/// What sort of thing is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FindingKind {
    /// The states that it may be in: one, all but one, or some.
    States,
    /// How probable what was seen is in each state, on any scale.
    Likelihood,
    /// What the posterior of the variable shall be (Jeffrey's rule).
    Posterior,
}

impl Finding {
    /// `B=b`
    ///
    /// # Panics
    /// When there is no such variable or state.
    pub fn state(domain: &Domain, variable: VarId, state: usize) -> Self {
        let text = Given::Is(named(domain, variable, state)).to_string();
        Self::of_states(domain, variable, |other| other == state, text)
    }

    /// `B!=b`. Of a variable with one state it leaves none, and is all zeros.
    ///
    /// # Panics
    /// When there is no such variable or state.
    pub fn not_state(domain: &Domain, variable: VarId, state: usize) -> Self {
        let text = Given::IsNot(named(domain, variable, state)).to_string();
        Self::of_states(domain, variable, |other| other != state, text)
    }

    /// `B in {b, c}`
    ///
    /// # Panics
    /// When there is no such variable or state.
    pub fn one_of(domain: &Domain, variable: VarId, states: &[usize]) -> Self {
        let names = states.iter().map(|&state| domain.states(variable)[state].clone()).collect();
        let text = Given::OneOf { variable: domain.name(variable).to_string(), states: names }.to_string();
        Self::of_states(domain, variable, |other| states.contains(&other), text)
    }

    pub(super) fn weighted(variable: VarId, likelihood: Vec<f64>, kind: FindingKind, text: String) -> Self {
        Self { variable, likelihood, kind, text }
    }

    fn of_states(domain: &Domain, variable: VarId, may_be: impl Fn(usize) -> bool, text: String) -> Self {
        let likelihood = (0..domain.n_states(variable)).map(|state| if may_be(state) { 1.0 } else { 0.0 }).collect();
        Self { variable, likelihood, kind: FindingKind::States, text }
    }

    /// The variable.
    pub fn variable(&self) -> VarId {
        self.variable
    }

    /// A number for each state: the likelihood, or for [`FindingKind::Posterior`] the posterior.
    pub fn likelihood(&self) -> &[f64] {
        &self.likelihood
    }

    /// What sort of thing it is.
    pub fn kind(&self) -> FindingKind {
        self.kind
    }

    /// In the words of the language of questions, as in `Nose=runny`.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether one state alone is left.
    pub fn is_hard(&self) -> bool {
        self.kind == FindingKind::States && self.likelihood.iter().filter(|&&value| value > 0.0).count() == 1
    }
}

/// What findings say together, those of Jeffrey's rule left out; `None` when one of them leaves its variable no state.
pub(super) fn likelihoods<'a>(domain: &Domain, findings: impl IntoIterator<Item = &'a Finding>) -> Result<Option<Evidence>, AskError> {
    let mut evidence = Evidence::none();
    for finding in findings.into_iter().filter(|finding| finding.kind != FindingKind::Posterior) {
        if finding.likelihood.iter().all(|&value| value == 0.0) {
            return Ok(None);
        }
        evidence.observe_likelihood(domain, finding.variable, &finding.likelihood)?;
    }
    Ok(Some(evidence))
}

fn named(domain: &Domain, variable: VarId, state: usize) -> Assignment {
    Assignment { variable: domain.name(variable).to_string(), state: domain.states(variable)[state].clone() }
}
