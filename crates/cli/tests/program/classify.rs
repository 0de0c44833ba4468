//! `classify`: rows in any format, answers in any other.

use serde_json::{Value, json};

use crate::support::{Folder, cells};

#[test]
fn records_of_csv_are_passed_on_byte_for_byte() {
    let folder = Folder::with_model();
    // Quotes, spaces, columns in another order and of no concern to the model, and an empty line, which is no row.
    let records = ["\"Sunny\",  7 ,\"High, or so\",\"a \"\"quoted\"\" word\",High,Weak", "Rain,,x, y ,Normal,\"Strong\"", "?,0,,,NA,"];
    let text = format!("Outlook,day,note,\"the rest\",Humidity,Wind\n{}\r\n{}\n\n{}", records[0], records[1], records[2]);
    folder.put("days.csv", text);
    let answered = folder.run("classify play_tennis.tb days.csv").ok().notes(&["no column `Temperature`: read as missing"]);
    let mut lines = answered.stdout().lines();
    assert_eq!(lines.next(), Some("Outlook,day,note,the rest,Humidity,Wind,predicted,p(No),p(Yes)"));
    for record in records {
        let line = lines.next().unwrap();
        let added = line.strip_prefix(record).unwrap_or_else(|| panic!("{line}"));
        let added: Vec<&str> = added.split(',').collect();
        assert_eq!(added.len(), 4, "{line}");
        let (no, yes): (f64, f64) = (added[2].parse().unwrap(), added[3].parse().unwrap());
        assert!((no + yes - 1.0).abs() < 1e-12);
        assert_eq!(added[1] == "No", no > yes);
    }
    assert_eq!(lines.next(), None);
}

#[test]
fn the_delimiter_of_the_input_is_that_of_the_output() {
    let folder = Folder::with_model();
    folder.put("days.tsv", "Outlook\tHumidity\tWind\tTemperature\nSunny\tHigh\tWeak\tHot\n");
    folder.put("days.csv", "Outlook;Humidity;Wind;Temperature\nSunny;High;Weak;Hot\n");
    let tabs = folder.run("classify play_tennis.tb days.tsv").ok().silent();
    let semicolons = folder.run("classify play_tennis.tb days.csv").ok().silent();
    assert!(
        tabs.stdout().starts_with("Outlook\tHumidity\tWind\tTemperature\tpredicted\tp(No)\tp(Yes)\nSunny\tHigh\tWeak\tHot\tNo\t0.6879")
    );
    assert_eq!(tabs.stdout().replace('\t', ";"), semicolons.stdout());
}

