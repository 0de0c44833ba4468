//! Concept learning: EnjoySport of Mitchell 1997, chapter 2, and what is refused.

use serde_json::json;

use crate::support::{Folder, assert_close};

impl Folder {
    fn with_enjoy_sport() -> Self {
        Folder::new()
            .write("enjoy_sport.csv", include_bytes!("../../../../examples/enjoy_sport.csv"))
            .write("enjoy_sport.schema.toml", include_bytes!("../../../../examples/enjoy_sport.schema.toml"))
            .write("new_sport_days.csv", include_bytes!("../../../../examples/new_sport_days.csv"))
    }
}

const DAYS: &str = "concept enjoy_sport.csv --target EnjoySport";

#[test]
fn enjoy_sport_has_the_books_boundaries_and_counts() {
    let told = Folder::with_enjoy_sport().run(&format!("{DAYS} --format json")).ok().json();
    assert_eq!(told["s"], json!([["Sunny", "Warm", "?", "Strong", "?", "?"]]));
    assert_eq!(told["g"], json!([["Sunny", "?", "?", "?", "?", "?"], ["?", "Warm", "?", "?", "?", "?"]]));
    assert_eq!((&told["version_space"], &told["syntactic"], &told["semantic"]), (&json!(6), &json!(5120), &json!(973)));
    assert_eq!(told["hypotheses"].as_array().unwrap().len(), 6);
    assert_eq!((&told["examples"], &told["positive_examples"], &told["positive"]), (&json!(4), &json!(3), &json!("Yes")));
    assert_eq!((&told["question"]["votes"], &told["question"]["best"]), (&json!(3), &json!(true)));
}

#[test]
fn what_a_person_reads_of_enjoy_sport() {
    let folder = Folder::with_enjoy_sport();
    insta::assert_snapshot!("concept", folder.run(DAYS).ok().transcript());
    insta::assert_snapshot!("concept_trace", folder.run(&format!("{DAYS} --trace --quiet --list 1")).ok().transcript());
    let days = "--classify new_sport_days.csv --quiet";
    insta::assert_snapshot!("concept_classify", folder.run(&format!("{DAYS} {days}")).ok().transcript());
    insta::assert_snapshot!("concept_find_s", folder.run(&format!("{DAYS} -m find-s --trace {days}")).ok().transcript());
    insta::assert_snapshot!("concept_list", folder.run(&format!("{DAYS} -m list-then-eliminate --trace --quiet")).ok().transcript());
    insta::assert_snapshot!("concept_rote", folder.run(&format!("{DAYS} -m rote {days}")).ok().transcript());
    insta::assert_snapshot!("concept_unbiased", folder.run(&format!("{DAYS} -m unbiased {days}")).ok().transcript());
    insta::assert_snapshot!("concept_noise", folder.run(&format!("{DAYS} --noise 0.1 {days} --list 8")).ok().transcript());
}

#[test]
fn the_four_new_days_are_classified_as_in_the_book() {
    let folder = Folder::with_enjoy_sport();
    for model in ["candidate-elimination", "list-then-eliminate"] {
        let told = folder.run(&format!("{DAYS} --learner {model} --classify new_sport_days.csv --format json")).ok().json();
        let say = |row: usize, field: &str| told["classified"][row][field].clone();
        let rows: Vec<_> = (0..4).map(|row| (say(row, "predicted"), say(row, "sure"), say(row, "votes"), say(row, "of"))).collect();
        let row = |predicted: Option<&str>, sure: bool, votes: u32| (json!(predicted), json!(sure), json!(votes), json!(6));
        assert_eq!(rows, [row(Some("Yes"), true, 6), row(Some("No"), true, 0), row(None, false, 3), row(Some("No"), false, 2)], "{model}");
    }
    let c = "Sky=Sunny AirTemp=Cold Humidity=Normal Wind=Strong Water=Warm Forecast=Same";
    let told = folder.run(&format!("{DAYS} {c} --format json")).ok().json();
    assert_close(&told["classified"][0]["share"], 2.0 / 6.0, 1e-15);
    // A state that nobody declared satisfies ? alone.
    let strange = folder.run(&format!("{DAYS} {} --format json", c.replace("Cold", "Warm").replace("Sunny", "Suny"))).ok();
    let strange = strange.notes(&["`Suny` is no known state of `Sky`", "did you mean `Sunny`?"]);
    assert_eq!(
        (&strange.json()["classified"][0]["votes"], strange.json()["classified"][0]["instance"]["Sky"].as_str()),
        (&json!(2), Some("another"))
    );
}

