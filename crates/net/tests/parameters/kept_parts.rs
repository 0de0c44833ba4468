//! The parts of rows with gaps that a model keeps: the laws of a statistic, and what a file may say of them.

use std::sync::Arc;

use belief::{Recode, Recoding, Rng, StateMap, SufficientStatistic, random_stream};
use proptest::prelude::*;
use tunbridge_net::Network;
use tunbridge_net::parameters::{Families, IncompleteParts, IncompleteRows, Parameters, Wiring};

use crate::rows::{Rows, drawn, some_network, with_chunk};

fn wiring_of(network: &Network) -> Arc<Wiring> {
    Arc::new(Wiring::new(Arc::new(Families::of(network.structure(), network.domain()).unwrap()), 1 << 20))
}

/// Rows in chunks of so many.
fn read(wiring: &Arc<Wiring>, rows: &[Vec<Option<usize>>], chunk: usize, weights: Option<&[f64]>) -> IncompleteRows {
    let mut all = IncompleteRows::empty(Arc::clone(wiring), usize::MAX);
    for (nth, rows) in rows.chunks(chunk).enumerate() {
        let mut part = IncompleteRows::empty(Arc::clone(wiring), usize::MAX);
        let weights = weights.map(|weights| &weights[nth * chunk..][..rows.len()]);
        with_chunk(wiring.families(), rows, (nth * chunk) as u64, weights, |chunk| part.observe(chunk)).unwrap();
        all.merge(&part).unwrap();
    }
    all
}

fn parts_of(wiring: &Arc<Wiring>, rows: &[Vec<Option<usize>>]) -> IncompleteParts {
    IncompleteParts::of(&read(wiring, rows, 40, None), usize::MAX).unwrap()
}

/// The same rows in another order.
fn shuffled(rows: &Rows, seed: u64) -> Rows {
    let mut rng = random_stream(seed, 9);
    let mut rows = rows.clone();
    (1..rows.len()).for_each(|at| rows.swap(at, (rng.next_u64() % (at as u64 + 1)) as usize));
    rows
}

