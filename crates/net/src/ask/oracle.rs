//! The oracle: a model, with what is needed to answer any question about it.

use super::AskError;
use super::cutset;
use super::plan::{all_open, shape_of};
use super::resolve::Question;
use crate::bucket_tree::all_marginals;
use crate::domain::Domain;
use crate::elimination_order::{Elimination, Search, cheapest_elimination};
use crate::enumeration::enumerate;
use crate::error::NetError;
use crate::evidence::{Answer, Evidence, JointDistribution};
use crate::factor_graph::FactorGraph;
use crate::junction_tree::clique_tree::CliqueTree;
use crate::junction_tree::{self, Calibrated, JunctionTree, Workspace};
use crate::network::Network;
use crate::query::Query;
use crate::variable_elimination::eliminate;
use belief::{CompensatedSum, VarId};
use std::sync::{Arc, Mutex, OnceLock};

/// Entries that all tables of a question may have together unless it is said otherwise: a GiB of doubles.
pub const DEFAULT_MAX_ENTRIES: usize = 1 << 27;

/// How many tables as large as the largest an elimination has at once.
pub(super) const TABLES_AT_ONCE: usize = 3;

/// How much room an entry takes that a tree stores, in entries.
pub(super) const ROOM_OF_STORED: usize = 2;

/// Configurations that are enumerated at once, at most.
pub(super) const FEW_CONFIGURATIONS: f64 = 1e6;

/// Which engine answers. All give the same answers, to rounding.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Engine {
    /// Elimination for a question of a few variables, the junction tree for all marginals.
    #[default]
    Auto,
    /// Variable elimination: looks only at what the question needs. For all marginals it goes there and back ([`crate::bucket_tree`]).
    Elimination,
    /// The junction tree: compiled once, then quick. Best for many questions of single variables, as of the rows of a table; a joint of
    /// several variables is made one after another by the chain rule.
    JunctionTree,
    /// Lazy propagation for all marginals: through a tree of the evidence's own, which is never stored. Best for one such question of a large network.
    LazyPropagation,
    /// Enumeration of all configurations: for tiny networks, and to check the others by.
    Enumeration,
}

/// A model that answers. Answers never depend on what was asked before; one oracle may be shared by threads.
///
/// | setting | default | meaning |
/// |---|---|---|
/// | `max_entries` | [`DEFAULT_MAX_ENTRIES`] | the memory that all tables of a question may take together, in entries of eight bytes |
/// | `engine` | [`Engine::Auto`] | which engine answers |
/// | `for_one_question` | no | whether all marginals are found without compiling anything |
#[derive(Clone, Debug)]
pub struct Oracle {
    graph: FactorGraph,
    network: Option<Network>,
    max_entries: usize,
    engine: Engine,
    /// Whether there will be one question only.
    once: bool,
    /// The numbers that states stand for, by variable; nothing where their names are all that is known.
    state_values: Vec<Option<Vec<f64>>>,
    /// The order of the junction tree, looked for when it is first wanted, or given.
    order: OnceLock<Elimination>,
    tree: OnceLock<Result<JunctionTree, NetError>>,
    /// Room for the tree's messages, for one question at a time: the next one, if it is much the same, finds most of them there.
    room: Arc<Mutex<Workspace>>,
}

/// What an engine answered, and how it was got.
pub(super) type Got<T> = (Answer<T>, Method);

/// How an answer was got.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Method {
    Elimination,
    JunctionTree,
    LazyPropagation,
    /// Elimination for each configuration of a few variables.
    Cutset(Vec<String>),
    /// One elimination there and back for all variables.
    BucketTree,
    /// Elimination for every variable anew.
    EachByElimination,
    /// The same where a cutset is needed.
    EachByCutset,
    Enumeration,
    MaxProduct,
    MaxProductCutset(Vec<String>),
}

impl Oracle {
    /// Of a Bayesian network.
    pub fn of_network(network: Network) -> Self {
        let graph = FactorGraph::from(&network);
        Self { network: Some(network), ..Self::of_factors(graph) }
    }

    /// Of factors, as a Markov network has.
    pub fn of_factors(graph: FactorGraph) -> Self {
        Self {
            graph,
            network: None,
            max_entries: DEFAULT_MAX_ENTRIES,
            engine: Engine::default(),
            once: false,
            state_values: Vec::new(),
            order: OnceLock::new(),
            tree: OnceLock::new(),
            room: Arc::new(Mutex::new(Workspace::in_parallel())),
        }
    }

    /// With a bound on what all tables of a question take together, in entries of eight bytes.
    #[must_use]
    pub fn with_max_entries(self, max_entries: usize) -> Self {
        Self { max_entries, tree: OnceLock::new(), ..self }
    }

