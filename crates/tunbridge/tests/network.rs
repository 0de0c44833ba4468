//! Networks in files: whatever their format, packed or broken, and questions put to rows.

use std::io::Write;
use std::path::{Path, PathBuf};

use tunbridge::data::{ReadOptions, UnknownStates};
use tunbridge::net::ask::{Outcome, Question, Value};
use tunbridge::net::query::Query;
use tunbridge::network::{self, FormatKind, NetworkFile, RowAnswer, RowQuestions};

fn testdata(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/networks").join(name)
}

fn marginal(file: &NetworkFile, question: &str) -> Vec<f64> {
    let reply = file.oracle(1 << 30).answer(&question.parse().unwrap()).unwrap();
    match reply.outcome {
        Outcome::Found { value: Value::Table(table), .. } => table.probabilities,
        other => panic!("{other:?}"),
    }
}

#[test]
fn packed_files_are_networks_too() {
    let folder = tempfile::tempdir().unwrap();
    let plain = std::fs::read(testdata("asia.bif")).unwrap();
    let expected = marginal(&NetworkFile::open(&testdata("asia.bif")).unwrap(), "P(lung | xray=yes)");
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(&plain).unwrap();
    // The first words say the format, whatever the name.
    for (name, bytes) in [("asia.bif.gz", gzip.finish().unwrap()), ("asia.zst", zstd_of(&plain)), ("asia", plain.clone())] {
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        let file = NetworkFile::open(&path).unwrap();
        assert_eq!((file.format, marginal(&file, "P(lung | xray=yes)")), (FormatKind::Bif, expected.clone()), "{name}");
    }
}

fn zstd_of(bytes: &[u8]) -> Vec<u8> {
    zstd::encode_all(bytes, 1).unwrap()
}

#[test]
fn broken_files_are_told_of_and_never_a_panic() {
    let folder = tempfile::tempdir().unwrap();
    let file = NetworkFile::open(&testdata("asia.bif")).unwrap();
    for format in FormatKind::ALL {
        let text = network::written(&file, format).unwrap().text.into_bytes();
        let path = folder.path().join(format!("cut.{format}"));
        for place in (0..text.len()).step_by(text.len() / 40 + 1) {
            std::fs::write(&path, &text[..place]).unwrap();
            if let Err(error) = NetworkFile::open(&path) {
                assert!(error.to_string().contains("cut.") && error.hint().is_some(), "{error}");
            }
            let mut changed = text.clone();
            changed[place] = b'{';
            std::fs::write(&path, &changed).unwrap();
            let _ = NetworkFile::open(&path).map(|file| file.domain().n_variables());
        }
    }
    let missing = NetworkFile::open(&folder.path().join("missing.bif")).unwrap_err();
    assert!(missing.to_string().contains("missing.bif"), "{missing}");
    let folder_itself = NetworkFile::open(folder.path()).unwrap_err();
    assert!(folder_itself.hint().is_some(), "{folder_itself}");
}

#[test]
fn nothing_but_a_network_is_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let file = NetworkFile::open(&testdata("cancer.bif")).unwrap();
    let path = folder.path().join("net.uai");
    let saved = network::save(&file, &path, FormatKind::Uai, false).unwrap();
    assert_eq!(saved.beside, [folder.path().join("net.uai.names")]);
    assert_eq!(marginal(&NetworkFile::open(&path).unwrap(), "P(Cancer)"), marginal(&file, "P(Cancer)"));
    network::save(&file, &path, FormatKind::Bif, false).unwrap();
    let notes = folder.path().join("notes.txt");
    std::fs::write(&notes, "milk").unwrap();
    assert!(network::save(&file, &notes, FormatKind::Bif, false).is_err());
    network::save(&file, &notes, FormatKind::Bif, true).unwrap();
}

