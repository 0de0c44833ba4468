//! Classes that are mixtures: several components a class.
//!
//! Nigam, McCallum, Thrun & Mitchell 2000, section 5.3.2. One product of attributes says little of a class such as "none of these",
//! which is many things. Here every class has components of its own, each a product, and
//!
//! > P(x, class) = P(class) Σ P(component | class) P(x | component)
//!
//! over the components of the class. A row with a class is shared among the components of that class alone. P(class) is what the class prior
//! says; P(component | class) = (n + 1)/(N + K), as the paper has it. With one component a class this is naive Bayes.

use std::ops::Range;
use std::sync::Arc;

use belief::{Chunk, Kind, Recode, Recoding, Role, Schema, ShapeMismatch, StateMap, States, Variable, log_sum_exp, split_mix};
use serde::{Deserialize, Serialize};

use super::class_prior::ClassBelief;
use super::expectation::{in_blocks, rows_at_once};
use super::posterior::NaiveBayes;
use super::prior::{ClassPrior, NaiveBayesPrior};
use super::scale::Scale;
use super::semi_supervised::completed;
use super::statistic::NaiveBayesStatistic;
use crate::LearnError;
use crate::ledger::{Contest, Ledger, LedgerEntry, MixtureParts, Weighed, difference};

/// Which components each class has.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Vec<u32>", into = "Vec<u32>")]
pub struct Components {
    /// How many of each class, none of them zero.
    n_of_class: Vec<u32>,
    /// Where those of each class begin, and at the end how many there are.
    starts: Vec<usize>,
}

impl Components {
    /// So many of each class.
    ///
    /// # Errors
    /// When a class has none, or there are more than [`Self::MOST`] in all.
    pub fn new(n_of_class: Vec<u32>) -> Result<Self, LearnError> {
        let mut starts = vec![0];
        for n in &n_of_class {
            starts.push(starts[starts.len() - 1] + *n as usize);
        }
        if n_of_class.contains(&0) || starts[starts.len() - 1] > Self::MOST {
            return Err(LearnError::NotComponents { n_components: starts[starts.len() - 1], most: Self::MOST });
        }
        Ok(Self { n_of_class, starts })
    }

    /// Components in all, at most.
    pub const MOST: usize = 100_000;

    /// One of each class: the class itself.
    pub fn one_each(n_classes: usize) -> Self {
        Self { n_of_class: vec![1; n_classes], starts: (0..=n_classes).collect() }
    }

    /// Whether every class is its one component.
    pub fn is_plain(&self) -> bool {
        self.n_of_class.iter().all(|n| *n == 1)
    }

    /// How many of each class.
    pub fn n_of_class(&self) -> &[u32] {
        &self.n_of_class
    }

    /// How many there are.
    pub fn n_components(&self) -> usize {
        self.starts[self.n_of_class.len()]
    }

    /// The places of the components of a class.
    ///
    /// # Panics
    /// When there is no such class.
    pub fn of_class(&self, class: usize) -> Range<usize> {
        self.starts[class]..self.starts[class + 1]
    }

    /// What components say together as the classes they are of.
    ///
    /// # Errors
    /// When the statistic is not one of these components.
    pub fn by_class(&self, statistic: &NaiveBayesStatistic) -> Result<NaiveBayesStatistic, ShapeMismatch> {
        let mut by_class = statistic.clone();
        if !self.is_plain() {
            let to = (0..self.n_of_class.len()).flat_map(|class| self.of_class(class).map(move |_| class as u32)).collect();
            let mut recoding = Recoding { columns: vec![None; statistic.attributes().len()] };
            recoding.columns[statistic.target().index()] = Some(StateMap { to, n_states: self.n_of_class.len() });
            by_class.recode(&recoding)?;
        }
        Ok(by_class)
    }

    /// The schema with components in place of the target's states.
    ///
    /// # Errors
    /// When the schema has no target of so many states.
    pub fn schema(&self, schema: &Schema) -> Result<Schema, LearnError> {
        let target = schema.target().ok_or(LearnError::NoTarget)?;
        let classes = schema.states(target).ok_or(LearnError::NoTarget)?;
        ShapeMismatch::check("classes that have components", classes.len(), self.n_of_class.len())?;
        if self.is_plain() {
            return Ok(schema.clone());
        }
        let mut variables: Vec<Variable> = schema.variables().to_vec();
        variables[target.index()].kind = Kind::Categorical(self.states(classes));
        variables[target.index()].role = Role::Target;
        Schema::new(variables).map_err(|_| LearnError::NoTarget)
    }

    fn states(&self, classes: &States) -> States {
        let named = |marks: usize| {
            let of_class = |(class, n): (&String, &u32)| match n {
                1 => vec![class.clone()],
                n => (1..=*n).map(|nth| format!("{class}{} {nth} of {n}", ",".repeat(marks))).collect(),
            };
            let names: Vec<String> = classes.names().iter().zip(&self.n_of_class).flat_map(of_class).collect();
            States::declared(names, false).ok()
        };
        // A class may itself be called `a, 1 of 2`, but no name is endless.
        (1..).find_map(named).expect("some number of marks is in no name")
    }

