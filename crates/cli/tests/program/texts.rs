//! Texts: folders of documents, and columns of words beside other columns.

use serde_json::{Value, json};

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
fn the_words_that_tell_are_shown_by_ratio_and_by_information() {
    let folder = mail();
    for kind in ["multinomial", "bernoulli", "complement"] {
        folder.run(&format!("learn mail --text-model {kind} -o m.tb")).ok();
        let shown = folder.run("show m.tb --format json --top 2").ok().json();
        let spam = &shown["words"]["text"][1];
        // In a text or not, four words are alike; by how often, one stands out.
        let first = if kind == "bernoulli" { "claim" } else { "free" };
        assert_eq!((&spam["class"], &spam["by_ratio"][0]["word"]), (&"spam".into(), &first.into()), "{kind}");
        for ranking in ["by_ratio", "by_information"] {
            let words = spam[ranking].as_array().unwrap();
            assert_eq!(words.len(), 2);
            for word in words {
                let n = |field: &str| word[field].as_f64().unwrap();
                crate::support::assert_close(&word["ratio"], n("p_given_class") / n("p_given_rest"), 1e-12);
                assert_eq!((n("texts"), n("texts_in_rest")), (2.0, 0.0), "{kind}: {word}");
            }
        }
        // Two texts of five have it, and they are all of a class: H(2/5).
        crate::support::assert_close(&spam["by_information"][0]["bits"], 0.970_950_594_454_668_7, 1e-12);
    }
    folder.run("learn mail -o m.tb").ok();
    insta::assert_snapshot!("show_words", folder.run("show m.tb").ok().transcript());
    insta::assert_snapshot!("show_words_by_ratio", folder.run("show m.tb --by ratio --top 3 --min-texts 2").ok().transcript());
    let informative = folder.run("show m.tb --by information --top 1").ok();
    assert!(informative.stdout().contains("I(class; word in a text)"), "{}", informative.stdout());
    // Beside other columns, after what they tell.
    folder.put("t.csv", "n,body,y\n1,the page is slow,p\n2,the invoice is wrong,q\n1,slow page,p\n2,wrong invoice,q\n");
    folder.run("learn t.csv --text body -t y --types n=category").ok();
    let shown = folder.run("show t.tb").ok();
    let place = |text: &str| shown.stdout().find(text).unwrap_or_else(|| panic!("{text}: {}", shown.stdout()));
    assert!(place("Most telling evidence") < place("\n\nWords of body that tell most"));
    folder.put("plain.csv", "a,y\n1,p\n2,q\n1,p\n2,q\n");
    folder.run("learn plain.csv -t y --types a=category").ok();
    for flag in ["--by ratio", "--min-texts 2"] {
        folder.run(&format!("show plain.tb {flag}")).fails(2, &[flag.split(' ').next().unwrap(), "no texts"]);
    }
    folder.run("show m.tb --by ratio --format json").fails(2, &["--by"]);
}

#[test]
fn a_document_is_shown_with_its_words_weighted() {
    let folder = mail();
    folder.run("learn mail -o m.tb").ok();
    folder.put("new.txt", "A <b>free</b> prize\n\u{1b}[2Jat the \"meeting\" & more");
    // In a pipe there is the ledger alone, unless it is asked for.
    let ledger = folder.run("explain m.tb new.txt").ok();
    assert!(!ledger.stdout().contains("<b>"), "{}", ledger.stdout());
    assert_eq!(folder.run("explain m.tb new.txt --mark none").ok().stdout(), ledger.stdout());
    insta::assert_snapshot!("explain_marked_plain", folder.run("explain m.tb new.txt --mark plain --unit bits").ok().transcript());
    let coloured = folder.run("explain m.tb new.txt --mark colour").ok();
    assert!(coloured.stdout().contains("<b>\u{1b}[38;5;16;48;5;75mfree\u{1b}[0m</b>"), "{:?}", coloured.stdout());
    assert!(!coloured.stdout().contains("\u{1b}[2J"), "{:?}", coloured.stdout());
    let page = folder.run("explain m.tb new.txt --format html").ok();
    insta::assert_snapshot!("explain_page", page.stdout());
    assert!(page.stdout().contains("</mark> &lt;b&gt;<mark class=\"for\"") && page.stdout().contains("&quot;<mark class=\"against\""));
    assert!(!page.stdout().contains("<b>") && !page.stdout().contains('\u{1b}') && !page.stdout().contains("http"));
    // The same text by hand.
    let typed = folder.run("explain m.tb 'text=free the prize' --mark plain --unit bits").ok();
    assert!(typed.stdout().contains("[free +"), "{}", typed.stdout());
    folder.run("explain m.tb new.txt --format html --mark plain").fails(2, &["--mark"]);
    folder.run("explain m.tb new.txt --format html --trace").fails(2, &["--trace"]);
    folder.run("explain m.tb new.txt --format json --mark plain").fails(2, &["--mark"]);
    folder.run("show m.tb --format html").fails(2, &["text or json"]);
    folder.run("classify m.tb new.txt --format html").fails(2, &["--format csv"]);
}

