//! Rows without a class: learned from by EM, told of, and kept through changes.

use serde_json::Value;

use crate::support::Folder;

/// One letter of each kind that is known, and six that are not: their words hang together with those of the known ones.
fn mail() -> Folder {
    let folder = Folder::new();
    for folder_of_class in ["mail/ham", "mail/spam", "more"] {
        std::fs::create_dir_all(folder.path(folder_of_class)).unwrap();
    }
    for (path, text) in [
        ("mail/ham/1.txt", "the agenda of the meeting"),
        ("mail/spam/1.txt", "claim your prize"),
        ("more/1.txt", "agenda and minutes"),
        ("more/2.txt", "minutes of monday"),
        ("more/3.txt", "monday lunch"),
        ("more/4.txt", "prize money"),
        ("more/5.txt", "free money"),
        ("more/6.txt", "free pills"),
    ] {
        folder.put(path, text);
    }
    folder
}

fn p_spam(folder: &Folder, model: &str, text: &str) -> f64 {
    let answer = folder.run(&format!("classify {model} 'text={text}' --format json")).ok();
    serde_json::from_str::<Value>(answer.stdout()).unwrap()["probability"]["spam"].as_f64().unwrap()
}

#[test]
fn words_that_only_unlabelled_mail_has_come_to_tell() {
    let folder = mail();
    folder.run("learn mail -o few.tb").ok();
    let learned = folder.run("learn mail --unlabelled more --unlabelled-weight 1 --estimate laplace:0.1 -o more.tb --format json").ok();
    let learned: Value = serde_json::from_str(learned.stdout()).unwrap();
    let from = &learned["unlabelled"];
    assert_eq!((&from["rows"], &from["weight"]), (&Value::from(6), &Value::from(1.0)));
    let climb: Vec<f64> = from["log_posterior"].as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect();
    assert!(climb.len() > 2 && climb.windows(2).all(|pair| pair[0] <= pair[1]), "{climb:?}");
    // Nobody has said what pills and lunch are.
    assert_eq!(p_spam(&folder, "few.tb", "pills"), 0.5);
    assert!(p_spam(&folder, "more.tb", "pills") > 0.6 && p_spam(&folder, "more.tb", "lunch") < 0.4);
    let shown = folder.run("show more.tb --history").ok();
    let shown = shown.stdout();
    assert!(
        shown.contains("6 rows without a class were learned from") && shown.contains("class = spam") && shown.contains("step 1"),
        "{shown}"
    );
    folder.run("show few.tb --history").fails(1, &["has learned from no rows without a class"]);
}

#[test]
fn the_weight_is_chosen_and_told() {
    let folder = mail();
    let learned = folder.run("learn mail --unlabelled more").ok();
    assert!(learned.stderr.contains("chosen by leave-one-out"), "{}", learned.stderr);
    assert!(learned.stdout().contains("given what rows without a class were taken for"), "{}", learned.stdout());
}

/// The same on any number of threads, and through hard EM and folds.
#[test]
fn rows_of_a_table_whose_class_is_missing() {
    let folder = Folder::new();
    let mut text = String::from("wind,sky,play\n");
    for row in 0..400 {
        let (wind, sky) = (["weak", "strong"][row % 2], ["clear", "grey", "dark"][(row / 2) % 3]);
        let play = if row % 5 > 0 {
            ""
        } else if row % 2 == 0 {
            "yes"
        } else {
            "no"
        };
        text.push_str(&format!("{wind},{sky},{play}\n"));
    }
    let folder = folder.write("days.csv", text);
    let plain = folder.run("learn days.csv --target play").ok();
    assert!(plain.stdout().contains("320 rows without a class were left out"), "{}", plain.stdout());
    let all = ["1", "2", "7"].map(|threads| {
        let line = format!(
            "learn days.csv --target play --unlabelled --unlabelled-weight 0.5 --threads {threads} -o t{threads}.tb --evaluate folds:5"
        );
        assert!(folder.run(&line).ok().stdout().contains("320 rows without a class were learned from, each counting 0.5 of one"));
        folder.bytes(&format!("t{threads}.tb"))
    });
    assert!(all[0] == all[1] && all[1] == all[2]);
    folder.run("learn days.csv --target play --unlabelled --em-hard --em-steps 3 --numeric student -o hard.tb").ok();
    // A change leaves what they were taken for, and says so.
    let updated = folder.run("update t1.tb days.csv -o u.tb").ok();
    assert!(updated.stderr.contains("approximate until they are learned from again"), "{}", updated.stderr);
    folder.run("merge t1.tb t2.tb -o m.tb").ok();
    folder.run("merge t1.tb hard.tb -o m.tb").fails(1, &["different priors"]);
    folder.run("learn days.csv --target play --unlabelled --unlabelled-weight 1 -o one.tb").ok();
    folder.run("merge t1.tb one.tb -o m.tb").fails(1, &["do not count the same"]);
}