    /// With another engine.
    #[must_use]
    pub fn with_engine(self, engine: Engine) -> Self {
        Self { engine, ..self }
    }

    /// For one question, or a few. All marginals of a large model are then found by lazy propagation through a tree of the evidence's own, which is never
    /// stored: a compiled junction tree pays for itself only in many questions.
    #[must_use]
    pub fn for_one_question(self) -> Self {
        Self { once: true, ..self }
    }

    /// With an order of one's own for the junction tree, which answers. It is compiled when it is first wanted.
    #[must_use]
    pub fn with_order(self, order: Elimination) -> Self {
        Self { order: OnceLock::from(order), tree: OnceLock::new(), engine: Engine::JunctionTree, ..self }
    }

    /// With numbers that the states of some variables stand for, one for each state, by variable: expectations are of these. Lists of another length are passed over.
    #[must_use]
    pub fn with_state_values(self, mut state_values: Vec<Option<Vec<f64>>>) -> Self {
        let domain = self.graph.domain();
        state_values.truncate(domain.n_variables());
        for (variable, values) in domain.variables().zip(&mut state_values) {
            values.take_if(|values| values.len() != domain.n_states(variable));
        }
        Self { state_values, ..self }
    }

    /// A question in ids, of a text.
    ///
    /// # Errors
    /// As [`Question::resolve`].
    pub fn question(&self, query: &Query) -> Result<Question, AskError> {
        Question::resolve_with(self.domain(), &self.state_values, query)
    }

    /// The variables' names and states.
    pub fn domain(&self) -> &Domain {
        self.graph.domain()
    }

    /// The factors.
    pub fn graph(&self) -> &FactorGraph {
        &self.graph
    }

    /// The network, if the model is one.
    pub fn network(&self) -> Option<&Network> {
        self.network.as_ref()
    }

    /// Which engine answers.
    pub fn engine(&self) -> Engine {
        self.engine
    }

    /// The bound on what all tables of a question take together, in entries of eight bytes.
    pub fn max_entries(&self) -> usize {
        self.max_entries
    }

    /// The entries that a table of an elimination may have: at the height of it there are the largest, what it was multiplied from and what is left of it.
    pub(super) fn table_limit(&self) -> usize {
        self.max_entries / TABLES_AT_ONCE
    }

    /// The entries that a tree may store: each takes its number, and its share of places in messages and of messages.
    pub(super) fn tree_limit(&self) -> usize {
        self.max_entries / ROOM_OF_STORED
    }

    /// The order that the junction tree is made by.
    pub(super) fn tree_order(&self) -> &Elimination {
        self.order.get_or_init(|| cheapest_elimination(&self.graph.interaction_graph(), &self.graph.variables(), Search::Thorough))
    }

    /// The junction tree, if it was compiled already; an error if it did not fit.
    pub(super) fn compiled_tree(&self) -> Option<Result<&JunctionTree, &NetError>> {
        self.tree.get().map(Result::as_ref)
    }

    /// The junction tree, compiled when it is first wanted.
    ///
    /// # Errors
    /// When it would be larger than allowed.
    pub fn junction_tree(&self) -> Result<&JunctionTree, AskError> {
        let tree = self.tree.get_or_init(|| JunctionTree::from_elimination(&self.graph, self.tree_order(), self.tree_limit()));
        tree.as_ref().map_err(|error| AskError::from(error.clone()))
    }

    /// The joint of variables given evidence, and how it was got.
    pub(super) fn joint(&self, variables: &[VarId], evidence: &Evidence) -> Result<Got<JointDistribution>, AskError> {
        self.domain().check_different(variables)?;
        match (self.engine, &self.network) {
            (Engine::JunctionTree, _) => Ok((self.joint_by_tree(variables, evidence)?, Method::JunctionTree)),
            (Engine::Enumeration, Some(network)) => Ok((enumerate(network, variables, evidence)?, Method::Enumeration)),
            _ => self.joint_by_elimination(variables, evidence),
        }
    }

    /// The room, or another where someone else is in it.
    fn in_room<R>(&self, ask: impl FnOnce(&mut Workspace) -> R) -> R {
        match self.room.try_lock() {
            Ok(mut room) => ask(&mut room),
            Err(_) => ask(&mut Workspace::in_parallel()),
        }
    }

