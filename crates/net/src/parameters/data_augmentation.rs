//! Data augmentation (Tanner & Wong 1987): tables drawn from what is believed of them where values are missing.
//!
//! What is missing is drawn given tables, and tables given rows that are completed so, in turn. That is a Markov chain, and its tables are, once it
//! has forgotten where it began, draws from the posterior given what was seen and no more. Expected counts taken for rows would make one surer
//! than the rows do. A part is drawn as often as it weighs, all its draws together; of a weight that is not whole the rest is one draw that weighs so much.

use super::em::EmFault;
use super::family_counts::FamilyCounts;
use super::incomplete_rows::IncompleteRows;
use super::posterior::{ParameterPosterior, Parameters};
use super::prior::ParameterPrior;
use belief::Rng;
use std::sync::Arc;

/// A chain over the tables of rows with gaps.
pub struct DataAugmentation<'a> {
    /// The counts of whole families.
    pub observed: &'a FamilyCounts,
    /// The parts of rows with gaps, held in memory.
    pub rows: &'a IncompleteRows,
    /// What was believed before; the chain has a posterior to go to where it has pseudo-counts in every cell that is learned.
    pub prior: &'a ParameterPrior,
}

/// Where a chain is.
#[derive(Clone, Debug)]
pub struct Augmented {
    /// The tables.
    pub parameters: Parameters,
    /// The counts that they were drawn given: what was counted, and what was drawn for the gaps.
    pub counts: Vec<f64>,
}

impl DataAugmentation<'_> {
    /// How much a step is, nearly: numbers that are multiplied, counted or drawn. A draw from a Gamma distribution is worth some forty.
    pub fn work(&self) -> f64 {
        self.rows.draw_work() + 40.0 * self.observed.cells().len() as f64
    }

    /// The next place of the chain: gaps given these tables, then tables given the gaps.
    ///
    /// Time as an E-step, and as much again to draw; that grows with the entries of cliques, and not with how much a part weighs.
    ///
    /// # Errors
    /// When a row is impossible under the tables, a part has no place in memory, or the prior does not fit.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use belief::{Chunk, Codes, Column, SufficientStatistic, random};
    /// use tunbridge_net::{Domain, Structure};
    /// use tunbridge_net::parameters::{Families, IncompleteRows, ParameterPosterior, ParameterPrior, Pseudocounts, Wiring};
    /// use tunbridge_net::parameters::data_augmentation::DataAugmentation;
    ///
    /// let domain = Domain::new([("Flu", vec!["yes", "no"]), ("Fever", vec!["yes", "no"])])?;
    /// let mut structure = Structure::new(["Flu", "Fever"])?;
    /// structure.add_arc("Flu", "Fever")?;
    /// let families = Arc::new(Families::of(&structure, &domain)?);
    /// let mut rows = IncompleteRows::empty(Arc::new(Wiring::new(Arc::clone(&families), 1 << 20)), usize::MAX);
    /// let column = |codes| Column::Categorical { codes: Codes::U8(codes), n_states: 2 };
    /// let columns = [column(&[255, 255, 0, 1]), column(&[0, 1, 0, 1])];
    /// rows.observe(Chunk { first_row: 0, n_rows: 4, columns: &columns, weights: None })?;
    /// let prior = ParameterPrior::new(Pseudocounts::PerCell(1.0));
    /// let chain = DataAugmentation { observed: rows.observed(), rows: &rows, prior: &prior };
    /// let mut rng = random(1);
    /// let begin = ParameterPosterior::new(families, &prior, rows.observed().cells())?.parameters();
    /// let drawn = chain.step(&begin, &mut rng)?;
    /// // Every row has a flu now, or none.
    /// assert_eq!(drawn.counts[..2].iter().sum::<f64>(), 4.0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn step(&self, tables: &Parameters, rng: &mut impl Rng) -> Result<Augmented, EmFault> {
        let mut counts = self.observed.cells().to_vec();
        if !self.rows.draw(tables, rng, &mut counts) {
            return Err(EmFault::ImpossiblePart);
        }
        let posterior = ParameterPosterior::new(Arc::clone(self.observed.families()), self.prior, &counts)?;
        Ok(Augmented { parameters: posterior.draw(rng), counts })
    }
}
