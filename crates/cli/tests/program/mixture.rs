//! Classes of several components, from the program.

use serde_json::Value;

use crate::support::Folder;

/// The class is whether two columns agree; every fifth row has none.
fn table() -> Folder {
    let folder = Folder::new();
    let rows: String = (0..200_u32)
        .map(|row| {
            let (a, b) = (row & 1, row >> 1 & 1);
            let class = if row % 5 == 4 { "" } else { ["same", "differ"][(a ^ b) as usize] };
            format!("{},{},{class}\n", ["down", "up"][a as usize], ["left", "right"][b as usize])
        })
        .collect();
    folder.put("t.csv", format!("A,B,Y\n{rows}"));
    folder
}

fn json(folder: &Folder, command: &str) -> Value {
    serde_json::from_str(folder.run(&format!("{command} --format json")).ok().stdout()).unwrap()
}

#[test]
fn two_components_tell_what_one_cannot() {
    let folder = table();
    let accuracy = |learned: &Value| learned["evaluation"]["accuracy"].as_f64().unwrap();
    let plain = json(&folder, "learn t.csv --target Y -o plain.tb");
    let mixed = json(&folder, "learn t.csv --target Y --components 2 -o mixed.tb");
    assert!(accuracy(&plain) < 0.7 && accuracy(&mixed) == 1.0, "{plain} {mixed}");
    assert_eq!(mixed["unlabelled"]["components"], serde_json::json!([2, 2]));
    // Also with what rows without a class say, and with folds.
    for flags in ["--unlabelled --unlabelled-weight 0.5", "--evaluate folds:4 --em-hard"] {
        assert_eq!(accuracy(&json(&folder, &format!("learn t.csv --target Y --components 2 {flags} -o other.tb"))), 1.0);
    }
    let answer = json(&folder, "classify mixed.tb A=up B=left");
    assert_eq!(answer["predicted"], "differ");
    let explained = json(&folder, "explain mixed.tb A=up B=left");
    let parts: f64 = explained["entries"].as_array().unwrap().iter().map(|entry| entry["contribution"].as_f64().unwrap()).sum();
    let total = explained["posterior"].as_f64().unwrap();
    assert!((explained["prior"].as_f64().unwrap() + parts - total).abs() < 1e-9, "{explained}");
    assert_eq!(explained["probability"], answer["probability"]["differ"]);
    assert!(explained["component"]["of_class"].as_u64().is_some());
    let shown = folder.run("show mixed.tb").ok();
    assert!(shown.stdout().contains("every class is a mixture of 2 components") && shown.stdout().contains("same, 2 of 2"));
    assert_eq!(json(&folder, "show mixed.tb")["components"].as_array().unwrap().len(), 4);
    assert!(folder.run("explain mixed.tb A=up B=left").ok().stdout().contains("other components of the classes"));
}

#[test]
fn the_same_on_any_number_of_threads() {
    let folder = table();
    for threads in [1, 3] {
        folder.run(&format!("learn t.csv --target Y --components differ=3 --threads {threads} -o {threads}.tb")).ok();
    }
    assert_eq!(std::fs::read(folder.path("1.tb")).unwrap(), std::fs::read(folder.path("3.tb")).unwrap());
}

#[test]
fn what_components_cannot_have_is_refused() {
    let folder = table();
    folder.run("learn t.csv --target Y --components 2 -o m.tb").ok();
    folder.run("update m.tb t.csv").fails(1, &["not additive", "learn again"]);
    folder.run("forget m.tb t.csv").fails(1, &["not additive"]);
    folder.run("merge m.tb m.tb -o n.tb").fails(1, &["not additive"]);
    folder.run("learn t.csv --target Y --components other=2").fails(1, &["`other`, which is no class", "differ, same"]);
    folder.run("learn t.csv --target Y --components 0").fails(2, &["no number of components"]);
    folder.run("learn t.csv --target Y --components same=1,same=2").fails(2, &["named twice"]);
    folder.run("learn t.csv --target Y --components 1000000").fails(1, &["100000 at most", "fewer with --components"]);
    folder.run("learn t.csv --target Y --components 2 --calibrate sigmoid").fails(2, &["leave-one-out"]);
    folder.run("learn t.csv --target Y --components 2 --unlabelled").fails(1, &["--unlabelled-weight 1"]);
    folder.run("learn t.csv --target Y --components 2 --unlabelled-weight 1").fails(2, &["goes with --unlabelled"]);
}

#[test]
fn models_of_components_are_compared_class_by_class() {
    let folder = table();
    folder.run("learn t.csv --target Y --components 2 -o mixed.tb").ok();
    folder.run("learn t.csv --target Y -o plain.tb").ok();
    let same = folder.run("diff mixed.tb mixed.tb").ok().notes(&["classes are compared as a whole"]);
    assert!(same.stdout().contains("No belief moved."), "{}", same.stdout());
    folder.run("diff plain.tb mixed.tb").ok().notes(&["classes are compared as a whole"]);
}
