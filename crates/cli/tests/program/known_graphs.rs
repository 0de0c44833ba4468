//! `evaluate --structure`: a network whose graph is known, judged as a classifier of one of its variables.

use serde_json::Value;

use crate::support::{Folder, assert_close};

fn with_flu() -> Folder {
    let folder = Folder::new();
    ["flu.csv", "flu_gaps.csv", "flu.tbn"].into_iter().for_each(|name| folder.example(name));
    folder
}

fn judged(folder: &Folder, line: &str) -> Value {
    folder.run(&format!("evaluate {line} --format json")).ok().json()
}

/// A graph in which the class is above all attributes is naive Bayes, and its folds are the same rows.
#[test]
fn the_graph_of_naive_bayes_is_as_good_as_naive_bayes() {
    let folder = Folder::with_play_tennis();
    let graph = "--structure 'Temperature<-PlayTennis->Outlook;Humidity<-PlayTennis->Wind' --estimate laplace:1";
    let bayes = "--estimate laplace:1 --class-prior laplace:1";
    for how in ["--folds 7", "--folds 3 --seed 4", "--holdout 0.3", "--test play_tennis.csv"] {
        let network = judged(&folder, &format!("play_tennis.csv -t PlayTennis {graph} {how}"));
        let bayes = judged(&folder, &format!("play_tennis.csv -t PlayTennis {bayes} {how}"));
        assert_eq!((&network["rows"], &network["confusion"]), (&bayes["rows"], &bayes["confusion"]), "{how}");
        for figure in ["log_loss", "brier"] {
            assert_close(&network[figure], bayes[figure].as_f64().unwrap(), 1e-12);
        }
    }
}

#[test]
fn a_known_graph_is_judged_as_learn_judges_it_and_as_it_is_when_saved() {
    let folder = with_flu();
    insta::assert_snapshot!(
        "evaluate_structure",
        folder.run("evaluate flu_gaps.csv -t Flu --structure flu.tbn --folds 5").ok().transcript()
    );
    for flags in [
        "",
        "--estimate ml",
        "--gaps whole",
        "--prior-network flu.tbn:20",
        "--fix Sinus,Nose",
        "--em-steps 2",
        "--point map --estimate laplace:2 --ess-of Flu=30",
    ] {
        let how = format!("flu_gaps.csv -t Flu --structure flu.tbn {flags}");
        let alone = judged(&folder, &format!("{how} --folds 4"));
        let learned = folder.run(&format!("learn {how} --evaluate folds:4 -o m.tb --format json")).ok().json();
        assert_eq!(
            (&alone["log_loss"], &alone["confusion"]),
            (&learned["evaluation"]["log_loss"], &learned["evaluation"]["confusion"]),
            "{flags}"
        );
        let tested = judged(&folder, &format!("{how} --test flu.csv"));
        assert_eq!(tested["log_loss"], judged(&folder, "m.tb flu.csv")["log_loss"], "{flags}");
    }
    // Flags about tables are heard in each fold.
    let of = |flags: &str| judged(&folder, &format!("flu_gaps.csv -t Flu --structure flu.tbn --folds 4 {flags}"))["log_loss"].clone();
    let all = ["", "--estimate bdeu:50", "--gaps whole", "--em-steps 1", "--prior-network flu.tbn:200", "--fix Sinus"].map(of);
    for (place, one) in all.iter().enumerate() {
        assert!(!all[..place].contains(one), "{all:?}");
    }
    // Columns and values by other names.
    folder.put("grippe.csv", folder.text("flu.csv").replacen("Flu", "Grippe", 1).replace("runny", "wet"));
    let mapped = judged(&folder, "grippe.csv -t Flu --structure flu.tbn --map 'Grippe:Flu,Nose=wet:Nose=runny' --folds 4");
    assert_eq!(mapped["log_loss"], judged(&folder, "flu.csv -t Flu --structure flu.tbn --folds 4")["log_loss"]);
    folder.run("evaluate grippe.csv -t Flu --structure flu.tbn --map Grippe:Flu").fails(1, &["`wet`", "--unknown-states"]);
    folder.run("evaluate grippe.csv -t Flu --structure flu.tbn --map Grippe:Flu --unknown-states missing").ok();
}

