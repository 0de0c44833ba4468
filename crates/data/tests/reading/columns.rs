//! What a column is and what it is for: inferred kinds, weights, identifiers, markers of a missing value, headers, delimiters.

use belief::Role;
use tunbridge_data::{ColumnType, DataError, Header, OnBadRow, ReadOptions};

use crate::support::{Counted, Opened, all_states, counted, decoded, fault_at, kind, on_threads, open, read, role, totals};

fn table(text: &str, options: ReadOptions) -> Opened {
    open("a.csv", text, options).unwrap()
}

fn column(name: &str, cells: impl IntoIterator<Item = impl std::fmt::Display>) -> String {
    cells.into_iter().fold(format!("{name},other\n"), |text, cell| text + &format!("{cell},a\n"))
}

#[test]
fn whole_numbers_are_states_when_they_are_few_and_repeat() {
    let kind_of = |cells: Vec<String>| kind(&table(&column("x", cells), on_threads(1)), "x").to_string();
    let cycle = |n: usize, rows: usize| (0..rows).map(|i| (i % n).to_string()).collect::<Vec<_>>();
    assert_eq!(kind_of(cycle(10, 20)), "category");
    assert_eq!(kind_of(cycle(10, 19)), "numeric");
    assert_eq!(kind_of(cycle(11, 100)), "numeric");
    assert_eq!(kind_of(vec!["0.5".into(), "1".into(), "1".into(), "0.5".into()]), "numeric");
    assert_eq!(kind_of(vec!["1.0".into(), "2.0".into(), "1.0".into(), "2.0".into()]), "category");
    assert_eq!(kind_of(vec!["+1".into(), "-2".into(), "3e2".into(), ".5".into(), "7.".into()]), "numeric");
    assert_eq!(kind_of(vec!["1,5".replace(',', "."), "?".into(), "NaN".into(), String::new()]), "numeric");
    assert_eq!(kind_of(vec!["true".into(), "false".into()]), "category");
}

#[test]
fn a_target_of_up_to_a_hundred_whole_numbers_is_states() {
    let kind_of = |n: usize| {
        let text = column("x", (0..n).map(|i| i * 3));
        kind(&table(&text, ReadOptions { target: Some("x".into()), ..on_threads(1) }), "x").to_string()
    };
    assert_eq!(kind_of(100), "category");
    assert_eq!(kind_of(101), "numeric");
}

#[test]
fn identifiers_are_left_out_and_said_so() {
    let ids = table(&column("id", 1..=100), on_threads(1));
    assert!(matches!(role(&ids, "id"), Role::Ignored(why) if why.contains("numbers the rows")));
    let names = table(&column("name", (0..100).map(|i| format!("n{i}"))), on_threads(1));
    assert!(matches!(role(&names, "name"), Role::Ignored(why) if why.contains("identifier")));
    assert_eq!(decoded(&names).unwrap().column("name"), [None; 100]);
    let wanted = table(&column("name", (0..100).map(|i| format!("n{i}"))), all_states());
    assert_eq!(role(&wanted, "name"), &Role::Input);
    let twice = table(&column("x", (0..100).map(|i| i / 2)), on_threads(1));
    assert_eq!((kind(&twice, "x"), role(&twice, "x")), ("numeric", &Role::Input));
}

#[test]
fn empty_columns_dates_and_prose_are_left_out_with_their_reasons() {
    let reason = |cells: &[&str]| match role(&table(&column("x", cells), on_threads(1)), "x") {
        Role::Ignored(why) => why.clone(),
        other => format!("{other:?}"),
    };
    assert!(reason(&["", "?", " "]).contains("no values"));
    assert!(reason(&["2024-01-31", "1999-12-31T23:59:59"]).contains("date"));
    assert!(reason(&["31.01.2024", "1/2/2024"]).contains("date"));
    assert!(
        reason(&["a b c d e f", "the quick brown fox jumps", "over a lazy dog, it does"].map(|t| if t.contains(',') {
            "\"over a lazy, lazy dog\""
        } else {
            t
        }))
        .contains("text")
    );
    assert_eq!(reason(&["2024-13-31", "2024-01-31"]), "Input");
}

