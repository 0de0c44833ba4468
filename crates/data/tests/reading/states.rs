//! States that appear late, states that were declared, and columns that turn out to be something else.

use belief::{Observations, Role};
use tunbridge_data::{ColumnType, Contradiction, DataError, ReadOptions, Table};

use crate::support::{Folder, all_states, counted, decoded, kind, on_threads, read, role, states, totals};

/// The first rows decide the kinds; more follow.
const SAMPLE: usize = 65_536;

#[test]
fn states_that_appear_late_join_the_others_in_order() {
    let mut text = "class,size\n".to_string();
    for row in 0..SAMPLE + 3000 {
        let size = match row {
            _ if row < SAMPLE => ["10", "9", "b"][row % 3],
            _ => ["-1.5", "aa", "1e1", "Z", "b", "?"][row % 6],
        };
        text += &format!("{},{size}\n", if row < SAMPLE + 100 { "yes" } else { "no" });
    }
    let folder = Folder::new();
    for threads in [1, 2, 7] {
        let options = ReadOptions { target: Some("class".into()), ..on_threads(threads) };
        let fold = counted(&folder.table("a.csv", &text, options).unwrap()).unwrap();
        assert_eq!(states(&fold.schema, "class"), ["no", "yes"]);
        assert_eq!(states(&fold.schema, "size"), ["-1.5", "9", "10", "1e1", "Z", "aa", "b"]);
        let per_late = 500.0;
        let early = [per_late, (SAMPLE / 3) as f64, (SAMPLE / 3 + 1) as f64, per_late, per_late, per_late, (SAMPLE / 3) as f64 + per_late];
        assert_eq!(totals(&fold, "size").iter().map(|t| t.1).collect::<Vec<_>>(), early);
        assert_eq!(fold.report.n_missing[1], 500);
    }
}

#[test]
fn a_pass_with_the_schema_that_was_found_meets_no_new_states() {
    let folder = Folder::new();
    let table = folder.table("a.csv", "x,y\nb,1.5\na,2.5\n", on_threads(1)).unwrap();
    let first = decoded(&table).unwrap();
    let again = table.with_schema(first.fold.schema.clone());
    let second = decoded(&again).unwrap();
    assert_eq!(first.rows, second.rows);
    assert_eq!(first.fold.schema, second.fold.schema);
}

#[test]
fn declared_states_keep_their_order_and_those_never_seen_are_there() {
    let folder = Folder::new();
    let sidecar = "target = \"risk\"\nmissing = [\"-\"]\n[columns.risk]\nstates = [\"low\", \"high\", \"never\"]\nordered = true\n\
        [columns.size]\nstates = [\"XL\", \"?\", \" S\"]\n[columns.code]\ntype = \"category\"\n[columns.rest]\ntype = \"ignore\"\n";
    folder.file("a.schema.toml", sidecar);
    let text = "risk,size,code,rest\nhigh,XL,1.5,1\nlow,?,2,2\nextreme,\" S\",-,3\nabove,S,1.5,4\n";
    let table = folder.table("a.csv", text, on_threads(1)).unwrap();
    assert_eq!((role(&table, "risk"), kind(&table, "code")), (&Role::Target, "category"));
    assert!(matches!(role(&table, "rest"), Role::Ignored(_)));
    let found = decoded(&table).unwrap();
    assert_eq!(found.states("risk"), ["low", "high", "never", "above", "extreme"]);
    assert_eq!(found.states("size"), ["XL", "?", " S", "S"]);
    assert_eq!(found.column("size"), [Some("XL"), Some("?"), Some(" S"), Some("S")]);
    assert_eq!(found.column("code"), [Some("1.5"), Some("2"), None, Some("1.5")]);
    let risk = &found.fold.schema.variables()[0];
    assert!(matches!(&risk.kind, belief::Kind::Categorical(s) if s.is_ordered() && s.n_declared() == 3));
    assert!(table.remarks().iter().any(|remark| remark.contains("a.schema.toml")));
}

#[test]
fn a_sidecar_that_names_a_column_that_is_not_there_is_refused_with_a_hint() {
    let folder = Folder::new();
    folder.file("a.schema.toml", "[columns.siz]\nstates = [\"S\"]\n");
    let error = folder.table("a.csv", "size\nS\n", on_threads(1)).err().unwrap();
    assert!(error.to_string().contains("`siz`") && error.hint().unwrap().contains("`size`"), "{error}");
}

/// A column of numbers meets a word behind the rows that decided its kind, and a quoted cell of two lines stands before it.
#[test]
fn a_word_among_numbers_after_the_first_rows_is_found_at_its_line() {
    let mut text = "x,y\n\"1\",\"two\nlines\"\n".to_string();
    for row in 1..SAMPLE + 500 {
        text += &if row == SAMPLE + 300 { "oops,a\n".to_string() } else { format!("{}.5,a\n", row % 5000) };
    }
    let folder = Folder::new();
    for threads in [1, 2, 7] {
        let table = folder.table("a.csv", &text, on_threads(threads)).unwrap();
        assert_eq!(kind(&table, "x"), "numeric");
        let error = counted(&table).err().unwrap();
        let DataError::Contradiction(all) = &error else { panic!("{error}") };
        let [Contradiction { place, found, variable, is_number: false }] = &all[..] else { panic!("{all:?}") };
        assert_eq!((place.line, place.column.as_deref(), found.as_str(), *variable), ((SAMPLE + 300) as u64 + 3, Some("x"), "oops", 0));
        assert!(place.path.ends_with("a.csv") && error.hint().unwrap().contains("--types x=category"));
        let wider = table.widened(all);
        assert!(wider.remarks().iter().any(|r| r.contains("`x` is read as states")));
        assert_eq!(kind(&wider, "x"), "category");
        let fold = counted(&wider).unwrap();
        assert_eq!(fold.report.n_rows, (SAMPLE + 500) as u64);
        assert_eq!(totals(&fold, "x").last().unwrap(), &("oops".to_string(), 1.0));
    }
}

