//! Naive Bayes as a Bayesian network, and back: the class is the one parent of every attribute.
//!
//! From model to network every probability goes over as it is. A network has states and nothing else: numbers must be cut into
//! bins, texts cannot go, and neither can event models under which an attribute has no distribution over its states (Bernoulli with
//! more than two, nearest centroid). From network to model there are no counts, for a network does not know how many rows it was
//! learned from: it is given the counts that so many rows would have if they were spread exactly as the network says. Under maximum
//! likelihood these give its probabilities back, and the model may be saved, updated and merged like any other.

use belief::{JointCounts, Kind, Role, Schema, States, Variable};
use net::{Conditional, ConditionalTable, Domain, Network, VarId};

use super::posterior::NaiveBayes;
use super::prior::{ClassPrior, Estimate, EventModel, NaiveBayesPrior};
use super::scoring::{Scorer, StateTable};
use super::statistic::{AttributeStatistic, NaiveBayesStatistic, Treatment};
use crate::LearnError;

/// What makes a classifier of a network: [`NaiveBayes::new`] of the three answers as the network does.
#[derive(Clone, Debug, PartialEq)]
pub struct NetworkAsData {
    /// The network's variables, one of them the target.
    pub schema: Schema,
    /// Counts of rows that are spread as the network says.
    pub statistic: NaiveBayesStatistic,
    /// Maximum likelihood.
    pub prior: NaiveBayesPrior,
}

impl NaiveBayes {
    /// The network of this model: P(class), and P(attribute | class) for every attribute that has a say. The target comes first,
    /// then the attributes in the order of the schema. Bins are states, by names such as `≤ 2.5`, `(2.5, 5.0]` and `> 5.0`.
    /// Attributes that the model leaves out are left out, and so are states that were neither declared nor seen: the classifier
    /// passes over them, the network does not know them. Calibration and mixtures are no part of it.
    ///
    /// # Errors
    /// When an attribute is a number that is not cut into bins or a text, or the event model gives no distribution over states;
    /// when the schema is another model's.
    ///
    /// ```
    /// use belief::{Chunk, Codes, Column, Kind, Role, Schema, States, SufficientStatistic, Variable};
    /// use tunbridge_learn::{NaiveBayes, NaiveBayesPrior, NaiveBayesStatistic, Treatment};
    ///
    /// let states = |names: &[&str]| Kind::Categorical(States::declared(names.iter().map(|n| n.to_string()).collect(), false).unwrap());
    /// let schema = Schema::new(vec![
    ///     Variable { name: "Wind".into(), kind: states(&["Strong", "Weak"]), role: Role::Input },
    ///     Variable { name: "Play".into(), kind: states(&["No", "Yes"]), role: Role::Target },
    /// ])?;
    /// let columns = [
    ///     Column::Categorical { codes: Codes::U8(&[0, 1, 1, 1, 0]), n_states: 2 },
    ///     Column::Categorical { codes: Codes::U8(&[0, 0, 1, 1, 1]), n_states: 2 },
    /// ];
    /// let mut statistic = NaiveBayesStatistic::empty(&[Treatment::Categorical, Treatment::Absent], 1, &schema.cardinalities());
    /// statistic.observe(Chunk { first_row: 0, n_rows: 5, columns: &columns, weights: None })?;
    /// let model = NaiveBayes::new(&schema, &statistic, &NaiveBayesPrior::default())?;
    ///
    /// let network = model.to_network(&schema)?;
    /// // Laplace's estimate: P(Strong | Yes) = (1 + 1)/(3 + 2).
    /// assert!((network.table(network.find("Wind")?)?[2] - 0.4).abs() < 1e-15);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn to_network(&self, schema: &Schema) -> Result<Network, LearnError> {
        belief::ShapeMismatch::check("variables", self.scorers().len(), schema.variables().len())?;
        let mut continuous = Vec::new();
        let mut attributes: Vec<(&str, Vec<String>, Vec<f64>)> = Vec::new();
        for (variable, scorer) in schema.variables().iter().zip(self.scorers()) {
            let (table, names) = match scorer {
                Scorer::LeftOut(_) => continue,
                Scorer::Bell(_) | Scorer::Student(_) | Scorer::Words(_) => {
                    continuous.push(variable.name.clone());
                    continue;
                }
                Scorer::Bins(cuts, table) => (table, belief::bin_names(cuts)),
                Scorer::States(table) => {
                    let unfit = || LearnError::UnknownVariable { variable: variable.name.clone() };
                    (table, variable.kind.states().ok_or_else(unfit)?.names().to_vec())
                }
            };
            let (states, values) = self.family(table, names);
            if self.prior().event == EventModel::NearestCentroid || (self.prior().event == EventModel::Bernoulli && states.len() > 2) {
                return Err(LearnError::NoDistributionOverStates { variable: variable.name.clone() });
            }
            attributes.push((&variable.name, states, values));
        }
        if !continuous.is_empty() {
            return Err(LearnError::NoStates { variables: continuous });
        }
        let target = (self.target(), self.class_names().to_vec(), self.ln_class_prior().iter().map(|ln| ln.exp()).collect());
        let families = std::iter::once(target).chain(attributes);
        let (variables, tables): (Vec<_>, Vec<_>) = families.map(|(name, states, values)| ((name, states), values)).unzip();
        let domain = Domain::new(variables)?;
        let parents = domain.variables().map(|variable| if variable.index() == 0 { vec![] } else { vec![VarId::new(0)] }).collect();
        let conditionals = domain
            .variables()
            .zip(tables)
            .map(|(variable, values)| Ok(Conditional::Table(ConditionalTable::new(domain.n_states(variable), values)?)))
            .collect::<Result<_, net::TableFault>>()
            .map_err(|fault| LearnError::NoTable { fault })?;
        Ok(Network::from_conditionals(domain, parents, conditionals)?)
    }

    /// The states that count, and P(state | class) class by class.
    fn family(&self, table: &StateTable, names: Vec<String>) -> (Vec<String>, Vec<f64>) {
        let known: Vec<(String, &[f64])> =
            names.into_iter().enumerate().filter_map(|(state, name)| Some((name, table.of_state(state)?))).collect();
        let values = (0..self.n_classes()).flat_map(|class| known.iter().map(move |(_, ln)| ln[class].exp())).collect();
        (known.into_iter().map(|(name, _)| name).collect(), values)
    }
}

