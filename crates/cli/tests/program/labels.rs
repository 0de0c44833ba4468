//! Several labels a row, from one end of the program to the other.

use insta::assert_snapshot;

use serde_json::json;

use crate::support::Folder;

fn stories() -> Folder {
    Folder::new().write("stories.jsonl", include_bytes!("../../../../examples/stories.jsonl"))
}

fn learned() -> Folder {
    let folder = stories();
    folder.run("learn stories.jsonl --text body --target topics --labels ;").ok();
    folder
}

#[test]
fn learning_tells_of_every_label() {
    assert_snapshot!(stories().run("learn stories.jsonl --text body --target topics --labels ;").ok().stdout());
}

#[test]
fn learning_as_json() {
    let found = stories().run("learn stories.jsonl --text body --target topics --labels ; --format json").ok().json();
    assert_eq!((&found["kind"], &found["rows"], &found["labels"]["trade"]["rows"]), (&"labels".into(), &9.into(), &4.into()));
    let evaluation = &found["evaluation"];
    assert_eq!(evaluation["method"], "leave-one-out");
    for average in ["micro", "macro"] {
        for figure in ["precision", "recall", "f1", "break_even"] {
            assert!(evaluation[average][figure].as_f64().is_some_and(|x| (0.0..=1.0).contains(&x)), "{evaluation}");
        }
    }
    assert_eq!(evaluation["labels"]["grain"]["support"], 3);
    let column = &found["columns"].as_array().unwrap()[1];
    assert_eq!((&column["type"], &column["role"]), (&"labels".into(), &"target".into()));
}

#[test]
fn cases_and_files_get_their_labels() {
    let folder = learned();
    assert_snapshot!(folder.run("classify stories.tb 'body=Tariffs on wheat'").ok().stdout());
    let case = folder.run("classify stories.tb 'body=Tariffs on wheat' --format json").ok().json();
    assert_eq!(case["labels"], serde_json::json!(["grain", "trade"]));
    folder.put("new.csv", "body\nTariffs on wheat\nrain\n");
    let rows = folder.run("classify stories.tb new.csv --format jsonl --answers-only").ok();
    let first: serde_json::Value = serde_json::from_str(rows.stdout().lines().next().unwrap()).unwrap();
    assert_eq!((&first["labels"], &first["probability"]), (&case["labels"], &case["probability"]));
    let csv = folder.run("classify stories.tb new.csv").ok();
    assert!(csv.stdout().starts_with("body,labels,p(grain),p(profit),p(trade)\nTariffs on wheat,grain;trade,"), "{}", csv.stdout());
    // What was written as lists is read as labels again.
    folder.run("classify stories.tb new.csv -o answers.parquet").ok();
    folder.run("learn answers.parquet --text body --target labels --labels ; -o again.tb --evaluate none").ok();
    let again = folder.run("show again.tb --format json").ok().json();
    assert_eq!((&again["labels"]["grain"]["rows"], &again["rows"]), (&1.into(), &2.into()));
}

#[test]
fn a_label_is_explained_against_its_not_being_there() {
    let folder = learned();
    assert_snapshot!(folder.run("explain stories.tb 'body=Tariffs on wheat' --class grain").ok().stdout());
    let likely = folder.run("explain stories.tb stories.jsonl --row 5 --format json").ok().json();
    assert_eq!((&likely["class"], &likely["against"]), (&"profit".into(), &"not profit".into()));
    folder.run("explain stories.tb body=wheat --class grian").fails(1, &["`grian` is no label", "did you mean `grain`?"]);
    folder.run("explain stories.tb body=wheat --against trade").fails(2, &["--against does not go with labels"]);
}

#[test]
fn shown_and_judged() {
    let folder = learned();
    assert_snapshot!(folder.run("show stories.tb --top 2").ok().stdout());
    assert_snapshot!(folder.run("evaluate stories.tb stories.jsonl").ok().stdout());
    let learner = "evaluate stories.jsonl --text body -t topics --labels ;";
    for (how, method) in [("--folds 3", "3 folds, seed 1"), ("--folds loo", "leave-one-out"), ("--test stories.jsonl", "9 test rows")] {
        assert_eq!(folder.run(&format!("{learner} {how} --format json")).ok().json()["method"], method);
    }
    assert!(folder.run(&format!("{learner} --holdout 0.4")).ok().stdout().contains("40 % held out"));
    folder.put("unknown.jsonl", "{\"body\":\"wheat\",\"topics\":[\"grain\",\"weather\"]}\n");
    folder.run("evaluate stories.tb unknown.jsonl").ok().notes(&["1 row has labels that the model does not know"]);
    folder.run("evaluate stories.tb unknown.jsonl --unknown-states error").fails(1, &["unknown.jsonl:1", "`weather`"]);
}

