//! One table in every format: the same counts, and the same bits on any number of threads.

use std::path::PathBuf;
use std::sync::Arc;

use arrow_array::types::Int32Type;
use arrow_array::{
    ArrayRef, BinaryArray, BooleanArray, DictionaryArray, Float32Array, Float64Array, Int8Array, Int64Array, LargeStringArray, RecordBatch,
    StringArray, StringViewArray, UInt16Array,
};
use arrow_ipc::CompressionType;
use arrow_ipc::writer::IpcWriteOptions;
use arrow_schema::{DataType, Field, Schema as ArrowSchema};
use belief::Fold;
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::WriterProperties;
use proptest::prelude::*;
use tunbridge_data::{ColumnType, ReadOptions, Table};

use crate::support::{Counted, Counts, Draws, Folder, all_states, counted, decoded, gzip, kind, states, zstd};

/// A row as the model of every format.
pub struct Row {
    class: Option<&'static str>,
    colour: Option<&'static str>,
    sold: Option<bool>,
    rooms: Option<i64>,
    price: Option<f64>,
}

pub const NAMES: [&str; 5] = ["class", "colour", "sold", "rooms", "price"];

pub fn rows(n: usize) -> Vec<Row> {
    let mut draws = Draws(3);
    let classes = ["yes", "no", "per haps", "peut-être"];
    let colours = ["red", "green", "blue, dark", "\"white\"", "a colour of many letters", "it's", "7"];
    let mut known = |n: usize, one_in: usize| {
        let state = draws.below(n);
        (draws.below(one_in) > 0).then_some(state)
    };
    (0..n)
        .map(|row| Row {
            class: known(4, 50).map(|c| classes[c]),
            // One colour shows itself only after the rows that decide the kinds.
            colour: if row == n - 3 { Some("ultraviolet") } else { known(7, 10).map(|c| colours[c]) },
            sold: known(2, 20).map(|b| b == 1),
            rooms: known(6, 9).map(|x| x as i64 - 1),
            price: known(1_000_000, 30).map(|x| x as f64 / 1000.0 - 250.0),
        })
        .collect()
}

impl Row {
    fn texts(&self) -> [Option<String>; 5] {
        [
            self.class.map(String::from),
            self.colour.map(String::from),
            self.sold.map(|b| b.to_string()),
            self.rooms.map(|x| x.to_string()),
            self.price.map(|x| x.to_string()),
        ]
    }
}

/// Cells separated by `delimiter`, with the columns in this order.
fn separated(rows: &[Row], delimiter: u8, order: [usize; 5]) -> Vec<u8> {
    let mut writer = csv::WriterBuilder::new().delimiter(delimiter).from_writer(Vec::new());
    writer.write_record(order.map(|column| NAMES[column])).unwrap();
    for row in rows {
        let texts = row.texts();
        writer.write_record(order.map(|column| texts[column].as_deref().unwrap_or("?"))).unwrap();
    }
    writer.into_inner().unwrap()
}

fn json_lines(rows: &[Row]) -> Vec<u8> {
    let mut text = String::new();
    for row in rows {
        let object = serde_json::json!({
            "class": row.class, "colour": row.colour, "sold": row.sold, "rooms": row.rooms, "price": row.price,
        });
        text += &format!("{object}\n");
    }
    text.into_bytes()
}

fn arff(rows: &[Row]) -> Vec<u8> {
    let mut text = "% A comment.\n@relation houses\n\n@attribute class {yes,no,'per haps',peut-être}\n@attribute colour string\n\
        @attribute sold {true,false}\n@attribute rooms {-1,0,1,2,3,4}\n@attribute price real\n@data\n"
        .to_string();
    for row in rows {
        let quoted = row.texts().map(|text| match text {
            None => "?".to_string(),
            Some(text) => format!("'{}'", text.replace('\'', "\\'")),
        });
        text += &(quoted.join(",") + "\n");
    }
    text.into_bytes()
}

/// How the columns lie in a columnar file.
#[derive(Clone, Copy, Debug)]
enum Lie {
    Plain,
    Dictionary,
    /// Texts as views or of 64 bits, whole numbers as doubles, missing doubles as NaN, booleans as texts.
    Odd,
}

