//! The same question of every row of a table.

use serde_json::{Value, json};

use crate::support::{Folder, assert_close, cells, keys};

#[test]
fn rows_are_answered_in_order_with_their_columns_as_findings() {
    let folder = Folder::with_networks();
    let rows = folder.run("ask asia.bif --rows patients.csv 'P(lung)'").ok();
    insta::assert_snapshot!("ask_rows", rows.transcript());
    let lines = folder.run("ask asia.bif --rows patients.csv 'P(lung)' --format jsonl --quiet").ok().silent().json_lines();
    assert_eq!(keys(&lines[0]), ["row", "table", "log_p_evidence"]);
    assert_eq!((lines.len(), &lines[3]["row"], keys(&lines[3]["table"][0])), (4, &json!(4), vec!["lung", "p"]));
    let single = folder.run("ask asia.bif 'P(lung | smoke=yes, dysp=yes)' --format json").ok().json();
    assert_close(&lines[3]["table"][0]["p"], single["table"][0]["p"].as_f64().unwrap(), 1e-12);
    assert_close(&lines[3]["log_p_evidence"], single["log_p_evidence"].as_f64().unwrap(), 1e-12);
    folder.run("ask asia.bif --rows patients.csv 'P(lung)' -o answers.jsonl --quiet").ok().silent();
    assert_eq!(folder.text("answers.jsonl").lines().count(), 4);
    folder.run("ask asia.bif --rows patients.csv 'P(lung)' -o answers.xyz").fails(2, &["--output"]);
    let more =
        folder.run("ask asia.bif --rows patients.csv 'argmax lung, bronc' 'P(tub=yes)' 'P(lung, bronc)' --log-likelihood --quiet").ok();
    let header = more.stdout().lines().next().unwrap();
    let expected = "row,\"argmax lung, bronc lung\",\"argmax lung, bronc bronc\",\"argmax lung, bronc p\",\"argmax lung, bronc log_p_joint\",\
        \"argmax lung, bronc log_p_evidence\",P(tub=yes) p,P(tub=yes) log_p_evidence,\"P(lung, bronc) p(lung=yes, bronc=yes)\",\
        \"P(lung, bronc) p(lung=yes, bronc=no)\",\"P(lung, bronc) p(lung=no, bronc=yes)\",\"P(lung, bronc) p(lung=no, bronc=no)\",\
        \"P(lung, bronc) log_p_evidence\"";
    assert_eq!(header, expected);
    let ben = cells(more.stdout()).remove(2);
    assert_eq!((ben.len(), &ben[..3]), (13, &["2", "no", "no"][..]));
    // The column of lung is a finding where lung is not asked for.
    let single = folder.run("ask asia.bif 'P(tub=yes | asia=yes, smoke=no, xray=yes, dysp=no, lung=no)' --format json").ok().json();
    assert_close(&ben[6].parse::<f64>().unwrap().into(), single["p"].as_f64().unwrap(), 1e-12);
    assert_close(&ben[7].parse::<f64>().unwrap().into(), single["log_p_evidence"].as_f64().unwrap(), 1e-12);
    let alone = folder.run("ask asia.bif --rows patients.csv --log-likelihood --quiet").ok();
    let ben = folder.run("ask asia.bif 'P(asia=yes, smoke=no, xray=yes, dysp=no, lung=no)' --format json").ok().json();
    assert_close(&cells(alone.stdout())[2][1].parse::<f64>().unwrap().into(), ben["p"].as_f64().unwrap().ln(), 1e-12);
    let in_all = folder.run("ask asia.bif --rows patients.csv --log-likelihood").ok();
    let sum: f64 = cells(alone.stdout())[1..].iter().map(|row| row[1].parse::<f64>().unwrap()).sum();
    in_all.notes(&[&format!("ln P(all rows) is {sum:.2}"), &format!("and the rows given it {:.2}", -sum * std::f64::consts::LOG2_E)]);
    let mpe = folder.run("ask asia.bif --rows patients.csv mpe --format jsonl --quiet").ok().json_lines();
    assert_eq!((&mpe[1]["assignment"]["lung"], mpe[1]["assignment"].as_object().unwrap().len()), (&json!("no"), 8));
}

