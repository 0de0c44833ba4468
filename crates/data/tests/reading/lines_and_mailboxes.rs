//! Files of many documents: a document a line, or a document a message.

use belief::{Chunk, Observations};
use tunbridge_data::words::{Markup, Words};
use tunbridge_data::{Answers, Cut, DataError, OnBadRow, OutputFormat, ReadOptions, Table, UnknownStates};

use crate::documents::{pairs, read};
use crate::support::{Folder, gzip, zstd};

fn cut(cut: Cut) -> ReadOptions {
    ReadOptions { documents: Some(cut), ..ReadOptions::default() }
}

/// The first columns of the answers, which say what each row is.
fn names(table: &Table) -> Result<Vec<String>, DataError> {
    let mut bytes = Vec::new();
    let answer = |chunk: Chunk<'_>| Ok(Answers { predicted: vec![None; chunk.n_rows], probability: vec![f64::NAN; chunk.n_rows] });
    table.write_answers(&["x".into()], OutputFormat::Csv, true, &mut bytes, answer)?;
    let text = String::from_utf8(bytes).unwrap();
    Ok(text.lines().skip(1).map(|line| line.trim_end_matches(',').rsplit(['/', '\\']).next().unwrap().to_string()).collect())
}

const MAILBOX: &str = "From ann@example.org Thu Jan  1 00:00:00 1970\nSubject: one\n\nFrom here on\n>From me\n\n\
    From bob@example.org Fri Jan  2 00:00:00 1970\nSubject: two\n\n>>From you\n";

#[test]
fn a_line_is_a_document_and_the_files_name_its_class() {
    let folder = Folder::new();
    let paths = [folder.file("spam.txt", "FREE money\n\nclaim, \"it\r\n"), folder.file("ham.txt.gz", gzip(b"Lunch?\nAt noon"))];
    let table = Table::open(&paths, cut(Cut::Lines)).unwrap();
    let (_, rows) = read(&table).unwrap();
    assert_eq!(rows, pairs(&[("spam", "free money"), ("spam", ""), ("spam", "claim it"), ("ham", "lunch"), ("ham", "at noon")]));
    let expected = ["spam.txt:1,spam", "spam.txt:2,spam", "spam.txt:3,spam", "ham.txt.gz:1,ham", "ham.txt.gz:2,ham"];
    assert_eq!(names(&table).unwrap(), expected);
}

#[test]
fn a_folder_holds_a_file_for_each_class_or_a_folder() {
    let folder = Folder::new();
    std::fs::create_dir_all(folder.path("all/spam")).unwrap();
    folder.file("all/ham.txt", "lunch\nnoon\n");
    folder.file("all/spam/2023.txt", "free\n");
    folder.file("all/spam/2024.txt.zst", zstd(b"money\n"));
    let (_, rows) = read(&Table::open(&[folder.path("all")], cut(Cut::Lines)).unwrap()).unwrap();
    assert_eq!(rows, pairs(&[("ham", "lunch"), ("ham", "noon"), ("spam", "free"), ("spam", "money")]));
    let deeper = ReadOptions { class_depth: 2, ..cut(Cut::Lines) };
    let (_, rows) = read(&Table::open(&[folder.path("all")], deeper).unwrap()).unwrap();
    assert_eq!(rows, pairs(&[("", "lunch"), ("", "noon"), ("2023", "free"), ("2024", "money")]));
}

