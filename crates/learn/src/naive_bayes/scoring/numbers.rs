//! What numbers say: the logarithms of normal and Student densities, class by class over the rows.

use std::ops::Range;

use belief::Column;
use belief::conjugate::StudentT;

use super::{AT_ONCE, Scorer};
use crate::naive_bayes::gaussian::Bell;

/// ln p = ln_peak − ((x − mean) · shrink)², of one class.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct BellScores {
    mean: f64,
    shrink: f64,
    ln_peak: f64,
}

/// ln p = ln_peak − power · ln (1 + ((x − location) · shrink)²), of one class.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct StudentScores {
    location: f64,
    shrink: f64,
    power: f64,
    ln_peak: f64,
}

/// A column of numbers that have a normal density in each class.
#[derive(Clone, Copy)]
pub(super) struct BellColumn<'c> {
    classes: &'c [BellScores],
    values: &'c [f64],
}

impl<'c> BellColumn<'c> {
    pub fn new(scorer: &'c Scorer, column: &'c Column<'c>) -> Option<Self> {
        match (scorer, column) {
            (Scorer::Bell(classes), Column::Numeric(values)) => Some(Self { classes, values }),
            _ => None,
        }
    }
}

/// Adds what some columns of numbers say, one after the other to each score.
pub(super) fn add_bells(columns: &[BellColumn<'_>], rows: Range<usize>, by_class: &mut [f64]) {
    let columns = columns.iter().map(|column| BellColumn { values: &column.values[rows.clone()], ..*column });
    pulp::Arch::new().dispatch(Bells { columns: &columns.collect::<Vec<_>>(), n_rows: rows.len(), by_class });
}

/// In the widest vectors the machine has; the sums are the same in any.
struct Bells<'a, 'c> {
    columns: &'a [BellColumn<'c>],
    n_rows: usize,
    by_class: &'a mut [f64],
}

impl pulp::WithSimd for Bells<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<V: pulp::Simd>(self, _: V) {
        // Most columns have no missing values, and then the loop is shorter.
        let is_whole = |column: &BellColumn<'_>| column.values.iter().map(|x| u64::from(x.is_nan())).sum::<u64>() == 0;
        match self.columns.first_chunk() {
            Some(four) if self.columns.len() == AT_ONCE && four.iter().all(is_whole) => {
                for (class, scores) in (0..four[0].classes.len()).zip(self.by_class.chunks_exact_mut(self.n_rows)) {
                    BellScores::add_four(four, class, scores);
                }
            }
            _ => {
                for column in self.columns {
                    let whole = is_whole(column);
                    for (class, scores) in column.classes.iter().zip(self.by_class.chunks_exact_mut(self.n_rows)) {
                        if whole { class.add(column.values, scores) } else { class.add_unless_missing(column.values, scores) }
                    }
                }
            }
        }
    }
}

impl BellScores {
    pub(crate) fn new(bell: &Bell) -> Self {
        Self { mean: bell.mean, shrink: 1.0 / (2.0 * bell.variance).sqrt(), ln_peak: bell.ln_peak }
    }

    #[inline(always)]
    pub(super) fn ln(&self, x: f64) -> f64 {
        let z = (x - self.mean) * self.shrink;
        self.ln_peak - z * z
    }

    #[inline(always)]
    fn add(&self, values: &[f64], scores: &mut [f64]) {
        for (score, &x) in scores.iter_mut().zip(values) {
            *score += self.ln(x);
        }
    }

    /// Scores are read and written once for all columns.
    #[inline(always)]
    fn add_four(columns: &[BellColumn<'_>; AT_ONCE], class: usize, scores: &mut [f64]) {
        let bells = columns.map(|column| column.classes[class]);
        let [first, second, third, fourth] = columns.map(|column| column.values);
        let values = first.iter().zip(second).zip(third).zip(fourth);
        for (score, (((first, second), third), fourth)) in scores.iter_mut().zip(values) {
            let values = [first, second, third, fourth];
            let mut sum = *score;
            for column in 0..AT_ONCE {
                sum += bells[column].ln(*values[column]);
            }
            *score = sum;
        }
    }

    #[inline(always)]
    fn add_unless_missing(&self, values: &[f64], scores: &mut [f64]) {
        for (score, &x) in scores.iter_mut().zip(values) {
            let ln = self.ln(x);
            *score += if x.is_nan() { 0.0 } else { ln };
        }
    }
}

impl StudentScores {
    pub(crate) fn new(t: &StudentT) -> Self {
        Self {
            location: t.location,
            shrink: 1.0 / (t.scale * t.degrees.sqrt()),
            power: (t.degrees + 1.0) / 2.0,
            ln_peak: t.ln_normaliser(),
        }
    }

    pub(super) fn ln(&self, x: f64) -> f64 {
        let z = (x - self.location) * self.shrink;
        self.ln_peak - self.power * (z * z).ln_1p()
    }

    pub(super) fn add(&self, values: &[f64], scores: &mut [f64]) {
        for (score, &x) in scores.iter_mut().zip(values) {
            *score += if x.is_nan() { 0.0 } else { self.ln(x) };
        }
    }
}
