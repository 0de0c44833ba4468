//! What a table holds: named variables, their kinds and states, and the part each plays.

use std::cmp::Ordering;
use std::collections::HashSet;

use serde::{Deserialize, Serialize};

/// A variable's place in its [`Schema`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct VarId(u32);

impl VarId {
    /// The id of the variable at this place.
    ///
    /// # Panics
    /// When the place does not fit 32 bits; no schema is that wide.
    pub fn new(place: usize) -> Self {
        Self(u32::try_from(place).expect("fewer than 2^32 variables"))
    }

    /// The place as an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Ordered, named variables. Invariant: no two share a name; at most one is the target and one the weight.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Vec<Variable>", into = "Vec<Variable>")]
pub struct Schema {
    variables: Vec<Variable>,
}

/// One column of a table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Variable {
    /// The column's name.
    pub name: String,
    /// What its values are.
    pub kind: Kind,
    /// What it is for.
    pub role: Role,
}

/// What a variable's values are.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Kind {
    /// One of a list of states.
    Categorical(States),
    /// A real number.
    Numeric,
    /// Words, of a vocabulary.
    Text(States),
    /// Any number of labels, none among them.
    Labels(States),
    /// A day or a moment.
    Date,
    /// Read but not understood: nested or binary columns.
    Opaque,
}

impl Kind {
    /// The word a user reads and writes for this kind.
    pub fn word(&self) -> &'static str {
        match self {
            Kind::Categorical(_) => "category",
            Kind::Numeric => "numeric",
            Kind::Text(_) => "text",
            Kind::Labels(_) => "labels",
            Kind::Date => "date",
            Kind::Opaque => "opaque",
        }
    }

    /// The states of a category, the words of a text, or the labels.
    pub fn states(&self) -> Option<&States> {
        match self {
            Kind::Categorical(states) | Kind::Text(states) | Kind::Labels(states) => Some(states),
            _ => None,
        }
    }
}

/// What a variable is for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Role {
    /// Evidence.
    Input,
    /// What is to be predicted.
    Target,
    /// How often a row counts.
    Weight,
    /// Left out, for this reason.
    Ignored(String),
}

/// An ordered list of state names; the first `n_declared` were declared, the rest were seen in data.
///
/// Invariant: no name occurs twice.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "RawStates", into = "RawStates")]
pub struct States {
    names: Vec<String>,
    n_declared: usize,
    ordered: bool,
}

#[derive(Serialize, Deserialize)]
struct RawStates {
    names: Vec<String>,
    n_declared: usize,
    ordered: bool,
}

/// Why a schema or a list of states was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SchemaError {
    /// Two variables of one name.
    #[error("two columns are named `{0}`")]
    DuplicateVariable(String),
    /// Two states of one name.
    #[error("state `{0}` is listed twice")]
    DuplicateState(String),
    /// Two variables play a part that is for one.
    #[error("`{first}` and `{second}` are both the {role}")]
    TwoOfARole {
        /// The first.
        first: String,
        /// The second.
        second: String,
        /// The part.
        role: &'static str,
    },
    /// More states were said to be declared than there are.
    #[error("{declared} states are said to be declared of {present}")]
    TooManyDeclared {
        /// Said to be declared.
        declared: usize,
        /// Present.
        present: usize,
    },
}

impl Schema {
    /// A schema of these variables.
    ///
    /// # Errors
    /// When names repeat, or two variables are the target or the weight.
    pub fn new(variables: Vec<Variable>) -> Result<Self, SchemaError> {
        let mut names = HashSet::new();
        for variable in &variables {
            if !names.insert(variable.name.as_str()) {
                return Err(SchemaError::DuplicateVariable(variable.name.clone()));
            }
        }
        for (role, word) in [(Role::Target, "target"), (Role::Weight, "weight")] {
            let mut of_role = variables.iter().filter(|v| v.role == role);
            if let (Some(first), Some(second)) = (of_role.next(), of_role.next()) {
                return Err(SchemaError::TwoOfARole { first: first.name.clone(), second: second.name.clone(), role: word });
            }
        }
        Ok(Self { variables })
    }

