//! How much is missing where: the statistic of gaps in rows.

use belief::{Chunk, Code, Column, Forget, NeverObserved, Recode, Recoding, ShapeMismatch, SufficientStatistic, count_without, for_codes};
use serde::{Deserialize, Serialize};

/// The weight of rows in which each variable is missing, and of rows that have every variable. Columns behind those of the variables are
/// none of the network's; a variable without a column is missing in every row.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Gaps {
    missing: Vec<f64>,
    n_complete: f64,
}

impl Gaps {
    /// Nothing seen of so many variables.
    pub fn empty(n_variables: usize) -> Self {
        Self { missing: vec![0.0; n_variables], n_complete: 0.0 }
    }

    /// The weight of rows in which each variable is missing.
    pub fn missing(&self) -> &[f64] {
        &self.missing
    }

    /// The weight of rows that have every variable.
    pub fn n_complete(&self) -> f64 {
        self.n_complete
    }

    /// Whether no row has a gap.
    pub fn are_none(&self) -> bool {
        self.missing.iter().all(|n| *n == 0.0)
    }

    /// Whether the numbers can be: of so many variables and rows of this weight.
    pub fn is_valid(&self, n_variables: usize, n_rows: f64) -> bool {
        // Sums of fractional weights are rounded, each in its own order.
        let most = n_rows * (1.0 + 1e-9) + 1e-9;
        self.missing.len() == n_variables && self.missing.iter().chain([&self.n_complete]).all(|n| (0.0..=most).contains(n))
    }

    /// Everything so many times as large: what is old counts less.
    pub fn scale(&mut self, by: f64) {
        self.missing.iter_mut().for_each(|n| *n *= by);
        self.n_complete *= by;
    }
}

/// Marks the rows that have no value, and tells their weight.
fn mark<C: Code>(codes: &[C], n_states: usize, weights: Option<&[f64]>, has_gap: &mut [bool]) -> f64 {
    // Most columns have no gaps, and looking for one is quick.
    if !C::any_missing(codes, n_states) {
        return 0.0;
    }
    let bound = C::bound(n_states);
    let is_missing = |code: &C| *code >= bound;
    has_gap.iter_mut().zip(codes).for_each(|(gap, code)| *gap |= is_missing(code));
    match weights {
        None => codes.iter().filter(|code| is_missing(code)).count() as f64,
        Some(weights) => codes.iter().zip(weights).filter(|(code, _)| is_missing(code)).map(|(_, weight)| weight).sum(),
    }
}

impl SufficientStatistic for Gaps {
    type Columns<'a> = Chunk<'a>;

    fn observe(&mut self, chunk: Chunk<'_>) -> Result<(), ShapeMismatch> {
        ShapeMismatch::check("columns", self.missing.len(), chunk.columns.len().min(self.missing.len()))?;
        let all: f64 = chunk.weights.map_or(chunk.n_rows as f64, |weights| weights.iter().sum());
        let mut has_gap = vec![false; chunk.n_rows];
        let mut lacks_one = false;
        for (missing, column) in self.missing.iter_mut().zip(chunk.columns) {
            match column {
                Column::Categorical { codes, n_states } => {
                    *missing += for_codes!(*codes, codes => mark(codes, *n_states, chunk.weights, &mut has_gap));
                }
                _ => {
                    *missing += all;
                    lacks_one = true;
                }
            }
        }
        if !lacks_one {
            let whole = has_gap.iter().enumerate().filter(|(_, gap)| !**gap);
            self.n_complete += match chunk.weights {
                None => whole.count() as f64,
                Some(weights) => whole.map(|(row, _)| weights[row]).sum(),
            };
        }
        Ok(())
    }

    fn merge(&mut self, other: &Self) -> Result<(), ShapeMismatch> {
        ShapeMismatch::check("variables", self.missing.len(), other.missing.len())?;
        self.missing.iter_mut().zip(&other.missing).for_each(|(mine, theirs)| *mine += theirs);
        self.n_complete += other.n_complete;
        Ok(())
    }
}

impl Forget for Gaps {
    fn forget(&mut self, other: &Self) -> Result<(), NeverObserved> {
        ShapeMismatch::check("variables", self.missing.len(), other.missing.len())?;
        let missing = self.missing.iter().zip(&other.missing).map(|(mine, theirs)| count_without(*mine, *theirs));
        let missing = missing.collect::<Result<_, _>>()?;
        self.n_complete = count_without(self.n_complete, other.n_complete)?;
        self.missing = missing;
        Ok(())
    }
}

/// Gaps are the same whatever states are called.
impl Recode for Gaps {
    fn recode(&mut self, _: &Recoding) -> Result<(), ShapeMismatch> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use belief::Codes;

    #[test]
    fn gaps_are_counted_by_variable_and_row() {
        let column = |codes: &'static [u8]| Column::Categorical { codes: Codes::U8(codes), n_states: 2 };
        let columns = [column(&[0, 255, 1, 0]), column(&[1, 255, 255, 0])];
        let chunk = Chunk { first_row: 0, n_rows: 4, columns: &columns, weights: None };
        let mut gaps = Gaps::empty(2);
        gaps.observe(chunk).unwrap();
        assert_eq!((gaps.missing(), gaps.n_complete()), (&[1.0, 2.0][..], 2.0));
        let mut weighed = Gaps::empty(2);
        weighed.observe(Chunk { weights: Some(&[2.0, 3.0, 0.5, 1.0]), ..chunk }).unwrap();
        assert_eq!((weighed.missing(), weighed.n_complete()), (&[3.0, 3.5][..], 3.0));
        gaps.merge(&weighed).unwrap();
        gaps.forget(&weighed).unwrap();
        assert_eq!((gaps.missing(), gaps.n_complete(), gaps.are_none()), (&[1.0, 2.0][..], 2.0, false));
        // Nothing is taken out where something was never seen.
        let before = gaps.clone();
        assert!(gaps.forget(&weighed).is_err());
        assert_eq!(gaps, before);
        let mut hidden = Gaps::empty(2);
        hidden.observe(Chunk { columns: &[columns[0], Column::Absent], ..chunk }).unwrap();
        assert_eq!((hidden.missing(), hidden.n_complete()), (&[1.0, 4.0][..], 0.0));
        assert!(hidden.is_valid(2, 4.0) && !hidden.is_valid(2, 3.0) && !hidden.is_valid(3, 4.0));
    }
}
