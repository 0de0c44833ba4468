//! Networks by hand: a builder that reads like the picture.
//!
//! Everything is said by names. Names are looked up when all variables are known, so that parents may come after their children;
//! what is wrong is told by [`NetworkBuilder::build`].

use crate::conditional::{
    Conditional, ConditionalFault, ConditionalTree, DeterministicTable, MAX_EXPANSION, NoisyCause, NoisyMax, TreeNode,
};
use crate::domain::Domain;
use crate::error::NetError;
use crate::network::{Network, table_of};
use crate::structure::Structure;
use belief::VarId;
use std::fmt;
use std::sync::Arc;

/// Makes a network variable by variable; see [`Network::builder`].
///
/// ```
/// use tunbridge_net::{Network, Tree};
/// let network = Network::builder()
///     .variable("Flu", ["yes", "no"]).probabilities([0.1, 0.9])
///     .variable("Cold", ["none", "mild", "bad"]).probabilities([0.7, 0.2, 0.1])
///     .variable("Fever", ["yes", "no"]).noisy_or("yes", [("Flu", "yes", 0.8), ("Cold", "mild", 0.1), ("Cold", "bad", 0.4)], 0.01)
///     .variable("Ill", ["yes", "no"]).given(["Flu", "Cold"])
///         .deterministic(|states| if states == ["no", "none"] { "no" } else { "yes" })
///     .variable("Work", ["yes", "no"]).given(["Ill", "Fever"])
///         .tree(Tree::test("Ill").when("no", [0.99, 0.01]).otherwise(Tree::test("Fever").when("yes", [0.0, 1.0]).when("no", [0.6, 0.4])))
///     .build()?;
/// let [flu, cold, fever] = ["yes", "bad", "no"].map(String::from);
/// let row = network.assignment(&[("Flu", &flu), ("Cold", &cold), ("Fever", &fever), ("Ill", "yes"), ("Work", "yes")])?;
/// assert!((network.joint_probability(&row) - 0.1 * 0.1 * (0.99 * 0.2 * 0.6) * 1.0 * 0.6).abs() < 1e-15);
/// # Ok::<(), tunbridge_net::NetError>(())
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct NetworkBuilder {
    variables: Vec<Draft>,
    /// Whether something was said before any variable was named.
    said_of_none: bool,
}

/// Tests of parents by name, one after another, that end in distributions; see [`NetworkBuilder::tree`].
#[derive(Clone, Debug, PartialEq)]
pub enum Tree {
    /// Where one goes on depends on a parent.
    Test {
        /// The parent.
        parent: String,
        /// States of it, and where they lead.
        branches: Vec<(Vec<String>, Tree)>,
        /// Where all other states lead.
        otherwise: Option<Box<Tree>>,
    },
    /// The distribution of the variable.
    Leaf(Vec<f64>),
}

/// A variable, as far as it is told.
#[derive(Clone, Debug)]
struct Draft {
    name: String,
    states: Vec<String>,
    parents: Vec<String>,
    said: Said,
}

/// What was said of P(variable | parents).
#[derive(Clone, Debug)]
enum Said {
    Nothing,
    Probabilities(Vec<f64>),
    States(Vec<String>),
    Function(Function),
    NoisyOr { present: String, causes: Vec<(String, String, f64)>, leak: f64 },
    NoisyMax { order: Vec<String>, causes: Vec<(String, String, Vec<f64>)>, leak: Vec<f64> },
    Tree(Tree),
}

/// From the names of the parents' states to the name of the variable's.
type StateOfStates = dyn Fn(&[&str]) -> String + Send + Sync;

/// A function that can be told of in `Debug`.
#[derive(Clone)]
struct Function(Arc<StateOfStates>);

impl fmt::Debug for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Function")
    }
}

impl NetworkBuilder {
    pub(crate) fn new() -> Self {
        Self { variables: Vec::new(), said_of_none: false }
    }

    /// The next variable, with its states. What follows is said of it.
    pub fn variable<N: Into<String>>(mut self, name: impl Into<String>, states: impl IntoIterator<Item = N>) -> Self {
        let states = states.into_iter().map(Into::into).collect();
        self.variables.push(Draft { name: name.into(), states, parents: Vec::new(), said: Said::Nothing });
        self
    }

    /// The parents of the variable named last, the slowest in its table first.
    pub fn given<N: Into<String>>(self, parents: impl IntoIterator<Item = N>) -> Self {
        self.of_last(|last| last.parents = parents.into_iter().map(Into::into).collect())
    }

