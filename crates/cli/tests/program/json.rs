//! The same facts for programs: the fields that are documented, by name and in order.

use serde_json::{Value, json};

use crate::support::{Folder, assert_close, keys};

const EVALUATION: [&str; 16] = [
    "method",
    "rows",
    "accuracy",
    "balanced_accuracy",
    "macro_f1",
    "log_loss",
    "log_loss_of_possible",
    "probability_zero",
    "impossible",
    "brier",
    "calibration_error",
    "baseline_accuracy",
    "baseline_log_loss",
    "classes",
    "confusion",
    "reliability",
];

#[test]
fn learn() {
    let folder = Folder::with_play_tennis();
    let learned = folder.run("learn play_tennis.csv --target PlayTennis --format json").ok().silent().json();
    let fields = ["model", "kind", "rows", "skipped", "rows_without_target", "target", "class_prior", "prior", "columns", "evaluation"];
    assert_eq!(keys(&learned), [&fields[..], &["remarks"]].concat());
    assert_eq!(learned["model"], "play_tennis.tb");
    assert_eq!(learned["kind"], "naive-bayes");
    assert_eq!(learned["rows"], 14);
    assert_eq!(learned["target"], "PlayTennis");
    assert_close(&learned["class_prior"]["Yes"], 9.0 / 14.0, 1e-12);
    let outlook = json!({"name": "Outlook", "type": "category", "role": "input", "states": ["Overcast", "Rain", "Sunny"],
                         "declared": 0, "ordered": false, "missing": 0});
    assert_eq!(learned["columns"][0], outlook);
    assert_eq!(learned["columns"][4]["role"], "target");
    assert_eq!(keys(&learned["evaluation"]), EVALUATION);
    assert_eq!(learned["evaluation"]["method"], "leave-one-out");
    assert_eq!(learned["evaluation"]["confusion"], json!({"No": {"No": 1, "Yes": 4}, "Yes": {"No": 3, "Yes": 6}}));
}

#[test]
fn learn_tells_the_marginal_likelihood_where_it_has_one_and_no_evaluation_where_none_was_asked() {
    let folder = Folder::with_play_tennis();
    let line = "learn play_tennis.csv -t PlayTennis --estimate dirichlet:2 --class-prior dirichlet:2 --evaluate none --format json";
    let learned = folder.run(line).ok().json();
    assert!(learned["log_marginal_likelihood"].as_f64().unwrap() < 0.0);
    assert_eq!(learned.get("evaluation"), None);
}

#[test]
fn learn_tells_both_evaluations_when_it_calibrates() {
    let folder = Folder::new().write("xy.csv", two_classes(400));
    let learned = folder.run("learn xy.csv -t y --calibrate sigmoid --format json").ok().json();
    assert_eq!(keys(&learned["evaluation"]), EVALUATION);
    assert_eq!(keys(&learned["calibrated"]), EVALUATION);
    assert_eq!(learned["uncalibrated"], learned["evaluation"]);
    let none = folder.run("learn xy.csv -t y --calibrate sigmoid --evaluate none --format json").ok().json();
    assert!(none.get("evaluation").is_none() && none.get("calibrated").is_none());
    // Before and after are of the same pass, and say what was held fixed.
    let judged = folder.run("evaluate xy.csv -t y --folds 4 --calibrate sigmoid --numeric bins:mdl --format json").ok().json();
    assert_eq!(judged["method"], "4 folds, seed 1");
    assert_eq!(judged["uncalibrated"]["method"], "leave-one-out, given the cut points");
    assert_eq!(judged["calibrated"]["method"], "leave-one-out, given the cut points, calibrated on the other nine folds");
    folder.put("few.csv", two_classes(60));
    folder.run("learn few.csv -t y --calibrate sigmoid").ok().notes(&["fewer than 100 rows"]);
    assert_eq!(folder.run("show xy.tb --format json").ok().json()["calibration"], json!({"method": "sigmoid", "stale": false}));
}