#[test]
fn rows_say_what_single_questions_say() {
    let folder = tempfile::tempdir().unwrap();
    let rows = folder.path().join("rows.csv");
    std::fs::write(&rows, "xray,smoke,tub,either\nyes,no,,\n,,yes,no\nno,yes,no,\n,,,\n").unwrap();
    let file = NetworkFile::open(&testdata("asia.bif")).unwrap();
    let oracle = file.oracle(1 << 30);
    let queries: Vec<Query> =
        ["P(lung)", "P(lung, bronc | asia=yes)", "argmax:2 lung, bronc", "H(dysp)"].map(|q| q.parse().unwrap()).to_vec();
    let options = || (ReadOptions { threads: 2, ..ReadOptions::default() }, UnknownStates::Error);
    let questions = RowQuestions::open(&oracle, &queries, &[], &[&rows], options()).unwrap();
    let mut all: Vec<Vec<RowAnswer>> = Vec::new();
    let write = |made: &mut Vec<Vec<RowAnswer>>, answers: &[RowAnswer], row: &[u8]| {
        assert!(row.is_empty(), "rows are passed on if that is asked for");
        made.push(answers.to_vec());
    };
    let take = |made| {
        all.extend(made);
        Ok(())
    };
    questions.answer(write, take).unwrap();
    let given = ["xray=yes, smoke=no", "tub=yes, either=no", "xray=no, smoke=yes, tub=no", ""];
    assert_eq!(all.len(), given.len());
    for (answers, given) in all.iter().zip(given) {
        let findings = network::findings(oracle.domain(), given).unwrap();
        for (query, answer) in queries.iter().zip(answers) {
            let mut question = Question::resolve(oracle.domain(), query).unwrap();
            question.findings.extend_from_slice(&findings);
            match (oracle.reply(&question).unwrap().outcome, answer) {
                (Outcome::Impossible { .. }, RowAnswer::Impossible) => assert_eq!(given, "tub=yes, either=no"),
                (Outcome::Found { value: single, ln_p_evidence }, RowAnswer::Found(Outcome::Found { value, ln_p_evidence: of_row })) => {
                    assert!((ln_p_evidence - of_row).abs() < 1e-12, "{query} | {given}");
                    match (single, value) {
                        (Value::Table(single), Value::Table(of_row)) => {
                            assert_eq!(single.variables, of_row.variables);
                            let apart =
                                single.probabilities.iter().zip(&of_row.probabilities).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
                            assert!(apart < 1e-12, "{query} | {given}: {apart}");
                        }
                        (single, of_row) => assert_eq!(single, *of_row, "{query} | {given}"),
                    }
                }
                (single, of_row) => panic!("{query} | {given}: {single:?}, but {of_row:?}"),
            }
        }
    }
    let graph: Query = "lung ⟂ tub".parse().unwrap();
    assert!(RowQuestions::open(&oracle, &[graph], &[], &[&rows], options()).is_err());
}

/// Rows whose numbers are too faint for their parts are left to the tree, wherever they stand among others.
#[test]
fn rows_that_parts_cannot_answer_stand_in_their_places() {
    let folder = tempfile::tempdir().unwrap();
    let (path, rows) = (folder.path().join("faint.bif"), folder.path().join("rows.csv"));
    let mut text = String::from("network faint {}\nvariable H { type discrete [2] { a, b }; }\nprobability ( H ) { table 0.25, 0.75; }\n");
    for name in ["X", "Y", "Z"] {
        text += &format!("variable {name} {{ type discrete [2] {{ rare, often }}; }}\n");
        text += &format!("probability ( {name} | H ) {{ (a) 1e-140, 1.0; (b) 2e-140, 1.0; }}\n");
    }
    std::fs::write(&path, text).unwrap();
    let is_faint = |row: usize| row % 700 == 650;
    let lines = (0..2500).map(|row| if is_faint(row) { "rare,rare,rare\n" } else { ["rare,,\n", ",often,\n"][row % 2] });
    std::fs::write(&rows, String::from("X,Y,Z\n") + &lines.collect::<String>()).unwrap();
    let file = NetworkFile::open(&path).unwrap();
    let oracle = file.oracle(1 << 30);
    let queries: Vec<Query> = vec!["P(H)".parse().unwrap()];
    for threads in [1, 2, 5] {
        let options = (ReadOptions { threads, ..ReadOptions::default() }, UnknownStates::Error);
        let questions = RowQuestions::open(&oracle, &queries, &[], &[&rows], options).unwrap().without_ln_p();
        let mut all: Vec<RowAnswer> = Vec::new();
        let write = |made: &mut Vec<RowAnswer>, answers: &[RowAnswer], _: &[u8]| made.extend_from_slice(answers);
        let take = |made| {
            all.extend(made);
            Ok(())
        };
        questions.answer(write, take).unwrap();
        assert_eq!(all.len(), 2500);
        for (row, answer) in all.iter().enumerate() {
            // The odds of a are 1 to 3 before, and are halved by whatever is rare.
            let odds = if is_faint(row) { 24.0 } else { [6.0, 3.0][row % 2] };
            let (RowAnswer::FoundAlone(Value::Table(found)) | RowAnswer::Found(Outcome::Found { value: Value::Table(found), .. })) = answer
            else {
                panic!("row {row}: {answer:?}")
            };
            assert!((found.probabilities[0] - 1.0 / (1.0 + odds)).abs() < 1e-12, "row {row}: {found:?}");
            assert_eq!(matches!(answer, RowAnswer::Found(_)), is_faint(row), "row {row}");
        }
    }
}

