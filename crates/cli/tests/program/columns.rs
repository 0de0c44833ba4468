//! What the columns are: inferred, said with flags, or kept in a file beside the data.

use serde_json::{Value, json};

use crate::support::Folder;

fn column<'v>(value: &'v Value, name: &str) -> &'v Value {
    value["columns"].as_array().unwrap().iter().find(|c| c["name"] == name).unwrap_or_else(|| panic!("no column {name}"))
}

#[test]
fn a_schema_written_beside_the_data_is_used_by_itself_and_that_is_said() {
    let folder = Folder::with_play_tennis();
    folder.run("schema play_tennis.csv -t PlayTennis --write").ok().notes(&["wrote play_tennis.schema.toml"]);
    folder.run("schema play_tennis.csv --write").fails(1, &["play_tennis.schema.toml", "--force"]);
    // The target is in the file.
    folder.run("learn play_tennis.csv -o plain.tb").ok().notes(&["columns as play_tennis.schema.toml says"]);
    let edited = folder
        .text("play_tennis.schema.toml")
        .replace("states = [\"Cool\", \"Hot\", \"Mild\"]", "states = [\"Cool\", \"Mild\", \"Hot\", \"Scorching\"]\nordered = true");
    folder.put("play_tennis.schema.toml", edited);
    let learned = folder.run("learn play_tennis.csv --format json").ok().json();
    let temperature = column(&learned, "Temperature");
    assert_eq!(temperature["states"], json!(["Cool", "Mild", "Hot", "Scorching"]));
    assert_eq!((&temperature["declared"], &temperature["ordered"]), (&json!(4), &json!(true)));
    // Declared and never seen: one imaginary row among 5 + 4.
    let shown = folder.run("show play_tennis.tb --format json").ok().json();
    crate::support::assert_close(&shown["attributes"]["Temperature"][3]["p"]["No"], 1.0 / 9.0, 1e-12);
    folder.run("classify play_tennis.tb Temperature=Scorching --unknown-states error").ok().silent();
    // What is written again keeps what was said, also of missing values and of what is believed before.
    let more = folder.text("play_tennis.schema.toml").replace("target = ", "missing = [\"n.a.\"]\ntarget = ");
    folder.put(
        "play_tennis.schema.toml",
        more.replace("[columns.\"Wind\"]\n", "[columns.\"Wind\"]\nprior = { Strong = 0.25, Weak = 0.75 }\n"),
    );
    folder.run("schema play_tennis.csv --write --force").ok();
    let written = folder.text("play_tennis.schema.toml");
    assert!(written.contains("missing = [\"n.a.\"]") && written.contains("\"Weak\" = 0.75"), "{written}");
    folder.run("schema play_tennis.csv --write --force").ok();
    assert!(folder.text("play_tennis.schema.toml").contains("states = [\"Cool\", \"Mild\", \"Hot\", \"Scorching\"]\nordered = true"));
}

#[test]
fn a_schema_may_lie_elsewhere() {
    let folder = Folder::with_play_tennis().write("days.toml", "target = \"PlayTennis\"\n[columns.Wind]\ntype = \"ignore\"\n");
    let learned = folder.run("learn play_tennis.csv --schema days.toml --format json").ok().notes(&["columns as days.toml says"]);
    assert_eq!(column(&learned.json(), "Wind")["role"], "ignored");
    // Flags come before the file.
    let told = folder.run("learn play_tennis.csv --schema days.toml -t Wind --types Wind=category --format json").ok().json();
    assert_eq!(told["target"], "Wind");
}