/// A day and a moment of it are one and a bit in the same unit, in texts as in columnar files.
#[test]
fn dates_that_are_called_numbers_are_days() {
    use arrow_array::{ArrayRef, Date32Array, Date64Array, RecordBatch, TimestampMillisecondArray};
    use std::sync::Arc;
    let numeric = || ReadOptions { types: vec![("*".into(), ColumnType::Numeric)], ..on_threads(1) };
    let found = read("a.csv", "x\n1970-01-03\n1970-01-03T12:00\n3.1.1970\n", numeric()).unwrap();
    assert_eq!(found.column("x"), [Some("2"), Some("2.5"), Some("2")]);
    let days: ArrayRef = Arc::new(Date32Array::from(vec![2, 3]));
    let milliseconds: ArrayRef = Arc::new(Date64Array::from(vec![2 * 86_400_000, 3 * 86_400_000]));
    let moments: ArrayRef = Arc::new(TimestampMillisecondArray::from(vec![2 * 86_400_000, 216_000_000]));
    let batch = RecordBatch::try_from_iter([("a", days), ("b", milliseconds), ("c", moments)]).unwrap();
    let mut writer = parquet::arrow::ArrowWriter::try_new(Vec::new(), batch.schema(), None).unwrap();
    writer.write(&batch).unwrap();
    let found = read("a.parquet", writer.into_inner().unwrap(), numeric()).unwrap();
    let text = |row: [&str; 3]| row.map(|x| Some(x.to_string())).to_vec();
    assert_eq!(found.rows, [text(["2", "2", "2"]), text(["3", "3", "2.5"])]);
    let error = read("a.csv", "x\n1/2/2024\n", numeric()).err().unwrap();
    assert!(error.hint().unwrap().contains("2024-01-31"), "{:?}", error.hint());
}

/// Names of zones need a table of them that no file has; times of day have no day; and what is nested is a text like any other.
#[test]
fn times_of_named_zones_times_of_day_and_nested_values_are_read_as_they_are_called() {
    use arrow_array::types::Int32Type;
    use arrow_array::{ArrayRef, ListArray, RecordBatch, Time32SecondArray, Time64MicrosecondArray, TimestampMillisecondArray};
    use std::sync::Arc;
    let moments: ArrayRef = Arc::new(TimestampMillisecondArray::from(vec![2 * 86_400_000, 216_000_000]).with_timezone("Europe/Berlin"));
    let seconds: ArrayRef = Arc::new(Time32SecondArray::from(vec![90, 3600]));
    let finer: ArrayRef = Arc::new(Time64MicrosecondArray::from(vec![1_500_000, 0]));
    let lists: ArrayRef = Arc::new(ListArray::from_iter_primitive::<Int32Type, _, _>([Some(vec![Some(1), Some(2)]), None]));
    let batch = RecordBatch::try_from_iter([("a", moments), ("b", seconds), ("c", finer), ("d", lists)]).unwrap();
    let mut writer = parquet::arrow::ArrowWriter::try_new(Vec::new(), batch.schema(), None).unwrap();
    writer.write(&batch).unwrap();
    let bytes = writer.into_inner().unwrap();
    let called = |kind: ColumnType, last: ColumnType| ReadOptions { types: vec![("*".into(), kind), ("d".into(), last)], ..on_threads(1) };
    let row = |row: [&str; 4]| row.map(|x| (!x.is_empty()).then(|| x.to_string())).to_vec();
    let found = read("a.parquet", bytes.clone(), called(ColumnType::Numeric, ColumnType::Category)).unwrap();
    assert_eq!(found.rows, [row(["2", "90", "1.5", "[1, 2]"]), row(["2.5", "3600", "0", ""])]);
    let found = read("a.parquet", bytes, called(ColumnType::Category, ColumnType::Category)).unwrap();
    assert_eq!(found.rows[0], row(["1970-01-03T00:00:00Z", "00:01:30", "00:00:01.500", "[1, 2]"]));
}

