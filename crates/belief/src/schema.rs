//! What a table holds: named variables, their kinds and states, and the part each plays.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::names::Names;
use crate::packed::PackedNames;

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
    /// Of a vocabulary they are many, and are not copied.
    names: Arc<Names>,
    n_declared: usize,
    ordered: bool,
    /// Whether those that were seen are in canonical order, in which one is found by bisection.
    is_canonical: bool,
}

#[derive(Serialize, Deserialize)]
struct RawStates {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    names: Vec<String>,
    /// The names, where they are many.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    packed: Option<PackedNames>,
    n_declared: usize,
    ordered: bool,
}

/// More names than these are packed in a model file.
const MANY: usize = 256;

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
        Self::checked(names.into_iter().collect(), n_declared, ordered)
    }

    /// These states, with more that were seen behind them.
    ///
    /// # Errors
    /// When a name repeats.
    pub fn with_seen(&self, seen: impl IntoIterator<Item = String>) -> Result<Self, SchemaError> {
        let mut names = Names::clone(&self.names);
        names.extend(seen);
        Self::checked(names, self.n_declared, self.ordered)
    }

    /// These states, with more that were seen, in canonical order; the second value tells where each went, those that were there first.
    /// As [`Self::with_seen`] and then [`Self::canonical`], in one step.
    ///
    /// # Errors
    /// When a name repeats.
    pub fn canonical_with_seen<'n>(
        &'n self,
        seen: impl IntoIterator<Item = impl Into<Cow<'n, str>>>,
    ) -> Result<(Self, Vec<u32>), SchemaError> {
        let names = self.names.iter().map(Cow::from).chain(seen.into_iter().map(Into::into)).collect();
        let (names, place_of) = put_in_order(names, self.n_declared);
        if let Some(twice) = first_twice(&names, self.n_declared) {
            return Err(SchemaError::DuplicateState(twice.to_owned()));
        }
        Ok((Self { names: Arc::new(names), n_declared: self.n_declared, ordered: self.ordered, is_canonical: true }, place_of))
    }

    /// States of these names, if none is there twice.
    fn checked(names: Names, n_declared: usize, ordered: bool) -> Result<Self, SchemaError> {
        if n_declared > names.len() {
            return Err(SchemaError::TooManyDeclared { declared: n_declared, present: names.len() });
        }
        // A vocabulary is long, and comes in order: then no two of its words are the same.
        let is_canonical = are_in_order(names.range(n_declared..names.len()));
        if n_declared > 0 || !is_canonical {
            let mut seen = HashSet::with_capacity(names.len());
            if let Some(twice) = names.iter().find(|name| !seen.insert(*name)) {
                return Err(SchemaError::DuplicateState(twice.to_owned()));
            }
        }
        Ok(Self { names: Arc::new(names), n_declared, ordered, is_canonical })
    }

    /// The names, in order, as strings: these are made when they are first asked for, which of a vocabulary takes a while. See [`Self::iter`].
    pub fn names(&self) -> &[String] {
        self.names.listed()
    }

    /// The names, in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &str> {
        self.names.iter()
    }

    /// The name at a place.
    ///
    /// # Panics
    /// When there is none.
    pub fn name(&self, place: usize) -> &str {
        self.names.get(place)
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.names.len() == 0
    }

    /// How many of them, from the first, were declared rather than seen.
    pub fn n_declared(&self) -> usize {
        self.n_declared
    }

    /// Whether the order of the declared states means something (low < medium < high).
    pub fn is_ordered(&self) -> bool {
        self.ordered
    }

    /// The place of a state of exactly this name.
    ///
    /// **Complexity**: of those that were seen a bisection, where they are in canonical order.
    pub fn place(&self, name: &str) -> Option<usize> {
        let declared = || self.names.range(0..self.n_declared).position(|other| other == name);
        let among_seen = || match self.is_canonical {
            true => self.names.search(self.n_declared, |other| compare_states(other, name)),
            false => Some(self.n_declared + self.names.range(self.n_declared..self.len()).position(|other| other == name)?),
        };
        declared().or_else(among_seen)
    }

    /// The place of a state: exact, else the only one that is equal without case, else the only one equal as a number.
    pub fn find(&self, text: &str) -> Option<usize> {
        if let Some(exact) = self.place(text) {
            return Some(exact);
        }
        let only = |matches: &dyn Fn(&str) -> bool| {
            let mut places = self.names.iter().enumerate().filter(|(_, n)| matches(n)).map(|(i, _)| i);
            places.next().filter(|_| places.next().is_none())
        };
        only(&|n| n.to_lowercase() == text.to_lowercase()).or_else(|| {
            let number = Self::number_of(text)?;
            only(&|n| Self::number_of(n) == Some(number))
        })
    }

    /// The first two names that are the same but for their case, or for how a number is written.
    pub fn first_alike(&self) -> Option<(&str, &str)> {
        let (mut words, mut numbers) = (HashMap::new(), HashMap::new());
        self.names.iter().find_map(|name| {
            let same_word = words.insert(name.to_lowercase(), name);
            let same_number = Self::number_of(name).and_then(|number| numbers.insert((number + 0.0).to_bits(), name));
            same_word.or(same_number).map(|before| (before, name))
        })
    }

    /// The number that a name is, if no other number is read as the same: beyond 2⁵³ several whole ones are.
    pub fn number_of(name: &str) -> Option<f64> {
        const MOST: f64 = (1_u64 << 53) as f64;
        name.parse::<f64>().ok().filter(|number| number.abs() < MOST)
    }

    /// The same states in canonical order: declared ones as declared, the others sorted (numbers by value, then bytes).
    /// The second value tells where each state went.
    pub fn canonical(&self) -> (Self, Vec<u32>) {
        let (names, place_of) = put_in_order(self.names.iter().map(Cow::from).collect(), self.n_declared);
        (Self { names: Arc::new(names), n_declared: self.n_declared, ordered: self.ordered, is_canonical: true }, place_of)
    }
}

