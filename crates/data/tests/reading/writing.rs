//! Rows passed on with answers behind them.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int32Type};
use arrow_array::{
    Array, ArrayRef, DictionaryArray, Float64Array, Int32Array, ListArray, RecordBatch, StringArray, TimestampMillisecondArray,
};
use arrow_schema::{DataType, Field, Schema as ArrowSchema};
use belief::{Chunk, Observations};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::basic::Compression;
use parquet::file::properties::WriterProperties;
use tunbridge_data::{Answers, ColumnType, DataError, Header, OnBadRow, OutputFormat, ReadOptions, RowText, Table, UnknownStates};

use crate::support::Folder;

const STATES: [&str; 2] = ["no", "yes"];

/// An answer that tells the row's number, and none for every 997th.
fn answer(chunk: Chunk<'_>) -> Result<Answers, DataError> {
    let mut answers = Answers::default();
    for row in chunk.first_row..chunk.first_row + chunk.n_rows as u64 {
        let known = row % 997 != 0;
        answers.predicted.push(known.then_some((row % 2) as u32));
        let p = if known { 1.0 / (row as f64 + 2.0) } else { f64::NAN };
        answers.probability.extend([p, 1.0 - p]);
    }
    Ok(answers)
}

fn written(table: &Table, format: OutputFormat) -> Vec<u8> {
    written_or_not(table, format).unwrap()
}

fn written_or_not(table: &Table, format: OutputFormat) -> Result<Vec<u8>, DataError> {
    let mut bytes = Vec::new();
    table.write_answers(&STATES.map(String::from), format, true, &mut bytes, answer)?;
    Ok(bytes)
}

/// Columns of many kinds, some with gaps, one of them nested.
fn batch(n: usize) -> RecordBatch {
    let words = ["red", "green", "blue"];
    let colours: DictionaryArray<Int32Type> = (0..n).map(|i| (i % 7 > 0).then(|| words[i % 3])).collect();
    let texts: StringArray = (0..n).map(|i| (i % 5 > 0).then(|| format!("text {}", i % 100))).collect();
    let numbers: Float64Array = (0..n).map(|i| (i % 11 > 0).then(|| i as f64 / 7.0)).collect();
    let whole: Int32Array = (0..n as i32).collect();
    let times = TimestampMillisecondArray::from_iter_values((0..n as i64).map(|i| i * 86_400_000)).with_timezone("+02:00");
    let lists = ListArray::from_iter_primitive::<Float64Type, _, _>((0..n).map(|i| (i % 3 > 0).then(|| vec![Some(i as f64); i % 4])));
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("colour", Arc::new(colours)),
        ("text", Arc::new(texts)),
        ("x", Arc::new(numbers)),
        ("n", Arc::new(whole)),
        ("when", Arc::new(times)),
        ("list", Arc::new(lists)),
    ];
    let fields: Vec<Field> = columns.iter().map(|(name, array)| Field::new(*name, array.data_type().clone(), true)).collect();
    RecordBatch::try_new(Arc::new(ArrowSchema::new(fields)), columns.into_iter().map(|(_, array)| array).collect()).unwrap()
}

fn parquet(batch: &RecordBatch, rows_in_group: usize) -> Vec<u8> {
    let properties =
        WriterProperties::builder().set_max_row_group_row_count(Some(rows_in_group)).set_compression(Compression::SNAPPY).build();
    let mut writer = ArrowWriter::try_new(Vec::new(), batch.schema(), Some(properties)).unwrap();
    writer.write(batch).unwrap();
    writer.into_inner().unwrap()
}

fn read_parquet(bytes: Vec<u8>) -> RecordBatch {
    let builder = ParquetRecordBatchReaderBuilder::try_new(bytes::Bytes::from(bytes)).unwrap();
    let schema = builder.schema().clone();
    let batches: Vec<RecordBatch> = builder.build().unwrap().map(Result::unwrap).collect();
    arrow_select::concat::concat_batches(&schema, &batches).unwrap()
}

