//! Counts of families against the plain loop, and the laws of the algebra.

use std::sync::Arc;

use belief::{Chunk, Codes, Column, Forget, Recode, Recoding, StateMap, SufficientStatistic};
use proptest::prelude::*;
use tunbridge_net::Dag;
use tunbridge_net::VarId;
use tunbridge_net::parameters::{Families, FamilyCounts};

use crate::rows::{Rows, place, with_chunk};

fn families(n_states: [usize; 4]) -> Arc<Families> {
    let ids = |places: &[usize]| places.iter().map(|place| VarId::new(*place)).collect::<Vec<_>>();
    let dag = Dag::from_parents(vec![ids(&[]), ids(&[0]), ids(&[1, 0]), ids(&[2, 0, 1])]).unwrap();
    Arc::new(Families::new(&dag, n_states.to_vec()).unwrap())
}

fn counted(families: &Arc<Families>, rows: &Rows, weights: Option<&[f64]>) -> FamilyCounts {
    let mut counts = FamilyCounts::empty(Arc::clone(families));
    with_chunk(families, rows, 0, weights, |chunk| counts.observe(chunk)).unwrap();
    counts
}

fn by_hand(families: &Families, rows: &Rows, weights: Option<&[f64]>) -> Vec<f64> {
    let mut cells = vec![0.0; families.n_cells()];
    for (row, states) in rows.iter().enumerate() {
        for of in 0..families.len() {
            if families.scope(of).all(|v| states[v].is_some()) {
                let states: Vec<usize> = states.iter().map(|s| s.unwrap_or(0)).collect();
                cells[place(families, of, &states)] += weights.map_or(1.0, |weights| weights[row]);
            }
        }
    }
    cells
}

fn rows() -> impl Strategy<Value = Rows> {
    let state = |n: usize| prop_oneof![4 => (0..n).prop_map(Some), 1 => Just(None)];
    let row = (state(2), state(3), state(2), state(4)).prop_map(|(a, b, c, d)| vec![a, b, c, d]);
    prop::collection::vec(row, 0..60)
}

proptest! {
    #[test]
    fn the_fast_count_is_the_plain_count(rows in rows(), wide in 0..3_usize, whole in prop::collection::vec(0..4_u8, 60)) {
        // Wider tables are counted in one table of slots, and the widest row by row.
        let families = families([2, 3, [2, 30, 90][wide], [4, 40, 90][wide]]);
        prop_assert_eq!(counted(&families, &rows, None).cells().to_vec(), by_hand(&families, &rows, None));
        let weights: Vec<f64> = whole[..rows.len()].iter().map(|w| f64::from(*w)).collect();
        let weighed = counted(&families, &rows, Some(&weights));
        prop_assert_eq!(weighed.cells(), &by_hand(&families, &rows, Some(&weights))[..]);
        prop_assert_eq!(weighed.n_rows(), weights.iter().sum::<f64>());
    }

    #[test]
    fn the_laws_of_the_algebra_hold_exactly(a in rows(), b in rows(), c in rows()) {
        let families = families([2, 3, 2, 4]);
        let [a, b, c] = [a, b, c].map(|rows| counted(&families, &rows, None));
        let merged = |x: &FamilyCounts, y: &FamilyCounts| { let mut sum = x.clone(); sum.merge(y).unwrap(); sum };
        let without = |x: &FamilyCounts, y: &FamilyCounts| { let mut rest = x.clone(); rest.forget(y).ok().map(|()| rest) };
        let empty = FamilyCounts::empty(families);
        prop_assert_eq!(testkit::merging_is_a_commutative_monoid(&empty, [&a, &b, &c], merged, FamilyCounts::eq), Ok(()));
        prop_assert_eq!(testkit::forgetting_undoes_merging([&a, &b], merged, without, FamilyCounts::eq), Ok(()));
    }

    #[test]
    fn renaming_states_is_counting_renamed_rows(rows in rows()) {
        let before = families([2, 3, 2, 4]);
        let maps = [None, Some(vec![2_u32, 0, 3]), None, Some(vec![1, 0, 2, 3])];
        let sizes = [2, 4, 2, 4];
        let after = families(sizes);
        let renamed = |v: usize, state: usize| maps[v].as_ref().map_or(state, |to| to[state] as usize);
        let moved: Rows = rows.iter().map(|row| row.iter().enumerate().map(|(v, s)| s.map(|s| renamed(v, s))).collect()).collect();
        let map = |(v, to): (usize, &Option<Vec<u32>>)| to.clone().map(|to| StateMap { to, n_states: sizes[v] });
        let recoding = Recoding { columns: maps.iter().enumerate().map(map).collect() };
        let mut counts = counted(&before, &rows, None);
        counts.recode(&recoding).unwrap();
        prop_assert_eq!(counts, counted(&after, &moved, None));
    }
}

#[test]
fn shapes_that_do_not_fit_are_refused() {
    let families = families([2, 3, 2, 4]);
    let mut counts = FamilyCounts::empty(Arc::clone(&families));
    let codes = [0_u8, 1];
    let column = Column::Categorical { codes: Codes::U8(&codes), n_states: 2 };
    assert!(counts.observe(Chunk { first_row: 0, n_rows: 2, columns: &[column; 3], weights: None }).is_err());
    assert!(counts.observe(Chunk { first_row: 0, n_rows: 3, columns: &[column; 4], weights: None }).is_err());
    assert!(counts.observe(Chunk { first_row: 0, n_rows: 2, columns: &[column; 4], weights: Some(&[1.0]) }).is_err());
    assert!(counts.merge(&FamilyCounts::empty(super::counting::families([2, 3, 2, 5]))).is_err());
}

#[test]
fn files_that_lie_are_refused() {
    let families = families([2, 3, 2, 4]);
    let counts = FamilyCounts::empty(families);
    let text = serde_json::to_string(&counts).unwrap();
    assert_eq!(serde_json::from_str::<FamilyCounts>(&text).unwrap(), counts);
    for (from, to) in [("[0]", "[3]"), ("[0]", "[7]"), ("[2,3,2,4]", "[2,3,2,0]"), ("[2,3,2,4]", "[2,3,2,999999999]"), ("0.0", "-1.0")] {
        let lie = text.replacen(from, to, 1);
        assert!(lie != text && serde_json::from_str::<FamilyCounts>(&lie).is_err(), "{from} → {to}");
    }
}
