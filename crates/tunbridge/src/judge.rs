//! Evaluation as a fold: predictions are compared with the truth chunk by chunk, and the tallies are merged like any statistic.

use belief::{Chunk, Column, FoldPlan, Recode, Recoding, ShapeMismatch, SufficientStatistic, normalise_ln};
use evaluate::{Calibrator, EvaluateError, ScoreGrid, Tally};

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
    /// Which row is in which fold, where that makes a difference.
    fn plan(&self) -> Option<FoldPlan> {
        None
    }
    /// `ln_p` is normalised, or −∞ throughout when the evidence is impossible; `fold` is 0 without a plan.
    fn row(&mut self, fold: usize, truth: usize, ln_p: &mut [f64], weight: f64) -> Result<(), EvaluateError>;
    fn merge(&mut self, other: &Self) -> Result<(), EvaluateError>;
}

/// A statistic that scores rows and passes verdicts on them.
pub(crate) struct Judge<'m, S: ?Sized, V> {
    scores: &'m S,
    target: usize,
    n_classes: usize,
    verdict: V,
    /// The first row that was refused, and why; statistics speak of shapes only, so that it is told at the end.
    fault: Option<EvaluateError>,
}

impl<'m, S: Scores + ?Sized, V: Verdict> Judge<'m, S, V> {
    pub fn new(scores: &'m S, target: usize, n_classes: usize, verdict: V) -> Self {
        Self { scores, target, n_classes, verdict, fault: None }
    }

    /// The verdict on all rows.
    ///
    /// # Errors
    /// When a row was refused: none is left out in silence.
    pub fn into_verdict(self) -> Result<V, EvaluateError> {
        self.fault.map_or(Ok(self.verdict), Err)
    }

    fn note(&mut self, verdict: Result<(), EvaluateError>) {
        if let (Err(fault), None) = (verdict, &self.fault) {
            self.fault = Some(fault);
        }
    }
}

impl<S: ?Sized, V: Clone> Clone for Judge<'_, S, V> {
    fn clone(&self) -> Self {
        Self {
            scores: self.scores,
            target: self.target,
            n_classes: self.n_classes,
            verdict: self.verdict.clone(),
            fault: self.fault.clone(),
        }
    }
}

impl<S: Scores + ?Sized, V: Verdict> SufficientStatistic for Judge<'_, S, V> {
    type Columns<'a> = Chunk<'a>;

    fn observe(&mut self, chunk: Chunk<'_>) -> Result<(), ShapeMismatch> {
        let at_once = (MOST_SCORES / self.n_classes.max(1)).max(1);
        if chunk.n_rows <= at_once {
            return self.judge(chunk);
        }
        for start in (0..chunk.n_rows).step_by(at_once) {
            let places: Vec<u32> = (start..chunk.n_rows.min(start + at_once)).map(|row| row as u32).collect();
            chunk.select(&places).lend(chunk.first_row + start as u64, |rows| self.judge(rows))?;
        }
        Ok(())
    }

    fn merge(&mut self, other: &Self) -> Result<(), ShapeMismatch> {
        let merged = self.verdict.merge(&other.verdict);
        self.note(other.fault.clone().map_or(Ok(()), Err));
        self.note(merged);
        Ok(())
    }
}

/// Scores that are held at once: of a target with many thousand classes, a few rows are judged at a time.
pub(crate) const MOST_SCORES: usize = 1 << 22;