fn options() -> ReadOptions {
    let mut options = ReadOptions::default();
    options.types.push(("n".into(), ColumnType::Numeric));
    options
}

#[test]
fn parquet_is_passed_on_as_it_is_with_the_answers_behind_it() {
    let folder = Folder::new();
    let whole = batch(5_300);
    let (first, second) = (whole.slice(0, 3_000), whole.slice(3_000, 2_300));
    let paths = [folder.file("a.parquet", parquet(&first, 1_000)), folder.file("b.parquet", parquet(&second, 800))];
    // Where rows may be left out, columns cannot be passed on byte by byte.
    for on_bad_row in [OnBadRow::Error, OnBadRow::Skip] {
        let table = Table::open(&paths, ReadOptions { on_bad_row, ..options() }).unwrap();
        let found = read_parquet(written(&table, OutputFormat::Parquet));
        assert_eq!(found.num_rows(), whole.num_rows());
        for (place, column) in whole.columns().iter().enumerate() {
            assert_eq!(found.schema().field(place), whole.schema().field(place));
            assert_eq!(found.column(place), column, "{}", whole.schema().field(place).name());
        }
        let names: Vec<String> = found.schema().fields().iter().skip(6).map(|f| f.name().clone()).collect();
        assert_eq!(names, ["predicted", "p(no)", "p(yes)"]);
        let predicted = arrow_cast::cast(found.column(6), &DataType::Utf8).unwrap();
        for row in 0..found.num_rows() {
            let known = row % 997 != 0;
            assert_eq!(predicted.as_string::<i32>().is_valid(row), known);
            let p = found.column(7).as_primitive::<Float64Type>();
            assert_eq!(p.is_valid(row), known);
            if known {
                assert_eq!(predicted.as_string::<i32>().value(row), STATES[row % 2]);
                assert_eq!(p.value(row), 1.0 / (row as f64 + 2.0));
            }
        }
    }
}

#[test]
fn the_same_bytes_on_any_number_of_threads() {
    let folder = Folder::new();
    let path = folder.file("a.parquet", parquet(&batch(150_000), 140_000));
    for format in [OutputFormat::Parquet, OutputFormat::Arrow, OutputFormat::Csv, OutputFormat::JsonLines] {
        let with = |threads| written(&Table::open(&[&path], ReadOptions { threads, ..options() }).unwrap(), format);
        let one = with(1);
        assert!(with(3) == one, "{format:?}");
    }
}

#[test]
fn files_of_two_dialects_are_written_in_one() {
    let folder = Folder::new();
    let comma = folder.file("a.csv", "c,x\nred,1\n\"a,b\",2\n");
    let semicolon = folder.file("b.csv", "c;x\ngreen;3\n\"a;b\";4\n\"d,e\";5\n");
    let table = Table::open(&[comma.clone(), semicolon], ReadOptions::default()).unwrap();
    let text = String::from_utf8(written(&table, OutputFormat::Csv)).unwrap();
    let cells: Vec<&str> = text.lines().map(|line| line.rsplitn(4, ',').last().unwrap()).collect();
    assert_eq!(cells, ["c,x", "red,1", "\"a,b\",2", "green,3", "a;b,4", "\"d,e\",5"]);
    let table = Table::open(&[comma], ReadOptions::default()).unwrap();
    let text = String::from_utf8(written(&table, OutputFormat::Tsv)).unwrap();
    assert!(text.starts_with("c\tx\tpredicted\tp(no)\tp(yes)\nred\t1\t\t\t\na,b\t2\tyes\t"), "{text}");
}

