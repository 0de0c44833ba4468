//! Questions of networks: what is printed, what programs may rely on, and the book's numbers.

use serde_json::{Value, json};

use crate::support::{Folder, assert_close, keys};

impl Folder {
    pub fn with_networks() -> Self {
        let folder = Folder::new();
        for name in ["asia.bif", "flu.tbn", "storm.tbn", "person.tbn", "meningitis.tbn", "cancer.tbn", "patients.csv"] {
            folder.example(name);
        }
        folder
    }

    pub fn testdata(&self, name: &str) {
        let from = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/networks").join(name);
        std::fs::copy(from, self.path(name)).unwrap();
    }

    fn ask(&self, net: &str, question: &str) -> Value {
        self.run(&format!("ask {net} '{question}' --format json --quiet")).ok().json()
    }
}

#[test]
fn what_a_person_reads_of_answers() {
    let folder = Folder::with_networks();
    let questions = [
        "P(lung | xray=yes, smoke=yes)",
        "P(lung=yes | xray=yes)",
        "P(lung, bronc | dysp=yes)",
        "P(lung | smoke)",
        "P(lung, bronc | smoke, xray!=yes)",
        "P(* | xray ~ [0.7, 0.3])",
        "P(lung | xray :~ {yes: 0.9, no: 0.1})",
        "argmax lung, bronc | dysp=yes",
        "mpe:3 | dysp=yes",
        "lung ⟂ bronc | smoke",
        "lung _||_ bronc | smoke, dysp",
        "H(lung | xray=yes)",
        "I(lung; xray)",
        "P(lung | tub=yes, either=no)",
    ];
    let quoted: Vec<String> = questions.iter().map(|question| format!("'{question}'")).collect();
    insta::assert_snapshot!("ask", folder.run(&format!("ask asia.bif {}", quoted.join(" "))).ok().silent().transcript());
    let why = folder.run("ask asia.bif 'P(lung | xray=yes, dysp=yes, smoke=yes, asia=no)' --explain --check").ok();
    // Rounding differs with the machine's order of work; that it is only rounding is what counts.
    let (shown, difference) = why.stdout().split_once("the largest difference is ").unwrap();
    let (difference, rest) = difference.split_once('\n').unwrap();
    assert!(difference.parse::<f64>().unwrap() < 1e-12, "{difference}");
    insta::assert_snapshot!("ask_why", format!("{shown}the largest difference is …\n{rest}"));
    insta::assert_snapshot!("ask_plan", folder.run("ask asia.bif 'P(lung | xray=yes)' --plan").ok().transcript());
}

#[test]
fn the_lectures_networks_have_the_lectures_numbers() {
    let folder = Folder::with_networks();
    assert_close(&folder.ask("cancer.tbn", "P(Cancer=yes | Test=+)")["p"], 0.00784 / 0.0376, 1e-15);
    assert_eq!(folder.ask("cancer.tbn", "argmax Cancer | Test=+")["assignment"], json!({"Cancer": "no"}));
    assert_close(&folder.ask("meningitis.tbn", "P(Meningitis=yes | StiffNeck=yes)")["p"], 0.0014, 1e-15);
    assert_close(&folder.ask("meningitis.tbn", "P(StiffNeck=yes)")["p"], 0.01, 1e-15);
    assert_close(&folder.ask("person.tbn", "P(Person=yes | Leg-size=yes, Curved=yes)")["p"], 0.108 / 0.124, 1e-15);
    assert_close(&folder.ask("person.tbn", "P(Person=yes, Leg-size=yes, Curved=yes)")["p"], 0.108, 1e-15);
    let thunder = folder.ask("storm.tbn", "Thunder _||_ Storm | Lightning");
    assert_eq!(thunder["independent"], json!(true));
    assert_eq!(folder.ask("storm.tbn", "Storm ⟂ BusTourGroup")["independent"], json!(true));
    assert_eq!(folder.ask("storm.tbn", "Storm ⟂ BusTourGroup | ForestFire")["trail"], json!(["Storm", "Campfire", "BusTourGroup"]));
    assert_eq!(folder.ask("flu.tbn", "Flu ⟂ Nose | Sinus")["independent"], json!(true));
    assert_eq!(folder.ask("flu.tbn", "Flu ⟂ Allergy")["independent"], json!(true));
    assert_eq!(folder.ask("flu.tbn", "Flu ⟂ Allergy | Headache")["trail"], json!(["Flu", "Sinus", "Allergy"]));
    // By hand: 0.1 · 0.05 and so on, over the four ways that Flu and Allergy can be.
    let sinus = 0.1 * (0.2 * 0.9 + 0.8 * 0.8) + 0.9 * (0.2 * 0.7 + 0.8 * 0.05);
    assert_close(&folder.ask("flu.tbn", "P(Sinus=yes)")["p"], sinus, 1e-15);
}

