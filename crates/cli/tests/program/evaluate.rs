//! `evaluate`: a saved model on other rows, a learner on its own.

use serde_json::Value;

use crate::json::two_classes;
use crate::support::{Folder, assert_close};

#[test]
fn leave_one_out_is_as_many_folds_as_rows() {
    let folder = Folder::with_play_tennis();
    // Every row is a file of its own: learn on the others, judge on it.
    let days = folder.text("play_tennis.csv");
    let lines: Vec<&str> = days.lines().collect();
    let mut hits = 0;
    for held_out in 1..lines.len() {
        let others: Vec<&str> = lines.iter().enumerate().filter(|(i, _)| *i != held_out).map(|(_, line)| *line).collect();
        folder.put("others.csv", others.join("\n") + "\n");
        folder.put("one.csv", format!("{}\n{}\n", lines[0], lines[held_out]));
        let judged = folder.run("evaluate others.csv -t PlayTennis --test one.csv --format json").ok().json();
        hits += judged["accuracy"].as_f64().unwrap() as u32;
    }
    let loo = folder.run("evaluate play_tennis.csv -t PlayTennis --folds loo --format json").ok().json();
    assert_close(&loo["accuracy"], f64::from(hits) / 14.0, 1e-12);
    let learned = folder.run("learn play_tennis.csv -t PlayTennis --format json").ok().json();
    assert_eq!(learned["evaluation"]["confusion"], loo["confusion"]);
    assert_eq!(learned["evaluation"]["log_loss"], loo["log_loss"]);
}

#[test]
fn a_saved_model_is_judged_as_the_learner_that_made_it() {
    let folder = Folder::new().write("train.csv", two_classes(300)).write("test.csv", two_classes(90));
    folder.run("learn train.csv -t y --estimate m:3 -o m.tb").ok();
    let saved = folder.run("evaluate m.tb test.csv --format json").ok().json();
    let learner = folder.run("evaluate train.csv -t y --estimate m:3 --test test.csv --format json").ok().json();
    assert_eq!(saved, learner);
    assert_eq!(folder.run("evaluate m.tb --test test.csv --format json").ok().json(), saved);
    assert_eq!(saved["rows"], 90);
    for flag in [
        "-t y",
        "--folds 3",
        "--holdout 0.5",
        "--types x=numeric",
        "--estimate ml",
        "--class-prior uniform",
        "--ignore x",
        "--calibrate sigmoid",
    ] {
        let name = flag.split(' ').next().map(|name| if name == "-t" { "--target" } else { name }).unwrap();
        folder.run(&format!("evaluate m.tb test.csv {flag}")).fails(2, &[name]);
    }
}

/// Rows that were skipped are told of, whichever file they were in and however it is judged.
#[test]
fn what_was_met_while_reading_is_told() {
    let bad = two_classes(200) + "1,2,3,4,5\n";
    let folder = Folder::new().write("bad.csv", &bad).write("xy.csv", two_classes(200));
    for (line, skipped) in [
        ("evaluate bad.csv -t y --holdout 0.3", 1),
        ("evaluate bad.csv -t y --folds 3", 1),
        ("evaluate bad.csv -t y --test bad.csv", 2),
        ("evaluate bad.csv -t y --test xy.csv", 1),
        ("evaluate xy.csv -t y --test bad.csv", 1),
    ] {
        let judged = folder.run(&format!("{line} --on-bad-row skip --format json")).ok();
        let judged = judged.notes(&["1 malformed row was skipped, the first at bad.csv:202"]).json();
        assert_eq!(judged["skipped"], skipped, "{line}");
        assert!(judged["remarks"][0].as_str().unwrap().contains("malformed"), "{line}");
    }
}

#[test]
fn a_share_is_held_out() {
    let folder = Folder::new().write("xy.csv", two_classes(1000));
    let judged = folder.run("evaluate xy.csv -t y --holdout 0.25 --format json").ok().json();
    let rows = judged["rows"].as_f64().unwrap();
    assert!((150.0..350.0).contains(&rows), "{rows} of 1000");
    for share in ["0", "1", "1.5", "-0.2", "nan", "half"] {
        folder.run(&format!("evaluate xy.csv -t y --holdout={share}")).fails(2, &["--holdout"]);
    }
}

