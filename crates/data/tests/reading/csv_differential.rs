//! Our reader against the csv crate's, on tables written in every way that programs write them.

use proptest::collection::vec;
use proptest::prelude::*;
use tunbridge_data::{ReadOptions, Table};

use crate::support::{Decoded, Draws, Folder, all_states, decoded};

/// A cell as it is to be written.
#[derive(Clone, Debug)]
struct Written {
    text: String,
    quoted: bool,
}

#[derive(Clone, Debug)]
struct Manner {
    delimiter: u8,
    crlf: bool,
    mark: bool,
    last_line_end: bool,
}

/// Texts that can be mistaken for one another, of fewer and more than the seven bytes that are packed in a word.
const TEXTS: [&str; 30] = [
    "a",
    "b",
    "",
    " ",
    " a",
    "a ",
    "  a  ",
    "\"a\"",
    "\"",
    "\"\"",
    "a\"b",
    "?",
    " ? ",
    "NA",
    "N",
    "\u{e9}",
    "日本",
    "日本語の文",
    "a,b",
    "a;b|c\td",
    "x\ny",
    "\n",
    "\r\n",
    "a\r\nb\n",
    "0123456",
    "01234567",
    "012345678901234567890123456789",
    "a longer text, with \"all\"\n of it",
    "\0",
    "a\0",
];

fn texts() -> impl Strategy<Value = String> {
    prop_oneof![
        8 => proptest::sample::select(&TEXTS[..]).prop_map(String::from),
        1 => "[a-c \"\n,;]{0,9}",
        1 => "\\PC{0,12}",
    ]
}

fn manner() -> impl Strategy<Value = Manner> {
    (proptest::sample::select(&b",;\t|"[..]), any::<bool>(), any::<bool>(), any::<bool>())
        .prop_map(|(delimiter, crlf, mark, last_line_end)| Manner { delimiter, crlf, mark, last_line_end })
}

/// The file's bytes; a cell that cannot stand without quotes gets them.
fn write(rows: &[Vec<Written>], manner: &Manner, blank_before: &[bool]) -> (Vec<u8>, Vec<Vec<Written>>) {
    let line_end = if manner.crlf { "\r\n" } else { "\n" };
    let mut bytes = if manner.mark { b"\xEF\xBB\xBF".to_vec() } else { Vec::new() };
    let mut records = Vec::new();
    for (number, row) in rows.iter().enumerate() {
        if number > 0 {
            bytes.extend_from_slice(line_end.as_bytes());
        }
        if blank_before.get(number).copied().unwrap_or(false) {
            bytes.extend_from_slice(line_end.as_bytes());
        }
        let mut record = Vec::new();
        for (place, cell) in row.iter().enumerate() {
            if place > 0 {
                bytes.push(manner.delimiter);
            }
            let structural = |b: u8| b == manner.delimiter || b == b'\n' || b == b'\r';
            // A single empty cell without quotes would be an empty line.
            let must = cell.text.starts_with('"') || cell.text.bytes().any(structural) || row.len() == 1 && cell.text.is_empty();
            let quoted = cell.quoted || must;
            match quoted {
                true => bytes.extend_from_slice(format!("\"{}\"", cell.text.replace('"', "\"\"")).as_bytes()),
                false => bytes.extend_from_slice(cell.text.as_bytes()),
            }
            record.push(Written { text: cell.text.clone(), quoted });
        }
        records.push(record);
    }
    if manner.last_line_end {
        bytes.extend_from_slice(line_end.as_bytes());
    }
    (bytes, records)
}

/// What the csv crate reads.
fn reference(bytes: &[u8], delimiter: u8) -> Vec<Vec<String>> {
    let mut reader = csv::ReaderBuilder::new().delimiter(delimiter).has_headers(false).from_reader(bytes);
    reader.records().map(|record| record.unwrap().iter().map(String::from).collect()).collect()
}

/// Our rule on top of what is written: cells without quotes lose the spaces around them, and markers are missing.
fn expected(records: &[Vec<Written>]) -> Vec<Vec<Option<String>>> {
    let markers = ["", "?", "NA", "N/A", "n/a", "na", "NaN", "nan", "NAN", "null", "NULL", "Null"];
    let value = |cell: &Written| {
        let text = if cell.quoted { cell.text.as_str() } else { cell.text.trim_ascii() };
        (!markers.contains(&text)).then(|| text.to_string())
    };
    records.iter().map(|row| row.iter().map(value).collect()).collect()
}

fn header(n_columns: usize) -> Vec<Written> {
    (0..n_columns).map(|i| Written { text: format!("name {i}"), quoted: i % 2 == 1 }).collect()
}

fn ours(bytes: &[u8], options: ReadOptions) -> Decoded {
    let folder = Folder::new();
    decoded(&Table::open(&[folder.file("a.csv", bytes)], options).unwrap()).unwrap()
}

