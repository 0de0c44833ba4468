//! A bound on the vocabulary: what is kept, what it costs, and what can be done with such a model.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::support::Folder;

/// Lines in which few words are frequent and most are rare, some of them late.
fn lines(from: usize, n: usize) -> String {
    let line = |i: usize| format!("common w{} v{} r{} {}\n", i % 7, i % 83, i, if i > 15_000 { "late" } else { "early" });
    (from..from + n).map(line).collect()
}

fn mail() -> Folder {
    Folder::new().write("spam.txt", lines(0, 9000)).write("ham.txt", lines(9000, 9000).replace("w3", "w9"))
}

/// How often each word was met, by class.
fn times(folder: &Folder, model: &str) -> BTreeMap<String, Value> {
    let shown = folder.run(&format!("show {model} --format json")).ok().json();
    let words = shown["attributes"]["text"].as_array().unwrap().clone();
    words.into_iter().map(|word| (word["word"].as_str().unwrap().to_string(), word["times"].clone())).collect()
}

#[test]
fn the_frequent_words_are_kept_and_counted_in_full() {
    let folder = mail();
    folder.run("learn spam.txt ham.txt --documents lines -o all.tb --evaluate none").ok().silent();
    let learn = "learn spam.txt ham.txt --documents lines --max-vocabulary 100 --format json -o";
    let learned = folder.run(&format!("{learn} some.tb")).ok().notes(&["`text` is kept to 100 words", "exact"]).json();
    let (all, some) = (times(&folder, "all.tb"), times(&folder, "some.tb"));
    assert_eq!((some.len(), all.len() > 18_000), (100, true));
    for (word, times) in &some {
        assert_eq!(*times, all[word], "{word}");
    }
    assert!(["common", "early", "late", "w9", "v82"].iter().all(|word| some.contains_key(*word)), "{:?}", some.keys());
    let pruned = &learned["pruned"][0];
    let sum = |words: &BTreeMap<String, Value>| -> f64 {
        words.values().flat_map(|times| times.as_object().unwrap().values().map(|n| n.as_f64().unwrap()).collect::<Vec<_>>()).sum()
    };
    assert_eq!((&pruned["variable"], &pruned["max_vocabulary"], &pruned["short_by"]), (&"text".into(), &100.into(), &0.into()));
    assert_eq!(pruned["times_dropped"].as_f64().unwrap(), sum(&all) - sum(&some));
    let at_most = pruned["met_at_most"].as_f64().unwrap();
    let met = |word: &str| all[word].as_object().unwrap().values().map(|n| n.as_f64().unwrap()).sum::<f64>();
    assert!(all.keys().filter(|word| !some.contains_key(*word)).all(|word| met(word) <= at_most));
    // Held out exactly: no row has probability zero.
    assert_eq!(learned["evaluation"]["probability_zero"], 0);
    assert!(folder.run("show some.tb").ok().stdout().contains("`text` is kept to 100 words"));
}

#[test]
fn the_same_words_are_dropped_on_any_number_of_threads() {
    let folder = mail();
    let learn = |threads: usize| {
        let line = format!("learn spam.txt ham.txt --documents lines --max-vocabulary 70 --evaluate none --threads {threads} -o m.tb");
        folder.run(&line).ok();
        folder.bytes("m.tb")
    };
    let one = learn(1);
    assert!(learn(2) == one && learn(7) == one);
}

