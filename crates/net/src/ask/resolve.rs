//! From the names of a question to variables and states of a domain.
//!
//! A variable is meant exactly. A state is meant exactly, else without case, else as a number (`0` is `0.0`), if one state alone fits; never by its
//! place. What is misspelt is answered with the name that is spelled most alike.

use super::AskError;
use super::finding::{Finding, FindingKind};
use crate::conditional::ROW_SUM_TOLERANCE;
use crate::domain::Domain;
use crate::query::{Assignment, Given, Query, Target, Targets, Weights};
use belief::VarId;
use belief::expression::closest;

/// A question in ids: what is asked, and what is known.
#[derive(Clone, Debug, PartialEq)]
pub struct Question {
    /// What is asked.
    pub asks: Asks,
    /// What is known. More may be added, as a row of a table of cases does.
    pub findings: Vec<Finding>,
    /// Variables that an answer is wanted for each state of.
    pub each: Vec<VarId>,
}

/// What is asked, in ids.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Asks {
    /// `P(A, B=b)`: a table over some variables, together with events.
    Probability {
        /// The variables of the table.
        variables: Vec<VarId>,
        /// The events: a variable and, for each state, whether it counts.
        events: Vec<(VarId, Vec<bool>)>,
    },
    /// `P(*)`
    Marginals,
    /// `E[A]`, with the numbers that the states are.
    Expectation {
        /// The variable.
        variable: VarId,
        /// What its states are as numbers.
        numbers: Vec<f64>,
    },
    /// `argmax`, `mpe`
    Best {
        /// How many.
        n_best: usize,
        /// The variables.
        variables: Vec<VarId>,
    },
    /// `A ⟂ B | C`
    Independence {
        /// The variables on the left.
        first: Vec<VarId>,
        /// The variables on the right.
        second: Vec<VarId>,
        /// Those that are given.
        given: Vec<VarId>,
    },
    /// `H(A, B)`
    Entropy {
        /// The variables.
        variables: Vec<VarId>,
    },
    /// `I(A; B)`
    MutualInformation {
        /// The variables on the left.
        first: Vec<VarId>,
        /// The variables on the right.
        second: Vec<VarId>,
    },
}

