//! Explanations: what findings say, in numbers and words.

use super::{answer, assert_close, flu, number};
use tunbridge_net::Network;
use tunbridge_net::ask::{Explanation, Oracle, Says};

fn explained(oracle: &Oracle, question: &str) -> Explanation {
    oracle.explain(&question.parse().unwrap()).unwrap_or_else(|error| panic!("{question}: {error}"))
}

fn log_odds(p: f64) -> f64 {
    (p / (1.0 - p)).ln()
}

#[test]
fn weights_are_changes_of_log_odds() {
    let oracle = Oracle::of_network(flu());
    let found = explained(&oracle, "P(Flu=yes | Nose=runny, Allergy=yes, Headache=yes)");
    assert_eq!(found.target, "Flu=yes");
    let p = |given: &str| number(&oracle, &format!("P(Flu=yes | {given})"));
    let posterior = p("Nose=runny, Allergy=yes, Headache=yes");
    assert_close(found.prior, 0.1, 1e-15);
    assert_close(found.posterior, posterior, 1e-15);
    for one in &found.findings {
        let others: Vec<&str> = ["Nose=runny", "Allergy=yes", "Headache=yes"].into_iter().filter(|other| *other != one.finding).collect();
        let (alone, without) = (p(&one.finding), p(&others.join(", ")));
        assert_close(one.p_alone, alone, 1e-15);
        assert_close(one.p_without, without, 1e-15);
        assert_close(one.weight_alone.unwrap(), log_odds(alone) - log_odds(0.1), 1e-12);
        assert_close(one.weight_last.unwrap(), log_odds(posterior) - log_odds(without), 1e-12);
    }
    // Allergy alone says nothing of flu; once the nose runs it explains that away.
    let allergy = found.findings.iter().find(|one| one.finding == "Allergy=yes").unwrap();
    assert_eq!((allergy.weight_alone, allergy.says), (Some(0.0), Says::Against));
    assert_eq!(found.findings[0].finding, "Allergy=yes");
}

#[test]
fn in_words() {
    let oracle = Oracle::of_network(flu());
    let words = explained(&oracle, "P(Flu | Sinus=yes, Nose=runny, Allergy=no)").to_string();
    let expected = "\
P(Flu=yes) was 0.1000 before anything was found and is higher now: 0.6400.
Sinus=yes speaks for it by 2.01 nats: without this finding it would be 0.1931. Alone it would make it 0.3361 (+1.52 nats).
Allergy=no speaks for it by 1.26 nats: without this finding it would be 0.3361. Alone it would change nothing.
Nose=runny adds nothing once the other findings are known: the graph separates it from the target. Alone it would make it 0.1682 (+0.60 nats).
There is no conflict to speak of: the findings are 1.030 times less probable together than if they had nothing to do with each other (conflict +0.03).
";
    assert_eq!(words, expected);
}

#[test]
fn what_adds_nothing_is_told_by_the_graph_or_by_the_numbers() {
    let network = Network::builder()
        .variable("A", ["0", "1"])
        .probabilities([0.3, 0.7])
        .variable("B", ["0", "1"])
        .given(["A"])
        .probabilities([0.9, 0.1, 0.2, 0.8])
        .variable("C", ["0", "1"])
        .given(["B"])
        .probabilities([0.9, 0.1, 0.2, 0.8])
        .variable("Same", ["0", "1"])
        .given(["A"])
        .probabilities([0.5, 0.5, 0.5, 0.5])
        .build()
        .unwrap();
    let oracle = Oracle::of_network(network);
    let says =
        |question: &str, finding: &str| explained(&oracle, question).findings.iter().find(|one| one.finding == finding).unwrap().says;
    assert_eq!(says("P(A=0 | B=0, C=0)", "C=0"), Says::NothingByTheGraph);
    assert_eq!(says("P(A=0 | B=0, C=0)", "B=0"), Says::For);
    assert_eq!(says("P(A=0 | B=0, Same=1)", "Same=1"), Says::NothingByTheNumbers);
    // A likelihood leaves the way through B open.
    assert_eq!(says("P(A=0 | B ~ [3, 1], C=0)", "C=0"), Says::For);
    assert_eq!(says("P(A=0 | B ~ [3, 1], B=1, C=0)", "C=0"), Says::NothingByTheGraph);
    // What is asked for is known: nothing else matters.
    assert_eq!(says("P(A=0 | A=0, C=0)", "C=0"), Says::NothingByTheGraph);
}