fn batch(rows: &[Row], lie: Lie) -> RecordBatch {
    let class = || rows.iter().map(|r| r.class);
    let colour = || rows.iter().map(|r| r.colour);
    let columns: Vec<ArrayRef> = match lie {
        Lie::Plain => vec![
            Arc::new(class().collect::<StringArray>()),
            Arc::new(colour().collect::<StringArray>()),
            Arc::new(rows.iter().map(|r| r.sold).collect::<BooleanArray>()),
            Arc::new(rows.iter().map(|r| r.rooms).collect::<Int64Array>()),
            Arc::new(rows.iter().map(|r| r.price).collect::<Float64Array>()),
        ],
        Lie::Dictionary => vec![
            Arc::new(class().collect::<DictionaryArray<Int32Type>>()),
            Arc::new(colour().collect::<DictionaryArray<arrow_array::types::UInt16Type>>()),
            Arc::new(rows.iter().map(|r| r.sold).collect::<BooleanArray>()),
            Arc::new(rows.iter().map(|r| r.rooms.map(|x| x as i8)).collect::<Int8Array>()),
            Arc::new(rows.iter().map(|r| r.price).collect::<Float64Array>()),
        ],
        Lie::Odd => vec![
            Arc::new(class().collect::<LargeStringArray>()),
            Arc::new(colour().collect::<StringViewArray>()),
            Arc::new(rows.iter().map(|r| r.sold.map(|b| b.to_string())).collect::<StringArray>()),
            Arc::new(rows.iter().map(|r| r.rooms.map_or(f32::NAN, |x| x as f32)).collect::<Float32Array>()),
            Arc::new(rows.iter().map(|r| r.price.unwrap_or(f64::NAN)).collect::<Float64Array>()),
        ],
    };
    let fields: Vec<Field> = NAMES.iter().zip(&columns).map(|(name, c)| Field::new(*name, c.data_type().clone(), true)).collect();
    RecordBatch::try_new(Arc::new(ArrowSchema::new(fields)), columns).unwrap()
}

fn parquet(rows: &[Row], lie: Lie, rows_in_group: usize, dictionary: bool) -> Vec<u8> {
    let properties =
        WriterProperties::builder().set_max_row_group_row_count(Some(rows_in_group)).set_dictionary_enabled(dictionary).build();
    let batch = batch(rows, lie);
    let mut writer = ArrowWriter::try_new(Vec::new(), batch.schema(), Some(properties)).unwrap();
    writer.write(&batch).unwrap();
    writer.into_inner().unwrap()
}

fn arrow_file(rows: &[Row], lie: Lie, rows_in_batch: usize) -> Vec<u8> {
    let mut writer = arrow_ipc::writer::FileWriter::try_new(Vec::new(), &batch(&rows[..1], lie).schema()).unwrap();
    // A file holds one dictionary for each column, so dictionaries come in one batch.
    let rows_in_batch = if matches!(lie, Lie::Dictionary) { rows.len() } else { rows_in_batch };
    rows.chunks(rows_in_batch).for_each(|part| writer.write(&batch(part, lie)).unwrap());
    writer.into_inner().unwrap()
}

fn arrow_stream(rows: &[Row], lie: Lie, rows_in_batch: usize) -> Vec<u8> {
    let mut writer = arrow_ipc::writer::StreamWriter::try_new(Vec::new(), &batch(&rows[..1], lie).schema()).unwrap();
    rows.chunks(rows_in_batch).for_each(|part| writer.write(&batch(part, lie)).unwrap());
    writer.into_inner().unwrap()
}

fn packed_arrow(rows: &[Row], packing: CompressionType) -> Vec<u8> {
    let batch = batch(rows, Lie::Dictionary);
    let options = IpcWriteOptions::default().try_with_compression(Some(packing)).unwrap();
    let mut writer = arrow_ipc::writer::FileWriter::try_new_with_options(Vec::new(), &batch.schema(), options).unwrap();
    writer.write(&batch).unwrap();
    writer.into_inner().unwrap()
}

fn packed_parquet(rows: &[Row], packing: Compression) -> Vec<u8> {
    let batch = batch(rows, Lie::Plain);
    let properties = WriterProperties::builder().set_compression(packing).build();
    let mut writer = ArrowWriter::try_new(Vec::new(), batch.schema(), Some(properties)).unwrap();
    writer.write(&batch).unwrap();
    writer.into_inner().unwrap()
}

