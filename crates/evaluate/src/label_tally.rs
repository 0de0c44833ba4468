//! How good predictions of any number of labels are: each label as a question of its own, and all of them together.
//!
//! A micro average adds up the tables of all labels and so weighs a label by its rows; a macro average is the mean over the labels.
//! Both are over the labels that some row has, and a precision of nothing is zero. Tsoumakas & Katakis 2007 on the measures; Lewis
//! 1991 on the two averages.

use crate::break_even::Ranking;
use crate::error::{EvaluateError, check_length, check_same_classes, check_weight};

/// What predictions of labels were worth on the rows seen so far.
///
/// Laws: `merge` is associative and commutative, exactly for whole weights; [`LabelTally::new`] is its identity. No row is kept.
#[derive(Clone, Debug, PartialEq)]
pub struct LabelTally {
    rows: f64,
    exact: f64,
    labels: Vec<LabelCounts>,
}

#[derive(Clone, Debug, Default, PartialEq)]
struct LabelCounts {
    support: f64,
    predicted: f64,
    hits: f64,
    impossible: f64,
    ranking: Ranking,
}

/// How good predictions of labels were.
#[derive(Clone, Debug, PartialEq)]
pub struct LabelMetrics {
    /// The weight of all rows.
    pub rows: f64,
    /// The share of rows whose labels were all found, and no other said.
    pub exact: f64,
    /// The share of pairs of a row and a label that were judged wrongly.
    pub hamming_loss: f64,
    /// All labels together.
    pub micro: LabelAverages,
    /// The mean over the labels that some row has.
    pub macro_: LabelAverages,
    /// Precision and recall where they are the same, with one threshold of the odds for all labels.
    pub pooled_break_even: Option<f64>,
    /// One entry per label.
    pub per_label: Vec<LabelMetric>,
}

/// Averages over the labels; `None` where no row has a label.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LabelAverages {
    /// The share of the labels said that were right.
    pub precision: Option<f64>,
    /// The share of the labels there are that were said.
    pub recall: Option<f64>,
    /// The harmonic mean of the two; in a macro average, the mean of these.
    pub f1: Option<f64>,
    /// Precision and recall where they are the same, each label at its own threshold.
    pub break_even: Option<f64>,
}

/// How good the predictions of one label were.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LabelMetric {
    /// The weight of the rows that have it.
    pub support: f64,
    /// The weight of the rows it was said of.
    pub predicted: f64,
    /// The share of the latter that have it; `None` where it was never said.
    pub precision: Option<f64>,
    /// The share of the rows that have it of which it was said; `None` where no row has it.
    pub recall: Option<f64>,
    /// The harmonic mean of the two; `None` where neither is known.
    pub f1: Option<f64>,
    /// Precision and recall where they are the same; `None` where no row has it.
    pub break_even: Option<f64>,
    /// The weight of the rows that were impossible with it and without it; they count as those of which it was not said.
    pub impossible: f64,
}

impl LabelTally {
    /// The tally of no rows, for this many labels.
    pub fn new(n_labels: usize) -> Self {
        Self { rows: 0.0, exact: 0.0, labels: vec![LabelCounts::default(); n_labels] }
    }

    /// Adds a row: which labels it has, and ln P(label)/P(no label) of each. A label is said of the row where that is above zero; NaN
    /// is for evidence that is impossible either way. Labels in `truth` that are beyond those of the tally are passed over.
    ///
    /// # Errors
    /// When there are more or fewer odds than labels, or the weight is none; then nothing is changed.
    pub fn observe(&mut self, truth: &[u32], ln_odds: &[f64], weight: f64) -> Result<(), EvaluateError> {
        check_length(ln_odds.len(), self.labels.len())?;
        check_weight(weight)?;
        let mut all_right = true;
        let mut has = vec![false; ln_odds.len()];
        truth.iter().for_each(|label| {
            if let Some(has) = has.get_mut(*label as usize) {
                *has = true;
            }
        });
        for ((counts, &odds), &has) in self.labels.iter_mut().zip(ln_odds).zip(&has) {
            let said = odds > 0.0;
            let add = |to: &mut f64, whether: bool| *to += if whether { weight } else { 0.0 };
            add(&mut counts.support, has);
            add(&mut counts.predicted, said);
            add(&mut counts.hits, has && said);
            add(&mut counts.impossible, odds.is_nan());
            counts.ranking.observe(has, if odds.is_nan() { f64::NEG_INFINITY } else { odds }, weight)?;
            all_right &= has == said;
        }
        self.rows += weight;
        if all_right {
            self.exact += weight;
        }
        Ok(())
    }

    /// Adds other rows.
    ///
    /// # Errors
    /// When the numbers of labels differ.
    pub fn merge(&mut self, other: &Self) -> Result<(), EvaluateError> {
        check_same_classes(self.labels.len(), other.labels.len())?;
        self.rows += other.rows;
        self.exact += other.exact;
        for (mine, theirs) in self.labels.iter_mut().zip(&other.labels) {
            mine.support += theirs.support;
            mine.predicted += theirs.predicted;
            mine.hits += theirs.hits;
            mine.impossible += theirs.impossible;
            mine.ranking.merge(&theirs.ranking);
        }
        Ok(())
    }

