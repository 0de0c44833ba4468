//! Random bytes, and valid files with random faults in them: an error or a table, never a panic and never a hang.

use std::sync::LazyLock;

use proptest::collection::vec;
use proptest::prelude::*;
use tunbridge_data::{OnBadRow, ReadOptions, Table, UnknownStates};

use crate::formats::{every_format, rows};
use crate::support::{Folder, counted, decoded};

/// Opens a file in every way and reads it to its end.
fn survive(name: &str, bytes: &[u8]) {
    let folder = Folder::new();
    let path = folder.file(name, bytes);
    for on_bad_row in [OnBadRow::Error, OnBadRow::Skip] {
        let options = ReadOptions { on_bad_row, threads: 1, ..ReadOptions::default() };
        let Ok(table) = Table::open(&[&path], options.clone()) else { continue };
        let Ok(fold) = counted(&table) else { continue };
        let Ok(cells) = decoded(&table) else { panic!("a second pass failed where the first did not") };
        assert_eq!(cells.rows.len() as u64, fold.report.n_rows);
        let again = Table::open_as(&[&path], options, &fold.schema, UnknownStates::Error, true);
        if let Ok(again) = again {
            let _ = counted(&again);
        }
    }
}

/// What can happen to a file.
#[derive(Clone, Debug)]
enum Fault {
    Flip { at: usize, bits: u8 },
    Cut { at: usize },
    Remove { at: usize, n: usize },
    Insert { at: usize, bytes: Vec<u8> },
    Repeat { at: usize, n: usize },
}

fn faults() -> impl Strategy<Value = Vec<Fault>> {
    let at = any::<usize>();
    let special = proptest::sample::select(&b"\",;\t\n\r\\'{}%?@\0\xFF:[]"[..]);
    let bytes = prop_oneof![vec(special, 1..4), vec(any::<u8>(), 1..9)];
    let fault = prop_oneof![
        4 => (at, 1..=255_u8).prop_map(|(at, bits)| Fault::Flip { at, bits }),
        1 => at.prop_map(|at| Fault::Cut { at }),
        1 => (at, 1..40_usize).prop_map(|(at, n)| Fault::Remove { at, n }),
        3 => (at, bytes).prop_map(|(at, bytes)| Fault::Insert { at, bytes }),
        1 => (at, 1..200_usize).prop_map(|(at, n)| Fault::Repeat { at, n }),
    ];
    vec(fault, 1..4)
}

fn spoil(mut bytes: Vec<u8>, faults: &[Fault]) -> Vec<u8> {
    for fault in faults {
        let n = bytes.len().max(1);
        match fault {
            Fault::Flip { at, bits } if !bytes.is_empty() => bytes[at % n] ^= bits,
            Fault::Flip { .. } => {}
            Fault::Cut { at } => bytes.truncate(at % n),
            Fault::Remove { at, n: many } => {
                let from = (at % n).min(bytes.len());
                bytes.drain(from..(from + many).min(bytes.len()));
            }
            Fault::Insert { at, bytes: new } => {
                let from = (at % n).min(bytes.len());
                bytes.splice(from..from, new.iter().copied());
            }
            Fault::Repeat { at, n: many } => {
                let from = (at % n).min(bytes.len());
                let copy = bytes[from..(from + many).min(bytes.len())].to_vec();
                bytes.splice(from..from, copy);
            }
        }
    }
    bytes
}

/// Small files: a fault should have a chance to hit something that matters.
static FILES: LazyLock<Vec<(&'static str, Vec<u8>)>> = LazyLock::new(|| every_format(&rows(12)));

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_bytes_as_every_format(bytes in vec(any::<u8>(), 0..300)) {
        for name in ["a.csv", "a.tsv", "a.jsonl", "a.arff"] {
            survive(name, &bytes);
        }
        for magic in [&b"PAR1"[..], b"ARROW1\0\0", b"\xFF\xFF\xFF\xFF", b"\x1F\x8B\x08", b"\x28\xB5\x2F\xFD", b"@relation r\n@attribute a {", b"{\"a\":"] {
            survive("a", &[magic, &bytes].concat());
        }
    }

    #[test]
    fn random_text_as_every_format(text in "[ab,;\"'\n\r\t{}:%?@.0-9\\\\\u{e9}]{0,200}") {
        for name in ["a.csv", "a.tsv", "a.jsonl", "a.arff"] {
            survive(name, text.as_bytes());
        }
        survive("a", format!("@relation r\n@attribute a {{x,y}}\n@attribute b real\n@data\n{text}").as_bytes());
        survive("a", format!("@relation r\n@attribute {text}\n@data\n1").as_bytes());
        survive("a", format!("{{\"a\":1}}\n{text}").as_bytes());
    }

}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn valid_files_with_random_faults(file in any::<proptest::sample::Index>(), faults in faults()) {
        let (name, bytes) = file.get(&FILES);
        survive(name, &spoil(bytes.clone(), &faults));
    }
}

/// Lengths and places that lie: what made readers of Arrow set petabytes aside, or wait for gigabytes that never come.
#[test]
fn every_word_of_an_arrow_file_may_lie() {
    for (name, bytes) in FILES.iter().filter(|(name, _)| ["o.feather", "q.arrows", "t.arrow"].contains(name)) {
        for at in (0..bytes.len().saturating_sub(8)).step_by(8) {
            for lie in [i64::MAX, -1, 1 << 40, 0x7FFF_FFF0] {
                let mut spoiled = bytes.clone();
                spoiled[at..at + 8].copy_from_slice(&lie.to_le_bytes());
                let folder = Folder::new();
                let path = folder.file(name, spoiled);
                let _ = Table::open(&[path], ReadOptions { threads: 1, ..ReadOptions::default() }).and_then(|table| counted(&table));
            }
        }
    }
}