fn compare(rows: Vec<Vec<Written>>, manner: &Manner, blank_before: &[bool], threads: usize) {
    let n_columns = rows[0].len();
    let table: Vec<_> = std::iter::once(header(n_columns)).chain(rows).collect();
    let (bytes, records) = write(&table, manner, blank_before);
    let as_written: Vec<Vec<String>> = records.iter().map(|row| row.iter().map(|cell| cell.text.clone()).collect()).collect();
    assert_eq!(reference(&bytes, manner.delimiter), as_written, "the file is not what the test meant to write");
    let found = ours(&bytes, ReadOptions { delimiter: Some(manner.delimiter), threads, ..all_states() });
    let expected = expected(&records[1..]);
    if found.rows != expected {
        let row = found.rows.iter().zip(&expected).position(|(a, b)| a != b);
        let (a, b) = (row.map(|row| &found.rows[row]), row.map(|row| &expected[row]));
        panic!("{} rows where {} are meant; row {row:?} is {a:?} where {b:?} is meant", found.rows.len(), expected.len());
    }
    assert!(found.numbers().iter().copied().eq(0..expected.len() as u64), "rows are not numbered one after the other");
    assert_eq!(found.fold.report.n_rows, expected.len() as u64);
    for variable in 0..n_columns {
        let missing = expected.iter().filter(|row| row[variable].is_none()).count() as u64;
        assert_eq!(found.fold.report.n_missing[variable], missing);
    }
}

fn cells() -> impl Strategy<Value = Written> {
    (texts(), any::<bool>()).prop_map(|(text, quoted)| Written { text, quoted })
}

fn tables() -> impl Strategy<Value = Vec<Vec<Written>>> {
    (1..5_usize).prop_flat_map(|n_columns| vec(vec(cells(), n_columns), 1..40))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn cells_are_those_of_the_csv_crate(rows in tables(), manner in manner(), blank_before in vec(proptest::bool::weighted(0.1), 41)) {
        compare(rows, &manner, &blank_before, 1);
    }
}

fn drawn(draws: &mut Draws, n_rows: usize, n_columns: usize, quotes: bool) -> Vec<Vec<Written>> {
    let cell = |draws: &mut Draws| {
        let text = TEXTS[draws.below(TEXTS.len())];
        let plain = !text.contains(['"', '\n', '\r', ',', ';', '\t', '|']);
        let text = if quotes || plain { text.to_string() } else { format!("state {}", draws.below(40)) };
        Written { text, quoted: quotes && draws.below(3) == 0 }
    };
    (0..n_rows).map(|_| (0..n_columns).map(|_| cell(draws)).collect()).collect()
}

/// Longer than a tile of 256 rows, with every cell's start at every place of a window of 64 bytes.
#[test]
fn tables_longer_than_a_tile() {
    let mut draws = Draws(1);
    for n_rows in [255, 256, 257, 511, 512, 513, 1025, 3000] {
        for crlf in [false, true] {
            let rows = drawn(&mut draws, n_rows, 3, true);
            compare(rows, &Manner { delimiter: b',', crlf, mark: false, last_line_end: n_rows % 2 == 0 }, &[], 2);
        }
    }
}

/// Records that are found by bits and those that are gone through with care, next to each other: cells of every length around those that
/// are words, few quotes, few empty lines, and delimiters that nobody would think of.
#[test]
fn tables_with_a_quote_here_and_there() {
    let mut draws = Draws(3);
    for (n_columns, delimiter) in [(1, b','), (2, b'\x01'), (3, b'a'), (5, b':'), (5, b'\0'), (37, b','), (200, b'|')] {
        for (crlf, one_in) in [(false, 400), (true, 4000), (false, 1_000_000)] {
            let n_rows = 12_000 / (n_columns + 7);
            let cell = |draws: &mut Draws| {
                let text = format!("{}{}", "x".repeat(draws.below(20)), [" ", "", "", "y", "0"][draws.below(5)]);
                Written { text, quoted: draws.below(one_in) == 0 }
            };
            let rows = (0..n_rows).map(|_| (0..n_columns).map(|_| cell(&mut draws)).collect()).collect();
            let blank_before: Vec<bool> = (0..=n_rows).map(|_| draws.below(one_in) == 0).collect();
            compare(rows, &Manner { delimiter, crlf, mark: crlf, last_line_end: !crlf }, &blank_before, 2);
        }
    }
}

/// Longer than a block of 65,536 rows, with and without quotes: the two are cut into blocks by different loops.
#[test]
fn tables_longer_than_a_block() {
    for quotes in [false, true] {
        let rows = drawn(&mut Draws(7), 70_000, 2, quotes);
        let blank_before: Vec<bool> = (0..70_001).map(|row| row % 1000 == 999).collect();
        compare(rows, &Manner { delimiter: b',', crlf: quotes, mark: true, last_line_end: false }, &blank_before, 2);
    }
}
