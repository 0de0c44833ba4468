//! Networks whose graph is known: learned, changed, asked how sure they are, and used to fill gaps.

use serde_json::json;

use crate::support::{Folder, keys};

fn with_flu() -> Folder {
    let folder = Folder::new();
    folder.example("flu.csv");
    folder.example("flu.tbn");
    folder
}

#[test]
fn what_a_person_reads_of_a_learned_network() {
    let folder = with_flu();
    insta::assert_snapshot!("learn_structure", folder.run("learn flu.csv --structure flu.tbn").ok().transcript());
    insta::assert_snapshot!("ask_credible", folder.run("ask flu.tb 'P(Flu | Headache=yes)' --credible 95").ok().silent().transcript());
    insta::assert_snapshot!("show_learned", folder.run("show flu.tb").ok().silent().transcript());
    // Nobody with both, and gaps.
    folder.put("few.csv", "Flu,Allergy,Sinus,Headache,Nose\nyes,no,yes,,runny\nno,no,no,no,dry\nno,yes,,no,dry\n");
    insta::assert_snapshot!("learn_structure_gaps", folder.run("learn few.csv --structure flu.tbn --estimate ml").ok().transcript());
    insta::assert_snapshot!("show_unseen", folder.run("show few.tb --variable Sinus").ok().transcript());
    folder.run("learn few.csv --structure flu.tbn --estimate ml --strict").fails(1, &["`Sinus` was never seen with Flu=yes, Allergy=yes"]);
    insta::assert_snapshot!("impute", folder.run("impute flu.tb few.csv").ok().transcript());
}

#[test]
fn learned_networks_are_told_to_programs() {
    let folder = with_flu();
    let learned = folder.run("learn flu.csv --structure flu.tbn --target Flu --format json").ok().json();
    assert_eq!(
        keys(&learned),
        [
            "model",
            "kind",
            "rows",
            "skipped",
            "weight",
            "variables",
            "arcs",
            "free_parameters",
            "prior",
            "target",
            "log_likelihood",
            "log_likelihood_per_row",
            "log_marginal_likelihood",
            "description_length",
            "missing",
            "complete_rows",
            "unseen",
            "hidden",
            "remarks"
        ]
    );
    assert_eq!((&learned["kind"], &learned["rows"], &learned["prior"]), (&json!("network"), &json!(200), &json!("bdeu:1")));
    let shown = folder.run("show flu.tb --variable Nose --format json").ok().json();
    assert_eq!(keys(&shown), ["name", "states", "parents", "table", "counts"]);
    let asked = folder.run("ask flu.tb 'P(Flu | Headache=yes)' --credible 90 --draws 199 --seed 3 --format json").ok().json();
    let told = json!({"level": 0.9, "draws": 199, "seed": 3, "impossible_draws": 0, "ignores_missing": false});
    assert_eq!(asked["credible"], told);
    let (p, interval) = (asked["table"][0]["p"].as_f64().unwrap(), &asked["table"][0]["interval"]);
    assert!(interval[0].as_f64().unwrap() < p && p < interval[1].as_f64().unwrap());
    let all = folder.run("ask flu.tb 'P(*)' --credible 90 --draws 99 --format json").ok().json();
    assert_eq!(keys(&all["intervals"]), ["Flu", "Allergy", "Sinus", "Headache", "Nose"]);
    let csv = folder.run("ask flu.tb 'P(Flu)' --credible 90 --draws 99 --format csv").ok();
    assert!(csv.stdout().starts_with("Flu,p,low,high\nyes,"), "{}", csv.stdout());
    let best = folder.run("ask flu.tb 'argmax:2 Flu, Allergy' --credible 90 --draws 99 --format json").ok().json();
    assert_eq!((&best["interval"], best["best"].as_array().unwrap().len()), (&best["best"][0]["interval"], 2));
    let classified = folder.run("classify flu.tb Headache=yes Nose=runny --format json").ok().json();
    let asked = folder.run("ask flu.tb 'P(Flu=yes | Headache=yes, Nose=runny)' --format json").ok().json();
    assert!((classified["probability"]["yes"].as_f64().unwrap() - asked["p"].as_f64().unwrap()).abs() < 1e-12);
    assert_eq!(folder.run("evaluate flu.tb flu.csv --format json").ok().json()["rows"], json!(200));
    let filled = folder.run_with_input("impute flu.tb - --format jsonl", "Flu,Nose,x\n,runny,7\n").ok();
    assert_eq!(filled.stdout(), "{\"row\":1,\"values\":{\"Flu\":\"no\",\"Nose\":\"runny\",\"x\":7},\"imputed\":[\"Flu\"]}\n");
}