/// A text in a row of a table, in whatever format, with rows before it that are skipped.
#[test]
fn the_text_of_a_row_is_shown() {
    let folder = Folder::new();
    let rows = "1,\"The page, \"\"it\"\" is slow\",web\n2,the invoice is wrong,phone\nbad\n1,slow page,web\n2,caf\u{e9} invoice,phone\n";
    folder.put("t.csv", format!("n,body,team\n{rows}"));
    folder.run("learn t.csv --text body -t team --types n=category --on-bad-row skip -o t.tb").ok();
    let marked = |line: &str| folder.run(&format!("explain t.tb {line} --mark plain -q")).ok().stdout().to_string();
    let first = marked("t.csv --row 1 --on-bad-row skip");
    assert!(first.contains("[The ") && first.contains(", \"[it ") && first.contains("[slow "), "{first}");
    let last = marked("t.csv --row 4 --on-bad-row skip");
    assert!(last.contains("[caf\u{e9} +"), "{last}");
    folder.run("classify t.tb t.csv --on-bad-row skip -o t.parquet -q").ok();
    assert_eq!(marked("t.parquet --row 4"), last);
    folder.put("l.jsonl", "{\"n\":2,\"body\":\"x\",\"team\":\"web\"}\n{\"n\":2,\"body\":\"caf\u{e9} invoice\",\"team\":null}\n");
    assert_eq!(marked("l.jsonl --row 2"), last);
    // Bytes that are not UTF-8 are shown as they are read.
    folder.put("w.csv", b"n,body\n2,caf\xE9 invoice\n");
    assert_eq!(marked("w.csv"), last);
    // A model without texts has a page too, of the ledger.
    let tennis = Folder::with_model();
    let page = tennis.run("explain play_tennis.tb Outlook=Sunny --format html").ok();
    assert!(page.stdout().contains("<td>Outlook = Sunny</td>") && !page.stdout().contains("class=\"document\""), "{}", page.stdout());
}

