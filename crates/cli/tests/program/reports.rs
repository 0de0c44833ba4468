//! What a person reads.

use crate::support::Folder;

macro_rules! shows {
    ($name:literal, $outcome:expr) => {
        insta::assert_snapshot!($name, $outcome.transcript())
    };
}

#[test]
fn learn_prints_a_report() {
    let folder = Folder::with_play_tennis();
    shows!("learn", folder.run("learn play_tennis.csv --target PlayTennis").ok().silent());
    assert_eq!(folder.names(), ["play_tennis.csv", "play_tennis.tb"]);
}

#[test]
fn learn_traces_the_tables_it_counted() {
    let folder = Folder::with_play_tennis();
    shows!("learn_trace", folder.run("learn play_tennis.csv --target PlayTennis --estimate ml --trace").ok().silent());
}

/// Mitchell, Machine Learning, section 6.9.1: 0.0053 for yes and 0.0206 for no, whose share is 0.795.
#[test]
fn one_case_is_classified_and_traced_as_the_textbook_does() {
    let folder = Folder::with_ml_model();
    let case = "Outlook=Sunny Temperature=Cool Humidity=High Wind=Strong";
    shows!("classify_case", folder.run(&format!("classify ml.tb {case}")).ok().silent());
    for verb in ["classify", "explain"] {
        let traced = folder.run(&format!("{verb} ml.tb {case} --trace")).ok().silent();
        for number in ["P(Outlook = Sunny | No) = 0.6\n", "P(Yes) = 0.6429\n", "product = 0.02057\n", "product = 0.005291\n", "0.7954"] {
            assert!(traced.stdout().contains(number), "{verb}: {number}\n{}", traced.stdout());
        }
    }
    shows!("classify_case_trace", folder.run(&format!("classify ml.tb {case} --trace")).ok());
}

#[test]
fn a_row_of_a_file_is_traced_with_its_values() {
    let folder = Folder::with_ml_model();
    let traced = folder.run("explain ml.tb play_tennis.csv --row 14 --trace").ok().silent();
    for number in ["P(Outlook = Rain | No) = 0.4\n", "P(Humidity = High | No) = 0.8\n", "product = 0.02743\n"] {
        assert!(traced.stdout().contains(number), "{number}\n{}", traced.stdout());
    }
}

#[test]
fn one_case_is_explained() {
    let folder = Folder::with_model();
    shows!("explain_case", folder.run("explain play_tennis.tb Outlook=Sunny Wind=Strong").ok().silent());
    shows!("explain_row", folder.run("explain play_tennis.tb play_tennis.csv --row 7 --unit bits").ok().silent());
    let against = folder.run("explain play_tennis.tb Outlook=Sunny Wind=Strong --class Yes --against No").ok();
    assert!(against.stdout().starts_with("PlayTennis = Yes with probability 0.3642, against No\n"), "{}", against.stdout());
}

#[test]
fn certainty_is_written_as_infinity() {
    let folder = Folder::with_ml_model();
    shows!("explain_certainty", folder.run("explain ml.tb Outlook=Overcast Wind=Weak").ok().silent());
}

#[test]
fn show_prints_the_model() {
    let folder = Folder::with_model();
    shows!("show", folder.run("show play_tennis.tb").ok().silent());
    shows!("show_top", folder.run("show play_tennis.tb --top 1").ok().silent());
}

/// One below the other, where they would not fit beside each other.
#[test]
fn many_classes_are_shown_line_by_line() {
    let row = |i: usize| format!("{}.5,{},letter{:02}\n", i * 7 % 31, ["u", "v"][i % 2], i % 20);
    let folder = Folder::new().write("letters.csv", "x,z,letter\n".to_string() + &(0..200).map(row).collect::<String>());
    folder.run("learn letters.csv -t letter --evaluate none").ok();
    let shown = folder.run("show letters.tb --top 1").ok().silent();
    let widest = shown.stdout().lines().map(|line| line.chars().count()).max();
    assert!(widest <= Some(120), "{widest:?}");
    insta::assert_snapshot!("show_many_classes", shown.stdout().split_once("\nx given letter\n").unwrap().1);
}