impl TryFrom<RawStates> for States {
    type Error = String;
    fn try_from(raw: RawStates) -> Result<Self, String> {
        let names = match raw.packed {
            Some(packed) => packed.unpack()?,
            None => raw.names.iter().collect(),
        };
        Self::checked(names, raw.n_declared, raw.ordered).map_err(|e| e.to_string())
    }
}

impl From<States> for RawStates {
    fn from(states: States) -> Self {
        let States { names, n_declared, ordered, .. } = states;
        let packed = (names.len() > MANY).then(|| PackedNames::new(&names));
        let names = if packed.is_some() { Vec::new() } else { names.listed().to_vec() };
        RawStates { names, packed, n_declared, ordered }
    }
}

/// Names, those from a place on in the order of [`compare_states`]; and where each went. They are made in their order, so that going through them
/// is going through memory.
///
/// **Complexity**: that of a sort by the first eight bytes; names that have those in common are compared as they are.
fn put_in_order(names: Vec<Cow<'_, str>>, first: usize) -> (Names, Vec<u32>) {
    let (mut numbers, mut words) = (Vec::new(), Vec::with_capacity(names.len() - first));
    for (place, name) in names.iter().enumerate().skip(first) {
        match finite_number(name) {
            Some(number) => numbers.push((number, place as u32)),
            None => words.push((beginning(name), place as u32)),
        }
    }
    let by_name = |a: u32, b: u32| names[a as usize].cmp(&names[b as usize]);
    numbers.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then_with(|| by_name(a.1, b.1)));
    // Numbers are sorted sooner than names.
    words.sort_unstable_by_key(|(beginning, _)| *beginning);
    words
        .chunk_by_mut(|a, b| a.0 == b.0)
        .filter(|alike| alike.len() > 1)
        .for_each(|alike| alike.sort_unstable_by(|a, b| by_name(a.1, b.1)));
    let order = || (0..first as u32).chain(numbers.iter().map(|(_, place)| *place)).chain(words.iter().map(|(_, place)| *place));
    let mut place_of = vec![0; names.len()];
    order().zip(0..).for_each(|(old, new)| place_of[old as usize] = new);
    let mut in_order = Names::with_capacity(names.len(), names.iter().map(|name| name.len()).sum());
    in_order.extend(order().map(|old| &names[old as usize]));
    (in_order, place_of)
}

/// The first name that is there twice; those from a place on are in order.
fn first_twice(names: &Names, first: usize) -> Option<&str> {
    let others = || names.range(first..names.len());
    let declared: HashSet<&str> = names.range(0..first).collect();
    let mut next_to_another = others().zip(others().skip(1)).filter(|(one, next)| one == next).map(|(_, next)| next);
    next_to_another.next().or_else(|| others().find(|name| declared.contains(name)))
}

/// The first eight bytes, so that comparing them is comparing the names as far as they go.
fn beginning(name: &str) -> u64 {
    let mut bytes = [0; 8];
    let n = name.len().min(8);
    bytes[..n].copy_from_slice(&name.as_bytes()[..n]);
    u64::from_be_bytes(bytes)
}

/// Whether names are in the order of [`compare_states`], and none is there twice.
fn are_in_order<'n>(mut names: impl Iterator<Item = &'n str>) -> bool {
    let mut before: Option<(&str, Option<f64>)> = None;
    names.all(|name| {
        let number = finite_number(name);
        let is_next = before.is_none_or(|(before, of_before)| compare((before, of_before), (name, number)) == Ordering::Less);
        before = Some((name, number));
        is_next
    })
}

/// The order of states that were not declared: numbers first and by value, then bytes.
pub fn compare_states(a: &str, b: &str) -> Ordering {
    compare((a, finite_number(a)), (b, finite_number(b)))
}

/// The same of states whose numbers are read already.
fn compare((a, number_a): (&str, Option<f64>), (b, number_b): (&str, Option<f64>)) -> Ordering {
    match (number_a, number_b) {
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
    fn a_state_has_the_place_it_is_at_in_any_order() {
        let names: Vec<String> =
            (0..300).map(|n| if n % 3 == 0 { format!("{}.5", n * 7 % 100) + &"0".repeat(n / 100) } else { format!("w{n}é") }).collect();
        let in_order = States::default().canonical_with_seen(names.clone()).unwrap().0;
        let declared = States::declared(names[..9].to_vec(), false).unwrap();
        let both = declared.canonical_with_seen(names[9..].to_vec()).unwrap().0;
        for states in [States::default().with_seen(names.clone()).unwrap(), in_order, both] {
            states.names().iter().enumerate().for_each(|(place, name)| assert_eq!(states.place(name), Some(place)));
            assert_eq!((states.place("w0"), states.place("7"), states.place("")), (None, None, None));
        }
        assert_eq!(States::default().canonical_with_seen(names.clone()), States::default().with_seen(names.clone()).map(|s| s.canonical()));
        let twice = |known: &States, more: &str| known.canonical_with_seen([more.to_string(), "z".into()]).is_err();
        assert!(twice(&declared, &names[3]) && twice(&States::default(), "z") && !twice(&declared, "y"));
    }

    #[test]
    fn two_targets_are_refused() {
        let target = |name: &str| Variable { name: name.into(), kind: Kind::Numeric, role: Role::Target };
        assert!(matches!(Schema::new(vec![target("a"), target("b")]), Err(SchemaError::TwoOfARole { .. })));
        assert!(matches!(Schema::new(vec![target("a"), target("a")]), Err(SchemaError::DuplicateVariable(_))));
    }
}