#[test]
fn types_by_name_and_pattern_and_the_last_word_counts() {
    let text = "a1,a2,b\n1,2,3\n4,5,6\n";
    let types = |pairs: &[(&str, ColumnType)]| {
        let types = pairs.iter().map(|(pattern, kind)| (pattern.to_string(), *kind)).collect();
        let table = table(&format!("a1,a2,b\nx,2,3\n{}", &text[9..]), ReadOptions { types, header: Header::Present, ..on_threads(1) });
        ["a1", "a2", "b"].map(|name| kind(&table, name).to_string())
    };
    use ColumnType::{Category, Numeric, Text};
    assert_eq!(types(&[]), ["category", "numeric", "numeric"]);
    assert_eq!(types(&[("*", Category)]), ["category"; 3]);
    assert_eq!(types(&[("*", Category), ("a*", Numeric)]), ["numeric", "numeric", "category"]);
    assert_eq!(types(&[("a*", Numeric), ("*", Text)]), ["text"; 3]);
    let wrong = ReadOptions { types: vec![("c*".into(), Numeric)], ..on_threads(1) };
    let error = open("a.csv", text, wrong).err().unwrap();
    assert!(error.to_string().contains("--types `c*` is no column"), "{error}");
}

#[test]
fn flags_that_name_no_column_are_reported_together() {
    let options = ReadOptions {
        target: Some("clas".into()),
        weight: Some("w".into()),
        ignore: vec!["zz*".into()],
        types: vec![("yy".into(), ColumnType::Text)],
        ..on_threads(1)
    };
    let error = open("a.csv", "class,x\na,1\n", options).err().unwrap();
    let words = error.to_string();
    assert!(["`clas`", "`w`", "`zz*`", "`yy`"].iter().all(|name| words.contains(name)), "{words}");
    assert!(error.hint().unwrap().contains("`class`"));
}

#[test]
fn markers_of_a_missing_value() {
    let text = "x,n\n-, 1.5\n?,-\n\"-\",none\n\"?\",NA\nNA,\" - \"\n\"\",\"2.5\"\n  ,  \n none ,\"-\"\n-1,3\n";
    let options = ReadOptions {
        missing: vec!["-".into(), "none".into()],
        types: vec![("x".into(), ColumnType::Category), ("n".into(), ColumnType::Numeric)],
        ..on_threads(1)
    };
    let error = read("a.csv", text, options.clone()).err().unwrap();
    assert_eq!(fault_at(&error), (6, "` - ` is not a number".to_string()), "a quoted cell keeps its spaces");
    let found = read("a.csv", text.replace("\" - \"", "-"), options).unwrap();
    let mut x = vec![None; 8];
    x.push(Some("-1"));
    assert_eq!(found.column("x"), x);
    assert_eq!(found.column("n"), [Some("1.5"), None, None, None, None, Some("2.5"), None, None, Some("3")]);
    assert_eq!(found.fold.report.n_missing, [8, 6]);
}

/// A marker may be a number, and then it means the number however it is written.
#[test]
fn numbers_that_mean_a_missing_value() {
    use arrow_array::{ArrayRef, Float64Array, Int32Array, RecordBatch};
    use std::sync::Arc;
    let options = ReadOptions { missing: vec!["-999".into()], ..on_threads(1) };
    let csv = "x,n\n-999,1.5\na,-999\nb, -999 \n\"-999\",-999.0\nc,\"-999\"\nd,2.5\n";
    let found = read("a.csv", csv, options.clone()).unwrap();
    assert_eq!(found.column("x"), [None, Some("a"), Some("b"), None, Some("c"), Some("d")]);
    assert_eq!(found.column("n"), [Some("1.5"), None, None, None, None, Some("2.5")]);
    let json = "{\"n\":-999}\n{\"n\":-999.0}\n{\"n\":\"-999\"}\n{\"n\":0.5}\n";
    assert_eq!(read("a.jsonl", json, options.clone()).unwrap().column("n"), [None, None, None, Some("0.5")]);
    let columns: [(&str, ArrayRef); 3] = [
        ("f", Arc::new(Float64Array::from(vec![-999.0, 0.5, 1.5]))),
        ("i", Arc::new(Int32Array::from(vec![-999, 1000, 20]))),
        ("c", Arc::new(Int32Array::from(vec![-999, 1, 1]))),
    ];
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    let mut writer = arrow_ipc::writer::FileWriter::try_new(Vec::new(), &batch.schema()).unwrap();
    writer.write(&batch).unwrap();
    let found = read("a.arrow", writer.into_inner().unwrap(), options).unwrap();
    assert_eq!(found.column("f"), [None, Some("0.5"), Some("1.5")]);
    assert_eq!(found.column("i"), [None, Some("1000"), Some("20")]);
    assert_eq!(found.column("c"), [None, Some("1"), Some("1")]);
}