#[test]
fn classify_one_case() {
    let folder = Folder::with_ml_model();
    let case = "classify ml.tb Outlook=Sunny Temperature=Cool Humidity=High Wind=Strong";
    for format in ["json", "jsonl"] {
        let answer = folder.run(&format!("{case} --format {format}")).ok().silent().json();
        assert_eq!(keys(&answer), ["row", "predicted", "probability"]);
        assert_eq!((&answer["row"], &answer["predicted"]), (&json!(1), &json!("No")));
        let (no, yes): (f64, f64) = (5.0 / 14.0 * 0.6 * 0.2 * 0.8 * 0.6, 9.0 / 14.0 * 2.0 / 9.0 / 27.0);
        assert_close(&answer["probability"]["No"], no / (no + yes), 1e-12);
        assert_close(&answer["probability"]["Yes"], yes / (no + yes), 1e-12);
    }
}

#[test]
fn classify_rows() {
    let folder = Folder::with_model();
    for format in ["json", "jsonl"] {
        let rows = folder.run(&format!("classify play_tennis.tb play_tennis.csv --format {format}")).ok().silent().json_lines();
        assert_eq!(rows.len(), 14);
        for (place, row) in rows.iter().enumerate() {
            assert_eq!(keys(row), ["row", "predicted", "probability", "input"]);
            assert_eq!(row["row"], place + 1);
            let p = |class: &str| row["probability"][class].as_f64().unwrap();
            assert!((p("No") + p("Yes") - 1.0).abs() < 1e-12);
            assert_eq!(row["predicted"] == "No", p("No") > p("Yes"));
        }
        let input = json!({"Outlook": "Sunny", "Temperature": "Hot", "Humidity": "High", "Wind": "Weak", "PlayTennis": "No"});
        assert_eq!(rows[0]["input"], input);
    }
}

#[test]
fn explain() {
    let folder = Folder::with_ml_model();
    let ledger = folder.run("explain ml.tb Outlook=Sunny Wind=Strong --unit nats --format json").ok().silent().json();
    let fields = ["class", "against", "probability", "probability_against", "calibrated_probability", "unit", "prior", "entries"];
    assert_eq!(keys(&ledger), [&fields[..], &["left_out", "posterior"]].concat());
    assert_eq!((&ledger["class"], &ledger["against"], &ledger["unit"]), (&json!("No"), &json!("Yes"), &json!("nats")));
    let entries = ledger["entries"].as_array().unwrap();
    assert_eq!(keys(&entries[0]), ["variable", "value", "ln_given_class", "ln_given_against", "contribution"]);
    assert_close(&ledger["prior"], (5.0_f64 / 9.0).ln(), 1e-12);
    let sum: f64 = entries.iter().map(|e| e["contribution"].as_f64().unwrap()).sum();
    assert_close(&ledger["posterior"], (5.0_f64 / 9.0).ln() + sum, 1e-12);
    let p = ledger["probability"].as_f64().unwrap();
    assert_close(&ledger["posterior"], (p / (1.0 - p)).ln(), 1e-9);
    let left_out: Vec<&Value> = ledger["left_out"].as_array().unwrap().iter().map(|l| &l["variable"]).collect();
    assert_eq!(left_out, ["Temperature", "Humidity"]);
    let certain = folder.run("explain ml.tb Outlook=Overcast --format json").ok().json();
    assert_eq!((&certain["posterior"], &certain["entries"][0]["contribution"]), (&json!("+inf"), &json!("+inf")));
}

#[test]
fn show() {
    let folder = Folder::with_model();
    let shown = folder.run("show play_tennis.tb --format json").ok().silent().json();
    let fields = ["kind", "rows", "target", "prior", "classes", "columns", "attributes", "telling_evidence", "calibration"];
    assert_eq!(keys(&shown), fields);
    assert_eq!(shown["prior"], json!({"estimate": "laplace:1", "class_prior": "empirical", "numeric": "gaussian:1e-9"}));
    assert_eq!(shown["classes"]["Yes"]["rows"], 9);
    let sunny = &shown["attributes"]["Outlook"][2];
    assert_eq!((&sunny["state"], &sunny["count"]), (&json!("Sunny"), &json!({"No": 3, "Yes": 2})));
    assert_close(&sunny["p"]["No"], 0.5, 1e-12);
    assert_eq!(shown["calibration"], Value::Null);
    let one = folder.run("show play_tennis.tb --top 1 --format json").ok().json();
    assert!(one["telling_evidence"].as_array().unwrap().iter().all(|class| class["evidence"].as_array().unwrap().len() == 1));
    folder.put("x.csv", "x,y\n1.0625,p\n1.25,p\n2.0,q\n1.75,q\n");
    folder.run("learn x.csv -t y --numeric bins:width:2").ok();
    let bins = folder.run("show x.tb --format json").ok().json()["attributes"]["x"].clone();
    assert_eq!((&bins[0]["above"], &bins[0]["up_to"]), (&Value::Null, &json!(1.53125)));
    assert_eq!((&bins[1]["above"], &bins[1]["up_to"]), (&json!(1.53125), &Value::Null));
}

