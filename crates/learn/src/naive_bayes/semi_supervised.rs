//! Learning from rows with and without a class: semi-supervised naive Bayes.
//!
//! Nigam, McCallum, Thrun & Mitchell 2000, *Text Classification from Labeled and Unlabeled Documents using EM*. The model of the
//! rows with a class takes the others for classes (the E-step, [`super::expectation`]), all of them make the next model, by the
//! maximum of the posterior (the M-step), and so on until the log posterior stops rising:
//!
//! > Σ ln P(x, class) + λ Σ ln P(x) + ln P(parameters)
//!
//! over the rows with a class and those without. λ is the weight of a row without a class (EM-λ, their section 5.3.1). What rows of
//! known class say and what the others are expected to say are kept apart, and λ is not in either.
//!
//! The log posterior never falls where the model of every column is the maximum of its posterior: states and words under every
//! estimate, numbers that are normal by maximum likelihood. Student's density is a mean over the posterior, not its maximum, and a
//! variance that is smoothed is not quite the maximum either; with those the sum above may fall a little on the way.

use belief::{Climb, Observations, Schema, Step, SufficientStatistic};

use super::expectation::{Expectation, Sharing};
use super::posterior::{NaiveBayes, check_classes};
use super::prior::{NaiveBayesPrior, TextEvent};
use super::scale::Scale;
use super::statistic::{AttributeStatistic, NaiveBayesStatistic};
use crate::LearnError;

/// How rows without a class are learned from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SemiSupervised {
    /// λ, the weight of a row without a class beside one with a class.
    pub lambda: f64,
    /// When to stop.
    pub climb: Climb,
    /// Whether each row is given whole to its most probable class, instead of being shared.
    pub hard: bool,
}

impl Default for SemiSupervised {
    fn default() -> Self {
        Self { lambda: 1.0, climb: Climb::default(), hard: false }
    }
}

/// What rows without a class are expected to say, each counted once.
#[derive(Clone, Debug)]
pub struct Expected {
    /// By the classes they were taken for.
    pub statistic: NaiveBayesStatistic,
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
    model: NaiveBayes,
    expected: NaiveBayesStatistic,
    statistic: NaiveBayesStatistic,
}

impl SemiSupervised {
    /// Climbs from the model of `observed`, the statistic of the rows with a class. `rows` are all of them, coded by `schema`.
    ///
    /// **Complexity**: a pass over the rows for every step, and one more.
    ///
    /// # Errors
    /// When the rows cannot be read, λ is no weight, fewer than two classes have rows, the event model gives no probability of a row, or a row is impossible in
    /// every class.
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
        // What the rows say whatever their classes: with it no word and no state is unknown to the first model.
        let all = expectation(rows, observed, Sharing::Evenly)?;
        let scale = Scale::of_labelled(schema, observed, &all.expected, prior)?;
        let model_of = |expected: &NaiveBayesStatistic, lambda: f64| -> Result<(NaiveBayes, NaiveBayesStatistic), LearnError> {
            let statistic = completed(observed, expected, lambda)?;
            Ok((NaiveBayes::with_scale(schema, &statistic, prior, &scale)?, statistic))
        };
        let (model, statistic) = model_of(&all.expected.without_numbers(), self.lambda.min(TRACE))?;
        let n_unlabelled = all.n_unlabelled;
        let n_rows = observed.n_rows() + self.lambda * n_unlabelled;
        let start = State { model, expected: all.expected, statistic };
        let climbed = self.climb.run(start, n_rows, |nth, state| -> Result<Step<State>, E> {
            let sharing = if self.hard { Sharing::Hard(&state.model) } else { Sharing::Soft(&state.model) };
            let found = expectation(rows, observed, sharing)?;
            if found.n_impossible > 0 {
                return Err(LearnError::ImpossibleRows { n_rows: found.n_impossible }.into());
            }
            let ln_prior = state.model.ln_prior_density(schema, &state.statistic)?;
            let objective = found.ln_labelled.value() + self.lambda * found.ln_unlabelled.value() + ln_prior;
            seen(EmStep { nth, ln_posterior: objective, model: &state.model, statistic: &state.statistic });
            let (model, statistic) = model_of(&found.expected, self.lambda)?;
            Ok(Step { objective, next: State { model, expected: found.expected, statistic } })
        })?;
        Ok(Expected {
            statistic: climbed.model.expected,
            n_rows: n_unlabelled,
            ln_posteriors: climbed.objectives,
            converged: climbed.converged,
        })
    }
}

impl SemiSupervised {
    /// What rows without a class say whatever their classes: each is shared evenly.
    ///
    /// # Errors
    /// When the rows cannot be read.
    pub fn shared_evenly<O: Observations>(rows: &O, observed: &NaiveBayesStatistic) -> Result<NaiveBayesStatistic, O::Error> {
        Ok(expectation(rows, observed, Sharing::Evenly)?.expected)
    }
}

fn expectation<'m, O: Observations>(rows: &O, observed: &NaiveBayesStatistic, sharing: Sharing<'m>) -> Result<Expectation<'m>, O::Error> {
    let (treatments, target) = (observed.treatments(), observed.target().index());
    let blank = |n_states: &[usize]| Expectation::new(sharing, NaiveBayesStatistic::empty(&treatments, target, n_states));
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
