//! Mutual information of pairs of variables, from counts, in nats.
//!
//! I(X; Y) = Σ p(x, y) ln p(x, y)/(p(x) p(y)), and given a class the mean of that over the classes. It is estimated by the frequencies in the
//! rows in which neither of the two is missing (available cases).
//!
//! Terms of that sum cancel where two variables are nearly independent. It is the same as Σ e φ((n − e)/e) / N, where n is a count, e the
//! count that independence would have, and φ(u) = (1 + u) ln(1 + u) − u; no term of it is negative, and so no digit is lost and no
//! information is below zero.

use belief::CompensatedSum;

use crate::pair_counts::PairCounts;

/// One number for every pair of variables, in either order.
#[derive(Clone, Debug, PartialEq)]
pub struct PairMatrix {
    n_variables: usize,
    /// Pairs i < j by i, then by j.
    values: Vec<f64>,
}

impl PairMatrix {
    /// The matrix of what `of` says of each pair; it is asked for the earlier variable first.
    pub fn from_fn(n_variables: usize, mut of: impl FnMut(usize, usize) -> f64) -> Self {
        let mut values = Vec::with_capacity(n_variables * n_variables.saturating_sub(1) / 2);
        for earlier in 0..n_variables {
            values.extend((earlier + 1..n_variables).map(|later| of(earlier, later)));
        }
        Self { n_variables, values }
    }

    /// How many variables there are.
    pub fn n_variables(&self) -> usize {
        self.n_variables
    }

    /// The number of a pair.
    ///
    /// # Panics
    /// When there is no such variable, or the two are the same.
    pub fn get(&self, first: usize, second: usize) -> f64 {
        let (earlier, later) = (first.min(second), first.max(second));
        assert!(earlier < later && later < self.n_variables, "a pair of two variables that are there");
        self.values[earlier * (2 * self.n_variables - earlier - 1) / 2 + later - earlier - 1]
    }
}

/// I(X; Y) of every pair, classes taken together.
///
/// # Example
/// ```
/// use belief::{Chunk, Codes, Column, SufficientStatistic};
/// use tunbridge_net::{PairCounts, VarId, mutual_information};
///
/// // A fair coin, and a second that shows the same: one bit.
/// let column = Column::Categorical { codes: Codes::U8(&[0, 1]), n_states: 2 };
/// let mut counts = PairCounts::empty(&[VarId::new(0), VarId::new(1)], None, &[2, 2]);
/// counts.observe(Chunk { first_row: 0, n_rows: 2, columns: &[column; 2], weights: None })?;
/// assert!((mutual_information(&counts).get(0, 1) - 2_f64.ln()).abs() < 1e-15);
/// # Ok::<(), belief::ShapeMismatch>(())
/// ```
pub fn mutual_information(counts: &PairCounts) -> PairMatrix {
    let counts = counts.settled();
    if counts.n_classes() == 1 {
        return conditional_mutual_information(&counts);
    }
    let (mut of_table, mut all) = (Dependence::default(), Vec::new());
    PairMatrix::from_fn(counts.n_variables(), |earlier, later| {
        all.clear();
        all.resize(counts.n_states()[earlier] * counts.n_states()[later], 0.0);
        for class in 0..counts.n_classes() {
            all.iter_mut().zip(counts.pair_table(earlier, later, class)).for_each(|(a, n)| *a += n);
        }
        let (sum, total) = of_table.of(&all, counts.n_states()[later]);
        mean(sum, total)
    })
}

/// I(X; Y | C) of every pair, where C is the class that the rows were told apart by; I(X; Y) where they were not.
///
/// **Complexity**: a logarithm for each cell.
///
/// # References
/// Friedman, Geiger & Goldszmidt 1997, *Bayesian network classifiers*, section 4.1.
pub fn conditional_mutual_information(counts: &PairCounts) -> PairMatrix {
    let counts = counts.settled();
    let mut of_table = Dependence::default();
    PairMatrix::from_fn(counts.n_variables(), |earlier, later| {
        let (mut sum, mut total) = (0.0, 0.0);
        for class in 0..counts.n_classes() {
            let (of_class, n) = of_table.of(counts.pair_table(earlier, later, class), counts.n_states()[later]);
            sum += of_class;
            total += n;
        }
        mean(sum, total)
    })
}