    /// The joint by the chain rule: the marginal of the first, then of the second for each state of the first, and so on.
    fn joint_by_tree(&self, variables: &[VarId], evidence: &Evidence) -> Result<Answer<JointDistribution>, AskError> {
        let tree = self.junction_tree()?;
        self.graph.within_bounds(variables, self.max_entries.saturating_sub(ROOM_OF_STORED * tree.n_stored()).max(1))?;
        let wanted = &variables[..variables.len().min(1)];
        let calibrated = self.in_room(|room| tree.posteriors_in(room, evidence, wanted))?;
        let Answer::Possible { answer: calibrated, ln_p_evidence } = calibrated else { return Ok(Answer::Impossible) };
        let Some((&first, others)) = variables.split_first() else {
            let answer = JointDistribution { variables: Vec::new(), probabilities: vec![1.0] };
            return Ok(Answer::Possible { answer, ln_p_evidence });
        };
        let marginal = calibrated.marginal(first).to_vec();
        let answer = |probabilities| JointDistribution { variables: variables.to_vec(), probabilities };
        if others.is_empty() {
            return Ok(Answer::Possible { answer: answer(marginal), ln_p_evidence });
        }
        let n_others: usize = others.iter().map(|&variable| self.domain().n_states(variable)).product();
        let mut probabilities = Vec::with_capacity(marginal.len() * n_others);
        for (state, &p) in marginal.iter().enumerate() {
            let mut known = evidence.clone();
            known.observe(self.domain(), first, state)?;
            match if p > 0.0 { self.joint_by_tree(others, &known)? } else { Answer::Impossible } {
                Answer::Possible { answer, .. } => probabilities.extend(answer.probabilities.iter().map(|other| p * other)),
                Answer::Impossible => probabilities.resize(probabilities.len() + n_others, 0.0),
            }
        }
        Ok(Answer::Possible { answer: answer(probabilities), ln_p_evidence })
    }

    /// The joint of variables given evidence by elimination, with a cutset where that makes it fit.
    pub(super) fn joint_by_elimination(&self, variables: &[VarId], evidence: &Evidence) -> Result<Got<JointDistribution>, AskError> {
        match eliminate(&self.graph, variables, evidence, self.table_limit()) {
            Err(NetError::TooLarge { variables: of, entries, limit }) => {
                let shape = shape_of(&self.graph, variables, evidence);
                let Some(found) = cutset::choose(&shape, self.graph.n_states(), self.domain().n_variables(), limit) else {
                    return Err(NetError::TooLarge { variables: of, entries, limit }.into());
                };
                let answer = cutset::eliminate_by(&self.graph, variables, evidence, &found)?;
                Ok((answer, Method::Cutset(self.graph.names_of(&found.variables))))
            }
            // Doubles do not hold it; the tree has numbers that do.
            Err(NetError::Underflow) => Ok((self.joint_by_tree(variables, evidence)?, Method::JunctionTree)),
            Err(other) => Err(other.into()),
            Ok(answer) => Ok((answer, Method::Elimination)),
        }
    }

    /// All marginals given evidence, and how they were got.
    pub(super) fn marginals(&self, evidence: &Evidence) -> Result<Got<Vec<Vec<f64>>>, AskError> {
        match (self.engine, &self.network) {
            (Engine::Enumeration, Some(network)) if self.n_configurations() <= FEW_CONFIGURATIONS => {
                return Ok((
                    marginals_of(network, enumerate(network, &self.domain().variables().collect::<Vec<_>>(), evidence)?),
                    Method::Enumeration,
                ));
            }
            (Engine::Enumeration, _) => return self.marginals_one_by_one(evidence),
            (Engine::Elimination, _) => {
                return match all_marginals(&self.graph, evidence, self.tree_limit()) {
                    Ok(answer) => Ok((answer, Method::BucketTree)),
                    // What one variable needs may still fit, or be held by other numbers.
                    Err(NetError::TooLarge { .. } | NetError::Underflow) => self.marginals_one_by_one(evidence),
                    Err(other) => Err(other.into()),
                };
            }
            (Engine::Auto | Engine::JunctionTree | Engine::LazyPropagation, _) => {}
        }
        let each_of = |answer: Answer<Calibrated>| match answer {
            Answer::Impossible => Answer::Impossible,
            Answer::Possible { answer, ln_p_evidence } => {
                let marginals = self.domain().variables().map(|variable| answer.marginal(variable).to_vec()).collect();
                Answer::Possible { answer: marginals, ln_p_evidence }
            }
        };
        // Where doubles might lose something, or nothing is possible, the compiled tree has to tell.
        if let Some(order) = self.lazy_elimination(evidence)
            && let Some(answer) = junction_tree::lazy_propagation(&self.graph, order, evidence)
        {
            return Ok((each_of(answer), Method::LazyPropagation));
        }
        let too_large = match self.junction_tree() {
            Ok(tree) => return Ok((each_of(self.in_room(|room| tree.calibrate_in(room, evidence))?), Method::JunctionTree)),
            Err(error) => error,
        };
        // The whole tree does not fit; what each variable needs of it may, in bounded time.
        if self.plan_one_by_one(evidence).fits { self.marginals_one_by_one(evidence) } else { Err(too_large) }
    }

