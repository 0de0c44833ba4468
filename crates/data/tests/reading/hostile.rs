//! Files that are wrong: an error with its place and never a panic, or, where the user asked for it, rows skipped and counted.

use std::sync::Arc;

use arrow_array::builder::{Int32Builder, ListBuilder};
use arrow_array::{
    ArrayRef, BinaryArray, Date32Array, Decimal128Array, Float64Array, Int32Array, NullArray, RecordBatch, StringArray, StructArray,
    Time32SecondArray, TimestampMicrosecondArray, UInt64Array,
};
use arrow_schema::{DataType, Field};
use belief::{Observations, Role};
use proptest::collection::vec;
use proptest::prelude::*;
use tunbridge_data::{ColumnType, DataError, OnBadRow, ReadOptions, Table};

use crate::formats::{every_format, rows};
use crate::support::{Folder, all_states, counted, decoded, fault_at, gzip, kind, on_threads, open, read, role, states};

fn skipping() -> ReadOptions {
    ReadOptions { on_bad_row: OnBadRow::Skip, ..all_states() }
}

fn error(name: &str, bytes: impl AsRef<[u8]>) -> DataError {
    match open(name, bytes, all_states()).and_then(|table| decoded(&table)) {
        Ok(found) => panic!("{name} was read: {:?}", found.rows),
        Err(error) => error,
    }
}

fn message(name: &str, bytes: impl AsRef<[u8]>) -> String {
    let error = error(name, bytes);
    format!("{error} / {}", error.hint().unwrap_or_default())
}

#[test]
fn a_row_with_too_few_or_too_many_cells_is_found_at_its_line() {
    assert_eq!(fault_at(&error("a.csv", "a,b\n1,2\n3\n")), (3, "1 cell where the header has 2".into()));
    assert_eq!(fault_at(&error("a.csv", "a,b\n1,2\n\n3,4,5\n")), (4, "3 cells where the header has 2".into()));
    assert_eq!(fault_at(&error("a.csv", "a,b\r\n\"x\r\ny\n\nz\",2\r\n3,4,5")), (6, "3 cells where the header has 2".into()));
    // Behind the first tile, with a cell of three lines before it.
    let text = "a,b\n".to_string() + &"x,y\n".repeat(600) + "\"p\nq\nr\",y\n" + &"x,y\n".repeat(600) + "x\n";
    assert_eq!(fault_at(&error("a.csv", &text)).0, 1 + 600 + 3 + 600 + 1);
    // Behind the first block, on any number of threads.
    let text = text.replace("x\n", "x,y\n") + &"x,y\n".repeat(70_000) + "x,y,z\n" + &"x,y\n".repeat(70_000) + "x\n";
    let line = text.lines().position(|line| line == "x,y,z").unwrap() as u64 + 1;
    for threads in [1, 2, 7] {
        let table = open("a.csv", &text, ReadOptions { threads, ..all_states() }).unwrap();
        assert_eq!(fault_at(&counted(&table).err().unwrap()).0, line);
    }
}

#[test]
fn skipped_rows_are_counted_and_nothing_else_is_lost() {
    let mut text = "a,b\n".to_string();
    let mut expected = Vec::new();
    for row in 0..70_000 {
        match row % 997 {
            0 => text += "short\n",
            511 => text += "x,y,z\n",
            512 => text += "\"a\"b,y\n",
            _ => {
                text += &format!("{},\"q\n{}\"\n", row % 5, row % 3);
                expected.push(vec![Some((row % 5).to_string()), Some(format!("q\n{}", row % 3))]);
            }
        }
    }
    for threads in [1, 2, 7] {
        let found = read("a.csv", &text, ReadOptions { threads, ..skipping() }).unwrap();
        assert!(found.rows == expected);
        assert_eq!(found.fold.report.n_rows, expected.len() as u64);
        assert_eq!(found.fold.report.n_skipped, 70_000 - expected.len() as u64);
        assert!(found.fold.report.first_skipped.as_ref().unwrap().ends_with("a.csv:2: 1 cell where the header has 2"));
        assert_eq!(found.fold.report.n_missing, [0, 0]);
    }
}

