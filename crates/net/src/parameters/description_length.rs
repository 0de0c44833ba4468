//! The minimum description length of a network whose tables are learned: that of its graph and tables as in [`crate::description_length`], and the rows in a
//! code that is best for their frequencies, −log₂ P(rows | maximum likelihood). The tables and the rows together are −BIC in bits.

use std::f64::consts::LOG2_E;

use belief::hypotheses::TwoPartCode;

use super::FamilyCounts;
use crate::description_length::{digits, parents_bits};

/// The length of the network that these counts are of, and of the rows given it. Rows with gaps are described by what they have: a family that is not whole
/// costs nothing.
///
/// ```
/// use std::sync::Arc;
/// use belief::hypotheses::DescriptionLength;
/// use belief::{Chunk, Codes, Column, SufficientStatistic};
/// use tunbridge_net::Structure;
/// use tunbridge_net::parameters::{Families, FamilyCounts, description_length};
/// let mut coins = Structure::new(["A", "B"])?;
/// let rows = [Column::Categorical { codes: Codes::U8(&[0, 0, 1, 1]), n_states: 2 }, Column::Categorical { codes: Codes::U8(&[0, 0, 1, 1]), n_states: 2 }];
/// let bits = |structure: &Structure| {
///     let mut counts = FamilyCounts::empty(Arc::new(Families::new(structure.dag(), vec![2, 2])?));
///     counts.observe(Chunk { first_row: 0, n_rows: 4, columns: &rows, weights: None })?;
///     Ok::<_, Box<dyn std::error::Error>>(description_length(&counts))
/// };
/// // Four rows of two fair coins are eight bits, two parameters one bit each, and each coin says in one bit how many parents it has.
/// assert_eq!((bits(&coins)?.data, bits(&coins)?.hypothesis), (8.0, 4.0));
/// // That one coin is the other costs a parameter more and saves four bits.
/// coins.add_arc("A", "B")?;
/// assert_eq!((bits(&coins)?.data, bits(&coins)?.hypothesis), (4.0, 5.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn description_length(counts: &FamilyCounts) -> TwoPartCode {
    let families = counts.families();
    let digits = digits(counts.n_rows());
    let (mut hypothesis, mut data) = (0.0, 0.0);
    for of in 0..families.len() {
        let n_states = families.n_states()[of];
        hypothesis += parents_bits(families.len(), families.parents(of).len());
        hypothesis += digits * (families.n_rows(of) * n_states.saturating_sub(1)) as f64;
        for row in counts.cells()[families.cells(of)].chunks_exact(n_states.max(1)) {
            let all: f64 = row.iter().sum();
            data -= row.iter().filter(|count| **count > 0.0).map(|count| count * (count / all).ln() * LOG2_E).sum::<f64>();
        }
    }
    TwoPartCode { hypothesis, data: data.max(0.0) }
}
