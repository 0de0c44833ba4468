//! Metrics: what is read off from a tally.
//!
//! Accuracy, balanced accuracy, precision, recall and F1 follow scikit-learn's definitions, so that numbers can be
//! compared; log loss and Brier's score are means per row, in nats and on the scale 0 to 2. The expected calibration
//! error is that of Naeini, Cooper & Hauskrecht 2015 (AAAI) in the form of Guo et al. 2017, eq. 3. Nothing here counts
//! rows: that is [`crate::Tally`]; nothing here writes a report.

use crate::confusion::Confusion;
use crate::tally::{N_BINS, Tally};

/// How good the predictions of a model were.
#[derive(Clone, Debug, PartialEq)]
pub struct Metrics {
    /// The weight of all rows; their number where each has weight one.
    pub rows: f64,
    /// The share of rows whose most probable class was the true one.
    pub accuracy: f64,
    /// The mean recall of the classes that occur: what accuracy would be if each occurred as often.
    pub balanced_accuracy: f64,
    /// The mean F1 of the classes that occur, be it in truth or in a prediction.
    pub macro_f1: f64,
    /// One entry per class.
    pub per_class: Vec<ClassMetrics>,
    /// The mean of −ln p(truth), in nats; `None` where it is infinite, because a true class had probability zero.
    pub log_loss: Option<f64>,
    /// The weight of the rows with a prediction that gave their true class probability zero.
    pub n_probability_zero: f64,
    /// The weight of the rows that were impossible under every class, and so had no prediction.
    pub n_impossible: f64,
    /// The mean of −ln p(truth) over the rows where it is finite; `None` where there is no such row.
    pub log_loss_of_possible: Option<f64>,
    /// The mean of Σ over classes of (p − 1 or 0)²: 0 is perfect, 2 is certainty in the wrong class.
    pub brier: f64,
    /// The expected calibration error: how far, on average, confidence is from accuracy in its bin. `None` where no
    /// row had a prediction.
    pub calibration_error: Option<f64>,
    /// The accuracy of always naming the most frequent class.
    pub baseline_accuracy: f64,
    /// The log loss of always answering the frequencies of the classes: their entropy.
    pub baseline_log_loss: f64,
    /// Weights by truth, then by predicted class, without the rows that had no prediction.
    pub confusion: Confusion,
    /// The reliability diagram: confidence against accuracy, in ten bins of equal width.
    pub reliability: Vec<ReliabilityBin>,
    /// What the predictions cost, where they were made by cost.
    pub cost: Option<CostMetrics>,
}

/// What predictions cost that were made by their expected cost.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CostMetrics {
    /// The mean cost of a row. A row without a prediction costs the most that an answer could have.
    pub mean: f64,
    /// The mean cost of always naming one class, the cheapest.
    pub baseline: f64,
    /// That class; of equals the first.
    pub baseline_class: usize,
    /// The total cost ratio, baseline / mean: above one the model is worth its errors (Androutsopoulos et al. 2000, "An Evaluation of
    /// Naive Bayesian Anti-Spam Filtering"; their baseline is never to say spam). `None` where nothing was lost.
    pub ratio: Option<f64>,
}

/// How good the predictions were for one class against the rest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClassMetrics {
    /// The share of the rows predicted as this class that were of it; `None` where it was never predicted.
    pub precision: Option<f64>,
    /// The share of the rows of this class that were predicted as such; `None` where it never occurred.
    pub recall: Option<f64>,
    /// The harmonic mean of the two, 0 where only one of them is known; `None` where neither is.
    pub f1: Option<f64>,
    /// The weight of the rows of this class, those without a prediction among them.
    pub support: f64,
}

/// The rows whose predicted class had a probability above `lower` and up to `upper`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ReliabilityBin {
    /// The bound that the confidence of its rows exceeds.
    pub lower: f64,
    /// The bound that the confidence of its rows does not exceed.
    pub upper: f64,
    /// The weight of its rows.
    pub weight: f64,
    /// The mean probability of the predicted class; `None` where the bin is empty.
    pub mean_confidence: Option<f64>,
    /// The share of rows predicted rightly; `None` where the bin is empty.
    pub accuracy: Option<f64>,
}

