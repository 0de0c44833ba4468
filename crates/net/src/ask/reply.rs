//! What comes back from a question, in ids of the domain: a program prints it without knowing the engines.

use super::conflict::Conflict;
use crate::domain::Domain;
use belief::VarId;

/// The answer to a question, and how it was got.
#[derive(Clone, Debug, PartialEq)]
pub struct Reply {
    /// What was found.
    pub outcome: Outcome,
    /// How: exact or not, and by which engine, in a few words.
    pub method: String,
}

/// What was found.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Outcome {
    /// One answer given the evidence.
    Found {
        /// The answer.
        value: Value,
        /// The natural logarithm of the probability of the evidence, of likelihoods their expectation; zero without evidence.
        ln_p_evidence: f64,
    },
    /// An answer for every state of the variables that stand bare behind the bar.
    EachState {
        /// Those variables.
        given: Vec<VarId>,
        /// An answer for each configuration of them, the last fastest.
        rows: Vec<StateRow>,
        /// The natural logarithm of the probability of the other evidence.
        ln_p_evidence: f64,
    },
    /// What a graph says of independence. It needs no evidence.
    Independence(Independence),
    /// The model gives the evidence probability zero.
    Impossible {
        /// Findings that cannot be together.
        conflict: Conflict,
    },
}

/// The answer when bare variables are in these states.
#[derive(Clone, Debug, PartialEq)]
pub struct StateRow {
    /// The states, by place, one for each bare variable.
    pub states: Vec<usize>,
    /// The probability of these states given the other evidence.
    pub p: f64,
    /// The answer; `None` where the states are impossible.
    pub value: Option<Value>,
}

/// An answer.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Value {
    /// `P(A, B | …)`: a table. Where events were asked with it, as in `P(A, B=b)`, its entries are those of the events with it and sum to less than one.
    Table(Table),
    /// `P(A=a, B!=b | …)`: one number.
    Probability(f64),
    /// `P(* | …)`: the distribution of every variable, in the order of the domain.
    Marginals(Vec<Vec<f64>>),
    /// `argmax` and `mpe`: the most probable first. Fewer than asked for when no more are possible.
    Best(Vec<BestAssignment>),
    /// `E[A | …]`
    Expectation {
        /// The variable.
        variable: VarId,
        /// Its mean.
        mean: f64,
        /// Its standard deviation.
        sd: f64,
    },
    /// `H(A, B | …)`
    Entropy {
        /// In nats; divided by ln 2 it is in bits.
        nats: f64,
    },
    /// `I(A; B | …)`
    MutualInformation {
        /// In nats; divided by ln 2 it is in bits.
        nats: f64,
    },
}

/// Probabilities of the configurations of a few variables.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// The variables, in the order they were asked for.
    pub variables: Vec<VarId>,
    /// The probability of each configuration, the last variable fastest.
    pub probabilities: Vec<f64>,
}

/// One of the most probable assignments.
#[derive(Clone, Debug, PartialEq)]
pub struct BestAssignment {
    /// The variables in the order they were asked for, each with its state's place.
    pub states: Vec<(VarId, usize)>,
    /// P(assignment | evidence).
    pub p: f64,
    /// ln P(assignment, evidence).
    pub log_p_joint: f64,
}

/// What a graph says of two sets of variables given a third.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Independence {
    /// Every distribution of this graph makes them independent.
    Independent,
    /// The graph does not make them independent, along this trail.
    Dependent {
        /// A shortest active trail from one of the first to one of the second.
        trail: Vec<VarId>,
        /// The common effects on the trail, each with what was given of it: itself, or a variable below it. Without that it would block the trail.
        opened: Vec<(VarId, VarId)>,
    },
}

impl Table {
    /// The configurations with their probabilities, in order: the place of each variable's state.
    pub fn rows<'a>(&'a self, domain: &Domain) -> impl Iterator<Item = (Vec<usize>, f64)> + use<'a> {
        let shape: Vec<usize> = self.variables.iter().map(|&variable| domain.n_states(variable)).collect();
        self.probabilities.iter().enumerate().map(move |(place, &p)| (states_at(&shape, place), p))
    }

    /// The configurations with their probabilities, in order, by the names of the states.
    pub fn named_rows<'a>(&'a self, domain: &'a Domain) -> impl Iterator<Item = (Vec<&'a str>, f64)> {
        let named = |states: Vec<usize>| self.variables.iter().zip(states).map(|(&v, state)| domain.states(v)[state].as_str()).collect();
        self.rows(domain).map(move |(states, p)| (named(states), p))
    }
}

/// The configuration at a place of a table of this shape, the last fastest.
pub(super) fn states_at(shape: &[usize], mut place: usize) -> Vec<usize> {
    let mut states = vec![0; shape.len()];
    for (state, &n_states) in states.iter_mut().zip(shape).rev() {
        *state = place % n_states;
        place /= n_states;
    }
    states
}