/// Parts of rows are remembered by each thread: whatever it met before, the answers are the same, bit for bit, and those of single questions.
#[test]
fn rows_are_the_same_on_any_number_of_threads() {
    let folder = tempfile::tempdir().unwrap();
    let rows = folder.path().join("rows.csv");
    let file = NetworkFile::open(&testdata("alarm.bif")).unwrap();
    let oracle = file.oracle(1 << 30);
    let domain = oracle.domain();
    let mut text = domain.names().join(",") + "\n";
    let (mut state, mut given) = (1_u64, Vec::new());
    let mut draw = |bound: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % bound
    };
    for _ in 0..600 {
        let mut cells = Vec::new();
        let mut findings = Vec::new();
        for variable in domain.variables() {
            let states = domain.states(variable);
            let seen = (draw(2) == 0).then(|| &states[draw(states.len())]);
            cells.push(seen.map_or("", String::as_str));
            findings.extend(seen.map(|state| format!("{}={state}", domain.name(variable))));
        }
        text += &(cells.join(",") + "\n");
        given.push(findings);
    }
    std::fs::write(&rows, text).unwrap();
    let queries: Vec<Query> =
        ["P(LVFAILURE)", "P(HYPOVOLEMIA, CO | HR ~ [1, 2, 1])", "P(VENTALV=LOW)"].map(|q| q.parse().unwrap()).to_vec();
    let answers = |threads: usize, with_ln_p: bool| {
        let options = (ReadOptions { threads, ..ReadOptions::default() }, UnknownStates::Error);
        let questions = RowQuestions::open(&oracle, &queries, &[], &[&rows], options).unwrap();
        let questions = if with_ln_p { questions } else { questions.without_ln_p() };
        let mut all: Vec<Vec<RowAnswer>> = Vec::new();
        let write = |made: &mut Vec<Vec<RowAnswer>>, answers: &[RowAnswer], row: &[u8]| {
            assert!(row.is_empty(), "rows are passed on if that is asked for");
            made.push(answers.to_vec());
        };
        let take = |made| {
            all.extend(made);
            Ok(())
        };
        questions.answer(write, take).unwrap();
        all
    };
    let all = answers(1, true);
    assert_eq!(all.len(), 600);
    assert!(all == answers(2, true) && all == answers(7, true));
    let alone = answers(3, false);
    let (mut n_found, mut n_impossible) = (0, 0);
    for ((row, alone), given) in all.iter().zip(&alone).zip(&given) {
        for ((query, answer), alone) in queries.iter().zip(row).zip(alone) {
            match (answer, alone) {
                (RowAnswer::Impossible, RowAnswer::Impossible) => n_impossible += 1,
                (RowAnswer::Found(Outcome::Found { value, .. }), RowAnswer::FoundAlone(alone)) => {
                    n_found += 1;
                    assert_eq!(value, alone, "{query}");
                }
                other => panic!("{query}: {other:?}"),
            }
        }
        if n_found % 40 != 3 {
            continue;
        }
        for (query, answer) in queries.iter().zip(row) {
            let mut question = Question::resolve(domain, query).unwrap();
            let asked = question.asked();
            let seen = given.iter().filter(|finding| !asked.iter().any(|&of| finding.starts_with(&format!("{}=", domain.name(of)))));
            let seen: Vec<String> = seen.cloned().collect();
            question.findings.extend(network::findings(domain, &seen.join(", ")).unwrap());
            let single = oracle.reply(&question).unwrap().outcome;
            let (Outcome::Found { value: single, ln_p_evidence }, RowAnswer::Found(Outcome::Found { value, ln_p_evidence: of_row })) =
                (single, answer)
            else {
                assert_eq!(*answer, RowAnswer::Impossible, "{query}");
                continue;
            };
            assert!((ln_p_evidence - of_row).abs() < 1e-11, "{query}: {ln_p_evidence} {of_row}");
            match (&single, value) {
                (Value::Table(single), Value::Table(value)) => {
                    assert!(single.probabilities.iter().zip(&value.probabilities).all(|(a, b)| (a - b).abs() < 1e-12), "{query}")
                }
                (Value::Probability(single), Value::Probability(value)) => assert!((single - value).abs() < 1e-12, "{query}"),
                other => panic!("{query}: {other:?}"),
            }
        }
    }
    assert!(n_found > 300 && n_impossible > 10, "{n_found} found, {n_impossible} impossible");
}

#[test]
fn two_networks_are_compared_by_names() {
    let file = NetworkFile::open(&testdata("cancer.bif")).unwrap();
    let network = file.network().unwrap();
    let same = network::difference(network, network).unwrap();
    assert_eq!((same.before_after, same.tables.len(), same.arcs_new.len()), (Some(0.0), 0, 0));
    let other = NetworkFile::open(&testdata("asia.bif")).unwrap();
    assert!(network::difference(network, other.network().unwrap()).is_err());
}