#[test]
fn decisive_findings_have_no_finite_weight() {
    let network = Network::builder()
        .variable("A", ["0", "1"])
        .probabilities([0.3, 0.7])
        .variable("B", ["0", "1"])
        .given(["A"])
        .probabilities([1.0, 0.0, 0.2, 0.8])
        .build()
        .unwrap();
    let found = explained(&Oracle::of_network(network), "P(A | B=1)");
    assert_eq!((found.target.as_str(), found.posterior, found.findings[0].weight_last), ("A=1", 1.0, None));
    assert!(found.to_string().contains("B=1 speaks for it decisively"));
    let json = serde_json::to_value(&found).unwrap();
    assert_eq!(json["findings"][0]["weight_last"], serde_json::Value::Null);
    assert_eq!(json["findings"][0]["says"], "for");
}

/// Conflicts are told as such from a factor of √10 on, half a ban.
#[test]
fn slight_conflicts_are_none_to_speak_of() {
    let told = |p: f64| {
        let network = Network::builder().variable("A", ["0", "1"]).probabilities([0.5, 0.5]).variable("B", ["0", "1"]).given(["A"]);
        let oracle = Oracle::of_network(network.probabilities([1.0 - p, p, p, 1.0 - p]).build().unwrap());
        explained(&oracle, "P(A | A=0, B=1)").conflict.unwrap().to_string()
    };
    // P(A=0) P(B=1) / P(A=0, B=1) = 0.25 / (0.5 p).
    assert!(told(0.5 / 3.17).starts_with("The findings are in conflict: 3.170 times less probable together"), "{}", told(0.5 / 3.17));
    assert!(told(0.5 / 3.16).starts_with("There is no conflict to speak of: the findings are 3.160 times less"), "{}", told(0.5 / 3.16));
    assert!(told(0.01).starts_with("The findings are in conflict: 50.00 times less"), "{}", told(0.01));
}

/// Jensen et al. 1991: ln (P(a) P(b) / P(a, b)).
#[test]
fn the_conflict_measure() {
    let oracle = Oracle::of_network(flu());
    let p = |event: &str| number(&oracle, &format!("P({event})"));
    let found = explained(&oracle, "P(Flu | Nose=runny, Headache=no)").conflict.unwrap();
    assert_close(found.conflict, (p("Nose=runny") * p("Headache=no") / p("Nose=runny, Headache=no")).ln(), 1e-14);
    assert_close(found.log_p_evidence, p("Nose=runny, Headache=no").ln(), 1e-14);
    assert!(found.conflict > 0.0 && found.to_string().starts_with("There is no conflict to speak of: the findings are 1."));
    let found = explained(&oracle, "P(Flu | Nose=runny, Headache=yes)").conflict.unwrap();
    assert!(found.conflict < 0.0 && found.to_string().starts_with("The findings support each other"));
    let found = explained(&oracle, "P(Sinus | Flu=yes, Allergy=yes)").conflict.unwrap();
    assert!(found.to_string().contains("nothing to do with each other"));
    // The scale of a likelihood does not matter.
    let scaled = |weights: &str| explained(&oracle, &format!("P(Flu | Nose ~ {weights}, Headache=no)")).conflict.unwrap().conflict;
    assert_close(scaled("[3, 1]"), scaled("[0.3, 0.1]"), 1e-14);
    assert!(explained(&oracle, "P(Flu | Nose=runny)").conflict.is_none());
    assert!(explained(&oracle, "P(Flu | Nose=runny, Headache :~ [0.5, 0.5])").conflict.is_none());
}

#[test]
fn targets_are_the_asked_or_the_most_probable() {
    let oracle = Oracle::of_network(flu());
    assert_eq!(explained(&oracle, "P(Flu | Nose=runny)").target, "Flu=no");
    assert_eq!(explained(&oracle, "P(Flu!=no | Nose=runny)").target, "Flu=yes");
    assert_eq!(explained(&oracle, "P(Flu, Allergy | Nose=runny)").target, "Flu=no, Allergy=no");
    assert_eq!(explained(&oracle, "argmax Sinus, Headache | Nose=runny, Flu=yes").target, "Sinus=yes, Headache=yes");
    let refused = |question: &str| oracle.explain(&question.parse().unwrap()).unwrap_err().to_string();
    assert!(refused("P(Flu)").contains("no findings are given"));
    assert!(refused("P(* | Nose=runny)").contains("only P(A | …)"));
    assert!(refused("mpe | Nose=runny").contains("only P(A | …)"));
    assert!(refused("H(Flu | Nose=runny)").contains("only P(A | …)"));
    assert!(refused("P(Flu | Nose, Headache=yes)").contains("give it a state"));
    assert!(refused("P(Flu | Nose=runny, Nose=dry)").contains("Nose=runny and Nose=dry contradict each other"));
    assert!(answer(&oracle, "P(Flu | Nose=runny, Nose=dry)").is_ok());
}
