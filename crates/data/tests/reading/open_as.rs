//! A table read with the schema of a model: columns in another order, too many or too few, states the model does not know.

use belief::{Kind, Observations, Role, Schema, States, Variable};
use tunbridge_data::{DataError, Header, OnBadRow, ReadOptions, Table, UnknownStates};

use crate::support::{Decoded, Folder, counted, decoded, fault_at, on_threads};

fn states(names: &[&str]) -> Kind {
    Kind::Categorical(States::default().with_seen(names.iter().map(|n| n.to_string())).unwrap())
}

/// A model that predicts `play` from `outlook` and `degrees`, and leaves `id` out.
fn model() -> Schema {
    let variable = |name: &str, kind, role| Variable { name: name.into(), kind, role };
    Schema::new(vec![
        variable("outlook", states(&["10", "rain", "sun"]), Role::Input),
        variable("degrees", Kind::Numeric, Role::Input),
        variable("play", states(&["no", "yes"]), Role::Target),
        variable("id", states(&["a", "b"]), Role::Ignored("as you said".into())),
    ])
    .unwrap()
}

fn open_as(
    name: &str,
    bytes: impl AsRef<[u8]>,
    unknown: UnknownStates,
    absent_is_missing: bool,
) -> Result<(Decoded, Vec<String>), DataError> {
    let folder = Folder::new();
    let table = Table::open_as(&[folder.file(name, bytes)], on_threads(1), &model(), unknown, absent_is_missing)?;
    Ok((decoded(&table)?, table.remarks().to_vec()))
}

fn text(value: &str) -> Option<String> {
    (value != "?").then(|| value.to_string())
}

fn rows(rows: &[[&str; 4]]) -> Vec<Vec<Option<String>>> {
    rows.iter().map(|row| row.iter().map(|value| text(value)).collect()).collect()
}

#[test]
fn columns_are_found_by_name_in_any_order_and_others_are_passed_over() {
    let (found, remarks) =
        open_as("a.csv", "extra,play,degrees,outlook,id\nx,yes,20,sun,q\ny,no,-3.5,rain,r\n", UnknownStates::Error, false).unwrap();
    assert_eq!(found.rows, rows(&[["sun", "20", "yes", "?"], ["rain", "-3.5", "no", "?"]]));
    assert!(remarks.is_empty());
    assert_eq!(found.fold.schema, model(), "the model's schema stays as it is");
    let json = "{\"degrees\":20,\"x\":[1],\"play\":\"yes\",\"outlook\":\"sun\"}\n{\"outlook\":\"rain\"}\n";
    let (found, _) = open_as("a.jsonl", json, UnknownStates::Error, false).unwrap();
    assert_eq!(found.rows, rows(&[["sun", "20", "yes", "?"], ["rain", "?", "?", "?"]]));
    let arff = "@relation r\n@attribute play {yes,no}\n@attribute degrees real\n@attribute outlook {sun,rain}\n@data\nyes,20,sun\n";
    let (found, _) = open_as("a.arff", arff, UnknownStates::Error, false).unwrap();
    assert_eq!(found.rows, rows(&[["sun", "20", "yes", "?"]]));
}

#[test]
fn columns_that_are_not_there() {
    let error = open_as("a.csv", "outlook,other\nsun,1\n", UnknownStates::Missing, false).err().unwrap();
    assert!(error.to_string().ends_with("a.csv: has no column `degrees`, `play`"), "{error}");
    assert_eq!(error.hint().unwrap(), "it has: outlook, other");
    let (found, remarks) = open_as("a.csv", "outlook,other\nsun,1\n", UnknownStates::Missing, true).unwrap();
    assert_eq!(found.rows, rows(&[["sun", "?", "?", "?"]]));
    assert!(remarks[0].ends_with("a.csv: has no column `degrees`: read as missing"), "{remarks:?}");
    // Where not a single one is there, the file is surely the wrong one.
    assert!(open_as("a.csv", "other,play\nsun,yes\n", UnknownStates::Missing, true).is_err());
}