#[test]
fn without_noise_the_probabilities_are_the_votes_and_find_s_is_map() {
    let folder = Folder::with_enjoy_sport();
    let told = folder.run(&format!("{DAYS} --noise 0 --classify new_sport_days.csv --format json")).ok().json();
    for (row, p) in [1.0, 0.0, 0.5, 1.0 / 3.0].into_iter().enumerate() {
        assert_close(&told["classified"][row]["p_positive"], p, 1e-12);
    }
    assert_eq!((&told["n_map"], told["posterior"].as_array().unwrap().len()), (&json!(6), 6));
    let specific = folder.run(&format!("{DAYS} --noise 0 --prior specific --format json")).ok().json();
    let find_s = folder.run(&format!("{DAYS} --model find-s --format json")).ok().json();
    assert_eq!((&specific["map"], &specific["n_map"]), (&find_s["s"][0], &json!(1)));
}

#[test]
fn the_example_that_empties_the_space_is_named_with_a_way_on() {
    let folder = Folder::with_enjoy_sport();
    let days = folder.text("enjoy_sport.csv");
    folder.put("enjoy_sport.csv", format!("{days}Sunny,Warm,Normal,Strong,Cool,Change,No\nCloudy,Cold,High,Weak,Cool,Change,Yes\n"));
    for model in ["candidate-elimination", "list-then-eliminate"] {
        let says = ["row 5 leaves no hypothesis", "⟨Sunny, Warm, ?, Strong, ?, ?⟩ at the least", "--noise"];
        folder.run(&format!("{DAYS} -m {model} --quiet")).fails(1, &says);
    }
    let find_s = folder.run(&format!("{DAYS} -m find-s --quiet")).ok();
    assert!(find_s.stdout().contains("It covers row 3, which is negative"), "{}", find_s.stdout());
    folder.run(&format!("{DAYS} --noise 0 --quiet")).fails(1, &["probability zero", "--noise 0.1"]);
    folder.run(&format!("{DAYS} --noise 0.1")).ok();
    // The trace goes as far as there is something to trace.
    let trace = folder.run(&format!("{DAYS} --trace --quiet"));
    assert_eq!(trace.code, 1);
    assert!(trace.stdout().ends_with("S5: {}\nG5: {}\n\n") && trace.stderr.contains("row 5"), "{}", trace.transcript());
    folder.put("enjoy_sport.csv", format!("{days}Sunny,Warm,High,Strong,Warm,Same,No\n"));
    for model in ["candidate-elimination", "rote", "unbiased"] {
        folder.run(&format!("{DAYS} -m {model} --quiet")).fails(1, &["row 5 is negative and row 2 is positive", "same instance"]);
    }
}

#[test]
fn questions_are_answered_on_a_pipe() {
    let folder = Folder::with_enjoy_sport();
    let ask = format!("{DAYS} --ask --quiet");
    insta::assert_snapshot!("concept_ask", folder.run_with_input(&ask, "y\nperhaps\nno\nYES\n").ok().transcript());
    let quit = folder.run_with_input(&ask, "q\n").ok();
    assert!(quit.stdout().ends_with("6 hypotheses are left after 0 answers\n"), "{}", quit.stdout());
    let end = folder.run_with_input(&ask, "n").ok();
    assert!(end.stdout().ends_with("3 hypotheses are left after 1 answer\n"), "{}", end.stdout());
    folder.run("concept - -t EnjoySport --ask").fails(2, &["standard input"]);
    folder.run(&format!("{ask} --format json")).fails(2, &["--ask"]);
    folder.run(&format!("{ask} -m rote")).fails(2, &["--ask", "candidate-elimination"]);
    folder.run(&format!("{ask} Sky=Sunny")).fails(2, &["NAME=VALUE"]);
}

