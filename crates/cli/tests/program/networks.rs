//! Networks shown, converted and drawn by lot.

use serde_json::json;

use crate::support::{Folder, keys};

#[test]
fn what_a_person_reads_of_networks() {
    let folder = Folder::with_networks();
    insta::assert_snapshot!("show_network", folder.run("show asia.bif").ok().silent().transcript());
    insta::assert_snapshot!("show_variable", folder.run("show asia.bif --variable dysp").ok().transcript());
    insta::assert_snapshot!("show_given", folder.run("show flu.tbn --given 'Nose=runny, Headache=yes'").ok().transcript());
    insta::assert_snapshot!("show_junction_tree", folder.run("show asia.bif --junction-tree").ok().transcript());
    folder.run("show asia.bif --variable dsyp").fails(1, &["did you mean `dysp`?"]);
    folder.run("show asia.bif --top 3").fails(2, &["--top"]);
    folder.run("show asia.bif --order --junction-tree").fails(2, &["two things"]);
    folder.run("show asia.bif --given 'tub=yes, either=no'").fails(1, &["tub=yes and either=no"]);
    folder.run("show asia.bif --format csv").fails(2, &["svg"]);
}

#[test]
fn networks_are_told_to_programs() {
    let folder = Folder::with_networks();
    let shown = folder.run("show asia.bif --format json").ok().json();
    assert_eq!(keys(&shown), ["kind", "name", "variables", "arcs", "free_parameters", "largest_family", "junction_tree"]);
    assert_eq!((&shown["free_parameters"], &shown["arcs"][0]), (&json!(18), &json!(["asia", "tub"])));
    assert_eq!(
        shown["variables"][1],
        json!({"name": "tub", "states": ["yes", "no"], "parents": ["asia"], "table": [[0.05, 0.95], [0.01, 0.99]]})
    );
    let given = folder.run("show asia.bif --given xray=yes --format json").ok().json();
    assert_eq!(given["marginals"]["xray"], json!({"yes": 1.0, "no": 0.0}));
    let svg = folder.run("show asia.bif --given xray=yes --format svg").ok();
    assert!(svg.stdout().starts_with("<svg ") && svg.stdout().contains("<title>lung\nyes: 48.9 %"), "{}", svg.stdout());
    let dot = folder.run("show flu.tbn --format dot").ok();
    assert!(dot.stdout().contains("\"Flu\" -> \"Sinus\";"), "{}", dot.stdout());
    folder.run("show asia.bif -o asia.svg").ok();
    assert!(folder.text("asia.svg").starts_with("<svg "));
    let tree = folder.run("show asia.bif --junction-tree --format json").ok().json();
    assert_eq!(tree["entries"], json!(40));
    assert!(folder.run("show asia.bif --junction-tree --format svg").ok().stdout().starts_with("<svg "));
}

/// There and back the model answers as it did, and goes on learning with the weight it is given.
#[test]
fn a_network_of_the_shape_of_naive_bayes_is_a_classifier() {
    let folder = Folder::with_networks();
    folder.put("play.csv", "Wind,Humidity,Play\nStrong,High,No\nWeak,High,No\nWeak,Low,Yes\nStrong,Low,Yes\nWeak,High,Yes\n");
    folder.run("learn play.csv --target Play --evaluate none -o play.tb").ok();
    folder.run("convert play.tb play.tbn").ok();
    let told = folder.run("convert play.tbn expert.tb --target Play --equivalent-sample-size 5").ok();
    assert!(told.stdout().contains("3 variables, a naive Bayes model of Play, worth 5 rows"), "{}", told.stdout());
    let p = |model: &str| {
        let told = folder.run(&format!("classify {model} Wind=Strong Humidity=High --format json")).ok().json();
        told["probability"]["Yes"].as_f64().unwrap()
    };
    assert!((p("expert.tb") - p("play.tb")).abs() < 1e-14);
    let updated = folder.run("update expert.tb play.csv --format json").ok().json();
    assert_eq!(updated["rows"], json!(10), "{updated}");
    let told = folder.run("convert play.tbn again.tb --target Play --format json").ok().json();
    assert_eq!((&told["kind"], &told["rows"]), (&json!("naive-bayes"), &json!(1.0)));
    folder.run("convert asia.bif x.tb --target lung").fails(1, &["lung"]);
    folder.run("convert play.tbn x.tb --target Plya").fails(1, &["Play"]);
    folder.run("convert play.tbn x.tb --target Play --equivalent-sample-size 0").fails(1, &["above zero"]);
    folder.run("convert play.tbn x.tb --equivalent-sample-size 3").fails(2, &["--target"]);
    folder.run("convert play.tbn x.tb").fails(2, &["--target"]);
    folder.run("convert play.tbn - --target Play").fails(2, &["a model is a file"]);
    folder.run("convert play.tbn x.tb --target Play --to bif").fails(2, &["--to"]);
}

