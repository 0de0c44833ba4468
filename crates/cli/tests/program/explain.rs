//! `explain`: of files that lack columns, hold new states or skipped rows; and by the right name for each number.

use serde_json::json;

use crate::support::{Folder, assert_close};

#[test]
fn a_file_may_lack_columns() {
    let folder = Folder::with_model().write("wind.csv", "Wind\nStrong\nWeak\n");
    let case = folder.run("explain play_tennis.tb Wind=Weak --format json").ok().json();
    let row = folder.run("explain play_tennis.tb wind.csv --row 2 --format json").ok();
    let row = row.notes(&[": has no column `Outlook`, `Temperature`, `Humidity`: read as missing"]).json();
    assert_eq!((&row["probability"], &row["entries"]), (&case["probability"], &case["entries"]));
}

#[test]
fn an_unknown_state_is_not_called_missing() {
    let folder = Folder::with_model().write("fog.csv", "Outlook,Temperature,Humidity,Wind\nFoggy,Cool,,Weak\n");
    let row = folder.run("explain play_tennis.tb fog.csv --format json").ok().json();
    let why = |name: &str| row["left_out"].as_array().unwrap().iter().find(|l| l["variable"] == name).unwrap()["why"].clone();
    assert_ne!(why("Outlook"), why("Humidity"));
    let case = folder.run("explain play_tennis.tb Outlook=Foggy Temperature=Cool Wind=Weak --format json").ok().json();
    assert_eq!((&row["probability"], why("Outlook")), (&case["probability"], case["left_out"][0]["why"].clone()));
}

#[test]
fn skipped_rows_do_not_count_and_are_told_of() {
    let folder = Folder::with_model();
    let days = folder.text("play_tennis.csv");
    let lines: Vec<&str> = days.lines().collect();
    folder.put("bad.csv", format!("{}\nbad,row\n{}\n", lines[0], lines[1..].join("\n")));
    for row in [1, 2, 14] {
        let whole = folder.run(&format!("explain play_tennis.tb play_tennis.csv --row {row}")).ok().silent();
        let skipped = folder.run(&format!("explain play_tennis.tb bad.csv --row {row} --on-bad-row skip")).ok();
        let skipped = skipped.notes(&["1 malformed row was skipped, the first at bad.csv:2"]);
        assert_eq!(skipped.stdout(), whole.stdout());
    }
    // A file of which nothing is left.
    folder.put("none.csv", format!("{}\nbad,row\n", lines[0]));
    folder.run("explain play_tennis.tb none.csv play_tennis.csv --on-bad-row skip").ok();
    folder.run("explain play_tennis.tb none.csv --on-bad-row skip").fails(1, &["there is no row 1"]);
}

/// The class that `classify` gives, and what is told there of the calibration.
#[test]
fn the_class_is_the_calibrated_one() {
    let folder = Folder::new().write("xy.csv", crate::json::two_classes(400));
    folder.run("learn xy.csv -t y --calibrate isotonic").ok();
    folder.run("update xy.tb xy.csv").ok();
    for x in (0..60).map(|i| f64::from(i) / 20.0) {
        let answer = folder.run(&format!("classify xy.tb x={x} --format json")).ok().json();
        let ledger = folder.run(&format!("explain xy.tb x={x} --format json")).ok();
        let ledger = ledger.notes(&["the calibration was fitted before the last change"]).json();
        assert_eq!(ledger["class"], answer["predicted"], "x = {x}");
    }
}

/// A density is no probability, nor is a distance.
#[test]
fn numbers_have_their_right_names() {
    let folder = Folder::new().write("xy.csv", crate::json::two_classes(400));
    folder.run("learn xy.csv -t y -o g.tb --evaluate none").ok();
    let trace = folder.run("explain g.tb x=1.5 z=a --trace").ok();
    assert!(trace.stdout().contains("density of x = 1.5 | p = "), "{}", trace.stdout());
    assert!(trace.stdout().contains("P(z = a | p) = "), "{}", trace.stdout());
    folder.run("learn xy.csv -t y -m nearest-centroid -o c.tb --evaluate none").ok();
    let trace = folder.run("explain c.tb x=1.5 z=a --trace").ok();
    assert!(!trace.stdout().contains("P(z = a") && trace.stdout().contains("nearness"), "{}", trace.stdout());
    let shown = folder.run("show c.tb").ok();
    assert!(!shown.stdout().contains("P(z |"), "{}", shown.stdout());
    let shares = folder.run("show c.tb --format json").ok().json()["attributes"]["z"].clone();
    let sum: f64 = (0..3).map(|state| shares[state]["p"]["p"].as_f64().unwrap()).sum();
    assert!((sum - 1.0).abs() < 1e-12, "{shares}");
    folder.run("learn xy.csv -t y -m bernoulli --threshold 1.5 -o b.tb --evaluate none").ok();
    let shown = folder.run("show b.tb").ok();
    assert!(shown.stdout().contains("P(this state of z and no other | y)"), "{}", shown.stdout());
    assert!(shown.stdout().contains("P(x | y)"), "{}", shown.stdout());
}