/// I(X; C) of every variable and the class.
pub fn mutual_information_with_class(counts: &PairCounts) -> Vec<f64> {
    let counts = counts.settled();
    let (mut of_table, mut table) = (Dependence::default(), Vec::new());
    let of_variable = |variable: usize| {
        table.clear();
        (0..counts.n_classes()).for_each(|class| table.extend_from_slice(counts.single_table(variable, class)));
        let (sum, total) = of_table.of(&table, counts.n_states()[variable]);
        mean(sum, total)
    };
    (0..counts.n_variables()).map(of_variable).collect()
}

/// H(X) of every variable, classes taken together.
pub fn entropies(counts: &PairCounts) -> Vec<f64> {
    let counts = counts.settled();
    let of_variable = |variable: usize| {
        let mut states = vec![0.0; counts.n_states()[variable]];
        for class in 0..counts.n_classes() {
            states.iter_mut().zip(counts.single_table(variable, class)).for_each(|(a, n)| *a += n);
        }
        let (total, mut sum) = (states.iter().sum::<f64>(), CompensatedSum::default());
        states.iter().filter(|n| **n > 0.0).for_each(|n| sum.add(-n / total * (n / total).ln()));
        sum.value()
    };
    (0..counts.n_variables()).map(of_variable).collect()
}

/// Rows in which neither of a pair is missing.
pub(crate) fn rows_of_pair(counts: &PairCounts, earlier: usize, later: usize) -> f64 {
    (0..counts.n_classes()).flat_map(|class| counts.pair_table(earlier, later, class)).sum()
}

fn mean(sum: f64, total: f64) -> f64 {
    if total > 0.0 { sum / total } else { 0.0 }
}

/// Sums of a table, kept from table to table.
#[derive(Default)]
struct Dependence {
    of_row: Vec<f64>,
    of_column: Vec<f64>,
}

impl Dependence {
    /// N · I of a table of counts with so many columns, and N.
    fn of(&mut self, table: &[f64], n_columns: usize) -> (f64, f64) {
        if let [a, b, c, d] = table
            && n_columns == 2
        {
            return of_two_by_two([*a, *b, *c, *d]);
        }
        self.of_row.clear();
        self.of_column.clear();
        self.of_column.resize(n_columns, 0.0);
        for row in table.chunks_exact(n_columns.max(1)) {
            self.of_row.push(row.iter().sum());
            self.of_column.iter_mut().zip(row).for_each(|(sum, n)| *sum += n);
        }
        let total: f64 = self.of_row.iter().sum();
        let mut sum = CompensatedSum::default();
        for (row, of_row) in table.chunks_exact(n_columns.max(1)).zip(&self.of_row) {
            for (n, of_column) in row.iter().zip(&self.of_column).filter(|(_, of_column)| *of_row * **of_column > 0.0) {
                sum.add(excess(*n, *of_row, *of_column, total));
            }
        }
        (sum.value(), total)
    }
}

fn of_two_by_two([a, b, c, d]: [f64; 4]) -> (f64, f64) {
    let (rows, columns, total) = ([a + b, c + d], [a + c, b + d], a + b + c + d);
    if rows[0] * rows[1] * columns[0] * columns[1] == 0.0 {
        return (0.0, total);
    }
    let of = |n: f64, row: usize, column: usize| excess(n, rows[row], columns[column], total);
    (of(a, 0, 0) + of(b, 0, 1) + of(c, 1, 0) + of(d, 1, 1), total)
}