#[test]
fn what_cannot_be_is_refused() {
    let folder = mail();
    folder.run("learn mail --unlabelled --unlabelled-weight 1").fails(1, &["there are no rows without a class"]);
    folder.run("learn mail --unlabelled more --text-model complement").fails(2, &["gives no probability of a text"]);
    for (line, says) in [
        ("learn mail --em-steps 3", "--em-steps goes with --unlabelled"),
        ("learn mail --unlabelled more --em-steps 0", "--em-steps must be at least 1"),
        ("learn mail --unlabelled more --unlabelled-weight=-1", "--unlabelled-weight must be"),
        ("learn mail --weigh-words tf", "give one or more of log, idf"),
    ] {
        folder.run(line).fails(2, &[says]);
    }
    folder.run("learn mail --unlabelled more --max-vocabulary 3").fails(2, &["words cannot be dropped"]);
    folder.run("learn mail --text-model bernoulli --weigh-words log").fails(2, &["takes no weights of it"]);
    folder.run("learn mail --unlabelled more --text-model dirichlet-compound").fails(1, &["--unlabelled-weight 1"]);
    folder.put("one.csv", "x,c,y\n1,a,p\n2,b,p\n3,a,\n4,b,\n5,b,p\n");
    folder.run("learn one.csv --target y --unlabelled").fails(1, &["at least two classes of `y` must have rows"]);
    folder.run("learn mail --text-model dirichlet-compound --weigh-words log").fails(2, &["takes no weights"]);
    folder.run("learn mail --text-model dirichlet-compound --min-texts 2").fails(2, &["cannot be chosen"]);
}

/// Weights of words by rarity are the texts' own: two models that have them do not add up, and say why.
#[test]
fn weights_of_words_are_kept_and_told() {
    let folder = mail();
    folder.run("learn mail --weigh-words log,idf,unit --text-model normalised-complement -o a.tb").ok();
    let learned = folder.run("learn mail --weigh-words log,idf,unit --text-model normalised-complement --evaluate loo").ok();
    assert!(learned.stdout().contains("given the weights of words"), "{}", learned.stdout());
    std::fs::create_dir_all(folder.path("new/ham")).unwrap();
    folder.put("new/ham/1.txt", "an agenda of wheelbarrows");
    let updated = folder.run("update a.tb new -o b.tb").ok();
    assert!(updated.stderr.contains("`text` has 2 new words: `an`, `wheelbarrows`"), "{}", updated.stderr);
    assert!(updated.stderr.contains("weights of words were made from the old texts"), "{}", updated.stderr);
    std::fs::remove_file(folder.path("mail/spam/1.txt")).unwrap();
    folder.put("mail/spam/2.txt", "free money");
    folder.run("learn mail --weigh-words log,idf,unit --text-model normalised-complement -o c.tb").ok();
    folder.run("merge a.tb c.tb -o d.tb").fails(1, &["its words have the weights that its own texts gave them"]);
    // A length is the same for all texts, and adds up.
    folder.run("learn mail --weigh-words log,length:20 -o e.tb").ok();
    folder.run("merge e.tb e.tb -o f.tb").ok();
    // So do bursts; they are judged by folds.
    let bursts = folder.run("learn mail --text-model dirichlet-compound -o g.tb").ok();
    assert!(bursts.stdout().contains("10 folds"), "{}", bursts.stdout());
    // What is shown is what the model believes: α of the word in proportion to all.
    let shown = folder.run("show g.tb --format json --top 1").ok().json();
    let (word, told) = (&shown["words"]["text"][0]["by_ratio"][0], &shown["telling_evidence"][0]["evidence"][0]);
    assert_eq!(word["word"], told["value"]);
    crate::support::assert_close(&word["p_given_class"], told["p_given_class"].as_f64().unwrap(), 1e-12);
    crate::support::assert_close(&word["p_given_rest"], told["p_given_rest"].as_f64().unwrap(), 1e-12);
    folder.run("merge g.tb g.tb -o h.tb").ok();
    let explained = folder.run("explain h.tb 'text=claim claim the agenda'").ok();
    assert!(explained.stdout().contains("its length"), "{}", explained.stdout());
}

/// A column that the rows without a class lack is missing in them.
#[test]
fn rows_without_a_class_may_lack_columns() {
    let folder = Folder::new().write("t.csv", "x,c,y\n1,a,p\n2,b,q\n1,a,p\n2.5,b,q\n").write("u.csv", "c\na\nb\nb\n");
    let learned = folder.run("learn t.csv --target y --unlabelled u.csv --unlabelled-weight 1").ok();
    assert!(learned.stderr.contains("no column `x`: read as missing"), "{}", learned.stderr);
}

