//! Factor graphs: what the engines work on. A Bayesian network is one source of them, a Markov network another.
//!
//! The model is the product of its factors. A factor may be known to sum to one over one of its variables, whatever the others are, as
//! P(variable | parents) does; such a variable, when nobody asks for it, nothing was seen of it and no other factor has it, is barren: its factor
//! may be left out. Behind the named variables there may be hidden ones, which nobody can ask for: steps of a conditional that was taken apart.

use crate::conditional::Family;
use crate::domain::Domain;
use crate::elimination_order::InteractionGraph;
use crate::error::NetError;
use crate::evidence::Evidence;
use crate::factor::Factor;
use crate::network::Network;
use belief::VarId;
use std::sync::Arc;

/// Variables and factors over them. Invariant: every factor is over variables that are there, with their numbers of states.
#[derive(Clone, Debug, PartialEq)]
pub struct FactorGraph {
    domain: Arc<Domain>,
    /// Of the named variables and of the hidden ones behind them.
    n_states: Vec<usize>,
    /// Shared with what is made of the model by evidence, which cuts few of them.
    factors: Vec<Arc<Factor>>,
    /// For each factor, the variable that it sums to one over.
    heads: Vec<Option<VarId>>,
}

impl FactorGraph {
    /// Factors over named variables, of which none is known to sum to one. A variable that none of them has gets a factor of ones.
    ///
    /// # Errors
    /// When a factor is over a variable that is not there or has another number of states.
    ///
    /// ```
    /// use tunbridge_net::{Domain, Evidence, Factor, FactorGraph, VarId, variable_elimination::eliminate};
    /// let domain = Domain::new([("A", ["0", "1"]), ("B", ["0", "1"])])?;
    /// let [a, b] = [VarId::new(0), VarId::new(1)];
    /// let alike = Factor::new(&[a, b], &[2, 2], vec![3.0, 1.0, 1.0, 3.0])?;
    /// let graph = FactorGraph::new(domain, vec![alike])?;
    /// let seen = Evidence::of_states(&graph, &[("B", "1")])?;
    /// let answer = eliminate(&graph, &[a], &seen, 1 << 20)?;
    /// assert_eq!(answer.possible().unwrap().probabilities, [0.25, 0.75]);
    /// # Ok::<(), tunbridge_net::NetError>(())
    /// ```
    pub fn new(domain: Domain, factors: Vec<Factor>) -> Result<Self, NetError> {
        let n_states: Vec<usize> = domain.variables().map(|variable| domain.n_states(variable)).collect();
        for factor in &factors {
            factor.scope().iter().try_for_each(|&variable| domain.check(variable))?;
            let fits = factor.scope().iter().zip(factor.shape()).all(|(variable, &shape)| n_states[variable.index()] == shape);
            if !fits {
                return Err(NetError::NotAFactor);
            }
        }
        // Of a variable that no factor has every state is as good as another; it counts in the sum over all configurations like any other.
        let mut is_bare = vec![true; n_states.len()];
        factors.iter().flat_map(Factor::scope).for_each(|variable| is_bare[variable.index()] = false);
        let bare = domain.variables().filter(|variable| is_bare[variable.index()]);
        let ones = bare.map(|variable| Factor::over_one(variable, &vec![1.0; domain.n_states(variable)]));
        let factors: Vec<Arc<Factor>> = factors.into_iter().chain(ones).map(Arc::new).collect();
        Ok(Self { domain: Arc::new(domain), n_states, heads: vec![None; factors.len()], factors })
    }

    /// The variables' names and states.
    pub fn domain(&self) -> &Domain {
        &self.domain
    }

    /// The factors.
    pub fn factors(&self) -> &[Arc<Factor>] {
        &self.factors
    }

    /// For each factor, the variable that it is known to sum to one over.
    pub(crate) fn heads(&self) -> &[Option<VarId>] {
        &self.heads
    }

    /// How many variables there are, the hidden ones among them.
    pub fn n_with_hidden(&self) -> usize {
        self.n_states.len()
    }

    /// How many states each variable has, the hidden ones behind the others.
    pub fn n_states(&self) -> &[usize] {
        &self.n_states
    }

