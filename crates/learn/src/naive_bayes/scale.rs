//! The columns' scale: what is made of the whole columns and shared by the classes.
//!
//! The smoothing of variances, the pooled mean and variance that stand in where a class has nothing of its own, Student's prior,
//! the size of the spheres of the nearest centroid, and which words count. Leave-one-out holds the scale fixed, "given the scale": it says how far
//! apart numbers are, and a single row hardly moves it.

use belief::{Moments, Schema, SufficientStatistic};

use super::categorical::CountedStates;
use super::nearest_centroid::within_class_variance;
use super::prior::{NaiveBayesPrior, NumericModel};
use super::remark::LeftOut;
use super::statistic::{AttributeStatistic, NaiveBayesStatistic};
use super::words::choose;
use crate::{LearnError, StatisticFault};

/// What the classes share.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Scale {
    /// What is added to every variance.
    pub(crate) epsilon: f64,
    /// One entry per variable; `None` where moments are not kept.
    pub(crate) columns: Vec<Option<ColumnScale>>,
    /// σ² of the nearest centroid's spheres.
    pub(crate) sphere_variance: f64,
    /// Of each text, whether each word of the vocabulary counts; `None` for other variables.
    pub(crate) words: Vec<Option<Vec<bool>>>,
}

/// The scale of one numeric column.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ColumnScale {
    /// The mean of all rows with a class.
    pub(crate) mean: f64,
    /// The variance of all rows with a class.
    pub(crate) variance: f64,
    /// The variance within the classes: Σ sum_sq / Σ weight.
    pub(crate) within: f64,
    /// Why the column has no part in the model, if it has none.
    pub(crate) left_out: Option<LeftOut>,
}

impl Scale {
    /// The scale of these data.
    ///
    /// # Errors
    /// When a column's numbers are too large for their spread to be a finite number.
    pub(crate) fn new(schema: &Schema, statistic: &NaiveBayesStatistic, prior: &NaiveBayesPrior) -> Result<Self, LearnError> {
        Self::of(schema, statistic, statistic, prior)
    }

    /// The scale of rows with a class and rows without, whatever these were taken for. Words are chosen by how often all rows have
    /// them, and by what those with a class say of it.
    ///
    /// # Errors
    /// When a column's numbers are too large for their spread to be a finite number, or the two are not of one shape.
    pub(crate) fn of_labelled(
        schema: &Schema,
        observed: &NaiveBayesStatistic,
        expected: &NaiveBayesStatistic,
        prior: &NaiveBayesPrior,
    ) -> Result<Self, LearnError> {
        let mut all = observed.clone();
        all.merge(expected)?;
        Self::of(schema, &all, observed, prior)
    }

    fn of(
        schema: &Schema,
        statistic: &NaiveBayesStatistic,
        labelled: &NaiveBayesStatistic,
        prior: &NaiveBayesPrior,
    ) -> Result<Self, LearnError> {
        let labelled_texts = labelled.classes();
        let mut columns = Vec::with_capacity(statistic.attributes().len());
        for (attribute, variable) in statistic.attributes().iter().zip(schema.variables()) {
            columns.push(match attribute {
                AttributeStatistic::Moments(moments) => {
                    let column = ColumnScale::new(moments.of_class(), moments.pooled());
                    if !(column.mean.is_finite() && column.variance.is_finite()) {
                        return Err(LearnError::Unfit { variable: variable.name.clone(), fault: StatisticFault::NotFinite });
                    }
                    Some(column)
                }
                _ => None,
            });
        }
        // Pedregosa et al. 2011, GaussianNB: a part of the largest variance of any column, of all classes together.
        let largest = columns.iter().flatten().map(|c| c.variance).fold(0.0, f64::max);
        let epsilon = match prior.numeric {
            NumericModel::Gaussian { variance_smoothing } => variance_smoothing * largest,
            NumericModel::Student => 0.0,
        };
        if matches!(prior.numeric, NumericModel::Gaussian { .. }) && epsilon == 0.0 {
            for column in columns.iter_mut().flatten().filter(|c| c.left_out.is_none() && c.within == 0.0) {
                column.left_out = Some(LeftOut::NoSpread);
            }
        }
        let sphere_variance = sphere_variance(schema, statistic, &columns);
        let chosen = |(all, labelled): (&AttributeStatistic, &AttributeStatistic)| match (all, labelled) {
            (AttributeStatistic::Words(all), AttributeStatistic::Words(labelled)) => {
                Some(choose(all, labelled, labelled_texts, &prior.words))
            }
            _ => None,
        };
        let words = statistic.attributes().iter().zip(labelled.attributes()).map(chosen).collect();
        Ok(Self { epsilon, columns, sphere_variance, words })
    }
}

impl ColumnScale {
    fn new(of_class: &[Moments], pooled: Moments) -> Self {
        let within = Moments { sum_sq: of_class.iter().map(|m| m.weight * spread(m)).sum(), ..pooled };
        let variance = spread(&pooled);
        let left_out = match variance {
            _ if pooled.weight == 0.0 => Some(LeftOut::NeverObserved),
            0.0 => Some(LeftOut::Constant),
            _ => None,
        };
        Self { mean: pooled.mean, variance, within: within.variance().unwrap_or(0.0), left_out }
    }
}

/// The variance, or zero where it is no more than the rounding of equal numbers: the mean of ten times 0.1 is not 0.1.
pub(crate) fn spread(moments: &Moments) -> f64 {
    let variance = moments.variance().unwrap_or(0.0);
    let rounding = 8.0 * f64::EPSILON * moments.mean.abs();
    if variance <= rounding * rounding { 0.0 } else { variance }
}

/// The variance within the classes, averaged over all dimensions: one for a numeric column, one per state for a categorical one.
fn sphere_variance(schema: &Schema, statistic: &NaiveBayesStatistic, columns: &[Option<ColumnScale>]) -> f64 {
    let (mut sum, mut n_dimensions) = (0.0, 0.0);
    for (place, attribute) in statistic.attributes().iter().enumerate() {
        match (attribute, columns[place]) {
            (AttributeStatistic::Moments(_), Some(ColumnScale { within, left_out: None | Some(LeftOut::NoSpread), .. })) => {
                sum += within;
                n_dimensions += 1.0;
            }
            (AttributeStatistic::Counts(_) | AttributeStatistic::Binned { .. }, _) => {
                let states = CountedStates::of(&schema.variables()[place], attribute).expect("it has states");
                sum += within_class_variance(&states);
                n_dimensions += states.n_counted();
            }
            _ => {}
        }
    }
    // All rows of a class in one point: the distances themselves are as good a scale as any.
    if sum > 0.0 { sum / n_dimensions } else { 1.0 }
}
