//! What every family of estimates answers, whatever its likelihood.

use std::fmt::Debug;

use crate::distribution::{Distribution, shown};
use crate::{ConjugatePrior, Rng, SufficientStatistic};

/// A belief about the parameters of a likelihood. Prior and posterior are of one type: that is what conjugate means.
///
/// Laws, checked by one battery over every family: the statistic of the data does not depend on their order or on how they are cut;
/// the marginal likelihood is the product of the predictives of each datum given those before it; and where the truth is drawn from
/// the prior, its rank among draws from the posterior is uniform (Talts et al. 2018).
pub trait Family: ConjugatePrior<<Self as Family>::Statistic, Posterior = Self> + Clone + Debug + Send + Sync {
    /// What the data say.
    type Statistic: SufficientStatistic + Debug + PartialEq + Sync;
    /// One observation.
    type Datum: Clone + Debug;

    /// Its name, as `--family` has it.
    fn name(&self) -> &'static str;

    /// The statistic of nothing.
    fn empty(&self) -> Self::Statistic;

    /// Adds an observation that counts `weight` times.
    ///
    /// # Errors
    /// When the likelihood gives it no probability, whatever the parameters.
    fn observe(&self, statistic: &mut Self::Statistic, datum: &Self::Datum, weight: f64) -> Result<(), OutsideSupport>;

    /// The parameters' names.
    fn parameters(&self) -> Vec<String>;

    /// Why this is no distribution of the parameters, if it is none: an improper prior, or a posterior that data did not mend.
    fn improper(&self) -> Option<&'static str>;

    /// What is believed of one parameter, whatever the others; `None` where that has no closed form.
    ///
    /// Asked only of proper beliefs, as everything below.
    fn marginal(&self, parameter: usize) -> Option<Box<dyn Distribution>>;

    /// The mean of each parameter, where it is finite.
    fn mean(&self) -> Vec<Option<f64>> {
        (0..self.parameters().len()).map(|parameter| self.marginal(parameter)?.mean()).collect()
    }

    /// The standard deviation of each parameter, where it is finite.
    fn sd(&self) -> Vec<Option<f64>> {
        (0..self.parameters().len()).map(|parameter| self.marginal(parameter)?.sd()).collect()
    }

    /// Where the joint density of the parameters is greatest: of a posterior, the MAP estimate. `None` where that is no one place.
    fn mode(&self) -> Option<Vec<f64>>;

    /// The parameters under which the data are most probable; `None` where that is no one place.
    fn maximum_likelihood(&self, statistic: &Self::Statistic) -> Option<Vec<f64>>;

    /// The log likelihood of one parameter with the others at their best, up to a constant.
    fn ln_profile_likelihood(&self, statistic: &Self::Statistic, parameter: usize, value: f64) -> Option<f64>;

    /// The distribution of the next observation, where it is of one number.
    fn predictive(&self) -> Option<Box<dyn Distribution>>;

    /// The log density of the next observation, the parameters integrated out.
    fn ln_predictive(&self, datum: &Self::Datum) -> f64;

    /// A draw of all parameters.
    fn draw(&self, rng: &mut dyn Rng) -> Vec<f64>;

    /// An observation drawn from the likelihood with these parameters.
    fn simulate(&self, parameters: &[f64], rng: &mut dyn Rng) -> Self::Datum;
}

/// An observation that the likelihood holds for impossible.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{} is outside of what the likelihood can give: {must}", shown(*value))]
pub struct OutsideSupport {
    /// The observation.
    pub value: f64,
    /// What it must be.
    pub must: &'static str,
}

impl OutsideSupport {
    pub(crate) fn check(value: f64, must: &'static str, holds: bool) -> Result<(), Self> {
        if holds { Ok(()) } else { Err(Self { value, must }) }
    }
}

/// A whole number from zero on.
pub(crate) fn is_count(x: f64) -> bool {
    x >= 0.0 && x.fract() == 0.0 && x <= crate::MAX_WEIGHT
}

/// n ln x, which is zero where n is, whatever x.
pub(crate) fn n_ln(n: f64, x: f64) -> f64 {
    if n == 0.0 { 0.0 } else { n * x.ln() }
}
