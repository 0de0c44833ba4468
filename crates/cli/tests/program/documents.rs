//! Where documents come from: lines, mailboxes, standard input, and what is wrong with them.

use crate::support::{Folder, cells};

const SPAM: [&str; 3] = ["FREE money! Claim your free prize now.", "You won a prize: free, free, free.", "Claim it now"];
const HAM: [&str; 3] = ["Lunch on Monday? The meeting is at noon.", "The minutes of the meeting", "Is the report done?"];

fn mailbox(messages: &[&str]) -> String {
    messages.iter().map(|text| format!("From a@b.c Thu Jan  1 00:00:00 1970\nSubject: {text}\n\n{text}\n\n")).collect()
}

/// The same texts as lines, and as files of a folder.
fn lines_and_files() -> Folder {
    let folder = Folder::new();
    for (class, texts) in [("spam", SPAM), ("ham", HAM)] {
        folder.put(&format!("{class}.txt"), texts.join("\n"));
        std::fs::create_dir_all(folder.path("mail").join(class)).unwrap();
        for (number, text) in texts.iter().enumerate() {
            folder.put(&format!("mail/{class}/{number}.txt"), text);
        }
    }
    folder
}

#[test]
fn lines_are_documents_in_every_verb() {
    let folder = lines_and_files();
    folder.run("learn mail -o files.tb").ok();
    folder.run("learn ham.txt spam.txt --documents lines -o lines.tb").ok();
    let shown = |model: &str| folder.run(&format!("show {model} --format json")).ok().stdout().to_string();
    assert_eq!(shown("lines.tb"), shown("files.tb"));
    std::fs::create_dir(folder.path("all")).unwrap();
    for class in ["ham", "spam"] {
        std::fs::copy(folder.path(&format!("{class}.txt")), folder.path("all").join(format!("{class}.txt"))).unwrap();
    }
    folder.run("learn all --documents lines -o all.tb").ok();
    assert_eq!(shown("all.tb"), shown("files.tb"));

    folder.put("new.txt", "a free prize\n\nthe meeting\n");
    let answers = folder.run("classify lines.tb new.txt --documents lines").ok();
    let rows = cells(answers.stdout());
    assert_eq!(rows[0][..3], ["path", "class", "predicted"]);
    assert_eq!(
        rows[1..].iter().map(|row| (row[0], row[2])).collect::<Vec<_>>(),
        [("new.txt:1", "spam"), ("new.txt:2", "ham"), ("new.txt:3", "ham")]
    );
    let case = folder.run("classify lines.tb 'text=the meeting' --format json").ok().json();
    let third = folder.run("classify lines.tb new.txt --documents lines --format jsonl").ok().json_lines().remove(2);
    assert_eq!((&third["row"], &third["probability"]), (&3.into(), &case["probability"]));
    assert!(folder.run("explain lines.tb new.txt --documents lines --row 3").ok().stdout().contains("has “meeting”"));

    let judged = |line: &str| folder.run(line).ok().json()["confusion"].to_string();
    assert_eq!(
        judged("evaluate lines.tb ham.txt spam.txt --documents lines --format json"),
        judged("evaluate files.tb mail --format json")
    );
    folder.run("update lines.tb spam.txt ham.txt --documents lines -o twice.tb").ok();
    folder.run("forget twice.tb mail -o once.tb").ok();
    assert_eq!(shown("once.tb"), shown("files.tb"));
}

#[test]
fn mailboxes_are_known_by_their_first_line() {
    let folder = Folder::new().write("spam.mbox", mailbox(&SPAM)).write("ham", mailbox(&HAM));
    let learned = folder.run("learn ham spam.mbox -o m.tb --as mail --format json").ok().silent().json();
    assert_eq!(learned["rows"], 6);
    folder.put("new.mbox", mailbox(&["a free prize", "the meeting"]));
    let answers = folder.run("classify m.tb new.mbox").ok();
    let rows = cells(answers.stdout());
    assert_eq!((rows[1][0], rows[1][2], rows[2][0], rows[2][2]), ("new.mbox:1", "spam", "new.mbox:2", "ham"));
    let piped = folder.run_with_input("classify m.tb - --answers-only", folder.bytes("new.mbox")).ok();
    let unlike = folder.run("classify m.tb new.mbox --answers-only").ok();
    assert_eq!(piped.stdout(), unlike.stdout());
    folder.run("learn ham spam.mbox -o plain.tb").ok().notes(&["--as mail"]);
}

