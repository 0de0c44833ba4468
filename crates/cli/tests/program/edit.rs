//! Networks edited: arcs, variables and names.

use serde_json::{Value, json};

use crate::support::{Folder, assert_close, keys};

/// The probabilities of all states of the variables of a network, alone and given a finding.
fn beliefs(folder: &Folder, network: &str, given: &str) -> Value {
    let bar = if given.is_empty() { "" } else { " | " };
    folder.run(&format!("ask {network} 'P(*{bar}{given})' --format json --quiet")).ok().json()["marginals"].clone()
}

fn assert_same_beliefs(before: &Value, after: &Value, of: &[&str]) {
    for name in of {
        for (state, p) in before[name].as_object().unwrap() {
            assert_close(&after[name][state], p.as_f64().unwrap(), 1e-12);
        }
    }
}

#[test]
fn what_a_person_reads_of_edits() {
    let folder = Folder::with_networks();
    let all = "'reverse smoke -> lung' 'remove asia -> tub' 'add smoke -> xray' 'sum out either' 'given dysp = yes' 'rename smoke to Smoker' \
               'rename state yes of xray to abnormal'";
    insta::assert_snapshot!("edit", folder.run(&format!("edit asia.bif {all} -o asia2.bif")).ok().silent().transcript());
    insta::assert_snapshot!("edited", folder.run("show asia2.bif").ok().silent().transcript());
    insta::assert_snapshot!("edit_printed", folder.run("edit flu.tbn 'reverse Sinus -> Nose' 'sum out Headache'").ok().transcript());
}

#[test]
fn edits_that_keep_the_distribution_keep_the_answers() {
    let folder = Folder::with_networks();
    let all = ["asia", "tub", "smoke", "lung", "bronc", "either", "xray", "dysp"];
    let others: Vec<&str> = all.into_iter().filter(|name| *name != "either").collect();
    for (edit, of) in [("reverse smoke -> lung", &all[..]), ("add smoke -> xray", &all), ("sum out either", &others)] {
        folder.run(&format!("edit asia.bif '{edit}' -o edited.bif")).ok();
        for given in ["", "xray=yes", "dysp=no, smoke=yes"] {
            assert_same_beliefs(&beliefs(&folder, "asia.bif", given), &beliefs(&folder, "edited.bif", given), of);
        }
    }
    // Given a state, the answers are those that were given it.
    let told = folder.run("edit asia.bif 'given dysp = YES' -o given.bif --format json").ok().json();
    for more in ["", "xray=yes"] {
        let (before, after) =
            (beliefs(&folder, "asia.bif", format!("dysp=yes, {more}").trim_end_matches(", ")), beliefs(&folder, "given.bif", more));
        assert_same_beliefs(&before, &after, &["asia", "tub", "smoke", "lung", "bronc", "either", "xray"]);
    }
    let p = folder.run("ask asia.bif 'P(dysp=yes)' --format json").ok().json();
    assert_close(&told["edits"][0]["p"], p["p"].as_f64().unwrap(), 1e-12);
    // An arc that was added and says nothing yet is removed for nothing.
    let nothing = folder.run("edit asia.bif 'add smoke -> xray' 'remove smoke -> xray' -o same.bif").ok();
    assert!(nothing.stdout().contains("kept, for the arc carries no information"), "{}", nothing.stdout());
    // What an arc's removal is said to cost is what `diff` finds.
    let told = folder.run("edit asia.bif 'remove smoke -> lung' -o parted.bif --format json").ok().json();
    let found = folder.run("diff asia.bif parted.bif --format json").ok().json();
    assert_close(&told["edits"][0]["kl"], found["kl"]["before_after"].as_f64().unwrap(), 1e-15);
    assert_eq!((&found["arcs_gone"], &found["arcs_new"]), (&json!([["smoke", "lung"]]), &json!([])));
}

