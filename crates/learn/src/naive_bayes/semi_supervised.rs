//! Learning from rows with and without a class: semi-supervised naive Bayes.
//!
//! Nigam, McCallum, Thrun & Mitchell 2000, *Text Classification from Labeled and Unlabeled Documents using EM*. The model of the
//! rows with a class takes the others for classes (the E-step, [`super::expectation`]), all of them make the next model, by the
//! maximum of the posterior (the M-step), and so on until the log posterior stops rising:
//!
//! > Σ ln P(x, class) + λ Σ ln P(x) + ln P(parameters)
//!
//! over the rows with a class and those without. λ is the weight of a row without a class (EM-λ, their section 5.3.1). What rows of
//! known class say and what the others are expected to say are kept apart, and λ is not in either. Classes may be mixtures of several
//! components ([`super::mixture`]); then the component of a row with a class is what is expected.
//!
//! The log posterior never falls where the model of every column is the maximum of its posterior: states and words under every
//! estimate, numbers that are normal by maximum likelihood. Student's density is a mean over the posterior, not its maximum, and a
//! variance that is smoothed is not quite the maximum either; with those the sum above may fall a little on the way, and where a variance
//! comes to zero and another stands in for it, by more.

use std::sync::Arc;

use belief::{Climb, Observations, Schema, Step, SufficientStatistic};

use super::expectation::{Expectation, Sharing};
use super::mixture::{Components, Mixture};
use super::posterior::{NaiveBayes, check_classes};
use super::prior::{NaiveBayesPrior, TextEvent};
use super::scale::Scale;
use super::statistic::{AttributeStatistic, NaiveBayesStatistic};
use crate::LearnError;

/// How rows without a class are learned from.
#[derive(Clone, Debug, PartialEq)]
pub struct SemiSupervised {
    /// λ, the weight of a row without a class beside one with a class.
    pub lambda: f64,
    /// When to stop.
    pub climb: Climb,
    /// Whether each row is given whole to its most probable class, instead of being shared.
    pub hard: bool,
    /// Which components the classes have; `None` is one each.
    pub components: Option<Components>,
    /// How rows with a class are shared among its components at first.
    pub seed: u64,
}

impl Default for SemiSupervised {
    fn default() -> Self {
        Self { lambda: 1.0, climb: Climb::default(), hard: false, components: None, seed: 1 }
    }
}

/// What rows without a class are expected to say, each counted once.
#[derive(Clone, Debug)]
pub struct Expected {
    /// By the classes they were taken for, or by the components of these.
    pub statistic: NaiveBayesStatistic,
    /// What rows with a class are expected to say of the components of their classes, where these have several.
    pub labelled: Option<NaiveBayesStatistic>,
    /// The weight of the rows.
    pub n_rows: f64,
    /// The log posterior of the model of the labelled rows, and after each step but the last.
    pub ln_posteriors: Vec<f64>,
    /// Whether it had stopped rising.
    pub converged: bool,
}

/// One step of the climb.
pub struct EmStep<'a> {
    /// Its number; 0 is the model of the labelled rows.
    pub nth: usize,
    /// The log posterior.
    pub ln_posterior: f64,
    /// The model.
    pub model: &'a NaiveBayes,
    /// What it was made of.
    pub statistic: &'a NaiveBayesStatistic,
}

struct State {
    mixture: Mixture,
    labelled: Option<NaiveBayesStatistic>,
    expected: NaiveBayesStatistic,
}