#[test]
fn a_wrong_schema_is_refused() {
    let folder = Folder::with_play_tennis();
    for (text, says) in [
        ("target = [", "is not a schema"),
        ("goal = \"Wind\"\n", "goal"),
        ("[columns.Wind]\ntype = \"breeze\"\n", "`breeze` is not a type"),
        ("[columns.Wind]\nstates = [\"Weak\", \"Weak\"]\n", "Weak"),
    ] {
        folder.put("days.toml", text);
        folder.run("learn play_tennis.csv -t PlayTennis --schema days.toml").fails(1, &["days.toml", says]);
    }
    // Every fault at once.
    folder.put("days.toml", "[columns.Win]\ntype = \"category\"\n[columns.Rain]\ntype = \"category\"\n");
    folder.run("learn play_tennis.csv -t PlayTennis --schema days.toml").fails(1, &["`Win`", "`Rain`", "did you mean `Wind`"]);
    folder.run("learn play_tennis.csv -t PlayTennis --schema nowhere.toml").fails(1, &["nowhere.toml"]);
    folder.run_with_input("schema - --write", folder.bytes("play_tennis.csv")).fails(2, &["standard input", "--write"]);
    folder.run("schema '*.csv' --write").fails(2, &["*.csv", "--write"]);
    assert_eq!(folder.names(), ["days.toml", "play_tennis.csv"]);
}

const MIXED: &str = "id,code,size,day,note,y\n";

fn mixed() -> String {
    let row = |i: usize| {
        let note = ["a short story", "another one", "none"][i % 3];
        format!("{},{},{}.5,2024-03-{:02},{note},{}\n", i + 1, i % 3, i * 7 % 50, i % 28 + 1, ["p", "q"][i % 2])
    };
    MIXED.to_string() + &(0..60).map(row).collect::<String>()
}

#[test]
fn types_are_inferred_and_can_be_said() {
    let folder = Folder::new().write("mixed.csv", mixed());
    let types = |line: &str| -> Vec<(String, String)> {
        let schema = folder.run(&format!("schema mixed.csv {line} --format json")).ok().json();
        let text = |v: &Value| v.as_str().unwrap().to_string();
        schema["columns"].as_array().unwrap().iter().map(|c| (text(&c["type"]), text(&c["role"]))).collect()
    };
    let pairs = |expected: [(&str, &str); 6]| expected.map(|(t, r)| (t.to_string(), r.to_string())).to_vec();
    let (category, numeric) = (("category", "input"), ("numeric", "input"));
    let ignored = |kind| (kind, "ignored");
    assert_eq!(types(""), pairs([ignored("numeric"), category, numeric, ignored("date"), category, category]));
    assert_eq!(types("--types '*=category'"), pairs([category; 6]));
    let some = types("--types code=numeric,d*=category,id=numeric,note=text -t y");
    assert_eq!(some, pairs([numeric, numeric, numeric, category, ("text", "input"), ("category", "target")]));
    let left = types("--ignore size,n* --types code=ignore");
    assert_eq!(left, pairs([ignored("numeric"), ignored("category"), ignored("numeric"), ignored("date"), ignored("category"), category]));
    // A later pair overrules an earlier one.
    assert_eq!(types("--types '*=category' --types size=numeric")[2], ("numeric".into(), "input".into()));
    folder.run("learn mixed.csv -t y --types size=number").ok();
}

#[test]
fn ignored_columns_change_nothing() {
    let folder = Folder::with_play_tennis();
    folder.run("learn play_tennis.csv -t PlayTennis --ignore Wind,Humidity -o two.tb").ok();
    let text: String = folder
        .text("play_tennis.csv")
        .lines()
        .map(|line| {
            let cells: Vec<&str> = line.split(',').collect();
            format!("{},{},{}\n", cells[0], cells[1], cells[4])
        })
        .collect();
    folder.put("two.csv", text);
    folder.run("learn two.csv -t PlayTennis -o only.tb").ok();
    let case = "Outlook=Sunny Temperature=Hot --format json";
    let answers = ["two.tb", "only.tb"].map(|model| folder.run(&format!("classify {model} {case}")).ok().json());
    assert_eq!(answers[0], answers[1]);
    folder.run("classify two.tb Wind=Weak").fails(1, &["the model does not use `Wind`: as you said"]);
    // With nothing left there are the classes alone.
    let bare = folder.run("learn play_tennis.csv -t PlayTennis --ignore '*' -o bare.tb").ok();
    let bare = bare.notes(&["no column is left to learn from"]);
    assert!(!bare.stdout().contains("Most telling evidence"), "{}", bare.stdout());
    folder.run("show bare.tb").ok();
}

