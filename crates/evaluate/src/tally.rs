//! The tally: everything the metrics need to know of (truth, prediction), merged as counts are.
//!
//! Holds the confusion matrix, the sums of the two proper scores (log loss and Brier's, Gneiting & Raftery 2007, JASA
//! 102) and the bins of the reliability diagram (DeGroot & Fienberg 1983; on the confidence in the predicted class, as
//! in Guo et al. 2017, "On Calibration of Modern Neural Networks", ICML). What is read off from it is in
//! [`crate::metrics`]. No row is kept, so whatever needs the ranking of rows, such as the area under the ROC curve, is
//! not here.

use belief::CompensatedSum;

use crate::confusion::Confusion;
use crate::costs::Costs;
use crate::error::{EvaluateError, check_class, check_length, check_same_classes, check_weight};
use crate::ln_distribution::{LnDistribution, NORMALISATION_TOLERANCE};
use crate::metrics::Metrics;

/// The number of equal-width bins of confidence.
pub(crate) const N_BINS: usize = 10;

/// The Brier score of a prediction that is certain of a wrong class: (1 − 0)² + (0 − 1)².
const WORST_BRIER: f64 = 2.0;

/// A log-probability below this is read as zero: its sum over rows would not stay finite.
const LN_ZERO: f64 = -1e100;

/// What a model's predictions were worth on the rows seen so far.
///
/// Laws: `merge` is associative and commutative, exactly for whole weights in the confusion matrix and to rounding in
/// the sums; [`Tally::new`] is its identity. An error leaves the tally as it was.
///
/// **Complexity**: O(n) time per row for n classes; space for the classes and for each pair of them that was confused, whatever
/// the number of rows.
///
/// # Example
///
/// ```
/// use tunbridge_evaluate::Tally;
///
/// let mut morning = Tally::new(2);
/// morning.observe(0, &[0.8, 0.2], 1.0)?;
/// morning.observe(1, &[0.6, 0.4], 1.0)?;
/// let mut evening = Tally::new(2);
/// evening.observe(1, &[0.1, 0.9], 2.0)?;
///
/// morning.merge(&evening)?;
/// let metrics = morning.metrics().expect("rows were observed");
/// assert_eq!(metrics.rows, 4.0);
/// assert_eq!(metrics.accuracy, 0.75);
/// assert_eq!(metrics.confusion.rows(), [[1.0, 0.0], [1.0, 2.0]]);
/// # Ok::<(), tunbridge_evaluate::EvaluateError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Tally {
    pub(crate) n_classes: usize,
    /// What errors cost, if the predicted class is the one of least expected cost.
    pub(crate) costs: Option<Costs>,
    pub(crate) confusion: Confusion,
    /// Weights of the rows without a prediction, by truth.
    pub(crate) impossible: Vec<f64>,
    /// Weight of the rows with a prediction that gave the truth probability zero.
    pub(crate) probability_zero: f64,
    /// Weight of the rows with a prediction that gave the truth some probability.
    pub(crate) possible: f64,
    /// Σ w · −ln p(truth), over the rows of `possible`.
    pub(crate) log_loss: CompensatedSum,
    pub(crate) brier: CompensatedSum,
    pub(crate) bins: [ConfidenceBin; N_BINS],
}

/// The rows whose predicted class had a probability within the bin's bounds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct ConfidenceBin {
    pub(crate) weight: f64,
    pub(crate) confidence: CompensatedSum,
    pub(crate) correct: f64,
}

impl Tally {
    /// The tally of no rows, for this many classes.
    pub fn new(n_classes: usize) -> Self {
        Self {
            n_classes,
            costs: None,
            confusion: Confusion::new(n_classes),
            impossible: vec![0.0; n_classes],
            probability_zero: 0.0,
            possible: 0.0,
            log_loss: CompensatedSum::default(),
            brier: CompensatedSum::default(),
            bins: [ConfidenceBin::default(); N_BINS],
        }
    }

    /// The same for predictions that are made by their expected cost: of every row the predicted class is [`Costs::decide`]'s.
    pub fn with_costs(costs: Costs) -> Self {
        Self { costs: Some(costs.clone()), ..Self::new(costs.n_classes()) }
    }

    /// The number of classes.
    pub fn n_classes(&self) -> usize {
        self.n_classes
    }

    /// Counts a row of class `truth` for which the classes were given the probabilities `p`.
    ///
    /// The predicted class is the most probable one, or where there are costs the cheapest; ties go to the lowest. A probability that has underflowed to zero
    /// counts as zero, and makes the log loss infinite: where the logarithms are at hand, use [`Tally::observe_ln`].
    ///
    /// # Errors
    ///
    /// The truth is no class, `p` has the wrong length, an entry below 0 or NaN, or does not sum to one within 10⁻⁶,
    /// or the weight is negative, NaN or above 2⁵³.
    pub fn observe(&mut self, truth: usize, p: &[f64], weight: f64) -> Result<(), EvaluateError> {
        check_class(truth, self.n_classes)?;
        check_length(p.len(), self.n_classes)?;
        check_weight(weight)?;
        let mut mode = 0;
        let mut sum = 0.0;
        for (class, &found) in p.iter().enumerate() {
            if found.is_nan() || found < 0.0 {
                return Err(EvaluateError::NotAProbability { class, found });
            }
            if found > p[mode] {
                mode = class;
            }
            sum += found;
        }
        // A sum of +∞ is refused here as well.
        if (sum - 1.0).abs() > NORMALISATION_TOLERANCE {
            return Err(EvaluateError::NotNormalised { sum });
        }
        let said = self.costs.as_ref().map_or(Ok(mode), |costs| costs.decide(p))?;
        let brier = brier_score(truth, p.iter().copied());
        self.count(truth, said, weight);
        self.score(p[truth].ln(), brier, weight);
        self.bin(p[said], said == truth, weight);
        Ok(())
    }

