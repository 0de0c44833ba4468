//! Counts by bits and by rows against counts by hand, and the laws of the algebra.

use super::*;
use proptest::prelude::*;

/// A table of codes, its last column the class if there is one.
#[derive(Clone, Debug)]
struct Table {
    n_states: Vec<usize>,
    rows: Vec<Vec<u8>>,
    weights: Option<Vec<f64>>,
}

impl Table {
    fn counted(&self, target: Option<usize>) -> PairCounts {
        self.counted_from(target, 0..self.rows.len(), usize::MAX)
    }

    /// The counts of some rows, in chunks of at most so many.
    fn counted_from(&self, target: Option<usize>, rows: std::ops::Range<usize>, chunk: usize) -> PairCounts {
        let mut counts = self.blank(target);
        let mut start = rows.start;
        while start < rows.end {
            let end = rows.end.min(start.saturating_add(chunk));
            let columns: Vec<Vec<u8>> =
                (0..self.n_states.len()).map(|c| self.rows[start..end].iter().map(|row| row[c]).collect()).collect();
            let wide: Vec<Vec<u32>> =
                columns.iter().map(|codes| codes.iter().map(|c| if *c == 255 { u32::MAX } else { u32::from(*c) }).collect()).collect();
            // Every second column in a wider code.
            let columns: Vec<Column<'_>> = (0..columns.len())
                .map(|c| Column::Categorical {
                    codes: if c % 2 == 0 { Codes::U8(&columns[c]) } else { Codes::U32(&wide[c]) },
                    n_states: self.n_states[c],
                })
                .collect();
            let weights = self.weights.as_ref().map(|weights| &weights[start..end]);
            counts.observe(Chunk { first_row: start as u64, n_rows: end - start, columns: &columns, weights }).unwrap();
            start = end;
        }
        counts
    }

    fn blank(&self, target: Option<usize>) -> PairCounts {
        let variables: Vec<VarId> = (0..self.n_states.len()).map(VarId::new).collect();
        PairCounts::empty(&variables, target.map(VarId::new), &self.n_states)
    }

    /// A pair's table by hand.
    fn by_hand(&self, first: usize, second: usize, class: Option<(usize, usize)>) -> Vec<f64> {
        let mut table = vec![0.0; self.n_states[first] * self.n_states[second]];
        for (at, row) in self.rows.iter().enumerate() {
            if class.is_none_or(|(target, class)| usize::from(row[target]) == class) && row[first] != 255 && row[second] != 255 {
                table[usize::from(row[first]) * self.n_states[second] + usize::from(row[second])] +=
                    self.weights.as_ref().map_or(1.0, |w| w[at]);
            }
        }
        table
    }

    fn check(&self, target: Option<usize>) {
        let counts = self.counted(target).settled().into_owned();
        for class in 0..counts.n_classes() {
            let of_class = target.map(|target| (target, class));
            for first in 0..counts.n_variables() {
                let place = |variable: usize| counts.variables()[variable].index();
                // The rows in which a variable is not missing are those it has in common with itself.
                let itself = self.by_hand(place(first), place(first), of_class);
                let n = counts.n_states()[first];
                let diagonal: Vec<f64> = (0..n).map(|state| itself[state * n + state]).collect();
                assert_eq!(counts.single(first, class), diagonal);
                for second in (0..counts.n_variables()).filter(|second| *second != first) {
                    assert_eq!(
                        counts.pair(first, second, class),
                        self.by_hand(place(first), place(second), of_class),
                        "{first} and {second}"
                    );
                }
            }
            let rows = self.rows.iter().enumerate().filter(|(_, row)| of_class.is_none_or(|(t, c)| usize::from(row[t]) == c));
            assert_eq!(counts.classes()[class], rows.map(|(at, _)| self.weights.as_ref().map_or(1.0, |w| w[at])).sum::<f64>());
        }
    }
}