/// Every format in, every format out: the same answers. Columnar files are made by the program and read by it again.
#[test]
fn every_format_gives_the_same_answers() {
    let folder = Folder::with_model();
    let days = folder.text("play_tennis.csv");
    let rows = &cells(&days)[1..];
    let names = ["Outlook", "Temperature", "Humidity", "Wind"];
    let json_lines: String = rows
        .iter()
        .map(|row| {
            let object: serde_json::Map<String, Value> = names.iter().zip(row).map(|(n, v)| (n.to_string(), json!(v))).collect();
            format!("{}\n", Value::Object(object))
        })
        .collect();
    folder.put("days.jsonl", json_lines);
    let data: String = rows.iter().map(|row| row[..4].join(",") + "\n").collect();
    let attributes = "@attribute Outlook {Sunny,Overcast,Rain}\n@attribute Temperature {Hot,Mild,Cool}\n\
                      @attribute Humidity {High,Normal}\n@attribute Wind {Weak,Strong}\n";
    folder.put("days.arff", format!("@relation days\n{attributes}@data\n{data}"));
    folder.put("days.csv", format!("{}\n{data}", names.join(",")));
    for columnar in ["parquet", "arrow"] {
        folder.run(&format!("classify play_tennis.tb days.csv -o days.{columnar}")).ok().silent();
    }
    let reference: Vec<Value> = folder.run("classify play_tennis.tb days.csv --format jsonl").ok().json_lines();
    for input in ["csv", "jsonl", "arff", "parquet", "arrow"] {
        for output in ["csv", "jsonl", "parquet", "arrow"] {
            let made = format!("from_{input}.{output}");
            folder.run(&format!("classify play_tennis.tb days.{input} -o {made}")).ok().silent();
            let flag = folder.run(&format!("classify play_tennis.tb days.{input} --format {output}")).ok().silent();
            assert_eq!(flag.bytes, folder.bytes(&made), "{made}");
            if output == "jsonl" {
                for (row, expected) in flag.json_lines().iter().zip(&reference) {
                    assert_eq!((&row["row"], &row["predicted"]), (&expected["row"], &expected["predicted"]), "{made}");
                    assert_eq!(row["probability"], expected["probability"], "{made}");
                }
                continue;
            }
            // What was made is read again: its answers are among the columns that are passed on, and are given once more.
            let again = folder.run(&format!("classify play_tennis.tb {made} --format jsonl")).ok().silent().json_lines();
            assert_eq!(again.len(), 14, "{made}");
            // Files that had answers already have their names taken.
            let second = if matches!(input, "parquet" | "arrow") { "_2" } else { "" };
            for (row, expected) in again.iter().zip(&reference) {
                assert_eq!(row["input"][format!("predicted{second}")], expected["predicted"], "{made}");
                assert_eq!(row["input"][format!("p(No){second}")], expected["probability"]["No"], "{made}");
                assert_eq!(row["probability"], expected["probability"], "{made}");
            }
        }
    }
}

#[test]
fn standard_input_is_a_file_like_any_other() {
    let folder = Folder::with_model();
    let from_file = folder.run("classify play_tennis.tb play_tennis.csv").ok();
    let from_input = folder.run_with_input("classify play_tennis.tb -", folder.bytes("play_tennis.csv")).ok().silent();
    assert_eq!(from_input.bytes, from_file.bytes);
    let learned = folder.run_with_input("learn - --target PlayTennis -o piped.tb", folder.bytes("play_tennis.csv")).ok();
    assert!(learned.stdout().starts_with("standard input: 14 rows, 5 columns\n"), "{}", learned.stdout());
    assert_eq!(folder.bytes("piped.tb"), folder.bytes("play_tennis.tb"));
    folder.run("classify play_tennis.tb play_tennis.csv -o days.parquet").ok();
    let parquet = folder.run_with_input("learn - -t PlayTennis -o parquet.tb --ignore 'p*'", folder.bytes("days.parquet")).ok();
    assert!(parquet.stdout().contains("14 rows, 8 columns"), "{}", parquet.stdout());
    let explained = folder.run_with_input("explain play_tennis.tb - --row 7", folder.bytes("play_tennis.csv")).ok();
    assert!(explained.stdout().contains("Outlook = Overcast"));
}

#[test]
fn a_value_that_is_no_state_is_missing_or_an_error() {
    let folder = Folder::with_model();
    folder.put(
        "days.csv",
        "Outlook,Temperature,Humidity,Wind\nFoggy,Hot,High,Weak\n,Hot,High,Weak\nFoggy,Hot,Damp,Weak\nsunny,Hot,High,Weak\n",
    );
    let answered = folder.run("classify play_tennis.tb days.csv").ok();
    let answered = answered.notes(&["no known state", "2 in `Outlook`, 1 in `Humidity`"]);
    let rows = cells(answered.stdout());
    assert_eq!(rows[1][4..], rows[2][4..], "an unknown state counts as a missing value");
    folder.run("classify play_tennis.tb days.csv --quiet").ok().silent();
    let refused = folder.run("classify play_tennis.tb days.csv --unknown-states error -o out.csv");
    refused.fails(1, &["days.csv:2", "column `Outlook`", "`Foggy` is not one of its states", "--unknown-states missing"]);
    assert!(!folder.path("out.csv").exists());
    // As a case, too.
    folder.run("classify play_tennis.tb Outlook=Foggy").ok().notes(&["`Foggy` is no known state of `Outlook`"]);
    let near = folder.run("classify play_tennis.tb Outlook=Suny --unknown-states error");
    near.fails(1, &["`Suny` is no known state of `Outlook`", "did you mean `Sunny`?"]);
    folder.run("classify play_tennis.tb Outlook=sunny --unknown-states error").ok().silent();
    let explained = folder.run("explain play_tennis.tb Outlook=Foggy Wind=Weak").ok().notes(&["`Foggy` is no known state"]);
    assert!(explained.stdout().contains("Outlook is left out: a state never seen in learning\n"), "{}", explained.stdout());
}