impl Question {
    /// A question in the words of a domain.
    ///
    /// # Errors
    /// When a variable or state is unknown or could be several, numbers are no likelihood or no distribution, something is named twice, an intervention is
    /// asked for, or an expectation of what has no numbers.
    ///
    /// ```
    /// use tunbridge_net::{Domain, ask::Question, query::Query};
    /// let domain = Domain::new([("Smoking", ["yes", "no"]), ("Dose", ["0.0", "1.5"])])?;
    /// let query: Query = "P(Smoking=YES | Dose=0)".parse()?;
    /// let question = Question::resolve(&domain, &query)?;
    /// assert_eq!(question.findings[0].likelihood(), [1.0, 0.0]);
    /// let misspelt: Query = "P(Smokign)".parse()?;
    /// let error = Question::resolve(&domain, &misspelt).unwrap_err();
    /// assert_eq!(error.to_string(), "no variable is named `Smokign`: did you mean `Smoking`?");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn resolve(domain: &Domain, query: &Query) -> Result<Self, AskError> {
        Self::resolve_with(domain, &[], query)
    }

    /// The same, where the states of some variables stand for numbers that are not their names.
    pub(super) fn resolve_with(domain: &Domain, state_values: &[Option<Vec<f64>>], query: &Query) -> Result<Self, AskError> {
        let names = Names { domain, state_values };
        let (asks, given): (Asks, &[Given]) = match query {
            Query::Probability { targets: Targets::All, given } => (Asks::Marginals, given),
            Query::Probability { targets: Targets::These(targets), given } => (names.targets(targets)?, given),
            Query::Expectation { variable, given } => (names.expectation(variable)?, given),
            Query::Argmax { n_best, variables, given } => (Asks::Best { n_best: *n_best, variables: names.different(variables)? }, given),
            Query::MostProbableExplanation { n_best, given } => {
                (Asks::Best { n_best: *n_best, variables: domain.variables().collect() }, given)
            }
            Query::Independence { first, second, given } => {
                let [first, second, given] = [names.different(first)?, names.different(second)?, names.different(given)?];
                (Asks::Independence { first, second, given }, &[])
            }
            Query::Entropy { variables, given } => (Asks::Entropy { variables: names.different(variables)? }, given),
            Query::MutualInformation { first, second, given } => {
                (Asks::MutualInformation { first: names.different(first)?, second: names.different(second)? }, given)
            }
        };
        let mut question = Self { asks, findings: Vec::new(), each: Vec::new() };
        given.iter().try_for_each(|item| question.add(names, item))?;
        Ok(question)
    }

    /// The variables that are asked about, each once.
    pub fn asked(&self) -> Vec<VarId> {
        let mut asked: Vec<VarId> = match &self.asks {
            Asks::Probability { variables, events } => {
                variables.iter().copied().chain(events.iter().map(|(variable, _)| *variable)).collect()
            }
            Asks::Marginals => Vec::new(),
            Asks::Expectation { variable, .. } => vec![*variable],
            Asks::Best { variables, .. } | Asks::Entropy { variables } => variables.clone(),
            Asks::Independence { first, second, .. } | Asks::MutualInformation { first, second } => [&first[..], second].concat(),
        };
        let mut seen = std::collections::BTreeSet::new();
        asked.retain(|&variable| seen.insert(variable));
        asked
    }

    fn add(&mut self, names: Names<'_>, item: &Given) -> Result<(), AskError> {
        let finding = match item {
            Given::Each(name) => {
                let variable = names.variable(name)?;
                if self.each.contains(&variable) {
                    return Err(AskError::NamedTwice { variable: name.clone() });
                }
                self.each.push(variable);
                return Ok(());
            }
            Given::Do(assignments) => {
                let what = assignments.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
                return Err(AskError::Intervention { what });
            }
            Given::Is(assignment) => {
                let (variable, state) = names.assignment(assignment)?;
                Finding::state(names.domain, variable, state)
            }
            Given::IsNot(assignment) => {
                let (variable, state) = names.assignment(assignment)?;
                Finding::not_state(names.domain, variable, state)
            }
            Given::OneOf { variable, states } => {
                let variable = names.variable(variable)?;
                let states = states.iter().map(|state| names.state(variable, state)).collect::<Result<Vec<_>, _>>()?;
                Finding::one_of(names.domain, variable, &states)
            }
            Given::Likelihood { variable, weights } => {
                let variable = names.variable(variable)?;
                Finding::weighted(variable, names.weights(variable, weights)?, FindingKind::Likelihood, item.to_string())
            }
            Given::Jeffrey { variable, weights } => {
                let variable = names.variable(variable)?;
                let name = || names.domain.name(variable).to_string();
                if self.findings.iter().any(|finding| finding.kind() == FindingKind::Posterior && finding.variable() == variable) {
                    return Err(AskError::PosteriorTwice { variable: name() });
                }
                let mut weights = names.weights(variable, weights)?;
                let sum: f64 = weights.iter().sum();
                if (sum - 1.0).abs() > ROW_SUM_TOLERANCE {
                    return Err(AskError::PosteriorSum { variable: name(), sum });
                }
                weights.iter_mut().for_each(|weight| *weight /= sum);
                Finding::weighted(variable, weights, FindingKind::Posterior, item.to_string())
            }
        };
        self.findings.push(finding);
        Ok(())
    }
}

/// The place of a state: exactly, else without case, else as a number, if one alone fits.
///
/// # Errors
/// When none fits, or several.
///
/// # Panics
/// When there is no such variable.
pub fn find_state(domain: &Domain, variable: VarId, text: &str) -> Result<usize, AskError> {
    let states = domain.states(variable);
    if let Some(place) = states.iter().position(|state| state == text) {
        return Ok(place);
    }
    let lowered = text.to_lowercase();
    let without_case: Vec<usize> = (0..states.len()).filter(|&place| states[place].to_lowercase() == lowered).collect();
    let fits = match (without_case.is_empty(), number(text)) {
        (true, Some(wanted)) => (0..states.len()).filter(|&place| number(&states[place]) == Some(wanted)).collect(),
        _ => without_case,
    };
    match fits[..] {
        [place] => Ok(place),
        [] => Err(AskError::UnknownState {
            variable: domain.name(variable).to_string(),
            state: text.to_string(),
            known: states.to_vec(),
            closest: closest(text, states.iter().map(String::as_str)),
        }),
        _ => Err(AskError::AmbiguousState {
            variable: domain.name(variable).to_string(),
            state: text.to_string(),
            fits: fits.iter().map(|&place| states[place].clone()).collect(),
        }),
    }
}

/// The variable of a name.
///
/// # Errors
/// When there is none; with the name that is spelled most alike.
pub fn find_variable(domain: &Domain, name: &str) -> Result<VarId, AskError> {
    domain.find(name).map_err(|_| AskError::UnknownVariable {
        name: name.to_string(),
        closest: closest(name, domain.names().iter().map(String::as_str)),
    })
}

