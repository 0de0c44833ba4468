//! A network that was learned from data: its graph, what was believed before, and what the data said of every family.

use std::path::Path;
use std::sync::Arc;

use belief::hypotheses::TwoPartCode;
use belief::{Chunk, Forget, Kind, NeverObserved, Recode, Recoding, Role, Schema, ShapeMismatch, SufficientStatistic, VarId};
use net::parameters::{
    Estimate, Families, FamilyCounts, Gaps, IncompleteParts, ParameterPosterior, ParameterPrior, Pseudocounts, Wiring, description_length,
    ln_marginal_likelihood,
};
use net::{Domain, Network};
use serde::{Deserialize, Serialize};

use crate::{Error, Recipe, model_file};

/// A network whose graph was known and whose tables were learned: counts of its families and the posterior they make with the prior.
#[derive(Clone, Debug)]
pub struct NetworkModel {
    parts: StoredNetwork,
    posterior: ParameterPosterior,
    network: Network,
}

/// What a model file holds. The graph is in the counts.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct StoredNetwork {
    /// The network's own name; may be empty.
    pub name: String,
    /// The network's variables in its order, and behind them other columns such as the weight.
    pub schema: Schema,
    pub recipe: Recipe,
    pub prior: ParameterPrior,
    pub observed: FamilyStatistic,
    /// What gaps are expected to be, kept apart from what was seen.
    #[serde(default)]
    pub expected: Option<ExpectedPart>,
    /// The parts of all rows with gaps that EM was run over; `None` where there are none, or they are not kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parts: Option<IncompleteParts>,
}

/// What the data say of a network whose graph is known: how often each configuration of each family was seen, and what was missing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FamilyStatistic {
    /// How often each configuration of each family was seen.
    pub counts: FamilyCounts,
    /// How much was missing where.
    pub gaps: Gaps,
}

/// What rows with gaps are expected to say beyond what they say, as EM left it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ExpectedPart {
    /// The expected counts of cells that no row has whole, in the layout of the families.
    pub cells: Vec<f64>,
    /// ln P(all rows | the parameters); `None` where rows came or went since.
    pub ln_likelihood: Option<f64>,
    /// Steps of EM.
    pub iterations: u64,
    /// Whether EM came to rest.
    pub converged: bool,
}

impl FamilyStatistic {
    /// Nothing seen.
    pub fn empty(families: Arc<Families>) -> Self {
        Self { gaps: Gaps::empty(families.len()), counts: FamilyCounts::empty(families) }
    }

    /// Everything so many times as large: what is old counts less.
    pub fn scale(&mut self, by: f64) {
        self.counts.scale(by);
        self.gaps.scale(by);
    }
}

impl SufficientStatistic for FamilyStatistic {
    type Columns<'a> = Chunk<'a>;

    fn observe(&mut self, chunk: Chunk<'_>) -> Result<(), ShapeMismatch> {
        self.counts.observe(chunk)?;
        self.gaps.observe(chunk)
    }

    fn merge(&mut self, other: &Self) -> Result<(), ShapeMismatch> {
        self.counts.merge(&other.counts)?;
        self.gaps.merge(&other.gaps)
    }
}

impl Forget for FamilyStatistic {
    fn forget(&mut self, other: &Self) -> Result<(), NeverObserved> {
        let mut left = self.clone();
        left.counts.forget(&other.counts)?;
        left.gaps.forget(&other.gaps)?;
        *self = left;
        Ok(())
    }
}

impl Recode for FamilyStatistic {
    fn recode(&mut self, recoding: &Recoding) -> Result<(), ShapeMismatch> {
        self.counts.recode(recoding)
    }
}

impl NetworkModel {
    pub(crate) const KIND: &'static str = "network";

    /// Checks the parts against each other and makes the posterior and the network.
    pub(crate) fn from_parts(parts: StoredNetwork) -> Result<Self, Error> {
        let cannot = |what: String| Error::unfit(what, "learn the model again");
        let families = Arc::clone(parts.observed.counts.families());
        let n = families.len();
        let (of_network, others) = parts
            .schema
            .variables()
            .split_at_checked(n)
            .filter(|_| n > 0)
            .ok_or_else(|| cannot(format!("it has {} columns and a network of {n} variables", parts.schema.variables().len())))?;
        if let Some(other) = others.iter().find(|other| matches!(other.role, Role::Input | Role::Target)) {
            return Err(cannot(format!("`{}` is no variable of its network", other.name)));
        }
        for (variable, n_states) in of_network.iter().zip(families.n_states()) {
            let found = if let Kind::Categorical(states) = &variable.kind { states.len() } else { 0 };
            if found != *n_states || found == 0 || variable.role == Role::Weight {
                return Err(cannot(format!("`{}` has {found} states where its counts have {n_states}", variable.name)));
            }
        }
        if !parts.observed.gaps.is_valid(n, parts.observed.counts.n_rows()) {
            return Err(cannot("what it says of missing values cannot be".into()));
        }
        let is_amount = |x: &f64| x.is_finite() && *x >= 0.0;
        if let Some(expected) = &parts.expected
            && (expected.cells.len() != families.n_cells()
                || !expected.cells.iter().all(is_amount)
                || expected.ln_likelihood.is_some_and(f64::is_nan))
        {
            return Err(cannot("what it expects of missing values cannot be".into()));
        }
        if !are_parts_of(&parts, &families) {
            return Err(cannot("what it keeps of rows with gaps cannot be".into()));
        }
        if !parts.recipe.made.fits(&parts.schema) {
            return Err(cannot("what it says of columns that are made of others cannot be".into()));
        }
        if parts.prior.of_variable.keys().chain(parts.prior.fixed.keys()).any(|of| *of >= n) {
            return Err(cannot("its prior speaks of a variable that is not there".into()));
        }
        let domain = domain_of(&parts.schema, n)?;
        let all = completed(&parts.observed.counts, parts.expected.as_ref());
        let posterior = ParameterPosterior::new(families, &parts.prior, &all).map_err(|e| cannot(e.to_string()))?;
        let network = posterior.parameters().to_network(domain).map_err(|e| cannot(e.to_string()))?;
        Ok(Self { parts, posterior, network })
    }

