//! The E-step: what rows without a class are expected to say, by the classes a model takes them for.
//!
//! Every such row is shared among the classes by their posterior probabilities (Nigam, McCallum, Thrun & Mitchell 2000, section
//! 5.1), or given whole to the most probable one; where classes are mixtures, among all their components, and a row with a class
//! among those of its class. The log likelihood of all rows is summed on the way.

use std::ops::Range;

use belief::{Chunk, Column, CompensatedSum, Recode, Recoding, ShapeMismatch, SufficientStatistic, log_sum_exp};

use super::mixture::Components;
use super::posterior::NaiveBayes;
use super::statistic::NaiveBayesStatistic;

/// What rows are shared by.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Sharing<'m> {
    /// The same for every component: what the rows say whatever their classes. Of rows with a class the shares are drawn.
    Evenly { seed: u64 },
    /// By the posterior probabilities of the components.
    Soft(&'m NaiveBayes),
    /// All to the most probable component.
    Hard(&'m NaiveBayes),
}

/// A statistic of the rows without a class. Rows with one add to the likelihood, and to what is said of the components of classes
/// that have several.
#[derive(Clone)]
pub(crate) struct Expectation<'m> {
    sharing: Sharing<'m>,
    components: &'m Components,
    /// Of the rows without a class, by component.
    pub(crate) expected: NaiveBayesStatistic,
    /// Of the rows with a class, by component; `None` where every class is its one component.
    pub(crate) labelled: Option<NaiveBayesStatistic>,
    /// Σ ln P(x, class) of the rows with a class, or of P(x, component) of the most probable.
    pub(crate) ln_labelled: CompensatedSum,
    /// Σ ln P(x) of the rows without, or of P(x, component) of the most probable.
    pub(crate) ln_unlabelled: CompensatedSum,
    /// The weight of the rows without.
    pub(crate) n_unlabelled: f64,
    /// Rows without a class that are impossible in every class.
    pub(crate) n_impossible: u64,
}

impl<'m> Expectation<'m> {
    /// Nothing seen. `blank` is of as many classes as there are components.
    pub(crate) fn new(sharing: Sharing<'m>, components: &'m Components, blank: NaiveBayesStatistic) -> Self {
        let sum = CompensatedSum::default;
        let labelled = (!components.is_plain()).then(|| blank.clone());
        Self {
            sharing,
            components,
            expected: blank,
            labelled,
            ln_labelled: sum(),
            ln_unlabelled: sum(),
            n_unlabelled: 0.0,
            n_impossible: 0,
        }
    }

    /// Makes the shares of one row that can be of these components, and gives the row's part of the log likelihood.
    fn share(&self, ln: &[f64], among: Range<usize>, weight: f64, shares: &mut [f64]) -> f64 {
        let ln = &ln[among.clone()];
        let total = match self.sharing {
            Sharing::Evenly { .. } => 0.0,
            Sharing::Soft(_) => log_sum_exp(ln),
            Sharing::Hard(_) => ln.iter().fold(f64::NEG_INFINITY, |best, ln| best.max(*ln)),
        };
        let shares = &mut shares[among];
        match self.sharing {
            Sharing::Soft(_) if total > f64::NEG_INFINITY => {
                shares.iter_mut().zip(ln).for_each(|(share, ln)| *share = weight * (ln - total).exp());
            }
            Sharing::Hard(_) => {
                let best = (1..ln.len()).fold(0, |best, place| if ln[place] > ln[best] { place } else { best });
                shares[best] = weight;
            }
            _ => shares.fill(weight / ln.len() as f64),
        }
        total
    }

    /// Takes so many rows at a time. Every sum takes its rows one after another, so that the blocks change no bit of it.
    fn observe_in_blocks(&mut self, chunk: &Chunk<'_>, n_rows: usize) -> Result<(), ShapeMismatch> {
        in_blocks(chunk, n_rows, |block| self.observe_block(block))
    }