    /// The variables, in the order of the table's columns.
    pub fn variables(&self) -> &[Variable] {
        &self.variables
    }

    /// The variable with this id.
    pub fn variable(&self, id: VarId) -> &Variable {
        &self.variables[id.index()]
    }

    /// The variable of this name.
    pub fn find(&self, name: &str) -> Option<VarId> {
        self.variables.iter().position(|v| v.name == name).map(VarId::new)
    }

    /// The variable to be predicted.
    pub fn target(&self) -> Option<VarId> {
        self.variables.iter().position(|v| v.role == Role::Target).map(VarId::new)
    }

    /// The variable that says how often a row counts.
    pub fn weight(&self) -> Option<VarId> {
        self.variables.iter().position(|v| v.role == Role::Weight).map(VarId::new)
    }

    /// The states of a categorical variable.
    pub fn states(&self, id: VarId) -> Option<&States> {
        match &self.variable(id).kind {
            Kind::Categorical(states) => Some(states),
            _ => None,
        }
    }

    /// The number of states, words or labels of each variable, in order; zero for those that have none.
    pub fn cardinalities(&self) -> Vec<usize> {
        self.variables.iter().map(|v| v.kind.states().map_or(0, States::len)).collect()
    }

    /// The same schema with other states for its categorical variables, other words for its texts and other labels.
    #[must_use]
    pub fn with_states(&self, mut states_of: impl FnMut(VarId, &States) -> States) -> Self {
        let mut variables = self.variables.clone();
        for (place, variable) in variables.iter_mut().enumerate() {
            if let Kind::Categorical(states) | Kind::Text(states) | Kind::Labels(states) = &mut variable.kind {
                *states = states_of(VarId::new(place), states);
            }
        }
        Self { variables }
    }
}

impl TryFrom<Vec<Variable>> for Schema {
    type Error = SchemaError;
    fn try_from(variables: Vec<Variable>) -> Result<Self, SchemaError> {
        Self::new(variables)
    }
}

impl From<Schema> for Vec<Variable> {
    fn from(schema: Schema) -> Self {
        schema.variables
    }
}

impl States {
    /// States declared before any data were seen, in this order; more may join them.
    ///
    /// # Errors
    /// When a name repeats.
    pub fn declared(names: Vec<String>, ordered: bool) -> Result<Self, SchemaError> {
        let n_declared = names.len();
        RawStates { names, n_declared, ordered }.try_into()
    }

    /// These states, with more that were seen behind them.
    ///
    /// # Errors
    /// When a name repeats.
    pub fn with_seen(&self, seen: impl IntoIterator<Item = String>) -> Result<Self, SchemaError> {
        let mut names = self.names.clone();
        names.extend(seen);
        RawStates { names, n_declared: self.n_declared, ordered: self.ordered }.try_into()
    }

    /// The names, in order.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// How many of them, from the first, were declared rather than seen.
    pub fn n_declared(&self) -> usize {
        self.n_declared
    }

    /// Whether the order of the declared states means something (low < medium < high).
    pub fn is_ordered(&self) -> bool {
        self.ordered
    }

    /// The place of a state: exact, else the only one that is equal without case, else the only one equal as a number.
    pub fn find(&self, text: &str) -> Option<usize> {
        if let Some(exact) = self.names.iter().position(|n| n == text) {
            return Some(exact);
        }
        let only = |matches: &dyn Fn(&str) -> bool| {
            let mut places = self.names.iter().enumerate().filter(|(_, n)| matches(n)).map(|(i, _)| i);
            places.next().filter(|_| places.next().is_none())
        };
        only(&|n| n.to_lowercase() == text.to_lowercase()).or_else(|| {
            let number: f64 = text.parse().ok()?;
            only(&|n| n.parse::<f64>() == Ok(number))
        })
    }

