//! The minimum description length of a network: the bits that describe its graph and tables, and those of the rows given them.
//!
//! Friedman & Goldszmidt 1996, *Learning Bayesian networks with local structure*, section 2.2 (after Lam & Bacchus 1994 and Rissanen): of each variable how
//! many parents it has, log₂ n, and which, log₂ C(n − 1, k); ½ log₂ N for each free parameter, as many digits as N rows can tell; and the rows in a code
//! that is best for their frequencies, −log₂ P(rows | maximum likelihood). The tables and the rows together are −BIC in bits.

use std::f64::consts::LOG2_E;

use belief::hypotheses::TwoPartCode;

use super::FamilyCounts;

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
    let n = families.len();
    let log2_n = |n: usize| (n.max(1) as f64).log2();
    let digits = 0.5 * counts.n_rows().max(1.0).log2();
    let (mut hypothesis, mut data) = (0.0, 0.0);
    for of in 0..n {
        let (n_states, n_parents) = (families.n_states()[of], families.parents(of).len());
        hypothesis += log2_n(n) + log2_choose(n.saturating_sub(1), n_parents);
        hypothesis += digits * (families.n_rows(of) * n_states.saturating_sub(1)) as f64;
        for row in counts.cells()[families.cells(of)].chunks_exact(n_states.max(1)) {
            let all: f64 = row.iter().sum();
            data -= row.iter().filter(|count| **count > 0.0).map(|count| count * (count / all).ln() * LOG2_E).sum::<f64>();
        }
    }
    TwoPartCode { hypothesis, data: data.max(0.0) }
}

/// log₂ of how many ways there are to choose k of n.
fn log2_choose(n: usize, k: usize) -> f64 {
    (0..k.min(n)).map(|i| ((n - i) as f64 / (i + 1) as f64).log2()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ways_to_choose() {
        assert_eq!(log2_choose(4, 0), 0.0);
        assert!((log2_choose(5, 2) - 10_f64.log2()).abs() < 1e-12);
        assert!((log2_choose(60, 30) - 118_264_581_564_861_424_f64.log2()).abs() < 1e-9);
    }
}