#[test]
fn a_weight_counts_a_row_as_often_as_it_says() {
    let folder = Folder::new()
        .write("weighed.csv", "a,n,y\nx,2,p\nz,1,p\nx,1,q\nz,3,q\nx,0,q\n")
        .write("repeated.csv", "a,y\nx,p\nx,p\nz,p\nx,q\nz,q\nz,q\nz,q\n")
        .write("half.csv", "a,n,y\nx,0.5,p\nz,0.25,q\n");
    folder.run("learn weighed.csv -t y --weight n").ok();
    folder.run("learn repeated.csv -t y").ok();
    let answers = ["weighed.tb", "repeated.tb"].map(|model| folder.run(&format!("classify {model} a=x --format json")).ok().json());
    assert_eq!(answers[0], answers[1]);
    let shown = folder.run("show weighed.tb --format json").ok().json();
    assert_eq!((&shown["rows"], &shown["classes"]["q"]["rows"]), (&json!(7), &json!(4)));
    assert_eq!(column(&shown, "n")["role"], "weight");
    let half = folder.run("learn half.csv -t y --weight n --format json").ok();
    assert_eq!(folder.run("show half.tb --format json").ok().json()["rows"], 0.75);
    drop(half);
    // Answers do not need the weights; judging uses them where they are.
    folder.run("classify weighed.tb repeated.csv").ok().silent();
    let judged = folder.run("evaluate weighed.tb weighed.csv --format json").ok().json();
    assert_eq!(judged["rows"], 7);
    for (rows, says) in [
        ("x,-1,p\nz,1,q\n", "`-1` is not a weight"),
        ("x,,p\nz,1,q\n", "`missing` is not a weight"),
        ("x,1e16,p\nz,1,q\n", "`10000000000000000` is not a weight: it must be a number from zero to 2^53"),
        ("x,w,p\nz,1,q\n", "`w` is not a weight: it must be a number"),
    ] {
        folder.put("bad.csv", format!("a,n,y\n{rows}"));
        folder.run("learn bad.csv -t y --weight n").fails(1, &["bad.csv:2", "column `n`", says]);
    }
}

#[test]
fn rows_may_be_repeated() {
    let folder = Folder::with_play_tennis();
    folder.run("learn play_tennis.csv -t PlayTennis -o once.tb").ok();
    let twice = folder.run("learn play_tennis.csv play_tennis.csv -t PlayTennis -o twice.tb").ok();
    assert!(twice.stdout().starts_with("play_tennis.csv and 1 more: 28 rows"), "{}", twice.stdout());
    folder.run("update once.tb play_tennis.csv").ok();
    assert_eq!(folder.bytes("once.tb"), folder.bytes("twice.tb"));
}

#[test]
fn files_without_a_header_have_columns_by_number() {
    let folder = Folder::new().write("numbers.csv", "1.5,0,2\n2.5,1,3\n3.5,0,2\n0.5,1,3\n");
    let schema = folder.run("schema numbers.csv --format json").ok().json();
    assert_eq!(column(&schema, "c2")["type"], "category");
    folder.run("learn numbers.csv -t c3").ok();
    // A file of the same number of columns is read in their order, with or without the target.
    folder.put("new.csv", "1.5,1\n2.5,0\n");
    let rows = folder.run("classify numbers.tb new.csv --format jsonl").ok().silent().json_lines();
    assert_eq!(rows[0]["input"], json!({"c1": 1.5, "c2": 1}));
    folder.put("words.csv", "x,y\na,b\nc,d\n");
    assert_eq!(folder.run("schema words.csv --header no --format json").ok().json()["rows"], 3);
    assert_eq!(folder.run("schema numbers.csv --header yes --format json").ok().json()["rows"], 3);
}

/// A name with a comma is put in quotes.
#[test]
fn a_name_may_hold_a_comma() {
    let folder = Folder::new().write("t.csv", "\"a,b\",c,y\n1,2,\"p,q\"\n2,1,r\n1,1,r\n2,2,r\n");
    let schema = folder.run("schema t.csv --types '\"a,b\"=numeric,c=category' --format json").ok().json();
    assert_eq!(column(&schema, "a,b")["type"], "numeric");
    let schema = folder.run("schema t.csv --ignore '\"a,b\",c' --format json").ok().json();
    assert_eq!((&column(&schema, "a,b")["role"], &column(&schema, "c")["role"]), (&json!("ignored"), &json!("ignored")));
    let learned = folder.run("learn t.csv -t y --class-prior '\"p,q\"=0.25,r=0.75' --format json").ok().json();
    assert_eq!(learned["class_prior"], json!({"p,q": 0.25, "r": 0.75}));
}