#[test]
fn edits_are_told_to_programs() {
    let folder = Folder::with_networks();
    let edits = "'add smoke -> xray' 'remove smoke -> xray' 'remove asia -> tub' 'sum out either' 'given dysp = yes' 'rename smoke to \"a smoker\"'";
    let told = folder.run(&format!("edit asia.bif {edits} -o out.xdsl --format json")).ok().silent().json();
    assert_eq!(keys(&told), ["network", "from", "to", "variables", "arcs", "edits", "remarks", "lost", "beside"]);
    assert_eq!((&told["from"], &told["to"], &told["variables"]), (&json!("bif"), &json!("xdsl"), &json!(6)));
    let edits = told["edits"].as_array().unwrap();
    assert_eq!(edits[0], json!({"edit": "add smoke -> xray", "changed": ["xray"], "kept": true}));
    assert_eq!((&edits[1]["kept"], &edits[1]["changed"]), (&json!(true), &json!(["xray"])));
    assert_eq!(keys(&edits[2]), ["edit", "changed", "kept", "kl"]);
    assert_eq!(edits[2]["kept"], json!(false));
    assert_eq!(edits[3], json!({"edit": "sum out either", "changed": ["xray", "dysp"], "kept": true, "dropped": "either"}));
    assert_eq!(keys(&edits[4]), ["edit", "changed", "kept", "p", "log_p", "dropped"]);
    assert_eq!(edits[5], json!({"edit": "rename smoke to \"a smoker\"", "changed": [], "kept": true}));
    folder.run("edit asia.bif 'sum out either' --format json").fails(2, &["--output"]);
    folder.run("edit asia.bif 'sum out either' --format csv").fails(2, &["json"]);
}

#[test]
fn what_the_file_says_of_variables_is_kept() {
    let folder = Folder::new();
    folder.put(
        "notes.tbn",
        "network notes\n\nvariable A x/y\n  label \"The first\"\n  at 10.5, 20.5\n  values 1.5, 2.5\n  comment \"hm\"\n  0.25\n\n\
         variable B x/y given A\n  label \"The second\"\n  at 30, 40\n  x: 0.5\n  y: 0.75\n\nvariable C x/y given B\n  label \"The third\"\n  x: 0.5\n  y: 0.125\n",
    );
    folder.run("convert notes.tbn notes.net").ok();
    let said = |network: &str| {
        folder.run(&format!("convert {network} back.tbn")).ok();
        folder.text("back.tbn")
    };
    for format in ["tbn", "net", "xdsl"] {
        folder.run(&format!("edit notes.net 'rename A to \"An A\"' 'rename state y of \"An A\" to z' 'sum out B' -o out.{format}")).ok();
        let text = said(&format!("out.{format}"));
        for words in ["variable \"An A\" x/z", "\"The first\"", "10.5, 20.5", "1.5, 2.5", "\"hm\"", "\"The third\""] {
            assert!(text.contains(words), "{format}: {words}\n{text}");
        }
        assert!(!text.contains("The second"), "{format}\n{text}");
    }
    // What was said of a table goes with the table, and that is told.
    let with_experience = folder.text("notes.net").replace("potential (C | B)\n{\n", "potential (C | B)\n{\n    experience = (10 20);\n");
    folder.put("experience.net", with_experience);
    let kept = folder.run("edit experience.net 'reverse A -> B' -o kept.net").ok();
    assert!(!kept.stdout().contains("dropped") && folder.text("kept.net").contains("experience = (10 20);"), "{}", kept.stdout());
    let dropped = folder.run("edit experience.net 'sum out B' -o dropped.net --format json").ok().json();
    assert_eq!(dropped["edits"][0]["properties_dropped"], json!(["C"]));
    assert!(!folder.text("dropped.net").contains("experience"));
}