/// A table in every format, by the names of the files.
pub fn every_format(rows: &[Row]) -> Vec<(&'static str, Vec<u8>)> {
    let in_order = [0, 1, 2, 3, 4];
    let (group, part) = (rows.len() / 7 + 1, rows.len() / 5 + 1);
    let csv = separated(rows, b',', in_order);
    let jsonl = json_lines(rows);
    let arff = arff(rows);
    vec![
        ("a.csv.gz", gzip(&csv)),
        ("b.csv.zst", zstd(&csv)),
        ("c.csv", csv),
        ("d.tsv", separated(rows, b'\t', in_order)),
        ("e.csv", separated(rows, b';', in_order)),
        ("f.jsonl.gz", gzip(&jsonl)),
        ("g.jsonl", jsonl),
        ("h.arff.zst", zstd(&arff)),
        ("i.arff", arff),
        ("j.parquet", parquet(rows, Lie::Plain, usize::MAX, true)),
        ("k.parquet", parquet(rows, Lie::Plain, group, false)),
        ("l.parquet", parquet(rows, Lie::Dictionary, group, true)),
        ("m.parquet", parquet(rows, Lie::Odd, group, true)),
        ("n.arrow", arrow_file(rows, Lie::Plain, part)),
        ("o.feather", arrow_file(rows, Lie::Dictionary, part)),
        ("p.arrow", arrow_file(rows, Lie::Odd, part)),
        ("q.arrows", arrow_stream(rows, Lie::Dictionary, part)),
        ("r.arrows", arrow_stream(rows, Lie::Odd, part)),
        ("s.parquet.gz", gzip(&parquet(rows, Lie::Plain, group, true))),
        ("t.arrow", packed_arrow(rows, CompressionType::ZSTD)),
        ("u.arrow", packed_arrow(rows, CompressionType::LZ4_FRAME)),
        ("v.parquet", packed_parquet(rows, Compression::SNAPPY)),
        ("w.parquet", packed_parquet(rows, Compression::ZSTD(ZstdLevel::default()))),
    ]
}

fn options(threads: usize) -> ReadOptions {
    ReadOptions { target: Some("class".into()), threads, ..ReadOptions::default() }
}

fn fold(paths: &[PathBuf], threads: usize) -> Fold<Counts> {
    counted(&Table::open(paths, options(threads)).unwrap()).unwrap()
}

/// Bit for bit: the text of a double tells its bits, except for the sign of zero, which `{:?}` tells too.
fn bits(fold: &Fold<Counts>) -> String {
    format!("{:?} {:?} {:?}", fold.schema, fold.statistic, fold.report)
}

/// Equal counts under equal names, and moments to rounding: formats lie on grids of their own.
fn assert_same(a: &Fold<Counts>, b: &Fold<Counts>, what: &str) {
    let by_name = |fold: &Fold<Counts>| {
        let mut cells = Vec::new();
        let classes = crate::support::states(&fold.schema, "class").to_vec();
        for (variable, counted) in fold.schema.variables().iter().zip(&fold.statistic.columns) {
            if let Counted::States(counts) = counted {
                let states = crate::support::states(&fold.schema, &variable.name);
                for (state, name) in states.iter().enumerate() {
                    for (class, class_name) in classes.iter().enumerate() {
                        cells.push((variable.name.clone(), name.clone(), class_name.clone(), counts.get(state, class)));
                    }
                }
            }
        }
        cells.sort_by(|a, b| a.partial_cmp(b).unwrap());
        cells
    };
    assert_eq!(by_name(a), by_name(b), "{what}");
    assert_eq!(a.report, b.report, "{what}");
    let moments = |fold: &Fold<Counts>| match &fold.statistic.columns[fold.schema.find("price").unwrap().index()] {
        Counted::Numbers(moments) => moments.pooled(),
        other => panic!("{what}: {other:?}"),
    };
    let (a, b) = (moments(a), moments(b));
    assert_eq!(a.weight, b.weight, "{what}");
    assert!((a.mean - b.mean).abs() <= 1e-12 * 500.0 && (a.sum_sq - b.sum_sq).abs() <= 1e-12 * a.sum_sq, "{what}: {a:?} {b:?}");
}

