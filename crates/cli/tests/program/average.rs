//! Averages of models, from one end of the program to the other.

use insta::assert_snapshot;

use crate::support::{Folder, assert_close, keys};

const LEARN: &str = "learn play_tennis.csv -t PlayTennis -o average.tb --average naive-bayes --average 'naive-bayes --estimate \
                     laplace:4' --average 'naive-bayes --estimate ml'";

fn learned() -> Folder {
    let folder = Folder::with_play_tennis();
    folder.run(LEARN).ok();
    folder
}

#[test]
fn learning_tells_what_each_model_weighs() {
    assert_snapshot!(Folder::with_play_tennis().run(LEARN).ok().transcript());
}

#[test]
fn learning_as_json() {
    let found = Folder::with_play_tennis().run(&format!("{LEARN} --format json")).ok().json();
    assert_eq!(
        keys(&found),
        ["model", "kind", "rows", "skipped", "rows_without_target", "target", "weighed_by", "members", "columns", "evaluation", "remarks"]
    );
    assert_eq!((&found["kind"], &found["weighed_by"], &found["rows"]), (&"average".into(), &"log-score".into(), &14.into()));
    let members = found["members"].as_array().unwrap();
    assert_eq!(keys(&members[0]), ["name", "kind", "prior", "weight", "log_score", "log_loss", "accuracy"]);
    assert_eq!(members[1]["name"], "naive-bayes --estimate laplace:4");
    for member in &members[..2] {
        let log_loss = member["log_loss"].as_f64().unwrap();
        assert_close(&member["log_score"], -14.0 * log_loss, 1e-12);
    }
    assert_eq!((&members[2]["weight"], &members[2]["log_score"], &members[2]["log_loss"]), (&0.0.into(), &().into(), &().into()));
    let ratio = members[0]["weight"].as_f64().unwrap() / members[1]["weight"].as_f64().unwrap();
    let difference = members[0]["log_score"].as_f64().unwrap() - members[1]["log_score"].as_f64().unwrap();
    assert!((ratio.ln() - difference).abs() < 1e-12);
    assert_eq!(found["evaluation"]["method"], "leave-one-out, given the members' weights");
    assert!(found["remarks"][0].as_str().unwrap().contains("weighs nothing"));
}

#[test]
fn a_case_a_file_and_an_evaluation() {
    let folder = learned();
    assert_snapshot!(folder.run("classify average.tb Outlook=Sunny Wind=Strong").ok().silent().stdout());
    let case = folder.run("classify average.tb Outlook=Sunny Wind=Strong --format json").ok().json();
    folder.put("new.csv", "Outlook,Wind\nSunny,Strong\n");
    for (format, read) in [("csv", "new.csv"), ("jsonl", "new.csv")] {
        folder.run(&format!("classify average.tb {read} --format {format}")).ok();
    }
    let rows = folder.run("classify average.tb new.csv --format jsonl --answers-only").ok().json_lines();
    assert_eq!((&rows[0]["predicted"], &rows[0]["probability"]), (&case["predicted"], &case["probability"]));
    folder.run("classify average.tb new.csv -o answers.parquet").ok();
    assert!(folder.run("schema answers.parquet").ok().stdout().contains("p(Yes)"));
    let by_cost = folder.run("classify average.tb Outlook=Sunny Wind=Strong --costs 'Yes|No=9' --format json").ok().json();
    assert_eq!(by_cost["predicted"], "No");
    let acting = folder.run("classify average.tb Outlook=Sunny Wind=Strong --reject 0.1 --format json").ok().json();
    assert_eq!(acting["decision"]["action"], "reject");
    let judged = folder.run("evaluate average.tb play_tennis.csv --format json").ok().json();
    assert_eq!((&judged["method"], &judged["rows"]), (&"14 test rows".into(), &14.into()));
}

#[test]
fn showing_lists_the_members() {
    let folder = learned();
    assert_snapshot!(folder.run("show average.tb").ok().silent().stdout());
    let shown = folder.run("show average.tb --format json").ok().json();
    assert_eq!(keys(&shown), ["kind", "rows", "target", "weighed_by", "members", "classes", "columns"]);
    assert_eq!((&shown["classes"]["Yes"]["rows"], &shown["members"][1]["kind"]), (&9.into(), &"naive-bayes".into()));
    folder.run("show average.tb --top 3").fails(2, &["--top", "learn the one by itself"]);
}

