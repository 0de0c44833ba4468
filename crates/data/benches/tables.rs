//! Reading and encoding tables, in cells (rows × columns) per second.
//!
//! `cargo bench -p tunbridge-data`. One thread, files of a fixed seed in a temporary folder that the system keeps in memory.

use std::fmt::Write;
use std::path::PathBuf;

use belief::Observations;
use divan::Bencher;
use divan::counter::ItemsCount;
use tunbridge_data::{ReadOptions, Table};

fn main() {
    divan::main();
}

const ROWS: usize = 200_000;
const COLUMNS: usize = 20;

fn csv(cell: impl Fn(u64, usize) -> String) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("table.csv");
    let mut text = (0..COLUMNS).map(|c| format!("x{c}")).collect::<Vec<_>>().join(",");
    text.push('\n');
    let mut seed = 7_u64;
    for _ in 0..ROWS {
        for column in 0..COLUMNS {
            // Knuth's MMIX generator.
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let end = if column + 1 == COLUMNS { '\n' } else { ',' };
            let _ = write!(text, "{}{end}", cell(seed >> 33, column));
        }
    }
    std::fs::write(&path, text).unwrap();
    (folder, path)
}

fn fold(bencher: Bencher<'_, '_>, path: &PathBuf) {
    let options = ReadOptions { threads: 1, ..ReadOptions::default() };
    let table = Table::open(&[path], options).unwrap();
    bencher.counter(ItemsCount::new(ROWS * COLUMNS)).bench(|| table.fold(|_: &[usize]| ()).unwrap().report.n_rows);
}

#[divan::bench(name = "csv/20-short-states/200k-rows")]
fn short_states(bencher: Bencher<'_, '_>) {
    let (_folder, path) = csv(|draw, column| format!("s{:02}", draw % (2 + 2 * column as u64)));
    fold(bencher, &path);
}

#[divan::bench(name = "csv/20-long-states/200k-rows")]
fn long_states(bencher: Bencher<'_, '_>) {
    let (_folder, path) = csv(|draw, _| format!("a rather long state {}", draw % 40));
    fold(bencher, &path);
}

#[divan::bench(name = "csv/20-quoted-states/200k-rows")]
fn quoted_states(bencher: Bencher<'_, '_>) {
    let (_folder, path) = csv(|draw, _| format!("\"s,{}\"", draw % 40));
    fold(bencher, &path);
}

#[divan::bench(name = "csv/20-numbers/200k-rows")]
fn numbers(bencher: Bencher<'_, '_>) {
    let (_folder, path) = csv(|draw, _| format!("{}", draw as f64 / 1000.0));
    fold(bencher, &path);
}
