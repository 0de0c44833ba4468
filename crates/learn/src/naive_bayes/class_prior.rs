//! The probability of each class before a row is looked at.

use belief::States;

use super::prior::{ClassPrior, EventModel, NaiveBayesPrior};
use crate::LearnError;

/// A class prior whose names have been looked up.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ClassBelief {
    n_declared: usize,
    form: Form,
}

#[derive(Clone, Debug, PartialEq)]
enum Form {
    /// Pseudo-counts: so many in each class.
    Each(f64),
    /// Pseudo-counts: so many in all, shared evenly.
    Shared(f64),
    Uniform,
    /// The same for every class that has rows, and only those: a class without rows has no centre.
    UniformOverRows,
    Given(Vec<f64>),
}

impl ClassBelief {
    /// Looks up the names. `weights` are those of the classes.
    pub(crate) fn new(prior: &NaiveBayesPrior, target: &str, classes: &States, weights: &[f64]) -> Result<Self, LearnError> {
        let n_declared = classes.n_declared();
        let form = match &prior.class {
            _ if prior.event == EventModel::NearestCentroid => Form::UniformOverRows,
            ClassPrior::Empirical => Form::Each(0.0),
            ClassPrior::Laplace { l } => Form::Each(*l),
            ClassPrior::Dirichlet { alpha } => Form::Shared(*alpha),
            ClassPrior::Uniform => Form::Uniform,
            ClassPrior::Given(given) => Form::Given(look_up(given, target, classes, weights)?),
        };
        Ok(Self { n_declared, form })
    }

    /// ln P(class) for these weights; −∞ for a class that has no rows and was not declared.
    pub(crate) fn ln(&self, weights: &[f64]) -> Vec<f64> {
        let counted = |class: usize| class < self.n_declared || weights[class] > 0.0;
        let mass: Vec<f64> = (0..weights.len())
            .map(|class| match &self.form {
                _ if !counted(class) => 0.0,
                Form::Each(l) => weights[class] + l,
                Form::Shared(alpha) => weights[class] + alpha / (0..weights.len()).filter(|&c| counted(c)).count() as f64,
                Form::Uniform => 1.0,
                Form::UniformOverRows => f64::from(u8::from(weights[class] > 0.0)),
                Form::Given(p) => p[class],
            })
            .collect();
        let total: f64 = mass.iter().sum();
        mass.into_iter().map(|m| if m > 0.0 { (m / total).ln() } else { f64::NEG_INFINITY }).collect()
    }

    /// The pseudo-count of every class that counts, where the prior is one of positive pseudo-counts.
    pub(crate) fn pseudo_count(&self, weights: &[f64]) -> Option<f64> {
        let n_counted = (0..weights.len()).filter(|&c| c < self.n_declared || weights[c] > 0.0).count() as f64;
        match self.form {
            Form::Each(l) if l > 0.0 => Some(l),
            Form::Shared(alpha) if alpha > 0.0 => Some(alpha / n_counted),
            _ => None,
        }
    }
}

/// The given probabilities in the order of the classes; every class that counts must be named, and nothing else.
fn look_up(given: &[(String, f64)], target: &str, classes: &States, weights: &[f64]) -> Result<Vec<f64>, LearnError> {
    let place = |name: &str| classes.names().iter().position(|known| known == name);
    let unknown: Vec<String> = given.iter().filter(|(name, _)| place(name).is_none()).map(|(name, _)| name.clone()).collect();
    if !unknown.is_empty() {
        return Err(LearnError::UnknownClasses { target: target.into(), unknown, known: classes.names().to_vec() });
    }
    let mut p = vec![None; classes.len()];
    given.iter().for_each(|(name, probability)| p[place(name).expect("looked up above")] = Some(*probability));
    let counted = |class: usize| class < classes.n_declared() || weights[class] > 0.0;
    let missing: Vec<String> =
        (0..p.len()).filter(|&class| counted(class) && p[class].is_none()).map(|class| classes.names()[class].clone()).collect();
    if !missing.is_empty() {
        return Err(LearnError::ClassesWithoutPrior { target: target.into(), missing });
    }
    Ok(p.into_iter().map(Option::unwrap_or_default).collect())
}
