//! Hypotheses and joint distributions: the worked examples of the lectures, and what cannot be.

use serde_json::Value;

use crate::support::Folder;

fn json(command: &str) -> Value {
    serde_json::from_str(Folder::new().run(&format!("{command} --format json")).ok().stdout()).unwrap()
}

fn close(found: &Value, expected: f64) {
    let found = found.as_f64().unwrap();
    assert!((found - expected).abs() < 1e-12, "{found} for {expected}");
}

const CANCER: &str = "weigh --prior cancer=0.008 --likelihood '+|cancer=0.98' --likelihood '+|not=0.03'";

/// Mitchell 1997, section 6.2.1.
#[test]
fn cancer_test() {
    let found = json(&format!("{CANCER} --observe +"));
    let of = |name: &str, what: &str| found["hypotheses"][name][what].clone();
    close(&of("cancer", "joint"), 0.00784);
    close(&of("not", "joint"), 0.02976);
    close(&of("cancer", "posterior"), 0.00784 / 0.0376);
    close(&found["p_observed"], 0.0376);
    assert_eq!((&found["map"], &found["ml"]), (&"not".into(), &"cancer".into()));
    // What was given comes back as it was.
    assert_eq!((of("cancer", "likelihood"), of("not", "likelihood")), (0.98.into(), 0.03.into()));
    // A second test, and one that finds nothing.
    close(&json(&format!("{CANCER} --observe +,+"))["hypotheses"]["cancer"]["posterior"], 0.0076832 / (0.0076832 + 0.0008928));
    close(&json(&format!("{CANCER} --observe '!+'"))["hypotheses"]["cancer"]["posterior"], 0.00016 / (0.00016 + 0.96224));
}

/// P(m | s) = 0.7 × 0.00002 / 0.01.
#[test]
fn meningitis() {
    let found = json("weigh --prior m=1/50000 --likelihood 's|m=0.7' --total s=0.01 --observe s");
    close(&found["hypotheses"]["m"]["posterior"], 0.0014);
    close(&found["p_observed"], 0.01);
}

#[test]
fn person_leg_size_and_curved() {
    let found = json("weigh --prior person=0.2 --likelihood 'L|person=0.6,L|not=0.1' --likelihood 'C|person=0.9,C|not=0.2' --observe L,C");
    close(&found["hypotheses"]["person"]["posterior"], 0.108 / (0.108 + 0.016));
    close(&found["steps"][0]["posterior"]["person"], 0.12 / 0.2);
}

/// Mitchell 1997, section 6.7: the most probable hypothesis says +, all of them together −.
#[test]
fn three_hypotheses() {
    let found = json("weigh --prior h1=0.4,h2=0.3,h3=0.3 --predict '+|h1,-|h2,-|h3'");
    let classified = &found["classification"];
    assert_eq!((&classified["by_map"], &classified["bayes_optimal"]), (&"+".into(), &"-".into()));
    close(&classified["probability"]["-"], 0.6);
    close(&classified["gibbs"]["+"], 0.4);
}

#[test]
fn weather_times_person() {
    let folder = Folder::new();
    folder.example("weather_person.csv");
    let ask = |flags: &str| -> Value {
        let answer = folder.run(&format!("weigh --joint weather_person.csv {flags} --format json")).ok();
        serde_json::from_str(answer.stdout()).unwrap()
    };
    let all = ask("");
    let cell = |weather: &str, person: &str| {
        let table = all["table"].as_array().unwrap();
        table.iter().find(|cell| cell["Weather"] == weather && cell["Person"] == person).unwrap()["p"].clone()
    };
    for (weather, with, without) in [("sunny", 0.144, 0.576), ("rain", 0.02, 0.08), ("cloudy", 0.016, 0.064), ("snow", 0.02, 0.08)] {
        close(&cell(weather, "true"), with);
        close(&cell(weather, "false"), without);
    }
    close(&all["marginals"]["Weather"]["sunny"], 0.72);
    assert_eq!(all["pairs"][0]["independent"], true);
    close(&ask("--of Weather --given Person=true")["marginals"]["Weather"]["sunny"], 0.72);
    close(&ask("--either Weather=sunny,Person=true")["p_either"], 0.776);
    // Given one of them, it is sure that one of them is so.
    close(&ask("--given Person=true --either Weather=sunny,Person=true")["p_either"], 1.0);
    close(&ask("--given Person=true --either Weather=sunny,Weather=rain")["p_either"], 0.82);
    let told = folder.run("weigh --joint weather_person.csv --either Weather=sunny,Person=true").ok();
    assert!(told.stdout().contains("= 0.72 + 0.2 − 0.144 = 0.776") && told.stdout().contains("are independent"), "{}", told.stdout());
}