#[test]
fn columns_may_be_absent_but_not_all() {
    let folder = Folder::with_model();
    folder.put("days.csv", "Wind,Outlook\nWeak,Sunny\n");
    let answered = folder.run("classify play_tennis.tb days.csv --format jsonl").ok();
    let answered = answered.notes(&["no column `Temperature`, `Humidity`: read as missing"]);
    let case = folder.run("classify play_tennis.tb Wind=Weak Outlook=Sunny --format json").ok().silent();
    assert_eq!(answered.json()["probability"], case.json()["probability"]);
    folder.put("other.csv", "wind,outlook\nWeak,Sunny\n");
    let other = folder.run("classify play_tennis.tb other.csv");
    other.fails(1, &["no column `Outlook`, `Temperature`, `Humidity`, `Wind`", "wind, outlook"]);
}

#[test]
fn the_target_may_be_there_or_not() {
    let folder = Folder::with_model();
    let with = folder.run("classify play_tennis.tb play_tennis.csv --format jsonl").ok().silent().json_lines();
    let text: String = folder.text("play_tennis.csv").lines().map(|line| line.rsplit_once(',').unwrap().0.to_string() + "\n").collect();
    folder.put("days.csv", text);
    let without = folder.run("classify play_tennis.tb days.csv --format jsonl").ok().silent().json_lines();
    for (with, without) in with.iter().zip(&without) {
        assert_eq!(with["probability"], without["probability"]);
    }
}

/// Under maximum likelihood a row can be impossible: an answer of its own, not a NaN.
#[test]
fn an_impossible_row_gets_no_answer_and_a_remark() {
    let folder = Folder::new().write("ab.csv", "a,b,y\n1,1,p\n1,1,p\n2,2,q\n2,2,q\n");
    folder.run("learn ab.csv -t y --estimate ml --types '*=category'").ok();
    folder.put("new.csv", "a,b\n1,2\n1,1\n");
    let note = "1 row has probability zero under the model and got no answer";
    assert_eq!(folder.run("classify ab.tb new.csv").ok().notes(&[note]).stdout(), "a,b,predicted,p(p),p(q)\n1,2,,,\n1,1,p,1.0,0.0\n");
    let rows = folder.run("classify ab.tb new.csv --format jsonl").ok().notes(&[note]).json_lines();
    let impossible = json!({"row": 1, "predicted": null, "probability": null, "impossible": true, "input": {"a": 1, "b": 2}});
    assert_eq!(rows[0], impossible);
    folder.run("classify ab.tb new.csv -o new.parquet").ok().notes(&[note]);
    folder.put("three.csv", "a,b,y\n1,1,p\n1,1,p\n2,2,q\n2,2,q\n1,3,q\n");
    let passed_on = folder.run("classify ab.tb new.parquet --format jsonl").ok().json_lines();
    assert_eq!((&passed_on[0]["input"]["predicted"], &passed_on[0]["input"]["p(p)"]), (&Value::Null, &Value::Null));
    let case = folder.run("classify ab.tb a=1 b=2 --format json").ok().json();
    assert_eq!(case, json!({"row": 1, "predicted": null, "probability": null, "impossible": true}));
    assert_eq!(folder.run("classify ab.tb a=1 b=2").ok().stdout(), "This evidence has probability zero under the model.\n");
    let explained = folder.run("explain ab.tb a=1 b=2").ok();
    assert_eq!(explained.stdout(), "This evidence has probability zero under the model: p and q are both impossible.\n");
}