/// By its first line, by its name, packed or not, in a folder or alone.
#[test]
fn a_mailbox_is_known_and_its_messages_are_unquoted() {
    let folder = Folder::new();
    std::fs::create_dir_all(folder.path("all/ham")).unwrap();
    let words = Words { keep_case: true, ..Words::default() };
    let expected = ["Subject one From here on From me", "Subject two From you"];
    for (path, bytes, class) in [
        ("spam", MAILBOX.as_bytes().to_vec(), "spam"),
        ("spam.mbox", MAILBOX.as_bytes().to_vec(), "spam"),
        ("spam.mbox.gz", gzip(MAILBOX.as_bytes()), "spam"),
        ("all/ham/old.mbox", MAILBOX.replace('\n', "\r\n").into_bytes(), "ham"),
    ] {
        let file = folder.file(path, bytes);
        let opened = if path.starts_with("all") { folder.path("all") } else { file };
        let table = Table::open(&[opened], ReadOptions { words: words.clone(), ..ReadOptions::default() }).unwrap();
        let (_, rows) = read(&table).unwrap();
        assert_eq!(rows, pairs(&expected.map(|text| (class, text.trim_start_matches('>')))), "{path}");
        assert!(table.remarks().iter().any(|remark| remark.contains("--as mail")), "{:?}", table.remarks());
        let last = format!("{}:2,{class}", path.rsplit('/').next().unwrap());
        assert_eq!(names(&table).unwrap()[1], last);
    }
}

#[test]
fn messages_of_a_mailbox_are_unpacked_like_files() {
    let folder = Folder::new();
    let path = folder.file("ham.mbox", MAILBOX);
    let words = Words { markup: Markup::Mail, ..Words::default() };
    let table = Table::open(&[path], ReadOptions { words, ..ReadOptions::default() }).unwrap();
    assert_eq!(read(&table).unwrap().1, pairs(&[("ham", "one from here on from me"), ("ham", "two from you")]));
    assert!(table.remarks().is_empty(), "{:?}", table.remarks());
}

#[test]
fn what_is_no_mailbox_is_named() {
    let folder = Folder::new();
    let path = folder.file("notes.mbox", format!("Dear diary\n\n{MAILBOX}"));
    let error = read(&Table::open(&[&path], ReadOptions::default()).unwrap()).unwrap_err();
    assert!(error.to_string().contains("notes.mbox does not begin with a line `From `"), "{error}");
    assert!(error.hint().unwrap().contains("--documents"));
    let skip = ReadOptions { on_bad_row: OnBadRow::Skip, ..ReadOptions::default() };
    let table = Table::open(&[&path], skip).unwrap();
    let (report, rows) = (table.fold(|_: &[usize]| ()).unwrap().report, read(&table).unwrap().1);
    assert_eq!((report.n_rows, report.n_skipped, rows.len()), (2, 1, 2));
    let whole = Table::open(&[&path], cut(Cut::Whole)).unwrap();
    assert_eq!(whole.fold(|_: &[usize]| ()).unwrap().report.n_rows, 1);
}