#[test]
fn an_order_is_saved_and_used_again() {
    let folder = Folder::with_networks();
    folder.run("show asia.bif --order -o asia.order").ok();
    assert_eq!(folder.text("asia.order").lines().count(), 8);
    let by_order = folder.run("ask asia.bif --order asia.order 'P(lung | xray=yes)' --format json").ok().json();
    assert_eq!(by_order["method"], json!("exact, junction tree"));
    // Another order adds up in another way.
    let rows = |more: &str| {
        let told = folder.run(&format!("ask asia.bif --rows patients.csv 'P(lung)' --quiet {more}")).ok();
        let cell = |cell: &str| cell.parse::<f64>().map_err(|_| cell.to_string());
        told.stdout().lines().flat_map(|line| line.split(',').map(cell).collect::<Vec<_>>()).collect::<Vec<_>>()
    };
    let (by_order, by_parts) = (rows("--order asia.order"), rows(""));
    assert_eq!(by_order.len(), by_parts.len());
    for pair in by_order.iter().zip(&by_parts) {
        match pair {
            (Ok(a), Ok(b)) => assert!((a - b).abs() < 1e-14, "{a} {b}"),
            (a, b) => assert_eq!(a, b),
        }
    }
    folder.put("short.order", "asia\ntub\n");
    folder.run("ask asia.bif --order short.order 'P(lung)'").fails(1, &["leaves out", "--order"]);
    folder.put("twice.order", "asia\nasia\n");
    folder.run("ask asia.bif --order twice.order 'P(lung)'").fails(1, &["twice"]);
    folder.put("wrong.order", "asai\n");
    folder.run("ask asia.bif --order wrong.order 'P(lung)'").fails(1, &["wrong.order:1", "did you mean `asia`?"]);
}

#[test]
fn a_model_is_told_as_one_when_it_is_converted() {
    let folder = Folder::with_model();
    assert!(folder.run("convert play_tennis.tb days.bif").ok().stdout().starts_with("days.bif: 5 variables, tb to bif"));
}

#[test]
fn every_format_gives_the_same_answers() {
    let folder = Folder::with_networks();
    let question = "'P(Flu, Allergy | Nose=runny)' --format json --quiet";
    let answer = folder.run(&format!("ask flu.tbn {question}")).ok().bytes;
    for format in ["bif", "xmlbif", "net", "dsc", "uai", "xdsl", "tbn"] {
        let told = folder.run(&format!("convert flu.tbn out.{format}")).ok();
        assert!(told.stdout().starts_with(&format!("out.{format}: 5 variables, tbn to {format}")), "{}", told.stdout());
        assert_eq!(folder.run(&format!("ask out.{format} {question}")).ok().bytes, answer, "{format}");
        // There and back, bit for bit.
        folder.run(&format!("convert out.{format} back.tbn")).ok();
        assert_eq!(folder.run(&format!("ask back.tbn {question}")).ok().bytes, answer, "{format}");
    }
    let told = folder.run("convert flu.tbn names.uai --format json").ok().json();
    assert_eq!((&told["to"], &told["beside"]), (&json!("uai"), &json!(["names.uai.names"])));
    assert!(told["lost"][0].as_str().unwrap().contains("names"));
    insta::assert_snapshot!("convert_dot", folder.run("convert flu.tbn flu.dot").ok().transcript());
    // Arcs alone say what is independent, and nothing else.
    assert!(folder.run("ask flu.dot 'Flu ⟂ Nose | Sinus'").ok().stdout().starts_with("Independent"));
    folder.run("ask flu.dot 'P(Flu | Nose=runny)'").fails(1, &["no probabilities"]);
    folder.run("convert flu.dot flu.bif").fails(1, &["no probabilities"]);
    insta::assert_snapshot!("show_structure", folder.run("show flu.dot").ok().transcript());
}

#[test]
fn nothing_but_a_network_is_replaced() {
    let folder = Folder::with_networks();
    folder.put("notes.bif", "milk\n");
    folder.run("convert flu.tbn notes.bif").fails(1, &["no network", "--force"]);
    assert_eq!(folder.text("notes.bif"), "milk\n");
    folder.run("convert flu.tbn notes.bif --force").ok();
    folder.run("convert storm.tbn notes.bif").ok();
    folder.run("convert flu.tbn out.xyz").fails(2, &["--to"]);
    folder.run("convert flu.tbn out.xyz --to word").fails(2, &["bif", "xdsl"]);
    folder.run("convert flu.tbn no/such/out.bif").fails(1, &["no/such"]);
    folder.run("convert flu.tbn out.bif.gz").fails(1, &["packed"]);
    assert!(folder.run("convert flu.tbn - --to bif").ok().stdout().contains("variable Flu {"));
    assert!(!folder.names().iter().any(|name| name.contains(".tmp")));
}