#[test]
fn a_file_of_no_rows_gives_a_file_of_no_rows() {
    let folder = Folder::with_model();
    folder.put("none.csv", "Outlook,Temperature,Humidity,Wind\n");
    let answered = folder.run("classify play_tennis.tb none.csv").ok().notes(&["there were no rows"]);
    assert_eq!(answered.stdout(), "Outlook,Temperature,Humidity,Wind,predicted,p(No),p(Yes)\n");
    assert_eq!(folder.run("classify play_tennis.tb none.csv --format jsonl").ok().stdout(), "");
    for columnar in ["parquet", "arrow"] {
        folder.run(&format!("classify play_tennis.tb none.csv -o none.{columnar}")).ok();
        let again = folder.run(&format!("classify play_tennis.tb none.{columnar}")).ok();
        assert_eq!(again.stdout().lines().count(), 1);
        assert!(again.stdout().starts_with("Outlook,Temperature,Humidity,Wind,predicted,p(No),p(Yes),predicted_2,"));
    }
    folder.put("empty.csv", "");
    folder.run("classify play_tennis.tb empty.csv").fails(1, &["empty.csv: is empty"]);
}

#[test]
fn a_blank_is_null_where_there_is_such_a_thing() {
    let folder = Folder::with_model();
    folder.put("gaps.csv", "Outlook,Temperature,Humidity,Wind,Note\nSunny,,High,,\nRain,Cool,\"\",Weak,seen\n");
    let blanks = [["Temperature", "Wind", "Note"].as_slice(), &["Humidity"]];
    let of_csv = folder.run("classify play_tennis.tb gaps.csv --format jsonl").ok().json_lines();
    folder.run("classify play_tennis.tb gaps.csv -o gaps.parquet").ok();
    let of_parquet = folder.run("classify play_tennis.tb gaps.parquet --format jsonl").ok().json_lines();
    for (rows, n_columns) in [(&of_csv, 5), (&of_parquet, 8)] {
        for (row, blanks) in rows.iter().zip(blanks) {
            let input = row["input"].as_object().unwrap();
            let null: Vec<&str> = input.iter().filter(|(_, value)| value.is_null()).map(|(name, _)| name.as_str()).collect();
            assert_eq!((input.len(), null), (n_columns, blanks.to_vec()));
        }
    }
    assert!(folder.run("classify play_tennis.tb gaps.csv").ok().stdout().contains("\nSunny,,High,,,No,"));
}

#[test]
fn several_files_are_one_table() {
    let folder = Folder::with_model();
    let days = folder.text("play_tennis.csv");
    let lines: Vec<&str> = days.lines().collect();
    folder.put("part1.csv", lines[..6].join("\n") + "\n");
    folder.put("part2.csv", format!("{}\n{}", lines[0], lines[6..].join("\n")));
    let whole = folder.run("classify play_tennis.tb play_tennis.csv --format jsonl").ok();
    assert_eq!(folder.run("classify play_tennis.tb part1.csv part2.csv --format jsonl").ok().bytes, whole.bytes);
    assert_eq!(folder.run("classify play_tennis.tb 'part*.csv' --format jsonl").ok().bytes, whole.bytes);
    folder.run("learn part1.csv part2.csv -t PlayTennis -o parts.tb").ok();
    assert_eq!(folder.bytes("parts.tb"), folder.bytes("play_tennis.tb"));
    folder.put("other.csv", "Wind,Outlook\nWeak,Sunny\n");
    folder.run("classify play_tennis.tb part1.csv other.csv").fails(1, &["other.csv", "one by one"]);
}

#[test]
fn the_target_is_no_evidence_for_itself() {
    let folder = Folder::with_model();
    for verb in ["classify", "explain"] {
        let refused = folder.run(&format!("{verb} play_tennis.tb Wind=Weak PlayTennis=Yes"));
        refused.fails(1, &["`PlayTennis` is what the model predicts", "leave it out"]);
    }
}