/// However a program writes it.
#[test]
fn not_a_number_is_missing() {
    let found = read("a.csv", "x\n1.5\n-nan\nNan\n+NaN\n-NaN\n2.5\n", on_threads(1)).unwrap();
    assert_eq!(found.column("x"), [Some("1.5"), None, None, None, None, Some("2.5")]);
    // Among words it is a word.
    assert_eq!(read("a.csv", "x\nMum\nNan\n", on_threads(1)).unwrap().column("x"), [Some("Mum"), Some("Nan")]);
}

#[test]
fn a_target_that_is_also_the_weight_is_refused() {
    let options = ReadOptions { weight: Some("x".into()), target: Some("x".into()), ..on_threads(1) };
    assert!(open("a.csv", "x,y\n1,a\n", options).err().unwrap().to_string().contains("both the target and the weight"));
}

#[test]
fn weights_multiply_rows_and_are_no_evidence() {
    let text = "c,x,v,w\na,p,1.5,2\nb,q,2.5,0\na,p,3.5,0.5\nb,p,4.5,3\n";
    let options = ReadOptions { weight: Some("w".into()), target: Some("c".into()), ..on_threads(1) };
    let found = table(text, options.clone());
    assert_eq!((role(&found, "w"), kind(&found, "w")), (&Role::Weight, "numeric"));
    let fold = counted(&found).unwrap();
    // Nobody who counts has `q`.
    assert_eq!(totals(&fold, "x"), [("p".to_string(), 5.5)]);
    assert_eq!(totals(&fold, "c"), [("a".to_string(), 2.5), ("b".to_string(), 3.0)]);
    let Counted::Numbers(moments) = &fold.statistic.columns[2] else { panic!("v is numeric") };
    assert_eq!(moments.of_class()[0].mean, (1.5 * 2.0 + 3.5 * 0.5) / 2.5);
    assert_eq!(decoded(&found).unwrap().weights(), [2.0, 0.0, 0.5, 3.0]);
}