#[test]
fn files_that_are_no_text_are_named_also_when_they_are_cut() {
    let folder = Folder::new();
    std::fs::create_dir_all(folder.path("all")).unwrap();
    folder.file("all/ham.txt", "lunch\n");
    folder.file("all/picture.txt", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01");
    let error = read(&Table::open(&[folder.path("all")], cut(Cut::Lines)).unwrap()).unwrap_err().to_string();
    assert!(error.contains("picture.txt is not text"), "{error}");
    let table = Table::open(&[folder.path("all")], ReadOptions { on_bad_row: OnBadRow::Skip, ..cut(Cut::Lines) }).unwrap();
    let report = table.fold(|_: &[usize]| ()).unwrap().report;
    assert_eq!((report.n_rows, report.n_skipped), (1, 1));
}

#[test]
fn files_and_folders_without_documents_are_told() {
    let folder = Folder::new();
    for class in ["ham", "drafts/old"] {
        std::fs::create_dir_all(folder.path("mail").join(class)).unwrap();
    }
    folder.file("mail/ham/1", "lunch");
    let table = Table::open(&[folder.path("mail")], ReadOptions::default()).unwrap();
    assert!(table.remarks().len() == 1 && table.remarks()[0].ends_with("drafts: holds no document"), "{:?}", table.remarks());
    let (full, empty) = (folder.file("spam.txt", "free\n"), folder.file("ham.txt", ""));
    let table = Table::open(&[&full, &empty], cut(Cut::Lines)).unwrap();
    assert!(table.remarks().iter().any(|remark| remark.ends_with("ham.txt: holds no document")), "{:?}", table.remarks());
    // And it is no class that was met.
    assert_eq!(table.fold(|_: &[usize]| ()).unwrap().schema.variables()[1].kind.states().unwrap().names(), ["spam"]);
    let error = Table::open(&[&empty], cut(Cut::Lines)).err().unwrap().to_string();
    assert!(error.contains("holds no document"), "{error}");
}

#[test]
fn packed_files_of_a_folder_are_unpacked() {
    let folder = Folder::new();
    std::fs::create_dir_all(folder.path("mail/ham")).unwrap();
    folder.file("mail/ham/1.gz", gzip(b"lunch at noon"));
    folder.file("mail/ham/2.zst", zstd(b"the meeting"));
    let (_, rows) = read(&Table::open(&[folder.path("mail")], ReadOptions::default()).unwrap()).unwrap();
    assert_eq!(rows, pairs(&[("ham", "lunch at noon"), ("ham", "the meeting")]));
}

/// A line longer than a block, between short ones, on any number of threads.
#[test]
fn long_lines_and_many_lines_are_the_same_on_any_number_of_threads() {
    let folder = Folder::new();
    let long = format!("tick{}tock", " ".repeat(33 << 20));
    let short: String = (0..9000).map(|i| format!("w{} x{}\n", i % 977, i % 31)).collect();
    let path = folder.file("clock.txt", format!("{short}{long}\n{short}"));
    let rows = |threads| read(&Table::open(&[&path], ReadOptions { threads, ..cut(Cut::Lines) }).unwrap()).unwrap();
    let one = rows(1);
    assert_eq!((one.1.len(), one.1[9000].1.as_str(), one.1[9001].1.as_str()), (18_001, "tick tock", "w0 x0"));
    assert!(rows(7) == one);
    let mailbox: String = (0..20_000).map(|i| format!("From a Thu Jan  1 00:00:00 1970\n\nw{} x{}\n\n", i % 977, i % 31)).collect();
    let path = folder.file("clock.mbox", mailbox);
    let rows = |threads| read(&Table::open(&[&path], ReadOptions { threads, ..ReadOptions::default() }).unwrap()).unwrap();
    let one = rows(1);
    assert_eq!((one.1.len(), one.1[19_999].1.as_str()), (20_000, "w459 x4"));
    assert!(rows(7) == one);
}

/// What is said of documents overrules what their bytes look like.
#[test]
fn lines_that_look_like_a_table_are_lines() {
    let folder = Folder::new();
    for text in ["[{\"a\":1},\n", "{\"a\":1}\n", "@relation x\n", "a,b\n"] {
        let path = folder.file("odd.csv", format!("{text}more\n"));
        let table = Table::open(&[path], cut(Cut::Lines)).unwrap();
        assert_eq!(table.fold(|_: &[usize]| ()).unwrap().report.n_rows, 2, "{text}");
    }
}

#[test]
fn a_model_of_documents_reads_lines_whose_class_it_does_not_know() {
    let folder = Folder::new();
    let spam = folder.file("spam.txt", "free\n");
    let (schema, _) = read(&Table::open(&[spam], cut(Cut::Lines)).unwrap()).unwrap();
    let new = folder.file("new.txt", "free lunch\n\n");
    for unknown in [UnknownStates::Missing, UnknownStates::Error] {
        let table = Table::open_as(&[&new], cut(Cut::Lines), &schema, unknown, true).unwrap();
        assert_eq!(names(&table).unwrap(), ["new.txt:1,new", "new.txt:2,new"]);
    }
}

/// Beside them a cell of a table that is longer than a block.
#[test]
fn a_long_text_of_a_table_is_one_text() {
    let folder = Folder::new();
    let long = format!("tick{}tock", " ".repeat(33 << 20));
    let text = format!("id,class,text\n1,a,\"short, one\"\n2,b,\"{long}\"\n3,a,last\n");
    let options = ReadOptions { text: vec!["text".into()], ..ReadOptions::default() };
    let (_, rows) = read(&folder.table("long.csv", text, options).unwrap()).unwrap();
    assert_eq!(rows, pairs(&[("a", "short one"), ("b", "tick tock"), ("a", "last")]));
}