/// What a text is as a number; `None` for texts that are none, and for those that are not finite.
fn number(text: &str) -> Option<f64> {
    text.trim().parse().ok().filter(|number: &f64| number.is_finite())
}

#[derive(Clone, Copy)]
struct Names<'a> {
    domain: &'a Domain,
    /// The numbers that states stand for, by variable.
    state_values: &'a [Option<Vec<f64>>],
}

impl Names<'_> {
    fn variable(self, name: &str) -> Result<VarId, AskError> {
        find_variable(self.domain, name)
    }

    fn state(self, variable: VarId, state: &str) -> Result<usize, AskError> {
        find_state(self.domain, variable, state)
    }

    fn assignment(self, assignment: &Assignment) -> Result<(VarId, usize), AskError> {
        let variable = self.variable(&assignment.variable)?;
        Ok((variable, self.state(variable, &assignment.state)?))
    }

    fn different(self, names: &[String]) -> Result<Vec<VarId>, AskError> {
        let variables = names.iter().map(|name| self.variable(name)).collect::<Result<Vec<_>, _>>()?;
        match (0..variables.len()).find(|&place| variables[..place].contains(&variables[place])) {
            Some(place) => Err(AskError::NamedTwice { variable: names[place].clone() }),
            None => Ok(variables),
        }
    }

    fn targets(self, targets: &[Target]) -> Result<Asks, AskError> {
        let (mut variables, mut events): (Vec<VarId>, Vec<(VarId, Vec<bool>)>) = (Vec::new(), Vec::new());
        for target in targets {
            match target {
                Target::Variable(name) => {
                    let variable = self.variable(name)?;
                    if variables.contains(&variable) {
                        return Err(AskError::NamedTwice { variable: name.clone() });
                    }
                    variables.push(variable);
                }
                Target::Is(assignment) | Target::IsNot(assignment) => {
                    let (variable, state) = self.assignment(assignment)?;
                    let is = matches!(target, Target::Is(_));
                    events.push((variable, (0..self.domain.n_states(variable)).map(|other| (other == state) == is).collect()));
                }
            }
        }
        Ok(Asks::Probability { variables, events })
    }

    fn expectation(self, name: &str) -> Result<Asks, AskError> {
        let variable = self.variable(name)?;
        if let Some(Some(numbers)) = self.state_values.get(variable.index()) {
            return Ok(Asks::Expectation { variable, numbers: numbers.clone() });
        }
        let one = |state: &String| number(state).ok_or_else(|| AskError::NotNumeric { variable: name.to_string(), state: state.clone() });
        let numbers = self.domain.states(variable).iter().map(one).collect::<Result<Vec<_>, _>>()?;
        Ok(Asks::Expectation { variable, numbers })
    }

    fn weights(self, variable: VarId, weights: &Weights) -> Result<Vec<f64>, AskError> {
        let (domain, name) = (self.domain, || self.domain.name(variable).to_string());
        let n_states = domain.n_states(variable);
        let weights = match weights {
            Weights::InOrder(numbers) if numbers.len() != n_states => {
                let known = domain.states(variable).to_vec();
                return Err(AskError::NumberOfWeights { variable: name(), found: numbers.len(), n_states, known });
            }
            Weights::InOrder(numbers) => numbers.clone(),
            Weights::Named(named) => {
                let mut found: Vec<Option<f64>> = vec![None; n_states];
                for (text, weight) in named {
                    let state = self.state(variable, text)?;
                    if found[state].replace(*weight).is_some() {
                        return Err(AskError::StateTwice { variable: name(), state: domain.states(variable)[state].clone() });
                    }
                }
                let missing: Vec<String> = found
                    .iter()
                    .zip(domain.states(variable))
                    .filter(|(weight, _)| weight.is_none())
                    .map(|(_, state)| state.clone())
                    .collect();
                if !missing.is_empty() {
                    return Err(AskError::StatesWithoutWeight { variable: name(), missing });
                }
                found.into_iter().flatten().collect()
            }
        };
        if let Some(&weight) = weights.iter().find(|weight| weight.is_nan() || **weight < 0.0) {
            return Err(AskError::NegativeWeight { variable: name(), weight });
        }
        if weights.iter().all(|&weight| weight == 0.0) { Err(AskError::NoWeight { variable: name() }) } else { Ok(weights) }
    }
}
