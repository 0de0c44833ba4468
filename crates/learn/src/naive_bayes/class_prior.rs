//! The probability of each class before a row is looked at.

use std::collections::BTreeMap;

use belief::{States, count_less};

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
        let masses = self.masses(weights);
        let total: f64 = masses.iter().sum();
        masses.into_iter().map(|m| if m > 0.0 { (m / total).ln() } else { f64::NEG_INFINITY }).collect()
    }

    /// What P(class) is in proportion to.
    fn masses(&self, weights: &[f64]) -> Vec<f64> {
        let n_counted = self.n_counted(weights);
        weights.iter().enumerate().map(|(class, &weight)| self.mass(class, weight, n_counted)).collect()
    }

    fn mass(&self, class: usize, weight: f64, n_counted: f64) -> f64 {
        match &self.form {
            _ if !self.is_counted(class, weight) => 0.0,
            Form::Each(l) => weight + l,
            Form::Shared(alpha) => weight + alpha / n_counted,
            Form::Uniform => 1.0,
            Form::UniformOverRows => f64::from(u8::from(weight > 0.0)),
            Form::Given(p) => p[class],
        }
    }

    fn is_counted(&self, class: usize, weight: f64) -> bool {
        class < self.n_declared || weight > 0.0
    }

    fn n_counted(&self, weights: &[f64]) -> f64 {
        weights.iter().enumerate().filter(|&(class, &weight)| self.is_counted(class, weight)).count() as f64
    }

    /// The pseudo-count of every class that counts, where the prior is one of positive pseudo-counts.
    pub(crate) fn pseudo_count(&self, weights: &[f64]) -> Option<f64> {
        match self.form {
            Form::Each(l) if l > 0.0 => Some(l),
            Form::Shared(alpha) if alpha > 0.0 => Some(alpha / self.n_counted(weights)),
            _ => None,
        }
    }
}

/// ln P(class) without one row of weight one, whatever its class: one mass changes, and the total.
pub(crate) struct WithoutOne<'b> {
    belief: &'b ClassBelief,
    weights: &'b [f64],
    ln_masses: Vec<f64>,
    /// By the row's class: ln of what is left of its mass, and of the total. `None` where other masses change as well, or nothing
    /// is left: such a class has a single row, and is reckoned in full.
    of_row: Vec<Option<(f64, f64)>>,
}

impl<'b> WithoutOne<'b> {
    pub(crate) fn new(belief: &'b ClassBelief, weights: &'b [f64]) -> Self {
        let (masses, n_counted) = (belief.masses(weights), belief.n_counted(weights));
        let total: f64 = masses.iter().sum();
        let of_row = |class: usize| {
            let left = count_less(weights[class], 1.0);
            let vanishes = belief.is_counted(class, weights[class]) && !belief.is_counted(class, left);
            let own = belief.mass(class, left, n_counted);
            let total = total - masses[class] + own;
            let is_reckoned_in_full = vanishes && matches!(belief.form, Form::Shared(_)) || total <= 0.0;
            (!is_reckoned_in_full).then(|| (own.ln(), total.ln()))
        };
        let of_row = (0..weights.len()).map(of_row).collect();
        Self { belief, weights, ln_masses: masses.iter().map(|m| m.ln()).collect(), of_row }
    }

    /// Adds it to the scores of a row of this class and of weight one.
    pub(crate) fn add(&self, class: usize, scores: &mut [f64]) {
        let Some((ln_own, ln_total)) = self.of_row[class] else {
            let ln = self.of_weight(class, 1.0);
            return scores.iter_mut().zip(ln).for_each(|(score, ln)| *score += ln);
        };
        let own = scores[class] + (ln_own - ln_total);
        scores.iter_mut().zip(&self.ln_masses).for_each(|(score, ln)| *score += ln - ln_total);
        scores[class] = own;
    }

    /// ln P(class) without a row of this class and of any weight.
    pub(crate) fn of_weight(&self, class: usize, weight: f64) -> Vec<f64> {
        let mut left = self.weights.to_vec();
        left[class] = count_less(left[class], weight);
        self.belief.ln(&left)
    }
}

/// The given probabilities in the order of the classes; every class that counts must be named, and nothing else.
fn look_up(given: &BTreeMap<String, f64>, target: &str, classes: &States, weights: &[f64]) -> Result<Vec<f64>, LearnError> {
    let place = |name: &str| classes.names().iter().position(|known| known == name);
    let unknown: Vec<String> = given.keys().filter(|name| place(name).is_none()).cloned().collect();
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

#[cfg(test)]
mod tests {
    use super::*;

    /// A column of labels as the target, by mistake or not: neither time nor space may go with the square of their number.
    #[test]
    fn many_classes_are_no_trouble() {
        const MANY: usize = 300_000;
        let weights: Vec<f64> = (0..MANY).map(|class| 1.0 + (class % 3) as f64).collect();
        for form in [Form::Each(1.0), Form::Shared(2.0), Form::Uniform, Form::UniformOverRows] {
            let belief = ClassBelief { n_declared: 0, form };
            assert!((belief.ln(&weights).iter().map(|ln| ln.exp()).sum::<f64>() - 1.0).abs() < 1e-9);
            let without_one = WithoutOne::new(&belief, &weights);
            for class in [0, 1, MANY - 1] {
                let mut scores = vec![0.0; MANY];
                without_one.add(class, &mut scores);
                for (found, expected) in scores.iter().zip(without_one.of_weight(class, 1.0)) {
                    assert!(*found == expected || (found - expected).abs() < 1e-12 * expected.abs(), "{found} for {expected}");
                }
            }
        }
    }

    #[test]
    fn nothing_is_left_where_the_only_possible_class_vanishes() {
        let belief = ClassBelief { n_declared: 0, form: Form::Given(vec![1.0, 0.0]) };
        let mut scores = vec![0.0; 2];
        WithoutOne::new(&belief, &[1.0, 5.0]).add(0, &mut scores);
        assert_eq!(scores, [f64::NEG_INFINITY; 2]);
    }
}
