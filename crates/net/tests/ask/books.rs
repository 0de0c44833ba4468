//! Worked examples of the lectures by their names, and networks of the repository by hand and by recorded answers.

use super::{ask, assert_all_close, assert_close, flu, number, table, value};
use tunbridge_net::ask::{Independence, Oracle, Outcome, Value};
use tunbridge_net::{Network, format::bif};

fn testdata(name: &str) -> Vec<u8> {
    std::fs::read(format!("{}/../../testdata/networks/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

fn repository(name: &str) -> Oracle {
    Oracle::of_network(bif::read(&testdata(&format!("{name}.bif"))).unwrap().network)
}

/// Mitchell 1997, section 6.11, with his table for Campfire; the other numbers are ours, and so is Rain, of which his example of conditional
/// independence speaks.
fn storm() -> Oracle {
    let network = Network::builder()
        .variable("Storm", ["T", "F"])
        .probabilities([0.2, 0.8])
        .variable("BusTourGroup", ["T", "F"])
        .probabilities([0.3, 0.7])
        .variable("Rain", ["T", "F"])
        .given(["Storm"])
        .probabilities([0.9, 0.1, 0.2, 0.8])
        .variable("Lightning", ["T", "F"])
        .given(["Storm"])
        .probabilities([0.7, 0.3, 0.01, 0.99])
        .variable("Campfire", ["T", "F"])
        .given(["Storm", "BusTourGroup"])
        .probabilities([0.4, 0.6, 0.1, 0.9, 0.8, 0.2, 0.2, 0.8])
        .variable("Thunder", ["T", "F"])
        .given(["Lightning"])
        .probabilities([0.95, 0.05, 0.02, 0.98])
        .variable("ForestFire", ["T", "F"])
        .given(["Storm", "Lightning", "Campfire"])
        .probabilities([0.3, 0.7, 0.1, 0.9, 0.2, 0.8, 0.01, 0.99, 0.5, 0.5, 0.4, 0.6, 0.3, 0.7, 0.02, 0.98])
        .build()
        .unwrap();
    Oracle::of_network(network)
}

fn names(oracle: &Oracle, question: &str) -> Option<Vec<String>> {
    match ask(oracle, question).outcome {
        Outcome::Independence(Independence::Independent) => None,
        Outcome::Independence(Independence::Dependent { trail, .. }) => {
            Some(trail.into_iter().map(|variable| oracle.domain().name(variable).to_string()).collect())
        }
        other => panic!("{question}: {other:?}"),
    }
}

#[test]
fn storm_network() {
    let oracle = storm();
    // P(Thunder | Rain, Lightning) = P(Thunder | Lightning), by the graph and by the numbers.
    assert_eq!(names(&oracle, "Thunder ⟂ Rain | Lightning"), None);
    for (rain, lightning) in [("T", "T"), ("T", "F"), ("F", "T"), ("F", "F")] {
        let both = table(&oracle, &format!("P(Thunder | Rain={rain}, Lightning={lightning})"));
        assert_all_close(&both, &table(&oracle, &format!("P(Thunder | Lightning={lightning})")), 1e-15);
    }
    assert_eq!(names(&oracle, "Thunder _||_ Rain"), Some(["Thunder", "Lightning", "Storm", "Rain"].map(String::from).to_vec()));
    // Each variable is independent of its nondescendants given its parents.
    assert_eq!(names(&oracle, "Campfire ⟂ Lightning, Thunder, Rain | Storm, BusTourGroup"), None);
    assert_eq!(names(&oracle, "ForestFire ⟂ Thunder, BusTourGroup | Storm, Lightning, Campfire"), None);
    assert_eq!(names(&oracle, "Storm ⟂ BusTourGroup"), None);
    assert_eq!(names(&oracle, "Storm ⟂ BusTourGroup | Campfire"), Some(["Storm", "Campfire", "BusTourGroup"].map(String::from).to_vec()));
    // His table for Campfire.
    assert_close(number(&oracle, "P(Campfire=T | Storm=T, BusTourGroup=T)"), 0.4, 1e-15);
    assert_close(number(&oracle, "P(Campfire=F | Storm=F, BusTourGroup=T)"), 0.2, 1e-15);
    for question in ["Thunder ⟂ Rain | Lightning", "Thunder ⟂ Rain", "Storm ⟂ BusTourGroup | ForestFire"] {
        let query = question.parse().unwrap();
        let checked = oracle.check(&query, &oracle.answer(&query).unwrap()).unwrap();
        assert!(checked.agrees, "{question}: {checked:?}");
    }
}

#[test]
fn flu_network() {
    let oracle = Oracle::of_network(flu());
    assert_eq!(names(&oracle, "Flu ⟂ Nose | Sinus"), None);
    assert_eq!(names(&oracle, "Flu ⟂ Allergy | Nose"), Some(["Flu", "Sinus", "Allergy"].map(String::from).to_vec()));
    // By hand: P(Sinus=yes | Flu=yes) = 0.9 · 0.2 + 0.8 · 0.8 = 0.82, and without flu 0.7 · 0.2 + 0.05 · 0.8 = 0.18.
    let (with, without) = (0.82 * 0.75 + 0.18 * 0.1, 0.18 * 0.75 + 0.82 * 0.1);
    assert_close(number(&oracle, "P(Flu=yes | Headache=yes)"), 0.1 * with / (0.1 * with + 0.9 * without), 1e-15);
    assert_close(number(&oracle, "I(Flu; Nose | Sinus=yes)"), 0.0, 1e-15);
}

/// P(m | s) = P(s | m) P(m) / P(s) = 0.7 · 0.00002 / 0.01 = 0.0014.
#[test]
fn meningitis() {
    let (p_m, p_s, p_s_given_m) = (0.00002, 0.01, 0.7);
    let p_s_given_not = (p_s - p_s_given_m * p_m) / (1.0 - p_m);
    let network = Network::builder()
        .variable("Meningitis", ["m", "not"])
        .probabilities([p_m, 1.0 - p_m])
        .variable("StiffNeck", ["s", "not"])
        .given(["Meningitis"])
        .probabilities([p_s_given_m, 1.0 - p_s_given_m, p_s_given_not, 1.0 - p_s_given_not])
        .build()
        .unwrap();
    let oracle = Oracle::of_network(network);
    assert_close(number(&oracle, "P(StiffNeck=s)"), 0.01, 1e-15);
    assert_close(number(&oracle, "P(Meningitis=m | StiffNeck=s)"), 0.0014, 1e-15);
}

/// P(+, cancer) = 0.00784, P(+, ¬cancer) = 0.02976, P(cancer | +) = 0.20851; the most probable is ¬cancer.
#[test]
fn cancer_test() {
    let network = Network::builder()
        .variable("Cancer", ["cancer", "not"])
        .probabilities([0.008, 0.992])
        .variable("Test", ["+", "-"])
        .given(["Cancer"])
        .probabilities([0.98, 0.02, 0.03, 0.97])
        .build()
        .unwrap();
    let oracle = Oracle::of_network(network);
    assert_all_close(&table(&oracle, "P(Cancer, Test=+)"), &[0.00784, 0.02976], 1e-15);
    assert_close(number(&oracle, "P(Cancer=cancer | Test=+)"), 0.00784 / 0.0376, 1e-15);
    let Value::Best(best) = value(&oracle, "argmax Cancer | Test=+") else { panic!("an assignment") };
    assert_eq!(best[0].states[0].1, 1);
    assert_close(best[0].p, 0.02976 / 0.0376, 1e-15);
    assert_close(best[0].log_p_joint, 0.02976_f64.ln(), 1e-14);
}

/// P(Per) = 0.2, P(L | Per) = 0.6/0.1, P(C | Per) = 0.9/0.2: the posterior given both is 0.108 / 0.124.
#[test]
fn person_leg_size_curved() {
    let network = Network::builder()
        .variable("Person", ["yes", "no"])
        .probabilities([0.2, 0.8])
        .variable("Leg-size", ["yes", "no"])
        .given(["Person"])
        .probabilities([0.6, 0.4, 0.1, 0.9])
        .variable("Curved", ["yes", "no"])
        .given(["Person"])
        .probabilities([0.9, 0.1, 0.2, 0.8])
        .build()
        .unwrap();
    let oracle = Oracle::of_network(network);
    assert_all_close(&table(&oracle, "P(Person | Leg-size=yes, Curved=yes)"), &[0.108 / 0.124, 0.016 / 0.124], 1e-15);
    let Outcome::Found { ln_p_evidence, .. } = ask(&oracle, "P(Person | Leg-size=yes, Curved=yes)").outcome else { panic!("a table") };
    assert_close(ln_p_evidence, 0.124_f64.ln(), 1e-14);
    assert_eq!(names(&oracle, "Leg-size ⟂ Curved | Person"), None);
    assert_eq!(names(&oracle, "Leg-size ⟂ Curved"), Some(["Leg-size", "Person", "Curved"].map(String::from).to_vec()));
}

#[test]
fn asia_by_hand() {
    let oracle = repository("asia");
    assert_close(number(&oracle, "P(tub=yes)"), 0.0104, 1e-15);
    assert_close(number(&oracle, "P(lung=yes)"), 0.055, 1e-15);
    assert_close(number(&oracle, "P(either=yes)"), 1.0 - 0.9896 * 0.945, 1e-15);
    assert_close(number(&oracle, "P(smoke=yes | lung=yes)"), 0.05 / 0.055, 1e-15);
    // Either of two causes, one of which is ruled out, is the other.
    assert_close(number(&oracle, "P(tub=yes | either=yes, lung=no)"), 1.0, 1e-15);
    assert_close(number(&oracle, "P(xray=yes, either=no)"), 0.05 * 0.9896 * 0.945, 1e-15);
    let told = |question: &str| match ask(&oracle, question).outcome {
        Outcome::Impossible { conflict } => conflict.to_string(),
        other => panic!("{other:?}"),
    };
    assert_eq!(
        told("P(smoke | xray=yes, either=no, dysp=no, tub=yes)"),
        "either=no and tub=yes cannot be together: each is possible without the other"
    );
}

#[test]
fn alarm_by_hand() {
    let oracle = repository("alarm");
    assert_close(number(&oracle, "P(LVFAILURE=TRUE | HISTORY=TRUE)"), 0.045 / 0.0545, 1e-15);
    let low = 0.2 * 0.05 * 0.98 + 0.8 * 0.05 * 0.95 + 0.2 * 0.95 * 0.5 + 0.8 * 0.95 * 0.05;
    assert_close(number(&oracle, "P(STROKEVOLUME=LOW)"), low, 1e-15);
    assert_close(number(&oracle, "P(HYPOVOLEMIA=true | STROKEVOLUME=low)"), (0.2 * 0.05 * 0.98 + 0.2 * 0.95 * 0.5) / low, 1e-15);
    assert_eq!(names(&oracle, "HYPOVOLEMIA ⟂ HISTORY | LVFAILURE"), None);
    assert_eq!(
        names(&oracle, "HYPOVOLEMIA ⟂ LVFAILURE | CVP"),
        Some(["HYPOVOLEMIA", "LVEDVOLUME", "LVFAILURE"].map(String::from).to_vec())
    );
}

/// pyAgrum's answers, recorded in testdata: see the README there.
#[test]
fn recorded_answers() {
    for name in ["asia", "cancer", "earthquake", "survey", "sachs", "alarm"] {
        let oracle = repository(name);
        let recorded: serde_json::Value = serde_json::from_slice(&testdata(&format!("{name}.json"))).unwrap();
        for query in recorded["queries"].as_array().unwrap() {
            let seen: Vec<String> =
                query["evidence"].as_object().unwrap().iter().map(|(name, state)| format!("{name}={}", state.as_str().unwrap())).collect();
            let bar = if seen.is_empty() { String::new() } else { format!(" | {}", seen.join(", ")) };
            let question = format!("P(*{bar})");
            let Outcome::Found { value: Value::Marginals(found), ln_p_evidence } = ask(&oracle, &question).outcome else {
                panic!("{name}")
            };
            let p_evidence = query["probability_of_evidence"].as_f64().unwrap();
            assert_close(ln_p_evidence, p_evidence.ln(), 1e-9);
            for (variable, marginal) in oracle.domain().variables().zip(&found) {
                let expected = query["marginals"][oracle.domain().name(variable)].as_array().unwrap();
                let expected: Vec<f64> = expected.iter().map(|p| p.as_f64().unwrap()).collect();
                assert_all_close(marginal, &expected, 1e-9);
            }
            let query = question.parse().unwrap();
            let checked = oracle.check(&query, &oracle.answer(&query).unwrap()).unwrap();
            assert!(checked.agrees && checked.largest_difference < 1e-12, "{name} {question}: {checked:?}");
        }
    }
}

/// A trail through a common effect says what of it was given.
#[test]
fn common_effects_on_a_trail_are_told_with_what_opens_them() {
    let oracle = Oracle::of_network(flu());
    let find = |name: &str| oracle.domain().find(name).unwrap();
    for given in ["Sinus", "Headache"] {
        let Outcome::Independence(Independence::Dependent { opened, .. }) = ask(&oracle, &format!("Flu ⟂ Allergy | {given}")).outcome
        else {
            panic!("dependent")
        };
        assert_eq!(opened, [(find("Sinus"), find(given))]);
    }
    let Outcome::Independence(Independence::Dependent { opened, .. }) = ask(&oracle, "Flu ⟂ Headache").outcome else {
        panic!("dependent")
    };
    assert!(opened.is_empty());
}