    fn observe_block(&mut self, chunk: &Chunk<'_>) -> Result<(), ShapeMismatch> {
        let (n_components, n_classes) = (self.components.n_components(), self.components.n_of_class().len());
        let mut ln = Vec::new();
        match self.sharing {
            Sharing::Evenly { .. } => ln.resize(chunk.n_rows * n_components, 0.0),
            Sharing::Soft(model) | Sharing::Hard(model) => model.ln_joint(chunk, &mut ln)?,
        }
        let truth = match chunk.columns.get(self.expected.target().index()) {
            Some(Column::Categorical { codes, .. }) => Some(*codes),
            _ => None,
        };
        let (mut with_class, mut without) = (Shared::default(), Shared::default());
        let mut scratch = vec![0.0; n_components];
        for (row, ln) in ln.chunks_exact(n_components).enumerate() {
            let weight = chunk.weights.map_or(1.0, |weights| weights[row]);
            if weight == 0.0 {
                continue;
            }
            if let Some(class) = truth.and_then(|codes| codes.get(row)).filter(|class| *class < n_classes) {
                let among = self.components.of_class(class);
                let shares = if self.labelled.is_some() { with_class.push(row, n_components) } else { &mut scratch };
                let of_row = self.share(ln, among.clone(), weight, shares);
                if let Sharing::Evenly { seed } = self.sharing {
                    self.components.draw(class, seed, chunk.first_row + row as u64, shares);
                    shares[among].iter_mut().for_each(|share| *share *= weight);
                }
                self.ln_labelled.add(weight * of_row);
                continue;
            }
            if ln.iter().all(|ln| *ln == f64::NEG_INFINITY) {
                self.n_impossible += 1;
                continue;
            }
            let of_row = self.share(ln, 0..n_components, weight, without.push(row, n_components));
            self.ln_unlabelled.add(weight * of_row);
            self.n_unlabelled += weight;
        }
        if let Some(labelled) = &mut self.labelled {
            with_class.add_to(labelled, chunk)?;
        }
        without.add_to(&mut self.expected, chunk)
    }
}

/// Numbers that are held at a time, for rows × components.
const MOST_SHARES: usize = 1_000_000;

/// Shows the rows of a chunk, so many at a time.
pub(crate) fn in_blocks(
    chunk: &Chunk<'_>,
    n_rows: usize,
    mut see: impl FnMut(&Chunk<'_>) -> Result<(), ShapeMismatch>,
) -> Result<(), ShapeMismatch> {
    if chunk.n_rows <= n_rows {
        return see(chunk);
    }
    check_lengths(chunk)?;
    for start in (0..chunk.n_rows).step_by(n_rows) {
        let places: Vec<u32> = (start as u32..chunk.n_rows.min(start + n_rows) as u32).collect();
        chunk.select(&places).lend(chunk.first_row + start as u64, |block| see(&block))?;
    }
    Ok(())
}

/// How many rows are shared at a time.
pub(crate) fn rows_at_once(n_components: usize) -> usize {
    (MOST_SHARES / n_components.max(1)).max(1)
}

/// Whether every column has as many rows as the chunk.
fn check_lengths(chunk: &Chunk<'_>) -> Result<(), ShapeMismatch> {
    for column in chunk.columns {
        let n_rows = match column {
            Column::Absent => chunk.n_rows,
            Column::Categorical { codes, .. } => codes.len(),
            Column::Numeric(values) => values.len(),
            Column::Texts(texts) => texts.len(),
        };
        ShapeMismatch::check("rows of a column", chunk.n_rows, n_rows)?;
    }
    ShapeMismatch::check("weights", chunk.n_rows, chunk.weights.map_or(chunk.n_rows, <[f64]>::len))
}

/// Rows with their shares.
#[derive(Default)]
struct Shared {
    places: Vec<u32>,
    shares: Vec<f64>,
}

impl Shared {
    /// The shares of one more row, all of them nothing.
    fn push(&mut self, row: usize, n_components: usize) -> &mut [f64] {
        self.places.push(row as u32);
        let start = self.shares.len();
        self.shares.resize(start + n_components, 0.0);
        &mut self.shares[start..]
    }

    fn add_to(&self, statistic: &mut NaiveBayesStatistic, chunk: &Chunk<'_>) -> Result<(), ShapeMismatch> {
        if self.places.len() == chunk.n_rows {
            return statistic.observe_shared(chunk, &self.shares);
        }
        chunk.select(&self.places).lend(chunk.first_row, |rows| statistic.observe_shared(&rows, &self.shares))
    }
}

impl SufficientStatistic for Expectation<'_> {
    type Columns<'a> = Chunk<'a>;

    fn observe(&mut self, chunk: Chunk<'_>) -> Result<(), ShapeMismatch> {
        self.observe_in_blocks(&chunk, rows_at_once(self.components.n_components()))
    }

    fn merge(&mut self, other: &Self) -> Result<(), ShapeMismatch> {
        self.expected.merge(&other.expected)?;
        if let (Some(mine), Some(theirs)) = (&mut self.labelled, &other.labelled) {
            mine.merge(theirs)?;
        }
        self.ln_labelled.add(other.ln_labelled.value());
        self.ln_unlabelled.add(other.ln_unlabelled.value());
        self.n_unlabelled += other.n_unlabelled;
        self.n_impossible += other.n_impossible;
        Ok(())
    }
}