    pub(crate) fn parts(&self) -> &StoredNetwork {
        &self.parts
    }

    /// As [`crate::Model::save`].
    ///
    /// # Errors
    /// When the system refuses, or a file that is no model is there and `force` is not given.
    pub fn save(&self, path: &Path, force: bool) -> Result<u64, Error> {
        Ok(model_file::save(path, Self::KIND, &self.parts, force)?)
    }

    /// The network's own name; may be empty.
    pub fn name(&self) -> &str {
        &self.parts.name
    }

    /// What the columns are: the network's variables in its order, and behind them others such as the weight.
    pub fn schema(&self) -> &Schema {
        &self.parts.schema
    }

    /// Everything that was fixed before counting.
    pub fn recipe(&self) -> &Recipe {
        &self.parts.recipe
    }

    /// What was believed before.
    pub fn prior(&self) -> &ParameterPrior {
        &self.parts.prior
    }

    /// What was believed before, as the user writes it.
    pub fn prior_words(&self) -> String {
        prior_words(self.prior(), self.schema())
    }

    /// What the data said.
    pub fn observed(&self) -> &FamilyStatistic {
        &self.parts.observed
    }

    /// What gaps are expected to be, where EM was run.
    pub fn expected(&self) -> Option<&ExpectedPart> {
        self.parts.expected.as_ref()
    }

    /// The parts of rows with gaps that it keeps, so that EM can go on; `None` where no value is missing, or they are not kept.
    ///
    /// They hold values of single rows; see [`Self::without_parts`].
    pub fn kept_parts(&self) -> Option<&IncompleteParts> {
        self.parts.parts.as_ref()
    }

    /// The same model without the parts of rows with gaps: nothing of a single row is left but what counts say. EM cannot go over them again.
    pub fn without_parts(mut self) -> Self {
        self.parts.parts = None;
        self
    }

    /// The weight of the rows it has learned from.
    pub fn n_rows(&self) -> f64 {
        self.parts.observed.counts.n_rows()
    }

    /// What is believed of the tables now.
    pub fn posterior(&self) -> &ParameterPosterior {
        &self.posterior
    }

    /// The network with the tables that are believed now.
    pub fn network(&self) -> &Network {
        &self.network
    }

    /// The variable that is predicted, if one is.
    pub fn target(&self) -> Option<VarId> {
        self.schema().target()
    }

    /// The observed and the expected counts together, in the layout of the families.
    pub fn completed(&self) -> Vec<f64> {
        completed(&self.parts.observed.counts, self.parts.expected.as_ref())
    }

    /// The rows of tables that are learned in which nothing was seen: the variable, and the place of its parents' configuration.
    pub fn unseen(&self) -> Vec<(VarId, usize)> {
        let mut unseen = ParameterPosterior::unseen(self.posterior.families(), &self.completed());
        unseen.retain(|(variable, _)| !self.prior().fixed.contains_key(&variable.index()));
        unseen
    }

    /// The configuration of a variable's parents at a row of its table, as in `Flu=yes, Allergy=no`.
    ///
    /// # Panics
    /// When there is no such variable.
    pub fn configuration(&self, variable: VarId, row: usize) -> String {
        let parents = self.network.dag().parents(variable);
        let mut left = row;
        let mut states: Vec<String> = Vec::with_capacity(parents.len());
        for parent in parents.iter().rev() {
            let names = self.network.states(*parent);
            states.push(format!("{}={}", self.network.name(*parent), names[left % names.len()]));
            left /= names.len();
        }
        states.reverse();
        states.join(", ")
    }

    /// The weight that each row of a variable's table has: N + α, which is how many rows it is worth. `None` for a table that stays.
    ///
    /// # Panics
    /// When there is no such variable.
    pub fn experience(&self, variable: VarId) -> Option<Vec<f64>> {
        let of = variable.index();
        if self.prior().fixed.contains_key(&of) {
            return None;
        }
        let families = self.posterior.families();
        let rows = self.posterior.alpha()[families.cells(of)].chunks_exact(families.n_states()[of]);
        Some(rows.map(|row| row.iter().sum()).collect())
    }