#[test]
fn cells_of_columns_that_are_left_out_are_passed_on_as_they_are() {
    let folder = Folder::new();
    let rows: String = (0..200).map(|i| format!("{i},{},2024-01-{:02}\n", ["a", "b"][i % 2], i % 28 + 1)).collect();
    let learned = Table::open(&[folder.file("a.csv", format!("id,c,day\n{rows}"))], ReadOptions::default()).unwrap();
    let later = folder.file("b.csv", "id,c,day\nA17,a,2024-01-31\n00123,b,2024-02-01\n");
    let table = Table::open_as(&[later], ReadOptions::default(), learned.schema(), UnknownStates::Missing, true).unwrap();
    let found = read_parquet(written(&table, OutputFormat::Parquet));
    let texts = |column: usize| found.column(column).as_string::<i32>().iter().flatten().map(String::from).collect::<Vec<_>>();
    assert_eq!(texts(0), ["A17", "00123"]);
    assert_eq!(texts(2), ["2024-01-31", "2024-02-01"]);
}

/// A file that is called CSV has commas, whatever was between the cells before, unless that is another mark than a tab.
#[test]
fn tabs_are_kept_only_where_they_are_asked_for() {
    let folder = Folder::new();
    let first_line = |text: &str, format| {
        let table = Table::open(&[folder.file("a.txt", text)], ReadOptions { header: Header::Present, ..ReadOptions::default() }).unwrap();
        String::from_utf8(written(&table, format)).unwrap().lines().nth(1).unwrap().to_string()
    };
    assert_eq!(first_line("a\tb\nx,y\tz\n", OutputFormat::Csv), "\"x,y\",z,,,");
    assert_eq!(first_line("a\tb\nx,y\tz\n", OutputFormat::Tsv), "x,y\tz\t\t\t");
    assert_eq!(first_line("a\tb\nx,y\tz\n", OutputFormat::Separated), "x,y\tz\t\t\t");
    assert_eq!(first_line("a;b\nx;z\n", OutputFormat::Csv), "x;z;;;");
}