#[test]
fn the_output_names_its_format_or_is_refused() {
    let folder = Folder::with_model();
    let refused = folder.run("classify play_tennis.tb play_tennis.csv -o answers.xlsx");
    refused.fails(2, &["--output", "answers.xlsx", "--format"]);
    folder.run("classify play_tennis.tb play_tennis.csv -o answers.xlsx --format csv").ok();
    folder.run("classify play_tennis.tb play_tennis.csv -o answers").ok();
    assert_eq!(folder.bytes("answers"), folder.bytes("answers.xlsx"));
}

/// A slip of the fingers must not cost a model.
#[test]
fn answers_do_not_replace_a_model() {
    let folder = Folder::with_model();
    let model = folder.bytes("play_tennis.tb");
    let refused = folder.run("classify play_tennis.tb play_tennis.csv --format csv -o play_tennis.tb");
    refused.fails(1, &["play_tennis.tb", "is a Tunbridge model"]);
    assert_eq!(folder.bytes("play_tennis.tb"), model);
}

/// A failed run leaves what was there, and nothing else.
#[test]
fn a_failure_leaves_the_old_answers() {
    let folder = Folder::with_model();
    let mut text = folder.text("play_tennis.csv");
    text.push_str("too,few\n");
    folder.put("days.csv", text);
    folder.put("answers.csv", "old\n");
    let before = folder.names();
    folder.run("classify play_tennis.tb days.csv -o answers.csv").fails(1, &["days.csv:16: 2 cells where the header has 5"]);
    assert_eq!(folder.text("answers.csv"), "old\n");
    assert_eq!(folder.names(), before);
    let skipped = folder.run("classify play_tennis.tb days.csv -o answers.csv --on-bad-row skip").ok();
    skipped.notes(&["1 malformed row was skipped, the first at days.csv:16: 2 cells where the header has 5"]);
    assert_eq!(folder.text("answers.csv").lines().count(), 15);
}

/// What is read from is not overwritten, whatever it is called.
#[test]
fn answers_do_not_replace_the_rows_they_are_of() {
    let folder = Folder::with_model();
    let days = folder.text("play_tennis.csv");
    std::fs::create_dir(folder.path("sub")).unwrap();
    for inputs in ["play_tennis.csv", "sub/../play_tennis.csv", "'play*.csv'"] {
        let refused = folder.run(&format!("classify play_tennis.tb {inputs} -o play_tennis.csv"));
        refused.fails(1, &["play_tennis.csv: is read from, and answers would replace it", "--output"]);
    }
    assert_eq!(folder.text("play_tennis.csv"), days);
    folder.run("classify play_tennis.tb play_tennis.csv -o answers.csv").ok();
    folder.run("classify play_tennis.tb play_tennis.csv -o answers.csv").ok();
}

/// Costs and losses are read like the rows.
#[test]
fn answers_do_not_replace_costs_or_losses() {
    let folder = Folder::with_model();
    folder.put("costs.csv", "said,No,Yes\nNo,0,1\nYes,2,0\n");
    folder.put("loss.csv", "action,No,Yes\na,0,1\nb,2,0\n");
    for name in ["costs", "loss"] {
        let before = folder.bytes(&format!("{name}.csv"));
        folder
            .run(&format!("classify play_tennis.tb play_tennis.csv --{name} {name}.csv -o ./{name}.csv"))
            .fails(1, &["is read from, and answers would replace it"]);
        assert_eq!(folder.bytes(&format!("{name}.csv")), before);
    }
    folder
        .run("learn play_tennis.csv -t PlayTennis --costs costs.csv -o costs.csv --force")
        .fails(1, &["is read from, and the model would replace it"]);
}

#[test]
fn standard_input_is_named_once() {
    let folder = Folder::with_model();
    folder.run("classify play_tennis.tb - -").fails(1, &["standard input: is named twice"]);
}
