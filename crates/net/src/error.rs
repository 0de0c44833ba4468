//! What can be wrong with a structure, a network or the evidence put to it.

use crate::conditional::ConditionalFault;

/// Why no structure, network or answer could be made.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum NetError {
    /// Two variables of one name.
    #[error("two variables are named `{name}`: give one of them another name")]
    RepeatedVariable {
        /// The name.
        name: String,
    },
    /// Two states of one name.
    #[error("variable `{variable}` has the state `{state}` twice: give one of them another name")]
    RepeatedState {
        /// The variable.
        variable: String,
        /// The state.
        state: String,
    },
    /// A variable without states.
    #[error("variable `{variable}` has no states: name at least one")]
    NoStates {
        /// The variable.
        variable: String,
    },
    /// A name that no variable has.
    #[error("no variable is named `{name}`")]
    UnknownVariable {
        /// The name.
        name: String,
    },
    /// A place that no variable has.
    #[error("there is no variable at place {place}: the network has {n_variables}")]
    NoSuchVariable {
        /// The place.
        place: usize,
        /// How many variables there are.
        n_variables: usize,
    },
    /// A state that the variable does not have.
    #[error("variable `{variable}` has no state `{state}`; its states are {}", known.join(", "))]
    UnknownState {
        /// The variable.
        variable: String,
        /// What was asked for.
        state: String,
        /// The states that it has.
        known: Vec<String>,
    },
    /// Arcs that lead back to where they began.
    #[error("the arcs make a cycle: {}: leave one of them out", path.join(" → "))]
    Cycle {
        /// The variables on the way, the first again as the last.
        path: Vec<String>,
    },
    /// An arc twice.
    #[error("the arc {parent} → {child} is there twice: leave one out")]
    RepeatedArc {
        /// From.
        parent: String,
        /// To.
        child: String,
    },
    /// An arc that is not there.
    #[error("there is no arc {parent} → {child}")]
    NoSuchArc {
        /// From.
        parent: String,
        /// To.
        child: String,
    },
    /// Networks over different variables.
    #[error("the networks are not over the same variables and states: look at `{variable}`")]
    OtherVariables {
        /// A variable that one of them has not, or not with the same states.
        variable: String,
    },
    /// Parents or probabilities before any variable.
    #[error("parents or probabilities came before any variable: name the variable first, then say what is to be said of it")]
    SaidOfNone,
    /// A variable without probabilities.
    #[error("variable `{variable}` has no probabilities: give it a table")]
    NoDistribution {
        /// The variable.
        variable: String,
    },
    /// A table of another size than its variables make.
    #[error("the table of `{variable}` has {found} probabilities, but {rows} of {states} states make {expected}",
        rows = if *.n_rows == 1 { "one row".to_string() } else { format!("{n_rows} rows") }, states = .n_states)]
    TableSize {
        /// The variable.
        variable: String,
        /// How many there are.
        found: usize,
        /// How many there must be.
        expected: usize,
        /// Rows: the states of the parents together.
        n_rows: usize,
        /// States of the variable.
        n_states: usize,
    },
    /// A table too large to count its entries.
    #[error("the table of `{variable}` would have too many entries: give it fewer parents")]
    TableTooLarge {
        /// The variable.
        variable: String,
    },
    /// A probability that is none.
    #[error("the table of `{variable}`, row {row}: {value} is not a probability")]
    NotAProbability {
        /// The variable.
        variable: String,
        /// The row, from 1.
        row: usize,
        /// What was found.
        value: f64,
    },
    /// A row that does not sum to one.
    #[error("the table of `{variable}`, row {row}: the probabilities sum to {sum}, not to 1")]
    RowSum {
        /// The variable.
        variable: String,
        /// The row, from 1.
        row: usize,
        /// What they sum to.
        sum: f64,
    },
    /// A distribution that is none, or cannot be spelled out.
    #[error("the distribution of `{variable}`: {fault}")]
    Distribution {
        /// The variable.
        variable: String,
        /// What is wrong.
        fault: ConditionalFault,
    },
    /// A distribution over other numbers of states than its family has.
    #[error("the distribution of `{variable}` ({kind}) does not fit: the variable has {n_states} states, and its parents have {parents}",
        parents = if parent_states.is_empty() { "none, for there are none".to_string() } else { parent_states.iter().map(usize::to_string).collect::<Vec<_>>().join(" × ") })]
    DoesNotFit {
        /// The variable.
        variable: String,
        /// The kind of the distribution.
        kind: &'static str,
        /// States of the variable.
        n_states: usize,
        /// States of each parent.
        parent_states: Vec<usize>,
    },
    /// A cause that is no parent, or a parent that is no cause.
    #[error("the parents of `{variable}` are not its causes: name in noisy-OR and noisy-MAX every parent and no other variable")]
    CausesAndParents {
        /// The variable.
        variable: String,
    },
    /// A parent all of whose states act.
    #[error("`{parent}` acts on `{variable}` in all of its states: leave out the one in which it is absent")]
    NeverAbsent {
        /// The variable.
        variable: String,
        /// The parent.
        parent: String,
    },
    /// A noisy-OR of a variable that has not two states.
    #[error("noisy-OR is for two states, and `{variable}` has {n_states}: use noisy-MAX")]
    NotTwoStates {
        /// The variable.
        variable: String,
        /// How many there are.
        n_states: usize,
    },
    /// A tree that tests what is no parent, or tells twice or never where a state leads.
    #[error("the tree of `{variable}` must test its parents only and lead each state of a tested parent to one branch; look at `{parent}`")]
    Branches {
        /// The variable.
        variable: String,
        /// What is tested.
        parent: String,
    },
    /// A likelihood that is none.
    #[error("the likelihood of `{variable}` must be one finite number ≥ 0 for each of its {n_states} states, at least one above 0")]
    NotALikelihood {
        /// The variable.
        variable: String,
        /// States of the variable.
        n_states: usize,
    },
    /// A joint over more assignments than memory holds.
    #[error("a table over {} would have {entries} entries, more than the {limit} allowed: ask for fewer variables at once", variables.join(", "))]
    TooLarge {
        /// The table's variables.
        variables: Vec<String>,
        /// How many entries it would have, as far as a double tells.
        entries: f64,
        /// How many are allowed.
        limit: usize,
    },
    /// Probabilities further apart than doubles can tell.
    #[error("the evidence is possible, but so improbable beside what it rules out that doubles cannot hold both: leave out a finding")]
    Underflow,
    /// A question that names a variable twice.
    #[error("variable `{variable}` is named twice: name it once")]
    NamedTwice {
        /// The variable.
        variable: String,
    },
    /// An assignment that leaves a variable out.
    #[error("no state is given for `{variable}`: give one for every variable")]
    NoAssignment {
        /// The variable.
        variable: String,
    },
    /// A table that is no factor.
    #[error("a factor needs different variables, one entry for each of their configurations, and entries that are finite and ≥ 0")]
    NotAFactor,
    /// Too many variables to look at all their subsets.
    #[error("{n_variables} variables have too many subsets to look at: at most {limit} can be; ask for one independence at a time")]
    TooManyVariables {
        /// How many there are.
        n_variables: usize,
        /// How many are allowed.
        limit: usize,
    },
    /// Rows that were not told apart by a class.
    #[error("no variable is the class: name the one to predict, for rows are counted class by class")]
    NoClass,
    /// A penalty that is none.
    #[error("the penalty of an arc is {found}, but must be a finite number of at least zero")]
    NotAPenalty {
        /// What was given.
        found: f64,
    },
    /// A shape of random networks that cannot be.
    #[error("random networks need at least one state a variable, and no fewer at most than at least")]
    NotAShape,
}