#[test]
fn numbers_and_gaps_are_shown_too() {
    let folder = Folder::new().write(
        "people.csv",
        "name,height,weight,shoe,married,sex\n".to_string()
            + &(0..40)
                .map(|i| {
                    let sex = ["f", "m"][i % 2];
                    let height = 160.0 + 12.0 * (i % 2) as f64 + (i * 7 % 11) as f64 / 2.0;
                    let weight = if i % 5 == 0 { "?".to_string() } else { format!("{:.1}", height / 2.5 + (i % 3) as f64) };
                    format!("person{i},{height:.1},{weight},{},{},{sex}\n", 37 + i % 4 + 3 * (i % 2), ["yes", "no", ""][i % 3])
                })
                .collect::<String>(),
    );
    shows!("learn_numbers", folder.run("learn people.csv --target sex --evaluate folds:5").ok());
    shows!("show_numbers", folder.run("show people.tb").ok());
    shows!("explain_numbers", folder.run("explain people.tb height=171.5 shoe=40").ok());
    shows!("learn_bins", folder.run("learn people.csv --target sex --numeric bins:width:3 --evaluate none -o bins.tb").ok());
    shows!("show_bins", folder.run("show bins.tb").ok());
}

#[test]
fn rows_are_passed_on_with_their_answers() {
    let folder = Folder::with_model();
    shows!("classify_rows", folder.run("classify play_tennis.tb play_tennis.csv").ok().silent());
}

#[test]
fn models_that_change_say_how() {
    let folder = Folder::with_model();
    folder.put("more.csv", "Outlook,Temperature,Humidity,Wind,PlayTennis\nSunny,Mild,Normal,Weak,Yes\nFoggy,Cool,High,Weak,No\n");
    shows!("update", folder.run("update play_tennis.tb more.csv -o later.tb").ok());
    shows!("diff", folder.run("diff play_tennis.tb later.tb --top 6").ok().silent());
    shows!("forget", folder.run("forget later.tb more.csv -o back.tb").ok().silent());
    shows!("diff_nothing", folder.run("diff play_tennis.tb back.tb").ok().silent());
    shows!("merge", folder.run("merge play_tennis.tb later.tb -o both.tb").ok().silent());
    folder.run("learn play_tennis.csv -t PlayTennis --estimate ml -o ml.tb").ok();
    shows!("diff_priors", folder.run("diff play_tennis.tb ml.tb --top 3").ok().silent());
}

#[test]
fn evaluations_are_shown() {
    let folder = Folder::with_model();
    shows!("evaluate_folds", folder.run("evaluate play_tennis.csv --target PlayTennis --folds 7").ok().silent());
    shows!("evaluate_model", folder.run("evaluate play_tennis.tb play_tennis.csv").ok().silent());
    shows!("evaluate_ml", folder.run("evaluate play_tennis.csv -t PlayTennis --estimate ml --folds loo").ok().silent());
}

#[test]
fn schema_shows_what_was_understood() {
    let folder = Folder::with_play_tennis();
    shows!("schema", folder.run("schema play_tennis.csv").ok().silent());
    shows!("schema_write", folder.run("schema play_tennis.csv --target PlayTennis --write").ok());
    insta::assert_snapshot!("schema_file", folder.text("play_tennis.schema.toml"));
}

#[test]
fn mistakes_are_answered_with_the_place_and_a_way_out() {
    let folder = Folder::with_model().write("ragged.csv", "a,b\n1,2\n3\n").write("notes.tb", "not a model\n");
    let lines = [
        "learn play_tenis.csv --target PlayTennis",
        "learn play_tennis.csv --target PlayTenis",
        "learn play_tennis.csv",
        "learn ragged.csv --target b",
        "learn play_tennis.csv --target PlayTennis --output notes.tb",
        "classify play_tennis.csv play_tennis.csv",
        "classify play_tennis.tb Outlok=Sunny",
        "classify play_tennis.tb Outlook=Suny --unknown-states error",
        "learn play_tennis.csv --target PlayTennis --estimate magic",
        "lern play_tennis.csv",
        "show play_tennis.tb --format csv",
    ];
    let shown: Vec<String> = lines.iter().map(|line| folder.run(line).transcript()).collect();
    insta::assert_snapshot!("mistakes", shown.join("\n"));
}

/// A file may name its columns and states as it likes; nobody wants to read all of it.
#[test]
fn messages_and_tables_are_of_bounded_length() {
    let long = "é".repeat(200_000);
    let folder = Folder::new().write("name.csv", format!("{long},b\n1,2\n")).write("state.csv", format!("x,y\n{long},p\nv,q\n{long},p\n"));
    let refused = folder.run("learn name.csv -t y");
    assert!(refused.stderr.len() < 10_000, "{}", refused.stderr.len());
    refused.fails(1, &["the target `y` is no column"]);
    let learned = folder.run("learn state.csv -t y -o m.tb").ok();
    assert!(learned.stdout().len() < 20_000, "{}", learned.stdout().len());
}
