//! Times a Chow–Liu tree of a table in memory: `time_chow_liu VARIABLES ROWS STATES [CLASSES]`. One core, seeded.
//!
//! Every variable goes by an earlier one most of the time, so that there is a tree to find. With classes it is a tree-augmented classifier. Prints
//! one JSON object: seconds for counting, information and tree, and for a plain loop of the same number of and-popcounts over two rows of
//! bits that never leave the cache, which is what popcount allows.

use belief::{Chunk, Codes, Column, Kind, Role, Schema, States, SufficientStatistic, Variable, split_mix};
use std::hint::black_box;
use std::time::Instant;
use tunbridge_net::{ArcPenalty, PairCounts, VarId, chow_liu, tree_augmented};

const CHUNK: usize = 1 << 16;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let numbers: Vec<usize> = std::env::args().skip(1).map(|text| text.parse()).collect::<Result<_, _>>()?;
    let (&[n_variables, n_rows, n_states], n_classes) =
        (numbers.first_chunk().ok_or("give VARIABLES ROWS STATES")?, numbers.get(3).copied());
    let codes = table(n_variables, n_rows, n_states, n_classes);
    let n_columns = codes.len();
    let states_of = |column: usize| if column == n_variables { n_classes.unwrap_or(0) } else { n_states };
    let names =
        |n: usize| Kind::Categorical(States::declared((0..n).map(|state| state.to_string()).collect(), false).expect("different names"));
    let variable = |place: usize| Variable { name: format!("X{place}"), kind: names(states_of(place)), role: Role::Input };
    let schema = Schema::new((0..n_columns).map(variable).collect())?;
    let places: Vec<VarId> = (0..n_variables).map(VarId::new).collect();
    let target = n_classes.map(|_| VarId::new(n_variables));

    let begun = Instant::now();
    let mut counts = PairCounts::empty(&places, target, &(0..n_columns).map(states_of).collect::<Vec<_>>());
    for first_row in (0..n_rows).step_by(CHUNK) {
        let rows = first_row..n_rows.min(first_row + CHUNK);
        let column = |column: usize| Column::Categorical { codes: Codes::U8(&codes[column][rows.clone()]), n_states: states_of(column) };
        let columns: Vec<Column<'_>> = (0..n_columns).map(column).collect();
        counts.observe(Chunk { first_row: first_row as u64, n_rows: rows.len(), columns: &columns, weights: None })?;
    }
    let counts = counts.settled().into_owned();
    let count = begun.elapsed().as_secs_f64();
    let begun = Instant::now();
    let tree = match n_classes {
        None => chow_liu(&counts, &schema, ArcPenalty::None, None)?,
        Some(_) => tree_augmented(&counts, &schema, ArcPenalty::None, None)?,
    };
    let tree_seconds = begun.elapsed().as_secs_f64();
    let information: f64 = tree.arcs.iter().map(|arc| arc.information).sum();

    // Of two states one is enough, and in general all but one of each.
    let products = n_variables * (n_variables - 1) / 2 * (n_states - 1) * (n_states - 1);
    let n_words = products as u64 * n_rows.div_ceil(64) as u64;
    let (left, right) = (vec![0x5555_5555_5555_5555_u64; 256], vec![0x3333_3333_3333_3333_u64; 256]);
    let begun = Instant::now();
    let ones = plain(&left, &right, n_words / 256);
    let plain_seconds = begun.elapsed().as_secs_f64();
    black_box(ones);
    println!(
        "{}",
        serde_json::json!({
            "variables": n_variables, "rows": n_rows, "states": n_states, "classes": n_classes, "count": count, "tree": tree_seconds,
            "total": count + tree_seconds, "and_popcounts": n_words, "plain_loop": plain_seconds, "ratio": (count + tree_seconds) / plain_seconds,
            "information": information,
        })
    );
    Ok(())
}

fn table(n_variables: usize, n_rows: usize, n_states: usize, n_classes: Option<usize>) -> Vec<Vec<u8>> {
    let mut seed = 7_u64;
    let mut next = move || {
        seed = seed.wrapping_add(1);
        split_mix(seed)
    };
    let mut codes: Vec<Vec<u8>> = Vec::with_capacity(n_variables);
    for place in 0..n_variables {
        let earlier = if place == 0 { 0 } else { next() as usize % place };
        let mut value = |copied: Option<&u8>| {
            let draw = next();
            let own = ((draw >> 8) % n_states as u64) as u8;
            copied.copied().filter(|_| draw % 4 != 0).unwrap_or(own)
        };
        let column = match codes.get(earlier) {
            Some(before) => before.iter().map(|copied| value(Some(copied))).collect(),
            None => (0..n_rows).map(|_| value(None)).collect(),
        };
        codes.push(column);
    }
    codes.extend(n_classes.map(|n| (0..n_rows).map(|_| (next() % n as u64) as u8).collect()));
    codes
}

#[cfg(target_arch = "x86_64")]
pulp::simd_type! { struct CountsVectors { avx512f: "avx512f", avx512vl: "avx512vl", avx512vpopcntdq: "avx512vpopcntdq" } }

fn plain(left: &[u64], right: &[u64], times: u64) -> u64 {
    #[cfg(target_arch = "x86_64")]
    if let Some(machine) = CountsVectors::try_new() {
        return machine.vectorize(
            #[inline(always)]
            || in_common(left, right, times),
        );
    }
    struct Plain<'a>(&'a [u64], &'a [u64], u64);
    impl pulp::WithSimd for Plain<'_> {
        type Output = u64;
        #[inline(always)]
        fn with_simd<V: pulp::Simd>(self, _: V) -> u64 {
            in_common(self.0, self.1, self.2)
        }
    }
    pulp::Arch::new().dispatch(Plain(left, right, times))
}

#[inline(always)]
fn in_common(left: &[u64], right: &[u64], times: u64) -> u64 {
    (0..times)
        .map(|_| {
            let (left, right) = (black_box(left), black_box(right));
            left.iter().zip(right).map(|(a, b)| u64::from((a & b).count_ones())).sum::<u64>()
        })
        .sum()
}