#[test]
fn halves_are_the_whole() {
    let folder = learned();
    let text = folder.text("stories.jsonl");
    let lines: Vec<&str> = text.lines().collect();
    folder.put("a.jsonl", lines[..4].join("\n"));
    folder.put("b.jsonl", lines[4..].join("\n"));
    for half in ["a", "b"] {
        folder.run(&format!("learn {half}.jsonl --text body -t topics --labels ; --evaluate none")).ok();
    }
    folder.run("merge a.tb b.tb -o merged.tb").ok();
    folder.run("update a.tb b.jsonl -o updated.tb").ok().notes(&["`topics` has a new label: `profit`"]);
    let whole = folder.bytes("stories.tb");
    assert!(folder.bytes("merged.tb") == whole && folder.bytes("updated.tb") == whole);
    assert!(folder.run("diff merged.tb stories.tb").ok().stdout().contains("No belief moved."));
    let moved = folder.run("diff a.tb stories.tb --format json").ok().json();
    assert!(moved["moved"].as_array().unwrap().iter().any(|m| m["variable"] == "body" && m["given"] == "grain"), "{moved}");
    let left = folder.run("forget stories.tb b.jsonl -o left.tb").ok();
    assert!(left.stdout().contains("5 rows forgotten: left.tb now has 4 rows"), "{}", left.stdout());
    let p = |model: &str| folder.run(&format!("classify {model} 'body=wheat tariffs' --format json")).ok().json()["probability"].clone();
    // A label that nobody has any more is gone.
    assert_eq!(p("left.tb"), p("a.tb"));
    folder.run("forget a.tb b.jsonl -o no.tb").fails(1, &["`profit`"]);
}

#[test]
fn what_does_not_go_with_labels_is_named() {
    let folder = learned();
    let learn = "learn stories.jsonl --text body -t topics";
    folder.run(&format!("{learn} --labels ''")).fails(2, &["--labels"]);
    folder.run(&format!("{learn} --labels ; --calibrate sigmoid")).fails(2, &["a calibration is for one class a row"]);
    folder.run(&format!("{learn} --labels ; --numeric bins:mdl")).fails(2, &["one class a row"]);
    folder.run(&format!("{learn} --labels ; --trace")).fails(2, &["--trace does not go with --labels"]);
    folder.run("learn stories.jsonl --text body --labels ;").fails(1, &["no target was named"]);
    folder.run("evaluate stories.tb stories.jsonl --labels ;").fails(2, &["--labels goes with data alone"]);
    folder.put("t.csv", "body,topics\nwheat,grain\noil,trade\n");
    folder.run("learn t.csv --text body -t topics -o plain.tb --evaluate none").ok();
    folder.run("merge stories.tb plain.tb -o no.tb").fails(1, &["one is labels, the other naive-bayes"]);
    folder.run("diff stories.tb plain.tb").fails(1, &["one is labels, the other naive-bayes"]);
    folder.run("classify stories.tb topics=grain").fails(1, &["is what the model predicts"]);
}

/// As of classes: by how many times as likely a word is with the label as without it, and by what it tells on average.
#[test]
fn words_of_labels_are_ranked_in_both_ways() {
    let rows = "grain prices rise,grain;prices\ngrain harvest falls,grain\nprices of oil rise,prices\nthe weather,\n";
    let folder = Folder::new().write("s.csv", format!("body,topics\n{rows}"));
    folder.run("learn s.csv --target topics --labels ; --text body --evaluate none -o s.tb").ok();
    let shown = folder.run("show s.tb --format json").ok().json();
    let of_grain = shown["words"]["body"].as_array().unwrap().iter().find(|label| label["class"] == "grain").unwrap();
    for ranking in ["by_ratio", "by_information"] {
        assert_eq!(of_grain[ranking][0]["word"], "grain", "{shown}");
    }
    assert_eq!((&of_grain["by_ratio"][0]["texts"], &of_grain["by_ratio"][0]["texts_in_rest"]), (&json!(2), &json!(0)));
    let full = folder.run("show s.tb --by ratio").ok();
    assert!(full.stdout().contains("Words of body by P(word | class)/P(word | all others)"), "{}", full.stdout());
    folder.run("show s.tb --history").fails(2, &["--history"]);
}

/// A label that no row has any more is never said; one that was only in a row of no weight was never there.
#[test]
fn labels_that_nobody_has_are_gone() {
    let rows = "the cat sat,x\na dog ran the,\nthe dog sat,x;y\na dog sat,y\n";
    let folder =
        Folder::new().write("a.csv", format!("t,w,c\n{}", rows.replace(',', ",1,"))).write("new.csv", "t,w,c\na zebra sat,1,new\n");
    folder.put("weightless.csv", format!("t,w,c\n{}a zebra sat,0,new\n", rows.replace(',', ",1,")));
    let learn = "--text t --weight w --target c --labels ; --missing - --class-prior uniform --evaluate none";
    folder.run(&format!("learn a.csv {learn} -o a.tb")).ok();
    folder.run("update a.tb new.csv -o updated.tb").ok();
    folder.run("forget updated.tb new.csv -o left.tb").ok();
    folder.run(&format!("learn weightless.csv {learn} -o weightless.tb")).ok();
    let before = folder.run("classify a.tb t=cat --format json").ok().json();
    for model in ["left.tb", "weightless.tb"] {
        assert_eq!(folder.run(&format!("classify {model} t=cat --format json")).ok().json(), before, "{model}");
    }
    folder.run("forget a.tb new.csv -o left.tb").fails(1, &["column `c`: `new` is not one of its states"]);
}
