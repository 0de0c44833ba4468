//! ARFF as Weka's manual describes it and as its collections are written.

use belief::Role;
use tunbridge_data::{DataError, ReadOptions};

use crate::support::{counted, decoded, fault_at, kind, on_threads, open, read, role, states};

const WEATHER: &str = "% 1. Title: weather\n%\n@RELATION 'the weather'\n\n@Attribute outlook\t{sunny, overcast , 'very rainy'}\n\
    @attribute \"degrees F\" NUMERIC\n@attribute windy{TRUE,FALSE} % a comment\n@attribute note string\n@attribute day date \"yyyy-MM-dd\"\n\
    @attribute 'it\\'s' integer [0,10]\n@ATTRIBUTE class { yes , no }\n@DATA\n\
    sunny,85.5,FALSE,'a, b','2024-01-31',1,no\n\n% a comment among the rows\n'very rainy', ? ,TRUE,?,?,2,yes\n\
    overcast\t70\tFALSE\tplain\t?\t3\tyes\n  sunny , -1e1 , ? , \"quoted \\\" here\" , ? , ?, no  \r\n";

#[test]
fn the_header_says_what_the_columns_are() {
    let table = open("a.arff", WEATHER, ReadOptions { target: Some("class".into()), ..on_threads(1) }).unwrap();
    assert_eq!(table.column_names(), ["outlook", "degrees F", "windy", "note", "day", "it's", "class"]);
    let kinds: Vec<&str> = table.column_names().iter().map(|name| kind(&table, name)).collect();
    assert_eq!(kinds, ["category", "numeric", "category", "category", "date", "numeric", "category"]);
    assert!(matches!(role(&table, "day"), Role::Ignored(_)));
    let found = decoded(&table).unwrap();
    assert_eq!(found.states("outlook"), ["sunny", "overcast", "very rainy"], "declared states keep their order");
    assert_eq!(found.states("class"), ["yes", "no"]);
    assert_eq!(found.column("outlook"), [Some("sunny"), Some("very rainy"), Some("overcast"), Some("sunny")]);
    assert_eq!(found.column("degrees F"), [Some("85.5"), None, Some("70"), Some("-10")]);
    assert_eq!(found.column("windy"), [Some("FALSE"), Some("TRUE"), Some("FALSE"), None]);
    assert_eq!(found.column("note"), [Some("a, b"), None, Some("plain"), Some("quoted \" here")]);
    assert_eq!(found.column("it's"), [Some("1"), Some("2"), Some("3"), None]);
    assert_eq!(found.numbers(), [0, 1, 2, 3]);
}

#[test]
fn it_is_known_by_its_first_line_whatever_its_name() {
    for text in [WEATHER.to_string(), format!("\u{FEFF}{WEATHER}"), WEATHER.replace('\n', "\r\n")] {
        let found = decoded(&open("weather.txt", &text, on_threads(1)).unwrap()).unwrap();
        assert_eq!(found.rows.len(), 4);
        assert_eq!(found.column("class"), [Some("no"), Some("yes"), Some("yes"), Some("no")]);
    }
}

#[test]
fn sparse_rows_have_zeros_and_first_states() {
    let text = "@relation r\n@attribute a {no,yes}\n@attribute b real\n@attribute c {x,y}\n@attribute d real\n@data\n\
        {1 2.5, 2 y}\n{}\n{0 yes,3 ?}\n{ 3 -1 }\n";
    let found = read("a.arff", text, on_threads(1)).unwrap();
    assert_eq!(found.column("a"), [Some("no"), Some("no"), Some("yes"), Some("no")]);
    assert_eq!(found.column("b"), [Some("2.5"), Some("0"), Some("0"), Some("0")]);
    assert_eq!(found.column("c"), [Some("y"), Some("x"), Some("x"), Some("x")]);
    assert_eq!(found.column("d"), [Some("0"), Some("0"), None, Some("-1")]);
}

/// A question mark in quotes is a state if it was declared; without quotes it is missing.
#[test]
fn a_question_mark_in_quotes() {
    let text = "@relation r\n@attribute a {'?', NA, x}\n@data\n'?'\n?\nNA\nx\n";
    let found = read("a.arff", text, on_threads(1)).unwrap();
    assert_eq!(found.column("a"), [Some("?"), None, Some("NA"), Some("x")]);
    assert_eq!(found.states("a"), ["?", "NA", "x"]);
}

/// A value that the header does not declare is seen, behind those it does.
#[test]
fn values_that_were_not_declared_join_behind_the_others() {
    let table = open("a.arff", "@relation r\n@attribute a {z,b}\n@data\nz\nb\nq\na\n", on_threads(1)).unwrap();
    let fold = counted(&table).unwrap();
    assert_eq!(states(&fold.schema, "a"), ["z", "b", "a", "q"]);
}

#[test]
fn faults_of_the_header_are_found_at_their_lines() {
    for (attribute, what) in [
        ("@attribute a {x,y", "closing brace"),
        ("@attribute a {x,x}", "listed twice"),
        ("@attribute a {'x}", "closing quote"),
        ("@attribute a colour", "not a type"),
        ("@attribute a", "not a type"),
        ("@attribute", "without a name"),
        ("@attribute 'a real", "without a name"),
        ("attribute a real", "not part of an ARFF header"),
    ] {
        let error = open("a.arff", format!("% comment\n@relation r\n{attribute}\n@data\nx\n"), on_threads(1)).err().unwrap();
        let DataError::BadRow { place, fault } = &error else { panic!("{attribute}: {error}") };
        assert!(place.line == 3 && fault.to_string().contains(what), "{attribute}: {error}");
    }
}

#[test]
fn a_table_of_malformed_rows_has_rows() {
    let error = read("a.arff", "@relation r\n@attribute a {x,y}\n@attribute b real\n@data\nx\ny\n", on_threads(1)).err().unwrap();
    assert_eq!(fault_at(&error), (5, "1 cell where the header has 2".into()));
}

/// A tab beside a comma is a blank.
#[test]
fn tabs_around_commas_are_blanks() {
    let text = "@relation t\n@attribute a {x,y}\n@attribute b {1,2}\n@data\nx\t,\t1\ny ,\t2\t\nx\t2\n";
    let found = read("t.arff", text, on_threads(1)).unwrap();
    assert_eq!(found.column("a"), [Some("x"), Some("y"), Some("x")]);
    assert_eq!(found.column("b"), [Some("1"), Some("2"), Some("2")]);
}