/// Rows of all folds but one may have no gaps, though all rows have some.
#[test]
fn a_start_holds_in_folds_that_need_one() {
    let folder = with_flu();
    let text = folder.text("flu.csv");
    let (first, rest) = text.split_once('\n').unwrap();
    let (second, rest) = rest.split_once('\n').unwrap();
    folder.put("one_gap.csv", format!("{first}\n{}\n{rest}", second.rsplit_once(',').unwrap().0.to_string() + ","));
    folder.run("evaluate one_gap.csv -t Flu --structure flu.tbn --start flu.tbn --folds 5").ok();
    folder.run("evaluate flu.csv -t Flu --structure flu.tbn --start flu.tbn --folds 5").fails(1, &["--start", "no value is missing"]);
    folder.run("evaluate flu.csv -t Flu --structure flu.tbn --start flu.tbn --holdout 0.3").fails(1, &["--start", "no value is missing"]);
}

#[test]
fn a_target_that_nothing_moves_is_told() {
    let folder = with_flu();
    for how in ["--folds 4", "--holdout 0.3", "--test flu.csv"] {
        let alone = folder.run(&format!("evaluate flu.csv -t Flu --structure 'Flu;Allergy->Sinus' {how} --format json")).ok();
        let told = alone.notes(&["the graph makes `Flu` independent of all other columns"]).json();
        assert_eq!(told["accuracy"], told["baseline_accuracy"]);
        assert!(told["remarks"].to_string().contains("no evidence moves it"));
    }
    // Two causes of what has no column say nothing of each other.
    let common = "evaluate flu.csv -t Flu --structure 'Flu->Cause<-Allergy' --hidden Cause=2 --em-steps 3 --folds 3";
    folder.run(common).ok().notes(&["independent of all other columns"]);
    let moved = folder.run("evaluate flu.csv -t Flu --structure 'Flu->Sinus<-Allergy' --folds 4").ok();
    assert!(!moved.stderr.contains("independent"), "{}", moved.stderr);
}

#[test]
fn what_does_not_go_with_a_known_graph_is_said() {
    let folder = with_flu();
    folder.run("learn flu.csv --structure flu.tbn -t Flu -q -o m.tb").ok();
    for (line, code, words) in [
        ("evaluate flu.csv -t Fever --structure flu.tbn", 1, ["--target names `Fever`", "no variable of the graph"]),
        ("evaluate flu.csv --structure flu.tbn", 1, ["no target", "--target"]),
        ("evaluate flu_gaps.csv -t Sinus --structure flu.tbn", 1, ["there is no column `Sinus`", "nothing to compare"]),
        ("evaluate flu.csv -t Flu --structure flu.tbn --folds loo", 2, ["--structure", "folds"]),
        ("evaluate flu.csv -t Flu --structure flu.tbn -m tan", 2, ["--model", "--structure"]),
        ("evaluate flu.csv -t Flu --structure flu.tbn --drop-parts", 2, ["--drop-parts", "none is saved"]),
        ("evaluate flu.csv -t Flu --structure flu.tbn --calibrate sigmoid", 2, ["--calibrate", "--structure"]),
        ("evaluate flu.csv -t Flu --structure flu.tbn --numeric bins:mdl", 2, ["--numeric", "--map"]),
        ("evaluate flu.csv -t Flu --structure flu.tbn --class-prior uniform", 2, ["--class-prior", "naive Bayes"]),
        ("evaluate flu.csv -t Flu --fix Nose", 2, ["--fix", "goes with --structure"]),
        ("evaluate flu.csv -t Flu -m aode --fix Nose", 2, ["--fix", "aode"]),
        ("evaluate flu.csv -t Flu -m tan --fix Nose", 2, ["--fix", "finds one"]),
        ("evaluate m.tb flu.csv --structure flu.tbn", 2, ["--structure", "judged as it is"]),
        ("evaluate m.tb flu.csv --hidden Sinus=2", 2, ["--hidden", "judged as it is"]),
        ("learn flu.csv -t Flu --unknown-states missing", 2, ["--unknown-states", "--structure"]),
        ("learn flu.csv -t Flu -m aode --unknown-states missing", 2, ["--unknown-states", "aode"]),
    ] {
        folder.run(line).fails(code, &words);
    }
    // Other rows than those of a fold have it, and that is where the fault is.
    folder.put("rare.csv", "A,B\n1,x\n1,y\n2,x\n2,y\n3,x\n");
    let rare = "evaluate rare.csv -t B --structure 'A->B' --types A=category --estimate ml --strict --folds 5";
    folder.run(rare).fails(1, &["without the rows of one fold", "was never seen"]);
}
