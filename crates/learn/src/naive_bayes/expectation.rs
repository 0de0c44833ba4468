//! The E-step: what rows without a class are expected to say, by the classes a model takes them for.
//!
//! Every such row is shared among the classes by their posterior probabilities (Nigam, McCallum, Thrun & Mitchell 2000, section
//! 5.1), or given whole to the most probable one. The log likelihood of all rows is summed on the way.

use belief::{Chunk, Column, CompensatedSum, Recode, Recoding, ShapeMismatch, SufficientStatistic, log_sum_exp};

use super::posterior::NaiveBayes;
use super::statistic::NaiveBayesStatistic;

/// What rows without a class are shared by.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Sharing<'m> {
    /// The same for every class: what the rows say whatever their classes.
    Evenly,
    /// By the posterior probabilities of the classes.
    Soft(&'m NaiveBayes),
    /// All to the most probable class.
    Hard(&'m NaiveBayes),
}

/// A statistic of the rows without a class. Rows with one add to the likelihood and to nothing else.
#[derive(Clone)]
pub(crate) struct Expectation<'m> {
    sharing: Sharing<'m>,
    pub(crate) expected: NaiveBayesStatistic,
    /// Σ ln P(x, class) of the rows with a class.
    pub(crate) ln_labelled: CompensatedSum,
    /// Σ ln P(x) of the rows without, or of P(x, class) of the most probable.
    pub(crate) ln_unlabelled: CompensatedSum,
    /// The weight of the rows without.
    pub(crate) n_unlabelled: f64,
    /// Rows without a class that are impossible in every class.
    pub(crate) n_impossible: u64,
}

impl<'m> Expectation<'m> {
    pub(crate) fn new(sharing: Sharing<'m>, blank: NaiveBayesStatistic) -> Self {
        let sum = CompensatedSum::default;
        Self { sharing, expected: blank, ln_labelled: sum(), ln_unlabelled: sum(), n_unlabelled: 0.0, n_impossible: 0 }
    }

    /// Makes the shares of one row of its log joint probabilities, and gives the row's part of the log likelihood.
    fn share(&self, ln: &[f64], weight: f64, shares: &mut [f64]) -> f64 {
        match self.sharing {
            Sharing::Evenly => {
                shares.fill(weight / ln.len() as f64);
                0.0
            }
            Sharing::Soft(_) => {
                let total = log_sum_exp(ln);
                shares.iter_mut().zip(ln).for_each(|(share, ln)| *share = weight * (ln - total).exp());
                total
            }
            Sharing::Hard(_) => {
                shares.fill(0.0);
                let best = (1..ln.len()).fold(0, |best, class| if ln[class] > ln[best] { class } else { best });
                shares[best] = weight;
                ln[best]
            }
        }
    }
}

impl SufficientStatistic for Expectation<'_> {
    type Columns<'a> = Chunk<'a>;

    fn observe(&mut self, chunk: Chunk<'_>) -> Result<(), ShapeMismatch> {
        let n_classes = self.expected.classes().len();
        let mut ln = Vec::new();
        match self.sharing {
            Sharing::Evenly => ln.resize(chunk.n_rows * n_classes, 0.0),
            Sharing::Soft(model) | Sharing::Hard(model) => model.ln_joint(&chunk, &mut ln)?,
        }
        let truth = match chunk.columns.get(self.expected.target().index()) {
            Some(Column::Categorical { codes, .. }) => Some(*codes),
            _ => None,
        };
        let (mut places, mut shares) = (Vec::new(), Vec::new());
        for (row, ln) in ln.chunks_exact(n_classes).enumerate() {
            let weight = chunk.weights.map_or(1.0, |weights| weights[row]);
            if weight == 0.0 {
                continue;
            }
            if let Some(class) = truth.and_then(|codes| codes.get(row)).filter(|class| *class < n_classes) {
                self.ln_labelled.add(weight * ln[class]);
                continue;
            }
            if ln.iter().all(|ln| *ln == f64::NEG_INFINITY) {
                self.n_impossible += 1;
                continue;
            }
            let start = shares.len();
            shares.resize(start + n_classes, 0.0);
            let of_row = self.share(ln, weight, &mut shares[start..]);
            self.ln_unlabelled.add(weight * of_row);
            self.n_unlabelled += weight;
            places.push(row as u32);
        }
        if places.len() == chunk.n_rows {
            return self.expected.observe_shared(&chunk, &shares);
        }
        chunk.select(&places).lend(chunk.first_row, |rows| self.expected.observe_shared(&rows, &shares))
    }

    fn merge(&mut self, other: &Self) -> Result<(), ShapeMismatch> {
        self.expected.merge(&other.expected)?;
        self.ln_labelled.add(other.ln_labelled.value());
        self.ln_unlabelled.add(other.ln_unlabelled.value());
        self.n_unlabelled += other.n_unlabelled;
        self.n_impossible += other.n_impossible;
        Ok(())
    }
}

impl Recode for Expectation<'_> {
    fn recode(&mut self, recoding: &Recoding) -> Result<(), ShapeMismatch> {
        self.expected.recode(recoding)
    }
}