#[test]
fn a_calibration_is_judged_beside_what_it_mends() {
    let folder = Folder::new().write("xy.csv", two_classes(600)).write("test.csv", two_classes(120));
    for method in ["isotonic", "sigmoid"] {
        let judged = folder.run(&format!("evaluate xy.csv -t y --folds loo --calibrate {method} --format json")).ok().json();
        let error = |of: &Value| of["log_loss"].as_f64().unwrap();
        assert!(error(&judged["calibrated"]) < error(&judged) + 0.05, "{method}: {judged}");
        let shown = folder.run(&format!("evaluate xy.csv -t y --folds 4 --calibrate {method}")).ok();
        assert!(shown.stdout().contains("rows after"), "{}", shown.stdout());
        folder.run(&format!("learn xy.csv -t y --calibrate {method} -o m.tb")).ok();
        let explained = folder.run("explain m.tb x=2.1").ok();
        assert!(explained.stdout().lines().any(|line| line.trim_start().starts_with("calibrated ")), "{}", explained.stdout());
        folder.run("evaluate m.tb test.csv").ok().silent();
    }
    folder.run("evaluate xy.csv -t y --holdout 0.2 --calibrate sigmoid").fails(2, &["--calibrate"]);
}

#[test]
fn rows_without_a_known_class_are_not_judged() {
    let folder = Folder::with_model();
    let mut text = folder.text("play_tennis.csv");
    text.push_str("Rain,Mild,High,Weak,Perhaps\nRain,Mild,High,Weak,\n");
    folder.put("days.csv", text);
    let judged = folder.run("evaluate play_tennis.tb days.csv --format json").ok();
    let judged = judged.notes(&["1 row has a class that the model does not know, and is not judged"]);
    assert_eq!(judged.json()["rows"], 14);
    folder.put("none.csv", "Outlook,Wind,PlayTennis\nRain,Weak,Perhaps\n");
    folder.run("evaluate play_tennis.tb none.csv").fails(1, &["no row has a class of `PlayTennis` that the model knows"]);
    folder.put("blind.csv", "Outlook,Wind\nRain,Weak\n");
    folder.run("evaluate play_tennis.tb blind.csv").fails(1, &["no column `PlayTennis`", "nothing to compare with"]);
    folder.run("evaluate play_tennis.tb days.csv blind.csv").fails(1, &["blind.csv: there is no column `PlayTennis`"]);
    folder.run("evaluate play_tennis.tb days.csv --unknown-states error").fails(1, &["days.csv:16", "`Perhaps`"]);
}

#[test]
fn every_kind_of_model_is_judged() {
    let folder = Folder::new().write("xy.csv", two_classes(300));
    for flags in [
        "-m bernoulli --threshold 1.5",
        "-m nearest-centroid --ignore z",
        "--numeric student",
        "--numeric bins:mdl",
        "--numeric bins:frequency:5",
    ] {
        let judged = folder.run(&format!("evaluate xy.csv -t y --folds 5 {flags} --format json")).ok().json();
        assert!(judged["accuracy"].as_f64().unwrap() > 0.6, "{flags}: {judged}");
    }
}

