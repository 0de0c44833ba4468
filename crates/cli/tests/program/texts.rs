//! Texts: folders of documents, and columns of words beside other columns.

use serde_json::Value;

use crate::support::Folder;

/// A folder of mail: words that tell, words that do not, and a class with a name like a number.
fn mail() -> Folder {
    let folder = Folder::new();
    for class in ["ham", "spam"] {
        std::fs::create_dir_all(folder.path("mail").join(class)).unwrap();
    }
    for (path, text) in [
        ("mail/ham/1.txt", "Lunch on Monday? The meeting is at noon."),
        ("mail/ham/2.txt", "The minutes of the meeting, and the agenda for Monday."),
        ("mail/ham/3.txt", "Is the report done? The meeting is soon."),
        ("mail/spam/1.txt", "FREE money! Claim your free prize now."),
        ("mail/spam/2.txt", "You won a prize: free, free, free. Claim it now."),
        ("mail/new.txt", "A free prize at the meeting"),
    ] {
        folder.put(path, text);
    }
    folder
}

#[test]
fn a_folder_of_documents_end_to_end() {
    let folder = mail();
    let learned = folder.run("learn mail --on-bad-row skip").ok();
    let text = learned.stdout();
    assert!(text.contains("6 rows") && text.contains("1 row without a class was left out"), "{text}");
    assert!(text.contains("free") && text.contains("leave-one-out"), "{text}");
    let answer = folder.run("classify mail.tb mail/new.txt --format jsonl").ok();
    let answer: Value = serde_json::from_str(answer.stdout()).unwrap();
    assert_eq!(answer["predicted"], "spam");
    let explained = folder.run("explain mail.tb mail/new.txt").ok();
    assert!(explained.stdout().contains("has “free”") && explained.stdout().contains("has “meeting”"), "{}", explained.stdout());
    let told = folder.run("classify mail.tb 'text=a free prize at the meeting' --format json").ok();
    let told: Value = serde_json::from_str(told.stdout()).unwrap();
    assert_eq!(told["probability"], answer["probability"]);
}

#[test]
fn halves_of_a_mailbox_are_the_whole() {
    let folder = mail();
    folder.run("learn mail -o whole.tb").ok();
    for (half, files) in [("a", ["ham/1.txt", "spam/1.txt"].as_slice()), ("b", &["ham/2.txt", "ham/3.txt", "spam/2.txt", "new.txt"])] {
        for file in files {
            let to = folder.path(half).join(file);
            std::fs::create_dir_all(to.parent().unwrap()).unwrap();
            std::fs::copy(folder.path("mail").join(file), to).unwrap();
        }
    }
    folder.run("learn a -o a.tb").ok();
    folder.run("learn b -o b.tb").ok();
    folder.run("merge a.tb b.tb -o merged.tb").ok();
    folder.run("update a.tb b -o updated.tb").ok();
    let shown = |model: &str| folder.run(&format!("show {model} --format json")).ok().stdout().to_string();
    assert_eq!(shown("merged.tb"), shown("whole.tb"));
    assert_eq!(shown("updated.tb"), shown("whole.tb"));
    // What the other half taught is told, of words as of classes.
    for kind in ["multinomial", "bernoulli", "complement"] {
        folder.run(&format!("learn a -o x.tb --text-model {kind}")).ok();
        folder.run("update x.tb b -o y.tb").ok();
        let moved = folder.run("diff x.tb y.tb --format json").ok().json();
        let moved = moved["moved"].as_array().unwrap();
        assert!(moved.iter().any(|m| m["variable"] == "text"), "{kind}: {moved:?}");
        let is_share = |m: &Value| m["after"].as_f64().is_none_or(|p| (0.0..=1.0).contains(&p));
        assert!(moved.iter().all(is_share), "{kind}: {moved:?}");
    }
    // Taking one half back leaves the other, with the words of both and the counts of one.
    folder.run("forget whole.tb b -o left.tb").ok();
    let classify = |model: &str| folder.run(&format!("classify {model} mail")).ok().stdout().to_string();
    assert_eq!(classify("left.tb"), classify("a.tb"));
    folder.run("forget a.tb b").fails(1, &["not all in the model"]);
}

