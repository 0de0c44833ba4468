//! The Bayes-optimal classifier: the value most probable when every hypothesis is asked.
//!
//! P(v | D) = Σ P(v | h) P(h | D) (Mitchell 1997, equation 6.18). No other classifier with the same space and prior is right more often.

use super::error::{HypothesisError, probability, sums_to_one};
use super::space::{Hypotheses, first_greatest};

/// What each hypothesis says of an instance.
///
/// # Example
/// Three hypotheses (Mitchell 1997, section 6.7): the most probable one says +, and yet − is more probable.
/// ```
/// use tunbridge_belief::hypotheses::{Hypotheses, Predictions};
/// let believed = Hypotheses::new(vec![("h1".into(), Some(0.4)), ("h2".into(), Some(0.3)), ("h3".into(), Some(0.3))])?;
/// let says = Predictions::new(vec!["+".into(), "-".into()], vec![vec![1.0, 0.0], vec![0.0, 1.0], vec![0.0, 1.0]])?;
/// assert_eq!(says.by_map(&believed)?, 0);
/// let (value, p) = says.bayes_optimal(&believed)?;
/// assert!(value == 1 && (p[1] - 0.6).abs() < 1e-15);
/// # Ok::<(), tunbridge_belief::hypotheses::HypothesisError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Predictions {
    values: Vec<String>,
    /// P(v | h), by hypothesis and value.
    p: Vec<Vec<f64>>,
}

impl Predictions {
    /// P(value | hypothesis), a row for each hypothesis.
    ///
    /// # Errors
    /// When there are no values, a name is there twice, or a row is no distribution over them.
    pub fn new(values: Vec<String>, p: Vec<Vec<f64>>) -> Result<Self, HypothesisError> {
        if values.is_empty() {
            return Err(HypothesisError::Nothing { what: "values to predict" });
        }
        if let Some(twice) = (1..values.len()).find(|place| values[..*place].contains(&values[*place])) {
            return Err(HypothesisError::Twice { name: values[twice].clone() });
        }
        for (nth, row) in p.iter().enumerate() {
            if row.len() != values.len() {
                return Err(HypothesisError::Length { what: "values a hypothesis predicts", expected: values.len(), found: row.len() });
            }
            for p in row {
                probability(|| format!("what hypothesis {} predicts", nth + 1), *p)?;
            }
            sums_to_one(|| format!("the predictions of hypothesis {}", nth + 1), row)?;
        }
        Ok(Self { values, p })
    }

    /// The values.
    pub fn values(&self) -> &[String] {
        &self.values
    }

    /// P(v | D) of every value, and the place of the most probable one; of equals the first.
    ///
    /// # Errors
    /// When there are not as many hypotheses.
    pub fn bayes_optimal(&self, believed: &Hypotheses) -> Result<(usize, Vec<f64>), HypothesisError> {
        self.check(believed)?;
        let of_value = |value: usize| self.p.iter().zip(believed.p()).map(|(says, p)| says[value] * p).sum();
        let p: Vec<f64> = (0..self.values.len()).map(of_value).collect();
        Ok((first_greatest(&p), p))
    }

    /// What the most probable hypothesis says.
    ///
    /// # Errors
    /// When there are not as many hypotheses.
    pub fn by_map(&self, believed: &Hypotheses) -> Result<usize, HypothesisError> {
        self.check(believed)?;
        Ok(self.of(first_greatest(believed.p())))
    }

    /// What one hypothesis says: its most probable value, of equals the first.
    pub(super) fn of(&self, hypothesis: usize) -> usize {
        first_greatest(&self.p[hypothesis])
    }

    /// P(v | h) of every value.
    pub(super) fn p_of(&self, hypothesis: usize) -> &[f64] {
        &self.p[hypothesis]
    }

    pub(super) fn check(&self, believed: &Hypotheses) -> Result<(), HypothesisError> {
        let (expected, found) = (believed.names().len(), self.p.len());
        if expected == found { Ok(()) } else { Err(HypothesisError::Length { what: "hypotheses that predict", expected, found }) }
    }
}