impl<S: Scores + ?Sized, V: Verdict> Judge<'_, S, V> {
    fn judge(&mut self, chunk: Chunk<'_>) -> Result<(), ShapeMismatch> {
        let Some(Column::Categorical { codes: truth, .. }) = chunk.columns.get(self.target) else {
            return Err(ShapeMismatch { what: "the target's column", expected: 1, found: 0 });
        };
        let mut ln = Vec::new();
        self.scores.ln_joint(&chunk, &mut ln)?;
        ShapeMismatch::check("scores", chunk.n_rows * self.n_classes, ln.len())?;
        let folds = self.verdict.plan().map(|plan| plan.folds(chunk.first_row, chunk.n_rows));
        for (row, ln_p) in ln.chunks_exact_mut(self.n_classes).enumerate() {
            let weight = chunk.weights.map_or(1.0, |w| w[row]);
            let Some(class) = truth.get(row).filter(|class| *class < self.n_classes) else { continue };
            // Scores that are not numbers are those of rows that were not asked about.
            if weight == 0.0 || ln_p[0].is_nan() {
                continue;
            }
            normalise_ln(ln_p);
            let fold = folds.as_ref().map_or(0, |folds| usize::from(folds[row]));
            let verdict = self.verdict.row(fold, class, ln_p, weight);
            self.note(verdict);
        }
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
    fn row(&mut self, _: usize, truth: usize, ln_p: &mut [f64], weight: f64) -> Result<(), EvaluateError> {
        if is_impossible(ln_p) { self.observe_impossible(truth, weight) } else { self.observe_ln(truth, ln_p, weight) }
    }

    fn merge(&mut self, other: &Self) -> Result<(), EvaluateError> {
        Tally::merge(self, other)
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
    fn plan(&self) -> Option<FoldPlan> {
        Some(self.plan)
    }

    fn row(&mut self, fold: usize, truth: usize, ln_p: &mut [f64], weight: f64) -> Result<(), EvaluateError> {
        self.raw.row(fold, truth, ln_p, weight)?;
        // A row that is impossible has no log-odds.
        if is_impossible(ln_p) { Ok(()) } else { self.grids[fold].observe(truth, ln_p, weight) }
    }

    fn merge(&mut self, other: &Self) -> Result<(), EvaluateError> {
        self.raw.merge(&other.raw)?;
        self.grids.iter_mut().zip(&other.grids).try_for_each(|(mine, theirs)| mine.merge(theirs))
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
    fn plan(&self) -> Option<FoldPlan> {
        Some(self.plan)
    }

    fn row(&mut self, fold: usize, truth: usize, ln_p: &mut [f64], weight: f64) -> Result<(), EvaluateError> {
        if !is_impossible(ln_p) {
            self.calibrators[fold].calibrate(ln_p)?;
        }
        self.tally.row(fold, truth, ln_p, weight)
    }

    fn merge(&mut self, other: &Self) -> Result<(), EvaluateError> {
        self.tally.merge(&other.tally)
    }
}

fn is_impossible(ln_p: &[f64]) -> bool {
    ln_p.iter().all(|ln| *ln == f64::NEG_INFINITY)
}

#[cfg(test)]
mod tests {
    use super::*;
    use belief::Codes;

    /// Rows are judged a few at a time where there are many classes, each with its own scores, weight and fold.
    #[test]
    fn many_classes_are_judged_in_parts() {
        const CLASSES: usize = 2_000_000;
        let scores = |chunk: &Chunk<'_>, out: &mut Vec<f64>| {
            assert!(chunk.n_rows <= 2);
            out.clear();
            out.resize(chunk.n_rows * CLASSES, f64::NEG_INFINITY);
            // The row of number r is taken for class r.
            (0..chunk.n_rows).for_each(|row| out[row * CLASSES + chunk.first_row as usize + row] = 0.0);
            Ok(())
        };
        let columns = [Column::Categorical { codes: Codes::U32(&[10, 11, 12, 13, 9]), n_states: CLASSES }];
        let mut judge = Judge::new(&scores, 0, CLASSES, Tally::new(CLASSES));
        judge.observe(Chunk { first_row: 10, n_rows: 5, columns: &columns, weights: Some(&[1.0, 2.0, 3.0, 4.0, 5.0]) }).unwrap();
        let metrics = judge.into_verdict().unwrap().metrics().unwrap();
        let found: Vec<_> = metrics.confusion.cells().collect();
        assert_eq!(found, [(9, 14, 5.0), (10, 10, 1.0), (11, 11, 2.0), (12, 12, 3.0), (13, 13, 4.0)]);
    }

    #[test]
    fn a_row_that_is_refused_is_told_of() {
        let scores = |chunk: &Chunk<'_>, out: &mut Vec<f64>| {
            *out = vec![0.5_f64.ln(); 2 * chunk.n_rows];
            Ok(())
        };
        let judged = |weights: &[f64]| {
            let columns = [Column::Categorical { codes: Codes::U8(&[0, 1]), n_states: 2 }];
            let mut judge = Judge::new(&scores, 0, 2, Tally::new(2));
            judge.observe(Chunk { first_row: 0, n_rows: 2, columns: &columns, weights: Some(weights) }).unwrap();
            let mut all = Judge::new(&scores, 0, 2, Tally::new(2));
            all.merge(&judge).unwrap();
            all.into_verdict()
        };
        assert_eq!(judged(&[1.0, 2.0]).unwrap().metrics().unwrap().rows, 3.0);
        assert_eq!(judged(&[1.0, 1e17]).unwrap_err(), EvaluateError::NotAWeight { found: 1e17 });
    }
}
