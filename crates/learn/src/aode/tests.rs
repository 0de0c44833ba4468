//! The model against the paper's formula, row by row, and the laws of its statistic.

use super::*;
use crate::LearnError;
use crate::ledger::Contest;
use crate::naive_bayes::{Estimate, MEstimateP};
use belief::{Chunk, Codes, Column, Forget, Kind, Role, Schema, States, SufficientStatistic, VarId, Variable, normalise_ln};
use proptest::prelude::*;

/// Codes of attributes and, last, the class; 255 is missing.
#[derive(Clone, Debug)]
struct Table {
    n_states: Vec<usize>,
    rows: Vec<Vec<u8>>,
}

impl Table {
    fn schema(&self) -> Schema {
        let last = self.n_states.len() - 1;
        let states = |n: usize| Kind::Categorical(States::declared((0..n).map(|s| s.to_string()).collect(), false).unwrap());
        let role = |place: usize| if place == last { Role::Target } else { Role::Input };
        let variable = |(place, n): (usize, &usize)| Variable { name: format!("V{place}"), kind: states(*n), role: role(place) };
        Schema::new(self.n_states.iter().enumerate().map(variable).collect()).unwrap()
    }

    fn lend<R>(&self, see: impl FnOnce(Chunk<'_>) -> R) -> R {
        let columns: Vec<Vec<u8>> = (0..self.n_states.len()).map(|c| self.rows.iter().map(|row| row[c]).collect()).collect();
        let columns: Vec<Column<'_>> =
            columns.iter().zip(&self.n_states).map(|(codes, n)| Column::Categorical { codes: Codes::U8(codes), n_states: *n }).collect();
        see(Chunk { first_row: 0, n_rows: self.rows.len(), columns: &columns, weights: None })
    }

    fn statistic(&self) -> AodeStatistic {
        let last = self.n_states.len() - 1;
        let attributes: Vec<VarId> = (0..last).map(VarId::new).collect();
        let mut statistic = AodeStatistic::empty(&attributes, VarId::new(last), &self.n_states);
        self.lend(|chunk| statistic.observe(chunk)).unwrap();
        statistic
    }

    fn n(&self, wanted: &[(usize, u8)]) -> f64 {
        let last = self.n_states.len() - 1;
        let fits = |row: &&Vec<u8>| row[last] != 255 && wanted.iter().all(|(column, code)| row[*column] == *code);
        self.rows.iter().filter(fits).count() as f64
    }

    /// P(y, x) by the formula, with l imaginary rows in every cell.
    fn by_hand(&self, row: &[u8], class: u8, l: f64, least: f64) -> f64 {
        let last = self.n_states.len() - 1;
        let (k, of) = (self.n_states[last] as f64, |column: usize| self.n_states[column] as f64);
        let known: Vec<usize> = (0..last).filter(|column| row[*column] != 255).collect();
        let seen = |column: usize| (0..self.n_states[column]).map(|state| self.n(&[(column, state as u8)])).sum::<f64>();
        let p = |n: f64, all: f64, cells: f64| if all + l * cells > 0.0 { (n + l) / (all + l * cells) } else { 1.0 / cells };
        let given = |column: usize, above: &[(usize, u8)]| {
            let with = |state: u8| [above, &[(column, state)]].concat();
            let all = (0..self.n_states[column]).map(|state| self.n(&with(state as u8))).sum::<f64>();
            p(self.n(&with(row[column])), all, of(column))
        };
        let parents: Vec<usize> = known.iter().copied().filter(|i| self.n(&[(*i, row[*i])]) >= least).collect();
        if parents.is_empty() {
            let prior = p(self.n(&[(last, class)]), self.n(&[]), k);
            return known.iter().map(|j| given(*j, &[(last, class)])).fold(prior, |product, p| product * p);
        }
        let of_parent = |i: &usize| {
            let above = [(last, class), (*i, row[*i])];
            let start = p(self.n(&above), seen(*i), k * of(*i));
            known.iter().filter(|j| *j != i).map(|j| given(*j, &above)).fold(start, |product, p| product * p)
        };
        parents.iter().map(of_parent).sum::<f64>() / parents.len() as f64
    }
}

fn tables() -> impl Strategy<Value = Table> {
    (proptest::collection::vec(1..4_usize, 0..5), 2..30_usize, any::<u64>()).prop_map(|(mut n_states, n_rows, seed)| {
        n_states.push(2);
        let mut state = seed;
        let mut next = |n: usize| {
            state = state.wrapping_add(1);
            belief::split_mix(state) as usize % n
        };
        let mut rows: Vec<Vec<u8>> =
            (0..n_rows).map(|_| n_states.iter().map(|n| if next(8) == 0 { 255 } else { next(*n) as u8 }).collect()).collect();
        // Two classes have a row.
        let last = n_states.len() - 1;
        (rows[0][last], rows[1][last]) = (0, 1);
        Table { n_states, rows }
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn it_is_what_the_paper_says(table in tables(), l in prop_oneof![Just(0.0), Just(1.0), Just(0.3)], least in prop_oneof![Just(1.0), Just(4.0), Just(1e9)]) {
        let estimate = if l == 0.0 { Estimate::MaximumLikelihood } else { Estimate::Laplace { l } };
        let model = Aode::new(&table.schema(), &table.statistic(), &AodePrior { estimate, least_rows: least }).unwrap();
        let mut found = Vec::new();
        table.lend(|chunk| model.ln_joint(&chunk, &mut found)).unwrap();
        for (row, ln) in table.rows.iter().zip(found.chunks_exact(2)) {
            for class in 0..2 {
                let expected = table.by_hand(row, class, l, least);
                prop_assert!((ln[usize::from(class)].exp() - expected).abs() <= 1e-12 * expected.max(1e-3), "{:?} {} {:?}", row, expected, ln);
            }
        }
    }

    #[test]
    fn cutting_the_rows_anywhere_changes_nothing(table in tables(), cut in 0..30_usize) {
        let cut = cut.min(table.rows.len());
        let part = |rows: &[Vec<u8>]| Table { n_states: table.n_states.clone(), rows: rows.to_vec() }.statistic();
        let (left, right, whole) = (part(&table.rows[..cut]), part(&table.rows[cut..]), table.statistic());
        let mut merged = left.clone();
        merged.merge(&right).unwrap();
        prop_assert_eq!(&merged, &whole);
        merged.forget(&left).unwrap();
        prop_assert_eq!(&merged, &right);
    }

    #[test]
    fn a_ledger_adds_up_to_the_posterior(table in tables()) {
        let model = Aode::new(&table.schema(), &table.statistic(), &AodePrior::default()).unwrap();
        let mut ln = Vec::new();
        table.lend(|chunk| model.ln_joint(&chunk, &mut ln)).unwrap();
        for (row, ln) in ln.chunks_exact_mut(2).enumerate() {
            let ledger = table.lend(|chunk| model.explain(&table.schema(), &chunk, row, Contest::default())).unwrap();
            let sum = ledger.entries.iter().fold(ledger.prior_log_odds, |sum, entry| sum + entry.log_odds);
            prop_assert!((sum - ledger.posterior_log_odds.unwrap()).abs() < 1e-12);
            normalise_ln(ln);
            let class: usize = ledger.class.parse().unwrap();
            prop_assert!((ledger.probability.unwrap() - ln[class].exp()).abs() < 1e-15);
            prop_assert!(ln[class] >= ln[1 - class]);
            prop_assert_eq!(ledger.entries.len() + ledger.left_out.len(), table.n_states.len() - 1);
        }
    }
}

/// A state that nobody declared and no row has says nothing, and neither does a column that is not there.
#[test]
fn what_is_not_known_is_left_out() {
    let table = Table { n_states: vec![3, 2, 2], rows: vec![vec![0, 0, 0], vec![1, 1, 1], vec![0, 1, 0], vec![1, 0, 1]] };
    let mut variables = table.schema().variables().to_vec();
    variables[0].kind = Kind::Categorical(States::default().with_seen(["0", "1", "2"].map(String::from)).unwrap());
    let schema = Schema::new(variables).unwrap();
    let model = Aode::new(&schema, &table.statistic(), &AodePrior::default()).unwrap();
    assert_eq!(model.n_parents(), (4, 4));
    let of = |codes: &[u8]| {
        let column = |code: &'_ u8| {
            if *code == 9 {
                Column::Absent
            } else {
                Column::Categorical {
                    codes: Codes::U8(std::slice::from_ref(match *code {
                        0 => &0,
                        1 => &1,
                        2 => &2,
                        _ => &255,
                    })),
                    n_states: 2,
                }
            }
        };
        let mut columns: Vec<Column<'_>> = codes.iter().map(column).collect();
        if let Column::Categorical { n_states, .. } = &mut columns[0] {
            *n_states = 3;
        }
        let chunk = Chunk { first_row: 0, n_rows: 1, columns: &columns, weights: None };
        let mut out = Vec::new();
        model.ln_joint(&chunk, &mut out).unwrap();
        (out, model.without_evidence(&chunk).unwrap()[0])
    };
    assert_eq!(of(&[2, 1, 9]), of(&[255, 1, 9]));
    assert_eq!(of(&[9, 1, 9]), of(&[255, 1, 9]));
    assert_eq!(of(&[2, 9, 9]), (model.ln_class().to_vec(), true));
}

#[test]
fn what_cannot_be_is_said() {
    let table = Table { n_states: vec![2, 2], rows: vec![vec![0, 0], vec![1, 0]] };
    let (schema, statistic) = (table.schema(), table.statistic());
    let one_class = Aode::new(&schema, &statistic, &AodePrior::default());
    assert_eq!(one_class, Err(LearnError::TooFewClasses { target: "V1".into(), present: vec!["0".into()] }));
    let empirical = Estimate::MEstimate { m: 1.0, p: MEstimateP::Empirical };
    assert_eq!(AodePrior { estimate: empirical, ..AodePrior::default() }.validate(), Err(LearnError::EstimateOfPairs));
    assert!(AodePrior { least_rows: f64::NAN, ..AodePrior::default() }.validate().is_err());
    let wider = Table { n_states: vec![3, 2], rows: vec![] };
    assert!(matches!(statistic.validate(&wider.schema()), Err(LearnError::Unfit { .. })));
}