/// A row whose class is not known cannot be judged, and is not counted as if it were.
#[test]
fn rows_without_a_class_are_told_and_not_counted() {
    let folder = Folder::new().write("t.csv", "x,y\na,p\nb,q\na,p\nb,q\n").write("gaps.csv", "x,y\na,p\nb,q\na,\nb,q\na,?\na,p\nb,\n");
    folder.run("learn t.csv -t y").ok();
    for command in ["evaluate t.tb gaps.csv", "evaluate t.csv -t y --test gaps.csv"] {
        let judged = folder.run(&format!("{command} --format json")).ok().notes(&["3 rows without a class were not judged"]).json();
        assert_eq!((&judged["method"], &judged["rows"]), (&"4 test rows".into(), &4.into()), "{command}");
        assert_eq!(judged["remarks"], serde_json::json!(["3 rows without a class were not judged"]));
    }
    folder.put("unknown.csv", "x,y\na,p\nb,r\na,\n");
    let judged = folder.run("evaluate t.tb unknown.csv --format json").ok().notes(&["1 row has a class", "1 row without a class"]).json();
    assert_eq!((&judged["method"], &judged["rows"]), (&"1 test row".into(), &1.into()));
    folder.put("many.csv", format!("x,y\n{}", "a,p\nb,q\na,\n".repeat(20)));
    for learner in ["--folds 2", "--folds loo", "--holdout 0.4", "--folds 2 -m tan"] {
        folder.run(&format!("evaluate many.csv -t y {learner}")).ok().notes(&["20 rows without a class were not judged"]);
    }
    folder.run("evaluate many.csv -t y --folds 2 -m aode").ok().notes(&["20 rows without a class were left out"]);
    folder.run("evaluate gaps.csv -t y --test t.csv").ok().notes(&["3 rows without a class were left out"]);
}

#[test]
fn a_share_that_leaves_nothing_to_learn_from_is_named() {
    let folder = Folder::new().write("t.csv", "x,y\na,p\nb,q\na,p\nb,q\n");
    folder.run("evaluate t.csv -t y --holdout 0.99").fails(1, &["in what --holdout 0.99 leaves to learn from", "a smaller share"]);
}

/// Rows of a test file are judged with the calibration and without it, in one reading: standard input is read once.
#[test]
fn a_test_file_tells_what_a_calibration_did() {
    let folder = Folder::new().write("xy.csv", crate::json::two_classes(400)).write("test.csv", crate::json::two_classes(300));
    let plain = folder.run("evaluate xy.csv -t y --test test.csv --format json").ok().json();
    let line = "evaluate xy.csv -t y --calibrate sigmoid --format json --test";
    let found = folder.run(&format!("{line} test.csv")).ok().json();
    assert_eq!(found["uncalibrated"]["log_loss"], plain["log_loss"]);
    assert_eq!(found["calibrated"]["log_loss"], found["log_loss"]);
    assert_ne!(found["calibrated"]["log_loss"], found["uncalibrated"]["log_loss"]);
    assert_eq!(folder.run_with_input(&format!("{line} -"), folder.text("test.csv")).ok().json(), found);
    let text = folder.run("evaluate xy.csv -t y --calibrate sigmoid --test test.csv").ok();
    let loss = |value: &serde_json::Value| format!("{:.4}", value["log_loss"].as_f64().unwrap());
    let (before, after) = text.stdout().split_once("\nCalibrated (300 test rows)\n").unwrap();
    assert!(before.contains(&loss(&found["uncalibrated"])) && after.contains(&loss(&found["calibrated"])), "{}", text.stdout());
}

/// What is left of a class once one number is held out may be equal numbers, whose variance is rounding and not spread, wherever they lie.
#[test]
fn equal_numbers_that_are_left_have_no_variance() {
    let judged = |offset: f64, step: f64| {
        let rows = [(1, "a"), (2, "a"), (2, "a"), (0, "b"), (1, "b"), (3, "b"), (4, "b")];
        let rows: String = rows.iter().map(|(n, class)| format!("{},{class}\n", offset + step * f64::from(*n))).collect();
        let folder = Folder::new().write("t.csv", format!("x,y\n{rows}"));
        folder.run("evaluate t.csv -t y --types x=numeric --numeric gaussian:0 --folds loo --format json").ok().json()
    };
    let near_zero = judged(0.0, 1.0);
    for (offset, step) in [(10_000.0, 1.0), (37.0, 1e-3), (1e9, 1.0)] {
        for metric in ["log_loss", "brier"] {
            assert_close(&judged(offset, step)[metric], near_zero[metric].as_f64().unwrap(), 1e-6);
        }
    }
}