#[test]
fn complement_weights_are_not_called_probabilities() {
    let folder = mail();
    for kind in ["complement", "normalised-complement"] {
        folder.run(&format!("learn mail --text-model {kind} -o m.tb")).ok();
        let told = folder.run("explain m.tb mail/new.txt").ok();
        assert!(!told.stdout().contains("times as likely") && told.stdout().contains("no probabilities"), "{}", told.stdout());
        let entries = folder.run("explain m.tb mail/new.txt --format json").ok().json()["entries"].clone();
        let word = entries.as_array().unwrap().iter().find(|e| e["value"]["word"] == "free").unwrap();
        let n = |field: &str| word[field].as_f64().unwrap();
        let nats = (n("weight_for_class") - n("weight_for_against")) * 10.0 / std::f64::consts::LN_10;
        assert!((nats - n("contribution")).abs() < 1e-9 && word.get("ln_given_class").is_none(), "{word}");
        let trace = folder.run("explain m.tb mail/new.txt --trace").ok();
        assert!(trace.stdout().contains("weights of text's words"), "{}", trace.stdout());
    }
    // Nor is what a word of a burst adds.
    folder.run("learn mail --text-model dirichlet-compound -o m.tb").ok();
    let told = folder.run("explain m.tb mail/new.txt --mark plain").ok();
    assert!(!told.stdout().contains("times as likely") && told.stdout().contains("times the odds for"), "{}", told.stdout());
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

/// What was learned and forgotten again has no part in the length of a text, nor in the size of weights.
#[test]
fn forgetting_undoes_an_update_whatever_words_are_weighed_by() {
    let folder = Folder::new();
    folder.put("a.csv", "class,text\np,good good fine word\nn,bad poor word\n");
    folder.put("b.csv", "class,text\nnew,strange words good\np,odd good\n");
    folder.put("q.csv", "text\ngood strange words bad odd\nword good bad good\n");
    for flags in ["--weigh-words length:10", "--weigh-words unit", "--text-model normalised-complement", "--text-model bernoulli", ""] {
        folder.run(&format!("learn a.csv --text text -t class -o a.tb --evaluate none {flags}")).ok();
        folder.run("update a.tb b.csv -o u.tb").ok();
        folder.run("forget u.tb b.csv -o f.tb").ok();
        let answers = |model: &str| {
            let told = folder.run(&format!("classify {model} q.csv --format jsonl")).ok().json_lines();
            told.iter().flat_map(|row| ["n", "p"].map(|class| row["probability"][class].as_f64().unwrap())).collect::<Vec<f64>>()
        };
        for (before, after) in answers("a.tb").iter().zip(answers("f.tb")) {
            assert!((before - after).abs() < 1e-12, "{flags}: {before} {after}");
        }
    }
}

/// Folds of one row each are that row really left out, also where texts are brought to one length.
#[test]
fn a_fold_knows_no_word_of_its_own() {
    let texts = ["red rose rose", "red wine odd", "blue sky", "blue sea sea strange", "red sky", "blue rose other"];
    let row = |nth: usize| format!("{},{}\n", ["p", "n"][nth / 2 % 2], texts[nth]);
    let all: String = (0..texts.len()).map(row).collect();
    let folder = Folder::new().write("all.csv", format!("class,text\n{all}"));
    for flags in ["length:10", "unit"] {
        let learn = format!("--text text -t class --weigh-words {flags} --class-prior uniform");
        let (mut loss, n) = (0.0, texts.len());
        for out in 0..n {
            let others: String = (0..n).filter(|nth| *nth != out).map(row).collect();
            folder.put("others.csv", format!("class,text\n{others}"));
            folder.put("one.csv", format!("class,text\n{}", row(out)));
            folder.run(&format!("learn others.csv {learn} -o others.tb --evaluate none")).ok();
            loss += folder.run("evaluate others.tb one.csv --format json").ok().json()["log_loss"].as_f64().unwrap() / n as f64;
        }
        let told = folder.run(&format!("learn all.csv {learn} -o all.tb --evaluate loo --format json")).ok().json();
        let found = told["evaluation"]["log_loss"].as_f64().unwrap();
        assert!((found - loss).abs() < 1e-9, "{flags}: {found}, really {loss}");
    }
}

#[test]
fn messages_that_name_no_encoding_keep_their_letters() {
    let folder = Folder::new();
    for class in ["p", "n"] {
        std::fs::create_dir_all(folder.path("mail").join(class)).unwrap();
    }
    folder.put("mail/p/1", b"Subject: x\n\ncaf\xe9 na\xefve\n");
    folder.put("mail/n/1", "Subject: y\n\nother\n");
    folder.run("learn mail --as mail -o m.tb --evaluate none").ok().notes(&["1 text is not in UTF-8"]);
    let shown = folder.run("show m.tb --format json").ok();
    assert!(shown.stdout().contains("café") && shown.stdout().contains("naïve"), "{}", shown.stdout());
    // One that names it is read by it.
    folder.put("mail/p/1", b"Subject: x\nContent-Type: text/plain; charset=iso-8859-1\n\ncaf\xe9\n");
    folder.run("learn mail --as mail -o m.tb --evaluate none").ok();
    assert!(folder.run("show m.tb --format json").ok().stdout().contains("café"));
}

#[test]
fn stop_words_keep_their_case_where_words_do() {
    let folder = mail();
    folder.put("stop.txt", "FREE\nThe\n");
    let words = |flags: &str| {
        folder.run(&format!("learn mail --on-bad-row skip --stop-words stop.txt {flags} -o s.tb --evaluate none")).ok();
        folder.run("show s.tb --format json").ok().stdout().to_string()
    };
    let kept = words("--keep-case");
    assert!(!kept.contains("\"FREE\"") && !kept.contains("\"The\"") && kept.contains("\"free\""), "{kept}");
    assert!(!words("").contains("\"free\""));
    folder.put("stop.txt", "\u{feff}FREE\r\nThe\r\n");
    assert!(!words("").contains("\"free\""));
}

/// Where what is chosen, or the size of weights, comes of the rows that are left out too.
#[test]
fn leave_one_out_says_what_it_takes_as_given() {
    let folder = mail();
    for (flags, given) in [
        ("--min-texts 2", "given the words that are frequent enough"),
        ("--min-times 2", "given the words that are frequent enough"),
        ("--drop-frequent 1", "given the words that are not too frequent"),
        ("--max-vocabulary 5", "given the words that were kept"),
        ("--text-model normalised-complement", "given how large the weights"),
    ] {
        let told = folder.run(&format!("learn mail --on-bad-row skip -o m.tb {flags} --force")).ok();
        assert!(told.stdout().contains(given), "{flags}: {}", told.stdout());
    }
}

#[test]
fn a_text_none_of_whose_words_counts_is_not_said_to_be_missing() {
    let folder = mail();
    for flags in ["--min-texts 100", "--drop-frequent 1000", "--keep-words 0"] {
        folder.run(&format!("learn mail --on-bad-row skip -o m.tb {flags}")).ok().notes(&["`text` is left out: none of its words counts"]);
    }
}

/// A text without words says nothing, whether it is empty, null or of marks alone.
#[test]
fn texts_without_words_are_missing_and_counted() {
    let rows = [r#""the printer is jammed","y":"a""#, r#"null,"y":"b""#, r#""","y":"b""#, r#""...","y":"a""#, r#""mail is lost","y":"b""#];
    let lines: String = rows.iter().map(|row| format!("{{\"body\":{row}}}\n")).collect();
    let folder = Folder::new().write("m.jsonl", lines + "{\"y\":\"a\"}\n");
    let learned = folder.run("learn m.jsonl -t y --text body --evaluate none --format json -o m.tb").ok().json();
    let body = learned["columns"].as_array().unwrap().iter().find(|c| c["name"] == "body").unwrap();
    assert_eq!((&body["missing"], &body["words"]), (&json!(4), &json!(6)), "{learned}");
}

/// What a person is told, programs are too.
#[test]
fn remarks_on_documents_are_in_the_object() {
    let folder = Folder::new();
    for (path, text) in [("m/a/1", &b"caf\xE9 x"[..]), ("m/a/2", b""), ("m/b/1", b"b b"), ("m/b/2", b"b b")] {
        std::fs::create_dir_all(folder.path(path).parent().unwrap()).unwrap();
        folder.put(path, text);
    }
    let learned = folder.run("learn m --evaluate none --format json").ok().json();
    let remarks = learned["remarks"].to_string();
    for told in ["1 text is not in UTF-8", "1 document has no words", "1 document is a copy"] {
        assert!(remarks.contains(told), "{remarks}");
    }
}

/// Markup is taken out of a text that is given by hand as well.
#[test]
fn a_text_by_hand_is_read_as_those_of_files() {
    let folder =
        Folder::new().write("t.csv", "body,y\n\"<b>caf&eacute;</b>\",a\n\"br zz\",b\n").write("new.csv", "body,n\n<b>caf&eacute;</b>,1\n");
    for markup in ["html", "mail"] {
        folder.run(&format!("learn t.csv -t y --text body --as {markup} --evaluate none -o m.tb")).ok();
        let row = folder.run("classify m.tb new.csv --format jsonl").ok().json();
        let case = folder.run("classify m.tb 'body=<b>caf&eacute;</b>' --format json").ok().json();
        assert_eq!(row["probability"], case["probability"], "{markup}");
        assert_ne!(row["probability"]["a"], 0.5, "{markup}");
    }
}

/// An apostrophe may be a typographic one, in a text as in a list of stop words.
#[test]
fn stop_words_have_apostrophes_of_either_kind() {
    let folder = Folder::new().write("t.csv", "body,y\n\"don't don’t isn't isn’t printer\",a\nzz,b\n");
    let learned = folder.run("learn t.csv -t y --text body --stop-words English --evaluate none --format json").ok().json();
    assert_eq!(learned["columns"][0]["words"], 2, "{learned}");
}

/// Words are chosen by how often they were met, whatever the logarithm of it weighs.
#[test]
fn words_are_chosen_by_times_under_logarithms_too() {
    let rows = "y,t\na,x y once\na,x p\nb,x z p\nb,z z z z\n";
    let folder = Folder::new().write("t.csv", rows);
    let p = |flags: &str| {
        folder.run(&format!("learn t.csv -t y --text t --evaluate none --force -o m.tb {flags}")).ok();
        folder.run("classify m.tb t=p --format json").ok().json()["probability"]["a"].as_f64().unwrap()
    };
    // `p` is met twice, which the logarithms of do not reach; `once` and `y` once.
    assert!((p("--weigh-words log --min-times 2") - 0.5).abs() > 0.01);
    assert!((p("--weigh-words log --min-times 3") - 0.5).abs() < 1e-12);
    // `z` is the most frequent, five times in two texts; `x` three times in three.
    folder.run("learn t.csv -t y --text t --evaluate none --force -o m.tb --weigh-words log --drop-frequent 1").ok();
    let words = folder.run("show m.tb --all").ok();
    assert!(words.stdout().contains("x 1.0") && !words.stdout().contains("z "), "{}", words.stdout());
}

/// Inverse document frequency is of documents: rows that have none of this text say nothing of it.
#[test]
fn rows_without_a_text_make_no_word_rarer() {
    let rows = "y,t,u\na,x x y,k\na,y z,k\nb,x z z,l\nb,z q,l\n";
    let folder = Folder::new().write("t.csv", rows);
    folder.put("more.csv", format!("{rows}a,,k\na,,k\na,,l\nb,,l\nb,,k\nb,,l\n"));
    let p = |table: &str| {
        folder
            .run(&format!(
                "learn {table}.csv -t y --text t --ignore u --weigh-words idf --class-prior uniform --evaluate none -o {table}.tb"
            ))
            .ok();
        folder.run(&format!("classify {table}.tb 't=x z' --format json")).ok().json()["probability"]["a"].as_f64().unwrap()
    };
    assert_eq!(p("t"), p("more"));
}
