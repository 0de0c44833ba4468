//! ln P(parameters): the part of the log posterior that the prior has, up to a constant.
//!
//! An estimate (n + a)/(N + A) is the maximum of the posterior under a Dirichlet prior whose parameters are 1 + a, and of it
//! a · ln P(state | class) is left. Numbers have no such prior, and neither has a class prior that is empirical, uniform or given.

use belief::{CompensatedSum, Schema};

use super::attribute::{Attribute, States};
use super::posterior::NaiveBayes;
use super::scoring::Scorer;
use super::statistic::NaiveBayesStatistic;
use crate::LearnError;

impl NaiveBayes {
    /// Σ a · ln p over all parameters. The model must be of this schema and statistic.
    ///
    /// # Errors
    /// When the statistic does not belong to the model.
    pub(crate) fn ln_prior_density(&self, schema: &Schema, statistic: &NaiveBayesStatistic) -> Result<f64, LearnError> {
        let mut sum = CompensatedSum::default();
        if let Some(pseudo) = self.class_belief().pseudo_count(statistic.classes()) {
            self.ln_class_prior().iter().filter(|ln| ln.is_finite()).for_each(|ln| sum.add(pseudo * ln));
        }
        for (attribute, scorer) in Attribute::all(schema, statistic, self.prior(), self.scale())?.iter().zip(self.scorers()) {
            match attribute {
                Attribute::States(States::Categorical(model)) | Attribute::Bins(_, States::Categorical(model)) => {
                    model.pseudo_and_p(|a, p| add(&mut sum, a, p));
                }
                Attribute::States(States::Bernoulli(model)) | Attribute::Bins(_, States::Bernoulli(model)) => {
                    model.pseudo_and_p(|a, p| add(&mut sum, a, p));
                }
                Attribute::Texts(bag) => {
                    if let Scorer::Words(table) = scorer {
                        sum.add(bag.ln_prior_density(table));
                    }
                }
                _ => {}
            }
        }
        Ok(sum.value())
    }
}

/// No pseudo-count says nothing, even of what is impossible.
fn add(sum: &mut CompensatedSum, pseudo: f64, p: f64) {
    if pseudo > 0.0 {
        sum.add(pseudo * p.ln());
    }
}