impl SemiSupervised {
    /// Climbs from the model of `observed`, the statistic of the rows with a class. `rows` are all of them, coded by `schema`.
    ///
    /// **Complexity**: a pass over the rows for every step, and one more.
    ///
    /// # Errors
    /// When the rows cannot be read, λ is no weight, fewer than two classes have rows, the components are not of these classes, the event
    /// model gives no probability of a row, or a row is impossible in every class.
    pub fn run<O, E>(
        &self,
        rows: &O,
        schema: &Schema,
        observed: &NaiveBayesStatistic,
        prior: &NaiveBayesPrior,
        mut seen: impl FnMut(EmStep<'_>),
    ) -> Result<Expected, E>
    where
        O: Observations,
        E: From<O::Error> + From<LearnError>,
    {
        if !(self.lambda >= 0.0 && self.lambda.is_finite()) {
            return Err(LearnError::NotAPriorNumber { what: "the weight of rows without a class", found: self.lambda }.into());
        }
        check_event(schema, observed, prior)?;
        check_classes(schema, observed)?;
        let plain = Components::one_each(observed.classes().len());
        let components = self.components.as_ref().unwrap_or(&plain);
        let of_components = Arc::new(components.schema(schema)?);
        // What the rows say whatever their classes: with it no word and no state is unknown to the first model.
        let all = expectation(rows, observed, components, Sharing::Evenly { seed: self.seed })?;
        let by_class = components.by_class(&all.expected).map_err(LearnError::from)?;
        let scale = Scale::of_labelled(schema, observed, &by_class, prior)?;
        let mixture_of = |labelled: &Option<NaiveBayesStatistic>, expected: &NaiveBayesStatistic, lambda: f64| {
            let statistic = completed(labelled.as_ref().unwrap_or(observed), expected, lambda)?;
            Mixture::with_scale(components, (schema, &of_components), statistic, prior, &scale)
        };
        let mixture = mixture_of(&all.labelled, &all.expected.without_numbers(), self.lambda.min(TRACE))?;
        let n_unlabelled = all.n_unlabelled;
        let n_rows = observed.n_rows() + self.lambda * n_unlabelled;
        let start = State { mixture, labelled: all.labelled, expected: all.expected };
        let climbed = self.climb.run(start, n_rows, |nth, state| -> Result<Step<State>, E> {
            let model = state.mixture.model();
            let found = expectation(rows, observed, components, if self.hard { Sharing::Hard(model) } else { Sharing::Soft(model) })?;
            if found.n_impossible > 0 {
                return Err(LearnError::ImpossibleRows { n_rows: found.n_impossible }.into());
            }
            let ln_prior = state.mixture.ln_prior_density()?;
            let objective = found.ln_labelled.value() + self.lambda * found.ln_unlabelled.value() + ln_prior;
            if components.is_plain() {
                seen(EmStep { nth, ln_posterior: objective, model, statistic: state.mixture.statistic() });
            } else {
                let statistic = &components.by_class(state.mixture.statistic()).map_err(LearnError::from)?;
                let model = &NaiveBayes::with_scale(schema, statistic, prior, &scale)?;
                seen(EmStep { nth, ln_posterior: objective, model, statistic });
            }
            let mixture = mixture_of(&found.labelled, &found.expected, self.lambda)?;
            Ok(Step { objective, change: 0.0, next: State { mixture, labelled: found.labelled, expected: found.expected } })
        })?;
        Ok(Expected {
            statistic: climbed.model.expected,
            labelled: climbed.model.labelled,
            n_rows: n_unlabelled,
            ln_posteriors: climbed.objectives,
            converged: climbed.converged,
        })
    }

    /// What rows without a class say whatever their classes: each is shared evenly.
    ///
    /// # Errors
    /// When the rows cannot be read.
    pub fn shared_evenly<O: Observations>(rows: &O, observed: &NaiveBayesStatistic) -> Result<NaiveBayesStatistic, O::Error> {
        let plain = Components::one_each(observed.classes().len());
        Ok(expectation(rows, observed, &plain, Sharing::Evenly { seed: 0 })?.expected)
    }
}

fn expectation<'m, O: Observations>(
    rows: &O,
    observed: &NaiveBayesStatistic,
    components: &'m Components,
    sharing: Sharing<'m>,
) -> Result<Expectation<'m>, O::Error> {
    let (treatments, target) = (observed.treatments(), observed.target().index());
    let blank = |n_states: &[usize]| {
        let mut n_states = n_states.to_vec();
        if !components.is_plain() {
            n_states[target] = components.n_components();
        }
        Expectation::new(sharing, components, NaiveBayesStatistic::empty(&treatments, target, &n_states))
    };
    Ok(rows.fold(blank)?.statistic)
}

/// How much the first model is told of the rows without a class: that their words and states are there.
const TRACE: f64 = 1e-9;

/// What the rows with a class say, and λ times what the others are expected to.
///
/// # Errors
/// When the two are not of one shape.
pub fn completed(observed: &NaiveBayesStatistic, expected: &NaiveBayesStatistic, lambda: f64) -> Result<NaiveBayesStatistic, LearnError> {
    let mut of_unlabelled = expected.clone();
    of_unlabelled.scale(lambda);
    let mut statistic = observed.clone();
    statistic.merge(&of_unlabelled)?;
    Ok(statistic)
}

/// The scores of a complement are no probabilities of a text: there is nothing that could be expected by them.
fn check_event(schema: &Schema, observed: &NaiveBayesStatistic, prior: &NaiveBayesPrior) -> Result<(), LearnError> {
    if !matches!(prior.text, TextEvent::Complement | TextEvent::NormalisedComplement) {
        return Ok(());
    }
    match observed.attributes().iter().position(|attribute| matches!(attribute, AttributeStatistic::Words(_))) {
        Some(place) => Err(LearnError::NoProbability { variable: schema.variables()[place].name.clone() }),
        None => Ok(()),
    }
}