#[test]
fn missing_markers_are_part_of_the_model() {
    let folder = Folder::new().write("gaps.csv", "a,y\nx,p\n-,p\nz,q\nNA,q\nz,\n");
    let learned = folder.run("learn gaps.csv -t y --missing - --format json").ok().json();
    assert_eq!(column(&learned, "a")["missing"], 2);
    assert_eq!((&learned["rows"], &learned["rows_without_target"]), (&json!(5), &json!(1)));
    folder.put("new.csv", "a\n-\n?\n");
    let rows = folder.run("classify gaps.tb new.csv --format jsonl").ok().silent().json_lines();
    assert_eq!(rows[0]["probability"], rows[1]["probability"]);
    // Of one case too, and with more markers.
    for case in ["a=-", "a=. --missing ."] {
        let answer = folder.run(&format!("classify gaps.tb {case} --format json")).ok().silent().json();
        assert_eq!(answer["probability"], rows[0]["probability"]);
    }
    let shown = folder.run("learn gaps.csv -t y --missing -").ok();
    assert!(shown.stdout().contains("1 row without a class was left out\n"), "{}", shown.stdout());
}

#[test]
fn a_column_plays_one_part() {
    let folder = Folder::new().write("t.csv", "t,y\na b,p\nb c,q\na c,p\nb,q\n");
    folder.run("learn t.csv -t y --ignore y").fails(1, &["`y` cannot be both the target and left out with --ignore"]);
    folder.run("learn t.csv -t y --text t --ignore t").fails(1, &["`t` cannot be both a text and left out with --ignore"]);
    folder.run("learn t.csv -t y --text t --types t=category").fails(1, &["`t` cannot be both a text (--text) and category (--types)"]);
    // A pattern is not meant for a column that is named.
    folder.run("learn t.csv -t y --text t --types '*=category'").ok();
}

#[test]
fn a_table_without_a_header_is_read_whole() {
    let folder =
        Folder::new().write("iris.data", "5.1,3.5,Iris-setosa\n4.9,3.0,Iris-setosa\n7.0,3.2,Iris-versicolor\n6.4,3.2,Iris-versicolor\n");
    let schema = folder.run("schema iris.data --format json").ok().notes(&["iris.data: no header", "--header yes"]).json();
    assert_eq!((&schema["rows"], &column(&schema, "c3")["type"]), (&json!(4), &json!("category")));
}

/// Columns that are named by numbers, as those of an array are, look like a row; a model knows their names, and so does who names one.
#[test]
fn a_header_of_numbers_is_known_by_its_names() {
    let rows: String = (0..30).map(|row| format!("{}.5,{},{}\n", row % 7, row * 3 % 5, ["a", "b"][row % 2])).collect();
    let folder = Folder::new().write("t.csv", format!("0,1,2\n{rows}"));
    folder.run("learn t.csv -t 2 -o t.tb").ok();
    assert!(folder.run("update t.tb t.csv -o twice.tb").ok().stdout().contains("30 rows added"));
    let answers = |text: String| {
        folder.put("new.csv", text);
        folder.run("classify t.tb new.csv --answers-only").ok().stdout().to_string()
    };
    let in_order: String = (0..30).map(|row| format!("{}.5,{}\n", row % 7, row * 3 % 5)).collect();
    let swapped: String = (0..30).map(|row| format!("{},{}.5\n", row * 3 % 5, row % 7)).collect();
    let found = answers(format!("0,1\n{in_order}"));
    assert_eq!(found.lines().count(), 31);
    assert_eq!(answers(format!("1,0\n{swapped}")), found);
    folder.put("none.csv", "1.5,u\n2.5,v\n3.5,u\n");
    folder.run("learn none.csv -t c2 -o none.tb").ok();
    folder.put("one.csv", "1.5,u\n");
    folder.run("classify none.tb one.csv").fails(1, &["it has: 1.5, u", "--header no"]);
}