#[test]
fn unknown_states_are_missing_or_an_error_or_new() {
    let csv = "outlook,degrees,play\nsun,1,yes\nfog,2,yes\n fog ,3,no\n\"fog\",4,no\n?,5,no\n";
    let (found, _) = open_as("a.csv", csv, UnknownStates::Missing, false).unwrap();
    assert_eq!(found.column("outlook"), [Some("sun"), None, None, None, None]);
    assert_eq!((found.fold.report.n_unknown[0], found.fold.report.n_missing[0]), (3, 1));
    let error = open_as("a.csv", csv, UnknownStates::Error, false).err().unwrap();
    assert_eq!(fault_at(&error), (3, "`fog` is not one of its states".into()));
    let (found, _) = open_as("a.csv", csv, UnknownStates::Grow, false).unwrap();
    assert_eq!(found.states("outlook"), ["10", "fog", "rain", "sun"]);
    assert_eq!(found.column("outlook"), [Some("sun"), Some("fog"), Some("fog"), Some("fog"), None]);
}

/// A state in another case, or a number written otherwise, can only mean the one state.
#[test]
fn states_are_found_as_they_are_found_in_questions() {
    let csv = "outlook,degrees,play\nSUN,1,Yes\n10.0,2,NO\n1e1,2,NO\nSUN,1,Yes\n";
    for unknown in [UnknownStates::Missing, UnknownStates::Error] {
        let (found, _) = open_as("a.csv", csv, unknown, false).unwrap();
        assert_eq!(found.rows, rows(&[["sun", "1", "yes", "?"], ["10", "2", "no", "?"], ["10", "2", "no", "?"], ["sun", "1", "yes", "?"]]));
        assert_eq!(found.fold.report.n_unknown, [0; 4]);
    }
}