    /// The log joint probabilities of classes from those of their components, row by row.
    fn sum(&self, of_components: &[f64], out: &mut Vec<f64>) {
        out.clear();
        for row in of_components.chunks_exact(self.n_components()) {
            out.extend((0..self.n_of_class.len()).map(|class| log_sum_exp(&row[self.of_class(class)])));
        }
    }

    /// What a row of known class is to each component of the class before anything is known: drawn evenly from all ways of sharing
    /// it, by the seed and the number of the row.
    pub(crate) fn draw(&self, class: usize, seed: u64, row: u64, shares: &mut [f64]) {
        let of_class = self.of_class(class);
        let mut total = 0.0;
        for component in of_class.clone() {
            let bits = split_mix(split_mix(split_mix(seed).wrapping_add(row)).wrapping_add(component as u64));
            // Exponentials over their sum are even on the simplex; the half keeps zero out of the logarithm.
            let uniform = ((bits >> 11) as f64 + 0.5) / (1_u64 << 53) as f64;
            shares[component] = -uniform.ln();
            total += shares[component];
        }
        shares[of_class].iter_mut().for_each(|share| *share /= total);
    }
}

impl TryFrom<Vec<u32>> for Components {
    type Error = LearnError;

    fn try_from(n_of_class: Vec<u32>) -> Result<Self, LearnError> {
        Self::new(n_of_class)
    }
}

impl From<Components> for Vec<u32> {
    fn from(components: Components) -> Self {
        components.n_of_class
    }
}

/// A classifier whose classes are mixtures.
#[derive(Clone, Debug)]
pub struct Mixture {
    components: Components,
    schema: Arc<Schema>,
    statistic: NaiveBayesStatistic,
    class_belief: ClassBelief,
    ln_class_prior: Vec<f64>,
    model: NaiveBayes,
}

impl Mixture {
    /// The model of `observed`, what rows with a class say; of what they are expected to say of the components of their classes,
    /// `labelled`; and of what other rows are, `unlabelled`, each counted once and `lambda` times as heavy as one with a class.
    ///
    /// # Errors
    /// As [`NaiveBayes::new`], and when the components are not of these classes.
    pub fn new(
        components: &Components,
        schema: &Schema,
        observed: &NaiveBayesStatistic,
        [labelled, unlabelled]: [&NaiveBayesStatistic; 2],
        lambda: f64,
        prior: &NaiveBayesPrior,
    ) -> Result<Self, LearnError> {
        let of_components = Arc::new(components.schema(schema)?);
        labelled.validate(&of_components)?;
        unlabelled.validate(&of_components)?;
        let scale = Scale::of_labelled(schema, observed, &components.by_class(unlabelled)?, prior)?;
        Self::with_scale(components, (schema, &of_components), completed(labelled, unlabelled, lambda)?, prior, &scale)
    }

    /// The same on a scale made from others; the statistic has been checked. The schemas are that of the classes and that of the
    /// components.
    pub(crate) fn with_scale(
        components: &Components,
        (schema, of_components): (&Schema, &Arc<Schema>),
        statistic: NaiveBayesStatistic,
        prior: &NaiveBayesPrior,
        scale: &Scale,
    ) -> Result<Self, LearnError> {
        let target = schema.variable(statistic.target());
        let classes = schema.states(statistic.target()).ok_or(LearnError::NoTarget)?;
        let of_class = |class| components.of_class(class);
        let weights: Vec<f64> = (0..classes.len()).map(|class| statistic.classes()[of_class(class)].iter().sum()).collect();
        let class_belief = ClassBelief::new(prior, &target.name, classes, &weights)?;
        let ln_class_prior = class_belief.ln(&weights);
        let mut ln_component = Vec::with_capacity(components.n_components());
        for (class, ln_class) in ln_class_prior.iter().enumerate() {
            let total = weights[class] + of_class(class).len() as f64;
            ln_component.extend(statistic.classes()[of_class(class)].iter().map(|n| ln_class + ((n + 1.0) / total).ln()));
        }
        // The class prior is settled above; a given one does not know the names of components.
        let prior = NaiveBayesPrior { class: ClassPrior::Empirical, ..prior.clone() };
        let model = NaiveBayes::with_scale(of_components, &statistic, &prior, scale)?.with_ln_class_prior(ln_component);
        Ok(Self { components: components.clone(), schema: Arc::clone(of_components), statistic, class_belief, ln_class_prior, model })
    }

    /// Which components each class has.
    pub fn components(&self) -> &Components {
        &self.components
    }

