//! Decisions by cost: what is said, what it costs, and what is refused.

use serde_json::json;

use crate::json::two_classes;
use crate::support::{Folder, assert_close};

#[test]
fn the_cheapest_class_is_named_and_probabilities_stay() {
    let folder = Folder::with_model();
    let days = "classify play_tennis.tb play_tennis.csv --format jsonl --answers-only";
    let plain = folder.run(days).ok().json_lines();
    for (costs, of_no, of_yes) in
        [("No|Yes=9", 9.0, 1.0), ("Yes|No=9", 1.0, 9.0), ("No|Yes=3,Yes|No=0.5", 3.0, 0.5), ("No|Yes=1", 1.0, 1.0)]
    {
        let answers = folder.run(&format!("{days} --costs '{costs}'")).ok().json_lines();
        let mut differ = 0;
        for (answer, plain) in answers.iter().zip(&plain) {
            assert_eq!(answer["probability"], plain["probability"]);
            let p = |class: &str| plain["probability"][class].as_f64().unwrap();
            let cheaper = if of_no * p("Yes") < of_yes * p("No") { "No" } else { "Yes" };
            assert_eq!(answer["predicted"], cheaper, "{costs}: {plain}");
            differ += u32::from(answer["predicted"] != plain["predicted"]);
        }
        assert_eq!(differ > 0, of_no != of_yes, "{costs}");
    }
    let case = "classify play_tennis.tb Outlook=Sunny Temperature=Cool Humidity=High Wind=Strong --costs 'No|Yes=9'";
    let told = folder.run(&format!("{case} --format json")).ok().json();
    assert_eq!(told["predicted"], "Yes");
    assert_close(&told["expected_cost"]["No"], 9.0 * told["probability"]["Yes"].as_f64().unwrap(), 1e-12);
    insta::assert_snapshot!("classify_by_cost", folder.run(case).ok().transcript());
}

#[test]
fn evaluation_tells_what_errors_cost() {
    let folder = Folder::new().write("xy.csv", two_classes(300)).write("test.csv", two_classes(90));
    folder.run("learn xy.csv -t y -o m.tb").ok();
    for line in [
        "evaluate m.tb test.csv",
        "evaluate xy.csv -t y --test test.csv",
        "evaluate xy.csv -t y --folds 5",
        "evaluate xy.csv -t y --folds 5 --numeric bins:mdl",
        "evaluate xy.csv -t y --folds loo --calibrate sigmoid",
        "evaluate xy.csv -t y --holdout 0.3",
    ] {
        let plain = folder.run(&format!("{line} --format json")).ok().json();
        let judged = folder.run(&format!("{line} --costs 'p|q=9' --format json")).ok().json();
        assert_eq!((&judged["log_loss"], &judged["brier"]), (&plain["log_loss"], &plain["brier"]), "{line}");
        assert!(plain.get("cost").is_none() && judged["method"].as_str().unwrap().contains("least expected cost"), "{line}: {judged}");
        let n = |truth: &str, said: &str| judged["confusion"][truth][said].as_f64().unwrap();
        let rows = judged["rows"].as_f64().unwrap();
        let mean = (9.0 * n("q", "p") + n("p", "q")) / rows;
        assert_close(&judged["cost"]["mean"], mean, 1e-12);
        // Always q: every p is an error of cost one.
        let baseline = (n("p", "p") + n("p", "q")) / rows;
        assert_close(&judged["cost"]["baseline"], baseline, 1e-12);
        assert_eq!(judged["cost"]["baseline_class"], "q");
        if mean > 0.0 {
            assert_close(&judged["cost"]["ratio"], baseline / mean, 1e-9);
        }
        assert!(n("q", "p") <= plain["confusion"]["q"]["p"].as_f64().unwrap(), "{line}");
    }
    let learned = folder.run("learn xy.csv -t y --costs 'p|q=9' -o n.tb").ok();
    assert!(learned.stdout().contains("mean cost") && learned.stdout().contains("by always saying q"), "{}", learned.stdout());
    assert_eq!(folder.bytes("n.tb"), folder.bytes("m.tb"));
}

#[test]
fn costs_may_come_from_a_table() {
    let folder = Folder::with_model();
    let day = "classify play_tennis.tb Outlook=Sunny Wind=Strong --format json --costs";
    let flags = folder.run(&format!("{day} 'No|Yes=9,Yes|No=2,No|No=0.25'")).ok().json();
    for table in
        ["said,No,Yes\nNo,0.25,9\nYes,2,0\n", ",Yes,No\nYes,0,2\n\nNo,9,0.25\n", "\"said\",\"No\",\"Yes\"\r\nNo, 0.25, 9\r\nYes,2,0\r\n"]
    {
        folder.put("costs.csv", table);
        assert_eq!(folder.run(&format!("{day} costs.csv")).ok().json(), flags, "{table}");
    }
    // What comes later counts.
    let mended = folder.run(&format!("{day} costs.csv --costs 'No|Yes=1'")).ok().json();
    assert_ne!(mended["expected_cost"], flags["expected_cost"]);
    for (table, says) in [
        ("said,No,Yes\nNo,1\n", "1 costs for 2"),
        ("said,No,Yes\nNo,0,x\n", "`x` is no cost"),
        ("said,No,Yes\n", "no costs"),
        ("a,No,Maybe\nNo,0,1\n", "`Maybe` is no class"),
    ] {
        folder.put("costs.csv", table);
        folder.run(&format!("{day} costs.csv")).fails(1, &[says]);
    }
    folder.run(&format!("{day} none.csv")).fails(1, &["none.csv"]);
}

#[test]
fn what_is_no_cost_is_named() {
    let folder = Folder::with_model();
    for (costs, says) in
        [("No=9", "no `|`"), ("No|Yes=dear", "no number"), ("No|Yes=-1", "not below 0"), ("No|Yes=inf", "finite"), ("No|Yes=nan", "finite")]
    {
        folder.run(&format!("classify play_tennis.tb Wind=Weak --costs '{costs}'")).fails(2, &["--costs", says]);
    }
    for verb in [
        "classify play_tennis.tb Wind=Weak",
        "evaluate play_tennis.tb play_tennis.csv",
        "evaluate play_tennis.csv -t PlayTennis",
        "learn play_tennis.csv -t PlayTennis -o x.tb",
    ] {
        folder.run(&format!("{verb} --costs 'No|Maybe=2'")).fails(1, &["`Maybe` is no class", "`No`, `Yes`"]);
    }
    assert!(!folder.path("x.tb").exists());
    folder.run("learn play_tennis.csv -t PlayTennis --evaluate none --costs 'No|Yes=2'").fails(2, &["--costs", "--evaluate none"]);
    // Evidence that is impossible has no answer at any cost.
    let ml = Folder::with_ml_model();
    let none = ml.run("classify ml.tb Outlook=Overcast --costs 'Yes|No=9' --format json").ok().json();
    assert_eq!(none["predicted"], json!("Yes"));
}