#[test]
fn the_contracts_of_json_hold() {
    let folder = Folder::with_networks();
    let table = folder.ask("asia.bif", "P(lung, bronc | dysp=yes)");
    assert_eq!(keys(&table), ["query", "variables", "table", "log_p_evidence", "method"]);
    assert_eq!((&table["query"], &table["variables"]), (&json!("P(lung, bronc | dysp=yes)"), &json!(["lung", "bronc"])));
    assert_eq!(table["table"].as_array().unwrap().len(), 4);
    assert_eq!(keys(&table["table"][0]), ["lung", "bronc", "p"]);
    assert_eq!(table["table"][1]["bronc"], json!("no"));
    let all = folder.ask("asia.bif", "P(* | xray=yes)");
    assert_eq!(keys(&all), ["query", "marginals", "log_p_evidence", "method"]);
    assert_eq!(all["marginals"].as_object().unwrap().len(), 8);
    assert_eq!(all["marginals"]["xray"], json!({"yes": 1.0, "no": 0.0}));
    assert_close(&all["marginals"]["lung"]["yes"], 0.4887114013196477, 1e-12);
    assert_eq!(
        keys(&folder.ask("asia.bif", "argmax lung | dysp=yes")),
        ["query", "assignment", "p", "log_p_joint", "log_p_evidence", "method"]
    );
    let best = folder.ask("asia.bif", "mpe:2 | dysp=yes");
    assert_eq!((best["best"].as_array().unwrap().len(), best["assignment"].as_object().unwrap().len()), (2, 8));
    assert_eq!(best["best"][0]["assignment"], best["assignment"]);
    let dependent = folder.ask("asia.bif", "tub ⟂ lung | dysp");
    assert_eq!((&dependent["independent"], &dependent["trail"]), (&json!(false), &json!(["tub", "either", "lung"])));
    let each = folder.ask("asia.bif", "P(lung | smoke)");
    assert_eq!((&each["given"], &each["table"][0]), (&json!(["smoke"]), &json!({"smoke": "yes", "lung": "yes", "p": 0.1})));
    let impossible = folder.ask("asia.bif", "P(lung | tub=yes, either=no, smoke=yes)");
    assert_eq!((&impossible["impossible"], &impossible["conflict"]), (&json!(true), &json!(["tub=yes", "either=no"])));
    assert_eq!(impossible["log_p_evidence"], Value::Null);
    let why = folder.run("ask asia.bif 'P(lung=yes | xray=yes, asia=yes)' --explain --check --format json").ok().json();
    assert_eq!(keys(&why["explanation"]), ["target", "prior", "posterior", "findings", "conflict", "method"]);
    assert_eq!(why["check"]["agrees"], json!(true));
    let plan = folder.run("ask asia.bif 'P(lung | xray=yes)' --plan --format json").ok().json();
    assert_eq!((&plan["plan"]["fits"], &plan["plan"]["largest_table"]), (&json!(true), &json!(8)));
    let several = folder.run("ask asia.bif 'P(lung)' 'P(tub)' --format json").ok().json();
    assert_eq!(several.as_array().unwrap().len(), 2);
    assert_eq!(folder.run("ask asia.bif 'P(lung)' 'P(tub)' --format jsonl").ok().json_lines().len(), 2);
    let csv = folder.run("ask asia.bif 'P(lung | smoke)' --format csv").ok();
    assert_eq!(csv.stdout(), "smoke,lung,p\nyes,yes,0.1\nyes,no,0.9\nno,yes,0.01\nno,no,0.99\n");
    folder.run("ask asia.bif 'P(lung)' 'P(tub)' --format csv").fails(2, &["one table"]);
    folder.run("ask asia.bif 'P(lung)' --format parquet").fails(2, &["--format"]);
}

