//! ln P(data), the parameters integrated out, where every factor has a closed form.
//!
//! Naive Bayes is a network in which every family is its own Dirichlet or Normal–Gamma (Heckerman, Geiger & Chickering 1995), so
//! that the marginal likelihood is a product over classes and attributes. It compares priors and treatments of the same rows.

use belief::conjugate::dirichlet_ln_marginal;
use belief::{CompensatedSum, ConjugatePrior, Schema};

use super::attribute::{Attribute, States};
use super::categorical::{Categorical, HeldOut};
use super::gaussian::Family;
use super::posterior::NaiveBayes;
use super::prior::EventModel;
use super::statistic::NaiveBayesStatistic;

impl NaiveBayes {
    /// ln P(classes and attributes of all rows) under the model's prior; missing values are integrated out.
    ///
    /// There is a closed form when the event model is categorical, every class and state that counts has a positive pseudo-count in
    /// which the data have no say (`laplace`, `dirichlet`, `m:<m>`; a class prior of `laplace` or `dirichlet`), and numbers are
    /// binned or Student's; else `None`. Student's prior has the mean and variance of the column, so that for numbers this is an
    /// empirical Bayes figure. Columns that are left out of the model are left out here.
    pub fn log_marginal_likelihood(&self, schema: &Schema, statistic: &NaiveBayesStatistic) -> Option<f64> {
        if self.prior().event != EventModel::Categorical || statistic.validate(schema).is_err() {
            return None;
        }
        let mut sum = CompensatedSum::default();
        let weights = statistic.classes();
        let each = self.class_belief().pseudo_count(weights)?;
        let ln_prior = self.class_belief().ln(weights);
        let alpha: Vec<f64> = ln_prior.iter().map(|ln| if ln.is_finite() { each } else { 0.0 }).collect();
        sum.add(dirichlet_ln_marginal(&alpha, weights));
        for attribute in Attribute::all(schema, statistic, self.prior(), self.scale()).ok()? {
            match &attribute {
                Attribute::LeftOut(_) => {}
                Attribute::States(States::Categorical(states)) | Attribute::Bins(_, States::Categorical(states)) => {
                    add_states(states, &mut sum)?;
                }
                Attribute::Number(number) if number.family == Family::Student => {
                    let prior = number.student_prior();
                    number.of_class.iter().for_each(|moments| sum.add(prior.log_marginal_likelihood(moments)));
                }
                _ => return None,
            }
        }
        Some(sum.value())
    }
}

fn add_states(model: &Categorical<'_>, sum: &mut CompensatedSum) -> Option<()> {
    let (states, alpha) = (&model.states, model.pseudo_counts()?);
    if (0..states.n_states()).any(|state| states.is_counted(state, 0.0) && alpha[state] <= 0.0) {
        return None;
    }
    for class in 0..states.n_classes() {
        let counts: Vec<f64> = (0..states.n_states()).map(|state| states.n(state, class, HeldOut::NOTHING)).collect();
        sum.add(dirichlet_ln_marginal(&alpha, &counts));
    }
    Some(())
}
