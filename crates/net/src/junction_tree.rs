//! The junction tree: one compiled plan that answers for all variables at once.
//!
//! The moral graph is triangulated by an elimination order; its cliques make a tree in which whatever two cliques share is in all between
//! them (the running intersection). Propagation is Hugin's (Jensen, Lauritzen & Olesen 1990): one table a clique, a message up and one down each
//! arc, the upward message divided out of the downward one. It was chosen over Shafer–Shenoy because a clique of many neighbours
//! then costs one product a neighbour and not one a pair; the two were not measured against each other. Tables are cut by hard evidence before they are multiplied.
//!
//! The tree is never changed by evidence, so that an answer does not depend on what was asked before.

use crate::elimination_order::{Elimination, Heuristic, InteractionGraph, cheapest_elimination, elimination};
use crate::error::NetError;
use crate::evidence::{Answer, Evidence};
use crate::factor::Factor;
use crate::factor_graph::FactorGraph;
use belief::VarId;

/// Cliques in a tree, with the network's tables multiplied into them. Owns all it needs; may be shared by many questions.
#[derive(Clone, Debug)]
pub struct JunctionTree {
    cliques: Vec<Clique>,
    /// Children before parents.
    upwards: Vec<usize>,
    /// For each variable the smallest clique it is in.
    home: Vec<usize>,
    n_states: Vec<usize>,
}

/// A clique and what joins it to its parent in the tree.
#[derive(Clone, Debug)]
struct Clique {
    potential: Factor,
    parent: Option<usize>,
    separator: Vec<VarId>,
}

/// A tree in which all cliques agree, given some evidence.
#[derive(Clone, Debug)]
pub struct Calibrated {
    beliefs: Vec<Factor>,
    home: Vec<usize>,
    n_states: Vec<usize>,
    observed: Vec<Option<usize>>,
}

impl JunctionTree {
    /// Compiles a network. No clique may have more entries than `max_entries`; of the orders that the heuristics find the cheapest is taken.
    ///
    /// # Errors
    /// When a clique would be larger than allowed, before it is made.
    ///
    /// ```
    /// use tunbridge_net::{Evidence, FactorGraph, JunctionTree, Network};
    /// let network = Network::builder()
    ///     .variable("Cancer", ["yes", "no"]).probabilities([0.008, 0.992])
    ///     .variable("Test", ["+", "-"]).given(["Cancer"]).probabilities([0.98, 0.02,  0.03, 0.97])
    ///     .build()?;
    /// let tree = JunctionTree::compile(&FactorGraph::from(&network), 1 << 20)?;
    /// let seen = Evidence::of_states(&network, &[("Test", "+")])?;
    /// let posterior = tree.calibrate(&seen)?.possible().unwrap();
    /// assert!((posterior.marginal(network.find("Cancer")?)[0] - 0.00784 / 0.0376).abs() < 1e-15);
    /// # Ok::<(), tunbridge_net::NetError>(())
    /// ```
    pub fn compile(graph: &FactorGraph, max_entries: usize) -> Result<Self, NetError> {
        let (beside, all) = interaction_graph(graph);
        Self::from_elimination(graph, &cheapest_elimination(&beside, &all), max_entries)
    }

    /// Compiles a network by one heuristic.
    ///
    /// # Errors
    /// When a clique would be larger than allowed, before it is made.
    pub fn compile_by(graph: &FactorGraph, heuristic: Heuristic, max_entries: usize) -> Result<Self, NetError> {
        let (beside, all) = interaction_graph(graph);
        Self::from_elimination(graph, &elimination(&beside, &all, heuristic), max_entries)
    }

    /// The variables of each clique.
    pub fn cliques(&self) -> impl Iterator<Item = &[VarId]> {
        self.cliques.iter().map(|clique| clique.potential.scope())
    }

    /// The arcs of the tree: a clique, its parent, and the variables they share.
    pub fn separators(&self) -> impl Iterator<Item = (usize, usize, &[VarId])> {
        self.cliques.iter().enumerate().filter_map(|(place, clique)| Some((place, clique.parent?, clique.separator.as_slice())))
    }

    /// The entries of all cliques together: what one propagation costs, within a small factor.
    pub fn n_entries(&self) -> usize {
        self.cliques.iter().map(|clique| clique.potential.values().len()).sum()
    }