    /// Which factors have a say in a question about these variables (the queried and the observed): all but those of barren variables.
    pub fn relevant(&self, named: &[VarId]) -> Vec<bool> {
        let mut wanted = vec![false; self.n_states.len()];
        named.iter().for_each(|variable| wanted[variable.index()] = true);
        let mut uses = vec![0_usize; self.n_states.len()];
        let mut headed_by: Vec<Vec<usize>> = vec![Vec::new(); self.n_states.len()];
        for (place, factor) in self.factors.iter().enumerate() {
            factor.scope().iter().for_each(|variable| uses[variable.index()] += 1);
            if let Some(head) = self.heads[place] {
                headed_by[head.index()].push(place);
            }
        }
        let mut relevant = vec![true; self.factors.len()];
        let barren = |variable: usize, uses: &[usize]| !wanted[variable] && uses[variable] == 1;
        let mut waiting: Vec<usize> = (0..self.n_states.len()).filter(|&variable| barren(variable, &uses)).collect();
        while let Some(variable) = waiting.pop() {
            // Its one factor that is left: does it sum to one over it?
            let Some(&place) = headed_by[variable].iter().find(|&&place| relevant[place]) else { continue };
            relevant[place] = false;
            for member in self.factors[place].scope() {
                uses[member.index()] -= 1;
                if barren(member.index(), &uses) {
                    waiting.push(member.index());
                }
            }
        }
        relevant
    }

    /// The model in which the variables whose state is known are in it: all factors are cut, and those variables stand by themselves.
    pub fn given(&self, evidence: &Evidence) -> Self {
        let known: Vec<(VarId, usize)> = evidence.variables().filter_map(|variable| Some((variable, evidence.state(variable)?))).collect();
        let cut = |factor: &Arc<Factor>| {
            let of_factor = known.iter().filter(|(variable, _)| factor.scope().binary_search(variable).is_ok());
            of_factor.fold(Arc::clone(factor), |factor, &(variable, state)| Arc::new(factor.restrict(variable, state)))
        };
        let seen = known.iter().filter_map(|&(variable, _)| Some(Arc::new(Factor::over_one(variable, evidence.likelihood(variable)?))));
        let factors: Vec<Arc<Factor>> = self.factors.iter().map(cut).chain(seen).collect();
        Self { domain: self.domain.clone(), n_states: self.n_states.clone(), heads: vec![None; factors.len()], factors }
    }

    /// Who stands beside whom in a factor, for a network its moral graph.
    pub fn interaction_graph(&self) -> InteractionGraph {
        let mut beside = InteractionGraph::new(self.n_states.clone());
        self.factors.iter().for_each(|factor| beside.connect(factor.scope()));
        beside
    }

    /// All variables, the hidden ones among them.
    pub fn variables(&self) -> Vec<VarId> {
        (0..self.n_states.len()).map(VarId::new).collect()
    }

    /// The names of variables, for messages.
    pub(crate) fn names_of(&self, variables: &[VarId]) -> Vec<String> {
        let name = |variable: &VarId| self.domain.names().get(variable.index()).cloned().unwrap_or_else(|| "(hidden)".to_string());
        variables.iter().map(name).collect()
    }

    /// Whether no entry of any factor is zero.
    pub(crate) fn is_positive(&self) -> bool {
        self.factors().iter().all(|factor| factor.values().iter().all(|&value| value > 0.0))
    }

    /// Whether a table over these variables has no more entries than allowed.
    pub(crate) fn within_bounds(&self, variables: &[VarId], limit: usize) -> Result<(), NetError> {
        let entries: f64 = variables.iter().map(|variable| self.n_states[variable.index()] as f64).product();
        if entries <= limit as f64 {
            return Ok(());
        }
        Err(NetError::TooLarge { variables: self.names_of(variables), entries, limit })
    }
}

impl From<&Network> for FactorGraph {
    /// A factor for every P(variable | parents) that is a table or deterministic; a chain of them, with hidden variables between, for a
    /// noisy-MAX or a tree that is smaller so.
    fn from(network: &Network) -> Self {
        let domain = network.domain().clone();
        let mut n_states: Vec<usize> = domain.variables().map(|variable| domain.n_states(variable)).collect();
        let (mut factors, mut heads) = (Vec::with_capacity(n_states.len()), Vec::with_capacity(n_states.len()));
        for child in domain.variables() {
            let parents = network.dag().parents(child);
            let parent_states: Vec<usize> = parents.iter().map(|&parent| network.n_states(parent)).collect();
            let family = Family { child, parents, parent_states: &parent_states };
            let mut fresh = |hidden: usize| {
                n_states.push(hidden);
                VarId::new(n_states.len() - 1)
            };
            for piece in network.conditional(child).pieces(&family, &mut fresh) {
                factors.push(Arc::new(piece.factor));
                heads.push(Some(piece.head));
            }
        }
        Self { domain: Arc::new(domain), n_states, factors, heads }
    }
}

impl AsRef<Domain> for FactorGraph {
    fn as_ref(&self) -> &Domain {
        &self.domain
    }
}