#[test]
fn actions_of_least_expected_loss() {
    let folder = Folder::new();
    folder.put("loss.csv", "action,not,cancer\ntreat,10,0\nwait,0,100\n");
    let told = folder.run(&format!("{CANCER} --observe + --loss loss.csv --format json")).ok();
    let told: Value = serde_json::from_str(told.stdout()).unwrap();
    assert_eq!(told["decision"]["action"], "treat");
    close(&told["decision"]["expected_loss"]["wait"], 100.0 * 0.00784 / 0.0376);
    let told = folder.run(&format!("{CANCER} --observe + --reject 0.1")).ok();
    assert!(told.stdout().contains("reject"), "{}", told.stdout());
    folder.put("bad.csv", "action,not,tumour\ntreat,10,0\n");
    folder.run(&format!("{CANCER} --loss bad.csv")).fails(1, &["bad.csv", "`tumour` is no state"]);
    folder.put("bad.csv", "action,not,cancer\ntreat,10,x\n");
    folder.run(&format!("{CANCER} --loss bad.csv")).fails(1, &["bad.csv: line 2", "`x` is no loss"]);
}

#[test]
fn the_steps_are_a_textbook_s() {
    let folder = Folder::new();
    insta::assert_snapshot!(folder.run(&format!("{CANCER} --observe +,+ --trace")).ok().stdout());
}

#[test]
fn belief_moves_from_one_observation_to_the_next() {
    let folder = Folder::new();
    let told = folder.run(&format!("{CANCER} --observe '+,+,!+,+' --plot belief.svg")).ok();
    assert!(told.stdout().contains("observations"), "{}", told.stdout());
    let picture = folder.text("belief.svg");
    assert!(picture.contains(">cancer<") && picture.contains(">not<") && picture.contains("Belief after each observation"));
    folder.run(&format!("{CANCER} --observe + --plot belief.png")).fails(2, &["does not end in .svg"]);
}

/// Many observations are counted in the heading, and what is too small to be written is told by its logarithm.
#[test]
fn many_observations() {
    let folder = Folder::new();
    let many = vec!["x"; 400].join(",") + "," + &vec!["y"; 800].join(",");
    let command = format!("weigh --prior a=0.5 --likelihood 'x|a=0.9,x|b=0.1,y|a=0.1,y|b=0.9' --observe {many}");
    let told = folder.run(&command).ok();
    assert!(told.stdout().contains("P(1200 observations | it)") && told.stdout().contains("= e^−"), "{}", &told.stdout()[..600]);
    let found: Value = serde_json::from_str(folder.run(&format!("{command} --format json")).ok().stdout()).unwrap();
    assert_eq!((&found["map"], &found["ml"], &found["hypotheses"]["b"]["posterior"]), (&"b".into(), &"b".into(), &1.0.into()));
}