    /// Brings the evidence in and lets all cliques agree.
    ///
    /// # Complexity
    /// Linear in [`Self::n_entries`], for cliques of few variables; hard evidence makes it cheaper.
    ///
    /// # Errors
    /// When the evidence is of another network, or possible but too improbable for doubles.
    pub fn calibrate(&self, evidence: &Evidence) -> Result<Answer<Calibrated>, NetError> {
        self.check(evidence)?;
        if evidence.contradicts_itself() {
            return Ok(Answer::Impossible);
        }
        let observed: Vec<Option<usize>> = (0..self.home.len()).map(|place| evidence.state(VarId::new(place))).collect();
        let mut beliefs = self.with_evidence(evidence, &observed);
        let mut ln_p_evidence = evidence.ln_scale();
        let mut upward: Vec<Option<Factor>> = vec![None; self.cliques.len()];
        for &place in &self.upwards {
            let clique = &self.cliques[place];
            let Some(parent) = clique.parent else {
                if beliefs[place].is_zero() {
                    let possible = self.is_possible(&self.with_evidence(evidence, &observed));
                    return if possible { Err(NetError::Underflow) } else { Ok(Answer::Impossible) };
                }
                ln_p_evidence += beliefs[place].ln_total();
                continue;
            };
            let message = beliefs[place].marginal(&clique.separator);
            beliefs[parent] = beliefs[parent].product(&message);
            upward[place] = Some(message);
        }
        for &place in self.upwards.iter().rev() {
            if let (Some(parent), Some(sent)) = (self.cliques[place].parent, &upward[place]) {
                let message = beliefs[parent].marginal(&self.cliques[place].separator).divide(sent);
                beliefs[place] = beliefs[place].product(&message);
            }
        }
        if beliefs.iter().any(Factor::is_zero) {
            return Err(NetError::Underflow);
        }
        let calibrated = Calibrated { beliefs, home: self.home.clone(), n_states: self.n_states.clone(), observed };
        Ok(Answer::Possible { answer: calibrated, ln_p_evidence })
    }

    /// The cliques' tables, cut by states that were seen and multiplied with other likelihoods.
    fn with_evidence(&self, evidence: &Evidence, observed: &[Option<usize>]) -> Vec<Factor> {
        let mut tables: Vec<Factor> = self.cliques.iter().map(|clique| cut(&clique.potential, observed)).collect();
        for variable in evidence.variables().filter(|variable| observed[variable.index()].is_none()) {
            if let Some(likelihood) = evidence.likelihood(variable) {
                let home = self.home[variable.index()];
                tables[home] = tables[home].product(&Factor::over_one(variable, likelihood));
            }
        }
        tables
    }

    /// Whether these tables leave any configuration above zero: a pass upwards of what is possible at all, which tells zero from underflow.
    fn is_possible(&self, tables: &[Factor]) -> bool {
        let mut supports: Vec<Factor> = tables.iter().map(Factor::support).collect();
        self.upwards.iter().all(|&place| {
            if let Some(parent) = self.cliques[place].parent {
                supports[parent] = supports[parent].product(&supports[place].max_marginal(&self.cliques[place].separator));
            }
            !supports[place].is_zero()
        })
    }

    fn from_elimination(graph: &FactorGraph, plan: &Elimination, max_entries: usize) -> Result<Self, NetError> {
        plan.cliques.iter().try_for_each(|clique| graph.within_bounds(clique, max_entries))?;
        let n_states = graph.n_states().to_vec();
        let (scopes, parents) = tree_of(plan, n_states.len());
        let mut cliques: Vec<Clique> = Vec::with_capacity(scopes.len());
        for (scope, &parent) in scopes.iter().zip(&parents) {
            let separator =
                parent.map_or(Vec::new(), |parent| scope.iter().copied().filter(|variable| scopes[parent].contains(variable)).collect());
            let shape = scope.iter().map(|variable| n_states[variable.index()]).collect();
            cliques.push(Clique { potential: Factor::ones(scope.clone(), shape), parent, separator });
        }
        let mut containing: Vec<Vec<usize>> = vec![Vec::new(); n_states.len()];
        for (place, scope) in scopes.iter().enumerate() {
            scope.iter().for_each(|variable| containing[variable.index()].push(place));
        }
        let size = |place: usize| scopes[place].iter().map(|variable| n_states[variable.index()] as f64).product::<f64>();
        let smallest = |places: &mut dyn Iterator<Item = usize>| places.min_by(|&a, &b| size(a).total_cmp(&size(b)));
        let mut home = Vec::with_capacity(n_states.len());
        for factor in graph.factors() {
            let holds = |place: &usize| factor.scope().iter().all(|member| scopes[*place].contains(member));
            let mut places: Box<dyn Iterator<Item = usize>> = match factor.scope().first() {
                Some(first) => Box::new(containing[first.index()].iter().copied().filter(holds)),
                None => Box::new(0..scopes.len().min(1)),
            };
            if let Some(place) = smallest(&mut places) {
                cliques[place].potential = cliques[place].potential.product(factor);
            }
        }
        for containing in &containing {
            home.push(smallest(&mut containing.iter().copied()).expect("every variable is in a clique"));
        }
        Ok(Self { upwards: upwards(&parents), cliques, home, n_states })
    }

