//! Several statistics of one pass: every chunk of rows is read once and observed by all.

use belief::{Chunk, Recode, Recoding, ShapeMismatch, SufficientStatistic};

/// Statistics side by side.
#[derive(Clone)]
pub(super) struct Several<S>(pub Vec<S>);

impl<S: for<'a> SufficientStatistic<Columns<'a> = Chunk<'a>>> SufficientStatistic for Several<S> {
    type Columns<'a> = Chunk<'a>;

    fn observe(&mut self, chunk: Chunk<'_>) -> Result<(), ShapeMismatch> {
        self.0.iter_mut().try_for_each(|statistic| statistic.observe(chunk))
    }

    fn merge(&mut self, other: &Self) -> Result<(), ShapeMismatch> {
        ShapeMismatch::check("statistics of a pass", self.0.len(), other.0.len())?;
        self.0.iter_mut().zip(&other.0).try_for_each(|(mine, theirs)| mine.merge(theirs))
    }
}

impl<S: Recode> Recode for Several<S> {
    fn recode(&mut self, recoding: &Recoding) -> Result<(), ShapeMismatch> {
        self.0.iter_mut().try_for_each(|statistic| statistic.recode(recoding))
    }
}