/// Words that are chosen by their classes, and cut points too, are chosen anew in every fold: of noise nothing can be told.
#[test]
fn folds_do_not_know_the_classes_they_are_asked_for() {
    let folder = Folder::new();
    let mut text = String::from("text,y\n");
    for row in 0_u64..80 {
        let word = |nth: u64| (row * 20 + nth).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 55;
        let words: Vec<String> = (0..20).map(|nth| format!("w{}", word(nth))).collect();
        text.push_str(&format!("{},{}\n", words.join(" "), ["p", "q"][(row % 2) as usize]));
    }
    text.push_str("w1 w2,\nw3 w4,\n");
    folder.put("noise.csv", text);
    let accuracy = |flags: &str| {
        let line = format!(
            "learn noise.csv --text text --target y --keep-words 40 --weigh-words length:50 --evaluate folds:5 {flags} --format json"
        );
        folder.run(&line).ok().json()["evaluation"]["accuracy"].as_f64().unwrap()
    };
    let (plain, with_unlabelled) = (accuracy(""), accuracy("--unlabelled --unlabelled-weight 0"));
    assert!(plain < 0.65 && with_unlabelled < 0.65, "{plain} {with_unlabelled}");
    let judged = folder.run("learn noise.csv --text text --target y --keep-words 40").ok();
    assert!(judged.stdout().contains("given the words that were chosen"), "{}", judged.stdout());
}

/// A word of texts without a class counts as often as they have it when the rarest words are dropped.
#[test]
fn the_words_of_unlabelled_texts_are_not_the_rarest() {
    let folder = mail();
    folder.put("more/7.txt", "zebra ".repeat(50));
    folder.run("learn mail --unlabelled more --unlabelled-weight 1 -o z.tb").ok();
    let updated = folder.run("update z.tb mail --max-vocabulary 4 -o few.tb").ok();
    assert!(updated.stderr.contains("`text` is kept to 4 words"), "{}", updated.stderr);
    assert!(folder.run("explain few.tb text=zebra").ok().stdout().contains("“zebra”"));
}

/// A number by how it lies in the class, a state with its column.
#[test]
fn history_names_columns() {
    let rows: String = (1..9).map(|i| format!("u,{i}.5,p\nv,{}.2,q\nu,{i}.1,\n", i + 5)).collect();
    let folder = Folder::new().write("t.csv", format!("x,n,y\n{rows}"));
    folder.run("learn t.csv -t y --unlabelled --types n=numeric --evaluate none -o t.tb").ok();
    let shown = folder.run("show t.tb --history").ok();
    assert!(shown.stdout().contains("x = u") && shown.stdout().contains("n 9.7 ± "), "{}", shown.stdout());
    let json = folder.run("show t.tb --history --format json").ok().json();
    let history = json["history"].as_array().unwrap();
    let of_n = history[0][0]["evidence"].as_array().unwrap().iter().find(|e| e["variable"] == "n").unwrap();
    assert!(of_n["value"]["mean"].is_number(), "{of_n}");
}

/// A mixture of one component is the class itself.
#[test]
fn one_component_is_no_mixture() {
    let folder = Folder::with_play_tennis();
    folder.run("learn play_tennis.csv -t PlayTennis -o plain.tb").ok();
    folder.run("learn play_tennis.csv -t PlayTennis --components 1 -o one.tb").ok();
    assert_eq!(folder.bytes("one.tb"), folder.bytes("plain.tb"));
}

#[test]
fn empty_documents_and_copies_among_them_are_told_of() {
    let folder = mail();
    for (path, text) in [("more/7.txt", ""), ("more/8.txt", "free pills")] {
        folder.put(path, text);
    }
    let learned = folder.run("learn mail --unlabelled more --unlabelled-weight 1 --evaluate none -o m.tb").ok();
    learned.notes(&["1 document without a class has no words", "1 document without a class is a copy of another of them, byte for byte"]);
}

/// Rows of no weight have states and words of their own.
#[test]
fn components_of_rows_that_do_not_all_count() {
    let folder = Folder::new().write("t.csv", "k,c,w\np,A,1\nq,B,1\nz,A,0\n").write("texts.csv", "t,c,w\na b,A,1\nb c,B,1\nz z,A,0\n");
    folder.run("learn t.csv -t c --weight w --components 2 --evaluate none -o t.tb").ok();
    folder.run("learn texts.csv -t c --text t --weight w --components 2 --evaluate none -o texts.tb").ok();
    folder.run("classify t.tb k=z --unknown-states error").fails(1, &["`z`"]);
}