/// What a plain loop over the rows counts.
fn assert_counted(rows: &[Row], fold: &Fold<Counts>, what: &str) {
    for (column, name) in NAMES.iter().enumerate().take(4) {
        let Counted::States(counts) = &fold.statistic.columns[column] else { panic!("{what}: `{name}` was not counted") };
        let mut plain = std::collections::HashMap::new();
        for row in rows {
            if let (Some(class), Some(state)) = (row.class, row.texts()[column].clone()) {
                *plain.entry((class.to_string(), state)).or_insert(0.0) += 1.0;
            }
        }
        for (class, class_name) in crate::support::states(&fold.schema, "class").iter().enumerate() {
            for (state, state_name) in crate::support::states(&fold.schema, name).iter().enumerate() {
                let expected = plain.get(&(class_name.clone(), state_name.clone())).copied().unwrap_or(0.0);
                assert_eq!(counts.get(state, class), expected, "{what}: {name} = {state_name}, {class_name}");
            }
        }
    }
    assert_eq!(fold.report.n_rows, rows.len() as u64, "{what}");
    let missing = |column: usize| rows.iter().filter(|row| row.texts()[column].is_none()).count() as u64;
    assert_eq!(fold.report.n_missing, (0..5).map(missing).collect::<Vec<_>>(), "{what}");
}

#[test]
fn every_format_gives_the_same_counts() {
    let rows = rows(3000);
    let folder = Folder::new();
    let mut first = None;
    for (name, bytes) in every_format(&rows) {
        let found = fold(&[folder.file(name, bytes)], 2);
        assert_counted(&rows, &found, name);
        assert_same(first.get_or_insert_with(|| found.clone()), &found, name);
    }
}

/// More rows than decide the kinds and than a chunk has, on one, two and seven threads.
#[test]
fn threads_change_no_bit() {
    let rows = rows(70_000);
    let folder = Folder::new();
    let mut first = None;
    for (name, bytes) in every_format(&rows) {
        // What is packed, and what is separated otherwise, is read by the same code.
        if !["c.csv", "g.jsonl", "i.arff", "j.parquet", "k.parquet", "l.parquet", "n.arrow", "q.arrows", "r.arrows"].contains(&name) {
            continue;
        }
        let path = folder.file(name, bytes);
        let [one, two, seven] = [1, 2, 7].map(|threads| fold(std::slice::from_ref(&path), threads));
        assert_eq!(bits(&one), bits(&two), "{name}");
        assert_eq!(bits(&one), bits(&seven), "{name}");
        assert_same(first.get_or_insert_with(|| one.clone()), &one, name);
        assert!(crate::support::states(&one.schema, "colour").contains(&"ultraviolet".to_string()), "{name}");
    }
}

#[test]
fn several_files_are_one_table_whatever_the_order_of_their_columns() {
    let rows = rows(5000);
    let folder = Folder::new();
    let whole = fold(&[folder.file("whole.csv", separated(&rows, b',', [0, 1, 2, 3, 4]))], 2);
    let parts = [
        folder.file("part-1.csv", separated(&rows[..1000], b',', [0, 1, 2, 3, 4])),
        folder.file("part-2.csv", separated(&rows[1000..2500], b';', [4, 2, 0, 1, 3])),
        folder.file("part-3.jsonl", json_lines(&rows[2500..4000])),
        folder.file("part-4.parquet", parquet(&rows[4000..], Lie::Plain, 300, true)),
    ];
    let one = fold(&parts, 1);
    assert_same(&whole, &one, "several files");
    for threads in [2, 7] {
        assert_eq!(bits(&one), bits(&fold(&parts, threads)), "several files");
        assert_eq!(bits(&one), bits(&fold(&[folder.path("part-*")], threads)), "a glob");
    }
    let table = Table::open(&parts, options(1)).unwrap();
    let cells = decoded(&table).unwrap();
    assert!(cells.numbers().iter().copied().eq(0..5000), "rows are numbered over all files");
    let colours: Vec<Option<&str>> = rows.iter().map(|row| row.colour).collect();
    assert_eq!(cells.column("colour"), colours);
}

#[test]
fn files_of_other_columns_are_no_part_of_the_table() {
    let folder = Folder::new();
    let first = folder.file("a.csv", "x,y\na,1.5\n");
    let second = folder.file("b.csv", "x,z\na,1.5\n");
    let error = Table::open(&[first, second], ReadOptions::default()).err().unwrap().to_string();
    assert!(error.contains("b.csv") && error.contains("lacks `y`") && error.contains("also has `z`"), "{error}");
}