    /// Counts a row of class `truth` for which the classes were given the log-probabilities `ln_p`.
    ///
    /// The same as [`Tally::observe`] of their exponentials, but the log loss stays finite where those underflow. A
    /// log-probability below −10¹⁰⁰ counts as a probability of zero.
    ///
    /// # Errors
    ///
    /// As for [`Tally::observe`]; an entry above 0 or NaN is refused.
    pub fn observe_ln(&mut self, truth: usize, ln_p: &[f64], weight: f64) -> Result<(), EvaluateError> {
        check_class(truth, self.n_classes)?;
        check_weight(weight)?;
        let mode = LnDistribution::new(ln_p, self.n_classes)?.mode;
        let said = match &self.costs {
            Some(costs) => costs.decide(&ln_p.iter().map(|ln| ln.exp()).collect::<Vec<_>>())?,
            None => mode,
        };
        let brier = brier_score(truth, ln_p.iter().map(|ln| ln.exp()));
        self.count(truth, said, weight);
        self.score(ln_p[truth], brier, weight);
        self.bin(ln_p[said].exp(), said == truth, weight);
        Ok(())
    }

    /// Counts a row of class `truth` that has probability zero under every class, so that there is no prediction.
    ///
    /// Every score takes its worst value: an error for the accuracy, an infinite log loss, a Brier score of 2. The row
    /// counts for its class's recall, for no class's precision, and in no bin, having no confidence.
    ///
    /// # Errors
    ///
    /// The truth is no class, or the weight is negative, NaN or above 2⁵³.
    pub fn observe_impossible(&mut self, truth: usize, weight: f64) -> Result<(), EvaluateError> {
        check_class(truth, self.n_classes)?;
        check_weight(weight)?;
        self.impossible[truth] += weight;
        self.brier.add(weight * WORST_BRIER);
        Ok(())
    }

    /// Adds what another tally has seen.
    ///
    /// # Errors
    ///
    /// The other one is of a different number of classes, or of other costs.
    pub fn merge(&mut self, other: &Self) -> Result<(), EvaluateError> {
        check_same_classes(self.n_classes, other.n_classes)?;
        if self.costs != other.costs {
            return Err(EvaluateError::CostsDiffer);
        }
        self.confusion.merge(&other.confusion);
        for (mine, theirs) in self.impossible.iter_mut().zip(&other.impossible) {
            *mine += theirs;
        }
        self.probability_zero += other.probability_zero;
        self.possible += other.possible;
        self.log_loss.merge(&other.log_loss);
        self.brier.merge(&other.brier);
        for (mine, theirs) in self.bins.iter_mut().zip(&other.bins) {
            mine.weight += theirs.weight;
            mine.confidence.merge(&theirs.confidence);
            mine.correct += theirs.correct;
        }
        Ok(())
    }

    /// What the rows seen so far say of the model, or `None` where their weight is zero.
    pub fn metrics(&self) -> Option<Metrics> {
        Metrics::of(self)
    }

    fn count(&mut self, truth: usize, predicted: usize, weight: f64) {
        self.confusion.add(truth, predicted, weight);
    }

    fn score(&mut self, ln_p_truth: f64, brier: f64, weight: f64) {
        self.brier.add(weight * brier);
        if ln_p_truth < LN_ZERO {
            self.probability_zero += weight;
        } else {
            self.possible += weight;
            // A rounding error may put p a little above one; no row earns a negative loss by it.
            self.log_loss.add(weight * -ln_p_truth.min(0.0));
        }
    }

    fn bin(&mut self, confidence: f64, is_correct: bool, weight: f64) {
        // Bins are (lower, upper], as in Guo et al. 2017; the cast saturates, so that 0 falls into the first.
        let upper_idx = (confidence * N_BINS as f64).ceil() as usize;
        let bin = &mut self.bins[upper_idx.clamp(1, N_BINS) - 1];
        bin.weight += weight;
        bin.confidence.add(weight * confidence.min(1.0));
        if is_correct {
            bin.correct += weight;
        }
    }
}

/// Σ over classes of (p − 1 for the truth, p − 0 for the others)²: Brier 1950, eq. 2, for one row; between 0 and 2.
fn brier_score(truth: usize, p: impl Iterator<Item = f64>) -> f64 {
    p.enumerate().map(|(class, p)| if class == truth { p - 1.0 } else { p }).map(|difference| difference * difference).sum()
}

#[cfg(test)]
mod tests;