/// A name with the sign `=` or a bracket in it is a file where there is one.
#[test]
fn files_may_have_odd_names() {
    let folder = Folder::with_model();
    std::fs::create_dir(folder.path("year=2024")).unwrap();
    folder.put("year=2024/days.csv", folder.text("play_tennis.csv"));
    let rows = folder.run("classify play_tennis.tb 'year=2024/*.csv' --format jsonl").ok().json_lines();
    assert_eq!(rows.len(), 14);
    folder.put("data[1].csv", folder.text("play_tennis.csv"));
    folder.run("learn 'data[1].csv' -t PlayTennis --evaluate none").ok();
    assert!(folder.path("data[1].tb").exists());
    assert_eq!(folder.run("show 'data[1].tb' --format json").ok().json()["rows"], json!(14));
}

/// New files are as the user's mask has them; a file that is replaced keeps its own permissions.
#[cfg(unix)]
#[test]
fn new_files_have_the_users_permissions() {
    use std::os::unix::fs::PermissionsExt;
    use std::process::Command;
    let folder = Folder::with_play_tennis();
    let program = env!("CARGO_BIN_EXE_tunbridge");
    let learn = |mask: &str| {
        let line = format!("umask {mask}; {program} learn play_tennis.csv -t PlayTennis --evaluate none -q -o m.tb > out.txt");
        assert!(Command::new("sh").args(["-c", &line]).current_dir(folder.path("")).status().unwrap().success());
        std::fs::metadata(folder.path("m.tb")).unwrap().permissions().mode() & 0o777
    };
    assert_eq!(learn("077"), 0o600);
    assert_eq!(learn("002"), 0o600);
    std::fs::remove_file(folder.path("m.tb")).unwrap();
    assert_eq!(learn("002"), 0o664);
}

/// Whatever the kind of model: a row of a file is the question that `classify` answers, and that the same values on the command line ask.
#[test]
fn a_row_is_read_as_classify_reads_it() {
    let folder = Folder::new().write("a.csv", "b,s,y\n0,Red,p\n1,Blue,q\n1,Red,q\n0,Blue,p\n");
    folder.put("b.csv", "b,s\n0.0,red\n");
    for kind in ["naive-bayes", "bernoulli", "nearest-centroid", "aode", "tan"] {
        folder.run(&format!("learn a.csv -t y -m {kind} --types b=category -o {kind}.tb --evaluate none")).ok();
        let answer = folder.run(&format!("classify {kind}.tb b.csv --format jsonl")).ok().json();
        let ledger = folder.run(&format!("explain {kind}.tb b.csv --format json")).ok().json();
        assert_eq!(ledger["class"], answer["predicted"], "{kind}");
        let p = answer["probability"][ledger["class"].as_str().unwrap()].as_f64().unwrap();
        assert_close(&ledger["probability"], p, 1e-12);
        let typed = folder.run(&format!("explain {kind}.tb b=0.0 s=red --format json")).ok().json();
        assert_eq!(ledger, typed, "{kind}");
    }
}

/// Of a model that wants to know every state beforehand too.
#[test]
fn a_state_never_seen_is_left_out_whatever_the_row() {
    let folder = Folder::with_play_tennis().write("hail.csv", "Outlook,Wind\nSunny,Strong\nHail,Weak\n");
    folder.run("learn play_tennis.csv -t PlayTennis -m aode -o aode.tb --evaluate none").ok();
    for (row, case) in [(1, "Outlook=Sunny Wind=Strong"), (2, "Outlook=Hail Wind=Weak")] {
        let ledger = folder.run(&format!("explain aode.tb hail.csv --row {row} --format json")).ok().json();
        assert_eq!(ledger["probability"], folder.run(&format!("explain aode.tb {case} --format json")).ok().json()["probability"]);
    }
}

/// What is far from both was seen with neither, and no density is nowhere.
#[test]
fn a_number_far_away_was_not_seen() {
    let folder = Folder::new().write("far.csv", "x,y\n0,a\n1,a\n-1,a\n0.5,a\n-0.5,a\n100,b\n101,b\n99,b\n100.5,b\n99.5,b\n");
    folder.run("learn far.csv -t y --types x=numeric --evaluate none").ok();
    let told = folder.run("explain far.tb x=40").ok().stdout().to_string();
    assert!(told.contains("10^868.6 times as likely under a") && told.contains("odds of 10^868.6"), "{told}");
    assert!(!told.contains("never"), "{told}");
}
