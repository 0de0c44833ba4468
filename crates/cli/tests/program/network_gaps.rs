//! Networks from tables with gaps, and networks whose graph is found.

use crate::support::{Folder, keys};

fn with_gaps() -> Folder {
    let folder = Folder::new();
    ["flu_gaps.csv", "flu.csv", "flu.tbn"].iter().for_each(|name| folder.example(name));
    folder
}

#[test]
fn gaps_and_a_hidden_variable_are_inferred() {
    let folder = with_gaps();
    let told = folder.run("learn flu_gaps.csv --structure flu.tbn --estimate k2 --format json -o a.tb").ok().json();
    assert_eq!(told["hidden"], serde_json::json!(["Sinus"]));
    assert_eq!(told["converged"], true);
    assert_eq!(told["ends"].as_array().unwrap().len(), 10);
    let objectives: Vec<f64> = told["objectives"].as_array().unwrap().iter().map(|ln| ln.as_f64().unwrap()).collect();
    assert_eq!(objectives.len() as u64, told["iterations"].as_u64().unwrap());
    assert!(objectives.windows(2).all(|pair| pair[1] >= pair[0] - 1e-9));
    assert_eq!(keys(&told["score"]), ["bic", "cheeseman_stutz"]);
    // The same seed is the same bytes on any number of threads, and the states of what nobody saw have one order.
    folder.run("learn flu_gaps.csv --structure flu.tbn --estimate k2 -o b.tb --threads 1").ok();
    assert_eq!(folder.bytes("a.tb"), folder.bytes("b.tb"));
    let asked = folder.run("ask a.tb 'P(Flu | Headache=yes)' --credible 95 --draws 200").ok();
    assert!(asked.stdout().contains("missing values are drawn too, in 4 chains, R-hat "), "{}", asked.stdout());
    let told = folder.run("ask a.tb 'P(Flu | Headache=yes)' --credible 95 --draws 200 --format json").ok().json();
    assert_eq!(told["credible"]["ignores_missing"], false);
    assert_eq!(keys(&told["credible"]["chains"]), ["chains", "burn_in", "thinning", "r_hat"]);
    // Of 25 draws a half chain it is √(24/25) at least.
    assert!((0.979..1.05).contains(&told["credible"]["chains"]["r_hat"].as_f64().unwrap()), "{told}");
    let alone = folder.run("ask a.tb 'P(Flu | Headache=yes)' --credible 95 --draws 200 --threads 1").ok();
    assert_eq!(asked.stdout(), alone.stdout());
    for (flags, why) in [
        ("--estimate k2 --drop-parts", "does not keep the parts of its rows with gaps: learn it anew, and without --drop-parts"),
        ("--estimate ml", "`Flu` is learned without pseudo-counts"),
        ("--gaps whole", "learn with --gaps em"),
    ] {
        folder.run(&format!("learn flu_gaps.csv --structure flu.tbn {flags} -o b.tb")).ok();
        let asked = folder.run("ask b.tb 'P(Flu | Headache=yes)' --credible 95 --draws 200").ok();
        assert!(asked.stdout().contains("ignores what missing values leave open, for "), "{}", asked.stdout());
        assert!(asked.stdout().contains(why), "{}", asked.stdout());
        let told = folder.run("ask b.tb 'P(Flu | Headache=yes)' --credible 95 --draws 200 --format json").ok().json();
        assert_eq!(told["credible"]["ignores_missing"], true);
        assert!(told["credible"]["ignores_missing_because"].as_str().unwrap().contains(why), "{told}");
    }
}

#[test]
fn every_climb_is_reached_from_the_command_line() {
    let folder = with_gaps();
    let mut ends = Vec::new();
    for climb in ["em", "squarem", "gradient", "lbfgs", "stepwise", "stepwise:0.9"] {
        let line = format!(
            "learn flu_gaps.csv --structure flu.tbn --estimate k2 --climb {climb} --em-tolerance 1e-10 --em-steps 3000 --format json"
        );
        let told = folder.run(&line).ok().json();
        ends.push(told["log_likelihood"].as_f64().unwrap());
    }
    assert!(ends.iter().all(|end| (end - ends[0]).abs() < 0.05), "{ends:?}");
    folder.run("learn flu_gaps.csv --structure flu.tbn --climb gradient:0.0001 --em-steps 5 --em-starts 1").ok();
    for (climb, says) in
        [("up", "stepwise[:KAPPA]"), ("em:2", "stepwise[:KAPPA]"), ("stepwise:0.4", "above 0.5"), ("gradient:-1", "no number above 0")]
    {
        folder.run(&format!("learn flu_gaps.csv --structure flu.tbn --climb {climb}")).fails(2, &[says]);
    }
}