#[test]
fn factors_without_directions_are_asked_too() {
    let folder = Folder::new();
    folder.put("grid.uai", "MARKOV 2  2 3  1  2 0 1  6  1 2 3 4 5 6");
    let p = folder.run("ask grid.uai 'P(X0 | X1=2)' --format csv").ok();
    assert_eq!(p.stdout(), "X0,p\n0,0.3333333333333333\n1,0.6666666666666666\n");
    folder.put("grid.evid", "1 1 2\n");
    let by_file = folder.run("ask grid.uai 'P(X0)' --evidence grid.evid --format csv").ok();
    assert_eq!(by_file.stdout(), p.stdout());
    folder.put("wrong.evid", "1 1 3\n");
    folder.run("ask grid.uai 'P(X0)' --evidence wrong.evid").fails(1, &["`X1` has no state 3"]);
    insta::assert_snapshot!("show_factors", folder.run("show grid.uai").ok().transcript());
    folder.run("show grid.uai --variable X0").fails(1, &["without directions"]);
    folder.run("show grid.uai --format svg").fails(1, &["without directions"]);
    folder.run("convert grid.uai grid.bif").fails(1, &["without directions"]);
    folder.run("convert grid.uai again.uai").ok();
}

#[test]
fn a_seed_makes_the_same_network() {
    let folder = Folder::new();
    let told = folder.run("random --variables 20 --seed 7 -o random.bif").ok();
    assert!(told.stdout().starts_with("Saved random.bif (20 variables, "), "{}", told.stdout());
    folder.run("random --variables 20 --seed 7 -o again.bif --threads 1").ok();
    assert_eq!(folder.bytes("random.bif"), folder.bytes("again.bif"));
    let small = folder.run("random --variables 3 --states 2 --max-parents 1").ok();
    assert_eq!(small.stdout().matches("variable ").count(), 3);
    folder.run("random --states 4-2").fails(2, &["--states"]);
    folder.run("ask random.bif 'P(V3 | V5=s0)' --check").ok();
}

#[test]
fn graphs_say_what_is_independent_and_which_arcs_may_turn() {
    let folder = Folder::with_networks();
    insta::assert_snapshot!("show_independences", folder.run("show flu.tbn --independences").ok().transcript());
    insta::assert_snapshot!("show_class", folder.run("show flu.tbn --class").ok().transcript());
    let class = folder.run("show flu.tbn --class --format json").ok().json();
    assert_eq!(class["compelled"].as_array().unwrap().len(), 4);
    let found = folder.run("show flu.tbn --independences --format json").ok().json();
    assert!(found["independences"].as_array().unwrap().contains(&json!({"pair": ["Flu", "Allergy"], "given": []})));
    folder.testdata("alarm.bif");
    folder.run("show alarm.bif --independences --quiet").fails(1, &["alarm.bif", "ask"]);
    // A structure may be written in a line.
    assert!(folder.run("ask 'A->B<-C' 'A ⟂ C'").ok().stdout().starts_with("Independent"));
    let trail = folder.run("ask '[A][C][B|A:C]' 'A ⟂ C | B'").ok();
    assert!(trail.stdout().contains("A → B ← C"), "{}", trail.stdout());
    folder.run("ask 'A->B' 'P(A)'").fails(1, &["no probabilities"]);
    folder.run("ask 'A->' 'A ⟂ B'").fails(1, &["A->:1:"]);
}

#[test]
fn two_networks_are_compared() {
    let folder = Folder::with_networks();
    folder.put("later.tbn", folder.text("flu.tbn").replace("given Sinus\n  yes: 0.7\n", "given Sinus\n  yes: 0.6\n"));
    insta::assert_snapshot!("diff_networks", folder.run("diff flu.tbn later.tbn").ok().transcript());
    let told = folder.run("diff flu.tbn later.tbn --format json").ok().json();
    assert_eq!(told["tables"][0]["entry"], json!("P(Headache=yes | Sinus=yes)"));
    let same = folder.run("diff flu.tbn flu.tbn").ok();
    assert!(same.stdout().ends_with("The networks are the same.\n"), "{}", same.stdout());
    folder.run("convert flu.tbn flu.xdsl").ok();
    assert_eq!(folder.run("diff flu.tbn flu.xdsl --format json").ok().json()["kl"]["before_after"], json!(0.0));
    folder.run("diff flu.tbn storm.tbn").fails(1, &["same variables"]);
}