#[test]
fn questions_come_from_files_and_pipes() {
    let folder = Folder::with_networks();
    folder.put("questions.txt", "# of asia\nP(lung)\n\n  lung ⟂ bronc | smoke\n");
    let lines = folder.run("ask asia.bif --questions questions.txt --format jsonl").ok().json_lines();
    assert_eq!((lines.len(), &lines[1]["independent"]), (2, &json!(true)));
    let given = folder.run("ask asia.bif 'P(lung=yes)' --given 'xray=yes, smoke=yes' --format json").ok().json();
    assert_close(&given["p"], folder.ask("asia.bif", "P(lung=yes | xray=yes, smoke=yes)")["p"].as_f64().unwrap(), 0.0);
    folder.put("bad.txt", "P(lung)\nP(lugn)\n");
    folder.run("ask asia.bif --questions bad.txt").fails(1, &["bad.txt:2", "did you mean `lung`?"]);
    folder.put("worse.txt", "P(lung)\n\nP(lung\n");
    folder.run("ask asia.bif --questions worse.txt").fails(1, &["worse.txt:3", "^"]);
    folder.put("empty.txt", "# nothing\n");
    folder.run("ask asia.bif --questions empty.txt").fails(1, &["no questions"]);
    // What is wrong with one line of a pipe does not stop the next.
    let piped = folder.run_with_input("ask asia.bif", "P(lung)\nfoo\n# no\nP(tub)\n");
    insta::assert_snapshot!("ask_pipe", piped.transcript());
    assert_eq!(piped.code, 1);
    let piped = folder.run_with_input("ask asia.bif --format jsonl", "P(lung)\nP(lugn)\nP(tub)\n");
    let lines = piped.json_lines();
    assert_eq!((piped.code, lines.len(), lines[1]["query"].as_str()), (1, 3, Some("P(lugn)")));
    assert!(lines[1]["error"].as_str().unwrap().contains("did you mean `lung`?"));
    assert_eq!(folder.run_with_input("ask asia.bif", "").ok().stdout(), "");
    let gz = folder.run_with_input("ask - 'P(lung)' --format csv", folder.bytes("asia.bif")).ok();
    assert_eq!(gz.stdout(), "lung,p\nyes,0.055\nno,0.9450000000000001\n");
}

#[test]
fn what_is_wrong_is_said_with_its_place() {
    let folder = Folder::with_networks();
    folder.put("broken.bif", "network a {\n}\nvariable x {\n  type discrete [ 2 ] { yes no };\n}\n");
    folder.put("cut.tbn", "variable A yes/no\n  0.3\nvariable B yes/no given A\n  yes: 0.4\n");
    folder.put("notes.txt", "milk\nbread\n");
    let mut shown = String::new();
    for (line, code) in [
        ("ask asia.bif 'P(lugn)'", 1),
        ("ask asia.bif 'P(lung=yess)'", 1),
        ("ask asia.bif 'P(lung | xray=yes'", 2),
        ("ask asia.bif 'lung'", 2),
        ("ask asia.bif 'P(lung | do(smoke=no))'", 1),
        ("ask asia.bif 'E[lung]'", 1),
        ("ask asia.bif 'P(lung | xray ~ [1])'", 1),
        ("ask asia.bif 'P(lung)' --explain", 1),
        ("ask asia.bif 'P(lung)' --given 'xray'", 1),
        ("ask asia.bif 'P(lung)' --memory lots", 2),
        ("ask asai.bif 'P(lung)'", 1),
        ("ask notes.txt 'P(lung)'", 1),
        ("ask broken.bif 'P(x)'", 1),
        ("ask cut.tbn 'P(A)'", 1),
        ("ask asia.bif 'P(lung)' -o answers.csv", 2),
        ("ask asia.bif --rows patients.csv", 2),
        ("ask asia.bif --rows patients.csv 'lung ⟂ tub'", 1),
        ("ask asia.bif --rows patients.csv 'P(lung)' --explain", 2),
    ] {
        let outcome = folder.run(line).fails(code, &[]);
        shown += &format!("{}\n", outcome.transcript());
    }
    insta::assert_snapshot!("ask_errors", shown);
}

