//! Evaluation as a fold: predictions are compared with the truth chunk by chunk, and the tallies are merged like any statistic.

use belief::{Chunk, Column, FoldPlan, Recode, Recoding, ShapeMismatch, SufficientStatistic, normalise_ln};
use evaluate::{Calibrator, ScoreGrid, Tally};

/// Unnormalised log probabilities of the classes of each row of a chunk.
pub(crate) trait Scores: Sync {
    fn ln_joint(&self, chunk: &Chunk<'_>, out: &mut Vec<f64>) -> Result<(), ShapeMismatch>;
}

impl<F: Fn(&Chunk<'_>, &mut Vec<f64>) -> Result<(), ShapeMismatch> + Sync> Scores for F {
    fn ln_joint(&self, chunk: &Chunk<'_>, out: &mut Vec<f64>) -> Result<(), ShapeMismatch> {
        self(chunk, out)
    }
}

/// What becomes of the log probabilities of a row whose class is known.
pub(crate) trait Verdict: Clone + Send + Sync {
    /// `ln_p` is normalised, or −∞ throughout when the evidence is impossible.
    fn row(&mut self, row: u64, truth: usize, ln_p: &mut [f64], weight: f64);
    fn merge(&mut self, other: &Self);
}

/// A statistic that scores rows and passes verdicts on them.
pub(crate) struct Judge<'m, S: ?Sized, V> {
    pub scores: &'m S,
    pub target: usize,
    pub n_classes: usize,
    pub verdict: V,
    /// Rows whose class is one the model does not know.
    pub n_strange: u64,
}

impl<'m, S: Scores + ?Sized, V: Verdict> Judge<'m, S, V> {
    pub fn new(scores: &'m S, target: usize, n_classes: usize, verdict: V) -> Self {
        Self { scores, target, n_classes, verdict, n_strange: 0 }
    }
}

impl<S: ?Sized, V: Clone> Clone for Judge<'_, S, V> {
    fn clone(&self) -> Self {
        Self {
            scores: self.scores,
            target: self.target,
            n_classes: self.n_classes,
            verdict: self.verdict.clone(),
            n_strange: self.n_strange,
        }
    }
}

impl<S: Scores + ?Sized, V: Verdict> SufficientStatistic for Judge<'_, S, V> {
    type Columns<'a> = Chunk<'a>;

    fn observe(&mut self, chunk: Chunk<'_>) -> Result<(), ShapeMismatch> {
        let Some(Column::Categorical { codes: truth, .. }) = chunk.columns.get(self.target) else {
            return Err(ShapeMismatch { what: "the target's column", expected: 1, found: 0 });
        };
        let mut ln = Vec::new();
        self.scores.ln_joint(&chunk, &mut ln)?;
        ShapeMismatch::check("scores", chunk.n_rows * self.n_classes, ln.len())?;
        for (row, ln_p) in ln.chunks_exact_mut(self.n_classes).enumerate() {
            let weight = chunk.weights.map_or(1.0, |w| w[row]);
            match truth.get(row) {
                // Scores that are not numbers are those of rows that were not asked about.
                Some(class) if weight > 0.0 && class < self.n_classes && !ln_p[0].is_nan() => {
                    normalise_ln(ln_p);
                    self.verdict.row(chunk.first_row + row as u64, class, ln_p, weight);
                }
                Some(class) => self.n_strange += u64::from(class >= self.n_classes),
                None => {}
            }
        }
        Ok(())
    }

    fn merge(&mut self, other: &Self) -> Result<(), ShapeMismatch> {
        self.verdict.merge(&other.verdict);
        self.n_strange += other.n_strange;
        Ok(())
    }
}

/// Verdicts are about classes the model knows; what a chunk calls new does not touch them.
impl<S: ?Sized, V> Recode for Judge<'_, S, V> {
    fn recode(&mut self, _: &Recoding) -> Result<(), ShapeMismatch> {
        Ok(())
    }
}

impl Verdict for Tally {
    fn row(&mut self, _: u64, truth: usize, ln_p: &mut [f64], weight: f64) {
        // Refused are only rows that are not normalised or of the wrong length, and neither comes from a judge.
        let _ = if ln_p.iter().all(|ln| *ln == f64::NEG_INFINITY) {
            self.observe_impossible(truth, weight)
        } else {
            self.observe_ln(truth, ln_p, weight)
        };
    }

    fn merge(&mut self, other: &Self) {
        let _ = Tally::merge(self, other);
    }
}

/// Out-of-fold scores, kept apart by fold: what calibrations are fitted on.
#[derive(Clone)]
pub(crate) struct GridByFold {
    pub plan: FoldPlan,
    pub grids: Vec<ScoreGrid>,
    pub raw: Tally,
}

impl Verdict for GridByFold {
    fn row(&mut self, row: u64, truth: usize, ln_p: &mut [f64], weight: f64) {
        self.raw.row(row, truth, ln_p, weight);
        // A row that is impossible has no log-odds.
        let _ = self.grids[self.plan.fold_of(row)].observe(truth, ln_p, weight);
    }

    fn merge(&mut self, other: &Self) {
        Verdict::merge(&mut self.raw, &other.raw);
        for (mine, theirs) in self.grids.iter_mut().zip(&other.grids) {
            let _ = mine.merge(theirs);
        }
    }
}

/// Judges each row by the calibration that was fitted without its fold.
#[derive(Clone)]
pub(crate) struct CalibratedByFold<'c> {
    pub plan: FoldPlan,
    pub calibrators: &'c [Calibrator],
    pub tally: Tally,
}

impl Verdict for CalibratedByFold<'_> {
    fn row(&mut self, row: u64, truth: usize, ln_p: &mut [f64], weight: f64) {
        if ln_p.iter().any(|ln| *ln > f64::NEG_INFINITY) {
            let _ = self.calibrators[self.plan.fold_of(row)].calibrate(ln_p);
        }
        self.tally.row(row, truth, ln_p, weight);
    }

    fn merge(&mut self, other: &Self) {
        Verdict::merge(&mut self.tally, &other.tally);
    }
}
