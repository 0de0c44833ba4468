//! Folders of documents, and tables with texts.

use std::path::Path;

use belief::{Chunk, Column, Kind, Observations, Recode, Recoding, Role, Schema, ShapeMismatch, SufficientStatistic};
use tunbridge_data::words::{Markup, Words};
use tunbridge_data::{Cut, DataError, OnBadRow, OutputFormat, ReadOptions, Table, UnknownStates};

use crate::support::Folder;

/// Every text by its words, as the final codes name them; rows in order.
#[derive(Clone, Default)]
struct Read {
    rows: Vec<(Option<usize>, Vec<u32>)>,
}

impl SufficientStatistic for Read {
    type Columns<'a> = Chunk<'a>;

    fn observe(&mut self, chunk: Chunk<'_>) -> Result<(), ShapeMismatch> {
        let texts = chunk.columns.iter().find_map(|c| if let Column::Texts(texts) = c { Some(*texts) } else { None }).unwrap();
        let classes = chunk.columns.iter().find_map(|c| if let Column::Categorical { codes, .. } = c { Some(*codes) } else { None });
        for row in 0..chunk.n_rows {
            self.rows.push((classes.and_then(|classes| classes.get(row)), texts.words(row).to_vec()));
        }
        Ok(())
    }

    fn merge(&mut self, other: &Self) -> Result<(), ShapeMismatch> {
        self.rows.extend(other.rows.iter().cloned());
        Ok(())
    }
}

impl Recode for Read {
    fn recode(&mut self, recoding: &Recoding) -> Result<(), ShapeMismatch> {
        let [classes, words] = [1, 2].map(|place| recoding.columns.get(place).and_then(Option::as_ref));
        for (class, codes) in &mut self.rows {
            *class = class.map(|class| classes.map_or(class, |map| map.to[class] as usize));
            codes.iter_mut().for_each(|code| *code = words.map_or(*code, |map| map.to[*code as usize]));
        }
        Ok(())
    }
}

/// Classes and words by their names.
pub fn read(table: &Table) -> Result<(Schema, Vec<(String, String)>), DataError> {
    let fold = table.fold(|_: &[usize]| Read::default())?;
    let names = |place: usize| fold.schema.variables()[place].kind.states().unwrap().names().to_vec();
    let (classes, words) = (names(1), names(2));
    let row = |(class, codes): &(Option<usize>, Vec<u32>)| {
        let text: Vec<&str> = codes.iter().map(|code| words[*code as usize].as_str()).collect();
        (class.map_or(String::new(), |class| classes[class].clone()), text.join(" "))
    };
    Ok((fold.schema, fold.statistic.rows.iter().map(row).collect()))
}