#[test]
fn explaining_has_every_members_word_and_the_ledger_of_the_heaviest() {
    let folder = learned();
    assert_snapshot!(folder.run("explain average.tb Outlook=Overcast Wind=Strong").ok().silent().stdout());
    let told = folder.run("explain average.tb Outlook=Overcast Wind=Strong --format json").ok().json();
    assert_eq!(keys(&told), ["predicted", "probability", "members", "ledger_of", "ledger"]);
    assert_eq!((&told["ledger_of"], &told["predicted"]), (&"naive-bayes --estimate laplace:4".into(), &"Yes".into()));
    let sum: f64 =
        told["members"].as_array().unwrap().iter().map(|m| m["weight"].as_f64().unwrap() * m["probability"]["Yes"].as_f64().unwrap()).sum();
    assert_close(&told["probability"]["Yes"], sum, 1e-14);
    assert_eq!(told["ledger"]["class"], "Yes");
    let row = folder.run("explain average.tb play_tennis.csv --row 3 --class No").ok();
    assert!(row.stdout().contains("PlayTennis = No with probability"), "{}", row.stdout());
    let page = folder.run("explain average.tb Outlook=Overcast --format html").ok();
    assert!(page.stdout().contains("naive-bayes --estimate laplace:4") && page.stdout().contains("their average: Yes with"));
    // The answer is the headline, and not what the heaviest member says.
    let answer = folder.run("explain average.tb Outlook=Overcast --format json").ok().json();
    let first = format!("<h1>PlayTennis = Yes with probability {:.4} by the average", answer["probability"]["Yes"].as_f64().unwrap());
    assert!(page.stdout().contains(&first), "{first}: {}", page.stdout());
    folder.run("explain average.tb Outlook=Overcast --class Maybe").fails(1, &["`Maybe` is no class"]);
    folder.run("explain average.tb Outlook=Overcast --trace").fails(2, &["--trace"]);
}

/// Of two states that never were together, maximum likelihood has no ledger.
#[test]
fn what_is_impossible_to_the_heaviest_is_explained_by_the_next() {
    let folder = Folder::new().write("t.csv", "x,z,y\na,d,p\na,d,p\na,d,p\nb,c,q\nb,c,q\nb,c,q\n");
    folder.run("learn t.csv -t y --average 'naive-bayes --estimate ml' --average naive-bayes").ok();
    let told = folder.run("explain t.tb x=a z=c").ok();
    assert_snapshot!(told.stdout());
    let told = folder.run("explain t.tb x=a z=c --format json").ok().json();
    assert_eq!((&told["ledger_of"], &told["members"][0]["probability"]), (&"naive-bayes".into(), &().into()));
    folder.run("learn t.csv -t y --average 'naive-bayes --estimate ml' --average 'naive-bayes --estimate ml' -o ml.tb").ok();
    let none = folder.run("explain ml.tb x=a z=c").ok();
    assert!(none.stdout().contains("This evidence has probability zero"), "{}", none.stdout());
    assert_eq!(folder.run("classify ml.tb x=a z=c --format json").ok().json()["impossible"], true);
}

#[test]
fn marginal_likelihoods_weigh_too() {
    let folder = Folder::with_play_tennis();
    let members = ["laplace:1", "laplace:4"].map(|l| format!("--average 'naive-bayes --class-prior laplace --estimate {l}'")).join(" ");
    let line = format!("learn play_tennis.csv -t PlayTennis -o m.tb {members} --average-by marginal-likelihood --format json");
    let found = folder.run(&line).ok().json();
    assert_eq!(found["weighed_by"], "marginal-likelihood");
    let alone = folder.run("learn play_tennis.csv -t PlayTennis --class-prior laplace --estimate laplace:4 --format json").ok().json();
    assert_eq!(found["members"][1]["log_marginal_likelihood"], alone["log_marginal_likelihood"]);
    assert_eq!(found["members"][1]["log_loss"], alone["evaluation"]["log_loss"]);
    let unjudged = folder.run(&format!("{line} --evaluate none")).ok().json();
    assert_eq!((unjudged.get("evaluation"), unjudged["members"][0].get("log_loss")), (None, None));
    assert_eq!(unjudged["members"][0]["weight"], found["members"][0]["weight"]);
}

#[test]
fn costs_judge_an_average() {
    let folder = Folder::with_play_tennis();
    let found = folder.run(&format!("{LEARN} --costs 'Yes|No=9' --format json")).ok().json();
    assert!(
        found["evaluation"]["cost"]["mean"].as_f64().is_some()
            && found["evaluation"]["method"].as_str().unwrap().contains("least expected cost")
    );
}