#[test]
fn how_many_states_a_hidden_variable_has_is_chosen() {
    let folder = with_gaps();
    let line =
        "learn flu_gaps.csv --structure 'Flu->Sinus<-Allergy;Sinus->Headache;Sinus->Nose' --hidden Sinus=1..3 --estimate k2 --format json";
    let told = folder.run(line).ok().json();
    let tried: Vec<u64> = told["tried"].as_array().unwrap().iter().map(|one| one["states"].as_u64().unwrap()).collect();
    assert_eq!(tried, [1, 2, 3]);
    let sinus = told["variables"].as_array().unwrap().iter().find(|variable| variable["name"] == "Sinus").unwrap();
    assert_eq!(sinus["states"], serde_json::json!(["1", "2"]));
    folder.run("learn flu.csv --structure flu.tbn --hidden Sinus=2").fails(1, &["--hidden names `Sinus`", "column of the data"]);
    folder.run("learn flu_gaps.csv --structure flu.tbn --hidden Sinsu=2").fails(1, &["no variable of the graph", "did you mean `Sinus`"]);
    for wrong in ["Sinus", "Sinus=0", "Sinus=3..2", "Sinus=a"] {
        folder.run(&format!("learn flu_gaps.csv --structure flu.tbn --hidden {wrong}")).fails(2, &["NAME=N"]);
    }
}

#[test]
fn without_em_a_row_counts_where_it_is_whole() {
    let folder = with_gaps();
    folder.run("learn flu_gaps.csv --structure flu.tbn --gaps whole").ok().notes(&["in every table of which it has all values"]);
    folder.run("learn flu_gaps.csv --structure flu.tbn --gaps whole --climb em").fails(2, &["--climb", "--gaps whole"]);
    folder.run("learn flu_gaps.csv --structure flu.tbn --point map --estimate bdeu:1").fails(1, &["posterior means"]);
    folder.run("learn flu_gaps.csv --structure flu.tbn --em-steps 2").ok().notes(&["not come to rest after 2 steps"]);
    folder.run("learn flu.csv --structure flu.tbn --start flu.tbn").fails(1, &["no value is missing"]);
    folder.run("learn flu_gaps.csv --structure flu.tbn --start flu.tbn").ok();
    folder.run("learn flu_gaps.csv --target Flu --climb em").fails(2, &["--structure"]);
}

#[test]
fn rows_with_gaps_join_and_leave_a_model() {
    let folder = with_gaps();
    folder.run("learn flu.csv --structure flu.tbn -o m.tb").ok();
    folder.run("update m.tb flu_gaps.csv -o more.tb").ok().notes(&["EM went", "over 200 rows with gaps"]);
    folder.run("forget more.tb flu_gaps.csv -o less.tb").ok();
    assert_eq!(folder.bytes("m.tb"), folder.bytes("less.tb"));
    folder.run("merge more.tb more.tb -o both.tb").ok().notes(&["EM went", "over 400 rows with gaps"]);
    let told = folder.run("forget both.tb flu.csv -o rest.tb --em-steps 3 --em-tolerance 0 --em-change 0 --format json").ok().json();
    assert_eq!((&told["iterations"], &told["converged"]), (&serde_json::json!(3), &serde_json::json!(false)));
    assert!(told["log_likelihood"].as_f64().unwrap() < 0.0 && told["parts"]["kept"].as_u64().unwrap() > 0);
    assert!(told["remarks"].to_string().contains("not come to rest after 3 steps"), "{told}");
}