/// The kinds come from the first rows of the table, in whichever file they stand and in whatever order.
#[test]
fn later_files_with_columns_in_another_order_also_decide_the_kinds() {
    let folder = Folder::new();
    let first = folder.file("a.csv", "x,y\n1,a\n2,b\n1,a\n2,b\n");
    let same_order = folder.file("b.csv", "x,y\n1.5,a\n");
    let other_order = folder.file("c.csv", "y,x\na,1.5\n");
    for second in [same_order, other_order] {
        let table = Table::open(&[first.clone(), second], ReadOptions::default()).unwrap();
        assert_eq!((kind(&table, "x"), kind(&table, "y")), ("numeric", "category"));
    }
}

/// Rows of a columnar file are numbered in their own file, as lines are.
#[test]
fn a_fault_in_a_second_parquet_file_names_the_row_of_that_file() {
    let folder = Folder::new();
    let parquet = |prices: Vec<f64>| {
        let schema = Arc::new(ArrowSchema::new(vec![Field::new("price", DataType::Float64, true)]));
        let batch = RecordBatch::try_new(schema.clone(), vec![Arc::new(Float64Array::from(prices))]).unwrap();
        let mut writer = ArrowWriter::try_new(Vec::new(), schema, None).unwrap();
        writer.write(&batch).unwrap();
        writer.into_inner().unwrap()
    };
    let paths = [folder.file("a.parquet", parquet(vec![0.5; 10])), folder.file("b.parquet", parquet(vec![1.5, f64::INFINITY]))];
    let error = counted(&Table::open(&paths, ReadOptions::default()).unwrap()).err().unwrap();
    assert!(error.to_string().contains("b.parquet:2: column `price`"), "{error}");
}

#[test]
fn unsigned_and_short_numbers_are_read_as_they_are() {
    let columns: Vec<ArrayRef> = vec![Arc::new(UInt16Array::from(vec![1, 2, 1, 65_535])), Arc::new(Float32Array::from(vec![0.5; 4]))];
    let fields = vec![Field::new("u", DataType::UInt16, false), Field::new("f", DataType::Float32, false)];
    let batch = RecordBatch::try_new(Arc::new(ArrowSchema::new(fields)), columns).unwrap();
    let mut writer = arrow_ipc::writer::FileWriter::try_new(Vec::new(), &batch.schema()).unwrap();
    writer.write(&batch).unwrap();
    let cells = crate::support::read("a.arrow", writer.into_inner().unwrap(), ReadOptions::default()).unwrap();
    assert_eq!(cells.column("u"), [Some("1"), Some("2"), Some("1"), Some("65535")]);
    assert_eq!(cells.column("f"), [Some("0.5"); 4]);
}

/// Bytes that are not UTF-8 are a fault of a state, as in CSV; and a number of 32 bits is written with the digits it has.
#[test]
fn states_of_bytes_and_of_short_numbers() {
    let folder = Folder::new();
    let categories = || ReadOptions { types: vec![("*".into(), ColumnType::Category)], ..ReadOptions::default() };
    let write = |name: &str, column: ArrayRef| {
        let batch = RecordBatch::try_from_iter([("x", column)]).unwrap();
        let mut bytes = Vec::new();
        let mut writer = ArrowWriter::try_new(&mut bytes, batch.schema(), None).unwrap();
        writer.write(&batch).unwrap();
        writer.close().unwrap();
        folder.table(name, bytes, categories()).and_then(|table| decoded(&table))
    };
    let words = write("words.parquet", Arc::new(BinaryArray::from_vec(vec![b"a", b"b", b"a"]))).unwrap();
    assert_eq!(words.column("x"), [Some("a"), Some("b"), Some("a")]);
    let error = write("bytes.parquet", Arc::new(BinaryArray::from_vec(vec![b"a", b"\xff", b"a"]))).err().unwrap();
    assert!(error.to_string().contains("UTF-8"), "{error}");
    let short = write("short.parquet", Arc::new(Float32Array::from(vec![0.1_f32, 2.0, 0.1]))).unwrap();
    assert_eq!(short.column("x"), [Some("0.1"), Some("2"), Some("0.1")]);
}