/// Names that only skipped rows have would be classes without rows, and columns of answers.
#[test]
fn skipped_rows_leave_no_states_and_no_words_behind() {
    let text = "w,t,x,y\n1,one two,a,p\n-1,three,c,r\n1,two,b,q\n";
    let options = ReadOptions {
        weight: Some("w".into()),
        text: vec!["t".into()],
        target: Some("y".into()),
        types: vec![("x".into(), ColumnType::Category)],
        on_bad_row: OnBadRow::Skip,
        ..on_threads(1)
    };
    let found = counted(&open("a.csv", text, options).unwrap()).unwrap();
    assert_eq!(
        (states(&found.schema, "x"), states(&found.schema, "y")),
        (&["a", "b"].map(String::from)[..], &["p", "q"].map(String::from)[..])
    );
    let words = &found.schema.variable(found.schema.find("t").unwrap()).kind;
    assert_eq!(words.states().unwrap().names(), ["one", "two"]);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, failure_persistence: None, ..ProptestConfig::default() })]

    /// Good rows among bad ones of every sort are those that would be read without them.
    #[test]
    fn what_is_left_after_skipping_is_the_file_without_its_bad_rows(kinds in vec(0..9_usize, 1..1200)) {
        let (mut with, mut without) = (b"a,n,w\nx,1,1\n".to_vec(), b"a,n,w\nx,1,1\n".to_vec());
        for (row, kind) in kinds.iter().enumerate() {
            let good = format!("s{},{}.5,{}\n", row % 7, row % 11, row % 3);
            match kind {
                0 => with.extend(b"one\n"),
                1 => with.extend(b"one,2,3,4\n"),
                2 => with.extend(b"\"a\" ,2,3\n"),
                3 => with.extend(b"\xFF,2,3\n"),
                4 => with.extend(b"new,word,3\n"),
                5 => with.extend(b"new,2,-3\n"),
                _ => {
                    with.extend(good.as_bytes());
                    without.extend(good.as_bytes());
                }
            }
        }
        let options = ReadOptions {
            types: vec![("a".into(), ColumnType::Category), ("n".into(), ColumnType::Numeric)],
            weight: Some("w".into()),
            ..skipping()
        };
        let n_bad = kinds.iter().filter(|kind| **kind < 6).count() as u64;
        let (with, without) = (read("a.csv", with, options.clone()).unwrap(), read("a.csv", without, options).unwrap());
        prop_assert_eq!(&with.rows, &without.rows);
        prop_assert_eq!(with.weights(), without.weights());
        prop_assert_eq!(&with.fold.schema, &without.fold.schema);
        prop_assert_eq!((with.fold.report.n_skipped, with.fold.report.n_rows), (n_bad, without.rows.len() as u64));
    }
}

#[test]
fn bad_lines_of_json_and_arff_are_found_and_can_be_skipped() {
    let json = "{\"a\":\"x\"}\n\n{\"a\":\n[1]\n{\"b\":1}\n{\"a\":\"y\"}\n";
    assert_eq!(fault_at(&error("a.jsonl", json)).0, 3);
    let found = read("a.jsonl", json, skipping()).unwrap();
    assert_eq!((found.column("a"), found.fold.report.n_skipped), (vec![Some("x"), None, Some("y")], 2));
    let arff = "@relation r\n@attribute a {x,y}\n@attribute b real\n% comment\n@data\n\nx,1.5\n% comment\nx\ny,2\n'x,1\n{0 y}\n{7 y}\n";
    let fault = fault_at(&error("a.arff", arff));
    assert_eq!(fault, (9, "1 cell where the header has 2".into()));
    let found = read("a.arff", arff, ReadOptions { on_bad_row: OnBadRow::Skip, ..on_threads(1) }).unwrap();
    assert_eq!(found.column("a"), [Some("x"), Some("y"), Some("y")]);
    assert_eq!(found.column("b"), [Some("1.5"), Some("2"), Some("0")]);
    assert_eq!(found.fold.report.n_skipped, 3);
}

#[test]
fn files_without_rows() {
    assert!(message("a.csv", "").contains("is empty"));
    assert!(message("a.csv", "\u{FEFF}").contains("is empty"));
    assert!(message("a.csv", "\n\r\n\n").contains("empty lines"));
    assert!(message("a.csv", "a,b\n").contains("no rows"));
    assert!(message("a.csv", "a,b").contains("no rows"));
    assert!(message("a.csv", "a,b\n\n\n").contains("no rows"));
    assert!(message("a.tsv", "").contains("is empty"));
    assert!(message("a.jsonl", "").contains("no JSON object"));
    assert!(message("a.jsonl", "\n \n").contains("no JSON object"));
    assert!(message("a.jsonl", "{}\n").contains("no JSON object"));
    assert!(message("a.arff", "").contains("no @data"));
    assert!(message("a.arff", "@relation r\n@attribute a real\n").contains("no @data"));
    assert!(message("a.arff", "@relation r\n@attribute a real\n@data").contains("no rows"));
    assert!(message("a.arff", "@relation r\n@data\n1\n").contains("before any @attribute"));
    assert!(message("a.parquet", "").contains("does not begin"));
    assert!(message("a.csv.gz", gzip(b"")).contains("is empty"));
    let batch = RecordBatch::try_from_iter([("x", Arc::new(Int32Array::from(Vec::<i32>::new())) as ArrayRef)]).unwrap();
    assert!(message("a.parquet", parquet(&batch)).contains("no rows"));
    assert!(message("a.arrow", arrow(&batch)).contains("no rows"));
}