#[test]
fn a_weight_is_not_left_out() {
    let folder = Folder::new().write("t.csv", "x,y,w\na,p,1\nb,q,2\n");
    folder.run("learn t.csv -t y --weight w --ignore w").fails(1, &["`w` cannot be both the weight and left out"]);
}

/// Learning calls the column c1, and a number does not name a column elsewhere.
#[test]
fn a_header_whose_first_name_is_empty_is_known_by_the_model() {
    let folder = Folder::new().write("h.csv", ",1,T\ns,2.5,u\nt,3.5,v\n,1.5,u\n");
    folder.run("learn h.csv -t T --evaluate none").ok();
    let answers = folder.run("classify h.tb h.csv").ok();
    assert_eq!(answers.stdout().lines().count(), 4);
    assert_eq!(folder.run("update h.tb h.csv -o u.tb").ok().stdout(), "3 rows added: u.tb now has 6 rows (before: 3)\n");
}

/// A column of large numbers makes what is added to the variances of all.
#[test]
fn a_column_that_another_one_blurs_is_told() {
    let rows: String = (0..40)
        .map(|row| format!("{},{},{}\n", 1_000_000 + 77_777 * (row % 13), 0.3 + 0.01 * f64::from(row % 20), ["u", "v"][row as usize / 20]))
        .collect();
    let folder = Folder::new().write("pop.csv", format!("population,share,T\n{rows}"));
    folder.run("learn pop.csv -t T --evaluate none").ok().notes(&["`share` is blurred", "--numeric gaussian:0"]);
    assert!(!folder.run("learn pop.csv -t T --evaluate none --numeric gaussian:0").ok().transcript().contains("blurred"));
}

/// A column's own name says more than a pattern, in whatever order they are given.
#[test]
fn a_name_says_more_than_a_pattern() {
    let folder = Folder::new().write("t.csv", "a,b,y\n1,2,p\n2,3,q\n3,4,p\n4,1,q\n");
    for types in ["a=numeric,*=category", "*=category,a=numeric"] {
        let learned = folder.run(&format!("learn t.csv -t y --types '{types}' --evaluate none --format json")).ok().json();
        let kinds: Vec<&str> = learned["columns"].as_array().unwrap().iter().map(|c| c["type"].as_str().unwrap()).collect();
        assert_eq!(kinds, ["numeric", "category", "category"], "{types}");
    }
}

/// A row whose bytes are no text is a fault of that row, and makes no states of a column of numbers.
#[test]
fn bytes_that_are_no_text_do_not_make_numbers_states() {
    let rows: Vec<u8> = (0..300).flat_map(|i| format!("{}.5,{}\n", i, ["p", "q"][i % 2]).into_bytes()).collect();
    let folder = Folder::new().write("t.csv", [b"a,y\n", &rows[..], b"caf\xE9,p\n"].concat());
    folder.run("learn t.csv -t y --evaluate none").fails(1, &["t.csv:302"]);
    let learned = folder.run("learn t.csv -t y --evaluate none --on-bad-row skip --format json").ok().json();
    assert_eq!((&learned["rows"], &learned["skipped"], &learned["columns"][0]["type"]), (&json!(300), &json!(1), &json!("numeric")));
}

/// The schema beside a later file is another table's.
#[test]
fn only_the_first_files_schema_is_looked_at() {
    let folder = Folder::new().write("a.csv", "x,y\n1,p\n2,q\n").write("b.csv", "x,y\n3,p\n4,q\n");
    folder.put("b.schema.toml", "weight = \"x\"\n");
    folder.run("learn a.csv b.csv -t y --evaluate none").ok().notes(&["b.schema.toml is not looked at"]);
}