#[test]
fn numbers_become_ranges_and_trees_of_values_are_climbed() {
    let folder = Folder::new()
        .write("fruit.csv", "Weight,Colour,Ripe\n20.5,lime,no\n31,red,yes\n35,pink,yes\n35,navy,no\n80,red,no\n")
        .write(
            "fruit.schema.toml",
            "[columns.Weight]\ntype = \"numeric\"\n[columns.Colour]\ntree = { warm = [\"red\", \"pink\"], cold = { blue = [\"navy\"], green = [\"lime\", \"olive\"] } }\n",
        );
    let line = "concept fruit.csv --target Ripe";
    let told = folder.run(&format!("{line} --format json --list 50")).ok().json();
    assert_eq!(told["s"], json!([["[31, 35]", "warm"]]));
    assert_eq!(told["g"], json!([["<80", "warm"]]));
    // The lower end is one of four places up to 31, the upper one 35 or behind it.
    assert_eq!((&told["version_space"], told["hypotheses"].as_array().unwrap().len()), (&json!(8), 8));
    // 9 places of numbers have 45 intervals; the tree has 10 nodes.
    assert_eq!((&told["semantic"], &told["syntactic"]), (&json!(45 * 10 + 1), &json!(46 * 11)));
    insta::assert_snapshot!("concept_fruit", folder.run(&format!("{line} Weight=25 Colour=olive")).ok().transcript());
    // The tree is kept when the schema is written again.
    folder.run("schema fruit.csv --write --force --quiet").ok();
    assert!(folder.text("fruit.schema.toml").contains("tree = {"), "{}", folder.text("fruit.schema.toml"));
    assert_eq!(folder.run(&format!("{line} --format json --list 50")).ok().json()["g"], told["g"]);
    for (tree, says) in [
        ("tree = { warm = [\"red\", \"red\"] }", "listed twice"),
        ("tree = { red = [\"pink\"] }", "values are leaves"),
        ("tree = { warm = [] }", "nothing below"),
        ("tree = 3", "schema"),
    ] {
        folder.put("fruit.schema.toml", format!("[columns.Colour]\n{tree}\n"));
        folder.run(line).fails(1, &[says]);
    }
}

#[test]
fn rows_that_are_no_examples_are_left_out_and_counted() {
    let folder = Folder::new().write("d.csv", "a,b,y\nu,v,yes\nu,,yes\nw,v,\nw,v,no\nw,x,no\n").write("new.csv", "a,b\nu,\nz,v\n");
    let outcome = folder.run("concept d.csv -t y --classify new.csv --format json").ok();
    let outcome = outcome.notes(&["1 row with a gap was left out", "1 row without a label was left out", "no known state of `a`", "`z`"]);
    let told = outcome.json();
    assert_eq!((&told["examples"], &told["rows_with_gaps"], &told["rows_without_target"]), (&json!(3), &json!(1), &json!(1)));
    assert_eq!(told["classified"][0], json!({"row": 1, "predicted": null, "sure": false, "missing": "b"}));
    assert_eq!(told["classified"][1]["predicted"], "No".to_lowercase());
    folder.run("concept d.csv -t y a=u").fails(1, &["no value of `b`"]);
    folder.run("concept d.csv -t y a=u b=?").fails(1, &["missing"]);
    folder.run("concept d.csv -t y a=u a=w").fails(1, &["given twice"]);
    folder.put("d.schema.toml", "weight = \"w\"");
    folder.put("d.csv", "a,w,y\nu,1,yes\nv,2,no\n");
    folder.run("concept d.csv -t y").fails(1, &["`w` holds weights"]);
    folder.put("d.schema.toml", "");
    folder.put("d.csv", "a,b,y\nu,,yes\n,v,no\n");
    folder.run("concept d.csv -t y").fails(1, &["no example"]);
}