#[test]
fn rows_that_cannot_be_and_states_that_are_not_known_do_not_stop_the_rest() {
    let folder = Folder::with_networks();
    folder.put("rows.csv", "tub,either,xray\nyes,no,yes\nno,yes,YES\nno,?,perhaps\n,,\n");
    let rows = folder.run("ask asia.bif --rows rows.csv 'P(lung)' --log-likelihood").ok();
    let rows = rows.notes(&["1 in `xray`", "1 row has probability zero under the network"]);
    let lines = cells(rows.stdout());
    assert_eq!((lines.len(), &lines[1][..]), (5, &["1", "", "", "", ""][..]));
    // Written in another case it is the state still; a blank is no finding.
    assert_eq!(lines[2][1], "yes");
    assert_close(&lines[4][2].parse::<f64>().unwrap().into(), 0.055, 1e-15);
    let json = folder.run("ask asia.bif --rows rows.csv 'P(lung)' --format jsonl --quiet").ok().json_lines();
    assert_eq!(json[0], json!({"row": 1, "impossible": true, "log_p_evidence": Value::Null}));
    folder.run("ask asia.bif --rows rows.csv 'P(lung)' --unknown-states error -o out.csv --quiet").fails(1, &["rows.csv:4", "perhaps"]);
    folder.put("strange.csv", "a,b\n1,2\n");
    folder.run("ask asia.bif --rows strange.csv 'P(lung)'").fails(1, &["no column", "strange.csv: has", "it has: a, b"]);
    folder.put("none.csv", "tub,either\n");
    folder.run("ask asia.bif --rows none.csv 'P(lung)'").ok().notes(&["there were no rows"]);
    let piped = folder.run_with_input("ask asia.bif --rows - 'P(lung=yes)' --quiet", "smoke\nyes\nno\n").ok();
    let lines = cells(piped.stdout());
    assert_eq!((lines[0].join(","), lines[2][0]), ("row,p".into(), "2"));
    for (line, p) in lines[1..].iter().zip([0.1, 0.01]) {
        assert_close(&line[1].parse::<f64>().unwrap().into(), p, 1e-15);
    }
}

/// Rows of alarm with about half of the variables observed, states drawn by a small generator.
fn alarm_rows(folder: &Folder, n_rows: usize) -> (Vec<String>, Vec<Vec<Option<String>>>) {
    let shown = folder.run("show alarm.bif --format json --quiet").ok().json();
    let variables = shown["variables"].as_array().unwrap();
    let names: Vec<String> = variables.iter().map(|v| v["name"].as_str().unwrap().to_string()).collect();
    let mut seed = 12_345_u64;
    let mut draw = |n: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize % n
    };
    let mut rows = Vec::new();
    for _ in 0..n_rows {
        let row = variables.iter().map(|v| {
            let states = v["states"].as_array().unwrap();
            let state = states[draw(states.len())].as_str().unwrap().to_string();
            (draw(2) == 0).then_some(state)
        });
        rows.push(row.collect());
    }
    (names, rows)
}