    /// The schema with components in place of classes.
    pub fn schema(&self) -> &Schema {
        &self.schema
    }

    /// What the data say of the components.
    pub fn statistic(&self) -> &NaiveBayesStatistic {
        &self.statistic
    }

    /// The model of the components.
    pub fn model(&self) -> &NaiveBayes {
        &self.model
    }

    /// As [`NaiveBayes::ln_joint`], of the classes.
    ///
    /// # Errors
    /// When the columns are not those of the schema.
    pub fn ln_joint(&self, chunk: &Chunk<'_>, out: &mut Vec<f64>) -> Result<(), ShapeMismatch> {
        self.ln_joint_in_blocks(chunk, rows_at_once(self.components.n_components()), out)
    }

    /// So many rows at a time, since each has a number for every component.
    pub(crate) fn ln_joint_in_blocks(&self, chunk: &Chunk<'_>, n_rows: usize, out: &mut Vec<f64>) -> Result<(), ShapeMismatch> {
        let (mut of_components, mut of_classes) = (Vec::new(), Vec::new());
        out.clear();
        in_blocks(chunk, n_rows, |block| {
            self.model.ln_joint(block, &mut of_components)?;
            self.components.sum(&of_components, &mut of_classes);
            out.extend_from_slice(&of_classes);
            Ok(())
        })
    }

    /// Σ a · ln p over all parameters, those of the shares of components among them.
    pub(crate) fn ln_prior_density(&self) -> Result<f64, LearnError> {
        let mut ln = self.model.ln_prior_density(&self.schema, &self.statistic)?;
        let weights = (0..self.ln_class_prior.len()).map(|class| self.statistic.classes()[self.components.of_class(class)].iter().sum());
        if let Some(pseudo) = self.class_belief.pseudo_count(&weights.collect::<Vec<f64>>()) {
            ln += pseudo * self.ln_class_prior.iter().filter(|ln| ln.is_finite()).sum::<f64>();
        }
        for (class, ln_class) in self.ln_class_prior.iter().enumerate().filter(|(_, ln)| ln.is_finite()) {
            ln += self.model.ln_class_prior()[self.components.of_class(class)]
                .iter()
                .map(|of_component| of_component - ln_class)
                .sum::<f64>();
        }
        Ok(ln)
    }

    /// The ledger of a row, between the most responsible components of two classes, and what the other components add to it.
    ///
    /// # Errors
    /// As [`NaiveBayes::explain`].
    pub fn explain(&self, schema: &Schema, chunk: &Chunk<'_>, row: usize, contest: Contest) -> Result<Ledger, LearnError> {
        if row >= chunk.n_rows {
            return Err(LearnError::NoSuchRow { row, n_rows: chunk.n_rows });
        }
        let (mut of_components, mut of_classes) = (Vec::new(), Vec::new());
        self.model.ln_joint(chunk, &mut of_components)?;
        let of_components = &of_components[row * self.components.n_components()..][..self.components.n_components()];
        self.components.sum(of_components, &mut of_classes);
        let classes = schema.states(self.statistic.target()).ok_or(LearnError::NoTarget)?.names();
        ShapeMismatch::check("classes that have components", classes.len(), of_classes.len())?;
        let (class, against) = contest.between(classes, &of_classes)?;
        let best = |class: usize| {
            let later = |best: usize, other: usize| if of_components[other] > of_components[best] { other } else { best };
            self.components.of_class(class).reduce(later).expect("a class has components")
        };
        let chosen = [best(class), best(against)];
        let between = Contest { class: Some(chosen[0]), against: Some(chosen[1]) };
        let mut ledger = self.model.explain(&self.schema, chunk, row, between)?;
        let others = [(class, chosen[0]), (against, chosen[1])].map(|(class, best)| difference(of_classes[class], of_components[best]));
        ledger.entries.push(LedgerEntry {
            variable: schema.variable(self.statistic.target()).name.clone(),
            value: Weighed::State(OTHERS.into()),
            ln_given_class: others[0],
            ln_given_against: others[1],
            log_odds: difference(others[0], others[1]),
        });
        ledger.posterior_log_odds = ledger.posterior_log_odds.map(|sum| sum + difference(others[0], others[1]));
        let total = log_sum_exp(&of_classes);
        let p = |class: usize| (total > f64::NEG_INFINITY).then(|| (of_classes[class] - total).exp());
        (ledger.probability, ledger.probability_against) = (p(class), p(against));
        (ledger.class, ledger.against) = (classes[class].clone(), classes[against].clone());
        let nth =
            |class: usize, component: usize| (component - self.components.of_class(class).start + 1, self.components.of_class(class).len());
        ledger.mixture = Some(MixtureParts { of_class: nth(class, chosen[0]), of_against: nth(against, chosen[1]) });
        Ok(ledger)
    }
}

/// The name of what components add that are not the most responsible ones.
const OTHERS: &str = "its other components";