#[test]
fn what_cannot_be_learned_is_refused_with_a_way_out() {
    let folder = Folder::with_enjoy_sport().write("c.csv", "a,y\nu,p\nv,q\nu,p\n").write("one.csv", "y\nyes\nno\n");
    folder.run("concept c.csv -t y").fails(1, &["not plain", "`p`, `q`", "--positive p"]);
    assert_eq!(folder.run("concept c.csv -t y --positive q --format json").ok().json()["s"], json!([["v"]]));
    folder.run("concept c.csv -t y --positive r").fails(1, &["`r` is no state of `y`"]);
    folder.run("concept c.csv").fails(1, &["target"]);
    folder.run("concept one.csv -t y").fails(1, &["no column describes"]);
    folder.run("concept y=1").fails(2, &["file of examples"]);
    folder.run(&format!("{DAYS} --noise 0.5")).fails(2, &["--noise 0.5"]);
    folder.run(&format!("{DAYS} --noise nan")).fails(2, &["--noise"]);
    folder.run(&format!("{DAYS} --noise 0.1 -m rote")).fails(2, &["--model", "--noise"]);
    folder.run(&format!("{DAYS} --prior specific")).fails(2, &["--noise"]);
    folder.run(&format!("{DAYS} --noise 0.1 --trace")).fails(2, &["--trace"]);
    folder.run(&format!("{DAYS} -m rote --trace")).fails(2, &["--trace"]);
    folder.run(&format!("{DAYS} -m rote --max-boundary 3")).fails(2, &["--max-boundary"]);
    folder.run(&format!("{DAYS} --max-hypotheses 3")).fails(2, &["--max-hypotheses"]);
    folder.run(&format!("{DAYS} --weight Sky")).fails(2, &["--weight"]);
    folder.run(&format!("{DAYS} --max-boundary 1")).fails(1, &["beyond 1 hypotheses at row 3", "--max-boundary"]);
    folder.run(&format!("{DAYS} -m list-then-eliminate --max-hypotheses 972")).fails(1, &["973 hypotheses", "--max-hypotheses"]);
    folder.run(&format!("{DAYS} --format csv")).fails(2, &["json"]);
}

/// Haussler's example of twelve pairs: G has 2¹² members at the bound, and one pair more is too much. Counts beyond 2⁵³ are texts.
#[test]
fn the_boundary_is_bounded_and_large_counts_are_texts() {
    let table = |n_pairs: usize| {
        let n = 2 * n_pairs;
        let header: Vec<String> = (0..n).map(|at| format!("x{at}")).collect();
        let row = |pair: usize, label: &str| {
            let cells: Vec<&str> = (0..n).map(|at| if at / 2 == pair { "f" } else { "t" }).collect();
            format!("{},{label}\n", cells.join(","))
        };
        let negative: String = (0..n_pairs).map(|pair| row(pair, "no")).collect();
        format!("{},y\n{}{negative}", header.join(","), row(n, "yes"))
    };
    let folder = Folder::new().write("h.csv", table(20));
    let error = folder.run("concept h.csv -t y --max-boundary 512").fails(1, &["beyond 512 hypotheses", "Haussler", "--model find-s"]);
    assert!(error.stderr.contains("row 11"), "{}", error.stderr);
    let told = folder.run("concept h.csv -t y --model find-s --format json").ok().json();
    assert_eq!((&told["semantic"], &told["syntactic"]), (&json!("12157665459056928802"), &json!("1208925819614629174706176")));
    folder.put("h.csv", table(6));
    let told = folder.run("concept h.csv -t y --format json").ok().json();
    assert_eq!((&told["version_space"], told["g"].as_array().unwrap().len()), (&json!(729), 64));
}

#[test]
fn threads_and_chunks_change_nothing() {
    let mut rows = String::from("a,b,n,y\n");
    for at in 0..3000_u32 {
        let (a, b, n) = (at * 7 % 5, at * 11 % 3, at * 13 % 97);
        rows += &format!("a{a},b{b},{n}.5,{}\n", if a == 2 && (20..60).contains(&n) { "yes" } else { "no" });
    }
    let folder = Folder::new().write("d.csv", rows);
    let line = "concept d.csv -t y --format json --threads";
    let one = folder.run(&format!("{line} 1")).ok().json();
    assert_eq!(one["s"], json!([["a2", "?", "[20.5, 59.5]"]]));
    assert_eq!(one["g"], json!([["a2", "?", "(19.5, 60.5)"]]));
    for threads in [2, 7] {
        assert_eq!(folder.run(&format!("{line} {threads}")).ok().json(), one);
    }
}