#[test]
fn words_beside_states_and_numbers() {
    let folder = Folder::new();
    let rows: String = (0..40)
        .map(|i| {
            if i % 2 == 0 { format!("{},web,the page is slow\n", 5 + i % 3) } else { format!("{},phone,the invoice is wrong\n", 1 + i % 3) }
        })
        .collect();
    folder.put("tickets.csv", format!("hours,source,body\n{rows}").replace("source", "team"));
    folder.run("learn tickets.csv --text body --target team").ok();
    let ledger = folder.run("explain tickets.tb hours=6 'body=my page' --format json").ok();
    let ledger: Value = serde_json::from_str(ledger.stdout()).unwrap();
    assert_eq!(ledger["class"], "web");
    let variables: Vec<&str> = ledger["entries"].as_array().unwrap().iter().map(|e| e["variable"].as_str().unwrap()).collect();
    assert!(variables.contains(&"hours") && variables.contains(&"body"), "{variables:?}");
}

#[test]
fn every_kind_of_text_model_learns_and_is_judged() {
    let folder = mail();
    for kind in ["multinomial", "bernoulli", "complement", "normalised-complement"] {
        let found = folder.run(&format!("learn mail --text-model {kind} --format json -o m.tb")).ok();
        let found: Value = serde_json::from_str(found.stdout()).unwrap();
        assert!(found["evaluation"]["accuracy"].as_f64().unwrap() >= 0.6, "{kind}: {found}");
        folder.run("classify m.tb mail").ok();
        folder.run("explain m.tb mail/new.txt").ok();
    }
}

#[test]
fn choices_that_cannot_be_are_named() {
    let folder = mail();
    folder.run("learn mail --tokens 'regex:('").fails(2, &["the pattern `(` cannot be read"]);
    folder.run("learn mail --ngrams 3-1").fails(2, &["runs of 3 to 1"]);
    folder.run("learn mail --stem klingon").fails(2, &["no rules are known for that language"]);
    folder.run("learn mail --stop-words no-such-file").fails(1, &["no-such-file"]);
    folder.run("learn mail --inner hyphens --tokens chars:3-4").fails(2, &["--inner goes with --tokens words"]);
    folder.run("learn mail -m nearest-centroid").fails(1, &["knows no texts"]);
    folder.put("plain.csv", "a,y\n1,p\n2,q\n1,p\n2,q\n");
    for flag in ["--stem english", "--text-model complement", "--min-texts 2", "--strip quotes"] {
        folder.run(&format!("learn plain.csv -t y --types a=category {flag}")).fails(1, &["no column is a text", "--text"]);
    }
    folder.run("learn plain.csv -t y --types a=category -m bernoulli").ok();
    folder.run("learn plain.csv -t y --text b").fails(1, &["--text `b` is no column"]);
    folder.run("learn mail/ham").fails(1, &["missing in every row", "--class-depth"]);
    folder.run("learn mail -o m.tb").ok();
    folder.run("evaluate m.tb mail --stem english").fails(2, &["--stem"]);
}

#[test]
fn a_text_without_known_words_has_the_prior() {
    let folder = mail();
    folder.run("learn mail -o m.tb").ok();
    let told = folder.run("explain m.tb 'text=quizzical jabberwocky'").ok();
    assert!(told.stdout().contains("no word of it is known"), "{}", told.stdout());
}

#[test]
fn an_update_tells_how_many_words_are_new() {
    let folder = mail();
    folder.run("learn mail -o m.tb").ok();
    std::fs::create_dir_all(folder.path("more/ham")).unwrap();
    folder.put("more/ham/1.txt", "the gazebo, the Gazebo and the wheelbarrow");
    folder.run("update m.tb more -o n.tb").ok().notes(&["`text` has 2 new words: `gazebo`, `wheelbarrow`"]);
    folder.run("update n.tb more").ok().silent();
}