    /// The probabilities of the variable named last: for every configuration of its parents, the last parent fastest, one for each state.
    pub fn probabilities(self, probabilities: impl IntoIterator<Item = f64>) -> Self {
        self.of_last(|last| last.said = Said::Probabilities(probabilities.into_iter().collect()))
    }

    /// The state that the variable named last has for certain, as a function of its parents' states, by names.
    pub fn deterministic<S: Into<String>>(self, function: impl Fn(&[&str]) -> S + Send + Sync + 'static) -> Self {
        self.of_last(|last| last.said = Said::Function(Function(Arc::new(move |states| function(states).into()))))
    }

    /// The state that the variable named last has for certain, for every configuration of its parents, the last parent fastest.
    pub fn deterministic_states<N: Into<String>>(self, states: impl IntoIterator<Item = N>) -> Self {
        self.of_last(|last| last.said = Said::States(states.into_iter().map(Into::into).collect()))
    }

    /// The variable named last, of two states, is in this one if any of its causes brings it about: a parent, the state of it that
    /// acts and how probable it is that it alone is enough; and the leak, the probability that it comes about without any of them.
    /// A parent's states that are not named do nothing. Causes become parents, in their order, unless parents were given.
    pub fn noisy_or<P: Into<String>, S: Into<String>>(
        self,
        present: impl Into<String>,
        causes: impl IntoIterator<Item = (P, S, f64)>,
        leak: f64,
    ) -> Self {
        let causes: Vec<_> = causes.into_iter().map(|(parent, state, p)| (parent.into(), state.into(), p)).collect();
        self.of_last(|last| {
            last.causes_are_parents(causes.iter().map(|cause| &cause.0));
            last.said = Said::NoisyOr { present: present.into(), causes, leak };
        })
    }

    /// The variable named last is the highest of its causes' effects: the states from lowest to highest; for each parent and each
    /// state of it that acts, the distribution of its effect; and the leak, the distribution of what comes without any of them.
    /// Distributions are in the order of the variable's states as they were named. A parent's states that are not named have the
    /// lowest effect for certain. Causes become parents, in their order, unless parents were given.
    pub fn noisy_max<N: Into<String>, P: Into<String>, S: Into<String>, D: IntoIterator<Item = f64>>(
        self,
        lowest_first: impl IntoIterator<Item = N>,
        causes: impl IntoIterator<Item = (P, S, D)>,
        leak: impl IntoIterator<Item = f64>,
    ) -> Self {
        let causes: Vec<(String, String, Vec<f64>)> =
            causes.into_iter().map(|(parent, state, effect)| (parent.into(), state.into(), effect.into_iter().collect())).collect();
        self.of_last(|last| {
            last.causes_are_parents(causes.iter().map(|cause| &cause.0));
            let order = lowest_first.into_iter().map(Into::into).collect();
            last.said = Said::NoisyMax { order, causes, leak: leak.into_iter().collect() };
        })
    }

    /// The distribution of the variable named last by tests of its parents, which must be given.
    pub fn tree(self, tree: impl Into<Tree>) -> Self {
        self.of_last(|last| last.said = Said::Tree(tree.into()))
    }

    /// The network.
    ///
    /// # Errors
    /// Those of [`Network::new`] and of the kinds of distributions, and when a variable was given no distribution or something was
    /// said before any was named.
    pub fn build(self) -> Result<Network, NetError> {
        if self.said_of_none {
            return Err(NetError::SaidOfNone);
        }
        if let Some(bare) = self.variables.iter().find(|draft| draft.says_nothing() && !draft.states.is_empty()) {
            return Err(NetError::NoDistribution { variable: bare.name.clone() });
        }
        let names = Structure::new(self.variables.iter().map(|draft| draft.name.as_str()))?;
        let parents = self
            .variables
            .iter()
            .map(|draft| draft.parents.iter().map(|parent| names.find(parent)).collect())
            .collect::<Result<Vec<Vec<VarId>>, _>>()?;
        let structure = Structure::from_parents(names.names().to_vec(), parents.clone())?;
        let domain = Domain::new(self.variables.iter().map(|draft| (draft.name.as_str(), draft.states.iter().cloned())))?;
        let mut conditionals = Vec::with_capacity(parents.len());
        for (child, draft) in domain.variables().zip(self.variables) {
            conditionals.push(Said::conditional(draft.said, &structure, &domain, child)?);
        }
        Network::from_conditionals(domain, parents, conditionals)
    }

    fn of_last(mut self, say: impl FnOnce(&mut Draft)) -> Self {
        match self.variables.last_mut() {
            Some(last) => say(last),
            None => self.said_of_none = true,
        }
        self
    }
}

impl Draft {
    fn says_nothing(&self) -> bool {
        match &self.said {
            Said::Nothing => true,
            Said::Probabilities(values) => values.is_empty(),
            _ => false,
        }
    }