/// However many columns meet a word late, one more pass is enough where one chunk shows them.
#[test]
fn columns_that_contradict_in_one_chunk_are_widened_together() {
    let names: Vec<String> = (0..40).map(|i| format!("v{i}")).collect();
    let mut text = names.join(",") + "\n";
    let row = |word: Option<usize>| (0..40).map(|i| if word == Some(i) { "n.d." } else { "1.5" }).collect::<Vec<_>>().join(",") + "\n";
    text += &row(None).repeat(SAMPLE);
    // A tile is 256 rows: the words stand in several.
    (0..40).for_each(|i| text += &(row(Some(i)) + &row(None).repeat(20)));
    let folder = Folder::new();
    for threads in [1, 3] {
        let table = folder.table("a.csv", &text, on_threads(threads)).unwrap();
        let error = counted(&table).err().unwrap();
        let DataError::Contradiction(all) = &error else { panic!("{error}") };
        assert_eq!(all.len(), 40);
        assert_eq!((all[1].place.line, all[1].variable, all[1].found.as_str()), (SAMPLE as u64 + 23, 1, "n.d."));
        let wider = table.widened(all);
        assert_eq!((wider.remarks().len(), kind(&wider, "v39")), (40, "category"));
        assert_eq!(counted(&wider).unwrap().report.n_rows, SAMPLE as u64 + 40 * 21);
    }
}

#[test]
fn a_column_that_was_said_to_be_numeric_has_bad_rows_and_no_contradictions() {
    let options = ReadOptions { types: vec![("x".into(), ColumnType::Numeric)], ..on_threads(1) };
    let error = read("a.csv", "x\n1\noops\n", options).err().unwrap();
    assert!(
        matches!(error, DataError::BadRow { .. }) && error.to_string().ends_with("a.csv:3: column `x`: `oops` is not a number"),
        "{error}"
    );
}

/// Codes grow from one byte to two and to four exactly where they must.
#[test]
fn every_number_of_states_around_the_widths_of_codes() {
    for n in [1, 2, 253, 254, 255, 256, 257, 65_534, 65_535, 65_536, 65_537] {
        let mut text = "x,y\n?,a\n".to_string();
        (0..n).for_each(|state| text += &format!("s{state},a\n"));
        let found = read("a.csv", &text, all_states()).unwrap();
        assert_eq!(found.states("x").len(), n);
        let expected: Vec<Option<String>> = std::iter::once(None).chain((0..n).map(|state| Some(format!("s{state}")))).collect();
        assert!(found.rows.iter().map(|row| &row[0]).eq(&expected), "{n} states");
        assert_eq!(found.fold.report.n_missing[0], 1);
    }
}

/// The same within one chunk, whose states were unknown before and whose missing values must stay missing.
#[test]
fn codes_grow_wider_in_the_middle_of_a_chunk() {
    let mut text = "x,y\n".to_string() + &"a,b\n".repeat(SAMPLE);
    let late: Vec<String> = (0..300).map(|state| if state % 7 == 0 { "?".into() } else { format!("s{state}") }).collect();
    late.iter().for_each(|state| text += &format!("{state},b\n"));
    let found = read("a.csv", &text, on_threads(2)).unwrap();
    let expected = late.iter().map(|state| (state != "?").then_some(state.as_str()));
    assert!(found.column("x")[SAMPLE..].iter().copied().eq(expected));
}

#[test]
fn three_hundred_thousand_states_each_seen_twice() {
    const N: usize = 300_000;
    let mut text = String::with_capacity(20 * N);
    text += "x\n";
    (0..N).for_each(|state| text += &format!("k{state}\nk{state}\n"));
    let fold = counted(&Folder::new().table("a.csv", &text, on_threads(2)).unwrap()).unwrap();
    let totals = totals(&fold, "x");
    assert_eq!(totals.len(), N);
    assert!(totals.iter().all(|t| t.1 == 2.0) && totals.windows(2).all(|pair| pair[0].0 < pair[1].0));
}

/// The fold gives a schema also for columns that are left out and have declared states.
#[test]
fn declared_states_of_a_column_that_is_left_out_do_no_harm() {
    let text = "@relation r\n@attribute a {x,y,z}\n@attribute b {p,q}\n@data\nx,p\ny,q\n";
    let options = ReadOptions { ignore: vec!["a".into()], ..on_threads(1) };
    let fold = counted(&Folder::new().table("a.arff", text, options).unwrap()).unwrap();
    assert_eq!(states(&fold.schema, "a"), ["x", "y", "z"]);
    assert_eq!(totals(&fold, "b"), [("p".to_string(), 1.0), ("q".to_string(), 1.0)]);
}

/// A table that was opened once can be read as often as one likes.
#[test]
fn passes_do_not_wear_a_table_out() {
    let folder = Folder::new();
    let table: Table = folder.table("a.csv", "x,y\nb,1.5\na,2.5\n?,\n", on_threads(2)).unwrap();
    let schema = table.schema().clone();
    let first = format!("{:?}", counted(&table).unwrap());
    assert_eq!(first, format!("{:?}", counted(&table).unwrap()));
    assert_eq!(&schema, table.schema());
}