    /// ln P(all rows | the tables): of complete rows Σ N ln θ, else as EM found it; `None` where neither is there.
    pub fn ln_likelihood(&self) -> Option<f64> {
        match &self.parts.expected {
            Some(expected) => expected.ln_likelihood,
            None if self.parts.observed.gaps.are_none() => {
                Some(self.posterior.parameters().ln_likelihood(self.parts.observed.counts.cells()))
            }
            None => None,
        }
    }

    /// How many bits the graph and its tables are, and the rows given them; `None` where values are missing.
    pub fn description_length(&self) -> Option<TwoPartCode> {
        let is_whole = self.parts.expected.is_none() && self.parts.observed.gaps.are_none();
        is_whole.then(|| description_length(&self.parts.observed.counts))
    }

    /// ln P(all rows | the graph), the tables integrated out; `None` where values are missing, or nothing was believed before.
    pub fn ln_marginal_likelihood(&self) -> Option<f64> {
        if self.parts.expected.is_some() || !self.parts.observed.gaps.are_none() {
            return None;
        }
        let (families, prior) = (self.posterior.families(), self.prior());
        // Without pseudo-counts there is no distribution to integrate over.
        let is_proper = (0..families.len()).all(|of| {
            let amount = prior.of_variable.get(&of).unwrap_or(&prior.pseudocounts).amount();
            amount > 0.0 || prior.fixed.contains_key(&of)
        });
        let ln = ln_marginal_likelihood(families, prior, self.parts.observed.counts.cells()).ok()?;
        Some(ln).filter(|ln| is_proper && ln.is_finite())
    }
}

impl StoredNetwork {
    /// Everything that rows say so many times as large: what is old counts less.
    pub fn scale(&mut self, by: f64) {
        self.observed.scale(by);
        if let Some(expected) = &mut self.expected {
            expected.cells.iter_mut().for_each(|n| *n *= by);
        }
        if let Some(parts) = &mut self.parts {
            parts.scale(by);
        }
    }

    /// The parts of all rows with gaps; `None` where they are not kept.
    pub fn all_parts(&self) -> Option<IncompleteParts> {
        if self.observed.gaps.are_none() { Some(IncompleteParts::default()) } else { self.parts.clone() }
    }

    /// What is believed of the tables.
    pub fn posterior(&self) -> Result<ParameterPosterior, Error> {
        let all = completed(&self.observed.counts, self.expected.as_ref());
        let posterior = ParameterPosterior::new(Arc::clone(self.observed.counts.families()), &self.prior, &all);
        posterior.map_err(|e| Error::unfit(e.to_string(), "check the prior"))
    }
}

/// Whether the parts that are kept are of these families, and of as much as is missing.
fn are_parts_of(parts: &StoredNetwork, families: &Arc<Families>) -> bool {
    let Some(kept) = &parts.parts else { return true };
    // Sums of fractional weights are rounded, each in its own order.
    let most = 1e-6 * (parts.observed.counts.n_rows() + 1.0);
    let told = parts.observed.gaps.missing();
    let is_all = || kept.missing(told.len()).iter().zip(told).all(|(kept, told)| (kept - told).abs() <= most);
    parts.expected.is_some() && kept.fits(&Wiring::new(Arc::clone(families), 0)) && is_all()
}

/// The states of the first variables of a schema.
pub(super) fn domain_of(schema: &Schema, n_variables: usize) -> Result<Domain, Error> {
    let states = |place: usize| {
        let variable = &schema.variables()[place];
        (variable.name.clone(), variable.kind.states().map_or(Vec::new(), |states| states.names().to_vec()))
    };
    Domain::new((0..n_variables).map(states)).map_err(|e| Error::unfit(e.to_string(), "check the names and states of the network"))
}

/// The observed and the expected counts together.
pub(super) fn completed(observed: &FamilyCounts, expected: Option<&ExpectedPart>) -> Vec<f64> {
    let mut cells = observed.cells().to_vec();
    if let Some(expected) = expected {
        cells.iter_mut().zip(&expected.cells).for_each(|(n, more)| *n += more);
    }
    cells
}

/// What was believed before, as the user writes it.
pub(super) fn prior_words(prior: &ParameterPrior, schema: &Schema) -> String {
    let name = |of: &usize| schema.variables()[*of].name.clone();
    let mut words = prior.pseudocounts.to_string();
    if prior.estimate == Estimate::Map {
        words += ", the most probable tables";
    }
    let amounts: Vec<String> = prior.of_variable.iter().map(|(of, amount)| format!("{} {}", name(of), amount_words(*amount))).collect();
    if !amounts.is_empty() {
        words += &format!(", {}", amounts.join(", "));
    }
    let fixed: Vec<String> = prior.fixed.keys().map(name).collect();
    if !fixed.is_empty() {
        words += &format!(", {} as given", fixed.join(", "));
    }
    words
}

fn amount_words(pseudocounts: Pseudocounts) -> String {
    match pseudocounts {
        Pseudocounts::PriorNetwork(ess) => format!("worth {ess} rows"),
        other => other.to_string(),
    }
}