#[test]
fn standard_input_is_a_document_or_lines() {
    let folder = lines_and_files();
    folder.run("learn mail -o m.tb").ok();
    folder.put("message.txt", "A free prize,\nat the meeting\n");
    let of_file = folder.run("classify m.tb message.txt --answers-only").ok();
    let piped = folder.run_with_input("classify m.tb - --answers-only", folder.bytes("message.txt")).ok();
    assert_eq!(piped.stdout(), of_file.stdout());
    assert_eq!(
        folder.run_with_input("explain m.tb -", folder.bytes("message.txt")).ok().stdout(),
        folder.run("explain m.tb message.txt").ok().stdout()
    );
    let lines = folder.run_with_input("classify m.tb - --documents lines", folder.bytes("message.txt")).ok();
    assert_eq!(cells(lines.stdout())[1..].iter().map(|row| row[0]).collect::<Vec<_>>(), ["-:1", "-:2"]);
    // A table is one where something is said of its columns.
    let table = folder.run_with_input("classify m.tb - --header yes", "text,n\na free prize,1\nthe meeting,2\n").ok();
    assert_eq!(cells(table.stdout())[0][..3], ["text", "n", "predicted"]);
    folder.run_with_input("learn - --documents lines -o x.tb", "a\nb\n").fails(1, &["missing in every row", "standard input has none"]);
}

#[test]
fn a_case_is_no_document() {
    let folder = lines_and_files();
    folder.run("learn mail -o m.tb").ok();
    folder.run("classify m.tb 'text=free' --documents lines").fails(2, &["--documents is for files"]);
    folder.run("classify m.tb mail --documents words").fails(2, &["files", "lines", "mbox"]);
}

#[test]
fn copies_and_empty_documents_are_told() {
    let folder = lines_and_files();
    folder.run("learn mail -o m.tb").ok().silent();
    folder.put("mail/ham/copy.txt", HAM[0]);
    folder.put("mail/spam/copy.txt", HAM[0]);
    folder.put("mail/spam/empty.txt", "");
    folder.put("mail/spam/dots.txt", "...");
    folder.run("learn mail -o n.tb").ok().notes(&["2 documents have no words", "2 documents are copies of another"]);
    // Whoever classifies does not ask.
    let answers = folder.run("classify n.tb mail").ok();
    let answers = answers.notes(&["2 documents have no words", "2 rows have no word that the model knows"]);
    assert!(!answers.transcript().contains("copies"), "{}", answers.transcript());
}

#[test]
fn unknown_words_leave_the_prior() {
    let folder = lines_and_files();
    folder.run("learn mail -o m.tb").ok();
    folder.put("new.txt", "quizzical jabberwocky\n\nfree\n");
    let prior_only = "no word that the model knows, nor other evidence: the class prior is the answer";
    let answers = folder.run("classify m.tb new.txt --documents lines").ok().notes(&[&format!("2 rows have {prior_only}")]);
    let rows = cells(answers.stdout());
    assert_eq!((rows[1][3], rows[1][4], rows[2][3]), ("0.5", "0.5", "0.5"));
    folder.run("classify m.tb 'text=quizzical'").ok().notes(&[&format!("1 row has {prior_only}")]);
    folder.run("classify m.tb 'text=free'").ok().silent();
    let told = folder.run("explain m.tb 'text=quizzical'").ok();
    assert!(told.stdout().contains("the class prior is the answer"), "{}", told.stdout());
    // Of a Bernoulli model the absence of every word is evidence.
    folder.run("learn mail -o b.tb --text-model bernoulli").ok();
    folder.run("classify b.tb 'text=quizzical'").ok().silent();
}