#[test]
fn what_cannot_be_believed_is_refused() {
    let folder = Folder::new();
    folder.put("joint.csv", "A,p\nx,0.5\ny,0.4\n");
    folder.put("twice.csv", "A,p\nx,0.5\nx,0.5\n");
    folder.put("certain.csv", "A,B,p\nx,u,1\ny,u,0\n");
    folder.put("gap.csv", "A,B,p\nx,,0.5\ny,z,0.5\n");
    for (command, code, words) in [
        ("--prior a=0.5,b=0.6", 1, "the priors sum to 1.1"),
        ("--prior a=-0.1", 1, "P(a) is -0.1"),
        ("--prior a=0.2 --likelihood 'x|b=0.1,x|c=0.3'", 1, "`b` and `c` have no prior"),
        ("--prior a=1.5 --likelihood 'x|b=0.1'", 1, "no probability"),
        ("--prior a=1,b=0 --likelihood 'x|a=0,x|b=1' --observe x", 1, "x has probability zero under every hypothesis"),
        ("--prior a=0.5 --observe y", 1, "`y` is no outcome"),
        ("--prior a=0.5 --likelihood 'x|a=2' --observe x", 1, "P(x | a) is 2"),
        ("--prior a=0.5 --likelihood 'x|a=0.9' --total x=0.1 --observe x", 1, "would have to be"),
        ("--prior a=x", 2, "no number"),
        ("--prior =0.5", 2, "there is no name"),
        ("--prior a=0.5 --likelihood x=0.1", 2, "write an outcome"),
        ("", 2, "there are no hypotheses"),
        ("--prior a=0.5,b=0.5 --predict '+|a'", 1, "what `b` predicts sums to 0"),
        ("--prior a=0.5,b=0.5 --predict '+|a=0,+|a=1,-|b'", 2, "is there twice"),
        ("--joint certain.csv --given A=y", 1, "A=y has probability zero in the table"),
        ("--prior a=0.5 --joint joint.csv", 2, "--prior does not go with --joint"),
        ("--prior a=0.5 --given A=x", 2, "--given goes with --joint"),
        ("--joint joint.csv", 1, "sum to 0.9"),
        ("--joint twice.csv", 1, "A=x is there twice"),
        ("--joint gap.csv", 1, "row 1: `B` is missing"),
        ("--joint joint.csv --probability q", 1, "no column `q`"),
        ("--joint nothing.csv", 1, "nothing.csv"),
    ] {
        folder.run(&format!("weigh {command}")).fails(code, &[words]);
    }
}

#[test]
fn classes_lead_to_actions() {
    let folder = Folder::with_model();
    folder.put("loss.csv", "action,Yes,No\ngo,0,5\nstay,2,0\n");
    folder.put("days.csv", "Outlook,Humidity\nSunny,High\nOvercast,Normal\n");
    let told = folder.run("classify play_tennis.tb days.csv --loss loss.csv --reject 0.1 --answers-only").ok();
    let actions: Vec<&str> = told.stdout().lines().map(|line| line.split(',').next().unwrap()).collect();
    assert_eq!(actions, ["action", "reject", "reject"]);
    let told = folder.run("classify play_tennis.tb days.csv --loss loss.csv --format jsonl").ok();
    assert_eq!(told.json_lines().iter().map(|row| row["action"].as_str().unwrap()).collect::<Vec<_>>(), ["stay", "go"]);
    folder.run("classify play_tennis.tb days.csv --loss loss.csv -o told.parquet").ok();
    assert_eq!(folder.run("classify play_tennis.tb Outlook=Sunny --loss loss.csv --format json").ok().json()["decision"]["action"], "stay");
    // One who calls at a loss of 1 either way would like to know the humidity first.
    folder.put("loss.csv", "action,Yes,No\ngo,0,5\nstay,2,0\ncall,1,1\n");
    let case = folder.run("classify play_tennis.tb Outlook=Sunny --loss loss.csv --value-of-information --format json").ok().json();
    assert_eq!(case["value_of_information"].as_object().unwrap().keys().next().unwrap(), "Humidity");
    folder.run("classify play_tennis.tb days.csv --value-of-information").fails(2, &["is for one case"]);
    folder.run("classify play_tennis.tb days.csv --loss loss.csv --costs 'Yes|No=2'").fails(2, &["give one"]);
    folder.put("loss.csv", "action,Yes\ngo,0\n");
    folder.run("classify play_tennis.tb days.csv --loss loss.csv").fails(1, &["`No` is no state"]);
}