    fn causes_are_parents<'a>(&mut self, causes: impl Iterator<Item = &'a String>) {
        if self.parents.is_empty() {
            for cause in causes {
                if !self.parents.contains(cause) {
                    self.parents.push(cause.clone());
                }
            }
        }
    }
}

impl Said {
    /// The distribution that was meant.
    fn conditional(self, structure: &Structure, domain: &Domain, child: VarId) -> Result<Conditional, NetError> {
        let parents = structure.dag().parents(child);
        let variable = || domain.name(child).to_string();
        let told = |fault: ConditionalFault| NetError::Distribution { variable: variable(), fault };
        let n_states = domain.n_states(child);
        match self {
            Self::Nothing => Err(NetError::NoDistribution { variable: variable() }),
            Self::Probabilities(values) => Ok(Conditional::Table(table_of(structure, domain, child, values)?)),
            Self::States(states) => deterministic(domain, child, states).and_then(|codes| deterministic_of(n_states, codes).map_err(told)),
            Self::Function(function) => {
                let states = function.of_every_configuration(domain, child, parents)?;
                deterministic(domain, child, states).and_then(|codes| deterministic_of(n_states, codes).map_err(told))
            }
            Self::NoisyOr { present, causes, leak } => {
                if n_states != 2 {
                    return Err(NetError::NotTwoStates { variable: variable(), n_states });
                }
                let present = domain.find_state(child, &present)?;
                let over_states = |p: f64| if present == 0 { vec![p, 1.0 - p] } else { vec![1.0 - p, p] };
                let causes: Vec<_> = causes.into_iter().map(|(parent, state, p)| (parent, state, over_states(p))).collect();
                noisy_max(domain, child, parents, vec![1 - present, present], &causes, over_states(leak))
            }
            Self::NoisyMax { order, causes, leak } => {
                let order = order.iter().map(|state| domain.find_state(child, state)).collect::<Result<_, _>>()?;
                noisy_max(domain, child, parents, order, &causes, leak)
            }
            Self::Tree(tree) => {
                let mut nodes = Vec::new();
                tree.plant(domain, child, parents, &mut nodes)?;
                let parent_states = parents.iter().map(|&parent| domain.n_states(parent)).collect();
                ConditionalTree::new(n_states, parent_states, nodes).map(Conditional::Tree).map_err(told)
            }
        }
    }
}

fn deterministic(domain: &Domain, child: VarId, states: Vec<String>) -> Result<Vec<u32>, NetError> {
    states.iter().map(|state| Ok(domain.find_state(child, state)? as u32)).collect()
}

fn deterministic_of(n_states: usize, codes: Vec<u32>) -> Result<Conditional, ConditionalFault> {
    DeterministicTable::new(n_states, codes).map(Conditional::Deterministic)
}

impl Function {
    fn of_every_configuration(&self, domain: &Domain, child: VarId, parents: &[VarId]) -> Result<Vec<String>, NetError> {
        let entries = parents.iter().chain([&child]).map(|&member| domain.n_states(member) as f64).product();
        if entries > MAX_EXPANSION as f64 {
            let fault = ConditionalFault::TooLarge { entries, limit: MAX_EXPANSION };
            return Err(NetError::Distribution { variable: domain.name(child).to_string(), fault });
        }
        let mut places = vec![0; parents.len()];
        let mut states = Vec::new();
        loop {
            let named: Vec<&str> = parents.iter().zip(&places).map(|(&parent, &place)| domain.states(parent)[place].as_str()).collect();
            states.push((self.0)(&named));
            let Some(next) = (0..parents.len()).rev().find(|&axis| places[axis] + 1 < domain.n_states(parents[axis])) else {
                return Ok(states);
            };
            places[next] += 1;
            places[next + 1..].fill(0);
        }
    }
}