#[test]
fn a_weight_that_is_negative_or_missing_is_a_bad_row_in_every_format() {
    use arrow_array::{ArrayRef, Float64Array, RecordBatch, StringArray};
    use std::sync::Arc;
    let batch = |weights: Vec<Option<f64>>| {
        let n = weights.len();
        let x: ArrayRef = Arc::new(StringArray::from_iter_values((0..n).map(|row| ["p", "q"][row % 2])));
        RecordBatch::try_from_iter([("x", x), ("w", Arc::new(Float64Array::from(weights)) as ArrayRef)]).unwrap()
    };
    let arrow = |weights: Vec<Option<f64>>| {
        let batch = batch(weights);
        let mut writer = arrow_ipc::writer::FileWriter::try_new(Vec::new(), &batch.schema()).unwrap();
        writer.write(&batch).unwrap();
        writer.into_inner().unwrap()
    };
    let parquet = |weights: Vec<Option<f64>>| {
        let batch = batch(weights);
        let mut writer = parquet::arrow::ArrowWriter::try_new(Vec::new(), batch.schema(), None).unwrap();
        writer.write(&batch).unwrap();
        writer.into_inner().unwrap()
    };
    let csv = |w: &str| format!("x,w\np,1\nq,{w}\np,2\n").into_bytes();
    let arff = |w: &str| format!("@relation r\n@attribute x {{p,q}}\n@attribute w real\n@data\np,1\nq,{w}\np,2\n").into_bytes();
    let json = |w: &str| format!("{{\"x\":\"p\",\"w\":1}}\n{{\"x\":\"q\",\"w\":{w}}}\n{{\"x\":\"p\",\"w\":2}}\n").into_bytes();
    let files: Vec<(&str, Vec<u8>, u64)> = vec![
        ("negative.csv", csv("-1"), 3),
        ("missing.csv", csv("?"), 3),
        ("empty.csv", csv(""), 3),
        ("word.csv", csv("much"), 3),
        ("infinite.csv", csv("inf"), 3),
        ("negative.arff", arff("-0.5"), 6),
        ("missing.arff", arff("?"), 6),
        ("negative.jsonl", json("-2"), 2),
        ("missing.jsonl", json("null"), 2),
        ("negative.arrow", arrow(vec![Some(1.0), Some(-1.0), Some(2.0)]), 2),
        ("null.arrow", arrow(vec![Some(1.0), None, Some(2.0)]), 2),
        ("nan.arrow", arrow(vec![Some(1.0), Some(f64::NAN), Some(2.0)]), 2),
        ("negative.parquet", parquet(vec![Some(1.0), Some(-1.0), Some(2.0)]), 2),
        ("null.parquet", parquet(vec![Some(1.0), None, Some(2.0)]), 2),
        ("nan.parquet", parquet(vec![Some(1.0), Some(f64::NAN), Some(2.0)]), 2),
        ("infinite.parquet", parquet(vec![Some(1.0), Some(f64::INFINITY), Some(2.0)]), 2),
    ];
    for (name, bytes, line) in files {
        let options = |on_bad_row| ReadOptions { weight: Some("w".into()), on_bad_row, ..on_threads(1) };
        let error = read(name, &bytes, options(OnBadRow::Error)).err().unwrap_or_else(|| panic!("{name} was read"));
        let DataError::BadRow { place, .. } = &error else { panic!("{name}: {error}") };
        assert_eq!((place.line, place.column.as_deref()), (line, Some("w")), "{name}");
        let found = read(name, &bytes, options(OnBadRow::Skip)).unwrap();
        assert_eq!((found.column("x"), found.weights()), (vec![Some("p"), Some("p")], &[1.0, 2.0][..]), "{name}");
        assert_eq!((found.fold.report.n_rows, found.fold.report.n_skipped), (2, 1), "{name}");
        assert!(found.fold.report.first_skipped.as_ref().unwrap().contains(&format!("{name}:{line}")), "{name}");
    }
}

#[test]
fn a_first_row_of_numbers_is_no_header() {
    let numbers = table("1,2.5\n3,4\n5,6\n", on_threads(1));
    assert_eq!(numbers.column_names(), ["c1", "c2"]);
    assert_eq!(decoded(&numbers).unwrap().rows.len(), 3);
    let named = table("1,2.5\n3,4\n5,6\n", ReadOptions { header: Header::Present, ..on_threads(1) });
    assert_eq!(named.column_names(), ["1", "2.5"]);
    assert_eq!(decoded(&named).unwrap().rows.len(), 2);
    let words = table("a,b\nc,d\n", ReadOptions { header: Header::Absent, ..on_threads(1) });
    assert_eq!(words.column_names(), ["c1", "c2"]);
    assert_eq!(decoded(&words).unwrap().rows[0], [Some("a".to_string()), Some("b".to_string())]);
    assert_eq!(table("a,,c\n1,2,3\n", on_threads(1)).column_names(), ["a", "c2", "c"]);
    assert_eq!(table(" a ,\" b \",\"c\"\"d\",\"e\nf\"\n1,2,3,4\n", on_threads(1)).column_names(), ["a", " b ", "c\"d", "e\nf"]);
}