/// Two whole numbers that are one number of 64 bits with a fraction are two states, and a number is passed on digit by digit.
#[test]
fn numbers_of_json_lines_are_as_they_are_written() {
    let lines = [
        r#"{"id":36893488147419103232,"x":0.9999999645093359,"y":{"z": 1.10, "t":[ 9007199254740993.0 ,"caf\u00e9"]},"k":"p"}"#,
        r#"{"id":36893488147419103233,"x":1.50,"y":[],"k":"q"}"#,
        r#"{"id":36893488147419103232,"x":-0,"y":null,"k":"p"}"#,
    ];
    let folder = Folder::new();
    let table = folder.table("t.jsonl", lines.join("\n"), all_states()).unwrap();
    let rows = decoded(&table).unwrap();
    let ids = ["36893488147419103232", "36893488147419103233", "36893488147419103232"];
    assert_eq!(rows.column("id"), ids.map(Some));
    assert_eq!(rows.column("x"), [Some("0.9999999645093359"), Some("1.50"), Some("-0")]);
    assert_eq!(rows.column("y"), [Some("{\"z\":1.10,\"t\":[9007199254740993.0,\"café\"]}"), Some("[]"), None]);
    let mut bytes = Vec::new();
    let answer = |chunk: belief::Chunk<'_>| {
        Ok(tunbridge_data::Answers { predicted: vec![None; chunk.n_rows], probability: vec![f64::NAN; chunk.n_rows] })
    };
    table.write_answers(&["a".into()], tunbridge_data::OutputFormat::JsonLines, true, &mut bytes, answer).unwrap();
    let text = String::from_utf8(bytes).unwrap();
    let input = r#""input":{"id":36893488147419103232,"x":0.9999999645093359,"y":{"z":1.10,"t":[9007199254740993.0,"café"]},"k":"p"}"#;
    assert!(text.lines().next().unwrap().contains(input), "{text}");
}

/// As texts of tables in other formats are, and they are passed on so.
#[test]
fn lines_of_json_that_are_not_utf8_are_windows_1252() {
    let folder = Folder::new();
    let bytes = b"{\"caf\xE9\":\"naive\",\"text\":\"\x93good\x94\"}\n{\"caf\xE9\":\"plain\",\"text\":\"b\xE9\\n\"}\n{\"text\":\"ok\"}\n";
    let options = ReadOptions { text: vec!["text".into()], target: Some("café".into()), ..ReadOptions::default() };
    let table = folder.table("t.jsonl", bytes, options).unwrap();
    let fold = counted(&table).unwrap();
    assert_eq!((fold.report.n_rows, fold.report.n_not_utf8), (3, 2));
    assert_eq!(states(&fold.schema, "café"), ["naive", "plain"]);
    assert_eq!(fold.schema.variables()[1].kind.states().unwrap().names(), ["bé", "good", "ok"]);
    let mut bytes = Vec::new();
    let answer = |chunk: belief::Chunk<'_>| {
        Ok(tunbridge_data::Answers { predicted: vec![None; chunk.n_rows], probability: vec![f64::NAN; chunk.n_rows] })
    };
    let report = table.write_answers(&["a".into()], tunbridge_data::OutputFormat::Csv, true, &mut bytes, answer).unwrap();
    let text = String::from_utf8(bytes).unwrap();
    assert!(text.contains("naive,“good”") && report.n_not_utf8 == 2, "{text}");
}

/// And of a text they are Windows-1252, as in any other format.
#[test]
fn texts_of_bytes_are_read_as_texts_are() {
    let texts = BinaryArray::from_vec(vec![b"caf\xe9 good", b"plain good"]);
    let batch = RecordBatch::try_from_iter([("text", Arc::new(texts) as ArrayRef)]).unwrap();
    let mut bytes = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut bytes, batch.schema(), None).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    let folder = Folder::new();
    let table = folder.table("t.parquet", bytes, ReadOptions { text: vec!["text".into()], ..ReadOptions::default() }).unwrap();
    let fold = counted(&table).unwrap();
    assert_eq!((fold.report.n_rows, fold.report.n_not_utf8), (2, 1));
    assert_eq!(fold.schema.variables()[0].kind.states().unwrap().names(), ["café", "good", "plain"]);
}