#[test]
fn what_is_not_for_averages_is_refused_with_a_way_on() {
    let folder = learned();
    let before = folder.bytes("average.tb");
    let learn = |rest: &str| folder.run(&format!("learn play_tennis.csv -t PlayTennis -o other.tb {rest}"));
    let two = "--average naive-bayes --average bernoulli";
    learn("--average naive-bayes").fails(2, &["two models or more"]);
    learn("--average-by log-score").fails(2, &["--average"]);
    learn("--average naive-bayes --average 'naive-bayes --estmate ml'").fails(2, &["--average 'naive-bayes --estmate ml'", "--estimate"]);
    learn("--average naive-bayes --average tree").fails(2, &["--average 'tree'", "nearest-centroid"]);
    learn("--average naive-bayes --average '--estimate ml'").fails(2, &["say the kind of model first"]);
    learn("--average naive-bayes --average 'bernoulli --numeric student'")
        .fails(2, &["--average 'bernoulli --numeric student'", "--threshold"]);
    learn("--average naive-bayes --average 'bernoulli -m bernoulli'").fails(2, &["--model is said by the first word"]);
    learn("--average naive-bayes --average 'naive-bayes --stem english'").fails(2, &["--stem says how rows are read"]);
    learn("--average naive-bayes --average 'naive-bayes --unlabelled'").fails(2, &["--unlabelled does not go with --average"]);
    learn("--average naive-bayes --average 'naive-bayes \"'").fails(2, &["a quote is not closed"]);
    learn(&format!("{two} --estimate ml")).fails(2, &["--estimate is said of each model by itself"]);
    learn(&format!("{two} --calibrate sigmoid")).fails(2, &["--calibrate"]);
    learn(&format!("{two} --labels ;")).fails(2, &["--labels"]);
    learn(&format!("{two} --unlabelled")).fails(2, &["--unlabelled"]);
    learn("--average naive-bayes --average tan --evaluate loo").fails(1, &["once for every row", "folds:10"]);
    learn("--average naive-bayes --average 'tan --class-prior uniform'")
        .fails(2, &["--average 'tan --class-prior uniform'", "--class-prior"]);
    learn("--average naive-bayes --average 'aode --threshold 2'").fails(2, &["--average 'aode --threshold 2'", "--threshold"]);
    learn(&format!("{two} --trace")).fails(2, &["--trace"]);
    learn(&format!("{two} --average-by marginal-likelihood")).fails(1, &["member `naive-bayes` has no marginal likelihood", "log-score"]);
    assert!(!folder.path("other.tb").exists());
    folder.run("update average.tb play_tennis.csv").fails(1, &["average.tb: is an average of models", "learn it again"]);
    folder.run("forget average.tb play_tennis.csv").fails(1, &["is an average of models", "learn it again"]);
    folder.run("merge average.tb average.tb -o other.tb").fails(1, &["is an average of models", "learn it again"]);
    folder.run("diff average.tb average.tb").fails(1, &["is an average of models", "show"]);
    folder.run("classify average.tb Outlook=Sunny --value-of-information").fails(2, &["--value-of-information is asked of one model"]);
    folder.run("classify average.tb Outlook=Sunny --trace").fails(2, &["--trace is asked of one model"]);
    assert_eq!(folder.bytes("average.tb"), before);
}