fn mail() -> Folder {
    let folder = Folder::new();
    for (path, text) in [
        ("mail/ham/1", "Lunch at noon?".as_bytes()),
        ("mail/ham/2", "na\u{ef}ve".as_bytes()),
        ("mail/spam/a", b"FREE money, free!"),
        ("mail/spam/deep/b", b"caf\xE9 money"),
        ("mail/unsorted", b"loose"),
        ("mail/spam/empty", b""),
    ] {
        let path = folder.path(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    folder
}

pub fn pairs(rows: &[(&str, &str)]) -> Vec<(String, String)> {
    rows.iter().map(|(class, text)| (class.to_string(), text.to_string())).collect()
}

#[test]
fn a_folder_is_a_table_of_documents() {
    let folder = mail();
    let table = Table::open(&[folder.path("mail")], ReadOptions::default()).unwrap();
    let (schema, rows) = read(&table).unwrap();
    let expected =
        [("ham", "lunch at noon"), ("ham", "naïve"), ("spam", "free money free"), ("spam", "café money"), ("spam", ""), ("", "loose")];
    assert_eq!(rows, pairs(&expected));
    assert_eq!(schema.variables()[1].role, Role::Target);
    assert_eq!(schema.variables()[2].role, Role::Input);
    let Kind::Text(words) = &schema.variables()[2].kind else { panic!("not a text") };
    assert_eq!(words.names(), ["at", "café", "free", "loose", "lunch", "money", "naïve", "noon"]);
    let report = table.fold(|_: &[usize]| ()).unwrap().report;
    assert_eq!((report.n_rows, report.n_not_utf8), (6, 1));
}

#[test]
fn the_class_may_lie_deeper() {
    let folder = mail();
    let options = ReadOptions { class_depth: 2, ..ReadOptions::default() };
    let (_, rows) = read(&Table::open(&[folder.path("mail")], options).unwrap()).unwrap();
    assert_eq!(rows[3], ("deep".into(), "café money".into()));
    assert_eq!(rows[0].0, "");
}

/// Markers of missing values are for cells of tables, not for names of folders and files and for what documents say.
#[test]
fn classes_and_texts_that_are_called_as_missing_values_are_not_missing() {
    let folder = Folder::new();
    let names = ["?", "NA", "NaN", "nan", "null", "-nan", "42"].into_iter().filter(|name| cfg!(unix) || *name != "?");
    for name in names.clone() {
        std::fs::create_dir_all(folder.path("all").join(name)).unwrap();
        folder.file(&format!("all/{name}/1"), "null");
        folder.file(&format!("all/{name}/2"), "");
    }
    let expected: Vec<(&str, &str)> = {
        let mut names: Vec<&str> = names.clone().collect();
        names.sort_unstable();
        names.iter().flat_map(|name| [(*name, "null"), (*name, "")]).collect()
    };
    let table = Table::open(&[folder.path("all")], ReadOptions::default()).unwrap();
    let (schema, rows) = read(&table).unwrap();
    assert_eq!(rows, pairs(&expected));
    let report = table.fold(|_: &[usize]| ()).unwrap().report;
    // But for the empty ones, which say nothing.
    let n_empty = names.count() as u64;
    assert_eq!((report.n_missing.as_slice(), report.n_without_words), (&[0, 0, n_empty][..], n_empty));
    for (unknown, may_lack) in [(UnknownStates::Missing, true), (UnknownStates::Grow, false), (UnknownStates::Error, false)] {
        let table = Table::open_as(&[folder.path("all")], ReadOptions::default(), &schema, unknown, may_lack).unwrap();
        assert_eq!(read(&table).unwrap().1, pairs(&expected));
    }
    // What is added to them is another matter.
    let options = ReadOptions { missing: vec!["null".into()], ..ReadOptions::default() };
    let (_, rows) = read(&Table::open(&[folder.path("all")], options).unwrap()).unwrap();
    assert!(rows.iter().all(|(class, text)| class != "null" && text.is_empty()), "{rows:?}");
}

#[test]
fn lines_and_mailboxes_may_be_called_as_missing_values() {
    let folder = Folder::new();
    let paths = [folder.file("NA.txt", "n/a\nnull\n"), folder.file("null.mbox", "From a Thu Jan  1 00:00:00 1970\n\nnull\n")];
    for (path, options, expected) in [
        (&paths[0], ReadOptions { documents: Some(Cut::Lines), ..ReadOptions::default() }, &[("NA", "n a"), ("NA", "null")][..]),
        (&paths[1], ReadOptions::default(), &[("null", "null")][..]),
    ] {
        assert_eq!(read(&Table::open(&[path], options).unwrap()).unwrap().1, pairs(expected));
    }
}

#[test]
fn a_known_vocabulary_passes_over_other_words() {
    let folder = mail();
    let (schema, _) = read(&Table::open(&[folder.path("mail")], ReadOptions::default()).unwrap()).unwrap();
    let note = folder.file("note.txt", "Free lunch for everybody");
    let table = Table::open_as(&[note], ReadOptions::default(), &schema, UnknownStates::Missing, true).unwrap();
    let fold = table.fold(|_: &[usize]| Read::default()).unwrap();
    assert_eq!(fold.statistic.rows, [(None, vec![2, 4, u32::MAX, u32::MAX])]);
    assert_eq!(fold.schema, schema);
}

#[test]
fn binary_and_unreadable_documents_are_named() {
    let folder = mail();
    std::fs::write(folder.path("mail/ham/picture"), b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01").unwrap();
    let open = |on_bad_row| Table::open(&[folder.path("mail")], ReadOptions { on_bad_row, ..ReadOptions::default() }).unwrap();
    let error = read(&open(OnBadRow::Error)).unwrap_err().to_string();
    assert!(error.contains("picture") && error.contains("not text"), "{error}");
    let fold = open(OnBadRow::Skip).fold(|_: &[usize]| ()).unwrap();
    assert_eq!((fold.report.n_rows, fold.report.n_skipped), (6, 1));
}

#[cfg(unix)]
#[test]
fn a_link_that_leads_back_is_told_and_not_followed() {
    let folder = mail();
    std::os::unix::fs::symlink(folder.path("mail"), folder.path("mail/ham/loop")).unwrap();
    let table = Table::open(&[folder.path("mail")], ReadOptions::default()).unwrap();
    assert!(table.remarks().iter().any(|remark| remark.contains("loop") && remark.contains("leads back")), "{:?}", table.remarks());
    assert_eq!(read(&table).unwrap().1.len(), 6);
}

#[test]
fn an_empty_folder_is_an_error() {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("empty")).unwrap();
    let error = Table::open(&[folder.path("empty")], ReadOptions::default()).err().unwrap().to_string();
    assert!(error.contains("without files"), "{error}");
}

#[test]
fn answers_about_documents_carry_their_paths() {
    let folder = mail();
    let table = Table::open(&[folder.path("mail")], ReadOptions::default()).unwrap();
    let mut bytes = Vec::new();
    let answer =
        |chunk: Chunk<'_>| Ok(tunbridge_data::Answers { predicted: vec![Some(0); chunk.n_rows], probability: vec![1.0; chunk.n_rows] });
    table.write_answers(&["ham".into()], OutputFormat::Csv, true, &mut bytes, answer).unwrap();
    let text = String::from_utf8(bytes).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "path,class,predicted,p(ham)");
    assert!(lines[1].ends_with(&format!("{},ham,ham,1.0", Path::new("ham").join("1").display())), "{text}");
    assert_eq!(lines.len(), 7);
}

#[test]
fn texts_in_every_format_have_the_same_words() {
    let folder = Folder::new();
    let csv = "id,team,body\n1,red,\"It's, \"\"here\"\"\"\n2,blue,\n3,red,Nowhere\n";
    let json = "{\"id\":1,\"team\":\"red\",\"body\":\"It's, \\\"here\\\"\"}\n{\"id\":2,\"team\":\"blue\",\"body\":null}\n{\"id\":3,\"team\":\"red\",\"body\":\"Nowhere\"}\n";
    for (name, text) in [("a.csv", csv), ("a.jsonl", json)] {
        let options = ReadOptions { text: vec!["body".into()], target: Some("team".into()), ..ReadOptions::default() };
        let (_, rows) = read(&folder.table(name, text, options).unwrap()).unwrap();
        assert_eq!(rows, pairs(&[("red", "it's here"), ("blue", ""), ("red", "nowhere")]), "{name}");
    }
}

#[test]
fn bad_rows_take_their_words_along() {
    let text = "x,team,body\n1,red,one two\nq,red,three\n3,blue,four\n";
    let options = ReadOptions {
        text: vec!["body".into()],
        types: vec![("x".into(), tunbridge_data::ColumnType::Numeric)],
        on_bad_row: OnBadRow::Skip,
        ..ReadOptions::default()
    };
    let folder = Folder::new();
    let (_, rows) = read(&folder.table("a.csv", text, options).unwrap()).unwrap();
    assert_eq!(rows, pairs(&[("red", "one two"), ("blue", "four")]));
}

#[test]
fn the_same_words_on_any_number_of_threads() {
    let folder = Folder::new();
    let rows: String = (0..20_000).map(|i| format!("{},w{} x{} common\n", ["a", "b"][i % 2], i % 977, i % 8191)).collect();
    let path = folder.file("a.csv", format!("id,class,text\n{rows}").replace("\na,", "\n0,a,").replace("\nb,", "\n0,b,"));
    let with = |threads| {
        let options = ReadOptions { text: vec!["text".into()], threads, ..ReadOptions::default() };
        read(&Table::open(&[&path], options).unwrap()).unwrap()
    };
    let one = with(1);
    assert_eq!(one.1[5].1, "w5 x5 common");
    assert!(with(2) == one && with(7) == one);
}

#[test]
fn pages_are_read_as_pages() {
    let folder = Folder::new();
    std::fs::create_dir_all(folder.path("web/course")).unwrap();
    std::fs::write(folder.path("web/course/1.html"), "<p>Home&nbsp;work <b>due</b></p>").unwrap();
    let words = Words { markup: Markup::Html, ..Words::default() };
    let (_, rows) = read(&Table::open(&[folder.path("web")], ReadOptions { words, ..ReadOptions::default() }).unwrap()).unwrap();
    assert_eq!(rows, pairs(&[("course", "home work due")]));
}