/// e φ((n − e)/e), where e = row · column / total.
fn excess(n: f64, of_row: f64, of_column: f64, total: f64) -> f64 {
    let expected = of_row * of_column;
    // Whole counts below 2²⁶ are exact so far; of larger ones, the difference is what is right to rounding.
    let u = n.mul_add(total, -expected) / expected;
    expected / total * phi(u)
}

/// (1 + u) ln(1 + u) − u, which is 1 at u = −1 and never negative.
fn phi(u: f64) -> f64 {
    if u <= -1.0 {
        return 1.0;
    }
    if u.abs() >= 0.0625 {
        return ((1.0 + u) * u.ln_1p() - u).max(0.0);
    }
    // Σ (−u)ᵏ/(k (k − 1)) from k = 2. Twelve terms leave less than 2⁻⁵² of the first.
    const TERMS: [f64; 12] = {
        let mut terms = [0.0; 12];
        let mut k = 0;
        while k < 12 {
            terms[k] = 1.0 / ((k + 2) * (k + 1)) as f64;
            k += 1;
        }
        terms
    };
    u * u * TERMS.iter().rev().fold(0.0, |sum, term| term - u * sum)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn by_definition(table: &[f64], n_columns: usize) -> f64 {
        let total: f64 = table.iter().sum();
        let row = |at: usize| table[at / n_columns * n_columns..][..n_columns].iter().sum::<f64>();
        let column = |at: usize| table.iter().skip(at % n_columns).step_by(n_columns).sum::<f64>();
        let cells = table.iter().enumerate().filter(|(_, n)| **n > 0.0);
        cells.map(|(at, n)| n / total * (n * total / (row(at) * column(at))).ln()).sum()
    }

    proptest! {
        #[test]
        fn it_is_what_the_definition_says(table in proptest::collection::vec(0..50_u8, 12), n_columns in prop_oneof![Just(2_usize), Just(3), Just(4)], small in any::<bool>()) {
            let table: Vec<f64> = table.into_iter().map(f64::from).collect();
            let table = if small { &table[..2 * n_columns] } else { &table[..] };
            prop_assume!(table.iter().sum::<f64>() > 0.0);
            let (sum, total) = Dependence::default().of(table, n_columns);
            prop_assert!((mean(sum, total) - by_definition(table, n_columns)).abs() < 1e-13);
            prop_assert!(sum >= 0.0);
        }

        #[test]
        fn the_series_and_the_formula_agree(u in -0.07..0.07_f64) {
            // The formula is right to a few roundings of u.
            let formula = (1.0 + u) * u.ln_1p() - u;
            prop_assert!((phi(u) - formula).abs() < 5e-17);
        }
    }

    #[test]
    fn independent_variables_say_nothing_of_each_other_and_nearly_independent_ones_little() {
        assert_eq!(Dependence::default().of(&[10.0, 20.0, 30.0, 60.0], 2), (0.0, 120.0));
        assert_eq!(Dependence::default().of(&[1.0, 2.0, 3.0, 2.0, 4.0, 6.0], 3), (0.0, 18.0));
        // One row more: N·I is close to half of χ² = N (ad − bc)²/(product of the margins), which is 1e-9 here.
        let n = 1e9;
        let (sum, _) = of_two_by_two([n + 1.0, n, n, n]);
        let chi_square = (4.0 * n + 1.0) * n * n / ((2.0 * n + 1.0) * (2.0 * n) * (2.0 * n + 1.0) * (2.0 * n));
        assert!((sum / (chi_square / 2.0) - 1.0).abs() < 1e-6, "{sum} {chi_square}");
        assert_eq!(phi(-1.0), 1.0);
        assert_eq!(phi(0.0), 0.0);
    }

    #[test]
    fn a_pair_matrix_has_every_pair_once() {
        let matrix = PairMatrix::from_fn(5, |earlier, later| (10 * earlier + later) as f64);
        for first in 0..5 {
            for second in (0..5).filter(|second| *second != first) {
                assert_eq!(matrix.get(first, second), (10 * first.min(second) + first.max(second)) as f64);
            }
        }
    }
}
