//! Candidate elimination, in cells (rows × attributes) per second.
//!
//! `cargo bench -p tunbridge-learn --bench concept`. One core, data in memory, fixed seed.

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use tunbridge_learn::concept::{Attribute, CandidateElimination, Examples, HypothesisSpace, MAX_BOUNDARY, ValueTree, Values, boundaries};

fn main() {
    divan::main();
}

const ATTRIBUTES: usize = 30;
const ROWS: usize = 100_000;

/// Rows of three states an attribute, labelled by a conjunction of so many constraints. A tenth of the rows is made to satisfy it.
fn consistent(n_constraints: usize) -> (HypothesisSpace, Examples) {
    let states: Vec<String> = ["a", "b", "c"].map(String::from).to_vec();
    let attribute = |at: usize| Attribute { name: format!("x{at}"), values: Values::Tree(ValueTree::flat(&states)) };
    let space = HypothesisSpace::new((0..ATTRIBUTES).map(attribute).collect()).expect("thirty attributes");
    let mut seed = 7_u64;
    let mut next = move || {
        // Knuth's MMIX generator; the high bits are good enough for a table.
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as u32
    };
    let mut examples = Examples::new(ATTRIBUTES);
    for row in 0..ROWS {
        let mut instance: Vec<u32> = (0..ATTRIBUTES).map(|_| next() % 3).collect();
        if next() % 10 == 0 || row == 0 {
            instance[..n_constraints].fill(0);
        }
        let positive = instance[..n_constraints].iter().all(|place| *place == 0);
        examples.push(&instance, positive, row as u64 + 1);
    }
    (space, examples)
}

#[divan::bench(args = [2, 5, 10])]
fn all_at_once(bencher: Bencher<'_, '_>, n_constraints: usize) {
    let (space, examples) = consistent(n_constraints);
    bencher.counter(ItemsCount::new(ROWS * ATTRIBUTES)).bench_local(|| black_box(boundaries(&space, &examples, MAX_BOUNDARY)));
}

#[divan::bench(args = [2, 5, 10])]
fn one_by_one(bencher: Bencher<'_, '_>, n_constraints: usize) {
    let (space, examples) = consistent(n_constraints);
    bencher.counter(ItemsCount::new(ROWS * ATTRIBUTES)).bench_local(|| {
        let mut candidates = CandidateElimination::new(&space, MAX_BOUNDARY);
        // The order of the file may begin with negative examples, before S keeps G narrow: the first positive one goes first.
        let first = examples.iter().position(|e| e.positive).unwrap_or(0);
        for at in [first].into_iter().chain(0..examples.len()) {
            let example = examples.get(at);
            candidates.observe(example.instance, example.positive, example.row).expect("consistent examples");
        }
        black_box(candidates.general().len())
    });
}

/// One positive example and many negative ones drawn at random: G passes its bound, and that is found out and said.
#[divan::bench(args = [256, 1024, 4096], sample_count = 5)]
fn until_the_boundary_is_too_large(bencher: Bencher<'_, '_>, max_boundary: usize) {
    let (space, examples) = consistent(ATTRIBUTES);
    bencher.bench_local(|| black_box(boundaries(&space, &examples, max_boundary).is_err()));
}