/// A spreadsheet makes `5.1.2024` of 5.1, and a model of numbers must not take that for some twenty thousand days.
#[test]
fn a_date_among_numbers_is_no_number() {
    let folder =
        Folder::new().write("numbers.csv", "x,y\n1.5,u\n2.5,v\n3.5,u\n4.5,v\n").write("dates.csv", "x,y\n5.1.2024,u\n2024-01-31,v\n");
    for kind in ["naive-bayes", "aode"] {
        folder.run(&format!("learn numbers.csv -t y -m {kind} --types x=numeric --evaluate none -o numbers.tb --force")).ok();
        for verb in ["classify numbers.tb dates.csv -o told.csv", "update numbers.tb dates.csv", "evaluate numbers.tb dates.csv"] {
            folder.run(verb).fails(1, &["dates.csv:2: column `x`: `5.1.2024` is not a number"]);
        }
        folder.run("classify numbers.tb x=2024-01-31").fails(1, &["`2024-01-31` is not a number"]);
        // A column of dates that is called numeric is one of days, for its model too.
        folder.run(&format!("learn dates.csv -t y -m {kind} --types x=numeric --evaluate none -o dates.tb --force")).ok();
        folder.run("classify dates.tb dates.csv").ok();
        folder.run("classify dates.tb x=2024-01-31").ok();
        folder.run("merge numbers.tb dates.tb -o both.tb").fails(1, &["`x` holds dates in one and numbers in the other"]);
    }
    folder.put("mixed.csv", "x,y\n5.1.2024,u\n3.5,v\n");
    folder.run("learn mixed.csv -t y --types x=numeric --evaluate none").fails(1, &["mixed.csv:2: column `x`: `5.1.2024` is not a number"]);
    folder.run("learn dates.csv -t y --weight x").fails(1, &["`5.1.2024` is not a weight"]);
}

/// A column that begins with as many zeros as are looked at may be one of amounts, of which each would become a state.
#[test]
fn a_few_whole_numbers_and_then_many_are_numbers() {
    let column = |later: &dyn Fn(usize) -> String| {
        let zeros = "0,u\n".repeat(65_536);
        let rest: String = (0..2_000).map(|row| format!("{},{}\n", later(row), ["u", "v"][row % 2])).collect();
        format!("x,y\n{zeros}{rest}")
    };
    let kind = |later: &dyn Fn(usize) -> String, flags: &str| {
        let folder = Folder::new().write("x.csv", column(later));
        let learned = folder.run(&format!("learn x.csv -t y --evaluate none --format json {flags}")).ok();
        learned.json()["columns"][0]["type"].as_str().unwrap().to_string()
    };
    assert_eq!(kind(&|row| format!("{}.5", row % 3), ""), "numeric");
    assert_eq!(kind(&|row| row.to_string(), ""), "numeric");
    assert_eq!(kind(&|row| (row % 900).to_string(), ""), "category");
    assert_eq!(kind(&|row| if row == 1_999 { "word".into() } else { format!("{row}.5") }, ""), "category");
    assert_eq!(kind(&|row| format!("{}.5", row % 3), "--types x=category"), "category");
}

/// A table is the same without its rows of no weight, whatever is learned from it and however it is judged.
#[test]
fn rows_of_no_weight_say_nothing() {
    let rows: String = (0..200)
        .map(|row| format!("{},{},1,{}\n", ["s", "t"][row * 7 % 10 / 6], ["p", "q"][row % 2], ["a", "b"][row * 3 % 7 / 4]))
        .collect();
    let header = "x,v,w,y\n";
    let folder =
        Folder::new().write("without.csv", format!("{header}{rows}")).write("with.csv", format!("{header}{rows}zz,p,0,z\ns,r,0,a\n"));
    let flags = "-t y --types x=category,v=category --weight w -o m.tb --force --format json";
    for kind in [
        "--evaluate none",
        "--calibrate sigmoid",
        "--costs a|b=9,b|a=2",
        "-m bernoulli",
        "-m nearest-centroid",
        "-m aode --evaluate none",
        "-m tan --evaluate none",
        "-m kdb:1 --evaluate none",
        "-m chow-liu --evaluate none",
    ] {
        let [without, with] = ["without", "with"].map(|name| {
            let learned = folder.run(&format!("learn {name}.csv {kind} {flags}")).ok().json();
            let answer = folder.run("classify m.tb x=s --format json").ok().json();
            let names: Vec<String> =
                learned["columns"].as_array().into_iter().flatten().map(|column| column["states"].to_string()).collect();
            (names, learned["evaluation"].clone(), learned["calibrated"].clone(), answer)
        });
        assert_eq!(with, without, "{kind}");
    }
}