impl NetworkAsData {
    /// The data that a network of the shape of naive Bayes would be learned from: the target has no parents, and every other
    /// variable none or the target alone. `equivalent_sample_size` is how many rows it is to be worth when more are learned from;
    /// to classify, any number above zero is the same.
    ///
    /// # Errors
    /// When there is no such variable, the network has another shape, or the number is not above zero and finite.
    ///
    /// ```
    /// use belief::{Chunk, Codes, Column, normalise_ln};
    /// use net::Network;
    /// use tunbridge_learn::{NaiveBayes, NetworkAsData};
    /// let network = Network::builder()
    ///     .variable("Cancer", ["yes", "no"]).probabilities([0.008, 0.992])
    ///     .variable("Test", ["+", "-"]).given(["Cancer"]).probabilities([0.98, 0.02,  0.03, 0.97])
    ///     .build()?;
    /// let data = NetworkAsData::new(&network, "Cancer", 100.0)?;
    /// let model = NaiveBayes::new(&data.schema, &data.statistic, &data.prior)?;
    /// let columns = [Column::Absent, Column::Categorical { codes: Codes::U8(&[0]), n_states: 2 }];
    /// let mut ln_joint = Vec::new();
    /// model.ln_joint(&Chunk { first_row: 0, n_rows: 1, columns: &columns, weights: None }, &mut ln_joint)?;
    /// normalise_ln(&mut ln_joint);
    /// assert!((ln_joint[0].exp() - 0.00784 / 0.0376).abs() < 1e-15);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn new(network: &Network, target: &str, equivalent_sample_size: f64) -> Result<Self, LearnError> {
        if !(equivalent_sample_size > 0.0 && equivalent_sample_size.is_finite()) {
            return Err(LearnError::NotAnEquivalentSampleSize { found: equivalent_sample_size });
        }
        let class = network.find(target)?;
        let dag = network.dag();
        let stranger = |&variable: &VarId| dag.parents(variable).iter().any(|&parent| variable == class || parent != class);
        if let Some(variable) = dag.variables().find(stranger) {
            let parents = dag.parents(variable).iter().map(|&parent| network.name(parent).to_string()).collect();
            return Err(LearnError::NotNaiveBayes { variable: network.name(variable).to_string(), parents, target: target.to_string() });
        }
        let variables = dag.variables().map(|variable| {
            let states = States::declared(network.states(variable).to_vec(), false).expect("a network's states have different names");
            let role = if variable == class { Role::Target } else { Role::Input };
            Variable { name: network.name(variable).to_string(), kind: Kind::Categorical(states), role }
        });
        let schema = Schema::new(variables.collect()).expect("a network's variables have different names, and one is the target");
        let treatments = vec![Treatment::Categorical; network.n_variables()];
        let mut statistic = NaiveBayesStatistic::empty(&treatments, class.index(), &schema.cardinalities());
        let p_class = network.table(class)?;
        let n_classes = p_class.len();
        let mut classes = JointCounts::empty(n_classes, 1);
        p_class.iter().enumerate().for_each(|(class, p)| classes.add(0, class, p * equivalent_sample_size));
        let mut attributes = statistic.attributes().to_vec();
        for variable in dag.variables().filter(|&variable| variable != class) {
            let AttributeStatistic::Counts(counts) = &mut attributes[variable.index()] else { continue };
            let (values, n_states) = (network.table(variable)?, network.n_states(variable));
            for (class, p) in p_class.iter().enumerate() {
                let row = if dag.parents(variable).is_empty() { 0 } else { class };
                for (state, q) in values[row * n_states..][..n_states].iter().enumerate() {
                    counts.add(state, class, p * q * equivalent_sample_size);
                }
            }
        }
        statistic.set_counts(classes, attributes);
        let prior = NaiveBayesPrior { class: ClassPrior::Empirical, estimate: Estimate::MaximumLikelihood, ..NaiveBayesPrior::default() };
        Ok(Self { schema, statistic, prior })
    }
}