/// However many states there are.
#[test]
fn states_in_another_case_are_found_among_thousands() {
    let names: Vec<String> = (0..3_000).map(|i| format!("city {i}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let schema = Schema::new(vec![Variable { name: "x".into(), kind: states(&names), role: Role::Input }]).unwrap();
    let folder = Folder::new();
    let path = folder.file("a.csv", "x\nCITY 7\nCity 2999\ntown\n");
    let table = Table::open_as(&[path], on_threads(1), &schema, UnknownStates::Missing, false).unwrap();
    assert_eq!(decoded(&table).unwrap().column("x"), [Some("city 7"), Some("city 2999"), None]);
}

fn arrow(outlook: Vec<&str>, as_dictionary: bool) -> Vec<u8> {
    use arrow_array::{ArrayRef, Float64Array, RecordBatch, StringArray};
    use std::sync::Arc;
    let n = outlook.len();
    let texts: ArrayRef = match as_dictionary {
        false => Arc::new(StringArray::from(outlook)),
        true => Arc::new(outlook.into_iter().collect::<arrow_array::DictionaryArray<arrow_array::types::Int32Type>>()),
    };
    let degrees: ArrayRef = Arc::new(Float64Array::from(vec![1.0; n]));
    let play: ArrayRef = Arc::new(StringArray::from(vec!["yes"; n]));
    let batch = RecordBatch::try_from_iter([("outlook", texts), ("degrees", degrees), ("play", play)]).unwrap();
    let mut writer = arrow_ipc::writer::FileWriter::try_new(Vec::new(), &batch.schema()).unwrap();
    writer.write(&batch).unwrap();
    writer.into_inner().unwrap()
}

/// Every row with an unknown state counts, although a dictionary holds the state once.
#[test]
fn unknown_states_in_columnar_files_are_counted_row_by_row() {
    for as_dictionary in [false, true] {
        let bytes = arrow(vec!["fog", "sun", "fog", "snow", "fog", "?"], as_dictionary);
        let (found, _) = open_as("a.arrow", &bytes, UnknownStates::Missing, false).unwrap();
        assert_eq!(found.column("outlook"), [None, Some("sun"), None, None, None, None]);
        assert_eq!((found.fold.report.n_unknown[0], found.fold.report.n_missing[0]), (4, 1));
        let folder = Folder::new();
        let options = ReadOptions { on_bad_row: OnBadRow::Skip, ..on_threads(1) };
        let table = Table::open_as(&[folder.file("a.arrow", &bytes)], options, &model(), UnknownStates::Error, false).unwrap();
        let found = decoded(&table).unwrap();
        assert_eq!((found.column("outlook"), found.fold.report.n_skipped), (vec![Some("sun"), None], 4));
    }
    // Numbers as states are looked up once for each number, too.
    let json = "{\"outlook\":7,\"degrees\":1,\"play\":\"yes\"}\n".repeat(3);
    let (found, _) = open_as("a.jsonl", json, UnknownStates::Missing, false).unwrap();
    assert_eq!(found.fold.report.n_unknown[0], 3);
}

/// A row that is skipped takes its unknown state with it.
#[test]
fn skipped_rows_do_not_count_as_unknown() {
    let folder = Folder::new();
    let path = folder.file("a.csv", "outlook,degrees,play\nfog,word,yes\nsun,1,yes\nfog,2,no\n");
    let options = ReadOptions { on_bad_row: OnBadRow::Skip, ..on_threads(1) };
    let found = decoded(&Table::open_as(&[path], options, &model(), UnknownStates::Missing, false).unwrap()).unwrap();
    assert_eq!(found.column("outlook"), [Some("sun"), None]);
    let report = &found.fold.report;
    assert_eq!((report.n_skipped, report.n_unknown[0], report.n_missing[0]), (1, 1, 0));
}

#[test]
fn a_file_without_a_header_has_the_models_columns_in_order() {
    let folder = Folder::new();
    let numbers = Schema::new(
        ["a", "b", "c"]
            .iter()
            .zip([Role::Input, Role::Input, Role::Target])
            .map(|(name, role)| Variable { name: name.to_string(), kind: Kind::Numeric, role })
            .collect(),
    )
    .unwrap();
    let all = folder.file("all.csv", "1,2,3\n4,5,6\n");
    let found = decoded(&Table::open_as(&[all], on_threads(1), &numbers, UnknownStates::Error, false).unwrap()).unwrap();
    assert_eq!((found.rows.len(), found.column("c")), (2, vec![Some("3"), Some("6")]));
    let inputs = folder.file("inputs.csv", "1,2\n4,5\n");
    let table = Table::open_as(&[&inputs], on_threads(1), &numbers, UnknownStates::Error, true).unwrap();
    assert_eq!(decoded(&table).unwrap().column("b"), [Some("2"), Some("5")]);
    assert!(Table::open_as(&[inputs], on_threads(1), &numbers, UnknownStates::Error, false).is_err());
    let wrong = folder.file("wrong.csv", "1,2,3,4\n");
    assert!(Table::open_as(&[wrong], on_threads(1), &numbers, UnknownStates::Error, true).is_err());
    let words = folder.file("words.csv", "sun,1,yes,a\nrain,2,no,b\n");
    let options = ReadOptions { header: Header::Absent, ..on_threads(1) };
    let found = decoded(&Table::open_as(&[words], options, &model(), UnknownStates::Error, false).unwrap()).unwrap();
    assert_eq!(found.rows, rows(&[["sun", "1", "yes", "?"], ["rain", "2", "no", "?"]]));
}

/// Columns that were named by their places at learning are found by their places again, also without the target among them.
#[test]
fn a_model_that_was_learned_without_a_header_reads_files_without_one() {
    let folder = Folder::new();
    let variable = |name: &str, role| Variable { name: name.into(), kind: Kind::Numeric, role };
    let schema = Schema::new(vec![variable("c1", Role::Target), variable("c2", Role::Input), variable("c3", Role::Input)]).unwrap();
    let open = |name: &str, text: &str| Table::open_as(&[folder.file(name, text)], on_threads(1), &schema, UnknownStates::Error, true);
    let found = decoded(&open("inputs.csv", "2,3\n5,6\n").unwrap()).unwrap();
    assert_eq!((found.column("c2"), found.column("c3")), (vec![Some("2"), Some("5")], vec![Some("3"), Some("6")]));
    assert_eq!(found.column("c1"), [None, None]);
    let found = decoded(&open("all.csv", "1,2,3\n").unwrap()).unwrap();
    assert_eq!((found.column("c1"), found.column("c3")), (vec![Some("1")], vec![Some("3")]));
    let error = open("wrong.csv", "1,2,3,4\n").err().unwrap().to_string();
    assert!(error.ends_with("has 4 columns and no header, where 3 columns, or 2 without the target, were learned from"), "{error}");
}

/// A model's columns are read by their keys, also where none of the first rows has them; keys it does not know are passed over.
#[test]
fn keys_that_come_late_in_json_lines() {
    let late = "{\"outlook\":\"rain\",\"degrees\":7,\"strange\":1}\n";
    let text = "{\"outlook\":\"sun\"}\n".repeat(70_000) + late;
    let (found, remarks) = open_as("a.jsonl", &text, UnknownStates::Error, true).unwrap();
    assert_eq!(found.rows[70_000], rows(&[["rain", "7", "?", "?"]])[0]);
    assert_eq!(found.rows[0], rows(&[["sun", "?", "?", "?"]])[0]);
    assert!(remarks.len() == 1 && remarks[0].contains("its first 65536 rows have no `degrees`"), "{remarks:?}");
    // Who learns from such a file would leave columns out, and is told.
    let folder = Folder::new();
    let error = decoded(&folder.table("a.jsonl", &text, on_threads(2)).unwrap()).err().unwrap();
    assert_eq!(fault_at(&error), (70_001, "key `degrees` did not occur in the first 65536 rows".into()));
    assert!(error.hint().unwrap().contains("move a row that has the key"));
    let other = "{\"x\":1}\n".repeat(70_000);
    assert!(open_as("a.jsonl", other, UnknownStates::Error, true).is_err());
}

/// Several files may each lack a column; where it is, it is read.
#[test]
fn a_column_that_only_one_of_two_files_has() {
    let folder = Folder::new();
    let paths = [folder.file("a.csv", "outlook,degrees\nsun,1\n"), folder.file("b.csv", "play,outlook\nno,rain\n")];
    let table = Table::open_as(&paths, on_threads(1), &model(), UnknownStates::Error, true).unwrap();
    assert_eq!(decoded(&table).unwrap().rows, rows(&[["sun", "1", "?", "?"], ["rain", "?", "no", "?"]]));
    counted(&table).unwrap();
    assert!(table.remarks().len() == 1 && table.remarks()[0].ends_with("b.csv: has no column `degrees`: read as missing"));
    // That each input is in some file is no reason to read a file that has none of them.
    let paths = [&paths[0], &folder.file("c.csv", "id,play\na,no\n")];
    let error = Table::open_as(&paths, on_threads(1), &model(), UnknownStates::Error, true).err().unwrap();
    assert!(error.to_string().ends_with("c.csv: has no column `outlook`, `degrees`"), "{error}");
}

#[test]
fn columns_of_one_name_are_refused_in_every_file() {
    let folder = Folder::new();
    let paths =
        [folder.file("a.csv", "outlook,degrees,play\nsun,1,no\n"), folder.file("b.csv", "outlook,degrees,play,play\nsun,1,no,yes\n")];
    let error = Table::open_as(&paths, on_threads(1), &model(), UnknownStates::Error, false).err().unwrap();
    assert!(error.to_string().contains("b.csv: two columns have one name: `play`"), "{error}");
}

#[test]
fn a_table_without_rows_is_a_table_of_no_rows_to_a_model() {
    let (found, _) = open_as("a.csv", "outlook,degrees,play\n", UnknownStates::Error, false).unwrap();
    assert!(found.rows.is_empty());
}

#[test]
fn weights_are_used_where_the_file_has_them() {
    let mut variables = model().variables().to_vec();
    variables.push(Variable { name: "w".into(), kind: Kind::Numeric, role: Role::Weight });
    let schema = Schema::new(variables).unwrap();
    let folder = Folder::new();
    let path = folder.file("a.csv", "w,outlook,degrees,play\n2,sun,1,no\n0.5,sun,1,no\n");
    let table = Table::open_as(&[path], on_threads(1), &schema, UnknownStates::Error, false).unwrap();
    assert_eq!(decoded(&table).unwrap().weights(), [2.0, 0.5]);
    let path = folder.file("b.csv", "outlook,degrees,play\nsun,1,no\n");
    let table = Table::open_as(&[&path], on_threads(1), &schema, UnknownStates::Error, true).unwrap();
    assert_eq!(decoded(&table).unwrap().weights(), [1.0]);
    assert!(Table::open_as(&[&path], on_threads(1), &schema, UnknownStates::Error, false).is_err());
    assert_eq!(table.schema(), &schema);
    let text = "{\"outlook\":\"sun\",\"degrees\":1}\n".repeat(70_000);
    let json = folder.file("c.jsonl", text);
    let table = Table::open_as(&[&json], on_threads(1), &schema, UnknownStates::Error, true).unwrap();
    assert_eq!(decoded(&table).unwrap().weights()[69_999], 1.0);
    let paths = [folder.path("a.csv"), path];
    let error = Table::open_as(&paths, on_threads(1), &schema, UnknownStates::Error, true).err().unwrap();
    assert!(error.to_string().ends_with("b.csv: has no column `w`, which holds the weights and which another file has"), "{error}");
}