fn bytes(parts: &IncompleteParts) -> Vec<u8> {
    serde_json::to_vec(parts).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn the_same_rows_are_the_same_bytes_in_any_order_cut_anywhere(seed in any::<u64>(), p_missing in 0.05..0.7_f64, chunk in 1..120_usize) {
        let network = some_network(seed, 8);
        let wiring = wiring_of(&network);
        let rows = drawn(&network, 100, seed, p_missing, &[seed as usize % 8]);
        let parts = parts_of(&wiring, &rows);
        prop_assert!(parts.fits(&wiring));
        let other = IncompleteParts::of(&read(&wiring, &shuffled(&rows, seed), chunk, None), usize::MAX).unwrap();
        prop_assert_eq!(bytes(&parts), bytes(&other));
        // Merged in any order.
        let thirds: Vec<IncompleteParts> = rows.chunks(34).map(|rows| parts_of(&wiring, rows)).collect();
        for order in [[0, 1, 2], [2, 1, 0], [1, 2, 0]] {
            let mut merged = IncompleteParts::default();
            order.iter().for_each(|at| merged.merge(&thirds[*at]));
            prop_assert_eq!(bytes(&parts), bytes(&merged));
        }
        // And what each variable lacks is what was counted.
        let lacking: Vec<f64> = (0..8).map(|of| rows.iter().filter(|row| row[of].is_none()).count() as f64).collect();
        prop_assert_eq!(parts.missing(8), lacking);
        prop_assert_eq!(serde_json::from_slice::<IncompleteParts>(&bytes(&parts)).unwrap(), parts);
    }

    #[test]
    fn what_was_added_is_taken_back_and_nothing_else_is(seed in any::<u64>(), p_missing in 0.05..0.7_f64, cut in 0..60_usize) {
        let network = some_network(seed, 7);
        let wiring = wiring_of(&network);
        let rows = drawn(&network, 60, seed, p_missing, &[]);
        let (left, right) = rows.split_at(cut);
        let (mine, theirs) = (parts_of(&wiring, left), parts_of(&wiring, right));
        let mut both = mine.clone();
        both.merge(&theirs);
        both.forget(&theirs).unwrap();
        prop_assert_eq!(&both, &mine);
        both.forget(&mine).unwrap();
        prop_assert!(both.is_empty() && both.bytes() == 0);
        // Rows that were never there are refused, and nothing is changed then.
        let other = parts_of(&wiring, &drawn(&network, 60, seed ^ 1, p_missing, &[]));
        let mut more = mine.clone();
        more.merge(&other);
        let mut kept = mine.clone();
        if !other.is_empty() {
            prop_assert!(kept.forget(&more).is_err());
        }
        prop_assert_eq!(&kept, &mine);
    }

    #[test]
    fn kept_parts_expect_what_the_rows_do(seed in any::<u64>(), p_missing in 0.05..0.7_f64) {
        let network = some_network(seed, 8);
        let wiring = wiring_of(&network);
        let rows = drawn(&network, 80, seed, p_missing, &[]);
        let weights: Vec<f64> = (0..80).map(|row| [0.5, 1.0, 2.25][row % 3]).collect();
        let read = read(&wiring, &rows, 30, Some(&weights));
        let mut parts = IncompleteParts::of(&read, usize::MAX).unwrap();
        let parameters = Parameters::of_network(&network, Arc::clone(wiring.families())).unwrap();
        let expect = |parts: &IncompleteParts| {
            let kept = IncompleteRows::of_parts(Arc::clone(&wiring), read.observed().clone(), read.n_incomplete(), parts).unwrap();
            kept.expected_here(&parameters)
        };
        let (of_rows, of_parts) = (read.expected_here(&parameters), expect(&parts));
        let close = |a: f64, b: f64| (a - b).abs() <= 1e-11 * b.abs().max(1.0);
        prop_assert!(close(of_parts.ln_parts(), of_rows.ln_parts()));
        prop_assert!(of_parts.cells.iter().zip(&of_rows.cells).all(|(a, b)| close(*a, *b)));
        parts.scale(0.25);
        let faded = expect(&parts);
        prop_assert!(faded.cells.iter().zip(&of_rows.cells).all(|(a, b)| close(*a, b / 4.0)));
        parts.scale(1e-320);
        parts.scale(1e-320);
        prop_assert!(parts.is_empty());
    }

    #[test]
    fn states_that_are_renamed_are_those_of_renamed_rows(seed in any::<u64>(), p_missing in 0.05..0.7_f64) {
        let network = some_network(seed, 6);
        let wiring = wiring_of(&network);
        let rows = drawn(&network, 60, seed, p_missing, &[]);
        // Every state moves one on, and one more joins before all.
        let n_states = wiring.families().n_states();
        let map = |n: &usize| Some(StateMap { to: (1..=*n as u32).collect(), n_states: n + 1 });
        let mut parts = parts_of(&wiring, &rows);
        parts.recode(&Recoding { columns: n_states.iter().map(map).collect() }).unwrap();
        let more = wiring.families().with_states(n_states.iter().map(|n| n + 1).collect()).unwrap();
        let after = Arc::new(Wiring::new(Arc::new(more), 1 << 20));
        let moved: Rows = rows.iter().map(|row| row.iter().map(|state| state.map(|state| state + 1)).collect()).collect();
        prop_assert_eq!(&parts, &parts_of(&after, &moved));
        prop_assert!(parts.fits(&after));
        // Maps that are too short are refused, and nothing is changed.
        let before = parts.clone();
        let short = Recoding { columns: vec![Some(StateMap { to: vec![1], n_states: 2 }); 6] };
        if parts.recode(&short).is_err() {
            prop_assert_eq!(&parts, &before);
        }
    }

    #[test]
    fn no_bytes_of_a_file_make_parts_that_do_not_fit(seed in any::<u64>(), changes in proptest::collection::vec((any::<u16>(), any::<u8>()), 1..6)) {
        let network = some_network(seed % 50, 6);
        let wiring = wiring_of(&network);
        let parts = parts_of(&wiring, &drawn(&network, 30, seed, 0.3, &[]));
        let mut packed = rmp_serde::to_vec_named(&parts).unwrap();
        for (place, value) in changes {
            let at = place as usize % packed.len();
            packed[at] = value;
        }
        if let Ok(read) = rmp_serde::from_slice::<IncompleteParts>(&packed)
            && read.fits(&wiring)
        {
            let observed = tunbridge_net::parameters::FamilyCounts::empty(Arc::clone(wiring.families()));
            let kept = IncompleteRows::of_parts(Arc::clone(&wiring), observed, 1.0, &read).unwrap();
            let parameters = Parameters::of_network(&network, Arc::clone(wiring.families())).unwrap();
            prop_assert!(kept.expected_here(&parameters).cells.iter().all(|n| !n.is_nan()));
        }
    }
}