#[test]
fn a_batch_is_a_loop_of_questions_on_any_number_of_threads() {
    let folder = Folder::new();
    folder.testdata("alarm.bif");
    let (names, rows) = alarm_rows(&folder, 300);
    let lines = rows.iter().map(|row| row.iter().map(|cell| cell.clone().unwrap_or_default()).collect::<Vec<_>>().join(","));
    folder.put("rows.csv", format!("{}\n{}\n", names.join(","), lines.collect::<Vec<_>>().join("\n")));
    let batch = folder.run("ask alarm.bif --rows rows.csv 'P(LVFAILURE)' --format jsonl --quiet --threads 1").ok();
    let answers = batch.json_lines();
    assert_eq!(answers.len(), rows.len());
    // The same questions one by one, through a pipe.
    let question = |row: &Vec<Option<String>>| {
        let findings = names.iter().zip(row).filter(|(name, _)| *name != "LVFAILURE");
        let findings: Vec<String> = findings.filter_map(|(name, state)| Some(format!("{name}={}", state.as_ref()?))).collect();
        format!("P(LVFAILURE | {})\n", findings.join(", "))
    };
    // The first rows are enough: each question of a row that cannot be is asked why.
    const N_SINGLE: usize = 60;
    let questions: String = rows.iter().take(N_SINGLE).map(question).collect();
    let singles = folder.run_with_input("ask alarm.bif --format jsonl --quiet", questions).ok().json_lines();
    let mut n_possible = 0;
    for (answer, single) in answers.iter().zip(&singles) {
        assert_eq!(answer["impossible"], single["impossible"], "{single}");
        if answer["impossible"].is_null() {
            n_possible += 1;
            for state in 0..2 {
                assert_close(&answer["table"][state]["p"], single["table"][state]["p"].as_f64().unwrap(), 1e-11);
            }
            assert_close(&answer["log_p_evidence"], single["log_p_evidence"].as_f64().unwrap(), 1e-9);
        }
    }
    assert!((10..=N_SINGLE).contains(&n_possible), "{n_possible}");
    for threads in ["2", "7"] {
        let again = folder.run(&format!("ask alarm.bif --rows rows.csv 'P(LVFAILURE)' --format jsonl --quiet --threads {threads}")).ok();
        assert_eq!(again.bytes, batch.bytes, "{threads} threads");
    }
    let csv =
        |threads: &str| folder.run(&format!("ask alarm.bif --rows rows.csv 'P(LVFAILURE)' 'P(*)' --quiet --threads {threads}")).ok().bytes;
    assert_eq!(csv("1"), csv("2"));
}

#[test]
fn the_columns_of_the_data_are_kept_where_that_is_asked_for() {
    let folder = Folder::with_networks();
    let plain = folder.run("ask asia.bif --rows patients.csv 'P(lung)' --quiet").ok();
    let kept = folder.run("ask asia.bif --rows patients.csv 'P(lung)' --keep-columns").ok();
    insta::assert_snapshot!("ask_rows_kept", kept.transcript());
    // The number of the row, the row as it stands, and the answers that there are without it.
    let rows = folder.text("patients.csv");
    for ((kept, plain), row) in kept.stdout().lines().zip(plain.stdout().lines()).zip(rows.lines()) {
        let (number, answers) = plain.split_once(',').unwrap();
        assert_eq!(kept, format!("{number},{row},{answers}"));
    }
    // What is added is made unlike what is there.
    folder.put("clash.csv", "row,p,smoke,xray,log_p_evidence\na,b,yes,no,c\n\"d,e\",,no,,\n");
    let clash = folder.run("ask asia.bif --rows clash.csv 'argmax lung, smoke' --keep-columns --log-likelihood --quiet").ok();
    let header = "row_2,row,p,smoke,xray,log_p_evidence,lung,smoke_2,p_2,log_p_joint,log_p_evidence_2";
    assert_eq!(clash.stdout().lines().next(), Some(header));
    assert!(clash.stdout().lines().nth(2).unwrap().starts_with("2,\"d,e\",,no,,,no,no,"), "{}", clash.stdout());
    let lines = folder.run("ask asia.bif --rows clash.csv 'P(lung)' 'P(tub=yes)' --keep-columns --format jsonl --quiet").ok().json_lines();
    assert_eq!((lines.len(), keys(&lines[3])), (4, vec!["row", "query", "p", "log_p_evidence", "input"]));
    assert_eq!(lines[3]["input"], json!({"row": "d,e", "p": null, "smoke": "no", "xray": null, "log_p_evidence": null}));
    assert_eq!(lines[2]["input"], lines[3]["input"]);
    // Rows that cannot be have their columns too, and no answer.
    folder.put("never.csv", "tub,either,id\nyes,no,17\nno,no,18\n");
    let never = folder.run("ask asia.bif --rows never.csv 'P(lung)' --keep-columns --quiet").ok();
    assert_eq!(never.stdout().lines().nth(1), Some("1,yes,no,17,,,"));
    let never = folder.run("ask asia.bif --rows never.csv 'P(lung)' --keep-columns --format jsonl --quiet").ok().json_lines();
    assert_eq!((&never[0]["impossible"], &never[0]["input"]["id"]), (&json!(true), &json!(17)));
    folder.run("ask asia.bif 'P(lung)' --keep-columns").fails(2, &["--keep-columns", "--rows"]);
    folder.put("other.csv", "id,tub,either\n1,no,no\n");
    folder.run("ask asia.bif --rows never.csv other.csv 'P(lung)' --keep-columns").fails(2, &["other.csv"]);
    folder
        .run("ask asia.bif --rows never.csv --rows other.csv 'P(lung)' --keep-columns")
        .fails(1, &["other.csv", "another order", "one by one"]);
    folder.run("ask asia.bif --rows never.csv --rows other.csv 'P(lung)' --quiet").ok();
}