#[test]
fn learned_networks_keep_learning() {
    let folder = with_flu();
    let text = folder.text("flu.csv");
    let lines: Vec<&str> = text.lines().collect();
    folder.put("a.csv", format!("{}\n", lines[..120].join("\n")));
    folder.put("b.csv", format!("{}\n{}\n", lines[0], lines[120..].join("\n")));
    for name in ["a", "b", "flu"] {
        folder.run(&format!("learn {name}.csv --structure flu.tbn -q")).ok();
    }
    folder.run("merge a.tb b.tb -o both.tb").ok();
    folder.run("update a.tb b.csv -o updated.tb").ok();
    for name in ["both.tb", "updated.tb"] {
        let found = folder.run(&format!("diff flu.tb {name}")).ok();
        assert!(found.stdout().contains("The networks are the same."), "{}", found.stdout());
    }
    folder.run("forget updated.tb b.csv -o less.tb").ok();
    assert!(folder.run("diff a.tb less.tb").ok().stdout().contains("The networks are the same."));
    let faded = folder.run("update a.tb b.csv -o faded.tb --fading 0.5 --format json").ok().json();
    assert_eq!(faded["rows"], json!(119.0 / 2.0 + 81.0));
    folder.run("update a.tb b.csv -o faded.tb --fading 2").fails(1, &["fading"]);
    folder.run("convert flu.tb flu.net").ok();
    assert!(folder.text("flu.net").contains("    experience = (201);\n"));
    assert!(folder.run("diff flu.tb flu.net").ok().stdout().contains("The networks are the same."));
    folder.run("learn flu.csv --target Flu -q -o bayes.tb").ok();
    folder.run("merge a.tb bayes.tb -o x.tb").fails(1, &["one is network, the other naive-bayes"]);
    folder.run("update bayes.tb b.csv --fading 0.5 -o x.tb").fails(2, &["--fading"]);
}

#[test]
fn threads_change_no_byte() {
    let folder = with_flu();
    let row = "yes,,yes,,runny\nno,no,,no,\n,yes,no,no,dry\n";
    folder.put("gaps.csv", format!("Flu,Allergy,Sinus,Headache,Nose\n{}", row.repeat(3000)));
    let mut first: Option<[Vec<u8>; 4]> = None;
    for threads in [1, 2, 7] {
        folder.run(&format!("learn gaps.csv --structure flu.tbn -q -o m.tb --threads {threads}")).ok();
        let asked = folder.run(&format!("ask m.tb 'P(*)' --credible 95 --draws 60 --threads {threads}")).ok();
        folder.run(&format!("impute m.tb gaps.csv -q -o filled.csv --threads {threads}")).ok();
        folder.run(&format!("impute m.tb gaps.csv -q -o drawn.csv --draw --seed 5 --threads {threads}")).ok();
        let found = [folder.bytes("m.tb"), asked.stdout().as_bytes().to_vec(), folder.bytes("filled.csv"), folder.bytes("drawn.csv")];
        assert!(*first.get_or_insert_with(|| found.clone()) == found, "{threads} threads");
    }
}

#[test]
fn wrong_uses_are_told() {
    let folder = with_flu();
    folder.run("learn flu.csv --structure flu.tbn -q").ok();
    folder.run("learn flu.csv --structure flu.tbn --text Nose").fails(2, &["--text", "--structure"]);
    folder.run("learn flu.csv --structure flu.tbn --evaluate loo").fails(2, &["--structure"]);
    folder.run("learn flu.csv --structure flu.tbn --estimate m:2:empirical").fails(2, &["bdeu[:rows]"]);
    folder.run("learn flu.csv --structure flu.tbn --estimate ml --prior-network flu.tbn:3").fails(2, &["--prior-network"]);
    folder.run("learn flu.csv --structure flu.tbn --prior-network flu.tbn").fails(2, &["NET:ROWS"]);
    folder.run("learn flu.csv --structure flu.tbn --map a").fails(2, &["column:Variable"]);
    folder.run("learn flu.csv --structure flu.tbn --ess-of Flu").fails(2, &["NAME=ROWS"]);
    folder.run("learn flu.csv --target Flu --estimate bdeu").fails(2, &["is for networks"]);
    folder.run("learn flu.csv --target Flu --strict").fails(2, &["--strict goes with --structure"]);
    folder.run("learn flu.csv --structure flu.tbn --target Fever").fails(1, &["--target names `Fever`"]);
    folder.run("ask flu.tbn 'P(Flu)' --credible 95").fails(1, &["no learned network", "learn"]);
    folder.run("ask flu.tb 'P(Flu)' --credible 0").fails(2, &["95"]);
    folder.run("ask flu.tb 'P(Flu)' --credible 99.9 --draws 100").fails(1, &["--draws 1999"]);
    folder.run("ask flu.tb 'P(Flu)' --credible 95 --plan").fails(2, &["--credible"]);
    folder.run("classify flu.tb Headache=yes").fails(1, &["has no target"]);
    folder.run("explain flu.tb Headache=yes").fails(1, &["'P(TARGET | Headache=yes)' --explain"]);
    folder.run("impute 'A->B' flu.csv").fails(1, &["no probabilities"]);
    folder.run("impute flu.tb flu.csv -o filled.parquet").fails(2, &[".jsonl"]);
}