#[test]
fn schema() {
    let folder = Folder::with_play_tennis();
    let schema = folder.run("schema play_tennis.csv -t PlayTennis --format json").ok().silent().json();
    assert_eq!(keys(&schema), ["rows", "columns"]);
    assert_eq!(schema["rows"], 14);
    let names: Vec<&Value> = schema["columns"].as_array().unwrap().iter().map(|c| &c["name"]).collect();
    assert_eq!(names, ["Outlook", "Temperature", "Humidity", "Wind", "PlayTennis"]);
}

#[test]
fn update_forget_merge() {
    let folder = Folder::with_model();
    let fields = ["model", "kind", "rows", "rows_before", "rows_read", "skipped", "remarks"];
    let expected = [
        ("update play_tennis.tb play_tennis.csv -o a.tb", "a.tb", 28, 14, 14),
        ("forget a.tb play_tennis.csv -o b.tb", "b.tb", 14, 28, 14),
        ("merge a.tb b.tb -o c.tb", "c.tb", 42, 28, 0),
    ];
    for (line, model, rows, before, read) in expected {
        let changed = folder.run(&format!("{line} --format json")).ok().silent().json();
        assert_eq!(keys(&changed), fields, "{line}");
        let object = json!({"model": model, "kind": "naive-bayes", "rows": rows, "rows_before": before, "rows_read": read,
                            "skipped": 0, "remarks": []});
        assert_eq!(changed, object);
    }
}

#[test]
fn diff() {
    let folder = Folder::with_model();
    folder.run("learn play_tennis.csv -t PlayTennis --estimate ml -o ml.tb").ok();
    let difference = folder.run("diff play_tennis.tb ml.tb --format json").ok().silent().json();
    assert_eq!(keys(&difference), ["rows", "priors", "calibrations", "n_moved", "moved"]);
    assert_eq!(difference["rows"], json!([14, 14]));
    let moved = difference["moved"].as_array().unwrap();
    assert_eq!(moved.len(), 18);
    assert_eq!(keys(&moved[0]), ["variable", "quantity", "value", "given", "before", "after", "moved"]);
    // To nothing: infinitely far, which JSON has no number for.
    let first = json!({"variable": "Outlook", "quantity": "probability", "value": "Overcast", "given": "No",
                       "before": moved[0]["before"], "after": 0.0, "moved": null});
    assert_eq!(moved[0], first);
    assert_close(&moved[1]["moved"], (2.0_f64 / 7.0 / 0.2).ln(), 1e-12);
    let same = folder.run("diff ml.tb ml.tb --format json").ok().json();
    assert_eq!(same, json!({"rows": [14, 14], "priors": null, "calibrations": null, "n_moved": 0, "moved": []}));
    let two = folder.run("diff play_tennis.tb ml.tb --top 2 --format json").ok().json();
    assert_eq!(two["moved"].as_array().unwrap(), &moved[..2]);
    folder.put("x.csv", two_classes(40));
    folder.run("learn x.csv -t y").ok();
    folder.put("z.csv", two_classes(60));
    folder.run("learn z.csv -t y").ok();
    let numbers = folder.run("diff x.tb z.tb --format json").ok().json();
    let mean = numbers["moved"].as_array().unwrap().iter().find(|m| m["quantity"] == "mean").unwrap();
    assert_eq!(keys(mean), ["variable", "quantity", "given", "before", "after", "moved"]);
}