    fn check(&self, evidence: &Evidence) -> Result<(), NetError> {
        let n_variables = self.n_states.len();
        for variable in evidence.variables() {
            let n_states = self.n_states.get(variable.index()).ok_or(NetError::NoSuchVariable { place: variable.index(), n_variables })?;
            if evidence.likelihood(variable).is_some_and(|likelihood| likelihood.len() != *n_states) {
                return Err(NetError::NotALikelihood { variable: format!("#{}", variable.index()), n_states: *n_states });
            }
        }
        Ok(())
    }
}

impl Calibrated {
    /// The distribution of a variable given the evidence.
    ///
    /// # Panics
    /// When there is no such variable.
    pub fn marginal(&self, variable: VarId) -> Vec<f64> {
        if let Some(state) = self.observed[variable.index()] {
            return (0..self.n_states[variable.index()]).map(|other| if other == state { 1.0 } else { 0.0 }).collect();
        }
        let marginal = self.beliefs[self.home[variable.index()]].marginal(&[variable]);
        marginal.normalised_in(&[variable]).expect("the evidence is possible, so that no belief is zero")
    }

    /// The distributions of all variables, in order.
    pub fn marginals(&self) -> Vec<Vec<f64>> {
        (0..self.home.len()).map(|place| self.marginal(VarId::new(place))).collect()
    }
}

/// Who stands beside whom in a factor, for a network its moral graph.
fn interaction_graph(graph: &FactorGraph) -> (InteractionGraph, Vec<VarId>) {
    let mut beside = InteractionGraph::new(graph.n_states().to_vec());
    graph.factors().iter().for_each(|factor| beside.connect(factor.scope()));
    (beside, (0..graph.n_with_hidden()).map(VarId::new).collect())
}

/// The maximal cliques of an elimination and the parent of each. What is left of a clique without its variable is within the clique of the
/// next of its variables to go, which so is its parent; a parent that holds nothing more is merged into its child.
fn tree_of(plan: &Elimination, n_variables: usize) -> (Vec<Vec<VarId>>, Vec<Option<usize>>) {
    let mut rank = vec![0; n_variables];
    plan.order.iter().enumerate().for_each(|(step, variable)| rank[variable.index()] = step);
    let n_steps = plan.order.len();
    let next_to_go = |step: usize| plan.cliques[step].iter().map(|variable| rank[variable.index()]).filter(|&later| later > step).min();
    let mut parent: Vec<Option<usize>> = (0..n_steps).map(next_to_go).collect();
    let mut merged_into: Vec<Option<usize>> = vec![None; n_steps];
    let standing = |merged_into: &[Option<usize>], mut step: usize| {
        while let Some(into) = merged_into[step] {
            step = into;
        }
        step
    };
    for step in 0..n_steps {
        if merged_into[step].is_some() {
            continue;
        }
        while let Some(above) = parent[step].map(|above| standing(&merged_into, above)) {
            parent[step] = Some(above);
            if !plan.cliques[above].iter().all(|variable| plan.cliques[step].contains(variable)) {
                break;
            }
            merged_into[above] = Some(step);
            parent[step] = parent[above];
        }
    }
    let mut place = vec![None; n_steps];
    let left: Vec<usize> = (0..n_steps).filter(|&step| merged_into[step].is_none()).collect();
    left.iter().enumerate().for_each(|(new, &step)| place[step] = Some(new));
    let scopes = left.iter().map(|&step| plan.cliques[step].clone()).collect();
    let parents = left.iter().map(|&step| parent[step].and_then(|above| place[standing(&merged_into, above)])).collect();
    (scopes, parents)
}

/// All cliques, children before parents.
fn upwards(parents: &[Option<usize>]) -> Vec<usize> {
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); parents.len()];
    let mut order: Vec<usize> = Vec::with_capacity(parents.len());
    for (place, parent) in parents.iter().enumerate() {
        match parent {
            Some(parent) => children[*parent].push(place),
            None => order.push(place),
        }
    }
    let mut seen = 0;
    while seen < order.len() {
        order.extend(&children[order[seen]]);
        seen += 1;
    }
    order.reverse();
    order
}

/// A table where the variables that were observed are in their states.
fn cut(potential: &Factor, observed: &[Option<usize>]) -> Factor {
    let known: Vec<(VarId, usize)> =
        potential.scope().iter().filter_map(|&variable| Some((variable, observed[variable.index()]?))).collect();
    known.into_iter().fold(potential.clone(), |factor, (variable, state)| factor.restrict(variable, state))
}