#[test]
fn what_does_not_fit_is_not_begun() {
    let folder = Folder::with_networks();
    folder.testdata("alarm.bif");
    folder.run("ask alarm.bif 'P(*)' --memory 40B --quiet").fails(1, &["entries", "--memory"]);
    let plan = folder.run("ask alarm.bif 'P(*)' --memory 40B --plan --quiet").ok();
    assert!(plan.stdout().contains("It does not fit"), "{}", plan.stdout());
    // What does not fit at once may fit piece by piece.
    let small = folder.run("ask alarm.bif 'P(LVFAILURE | HRBP=HIGH, CO=LOW)' --memory 600B --quiet --format json").ok().json();
    let large = folder.ask("alarm.bif", "P(LVFAILURE | HRBP=HIGH, CO=LOW)");
    assert_close(&small["table"][0]["p"], large["table"][0]["p"].as_f64().unwrap(), 1e-12);
}

/// The memory that is allowed is for all that is held at once: the plan and the run say the same of it.
#[test]
fn ask_memory_is_of_the_whole() {
    let folder = Folder::with_networks();
    folder.testdata("alarm.bif");
    let plan = folder.run("ask alarm.bif 'P(*)' --memory 4kB --plan").ok();
    assert!(plan.stdout().contains("It fits.") && plan.stdout().contains("variable elimination for each variable"), "{}", plan.stdout());
    assert!(folder.run("ask alarm.bif 'P(*)' --memory 4kB").ok().stdout().contains("variable elimination for each variable"));
    let refused =
        folder.run("ask alarm.bif mpe:200000 --memory 10MB").fails(1, &["200000 most probable assignments are more than", "--memory"]);
    assert!(refused.stdout().is_empty());
    let plan = folder.run("ask alarm.bif mpe:200000 --memory 10MB --plan").ok();
    assert!(plan.stdout().contains("It does not fit: 200000 most probable assignments"), "{}", plan.stdout());
    folder.run("ask alarm.bif mpe:100 --memory 10MB").ok();
}

/// What goes through a pipe may have the words of the terminal and comments behind questions.
#[test]
fn questions_of_a_pipe_and_a_file_may_have_comments_and_help() {
    let folder = Folder::with_networks();
    let told = folder.run_with_input("ask asia.bif", "help\nP(lung=yes)  # how many\nquit\nP(nobody)\n").ok();
    assert!(told.stdout().contains("argmax A, B | C=c") && told.stdout().contains("P(lung=yes)\n"), "{}", told.stdout());
    let folder = folder.write("q.txt", "# asia\nP(lung=yes) # one\nP(\"lung\"=yes | smoke=yes)# no comment\n");
    folder.run("ask asia.bif --questions q.txt").fails(1, &["q.txt:3"]);
    let folder = folder.write("q.txt", "# asia\nP(lung=yes) # one\nmpe   # two\n");
    folder.run("ask asia.bif --questions q.txt").ok();
}

/// States stand for the numbers that the file gives them.
#[test]
fn ask_expectations_of_state_values() {
    let net = "net { }\nnode A { states = (\"a1\" \"a2\" \"a3\"); state_values = (1 2.5 4); }\npotential (A) { data = (0.2 0.5 0.3); }\n";
    let folder = Folder::new().write("a.net", net);
    let told = folder.run("ask a.net 'E[A]' --format json").ok().json();
    assert_close(&told["mean"], 2.65, 1e-12);
}

#[test]
fn ask_says_what_opens_a_common_effect_and_what_a_column_may_have_meant() {
    let folder = Folder::with_networks().write("x.csv", "Xray,dysp\nyes,yes\n");
    insta::assert_snapshot!("ask_opened_effect", folder.run("ask asia.bif 'tub ⟂ lung | xray'").ok().transcript());
    let told = folder.run("ask asia.bif 'P(lung)' --rows x.csv").ok();
    told.notes(&["the column `Xray` is passed over: did you mean `xray`?"]);
}

#[test]
fn ask_plans_by_the_order_that_is_given() {
    let folder = Folder::with_networks();
    let order = "either\nasia\ntub\nsmoke\nlung\nbronc\nxray\ndysp\n";
    let folder = folder.write("bad.order", order);
    let plan = folder.run("ask asia.bif 'P(lung)' --order bad.order --plan").ok();
    assert!(plan.stdout().contains("exact, junction tree") && plan.stdout().contains("entries over"), "{}", plan.stdout());
    let folder = folder.write("bad.order", "either\nasia\n");
    folder.run("ask asia.bif 'P(lung)' --order bad.order --plan").fails(1, &["bad.order: leaves out `tub`"]);
}