    /// The same states in canonical order: declared ones as declared, the others sorted (numbers by value, then bytes).
    /// The second value tells where each state went.
    pub fn canonical(&self) -> (Self, Vec<u32>) {
        let mut order: Vec<usize> = (0..self.names.len()).collect();
        // Numbers are read once, and not in every comparison.
        let numbers: Vec<Option<f64>> = self.names.iter().map(|name| finite_number(name)).collect();
        order[self.n_declared..].sort_unstable_by(|&a, &b| match (numbers[a], numbers[b]) {
            (None, None) => self.names[a].cmp(&self.names[b]),
            _ => compare_states(&self.names[a], &self.names[b]),
        });
        let mut place_of = vec![0_u32; order.len()];
        for (new, &old) in order.iter().enumerate() {
            place_of[old] = new as u32;
        }
        let names = order.into_iter().map(|old| self.names[old].clone()).collect();
        (Self { names, n_declared: self.n_declared, ordered: self.ordered }, place_of)
    }
}

impl TryFrom<RawStates> for States {
    type Error = SchemaError;
    fn try_from(raw: RawStates) -> Result<Self, SchemaError> {
        // A vocabulary is long, and comes in order: then no two of its words are the same.
        if !raw.names.is_sorted_by(|a, b| compare_states(a, b) == Ordering::Less) {
            let mut seen = HashSet::with_capacity(raw.names.len());
            if let Some(twice) = raw.names.iter().find(|n| !seen.insert(n.as_str())) {
                return Err(SchemaError::DuplicateState(twice.clone()));
            }
        }
        if raw.n_declared > raw.names.len() {
            return Err(SchemaError::TooManyDeclared { declared: raw.n_declared, present: raw.names.len() });
        }
        Ok(Self { names: raw.names, n_declared: raw.n_declared, ordered: raw.ordered })
    }
}

impl From<States> for RawStates {
    fn from(states: States) -> Self {
        RawStates { names: states.names, n_declared: states.n_declared, ordered: states.ordered }
    }
}

/// The order of states that were not declared: numbers first and by value, then bytes.
pub fn compare_states(a: &str, b: &str) -> Ordering {
    match (finite_number(a), finite_number(b)) {
        (Some(x), Some(y)) => x.total_cmp(&y).then_with(|| a.cmp(b)),
        (Some(_), None) => Ordering::Less,
        (None, Some(_)) => Ordering::Greater,
        (None, None) => a.cmp(b),
    }
}

fn finite_number(text: &str) -> Option<f64> {
    // Words are many, and few of them begin as a number does.
    let may_be = text.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '+' | '-' | '.'));
    may_be.then(|| text.parse::<f64>().ok().filter(|x| x.is_finite())).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(names: &[&str]) -> States {
        States::default().with_seen(names.iter().map(|s| s.to_string())).unwrap()
    }

    #[test]
    fn numbers_sort_by_value_and_come_before_words() {
        let (sorted, place_of) = seen(&["b", "10", "9", "a", "-1.5"]).canonical();
        assert_eq!(sorted.names(), ["-1.5", "9", "10", "a", "b"]);
        assert_eq!(place_of, [4, 2, 1, 3, 0]);
    }

    #[test]
    fn declared_states_keep_their_order() {
        let declared = States::declared(vec!["low".into(), "high".into()], true).unwrap();
        let (sorted, _) = declared.with_seen(["a".to_string()]).unwrap().canonical();
        assert_eq!(sorted.names(), ["low", "high", "a"]);
    }

    #[test]
    fn a_state_is_found_exactly_then_without_case_then_as_a_number() {
        assert_eq!(seen(&["yes", "YES"]).find("yes"), Some(0));
        assert_eq!(seen(&["yes", "YES"]).find("Yes"), None);
        assert_eq!(seen(&["No", "Yes"]).find("yes"), Some(1));
        assert_eq!(seen(&["1.0", "2"]).find("1"), Some(0));
    }

    #[test]
    fn two_targets_are_refused() {
        let target = |name: &str| Variable { name: name.into(), kind: Kind::Numeric, role: Role::Target };
        assert!(matches!(Schema::new(vec![target("a"), target("b")]), Err(SchemaError::TwoOfARole { .. })));
        assert!(matches!(Schema::new(vec![target("a"), target("a")]), Err(SchemaError::DuplicateVariable(_))));
    }
}