/// Fisher's irises come without a header, and so do most tables of the UCI repository.
#[test]
fn a_first_row_that_is_like_those_below_is_no_header_and_that_is_said() {
    let irises = "5.1,3.5,1.4,0.2,Iris-setosa\n4.9,3.0,1.4,0.2,Iris-setosa\n7.0,3.2,4.7,1.4,Iris-versicolor\n";
    for options in [on_threads(1), ReadOptions { delimiter: Some(b','), ..on_threads(1) }] {
        let found = table(irises, options);
        assert_eq!((found.column_names()[4].as_str(), decoded(&found).unwrap().rows.len()), ("c5", 3));
        assert!(found.remarks()[0].ends_with("no header: its first record is a row like those below; --header yes if it names columns"));
    }
    let years = table("country,1999,2000\nx,3,4\ny,5,6\n", on_threads(1));
    assert_eq!(years.column_names(), ["country", "1999", "2000"]);
    assert!(years.remarks()[0].ends_with("its first record names the columns, also by numbers; --header no if it is a row"));
    let said = table(irises, ReadOptions { header: Header::Absent, ..on_threads(1) });
    assert!(said.remarks().is_empty(), "{:?}", said.remarks());
}

#[test]
fn a_first_row_of_numbers_may_have_gaps() {
    for first in ["5.1,?,1.4", ",3.5,1.4", "5.1,NA,", " 5.1 , ? ,\"1.4\""] {
        let found = table(&format!("{first}\n4.9,3.0,1.4\n"), on_threads(1));
        assert_eq!((found.column_names(), decoded(&found).unwrap().rows.len()), (&["c1", "c2", "c3"].map(String::from)[..], 2), "{first}");
    }
    let coded = ReadOptions { missing: vec!["n.d.".into()], ..on_threads(1) };
    assert_eq!(table("5.1,n.d.\n1,2\n", coded).column_names(), ["c1", "c2"]);
    assert_eq!(table("5.1,n.d.\n1,2\n", on_threads(1)).column_names(), ["5.1", "n.d."]);
    // A line of missing values only says nothing, and this is how pandas writes an array.
    assert_eq!(table("?,NA\n1,2\n", on_threads(1)).column_names(), ["?", "NA"]);
    assert_eq!(table(",0,1\n0,2.5,3.5\n", on_threads(1)).column_names(), ["c1", "0", "1"]);
}

#[test]
fn delimiters_are_sniffed() {
    for text in ["a,b\nx,y\n", "a\tb\nx\ty\n", "a;b\nx;y\n", "a|b\nx|y\n", "a;b\n\"x\";y\n", "a;b;c\n1,5;2,5;x,y\n"] {
        let names = table(text, on_threads(1)).column_names().to_vec();
        assert_eq!(names[..2], ["a", "b"], "{text:?}");
    }
    // A quote that a wrong delimiter would see opened is in the middle of a cell.
    let found = read("a.csv", "a;b\nx,\"y;z\np;q\n", all_states()).unwrap();
    assert_eq!(found.column("a"), [Some("x,\"y"), Some("p")]);
    assert_eq!(table("only\nx\ny\n", on_threads(1)).column_names(), ["only"]);
    assert_eq!(open("a.tsv", "a,b\tc\nx,y\tz\n", on_threads(1)).unwrap().column_names(), ["a,b", "c"]);
}

/// As Excel writes and reads it. The line is no record, and what it says is believed also where another delimiter looks likelier.
#[test]
fn a_first_line_may_name_the_delimiter() {
    for first in ["sep=;\n", "SEP=;\r\n", "\u{FEFF}sep=;\n", "\"sep=;\"\n"] {
        let found = read("a.csv", format!("{first}a;b,c,d\nx;1,5,2\ny;2,5,2\n"), all_states()).unwrap();
        assert_eq!(
            (found.column("a"), found.column("b,c,d")),
            (vec![Some("x"), Some("y")], vec![Some("1,5,2"), Some("2,5,2")]),
            "{first:?}"
        );
    }
    let found = read("a.csv", "sep=|\n1.5|2\n3|4\n", on_threads(1)).unwrap();
    assert_eq!((found.column("c1"), found.numbers()), (vec![Some("1.5"), Some("3")], &[0, 1][..]));
    let error = read("a.csv", "sep=,\na,b\nx\n", on_threads(1)).err().unwrap();
    assert_eq!(fault_at(&error).0, 3, "lines are counted from the file's first");
}