/// The Gibbs classifier errs in 0.4·0.6 + 0.6·0.4 of the worlds, at most twice as often as the Bayes-optimal one, which errs in 0.4.
#[test]
fn gibbs_errs_at_most_twice_as_often_in_drawn_worlds() {
    let command = "weigh --prior h1=0.4,h2=0.3,h3=0.3 --predict '+|h1,-|h2,-|h3' --simulate 20000";
    let found = json(command)["classification"]["simulated"].clone();
    let share = |of: &str| found[of]["share"].as_f64().unwrap();
    let error = |of: &str| found[of]["standard_error"].as_f64().unwrap();
    assert!((share("bayes_optimal") - 0.4).abs() < 4.0 * error("bayes_optimal"), "{found}");
    assert!((share("gibbs") - 0.48).abs() < 4.0 * error("gibbs"), "{found}");
    assert!(share("gibbs") <= 2.0 * share("bayes_optimal") && found["bound_holds"] == true && found["worlds"] == 20_000);
    assert_eq!(found, json(&format!("{command} --threads 2"))["classification"]["simulated"]);
    assert_ne!(found, json(&format!("{command} --seed 2"))["classification"]["simulated"]);
    let folder = Folder::new();
    assert!(folder.run(command).ok().stdout().contains("at most twice as often is the bound"));
    let unsure = folder.run("weigh --prior h1=0.1 --predict '+|h1=0.51,-|h1=0.49,-|h2' --simulate 1000").ok();
    assert!(unsure.stdout().contains("there is no bound"), "{}", unsure.stdout());
    folder.run("weigh --prior h1=0.4 --simulate 10").fails(2, &["--predict"]);
}

/// Russell & Norvig's dentist: a probe that catches and an aching tooth depend on each other, and not where it is known whether there is a
/// cavity.
#[test]
fn the_dentist_two_columns_given_a_variable() {
    let folder = Folder::new();
    let joint = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/dentist.csv")).unwrap();
    folder.put("d.csv", &joint);
    let ask = |given: &str| folder.run(&format!("weigh --joint d.csv --of Toothache,Catch {given} --format json")).ok().json();
    assert_eq!(ask("")["pairs"][0]["independent"], false);
    let found = ask("--given Cavity");
    assert_eq!((&found["pairs"][0]["independent"], &found["given_variables"]), (&true.into(), &serde_json::json!(["Cavity"])));
    let row =
        found["table"].as_array().unwrap().iter().find(|row| row["Cavity"] == "yes" && row["Toothache"] == "yes" && row["Catch"] == "yes");
    close(&row.unwrap()["p"], 0.108 / 0.2);
    let text = folder.run("weigh --joint d.csv --of Toothache,Catch --given Cavity").ok();
    assert!(text.stdout().contains("Toothache and Catch given Cavity are independent"), "{}", text.stdout());
    assert!(text.stdout().contains("P(Toothache, Catch | Cavity)"), "{}", text.stdout());
    folder.run("weigh --joint d.csv --given Cavity,Cavity=yes").fails(2, &["twice"]);
    folder.run("weigh --joint d.csv --given Cavty").fails(1, &["`Cavty` is no variable", "did you mean `Cavity`?"]);
    folder.run("weigh --joint d.csv --given Catch=maybe").fails(1, &["known: no, yes", "name one that is known"]);
    folder.put("bad.csv", "A,p\nx,0.5\ny,half\n");
    let refused = folder.run("weigh --joint bad.csv");
    refused.fails(1, &["`half` is not a number", "--probability"]);
}