#[test]
fn what_is_not_there_is_said_with_a_guess() {
    let folder = Folder::new();
    folder.file("weather.csv", "a\nx\n");
    let error = Table::open(&[folder.path("wether.csv")], all_states()).err().unwrap();
    assert!(matches!(error, DataError::Io { .. }) && error.hint().unwrap().contains("weather.csv"));
    assert!(Table::open(&[folder.path("*.tsv")], all_states()).err().unwrap().to_string().contains("matches no file"));
    assert!(Table::open(&[folder.path(".")], all_states()).err().unwrap().to_string().contains("is a folder of tables"));
    assert!(Table::open(&Vec::<String>::new(), all_states()).is_err());
}

#[test]
fn columns_of_one_name() {
    let words = message("a.csv", "a,b,a,b,c\n1,2,3,4,5\n");
    assert!(words.contains("`a` (columns 1 and 3), `b` (columns 2 and 4)"), "{words}");
    assert!(message("a.arff", "@relation r\n@attribute a real\n@attribute a real\n@data\n1,2\n").contains("`a` (columns 1 and 2)"));
    // Of the values of a key that is there twice none is the right one: the row is malformed, and no other.
    assert_eq!(fault_at(&error("a.jsonl", "{\"a\":\"x\"}\n{\"a\":\"x\",\"a\":\"y\"}\n")), (2, "key `a` is there twice".into()));
    let rest =
        read("a.jsonl", "{\"a\":\"x\",\"a\":\"y\"}\n{\"a\":\"z\"}\n", ReadOptions { on_bad_row: OnBadRow::Skip, ..all_states() }).unwrap();
    assert_eq!(rest.column("a"), [Some("z")]);
}

#[test]
fn bytes_that_are_no_text() {
    assert_eq!(fault_at(&error("a.csv", b"a,b\nx,y\ncaf\xE9,y\n")).0, 3);
    assert_eq!(fault_at(&error("a.csv", b"a,b\nx,y\n caf\xE9 ,y\n\"caf\xE9\",z\n")).0, 3);
    assert!(message("a.csv", b"caf\xE9,b\nx,y\n").contains("header is not UTF-8"));
    assert!(message("a.csv", b"\xFF\xFEa\0\n\0").contains("UTF-16"));
    assert_eq!(fault_at(&error("a.jsonl", b"{\"a\":\"x\"}\n{\"a\":\"caf\xE9\"}\n")).0, 2);
    assert_eq!(fault_at(&error("a.arff", b"@relation r\n@attribute a string\n@data\nx\ncaf\xE9\n")).0, 5);
    assert_eq!(fault_at(&error("a.arff", b"% caf\xE9\n@relation caf\xE9\n@attribute caf\xE9 real\n@data\n1\n")).0, 3);
    // Comments and names of relations are nobody's business.
    assert_eq!(
        read("a.arff", b"% caf\xE9\n@relation caf\xE9\n@attribute a string\n@data\n% \xE9\nx\n", all_states()).unwrap().rows.len(),
        1
    );
    // Every such row is skipped, also those whose cells are written alike, and none leaves a state behind.
    let found = read("a.csv", b"a,b\n \xE9 ,y\nx,y\n \xE9 ,y\n\xE9,y\n\"\xE9\",y\n", skipping()).unwrap();
    assert_eq!((found.column("a"), found.states("a"), found.fold.report.n_skipped), (vec![Some("x")], &["x".to_string()][..], 4));
    // In a column that is left out they do no harm.
    let options = ReadOptions { ignore: vec!["a".into()], ..on_threads(1) };
    assert_eq!(read("a.csv", b"a,b\n\xE9,y\n", options).unwrap().column("b"), [Some("y")]);
}