proptest! {
    /// Texts are looked up as they lie, and those of dictionaries once each: also those that a cell of CSV would have in quotes.
    #[test]
    fn texts_are_the_states_that_dictionaries_of_them_are(
        met in proptest::collection::vec(proptest::option::weighted(0.9, "[a\" ]{0,9}|é{1,5}"), 1..60),
        later in proptest::collection::vec(proptest::option::weighted(0.9, "[ab]{0,20}"), 0..20),
    ) {
        // Those that come later are not among the first rows, by which states are known.
        let texts: Vec<Option<&str>> = met.iter().cycle().take(70_000).chain(&later).map(Option::as_deref).collect();
        let as_one = |array: ArrayRef| {
            let batch = RecordBatch::try_from_iter_with_nullable([("c", array, true)]).unwrap();
            let mut file = Vec::new();
            let mut writer = arrow_ipc::writer::FileWriter::try_new(&mut file, &batch.schema()).unwrap();
            writer.write(&batch).unwrap();
            writer.finish().unwrap();
            drop(writer);
            let folder = Folder::new();
            decoded(&folder.table("t.arrow", file, all_states()).unwrap()).unwrap()
        };
        let expected = as_one(Arc::new(texts.iter().copied().collect::<DictionaryArray<Int32Type>>()));
        let arrays: [ArrayRef; 3] =
            [Arc::new(StringArray::from(texts.clone())), Arc::new(LargeStringArray::from(texts.clone())), Arc::new(texts.iter().map(|text| text.map(str::as_bytes)).collect::<BinaryArray>())];
        for array in arrays {
            let found = as_one(array);
            prop_assert_eq!(found.states("c"), expected.states("c"));
            prop_assert!(found.column("c") == expected.column("c"));
        }
    }
}

/// What R and pandas call ordered: levels keep their order, also those that no row has. Of other dictionaries the order is chance, and so it is in
/// Parquet, unless it was written by a program that writes dictionaries as they are.
#[test]
fn ordered_categories_keep_their_order() {
    let kind = DataType::Dictionary(Box::new(DataType::Int8), Box::new(DataType::Utf8));
    let keys = Int8Array::from(vec![Some(0), Some(1), None, Some(2), Some(0)]);
    let values = Arc::new(StringArray::from(vec!["low", "mid", "high", "never"]));
    let levels = Arc::new(DictionaryArray::try_new(keys, values).unwrap()) as ArrayRef;
    let [in_order, sorted] = [&["low", "mid", "high"][..], &["high", "low", "mid"]];
    for is_ordered in [true, false] {
        #[expect(deprecated, reason = "the number of the dictionary is asked for beside its order, and means nothing")]
        let field = Field::new_dict("level", kind.clone(), true, 0, is_ordered);
        let batch = RecordBatch::try_new(Arc::new(ArrowSchema::new(vec![field])), vec![levels.clone()]).unwrap();
        let mut feather = arrow_ipc::writer::FileWriter::try_new(Vec::new(), &batch.schema()).unwrap();
        feather.write(&batch).unwrap();
        feather.finish().unwrap();
        let parquet = |by: &str| {
            let properties = WriterProperties::builder().set_created_by(by.into()).build();
            let mut parquet = ArrowWriter::try_new(Vec::new(), batch.schema(), Some(properties)).unwrap();
            parquet.write(&batch).unwrap();
            parquet.into_inner().unwrap()
        };
        let files = [
            ("t.arrow", feather.into_inner().unwrap(), is_ordered, is_ordered),
            ("cpp.parquet", parquet("parquet-cpp-arrow version 26.0.1"), is_ordered, false),
            ("rs.parquet", parquet("parquet-rs version 59.3.2"), false, false),
        ];
        for (name, bytes, is_declared, has_all) in files {
            let table = crate::support::open(name, bytes, ReadOptions::default()).unwrap();
            let counted = crate::support::counted(&table).unwrap();
            let states = counted.schema.variables()[0].kind.states().unwrap();
            let met: Vec<&str> = states.iter().filter(|name| *name != "never").collect();
            let expected = if is_declared { in_order } else { sorted };
            assert_eq!((met, states.is_ordered()), (expected.to_vec(), is_declared), "{name}");
            assert_eq!(states.iter().any(|name| name == "never"), has_all, "{name}");
        }
    }
}