impl Recode for Expectation<'_> {
    fn recode(&mut self, recoding: &Recoding) -> Result<(), ShapeMismatch> {
        let Some(labelled) = &mut self.labelled else { return self.expected.recode(recoding) };
        // The classes are settled before they have components.
        let mut recoding = recoding.clone();
        if let Some(classes) = recoding.columns.get_mut(self.expected.target().index()) {
            *classes = None;
        }
        labelled.recode(&recoding)?;
        self.expected.recode(&recoding)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use belief::{Codes, Kind, Role, Schema, States, Texts, Variable, WordWeights};

    use super::*;
    use crate::naive_bayes::{Mixture, NaiveBayesPrior, Treatment};

    #[test]
    fn the_more_components_the_fewer_rows_at_a_time() {
        assert_eq!([1, 2, 10_000, 1 << 40].map(rows_at_once), [1_000_000, 500_000, 100, 1]);
    }

    /// States, numbers, texts and a class, some of them missing, and weights of which some are nothing.
    fn with_chunk<R>(see: impl FnOnce(&Chunk<'_>) -> R) -> R {
        let n = 61_u32;
        let states: Vec<u8> = (0..n).map(|row| (row * 7 % 3) as u8).collect();
        let numbers: Vec<f64> = (0..n).map(|row| if row % 11 == 3 { f64::NAN } else { f64::from(row * row % 17) / 7.0 }).collect();
        let words: Vec<u32> = (0..2 * n).map(|at| at * at % 5).collect();
        let ends: Vec<u32> = (1..=n).map(|row| 2 * row).collect();
        let classes: Vec<u8> = (0..n).map(|row| if row % 3 == 1 { u8::MAX } else { (row % 2) as u8 }).collect();
        let weights: Vec<f64> = (0..n).map(|row| f64::from(row % 5) / 3.0).collect();
        let columns = [
            Column::Categorical { codes: Codes::U8(&states), n_states: 3 },
            Column::Numeric(&numbers),
            Column::Texts(Texts { ends: &ends, codes: &words, n_words: 5 }),
            Column::Categorical { codes: Codes::U8(&classes), n_states: 2 },
        ];
        see(&Chunk { first_row: 1000, n_rows: n as usize, columns: &columns, weights: Some(&weights) })
    }

    fn schema() -> Schema {
        let states = |names: &[&str]| Kind::Categorical(States::declared(names.iter().map(|n| n.to_string()).collect(), false).unwrap());
        let variable = |name: &str, kind: Kind, role: Role| Variable { name: name.into(), kind, role };
        Schema::new(vec![
            variable("state", states(&["a", "b", "c"]), Role::Input),
            variable("number", Kind::Numeric, Role::Input),
            variable("y", states(&["no", "yes"]), Role::Target),
        ])
        .unwrap()
    }

    fn blank(n_components: usize) -> NaiveBayesStatistic {
        let words = Treatment::Words(Arc::new(WordWeights::default()));
        NaiveBayesStatistic::empty(&[Treatment::Categorical, Treatment::Moments, words, Treatment::Absent], 3, &[3, 0, 5, n_components])
    }

    fn same(a: &Expectation<'_>, b: &Expectation<'_>) {
        assert_eq!((&a.expected, &a.labelled), (&b.expected, &b.labelled));
        let sums = |e: &Expectation<'_>| [e.ln_labelled.value(), e.ln_unlabelled.value(), e.n_unlabelled].map(f64::to_bits);
        assert_eq!((sums(a), a.n_impossible), (sums(b), b.n_impossible));
    }

    fn of<'m>(
        sharing: Sharing<'m>,
        components: &'m Components,
        blank: NaiveBayesStatistic,
        n_rows: usize,
        chunk: &Chunk<'_>,
    ) -> Expectation<'m> {
        let mut found = Expectation::new(sharing, components, blank);
        found.observe_in_blocks(chunk, n_rows).unwrap();
        found
    }

    #[test]
    fn blocks_of_rows_change_no_bit() {
        for n_of_class in [vec![1, 1], vec![3, 2]] {
            let components = Components::new(n_of_class).unwrap();
            let n = components.n_components();
            with_chunk(|chunk| {
                let whole = of(Sharing::Evenly { seed: 7 }, &components, blank(n), 1000, chunk);
                for n_rows in [1, 7, 60] {
                    same(&whole, &of(Sharing::Evenly { seed: 7 }, &components, blank(n), n_rows, chunk));
                }
                // Without the texts there is a model of what was drawn.
                let few = [chunk.columns[0], chunk.columns[1], chunk.columns[3]];
                let few = Chunk { columns: &few, ..*chunk };
                let blank = || NaiveBayesStatistic::empty(&[Treatment::Categorical, Treatment::Moments, Treatment::Absent], 2, &[3, 0, n]);
                let drawn = of(Sharing::Evenly { seed: 7 }, &components, blank(), 1000, &few);
                let mut drawn = drawn.labelled.unwrap_or(drawn.expected);
                drawn.scale(0.5);
                let model = NaiveBayes::new(&components.schema(&schema()).unwrap(), &drawn, &NaiveBayesPrior::default()).unwrap();
                for sharing in [Sharing::Soft(&model), Sharing::Hard(&model)] {
                    let whole = of(sharing, &components, blank(), 1000, &few);
                    assert!(whole.n_unlabelled > 0.0 && whole.ln_unlabelled.value() < 0.0);
                    for n_rows in [1, 7, 60] {
                        same(&whole, &of(sharing, &components, blank(), n_rows, &few));
                    }
                }
            });
        }
    }

    #[test]
    fn a_mixture_scores_rows_in_blocks_to_the_same_bit() {
        let components = Components::new(vec![3, 2]).unwrap();
        with_chunk(|chunk| {
            let few = [chunk.columns[0], chunk.columns[1], chunk.columns[3]];
            let few = Chunk { columns: &few, ..*chunk };
            let blank =
                |n: usize| NaiveBayesStatistic::empty(&[Treatment::Categorical, Treatment::Moments, Treatment::Absent], 2, &[3, 0, n]);
            let mut observed = blank(2);
            observed.observe(few).unwrap();
            let drawn = of(Sharing::Evenly { seed: 7 }, &components, blank(5), 1000, &few);
            let parts = [drawn.labelled.as_ref().unwrap(), &drawn.expected];
            let mixture = Mixture::new(&components, &schema(), &observed, parts, 1.0, &NaiveBayesPrior::default()).unwrap();
            let (mut whole, mut blocks) = (Vec::new(), Vec::new());
            mixture.ln_joint(&few, &mut whole).unwrap();
            assert!(whole.len() == 2 * few.n_rows && whole.iter().all(|ln| ln.is_finite()));
            for n_rows in [1, 7, 60] {
                mixture.ln_joint_in_blocks(&few, n_rows, &mut blocks).unwrap();
                assert_eq!(whole, blocks);
            }
        });
    }

    #[test]
    fn columns_of_another_length_are_refused() {
        with_chunk(|chunk| {
            let components = Components::new(vec![1, 1]).unwrap();
            let mut found = Expectation::new(Sharing::Evenly { seed: 7 }, &components, blank(2));
            let longer = Chunk { n_rows: chunk.n_rows + 1, ..*chunk };
            assert!(found.observe_in_blocks(&longer, 7).is_err());
        });
    }
}