#[test]
fn zero_bytes_are_bytes_like_any_other() {
    let found = read("a.csv", b"a,b\nx\0,\0\nx,\0\0\n\0,y\n", all_states()).unwrap();
    assert_eq!(found.column("a"), [Some("x\0"), Some("x"), Some("\0")]);
    assert_eq!(found.column("b"), [Some("\0"), Some("\0\0"), Some("y")]);
    assert!(read("a.csv", vec![0_u8; 5000], all_states()).is_err());
}

#[test]
fn quotes_that_are_never_closed_and_text_behind_closed_ones() {
    for text in ["a,b\nx,y\nx,\"y\nz,z\n", "a,b\nx,y\nx,\"y\"\"", "a,b\nx,y\nx,\"", "a,b\nx,y\n\"x,y"] {
        assert_eq!(fault_at(&error("a.csv", text)), (3, "a quote that opens here is never closed".into()), "{text:?}");
    }
    let far = "a,b\n".to_string() + &"x,y\n".repeat(1000) + "x,\"y\n" + &"x,y\n".repeat(100_000);
    assert_eq!(fault_at(&error("a.csv", far)).0, 1002);
    for text in ["a,b\nx,y\n\"x\"z,y\n", "a,b\nx,y\nx,\"y\" \n", "a,b\nx,y\n\"x\"\"\"z,y\n", "a,b\nx,y\n\"x\"\rz,y\n"] {
        assert_eq!(fault_at(&error("a.csv", text)), (3, "text after a closing quote".into()), "{text:?}");
    }
    // A quote that does not open a cell is a character.
    assert_eq!(read("a.csv", "a,b\n5\" disk, \"x\n", all_states()).unwrap().rows[0], [Some("5\" disk".into()), Some("\"x".into())]);
}

#[test]
fn ten_thousand_columns() {
    const N: usize = 10_000;
    let line = |cell: &dyn Fn(usize) -> String| (0..N).map(cell).collect::<Vec<_>>().join(",") + "\n";
    let mut text = line(&|column| format!("column {column}"));
    for row in 0..140 {
        text += &line(&|column| if (row + column) % 10 == 0 { "?".into() } else { format!("{}", (row * column) % 3) });
    }
    let fold = counted(&open("a.csv", &text, on_threads(2)).unwrap()).unwrap();
    assert_eq!((fold.report.n_rows, fold.schema.variables().len()), (140, N));
    assert!(fold.report.n_missing.iter().all(|n| *n == 14));
    text += "x,y\n";
    assert_eq!(fault_at(&counted(&open("a.csv", &text, on_threads(2)).unwrap()).err().unwrap()).0, 142);
}

#[test]
fn long_cells_and_long_lines() {
    let long = "x".repeat(3 << 20);
    let found = read("a.csv", format!("a,b\n{long},y\n\"{long}\n{long}\",z\n"), all_states()).unwrap();
    assert_eq!(found.column("a")[0], Some(long.as_str()));
    assert_eq!(found.column("a")[1].unwrap().len(), 2 * long.len() + 1);
    assert_eq!(read("a.jsonl", format!("{{\"a\":\"{long}\"}}"), all_states()).unwrap().column("a"), [Some(long.as_str())]);
}

fn parquet(batch: &RecordBatch) -> Vec<u8> {
    let mut writer = parquet::arrow::ArrowWriter::try_new(Vec::new(), batch.schema(), None).unwrap();
    writer.write(batch).unwrap();
    writer.into_inner().unwrap()
}

fn arrow(batch: &RecordBatch) -> Vec<u8> {
    let mut writer = arrow_ipc::writer::FileWriter::try_new(Vec::new(), &batch.schema()).unwrap();
    writer.write(batch).unwrap();
    writer.into_inner().unwrap()
}

