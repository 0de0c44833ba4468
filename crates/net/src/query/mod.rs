//! The language of questions: what can be asked of a network, as a typed value.
//!
//! ```text
//! query  = prob | best | indep | info
//! prob   = "P(" ( "*" | target {"," target} ) [given] ")"  |  "E[" name [given] "]"
//! best   = "argmax" [":" k] name {"," name} [given]  |  "mpe" [":" k] [given]
//! indep  = names ("⟂" | "_||_") names ["|" names]
//! info   = "H(" names [given] ")"  |  "I(" names ";" names [given] ")"
//! given  = "|" item {"," item}        target = name | name ("=" | "!=") state        names = name {"," name}
//! item   = name | ["!"] name "=" state | name "!=" state | name "in" "{" state {"," state} "}"
//!        | name ("~" | ":~") ( "[" num {"," num} "]" | "{" state ":" num {"," state ":" num} "}" )
//!        | "do(" name "=" state {"," name "=" state} ")"
//! name   = quoted | run without space , | ( ) [ ] { } = ! ~ : ; < > " ⟂
//! state  = quoted | run without space , | ( ) [ ] { } "
//! ```
//!
//! `"…"` with `\` before `"` and `\` quotes anything. A query holds names as they were written; it knows no network.

pub(crate) mod parse;
pub(crate) mod write;

pub use parse::QueryError;

/// A question.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Query {
    /// `P(A, B=b | …)`
    Probability {
        /// What is asked for.
        targets: Targets,
        /// What is known.
        given: Vec<Given>,
    },
    /// `E[A | …]`
    Expectation {
        /// The variable.
        variable: String,
        /// What is known.
        given: Vec<Given>,
    },
    /// `argmax:k A, B | …`
    Argmax {
        /// How many of the best, from 1.
        n_best: usize,
        /// The variables.
        variables: Vec<String>,
        /// What is known.
        given: Vec<Given>,
    },
    /// `mpe:k | …`
    MostProbableExplanation {
        /// How many of the best, from 1.
        n_best: usize,
        /// What is known.
        given: Vec<Given>,
    },
    /// `A ⟂ B | C`
    Independence {
        /// The variables on the left.
        first: Vec<String>,
        /// The variables on the right.
        second: Vec<String>,
        /// Those that are given.
        given: Vec<String>,
    },
    /// `H(A, B | …)`
    Entropy {
        /// The variables.
        variables: Vec<String>,
        /// What is known.
        given: Vec<Given>,
    },
    /// `I(A; B | …)`
    MutualInformation {
        /// The variables on the left.
        first: Vec<String>,
        /// The variables on the right.
        second: Vec<String>,
        /// What is known.
        given: Vec<Given>,
    },
}

/// What a probability is asked of.
#[derive(Clone, Debug, PartialEq)]
pub enum Targets {
    /// `*`: every variable by itself.
    All,
    /// These together.
    These(Vec<Target>),
}

/// A variable, or that it is in a state or not.
#[derive(Clone, Debug, PartialEq)]
pub enum Target {
    /// `A`
    Variable(String),
    /// `A=a`
    Is(Assignment),
    /// `A!=a`
    IsNot(Assignment),
}

/// A variable and a state of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assignment {
    /// The variable.
    pub variable: String,
    /// The state.
    pub state: String,
}

/// Something that is known, or to be gone through.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Given {
    /// `B`: a table for each state of it.
    Each(String),
    /// `B=b`
    Is(Assignment),
    /// `B!=b`, also `!B=b`
    IsNot(Assignment),
    /// `B in {b, c}`
    OneOf {
        /// The variable.
        variable: String,
        /// The states it may be in.
        states: Vec<String>,
    },
    /// `B ~ […]`: a likelihood, on any scale.
    Likelihood {
        /// The variable.
        variable: String,
        /// The likelihood of each state.
        weights: Weights,
    },
    /// `B :~ […]`: Jeffrey's rule, this shall be the posterior.
    Jeffrey {
        /// The variable.
        variable: String,
        /// The posterior of each state.
        weights: Weights,
    },
    /// `do(B=b, …)`
    Do(Vec<Assignment>),
}

/// A number for each state.
#[derive(Clone, Debug, PartialEq)]
pub enum Weights {
    /// In the order of the states.
    InOrder(Vec<f64>),
    /// By the names of states.
    Named(Vec<(String, f64)>),
}

impl Query {
    /// Hands every state that the question names to `change`, with its variable: for states that are written in more than one way.
    ///
    /// ```
    /// use tunbridge_net::query::Query;
    /// let mut query: Query = "P(Ill=yes | Fever=39.1, Age in {70, 80})".parse()?;
    /// query.change_states(|variable, state| if variable == "Fever" { *state = "high".into() });
    /// assert_eq!(query, "P(Ill=yes | Fever=high, Age in {70, 80})".parse()?);
    /// # Ok::<(), tunbridge_net::query::QueryError>(())
    /// ```
    pub fn change_states(&mut self, mut change: impl FnMut(&str, &mut String)) {
        if let Query::Probability { targets: Targets::These(targets), .. } = self {
            for target in targets {
                if let Target::Is(of) | Target::IsNot(of) = target {
                    change(&of.variable, &mut of.state);
                }
            }
        }
        let given = match self {
            Query::Probability { given, .. }
            | Query::Expectation { given, .. }
            | Query::Argmax { given, .. }
            | Query::MostProbableExplanation { given, .. }
            | Query::Entropy { given, .. }
            | Query::MutualInformation { given, .. } => given,
            Query::Independence { .. } => return,
        };
        for given in given {
            match given {
                Given::Each(_) => {}
                Given::Is(of) | Given::IsNot(of) => change(&of.variable, &mut of.state),
                Given::OneOf { variable, states } => states.iter_mut().for_each(|state| change(variable, state)),
                Given::Likelihood { variable, weights: Weights::Named(named) }
                | Given::Jeffrey { variable, weights: Weights::Named(named) } => {
                    named.iter_mut().for_each(|(state, _)| change(variable, state));
                }
                Given::Likelihood { .. } | Given::Jeffrey { .. } => {}
                Given::Do(all) => all.iter_mut().for_each(|of| change(&of.variable, &mut of.state)),
            }
        }
    }
}

impl std::str::FromStr for Query {
    type Err = QueryError;

    /// Reads a question.
    ///
    /// ```
    /// use tunbridge_net::query::{Query, Targets};
    /// let query: Query = "P(Flu, Allergy | Nose=runny, Headache!=yes)".parse()?;
    /// assert!(matches!(query, Query::Probability { targets: Targets::These(targets), .. } if targets.len() == 2));
    /// let broken = "P(Flu | Nose=runny".parse::<Query>().unwrap_err();
    /// assert_eq!(broken.to_string(), "expected `,` or `)`, found the end\n  P(Flu | Nose=runny\n                    ^");
    /// # Ok::<(), tunbridge_net::query::QueryError>(())
    /// ```
    fn from_str(text: &str) -> Result<Self, QueryError> {
        parse::parse(text)
    }
}