#[test]
fn a_bounded_model_keeps_learning() {
    let folder = mail();
    folder.put("more.txt", "unheard unheard of\n".repeat(200));
    folder.run("learn spam.txt ham.txt --documents lines --max-vocabulary 100 --evaluate none -o m.tb").ok();
    // What was counted in full can be taken back.
    for (half, ham) in [("part", lines(9000, 500)), ("rest", lines(9500, 8500))] {
        std::fs::create_dir(folder.path(half)).unwrap();
        folder.put(&format!("{half}/ham.txt"), ham.replace("w3", "w9"));
    }
    folder.run("forget m.tb part --documents lines -o left.tb").ok();
    folder.run("learn spam.txt rest/ham.txt --documents lines --evaluate none -o rest.tb").ok();
    let (left, rest) = (times(&folder, "left.tb"), times(&folder, "rest.tb"));
    assert!(left.len() >= 90 && left.iter().all(|(word, times)| *times == rest[word]), "{left:?}");

    let updated = folder.run("update m.tb more.txt --documents lines -o more.tb --format json").ok();
    let updated = updated.notes(&["`text` has 2 new words: `of`, `unheard`", "short by"]).json();
    let now = times(&folder, "more.tb");
    assert_eq!((now.len(), &now["unheard"]["more"]), (100, &400.into()));
    assert!(updated["pruned"][0]["short_by"].as_f64().unwrap() > 0.0);
    folder.run("forget more.tb more.txt --documents lines -o back.tb").fails(1, &["may be short by", "learn again"]);

    folder.run("learn spam.txt ham.txt --documents lines --evaluate none -o all.tb").ok();
    folder.run("merge m.tb all.tb -o both.tb").ok().notes(&["kept to 100 words"]);
    assert_eq!(times(&folder, "both.tb").len(), 100);
    folder.run("update all.tb more.txt --documents lines --max-vocabulary 50 -o small.tb").ok();
    assert_eq!(times(&folder, "small.tb").len(), 50);
}

#[test]
fn a_bound_that_is_not_reached_changes_nothing() {
    let folder = mail();
    folder.run("learn spam.txt ham.txt --documents lines --evaluate none -o all.tb").ok();
    folder.run("learn spam.txt ham.txt --documents lines --evaluate none --max-vocabulary 1000000 -o same.tb").ok().silent();
    assert_eq!(times(&folder, "same.tb"), times(&folder, "all.tb"));
    std::fs::create_dir(folder.path("other")).unwrap();
    folder.put("other/ham.txt", lines(9000, 10).replace("w3", "w9"));
    folder.run("forget same.tb other --documents lines -o left.tb").ok();
    folder.put("other/ham.txt", "common but never met\n");
    folder.run("forget same.tb other --documents lines -o left.tb").fails(1, &["not all in the model"]);
    folder.run("learn spam.txt ham.txt --documents lines --max-vocabulary 0").fails(2, &["from 1 on"]);
    folder.put("plain.csv", "a,y\n1,p\n2,q\n1,p\n2,q\n");
    folder.run("learn plain.csv -t y --types a=category --max-vocabulary 5").fails(1, &["no column is a text"]);
}

#[test]
fn a_bound_goes_with_other_text_models_and_comes_late_to_some() {
    let folder = mail();
    for kind in ["bernoulli", "complement"] {
        folder
            .run(&format!("learn spam.txt ham.txt --documents lines --max-vocabulary 60 --text-model {kind} --evaluate none -o m.tb"))
            .ok();
        assert_eq!(times(&folder, "m.tb").len(), 60, "{kind}");
    }
    // The lengths of texts were counted with the words that would have to go.
    folder.run("learn spam.txt ham.txt --documents lines --text-model dirichlet-compound --evaluate none -o m.tb").ok();
    folder.put("more.txt", "unheard unheard of\n".repeat(200));
    folder.run("update m.tb more.txt --documents lines --max-vocabulary 60 -o n.tb").fails(1, &["lengths of texts", "learn again"]);
    folder.run("update m.tb more.txt --documents lines -o n.tb").ok();

    folder.put("new.txt", "common w3 v5 gazebo\nlate w9 gazebo\n".repeat(50));
    let learn = "learn spam.txt ham.txt --documents lines --unlabelled new.txt --unlabelled-weight 1 --evaluate none -o em.tb";
    folder.run(learn).ok();
    folder.run("update em.tb more.txt --documents lines --max-vocabulary 60 -o later.tb").ok();
    assert_eq!(times(&folder, "later.tb").len(), 60);
    folder.run("classify later.tb new.txt --documents lines").ok();
}