/// Types that a table of numbers and states has no place for are left out with their reason; the others are read.
#[test]
fn unusual_types_of_columnar_files() {
    let mut lists = ListBuilder::new(Int32Builder::new());
    lists.append_value([Some(1), None]);
    lists.append_null();
    lists.append_value([Some(2)]);
    let structs =
        StructArray::from(vec![(Arc::new(Field::new("f", DataType::Int32, true)), Arc::new(Int32Array::from(vec![1, 2, 3])) as ArrayRef)]);
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("decimal", Arc::new(Decimal128Array::from(vec![Some(150), None, Some(-275)]).with_precision_and_scale(10, 2).unwrap())),
        ("moment", Arc::new(TimestampMicrosecondArray::from(vec![Some(129_600_000_000), None, Some(0)]).with_timezone("UTC"))),
        ("day", Arc::new(Date32Array::from(vec![Some(1), None, Some(20_000)]))),
        ("time", Arc::new(Time32SecondArray::from(vec![1, 2, 3]))),
        ("list", Arc::new(lists.finish())),
        ("struct", Arc::new(structs)),
        ("bytes", Arc::new(BinaryArray::from(vec![b"a".as_slice(), b"b", b"\xFF"]))),
        ("huge", Arc::new(UInt64Array::from(vec![u64::MAX, 0, u64::MAX]))),
        ("state", Arc::new(StringArray::from(vec!["a", "b", "a"]))),
    ];
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    for (name, bytes) in [("a.parquet", parquet(&batch)), ("a.arrow", arrow(&batch))] {
        let table = open(name, &bytes, on_threads(1)).unwrap();
        for (column, reason) in
            [("moment", "date"), ("day", "date"), ("time", "date"), ("list", "nested"), ("struct", "nested"), ("bytes", "nested")]
        {
            assert!(
                matches!(role(&table, column), Role::Ignored(why) if why.contains(reason)),
                "{name} {column}: {:?}",
                role(&table, column)
            );
        }
        let found = decoded(&table).unwrap();
        assert_eq!((kind(&table, "decimal"), found.column("decimal")), ("numeric", vec![Some("1.5"), None, Some("-2.75")]), "{name}");
        assert_eq!(found.column("list"), [None; 3], "{name}");
        assert_eq!(found.column("huge").len(), 3, "{name}");
        // What the user calls a number is one, where it can be.
        let types = ["moment", "day", "huge"].map(|c| (c.to_string(), ColumnType::Numeric)).to_vec();
        let found = read(name, &bytes, ReadOptions { types, ..on_threads(1) }).unwrap();
        assert_eq!(found.column("moment"), [Some("1.5"), None, Some("0")], "{name}");
        assert_eq!(found.column("day"), [Some("1"), None, Some("20000")], "{name}");
        // And what the user calls states is read as text or refused with the column's name.
        for column in ["list", "struct", "bytes", "time", "moment", "decimal"] {
            let types = vec![(column.to_string(), ColumnType::Category)];
            if let Err(error) = read(name, &bytes, ReadOptions { types, ..on_threads(1) }) {
                assert!(error.to_string().contains(&format!("`{column}`")), "{name}: {error}");
            }
        }
    }
}

#[test]
fn columns_of_nulls() {
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("null", Arc::new(NullArray::new(3))),
        ("text", Arc::new(StringArray::from(vec![None::<&str>; 3]))),
        ("number", Arc::new(Float64Array::from(vec![None, Some(f64::NAN), None]))),
        ("state", Arc::new(StringArray::from(vec!["a", "b", "a"]))),
    ];
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    for (name, bytes) in [("a.parquet", parquet(&batch)), ("a.arrow", arrow(&batch))] {
        let table = open(name, bytes, on_threads(1)).unwrap();
        for column in ["null", "text", "number"] {
            assert!(matches!(role(&table, column), Role::Ignored(why) if why.contains("no values")), "{name} {column}");
        }
        assert_eq!(decoded(&table).unwrap().column("state"), [Some("a"), Some("b"), Some("a")]);
    }
}

#[test]
fn bad_rows_of_columnar_files_can_be_skipped() {
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("x", Arc::new(StringArray::from(vec!["1.5", "word", "2.5", "word", "NA"]))),
        ("y", Arc::new(Float64Array::from(vec![1.5, 2.5, f64::INFINITY, f64::NAN, 0.5]))),
        ("z", Arc::new(StringArray::from(vec!["a", "b", "c", "d", "e"]))),
    ];
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    for (name, bytes) in [("a.parquet", parquet(&batch)), ("a.arrow", arrow(&batch))] {
        let types = vec![("x".to_string(), ColumnType::Numeric), ("y".to_string(), ColumnType::Numeric)];
        let options = ReadOptions { types, ..on_threads(1) };
        assert_eq!(fault_at(&read(name, &bytes, options.clone()).err().unwrap()), (2, "`word` is not a number".into()));
        let found = read(name, &bytes, ReadOptions { on_bad_row: OnBadRow::Skip, ..options }).unwrap();
        assert_eq!(found.column("x"), [Some("1.5"), None], "{name}");
        assert_eq!(found.column("y"), [Some("1.5"), Some("0.5")], "{name}");
        assert_eq!(found.column("z"), [Some("a"), Some("e")], "{name}");
        assert_eq!(found.fold.report.n_skipped, 3, "{name}");
    }
}