#[test]
fn lines_that_end_with_a_return_alone_are_refused_with_a_way_out() {
    let error = open("a.csv", "a,b\rx,1\ry,2\r", on_threads(1)).err().unwrap();
    assert!(error.to_string().contains("carriage return alone") && error.hint().unwrap().contains("tr '\\r' '\\n'"), "{error}");
    assert_eq!(read("a.csv", "a,b\n\"x\ry\",1", all_states()).unwrap().column("a"), [Some("x\ry")]);
}

/// What sniffing takes for the header is what reading passes over.
#[test]
fn a_first_line_of_spaces_or_of_an_empty_quoted_cell_is_not_passed_over_twice() {
    let found = read("a.csv", "\"\"\nx\ny\n", all_states()).unwrap();
    assert_eq!((found.rows.len(), found.column("c1")), (2, vec![Some("x"), Some("y")]));
    let found = read("a.csv", "\n\n\r\na,b\nx,y\n\n", all_states()).unwrap();
    assert_eq!(found.rows, [[Some("x".to_string()), Some("y".to_string())]]);
    let blank = "\n".repeat(1000) + "a,b\nx,y\n";
    assert_eq!(read("a.csv", blank, all_states()).unwrap().column("b"), [Some("y")]);
}

#[test]
fn infinities_and_overflows_among_numbers_are_bad_rows() {
    for odd in ["inf", "-inf", "Infinity", "1e999", "-1e999"] {
        let error = read("a.csv", format!("x\n1.5\n2.5\n{odd}\n"), on_threads(1)).err().unwrap();
        assert_eq!(fault_at(&error), (4, format!("`{odd}` is outside the range of numbers")), "{odd}");
    }
    let found = read("a.csv", "x\n1e-999\n-0.0\n1.7976931348623157e308\n", on_threads(1)).unwrap();
    assert_eq!(found.column("x"), [Some("0"), Some("-0"), Some(f64::MAX.to_string().as_str())]);
}

/// Also where they are states, and where a word makes it plain that they are not it is one more.
#[test]
fn a_nan_among_whole_numbers_is_missing_however_it_is_written() {
    let found = read("a.csv", "x,y\n1,a\n-nan,a\n2,a\n1,a\n+NaN,a\n2,a\n", on_threads(1)).unwrap();
    assert_eq!(found.column("x"), [Some("1"), None, Some("2"), Some("1"), None, Some("2")]);
    assert_eq!((found.states("x"), found.fold.report.n_missing[0]), (&["1", "2"].map(String::from)[..], 2));
    let found = read("a.csv", "x,y\n1,a\n-nan,a\nword,a\n", on_threads(1)).unwrap();
    assert_eq!(found.column("x"), [Some("1"), Some("-nan"), Some("word")]);
}

/// In Parquet and Arrow the user's word on a column of numbers makes states of what is there, and of nothing else.
#[test]
fn doubles_read_as_states_are_the_numbers_that_occur() {
    use arrow_array::{ArrayRef, Float64Array, RecordBatch};
    let numbers: ArrayRef = std::sync::Arc::new(Float64Array::from(vec![Some(1.0), Some(2.25), None, Some(-3.0), Some(1e300)]));
    let batch = RecordBatch::try_from_iter([("x", numbers)]).unwrap();
    let mut writer = parquet::arrow::ArrowWriter::try_new(Vec::new(), batch.schema(), None).unwrap();
    writer.write(&batch).unwrap();
    let found = read("a.parquet", writer.into_inner().unwrap(), all_states()).unwrap();
    assert_eq!(found.states("x")[..3], ["-3", "1", "2.25"]);
    assert_eq!(found.states("x").len(), 4);
    assert_eq!(found.column("x")[2], None);
}