    /// What is read off from it, or `None` where no row has any weight.
    pub fn metrics(&self) -> Option<LabelMetrics> {
        if self.rows <= 0.0 {
            return None;
        }
        let occur = || self.labels.iter().filter(|label| label.support > 0.0);
        let sum = |of: &dyn Fn(&LabelCounts) -> f64| self.labels.iter().map(of).sum::<f64>();
        let mean = |of: &dyn Fn(&LabelCounts) -> Option<f64>| ratio(occur().filter_map(of).sum(), occur().count() as f64);
        let (hits, predicted, support) = (sum(&|l| l.hits), sum(&|l| l.predicted), sum(&|l| l.support));
        let mut pooled = Ranking::default();
        self.labels.iter().for_each(|label| pooled.merge(&label.ranking));
        let per_label: Vec<LabelMetric> = self.labels.iter().map(LabelCounts::metric).collect();
        Some(LabelMetrics {
            rows: self.rows,
            exact: self.exact / self.rows,
            hamming_loss: ratio(support + predicted - 2.0 * hits, self.rows * self.labels.len() as f64).unwrap_or(0.0),
            micro: LabelAverages {
                precision: ratio(hits, predicted),
                recall: ratio(hits, support),
                f1: ratio(2.0 * hits, predicted + support),
                break_even: ratio(sum(&|l| l.ranking.hits_at_break_even()), support),
            },
            macro_: LabelAverages {
                precision: mean(&|l| ratio(l.hits, l.predicted)),
                recall: mean(&|l| ratio(l.hits, l.support)),
                f1: mean(&|l| ratio(2.0 * l.hits, l.predicted + l.support)),
                break_even: mean(&|l| l.ranking.break_even()),
            },
            pooled_break_even: pooled.break_even(),
            per_label,
        })
    }
}

impl LabelCounts {
    fn metric(&self) -> LabelMetric {
        LabelMetric {
            support: self.support,
            predicted: self.predicted,
            precision: ratio(self.hits, self.predicted),
            recall: ratio(self.hits, self.support),
            f1: ratio(2.0 * self.hits, self.predicted + self.support),
            break_even: self.ranking.break_even(),
            impossible: self.impossible,
        }
    }
}

fn ratio(part: f64, whole: f64) -> Option<f64> {
    (whole > 0.0).then(|| part / whole)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Four rows, worked by hand: labels there are and labels said.
    #[test]
    fn four_rows_by_hand() {
        let mut tally = LabelTally::new(3);
        // Right in all; one missed; one too many; a label that nobody knows and evidence that is impossible.
        tally.observe(&[0, 1], &[2.0, 1.0, -1.0], 1.0).unwrap();
        tally.observe(&[0, 1], &[3.0, -1.0, -1.0], 1.0).unwrap();
        tally.observe(&[], &[1.0, -3.0, -1.0], 1.0).unwrap();
        tally.observe(&[7], &[-1.0, -2.0, f64::NAN], 1.0).unwrap();
        let found = tally.metrics().unwrap();
        assert_eq!((found.rows, found.exact, found.hamming_loss), (4.0, 0.5, 2.0 / 12.0));
        let first = found.per_label[0];
        assert_eq!((first.support, first.predicted, first.precision, first.recall), (2.0, 3.0, Some(2.0 / 3.0), Some(1.0)));
        // The two with the label have the highest odds of it.
        assert_eq!((first.break_even, found.per_label[1].break_even, found.per_label[2].break_even), (Some(1.0), Some(1.0), None));
        assert_eq!((found.micro.precision, found.micro.recall, found.micro.f1), (Some(0.75), Some(0.75), Some(0.75)));
        assert_eq!((found.macro_.precision, found.macro_.recall), (Some((2.0 / 3.0 + 1.0) / 2.0), Some(0.75)));
        assert_eq!((found.micro.break_even, found.macro_.break_even), (Some(1.0), Some(1.0)));
        // With one threshold: odds of 3, 2, and then 1 twice, of which one is right, and one of three at -1.
        assert_eq!(found.pooled_break_even, Some(0.75));
        assert_eq!(found.per_label[2].impossible, 1.0);
    }

    #[test]
    fn what_is_no_row_is_refused() {
        let mut tally = LabelTally::new(2);
        assert!(tally.observe(&[], &[0.0], 1.0).is_err() && tally.observe(&[], &[0.0, 0.0], f64::NAN).is_err());
        assert_eq!(tally, LabelTally::new(2));
        assert!(tally.merge(&LabelTally::new(3)).is_err() && tally.metrics().is_none());
        tally.observe(&[], &[-1.0, -1.0], 1.0).unwrap();
        let found = tally.metrics().unwrap();
        assert_eq!((found.exact, found.micro.f1, found.macro_.f1, found.pooled_break_even), (1.0, None, None, None));
    }

    proptest! {
        #[test]
        fn cutting_the_rows_anywhere_changes_nothing(
            rows in proptest::collection::vec((proptest::collection::vec(0..4_u32, 0..3), proptest::collection::vec(-3.0..3.0_f64, 3)), 0..20),
            cut in 0..20_usize,
        ) {
            let tally = |rows: &[(Vec<u32>, Vec<f64>)]| {
                let mut tally = LabelTally::new(3);
                rows.iter().for_each(|(truth, odds)| tally.observe(truth, odds, 1.0).unwrap());
                tally
            };
            let (left, right) = rows.split_at(cut.min(rows.len()));
            let mut merged = tally(left);
            merged.merge(&tally(right)).unwrap();
            prop_assert_eq!(merged, tally(&rows));
        }
    }
}