#[test]
fn what_is_wrong_with_a_folder_is_told() {
    let folder = lines_and_files();
    std::fs::create_dir_all(folder.path("mail/drafts")).unwrap();
    folder.put("mail/ham/stray.txt", b"a page with one stray \0 in it, and a long way to go before it is anything but text, caf\xE9");
    #[cfg(unix)]
    std::os::unix::fs::symlink("nowhere", folder.path("mail/ham/broken")).unwrap();
    let learned = folder.run("learn mail -o m.tb --format json").ok();
    let learned = learned.notes(&["mail/drafts: holds no document", "1 text is not in UTF-8"]);
    #[cfg(unix)]
    let learned = learned.notes(&["mail/ham/broken: could not be listed"]);
    assert_eq!((&learned.json()["rows"], &learned.json()["class_prior"]["drafts"]), (&7.into(), &serde_json::Value::Null));
    folder.put("mail/spam/picture.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01");
    folder.run("learn mail -o m.tb").fails(1, &["picture.png is not text", "--on-bad-row skip"]);
    folder.run("learn mail -o m.tb --on-bad-row skip").ok().notes(&["1 malformed row was skipped", "picture.png"]);
}

/// It is looked at once, however often more of it is read, and hides no message behind it.
#[test]
fn a_mailbox_may_have_a_line_of_any_length() {
    let long = "word From ".repeat(400_000);
    let folder =
        Folder::new().write("ham.mbox", mailbox(&["a b", &long, "c d", &format!("From {long}"), "e"])).write("spam.mbox", mailbox(&["x"]));
    let learned = folder.run("learn ham.mbox spam.mbox --evaluate none --format json -o m.tb").ok().json();
    assert_eq!(learned["rows"], 6);
}

/// Names of old archives are in other encodings, and two of them are not one.
#[cfg(target_os = "linux")]
#[test]
fn classes_whose_names_are_not_utf8_are_kept_apart() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let folder = Folder::new();
    for (place, text) in [(&b"mail/\xe9col"[..], "one"), (b"mail/\xe8col", "two"), (b"mail/x", "three")] {
        let path = folder.path("").join(OsStr::from_bytes(place));
        std::fs::create_dir_all(&path).unwrap();
        std::fs::write(path.join("1"), text).unwrap();
    }
    let learned = folder.run("learn mail --evaluate none").ok();
    assert!(learned.stdout().contains("3: x, ècol, écol"), "{}", learned.stdout());
    let paths = folder.run("classify mail.tb mail").ok();
    assert!(paths.stdout().contains("mail/écol/1,") && paths.stdout().contains("mail/ècol/1,"), "{}", paths.stdout());
}

/// What lies among documents and is none is told.
#[cfg(target_os = "linux")]
#[test]
fn pipes_and_texts_of_other_widths_are_told() {
    let folder = lines_and_files();
    let made = std::process::Command::new("mkfifo").arg(folder.path("mail/spam/pipe")).status().unwrap();
    assert!(made.success());
    folder.run("learn mail --evaluate none").ok().notes(&["pipe: is no file and was passed over"]);
    let wide: Vec<u8> = "\u{feff}some text of two bytes a letter".encode_utf16().flat_map(u16::to_le_bytes).collect();
    std::fs::write(folder.path("mail/spam/wide"), wide).unwrap();
    folder.run("learn mail --evaluate none").fails(1, &["it is UTF-16 text, to be converted to UTF-8"]);
}

/// A folder that is a class is no folder of classes.
#[test]
fn forgetting_a_folder_of_one_class_is_told_as_such() {
    let folder = lines_and_files();
    folder.run("learn mail --evaluate none").ok();
    folder.run("forget mail.tb mail/spam").fails(1, &["of them have no class", "the class is the folder in it"]);
}
