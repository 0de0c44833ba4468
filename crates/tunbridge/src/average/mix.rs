//! The mixture of what members say of a row.

use belief::{Chunk, ShapeMismatch, log_sum_exp, normalise_ln};
use learn::LeaveOneOut;

use crate::judge::Scores;

/// ln Σ w(m) P(class | row, m) of every row and class, from unnormalised scores of each member. A member of weight zero is not
/// asked, and one to which a row is impossible leaves its weight to the others; a row that is impossible to all has −∞ throughout.
pub(super) fn mix<'s, S: Scores + ?Sized + 's>(
    members: impl Iterator<Item = (f64, &'s S)>,
    n_classes: usize,
    chunk: &Chunk<'_>,
    out: &mut Vec<f64>,
) -> Result<(), ShapeMismatch> {
    out.clear();
    out.resize(chunk.n_rows * n_classes, f64::NEG_INFINITY);
    let mut said = Vec::new();
    for (weight, scores) in members.filter(|(weight, _)| *weight > 0.0) {
        scores.ln_joint(chunk, &mut said)?;
        ShapeMismatch::check("scores of a member", out.len(), said.len())?;
        for (row, said) in out.chunks_exact_mut(n_classes).zip(said.chunks_exact_mut(n_classes)) {
            if normalise_ln(said) == f64::NEG_INFINITY {
                continue;
            }
            row.iter_mut().zip(said).for_each(|(ln, said)| *ln = log_sum_exp(&[*ln, weight.ln() + *said]));
        }
    }
    out.chunks_exact_mut(n_classes).for_each(|row| {
        normalise_ln(row);
    });
    Ok(())
}

/// A member that is asked about rows as if it had not learned from them.
pub(super) struct HeldOut<'m>(pub LeaveOneOut<'m>);

impl Scores for HeldOut<'_> {
    fn ln_joint(&self, chunk: &Chunk<'_>, out: &mut Vec<f64>) -> Result<(), ShapeMismatch> {
        self.0.ln_joint(chunk, out)
    }
}

/// All members held out, mixed by weights that are not.
pub(super) struct HeldOutMixture<'m> {
    pub members: Vec<(f64, &'m HeldOut<'m>)>,
    pub n_classes: usize,
}

impl Scores for HeldOutMixture<'_> {
    fn ln_joint(&self, chunk: &Chunk<'_>, out: &mut Vec<f64>) -> Result<(), ShapeMismatch> {
        mix(self.members.iter().copied(), self.n_classes, chunk, out)
    }
}