#[test]
fn kinds_of_all_rooms_are_averaged_by_folds() {
    let folder = Folder::with_play_tennis();
    folder.example("new_days.csv");
    let learn = "learn play_tennis.csv -t PlayTennis -o kinds.tb --average naive-bayes --average 'tan --estimate laplace:2' --average aode";
    let found = folder.run(&format!("{learn} --evaluate folds:5 --format json")).ok().json();
    let kinds: Vec<&str> = found["members"].as_array().unwrap().iter().map(|member| member["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["naive-bayes", "network", "aode"]);
    assert_eq!(found["evaluation"]["method"], "5 folds, seed 1, given the members' weights");
    for (place, alone) in ["-m naive-bayes", "-m tan --estimate laplace:2", "-m aode"].iter().enumerate() {
        let judged = folder.run(&format!("evaluate play_tennis.csv -t PlayTennis {alone} --folds 5 --format json")).ok().json();
        let log_loss = found["members"][place]["log_loss"].as_f64().unwrap();
        assert_close(&judged["log_loss"], log_loss, 1e-12);
    }
    assert_snapshot!(folder.run(&format!("{learn} --evaluate folds:5")).ok().transcript());
    assert_snapshot!(folder.run("explain kinds.tb Outlook=Sunny Wind=Strong").ok().transcript());
    assert_snapshot!(folder.run("show kinds.tb").ok().transcript());
    let rows = folder.run("classify kinds.tb new_days.csv --format jsonl").ok().json_lines();
    assert!(rows.len() == 3 && rows.iter().all(|row| row["probability"]["Yes"].as_f64().is_some_and(|p| p > 0.0 && p < 1.0)));
}

/// Two models by themselves, and together from their files.
fn saved() -> Folder {
    let folder = Folder::with_play_tennis();
    folder.example("more_days.csv");
    let learn = "learn play_tennis.csv -t PlayTennis --evaluate none --class-prior laplace";
    folder.run(&format!("{learn} -o a.tb")).ok();
    folder.run(&format!("{learn} -o b.tb --estimate laplace:4")).ok();
    folder
}

const SAVED: &str = "learn -o both.tb --average a.tb --average b.tb";

#[test]
fn saved_models_weigh_as_if_they_had_been_learned_together() {
    let folder = saved();
    let by_files = folder.run(&format!("{SAVED} --average-by marginal-likelihood --format json")).ok().json();
    let together = "learn play_tennis.csv -t PlayTennis -o t.tb --average-by marginal-likelihood --average 'naive-bayes --class-prior laplace' \
                    --average 'naive-bayes --class-prior laplace --estimate laplace:4' --format json";
    let together = folder.run(together).ok().json();
    for member in 0..2 {
        for what in ["weight", "log_marginal_likelihood"] {
            assert_eq!(by_files["members"][member][what], together["members"][member][what]);
        }
    }
    assert_eq!((&by_files["members"][1]["name"], &by_files["evaluation"]), (&"b.tb".into(), &serde_json::Value::Null));
    let answer = folder.run("classify both.tb Outlook=Sunny --format json").ok().json();
    assert_eq!(answer["probability"], folder.run("classify t.tb Outlook=Sunny --format json").ok().json()["probability"]);
    folder.run(&format!("{SAVED} --average-by marginal-likelihood")).ok();
}

#[test]
fn saved_models_are_weighed_by_rows_that_none_has_seen() {
    let folder = saved();
    let found = folder.run(&format!("{SAVED} more_days.csv --format json")).ok().notes(&["no member has learned from"]).json();
    let of_members = found["members"].as_array().unwrap();
    let scores: Vec<f64> = of_members.iter().map(|member| member["log_score"].as_f64().unwrap()).collect();
    for (file, score) in ["a.tb", "b.tb"].iter().zip(&scores) {
        let alone = folder.run(&format!("evaluate {file} more_days.csv --format json")).ok().json();
        let rows = found["rows"].as_f64().unwrap();
        assert_close(&alone["log_loss"], -score / rows, 1e-12);
    }
    let share = 1.0 / (1.0 + (scores[1] - scores[0]).exp());
    assert_close(&of_members[0]["weight"], share, 1e-12);
    assert!(found["evaluation"]["log_loss"].is_number());
    let average = folder.run("evaluate both.tb more_days.csv --format json").ok().json();
    assert_eq!(average["log_loss"], found["evaluation"]["log_loss"]);
    folder.run(&format!("{SAVED} more_days.csv")).ok();
}

#[test]
fn saved_models_that_do_not_go_together_are_refused() {
    let folder = saved();
    folder.run(SAVED).fails(1, &["log scores need rows"]);
    folder.run(&format!("{SAVED} play_tennis.csv")).fails(1, &["`a.tb` was learned from these very rows"]);
    folder.run(&format!("{SAVED} --average naive-bayes more_days.csv")).fails(2, &["not of both"]);
    folder.run(&format!("{SAVED} more_days.csv -t PlayTennis")).fails(2, &["--target"]);
    folder.run("learn -o both.tb --average a.tb more_days.csv").fails(2, &["two models or more"]);
    folder.run("learn more_days.csv --average a.tb --average b.tb").fails(2, &["--output"]);
    folder.run("learn -o x.tb --average naive-bayes --average bernoulli").fails(2, &["nothing to learn from"]);
    folder.run("learn more_days.csv -t PlayTennis -o c.tb --evaluate none --class-prior laplace").ok();
    let others = folder.run("learn -o x.tb --average a.tb --average c.tb --average-by marginal-likelihood");
    assert_eq!(others.code, 1, "{}", others.stderr);
    folder.run("learn play_tennis.csv -t PlayTennis -o d.tb --calibrate sigmoid").ok();
    folder.run("learn -o x.tb --average a.tb --average d.tb more_days.csv").fails(1, &["`d.tb` is calibrated"]);
    folder.run(&format!("{SAVED} more_days.csv")).ok();
    folder.run("learn -o x.tb --average a.tb --average both.tb more_days.csv").fails(1, &["`both.tb` is of the kind average"]);
}