fn noisy_max(
    domain: &Domain,
    child: VarId,
    parents: &[VarId],
    order: Vec<usize>,
    causes: &[(String, String, Vec<f64>)],
    leak: Vec<f64>,
) -> Result<Conditional, NetError> {
    let variable = || domain.name(child).to_string();
    let told = |fault: ConditionalFault| NetError::Distribution { variable: variable(), fault };
    let n_states = domain.n_states(child);
    let Some(&lowest) = order.first().filter(|_| order.len() == n_states) else {
        return Err(told(ConditionalFault::NotAnOrder { n_states }));
    };
    let nothing: Vec<f64> = (0..n_states).map(|state| if state == lowest { 1.0 } else { 0.0 }).collect();
    let mut acting: Vec<Vec<Option<&[f64]>>> = parents.iter().map(|&parent| vec![None; domain.n_states(parent)]).collect();
    for (parent, state, effect) in causes {
        let parent = domain.find(parent)?;
        let place = parents.iter().position(|&other| other == parent).ok_or_else(|| NetError::CausesAndParents { variable: variable() })?;
        if acting[place][domain.find_state(parent, state)?].replace(effect).is_some() {
            return Err(NetError::NamedTwice { variable: format!("{}={state}", domain.name(parent)) });
        }
    }
    let mut made = Vec::with_capacity(parents.len());
    for (cause, (&parent, effects)) in parents.iter().zip(&acting).enumerate() {
        if effects.iter().all(Option::is_none) {
            return Err(NetError::CausesAndParents { variable: variable() });
        }
        let never = || NetError::NeverAbsent { variable: variable(), parent: domain.name(parent).to_string() };
        let absent = effects.iter().position(Option::is_none).ok_or_else(never)?;
        if let Some(effect) = effects.iter().flatten().find(|effect| effect.len() != n_states) {
            return Err(told(ConditionalFault::EffectStates { cause, found: effect.len(), n_states }));
        }
        let rows = effects.iter().flat_map(|effect| effect.unwrap_or(&nothing)).copied().collect();
        made.push(NoisyCause::new(absent, n_states, rows).map_err(|fault| told(ConditionalFault::Cause { cause, fault }))?);
    }
    NoisyMax::new(order, made, leak).map(Conditional::NoisyMax).map_err(told)
}

impl Tree {
    /// A test of a parent. Say where its states lead by [`Self::when`], [`Self::when_in`] and [`Self::otherwise`].
    pub fn test(parent: impl Into<String>) -> Self {
        Self::Test { parent: parent.into(), branches: Vec::new(), otherwise: None }
    }

    /// Where a state of the parent leads: to another test, or to a distribution.
    #[must_use]
    pub fn when(self, state: impl Into<String>, then: impl Into<Tree>) -> Self {
        self.when_in([state.into()], then)
    }

    /// Where several states of the parent lead.
    #[must_use]
    pub fn when_in<N: Into<String>>(mut self, states: impl IntoIterator<Item = N>, then: impl Into<Tree>) -> Self {
        if let Self::Test { branches, .. } = &mut self {
            branches.push((states.into_iter().map(Into::into).collect(), then.into()));
        }
        self
    }

    /// Where all other states of the parent lead.
    #[must_use]
    pub fn otherwise(mut self, then: impl Into<Tree>) -> Self {
        if let Self::Test { otherwise, .. } = &mut self {
            *otherwise = Some(Box::new(then.into()));
        }
        self
    }

    /// Puts this tree behind other nodes.
    fn plant(&self, domain: &Domain, child: VarId, parents: &[VarId], nodes: &mut Vec<TreeNode>) -> Result<(), NetError> {
        let (parent, given, otherwise) = match self {
            Self::Leaf(values) => {
                nodes.push(TreeNode::Leaf(values.clone()));
                return Ok(());
            }
            Self::Test { parent, branches, otherwise } => (parent, branches, otherwise),
        };
        let tested = domain.find(parent)?;
        let fault = || NetError::Branches { variable: domain.name(child).to_string(), parent: parent.clone() };
        let place = parents.iter().position(|&other| other == tested).ok_or_else(fault)?;
        let here = nodes.len();
        nodes.push(TreeNode::Test { parent: place, branches: Vec::new() });
        let mut leads: Vec<Option<usize>> = vec![None; domain.n_states(tested)];
        for (states, then) in given {
            for state in states {
                if leads[domain.find_state(tested, state)?].replace(nodes.len()).is_some() {
                    return Err(fault());
                }
            }
            // Of no state: it would be led to by none.
            if states.is_empty() {
                return Err(fault());
            }
            then.plant(domain, child, parents, nodes)?;
        }
        if let Some(then) = otherwise {
            if leads.iter().all(Option::is_some) {
                return Err(fault());
            }
            leads.iter_mut().filter(|lead| lead.is_none()).for_each(|lead| *lead = Some(nodes.len()));
            then.plant(domain, child, parents, nodes)?;
        }
        let branches = leads.into_iter().collect::<Option<Vec<usize>>>().ok_or_else(fault)?;
        nodes[here] = TreeNode::Test { parent: place, branches };
        Ok(())
    }
}

impl From<Vec<f64>> for Tree {
    fn from(distribution: Vec<f64>) -> Self {
        Self::Leaf(distribution)
    }
}

impl<const N: usize> From<[f64; N]> for Tree {
    fn from(distribution: [f64; N]) -> Self {
        Self::Leaf(distribution.to_vec())
    }
}