    /// The elimination of all that is not known, where all marginals are found by lazy propagation along it.
    pub(super) fn lazy_elimination(&self, evidence: &Evidence) -> Option<Elimination> {
        /// Trees of fewer entries are compiled in some milliseconds.
        const LARGE: f64 = 8192.0;
        let least = match self.engine {
            Engine::LazyPropagation => 0.0,
            Engine::Auto if self.once => LARGE,
            _ => return None,
        };
        let found = all_open(&self.graph, evidence).elimination(self.graph.n_states());
        (found.tree_entries >= least && messages_of(&found, self.graph.n_states()) <= self.max_entries as f64).then_some(found)
    }

    /// The marginal of each variable by itself.
    fn marginals_one_by_one(&self, evidence: &Evidence) -> Result<Got<Vec<Vec<f64>>>, AskError> {
        let (mut marginals, mut ln_p, mut method) = (Vec::with_capacity(self.domain().n_variables()), 0.0, Method::EachByElimination);
        if self.domain().n_variables() == 0 {
            ln_p = self.joint(&[], evidence)?.0.ln_p_evidence();
        }
        for variable in self.domain().variables() {
            let (answer, how) = match self.engine {
                Engine::Enumeration => self.joint(&[variable], evidence)?,
                _ => self.joint_by_elimination(&[variable], evidence)?,
            };
            match how {
                Method::Cutset(_) => method = Method::EachByCutset,
                Method::Enumeration => method = Method::Enumeration,
                _ => {}
            }
            let Answer::Possible { answer, ln_p_evidence } = answer else { return Ok((Answer::Impossible, method)) };
            ln_p = ln_p_evidence;
            marginals.push(answer.probabilities);
        }
        Ok((Answer::Possible { answer: marginals, ln_p_evidence: ln_p }, method))
    }

    /// How many configurations all variables have together.
    pub(super) fn n_configurations(&self) -> f64 {
        self.domain().variables().map(|variable| self.domain().n_states(variable) as f64).product()
    }

    /// Whether evidence can be at all.
    pub(super) fn is_possible(&self, evidence: &Evidence) -> Result<bool, AskError> {
        match self.joint_by_elimination(&[], evidence) {
            Ok((answer, _)) => Ok(answer != Answer::Impossible),
            Err(AskError::Net(NetError::Underflow)) => Ok(true),
            Err(error) => Err(error),
        }
    }
}

/// The entries that lazy propagation holds, for no table is stored: messages, up and down, each as it is sent, as it is laid out for the clique that it goes to, and
/// while threads add it up. (A grid of 361 variables that this says 257 MB of took 255.)
pub(super) fn messages_of(elimination: &Elimination, n_states: &[usize]) -> f64 {
    let tree = CliqueTree::of(elimination, n_states);
    let shared = tree.scopes.iter().zip(&tree.n_shared).map(|(scope, &n_shared)| cutset::entries(&scope[..n_shared], n_states));
    6.0 * shared.sum::<f64>()
}

/// The marginals of a joint of all variables.
fn marginals_of(network: &Network, joint: Answer<JointDistribution>) -> Answer<Vec<Vec<f64>>> {
    let Answer::Possible { answer: joint, ln_p_evidence } = joint else { return Answer::Impossible };
    let mut inner = joint.probabilities.len();
    let marginal = |variable: &VarId| {
        let n_states = network.n_states(*variable);
        inner /= n_states;
        let mut sums = vec![CompensatedSum::default(); n_states];
        joint.probabilities.chunks(inner).enumerate().for_each(|(place, block)| block.iter().for_each(|&p| sums[place % n_states].add(p)));
        sums.iter().map(CompensatedSum::value).collect()
    };
    Answer::Possible { answer: joint.variables.iter().map(marginal).collect(), ln_p_evidence }
}

impl Method {
    /// Exact, and by what.
    pub fn words(&self) -> String {
        match self {
            Self::Elimination => "exact, variable elimination".to_string(),
            Self::JunctionTree => "exact, junction tree".to_string(),
            Self::LazyPropagation => "exact, lazy propagation".to_string(),
            Self::Cutset(variables) => format!("exact, variable elimination for each state of {} (cutset)", variables.join(", ")),
            Self::BucketTree => "exact, bucket-tree elimination".to_string(),
            Self::EachByElimination => "exact, variable elimination for each variable".to_string(),
            Self::EachByCutset => "exact, variable elimination for each variable, with cutsets".to_string(),
            Self::Enumeration => "exact, enumeration of all configurations".to_string(),
            Self::MaxProduct => "exact, max-product elimination".to_string(),
            Self::MaxProductCutset(variables) => {
                format!("exact, max-product elimination for each state of {} (cutset)", variables.join(", "))
            }
        }
    }
}