/// Tables of 1 to 5 variables, some of their values missing; rows are drawn from a seed, for hundreds of them would shrink for ever.
fn tables() -> impl Strategy<Value = Table> {
    let n_states = proptest::collection::vec(prop_oneof![4 => 1..4_usize, 2 => 4..20_usize, 1 => 60..80_usize], 1..6);
    (n_states, 0..1200_usize, any::<u64>(), 0..3_u8, 0..4_u8).prop_map(|(n_states, n_rows, seed, gaps, weighing)| {
        let mut state = seed;
        let mut next = || {
            state = state.wrapping_add(1);
            belief::split_mix(state)
        };
        let mut code = |column: usize, n: usize| match (gaps, next() % 10) {
            (1, 0) => 255,
            (2, 0..3) if column.is_multiple_of(2) => 255,
            _ => (next() % n as u64) as u8,
        };
        let rows: Vec<Vec<u8>> = (0..n_rows).map(|_| n_states.iter().enumerate().map(|(c, n)| code(c, *n)).collect()).collect();
        let weights = match weighing {
            0 | 1 => None,
            2 => Some((0..n_rows).map(|row| (row * 7 % 5) as f64).collect()),
            _ => Some((0..n_rows).map(|row| (row % 4) as f64 * 0.25).collect()),
        };
        Table { n_states, rows, weights }
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn counts_are_those_by_hand(table in tables()) {
        table.check(None);
        table.check(Some(table.n_states.len() - 1));
    }

    #[test]
    fn cutting_the_rows_anywhere_changes_nothing(table in tables(), cut in 0..1200_usize, chunk in 1..700_usize, of_class in any::<bool>()) {
        let target = of_class.then_some(0);
        let (whole, cut) = (table.counted(target), cut.min(table.rows.len()));
        let (left, right) = (table.counted_from(target, 0..cut, chunk), table.counted_from(target, cut..table.rows.len(), 2 * chunk));
        let mut merged = left.clone();
        merged.merge(&right).unwrap();
        prop_assert_eq!(&merged, &whole);
        merged.forget(&right).unwrap();
        prop_assert_eq!(&merged, &left);
        let mut other = right.clone();
        other.merge(&left).unwrap();
        prop_assert_eq!(&other, &whole);
        other.merge(&table.blank(target)).unwrap();
        prop_assert_eq!(&other, &whole);
    }

    #[test]
    fn renaming_goes_before_or_after_counting(table in tables(), settle in any::<bool>(), of_class in any::<bool>()) {
        let target = of_class.then_some(0);
        let maps: Vec<StateMap> =
            table.n_states.iter().map(|n| StateMap { to: (0..*n as u32).rev().map(|state| state + 1).collect(), n_states: n + 1 }).collect();
        let mut renamed = table.clone();
        renamed.n_states = maps.iter().map(|map| map.n_states).collect();
        for row in &mut renamed.rows {
            row.iter_mut().zip(&maps).filter(|(code, _)| **code != 255).for_each(|(code, map)| *code = map.to[usize::from(*code)] as u8);
        }
        let mut counts = table.counted(target);
        if settle {
            counts = counts.settled().into_owned();
        }
        counts.recode(&Recoding { columns: maps.into_iter().map(Some).collect() }).unwrap();
        prop_assert_eq!(counts, renamed.counted(target));
    }
}

/// More rows than a block, with and without gaps, so that some are counted at once and others wait.
#[test]
fn many_rows_are_counted_block_by_block() {
    let mut state = 3_u64;
    let mut next = |n: u64| {
        state += 1;
        (belief::split_mix(state) % n) as u8
    };
    let rows = (0..40_000).map(|row| vec![next(2), next(2), next(3), if row % 97 == 0 { 255 } else { next(5) }, next(17)]).collect();
    let table = Table { n_states: vec![2, 2, 3, 5, 17], rows, weights: None };
    table.check(None);
    table.check(Some(2));
    assert_eq!(table.counted_from(None, 0..40_000, 1000), table.counted(None));
}

#[test]
fn a_statistic_goes_round_a_file_and_a_wrong_one_is_refused() {
    let table = Table { n_states: vec![2, 3, 2], rows: vec![vec![0, 2, 1], vec![1, 255, 0], vec![1, 1, 255]], weights: None };
    let counts = table.counted(Some(2));
    assert_eq!(counts.n_rows_without_class(), 1.0);
    let text = serde_json::to_string(&counts).unwrap();
    assert_eq!(serde_json::from_str::<PairCounts>(&text).unwrap(), counts);
    for (from, to) in [
        ("\"classes\":[1.0,1.0]", "\"classes\":[1.0]"),
        ("\"n_states\":[2,3]", "\"n_states\":[2,4]"),
        ("1.0", "-1.0"),
        ("\"target\":2", "\"target\":1"),
    ] {
        let wrong = text.replacen(from, to, 1);
        assert_ne!(wrong, text);
        assert!(serde_json::from_str::<PairCounts>(&wrong).is_err(), "{wrong}");
    }
}

#[test]
fn what_does_not_fit_is_refused_and_changes_nothing() {
    let table = Table { n_states: vec![2, 2], rows: vec![vec![0, 0]], weights: None };
    let mut counts = table.counted(None);
    let before = counts.clone();
    let wide = [Column::Categorical { codes: Codes::U8(&[2]), n_states: 3 }, Column::Categorical { codes: Codes::U8(&[0]), n_states: 2 }];
    assert!(counts.observe(Chunk { first_row: 0, n_rows: 1, columns: &wide, weights: None }).is_err());
    let number = [Column::Numeric(&[1.0]), Column::Absent];
    assert!(counts.observe(Chunk { first_row: 0, n_rows: 1, columns: &number, weights: None }).is_err());
    assert!(counts.merge(&table.counted(Some(1))).is_err());
    let other = Table { rows: vec![vec![1, 1]], ..table.clone() };
    assert!(counts.forget(&other.counted(None)).is_err());
    assert!(counts.recode(&Recoding { columns: vec![Some(StateMap { to: vec![0, 5], n_states: 2 }), None] }).is_err());
    assert_eq!(counts, before);
}

#[test]
fn too_many_pairs_of_states_are_refused_with_their_number() {
    let variables: Vec<VarId> = (0..3).map(VarId::new).collect();
    let n_states = [20_000, 20_000, 2];
    let mut counts = PairCounts::empty(&variables, None, &n_states);
    let columns = n_states.map(|n| Column::Categorical { codes: Codes::U32(&[0]), n_states: n });
    let refused = counts.observe(Chunk { first_row: 0, n_rows: 1, columns: &columns, weights: None }).unwrap_err();
    assert_eq!((refused.expected, refused.found), (MAX_PAIR_CELLS, 400_120_002));
}