#[test]
fn the_values_of_single_rows_are_kept_and_dropped_where_asked() {
    let folder = with_gaps();
    folder.run("learn flu_gaps.csv --structure flu.tbn -o kept.tb").ok();
    folder.run("learn flu_gaps.csv --structure flu.tbn -o dropped.tb --drop-parts").ok();
    let parts = folder.run("show kept.tb --format json").ok().json()["parts"].clone();
    assert_eq!(keys(&parts), ["kept", "bytes"]);
    assert!(folder.run("show kept.tb").ok().stdout().contains("parts kept"));
    for line in ["show dropped.tb", "update kept.tb flu_gaps.csv -o u.tb --drop-parts", "merge kept.tb kept.tb -o m.tb --drop-parts"] {
        folder.run(line).ok();
    }
    for model in ["dropped.tb", "u.tb", "m.tb"] {
        let shown = folder.run(&format!("show {model}")).ok();
        assert!(!shown.stdout().contains("parts kept") && shown.stdout().contains("steps of EM"), "{}", shown.stdout());
    }
    // The tables do not depend on it.
    let table = |model: &str| folder.run(&format!("ask {model} 'P(Flu, Sinus)' --format json")).ok().stdout().to_string();
    assert_eq!(table("kept.tb"), table("dropped.tb"));
    folder
        .run("update dropped.tb flu_gaps.csv -o more.tb")
        .ok()
        .notes(&["older rows were taken for is as it was, for their parts are not kept"]);
    folder.run("merge kept.tb dropped.tb -o both.tb").ok().notes(&["approximate until the network is learned again"]);
    folder.run("learn flu_gaps.csv --structure flu.tbn --gaps whole --drop-parts").fails(2, &["--drop-parts", "--gaps whole"]);
    folder.run("update kept.tb flu_gaps.csv --em-steps 0").fails(2, &["--em-steps must be at least 1"]);
    folder.run("merge kept.tb kept.tb -o m.tb --em-tolerance inf").fails(2, &["--em-tolerance must be"]);
    // Other models have no such flags.
    folder.run("learn flu.csv --target Flu -o nb.tb").ok();
    for line in ["update nb.tb flu.csv --drop-parts", "forget nb.tb flu.csv --em-steps 3", "merge nb.tb nb.tb -o two.tb --em-change 1"] {
        folder.run(line).fails(2, &["is for networks of rows with gaps"]);
    }
    folder.run("learn flu.csv --target Flu --drop-parts").fails(2, &["--drop-parts", "--structure"]);
}

#[test]
fn steps_are_traced() {
    let folder = with_gaps();
    let traced = folder.run("learn flu_gaps.csv --structure flu.tbn --em-starts 1 --em-steps 3 --trace").ok();
    let n_steps = |told: &str| told.lines().filter(|line| line.starts_with("EM, start 1, step ")).count();
    assert_eq!(n_steps(&traced.stderr), 3, "{}", traced.stderr);
    let batches = folder.run("learn flu_gaps.csv --structure flu.tbn --em-starts 1 --em-steps 3 --trace --climb stepwise").ok();
    assert!(n_steps(&batches.stderr) >= 3, "{}", batches.stderr);
}

#[test]
fn classifiers_that_are_networks_keep_learning() {
    for kind in ["tan", "kdb:2", "chow-liu"] {
        let folder = Folder::with_play_tennis();
        let target = if kind == "chow-liu" { "" } else { "--target PlayTennis" };
        folder.run(&format!("learn play_tennis.csv {target} -m {kind} -o m.tb")).ok();
        folder.run("update m.tb play_tennis.csv -o twice.tb").ok();
        folder.run("merge m.tb m.tb -o merged.tb").ok();
        folder.run("forget twice.tb play_tennis.csv -o once.tb").ok();
        let answer =
            |model: &str| folder.run(&format!("ask {model} 'P(PlayTennis | Outlook=Sunny, Wind=Strong)'")).ok().stdout().to_string();
        assert_eq!(answer("m.tb"), answer("once.tb"), "{kind}");
        assert_eq!(answer("twice.tb"), answer("merged.tb"), "{kind}");
        folder.run("show m.tb").ok();
        folder.run("diff m.tb twice.tb").ok();
        if kind != "chow-liu" {
            let rows = folder.run("classify m.tb play_tennis.csv --format jsonl").ok().json_lines();
            assert_eq!(rows.len(), 14);
            folder.run("evaluate m.tb play_tennis.csv").ok();
        }
    }
    let folder = Folder::with_play_tennis();
    folder.run("learn play_tennis.csv -m tan").fails(1, &["target"]);
    folder.run("learn play_tennis.csv -t PlayTennis -m kdb:99").fails(2, &["kdb:<k>"]);
    // A tree has one arc less than variables; a penalty leaves a forest.
    let n_arcs = |kind: &str| {
        let told = folder.run(&format!("learn play_tennis.csv -m {kind} --format json -o tree.tb")).ok().json();
        (told["arcs"].as_array().unwrap().len(), told["variables"].as_array().unwrap().len())
    };
    let (tree, n_variables) = n_arcs("chow-liu");
    assert_eq!(tree, n_variables - 1);
    assert!(n_arcs("chow-liu:bic").0 < tree);
    assert_eq!(n_arcs("chow-liu:1000").0, 0);
    folder.run("learn play_tennis.csv -t PlayTennis -m tan:aic").ok();
    folder.run("learn play_tennis.csv -t PlayTennis -m tan:much").fails(2, &["nats an arc"]);
    folder.run("learn play_tennis.csv -t PlayTennis -m tna").fails(2, &["chow-liu"]);
}
