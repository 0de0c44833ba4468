//! What gives every row a class with its probabilities, whatever kind of model it is.

use belief::{Chunk, LossTable, Schema, ShapeMismatch, exp_all};
use data::{Answers, DataError};
use evaluate::Costs;

use crate::Recipe;

/// A model of one class a row. How it comes to its probabilities is its own; what follows from them is the same for all.
pub trait Classifier: Sync {
    /// What the columns are.
    fn schema(&self) -> &Schema;

    /// How rows are read.
    fn recipe(&self) -> &Recipe;

    /// The names of the classes.
    fn classes(&self) -> &[String];

    /// The log probabilities of the classes of each row, row by row; a row whose evidence is impossible has −∞ throughout.
    ///
    /// # Errors
    /// When the columns are not those of the model's schema.
    fn ln_posteriors(&self, chunk: &Chunk<'_>, out: &mut Vec<f64>) -> Result<(), ShapeMismatch>;

    /// Of each row, whether nothing in it says anything to the model.
    ///
    /// # Errors
    /// When the columns are not those of the model's schema.
    fn without_evidence(&self, chunk: &Chunk<'_>) -> Result<Vec<bool>, ShapeMismatch>;

    /// The name of the column that is predicted.
    fn target(&self) -> &str {
        let schema = self.schema();
        schema.target().map_or("", |target| schema.variable(target).name.as_str())
    }

    /// The most probable class of each row and the probabilities of all.
    ///
    /// # Errors
    /// When the columns are not those of the model's schema.
    fn answer(&self, chunk: &Chunk<'_>) -> Result<Answers, DataError> {
        let mut ln = Vec::new();
        self.ln_posteriors(chunk, &mut ln)?;
        Ok(answers(ln, self.classes().len()))
    }

    /// The class of least expected cost of each row, and the probabilities of all, which costs do not change.
    ///
    /// # Errors
    /// When the columns are not those of the model's schema, or the costs are for another number of classes.
    fn answer_by_cost(&self, chunk: &Chunk<'_>, costs: &Costs) -> Result<Answers, DataError> {
        let n_classes = self.classes().len();
        ShapeMismatch::check("classes of the costs", n_classes, costs.n_classes())?;
        let mut answers = self.answer(chunk)?;
        for (predicted, p) in answers.predicted.iter_mut().zip(answers.probability.chunks_exact(n_classes)) {
            // A row that is impossible has no answer at any cost.
            if predicted.is_some() {
                *predicted = costs.decide(p).ok().map(|class| class as u32);
            }
        }
        Ok(answers)
    }

    /// The action of least expected loss of each row, in `predicted`, and the probabilities of the classes.
    ///
    /// # Errors
    /// When the columns are not those of the model's schema, or the losses are of other classes.
    fn decide(&self, chunk: &Chunk<'_>, losses: &LossTable) -> Result<Answers, DataError> {
        let mut answers = self.answer(chunk)?;
        let n_classes = self.classes().len();
        ShapeMismatch::check("classes of the losses", n_classes, losses.states().len())?;
        for (predicted, p) in answers.predicted.iter_mut().zip(answers.probability.chunks_exact(n_classes)) {
            // A row that is impossible calls for no action.
            if predicted.is_some() {
                *predicted = losses.decide(p).ok().map(|decision| decision.action as u32);
            }
        }
        Ok(answers)
    }
}

/// Answers from log probabilities of any scale; a row of −∞ throughout is impossible, and its probabilities are no numbers.
pub(crate) fn answers(ln: Vec<f64>, n_classes: usize) -> Answers {
    let mut probability = ln;
    let mut predicted = Vec::with_capacity(probability.len() / n_classes.max(1));
    for row in probability.chunks_exact_mut(n_classes) {
        let best = best(row);
        predicted.push(best);
        let greatest = best.map_or(f64::NAN, |best| row[best as usize]);
        row.iter_mut().for_each(|x| *x -= greatest);
    }
    exp_all(&mut probability);
    for row in probability.chunks_exact_mut(n_classes) {
        let total: f64 = row.iter().sum();
        row.iter_mut().for_each(|p| *p /= total);
    }
    Answers { predicted, probability }
}

/// The place of the greatest; ties go to the first, and there is none when all is impossible.
fn best(ln: &[f64]) -> Option<u32> {
    let (mut at, mut greatest) = (None, f64::NEG_INFINITY);
    for (place, &x) in ln.iter().enumerate() {
        if x > greatest {
            (at, greatest) = (Some(place as u32), x);
        }
    }
    at
}