/// Four classes, of numbers up to 2, 4, 6 and 8; cut points at 2, 4 and 6.
fn with_numbers() -> Folder {
    let mut text = String::from("id,y,x\n");
    for step in 0..=32_u32 {
        let class = ["a", "b", "c", "d"][(step.saturating_sub(1) / 8) as usize];
        text += &format!("{step},{class},{}\n", f64::from(step) / 4.0);
    }
    let folder = Folder::new().write("xy.csv", text).write("gaps.csv", "id,y,x\n1,a,\n2,b,\n3,c,\n4,d,\n5,,3.5\n6,,\n7,b,2.5\n");
    folder.run("learn xy.csv --structure 'y->x' --types x=numeric --numeric bins:width:4 --estimate laplace:0.001 -q -o m.tb").ok();
    folder
}

#[test]
fn numbers_are_filled_with_the_middle_of_their_bin() {
    let folder = with_numbers();
    let filled = folder
        .run("impute m.tb gaps.csv")
        .ok()
        .notes(&["`x` is a number, and a gap of it gets the middle of the most probable bin", "7 gaps"]);
    // The lowest bin ends at 2, which is in it, and the highest begins above 6.
    let expected = "id,y,x,imputed\n1,a,2,x\n2,b,3,x\n3,c,5,x\n4,d,6.000000000000001,x\n5,b,3.5,y\n6,a,2,y;x\n7,b,2.5,\n";
    assert_eq!(filled.stdout(), expected);
    // What is filled is in the bin that was meant, and nothing is left to fill.
    folder.put("filled.csv", expected.replace(",imputed", ",before"));
    folder.run("impute m.tb filled.csv").ok().notes(&["no gap was filled"]);
    for (row, bin) in ["a", "b", "c", "d"].iter().enumerate() {
        let x = expected.lines().nth(row + 1).unwrap().split(',').nth(2).unwrap();
        let best = folder.run(&format!("ask m.tb 'argmax y | x={x}' --format json")).ok().json();
        assert_eq!(best["assignment"]["y"], *bin, "{x}");
    }
    let lines = folder.run("impute m.tb gaps.csv --format jsonl").ok();
    assert_eq!(lines.stdout().lines().nth(1), Some(r#"{"row":2,"values":{"id":2,"y":"b","x":3},"imputed":["x"]}"#));
    // A column of one bin has no place to take a number from.
    let noise: String = (0..60).map(|row| format!("{},{}.5\n", ["p", "q"][row % 2], row / 2)).collect();
    folder.put("noise.csv", format!("y,x\n{noise}"));
    folder.run("learn noise.csv -t y -m tan -q -o one.tb").ok();
    folder.put("gap.csv", "y,x\np,\n");
    let one = folder.run("impute one.tb gap.csv").ok().notes(&["`x` has one bin only, and is not filled", "--numeric bins:frequency:5"]);
    assert_eq!(one.stdout(), "y,x,imputed\np,,\n");
}

#[test]
fn numbers_are_drawn_anywhere_in_their_bin() {
    let folder = with_numbers();
    folder.put("many.csv", format!("id,y,x\n{}", "1,b,\n2,c,\n3,a,\n4,,\n".repeat(500)));
    let drawn =
        folder.run("impute m.tb many.csv --draw --seed 5 --threads 1").ok().notes(&["gets any number of the bin that is drawn", "seed 5"]);
    let of = |id: &str| -> Vec<f64> {
        let rows = drawn.stdout().lines().skip(1).map(|line| line.split(',').collect::<Vec<_>>()).filter(|row| row[0] == id);
        rows.map(|row| row[2].parse().unwrap()).collect()
    };
    for (id, above) in [("1", 2.0), ("2", 4.0)] {
        let numbers = of(id);
        // All but some that the prior's thousandths leave to other bins; the mean of 500 uniform ones has an error of 0.026.
        let within: Vec<f64> = numbers.into_iter().filter(|x| *x > above && *x <= above + 2.0).collect();
        let mean = within.iter().sum::<f64>() / within.len() as f64;
        assert!(within.len() > 480 && (mean - above - 1.0).abs() < 0.13, "{} {mean}", within.len());
        let quarter = within.iter().filter(|x| **x <= above + 0.5).count();
        assert!((80..170).contains(&quarter), "{quarter}");
    }
    assert!(of("3").iter().filter(|x| **x == 2.0).count() > 480);
    let same = folder.run("impute m.tb many.csv --draw --seed 5 --threads 3").ok();
    assert_eq!(same.stdout(), drawn.stdout());
    assert_ne!(folder.run("impute m.tb many.csv --draw --seed 6").ok().stdout(), drawn.stdout());
}