impl Metrics {
    /// Reads them off, or says `None` where no row has any weight.
    pub(crate) fn of(tally: &Tally) -> Option<Self> {
        let n_impossible: f64 = tally.impossible.iter().sum();
        let mut predicted = vec![0.0; tally.n_classes];
        let mut supports = tally.impossible.clone();
        for (truth, taken_for, weight) in tally.confusion.cells() {
            supports[truth] += weight;
            predicted[taken_for] += weight;
        }
        let n_predicted: f64 = predicted.iter().sum();
        let rows = n_predicted + n_impossible;
        if rows <= 0.0 {
            return None;
        }
        let hits: Vec<f64> = (0..tally.n_classes).map(|class| tally.confusion.get(class, class)).collect();
        let correct: f64 = hits.iter().sum();
        let per_class: Vec<ClassMetrics> =
            (0..tally.n_classes).map(|class| ClassMetrics::of(hits[class], predicted[class], supports[class])).collect();
        let total_loss = tally.log_loss.value();
        let is_finite = tally.probability_zero == 0.0 && n_impossible == 0.0;
        let frequencies = || per_class.iter().map(|class| class.support / rows);
        Some(Self {
            rows,
            accuracy: correct / rows,
            // Some class occurs, since some row has weight: neither mean is over nothing.
            balanced_accuracy: mean(per_class.iter().filter_map(|class| class.recall))?,
            macro_f1: mean(per_class.iter().filter_map(|class| class.f1))?,
            log_loss: is_finite.then_some(total_loss / rows),
            n_probability_zero: tally.probability_zero,
            n_impossible,
            log_loss_of_possible: ratio(total_loss, tally.possible),
            brier: tally.brier.value() / rows,
            calibration_error: calibration_error(tally),
            baseline_accuracy: frequencies().fold(0.0, f64::max),
            // p ln p tends to 0 with p. The largest with zero, since −Σ of one certain class is −0.
            baseline_log_loss: (-frequencies().filter(|&p| p > 0.0).map(|p| p * p.ln()).sum::<f64>()).max(0.0),
            confusion: tally.confusion.clone(),
            reliability: reliability(tally),
            cost: CostMetrics::of(tally, &supports, rows),
            per_class,
        })
    }
}

impl CostMetrics {
    fn of(tally: &Tally, supports: &[f64], rows: f64) -> Option<Self> {
        let costs = tally.costs.as_ref()?;
        let answered: f64 = tally.confusion.cells().map(|(truth, said, weight)| weight * costs.cost(said, truth)).sum();
        let unanswered = tally.impossible.iter().enumerate().filter(|(_, weight)| **weight > 0.0);
        let mean = (answered + unanswered.map(|(truth, weight)| weight * costs.worst(truth)).sum::<f64>()) / rows;
        let frequencies: Vec<f64> = supports.iter().map(|support| support / rows).collect();
        let constant = costs.expected(&frequencies).ok()?;
        let (baseline_class, baseline) = constant.into_iter().enumerate().reduce(|best, next| if next.1 < best.1 { next } else { best })?;
        Some(Self { mean, baseline, baseline_class, ratio: ratio(baseline, mean) })
    }
}

impl ClassMetrics {
    fn of(hits: f64, predicted: f64, support: f64) -> Self {
        Self {
            precision: ratio(hits, predicted),
            recall: ratio(hits, support),
            // 2PR / (P + R) = 2 · hits / (predicted + support), which needs no case for P + R = 0.
            f1: ratio(2.0 * hits, predicted + support),
            support,
        }
    }
}

/// Σ over bins of (weight / total) · |accuracy − mean confidence|, the weights of the bins cancelling.
fn calibration_error(tally: &Tally) -> Option<f64> {
    let bins = tally.bins.iter();
    let gaps = bins.clone().map(|bin| (bin.correct - bin.confidence.value()).abs());
    ratio(gaps.sum(), bins.map(|bin| bin.weight).sum())
}

fn reliability(tally: &Tally) -> Vec<ReliabilityBin> {
    let bound = |idx: usize| idx as f64 / N_BINS as f64;
    let bins = tally.bins.iter().enumerate();
    bins.map(|(idx, bin)| ReliabilityBin {
        lower: bound(idx),
        upper: bound(idx + 1),
        weight: bin.weight,
        mean_confidence: ratio(bin.confidence.value(), bin.weight),
        accuracy: ratio(bin.correct, bin.weight),
    })
    .collect()
}

fn ratio(part: f64, whole: f64) -> Option<f64> {
    (whole > 0.0).then(|| part / whole)
}

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, n) = values.fold((0.0, 0.0), |(sum, n), value| (sum + value, n + 1.0));
    ratio(sum, n)
}