/// Whatever the format of the rows, and whichever engine answers them, every row keeps its own columns.
#[test]
fn kept_columns_stay_with_their_rows() {
    let folder = Folder::new();
    folder.testdata("alarm.bif");
    let (names, rows) = alarm_rows(&folder, 3000);
    let lines = rows.iter().enumerate().map(|(id, row)| {
        let cells: Vec<String> = row.iter().map(|cell| cell.clone().unwrap_or_default()).collect();
        format!("{id};{}", cells.join(";"))
    });
    folder.put("rows.csv", format!("id;{}\n{}\n", names.join(";"), lines.collect::<Vec<_>>().join("\n")));
    let objects = rows.iter().enumerate().map(|(id, row)| {
        let cells = names.iter().zip(row).map(|(name, cell)| (name.clone(), json!(cell)));
        json!(std::iter::once(("id".to_string(), json!(id))).chain(cells).collect::<serde_json::Map<_, _>>()).to_string()
    });
    folder.put("rows.jsonl", objects.collect::<Vec<_>>().join("\n"));
    // The last is answered by the tree, row by row, on other threads than those that read.
    for question in ["'P(LVFAILURE)'", "'P(LVFAILURE, CVP)' 'P(HR)'", "'P(*)'"] {
        let ask = |data: &str, more: &str| folder.run(&format!("ask alarm.bif --rows {data} {question} --quiet {more}")).ok();
        let plain = ask("rows.csv", "");
        let kept = ask("rows.csv", "--keep-columns --threads 1");
        assert!(kept.bytes == ask("rows.csv", "--keep-columns --threads 5").bytes, "{question}");
        for (place, (kept, plain)) in kept.stdout().lines().zip(plain.stdout().lines()).enumerate().skip(1) {
            let row: Vec<&str> = kept.split(',').collect();
            let cells: Vec<&str> = rows[place - 1].iter().map(|cell| cell.as_deref().unwrap_or_default()).collect();
            assert_eq!((row[0], row[1], &row[2..2 + names.len()]), (&*place.to_string(), &*(place - 1).to_string(), &cells[..]));
            assert_eq!(row[2 + names.len()..].join(","), plain.split_once(',').unwrap().1, "{question}");
        }
        // The same rows in another format are the same rows.
        assert!(ask("rows.jsonl", "--keep-columns").bytes == kept.bytes, "{question}");
        let lines = ask("rows.jsonl", "--keep-columns --format jsonl").json_lines();
        for line in lines.iter().step_by(97) {
            let id = line["row"].as_u64().unwrap() as usize - 1;
            assert_eq!(
                (&line["input"]["id"], line["input"]["HR"].as_str()),
                (&json!(id), rows[id][names.iter().position(|n| n == "HR").unwrap()].as_deref())
            );
        }
    }
}