/// A file that was cut anywhere is read as far as its format can know, or refused; text may end anywhere.
#[test]
fn files_cut_short() {
    let rows = rows(300);
    let folder = Folder::new();
    for (name, bytes) in every_format(&rows) {
        let binary = !(name.ends_with(".csv") || name.ends_with(".tsv") || name.ends_with(".jsonl") || name.ends_with(".arff"));
        for part in 0..40 {
            let path = folder.file(name, &bytes[..bytes.len() * part / 40]);
            let outcome = Table::open(&[path], on_threads(1)).and_then(|table| counted(&table));
            // An Arrow stream may end behind any of its batches.
            if binary && !name.ends_with(".arrows") {
                assert!(outcome.is_err(), "{name}, {part} of 40 parts");
            }
        }
    }
}

#[test]
fn compressed_files_of_several_members_are_one() {
    let mut bytes = gzip(b"a,b\nx,y\n");
    bytes.extend(gzip(b"p,q\n"));
    assert_eq!(read("a.csv.gz", &bytes, all_states()).unwrap().rows.len(), 2);
    let mut bytes = zstd::encode_all(&b"a,b\nx,y\n"[..], 1).unwrap();
    bytes.extend(zstd::encode_all(&b"p,q\n"[..], 1).unwrap());
    assert_eq!(read("a.csv.zst", &bytes, all_states()).unwrap().rows.len(), 2);
    // The name need not tell the compression or the format.
    assert_eq!(read("data", gzip(b"{\"a\":1}\n{\"a\":2}\n"), all_states()).unwrap().column("a"), [Some("1"), Some("2")]);
}

#[test]
fn files_of_other_kinds_are_told_from_tables() {
    for (bytes, what) in [
        (&b"PK\x03\x04\x14\0\x06\0"[..], "workbook"),
        (b"BZh91AY&SY", "bzip2"),
        (b"\xFD7zXZ\0\0", "xz"),
        (b"\xFE\xFF\0a", "UTF-16"),
        (b"[\n  {\"a\": 1},\n  {\"a\": 2}\n]\n", "array of JSON objects"),
        (b"[{\"a\":1}]", "array of JSON objects"),
    ] {
        assert!(message("a.csv", bytes).contains(what), "{what}");
    }
    assert_eq!(read("a.csv", "[{a,b\n1,2\n", all_states()).unwrap().column("[{a"), [Some("1")]);
}

/// Delimiters that would make the file unreadable.
#[test]
fn a_delimiter_that_cannot_be_one_is_refused() {
    for delimiter in [b'"', b'\n', b'\r'] {
        let options = ReadOptions { delimiter: Some(delimiter), ..all_states() };
        assert!(open("a.csv", "a,b\nx,y\n", options).is_err(), "{delimiter}");
    }
}

#[test]
fn a_schema_is_there_before_the_rows_are_read() {
    let table = open("a.csv", "a,b\nx,1.5\ny,2.5\n", on_threads(1)).unwrap();
    assert_eq!(table.schema().variables().len(), 2);
    assert_eq!(table.paths().count(), 1);
}

/// Opening must not look at every column for every row that is malformed.
#[test]
fn a_wide_header_over_narrow_rows_is_opened_in_no_time() {
    let header: Vec<String> = (0..10_000).map(|i| format!("v{i}")).collect();
    let text = header.join(",") + "\n" + &"1\n".repeat(65_536);
    let start = std::time::Instant::now();
    let error = read("a.csv", text, on_threads(1)).err().unwrap();
    assert_eq!(fault_at(&error), (2, "1 cell where the header has 10000".into()));
    // Without optimisation it takes some two seconds, and took half an hour.
    assert!(start.elapsed().as_secs() < 60);
}

#[cfg(unix)]
#[test]
fn a_pattern_passes_over_folders_but_not_over_files_that_cannot_be_read() {
    let folder = Folder::new();
    folder.file("a.csv", "x,y\n1,a\n");
    std::fs::create_dir(folder.path("b.csv")).unwrap();
    let pattern = folder.path("*.csv");
    assert_eq!(Table::open(&[&pattern], on_threads(1)).unwrap().paths().count(), 1);
    std::os::unix::fs::symlink(folder.path("gone"), folder.path("c.csv")).unwrap();
    let error = Table::open(&[&pattern], on_threads(1)).err().unwrap();
    assert!(matches!(&error, DataError::Io { path, .. } if path.ends_with("c.csv")), "{error}");
}