#[test]
fn a_bound_of_bytes_is_kept() {
    let network = some_network(3, 8);
    let wiring = wiring_of(&network);
    let rows = read(&wiring, &drawn(&network, 300, 3, 0.2, &[]), 100, None);
    let n_bytes = IncompleteParts::of(&rows, usize::MAX).unwrap().bytes();
    assert!(IncompleteParts::of(&rows, n_bytes).is_some());
    assert!(IncompleteParts::of(&rows, n_bytes - 1).is_none());
    let mut given_up = IncompleteRows::empty(Arc::clone(&wiring), 10);
    let lost = vec![vec![None; 8]; 3];
    with_chunk(wiring.families(), &lost, 0, None, |chunk| given_up.observe(chunk)).unwrap();
    assert!(!given_up.is_held() && IncompleteParts::of(&given_up, usize::MAX).is_none());
}

/// What a changed byte seldom hits, each with one thing that is wrong.
#[test]
fn parts_that_cannot_be_are_refused() {
    use belief::{PackedCodes, PackedNumbers};
    // A → B → C, B missing between a seen A and a seen C.
    let network = Network::builder()
        .variable("A", ["0", "1"])
        .probabilities([0.5, 0.5])
        .variable("B", ["0", "1"])
        .given(["A"])
        .probabilities([0.5, 0.5, 0.5, 0.5])
        .variable("C", ["0", "1"])
        .given(["B"])
        .probabilities([0.5, 0.5, 0.5, 0.5])
        .build()
        .unwrap();
    let wiring = wiring_of(&network);
    let kind = |missing: &[u32], seen: &[u32], states: &[u32], weights: &[f64]| {
        serde_json::json!({
            "missing": PackedCodes::new(missing.iter().copied()), "seen": PackedCodes::new(seen.iter().copied()),
            "states": PackedCodes::new(states.iter().copied()), "weights": PackedNumbers::new(weights)
        })
    };
    let read = |kinds: Vec<serde_json::Value>| serde_json::from_value::<IncompleteParts>(serde_json::json!({"kinds": kinds}));
    let good = read(vec![kind(&[1], &[0, 2], &[0, 1, 1, 1], &[2.0, 1.0]), kind(&[2], &[1], &[0], &[0.5])]).unwrap();
    assert!(good.fits(&wiring));
    assert_eq!(good.missing(3), [0.0, 3.0, 0.5]);
    let refused = [
        vec![kind(&[1], &[0, 2], &[1, 1, 0, 1], &[2.0, 1.0])],
        vec![kind(&[1], &[0, 2], &[0, 1, 0, 1], &[2.0, 1.0])],
        vec![kind(&[1], &[0, 2], &[0, 1], &[-1.0])],
        vec![kind(&[1], &[0, 2], &[0, 1], &[0.0])],
        vec![kind(&[1], &[0, 2], &[0, 1], &[f64::INFINITY])],
        vec![kind(&[1], &[0, 2], &[0, 1], &[f64::NAN])],
        vec![kind(&[1], &[0, 2], &[0, 1, 1], &[1.0, 1.0])],
        vec![kind(&[1], &[0, 2], &[], &[])],
        vec![kind(&[], &[0, 2], &[0, 1], &[1.0])],
        vec![kind(&[1, 1], &[0, 2], &[0, 1], &[1.0])],
        vec![kind(&[2], &[1], &[0], &[1.0]), kind(&[1], &[0, 2], &[0, 1], &[1.0])],
        vec![kind(&[2], &[1], &[0], &[1.0]), kind(&[2], &[1], &[1], &[1.0])],
        vec![kind(&[0, 1, 2], &[], &[], &[1.0, 1.0])],
    ];
    for (nth, kinds) in refused.into_iter().enumerate() {
        assert!(read(kinds).is_err(), "{nth}");
    }
    let of_others = [
        // A state that is none, a variable that is none, too few and too many around it, and two that do not hang together.
        kind(&[1], &[0, 2], &[0, 2], &[1.0]),
        kind(&[7], &[0, 2], &[0, 1], &[1.0]),
        kind(&[u32::MAX], &[], &[], &[1.0]),
        kind(&[1], &[0], &[0], &[1.0]),
        kind(&[2], &[0, 1], &[0, 1], &[1.0]),
        kind(&[0, 2], &[1], &[0], &[1.0]),
    ];
    for (nth, kind) in of_others.into_iter().enumerate() {
        let parts = read(vec![kind]).unwrap();
        assert!(!parts.fits(&wiring), "{nth}");
        let observed = tunbridge_net::parameters::FamilyCounts::empty(Arc::clone(wiring.families()));
        assert!(IncompleteRows::of_parts(Arc::clone(&wiring), observed, 1.0, &parts).is_err());
    }
}