#[test]
fn learned_models_are_edited_as_networks() {
    let folder = Folder::with_model();
    folder.run("edit play_tennis.tb 'given Wind = Strong' -o strong.tbn").ok();
    let asked = folder.run("ask play_tennis.tb 'P(PlayTennis=No | Wind=Strong)' --format json").ok().json();
    let edited = folder.run("ask strong.tbn 'P(PlayTennis=No)' --format json").ok().json();
    assert_close(&edited["p"], asked["p"].as_f64().unwrap(), 1e-12);
    // Without an output the network is printed, as our own.
    assert!(folder.run("edit play_tennis.tb 'sum out Wind'").ok().stdout().contains("variable PlayTennis No/Yes"));
    folder.put("numbers.csv", "x,y\n1.5,a\n2.5,b\n3.25,a\n0.75,b\n1.25,b\n3.5,a\n");
    folder.run("learn numbers.csv --structure 'y->x' --numeric bins:width:2 -o bins.tb").ok();
    // A number is given by its bin.
    let told = folder.run("edit bins.tb 'given x = 3.4' -o given.tbn --format json").ok().json();
    let asked = folder.run("ask bins.tb 'P(y | x=3.4)' --format json").ok().json();
    assert_close(&told["edits"][0]["log_p"], asked["log_p_evidence"].as_f64().unwrap(), 1e-12);
    // The counts were of other tables.
    folder.run("edit bins.tb 'reverse y -> x' -o turned.net").ok();
    assert!(!folder.text("turned.net").contains("experience"));
}

#[test]
fn what_cannot_be_edited_is_said() {
    let folder = Folder::with_networks();
    folder.run("edit asia.bif").fails(2, &["<EDIT>"]);
    folder.run("edit asia.bif 'sum out tub' 'turn smoke -> lung'").fails(2, &["edit 2: this is no edit", "reverse A -> B"]);
    folder.run("edit asia.bif 'add smoke lung'").fails(2, &["edit 1: expected `->`, found `lung`", "          ^"]);
    folder.run("edit asia.bif 'sum out tub' 'sum out dsyp'").fails(1, &["edit 2, `sum out dsyp`: ", "did you mean `dysp`?"]);
    folder.run("edit asia.bif 'given tub = yse'").fails(1, &["did you mean `yes`?"]);
    folder.run("edit asia.bif 'reverse lung -> smoke'").fails(1, &["the other way, smoke → lung"]);
    folder.run("edit asia.bif 'add xray -> smoke'").fails(1, &["cycle: xray → smoke → lung → either → xray"]);
    folder.run("edit asia.bif 'given tub = yes' 'given either = no'").fails(1, &["edit 2", "`either=no` has probability zero"]);
    folder.run("edit asia.bif 'rename tub to lung'").fails(1, &["a variable `lung` already"]);
    folder.put("grid.uai", "MARKOV 2  2 3  1  2 0 1  6  1 2 3 4 5 6");
    folder.run("edit grid.uai 'sum out X0'").fails(1, &["without directions"]);
    folder.run("convert flu.tbn flu.dot").ok();
    for arcs in ["flu.dot", "'A->B'", "'[A][B|A]'"] {
        folder.run(&format!("edit {arcs} 'sum out A'")).fails(1, &["no probabilities", "learn"]);
    }
    // Nothing is written where an edit fails, and nothing but a network is replaced.
    folder.run("edit asia.bif 'sum out dsyp' -o out.bif").fails(1, &["dysp"]);
    folder.put("notes.bif", "milk\n");
    folder.run("edit asia.bif 'sum out dysp' -o notes.bif").fails(1, &["no network", "--force"]);
    assert!(!folder.names().contains(&"out.bif".to_string()) && folder.text("notes.bif") == "milk\n");
    folder.run("edit asia.bif 'sum out dysp' -o notes.bif --force").ok();
    folder.run("edit asia.bif 'sum out dysp' -o out.xyz").fails(2, &["--to"]);
    folder.put("asia.txt", folder.text("asia.bif"));
    folder.run("edit asia.txt 'sum out dysp' -o out.xyz --from bif --to net").ok();
    assert!(folder.text("out.xyz").contains("potential (xray | either)"));
    assert!(folder.run("edit asia.bif 'sum out dysp' -o - --quiet").ok().silent().stdout().starts_with("network asia"));
}