/// Such as pandas writes where a column has no value at all, or times with a zone.
#[test]
fn blanks_of_any_type_are_null_and_times_of_named_zones_are_written_in_utc() {
    use arrow_array::NullArray;
    let times = TimestampMillisecondArray::from(vec![Some(86_400_000), None]).with_timezone("UTC");
    let columns: [(&str, ArrayRef); 3] =
        [("none", Arc::new(NullArray::new(2))), ("when", Arc::new(times)), ("colour", Arc::new(StringArray::from(vec!["red", "blue"])))];
    let folder = Folder::new();
    let table =
        Table::open(&[folder.file("a.parquet", parquet(&RecordBatch::try_from_iter(columns).unwrap(), 10))], ReadOptions::default())
            .unwrap();
    let lines = String::from_utf8(written(&table, OutputFormat::JsonLines)).unwrap();
    assert!(lines.contains(r#""input":{"none":null,"when":"1970-01-02T00:00:00Z","colour":"red"}"#), "{lines}");
    assert!(lines.contains(r#""input":{"none":null,"when":null,"colour":"blue"}"#), "{lines}");
}

#[test]
fn files_of_other_types_are_named() {
    let folder = Folder::new();
    let csv = folder.file("a.csv", "colour,text,x,n,when,list\nred,t,1,1,2020-01-01,\n");
    let parquet = folder.file("b.parquet", parquet(&batch(10), 10));
    let table = Table::open(&[csv, parquet], ReadOptions::default()).unwrap();
    let mut bytes = Vec::new();
    let error = table.write_answers(&STATES.map(String::from), OutputFormat::Arrow, true, &mut bytes, answer).unwrap_err().to_string();
    assert!(error.contains("b.parquet") && error.contains("other types"), "{error}");
}

#[test]
fn answers_alone() {
    let folder = Folder::new();
    let table = Table::open(&[folder.file("a.csv", "c,x\nred,1\ngreen,2\n")], ReadOptions::default()).unwrap();
    let alone = |format| {
        let mut bytes = Vec::new();
        table.write_answers(&STATES.map(String::from), format, false, &mut bytes, answer).unwrap();
        bytes
    };
    let text = |format| String::from_utf8(alone(format)).unwrap();
    let p = 1.0 / 3.0;
    assert_eq!(text(OutputFormat::Csv), format!("predicted,p(no),p(yes)\n,,\nyes,{p},{}\n", 1.0 - p));
    let second = format!("{{\"row\":2,\"predicted\":\"yes\",\"probability\":{{\"no\":{p},\"yes\":{}}}}}", 1.0 - p);
    assert_eq!(text(OutputFormat::JsonLines).lines().nth(1).unwrap(), second);
    let found = read_parquet(alone(OutputFormat::Parquet));
    assert_eq!((found.num_rows(), found.num_columns()), (2, 3));
}

/// However the rows are dealt out among threads, and whether numbers lie plainly in the file or are unpacked.
#[test]
fn row_groups_of_answers_do_not_depend_on_threads() {
    let n = 300_000_u32;
    let numbers = Float64Array::from_iter_values((0..n).map(|row| f64::from(row) / 7.0));
    let batch = RecordBatch::try_from_iter([("x", Arc::new(numbers) as ArrayRef)]).unwrap();
    let folder = Folder::new();
    for (name, packing) in [("plain", Compression::UNCOMPRESSED), ("packed", Compression::SNAPPY)] {
        let mut bytes = Vec::new();
        let properties = WriterProperties::builder().set_dictionary_enabled(false).set_compression(packing).build();
        let mut writer = ArrowWriter::try_new(&mut bytes, batch.schema(), Some(properties)).unwrap();
        writer.write(&batch).unwrap();
        writer.close().unwrap();
        let path = folder.file(&format!("{name}.parquet"), bytes);
        let answers = [1, 2, 3, 7].map(|threads| {
            let table = Table::open(&[&path], ReadOptions { threads, ..ReadOptions::default() }).unwrap();
            let mut bytes = Vec::new();
            table.write_answers(&STATES.map(String::from), OutputFormat::Parquet, false, &mut bytes, answer).unwrap();
            bytes
        });
        assert!(answers.iter().all(|bytes| *bytes == answers[0]), "{name}");
        assert_eq!(read_parquet(answers[0].clone()).num_rows(), n as usize);
    }
}

/// The rows of a table as they are passed on, one a line.
fn passed_on(table: &Table, text: RowText) -> String {
    let mut all = String::new();
    let each = |chunk: Chunk<'_>, rows: tunbridge_data::PassedOn| {
        let row = |row: usize| String::from_utf8(rows.row(row).to_vec()).unwrap() + "\n";
        assert!(rows.row(chunk.n_rows).is_empty(), "no row is behind the last");
        Ok((0..chunk.n_rows).map(row).collect::<String>())
    };
    let take = |some: String| {
        all += &some;
        Ok(())
    };
    table.each_chunk_passed_on(Some(text), each, take).unwrap();
    all
}

#[test]
fn rows_of_any_format_stand_as_they_are() {
    let folder = Folder::new();
    let open = |name: &str, text: &str, options: ReadOptions| Table::open(&[folder.file(name, text)], options).unwrap();
    let comma = open("a.csv", "c,x,t\r\nred,1.50,\"a, b\"\r\n green ,,\r\n\"00\",-2e3,\"say \"\"so\"\"\"\r\n", ReadOptions::default());
    assert_eq!(passed_on(&comma, RowText::Csv), "red,1.50,\"a, b\"\n green ,,\n\"00\",-2e3,\"say \"\"so\"\"\"\n");
    assert_eq!(
        passed_on(&comma, RowText::Json),
        "{\"c\":\"red\",\"x\":1.50,\"t\":\"a, b\"}\n{\"c\":\"green\",\"x\":null,\"t\":null}\n{\"c\":\"00\",\"x\":-2e3,\"t\":\"say \\\"so\\\"\"}\n"
    );
    let semicolon = open("b.csv", "c;x\nred;1\n\"a,b\";2\n", ReadOptions::default());
    assert_eq!(passed_on(&semicolon, RowText::Csv), "red,1\n\"a,b\",2\n");
    let lines = open("c.jsonl", "{\"c\":\"red\",\"x\":1}\n{\"x\":2.5,\"c\":null}\n{\"c\":\"a,b\"}\n", ReadOptions::default());
    assert_eq!(passed_on(&lines, RowText::Csv), "red,1\n,2.5\n\"a,b\",\n");
    assert_eq!(passed_on(&lines, RowText::Json), "{\"c\":\"red\",\"x\":1}\n{\"c\":null,\"x\":2.5}\n{\"c\":\"a,b\",\"x\":null}\n");
    let arff =
        open("d.arff", "@relation r\n@attribute c {red,'a b'}\n@attribute x numeric\n@data\nred,1\n'a b',?\n", ReadOptions::default());
    assert_eq!(passed_on(&arff, RowText::Csv), "red,1\na b,\n");
    assert_eq!(passed_on(&arff, RowText::Json), "{\"c\":\"red\",\"x\":1}\n{\"c\":\"a b\",\"x\":null}\n");
    // Rows that are left out are not passed on, and those around them stay with their own.
    let skipping = || ReadOptions { on_bad_row: OnBadRow::Skip, types: vec![("x".into(), ColumnType::Numeric)], ..ReadOptions::default() };
    let skipped = open("e.csv", "c,x\nred,1\nred\nblue,2\n", skipping());
    assert_eq!(passed_on(&skipped, RowText::Csv), "red,1\nblue,2\n");
    // Whole columns of many kinds, in chunks of any size, by any number of threads.
    let path = folder.file("f.parquet", parquet(&batch(5_000), 1_700));
    let with = |threads: usize, rows: usize, text| {
        passed_on(&Table::open(&[&path], ReadOptions { threads, ..options() }).unwrap().in_chunks_of(rows), text)
    };
    for text in [RowText::Csv, RowText::Json] {
        let one = with(1, 100_000, text);
        assert_eq!(one.lines().count(), 5_000);
        assert!(with(3, 64, text) == one, "{text:?}");
    }
    let mut arrow = arrow_ipc::writer::FileWriter::try_new(Vec::new(), &batch(5_000).schema()).unwrap();
    arrow.write(&batch(5_000)).unwrap();
    let arrow = Table::open(&[folder.file("f.arrow", arrow.into_inner().unwrap())], options()).unwrap().in_chunks_of(64);
    for text in [RowText::Csv, RowText::Json] {
        assert!(passed_on(&arrow, text) == with(1, 100_000, text), "{text:?}");
    }
    let first = "{\"colour\":null,\"text\":null,\"x\":null,\"n\":0,\"when\":\"1970-01-01T02:00:00+02:00\",\"list\":null}";
    assert_eq!(with(2, 64, RowText::Json).lines().next(), Some(first));
    // Files whose columns are others cannot be one table.
    let (a, b) = (folder.file("g.csv", "c,x\nred,1\n"), folder.file("h.csv", "x,c\n1,red\n"));
    let table = Table::open(&[a, b], ReadOptions::default()).unwrap();
    let error = table.each_chunk_passed_on(Some(RowText::Csv), |_, _| Ok(()), |()| Ok(())).unwrap_err().to_string();
    assert!(error.contains("h.csv") && error.contains("another order"), "{error}");
}

fn arrow(columns: Vec<(&str, ArrayRef)>) -> Vec<u8> {
    let batch = RecordBatch::try_from_iter_with_nullable(columns.into_iter().map(|(name, array)| (name, array, true))).unwrap();
    let mut bytes = Vec::new();
    let mut writer = arrow_ipc::writer::FileWriter::try_new(&mut bytes, &batch.schema()).unwrap();
    writer.write(&batch).unwrap();
    writer.finish().unwrap();
    drop(writer);
    bytes
}

/// Parquet knows no times by the second, and no days by the millisecond: whoever reads them from it must still see times.
#[test]
fn times_by_the_second_stay_times_in_parquet() {
    use arrow_array::{Date64Array, Time32SecondArray, TimestampSecondArray};
    let times = TimestampSecondArray::from_iter_values((0..20).map(|row| 1_704_067_200 + row));
    let keys = Int32Array::from_iter_values((0..20).map(|row| row % 2));
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("when", Arc::new(times.clone())),
        ("zoned", Arc::new(times.clone().with_timezone("+02:00"))),
        ("clock", Arc::new(Time32SecondArray::from_iter_values(0..20))),
        ("day", Arc::new(Date64Array::from_iter_values((0..20).map(|row| row * 86_400_000)))),
        ("again", Arc::new(DictionaryArray::try_new(keys, Arc::new(times)).unwrap())),
    ];
    let folder = Folder::new();
    let output = written(&folder.table("t.arrow", arrow(columns), ReadOptions::default()).unwrap(), OutputFormat::Parquet);
    // As other programs read it, by what Parquet itself says.
    let alone = parquet::arrow::arrow_reader::ArrowReaderOptions::new().with_skip_arrow_metadata(true);
    let reader = ParquetRecordBatchReaderBuilder::try_new_with_options(bytes::Bytes::from(output), alone).unwrap();
    let types: Vec<String> = reader.schema().fields().iter().take(5).map(|field| field.data_type().to_string()).collect();
    assert_eq!(types, ["Timestamp(ms)", "Timestamp(ms, \"UTC\")", "Time32(ms)", "Date32", "Timestamp(ms)"]);
    let rows = reader.build().unwrap().next().unwrap().unwrap();
    let shown = [0, 2, 3].map(|column| arrow_cast::display::array_value_to_string(rows.column(column), 3).unwrap());
    assert_eq!(shown, ["2024-01-01T00:00:03", "00:00:03", "1970-01-04"]);
}

/// A named zone may be that of times in a list or a dictionary.
#[test]
fn times_of_named_zones_are_in_utc_wherever_they_are() {
    let times = TimestampMillisecondArray::from_iter_values([0, 3_600_000]).with_timezone("UTC");
    let item = Arc::new(Field::new("item", times.data_type().clone(), true));
    let lists =
        ListArray::try_new(item.clone(), arrow_buffer::OffsetBuffer::from_lengths([0, 1, 1]), Arc::new(times.clone()), None).unwrap();
    let pairs = arrow_array::StructArray::try_new(vec![item].into(), vec![Arc::new(times.slice(0, 1)) as ArrayRef], None).unwrap();
    let pairs = arrow_select::concat::concat(&[&pairs, &pairs, &pairs]).unwrap();
    let keys = Int32Array::from(vec![Some(1), None, Some(0)]);
    let columns: Vec<(&str, ArrayRef)> =
        vec![("list", Arc::new(lists)), ("pair", pairs), ("again", Arc::new(DictionaryArray::try_new(keys, Arc::new(times)).unwrap()))];
    let folder = Folder::new();
    let table = folder.table("t.arrow", arrow(columns), crate::support::all_states()).unwrap();
    let text = String::from_utf8(written(&table, OutputFormat::JsonLines)).unwrap();
    assert!(
        text.contains("\"input\":{\"list\":\"[1970-01-01T00:00:00Z]\",\"pair\":\"{item: 1970-01-01T00:00:00Z}\",\"again\":null}"),
        "{text}"
    );
    let read = crate::support::decoded(&table).unwrap();
    assert_eq!(read.column("again"), [Some("1970-01-01T01:00:00Z"), None, Some("1970-01-01T00:00:00Z")]);
}

/// Numbers and truth values are bare in JSON, also those of dictionaries.
#[test]
fn numbers_of_dictionaries_are_numbers() {
    let keys = Int32Array::from(vec![1, 0]);
    let of = |values: ArrayRef| Arc::new(DictionaryArray::try_new(keys.clone(), values).unwrap()) as ArrayRef;
    let columns = vec![
        ("n", of(Arc::new(arrow_array::Int64Array::from(vec![7, -3])))),
        ("x", of(Arc::new(Float64Array::from(vec![0.5, 2.0])))),
        ("b", of(Arc::new(arrow_array::BooleanArray::from(vec![true, false])))),
        ("s", of(Arc::new(StringArray::from(vec!["1", "2"])))),
    ];
    let folder = Folder::new();
    let table = folder.table("t.arrow", arrow(columns), crate::support::all_states()).unwrap();
    let text = String::from_utf8(written(&table, OutputFormat::JsonLines)).unwrap();
    assert!(text.contains("\"input\":{\"n\":-3,\"x\":2.0,\"b\":false,\"s\":\"2\"}"), "{text}");
}

/// The reader of Parquet makes no dictionaries of truth values or decimals, whatever schema of Arrow a file carries.
#[test]
fn parquet_files_that_were_dictionaries_of_anything_are_read() {
    let plain: [ArrayRef; 2] = [
        Arc::new(arrow_array::BooleanArray::from(vec![true, false, true])),
        Arc::new(arrow_array::Decimal128Array::from(vec![15, 25, 15]).with_precision_and_scale(3, 1).unwrap()),
    ];
    for (array, expected) in plain.into_iter().zip([["true", "false"], ["1.5", "2.5"]]) {
        let batch = RecordBatch::try_from_iter([("v", array.clone())]).unwrap();
        let kind = DataType::Dictionary(Box::new(DataType::Int8), Box::new(array.data_type().clone()));
        let mut properties = WriterProperties::builder().build();
        let told = ArrowSchema::new(vec![Field::new("v", kind, false)]);
        parquet::arrow::add_encoded_arrow_schema_to_metadata(&told, &mut properties);
        let options = parquet::arrow::arrow_writer::ArrowWriterOptions::new().with_properties(properties).with_skip_arrow_metadata(true);
        let mut writer = ArrowWriter::try_new_with_options(Vec::new(), batch.schema(), options).unwrap();
        writer.write(&batch).unwrap();
        let folder = Folder::new();
        let table = folder.table("t.parquet", writer.into_inner().unwrap(), crate::support::all_states()).unwrap();
        let read = crate::support::decoded(&table).unwrap();
        assert_eq!(read.column("v"), [Some(expected[0]), Some(expected[1]), Some(expected[0])]);
        let text = String::from_utf8(written(&table, OutputFormat::Csv)).unwrap();
        assert!(text.contains(expected[1]), "{text}");
    }
}

/// Wherever the file is cut, and whatever the other rows hold.
#[test]
fn bytes_that_are_no_text_do_not_change_those_that_are() {
    let bytes = arrow_array::BinaryArray::from(vec![b"abc".as_slice(), b"\xff\x0e", b"abc"]);
    let folder = Folder::new();
    let options = ReadOptions { ignore: vec!["b".into()], ..crate::support::all_states() };
    let other = Arc::new(StringArray::from(vec!["p", "q", "p"])) as ArrayRef;
    let table = folder.table("t.arrow", arrow(vec![("a", other), ("b", Arc::new(bytes))]), options).unwrap();
    let text = String::from_utf8(written(&table, OutputFormat::Csv)).unwrap();
    let cells: Vec<&str> = text.lines().skip(1).map(|line| line.split(',').nth(1).unwrap()).collect();
    assert_eq!(cells, ["abc", "\\xff0e", "abc"]);
}

/// Its writer of Arrow arrays panics at some.
#[test]
fn columns_that_parquet_cannot_hold_are_named() {
    use arrow_array::types::Int32Type;
    let codes = arrow_buffer::ScalarBuffer::from(vec![0_i8, 1, 0]);
    let fields =
        arrow_schema::UnionFields::from_fields(vec![Field::new("i", DataType::Int32, true), Field::new("s", DataType::Utf8, true)]);
    let children: Vec<ArrayRef> = vec![Arc::new(Int32Array::from(vec![1, 2, 3])), Arc::new(StringArray::from(vec!["x", "y", "z"]))];
    let union = arrow_array::UnionArray::try_new(fields, codes, None, children).unwrap();
    let runs = arrow_array::RunArray::<Int32Type>::try_new(&Int32Array::from(vec![1, 3]), &Float64Array::from(vec![0.5, 1.5])).unwrap();
    let other = || Arc::new(StringArray::from(vec!["p", "q", "p"])) as ArrayRef;
    let folder = Folder::new();
    let options = || ReadOptions { ignore: vec!["odd".into()], ..crate::support::all_states() };
    let table = folder.table("u.arrow", arrow(vec![("a", other()), ("odd", Arc::new(union))]), options()).unwrap();
    let error = written_or_not(&table, OutputFormat::Parquet).unwrap_err().to_string();
    assert!(error.contains("column `odd` of type Union") && error.contains("cannot be written to Parquet"), "{error}");
    // As text it is whole.
    let text = String::from_utf8(written(&table, OutputFormat::Csv)).unwrap();
    assert!(text.contains("{i=1}") && text.contains("{s=y}"), "{text}");
    let table = folder.table("r.arrow", arrow(vec![("a", other()), ("odd", Arc::new(runs))]), crate::support::all_states()).unwrap();
    assert_eq!(crate::support::decoded(&table).unwrap().column("odd"), [Some("0.5"), Some("1.5"), Some("1.5")]);
}

/// Arrow makes `<invalid>` of any of them.
#[test]
fn lengths_of_time_that_cannot_be_told_are_named() {
    let lengths = arrow_array::DurationSecondArray::from(vec![10, i64::MAX / 2, 20]);
    let folder = Folder::new();
    let options = ReadOptions { ignore: vec!["b".into()], ..crate::support::all_states() };
    let other = Arc::new(StringArray::from(vec!["p", "q", "p"])) as ArrayRef;
    let bytes = arrow(vec![("a", other), ("b", Arc::new(lengths))]);
    let table = folder.table("t.arrow", &bytes, options).unwrap();
    assert!(written_or_not(&table, OutputFormat::Csv).unwrap_err().to_string().contains("column `b`"));
    let table = folder.table("s.arrow", &bytes, crate::support::all_states()).unwrap();
    assert!(crate::support::decoded(&table).err().unwrap().to_string().contains("column `b`"));
    // A text may say so.
    let words = || Arc::new(StringArray::from(vec!["<invalid>", "q", "p"])) as ArrayRef;
    let table = folder.table("w.arrow", arrow(vec![("a", words()), ("b", words())]), crate::support::all_states()).unwrap();
    assert!(String::from_utf8(written(&table, OutputFormat::Csv)).unwrap().contains("<invalid>,<invalid>"));
}

/// What is no number is a fault of its row, also where Arrow would make a gap of it.
#[test]
fn no_value_becomes_missing_by_being_read_as_a_number() {
    use arrow_array::types::Int32Type;
    let runs = arrow_array::RunArray::<Int32Type>::try_new(&Int32Array::from(vec![1, 3]), &StringArray::from(vec!["0.5", "b"])).unwrap();
    let keys = Int32Array::from(vec![1, 0, 1]);
    let truths = DictionaryArray::try_new(keys, Arc::new(arrow_array::BooleanArray::from(vec![true, false]))).unwrap();
    let folder = Folder::new();
    let numbers = || ReadOptions { types: vec![("*".into(), tunbridge_data::ColumnType::Numeric)], ..ReadOptions::default() };
    let table = folder.table("r.arrow", arrow(vec![("x", Arc::new(runs))]), numbers()).unwrap();
    assert!(crate::support::decoded(&table).err().unwrap().to_string().contains("`b` is not a number"));
    let table = folder.table("t.arrow", arrow(vec![("x", Arc::new(truths))]), numbers()).unwrap();
    assert_eq!(crate::support::decoded(&table).unwrap().column("x"), [Some("0"), Some("1"), Some("0")]);
}