#[test]
fn evaluate() {
    let folder = Folder::with_model();
    let lines = [
        ("evaluate play_tennis.tb play_tennis.csv", "14 test rows"),
        ("evaluate play_tennis.csv -t PlayTennis --folds 7", "7 folds, seed 1"),
        ("evaluate play_tennis.csv -t PlayTennis --folds 7 --seed 2", "7 folds, seed 2"),
        ("evaluate play_tennis.csv -t PlayTennis --folds loo", "leave-one-out"),
        ("evaluate play_tennis.csv -t PlayTennis --holdout 0.3", "30 % held out, seed 1"),
        ("evaluate play_tennis.csv -t PlayTennis --test play_tennis.csv", "14 test rows"),
    ];
    for (line, method) in lines {
        let found = folder.run(&format!("{line} --format json")).ok().json();
        assert_eq!(keys(&found), [&EVALUATION[..], &["skipped", "remarks"]].concat(), "{line}");
        assert_eq!(found["method"], method, "{line}");
        let confusion: u64 = found["confusion"]
            .as_object()
            .unwrap()
            .values()
            .flat_map(|row| row.as_object().unwrap().values())
            .map(|n| n.as_u64().unwrap())
            .sum();
        assert_eq!(found["rows"], confusion, "{line}");
        let within: u64 = found["reliability"].as_array().unwrap().iter().map(|bin| bin["rows"].as_u64().unwrap()).sum();
        assert_eq!(within, confusion, "{line}");
        assert_eq!(keys(&found["classes"]["Yes"]), ["precision", "recall", "f1", "support"]);
        assert_eq!(keys(&found["reliability"][0]), ["lower", "upper", "rows", "mean_confidence", "accuracy"]);
    }
}

/// An infinite log loss is no number; how many rows made it so is said beside it.
#[test]
fn an_infinite_log_loss_is_null() {
    let folder = Folder::with_play_tennis();
    let found = folder.run("evaluate play_tennis.csv -t PlayTennis --estimate ml --folds loo --format json").ok().json();
    assert_eq!((&found["log_loss"], &found["probability_zero"]), (&Value::Null, &json!(1)));
    assert!(found["log_loss_of_possible"].as_f64().unwrap() > 0.0);
}

/// Seconds by phase and the peak of memory, as one line of JSON behind everything else on standard error.
#[test]
fn timings() {
    let folder = Folder::with_model();
    let lines = [
        ("learn play_tennis.csv -t PlayTennis", &["read", "learn", "evaluate", "write"][..]),
        ("classify play_tennis.tb play_tennis.csv", &["read", "infer"]),
        ("classify play_tennis.tb Wind=Weak", &["read", "infer"]),
        ("explain play_tennis.tb Wind=Weak", &["read", "infer"]),
        ("show play_tennis.tb", &["read"]),
        ("schema play_tennis.csv", &["read"]),
        ("update play_tennis.tb play_tennis.csv -o later.tb", &["read", "learn", "write"]),
        ("forget later.tb play_tennis.csv -o back.tb", &["read", "learn", "write"]),
        ("merge play_tennis.tb later.tb -o both.tb", &["read", "learn", "write"]),
        ("diff play_tennis.tb later.tb", &["read"]),
        ("evaluate play_tennis.csv -t PlayTennis", &["evaluate"]),
    ];
    for (line, phases) in lines {
        for quiet in ["", " --quiet"] {
            let outcome = folder.run(&format!("{line} --timings{quiet}")).ok();
            let timings: Value = serde_json::from_str(outcome.stderr.lines().last().unwrap()).unwrap();
            assert_eq!(keys(&timings), [phases, &["peak_rss_mb"]].concat(), "{line}");
            assert!(timings.as_object().unwrap().values().all(|seconds| seconds.as_f64().unwrap() >= 0.0), "{line}: {timings}");
            assert!(timings["peak_rss_mb"].as_f64().unwrap() > 0.1);
        }
    }
    let failed = folder.run("learn nowhere.csv -t y --timings");
    assert_eq!(failed.code, 1);
    assert!(failed.stderr.contains("peak_rss_mb") && failed.stderr.contains("error: nowhere.csv"), "{}", failed.stderr);
}

/// Rows of two classes that overlap.
pub fn two_classes(rows: usize) -> String {
    let mut text = "x,z,y\n".to_string();
    for i in 0..rows {
        let class = i % 2;
        let x = (i * 7919 % 1000) as f64 / 500.0 + class as f64;
        text += &format!("{x:.3},{},{}\n", ["a", "b", "c"][(i / 2 + class * (i % 3)) % 3], ["p", "q"][class]);
    }
    text
}