#[test]
fn a_naive_bayes_model_is_a_network() {
    let folder = Folder::with_model();
    let case = "Outlook=Sunny Temperature=Cool Humidity=High Wind=Strong";
    let classified = folder.run(&format!("classify play_tennis.tb {case} --format json")).ok().json();
    let findings = case.replace(' ', ", ");
    let asked = folder.run(&format!("ask play_tennis.tb 'P(PlayTennis | {findings})' --format json")).ok().json();
    let no = classified["probability"]["No"].as_f64().unwrap();
    crate::support::assert_close(&asked["table"][0]["p"], no, 1e-12);
    folder.run("convert play_tennis.tb play_tennis.tbn").ok();
    let converted = folder.run(&format!("ask play_tennis.tbn 'P(PlayTennis=No | {findings})' --format json")).ok().json();
    crate::support::assert_close(&converted["p"], no, 1e-12);
    folder.run("show play_tennis.tb --variable Wind").fails(2, &["--variable"]);
    folder.put("numbers.csv", "x,y\n1.5,a\n2.5,b\n3.25,a\n0.75,b\n");
    folder.run("learn numbers.csv -t y --evaluate none").ok();
    folder.run("ask numbers.tb 'P(y)'").fails(1, &["numbers.tb", "`x` has none", "--numeric bins"]);
    folder.run("learn numbers.csv -t y --evaluate none --numeric bins:width:2 -o bins.tb").ok();
    assert!(folder.run("show bins.tb").ok().stdout().contains("naive-bayes"));
    folder.run("ask bins.tb 'P(y)'").ok();
}

/// A noisy-OR of many parents is told by its parameters: its table has more rows than anybody reads.
#[test]
fn show_tells_the_parameters_of_noisy_or() {
    let mut text = String::new();
    let names: Vec<String> = (0..40).map(|place| format!("C{place}")).collect();
    names.iter().for_each(|name| text += &format!("variable {name} yes/no 0.1\n"));
    text += &format!("variable F yes/no given {} as noisy-or\n", names.join(", "));
    names.iter().enumerate().for_each(|(place, name)| text += &format!("  {name}: 0.{:02}\n", place + 1));
    text += "  leak: 0.01\n";
    let small = "variable A yes/no 0.1\nvariable B yes/no 0.2\nvariable F yes/no given A, B as noisy-or\n A: 0.8\n B: 0.5\n leak: 0.1\n";
    let folder = Folder::new().write("nor.tbn", text).write("small.tbn", small);
    let shown = folder.run("show nor.tbn --variable F").ok();
    assert!(shown.stdout().contains("C39=yes") && shown.stdout().contains("leak"), "{}", shown.stdout());
    assert!(!shown.stdout().contains("more rows"), "{}", shown.stdout());
    insta::assert_snapshot!("show_noisy_or", folder.run("show small.tbn --variable F").ok().transcript());
    let object = folder.run("show nor.tbn --variable F --format json").ok().json();
    assert_eq!(object["causes"][1], json!({"parent": "C1", "absent": "no", "effects": {"yes": [0.02, 0.98], "no": [0.0, 1.0]}}));
    assert_eq!((&object["leak"], &object["order"]), (&json!([0.01, 0.99]), &json!(["no", "yes"])));
    folder.run("convert nor.tbn nor.uai").fails(1, &["write it as tbn", "xdsl"]);
}

/// What a file is told by: its words before its name, and nothing at all is no network.
#[test]
fn files_are_what_they_say_and_empty_ones_are_no_networks() {
    let folder = Folder::new().write("blood.tbn", "variable Blood { typeA, typeB }\n 0.3, 0.7\n");
    folder.run("show blood.tbn").ok();
    let folder = folder.write("quoted.tbn", "network \"a \\\"b\\\"\"\nvariable A yes/no 0.3\n");
    folder.run("convert quoted.tbn quoted.bif").ok();
    assert!(folder.run("ask quoted.bif 'P(A)'").ok().stdout().contains("0.3"));
    for name in ["e.bif", "e.tbn", "e.net", "e.dsc", "e.uai", "e.xdsl", "e.xml", "e.dot"] {
        folder.put(name, "");
        folder.run(&format!("show {name}")).fails(1, &["the file is empty", "name another file"]);
    }
    folder.run("ask 'A->B->A' 'A ⟂ B'").fails(1, &["cycle", "turn it round"]);
}
